//! Weak release-acquire, also known as causal consistency.
//!
//! With hb = (po ∪ rf)⁺ irreflexive: no read `r` of `w` has another write `w'` of the location with `w hb w' hb r`, and no
//! write is read by two read-modify-writes. There is no coherence order; where one is asked for (for drawing, for final
//! states), each order that extends hb on the writes of a location will do, so that a location's last write is one that
//! nobody has overwritten.
//!
//! Source: Lahav and Boker, "What's Decidable about Causally Consistent Shared Memory?" (TOPLAS 2022). SC fences act as
//! read-modify-writes of a location of their own: for some total order of those in the graph, rf along it is part of
//! hb. Modes and other fences mean nothing. Polynomial without SC fences; with them, all orders that hb leaves open may
//! be tried.

use super::coherence::{Global, Local, Problem, State};
use super::view::View;
use crate::graph::{EventId, Label, Relation};
use crate::program::Mode;

/// Only hb counts.
pub(super) fn problem<'v>(view: &'v View<'v>) -> Problem<'v> {
    let hb = view.porf();
    let local = view.by_location(&hb);
    Problem {
        view,
        local: Local::Co,
        global: Global::None,
        hides: true,
        fences: fences(view),
        sc: None,
        start: State { hb, local, global: Relation::new(0), added: Vec::new() },
    }
}

/// The SC fences.
pub(super) fn fences(view: &View<'_>) -> Vec<EventId> {
    let fence = Label::Fence(Mode::SequentiallyConsistent);
    view.order.iter().copied().filter(|&e| view.graph.event(e).label == fence).collect()
}
