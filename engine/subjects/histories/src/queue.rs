//! Queues: by a tree of when values are surely in, as published, and by sorting.
//!
//! Section 3.3 of the thesis. A history without removals that found nothing is linearizable unless it has a *critical* pair of
//! values: one is surely in, from before the other may have been until after it may have been. The procedures differ in how they look
//! for it. Neither leaves values out whose enqueue and dequeue overlap: they are surely in at no moment, but may lie within others.
//!
//! The thesis does not say what removals that found nothing need: a moment at which nothing is surely in (P3), as with
//! stacks. Nor what values need that were not removed (P1), nor what is pending. Of values that are there for ever otherwise, pending
//! dequeues take those whose enqueues returned first, the first dequeue the first value: by exchange, that is as good as any
//! other way. So there is only one way to try, unless it is known of some dequeue that has not returned what it takes.

use super::answer::{Answer, Linearization, Violation};
use super::complete::{Completed, Cuts, Pair, Turn, complete, cut, operations_of, points};
use super::history::{History, Moment, ValueIndex};
use super::pending::try_assignments;
use crate::budget::{Budget, Paused};

/// A node of a [`QueueTree`]: when a value is surely in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueNode {
    /// The value.
    pub value: ValueIndex,
    /// When its enqueue returned.
    pub left: Moment,
    /// When its dequeue was called.
    pub right: Moment,
    /// The latest `right` of this node and all below it.
    pub high: Moment,
    /// The node for values whose enqueues returned earlier.
    pub ltree: Option<usize>,
    /// The node for values whose enqueues returned later.
    pub rtree: Option<usize>,
}

/// When values are surely in, as a search tree by when that begins. It is balanced: each node is in the middle of those below it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueueTree {
    /// The nodes: a node before those below it, the left ones before the right ones; the first is the root.
    pub nodes: Vec<QueueNode>,
}

/// A node on the way of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueVisit {
    /// The node.
    pub node: usize,
    /// Its left child, if [`QueueNode::high`] there was looked at.
    pub probe: Option<usize>,
}

/// A search for an interval that contains another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueSearch {
    /// The nodes in the order in which they were visited.
    pub path: Vec<QueueVisit>,
    /// The node whose interval contains the one looked for: the last one of the path, if any does.
    pub found: Option<usize>,
}

impl QueueTree {
    /// The tree of values. O(n log n).
    pub fn new(pairs: &[Pair]) -> Self {
        let mut inner: Vec<(Moment, Moment, ValueIndex)> =
            pairs.iter().filter_map(|pair| pair.inner().map(|(left, right)| (left, right, pair.value))).collect();
        inner.sort_unstable();
        let mut tree = Self { nodes: Vec::with_capacity(inner.len()) };
        tree.build(&inner);
        tree
    }

    /// Adds the nodes for sorted intervals. As deep as the tree is high.
    fn build(&mut self, inner: &[(Moment, Moment, ValueIndex)]) -> Option<usize> {
        let middle = inner.len() / 2;
        let &(left, right, value) = inner.get(middle)?;
        let node = self.nodes.len();
        self.nodes.push(QueueNode { value, left, right, high: right, ltree: None, rtree: None });
        let (ltree, rtree) = (self.build(&inner[..middle]), self.build(&inner[middle + 1..]));
        let highs = [ltree, rtree].into_iter().flatten().map(|child| self.nodes[child].high);
        let high = highs.fold(right, Moment::max);
        self.nodes[node] = QueueNode { value, left, right, high, ltree, rtree };
        Some(node)
    }

    /// Looks for a node whose interval contains one. O(log n).
    ///
    /// The thesis' `contains`, corrected: where the left child is missing, the search goes on to the right. And where it says
    /// "contained" as soon as the left child's `high` says so, this one goes there to find the node.
    pub fn search(&self, (left, right): (Moment, Moment)) -> QueueSearch {
        let mut path = Vec::new();
        let found = self.find((left, right), |visit| path.push(visit));
        QueueSearch { path, found }
    }

