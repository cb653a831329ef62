//! What herd's dialects share: tokens, the header, the initial values, and the lines behind the threads.
//!
//! ```text
//! C name                              X86 name
//! "doc string"                        Key=Value
//! { x=1; int q[2]={1,2}; 0:r0=5; }    { 0:eax=5; }
//! threads                             threads
//! locations [0:r0; x;]
//! filter (x=1)
//! exists (0:r0=1 /\ [x]=2)
//! ```

use super::{Diagnostic, Severity, Unprintable, types};
use crate::program::{
    Access, AccessKind, Address, Comparison, Condition, Expression, Integer, Mode, Notation, Object, ObjectId,
    Observable, Origin, Place, PlaceKind, Program, Proposition, Quantifier, RegisterId, Span, Statement, StatementKind,
    Term, Thread, Value,
};
use crate::sort;
use rustc_hash::{FxHashMap, FxHashSet};

/// How many messages there are at most.
const MAX_DIAGNOSTICS: usize = 50;
/// How deep the parsers recurse: about two levels for a pair of parentheses. Bounded for the stack of a web page.
const MAX_DEPTH: u32 = 250;
/// How many operators an expression or a condition may have: its tree may be as deep as that.
const MAX_OPERATORS: u32 = 500;
/// How many shared locations there may be.
const MAX_LOCATIONS: usize = 4096;
/// How many registers a thread may have.
pub(super) const MAX_REGISTERS: usize = 10_000;

/// Says that a message has been left with the [`Cursor`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Reported;

/// A parser's result.
pub(super) type Parse<T> = Result<T, Reported>;

/// What the tokens between the braces, or below the header row, are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// C.
    C,
    /// Instructions in columns.
    Assembly,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Word,
    Number,
    Symbol,
    /// Behind the last token, again and again.
    End,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'t> {
    pub kind: Kind,
    pub text: &'t str,
    pub span: Span,
}

impl Token<'_> {
    /// Whether it is this symbol or this word.
    pub(super) fn is(&self, text: &str) -> bool {
        self.kind != Kind::Number && self.text == text
    }

    /// How messages name it.
    fn found(&self) -> String {
        match self.kind {
            Kind::End => "the end of the text".to_owned(),
            _ => format!("`{}`", shortened(self.text)),
        }
    }
}

/// A name as messages show it: hostile ones are long.
pub(super) fn shortened(text: &str) -> String {
    if text.chars().count() <= 40 { text.to_owned() } else { text.chars().take(39).chain(['…']).collect() }
}

/// The span from the start of one to the end of the other.
pub(super) fn join(from: Span, to: Span) -> Span {
    Span { end: to.end.max(from.end), ..from }
}

/// Goes through the text character by character.
#[derive(Clone, Copy)]
struct Scanner<'t> {
    text: &'t str,
    offset: usize,
    line: u32,
    column: u32,
    style: Style,
}

impl<'t> Scanner<'t> {
    fn new(text: &'t str, style: Style) -> Self {
        let offset = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Self { text, offset, line: 1, column: 1, style }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.offset..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// The empty span here.
    fn here(&self) -> Span {
        Span { start: self.offset as u32, end: self.offset as u32, line: self.line, column: self.column }
    }

    fn since(&self, start: Span) -> (&'t str, Span) {
        (&self.text[start.start as usize..self.offset], Span { end: self.offset as u32, ..start })
    }

    fn step(&mut self) {
        if let Some(c) = self.peek() {
            self.offset += c.len_utf8();
            if c == '\n' {
                (self.line, self.column) = (self.line + 1, 1);
            } else {
                self.column += 1;
            }
        }
    }

    fn steps(&mut self, bytes: usize) {
        let end = (self.offset + bytes).min(self.text.len());
        while self.offset < end {
            self.step();
        }
    }

    fn step_while(&mut self, test: impl Fn(char) -> bool) {
        while self.peek().is_some_and(&test) {
            self.step();
        }
    }

    /// Skips blanks and comments; the start of a comment that does not end is the error.
    fn skip(&mut self, dereferences: bool) -> Result<(), Span> {
        loop {
            self.step_while(char::is_whitespace);
            let (rest, start) = (self.rest(), self.here());
            let is_comment = rest.starts_with("//") || rest.starts_with('#') && self.style == Style::Assembly;
            if is_comment {
                self.step_while(|c| c != '\n');
            } else if let Some(comment) = rest.strip_prefix("/*") {
                let length = comment.find("*/").ok_or(Span { end: start.start + 2, ..start })?;
                self.steps(length + 4);
            } else if rest.starts_with("(*") && !(dereferences && is_dereference(rest)) {
                self.steps(2);
                let mut open = 1;
                while open > 0 {
                    let rest = self.rest();
                    if rest.is_empty() {
                        return Err(Span { end: start.start + 2, ..start });
                    } else if rest.starts_with("(*") {
                        open += 1;
                        self.steps(2);
                    } else if rest.starts_with("*)") {
                        open -= 1;
                        self.steps(2);
                    } else {
                        self.step();
                    }
                }
            } else {
                return Ok(());
            }
        }
    }
}

/// `(*x == 1)` opens with the same characters as a comment: between braces it is one only if it ends on its line, or
/// does not go on with a name.
fn is_dereference(rest: &str) -> bool {
    // Not further than a line is long, or a text of nothing else would take long.
    let rest = &rest[2..rest.floor_char_boundary(1000.min(rest.len()))];
    let rest = rest.lines().next().unwrap_or_default();
    rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '(') && !rest.contains("*)")
}

/// How long the character constant is that a text starts with.
fn character(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('\'')?;
    let length = match inner.strip_prefix('\\') {
        Some(escaped) => 1 + escaped.chars().next()?.len_utf8(),
        None => inner.chars().next().filter(|c| !matches!(c, '\'' | '\n'))?.len_utf8(),
    };
    inner[length..].starts_with('\'').then_some(length + 2)
}

/// Symbols of more than one character, longer ones first.
const SYMBOLS: [&str; 25] = [
    "<<=", ">>=", "/\\", "\\/", "=>", "<>", "!=", "==", "<=", ">=", "&&", "||", "<<", ">>", "+=", "-=", "*=", "/=",
    "%=", "&=", "|=", "^=", "++", "--", "->",
];

/// Goes through the tokens and collects messages.
pub(super) struct Cursor<'t> {
    tokens: Vec<Token<'t>>,
    at: usize,
    errors: Vec<Diagnostic>,
    /// Warnings and notes.
    notes: Vec<Diagnostic>,
    depth: u32,
    operators: u32,
    style: Style,
}

impl<'t> Cursor<'t> {
    /// Reads the header, and the tokens from the initial values on. Returns the test's name with the cursor.
    pub(super) fn new(text: &'t str, architectures: &[&str], style: Style) -> Result<(String, Self), Vec<Diagnostic>> {
        let mut scanner = Scanner::new(text, style);
        let (name, directives) = header(&mut scanner, architectures).map_err(|error| vec![error])?;
        let mut cursor = Self { tokens: Vec::new(), ..Self::without_header("", style) };
        for mut directive in directives {
            cursor.scan(&mut directive, style);
            // The end of the line is not that of the text.
            cursor.tokens.pop();
        }
        cursor.scan(&mut scanner, style);
        Ok((name, cursor))
    }

