//! LiMo's and Violin's histories: calls and returns, a line each.

use super::build::{Builder, Wrong};
use super::lex::{Cursor, Line, lines};
use super::names;
use super::own::event;
use super::spell::{self, Spelling};
use crate::syntax::Unprintable;
use crate::{Object, Recording};
use std::fmt::Write as _;

const LINES: &str = "lines are `[1] call push(1)`, `[1] return`, `[1] return 1` or `# @object atomic-stack`";

pub(super) fn read(builder: &mut Builder<'_>) -> Result<(), Wrong> {
    let text = builder.text;
    let book = builder.begin("", None);
    for line in lines(text) {
        if builder.is_given_up() {
            return Err(Wrong);
        }
        let mut cursor = Cursor::new(text, line);
        if cursor.peek().is_some() {
            read_line(builder, book, line, cursor)?;
        } else if let Some((at, word)) = named_object(text, line) {
            match names::object(word) {
                Some(object) => builder.set_object(book, object),
                None => {
                    let message = format!("`{}` is not a known object", super::build::shortened(word));
                    let known = Object::ALL.map(Object::name);
                    builder.wrong_word(at, message, format!("known objects are {}", crate::words::list(known)));
                }
            }
        }
    }
    Ok(())
}

/// The object that a comment names, and where.
pub(super) fn named_object(text: &str, line: Line) -> Option<(usize, &str)> {
    let rest = text[line.start..line.end].trim_start().strip_prefix('#')?.trim_start().strip_prefix("@object")?;
    let word = rest.split_whitespace().next()?;
    let at = line.end - rest.len() + (rest.len() - rest.trim_start().len());
    Some((at, word))
}

fn read_line<'t>(builder: &mut Builder<'t>, book: usize, line: Line, mut cursor: Cursor<'t>) -> Result<(), Wrong> {
    let start = cursor.at;
    if !cursor.take(b'[') {
        builder.expected(&cursor, "`[` and the name of a thread", LINES);
        return Ok(());
    }
    let name = cursor.bare();
    if name.is_empty() {
        builder.expected(&cursor, "the name of a thread", LINES);
        return Ok(());
    }
    if !cursor.take(b']') {
        builder.expected(&cursor, "`]`", LINES);
        return Ok(());
    }
    let thread = builder.thread(name);
    event(builder, Some(book), thread, start, line, cursor)
}

pub(super) fn print(recording: &Recording) -> Result<String, Unprintable> {
    const NAME: &str = "LiMo's format";
    let history = spell::only(recording, NAME)?;
    if history.initial.is_some() {
        return Err(Unprintable(format!("{NAME} does not say what a register holds at first")));
    }
    let object = spell::object(history)?;
    let prefix = if matches!(object, Object::Stack | Object::Queue) { "atomic-" } else { "" };
    let mut out = format!("# @object {prefix}{}\n", object.name());
    for event in spell::events(history)? {
        let operation = history.operation(event.operation);
        let thread = history.thread(operation.thread);
        if !super::lex::is_word(thread) || thread.starts_with('(') {
            return Err(Unprintable(format!("{NAME} cannot name a thread {thread:?}")));
        }
        let spelling = Spelling::of(history, operation)?;
        let _ = write!(out, "[{thread}] ");
        if event.is_return {
            out.push_str("return");
            if let Some(result) = spelling.result {
                let _ = write!(out, " {}", result.plain(NAME)?);
            }
        } else {
            let _ = write!(out, "call {}", spelling.name);
            let mut arguments = Vec::new();
            for item in spelling.arguments.iter().flatten() {
                arguments.push(item.plain(NAME)?);
            }
            if !arguments.is_empty() {
                let _ = write!(out, "({})", arguments.join(", "));
            }
        }
        out.push('\n');
    }
    Ok(out)
}