    fn find(&self, (left, right): (Moment, Moment), mut visited: impl FnMut(QueueVisit)) -> Option<usize> {
        let mut at = (!self.nodes.is_empty()).then_some(0);
        while let Some(node) = at {
            let about = &self.nodes[node];
            if about.left > left {
                visited(QueueVisit { node, probe: None });
                at = about.ltree;
            } else if about.right >= right {
                visited(QueueVisit { node, probe: None });
                return at;
            } else {
                visited(QueueVisit { node, probe: about.ltree });
                // All to the left begin early enough.
                at = about.ltree.filter(|&child| self.nodes[child].high >= right).or(about.rtree);
            }
        }
        None
    }
}

/// What the monitor of queues looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueTrace {
    /// The values, by the calls of their enqueues. For each, its outer interval is looked for.
    pub pairs: Vec<Pair>,
    /// Where they are looked for.
    pub tree: QueueTree,
    /// The first one that is within another: its place among the pairs, and how it was found.
    pub found: Option<(usize, QueueSearch)>,
}

/// Lets pending dequeues take what is there for ever otherwise, the first the first, and judges that. Where it is known of a dequeue that
/// has not returned what it takes, others might take that earlier: then all ways are tried.
fn judge_pending(
    history: &History,
    budget: &mut Budget,
    mut judge: impl FnMut(&Completed, &mut Budget) -> Result<Result<Linearization, Violation>, Paused>,
) -> Result<Answer, Paused> {
    let mut completed = match complete(history, budget)? {
        Ok(completed) => completed,
        Err(answer) => return Ok(answer),
    };
    if !completed.pending.is_empty() {
        let mut left: Vec<usize> = completed.left(history).collect();
        if left.iter().any(|&pair| completed.pairs[pair].removal.is_some()) {
            return try_assignments(history, budget, judge);
        }
        left.sort_unstable_by_key(|&pair| completed.pairs[pair].insert.ret);
        for (removal, pair) in left.into_iter().enumerate().take(completed.pending.len()) {
            completed.take(pair, removal);
        }
    }
    Ok(match judge(&completed, budget)? {
        Ok(linearization) => Answer::Linearizable(linearization),
        Err(violation) => Answer::Not(violation),
    })
}

/// A critical pair: the value around, then the one inside. `apart` has the values that are surely in at some time, by when that begins.
fn critical(pairs: &[Pair], apart: &[u32]) -> Option<(ValueIndex, ValueIndex)> {
    // Of those that begin before a moment, the one that ends last is around what any of them is around.
    let mut next = apart.iter().map(|&pair| &pairs[pair as usize]).peekable();
    let mut last: Option<&Pair> = None;
    pairs.iter().find_map(|pair| {
        let (left, right) = pair.outer();
        while let Some(begun) = next.next_if(|begun| begun.insert.ret < left) {
            if last.is_none_or(|last| last.remove.call < begun.remove.call) {
                last = Some(begun);
            }
        }
        last.filter(|last| last.remove.call > right).map(|last| (last.value, pair.value))
    })
}

/// Values in the order of a queue, and what sorts them.
struct Sorting {
    /// By place of a pair: after how many removals that found nothing it comes.
    parts: Vec<u32>,
    /// By place: the enqueue's return, or the dequeue's if that is earlier: it has taken effect by then.
    inserted: Vec<Moment>,
    /// By place: the dequeue's call, or the enqueue's if that is later: it cannot take effect before.
    removed: Vec<Moment>,
}

