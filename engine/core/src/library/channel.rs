//! Channels with one place.
//!
//! `send(c, v)` puts v into the channel; it takes the empty place over from the receive that emptied it, or from the
//! initial state. `r := receive(c)` takes the value out of the channel, and takes the full place over from its send. Both
//! wait until they can. So sends and receives alternate, and what is sent is received once, in the order it was sent.
//! Both order memory as an acquire and a release: a receive sees what was done before its send, and a send what was done
//! before the receive that made room for it.

use super::Library;
use crate::graph::{EventId, Execution};
use crate::program::{Location, Operation};

/// The library of channels.
#[derive(Clone, Copy, Debug)]
pub struct Channel;

impl Library for Channel {
    fn noun(&self) -> &'static str {
        "channel"
    }

    fn may_follow(&self, operation: Operation, source: Option<Operation>) -> bool {
        match operation {
            Operation::Send(_) => matches!(source, None | Some(Operation::Receive)),
            Operation::Receive => matches!(source, Some(Operation::Send(_))),
            Operation::Lock | Operation::Unlock | Operation::End | Operation::Join => false,
        }
    }

    fn obstacle(&self, graph: &Execution, location: Location) -> Option<EventId> {
        let taken: Vec<_> = graph.ids().filter_map(|e| graph.source(e)).collect();
        graph.writes(location).find(|write| !graph.event(*write).is_init() && !taken.contains(write))
    }

    fn compete(&self, a: Operation, b: Operation) -> bool {
        matches!((a, b), (Operation::Send(_), Operation::Send(_)) | (Operation::Receive, Operation::Receive))
    }
}
