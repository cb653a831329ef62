//! VerifySC: an interleaving in which every read takes one of its good writes.
//!
//! After Agarwal, Chatterjee, Pathak, Pavlogiannis, Toman: *Stateless Model Checking under a Reads-Value-From Equivalence*,
//! CAV 2021, Algorithm 1. Two prefixes of orders that performed the same events, the last write of each location by the
//! same thread, can be completed in the same ways; so one of each such class is looked at: at most n^k · k^d for n events a
//! thread, k threads and d locations, or n^k where every location is written by one thread.
//!
//! Deviation from print: the greedy step with a useless write asks that it be the next of its thread, without which it
//! could not be performed. Read-modify-writes and atomic blocks, of which the paper says nothing, are performed as a whole.

use super::instance::Unit;
use super::search::{Key, Problem, Strategy};
use super::state::State;
use super::{NodeId, Part};

/// The algorithm.
pub(super) struct VerifySc {
    /// Whether moves that can't be wrong are made without a choice.
    pub greedy: bool,
}

impl Strategy for VerifySc {
    fn settle(&self, _: &Problem<'_>, _: &mut State) -> Vec<NodeId> {
        Vec::new()
    }

    fn moves(&self, problem: &Problem<'_>, state: &State) -> Vec<(Vec<NodeId>, State)> {
        let all = (0..problem.instance.threads.len()).filter_map(|thread| {
            let unit = state.next(problem.instance, thread)?;
            let after = state.after(problem.instance, problem.closure, unit).ok()?;
            Some((unit.clone(), after))
        });
        let all: Vec<_> = all.collect();
        if self.greedy
            && let Some(safe) = all.iter().position(|(unit, _)| is_safe(problem, state, unit))
        {
            return all.into_iter().skip(safe).take(1).collect();
        }
        all
    }

    /// The events performed, by thread, and the thread of each location's last write.
    fn key(&self, problem: &Problem<'_>, state: &State) -> Key {
        let performed = state.threads.iter().map(|&units| u64::from(units));
        let writers = state.memory.iter().map(|&write| u64::from(problem.instance.node(write).thread.0));
        performed.chain(writers).collect()
    }
}

/// Whether a unit that can be performed can be performed first without loss: it is a read; or a write that no read waits
/// for, over another such write.
fn is_safe(problem: &Problem<'_>, state: &State, unit: &Unit) -> bool {
    let instance = problem.instance;
    let &[n] = &unit[..] else { return false };
    let node = instance.node(n);
    let Some(location) = node.location else { return false };
    let is_useless = |write: NodeId| {
        let mut waiting = instance.reads[location.0 as usize].iter().filter(|read| !state.has(**read));
        !waiting.any(|read| instance.good[read.index()].contains(&write))
    };
    match node.part {
        Part::Read => true,
        Part::Write => is_useless(n) && is_useless(state.memory[location.0 as usize]),
        _ => false,
    }
}
