//! One run of each Mazurkiewicz trace, depth first.
//!
//! Source: source sets with sleep sets (P. Abdulla, S. Aronis, B. Jonsson, K. Sagonas, "Optimal dynamic partial order reduction", POPL
//! 2014), as P. Metzler's thesis (2020), section 3.2 uses it. Deviations: the threads that may come first instead of an event are found
//! without the footprints of events that come after it. A thread that waits is looked at as if its event came next, so that what made it
//! wait is reversed too. Where an event can't come before one that it depends on, as it would wait there, it is tried to have it come
//! before an earlier one.

use super::runs::outcome;
use super::{Event, Finite, Footprint, Interrupt, Outcome, Run, Step};
use litmoscope_core::budget::Budget;
use litmoscope_core::program::Value;
use litmoscope_core::program::system::{State, Successor, TransitionId};
use std::sync::Arc;

/// A set of threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Threads([u64; 4]);

impl Threads {
    fn insert(&mut self, thread: usize) {
        self.0[thread / 64] |= 1 << (thread % 64);
    }

    fn contains(&self, thread: usize) -> bool {
        self.0[thread / 64] >> (thread % 64) & 1 != 0
    }
}

fn join(clock: &mut [u32], other: &[u32]) {
    for (own, other) in clock.iter_mut().zip(other) {
        *own = (*own).max(*other);
    }
}

struct Node {
    state: State,
    /// By thread: what its next event accesses.
    footprints: Vec<Arc<Footprint>>,
    /// Whose events were explored here or in front of it, and would lead to nothing new.
    sleep: Threads,
    backtrack: Threads,
    enabled: Threads,
    /// Somebody was here.
    entered: bool,
    /// Who is explored at the moment, and the steps of it that are yet to be taken.
    current: Option<usize>,
    rest: Vec<Successor>,
    /// By thread of the path: the events before the current one, it included.
    clock: Box<[u32]>,
}

struct Done {
    event: Event,
    transition: TransitionId,
    inputs: Box<[Value]>,
    footprint: Arc<Footprint>,
    clock: Box<[u32]>,
}

impl Done {
    fn is_after(&self, other: &Self) -> bool {
        self.clock[usize::from(other.event.thread)] > other.event.index
    }
}

/// What an exploration has come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// A trace that it has not come to before.
    Trace(Run, Outcome),
    /// All traces are explored that begin with as many events of the first run as was said.
    Exhausted,
}

/// The Mazurkiewicz traces from one state at the start: a run of each, depth first. The traces that begin as the first run does come first,
/// the longer the common beginning the sooner.
///
/// A machine: [`Self::advance`] goes on where it was. It holds one run.
pub struct Exploration<'f, 's> {
    finite: &'f Finite<'s>,
    start: usize,
    nodes: Vec<Node>,
    steps: Vec<Done>,
    /// The threads of the first run, as far as they are given.
    schedule: Vec<u16>,
    descending: bool,
    traces: u64,
    blocked: u64,
    races: u64,
}

impl<'f, 's> Exploration<'f, 's> {
    /// From one of [`Finite::starts`]. The first run has the threads of a schedule, one for each event, as long as they are enabled, and
    /// then always the first one that is.
    ///
    /// # Panics
    /// If there is no such start.
    pub fn new(finite: &'f Finite<'s>, start: usize, schedule: Vec<u16>) -> Self {
        let state = finite.starts()[start].clone();
        let footprints = (0..finite.threads()).map(|thread| Arc::new(finite.footprint(&state, thread))).collect();
        let root = Node::new(state, footprints, Threads::default());
        Self {
            finite,
            start,
            nodes: vec![root],
            steps: Vec::new(),
            schedule,
            descending: true,
            traces: 0,
            blocked: 0,
            races: 0,
        }
    }

    /// How many traces it has come to.
    pub fn traces(&self) -> u64 {
        self.traces
    }

    /// How many runs it has left because all that might come next was explored elsewhere.
    pub fn blocked(&self) -> u64 {
        self.blocked
    }

    /// How many races it has reversed.
    pub fn races(&self) -> u64 {
        self.races
    }

