//! In which order SC fences may come: WRA, RA and SRA with several of them, and RC11 and RC20 with SC events.
//!
//! SC fences are in one order, which is part of hb. A fence knows of what is porf-before it and before the fences that come sooner.
//! So of an event, two sets of fences tell what it learns and who learns of it: those before it, its *start*, and those behind it,
//! its *end*. It happens before another one through fences exactly if some fence of its end is not later than some fence of the
//! other's start: events are intervals, as the zones of Gibbons and Korach (*Testing Shared Memories*, 1997).
//!
//! Let `X < Y` say that all fences of `X` come before all of `Y`. What a model asks of the order is that some such pairs hold, and
//! of some two of them at least one:
//!
//! - WRA: no write `w'` comes between a write `w` and a read of it. If `w'` knows of `w` by porf, `start(reads of w) < end(w')`; if
//!   such a read knows of `w'` by porf, `start(w') < end(w)`; else one of both.
//! - RA: what co has to contain is acyclic ([`super::coherent`]). `a` comes before `b` if porf says so, or if an access that leaves `a`
//!   has a fence behind it that is not later than one in front of an access that enters `b`. A chain of read-modify-writes is one
//!   write here. What porf says is fixed, so it is closed beforehand: a start includes the starts of what comes before by porf, an
//!   end the ends of what comes behind, and where `a` comes before `b` by porf, `start(a) < end(b)`. Of any two others, one of
//!   `start(a) < end(b)` and `start(b) < end(a)`. That will do: in a cycle, steps by porf are part of those by fences then; and of
//!   a cycle by fences, the write whose end comes first and the one that leads to it are a cycle of two.
//! - RC11, RC20: the same of SC events, which are in one order that psc agrees with: [`super::psc`] has what a write has in front of
//!   it, its start, and what it has behind it, its end. Between fences, eco has sets of its own in RC11. With both kinds a cycle may be longer, so the
//!   order that is found is checked.
//! - With a co, RA asks for `start(a) < end(b)` of each `a` before `b` and for nothing else, WRA for the same beside the above. Under
//!   SRA fences have to agree with porf and co together, too, which leads from one to the other.
//!
//! Vector clocks over the fences say which surely come before which. They are saturated: where one of two pairs contradicts
//! them, the other one holds. In a thread, starts and ends of the writes of a location only grow, so of each thread's, the
//! first or last says all. A cycle is the answer no.
//!
//! Then orders are tried by prefixes, at first as the fences were added. A prefix, and which pairs have to hold yet because of the
//! order in which it came, are looked at once. Under RA, and with one kind of sets, these are of one write of each location, that
//! which is known and is still read, and of the writes of each thread that begin behind its end: so there are polynomially many
//! for a fixed number of threads and locations. Under WRA several writes may be read yet, and nothing is claimed. Once a prefix has failed,
//! each is saturated: what comes next comes before all that is left.
//!
//! Under SRA, co of one location says something of the others. What RA forces holds there, too; then a run decides
//! ([`super::machine`]): one of all events, as without fences, and the fences are in its order. What comes before a fence in it need
//! not be known to the fence. So what fences know has a memory of its own: in it, a write arrives before the fences of its end, and
//! is passed, as if by a read, behind those of its start and before the next one arrives. Writes come to it in the order of the run.
//!
//! [`super::machine`]: mod@super::machine

use super::accesses::enters;
use super::coherent::{Blocks, Coherent};
use super::machine::{Event, Kind, Machine};
use crate::budget::{Halt, Meter};
use crate::graph::{Coherence, EventId, Label, ThreadId};
use crate::model::rules::Rules;
use crate::model::view::View;
use crate::program::Mode;
use rustc_hash::FxHashSet;

/// Where a set of fences is, among all sets. As a start, how many fences of each thread, from its first. As an end, for each
/// thread its first one, from 1, or one more than there are.
type At = u32;

/// A write, or a chain of them, as far as fences are concerned.
#[derive(Clone, Copy, Debug)]
struct Item {
    start: At,
    end: At,
    /// The start of what must not know of another write that knows of this one.
    reads: At,
}

/// Sets of fences: of one kind, or of two, one behind the other.
#[derive(Clone, Debug)]
struct Sets {
    /// How many threads have fences, times how many kinds there are.
    stride: usize,
    rows: Vec<u32>,
}

impl Sets {
    fn row(&self, at: At) -> &[u32] {
        &self.rows[at as usize..][..self.stride]
    }

    fn add(&mut self, row: &[u32]) -> At {
        self.rows.extend_from_slice(row);
        (self.rows.len() - self.stride) as At
    }
}

/// In which order the SC fences of a graph may come, or its SC events.
#[derive(Clone, Debug)]
pub(super) struct FenceOrder {
    /// By thread that has any: its fences, or SC events.
    fences: Vec<Vec<EventId>>,
    /// By thread: where its fences begin in `clocks`.
    first: Vec<usize>,
    /// By fence: how many fences of each thread come before it, itself included.
    clocks: Vec<u32>,
    sets: Sets,
    /// By location and thread: items whose starts and ends only grow.
    columns: Vec<Vec<Vec<Item>>>,
    /// Starts that come before ends.
    forced: Vec<(At, At)>,
    is_refuted: bool,
    is_saturated: bool,
    /// Of these two items, it is open which of the two pairs holds.
    open: Vec<(Item, Item)>,
    search: Search,
}

