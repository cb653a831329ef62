//! Sets and multisets, one value at a time.
//!
//! After section 3.3 of the thesis, with a correction. A history of a set or multiset is linearizable iff what it does with each value is.
//! Of a multiset with insertions and removals alone, counting is enough: up to each moment, no more removals may have returned than
//! insertions were called.
//!
//! Of a set, the thesis counts insertions that returned as well (no more than removals called, and one), and has a greedy
//! algorithm, which lets operations take effect when they return, and others earlier only where the set would forbid it. Both accept
//! histories that are not linearizable ([`printed_counters`], [`printed_greedy`]; the smallest have five operations): they only count how
//! many operations took effect early, so that one may stand in for another that was called too late for it. Here it is a concrete
//! operation that takes effect early: of those that could, the one that returns first ([`judge_set`]). Where returns are not known ahead,
//! it is left open which one it was until one returns that may have been it ([`judge_set_online`]).
//!
//! A pending operation is one that returns behind everything else: it may take effect early, and never has to.

use super::answer::{Answer, Linearization, Point, Violation};
use super::history::{Action, History, Moment, OperationIndex, ValueIndex};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

const NONE: u32 = u32::MAX;

/// What a moment of a history is.
#[derive(Clone, Copy)]
struct Event {
    operation: OperationIndex,
    is_return: bool,
}

/// The calls and returns of a history in their order. Pending queries are left out: nobody knows what they found.
fn events(history: &History) -> Vec<(Moment, Event)> {
    let mut all =
        vec![(Moment(NONE), Event { operation: OperationIndex(NONE), is_return: false }); history.times.len()];
    for (index, operation) in history.indexed() {
        if operation.ret.is_none() && matches!(operation.action, Action::Contains(..)) {
            continue;
        }
        all[operation.call.index()] = (operation.call, Event { operation: index, is_return: false });
        if let Some(ret) = operation.ret {
            all[ret.index()] = (ret, Event { operation: index, is_return: true });
        }
    }
    all.retain(|(moment, _)| moment.0 != NONE);
    all
}

/// Whether [`judge_set`] and the others can judge a history of a set: insertions, removals of values, and queries.
pub fn is_plain_set(history: &History) -> bool {
    let mut actions = history.operations.iter().map(|operation| operation.action);
    actions.all(|action| matches!(action, Action::Insert(_) | Action::Remove(_) | Action::Contains(..)))
}

/// Whether [`judge_multiset`] can judge a history of a multiset: insertions, removals of values, and pending operations of any kind.
pub fn is_plain_multiset(history: &History) -> bool {
    history.operations.iter().all(|operation| match operation.action {
        Action::Insert(_) | Action::Remove(_) => true,
        Action::Contains(..) | Action::RemoveAny | Action::RemoveNothing => operation.ret.is_none(),
        _ => false,
    })
}

/// Decides a history of a multiset in linear time: insertions take effect when they are called, removals when they return. Pending removals
/// need not take effect, and do not.
///
/// `None` if it is not plain ([`is_plain_multiset`]): then only a search can tell.
pub fn judge_multiset(history: &History) -> Option<Answer> {
    if !is_plain_multiset(history) {
        return None;
    }
    /// Of a value: its insertions so far, in order; how many of them were removed.
    #[derive(Clone, Default)]
    struct Held {
        insertions: Vec<OperationIndex>,
        removals: Vec<OperationIndex>,
    }
    let mut held = vec![Held::default(); history.values.len()];
    let mut points = Vec::with_capacity(history.operations.len());
    for (moment, Event { operation, is_return }) in events(history) {
        match (history.operation(operation).action, is_return) {
            (Action::Insert(value), false) => {
                held[value.index()].insertions.push(operation);
                points.push(Point { operation, after: moment, takes: None });
            }
            (Action::Remove(value), true) => {
                let held = &mut held[value.index()];
                if held.removals.len() == held.insertions.len() {
                    let spent = held.insertions.iter().copied().zip(held.removals.iter().copied()).collect();
                    return Some(Answer::Not(Violation::NothingToLinearize { value, operation, spent }));
                }
                held.removals.push(operation);
                // It was called before its return, so there is a moment before.
                points.push(Point { operation, after: Moment(moment.0 - 1), takes: None });
            }
            _ => {}
        }
    }
    Some(Answer::Linearizable(Linearization { points }))
}

/// The two kinds of operations that change a set, as indices.
const INSERTIONS: usize = 0;
const REMOVALS: usize = 1;

