//! Whether a text is meant as a history, by a glance at its first lines.
//!
//! The page asks this of every text before anything that reads histories is there, so no parser is named here. What [`super::detect`] takes
//! for a history is one here, too; a few texts that it finds no format for are taken for broken histories.

use super::lex::{Cursor, Line, lines};

/// How many lines are looked at.
const LINES: usize = 1000;

/// How much of an operation is looked at, in bytes.
const LONGEST: usize = 1 << 16;

/// What a table has to have: what the titles of its threads, calls and returns begin with.
const COLUMNS: [&[&str]; 3] = [
    &["thread", "process", "client", "tid", "pid"],
    &["call", "start", "begin", "invo"],
    &["return", "end", "finish", "complete"],
];

/// Whether a text is meant as a history: its first line that says something is of histories alone.
pub fn begins_history(text: &str) -> bool {
    let mut first = None;
    for line in lines(text).take(LINES) {
        let content = text[line.start..line.end].trim_start();
        if let Some(comment) = content.strip_prefix('#') {
            if comment.trim_start().starts_with("@object ") {
                return true;
            }
            if content.contains("{:") {
                return is_map(text, line.end - content.len());
            }
        }
        let mut cursor = Cursor::new(text, line);
        if cursor.peek().is_some() && !content.starts_with(';') {
            first = Some((line, cursor.at));
            break;
        }
    }
    let Some((line, at)) = first else { return false };
    let content = &text[at..line.end];
    is_title(content)
        || content.starts_with(['{', '[', '(']) && is_map(text, at)
        || is_call(text, line)
        || is_header(content)
        || is_own(text, line)
        || lines(text).take(LINES).any(|line| is_logged(&text[line.start..line.end]))
}

/// `history`, with a name or not.
fn is_title(content: &str) -> bool {
    content.strip_prefix("history").is_some_and(|rest| {
        (rest.trim_start().is_empty() || rest.starts_with([' ', '\t', '#']))
            && !rest.trim_start().starts_with([':', '=', '('])
    })
}

/// Operation maps in EDN or JSON, or Porcupine's operations.
fn is_map(text: &str, at: usize) -> bool {
    let end = text.floor_char_boundary((at + LONGEST).min(text.len()));
    let start = &text[at..end];
    let Some((before, inner)) = start.split_once('{') else { return false };
    let is_tag =
        |byte: u8| byte.is_ascii_alphanumeric() || byte.is_ascii_whitespace() || b"[(#._".contains(&byte) || byte > 127;
    let has = |words: [&str; 2]| words.iter().all(|word| inner.contains(word));
    let names: [&[[&str; 2]]; 2] =
        [&[[":process", ":type"]], &[["\"Input\"", "\""], ["\"input\"", "\"call"], ["\"type\"", "\""]]];
    before.bytes().all(is_tag)
        && match inner.trim_start().as_bytes().first() {
            Some(b':') => names[0].iter().any(|names| has(*names)),
            Some(b'"') => names[1].iter().any(|names| has(*names)),
            _ => false,
        }
}

/// `[1] call push(1)`.
fn is_call(text: &str, line: Line) -> bool {
    let mut cursor = Cursor::new(text, line);
    cursor.take(b'[') && !cursor.bare().is_empty() && cursor.take(b']') && matches!(cursor.bare(), "call" | "return")
}

/// `thread,operation,value,result,call,return`, in any order.
fn is_header(content: &str) -> bool {
    let begins = |title: &str, word: &&str| {
        title.as_bytes().get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()))
    };
    let has = |words: &[&str]| {
        content.split([',', ';', '\t']).any(|title| {
            let title = title.trim_start_matches(['"', ' ']);
            words.iter().any(|word| begins(title, word))
        })
    };
    content.contains([',', ';', '\t']) && COLUMNS.iter().all(|words| has(words))
}

/// `T1: push 1 [0,2]`, `T1 call push 1`, or `T1: |-push 1-|`.
fn is_own(text: &str, line: Line) -> bool {
    let mut cursor = Cursor::new(text, line);
    let name = cursor.bare();
    if name.is_empty() || name == "init" {
        return false;
    }
    let named =
        text[line.start..line.end].split_once(':').filter(|_| name.contains(':') || cursor.peek() == Some(b':'));
    let Some((_, rest)) = named else { return cursor.bare() == "call" && !cursor.bare().is_empty() };
    let rest = rest.trim();
    let first = rest.split(';').next().unwrap_or_default();
    let is_time = |times: &str| times.trim_start().trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit());
    let has_times = first.split_once(" [").is_some_and(|(_, times)| is_time(times));
    rest.starts_with("|-")
        || has_times && first.starts_with(|c: char| c.is_ascii_alphabetic()) && !first.contains(['=', '{'])
}

/// A line of a log: a process, what it does, an operation.
fn is_logged(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    let mut process = "";
    let found = words.by_ref().any(|word| {
        let is_kind = matches!(word, ":invoke" | ":ok" | ":fail" | ":info") && !process.is_empty();
        if !is_kind {
            process = word;
        }
        is_kind
    });
    found && (process == ":nemesis" || process.bytes().all(|byte| byte.is_ascii_digit())) && words.next().is_some()
}
