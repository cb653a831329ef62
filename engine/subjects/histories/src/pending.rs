//! What pending removals may have taken.
//!
//! A pending removal may have taken a value that nothing else is sure to remove. First it is asked whether the history is
//! linearizable if none took anything; then none needs to. If not, the reason names values, and these alone contradict the object. So if
//! there is an answer, one of them was taken, and each that can be is tried with each removal, and so on from there. What failed
//! is not tried again deeper down. Of values, and of removals, that no return or call tells apart, one is tried. And nothing is, if there
//! are more reasons apart from each other than removals. So a contradiction that has nothing to do with what is pending is soon found.

use super::answer::{Answer, Linearization, Undecided, Violation};
use super::complete::{Completed, Pair, complete};
use super::history::{History, ValueIndex};
use crate::budget::{Budget, Paused};
use rustc_hash::{FxHashMap, FxHashSet};

/// How many ways are tried for short histories.
const MOST: usize = 10_000;

/// How many values these may have in all; for long histories.
const WORK: usize = 50_000_000;

/// A value is taken by a removal: places, and what they have in common with others that are not told apart from them.
#[derive(Clone, Copy, Debug)]
struct Way {
    pair: usize,
    removal: usize,
    class: (u32, u32),
}

/// A choice between several ways.
struct Choice {
    ways: Vec<Way>,
    /// What is known about the value that is taken, if it is not.
    before: Option<Pair>,
    /// How many were tried, the current one among them.
    tried: usize,
}

/// What tells values and removals apart.
struct Classes {
    /// By place in [`Completed::pairs`]; of values that cannot be taken it means nothing.
    values: Vec<u32>,
    /// By place in [`Completed::pending`].
    removals: Vec<u32>,
    /// The place of each value in [`Completed::pairs`].
    places: FxHashMap<ValueIndex, usize>,
}

impl Classes {
    fn new(history: &History, completed: &Completed) -> Self {
        // Nobody compares calls with calls, nor returns with returns: of a call it matters how many returns were before it, of a return,
        // how many calls.
        let mut returns: Vec<_> = history.operations.iter().filter_map(|about| about.ret).collect();
        returns.sort_unstable();
        let returned = |moment| returns.partition_point(|&ret| ret < moment) as u32;
        let called = |moment| history.operations.partition_point(|about| about.call < moment) as u32;
        let mut numbers = FxHashMap::default();
        let mut values = vec![0; completed.pairs.len()];
        for pair in completed.left(history) {
            let Pair { insert, remove, removal, .. } = completed.pairs[pair];
            let key = (returned(insert.call), called(insert.ret), removal.map(|_| returned(remove.call)));
            let next = numbers.len() as u32;
            values[pair] = *numbers.entry(key).or_insert(next);
        }
        let removals = completed.pending.iter().map(|&(_, call)| returned(call)).collect();
        let places = completed.left(history).map(|pair| (completed.pairs[pair].value, pair)).collect();
        Self { values, removals, places }
    }

    /// Values that a reason names and that might have been taken.
    fn named(&self, violation: &Violation) -> Vec<usize> {
        let values = match violation {
            Violation::NeverEmpty { chain, .. } | Violation::Stuck { chain, .. } => chain.as_slice(),
            // It has to be removed earlier.
            Violation::Critical { around, .. } => std::slice::from_ref(around),
            _ => &[],
        };
        values.iter().filter_map(|value| self.places.get(value).copied()).collect()
    }

    /// Values that are named as a reason and may be taken, with removals that take nothing yet. One of them must.
    fn ways(
        &self,
        history: &History,
        completed: &Completed,
        violation: &Violation,
        is_free: &[bool],
        failed: &FxHashSet<(u32, u32)>,
    ) -> Vec<Way> {
        let mut seen = FxHashSet::default();
        let mut ways = Vec::new();
        for pair in self.named(violation) {
            if !completed.is_left(history, pair) {
                continue;
            }
            // A removal that is called later than the one that it is for, is of no use.
            let is_early = |removal: usize| completed.pending[removal].1 < completed.pairs[pair].remove.call;
            for removal in (0..is_free.len()).filter(|&removal| is_free[removal] && is_early(removal)) {
                let class = (self.values[pair], self.removals[removal]);
                if !failed.contains(&class) && seen.insert(class) {
                    ways.push(Way { pair, removal, class });
                }
            }
        }
        ways
    }
}

