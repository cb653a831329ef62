//! Consistency where nothing branches.
//!
//! An order on each location that contains fr is acyclic for some co exactly if co can be chosen so that along hb (or po, where
//! there is no hb) nothing gets older: of two accesses of a location, the first leaves a write that is the one at which the
//! second enters, or comes before it in co. So what co has to contain is known from po and rf: for each access, one pair for
//! each thread, from what the last access of that thread leaves that the access knows of. A read-modify-write comes immediately
//! behind its source, so chains of them are blocks, and some co fits exactly if the pairs order blocks, and within a block
//! agree with the chain. There are as many pairs as there are events times threads (Tunç, Abdulla, Chakraborty, Krishna,
//! Mathur, Pavlogiannis: *Optimal Reads-From Consistency Checking for C11-Style Memory Models*, PLDI 2023, sections 3 and 4).
//!
//! That holds for coherence, RA, and RC11 as far as there is no psc. Under SRA, hb and co must not contradict each other over
//! all locations: without read-modify-writes some co fits exactly if hb and the pairs together are acyclic (same paper); with
//! them, that is necessary, but to decide is NP-complete: see [`super::machine`].
//!
//! [`super::machine`]: mod@super::machine

use super::accesses::{Access, Column, columns, enters};
use super::clocks::Clocks;
use crate::graph::{Coherence, EventId, Label};
use crate::model::rules::Rules;
use crate::model::view::View;
use crate::program::Mode;
use std::collections::BTreeSet;

/// A graph, and what its events know.
pub(super) struct Coherent<'v> {
    view: &'v View<'v>,
    rules: &'static Rules,
    columns: Vec<Vec<Column>>,
    clocks: Clocks,
    /// The SC fences, if they are in an order.
    pub fences: Vec<EventId>,
}

/// The chains of read-modify-writes. A write that is none is a block alone.
pub(super) struct Blocks {
    /// By event: the first write of its block, and how many are in front of it there.
    pub places: Vec<(EventId, u32)>,
}

impl Blocks {
    pub(super) fn new(view: &View<'_>) -> Self {
        let mut places: Vec<_> = view.graph.ids().map(|e| (e, 0)).collect();
        for &e in &view.order {
            if view.graph.event(e).is_update()
                && let Some(source) = view.graph.source(e)
            {
                let (first, at) = places[source.index()];
                places[e.index()] = (first, at + 1);
            }
        }
        Self { places }
    }
}

/// Whether what is known of an order has no cycle: pairs of numbers below `count`.
fn is_acyclic(count: usize, pairs: &[(EventId, EventId)]) -> bool {
    let mut starts = vec![0u32; count + 1];
    let mut waits = vec![0u32; count];
    for (a, b) in pairs {
        starts[a.index() + 1] += 1;
        waits[b.index()] += 1;
    }
    for e in 0..count {
        starts[e + 1] += starts[e];
    }
    let mut behind = vec![0u32; pairs.len()];
    let mut next = starts.clone();
    for (a, b) in pairs {
        behind[next[a.index()] as usize] = b.0;
        next[a.index()] += 1;
    }
    let mut open: Vec<usize> = (0..count).filter(|&e| waits[e] == 0).collect();
    let mut placed = 0;
    while let Some(e) = open.pop() {
        placed += 1;
        for &later in &behind[starts[e] as usize..starts[e + 1] as usize] {
            waits[later as usize] -= 1;
            if waits[later as usize] == 0 {
                open.push(later as usize);
            }
        }
    }
    placed == count
}

impl<'v> Coherent<'v> {
    pub(super) fn new(view: &'v View<'v>, rules: &'static Rules) -> Self {
        Self {
            view,
            rules,
            columns: columns(view),
            clocks: Clocks::new(view, rules.happens_before),
            fences: Vec::new(),
        }
    }

    /// The same, where SC fences come in this order of all events, which porf agrees with.
    pub(super) fn with_fences(view: &'v View<'v>, rules: &'static Rules, order: &[EventId]) -> Self {
        let is_sc_fence = |&e: &EventId| view.graph.event(e).label == Label::Fence(Mode::SequentiallyConsistent);
        let fences = order.iter().copied().filter(is_sc_fence).collect();
        Self { view, rules, columns: columns(view), clocks: Clocks::with_fences(view, order), fences }
    }

    /// About how many units of work a question is.
    pub(super) fn cost(view: &View<'_>) -> u64 {
        (view.len() * (2 + view.graph.threads())) as u64
    }

    /// What its events know.
    pub(super) fn clocks(&self) -> &Clocks {
        &self.clocks
    }

