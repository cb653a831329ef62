//! Histories under construction: what all formats have in common.
//!
//! A format says what it reads, operation by operation or event by event. What the names mean is only known when the
//! whole text was read, since the object is guessed from them.

use super::ReadOptions;
use super::lex::{self, Word};
use super::names::{self, Guess, Role, VERBS, Verb};
use crate::syntax::Diagnostic;
use crate::words;
use crate::{Action, History, Moment, Names, Object, Operation, Recording, ThreadIndex, ValueIndex};
use rustc_hash::FxHashMap;
use std::borrow::Cow;

/// How many errors are kept: whoever reads the first ones knows enough.
const MAX_DIAGNOSTICS: usize = 20;

/// A value's number, or a word that may be no value. Which it is depends on where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Code(u32);

impl Code {
    /// There was nothing to take out.
    pub(super) const EMPTY: Self = Self(u32::MAX);
    pub(super) const NIL: Self = Self(u32::MAX - 1);
    pub(super) const TRUE: Self = Self(u32::MAX - 2);
    pub(super) const FALSE: Self = Self(u32::MAX - 3);
    /// It is done, and there is no result.
    pub(super) const DONE: Self = Self(u32::MAX - 4);

    /// What a word without quotes means if it is no value.
    pub(super) fn of(word: &str) -> Option<Self> {
        Some(match word {
            "empty" | "EMPTY" | "Empty" => Self::EMPTY,
            "nil" | "null" | "none" | "None" | "NULL" => Self::NIL,
            "true" | "True" | "TRUE" => Self::TRUE,
            "false" | "False" | "FALSE" => Self::FALSE,
            "ok" | "OK" | "Ok" | "()" | "void" | "unit" => Self::DONE,
            _ => return None,
        })
    }

    /// How it is called as a value.
    const fn name(self) -> Option<&'static str> {
        match self {
            Self::EMPTY => Some("empty"),
            Self::NIL => Some("nil"),
            Self::TRUE => Some("true"),
            Self::FALSE => Some("false"),
            Self::DONE => Some("ok"),
            _ => None,
        }
    }

    const fn flag(self) -> Option<bool> {
        match self {
            Self::TRUE => Some(true),
            Self::FALSE => Some(false),
            _ => None,
        }
    }
}

/// What an operation was given and gave, in this order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Codes {
    list: [Code; 3],
    length: u8,
}

impl Default for Codes {
    fn default() -> Self {
        Self { list: [Code::NIL; 3], length: 0 }
    }
}

impl Codes {
    /// Adds one; `false` if there are too many.
    #[must_use]
    pub(super) fn push(&mut self, code: Code) -> bool {
        let place = self.list.get_mut(self.length as usize);
        let fits = place.is_some();
        if let Some(place) = place {
            *place = code;
            self.length += 1;
        }
        fits
    }

    pub(super) fn as_slice(&self) -> &[Code] {
        &self.list[..self.length as usize]
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Pending,
    /// Pending, in a text that writes results beside what was given.
    NeverReturns,
    Returned,
    /// It did not happen.
    Dropped,
}

/// An operation as written.
#[derive(Clone, Copy, Debug)]
struct Draft {
    verb: Verb,
    state: State,
    /// Whether its call says anything but its name.
    has_arguments: bool,
    codes: Codes,
    thread: u32,
    line: u32,
    /// Where its name stands.
    at: u32,
    /// Where its return stands; 0 if nowhere by itself.
    return_at: u32,
}

/// A history as written.
#[derive(Debug, Default)]
struct Book {
    name: String,
    object: Option<Object>,
    values: Names,
    /// What a register holds at first, and where that is said.
    initial: Option<(ValueIndex, usize)>,
    drafts: Vec<Draft>,
    times: Vec<(i64, Option<i64>)>,
    /// Whether calls and returns were written, not operations.
    has_events: bool,
    /// The names of its threads, if no other history has the same ones.
    threads: Option<Names>,
}

/// A number for each thread, for one history after the other. There may be as many histories as threads, and as many
/// threads as operations: so nothing is cleared in between.
#[derive(Debug, Default)]
struct PerThread {
    /// The history that a number is of, and the number.
    numbers: Vec<(usize, u32)>,
    history: usize,
}

impl PerThread {
    /// All threads are without a number again.
    fn clear(&mut self) {
        self.history += 1;
    }

