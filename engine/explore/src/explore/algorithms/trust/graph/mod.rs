//! Graphs that are cheap to extend, to take back and to copy.
//!
//! An event has a slot, a small number that it keeps while it is in the graph; sets of events are words ([`Bits`]). What
//! is known of an event (its porf prefix, hb, the events before it in the model's order) is computed when it is added
//! and never changes, but for the order when an event comes to stand in front of others. Every event that is added has
//! no porf successor, and what is taken back is always the event added last; only a revisit removes others, on a copy
//! ([`Graph::restrict`]).
//!
//! A read-modify-write is two events here, as in the paper: a read and, if it writes, a write that follows at once. The
//! same holds for operations of library objects that wait.
//!
//! Sets have room for 64, 256, 2,304, 10,240 or 20,480 slots; the page has 64 and 2,304. A run that needs more room moves on its
//! way to larger sets. What was added before an event is in a list of its own, since a revisit changes little else.
//!
//! A graph that is explored from the command line has room for 10,000 events if its program may need that
//! ([`Limits::with_room_for`](crate::program::Limits::with_room_for), told from the code), else for 1,000, as sessions do.
//! Sessions look at each step with matrices and drawings. So one with a larger limit, as a link may have it, stops behind 1,000
//! events and says that the command goes on (`Session::is_full`).
//!
//! Its modules, each of which knows only those above it: `events`, what they are called and what each says of itself; `places`, the
//! numbers by which they are in an order; and, of the graph itself, `rc11`: hb, psc and races.

mod events;
mod places;
mod rc11;

use super::bits::Bits;
use super::plan::Plan;
use super::store::{List, Lists, Part, Slots, Store};
use crate::explore::threads::{NodeId, Threads};
use crate::graph::{Coherence, Event, EventId, EventKey, Execution, ThreadId};
use crate::model::{Buffers, HappensBefore};
use crate::program::{Action, Mode, Operation, Value};
pub(super) use events::{Ev, INIT, Kind, NONE, Slot, is_init};
use places::Places;
pub(super) use places::STRIDE;

impl Part for Value {
    const BLANK: Self = 0;
}

/// What a thread is at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<const W: usize> {
    /// Its last event.
    pub last: Slot,
    /// Its number.
    pub serial: u16,
    /// It can't go on.
    pub ended: bool,
    /// Its state behind its last event.
    pub node: NodeId,
    /// Its events.
    pub events: Bits<W>,
}

/// What is known of a location.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell<const W: usize> {
    /// The write that is last in co.
    pub last: Slot,
    /// The first write behind the initial one.
    first: Slot,
    /// How many writes there are besides the initial one.
    pub count: u16,
    pub writes: Bits<W>,
    pub reads: Bits<W>,
    /// Who reads the initial write.
    pub(super) readers: Bits<W>,
}

/// What comes before an event, as words.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows<const W: usize> {
    pub porf: Bits<W>,
    /// Before it in the order that the model wants acyclic.
    pub order: Bits<W>,
    /// Of a write: who reads from it.
    pub readers: Bits<W>,
}

impl<const W: usize> Part for Rows<W> {
    const BLANK: Self = Self { porf: Bits::EMPTY, order: Bits::EMPTY, readers: Bits::EMPTY };
}

/// RC11: what comes before an event in hb, and through it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Synchronisation<const W: usize> {
    pub hb: Bits<W>,
    /// Of a write: what an acquire read of it synchronises with, and all before that.
    pub release: Bits<W>,
    /// What an acquire fence behind it would synchronise with, and all before that.
    pub pending: Bits<W>,
}

impl<const W: usize> Part for Synchronisation<W> {
    const BLANK: Self = Self { hb: Bits::EMPTY, release: Bits::EMPTY, pending: Bits::EMPTY };
}

/// What comes before the next event of a thread, whatever that reads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Base<const W: usize> {
    pub porf: Bits<W>,
    pub hb: Bits<W>,
    pending: Bits<W>,
    pub order: Bits<W>,
    /// The event of its thread in front of it.
    pub last: Slot,
    /// What decides about coherence: no write can be overlooked that is in here or read in here.
    seen: Bits<W>,
}

/// An event that is to be added.
#[derive(Clone, Copy)]
pub(super) struct New<'a, const W: usize> {
    pub slot: Slot,
    /// Without source or place.
    pub event: &'a Ev,
    pub base: &'a Base<W>,
    /// The events that count as added before it.
    pub older: Bits<W>,
    /// The graph stays consistent; else nothing is ordered because of it.
    pub consistent: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Graph<const W: usize>
where
    Bits<W>: Lists,
{
    pub live: Bits<W>,
    pub events: Slots<Ev, W>,
    /// By slot, of writes: what they write.
    values: Slots<Value, W>,
    pub(super) rows: Slots<Rows<W>, W>,
    /// By slot: what was added before it. A revisit changes it where it changes nothing else.
    older: Slots<Bits<W>, W>,
    pub(super) synchronisation: Slots<Synchronisation<W>, W>,
    /// By slot, of reads, without co: sources that were not consistent when it was added.
    pub(super) rejected: Slots<Bits<W>, W>,
    pub(super) places: Places<W>,
    pub threads: Store<Cursor<W>>,
    pub cells: Store<Cell<W>>,
    /// No thread in front of this one can go on.
    pub(super) first_thread: u16,
    /// Reads whose write is yet to come.
    pub pending: Bits<W>,
    /// Events that were not maximal when they were added, for good.
    pub not_maximal: Bits<W>,
    /// Events that block their thread: failed assumptions and spin rounds.
    pub stuck: Bits<W>,
    /// Events that somebody has to look at when the graph is whole: errors, bounds, operations that wait, one side of a
    /// race, reads of what nobody wrote.
    pub special: Bits<W>,
    pub(super) non_atomic: Bits<W>,
    pub(super) sc: Bits<W>,
    pub(super) sc_fences: Bits<W>,
    pub(super) plain_writes: Bits<W>,
    store_fences: Bits<W>,
    acquire_reads: Bits<W>,
    /// Rows of the order as they were before somebody came to stand in front of them.
    pub(super) changes: Vec<(Slot, Bits<W>)>,
    /// The events that can be taken back, in the order they were added, and how many rows had been changed before.
    pub log: Vec<(Slot, u32)>,
}

