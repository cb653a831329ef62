//! Porcupine's operations as JSON.

use super::build::{Builder, Call, Code, Codes, Wrong};
use super::jepsen::{Datum, said_object};
use super::json::{self, Element, elements, joined, scalar};
use super::lex::{Cursor, Word};
use super::names::{self, Verb};
use super::spell::{Item, Spelling};
use crate::Recording;
use crate::syntax::Unprintable;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::fmt::Write as _;

const INPUTS: &str = "inputs are \"push 1\", {\"op\": \"push\", \"value\": 1, \"key\": \"k\"} or [\"push\", 1]";

/// What an operation is given.
struct Input {
    name: String,
    arguments: Vec<Datum<'static>>,
    key: String,
    object: Option<String>,
}

/// The field of one of some names; capitals and `_` mean nothing.
fn field<'v>(fields: &'v Map<String, Value>, names: &[&str]) -> Option<&'v Value> {
    let is = |key: &str, name: &str| {
        let key = key.bytes().filter(|byte| *byte != b'_').map(|byte| byte.to_ascii_lowercase());
        key.eq(name.bytes())
    };
    names.iter().find_map(|name| fields.iter().find(|(key, _)| is(key, name)).map(|(_, value)| value))
}

pub(super) fn read(builder: &mut Builder<'_>) -> Result<(), Wrong> {
    let mut has_threads = None;
    elements(builder, |builder, element| {
        let client = field(&element.fields, &["clientid", "client", "thread", "process"]);
        let client = client.filter(|client| !client.is_null());
        if *has_threads.get_or_insert(client.is_some()) != client.is_some() {
            let message = "some operations have a `ClientId` and some do not";
            builder.wrong_word(
                element.at,
                message,
                "give all of them one, or none: then Litmoscope makes up the \
                                                     threads",
            );
            return Ok(());
        }
        let thread = match client {
            None => {
                builder.make_up_threads();
                builder.thread("")
            }
            Some(client) => match json::datum(builder, client, element.at, 0) {
                Some(Datum::Word(word)) => builder.thread(&word.text),
                _ => {
                    builder.wrong_word(element.at, "a `ClientId` is a number or a text", "such as `\"ClientId\": 0`");
                    return Ok(());
                }
            },
        };
        operation(builder, &element, thread)
    })
}

fn operation(builder: &mut Builder<'_>, element: &Element, thread: u32) -> Result<(), Wrong> {
    let at = element.at;
    let Some(mut input) = field(&element.fields, &["input"]).and_then(|value| input(builder, value, at)) else {
        builder.wrong_word(at, "the operation does not say what it does", INPUTS);
        return Ok(());
    };
    let Ok(verb) = builder.verb(&input.name, at) else { return Ok(()) };
    let time = |names: &[&str]| match field(&element.fields, names) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => value.as_i64().map(Some).ok_or(()),
    };
    let (Ok(Some(call)), Ok(mut ret)) = (time(&["call", "calltime"]), time(&["return", "ret", "returntime"])) else {
        let help = "such as `\"Call\": 0` and `\"Return\": 2`; `\"Return\": null` is pending";
        builder.wrong_word(at, "the times of an operation are whole numbers", help);
        return Ok(());
    };
    let output = field(&element.fields, &["output"]);
    if let Some(Value::Object(fields)) = output
        && field(fields, &["unknown"]) == Some(&Value::Bool(true))
    {
        ret = None;
    }
    if ret.is_some() && verb.names_nothing() {
        // Go writes fields that were not set: `"Value": ""`.
        input.arguments.retain(|argument| !matches!(argument.text(), "" | "0") && output.is_none_or(Value::is_null));
    }
    let book = builder.book(&input.key);
    if let Some(object) = input.object.as_deref().and_then(names::object) {
        builder.set_object(book, object);
    }
    let mut codes = Codes::default();
    let mut fits = true;
    for argument in &input.arguments {
        fits &= codes.push(argument.code(builder, book));
    }
    let given = codes;
    if ret.is_some() {
        let Some(results) = results(builder, output, verb, !input.arguments.is_empty(), at) else { return Ok(()) };
        let results: Vec<Code> = results.iter().map(|result| result.code(builder, book)).collect();
        let rest = results.strip_prefix(given.as_slice()).unwrap_or(&results);
        fits &= rest.iter().all(|code| codes.push(*code));
    }
    if !fits {
        builder.wrong_word(at, "the operation has too many values", INPUTS);
        return Ok(());
    }
    let has_arguments = !input.arguments.is_empty();
    builder.interval(Call { book, thread, verb, codes, has_arguments, at, line: element.line }, call, ret)
}

