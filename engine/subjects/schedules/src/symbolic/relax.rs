//! Relaxing a symbolic trace: constraints go away one after another, each once all traces are verified that are possible without it.
//!
//! Source: P. Metzler's thesis (2020), algorithm 4, its verifier. A prefix of a symbolic trace permits all runs that begin as it says, so to
//! drop a constraint is to verify the traces that begin with what is left in front of it. Depth first these are the next ones: the events
//! that go away first come last in the run that the search begins with, and when it has left them behind, they are verified.
//!
//! A constraint is an edge between two threads that does not follow from others. To drop it, its two events leave the prefix, and all that
//! comes after them.
//!
//! Deviations: what is dropped is planned ahead by a [`Strategy`], and planned again where an error forbids a step. When no constraint is
//! left, a prefix may still have events for which those behind it wait; the last step drops these. Constraints that share an event go
//! together, as none of them can go without it.

use super::derive::follow;
use super::{
    Edge, Event, Exploration, Finite, Interrupt, Outcome, Progress, Run, SymbolicError, SymbolicTrace, TraceGraph,
};
use litmoscope_core::budget::Budget;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Which constraint is dropped first, of those that can go alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strategy {
    /// That of the thread that waits least often, so that it soon does not wait at all: few threads wait, often.
    #[default]
    FewWaitOften,
    /// That of the thread that waits most often: many threads wait, rarely.
    ManyWaitRarely,
    /// The one that comes last in the trace.
    LatestFirst,
}

impl Strategy {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::FewWaitOften, Self::ManyWaitRarely, Self::LatestFirst];

    /// What it does, in a few words.
    pub fn words(self) -> &'static str {
        match self {
            Self::FewWaitOften => "few threads wait often",
            Self::ManyWaitRarely => "many threads wait rarely",
            Self::LatestFirst => "the latest constraint first",
        }
    }
}

/// A constraint that can be dropped, with all that goes with it.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The constraint.
    pub constraint: Edge,
    /// The constraints that go, it included.
    pub dropped: Vec<Edge>,
    /// The prefix that is left.
    pub left: TraceGraph,
}

/// The constraints of a prefix that can be dropped: of two of which one takes the other with it, the other one.
pub fn candidates(prefix: &TraceGraph) -> Vec<Candidate> {
    let all: Vec<Candidate> = prefix
        .edges()
        .iter()
        .map(|constraint| {
            let left = prefix.without(constraint.from, constraint.to);
            let dropped = prefix.edges().iter().filter(|edge| !left.edges().contains(edge)).cloned().collect();
            Candidate { constraint: constraint.clone(), dropped, left }
        })
        .collect();
    let is_larger = |one: &Candidate, other: &Candidate| {
        one.left.events().len() > other.left.events().len() && one.left.events().is_superset(other.left.events())
    };
    all.iter().filter(|candidate| !all.iter().any(|other| is_larger(other, candidate))).cloned().collect()
}

/// The traces that begin with a prefix, for all inputs; then those that begin with less of it, and so on.
struct Covered<'f, 's> {
    searches: Vec<Exploration<'f, 's>>,
    /// By level, by start: how many events of the prefix there are.
    floors: Vec<Vec<usize>>,
    level: usize,
    /// The search that is on.
    at: usize,
    /// A run that has to wait within the prefix.
    waits: Option<Run>,
}

impl<'f, 's> Covered<'f, 's> {
    /// Of events in an order, and by level how many of them are looked at, descending.
    fn new(finite: &'f Finite<'s>, order: &[Event], levels: &[usize]) -> Result<Self, SymbolicError> {
        let mut this =
            Self { searches: Vec::new(), floors: vec![Vec::new(); levels.len()], level: 0, at: 0, waits: None };
        for start in 0..finite.starts().len() {
            let (run, is_whole) = follow(finite, start, order)?;
            let executed: BTreeSet<Event> = run.events().collect();
            for (floors, level) in this.floors.iter_mut().zip(levels) {
                floors.push(order[..*level].iter().filter(|event| executed.contains(event)).count());
            }
            let schedule = run.events().map(|event| event.thread).collect();
            this.searches.push(Exploration::new(finite, start, schedule));
            if !is_whole {
                this.waits.get_or_insert(run);
            }
        }
        Ok(this)
    }

