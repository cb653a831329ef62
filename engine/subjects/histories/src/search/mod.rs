//! The general search: orders of operations, one operation after the other.
//!
//! After J. M. Wing and C. Gong, *Testing and Verifying Concurrent Objects* (1993), with the memory of G. Lowe, *Testing for
//! Linearizability* (2017), as Porcupine has it, and with P-compositionality (A. Horn and D. Kroening, 2015): sets and multisets are
//! searched one value at a time where nothing ties values together. It goes on with any operation that was called before the first return of
//! one that has not taken effect, and goes back where there is none. In other points it is not as published:
//!
//! - A configuration is not the set of all operations that took effect, but the first return that is open, and which of the operations that are
//!   open at that moment took effect: all before it did, none behind it could. So its size goes with concurrency, not with the
//!   length of the history, and instead of a list from which calls and returns are taken there is a place in them that moves forth and back.
//! - Configurations are kept whole and compared whole, so no two are taken for the same that are not. For the contents of stacks and
//!   queues it is enough to know where they are in a tree that has all contents seen so far, each the one before it with one value more.
//! - Nothing is copied: what an operation did is undone.
//! - What never hurts is done at once, and nothing else is tried there (`Part::find_harmless` says what, and why).
//! - Of operations that can come next, the ones that have to return first are tried first, since they can't wait.
//! - Pending operations come last, may be left out, and of those that do the same only the first is tried.

mod held;
mod part;
mod seen;

use super::answer::{Answer, Linearization, Undecided, Violation};
use super::history::{Action, History, Object, Operation, OperationIndex, ValueIndex};
use super::object::place;
use crate::budget::{Budget, Halt, Meter, Paused};
use part::Part;

const NONE: u32 = u32::MAX;

/// Operations in the order in which they take effect, and what pending removals take.
type Order = Vec<(OperationIndex, Option<ValueIndex>)>;

/// What is searched by itself: the operations in the order of their calls, and the value that all are about, if there is one.
type Group = (Vec<OperationIndex>, Option<ValueIndex>);

/// The way to the shortest prefix without an order, once it is known that there is one.
///
/// How far the search went does not tell: it leaves out what can't go on, for the sake of what comes later.
#[derive(Debug)]
struct Narrowing {
    /// Who returns, in this order.
    returns: Vec<OperationIndex>,
    /// What is before the return of this one has an order.
    low: usize,
    /// With the return of this one it has none.
    high: usize,
    /// An order of what is before the return of `low`.
    order: Order,
    /// The search in what is up to the return of one between them, and which it is.
    probe: Option<(usize, Part)>,
    is_first: bool,
}

impl Narrowing {
    fn new(part: &Part) -> Self {
        let returns = part.events.iter().filter(|event| event.is_return);
        let returns: Vec<_> = returns.map(|event| part.pieces[event.operation as usize].index).collect();
        let (low, high) = (part.returns_before_furthest(), returns.len() - 1);
        Self { returns, low, high, order: part.furthest_order(), probe: None, is_first: true }
    }

    fn run(&mut self, history: &History, object: Object, group: &Group, meter: &mut Meter) -> Result<(), Halt> {
        while self.low < self.high {
            // The furthest that was found is often it.
            let at = if self.is_first { self.low } else { self.low.midpoint(self.high) };
            let (at, probe) = self.probe.get_or_insert_with(|| {
                let last = history.operation(self.returns[at]).ret;
                (at, Part::new(history, object, group, last))
            });
            let at = *at;
            if probe.run(meter)? {
                (self.low, self.order) = (at + 1, probe.order());
            } else {
                self.high = at;
                let reached = probe.returns_before_furthest();
                if reached > self.low {
                    (self.low, self.order) = (reached, probe.furthest_order());
                }
            }
            self.probe = None;
            self.is_first = false;
        }
        Ok(())
    }
}

/// The search for a linearization of a history of any object.
///
/// Exponential at worst, also to find the shortest prefix that is not linearizable, which [`Violation::NoOrder`] tells; if only that is more than the
/// limit, it tells the furthest return before which an order was found. It takes memory for each configuration that it has seen, in which there is a bit for each operation that is open at a
/// time, pending ones among them.
#[derive(Debug)]
pub struct Search<'h> {
    history: &'h History,
    object: Object,
    groups: Vec<Group>,
    /// The search in one of them, and which it is.
    part: Option<Part>,
    at: usize,
    /// Of the one that has no order.
    narrowing: Option<Narrowing>,
    /// The orders that were found.
    found: Vec<Order>,
    limit: u64,
    spent: u64,
    states: u64,
    answer: Option<Answer>,
}

impl<'h> Search<'h> {
    /// A search that may spend so many units of work ([`Meter`]) before it gives up, and hold a word for each eight of them.
    pub fn new(history: &'h History, object: Object, limit: u64) -> Self {
        Self {
            history,
            object,
            groups: groups(history, object),
            part: None,
            at: 0,
            narrowing: None,
            found: Vec::new(),
            limit,
            spent: 0,
            states: 0,
            answer: None,
        }
    }

