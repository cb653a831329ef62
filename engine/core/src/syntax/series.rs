//! Series: programs of any size, written once.
//!
//! ```text
//! series rows
//! sizes 1..6
//!
//! $each i in 1..n joined " || " { x := 1; a$i := x }
//! ```
//!
//! The first line names the series; the second one, which may be left out, says which sizes it is usually looked at in. What
//! follows is a program in our own notation, in which `$n` is the size, `$(n - 1)` what a calculation comes to (`+`, `-`, `*`,
//! `/`, `%`), `$each i in A..B joined "TEXT" { ... }` the text in braces for each number from A to B, with TEXT between two of
//! them (without `joined`, nothing is), and `$$` a dollar sign. Comments are copied as they are.

use super::{Diagnostic, MAX_SOURCE, Parsed, TokenClass, highlight, parse_as};
use crate::program::{Notation, Span};
use std::fmt::Write as _;
use std::ops::{Range, RangeInclusive};

/// The greatest size that a program of a series can have.
pub const MAX_SIZE: u32 = 10_000;

/// How deep loops and brackets may be nested.
const MAX_DEPTH: usize = 32;

/// How many pieces of a template are looked at for one program, whatever comes of them.
const MAX_PIECES: usize = 1 << 20;

/// Programs of any size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Series {
    /// Its name; that of a program is this and its size.
    pub name: String,
    /// The sizes that it is usually looked at in.
    pub sizes: RangeInclusive<u32>,
    template: Vec<Piece>,
}

/// A piece of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Number(Number, Span),
    Each { name: String, from: Number, to: Number, joined: String, body: Vec<Piece>, span: Span },
}

/// A calculation.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Number {
    Constant(i64),
    Name(String),
    Operation(char, Box<Number>, Box<Number>),
}

/// Why a series has no program of a size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoProgram {
    /// What is wrong with the template, or with the text that it makes.
    pub diagnostics: Vec<Diagnostic>,
    /// The text that they are about, if it is one that the template makes.
    pub text: Option<String>,
}

impl Series {
    /// Whether a text is a series by its first line: `series NAME`.
    pub fn begins(text: &str) -> bool {
        Reader::new(text).header("series").is_some()
    }

    /// Reads a series.
    ///
    /// # Errors
    /// What is wrong with it: one message.
    pub fn parse(text: &str) -> Result<Self, Vec<Diagnostic>> {
        if text.len() > MAX_SOURCE {
            let message = format!("the text has {} bytes, more than {MAX_SOURCE}", text.len());
            return Err(vec![Diagnostic::error(message, Span { start: 0, end: 0, line: 1, column: 1 })]);
        }
        Reader::new(text).series().map_err(|error| vec![error])
    }

    /// The text of its program of a size.
    ///
    /// # Errors
    /// A calculation that has no result, or a text that is too long.
    pub fn text(&self, size: u32) -> Result<String, Diagnostic> {
        let mut out = format!("name {}({size})\n", self.name);
        let mut names = vec![("n", i64::from(size))];
        expand(&self.template, &mut names, &mut out, &mut 0)?;
        Ok(out)
    }

    /// Its program of a size.
    ///
    /// # Errors
    /// As [`Self::text`], and a text that is no program.
    pub fn program(&self, size: u32) -> Result<(String, Parsed), NoProgram> {
        let text = self.text(size).map_err(|error| NoProgram { diagnostics: vec![error], text: None })?;
        match parse_as(Notation::Litmoscope, &text) {
            Ok(parsed) => Ok((text, parsed)),
            Err(diagnostics) => Err(NoProgram { diagnostics, text: Some(text) }),
        }
    }

    /// The classes of a series' tokens, whatever the text.
    pub fn highlight(text: &str) -> Vec<(Range<usize>, TokenClass)> {
        if text.len() > MAX_SOURCE {
            return Vec::new();
        }
        colours(text)
    }
}

/// Writes what a template comes to.
fn expand<'a>(
    pieces: &'a [Piece],
    names: &mut Vec<(&'a str, i64)>,
    out: &mut String,
    looked_at: &mut usize,
) -> Result<(), Diagnostic> {
    for piece in pieces {
        *looked_at += 1;
        let span = match piece {
            Piece::Text(text) => {
                out.push_str(text);
                None
            }
            Piece::Number(number, span) => {
                let _ = write!(out, "{}", number.value(names, *span)?);
                Some(*span)
            }
            Piece::Each { name, from, to, joined, body, span } => {
                let (from, to) = (from.value(names, *span)?, to.value(names, *span)?);
                for i in from..=to {
                    if i > from {
                        out.push_str(joined);
                    }
                    names.push((name, i));
                    expand(body, names, out, looked_at)?;
                    names.pop();
                    // A body may be empty.
                    *looked_at += 1;
                    too_long(out, *looked_at, *span)?;
                }
                Some(*span)
            }
        };
        too_long(out, *looked_at, span.unwrap_or_default())?;
    }
    Ok(())
}

