//! What readers of short notations have in common: tokens, a way through them, messages, colours.
//!
//! A notation says which [`Signs`] it has, and goes through its text with a [`Cursor`]. One of lines is a [`Lines`]: what is wrong with a
//! line does not keep the next one from being read. Programs have lexers of their own, for comments of C, words that are reserved and signs
//! with several spellings; histories go through bytes, since they are up to a million lines long.

use super::{Diagnostic, MAX_SOURCE, TokenClass};
use crate::program::{Span, Value};
use std::ops::Range;

/// The signs of a notation. Blanks separate tokens; comments are `// ...` and `# ...`.
#[derive(Debug)]
pub struct Signs {
    /// Its symbols as they are written, and what each stands for. A symbol comes in front of what it begins with.
    pub symbols: &'static [(&'static str, &'static str)],
    /// Whether a character can be in a name.
    pub in_names: fn(char) -> bool,
    /// Which words are numbers.
    pub numbers: Numbers,
}

/// Which words are numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// Those that begin with a digit, or with `-` and a digit; what they go on with has to be digits, too.
    Signed,
    /// Those of digits alone; others are names.
    Whole,
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A name.
    Name,
    /// A number, perhaps too large or with letters in it.
    Number,
    /// A symbol, as what it stands for.
    Symbol(&'static str),
    /// The end of a line.
    Newline,
    /// A character that means nothing here.
    Unknown,
    /// The end of the text, again and again.
    End,
}

/// A token and where it stands.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it stands.
    pub span: Span,
}

impl Token {
    /// Its bytes.
    pub fn range(&self) -> Range<usize> {
        self.span.start as usize..self.span.end as usize
    }
}

impl Signs {
    /// The tokens of a text, comments and blanks left out, with an end behind them. Linear.
    pub fn tokens(&self, text: &str) -> Vec<Token> {
        let mut tokens = Vec::new();
        let (mut at, mut line, mut column) = (0, 1, 1);
        while let Some(first) = text[at..].chars().next() {
            let (kind, length) = self.first(&text[at..], first);
            let span = Span { start: at as u32, end: (at + length) as u32, line, column };
            tokens.extend(kind.map(|kind| Token { kind, span }));
            column += text[at..at + length].chars().count() as u32;
            at += length;
            if kind == Some(TokenKind::Newline) {
                (line, column) = (line + 1, 1);
            }
        }
        let span = Span { start: text.len() as u32, end: text.len() as u32, line, column };
        tokens.push(Token { kind: TokenKind::End, span });
        tokens
    }

    /// What a text begins with, and how long that is; no token if it is blank or a comment.
    fn first(&self, text: &str, first: char) -> (Option<TokenKind>, usize) {
        let run = |from: usize| from + text[from..].find(|c| !(self.in_names)(c)).unwrap_or(text.len() - from);
        let is_signed = || {
            let digits = if first == '-' { &text[1..] } else { text };
            self.numbers == Numbers::Signed && digits.starts_with(|c: char| c.is_ascii_digit())
        };
        let symbol = || self.symbols.iter().find(|(written, _)| text.starts_with(written));
        if first == '\n' {
            (Some(TokenKind::Newline), 1)
        } else if first.is_whitespace() || first == '\u{feff}' {
            (None, first.len_utf8())
        } else if first == '#' || text.starts_with("//") {
            (None, text.find('\n').unwrap_or(text.len()))
        } else if is_signed() {
            (Some(TokenKind::Number), run(1))
        } else if (self.in_names)(first) {
            let word = &text[..run(0)];
            let is_number = self.numbers == Numbers::Whole && word.chars().all(|c| c.is_ascii_digit());
            let kind = match self.symbols.iter().find(|(written, _)| *written == word) {
                Some((_, meaning)) => TokenKind::Symbol(meaning),
                None if is_number => TokenKind::Number,
                None => TokenKind::Name,
            };
            (Some(kind), word.len())
        } else if let Some((written, meaning)) = symbol() {
            (Some(TokenKind::Symbol(meaning)), written.len())
        } else {
            (Some(TokenKind::Unknown), first.len_utf8())
        }
    }

