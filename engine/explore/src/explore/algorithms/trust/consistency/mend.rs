//! The run that is kept (`witness.rs`), mended for one more read.
//!
//! A read that has no room in the run mostly gets some if a few events change places. What it has to follow comes in front of the
//! write that overwrites its source; or its source comes behind the writes that it knows of. Each of these draws others along: what
//! comes before it or behind it in any run, a read that something else would be written over, what was written last for those that
//! read it later. Only the events from the source to the last one that the read has to follow are looked at; all others keep
//! their places.
//!
//! What is found is a run. If none is found, that says nothing where others were drawn along by a guess: of a read and two writes
//! in the wrong order, either may give way. Where each had to come along, there is no run: what has to come behind one of the writes
//! that the read knows of, and comes in front of it in any run, refuses the source.
//!
//! Which of the two moves: the source, behind the writes that the read knows of, with what comes behind it in any run; or the
//! read, with what comes before it in any run, in front of the write that overwrites its source. A read that would see another
//! write then draws one of the two writes along, or comes along itself; a forced choice counts as such. So most refusals need no
//! saturation.

use super::super::bits::Bits;
use super::super::graph::{Graph, Kind, NONE, Slot, is_init};
use super::super::plan::Plan;
use super::super::store::Lists;
use super::question::{More, Room};

/// How many orders are tried for one read.
const TRIES: usize = 8;

/// The write of the one more read.
const MORE: Slot = NONE - 1;

/// A run of some of the events in a graph, and of one more read.
#[derive(Clone, Debug, Default)]
pub(super) struct Mend {
    /// Whether one was found.
    pub found: bool,
    /// The events in their new order, [`NONE`] for the read.
    pub order: Vec<Slot>,
    /// The order that is tried.
    tried: Vec<Slot>,
    /// What comes in front of them and behind them.
    pub room: Room,
    /// Their places as they are.
    places: Vec<(u64, Slot)>,
    /// By location: what is written there last in the run as it is; [`NONE`] where nothing is.
    last: Vec<Slot>,
    /// By location: what was written there last, of the events that have come.
    newest: Vec<Slot>,
}

/// Why an order is no run.
enum Misfit<const W: usize> {
    /// A read, or the one more: something else was written to its location last, or its own thread's writes are still to come.
    Read { read: Slot, newest: Slot, own: Bits<W> },
    /// Later events read what was last, but something else is now.
    Later { last: Slot, newest: Slot },
    /// Who reads a write knows of others, which are still to come.
    Known { write: Slot, others: Bits<W> },
}

/// No run was found; there is none if that is certain.
struct Stuck {
    is_certain: bool,
}

/// There may be another one.
const UNKNOWN: Stuck = Stuck { is_certain: false };

/// Whether there is a run, if that was found out.
fn is_there(found: Result<(), Stuck>) -> Option<bool> {
    match found {
        Ok(()) => Some(true),
        Err(Stuck { is_certain }) => is_certain.then_some(false),
    }
}

/// A run in need of room for a read.
struct Mending<'g, const W: usize>
where
    Bits<W>: Lists,
{
    graph: &'g Graph<W>,
    plan: &'g Plan,
    set: &'g Bits<W>,
    more: More<'g, W>,
    /// The events in front and behind, which keep their places.
    front: Bits<W>,
    behind: Bits<W>,
    mend: &'g mut Mend,
    tries: usize,
}

