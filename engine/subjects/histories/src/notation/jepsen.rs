//! Jepsen's operation maps, however they are written: each says that a process calls or ends an operation.

use super::build::{Builder, Call, Code, Codes, Wrong};
use super::lex::Word;
use super::names::{self, Verb};
use super::spell::{self, Item, Spelling};
use crate::syntax::Unprintable;
use crate::{History, Object, Operation, Recording};
use std::borrow::Cow;

/// Part of an operation map.
#[derive(Clone, Debug)]
pub(super) enum Datum<'t> {
    Nil,
    Flag(bool),
    Word(Word<'t>),
    /// Several, and how they are written.
    List(Vec<Datum<'t>>, Cow<'t, str>),
}

impl<'t> Datum<'t> {
    /// How it is called as a key or a value.
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Nil => "nil",
            Self::Flag(true) => "true",
            Self::Flag(false) => "false",
            Self::Word(word) => &word.text,
            Self::List(_, text) => text,
        }
    }

    pub(super) fn code(&self, builder: &mut Builder<'_>, book: usize) -> Code {
        match self {
            Self::Nil => Code::NIL,
            Self::Flag(true) => Code::TRUE,
            Self::Flag(false) => Code::FALSE,
            Self::Word(word) => builder.code(book, word),
            Self::List(_, text) => builder.code(book, &Word { text: Cow::Borrowed(text), is_quoted: true, at: 0 }),
        }
    }

    /// What it says of an operation; nothing if it says too much.
    fn codes(&self, builder: &mut Builder<'_>, book: usize, verb: Verb) -> Option<Codes> {
        let mut codes = Codes::default();
        let fits = match self {
            Self::List(items, _) if matches!(verb, Verb::CompareAndSet | Verb::Contains) => {
                items.iter().all(|item| codes.push(item.code(builder, book)))
            }
            _ => codes.push(self.code(builder, book)),
        };
        fits.then_some(codes)
    }

    fn is_nil(&self) -> bool {
        matches!(self, Self::Nil)
    }
}

/// What an operation map says of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Invoke,
    Ok,
    Fail,
    Info,
}

impl Kind {
    pub(super) fn of(word: &str) -> Option<Self> {
        Some(match word.strip_prefix(':').unwrap_or(word) {
            "invoke" => Self::Invoke,
            "ok" => Self::Ok,
            "fail" => Self::Fail,
            "info" => Self::Info,
            _ => return None,
        })
    }
}

/// An operation map.
#[derive(Clone, Debug)]
pub(super) struct Event<'t> {
    pub(super) kind: Kind,
    pub(super) process: Cow<'t, str>,
    pub(super) name: Cow<'t, str>,
    pub(super) value: Datum<'t>,
    pub(super) time: Option<i64>,
    pub(super) key: Option<Cow<'t, str>>,
    pub(super) object: Option<Cow<'t, str>>,
    /// Where it begins.
    pub(super) at: usize,
    /// Where its name stands.
    pub(super) name_at: usize,
    pub(super) line: u32,
}

/// What was read so far.
#[derive(Debug, Default)]
pub(super) struct Reader {
    /// Whether values come with keys: the first operation tells.
    has_keys: Option<bool>,
}

impl Reader {
    pub(super) fn event(&mut self, builder: &mut Builder<'_>, event: &Event<'_>) -> Result<(), Wrong> {
        if builder.is_given_up() {
            return Err(Wrong);
        }
        let thread = builder.thread(&event.process);
        let time = builder.time(event.time, event.at);
        match event.kind {
            Kind::Invoke => self.invoke(builder, event, thread, time),
            Kind::Ok => {
                self.ok(builder, event, thread, time);
                Ok(())
            }
            Kind::Fail => {
                if builder.called(thread, event.at).is_ok() {
                    builder.fail(thread, event.at, time);
                }
                Ok(())
            }
            Kind::Info => {
                if builder.called(thread, event.at).is_ok() {
                    builder.give_up(thread);
                }
                Ok(())
            }
        }
    }

    fn invoke(&mut self, builder: &mut Builder<'_>, event: &Event<'_>, thread: u32, time: i64) -> Result<(), Wrong> {
        let Ok(verb) = builder.verb(&event.name, event.name_at) else {
            builder.lose(thread);
            return Ok(());
        };
        let has_keys = *self.has_keys.get_or_insert_with(|| match &event.value {
            Datum::List(items, _) => match items.as_slice() {
                [_, second] => verb != Verb::CompareAndSet || matches!(second, Datum::List(..)),
                _ => false,
            },
            _ => false,
        });
        let Some((key, value)) = keyed(has_keys, &event.value) else {
            let help = "the first operation has a pair `[key value]`, so the others must have one too";
            builder.wrong_word(event.at, "the value comes without a key", help);
            builder.lose(thread);
            return Ok(());
        };
        let book = builder.book(event.key.as_deref().or(key).unwrap_or_default());
        if let Some(object) = event.object.as_deref().and_then(names::object) {
            builder.set_object(book, object);
        }
        let codes = if value.is_nil() { Some(Codes::default()) } else { value.codes(builder, book, verb) };
        let Some(codes) = codes else {
            builder.wrong_word(
                event.name_at,
                "the operation has too many values",
                "an operation names at most two \
                                                                                    values",
            );
            builder.lose(thread);
            return Ok(());
        };
        let has_arguments = !codes.as_slice().is_empty();
        let call = Call { book, thread, verb, codes, has_arguments, at: event.name_at, line: event.line };
        builder.call(call, event.at, time)
    }