/// The search by prefixes.
#[derive(Clone, Debug, Default)]
struct Search {
    /// By fence: when it was placed, from 1.
    placed: Vec<u32>,
    /// By thread: how many were placed.
    front: Vec<u32>,
    /// The threads of what was placed.
    order: Vec<usize>,
    /// What was placed, and then: threads that are yet to be tried, the best last.
    choices: Vec<Vec<usize>>,
    /// Prefixes that lead nowhere.
    failed: FxHashSet<Box<[u32]>>,
    /// Clocks as they were before something was placed, from the first prefix that failed on.
    known: Vec<Vec<u32>>,
    learns: bool,
    /// What was placed last says more, which is being found out.
    is_learning: bool,
    has_begun: bool,
    /// What saturation has left open is known.
    knows_open: bool,
    has_chosen: bool,
}

fn join(row: &mut [u32], other: &[u32]) {
    for (a, b) in row.iter_mut().zip(other) {
        *a = (*a).max(*b);
    }
}

fn meet(row: &mut [u32], other: &[u32]) {
    for (a, b) in row.iter_mut().zip(other) {
        *a = (*a).min(*b);
    }
}

fn is_fence(view: &View<'_>, e: EventId) -> bool {
    view.graph.event(e).label == Label::Fence(Mode::SequentiallyConsistent)
}

/// By event, for each thread with SC fences: how many of them come before it, and the first one that comes behind it.
struct Zones {
    width: usize,
    starts: Vec<u32>,
    ends: Vec<u32>,
    /// How many there are, and one more.
    none: Vec<u32>,
}

impl Zones {
    /// Along porf, and a co if there is one; `None` if these have a cycle.
    fn new(view: &View<'_>, fences: &[Vec<EventId>], lanes: &[usize], co: Option<&Coherence>) -> Option<Self> {
        let width = fences.len();
        let none: Vec<u32> = fences.iter().map(|fences| fences.len() as u32 + 1).collect();
        let mut before = vec![None; view.len()];
        for order in co.into_iter().flatten() {
            order[1..].windows(2).for_each(|pair| before[pair[1].index()] = Some(pair[0]));
        }
        let order = if co.is_some() { sorted(view, |e| before[e.index()])? } else { view.order.clone() };
        let mut zones = Self { width, starts: vec![0; view.len() * width], ends: none.repeat(view.len()), none };
        let each_before = |e: EventId| {
            let source = view.graph.source(e).filter(|source| source.index() >= view.locations);
            view.po_predecessor(e).into_iter().chain(source).chain(before[e.index()])
        };
        for &e in &order {
            for other in each_before(e) {
                for at in 0..width {
                    let known = zones.starts[other.index() * width + at];
                    let own = &mut zones.starts[e.index() * width + at];
                    *own = known.max(*own);
                }
            }
            if is_fence(view, e) {
                zones.starts[e.index() * width + lanes[view.graph.event(e).thread().index()]] += 1;
            }
        }
        for &e in order.iter().rev() {
            if is_fence(view, e) {
                let at = e.index() * width + lanes[view.graph.event(e).thread().index()];
                zones.ends[at] = zones.starts[at];
            }
            for other in each_before(e) {
                for at in 0..width {
                    let known = zones.ends[e.index() * width + at];
                    let own = &mut zones.ends[other.index() * width + at];
                    *own = known.min(*own);
                }
            }
        }
        Some(zones)
    }

    fn start(&self, e: EventId) -> &[u32] {
        &self.starts[e.index() * self.width..][..self.width]
    }

    fn end(&self, e: EventId) -> &[u32] {
        &self.ends[e.index() * self.width..][..self.width]
    }
}

/// The events but the initial writes in an order that porf agrees with, and in which each comes behind one more.
fn sorted(view: &View<'_>, before: impl Fn(EventId) -> Option<EventId>) -> Option<Vec<EventId>> {
    let mut order = Vec::with_capacity(view.order.len());
    let mut placed = vec![false; view.len()];
    placed[..view.locations].fill(true);
    let mut next = vec![0; view.graph.threads()];
    loop {
        let length = order.len();
        for (thread, next) in next.iter_mut().enumerate() {
            while let Some(&e) = view.graph.thread(ThreadId(thread as u16)).get(*next)
                && view.graph.source(e).into_iter().chain(before(e)).all(|other| placed[other.index()])
            {
                placed[e.index()] = true;
                order.push(e);
                *next += 1;
            }
        }
        if order.len() == view.order.len() {
            return Some(order);
        }
        if order.len() == length {
            return None;
        }
    }
}