/// What an operation of a set does: with which value, and for which of the two kinds it is, or which kind has to come before it for a query
/// to find what it found.
#[derive(Clone, Copy)]
struct Doing {
    value: ValueIndex,
    side: usize,
    is_query: bool,
}

fn doing(action: Action) -> Option<Doing> {
    Some(match action {
        Action::Insert(value) => Doing { value, side: INSERTIONS, is_query: false },
        Action::Remove(value) => Doing { value, side: REMOVALS, is_query: false },
        Action::Contains(value, true) => Doing { value, side: INSERTIONS, is_query: true },
        Action::Contains(value, false) => Doing { value, side: REMOVALS, is_query: true },
        _ => return None,
    })
}

/// What is known of a value of a set.
#[derive(Clone, Default)]
struct Held {
    /// Whether it is in.
    is_in: bool,
    /// Insertions and removals that were called and have not taken effect, by their returns; some that have are still there.
    active: [BinaryHeap<Reverse<(Moment, OperationIndex)>>; 2],
    /// Queries that were called and wait for the other state.
    waiting: Vec<OperationIndex>,
}

/// The greedy algorithm.
struct Greedy<'h> {
    history: &'h History,
    held: Vec<Held>,
    /// By operation: for the sake of which one it took effect; `NONE` before.
    because: Vec<u32>,
    points: Vec<Point>,
}

impl<'h> Greedy<'h> {
    fn new(history: &'h History) -> Self {
        Self {
            history,
            held: vec![Held::default(); history.values.len()],
            because: vec![NONE; history.operations.len()],
            points: Vec::with_capacity(history.operations.len()),
        }
    }

    fn is_done(&self, operation: OperationIndex) -> bool {
        self.because[operation.index()] != NONE
    }

    fn take_effect(&mut self, operation: OperationIndex, after: Moment, because: OperationIndex) {
        self.because[operation.index()] = because.0;
        self.points.push(Point { operation, after, takes: None });
    }

    /// An insertion or removal takes effect, and with it the queries that waited for it: all of them want the state that now is.
    fn flip(&mut self, value: ValueIndex, operation: OperationIndex, after: Moment, because: OperationIndex) {
        self.take_effect(operation, after, because);
        let held = &mut self.held[value.index()];
        held.is_in = !held.is_in;
        for query in std::mem::take(&mut held.waiting) {
            self.take_effect(query, after, query);
        }
    }

    /// Has an operation of this kind take effect before it has to: the one that returns first, since the others can wait longer.
    /// Says which; `None` if there is none.
    fn force(&mut self, doing: Doing, after: Moment, because: OperationIndex) -> Option<OperationIndex> {
        loop {
            let Reverse((_, operation)) = self.held[doing.value.index()].active[doing.side].pop()?;
            if !self.is_done(operation) {
                self.flip(doing.value, operation, after, because);
                return Some(operation);
            }
        }
    }

    fn call(&mut self, operation: OperationIndex, moment: Moment, doing: Doing) {
        let held = &mut self.held[doing.value.index()];
        if !doing.is_query {
            let ret = self.history.operation(operation).ret.unwrap_or(Moment(NONE));
            held.active[doing.side].push(Reverse((ret, operation)));
        } else if held.is_in == (doing.side == INSERTIONS) {
            self.take_effect(operation, moment, operation);
        } else {
            held.waiting.push(operation);
        }
    }

    /// Gives the operation that was forced, if one was.
    ///
    /// # Errors
    /// If there is none that could be.
    fn ret(
        &mut self,
        operation: OperationIndex,
        moment: Moment,
        doing: Doing,
    ) -> Result<Option<OperationIndex>, Violation> {
        if self.is_done(operation) {
            return Ok(None);
        }
        // There is one: the call of this operation.
        let after = Moment(moment.0 - 1);
        let is_in = self.held[doing.value.index()].is_in;
        // A query needs an operation of its side; an insertion a removal if the value is in, a removal an insertion if it is not.
        let needs = if doing.is_query { doing.side } else { 1 - doing.side };
        let mut forced = None;
        if doing.is_query || is_in == (doing.side == INSERTIONS) {
            forced = self.force(Doing { side: needs, ..doing }, after, operation);
            if forced.is_none() {
                return Err(self.violation(operation, moment, Doing { side: needs, ..doing }));
            }
        }
        if !doing.is_query {
            self.flip(doing.value, operation, after, operation);
        }
        Ok(forced)
    }

