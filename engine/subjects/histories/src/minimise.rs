//! The few operations of a history that contradict each other, and the few facts about them that do.
//!
//! A history is made smaller as long as it is not linearizable, in three ways, each of which makes a linearizable history of a
//! linearizable one. So whatever remains at the end, contradicts the object in the whole history, too.
//!
//! - It ends earlier. What has not returned by then, may take effect or not. What it returned later is still known: a pending
//!   [`Action::Remove`] takes its value or none.
//! - It has fewer values: all operations of a value are left out, or a removal that found nothing.
//! - An operation is called earlier or returns later.

use super::answer::{Answer, Violation};
use super::history::{Action, History, Moment, Operation, OperationIndex, ValueIndex};
use crate::budget::{Budget, Paused};
use rustc_hash::{FxHashMap, FxHashSet};

/// Who says whether a history is linearizable.
pub type Judge<'a> = &'a dyn Fn(&History, &mut Budget) -> Result<Answer, Paused>;

/// That an operation returned before another one was called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fact {
    /// The one that returned.
    pub earlier: OperationIndex,
    /// The one that was called then.
    pub later: OperationIndex,
}

/// A history that is not linearizable, of which nothing can be left out.
#[derive(Clone, Debug)]
pub struct Minimal {
    /// It. Its values and threads have the numbers that they have in the whole history. Its operations are stretched, so those of a
    /// thread may overlap; its times are its moments.
    pub history: History,
    /// By operation of it: which one of the whole history it is.
    pub operations: Vec<OperationIndex>,
    /// Why it is not linearizable.
    pub violation: Violation,
    /// What cannot all be, about its operations. What follows from two other facts is left out. None if it was too long to be stretched
    /// (more than 1,000 operations).
    pub facts: Vec<Fact>,
}

/// Histories with more operations are not stretched: all operations of one value of a set may be as many as there are.
pub const MAX_STRETCHED: usize = 1_000;

/// A call or a return, by place of its operation.
type Event = (usize, bool);

/// What is tried.
struct Trial<'a> {
    /// With the names of the whole history, and the operations that are tried.
    history: History,
    judge: Judge<'a>,
}

impl Trial<'_> {
    /// Whether operations are not linearizable, and why.
    fn ask(&mut self, operations: Vec<Operation>, budget: &mut Budget) -> Result<Option<Violation>, Paused> {
        budget.count(8 * operations.len() as u64 + 64)?;
        let moments: usize = operations.iter().map(|about| 1 + usize::from(about.ret.is_some())).sum();
        self.history.times = (0..moments as i64).collect();
        self.history.operations = operations;
        // Nobody knows is as good as a yes: what remains is surely wrong.
        Ok(match (self.judge)(&self.history, budget)? {
            Answer::Not(violation) => Some(violation),
            _ => None,
        })
    }
}

/// The operations that were called among the first moments. Queries that have not returned by then have no effect and are left out.
/// Linear, unless some are.
fn prefix(operations: &[Operation], moments: usize) -> Kept {
    let called = operations.partition_point(|about| about.call.index() < moments);
    let mut kept = Kept::with_capacity(called);
    for (index, about) in (0..).map(OperationIndex).zip(&operations[..called]) {
        let ret = about.ret.filter(|ret| ret.index() < moments);
        let has_no_effect = matches!(
            about.action,
            Action::RemoveNothing
                | Action::Contains(..)
                | Action::Read(_)
                | Action::Total(_)
                | Action::CompareAndSet { succeeded: Some(false), .. }
        );
        if ret.is_some() || !has_no_effect {
            kept.push((index, Operation { ret, ..*about }));
        }
    }
    // Their moments are gaps.
    if kept.len() < called { settled(kept) } else { kept }
}