impl FenceOrder {
    /// Of a graph that is consistent as far as porf says, perhaps with a co. Under SRA without a co, what RA asks for.
    pub(super) fn new(view: &View<'_>, rules: &Rules, coherent: &Coherent<'_>, co: Option<&Coherence>) -> Self {
        let mut lanes = vec![0; view.graph.threads()];
        let mut fences: Vec<Vec<EventId>> = Vec::new();
        for (thread, lane) in lanes.iter_mut().enumerate() {
            let own = view.graph.thread(ThreadId(thread as u16)).iter().copied();
            let own: Vec<EventId> = own.filter(|&e| is_fence(view, e)).collect();
            if !own.is_empty() {
                *lane = fences.len();
                fences.push(own);
            }
        }
        let width = fences.len();
        let mut order = Self::empty(fences, 1);
        let Some(zones) = Zones::new(view, &order.fences, &lanes, None) else { return order.refuted() };
        let along_co = co.filter(|_| rules.global.is_some());
        let along_co = match along_co {
            None => None,
            Some(_) => match Zones::new(view, &order.fences, &lanes, along_co) {
                None => return order.refuted(),
                zones => zones,
            },
        };
        let clocks = order.fences.iter().flatten();
        order.clocks = clocks.flat_map(|&f| along_co.as_ref().unwrap_or(&zones).start(f).iter().copied()).collect();
        if !rules.has_co() {
            order.add_writes(view, coherent, &zones);
        }
        match co {
            Some(co) => order.add_orders(view, rules, &zones, co),
            None if rules.has_co() => {
                let (mut entered, mut left) = (vec![0; view.len() * width], zones.none.repeat(view.len()));
                for access in coherent.columns().iter().flatten().flat_map(|column| &column.accesses) {
                    let enters = enters(view, access);
                    join(&mut entered[enters.index() * width..][..width], zones.start(access.event));
                    meet(&mut left[access.leaves.index() * width..][..width], zones.end(access.event));
                }
                order.add_blocks(view, coherent, &zones.none, &entered, &left);
            }
            None => {}
        }
        order
    }

    fn empty(fences: Vec<Vec<EventId>>, kinds: usize) -> Self {
        let mut first = vec![0; fences.len()];
        for thread in 1..fences.len() {
            first[thread] = first[thread - 1] + fences[thread - 1].len();
        }
        Self {
            first,
            clocks: Vec::new(),
            sets: Sets { stride: kinds * fences.len(), rows: Vec::new() },
            columns: Vec::new(),
            forced: Vec::new(),
            is_refuted: false,
            is_saturated: false,
            open: Vec::new(),
            search: Search::default(),
            fences,
        }
    }

    /// Of the SC events of RC11 or RC20 by thread, where each location alone is in order: what surely comes before what, agreeing with porf; by
    /// memory, what each write has in front of it, and behind.
    pub(super) fn of_sc(
        view: &View<'_>,
        coherent: &Coherent<'_>,
        events: Vec<Vec<EventId>>,
        before: &[(EventId, EventId)],
        links: &[impl Fn(EventId) -> [Vec<EventId>; 2]],
    ) -> Self {
        let mut order = Self::empty(events, links.len());
        let (width, stride) = (order.fences.len(), order.sets.stride);
        // By event: its thread and number there.
        let mut places = vec![(0, 0); view.len()];
        for (thread, events) in order.fences.iter().enumerate() {
            for (at, e) in events.iter().enumerate() {
                places[e.index()] = (thread, at as u32 + 1);
            }
        }
        let mut behind: Vec<Vec<EventId>> = vec![Vec::new(); view.len()];
        before.iter().for_each(|&(a, b)| behind[b.index()].push(a));
        order.clocks = vec![0; order.fences.iter().map(Vec::len).sum::<usize>() * width];
        for &e in view.order.iter().filter(|e| places[e.index()].1 > 0) {
            let (thread, number) = places[e.index()];
            let at = order.first[thread] + number as usize - 1;
            let mut row = if number > 1 { order.clock(thread, number - 1).to_vec() } else { vec![0; width] };
            for a in &behind[e.index()] {
                let (thread, number) = places[a.index()];
                join(&mut row, order.clock(thread, number));
            }
            row[thread] = number;
            order.clocks[at * width..][..width].copy_from_slice(&row);
        }
        let none: Vec<u32> = order.fences.iter().map(|events| events.len() as u32 + 1).collect();
        let none = none.repeat(links.len());
        let (mut entered, mut left) = (vec![0; view.len() * stride], none.repeat(view.len()));
        for w in (0..view.locations).flat_map(|location| view.writes(location)) {
            for (kind, links) in links.iter().enumerate() {
                let at = w.index() * stride + kind * width;
                let [front, behind] = links(*w);
                for (thread, number) in front.iter().map(|e| places[e.index()]) {
                    entered[at + thread] = number.max(entered[at + thread]);
                }
                for (thread, number) in behind.iter().map(|e| places[e.index()]) {
                    left[at + thread] = number.min(left[at + thread]);
                }
            }
        }
        order.add_blocks(view, coherent, &none, &entered, &left);
        order
    }

    fn refuted(mut self) -> Self {
        self.is_refuted = true;
        self
    }

    /// A start has to come before an end.
    fn force(&mut self, start: &[u32], end: &[u32]) {
        let pair = (self.sets.add(start), self.sets.add(end));
        self.forced.push(pair);
    }