    fn violation(&self, operation: OperationIndex, moment: Moment, needs: Doing) -> Violation {
        nothing_to_linearize(self.history, &self.because, operation, moment, needs)
    }

    /// # Errors
    /// The violation.
    fn event(&mut self, moment: Moment, event: Event) -> Result<Option<OperationIndex>, Violation> {
        let Some(doing) = doing(self.history.operation(event.operation).action) else { return Ok(None) };
        if event.is_return {
            return self.ret(event.operation, moment, doing);
        }
        self.call(event.operation, moment, doing);
        Ok(None)
    }
}

fn nothing_to_linearize(
    history: &History,
    because: &[u32],
    operation: OperationIndex,
    moment: Moment,
    needs: Doing,
) -> Violation {
    let called = history.indexed().take_while(|(_, other)| other.call < moment);
    let kind = called.filter(|(_, other)| {
        doing(other.action)
            .is_some_and(|other| !other.is_query && other.side == needs.side && other.value == needs.value)
    });
    let spent = kind.map(|(index, _)| (index, OperationIndex(because[index.index()])));
    Violation::NothingToLinearize { value: needs.value, operation, spent: spent.collect() }
}

/// Decides a history of a set with the corrected greedy algorithm, in O(n log n) time for n operations: all values at once, in the order of
/// calls and returns. The linearization has each operation when it took effect: at its return, or earlier if the return of another one forced
/// it; a query that fits when it is called at once.
///
/// The thesis counts operations that take effect early; here they are chosen, since one that was called too
/// late must not stand in for another.
///
/// `None` if it is not plain ([`is_plain_set`]): then only a search can tell.
pub fn judge_set(history: &History) -> Option<Answer> {
    if !is_plain_set(history) {
        return None;
    }
    let mut greedy = Greedy::new(history);
    for (moment, event) in events(history) {
        if let Err(violation) = greedy.event(moment, event) {
            return Some(Answer::Not(violation));
        }
    }
    Some(Answer::Linearizable(Linearization { points: greedy.points }))
}

/// What the greedy algorithm does at a call or return.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetStep {
    /// When.
    pub moment: Moment,
    /// Who is called or returns.
    pub operation: OperationIndex,
    /// Whether it returns.
    pub is_return: bool,
    /// Whether the value is in afterwards.
    pub is_in: bool,
    /// Insertions and removals that were called and have not taken effect afterwards, in the order in which they return.
    pub active: Vec<OperationIndex>,
    /// Queries that were called and wait for the other state afterwards.
    pub waiting: Vec<OperationIndex>,
    /// What takes effect now, in this order.
    pub effects: Vec<OperationIndex>,
    /// The one of these whose turn was forced: it could have waited, but this return can't.
    pub forced: Option<OperationIndex>,
}

/// What the greedy algorithm does with one value, step by step, up to the violation if there is one: then the last step has no effects.
///
/// Takes O(n c log c) time for n operations with this value of which c are open at a time.
pub fn set_steps(history: &History, value: ValueIndex) -> (Vec<SetStep>, Option<Violation>) {
    let mut greedy = Greedy::new(history);
    let mut steps = Vec::new();
    for (moment, event) in events(history) {
        if doing(history.operation(event.operation).action).is_none_or(|doing| doing.value != value) {
            continue;
        }
        let before = greedy.points.len();
        let outcome = greedy.event(moment, event);
        let held = &greedy.held[value.index()];
        let mut active: Vec<_> = held.active.iter().flatten().map(|&Reverse(entry)| entry).collect();
        active.retain(|&(_, operation)| !greedy.is_done(operation));
        active.sort_unstable();
        steps.push(SetStep {
            moment,
            operation: event.operation,
            is_return: event.is_return,
            is_in: held.is_in,
            active: active.into_iter().map(|(_, operation)| operation).collect(),
            waiting: held.waiting.clone(),
            effects: greedy.points[before..].iter().map(|point| point.operation).collect(),
            forced: outcome.as_ref().ok().copied().flatten(),
        });
        if let Err(violation) = outcome {
            return (steps, Some(violation));
        }
    }
    (steps, None)
}

/// An operation that took effect early, without anybody knowing yet which one it is.
#[derive(Clone, Copy)]
struct Debt {
    /// The place among the points.
    point: u32,
    /// For the sake of which operation.
    because: OperationIndex,
}

