//! Places of events in an order, which are taken back with the events.

use super::super::bits::Bits;
use super::events::{NONE, Slot};

/// How far what comes last is behind what came last before. Little in tests, so that no number is left between two now and then.
pub(in super::super) const STRIDE: u64 = if cfg!(test) { 1 << 3 } else { 1 << 32 };

/// The places of a graph's events in an order that is kept while it grows. What the order means is up to who asks whether the graph is
/// consistent; here each event has a number.
#[derive(Clone, Debug)]
pub(in super::super) struct Places<const W: usize> {
    /// By slot. Both events of a read-modify-write have the same.
    at: Vec<u64>,
    /// Nothing is behind it.
    end: u64,
    /// Events without a place.
    pub unplaced: Bits<W>,
    /// The places of others as they were before an event came: the event, the other, its place; at last the end.
    moved: Vec<(Slot, Slot, u64)>,
}

impl<const W: usize> Places<W> {
    pub(crate) const NONE: Self = Self { at: Vec::new(), end: 0, unplaced: Bits::EMPTY, moved: Vec::new() };

    pub(crate) fn copy(&mut self, other: &Self) {
        self.at.clone_from(&other.at);
        self.end = other.end;
        self.unplaced = other.unplaced;
        self.moved.clear();
    }

    pub(crate) fn widen<const V: usize>(&self) -> Places<V> {
        Places { at: self.at.clone(), end: self.end, unplaced: self.unplaced.widen(), moved: self.moved.clone() }
    }

    /// The places by slot.
    #[inline]
    pub(crate) fn all(&self) -> &[u64] {
        &self.at
    }

    #[inline]
    pub(crate) fn grow(&mut self) {
        self.at.push(0);
    }

    /// Takes back what was done for an event.
    #[inline(always)]
    pub(crate) fn take_back(&mut self, slot: Slot) {
        // What had come last comes last no more: else the end would move on forever.
        if !self.unplaced.contains(slot) && self.end > 0 && self.at[usize::from(slot)] == self.end {
            self.end -= STRIDE;
        }
        self.unplaced.remove(slot);
        while let Some(&(owner, other, place)) = self.moved.last()
            && owner == slot
        {
            self.moved.pop();
            match self.at.get_mut(usize::from(other)) {
                Some(at) => *at = place,
                None => self.end = place,
            }
        }
    }

    /// An event that waits is nowhere in particular.
    #[inline]
    pub(crate) fn put_first(&mut self, slot: Slot) {
        self.put(slot, 0);
    }

    #[inline]
    pub(crate) fn put_last(&mut self, slot: Slot) {
        self.end += STRIDE;
        self.put(slot, self.end);
    }

    #[inline]
    pub(crate) fn put(&mut self, slot: Slot, place: u64) {
        self.at[usize::from(slot)] = place;
    }

    /// Notes the place of another event, which is about to change for an event.
    #[inline]
    pub(crate) fn note(&mut self, owner: Slot, other: Slot) {
        self.moved.push((owner, other, self.at[usize::from(other)]));
    }

    /// The end is elsewhere for an event; where it is if that is `None`.
    #[inline]
    pub(crate) fn put_end(&mut self, owner: Slot, end: Option<u64>) {
        self.moved.push((owner, NONE, self.end));
        self.end = end.unwrap_or(self.end);
    }
}
