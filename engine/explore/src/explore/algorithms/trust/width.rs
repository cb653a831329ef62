//! Cores with as much room as their graphs need.

use super::core::{Core, Halt};
use super::graph::INIT;
use super::plan::Plan;
use crate::budget::{Budget, Paused};
use crate::explore::{Counts, Step, Work};
use crate::program::{Limits, MAX_THREADS};

/// Calls something of the core, whatever its width.
macro_rules! with_core {
    ($any:expr, $core:ident => $body:expr) => {
        match $any {
            AnyCore::Small($core) => $body,
            #[cfg(not(target_family = "wasm"))]
            AnyCore::Middle($core) => $body,
            AnyCore::Large($core) => $body,
            #[cfg(not(target_family = "wasm"))]
            AnyCore::Larger($core) => $body,
            #[cfg(not(target_family = "wasm"))]
            AnyCore::Largest($core) => $body,
        }
    };
}
pub(super) use with_core;

/// A core of the next width, made of one.
macro_rules! wider {
    ($any:expr, $core:ident => $wider:expr) => {
        match $any {
            #[cfg(not(target_family = "wasm"))]
            AnyCore::Small($core) => AnyCore::Middle(Box::new($wider)),
            #[cfg(target_family = "wasm")]
            AnyCore::Small($core) => AnyCore::Large(Box::new($wider)),
            #[cfg(not(target_family = "wasm"))]
            AnyCore::Middle($core) => AnyCore::Large(Box::new($wider)),
            #[cfg(not(target_family = "wasm"))]
            AnyCore::Large($core) => AnyCore::Larger(Box::new($wider)),
            #[cfg(not(target_family = "wasm"))]
            AnyCore::Larger($core) => AnyCore::Largest(Box::new($wider)),
            #[cfg(target_family = "wasm")]
            AnyCore::Large(_) => unreachable!("sessions go no further"),
            #[cfg(not(target_family = "wasm"))]
            AnyCore::Largest(_) => unreachable!("a graph has at most so many events, each of at most two parts"),
        }
    };
}

/// A [`Core`] of some width.
#[derive(Clone, Debug)]
pub(super) enum AnyCore {
    Small(Box<Core<1>>),
    /// Not in the page, of which each width would be a fiftieth.
    #[cfg(not(target_family = "wasm"))]
    Middle(Box<Core<4>>),
    Large(Box<Core<36>>),
    /// Not in the page either, whose sessions have no room for such graphs.
    #[cfg(not(target_family = "wasm"))]
    Larger(Box<Core<160>>),
    #[cfg(not(target_family = "wasm"))]
    Largest(Box<Core<{ WIDEST }>>),
}

/// How many words the largest sets of events have.
const WIDEST: usize = if cfg!(target_family = "wasm") { 36 } else { 320 };

/// A read-modify-write is two events, and each thread may end with one more.
pub(super) const fn has_room(words: usize, events: u32) -> bool {
    2 * events as usize + MAX_THREADS <= 64 * words
}

const _: () = assert!(has_room(36, Limits::EVENTS + 1), "there is room for all events that can be stepped through");
const _: () = assert!(cfg!(target_family = "wasm") || has_room(WIDEST, Limits::MAX_EVENTS), "there is room for all");
const _: () = assert!(64 * WIDEST <= INIT as usize, "slots and initial writes are told apart");

impl AnyCore {
    pub(super) fn new(plan: &Plan) -> Self {
        Self::Small(Box::new(Core::new(plan)))
    }

    /// The same at its start, with more room.
    pub(super) fn new_wider(&self, plan: &Plan) -> Self {
        wider!(self, _core => Core::new(plan))
    }

    /// [`Core::resume`].
    pub(super) fn resume(&mut self, plan: &Plan, work: &Work) -> Result<bool, Halt> {
        with_core!(self, core => core.resume(plan, work))
    }

    pub(super) fn counts(&self) -> Counts {
        with_core!(self, core => core.counts)
    }

    /// Does something within a budget.
    pub(super) fn within<R>(&mut self, budget: &mut Budget, act: impl FnOnce(&mut Self) -> R) -> R {
        let swap = |any: &mut Self, budget: &mut Budget| {
            with_core!(any, core => std::mem::swap(&mut core.poser.inquiries.budget, budget));
        };
        swap(self, budget);
        let result = act(self);
        swap(self, budget);
        result
    }

    /// Makes more room. There is enough at last: [`Limits::events`] is at most [`Limits::MAX_EVENTS`].
    pub(super) fn widen(&mut self) {
        // Cloned, as what is behind a reference can't be moved.
        *self = wider!(self, core => core.clone().widen());
    }

    /// A step for who listens, with as much room as it takes.
    pub(super) fn step(&mut self, plan: &Plan, budget: &mut Budget) -> Result<Step, Paused> {
        loop {
            let advance = |core: &mut Self| with_core!(core, core => core.advance::<true>(plan).map(|()| core.step));
            match self.within(budget, advance) {
                Ok(Some(step)) => return Ok(step),
                Ok(None) => {}
                Err(Halt::Full) => self.widen(),
                Err(Halt::Paused) => return Err(Paused),
            }
        }
    }
}
