//! Causal maps: which writes a read was offered already.
//!
//! After Chatterjee, Pavlogiannis, Toman: *Value-Centric Dynamic Partial Order Reduction*, OOPSLA 2019, and §3.3 of Toman,
//! *Improved Verification Techniques for Concurrent Systems* (2021). An exploration that adds reads one by one may find the
//! same read open again when more was written. Only writes are then offered that depend on a read that was not there before,
//! since all others were, and what they lead to is explored elsewhere.

use crate::graph::ThreadId;

/// The prefix of a thread whose writes a read was offered; and of a write, the shortest prefix that it lies in: its guard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Prefix {
    /// Nothing, written ⊥⊥.
    #[default]
    Nothing,
    /// What comes before the first read, written ⊥.
    Start,
    /// All up to the read behind this one, which is the event of the thread with this serial number.
    Read(u32),
}

impl Prefix {
    /// The prefix up to the read behind some read, or up to the first one.
    pub fn behind(read: Option<u32>) -> Self {
        read.map_or(Self::Start, Self::Read)
    }
}

/// For the next read of each thread, what it was offered. Of reads that are no thread's next any more nobody asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CausalMap {
    /// A row for each reading thread, with a prefix of each thread, and of the initial writes.
    offered: Vec<Prefix>,
    threads: usize,
}

impl CausalMap {
    /// Nothing was offered to any read.
    pub fn new(threads: usize) -> Self {
        Self { offered: vec![Prefix::Nothing; threads * (threads + 1)], threads }
    }

    fn place(&self, reader: ThreadId, writer: ThreadId) -> usize {
        let column = if writer.is_init() { self.threads } else { writer.index() };
        reader.index() * (self.threads + 1) + column
    }

    /// What the next read of a thread was offered of another one, or of its own.
    pub fn offered(&self, reader: ThreadId, writer: ThreadId) -> Prefix {
        self.offered[self.place(reader, writer)]
    }

    /// Whether a write with this guard is still to be offered to the next read of a thread.
    pub fn is_new(&self, reader: ThreadId, writer: ThreadId, guard: Prefix) -> bool {
        self.offered(reader, writer) < guard
    }

    /// Notes that all was offered to the next read of a thread that is there: of each thread a prefix.
    pub fn offer(&mut self, reader: ThreadId, prefix: impl Fn(ThreadId) -> Prefix) {
        for writer in (0..self.threads).map(|thread| ThreadId(thread as u16)) {
            let place = self.place(reader, writer);
            self.offered[place] = prefix(writer);
        }
        let place = self.place(reader, ThreadId::INIT);
        self.offered[place] = Prefix::Start;
    }

    /// Notes that a thread has another next read, which was offered nothing.
    pub fn forget(&mut self, reader: ThreadId) {
        let first = reader.index() * (self.threads + 1);
        self.offered[first..=first + self.threads].fill(Prefix::Nothing);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The candidate writes of the thesis' Figure 3.5: of x, `e1` by the first thread, `e3` and `e5` by the second, which
    /// reads with `e4` between them, `e7` and `e9` by the third, which reads with `e6` before them and `e8` between them.
    #[test]
    fn candidates_are_those_of_print() {
        let [first, second, third] = [0, 1, 2].map(ThreadId);
        // In the second thread, e2 to e5 have the numbers 1 to 4; in the third, e6 to e9 have 1 to 4.
        let writes = [
            ("e1", first, Prefix::Start),
            ("e3", second, Prefix::Start),
            ("e5", second, Prefix::Read(3)),
            ("e7", third, Prefix::Read(1)),
            ("e9", third, Prefix::Read(3)),
        ];
        let candidates = |map: &CausalMap, reader| -> Vec<&str> {
            let new = writes.iter().filter(|(_, writer, guard)| map.is_new(reader, *writer, *guard));
            new.map(|(name, ..)| *name).collect()
        };
        let mut map = CausalMap::new(3);
        assert_eq!(candidates(&map, third), ["e1", "e3", "e5", "e7", "e9"]);
        // When e8 and e9 were not there.
        map.offer(first, |writer| match writer.0 {
            0 => Prefix::Start,
            1 => Prefix::Read(3),
            _ => Prefix::Read(1),
        });
        assert_eq!(candidates(&map, first), ["e9"]);
        assert!(!map.is_new(first, ThreadId::INIT, Prefix::Start));
        map.forget(first);
        assert_eq!(map, CausalMap::new(3));
    }
}