    /// Without co: no write comes between another and its reads.
    fn add_writes(&mut self, view: &View<'_>, coherent: &Coherent<'_>, zones: &Zones) {
        let (clocks, threads) = (coherent.clocks(), view.graph.threads());
        let mut reads = vec![0; view.len() * zones.width];
        let mut known = vec![0; view.len() * threads];
        for reading in &view.readings {
            let source = reading.source.index();
            join(&mut reads[source * zones.width..][..zones.width], zones.start(reading.read));
            let event = view.graph.event(reading.read);
            for thread in 0..threads {
                let known = &mut known[source * threads + thread];
                *known = clocks.before(reading.read, event, ThreadId(thread as u16)).max(*known);
            }
        }
        for (location, columns) in coherent.columns().iter().enumerate() {
            let mut lanes = Vec::with_capacity(columns.len());
            for column in columns.iter().filter(|column| !column.writes.is_empty()) {
                let items = column.writes.iter().map(|write| Item {
                    start: self.sets.add(zones.start(write.event)),
                    end: self.sets.add(zones.end(write.event)),
                    reads: self.sets.add(&reads[write.event.index() * zones.width..][..zones.width]),
                });
                lanes.push(items.collect());
            }
            self.columns.push(lanes);
            for &w in view.writes(location) {
                let reads = &reads[w.index() * zones.width..][..zones.width];
                for column in columns {
                    // The first write there that knows of this one.
                    let knows = |other: EventId| {
                        let event = view.graph.event(other);
                        let (thread, serial) = (view.graph.event(w).thread(), view.graph.event(w).key.serial);
                        w.index() < view.locations || clocks.before(other, event, thread) >= serial
                    };
                    let behind = column.writes.partition_point(|write| !knows(write.event));
                    if let Some(write) = column.writes.get(behind) {
                        self.force(reads, zones.end(write.event));
                    }
                    let before = column.last_write(known[w.index() * threads + column.thread.index()]);
                    let before = before.filter(|write| write.event != w);
                    if let Some(write) = before.filter(|_| w.index() >= view.locations) {
                        self.force(zones.start(write.event), zones.end(w));
                    }
                }
            }
        }
    }

    /// With a co: nothing knows of what is overwritten.
    fn add_orders(&mut self, view: &View<'_>, rules: &Rules, zones: &Zones, co: &Coherence) {
        let width = zones.width;
        // What accesses know of that leave a write, and of those that enter it.
        let (mut entered, mut left) = (vec![0; view.len() * width], zones.none.repeat(view.len()));
        for (e, event) in view.graph.events() {
            let source = view.graph.source(e).filter(|_| rules.has_co());
            let enters = source.or(Some(e).filter(|_| event.is_write()));
            if let Some(enters) = enters.filter(|_| event.location().is_some()) {
                join(&mut entered[enters.index() * width..][..width], zones.start(e));
            }
            let leaves = if event.is_write() { Some(e) } else { source };
            if let Some(leaves) = leaves.filter(|leaves| leaves.index() >= view.locations) {
                meet(&mut left[leaves.index() * width..][..width], zones.end(e));
            }
        }
        for order in co {
            let mut start = vec![0; width];
            for w in order {
                if w.index() >= view.locations {
                    self.force(&start, &left[w.index() * width..][..width]);
                }
                join(&mut start, &entered[w.index() * width..][..width]);
            }
        }
    }

    /// With some co: what it has to contain is acyclic. By write: the starts of what enters it, and the ends of what leaves it.
    fn add_blocks(&mut self, view: &View<'_>, coherent: &Coherent<'_>, none: &[u32], entered: &[u32], left: &[u32]) {
        let width = self.sets.stride;
        let blocks = Blocks::new(view);
        let place = |e: EventId| blocks.places[e.index()];
        // By first write of a chain: of all of it.
        let mut ends = none.repeat(view.len());
        let mut starts = vec![0; view.len() * width];
        for w in (0..view.locations as u32).map(EventId).chain(view.order.iter().copied()) {
            if !view.graph.event(w).is_write() {
                continue;
            }
            let (first, at) = place(w);
            meet(&mut ends[first.index() * width..][..width], &left[w.index() * width..][..width]);
            // Porf agrees with the order of a chain.
            if at > 0 {
                let start = starts[first.index() * width..][..width].to_vec();
                self.force(&start, &left[w.index() * width..][..width]);
            }
            join(&mut starts[first.index() * width..][..width], &entered[w.index() * width..][..width]);
        }
        let pairs = coherent.block_pairs(&blocks);
        let mut waits = vec![0u32; view.len()];
        let mut behind: Vec<Vec<EventId>> = vec![Vec::new(); view.len()];
        for &(a, b) in &pairs {
            waits[b.index()] += 1;
            behind[a.index()].push(b);
        }
        let is_first = |w: EventId| view.graph.event(w).is_write() && place(w).1 == 0;
        let mut order: Vec<EventId> =
            view.order.iter().copied().filter(|&w| is_first(w) && waits[w.index()] == 0).collect();
        let mut at = 0;
        while let Some(&w) = order.get(at) {
            at += 1;
            for later in &behind[w.index()] {
                waits[later.index()] -= 1;
                if waits[later.index()] == 0 {
                    order.push(*later);
                }
            }
        }
        // Along what porf says, from the initial write on.
        let mut before = vec![0; view.len() * width];
        for &w in &order {
            let location = view.graph.event(w).location().map_or(0, |location| location.0 as usize);
            let own = w.index() * width;
            join(&mut before[own..][..width], &starts[location * width..][..width]);
            let known = before[own..][..width].to_vec();
            self.force(&known, &ends[own..][..width]);
            join(&mut starts[own..][..width], &known);
            for later in &behind[w.index()] {
                join(&mut before[later.index() * width..][..width], &starts[own..][..width]);
            }
        }
        for &w in order.iter().rev() {
            for later in &behind[w.index()] {
                let end = ends[later.index() * width..][..width].to_vec();
                meet(&mut ends[w.index() * width..][..width], &end);
            }
        }
        for columns in coherent.columns() {
            let mut lanes = Vec::with_capacity(columns.len());
            for column in columns {
                let firsts = column.writes.iter().filter(|write| place(write.event).1 == 0);
                let items: Vec<Item> = firsts
                    .map(|write| {
                        let own = write.event.index() * width;
                        let start = self.sets.add(&starts[own..][..width]);
                        Item { start, end: self.sets.add(&ends[own..][..width]), reads: start }
                    })
                    .collect();
                if !items.is_empty() {
                    lanes.push(items);
                }
            }
            self.columns.push(lanes);
        }
    }

