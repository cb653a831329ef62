//! Jepsen's and Knossos' operation maps in EDN.

use super::build::{Builder, Wrong, shortened};
use super::jepsen::{Datum, Event, Kind, Reader, Written, written};
use super::lex::{Word, quoted, quoted_length, unescaped};
use super::spell::Item;
use crate::Recording;
use crate::syntax::Unprintable;
use std::borrow::Cow;
use std::fmt::Write as _;

const MAPS: &str = "operations are `{:process 0, :type :invoke, :f :push, :value 1}`, one on each line or in a vector";

/// How deep collections may be nested.
const MAX_DEPTH: usize = 256;

/// What is wrong where something was to be read.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fault {
    /// The text is over.
    End,
    /// Nothing begins here.
    Unexpected(usize),
    TooDeep(usize),
}

/// A form: a word, a text in quotes, a collection.
#[derive(Clone, Copy, Debug)]
struct Form {
    start: usize,
    end: usize,
}

/// Reads forms from a piece of text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Forms<'t> {
    text: &'t str,
    at: usize,
    end: usize,
}

impl<'t> Forms<'t> {
    pub(super) fn new(text: &'t str, at: usize, end: usize) -> Self {
        Self { text, at, end }
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied().filter(|_| self.at < self.end)
    }

    /// The next byte that says something: blanks, commas, comments and the tags of forms are passed over.
    fn peek(&mut self) -> Option<u8> {
        loop {
            let byte = self.byte()?;
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' | b',' => self.at += 1,
                b';' => {
                    let rest = &self.text.as_bytes()[self.at..self.end];
                    self.at += rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
                }
                b'#' => {
                    self.at += 1;
                    if !matches!(self.byte(), Some(b'{' | b'"')) {
                        self.at = self.word_end();
                    }
                }
                0xEF if self.text[self.at..].starts_with('\u{feff}') => self.at += '\u{feff}'.len_utf8(),
                _ => return Some(byte),
            }
        }
    }

    fn word_end(&self) -> usize {
        let ends = |byte: &u8| {
            matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b',' | b';' | b'"' | b'{' | b'}' | b'[' | b']' | b'(' | b')')
        };
        let rest = &self.text.as_bytes()[self.at..self.end];
        self.at + rest.iter().position(ends).unwrap_or(rest.len())
    }

    fn form(&mut self) -> Result<Form, Fault> {
        let mut depth = 0_usize;
        let mut first = None;
        loop {
            let byte = self.peek().ok_or(Fault::End)?;
            let start = *first.get_or_insert(self.at);
            match byte {
                b'{' | b'[' | b'(' => {
                    depth += 1;
                    if depth > MAX_DEPTH {
                        return Err(Fault::TooDeep(self.at));
                    }
                    self.at += 1;
                }
                b'}' | b']' | b')' => {
                    depth = depth.checked_sub(1).ok_or(Fault::Unexpected(self.at))?;
                    self.at += 1;
                }
                b'"' => {
                    let from = self.at + 1;
                    let length = quoted_length(&self.text.as_bytes()[from..self.end]).ok_or(Fault::End)?;
                    self.at = from + length + 1;
                }
                // A character, such as `\(`, and all that is joined to it.
                b'\\' => {
                    self.at += 1;
                    self.at += self.text[self.at..self.end].chars().next().ok_or(Fault::End)?.len_utf8();
                    self.at = self.word_end();
                }
                _ => self.at = self.word_end(),
            }
            if depth == 0 {
                return Ok(Form { start, end: self.at });
            }
        }
    }

    /// The next form, in lists down to a depth; what is deeper counts as a word.
    pub(super) fn datum(&mut self, depth: usize) -> Result<Datum<'t>, Fault> {
        let form = self.form()?;
        let text = &self.text[form.start..form.end];
        Ok(match text.as_bytes().first() {
            Some(b'"') => {
                let inner = &text[1..text.len() - 1];
                Datum::Word(Word { text: unescaped(inner), is_quoted: true, at: form.start })
            }
            Some(b'[' | b'(') if depth > 0 => {
                let mut inner = Self { text: self.text, at: form.start + 1, end: form.end - 1 };
                let mut items = Vec::new();
                while inner.peek().is_some() {
                    items.push(inner.datum(depth - 1)?);
                }
                Datum::List(items, Cow::Borrowed(text))
            }
            Some(b'[' | b'(' | b'{') => {
                Datum::Word(Word { text: Cow::Borrowed(text), is_quoted: true, at: form.start })
            }
            _ => match text {
                "nil" => Datum::Nil,
                "true" => Datum::Flag(true),
                "false" => Datum::Flag(false),
                ":empty" | ":exhausted" => {
                    Datum::Word(Word { text: Cow::Borrowed("empty"), is_quoted: false, at: form.start })
                }
                _ => Datum::Word(Word { text: Cow::Borrowed(text), is_quoted: true, at: form.start }),
            },
        })
    }
}

