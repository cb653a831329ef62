//! How far the oracle has come with one question, so that it can stop and go on: by a count of what it has tried.

use crate::budget::{Budget, Halt, Meter};
use std::cell::RefCell;
use std::ops::ControlFlow;

/// Whether the oracle goes on.
pub(super) struct Pace<'a>(Option<RefCell<State<'a>>>);

struct State<'a> {
    meter: Meter<'a>,
    /// How many orders were tried before the last pause.
    known: u64,
    /// How many were tried since the question was asked.
    tried: u64,
    /// What was left of the limit behind the last of them: the way to the next one is gone again after a pause.
    left: u64,
    halt: Option<Halt>,
}

impl<'a> Pace<'a> {
    /// It does, to the end.
    pub fn unlimited() -> Self {
        Self(None)
    }

    /// It goes on behind the first `known` orders, which have spent some of the limit, as far as that and the budget let it.
    pub fn new(known: u64, limit: u64, spent: u64, budget: &'a mut Budget) -> Self {
        let meter = Meter::new(limit, spent, budget);
        let left = meter.left();
        Self(Some(RefCell::new(State { meter, known, tried: 0, left, halt: None })))
    }

    /// How many orders were tried, what was left of the limit behind the last, and what ended the search, if anything did.
    pub fn end(self) -> (u64, u64, Option<Halt>) {
        self.0.map_or((0, u64::MAX, None), |state| {
            let State { tried, left, halt, .. } = state.into_inner();
            (tried, left, halt)
        })
    }

    /// A part of an order was put together.
    pub fn step(&self) -> ControlFlow<()> {
        let Some(state) = &self.0 else { return ControlFlow::Continue(()) };
        let mut state = state.borrow_mut();
        let State { meter, known, tried, halt, .. } = &mut *state;
        // To get to the next order must not use up what is there to try it; and what was tried before is no work of its own.
        let done = if *tried < *known { meter.budget.count(4).map_err(Halt::from) } else { meter.count(4) };
        stop(halt, done)
    }

    /// A whole order is to be tried, which is so much work; unless it was before.
    pub fn attempt(&self, units: u64, attempt: impl FnOnce() -> ControlFlow<()>) -> ControlFlow<()> {
        if let Some(state) = &self.0 {
            let mut state = state.borrow_mut();
            let State { meter, known, tried, left, halt } = &mut *state;
            if *tried < *known {
                meter.budget.allow(units);
                *tried += 1;
                return ControlFlow::Continue(());
            }
            stop(halt, meter.spend(units))?;
            *tried += 1;
            *left = meter.left();
        }
        attempt()
    }
}

fn stop(halt: &mut Option<Halt>, done: Result<(), Halt>) -> ControlFlow<()> {
    match done {
        Ok(()) => ControlFlow::Continue(()),
        Err(why) => {
            *halt = Some(why);
            ControlFlow::Break(())
        }
    }
}
