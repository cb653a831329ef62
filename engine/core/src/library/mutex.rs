//! Mutexes.
//!
//! `lock m` takes the mutex over from the unlock that freed it, or from the initial state, which counts as one; `unlock
//! m` frees it. The mutex is not recursive: a thread that locks it twice waits for itself. (definition 3.7)

use super::Library;
use crate::graph::{EventId, Execution, ThreadId};
use crate::program::{Location, Operation};

/// The library of mutexes.
#[derive(Clone, Copy, Debug)]
pub struct Mutex;

impl Library for Mutex {
    fn noun(&self) -> &'static str {
        "mutex"
    }

    fn may_follow(&self, operation: Operation, source: Option<Operation>) -> bool {
        operation == Operation::Lock && matches!(source, None | Some(Operation::Unlock))
    }

    fn obstacle(&self, graph: &Execution, location: Location) -> Option<EventId> {
        (0..graph.threads()).find_map(|thread| {
            let mut own = graph.thread(ThreadId(thread as u16)).iter().copied().rev();
            let last = own.find(|&e| graph.event(e).location() == Some(location) && !graph.event(e).is_blocked())?;
            (graph.event(last).operation() == Some(Operation::Lock)).then_some(last)
        })
    }

    fn compete(&self, a: Operation, b: Operation) -> bool {
        (a, b) == (Operation::Lock, Operation::Lock)
    }
}
