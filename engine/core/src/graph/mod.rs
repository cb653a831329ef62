//! Events, execution graphs and relations over them.

mod event;
mod execution;
mod relation;

pub use event::{Event, EventId, EventKey, Label, ThreadId};
pub use execution::{CanonicalExecution, Coherence, Execution};
pub use relation::{Edge, EventSet, Relation, RelationName};
