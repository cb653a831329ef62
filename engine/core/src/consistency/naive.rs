//! The obvious search: whatever can be performed next is, and a state is all that was performed.
//!
//! The baseline of the others, after Toman, *Improved Verification Techniques for Concurrent Systems* (2021), §5.2: of at
//! most n^k · n^d states under SC, n^(2k) under TSO and n^(k(d+1)) under PSO for n events, k threads and d locations.

use super::search::{Key, Problem, Strategy};
use super::state::{Obstacle, State};
use super::{Machine, NodeId};

/// The algorithm.
pub(super) struct Naive;

impl Strategy for Naive {
    fn settle(&self, _: &Problem<'_>, _: &mut State) -> Vec<NodeId> {
        Vec::new()
    }

    fn moves(&self, problem: &Problem<'_>, state: &State) -> Vec<(Vec<NodeId>, State)> {
        let instance = problem.instance;
        let units = (0..instance.threads.len()).filter_map(|thread| state.next(instance, thread).cloned());
        let flushes = (0..instance.threads.len())
            .flat_map(|thread| state.pending(instance, thread).map(|memory| vec![memory]).collect::<Vec<_>>());
        let after = |unit: Vec<NodeId>| {
            let mut after = state.clone();
            for &n in &unit {
                match after.obstacle(instance, problem.closure, n) {
                    // That nobody may overwrite what a read waits for is VerifySC's idea.
                    Some(Obstacle::Held(_)) if instance.machine == Machine::Sc => {}
                    Some(_) => return None,
                    None => {}
                }
                after.perform(instance, n);
            }
            Some((unit, after))
        };
        units.chain(flushes).filter_map(after).collect()
    }

    /// All that was performed, and under SC what memory holds, since a read may have several sources there.
    fn key(&self, problem: &Problem<'_>, state: &State) -> Key {
        let memory = state.memory.iter().filter(|_| problem.instance.machine == Machine::Sc);
        state.done.iter().copied().chain(memory.map(|&write| u64::from(write.0))).collect()
    }
}
