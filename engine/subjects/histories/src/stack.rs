//! Stacks, as published: the monitor that takes one step after the other, for all to see.
//!
//! Section 3.2 of the thesis (Algorithm 1), corrected in three places. Values whose push and pop overlap are put aside first (P2): a
//! push and its pop that follow each other at once fit anywhere, and the proof has no such values. Removals that found nothing
//! are compared with when *all* other values are surely in (P3). What the thesis leaves out is done before
//! ([`complete`](super::complete)).
//!
//! Where removals found nothing, the history is cut at such moments at the very start, each part judged by itself: that it may be cut
//! wherever nothing is in is the thesis' own fact, and only then the parts' linearizations have nothing in there.

use super::answer::{Answer, Linearization, Obstacle, Point, Violation};
use super::complete::{Completed, Cuts, Pair, Turn, chain, cut, operations_of, points, populated, taken};
use super::history::{History, Moment, ValueIndex};
use super::pending::try_assignments;
use crate::budget::{Budget, Paused};

/// A step of the monitor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StackStep {
    /// These values may be below and around all others: their pushes may come first, and their pops last. The rest goes on without them.
    Extreme(Vec<ValueIndex>),
    /// Between these two moments nothing is surely in: values whose push returned by then come first, then the others.
    Split(Moment, Moment),
    /// Neither: the history is not linearizable.
    Stuck(Vec<ValueIndex>),
}

/// Values that are to be linearized, and what is done with them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StackNode {
    /// The node above, which comes earlier in the tree.
    pub parent: Option<usize>,
    /// The values, at least one, by when their pushes returned.
    pub values: Vec<ValueIndex>,
    /// When one of them is surely in, in the order of time. The gaps between are deserted.
    pub populated: Vec<(Moment, Moment)>,
    /// What is done.
    pub step: StackStep,
    /// Nodes for what remains: of a split, the earlier values, then the later ones; below extreme values, the others if there are any.
    pub children: Vec<usize>,
}

/// The steps of the monitor, up to the one that is stuck.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StackTree {
    /// The nodes, in the order in which they were judged: a node before those below it, the left ones before the right ones.
    pub nodes: Vec<StackNode>,
    /// The nodes that are below none: one for each part between removals that found nothing.
    pub roots: Vec<usize>,
    /// Values whose push and pop overlap, which were put aside.
    pub overlapping: Vec<ValueIndex>,
}

/// What is yet to be done.
enum Task {
    /// Linearize these values.
    Part { values: Vec<u32>, parent: Option<usize> },
    /// These are popped, the last first.
    Pop(Vec<u32>),
}

/// What the rest is stuck at. `rest` is not empty; sorted by when pushes returned.
fn stuck(pairs: &[Pair], rest: &[u32]) -> Violation {
    let about = |&pair: &u32| &pairs[pair as usize];
    let mut first = about(&rest[0]);
    let mut last = first;
    for pair in rest.iter().map(about) {
        if pair.insert.ret < first.insert.ret {
            first = pair;
        }
        if pair.remove.call > last.remove.call {
            last = pair;
        }
    }
    let obstacle = |pair: &Pair| match last.removal {
        _ if pair.insert.call > first.insert.ret => Obstacle::Push(first.insertion),
        Some(removal) => Obstacle::Pop(removal),
        None => Obstacle::Stays(last.value),
    };
    let values = rest.iter().map(about).map(|pair| (pair.value, obstacle(pair))).collect();
    let inner: Vec<_> =
        rest.iter().map(about).filter_map(|pair| pair.inner().map(|(left, right)| (left, right, pair.value))).collect();
    Violation::Stuck { values, chain: chain(&inner, first.insert.ret, last.remove.call) }
}

/// A step with the places of values instead of the values.
enum Found {
    Extreme { values: Vec<u32>, rest: Vec<u32> },
    Split { gap: (Moment, Moment), left: Vec<u32>, right: Vec<u32> },
    Stuck,
}

/// One step. Linear.
fn step(pairs: &[Pair], values: &[u32], segments: &[(Moment, Moment)]) -> Found {
    let about = |pair: u32| &pairs[pair as usize];
    let first = about(values[0]).insert.ret;
    let last = values.iter().map(|&pair| about(pair).remove.call).max().unwrap_or(first);
    let (extreme, rest): (Vec<u32>, Vec<u32>) =
        values.iter().partition(|&&pair| about(pair).insert.call < first && about(pair).remove.ret > last);
    if !extreme.is_empty() {
        return Found::Extreme { values: extreme, rest };
    }
    let &[(_, from), (to, _), ..] = segments else { return Found::Stuck };
    let (left, right) = values.iter().partition(|&&pair| about(pair).insert.ret < from);
    Found::Split { gap: (from, to), left, right }
}