impl<const W: usize> Graph<W>
where
    Bits<W>: Lists,
{
    /// Looks for a run of a set of events, which have places, and one more read that has no room among them; whether there is one, if
    /// that was found out.
    pub(super) fn mend_run(&self, plan: &Plan, set: &Bits<W>, more: More<'_, W>, mend: &mut Mend) -> Option<bool> {
        let done = Mending::new(self, plan, set, more, mend).find();
        mend.found = done.is_ok();
        is_there(done)
    }

    /// Looks for a run of all events in which some writes, each of another location, are last; whether there is one, if that was
    /// found out. As for one more read of each that comes behind all events.
    pub(super) fn mend_lasts(&self, plan: &Plan, lasts: &[Slot], mend: &mut Mend) -> Option<bool> {
        if self.places.unplaced.intersects(&self.live) {
            return None;
        }
        // Only events of the graph move; what stands for one more is not looked at.
        let ev = self.event(*lasts.first()?);
        let more = More { ev, base: &self.base(plan, ev), whole: false };
        let done = Mending::new(self, plan, &self.live, more, mend).find_lasts(lasts);
        mend.found = false;
        is_there(done)
    }

    /// Where the chain of read-modify-writes begins that a write is the last of, and what stands for its events, between which
    /// nothing comes; `None` if that is at the initial write.
    fn chain(&self, write: Slot) -> Option<(u64, Bits<W>)> {
        let (mut source, mut parts) = (write, Bits::EMPTY.with(self.part(write)));
        while self.event(source).kind == Kind::UpdateWrite {
            source = self.event(self.event(source).previous).source;
            if is_init(source) {
                return None;
            }
            parts.insert(self.part(source));
        }
        Some((self.place(source), parts))
    }
}

