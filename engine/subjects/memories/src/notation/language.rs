//! Protocols as they are written: what is declared, and rules.

use super::lex::end_of_line;
use crate::program::Span;
use crate::syntax::{Cursor, TokenKind, Wrong, wrong};

/// A protocol.
#[derive(Clone, Debug)]
pub(super) struct Protocol {
    pub name: String,
    /// Where it begins.
    pub span: Span,
    /// Numbers that may be set, with what they are if they are not.
    pub parameters: Vec<(String, i64, Span)>,
    pub registers: Vec<RegisterGroup>,
    pub controls: Vec<Control>,
    pub rules: Vec<Rule>,
}

/// A register for each choice of indices.
#[derive(Clone, Debug)]
pub(super) struct RegisterGroup {
    pub name: String,
    pub span: Span,
    pub indices: Vec<Binder>,
    /// The variable whose initial write it holds.
    pub holds: Option<Expression>,
}

/// A control variable for each choice of indices.
#[derive(Clone, Debug)]
pub(super) struct Control {
    pub name: String,
    pub span: Span,
    pub indices: Vec<Binder>,
    pub of: Type,
    pub initial: Option<Expression>,
}

/// A name for each thing of a domain.
#[derive(Clone, Debug)]
pub(super) struct Binder {
    pub name: String,
    pub domain: Domain,
}

/// What a name may stand for.
#[derive(Clone, Debug)]
pub(super) enum Domain {
    Thread,
    Variable,
    Range(Expression, Expression),
    /// The values of a sequence or set.
    Of(Expression),
}

/// What a control variable may be.
#[derive(Clone, Debug)]
pub(super) enum Type {
    Boolean,
    Thread,
    Variable,
    Range(Expression, Expression),
    /// One of these names.
    Names(Vec<String>),
    /// Up to so many, one behind the other.
    Sequence(Box<Type>, Expression),
    Set(Box<Type>),
}

/// What a rule answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trigger {
    Write,
    Read,
    Fence,
    Step,
}

/// What may happen.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub trigger: Trigger,
    pub name: String,
    pub span: Span,
    pub binders: Vec<Binder>,
    pub guard: Option<Expression>,
    pub body: Vec<Statement>,
}

/// A name with indices.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub name: String,
    pub span: Span,
    pub indices: Vec<Expression>,
}

#[derive(Clone, Debug)]
pub(super) enum Statement {
    /// A write or read of a thread: `W t x a[t]`.
    Access {
        is_write: bool,
        span: Span,
        thread: Expression,
        variable: Expression,
        register: Place,
    },
    /// `F t`.
    Fence {
        span: Span,
        thread: Expression,
    },
    /// `a := b`, of registers or control.
    Assign {
        to: Place,
        value: Expression,
    },
    /// `push s v`, `pop s`, `add s v`, `drop s v`.
    Change {
        how: Change,
        to: Place,
        value: Option<Expression>,
    },
    For {
        binder: Binder,
        guard: Option<Expression>,
        body: Vec<Statement>,
    },
    If {
        condition: Expression,
        then: Vec<Statement>,
        otherwise: Vec<Statement>,
    },
}

/// How a sequence or set changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// Behind all others.
    Push,
    /// The first one.
    Pop,
    Add,
    Drop,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    In,
    Plus,
    Minus,
    Times,
}

#[derive(Clone, Debug)]
pub(super) enum Expression {
    Number(i64, Span),
    /// A name, with indices or without.
    Place(Place),
    /// `length(s)`, `first(s)`, `item(s, i)`, `last(s, v)`, `count(s)`.
    Call(String, Vec<Expression>, Span),
    Not(Box<Expression>),
    Both(Operator, Box<(Expression, Expression)>, Span),
    /// `all u: thread (...)`, `some u: thread (...)`.
    Quantified {
        all: bool,
        binder: Box<Binder>,
        body: Box<Expression>,
    },
    /// `[]`, `[x, y]`.
    List(Vec<Expression>, Span),
    /// `{}`, `{T1}`.
    Set(Vec<Expression>, Span),
}

impl Expression {
    pub(super) fn span(&self) -> Span {
        match self {
            Self::Number(_, span) | Self::Call(_, _, span) | Self::List(_, span) | Self::Set(_, span) => *span,
            Self::Place(place) => place.span,
            Self::Not(inner) => inner.span(),
            Self::Both(_, _, span) => *span,
            Self::Quantified { body, .. } => body.span(),
        }
    }
}

