//! The ends of threads, which what runs behind all threads waits for.
//!
//! Each thread has an object of its own. Its `end` comes behind all that the thread does, and the `join` takes the object over from it.
//! A thread that blocks, is cut or goes wrong never ends, and who waits for it waits for ever.

use super::Library;
use crate::graph::{EventId, Execution};
use crate::program::{Location, Operation};

/// The library of the ends of threads.
#[derive(Clone, Copy, Debug)]
pub struct Ends;

impl Library for Ends {
    fn noun(&self) -> &'static str {
        "thread"
    }

    fn may_follow(&self, operation: Operation, source: Option<Operation>) -> bool {
        operation == Operation::Join && source == Some(Operation::End)
    }

    fn obstacle(&self, _: &Execution, _: Location) -> Option<EventId> {
        None
    }

    fn compete(&self, _: Operation, _: Operation) -> bool {
        false
    }
}
