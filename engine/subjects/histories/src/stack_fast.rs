//! Stacks, fast: the same steps as the published monitor takes, without copying what remains.
//!
//! What is to be linearized is always a range of values, by when their pushes returned, without those that were extreme: a split at a
//! moment makes two such ranges, and whatever is surely in at moments of one, is a value of it. So two trees for the whole history do:
//!
//! - One over the moments, with how many values are surely in. The first bare moment behind the first push's return is the published
//!   algorithm's first inner gap; if it comes no earlier than the last pop's call, there is none.
//! - One over the values, with the earliest push's call and the latest pop's call of a range. Extreme values are among those whose push is
//!   called before the first one's return: no more than there are threads.
//!
//! A step costs O(t log n) for t threads and takes a value away or splits the rest: O(t n log n) in all.

use super::answer::Answer;
use super::complete::{Completed, Cuts, Pair, Turn, cut};
use super::history::{History, Moment, ValueIndex};
use super::pending::try_assignments;
use super::stack::{Ordered, StackStep, judge_parts, witness};
use crate::budget::{Budget, Paused};
use std::ops::Range;

/// How many values are surely in between neighbouring moments: a binary tree in an array, the root at 1.
struct Cover {
    /// How many leaves there are: a power of two.
    size: usize,
    /// By node: the fewest at one of its leaves, without what is added to a node above; and what is added to all of its leaves.
    nodes: Vec<(i32, i32)>,
}

impl Cover {
    /// With these numbers at the first leaves. Behind them is nothing.
    fn new(counts: &[i32]) -> Self {
        let size = counts.len().next_power_of_two();
        let mut nodes = vec![(0, 0); 2 * size];
        for (node, &count) in nodes[size..].iter_mut().zip(counts) {
            node.0 = count;
        }
        for node in (1..size).rev() {
            nodes[node].0 = nodes[2 * node].0.min(nodes[2 * node + 1].0);
        }
        Self { size, nodes }
    }

    /// Takes one away at these leaves.
    fn uncover(&mut self, leaves: Range<usize>) {
        let (mut from, mut to) = (leaves.start + self.size, leaves.end + self.size);
        let ends = [from, to - 1];
        while from < to {
            if from & 1 == 1 {
                self.nodes[from].0 -= 1;
                self.nodes[from].1 -= 1;
                from += 1;
            }
            if to & 1 == 1 {
                to -= 1;
                self.nodes[to].0 -= 1;
                self.nodes[to].1 -= 1;
            }
            from >>= 1;
            to >>= 1;
        }
        for mut node in ends {
            while node > 1 {
                node >>= 1;
                self.nodes[node].0 = self.nodes[2 * node].0.min(self.nodes[2 * node + 1].0) + self.nodes[node].1;
            }
        }
    }

    /// The first leaf from `from` on where nothing is in.
    fn bare(&self, from: usize) -> usize {
        // What nodes above a leaf have added, from the root down.
        let added = |node: usize| {
            let depth = node.ilog2();
            (1..=depth).map(|up| self.nodes[node >> up].1).sum::<i32>()
        };
        let mut node = from + self.size;
        let mut above = added(node);
        // Up to the first subtree to the right that has such a leaf.
        while self.nodes[node].0 + above != 0 {
            while node & 1 == 1 {
                node >>= 1;
                above -= self.nodes[node].1;
                // There is nothing to the right: all later leaves are those behind the numbers.
                if node <= 1 {
                    return self.size;
                }
            }
            node += 1;
        }
        // Down to its first such leaf.
        while node < self.size {
            above += self.nodes[node].1;
            node *= 2;
            if self.nodes[node].0 + above != 0 {
                node += 1;
            }
        }
        node - self.size
    }
}

/// The earliest push's call and the latest pop's call of ranges of values: a binary tree in an array, the root at 1.
struct Calls {
    size: usize,
    nodes: Vec<(Moment, Moment)>,
}

/// Of a value that was taken away.
const GONE: (Moment, Moment) = (Moment(u32::MAX), Moment(0));

impl Calls {
    fn new(calls: impl ExactSizeIterator<Item = (Moment, Moment)>) -> Self {
        let size = calls.len().next_power_of_two();
        let mut nodes = vec![GONE; 2 * size];
        for (node, calls) in nodes[size..].iter_mut().zip(calls) {
            *node = calls;
        }
        let mut all = Self { size, nodes };
        for node in (1..size).rev() {
            all.join(node);
        }
        all
    }

    fn join(&mut self, node: usize) {
        let ((push, pop), (other_push, other_pop)) = (self.nodes[2 * node], self.nodes[2 * node + 1]);
        self.nodes[node] = (push.min(other_push), pop.max(other_pop));
    }

    fn is_gone(&self, value: usize) -> bool {
        self.nodes[self.size + value] == GONE
    }

    fn remove(&mut self, value: usize) {
        let mut node = self.size + value;
        self.nodes[node] = GONE;
        while node > 1 {
            node >>= 1;
            self.join(node);
        }
    }

