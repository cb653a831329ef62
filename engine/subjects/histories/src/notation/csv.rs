//! Tables with a header.

use super::build::{Builder, Call, Code, Codes, Wrong, shortened};
use super::jepsen::said_object;
use super::lex::{Cursor, Line, Word, lines};
use super::names::{self, Verb};
use super::spell::{Item, Spelling};
use crate::Recording;
use crate::syntax::Unprintable;
use std::borrow::Cow;
use std::fmt::Write as _;

const HEADER: &str = "the first line is `thread,operation,value,result,call,return`, in any order";

/// What a column has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Thread,
    Operation,
    Value,
    Result,
    Call,
    Return,
    Key,
    Object,
    Other,
}

impl Column {
    fn of(title: &str) -> Self {
        let plain = title.trim().to_ascii_lowercase().replace(['_', '-', ' '], "");
        match plain.as_str() {
            "thread" | "process" | "client" | "threadid" | "clientid" | "tid" | "pid" => Self::Thread,
            "operation" | "op" | "f" | "function" | "method" | "name" => Self::Operation,
            "value" | "argument" | "arg" | "arguments" | "args" | "input" => Self::Value,
            "result" | "output" | "ret" | "returned" | "response" => Self::Result,
            "call" | "start" | "begin" | "invoke" | "invocation" | "calltime" | "starttime" | "calledat" => Self::Call,
            "return" | "end" | "finish" | "complete" | "returntime" | "endtime" | "returnedat" => Self::Return,
            "key" | "instance" => Self::Key,
            "object" => Self::Object,
            _ => Self::Other,
        }
    }
}

/// The header of a table.
struct Header {
    columns: Vec<Column>,
    separator: u8,
}

/// The columns that a table cannot do without.
const NEEDED: [(Column, &str); 4] =
    [(Column::Thread, "thread"), (Column::Operation, "operation"), (Column::Call, "call"), (Column::Return, "return")];

fn header(text: &str, line: Line) -> Option<Header> {
    let titles = &text[line.start..line.end];
    let separator = [b',', b';', b'\t'].into_iter().find(|separator| titles.as_bytes().contains(separator))?;
    let columns: Vec<Column> = cells(text, line, separator)?.into_iter().map(|cell| Column::of(&cell.text)).collect();
    Some(Header { columns, separator })
}

/// Whether a line is the header of a table of operations.
pub(super) fn is_header(text: &str, line: Line) -> bool {
    header(text, line).is_some_and(|header| NEEDED.iter().all(|(needed, _)| header.columns.contains(needed)))
}

/// The cells of a line; `None` if quotes are not closed.
fn cells(text: &str, line: Line, separator: u8) -> Option<Vec<Word<'_>>> {
    let bytes = text.as_bytes();
    let mut cells = Vec::new();
    let mut at = line.start;
    loop {
        let start = at;
        if at < line.end && bytes[at] == b'"' {
            at += 1;
            while at < line.end && (bytes[at] != b'"' || at + 1 < line.end && bytes[at + 1] == b'"') {
                // Two quotes are one.
                at += if bytes[at] == b'"' { 2 } else { 1 };
            }
            if at >= line.end {
                return None;
            }
            at += 1;
            let inner = &text[start + 1..at - 1];
            let inner =
                if inner.contains('"') { Cow::Owned(inner.replace("\"\"", "\"")) } else { Cow::Borrowed(inner) };
            cells.push(Word { text: inner, is_quoted: true, at: start });
            if at < line.end && bytes[at] != separator {
                return None;
            }
        } else {
            at += bytes[at..line.end].iter().position(|byte| *byte == separator).unwrap_or(line.end - at);
            cells.push(Word { text: Cow::Borrowed(text[start..at].trim()), is_quoted: false, at: start });
        }
        if at >= line.end {
            return Some(cells);
        }
        at += 1;
    }
}

pub(super) fn read(builder: &mut Builder<'_>) -> Result<(), Wrong> {
    let text = builder.text;
    let mut lines = lines(text).filter(|line| !text[line.start..line.end].trim().is_empty());
    let Some(first) = lines.next() else { return Ok(()) };
    let Some(header) = header(text, first) else {
        builder.wrong(first.start, first.end, "expected the header of a table", HEADER);
        return Err(Wrong);
    };
    for (needed, name) in NEEDED {
        if !header.columns.contains(&needed) {
            builder.wrong(first.start, first.end, format!("the header has no column `{name}`"), HEADER);
            return Err(Wrong);
        }
    }
    for line in lines {
        if builder.is_given_up() {
            return Err(Wrong);
        }
        match cells(text, line, header.separator) {
            Some(cells) if cells.len() == header.columns.len() => row(builder, &header, &cells, line)?,
            Some(cells) => {
                let message = format!("the line has {} cells, and the header {}", cells.len(), header.columns.len());
                builder.wrong_syntax(line.start, message, "an empty cell needs its separator too");
            }
            None => {
                let help = "write a quote within a cell twice";
                builder.wrong_syntax(line.start, "a cell in quotes does not end at its separator", help);
            }
        }
    }
    Ok(())
}

