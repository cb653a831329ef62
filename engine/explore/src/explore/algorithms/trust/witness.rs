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

use super::bits::Bits;
use super::graph::{Base, Ev, Graph, INIT, Kind, NONE, Slot, is_init};
use super::mend::Mend;
use super::plan::Plan;
use super::saturation::{More, Saturation};
use super::store::{List, Lists};
use crate::model::Buffers;

/// How far what comes last is behind what came last before. Little in tests, so that no number is left between two now and then.
const STRIDE: u64 = if cfg!(test) { 1 << 3 } else { 1 << 32 };

/// The places of a graph's events in a run.
#[derive(Clone, Debug)]
pub(super) struct Places<const W: usize> {
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
    pub const NONE: Self = Self { at: Vec::new(), end: 0, unplaced: Bits::EMPTY, moved: Vec::new() };

    pub fn copy(&mut self, other: &Self) {
        self.at.clone_from(&other.at);
        self.end = other.end;
        self.unplaced = other.unplaced;
        self.moved.clear();
    }

    pub fn widen<const V: usize>(&self) -> Places<V> {
        Places { at: self.at.clone(), end: self.end, unplaced: self.unplaced.widen(), moved: self.moved.clone() }
    }

    /// The places by slot.
    pub fn all(&self) -> &[u64] {
        &self.at
    }

    pub fn grow(&mut self) {
        self.at.push(0);
    }