const LINES: &str = "lines begin with `register`, `control`, `on write`, `on read`, `on fence` or `step`";
const STATEMENTS: &str =
    "statements are `W t x a`, `R t x a`, `F t`, `a := b`, `push s v`, `pop s`, `add s v`, `drop s v`, `for`, `if`";
const EXPRESSIONS: &str =
    "expressions are numbers, names such as `s[t]`, `length(s)`, `u = t`, `x in s`, `not`, `and`, `or`";
const TYPES: &str =
    "types are `boolean`, `thread`, `variable`, `0..3`, `{I, S, M}`, `sequence of T up to N`, `set of T`";
const HEAD: &str = "a protocol begins with `protocol NAME(threads = 2, variables = 1)`";
/// What can't be declared.
const RESERVED: [&str; 24] = [
    "on", "step", "write", "read", "fence", "when", "register", "control", "thread", "variable", "boolean", "sequence",
    "set", "of", "up", "to", "in", "and", "or", "not", "all", "some", "true", "false",
];

/// Reads a protocol; the cursor stands behind the word `protocol`.
pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<Protocol, Wrong> {
    let (name, span) = cursor.label("a name", HEAD)?;
    let mut protocol = Protocol {
        name: name.to_owned(),
        span,
        parameters: Vec::new(),
        registers: Vec::new(),
        controls: Vec::new(),
        rules: Vec::new(),
    };
    cursor.expect("(", HEAD)?;
    while !cursor.take(")") {
        cursor.skip_newlines();
        let (name, span) = new_name(cursor, HEAD)?;
        cursor.expect("=", HEAD)?;
        let value = number(cursor, HEAD)?;
        protocol.parameters.push((name.to_owned(), value, span));
        cursor.skip_newlines();
        if !cursor.take(",") && !cursor.is_symbol(")") {
            return Err(wrong(format!("expected `,` or `)`, found {}", cursor.found()), cursor.span(), HEAD));
        }
    }
    end_of_line(cursor, HEAD)?;
    cursor.skip_newlines();
    while !cursor.is_end() {
        line(cursor, &mut protocol)?;
        cursor.skip_newlines();
    }
    Ok(protocol)
}

fn new_name<'t>(cursor: &mut Cursor<'t>, help: &str) -> Result<(&'t str, Span), Wrong> {
    let (name, span) = cursor.label("a name", help)?;
    if RESERVED.contains(&name) {
        return Err(wrong(format!("`{name}` is a word of the language"), span, "choose another name"));
    }
    Ok((name, span))
}

/// What to do where texts are nested too deep.
const NESTING: &str = "split it into several rules";

fn number(cursor: &mut Cursor<'_>, help: &str) -> Result<i64, Wrong> {
    let token = cursor.token();
    if token.kind != TokenKind::Number {
        return Err(wrong(format!("expected a number, found {}", cursor.found()), token.span, help));
    }
    cursor.pass();
    let text = cursor.word(token.span);
    let value = text.parse().ok().filter(|value| *value <= 1_000_000);
    value.ok_or_else(|| wrong(format!("{text} is too large"), token.span, "the largest number is 1000000"))
}

