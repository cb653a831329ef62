//! Insertions and removals of stacks and queues, paired by value: what their monitors start with.
//!
//! Sections 3.2 and 3.3 of the thesis. It has no words for what is refused here at once (P0): values removed twice, never inserted, or
//! removed too early. A value that nobody removed gets a removal behind everything (P1; those of several values overlap).
//!
//! The thesis leaves out what is pending. An insertion that has not returned returns behind everything, if somebody removed its value. If
//! nobody did, it is dropped: taken out of a linearization together with the pending removal that took its value, if one did, it leaves
//! a linearization. A pending removal returns behind everything, too. If it is known what it takes if it takes effect, it removes
//! that; if not, it may have taken a value that is there for ever otherwise ([`pending`](super::pending)). In an order that is found so,
//! what comes behind the first removal that only P1 added is pending, and can be left away.

use super::answer::{Answer, Linearization, Point, Undecided, Violation};
use super::history::{Action, History, Moment, OperationIndex, ValueIndex};
use crate::budget::{Budget, Paused};

/// From a call to a return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The call.
    pub call: Moment,
    /// The return; behind all moments of the history if there is none.
    pub ret: Moment,
}

/// A value with its insertion and its removal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The value.
    pub value: ValueIndex,
    /// The operation that inserted it.
    pub insertion: OperationIndex,
    /// The operation that removed it; `None` if none did.
    pub removal: Option<OperationIndex>,
    /// When it was inserted.
    pub insert: Interval,
    /// When it was removed; behind everything if it was not.
    pub remove: Interval,
}

impl Pair {
    /// From when to when it is surely in; `None` if insertion and removal overlap, which may follow each other at once then.
    pub fn inner(&self) -> Option<(Moment, Moment)> {
        (self.insert.ret < self.remove.call).then_some((self.insert.ret, self.remove.call))
    }

    /// From when to when it may be in.
    pub fn outer(&self) -> (Moment, Moment) {
        (self.insert.call, self.remove.ret)
    }
}

/// What a stack's or queue's history has.
#[derive(Clone, Debug)]
pub(super) struct Completed {
    /// Values that were inserted, in the order of the calls.
    pub pairs: Vec<Pair>,
    /// Removals that found nothing, in the order of their calls.
    pub empty: Vec<(OperationIndex, Interval)>,
    /// Removals that have not returned, in the order of their calls.
    pub pending: Vec<(OperationIndex, Moment)>,
    /// Behind all moments.
    end: u32,
}

/// No operation, in a table by value.
const NONE: u32 = u32::MAX;

/// By value, the operations that inserted and removed it.
struct Table {
    inserted: Vec<u32>,
    removed: Vec<u32>,
}

/// Fills the table, in the order of calls.
fn tabulate(history: &History) -> Result<Table, Answer> {
    let mut table = Table { inserted: Vec::new(), removed: Vec::new() };
    let (mut twice, mut pending) = (None, Vec::new());
    for (operation, about) in history.indexed() {
        let (slots, value) = match (about.action, about.ret) {
            (Action::Insert(value), _) => (&mut table.inserted, value),
            (Action::Remove(value), Some(_)) => (&mut table.removed, value),
            (Action::Remove(value), None) => {
                pending.push((operation, value));
                continue;
            }
            (Action::RemoveNothing | Action::RemoveAny, _) => continue,
            _ => return Err(Answer::Unknown(Undecided::NotMonitored { operation })),
        };
        if slots.len() <= value.index() {
            slots.resize(value.index() + 1, NONE);
        }
        let slot = &mut slots[value.index()];
        match (*slot, about.action) {
            (NONE, _) => *slot = operation.0,
            (first, Action::Insert(_)) => {
                let first = OperationIndex(first);
                return Err(Answer::Unknown(Undecided::InsertedTwice { first, second: operation }));
            }
            // Not yet: its value may still turn out to be inserted twice.
            (first, _) => twice = twice.or(Some((OperationIndex(first), operation))),
        }
    }
    if let Some((first, second)) = twice {
        return Err(Answer::Not(Violation::RemovedTwice { first, second }));
    }
    // What has not returned removes a value if nothing else did, and if it can. The first that might is as good as any other.
    table.removed.resize(table.removed.len().max(table.inserted.len()), NONE);
    for (operation, value) in pending {
        if let Some(slot) = table.removed.get_mut(value.index()).filter(|slot| **slot == NONE) {
            *slot = operation.0;
        }
    }
    Ok(table)
}

