//! The oracle: every execution graph of a program, and consistency by definition.
//!
//! [`candidates()`] builds all complete graphs of a program without asking any memory model. [`consistent`] decides a
//! graph by trying every total order that a model's definition quantifies over and evaluating the axioms as relation
//! algebra. Neither shares code with [`crate::model`] or with the other algorithms, and neither is clever: both are
//! meant to be compared with what is. Costs are exponential in everything.

mod axioms;
mod candidates;
mod explorer;
mod formulas;
mod library;
mod orders;
mod pseudo_code;
#[cfg(test)]
mod tests;
pub(super) mod words;

pub use axioms::{Attempts, coherence_orders, consistent, final_writes, preserved_po, races, synchronises_with};
pub use candidates::{Listing, candidates, candidates_up_to};
pub use explorer::BruteForce;
pub use explorer::final_states;
pub use library::consistent as respects_libraries;

use crate::explore::Options;
use crate::graph::CanonicalExecution;
use crate::model::Model;
use crate::program::Code;
use std::collections::BTreeSet;

/// How many graphs, incomplete ones included, [`candidates()`] builds at most.
pub const CAP: usize = 200_000;

/// A search met more states than its cap allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("more than {cap} states")]
pub struct TooMany {
    /// The cap.
    pub cap: usize,
}

/// The consistent complete graphs of a program, whatever order their events were added in.
///
/// # Errors
/// [`TooMany`] if the candidates and their prefixes are more than [`CAP`].
pub fn explore(
    model: Model,
    code: &Code,
    options: impl Into<Options>,
) -> Result<BTreeSet<CanonicalExecution>, TooMany> {
    let candidates = candidates(code, options)?;
    Ok(candidates.iter().filter(|graph| consistent(model, graph)).map(|graph| graph.canonical()).collect())
}