/// The operations of one kind with a value, as they come.
#[derive(Clone, Default)]
struct Side {
    /// How many were called and have not returned, and of those that did not take effect early themselves.
    active: u32,
    debts: Vec<Debt>,
    /// By debt, with one behind the last: itself if nobody has paid it, else one that is not before the next that nobody has paid.
    next: Vec<u32>,
    outstanding: u32,
}

impl Side {
    /// The first debt from this one on that nobody has paid; the number of debts if there is none.
    fn unpaid(&mut self, debt: u32) -> u32 {
        let mut at = debt;
        while (at as usize) < self.next.len() && self.next[at as usize] != at {
            // Halves the path.
            let next = self.next[at as usize];
            self.next[at as usize] = self.next.get(next as usize).copied().unwrap_or(next);
            at = next;
        }
        at
    }

    fn owe(&mut self, debt: Debt) {
        self.next.push(self.debts.len() as u32);
        self.debts.push(debt);
        self.outstanding += 1;
    }

    fn pay(&mut self, debt: u32) -> Debt {
        self.next[debt as usize] = debt + 1;
        self.outstanding -= 1;
        self.debts[debt as usize]
    }
}

/// What is known of a value when returns are not known ahead.
#[derive(Clone, Default)]
struct Open {
    is_in: bool,
    sides: [Side; 2],
    waiting: Vec<OperationIndex>,
}

struct Online<'h> {
    history: &'h History,
    held: Vec<Open>,
    /// By operation: how many debts its side had when it was called.
    since: Vec<u32>,
    because: Vec<u32>,
    points: Vec<Point>,
}

impl Online<'_> {
    fn take_effect(&mut self, operation: OperationIndex, after: Moment, because: OperationIndex) {
        if operation.0 != NONE {
            self.because[operation.index()] = because.0;
        }
        self.points.push(Point { operation, after, takes: None });
    }

    fn flip(&mut self, value: ValueIndex, operation: OperationIndex, after: Moment, because: OperationIndex) {
        self.take_effect(operation, after, because);
        let held = &mut self.held[value.index()];
        held.is_in = !held.is_in;
        for query in std::mem::take(&mut held.waiting) {
            self.take_effect(query, after, query);
        }
    }

    fn call(&mut self, operation: OperationIndex, moment: Moment, doing: Doing) {
        let held = &mut self.held[doing.value.index()];
        if !doing.is_query {
            let side = &mut held.sides[doing.side];
            side.active += 1;
            self.since[operation.index()] = side.debts.len() as u32;
        } else if held.is_in == (doing.side == INSERTIONS) {
            self.take_effect(operation, moment, operation);
        } else {
            held.waiting.push(operation);
        }
    }

    /// Whether there was one to force.
    fn force(&mut self, needs: Doing, after: Moment, because: OperationIndex) -> bool {
        let side = &mut self.held[needs.value.index()].sides[needs.side];
        // Each that is active may be one that owes, or not: there have to be more than debts.
        if side.active == side.outstanding {
            return false;
        }
        side.owe(Debt { point: self.points.len() as u32, because });
        self.flip(needs.value, OperationIndex(NONE), after, because);
        true
    }

    /// Whether it could return.
    fn ret(&mut self, operation: OperationIndex, moment: Moment, doing: Doing) -> Result<(), Doing> {
        let after = Moment(moment.0 - 1);
        let since = self.since[operation.index()];
        let held = &mut self.held[doing.value.index()];
        if doing.is_query {
            let done = self.because[operation.index()] != NONE;
            return if done || self.force(doing, after, operation) { Ok(()) } else { Err(doing) };
        }
        // The oldest debt that came behind its call was its own: who could have paid it and returned before has paid an older one or this.
        let side = &mut held.sides[doing.side];
        side.active -= 1;
        let debt = side.unpaid(since);
        if (debt as usize) < side.debts.len() {
            let Debt { point, because } = side.pay(debt);
            self.points[point as usize].operation = operation;
            self.because[operation.index()] = because.0;
            return Ok(());
        }
        let needs = Doing { side: 1 - doing.side, ..doing };
        if held.is_in == (doing.side == INSERTIONS) && !self.force(needs, after, operation) {
            return Err(needs);
        }
        self.flip(doing.value, operation, after, operation);
        Ok(())
    }

    /// Has operations that have not returned pay what nobody has paid, up to a moment: debts and calls in their order.
    fn settle(&mut self, end: Moment) {
        for (index, operation) in self.history.indexed().take_while(|(_, operation)| operation.call < end) {
            let Some(doing) = doing(operation.action) else { continue };
            if doing.is_query || operation.ret.is_some_and(|ret| ret < end) {
                continue;
            }
            let since = self.since[index.index()];
            let side = &mut self.held[doing.value.index()].sides[doing.side];
            let debt = side.unpaid(since);
            if (debt as usize) < side.debts.len() {
                let Debt { point, because } = side.pay(debt);
                self.points[point as usize].operation = index;
                self.because[index.index()] = because.0;
            }
        }
    }
}