impl Sorting {
    fn new(pairs: &[Pair], cuts: &Cuts) -> Self {
        let inserted: Vec<Moment> = pairs.iter().map(|pair| pair.insert.ret.min(pair.remove.ret)).collect();
        let removed = pairs.iter().map(|pair| pair.remove.call.max(pair.insert.call)).collect();
        // Who is surely in before a cut is out by then; everybody else can wait.
        let before = |moment| cuts.cuts.partition_point(|&(_, after, _)| after < moment) as u32;
        let parts = match cuts.cuts.is_empty() {
            true => vec![0; pairs.len()],
            false => inserted.iter().map(|&moment| before(moment)).collect(),
        };
        Self { parts, inserted, removed }
    }

    /// The places of pairs by part, then by a moment.
    fn sorted(&self, moment: impl Fn(usize) -> Moment) -> Vec<u32> {
        let mut places: Vec<u32> = (0..self.parts.len() as u32).collect();
        places.sort_unstable_by_key(|&place| (self.parts[place as usize], moment(place as usize)));
        places
    }

    /// The values so that none comes before one that is enqueued, or dequeued, before it; of earlier parts first. Fewer, if there
    /// is no such order: then there is a critical pair.
    fn order(&self, pairs: &[Pair]) -> Vec<u32> {
        // By moments at which it is over with a value, and at which it begins.
        let (ends, begins) = (
            [self.sorted(|place| self.inserted[place]), self.sorted(|place| pairs[place].remove.ret)],
            [self.sorted(|place| pairs[place].insert.call), self.sorted(|place| self.removed[place])],
        );
        let key = |which: usize, is_end: bool, place: u32| {
            let place = place as usize;
            let moment = match (which, is_end) {
                (0, true) => self.inserted[place],
                (0, false) => pairs[place].insert.call,
                (_, true) => pairs[place].remove.ret,
                (_, false) => self.removed[place],
            };
            (self.parts[place], moment)
        };
        let mut order = Vec::with_capacity(pairs.len());
        let mut is_placed = vec![false; pairs.len()];
        // How often a value was found to begin before it is over with any other that has no place yet: twice, and it is next.
        let mut begun = vec![0u8; pairs.len()];
        let mut next = Vec::new();
        let (mut ended, mut at) = ([0; 2], [0; 2]);
        loop {
            for which in 0..2 {
                while ends[which].get(ended[which]).is_some_and(|&place| is_placed[place as usize]) {
                    ended[which] += 1;
                }
                let Some(&first) = ends[which].get(ended[which]) else { continue };
                let over = key(which, true, first);
                while let Some(&place) = begins[which].get(at[which])
                    && key(which, false, place) < over
                {
                    at[which] += 1;
                    begun[place as usize] += 1;
                    if begun[place as usize] == 2 {
                        next.push(place);
                    }
                }
            }
            let Some(place) = next.pop() else { return order };
            is_placed[place as usize] = true;
            order.push(place);
        }
    }

    /// Enqueues and dequeues of values in this order, with removals that found nothing.
    fn turns(&self, pairs: &[Pair], cuts: &Cuts, order: &[u32]) -> Vec<Turn> {
        let mut turns = Vec::with_capacity(2 * pairs.len() + cuts.cuts.len());
        let mut nothing = cuts.cuts.iter().map(|&(.., removal)| Turn::Nothing(removal));
        let mut passed = 0;
        // Dequeues that wait, with when they can come.
        let (mut inserted, mut removed) = (Moment(0), Moment(0));
        let mut waiting = std::collections::VecDeque::new();
        for &place in order {
            let pair = &pairs[place as usize];
            let part = self.parts[place as usize];
            if part > passed {
                turns.extend(waiting.drain(..).map(|(_, turn)| turn));
                turns.extend(nothing.by_ref().take((part - passed) as usize));
                passed = part;
            }
            inserted = inserted.max(pair.insert.call);
            while let Some((_, turn)) = waiting.pop_front_if(|(moment, _)| *moment < inserted) {
                turns.push(turn);
            }
            turns.push(Turn::Insert(place));
            removed = removed.max(pair.remove.call).max(inserted);
            waiting.push_back((removed, Turn::Remove(place)));
        }
        turns.extend(waiting.into_iter().map(|(_, turn)| turn));
        turns.extend(nothing);
        turns
    }
}

