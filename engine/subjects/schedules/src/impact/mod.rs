//! Iterative IMPACT: lazy abstraction with interpolants, one schedule after the other.
//!
//! The verifier grows an abstract reachability tree. An iteration picks a node and a thread that is not expanded there, and follows one
//! schedule from there on: expand a thread, refute errors by stronger labels, prove that whoever waits need not, until each new
//! leaf is covered without closing an unfair cycle. Then the tree, without what leads to errors and dead ends, is an intermediate
//! result ([`Found`]): schedules under which every run is right and fair. The next iteration adds another schedule. When nothing is
//! left to expand, there is a verdict on all of them.
//!
//! # Two kinds of covering
//! A node is covered *fairly* if no cycle is closed on which a thread is active and never runs; results consist of these. It is
//! covered *plainly* if its states are among those of an older node, whatever cycles that closes; a node that is covered so needs no
//! other threads to be expanded, so the tree is complete some day though a single thread may run for ever.
//!
//! # Deviations from print
//! Source: P. Metzler's thesis (2020), Algorithms 3 and 7. Printed defects, and what is done here:
//!
//! - Whether a thread is enabled is looked at before it is expanded, not when its successor is looked at: a covered successor would never be.
//!   The label of the node where it waits becomes stronger, along the path to it, not the successor's.
//! - Covered nodes are not expanded.
//! - Backtracking keeps what was verified: a node with another thread that goes on is not pruned. Nothing is labelled `false` because it was
//!   abandoned.
//! - The thread that runs next is the one that ran least recently, at the end of a round of a loop ([`Choice`]); round robin may run in a circle
//!   past a thread that waits each time its turn comes.
//! - If a thread was skipped at the coverer for partial-order reduction, and not at the covered node, it is marked at the coverer.
//! - Deadlocks are refuted as errors are: at each node where all active threads may wait, one of them is proven to be enabled, or there is a
//!   counterexample. So `safe` speaks of deadlocks too.
//! - The plain coverings are new.

#[cfg(test)]
mod back_ends;
mod cover;
mod path;
mod results;
mod schedule;
mod steps;
mod symbols;
#[cfg(test)]
mod tests;
mod tree;

pub use steps::{Abandoned, Counterexample, Cover, Found, Limit, Purpose, Step, Verdict, Wrong};
pub use tree::{Look, TreeNode};

use crate::art::NodeId;
use crate::formula::{
    Failure, Formula, Interval, MOST_VALUATIONS, Predicates, Sets, Solver, Store, Symbolic, Variable,
};
use litmoscope_core::budget::{Budget, Paused};
use litmoscope_core::program::system::{PointId, State, States, System, Term, TransitionId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::sync::Arc;
use symbols::Symbols;

/// Which thread runs next at the end of a round of a loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Choice {
    /// The one that ran least recently.
    #[default]
    LeastRecent,
    /// The next one, as printed.
    RoundRobin,
}

/// How a program is verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// Which thread runs next.
    pub choice: Choice,
    /// Skip threads whose steps commute with the one before.
    pub reduction: bool,
    /// How many nodes the tree may have.
    pub nodes: usize,
    /// How many iterations there may be.
    pub iterations: u32,
    /// Units of work of one question.
    pub question: u64,
    /// All schedules are looked at at once, for the verdict alone: no results, plain coverings, the end at the first run that goes
    /// wrong. What others do.
    pub complete: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            choice: Choice::LeastRecent,
            reduction: true,
            nodes: 200_000,
            iterations: u32::MAX,
            question: 1 << 26,
            complete: false,
        }
    }
}

/// What is known of a thread at a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Status {
    /// It was not looked at.
    #[default]
    Fresh,
    /// It is expanded, and enabled whatever the inputs are.
    Usable,
    /// It is expanded, and no schedule uses it.
    Dropped,
    /// It waits.
    Disabled,
}

/// What is known of the point of a node itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Fate {
    /// It was not looked at.
    #[default]
    Fresh,
    /// Nothing is wrong here.
    Fine,
    /// An error or a deadlock.
    Wrong,
}