fn line(cursor: &mut Cursor<'_>, protocol: &mut Protocol) -> Result<(), Wrong> {
    let span = cursor.span();
    if cursor.take_word("register") {
        let (name, span) = new_name(cursor, LINES)?;
        let indices = indices(cursor)?;
        let holds = if cursor.take(":") { Some(expression(cursor)?) } else { None };
        protocol.registers.push(RegisterGroup { name: name.to_owned(), span, indices, holds });
        return end_of_line(
            cursor,
            "a register is `register a[t: thread]: x`, or `register a` if it holds nothing at first",
        );
    }
    if cursor.take_word("control") {
        let (name, span) = new_name(cursor, LINES)?;
        let indices = indices(cursor)?;
        cursor.expect(":", TYPES)?;
        let of = type_of(cursor)?;
        let initial = if cursor.take("=") { Some(expression(cursor)?) } else { None };
        protocol.controls.push(Control { name: name.to_owned(), span, indices, of, initial });
        return end_of_line(cursor, "a control variable is `control s[t: thread]: {I, S, M} = I`");
    }
    if cursor.take_word("on") {
        let (trigger, names) = if cursor.take_word("write") {
            (Trigger::Write, 2)
        } else if cursor.take_word("read") {
            (Trigger::Read, 2)
        } else if cursor.take_word("fence") {
            (Trigger::Fence, 1)
        } else {
            let message = format!("expected `write`, `read` or `fence`, found {}", cursor.found());
            return Err(wrong(message, cursor.span(), "`on write t x { W t x a[t] }` answers a write"));
        };
        let mut binders = Vec::new();
        for domain in [Domain::Thread, Domain::Variable].into_iter().take(names) {
            let (name, _) = new_name(cursor, "`on write t x` has names for the thread and the variable")?;
            binders.push(Binder { name: name.to_owned(), domain });
        }
        binders.extend(more_binders(cursor)?);
        let name = match trigger {
            Trigger::Write => "write",
            Trigger::Read => "read",
            Trigger::Fence | Trigger::Step => "fence",
        };
        return rule(cursor, protocol, (trigger, name, span), binders);
    }
    if cursor.take_word("step") {
        let name = if cursor.is_symbol("(") || cursor.is_symbol("{") || cursor.is_word("when") {
            "step"
        } else {
            new_name(cursor, "`step flush(t: thread) when ... { ... }` is a step")?.0
        };
        let binders = more_binders(cursor)?;
        return rule(cursor, protocol, (Trigger::Step, name, span), binders);
    }
    Err(wrong(format!("no line of a protocol begins with {}", cursor.found()), span, LINES))
}

fn rule(
    cursor: &mut Cursor<'_>,
    protocol: &mut Protocol,
    (trigger, name, span): (Trigger, &str, Span),
    binders: Vec<Binder>,
) -> Result<(), Wrong> {
    let guard = if cursor.take_word("when") { Some(expression(cursor)?) } else { None };
    let body = block(cursor)?;
    protocol.rules.push(Rule { trigger, name: name.to_owned(), span, binders, guard, body });
    end_of_line(cursor, LINES)
}

/// `(u: thread, i: 1..slots)`, if it is there.
fn more_binders(cursor: &mut Cursor<'_>) -> Result<Vec<Binder>, Wrong> {
    let mut binders = Vec::new();
    if cursor.take("(") {
        while !cursor.take(")") {
            binders.push(binder(cursor)?);
            if !cursor.take(",") && !cursor.is_symbol(")") {
                let message = format!("expected `,` or `)`, found {}", cursor.found());
                return Err(wrong(message, cursor.span(), "names are `(u: thread, i: 1..slots)`"));
            }
        }
    }
    Ok(binders)
}

/// `[t: thread, x: variable]`, if it is there.
fn indices(cursor: &mut Cursor<'_>) -> Result<Vec<Binder>, Wrong> {
    let mut binders = Vec::new();
    if cursor.take("[") {
        loop {
            binders.push(binder(cursor)?);
            if cursor.take("]") {
                break;
            }
            cursor.expect(",", "indices are `[t: thread, x: variable]`")?;
        }
    }
    Ok(binders)
}

fn binder(cursor: &mut Cursor<'_>) -> Result<Binder, Wrong> {
    let (name, _) = new_name(cursor, "`t: thread` is a name with what it stands for")?;
    if !cursor.take(":") && !cursor.take_word("in") {
        let message = format!("expected `:` or `in`, found {}", cursor.found());
        return Err(wrong(message, cursor.span(), "`t: thread` is a name with what it stands for"));
    }
    Ok(Binder { name: name.to_owned(), domain: domain(cursor)? })
}

fn domain(cursor: &mut Cursor<'_>) -> Result<Domain, Wrong> {
    if cursor.take_word("thread") {
        return Ok(Domain::Thread);
    }
    if cursor.take_word("variable") {
        return Ok(Domain::Variable);
    }
    let from = sum(cursor)?;
    if cursor.take("..") {
        return Ok(Domain::Range(from, sum(cursor)?));
    }
    Ok(Domain::Of(from))
}