    /// By location and thread: accesses.
    pub(super) fn columns(&self) -> &[Vec<Column>] {
        &self.columns
    }

    /// The pairs of blocks, given by their first writes, that co has to contain but for those of initial writes.
    pub(super) fn block_pairs(&self, blocks: &Blocks) -> Vec<(EventId, EventId)> {
        let mut pairs = Vec::new();
        self.all_pairs(|a, b, _| {
            let (a, b) = (blocks.places[a.index()].0, blocks.places[b.index()].0);
            if a != b && !self.is_init(a) {
                pairs.push((a, b));
            }
            true
        });
        pairs
    }

    fn is_init(&self, e: EventId) -> bool {
        e.index() < self.view.locations
    }

    /// Calls `pair` with each pair that co has to contain, or the same write twice, until it says no.
    fn all_pairs(&self, mut pair: impl FnMut(EventId, EventId, &Access) -> bool) -> bool {
        for columns in &self.columns {
            for access in columns.iter().flat_map(|column| &column.accesses) {
                let event = self.view.graph.event(access.event);
                let enters = enters(self.view, access);
                for column in columns {
                    let known = column.last(self.clocks.before(access.event, event, column.thread));
                    if let Some(known) = known
                        && !pair(known.leaves, enters, access)
                    {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// Whether hb hides no write from a read, under a model without co.
    pub(super) fn is_causal(&self) -> bool {
        let hides = |w: EventId, other: &Access| {
            let (event, thread) = (self.view.graph.event(other.event), self.view.graph.event(w).thread());
            self.is_init(w) || self.clocks.before(other.event, event, thread) >= self.view.graph.event(w).key.serial
        };
        self.columns.iter().all(|columns| {
            let reads = columns.iter().flat_map(|column| &column.accesses);
            let mut reads = reads.filter_map(|access| Some((access, self.view.graph.source(access.event)?)));
            reads.all(|(read, w)| {
                let event = self.view.graph.event(read.event);
                columns.iter().all(|column| {
                    let last = column.last_write(self.clocks.before(read.event, event, column.thread));
                    last.is_none_or(|other| other.event == w || !hides(w, other))
                })
            })
        })
    }

    /// Whether some co fits, as far as each location is asked alone.
    pub(super) fn fits(&self) -> bool {
        let blocks = Blocks::new(self.view);
        let mut pairs = Vec::new();
        let fits = self.all_pairs(|a, b, _| {
            let ((first, at), (other, limit)) = (blocks.places[a.index()], blocks.places[b.index()]);
            if first == other {
                return at <= limit;
            }
            // An initial write is before all others.
            if !self.is_init(first) {
                pairs.push((first, other));
            }
            !self.is_init(other)
        });
        fits && is_acyclic(self.view.len(), &pairs)
    }

    /// The pairs that co has to contain but for those of initial writes; `None` if something would come before one.
    pub(super) fn pairs(&self) -> Option<Vec<(EventId, EventId)>> {
        let mut pairs = Vec::new();
        let possible = self.all_pairs(|a, b, _| {
            if a != b && !self.is_init(a) {
                pairs.push((a, b));
            }
            a == b || !self.is_init(b)
        });
        possible.then_some(pairs)
    }

    /// A co that fits, if one does and each location is asked alone: of the writes that may come next, the one that was added
    /// first, but a read-modify-write behind its source.
    pub(super) fn some_co(&self) -> Coherence {
        let mut waits = vec![0u32; self.view.len()];
        let mut behind: Vec<Vec<EventId>> = vec![Vec::new(); self.view.len()];
        let mut put = |a: EventId, b: EventId| {
            if a != b {
                waits[b.index()] += 1;
                behind[a.index()].push(b);
            }
        };
        if self.rules.has_co() {
            let blocks = Blocks::new(self.view);
            let first = |e: EventId| blocks.places[e.index()].0;
            self.all_pairs(|a, b, _| {
                put(first(a), first(b));
                true
            });
            // What is behind the first of a block only comes behind what is before it.
            self.view.order.iter().filter(|&&e| first(e) != e).for_each(|&e| put(first(e), e));
        } else {
            self.each_write_known(&mut put);
        }
        let mut update_of = vec![None; self.view.len()];
        for reading in self.view.readings.iter().filter(|reading| self.view.graph.event(reading.read).is_write()) {
            update_of[reading.source.index()] = Some(reading.read);
        }
        (0..self.view.locations)
            .map(|location| {
                let writes = self.view.writes(location);
                let mut order = vec![writes[0]];
                let mut open: BTreeSet<EventId> =
                    writes[1..].iter().copied().filter(|w| waits[w.index()] == 0).collect();
                let mut place = |w: EventId, open: &mut BTreeSet<EventId>| {
                    for later in &behind[w.index()] {
                        waits[later.index()] -= 1;
                        if waits[later.index()] == 0 {
                            open.insert(*later);
                        }
                    }
                };
                place(writes[0], &mut open);
                while let Some(&last) = order.last() {
                    let chained = update_of[last.index()].filter(|next| open.contains(next));
                    let Some(next) = chained.or_else(|| open.first().copied()) else { break };
                    open.remove(&next);
                    order.push(next);
                    place(next, &mut open);
                }
                order
            })
            .collect()
    }

    /// Calls `found` with each write and the last ones of all threads that it knows of, on its location.
    fn each_write_known(&self, found: &mut impl FnMut(EventId, EventId)) {
        for columns in &self.columns {
            for write in columns.iter().flat_map(|column| &column.writes) {
                let event = self.view.graph.event(write.event);
                for column in columns {
                    let last = column.last_write(self.clocks.before(write.event, event, column.thread));
                    last.into_iter().for_each(|last| found(last.event, write.event));
                }
            }
        }
    }

    /// By location: the writes that can be last in a co that fits, if one does and each location is asked alone.
    pub(super) fn last_writes(&self) -> Vec<Vec<EventId>> {
        let mut is_followed = vec![false; self.view.len()];
        if self.rules.has_co() {
            let blocks = Blocks::new(self.view);
            let first = |e: EventId| blocks.places[e.index()].0;
            self.all_pairs(|a, b, _| {
                is_followed[first(a).index()] |= first(a) != first(b);
                true
            });
            // Of a block, the last counts.
            let is_followed_first = is_followed.clone();
            for &e in &self.view.order {
                is_followed[e.index()] = is_followed_first[first(e).index()];
            }
            for location in 0..self.view.locations {
                let writes = self.view.writes(location);
                if writes.iter().any(|&w| first(w) != writes[0]) {
                    writes.iter().filter(|&&w| first(w) == writes[0]).for_each(|w| is_followed[w.index()] = true);
                }
            }
            for reading in &self.view.readings {
                is_followed[reading.source.index()] |= self.view.graph.event(reading.read).is_write();
            }
        } else {
            self.each_write_known(&mut |before, _| is_followed[before.index()] = true);
            for location in (0..self.view.locations).filter(|&location| self.view.writes(location).len() > 1) {
                is_followed[location] = true;
            }
        }
        let lasts = |location| self.view.writes(location).iter().copied().filter(|w| !is_followed[w.index()]).collect();
        (0..self.view.locations).map(lasts).collect()
    }

    /// Whether porf and what co contains have no cycle.
    pub(super) fn fits_porf(&self, mut pairs: Vec<(EventId, EventId)>) -> bool {
        for &e in &self.view.order {
            let source = self.view.graph.source(e).filter(|&source| !self.is_init(source));
            pairs.extend(source.into_iter().chain(self.view.po_predecessor(e)).map(|before| (before, e)));
        }
        pairs.extend(self.fences.windows(2).map(|pair| (pair[0], pair[1])));
        is_acyclic(self.view.len(), &pairs)
    }

    /// Whether a co fits.
    pub(super) fn fits_with(&self, co: &Coherence) -> bool {
        let mut places = vec![0u32; self.view.len()];
        for order in co {
            for (at, e) in order.iter().enumerate() {
                places[e.index()] = at as u32;
            }
        }
        let place = |e: EventId| places[e.index()];
        if !self.rules.has_co() {
            // The order extends hb, and that is all.
            return self.is_causal()
                && self.columns.iter().all(|columns| {
                    let mut writes = columns.iter().flat_map(|column| &column.writes);
                    writes.all(|write| {
                        let event = self.view.graph.event(write.event);
                        place(write.event) > 0
                            && columns.iter().all(|column| {
                                let before = self.clocks.before(write.event, event, column.thread);
                                let last = column.last_write(before);
                                last.is_none_or(|last| place(last.event) < place(write.event))
                            })
                    })
                });
        }
        let immediate = |e: EventId| {
            let source = self.view.graph.source(e).filter(|_| self.view.graph.event(e).is_update());
            source.is_none_or(|source| place(e) == place(source) + 1)
        };
        let fits = self.view.order.iter().all(|&e| immediate(e))
            && self.all_pairs(|a, b, access| place(a) < place(b) || a == b && b != access.event);
        if !fits || self.rules.global.is_none() {
            return fits;
        }
        let pairs = co.iter().flat_map(|order| order.windows(2)).map(|pair| (pair[0], pair[1]));
        self.fits_porf(pairs.filter(|(a, _)| !self.is_init(*a)).collect())
    }
}