fn too_long(out: &str, looked_at: usize, span: Span) -> Result<(), Diagnostic> {
    if out.len() <= MAX_SOURCE && looked_at <= MAX_PIECES {
        return Ok(());
    }
    let error = Diagnostic::error(format!("the program would have more than {MAX_SOURCE} bytes"), span);
    Err(error.with_help("choose a smaller size"))
}

impl Number {
    fn value(&self, names: &[(&str, i64)], span: Span) -> Result<i64, Diagnostic> {
        match self {
            Self::Constant(value) => Ok(*value),
            Self::Name(name) => {
                let found = names.iter().rev().find(|(known, _)| known == name);
                found.map(|(_, value)| *value).ok_or_else(|| {
                    let known: Vec<_> = names.iter().map(|(name, _)| format!("`{name}`")).collect();
                    let message = format!("no number is called `{name}` here");
                    Diagnostic::error(message, span).with_help(format!("there is {}", crate::words::list(known)))
                })
            }
            Self::Operation(operator, a, b) => {
                let (a, b) = (a.value(names, span)?, b.value(names, span)?);
                let result = match operator {
                    '+' => a.checked_add(b),
                    '-' => a.checked_sub(b),
                    '*' => a.checked_mul(b),
                    // Rounded down, so that what is left over is never negative for a positive divisor.
                    '/' if b != 0 => a.checked_div_euclid(b),
                    _ if b != 0 => a.checked_rem_euclid(b),
                    _ => None,
                };
                result.ok_or_else(|| {
                    let what = if b == 0 { "a division by zero" } else { "a number that is too large" };
                    Diagnostic::error(format!("{what}: {a} {operator} {b}"), span)
                })
            }
        }
    }
}