#[derive(Clone, Debug)]
struct Node<L> {
    above: Option<(u32, TransitionId)>,
    depth: u32,
    points: Box<[PointId]>,
    label: L,
    is_false: bool,
    below: Vec<(TransitionId, u32)>,
    /// By thread.
    threads: Box<[Status]>,
    /// The thread that was expanded first of those that schedules use.
    first: Option<u16>,
    /// The threads that waited when it was their turn.
    waited: Vec<u16>,
    fate: Fate,
    fair: Option<u32>,
    plain: Option<u32>,
    /// Which nodes it covers, some of them no more.
    covers: Vec<u32>,
    /// A state in which some run gets here, if one was met: what does not hold of it need not be asked.
    sample: Option<State>,
}

/// The verifier, which yields steps.
pub struct Verifier<P: Predicates> {
    system: Arc<System>,
    options: Options,
    predicates: P,
    symbols: Symbols,
    initial: P::Predicate,
    nodes: Vec<Node<P::Predicate>>,
    /// The nodes at the same points, the oldest first.
    same: FxHashMap<Box<[PointId]>, Vec<u32>>,
    /// What is to be looked at, the next one last.
    work: Vec<u32>,
    /// Pairs of a node and a thread that partial-order reduction must not skip.
    kept: FxHashSet<(u32, u16)>,
    /// A fair covering was dropped, and the others were not looked at since.
    may_be_unfair: bool,
    /// Steps that were made and not yet yielded.
    steps: VecDeque<Step<P::Predicate>>,
    iteration: u32,
    is_iterating: bool,
    found: Vec<Found>,
    /// Where the new schedule began, and with which thread.
    start: (u32, Option<u16>),
    /// The first node of this iteration.
    first: u32,
    /// The labels of results, as terms.
    plain: FxHashMap<Formula, Arc<Term>>,
    counterexamples: Vec<Counterexample>,
    /// The pairs of a node and a thread of the last result.
    last: FxHashSet<(u32, u16)>,
    /// Some question was given up.
    undecided: bool,
    verdict: Option<Verdict>,
    budget: Budget,
}

/// A solver of values within ranges.
fn solver(ranges: &[Interval]) -> Solver {
    let ranges = ranges.iter().zip(0..).map(|(range, at)| (Variable(at), *range));
    Solver::within(ranges.filter(|(_, range)| *range != Interval::ALL))
}

impl Verifier<Symbolic> {
    /// A verifier at its start, with formulas over all values of 64 bits.
    pub fn symbolic(system: Arc<System>, options: Options) -> Self {
        Self::new(system, options, |store, ranges| Symbolic::new(store, solver(ranges)))
    }
}

/// How many bits all labels may take that are sets.
const MOST_BITS: usize = 1 << 31;
/// How many states are looked at to find ranges.
const MOST_STATES: usize = 1 << 16;

/// Ranges that hold the values of all states that are reached; `None` if there are too many states.
fn reached_ranges(system: &System) -> Option<Vec<Interval>> {
    let states = States::of(system, MOST_STATES).ok()?;
    let mut ranges: Vec<Interval> = Vec::new();
    for state in &states.states {
        if ranges.is_empty() {
            ranges.extend(state.values.iter().map(|value| Interval::new(*value, *value)));
        }
        for (range, value) in ranges.iter_mut().zip(&state.values) {
            *range = range.hull(Interval::new(*value, *value));
        }
    }
    Some(ranges)
}

/// A system as formulas whose variables have few valuations, if ranges are found for that; and the ranges of inputs. No step leaves them: one
/// that would is never reached, so it counts as one that can't be taken.
fn bounded(system: &System, store: &mut Store) -> (Symbols, Vec<Interval>) {
    let mut symbols = Symbols::of(system, store);
    let inputs = symbols.bound_inputs(store);
    let all = symbols.ranges.iter().chain(&inputs);
    let count = all.fold(1_u128, |count, range| count.saturating_mul(range.len()));
    if count > MOST_VALUATIONS as u128
        && let Some(ranges) = reached_ranges(system)
        && ranges.len() == symbols.ranges.len()
    {
        symbols.bound(store, ranges);
    }
    (symbols, inputs)
}

