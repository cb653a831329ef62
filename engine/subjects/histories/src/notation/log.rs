//! The lines of Jepsen's `history.txt`, also where they stand in a log.

use super::build::{Builder, Wrong};
use super::edn::{self, Forms};
use super::jepsen::{Datum, Event, Kind, Reader, written};
use super::lex::{Line, lines};
use crate::Recording;
use crate::syntax::Unprintable;
use crate::words;
use std::borrow::Cow;
use std::fmt::Write as _;

const LINES: &str = "lines are `0 :invoke :enqueue 1`, separated by tabs or spaces";

pub(super) fn read(builder: &mut Builder<'_>) -> Result<(), Wrong> {
    let text = builder.text;
    let mut reader = Reader::default();
    let mut others = 0;
    for line in lines(text) {
        if builder.is_given_up() {
            return Err(Wrong);
        }
        match event(text, line) {
            Found::Event(event) if event.process.starts_with(':') || event.process == "nemesis" => {}
            Found::Event(event) => reader.event(builder, &event)?,
            Found::Torn(at) => builder.wrong_syntax(at, "the line ends within an operation", LINES),
            Found::Other => others += u64::from(line.start < line.end),
        }
    }
    if others > 0 {
        let message =
            format!("{} {} of no operation", words::count(others, "line"), words::by_number(others, "is", "are"));
        builder.note(0, message, LINES);
    }
    Ok(())
}

/// What a line is of.
pub(super) enum Found<'t> {
    Event(Event<'t>),
    Torn(usize),
    Other,
}

/// The words of a line, each with its place.
fn split(text: &str, line: Line) -> impl Iterator<Item = (usize, &str)> {
    let mut at = line.start;
    std::iter::from_fn(move || {
        let rest = &text[at..line.end];
        let start = at + rest.find(|c: char| !c.is_ascii_whitespace())?;
        let rest = &text[start..line.end];
        at = start + rest.find(|c: char| c.is_ascii_whitespace()).unwrap_or(rest.len());
        Some((start, &text[start..at]))
    })
}

/// The operation of a line: a process, what it does, an operation, and a value.
pub(super) fn event(text: &str, line: Line) -> Found<'_> {
    let mut words = split(text, line);
    let mut process = None;
    let found = words.by_ref().find_map(|(at, word)| {
        let kind = word.strip_prefix(':').and_then(Kind::of);
        let found = kind.zip(process);
        process = Some((at, word));
        found
    });
    let Some((kind, (at, process))) = found else {
        // `0 :inv` at the end of the text.
        let is_torn = line.end == text.len()
            && split(text, line).last().is_some_and(|(at, word)| {
                let begins = [":invoke", ":ok", ":fail", ":info"].iter().any(|kind| kind.starts_with(word));
                begins && at > line.start
            });
        return if is_torn { Found::Torn(line.start) } else { Found::Other };
    };
    let is_client = process.bytes().all(|byte| byte.is_ascii_digit());
    if !is_client && process != ":nemesis" {
        return Found::Other;
    }
    let Some((name_at, name)) = words.next() else { return Found::Torn(at) };
    let value_at = name_at + name.len();
    let mut forms = Forms::new(text, value_at, line.end);
    let value = match forms.datum(2) {
        Ok(value) => value,
        Err(edn::Fault::End) if text[value_at..line.end].trim().is_empty() && kind != Kind::Ok => Datum::Nil,
        // What is said of an error may be anything.
        Err(_) if matches!(kind, Kind::Info | Kind::Fail) => Datum::Nil,
        Err(_) => return Found::Torn(at),
    };
    Found::Event(Event {
        kind,
        process: Cow::Borrowed(process),
        name: Cow::Borrowed(name.strip_prefix(':').unwrap_or(name)),
        value,
        time: None,
        key: None,
        object: None,
        at,
        name_at,
        line: line.number,
    })
}

pub(super) fn print(recording: &Recording) -> Result<String, Unprintable> {
    let mut out = String::new();
    for event in written(recording)? {
        let process = event.history.thread(event.operation.thread);
        if process.is_empty() || !process.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(Unprintable(format!("processes in Jepsen's lines are numbers, not {process:?}")));
        }
        if let Some(object) = event.object {
            return Err(Unprintable(format!(
                "Jepsen's lines have no place for what the object is, a {}",
                object.name()
            )));
        }
        let kind = if event.kind == Kind::Ok { "ok" } else { "invoke" };
        let _ = write!(out, "{process}\t:{kind}\t:{}\t", event.name);
        edn::value(&mut out, &event);
        out.push('\n');
    }
    Ok(out)
}
