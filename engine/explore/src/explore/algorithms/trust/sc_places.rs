//! Places where SC events have to be in an order: a co and an order that agrees with psc, kept while a graph grows.
//!
//! In RC11 and RC20, a graph is consistent exactly if there are a co that fits hb and an order of the SC events that psc of this co
//! agrees with. One order of all events says both ([`super::witness`]): the writes of each location are in co, and the SC
//! events in an order that agrees with psc. There is one, since a cycle of co and such an order would be one of the SC events alone:
//! from one SC write to the next of a location, co goes the way of psc. Other events may be anywhere.
//!
//! What comes next fits without a search mostly. A write can come last, and so can a fence: nothing has to come behind it. A read leads
//! to the writes behind its source, by fr, and from the fences that it knows of through these to what is SC or known by a
//! fence behind them. So it fits if what it knows of overwrites its source no more than the places say, and all that it would put
//! in front of other SC events is in front of these already. A read-modify-write comes between its source and the next write. If it
//! does not fit, others mostly may change places ([`Graph::mend_in_sc`]); else a search finds another order.

use super::bits::Bits;
use super::consistency::Poser;
use super::graph::{Base, Ev, Graph, INIT, Kind, NONE, Slot, is_init};
use super::mend::Mend;
use super::orders::{Orders, Set, members};
use super::plan::Plan;
use super::saturation::More;
use super::store::{List, Lists};
use super::witness::Room;
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

