//! Repaired C11.
//!
//! - rseq = \[W\] ; (po on one location)? ; \[W at least relaxed\] ; (rf ; \[RMW\])*
//! - sw = \[at least release\] ; (\[F\] ; po)? ; rseq ; rf ; \[R at least relaxed\] ; (po ; \[F\])? ; \[at least acquire\]
//! - hb = (po ∪ sw)⁺, eco = (rf ∪ co ∪ fr)⁺
//! - scb = po ∪ (po≠ ; hb ; po≠) ∪ (hb on one location) ∪ co ∪ fr, where po≠ is po between different locations
//! - psc = (\[SC\] ∪ \[F SC\] ; hb?) ; scb ; (\[SC\] ∪ hb? ; \[F SC\]) ∪ \[F SC\] ; (hb ∪ hb ; eco ; hb) ; \[F SC\]
//!
//! A graph is consistent if for some co
//!
//! - coherence: hb ; eco? and eco are irreflexive;
//! - atomicity: each read-modify-write comes immediately behind its source in co;
//! - SC: psc is acyclic;
//! - no thin air: porf is acyclic.
//!
//! Source: Kokologiannakis, Raad and Vafeiadis, "Model Checking for Weakly Consistent Libraries" (PLDI 2019), appendix
//! A.3, after Lahav, Vafeiadis, Kang, Hur and Dreyer, "Repairing Sequential Consistency in C/C++11" (PLDI 2017). fr is
//! without the identity, since a read-modify-write is one event, and co is total, though one line of the appendix says
//! partial.
//!
//! Without SC events this takes polynomial time: coherence and atomicity say that for each location, (hb on its
//! accesses) ∪ rf ∪ co ∪ fr is acyclic, which saturation decides. (The published writes-before relation, appendix B, is
//! no sufficient check when there are read-modify-writes.) With SC events, the orders that saturation leaves open are
//! searched for those locations whose co can take part in psc; psc grows with co, so it is tested all along.

use super::coherence::{Global, Local, Problem, State};
use super::view::View;
use crate::graph::{Edge, EventId, EventSet, Execution, Label, Relation, RelationName};
use crate::program::Mode;

/// One order for each location, with hb, and psc if there are SC events.
pub(super) fn problem<'v>(view: &'v View<'v>) -> Problem<'v> {
    let hb = happens_before(view);
    let local = view.by_location(&hb);
    let sc = ScOrder::new(view, &hb);
    Problem {
        view,
        local: Local::CoFr,
        global: Global::None,
        hides: false,
        fences: Vec::new(),
        sc,
        start: State { hb: Relation::new(0), local, global: Relation::new(0), added: Vec::new() },
    }
}

/// A pair of sw and how it comes about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Synchronisation {
    /// Where it starts: `write`, or what releases in front of it.
    pub release: EventId,
    /// The write that read-modify-writes, perhaps none, pass on to the read.
    pub write: EventId,
    pub read: EventId,
    /// Where it ends: `read`, or a fence behind it.
    pub acquire: EventId,
}

/// Calls `found` with each pair of sw that ends at or, by a fence, because of the read `r`.
fn each_synchronisation(view: &View<'_>, r: EventId, found: &mut dyn FnMut(Synchronisation)) {
    let graph = view.graph;
    let event = graph.event(r);
    if !event.is_read() || !event.mode().is_atomic() {
        return;
    }
    let later = |e: EventId| &graph.thread(graph.event(e).thread())[graph.event(e).key.serial as usize..];
    let earlier = |e: EventId| &graph.thread(graph.event(e).thread())[..graph.event(e).key.serial as usize - 1];
    let acquires = |e: EventId| graph.event(e).is_fence() && graph.event(e).mode().is_acquire();
    if !event.mode().is_acquire() && !later(r).iter().any(|&f| acquires(f)) {
        return;
    }
    let mut next = graph.source(r);
    while let Some(w) = next {
        let write = graph.event(w);
        next = if write.is_update() { graph.source(w) } else { None };
        if write.is_init() || !write.mode().is_atomic() {
            continue;
        }
        let mut release = |release: EventId| {
            let mut acquire = |acquire| found(Synchronisation { release, write: w, read: r, acquire });
            if event.mode().is_acquire() {
                acquire(r);
            }
            later(r).iter().filter(|&&f| acquires(f)).for_each(|&f| acquire(f));
        };
        if write.mode().is_release() {
            release(w);
        }
        for &before in earlier(w) {
            let other = graph.event(before);
            let heads = other.is_fence() || other.is_write() && other.location() == write.location();
            if heads && other.mode().is_release() {
                release(before);
            }
        }
    }
}

