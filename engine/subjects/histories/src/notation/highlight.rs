//! Colours for our own texts.

use super::build::Code;
use super::lex::{Cursor, Line, lines};
use super::names::{self, Verb};
use crate::syntax::{MAX_SOURCE, TokenClass};
use std::ops::Range;

type Classes = Vec<(Range<usize>, TokenClass)>;

/// The classes of the words of our own text as byte ranges, in order, without overlaps. Broken text has classes too; a
/// text that is too long for an editor has none.
pub fn highlight_history(text: &str) -> Classes {
    let mut classes = Classes::new();
    if text.len() > MAX_SOURCE {
        return classes;
    }
    for line in lines(text) {
        highlight_line(text, line, &mut classes);
    }
    classes
}

/// What the next word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    Thread,
    /// `call`, `return`.
    Event,
    Operation,
    Value,
    Time,
    Title,
}

fn highlight_line(text: &str, line: Line, classes: &mut Classes) {
    let mut cursor = Cursor::new(text, line);
    let mut expected = Expected::Thread;
    while let Some(byte) = cursor.peek() {
        let start = cursor.at;
        let class = match byte {
            b'[' => {
                expected = Expected::Time;
                symbol(&mut cursor, TokenClass::Operator)
            }
            b']' => {
                expected = Expected::Value;
                symbol(&mut cursor, TokenClass::Operator)
            }
            b';' => {
                expected = Expected::Operation;
                symbol(&mut cursor, TokenClass::Operator)
            }
            b':' if matches!(expected, Expected::Thread | Expected::Event) => {
                expected = Expected::Operation;
                symbol(&mut cursor, TokenClass::Operator)
            }
            b',' | b')' => symbol(&mut cursor, TokenClass::Operator),
            b'|' | b'-' | b'>' if matches!(expected, Expected::Operation | Expected::Value) && is_bar(&cursor) => {
                if byte == b'|' {
                    expected = Expected::Operation;
                }
                dashes(&mut cursor)
            }
            b'(' if expected == Expected::Value && text.as_bytes()[start - 1] != b' ' => {
                symbol(&mut cursor, TokenClass::Operator)
            }
            _ => word(text, &mut cursor, &mut expected),
        };
        classes.push((start..cursor.at, class));
    }
    // A comment is all that is left.
    let rest = &text[cursor.at..line.end];
    let end = cursor.at + rest.trim_end().len();
    if end > cursor.at {
        classes.push((cursor.at..end, TokenClass::Comment));
    }
}

fn symbol(cursor: &mut Cursor<'_>, class: TokenClass) -> TokenClass {
    cursor.at += 1;
    class
}

/// Whether a dash is part of a bar, not of a number.
fn is_bar(cursor: &Cursor<'_>) -> bool {
    let rest = &cursor.text.as_bytes()[cursor.at..cursor.end];
    !matches!(rest, [b'-', b'0'..=b'9', ..])
}

fn dashes(cursor: &mut Cursor<'_>) -> TokenClass {
    let bytes = cursor.text.as_bytes();
    while cursor.at < cursor.end && matches!(bytes[cursor.at], b'|' | b'-' | b'>') {
        cursor.at += 1;
    }
    TokenClass::Separator
}

fn word(text: &str, cursor: &mut Cursor<'_>, expected: &mut Expected) -> TokenClass {
    let start = cursor.at;
    if cursor.word().is_none() {
        // What no word begins with, or what has no end: then nothing behind it is looked at again.
        let has_end = !text[start..].starts_with(['"', '(']);
        cursor.at = if has_end { start + text[start..].chars().next().map_or(1, char::len_utf8) } else { cursor.end };
        return TokenClass::Unknown;
    }
    if *expected == Expected::Thread
        && let Some(colon) = text[start..cursor.at].find(':').filter(|colon| *colon > 0)
    {
        cursor.at = start + colon;
    }
    // The dashes behind a value are of its bar.
    let found = &text[start..cursor.at];
    if matches!(expected, Expected::Operation | Expected::Value) && !found.starts_with(['"', '(']) {
        let bar = found.trim_end_matches(['-', '>']).len();
        if bar > 0 && (found.ends_with('-') || found.ends_with("->")) {
            cursor.at = start + bar;
        }
    }
    let word = &text[start..cursor.at];
    let (class, next) = match (*expected, word) {
        (Expected::Thread, "history") => (TokenClass::Keyword, Expected::Title),
        (Expected::Thread, "init") => (TokenClass::Keyword, Expected::Value),
        (Expected::Thread, _) => (TokenClass::Label, Expected::Event),
        (Expected::Event, "call") => (TokenClass::Keyword, Expected::Operation),
        (Expected::Event, "return") => (TokenClass::Keyword, Expected::Value),
        (Expected::Event, _) => (TokenClass::Unknown, Expected::Value),
        (Expected::Operation, _) if Verb::of(word).is_some() => (TokenClass::Keyword, Expected::Value),
        (Expected::Operation, _) => (TokenClass::Unknown, Expected::Value),
        (Expected::Value, _) if Code::of(word).is_some() => (TokenClass::Mode, Expected::Value),
        (Expected::Value, _) => (TokenClass::Shared, Expected::Value),
        (Expected::Time, _) => (TokenClass::Number, Expected::Time),
        (Expected::Title, _) if names::object(word).is_some() => (TokenClass::Mode, Expected::Title),
        (Expected::Title, _) => (TokenClass::Label, Expected::Title),
    };
    *expected = next;
    class
}
