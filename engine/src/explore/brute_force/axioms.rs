//! The memory models by definition.

use super::library;
use super::pace::Pace;
use super::permutations::{permutations, permutations_of_each};
use crate::budget::{Budget, Decision, Halt, Paused};
use crate::graph::{Coherence, Event, EventId, Execution, Label, Relation};
use crate::model::Model;
use crate::program::{Location, Mode, Operation};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// Whether a complete plain execution is consistent.
///
/// In every model each read has a source, porf = (po ∪ rf)⁺ is acyclic, and no write is the source of two
/// read-modify-writes. A read-modify-write is one event that reads and writes; one that fails only reads. fr is
/// (rf⁻¹ ; co) without the identity: otherwise each read-modify-write would be from-read before itself, which is how
/// the definitions are printed in Kokologiannakis, Raad and Vafeiadis, "Model Checking for Weakly Consistent Libraries"
/// (PLDI 2019), appendix A. Access modes mean something only to RC11. Of the operations of mutexes and channels, those that
/// wait are read-modify-writes once they have a source, and reads without one as long as they are blocked; an unlock is a
/// write. What they ask of rf holds in every model ([`library::consistent`]). Besides that:
///
/// - **SC** (ibid., A.1): for some co, po ∪ rf ∪ co ∪ fr is acyclic.
/// - **TSO** (ibid., A.2): for some total order of the writes, initial ones first, let t be the transitive closure of
///   it, of rf between threads, and of po without its pairs from a write to a read. t is irreflexive, and no read `r`
///   of `w` has a write `w'` of the location with `w t w'` and `w' (t ∪ po) r`. Differs from print in two ways: `w'` is
///   any write, not just a read-modify-write; and a read-modify-write, which drains the store buffer even if it fails,
///   is not taken out of po. Of the fences, only `sc` counts.
/// - **PSO**: as TSO, but po also loses its pairs from a write to a write of another location, unless a `rel` or
///   `acqrel` fence is between them or the second write is an unlock. (No paper at hand states this; it is what the machine of
///   [`crate::explore::operational`] does.)
/// - **WRA**: with hb = (po ∪ rf)⁺, no read `r` of `w` has another write `w'` of the location with `w hb w' hb r`.
/// - **RA**: for some co that contains hb between writes of one location, no read `r` of `w` has a write `w'` with
///   `w co w'` and `w' hb r`, and each read-modify-write comes immediately after its source.
/// - **SRA**: as RA, and hb ∪ co is acyclic. (All three: Lahav and Boker, "What's Decidable about Causally Consistent
///   Shared Memory?", TOPLAS 2022.) `sc` fences act as read-modify-writes of a location of their own: for some total
///   order of them, this order is part of hb.
/// - **RC11** (PLDI 2019, A.3): see the source; race detection is [`races`].
pub fn consistent(model: Model, graph: &Execution) -> bool {
    each_coherence(model, graph, &Pace::unlimited(), &mut |_| ControlFlow::Break(())).is_break()
}

/// Where the answer to the question whether one graph is [`consistent`] was paused.
#[derive(Clone, Copy, Debug, Default)]
pub struct Attempts {
    /// How many orders were tried.
    tried: u64,
    /// How much of its limit the search has spent.
    spent: u64,
}

impl Attempts {
    /// As [`consistent`]; undecided if that takes more than `limit` units of work. Behind its end, it is free for another
    /// graph.
    ///
    /// # Errors
    /// [`Paused`] where the budget says so; the next call, with the same model and graph, goes on.
    pub fn consistent(
        &mut self,
        model: Model,
        graph: &Execution,
        limit: u64,
        budget: &mut Budget,
    ) -> Result<Decision, Paused> {
        let before = limit.saturating_sub(self.spent);
        let pace = Pace::new(self.tried, limit, self.spent, budget);
        let found = each_coherence(model, graph, &pace, &mut |_| ControlFlow::Break(())).is_break();
        let (tried, left, halt) = pace.end();
        self.tried = self.tried.max(tried);
        self.spent += before - left;
        let decision = match halt {
            Some(Halt::Paused) => return Err(Paused),
            Some(Halt::Limit) => Decision::Undecided,
            None => found.into(),
        };
        *self = Self::default();
        Ok(decision)
    }
}

/// All total coherence orders that make a complete plain execution consistent.
///
/// For TSO and PSO, what the store orders say about single locations. WRA knows no coherence order; there, all orders
/// that contain hb between writes of one location, so that the last one is a write that nobody has overwritten.
pub fn coherence_orders(model: Model, graph: &Execution) -> BTreeSet<Coherence> {
    let mut orders = BTreeSet::new();
    let _ = each_coherence(model, graph, &Pace::unlimited(), &mut |co| {
        orders.insert(co.to_vec());
        ControlFlow::Continue(())
    });
    orders
}