    /// About how many units of work it is to pose the problem.
    pub(super) fn cost(view: &View<'_>) -> u64 {
        (view.len() * (8 + 2 * view.graph.threads())) as u64
    }

    fn clock(&self, thread: usize, fence: u32) -> &[u32] {
        let (at, width) = (self.first[thread] + fence as usize - 1, self.fences.len());
        &self.clocks[at * width..][..width]
    }

    /// All that comes before some fences, or is one of them: `closed` begins empty.
    fn close(&self, start: &[u32], closed: &mut [u32]) {
        let width = self.fences.len();
        for (start, closed) in start.chunks(width).zip(closed.chunks_mut(width)) {
            for (thread, &fence) in start.iter().enumerate().filter(|(_, fence)| **fence > 0) {
                join(closed, self.clock(thread, fence));
            }
        }
    }

    /// All that comes before each of some fences.
    fn find_before(&self, end: &[u32], before: &mut [u32]) {
        let width = self.fences.len();
        before.fill(u32::MAX);
        for (end, before) in end.chunks(width).zip(before.chunks_mut(width)) {
            for (thread, &fence) in end.iter().enumerate() {
                if fence as usize > self.fences[thread].len() {
                    continue;
                }
                for (at, (before, &known)) in before.iter_mut().zip(self.clock(thread, fence)).enumerate() {
                    *before = (*before).min(known - u32::from(at == thread));
                }
            }
        }
    }

    /// Puts some fences before others; whether that changes anything.
    fn put_before(&mut self, (start, end): (At, At)) -> bool {
        let (width, stride) = (self.fences.len(), self.sets.stride);
        let mut closed = vec![0; stride];
        self.close(self.sets.row(start), &mut closed);
        let mut changed = false;
        for at in 0..stride {
            let (thread, row) = (at % width, &closed[at - at % width..][..width]);
            let fence = self.sets.row(end)[at];
            if fence as usize > self.fences[thread].len() {
                continue;
            }
            if row[thread] >= fence {
                self.is_refuted = true;
                return false;
            }
            changed |= self.put_behind(thread, fence, row);
        }
        changed
    }

    /// Puts a fence behind others; whether that changes anything.
    fn put_behind(&mut self, thread: usize, fence: u32, row: &[u32]) -> bool {
        let width = self.fences.len();
        if self.clock(thread, fence).iter().zip(row).all(|(known, before)| known >= before) {
            return false;
        }
        for other in 0..width {
            for at in (self.first[other]..self.first[other] + self.fences[other].len()).rev() {
                let clock = &mut self.clocks[at * width..][..width];
                if clock[thread] < fence {
                    break;
                }
                join(clock, row);
            }
        }
        true
    }

    /// Learns what follows without a guess. `false` if there is no order.
    fn saturate(&mut self, meter: &mut Meter<'_>) -> Result<bool, Halt> {
        for pair in std::mem::take(&mut self.forced) {
            self.put_before(pair);
        }
        let width = self.sets.stride;
        let round = (self.clocks.len() + self.sets.rows.len()) as u64;
        while !self.is_refuted {
            // Before the round: one that changes nothing must not come twice because of a pause.
            meter.spend(round)?;
            // By set, as a start: all before it; as an end: all before each of it.
            let (mut closed, mut before) = (vec![0; self.sets.rows.len()], vec![0; self.sets.rows.len()]);
            for item in self.columns.iter().flatten().flatten() {
                self.close(self.sets.row(item.start), &mut closed[item.start as usize..][..width]);
                if item.reads != item.start {
                    self.close(self.sets.row(item.reads), &mut closed[item.reads as usize..][..width]);
                }
                self.find_before(self.sets.row(item.end), &mut before[item.end as usize..][..width]);
            }
            let fails = |start: At, end: At| {
                let (closed, end) = (&closed[start as usize..][..width], self.sets.row(end));
                closed.iter().zip(end).any(|(known, fence)| known >= fence)
            };
            let holds = |start: At, end: At| {
                let (start, before) = (self.sets.row(start), &before[end as usize..][..width]);
                start.iter().zip(before).all(|(fence, known)| fence <= known)
            };
            let mut new = Vec::new();
            for columns in &self.columns {
                for w in columns.iter().flatten() {
                    for column in columns {
                        let mut behind = column.partition_point(|other| !fails(other.start, w.end));
                        if column.get(behind).is_some_and(|other| other.end == w.end) {
                            behind += 1;
                        }
                        if let Some(other) = column.get(behind).filter(|other| !holds(w.reads, other.end)) {
                            new.push((w.reads, other.end));
                        }
                        let mut in_front = column.partition_point(|other| fails(w.reads, other.end));
                        if in_front > 0 && column[in_front - 1].end == w.end {
                            in_front -= 1;
                        }
                        if let Some(other) = column[..in_front].last().filter(|other| !holds(other.start, w.end)) {
                            new.push((other.start, w.end));
                        }
                    }
                }
            }
            let mut changed = false;
            for pair in new {
                changed |= self.put_before(pair);
            }
            if !changed {
                break;
            }
        }
        Ok(!self.is_refuted)
    }

