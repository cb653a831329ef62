//! Histories of real code: whether what the calls of a concurrent object's methods did in an execution can be put in an order that the
//! object allows.
//!
//! An execution is no history yet: which call returned before which other one was made is open. [`Sight`] says what counts; calls and
//! returns are as tight as the first and the last event of an operation. An execution is fine only if every order is that it may have in
//! this sight, so the worst of them is looked for. A call without events may take effect anywhere between the events around it.
//!
//! By messages, after RELINCHE (P. Golovin, M. Kokologiannakis, V. Vafeiadis: *RELINCHE: Automatically Checking Linearizability under
//! Relaxed Memory Consistency*, POPL 2025).

mod clients;
mod critical;
mod explore;
mod intervals;
mod linearize;
mod messages;
mod operations;
mod sync;
#[cfg(test)]
mod tests;
mod threads;
#[cfg(test)]
mod threads_tests;
mod time;

pub use clients::{Client, clients, operations_of, with_client};
pub use critical::is_broken_queue;
pub use explore::{Execution as Explored, Judged, Judging, Violating, each_execution};
pub use intervals::history_of;
pub use linearize::linearization;
pub use messages::{causes, worst};
pub use operations::{Done, Operations};
pub use threads::{judge_clients, judge_executions};
pub use time::{Runs, Timed};

use crate::budget::{Budget, Decision, Paused};
use crate::graph::Execution;
use crate::model::{Inquiry, Model};
use crate::program::Code;
use serde::{Deserialize, Serialize};

/// What says that an operation returned before another one was called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sight {
    /// The program itself: the last event of one happens before the first of the other.
    HappensBefore,
    /// That, and any messages that a client might send between operations.
    #[default]
    Client,
    /// The clock of a run of the machine: SC, TSO and PSO. A write is performed when it enters the store buffer.
    Time,
}

impl Sight {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::HappensBefore, Self::Client, Self::Time];

    /// The name on the command line and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::HappensBefore => "hb",
            Self::Client => "client",
            Self::Time => "time",
        }
    }
}

/// Which operations returned before another one was called: by operation, the places of those before it, as bits.
pub type Order = Vec<u64>;

/// The pairs of an order that do not follow from others: the first returned before the second was called.
pub fn immediate(order: &Order) -> Vec<(usize, usize)> {
    let before = |at: usize| (0..order.len()).filter(move |other| order[at] >> other & 1 == 1);
    let follows = |from: usize, to: usize| before(to).any(|between| order[between] >> from & 1 == 1);
    let pairs = (0..order.len()).flat_map(|to| before(to).map(move |from| (from, to)));
    pairs.filter(|(from, to)| !follows(*from, *to)).collect()
}

/// Why an execution can't be judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unjudged {
    /// More operations than there are bits in an [`Order`].
    #[error("an execution has more than 64 operations: let the threads make fewer calls")]
    Operations,
    /// More states than the limit allows.
    #[error("a search was given up at its limit: --search-limit sets it, and fewer calls need less")]
    Limit,
    /// Somebody wants to stop.
    #[error("it was stopped before there was an answer")]
    Stopped,
    /// There is no machine.
    #[error(
        "orders by time are those of a machine, and there is none for {}: choose SC, TSO or PSO, or another order", .0.title()
    )]
    NoMachine(Model),
    /// There are handlers.
    #[error("programs with handlers have no orders by time: choose another order")]
    Handlers,
}

impl From<Paused> for Unjudged {
    fn from(_: Paused) -> Self {
        Self::Stopped
    }
}

/// How long an execution may be searched.
#[derive(Debug)]
pub struct Search<'b> {
    /// Units of work for each search, as of those for whether a graph is consistent ([`crate::program::Limits::search`]).
    limit: u64,
    budget: &'b mut Budget,
}

/// How many units of work a state of a search counts for, with what is kept of it.
const UNITS_OF_STATE: u64 = 256;

impl<'b> Search<'b> {
    /// Searches of so many units of work each, as long as a budget lasts.
    pub fn new(limit: u64, budget: &'b mut Budget) -> Self {
        Self { limit, budget }
    }

    /// A search has met so many states, and looks at one of a size.
    fn meet(&mut self, states: usize, size: usize) -> Result<(), Unjudged> {
        self.budget.count(UNITS_OF_STATE + size as u64)?;
        if states as u64 > self.limit / UNITS_OF_STATE { Err(Unjudged::Limit) } else { Ok(()) }
    }

    fn is_consistent(&mut self, model: Model, graph: &Execution) -> Result<bool, Unjudged> {
        match model.decide(graph, None, self.limit, &mut Inquiry::default(), self.budget)? {
            Decision::Undecided => Err(Unjudged::Limit),
            decision => Ok(decision.is_yes()),
        }
    }
}

/// An order of an execution's operations that the object does not allow; `None` if it allows each that the execution may have.
///
/// # Errors
/// [`Unjudged`].
pub fn judge(
    model: Model,
    code: &Code,
    graph: &Execution,
    operations: &Operations,
    sight: Sight,
    search: &mut Search,
) -> Result<Option<Order>, Unjudged> {
    match sight {
        Sight::HappensBefore => {
            let order = causes(model, graph, operations);
            Ok(linearization(operations, &order, search)?.is_none().then_some(order))
        }
        Sight::Client => worst(model, code, graph, operations, search),
        Sight::Time => Runs::new(model, graph, search)?.worst(operations, search),
    }
}

/// An order that an execution's operations may have, whether or not the object allows it: by time, that of one of its runs; else what the
/// program itself orders, which every client sees.
///
/// # Errors
/// [`Unjudged`].
pub fn possible(
    model: Model,
    graph: &Execution,
    operations: &Operations,
    sight: Sight,
    search: &mut Search,
) -> Result<Order, Unjudged> {
    match sight {
        Sight::HappensBefore | Sight::Client => Ok(causes(model, graph, operations)),
        Sight::Time => Ok(Runs::new(model, graph, search)?.first(operations)),
    }
}
