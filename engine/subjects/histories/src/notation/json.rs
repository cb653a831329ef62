//! Jepsen's operation maps as JSON, one a line or in an array.

use super::build::{Builder, Code, Wrong};
use super::edn::Fields;
use super::jepsen::{Datum, Kind, Reader, written};
use super::lex::{Word, quoted_length};
use super::spell::Item;
use crate::syntax::Unprintable;
use crate::{History, Object, Recording};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::fmt::Write as _;

const OBJECTS: &str = "operations are JSON objects, one on each line or in an array";

/// An object of a text.
pub(super) struct Element {
    pub(super) fields: Map<String, Value>,
    pub(super) at: usize,
    pub(super) line: u32,
}

/// Goes through the objects of a text, one at a time.
pub(super) fn elements(
    builder: &mut Builder<'_>,
    mut visit: impl FnMut(&mut Builder<'_>, Element) -> Result<(), Wrong>,
) -> Result<(), Wrong> {
    let text = builder.text;
    let bytes = text.as_bytes();
    let (mut at, mut line) = (0, 1);
    let mut arrays = 0_usize;
    while at < bytes.len() {
        match bytes[at] {
            b'\n' => line += 1,
            b' ' | b'\t' | b'\r' | b',' => {}
            b'[' => arrays += 1,
            b']' if arrays > 0 => arrays -= 1,
            0xEF if text[at..].starts_with('\u{feff}') => at += 2,
            b'{' => {
                let Some(end) = object_end(bytes, at) else {
                    builder.wrong_syntax(at, "the text ends within an operation", OBJECTS);
                    return Err(Wrong);
                };
                match serde_json::from_str(&text[at..end]) {
                    Ok(fields) => visit(builder, Element { fields, at, line })?,
                    Err(error) => {
                        let message = format!("this is not JSON: {}", plain(&error));
                        builder.wrong_syntax(place(text, at, &error), message, OBJECTS);
                    }
                }
                line += bytes[at..end].iter().filter(|byte| **byte == b'\n').count() as u32;
                at = end - 1;
            }
            _ => {
                builder.wrong_syntax(at, "expected an object", OBJECTS);
                return Err(Wrong);
            }
        }
        at += 1;
        if builder.is_given_up() {
            return Err(Wrong);
        }
    }
    if arrays > 0 {
        builder.wrong_syntax(text.len() - 1, "the text ends within an array", "complete it, or leave its bracket out");
        return Err(Wrong);
    }
    Ok(())
}

/// Behind the brace that closes the one that stands somewhere.
pub(super) fn object_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = start;
    while at < bytes.len() {
        match bytes[at] {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            b'"' => at += quoted_length(&bytes[at + 1..])? + 1,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// What a parser says, without its place.
fn plain(error: &serde_json::Error) -> String {
    let message = error.to_string();
    message.rfind(" at line ").map_or(message.clone(), |end| message[..end].to_owned())
}

/// Where a parser stopped in an object that begins somewhere.
fn place(text: &str, start: usize, error: &serde_json::Error) -> usize {
    let lines = text[start..].split_inclusive('\n').take(error.line().saturating_sub(1));
    let line = start + lines.map(str::len).sum::<usize>();
    (line + error.column().saturating_sub(1)).min(text.len().saturating_sub(1))
}

/// A value as a part of an operation map; what is deeper than a depth counts as a word.
pub(super) fn datum(builder: &mut Builder<'_>, value: &Value, at: usize, depth: usize) -> Option<Datum<'static>> {
    let word = |text: String, is_quoted| Some(Datum::Word(Word { text: Cow::Owned(text), is_quoted, at }));
    match value {
        Value::Null => Some(Datum::Nil),
        Value::Bool(flag) => Some(Datum::Flag(*flag)),
        // Numbers that are not exact could be confused with each other.
        Value::Number(number) if number.as_f64().is_some_and(|n| n.abs() >= 2_f64.powi(53)) && number.is_f64() => {
            builder.wrong(at, at + 1, "the number is too large", "write it as a string, in quotes");
            None
        }
        Value::Number(number) => word(number.to_string(), true),
        Value::String(text) => word(text.clone(), false),
        Value::Array(items) if depth > 0 => {
            let items = items.iter().map(|item| datum(builder, item, at, depth - 1)).collect::<Option<_>>()?;
            Some(Datum::List(items, Cow::Owned(value.to_string())))
        }
        Value::Array(_) | Value::Object(_) => word(value.to_string(), true),
    }
}

pub(super) fn read(builder: &mut Builder<'_>) -> Result<(), Wrong> {
    let mut reader = Reader::default();
    elements(builder, |builder, element| {
        let at = element.at;
        let mut fields = Fields::new(at, element.line);
        for (key, value) in &element.fields {
            let key = match key.to_ascii_lowercase().as_str() {
                "process" | "thread" | "client" => "process",
                "type" => "type",
                "f" | "op" | "operation" => "f",
                "value" => "value",
                "time" => "time",
                "key" => "key",
                "object" => "object",
                _ => continue,
            };
            let Some(value) = datum(builder, value, at, 2) else { return Ok(()) };
            fields.set(key, value, at);
        }
        match fields.event(builder) {
            Some(event) => reader.event(builder, &event),
            None => Ok(()),
        }
    })
}

pub(super) fn print(recording: &Recording) -> Result<String, Unprintable> {
    let mut out = String::new();
    for event in written(recording)? {
        let thread = event.history.thread(event.operation.thread);
        if thread == "nemesis" || thread.starts_with(':') {
            return Err(Unprintable(format!("Jepsen has no client called {thread:?}")));
        }
        let process = scalar(thread);
        let kind = if event.kind == Kind::Ok { "ok" } else { "invoke" };
        let _ = write!(out, r#"{{"process":{process},"type":"{kind}","f":"{}","value":"#, event.name);
        let mut items = Vec::new();
        for item in &event.value {
            items.push(self::item(event.history, *item)?);
        }
        let value = joined(&items);
        if event.has_keys {
            let _ = write!(out, "[{},{value}]", scalar(&event.history.name));
        } else {
            out.push_str(&value);
        }
        if let Some(object) = event.object {
            let _ = write!(out, r#","object":"{}""#, object.name());
        }
        let _ = writeln!(out, r#","time":{}}}"#, event.time);
    }
    Ok(out)
}

/// One value, several as an array, or none.
pub(super) fn joined(items: &[String]) -> String {
    match items {
        [] => "null".to_owned(),
        [item] => item.clone(),
        _ => format!("[{}]", items.join(",")),
    }
}

pub(super) fn item(history: &History, item: Item<'_>) -> Result<String, Unprintable> {
    match item {
        Item::Value(value) if Code::of(value).is_some() => {
            // Where something is written and read, none of these means anything else.
            if history.object == Some(Object::Register) && value == "nil" {
                Ok(r#""nil""#.to_owned())
            } else {
                Err(Unprintable(format!("JSON cannot tell the value {value:?} from a result of this name")))
            }
        }
        Item::Value(value) => Ok(scalar(value)),
        Item::Number(number) => Ok(number.to_string()),
        Item::Flag(flag) => Ok(flag.to_string()),
        Item::Empty => Ok("null".to_owned()),
    }
}

/// A number if it is one, else a text.
pub(super) fn scalar(text: &str) -> String {
    match text.parse::<i64>() {
        Ok(number) if number.to_string() == text => text.to_owned(),
        _ => Value::String(text.to_owned()).to_string(),
    }
}