    fn get(&self, thread: u32) -> Option<u32> {
        let found = self.numbers.get(thread as usize).filter(|(history, _)| *history == self.history);
        found.map(|(_, number)| *number)
    }

    fn set(&mut self, thread: u32, number: u32) {
        let thread = thread as usize;
        if self.numbers.len() <= thread {
            self.numbers.resize(thread + 1, (0, 0));
        }
        self.numbers[thread] = (self.history, number);
    }
}

/// What a thread is about.
#[derive(Clone, Copy, Debug)]
enum Busy {
    Idle,
    /// It has called the operation of this number of this history.
    Calls(u32, u32),
    /// It has called something that was refused.
    Lost,
    /// It gave an operation up, and does nothing from then on.
    Gone(u32),
}

/// How a format treats what is not the same in all of them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Customs {
    /// A removal that returns and says nothing has found nothing.
    pub(super) nothing_is_empty: bool,
    /// Operations of a thread may stand in any order.
    pub(super) any_order: bool,
    /// Registers hold `nil` at first.
    pub(super) begins_with_nil: bool,
    /// Threads have no names: those that an operation needs are made up.
    pub(super) is_threadless: bool,
}

/// An operation that is called.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    pub(super) book: usize,
    pub(super) thread: u32,
    pub(super) verb: Verb,
    pub(super) codes: Codes,
    /// Whether it names a value, however it returns.
    pub(super) has_arguments: bool,
    /// Where its name stands.
    pub(super) at: usize,
    pub(super) line: u32,
}

/// The text was given up; it was said why.
#[derive(Debug)]
pub(super) struct Wrong;

pub(super) struct Builder<'t> {
    pub(super) text: &'t str,
    options: &'t ReadOptions,
    customs: Customs,
    /// What `ReadOptions::map` says.
    map: Vec<(&'t str, Verb)>,
    books: Vec<Book>,
    named: FxHashMap<String, usize>,
    threads: Names,
    busy: Vec<Busy>,
    operations: usize,
    /// The time of the last event.
    now: i64,
    diagnostics: Vec<Diagnostic>,
    notes: Vec<Diagnostic>,
}

impl<'t> Builder<'t> {
    pub(super) fn new(text: &'t str, options: &'t ReadOptions, customs: Customs) -> Self {
        let mut builder = Self {
            text,
            options,
            customs,
            map: Vec::new(),
            books: Vec::new(),
            named: FxHashMap::default(),
            threads: Names::default(),
            busy: Vec::new(),
            operations: 0,
            now: i64::MIN,
            diagnostics: Vec::new(),
            notes: Vec::new(),
        };
        for (name, meaning) in &options.map {
            match Verb::of(meaning) {
                Some(verb) => builder.map.push((name, verb)),
                None => {
                    let message = format!("`{name}` is mapped to `{meaning}`, which is not a known operation");
                    builder.wrong(0, 0, message, KNOWN);
                }
            }
        }
        builder
    }

    /// Keeps an error about a piece of the text.
    pub(super) fn wrong(&mut self, start: usize, end: usize, message: impl Into<String>, help: impl Into<String>) {
        if !self.is_given_up() {
            let span = lex::span(self.text, start, end);
            self.diagnostics.push(Diagnostic::error(message, span).with_help(help));
        }
    }

    /// The same about the word that begins there.
    pub(super) fn wrong_word(&mut self, at: usize, message: impl Into<String>, help: impl Into<String>) {
        self.wrong(at, lex::word_end(self.text, at), message, help);
    }

    /// What is read is not as it has to be. A line without an end is probably torn.
    pub(super) fn wrong_syntax(&mut self, at: usize, message: impl Into<String>, help: impl Into<String>) {
        if self.is_given_up() {
            return;
        }
        let is_last = !self.text[self.text.floor_char_boundary(at)..].contains('\n');
        if is_last {
            self.wrong_word(at, message, "the last line seems incomplete: complete it, or leave it out");
        } else {
            self.wrong_word(at, message, help);
        }
    }