/// Numbers moments anew, from 0 on, in their order; operations stay in that of their calls. O(n log n).
fn settle(operations: &mut [Operation]) {
    let mut moments: Vec<(Moment, Event)> = Vec::with_capacity(2 * operations.len());
    for (place, about) in operations.iter().enumerate() {
        moments.push((about.call, (place, false)));
        moments.extend(about.ret.map(|ret| (ret, (place, true))));
    }
    moments.sort_unstable();
    place_events(operations, moments.into_iter().map(|(_, event)| event));
}

/// Gives events their moments.
fn place_events(operations: &mut [Operation], events: impl Iterator<Item = Event>) {
    for (moment, (place, is_return)) in (0..).map(Moment).zip(events) {
        match is_return {
            true => operations[place].ret = Some(moment),
            false => operations[place].call = moment,
        }
    }
}

/// The fewest for which a property holds that holds for `most`, and for more if for fewer: tried with 1, 2, 4, ..., then between.
fn fewest(most: usize, mut holds: impl FnMut(usize) -> Result<bool, Paused>) -> Result<usize, Paused> {
    let (mut fails, mut tried) = (0, 1);
    while tried < most && !holds(tried)? {
        fails = tried;
        tried *= 2;
    }
    let mut works = tried.min(most);
    while works - fails > 1 {
        let middle = fails + (works - fails) / 2;
        match holds(middle)? {
            true => works = middle,
            false => fails = middle,
        }
    }
    Ok(works)
}

/// What is left out together: the operations of a value, or one that has none. Places, those that went on longest first. Pending
/// removals are not among them, since without them less is linearizable.
fn groups(operations: &[Operation]) -> Vec<Vec<usize>> {
    let mut by_value: FxHashMap<ValueIndex, usize> = FxHashMap::default();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (place, about) in operations.iter().enumerate() {
        let value = match about.action {
            Action::Insert(value)
            | Action::Remove(value)
            | Action::Contains(value, _)
            | Action::Read(value)
            | Action::Write(value) => Some(value),
            Action::RemoveNothing => None,
            // What another value does here depends on this one.
            Action::CompareAndSet { .. } => return Vec::new(),
            Action::RemoveAny | Action::Increase(_) | Action::Total(_) => continue,
        };
        let next = groups.len();
        let group = value.map_or(next, |value| *by_value.entry(value).or_insert(next));
        if group == next {
            groups.push(Vec::new());
        }
        groups[group].push(place);
    }
    let last = |place: &usize| operations[*place].ret.unwrap_or(operations[*place].call);
    groups.sort_by_key(|group| std::cmp::Reverse(group.iter().map(last).max()));
    groups
}

/// The values and operations that a reason names; these alone are not linearizable.
fn named(violation: &Violation) -> (FxHashSet<ValueIndex>, Vec<OperationIndex>) {
    let (values, operations) = match violation {
        &Violation::RemovedTwice { first, second } => (Vec::new(), vec![first, second]),
        &Violation::NeverInserted { operation } | &Violation::NoOrder { operation } => (Vec::new(), vec![operation]),
        &Violation::RemovedBeforeInserted { removal, insertion } => (Vec::new(), vec![removal, insertion]),
        Violation::NeverEmpty { removal, chain } => (chain.clone(), vec![*removal]),
        &Violation::Critical { around, inside } => (vec![around, inside], Vec::new()),
        Violation::Stuck { chain, .. } => (chain.clone(), Vec::new()),
        &Violation::NothingToLinearize { value, .. } => (vec![value], Vec::new()),
    };
    (values.into_iter().collect(), operations)
}

/// Operations with what they are in the whole history.
type Kept = Vec<(OperationIndex, Operation)>;

/// The operations that are in none of the groups, or in those that are kept.
fn choose<'g>(kept: &Kept, groups: &[Vec<usize>], chosen: impl Iterator<Item = &'g Vec<usize>>) -> Kept {
    let mut is_kept = vec![true; kept.len()];
    for &place in groups.iter().flatten() {
        is_kept[place] = false;
    }
    for &place in chosen.flatten() {
        is_kept[place] = true;
    }
    settled(kept.iter().zip(is_kept).filter(|(_, is_kept)| *is_kept).map(|(about, _)| *about).collect())
}