/// Linearizes one part.
fn linearize(
    pairs: &[Pair],
    values: &[u32],
    tree: &mut StackTree,
    turns: &mut Vec<Turn>,
    budget: &mut Budget,
) -> Result<Result<(), Vec<u32>>, Paused> {
    let named = |places: &[u32]| places.iter().map(|&pair| pairs[pair as usize].value).collect::<Vec<_>>();
    let mut tasks = vec![Task::Part { values: values.to_vec(), parent: None }];
    while let Some(task) = tasks.pop() {
        let (values, parent) = match task {
            Task::Part { values, parent } => (values, parent),
            Task::Pop(values) => {
                turns.extend(values.iter().rev().map(|&pair| Turn::Remove(pair)));
                continue;
            }
        };
        if values.is_empty() {
            continue;
        }
        budget.count(4 * values.len() as u64)?;
        let node = tree.nodes.len();
        match parent {
            Some(parent) => tree.nodes[parent].children.push(node),
            None => tree.roots.push(node),
        }
        let segments = populated(values.iter().filter_map(|&pair| pairs[pair as usize].inner()));
        let found = step(pairs, &values, &segments);
        let step = match &found {
            Found::Extreme { values, .. } => StackStep::Extreme(named(values)),
            Found::Split { gap: (from, to), .. } => StackStep::Split(*from, *to),
            Found::Stuck => StackStep::Stuck(named(&values)),
        };
        let about = StackNode { parent, values: named(&values), populated: segments, step, children: Vec::new() };
        tree.nodes.push(about);
        let part = |values| Task::Part { values, parent: Some(node) };
        match found {
            Found::Extreme { values, rest } => {
                turns.extend(values.iter().map(|&pair| Turn::Insert(pair)));
                tasks.push(Task::Pop(values));
                tasks.push(part(rest));
            }
            Found::Split { left, right, .. } => tasks.extend([part(right), part(left)]),
            Found::Stuck => return Ok(Err(values)),
        }
    }
    Ok(Ok(()))
}

/// What a monitor of stacks finds: an order, without values that overlap, or why there is none.
pub(super) type Ordered = Result<Vec<Turn>, Violation>;

/// Judges the parts between removals that found nothing, one after the other; `part` linearizes one.
pub(super) fn judge_parts(
    pairs: &[Pair],
    cuts: &Cuts,
    mut part: impl FnMut(std::ops::Range<usize>, &mut Vec<Turn>) -> Result<Result<(), Vec<u32>>, Paused>,
) -> Result<Ordered, Paused> {
    let mut turns = Vec::with_capacity(2 * cuts.apart.len() + cuts.cuts.len());
    let mut from = 0;
    let ends = cuts.cuts.iter().map(|&(end, _, removal)| (end, Some(removal)));
    for (end, removal) in ends.chain([(cuts.apart.len(), None)]) {
        if from < end
            && let Err(rest) = part(from..end, &mut turns)?
        {
            return Ok(Err(stuck(pairs, &rest)));
        }
        turns.extend(removal.map(Turn::Nothing));
        from = end;
    }
    Ok(Ok(turns))
}

/// Makes a linearization of an order, with the values whose push and pop overlap: each is pushed and popped behind the later of the two
/// calls.
pub(super) fn witness(history: &History, pairs: &[Pair], overlapping: &[u32], turns: &[Turn]) -> Linearization {
    let linearization = points(history, &operations_of(history, pairs, turns));
    debug_assert!(linearization.is_some(), "in an order that contradicts the history");
    let ordered = linearization.unwrap_or_default().points;
    if overlapping.is_empty() {
        return Linearization { points: ordered };
    }
    let mut aside: Vec<(Moment, &Pair)> = overlapping
        .iter()
        .map(|&pair| &pairs[pair as usize])
        .map(|pair| (pair.insert.call.max(pair.remove.call), pair))
        .collect();
    aside.sort_unstable_by_key(|&(after, _)| after);
    let mut points = Vec::with_capacity(ordered.len() + 2 * aside.len());
    let mut rest = ordered.into_iter().peekable();
    for (after, pair) in aside {
        while let Some(point) = rest.next_if(|point| point.after <= after) {
            points.push(point);
        }
        points.push(Point { operation: pair.insertion, after, takes: None });
        let Some(operation) = pair.removal else { continue };
        points.push(Point { operation, after, takes: taken(history, pair) });
    }
    points.extend(rest);
    Linearization { points }
}

/// Judges a history whose insertions and removals are paired.
fn judge(
    history: &History,
    completed: &Completed,
    tree: &mut StackTree,
    budget: &mut Budget,
) -> Result<Result<Linearization, Violation>, Paused> {
    let cuts = match cut(completed, budget)? {
        Ok(cuts) => cuts,
        Err(violation) => return Ok(Err(violation)),
    };
    let pairs = &completed.pairs;
    tree.overlapping = cuts.overlapping.iter().map(|&pair| pairs[pair as usize].value).collect();
    let ordered = judge_parts(pairs, &cuts, |part, turns| linearize(pairs, &cuts.apart[part], tree, turns, budget))?;
    Ok(ordered.map(|turns| witness(history, pairs, &cuts.overlapping, &turns)))
}

/// Judges a stack's history with the published algorithm, and tells its steps: those for the way in which pending pops took values, or
/// if no way works, for the case that they took nothing, of which the reason is. There are none if something else decides it.
/// Quadratic in time and in the space for the steps, for each way that has to be tried.
///
/// # Errors
/// [`Paused`] if somebody wants to stop.
pub fn judge_stack_as_published(history: &History, budget: &mut Budget) -> Result<(Answer, StackTree), Paused> {
    let mut trees: Vec<StackTree> = Vec::new();
    let answer = try_assignments(history, budget, |completed, budget| {
        let mut tree = StackTree::default();
        let answer = judge(history, completed, &mut tree, budget);
        // The first and the last.
        trees.truncate(1);
        trees.push(tree);
        answer
    })?;
    let tree = match answer {
        Answer::Linearizable(_) => trees.pop(),
        _ => trees.into_iter().next(),
    };
    Ok((answer, tree.unwrap_or_default()))
}