    /// Something else was expected at the cursor.
    pub(super) fn expected(&mut self, cursor: &lex::Cursor<'_>, what: &str, help: &str) {
        let mut rest = *cursor;
        let next = rest.peek();
        let end = lex::word_end(self.text, rest.at).clamp(rest.at, cursor.end.max(rest.at));
        let found = match next {
            None if rest.end >= self.text.len() => "the end of the text".to_owned(),
            None => "the end of the line".to_owned(),
            Some(_) => {
                let first = self.text[rest.at..].chars().next().map_or(0, char::len_utf8);
                let word = self.text.get(rest.at..end).filter(|word| !word.contains(is_symbol) && word.len() < 40);
                format!("`{}`", word.unwrap_or(&self.text[rest.at..rest.at + first]))
            }
        };
        self.wrong_syntax(rest.at, format!("expected {what}, found {found}"), help);
    }

    pub(super) fn note(&mut self, at: usize, message: impl Into<String>, help: &str) {
        if self.notes.len() < MAX_DIAGNOSTICS {
            let span = lex::span(self.text, at, lex::word_end(self.text, at));
            self.notes.push(Diagnostic::note(message, span).with_help(help));
        }
    }

    /// Whether there are so many errors that no more are looked for.
    pub(super) fn is_given_up(&self) -> bool {
        self.diagnostics.len() >= MAX_DIAGNOSTICS
    }

    /// Begins a history, even if another one has this name. What threads have called stays pending.
    pub(super) fn begin(&mut self, name: &str, object: Option<Object>) -> usize {
        let threads = std::mem::take(&mut self.threads);
        if let Some(last) = self.books.last_mut() {
            last.threads = Some(threads);
        }
        self.busy.clear();
        self.now = i64::MIN;
        self.books.push(Book { name: name.to_owned(), object, ..Book::default() });
        self.books.len() - 1
    }

    /// The history of a name; a new one at its first mention.
    pub(super) fn book(&mut self, name: &str) -> usize {
        if let Some(&book) = self.named.get(name) {
            return book;
        }
        self.books.push(Book { name: name.to_owned(), ..Book::default() });
        self.named.insert(name.to_owned(), self.books.len() - 1);
        self.books.len() - 1
    }

    /// Says what a history's object is.
    pub(super) fn set_object(&mut self, book: usize, object: Object) {
        self.books[book].object.get_or_insert(object);
    }

    /// Says what a register holds at first.
    pub(super) fn set_initial(&mut self, book: usize, value: &Word<'_>) {
        let book = &mut self.books[book];
        let number = ValueIndex(book.values.number(&value.text));
        if book.initial.replace((number, value.at)).is_some() {
            self.wrong_word(value.at, "the register has two initial values", "give it one");
        }
    }

    /// Threads have no names.
    pub(super) fn make_up_threads(&mut self) {
        self.customs.is_threadless = true;
    }

    pub(super) fn thread(&mut self, name: &str) -> u32 {
        self.threads.number(name)
    }

    /// What a name means, or an error.
    pub(super) fn verb(&mut self, name: &str, at: usize) -> Result<Verb, Wrong> {
        let mapped = self.map.iter().find(|(other, _)| *other == name).map(|(_, verb)| *verb);
        mapped.or_else(|| Verb::of(name)).ok_or_else(|| {
            let message = format!("`{}` is not a known operation", shortened(name));
            let help = format!("{KNOWN}; `--map {}=pop` says what another name means", shortened(name));
            self.wrong_word(at, message, help);
            Wrong
        })
    }

    /// The code of a word.
    pub(super) fn code(&mut self, book: usize, word: &Word<'_>) -> Code {
        let special = if word.is_quoted { None } else { Code::of(&word.text) };
        special.unwrap_or_else(|| Code(self.books[book].values.number(&word.text)))
    }

    /// A time that comes with an event, or the next one if events have none.
    pub(super) fn time(&mut self, time: Option<i64>, at: usize) -> i64 {
        let time = time.unwrap_or_else(|| self.now.max(-1).saturating_add(1));
        if time < self.now {
            let message = format!("time runs backwards: {time} comes after {}", self.now);
            self.wrong(at, lex::word_end(self.text, at), message, "put the events in order of time");
        } else {
            self.now = time;
        }
        self.now
    }

    /// An operation with its times.
    pub(super) fn interval(&mut self, call: Call, time: i64, ret: Option<i64>) -> Result<(), Wrong> {
        if let Some(ret) = ret.filter(|ret| *ret < time) {
            let message = format!("the operation returns at {ret}, before it is called at {time}");
            self.wrong_word(call.at, message, "the first time is that of the call, and the second that of the return");
        }
        self.push(call, if ret.is_some() { State::Returned } else { State::Pending }, (time, ret))
    }

