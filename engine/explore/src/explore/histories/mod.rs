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
mod intervals;
mod linearize;
mod messages;
mod operations;
#[cfg(test)]
mod tests;
mod time;

pub use clients::{Client, clients, operations_of, with_client};
pub use critical::is_broken_queue;
pub use intervals::history_of;
pub use linearize::linearization;
pub use messages::{causes, worst};
pub use operations::{Done, Operations};
pub use time::{Runs, Timed};

use super::{Algorithm, ExecutionKind, Options, Step};
use crate::graph::{Execution, Label};
use crate::model::Model;
use crate::program::{Code, Program};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

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

/// Which operations returned before another one was called: by operation, the places of those before it, as bits.
pub type Order = Vec<u64>;

/// Why an execution can't be judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unjudged {
    /// More operations than there are bits in an [`Order`].
    #[error("an execution has more than 64 operations: let the threads make fewer calls")]
    Operations,
    /// More states than the limit allows.
    #[error("one execution has more than {0} states: let the threads make fewer calls")]
    States(usize),
    /// There is no machine.
    #[error(
        "orders by time are those of a machine, and there is none for {0}: choose SC, TSO or PSO, or another order"
    )]
    NoMachine(Model),
    /// There are handlers.
    #[error("programs with handlers have no orders by time: choose another order")]
    Handlers,
}

/// How many states a search may meet for one execution.
pub const MAX_STATES: usize = 1 << 20;

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
) -> Result<Option<Order>, Unjudged> {
    match sight {
        Sight::HappensBefore => {
            let order = causes(model, graph, operations);
            Ok(linearization(operations, &order).is_none().then_some(order))
        }
        Sight::Client => worst(model, code, graph, operations),
        Sight::Time => Runs::new(model, graph, MAX_STATES)?.worst(operations),
    }
}

/// An execution with an order that the object does not allow.
#[derive(Clone, Debug)]
pub struct Violating {
    /// The execution.
    pub graph: Execution,
    /// Its operations.
    pub operations: Operations,
    /// The order.
    pub order: Order,
}

/// What was found of a program's object.
#[derive(Clone, Debug, Default)]
pub struct Judged {
    /// How many executions were judged: all that are complete or blocked.
    pub executions: u64,
    /// How many of them have an order that the object does not allow.
    pub violating: u64,
    /// The first of those.
    pub first: Option<Violating>,
    /// A bound cut a thread, so there may be more.
    pub is_bounded: bool,
}

/// Calls `see` with each execution of a program.
///
/// # Panics
/// If the default algorithm has no answer for the program, as for one with handlers.
pub fn each_execution(
    code: &Arc<Code>,
    model: Model,
    options: Options,
    mut see: impl FnMut(&Execution, ExecutionKind) -> Result<(), Unjudged>,
) -> Result<(), Unjudged> {
    // Any that finds each plain execution once would do.
    let explorer = Algorithm::default().explorer(Arc::clone(code), model, options);
    let mut explorer = explorer.expect("the default algorithm knows each model");
    loop {
        match explorer.advance() {
            Step::Execution { kind, .. } => see(explorer.execution(), kind)?,
            Step::Done => return Ok(()),
            _ => {}
        }
    }
}

/// Explores a program under a model and judges one of its objects in each execution, blocked ones with the operations that are pending
/// in them.
///
/// # Errors
/// [`Unjudged`].
///
/// # Panics
/// If there is no such object, or as [`each_execution`].
pub fn explore(
    program: &Program,
    code: &Arc<Code>,
    model: Model,
    options: Options,
    structure: u16,
    sight: Sight,
) -> Result<Judged, Unjudged> {
    let mut judged = Judged::default();
    each_execution(code, model, options, |graph, _| {
        judged.executions += 1;
        judged.is_bounded |= graph.events().any(|(_, event)| matches!(event.label, Label::Bound(_)));
        let operations = Operations::new(program, code, graph, options.limits, structure)?;
        if let Some(order) = judge(model, code, graph, &operations, sight)? {
            judged.violating += 1;
            judged.first.get_or_insert_with(|| Violating { graph: graph.clone(), operations, order });
        }
        Ok(())
    })?;
    Ok(judged)
}
