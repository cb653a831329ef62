//! Release-acquire: C11 where all accesses are release and acquire.
//!
//! With hb = (po ∪ rf)⁺ irreflexive: for some co that contains hb on the writes of each location, no read `r` of `w` has a
//! write `w'` with `w co w' hb r`, and each read-modify-write comes immediately behind its source in co. This is the same
//! as to say that for each location, (hb on its accesses) ∪ rf ∪ co ∪ fr is acyclic.
//!
//! Source: Lahav, Giannarakis and Vafeiadis, "Taming Release-Acquire Consistency" (POPL 2016), and Lahav and Boker,
//! "What's Decidable about Causally Consistent Shared Memory?" (TOPLAS 2022). SC fences are as for WRA ([`super::wra`]).
//! Modes and other fences mean nothing. Polynomial without SC fences: saturation decides.

use super::coherence::{Global, Local, Problem, State};
use super::view::View;
use super::wra::fences;
use crate::graph::Relation;

/// One order for each location, with hb.
pub(super) fn problem<'v>(view: &'v View<'v>) -> Problem<'v> {
    let hb = view.porf();
    let local = view.by_location(&hb);
    Problem {
        view,
        local: Local::CoFr,
        global: Global::None,
        hides: false,
        fences: fences(view),
        sc: None,
        start: State { hb, local, global: Relation::new(0), added: Vec::new() },
    }
}
