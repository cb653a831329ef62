//! RVF-SMC's causal map: which events a read was offered already.
//!
//! After Agarwal, Chatterjee, Pathak, Pavlogiannis, Toman: *Stateless Model Checking under a Reads-Value-From Equivalence*,
//! CAV 2021, §5, and §4.3 of Toman, *Improved Verification Techniques for Concurrent Systems* (2021). An exploration that adds
//! reads one by one may find the same read open again when more was written. Only writes are then offered that were not
//! there before: what the others lead to is explored elsewhere. The map has numbers of events, where that of VC-DPOR has reads.

use crate::graph::{EventKey, ThreadId};
use std::sync::Arc;

/// For the next read of each thread, how many events of each thread it was offered; initial writes as soon as it was offered
/// anything. A copy shares what does not change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedCounts(Vec<Option<Arc<[u32]>>>);

impl OfferedCounts {
    /// Nothing was offered to any read.
    pub fn new(threads: usize) -> Self {
        Self(vec![None; threads])
    }

    /// What the next read of a thread was offered, as numbers of events by thread; `None` if nothing yet: the map is not
    /// defined there.
    pub fn of(&self, reader: ThreadId) -> Option<&[u32]> {
        self.0[reader.index()].as_deref()
    }

    /// Whether a write is still to be offered to the next read of a thread.
    pub fn is_new(&self, reader: ThreadId, write: EventKey) -> bool {
        let Some(counts) = self.of(reader) else { return true };
        !write.thread.is_init() && counts[write.thread.index()] < write.serial
    }

    /// Notes that the next read of a thread was offered all that is there: so many events of each thread.
    pub fn offer(&mut self, reader: ThreadId, counts: Arc<[u32]>) {
        self.0[reader.index()] = Some(counts);
    }

    /// Goes on to the read behind the next one of a thread.
    pub fn go_on(&mut self, reader: ThreadId) {
        self.0[reader.index()] = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_offered_is_not_new() {
        let [reader, other] = [ThreadId(0), ThreadId(1)];
        let initial = EventKey { thread: ThreadId::INIT, serial: 7 };
        let write = |serial| EventKey { thread: other, serial };
        let mut offered = OfferedCounts::new(2);
        assert!(offered.of(reader).is_none());
        assert!(offered.is_new(reader, initial) && offered.is_new(reader, write(1)));
        let before = offered.clone();
        offered.offer(reader, [1, 2].into());
        assert_eq!(offered.of(reader), Some(&[1, 2][..]));
        assert!(!offered.is_new(reader, initial) && !offered.is_new(reader, write(2)));
        assert!(offered.is_new(reader, write(3)) && offered.is_new(other, write(1)));
        assert!(before.is_new(reader, write(1)));
        offered.go_on(reader);
        assert_eq!(offered, before);
    }
}
