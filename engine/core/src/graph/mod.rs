//! Events, execution graphs and relations over them.
//!
//! po ∪ rf is acyclic in every graph that any explorer shows. All models demand it, and so do the interpreter, which needs the
//! value of a read before it goes on, and the order in which graphs are laid out.

mod calls;
mod event;
mod execution;
mod relation;
mod rounds;

pub use calls::{Call, CallResult, calls};
pub use event::{Event, EventId, EventKey, Label, ThreadId};
pub use execution::{CanonicalExecution, Coherence, Execution};
pub use relation::{Edge, EventSet, Relation, RelationName};
pub use rounds::last_round;