fn type_of(cursor: &mut Cursor<'_>) -> Result<Type, Wrong> {
    cursor.deeper(NESTING, |cursor| {
        if cursor.take_word("boolean") {
            return Ok(Type::Boolean);
        }
        if cursor.take_word("thread") {
            return Ok(Type::Thread);
        }
        if cursor.take_word("variable") {
            return Ok(Type::Variable);
        }
        if cursor.take_word("sequence") {
            if !cursor.take_word("of") {
                return Err(wrong(format!("expected `of`, found {}", cursor.found()), cursor.span(), TYPES));
            }
            let inner = type_of(cursor)?;
            if !(cursor.take_word("up") && cursor.take_word("to")) {
                return Err(wrong(format!("expected `up to`, found {}", cursor.found()), cursor.span(), TYPES));
            }
            return Ok(Type::Sequence(Box::new(inner), sum(cursor)?));
        }
        if cursor.take_word("set") {
            if !cursor.take_word("of") {
                return Err(wrong(format!("expected `of`, found {}", cursor.found()), cursor.span(), TYPES));
            }
            return Ok(Type::Set(Box::new(type_of(cursor)?)));
        }
        if cursor.take("{") {
            let mut names = Vec::new();
            while !cursor.take("}") {
                names.push(new_name(cursor, TYPES)?.0.to_owned());
                if !cursor.take(",") && !cursor.is_symbol("}") {
                    let message = format!("expected `,` or `}}`, found {}", cursor.found());
                    return Err(wrong(message, cursor.span(), TYPES));
                }
            }
            return Ok(Type::Names(names));
        }
        if !matches!(cursor.token().kind, TokenKind::Number | TokenKind::Name) {
            return Err(wrong(format!("expected a type, found {}", cursor.found()), cursor.span(), TYPES));
        }
        let from = sum(cursor)?;
        cursor.expect("..", TYPES)?;
        Ok(Type::Range(from, sum(cursor)?))
    })
}

fn block(cursor: &mut Cursor<'_>) -> Result<Vec<Statement>, Wrong> {
    cursor.expect("{", STATEMENTS)?;
    cursor.deeper(NESTING, |cursor| {
        let mut body = Vec::new();
        cursor.skip_newlines();
        while !cursor.take("}") {
            if cursor.is_end() {
                return Err(wrong("the rule has no end", cursor.span(), "close it with `}`"));
            }
            body.push(statement(cursor)?);
            end_of_line(cursor, STATEMENTS)?;
            cursor.skip_newlines();
        }
        Ok(body)
    })
}

fn statement(cursor: &mut Cursor<'_>) -> Result<Statement, Wrong> {
    let span = cursor.span();
    for (word, is_write) in [("W", true), ("R", false)] {
        if cursor.take_word(word) {
            let (thread, variable) = (atom(cursor)?, atom(cursor)?);
            return Ok(Statement::Access { is_write, span, thread, variable, register: place(cursor)? });
        }
    }
    if cursor.take_word("F") {
        return Ok(Statement::Fence { span, thread: atom(cursor)? });
    }
    if cursor.take_word("for") {
        let binder = binder(cursor)?;
        let guard = if cursor.take_word("when") { Some(expression(cursor)?) } else { None };
        return Ok(Statement::For { binder, guard, body: block(cursor)? });
    }
    if cursor.take_word("if") {
        let condition = expression(cursor)?;
        let then = block(cursor)?;
        let otherwise = if cursor.take_word("else") { block(cursor)? } else { Vec::new() };
        return Ok(Statement::If { condition, then, otherwise });
    }
    for (word, how) in [("push", Change::Push), ("pop", Change::Pop), ("add", Change::Add), ("drop", Change::Drop)] {
        if cursor.take_word(word) {
            let to = place(cursor)?;
            let value = if how == Change::Pop { None } else { Some(sum(cursor)?) };
            return Ok(Statement::Change { how, to, value });
        }
    }
    let to = place(cursor)?;
    cursor.expect(":=", STATEMENTS)?;
    Ok(Statement::Assign { to, value: expression(cursor)? })
}

fn place(cursor: &mut Cursor<'_>) -> Result<Place, Wrong> {
    let (name, span) = cursor.label("a name", STATEMENTS)?;
    let mut indices = Vec::new();
    if cursor.take("[") {
        loop {
            indices.push(expression(cursor)?);
            if cursor.take("]") {
                break;
            }
            cursor.expect(",", "indices are `s[t, x]`")?;
        }
    }
    Ok(Place { name: name.to_owned(), span, indices })
}

fn expression(cursor: &mut Cursor<'_>) -> Result<Expression, Wrong> {
    cursor.deeper(NESTING, |cursor| {
        let mut left = conjunction(cursor)?;
        while cursor.is_word("or") {
            let span = cursor.pass().span;
            left = Expression::Both(Operator::Or, Box::new((left, conjunction(cursor)?)), span);
        }
        Ok(left)
    })
}

