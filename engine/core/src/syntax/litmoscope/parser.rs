//! Tokens to statements: recursive descent, with recovery at the end of a statement.

mod choices;
mod handlers;
mod late;
mod objects;
mod parts;

pub(super) use choices::{ASSUMING, ATOMIC, Choices, IN, INPUT, RANDOM};
pub(super) use handlers::{Handlers, Initial, START, check_use};
pub use late::may_have_objects;
pub(crate) use late::{
    LateReader, add_registers, await_reader, check, declared, is_of_choice, is_read_late, note_assumed, premise,
    structures, unassigned,
};
pub(super) use late::{late_declaration, late_premise, late_statement};
pub(crate) use objects::{Structures, is_return};
pub(super) use parts::{AFTER, BEFORE, is_part, no_handlers};

use super::lexer::{Kind, Token};
use super::names::{MAX_LOCATIONS, Meaning, Names};
use crate::program::{
    Access, AccessKind, Address, BinaryOperator, CasResult, Comparison, Condition, Expression, Integer, Mode, Object,
    ObjectId, Observable, Origin, Place, PlaceKind, Proposition, Quantifier, RegisterId, Span, Statement,
    StatementKind, Term, UnaryOperator, UpdateOperator, Value,
};
use crate::sort;
use crate::syntax::{Diagnostic, Severity, TokenClass};
use crate::words;
use handlers::{HandlerDeclaration, InitialPost, MessageDeclaration};
use objects::StructureDeclaration;
use parts::Before;
use rustc_hash::FxHashMap;

/// How deep statements and parentheses may nest: the parser recurses this deep, on a stack of 1 MiB in a browser.
pub(super) const MAX_DEPTH: u32 = 100;
/// How deep expressions may get, chains such as `1 + 1 + 1` included: everything that walks a program recurses this deep.
pub(super) const MAX_HEIGHT: u32 = 300;
/// The same for final conditions; tools write long ones.
pub(super) const MAX_CLAUSES: u32 = 510;
/// How many errors are given at most, and how many warnings.
pub(super) const MAX_DIAGNOSTICS: usize = 50;

/// The statement or line can't be read; a diagnostic says why.
#[derive(Debug)]
pub(super) struct Failed;

type Parse<T> = Result<T, Failed>;

/// An expression or proposition and how deep it nests.
type Measured<T> = Parse<(T, u32)>;

/// What stands before the threads.
#[derive(Debug, Default)]
pub(crate) struct Declarations {
    /// The program's name.
    pub name: String,
    /// The memory model asked for.
    pub model: Option<(String, Span)>,
    /// What is declared shared.
    pub shared: Vec<Object>,
    /// There is a `shared` line.
    pub explicit: bool,
    /// Indices in `shared` by name.
    by_name: FxHashMap<String, usize>,
    /// Registers with initial values.
    pub registers: Vec<InitialRegister>,
    /// The names whose addresses are initial values. What they stand for is not known yet: an [`Address`] among the
    /// initial values has the index of its name here in place of the object.
    pub addresses: Vec<(String, Span)>,
    /// The handlers.
    pub handlers: Vec<HandlerDeclaration>,
    /// The messages of all handlers.
    pub messages: Vec<MessageDeclaration>,
    /// What is posted at the start.
    pub posts: Vec<InitialPost>,
    /// The concurrent objects.
    pub structures: Vec<StructureDeclaration>,
    /// Inputs, and what is assumed of them.
    pub choices: Option<Box<Choices>>,
    /// What is done before there are threads.
    pub before: Option<Before>,
    /// A handler, a message or an object could not be read.
    pub incomplete: bool,
    /// The token behind a message whose block is not closed.
    unclosed: Option<usize>,
    /// What the words of handlers, messages and objects are, by where they start, in order.
    pub classes: Vec<(u32, TokenClass)>,
}

impl Declarations {
    /// Whether something shared of that name is declared.
    pub(crate) fn declares(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// Adds what is shared, unless there is something of that name.
    fn add(&mut self, object: Object) -> bool {
        if self.by_name.contains_key(&object.name) {
            return false;
        }
        self.by_name.insert(object.name.clone(), self.shared.len());
        self.shared.push(object);
        true
    }
}

/// A thread as the text says it.
#[derive(Debug)]
pub(crate) enum ThreadName {
    /// `P0`, or only its number.
    Index(usize),
    /// The name of a handler.
    Handler(String),
}

/// `P0:a = 1`
#[derive(Debug)]
pub(crate) struct InitialRegister {
    /// The thread.
    pub thread: ThreadName,
    /// The register.
    pub name: String,
    /// Its initial value.
    pub value: Value,
    /// Where it says so.
    pub span: Span,
}

/// What stands behind the threads.
#[derive(Debug, Default)]
pub(super) struct Footer {
    /// `locations [...]`
    pub observed: Option<Vec<Observable>>,
    /// `filter (...)`
    pub filter: Option<Proposition>,
    /// `exists (...)` and its like.
    pub condition: Option<Condition>,
}

#[derive(Clone, Copy)]
enum Function {
    Load,
    Update(UpdateOperator),
    Send,
    Receive,
    CompareAndSwap { weak: bool },
}

const FUNCTIONS: &[(&str, Function)] = &[
    ("load", Function::Load),
    ("send", Function::Send),
    ("receive", Function::Receive),
    ("fai", Function::Update(UpdateOperator::Add)),
    ("faa", Function::Update(UpdateOperator::Add)),
    ("fetch_add", Function::Update(UpdateOperator::Add)),
    ("fas", Function::Update(UpdateOperator::Subtract)),
    ("fetch_sub", Function::Update(UpdateOperator::Subtract)),
    ("fetch_and", Function::Update(UpdateOperator::And)),
    ("fetch_or", Function::Update(UpdateOperator::Or)),
    ("fetch_xor", Function::Update(UpdateOperator::Xor)),
    ("fetch_max", Function::Update(UpdateOperator::Max)),
    ("fetch_min", Function::Update(UpdateOperator::Min)),
    ("xchg", Function::Update(UpdateOperator::Exchange)),
    ("cas", Function::CompareAndSwap { weak: false }),
    ("wcas", Function::CompareAndSwap { weak: true }),
];

const MODES: &[(&str, Mode)] = &[
    ("na", Mode::NonAtomic),
    ("rlx", Mode::Relaxed),
    ("acq", Mode::Acquire),
    ("rel", Mode::Release),
    ("acqrel", Mode::AcquireRelease),
    ("sc", Mode::SequentiallyConsistent),
];

const MODES_HELP: &str = "the modes are na, rlx, acq, rel, acqrel and sc";
const CHANNELS: &str = "use channels with `send(c, 1)` and `r := receive(c)`";
const INDEX_OF_ARRAY: &str = "a plain variable has no elements; declare an array as `shared q[4]`";

/// The function of that name, in either case: papers write `CAS` as well as `cas`.
fn function(name: &str) -> Option<Function> {
    FUNCTIONS.iter().find(|(function, _)| function.eq_ignore_ascii_case(name)).map(|(_, function)| *function)
}

/// Whether a name in front of a parenthesis is a function.
pub(super) fn is_function(name: &str) -> bool {
    function(name).is_some()
}

/// Whether a name in front of a parenthesis is a compare-and-swap.
pub(super) fn is_compare_and_swap(name: &str) -> bool {
    matches!(function(name), Some(Function::CompareAndSwap { .. }))
}

/// Whether a symbol is an access mode.
pub(crate) fn is_mode(symbol: &str) -> bool {
    MODES.iter().any(|(mode, _)| *mode == symbol)
}

/// The mode of reads in a statement of that mode.
pub(super) fn read_mode(mode: Mode) -> Mode {
    match mode {
        Mode::Release => Mode::Relaxed,
        Mode::AcquireRelease => Mode::Acquire,
        other => other,
    }
}

/// The mode of writes in a statement of that mode.
pub(super) fn write_mode(mode: Mode) -> Mode {
    match mode {
        Mode::Acquire => Mode::Relaxed,
        Mode::AcquireRelease => Mode::Release,
        other => other,
    }
}

/// How tightly operators bind, loosest first. Prefix operators bind [`UNARY`], `not` binds [`NOT`].
pub(super) const NOT: u8 = 3;
/// Comparisons; they do not chain.
pub(super) const COMPARISON: u8 = 4;
/// `-a`, `~a`, `!a`
pub(super) const UNARY: u8 = 10;

/// Symbol, operator and how tightly it binds.
pub(super) const OPERATORS: &[(&str, BinaryOperator, u8)] = &[
    ("or", BinaryOperator::Or, 1),
    ("and", BinaryOperator::And, 2),
    ("=", BinaryOperator::Equal, COMPARISON),
    ("!=", BinaryOperator::NotEqual, COMPARISON),
    ("<", BinaryOperator::Less, COMPARISON),
    ("<=", BinaryOperator::LessOrEqual, COMPARISON),
    (">", BinaryOperator::Greater, COMPARISON),
    (">=", BinaryOperator::GreaterOrEqual, COMPARISON),
    ("|", BinaryOperator::BitOr, 5),
    ("^", BinaryOperator::BitXor, 6),
    ("&", BinaryOperator::BitAnd, 7),
    ("<<", BinaryOperator::ShiftLeft, 8),
    (">>", BinaryOperator::ShiftRight, 8),
    ("+", BinaryOperator::Add, 9),
    ("-", BinaryOperator::Subtract, 9),
    ("*", BinaryOperator::Multiply, UNARY),
    ("/", BinaryOperator::Divide, UNARY),
    ("%", BinaryOperator::Remainder, UNARY),
];

/// The index of a thread by its name: `P1` is 1.
pub(crate) fn thread_index(name: &str) -> Option<usize> {
    let digits = name.strip_prefix('P')?;
    digits.chars().all(|c| c.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
}

/// Whether a thread may be called so if it is no handler: `P1`.
pub(super) fn is_thread_name(name: &str) -> bool {
    name.strip_prefix('P').is_some_and(|digits| !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit()))
}

/// From the first character of one to the last of the other.
fn join(from: Span, to: Span) -> Span {
    Span { end: to.end.max(from.end), ..from }
}

/// The modes before closing parentheses, by the index of the opening one.
fn trailing_modes(tokens: &[Token]) -> FxHashMap<usize, Mode> {
    let mut modes = FxHashMap::default();
    let mut open = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::Symbol("(") => open.push(at),
            Kind::Symbol(")") => {
                if let Some(opening) = open.pop()
                    && let Kind::Symbol(symbol) = tokens[at - 1].kind
                    && let Some((_, mode)) = MODES.iter().find(|(keyword, _)| *keyword == symbol)
                {
                    modes.insert(opening, *mode);
                }
            }
            Kind::Symbol(";" | "{" | "}") => open.clear(),
            _ => {}
        }
    }
    modes
}

