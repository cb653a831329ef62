//! Characters to tokens. Never fails: what is no token becomes [`Kind::Unknown`].

use crate::program::Span;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A name that is not reserved.
    Name,
    /// A name in backquotes, reserved or not.
    Quoted,
    /// Digits, and letters that follow them.
    Number,
    /// A reserved word or punctuation, in its canonical spelling: `≤` is `<=`, `&&` and `/\` are `and`.
    Symbol(&'static str),
    /// `name ...` or `model ...` at the start of a line, up to the end of the line.
    Title(&'static str),
    /// The end of a line.
    Newline,
    /// A comment.
    Comment,
    /// A character that means nothing here.
    Unknown,
    /// The end of the text.
    End,
}

/// A token and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    /// What it is.
    pub kind: Kind,
    /// Where it is.
    pub span: Span,
}

impl Token {
    /// The token's text.
    pub(crate) fn text<'t>(&self, source: &'t str) -> &'t str {
        &source[self.span.start as usize..self.span.end as usize]
    }

    /// The name that a name token stands for, without backquotes.
    pub(crate) fn name<'t>(&self, source: &'t str) -> Option<&'t str> {
        match self.kind {
            Kind::Name => Some(self.text(source)),
            Kind::Quoted => Some(self.text(source).trim_matches('`')),
            _ => None,
        }
    }

    pub(crate) fn is(&self, symbol: &str) -> bool {
        matches!(self.kind, Kind::Symbol(s) if s == symbol)
    }
}

/// Reserved words; a variable with such a name is written in backquotes.
const KEYWORDS: &[&str] = &[
    "shared",
    "init",
    "if",
    "then",
    "else",
    "while",
    "repeat",
    "until",
    "assert",
    "assume",
    "skip",
    "error",
    "fence",
    "lock",
    "unlock",
    "and",
    "or",
    "not",
    "exists",
    "forall",
    "filter",
    "locations",
    "true",
    "false",
    "na",
    "rlx",
    "acq",
    "rel",
    "acqrel",
    "sc",
    "_",
];

/// Punctuation and its canonical spelling, longer ones first.
const PUNCTUATION: &[(&str, &str)] = &[
    ("|||", "||"),
    (":=", ":="),
    ("||", "||"),
    ("==", "="),
    ("!=", "!="),
    ("<>", "!="),
    ("<=", "<="),
    (">=", ">="),
    ("<<", "<<"),
    (">>", ">>"),
    ("&&", "and"),
    ("/\\", "and"),
    ("\\/", "or"),
    ("≔", ":="),
    ("←", ":="),
    ("∥", "||"),
    ("‖", "||"),
    ("≠", "!="),
    ("≤", "<="),
    ("≥", ">="),
    ("∧", "and"),
    ("∨", "or"),
    ("¬", "not"),
    ("−", "-"),
    ("∃", "exists"),
    ("∀", "forall"),
    ("=", "="),
    ("<", "<"),
    (">", ">"),
    ("+", "+"),
    ("-", "-"),
    ("*", "*"),
    ("/", "/"),
    ("%", "%"),
    ("&", "&"),
    ("|", "|"),
    ("^", "^"),
    ("~", "~"),
    ("!", "!"),
    ("?", "?"),
    ("(", "("),
    (")", ")"),
    ("[", "["),
    ("]", "]"),
    ("{", "{"),
    ("}", "}"),
    (",", ","),
    (";", ";"),
    (":", ":"),
    (".", "."),
];

/// Whether a name has to be written in backquotes.
pub(super) fn needs_quotes(name: &str) -> bool {
    let mut chars = name.chars();
    let plain = chars.next().is_some_and(starts_name) && chars.all(continues_name);
    !plain || KEYWORDS.contains(&name) || matches!(name, "name" | "model" | "none") || super::parser::is_function(name)
}

/// A name as it is written in a text.
pub(super) fn quoted(name: &str) -> String {
    if needs_quotes(name) { format!("`{name}`") } else { name.to_owned() }
}

fn starts_name(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn continues_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '\'' | '′')
}