    /// The same of an operation that our own text writes, with its result if it has one.
    pub(super) fn written_interval(&mut self, call: Call, time: i64, ret: Option<i64>) -> Result<(), Wrong> {
        match ret {
            None => self.push(call, State::NeverReturns, (time, None)),
            Some(_) => self.interval(call, time, ret),
        }
    }

    fn push(&mut self, call: Call, state: State, times: (i64, Option<i64>)) -> Result<(), Wrong> {
        if self.operations >= self.options.max_operations {
            let limit = words::grouped(self.options.max_operations as u64);
            // Nothing that comes behind is read.
            self.diagnostics.truncate(MAX_DIAGNOSTICS - 1);
            let help = "judge a part of the history, such as its first half";
            self.wrong_word(call.at, format!("there are more than {limit} operations"), help);
            return Err(Wrong);
        }
        self.operations += 1;
        let book = &mut self.books[call.book];
        book.times.push(times);
        book.drafts.push(Draft {
            verb: call.verb,
            state,
            has_arguments: call.has_arguments,
            codes: call.codes,
            thread: call.thread,
            line: call.line,
            at: call.at as u32,
            return_at: 0,
        });
        Ok(())
    }

    /// A thread calls an operation.
    pub(super) fn call(&mut self, call: Call, thread_at: usize, time: i64) -> Result<(), Wrong> {
        let thread = call.thread as usize;
        if self.busy.len() <= thread {
            self.busy.resize(thread + 1, Busy::Idle);
        }
        match self.busy[thread] {
            Busy::Idle | Busy::Lost => {}
            Busy::Calls(book, number) => {
                let line = self.books[book as usize].drafts[number as usize].line;
                let name = shortened(self.threads.name(call.thread));
                let message = format!("`{name}` calls an operation while its call in line {line} has not returned");
                self.wrong_word(thread_at, message, "let that one return first, or give this one a thread of its own");
            }
            Busy::Gone(line) => {
                let name = shortened(self.threads.name(call.thread));
                let message = format!("process `{name}` calls again, but its call in line {line} ended with `:info`");
                let help = "such an operation may end at any later time: give the next call another process number";
                self.wrong_word(thread_at, message, help);
            }
        }
        self.books[call.book].has_events = true;
        let number = self.books[call.book].drafts.len() as u32;
        self.busy[thread] = Busy::Calls(call.book as u32, number);
        self.push(call, State::Pending, (time, None))
    }

    /// What a thread has called was refused: neither is its return read.
    pub(super) fn lose(&mut self, thread: u32) {
        let thread = thread as usize;
        if self.busy.len() <= thread {
            self.busy.resize(thread + 1, Busy::Idle);
        }
        self.busy[thread] = Busy::Lost;
    }

    /// The history and the verb of what a thread has called and has not returned from, or an error.
    pub(super) fn called(&mut self, thread: u32, thread_at: usize) -> Result<(usize, Verb, Codes), Wrong> {
        match self.busy.get(thread as usize) {
            Some(&Busy::Calls(book, number)) => {
                let draft = &self.books[book as usize].drafts[number as usize];
                Ok((book as usize, draft.verb, draft.codes))
            }
            Some(Busy::Lost) => {
                self.busy[thread as usize] = Busy::Idle;
                Err(Wrong)
            }
            _ => {
                let name = shortened(self.threads.name(thread));
                let message = format!("`{name}` returns, but it has called nothing");
                self.wrong_word(thread_at, message, "write its call before, or leave the return out");
                Err(Wrong)
            }
        }
    }

    fn close(&mut self, thread: u32, after: Busy) -> Option<(&mut Draft, &mut (i64, Option<i64>))> {
        let busy = self.busy.get_mut(thread as usize)?;
        let Busy::Calls(book, number) = *busy else { return None };
        *busy = after;
        let book = &mut self.books[book as usize];
        Some((&mut book.drafts[number as usize], &mut book.times[number as usize]))
    }

    /// What a thread has called returns with this.
    pub(super) fn ret(&mut self, thread: u32, codes: &[Code], at: usize, time: i64) {
        let Some((draft, times)) = self.close(thread, Busy::Idle) else { return };
        draft.state = State::Returned;
        draft.return_at = at as u32;
        times.1 = Some(time);
        let fits = codes.iter().all(|code| draft.codes.push(*code));
        if !fits {
            self.wrong_word(at, "the operation returns too many values", "an operation returns at most one value");
        }
    }

