//! Event-driven programs: whether a trace of handlers with mailboxes is consistent.
//!
//! After chapter 4 of S. Grahn, *Concurrency: Models, Algorithms, and Verification* (Uppsala, 2026), and *Checking Consistency
//! of Event-driven Traces* (APLAS 2025). A [`Trace`] has messages on handlers; each is a get, then reads, writes and posts.
//! po, rf, co and pb are given. In which order a handler took its messages (eo) and in which order they were posted to it
//! (mo) is not.

mod edges;
mod solve;
#[cfg(test)]
mod tests;
mod trace;

pub use edges::{Edge, Relation, fixed};
pub use solve::{Answer, Node, Order, Outcome, Reason, is_nested, solve};
pub use trace::{Event, EventIndex, Handler, HandlerIndex, Kind, LocationIndex, Mailbox, Message, MessageIndex, Trace};