    fn advance(&mut self, budget: &mut Budget) -> Result<Progress, Interrupt> {
        if let Some(run) = self.waits.take() {
            return Ok(Progress::Trace(run, Outcome::Deadlock));
        }
        while let Some(search) = self.searches.get_mut(self.at) {
            match search.advance(self.floors[self.level][self.at], budget)? {
                Progress::Exhausted => self.at += 1,
                found => return Ok(found),
            }
        }
        Ok(Progress::Exhausted)
    }

    fn next_level(&mut self) {
        self.level += 1;
        self.at = 0;
    }
}

/// How many traces begin with a prefix of a symbolic trace, so how many have to be verified for it; up to a limit.
///
/// # Errors
/// As [`Relaxation::advance`]. What was counted is lost then.
pub fn count_covered(
    finite: &Finite<'_>,
    trace: &SymbolicTrace,
    prefix: &TraceGraph,
    limit: u64,
    budget: &mut Budget,
) -> Result<u64, Interrupt> {
    let order: Vec<Event> = trace.order.iter().copied().filter(|event| prefix.events().contains(event)).collect();
    let mut covered = Covered::new(finite, &order, &[order.len()])?;
    let mut traces = 0;
    while traces < limit && matches!(covered.advance(budget)?, Progress::Trace(..)) {
        traces += 1;
    }
    Ok(traces)
}

/// The search for a symbolic trace to begin with: the first trace of the first start that is right for all inputs.
pub struct FirstTrace<'f, 's> {
    finite: &'f Finite<'s>,
    exploration: Exploration<'f, 's>,
    tried: Option<(SymbolicTrace, Covered<'f, 's>)>,
}

impl<'f, 's> FirstTrace<'f, 's> {
    /// Begins the search.
    pub fn new(finite: &'f Finite<'s>) -> Self {
        Self { finite, exploration: Exploration::new(finite, 0, Vec::new()), tried: None }
    }

    /// The trace; `None` if no trace is free of errors and deadlocks whatever the inputs are.
    ///
    /// # Errors
    /// [`Interrupt::Paused`] by the budget: to call again goes on. [`SymbolicError`] as [`SymbolicTrace::of`] and [`Exploration::advance`].
    pub fn advance(&mut self, budget: &mut Budget) -> Result<Option<SymbolicTrace>, Interrupt> {
        loop {
            if let Some((trace, covered)) = &mut self.tried {
                match covered.advance(budget)? {
                    Progress::Trace(_, outcome) if outcome.is_good() => continue,
                    Progress::Trace(..) => self.tried = None,
                    Progress::Exhausted => return Ok(Some(trace.clone())),
                }
            }
            match self.exploration.advance(0, budget)? {
                Progress::Trace(run, outcome) if outcome.is_good() => {
                    let trace = SymbolicTrace::of(self.finite, &run)?;
                    let covered = Covered::new(self.finite, &trace.order, &[trace.order.len()])?;
                    self.tried = Some((trace, covered));
                }
                Progress::Trace(..) => {}
                Progress::Exhausted => return Ok(None),
            }
        }
    }
}

impl std::fmt::Debug for FirstTrace<'_, '_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FirstTrace").field("exploration", &self.exploration).finish_non_exhaustive()
    }
}

/// A constraint that has to stay.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    /// The constraint; `None` if it is about the events that nothing but those behind the prefix waits for.
    pub constraint: Option<Edge>,
    /// What would be possible without it.
    pub run: Run,
    /// How that ends.
    pub outcome: Outcome,
}

/// A step of the relaxation that was made.
#[derive(Clone, Debug, PartialEq)]
pub struct Relaxed {
    /// The constraints that were dropped; none for the first step, which verifies the trace itself, and the last, which drops its last
    /// events.
    pub dropped: Vec<Edge>,
    /// How many are left.
    pub constraints: usize,
    /// How many threads still wait for others by these.
    pub waiting: usize,
    /// How many traces are verified with it, of all inputs together.
    pub traces: u64,
}

