//! How operations are spelled, for all that writes.

use super::build::Code;
use super::{Format, lex};
use crate::syntax::Unprintable;
use crate::{Action, History, Object, Operation, OperationIndex, Recording};
use rustc_hash::FxHashSet;
use std::borrow::Cow;

/// What an operation was given, or gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item<'h> {
    Value(&'h str),
    Number(i64),
    Flag(bool),
    Empty,
}

/// An operation as it is written.
#[derive(Clone, Debug)]
pub(super) struct Spelling<'h> {
    pub(super) name: &'static str,
    pub(super) arguments: [Option<Item<'h>>; 2],
    /// What it gave; `None` if nothing, or if it is pending.
    pub(super) result: Option<Item<'h>>,
}

/// The kind of a history's object, by its operations if it is not said.
pub(super) fn object(history: &History) -> Result<Object, Unprintable> {
    let of = |operation: &Operation| match operation.action {
        Action::Insert(_) | Action::Remove(_) | Action::RemoveAny | Action::RemoveNothing => None,
        Action::Contains(..) => Some(Object::Set),
        Action::Read(_) | Action::Write(_) | Action::CompareAndSet { .. } => Some(Object::Register),
        Action::Increase(_) | Action::Total(_) => Some(Object::Counter),
    };
    let object = history.object.or_else(|| history.operations.iter().find_map(of));
    object.ok_or_else(|| Unprintable("the type of the object is unknown".to_owned()))
}

impl<'h> Spelling<'h> {
    pub(super) fn of(history: &'h History, operation: &Operation) -> Result<Self, Unprintable> {
        let object = object(history)?;
        let returned = operation.ret.is_some();
        let value = |value| Item::Value(history.value(value));
        let (insert, remove) = match object {
            Object::Stack => ("push", "pop"),
            Object::Queue => ("enq", "deq"),
            Object::PriorityQueue => ("insert", "delete-min"),
            Object::Set | Object::Multiset | Object::Register | Object::Counter => ("add", "remove"),
        };
        let (name, arguments, result) = match operation.action {
            Action::Insert(v) => (insert, [Some(value(v)), None], None),
            Action::Remove(v) if !returned || object == Object::Set => (remove, [Some(value(v)), None], None),
            Action::Remove(v) => (remove, [None; 2], Some(value(v))),
            Action::RemoveAny => (remove, [None; 2], None),
            Action::RemoveNothing => (remove, [None; 2], Some(Item::Empty)),
            Action::Contains(v, found) => ("contains", [Some(value(v)), None], Some(Item::Flag(found))),
            Action::Read(v) => ("read", [None; 2], Some(value(v))),
            Action::Write(v) => ("write", [Some(value(v)), None], None),
            Action::CompareAndSet { expected, new, succeeded } => {
                ("cas", [Some(value(expected)), Some(value(new))], succeeded.map(Item::Flag))
            }
            Action::Increase(by) => ("inc", [Some(Item::Number(by)), None], None),
            Action::Total(total) => ("read", [None; 2], Some(Item::Number(total))),
        };
        Ok(Self { name, arguments, result })
    }

    /// `push 1`, `cas 1 2 true`.
    pub(super) fn write(&self, out: &mut String) {
        self.write_call(out);
        self.write_result(out);
    }

    pub(super) fn write_call(&self, out: &mut String) {
        out.push_str(self.name);
        for item in self.arguments.iter().flatten() {
            out.push(' ');
            item.write(out);
        }
    }

    pub(super) fn write_result(&self, out: &mut String) {
        if let Some(result) = self.result {
            out.push(' ');
            result.write(out);
        }
    }
}

impl Item<'_> {
    /// As our own text has it.
    fn write(self, out: &mut String) {
        match self {
            Self::Value(value) => out.push_str(&word(value)),
            Self::Number(number) => out.push_str(&number.to_string()),
            Self::Flag(flag) => out.push_str(if flag { "true" } else { "false" }),
            Self::Empty => out.push_str("empty"),
        }
    }

    /// The same where nothing can stand in quotes.
    pub(super) fn plain(self, format: &str) -> Result<String, Unprintable> {
        match self {
            Self::Value(value) if !is_plain(value) => {
                Err(Unprintable(format!("{format} cannot write the value {value:?}")))
            }
            _ => {
                let mut out = String::new();
                self.write(&mut out);
                Ok(out)
            }
        }
    }
}

/// Whether a value can stand without quotes, and is taken for a value then.
fn is_plain(value: &str) -> bool {
    // A bar would end with `->` or, in a tuple, with `|`; and dashes at the end would be part of it.
    Code::of(value).is_none()
        && lex::is_word(value)
        && !value.ends_with('-')
        && !value.contains("->")
        && !value.contains('|')
}

/// A value as our own text has it: in quotes where it could be taken for something else.
pub fn word(value: &str) -> Cow<'_, str> {
    if is_plain(value) { Cow::Borrowed(value) } else { Cow::Owned(lex::quoted(value)) }
}

/// A call or a return.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    pub(super) operation: OperationIndex,
    pub(super) is_return: bool,
}

/// The calls and returns of a history in their order.
pub(super) fn events(history: &History) -> Result<Vec<Event>, Unprintable> {
    let mut events = vec![None; history.times.len()];
    for (operation, about) in history.indexed() {
        let moments = [(Some(about.call), false), (about.ret, true)];
        for (moment, is_return) in moments.into_iter().filter_map(|(moment, is)| Some((moment?, is))) {
            if let Some(event) = events.get_mut(moment.index()) {
                *event = Some(Event { operation, is_return });
            }
        }
    }
    let events: Vec<Event> = events.into_iter().flatten().collect();
    let mut is_busy = vec![false; history.threads.len()];
    for event in &events {
        let thread = history.operation(event.operation).thread;
        if is_busy[thread.index()] && !event.is_return {
            let name = history.thread(thread);
            let message = format!(
                "`{name}` calls an operation before another one returns, so the history needs a format with \
                         times"
            );
            return Err(Unprintable(message));
        }
        is_busy[thread.index()] = !event.is_return;
    }
    Ok(events)
}

/// Whether all objects of a recording are still there when it is read again. Our own text says where each begins, and is no history
/// only if nothing was done at all. Elsewhere, operations say which object they are of, so that those of one name are one.
pub(super) fn check_names(recording: &Recording, format: Format) -> Result<(), Unprintable> {
    let is_empty = |history: &History| history.operations.is_empty();
    if recording.histories.iter().all(is_empty) {
        return Err(Unprintable("there are no operations".to_owned()));
    }
    if matches!(format, Format::Text | Format::Calls | Format::Bars) {
        return Ok(());
    }
    let mut names = FxHashSet::default();
    for history in &recording.histories {
        let name = &history.name;
        if is_empty(history) {
            return Err(Unprintable(format!("{} cannot name an object without operations, {name:?}", format.name())));
        }
        if !names.insert(name.as_str()) {
            return Err(Unprintable(format!("{} cannot tell two objects named {name:?} apart", format.name())));
        }
    }
    Ok(())
}

/// The only history of a recording, for formats that have no place for several.
pub(super) fn only<'r>(recording: &'r Recording, format: &str) -> Result<&'r History, Unprintable> {
    match recording.histories.as_slice() {
        [history] if history.name.is_empty() => Ok(history),
        [history] => Err(Unprintable(format!("{format} has no place for the name of an object, {:?}", history.name))),
        histories => Err(Unprintable(format!("{format} has one object in a text, not {}", histories.len()))),
    }
}