/// Pairs insertions and removals (P0 and P1). Linear.
///
/// # Errors
/// [`Paused`] if somebody wants to stop. The answer, if there is one at once: a value was removed twice, never inserted, or removed
/// before it was inserted; or, unknown, it was inserted twice, or an operation is not one of a stack or queue.
pub(super) fn complete(history: &History, budget: &mut Budget) -> Result<Result<Completed, Answer>, Paused> {
    budget.count(4 * history.operations.len() as u64)?;
    let table = match tabulate(history) {
        Ok(table) => table,
        Err(answer) => return Ok(Err(answer)),
    };
    let end = 1 + history
        .operations
        .iter()
        .map(|about| about.ret.unwrap_or(about.call).0.max(about.call.0))
        .max()
        .unwrap_or(0);
    let find = |slots: &[u32], value: ValueIndex| {
        slots.get(value.index()).filter(|&&slot| slot != NONE).map(|&slot| OperationIndex(slot))
    };
    let mut completed = Completed { pairs: Vec::new(), empty: Vec::new(), pending: Vec::new(), end };
    for (operation, about) in history.indexed() {
        match (about.action, about.ret) {
            (Action::Insert(value), ret) => {
                let removal = find(&table.removed, value);
                if ret.is_none() && removal.is_none_or(|removal| history.operation(removal).ret.is_none()) {
                    continue;
                }
                // Whoever has no return gets one below, when it is known how many there are.
                let (never, behind) = (Moment(NONE), Interval { call: Moment(NONE), ret: Moment(NONE) });
                let insert = Interval { call: about.call, ret: ret.unwrap_or(never) };
                let remove = removal.map_or(behind, |removal| {
                    let about = history.operation(removal);
                    Interval { call: about.call, ret: about.ret.unwrap_or(never) }
                });
                completed.pairs.push(Pair { value, insertion: operation, removal, insert, remove });
            }
            (Action::Remove(value), Some(ret)) => match find(&table.inserted, value) {
                None => return Ok(Err(Answer::Not(Violation::NeverInserted { operation }))),
                Some(insertion) if ret < history.operation(insertion).call => {
                    let violation = Violation::RemovedBeforeInserted { removal: operation, insertion };
                    return Ok(Err(Answer::Not(violation)));
                }
                Some(_) => {}
            },
            (Action::RemoveNothing, Some(ret)) => {
                completed.empty.push((operation, Interval { call: about.call, ret }));
            }
            (Action::RemoveAny, _) => completed.pending.push((operation, about.call)),
            _ => {}
        }
    }
    completed.pairs.shrink_to_fit();
    for pair in 0..completed.pairs.len() {
        let about = completed.pairs[pair];
        if about.insert.ret.0 == NONE {
            completed.pairs[pair].insert.ret = Moment(end + (2 * completed.pairs.len() + pair) as u32);
        }
        match about.removal {
            None => completed.leave(pair),
            Some(_) if about.remove.ret.0 == NONE => completed.pairs[pair].remove.ret = completed.behind(pair).ret,
            Some(_) => {}
        }
    }
    Ok(Ok(completed))
}

impl Completed {
    /// Lets a pending removal take a value: places in [`Completed::pairs`] and [`Completed::pending`].
    pub(crate) fn take(&mut self, pair: usize, removal: usize) {
        let (operation, call) = self.pending[removal];
        self.pairs[pair].removal = Some(operation);
        self.pairs[pair].remove = Interval { call, ..self.behind(pair) };
    }

    /// Lets nobody remove a value: its removal comes behind everything.
    fn leave(&mut self, pair: usize) {
        self.pairs[pair].remove = self.behind(pair);
        self.pairs[pair].removal = None;
    }

    /// An interval behind everything. Those of all pairs overlap.
    fn behind(&self, pair: usize) -> Interval {
        let call = self.end + pair as u32;
        Interval { call: Moment(call), ret: Moment(call + self.pairs.len() as u32) }
    }

    /// Whether a pending removal that may take anything may still take a value: nothing that has returned removed it.
    pub(crate) fn is_left(&self, history: &History, pair: usize) -> bool {
        self.pairs[pair].removal.is_none_or(|removal| {
            let about = history.operation(removal);
            about.ret.is_none() && about.action != Action::RemoveAny
        })
    }

    /// Values that may still be taken ([`Completed::is_left`]), as places in [`Completed::pairs`].
    pub(crate) fn left(&self, history: &History) -> impl Iterator<Item = usize> {
        (0..self.pairs.len()).filter(|&pair| self.is_left(history, pair))
    }
}

/// What takes effect next; a value is its place in [`Completed::pairs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// It is inserted.
    Insert(u32),
    /// It is removed.
    Remove(u32),
    /// A removal finds nothing.
    Nothing(OperationIndex),
}

/// What a value's removal takes that does not say so itself.
pub(super) fn taken(history: &History, pair: &Pair) -> Option<ValueIndex> {
    pair.removal.filter(|&removal| history.operation(removal).action == Action::RemoveAny).map(|_| pair.value)
}

/// What the turns are in the history, up to the first removal that is not in it: there, only what is pending takes effect.
pub(super) fn operations_of(
    history: &History,
    pairs: &[Pair],
    turns: &[Turn],
) -> Vec<(OperationIndex, Option<ValueIndex>)> {
    let operation = |turn: &Turn| match *turn {
        Turn::Insert(pair) => Some((pairs[pair as usize].insertion, None)),
        Turn::Nothing(removal) => Some((removal, None)),
        Turn::Remove(pair) => {
            let pair = &pairs[pair as usize];
            pair.removal.map(|removal| (removal, taken(history, pair)))
        }
    };
    turns.iter().map_while(operation).collect()
}