/// What the relaxation has come to.
#[derive(Clone, Debug, PartialEq)]
pub enum RelaxProgress {
    /// One more trace is verified.
    Verified,
    /// All traces are verified that a smaller prefix permits, which is the admissible one from now on.
    Relaxed(Relaxed),
    /// A constraint stays, as a run without it goes wrong.
    Kept(Kept),
    /// No constraint can be dropped any more.
    Finished,
}

struct Planned {
    constraint: Option<Edge>,
    left: TraceGraph,
}

/// A verifier that relaxes a symbolic trace. Constraints only go away. At each time, [`Self::admissible`] is a prefix under which nothing
/// goes wrong.
///
/// A machine: [`Self::advance`] goes on where it was. Where no error is found, each trace is run once.
pub struct Relaxation<'f, 's> {
    finite: &'f Finite<'s>,
    trace: SymbolicTrace,
    strategy: Strategy,
    admissible: Option<TraceGraph>,
    plan: Vec<Planned>,
    covered: Covered<'f, 's>,
    /// How many traces the current search has come to.
    found: u64,
    verified: u64,
    runs: u64,
    steps: Vec<Relaxed>,
    kept: Vec<Kept>,
    /// The events of prefixes that permit runs that go wrong. So do prefixes with less.
    wrong: Vec<BTreeSet<Event>>,
    finished: bool,
}

impl<'f, 's> Relaxation<'f, 's> {
    /// Of a symbolic trace, of which nothing is verified yet.
    ///
    /// # Errors
    /// [`SymbolicError::InputInside`] if an event is given an input.
    pub fn new(finite: &'f Finite<'s>, trace: SymbolicTrace, strategy: Strategy) -> Result<Self, SymbolicError> {
        let plan = plan(&trace, &trace.graph, strategy, &[]);
        let covered = search(finite, &trace, &plan)?;
        Ok(Self {
            finite,
            trace,
            strategy,
            admissible: None,
            plan,
            covered,
            found: 0,
            verified: 0,
            runs: 0,
            steps: Vec::new(),
            kept: Vec::new(),
            wrong: Vec::new(),
            finished: false,
        })
    }

    /// The symbolic trace that is relaxed.
    pub fn trace(&self) -> &SymbolicTrace {
        &self.trace
    }

    /// The prefix that may be enforced; `None` as long as the trace itself is not verified, or if it goes wrong.
    pub fn admissible(&self) -> Option<&TraceGraph> {
        self.admissible.as_ref()
    }

    /// How many traces are verified, of all inputs together: all that the admissible prefix permits, and those that were found right since,
    /// on the way to the next one.
    pub fn verified(&self) -> u64 {
        self.verified.max(self.found)
    }

    /// How many traces there are, of all inputs together, once all are verified.
    pub fn total(&self) -> Option<u64> {
        let is_all = self.admissible.as_ref().is_some_and(|admissible| admissible.events().is_empty());
        is_all.then_some(self.verified)
    }

    /// How many runs were looked at. More than were verified if an error was found on the way.
    pub fn runs(&self) -> u64 {
        self.runs
    }

    /// The steps so far.
    pub fn steps(&self) -> &[Relaxed] {
        &self.steps
    }

    /// What has to stay, as far as it was tried.
    pub fn kept(&self) -> &[Kept] {
        &self.kept
    }

    /// Whether nothing is left to be done.
    pub fn is_finished(&self) -> bool {
        self.finished
    }