/// The same with moments from 0 on, without gaps.
fn settled(kept: Kept) -> Kept {
    let (names, mut operations): (Vec<_>, Vec<_>) = kept.into_iter().unzip();
    settle(&mut operations);
    names.into_iter().zip(operations).collect()
}

fn operations_of(kept: &Kept) -> Vec<Operation> {
    kept.iter().map(|&(_, about)| about).collect()
}

/// The shortest prefix that is not linearizable. A logarithmic number of judgements.
fn shorten(trial: &mut Trial, whole: &History, budget: &mut Budget) -> Result<Kept, Paused> {
    let moments =
        whole.operations.iter().map(|about| about.ret.unwrap_or(about.call).max(about.call).index() + 1).max();
    let moments = fewest(moments.unwrap_or(0), |moments| {
        Ok(trial.ask(operations_of(&prefix(&whole.operations, moments)), budget)?.is_some())
    })?;
    Ok(prefix(&whole.operations, moments))
}

/// As few values as contradict each other: without any of them, the rest is linearizable. Some k log n judgements if k remain of n.
fn leave_out(trial: &mut Trial, kept: Kept, budget: &mut Budget) -> Result<Kept, Paused> {
    let all = groups(&operations_of(&kept));
    let mut candidates = all.clone();
    // The reason first: it names few of many. Its operations are places of what was tried.
    if let Some(violation) = trial.ask(operations_of(&kept), budget)? {
        let (values, places) = named(&violation);
        let is_named = |&place: &usize| {
            let by_value = match kept[place].1.action {
                Action::Insert(value) | Action::Remove(value) | Action::Contains(value, _) => values.contains(&value),
                _ => false,
            };
            by_value || places.iter().any(|operation| operation.index() == place)
        };
        let few: Vec<Vec<usize>> = all.iter().filter(|group| group.iter().any(is_named)).cloned().collect();
        if trial.ask(operations_of(&choose(&kept, &all, few.iter())), budget)?.is_some() {
            candidates = few;
        }
    }
    // Each one that is found has to stay: without it, those before it are not enough, and nothing behind it is needed.
    let mut needed: Vec<Vec<usize>> = Vec::new();
    loop {
        let chosen = choose(&kept, &all, needed.iter());
        if candidates.is_empty() || trial.ask(operations_of(&chosen), budget)?.is_some() {
            return Ok(chosen);
        }
        let first = fewest(candidates.len(), |first| {
            let chosen = choose(&kept, &all, needed.iter().chain(&candidates[..first]));
            Ok(trial.ask(operations_of(&chosen), budget)?.is_some())
        })?;
        candidates.truncate(first);
        needed.extend(candidates.pop());
    }
}

/// Leaves pending removals out if others removed all that there is: they have nothing to take.
fn leave_out_pending(trial: &mut Trial, kept: Kept, budget: &mut Budget) -> Result<Kept, Paused> {
    let mut left: FxHashMap<ValueIndex, i64> = FxHashMap::default();
    for (_, about) in &kept {
        match (about.action, about.ret) {
            (Action::Insert(value), _) => *left.entry(value).or_default() += 1,
            (Action::Remove(value), Some(_)) => *left.entry(value).or_default() -= 1,
            _ => {}
        }
    }
    if left.values().any(|&left| left > 0) {
        return Ok(kept);
    }
    let mut pending: Vec<Vec<usize>> = Vec::new();
    for (place, (_, about)) in kept.iter().enumerate() {
        if about.action == Action::RemoveAny {
            pending.push(vec![place]);
        }
    }
    let fewer = choose(&kept, &pending, std::iter::empty());
    let is_wrong = trial.ask(operations_of(&fewer), budget)?.is_some();
    Ok(if is_wrong { fewer } else { kept })
}