    /// Takes back what was done for an event.
    #[inline(always)]
    pub fn take_back(&mut self, slot: Slot) {
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
    pub fn put_first(&mut self, slot: Slot) {
        self.at[usize::from(slot)] = 0;
    }

    fn put_last(&mut self, slot: Slot) {
        self.end += STRIDE;
        self.at[usize::from(slot)] = self.end;
    }
}

/// Where a read may come: behind one place and in front of another.
pub(super) type Room = (u64, u64);

impl<const W: usize> Graph<W>
where
    Bits<W>: Lists,
{
    pub(super) fn place(&self, slot: Slot) -> u64 {
        if is_init(slot) { 0 } else { self.places.at[usize::from(slot)] }
    }

    /// Where a read of a set of events or one more may come in the run of the others, its source given, with its write if that
    /// comes, too. It has no porf successors.
    pub fn room(&self, plan: &Plan, set: &Bits<W>, ev: &Ev, base: &Base<W>, with_write: bool) -> Option<Room> {
        if self.places.unplaced.intersects(set) {
            return None;
        }
        if plan.poses_sc {
            return self.room_in_sc(plan, set, ev, base, with_write);
        }
        let writes = self.cell(ev.location).writes;
        let source = self.place(ev.source);
        if !plan.global_has_fr && !with_write {
            // What overwrites its source need not come behind it, but what it knows of comes before its source.
            let mut known = base.porf.and(&writes).and(set).iter();
            let fits = known.all(|write| write == ev.source || self.place(write) < source);
            return fits.then(|| (self.follows(plan, ev, base, source), u64::MAX));
        }
        let later = writes.and(set).iter().map(|write| self.place(write)).filter(|&place| place > source);
        let room = (self.follows(plan, ev, base, source), later.min().unwrap_or(u64::MAX));
        if plan.buffers.is_some() {
            // It reads what its thread wrote last, or what overwrites that.
            let own = base.porf.and(&self.threads[usize::from(ev.thread)].events).and(&writes);
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
                            let own = base.porf.and(&self.threads[usize::from(ev.thread)].events);
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
    pub fn last_in_run(&self, plan: &Plan, locations: &[u16]) -> Option<Vec<Slot>> {
        if !plan.keeps_places || self.places.unplaced.intersects(&self.live) {
            return None;
        }
        let last = |&location: &u16| self.cell(location).writes.iter().max_by_key(|&write| self.place(write));
        locations.iter().map(last).collect()
    }

    /// Another run of a set of events, and perhaps of a read, [`NONE`], that has no place in the one that is kept: events come in the order
    /// of that one and of what is known, but as soon as they may, except writes that reads wait for: of these the first comes
    /// that may, when nothing else may. `None` if nothing may come any more, which says nothing.
    pub fn another_run(
        &self,
        plan: &Plan,
        set: &Bits<W>,
        order: &Saturation<W>,
        more: Option<More<'_, W>>,
    ) -> Option<Vec<Slot>> {
        if self.places.unplaced.intersects(set) {
            return None;
        }
        let mut run = Schedule {
            graph: self,
            plan,
            set: *set,
            more,
            order,
            last: (0..self.cells.len()).map(|location| INIT + location as Slot).collect(),
            done: Bits::EMPTY,
            ranks: vec![0; if plan.global_has_fr { 0 } else { self.events.len() }],
            read: more.is_none(),
            run: Vec::with_capacity(set.len() as usize + 1),
        };
        let found = if plan.buffers.is_none() && plan.global_has_fr { run.by_threads() } else { run.by_places() };
        found.then_some(run.run)
    }

    /// Gives an event that is no read, and has just been added, its place.
    #[inline(always)]
    pub fn put_last(&mut self, plan: &Plan, slot: Slot) {
        if !plan.keeps_places {
            return;
        }
        let ev = *self.event(slot);
        if ev.kind != Kind::UpdateWrite {
            self.places.put_last(slot);
        } else if self.bring_up(plan, ev.previous, slot) {
            self.places.at[usize::from(slot)] = self.place(ev.previous);
        } else {
            self.places.unplaced.insert(slot);
        }
    }

    /// Gives a read that has just been added its place, if there is one where it fits.
    #[inline(always)]
    pub fn put_in_run(&mut self, plan: &Plan, slot: Slot, base: &Base<W>) {
        if !plan.keeps_places {
            return;
        }
        let mut others = self.live;
        others.remove(slot);
        match self.room(plan, &others, self.event(slot), base, false) {
            Some(room) => self.put_between(slot, slot, &others, room),
            None => self.places.unplaced.insert(slot),
        }
    }

    /// Lets the read of a read-modify-write follow all that does not come behind its write, which has just been added.
    fn bring_up(&mut self, plan: &Plan, read: Slot, write: Slot) -> bool {
        let mut others = self.live;
        others.remove(read);
        others.remove(write);
        let base = self.base_of(plan, read);
        let Some(room) = self.room(plan, &others, self.event(read), &base, true) else { return false };
        self.places.moved.push((write, read, self.place(read)));
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
        self.places.at[usize::from(slot)] = middle;
    }

    /// Gives events other places in an order; those that had the same place before keep to one.
    fn renumber(&mut self, owner: Slot, order: &[Slot]) {
        self.places.moved.push((owner, NONE, self.places.end));
        let mut last = (0, 0);
        for (rank, &slot) in order.iter().enumerate() {
            let old = self.place(slot);
            self.places.moved.push((owner, slot, old));
            if rank == 0 || old != last.0 {
                last = (old, (rank as u64 + 1) * STRIDE);
            }
            self.places.at[usize::from(slot)] = last.1;
        }
        self.places.end = (order.len() as u64 + 1) * STRIDE;
    }

    /// Takes over another run of all events; `owner` is in need of it.
    pub fn follow(&mut self, owner: Slot, order: &[Slot]) {
        self.places.moved.push((owner, NONE, self.places.end));
        for (rank, &slot) in order.iter().enumerate() {
            self.move_to(owner, if slot == NONE { owner } else { slot }, (rank as u64 + 1) * STRIDE);
        }
        self.places.end = (order.len() as u64 + 1) * STRIDE;
        self.places.unplaced = Bits::EMPTY;
    }

    /// Takes a mended run over, in which a read stands for the one more; `owner` is in need of it.
    pub fn follow_mend(&mut self, owner: Slot, read: Slot, mend: &Mend) {
        let (front, behind) = mend.room;
        let step = ((behind - front) / (mend.order.len() as u64 + 1)).min(STRIDE);
        if step == 0 {
            // No number is left between two.
            let rest = self.live.iter().filter(|&slot| self.event(slot).kind != Kind::UpdateWrite && slot != read);
            let mut rest: Vec<(u64, Slot)> = rest.map(|slot| (self.place(slot), slot)).collect();
            rest.sort_unstable();
            let before = rest.iter().filter(|(place, _)| *place <= front).map(|(_, slot)| *slot);
            let behind = rest.iter().filter(|(place, _)| *place >= behind).map(|(_, slot)| *slot);
            let mended = mend.order.iter().map(|&slot| if slot == NONE { read } else { slot });
            let order: Vec<Slot> = before.chain(mended).chain(behind).collect();
            self.follow(owner, &order);
            return;
        }
        self.places.moved.push((owner, NONE, self.places.end));
        for (rank, &slot) in mend.order.iter().enumerate() {
            let slot = if slot == NONE { read } else { slot };
            self.move_to(owner, slot, front + (rank as u64 + 1) * step);
        }
        if behind == u64::MAX {
            self.places.end = front + mend.order.len() as u64 * step;
        }
        self.places.unplaced = Bits::EMPTY;
    }

    /// Gives an event and the write that comes with it another place.
    fn move_to(&mut self, owner: Slot, slot: Slot, place: u64) {
        let Ev { writes, update, .. } = *self.event(slot);
        let both = [slot, if writes && !self.pending.contains(slot) { update } else { NONE }];
        for slot in both.into_iter().filter(|&slot| slot != NONE) {
            if slot != owner {
                self.places.moved.push((owner, slot, self.place(slot)));
            }
            self.places.at[usize::from(slot)] = place;
        }
    }
}

/// An event has come: its thread's next one is next.
fn go_on(heads: &mut Vec<Slot>, at: usize, next: &[Slot]) {
    match next[usize::from(heads[at])] {
        NONE => {
            heads.remove(at);
        }
        slot => heads[at] = slot,
    }
}

/// A run in the making.
struct Schedule<'g, const W: usize>
where
    Bits<W>: Lists,
{
    graph: &'g Graph<W>,
    plan: &'g Plan,
    /// The events that are to come, but for one more read.
    set: Bits<W>,
    more: Option<More<'g, W>>,
    /// What has to come before what.
    order: &'g Saturation<W>,
    /// By location: the write that is in memory.
    last: Vec<Slot>,
    done: Bits<W>,
    /// By slot, of the writes that have come: which event that was, from 1. Only where reads need not follow their sources.
    ranks: Vec<usize>,
    /// Whether that read has come, or there is none.
    read: bool,
    run: Vec<Slot>,
}

impl<const W: usize> Schedule<'_, W>
where
    Bits<W>: Lists,
{
    /// Where the source of the read comes in the run that is kept; behind all if there is no such read.
    fn place_of_source(&self) -> u64 {
        self.more.map_or(u64::MAX, |(ev, ..)| self.graph.place(ev.source))
    }

    /// Lets all events come, and whether that was possible; in any model.
    fn by_places(&mut self) -> bool {
        let (graph, order) = (self.graph, self.order);
        let mut rest = Vec::with_capacity(self.set.len() as usize + 1);
        let events = self.set.iter().filter(|&slot| graph.event(slot).kind != Kind::UpdateWrite);
        rest.extend(events.map(|slot| (graph.place(slot), slot)));
        rest.sort_unstable();
        // Up to the source, this run is as good as any, unless something has to come earlier now.
        let source = self.place_of_source();
        let kept = rest.iter().take_while(|&&(place, slot)| {
            let goes_on = place < source && order.before(slot).minus(&self.done).is_empty();
            if goes_on {
                self.put(slot);
            }
            goes_on
        });
        let kept = kept.count();
        rest.drain(..kept);
        rest.extend(self.more.map(|_| (u64::MAX, NONE)));
        while !rest.is_empty() {
            let before = rest.len();
            rest.retain(|&(_, slot)| !self.comes(slot, false));
            if rest.len() == before {
                match rest.iter().position(|&(_, slot)| self.comes(slot, true)) {
                    Some(at) => rest.remove(at),
                    None => return false,
                };
            }
        }
        true
    }

    /// The same under SC, where each thread's events come in po: only the next one of each is looked at.
    fn by_threads(&mut self) -> bool {
        let (graph, order) = (self.graph, self.order);
        let mut next = vec![NONE; graph.events.len()];
        let mut heads = Vec::with_capacity(graph.threads.len());
        for cursor in graph.threads.iter() {
            let (mut head, mut slot) = (NONE, cursor.last);
            while slot != NONE {
                let ev = graph.event(slot);
                if self.set.contains(slot) && ev.kind != Kind::UpdateWrite {
                    next[usize::from(slot)] = head;
                    head = slot;
                }
                slot = ev.previous;
            }
            if head != NONE {
                heads.push(head);
            }
        }
        // As above.
        let source = self.place_of_source();
        while let Some(first) = (0..heads.len()).min_by_key(|&at| graph.place(heads[at])) {
            let slot = heads[first];
            if graph.place(slot) >= source || !order.before(slot).minus(&self.done).is_empty() {
                break;
            }
            self.put(slot);
            go_on(&mut heads, first, &next);
        }
        loop {
            let before = self.run.len();
            let mut at = 0;
            while at < heads.len() {
                if self.comes(heads[at], false) {
                    go_on(&mut heads, at, &next);
                } else {
                    at += 1;
                }
            }
            if !self.read {
                self.comes(NONE, false);
            }
            if heads.is_empty() && self.read {
                return true;
            }
            if self.run.len() == before {
                // The first that may, as everywhere.
                heads.sort_unstable_by_key(|&slot| graph.place(slot));
                match (0..heads.len()).find(|&at| self.comes(heads[at], true)) {
                    Some(at) => go_on(&mut heads, at, &next),
                    None => return false,
                }
            }
        }
    }

    /// Lets an event come if it may; a write that reads wait for only if one has to be chosen.
    fn comes(&mut self, slot: Slot, choosing: bool) -> bool {
        let graph = self.graph;
        let (ev, before, porf) = if slot == NONE {
            let Some((ev, base, _)) = self.more else { return false };
            (ev, graph.surely_before_read(self.plan, ev, base), base.porf)
        } else {
            let row = &graph.rows[usize::from(slot)];
            (graph.event(slot), if self.plan.buffers.is_some() { row.order } else { row.porf }, row.porf)
        };
        if !before.and(&self.set).union(self.order.before(slot)).minus(&self.done).is_empty() {
            return false;
        }
        let updates = self.updates(slot, ev);
        let newest = match ev.kind {
            Kind::Fence | Kind::End => NONE,
            _ => self.last[usize::from(ev.location)],
        };
        match ev.kind {
            Kind::Read | Kind::UpdateRead if ev.source != NONE && !self.plan.global_has_fr => {
                let known = porf.union(&graph.porf_with(ev.source));
                let known = known.and(&graph.cell(ev.location).writes).and(&self.set);
                let source = self.rank(ev.source);
                if known.iter().any(|write| self.rank(write) > source) || updates && newest != ev.source {
                    return false;
                }
            }
            Kind::Read | Kind::UpdateRead if ev.source != NONE => {
                // Still in its own buffer, or in memory.
                let is_buffered = self.plan.buffers.is_some()
                    && ev.kind == Kind::Read
                    && !is_init(ev.source)
                    && !self.done.contains(ev.source)
                    && graph.event(ev.source).thread == ev.thread;
                if newest != ev.source && !is_buffered {
                    return false;
                }
                if self.plan.buffers.is_some() {
                    let own = porf.and(&graph.threads[usize::from(ev.thread)].events);
                    let own = own.and(&graph.cell(ev.location).writes).and(&self.set);
                    let hides = |other: Slot| graph.rows[usize::from(other)].porf.contains(ev.source);
                    // Its thread has not overwritten it, and what is in memory is not older than what is in its buffer.
                    if is_buffered && own.iter().any(hides) || !is_buffered && !own.minus(&self.done).is_empty() {
                        return false;
                    }
                }
                if updates && self.is_awaited(newest, Some(slot)) {
                    return false;
                }
            }
            Kind::Write if self.is_awaited(newest, None) || !choosing && self.is_awaited(slot, None) => return false,
            _ => {}
        }
        self.put(slot);
        true
    }

    /// Whether an event is a read-modify-write whose write comes with it.
    fn updates(&self, slot: Slot, ev: &Ev) -> bool {
        if slot == NONE {
            return self.more.is_some_and(|(_, _, whole)| whole) && ev.writes;
        }
        ev.writes && !self.graph.pending.contains(slot) && self.set.contains(ev.update)
    }

    /// Which of the events that have come a write was, from 1; 0 if it is initial.
    fn rank(&self, write: Slot) -> usize {
        if is_init(write) { 0 } else { self.ranks[usize::from(write)] }
    }

    /// An event comes.
    fn put(&mut self, slot: Slot) {
        self.run.push(slot);
        if slot == NONE {
            self.read = true;
            self.done.insert(self.order.more);
            return;
        }
        self.done.insert(slot);
        let ev = self.graph.event(slot);
        if !self.plan.global_has_fr {
            let write = if self.updates(slot, ev) { ev.update } else { slot };
            self.ranks[usize::from(write)] = self.run.len();
        }
        if self.updates(slot, ev) {
            self.done.insert(ev.update);
            self.last[usize::from(ev.location)] = ev.update;
        } else if ev.kind == Kind::Write {
            self.last[usize::from(ev.location)] = slot;
        }
    }

    /// Whether reads of a write but for one are yet to come; only read-modify-writes where other reads may come later.
    fn is_awaited(&self, write: Slot, but: Option<Slot>) -> bool {
        let mut readers = self.graph.readers(write).and(&self.set).minus(&self.done);
        if let Some(read) = but.filter(|&read| read != NONE) {
            readers.remove(read);
        }
        let more = self.more.filter(|(ev, ..)| !self.read && ev.source == write && but != Some(NONE));
        if self.plan.global_has_fr {
            return !readers.is_empty() || more.is_some();
        }
        more.is_some_and(|(ev, _, whole)| whole && ev.writes)
            || readers.iter().any(|read| self.updates(read, self.graph.event(read)))
    }
}