/// sw.
pub(super) fn synchronises_with(view: &View<'_>) -> Relation {
    let mut sw = Relation::new(view.len());
    for reading in &view.readings {
        each_synchronisation(view, reading.read, &mut |found| {
            sw.insert(found.release, found.acquire);
        });
    }
    sw
}

/// How a pair of sw comes about, by the shortest path of po and rf, with that path.
pub(super) fn synchronisation(
    view: &View<'_>,
    release: EventId,
    acquire: EventId,
) -> Option<(Synchronisation, Vec<Edge>)> {
    let mut shortest: Option<(Synchronisation, Vec<Edge>)> = None;
    for reading in &view.readings {
        each_synchronisation(view, reading.read, &mut |found| {
            if (found.release, found.acquire) != (release, acquire) {
                return;
            }
            let mut path = Vec::new();
            let mut add = |from, to, relation| path.push(Edge { from, to, relation });
            if found.acquire != found.read {
                add(found.read, found.acquire, RelationName::Po);
            }
            let mut to = found.read;
            while to != found.write {
                let Some(from) = view.graph.source(to) else { return };
                add(from, to, RelationName::Rf);
                to = from;
            }
            if found.release != found.write {
                add(found.release, found.write, RelationName::Po);
            }
            path.reverse();
            if shortest.as_ref().is_none_or(|(_, known)| known.len() > path.len()) {
                shortest = Some((found, path));
            }
        });
    }
    shortest
}

/// hb.
pub(super) fn happens_before(view: &View<'_>) -> Relation {
    let mut edges = Vec::new();
    for reading in &view.readings {
        each_synchronisation(view, reading.read, &mut |found| edges.push((found.acquire, found.release)));
    }
    view.closure(|e, predecessor| {
        view.po_predecessor(e).into_iter().for_each(&mut *predecessor);
        edges.iter().filter(|(acquire, _)| *acquire == e).for_each(|&(_, release)| predecessor(release));
    })
}

/// The data races: events of different threads on one location, one of them a write and one non-atomic, that hb does
/// not order. Each pair ascending.
pub(super) fn races(graph: &Execution) -> Vec<(EventId, EventId)> {
    if graph.events().all(|(_, event)| event.mode().is_atomic()) {
        return Vec::new();
    }
    let Ok(view) = View::without_atomicity(graph) else { return Vec::new() };
    let hb = happens_before(&view);
    let mut races = Vec::new();
    for (a, left) in graph.events().filter(|(_, event)| event.location().is_some() && !event.is_init()) {
        for (b, right) in graph.events().skip(a.index() + 1) {
            let conflict = left.location() == right.location()
                && (left.is_write() || right.is_write())
                && !(left.mode().is_atomic() && right.mode().is_atomic())
                && left.thread() != right.thread();
            if conflict && !hb.contains(a, b) && !hb.contains(b, a) {
                races.push((a, b));
            }
        }
    }
    races
}

/// psc of a graph that has SC events. Products are formed from the left: few events are SC, so few rows are not empty.
#[derive(Debug)]
pub(super) struct ScOrder {
    hb: Relation,
    /// \[SC\] ∪ \[F SC\] ; hb?
    left: Relation,
    /// \[SC\] ∪ hb? ; \[F SC\]
    right: Relation,
    /// \[F SC\]
    fences: Relation,
    /// \[F SC\] ; hb
    behind_fences: Relation,
    /// The part of psc that does not depend on co.
    fixed: Relation,
    /// The locations whose co can take part.
    deciding: EventSet,
    /// How many pairs `left` has.
    left_pairs: u64,
}