fn conjunction(cursor: &mut Cursor<'_>) -> Result<Expression, Wrong> {
    let mut left = negation(cursor)?;
    while cursor.is_word("and") {
        let span = cursor.pass().span;
        left = Expression::Both(Operator::And, Box::new((left, negation(cursor)?)), span);
    }
    Ok(left)
}

fn negation(cursor: &mut Cursor<'_>) -> Result<Expression, Wrong> {
    if cursor.take_word("not") {
        return cursor.deeper(NESTING, |cursor| Ok(Expression::Not(Box::new(negation(cursor)?))));
    }
    for (word, all) in [("all", true), ("some", false)] {
        if cursor.take_word(word) {
            let binder = Box::new(binder(cursor)?);
            cursor.expect("(", "such as `all u: thread (free[u])`")?;
            let body = Box::new(expression(cursor)?);
            cursor.expect(")", "such as `all u: thread (free[u])`")?;
            return Ok(Expression::Quantified { all, binder, body });
        }
    }
    let left = sum(cursor)?;
    let operators = [
        ("=", Operator::Equal),
        ("!=", Operator::NotEqual),
        ("<=", Operator::LessOrEqual),
        (">=", Operator::GreaterOrEqual),
        ("<", Operator::Less),
        (">", Operator::Greater),
    ];
    let span = cursor.span();
    for (symbol, operator) in operators {
        if cursor.take(symbol) {
            return Ok(Expression::Both(operator, Box::new((left, sum(cursor)?)), span));
        }
    }
    if cursor.take_word("in") {
        return Ok(Expression::Both(Operator::In, Box::new((left, sum(cursor)?)), span));
    }
    Ok(left)
}

fn sum(cursor: &mut Cursor<'_>) -> Result<Expression, Wrong> {
    let mut left = product(cursor)?;
    loop {
        let span = cursor.span();
        let operator = if cursor.take("+") {
            Operator::Plus
        } else if cursor.take("-") {
            Operator::Minus
        } else {
            return Ok(left);
        };
        left = Expression::Both(operator, Box::new((left, product(cursor)?)), span);
    }
}

fn product(cursor: &mut Cursor<'_>) -> Result<Expression, Wrong> {
    let mut left = atom(cursor)?;
    while cursor.is_symbol("*") {
        let span = cursor.pass().span;
        left = Expression::Both(Operator::Times, Box::new((left, atom(cursor)?)), span);
    }
    Ok(left)
}

fn list(cursor: &mut Cursor<'_>, close: &str) -> Result<Vec<Expression>, Wrong> {
    let mut values = Vec::new();
    while !cursor.take(close) {
        values.push(expression(cursor)?);
        if !cursor.take(",") && !cursor.is_symbol(close) {
            let message = format!("expected `,` or `{close}`, found {}", cursor.found());
            return Err(wrong(message, cursor.span(), EXPRESSIONS));
        }
    }
    Ok(values)
}

fn atom(cursor: &mut Cursor<'_>) -> Result<Expression, Wrong> {
    let span = cursor.span();
    if cursor.take("(") {
        let inner = expression(cursor)?;
        cursor.expect(")", EXPRESSIONS)?;
        return Ok(inner);
    }
    if cursor.take("[") {
        return Ok(Expression::List(list(cursor, "]")?, span));
    }
    if cursor.take("{") {
        return Ok(Expression::Set(list(cursor, "}")?, span));
    }
    if cursor.token().kind == TokenKind::Number {
        return Ok(Expression::Number(number(cursor, EXPRESSIONS)?, span));
    }
    if cursor.token().kind != TokenKind::Name {
        return Err(wrong(format!("expected an expression, found {}", cursor.found()), span, EXPRESSIONS));
    }
    const FUNCTIONS: [&str; 5] = ["length", "first", "item", "last", "count"];
    let word = cursor.word(span);
    if FUNCTIONS.contains(&word) {
        cursor.pass();
        cursor.expect("(", "`length(s)` is how many values a sequence or set has")?;
        let arguments = cursor.deeper(NESTING, |cursor| list(cursor, ")"))?;
        return Ok(Expression::Call(word.to_owned(), arguments, span));
    }
    cursor.deeper(NESTING, |cursor| Ok(Expression::Place(place(cursor)?)))
}