    /// The classes of a text's tokens as byte ranges, in order, without overlaps, by what a function says of each, with comments.
    /// Where a line begins with the keyword `title`, the rest of it is a name, whatever it consists of. Broken text has classes
    /// too; a text that is too long to be read has none.
    pub fn colours(
        &self,
        text: &str,
        title: &str,
        mut class: impl FnMut(&[Token], usize) -> Option<TokenClass>,
    ) -> Vec<(Range<usize>, TokenClass)> {
        if text.len() > MAX_SOURCE {
            return Vec::new();
        }
        let tokens = self.tokens(text);
        let (mut classes, mut end, mut in_title) = (Vec::new(), 0, false);
        for (at, token) in tokens.iter().enumerate() {
            let range = token.range();
            let is_line_end = matches!(token.kind, TokenKind::Newline | TokenKind::End);
            if in_title && !is_line_end {
                continue;
            }
            // Comments are no tokens: they are all that stands between two of them.
            let between = if in_title { TokenClass::Label } else { TokenClass::Comment };
            classes.extend(without_blanks(text, end..range.start).map(|range| (range, between)));
            let class = class(&tokens, at);
            let begins_line = at == 0 || tokens[at - 1].kind == TokenKind::Newline;
            in_title = begins_line && class == Some(TokenClass::Keyword) && &text[range.clone()] == title;
            end = range.end;
            classes.extend(class.map(|class| (range, class)));
        }
        classes
    }
}

/// A range without the blanks around it, if anything is left.
fn without_blanks(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let is_blank = |c: char| c.is_whitespace() || c == '\u{feff}';
    let start = range.end - text[range.clone()].trim_start_matches(is_blank).len();
    let end = start + text[start..range.end].trim_end_matches(is_blank).len();
    (start < end).then_some(start..end)
}

/// The lines of a text that are neither blank nor comments, without the blanks around them.
pub fn lines_that_say(text: &str) -> impl Iterator<Item = &str> {
    let says = |line: &&str| !line.is_empty() && !line.starts_with('#') && !line.starts_with("//");
    text.lines().map(|line| line.trim_start_matches('\u{feff}').trim()).filter(says)
}

/// Whether the first line that says something begins with a word, and is no program's line that assigns to something of that name.
#[inline(never)]
pub fn begins_with(text: &str, word: &str) -> bool {
    let rest = lines_that_say(text).next().and_then(|line| line.strip_prefix(word));
    rest.is_some_and(|rest| {
        rest.is_empty() || rest.starts_with(char::is_whitespace) && !rest.trim_start().starts_with([':', '=', '('])
    })
}

/// What is wrong.
pub type Wrong = Box<Diagnostic>;

/// An error at a place, with what to do instead.
pub fn wrong(message: impl Into<String>, span: Span, help: impl Into<String>) -> Wrong {
    Box::new(Diagnostic::error(message.into(), span).with_help(help))
}

/// The same as a result.
///
/// # Errors
/// Always.
pub fn refuse<T>(message: impl Into<String>, span: Span, help: impl Into<String>) -> Result<T, Wrong> {
    Err(wrong(message, span, help))
}

/// That a text is too long to be read, if it is.
pub fn too_long(text: &str) -> Option<Diagnostic> {
    let start = Span { line: 1, column: 1, ..Span::default() };
    let message = || format!("the text is longer than {MAX_SOURCE} bytes");
    (text.len() > MAX_SOURCE).then(|| Diagnostic::error(message(), start))
}

/// How deep texts may be nested.
const DEEPEST: u32 = 60;

/// A way through the tokens of a text.
#[derive(Debug)]
pub struct Cursor<'t> {
    /// The text.
    pub text: &'t str,
    /// What was wrong on the way.
    pub said: Vec<Diagnostic>,
    tokens: Vec<Token>,
    at: usize,
    depth: u32,
}

impl<'t> Cursor<'t> {
    /// At the first token of a text.
    pub fn new(text: &'t str, signs: &Signs) -> Self {
        Self { text, said: Vec::new(), tokens: signs.tokens(text), at: 0, depth: 0 }
    }

    /// The present token.
    pub fn token(&self) -> Token {
        self.ahead(0)
    }

    /// The token so many behind the present one.
    pub fn ahead(&self, count: usize) -> Token {
        self.tokens[(self.at + count).min(self.tokens.len() - 1)]
    }

    /// Where the present token stands.
    pub fn span(&self) -> Span {
        self.token().span
    }

    /// Where the first token stands.
    pub fn start(&self) -> Span {
        self.tokens[0].span
    }

    /// From a place to the end of the token in front of the present one.
    pub fn since(&self, start: Span) -> Span {
        let end =
            self.at.checked_sub(1).map_or(start.end, |last| self.tokens[last.min(self.tokens.len() - 1)].span.end);
        Span { end, ..start }
    }