/// The tokens of a text, an [`Kind::End`] last.
pub(crate) fn tokens(source: &str) -> Vec<Token> {
    let mut lexer = Lexer { source, at: 0, line: 1, column: 1, line_start: true };
    let mut tokens = Vec::new();
    loop {
        let token = lexer.next();
        tokens.push(token);
        if token.kind == Kind::End {
            return tokens;
        }
    }
}

struct Lexer<'t> {
    source: &'t str,
    at: usize,
    line: u32,
    column: u32,
    /// Only blanks since the line began.
    line_start: bool,
}

impl<'t> Lexer<'t> {
    fn rest(&self) -> &'t str {
        &self.source[self.at..]
    }

    fn advance(&mut self, length: usize) {
        for c in self.source[self.at..self.at + length].chars() {
            if c == '\n' {
                self.line += 1;
                self.column = 1;
            } else {
                self.column += 1;
            }
        }
        self.at += length;
    }

    fn next(&mut self) -> Token {
        let blank = |c: char| c != '\n' && (c.is_whitespace() || matches!(c, '\u{feff}' | '\u{200b}'));
        let blanks = self.rest().len() - self.rest().trim_start_matches(blank).len();
        self.advance(blanks);
        let start = Span { start: self.at as u32, end: 0, line: self.line, column: self.column };
        let (kind, length) = self.recognise();
        self.line_start = kind == Kind::Newline;
        self.advance(length);
        Token { kind, span: Span { end: self.at as u32, ..start } }
    }

    fn recognise(&self) -> (Kind, usize) {
        let rest = self.rest();
        let run = |matches: fn(char) -> bool| rest.find(|c| !matches(c)).unwrap_or(rest.len());
        let Some(first) = rest.chars().next() else { return (Kind::End, 0) };
        if first == '\n' {
            return (Kind::Newline, 1);
        }
        if first == '#' || rest.starts_with("//") {
            return (Kind::Comment, run(|c| c != '\n'));
        }
        if self.line_start
            && let Some(title) = title(rest)
        {
            return title;
        }
        if first == '`' {
            // An unclosed or empty quote is an unknown character.
            return match rest[1..].find(['`', '\n']) {
                Some(length) if length > 0 && rest[1 + length..].starts_with('`') => (Kind::Quoted, length + 2),
                _ => (Kind::Unknown, 1),
            };
        }
        if starts_name(first) {
            let length = run(continues_name);
            let keyword = KEYWORDS.iter().find(|keyword| **keyword == &rest[..length]);
            return (keyword.map_or(Kind::Name, |keyword| Kind::Symbol(keyword)), length);
        }
        if first.is_ascii_digit() {
            return (Kind::Number, run(continues_name));
        }
        match PUNCTUATION.iter().find(|(spelling, _)| rest.starts_with(spelling)) {
            Some((spelling, symbol)) => (Kind::Symbol(symbol), spelling.len()),
            None => (Kind::Unknown, first.len_utf8()),
        }
    }
}

/// A `name ...` or `model ...` line; not `name := 1`, nor `name[0]`.
fn title(rest: &str) -> Option<(Kind, usize)> {
    let keyword = ["name", "model"].into_iter().find(|keyword| rest.starts_with(keyword))?;
    let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
    let text = line[keyword.len()..].trim_start_matches([' ', '\t', '\u{a0}']);
    if text.len() == line.len() - keyword.len() && !text.trim().is_empty() {
        return None;
    }
    if [":", "=", "[", "≔", "←", "|", "∥"].iter().any(|operator| text.starts_with(operator)) {
        return None;
    }
    let end = if let Some(quoted) = text.strip_prefix('"') {
        // The closing quote: the first one that no backslash escapes.
        let mut escaped = false;
        let closes = |&(_, c): &(usize, char)| {
            let closes = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            closes
        };
        quoted.char_indices().find(closes).map_or(text.len(), |(at, _)| at + 2)
    } else {
        let comment = |at: &usize| text[*at..].starts_with("//") || text[*at..].starts_with(['#', ';']);
        (0..text.len()).filter(|at| text.is_char_boundary(*at)).find(comment).unwrap_or(text.len())
    };
    let length = line.len() - text.len() + text[..end].trim_end().len();
    Some((Kind::Title(keyword), length.max(keyword.len())))
}
