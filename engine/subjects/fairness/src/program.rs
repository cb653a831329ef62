//! Programs whose threads run for ever, under SC: who can wait for ever?
//!
//! A vertex is a state, and the thread that moved last. A thread is fair to others, or the scheduler is to it, in one of three ways, which are
//! pairs of an objective:
//!
//! - **strong**: a thread that can move again and again moves again and again;
//! - **weak**: a thread that can move all the time from some point on moves again and again;
//! - **none**: nothing is promised.

use crate::algorithms::{Options, Pairs, Way};
use crate::bits::{Bits, Graph, GraphError};
use crate::lasso::Lasso;
use crate::machine::Machine;
use litmoscope_core::budget::{Budget, Paused};
use litmoscope_core::program::Value;
use litmoscope_core::program::system::{State, StateError, States, System, TransitionId, Variable};
use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::rc::Rc;

/// What a scheduler promises each thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fairness {
    /// Nothing.
    None,
    /// Who can move all the time moves.
    Weak,
    /// Who can move again and again moves again and again.
    #[default]
    Strong,
}

/// What may be so of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// A thread stands in one of these lines: what it does next is written there.
    At(u16, RangeInclusive<u32>),
    /// A variable has a value.
    Has(Variable, Value),
    /// A thread can move.
    Enabled(u16),
    /// Not this.
    Not(Box<Claim>),
    /// All of these.
    All(Vec<Claim>),
    /// One of these at least.
    Any(Vec<Claim>),
}

/// What a run may do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// From some point on, this is so for ever.
    ForEver(Claim),
    /// This is so again and again.
    AgainAndAgain(Claim),
    /// This is so finitely often only.
    FinitelyOften(Claim),
}

/// Why there is no graph of a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProgramError {
    /// Too many states, or inputs.
    #[error(transparent)]
    States(#[from] StateError),
    /// Too many vertices.
    #[error(transparent)]
    Graph(#[from] GraphError),
}

/// The states of a program, each with the thread that moved last, as a graph.
pub struct ProgramGraph {
    system: Rc<System>,
    states: States,
    /// By vertex: its state, and who moved last.
    vertices: Vec<(usize, Option<u16>)>,
    /// By vertex: the transition of each of its edges, in the order of [`Graph::successors`].
    steps: Vec<Vec<TransitionId>>,
    graph: Rc<Graph>,
}

/// A run that answers a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The run, as vertices.
    pub lasso: Lasso,
    /// The steps of its stem, and of its cycle.
    pub steps: [Vec<TransitionId>; 2],
}

impl ProgramGraph {
    /// The graph of a transition system.
    ///
    /// # Errors
    /// [`ProgramError`] for more states than `limit`, or too many inputs or vertices.
    pub fn of(system: Rc<System>, limit: usize) -> Result<Self, ProgramError> {
        let states = States::of(&system, limit)?;
        let mut vertices: Vec<(usize, Option<u16>)> = Vec::new();
        let mut numbers: HashMap<(usize, Option<u16>), u32> = HashMap::new();
        let initial = (0..states.states.len()).take_while(|at| states.reached[*at].is_none());
        for state in initial {
            numbers.insert((state, None), vertices.len() as u32);
            vertices.push((state, None));
        }
        let (mut edges, mut steps) = (Vec::new(), Vec::new());
        let mut at = 0;
        while at < vertices.len() {
            let mut own: Vec<(u32, TransitionId)> = Vec::new();
            for (step, to) in &states.steps[vertices[at].0] {
                let vertex = (*to, Some(system.transition(*step).thread));
                let number = *numbers.entry(vertex).or_insert_with(|| {
                    vertices.push(vertex);
                    vertices.len() as u32 - 1
                });
                own.push((number, *step));
            }
            own.sort_unstable();
            own.dedup_by_key(|(to, _)| *to);
            edges.extend(own.iter().map(|(to, _)| (at as u32, *to)));
            steps.push(own.into_iter().map(|(_, step)| step).collect());
            at += 1;
        }
        let graph = Rc::new(Graph::new(vertices.len(), edges, [])?);
        Ok(Self { system, states, vertices, steps, graph })
    }

    /// The transition system.
    pub fn system(&self) -> &System {
        &self.system
    }

    /// The graph.
    pub fn graph(&self) -> &Rc<Graph> {
        &self.graph
    }

    /// The state of a vertex, and who moved last.
    pub fn vertex(&self, vertex: usize) -> (&State, Option<u16>) {
        let (state, last) = self.vertices[vertex];
        (&self.states.states[state], last)
    }

    fn is_enabled(&self, vertex: usize, thread: u16) -> bool {
        let steps = &self.states.steps[self.vertices[vertex].0];
        steps.iter().any(|(step, _)| self.system.transition(*step).thread == thread)
    }