    /// Reads the tokens of a text that has no header.
    pub(super) fn without_header(text: &'t str, style: Style) -> Self {
        let mut cursor =
            Self { tokens: Vec::new(), at: 0, errors: Vec::new(), notes: Vec::new(), depth: 0, operators: 0, style };
        cursor.scan(&mut Scanner::new(text, style), style);
        cursor
    }

    fn scan(&mut self, scanner: &mut Scanner<'t>, style: Style) {
        let mut braces = 0_u32;
        loop {
            if let Err(open) = scanner.skip(style == Style::C && braces > 0) {
                self.error(open, "this comment does not end", None);
                scanner.steps(scanner.rest().len());
            }
            let start = scanner.here();
            let rest = scanner.rest();
            let Some(first) = rest.chars().next() else {
                self.tokens.push(Token { kind: Kind::End, text: "", span: start });
                return;
            };
            let kind = if first.is_ascii_digit() {
                scanner.step_while(|c| c.is_ascii_alphanumeric() || c == '_');
                Kind::Number
            } else if let Some(length) = character(rest).filter(|_| style == Style::C) {
                scanner.steps(length);
                Kind::Number
            } else if first.is_ascii_alphabetic() || first == '_' {
                scanner.step_while(|c| c.is_ascii_alphanumeric() || c == '_');
                Kind::Word
            } else {
                // Two bars are two columns' ends in assembly.
                let symbol = SYMBOLS.iter().find(|s| rest.starts_with(**s) && (style == Style::C || **s != "||"));
                scanner.steps(symbol.map_or(first.len_utf8(), |symbol| symbol.len()));
                match first {
                    '{' => braces += 1,
                    '}' => braces = braces.saturating_sub(1),
                    _ => {}
                }
                Kind::Symbol
            };
            let (text, span) = scanner.since(start);
            self.tokens.push(Token { kind, text, span });
        }
    }

    pub(super) fn tokens(&self) -> &[Token<'t>] {
        &self.tokens
    }

    /// Puts other tokens in the place of those that there are.
    pub(super) fn rewrite(&mut self, rewrite: impl FnOnce(Vec<Token<'t>>) -> Vec<Token<'t>>) {
        self.tokens = rewrite(std::mem::take(&mut self.tokens));
    }

    /// The same, if nothing is wrong with them.
    ///
    /// # Errors
    /// What `rewrite` says.
    pub(super) fn try_rewrite<E>(
        &mut self,
        rewrite: impl FnOnce(&[Token<'t>]) -> Result<Vec<Token<'t>>, E>,
    ) -> Result<(), E> {
        self.tokens = rewrite(&self.tokens)?;
        Ok(())
    }

    /// What was read, or what is wrong with it.
    pub(super) fn finish(mut self, program: Program) -> Result<super::Parsed, Vec<Diagnostic>> {
        let list = if self.errors.is_empty() { &mut self.notes } else { &mut self.errors };
        sort::by_key(list, |diagnostic| diagnostic.span.start);
        if self.errors.is_empty() { Ok(super::Parsed { program, notes: self.notes }) } else { Err(self.errors) }
    }

    pub(super) fn peek(&self) -> Token<'t> {
        self.ahead(0)
    }

    pub(super) fn ahead(&self, count: usize) -> Token<'t> {
        self.tokens[(self.at + count).min(self.tokens.len() - 1)]
    }

    pub(super) fn next(&mut self) -> Token<'t> {
        let token = self.peek();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    /// Where the cursor is, for [`Cursor::go_to`].
    pub(super) fn position(&self) -> usize {
        self.at
    }

    pub(super) fn go_to(&mut self, position: usize) {
        // Behind the last message that is kept, there is nothing left to read.
        if self.errors.len() < MAX_DIAGNOSTICS {
            self.at = position.min(self.tokens.len() - 1);
        }
    }

    pub(super) fn at(&self, text: &str) -> bool {
        self.peek().is(text)
    }

    pub(super) fn at_end(&self) -> bool {
        self.peek().kind == Kind::End
    }

    pub(super) fn eat(&mut self, text: &str) -> Option<Span> {
        self.at(text).then(|| self.next().span)
    }

    /// The span of the token before this one.
    pub(super) fn previous(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    /// Whether the token before this one is this symbol or word.
    pub(super) fn previous_is(&self, text: &str) -> bool {
        self.at > 0 && self.tokens[self.at - 1].is(text)
    }

    /// From the given start to the previous token.
    pub(super) fn since(&self, start: Span) -> Span {
        join(start, self.previous())
    }

    pub(super) fn error(&mut self, span: Span, message: impl Into<String>, help: Option<&str>) {
        // A second message about the same place is about the first one's consequences.
        if self.errors.len() >= MAX_DIAGNOSTICS || self.errors.last().is_some_and(|last| last.span.start == span.start)
        {
            return;
        }
        let diagnostic = Diagnostic::error(message, span);
        self.errors.push(if let Some(help) = help { diagnostic.with_help(help) } else { diagnostic });
        if self.errors.len() == MAX_DIAGNOSTICS {
            self.at = self.tokens.len().saturating_sub(1);
        }
    }

    pub(super) fn note(&mut self, severity: Severity, span: Span, message: impl Into<String>, help: Option<&str>) {
        if self.notes.len() < MAX_DIAGNOSTICS {
            let help = help.map(str::to_owned);
            self.notes.push(Diagnostic { severity, message: message.into(), span, help });
        }
    }

    pub(super) fn fail<T>(&mut self, span: Span, message: impl Into<String>, help: Option<&str>) -> Parse<T> {
        self.error(span, message, help);
        Err(Reported)
    }

    /// The next token is not what was expected.
    pub(super) fn unexpected<T>(&mut self, expected: &str) -> Parse<T> {
        let token = self.peek();
        self.fail(token.span, format!("expected {expected}, found {}", token.found()), None)
    }

    pub(super) fn expect(&mut self, text: &str, what: &str) -> Parse<Span> {
        match self.eat(text) {
            Some(span) => Ok(span),
            None => self.unexpected(&format!("`{text}` {what}")),
        }
    }

    pub(super) fn word(&mut self, what: &str) -> Parse<Token<'t>> {
        if self.peek().kind == Kind::Word { Ok(self.next()) } else { self.unexpected(what) }
    }

    /// A number without a sign. Those beyond 63 bits wrap.
    pub(super) fn number(&mut self) -> Parse<Value> {
        let token = self.peek();
        if token.kind != Kind::Number {
            return self.unexpected("a number");
        }
        self.next();
        if let Some(inner) = token.text.strip_prefix('\'') {
            let mut characters = inner.chars();
            let value = match (characters.next(), characters.next()) {
                (Some('\\'), Some(escaped)) => match escaped {
                    '0' => 0,
                    'n' => 10,
                    't' => 9,
                    'r' => 13,
                    other => Value::from(u32::from(other)),
                },
                (Some(character), _) => Value::from(u32::from(character)),
                (None, _) => 0,
            };
            return Ok(value);
        }
        let lower = token.text.to_ascii_lowercase();
        let trimmed = lower.trim_end_matches(['u', 'l']);
        let octal = self.style == Style::C && trimmed.len() > 1 && !trimmed.starts_with("0x");
        let value = match (lower.strip_prefix("0x"), trimmed.strip_prefix('0').filter(|_| octal)) {
            (Some(digits), _) => u64::from_str_radix(digits.trim_end_matches(['u', 'l']), 16),
            (None, Some(digits)) => u64::from_str_radix(digits, 8),
            (None, None) => trimmed.parse(),
        };
        match value {
            Ok(value) => Ok(value as Value),
            Err(error) => {
                let large = matches!(error.kind(), std::num::IntErrorKind::PosOverflow);
                let what = if large { "does not fit into 64 bits" } else { "is not a number" };
                self.fail(token.span, format!("`{}` {what}", shortened(token.text)), None)
            }
        }
    }

    /// A number with an optional sign.
    pub(super) fn signed(&mut self) -> Parse<Value> {
        if self.eat("-").is_some() { Ok(self.number()?.wrapping_neg()) } else { self.number() }
    }

    /// Goes one level deeper. To be paired with [`Cursor::leave`] unless parsing fails; [`Cursor::restart_operators`] resets.
    pub(super) fn enter(&mut self) -> Parse<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.fail(
                self.peek().span,
                format!("nested more than {MAX_DEPTH} deep"),
                Some("use fewer levels; parentheses are two or three"),
            );
        }
        Ok(())
    }

    pub(super) fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    pub(super) fn depth(&self) -> u32 {
        self.depth
    }

    pub(super) fn set_depth(&mut self, depth: u32) {
        self.depth = depth;
    }

    /// A new statement or condition starts.
    pub(super) fn restart_operators(&mut self) {
        self.operators = 0;
    }

    pub(super) fn count_operator(&mut self) -> Parse<()> {
        self.operators += 1;
        if self.operators > MAX_OPERATORS {
            let message = format!("more than {MAX_OPERATORS} operators in one expression");
            return self.fail(self.peek().span, message, Some("split it"));
        }
        Ok(())
    }

    /// Skips to behind the next `;` or block, or to before the `}` that closes the one we are in.
    pub(super) fn recover(&mut self) {
        let mut open = 0_u32;
        loop {
            let token = self.peek();
            match token.text {
                _ if token.kind == Kind::End => return,
                "}" if open == 0 => return,
                ";" if open == 0 => {
                    self.next();
                    return;
                }
                "{" => open += 1,
                "}" => {
                    open -= 1;
                    if open == 0 {
                        self.next();
                        return;
                    }
                }
                _ => {}
            }
            self.next();
        }
    }
}