fn input(builder: &mut Builder<'_>, value: &Value, at: usize) -> Option<Input> {
    let mut input = Input { name: String::new(), arguments: Vec::new(), key: String::new(), object: None };
    match value {
        Value::String(text) => {
            let mut cursor = Cursor { text, at: 0, end: text.len() };
            input.name = cursor.bare().to_owned();
            let has_parentheses = text[cursor.at..].starts_with('(');
            cursor.at += usize::from(has_parentheses);
            while let Some(byte) = cursor.peek() {
                if byte == b',' || byte == b')' && has_parentheses {
                    cursor.at += 1;
                    continue;
                }
                let Word { text, is_quoted, .. } = cursor.word()?;
                input.arguments.push(Datum::Word(Word { text: Cow::Owned(text.into_owned()), is_quoted, at }));
            }
        }
        Value::Array(items) => {
            let (name, arguments) = items.split_first()?;
            input.name = name.as_str()?.to_owned();
            for argument in arguments {
                input.arguments.push(json::datum(builder, argument, at, 0)?);
            }
        }
        Value::Object(fields) => {
            let names = ["op", "f", "operation", "method", "command", "cmd", "kind", "type", "name"];
            input.name = field(fields, &names)?.as_str()?.to_owned();
            let values =
                [["expected", "old", "from", "arg1"], ["value", "val", "arg", "v"], ["new", "to", "arg2", "x"]];
            for value in values.into_iter().filter_map(|names| field(fields, &names)) {
                match json::datum(builder, value, at, 1)? {
                    Datum::Nil => {}
                    Datum::List(items, _) if Verb::of(&input.name) == Some(Verb::CompareAndSet) => {
                        input.arguments.extend(items);
                    }
                    datum => input.arguments.push(datum),
                }
            }
            if let Some(key) = field(fields, &["key", "k"]) {
                input.key = key.as_str().map_or_else(|| key.to_string(), str::to_owned);
            }
            input.object = field(fields, &["object"]).and_then(Value::as_str).map(str::to_owned);
        }
        _ => return None,
    }
    Some(input)
}

/// What an operation returned.
fn results(
    builder: &mut Builder<'_>,
    output: Option<&Value>,
    verb: Verb,
    has_arguments: bool,
    at: usize,
) -> Option<Vec<Datum<'static>>> {
    let output = match output {
        Some(Value::Object(fields)) => {
            let values = ["value", "val", "result", "output", "ret", "v"];
            field(fields, &values).or_else(|| field(fields, &["ok", "success", "found", "exists"]))
        }
        output => output,
    };
    match output {
        None => Some(Vec::new()),
        // What is given needs no result; what is not given was not found.
        Some(Value::Null) if has_arguments || verb == Verb::Increase => Some(Vec::new()),
        Some(value) => Some(vec![json::datum(builder, value, at, 0)?]),
    }
}

pub(super) fn print(recording: &Recording) -> Result<String, Unprintable> {
    let has_keys = recording.histories.iter().any(|history| !history.name.is_empty());
    if recording.histories.len() > 1 && !has_keys {
        return Err(Unprintable("operations tell objects apart by name, but these objects have no names".to_owned()));
    }
    let mut out = String::new();
    for history in &recording.histories {
        if history.initial.is_some() {
            return Err(Unprintable("Porcupine's operations do not say what a register holds at first".to_owned()));
        }
        let object = said_object(history)?;
        for operation in &history.operations {
            let spelling = Spelling::of(history, operation)?;
            let client = scalar(history.thread(operation.thread));
            let _ = write!(out, r#"{{"ClientId":{client},"Input":{{"op":"{}""#, spelling.name);
            let mut arguments = Vec::new();
            for item in spelling.arguments.into_iter().flatten() {
                arguments.push(json::item(history, item)?);
            }
            if !arguments.is_empty() {
                let _ = write!(out, r#","value":{}"#, joined(&arguments));
            }
            if has_keys {
                let _ = write!(out, r#","key":{}"#, Value::String(history.name.clone()));
            }
            if let Some(object) = object {
                let _ = write!(out, r#","object":"{}""#, object.name());
            }
            let call = history.times[operation.call.index()];
            let ret = operation.ret.map(|ret| history.times[ret.index()]);
            let result = match spelling.result {
                Some(Item::Empty) | None => "null".to_owned(),
                Some(result) => json::item(history, result)?,
            };
            let ret = ret.map_or_else(|| "null".to_owned(), |ret| ret.to_string());
            let _ = writeln!(out, r#"}},"Call":{call},"Output":{result},"Return":{ret}}}"#);
        }
    }
    Ok(out)
}

/// Whether the fields of an object are those of Porcupine's operations.
pub(super) fn is_operation(fields: &Map<String, Value>) -> bool {
    field(fields, &["input"]).is_some() && field(fields, &["call", "calltime"]).is_some()
}