    fn ok(&mut self, builder: &mut Builder<'_>, event: &Event<'_>, thread: u32, time: i64) {
        let Ok((book, verb, given)) = builder.called(thread, event.at) else { return };
        if !event.name.is_empty() && builder.verb(&event.name, event.name_at).is_ok_and(|other| other != verb) {
            let message = "the return is of another operation than the call";
            builder.wrong_word(event.name_at, message, "use the same `:f` in both");
        }
        let Some((_, value)) = keyed(self.has_keys == Some(true), &event.value) else {
            builder.wrong_word(event.at, "the value comes without a key", "such as `[key value]`, as in the call");
            return;
        };
        let given = given.as_slice();
        let mut result = Codes::default();
        // A result repeats what was given, or is all that there is.
        if !value.is_nil() || given.is_empty() {
            let Some(codes) = value.codes(builder, book, verb) else {
                builder.wrong_word(
                    event.at,
                    "the operation returns too many values",
                    "an operation returns at most \
                                                                                       one value",
                );
                return;
            };
            let all = codes.as_slice();
            let rest = all.strip_prefix(given).unwrap_or(all);
            for code in rest {
                let _ = result.push(*code);
            }
        }
        if verb == Verb::CompareAndSet && result.as_slice().is_empty() {
            let _ = result.push(Code::TRUE);
        }
        builder.ret(thread, result.as_slice(), event.at, time);
    }
}

/// The key and the value of `[key value]`; nothing if it has to be such a pair and is none.
fn keyed<'d, 't>(has_keys: bool, value: &'d Datum<'t>) -> Option<(Option<&'d str>, &'d Datum<'t>)> {
    if !has_keys {
        return Some((None, value));
    }
    match value {
        Datum::List(items, _) => match items.as_slice() {
            [key, value] => Some((Some(key.text()), value)),
            _ => None,
        },
        _ => None,
    }
}

/// A call or a return to be written.
pub(super) struct Written<'h> {
    pub(super) history: &'h History,
    pub(super) operation: &'h Operation,
    pub(super) kind: Kind,
    pub(super) name: &'static str,
    /// What `:value` has, one of it, several, or none.
    pub(super) value: Vec<Item<'h>>,
    pub(super) time: i64,
    /// Whether the value is a pair with the history's name.
    pub(super) has_keys: bool,
    /// The object, where it has to be said.
    pub(super) object: Option<Object>,
}

/// Calls and returns of all histories of a recording, in the order of time.
///
/// # Errors
/// If an operation map cannot say something of it.
pub(super) fn written(recording: &Recording) -> Result<Vec<Written<'_>>, Unprintable> {
    let has_keys = recording.histories.iter().any(|history| !history.name.is_empty());
    if recording.histories.len() > 1 && !has_keys {
        return Err(Unprintable(
            "operation maps tell objects apart by name, but these objects have no names".to_owned(),
        ));
    }
    let mut all = Vec::new();
    for history in &recording.histories {
        if history.initial.is_some_and(|initial| history.value(initial) != "nil") {
            return Err(Unprintable("registers hold `nil` at first in Jepsen's histories".to_owned()));
        }
        let object = said_object(history)?;
        for event in spell::events(history)? {
            let operation = history.operation(event.operation);
            let spelling = Spelling::of(history, operation)?;
            let name = match spelling.name {
                "enq" => "enqueue",
                "deq" => "dequeue",
                other => other,
            };
            let mut value: Vec<Item<'_>> = spelling.arguments.into_iter().flatten().collect();
            let moment = if event.is_return { operation.ret.unwrap_or(operation.call) } else { operation.call };
            // That a compare-and-set succeeded is said by `:ok`.
            if event.is_return && (name == "contains" || spelling.result != Some(Item::Flag(true))) {
                value.extend(spelling.result);
            }
            let kind = if event.is_return { Kind::Ok } else { Kind::Invoke };
            let time = history.times[moment.index()];
            all.push(Written { history, operation, kind, name, value, time, has_keys, object });
        }
    }
    if recording.histories.len() > 1 {
        // The calls of one time come first: so they do in each history.
        all.sort_by_key(|event| (event.time, event.kind == Kind::Ok));
        let mut is_busy = rustc_hash::FxHashSet::default();
        for event in &all {
            let name = event.history.thread(event.operation.thread);
            let is_right = if event.kind == Kind::Ok { is_busy.remove(name) } else { is_busy.insert(name) };
            if !is_right {
                return Err(Unprintable(format!("`{name}` calls operations of several objects at once")));
            }
        }
    }
    Ok(all)
}

/// The object of a history if its operations do not tell it by themselves.
pub(super) fn said_object(history: &History) -> Result<Option<Object>, Unprintable> {
    let object = spell::object(history)?;
    let mut verbs = Vec::new();
    let mut names_removed = true;
    for operation in &history.operations {
        let spelling = Spelling::of(history, operation)?;
        let verb = Verb::of(spelling.name);
        if let Some(verb) = verb.filter(|verb| !verbs.contains(verb)) {
            verbs.push(verb);
        }
        names_removed &= !verb.is_some_and(Verb::is_removal) || spelling.arguments[0].is_some();
    }
    let guess = names::guess(|verb| verbs.contains(&verb), names_removed);
    Ok((!matches!(guess, names::Guess::Object(guessed, _) if guessed == object)).then_some(object))
}
