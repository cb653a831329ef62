//! Questions about the path to a node: interpolants are weakest preconditions, from its end backwards.

use super::{Counterexample, Cover, Fate, Purpose, Step, Verifier, Wrong};
use crate::art::NodeId;
use crate::formula::{Answer, Formula, Implication, Predicates, Valuation, Variable};
use litmoscope_core::budget::Meter;
use litmoscope_core::program::Value;
use litmoscope_core::program::system::TransitionId;

/// A question was given up.
pub(super) struct Undecided;

/// A run that does not end where it should: its start, its steps, and what it stays out of.
pub(super) struct Escape<L> {
    start: Valuation,
    steps: Vec<TransitionId>,
    predicates: Vec<L>,
}

impl<P: Predicates> Verifier<P> {
    /// The nodes from one down to another, both included, and the steps between.
    pub(super) fn path(&self, from: u32, to: u32) -> (Vec<u32>, Vec<TransitionId>) {
        let (mut nodes, mut steps, mut at) = (vec![to], Vec::new(), to);
        while at != from {
            let Some((above, step)) = self.nodes[at as usize].above else { break };
            nodes.push(above);
            steps.push(step);
            at = above;
        }
        nodes.reverse();
        steps.reverse();
        (nodes, steps)
    }

    fn before(&mut self, step: TransitionId, after: &P::Predicate) -> Result<P::Predicate, Undecided> {
        let step = self.symbols.step(step).clone();
        let mut meter = Meter::new(self.options.question, 0, &mut self.budget);
        let mut before = self.predicates.before(&step.transition, after, &mut meter).map_err(|_| Undecided)?;
        for (variable, input) in step.inputs.iter().rev() {
            if input.count() > self.predicates.most_inputs() as u128 {
                return Err(Undecided);
            }
            let values: Vec<Value> = input.values().collect();
            let all = self.predicates.for_all_values(&before, *variable, &values, &mut meter);
            before = all.map_err(|_| Undecided)?;
        }
        Ok(before)
    }

    /// A predicate for each node of a path, such that each step from a state of one leads to a state of the next, and the last is `goal`.
    pub(super) fn interpolants(
        &mut self,
        steps: &[TransitionId],
        goal: P::Predicate,
    ) -> Result<Vec<P::Predicate>, Undecided> {
        let mut predicates = vec![goal];
        for step in steps.iter().rev() {
            let next = predicates[predicates.len() - 1].clone();
            predicates.push(self.before(*step, &next)?);
        }
        predicates.reverse();
        Ok(predicates)
    }

    pub(super) fn implies(&mut self, one: &P::Predicate, other: &P::Predicate) -> Result<bool, Undecided> {
        if one == other {
            return Ok(true);
        }
        let mut meter = Meter::new(self.options.question, 0, &mut self.budget);
        match self.predicates.implies(one, other, &mut meter) {
            Ok(Implication::Holds) => Ok(true),
            Ok(Implication::Fails(_)) => Ok(false),
            _ => Err(Undecided),
        }
    }

    fn a_state_without(&mut self, of: &P::Predicate, without: &P::Predicate) -> Result<Option<Valuation>, Undecided> {
        let not = self.predicates.not(without);
        let both = self.predicates.and(of, &not);
        let mut meter = Meter::new(self.options.question, 0, &mut self.budget);
        match self.predicates.model(&both, &mut meter) {
            Ok(Answer::No) => Ok(None),
            Ok(Answer::Yes(valuation)) => Ok(Some(valuation)),
            _ => Err(Undecided),
        }
    }

    /// Makes the labels along a path stronger.
    pub(super) fn strengthen(&mut self, purpose: Purpose, path: &[u32], predicates: Vec<P::Predicate>) {
        self.steps.push_back(Step::Interpolate {
            purpose,
            path: path.iter().map(|node| NodeId(*node)).collect(),
            predicates: predicates.clone(),
        });
        for (node, predicate) in path.iter().zip(predicates) {
            let label = self.nodes[*node as usize].label.clone();
            match self.implies(&label, &predicate) {
                Ok(true) => continue,
                Ok(false) => {}
                Err(Undecided) => self.undecided = true,
            }
            let after = self.predicates.and(&label, &predicate);
            let none = self.predicates.truth(false);
            let is_empty = self.implies(&after, &none).unwrap_or(false);
            self.steps.push_back(Step::Strengthen {
                node: NodeId(*node),
                before: label,
                after: after.clone(),
                is_empty,
            });
            let this = &mut self.nodes[*node as usize];
            (this.label, this.is_false) = (after, is_empty);
            self.look_at_covered(*node);
            if is_empty {
                // Nothing below is looked at any more, though its labels may hold of states elsewhere.
                self.drop_below(*node, Cover::Plain);
            }
        }
    }

