//! The order of anchors in graphs ([`super::symmetry`]).

use super::bits::Bits;
use super::graph::{Ev, Graph, Kind, NONE, Slot, is_init};
use super::plan::Plan;
use super::store::Lists;

/// An anchor in a graph.
struct Anchored {
    first: Slot,
    /// Its write, if it is a read-modify-write that writes.
    last: Slot,
    /// What an anchor behind it has to be behind or at; [`NONE`] if it waits.
    bound: Slot,
}

impl<const W: usize> Graph<W>
where
    Bits<W>: Lists,
{
    fn anchored(&self, thread: u16, serial: u16) -> Option<Anchored> {
        let own = *self.of_thread(thread);
        let mut parts = own.iter().filter(|&slot| self.event(slot).serial == serial);
        let (one, other) = (parts.next()?, parts.next());
        let is_write = |slot: Slot| matches!(self.event(slot).kind, Kind::Write | Kind::UpdateWrite);
        let (first, last) = match other {
            Some(other) if is_write(one) => (other, one),
            Some(other) => (one, other),
            None => (one, one),
        };
        let bound = if is_write(last) { last } else { self.event(last).source };
        Some(Anchored { first, last, bound })
    }

    /// A porf prefix of an event, closed under the dependency of anchors too.
    #[inline(always)]
    pub(super) fn with_twins(&self, plan: &Plan, ev: &Ev, prefix: Bits<W>) -> Bits<W> {
        if plan.symmetry.is_empty() { prefix } else { self.close_under_twins(plan, ev, prefix) }
    }

    #[cold]
    fn close_under_twins(&self, plan: &Plan, ev: &Ev, mut prefix: Bits<W>) -> Bits<W> {
        loop {
            let before = prefix;
            for (thread, anchor) in plan.symmetry.anchors.iter().enumerate() {
                let Some(anchor) = anchor else { continue };
                let thread = thread as u16;
                let depends = thread == ev.thread && ev.serial >= anchor.serial
                    || self.anchored(thread, anchor.serial).is_some_and(|own| prefix.contains(own.first));
                if depends && let Some(other) = self.anchored(anchor.before, anchor.serial) {
                    prefix = prefix.union(&self.porf_with(other.last));
                }
            }
            if prefix == before {
                return prefix;
            }
        }
    }

    /// What an event has to be behind or at because it is the anchor of its thread; [`NONE`] if it has to wait.
    fn bound(&self, plan: &Plan, ev: &Ev) -> Option<Slot> {
        let anchor = plan.symmetry.anchor(ev.thread).filter(|anchor| anchor.serial == ev.serial)?;
        Some(self.anchored(anchor.before, anchor.serial)?.bound)
    }

    /// Whether the order of anchors lets a read take a source.
    #[inline(always)]
    pub(super) fn admits_source(&self, plan: &Plan, ev: &Ev, source: Slot) -> bool {
        plan.symmetry.is_empty() || source == NONE || self.is_in_order(plan, ev, source)
    }

    /// Whether the order of anchors lets a write come immediately behind another in co.
    #[inline(always)]
    pub(super) fn admits_place(&self, plan: &Plan, ev: &Ev, front: Slot) -> bool {
        plan.symmetry.is_empty() || !plan.tracks_co || self.is_in_order(plan, ev, front)
    }

    #[cold]
    fn is_in_order(&self, plan: &Plan, ev: &Ev, at: Slot) -> bool {
        let Some(bound) = self.bound(plan, ev) else { return true };
        if bound == NONE {
            return false;
        }
        if !plan.tracks_co {
            return at == bound || is_init(bound) || !is_init(at) && self.rows[usize::from(at)].porf.contains(bound);
        }
        let mut write = bound;
        while write != NONE {
            if write == at {
                return true;
            }
            write = self.co_next(write);
        }
        false
    }
}