    fn holds(&self, claim: &Claim, vertex: usize) -> bool {
        match claim {
            Claim::At(thread, lines) => {
                let (state, _) = self.vertex(vertex);
                let point = self.system.point(usize::from(*thread), state.points[usize::from(*thread)]);
                lines.contains(&point.span.line)
            }
            Claim::Has(variable, value) => self.vertex(vertex).0.values[variable.0 as usize] == *value,
            Claim::Enabled(thread) => self.is_enabled(vertex, *thread),
            Claim::Not(claim) => !self.holds(claim, vertex),
            Claim::All(claims) => claims.iter().all(|claim| self.holds(claim, vertex)),
            Claim::Any(claims) => claims.iter().any(|claim| self.holds(claim, vertex)),
        }
    }

    /// The vertices of which something is so.
    pub fn set(&self, claim: &Claim) -> Bits {
        self.graph.set((0..self.vertices.len()).filter(|vertex| self.holds(claim, *vertex)))
    }

    /// The pairs of what a scheduler promises, one for each thread.
    pub fn promises(&self, fairness: Fairness) -> Pairs<Bits> {
        let threads = 0..self.system.threads.len() as u16;
        let all = || 0..self.vertices.len();
        let moved = |vertex: usize, thread: u16| self.vertices[vertex].1 == Some(thread);
        match fairness {
            Fairness::None => Vec::new(),
            Fairness::Strong => threads
                .map(|thread| {
                    let enabled = self.graph.set(all().filter(|vertex| self.is_enabled(*vertex, thread)));
                    (enabled, self.graph.set(all().filter(|vertex| moved(*vertex, thread))))
                })
                .collect(),
            Fairness::Weak => threads
                .map(|thread| {
                    let kept = |vertex: &usize| moved(*vertex, thread) || !self.is_enabled(*vertex, thread);
                    (self.graph.set(all()), self.graph.set(all().filter(kept)))
                })
                .collect(),
        }
    }

    /// The pair of a question.
    pub fn asked(&self, question: &Question) -> (Bits, Bits) {
        let none = || self.graph.set([]);
        match question {
            Question::ForEver(claim) => (self.set(&Claim::Not(Box::new(claim.clone()))), none()),
            Question::AgainAndAgain(claim) => (self.graph.set(0..self.vertices.len()), self.set(claim)),
            Question::FinitelyOften(claim) => (self.set(claim), none()),
        }
    }

    /// The machine that looks for runs that a scheduler with this promise allows, and that answer the questions.
    pub fn machine(&self, fairness: Fairness, questions: &[Question], way: Way, options: Options) -> Machine<Graph> {
        crate::streett(Rc::clone(&self.graph), self.objective(fairness, questions), way, options)
    }

    /// All pairs of a promise and questions.
    pub fn objective(&self, fairness: Fairness, questions: &[Question]) -> Pairs<Bits> {
        let mut pairs = self.promises(fairness);
        pairs.extend(questions.iter().map(|question| self.asked(question)));
        pairs
    }

    /// A run from the start that a scheduler with this promise allows, and that answers the questions, if there is one.
    ///
    /// # Errors
    /// [`Paused`] if the budget says so.
    pub fn find(
        &self,
        fairness: Fairness,
        questions: &[Question],
        budget: &mut Budget,
    ) -> Result<Option<Found>, Paused> {
        let pairs = self.objective(fairness, questions);
        let mut machine = self.machine(fairness, questions, Way::Improved, Options::default());
        while machine.advance(budget)?.is_some() {}
        let Some(answer) = machine.answer() else { return Ok(None) };
        let starts = (0..self.vertices.len()).take_while(|vertex| self.vertices[*vertex].1.is_none());
        let mut lassos = starts.filter(|start| answer.winning.contains(*start)).filter_map(|start| {
            let lasso = |component| Lasso::into_component(&self.graph, &pairs, component, start);
            answer.components.iter().filter_map(lasso).min_by_key(|lasso| lasso.stem.len() + lasso.cycle.len())
        });
        Ok(lassos.next().map(|lasso| {
            let way: Vec<usize> = lasso.stem.iter().chain(&lasso.cycle).chain(lasso.cycle.first()).copied().collect();
            let mut steps: Vec<TransitionId> = way.windows(2).filter_map(|pair| self.step(pair[0], pair[1])).collect();
            let cycle = steps.split_off(lasso.stem.len());
            Found { lasso, steps: [steps, cycle] }
        }))
    }

    fn step(&self, from: usize, to: usize) -> Option<TransitionId> {
        let at = self.graph.successors(from).iter().position(|next| *next as usize == to)?;
        self.steps[from].get(at).copied()
    }
}
