//! Our own text: operations with times, or calls and returns in their order.

use super::bars;
use super::build::{Builder, Call, Code, Codes, Wrong};
use super::lex::{Cursor, Line, Word, is_word, lines};
use super::names;
use super::spell::{self, Spelling};
use crate::syntax::Unprintable;
use crate::{History, Moment, Object, Recording, ThreadIndex};
use std::fmt::Write as _;

const LINES: &str = "lines are `T1: push 1 [0,2]; pop 1 [4,5]`, `T1 call push 1`, `T1 return` or `T1: |-push 1-|`";
const OPERATIONS: &str = "operations are `push 1 [0,2]`, `pop 1 [4,5]`, `pop empty [6,7]`, separated by `;`";
const TIMES: &str = "times are those of the call and the return, such as `[0,2]`, or `[0,?]` without a return";

/// How the lines of a history are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Intervals,
    Calls,
    Bars,
}

/// The name and the object that the first line of a history gives it; `None` if it is another line.
pub(super) fn title(line: &str) -> Option<(&str, Option<Object>)> {
    let rest = line.trim().strip_prefix("history")?;
    if !rest.is_empty() && !rest.starts_with([' ', '\t', '#']) || rest.trim_start().starts_with([':', '=', '(']) {
        return None;
    }
    // A comment behind the name is none of it.
    let end = [" //", " #", "\t//", "\t#"].into_iter().filter_map(|mark| rest.find(mark)).min();
    let rest = rest[..end.unwrap_or(rest.len())].trim();
    if rest.starts_with('#') {
        return Some(("", None));
    }
    let (name, last) = rest.rsplit_once([' ', '\t']).unwrap_or(("", rest));
    Some(match names::object(last) {
        Some(object) => (name.trim_end(), Some(object)),
        None => (rest, None),
    })
}

pub(super) fn read(builder: &mut Builder<'_>) -> Result<(), Wrong> {
    let text = builder.text;
    let mut book = None;
    let mut kind = None;
    let mut drawing = bars::Drawing::default();
    for line in lines(text) {
        let mut cursor = Cursor::new(text, line);
        if cursor.peek().is_none() {
            continue;
        }
        if builder.is_given_up() {
            return Err(Wrong);
        }
        if text[cursor.at..line.end].starts_with("history")
            && let Some((name, object)) = title(&text[cursor.at..line.end])
        {
            drawing.finish(builder)?;
            book = Some(builder.begin(name, object));
            kind = None;
            continue;
        }
        let book = *book.get_or_insert_with(|| builder.begin("", None));
        read_line(builder, book, &mut kind, &mut drawing, line, cursor)?;
    }
    drawing.finish(builder)
}

fn read_line<'t>(
    builder: &mut Builder<'t>,
    book: usize,
    kind: &mut Option<Kind>,
    drawing: &mut bars::Drawing,
    line: Line,
    mut cursor: Cursor<'t>,
) -> Result<(), Wrong> {
    let text = cursor.text;
    let start = cursor.at;
    let name = thread(&mut cursor);
    if name == "init" && text.as_bytes().get(cursor.at) != Some(&b':') {
        initial(builder, book, &mut cursor);
        return Ok(());
    }
    cursor.at = start + name.len();
    let is_row = !name.is_empty() && cursor.take(b':');
    let found = match (is_row, cursor.peek()) {
        _ if name.is_empty() => None,
        // What a bar drawn before goes on with.
        (true, Some(b'|' | b'-')) => Some(Kind::Bars),
        (true, None) if *kind == Some(Kind::Bars) => Some(Kind::Bars),
        (true, _) => Some(Kind::Intervals),
        (false, _) => Some(Kind::Calls),
    };
    let Some(found) = found else {
        cursor.at = start;
        builder.expected(&cursor, "the name of a thread", LINES);
        return Ok(());
    };
    if *kind.get_or_insert(found) != found {
        let message = "a history can't mix operations with times, calls and returns, and bars";
        builder.wrong(start, line.end, message, "use only one of these forms, or begin another history");
        return Ok(());
    }
    let thread = builder.thread(name);
    match found {
        Kind::Bars => drawing.row(builder, book, thread, line, cursor),
        Kind::Intervals => operations(builder, book, thread, line, cursor),
        Kind::Calls => event(builder, Some(book), thread, start, line, cursor),
    }
}

/// The name of a thread: a word up to a colon.
fn thread<'t>(cursor: &mut Cursor<'t>) -> &'t str {
    let word = cursor.bare();
    let end = word.find(':').unwrap_or(word.len());
    cursor.at -= word.len() - end;
    &word[..end]
}

