//! Bounds on how often an execution switches from one thread to another, under SC.
//!
//! An execution stands for all orders of its events that agree with po, rf, co and fr. It is within a bound if one of them
//! makes at most so many **context switches**, or at most so many **preemptions**: switches away from a thread that has a
//! further event in the execution and does not wait for a mutex or channel at that moment.
//!
//! TruSt can't drop every graph above the bound, since revisits delete events: a graph may lead to one that needs fewer
//! switches. (Marmanis, Vafeiadis: *Reconciling Preemption Bounding with DPOR*, TACAS 2023, solve it with a slack, too.)
//! But it leads to none that needs many fewer. Let H be a graph on the way to an execution G, and t threads. What later
//! revisits delete of H, and the reads that they change, is D; the rest is P.
//!
//! 1. P is closed under porf and a part of G as it is. So an order of G, restricted to P, is one of P, and makes no more
//!    switches: where it preempts a thread, G's does between the same two events. Of a mutex or channel, G has nothing
//!    between those that P has not, so that who waits is the same.
//!    (That does not hold of operations that wait for ever: G may have what they wait for taken earlier. Only in whole
//!    graphs do they count as further events.)
//! 2. A revisiting write, and with it its prefix, is never deleted: it is not maximal as long as its reader reads it, and
//!    what makes the reader stop is a revisit that has the write in its prefix. So D has nothing of the prefix of an
//!    earlier revisit; and a thread that adds an event finds those to the left at their end, where they stay but for
//!    deletions that keep the event in a prefix. Hence D was added thread by thread.
//! 3. What is maximal can come last. So an order of P, then D as it was added, is an order of H. (Of two revisits, the
//!    earlier one deletes what was added later.) Each thread of D comes once, and is preempted at most once more than
//!    before: between P and D.
//! 4. The thread of the next revisiting write has nothing in D. So H needs at most t - 1 switches more than G.
//! 5. With two threads, D is of one thread, which begins there with a read r that a write w of the other will revisit. In
//!    G, w comes before r, so that all of P that is of the other thread does, too: either G switches between P and r, or
//!    P ends with the thread of r. H needs no more switches than G.
//!
//! Graphs that need more than the bound and this slack are dropped; whole ones above the bound are not counted.

use super::bits::Bits;
use super::graph::{Ev, Graph, INIT, Kind, NONE, Slot, is_init, operation};
use super::store::{List, Lists};
use crate::budget::{Halt, Meter};
use crate::explore::Options;
use crate::explore::threads::Threads;
use crate::library::may_follow;
use crate::program::Operation;
use rustc_hash::FxHashSet;

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Switch {
    /// Every switch.
    Context,
    /// Switches away from a thread that could go on.
    Preemption,
}

/// Which graph is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// Nothing comes any more.
    Whole,
    /// One on the way to others, which may need fewer switches.
    Growing,
}

/// An event, or both parts of a read-modify-write.
struct Event {
    /// By thread, how many events have to come before.
    after: Vec<u16>,
    /// What it waits for, if it may have to.
    waits: Option<(u16, Operation)>,
}

/// How far each thread is, the one that ran last behind them.
type Position = Box<[u16]>;

/// The search for an order that makes few switches.
#[derive(Clone, Debug)]
pub(super) struct Fitting {
    known: FxHashSet<Position>,
    /// Positions to look at.
    now: Vec<Position>,
    /// The same with one switch more.
    later: Vec<Position>,
    /// How many more switches there may be.
    left: u32,
}

/// The events of a graph by thread.
pub(super) struct Schedule<'a, const W: usize>
where
    Bits<W>: Lists,
{
    graph: &'a Graph<W>,
    threads: &'a Threads,
    events: Vec<Vec<Event>>,
    /// By thread, what it waits for for ever, if that counts.
    blocked: Vec<Option<(u16, Operation)>>,
    /// By slot, its number in its thread, from 0.
    numbers: Vec<u16>,
}

/// What is bounded, and how many of these switches a graph may need.
pub(super) fn bounds(options: &Options, threads: usize, extent: Extent) -> impl Iterator<Item = (Switch, u32)> {
    // How many more than an execution the graphs on the way to it may need.
    let slack = if extent == Extent::Whole || threads <= 2 { 0 } else { threads as u32 - 1 };
    let bounds = [(Switch::Preemption, options.preemptions), (Switch::Context, options.contexts)];
    bounds.into_iter().filter_map(move |(switch, most)| Some((switch, most?.saturating_add(slack))))
}