    /// The text of a place.
    pub fn word(&self, span: Span) -> &'t str {
        &self.text[span.start as usize..span.end as usize]
    }

    /// Goes past the present token.
    pub fn pass(&mut self) -> Token {
        let token = self.token();
        self.at += 1;
        token
    }

    /// Goes past the ends of lines.
    pub fn skip_newlines(&mut self) {
        while self.token().kind == TokenKind::Newline {
            self.at += 1;
        }
    }

    /// Goes to the end of the line, and says what stands there.
    pub fn skip_line(&mut self) -> &'t str {
        let start = self.span().start as usize;
        while !self.is_line_end() {
            self.at += 1;
        }
        &self.text[start..self.span().start as usize]
    }

    /// Whether this is the end of the text.
    pub fn is_end(&self) -> bool {
        self.token().kind == TokenKind::End
    }

    /// Whether this is the end of a line or of the text.
    pub fn is_line_end(&self) -> bool {
        matches!(self.token().kind, TokenKind::Newline | TokenKind::End)
    }

    /// Whether a symbol is here.
    pub fn is_symbol(&self, symbol: &str) -> bool {
        matches!(self.token().kind, TokenKind::Symbol(here) if here == symbol)
    }

    /// Goes past a symbol, if it is here.
    pub fn take(&mut self, symbol: &str) -> bool {
        let is_here = self.is_symbol(symbol);
        self.at += usize::from(is_here);
        is_here
    }

    /// Whether a word is here.
    pub fn is_word(&self, word: &str) -> bool {
        let token = self.token();
        token.kind == TokenKind::Name && self.word(token.span) == word
    }

    /// Goes past a word, if it is here.
    pub fn take_word(&mut self, word: &str) -> bool {
        let is_here = self.is_word(word);
        self.at += usize::from(is_here);
        is_here
    }

    /// What stands here, for messages.
    pub fn found(&self) -> String {
        match self.token().kind {
            TokenKind::Newline => "the end of the line".to_owned(),
            TokenKind::End => "the end of the text".to_owned(),
            _ => format!("`{}`", self.word(self.span())),
        }
    }

    /// Says that something else should stand here.
    ///
    /// # Errors
    /// Always.
    pub fn expected<T>(&self, what: &str, help: &str) -> Result<T, Wrong> {
        refuse(format!("expected {what}, found {}", self.found()), self.span(), help)
    }

    /// Goes past a symbol.
    ///
    /// # Errors
    /// If it is not here.
    pub fn expect(&mut self, symbol: &str, help: &str) -> Result<(), Wrong> {
        if self.take(symbol) { Ok(()) } else { self.expected(&format!("`{symbol}`"), help) }
    }

    /// Goes past a name; `what` says of what.
    ///
    /// # Errors
    /// If none is here.
    pub fn name(&mut self, what: &str, help: &str) -> Result<(&'t str, Span), Wrong> {
        if self.token().kind == TokenKind::Name { self.label(what, help) } else { self.expected(what, help) }
    }

    /// Goes past a name or a number.
    ///
    /// # Errors
    /// If neither is here.
    pub fn label(&mut self, what: &str, help: &str) -> Result<(&'t str, Span), Wrong> {
        if !matches!(self.token().kind, TokenKind::Name | TokenKind::Number) {
            return self.expected(what, help);
        }
        let token = self.pass();
        Ok((self.word(token.span), token.span))
    }

    /// Goes past a number; `what` says of what.
    ///
    /// # Errors
    /// If none is here, or it is too large.
    pub fn number(&mut self, what: &str, help: &str) -> Result<Value, Wrong> {
        if self.token().kind != TokenKind::Number {
            return self.expected(what, help);
        }
        let token = self.pass();
        let word = self.word(token.span);
        word.parse().or_else(|_| {
            let message = format!("`{word}` is not a 64-bit number");
            refuse(message, token.span, "values are whole numbers, such as 1 or -3")
        })
    }

    /// Reads something one level deeper.
    ///
    /// # Errors
    /// What is wrong with that; if it is nested too deep.
    pub fn deeper<T>(&mut self, help: &str, inside: impl FnOnce(&mut Self) -> Result<T, Wrong>) -> Result<T, Wrong> {
        if self.depth == DEEPEST {
            return refuse("the nesting is too deep", self.span(), help);
        }
        self.depth += 1;
        let result = inside(self);
        self.depth -= 1;
        result
    }
}