fn initial(builder: &mut Builder<'_>, book: usize, cursor: &mut Cursor<'_>) {
    match cursor.word() {
        Some(word) => {
            builder.set_initial(book, &word);
            end(builder, cursor);
        }
        None => builder.expected(cursor, "a value", "such as `init 5`"),
    }
}

/// Says what stands behind the last thing on a line.
fn end(builder: &mut Builder<'_>, cursor: &mut Cursor<'_>) {
    if cursor.peek().is_some() {
        builder.expected(cursor, "the end of the line", LINES);
    }
}

/// The operations of a row.
fn operations(
    builder: &mut Builder<'_>,
    book: usize,
    thread: u32,
    line: Line,
    mut cursor: Cursor<'_>,
) -> Result<(), Wrong> {
    while cursor.peek().is_some() {
        if cursor.take(b';') {
            continue;
        }
        let Some(operation) = operation(builder, book, &mut cursor, OPERATIONS) else { return Ok(()) };
        let call = operation.call(book, thread, line);
        let Some((time, ret)) = times(builder, &mut cursor) else { return Ok(()) };
        builder.written_interval(call, time, ret)?;
        if cursor.peek().is_some() && !cursor.take(b';') {
            builder.expected(&cursor, "`;` or the end of the line", OPERATIONS);
            return Ok(());
        }
    }
    Ok(())
}

/// An operation as texts write it, without its thread and times.
pub(super) struct Operation {
    verb: names::Verb,
    codes: Codes,
    at: usize,
}

impl Operation {
    pub(super) fn call(&self, book: usize, thread: u32, line: Line) -> Call {
        let has_arguments = self.codes.as_slice().first().is_some_and(|code| *code != Code::EMPTY);
        Call { book, thread, verb: self.verb, codes: self.codes, has_arguments, at: self.at, line: line.number }
    }
}

/// Reads `push 1`, `push(1)`, `cas 1 2 true`, `cas(1, 2) true`. An operation that is not known is passed over, with an
/// error.
pub(super) fn operation(
    builder: &mut Builder<'_>,
    book: usize,
    cursor: &mut Cursor<'_>,
    help: &str,
) -> Option<Operation> {
    cursor.peek();
    let at = cursor.at;
    let name = cursor.bare();
    if name.is_empty() {
        builder.expected(cursor, "the name of an operation", help);
        return None;
    }
    let verb = builder.verb(name, at).ok();
    let mut codes = Codes::default();
    // `push(1)` has its values between parentheses, `push (a,1)` a tuple.
    let has_parentheses = cursor.text[cursor.at..cursor.end].starts_with('(');
    if has_parentheses {
        cursor.at += 1;
        while !cursor.take(b')') {
            let word = cursor.word();
            word_of(builder, book, cursor, word, &mut codes)?;
            if !cursor.take(b',') && cursor.peek() != Some(b')') {
                builder.expected(cursor, "`)`", help);
                return None;
            }
        }
    }
    while !matches!(cursor.peek(), None | Some(b'[' | b';')) {
        let word = cursor.word();
        word_of(builder, book, cursor, word, &mut codes)?;
    }
    let operation = Operation { verb: verb.unwrap_or(names::Verb::Add), codes, at };
    verb.map(|_| operation)
}

fn word_of(
    builder: &mut Builder<'_>,
    book: usize,
    cursor: &Cursor<'_>,
    word: Option<Word<'_>>,
    codes: &mut Codes,
) -> Option<()> {
    let Some(word) = word else {
        let help = "values are words, tuples such as `(a,1)`, or stand in quotes";
        builder.expected(cursor, "a value", help);
        return None;
    };
    let code = builder.code(book, &word);
    if !codes.push(code) {
        builder.wrong_word(word.at, "the operation has too many values", OPERATIONS);
        return None;
    }
    Some(())
}

/// Reads `[0,2]`, `[0,?]` or `[0,]`.
fn times(builder: &mut Builder<'_>, cursor: &mut Cursor<'_>) -> Option<(i64, Option<i64>)> {
    if !cursor.take(b'[') {
        builder.expected(cursor, "`[` and the times of the operation", TIMES);
        return None;
    }
    let call = time(builder, cursor)?;
    if !cursor.take(b',') {
        builder.expected(cursor, "`,`", TIMES);
        return None;
    }
    let is_pending = cursor.take(b'?') || cursor.peek() == Some(b']');
    let ret = if is_pending { None } else { Some(time(builder, cursor)?) };
    if !cursor.take(b']') {
        builder.expected(cursor, "`]`", TIMES);
        return None;
    }
    Some((call, ret))
}