    /// The latest pop's call.
    fn last_pop(&self, values: Range<usize>) -> Moment {
        let (mut from, mut to) = (values.start + self.size, values.end + self.size);
        let mut last = Moment(0);
        while from < to {
            if from & 1 == 1 {
                last = last.max(self.nodes[from].1);
                from += 1;
            }
            if to & 1 == 1 {
                to -= 1;
                last = last.max(self.nodes[to].1);
            }
            from >>= 1;
            to >>= 1;
        }
        last
    }

    /// The first value of a range whose push was called before a moment; those that were taken away have none.
    fn next_called(&self, values: Range<usize>, before: Moment) -> Option<usize> {
        if values.is_empty() {
            return None;
        }
        let mut node = values.start + self.size;
        while self.nodes[node].0 >= before {
            while node & 1 == 1 {
                node >>= 1;
                if node <= 1 {
                    return None;
                }
            }
            node += 1;
        }
        while node < self.size {
            node *= 2;
            if self.nodes[node].0 >= before {
                node += 1;
            }
        }
        Some(node - self.size).filter(|value| values.contains(value))
    }
}

/// What remains of a history. Values are numbered by when their pushes returned.
struct Rest<'a> {
    pairs: &'a [Pair],
    /// By value: its place among the pairs.
    places: &'a [u32],
    /// By value: where it begins and ends to be surely in, among all such moments.
    inner: Vec<Range<u32>>,
    /// Those moments.
    moments: Vec<Moment>,
    /// By such a moment: how many values begin no later.
    begun: Vec<u32>,
    cover: Cover,
    calls: Calls,
}

/// A step, values by number.
enum Found {
    /// Nothing is left.
    Done,
    Extreme(Vec<u32>),
    /// Between two such moments; the first value behind them.
    Split(Moment, usize),
    Stuck,
}

impl<'a> Rest<'a> {
    fn new(pairs: &'a [Pair], places: &'a [u32]) -> Self {
        let about = |value: usize| &pairs[places[value] as usize];
        let mut ends: Vec<(Moment, u32)> =
            (0..places.len()).map(|value| (about(value).remove.call, value as u32)).collect();
        ends.sort_unstable();
        let mut inner = vec![0..0; places.len()];
        let mut moments = Vec::with_capacity(2 * places.len());
        let mut begun = Vec::with_capacity(2 * places.len());
        let mut counts = Vec::with_capacity(2 * places.len());
        let mut next = 0;
        // The last end comes behind all beginnings.
        for (ended, &(end, ending)) in ends.iter().enumerate() {
            while next < places.len() && about(next).insert.ret < end {
                inner[next].start = moments.len() as u32;
                moments.push(about(next).insert.ret);
                next += 1;
                begun.push(next as u32);
                counts.push((next - ended) as i32);
            }
            inner[ending as usize].end = moments.len() as u32;
            moments.push(end);
            begun.push(next as u32);
            counts.push((next - ended - 1) as i32);
        }
        let calls = Calls::new(places.iter().map(|&place| {
            let pair = &pairs[place as usize];
            (pair.insert.call, pair.remove.call)
        }));
        Self { pairs, places, inner, moments, begun, cover: Cover::new(&counts), calls }
    }

    fn about(&self, value: usize) -> &Pair {
        &self.pairs[self.places[value] as usize]
    }

    /// The first value of a range that was not taken away, or the end of the range.
    fn first(&self, values: Range<usize>) -> usize {
        self.calls.next_called(values.clone(), Moment(u32::MAX)).unwrap_or(values.end)
    }

    fn remove(&mut self, value: usize) {
        let Range { start, end } = self.inner[value];
        self.cover.uncover(start as usize..end as usize);
        self.calls.remove(value);
    }

    /// The next step for a range whose first value was not taken away.
    fn step(&self, values: Range<usize>, budget: &mut Budget) -> Result<Found, Paused> {
        budget.count(64)?;
        if values.is_empty() {
            return Ok(Found::Done);
        }
        let first = self.about(values.start).insert.ret;
        let last = self.calls.last_pop(values.clone());
        let mut extreme = Vec::new();
        let mut from = values.start;
        while let Some(value) = self.calls.next_called(from..values.end, first) {
            budget.count(16)?;
            if self.about(value).remove.ret > last {
                extreme.push(value as u32);
            }
            from = value + 1;
        }
        if !extreme.is_empty() {
            return Ok(Found::Extreme(extreme));
        }
        let bare = self.cover.bare(self.inner[values.start].start as usize);
        Ok(match self.moments.get(bare) {
            Some(&moment) if moment < last => Found::Split(moment, self.first(self.begun[bare] as usize..values.end)),
            _ => Found::Stuck,
        })
    }
}

/// What is yet to be done.
enum Task {
    /// Linearize a range of values.
    Part(Range<usize>),
    /// Pop a value.
    Pop(u32),
}