    /// Finds out what saturation has left open.
    fn open(&mut self, meter: &mut Meter<'_>) -> Result<(), Halt> {
        let mut open = Vec::new();
        let mut before = vec![0; self.sets.rows.len()];
        for item in self.columns.iter().flatten().flatten() {
            self.find_before(self.sets.row(item.end), &mut before[item.end as usize..][..self.sets.stride]);
        }
        let holds = |start: At, end: At| {
            let before = &before[end as usize..][..self.sets.stride];
            self.sets.row(start).iter().zip(before).all(|(fence, known)| fence <= known)
        };
        let mut compared = 0;
        for columns in &self.columns {
            for w in columns.iter().flatten() {
                for column in columns {
                    // In front, the one holds; behind, the other.
                    let from = column.partition_point(|other| holds(other.start, w.end));
                    let rest = column[from..].iter().take_while(|other| !holds(w.reads, other.end));
                    // Where both are alike, each two items are met twice.
                    open.extend(
                        rest.filter(|other| other.end != w.end && (w.reads != w.start || w.end < other.end))
                            .map(|other| (*w, *other)),
                    );
                    compared += 1 + column.len().ilog2() as usize;
                }
            }
        }
        meter.hold(4 * open.len() as u64)?;
        let work = (compared + open.len()) as u64;
        // What is known stays known if the charge is a pause.
        self.open = open;
        self.search.knows_open = true;
        meter.charge(work)
    }

    /// Whether there is an order. Goes on where it was if it was halted.
    pub(super) fn go_on(&mut self, meter: &mut Meter<'_>) -> Result<bool, Halt> {
        Ok(self.settle(meter)? && self.find(meter)?)
    }

    /// Learns what follows without a guess. `false` if there is no order.
    pub(super) fn settle(&mut self, meter: &mut Meter<'_>) -> Result<bool, Halt> {
        if !self.is_saturated {
            let possible = !self.is_refuted && self.saturate(meter)?;
            self.is_refuted = !possible;
            self.is_saturated = true;
        }
        Ok(!self.is_refuted)
    }

    /// The search by prefixes.
    fn find(&mut self, meter: &mut Meter<'_>) -> Result<bool, Halt> {
        let total: usize = self.fences.iter().map(Vec::len).sum();
        if !self.search.has_begun {
            if !self.search.knows_open {
                self.open(meter)?;
            }
            self.search.has_begun = true;
            self.search.placed = vec![0; total];
            self.search.front = vec![0; self.fences.len()];
            let choices = self.next();
            self.search.choices.push(choices);
        }
        let step = (4 + self.open.len() * self.sets.stride / 2) as u64;
        while self.search.order.len() < total {
            if self.search.is_learning {
                let possible = self.saturate(meter)?;
                self.is_refuted = false;
                self.search.is_learning = false;
                if possible {
                    let choices = self.next();
                    self.search.choices.push(choices);
                } else {
                    self.take_back();
                }
                continue;
            }
            let Some(choices) = self.search.choices.last_mut() else { return Ok(false) };
            match choices.pop() {
                Some(thread) => {
                    self.place(thread);
                    let key = self.state();
                    match key.filter(|key| self.search.failed.is_empty() || !self.search.failed.contains(key)) {
                        Some(_) if self.search.learns => self.learn(thread),
                        Some(_) => {
                            let choices = self.next();
                            self.search.choices.push(choices);
                        }
                        None => self.take_back(),
                    }
                }
                None => {
                    if let Some(key) = self.state() {
                        meter.hold(self.search.failed.len() as u64 * (4 + key.len() as u64 / 2))?;
                        self.search.failed.insert(key);
                    }
                    if self.search.learns {
                        self.search.choices.pop();
                        self.take_back();
                    } else {
                        // From here on, it is worth knowing more of each prefix. Begins anew.
                        self.search.learns = true;
                        self.search.order.clear();
                        self.search.front.fill(0);
                        self.search.choices.clear();
                        let choices = self.next();
                        self.search.choices.push(choices);
                    }
                }
            }
            meter.charge(step)?;
        }
        Ok(true)
    }

    /// What was placed last comes before all that was not placed.
    fn learn(&mut self, thread: usize) {
        let row = self.clock(thread, self.search.front[thread]).to_vec();
        for other in (0..self.fences.len()).filter(|&other| other != thread) {
            let next = self.search.front[other] + 1;
            if next as usize <= self.fences[other].len() {
                self.put_behind(other, next, &row);
            }
        }
        self.search.is_learning = true;
    }