impl<'g, const W: usize> Mending<'g, W>
where
    Bits<W>: Lists,
{
    fn new(graph: &'g Graph<W>, plan: &'g Plan, set: &'g Bits<W>, more: More<'g, W>, mend: &'g mut Mend) -> Self {
        Self { graph, plan, set, more, front: Bits::EMPTY, behind: Bits::EMPTY, mend, tries: 0 }
    }

    fn find(&mut self) -> Result<(), Stuck> {
        let (graph, plan, More { ev, base, .. }) = (self.graph, self.plan, self.more);
        let updates = self.more.updates();
        let before = graph.surely_before_read(plan, ev, base).and(self.set);
        let own = if plan.buffers.is_some() {
            // Its thread has written it, though it may be in the buffer.
            base.porf.and(graph.of_thread(ev.thread)).and(self.set)
        } else {
            Bits::EMPTY
        };
        let mut known = before.union(&own).and(&graph.cell(ev.location).writes);
        let mut moving = Bits::EMPTY;
        let mut from = graph.place(ev.source);
        if is_init(ev.source) {
            if !known.is_empty() {
                return Err(Stuck { is_certain: true });
            }
        } else {
            known.remove(ev.source);
            moving.insert(graph.part(ev.source));
        }
        let late = known.iter().any(|write| graph.place(write) > from);
        if late {
            (from, moving) = graph.chain(ev.source).ok_or(Stuck { is_certain: true })?;
        }
        let mut followed = before.union(&known);
        if updates {
            // Nothing comes between it and its write.
            followed = followed.union(&graph.readers(ev.source).and(self.set));
        }
        let to = followed.iter().map(|slot| graph.place(slot)).max().unwrap_or(0).max(from);
        self.collect(from, to);
        if late {
            self.delay_source(ev.source, &known, moving)?;
        }
        if !plan.global_has_fr && !updates {
            // What overwrites its source need not come behind it.
            self.mend.order.push(NONE);
            return Ok(());
        }
        self.bring_forward(before)
    }

    /// The same for a read of each of some writes that comes behind all events.
    fn find_lasts(&mut self, lasts: &[Slot]) -> Result<(), Stuck> {
        let graph = self.graph;
        // What is last of a chain that begins at the initial write, and may be last of all, is so already.
        let from = |&last: &Slot| graph.chain(last).map_or(graph.place(last), |(place, _)| place);
        self.collect(lasts.iter().map(from).min().unwrap_or(0), u64::MAX);
        loop {
            let mut is_done = true;
            for &last in lasts {
                let others = graph.cell(graph.event(last).location).writes.without(last);
                if self.known_behind(last, &others).is_some() {
                    is_done = false;
                    let (_, moving) = graph.chain(last).ok_or(UNKNOWN)?;
                    self.delay_source(last, &others, moving)?;
                }
            }
            if is_done {
                return Ok(());
            }
        }
    }

    /// Lets a source come behind the writes that its read knows of, with what else is `moving`.
    fn delay_source(&mut self, source: Slot, known: &Bits<W>, moving: Bits<W>) -> Result<(), Stuck> {
        while let Some(last) = self.known_behind(source, known) {
            self.delay(moving, last)?;
            self.try_again()?;
        }
        Ok(())
    }

    /// Puts the events with these places in order.
    fn collect(&mut self, from: u64, to: u64) {
        let (graph, mend) = (self.graph, &mut *self.mend);
        mend.places.clear();
        let (mut front, mut behind) = (0, u64::MAX);
        for slot in self.set.iter() {
            let place = graph.place(slot);
            if place < from {
                self.front.insert(slot);
                front = front.max(place);
            } else if place > to {
                self.behind.insert(slot);
                behind = behind.min(place);
            } else if place > 0 && graph.event(slot).kind != Kind::UpdateWrite {
                mend.places.push((place, slot));
            }
        }
        mend.places.sort_unstable();
        mend.room = (front, behind);
        mend.order.clear();
        mend.order.extend(mend.places.iter().map(|&(_, slot)| slot));
        mend.last.clear();
        mend.last.resize(graph.cells.len(), NONE);
        for &slot in &mend.order {
            if let Some(write) = graph.written_with(self.set, slot) {
                mend.last[usize::from(graph.event(slot).location)] = write;
            }
        }
    }

    /// The last of some writes of a location, if it comes behind a source: where it comes.
    fn known_behind(&self, source: Slot, known: &Bits<W>) -> Option<usize> {
        let (graph, source) = (self.graph, self.graph.part(source));
        let is_known = |slot: Slot| graph.written_with(self.set, slot).is_some_and(|write| known.contains(write));
        let last = self.mend.order.iter().rposition(|&slot| slot == source || is_known(slot))?;
        (self.mend.order[last] != source).then_some(last)
    }

    /// Lets the source come behind a write that the read knows of, with what comes behind it and some others.
    fn delay(&mut self, mut moving: Bits<W>, last: usize) -> Result<(), Stuck> {
        let (graph, plan) = (self.graph, self.plan);
        let behind = self.mend.order[last];
        // Whether all that moves has to come behind that one in any run.
        let mut is_certain = true;
        loop {
            self.mend.tried.clear();
            for &slot in &self.mend.order[..=last] {
                if moving.contains(slot) || self.before(slot).intersects(&moving) {
                    moving.insert(slot);
                } else {
                    self.mend.tried.push(slot);
                }
            }
            if moving.contains(behind) {
                return Err(Stuck { is_certain });
            }
            let Mend { order, tried, .. } = &mut *self.mend;
            tried.extend(order[..=last].iter().filter(|&&slot| moving.contains(slot)));
            tried.extend(&order[last + 1..]);
            let (next, has_to) = match self.check() {
                Ok(()) => break,
                // It can't be read over a write of its own thread.
                Err(Misfit::Read { read, own, .. }) if !moving.contains(read) => (read, !own.is_empty()),
                Err(Misfit::Read { newest: NONE, .. }) => return Err(UNKNOWN),
                Err(Misfit::Read { read, newest, own }) => {
                    // What is read behind that write was written behind it.
                    let is_behind = own.is_empty() && graph.part(newest) == behind;
                    let source = graph.event(read).source;
                    if is_behind && is_init(source) {
                        return Err(Stuck { is_certain });
                    }
                    let next = if is_behind || !plan.global_has_fr { source } else { newest };
                    (graph.part(next), is_behind)
                }
                Err(Misfit::Known { write, .. }) => (graph.part(write), true),
                Err(Misfit::Later { last, .. }) => (graph.part(last), false),
            };
            if is_init(next) || moving.contains(next) {
                return Err(UNKNOWN);
            }
            moving.insert(next);
            is_certain &= has_to;
            self.try_again()?;
        }
        let Mend { order, tried, .. } = &mut *self.mend;
        std::mem::swap(order, tried);
        Ok(())
    }

    /// Lets the read, and what it has to follow, come in front of the write that overwrites its source.
    fn bring_forward(&mut self, mut coming: Bits<W>) -> Result<(), Stuck> {
        let (graph, ev) = (self.graph, self.more.ev);
        let overwrites = |slot: Slot| {
            graph.event(slot).location == ev.location
                && graph.written_with(self.set, slot).is_some_and(|write| write != ev.source)
        };
        let source = if is_init(ev.source) {
            0
        } else {
            let source = graph.part(ev.source);
            1 + self.mend.order.iter().position(|&slot| slot == source).ok_or(UNKNOWN)?
        };
        let next = self.mend.order[source..].iter().position(|&slot| overwrites(slot));
        let next = next.map_or(self.mend.order.len(), |at| source + at);
        // Whether all that comes in front has to come before the read in any run.
        let mut is_certain = true;
        loop {
            let mut between = NONE;
            let Mend { order, tried, .. } = &mut *self.mend;
            tried.clear();
            tried.extend(&order[..next]);
            for &slot in &order[next..] {
                if coming.contains(slot) {
                    between = if overwrites(slot) { slot } else { between };
                    tried.push(slot);
                }
            }
            if between != NONE {
                return Err(Stuck { is_certain: is_certain && self.follows(between, ev.source) });
            }
            tried.push(NONE);
            tried.extend(order[next..].iter().filter(|&&slot| !coming.contains(slot)));
            let (more, has_to) = match self.check() {
                Ok(()) => break,
                Err(Misfit::Read { read: NONE, .. }) => return Err(UNKNOWN),
                Err(Misfit::Read { read, own, .. }) if coming.contains(read) => (own, false),
                Err(Misfit::Read { read, newest, own }) => {
                    // What comes behind the source of a read and in front of this one comes behind that read.
                    let written = graph.part(newest);
                    let is_between = !is_init(written)
                        && coming.contains(written)
                        && self.follows(written, graph.event(read).source);
                    (Bits::EMPTY.with(read), own.is_empty() && is_between)
                }
                Err(Misfit::Later { newest, .. }) if newest == MORE => return Err(UNKNOWN),
                Err(Misfit::Later { newest, .. }) => (Bits::EMPTY.with(graph.part(newest)), false),
                Err(Misfit::Known { others, .. }) => (others, true),
            };
            is_certain &= has_to;
            if more.minus(&coming).is_empty() {
                return Err(UNKNOWN);
            }
            for slot in more.iter() {
                coming = coming.union(&self.before(slot)).with(slot);
            }
            self.try_again()?;
        }
        let Mend { order, tried, .. } = &mut *self.mend;
        std::mem::swap(order, tried);
        Ok(())
    }

    /// Unless that was often enough.
    fn try_again(&mut self) -> Result<(), Stuck> {
        self.tries += 1;
        if self.tries < TRIES { Ok(()) } else { Err(UNKNOWN) }
    }

    /// Whether an event comes behind a write in any run.
    fn follows(&self, slot: Slot, write: Slot) -> bool {
        is_init(write) || self.before(slot).contains(self.graph.part(write))
    }

    /// What comes before an event in any run.
    fn before(&self, slot: Slot) -> Bits<W> {
        let row = &self.graph.rows[usize::from(slot)];
        if self.plan.buffers.is_none() {
            return row.porf;
        }
        match self.graph.written_with(self.set, slot) {
            Some(write) if write != slot => row.order.union(&self.graph.rows[usize::from(write)].order),
            _ => row.order,
        }
    }

    /// Whether the order that is tried is a run.
    fn check(&mut self) -> Result<(), Misfit<W>> {
        let (graph, more) = (self.graph, self.more);
        let mut done = self.front;
        let Mend { tried, newest, last, .. } = &mut *self.mend;
        newest.clear();
        newest.resize(graph.cells.len(), NONE);
        for &slot in tried.iter() {
            let ev = if slot == NONE { more.ev } else { graph.event(slot) };
            let location = usize::from(ev.location);
            let write = match slot {
                NONE => Some(MORE).filter(|_| more.updates()),
                _ => graph.written_with(self.set, slot),
            };
            let reads = matches!(ev.kind, Kind::Read | Kind::UpdateRead) && ev.source != NONE;
            if reads && (self.plan.global_has_fr || write.is_some()) {
                let is_done = is_init(ev.source) || done.contains(ev.source);
                let is_newest = newest[location] == ev.source || newest[location] == NONE && is_done;
                let mut own = Bits::EMPTY;
                let mut is_buffered = false;
                if self.plan.buffers.is_some() {
                    is_buffered = ev.kind == Kind::Read && !is_done && graph.event(ev.source).thread == ev.thread;
                    let porf = if slot == NONE { &more.base.porf } else { &graph.rows[usize::from(slot)].porf };
                    own = porf.and(graph.of_thread(ev.thread));
                    own = own.and(&graph.cell(ev.location).writes).and(self.set).minus(&done);
                }
                if !is_buffered && (!is_newest || !own.is_empty()) {
                    return Err(Misfit::Read { read: slot, newest: newest[location], own });
                }
            }
            if slot != NONE {
                done.insert(slot);
            }
            let Some(write) = write else { continue };
            newest[location] = write;
            if slot == NONE {
                continue;
            }
            done.insert(write);
            if !self.plan.global_has_fr {
                let readers = graph.readers(write).and(self.set).iter();
                let known =
                    readers.fold(Bits::EMPTY, |all: Bits<W>, read| all.union(&graph.rows[usize::from(read)].porf));
                let others = known.and(&graph.cell(ev.location).writes).and(self.set).minus(&done);
                if !others.is_empty() {
                    return Err(Misfit::Known { write, others });
                }
            }
        }
        for (&last, &newest) in last.iter().zip(newest.iter()) {
            if last == newest || last == NONE {
                continue;
            }
            // Where fr is not ordered everywhere, other reads may come later.
            let mut later = graph.readers(last).and(&self.behind).iter();
            if later.any(|read| self.plan.global_has_fr || graph.written_with(self.set, read).is_some()) {
                return Err(Misfit::Later { last, newest });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
use super::super::graph::Ev;

#[cfg(test)]
impl<const W: usize> Graph<W>
where
    Bits<W>: Lists,
{
    /// That the places of some events are a run, if all of them have one.
    pub(super) fn assert_run(&self, plan: &Plan, set: &Bits<W>) {
        let Some(first) = set.first().filter(|_| plan.keeps_run && !self.places.unplaced.intersects(set)) else {
            return;
        };
        let (ev, mut mend) = (self.event(first), Mend::default());
        let more = More { ev, base: &self.base(plan, ev), whole: false };
        let mut mending = Mending::new(self, plan, set, more, &mut mend);
        mending.collect(0, u64::MAX);
        let mut done: Bits<W> = Bits::EMPTY;
        for &slot in &mending.mend.order {
            done.insert(slot);
            // Who waits is nowhere in particular.
            let waits = |ev: &Ev| matches!(ev.kind, Kind::Read | Kind::UpdateRead) && ev.source == NONE;
            let mut missing = mending.before(slot).and(set).minus(&done).iter();
            let comes = waits(self.event(slot)) || missing.all(|slot| waits(self.event(slot)));
            assert!(comes, "what comes before {slot} under {:?}", plan.model);
            done = self.written_with(set, slot).map_or(done, |write| done.with(write));
        }
        mending.mend.tried = mending.mend.order.clone();
        assert!(mending.check().is_ok(), "{:?} is no run under {:?}", mending.mend.order, plan.model);
    }
}
