//! Whether operations can take effect one after the other.

use super::{Operations, Order, Search, Unjudged};
use crate::{Action, OperationIndex, Specification, State};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashSet};

/// The states that an operation may lead to; several if it is pending and takes whatever comes.
fn performed(specification: &Specification, state: &State, action: Action) -> Vec<State> {
    let once = |action: Action| {
        let mut next = state.clone();
        specification.apply(&mut next, action).then_some(next)
    };
    match action {
        Action::RemoveAny => {
            specification.takes(state).into_iter().filter_map(|value| once(Action::Remove(value))).collect()
        }
        action => once(action).into_iter().collect(),
    }
}

/// Operations in an order that the object allows and in which none stands behind one that was called after it had returned; all that
/// returned, and pending ones where they help. The order need not be one of intervals. `None` if there is none.
///
/// A prefix of operations and what is in are looked at once.
///
/// # Errors
/// [`Unjudged`] where the search says so.
pub fn linearization(
    operations: &Operations,
    order: &Order,
    search: &mut Search,
) -> Result<Option<Vec<OperationIndex>>, Unjudged> {
    let specification = Specification::new(&operations.history, operations.object);
    let returned = operations.list.iter().enumerate().filter(|(_, done)| done.returned());
    let wanted = returned.fold(0u64, |bits, (at, _)| bits | 1 << at);
    let mut seen = FxHashSet::default();
    let mut work = vec![(0u64, specification.initial(), Vec::new())];
    while let Some((done, state, so_far)) = work.pop() {
        if done & wanted == wanted {
            return Ok(Some(so_far));
        }
        if !seen.insert((done, state.clone())) {
            continue;
        }
        search.meet(seen.len(), operations.list.len())?;
        for (index, operation) in operations.indexed().collect::<Vec<_>>().into_iter().rev() {
            let bit = 1u64 << index.index();
            if done & bit != 0 || order[index.index()] & !done != 0 {
                continue;
            }
            for next in performed(&specification, &state, operation.action) {
                let mut so_far = so_far.clone();
                so_far.push(index);
                work.push((done | bit, next, so_far));
            }
        }
    }
    Ok(None)
}

/// Ways in which the operations so far may have taken effect: what is in, and which of those that have not returned did, by the numbers that
/// [`Ways`] gives them. In order.
pub(super) type Possible = Vec<u32>;

/// What is in, and which operations have taken effect and not returned.
type Way = (State, u64);

/// Linearizations that grow with a run, as few as can be: an operation takes effect when it, or one behind it, returns.
pub(super) struct Ways<'o> {
    operations: &'o Operations,
    specification: Specification,
    ways: IndexSet<Way, FxBuildHasher>,
}

impl<'o> Ways<'o> {
    /// Nothing happened yet.
    pub(super) fn new(operations: &'o Operations) -> (Self, Possible) {
        let specification = Specification::new(&operations.history, operations.object);
        let first = (specification.initial(), 0);
        (Self { operations, specification, ways: [first].into_iter().collect() }, vec![0])
    }

    /// What is possible when an operation returns that is one of those that were called and have not returned.
    pub(super) fn give_back(&mut self, possible: &Possible, active: u64, operation: usize) -> Possible {
        let bit = 1u64 << operation;
        let mut result: Vec<Way> = Vec::new();
        let mut seen: FxHashSet<Way> = FxHashSet::default();
        let mut work: Vec<Way> = possible.iter().map(|way| self.ways[*way as usize].clone()).collect();
        while let Some((state, done)) = work.pop() {
            if !seen.insert((state.clone(), done)) {
                continue;
            }
            if done & bit != 0 {
                result.push((state, done & !bit));
                continue;
            }
            for (at, other) in self.operations.list.iter().enumerate() {
                if active & !done & 1 << at != 0 {
                    let next = performed(&self.specification, &state, other.action);
                    work.extend(next.into_iter().map(|state| (state, done | 1 << at)));
                }
            }
        }
        let mut result: Possible = result.into_iter().map(|way| self.ways.insert_full(way).0 as u32).collect();
        result.sort_unstable();
        result.dedup();
        result
    }
}

/// Whether all of one are in the other, both in order.
pub(super) fn is_subset(small: &[u32], large: &[u32]) -> bool {
    small.iter().all(|way| large.binary_search(way).is_ok())
}