/// Who reads a notation line by line.
pub trait Lines<'t> {
    /// What to do where a line goes on.
    const HELP: &'static str;

    /// Where it is.
    fn cursor(&mut self) -> &mut Cursor<'t>;

    /// Reads a line, which is not empty, or what it begins with that goes on on further lines.
    ///
    /// # Errors
    /// What is wrong with it.
    fn line(&mut self) -> Result<(), Wrong>;

    /// Reads all lines. What is wrong is said with the cursor.
    fn lines(&mut self) {
        loop {
            self.cursor().skip_newlines();
            if self.cursor().is_end() {
                return;
            }
            let read = self.line();
            let cursor = self.cursor();
            let read = match read {
                Ok(()) if !cursor.is_line_end() => cursor.expected("the end of the line", Self::HELP),
                read => read,
            };
            cursor.said.extend(read.err().map(|wrong| *wrong));
            cursor.skip_line();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIGNS: Signs = Signs {
        symbols: &[("<-", "<-"), ("←", "<-"), ("<", "<"), ("_", "?"), ("=", "=")],
        in_names: |c| c.is_alphanumeric() || c == '_',
        numbers: Numbers::Signed,
    };

    fn kinds(signs: &Signs, text: &str) -> Vec<TokenKind> {
        signs.tokens(text).iter().map(|token| token.kind).collect()
    }

    #[test]
    fn tokens_are_what_a_notation_says() {
        use TokenKind::{End, Name, Newline, Number, Symbol, Unknown};
        assert_eq!(
            kinds(&SIGNS, "\u{feff}a_1 <- -12 ← 3x // b\n_ < $ _a"),
            [Name, Symbol("<-"), Number, Symbol("<-"), Number, Newline, Symbol("?"), Symbol("<"), Unknown, Name, End]
        );
        let whole = Signs { numbers: Numbers::Whole, ..SIGNS };
        assert_eq!(kinds(&whole, "12 3x -4 # c"), [Number, Name, Unknown, Number, End]);
    }

    #[test]
    fn places_count_characters() {
        let places: Vec<(u32, u32)> =
            SIGNS.tokens("é = ö\n\n  b").iter().map(|token| (token.span.line, token.span.column)).collect();
        assert_eq!(places, [(1, 1), (1, 3), (1, 5), (1, 6), (2, 1), (3, 3), (3, 4)]);
    }

    #[test]
    fn colours_follow_one_another_with_comments() {
        let class = |tokens: &[Token], at: usize| (tokens[at].kind == TokenKind::Name).then_some(TokenClass::Label);
        let text = "a // of a\n  # more\nb";
        let colours = SIGNS.colours(text, "", class);
        let words: Vec<&str> = colours.iter().map(|(range, _)| &text[range.clone()]).collect();
        assert_eq!(words, ["a", "// of a", "# more", "b"]);
        assert!(SIGNS.colours(&"a ".repeat(MAX_SOURCE), "", class).is_empty());
    }

    #[test]
    fn one_wrong_line_does_not_hide_the_next() {
        struct Names<'t>(Cursor<'t>, Vec<&'t str>);
        impl<'t> Lines<'t> for Names<'t> {
            const HELP: &'static str = "one name a line";
            fn cursor(&mut self) -> &mut Cursor<'t> {
                &mut self.0
            }
            fn line(&mut self) -> Result<(), Wrong> {
                let (name, _) = self.0.name("a name", Self::HELP)?;
                self.1.push(name);
                Ok(())
            }
        }
        let mut reader = Names(Cursor::new("a\n= b\nc d\n\ne", &SIGNS), Vec::new());
        reader.lines();
        assert_eq!(reader.1, ["a", "c", "e"]);
        let said: Vec<&str> = reader.0.said.iter().map(|wrong| wrong.message.as_str()).collect();
        assert_eq!(said, ["expected a name, found `=`", "expected the end of the line, found `d`"]);
    }

    #[test]
    fn nesting_has_an_end() {
        fn nested(cursor: &mut Cursor<'_>) -> Result<u32, Wrong> {
            if cursor.take("<") { Ok(1 + cursor.deeper("less", nested)?) } else { Ok(0) }
        }
        let of = |depth: usize| nested(&mut Cursor::new(&"<".repeat(depth), &SIGNS));
        assert_eq!(of(60).ok(), Some(60));
        assert_eq!(of(61).map_err(|wrong| wrong.message), Err("the nesting is too deep".to_owned()));
    }
}