impl ScOrder {
    fn new(view: &View<'_>, hb: &Relation) -> Option<Self> {
        let graph = view.graph;
        if !graph.events().any(|(_, event)| event.mode().is_sc()) {
            return None;
        }
        let n = view.len();
        let is_sc_fence = |e: EventId| graph.event(e).label == Label::Fence(Mode::SequentiallyConsistent);
        let sc = Relation::identity(n, |e| graph.event(e).mode().is_sc());
        let fences = Relation::identity(n, is_sc_fence);
        let behind_fences = fences.compose(hb);
        let left = sc.union(&behind_fences);
        let po = view.po();
        let (mut right, mut elsewhere, mut same) = (sc, Relation::new(n), Relation::new(n));
        // No path of psc leads through an initial write.
        for &a in &view.order {
            po.successors(a).filter(|&b| !view.same_location(a, b)).for_each(|b| {
                elsewhere.insert(a, b);
            });
            for b in hb.successors(a) {
                if view.same_location(a, b) {
                    same.insert(a, b);
                }
                if is_sc_fence(b) {
                    right.insert(a, b);
                }
            }
        }
        let mut fixed = left.compose(&elsewhere).compose(hb).compose(&elsewhere);
        fixed.union_with(&left.compose(&po));
        fixed.union_with(&left.compose(&same));
        let mut fixed = fixed.compose(&right);
        fixed.union_with(&behind_fences.compose(&fences));
        let mut starts = vec![false; view.locations];
        let mut ends = vec![false; view.locations];
        let mut reached = vec![false; n];
        left.pairs().for_each(|(_, e)| reached[e.index()] = true);
        for (e, event) in graph.events() {
            let Some(location) = event.location() else { continue };
            starts[location.0 as usize] |= reached[e.index()];
            ends[location.0 as usize] |= right.successors(e).next().is_some();
        }
        let deciding = EventSet::from_fn(n, |e| e.index() < view.locations && starts[e.index()] && ends[e.index()]);
        let left_pairs = left.pairs().count() as u64;
        Some(Self { hb: hb.clone(), left, right, fences, behind_fences, fixed, deciding, left_pairs })
    }

    /// Whether the co of a location can take part in psc.
    pub fn decides(&self, location: usize) -> bool {
        self.deciding.contains(EventId(location as u32))
    }

    /// psc as far as co is known; co has to be transitive, and coherence to hold so far.
    pub fn psc(&self, view: &View<'_>, co: &Relation) -> Relation {
        let communication = co.union(&from_read(view, co));
        let mut psc = self.left.compose(&communication).compose(&self.right);
        psc.union_with(&self.fixed);
        if !self.behind_fences.is_empty() {
            // eco is rf ∪ (co ∪ fr) ; rf?
            let rf = view.graph.rf_relation();
            let mut eco = self.behind_fences.compose(&communication);
            eco.union_with(&eco.compose(&rf));
            eco.union_with(&self.behind_fences.compose(&rf));
            psc.union_with(&eco.compose(&self.hb).compose(&self.fences));
        }
        psc
    }

    /// What psc is made of: calls `step` with each pair `a, b` and the ends `c, d` of the middle part of a path from
    /// `a` to `b`, and whether that part is eco; else it is scb.
    pub fn each_step(&self, view: &View<'_>, co: &Relation, step: &mut dyn FnMut([EventId; 4], bool)) {
        let po = view.po();
        let elsewhere = po.filter(|a, b| !view.same_location(a, b));
        let mut communication = co.union(&from_read(view, co));
        let scb = po
            .union(&elsewhere.compose(&self.hb).compose(&elsewhere))
            .union(&self.hb.filter(|a, b| view.same_location(a, b)))
            .union(&communication);
        communication.union_with(&view.graph.rf_relation());
        let eco = communication.transitive_closure();
        let is_fence = |e| self.fences.contains(e, e);
        for (a, c) in self.left.pairs() {
            for d in scb.successors(c) {
                self.right.successors(d).for_each(|b| step([a, c, d, b], false));
            }
            if !is_fence(a) || a == c {
                continue;
            }
            if is_fence(c) {
                step([a, a, c, c], false);
            }
            for d in eco.successors(c) {
                let ends = self.hb.successors(d).filter(|&b| is_fence(b));
                ends.for_each(|b| step([a, c, d, b], true));
            }
        }
    }

    /// About how many units of work [`Self::holds`] is.
    pub fn cost(&self, view: &View<'_>) -> u64 {
        let words = view.len().div_ceil(64) as u64;
        (view.len() as u64 + self.left_pairs) * words
    }

    /// Whether psc is acyclic as far as co is known.
    pub fn holds(&self, view: &View<'_>, state: &State) -> bool {
        self.psc(view, &known_co(view, |a, b| state.local.contains(a, b))).is_acyclic()
    }
}

/// The pairs of writes of one location that are known to be in co.
pub(super) fn known_co(view: &View<'_>, mut known: impl FnMut(EventId, EventId) -> bool) -> Relation {
    let mut co = Relation::new(view.len());
    for location in 0..view.locations {
        for &a in view.writes(location) {
            for &b in view.writes(location) {
                if known(a, b) {
                    co.insert(a, b);
                }
            }
        }
    }
    co
}

/// fr = (rf⁻¹ ; co) without the identity.
pub(super) fn from_read(view: &View<'_>, co: &Relation) -> Relation {
    let mut fr = Relation::new(view.len());
    for reading in &view.readings {
        for later in co.successors(reading.source).filter(|&later| later != reading.read) {
            fr.insert(reading.read, later);
        }
    }
    fr
}
