//! What comes before what in each run of some events, as far as that follows without a guess; perhaps of those in which some writes
//! are last.
//!
//! Where fr is ordered everywhere, a read of w puts each write of its location that comes before it in front of w, and comes
//! itself before each write behind w. Where only co is (SRA), that holds for read-modify-writes, which nothing comes between;
//! another read puts in front of w what it knows of through porf alone. This is applied until nothing changes: a cycle refuses,
//! and what is left is what a search for a run may rely on. It decides neither way for certain (`model/stages` has a graph
//! without a cycle and without a run). Both parts of a read-modify-write are one event here, which stands for its read.
//!
//! Under SC another run is made from the next event of each thread, with the buffers of TSO and PSO from all that are left. What
//! comes before each event is kept as words, and for those that a rule asks about, what comes behind it. So what a rule still
//! has to order is a difference of sets. Both begin anew with each question: a question of a revisit is about a part of the
//! graph, of which what was found of the whole need not hold.

use super::super::bits::Bits;
use super::super::graph::{Ev, Graph, Kind, NONE, Slot, is_init};
use super::super::plan::Plan;
use super::super::store::{List, Lists};
use super::question::More;

/// How many events are saturated. More take more room than a run is worth; of these nothing is known.
const MOST_EVENTS: u32 = 512;

/// Units of work that one saturation may be. Ending it early loses an answer, not the truth.
const MOST_WORK: u64 = 20_000;

/// What is known of the order of some events, and perhaps of one more read, which nothing but fr comes behind.
pub(super) struct Saturation<const W: usize> {
    /// The accesses of locations that threads share and write.
    nodes: Bits<W>,
    /// Of these, the reads of read-modify-writes whose write is there, too.
    updates: Bits<W>,
    /// By slot: what comes before it.
    before: Vec<Bits<W>>,
    /// By slot: what comes behind it, of those that were asked for.
    behind: Vec<Bits<W>>,
    asked: Bits<W>,
    /// The slot of the one more read here, if there is one: one that the set has free.
    pub more: Slot,
    /// About how many units of work it was.
    pub cost: u64,
}

/// A read, and the writes that it has to be ordered with.
struct Reading<const W: usize> {
    read: Slot,
    /// [`NONE`] if it is the initial write.
    source: Slot,
    /// The other writes of the location.
    others: Bits<W>,
    /// Of these, what it knows of, whatever else comes before it.
    known: Bits<W>,
    /// What comes before it, it knows of, and what comes behind its source has to come behind it.
    knows_all: bool,
}

/// No run is left.
struct Cycle;

