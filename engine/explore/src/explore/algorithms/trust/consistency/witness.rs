//! A run of the machine, kept while a graph grows.
//!
//! Under SC, TSO and PSO, a graph is consistent exactly if its events can be put in one order in which what the buffers keep of
//! po goes forwards, and each read comes behind its source, unless that is still in its own buffer, and in front of the next
//! write. A graph that grows keeps one: each of its events has a place, a number. What is asked next mostly fits without
//! a search: a write can come last, and so can whatever else is no read; a read fits if the write that comes next behind its
//! source does not come before what the read has to follow. The run of a graph is one of each of its parts, too.
//!
//! Under SRA with read-modify-writes, the run keeps porf and co, and nothing comes between a read-modify-write and its source
//! in co: other reads fit where the writes that they know of come before their sources.
//!
//! Where SC events have to be in an order instead, the places say which, and what co is ([`super::sc_places`]).
//!
//! If a read does not fit, that says nothing: there may be another run. Mostly it is this one with a few events in other places
//! ([`super::mend`]), or one that lets the events of this one come as soon as they may, writes that are read only when nothing surely
//! has to come before them; else [`super::orders`] searches. The new run takes the place of this one until the event that was in need
//! of it is taken back. So the places follow from the events on the way to a graph alone, and whoever comes the same way finds the
//! same ones.

use super::super::bits::Bits;
use super::super::graph::{Base, Ev, Graph, Kind, NONE, STRIDE, Slot, is_init};
use super::super::plan::Plan;
use super::super::store::Lists;
use super::mend::Mend;
use super::pose::Poser;
use super::question::{More, Room};
use crate::model::Buffers;