impl Verifier<Sets> {
    /// A verifier at its start, with exact sets of valuations over ranges that are found beforehand: by intervals, or else by looking at all
    /// states, if they are few.
    ///
    /// # Errors
    /// [`Failure::TooManyValuations`].
    pub fn sets(system: Arc<System>, options: Options) -> Result<Self, Failure> {
        let mut store = Store::new();
        let (symbols, inputs) = bounded(&system, &mut store);
        let ranges = symbols.ranges.iter().copied().chain(inputs);
        let predicates = Sets::new(store, ranges.zip(0..).map(|(range, at)| (Variable(at), range)))?;
        let nodes = options.nodes.min(MOST_BITS / predicates.valuations().max(1));
        Ok(Self::with(system, Options { nodes, ..options }, symbols, predicates))
    }
}

impl<P: Predicates> Verifier<P> {
    /// A verifier at its start. `make` makes the back-end. It gets the store of its formulas, and by variable an interval in which the
    /// values are in all states that are reached: that is found beforehand.
    pub fn new(system: Arc<System>, options: Options, make: impl FnOnce(Store, &[Interval]) -> P) -> Self {
        let mut store = Store::new();
        let symbols = Symbols::of(&system, &mut store);
        let predicates = make(store, &symbols.ranges);
        Self::with(system, options, symbols, predicates)
    }

    fn with(system: Arc<System>, options: Options, symbols: Symbols, mut predicates: P) -> Self {
        let all = predicates.truth(true);
        let points: Box<[PointId]> = system.threads.iter().map(|thread| thread.start).collect();
        let mut this = Self {
            options,
            initial: all.clone(),
            symbols,
            nodes: Vec::new(),
            same: FxHashMap::default(),
            work: vec![0],
            kept: FxHashSet::default(),
            may_be_unfair: false,
            steps: VecDeque::new(),
            iteration: 0,
            is_iterating: false,
            found: Vec::new(),
            start: (0, None),
            first: 0,
            plain: FxHashMap::default(),
            counterexamples: Vec::new(),
            last: FxHashSet::default(),
            undecided: false,
            verdict: None,
            budget: Budget::unlimited(),
            predicates,
            system,
        };
        this.add(None, points, all);
        this.work.clear();
        let initial = this.symbols.initial;
        match this.predicate(initial) {
            Some(initial) => this.initial = initial,
            None => this.verdict = Some(Verdict::Bounded(Limit::Undecided)),
        }
        this
    }

    /// The predicate of a formula; `None` if the back-end has none.
    fn predicate(&mut self, formula: Formula) -> Option<P::Predicate> {
        let mut meter = litmoscope_core::budget::Meter::new(self.options.question, 0, &mut self.budget);
        self.predicates.of(formula, &mut meter).ok()
    }

    fn add(&mut self, above: Option<(u32, TransitionId)>, points: Box<[PointId]>, label: P::Predicate) -> u32 {
        let id = self.nodes.len() as u32;
        let depth = above.map_or(0, |(node, _)| self.nodes[node as usize].depth + 1);
        self.same.entry(points.clone()).or_default().push(id);
        self.nodes.push(Node {
            above,
            depth,
            threads: vec![Status::Fresh; points.len()].into(),
            first: None,
            waited: Vec::new(),
            points,
            label,
            is_false: false,
            below: Vec::new(),
            fate: Fate::Fresh,
            fair: None,
            plain: None,
            covers: Vec::new(),
            sample: None,
        });
        let sample = match above {
            None => self.system.initial_states().ok().and_then(|states| states.into_iter().next()),
            Some((above, step)) => self.nodes[above as usize].sample.clone().and_then(|state| {
                let thread = usize::from(self.system.transition(step).thread);
                let successors = self.system.successors(&state, thread).ok()?;
                successors.into_iter().find(|next| next.transition == step).map(|next| next.state)
            }),
        };
        self.nodes[id as usize].sample = sample;
        id
    }

    /// The next step; `None` at the end. What a step does is done when it is yielded, and perhaps what comes right behind it.
    ///
    /// # Errors
    /// [`Paused`] if the budget says so, between two of the verifier's moves.
    pub fn advance(&mut self, budget: &mut Budget) -> Result<Option<Step<P::Predicate>>, Paused> {
        loop {
            if let Some(step) = self.steps.pop_front() {
                return Ok(Some(step));
            }
            if self.verdict.is_some() {
                return Ok(None);
            }
            budget.count(litmoscope_core::budget::LOOK)?;
            self.go_on();
        }
    }