/// Whether an execution has what a read-modify-write writes that is only begun.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Begun {
    Unwritten,
    Written,
}

/// What is next.
pub(super) enum Next {
    /// The write of a read-modify-write.
    Update(Slot),
    /// A thread's next action.
    Thread(u16),
}

impl<const W: usize> Graph<W>
where
    Bits<W>: Lists,
{
    /// About how many units of work it is to add an event. That does not depend on how much room the graph has, so that whoever
    /// explores a part counts the same.
    #[inline(always)]
    pub(super) fn cost(&self) -> u64 {
        4 + (self.log.len() / 16) as u64
    }

    pub(super) fn new(plan: &Plan, threads: &mut Threads) -> Self {
        let cursors = (0..plan.code.threads.len()).map(|thread| Cursor {
            last: NONE,
            serial: 0,
            ended: false,
            node: threads.start(thread),
            events: Bits::EMPTY,
        });
        let cells = (0..plan.code.initial.len()).map(|location| Cell {
            last: INIT + location as Slot,
            first: NONE,
            count: 0,
            writes: Bits::EMPTY,
            reads: Bits::EMPTY,
            readers: Bits::EMPTY,
        });
        Self {
            live: Bits::EMPTY,
            events: List::EMPTY,
            values: List::EMPTY,
            rows: List::EMPTY,
            older: List::EMPTY,
            synchronisation: List::EMPTY,
            rejected: List::EMPTY,
            places: Places::NONE,
            threads: cursors.collect(),
            cells: cells.collect(),
            first_thread: 0,
            pending: Bits::EMPTY,
            not_maximal: Bits::EMPTY,
            stuck: Bits::EMPTY,
            special: Bits::EMPTY,
            non_atomic: Bits::EMPTY,
            sc: Bits::EMPTY,
            sc_fences: Bits::EMPTY,
            plain_writes: Bits::EMPTY,
            store_fences: Bits::EMPTY,
            acquire_reads: Bits::EMPTY,
            changes: Vec::new(),
            log: Vec::new(),
        }
    }

    /// Becomes a copy of another graph, which has to be the same one each time or the one that this was cloned from; without
    /// allocating where it can.
    pub(super) fn copy(&mut self, other: &mut Self) {
        self.live = other.live;
        self.events.copy(&mut other.events);
        self.values.copy(&mut other.values);
        self.rows.copy(&mut other.rows);
        self.older.copy(&mut other.older);
        self.synchronisation.copy(&mut other.synchronisation);
        self.rejected.copy(&mut other.rejected);
        self.places.copy(&other.places);
        self.threads.copy(&other.threads);
        self.cells.copy(&other.cells);
        self.first_thread = other.first_thread;
        self.pending = other.pending;
        self.not_maximal = other.not_maximal;
        self.stuck = other.stuck;
        self.special = other.special;
        self.non_atomic = other.non_atomic;
        self.sc = other.sc;
        self.sc_fences = other.sc_fences;
        self.plain_writes = other.plain_writes;
        self.store_fences = other.store_fences;
        self.acquire_reads = other.acquire_reads;
        self.changes.clear();
        self.log.clear();
    }

    /// The same graph with room for more events.
    pub(super) fn widen<const V: usize>(&self) -> Graph<V>
    where
        Bits<V>: Lists,
    {
        let row =
            |row: &Rows<W>| Rows { porf: row.porf.widen(), order: row.order.widen(), readers: row.readers.widen() };
        let synchronisation = |s: &Synchronisation<W>| Synchronisation {
            hb: s.hb.widen(),
            release: s.release.widen(),
            pending: s.pending.widen(),
        };
        let cursor = |c: &Cursor<W>| Cursor {
            last: c.last,
            serial: c.serial,
            ended: c.ended,
            node: c.node,
            events: c.events.widen(),
        };
        let cell = |c: &Cell<W>| Cell {
            last: c.last,
            first: c.first,
            count: c.count,
            writes: c.writes.widen(),
            reads: c.reads.widen(),
            readers: c.readers.widen(),
        };
        Graph {
            live: self.live.widen(),
            events: self.events.map(|ev| *ev),
            values: self.values.map(|value| *value),
            rows: self.rows.map(row),
            older: self.older.map(|older| older.widen()),
            synchronisation: self.synchronisation.map(synchronisation),
            rejected: self.rejected.map(|rejected| rejected.widen()),
            places: self.places.widen(),
            threads: self.threads.map(cursor),
            cells: self.cells.map(cell),
            first_thread: self.first_thread,
            pending: self.pending.widen(),
            not_maximal: self.not_maximal.widen(),
            stuck: self.stuck.widen(),
            special: self.special.widen(),
            non_atomic: self.non_atomic.widen(),
            sc: self.sc.widen(),
            sc_fences: self.sc_fences.widen(),
            plain_writes: self.plain_writes.widen(),
            store_fences: self.store_fences.widen(),
            acquire_reads: self.acquire_reads.widen(),
            changes: self.changes.iter().map(|(slot, row)| (*slot, row.widen())).collect(),
            log: self.log.clone(),
        }
    }

    /// Whether the graph is whole, and nothing has to be looked at, once the next event, a read, has blocked its thread: no other
    /// thread can go on, and the read is no side of a race. Only where a read is consistent is known before it is added.
    pub(super) fn is_last(&self, plan: &Plan, threads: &Threads, ev: &Ev) -> bool {
        if ev.library || !plan.settles_reads || !self.special.is_empty() {
            return false;
        }
        // The threads in front of it can't: it is the left-most one.
        let mut others = self.threads.iter().skip(usize::from(ev.thread) + 1);
        others.all(|other| other.ended || matches!(threads.action(other.node), Action::Finished))
            && !self.may_race(plan, ev)
    }

    /// Whether a new read may be one side of a race.
    pub(super) fn may_race(&self, plan: &Plan, ev: &Ev) -> bool {
        plan.races && (!ev.mode.is_atomic() || self.cell(ev.location).writes.intersects(&self.non_atomic))
    }

    #[inline(always)]
    pub(super) fn event(&self, slot: Slot) -> &Ev {
        &self.events[slot as usize]
    }

    #[inline(always)]
    pub(super) fn cell(&self, location: u16) -> &Cell<W> {
        &self.cells[location as usize]
    }

    /// The events of a thread.
    #[inline(always)]
    pub(super) fn of_thread(&self, thread: u16) -> &Bits<W> {
        &self.threads[thread as usize].events
    }

    #[inline(always)]
    pub(super) fn older(&self, slot: Slot) -> &Bits<W> {
        &self.older[slot as usize]
    }

    /// What a write and its past add to the porf prefix of its reader.
    #[inline(always)]
    pub(super) fn porf_with(&self, slot: Slot) -> Bits<W> {
        if is_init(slot) { Bits::EMPTY } else { self.rows[slot as usize].porf.with(slot) }
    }

    #[inline(always)]
    pub(super) fn order_with(&self, slot: Slot) -> Bits<W> {
        if is_init(slot) { Bits::EMPTY } else { self.rows[slot as usize].order.with(slot) }
    }

    /// Some events and all that come before them in the order.
    pub(super) fn with_order(&self, mut rest: Bits<W>) -> Bits<W> {
        let mut all = Bits::EMPTY;
        // What was added late has most of the others before it.
        while let Some(e) = rest.last() {
            all = all.union(&self.rows[e as usize].order).with(e);
            rest = rest.minus(&all);
        }
        all
    }

    #[inline(always)]
    pub(super) fn hb_with(&self, slot: Slot) -> Bits<W> {
        if is_init(slot) { Bits::EMPTY } else { self.synchronisation[slot as usize].hb.with(slot) }
    }

    #[inline(always)]
    pub(super) fn readers(&self, write: Slot) -> &Bits<W> {
        if is_init(write) { &self.cells[(write - INIT) as usize].readers } else { &self.rows[write as usize].readers }
    }

    #[inline(always)]
    fn readers_mut(&mut self, write: Slot) -> &mut Bits<W> {
        if is_init(write) {
            &mut self.cells[(write - INIT) as usize].readers
        } else {
            &mut self.rows[write as usize].readers
        }
    }

    #[inline(always)]
    pub(super) fn co_next(&self, write: Slot) -> Slot {
        if is_init(write) { self.cells[(write - INIT) as usize].first } else { self.events[write as usize].co_next }
    }

    #[inline(always)]
    pub(super) fn co_previous(&self, write: Slot) -> Slot {
        if is_init(write) { NONE } else { self.events[write as usize].co_previous }
    }

    #[inline(always)]
    pub(super) fn value(&self, plan: &Plan, write: Slot) -> Value {
        if is_init(write) { plan.code.initial[(write - INIT) as usize] } else { self.values[write as usize] }
    }

    /// What a write writes, the write of a read-modify-write that is to come next, or a read-modify-write given by its read and
    /// source.
    pub(super) fn written(&self, plan: &Plan, threads: &Threads, ev: &Ev) -> Value {
        match *threads.action(ev.node) {
            Action::Write { value, .. } => value,
            Action::Library { operation, .. } => operation.written(),
            Action::Update { update, .. } => {
                // Its write follows its read at once.
                let read = || self.event(self.threads[ev.thread as usize].last);
                let source = if ev.kind == Kind::UpdateWrite { read().source } else { ev.source };
                update.written(self.value(plan, source)).unwrap_or_default()
            }
            _ => 0,
        }
    }

    /// The event that stands for a write in an order: a read-modify-write is its read.
    #[inline(always)]
    pub(super) fn part(&self, write: Slot) -> Slot {
        if is_init(write) {
            return write;
        }
        let ev = self.event(write);
        if ev.kind == Kind::UpdateWrite { ev.previous } else { write }
    }

    /// The write of a read-modify-write given by its read, if that is there.
    #[inline(always)]
    pub(super) fn update_of(&self, read: Slot) -> Option<Slot> {
        let ev = self.event(read);
        (ev.writes && !self.pending.contains(read)).then_some(ev.update)
    }

    /// What an event of a set writes, if it does.
    #[inline(always)]
    pub(super) fn written_with(&self, set: &Bits<W>, slot: Slot) -> Option<Slot> {
        match self.event(slot).kind {
            Kind::Write => Some(slot),
            Kind::UpdateRead => self.update_of(slot).filter(|&write| set.contains(write)),
            _ => None,
        }
    }

    /// The place of an event in the order that is kept.
    #[inline(always)]
    pub(super) fn place(&self, slot: Slot) -> u64 {
        if is_init(slot) { 0 } else { self.places.all()[usize::from(slot)] }
    }

    /// The event that a thread would add with this action, without source.
    #[inline(always)]
    pub(super) fn template(&self, thread: u16, threads: &Threads) -> Ev {
        let cursor = &self.threads[thread as usize];
        let (kind, location, mode, library) = match *threads.action(cursor.node) {
            Action::Read { location, mode } => (Kind::Read, location.0 as u16, mode, false),
            Action::Write { location, mode, .. } => (Kind::Write, location.0 as u16, mode, false),
            Action::Update { location, mode, .. } => (Kind::UpdateRead, location.0 as u16, mode, false),
            Action::Library { location, operation } => {
                let kind = if operation.waits() { Kind::UpdateRead } else { Kind::Write };
                (kind, location.0 as u16, operation.mode(), true)
            }
            Action::Fence(mode) => (Kind::Fence, NONE, mode, false),
            // Programs with handlers are refused, and those with inputs of many values.
            Action::Get | Action::Post { .. } | Action::Input => (Kind::End, NONE, Mode::Relaxed, false),
            Action::Error(_) | Action::Stuck | Action::Bound(_) | Action::Finished | Action::Spin => {
                (Kind::End, NONE, Mode::Relaxed, false)
            }
        };
        Ev { kind, mode, library, thread, serial: cursor.serial + 1, location, node: cursor.node, ..Part::BLANK }
    }

    /// The write of a read-modify-write that is begun.
    #[inline(always)]
    pub(super) fn update_template(&self, read: Slot) -> Ev {
        let mut write = *self.event(read);
        (write.kind, write.source, write.writes) = (Kind::UpdateWrite, NONE, false);
        write
    }

    /// What comes before the next event of a thread, that event given by its template.
    #[inline(always)]
    pub(super) fn base(&self, plan: &Plan, ev: &Ev) -> Base<W> {
        let cursor = &self.threads[ev.thread as usize];
        self.base_behind(plan, ev, cursor.last, cursor.events)
    }

    /// What comes before the next event of a thread in porf, whatever that reads.
    #[inline(always)]
    pub(super) fn porf_of_next(&self, ev: &Ev) -> Bits<W> {
        let last = self.threads[ev.thread as usize].last;
        if last == NONE { Bits::EMPTY } else { self.porf_with(last) }
    }

    /// What came before an event of the graph when it was added, but for its source.
    pub(super) fn base_of(&self, plan: &Plan, slot: Slot) -> Base<W> {
        let ev = self.event(slot);
        let own = self.rows[slot as usize].porf.and(self.of_thread(ev.thread));
        self.base_behind(plan, ev, ev.previous, own)
    }

    /// What comes before an event behind `last`, the last of its thread's events `own`.
    #[inline(always)]
    fn base_behind(&self, plan: &Plan, ev: &Ev, last: Slot, own: Bits<W>) -> Base<W> {
        let porf = if last == NONE { Bits::EMPTY } else { self.porf_with(last) };
        let (mut hb, mut pending) = (porf, Bits::EMPTY);
        let (mut order, mut seen) = (Bits::EMPTY, Bits::EMPTY);
        if last != NONE {
            if plan.synchronises {
                let s = &self.synchronisation[last as usize];
                (hb, pending) = (s.hb.with(last), s.pending);
            }
            if plan.global {
                order = match plan.buffers {
                    None => self.order_with(last),
                    Some(buffers) => self.preserved(buffers, ev, last, own),
                };
            }
        }
        if plan.local {
            seen = match plan.happens_before {
                None => own,
                Some(HappensBefore::Porf) => porf,
                Some(HappensBefore::Synchronised(_)) => hb,
            };
        }
        Base { porf, hb, pending, order, last, seen }
    }

    /// What the part of po that store buffers keep puts before the next event of a thread.
    fn preserved(&self, buffers: Buffers, ev: &Ev, last: Slot, own: Bits<W>) -> Bits<W> {
        let before = |slot: Slot| if slot == NONE { Bits::EMPTY } else { self.order_with(slot) };
        let Ev { undelayed, plain_write, .. } = *self.event(last);
        if ev.kind == Kind::End {
            return Bits::EMPTY;
        }
        if buffers == Buffers::OfThreads {
            return match ev.kind {
                Kind::Fence if !ev.mode.is_sc() => Bits::EMPTY,
                Kind::Read => before(undelayed),
                _ => before(undelayed).union(&before(plain_write)),
            };
        }
        let plain = own.and(&self.plain_writes);
        let all = |set: Bits<W>| self.with_order(set);
        let fences = own.and(&self.store_fences);
        match ev.kind {
            Kind::Fence if ev.mode.is_sc() => before(undelayed).union(&all(plain)),
            Kind::Fence if is_store_fence(ev.mode) => all(plain).union(&all(fences)),
            Kind::Fence => Bits::EMPTY,
            Kind::Read => before(undelayed),
            Kind::Write if !ev.library => {
                let same = plain.and(&self.cells[ev.location as usize].writes);
                before(undelayed).union(&all(same)).union(&all(fences))
            }
            Kind::Write => before(undelayed).union(&all(plain)).union(&all(fences)),
            _ => before(undelayed).union(&all(plain)),
        }
    }

    /// The porf prefix of a read with this base and source.
    #[inline(always)]
    pub(super) fn porf_of_read(&self, base: &Base<W>, source: Slot) -> Bits<W> {
        base.porf.union(&self.porf_with(source))
    }

    /// What comes before a read with this base in what is ordered everywhere, its source given.
    pub(super) fn order_of_read(&self, plan: &Plan, ev: &Ev, base: &Base<W>) -> Bits<W> {
        if plan.buffers.is_none() || !is_init(ev.source) && self.event(ev.source).thread != ev.thread {
            base.order.union(&self.order_with(ev.source))
        } else {
            base.order
        }
    }

    /// What happens before a read with this base, its source given.
    pub(super) fn hb_of_read(&self, ev: &Ev, base: &Base<W>) -> Bits<W> {
        if ev.mode.is_acquire() && !is_init(ev.source) {
            base.hb.union(&self.synchronisation[ev.source as usize].release)
        } else {
            base.hb
        }
    }

    /// What comes before a read or one more in what is ordered everywhere, whatever co is.
    #[inline]
    pub(super) fn surely_before_read(&self, plan: &Plan, ev: &Ev, base: &Base<W>) -> Bits<W> {
        match plan.buffers {
            None => self.porf_of_read(base, ev.source),
            Some(_) => self.order_of_read(plan, ev, base),
        }
    }

    /// Whether everything in front of a write in co is out of reach for a read with this base: it has been overwritten by
    /// this write as far as the read can know.
    #[inline(always)]
    pub(super) fn hides(&self, plan: &Plan, base: &Base<W>, write: Slot) -> bool {
        is_init(write)
            || plan.ordered && plan.global_has_fr && base.order.contains(write)
            || base.seen.contains(write)
            || plan.has_co && self.readers(write).intersects(&base.seen)
    }

    /// Whether every place in front of a write in co is out of reach for a write with this base.
    #[inline(always)]
    pub(super) fn hides_place(&self, plan: &Plan, base: &Base<W>, write: Slot) -> bool {
        self.hides(plan, base, write) || plan.ordered && base.order.contains(write)
    }

    /// Where there is no co: the writes of a location that have been overwritten, as far as an event with this base can know,
    /// and whether the initial one has been.
    #[cold]
    pub(super) fn overwritten(&self, base: &Base<W>, location: u16) -> (Bits<W>, bool) {
        let known = self.cell(location).writes.and(&base.seen);
        (self.before_in_porf(known), !known.is_empty())
    }

    /// What comes before some events in porf.
    pub(super) fn before_in_porf(&self, mut rest: Bits<W>) -> Bits<W> {
        let mut all = Bits::EMPTY;
        // As in the order.
        while let Some(e) = rest.last() {
            rest.remove(e);
            all = all.union(&self.rows[e as usize].porf);
            rest = rest.minus(&all);
        }
        all
    }

    /// Whether a read-modify-write has its place between a write and the next one in co.
    #[inline(always)]
    pub(super) fn is_taken(&self, plan: &Plan, write: Slot) -> bool {
        let next = self.co_next(write);
        next != NONE
            && plan.has_co
            && self.event(next).kind == Kind::UpdateWrite
            && self.event(self.event(next).previous).source == write
    }

    /// The last write of each thread that writes a location.
    #[inline(always)]
    pub(super) fn lasts_of_threads(&self, location: u16) -> impl Iterator<Item = Slot> {
        let writes = &self.cell(location).writes;
        let own = self.threads.iter().map(|cursor| writes.and(&cursor.events));
        own.filter_map(|own| own.iter().max_by_key(|&write| self.event(write).serial))
    }

    /// Whether whatever comes last at a location writes the same value: that of the last write of each thread, in which every co
    /// ends. Linear in writes and threads.
    pub(super) fn ends_alike(&self, location: u16) -> bool {
        let mut values = self.lasts_of_threads(location).map(|write| self.values[write as usize]);
        let first = values.next();
        values.all(|value| Some(value) == first)
    }

    /// Whether some other read-modify-write of a set reads a write and has been placed.
    #[inline]
    pub(super) fn is_read_by_other_update(&self, set: &Bits<W>, write: Slot, read: Slot) -> bool {
        let mut readers = self.readers(write).shared_with(set);
        readers.any(|other| other != read && self.update_of(other).is_some())
    }

    /// A write of some events that comes behind another one, or behind the initial one, in every co: its thread wrote that, or read it
    /// before. So it is behind it in porf, and of greater rank.
    #[inline]
    pub(super) fn overtaker(&self, location: u16, write: Slot, set: &Bits<W>) -> Option<Slot> {
        if write == NONE {
            return None;
        }
        let writes = self.cell(location).writes.and(set);
        if is_init(write) {
            return writes.first();
        }
        let behind = |slot: Slot, least: u16| self.behind_in_thread(slot, least, &writes).next();
        behind(write, 1).or_else(|| self.readers(write).and(set).iter().find_map(|read| behind(read, 0)))
    }

    /// Those of some events that have a number in the thread of an event that is greater by so much: both parts of a read-modify-write
    /// have the same.
    #[inline(always)]
    pub(super) fn behind_in_thread(&self, slot: Slot, least: u16, events: &Bits<W>) -> impl Iterator<Item = Slot> {
        let ev = self.event(slot);
        let own = events.and(self.of_thread(ev.thread));
        own.iter().filter(move |&other| self.event(other).serial >= ev.serial + least)
    }

    /// Whether it depends on the order of several SC fences whether a set of events is consistent.
    #[inline(always)]
    pub(super) fn has_open_fences(&self, plan: &Plan, set: &Bits<W>) -> bool {
        plan.orders_fences && self.sc_fences.and(set).len() > 1
    }

    /// A slot for a new event.
    #[inline(always)]
    pub(super) fn free_slot(&mut self, plan: &Plan) -> Option<Slot> {
        let slot = self.live.first_free()?;
        if slot as usize == self.events.len() {
            self.grow(plan);
        }
        Some(slot)
    }

    fn grow(&mut self, plan: &Plan) {
        self.events.push(Part::BLANK);
        self.values.push(Part::BLANK);
        self.rows.push(Part::BLANK);
        self.older.push(Part::BLANK);
        if plan.synchronises {
            self.synchronisation.push(Part::BLANK);
        }
        if !plan.tracks_co {
            self.rejected.push(Part::BLANK);
        }
        if plan.keeps_places {
            self.places.grow();
        }
    }

    /// Puts an event behind its thread's last one, with all that is known before its source or place.
    #[inline(always)]
    fn push(&mut self, plan: &Plan, slot: Slot, event: &Ev, base: &Base<W>, older: Bits<W>) {
        let cursor = &mut self.threads[event.thread as usize];
        let previous = cursor.last;
        cursor.last = slot;
        cursor.serial = event.serial;
        cursor.events.insert(slot);
        let pointers = if plan.has_pointers && previous != NONE {
            let Ev { undelayed, plain_write, release_fence, .. } = self.events[previous as usize];
            (undelayed, plain_write, release_fence)
        } else {
            (NONE, NONE, NONE)
        };
        let ev = &mut self.events[slot as usize];
        *ev = *event;
        ev.previous = previous;
        (ev.undelayed, ev.plain_write, ev.release_fence) = pointers;
        self.live.insert(slot);
        self.log.push((slot, self.changes.len() as u32));
        self.rows[slot as usize] = Rows { porf: base.porf, order: base.order, readers: Bits::EMPTY };
        self.older[slot as usize] = older;
        if plan.synchronises {
            self.synchronisation[slot as usize] =
                Synchronisation { hb: base.hb, release: Bits::EMPTY, pending: base.pending };
        }
    }

    /// Notes where the event stands among those of its thread that store buffers and fences distinguish.
    #[inline(always)]
    fn note_pointers(&mut self, plan: &Plan, slot: Slot) {
        if !plan.has_pointers {
            return;
        }
        let ev = &mut self.events[slot as usize];
        match ev.kind {
            Kind::Write => {
                ev.plain_write = slot;
                self.plain_writes.insert(slot);
            }
            Kind::Read | Kind::UpdateRead | Kind::UpdateWrite => ev.undelayed = slot,
            Kind::Fence => {
                if ev.mode.is_sc() {
                    ev.undelayed = slot;
                    self.sc_fences.insert(slot);
                } else if is_store_fence(ev.mode) {
                    self.store_fences.insert(slot);
                }
                if ev.mode.is_release() {
                    ev.release_fence = slot;
                }
            }
            Kind::End => {}
        }
    }

    /// Puts an event, whose row is complete but for those behind it, in front of another in the order.
    fn put_in_front(&mut self, slot: Slot, next: Slot) {
        let before = self.rows[slot as usize].order.with(slot);
        // What comes before one of them does not come behind the other: the order has no cycle.
        let others = self.live.minus(&before).minus(&self.rows[next as usize].order);
        for e in others.iter() {
            let row = self.rows[e as usize].order;
            if e == next || row.contains(next) {
                self.changes.push((e, row));
                self.rows[e as usize].order = row.union(&before);
            }
        }
    }

    /// A read with its source: the value it takes, and what it then writes.
    #[inline(always)]
    pub(super) fn with_source(&self, plan: &Plan, threads: &Threads, template: &Ev, choice: (Slot, bool)) -> Ev {
        let mut ev = *template;
        Self::take_source(&mut ev, threads, choice, self.value(plan, choice.0));
        ev
    }

    /// What the value of its source makes of a read.
    #[inline(always)]
    fn take_source(ev: &mut Ev, threads: &Threads, (source, spurious): (Slot, bool), value: Value) {
        (ev.source, ev.spurious) = (source, spurious);
        if ev.kind == Kind::UpdateRead {
            match *threads.action(ev.node) {
                Action::Update { update, mode, failure, .. } => {
                    ev.writes = !spurious && update.written(value).is_some();
                    ev.mode = if ev.writes { mode } else { failure };
                }
                Action::Library { .. } => ev.writes = true,
                _ => {}
            }
        }
    }

    /// An event that was removed, as it was before it had a source.
    pub(super) fn template_of(&self, slot: Slot) -> Ev {
        let mut ev = *self.event(slot);
        (ev.source, ev.writes, ev.spurious) = (NONE, false, false);
        ev
    }

    /// Adds a read with its source, [`NONE`] if it waits.
    #[inline(always)]
    pub(super) fn add_read(&mut self, plan: &Plan, threads: &mut Threads, new: &New<'_, W>, choice: (Slot, bool)) {
        let New { slot, event: template, base, older, consistent } = *new;
        let (source, spurious) = choice;
        let location = template.location as usize;
        if source == NONE {
            self.push(plan, slot, template, base, older);
            self.note_pointers(plan, slot);
            self.threads[template.thread as usize].ended = true;
            self.cells[location].reads.insert(slot);
            self.special.insert(slot);
            return;
        }
        let edges = if plan.psc && consistent {
            self.sc_edges(plan, &self.with_source(plan, threads, template, choice), base, source)
        } else {
            None
        };
        let value = self.value(plan, source);
        self.push(plan, slot, template, base, older);
        let ev = &mut self.events[slot as usize];
        Self::take_source(ev, threads, choice, value);
        let (is_sc, writes) = (ev.mode.is_sc(), ev.writes);
        self.note_pointers(plan, slot);
        self.threads[template.thread as usize].node = threads.behind(template.node, value, spurious);
        self.cells[location].reads.insert(slot);
        self.readers_mut(source).insert(slot);
        if writes {
            self.pending.insert(slot);
        }
        if !is_init(source) {
            let porf = base.porf.union(&self.porf_with(source));
            self.rows[slot as usize].porf = porf;
        } else if plan.code.is_uninitialised(crate::program::Location(template.location.into())) && !template.library {
            self.special.insert(slot);
        }
        if plan.synchronises {
            self.synchronise_read(plan, slot, base);
        }
        if plan.tracks_co {
            let next = self.co_next(source);
            if plan.ordered {
                self.rows[slot as usize].order = self.order_of_read(plan, self.event(slot), base);
                if next != NONE && consistent && plan.global_has_fr {
                    self.put_in_front(slot, next);
                }
            } else if let Some(edges) = edges {
                self.order_sc(slot, &edges);
            }
            if template.library
                || spurious
                || self.event(slot).takes_later_value()
                || next != NONE && self.comes_behind(next, &older)
            {
                self.not_maximal.insert(slot);
            }
        } else {
            if !template.library && self.overtaker(template.location, source, &older).is_some() {
                self.not_maximal.insert(slot);
            }
            if plan.buffers.is_some() {
                self.rows[slot as usize].order = self.order_of_read(plan, self.event(slot), base);
            }
            if plan.poses_sc && is_sc {
                let ev = self.event(slot);
                let (hb, source) = (self.hb_of_read(ev, base), self.fixed_source(plan, ev));
                self.rows[slot as usize].order = self.before_sc_access(plan, ev, base, &hb, &source);
            }
        }
    }

    /// Whether a write or one behind it in co is in a set.
    #[inline(always)]
    fn comes_behind(&self, first: Slot, set: &Bits<W>) -> bool {
        let mut write = first;
        while write != NONE {
            if set.contains(write) {
                return true;
            }
            write = self.co_next(write);
        }
        false
    }

    /// Adds a write immediately behind another in co.
    #[inline(always)]
    pub(super) fn add_write(&mut self, plan: &Plan, threads: &mut Threads, new: &New<'_, W>, front: Slot) {
        let New { slot, event: template, base, older, consistent } = *new;
        let ev = template;
        let location = ev.location as usize;
        let next = self.co_next(front);
        let psc = plan.psc && consistent;
        let edges = if psc { self.sc_edges(plan, ev, base, front) } else { None };
        self.values[slot as usize] = self.written(plan, threads, ev);
        self.push(plan, slot, ev, base, older);
        let added = &mut self.events[slot as usize];
        (added.co_previous, added.co_next) = (front, next);
        self.note_pointers(plan, slot);
        if ev.kind == Kind::UpdateWrite {
            let read = self.event(slot).previous;
            self.pending.remove(read);
            self.events[read as usize].update = slot;
        } else {
            self.threads[ev.thread as usize].node = threads.behind(ev.node, 0, false);
        }
        self.set_co_next(front, slot);
        let cell = &mut self.cells[location];
        cell.writes.insert(slot);
        cell.count += 1;
        if next == NONE {
            cell.last = slot;
        } else {
            self.events[next as usize].co_previous = slot;
        }
        if plan.synchronises {
            self.synchronise_write(plan, slot, base);
        }
        if plan.tracks_co {
            if plan.ordered {
                let mut order = base.order.union(&self.order_with(front));
                if plan.global_has_fr {
                    for reader in self.readers(front).iter().filter(|&reader| reader != slot) {
                        order = order.union(&self.order_with(reader));
                    }
                }
                self.rows[slot as usize].order = order;
                if next != NONE && consistent {
                    self.put_in_front(slot, next);
                }
            } else if let Some(edges) = edges {
                self.order_sc(slot, &edges);
            }
            if next != NONE {
                self.not_maximal.insert(slot);
            }
        } else {
            if plan.poses_sc && ev.mode.is_sc() {
                self.rows[slot as usize].order = self.before_sc_access(plan, ev, base, &base.hb, &Bits::EMPTY);
            }
        }
    }

    #[inline(always)]
    fn set_co_next(&mut self, write: Slot, next: Slot) {
        if is_init(write) {
            self.cells[(write - INIT) as usize].first = next;
        } else {
            self.events[write as usize].co_next = next;
        }
    }

    /// Adds a fence, or an event that ends its thread.
    pub(super) fn add_other(&mut self, plan: &Plan, threads: &mut Threads, slot: Slot, ev: &Ev, base: &Base<W>) {
        let older = self.live;
        self.push(plan, slot, ev, base, older);
        self.note_pointers(plan, slot);
        if ev.kind == Kind::Fence {
            self.threads[ev.thread as usize].node = threads.behind(ev.node, 0, false);
            if plan.synchronises {
                if ev.mode.is_sc() {
                    self.sc_fences.insert(slot);
                    self.sc.insert(slot);
                }
                let s = &mut self.synchronisation[slot as usize];
                if ev.mode.is_acquire() {
                    s.hb = s.hb.union(&s.pending);
                }
                if (plan.psc || plan.poses_sc) && ev.mode.is_sc() {
                    self.order_fence(plan, slot);
                }
            } else if ev.mode.is_sc() {
                self.sc_fences.insert(slot);
            }
        } else {
            self.threads[ev.thread as usize].ended = true;
            match threads.action(ev.node) {
                Action::Stuck | Action::Spin => self.stuck.insert(slot),
                _ => self.special.insert(slot),
            }
        }
    }

    /// Takes back the event added last.
    #[inline(always)]
    pub(super) fn pop(&mut self, plan: &Plan) {
        let Some((slot, changes)) = self.log.pop() else { return };
        // Not all of it: this is copied for each event.
        let Ev { kind, thread, serial, location, source, previous, node, .. } = self.events[slot as usize];
        while self.changes.len() > changes as usize {
            if let Some((e, row)) = self.changes.pop() {
                self.rows[e as usize].order = row;
            }
        }
        if plan.keeps_places {
            self.places.take_back(slot);
        }
        self.live.remove(slot);
        self.not_maximal.remove(slot);
        self.special.remove(slot);
        let cursor = &mut self.threads[thread as usize];
        cursor.last = previous;
        cursor.events.remove(slot);
        cursor.ended = false;
        self.first_thread = self.first_thread.min(thread);
        if kind == Kind::UpdateWrite {
            self.pending.insert(previous);
        } else {
            cursor.node = node;
            cursor.serial = serial - 1;
        }
        match kind {
            Kind::Read | Kind::UpdateRead => {
                self.cells[location as usize].reads.remove(slot);
                self.pending.remove(slot);
                if source != NONE {
                    self.readers_mut(source).remove(slot);
                }
            }
            Kind::Write | Kind::UpdateWrite => self.unlink(slot),
            Kind::Fence => self.store_fences.remove(slot),
            Kind::End => self.stuck.remove(slot),
        }
        if plan.has_pointers {
            self.plain_writes.remove(slot);
            self.sc_fences.remove(slot);
            self.sc.remove(slot);
            self.non_atomic.remove(slot);
            self.acquire_reads.remove(slot);
        }
    }

    #[inline(always)]
    fn unlink(&mut self, slot: Slot) {
        let Ev { location, co_previous, co_next, .. } = self.events[slot as usize];
        self.set_co_next(co_previous, co_next);
        let cell = &mut self.cells[location as usize];
        cell.writes.remove(slot);
        cell.count -= 1;
        if co_next == NONE {
            cell.last = co_previous;
        } else {
            self.events[co_next as usize].co_previous = co_previous;
        }
    }

    /// Removes events so that those `kept` stay and the read `revisited` can be added again with another source. Both what
    /// goes and the read must have no porf successors that stay. Nothing of what stays can be taken back.
    pub(super) fn restrict(&mut self, plan: &Plan, kept: &Bits<W>, revisited: Slot) {
        let gone = self.live.minus(kept);
        for e in gone.iter() {
            let Ev { kind, location, source, .. } = self.events[e as usize];
            match kind {
                Kind::Read | Kind::UpdateRead => {
                    self.cells[location as usize].reads.remove(e);
                    if source != NONE {
                        self.readers_mut(source).remove(e);
                    }
                }
                Kind::Write | Kind::UpdateWrite => self.unlink(e),
                Kind::Fence | Kind::End => {}
            }
        }
        for thread in 0..self.threads.len() {
            let mut cursor = self.threads[thread];
            if !cursor.events.intersects(&gone) {
                continue;
            }
            let mut last = cursor.last;
            while last != NONE && gone.contains(last) {
                let ev = &self.events[last as usize];
                cursor.ended = false;
                if ev.kind == Kind::UpdateWrite {
                    self.pending.insert(ev.previous);
                } else {
                    cursor.node = ev.node;
                    cursor.serial = ev.serial - 1;
                }
                last = ev.previous;
            }
            cursor.last = last;
            cursor.events = cursor.events.and(kept);
            self.threads[thread] = cursor;
            self.first_thread = self.first_thread.min(thread as u16);
        }
        for set in [
            &mut self.live,
            &mut self.pending,
            &mut self.not_maximal,
            &mut self.stuck,
            &mut self.special,
            &mut self.non_atomic,
            &mut self.sc,
            &mut self.sc_fences,
            &mut self.plain_writes,
            &mut self.store_fences,
            &mut self.acquire_reads,
        ] {
            *set = set.and(kept);
        }
        let with_read = kept.with(revisited);
        for e in kept.iter().map(usize::from) {
            let row = &self.rows[e];
            if !row.order.union(&row.readers).minus(kept).is_empty() {
                let row = &mut self.rows[e];
                row.order = row.order.and(kept);
                row.readers = row.readers.and(kept);
            }
            let older = self.older[e];
            if !older.minus(&with_read).is_empty() {
                self.older[e] = older.and(&with_read);
                if !plan.tracks_co {
                    // It was rejected by more events.
                    self.rejected[e] = Bits::EMPTY;
                }
            }
        }
        // What was deleted may have been what made these not maximal.
        let doubtful = self.not_maximal.minus(&self.older[revisited as usize]);
        for e in doubtful.iter() {
            if !self.is_beaten(plan, e) {
                self.not_maximal.remove(e);
            }
        }
        if plan.races {
            for e in self.special.iter() {
                if !self.is_special(plan, e) {
                    self.special.remove(e);
                }
            }
        }
    }

    /// Whether an event is not maximal among those added before it.
    fn is_beaten(&self, plan: &Plan, slot: Slot) -> bool {
        let ev = self.event(slot);
        let older = *self.older(slot);
        match ev.kind {
            Kind::Read | Kind::UpdateRead if !plan.tracks_co => {
                !ev.library && self.overtaker(ev.location, ev.source, &older).is_some()
            }
            Kind::Write | Kind::UpdateWrite if !plan.tracks_co => self.readers(slot).intersects(&older),
            Kind::Read | Kind::UpdateRead => {
                ev.source != NONE
                    && (ev.library
                        || ev.spurious
                        || ev.takes_later_value()
                        || self.comes_behind(self.co_next(ev.source), &older))
            }
            Kind::Write | Kind::UpdateWrite => {
                self.readers(slot).intersects(&older) || self.comes_behind(ev.co_next, &older)
            }
            Kind::Fence | Kind::End => false,
        }
    }
}

