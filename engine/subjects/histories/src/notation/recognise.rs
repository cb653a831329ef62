//! Which format a text has.

use super::jepsen::Kind;
use super::lex::{Cursor, Line, lines};
use super::names::Verb;
use super::{Format, csv, json, limo, log, own, porcupine};

/// How many lines are looked at.
const LINES: usize = 1000;

/// How much of an operation is looked at.
const LONGEST: usize = 1 << 16;

/// The format of a text, by its content; nothing if it is no history in a known format.
///
/// A text that is not right in its format has this format all the same, as far as its first lines tell.
pub fn detect(text: &str) -> Option<Format> {
    let mut first = None;
    for line in lines(text).take(LINES) {
        let mut cursor = Cursor::new(text, line);
        if limo::named_object(text, line).is_some() {
            return Some(Format::Limo);
        }
        // `#jepsen.history.Op{:process 0`, which is no comment.
        let content = text[line.start..line.end].trim_start();
        if content.starts_with('#') && content.contains("{:") {
            return maps(text, line.end - content.len());
        }
        if cursor.peek().is_some() && !content.starts_with(';') {
            first.get_or_insert((line, cursor.at));
            break;
        }
    }
    let (line, at) = first?;
    let content = &text[at..line.end];
    if own::title(content).is_some() {
        let body = lines(text).skip_while(|other| other.start <= line.start).take(LINES);
        return Some(body.filter_map(|line| own_line(text, line, false)).next().unwrap_or(Format::Text));
    }
    if content.starts_with(['{', '[', '('])
        && let Some(format) = maps(text, at)
    {
        return Some(format);
    }
    if is_call(text, line) {
        return Some(Format::Limo);
    }
    if csv::is_header(text, line) {
        return Some(Format::Csv);
    }
    if let Some(format) = own_line(text, line, true) {
        return Some(format);
    }
    let is_log = lines(text).take(LINES).any(|line| matches!(log::event(text, line), log::Found::Event(_)));
    is_log.then_some(Format::Log)
}

/// Operation maps in EDN or JSON, or Porcupine's operations.
fn maps(text: &str, at: usize) -> Option<Format> {
    let bytes = text.as_bytes();
    // Vectors of operations, and the tags of Clojure's records.
    let start = at + text[at..].bytes().take(LONGEST).position(|byte| byte == b'{')?;
    let before = &text[at..start];
    if !before.chars().all(|c| c.is_whitespace() || matches!(c, '[' | '(' | '#' | '.' | '_') || c.is_alphanumeric()) {
        return None;
    }
    let inner = text[start + 1..].trim_start();
    if inner.starts_with(':') {
        let end = text.floor_char_boundary((start + LONGEST).min(text.len()));
        let map = &text[start..end];
        return (map.contains(":process") && map.contains(":type")).then_some(Format::Edn);
    }
    if !inner.starts_with('"') {
        return None;
    }
    let window = &bytes[..bytes.len().min(start + LONGEST)];
    let fields = json::object_end(window, start).and_then(|end| serde_json::from_str(&text[start..end]).ok());
    match fields {
        Some(fields) if porcupine::is_operation(&fields) => Some(Format::Porcupine),
        Some(fields) => {
            let kind = fields.get("type").and_then(serde_json::Value::as_str);
            kind.and_then(Kind::of).map(|_| Format::Json)
        }
        // The only object is torn, or no JSON.
        None => {
            let map = String::from_utf8_lossy(&window[start..]);
            if map.contains("\"Input\"") {
                Some(Format::Porcupine)
            } else {
                (map.contains("\"process\"") && map.contains("\"type\"")).then_some(Format::Json)
            }
        }
    }
}

/// Whether a line is `[1] call push(1)`.
fn is_call(text: &str, line: Line) -> bool {
    let mut cursor = Cursor::new(text, line);
    cursor.take(b'[') && !cursor.bare().is_empty() && cursor.take(b']') && matches!(cursor.bare(), "call" | "return")
}

/// Which of our own texts a line is of. Where nothing else says that it is of a history, only what no other text has
/// counts.
fn own_line(text: &str, line: Line, is_strict: bool) -> Option<Format> {
    let mut cursor = Cursor::new(text, line);
    let name = cursor.bare();
    if name.is_empty() || name == "init" {
        return None;
    }
    let Some((_, rest)) =
        text[line.start..line.end].split_once(':').filter(|_| name.contains(':') || cursor.peek() == Some(b':'))
    else {
        let word = cursor.bare();
        let is_event = match word {
            "call" => Verb::of(cursor.bare()).is_some() || !is_strict,
            "return" => !is_strict,
            _ => false,
        };
        return is_event.then_some(Format::Calls);
    };
    let rest = rest.trim();
    if rest.starts_with("|-") || !is_strict && rest.starts_with('|') {
        return Some(Format::Bars);
    }
    if !is_strict {
        return Some(Format::Text);
    }
    // `push 1 [0,2]`: an operation and its times, of which one at least has to be there.
    let first = rest.split(';').next().unwrap_or_default();
    let name_end = first.find(|c: char| c.is_whitespace() || c == '(').unwrap_or(first.len());
    let times = first.split_once(" [").map(|(_, times)| times.trim_start());
    let is_times = times.is_some_and(|times| times.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit()));
    (is_times && !first.contains('=') && Verb::of(&first[..name_end]).is_some()).then_some(Format::Text)
}