    /// Makes one move.
    fn go_on(&mut self) {
        if self.nodes.len() >= self.options.nodes {
            return self.end(Verdict::Bounded(Limit::Nodes));
        }
        if let Some(node) = self.work.pop() {
            return self.look_at(node);
        }
        if std::mem::take(&mut self.may_be_unfair) {
            return self.drop_unfair();
        }
        if self.is_iterating {
            self.is_iterating = false;
            return self.publish();
        }
        if self.iteration >= self.options.iterations {
            return self.end(Verdict::Bounded(Limit::Iterations));
        }
        let Some((node, thread)) = self.next_start() else {
            let verdict = self.judge();
            return self.end(verdict);
        };
        self.iteration += 1;
        self.is_iterating = true;
        self.start = (node, thread);
        self.first = self.nodes.len() as u32;
        self.steps.push_back(Step::Start { node: NodeId(node), thread });
        match thread {
            None => self.work.push(node),
            Some(thread) => {
                if !self.expand(node, thread) {
                    self.settle(node);
                }
            }
        }
    }

    /// Expands all threads at a node that have to be, unless it is covered.
    fn expand_all(&mut self, node: u32) {
        if self.nodes[node as usize].plain.is_some() || !self.is_relevant(node) {
            return;
        }
        for thread in self.preferred(node) {
            if !self.may_skip(node, thread) {
                self.expand(node, thread);
            }
        }
    }

    fn end(&mut self, verdict: Verdict) {
        self.verdict = Some(verdict);
        self.steps.push_back(Step::Verdict(verdict));
    }

    /// Looks at a new leaf, or one that is covered no more.
    fn look_at(&mut self, node: u32) {
        let this = &self.nodes[node as usize];
        if this.is_false || this.fair.is_some() || this.fate == Fate::Wrong {
            return;
        }
        if this.fate == Fate::Fresh {
            if self.is_error(node) {
                return self.refine(node);
            }
            if !self.refute_deadlock(node) {
                return;
            }
            self.nodes[node as usize].fate = Fate::Fine;
        }
        self.cover_plainly(node);
        if self.options.complete {
            return self.expand_all(node);
        }
        if self.cover_fairly(node) || !self.is_active(node) {
            return;
        }
        if self.nodes[node as usize].threads.contains(&Status::Usable) {
            return;
        }
        for thread in self.preferred(node) {
            if self.expand(node, thread) {
                return;
            }
        }
        self.settle(node);
    }

    fn is_error(&self, node: u32) -> bool {
        let points = &self.nodes[node as usize].points;
        points.iter().enumerate().any(|(thread, point)| self.system.point(thread, *point).is_error())
    }

    fn is_active(&self, node: u32) -> bool {
        let points = &self.nodes[node as usize].points;
        points.iter().enumerate().any(|(thread, point)| self.system.point(thread, *point).is_active())
    }

    /// The results so far.
    pub fn found(&self) -> &[Found] {
        &self.found
    }

    /// The runs that go wrong, so far.
    pub fn counterexamples(&self) -> &[Counterexample] {
        &self.counterexamples
    }

    /// The verdict, at the end.
    pub fn verdict(&self) -> Option<Verdict> {
        self.verdict
    }

    /// How many iterations were begun.
    pub fn iterations(&self) -> u32 {
        self.iteration
    }

    /// How many nodes the tree has.
    pub fn size(&self) -> usize {
        self.nodes.len()
    }

    /// The points, the label and the fair and plain coverer of a node.
    #[cfg(test)]
    pub(crate) fn node(&self, node: u32) -> (&[PointId], P::Predicate, [Option<u32>; 2]) {
        let node = &self.nodes[node as usize];
        (&node.points, node.label.clone(), [node.fair, node.plain])
    }

    /// Whether partial-order reduction leaves a thread out at a node: its steps commute with the one that led there.
    pub fn skips(&self, node: u32, thread: u16) -> bool {
        (node as usize) < self.nodes.len() && self.may_skip(node, thread)
    }

    /// Units of work that its questions have taken so far.
    pub fn spent(&self) -> u64 {
        self.budget.spent()
    }

    /// The back-end: what its labels say.
    pub fn predicates(&mut self) -> &mut P {
        &mut self.predicates
    }

    /// The system.
    pub fn system(&self) -> &Arc<System> {
        &self.system
    }
}
