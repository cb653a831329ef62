//! Sequential consistency.
//!
//! Source: Kokologiannakis, Raad and Vafeiadis, "Model Checking for Weakly Consistent Libraries" (PLDI 2019), appendix
//! A.1: for some co, po ∪ rf ∪ co ∪ fr is acyclic. There, fr is rf⁻¹ ; co; as a read-modify-write is one event here and
//! there, it would come before itself, so the identity is taken out. That nothing comes between a read-modify-write and
//! its source then follows. Modes and fences mean nothing.
//!
//! Deciding this is NP-complete; the search is exponential in the number of pairs of writes that saturation leaves open.

use super::coherence::{Global, Local, Problem, State};
use super::view::View;
use crate::graph::Relation;

/// One global order of everything.
pub(super) fn problem<'v>(view: &'v View<'v>) -> Problem<'v> {
    let none = Relation::new(0);
    Problem {
        view,
        local: Local::None,
        global: Global::CoFr,
        hides: false,
        fences: Vec::new(),
        sc: None,
        start: State { hb: none.clone(), local: none, global: view.porf(), added: Vec::new() },
    }
}