/// The name in a first line that may go on with a description: `SB "Fre PodWR"`, `SB [two threads]`.
fn without_description(line: &str) -> &str {
    let opens = |(at, c): (usize, char)| matches!(c, '"' | '(' | '[') && line[..at].ends_with(char::is_whitespace);
    line.char_indices().find(|found| opens(*found)).map_or(line, |(at, _)| line[..at].trim_end())
}

/// Reads the lines before the initial values; returns the test's name, and where there are directives for C's preprocessor.
fn header<'t>(scanner: &mut Scanner<'t>, architectures: &[&str]) -> Result<(String, Vec<Scanner<'t>>), Diagnostic> {
    let mut directives = Vec::new();
    let endless = |span| Diagnostic::error("this comment does not end", span);
    scanner.skip(false).map_err(endless)?;
    let start = scanner.here();
    scanner.step_while(|c| !c.is_whitespace());
    let (word, span) = scanner.since(start);
    if !architectures.contains(&word) {
        let message = format!("expected `{} name` in the first line", architectures[0]);
        return Err(Diagnostic::error(message, span));
    }
    let start = scanner.here();
    scanner.step_while(|c| c != '\n');
    let name = without_description(scanner.since(start).0.trim()).to_owned();
    if name.is_empty() {
        return Err(Diagnostic::error("expected the test's name in the first line", span)
            .with_help(format!("write `{word} name`")));
    }
    loop {
        scanner.skip(false).map_err(endless)?;
        let (start, at) = (scanner.here(), *scanner);
        match scanner.peek() {
            Some('{') => return Ok((name, directives)),
            Some('"') => {
                scanner.step();
                scanner.step_while(|c| c != '"');
                if scanner.peek().is_none() {
                    let open = Span { end: start.start + 1, ..start };
                    return Err(Diagnostic::error("this doc string does not end", open));
                }
                scanner.step();
            }
            _ if let Some(length) = structure(scanner.rest()).filter(|_| scanner.style == Style::C) => {
                scanner.steps(length);
                let (_, span) = scanner.since(start);
                directives.push(Scanner { text: &scanner.text[..span.end as usize], ..at });
            }
            _ => {
                scanner.step_while(|c| c != '\n');
                let (line, span) = scanner.since(start);
                if line.starts_with('#') {
                    directives.push(Scanner { text: &scanner.text[..span.end as usize], ..at });
                } else if !line.contains('=') {
                    let span = Span { end: span.start + line.trim_end().len() as u32, ..span };
                    let is_declared = |what: &&'static str| {
                        line.strip_prefix(*what).is_some_and(|rest| rest.starts_with(char::is_whitespace))
                    };
                    if let Some(what) = ["struct", "union", "typedef", "enum"].into_iter().find(is_declared) {
                        return Err(Diagnostic::error(
                            format!("declarations of types such as this `{what}` are not supported"),
                            span,
                        )
                        .with_help("use several variables, each of a type that C has"));
                    }
                    return Err(Diagnostic::error("expected the initial values before the threads", span)
                        .with_help("write `{}` if everything starts at 0"));
                }
            }
        }
    }
}