/// Reads a text from its start to its end.
struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Self {
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Self { text, at, depth: 0 }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// From a place to where the reader is.
    fn span(&self, start: usize) -> Span {
        let line_start = self.text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let line = self.text[..start].matches('\n').count() as u32 + 1;
        let column = self.text[line_start..start].chars().count() as u32 + 1;
        Span { start: start as u32, end: self.at as u32, line, column }
    }

    /// An error at the next character.
    fn expected(&self, what: &str) -> Diagnostic {
        let mut there = Self { at: self.at, ..*self };
        let found = match self.rest().chars().next() {
            Some('\n') => "the end of the line".to_owned(),
            Some(c) => {
                there.at += c.len_utf8();
                format!("`{c}`")
            }
            None => "the end of the text".to_owned(),
        };
        Diagnostic::error(format!("expected {what}, found {found}"), there.span(self.at))
    }

    /// Blanks and empty lines, and lines that are comments.
    fn skip_lines(&mut self) {
        loop {
            self.skip(char::is_whitespace);
            if !self.rest().starts_with("//") {
                return;
            }
            self.skip(|c| c != '\n');
        }
    }

    fn skip(&mut self, skipped: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest.find(|c| !skipped(c)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn skip_blanks(&mut self) {
        self.skip(|c| c.is_whitespace() && c != '\n');
    }

    fn takes(&mut self, symbol: &str) -> bool {
        let takes = self.rest().starts_with(symbol);
        self.at += if takes { symbol.len() } else { 0 };
        takes
    }

    /// A name or keyword; empty if there is none.
    fn word(&mut self) -> &'a str {
        if self.rest().starts_with(|c: char| c.is_ascii_digit()) {
            return "";
        }
        self.skip(|c| c.is_ascii_alphanumeric() || c == '_')
    }

    fn constant(&mut self) -> Result<i64, Diagnostic> {
        let start = self.at;
        let digits = self.skip(|c| c.is_ascii_digit());
        if digits.is_empty() {
            return Err(self.expected("a number"));
        }
        digits.parse().map_err(|_| Diagnostic::error("this number is too large", self.span(start)))
    }

    /// The rest of a line that begins with a keyword, if it has some; comments and empty lines before it skipped.
    fn header(&mut self, keyword: &str) -> Option<&'a str> {
        let start = self.at;
        self.skip_lines();
        if self.word() == keyword && self.rest().starts_with([' ', '\t']) {
            let line = self.skip(|c| c != '\n');
            let name = line.split("//").next().unwrap_or(line).trim();
            if !name.is_empty() && !name.starts_with([':', '=']) {
                return Some(name);
            }
        }
        self.at = start;
        None
    }

    fn series(mut self) -> Result<Series, Diagnostic> {
        let Some(name) = self.header("series") else {
            return Err(self.expected("`series` and a name"));
        };
        self.takes("\n");
        let mut sizes = 1..=6;
        if self.header("sizes").is_some() {
            // Read again, piece by piece.
            self.at = self.text[..self.at].rfind("sizes").map_or(self.at, |at| at + "sizes".len());
            self.skip_blanks();
            sizes = self.sizes()?;
        }
        let template = self.pieces(false)?;
        Ok(Series { name: name.to_owned(), sizes, template })
    }

    fn sizes(&mut self) -> Result<RangeInclusive<u32>, Diagnostic> {
        let start = self.at;
        let from = self.constant()?;
        let to = if self.takes("..") { self.constant()? } else { from };
        let span = self.span(start);
        self.skip_blanks();
        if !self.rest().is_empty() && !self.takes("\n") && !self.takes("\r\n") && !self.rest().starts_with("//") {
            return Err(self.expected("the end of the line"));
        }
        let size = |number: i64| u32::try_from(number).ok().filter(|number| *number <= MAX_SIZE);
        match (size(from), size(to)) {
            (Some(from), Some(to)) if from <= to => Ok(from..=to),
            _ => Err(Diagnostic::error("these are not sizes", span).with_help(format!(
                "sizes go from a smaller number to a larger one, at most {MAX_SIZE}: `sizes 1..6`"
            ))),
        }
    }

    /// Pieces up to the end of the text, or to a closing brace that no piece has opened.
    fn pieces(&mut self, in_braces: bool) -> Result<Vec<Piece>, Diagnostic> {
        let (mut pieces, mut braces, start) = (Vec::new(), 0_usize, self.at);
        let mut copied = String::new();
        loop {
            let rest = self.rest();
            let Some(c) = rest.chars().next() else {
                if in_braces {
                    let error =
                        Diagnostic::error("these braces are never closed", Self { at: start, ..*self }.span(start));
                    return Err(error.with_help("write `}` at the end of the text that `$each` repeats"));
                }
                break;
            };
            if rest.starts_with("//") {
                copied.push_str(self.skip(|c| c != '\n'));
                continue;
            }
            if c == '$' && !rest.starts_with("$$") {
                pieces.push(Piece::Text(std::mem::take(&mut copied)));
                pieces.push(self.dollar()?);
                continue;
            }
            match c {
                '{' => braces += 1,
                '}' if braces == 0 && in_braces => break,
                '}' => braces = braces.saturating_sub(1),
                _ => {}
            }
            self.at += if c == '$' { 2 } else { c.len_utf8() };
            copied.push(c);
        }
        pieces.push(Piece::Text(copied));
        pieces.retain(|piece| !matches!(piece, Piece::Text(text) if text.is_empty()));
        Ok(pieces)
    }

    /// What stands behind a dollar sign.
    fn dollar(&mut self) -> Result<Piece, Diagnostic> {
        let start = self.at;
        self.at += 1;
        if self.rest().starts_with('(') {
            let number = self.factor()?;
            return Ok(Piece::Number(number, self.span(start)));
        }
        match self.word() {
            "" => Err(self.expected("a name, `(` or `each` after `$`").with_help("write `$$` for a dollar sign")),
            "each" => self.each(start),
            name => Ok(Piece::Number(Number::Name(name.to_owned()), self.span(start))),
        }
    }

    fn each(&mut self, start: usize) -> Result<Piece, Diagnostic> {
        self.nested(start)?;
        self.skip(char::is_whitespace);
        let name = self.word();
        if name.is_empty() {
            return Err(self.expected("the name of a number, as in `$each i in 1..n { ... }`"));
        }
        self.skip(char::is_whitespace);
        let here = self.at;
        if self.word() != "in" {
            self.at = here;
            return Err(self.expected("`in`, as in `$each i in 1..n { ... }`"));
        }
        let from = self.sum()?;
        self.skip(char::is_whitespace);
        if !self.takes("..") {
            return Err(self.expected("`..`, as in `$each i in 1..n { ... }`"));
        }
        let to = self.sum()?;
        self.skip(char::is_whitespace);
        let here = self.at;
        let joined = if self.word() == "joined" {
            self.skip(char::is_whitespace);
            self.quoted()?
        } else {
            self.at = here;
            String::new()
        };
        self.skip(char::is_whitespace);
        let span = self.span(start);
        if !self.takes("{") {
            return Err(self.expected("`joined \"TEXT\"` or `{`"));
        }
        let body = self.pieces(true)?;
        self.at += 1;
        self.depth -= 1;
        Ok(Piece::Each { name: name.to_owned(), from, to, joined, body, span })
    }

    fn quoted(&mut self) -> Result<String, Diagnostic> {
        let start = self.at;
        if !self.takes("\"") {
            return Err(self.expected("a text in quotes, as in `joined \" || \"`"));
        }
        let text = self.skip(|c| c != '"' && c != '\n');
        if !self.takes("\"") {
            return Err(Diagnostic::error("these quotes are never closed", self.span(start)));
        }
        Ok(text.replace("\\n", "\n"))
    }

    fn nested(&mut self, start: usize) -> Result<(), Diagnostic> {
        self.depth += 1;
        if self.depth <= MAX_DEPTH {
            return Ok(());
        }
        Err(Diagnostic::error(format!("this is nested more than {MAX_DEPTH} deep"), self.span(start)))
    }

    fn sum(&mut self) -> Result<Number, Diagnostic> {
        let mut sum = self.product()?;
        while let Some(operator) = self.operator(&['+', '-']) {
            sum = Number::Operation(operator, Box::new(sum), Box::new(self.product()?));
        }
        Ok(sum)
    }

    fn product(&mut self) -> Result<Number, Diagnostic> {
        let mut product = self.factor()?;
        while let Some(operator) = self.operator(&['*', '/', '%']) {
            product = Number::Operation(operator, Box::new(product), Box::new(self.factor()?));
        }
        Ok(product)
    }

    /// The next character, if it is one of these.
    fn operator(&mut self, operators: &[char]) -> Option<char> {
        let here = self.at;
        self.skip(char::is_whitespace);
        let found = self.rest().chars().next().filter(|c| operators.contains(c));
        self.at = if found.is_some() { self.at + 1 } else { here };
        found
    }

    fn factor(&mut self) -> Result<Number, Diagnostic> {
        self.skip(char::is_whitespace);
        let start = self.at;
        if self.takes("(") {
            self.nested(start)?;
            let sum = self.sum()?;
            self.skip(char::is_whitespace);
            if !self.takes(")") {
                return Err(self.expected("`)`"));
            }
            self.depth -= 1;
            return Ok(sum);
        }
        if self.takes("-") {
            self.nested(start)?;
            let factor = self.factor()?;
            self.depth -= 1;
            return Ok(Number::Operation('-', Box::new(Number::Constant(0)), Box::new(factor)));
        }
        match self.word() {
            "" => Ok(Number::Constant(self.constant().map_err(|_| self.expected("a number or a name"))?)),
            name => Ok(Number::Name(name.to_owned())),
        }
    }
}

