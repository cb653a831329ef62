//! RC11 and RC20 with SC accesses and fences: the partial order psc as a machine.
//!
//! What coherence asks of co is known ([`super::coherent`]): any order of the writes of each location that contains the pairs and
//! keeps each read-modify-write immediately behind its source will do. So a graph is consistent exactly if one of these makes
//! psc acyclic, that is, if the SC events can be put in one order, a run, that psc agrees with
//! ([`crate::model::formula::PSC`], [`crate::model::formula::PSC_OF_CPP20`]). Of psc, what po, hb and rf say is fixed. The rest
//! leads through a single step of co or fr, from what a write `w` has in front of it (`w` itself if it is SC, reads of it that
//! are, and the SC fences that happen before any of these), to what a later write has behind it (itself if it is SC, and the SC
//! fences that it happens before; in RC20 also reads of it that are SC, and the SC fences that its readers happen before).
//!
//! That is what a machine with one memory keeps in order, if a run has three kinds of events: the SC events; for each write, its
//! *arrival* in memory, which comes before what it has behind it; and its *passing*, a read of it that comes behind the arrival
//! and behind what the write has in front of it. A passing has to come before the next arrival, as any read of a memory. No other
//! event is part of the run: reads and writes that are not SC may take effect out of order.
//!
//! In RC11, eco counts as well between SC fences, which is one step of rf more behind co or fr: from the fences that happen before the
//! write or its readers, to those that happen after the readers of a later write. (From those that happen before a write to those that
//! happen after its readers, rf alone leads, which is fixed.) These paths have a memory of their own, with
//! arrivals and passings, to which writes come in the same order; a write may come there sooner, as if a buffer lay between.
//!
//! [`super::fences`] looks for an order of the SC events, as far as possible without these memories. Where that does not do, and
//! for the writes that can be last, they do, by saturation and a search by prefixes ([`super::machine`]): both contain what co has to contain, and a run
//! is a co. With a fixed number of threads and locations that is polynomial, in general the question is NP-complete, since with
//! SC accesses alone it is that of SC. Of the fences of a thread that an event knows of only the last counts, and of those that
//! know of it the first, since hb orders the others with these: there are as many edges as there are events times threads.
//!
//! [`super::machine`]: mod@super::machine

use super::clocks::Clocks;
use super::coherent::Coherent;
use super::fences::FenceOrder;
use super::machine::{Buffering, Event, Kind, Machine};
use crate::graph::{Coherence, EventId, Label, ThreadId};
use crate::model::rules::Along;
use crate::model::view::View;
use crate::program::Mode;

const NONE: u32 = u32::MAX;

/// The runs of the SC events of a graph, and which of their events are which writes of it.
pub(super) struct ScRuns {
    pub machine: Machine,
    /// How many events the graph has: theirs are the first numbers.
    events: usize,
    /// By number behind that: the write that arrives, if its arrival decides co; else an initial one.
    pub arriving: Vec<EventId>,
    /// By event: the arrivals of a write in the two memories.
    arrivals: Vec<[u32; 2]>,
}

/// Events of one thread by serial number, ascending.
type Row = Vec<(u32, EventId)>;

/// What of a graph psc looks at.
struct Poser<'v> {
    view: &'v View<'v>,
    along: Along,
    clocks: &'v Clocks,
    /// By thread: its SC events.
    sc: Vec<Row>,
    /// By thread: its SC fences.
    fences: Vec<Row>,
    /// By thread and serial number: the next event that does not access the same location, and the last one before.
    next_elsewhere: Vec<Vec<u32>>,
    last_elsewhere: Vec<Vec<u32>>,
    /// By location and thread: accesses, and those that are SC.
    accesses: Vec<Vec<Row>>,
    sc_accesses: Vec<Vec<Row>>,
}

/// What one write puts between others.
#[derive(Clone, Debug, Default)]
struct Links {
    /// What comes before its passing.
    front: Vec<EventId>,
    /// What comes behind its arrival.
    behind: Vec<EventId>,
}

/// The last one that has at most a serial number.
fn last(row: &[(u32, EventId)], serial: u32) -> Option<EventId> {
    row[..row.partition_point(|&(at, _)| at <= serial)].last().map(|&(_, e)| e)
}

