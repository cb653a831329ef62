//! The words and signs of the HOA format.

use crate::files::{Said, Stop, is_blank, shortened};
use std::borrow::Cow;
use std::ops::Range;

/// What stands next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token<'t> {
    /// A name with `:` right behind it.
    Header(&'t str),
    /// A name.
    Word(&'t str),
    /// A name behind `@`.
    Alias(&'t str),
    /// A whole number.
    Number(&'t str),
    /// A text in quotes.
    Text(Cow<'t, str>),
    /// One of `! & | ( ) [ ] { }`.
    Sign(char),
    /// `--BODY--`.
    Body,
    /// `--END--`.
    Finish,
    /// `--ABORT--`.
    Abort,
    /// The end of the text.
    End,
}

pub(super) type Placed<'t> = (Token<'t>, Range<usize>);

/// A way through a text.
pub(super) struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

const MARKS: [(&str, Token<'static>); 3] =
    [("--BODY--", Token::Body), ("--END--", Token::Finish), ("--ABORT--", Token::Abort)];

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    /// Goes past blanks and comments, which may be in each other.
    fn skip(&mut self, said: &mut Said<'_>) -> Result<(), Stop> {
        loop {
            let rest = &self.text[self.at..];
            self.at += rest.len() - rest.trim_start_matches(is_blank).len();
            let rest = &self.text[self.at..];
            if !rest.starts_with("/*") {
                return Ok(());
            }
            let (mut depth, mut length, bytes) = (1_usize, 2, rest.as_bytes());
            while depth > 0 {
                match bytes.get(length..length + 2) {
                    Some(b"/*") => (depth, length) = (depth + 1, length + 2),
                    Some(b"*/") => (depth, length) = (depth - 1, length + 2),
                    Some(_) => length += 1,
                    None => return Err(said.error(self.at..self.at + 2, "the comment has no end", "`*/` ends it")),
                }
            }
            self.at += length;
        }
    }

    /// The next token with its place.
    pub(super) fn next(&mut self, said: &mut Said<'_>) -> Result<Placed<'t>, Stop> {
        self.skip(said)?;
        let start = self.at;
        let rest = &self.text[start..];
        let Some(first) = rest.chars().next() else { return Ok((Token::End, start..start)) };
        let run = |fits: &dyn Fn(char) -> bool| rest[1..].find(|sign| !fits(sign)).map_or(rest.len(), |at| at + 1);
        let in_names = |sign: char| sign.is_ascii_alphanumeric() || sign == '_' || sign == '-';
        let mark = MARKS.into_iter().find(|(mark, _)| rest.starts_with(mark));
        let (token, length) = if let Some((mark, token)) = mark {
            (token, mark.len())
        } else if first.is_ascii_digit() {
            let length = run(&|sign| sign.is_ascii_digit());
            (Token::Number(&rest[..length]), length)
        } else if first == '@' {
            let length = run(&in_names);
            (Token::Alias(&rest[..length]), length)
        } else if first.is_ascii_alphabetic() || first == '_' {
            let length = run(&in_names);
            let word = &rest[..length];
            if rest[length..].starts_with(':') {
                (Token::Header(word), length + 1)
            } else {
                (Token::Word(word), length)
            }
        } else if first == '"' {
            let Some(read) = quoted(rest) else {
                return Err(said.error(start..start + 1, "the quotes are not closed", "`\"` closes them"));
            };
            read
        } else if "!&|()[]{}".contains(first) {
            (Token::Sign(first), 1)
        } else {
            let end = start + first.len_utf8();
            let line = rest.lines().next().unwrap_or_default();
            let message = format!("`{}` means nothing here", shortened(line));
            return Err(said.error(start..end, message, "names are of letters, digits, `_` and `-`"));
        };
        self.at = start + length;
        Ok((token, start..self.at))
    }
}

fn quoted(text: &str) -> Option<(Token<'_>, usize)> {
    let (mut changed, mut signs) = (None::<String>, text.char_indices().skip(1));
    while let Some((at, sign)) = signs.next() {
        match sign {
            '"' => {
                let inside = changed.map_or(Cow::Borrowed(&text[1..at]), Cow::Owned);
                return Some((Token::Text(inside), at + 1));
            }
            '\\' => changed.get_or_insert_with(|| text[1..at].to_owned()).push(signs.next()?.1),
            _ => changed.iter_mut().for_each(|changed| changed.push(sign)),
        }
    }
    None
}
