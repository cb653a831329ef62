//! A program under its schedule, step by step and without threads: what the page shows, and what tests go through.
//!
//! Whoever steps chooses among the threads that are permitted. So it is deterministic, and any order that the schedule permits can be had.

use crate::sections::{Lookup, ProgramSchedule};
use litmoscope_core::program::system::{PointKind, State, StateError, Successor, System, TransitionId};

/// What a thread does, or waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lane {
    /// It may do its next event.
    Ready,
    /// It waits for events of the section under way, indices into its events.
    Waits(Vec<usize>),
    /// It waits for the thread that has the branch, which has not taken it yet.
    Branch(u16),
    /// It would be its turn, but what it wants to do is not possible: a lock is not free, an assumption does not hold.
    Blocked,
    /// It wants to do something behind the end of the schedule.
    Departs,
    /// It has run to its end.
    Ended,
    /// It went wrong.
    Wrong,
}

/// A program at some place in its schedule.
#[derive(Clone, Debug)]
pub struct Stepper<'s> {
    system: &'s System,
    schedule: &'s ProgramSchedule,
    state: State,
    lookup: Lookup<'s>,
    /// What was done without asking behind the last step.
    passed: Vec<TransitionId>,
}

impl<'s> Stepper<'s> {
    /// The start of a run from a state, with the schedule at its start.
    pub fn new(system: &'s System, schedule: &'s ProgramSchedule, state: State) -> Self {
        let mut this = Self { system, schedule, state, lookup: Lookup::new(schedule), passed: Vec::new() };
        (0..system.threads.len()).for_each(|thread| this.pass(thread));
        this
    }

    /// The state. Mutexes whose events are dropped keep their values.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The schedule that it keeps to.
    pub fn schedule(&self) -> &'s ProgramSchedule {
        self.schedule
    }

    /// The place in the schedule.
    pub fn lookup(&self) -> &Lookup<'s> {
        &self.lookup
    }

    /// The steps that were made without asking since the last one, or since the start: their events are dropped.
    pub fn passed(&self) -> &[TransitionId] {
        &self.passed
    }

    /// Goes on under another schedule, from one of its nodes: one where all threads are where they are now, and whose label holds
    /// ([`ProgramSchedule::map`]). Whether that is possible: an event of the section under way may not be over, and both schedules have
    /// to drop the same. If not, nothing changes.
    pub fn swap(&mut self, schedule: &'s ProgramSchedule, node: usize) -> bool {
        let may = self.lookup.is_at_node() && self.schedule.dropped == schedule.dropped && node < schedule.nodes.len();
        if may {
            self.schedule = schedule;
            self.lookup = Lookup::at(schedule, node);
        }
        may
    }

    /// Lets a thread go on over points whose events are dropped.
    fn pass(&mut self, thread: usize) {
        while let Some(id) =
            self.schedule.silent(self.system, thread as u16, self.state.points[thread], &self.state.values)
        {
            pass(self.system, id, &mut self.state.values);
            self.state.points[thread] = self.system.transition(id).to;
            self.passed.push(id);
        }
    }

    fn transitions(&self, thread: u16) -> Option<Vec<TransitionId>> {
        let permitted = self.lookup.permitted();
        permitted.into_iter().find(|may| may.thread == thread).map(|may| may.transitions)
    }

    /// The steps that a thread may make next: none if it has to wait. Of several the state's inputs decide. One whose transition is not
    /// permitted departs from the schedule: [`Stepper::step`] refuses it.
    ///
    /// # Errors
    /// If there are too many inputs to try each.
    pub fn steps(&self, thread: u16) -> Result<Vec<Successor>, StateError> {
        match self.lookup.is_free() || self.transitions(thread).is_some() {
            true => self.system.successors(&self.state, thread.into()),
            false => Ok(Vec::new()),
        }
    }

    /// What a thread does, or waits for.
    ///
    /// # Errors
    /// If there are too many inputs to try each.
    pub fn lane(&self, thread: u16) -> Result<Lane, StateError> {
        let point = self.system.point(thread.into(), self.state.points[usize::from(thread)]);
        let is_next = self.lookup.is_free() || self.transitions(thread).is_some();
        let leaving = || &self.schedule.sections[self.schedule.leaving(self.lookup.node())];
        Ok(match point.kind {
            PointKind::Ended => Lane::Ended,
            PointKind::Error(_) => Lane::Wrong,
            PointKind::Event(_) if is_next => match self.steps(thread)?.is_empty() {
                true => Lane::Blocked,
                false => Lane::Ready,
            },
            PointKind::Event(_) if self.lookup.section().is_some() => Lane::Waits(self.lookup.waits(thread)),
            PointKind::Event(_) => match leaving().first() {
                Some(section) => Lane::Branch(section.events[0].thread),
                None => Lane::Departs,
            },
        })
    }

    /// Makes one of the [`Stepper::steps`] of a thread. Whether it is permitted; if not, nothing changes.
    pub fn step(&mut self, thread: u16, step: &Successor) -> bool {
        if !self.lookup.step(thread, step.transition) {
            return false;
        }
        self.state = step.state.clone();
        self.passed.clear();
        self.pass(thread.into());
        true
    }
}

/// Does of a step only what is about registers.
pub(crate) fn pass(system: &System, id: TransitionId, values: &mut [i64]) {
    let transition = system.transition(id);
    let own = transition.assignments.iter().filter(|(variable, _)| variable.0 as usize >= system.shared());
    let new: Vec<_> = own.map(|(variable, term)| (*variable, term.evaluate(values, &[]))).collect();
    transition.forgets.iter().for_each(|variable| values[variable.0 as usize] = 0);
    new.into_iter().for_each(|(variable, value)| values[variable.0 as usize] = value);
}
