//! Whether an execution was found before.

use crate::graph::{Coherence, Execution};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

/// The whole executions of one exploration by 128-bit fingerprint, each with the number it was first found under.
/// Checkpoints share it: going over the same steps again finds the same numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen(Arc<Mutex<FxHashMap<u128, u64>>>);

impl Seen {
    /// The number that a plain execution was found under, if it was.
    pub(super) fn number(&self, graph: &Execution) -> Option<u64> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&fingerprint(graph, None)).copied()
    }

    /// Notes the execution with this number; whether no smaller number has it.
    pub(super) fn insert(&self, graph: &Execution, co: Option<&Coherence>, number: u64) -> bool {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match seen.entry(fingerprint(graph, co)) {
            Entry::Occupied(first) => *first.get() >= number,
            Entry::Vacant(new) => {
                new.insert(number);
                true
            }
        }
    }
}

fn fingerprint(graph: &Execution, co: Option<&Coherence>) -> u128 {
    let graph = (graph.canonical(), co.map(|co| graph.canonical_coherence(co)));
    let half = |salt: u64| {
        let mut hasher = DefaultHasher::new();
        (salt, &graph).hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(1) << 64 | half(2)
}