fn row(builder: &mut Builder<'_>, header: &Header, cells: &[Word<'_>], line: Line) -> Result<(), Wrong> {
    let cell = |column: Column| header.columns.iter().position(|other| *other == column).map(|at| &cells[at]);
    let text = |column: Column| cell(column).map_or("", |cell| &cell.text);
    let (Some(name), Some(call_cell), Some(return_cell)) =
        (cell(Column::Operation), cell(Column::Call), cell(Column::Return))
    else {
        return Ok(());
    };
    let Ok(verb) = builder.verb(&name.text, name.at) else { return Ok(()) };
    let times = (time(builder, call_cell), time(builder, return_cell));
    let (Ok(call), Ok(ret)) = times else { return Ok(()) };
    let Some(call) = call else {
        builder.wrong_word(name.at, "the operation has no time of its call", "times are whole numbers, such as 12");
        return Ok(());
    };
    let object = names::object(text(Column::Object));
    // A column `object` may name the object as well as say what it is.
    let named = if object.is_none() { text(Column::Object) } else { "" };
    let key = Some(text(Column::Key)).filter(|key| !key.is_empty()).unwrap_or(named);
    let book = builder.book(key);
    if let Some(object) = object {
        builder.set_object(book, object);
    }
    let mut codes = Codes::default();
    let mut fits = true;
    if let Some(value) = cell(Column::Value).filter(|value| value.is_quoted || !value.text.is_empty()) {
        if verb == Verb::CompareAndSet {
            let mut cursor = Cursor { text: &value.text, at: 0, end: value.text.len() };
            while let Some(word) = cursor.word() {
                fits &= codes.push(builder.code(book, &word));
            }
            fits &= cursor.peek().is_none();
        } else {
            fits &= codes.push(code(builder, book, value));
        }
    }
    let has_arguments = !codes.as_slice().is_empty();
    let given = codes;
    let result = cell(Column::Result).filter(|result| !result.text.is_empty());
    if let Some(result) = result.filter(|_| ret.is_some()) {
        let code = code(builder, book, result);
        if given.as_slice() != [code] {
            fits &= codes.push(code);
        }
    }
    if !fits {
        builder.wrong_word(name.at, "the operation has too many values", "such as `cas`, with `1 2` as its value");
        return Ok(());
    }
    let thread = builder.thread(text(Column::Thread));
    builder.interval(Call { book, thread, verb, codes, has_arguments, at: name.at, line: line.number }, call, ret)
}

/// The code of a cell. Quotes mean nothing in such tables.
fn code(builder: &mut Builder<'_>, book: usize, cell: &Word<'_>) -> Code {
    builder.code(book, &Word { text: Cow::Borrowed(&cell.text), is_quoted: false, at: cell.at })
}

/// A time; none if the cell has nothing in it.
fn time(builder: &mut Builder<'_>, cell: &Word<'_>) -> Result<Option<i64>, Wrong> {
    if matches!(&*cell.text, "" | "?" | "null" | "nil" | "pending") {
        return Ok(None);
    }
    cell.text.parse().map(Some).map_err(|_| {
        let message = format!("the time `{}` is not a whole 64-bit number", shortened(&cell.text));
        let help = "times are whole numbers, in any unit; an empty cell means that the operation has not returned";
        builder.wrong_syntax(cell.at, message, help);
        Wrong
    })
}

pub(super) fn print(recording: &Recording) -> Result<String, Unprintable> {
    const NAME: &str = "a table";
    let has_keys = recording.histories.iter().any(|history| !history.name.is_empty());
    let mut objects = Vec::new();
    for history in &recording.histories {
        if history.initial.is_some() {
            return Err(Unprintable("a table can't say what a register holds at first".to_owned()));
        }
        objects.push(said_object(history)?);
    }
    if recording.histories.len() > 1 && recording.histories.iter().any(|history| history.name.is_empty()) {
        return Err(Unprintable("a table tells objects apart by name, but some objects here have no name".to_owned()));
    }
    let has_objects = objects.iter().any(Option::is_some);
    let mut out = "thread,operation,value,result,call,return".to_owned();
    out.push_str(if has_keys { ",key" } else { "" });
    out.push_str(if has_objects { ",object" } else { "" });
    out.push('\n');
    for (history, object) in recording.histories.iter().zip(objects) {
        for operation in &history.operations {
            let spelling = Spelling::of(history, operation)?;
            let mut arguments = Vec::new();
            for item in spelling.arguments.iter().flatten() {
                arguments.push(word(*item, spelling.name == "cas", NAME)?);
            }
            let result = spelling.result.map_or(Ok(String::new()), |result| word(result, false, NAME))?;
            let thread = cell(history.thread(operation.thread), NAME)?;
            let arguments = arguments.join(" ");
            let value = cell(&arguments, NAME)?;
            let _ = write!(out, "{thread},{},{value},{}", spelling.name, cell(&result, NAME)?);
            let _ = write!(out, ",{},", history.times[operation.call.index()]);
            if let Some(ret) = operation.ret {
                let _ = write!(out, "{}", history.times[ret.index()]);
            }
            if has_keys {
                let _ = write!(out, ",{}", cell(&history.name, NAME)?);
            }
            if has_objects {
                let _ = write!(out, ",{}", object.map_or("", crate::Object::name));
            }
            out.push('\n');
        }
    }
    Ok(out)
}

/// A value that a cell can have; one of several, if they stand in one cell.
fn word(item: Item<'_>, is_one_of_several: bool, format: &str) -> Result<String, Unprintable> {
    match item {
        Item::Value(value) if !is_one_of_several && !value.is_empty() && Code::of(value).is_none() => {
            Ok(value.to_owned())
        }
        _ => item.plain(format),
    }
}

/// A cell, in quotes where it has to be.
fn cell<'c>(text: &'c str, format: &str) -> Result<Cow<'c, str>, Unprintable> {
    if text.contains(['\n', '\r', '\u{feff}']) {
        return Err(Unprintable(format!("{format} cannot write {text:?}")));
    }
    let needs_quotes = text.contains([',', ';', '\t', '"']) || text.trim() != text;
    Ok(if needs_quotes { Cow::Owned(format!("\"{}\"", text.replace('"', "\"\""))) } else { Cow::Borrowed(text) })
}