impl<const W: usize> Graph<W>
where
    Bits<W>: Lists,
{
    /// Where a read of a set of events or one more may come in the order of the others, its source given, with its write if that
    /// comes, too. It has no porf successors.
    pub(super) fn room_in_sc(
        &self,
        plan: &Plan,
        set: &Bits<W>,
        ev: &Ev,
        base: &Base<W>,
        with_write: bool,
    ) -> Option<Room> {
        let Wanted { before, to, later } = self.wanted_in_sc(plan, set, ev, base, with_write)?;
        let (last, end) = (self.last_place(&before), self.first_place(&to));
        if last >= end {
            return None;
        }
        let mut room = if with_write { (self.place(ev.source), self.first_place(&later)) } else { (0, u64::MAX) };
        if ev.mode.is_sc() {
            room = (room.0.max(last), room.1.min(end));
        }
        (room.0 < room.1).then_some(room)
    }

    /// What one more read of a set of events wants of the order; `None` if it is not consistent with this co.
    fn wanted_in_sc(&self, plan: &Plan, set: &Bits<W>, ev: &Ev, base: &Base<W>, with_write: bool) -> Option<Wanted<W>> {
        let source = self.place(ev.source);
        // What it knows of through its source is in front of that.
        let mut seen = self.writes_seen(plan, set, ev.location, &base.hb).iter();
        if seen.any(|write| self.place(write) > source) {
            return None;
        }
        let later = self.since_place(&self.cell(ev.location).writes.and(set), source.saturating_add(1));
        Some(self.wanted_with(plan, set, (ev, base, with_write), later))
    }

    /// The same, the writes behind its source given, and whether its write comes, too.
    fn wanted_with(
        &self,
        plan: &Plan,
        set: &Bits<W>,
        (ev, base, with_write): More<'_, W>,
        later: Bits<W>,
    ) -> Wanted<W> {
        let mut wanted = Wanted { before: Bits::EMPTY, to: Bits::EMPTY, later };
        let is_sc = ev.mode.is_sc();
        let hb = self.hb_of_read(ev, base);
        let fences = hb.and(&self.sc_fences).and(set);
        if is_sc || !fences.is_empty() {
            let readers = self.readers_of(&later).and(set);
            let reached = if plan.along == Along::Shb { later.union(&readers) } else { later };
            wanted.to = reached.and(&self.sc).union(&self.fences_behind(&reached));
            wanted.before = fences;
            if plan.along == Along::Scb && !fences.is_empty() {
                wanted.to = wanted.to.union(&self.fences_behind(&readers));
            }
            wanted.to = wanted.to.and(set);
            if is_sc {
                let earlier = self.in_front(plan, set, ev, with_write, &later);
                wanted.before = wanted.before.union(&self.before_sc_access(plan, ev, base, &hb, &earlier).and(set));
            }
        }
        wanted
    }

    /// What comes before an SC read, or a read-modify-write, along co and fr, in RC20 along eco.
    fn in_front(&self, plan: &Plan, set: &Bits<W>, ev: &Ev, with_write: bool, later: &Bits<W>) -> Bits<W> {
        if !with_write && (plan.along == Along::Scb || is_init(ev.source)) {
            return Bits::EMPTY;
        }
        let writes = self.cell(ev.location).writes.and(set).minus(later);
        let mut all = writes.union(self.readers(INIT + ev.location));
        // A read comes behind its source alone, a write behind whoever reads what it replaces.
        for write in writes.iter().filter(|&write| with_write || write != ev.source) {
            all = all.union(self.readers(write));
        }
        all.and(set)
    }

    fn first_place(&self, events: &Bits<W>) -> u64 {
        events.iter().map(|slot| self.place(slot)).min().unwrap_or(u64::MAX)
    }

    fn last_place(&self, events: &Bits<W>) -> u64 {
        events.iter().map(|slot| self.place(slot)).max().unwrap_or(0)
    }

    fn readers_of(&self, writes: &Bits<W>) -> Bits<W> {
        writes.iter().fold(Bits::EMPTY, |all: Bits<W>, write| all.union(self.readers(write)))
    }

    /// What comes before a write at a place along co and fr.
    fn overwritten_at(&self, set: &Bits<W>, location: u16, place: u64) -> Bits<W> {
        let mut all = *self.readers(INIT + location);
        for write in self.cell(location).writes.and(set).iter().filter(|&write| self.place(write) < place) {
            all = all.union(self.readers(write)).with(write);
        }
        all.and(set)
    }

    /// What comes before a read of a write along eco.
    fn read_at(&self, set: &Bits<W>, source: Slot) -> Bits<W> {
        if is_init(source) {
            return Bits::EMPTY;
        }
        self.overwritten_at(set, self.event(source).location, self.place(source)).with(source)
    }

    /// Lets some events change places so that there is room for one more read, if it takes no other co: what comes before it and is
    /// behind what it leads to comes in front of that, with all that has to come before it in turn.
    pub(super) fn mend_in_sc(
        &self,
        plan: &Plan,
        set: &Bits<W>,
        (ev, base, whole): More<'_, W>,
        mend: &mut Mend,
    ) -> Option<bool> {
        let with_write = whole && ev.writes;
        let Some(wanted) = self.wanted_in_sc(plan, set, ev, base, with_write) else {
            return self.mend_co(plan, set, (ev, base, with_write), mend);
        };
        let Wanted { mut before, mut to, later } = wanted;
        if with_write {
            to = to.union(&later);
            if !is_init(ev.source) {
                before.insert(ev.source);
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
            open = open.union(&self.since_place(&self.required(plan, set, slot), end)).minus(&moved);
        }
        let rest = set.minus(&moved);
        let front = rest.iter().map(|slot| self.place(slot)).filter(|&place| place < end).max().unwrap_or(0);
        mend.order.clear();
        mend.order.extend(moved.iter().filter(|&slot| self.event(slot).kind != Kind::UpdateWrite));
        mend.order.sort_unstable_by_key(|&slot| self.place(slot));
        mend.order.push(NONE);
        mend.room = (front, end);
        mend.found = true;
        Some(true)
    }

    /// The same where the read knows of writes that are behind its source, by another co: these, with all that comes before them in
    /// every co, come in front of the source. The order of the SC events stays as it is.
    fn mend_co(
        &self,
        plan: &Plan,
        set: &Bits<W>,
        (ev, base, with_write): More<'_, W>,
        mend: &mut Mend,
    ) -> Option<bool> {
        let location = ev.location;
        let (top, block) = if is_init(ev.source) { return None } else { self.block(set, ev.source) };
        let seen = self.writes_seen(plan, set, location, &base.hb);
        // Nothing comes between a read-modify-write and its source.
        let seen = seen.iter().fold(seen, |all, write| all.union(&self.block(set, write).1));
        let writes = self.cell(location).writes.and(set);
        let moved = self.before_in_every_co(plan, set, location, seen).union(&seen).and(&writes);
        if is_init(top) || moved.intersects(&block) {
            return None;
        }
        let (start, moved) = (self.place(top), self.since_place(&moved, self.place(top)));
        if !self.keeps_order(plan, set, &moved, &block) {
            return None;
        }
        let rest = self.since_place(&writes, start).minus(&moved).minus(&block);
        let later = rest.union(&self.since_place(&block, self.place(ev.source).saturating_add(1)));
        let Wanted { mut before, mut to, later } = self.wanted_with(plan, set, (ev, base, with_write), later);
        if with_write {
            to = to.union(&later);
            before.insert(ev.source);
        }
        // What comes before each event: in co, and in the order of the SC events.
        let mut rows = vec![(Bits::<W>::EMPTY, false); self.events.len()];
        let mut put_in_order = |events: &[Slot]| {
            for pair in events.windows(2) {
                rows[usize::from(pair[1])].0.insert(pair[0]);
            }
        };
        let by_place = |events: Bits<W>| {
            let mut events: Vec<Slot> = events.iter().map(|slot| self.part(slot)).collect();
            events.sort_unstable_by_key(|&slot| self.place(slot));
            events.dedup();
            events
        };
        put_in_order(&by_place(self.sc.and(set)));
        for (other, cell) in self.cells.iter().enumerate() {
            if other != usize::from(location) {
                put_in_order(&by_place(cell.writes.and(set)));
                continue;
            }
            let earlier = writes.minus(&moved).minus(&block).minus(&rest);
            let co: Vec<Slot> = [earlier, moved, block, rest].into_iter().flat_map(by_place).collect();
            put_in_order(&co);
        }
        to.iter().for_each(|slot| rows[usize::from(self.part(slot))].1 = true);
        let before = before.iter().fold(Bits::EMPTY, |all: Bits<W>, slot| all.with(self.part(slot)));
        let mut rest = by_place(*set);
        rest.push(NONE);
        mend.order.clear();
        let (mut done, mut read) = (Bits::<W>::EMPTY, false);
        while !rest.is_empty() {
            let length = rest.len();
            rest.retain(|&slot| {
                let comes = match slot {
                    NONE => before.minus(&done).is_empty(),
                    slot => {
                        let (events, behind_read) = &rows[usize::from(slot)];
                        events.minus(&done).is_empty() && (read || !behind_read)
                    }
                };
                if comes {
                    mend.order.push(slot);
                    match slot {
                        NONE => read = true,
                        slot => done.insert(slot),
                    }
                }
                !comes
            });
            if rest.len() == length {
                return None;
            }
        }
        mend.room = (0, u64::MAX);
        mend.found = true;
        Some(true)
    }

    /// Whether the order of the SC events still agrees with psc where some writes come in front of a block of others.
    fn keeps_order(&self, plan: &Plan, set: &Bits<W>, first: &Bits<W>, block: &Bits<W>) -> bool {
        let from = first.union(&self.readers_of(first)).and(set);
        let fences = self.fences_before(&from).and(set);
        let readers = self.readers_of(block).and(set);
        let to = if plan.along == Along::Shb { block.union(&readers) } else { *block };
        let behind = self.first_place(&to.and(&self.sc).union(&self.fences_behind(&to)).and(set));
        let through_reads = match plan.along {
            Along::Scb => self.first_place(&self.fences_behind(&readers).and(set)),
            Along::Shb => u64::MAX,
        };
        self.last_place(&from.and(&self.sc).union(&fences)) < behind
            && (fences.is_empty() || self.last_place(&fences) < through_reads)
    }

    /// Those of some events that come at a place or behind it.
    fn since_place(&self, events: &Bits<W>, place: u64) -> Bits<W> {
        let mut all: Bits<W> = Bits::EMPTY;
        events.iter().filter(|&slot| self.place(slot) >= place).for_each(|slot| all.insert(slot));
        all
    }

    /// What has to come before an event as long as co stays as it is; not all that follows from that.
    fn required(&self, plan: &Plan, set: &Bits<W>, slot: Slot) -> Bits<W> {
        let ev = self.event(slot);
        let is_update = ev.kind == Kind::UpdateRead && ev.writes && set.contains(ev.update);
        let mut all: Bits<W> = Bits::EMPTY;
        let place = self.place(slot);
        if is_update || matches!(ev.kind, Kind::Write | Kind::UpdateWrite) {
            // Both parts of a read-modify-write stay together.
            let both = if is_update { ev.update } else { ev.previous };
            if is_update || ev.kind == Kind::UpdateWrite {
                all.insert(both);
            }
            let writes = self.cell(ev.location).writes.and(set);
            writes.iter().filter(|&write| self.place(write) < place).for_each(|write| all.insert(write));
        }
        if !self.sc.contains(slot) {
            return all;
        }
        all = all.union(&self.rows[usize::from(slot)].order);
        let mut through_fences: Bits<W> = Bits::EMPTY;
        let through = match ev.kind {
            Kind::Write | Kind::UpdateWrite => self.overwritten_at(set, ev.location, place),
            Kind::Read | Kind::UpdateRead if plan.along == Along::Shb && ev.source != NONE => {
                self.read_at(set, ev.source)
            }
            Kind::Fence => {
                let known = self.hb_with(slot).and(set);
                let mut overwritten: Bits<W> = Bits::EMPTY;
                for access in known.iter() {
                    let ev = self.event(access);
                    match ev.kind {
                        Kind::Write | Kind::UpdateWrite => {
                            let before = self.overwritten_at(set, ev.location, self.place(access));
                            overwritten = overwritten.union(&before);
                        }
                        Kind::Read | Kind::UpdateRead if ev.source != NONE => {
                            let before = self.read_at(set, ev.source);
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
        all = all.union(&through.and(&self.sc)).union(&self.fences_before(&through.union(&through_fences)));
        all.remove(slot);
        all.and(set)
    }

    /// Whether a write may be last in co with the order of the SC events as it is, if it has to come before no other write in every
    /// co: then it, and the read-modify-writes that lead to it, come behind the others of the location.
    pub(super) fn may_come_last(&self, plan: &Plan, write: Slot) -> bool {
        let (set, location) = (&self.live, self.event(write).location);
        let (top, block) = self.block(set, write);
        let place = self.place(write);
        let mut later = self.cell(location).writes.minus(&block);
        for other in later.iter().filter(|&other| self.place(other) < place) {
            later.remove(other);
        }
        if later.is_empty() || is_init(top) {
            return later.is_empty();
        }
        self.keeps_order(plan, set, &later, &block)
    }

    /// The events of a set, but for the writes of read-modify-writes, which follow their reads, in an order as it is kept; what was
    /// posed of them is solved. [`NONE`] stands for a read that is not in the graph.
    pub(super) fn order_of_sc(&self, set: &Bits<W>, poser: &Poser, orders: &Orders) -> Option<Vec<Slot>> {
        let Poser { puzzle, slots, places, .. } = poser;
        let at = |slot: Slot| usize::from(slot).min(self.events.len());
        let mut before = vec![(Bits::<W>::EMPTY, false); self.events.len() + 1];
        let mut put = |first: Slot, second: Slot| match first {
            NONE => before[at(second)].1 = true,
            first => before[at(second)].0.insert(first),
        };
        for (number, &slot) in slots.iter().enumerate() {
            members(orders.before_in_sc(number as u8)).for_each(|other| put(slots[usize::from(other)], slot));
        }
        for (location, cell) in self.cells.iter().enumerate() {
            match places[location] {
                Some(place) => {
                    let co = self.co_of(poser, orders, puzzle.writes[usize::from(place)])?;
                    co.windows(2).for_each(|pair| put(slots[usize::from(pair[0])], slots[usize::from(pair[1])]));
                }
                None => {
                    // Those of one thread.
                    let mut co: Vec<Slot> = cell.writes.and(set).iter().collect();
                    co.sort_unstable_by_key(|&write| self.event(write).serial);
                    co.windows(2).for_each(|pair| put(self.part(pair[0]), self.part(pair[1])));
                }
            }
        }
        let mut rest: Vec<Slot> = set.iter().filter(|&slot| self.event(slot).kind != Kind::UpdateWrite).collect();
        rest.extend(slots.last().filter(|&&slot| slot == NONE));
        let (mut order, mut done) = (Vec::with_capacity(rest.len()), (Bits::<W>::EMPTY, false));
        while !rest.is_empty() {
            let length = rest.len();
            rest.retain(|&slot| {
                let (events, read) = &before[at(slot)];
                if !events.minus(&done.0).is_empty() || *read && !done.1 {
                    return true;
                }
                order.push(slot);
                match slot {
                    NONE => done.1 = true,
                    slot => done.0.insert(slot),
                }
                false
            });
            if rest.len() == length {
                return None;
            }
        }
        Some(order)
    }

    /// The writes of a location in a co that fits what is known of it, by number: a read-modify-write comes immediately behind its
    /// source.
    fn co_of(&self, poser: &Poser, orders: &Orders, writes: Set) -> Option<Vec<u8>> {
        // By read-modify-write: its source, if that is not initial.
        let readings = poser.puzzle.readings.iter();
        let updates: Vec<(u8, Option<u8>)> = readings
            .filter(|reading| writes >> reading.read & 1 != 0)
            .map(|reading| (reading.read, reading.source))
            .collect();
        let behind = |source: Option<u8>| updates.iter().find(|update| update.1 == source).map(|update| update.0);
        let (mut co, mut rest) = (Vec::with_capacity(writes.count_ones() as usize), writes);
        let mut next = behind(None);
        while rest != 0 {
            let write = next.take().or_else(|| {
                let heads = members(rest).filter(|&write| updates.iter().all(|update| update.0 != write));
                heads.into_iter().find(|&write| orders.before_locally(write) & rest == 0)
            })?;
            co.push(write);
            rest &= !(1 << write);
            next = behind(Some(write));
        }
        Some(co)
    }
}