impl<const W: usize> Graph<W>
where
    Bits<W>: Lists,
{
    /// Where one more read may come in the run of a set of events, with its write if it counts as that. It has no porf successors, and
    /// may be in the graph.
    pub(super) fn room(&self, plan: &Plan, set: &Bits<W>, more: More<'_, W>) -> Option<Room> {
        if self.places.unplaced.intersects(set) {
            return None;
        }
        if plan.poses_sc {
            return self.kept_order(plan, set).room(more);
        }
        let More { ev, base, .. } = more;
        let writes = self.cell(ev.location).writes;
        let source = self.place(ev.source);
        if !plan.global_has_fr && !more.updates() {
            // What overwrites its source need not come behind it, but what it knows of comes before its source.
            let mut known = base.porf.and(&writes).and(set).iter();
            let fits = known.all(|write| write == ev.source || self.place(write) < source);
            return fits.then(|| (self.follows(plan, ev, base, source), u64::MAX));
        }
        let later = writes.and(set).iter().map(|write| self.place(write)).filter(|&place| place > source);
        let room = (self.follows(plan, ev, base, source), later.min().unwrap_or(u64::MAX));
        if plan.buffers.is_some() {
            // It reads what its thread wrote last, or what overwrites that.
            let own = base.porf.and(self.of_thread(ev.thread)).and(&writes);
            if own.iter().any(|write| write != ev.source && self.place(write) >= source) {
                return None;
            }
        }
        (room.0 < room.1).then_some(room)
    }

    /// What a read comes behind.
    fn follows(&self, plan: &Plan, ev: &Ev, base: &Base<W>, source: u64) -> u64 {
        let place = |slot: Slot| if slot == NONE { 0 } else { self.place(slot) };
        match plan.buffers {
            None => source.max(place(base.last)),
            Some(Buffers::OfThreads | Buffers::OfLocations) => {
                let own = if base.last == NONE {
                    0
                } else {
                    let Ev { undelayed, plain_write, .. } = *self.event(base.last);
                    match plan.buffers {
                        _ if ev.kind == Kind::Read => place(undelayed),
                        // A buffer of the thread keeps its writes in order.
                        Some(Buffers::OfThreads) => place(undelayed).max(place(plain_write)),
                        _ => {
                            let own = base.porf.and(self.of_thread(ev.thread));
                            let waits = own.and(&self.plain_writes);
                            waits.iter().map(place).max().unwrap_or(0).max(place(undelayed))
                        }
                    }
                };
                let is_own = !is_init(ev.source) && self.event(ev.source).thread == ev.thread;
                if is_own && ev.kind == Kind::Read { own } else { own.max(source) }
            }
        }
    }

    /// The last write of each of some locations, which are written, in the run that is kept, if there is one of all events.
    pub(super) fn last_in_run(&self, plan: &Plan, locations: &[u16]) -> Option<Vec<Slot>> {
        if !plan.keeps_places || self.places.unplaced.intersects(&self.live) {
            return None;
        }
        let last = |&location: &u16| self.cell(location).writes.iter().max_by_key(|&write| self.place(write));
        locations.iter().map(last).collect()
    }

    /// Looks for other places in which there is room for one more read that has none; whether there are any, if that was found out.
    pub(super) fn mend(&self, plan: &Plan, set: &Bits<W>, more: More<'_, W>, mend: &mut Mend) -> Option<bool> {
        mend.found = false;
        if self.places.unplaced.intersects(set) {
            None
        } else if plan.poses_sc {
            self.kept_order(plan, set).mend(more, mend)
        } else {
            self.mend_run(plan, set, more, mend)
        }
    }

    /// Gives an event that has just been added its place: a read where it fits, if it does anywhere, all else at the end.
    #[inline(always)]
    pub(in super::super) fn put_in_run(&mut self, plan: &Plan, slot: Slot, base: &Base<W>) {
        if plan.keeps_places {
            self.put_where_it_fits(plan, slot, base);
        }
    }

    fn put_where_it_fits(&mut self, plan: &Plan, slot: Slot, base: &Base<W>) {
        let ev = *self.event(slot);
        match ev.kind {
            Kind::Read | Kind::UpdateRead if ev.source == NONE => self.places.put_first(slot),
            Kind::Read | Kind::UpdateRead => {
                let others = self.live.without(slot);
                match self.room(plan, &others, More { ev: &ev, base, whole: false }) {
                    Some(room) => self.put_between(slot, slot, &others, room),
                    None => self.places.unplaced.insert(slot),
                }
            }
            Kind::UpdateWrite if self.bring_up(plan, ev.previous, slot) => {
                self.places.put(slot, self.place(ev.previous));
            }
            Kind::UpdateWrite => self.places.unplaced.insert(slot),
            _ => self.places.put_last(slot),
        }
    }

    /// Lets the read of a read-modify-write follow all that does not come behind its write, which has just been added.
    fn bring_up(&mut self, plan: &Plan, read: Slot, write: Slot) -> bool {
        let others = self.live.without(read).without(write);
        let more = More { ev: self.event(read), base: &self.base_of(plan, read), whole: true };
        let Some(room) = self.room(plan, &others, more) else { return false };
        self.places.note(write, read);
        self.put_between(read, write, &others, room);
        true
    }

    fn put_between(&mut self, slot: Slot, owner: Slot, others: &Bits<W>, (mut low, high): Room) {
        if high == u64::MAX {
            self.places.put_last(slot);
            return;
        }
        if self.event(slot).writes {
            // Nothing comes between it and its write, so all that reads its source comes before it.
            let before = others.iter().map(|other| self.place(other)).filter(|&place| place < high);
            low = before.max().unwrap_or(0).max(low);
        }
        let mut middle = low + (high - low) / 2;
        if middle == low {
            let mut order: Vec<Slot> = others.iter().collect();
            order.sort_by_key(|&other| self.place(other));
            let rank = order.iter().filter(|&&other| self.place(other) < high).count() as u64;
            self.renumber(owner, &order);
            middle = rank * STRIDE + STRIDE / 2;
        }
        self.places.put(slot, middle);
    }

    /// Gives events other places in an order; those that had the same place before keep to one.
    fn renumber(&mut self, owner: Slot, order: &[Slot]) {
        self.places.put_end(owner, Some((order.len() as u64 + 1) * STRIDE));
        let mut last = (0, 0);
        for (rank, &slot) in order.iter().enumerate() {
            let old = self.place(slot);
            self.places.note(owner, slot);
            if rank == 0 || old != last.0 {
                last = (old, (rank as u64 + 1) * STRIDE);
            }
            self.places.put(slot, last.1);
        }
    }

    /// Takes over the places that the last answer found, if it found any, for one more read that is in the graph as `read` now; `owner`,
    /// the read or what was added behind it, is in need of them.
    #[inline(always)]
    pub(in super::super) fn follow_found(&mut self, owner: Slot, read: Slot, poser: &mut Poser) {
        if std::mem::take(&mut poser.mend.found) {
            self.follow_mend(owner, read, &poser.mend);
        } else if let Some(order) = poser.inquiries.run.take() {
            self.follow(owner, &order);
        }
    }

    /// Takes over another run of all events; `owner` is in need of it.
    fn follow(&mut self, owner: Slot, order: &[Slot]) {
        self.places.put_end(owner, Some((order.len() as u64 + 1) * STRIDE));
        for (rank, &slot) in order.iter().enumerate() {
            self.move_to(owner, if slot == NONE { owner } else { slot }, (rank as u64 + 1) * STRIDE);
        }
        self.places.unplaced = Bits::EMPTY;
    }

    /// Takes a mended run over, in which a read stands for the one more; `owner` is in need of it.
    fn follow_mend(&mut self, owner: Slot, read: Slot, mend: &Mend) {
        let (front, behind) = mend.room;
        let step = ((behind - front) / (mend.order.len() as u64 + 1)).min(STRIDE);
        if step == 0 {
            // No number is left between two.
            let rest = self.parts(&self.live).filter(|&slot| slot != read);
            let mut rest: Vec<(u64, Slot)> = rest.map(|slot| (self.place(slot), slot)).collect();
            rest.sort_unstable();
            let before = rest.iter().filter(|(place, _)| *place <= front).map(|(_, slot)| *slot);
            let behind = rest.iter().filter(|(place, _)| *place >= behind).map(|(_, slot)| *slot);
            let mended = mend.order.iter().map(|&slot| if slot == NONE { read } else { slot });
            let order: Vec<Slot> = before.chain(mended).chain(behind).collect();
            self.follow(owner, &order);
            return;
        }
        let end = front + mend.order.len() as u64 * step;
        self.places.put_end(owner, Some(end).filter(|_| behind == u64::MAX));
        for (rank, &slot) in mend.order.iter().enumerate() {
            let slot = if slot == NONE { read } else { slot };
            self.move_to(owner, slot, front + (rank as u64 + 1) * step);
        }
        self.places.unplaced = Bits::EMPTY;
    }

    /// Gives an event and the write that comes with it another place.
    fn move_to(&mut self, owner: Slot, slot: Slot, place: u64) {
        for slot in [Some(slot), self.update_of(slot)].into_iter().flatten() {
            if slot != owner {
                self.places.note(owner, slot);
            }
            self.places.put(slot, place);
        }
    }
}
