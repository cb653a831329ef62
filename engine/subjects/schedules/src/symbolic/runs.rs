//! Interleavings: runs listed one by one, and counted without being listed.

use super::{Event, Finite, Footprint, Interrupt, SymbolicError, TraceGraph};
use litmoscope_core::budget::Budget;
use litmoscope_core::program::Value;
use litmoscope_core::program::system::{State, TransitionId};
use rustc_hash::FxHashMap;

/// A step of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The event.
    pub event: Event,
    /// What was done.
    pub transition: TransitionId,
    /// The inputs that it was given.
    pub inputs: Box<[Value]>,
    /// What it accesses.
    pub footprint: Footprint,
    /// The state behind it.
    pub state: State,
}

/// How a run that goes on no more has come to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// All threads have ended.
    Ended,
    /// Some thread went wrong.
    Error {
        /// At which step first, an index into [`Run::steps`].
        at: usize,
    },
    /// Some thread waits, and none has a step.
    Deadlock,
    /// Some thread has a step, and constraints permit none.
    Stuck,
}

impl Outcome {
    /// Whether it is how runs should end.
    pub fn is_good(self) -> bool {
        self == Self::Ended
    }
}

/// A run from a state at the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// From which, an index into [`Finite::starts`].
    pub start: usize,
    /// What was done, in its order.
    pub steps: Vec<Step>,
}

/// What two runs have in common if they are of one Mazurkiewicz trace: the steps of the least of the runs that differ from them in the
/// order of independent neighbours.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Canonical {
    start: usize,
    steps: Vec<(u16, TransitionId, Box<[Value]>)>,
}

impl Run {
    /// The state in front of a step, or the last one.
    pub fn state<'r>(&'r self, finite: &'r Finite<'_>, step: usize) -> &'r State {
        match step.checked_sub(1) {
            Some(before) => &self.steps[before].state,
            None => &finite.starts()[self.start],
        }
    }

    /// The events, in their order.
    pub fn events(&self) -> impl Iterator<Item = Event> {
        self.steps.iter().map(|step| step.event)
    }

    /// The form that all runs of its Mazurkiewicz trace have: of the events before which all has happened that has to, that of the first
    /// thread comes next. Quadratic.
    pub fn canonical(&self) -> Canonical {
        let mut before: Vec<Vec<usize>> = Vec::new();
        for (at, step) in self.steps.iter().enumerate() {
            let is_before = |other: &Step| {
                other.event.thread == step.event.thread || !other.footprint.is_independent(&step.footprint)
            };
            before.push((0..at).filter(|&other| is_before(&self.steps[other])).collect());
        }
        let mut done = vec![false; self.steps.len()];
        let mut order = Vec::new();
        while order.len() < self.steps.len() {
            let ready = (0..self.steps.len()).filter(|&at| !done[at] && before[at].iter().all(|&other| done[other]));
            let Some(next) = ready.min_by_key(|&at| self.steps[at].event) else { break };
            done[next] = true;
            order.push(next);
        }
        let steps = order.into_iter().map(|at| {
            let step = &self.steps[at];
            (step.event.thread, step.transition, step.inputs.clone())
        });
        Canonical { start: self.start, steps: steps.collect() }
    }
}

/// How a run ends that was here and has no step, or none that is permitted.
pub(super) fn outcome(finite: &Finite<'_>, run: &Run, may_step: bool) -> Outcome {
    let last = run.state(finite, run.steps.len());
    if finite.system().is_error(last) {
        let wrong = |at: &usize| finite.system().is_error(&run.steps[*at].state);
        return Outcome::Error { at: (0..run.steps.len()).find(wrong).unwrap_or(0) };
    }
    if may_step {
        return Outcome::Stuck;
    }
    match (0..finite.threads()).any(|thread| finite.is_active(last, thread)) {
        true => Outcome::Deadlock,
        false => Outcome::Ended,
    }
}

/// How many events each thread has executed.
pub(super) type Executed = Box<[u32]>;

/// What may come next from a configuration.
struct Next {
    steps: Vec<Step>,
    /// There are steps that constraints forbid.
    forbidden: bool,
}

fn next(
    finite: &Finite<'_>,
    graph: Option<&TraceGraph>,
    state: &State,
    executed: &[u32],
) -> Result<Next, SymbolicError> {
    let mut found = Next { steps: Vec::new(), forbidden: false };
    for thread in 0..finite.threads() {
        let successors = finite.steps(state, thread)?;
        if successors.is_empty() {
            continue;
        }
        if graph.is_some_and(|graph| !graph.waits(finite, state, executed, thread).is_empty()) {
            found.forbidden = true;
            continue;
        }
        let event = Event { thread: thread as u16, index: executed[thread] };
        let footprint = finite.footprint(state, thread);
        found.steps.extend(successors.into_iter().map(|successor| Step {
            event,
            transition: successor.transition,
            inputs: successor.inputs,
            footprint: footprint.clone(),
            state: successor.state,
        }));
    }
    Ok(found)
}

