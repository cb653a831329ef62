//! The ends of threads, which what runs behind all threads waits for.
//!
//! Each thread has an object of its own. Its `end` comes behind all that the thread does, and the `join` takes the object over from it.
//! A thread that blocks, is cut or goes wrong never ends, and who waits for it waits for ever.
//!
//! What runs behind all threads is a thread, the last ([`ThreadKind::After`](crate::program::ThreadKind::After)). It reads what
//! it finds, so it has events. Its `join`s and the `end`s of the others are operations of a library as those of mutexes are, on
//! objects of their own behind the program's. So whoever knows how an unlock is ordered with the lock behind it has this order,
//! too: no model, algorithm or oracle has a rule for it, and a thread that blocks is waited for as a mutex is. Nothing else
//! wants the end of a thread, so to wait is no option where it is there. Threads whose ends are told apart are no twins:
//! symmetry reduces nothing then.

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