impl<'a, const W: usize> Schedule<'a, W>
where
    Bits<W>: Lists,
{
    pub(super) fn new(graph: &'a Graph<W>, threads: &'a Threads, extent: Extent) -> Self {
        let counts = graph.threads.len();
        let mut numbers = vec![0; graph.events.len()];
        let mut blocked = vec![None; counts];
        let mut parts: Vec<Vec<(Slot, Slot)>> = Vec::with_capacity(counts);
        for (cursor, blocked) in graph.threads.iter().zip(&mut blocked) {
            let mut own: Vec<(Slot, Slot)> = Vec::new();
            let mut slot = cursor.last;
            while slot != NONE {
                let ev = graph.event(slot);
                let first = if ev.kind == Kind::UpdateWrite { ev.previous } else { slot };
                let waits_for_ever = ev.library && ev.kind == Kind::UpdateRead && ev.source == NONE;
                if !waits_for_ever {
                    own.push((first, slot));
                } else if extent == Extent::Whole {
                    *blocked = operation(threads, ev).map(|operation| (ev.location, operation));
                }
                slot = graph.event(first).previous;
            }
            own.reverse();
            for (number, &(first, last)) in own.iter().enumerate() {
                (numbers[usize::from(first)], numbers[usize::from(last)]) = (number as u16, number as u16);
            }
            parts.push(own);
        }
        let mut events = Vec::with_capacity(counts);
        for own in &parts {
            let event = |&(first, last): &(Slot, Slot)| {
                let before: Bits<W> = graph.rows[usize::from(first)].order.union(&graph.rows[usize::from(last)].order);
                let mut after = vec![0; counts];
                for slot in before.iter().filter(|&slot| slot != first && slot != last) {
                    let least = &mut after[usize::from(graph.event(slot).thread)];
                    *least = (*least).max(numbers[usize::from(slot)] + 1);
                }
                let ev: &Ev = graph.event(first);
                let waits = if ev.kind == Kind::UpdateRead { operation(threads, ev) } else { None };
                Event { after, waits: waits.map(|operation| (ev.location, operation)) }
            };
            events.push(own.iter().map(event).collect());
        }
        Self { graph, threads, events, blocked, numbers }
    }

    /// The search for an order that makes at most so many switches, before its start. Exponential in the number of threads.
    pub(super) fn fitting(&self, most: u32) -> Fitting {
        let start: Position = vec![0; self.events.len() + 1].into();
        if self.is_end(&start) {
            return Fitting { known: FxHashSet::default(), now: vec![start], later: Vec::new(), left: most };
        }
        let now = (0..self.events.len()).filter_map(|thread| self.behind(&start, thread)).collect();
        Fitting { known: FxHashSet::default(), now, later: Vec::new(), left: most }
    }

    /// Whether there is one.
    pub(super) fn fit(&self, switch: Switch, fitting: &mut Fitting, meter: &mut Meter<'_>) -> Result<bool, Halt> {
        let count = self.events.len();
        let Fitting { known, now, later, left } = fitting;
        loop {
            meter.spend(16 + (count * count) as u64)?;
            let Some(position) = now.pop() else {
                if later.is_empty() || *left == 0 {
                    return Ok(false);
                }
                // With one switch more.
                *left -= 1;
                std::mem::swap(now, later);
                continue;
            };
            if known.contains(&position) {
                continue;
            }
            if self.is_end(&position) {
                return Ok(true);
            }
            let current = usize::from(position[count]);
            now.extend(self.behind(&position, current));
            let next = self.events[current].get(usize::from(position[current]));
            let waits = match next {
                Some(next) => next.waits.is_some_and(|wanted| self.has_to_wait(&position, wanted)),
                None => self.blocked[current].is_none_or(|wanted| self.has_to_wait(&position, wanted)),
            };
            let free = switch == Switch::Preemption && waits;
            let others = (0..count).filter(|&thread| thread != current);
            let others = others.filter_map(|thread| self.behind(&position, thread));
            if free {
                now.extend(others)
            } else {
                later.extend(others)
            }
            known.insert(position);
        }
    }

    fn is_end(&self, position: &Position) -> bool {
        self.events.iter().zip(position).all(|(events, &at)| usize::from(at) == events.len())
    }

    /// The position behind a thread's next event, if that can come next.
    fn behind(&self, position: &Position, thread: usize) -> Option<Position> {
        let event = self.events[thread].get(usize::from(position[thread]))?;
        if event.after.iter().zip(position).any(|(least, at)| at < least) {
            return None;
        }
        let mut behind = position.clone();
        behind[thread] += 1;
        behind[self.events.len()] = thread as u16;
        Some(behind)
    }

    /// Whether an operation on an object can't be performed now.
    fn has_to_wait(&self, position: &Position, (location, wanted): (u16, Operation)) -> bool {
        let mut last = INIT + location;
        loop {
            let write = self.graph.co_next(last);
            if write == NONE {
                break;
            }
            let done = position[usize::from(self.graph.event(write).thread)];
            if done <= self.numbers[usize::from(write)] {
                break;
            }
            last = write;
        }
        let last = if is_init(last) { None } else { operation(self.threads, self.graph.event(last)) };
        !may_follow(wanted, last)
    }
}