/// The parser. It sees one section of the text at a time: what stands before the threads, a thread, or what stands
/// behind the threads.
pub(super) struct Parser<'t> {
    source: &'t str,
    /// The section, an [`Kind::End`] last.
    tokens: Vec<Token>,
    at: usize,
    /// The last token taken.
    last: Span,
    /// How many parentheses are open: in them, lines may end anywhere.
    parentheses: u32,
    depth: u32,
    /// The mode of accesses that do not give their own.
    mode: Mode,
    thread: usize,
    names: &'t Names,
    /// The modes that stand last in parentheses, by the index of the opening one.
    trailing_modes: FxHashMap<usize, Mode>,
    /// [`Declarations::addresses`], while declarations are read.
    addresses: Option<Vec<(String, Span)>>,
    /// The closing brace of each opening one, by index, while declarations are read.
    closing_braces: FxHashMap<usize, usize>,
    /// What is wrong.
    pub diagnostics: &'t mut Vec<Diagnostic>,
}

impl<'t> Parser<'t> {
    /// A parser of one section. Its last token ends it, whatever it is.
    pub(super) fn new(
        source: &'t str,
        tokens: Vec<Token>,
        thread: usize,
        names: &'t Names,
        diagnostics: &'t mut Vec<Diagnostic>,
    ) -> Self {
        let last = tokens.first().map_or(Span::default(), |token| Span { end: token.span.start, ..token.span });
        let trailing_modes = trailing_modes(&tokens);
        Self {
            source,
            tokens,
            at: 0,
            last,
            parentheses: 0,
            depth: 0,
            mode: Mode::Relaxed,
            thread,
            names,
            trailing_modes,
            addresses: None,
            closing_braces: FxHashMap::default(),
            diagnostics,
        }
    }

    // Tokens.

    fn index(&self) -> usize {
        let mut at = self.at;
        while self.parentheses > 0 && self.tokens[at].kind == Kind::Newline {
            at += 1;
        }
        at
    }

    fn peek(&self) -> Token {
        self.tokens[self.index()]
    }

    /// The token behind the next one.
    fn peek_second(&self) -> Token {
        let at = (self.index() + 1).min(self.tokens.len() - 1);
        self.tokens[at]
    }

