//! Words, and where they stand.

use crate::program::Span;
use std::borrow::Cow;

/// A line of a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    /// From 1 on.
    pub(super) number: u32,
    pub(super) start: usize,
    /// Behind its last character, its end (`\n` or `\r\n`) left out.
    pub(super) end: usize,
}

/// The lines of a text.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Line> {
    let mut start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut number = 0;
    std::iter::from_fn(move || {
        if start >= text.len() {
            return None;
        }
        // Most lines are short.
        let length = text.as_bytes()[start..].iter().position(|byte| *byte == b'\n');
        let end = length.map_or(text.len(), |length| start + length);
        number += 1;
        let is_dos = end > start && text.as_bytes()[end - 1] == b'\r';
        let line = Line { number, start, end: end - usize::from(is_dos) };
        start = end + 1;
        Some(line)
    })
}

/// A word.
#[derive(Clone, Debug)]
pub(super) struct Word<'t> {
    pub(super) text: Cow<'t, str>,
    /// Whether it stands in quotes: then it is a value, whatever it says.
    pub(super) is_quoted: bool,
    pub(super) at: usize,
}

/// Goes through a line word by word.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    pub(super) end: usize,
}

/// What ends a word.
const fn is_delimiter(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b';' | b',' | b'[' | b']' | b'(' | b')' | b'"' | b'|')
}

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t str, line: Line) -> Self {
        Self { text, at: line.start, end: line.end }
    }

    /// The next byte behind blanks; `None` at the end of the line or at a comment.
    pub(super) fn peek(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while self.at < self.end && matches!(bytes[self.at], b' ' | b'\t' | b'\r') {
            self.at += 1;
        }
        let byte = *bytes.get(self.at).filter(|_| self.at < self.end)?;
        let is_comment = byte == b'#' || byte == b'/' && self.at + 1 < self.end && bytes[self.at + 1] == b'/';
        (!is_comment).then_some(byte)
    }

    /// Goes behind a symbol if it is the next one.
    pub(super) fn take(&mut self, symbol: u8) -> bool {
        let found = self.peek() == Some(symbol);
        self.at += usize::from(found);
        found
    }

    /// The characters up to the next delimiter; empty if there are none.
    pub(super) fn bare(&mut self) -> &'t str {
        if self.peek().is_none() {
            return "";
        }
        let bytes = self.text.as_bytes();
        let start = self.at;
        while self.at < self.end && !is_delimiter(bytes[self.at]) {
            self.at += 1;
        }
        &self.text[start..self.at]
    }

    /// The next word: bare, in quotes, or in parentheses with all that is in them. `None` if there is none.
    pub(super) fn word(&mut self) -> Option<Word<'t>> {
        let first = self.peek()?;
        let at = self.at;
        match first {
            b'"' => {
                let text = self.quoted()?;
                Some(Word { text, is_quoted: true, at })
            }
            b'(' => {
                let end = self.closing()?;
                self.at = end;
                Some(Word { text: Cow::Borrowed(&self.text[at..end]), is_quoted: false, at })
            }
            _ => {
                let text = self.bare();
                (!text.is_empty()).then_some(Word { text: Cow::Borrowed(text), is_quoted: false, at })
            }
        }
    }

    /// Behind the parenthesis that closes the next one.
    fn closing(&self) -> Option<usize> {
        let mut depth = 0_usize;
        for (at, byte) in self.text.as_bytes()[self.at..self.end].iter().enumerate() {
            match byte {
                b'(' => depth += 1,
                b')' => depth -= 1,
                b'"' => return None,
                _ => {}
            }
            if depth == 0 {
                return Some(self.at + at + 1);
            }
        }
        None
    }

    /// What stands in quotes.
    fn quoted(&mut self) -> Option<Cow<'t, str>> {
        let start = self.at + 1;
        let length = quoted_length(&self.text.as_bytes()[start..self.end])?;
        self.at = start + length + 1;
        Some(unescaped(&self.text[start..start + length]))
    }
}

/// How much stands before the quote that ends a text in quotes.
pub(super) fn quoted_length(bytes: &[u8]) -> Option<usize> {
    let mut is_escaped = false;
    bytes.iter().position(|byte| {
        let ends = *byte == b'"' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        ends
    })
}

/// What is meant by a text in quotes.
pub(super) fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            out.push(character);
            continue;
        }
        match characters.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some(other) => out.push(other),
            None => {}
        }
    }
    Cow::Owned(out)
}

/// A text in quotes.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for character in text.chars() {
        match character {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '"' | '\\' => out.extend(['\\', character]),
            _ => out.push(character),
        }
    }
    out.push('"');
    out
}

/// Whether a text is one word as it stands, without quotes.
pub(super) fn is_word(text: &str) -> bool {
    if text.contains(['\n', '\r', '\u{feff}']) {
        return false;
    }
    let mut cursor = Cursor { text, at: 0, end: text.len() };
    cursor.word().is_some_and(|word| !word.is_quoted && word.text == text)
}

/// The place of a piece of text. Goes through all that stands before it.
pub(super) fn span(text: &str, start: usize, end: usize) -> Span {
    let start = text.floor_char_boundary(start.min(text.len()));
    let end = text.floor_char_boundary(end.clamp(start, text.len()));
    let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
    let line = text.as_bytes()[..start].iter().filter(|byte| **byte == b'\n').count();
    let column = text[line_start..start].chars().filter(|character| *character != '\u{feff}').count();
    Span { start: start as u32, end: end as u32, line: line as u32 + 1, column: column as u32 + 1 }
}

/// Where the word ends that begins somewhere; the line, if it is no word. Not far away in any case.
pub(super) fn word_end(text: &str, start: usize) -> usize {
    const LONGEST: usize = 256;
    let start = start.min(text.len());
    let rest = &text.as_bytes()[start..text.len().min(start + LONGEST)];
    let ends = |byte: &u8| is_delimiter(*byte) || *byte == b':';
    let length = match rest.iter().position(ends) {
        Some(0) => rest.iter().position(|byte| *byte == b'\n'),
        length => length,
    };
    start + length.unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<(String, bool)> {
        let mut cursor = Cursor { text, at: 0, end: text.len() };
        std::iter::from_fn(|| cursor.word().map(|word| (word.text.into_owned(), word.is_quoted))).collect()
    }

    #[test]
    fn words_may_be_quoted_or_tuples() {
        let bare = |text: &str| (text.to_owned(), false);
        assert_eq!(
            words(r#"push "a \"b\"" (c,(1, 2)) é # no"#),
            [bare("push"), ("a \"b\"".to_owned(), true), bare("(c,(1, 2))"), bare("é")]
        );
        assert_eq!(words("a //b"), [bare("a")]);
        for broken in ["\"a", "(a", "()\"", ";", "(\")"] {
            assert!(words(broken).len() <= 1, "{broken}");
        }
        for (text, is_one) in
            [("1", true), ("(a,1)", true), ("a b", false), ("", false), ("#a", false), ("a\n", false), ("a\"", false)]
        {
            assert_eq!(is_word(text), is_one, "{text}");
            assert_eq!(words(&quoted(text)), [(text.to_owned(), true)]);
        }
    }

    #[test]
    fn lines_know_their_places() {
        let text = "\u{feff}a\r\n\nbé";
        let found: Vec<_> = lines(text).map(|line| (line.number, &text[line.start..line.end])).collect();
        assert_eq!(found, [(1, "a"), (2, ""), (3, "bé")]);
        let place = span(text, text.len(), text.len() + 9);
        assert_eq!((place.line, place.column), (3, 3));
        assert_eq!(span(text, 3, 4).column, 1);
    }
}
