//! What comes before what in each run of some events, as far as that follows without a guess.
//!
//! Where fr is ordered everywhere, a read of w puts each write of its location that comes before it in front of w, and comes
//! itself before each write behind w. Both are applied until nothing changes: a cycle refuses, and what is left is what a search
//! for a run may rely on. It decides neither way for certain (`model/stages` has a graph without a cycle and without a run).
//! Both parts of a read-modify-write are one event here, which stands for its read.

use super::bits::Bits;
use super::graph::{Base, Ev, Graph, Kind, NONE, Slot, is_init};
use super::plan::Plan;

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
    /// What comes before the one more read.
    before_more: Bits<W>,
    /// About how many units of work it was.
    pub cost: u64,
}

/// No run is left.
struct Cycle;

impl<const W: usize> Saturation<W> {
    /// The order of a set of events, closed under porf, and one more read; `None` if they have no run.
    pub fn new(graph: &Graph<W>, plan: &Plan, set: &Bits<W>, (ev, base): (&Ev, &Base<W>)) -> (Option<Self>, u64) {
        let mut this = Self {
            nodes: Bits::EMPTY,
            updates: Bits::EMPTY,
            before: vec![Bits::EMPTY; graph.events.len()],
            before_more: Bits::EMPTY,
            cost: 0,
        };
        this.begin(graph, plan, set, (ev, base));
        let done = this.close(graph, plan, (ev, base));
        let cost = this.cost;
        (done.is_ok().then_some(this), cost)
    }

    /// What comes before an event; before the one more read if that is [`NONE`].
    pub fn before(&self, slot: Slot) -> &Bits<W> {
        if slot == NONE { &self.before_more } else { &self.before[usize::from(slot)] }
    }

    /// What follows from po and rf alone.
    fn begin(&mut self, graph: &Graph<W>, plan: &Plan, set: &Bits<W>, (ev, base): (&Ev, &Base<W>)) {
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
        self.before_more = before.and(&self.nodes);
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
        if self.before_more.contains(slot) {
            self.before_more = self.before_more.union(events);
        }
        self.cost += 1 + u64::from(self.nodes.len()) / 8 * W as u64;
        Ok(())
    }

    /// Applies the rules until nothing changes.
    fn close(&mut self, graph: &Graph<W>, plan: &Plan, (more, base): (&Ev, &Base<W>)) -> Result<(), Cycle> {
        loop {
            let mut changed = self.apply(graph, plan, NONE, more, base.porf)?;
            for cell in &graph.cells {
                let mut reads = cell.reads.and(&self.nodes);
                while let Some(read) = reads.last() {
                    reads.remove(read);
                    let ev = graph.event(read);
                    if ev.source != NONE {
                        changed |= self.apply(graph, plan, read, ev, graph.rows[usize::from(read)].porf)?;
                    }
                }
            }
            if !changed || self.cost > MOST_WORK {
                return Ok(());
            }
        }
    }

    /// Applies the rules to a read, [`NONE`] for the one more; whether something has changed.
    fn apply(
        &mut self,
        graph: &Graph<W>,
        plan: &Plan,
        read: Slot,
        ev: &Ev,
        porf: Bits<W>,
    ) -> Result<bool, Cycle> {
        let cell = graph.cell(ev.location);
        let mut others = cell.writes.union(&cell.reads.and(&self.updates)).and(&self.nodes);
        let mut known = *self.before(read);
        if plan.buffers.is_some() {
            // What its thread has written, it reads over, though it may be in the buffer.
            known = known.union(&porf.and(&graph.threads[usize::from(ev.thread)].events));
        }
        if read != NONE {
            others.remove(read);
        }
        self.cost += 1 + u64::from(others.len()) / 4;
        let mut changed = false;
        let source = if is_init(ev.source) { NONE } else { self.node(graph, ev.source) };
        if source == NONE {
            if known.intersects(&others) {
                return Err(Cycle);
            }
        } else {
            others.remove(source);
            let mut first = known.and(&others).minus(self.before(source));
            while let Some(write) = first.last() {
                let with = self.before(write).with(write);
                self.put(source, &with)?;
                first = first.minus(&with);
                changed = true;
            }
        }
        let mut rest = others;
        while let Some(write) = rest.last() {
            rest.remove(write);
            let before = self.before(write);
            let is_behind = source == NONE || before.contains(source);
            if is_behind && (read == NONE || !before.contains(read)) {
                let mut with = *self.before(read);
                if read != NONE {
                    with.insert(read);
                }
                if !with.minus(before).is_empty() {
                    self.put(write, &with)?;
                    changed = true;
                }
            }
        }
        Ok(changed)
    }
}
