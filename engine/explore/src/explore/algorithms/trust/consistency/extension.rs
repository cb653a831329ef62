//! Linear extensions: orders of events that agree with what has to come before what.

use super::super::bits::Bits;
use super::super::graph::{Graph, Kind, NONE, Slot};
use super::super::store::{List, Lists};

/// What has to come before what, of the events of a graph and perhaps of a read that is not in it, [`NONE`]. A read-modify-write comes
/// as its read, which its write follows at once.
pub(super) struct PartialOrder<'g, const W: usize>
where
    Bits<W>: Lists,
{
    graph: &'g Graph<W>,
    /// By slot, then of that read: what comes before it, and whether that read does.
    before: Vec<(Bits<W>, bool)>,
}

impl<'g, const W: usize> PartialOrder<'g, W>
where
    Bits<W>: Lists,
{
    pub(super) fn new(graph: &'g Graph<W>) -> Self {
        Self { graph, before: vec![(Bits::EMPTY, false); graph.events.len() + 1] }
    }

    #[inline]
    fn before(&mut self, slot: Slot) -> &mut (Bits<W>, bool) {
        &mut self.before[usize::from(slot).min(self.graph.events.len())]
    }

    /// Puts an event in front of another one.
    #[inline]
    pub(super) fn put(&mut self, first: Slot, second: Slot) {
        let before = self.before(second);
        match first {
            NONE => before.1 = true,
            first => before.0.insert(first),
        }
    }

    /// Puts events of the graph in front of another one.
    #[inline]
    pub(super) fn put_all(&mut self, first: &Bits<W>, second: Slot) {
        let before = &mut self.before(second).0;
        *before = before.union(first);
    }

    /// Puts each of some events in front of the next one.
    pub(super) fn put_in_order(&mut self, events: &[Slot]) {
        events.windows(2).for_each(|pair| self.put(pair[0], pair[1]));
    }

    /// The events of a set but for the writes of read-modify-writes, and perhaps the read, each as soon as it may come. `None` if
    /// there is a cycle.
    pub(super) fn linear_extension(&self, mut rest: Vec<Slot>) -> Option<Vec<Slot>> {
        let graph = self.graph;
        let (mut order, mut done, mut read) = (Vec::with_capacity(rest.len()), Bits::<W>::EMPTY, false);
        while !rest.is_empty() {
            let length = rest.len();
            rest.retain(|&slot| {
                let (events, behind_read) = &self.before[usize::from(slot).min(graph.events.len())];
                if !events.minus(&done).is_empty() || *behind_read && !read {
                    return true;
                }
                order.push(slot);
                if slot == NONE {
                    read = true;
                } else {
                    done.insert(slot);
                    graph.update_of(slot).into_iter().for_each(|write| done.insert(write));
                }
                false
            });
            if rest.len() == length {
                return None;
            }
        }
        Some(order)
    }
}

impl<const W: usize> Graph<W>
where
    Bits<W>: Lists,
{
    /// The events of a set but for the writes of read-modify-writes, which come with their reads.
    #[inline]
    pub(super) fn parts(&self, set: &Bits<W>) -> impl Iterator<Item = Slot> {
        set.iter().filter(|&slot| self.event(slot).kind != Kind::UpdateWrite)
    }
}