    /// Goes on to the next trace that begins with the first `floor` events of the first run. To be called with the same floor or a lower
    /// one each time. Between two traces it takes time that is quadratic in the length of a run at most, for each step.
    ///
    /// # Errors
    /// [`Interrupt::Paused`] by the budget: to call again goes on. [`SymbolicError`](super::SymbolicError) for a run that is too long.
    pub fn advance(&mut self, floor: usize, budget: &mut Budget) -> Result<Progress, Interrupt> {
        loop {
            budget.count(1 + self.steps.len() as u64 / 8)?;
            let depth = self.steps.len();
            if !self.nodes[depth].entered {
                if let Some(outcome) = self.enter()? {
                    self.traces += 1;
                    return Ok(Progress::Trace(self.run(), outcome));
                }
                continue;
            }
            let node = &mut self.nodes[depth];
            if let (Some(successor), Some(thread)) = (node.rest.pop(), node.current) {
                self.descend(thread, successor);
                continue;
            }
            if let Some(thread) = node.current.take() {
                node.sleep.insert(thread);
            }
            let next = (0..self.finite.threads())
                .find(|&thread| node.backtrack.contains(thread) && !node.sleep.contains(thread));
            if let Some(thread) = next {
                let clock = self.reverse_races(thread)?;
                let node = &mut self.nodes[depth];
                node.rest = self.finite.steps(&node.state, thread)?;
                node.rest.reverse();
                node.clock = clock;
                node.current = Some(thread);
                continue;
            }
            if depth <= floor {
                return Ok(Progress::Exhausted);
            }
            self.nodes.pop();
            self.steps.pop();
        }
    }

    /// Looks at a node for the first time. If the run ends there, says how.
    fn enter(&mut self) -> Result<Option<Outcome>, Interrupt> {
        let depth = self.steps.len();
        let node = &self.nodes[depth];
        let mut enabled = Threads::default();
        let mut waiting = Vec::new();
        for thread in 0..self.finite.threads() {
            if self.finite.is_enabled(&node.state, thread)? {
                enabled.insert(thread);
            } else if self.finite.is_active(&node.state, thread) {
                waiting.push(thread);
            }
        }
        if enabled != Threads::default() {
            self.finite.bound(depth)?;
        }
        for thread in waiting {
            self.reverse_races(thread)?;
        }
        let scheduled = self.schedule.get(depth).map(|thread| usize::from(*thread));
        let scheduled = scheduled.filter(|&thread| self.descending && enabled.contains(thread));
        let node = &mut self.nodes[depth];
        node.entered = true;
        node.enabled = enabled;
        let first = (0..self.finite.threads()).find(|&thread| enabled.contains(thread) && !node.sleep.contains(thread));
        match scheduled.or(first) {
            Some(thread) => node.backtrack.insert(thread),
            None if enabled == Threads::default() => {
                self.descending = false;
                return Ok(Some(outcome(self.finite, &self.run(), false)));
            }
            None => self.blocked += 1,
        }
        Ok(None)
    }

    fn descend(&mut self, thread: usize, successor: Successor) {
        let node = &self.nodes[self.steps.len()];
        let own = node.footprints[thread].clone();
        let mut sleep = Threads::default();
        for other in 0..self.finite.threads() {
            if node.sleep.contains(other) && other != thread && node.footprints[other].is_independent(&own) {
                sleep.insert(other);
            }
        }
        let mut footprints = node.footprints.clone();
        footprints[thread] = Arc::new(self.finite.footprint(&successor.state, thread));
        let event = Event { thread: thread as u16, index: node.clock[thread] - 1 };
        self.steps.push(Done {
            event,
            transition: successor.transition,
            inputs: successor.inputs,
            footprint: own,
            clock: node.clock.clone(),
        });
        self.nodes.push(Node::new(successor.state, footprints, sleep));
    }

    /// Sees to it that the races of a thread's next event are reversed. Gives that event's clock.
    fn reverse_races(&mut self, thread: usize) -> Result<Box<[u32]>, Interrupt> {
        let depth = self.steps.len();
        let last = self.steps.iter().rev().find(|step| usize::from(step.event.thread) == thread);
        let mut clock = last.map_or_else(|| vec![0; self.finite.threads()].into(), |step| step.clock.clone());
        let footprint = self.nodes[depth].footprints[thread].clone();
        // What comes before the event however races end that can be reversed.
        let mut ordered = clock.clone();
        for at in (0..depth).rev() {
            let step = &self.steps[at];
            let is_after = |clock: &[u32]| clock[usize::from(step.event.thread)] > step.event.index;
            if is_after(&ordered) || step.footprint.is_independent(&footprint) {
                continue;
            }
            join(&mut clock, &step.clock);
            // What freed a mutex can't come later; what took it can.
            if self.reverse(at, thread, &footprint)? {
                join(&mut ordered, &self.steps[at].clock);
            }
        }
        clock[thread] += 1;
        Ok(clock)
    }