    /// What a thread has called did not happen, or has found nothing where [`ReadOptions::fail_is_empty`] says so.
    pub(super) fn fail(&mut self, thread: u32, at: usize, time: i64) {
        let is_empty = self.options.fail_is_empty;
        let Some((draft, times)) = self.close(thread, Busy::Idle) else { return };
        draft.return_at = at as u32;
        if is_empty && draft.verb.is_removal() && !draft.has_arguments {
            draft.state = State::Returned;
            draft.codes.list[0] = Code::EMPTY;
            draft.codes.length = 1;
            times.1 = Some(time);
        } else {
            draft.state = State::Dropped;
        }
    }

    /// Nobody knows how what a thread has called ended.
    pub(super) fn give_up(&mut self, thread: u32) {
        let line = self.close(thread, Busy::Idle).map_or(0, |(draft, _)| draft.line);
        if let Some(busy) = self.busy.get_mut(thread as usize) {
            *busy = Busy::Gone(line);
        }
    }

    /// The histories and what is to be noted, or what is wrong.
    pub(super) fn finish(mut self) -> Result<(Recording, Vec<Diagnostic>), Vec<Diagnostic>> {
        let mut books = std::mem::take(&mut self.books);
        if let [first, .., last] = books.as_mut_slice()
            && first.threads.is_some()
        {
            last.threads = Some(std::mem::take(&mut self.threads));
        }
        let is_empty = books.iter().all(|book| book.drafts.is_empty());
        if is_empty && self.diagnostics.is_empty() {
            self.wrong(0, 0, "there are no operations", "such as `T1: push 1 [0,2]; pop 1 [4,5]`");
        }
        let mut recording = Recording::default();
        let mut numbers = PerThread::default();
        for mut book in books {
            if let Some(threads) = book.threads.take() {
                self.threads = threads;
            }
            if self.customs.is_threadless {
                self.make_threads(&mut book);
            } else {
                self.check_threads(&book, &mut numbers);
            }
            if let Some(object) = self.object(&book) {
                recording.histories.push(self.history(book, object, &mut numbers));
            }
        }
        let Self { mut diagnostics, notes, .. } = self;
        crate::sort::by_key(&mut diagnostics, |diagnostic| diagnostic.span.start);
        if diagnostics.is_empty() { Ok((recording, notes)) } else { Err(diagnostics) }
    }

    /// Gives each operation the first thread that is free.
    fn make_threads(&mut self, book: &mut Book) {
        let mut order: Vec<u32> = (0..book.drafts.len() as u32).collect();
        order.sort_unstable_by_key(|number| (book.times[*number as usize].0, *number));
        // When each busy thread returns, the earliest first, and threads that are free.
        let mut returns = std::collections::BinaryHeap::new();
        let mut free = std::collections::BinaryHeap::new();
        let mut threads = 0;
        for number in order {
            let (call, ret) = book.times[number as usize];
            while let Some(&std::cmp::Reverse((ret, thread))) = returns.peek()
                && ret < call
            {
                returns.pop();
                free.push(std::cmp::Reverse(thread));
            }
            let thread = free.pop().map_or(threads, |std::cmp::Reverse(thread)| thread);
            threads = threads.max(thread + 1);
            returns.extend(ret.map(|ret| std::cmp::Reverse((ret, thread))));
            book.drafts[number as usize].thread = self.threads.number(&format!("T{}", thread + 1));
        }
    }

