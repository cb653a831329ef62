//! What comes before what in each run of some events, as far as that follows without a guess.
//!
//! Where fr is ordered everywhere, a read of w puts each write of its location that comes before it in front of w, and comes
//! itself before each write behind w. Where only co is (SRA), that holds for read-modify-writes, which nothing comes between;
//! another read puts in front of w what it knows of through porf alone. This is applied until nothing changes: a cycle refuses,
//! and what is left is what a search for a run may rely on. It decides neither way for certain (`model/stages` has a graph
//! without a cycle and without a run). Both parts of a read-modify-write are one event here, which stands for its read.

use super::bits::Bits;
use super::graph::{Base, Ev, Graph, Kind, NONE, Slot, is_init};
use super::plan::Plan;

/// How many events are saturated. More take more room than a run is worth; of these nothing is known.
const MOST_EVENTS: u32 = 512;

/// Units of work that one saturation may be. Ending it early loses an answer, not the truth.
const MOST_WORK: u64 = 20_000;

/// What is known of the order of some events and of one more read, which nothing but fr comes behind.
#[derive(Clone, Debug)]
pub(super) struct Saturation<const W: usize> {
    /// The accesses of locations that threads share and write.
    nodes: Bits<W>,
    /// Of these, the reads of read-modify-writes whose write is there, too.
    updates: Bits<W>,
    /// By slot: what comes before it.
    before: Vec<Bits<W>>,
    /// The slot of the one more read here: one that the set has free.
    pub more: Slot,
    /// About how many units of work it was.
    pub cost: u64,
}

/// A read that is not among the events, what comes before it, and whether it counts as a write too where it is a
/// read-modify-write.
pub(super) type More<'m, const W: usize> = (&'m Ev, &'m Base<W>, bool);

/// A read, and the writes that it has to be ordered with.
struct Reading<const W: usize> {
    read: Slot,
    /// [`NONE`] if it is the initial write.
    source: Slot,
    /// The other writes of the location.
    others: Bits<W>,
    /// Of these, what it knows of, whatever else comes before it.
    known: Bits<W>,
    /// What comes before it, it knows of.
    knows_all: bool,
    /// Of the others, what may come behind its source and has to come behind it then.
    rest: Bits<W>,
}

/// No run is left.
struct Cycle;

impl<const W: usize> Saturation<W> {
    /// What po and rf order in a set of events, closed under porf, and one more read; `None` if no slot is free for that.
    pub fn new(graph: &Graph<W>, plan: &Plan, set: &Bits<W>, more: More<'_, W>) -> Option<Self> {
        let slot = set.first_free()?;
        let mut this = Self { nodes: Bits::EMPTY, updates: Bits::EMPTY, before: Vec::new(), more: slot, cost: 0 };
        if set.len() <= MOST_EVENTS {
            this.before = vec![Bits::EMPTY; graph.events.len().max(usize::from(slot) + 1)];
            this.begin(graph, plan, set, more);
        }
        Some(this)
    }

    /// What follows from that; `false` if they have no run.
    pub fn saturate(&mut self, graph: &Graph<W>, plan: &Plan, more: More<'_, W>) -> bool {
        if self.before.is_empty() {
            return true;
        }
        let mut readings = self.readings(graph, plan, more);
        self.close(&mut readings).is_ok()
    }

    /// What comes before an event; before the one more read if that is [`NONE`].
    #[inline(always)]
    pub fn before(&self, slot: Slot) -> &Bits<W> {
        let slot = if slot == NONE { self.more } else { slot };
        self.before.get(usize::from(slot)).unwrap_or(const { &Bits::EMPTY })
    }

    /// What follows from po and rf alone.
    fn begin(&mut self, graph: &Graph<W>, plan: &Plan, set: &Bits<W>, (ev, base, _): More<'_, W>) {
        for (location, cell) in graph.cells.iter().enumerate() {
            let Some(first) = cell.writes.and(set).first() else { continue };
            let accesses = cell.writes.union(&cell.reads).and(set);
            let thread = graph.event(first).thread;
            let is_own = accesses.minus(&graph.threads[usize::from(thread)].events).is_empty();
            if !is_own || usize::from(ev.location) == location && ev.thread != thread {
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
                before = before.union(ordered(graph.event(slot).update));
                before.remove(slot);
            }
            self.before[usize::from(slot)] = before.and(&self.nodes);
        }
        let before = graph.surely_before_read(plan, ev, base);
        self.before[usize::from(self.more)] = before.and(&self.nodes);
        self.nodes.insert(self.more);
    }

    /// The event that stands for an event.
    fn node(&self, graph: &Graph<W>, slot: Slot) -> Slot {
        let ev = graph.event(slot);
        if ev.kind == Kind::UpdateWrite { ev.previous } else { slot }
    }

    /// Puts some events, with all that comes before them, in front of another.
    fn put(&mut self, slot: Slot, events: &Bits<W>) -> Result<(), Cycle> {
        if events.contains(slot) {
            return Err(Cycle);
        }
        self.before[usize::from(slot)] = self.before[usize::from(slot)].union(events);
        for other in self.nodes.iter() {
            let row = &mut self.before[usize::from(other)];
            if row.contains(slot) {
                *row = row.union(events);
            }
        }
        self.cost += 1 + u64::from(self.nodes.len()) / 8 * W as u64;
        Ok(())
    }

    /// The reads that say something about the order, the one more first.
    fn readings(&self, graph: &Graph<W>, plan: &Plan, (more, base, whole): More<'_, W>) -> Vec<Reading<W>> {
        let mut readings = Vec::with_capacity(self.nodes.len() as usize + 1);
        let porf = graph.porf_of_read(base, more.source);
        readings.extend(self.reading(graph, plan, (self.more, more, &porf), whole && more.writes));
        let mut others = self.nodes;
        others.remove(self.more);
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
        let mut others = cell.writes.union(&cell.reads.and(&self.updates)).and(&self.nodes);
        let source = if is_init(ev.source) { NONE } else { self.node(graph, ev.source) };
        if source != NONE {
            others.remove(source);
        }
        others.remove(read);
        let known = if !plan.global_has_fr {
            porf.and(&others)
        } else if plan.buffers.is_some() {
            // What its thread has written, it reads over, though it may be in the buffer.
            porf.and(&graph.threads[usize::from(ev.thread)].events).and(&others)
        } else {
            Bits::EMPTY
        };
        let knows_all = plan.global_has_fr || updates;
        let rest = if knows_all { others } else { Bits::EMPTY };
        (!others.is_empty()).then_some(Reading { read, source, others, known, knows_all, rest })
    }

    /// Applies the rules until nothing changes.
    fn close(&mut self, readings: &mut [Reading<W>]) -> Result<(), Cycle> {
        let (mut at, mut unchanged) = (0, 0);
        while unchanged < readings.len() && self.cost < MOST_WORK {
            if self.apply(&mut readings[at])? {
                unchanged = 0;
            }
            unchanged += 1;
            at = if at + 1 == readings.len() { 0 } else { at + 1 };
        }
        Ok(())
    }

    /// Applies the rules to a read; whether something has changed.
    fn apply(&mut self, reading: &mut Reading<W>) -> Result<bool, Cycle> {
        let &mut Reading { read, source, others, known, knows_all, .. } = reading;
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
        for write in reading.rest.iter() {
            let row = self.before(write);
            if source == NONE || row.contains(source) {
                reading.rest.remove(write);
                if !row.contains(read) {
                    let with = self.before(read).with(read);
                    self.put(write, &with)?;
                    changed = true;
                }
            }
        }
        Ok(changed)
    }
}