/// Calls operations as early, and lets them return as late, as the violation lasts: some n log n judgements.
fn stretch(trial: &mut Trial, kept: Kept, budget: &mut Budget) -> Result<Kept, Paused> {
    let mut events: Vec<(Moment, Event)> = Vec::new();
    for (place, (_, about)) in kept.iter().enumerate() {
        events.push((about.call, (place, false)));
        events.extend(about.ret.map(|ret| (ret, (place, true))));
    }
    events.sort_unstable();
    let mut events: Vec<Event> = events.into_iter().map(|(_, event)| event).collect();
    let place = |events: &[Event]| -> Kept {
        let (names, mut operations): (Vec<_>, Vec<_>) = kept.iter().copied().unzip();
        place_events(&mut operations, events.iter().copied());
        let mut placed: Kept = names.into_iter().zip(operations).collect();
        placed.sort_unstable_by_key(|(_, about)| about.call);
        placed
    };
    for event in events.clone() {
        let (_, is_return) = event;
        let Some(at) = events.iter().position(|other| *other == event) else { continue };
        // Places where it might go, the farthest first: next to an event of the other kind. The last is where it is.
        let mut targets: Vec<usize> = if is_return {
            (at + 1..events.len()).rev().filter(|&other| !events[other].1).collect()
        } else {
            (0..at).filter(|&other| events[other].1).collect()
        };
        if targets.is_empty() {
            continue;
        }
        targets.push(at);
        let moved = |target: usize| {
            let mut moved = events.clone();
            moved.remove(at);
            moved.insert(target, event);
            moved
        };
        let first = fewest(targets.len(), |first| {
            Ok(trial.ask(operations_of(&place(&moved(targets[first - 1]))), budget)?.is_some())
        })?;
        events = moved(targets[first - 1]);
    }
    Ok(place(&events))
}

/// What returned before what was called, without what follows from others.
fn facts(operations: &[Operation]) -> Vec<Fact> {
    let mut facts = Vec::new();
    for (later, about) in (0..).map(OperationIndex).zip(operations) {
        let before = || (0..).map(OperationIndex).zip(operations).filter(|(_, other)| other.precedes(about));
        // Whoever returned before this call, returned before `later` was called by way of who was called then.
        let Some(called) = before().map(|(_, other)| other.call).max() else { continue };
        let direct = before().filter(|(_, other)| other.ret.is_some_and(|ret| ret > called));
        facts.extend(direct.map(|(earlier, _)| Fact { earlier, later }));
    }
    facts
}

/// Makes a history as small as it can be while it is not linearizable: the shortest prefix; of it, as few values as can be; of these,
/// calls as early and returns as late as can be. `None` if the judge does not say that it is not linearizable.
///
/// What remains has no value that could be left out, nor an operation that could be stretched; that is not to say that nothing else has
/// fewer. All values stay if there are operations that compare and set: what these do, depends on several.
///
/// Some (k + 1) log n judgements of the history or less of it, if k values remain, and some m log m of what remains, m operations.
///
/// # Errors
/// [`Paused`] if somebody wants to stop.
pub fn minimise(history: &History, judge: Judge, budget: &mut Budget) -> Result<Option<Minimal>, Paused> {
    if !matches!(judge(history, budget)?, Answer::Not(_)) {
        return Ok(None);
    }
    let mut trial = Trial { history: history.clone(), judge };
    let kept = shorten(&mut trial, history, budget)?;
    let kept = leave_out(&mut trial, kept, budget)?;
    let kept = leave_out_pending(&mut trial, kept, budget)?;
    let is_short = kept.len() <= MAX_STRETCHED;
    let kept = if is_short { stretch(&mut trial, kept, budget)? } else { kept };
    let (operations, about): (Vec<_>, Vec<_>) = kept.into_iter().unzip();
    let facts = if is_short { facts(&about) } else { Vec::new() };
    let Some(violation) = trial.ask(about, budget)? else { return Ok(None) };
    Ok(Some(Minimal { history: trial.history, operations, violation, facts }))
}