    /// Goes on to the next trace or step.
    ///
    /// # Errors
    /// [`Interrupt::Paused`] by the budget: to call again goes on. [`SymbolicError`] for a run that is too long.
    pub fn advance(&mut self, budget: &mut Budget) -> Result<RelaxProgress, Interrupt> {
        while !self.finished {
            match self.covered.advance(budget)? {
                Progress::Trace(_, outcome) if outcome.is_good() => {
                    self.found += 1;
                    self.runs += 1;
                    if self.found > self.verified {
                        return Ok(RelaxProgress::Verified);
                    }
                }
                Progress::Trace(run, outcome) => {
                    self.runs += 1;
                    return self.keep(run, outcome);
                }
                Progress::Exhausted => {
                    let level = self.covered.level;
                    let planned = &self.plan[level];
                    let is_known = self.admissible.as_ref().is_some_and(|known| *known == planned.left);
                    self.verified = self.verified.max(self.found);
                    let before = self.admissible.replace(planned.left.clone());
                    self.covered.next_level();
                    self.finished = level + 1 == self.plan.len();
                    if is_known {
                        continue;
                    }
                    let dropped = before.into_iter().flat_map(|before| before.edges().to_vec());
                    let step = Relaxed {
                        dropped: dropped.filter(|edge| !planned.left.edges().contains(edge)).collect(),
                        constraints: planned.left.edges().len(),
                        waiting: planned.left.waiting().len(),
                        traces: self.verified,
                    };
                    self.steps.push(step.clone());
                    return Ok(RelaxProgress::Relaxed(step));
                }
            }
        }
        Ok(RelaxProgress::Finished)
    }

    fn keep(&mut self, run: Run, outcome: Outcome) -> Result<RelaxProgress, Interrupt> {
        let planned = &self.plan[self.covered.level];
        let kept = Kept { constraint: planned.constraint.clone(), run, outcome };
        self.kept.push(kept.clone());
        self.wrong.push(planned.left.events().clone());
        match &self.admissible {
            None => self.finished = true,
            Some(admissible) => {
                self.found = 0;
                self.plan = plan(&self.trace, admissible, self.strategy, &self.wrong);
                self.finished = self.plan.len() == 1;
                self.covered = search(self.finite, &self.trace, &self.plan)?;
            }
        }
        Ok(RelaxProgress::Kept(kept))
    }
}

impl std::fmt::Debug for Relaxation<'_, '_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Relaxation").field("steps", &self.steps).field("kept", &self.kept).finish_non_exhaustive()
    }
}

/// What is dropped in which order, if nothing goes wrong: prefixes of each other, the given one first.
fn plan(trace: &SymbolicTrace, from: &TraceGraph, strategy: Strategy, wrong: &[BTreeSet<Event>]) -> Vec<Planned> {
    let is_wrong = |left: &TraceGraph| wrong.iter().any(|wrong| left.events().is_subset(wrong));
    let place = |event: Event| trace.order.iter().position(|other| *other == event);
    let mut plan = vec![Planned { constraint: None, left: from.clone() }];
    let mut left = from.clone();
    loop {
        let often = |edge: &Edge| left.edges().iter().filter(|other| other.to.thread == edge.to.thread).count();
        let key = |candidate: &Candidate| {
            let edge = &candidate.constraint;
            let order = match strategy {
                Strategy::FewWaitOften => often(edge),
                Strategy::ManyWaitRarely => usize::MAX - often(edge),
                Strategy::LatestFirst => 0,
            };
            (order, Reverse(place(edge.to)), Reverse(place(edge.from)))
        };
        let possible = candidates(&left).into_iter().filter(|candidate| !is_wrong(&candidate.left));
        match possible.min_by_key(key) {
            Some(candidate) => {
                left = candidate.left;
                plan.push(Planned { constraint: Some(candidate.constraint), left: left.clone() });
            }
            None => {
                let empty = TraceGraph::default();
                if left.edges().is_empty() && !left.events().is_empty() && !is_wrong(&empty) {
                    plan.push(Planned { constraint: None, left: empty });
                }
                return plan;
            }
        }
    }
}

/// The search that goes through a plan: what is dropped first comes last.
fn search<'f, 's>(
    finite: &'f Finite<'s>,
    trace: &SymbolicTrace,
    plan: &[Planned],
) -> Result<Covered<'f, 's>, SymbolicError> {
    let first = plan.first().map(|planned| planned.left.events());
    let mut order: Vec<Event> =
        trace.order.iter().copied().filter(|event| first.is_some_and(|first| first.contains(event))).collect();
    order.sort_by_key(|event| Reverse(plan.iter().filter(|planned| planned.left.events().contains(event)).count()));
    let levels: Vec<usize> = plan.iter().map(|planned| planned.left.events().len()).collect();
    Covered::new(finite, &order, &levels)
}