    fn peek_name(&self) -> Option<&'t str> {
        self.peek().name(self.source)
    }

    fn take(&mut self) -> Token {
        self.at = self.index();
        let token = self.tokens[self.at];
        if token.kind != Kind::End {
            self.at += 1;
            self.last = token.span;
        }
        token
    }

    fn accept(&mut self, symbol: &str) -> bool {
        let accepted = self.peek().is(symbol);
        if accepted {
            self.take();
        }
        accepted
    }

    fn skip_newlines(&mut self) {
        while self.peek().kind == Kind::Newline {
            self.at = self.index() + 1;
        }
    }

    fn skip_separators(&mut self) {
        while self.peek().kind == Kind::Newline || self.peek().is(";") {
            self.at = self.index() + 1;
        }
    }

    /// How far the parser has come.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    // Messages.

    fn describe(&self, token: Token) -> String {
        match token.kind {
            Kind::Newline if !self.separates(token) => "the end of the line".to_owned(),
            Kind::End if token.span.start == token.span.end => "the end of the text".to_owned(),
            _ if token.text(self.source) == "`" => "a backquote".to_owned(),
            _ => {
                let text = token.text(self.source);
                let shown: String = text.chars().take(30).collect();
                let dots = if shown.len() < text.len() { "..." } else { "" };
                format!("`{}{dots}`", shown.replace(char::is_control, " "))
            }
        }
    }

    /// The end of a thread, or of a cell of a table, that is the separator of threads.
    fn separates(&self, token: Token) -> bool {
        matches!(token.kind, Kind::End | Kind::Newline) && matches!(token.text(self.source), "||" | "|||" | "∥" | "‖")
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        if self.count(diagnostic.severity) < MAX_DIAGNOSTICS {
            self.diagnostics.push(diagnostic);
        }
    }

    fn count(&self, severity: Severity) -> usize {
        self.diagnostics.iter().filter(|diagnostic| diagnostic.severity == severity).count()
    }

    fn fail<T>(&mut self, diagnostic: Diagnostic) -> Parse<T> {
        self.report(diagnostic);
        Err(Failed)
    }

    fn expected(&self, what: &str) -> Diagnostic {
        let token = self.peek();
        // What is missing at the end of a line or of the text is missing behind the last token.
        let ends = matches!(token.kind, Kind::Newline | Kind::End) && !self.separates(token);
        let span = if ends {
            let text = &self.source[self.last.start as usize..self.last.end as usize];
            let column = self.last.column + text.chars().count() as u32;
            Span { start: self.last.end, end: self.last.end, line: self.last.line, column }
        } else {
            token.span
        };
        let diagnostic = Diagnostic::error(format!("expected {what}, found {}", self.describe(token)), span);
        match token.kind {
            Kind::Symbol(word) if is_mode(word) => diagnostic.with_help(format!(
                "`{word}` is a mode: it comes after `:=`, `fence`, `if` or `assume`, or last in a function; write `` \
                 `{word}` `` for a variable of that name"
            )),
            Kind::Symbol(word) if word.starts_with(char::is_alphabetic) && !matches!(word, "and" | "or" | "not") => {
                diagnostic.with_help(format!("`{word}` is a keyword; write `` `{word}` `` for a variable of that name"))
            }
            Kind::Title(word) => diagnostic.with_help(format!("write the `{word}` line before the threads")),
            _ if self.separates(token) => diagnostic.with_help("`||` separates threads; the logical operator is `or`"),
            _ => diagnostic,
        }
    }

    fn expect(&mut self, symbol: &str) -> Parse<Token> {
        if self.peek().is(symbol) {
            return Ok(self.take());
        }
        let diagnostic = self.expected(&format!("`{symbol}`"));
        self.fail(diagnostic)
    }

    /// The bracket that closes `open`.
    fn close(&mut self, open: Token, symbol: &str, or_else: &str) -> Parse<()> {
        if self.peek().is(symbol) {
            self.take();
            self.parentheses -= 1;
            return Ok(());
        }
        let next = self.peek();
        if self.index() != self.at || next.kind == Kind::End {
            let opened = self.describe(open);
            return self.fail(
                Diagnostic::error(format!("this {opened} is not closed"), open.span)
                    .with_help(format!("write the `{symbol}`")),
            );
        }
        let diagnostic = self.expected(&format!("{or_else}`{symbol}`"));
        let diagnostic = match next.kind {
            _ if diagnostic.help.is_some() => diagnostic,
            Kind::Symbol("||") => diagnostic.with_help("write `\\/` for `or` and `/\\` for `and`"),
            Kind::Symbol(":=") => diagnostic.with_help("write `=` for a comparison"),
            Kind::Number | Kind::Name => diagnostic.with_help("is there an operator missing?"),
            _ => diagnostic,
        };
        self.fail(diagnostic)
    }

    fn open(&mut self, symbol: &str) -> Parse<Token> {
        let token = self.expect(symbol)?;
        self.parentheses += 1;
        Ok(token)
    }

    fn enter(&mut self) -> Parse<()> {
        if self.depth >= MAX_DEPTH {
            let span = self.peek().span;
            return self.fail(Diagnostic::error(format!("nested more than {MAX_DEPTH} deep"), span));
        }
        self.depth += 1;
        Ok(())
    }

    fn check_height(&mut self, height: u32) -> Parse<u32> {
        self.check_bound(height, MAX_HEIGHT)
    }

    fn check_bound(&mut self, height: u32, bound: u32) -> Parse<u32> {
        if height < bound {
            return Ok(height);
        }
        let message = format!("more than {bound} operators in a row");
        let diagnostic = Diagnostic::error(message, self.last).with_help("split the expression, or use parentheses");
        self.fail(diagnostic)
    }

    /// Goes on behind the statement that can't be read.
    fn recover(&mut self) {
        self.parentheses = 0;
        self.mode = Mode::Relaxed;
        let mut braces = 0;
        loop {
            let token = self.peek();
            match token.kind {
                Kind::End => return,
                Kind::Symbol("{") => braces += 1,
                Kind::Symbol("}") if braces == 0 => return,
                Kind::Symbol("}") => {
                    braces -= 1;
                    if braces == 0 {
                        self.take();
                        return;
                    }
                }
                Kind::Newline | Kind::Symbol(";") if braces == 0 => return,
                _ => {}
            }
            self.take();
        }
    }

    // Statements.

    /// The statements of a thread, up to the end of the section.
    pub(super) fn thread(&mut self) -> Vec<Statement> {
        let mut statements = Vec::new();
        loop {
            self.statements(&mut statements);
            if self.peek().kind == Kind::End {
                return statements;
            }
            // Only a brace that closes nothing ends the statements earlier.
            let token = self.take();
            self.report(Diagnostic::error("this `}` closes nothing", token.span));
        }
    }

    /// Statements up to a closing brace or the end.
    fn statements(&mut self, into: &mut Vec<Statement>) {
        loop {
            self.skip_separators();
            let token = self.peek();
            if token.kind == Kind::End || token.is("}") {
                return;
            }
            let depth = self.depth;
            let start = self.at;
            match self.statement().and_then(|statement| self.end_of_statement().map(|()| statement)) {
                Ok(statement) => into.push(statement),
                Err(Failed) => {
                    self.depth = depth;
                    self.recover();
                    if self.at == start {
                        self.take();
                    }
                }
            }
        }
    }

    fn end_of_statement(&mut self) -> Parse<()> {
        let token = self.peek();
        let ends = token.kind == Kind::Newline || token.kind == Kind::End || token.is(";") || token.is("}");
        let behind_block = self.at > 0 && self.tokens[self.at - 1].is("}");
        if ends || behind_block {
            return Ok(());
        }
        let diagnostic = self.expected("`;` or the end of the line");
        let diagnostic = match token.kind {
            Kind::Symbol(":=") => diagnostic.with_help("a statement has only one assignment"),
            Kind::Symbol("||") => diagnostic.with_help("`||` separates threads; the logical operator is `or`"),
            Kind::Symbol(",") => diagnostic.with_help("statements are separated by `;` or line ends"),
            Kind::Symbol(word) if is_mode(word) => {
                let help =
                    format!("the mode comes after `:=`: `a :={word} x`; or in parentheses: `assume(x = 1 {word})`");
                Diagnostic { help: Some(help), ..diagnostic }
            }
            Kind::Symbol("else") => {
                diagnostic.with_help("an `else` comes directly after the statement of `then`, or after `}`")
            }
            _ => diagnostic,
        };
        self.fail(diagnostic)
    }

    fn statement(&mut self) -> Parse<Statement> {
        self.enter()?;
        let statement = self.statement_unbounded();
        self.depth -= 1;
        statement
    }

    fn statement_unbounded(&mut self) -> Parse<Statement> {
        let token = self.peek();
        let start = token.span;
        let kind = match token.kind {
            Kind::Name | Kind::Quoted => return self.named_statement(),
            Kind::Symbol("*") => self.write()?,
            Kind::Symbol("_") => {
                self.take();
                self.expect(":=")?;
                let (value, _) = self.value()?;
                StatementKind::Evaluate(value)
            }
            Kind::Symbol("skip") => {
                self.take();
                StatementKind::Skip
            }
            Kind::Symbol("error") => {
                self.take();
                StatementKind::Assert(Expression::Constant(0))
            }
            Kind::Symbol("fence") => self.fence()?,
            Kind::Symbol(word @ ("assert" | "assume")) => {
                self.take();
                let condition = self.condition()?;
                if word == "assert" { StatementKind::Assert(condition) } else { StatementKind::Assume(condition) }
            }
            Kind::Symbol(word @ ("lock" | "unlock")) => {
                self.take();
                let open = if self.peek().is("(") { Some(self.open("(")?) } else { None };
                let place = self.place()?;
                if let Some(open) = open {
                    self.close(open, ")", "")?;
                }
                if word == "lock" { StatementKind::Lock(place) } else { StatementKind::Unlock(place) }
            }
            Kind::Symbol("if") => return self.choice(),
            Kind::Symbol("while") => {
                self.take();
                let condition = self.condition()?;
                let span = join(start, self.last);
                let body = self.block()?;
                return Ok(Statement { kind: StatementKind::While { condition, body }, span });
            }
            Kind::Symbol("repeat") => {
                self.take();
                let body = self.block()?;
                self.skip_newlines();
                let start = self.peek().span;
                self.expect("until")?;
                let until = self.condition()?;
                // What runs here is the test behind the body.
                return Ok(Statement { kind: StatementKind::Repeat { body, until }, span: join(start, self.last) });
            }
            _ => {
                let diagnostic = self.expected("a statement");
                let diagnostic = match token.kind {
                    Kind::Symbol("else") => diagnostic.with_help("this `else` belongs to no `if`"),
                    Kind::Symbol("shared" | "init") => {
                        Diagnostic { help: Some("write declarations before the threads".to_owned()), ..diagnostic }
                    }
                    Kind::Symbol("{") => diagnostic.with_help("a block follows `if`, `else`, `while` or `repeat`"),
                    Kind::Unknown if token.text(self.source) == "`" => {
                        diagnostic.with_help("close a name in backquotes on the same line")
                    }
                    _ if diagnostic.help.is_some() => diagnostic,
                    _ => diagnostic.with_help("a write is `x := 1`, a read is `a := x`"),
                };
                return self.fail(diagnostic);
            }
        };
        Ok(Statement { kind, span: join(start, self.last) })
    }

    /// A statement that starts with a name: an assignment or a call.
    fn named_statement(&mut self) -> Parse<Statement> {
        let token = self.peek();
        let start = token.span;
        if token.kind == Kind::Name && self.peek_second().is("(") {
            if matches!(function(token.text(self.source)), Some(Function::Send)) {
                return self.send();
            }
            let value = self.call()?.0;
            return Ok(Statement { kind: StatementKind::Evaluate(value), span: join(start, self.last) });
        }
        if let Some(statement) = self.some_statement() {
            return statement;
        }
        if self.is_word("post") {
            return self.post();
        }
        if let Some(word) = [BEFORE, AFTER].into_iter().find(|word| self.starts_part(word)) {
            let diagnostic = parts::misplaced(word, start);
            return self.fail(diagnostic);
        }
        if let Some(word) = ["handler", "message", "initial", "object"].into_iter().find(|word| self.is_word(word)) {
            let what = match word {
                "initial" => "of initial messages".to_owned(),
                "object" => "of an object".to_owned(),
                _ => format!("of a {word}"),
            };
            let message = format!("expected a statement, found the declaration {what}");
            return self.fail(Diagnostic::error(message, start).with_help("write declarations before the threads"));
        }
        let name = self.peek_name().unwrap_or_default();
        let second = self.peek_second();
        if !second.is(":=") && !second.is("[") {
            self.take();
            let mut diagnostic = self.expected("`:=`");
            diagnostic.help = match second.kind {
                Kind::Symbol("=" | "<") => Some("write `:=` for an assignment".to_owned()),
                Kind::Symbol("+" | "-") => Some("`fai(x)` adds 1 atomically; `a := a + 1` does not".to_owned()),
                Kind::Symbol(":") => Some("threads have no labels: separate them by `||`".to_owned()),
                _ if name == "mfence" => Some("write `fence sc` for a full fence".to_owned()),
                _ if matches!(name, "await" | "wait" | "blockuntil") => {
                    Some("write `assume x = 1` to wait for a condition".to_owned())
                }
                _ if name == "return" => Some(
                    "only methods of objects return; a thread ends after its last \
                                               statement"
                        .to_owned(),
                ),
                _ if name == "post" => Some("post a message with `post ui.m(1)`".to_owned()),
                _ if matches!(name, "end" | "fi" | "od" | "done") => Some("a block ends with `}`".to_owned()),
                _ => diagnostic.help,
            };
            return self.fail(diagnostic);
        }
        let meaning = self.names.meaning(self.thread, name);
        let kind = match meaning {
            Some(Meaning::Register(register)) => {
                self.take();
                if second.is("[") {
                    let message = format!("`{name}` is a register: it has no elements");
                    return self.fail(Diagnostic::error(message, start).with_help(INDEX_OF_ARRAY));
                }
                self.expect(":=")?;
                if let Some(kind) = self.some_value(register) {
                    return Ok(Statement { kind: kind?, span: join(start, self.last) });
                }
                let (value, mode) = self.value()?;
                if let Some(mode) = mode
                    && !value.has_access()
                {
                    let message = format!("the mode `{}` has no effect", mode.text(self.source));
                    let help = "nothing shared is read or written here";
                    self.report(Diagnostic::warning(message, mode.span).with_help(help));
                }
                StatementKind::Assign { register, value }
            }
            _ => self.write()?,
        };
        Ok(Statement { kind, span: join(start, self.last) })
    }

    /// `x :=rel 1`, `*r := 1`
    fn write(&mut self) -> Parse<StatementKind> {
        // The mode is behind the place but holds for reads in it too.
        let before = self.at;
        let count = self.diagnostics.len();
        let place = self.place()?;
        self.expect(":=")?;
        let mode = self.assignment_mode()?.map_or(Mode::Relaxed, |(mode, _)| mode);
        let behind = self.at;
        let place = if place.operand().is_some_and(Expression::has_access) && mode != Mode::Relaxed {
            self.at = before;
            self.diagnostics.truncate(count);
            self.mode = mode;
            let place = self.place()?;
            self.at = behind;
            place
        } else {
            place
        };
        self.mode = mode;
        let value = self.expression(0)?.0;
        self.mode = Mode::Relaxed;
        Ok(StatementKind::Write { place, mode: write_mode(mode), value })
    }

    /// `send(c, 1)`
    fn send(&mut self) -> Parse<Statement> {
        let start = self.take().span;
        let open = self.open("(")?;
        let place = self.place()?;
        if !self.accept(",") {
            let diagnostic = self.expected("`,` and the value to send");
            return self.fail(diagnostic.with_help(CHANNELS));
        }
        let value = self.expression(0)?.0;
        self.close(open, ")", "")?;
        Ok(Statement { kind: StatementKind::Send { place, value }, span: join(start, self.last) })
    }

    /// What stands behind `:=`, and the token of its mode.
    fn value(&mut self) -> Parse<(Expression, Option<Token>)> {
        let mode = self.assignment_mode()?;
        self.mode = mode.map_or(Mode::Relaxed, |(mode, _)| mode);
        let value = self.expression(0)?.0;
        self.mode = Mode::Relaxed;
        Ok((value, mode.map(|(_, token)| token)))
    }

    fn assignment_mode(&mut self) -> Parse<Option<(Mode, Token)>> {
        let token = self.peek();
        let mode = self.accept_mode();
        if mode.is_none() && token.kind == Kind::Name {
            // `x :=foo 1`: two operands in a row.
            let second = self.peek_second();
            let operand = matches!(second.kind, Kind::Name | Kind::Quoted | Kind::Number);
            if operand && token.span.start == self.last.end {
                let message = format!("unknown mode {}", self.describe(token));
                return self.fail(Diagnostic::error(message, token.span).with_help(MODES_HELP));
            }
        }
        Ok(mode.map(|mode| (mode, token)))
    }

    fn accept_mode(&mut self) -> Option<Mode> {
        let Kind::Symbol(symbol) = self.peek().kind else { return None };
        let (_, mode) = MODES.iter().find(|(keyword, _)| *keyword == symbol)?;
        self.take();
        Some(*mode)
    }

    fn fence(&mut self) -> Parse<StatementKind> {
        const MODES_OF_FENCES: &str = "the modes of fences are rlx, acq, rel, acqrel and sc";
        self.take();
        let next = self.peek();
        if matches!(next.kind, Kind::Newline | Kind::End) || next.is(";") || next.is("}") {
            return Ok(StatementKind::Fence(Mode::SequentiallyConsistent));
        }
        let open = if next.is("(") { Some(self.open("(")?) } else { None };
        let token = self.peek();
        let mode = match self.accept_mode() {
            Some(Mode::NonAtomic) => {
                let diagnostic = Diagnostic::error("a fence can't be non-atomic", token.span);
                return self.fail(diagnostic.with_help(MODES_OF_FENCES));
            }
            Some(mode) => mode,
            None => {
                let diagnostic = self.expected("the fence's mode");
                return self.fail(diagnostic.with_help(MODES_OF_FENCES));
            }
        };
        if let Some(open) = open {
            self.close(open, ")", "")?;
        }
        Ok(StatementKind::Fence(mode))
    }

    /// The condition of `if`, `while`, `until`, `assert` and `assume`, with the mode of its reads first.
    fn condition(&mut self) -> Parse<Expression> {
        let token = self.peek();
        let mode = self.accept_mode();
        self.mode = mode.unwrap_or_default();
        let condition = self.expression(0)?.0;
        self.mode = Mode::Relaxed;
        if mode.is_some() && !condition.has_access() {
            let message = format!("the mode `{}` has no effect", token.text(self.source));
            self.report(Diagnostic::warning(message, token.span).with_help("nothing shared is read here"));
        }
        Ok(condition)
    }

    fn choice(&mut self) -> Parse<Statement> {
        let start = self.take().span;
        let condition = self.condition()?;
        let span = join(start, self.last);
        let then = if self.accept("then") {
            self.branch()?
        } else if self.peek().is("{") {
            self.block()?
        } else {
            let mut diagnostic = self.expected("`{` or `then`");
            diagnostic.help.get_or_insert("it is `if a = 0 then x := 1` or `if a = 0 { x := 1 }`".to_owned());
            return self.fail(diagnostic);
        };
        let behind = self.at;
        self.skip_newlines();
        let otherwise = if self.accept("else") {
            self.branch()?
        } else {
            self.at = behind;
            Vec::new()
        };
        Ok(Statement { kind: StatementKind::If { condition, then, otherwise }, span })
    }

    /// What follows `then` or `else`: a block or a single statement.
    fn branch(&mut self) -> Parse<Vec<Statement>> {
        self.skip_newlines();
        if self.peek().is("{") { self.block() } else { Ok(vec![self.statement()?]) }
    }

    fn block(&mut self) -> Parse<Vec<Statement>> {
        let behind = self.at;
        self.skip_newlines();
        if !self.peek().is("{") {
            self.at = behind;
        }
        let open = self.expect("{")?;
        let mut statements = Vec::new();
        self.statements(&mut statements);
        if !self.accept("}") {
            let diagnostic = Diagnostic::error("this `{` is not closed", open.span);
            let help = match self.peek() {
                end if self.separates(end) => "write the `}` before the `||` that ends the thread",
                _ => "write the `}`",
            };
            return self.fail(diagnostic.with_help(help));
        }
        Ok(statements)
    }

    // Expressions.

    /// An expression of operators that bind at least that tightly.
    fn expression(&mut self, tightness: u8) -> Measured<Expression> {
        self.enter()?;
        let (mut left, mut height) = self.operand()?;
        let mut compared = false;
        while let Kind::Symbol(symbol) = self.peek().kind {
            let Some((_, operator, level)) = OPERATORS.iter().find(|(spelling, ..)| *spelling == symbol) else { break };
            if *level < tightness {
                break;
            }
            let token = self.take();
            if compared && *level == COMPARISON {
                let diagnostic = Diagnostic::error("comparisons do not chain", token.span);
                return self.fail(diagnostic.with_help("write `a < b and b < c`, or use parentheses"));
            }
            compared = *level == COMPARISON;
            self.skip_newlines();
            let (right, right_height) = self.expression(level + 1)?;
            height = self.check_height(height.max(right_height) + 1)?;
            left = Expression::Binary(*operator, Box::new(left), Box::new(right));
        }
        self.depth -= 1;
        Ok((left, height))
    }

    fn operand(&mut self) -> Measured<Expression> {
        let token = self.peek();
        match token.kind {
            Kind::Number => {
                self.take();
                Ok((Expression::Constant(self.number(token, false)?), 1))
            }
            Kind::Symbol("-") if self.peek_second().kind == Kind::Number => {
                self.take();
                let number = self.take();
                Ok((Expression::Constant(self.number(number, true)?), 1))
            }
            Kind::Symbol("-") => self.unary(UnaryOperator::Negate, UNARY + 1),
            Kind::Symbol("~") => self.unary(UnaryOperator::Complement, UNARY + 1),
            Kind::Symbol("!") => self.unary(UnaryOperator::Not, UNARY + 1),
            Kind::Symbol("not") => self.unary(UnaryOperator::Not, NOT),
            Kind::Symbol("(") => self.parenthesis(),
            Kind::Name if self.peek_second().is("(") => self.call(),
            Kind::Name | Kind::Quoted if self.peek_second().is(".") => {
                let diagnostic = Diagnostic::error("a call can't be part of an expression", token.span);
                let help = "assign its result to a register first, without a mode: `a := s.pop()`";
                self.fail(diagnostic.with_help(help))
            }
            Kind::Name | Kind::Quoted => {
                if let Some(value) = self.empty() {
                    return Ok((Expression::Constant(value), 1));
                }
                let name = self.peek_name().unwrap_or_default();
                if let Some(Meaning::Register(register)) = self.names.meaning(self.thread, name) {
                    self.take();
                    if self.peek().is("[") {
                        let message = format!("`{name}` is a register: it has no elements");
                        return self.fail(Diagnostic::error(message, token.span).with_help(INDEX_OF_ARRAY));
                    }
                    return Ok((Expression::Register(register), 1));
                }
                self.read()
            }
            Kind::Symbol("*") => self.read(),
            Kind::Symbol("&") => self.address(),
            _ => {
                let diagnostic = self.expected("an expression");
                let diagnostic = match token.kind {
                    Kind::Symbol("=") => diagnostic.with_help("write `=` or `==` for a comparison"),
                    _ => diagnostic,
                };
                self.fail(diagnostic)
            }
        }
    }

    /// `x`, `q[1]` or `*r` as a value.
    fn read(&mut self) -> Measured<Expression> {
        let (place, height) = self.measured_place()?;
        let access = Access { kind: AccessKind::Read, span: place.span, place, mode: read_mode(self.mode) };
        Ok((Expression::Access(Box::new(access)), height + 1))
    }

    /// `&x` or `&q[a]`
    fn address(&mut self) -> Measured<Expression> {
        self.take();
        let token = self.peek();
        let Some(name) = self.peek_name() else {
            let diagnostic = self.expected("the name of something shared");
            return self.fail(diagnostic.with_help("write an address as `&x` or `&q[1]`"));
        };
        let Some(Meaning::Object(object)) = self.names.meaning(self.thread, name) else {
            let message = format!("`{name}` is a register: it has no address");
            let help = format!("to share it, declare it: `shared {name}`");
            return self.fail(Diagnostic::error(message, token.span).with_help(help));
        };
        self.take();
        let address = |offset| Expression::Constant(Address { object, offset }.value());
        if !self.peek().is("[") {
            return Ok((address(0), 1));
        }
        let open = self.open("[")?;
        let (index, height) = self.expression(0)?;
        self.close(open, "]", "an operator or ")?;
        let Expression::Constant(offset) = index else {
            let height = self.check_height(height + 1)?;
            return Ok((Expression::Binary(BinaryOperator::Add, Box::new(address(0)), Box::new(index)), height));
        };
        let span = join(token.span, self.last);
        Ok((address(self.offset(offset, span)?), 1))
    }

    /// An offset in an address.
    fn offset(&mut self, offset: Value, span: Span) -> Parse<i32> {
        match i32::try_from(offset) {
            Ok(offset) => Ok(offset),
            Err(_) => self.fail(Diagnostic::error("this index is too large for an address: more than 32 bits", span)),
        }
    }

    fn unary(&mut self, operator: UnaryOperator, tightness: u8) -> Measured<Expression> {
        self.take();
        let (operand, height) = self.expression(tightness)?;
        let height = self.check_height(height + 1)?;
        Ok((Expression::Unary(operator, Box::new(operand)), height))
    }

    /// `(a + 1)`, or `(x = 1 acq)`, where the mode is that of the reads in the parentheses.
    fn parenthesis(&mut self) -> Measured<Expression> {
        let outer = self.mode;
        if let Some(mode) = self.trailing_modes.get(&self.index()) {
            self.mode = *mode;
        }
        let open = self.open("(")?;
        let inner = self.expression(0)?;
        self.accept_mode();
        self.close(open, ")", "an operator or ")?;
        self.mode = outer;
        Ok(inner)
    }

    fn number(&mut self, token: Token, negative: bool) -> Parse<Value> {
        let text = token.text(self.source);
        let hexadecimal = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
        let parsed = match hexadecimal {
            Some(digits) => u64::from_str_radix(digits, 16),
            None => text.parse::<u64>(),
        };
        let too_large = |found: &str| format!("the number {found} does not fit in 64 bits");
        match parsed {
            // Hexadecimal digits are bits: 0xffffffffffffffff is -1.
            Ok(bits) if hexadecimal.is_some() => {
                let value = bits as Value;
                Ok(if negative { value.wrapping_neg() } else { value })
            }
            Ok(magnitude) if negative && magnitude <= 1 << 63 => Ok((magnitude as Value).wrapping_neg()),
            Ok(magnitude) if !negative && Value::try_from(magnitude).is_ok() => Ok(magnitude as Value),
            Err(error) if *error.kind() != std::num::IntErrorKind::PosOverflow => {
                let message = format!("{} is not a number", self.describe(token));
                let help = "numbers are decimal, as 10, or hexadecimal, as 0x1f; names start with a letter";
                self.fail(Diagnostic::error(message, token.span).with_help(help))
            }
            _ => {
                let found = self.describe(token);
                let help = "values are 64-bit integers with a sign";
                self.fail(Diagnostic::error(too_large(&found), token.span).with_help(help))
            }
        }
    }

    fn place(&mut self) -> Parse<Place> {
        self.measured_place().map(|(place, _)| place)
    }

    fn measured_place(&mut self) -> Measured<Place> {
        let token = self.peek();
        if self.accept("*") {
            let (address, height) = self.expression(UNARY + 1)?;
            let height = self.check_height(height + 1)?;
            let span = join(token.span, self.last);
            if let Expression::Constant(value) = address
                && Address::of(value).is_none()
            {
                let help = "a run that gets here ends with an error; write an address as `&x`";
                self.report(Diagnostic::warning(format!("{value} is not an address"), span).with_help(help));
            }
            return Ok((Place { kind: PlaceKind::Pointee(address), span }, height));
        }
        let Some(name) = self.peek_name() else {
            let diagnostic = self.expected("the name of something shared");
            return self.fail(diagnostic);
        };
        let Some(Meaning::Object(object)) = self.names.meaning(self.thread, name) else {
            let message = format!("`{name}` is a register, not something shared");
            let help = format!("to share it, declare it: `shared {name}`");
            return self.fail(Diagnostic::error(message, token.span).with_help(help));
        };
        self.take();
        let mut index = None;
        let mut height = 1;
        if self.peek().is("[") {
            let open = self.open("[")?;
            let (offset, offset_height) = self.expression(0)?;
            self.close(open, "]", "an operator or ")?;
            height = self.check_height(offset_height + 1)?;
            index = Some(offset);
        }
        let span = join(token.span, self.last);
        if let Some(Expression::Constant(offset)) = index {
            let length = self.names.objects[object.0 as usize].initial.len();
            if usize::try_from(offset).map_or(true, |offset| offset >= length) {
                let elements = words::count(length as u64, "element");
                let message = format!("`{name}[{offset}]` is outside `{name}`, which has {elements}");
                let help = "a run that gets here ends with an error";
                self.report(Diagnostic::warning(message, span).with_help(help));
            }
        }
        Ok((Place::element(object, index, span), height))
    }

    /// `load(x)`, `fai(x, 1)`, `xchg(x, 1)`, `cas(x, 0, 1)` or, weak, `wcas(x, 0, 1)`, with modes last.
    fn call(&mut self) -> Measured<Expression> {
        let callee = self.take();
        let name = callee.text(self.source);
        let Some(function) = function(name) else { return self.unknown_function(callee) };
        if matches!(function, Function::Send) {
            let message = "`send` returns no value";
            return self.fail(Diagnostic::error(message, callee.span).with_help(CHANNELS));
        }
        let open = self.open("(")?;
        let (place, mut height) = self.measured_place()?;
        let mode;
        let kind = match function {
            Function::Load => {
                let token = self.peek_second();
                mode = self.mode_argument()?;
                if matches!(mode, Some(Mode::Release | Mode::AcquireRelease)) {
                    let diagnostic = Diagnostic::error("a read can't be a release", token.span);
                    return self.fail(diagnostic.with_help("the modes of reads are na, rlx, acq and sc"));
                }
                AccessKind::Read
            }
            Function::Receive | Function::Send => {
                mode = None;
                AccessKind::Receive
            }
            Function::Update(operator) => {
                let has_operand = self.peek().is(",") && !self.mode_follows();
                let operand = if has_operand || operator != UpdateOperator::Add {
                    self.argument("the operand", &mut height)?
                } else {
                    Expression::Constant(1)
                };
                mode = self.mode_argument()?;
                AccessKind::Update { operator, operand, integer: Integer::Int64 }
            }
            Function::CompareAndSwap { weak } => {
                let (kind, given) = self.compare_and_swap(callee, weak, &mut height)?;
                mode = given;
                kind
            }
        };
        if self.peek().is(",") {
            let diagnostic = self.expected("`)`");
            return self.fail(diagnostic.with_help(format!("`{name}` has no more arguments")));
        }
        self.close(open, ")", "`,` or ")?;
        let default = match kind {
            AccessKind::Read => read_mode(self.mode),
            AccessKind::Receive => Mode::Relaxed,
            _ => self.mode,
        };
        let span = Span { end: self.last.end, ..callee.span };
        let access = Access { kind, place, mode: mode.unwrap_or(default), span };
        let height = self.check_height(height + 1)?;
        Ok((Expression::Access(Box::new(access)), height))
    }

    fn unknown_function<T>(&mut self, callee: Token) -> Parse<T> {
        let message = format!("unknown function {}", self.describe(callee));
        let help = match callee.text(self.source) {
            "store" | "write" => "a write is `x := 1`, or `x :=rel 1` with a mode",
            "read" => "a read is `a := x`, or `a :=acq x` with a mode",
            "await" | "wait" => "write `assume x = 1` to wait for a condition",
            "mfence" => "write `fence sc` for a full fence",
            _ => {
                "the functions are load, fai, xchg, cas, wcas, fetch_add, fetch_sub, fetch_and, fetch_or, fetch_xor, \
                 send and receive"
            }
        };
        self.fail(Diagnostic::error(message, callee.span).with_help(help))
    }

    /// The arguments of `cas` and `wcas` behind the place; also the mode of where it succeeds, if that is given.
    fn compare_and_swap(&mut self, callee: Token, weak: bool, height: &mut u32) -> Parse<(AccessKind, Option<Mode>)> {
        let mut result = CasResult::ValueRead;
        let expected = if self.register_follows() {
            self.take();
            self.take();
            let register = self.register()?;
            result = CasResult::Success(register);
            Expression::Register(register)
        } else {
            self.argument("the value expected", height)?
        };
        let desired = self.argument("the value to write", height)?;
        let mode = self.mode_argument()?;
        let derived = read_mode(mode.unwrap_or(self.mode));
        let token = self.peek_second();
        let failure = if mode.is_some() { self.mode_argument()?.unwrap_or(derived) } else { derived };
        if matches!(failure, Mode::Release | Mode::AcquireRelease) {
            let diagnostic = Diagnostic::error("a failing `cas` reads only: it can't be a release", token.span);
            return self.fail(diagnostic.with_help("the modes of a failing `cas` are na, rlx, acq and sc"));
        }
        if weak {
            let message = "this weak compare-and-swap is explored as a strong one, unless you ask for spurious \
                           failures: it fails only if it reads another value than expected";
            let note = Diagnostic::note(message, callee.span);
            self.report(match result {
                CasResult::ValueRead => note.with_help(
                    "the value read does not tell whether it failed; the result of `wcas(x, &e, 1)` \
                                    does",
                ),
                CasResult::Success(_) => note,
            });
        }
        Ok((AccessKind::CompareAndSwap { expected, desired, failure, weak, result }, mode))
    }

    /// Whether the next argument is `&e` with a register, which is no address.
    fn register_follows(&self) -> bool {
        let at = self.index();
        let behind = |at: usize| (at + 1..self.tokens.len()).find(|at| self.tokens[*at].kind != Kind::Newline);
        let Some(ampersand) = behind(at).filter(|at| self.tokens[*at].is("&")) else { return false };
        let name = behind(ampersand).and_then(|at| self.tokens[at].name(self.source));
        self.peek().is(",")
            && name.is_none_or(|name| !matches!(self.names.meaning(self.thread, name), Some(Meaning::Object(_))))
    }

    fn mode_follows(&self) -> bool {
        matches!(self.peek_second().kind, Kind::Symbol(symbol) if is_mode(symbol))
    }

    /// `, acq`
    fn mode_argument(&mut self) -> Parse<Option<Mode>> {
        if !self.peek().is(",") || !self.mode_follows() {
            if self.peek().is(",") && self.peek_second().kind == Kind::Name {
                let token = self.peek_second();
                let message = format!("expected a mode, found {}", self.describe(token));
                return self.fail(Diagnostic::error(message, token.span).with_help(MODES_HELP));
            }
            return Ok(None);
        }
        self.take();
        Ok(self.accept_mode())
    }

    fn argument(&mut self, what: &str, height: &mut u32) -> Parse<Expression> {
        if !self.accept(",") {
            let diagnostic = self.expected(&format!("`,` and {what}"));
            return self.fail(diagnostic.with_help("it is `fai(x, 1)`, `xchg(x, 1)`, `cas(x, 0, 1)`"));
        }
        let (expression, own) = self.expression(0)?;
        *height = own.max(*height);
        Ok(expression)
    }

    fn register(&mut self) -> Parse<RegisterId> {
        let token = self.peek();
        let Some(name) = self.peek_name() else {
            let diagnostic = self.expected("a register");
            return self.fail(diagnostic);
        };
        match self.names.meaning(self.thread, name) {
            Some(Meaning::Register(register)) => {
                self.take();
                Ok(register)
            }
            _ => {
                let message = format!("`{name}` is shared, not a register");
                let help = "on failure, `cas(x, &e, 1)` stores the value read in the register e";
                self.fail(Diagnostic::error(message, token.span).with_help(help))
            }
        }
    }

    // What stands before the threads.

    /// Declarations, up to the first token that is none.
    pub(super) fn declarations(&mut self) -> Declarations {
        let mut declarations = Declarations::default();
        self.addresses = Some(Vec::new());
        self.closing_braces = handlers::closing_braces(&self.tokens);
        loop {
            self.skip_separators();
            let token = self.peek();
            let result = match token.kind {
                Kind::Title(keyword) => {
                    self.take();
                    self.title(keyword, token, &mut declarations)
                }
                Kind::Symbol("shared") => {
                    self.take();
                    declarations.explicit = true;
                    self.shared(&mut declarations)
                }
                Kind::Symbol("init" | "{") => self.init(&mut declarations),
                Kind::Name if self.is_word("handler") => self.handler(&mut declarations),
                Kind::Name if self.is_word("message") => self.message(&mut declarations),
                Kind::Name if self.is_word("initial") => self.initial_messages(&mut declarations),
                _ => match self.some_declaration(&mut declarations) {
                    Some(result) => result,
                    None => {
                        declarations.addresses = self.addresses.take().unwrap_or_default();
                        return declarations;
                    }
                },
            };
            let result = result.and_then(|()| {
                let next = self.peek();
                let behind_block = self.tokens[self.at - 1].is("}") || declarations.unclosed == Some(self.at);
                if next.is(";") || matches!(next.kind, Kind::Newline | Kind::End) || behind_block {
                    return Ok(());
                }
                let list = token.is("shared") || (token.kind == Kind::Name && token.text(self.source) == "initial");
                let comma = if list { "`,`, " } else { "" };
                let diagnostic = self.expected(&format!("{comma}`;` or the end of the line"));
                self.fail(diagnostic)
            });
            if result.is_err() {
                declarations.incomplete |= token.kind == Kind::Name;
                self.recover_declaration();
            }
        }
    }

    fn title(&mut self, keyword: &str, token: Token, declarations: &mut Declarations) -> Parse<()> {
        let text = token.text(self.source)[keyword.len()..].trim();
        let value = match text.strip_prefix('"') {
            Some(_) => serde_json::from_str(text).unwrap_or_else(|_| text.trim_matches('"').to_owned()),
            None if text.is_empty() => {
                return self.fail(Diagnostic::error(format!("expected a name after `{keyword}`"), token.span));
            }
            None => text.to_owned(),
        };
        if keyword == "name" {
            declarations.name = value;
        } else if declarations.model.is_some() {
            return self.fail(Diagnostic::error("the program names its model twice", token.span));
        } else {
            let behind = text.len() as u32;
            // The place of the model's own name, for messages about it.
            let column = token.span.column
                + self.source[token.span.start as usize..(token.span.end - behind) as usize].chars().count() as u32;
            declarations.model = Some((value, Span { start: token.span.end - behind, column, ..token.span }));
        }
        Ok(())
    }

    fn shared(&mut self, declarations: &mut Declarations) -> Parse<()> {
        if self.peek().kind == Kind::Name && self.peek_name() == Some("none") {
            self.take();
            return Ok(());
        }
        loop {
            let token = self.peek();
            let Some(name) = self.peek_name() else {
                let diagnostic = self.expected("the name of something shared");
                return self.fail(
                    diagnostic.with_help("it is `shared x, y = 1, q[4], p[2] = {1, 2}`; `shared none` if nothing is"),
                );
            };
            self.take();
            let mut initial = vec![0];
            let array = self.peek().is("[");
            if array {
                let open = self.open("[")?;
                let length = self.peek();
                if length.kind != Kind::Number {
                    let diagnostic = self.expected("the length of the array");
                    return self.fail(diagnostic);
                }
                self.take();
                let value = self.number(length, false)?;
                if !(1..=MAX_LOCATIONS as Value).contains(&value) {
                    let message = format!("an array has 1 to {MAX_LOCATIONS} elements");
                    return self.fail(Diagnostic::error(message, length.span));
                }
                initial = vec![0; value as usize];
                self.close(open, "]", "")?;
            }
            let given = self.accept("=") || self.accept(":=");
            let uninitialised = given && self.accept("?");
            if given && !uninitialised {
                self.initial(name, array, &mut initial, declarations)?;
            }
            if let Some(range) = self.some_range(declarations, name) {
                range?;
            }
            let (object, origin) = (name.to_owned(), Origin::Declared);
            if !declarations.add(Object {
                name: object,
                initial,
                array,
                uninitialised,
                integer: Integer::Int64,
                origin,
                span: token.span,
            }) {
                self.report(Diagnostic::error(format!("`{name}` is declared twice"), token.span));
            }
            if !self.accept(",") {
                if matches!(self.peek().kind, Kind::Name | Kind::Quoted) {
                    let diagnostic = self.expected("`,`, `;` or the end of the line");
                    return self.fail(diagnostic.with_help("separate several names by commas: `shared x, y`"));
                }
                return Ok(());
            }
            self.skip_newlines();
        }
    }

    fn initial(
        &mut self,
        name: &str,
        array: bool,
        initial: &mut [Value],
        declarations: &mut Declarations,
    ) -> Parse<()> {
        if !array {
            initial[0] = self.declared_value(declarations, name, 0)?;
            return Ok(());
        }
        if !self.peek().is("{") {
            let diagnostic = self.expected("`{`");
            let help = format!("the initial values of an array are in braces: `{name}[{}] = {{1, 2}}`", initial.len());
            return self.fail(diagnostic.with_help(help));
        }
        let open = self.open("{")?;
        let mut at = 0;
        while !self.peek().is("}") {
            let token = self.peek();
            let value = self.declared_value(declarations, name, at as u32)?;
            let Some(place) = initial.get_mut(at) else {
                let message = format!("`{name}` has only {} elements", initial.len());
                return self.fail(Diagnostic::error(message, token.span));
            };
            *place = value;
            at += 1;
            if !self.accept(",") {
                break;
            }
        }
        self.close(open, "}", "`,` or ")
    }

    /// A number or an address: `-1`, `&x`, `&q[1]`.
    fn constant(&mut self) -> Parse<Value> {
        if self.peek().is("&") {
            return self.constant_address();
        }
        let negative = self.accept("-");
        let token = self.peek();
        if token.kind != Kind::Number {
            let diagnostic = self.expected("a number");
            let diagnostic = self.explained(diagnostic);
            return self.fail(diagnostic);
        }
        self.take();
        self.number(token, negative)
    }

    fn constant_address(&mut self) -> Parse<Value> {
        self.take();
        let token = self.peek();
        let Some(name) = self.peek_name() else {
            let diagnostic = self.expected("the name of something shared");
            return self.fail(diagnostic.with_help("write an address as `&x` or `&q[1]`"));
        };
        self.take();
        let mut qualified = name.to_owned();
        if self.peek().is(".") && self.peek_second().name(self.source).is_some() {
            self.take();
            qualified = format!("{name}.{}", self.take().name(self.source).unwrap_or_default());
        }
        let name = qualified.as_str();
        let object = match (&mut self.addresses, self.names.object(name)) {
            (Some(addresses), _) => {
                let known = addresses.iter().position(|(known, _)| known == name);
                let at = known.unwrap_or_else(|| {
                    addresses.push((name.to_owned(), token.span));
                    addresses.len() - 1
                });
                // Names that are too many are reported as such.
                ObjectId(u16::try_from(at).unwrap_or(u16::MAX))
            }
            (None, Some(object)) => object,
            (None, None) => {
                let diagnostic = Diagnostic::error(format!("there is no shared variable `{name}`"), token.span);
                return self.fail(diagnostic.with_help("only what is shared has an address"));
            }
        };
        let mut offset = 0;
        if self.peek().is("[") {
            let open = self.open("[")?;
            let index = self.constant()?;
            self.close(open, "]", "")?;
            offset = self.offset(index, join(token.span, self.last))?;
        }
        Ok(Address { object, offset }.value())
    }

    /// `init { P0:a = 1; x = 2 }`
    fn init(&mut self, declarations: &mut Declarations) -> Parse<()> {
        self.accept("init");
        let open = self.expect("{")?;
        loop {
            self.skip_separators();
            if self.accept("}") {
                return Ok(());
            }
            let start = self.peek().span;
            if self.peek().kind == Kind::End {
                let diagnostic = Diagnostic::error("this `{` is not closed", open.span);
                return self.fail(diagnostic.with_help("write the `}`"));
            }
            let thread = self.thread_prefix()?;
            let Some(name) = self.peek_name() else {
                let diagnostic = self.expected("a register, as `P0:a`, or the name of something shared");
                return self.fail(diagnostic);
            };
            self.take();
            let span = join(start, self.last);
            if !self.accept(":=") {
                self.expect("=")?;
            }
            let value = self.constant()?;
            if let Some(thread) = thread {
                declarations.registers.push(InitialRegister { thread, name: name.to_owned(), value, span });
            } else if let Some(at) = declarations.by_name.get(name) {
                declarations.shared[*at].initial[0] = value;
            } else if declarations.explicit {
                let diagnostic = Diagnostic::error(format!("`{name}` is not declared shared"), span);
                return self.fail(diagnostic.with_help("give a register an initial value with `P0:a = 1`"));
            } else {
                let (name, origin) = (name.to_owned(), Origin::Declared);
                declarations.add(Object {
                    name,
                    initial: vec![value],
                    array: false,
                    uninitialised: false,
                    integer: Integer::Int64,
                    origin,
                    span,
                });
            }
            let next = self.peek();
            if next.is(",") {
                self.take();
            } else if !(next.is(";") || next.is("}") || next.kind == Kind::Newline) {
                let diagnostic = self.expected("`;` or `}`");
                return self.fail(diagnostic);
            }
        }
    }

    /// `P1:`, `1:` or the name of a handler in place of it.
    fn thread_prefix(&mut self) -> Parse<Option<ThreadName>> {
        let token = self.peek();
        if !self.peek_second().is(":") {
            return Ok(None);
        }
        let thread = match token.kind {
            Kind::Number => token.text(self.source).parse().ok().map(ThreadName::Index),
            Kind::Name if is_thread_name(token.text(self.source)) => {
                thread_index(token.text(self.source)).map(ThreadName::Index)
            }
            Kind::Name | Kind::Quoted => self.peek_name().map(|name| ThreadName::Handler(name.to_owned())),
            _ => None,
        };
        let Some(thread) = thread else {
            let diagnostic = self.expected("a thread, as `P0`");
            return self.fail(diagnostic);
        };
        self.take();
        self.take();
        Ok(Some(thread))
    }

    // What stands behind the threads.

    /// `locations`, `filter` and the final condition. Line ends do not count here.
    pub(super) fn footer(&mut self) -> Footer {
        let mut footer = Footer::default();
        loop {
            self.skip_separators();
            let token = self.peek();
            if token.kind == Kind::End {
                return footer;
            }
            if self.footer_item(&mut footer).is_err() {
                self.recover_footer();
            }
        }
    }

    /// Goes on at the next word that starts something.
    fn recover_footer(&mut self) {
        self.parentheses = 0;
        self.depth = 0;
        loop {
            let token = self.take();
            let next = self.peek();
            let starts = ["exists", "forall", "filter", "locations"].iter().any(|word| next.is(word));
            let negated = token.is("~") || token.is("not");
            if next.kind == Kind::End || (starts && !negated) {
                return;
            }
        }
    }

    fn footer_item(&mut self, footer: &mut Footer) -> Parse<()> {
        let token = self.peek();
        let twice = |what: &str| Diagnostic::error(format!("there is more than one {what}"), token.span);
        match token.kind {
            Kind::Symbol("locations") => {
                self.take();
                let observed = self.locations()?;
                if footer.observed.replace(observed).is_some() {
                    return self.fail(twice("`locations` line"));
                }
            }
            Kind::Symbol("filter") => {
                self.take();
                let filter = self.proposition(0)?.0;
                if footer.filter.replace(filter).is_some() {
                    return self.fail(twice("`filter`"));
                }
            }
            Kind::Symbol("exists" | "forall" | "~" | "not") => {
                self.take();
                let quantifier = if token.is("exists") {
                    Quantifier::Exists
                } else if token.is("forall") {
                    Quantifier::ForAll
                } else {
                    self.expect("exists")?;
                    Quantifier::NotExists
                };
                let proposition = self.proposition(0)?.0;
                let span = join(token.span, self.last);
                if footer.condition.replace(Condition { quantifier, proposition, span }).is_some() {
                    return self.fail(twice("final condition"));
                }
            }
            Kind::Name if self.starts_part(AFTER) && self.names.after.is_some() => {
                return self.fail(twice("`after`").with_help(parts::ONE_AFTER));
            }
            Kind::Name if self.starts_part(AFTER) || self.starts_part(BEFORE) => {
                let word = if self.starts_part(AFTER) { AFTER } else { BEFORE };
                let diagnostic = parts::misplaced(word, token.span);
                return self.fail(diagnostic);
            }
            _ => {
                let diagnostic = self.expected("the end of the text");
                let help = "after the threads come `locations`, `filter` and a final condition; join its parts by \
                            `/\\` and `\\/`";
                return self.fail(diagnostic.with_help(help));
            }
        }
        Ok(())
    }

    fn locations(&mut self) -> Parse<Vec<Observable>> {
        let open = self.open("[")?;
        let mut observed = Vec::new();
        while !self.peek().is("]") {
            observed.push(self.observable()?);
            if !self.accept(";") && !self.accept(",") {
                break;
            }
        }
        self.close(open, "]", "`;` or ")?;
        Ok(observed)
    }

    fn proposition(&mut self, tightness: u8) -> Measured<Proposition> {
        self.enter()?;
        let (mut left, mut height) = self.atom()?;
        loop {
            let level = match self.peek().kind {
                Kind::Symbol("or") => 1,
                Kind::Symbol("and") => 2,
                _ => break,
            };
            if level < tightness {
                break;
            }
            self.take();
            let (right, right_height) = self.proposition(level + 1)?;
            height = self.check_bound(height.max(right_height) + 1, MAX_CLAUSES)?;
            let make = if level == 1 { Proposition::Or } else { Proposition::And };
            left = make(Box::new(left), Box::new(right));
        }
        self.depth -= 1;
        Ok((left, height))
    }

    fn atom(&mut self) -> Measured<Proposition> {
        let token = self.peek();
        match token.kind {
            Kind::Symbol("true") => {
                self.take();
                Ok((Proposition::True, 1))
            }
            Kind::Symbol("false") => {
                self.take();
                Ok((Proposition::False, 1))
            }
            Kind::Symbol("~" | "!" | "not") => {
                self.take();
                // Tighter than any operator: only what is negated.
                let (operand, height) = self.proposition(3)?;
                let height = self.check_bound(height + 1, MAX_CLAUSES)?;
                Ok((Proposition::Not(Box::new(operand)), height))
            }
            Kind::Symbol("(") => {
                let open = self.open("(")?;
                let inner = self.proposition(0)?;
                self.close(open, ")", "`/\\`, `\\/` or ")?;
                Ok(inner)
            }
            _ => {
                let left = self.term()?;
                let comparison = match self.peek().kind {
                    Kind::Symbol("=") => Comparison::Equal,
                    Kind::Symbol("!=") => Comparison::NotEqual,
                    Kind::Symbol("<") => Comparison::Less,
                    Kind::Symbol("<=") => Comparison::LessOrEqual,
                    Kind::Symbol(">") => Comparison::Greater,
                    Kind::Symbol(">=") => Comparison::GreaterOrEqual,
                    _ => {
                        let diagnostic = self.expected("a comparison, such as `=`");
                        let assigned = self.peek().is(":=");
                        let help =
                            if assigned { "write `=` for a comparison" } else { "it is `exists (a = 0 /\\ x = 1)`" };
                        return self.fail(diagnostic.with_help(help));
                    }
                };
                self.take();
                Ok((Proposition::Compare(left, comparison, self.term()?), 1))
            }
        }
    }

    fn term(&mut self) -> Parse<Term> {
        let token = self.peek();
        if token.is("-") || token.is("&") || (token.kind == Kind::Number && !self.peek_second().is(":")) {
            return Ok(Term::Constant(self.constant()?));
        }
        if !self.peek_second().is(":")
            && let Some(value) = self.empty()
        {
            return Ok(Term::Constant(value));
        }
        Ok(Term::Observable(self.observable()?))
    }

    /// `x`, `[x]`, `q[1]`, `a`, `P1:a` or `1:a`
    fn observable(&mut self) -> Parse<Observable> {
        let start = self.peek().span;
        if self.peek().is("[") {
            let open = self.open("[")?;
            let observable = self.observable()?;
            self.close(open, "]", "")?;
            return Ok(observable);
        }
        let thread = self.thread_prefix()?;
        let Some(name) = self.peek_name() else {
            let diagnostic = self.expected("a register, a shared name or a number");
            return self.fail(diagnostic);
        };
        let mut span = join(start, self.take().span);
        let mut qualified = name.to_owned();
        if self.accept(".") {
            let Some(member) = self.peek_name() else {
                let diagnostic = self.expected("the name of something that the object shares");
                return self.fail(diagnostic);
            };
            span = join(span, self.take().span);
            qualified = format!("{name}.{member}");
        }
        let name = qualified.as_str();
        if let Some(thread) = thread {
            return self.register_of(thread, name, span);
        }
        if let Some(object) = self.names.object(name) {
            let (array, length) = {
                let object = &self.names.objects[object.0 as usize];
                (object.array, object.initial.len())
            };
            if !self.peek().is("[") {
                if array {
                    let diagnostic = Diagnostic::error(format!("`{name}` is an array"), span);
                    return self.fail(diagnostic.with_help(format!("say which element: `{name}[0]`")));
                }
                return Ok(Observable::Location { object, offset: 0 });
            }
            let open = self.open("[")?;
            let offset = self.constant()?;
            let span = join(span, self.last);
            self.close(open, "]", "")?;
            return match u32::try_from(offset) {
                Ok(offset) if (offset as usize) < length => Ok(Observable::Location { object, offset }),
                _ => {
                    let message = format!("`{name}` has no element {offset}");
                    let help = format!("its elements are {name}[0] to {name}[{}]", length - 1);
                    self.fail(Diagnostic::error(message, span).with_help(help))
                }
            };
        }
        let mut holders: Vec<(usize, RegisterId)> = (self.names.threads.iter().enumerate())
            .filter_map(|(thread, registers)| Some((thread, registers.get(name)?)))
            .collect();
        if holders.len() > 1 {
            holders.retain(|(thread, _)| Some(*thread) != self.names.before);
        }
        match holders[..] {
            [(thread, _)] if Some(thread) == self.names.before => self.fail(parts::is_over(name, span)),
            [(thread, register)] => Ok(Observable::Register { thread: thread as u16, register }),
            [] => {
                let diagnostic = Diagnostic::error(format!("there is no register or shared variable `{name}`"), span);
                let diagnostic = diagnostic.with_help(self.known(name, None));
                self.fail(diagnostic)
            }
            _ => {
                let spelled = |(thread, _): &(usize, RegisterId)| format!("{}:{name}", self.names.spelled(*thread));
                let candidates: Vec<String> = holders.iter().map(spelled).collect();
                let message = format!("several threads have a register `{name}`");
                let help = format!("say which: {}", candidates.join(", "));
                self.fail(Diagnostic::error(message, span).with_help(help))
            }
        }
    }

    fn register_of(&mut self, thread: ThreadName, name: &str, span: Span) -> Parse<Observable> {
        let thread = match self.names.find_thread(&thread, span) {
            Ok(thread) => thread,
            Err(diagnostic) => return self.fail(diagnostic),
        };
        let registers = &self.names.threads[thread];
        if Some(thread) == self.names.before && registers.get(name).is_some() {
            return self.fail(parts::is_over(name, span));
        }
        if let Some(register) = registers.get(name) {
            return Ok(Observable::Register { thread: thread as u16, register });
        }
        let help = if self.names.object(name).is_some() {
            format!("`{name}` is shared: write it without a thread")
        } else {
            self.known(name, Some(thread))
        };
        let message = format!("{} has no register `{name}`", self.names.spelled(thread));
        self.fail(Diagnostic::error(message, span).with_help(help))
    }

    /// The names there are, the closest one first.
    fn known(&self, name: &str, thread: Option<usize>) -> String {
        if self.count(Severity::Error) >= MAX_DIAGNOSTICS {
            return String::new();
        }
        let mut known: Vec<(usize, String)> = Vec::new();
        for (at, registers) in self.names.threads.iter().enumerate() {
            if thread.is_none_or(|thread| thread == at) {
                let spelled =
                    registers.names.iter().map(|n| (distance(name, n), format!("{}:{n}", self.names.spelled(at))));
                known.extend(spelled.take(1000));
            }
        }
        if thread.is_none() {
            known.extend(self.names.objects.iter().take(1000).map(|o| (distance(name, &o.name), o.name.clone())));
        }
        sort::by_key(&mut known, |(distance, _)| *distance);
        let Some((closest, first)) = known.first() else { return "there are no names".to_owned() };
        if *closest <= 1 + name.chars().count() / 3 && thread.is_none() {
            return format!("did you mean `{first}`?");
        }
        let list: Vec<&str> = known.iter().take(8).map(|(_, name)| name.as_str()).collect();
        format!("there are {}{}", list.join(", "), if known.len() > 8 { ", ..." } else { "" })
    }
}

/// How many characters have to be changed, inserted or left out to get from one name to the other; large for long names.
fn distance(from: &str, to: &str) -> usize {
    if from.len() > 40 || to.len() > 40 {
        return usize::MAX / 2;
    }
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (at, a) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = at + 1;
        for (column, b) in to.iter().enumerate() {
            let substituted = diagonal + usize::from(a != *b);
            diagonal = row[column + 1];
            row[column + 1] = substituted.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[to.len()]
}