/// Which writes the final memory can come from: for each combination, the writes of `locations`, in that order.
pub fn final_writes(model: Model, graph: &Execution, locations: &[Location]) -> BTreeSet<Vec<EventId>> {
    let last =
        |co: &Coherence, location: &Location| *co[location.0 as usize].last().expect("there is an initial write");
    coherence_orders(model, graph)
        .iter()
        .map(|co| locations.iter().map(|location| last(co, location)).collect())
        .collect()
}

/// The data races of RC11: pairs of events of one location, at least one of them a write and at least one non-atomic,
/// that hb does not order. Each pair ascending.
pub fn races(graph: &Execution) -> BTreeSet<(EventId, EventId)> {
    let hb = Rc11::new(graph).hb;
    let mut races = BTreeSet::new();
    for (a, left) in graph.events() {
        for (b, right) in graph.events() {
            let conflict = a < b
                && left.location().is_some()
                && left.location() == right.location()
                && (left.is_write() || right.is_write())
                && !(left.mode().is_atomic() && right.mode().is_atomic());
            if conflict && !hb.contains(a, b) && !hb.contains(b, a) {
                races.insert((a, b));
            }
        }
    }
    races
}

/// Synchronises-with of RC11.
pub fn synchronises_with(graph: &Execution) -> Relation {
    Rc11::new(graph).sw
}

type Visit<'a> = dyn FnMut(&[Vec<EventId>]) -> ControlFlow<()> + 'a;

/// Calls `visit` with every coherence order that makes the graph consistent, some more than once, until it breaks.
fn each_coherence(model: Model, graph: &Execution, pace: &Pace<'_>, visit: &mut Visit<'_>) -> ControlFlow<()> {
    // The axioms are products of matrices.
    let cost = (graph.len() * graph.len() * (1 + graph.len() / 64)) as u64;
    let complete = graph.events().all(|(e, event)| !event.is_read() || event.is_blocked() || graph.source(e).is_some());
    let porf = graph.po_relation().union(&graph.rf_relation());
    let atomic = graph.ids().all(|w| {
        let updates = graph.events().filter(|(u, event)| event.is_update() && graph.source(*u) == Some(w));
        updates.count() <= 1
    });
    if !(complete && is_acyclic(&porf) && atomic && library::consistent(graph)) {
        return ControlFlow::Continue(());
    }
    match model {
        Model::Sc => each_total_co(graph, pace, &mut |co| {
            pace.attempt(cost, || if sc(graph, co) { visit(co) } else { ControlFlow::Continue(()) })
        }),
        Model::Tso | Model::Pso => {
            let writes: Vec<_> = writes(graph).filter(|&w| !graph.event(w).is_init()).collect();
            let kept = preserved_po(model, graph);
            // An order that contradicts what it has to agree with is in a cycle at once.
            let agreed = kept.union(&external_rf(graph)).transitive_closure().union(&library::chains(graph));
            permutations(&writes, &agreed, pace, &mut |order| {
                pace.attempt(cost, || {
                    if store_order(graph, &kept, order) {
                        visit(&by_location(graph, order))
                    } else {
                        ControlFlow::Continue(())
                    }
                })
            })
        }
        Model::Wra | Model::Ra | Model::Sra => {
            let fences: Vec<_> = graph.ids().filter(|&e| is_sc_fence(graph.event(e))).collect();
            permutations(&fences, &Relation::new(graph.len()), pace, &mut |fences| {
                let mut hb = porf.clone();
                for pair in fences.windows(2) {
                    hb.insert(pair[0], pair[1]);
                }
                let hb = hb.transitive_closure();
                if !hb.is_irreflexive() {
                    return ControlFlow::Continue(());
                }
                each_total_co(graph, pace, &mut |co| {
                    pace.attempt(cost, || {
                        if release_acquire(model, graph, &hb, co) { visit(co) } else { ControlFlow::Continue(()) }
                    })
                })
            })
        }
        Model::Rc11 => {
            let rc11 = Rc11::new(graph);
            each_total_co(graph, pace, &mut |co| {
                pace.attempt(cost, || if rc11.consistent(co) { visit(co) } else { ControlFlow::Continue(()) })
            })
        }
    }
}

fn writes(graph: &Execution) -> impl Iterator<Item = EventId> + '_ {
    graph.events().filter(|(_, event)| event.is_write()).map(|(e, _)| e)
}

fn same_location(graph: &Execution, a: EventId, b: EventId) -> bool {
    let location = graph.event(a).location();
    location.is_some() && location == graph.event(b).location()
}

fn is_sc_fence(event: &Event) -> bool {
    event.label == Label::Fence(Mode::SequentiallyConsistent)
}