/// Decides a history of a set like [`judge_set`], but without knowing when what is open will return, so that it could follow a history while it
/// is made. In O(n α(n)) time for n operations.
///
/// That some operation took effect early is a debt; it is paid by the first operation to return that was called before. There may be no more
/// debts than open operations.
///
/// `None` if the history is not plain ([`is_plain_set`]).
pub fn judge_set_online(history: &History) -> Option<Answer> {
    if !is_plain_set(history) {
        return None;
    }
    let n = history.operations.len();
    let (since, because) = (vec![0; n], vec![NONE; n]);
    let held = vec![Open::default(); history.values.len()];
    let mut online = Online { history, held, since, because, points: Vec::with_capacity(n) };
    for (moment, Event { operation, is_return }) in events(history) {
        let Some(doing) = doing(history.operation(operation).action) else { continue };
        if !is_return {
            online.call(operation, moment, doing);
        } else if let Err(needs) = online.ret(operation, moment, doing) {
            online.settle(moment);
            let violation = nothing_to_linearize(history, &online.because, operation, moment, needs);
            return Some(Answer::Not(violation));
        }
    }
    online.settle(Moment(NONE));
    Some(Answer::Linearizable(Linearization { points: online.points }))
}

/// The condition by counting as the thesis prints it, which accepts too much: up to each moment, no more removals may have returned than
/// insertions were called, and no more insertions than removals were called, and one. Queries are passed over.
///
/// # Errors
/// The operation with whose return it fails.
pub fn printed_counters(history: &History) -> Result<(), OperationIndex> {
    // By value: called, returned.
    let mut counts = vec![([0_u32; 2], [0_u32; 2]); history.values.len()];
    for (_, Event { operation, is_return }) in events(history) {
        let Some(Doing { value, side, is_query: false }) = doing(history.operation(operation).action) else { continue };
        let (called, returned) = &mut counts[value.index()];
        let which = if is_return { &mut *returned } else { &mut *called };
        which[side] += 1;
        if returned[REMOVALS] > called[INSERTIONS] || returned[INSERTIONS] > called[REMOVALS] + 1 {
            return Err(operation);
        }
    }
    Ok(())
}

/// The greedy algorithm as the thesis prints it, which accepts too much: it only counts how many operations that are open took effect early,
/// so that one which was called too late may pass for one of them. And a query that returns has the state change if any query waits, be it
/// another one.
///
/// # Errors
/// The operation with whose return it fails.
pub fn printed_greedy(history: &History) -> Result<(), OperationIndex> {
    #[derive(Clone, Default)]
    struct Counts {
        is_in: bool,
        active: [u32; 2],
        early: [u32; 2],
        waiting: u32,
    }
    impl Counts {
        /// Changes the state by an operation that is open; whether there is one.
        fn force(&mut self) -> bool {
            let side = if self.is_in { REMOVALS } else { INSERTIONS };
            if self.active[side] == self.early[side] {
                return false;
            }
            self.early[side] += 1;
            self.flip();
            true
        }

        fn flip(&mut self) {
            self.is_in = !self.is_in;
            self.waiting = 0;
        }
    }
    let mut counts = vec![Counts::default(); history.values.len()];
    for (_, Event { operation, is_return }) in events(history) {
        let Some(Doing { value, side, is_query }) = doing(history.operation(operation).action) else { continue };
        let counts = &mut counts[value.index()];
        let fits = counts.is_in == (side == INSERTIONS);
        match (is_query, is_return) {
            (true, false) => counts.waiting += u32::from(!fits),
            (true, true) if counts.waiting > 0 && !counts.force() => return Err(operation),
            (true, true) => {}
            (false, false) => counts.active[side] += 1,
            (false, true) => {
                counts.active[side] -= 1;
                if counts.early[side] > 0 {
                    counts.early[side] -= 1;
                } else if fits && !counts.force() {
                    return Err(operation);
                } else {
                    counts.flip();
                }
            }
        }
    }
    Ok(())
}
