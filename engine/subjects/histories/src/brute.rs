//! The slow way to decide a history: by definition, every order of its operations is tried.
//!
//! Nothing is shared with what is not slow: objects are lists that are searched from end to end.

use super::answer::{Linearization, Point};
use super::history::{Action, History, Moment, Object, OperationIndex, ValueIndex};

/// What is in: the values in the order of their insertion, a register's last, a counter's number.
#[derive(Clone, Debug, Default)]
struct Held {
    values: Vec<ValueIndex>,
    register: Option<ValueIndex>,
    number: i64,
}

/// Whether one name of a priority queue is before another one.
fn is_less(history: &History, a: ValueIndex, b: ValueIndex) -> bool {
    let all = |is: fn(&str) -> bool| (0..history.values.len() as u32).all(|value| is(history.values.name(value)));
    let (a, b) = (history.value(a), history.value(b));
    if all(|name| name.parse::<i64>().is_ok()) {
        a.parse::<i64>().unwrap_or_default() < b.parse::<i64>().unwrap_or_default()
    } else if all(|name| name.parse::<f64>().is_ok()) {
        a.parse::<f64>().unwrap_or_default() < b.parse::<f64>().unwrap_or_default()
    } else {
        a < b
    }
}

/// What is in after a value was taken out; `None` if it can't be taken now.
fn remove(history: &History, object: Object, held: &Held, value: ValueIndex) -> Option<Held> {
    let values = &held.values;
    let at = values.iter().position(|&other| other == value)?;
    let at = match object {
        Object::Stack => (values.last() == Some(&value)).then(|| values.len() - 1)?,
        Object::Queue => (at == 0).then_some(at)?,
        Object::PriorityQueue => (!values.iter().any(|&other| is_less(history, other, value))).then_some(at)?,
        Object::Set | Object::Multiset => at,
        Object::Register | Object::Counter => return None,
    };
    let mut held = held.clone();
    held.values.remove(at);
    Some(held)
}

/// What is in after an operation; `None` if the object does not do that now. Of a set, an insertion of what is in is no operation.
fn perform(history: &History, object: Object, held: &Held, action: Action) -> Option<Held> {
    let is_container = !matches!(object, Object::Register | Object::Counter);
    let mut next = held.clone();
    let fits = match action {
        Action::Insert(value) => {
            let is_in = held.values.contains(&value);
            next.values.push(value);
            is_container && !(object == Object::Set && is_in)
        }
        Action::Remove(value) => return remove(history, object, held, value),
        Action::RemoveAny => false,
        Action::RemoveNothing => is_container && held.values.is_empty(),
        Action::Contains(value, is_in) => is_container && held.values.contains(&value) == is_in,
        Action::Read(value) => object == Object::Register && held.register == Some(value),
        Action::Write(value) => {
            next.register = Some(value);
            object == Object::Register
        }
        Action::CompareAndSet { expected, new, succeeded } => {
            let fits = held.register == Some(expected);
            if fits {
                next.register = Some(new);
            }
            object == Object::Register && succeeded.is_none_or(|succeeded| succeeded == fits)
        }
        Action::Increase(by) => {
            next.number += by;
            object == Object::Counter
        }
        Action::Total(total) => object == Object::Counter && held.number == total,
    };
    fits.then_some(next)
}

struct Orders<'h> {
    history: &'h History,
    object: Object,
    is_done: Vec<bool>,
    /// What is done, in its order, and what pending removals took.
    order: Vec<(OperationIndex, Option<ValueIndex>)>,
}

impl Orders<'_> {
    /// Whether what is done can be gone on with to the end.
    fn go_on(&mut self, held: &Held) -> bool {
        let left = |orders: &Self, index: OperationIndex| !orders.is_done[index.index()];
        // Pending operations may never take effect.
        if self.history.indexed().all(|(index, operation)| operation.ret.is_none() || !left(self, index)) {
            return true;
        }
        for (index, operation) in self.history.indexed() {
            let must_wait = |orders: &Self| {
                orders.history.indexed().any(|(other, before)| left(orders, other) && before.precedes(operation))
            };
            if !left(self, index) || must_wait(self) {
                continue;
            }
            let mut ways = Vec::new();
            if operation.action == Action::RemoveAny {
                for value in (0..self.history.values.len() as u32).map(ValueIndex) {
                    ways.push((Some(value), remove(self.history, self.object, held, value)));
                }
            } else {
                ways.push((None, perform(self.history, self.object, held, operation.action)));
            }
            for (takes, next) in ways {
                let Some(next) = next else { continue };
                self.is_done[index.index()] = true;
                self.order.push((index, takes));
                if self.go_on(&next) {
                    return true;
                }
                self.order.pop();
                self.is_done[index.index()] = false;
            }
        }
        false
    }
}

/// A linearization, if there is one. Tries all orders of the operations in which none stands behind one that was called after it had
/// returned, with every choice of pending operations that take effect and of what a pending removal takes. Exponential, in time and depth of
/// recursion only linear: for histories of up to about nine operations.
pub fn find(history: &History, object: Object) -> Option<Linearization> {
    let held = Held { register: history.initial, ..Held::default() };
    let is_done = vec![false; history.operations.len()];
    let mut orders = Orders { history, object, is_done, order: Vec::new() };
    if !orders.go_on(&held) {
        return None;
    }
    let mut points = Vec::new();
    for (at, &(operation, takes)) in orders.order.iter().enumerate() {
        let calls = orders.order[..=at].iter().map(|&(before, _)| history.operation(before).call);
        points.push(Point { operation, after: calls.max().unwrap_or(Moment(0)), takes });
    }
    Some(Linearization { points })
}

/// Whether there is one ([`find`]).
pub fn is_linearizable(history: &History, object: Object) -> bool {
    find(history, object).is_some()
}