/// A linearization of a history without a critical pair. O(n log n).
///
/// The thesis has none. Values come in an order in which none is before one whose enqueue, or whose dequeue, returned before its own
/// was called. There is one: a cycle of such demands would have two values that are a critical pair. An operation takes effect as soon
/// as it was called, and those of the values before it, and a dequeue behind its enqueue.
fn witness(history: &History, pairs: &[Pair], cuts: &Cuts, budget: &mut Budget) -> Result<Linearization, Paused> {
    budget.count(32 * pairs.len() as u64)?;
    let sorting = Sorting::new(pairs, cuts);
    budget.count(32 * pairs.len() as u64)?;
    let order = sorting.order(pairs);
    budget.count(8 * pairs.len() as u64)?;
    let turns = sorting.turns(pairs, cuts, &order);
    let linearization = points(history, &operations_of(history, pairs, &turns));
    debug_assert!(linearization.is_some(), "in an order that contradicts the history");
    Ok(linearization.unwrap_or_default())
}

/// Judges a queue's history, by sorting. O(n log n); if it is known of some dequeues that have not returned what they take, and of
/// others not, that for each way that has to be tried. A reason is one for the case that pending dequeues took the first values that
/// are there for ever otherwise; in the latter case, none.
///
/// # Errors
/// [`Paused`] if somebody wants to stop.
pub fn judge_queue(history: &History, budget: &mut Budget) -> Result<Answer, Paused> {
    judge_pending(history, budget, |completed, budget| {
        let pairs = &completed.pairs;
        let cuts = match cut(completed, budget)? {
            Ok(cuts) => cuts,
            Err(violation) => return Ok(Err(violation)),
        };
        budget.count(4 * pairs.len() as u64)?;
        match critical(pairs, &cuts.apart) {
            Some((around, inside)) => Ok(Err(Violation::Critical { around, inside })),
            None => Ok(Ok(witness(history, pairs, &cuts, budget)?)),
        }
    })
}

/// Judges a queue's history by the published tree, and tells what it looked at; nothing, if something else decides it. As fast as
/// [`judge_queue`].
///
/// # Errors
/// [`Paused`] if somebody wants to stop.
pub fn judge_queue_by_tree(history: &History, budget: &mut Budget) -> Result<(Answer, Option<QueueTrace>), Paused> {
    let mut traces: Vec<Option<QueueTrace>> = Vec::new();
    let answer = judge_pending(history, budget, |completed, budget| {
        // The first and the last.
        traces.truncate(1);
        let cuts = match cut(completed, budget)? {
            Ok(cuts) => cuts,
            Err(violation) => {
                traces.push(None);
                return Ok(Err(violation));
            }
        };
        let pairs = &completed.pairs;
        budget.count(16 * pairs.len() as u64)?;
        let tree = QueueTree::new(pairs);
        let mut within = None;
        for (place, pair) in pairs.iter().enumerate() {
            budget.count(32)?;
            if let Some(node) = tree.find(pair.outer(), |_| ()) {
                within = Some((place, node));
                break;
            }
        }
        let critical = within
            .map(|(place, node)| Violation::Critical { around: tree.nodes[node].value, inside: pairs[place].value });
        let found = within.map(|(place, _)| (place, tree.search(pairs[place].outer())));
        traces.push(Some(QueueTrace { pairs: pairs.clone(), tree, found }));
        match critical {
            Some(violation) => Ok(Err(violation)),
            None => Ok(Ok(witness(history, pairs, &cuts, budget)?)),
        }
    })?;
    let trace = match answer {
        Answer::Linearizable(_) => traces.pop(),
        _ => traces.into_iter().next(),
    };
    Ok((answer, trace.flatten()))
}
