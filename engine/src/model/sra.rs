//! Strong release-acquire.
//!
//! As RA ([`super::ra`]), and hb ∪ co is acyclic over all locations together.
//!
//! Source: Lahav, Giannarakis and Vafeiadis, "Taming Release-Acquire Consistency" (POPL 2016). SC fences are as for WRA
//! ([`super::wra`]). Without read-modify-writes and SC fences saturation decides; with them the search may branch.

use super::coherence::{Global, Problem, State};
use super::view::View;

/// As RA, with a global order of hb and co.
pub(super) fn problem<'v>(view: &'v View<'v>) -> Problem<'v> {
    let problem = super::ra::problem(view);
    let global = problem.start.hb.clone();
    Problem { global: Global::Co, start: State { global, ..problem.start }, ..problem }
}