pub(super) fn read(builder: &mut Builder<'_>) -> Result<(), Wrong> {
    let text = builder.text;
    let mut forms = Forms::new(text, 0, text.len());
    let mut reader = Reader::default();
    let mut vectors = 0_usize;
    let (mut line, mut counted) = (1, 0);
    while let Some(byte) = forms.peek() {
        if builder.is_given_up() {
            return Err(Wrong);
        }
        let at = forms.at;
        line += text.as_bytes()[counted..at].iter().filter(|byte| **byte == b'\n').count() as u32;
        counted = at;
        match byte {
            b'[' | b'(' => {
                vectors += 1;
                forms.at += 1;
            }
            b']' | b')' if vectors > 0 => {
                vectors -= 1;
                forms.at += 1;
            }
            b'{' => {
                forms.at += 1;
                match map(builder, &mut forms, at, line) {
                    Ok(Some(event)) => reader.event(builder, &event)?,
                    Ok(None) => {}
                    Err(fault) => return Err(refuse(builder, fault, at)),
                }
            }
            _ => return Err(refuse(builder, Fault::Unexpected(at), at)),
        }
    }
    if vectors > 0 {
        return Err(refuse(builder, Fault::End, text.len().saturating_sub(1)));
    }
    Ok(())
}

/// Says what is wrong in an operation that begins somewhere.
fn refuse(builder: &mut Builder<'_>, fault: Fault, start: usize) -> Wrong {
    match fault {
        Fault::End => {
            let message = "the text ends within an operation or a vector";
            builder.wrong_syntax(start, message, "the text seems incomplete: complete it, or leave the rest out");
        }
        Fault::Unexpected(at) => {
            builder.wrong_syntax(at, "expected an operation map", MAPS);
        }
        Fault::TooDeep(at) => {
            let message = format!("collections are nested deeper than {MAX_DEPTH} times");
            builder.wrong_word(at, message, MAPS);
        }
    }
    Wrong
}

/// Reads an operation map behind its brace; nothing if it is not of an operation, or if an error was said.
fn map<'t>(builder: &mut Builder<'t>, forms: &mut Forms<'t>, at: usize, line: u32) -> Result<Option<Event<'t>>, Fault> {
    let mut fields = Fields::new(at, line);
    loop {
        match forms.peek().ok_or(Fault::End)? {
            b'}' => break,
            _ => {
                let key = forms.form()?;
                let key = &forms.text[key.start..key.end];
                if forms.peek() == Some(b'}') {
                    return Err(Fault::Unexpected(forms.at));
                }
                let value_at = forms.at;
                let value = forms.datum(2)?;
                fields.set(key.strip_prefix(':').unwrap_or(key), value, value_at);
            }
        }
    }
    forms.at += 1;
    Ok(fields.event(builder))
}

/// The fields of an operation map.
#[derive(Debug, Default)]
pub(super) struct Fields<'t> {
    kind: Option<Datum<'t>>,
    process: Option<Datum<'t>>,
    name: Option<Datum<'t>>,
    value: Option<Datum<'t>>,
    time: Option<Datum<'t>>,
    key: Option<Datum<'t>>,
    object: Option<Datum<'t>>,
    at: usize,
    name_at: usize,
    line: u32,
}

impl<'t> Fields<'t> {
    /// None yet, of a map that begins somewhere.
    pub(super) fn new(at: usize, line: u32) -> Self {
        Self { at, line, name_at: at, ..Self::default() }
    }

