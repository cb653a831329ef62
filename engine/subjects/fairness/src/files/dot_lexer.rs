//! The words and signs of DOT.

use super::draft::{Said, Stop, is_blank};
use std::ops::Range;

/// What stands next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A name or a number without quotes.
    Word(String),
    /// A text in quotes.
    Quoted(String),
    /// A piece of HTML in angle brackets.
    Html,
    /// `->`.
    Arrow,
    /// `--`.
    Undirected,
    /// One of `{ } [ ] = ; , : +`.
    Sign(char),
    /// The end of the text.
    End,
}

/// A way through a text.
pub(super) struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    fn skip(&mut self, said: &mut Said<'_>) -> Result<(), Stop> {
        loop {
            let rest = &self.text[self.at..];
            let blanks = rest.len() - rest.trim_start_matches(is_blank).len();
            let begins_line = self.at == 0 || self.text[..self.at + blanks].ends_with('\n');
            self.at += blanks;
            let rest = &self.text[self.at..];
            if rest.starts_with("//") || rest.starts_with('#') && begins_line {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if let Some(comment) = rest.strip_prefix("/*") {
                let Some(length) = comment.find("*/") else {
                    return Err(said.error(self.at..self.at + 2, "the comment has no end", "`*/` ends it"));
                };
                self.at += length + 4;
            } else {
                return Ok(());
            }
        }
    }

    /// The next token with its place.
    pub(super) fn next(&mut self, said: &mut Said<'_>) -> Result<(Token, Range<usize>), Stop> {
        self.skip(said)?;
        let start = self.at;
        let rest = &self.text[start..];
        let Some(first) = rest.chars().next() else { return Ok((Token::End, start..start)) };
        let (token, length) = if rest.starts_with("->") {
            (Token::Arrow, 2)
        } else if rest.starts_with("--") {
            (Token::Undirected, 2)
        } else if "{}[]=;,:+".contains(first) {
            (Token::Sign(first), 1)
        } else if first == '"' {
            let Some(read) = quoted(rest) else {
                return Err(said.error(start..start + 1, "the quotes are not closed", "`\"` closes them"));
            };
            read
        } else if first == '<' {
            let Some(length) = html_length(rest) else {
                return Err(said.error(start..start + 1, "the angle brackets are not closed", "`>` closes them"));
            };
            (Token::Html, length)
        } else {
            let length = word_length(rest);
            if length == 0 {
                let end = start + first.len_utf8();
                return Err(said.error(start..end, format!("`{first}` means nothing here"), "put names in quotes"));
            }
            (Token::Word(rest[..length].to_owned()), length)
        };
        self.at = start + length;
        Ok((token, start..self.at))
    }
}

/// A text in quotes, in which `\"` is a quote and the end of a line can be hidden; other backslashes stay.
fn quoted(text: &str) -> Option<(Token, usize)> {
    let (mut out, mut signs) = (String::new(), text.char_indices().skip(1));
    while let Some((at, sign)) = signs.next() {
        match sign {
            '"' => return Some((Token::Quoted(out), at + 1)),
            '\\' => match signs.next()?.1 {
                '"' => out.push('"'),
                '\n' => {}
                other => out.extend(['\\', other]),
            },
            _ => out.push(sign),
        }
    }
    None
}

fn html_length(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'<' => depth += 1,
            b'>' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

/// How long the name or number at the beginning of a text is.
fn word_length(text: &str) -> usize {
    let run = |from: usize, fits: &dyn Fn(char) -> bool| {
        from + text[from..].find(|sign| !fits(sign)).unwrap_or(text.len() - from)
    };
    let is_digit = |sign: char| sign.is_ascii_digit();
    if text.starts_with(|sign: char| sign.is_ascii_digit() || matches!(sign, '-' | '.')) {
        let whole = run(usize::from(text.starts_with('-')), &is_digit);
        let end = if text[whole..].starts_with('.') { run(whole + 1, &is_digit) } else { whole };
        return if text[..end].bytes().any(|byte| byte.is_ascii_digit()) { end } else { 0 };
    }
    // Graphviz has all bytes of other alphabets in names.
    run(0, &|sign| sign.is_ascii_alphanumeric() || sign == '_' || !sign.is_ascii() && !is_blank(sign))
}
