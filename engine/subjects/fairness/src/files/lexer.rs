//! The words and signs of our own texts, a line at a time.

use super::prism_labels::quoted;
use std::borrow::Cow;
use std::ops::Range;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A word or a number.
    Word,
    /// A text in quotes.
    Quoted,
    /// `->`, `,`, `:`, `{` or `}`.
    Sign(&'static str),
    /// A comment, to the end of its line.
    Comment,
    /// A sign that means nothing here, or a quote without an end.
    Unknown,
}

/// A token with the place of its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) range: Range<usize>,
}

pub(crate) const SIGNS: [&str; 5] = ["->", ",", ":", "{", "}"];

/// How long the word at the beginning of a text is.
fn word_length(text: &str) -> usize {
    let in_words = |(at, sign): (usize, char)| {
        sign.is_alphanumeric() || matches!(sign, '_' | '.' | '\'') || sign == '-' && !text[at..].starts_with("->")
    };
    text.char_indices().find(|next| !in_words(*next)).map_or(text.len(), |(at, _)| at)
}

/// Whether a name is a word, which needs no quotes.
pub(crate) fn is_word(name: &str) -> bool {
    !name.is_empty() && word_length(name) == name.len()
}

/// The tokens of a line that begins somewhere. Linear.
pub(crate) fn tokens(start: usize, line: &str) -> impl Iterator<Item = Token> {
    let mut rest = line;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(super::draft::is_blank);
        let first = rest.chars().next()?;
        let sign = SIGNS.into_iter().find(|sign| rest.starts_with(sign));
        let (kind, length) = if first == '#' || rest.starts_with("//") {
            (Kind::Comment, rest.trim_end().len())
        } else if first == '"' {
            quoted(rest).map_or((Kind::Unknown, rest.trim_end().len()), |(_, length)| (Kind::Quoted, length))
        } else if let Some(sign) = sign {
            (Kind::Sign(sign), sign.len())
        } else {
            match word_length(rest) {
                0 => (Kind::Unknown, first.len_utf8()),
                length => (Kind::Word, length),
            }
        };
        let at = start + line.len() - rest.len();
        rest = &rest[length..];
        Some(Token { kind, range: at..at + length })
    })
}

/// A way through the tokens of a line, comments left out.
pub(crate) struct Line<'t> {
    pub(crate) text: &'t str,
    tokens: Vec<Token>,
    at: usize,
    end: usize,
}

impl<'t> Line<'t> {
    pub(crate) fn new(text: &'t str, start: usize, line: &str) -> Self {
        let tokens = tokens(start, line).filter(|token| token.kind != Kind::Comment).collect();
        Self { text, tokens, at: 0, end: start + line.trim_end().len() }
    }

    pub(crate) fn is_end(&self) -> bool {
        self.at == self.tokens.len()
    }

    /// The place of the present token, or the end of the line.
    pub(crate) fn place(&self) -> Range<usize> {
        self.tokens.get(self.at).map_or(self.end..self.end, |token| token.range.clone())
    }

    /// From a token on to the one in front of the present one.
    pub(crate) fn since(&self, start: usize) -> Range<usize> {
        start..self.at.checked_sub(1).map_or(start, |last| self.tokens[last].range.end)
    }

    pub(crate) fn is_sign(&self, ahead: usize, sign: &str) -> bool {
        matches!(self.tokens.get(self.at + ahead), Some(Token { kind: Kind::Sign(is), .. }) if *is == sign)
    }

    pub(crate) fn take(&mut self, sign: &str) -> bool {
        let is_here = self.is_sign(0, sign);
        self.at += usize::from(is_here);
        is_here
    }

    /// The present word without quotes.
    pub(crate) fn word(&self) -> Option<&'t str> {
        let token = self.tokens.get(self.at).filter(|token| token.kind == Kind::Word)?;
        Some(&self.text[token.range.clone()])
    }

    pub(crate) fn take_word(&mut self, word: &str) -> bool {
        let is_here = self.word() == Some(word);
        self.at += usize::from(is_here);
        is_here
    }

    /// Goes past a name, in quotes or not.
    pub(crate) fn name(&mut self) -> Option<(Cow<'t, str>, Range<usize>)> {
        let Token { kind, range } = self.tokens.get(self.at)?.clone();
        let text = &self.text[range.clone()];
        let name = match kind {
            Kind::Word => Cow::Borrowed(text),
            Kind::Quoted => Cow::Owned(quoted(text)?.0),
            _ => return None,
        };
        self.at += 1;
        Some((name, range))
    }

    /// What stands here, for messages.
    pub(crate) fn found(&self) -> String {
        match self.tokens.get(self.at) {
            None => "the end of the line".to_owned(),
            Some(Token { kind: Kind::Unknown, range }) if self.text[range.clone()].starts_with('"') => {
                "a quote without an end".to_owned()
            }
            Some(token) => format!("`{}`", super::draft::shortened(&self.text[token.range.clone()])),
        }
    }

    /// What has to follow instead of what stands here, as a message.
    pub(crate) fn expected(&self, what: &str) -> String {
        format!("expected {what}, found {}", self.found())
    }
}
