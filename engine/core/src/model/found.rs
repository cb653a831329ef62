//! What a search for the writes that can be last in co has found.

use super::view::View;
use crate::budget::{Halt, Meter};
use crate::graph::{EventId, Execution};
use crate::program::Location;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Combinations of last writes.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// Those that were found.
    pub all: BTreeSet<Vec<EventId>>,
    /// By event: the first write of the same value to its location, which stands for it. Each stands for itself if this is empty.
    alike: Vec<EventId>,
    /// Of how many nobody wants to know more.
    enough: usize,
}

impl Default for Found {
    fn default() -> Self {
        Self { all: BTreeSet::new(), alike: Vec::new(), enough: usize::MAX }
    }
}

impl Found {
    /// Nothing yet. One combination will be kept for each combination of values, and the search ends when it has `enough`.
    pub(super) fn by_value(graph: &Execution, view: &View<'_>, locations: &[Location], enough: usize) -> Self {
        let mut alike: Vec<EventId> = (0..graph.len() as u32).map(EventId).collect();
        let mut first = FxHashMap::default();
        for &location in locations {
            for &w in view.writes(location.0 as usize) {
                alike[w.0 as usize] = *first.entry((location, graph.event(w).value_written)).or_insert(w);
            }
        }
        Self { alike, enough, ..Self::default() }
    }

    /// The write that stands for this one.
    pub(super) fn standing_for(&self, w: EventId) -> EventId {
        self.alike.get(w.0 as usize).copied().unwrap_or(w)
    }

    /// Keeps a combination; whether there are enough now.
    ///
    /// # Errors
    /// [`Halt::Limit`] if these are more than the search may hold.
    pub(super) fn add(&mut self, mut writes: Vec<EventId>, meter: &Meter<'_>) -> Result<bool, Halt> {
        writes.iter_mut().for_each(|w| *w = self.standing_for(*w));
        let width = writes.len();
        self.all.insert(writes);
        meter.hold_combinations(self.all.len(), width)?;
        Ok(self.all.len() >= self.enough)
    }
}