    /// The threads whose fences may be next as far as is known, the one that was added first last.
    fn next(&mut self) -> Vec<usize> {
        let search = &self.search;
        let may_come = |&thread: &usize| {
            let next = search.front[thread] as usize;
            next < self.fences[thread].len()
                && self
                    .clock(thread, next as u32 + 1)
                    .iter()
                    .enumerate()
                    .all(|(other, &known)| other == thread || known <= search.front[other])
        };
        let mut next: Vec<usize> = (0..self.fences.len()).filter(may_come).collect();
        next.sort_unstable_by_key(|&thread| std::cmp::Reverse(self.fences[thread][search.front[thread] as usize]));
        self.search.has_chosen |= next.len() > 1;
        next
    }

    fn place(&mut self, thread: usize) {
        let search = &mut self.search;
        if search.learns {
            search.known.push(self.clocks.clone());
        }
        search.order.push(thread);
        search.placed[self.first[thread] + search.front[thread] as usize] = search.order.len() as u32;
        search.front[thread] += 1;
    }

    fn take_back(&mut self) {
        let search = &mut self.search;
        if let Some(thread) = search.order.pop() {
            search.front[thread] -= 1;
        }
        if let Some(clocks) = search.known.pop() {
            self.clocks = clocks;
        }
    }

    /// Whether a start comes before an end, as far as that is decided, and whether what was placed alone does not say so.
    fn holds(&self, start: At, end: At) -> (Option<bool>, bool) {
        let width = self.fences.len();
        let (mut holds, mut by_order) = (Some(true), false);
        for (start, end) in self.sets.row(start).chunks(width).zip(self.sets.row(end).chunks(width)) {
            let (this, is_by_order) = self.holds_of_kind(start, end);
            by_order |= is_by_order;
            holds = match (holds, this) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            };
        }
        (holds, by_order)
    }

    fn holds_of_kind(&self, start: &[u32], end: &[u32]) -> (Option<bool>, bool) {
        let front = &self.search.front;
        let is_complete = start.iter().zip(front).all(|(fence, front)| fence <= front);
        let has_begun = end.iter().zip(front).any(|(fence, front)| fence <= front);
        if !is_complete || !has_begun {
            return ((is_complete || has_begun).then_some(is_complete), false);
        }
        (Some(self.last_placed(start) < self.first_placed(end)), true)
    }

    /// When the last of a start was placed; 0 if there is none.
    fn last_placed(&self, start: &[u32]) -> u32 {
        let fences = start.iter().enumerate().filter(|(_, fence)| **fence > 0);
        let placed = fences.map(|(thread, &fence)| self.search.placed[self.first[thread] + fence as usize - 1]);
        placed.max().unwrap_or(0)
    }

    /// When the first of an end was placed.
    fn first_placed(&self, end: &[u32]) -> u32 {
        let placed = end.iter().zip(&self.search.front).enumerate().filter(|(_, (fence, front))| fence <= front);
        let placed = placed.map(|(thread, (&fence, _))| self.search.placed[self.first[thread] + fence as usize - 1]);
        placed.min().unwrap_or(u32::MAX)
    }

    /// Whether the order that was found has a co for certain: with two kinds of sets, alternatives of two writes do not say all.
    pub(super) fn is_proof(&self) -> bool {
        let width = self.fences.len();
        if self.sets.stride <= width {
            return true;
        }
        let kinds = |at: At| self.sets.row(at).chunks(width);
        self.columns.iter().all(|columns| {
            let items: Vec<(Vec<u32>, Vec<u32>)> = columns
                .iter()
                .flatten()
                .map(|item| {
                    let ends = kinds(item.end).map(|end| self.first_placed(end));
                    (ends.collect(), kinds(item.start).map(|start| self.last_placed(start)).collect())
                })
                .collect();
            let leads =
                |a: usize, b: usize| a != b && items[a].0.iter().zip(&items[b].1).any(|(end, start)| end <= start);
            let mut rest: Vec<usize> = (0..items.len()).collect();
            while !rest.is_empty() {
                let Some(at) = rest.iter().position(|&b| !rest.iter().any(|&a| leads(a, b))) else { return false };
                rest.swap_remove(at);
            }
            true
        })
    }

    /// What was placed, as far as it matters for what comes next: how much of each thread, and what has to hold because of the
    /// order. `None` if nothing can come of it.
    fn state(&self) -> Option<Box<[u32]>> {
        let mut state = self.search.front.clone();
        for (at, (w, other)) in self.open.iter().enumerate() {
            let (first, first_by_order) = self.holds(other.start, w.end);
            if first == Some(true) {
                continue;
            }
            let (second, second_by_order) = self.holds(w.reads, other.end);
            match (first, second) {
                (_, Some(true)) | (None, None) => {}
                (Some(false), Some(false)) => return None,
                (Some(false), _) if first_by_order => state.push(2 * at as u32),
                (_, Some(false)) if second_by_order => state.push(2 * at as u32 + 1),
                _ => {}
            }
        }
        Some(state.into())
    }

    /// Whether there was a choice.
    pub(super) fn has_chosen(&self) -> bool {
        self.search.has_chosen
    }

    /// All events in an order that porf agrees with, the fences in the order that was found.
    pub(super) fn order(&self, view: &View<'_>) -> Vec<EventId> {
        let mut next = vec![0; self.fences.len()];
        let mut before = vec![None; view.len()];
        let mut last = None;
        for &thread in &self.search.order {
            let fence = self.fences[thread][next[thread]];
            next[thread] += 1;
            before[fence.index()] = last.replace(fence);
        }
        sorted(view, |e| before[e.index()]).unwrap_or_else(|| view.order.clone())
    }

    /// Tells a machine what comes before what in the order that was found, if there is one.
    pub(super) fn tell_order(&self, machine: &mut Machine) {
        let mut next = vec![0; self.fences.len()];
        let mut last: Option<EventId> = None;
        for &thread in &self.search.order {
            let fence = self.fences[thread][next[thread]];
            next[thread] += 1;
            if let Some(last) = last.replace(fence) {
                machine.put_before(last.0, fence.0);
            }
        }
    }

    /// Tells a machine what surely comes before what.
    pub(super) fn tell(&mut self, machine: &mut Machine) {
        if let Some(clocks) = self.search.known.drain(..).next() {
            // What was learnt of a prefix is not for sure.
            self.clocks = clocks;
        }
        for (thread, fences) in self.fences.iter().enumerate() {
            for (at, &fence) in fences.iter().enumerate() {
                let known = self.clock(thread, at as u32 + 1);
                for (other, &known) in known.iter().enumerate().filter(|(other, known)| *other != thread && **known > 0)
                {
                    let is_new = at == 0 || self.clock(thread, at as u32)[other] < known;
                    if is_new {
                        machine.put_before(self.fences[other][known as usize - 1].0, fence.0);
                    }
                }
            }
        }
    }
}