/// All runs one by one, from all states at the start: in the order of the starts, and then of the threads of their events. With a graph,
/// only those that it permits.
///
/// A machine: [`Self::advance`] goes on where it was.
#[derive(Debug)]
pub struct Interleavings<'f, 's> {
    finite: &'f Finite<'s>,
    graph: Option<TraceGraph>,
    run: Run,
    executed: Executed,
    /// Behind each step of the run, and at its start: the steps that are yet to be taken, the next one last. `None` where nobody has been.
    stack: Vec<Option<Vec<Step>>>,
}

impl<'f, 's> Interleavings<'f, 's> {
    /// All runs, or those that a graph permits.
    pub fn new(finite: &'f Finite<'s>, graph: Option<TraceGraph>) -> Self {
        let executed = vec![0; finite.threads()].into();
        Self { finite, graph, run: Run { start: 0, steps: Vec::new() }, executed, stack: vec![None] }
    }

    /// The next run, to its end; `None` if there are no more. Linear in the length of the run, besides the steps that are taken for it.
    ///
    /// # Errors
    /// [`Interrupt::Paused`] by the budget: to call again goes on. [`SymbolicError`] for a run that is too long.
    pub fn advance(&mut self, budget: &mut Budget) -> Result<Option<(Run, Outcome)>, Interrupt> {
        loop {
            budget.count(1)?;
            match self.stack.last_mut() {
                None => {
                    if self.run.start + 1 >= self.finite.starts().len() {
                        return Ok(None);
                    }
                    self.run.start += 1;
                    self.stack.push(None);
                }
                Some(Some(steps)) => match steps.pop() {
                    Some(step) => {
                        self.executed[usize::from(step.event.thread)] += 1;
                        self.run.steps.push(step);
                        self.stack.push(None);
                    }
                    None => {
                        self.stack.pop();
                        if let Some(step) = self.run.steps.pop() {
                            self.executed[usize::from(step.event.thread)] -= 1;
                        }
                    }
                },
                Some(unseen) => {
                    let state = self.run.state(self.finite, self.run.steps.len());
                    let mut found = next(self.finite, self.graph.as_ref(), state, &self.executed)?;
                    let is_end = found.steps.is_empty();
                    if !is_end {
                        self.finite.bound(self.run.steps.len())?;
                    }
                    found.steps.reverse();
                    *unseen = Some(found.steps);
                    if is_end {
                        let outcome = outcome(self.finite, &self.run, found.forbidden);
                        return Ok(Some((self.run.clone(), outcome)));
                    }
                }
            }
        }
    }
}

/// As a text: not all numbers of JSON are read with so many digits.
fn in_digits<S: serde::Serializer>(number: &u128, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(number)
}

/// How many runs end how. In JSON the numbers are texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Tally {
    /// In the end of all threads.
    #[serde(serialize_with = "in_digits")]
    pub ended: u128,
    /// In an error.
    #[serde(serialize_with = "in_digits")]
    pub errors: u128,
    /// In a deadlock.
    #[serde(serialize_with = "in_digits")]
    pub deadlocks: u128,
    /// Where constraints permit no step.
    #[serde(serialize_with = "in_digits")]
    pub stuck: u128,
    /// A number is larger than 128 bits hold, and given as the largest that they do.
    pub overflown: bool,
}

impl Tally {
    /// All runs.
    pub fn runs(&self) -> u128 {
        [self.errors, self.deadlocks, self.stuck].into_iter().fold(self.ended, u128::saturating_add)
    }

    /// Whether all end as they should. Of the runs that a graph permits: it is safe, and free of deadlocks, those that it would cause
    /// included.
    pub fn is_good(&self) -> bool {
        self.errors == 0 && self.deadlocks == 0 && self.stuck == 0
    }

    fn add(&mut self, other: &Self) {
        self.overflown |= other.overflown;
        for (own, others) in [
            (&mut self.ended, other.ended),
            (&mut self.errors, other.errors),
            (&mut self.deadlocks, other.deadlocks),
            (&mut self.stuck, other.stuck),
        ] {
            let sum = own.checked_add(others);
            self.overflown |= sum.is_none();
            *own = sum.unwrap_or(u128::MAX);
        }
        self.overflown |= self.runs() == u128::MAX;
    }
}

