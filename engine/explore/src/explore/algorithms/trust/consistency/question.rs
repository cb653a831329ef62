//! What is asked of a graph: whether it stays consistent with one more read.

use super::super::graph::{Base, Ev};

/// A read that is not among the events that are asked about.
#[derive(Clone, Copy)]
pub(in super::super) struct More<'m, const W: usize> {
    /// With its source.
    pub ev: &'m Ev,
    /// What comes before it.
    pub base: &'m Base<W>,
    /// Whether it counts as a write too where it is a read-modify-write.
    pub whole: bool,
}

impl<const W: usize> More<'_, W> {
    /// Whether it counts as a read-modify-write.
    #[inline(always)]
    pub(crate) fn updates(&self) -> bool {
        self.whole && self.ev.writes
    }

    /// The event as what it counts as.
    pub(super) fn event(&self) -> Ev {
        Ev { writes: self.updates(), ..*self.ev }
    }
}

/// Where one more read may come: behind one place and in front of another.
pub(super) type Room = (u64, u64);