/// The colours of what stands between `$each` and its brace: `i in 1..n joined "||"`.
fn repeated(text: &str, start: usize) -> Vec<(Range<usize>, TokenClass)> {
    let mut colours = Vec::new();
    let mut quoted = None;
    let mut word = start;
    for (at, c) in text[start..].char_indices().map(|(at, c)| (start + at, c)) {
        match (c, quoted) {
            ('"', Some(begin)) => {
                colours.push((begin..at + 1, TokenClass::Label));
                quoted = None;
                word = at + 1;
                continue;
            }
            (_, Some(_)) => continue,
            _ if c.is_ascii_alphanumeric() => continue,
            _ => {}
        }
        let class = match &text[word..at] {
            "in" | "joined" => TokenClass::Keyword,
            name if name.starts_with(|c: char| c.is_ascii_digit()) => TokenClass::Number,
            _ => TokenClass::Label,
        };
        if word < at {
            colours.push((word..at, class));
        }
        word = at + c.len_utf8();
        match c {
            '"' => quoted = Some(at),
            '{' | '\n' => break,
            _ => {}
        }
    }
    colours
}

/// The program's colours, and those of what is calculated and repeated.
fn colours(text: &str) -> Vec<(Range<usize>, TokenClass)> {
    let mut own: Vec<(Range<usize>, TokenClass)> = Vec::new();
    let mut reader = Reader::new(text);
    for keyword in ["series", "sizes"] {
        if let Some(rest) = reader.header(keyword) {
            let start = rest.as_ptr() as usize - text.as_ptr() as usize;
            let word = text[..start].rfind(keyword).unwrap_or(start);
            own.push((word..word + keyword.len(), TokenClass::Keyword));
            own.push((start..start + rest.len(), TokenClass::Label));
        }
    }
    let begin = own.last().map_or(0, |(range, _)| range.end);
    for (at, _) in text[begin..].match_indices('$') {
        let start = begin + at;
        let word = text[start + 1..].find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        let end = word.map_or(text.len(), |length| start + 1 + length);
        let repeats = &text[start + 1..end] == "each";
        own.push((start..end, if repeats { TokenClass::Keyword } else { TokenClass::Number }));
        if repeats {
            own.extend(repeated(text, end));
        }
    }
    // What stands in a comment is a comment; in front of the first line, and in it, there is nothing else.
    let program = highlight(text, Notation::Litmoscope);
    let (comments, program): (Vec<_>, Vec<_>) =
        program.into_iter().partition(|(_, class)| *class == TokenClass::Comment);
    let program = program.into_iter().filter(|(range, _)| range.start >= begin);
    let overlaps = |a: &Range<usize>, b: &Range<usize>| a.start < b.end && b.start < a.end;
    own.retain(|(range, _)| !comments.iter().any(|(comment, _)| overlaps(comment, range)));
    let mut all: Vec<_> = program.filter(|(range, _)| !own.iter().any(|(own, _)| overlaps(own, range))).collect();
    all.extend(comments);
    all.extend(own);
    crate::sort::by_key(&mut all, |(range, _)| range.start);
    let mut end = 0;
    all.retain(|(range, _)| {
        let stands_free = range.start >= end;
        end = end.max(range.end);
        stands_free
    });
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(series: &str, size: u32) -> String {
        let series = Series::parse(series).unwrap_or_else(|errors| panic!("{errors:?}"));
        series.text(size).unwrap_or_else(|error| panic!("{error:?}"))
    }

    #[test]
    fn a_series_has_a_program_of_each_size() {
        let rows = "// n threads\nseries rows // of a table\nsizes 2..5 // usual\n$each i in 1..n joined \" || \" { x := 1; a$i := x }\n";
        let series = Series::parse(rows).expect("a series");
        assert_eq!((series.name.as_str(), series.sizes.clone()), ("rows", 2..=5));
        assert_eq!(text(rows, 2), "name rows(2)\n// usual\n x := 1; a1 := x  ||  x := 1; a2 := x \n");
        for size in 1..6 {
            let (_, parsed) = series.program(size).expect("a program");
            assert_eq!(parsed.program.threads.len(), size as usize);
        }
    }

    #[test]
    fn numbers_are_calculated_and_loops_nested() {
        let calculated = "series c\n$(n - 1) $((n + 1) % 3) $(2 * n / 3) $(-n % 5) $$n // $n\n$n";
        assert_eq!(text(calculated, 4), "name c(4)\n3 2 2 1 $n // $n\n4");
        let nested = "series c\n$each i in 1..n joined \"\\n\" {[$each j in i..n joined \",\" {$(i * j)}]}";
        assert_eq!(text(nested, 3), "name c(3)\n[1,2,3]\n[4,6]\n[9]");
        let empty = "series c\n$each i in 2..n {x}y";
        assert_eq!(text(empty, 1), "name c(1)\ny");
        let braces = "series c\n$each i in 1..2 { while a { skip } }";
        assert_eq!(text(braces, 1), "name c(1)\n while a { skip }  while a { skip } ");
    }

    #[test]
    fn a_series_may_have_handlers() {
        let clicks = "series clicks\nhandler ui queue\n$each i in 1..n { message click$i(v) on ui { x := v + $i } }\n\
                      initial $each i in 1..n joined \", \" { ui.click$i($i) }\n";
        let series = Series::parse(clicks).expect("a series");
        for size in 1..4 {
            let (text, parsed) = series.program(size).unwrap_or_else(|error| panic!("{error:?}"));
            assert_eq!(parsed.program.threads.len(), 2, "{text}");
            assert_eq!(parsed.program.threads[0].messages().len(), size as usize);
            assert_eq!(parsed.program.threads[1].body.len(), size as usize);
        }
        let several = "series handlers\n$each i in 1..n { handler h$i multiset; message m$i on h$i { x := $i } }\n\
                       $each i in 1..n joined \" || \" { post h$i.m$i }\n";
        let (_, parsed) = Series::parse(several).expect("a series").program(3).expect("a program");
        assert_eq!(parsed.program.threads.len(), 6);
        let colours = Series::highlight(clicks);
        assert!(colours.windows(2).all(|pair| pair[0].0.end <= pair[1].0.start), "{colours:?}");
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        for (series, line, column, message) in [
            ("x := 1", 1, 1, "expected `series` and a name, found `x`"),
            ("series a\nsizes 5..2\nx := 1", 2, 7, "these are not sizes"),
            ("series a\nsizes 1..99999\nx := 1", 2, 7, "these are not sizes"),
            ("series a\nsizes 1 x", 2, 9, "expected the end of the line, found `x`"),
            ("series a\nx := $", 2, 7, "expected a name, `(` or `each` after `$`, found the end of the text"),
            ("series a\nx := $(n +)", 2, 11, "expected a number or a name, found `)`"),
            ("series a\nx := $(n", 2, 9, "expected `)`, found the end of the text"),
            ("series a\n$each i on 1..n { }", 2, 9, "expected `in`, as in `$each i in 1..n { ... }`, found `o`"),
            (
                "series a\n$each i in 1..n joined x { }",
                2,
                24,
                "expected a text in quotes, as in `joined \" || \"`, found `x`",
            ),
            ("series a\n$each i in 1..n { x := 1", 2, 18, "these braces are never closed"),
        ] {
            let errors = Series::parse(series).expect_err(series);
            let found = (errors[0].span.line, errors[0].span.column, errors[0].message.as_str());
            assert_eq!(found, (line, column, message), "{series}");
        }
        for (series, message) in [
            ("series a\nx := $(1 / (n - 3))", "a division by zero: 1 / 0"),
            ("series a\nx := $m", "no number is called `m` here"),
            ("series a\nx := $(9000000000000000000 * n)", "a number that is too large: 9000000000000000000 * 3"),
            ("series a\n$each i in 1..1000000000 {}", "the program would have more than 262144 bytes"),
            (
                "series a\n$each i in 1..1000 {$each j in 1..1000 { x := 1; }}",
                "the program would have more than 262144 bytes",
            ),
        ] {
            let error = Series::parse(series).expect("a series").text(3).expect_err(series);
            assert_eq!(error.message, message, "{series}");
        }
        let no_program = Series::parse("series a\nx := := $n").expect("a series").program(2).expect_err("no program");
        assert!(no_program.text.is_some_and(|text| text.contains("x := := 2")));
        let deep = format!("series a\n${}n", "(".repeat(100_000));
        assert!(Series::parse(&deep).expect_err("too deep")[0].message.contains("nested more than 32 deep"));
    }

    #[test]
    fn colours_do_not_overlap() {
        let series = "// c\nseries a // b\nsizes 1..3\n$each i in 1..n joined \"||\" { x[$i] := $(i % n) } // $n\n$";
        let colours = Series::highlight(series);
        assert!(colours.windows(2).all(|pair| pair[0].0.end <= pair[1].0.start), "{colours:?}");
        let of = |text: &str| {
            let at = series.find(text).expect("it is there");
            colours.iter().find(|(range, _)| range.start == at).map(|(_, class)| *class)
        };
        assert_eq!(of("series"), Some(TokenClass::Keyword));
        assert_eq!(of("$each"), Some(TokenClass::Keyword));
        assert_eq!(of("$i]"), Some(TokenClass::Number));
        assert_eq!(of("// $n"), Some(TokenClass::Comment));
        assert_eq!(of("// c"), Some(TokenClass::Comment));
        assert_eq!(of("// b"), Some(TokenClass::Comment));
        assert_eq!(of("a // b"), Some(TokenClass::Label));
        assert_eq!(of("joined"), Some(TokenClass::Keyword));
        assert_eq!(of("\"||\""), Some(TokenClass::Label));
        // Nor do they where a dollar stands in what is repeated.
        let colours = Series::highlight("series a\n$each i in 1..n joined \"$i $\" {");
        assert!(colours.windows(2).all(|pair| pair[0].0.end <= pair[1].0.start), "{colours:?}");
    }
}