/// How long the declaration of a structure is that a text starts with.
fn structure(text: &str) -> Option<usize> {
    let kind = text.strip_prefix("typedef").map_or(text, str::trim_start);
    kind.strip_prefix("struct").filter(|rest| rest.starts_with(|c: char| c.is_whitespace() || c == '{'))?;
    let mut depth = 0_u32;
    for (at, symbol) in text.char_indices() {
        match symbol {
            '{' => depth += 1,
            '}' => depth = depth.checked_sub(1)?,
            ';' if depth == 0 => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// The shared objects met so far.
#[derive(Default)]
pub(super) struct Objects<'t> {
    pub list: Vec<Object>,
    names: FxHashMap<&'t str, ObjectId>,
    /// Those that have been met as addresses only: their initial values may follow.
    pending: FxHashSet<ObjectId>,
    /// Those whose type has been given.
    typed: FxHashSet<ObjectId>,
    locations: usize,
}

impl<'t> Objects<'t> {
    pub(super) fn get(&self, name: &str) -> Option<ObjectId> {
        self.names.get(name).copied()
    }

    /// The object of that name, added as a plain variable at 0 if it is new.
    pub(super) fn declare(&mut self, cursor: &mut Cursor<'t>, name: Token<'t>) -> Parse<ObjectId> {
        match self.get(name.text) {
            Some(object) => Ok(object),
            None => self.add(cursor, name, vec![0], false),
        }
    }

    /// Adds an array that only one thread knows, under a name that the text does not have.
    pub(super) fn add_array(
        &mut self,
        cursor: &mut Cursor<'t>,
        (name, span): (String, Span),
        length: usize,
        integer: Integer,
    ) -> Parse<ObjectId> {
        self.locations += length;
        if self.locations > MAX_LOCATIONS {
            return cursor.fail(span, format!("more than {MAX_LOCATIONS} shared locations"), None);
        }
        let is_taken = |name: &str| {
            self.list.iter().any(|object| object.name == name) || cursor.tokens.iter().any(|token| token.is(name))
        };
        let mut names = std::iter::once(name.clone()).chain((1..).map(|number| format!("{name}_{number}")));
        let name = names.find(|name| !is_taken(name)).unwrap_or_default();
        let (initial, origin) = (vec![0; length], Origin::Declared);
        self.list.push(Object { name, initial, array: true, uninitialised: false, integer, origin, span });
        Ok(ObjectId((self.list.len() - 1) as u16))
    }

    fn add(&mut self, cursor: &mut Cursor<'t>, name: Token<'t>, initial: Vec<Value>, array: bool) -> Parse<ObjectId> {
        self.locations += initial.len();
        if self.locations > MAX_LOCATIONS {
            return cursor.fail(name.span, format!("more than {MAX_LOCATIONS} shared locations"), None);
        }
        let (text, span) = (name.text, name.span);
        let (name, origin) = (text.to_owned(), Origin::Declared);
        // In C, what nobody says more of is an `int`.
        let integer = if cursor.style == Style::C { Integer::Int32 } else { Integer::Int64 };
        let object = Object { name, initial, array, uninitialised: false, integer, origin, span };
        if let Some(id) = self.get(text) {
            self.pending.remove(&id);
            self.list[id.0 as usize] = object;
            return Ok(id);
        }
        let id = ObjectId(self.list.len() as u16);
        self.list.push(object);
        self.names.insert(text, id);
        Ok(id)
    }

    /// Adds an object with a type that some words name, if it is one of C's.
    fn add_typed(
        &mut self,
        cursor: &mut Cursor<'t>,
        name: Token<'t>,
        initial: Vec<Value>,
        array: bool,
        words: &[&str],
    ) -> Parse<()> {
        let object = self.add(cursor, name, initial, array)?;
        let named = types::named(words.iter().copied()).filter(|_| cursor.style == Style::C);
        match named {
            // Of an address or of what it leads to: parameters say which.
            Some(_) if words.contains(&"*") => self.list[usize::from(object.0)].integer = Integer::Address,
            Some(integer) => self.set_type(object, integer),
            None => {}
        }
        Ok(())
    }

    /// Whether the type of an object has been given.
    pub(super) fn is_typed(&self, object: ObjectId) -> bool {
        self.typed.contains(&object)
    }

    pub(super) fn set_type(&mut self, object: ObjectId, integer: Integer) {
        self.typed.insert(object);
        self.list[usize::from(object.0)].integer = integer;
    }

    /// Converts the initial values to the types of their objects.
    pub(super) fn convert_initial_values(&mut self, cursor: &mut Cursor<'_>) {
        for object in &mut self.list {
            let name = object.name.clone();
            let token = Token { kind: Kind::Word, text: &name, span: object.span };
            for value in &mut object.initial {
                *value = converted(cursor, *value, object.integer, token);
            }
        }
    }

    /// Whether the name has an initial value.
    fn is_initialised(&self, name: &str) -> bool {
        self.get(name).is_some_and(|object| !self.pending.contains(&object))
    }

    /// The address of an object or, `&q[1]`, of one of its elements. Adds the object if it is new.
    fn address(&mut self, cursor: &mut Cursor<'t>) -> Parse<Value> {
        cursor.eat("&");
        let name = cursor.word("the name of something shared")?;
        let known = self.get(name.text).is_some();
        let object = self.declare(cursor, name)?;
        if !known {
            self.pending.insert(object);
        }
        let mut offset = 0;
        if cursor.eat("[").is_some() {
            let index = cursor.peek().span;
            let number = cursor.signed()?;
            offset = match i32::try_from(number) {
                Ok(offset) => offset,
                Err(_) => return cursor.fail(index, "this index is too large for an address: more than 32 bits", None),
            };
            cursor.expect("]", "after the index")?;
        }
        Ok(Address { object, offset }.value())
    }
}

/// Converts what final values are compared with to the types of those.
pub(super) fn convert_constants(program: &mut Program) {
    let (mut filter, mut condition) = (program.filter.take(), program.condition.take());
    let integer = |observable| program.integer(observable);
    filter.iter_mut().for_each(|filter| filter.convert(&integer));
    condition.iter_mut().for_each(|condition| condition.proposition.convert(&integer));
    (program.filter, program.condition) = (filter, condition);
}

/// A register's initial value.
#[derive(Clone, Copy)]
pub(super) struct InitialRegister<'t> {
    /// The number of its thread, which is its place once it has been looked for ([`place_initial_registers`]).
    pub thread: usize,
    pub name: Token<'t>,
    pub value: Value,
    /// The type that the text gives it.
    pub integer: Option<Integer>,
}

/// Reads `{ ... }`.
pub(super) fn initial_values<'t>(cursor: &mut Cursor<'t>, objects: &mut Objects<'t>) -> Vec<InitialRegister<'t>> {
    let mut registers = Vec::new();
    let open = cursor.next().span;
    loop {
        if cursor.eat(";").is_some() {
        } else if cursor.eat("}").is_some() {
            while cursor.eat(";").is_some() {}
            return registers;
        } else if cursor.at_end() {
            cursor.error(open, "the initial values do not end", Some("close them with `}`"));
            return registers;
        } else if initial_value(cursor, objects, &mut registers).is_err() {
            cursor.recover();
        } else if !cursor.at(";") && !cursor.at("}") {
            let _ = cursor.unexpected::<()>("`;` after the initial value");
            cursor.recover();
        }
    }
}

/// A value that something begins with, as one of its type. Addresses stay what they are.
pub(super) fn converted(cursor: &mut Cursor<'_>, value: Value, integer: Integer, name: Token<'_>) -> Value {
    if Address::of(value).is_some() {
        return value;
    }
    let own = integer.convert(value);
    if own != value {
        let message = format!(
            "{} does not fit into the `{}` `{}`: it becomes {}",
            value,
            integer.name(),
            shortened(name.text),
            integer.text(own)
        );
        cursor.note(Severity::Warning, name.span, message, None);
    }
    own
}

fn initial_value<'t>(
    cursor: &mut Cursor<'t>,
    objects: &mut Objects<'t>,
    registers: &mut Vec<InitialRegister<'t>>,
) -> Parse<()> {
    let mut words: Vec<&str> = Vec::new();
    // A type, of one or several words, is followed by what it is the type of.
    while cursor.peek().kind == Kind::Word
        && (cursor.ahead(1).kind != Kind::Symbol || cursor.ahead(1).is("*"))
        && cursor.ahead(1).kind != Kind::End
    {
        words.push(cursor.next().text);
        while cursor.eat("*").is_some() {
            words.push("*");
        }
    }
    // `*x = 0` is what is at x.
    if cursor.at("*") && cursor.ahead(1).kind == Kind::Word {
        cursor.next();
    }
    if let Some((thread, _)) = thread_prefix(cursor)? {
        cursor.eat("%");
        let name = cursor.word("a register")?;
        let value = if cursor.eat("=").is_some() { initial_constant(cursor, objects)? } else { 0 };
        let is_pointer = words.contains(&"*");
        let integer = if is_pointer { Some(Integer::Address) } else { types::named(words.iter().copied()) };
        registers.push(InitialRegister { thread, name, value, integer });
        return Ok(());
    }
    let bracket = cursor.eat("[").is_some();
    let name = cursor.word("a shared variable or `thread:register`")?;
    if bracket {
        cursor.expect("]", "after the name")?;
    }
    if objects.is_initialised(name.text) {
        let message = format!("`{}` has two initial values", shortened(name.text));
        return cursor.fail(name.span, message, Some("keep one of them"));
    }
    let mut length = None;
    let array = !bracket && cursor.eat("[").is_some();
    if array && cursor.eat("]").is_none() {
        let span = cursor.peek().span;
        let count = cursor.number()?;
        if count < 1 || count > MAX_LOCATIONS as Value {
            return cursor.fail(span, format!("an array has 1 to {MAX_LOCATIONS} elements"), None);
        }
        length = Some(count as usize);
        cursor.expect("]", "after the array's length")?;
    }
    let mut initial = Vec::new();
    if cursor.eat("=").is_none() {
        if array && length.is_none() {
            return cursor.unexpected("the array's values, `={1,2}`");
        }
    } else if array || cursor.at("{") {
        let values = cursor.expect("{", "before the array's values")?;
        while cursor.eat("}").is_none() {
            initial.push(initial_constant(cursor, objects)?);
            if !cursor.at("}") {
                cursor.expect(",", "or `}` after an array's value")?;
            }
            if initial.len() > MAX_LOCATIONS {
                return cursor.fail(name.span, format!("an array has 1 to {MAX_LOCATIONS} elements"), None);
            }
        }
        if initial.is_empty() || length.is_some_and(|length| length != initial.len()) {
            let message = format!("the array has {} values", initial.len());
            return cursor.fail(values, message, Some("give as many as the length says, at least one"));
        }
        objects.add_typed(cursor, name, initial, true, &words)?;
        return Ok(());
    } else {
        initial.push(initial_constant(cursor, objects)?);
    }
    initial.resize(length.unwrap_or(1), 0);
    objects.add_typed(cursor, name, initial, array, &words)
}