/// Where the search is.
struct Search {
    completed: Completed,
    classes: Classes,
    /// By place in [`Completed::pending`]: whether it takes nothing yet.
    is_free: Vec<bool>,
    choices: Vec<Choice>,
    /// What cannot work, given the current choices.
    failed: FxHashSet<(u32, u32)>,
}

impl Search {
    /// Whether more removals may be enough: each reason needs one value taken, and where all that it names are taken, as early as
    /// any removal can, the next reason needs another one.
    fn is_enough(
        &self,
        history: &History,
        violation: &Violation,
        mut judge: impl FnMut(&Completed) -> Result<Result<Linearization, Violation>, Paused>,
    ) -> Result<bool, Paused> {
        let Some(first) = self.is_free.iter().position(|&is_free| is_free) else { return Ok(false) };
        let mut best = self.completed.clone();
        let mut violation = violation.clone();
        for _ in self.is_free.iter().filter(|is_free| **is_free) {
            let mut takes = false;
            for pair in self.classes.named(&violation) {
                if best.is_left(history, pair) && best.pending[first].1 < best.pairs[pair].remove.call {
                    best.take(pair, first);
                    takes = true;
                }
            }
            if !takes {
                return Ok(false);
            }
            violation = match judge(&best)? {
                Ok(_) => return Ok(true),
                Err(violation) => violation,
            };
        }
        Ok(false)
    }

    /// Goes on to the next way to try; whether there is one.
    fn advance(&mut self) -> bool {
        while let Some(choice) = self.choices.last_mut() {
            if let Some(&failed) = choice.tried.checked_sub(1).and_then(|last| choice.ways.get(last)) {
                if let Some(before) = choice.before.take() {
                    self.completed.pairs[failed.pair] = before;
                }
                self.is_free[failed.removal] = true;
                self.failed.insert(failed.class);
            }
            if let Some(&way) = choice.ways.get(choice.tried) {
                choice.tried += 1;
                choice.before = Some(self.completed.pairs[way.pair]);
                self.completed.take(way.pair, way.removal);
                self.is_free[way.removal] = false;
                return true;
            }
            for way in &choice.ways {
                self.failed.remove(&way.class);
            }
            self.choices.pop();
        }
        false
    }
}

/// Judges a history, with each way in which pending removals may have taken values until one works. `judge` decides it for one
/// way. The reason is one for the case that they took nothing.
///
/// For each way that is tried, a judgement, and as many as there are pending removals; one in all if nothing is pending.
///
/// # Errors
/// [`Paused`] if somebody wants to stop.
pub(super) fn try_assignments(
    history: &History,
    budget: &mut Budget,
    judge: impl FnMut(&Completed, &mut Budget) -> Result<Result<Linearization, Violation>, Paused>,
) -> Result<Answer, Paused> {
    try_some(history, MOST, budget, judge)
}

/// The same, with so many ways at most.
pub(super) fn try_some(
    history: &History,
    most: usize,
    budget: &mut Budget,
    mut judge: impl FnMut(&Completed, &mut Budget) -> Result<Result<Linearization, Violation>, Paused>,
) -> Result<Answer, Paused> {
    let completed = match complete(history, budget)? {
        Ok(completed) => completed,
        Err(answer) => return Ok(answer),
    };
    let reason = match judge(&completed, budget)? {
        Ok(linearization) => return Ok(Answer::Linearizable(linearization)),
        Err(violation) => violation,
    };
    if completed.pending.is_empty() {
        return Ok(Answer::Not(reason));
    }
    budget.count(16 * history.operations.len() as u64)?;
    let most = most.min(WORK / completed.pairs.len().max(1));
    let classes = Classes::new(history, &completed);
    let is_free = vec![true; completed.pending.len()];
    let mut search = Search { completed, classes, is_free, choices: Vec::new(), failed: FxHashSet::default() };
    let mut violation = reason.clone();
    for _ in 0..most {
        let ways = match search.is_enough(history, &violation, |best| judge(best, budget))? {
            true => search.classes.ways(history, &search.completed, &violation, &search.is_free, &search.failed),
            false => Vec::new(),
        };
        search.choices.push(Choice { ways, before: None, tried: 0 });
        if !search.advance() {
            return Ok(Answer::Not(reason));
        }
        violation = match judge(&search.completed, budget)? {
            Ok(linearization) => return Ok(Answer::Linearizable(linearization)),
            Err(violation) => violation,
        };
    }
    Ok(Answer::Unknown(Undecided::TooManyAssignments))
}