struct Frame {
    configuration: usize,
    /// The configurations behind it, and how far they are counted.
    next: Vec<(State, Executed)>,
    sum: Tally,
}

/// How many runs there are, and how many end how: exactly, without listing them. Each configuration, a state and how many events each
/// thread has executed, is looked at once, so it takes polynomial time for threads that have little to do with each other.
///
/// A machine: [`Self::advance`] goes on where it was.
pub struct Counting<'f, 's> {
    finite: &'f Finite<'s>,
    graph: Option<TraceGraph>,
    /// By configuration: its number, and what is behind it, once that is known.
    known: FxHashMap<(State, Executed), usize>,
    tallies: Vec<Option<Tally>>,
    stack: Vec<Frame>,
    /// By start that is done.
    done: Vec<Tally>,
}

impl<'f, 's> Counting<'f, 's> {
    /// Of all runs, or of those that a graph permits.
    pub fn new(finite: &'f Finite<'s>, graph: Option<TraceGraph>) -> Self {
        Self { finite, graph, known: FxHashMap::default(), tallies: Vec::new(), stack: Vec::new(), done: Vec::new() }
    }

    /// The numbers, by the start.
    ///
    /// # Errors
    /// [`Interrupt::Paused`] by the budget: to call again goes on. [`SymbolicError`] for a run that is too long, or too many
    /// configurations.
    pub fn advance(&mut self, budget: &mut Budget) -> Result<&[Tally], Interrupt> {
        while self.done.len() < self.finite.starts().len() {
            budget.count(1)?;
            let Some(frame) = self.stack.last_mut() else {
                let state = self.finite.starts()[self.done.len()].clone();
                self.known.clear();
                self.tallies.clear();
                self.enter((state, vec![0; self.finite.threads()].into()))?;
                continue;
            };
            match frame.next.last() {
                Some(next) => match self.known.get(next) {
                    Some(&at) => {
                        // It was entered, so it is done: counts only grow, and nothing comes back to where it was.
                        if let Some(tally) = &self.tallies[at] {
                            frame.sum.add(tally);
                        }
                        frame.next.pop();
                    }
                    None => {
                        let next = next.clone();
                        self.enter(next)?;
                    }
                },
                None => {
                    let (at, sum) = (frame.configuration, frame.sum);
                    self.tallies[at] = Some(sum);
                    self.stack.pop();
                    if self.stack.is_empty() {
                        self.done.push(sum);
                    }
                }
            }
        }
        Ok(&self.done)
    }

    fn enter(&mut self, configuration: (State, Executed)) -> Result<(), Interrupt> {
        let (state, executed) = &configuration;
        let found = next(self.finite, self.graph.as_ref(), state, executed)?;
        if !found.steps.is_empty() {
            self.finite.bound(self.stack.len())?;
        }
        let limit = self.finite.limits().configurations;
        if self.known.len() >= limit {
            return Err(SymbolicError::TooManyConfigurations { limit }.into());
        }
        let mut sum = Tally::default();
        if found.steps.is_empty() {
            let is_active = (0..self.finite.threads()).any(|thread| self.finite.is_active(state, thread));
            let number = match () {
                () if self.finite.system().is_error(state) => &mut sum.errors,
                () if found.forbidden => &mut sum.stuck,
                () if is_active => &mut sum.deadlocks,
                () => &mut sum.ended,
            };
            *number = 1;
        }
        let behind = found.steps.into_iter().map(|step| {
            let mut executed = executed.clone();
            executed[usize::from(step.event.thread)] += 1;
            (step.state, executed)
        });
        let next = behind.collect();
        let at = self.tallies.len();
        self.tallies.push(None);
        self.known.insert(configuration, at);
        self.stack.push(Frame { configuration: at, next, sum });
        Ok(())
    }
}

impl std::fmt::Debug for Counting<'_, '_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Counting").field("done", &self.done).field("known", &self.known.len()).finish_non_exhaustive()
    }
}

/// How many orders threads with so many events each have, if each may go on at any time: the factorial of the sum, by the factorials of the
/// summands. `None` if that is more than 128 bits hold.
pub fn interleavings(events: &[u32]) -> Option<u128> {
    let mut all: u128 = 1;
    let mut total: u128 = 0;
    for &events in events {
        for chosen in 1..=u128::from(events) {
            total += 1;
            // The binomial coefficient grows by a step that divides; common divisors go first, so that only the result has to fit.
            let divisor = gcd(all, chosen);
            let rest = chosen / divisor;
            all = (all / divisor).checked_mul(total / rest)?;
        }
    }
    Some(all)
}

fn gcd(left: u128, right: u128) -> u128 {
    if right == 0 { left } else { gcd(right, left % right) }
}