/// Learns what another knows.
fn join(known: &mut [u32], other: &[u32]) {
    for (known, other) in known.iter_mut().zip(other) {
        *known = (*known).max(*other);
    }
}

impl<'v> Poser<'v> {
    fn new(view: &'v View<'v>, along: Along, clocks: &'v Clocks) -> Self {
        let (graph, threads) = (view.graph, view.graph.threads());
        let mut poser = Self {
            view,
            along,
            clocks,
            sc: vec![Row::new(); threads],
            fences: vec![Row::new(); threads],
            next_elsewhere: Vec::with_capacity(threads),
            last_elsewhere: Vec::with_capacity(threads),
            accesses: vec![vec![Row::new(); threads]; view.locations],
            sc_accesses: vec![vec![Row::new(); threads]; view.locations],
        };
        for thread in 0..threads {
            let events = graph.thread(ThreadId(thread as u16));
            let mut last_elsewhere = vec![0; events.len()];
            let mut next_elsewhere = vec![NONE; events.len()];
            for (at, &e) in events.iter().enumerate() {
                let (event, serial) = (graph.event(e), at as u32 + 1);
                let is_sc = event.mode().is_sc();
                if is_sc {
                    poser.sc[thread].push((serial, e));
                }
                if event.label == Label::Fence(Mode::SequentiallyConsistent) {
                    poser.fences[thread].push((serial, e));
                }
                if let Some(location) = event.location() {
                    poser.accesses[location.0 as usize][thread].push((serial, e));
                    if is_sc {
                        poser.sc_accesses[location.0 as usize][thread].push((serial, e));
                    }
                }
                if at > 0 {
                    let before = events[at - 1];
                    last_elsewhere[at] =
                        if view.same_location(before, e) { last_elsewhere[at - 1] } else { serial - 1 };
                }
            }
            for at in (1..events.len()).rev() {
                let is_same = view.same_location(events[at - 1], events[at]);
                next_elsewhere[at - 1] = if is_same { next_elsewhere[at] } else { at as u32 + 1 };
            }
            poser.last_elsewhere.push(last_elsewhere);
            poser.next_elsewhere.push(next_elsewhere);
        }
        poser
    }