    /// Whether the history is linearizable, and how, or up to where. To call it again after a pause goes on. To find out costs exponential
    /// time at worst; more than the limit is [`Answer::Unknown`].
    ///
    /// # Errors
    /// [`Paused`] if the budget is spent or somebody wants it to stop.
    pub fn run(&mut self, budget: &mut Budget) -> Result<Answer, Paused> {
        if let Some(answer) = &self.answer {
            return Ok(answer.clone());
        }
        let mut meter = Meter::new(self.limit, self.spent, budget);
        let outcome = self.all_groups(&mut meter);
        self.spent = self.limit - meter.left();
        let answer = match outcome {
            Ok(answer) => answer,
            Err(Halt::Limit) => Answer::Unknown(Undecided::Limit),
            Err(Halt::Paused) => return Err(Paused),
        };
        self.answer = Some(answer.clone());
        Ok(answer)
    }

    fn all_groups(&mut self, meter: &mut Meter) -> Result<Answer, Halt> {
        while let Some(group) = self.groups.get(self.at) {
            if let Some(narrowing) = &mut self.narrowing {
                match narrowing.run(self.history, self.object, group, meter) {
                    Err(Halt::Paused) => return Err(Halt::Paused),
                    // Then what was found has to do.
                    Ok(()) | Err(Halt::Limit) => {}
                }
                let operation = narrowing.returns[narrowing.low];
                return Ok(Answer::Not(Violation::NoOrder { operation }));
            }
            let part = self.part.get_or_insert_with(|| Part::new(self.history, self.object, group, None));
            let has_order = part.run(meter)?;
            self.states += part.seen.len() as u64;
            if has_order {
                self.found.push(part.order());
                self.at += 1;
            } else {
                self.narrowing = Some(Narrowing::new(part));
            }
            self.part = None;
        }
        let mut points = Vec::new();
        for order in &self.found {
            points.extend(place(self.history, order.iter().copied()).points);
        }
        if self.found.len() > 1 {
            // Operations with different values do not notice each other; of those with the same value the order stays.
            points.sort_by_key(|point| point.after);
        }
        Ok(Answer::Linearizable(Linearization { points }))
    }

    /// How many configurations were seen in which there was a choice.
    pub fn states(&self) -> u64 {
        self.states + self.part.as_ref().map_or(0, |part| part.seen.len() as u64)
    }

    /// How many units of work were spent.
    pub fn spent(&self) -> u64 {
        self.spent
    }

    /// Where there is no linearization: an order of all operations that return before the one that [`Violation::NoOrder`] names, and of
    /// others perhaps. Where nobody knows, the one that went furthest. Of sets and multisets that are searched by value, it is about one
    /// value alone. Empty if there is a linearization.
    pub fn longest(&self) -> Linearization {
        let order = match (&self.narrowing, &self.part) {
            (Some(narrowing), _) => narrowing.order.clone(),
            (None, Some(part)) => part.furthest_order(),
            (None, None) => Order::new(),
        };
        place(self.history, order)
    }
}

/// What can be searched by itself: of a set or multiset, the operations with each value if nothing is about several of them. What need not
/// take effect is left out: pending queries, and pending insertions of what nobody removes or finds.
fn groups(history: &History, object: Object) -> Vec<Group> {
    let mut is_wanted = vec![false; history.values.len()];
    let mut has_queries = false;
    let mut has_empty_removals = false;
    for operation in &history.operations {
        match operation.action {
            Action::Remove(value) | Action::Contains(value, true) => is_wanted[value.index()] = true,
            _ => {}
        }
        has_queries |= matches!(operation.action, Action::Contains(..)) && operation.ret.is_some();
        has_empty_removals |= operation.action == Action::RemoveNothing && operation.ret.is_some();
    }
    let is_bag = matches!(object, Object::Set | Object::Multiset);
    let is_needed = |operation: &Operation| {
        operation.ret.is_some()
            || match operation.action {
                Action::Insert(value) => is_wanted[value.index()],
                // To take more out of these only helps those who want it to be out.
                Action::RemoveAny => !is_bag || has_queries || has_empty_removals,
                Action::Remove(_) | Action::Write(_) | Action::Increase(_) => true,
                Action::CompareAndSet { succeeded, .. } => succeeded != Some(false),
                Action::Contains(..) | Action::RemoveNothing | Action::Read(_) | Action::Total(_) => false,
            }
    };
    let needed: Vec<(OperationIndex, &Operation)> =
        history.indexed().filter(|(_, operation)| is_needed(operation)).collect();
    let value_of = |action: Action| match action {
        Action::Insert(value) | Action::Remove(value) | Action::Contains(value, _) => Some(value),
        _ => None,
    };
    if !is_bag || needed.iter().any(|(_, operation)| value_of(operation.action).is_none()) {
        return vec![(needed.into_iter().map(|(index, _)| index).collect(), None)];
    }
    let mut groups = vec![Vec::new(); history.values.len()];
    for (index, operation) in needed {
        if let Some(value) = value_of(operation.action) {
            groups[value.index()].push(index);
        }
    }
    let groups = groups.into_iter().zip(0..).map(|(operations, value)| (operations, Some(ValueIndex(value))));
    groups.filter(|(operations, _)| !operations.is_empty()).collect()
}
