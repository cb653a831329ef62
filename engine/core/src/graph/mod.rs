//! Events, execution graphs and relations over them.

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