impl<const W: usize> Saturation<W>
where
    Bits<W>: Lists,
{
    /// What po and rf order in a set of events, closed under porf, and perhaps one more read; `None` if no slot is free for that.
    pub(super) fn new(graph: &Graph<W>, plan: &Plan, set: &Bits<W>, more: Option<More<'_, W>>) -> Option<Self> {
        let slot = set.first_free()?;
        let mut this = Self {
            nodes: Bits::EMPTY,
            updates: Bits::EMPTY,
            before: Vec::new(),
            behind: Vec::new(),
            asked: Bits::EMPTY,
            more: slot,
            cost: 0,
        };
        if set.len() <= MOST_EVENTS {
            this.before = vec![Bits::EMPTY; graph.events.len().max(usize::from(slot) + 1)];
            this.begin(graph, plan, set, more);
        }
        Some(this)
    }

    /// What follows from that if each of some writes comes behind all others of its location; `false` if there is no such run.
    pub(super) fn saturate(
        &mut self,
        graph: &Graph<W>,
        plan: &Plan,
        more: Option<More<'_, W>>,
        lasts: &[Slot],
    ) -> bool {
        if self.is_silent() {
            return true;
        }
        self.behind = vec![Bits::EMPTY; self.before.len()];
        let readings = self.readings(graph, plan, more);
        let is_open = self.put_last(graph, lasts).and_then(|()| self.close(&readings)).is_ok();
        #[cfg(test)]
        if is_open {
            self.is_in_order();
        }
        is_open
    }

    fn put_last(&mut self, graph: &Graph<W>, lasts: &[Slot]) -> Result<(), Cycle> {
        for &last in lasts {
            let cell = graph.cell(graph.event(last).location);
            let last = graph.part(last);
            let others = cell.writes.union(&cell.reads.and(&self.updates)).and(&self.nodes).without(last);
            let before = others.iter().fold(others, |all, other| all.union(self.before(other)));
            self.put(last, &before)?;
        }
        Ok(())
    }

    /// Whether there are too many events for anything to be known.
    pub(super) fn is_silent(&self) -> bool {
        self.before.is_empty()
    }

    /// What comes before an event; before the one more read if that is [`NONE`].
    #[inline(always)]
    pub(super) fn before(&self, slot: Slot) -> &Bits<W> {
        let slot = if slot == NONE { self.more } else { slot };
        self.before.get(usize::from(slot)).unwrap_or(const { &Bits::EMPTY })
    }

    /// What follows from po and rf alone.
    fn begin(&mut self, graph: &Graph<W>, plan: &Plan, set: &Bits<W>, more: Option<More<'_, W>>) {
        for (location, cell) in graph.cells.iter().enumerate() {
            let Some(first) = cell.writes.and(set).first() else { continue };
            let accesses = cell.writes.union(&cell.reads).and(set);
            let thread = graph.event(first).thread;
            let is_own = accesses.minus(graph.of_thread(thread)).is_empty();
            let is_read = |more: More<'_, W>| usize::from(more.ev.location) == location && more.ev.thread != thread;
            if !is_own || more.is_some_and(is_read) {
                self.nodes = self.nodes.union(&accesses);
            }
        }
        let ordered = |slot: Slot| {
            let row = &graph.rows[usize::from(slot)];
            if plan.buffers.is_some() { &row.order } else { &row.porf }
        };
        for slot in self.nodes.iter() {
            let ev = graph.event(slot);
            if ev.kind == Kind::UpdateWrite {
                self.nodes.remove(slot);
                self.updates.insert(ev.previous);
            }
        }
        for slot in self.nodes.iter() {
            let mut before = *ordered(slot);
            if self.updates.contains(slot) {
                before = before.union(ordered(graph.event(slot).update)).without(slot);
            }
            self.before[usize::from(slot)] = before.and(&self.nodes);
        }
        if let Some(More { ev, base, .. }) = more {
            let before = graph.surely_before_read(plan, ev, base);
            self.before[usize::from(self.more)] = before.and(&self.nodes);
            self.nodes.insert(self.more);
        }
    }

    /// What comes behind an event.
    #[inline(always)]
    fn behind(&mut self, slot: Slot) -> Bits<W> {
        if !self.asked.contains(slot) {
            self.look_behind(slot);
        }
        self.behind[usize::from(slot)]
    }

    fn look_behind(&mut self, slot: Slot) {
        self.asked.insert(slot);
        self.behind[usize::from(slot)] = Bits::of(&self.before, |before| before.contains(slot));
    }

    /// Puts some events, with all that comes before them, in front of another and of what comes behind that.
    fn put(&mut self, slot: Slot, events: &Bits<W>) -> Result<(), Cycle> {
        let behind = self.behind(slot).with(slot);
        if events.intersects(&behind) {
            return Err(Cycle);
        }
        let new = events.minus(&self.before[usize::from(slot)]);
        for other in behind.iter() {
            let row = &mut self.before[usize::from(other)];
            *row = row.union(events);
        }
        for other in new.and(&self.asked).iter() {
            let row = &mut self.behind[usize::from(other)];
            *row = row.union(&behind);
        }
        self.cost += 1 + u64::from(self.nodes.len()) / 8 * W as u64;
        Ok(())
    }

    /// The reads that say something about the order, the one more first.
    fn readings(&self, graph: &Graph<W>, plan: &Plan, more: Option<More<'_, W>>) -> Vec<Reading<W>> {
        let mut readings = Vec::with_capacity(self.nodes.len() as usize + 1);
        let mut others = self.nodes;
        if let Some(more) = more {
            let porf = graph.porf_of_read(more.base, more.ev.source);
            readings.extend(self.reading(graph, plan, (self.more, more.ev, &porf), more.updates()));
            others.remove(self.more);
        }
        for read in others.iter() {
            let ev = graph.event(read);
            if ev.kind != Kind::Write && ev.source != NONE {
                let porf = &graph.rows[usize::from(read)].porf;
                readings.extend(self.reading(graph, plan, (read, ev, porf), self.updates.contains(read)));
            }
        }
        readings
    }

    fn reading(
        &self,
        graph: &Graph<W>,
        plan: &Plan,
        (read, ev, porf): (Slot, &Ev, &Bits<W>),
        updates: bool,
    ) -> Option<Reading<W>> {
        let cell = graph.cell(ev.location);
        let mut others = cell.writes.union(&cell.reads.and(&self.updates)).and(&self.nodes).without(read);
        let source = if is_init(ev.source) { NONE } else { graph.part(ev.source) };
        if source != NONE {
            others.remove(source);
        }
        let known = if !plan.global_has_fr {
            porf.and(&others)
        } else if plan.buffers.is_some() {
            // What its thread has written, it reads over, though it may be in the buffer.
            porf.and(graph.of_thread(ev.thread)).and(&others)
        } else {
            Bits::EMPTY
        };
        let knows_all = plan.global_has_fr || updates;
        (!others.is_empty()).then_some(Reading { read, source, others, known, knows_all })
    }

    /// Applies the rules until nothing changes.
    fn close(&mut self, readings: &[Reading<W>]) -> Result<(), Cycle> {
        let (mut at, mut unchanged) = (0, 0);
        while unchanged < readings.len() && self.cost < MOST_WORK {
            if self.apply(&readings[at])? {
                unchanged = 0;
            }
            unchanged += 1;
            at = if at + 1 == readings.len() { 0 } else { at + 1 };
        }
        Ok(())
    }

    /// Applies the rules to a read; whether something has changed.
    fn apply(&mut self, reading: &Reading<W>) -> Result<bool, Cycle> {
        let &Reading { read, source, others, known, knows_all } = reading;
        self.cost += 1;
        let mut changed = false;
        let before = if knows_all { *self.before(read) } else { Bits::EMPTY };
        let mut first = before.union(&known).and(&others);
        if source == NONE {
            if !first.is_empty() {
                return Err(Cycle);
            }
        } else {
            first = first.minus(self.before(source));
            while let Some(write) = first.last() {
                let with = self.before(write).with(write);
                self.put(source, &with)?;
                first = first.minus(&with);
                changed = true;
            }
        }
        if !knows_all {
            return Ok(changed);
        }
        let mut later = if source == NONE { others } else { others.and(&self.behind(source)) };
        if !later.is_empty() {
            later = later.minus(&self.behind(read));
        }
        while let Some(write) = later.first() {
            let with = self.before(read).with(read);
            self.put(write, &with)?;
            later = later.minus(&self.behind(read));
            changed = true;
        }
        Ok(changed)
    }

    /// What comes before events and what comes behind them agree, and both go all the way.
    #[cfg(test)]
    fn is_in_order(&self) {
        for slot in self.nodes.iter() {
            let before = *self.before(slot);
            assert!(!before.contains(slot), "{slot} comes before itself");
            let all = before.iter().fold(before, |all, other| all.union(self.before(other)));
            assert_eq!(all, before, "what comes before {slot}");
            for other in self.asked.iter() {
                assert_eq!(self.behind[usize::from(other)].contains(slot), before.contains(other), "{other}, {slot}");
            }
        }
    }
}