/// All ways to order the writes of each location with the initial one first.
fn each_total_co(graph: &Execution, pace: &Pace<'_>, visit: &mut Visit<'_>) -> ControlFlow<()> {
    let inits = graph.events().filter(|(_, event)| event.is_init()).count();
    let rest: Vec<Vec<_>> =
        (0..inits as u32).map(|location| graph.writes(Location(location)).skip(1).collect()).collect();
    permutations_of_each(&rest, &library::chains(graph), pace, &mut |orders| {
        let co: Coherence = orders
            .iter()
            .enumerate()
            .map(|(location, order)| [&[EventId(location as u32)], order.as_slice()].concat())
            .collect();
        visit(&co)
    })
}

/// co from a total order of all writes but the initial ones.
fn by_location(graph: &Execution, order: &[EventId]) -> Coherence {
    let inits = graph.ids().filter(|&e| graph.event(e).is_init());
    inits
        .map(|init| {
            let later = order.iter().copied().filter(|&w| same_location(graph, init, w));
            std::iter::once(init).chain(later).collect()
        })
        .collect()
}

fn co_relation(graph: &Execution, co: &[Vec<EventId>]) -> Relation {
    let mut relation = Relation::new(graph.len());
    for order in co {
        for (at, &a) in order.iter().enumerate() {
            for &b in &order[at + 1..] {
                relation.insert(a, b);
            }
        }
    }
    relation
}

fn fr_relation(graph: &Execution, co: &Relation) -> Relation {
    graph.rf_relation().inverse().compose(co).filter(|r, w| r != w)
}

fn sc(graph: &Execution, co: &[Vec<EventId>]) -> bool {
    let co = co_relation(graph, co);
    let fr = fr_relation(graph, &co);
    is_acyclic(&graph.po_relation().union(&graph.rf_relation()).union(&co).union(&fr))
}

/// The part of po that the store buffers of TSO or PSO keep, as pairs of accesses and full fences.
pub fn preserved_po(model: Model, graph: &Execution) -> Relation {
    let pure_write = |e| graph.event(e).is_write() && !graph.event(e).is_read();
    // A failing read-modify-write is no update, but drains the buffer like one.
    let pure_read = |e| matches!(graph.event(e).label, Label::Read { .. });
    let counts = |e| graph.event(e).location().is_some() || is_sc_fence(graph.event(e));
    let store_store_fence = |a, b| {
        graph.events().any(|(f, event)| {
            matches!(event.label, Label::Fence(Mode::Release | Mode::AcquireRelease))
                && graph.po(a, f)
                && graph.po(f, b)
        })
    };
    graph.po_relation().filter(|a, b| {
        let overtakes = pure_write(a)
            && (pure_read(b)
                || (model == Model::Pso
                    && pure_write(b)
                    && graph.event(b).operation() != Some(Operation::Unlock)
                    && !same_location(graph, a, b)
                    && !store_store_fence(a, b)));
        counts(a) && counts(b) && (graph.event(a).is_init() || !overtakes)
    })
}

/// rf between threads.
fn external_rf(graph: &Execution) -> Relation {
    graph.rf_relation().filter(|w, r| graph.event(w).thread() != graph.event(r).thread())
}

/// Whether a total order of the writes but the initial ones is one in which they can reach memory.
fn store_order(graph: &Execution, preserved_po: &Relation, order: &[EventId]) -> bool {
    let rf = graph.rf_relation();
    let mut t = preserved_po.union(&external_rf(graph));
    for pair in order.windows(2) {
        t.insert(pair[0], pair[1]);
    }
    let t = t.transitive_closure();
    let before = t.union(&graph.po_relation());
    t.is_irreflexive()
        && rf.pairs().all(|(w, r)| {
            !writes(graph).any(|other| {
                other != r && same_location(graph, other, w) && t.contains(w, other) && before.contains(other, r)
            })
        })
}

/// WRA, RA and SRA for one hb that already has an order of the SC fences in it.
fn release_acquire(model: Model, graph: &Execution, hb: &Relation, co: &[Vec<EventId>]) -> bool {
    let co_lists = co;
    let co = co_relation(graph, co);
    let rf = graph.rf_relation();
    let contains_hb =
        hb.filter(|a, b| graph.event(a).is_write() && graph.event(b).is_write() && same_location(graph, a, b));
    if !contains_hb.difference(&co).is_empty() {
        return false;
    }
    let hidden_by = |order: &Relation| {
        rf.pairs().any(|(w, r)| {
            writes(graph)
                .any(|other| same_location(graph, other, w) && order.contains(w, other) && hb.contains(other, r))
        })
    };
    if model == Model::Wra {
        return !hidden_by(hb);
    }
    let atomic = rf.pairs().all(|(w, u)| {
        !graph.event(u).is_update() || co_lists.iter().any(|order| order.windows(2).any(|pair| pair == [w, u]))
    });
    atomic && !hidden_by(&co) && (model == Model::Ra || is_acyclic(&hb.union(&co)))
}