fn time(builder: &mut Builder<'_>, cursor: &mut Cursor<'_>) -> Option<i64> {
    cursor.peek();
    let start = *cursor;
    let word = cursor.bare();
    let time = word.parse().ok();
    if time.is_none() {
        let is_number = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
        if is_number {
            builder.wrong_word(start.at, "the time is not a 64-bit number", "count from the beginning of the run");
        } else {
            builder.expected(&start, "a time", TIMES);
        }
    }
    time
}

/// Reads the rest of `T1 call push 1` or `T1 return 1`. Without a history, that of the call is meant.
pub(super) fn event(
    builder: &mut Builder<'_>,
    book: Option<usize>,
    thread: u32,
    thread_at: usize,
    line: Line,
    mut cursor: Cursor<'_>,
) -> Result<(), Wrong> {
    const HELP: &str = "such as `T1 call push 1`, `T1 return`, `T1 return 1` or `T1 return empty`";
    cursor.peek();
    let at = cursor.at;
    match cursor.bare() {
        "call" => {
            let book = book.unwrap_or_default();
            let Some(operation) = operation(builder, book, &mut cursor, HELP) else {
                builder.lose(thread);
                return Ok(());
            };
            let call = operation.call(book, thread, line);
            let time = builder.time(None, at);
            builder.call(call, thread_at, time)?;
            end(builder, &mut cursor);
        }
        "return" => {
            let Ok((book, ..)) = builder.called(thread, thread_at) else { return Ok(()) };
            let mut codes = Codes::default();
            while cursor.peek().is_some() {
                let word = cursor.word();
                if word_of(builder, book, &cursor, word, &mut codes).is_none() {
                    return Ok(());
                }
                if !cursor.take(b',') && cursor.peek().is_some() {
                    builder.expected(&cursor, "the end of the line", HELP);
                    return Ok(());
                }
            }
            let time = builder.time(None, at);
            builder.ret(thread, codes.as_slice(), at, time);
        }
        _ => {
            cursor.at = at;
            builder.expected(&cursor, "`call` or `return`", HELP);
        }
    }
    Ok(())
}

/// The first lines of a history.
pub(super) fn heading(out: &mut String, history: &History) -> Result<(), Unprintable> {
    let object = spell::object(history)?;
    let name = history.name.as_str();
    let line = format!("history {name} {}", object.name());
    if title(&line) != Some((name, Some(object))) || name.contains(['\n', '\r']) {
        return Err(Unprintable(format!("our own text cannot name a history {name:?}")));
    }
    let gap = if name.is_empty() { "" } else { " " };
    let _ = writeln!(out, "history{gap}{name} {}", object.name());
    if let Some(initial) = history.initial {
        let _ = writeln!(out, "init {}", spell::word(history.value(initial)));
    }
    Ok(())
}

/// The name of a thread, if our own text can write it.
pub(super) fn thread_name(history: &History, thread: ThreadIndex) -> Result<&str, Unprintable> {
    let name = history.thread(thread);
    if is_word(name) && !name.contains(':') && !name.starts_with('(') && !matches!(name, "history" | "init") {
        Ok(name)
    } else {
        Err(Unprintable(format!("our own text cannot name a thread {name:?}")))
    }
}

pub(super) fn print_intervals(recording: &Recording) -> Result<String, Unprintable> {
    let mut out = String::new();
    for history in &recording.histories {
        heading(&mut out, history)?;
        let mut rows = vec![String::new(); history.threads.len()];
        for operation in &history.operations {
            let row = &mut rows[operation.thread.index()];
            row.push_str(if row.is_empty() { " " } else { "; " });
            Spelling::of(history, operation)?.write(row);
            let time = |moment: Moment| history.times[moment.index()];
            let _ = match operation.ret {
                Some(ret) => write!(row, " [{},{}]", time(operation.call), time(ret)),
                None => write!(row, " [{},?]", time(operation.call)),
            };
        }
        for (row, thread) in rows.iter().zip((0..).map(ThreadIndex)) {
            if !row.is_empty() {
                let _ = writeln!(out, "{}:{row}", thread_name(history, thread)?);
            }
        }
    }
    Ok(out)
}

pub(super) fn print_calls(recording: &Recording) -> Result<String, Unprintable> {
    let mut out = String::new();
    for history in &recording.histories {
        heading(&mut out, history)?;
        for event in spell::events(history)? {
            let operation = history.operation(event.operation);
            let spelling = Spelling::of(history, operation)?;
            out.push_str(thread_name(history, operation.thread)?);
            if event.is_return {
                out.push_str(" return");
                spelling.write_result(&mut out);
            } else {
                out.push_str(" call ");
                spelling.write_call(&mut out);
            }
            out.push('\n');
        }
    }
    Ok(out)
}