/// A number or an address: `-1`, `ATOMIC_INIT(1)`, `x`, `&x`, `&q[1]`.
fn initial_constant<'t>(cursor: &mut Cursor<'t>, objects: &mut Objects<'t>) -> Parse<Value> {
    let token = cursor.peek();
    if matches!(token.text, "ATOMIC_INIT" | "ATOMIC_VAR_INIT") {
        cursor.next();
        cursor.expect("(", "after it")?;
        let value = cursor.signed()?;
        cursor.expect(")", "after the value")?;
        return Ok(value);
    }
    if matches!(token.text, "NULL" | "ATOMIC_FLAG_INIT" | "false") {
        cursor.next();
        return Ok(0);
    }
    if token.is("true") {
        cursor.next();
        return Ok(1);
    }
    if token.kind == Kind::Word || token.is("&") { objects.address(cursor) } else { cursor.signed() }
}

/// The `0:` or `P0:` before a register's name, with its span.
fn thread_prefix(cursor: &mut Cursor) -> Parse<Option<(usize, Span)>> {
    let token = cursor.peek();
    if !cursor.ahead(1).is(":") {
        return Ok(None);
    }
    let digits = match token.kind {
        Kind::Number => token.text,
        Kind::Word => token.text.strip_prefix('P').unwrap_or_default(),
        _ => return Ok(None),
    };
    cursor.next();
    cursor.next();
    match digits.parse() {
        Ok(thread) => Ok(Some((thread, token.span))),
        Err(_) => {
            let message = format!("`{}` is not a thread", shortened(token.text));
            cursor.fail(token.span, message, Some("threads are numbered from 0: `0:r0` or `P0:r0`"))
        }
    }
}

/// Initial registers by the place of their threads, whose numbers are given by place. Those of other threads are errors.
pub(super) fn place_initial_registers<'t>(
    cursor: &mut Cursor,
    registers: Vec<InitialRegister<'t>>,
    numbers: &[usize],
) -> Vec<InitialRegister<'t>> {
    let mut placed = Vec::new();
    for register in registers {
        match numbers.iter().position(|number| *number == register.thread) {
            Some(thread) => placed.push(InitialRegister { thread, ..register }),
            None => cursor.error(register.name.span, format!("there is no thread {}", register.thread), None),
        }
    }
    placed
}

/// Reads what stands behind the threads.
pub(super) struct Tail<'a, 't, F> {
    pub cursor: &'a mut Cursor<'t>,
    pub objects: &'a mut Objects<'t>,
    /// The numbers of the threads, by place.
    pub threads: &'a [usize],
    /// How the dialect finds a thread's register by its name; a message says why there is none.
    pub register: F,
}

/// Whether a token starts one of the lines behind the threads.
pub(super) fn tail_starts(cursor: &Cursor) -> bool {
    let token = cursor.peek();
    match token.text {
        "locations" | "filter" | "exists" | "forall" => true,
        // Of older tests; and what other models want to know of the threads.
        "final" => ["(", "~", "not"].iter().any(|opening| cursor.ahead(1).is(opening)),
        "scopes" | "regions" | "scopeTree" => cursor.ahead(1).is(":") || cursor.ahead(1).is("("),
        // `not` is also an instruction.
        "~" | "not" => cursor.ahead(1).is("exists"),
        _ => false,
    }
}

/// How tightly the operator binds that the proposition was built with.
type Level = u8;