    pub(super) fn set(&mut self, key: &str, value: Datum<'t>, at: usize) {
        let field = match key {
            "type" => &mut self.kind,
            "process" => &mut self.process,
            "f" => {
                self.name_at = at;
                &mut self.name
            }
            "value" => &mut self.value,
            "time" => &mut self.time,
            "key" => &mut self.key,
            "object" => &mut self.object,
            _ => return,
        };
        *field = Some(value);
    }

    /// The event that they are of; nothing if it is of no client, or if something is missing, which is said.
    pub(super) fn event(self, builder: &mut Builder<'_>) -> Option<Event<'t>> {
        let word = |datum: Option<Datum<'t>>| match datum {
            Some(Datum::Word(word)) => Some(word.text),
            _ => None,
        };
        let missing = |builder: &mut Builder<'_>, field: &str, such: &str| {
            builder.wrong_word(self.at, format!("the operation has no `{field}`"), such);
        };
        let Some(process) = word(self.process) else {
            missing(builder, "process", "such as `:process 0`");
            return None;
        };
        // What disturbs a run on purpose is no client.
        if process.starts_with(':') || process == "nemesis" {
            return None;
        }
        let kind = word(self.kind);
        let Some(kind) = kind.as_deref().and_then(Kind::of) else {
            missing(builder, "type", "types are `:invoke`, `:ok`, `:fail` and `:info`");
            return None;
        };
        let name = word(self.name).unwrap_or_default();
        if name.is_empty() && kind == Kind::Invoke {
            missing(builder, "f", "such as `:f :push`");
            return None;
        }
        let name = match name {
            Cow::Borrowed(name) => Cow::Borrowed(name.strip_prefix(':').unwrap_or(name)),
            Cow::Owned(name) => Cow::Owned(name.strip_prefix(':').map_or(name.clone(), str::to_owned)),
        };
        let time = word(self.time);
        if let Some(time) = time.as_deref().filter(|time| time.parse::<i64>().is_err()) {
            let message = format!("the time `{}` is not a 64-bit number", shortened(time));
            builder.wrong_word(self.at, message, "times are whole numbers, such as `:time 3291485317`");
            return None;
        }
        Some(Event {
            kind,
            process,
            name,
            value: self.value.unwrap_or(Datum::Nil),
            time: time.and_then(|time| time.parse().ok()),
            key: word(self.key),
            object: word(self.object).map(|object| match object {
                Cow::Borrowed(object) => Cow::Borrowed(object.strip_prefix(':').unwrap_or(object)),
                Cow::Owned(object) => Cow::Owned(object),
            }),
            at: self.at,
            name_at: self.name_at,
            line: self.line,
        })
    }
}

pub(super) fn print(recording: &Recording) -> Result<String, Unprintable> {
    let mut out = String::new();
    for event in written(recording)? {
        let process = scalar(event.history.thread(event.operation.thread));
        if process == "\"nemesis\"" || process.starts_with("\":") {
            return Err(Unprintable(format!("Jepsen has no client called {process}")));
        }
        let kind = if event.kind == Kind::Ok { "ok" } else { "invoke" };
        let _ = write!(out, "{{:process {process}, :type :{kind}, :f :{}, :value ", event.name);
        value(&mut out, &event);
        if let Some(object) = event.object {
            let _ = write!(out, ", :object :{}", object.name());
        }
        let _ = writeln!(out, ", :time {}}}", event.time);
    }
    Ok(out)
}

/// The value of an operation map.
pub(super) fn value(out: &mut String, event: &Written<'_>) {
    if event.has_keys {
        let _ = write!(out, "[{} ", scalar(&event.history.name));
    }
    let items: Vec<String> = event.value.iter().map(|item| self::item(*item)).collect();
    match items.as_slice() {
        [] => out.push_str("nil"),
        [item] => out.push_str(item),
        _ => {
            let _ = write!(out, "[{}]", items.join(" "));
        }
    }
    if event.has_keys {
        out.push(']');
    }
}

fn item(item: Item<'_>) -> String {
    match item {
        Item::Value(value) => scalar(value),
        Item::Number(number) => number.to_string(),
        Item::Flag(flag) => flag.to_string(),
        Item::Empty => "nil".to_owned(),
    }
}

/// A number if it is one, else a text in quotes.
fn scalar(text: &str) -> String {
    match text.parse::<i64>() {
        Ok(number) if number.to_string() == text => text.to_owned(),
        _ => quoted(text),
    }
}