/// Moments at which operations take effect in a given order, each as early as it can: at its call, or together with the one before it.
/// Beside an operation stands what it takes, if it is an [`Action::RemoveAny`]. `None` if one would have returned by then. Linear.
///
/// # Panics
/// If there is no such operation.
pub fn points(history: &History, order: &[(OperationIndex, Option<ValueIndex>)]) -> Option<Linearization> {
    let mut after = Moment(0);
    let mut points = Vec::with_capacity(order.len());
    for &(operation, takes) in order {
        let about = history.operation(operation);
        after = after.max(about.call);
        if about.ret.is_some_and(|ret| ret <= after) {
            return None;
        }
        points.push(Point { operation, after, takes });
    }
    Some(Linearization { points })
}

/// Values of which one is surely in at each moment from `from` to `to`, as few as can be, in the order of time; fewer if there are none.
/// `inner` has when values are surely in, sorted.
pub(super) fn chain(inner: &[(Moment, Moment, ValueIndex)], from: Moment, to: Moment) -> Vec<ValueIndex> {
    let (mut chain, mut at, mut next) = (Vec::new(), from, 0);
    let mut best: Option<(Moment, ValueIndex)> = None;
    while at < to {
        while let Some(&(_, right, value)) = inner.get(next).filter(|&&(left, ..)| left <= at) {
            if best.is_none_or(|(most, _)| right > most) {
                best = Some((right, value));
            }
            next += 1;
        }
        match best {
            Some((right, value)) if right > at => {
                chain.push(value);
                at = right;
            }
            _ => break,
        }
    }
    chain
}

/// When something is surely in (populated), as intervals that are apart. `inner` is sorted. What ends at a moment and what begins at the
/// next one is apart: between them, nothing may be in.
pub(super) fn populated(inner: impl Iterator<Item = (Moment, Moment)>) -> Vec<(Moment, Moment)> {
    let mut segments: Vec<(Moment, Moment)> = Vec::new();
    for (left, right) in inner {
        match segments.last_mut() {
            Some((_, end)) if left < *end => *end = right.max(*end),
            _ => segments.push((left, right)),
        }
    }
    segments
}

/// Where removals that found nothing take effect.
#[derive(Clone, Debug)]
pub(super) struct Cuts {
    /// The values whose insertion and removal do not overlap, by when their insertion returned.
    pub apart: Vec<u32>,
    /// The others.
    pub overlapping: Vec<u32>,
    /// In the order of time: how many of `apart` come before, behind which moment, which removal.
    pub cuts: Vec<(usize, Moment, OperationIndex)>,
}

/// Finds, for each removal that found nothing, when nothing may be in between its call and its return (P3). O(n log n).
///
/// # Errors
/// [`Paused`] if somebody wants to stop. The violation, if there is no such moment.
pub(super) fn cut(completed: &Completed, budget: &mut Budget) -> Result<Result<Cuts, Violation>, Paused> {
    let pairs = &completed.pairs;
    budget.count(8 * (pairs.len() + completed.empty.len()) as u64)?;
    let (mut apart, overlapping): (Vec<u32>, Vec<u32>) =
        (0..pairs.len() as u32).partition(|&pair| pairs[pair as usize].inner().is_some());
    apart.sort_unstable_by_key(|&pair| pairs[pair as usize].insert.ret);
    let mut cuts = Vec::with_capacity(completed.empty.len());
    if completed.empty.is_empty() {
        return Ok(Ok(Cuts { apart, overlapping, cuts }));
    }
    let inner = || apart.iter().filter_map(|&pair| pairs[pair as usize].inner());
    let segments = populated(inner());
    // What is before the next deserted segment: populated ones, and values.
    let (mut before, mut values) = (0, 0);
    for &(removal, Interval { call, ret }) in &completed.empty {
        while segments.get(before).is_some_and(|&(start, _)| start <= call) {
            let end = segments[before].1;
            while apart.get(values).is_some_and(|&pair| pairs[pair as usize].insert.ret < end) {
                values += 1;
            }
            before += 1;
        }
        let start = before.checked_sub(1).map(|last| segments[last].1);
        if start.is_some_and(|start| start >= ret) {
            let sorted: Vec<_> = apart
                .iter()
                .map(|&pair| &pairs[pair as usize])
                .filter_map(|pair| pair.inner().map(|(left, right)| (left, right, pair.value)))
                .collect();
            return Ok(Err(Violation::NeverEmpty { removal, chain: chain(&sorted, call, ret) }));
        }
        cuts.push((values, start.map_or(call, |start| start.max(call)), removal));
    }
    Ok(Ok(Cuts { apart, overlapping, cuts }))
}