/// What RC11 defines without co.
struct Rc11<'g> {
    graph: &'g Execution,
    po: Relation,
    rf: Relation,
    sw: Relation,
    hb: Relation,
}

impl<'g> Rc11<'g> {
    /// rseq = \[W\] ; (po between accesses of one location)? ; \[W atomic\] ; (rf ; \[RMW\])*
    /// sw = \[release\] ; (\[F\] ; po)? ; rseq ; rf ; \[R atomic\] ; (po ; \[F\])? ; \[acquire\]
    /// hb = (po ∪ sw)⁺
    fn new(graph: &'g Execution) -> Self {
        let po = graph.po_relation();
        let rf = graph.rf_relation();
        let identity = |member: &dyn Fn(&Event) -> bool| Relation::identity(graph.len(), |e| member(graph.event(e)));
        let atomic_writes = identity(&|event| event.is_write() && event.mode().is_atomic());
        let atomic_reads = identity(&|event| event.is_read() && event.mode().is_atomic());
        let updates = identity(&Event::is_update);
        let fences = identity(&Event::is_fence);
        let rseq = identity(&Event::is_write)
            .compose(&po.filter(|a, b| same_location(graph, a, b)).reflexive())
            .compose(&atomic_writes)
            .compose(&rf.compose(&updates).transitive_closure().reflexive());
        let sw = identity(&|event| event.mode().is_release())
            .compose(&fences.compose(&po).reflexive())
            .compose(&rseq)
            .compose(&rf)
            .compose(&atomic_reads)
            .compose(&po.compose(&fences).reflexive())
            .compose(&identity(&|event| event.mode().is_acquire()));
        let hb = po.union(&sw).transitive_closure();
        Self { graph, po, rf, sw, hb }
    }

    /// The axioms for one co. With eco = (co ∪ rf ∪ fr)⁺:
    ///
    /// - coherence: eco and eco ; hb are irreflexive, and hb is;
    /// - atomicity: rf ; \[RMW\] ; co⁻¹ ; co⁻¹ is irreflexive;
    /// - SC: psc is acyclic.
    fn consistent(&self, co: &[Vec<EventId>]) -> bool {
        let (graph, po, rf, hb) = (self.graph, &self.po, &self.rf, &self.hb);
        let co = co_relation(graph, co);
        let fr = fr_relation(graph, &co);
        let eco = co.union(rf).union(&fr).transitive_closure();
        let updates = Relation::identity(graph.len(), |e| graph.event(e).is_update());
        let between = rf.compose(&updates).compose(&co.inverse()).compose(&co.inverse());
        hb.is_irreflexive()
            && eco.is_irreflexive()
            && eco.compose(hb).is_irreflexive()
            && between.is_irreflexive()
            && is_acyclic(&psc(graph, po, hb, &co, &fr, &eco))
    }
}

/// scb = po ∪ po|≠loc ; hb ; po|≠loc ∪ hb|=loc ∪ co ∪ fr
/// psc = (\[E sc\] ∪ \[F sc\] ; hb?) ; scb ; (\[E sc\] ∪ hb? ; \[F sc\]) ∪ \[F sc\] ; (hb ∪ hb ; eco ; hb) ; \[F sc\]
fn psc(graph: &Execution, po: &Relation, hb: &Relation, co: &Relation, fr: &Relation, eco: &Relation) -> Relation {
    let other_location = po.filter(|a, b| !same_location(graph, a, b));
    let scb = po
        .union(&other_location.compose(hb).compose(&other_location))
        .union(&hb.filter(|a, b| same_location(graph, a, b)))
        .union(co)
        .union(fr);
    let sc_events = Relation::identity(graph.len(), |e| graph.event(e).mode().is_sc());
    let sc_fences = Relation::identity(graph.len(), |e| is_sc_fence(graph.event(e)));
    let base = sc_events
        .union(&sc_fences.compose(&hb.reflexive()))
        .compose(&scb)
        .compose(&sc_events.union(&hb.reflexive().compose(&sc_fences)));
    let fence = sc_fences.compose(&hb.union(&hb.compose(eco).compose(hb))).compose(&sc_fences);
    base.union(&fence)
}

/// Decided by a library, so that the oracle does not rely on the closure that the models use.
fn is_acyclic(relation: &Relation) -> bool {
    let edges = relation.pairs().map(|(a, b)| (a.0, b.0));
    !petgraph::algo::is_cyclic_directed(&petgraph::graph::DiGraph::<(), ()>::from_edges(edges))
}
