//! Event-driven traces: whether handlers with mailboxes can take their messages in some order.
//!
//! After chapter 4 of S. Grahn, *Concurrency: Models, Algorithms, and Verification* (Uppsala, 2026), and *Checking Consistency
//! of Event-driven Traces* (APLAS 2025). A [`Trace`] has messages on handlers; each is a get, then reads, writes and posts.
//! po, rf, co and pb are given. In which order a handler took its messages (eo) and in which order they were posted to it
//! (mo) is not.
//!
//! All that concerns traces is in this crate, from the text to what the page shows:
//!
//! - `trace`: what a trace is; `edges`: what is given in it;
//! - `notation`: its text, read, written and coloured;
//! - `solve`: the procedure, saturation and branching; `why`: the reason of each order; `sat`: a second procedure, by a SAT solver;
//!   `brute`: the oracle of both;
//! - `reduction`, `formula`: why the question is hard: formulas as traces;
//! - `report`: the answer in words and as JSON; `drawing`: the picture; `view`: what the page shows at a step.
//!
//! ```
//! use litmoscope_core::budget::{Budget, Meter};
//! use litmoscope_traces::{parse_trace, solve};
//!
//! let text = "trace\nhandler h queue\ninitial m on h: w x 1; post n\nmessage n on h: r x 1 <- m";
//! let trace = parse_trace(text).expect("it is a trace");
//! let answer = solve(&trace, &mut Meter::unlimited(&mut Budget::unlimited())).expect("nobody stops it");
//! assert!(answer.schedule.is_some(), "its handler can take the messages in some order");
//! ```
#![warn(missing_docs, unreachable_pub)]

#[cfg(any(test, feature = "testing"))]
pub mod brute;
mod drawing;
mod edges;
mod formula;
mod notation;
mod reduction;
mod report;
mod sat;
mod solve;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod trace;
mod view;
mod why;

#[cfg(test)]
mod differential;
#[cfg(test)]
mod tests;

pub use drawing::TraceDrawing;
pub use edges::{Edge, Relation, edges_of, fixed};
pub use formula::formula_text;
pub use notation::{begins_trace, highlight_trace, parse_trace, print_trace};
pub use reduction::{Formula, FormulaError, MAX_CLAUSES, MAX_VARIABLES, Reduction};
pub use report::{TraceAnswer, TraceJson, TraceReport};
pub use sat::{SatAnswer, SatSearch, SatWitness, decide_by_sat};
pub use solve::{Answer, Node, Order, Outcome, Reason, is_nested, is_ordered_by_po, solve};
pub use trace::{Event, EventIndex, Handler, HandlerIndex, Kind, LocationIndex, Mailbox, Message, MessageIndex, Trace};
pub use view::{
    MailboxVerdict, RelationView, RunRow, StepKind, ToldEdges, TraceDeciding, TraceRequest, TraceStepView, TraceView,
};
pub use why::{Ordered, Orders};

// What the floors below have goes by the same names here.
#[cfg(any(test, feature = "testing"))]
use litmoscope_core::random;
use litmoscope_core::{budget, graph, program, sort, syntax, words};
