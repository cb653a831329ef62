//! Running a program under a prefix, step by step.

use super::runs::outcome;
use super::{Event, Finite, Outcome, Run, Step, SymbolicError, TraceGraph};
use litmoscope_core::program::system::State;

/// What a thread may do at the moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Its next event may come now. So many inputs are possible for it; 1 if it is given none.
    Free(usize),
    /// Its next event could come, and has to wait for these first.
    Waits(Vec<Event>),
    /// Its next event can't come: the program itself makes it wait.
    Blocked,
    /// It has ended.
    Ended,
    /// It went wrong.
    Wrong,
}

/// Why a step was not made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The thread is not free.
    #[error("thread {0} is not free to go on")]
    NotFree(usize),
    /// There is no such input.
    #[error("there are only {0} inputs to choose from")]
    NoSuchInput(usize),
    /// The other graph is no prefix of the one that is kept to.
    #[error("constraints may only be dropped while a program runs: this is no prefix of what is kept to")]
    NoPrefix,
    /// The program can't be run.
    #[error(transparent)]
    Failed(#[from] SymbolicError),
}

/// A run under constraints, up to somewhere. The constraints are looked at before each event, in the state there.
#[derive(Clone, Debug)]
pub struct Execution<'f, 's> {
    finite: &'f Finite<'s>,
    graph: TraceGraph,
    run: Run,
    executed: Box<[u32]>,
}

impl<'f, 's> Execution<'f, 's> {
    /// In front of the first event, from one of [`Finite::starts`].
    ///
    /// # Panics
    /// If there is no such start.
    pub fn new(finite: &'f Finite<'s>, graph: TraceGraph, start: usize) -> Self {
        assert!(start < finite.starts().len(), "there is no start {start}");
        let executed = vec![0; finite.threads()].into();
        Self { finite, graph, run: Run { start, steps: Vec::new() }, executed }
    }

    /// The state.
    pub fn state(&self) -> &State {
        self.run.state(self.finite, self.run.steps.len())
    }

    /// What was done so far.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// What is kept to.
    pub fn graph(&self) -> &TraceGraph {
        &self.graph
    }

    /// The next event of a thread, if it has one.
    pub fn next(&self, thread: usize) -> Event {
        Event { thread: thread as u16, index: self.executed[thread] }
    }

    /// What a thread may do.
    ///
    /// # Errors
    /// [`SymbolicError::State`] for an input with too many values.
    ///
    /// # Panics
    /// If there is no such thread.
    pub fn standing(&self, thread: usize) -> Result<Standing, SymbolicError> {
        let state = self.state();
        if self.finite.system().point(thread, state.points[thread]).is_error() {
            return Ok(Standing::Wrong);
        }
        if !self.finite.is_active(state, thread) {
            return Ok(Standing::Ended);
        }
        let steps = self.finite.steps(state, thread)?.len();
        if steps == 0 {
            return Ok(Standing::Blocked);
        }
        let waits = self.graph.waits(self.finite, state, &self.executed, thread);
        Ok(if waits.is_empty() { Standing::Free(steps) } else { Standing::Waits(waits) })
    }

    /// Lets a thread go on by one event, with one of its inputs.
    ///
    /// # Errors
    /// [`Refused`] if it is not free, or there is no such input. Nothing has happened then.
    pub fn take(&mut self, thread: usize, input: usize) -> Result<&Step, Refused> {
        match (thread < self.finite.threads()).then(|| self.standing(thread)).transpose()? {
            Some(Standing::Free(steps)) if input < steps => {}
            Some(Standing::Free(steps)) => return Err(Refused::NoSuchInput(steps)),
            _ => return Err(Refused::NotFree(thread)),
        }
        if self.run.steps.len() >= self.finite.limits().events {
            return Err(SymbolicError::TooLong { limit: self.finite.limits().events }.into());
        }
        let successor = self.finite.steps(self.state(), thread)?.swap_remove(input);
        let footprint = self.finite.footprint(self.state(), thread);
        let (transition, inputs, state) = (successor.transition, successor.inputs, successor.state);
        let step = Step { event: self.next(thread), transition, inputs, footprint, state };
        self.executed[thread] += 1;
        self.run.steps.push(step);
        Ok(&self.run.steps[self.run.steps.len() - 1])
    }

    /// Drops constraints, also in the middle of a run.
    ///
    /// # Errors
    /// [`Refused::NoPrefix`] if it is not the same graph or a prefix of it.
    pub fn relax(&mut self, graph: TraceGraph) -> Result<(), Refused> {
        if graph != self.graph && !graph.is_prefix_of(&self.graph) {
            return Err(Refused::NoPrefix);
        }
        self.graph = graph;
        Ok(())
    }

    /// How the run has ended; `None` if it goes on. A run in which a thread went wrong ends.
    ///
    /// # Errors
    /// As [`Self::standing`].
    pub fn outcome(&self) -> Result<Option<Outcome>, SymbolicError> {
        let mut waits = false;
        for thread in 0..self.finite.threads() {
            match self.standing(thread)? {
                Standing::Free(_) if !self.finite.system().is_error(self.state()) => return Ok(None),
                Standing::Waits(_) => waits = true,
                _ => {}
            }
        }
        Ok(Some(outcome(self.finite, &self.run, waits)))
    }
}
