//! Places where SC events have to be in an order: a co and an order that agrees with psc, kept while a graph grows.
//!
//! In RC11 and RC20, a graph is consistent exactly if there are a co that fits hb and an order of the SC events that psc of this co
//! agrees with. One order of all events says both (`witness.rs`): the writes of each location are in co, and the SC
//! events in an order that agrees with psc. There is one, since a cycle of co and such an order would be one of the SC events alone:
//! from one SC write to the next of a location, co goes the way of psc. Other events may be anywhere.
//!
//! What comes next fits without a search mostly. A write can come last, and so can a fence: nothing has to come behind it. A read leads
//! to the writes behind its source, by fr, and from the fences that it knows of through these to what is SC or known by a
//! fence behind them. So it fits if what it knows of overwrites its source no more than the places say, and all that it would put
//! in front of other SC events is in front of these already. A read-modify-write comes between its source and the next write. If it
//! does not fit, others mostly may change places; else a search finds another order.

use super::super::bits::Bits;
use super::super::graph::{Graph, INIT, Kind, NONE, Slot, is_init};
use super::super::plan::Plan;
use super::super::store::Lists;
use super::extension::PartialOrder;
use super::mend::Mend;
use super::question::{More, Room};
use crate::model::Along;

/// Where a read may come.
struct Wanted<const W: usize> {
    /// What comes before it; or, if it is not SC itself, before what it leads to.
    before: Bits<W>,
    /// What it leads to, of SC events.
    to: Bits<W>,
    /// The writes behind its source.
    later: Bits<W>,
}

/// A set of events in an order.
pub(super) struct Order<'g, const W: usize>
where
    Bits<W>: Lists,
{
    graph: &'g Graph<W>,
    plan: &'g Plan,
    set: &'g Bits<W>,
    /// By slot.
    places: &'g [u64],
}