    fn events(&self, thread: usize) -> &'v [EventId] {
        self.view.graph.thread(ThreadId(thread as u16))
    }

    /// Where an event stands.
    fn key(&self, e: EventId) -> (usize, u32) {
        let key = self.view.graph.event(e).key;
        (key.thread.index(), key.serial)
    }

    /// Of each thread the last SC fence that is known.
    fn fences_in(&self, known: &[u32], found: &mut impl FnMut(EventId)) {
        for (fences, &known) in self.fences.iter().zip(known) {
            last(fences, known).into_iter().for_each(&mut *found);
        }
    }

    /// Of each thread the first SC fence that knows of an event of some thread that has at least a serial number.
    fn fences_behind(&self, least: &[u32], found: &mut impl FnMut(EventId)) {
        for fences in &self.fences {
            let knows = |f: EventId| self.clocks.row(f).iter().zip(least).any(|(known, least)| known >= least);
            let first = fences.partition_point(|&(_, f)| !knows(f));
            fences.get(first).into_iter().for_each(|&(_, f)| found(f));
        }
    }

    /// The part of psc that does not depend on co, but for what follows from other pairs: `found` with what comes before an
    /// SC event, and it.
    fn each_fixed(&self, found: &mut impl FnMut(EventId, EventId)) {
        match self.along {
            Along::Scb => self.each_along_scb(found),
            Along::Shb => self.each_along_shb(found),
        }
    }

    fn each_along_scb(&self, found: &mut impl FnMut(EventId, EventId)) {
        let has_fences = self.has_fences();
        let through_rf = if has_fences { self.known_through_rf() } else { Vec::new() };
        for b in self.sc.iter().flatten().map(|&(_, b)| b) {
            if self.view.graph.event(b).is_fence() {
                // What happens before a fence, or before the source of a read that does.
                let mut known = self.clocks.row(b).to_vec();
                self.join_known(b, &through_rf, &mut known);
                self.fences_in(&known, &mut |f| {
                    if f != b {
                        found(f, b);
                    }
                });
                continue;
            }
            self.each_before(b, found);
            if has_fences {
                let least = self.first_reached(b);
                self.fences_behind(&least, &mut |f| found(b, f));
            }
        }
    }

    fn each_along_shb(&self, found: &mut impl FnMut(EventId, EventId)) {
        let has_fences = self.has_fences();
        let through_rf = if has_fences { self.known_through_rf() } else { Vec::new() };
        let sources = if has_fences { self.sc_sources() } else { Vec::new() };
        for (own, b) in self.sc.iter().enumerate().flat_map(|(own, row)| row.iter().map(move |&(_, b)| (own, b))) {
            // Along po, hb and po: in front of what the event before knows of.
            let before = self.view.po_predecessor(b).map_or(&[][..], |before| self.clocks.row(before));
            for (thread, &known) in before.iter().enumerate().filter(|&(thread, _)| thread != own) {
                last(&self.sc[thread], known.saturating_sub(1)).into_iter().for_each(|a| found(a, b));
            }
            if self.view.graph.event(b).is_fence() {
                // The sources of reads that happen before it, and what happens before these.
                let (mut known, mut read) = (vec![0; self.sc.len()], vec![0; self.sc.len()]);
                self.join_known(b, &through_rf, &mut known);
                self.join_known(b, &sources, &mut read);
                self.fences_in(&known, &mut |f| {
                    if f != b {
                        found(f, b);
                    }
                });
                let reads = self.sc.iter().zip(read).filter(|&(_, serial)| serial > 0);
                reads.filter_map(|(row, serial)| last(row, serial)).for_each(|w| found(w, b));
            } else if let Some(source) = self.view.graph.source(b).filter(|&source| !self.is_initial(source)) {
                if self.view.graph.event(source).mode().is_sc() {
                    found(source, b);
                }
                self.fences_in(self.clocks.row(source), &mut |f| found(f, b));
            }
        }
    }

    fn has_fences(&self) -> bool {
        self.fences.iter().any(|fences| !fences.is_empty())
    }

    fn is_initial(&self, e: EventId) -> bool {
        e.index() < self.view.locations
    }

    /// Adds to a set what an event and all that it knows of have learnt, by event.
    fn join_known(&self, e: EventId, learnt: &[u32], known: &mut [u32]) {
        for (thread, &serial) in self.clocks.row(e).iter().enumerate() {
            if let Some(last) = self.events(thread).get((serial as usize).wrapping_sub(1)) {
                join(known, &learnt[last.index() * self.sc.len()..][..self.sc.len()]);
            }
        }
    }

    /// By event: what the sources know of that its thread has read so far.
    fn known_through_rf(&self) -> Vec<u32> {
        self.through_rf(|source, known| join(known, self.clocks.row(source)))
    }

    /// By event: the last SC write of each thread that its thread has read so far.
    fn sc_sources(&self) -> Vec<u32> {
        self.through_rf(|source, known| {
            if self.view.graph.event(source).mode().is_sc() {
                let (thread, serial) = self.key(source);
                known[thread] = serial.max(known[thread]);
            }
        })
    }

    /// By event: what its thread has learnt so far from the sources of its reads.
    fn through_rf(&self, learn: impl Fn(EventId, &mut [u32])) -> Vec<u32> {
        let threads = self.sc.len();
        let mut known = vec![0; self.view.len() * threads];
        for &e in &self.view.order {
            if let Some(before) = self.view.po_predecessor(e) {
                known.copy_within(before.index() * threads..(before.index() + 1) * threads, e.index() * threads);
            }
            if let Some(source) = self.view.graph.source(e).filter(|&source| !self.is_initial(source)) {
                learn(source, &mut known[e.index() * threads..][..threads]);
            }
        }
        known
    }

    /// What comes before an SC access.
    fn each_before(&self, b: EventId, found: &mut impl FnMut(EventId, EventId)) {
        let (own, serial) = self.key(b);
        let row = self.clocks.row(b);
        // What the events know from which one step of scb leads here.
        let mut known = vec![0; row.len()];
        if let Some(before) = self.view.po_predecessor(b) {
            join(&mut known, self.clocks.row(before));
        }
        let location = self.view.graph.event(b).location();
        let elsewhere = self.last_elsewhere[own][serial as usize - 1];
        let elsewhere = (elsewhere > 0).then(|| self.clocks.row(self.events(own)[elsewhere as usize - 1]));
        for thread in (0..row.len()).filter(|&thread| thread != own) {
            if let Some(location) = location.map(|location| location.0 as usize) {
                // Along hb, on one location.
                if let Some(a) = last(&self.sc_accesses[location][thread], row[thread]) {
                    found(a, b);
                }
                if let Some(c) = last(&self.accesses[location][thread], row[thread]) {
                    join(&mut known, self.clocks.row(c));
                }
            }
            if let Some(elsewhere) = elsewhere {
                // Along po, hb and po, to other locations and from others.
                let leads = |serial: u32| self.next_elsewhere[thread][serial as usize - 1] <= elsewhere[thread];
                let sc = &self.sc[thread];
                let so_far = sc.partition_point(|&(serial, _)| leads(serial));
                if so_far > 0 {
                    found(sc[so_far - 1].1, b);
                }
                let events = self.events(thread);
                let so_far = self.next_elsewhere[thread].partition_point(|&next| next <= elsewhere[thread]);
                if so_far > 0 {
                    join(&mut known, self.clocks.row(events[so_far - 1]));
                }
            }
        }
        self.fences_in(&known, &mut |f| found(f, b));
    }

    /// By thread: the first event to which one step of scb leads from an SC access.
    fn first_reached(&self, a: EventId) -> Vec<u32> {
        let (own, serial) = self.key(a);
        let location = self.view.graph.event(a).location();
        let next = self.next_elsewhere[own][serial as usize - 1];
        let reached = |thread: usize| {
            if thread == own {
                return serial + 1;
            }
            let knows = |e: EventId, serial: u32| self.clocks.row(e)[own] >= serial;
            let here = location.and_then(|location| {
                let accesses = &self.accesses[location.0 as usize][thread];
                accesses.get(accesses.partition_point(|&(_, e)| !knows(e, serial))).map(|&(at, _)| at)
            });
            let elsewhere = self.events(thread).partition_point(|&e| !knows(e, next));
            let elsewhere = self.next_elsewhere[thread].get(elsewhere).copied().unwrap_or(NONE);
            here.unwrap_or(NONE).min(elsewhere)
        };
        (0..self.sc.len()).map(reached).collect()
    }

    /// What the writes put between others by co and fr, in RC20 with rf behind that; and in RC11 between SC fences, by co and fr
    /// with rf behind that.
    fn links(&self) -> [Vec<Links>; 2] {
        let (view, threads) = (self.view, self.sc.len());
        let mut links = [vec![Links::default(); view.len()], vec![Links::default(); view.len()]];
        let mut known = vec![0; threads * view.len()];
        let mut least = vec![NONE; threads * view.len()];
        for w in (0..view.locations).flat_map(|location| &view.writes(location)[1..]).copied() {
            join(&mut known[w.index() * threads..][..threads], self.clocks.row(w));
            if view.graph.event(w).mode().is_sc() {
                links[0][w.index()].front.push(w);
                links[0][w.index()].behind.push(w);
            }
        }
        for reading in &view.readings {
            let (r, w) = (reading.read, reading.source.index());
            let event = view.graph.event(r);
            let (thread, serial) = self.key(r);
            let least = &mut least[w * threads + thread];
            *least = serial.min(*least);
            // What a read-modify-write is from-read before comes behind it in co.
            if event.is_write() {
                continue;
            }
            join(&mut known[w * threads..][..threads], self.clocks.row(r));
            if event.mode().is_sc() {
                links[0][w].front.push(r);
                if self.along == Along::Shb && !self.is_initial(reading.source) {
                    links[0][w].behind.push(r);
                }
            }
        }
        if !self.has_fences() {
            return links;
        }
        for w in (0..view.locations).flat_map(|location| view.writes(location)).copied() {
            let of = w.index() * threads;
            let [direct, through_reads] = &mut links;
            let (direct, through_reads) = (&mut direct[w.index()], &mut through_reads[w.index()]);
            self.fences_in(&known[of..][..threads], &mut |f| {
                direct.front.push(f);
                if self.along == Along::Scb {
                    through_reads.front.push(f);
                }
            });
            if !self.is_initial(w) {
                let (thread, serial) = self.key(w);
                let mut from = vec![NONE; threads];
                from[thread] = serial;
                match self.along {
                    Along::Scb => {
                        self.fences_behind(&from, &mut |f| direct.behind.push(f));
                        self.fences_behind(&least[of..][..threads], &mut |f| through_reads.behind.push(f));
                    }
                    Along::Shb => {
                        from.iter_mut().zip(&least[of..]).for_each(|(from, least)| *from = (*from).min(*least));
                        self.fences_behind(&from, &mut |f| direct.behind.push(f));
                    }
                }
            }
        }
        links
    }
}

