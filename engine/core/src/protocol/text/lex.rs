//! Words of texts about protocols.

use crate::budget::Paused;
use crate::program::Span;
use crate::syntax::Diagnostic;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Name,
    Number,
    Symbol(&'static str),
    Newline,
    Unknown,
    End,
}

/// A token and where it stands.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    pub kind: Kind,
    pub span: Span,
}

/// Longer ones first.
const SYMBOLS: [&str; 25] = [
    "->", ":=", "!=", "<=", ">=", "..", "(", ")", "[", "]", "{", "}", ",", ";", ":", "=", "<", ">", "+", "-", "*", "!",
    "|", ".", "/",
];

fn is_name_character(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '\'')
}

/// The tokens of a text, comments and blanks left out, with an end behind them.
pub fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let (mut at, mut line, mut line_start) = (0, 1, 0);
    while at < text.len() {
        let rest = &text[at..];
        let first = rest.chars().next().unwrap_or_default();
        let (kind, length) = if first == '\n' {
            (Some(Kind::Newline), 1)
        } else if first.is_whitespace() || first == '\u{feff}' {
            (None, first.len_utf8())
        } else if first == '#' || rest.starts_with("//") {
            (None, rest.find('\n').unwrap_or(rest.len()))
        } else if is_name_character(first) {
            let length = rest.find(|c: char| !is_name_character(c)).unwrap_or(rest.len());
            let is_number = rest[..length].chars().all(|c| c.is_ascii_digit());
            (Some(if is_number { Kind::Number } else { Kind::Name }), length)
        } else if let Some(symbol) = SYMBOLS.into_iter().find(|symbol| rest.starts_with(symbol)) {
            (Some(Kind::Symbol(symbol)), symbol.len())
        } else {
            (Some(Kind::Unknown), first.len_utf8())
        };
        let column = text[line_start..at].chars().count() as u32 + 1;
        let span = Span { start: at as u32, end: (at + length) as u32, line, column };
        tokens.extend(kind.map(|kind| Token { kind, span }));
        at += length;
        if kind == Some(Kind::Newline) {
            (line, line_start) = (line + 1, at);
        }
    }
    let column = text[line_start..].chars().count() as u32 + 1;
    let span = Span { start: text.len() as u32, end: text.len() as u32, line, column };
    tokens.push(Token { kind: Kind::End, span });
    tokens
}

/// What is wrong.
pub type Wrong = Box<Diagnostic>;

/// Why there is no machine: something is wrong, or somebody wants to stop.
#[derive(Debug)]
pub enum Stopped {
    Wrong(Wrong),
    Paused,
}

impl From<Wrong> for Stopped {
    fn from(wrong: Wrong) -> Self {
        Self::Wrong(wrong)
    }
}

impl From<Paused> for Stopped {
    fn from(Paused: Paused) -> Self {
        Self::Paused
    }
}

/// A message at a place.
pub fn wrong(message: impl Into<String>, span: Span, help: impl Into<String>) -> Wrong {
    Box::new(Diagnostic::error(message.into(), span).with_help(help))
}

/// A way through tokens.
pub struct Cursor<'t> {
    pub text: &'t str,
    tokens: Vec<Token>,
    at: usize,
    /// How deep it is in parentheses and braces.
    depth: u32,
}

/// How deep texts may be nested.
const DEEPEST: u32 = 60;

impl<'t> Cursor<'t> {
    pub fn new(text: &'t str) -> Self {
        Self { text, tokens: tokens(text), at: 0, depth: 0 }
    }

    /// The present token.
    pub fn token(&self) -> Token {
        self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    pub fn span(&self) -> Span {
        self.token().span
    }

    /// The text of a place.
    pub fn word(&self, span: Span) -> &'t str {
        &self.text[span.start as usize..span.end as usize]
    }

    /// Goes on.
    pub fn next(&mut self) -> Token {
        let token = self.token();
        self.at += 1;
        token
    }

    pub fn skip_newlines(&mut self) {
        while self.token().kind == Kind::Newline {
            self.at += 1;
        }
    }

    pub fn is_end(&self) -> bool {
        self.token().kind == Kind::End
    }

    pub fn is_symbol(&self, symbol: &str) -> bool {
        self.token().kind == Kind::Symbol(SYMBOLS.into_iter().find(|other| *other == symbol).unwrap_or(""))
    }

    /// Goes past a symbol, if it is there.
    pub fn take(&mut self, symbol: &str) -> bool {
        let is_there = self.is_symbol(symbol);
        self.at += usize::from(is_there);
        is_there
    }

    /// Whether a word is here.
    pub fn is_word(&self, word: &str) -> bool {
        let token = self.token();
        matches!(token.kind, Kind::Name) && self.word(token.span) == word
    }

    /// Goes past a word, if it is there.
    pub fn take_word(&mut self, word: &str) -> bool {
        let is_there = self.is_word(word);
        self.at += usize::from(is_there);
        is_there
    }

    /// What stands here, for messages.
    pub fn found(&self) -> String {
        match self.token().kind {
            Kind::Newline => "the end of the line".to_owned(),
            Kind::End => "the end of the text".to_owned(),
            _ => format!("`{}`", self.word(self.span())),
        }
    }

    /// Goes past a symbol, which has to be there.
    pub fn expect(&mut self, symbol: &str, help: &str) -> Result<(), Wrong> {
        if self.take(symbol) {
            return Ok(());
        }
        Err(wrong(format!("expected `{symbol}`, found {}", self.found()), self.span(), help))
    }

    /// A name; numbers do as well where states and threads are named.
    pub fn name(&mut self, what: &str, help: &str) -> Result<(&'t str, Span), Wrong> {
        let token = self.token();
        if !matches!(token.kind, Kind::Name | Kind::Number) {
            return Err(wrong(format!("expected {what}, found {}", self.found()), token.span, help));
        }
        self.at += 1;
        Ok((self.word(token.span), token.span))
    }

    /// The end of a line or of the text, or a brace that closes.
    pub fn end_of_line(&mut self, help: &str) -> Result<(), Wrong> {
        if self.take(";") || self.is_end() || self.is_symbol("}") {
            return Ok(());
        }
        if self.token().kind == Kind::Newline {
            self.skip_newlines();
            return Ok(());
        }
        Err(wrong(format!("expected the end of the line, found {}", self.found()), self.span(), help))
    }

    /// Does something one level deeper.
    pub fn deeper<T>(&mut self, inside: impl FnOnce(&mut Self) -> Result<T, Wrong>) -> Result<T, Wrong> {
        if self.depth == DEEPEST {
            return Err(wrong("the nesting is too deep", self.span(), "split it into several rules"));
        }
        self.depth += 1;
        let result = inside(self);
        self.depth -= 1;
        result
    }
}