impl<const W: usize> Order<'_, W>
where
    Bits<W>: Lists,
{
    fn place(&self, slot: Slot) -> u64 {
        if is_init(slot) { 0 } else { self.places[usize::from(slot)] }
    }

    fn first_place(&self, events: &Bits<W>) -> u64 {
        events.iter().map(|slot| self.place(slot)).min().unwrap_or(u64::MAX)
    }

    fn last_place(&self, events: &Bits<W>) -> u64 {
        events.iter().map(|slot| self.place(slot)).max().unwrap_or(0)
    }

    /// Those of some events that come at a place or behind it.
    fn since_place(&self, events: &Bits<W>, place: u64) -> Bits<W> {
        events.filter(|slot| self.place(slot) >= place)
    }

    fn writes(&self, location: u16) -> Bits<W> {
        self.graph.cell(location).writes.and(self.set)
    }

    fn readers_of(&self, writes: &Bits<W>) -> Bits<W> {
        writes.iter().fold(Bits::EMPTY, |all: Bits<W>, write| all.union(self.graph.readers(write))).and(self.set)
    }

    /// Where one more read may come, with its write if it counts as that. It has no porf successors.
    pub(super) fn room(&self, more: More<'_, W>) -> Option<Room> {
        let Wanted { before, to, later } = self.wanted(more)?;
        let (last, end) = (self.last_place(&before), self.first_place(&to));
        if last >= end {
            return None;
        }
        let source = self.place(more.ev.source);
        let mut room = if more.updates() { (source, self.first_place(&later)) } else { (0, u64::MAX) };
        if more.ev.mode.is_sc() {
            room = (room.0.max(last), room.1.min(end));
        }
        (room.0 < room.1).then_some(room)
    }

    /// What one more read wants of the order, perhaps with its write; `None` if it is not consistent with this co.
    fn wanted(&self, more: More<'_, W>) -> Option<Wanted<W>> {
        let More { ev, base, .. } = more;
        let source = self.place(ev.source);
        // What it knows of through its source is in front of that.
        let mut seen = self.graph.writes_seen(self.plan, self.set, ev.location, &base.hb).iter();
        if seen.any(|write| self.place(write) > source) {
            return None;
        }
        let later = self.since_place(&self.writes(ev.location), source.saturating_add(1));
        Some(self.wanted_with(more, later))
    }

    /// The same, the writes behind its source given.
    fn wanted_with(&self, more: More<'_, W>, later: Bits<W>) -> Wanted<W> {
        let (&Self { graph, plan, set, .. }, More { ev, base, .. }) = (self, more);
        let mut wanted = Wanted { before: Bits::EMPTY, to: Bits::EMPTY, later };
        let is_sc = ev.mode.is_sc();
        let hb = graph.hb_of_read(ev, base);
        let fences = hb.and(&graph.sc_fences).and(set);
        if is_sc || !fences.is_empty() {
            let readers = self.readers_of(&later);
            let reached = if plan.along == Along::Shb { later.union(&readers) } else { later };
            wanted.to = reached.and(&graph.sc).union(&graph.fences_behind(&reached));
            wanted.before = fences;
            if plan.along == Along::Scb && !fences.is_empty() {
                wanted.to = wanted.to.union(&graph.fences_behind(&readers));
            }
            wanted.to = wanted.to.and(set);
            if is_sc {
                let earlier = self.in_front(more, &later);
                let before = graph.before_sc_access(plan, ev, base, &hb, &earlier);
                wanted.before = wanted.before.union(&before.and(set));
            }
        }
        wanted
    }

    /// What comes before an SC read, or a read-modify-write, along co and fr, in RC20 along eco.
    fn in_front(&self, more: More<'_, W>, later: &Bits<W>) -> Bits<W> {
        let (ev, with_write) = (more.ev, more.updates());
        if !with_write && (self.plan.along == Along::Scb || is_init(ev.source)) {
            return Bits::EMPTY;
        }
        let writes = self.writes(ev.location).minus(later);
        let mut all = writes.union(self.graph.readers(INIT + ev.location));
        // A read comes behind its source alone, a write behind whoever reads what it replaces.
        for write in writes.iter().filter(|&write| with_write || write != ev.source) {
            all = all.union(self.graph.readers(write));
        }
        all.and(self.set)
    }

    /// What comes before a write at a place along co and fr, where some writes come behind all others of their location.
    fn overwritten_at(&self, location: u16, place: u64, lasts: &Bits<W>) -> Bits<W> {
        let mut all = *self.graph.readers(INIT + location);
        let writes = self.writes(location).minus(lasts);
        for write in writes.iter().filter(|&write| self.place(write) < place) {
            all = all.union(self.graph.readers(write)).with(write);
        }
        all.and(self.set)
    }

    /// What comes before a read of a write along eco.
    fn read_at(&self, source: Slot, lasts: &Bits<W>) -> Bits<W> {
        if is_init(source) {
            return Bits::EMPTY;
        }
        self.overwritten_at(self.graph.event(source).location, self.place(source), lasts).with(source)
    }

    /// What has to come before an event with this co, or where some writes come behind all others of their location; not all that
    /// follows from that, nor what comes before those writes then.
    fn required(&self, slot: Slot, lasts: &Bits<W>) -> Bits<W> {
        let &Self { graph, plan, set, .. } = self;
        let ev = graph.event(slot);
        let mut all: Bits<W> = Bits::EMPTY;
        let place = self.place(slot);
        // Both parts of a read-modify-write stay together.
        let other = match ev.kind {
            Kind::UpdateWrite => Some(ev.previous),
            Kind::UpdateRead => graph.written_with(set, slot),
            _ => None,
        };
        if other.is_some() || ev.kind == Kind::Write {
            all = other.map_or(all, |other| all.with(other));
            let writes = self.writes(ev.location).minus(lasts);
            all = all.union(&writes.filter(|write| self.place(write) < place));
        }
        if !graph.sc.contains(slot) {
            return all;
        }
        all = all.union(&graph.rows[usize::from(slot)].order);
        let mut through_fences: Bits<W> = Bits::EMPTY;
        let through = match ev.kind {
            Kind::Write | Kind::UpdateWrite => self.overwritten_at(ev.location, place, lasts),
            Kind::Read | Kind::UpdateRead if plan.along == Along::Shb && ev.source != NONE => {
                self.read_at(ev.source, lasts)
            }
            Kind::Fence => {
                let mut overwritten: Bits<W> = Bits::EMPTY;
                for access in graph.hb_with(slot).and(set).iter() {
                    let ev = graph.event(access);
                    match ev.kind {
                        Kind::Write | Kind::UpdateWrite => {
                            let before = self.overwritten_at(ev.location, self.place(access), lasts);
                            overwritten = overwritten.union(&before);
                        }
                        Kind::Read | Kind::UpdateRead if ev.source != NONE => {
                            let before = self.read_at(ev.source, lasts);
                            if plan.along == Along::Shb {
                                overwritten = overwritten.union(&before);
                            } else {
                                through_fences = through_fences.union(&before);
                            }
                        }
                        _ => {}
                    }
                }
                overwritten
            }
            _ => Bits::EMPTY,
        };
        all = all.union(&through.and(&graph.sc)).union(&graph.fences_before(&through.union(&through_fences)));
        all.without(slot).and(set)
    }

    /// Lets some events change places so that there is room for one more read, perhaps with its write: what comes before it and is
    /// behind what it leads to comes in front of that, with all that has to come before it in turn.
    pub(super) fn mend(&self, more: More<'_, W>, mend: &mut Mend) -> Option<bool> {
        let Some(wanted) = self.wanted(more) else {
            return self.mend_co(more, mend);
        };
        let Wanted { mut before, mut to, later } = wanted;
        if more.updates() {
            to = to.union(&later);
            if !is_init(more.ev.source) {
                before.insert(more.ev.source);
            }
        }
        let end = self.first_place(&to);
        let (mut moved, mut open): (Bits<W>, _) = (Bits::EMPTY, self.since_place(&before, end));
        while let Some(slot) = open.last() {
            if to.contains(slot) {
                // It leads to what comes before it.
                return None;
            }
            moved.insert(slot);
            open = open.union(&self.since_place(&self.required(slot, &Bits::EMPTY), end)).minus(&moved);
        }
        let rest = self.set.minus(&moved);
        let front = rest.iter().map(|slot| self.place(slot)).filter(|&place| place < end).max().unwrap_or(0);
        mend.order.clear();
        mend.order.extend(self.graph.parts(&moved));
        mend.order.sort_unstable_by_key(|&slot| self.place(slot));
        mend.order.push(NONE);
        mend.room = (front, end);
        mend.found = true;
        Some(true)
    }

    /// The same where the read knows of writes that are behind its source, by another co: these, with all that comes before them in
    /// every co, come in front of the source. The order of the SC events stays as it is.
    fn mend_co(&self, more: More<'_, W>, mend: &mut Mend) -> Option<bool> {
        let (&Self { graph, plan, set, .. }, More { ev, base, .. }) = (self, more);
        let location = ev.location;
        let (top, block) = if is_init(ev.source) { return None } else { graph.block(set, ev.source) };
        let seen = graph.writes_seen(plan, set, location, &base.hb);
        // Nothing comes between a read-modify-write and its source.
        let seen = seen.iter().fold(seen, |all, write| all.union(&graph.block(set, write).1));
        let writes = self.writes(location);
        let moved = graph.before_in_every_co(plan, set, location, seen).union(&seen).and(&writes);
        if is_init(top) || moved.intersects(&block) {
            return None;
        }
        let (start, moved) = (self.place(top), self.since_place(&moved, self.place(top)));
        let (from, to) = self.between(&moved, &block);
        let is_behind = |from: &Bits<W>, to: &Bits<W>| self.last_place(from) < self.first_place(to);
        if !(is_behind(&from[0], &to[0]) && is_behind(&from[1], &to[1])) {
            return None;
        }
        let rest = self.since_place(&writes, start).minus(&moved).minus(&block);
        let later = rest.union(&self.since_place(&block, self.place(ev.source).saturating_add(1)));
        let Wanted { mut before, mut to, later } = self.wanted_with(more, later);
        if more.updates() {
            to = to.union(&later);
            before.insert(ev.source);
        }
        let by_place = |events: Bits<W>| {
            let mut events: Vec<Slot> = events.iter().map(|slot| graph.part(slot)).collect();
            events.sort_unstable_by_key(|&slot| self.place(slot));
            events.dedup();
            events
        };
        // In co, and in the order of the SC events.
        let mut order = PartialOrder::new(graph);
        order.put_in_order(&by_place(graph.sc.and(set)));
        for other in 0..graph.cells.len() as u16 {
            if other != location {
                order.put_in_order(&by_place(self.writes(other)));
                continue;
            }
            let earlier = writes.minus(&moved).minus(&block).minus(&rest);
            let co: Vec<Slot> = [earlier, moved, block, rest].into_iter().flat_map(by_place).collect();
            order.put_in_order(&co);
        }
        to.iter().for_each(|slot| order.put(NONE, graph.part(slot)));
        before.iter().for_each(|slot| order.put(graph.part(slot), NONE));
        let mut rest = by_place(*set);
        rest.push(NONE);
        mend.order = order.linear_extension(rest)?;
        mend.room = (0, u64::MAX);
        mend.found = true;
        Some(true)
    }

    /// What psc orders because some writes come in front of a block of others in co: what is left comes before what is right; twice,
    /// as of `Links` in `orders.rs`.
    fn between(&self, first: &Bits<W>, block: &Bits<W>) -> ([Bits<W>; 2], [Bits<W>; 2]) {
        let &Self { graph, plan, set, .. } = self;
        let from = first.union(&self.readers_of(first));
        let fences = graph.fences_before(&from).and(set);
        let readers = self.readers_of(block);
        let to = if plan.along == Along::Shb { block.union(&readers) } else { *block };
        let behind = to.and(&graph.sc).union(&graph.fences_behind(&to)).and(set);
        if plan.along == Along::Shb {
            return ([from.and(&graph.sc).union(&fences), Bits::EMPTY], [behind, Bits::EMPTY]);
        }
        let through_reads = graph.fences_behind(&readers).and(set);
        ([from.and(&graph.sc).union(&fences), fences], [behind, behind.union(&through_reads)])
    }

    /// Where the events come if a write comes last in co, which has to come before no other write in every co: it, the read-modify-writes
    /// that lead to it, and all that has to come behind them, come behind all others. `None` if that contradicts the rest.
    fn with_last(&self, write: Slot) -> Option<Vec<u64>> {
        let &Self { graph, set, .. } = self;
        let location = graph.event(write).location;
        let (top, block) = graph.block(set, write);
        let later = self.since_place(&self.writes(location), self.place(write)).minus(&block);
        if later.is_empty() {
            return Some(self.places.to_vec());
        }
        if is_init(top) {
            return None;
        }
        let (from, to) = self.between(&later, &block);
        let mut moved = block;
        for (from, to) in from.iter().zip(to) {
            let last = self.last_place(from);
            moved = moved.union(&to.filter(|slot| self.place(slot) <= last));
        }
        let mut events: Vec<Slot> = self.since_place(set, self.first_place(&moved)).iter().collect();
        events.sort_unstable_by_key(|&slot| self.place(slot));
        for &slot in &events {
            if !moved.contains(slot) && self.required(slot, &block).intersects(&moved) {
                moved.insert(slot);
            }
            // Its read has the same place, and may have been looked at.
            let ev = graph.event(slot);
            if ev.kind == Kind::UpdateWrite && moved.contains(slot) {
                moved.insert(ev.previous);
            }
        }
        if moved.intersects(&later.union(&from[0])) {
            return None;
        }
        let (mut places, end) = (self.places.to_vec(), self.last_place(set));
        events.iter().filter(|&&slot| moved.contains(slot)).for_each(|&slot| places[usize::from(slot)] += end);
        Some(places)
    }
}

impl<const W: usize> Graph<W>
where
    Bits<W>: Lists,
{
    /// The order that is kept of a set of events.
    pub(super) fn kept_order<'g>(&'g self, plan: &'g Plan, set: &'g Bits<W>) -> Order<'g, W> {
        Order { graph: self, plan, set, places: self.places.all() }
    }

    /// Whether some writes, each of another location, are last together in some co, as far as that is seen at once: each has to come
    /// before no other write of its location in every co.
    pub(super) fn may_come_last(&self, plan: &Plan, lasts: &[Slot]) -> Option<bool> {
        let mut places = self.places.all().to_vec();
        for &last in lasts {
            let order = Order { graph: self, plan, set: &self.live, places: &places };
            places = order.with_last(last)?;
        }
        // What came last first may have moved since.
        let order = Order { graph: self, plan, set: &self.live, places: &places };
        let is_last = |&last: &Slot| {
            let writes = order.writes(self.event(last).location);
            order.place(last) == order.last_place(&writes)
        };
        lasts.iter().all(is_last).then_some(true)
    }
}
