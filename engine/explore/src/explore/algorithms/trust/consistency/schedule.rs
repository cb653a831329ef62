//! Another run than the one that is kept, made of that one and of what saturation found.
//!
//! Events come in the order of the run that is kept and of what is known, but as soon as they may, except writes that reads wait
//! for: of these the first comes that may, when nothing else may.

use super::super::bits::Bits;
use super::super::graph::{Graph, INIT, Kind, NONE, Slot, is_init};
use super::super::plan::Plan;
use super::super::store::{List, Lists};
use super::question::More;
use super::saturation::Saturation;

impl<const W: usize> Graph<W>
where
    Bits<W>: Lists,
{
    /// Another run of a set of events, and perhaps of a read, [`NONE`], that has no place in the one that is kept. `None` if nothing may
    /// come any more, which says nothing.
    pub(super) fn another_run(
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

/// When a write comes that reads wait for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Awaited {
    Later,
    /// Nothing else may come.
    Now,
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
        self.more.map_or(u64::MAX, |more| self.graph.place(more.ev.source))
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
            rest.retain(|&(_, slot)| !self.comes(slot, Awaited::Later));
            if rest.len() == before {
                match rest.iter().position(|&(_, slot)| self.comes(slot, Awaited::Now)) {
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
                if self.comes(heads[at], Awaited::Later) {
                    go_on(&mut heads, at, &next);
                } else {
                    at += 1;
                }
            }
            if !self.read {
                self.comes(NONE, Awaited::Later);
            }
            if heads.is_empty() && self.read {
                return true;
            }
            if self.run.len() == before {
                // The first that may, as everywhere.
                heads.sort_unstable_by_key(|&slot| graph.place(slot));
                match (0..heads.len()).find(|&at| self.comes(heads[at], Awaited::Now)) {
                    Some(at) => go_on(&mut heads, at, &next),
                    None => return false,
                }
            }
        }
    }

    /// Lets an event come if it may.
    fn comes(&mut self, slot: Slot, awaited: Awaited) -> bool {
        let graph = self.graph;
        let (ev, before, porf) = if slot == NONE {
            let Some(More { ev, base, .. }) = self.more else { return false };
            (ev, graph.surely_before_read(self.plan, ev, base), base.porf)
        } else {
            let row = &graph.rows[usize::from(slot)];
            (graph.event(slot), if self.plan.buffers.is_some() { row.order } else { row.porf }, row.porf)
        };
        if !before.and(&self.set).union(self.order.before(slot)).minus(&self.done).is_empty() {
            return false;
        }
        let updates = match slot {
            NONE => self.more.is_some_and(|more| more.updates()),
            _ => ev.kind == Kind::UpdateRead && graph.written_with(&self.set, slot).is_some(),
        };
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
                    let own = porf.and(graph.of_thread(ev.thread));
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
            Kind::Write
                if self.is_awaited(newest, None) || awaited == Awaited::Later && self.is_awaited(slot, None) =>
            {
                return false;
            }
            _ => {}
        }
        self.put(slot);
        true
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
        if let Some(write) = self.graph.written_with(&self.set, slot) {
            self.done.insert(write);
            self.last[usize::from(self.graph.event(slot).location)] = write;
            if !self.plan.global_has_fr {
                self.ranks[usize::from(write)] = self.run.len();
            }
        }
    }

    /// Whether reads of a write but for one are yet to come; only read-modify-writes where other reads may come later.
    fn is_awaited(&self, write: Slot, but: Option<Slot>) -> bool {
        let readers = self.graph.readers(write).and(&self.set).minus(&self.done);
        let readers = but.filter(|&read| read != NONE).map_or(readers, |read| readers.without(read));
        let more = self.more.filter(|more| !self.read && more.ev.source == write && but != Some(NONE));
        if self.plan.global_has_fr {
            return !readers.is_empty() || more.is_some();
        }
        more.is_some_and(|more| more.updates())
            || readers.iter().any(|read| self.graph.written_with(&self.set, read).is_some())
    }
}
