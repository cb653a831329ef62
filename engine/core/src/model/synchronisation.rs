//! hb of C11 and C++20: what releases synchronises with what acquires it. [`super::formula::SW_OF_C11`] and
//! [`super::formula::SW_OF_CPP20`] have the definitions.

use super::rules::Rseq;
use super::view::View;
use crate::graph::{Edge, EventId, Execution, Relation, RelationName};

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
fn each_synchronisation(view: &View<'_>, rseq: Rseq, r: EventId, found: &mut dyn FnMut(Synchronisation)) {
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
            let heads =
                other.is_fence() || rseq == Rseq::OfThreads && other.is_write() && other.location() == write.location();
            if heads && other.mode().is_release() {
                release(before);
            }
        }
    }
}

/// sw.
pub(super) fn synchronises_with(view: &View<'_>, rseq: Rseq) -> Relation {
    let mut sw = Relation::new(view.len());
    for reading in &view.readings {
        each_synchronisation(view, rseq, reading.read, &mut |found| {
            sw.insert(found.release, found.acquire);
        });
    }
    sw
}

/// How a pair of sw comes about, by the shortest path of po and rf, with that path.
pub(super) fn synchronisation(
    view: &View<'_>,
    rseq: Rseq,
    release: EventId,
    acquire: EventId,
) -> Option<(Synchronisation, Vec<Edge>)> {
    let mut shortest: Option<(Synchronisation, Vec<Edge>)> = None;
    for reading in &view.readings {
        each_synchronisation(view, rseq, reading.read, &mut |found| {
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
pub(super) fn happens_before(view: &View<'_>, rseq: Rseq) -> Relation {
    let mut edges = Vec::new();
    for reading in &view.readings {
        each_synchronisation(view, rseq, reading.read, &mut |found| edges.push((found.acquire, found.release)));
    }
    view.closure(|e, predecessor| {
        view.po_predecessor(e).into_iter().for_each(&mut *predecessor);
        edges.iter().filter(|(acquire, _)| *acquire == e).for_each(|&(_, release)| predecessor(release));
    })
}

/// The data races: events of different threads on one location, one of them a write and one non-atomic, that hb does
/// not order. Each pair ascending.
pub(super) fn races(graph: &Execution, rseq: Rseq) -> Vec<(EventId, EventId)> {
    if graph.events().all(|(_, event)| event.mode().is_atomic()) {
        return Vec::new();
    }
    let Ok(view) = View::without_atomicity(graph) else { return Vec::new() };
    let hb = happens_before(&view, rseq);
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