fn is_store_fence(mode: Mode) -> bool {
    matches!(mode, Mode::Release | Mode::AcquireRelease)
}

impl<const W: usize> Graph<W>
where
    Bits<W>: Lists,
{
    /// What an event is called across graphs.
    pub(super) fn key(&self, slot: Slot) -> EventKey {
        if is_init(slot) {
            return EventKey { thread: ThreadId::INIT, serial: (slot - INIT).into() };
        }
        let ev = self.event(slot);
        EventKey { thread: ThreadId(ev.thread), serial: ev.serial.into() }
    }

    /// The events of a set in the order they were added.
    pub(super) fn by_age(&self, set: &Bits<W>) -> Vec<Slot> {
        let aged = |slot| (self.older(slot).len() << Slot::BITS) | u32::from(slot);
        let mut all: Vec<u32> = set.iter().map(aged).collect();
        all.sort_unstable();
        all.into_iter().map(|aged| aged as Slot).collect()
    }

    /// The events of a set, closed under porf, as an execution, with the co among them if that is tracked; and one more
    /// read or write, not in the graph, a read with its source or none. What a read-modify-write writes that has no place
    /// in co yet is in it only if that is wanted.
    pub(super) fn execution(
        &self,
        plan: &Plan,
        threads: &Threads,
        set: &Bits<W>,
        more: Option<(&Ev, Slot)>,
        begun: Begun,
    ) -> (Execution, Option<Coherence>) {
        let mut graph = Execution::initial(&plan.code);
        let mut ids = vec![None; self.events.len()];
        let id = |ids: &[Option<EventId>], slot: Slot| {
            if is_init(slot) { Some(EventId((slot - INIT).into())) } else { ids[slot as usize] }
        };
        let event = |ev: &Ev, placed: bool| {
            let span = threads.state(ev.node).span(&plan.code, ev.thread.into()).unwrap_or_default();
            let mut event = Event {
                key: EventKey { thread: ThreadId(ev.thread), serial: ev.serial.into() },
                label: Execution::label(*threads.action(ev.node)),
                value_read: None,
                value_written: (ev.kind == Kind::Write).then(|| self.written(plan, threads, ev)),
                span,
            };
            if matches!(ev.kind, Kind::Read | Kind::UpdateRead) && ev.source != NONE {
                event.value_read = Some(self.value(plan, ev.source));
                event.value_written = (ev.writes && placed).then(|| self.written(plan, threads, ev));
            }
            event
        };
        let order = self.by_age(set);
        let mut placed: Bits<W> = Bits::EMPTY;
        for write in order.iter().map(|&slot| self.event(slot)).filter(|ev| ev.kind == Kind::UpdateWrite) {
            placed.insert(write.previous);
        }
        for &slot in &order {
            let ev = self.event(slot);
            if ev.kind == Kind::UpdateWrite {
                ids[slot as usize] = ids[ev.previous as usize];
            } else {
                ids[slot as usize] = Some(graph.restore(event(ev, begun == Begun::Written || placed.contains(slot))));
            }
        }
        for &slot in &order {
            let ev = self.event(slot);
            if matches!(ev.kind, Kind::Read | Kind::UpdateRead)
                && ev.source != NONE
                && let (Some(read), Some(source)) = (id(&ids, slot), id(&ids, ev.source))
            {
                graph.set_source_only(read, source);
            }
        }
        if let Some((ev, source)) = more {
            let read = graph.restore(event(ev, true));
            if source != NONE
                && let Some(source) = id(&ids, source)
            {
                graph.set_source_only(read, source);
            }
        }
        let co = plan.tracks_co.then(|| {
            let list = |location: usize| {
                let mut list = vec![EventId(location as u32)];
                let mut write = self.co_next(INIT + location as Slot);
                while write != NONE {
                    list.extend(set.contains(write).then(|| id(&ids, write)).flatten());
                    write = self.co_next(write);
                }
                list
            };
            (0..self.cells.len()).map(list).collect()
        });
        (graph, co)
    }
}

/// The operation of a library object that an event is part of.
pub(super) fn operation(threads: &Threads, ev: &Ev) -> Option<Operation> {
    match *threads.action(ev.node) {
        Action::Library { operation, .. } if ev.library => Some(operation),
        _ => None,
    }
}