    /// Sees to it that a thread's next event comes before an earlier one, if it may. Says whether it may.
    fn reverse(&mut self, at: usize, thread: usize, footprint: &Arc<Footprint>) -> Result<bool, Interrupt> {
        self.races += 1;
        let depth = self.steps.len();
        // What comes first then: all that does not come after it.
        let first: Vec<usize> = (at + 1..depth).filter(|&other| !self.steps[other].is_after(&self.steps[at])).collect();
        let last = &self.nodes[depth];
        if self.finite.system().point(thread, last.state.points[thread]).may_block {
            let mut state = self.nodes[at].state.clone();
            for &other in &first {
                let step = &self.steps[other];
                let successors = self.finite.steps(&state, step.event.thread.into())?;
                let same = successors
                    .into_iter()
                    .find(|successor| successor.transition == step.transition && successor.inputs == step.inputs);
                // These do not depend on what is left out, so they are possible.
                let Some(same) = same else { return Ok(false) };
                state = same.state;
            }
            if !self.finite.is_enabled(&state, thread)? {
                return Ok(false);
            }
        }
        let mut initials = Threads::default();
        let mut seen = Threads::default();
        for (place, &other) in first.iter().enumerate() {
            let step = &self.steps[other];
            let own = usize::from(step.event.thread);
            let is_first = !seen.contains(own)
                && first[..place].iter().all(|&before| self.steps[before].footprint.is_independent(&step.footprint));
            seen.insert(own);
            if is_first {
                initials.insert(own);
            }
        }
        if !seen.contains(thread) && first.iter().all(|&before| self.steps[before].footprint.is_independent(footprint))
        {
            initials.insert(thread);
        }
        let node = &mut self.nodes[at];
        let mut chosen = None;
        for other in 0..self.finite.threads() {
            if initials.contains(other) {
                if node.backtrack.contains(other) {
                    return Ok(true);
                }
                chosen = chosen.or(Some(other).filter(|&other| node.enabled.contains(other)));
            }
        }
        match chosen {
            Some(chosen) => node.backtrack.insert(chosen),
            None => node.backtrack = node.enabled,
        }
        Ok(true)
    }

    /// The current run.
    fn run(&self) -> Run {
        let steps = self.steps.iter().enumerate().map(|(at, done)| Step {
            event: done.event,
            transition: done.transition,
            inputs: done.inputs.clone(),
            footprint: (*done.footprint).clone(),
            state: self.nodes[at + 1].state.clone(),
        });
        Run { start: self.start, steps: steps.collect() }
    }
}

impl Node {
    fn new(state: State, footprints: Vec<Arc<Footprint>>, sleep: Threads) -> Self {
        Self {
            state,
            footprints,
            sleep,
            backtrack: Threads::default(),
            enabled: Threads::default(),
            entered: false,
            current: None,
            rest: Vec::new(),
            clock: Box::default(),
        }
    }
}

impl std::fmt::Debug for Exploration<'_, '_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut about = f.debug_struct("Exploration");
        about.field("traces", &self.traces).field("blocked", &self.blocked).field("races", &self.races);
        about.finish_non_exhaustive()
    }
}

/// How many traces there are, from all states at the start together, up to a limit.
///
/// # Errors
/// As [`Exploration::advance`]. What was counted is lost then: this is for programs with few traces.
pub fn count_traces(finite: &Finite<'_>, limit: u64, budget: &mut Budget) -> Result<u64, Interrupt> {
    let mut traces = 0;
    for start in 0..finite.starts().len() {
        let mut exploration = Exploration::new(finite, start, Vec::new());
        while traces < limit && matches!(exploration.advance(0, budget)?, Progress::Trace(..)) {
            traces += 1;
        }
    }
    Ok(traces)
}