    /// Proves that all runs along the path to a node end in states of `goal`, by stronger labels; or finds one that does not.
    pub(super) fn prove(
        &mut self,
        purpose: Purpose,
        node: u32,
        goal: P::Predicate,
    ) -> Result<Option<Escape<P::Predicate>>, Undecided> {
        let label = self.nodes[node as usize].label.clone();
        if self.implies(&label, &goal)? {
            return Ok(None);
        }
        let (nodes, steps) = self.path(0, node);
        let predicates = self.interpolants(&steps, goal)?;
        let initial = self.initial.clone();
        let Some(start) = self.a_state_without(&initial, &predicates[0])? else {
            self.strengthen(purpose, &nodes, predicates);
            return Ok(None);
        };
        Ok(Some(Escape { start, steps, predicates }))
    }

    /// The inputs with which a run along some steps stays outside of all predicates.
    fn replay(
        &self,
        initial: &[Value],
        steps: &[TransitionId],
        predicates: &[P::Predicate],
    ) -> Option<Vec<(TransitionId, Vec<Value>)>> {
        let mut state = self.system.state(initial)?;
        let mut run = Vec::new();
        for (step, predicate) in steps.iter().zip(&predicates[1..]) {
            let thread = self.system.transition(*step).thread;
            let successors = self.system.successors(&state, usize::from(thread)).ok()?;
            let fits = |next: &litmoscope_core::program::system::Successor| {
                let values = next.state.values.iter().zip(0..).map(|(value, at)| (Variable(at), *value));
                next.transition == *step && !self.predicates.holds(predicate, &values.collect())
            };
            let next = successors.into_iter().find(fits)?;
            run.push((*step, next.inputs.to_vec()));
            state = next.state;
        }
        Some(run)
    }

    /// An error is refuted, or is a counterexample.
    pub(super) fn refine(&mut self, node: u32) {
        let none = self.predicates.truth(false);
        match self.prove(Purpose::Infeasible, node, none) {
            Ok(None) => {
                self.nodes[node as usize].fate = Fate::Fine;
                self.nodes[node as usize].is_false = true;
                // Labels became stronger: others may cover them now.
                let (path, _) = self.path(0, node);
                for above in path {
                    self.cover_plainly(above);
                }
            }
            Ok(Some(escape)) => self.wrong(Wrong::Error, node, &escape),
            Err(Undecided) => self.give_up(node),
        }
    }

    pub(super) fn give_up(&mut self, node: u32) {
        self.undecided = true;
        // No result may use it.
        self.nodes[node as usize].fate = Fate::Wrong;
        self.settle_above(node);
    }

    fn wrong(&mut self, wrong: Wrong, node: u32, escape: &Escape<P::Predicate>) {
        let variables = 0..self.system.variables.len() as u32;
        let initial: Vec<Value> = variables.map(|at| escape.start.get(Variable(at))).collect();
        let Some(steps) = self.replay(&initial, &escape.steps, &escape.predicates) else { return self.give_up(node) };
        self.nodes[node as usize].fate = Fate::Wrong;
        let counterexample = Counterexample { wrong, node: NodeId(node), initial, steps };
        self.counterexamples.push(counterexample.clone());
        self.steps.push_back(Step::Counterexample(counterexample));
        while std::mem::take(&mut self.may_be_unfair) {
            self.drop_unfair();
        }
        self.work.clear();
        self.is_iterating = false;
        self.publish();
    }

    /// Where all active threads may wait, one is proven to be enabled. Whether there is no deadlock.
    pub(super) fn refute_deadlock(&mut self, node: u32) -> bool {
        let points = self.nodes[node as usize].points.clone();
        let mut any = Vec::new();
        for (thread, point) in points.iter().enumerate() {
            let at = self.system.point(thread, *point);
            if !at.is_active() {
                continue;
            }
            if !at.may_block {
                return true;
            }
            match self.symbols.enabled(thread, point.0 as usize) {
                Some(enabled) => any.push(enabled),
                None => {
                    self.give_up(node);
                    return false;
                }
            }
        }
        if any.is_empty() {
            return true;
        }
        let some: Formula = self.predicates.store().or(&any);
        let Some(some) = self.predicate(some) else {
            self.give_up(node);
            return false;
        };
        match self.prove(Purpose::NoDeadlock, node, some) {
            Ok(None) => true,
            Ok(Some(escape)) => {
                self.wrong(Wrong::Deadlock, node, &escape);
                false
            }
            Err(Undecided) => {
                self.give_up(node);
                false
            }
        }
    }
}
