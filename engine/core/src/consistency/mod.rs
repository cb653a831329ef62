//! Whether an execution is consistent when only its events and their sources are given: which order of the events explains
//! it, or why none does.
//!
//! The input is an [`AbstractExecution`]: the events of each thread in program order, and for each read the writes that it
//! may take its value from. For SC, TSO and PSO a machine is asked for a run ([`Instance`]): VerifySC, VerifyTSO and
//! VerifyPSO search for one, a closure ([`Closure`]) adds to program order what all runs have in common, and often shows
//! that there is none. The other models are asked as they are for every execution graph ([`crate::model`]).

mod annotated;
mod board;
mod causal;
mod closure;
mod colours;
mod decide;
mod execution;
mod growing;
mod instance;
mod naive;
mod offered;
mod order;
mod pso;
mod sc;
mod search;
mod state;
mod text;
mod tso;
mod witness;

#[cfg(test)]
mod tests;

pub use annotated::{AnnotatedOrder, NotAnnotated};
pub use board::{Board, Candidate};
pub use causal::{CausalMap, Prefix};
pub use closure::{Addition, Closure, ClosureEdge, ClosureEdgeKind, End, Hidden, Rule};
pub use colours::highlight_execution;
pub use decide::{
    ConsistencyAnswer, ConsistencyCase, ConsistencyVerdict, ConsistencyWitness, Run, Settings, Unsupported, Why,
    decide, decide_before,
};
pub use execution::{AbstractExecution, Block};
pub use growing::{Access, GrowingOrder, OrderMark};
pub use instance::{Flaw, Instance, Machine, Node, NodeId, Part};
pub use offered::OfferedCounts;
pub use order::Order;
pub use search::{SearchTree, VisitedState};
pub use state::Obstacle;
pub use text::{MAX_EVENTS, begins_execution, execution_text, parse_execution, print_execution};
pub use witness::{Findings, Found, WitnessSearch, find_witness};