    /// Whether no thread calls an operation before another one of its own has returned. Events were checked when they
    /// came.
    fn check_threads(&mut self, book: &Book, last: &mut PerThread) {
        if book.has_events {
            return;
        }
        let mut order: Vec<u32> = (0..book.drafts.len() as u32).collect();
        if self.customs.any_order {
            order.sort_unstable_by_key(|number| (book.times[*number as usize].0, *number));
        }
        last.clear();
        for number in order {
            let draft = &book.drafts[number as usize];
            let before = last.get(draft.thread);
            last.set(draft.thread, number);
            let Some(before) = before else { continue };
            let (call, ret) = book.times[number as usize];
            let (before_call, before_return) = book.times[before as usize];
            if before_return.is_some_and(|before| before <= call) {
                continue;
            }
            let before = &book.drafts[before as usize];
            let name = shortened(self.threads.name(draft.thread));
            let line = before.line;
            let is_backwards = call < before_call && ret.is_none_or(|ret| ret <= before_call);
            let (message, help) = match before_return {
                _ if is_backwards && !self.customs.any_order => (
                    format!(
                        "time runs backwards: `{name}` calls at {call}, but in the earlier line {line} at {before_call}"
                    ),
                    "put the operations of a thread in order of time",
                ),
                None => (
                    format!("`{name}` calls an operation, but its operation in line {line} never returns"),
                    "let that one return, or give this one a thread of its own",
                ),
                Some(before) => (
                    format!(
                        "`{name}` calls an operation at {call}, while its operation in line {line} lasts until \
                             {before}"
                    ),
                    "let that one return first, or give this one a thread of its own",
                ),
            };
            self.wrong_word(draft.at as usize, message, help);
        }
    }

    /// What a history's object is, guessed if nobody says it.
    fn object(&mut self, book: &Book) -> Option<Object> {
        if let Some(object) = self.options.object.or(book.object) {
            return Some(object);
        }
        let mut first = [u32::MAX; VERBS];
        let mut names_removed = true;
        for draft in &book.drafts {
            let first = &mut first[draft.verb as usize];
            *first = (*first).min(draft.at);
            names_removed &= !draft.verb.is_removal() || draft.has_arguments;
        }
        let has = |verb: Verb| first[verb as usize] < u32::MAX;
        let name = |verb: Verb| {
            let at = first[verb as usize] as usize;
            shortened(self.text.get(at..lex::word_end(self.text, at)).unwrap_or_default().trim_end()).into_owned()
        };
        const HELP: &str = "name the object: `history NAME stack` in the first line of our own text, or `--object \
                            stack`";
        match names::guess(has, names_removed) {
            Guess::Object(object, verb) => {
                let message = match name(verb) {
                    name if name.starts_with(|c: char| c.is_alphabetic()) => {
                        format!("the object counts as a {} because it has `{name}`", object.name())
                    }
                    _ => format!("the object counts as a {} because of its operations", object.name()),
                };
                self.note(first[verb as usize] as usize, message, HELP);
                Some(object)
            }
            Guess::Contradiction((a, object), (b, other)) => {
                let at = first[a as usize].max(first[b as usize]) as usize;
                let message = format!("a {} has no operations of a {}", object.name(), other.name());
                let help = "say what it is, with `--object stack`, or what a name means, with `--map deq=pop`";
                self.wrong_word(at, message, help);
                None
            }
            Guess::Nothing => {
                let at = book.drafts.first()?.at as usize;
                self.wrong_word(at, "the operations do not tell what the object is", HELP);
                None
            }
        }
    }

    fn history(&mut self, mut book: Book, object: Object, numbers: &mut PerThread) -> History {
        let drafts = std::mem::take(&mut book.drafts);
        let mut history = History { name: book.name, object: Some(object), ..History::default() };
        history.operations.reserve_exact(drafts.len());
        numbers.clear();
        let mut kept = 0;
        for (number, draft) in drafts.iter().enumerate() {
            let action = match draft.state {
                State::Dropped => continue,
                _ => {
                    Written { draft, object, nothing_is_empty: self.customs.nothing_is_empty }.action(&mut book.values)
                }
            };
            match action {
                Ok(Some(action)) => {
                    let thread = numbers.get(draft.thread).unwrap_or_else(|| {
                        let number = history.threads.number(self.threads.name(draft.thread));
                        numbers.set(draft.thread, number);
                        number
                    });
                    let thread = ThreadIndex(thread);
                    history.operations.push(Operation { thread, action, call: Moment(0), ret: None, line: draft.line });
                    book.times[kept] = book.times[number];
                    kept += 1;
                }
                Ok(None) => {}
                Err((message, help)) => {
                    let at = if draft.return_at > 0 { draft.return_at } else { draft.at };
                    self.wrong_word(at as usize, message, help);
                }
            }
        }
        drop(drafts);
        book.times.truncate(kept);
        history.settle(&book.times);
        if let Some((initial, at)) = book.initial {
            history.initial = Some(initial);
            if object != Object::Register {
                let message = format!("a {} is empty at first", object.name());
                self.wrong_word(at, message, "leave `init` out, or insert the value with an operation");
            }
        }
        if self.customs.begins_with_nil && object == Object::Register {
            history.initial = Some(ValueIndex(book.values.number("nil")));
        }
        // The numbers that a counter counts are no values.
        if object != Object::Counter {
            history.values = book.values;
        }
        history
    }
}