/// Linearizes one part; gives what it is stuck at. `seen` is told each step.
fn linearize(
    rest: &mut Rest,
    values: Range<usize>,
    turns: &mut Vec<Turn>,
    seen: &mut impl FnMut(&[Pair], Seen),
    budget: &mut Budget,
) -> Result<Result<(), Vec<u32>>, Paused> {
    let mut tasks = vec![Task::Part(values)];
    while let Some(task) = tasks.pop() {
        let values = match task {
            Task::Part(values) => rest.first(values.clone())..values.end,
            Task::Pop(place) => {
                turns.push(Turn::Remove(place));
                continue;
            }
        };
        match rest.step(values.clone(), budget)? {
            Found::Done => {}
            Found::Extreme(mut extreme) => {
                for value in &mut extreme {
                    rest.remove(*value as usize);
                    *value = rest.places[*value as usize];
                    turns.push(Turn::Insert(*value));
                    tasks.push(Task::Pop(*value));
                }
                seen(rest.pairs, Seen::Extreme(&extreme));
                tasks.push(Task::Part(values));
            }
            Found::Split(from, behind) => {
                seen(rest.pairs, Seen::Split(from, rest.about(behind).insert.ret));
                tasks.push(Task::Part(behind..values.end));
                tasks.push(Task::Part(values.start..behind));
            }
            Found::Stuck => {
                let left: Vec<u32> =
                    values.filter(|&value| !rest.calls.is_gone(value)).map(|value| rest.places[value]).collect();
                seen(rest.pairs, Seen::Stuck(&left));
                return Ok(Err(left));
            }
        }
    }
    Ok(Ok(()))
}

/// A step, values as places of pairs.
enum Seen<'a> {
    Extreme(&'a [u32]),
    Split(Moment, Moment),
    Stuck(&'a [u32]),
}

/// Judges a history whose insertions and removals are paired.
fn order(
    completed: &Completed,
    cuts: &Cuts,
    mut seen: impl FnMut(&[Pair], Seen),
    budget: &mut Budget,
) -> Result<Ordered, Paused> {
    budget.count(32 * cuts.apart.len() as u64)?;
    let pairs = &completed.pairs;
    let mut rest = Rest::new(pairs, &cuts.apart);
    judge_parts(pairs, cuts, |part, turns| linearize(&mut rest, part, turns, &mut seen, budget))
}

/// Judges a history, and tells the steps for each way in which pending pops may have taken values.
fn judge(
    history: &History,
    budget: &mut Budget,
    mut begin: impl FnMut(),
    mut seen: impl FnMut(&[Pair], Seen),
) -> Result<Answer, Paused> {
    try_assignments(history, budget, |completed, budget| {
        begin();
        let cuts = match cut(completed, budget)? {
            Ok(cuts) => cuts,
            Err(violation) => return Ok(Err(violation)),
        };
        let ordered = order(completed, &cuts, &mut seen, budget)?;
        budget.count(8 * completed.pairs.len() as u64)?;
        Ok(ordered.map(|turns| witness(history, &completed.pairs, &cuts.overlapping, &turns)))
    })
}

/// Judges a stack's history. O(t n log n) for n operations by t threads, for each way in which pending pops may have taken values that
/// has to be tried; a reason is one for the case that they took nothing.
///
/// # Errors
/// [`Paused`] if somebody wants to stop.
pub fn judge_stack(history: &History, budget: &mut Budget) -> Result<Answer, Paused> {
    judge(history, budget, || (), |_, _| ())
}

/// Judges a stack's history, and tells the steps: those of [`StackTree`](super::StackTree), in its order, without what remains at each
/// ([`StackStep::Stuck`] has it). O(t n log n).
///
/// # Errors
/// [`Paused`] if somebody wants to stop.
pub fn judge_stack_in_steps(history: &History, budget: &mut Budget) -> Result<(Answer, Vec<StackStep>), Paused> {
    let ways = std::cell::RefCell::new(Vec::<Vec<StackStep>>::new());
    let begin = || {
        // The first and the last.
        ways.borrow_mut().truncate(1);
        ways.borrow_mut().push(Vec::new());
    };
    let answer = judge(history, budget, begin, |pairs, seen| {
        let named = |places: &[u32]| places.iter().map(|&pair| pairs[pair as usize].value).collect::<Vec<ValueIndex>>();
        let step = match seen {
            Seen::Extreme(places) => StackStep::Extreme(named(places)),
            Seen::Split(from, to) => StackStep::Split(from, to),
            Seen::Stuck(places) => StackStep::Stuck(named(places)),
        };
        if let Some(steps) = ways.borrow_mut().last_mut() {
            steps.push(step);
        }
    })?;
    let mut ways = ways.into_inner();
    let steps = match answer {
        Answer::Linearizable(_) => ways.pop(),
        _ => ways.into_iter().next(),
    };
    Ok((answer, steps.unwrap_or_default()))
}