impl ScRuns {
    /// About how many units of work it is to pose the problem.
    pub(super) fn cost(view: &View<'_>) -> u64 {
        let threads = view.graph.threads();
        (view.len() * (4 + threads + threads * threads / 4)) as u64
    }

    /// Of a graph in which each location alone is in order.
    pub(super) fn new(view: &View<'_>, along: Along, coherent: &Coherent<'_>, pairs: &[(EventId, EventId)]) -> Self {
        let poser = Poser::new(view, along, coherent.clocks());
        let links = poser.links();
        let matters = |links: &[Links], location: usize| {
            let writes = view.writes(location);
            writes.iter().any(|w| !links[w.index()].front.is_empty())
                && writes.iter().any(|w| !links[w.index()].behind.is_empty())
        };
        let memories: Vec<[bool; 2]> = (0..view.locations)
            .map(|location| {
                let through_reads = matters(&links[1], location);
                [through_reads || matters(&links[0], location), through_reads]
            })
            .collect();
        // Numbers, in the order of events: where there is a choice, the search takes that order.
        let mut arriving = Vec::new();
        let mut number = |e: EventId| {
            arriving.push(e);
            (view.len() + arriving.len() - 1) as u32
        };
        let mut arrivals = vec![[NONE; 2]; view.len()];
        let mut passings = vec![[NONE; 2]; view.len()];
        for (w, event) in view.graph.events().filter(|(_, event)| event.is_write()) {
            let Some(location) = event.location().map(|location| location.0 as usize) else { continue };
            let [here, through_reads] = memories[location];
            let is_passed = [0, 1].map(|memory| !links[memory][w.index()].front.is_empty());
            // Who comes first there decides the order in both, so that must not seem to be of no consequence.
            let is_passed = [is_passed[0], is_passed[0] || is_passed[1]];
            for memory in [1, 0].into_iter().filter(|&memory| [here, through_reads][memory]) {
                if !event.is_init() {
                    arrivals[w.index()][memory] = number(if memory == 0 { w } else { EventId(0) });
                }
                if is_passed[memory] {
                    passings[w.index()][memory] = number(EventId(0));
                }
            }
        }
        let events = view.len() + arriving.len();
        let mut machine = Machine::new(Buffering::None, events, 2 * view.locations);
        let plain = |number: u32| Event {
            number,
            kind: Kind::Strong,
            location: None,
            writes: false,
            source: None,
            is_forwarded: false,
        };
        for row in &poser.sc {
            machine.add_thread(row.iter().map(|&(_, e)| plain(e.0)), true);
        }
        for (location, used) in memories.iter().enumerate() {
            for memory in [0, 1].into_iter().filter(|&memory| used[memory]) {
                let at = Some((memory * view.locations + location) as u32);
                let passing = |w: EventId| {
                    let source = Some(Some(arrivals[w.index()][memory]).filter(|&arrival| arrival != NONE));
                    let number = passings[w.index()][memory];
                    (number != NONE).then(|| Event { location: at, source, ..plain(number) })
                };
                machine.add_thread(passing(EventId(location as u32)).into_iter(), true);
                for row in &poser.accesses[location] {
                    let writes = row.iter().map(|&(_, e)| e).filter(|&e| view.graph.event(e).is_write());
                    let lane = writes.flat_map(|w| {
                        let source = view.graph.source(w).map(|source| {
                            let arrival = arrivals[source.index()][memory];
                            (arrival != NONE).then_some(arrival)
                        });
                        let number = arrivals[w.index()][memory];
                        let arrival = Event { location: at, writes: true, source, ..plain(number) };
                        std::iter::once(arrival).chain(passing(w))
                    });
                    machine.add_thread(lane, true);
                }
            }
        }
        for location in 0..view.locations {
            for w in view.writes(location) {
                let [arrival, sooner] = arrivals[w.index()];
                if sooner != NONE {
                    machine.follow(arrival, sooner);
                }
                for (memory, links) in links.iter().enumerate() {
                    let (arrival, passing) = (arrivals[w.index()][memory], passings[w.index()][memory]);
                    if arrival != NONE {
                        links[w.index()].behind.iter().for_each(|b| machine.put_before(arrival, b.0));
                    }
                    if passing != NONE {
                        links[w.index()].front.iter().for_each(|a| machine.put_before(a.0, passing));
                    }
                }
            }
        }
        for &(a, b) in pairs {
            for (a, b) in arrivals[a.index()].into_iter().zip(arrivals[b.index()]) {
                if a != NONE && b != NONE {
                    machine.put_before(a, b);
                }
            }
        }
        poser.each_fixed(&mut |a, b| machine.put_before(a.0, b.0));
        Self { machine, events: view.len(), arriving, arrivals }
    }