impl<'t, F: FnMut(&mut Cursor<'t>, usize, Token<'t>) -> Parse<RegisterId>> Tail<'_, 't, F> {
    /// Reads up to the end of the text into the program.
    pub(super) fn read(mut self, program: &mut Program) {
        while !self.cursor.at_end() {
            let start = self.cursor.position();
            if self.line(program).is_err() {
                if self.cursor.position() == start {
                    self.cursor.next();
                }
                while !self.cursor.at_end() && !tail_starts(self.cursor) {
                    self.cursor.next();
                }
            }
        }
    }

    fn line(&mut self, program: &mut Program) -> Parse<()> {
        self.cursor.restart_operators();
        self.cursor.set_depth(0);
        let start = self.cursor.peek();
        if self.cursor.eat("locations").is_some() {
            if program.observed.is_some() {
                return self.cursor.fail(start.span, "a second `locations` line", Some("put everything into one"));
            }
            let observed = program.observed.insert(Vec::new());
            self.cursor.expect("[", "after `locations`")?;
            while self.cursor.eat("]").is_none() {
                if self.location_item(observed).is_err() {
                    while !self.cursor.at_end() && !self.cursor.at(";") && !self.cursor.at("]") {
                        self.cursor.next();
                    }
                }
                if self.cursor.eat(";").is_none() && !self.cursor.at("]") {
                    return self.cursor.unexpected("`;` or `]` after a location");
                }
            }
            return Ok(());
        }
        if self.cursor.eat("filter").is_some() {
            if program.filter.is_some() {
                return self.cursor.fail(start.span, "a second `filter` line", Some("join them with `/\\`"));
            }
            program.filter = Some(self.proposition(0)?.0);
            return Ok(());
        }
        if matches!(start.text, "scopes" | "regions" | "scopeTree") {
            let message = format!("`{}` is left out: no model here uses it", start.text);
            self.skip_to_next_line(start.span, &message);
            return Ok(());
        }
        let quantifier = match start.text {
            "exists" | "final" => Quantifier::Exists,
            "forall" => Quantifier::ForAll,
            "~" | "not" => {
                self.cursor.next();
                if !self.cursor.at("exists") {
                    return self.cursor.unexpected("`exists`");
                }
                Quantifier::NotExists
            }
            // herd takes a bare proposition for one to find.
            "(" => Quantifier::Exists,
            _ => return self.cursor.unexpected("`locations`, `filter`, `exists`, `~exists` or `forall`"),
        };
        if start.text != "(" {
            self.cursor.next();
        }
        if program.condition.is_some() {
            return self.cursor.fail(start.span, "a second final condition", Some("join them with `/\\` or `\\/`"));
        }
        let proposition = self.proposition(0)?.0;
        let span = self.cursor.since(start.span);
        program.condition = Some(Condition { quantifier, proposition, span });
        self.cursor.eat(";");
        let token = self.cursor.peek();
        if token.is("with") {
            self.skip_to_next_line(
                token.span,
                "the results that are expected `with` some models are left out: \
                                                Litmoscope computes the results",
            );
        }
        Ok(())
    }

    /// Leaves out what stands here, and says so.
    fn skip_to_next_line(&mut self, span: Span, message: &str) {
        self.cursor.next();
        // Expectations have quantifiers of their own: `with tso: ~exists;`.
        let is_expected = |cursor: &Cursor| {
            let ahead = usize::from(cursor.at("~") || cursor.at("not"));
            cursor.ahead(ahead).kind == Kind::Word && cursor.ahead(ahead + 1).is(";")
        };
        while !self.cursor.at_end() && (!tail_starts(self.cursor) || is_expected(self.cursor)) {
            self.cursor.next();
        }
        self.cursor.note(Severity::Warning, span, message, None);
    }

    fn location_item(&mut self, observed: &mut Vec<Observable>) -> Parse<()> {
        let name = self.cursor.peek();
        if let (Kind::Word, Some(object)) = (name.kind, self.objects.get(name.text)) {
            let length = self.objects.list[object.0 as usize].initial.len();
            if self.objects.list[object.0 as usize].array && !self.cursor.ahead(1).is("[") {
                // The whole array.
                self.cursor.next();
                observed.extend((0..length as u32).map(|offset| Observable::Location { object, offset }));
                return Ok(());
            }
        }
        let observable = self.observable()?;
        observed.push(observable);
        // A type for printing it may follow.
        while self.cursor.peek().kind == Kind::Word {
            self.cursor.next();
        }
        Ok(())
    }

    /// `0:r0`, `x`, `[x]`, `*x` or `x[1]`.
    fn observable(&mut self) -> Parse<Observable> {
        let dereferenced = self.cursor.eat("*").is_some();
        if let Some((thread, span)) = thread_prefix(self.cursor)? {
            self.cursor.eat("%");
            let name = self.cursor.word("a register")?;
            let Some(thread) = self.threads.iter().position(|number| *number == thread) else {
                return self.cursor.fail(span, format!("there is no thread {thread}"), None);
            };
            let register = (self.register)(self.cursor, thread, name)?;
            return Ok(Observable::Register { thread: thread as u16, register });
        }
        if self.cursor.at("fault") {
            return self.cursor.fail(self.cursor.peek().span, "faults are not supported", None);
        }
        let bracket = !dereferenced && self.cursor.eat("[").is_some();
        let name = self.cursor.word("a shared variable or `thread:register`")?;
        let object = match self.objects.get(name.text) {
            Some(object) => object,
            None => {
                let message = format!("no thread uses a shared variable `{}`: it stays 0", shortened(name.text));
                let help = Some("name a register with its thread: `0:r0`");
                self.cursor.note(Severity::Warning, name.span, message, help);
                self.objects.declare(self.cursor, name)?
            }
        };
        let length = self.objects.list[object.0 as usize].initial.len();
        let array = self.objects.list[object.0 as usize].array;
        let mut offset = 0;
        if self.cursor.eat("[").is_some() {
            let span = self.cursor.peek().span;
            offset = self.cursor.number()?;
            if !(0..length as Value).contains(&offset) {
                let help = "array lengths are given in the initial values: `{ int q[3]; }`";
                return self.cursor.fail(span, format!("`{}` has no such element", shortened(name.text)), Some(help));
            }
            self.cursor.expect("]", "after the index")?;
        } else if array && !["=", "==", "!=", "<>"].iter().any(|sign| self.cursor.at(sign)) {
            let message = format!("`{}` is an array", shortened(name.text));
            return self.cursor.fail(name.span, message, Some("name one element, such as `q[0]`"));
        }
        if bracket {
            self.cursor.expect("]", "after the location")?;
        }
        Ok(Observable::Location { object, offset: offset as u32 })
    }

    /// Operators that bind at least as tightly as `least`: 0 `\/`, 1 `/\`, 2 `=>`. That `=>` binds tighter than `/\` is
    /// herd's rule; who writes them side by side is told so. Also returns where an `=>` stands outside parentheses.
    fn proposition(&mut self, least: Level) -> Parse<(Proposition, Option<Span>)> {
        self.cursor.enter()?;
        let (mut left, mut implication) = self.unary()?;
        loop {
            let token = self.cursor.peek();
            let level = match token.text {
                "\\/" => 0,
                "/\\" => 1,
                "=>" => 2,
                _ => break,
            };
            if level < least {
                break;
            }
            self.cursor.next();
            self.cursor.count_operator()?;
            // `=>` groups to the right, the others to the left.
            let (right, inner) = self.proposition(if level == 2 { 2 } else { level + 1 })?;
            implication = implication.or(inner);
            if let (Some(span), true) = (implication, level < 2) {
                let message = "`=>` binds tighter than `/\\` and `\\/`, as in herd";
                self.cursor.note(Severity::Warning, span, message, Some("add parentheses to show what you mean"));
                implication = None;
            }
            let (l, r) = (Box::new(left), Box::new(right));
            left = match level {
                0 => Proposition::Or(l, r),
                1 => Proposition::And(l, r),
                _ => {
                    implication = Some(token.span);
                    Proposition::Or(Box::new(Proposition::Not(l)), r)
                }
            };
        }
        self.cursor.leave();
        Ok((left, implication))
    }

    fn unary(&mut self) -> Parse<(Proposition, Option<Span>)> {
        self.cursor.enter()?;
        let proposition = if self.cursor.eat("~").is_some() || self.cursor.eat("not").is_some() {
            Proposition::Not(Box::new(self.unary()?.0))
        } else if self.cursor.eat("(").is_some() {
            let (inner, _) = self.proposition(0)?;
            self.cursor.expect(")", "to close the parenthesis, or `/\\` or `\\/`")?;
            inner
        } else if self.cursor.eat("true").is_some() {
            Proposition::True
        } else if self.cursor.eat("false").is_some() {
            Proposition::False
        } else {
            self.comparison()?
        };
        self.cursor.leave();
        Ok((proposition, None))
    }

    fn comparison(&mut self) -> Parse<Proposition> {
        let start = self.cursor.peek();
        if start.is("-") || start.kind == Kind::Number && !self.cursor.ahead(1).is(":") {
            let left = self.cursor.signed()?;
            let comparison = self.comparison_sign()?;
            let right = self.cursor.peek();
            if right.is("-") || right.kind == Kind::Number && !self.cursor.ahead(1).is(":") {
                let equal = left == self.cursor.signed()?;
                let holds = equal == (comparison == Comparison::Equal);
                return Ok(if holds { Proposition::True } else { Proposition::False });
            }
            let right = Term::Observable(self.observable()?);
            return Ok(Proposition::Compare(right, comparison, Term::Constant(left)));
        }
        let left = self.observable()?;
        let comparison = self.comparison_sign()?;
        if let Observable::Location { object, .. } = left
            && self.objects.list[object.0 as usize].array
            && !self.cursor.ahead_was_index()
        {
            return self.array_comparison(object, comparison);
        }
        let right = self.cursor.peek();
        let right = if (right.kind == Kind::Number && !self.cursor.ahead(1).is(":")) || right.is("-") {
            Term::Constant(self.cursor.signed()?)
        } else if right.kind == Kind::Word && !self.cursor.ahead(1).is(":") || right.is("&") {
            if self.objects.get(self.cursor.ahead(usize::from(right.is("&"))).text).is_none() {
                let message = "nothing shared has this name";
                return self.cursor.fail(right.span, message, Some("name a register with its thread: `0:r0`"));
            }
            if right.kind == Kind::Word {
                let message =
                    format!("`{0}` on the right of a comparison is the address of `{0}`", shortened(right.text));
                self.cursor.note(Severity::Note, right.span, message, Some("write `[x]` for the value of `x`"));
            }
            Term::Constant(self.objects.address(self.cursor)?)
        } else {
            Term::Observable(self.observable()?)
        };
        Ok(Proposition::Compare(Term::Observable(left), comparison, right))
    }

    /// `=` or `!=`.
    fn comparison_sign(&mut self) -> Parse<Comparison> {
        let token = self.cursor.peek();
        let comparison = match token.text {
            "=" | "==" => Comparison::Equal,
            "!=" | "<>" => Comparison::NotEqual,
            "<" | "<=" | ">" | ">=" => {
                return self.cursor.fail(
                    token.span,
                    "herd's conditions compare with `=` and `!=` only",
                    Some("list the values: `(x=1 \\/ x=2)`; our own notation has `<`"),
                );
            }
            _ => return self.cursor.unexpected("`=` or `!=`"),
        };
        self.cursor.next();
        Ok(comparison)
    }

    /// `q={1,2}` is a conjunction of its elements' comparisons.
    fn array_comparison(&mut self, object: ObjectId, comparison: Comparison) -> Parse<Proposition> {
        let length = self.objects.list[object.0 as usize].initial.len();
        let open = self.cursor.expect("{", "and the values of all elements")?;
        let mut all: Option<Proposition> = None;
        let mut offset = 0;
        while self.cursor.eat("}").is_none() {
            self.cursor.count_operator()?;
            let value = self.cursor.signed()?;
            let term = Term::Observable(Observable::Location { object, offset });
            let element = Proposition::Compare(term, Comparison::Equal, Term::Constant(value));
            all = Some(match all {
                Some(all) => Proposition::And(Box::new(all), Box::new(element)),
                None => element,
            });
            offset += 1;
            if !self.cursor.at("}") {
                self.cursor.expect(",", "or `}` after an array's value")?;
            }
        }
        match all {
            Some(all) if offset as usize == length => Ok(match comparison {
                Comparison::NotEqual => Proposition::Not(Box::new(all)),
                _ => all,
            }),
            _ => self.cursor.fail(open, format!("the array has {length} elements"), None),
        }
    }
}