/// Adds to the runs of SRA, whose numbers are those of events, what fences know: `machine` has room for two more numbers for each event, and
/// as many locations again. Pairs are what co has to contain.
pub(super) fn add_knowledge(machine: &mut Machine, view: &View<'_>, pairs: &[(EventId, EventId)]) {
    let threads = view.graph.threads();
    let lanes: Vec<usize> = (0..threads).collect();
    let fences: Vec<Vec<EventId>> = lanes
        .iter()
        .map(|&thread| {
            let own = view.graph.thread(ThreadId(thread as u16)).iter().copied();
            own.filter(|&e| is_fence(view, e)).collect()
        })
        .collect();
    let Some(zones) = Zones::new(view, &fences, &lanes, None) else { return };
    let (mut entered, mut left) = (vec![0; view.len() * threads], zones.none.repeat(view.len()));
    for reading in view.readings.iter().filter(|reading| !view.graph.event(reading.read).is_write()) {
        let own = reading.source.index() * threads;
        join(&mut entered[own..][..threads], zones.start(reading.read));
        meet(&mut left[own..][..threads], zones.end(reading.read));
    }
    for w in (0..view.locations).flat_map(|location| &view.writes(location)[1..]) {
        let own = w.index() * threads;
        meet(&mut left[own..][..threads], zones.end(*w));
        // A read-modify-write comes behind its source: what it knows of does not come between.
        join(&mut entered[own..][..threads], zones.start(*w));
    }
    let arrival = |w: EventId| (view.len() + w.index()) as u32;
    let passing = |w: EventId| (2 * view.len() + w.index()) as u32;
    let is_passed = |w: EventId| entered[w.index() * threads..][..threads].iter().any(|&fence| fence > 0);
    let is_known = |w: EventId| {
        let left = &left[w.index() * threads..][..threads];
        left.iter().zip(&zones.none).any(|(fence, none)| fence < none)
    };
    let mut used = vec![false; view.locations];
    for (location, used) in used.iter_mut().enumerate() {
        let writes = view.writes(location);
        *used = writes.iter().any(|&w| is_passed(w)) && writes[1..].iter().any(|&w| is_known(w));
        if !*used {
            continue;
        }
        let at = Some((view.locations + location) as u32);
        let event = |number: u32, writes: bool, source: Option<Option<u32>>| Event {
            number,
            kind: Kind::Strong,
            location: at,
            writes,
            source,
            is_forwarded: false,
        };
        let is_init = |w: EventId| w.index() < view.locations;
        let number = |w: EventId| (!is_init(w)).then(|| arrival(w));
        let passed = |w: EventId| is_passed(w).then(|| event(passing(w), false, Some(number(w))));
        machine.add_thread(passed(writes[0]).into_iter(), true);
        for thread in 0..threads {
            let own = writes[1..].iter().copied().filter(|&w| view.graph.event(w).thread().index() == thread);
            let lane = own.flat_map(|w| {
                let source = view.graph.source(w).map(number);
                std::iter::once(event(arrival(w), true, source)).chain(passed(w))
            });
            machine.add_thread(lane, true);
        }
    }
    for location in (0..view.locations).filter(|&location| used[location]) {
        for &w in view.writes(location) {
            let own = w.index() * threads;
            for (thread, fences) in fences.iter().enumerate() {
                let (entered, left) = (entered[own + thread] as usize, left[own + thread] as usize);
                if entered > 0 {
                    machine.put_before(fences[entered - 1].0, passing(w));
                }
                if w.index() >= view.locations && left <= fences.len() {
                    machine.put_before(arrival(w), fences[left - 1].0);
                }
            }
            if w.index() >= view.locations {
                machine.follow(arrival(w), w.0);
            }
        }
    }
    for &(a, b) in pairs {
        let location = view.graph.event(a).location().map_or(0, |location| location.0 as usize);
        if used[location] {
            machine.put_before(arrival(a), arrival(b));
        }
    }
}