    /// Whether psc is acyclic with a co that is in order on each location.
    pub(super) fn fits_with(self, co: &Coherence) -> bool {
        let memory = |memory: usize| {
            let arrivals = &self.arrivals;
            co.iter().map(move |order| {
                let numbers = order[1..].iter().map(move |w| arrivals[w.index()][memory]);
                numbers.filter(|&number| number != NONE).collect::<Vec<_>>()
            })
        };
        let orders: Vec<_> = memory(0).chain(memory(1)).collect();
        self.machine.fits_with(&orders)
    }

    /// The arrival that decides what comes of a write in co, if any does.
    pub(super) fn arrival(&self, w: EventId) -> Option<u32> {
        Some(self.arrivals[w.index()][0]).filter(|&arrival| arrival != NONE)
    }

    /// By number: the write that arrives.
    pub(super) fn into_parts(self) -> (Machine, Arrivals) {
        (self.machine, Arrivals { events: self.events, arriving: self.arriving })
    }
}

/// In which order the SC events may come, of a graph in which each location alone is in order.
pub(super) fn order(view: &View<'_>, along: Along, coherent: &Coherent<'_>) -> FenceOrder {
    let poser = Poser::new(view, along, coherent.clocks());
    let links = poser.links();
    let mut before = Vec::new();
    poser.each_fixed(&mut |a, b| before.push((a, b)));
    let rows = |rows: &[Row]| -> Vec<Vec<EventId>> {
        let rows = rows.iter().filter(|row| !row.is_empty());
        rows.map(|row| row.iter().map(|&(_, e)| e).collect()).collect()
    };
    let has_fences = along == Along::Scb && poser.has_fences();
    let has_accesses = poser.sc_accesses.iter().flatten().any(|row| !row.is_empty());
    let sets = |links: &Links| [links.front.clone(), links.behind.clone()];
    let [direct, through_reads] = &links;
    let events = rows(&poser.sc);
    if has_fences && !has_accesses {
        // What has to come before one of both ends is the same, so one of both memories will do.
        let both = |w: EventId| {
            let [front, mut behind] = sets(&direct[w.index()]);
            behind.extend(&through_reads[w.index()].behind);
            [front, behind]
        };
        return FenceOrder::of_sc(view, coherent, events, &before, &[both]);
    }
    let of = |links: &'_ [Links]| -> Vec<[Vec<EventId>; 2]> { links.iter().map(sets).collect() };
    let mut all = vec![of(direct)];
    if has_fences {
        all.push(of(through_reads));
    }
    let all: Vec<_> = all.iter().map(|links| |w: EventId| links[w.index()].clone()).collect();
    FenceOrder::of_sc(view, coherent, events, &before, &all)
}

/// Which writes arrive in a run of SC events.
#[derive(Clone, Debug)]
pub(super) struct Arrivals {
    events: usize,
    arriving: Vec<EventId>,
}

impl Arrivals {
    /// The write that an event of a run says to come next in co.
    pub(super) fn write(&self, number: u32) -> Option<EventId> {
        let at = (number as usize).checked_sub(self.events)?;
        Some(self.arriving[at]).filter(|w| w.index() > 0)
    }
}