impl Cursor<'_> {
    /// Whether what stands before the comparison just read ends with an index.
    fn ahead_was_index(&self) -> bool {
        self.at >= 2 && self.tokens[self.at - 2].is("]")
    }
}

/// What a printed statement mentions.
pub(super) enum Mention {
    Object(ObjectId, Mode),
    /// The address of an object is taken.
    Address(ObjectId),
    Register(RegisterId),
    /// What a register points to is accessed; the register is mentioned too.
    Pointer(RegisterId),
    /// A number that is no address.
    Number(Value),
}

/// Calls `see` for what statements mention, in the order of their text in C.
pub(super) fn mentions(statements: &[Statement], see: &mut dyn FnMut(Mention)) {
    for statement in statements {
        match &statement.kind {
            StatementKind::Write { place, mode, value } => {
                place_mentions(place, *mode, see);
                expression_mentions(value, see);
            }
            StatementKind::Assign { register, value } => {
                see(Mention::Register(*register));
                expression_mentions(value, see);
            }
            StatementKind::Evaluate(value) | StatementKind::Assert(value) | StatementKind::Assume(value) => {
                expression_mentions(value, see);
            }
            StatementKind::Fence(_) | StatementKind::Skip => {}
            StatementKind::Input { register, .. } => see(Mention::Register(*register)),
            StatementKind::Atomic(body) => mentions(body, see),
            StatementKind::If { condition, then, otherwise } => {
                expression_mentions(condition, see);
                mentions(then, see);
                mentions(otherwise, see);
            }
            StatementKind::While { condition, body } => {
                expression_mentions(condition, see);
                mentions(body, see);
            }
            StatementKind::Repeat { body, until } => {
                mentions(body, see);
                expression_mentions(until, see);
            }
            StatementKind::Send { place, value } => {
                place_mentions(place, crate::program::Mode::Relaxed, see);
                expression_mentions(value, see);
            }
            StatementKind::Lock(place) | StatementKind::Unlock(place) => {
                place_mentions(place, Mode::Relaxed, see);
            }
            StatementKind::Call { arguments, .. } => {
                arguments.iter().for_each(|argument| expression_mentions(argument, see));
            }
            StatementKind::Post { value, .. } | StatementKind::Return(value) => {
                value.iter().for_each(|value| expression_mentions(value, see))
            }
        }
    }
}

fn place_mentions(place: &Place, mode: Mode, see: &mut dyn FnMut(Mention)) {
    if let Some(object) = place.object() {
        see(Mention::Object(object, mode));
    }
    if let PlaceKind::Pointee(Expression::Register(register)) = place.kind {
        see(Mention::Pointer(register));
    }
    if let Some(operand) = place.operand() {
        expression_mentions(operand, see);
    }
}

pub(super) fn expression_mentions(expression: &Expression, see: &mut dyn FnMut(Mention)) {
    match expression {
        Expression::Constant(value) => see(match Address::of(*value) {
            Some(address) => Mention::Address(address.object),
            None => Mention::Number(*value),
        }),
        Expression::Register(register) => see(Mention::Register(*register)),
        Expression::Access(access) => access_mentions(access, see),
        Expression::Unary(_, operand) => expression_mentions(operand, see),
        Expression::Binary(_, left, right) => {
            expression_mentions(left, see);
            expression_mentions(right, see);
        }
    }
}

fn access_mentions(access: &Access, see: &mut dyn FnMut(Mention)) {
    place_mentions(&access.place, access.mode, see);
    match &access.kind {
        AccessKind::Read | AccessKind::Receive => {}
        AccessKind::Update { operand, .. } => expression_mentions(operand, see),
        AccessKind::CompareAndSwap { expected, desired, .. } => {
            expression_mentions(expected, see);
            expression_mentions(desired, see);
        }
    }
}

/// How many of the first ones must be named in the initial values so that reading the text again numbers all of them
/// the same: at least `least`, and so many that the others first appear in the order of their numbers.
pub(super) fn prefix(count: usize, least: usize, appearances: impl Iterator<Item = usize>) -> usize {
    let mut seen = vec![false; count];
    let mut order = Vec::new();
    for index in appearances {
        if !std::mem::replace(&mut seen[index], true) {
            order.push(index);
        }
    }
    // What never appears has to be named.
    let unseen = seen.iter().rposition(|seen| !seen).map_or(0, |last| last + 1);
    let mut first = least.max(unseen);
    loop {
        let rest: Vec<usize> = order.iter().copied().filter(|index| *index >= first).collect();
        match rest.windows(2).find(|pair| pair[0] > pair[1]) {
            Some(pair) => first = pair[1] + 1,
            None => return first,
        }
    }
}

