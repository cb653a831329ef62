//! Event-driven programs: whether a trace of handlers with mailboxes is consistent.
//!
//! After chapter 4 of S. Grahn, *Concurrency: Models, Algorithms, and Verification* (Uppsala, 2026), and *Checking Consistency
//! of Event-driven Traces* (APLAS 2025). A [`Trace`] has messages on handlers; each is a get, then reads, writes and posts.
//! po, rf, co and pb are given. In which order a handler took its messages (eo) and in which order they were posted to it
//! (mo) is not.

#[cfg(any(test, feature = "testing"))]
pub mod brute;
mod edges;
mod reduction;
mod sat;
mod solve;
mod text;
mod trace;
mod why;

#[cfg(test)]
mod differential;
#[cfg(test)]
mod tests;

pub use edges::{Edge, Relation, fixed};
pub use reduction::{Formula, FormulaError, MAX_CLAUSES, MAX_VARIABLES, Reduction};
pub use sat::{SatAnswer, SatSearch, SatWitness, decide_by_sat};
pub use solve::{Answer, Node, Order, Outcome, Reason, is_nested, is_ordered_by_po, solve};
pub use text::{begins_trace, highlight_trace, parse_trace, print_trace};
pub use trace::{Event, EventIndex, Handler, HandlerIndex, Kind, LocationIndex, Mailbox, Message, MessageIndex, Trace};
pub use why::{Ordered, Orders, edges_of};