/// An operation of an object that is known by now.
struct Written<'d> {
    draft: &'d Draft,
    object: Object,
    nothing_is_empty: bool,
}

/// What is wrong, and what to do instead.
type Refused = (String, &'static str);

fn refused<T>(message: impl Into<String>, help: &'static str) -> Result<T, Refused> {
    Err((message.into(), help))
}

/// A code as a value.
fn value(code: Code, values: &mut Names) -> ValueIndex {
    ValueIndex(code.name().map_or(code.0, |name| values.number(name)))
}

/// A code as a number.
fn number(code: Code, values: &Names) -> Result<i64, Refused> {
    const HELP: &str = "counters count in whole numbers, such as 1 or -3";
    if let Some(name) = code.name() {
        return refused(format!("a number was expected, not `{name}`"), HELP);
    }
    let word = values.name(code.0);
    word.parse().or_else(|_| refused(format!("`{}` is not a 64-bit number", shortened(word)), HELP))
}

impl Written<'_> {
    fn is_pending(&self) -> bool {
        matches!(self.draft.state, State::Pending | State::NeverReturns)
    }

    /// Whether a result stands behind what it was given.
    fn has_result(role: Role, codes: &[Code]) -> bool {
        match role {
            Role::Read | Role::Total => !codes.is_empty(),
            // What it takes may be known although it never returns.
            Role::Remove => codes.len() > 1 || matches!(codes, [Code::EMPTY]),
            Role::CompareAndSet => codes.len() > 2,
            Role::Increase { .. } => codes.len() > 1 || matches!(codes, [Code::DONE | Code::TRUE | Code::NIL]),
            Role::Insert | Role::Contains | Role::Write => codes.len() > 1,
        }
    }

    /// Whether a result only says that the operation was done: it repeats what was given, or says nothing.
    fn is_done(code: Code, given: Code, values: &Names) -> bool {
        matches!(code, Code::DONE | Code::TRUE | Code::NIL)
            || code == given
            || code.name().is_none() && values.name(code.0).is_empty()
    }

    /// What it did; nothing if that does not matter.
    fn action(&self, values: &mut Names) -> Result<Option<Action>, Refused> {
        let Some(role) = self.draft.verb.role(self.object) else {
            let help = "say what the object is, with `--object stack`, or what the name means, with `--map deq=pop`";
            return refused(format!("a {} has no such operation", self.object.name()), help);
        };
        let codes = self.draft.codes.as_slice();
        if self.draft.state == State::NeverReturns && Self::has_result(role, codes) {
            let help = "leave the result out, or write when it returned, such as `[0,2]`";
            return refused("the operation never returns, but it has a result", help);
        }
        let is_query = matches!(role, Role::Contains | Role::Read | Role::Total);
        if is_query && self.is_pending() {
            return Ok(None);
        }
        match role {
            Role::Insert => self.insertion(codes, values),
            Role::Remove => self.removal(codes, values),
            Role::Contains => match *codes {
                [given, flag] if flag.flag().is_some() => {
                    Ok(Action::Contains(value(given, values), flag == Code::TRUE))
                }
                _ => refused("a query names a value and returns `true` or `false`", "such as `contains 3 true`"),
            },
            Role::Read => match *codes {
                [result] => Ok(Action::Read(value(result, values))),
                _ => refused("a read returns one value", "such as `read 3`"),
            },
            Role::Total => match *codes {
                [result] => number(result, values).map(Action::Total),
                _ => refused("a read of a counter returns one number", "such as `read 3`"),
            },
            Role::Write => match *codes {
                [given] => Ok(Action::Write(value(given, values))),
                [given, done] if Self::is_done(done, given, values) => Ok(Action::Write(value(given, values))),
                _ => refused("a write names one value and returns none", "such as `write 3`"),
            },
            Role::CompareAndSet => self.exchange(codes, values),
            Role::Increase { is_negative } => {
                let amount = match *codes {
                    [] | [Code::DONE | Code::TRUE | Code::NIL] => Ok(1),
                    [given] => number(given, values),
                    [given, done] if Self::is_done(done, given, values) => number(given, values),
                    _ => refused("an increase names one number and returns none", "such as `inc 3`"),
                }?;
                let amount = if is_negative { amount.checked_neg() } else { Some(amount) };
                amount.map_or_else(
                    || refused("the number is too large", "counters count in numbers of 64 bits"),
                    |amount| Ok(Action::Increase(amount)),
                )
            }
        }
        .map(Some)
    }

    fn insertion(&self, codes: &[Code], values: &mut Names) -> Result<Action, Refused> {
        match *codes {
            [given, Code::FALSE] if self.object == Object::Set => Ok(Action::Contains(value(given, values), true)),
            [_, Code::FALSE] => refused(
                format!("no insertion into a {} returns `false`", self.object.name()),
                "leave it out if it did not happen",
            ),
            [given] => Ok(Action::Insert(value(given, values))),
            [given, done] if Self::is_done(done, given, values) => Ok(Action::Insert(value(given, values))),
            [] => refused("an insertion names a value", "such as `push 3`"),
            _ => {
                refused("an insertion names one value and returns none", "such as `push 3`, or `add 3 false` of a set")
            }
        }
    }

    fn removal(&self, codes: &[Code], values: &mut Names) -> Result<Action, Refused> {
        let is_set = self.object == Object::Set;
        let counts = matches!(self.object, Object::Set | Object::Multiset);
        match *codes {
            [] | [Code::EMPTY | Code::NIL] if is_set => {
                refused("a removal from a set names its value", "such as `remove 3`")
            }
            [] if self.is_pending() => Ok(Action::RemoveAny),
            [] if !self.nothing_is_empty => {
                refused("the removal returned and does not say what it took", "write the value, or `empty`")
            }
            [] | [Code::EMPTY | Code::NIL] => Ok(Action::RemoveNothing),
            [given, Code::FALSE | Code::EMPTY] if counts => Ok(Action::Contains(value(given, values), false)),
            [given] => Ok(Action::Remove(value(given, values))),
            [given, done] if Self::is_done(done, given, values) => Ok(Action::Remove(value(given, values))),
            [given, taken] if self.draft.return_at > 0 => {
                let name = |code: Code| shortened(code.name().unwrap_or_else(|| values.name(code.0))).into_owned();
                let (given, taken, line) = (name(given), name(taken), self.draft.line);
                let help =
                    if counts { "write the same value in both, or in one" } else { "leave that of the call out" };
                refused(format!("the removal is called with `{given}` in line {line}, and returns `{taken}`"), help)
            }
            _ => refused("a removal takes one value", "such as `pop 3`, `pop empty`, or `remove 3 false` of a set"),
        }
    }

    fn exchange(&self, codes: &[Code], values: &mut Names) -> Result<Action, Refused> {
        let (expected, new, succeeded) = match *codes {
            [expected, new] if self.is_pending() => (expected, new, None),
            [expected, new, Code::DONE] => (expected, new, Some(true)),
            [expected, new, flag] if flag.flag().is_some() && !self.is_pending() => (expected, new, flag.flag()),
            _ => {
                let message = "a compare-and-set names two values and returns `true` or `false`";
                return refused(message, "such as `cas 1 2 true`");
            }
        };
        Ok(Action::CompareAndSet { expected: value(expected, values), new: value(new, values), succeeded })
    }
}

/// A help that names the usual operations.
pub(super) const KNOWN: &str = "known names are push, pop, enq, deq, add, remove, insert, delete-min, contains, read, \
                                write, cas, inc and their usual synonyms";

/// A name as messages quote it: not longer than a line, and on one.
pub(super) fn shortened(name: &str) -> Cow<'_, str> {
    const LONGEST: usize = 40;
    if name.len() <= LONGEST && !name.contains(char::is_control) {
        return Cow::Borrowed(name);
    }
    let plain = name.chars().map(|c| if c.is_control() { ' ' } else { c });
    let short: String = plain.take(LONGEST).collect();
    Cow::Owned(if name.chars().count() > LONGEST { short + "..." } else { short })
}

fn is_symbol(character: char) -> bool {
    matches!(character, ';' | ',' | '[' | ']' | '(' | ')' | '"' | '|' | ':' | '{' | '}')
}