/// Writes the initial values: the first so many objects, and of each thread the first so many registers.
pub(super) fn print_initial_values(program: &Program, objects: usize, registers: &[usize]) -> String {
    let mut items = Vec::new();
    // In C, what has no type is an `int`.
    let prefix_of = |integer: Integer| match program.notation == Notation::C11 && integer != Integer::Int32 {
        true => format!("{} ", integer.name()),
        false => String::new(),
    };
    for (index, object) in program.objects.iter().enumerate() {
        if object.array {
            let values: Vec<String> = object.initial.iter().map(|value| program.value_text(*value)).collect();
            let integer = if program.notation == Notation::C11 { object.integer } else { Integer::Int32 };
            items.push(format!("{} {}[{}]={{{}}};", integer.name(), object.name, values.len(), values.join(",")));
        } else if index < objects {
            let value = program.value_text(object.initial.first().copied().unwrap_or(0));
            items.push(format!("{}{}={value};", prefix_of(object.integer), object.name));
        }
    }
    for (index, thread) in program.threads.iter().enumerate() {
        for (register, name) in thread.registers.iter().enumerate().take(registers[index]) {
            let value = program.value_text(thread.initial.get(register).copied().unwrap_or(0));
            let kind = prefix_of(thread.integer(RegisterId(register as u16)));
            items.push(format!("{kind}{}:{name}={value};", thread_number(program, index)));
        }
    }
    if items.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", items.join(" ")) }
}

/// How many of the first objects have to stand in the initial values for their values' sake.
pub(super) fn initialised_objects(program: &Program) -> usize {
    // Who reads an address meets its object there, before others with lower numbers perhaps.
    let values = program.objects.iter().flat_map(|object| &object.initial);
    if values.chain(program.threads.iter().flat_map(|thread| &thread.initial)).any(|v| Address::of(*v).is_some()) {
        return program.objects.len();
    }
    let needed = |object: &Object| object.array || object.initial.iter().any(|value| *value != 0);
    program.objects.iter().rposition(needed).map_or(0, |last| last + 1)
}

/// How many of the first registers have to stand in the initial values for their values' sake.
pub(super) fn initialised_registers(thread: &Thread) -> usize {
    thread.initial.iter().rposition(|value| *value != 0).map_or(0, |last| last + 1)
}

/// The number that herd knows a thread by: that in its name, else its place.
pub(super) fn thread_number(program: &Program, place: usize) -> usize {
    let name = program.threads.get(place).and_then(|thread| thread.name.as_deref());
    name.and_then(|name| name.strip_prefix('P')?.parse().ok()).unwrap_or(place)
}

/// The test's name for the first line.
pub(super) fn print_name(program: &Program) -> String {
    let name: String = program.name.chars().map(|c| if c == '\n' { ' ' } else { c }).collect();
    let name = name.trim();
    if name.is_empty() { "test".to_owned() } else { name.to_owned() }
}

/// Whether herd would take it for a name.
pub(super) fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// What the lines behind the threads mention, in the order of their text.
pub(super) fn tail_observables(program: &Program) -> Vec<Observable> {
    let mut all: Vec<Observable> = program.observed.iter().flatten().copied().collect();
    if let Some(filter) = &program.filter {
        filter.observables(&mut all);
    }
    if let Some(condition) = &program.condition {
        condition.proposition.observables(&mut all);
    }
    all
}

/// The objects among them, by index.
pub(super) fn tail_objects(program: &Program) -> impl Iterator<Item = usize> {
    tail_observables(program).into_iter().filter_map(|observable| match observable {
        Observable::Location { object, .. } => Some(object.0 as usize),
        Observable::Register { .. } => None,
    })
}

/// Writes the lines behind the threads, each with a line break before it.
pub(super) fn print_tail(program: &Program) -> Result<String, Unprintable> {
    let mut text = String::new();
    if let Some(observed) = &program.observed {
        let items: Vec<String> = observed.iter().map(|o| format!("{};", observable(program, *o, false))).collect();
        text.push_str(&format!("\nlocations [{}]", items.join(" ")));
    }
    if let Some(filter) = &program.filter {
        text.push_str("\nfilter (");
        print_proposition(program, filter, 0, &mut text)?;
        text.push(')');
    }
    if let Some(condition) = &program.condition {
        text.push_str(match condition.quantifier {
            Quantifier::Exists => "\nexists (",
            Quantifier::NotExists => "\n~exists (",
            Quantifier::ForAll => "\nforall (",
        });
        print_proposition(program, &condition.proposition, 0, &mut text)?;
        text.push(')');
    }
    Ok(text)
}

fn observable(program: &Program, observable: Observable, bracket: bool) -> String {
    match observable {
        Observable::Register { thread, register } => {
            let number = thread_number(program, thread.into());
            format!("{number}:{}", program.threads[thread as usize].registers[register.0 as usize])
        }
        Observable::Location { object, .. } if bracket && !program.objects[object.0 as usize].array => {
            format!("[{}]", program.objects[object.0 as usize].name)
        }
        Observable::Location { .. } => program.observable_name(observable),
    }
}

fn print_proposition(
    program: &Program,
    proposition: &Proposition,
    least: Level,
    text: &mut String,
) -> Result<(), Unprintable> {
    match proposition {
        Proposition::True => text.push_str("true"),
        Proposition::False => text.push_str("false"),
        Proposition::Compare(left, comparison, right) => {
            let element = |term: &Term| match term {
                Term::Observable(Observable::Location { object, .. }) => program.objects[object.0 as usize].array,
                _ => false,
            };
            // herd wants constants and plain variables on the right.
            let swap = matches!(left, Term::Constant(_)) || (element(right) && !element(left));
            let (left, right) = if swap { (right, left) } else { (left, right) };
            let sign = match comparison {
                Comparison::Equal => "=",
                Comparison::NotEqual => "!=",
                _ => return Err(Unprintable("herd's conditions have no `<` and `>`".to_owned())),
            };
            let Term::Observable(observed) = left else {
                return Err(Unprintable("herd's conditions do not compare two numbers".to_owned()));
            };
            if element(right) {
                return Err(Unprintable("herd's conditions do not compare two array elements".to_owned()));
            }
            text.push_str(&observable(program, *observed, true));
            text.push_str(sign);
            match right {
                Term::Observable(observed) => text.push_str(&observable(program, *observed, true)),
                Term::Constant(value) => {
                    let value = program.value_text(*value);
                    // herd's conditions name addresses without a `&`.
                    let bare = value.strip_prefix('&').filter(|name| !name.contains('['));
                    text.push_str(bare.unwrap_or(&value));
                }
            }
        }
        Proposition::Not(inner) => {
            text.push_str("~(");
            print_proposition(program, inner, 0, text)?;
            text.push(')');
        }
        Proposition::And(left, right) | Proposition::Or(left, right) => {
            let (level, sign) = if matches!(proposition, Proposition::And(..)) { (1, " /\\ ") } else { (0, " \\/ ") };
            if level < least {
                text.push('(');
            }
            print_proposition(program, left, level, text)?;
            text.push_str(sign);
            print_proposition(program, right, level + 1, text)?;
            if level < least {
                text.push(')');
            }
        }
    }
    Ok(())
}

#[cfg(test)]
pub(super) mod tests;
