//! VerifyTSO: a run of the machine with one store buffer a thread in which every read takes its source.
//!
//! After Toman, *Improved Verification Techniques for Concurrent Systems* (2021), Algorithm 5.1. Threads perform whatever
//! they can; what is chosen is which write reaches memory next. Of the prefixes with the same writes in memory, one is looked
//! at: O(k · n^(k+1)) for n events a thread and k threads.
//!
//! Atomic blocks that write to memory at once are chosen as writes are; others are performed as soon as they can be.

use super::instance::Unit;
use super::search::{Key, Problem, Strategy};
use super::state::State;
use super::{Instance, NodeId, Part};

/// The algorithm.
pub(super) struct VerifyTso;

fn writes_memory(instance: &Instance, unit: &Unit) -> bool {
    unit.iter().any(|&n| instance.node(n).part == Part::Memory)
}

impl Strategy for VerifyTso {
    fn settle(&self, problem: &Problem<'_>, state: &mut State) -> Vec<NodeId> {
        let mut performed = Vec::new();
        loop {
            let before = performed.len();
            for thread in 0..problem.instance.threads.len() {
                while let Some(unit) = state.next(problem.instance, thread)
                    && !writes_memory(problem.instance, unit)
                    && let Ok(after) = state.after(problem.instance, problem.closure, unit)
                {
                    performed.extend(unit);
                    *state = after;
                }
            }
            if performed.len() == before {
                return performed;
            }
        }
    }

    fn moves(&self, problem: &Problem<'_>, state: &State) -> Vec<(Vec<NodeId>, State)> {
        let moves = (0..problem.instance.threads.len()).flat_map(|thread| {
            let block = state.next(problem.instance, thread).filter(|unit| writes_memory(problem.instance, unit));
            let oldest = state.pending(problem.instance, thread).next().map(|memory| vec![memory]);
            [block.cloned(), oldest]
        });
        let after = |unit: Unit| {
            let after = state.after(problem.instance, problem.closure, &unit).ok()?;
            Some((unit, after))
        };
        moves.flatten().filter_map(after).collect()
    }

    /// The writes in memory: how many of each thread.
    fn key(&self, problem: &Problem<'_>, state: &State) -> Key {
        let mut key = vec![0; problem.instance.threads.len()];
        for writes in &problem.instance.writes {
            for &write in &writes[1..] {
                key[problem.instance.node(write).thread.index()] += u64::from(state.has(write));
            }
        }
        key.into()
    }
}
