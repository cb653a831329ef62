//! Large explorations: on all cores, within bounds, interrupted and gone on with.
//!
//! An exploration that is an [`Exploration`] can be cut into parts ([`crate::explore::Work`]), which threads walk through.
//! A thread that has nothing to do is given the last part of what another one has left; so parts lie beside each other in
//! the order of the tree ([`Parts`]), and what was found in them is put together in that order. The result is the same
//! for every number of threads, to the last position. [`run`] does that.
//!
//! [`checkpoint`] writes the parts down; [`divide`] cuts them for others to explore, and a [`Ledger`] takes what these give back; [`Estimate`] says how large the whole is. What else works on several threads, as the
//! judging of histories and the search of a memory's runs, has them from [`sync`].
//!
//! # How parts keep the result that of one thread
//!
//! - What is found is put together in the order of the parts, and positions count from the start of a part until then.
//! - An error that ends the exploration ends its part and drops those behind it; those before it go on.
//! - With a bound on executions, a walk is told to come back right behind an execution: the last one that can count by what is
//!   known of the parts before, or the one where the part is long enough to be cut. So the walk in the first part that is not
//!   over finds the Nth execution and no more. A part that has gone beyond it, since it was explored beside others, is alone
//!   explored again from its start, once, by one walk. One thread makes no step twice; several threads make those that count
//!   twice at most.
//! - What lies behind the Nth execution counts only if there is no other execution. One walk looks for one in the next 32,768
//!   steps; the answer is that there are more executions, or that there may be.
//! - What a run that was interrupted found behind a gap has no known position; its link leads to the start, and says so.

pub mod checkpoint;
mod divide;
mod estimate;
mod ledger;
mod parts;
mod pool;
mod stepped;
pub mod sync;
mod validate;

pub use divide::{DivideError, divide, explore_part};
pub use estimate::{Estimate, Estimator};
pub use ledger::{Ledger, Taken};
pub use parts::{Part, PartOf, Parts, PartsOf};
pub use pool::{Outcome, RunBounds, Status, run};
pub use stepped::{Stepped, Undivided};
pub use validate::{GraphError, validate_moment};

use crate::budget::{Budget, Paused};
use crate::explore::{Findings, Walk, Work};
use serde::{Deserialize, Serialize};

/// An exploration that walks can be made for.
pub trait Exploration: Sync {
    /// Nothing found yet.
    fn nothing(&self) -> Findings;

    /// A walk through a part; `None` if the exploration has no such part.
    ///
    /// # Errors
    /// [`Paused`] if somebody wants to stop on the way to the part.
    fn walk_within(&self, work: &Work, budget: &mut Budget) -> Result<Option<Box<dyn Walk + '_>>, Paused>;

    /// The same, however long that takes.
    fn walk(&self, work: &Work) -> Option<Box<dyn Walk + '_>> {
        self.walk_within(work, &mut Budget::unlimited()).ok()?
    }
}

/// A work that is not part of the exploration: it comes from another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the parts that are left to explore are not parts of this exploration")]
pub struct Foreign;

/// Why an exploration ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Interruption {
    /// It was given no more time.
    Timeout,
    /// There are more executions than were asked for.
    MaxExecutions,
    /// As many executions were found as were asked for, and none among the next steps: there may be more.
    PerhapsMore,
    /// The random runs that were asked for are over.
    Runs,
    /// It was interrupted from outside.
    Signal,
    /// The system had no more memory.
    Memory,
    /// Parts that others were to explore are not over.
    PartsLeft,
}
