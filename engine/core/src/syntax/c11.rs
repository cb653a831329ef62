//! herd's C dialect.
//!
//! ```text
//! C MP
//! {}
//! P0 (int* x, atomic_int* y) { *x = 1; atomic_store_explicit(y, 1, memory_order_release); }
//! P1 (int* x, atomic_int* y) {
//!   int r0 = atomic_load_explicit(y, memory_order_acquire);
//!   if (r0 == 1) { int r1 = *x; }
//! }
//! exists (1:r0=1 /\ 1:r1=0)
//! ```
//!
//! `*x` is a non-atomic access if the parameter is an `int*`, and sequentially consistent, as C11 has it, if it is an
//! `atomic_int*`. Integers are those of C ([`Integer`]): what an expression converts and computes in a type says so.
//! Blocks are only scopes: variables of the same name and type in blocks side by side are one register, and hiding an outer
//! variable is an error.

mod cpp;
mod cppmem;
mod functions;
mod preprocessor;
mod structures;

pub(super) use cppmem::is_one as is_cppmem;

use super::herd::{
    self, Cursor, InitialRegister, Kind, MAX_REGISTERS, Mention, Objects, Parse, Style, Tail, Token, join, shortened,
};
use super::{Diagnostic, Parsed, Severity, Unprintable, jumps, types};
use crate::program::{
    Access, AccessKind, Address, Arithmetic, BinaryOperator, CasResult, Expression, Integer, MAX_THREADS, Mode,
    Notation, ObjectId, Place, PlaceKind, Program, RegisterId, Span, Statement, StatementKind, Thread, UnaryOperator,
    UpdateOperator, Value,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Reads a test.
///
/// # Errors
/// What is wrong with the text.
pub(super) fn parse(text: &str) -> Result<Parsed, Vec<Diagnostic>> {
    let names;
    let (name, mut cursor) = if is_cppmem(text) {
        (String::new(), Cursor::without_header(text, Style::C))
    } else {
        Cursor::new(text, &["C"], Style::C)?
    };
    cursor.rewrite(preprocessor::without_directives);
    if structures::may_be_in(text) {
        names = structures::names(cursor.tokens());
        cursor.try_rewrite(|tokens| structures::flattened(tokens, &names)).map_err(|wrong| vec![*wrong])?;
    }
    if is_cppmem(text) {
        cursor.try_rewrite(cppmem::in_frame).map_err(|wrong| vec![*wrong])?;
    }
    cursor.rewrite(cpp::in_c);
    let mut parser = Parser {
        cursor,
        objects: Objects::default(),
        initial: Vec::new(),
        threads: Vec::new(),
        registers: Vec::new(),
        parameters: FxHashMap::default(),
        locals: FxHashMap::default(),
        dereferenced: FxHashSet::default(),
        scopes: Vec::new(),
        loops: Vec::new(),
        returned: None,
        returns: 0,
        prelude: Vec::new(),
        accesses: 0,
        mentioned: FxHashMap::default(),
        bare: usize::MAX,
        made: FxHashSet::default(),
        blocks: Vec::new(),
        opened: 0,
        labels: FxHashMap::default(),
        gotos: Vec::new(),
        numbered: 0,
        switches: Vec::new(),
        functions: functions::Functions::default(),
        result: None,
        in_function: false,
    };
    let mut program = Program { name, notation: Notation::C11, ..Program::default() };
    while parser.cursor.at("#") {
        let line = parser.cursor.peek().span.line;
        let _ = parser.directive();
        while parser.cursor.peek().span.line == line && !parser.cursor.at_end() {
            parser.cursor.next();
        }
    }
    parser.initial = herd::initial_values(&mut parser.cursor, &mut parser.objects);
    parser.find_functions();
    parser.threads();
    parser.note_uncalled();
    let Parser { mut cursor, mut objects, mut threads, registers, .. } = parser;
    let mut added: FxHashMap<(usize, String), RegisterId> = FxHashMap::default();
    let count = threads.len();
    let shared: FxHashSet<String> = objects.list.iter().map(|object| object.name.clone()).collect();
    let register = |cursor: &mut Cursor<'_>, thread: usize, name: Token<'_>| {
        if let Some(register) = registers[thread].get(name.text) {
            return Ok(*register);
        }
        let key = (thread, name.text.to_owned());
        if let Some(register) = added.get(&key) {
            return Ok(*register);
        }
        let message = format!("thread {thread} declares no `{}`", shortened(name.text));
        let own: &mut Thread = &mut threads[thread];
        // Control flow may have needed a register of that name.
        if shared.contains(&key.1) || own.registers.contains(&key.1) || own.registers.len() >= MAX_REGISTERS {
            let help = Some("the condition can name what a thread declares: `int r0 = ...;`");
            return cursor.fail(name.span, message, help);
        }
        cursor.note(Severity::Warning, name.span, message + ": it stays 0", None);
        let register = RegisterId(own.registers.len() as u16);
        own.registers.push(key.1.clone());
        own.initial.push(0);
        own.integers.push(Integer::Int32);
        added.insert(key, register);
        Ok(register)
    };
    let numbers: Vec<usize> = (0..count).collect();
    Tail { cursor: &mut cursor, objects: &mut objects, threads: &numbers, register }.read(&mut program);
    objects.convert_initial_values(&mut cursor);
    program.objects = objects.list;
    program.threads = threads;
    herd::convert_constants(&mut program);
    cursor.finish(program)
}

/// What an expression may be before it is used.
enum Operand {
    Value(Expression),
    /// The address of an object, or of an element of it.
    Pointer(Pointer),
    /// What a pointer points to.
    Cell(Place),
    Local(RegisterId),
}

struct Pointer {
    object: ObjectId,
    index: Option<Expression>,
}

struct Typed {
    operand: Operand,
    kind: Type,
    span: Span,
}

/// What was read before the right operand of `&&` or `||`.
struct Aside {
    left: Expression,
    start: Span,
    prelude: Vec<Statement>,
    accesses: u32,
    mentioned: FxHashMap<RegisterId, (u32, bool)>,
}

struct Parameter {
    object: ObjectId,
    /// Its own type, that of a pointer.
    kind: Type,
    /// Has been said to be used as an atomic though it is none.
    noted: bool,
    /// C++'s `std::atomic<int>& x`: its name is what it points to.
    is_reference: bool,
}

struct Local {
    register: RegisterId,
    kind: Type,
    /// In a block that is open.
    visible: bool,
    /// Got a value with the initial values, but no declaration yet.
    undeclared: bool,
}

/// A type: how many pointers lead to an integer, and what of that is atomic.
#[derive(Clone, Copy)]
struct Type {
    pointers: u32,
    /// A bit for the number, one for the innermost pointer, and so on.
    atomic: u32,
    /// Where the pointers lead to.
    base: Integer,
}

/// How many elements a local array may have.
const MAX_LENGTH: Value = 1024;

/// How many stars a type may have.
const MAX_POINTERS: u32 = 16;

impl Type {
    const NUMBER: Self = Self::number(Integer::Int32);

    const fn number(base: Integer) -> Self {
        Self { pointers: 0, atomic: 0, base }
    }

    /// The type of what is kept as such an integer.
    fn of(base: Integer) -> Self {
        if base == Integer::Address { Self::NUMBER.pointer_to() } else { Self::number(base) }
    }

    /// The type of its values, which of pointers are as wide as addresses.
    fn integer(self) -> Integer {
        if self.is_pointer() { Integer::Address } else { self.base }
    }

    fn is_atomic(self) -> bool {
        self.atomic >> self.pointers & 1 == 1
    }

    fn is_pointer(self) -> bool {
        self.pointers > 0
    }

    /// What a pointer of this type points to; of what is none, a number.
    fn pointee(self) -> Self {
        let pointers = self.pointers.saturating_sub(1);
        let atomic = if self.is_pointer() { self.atomic & ((2 << pointers) - 1) } else { 0 };
        Self { pointers, atomic, ..self }
    }

    /// The type of values: their copies are not atomic.
    fn value(self) -> Self {
        Self { atomic: self.atomic & ((1 << self.pointers) - 1), ..self }
    }

    fn pointer_to(self) -> Self {
        Self { pointers: self.pointers + 1, ..self }
    }

    /// The mode of what is done to it without a function's help.
    fn mode(self) -> Mode {
        if self.is_atomic() { Mode::SequentiallyConsistent } else { Mode::NonAtomic }
    }
}

struct Parser<'t> {
    cursor: Cursor<'t>,
    objects: Objects<'t>,
    initial: Vec<InitialRegister<'t>>,
    threads: Vec<Thread>,
    /// The registers of all threads so far, for the condition.
    registers: Vec<FxHashMap<&'t str, RegisterId>>,
    parameters: FxHashMap<&'t str, Parameter>,
    locals: FxHashMap<&'t str, Local>,
    /// The thread's numbers that have been said to be used as pointers.
    dereferenced: FxHashSet<RegisterId>,
    /// What each open block declares.
    scopes: Vec<Vec<&'t str>>,
    /// The loops around the statement being read, the innermost last.
    loops: Vec<Loop>,
    /// Set by the thread's `return`s that are not its end.
    returned: Option<RegisterId>,
    /// How many there have been of them.
    returns: u32,
    /// What has to be done before the statement being read, because an expression can't say it.
    prelude: Vec<Statement>,
    /// How many accesses there have been in the expression being read.
    accesses: u32,
    /// The local variables that the expression being read mentions: how often, and whether `++` or `--` changes them.
    mentioned: FxHashMap<RegisterId, (u32, bool)>,
    /// Where the statement being read starts: a `++` behind what stands there is the statement.
    bare: usize,
    /// Names of registers of the thread that the text does not declare.
    made: FxHashSet<String>,
    /// The blocks that are open, by number, and how many there have been.
    blocks: Vec<u32>,
    opened: u32,
    /// The thread's labels, by name: their numbers, and the blocks that they stand in.
    labels: FxHashMap<&'t str, (u32, Vec<u32>)>,
    /// Its jumps to labels, and the blocks that they stand in.
    gotos: Vec<(Token<'t>, u32, Vec<u32>)>,
    /// How many labels there are, those of `switch` included.
    numbered: u32,
    /// The `switch`es around the statement being read, the innermost last.
    switches: Vec<Switch>,
    functions: functions::Functions<'t>,
    /// Where the function being read puts what it returns; `None` if that is nothing.
    result: Option<(RegisterId, Type)>,
    /// A call of a function is being read.
    in_function: bool,
}

/// A `switch` that is being read.
struct Switch {
    /// How many loops are around it.
    loops: usize,
    /// The type that it compares in.
    integer: Integer,
    /// The block with its cases.
    block: u32,
    /// The label behind it.
    end: u32,
    /// Values and their labels.
    cases: Vec<(Value, u32)>,
    default: Option<u32>,
}

/// A loop that is being read.
#[derive(Default)]
struct Loop {
    /// What `break` sets to 1 and `continue` to 2.
    exit: Option<RegisterId>,
    breaks: u32,
    continues: u32,
}

const BREAK: Value = 1;
const CONTINUE: Value = 2;

/// Words of types that name no integer.
const TYPES: [&str; 13] = [
    "auto",
    "static",
    "_Thread_local",
    "thread_local",
    "mtx_t",
    "mutex_t",
    "pthread_mutex_t",
    "spinlock_t",
    "void",
    "volatile",
    "const",
    "register",
    "inline",
];

/// C++'s objects that hold a mutex to the end of their block.
const GUARDS: [&str; 2] = ["lock_guard", "scoped_lock"];

/// Functions that are statements.
const NO_VALUE: [&str; 12] = [
    "atomic_store",
    "atomic_store_explicit",
    "atomic_thread_fence",
    "atomic_signal_fence",
    "WRITE_ONCE",
    "smp_store_release",
    "atomic_init",
    "atomic_flag_clear",
    "atomic_flag_clear_explicit",
    "assert",
    "assume",
    "__VERIFIER_assume",
];

/// Whether a function takes a mutex, or else releases one.
fn lock_function(name: &str) -> Option<bool> {
    match name {
        "lock" | "mtx_lock" | "mutex_lock" | "pthread_mutex_lock" | "spin_lock" => Some(true),
        "unlock" | "mtx_unlock" | "mutex_unlock" | "pthread_mutex_unlock" | "spin_unlock" => Some(false),
        _ => None,
    }
}

/// The register with a compare-and-swap's expected value and, if the value is not its own, what holds it, with its type.
type Expected = (RegisterId, Option<(Back, Type)>);

/// What holds a compare-and-swap's expected value, and gets the value read if that is another one.
enum Back {
    Shared(Place),
    Local(RegisterId),
}

/// A loop's parts, for [`Parser::finish_loop`].
struct LoopParts {
    before: Vec<Statement>,
    condition: Expression,
    body: Vec<Statement>,
    step: Vec<Statement>,
    /// The condition stands before the body.
    test_first: bool,
    /// How many `return`s there were before the loop.
    returns: u32,
    span: Span,
}

/// Adds statements that are done under a condition.
fn close_rest(body: &mut Vec<Statement>, rest: Option<(Expression, Vec<Statement>)>) {
    if let Some((condition, then)) = rest
        && let Some(first) = then.first()
    {
        let span = first.span;
        body.push(Statement { kind: StatementKind::If { condition, then, otherwise: Vec::new() }, span });
    }
}

fn both(left: Expression, right: Expression) -> Expression {
    Expression::Binary(BinaryOperator::And, Box::new(left), Box::new(right))
}

fn is_type(word: &str) -> bool {
    TYPES.contains(&word) || word == "_Atomic" || types::is_name(word) || types::is_atomic_name(word)
}

/// What an operator does that changes a variable by 1.
fn step(token: Token) -> Option<BinaryOperator> {
    match token.text {
        "++" => Some(BinaryOperator::Add),
        "--" => Some(BinaryOperator::Subtract),
        _ => None,
    }
}

/// What an `atomic_fetch_...` does.
fn fetch_operator(name: &str) -> Option<UpdateOperator> {
    Some(match name {
        "atomic_exchange" => UpdateOperator::Exchange,
        "atomic_fetch_add" => UpdateOperator::Add,
        "atomic_fetch_sub" => UpdateOperator::Subtract,
        "atomic_fetch_and" => UpdateOperator::And,
        "atomic_fetch_or" => UpdateOperator::Or,
        "atomic_fetch_xor" => UpdateOperator::Xor,
        "atomic_fetch_max" => UpdateOperator::Max,
        "atomic_fetch_min" => UpdateOperator::Min,
        _ => return None,
    })
}

/// The operators with two operands and how tightly they bind.
fn binary_operator(symbol: &str) -> Option<(BinaryOperator, u8)> {
    Some(match symbol {
        "*" => (BinaryOperator::Multiply, 10),
        "/" => (BinaryOperator::Divide, 10),
        "%" => (BinaryOperator::Remainder, 10),
        "+" => (BinaryOperator::Add, 9),
        "-" => (BinaryOperator::Subtract, 9),
        "<<" => (BinaryOperator::ShiftLeft, 8),
        ">>" => (BinaryOperator::ShiftRight, 8),
        "<" => (BinaryOperator::Less, 7),
        "<=" => (BinaryOperator::LessOrEqual, 7),
        ">" => (BinaryOperator::Greater, 7),
        ">=" => (BinaryOperator::GreaterOrEqual, 7),
        "==" => (BinaryOperator::Equal, 6),
        "!=" => (BinaryOperator::NotEqual, 6),
        "&" => (BinaryOperator::BitAnd, 5),
        "^" => (BinaryOperator::BitXor, 4),
        "|" => (BinaryOperator::BitOr, 3),
        "&&" => (BinaryOperator::And, 2),
        "||" => (BinaryOperator::Or, 1),
        _ => return None,
    })
}

/// The operators that may stand before `=`.
fn compound_operator(symbol: &str) -> Option<BinaryOperator> {
    if matches!(symbol, "==" | "!=" | "<=" | ">=") {
        return None;
    }
    binary_operator(symbol.strip_suffix('=')?).map(|(operator, _)| operator).filter(|operator| {
        !matches!(operator, BinaryOperator::Less | BinaryOperator::Greater | BinaryOperator::And | BinaryOperator::Or)
    })
}

/// A condition's opposite, without piling up `!`.
fn negate(condition: Expression) -> Expression {
    match condition {
        Expression::Unary(UnaryOperator::Not, inner) => *inner,
        condition => Expression::Unary(UnaryOperator::Not, Box::new(condition)),
    }
}

impl<'t> Parser<'t> {
    /// Whether a thread's header starts here, and its number.
    fn thread_starts(&self) -> Option<&'t str> {
        let token = self.cursor.peek();
        let digits = token.text.strip_prefix('P')?;
        let is_thread = token.kind == Kind::Word && digits.starts_with(|c: char| c.is_ascii_digit());
        (is_thread && self.cursor.ahead(1).is("(")).then_some(digits)
    }

    fn threads(&mut self) {
        loop {
            if self.skip_function() {
                continue;
            }
            // A return type means nothing.
            while matches!(self.cursor.peek().text, "void" | "static") {
                self.cursor.next();
            }
            if self.thread_starts().is_some() {
                if self.thread().is_err() {
                    self.resume_at_thread();
                }
            } else if self.cursor.at_end() || herd::tail_starts(&self.cursor) || self.cursor.at("(") {
                break;
            } else if self.cursor.at("#") {
                let _ = self.directive();
                self.resume_at_thread();
            } else {
                let _ = self.cursor.unexpected::<()>("a thread such as `P0 (atomic_int* x) {`, or the final condition");
                self.cursor.next();
                self.resume_at_thread();
            }
        }
        if self.threads.is_empty() {
            let span = self.cursor.peek().span;
            self.cursor.error(span, "there is no thread", Some("write one as `P0 (atomic_int* x) { ... }`"));
        }
        let numbers: Vec<usize> = (0..self.threads.len()).collect();
        self.initial = herd::place_initial_registers(&mut self.cursor, std::mem::take(&mut self.initial), &numbers);
    }

    fn directive(&mut self) -> Parse<()> {
        let help = Some(
            "`#define NAME value` and `#include <stdatomic.h>`, or another standard header, are read: write out what other \
             directives do",
        );
        let span = self.cursor.peek().span;
        self.cursor.fail(span, "this directive is not supported", help)
    }

    fn resume_at_thread(&mut self) {
        while !self.cursor.at_end() && self.thread_starts().is_none() && !herd::tail_starts(&self.cursor) {
            self.cursor.next();
        }
    }

    fn thread(&mut self) -> Parse<()> {
        let token = self.cursor.next();
        let index = self.threads.len();
        if index >= MAX_THREADS {
            return self.cursor.fail(token.span, format!("more than {MAX_THREADS} threads"), None);
        }
        if token.text[1..].parse() != Ok(index) {
            let message = format!("expected thread P{index}, found {}", shortened(token.text));
            self.cursor.error(token.span, message, Some("threads are numbered from P0 in the order of the text"));
        }
        self.parameters.clear();
        self.locals.clear();
        self.dereferenced.clear();
        self.made.clear();
        (self.returned, self.returns) = (None, 0);
        self.forget_expression();
        self.scopes.clear();
        self.threads.push(Thread::default());
        self.registers.push(FxHashMap::default());
        self.cursor.set_depth(0);
        for register in self.initial.clone().into_iter().filter(|register| register.thread == index) {
            if self.locals.contains_key(register.name.text) {
                let message = format!("`{}` has two initial values", shortened(register.name.text));
                self.cursor.error(register.name.span, message, Some("keep one of them"));
            } else if let Ok(id) = self.new_register(register.name, register.integer.unwrap_or(Integer::Int32)) {
                self.threads[index].initial[id.0 as usize] = register.value;
                let kind = Type::of(self.threads[index].integer(id));
                let local = Local { register: id, kind, visible: true, undeclared: true };
                self.locals.insert(register.name.text, local);
            }
        }
        self.cursor.next();
        self.parameter_list()?;
        let open = self.cursor.expect("{", "before the thread's statements")?;
        self.blocks.clear();
        self.labels.clear();
        self.gotos.clear();
        self.switches.clear();
        self.numbered = 0;
        let body = self.block(open);
        self.check_gotos();
        self.threads[index].body = jumps::resolve(body, || self.fresh("next", Integer::Int32))?;
        self.convert_initial_values(index);
        Ok(())
    }

    /// Converts the values that the thread's registers begin with to their types.
    fn convert_initial_values(&mut self, thread: usize) {
        for initial in self.initial.iter().filter(|initial| initial.thread == thread) {
            let Some(register) = self.registers[thread].get(initial.name.text).copied() else { continue };
            let integer = self.threads[thread].integer(register);
            let value = &mut self.threads[thread].initial[usize::from(register.0)];
            *value = herd::converted(&mut self.cursor, *value, integer, initial.name);
        }
    }

    fn parameter_list(&mut self) -> Parse<()> {
        if self.cursor.at("void") && self.cursor.ahead(1).is(")") {
            self.cursor.next();
        }
        if self.cursor.eat(")").is_some() {
            return Ok(());
        }
        loop {
            let start = self.cursor.peek().span;
            let mut declared = self.type_name("a parameter such as `atomic_int* x`")?;
            let is_reference = self.cursor.eat("&").is_some();
            declared.pointers += u32::from(is_reference);
            let name = self.cursor.word("the parameter's name")?;
            if self.cursor.eat("[").is_some() {
                if self.cursor.eat("]").is_none() {
                    return self.cursor.fail(
                        self.cursor.peek().span,
                        "a parameter has no length",
                        Some("give the array's length in the initial values, `{ int q[3]; }`, and write `int q[]`"),
                    );
                }
                declared.pointers += 1;
            }
            if !declared.is_pointer() {
                let span = self.cursor.since(start);
                let help = Some("parameters are shared: write `int* x`. Declare local variables in the body");
                self.cursor.error(span, "this parameter is not a pointer", help);
            }
            self.check_name(name)?;
            let object = self.objects.declare(&mut self.cursor, name)?;
            let integer = declared.pointee().integer();
            if !self.objects.is_typed(object) {
                self.objects.set_type(object, integer);
            } else if self.objects.list[object.0 as usize].integer.bits() != integer.bits() {
                let of = self.objects.list[object.0 as usize].integer.name();
                let message =
                    format!("`{}` has the type `{of}` elsewhere: its values are converted here", shortened(name.text));
                self.cursor.note(Severity::Warning, name.span, message, Some("give it one type everywhere"));
            }
            let parameter = Parameter { object, kind: declared, noted: false, is_reference };
            if self.parameters.insert(name.text, parameter).is_some() {
                let message = format!("two parameters have the name `{}`", shortened(name.text));
                self.cursor.error(name.span, message, None);
            }
            if self.locals.contains_key(name.text) {
                let message =
                    format!("`{}` is a parameter, but has an initial value as a register", shortened(name.text));
                self.cursor.error(name.span, message, Some("write it without the thread: `{ x=1; }`"));
            }
            if self.cursor.eat(")").is_some() {
                return Ok(());
            }
            self.cursor.expect(",", "or `)` after a parameter")?;
        }
    }

    /// A type with its stars.
    fn type_name(&mut self, expected: &str) -> Parse<Type> {
        let mut found = Type::NUMBER;
        let start = self.cursor.peek();
        let position = self.cursor.position();
        let mut words: Vec<&str> = Vec::new();
        let mut inside = None;
        loop {
            let token = self.cursor.peek();
            if token.is("*") {
                if found.pointers >= MAX_POINTERS {
                    let message = format!("a type with more than {MAX_POINTERS} stars");
                    return self.cursor.fail(token.span, message, None);
                }
                found.pointers += 1;
            } else if token.kind == Kind::Word && is_type(token.text) {
                if token.text.starts_with("atomic_") || token.text == "_Atomic" {
                    found.atomic |= 1 << found.pointers;
                }
                if token.text == "_Atomic" && self.cursor.ahead(1).is("(") {
                    self.cursor.next();
                    self.cursor.next();
                    self.cursor.enter()?;
                    let inner = self.type_name("a type")?;
                    self.cursor.leave();
                    found.pointers += inner.pointers;
                    found.atomic = inner.atomic | 1 << found.pointers;
                    inside = Some(inner.base);
                    self.cursor.expect(")", "after the type")?;
                    continue;
                }
                words.push(token.text);
            } else if token.text.contains("int128") {
                return self.unknown_type(token);
            } else {
                break;
            }
            self.cursor.next();
        }
        if self.cursor.position() > position {
            let named = inside.or_else(|| types::named(words.iter().copied()));
            // Nothing is known of what is at the end of a `void*`.
            let other = if words.contains(&"void") { Integer::Int64 } else { Integer::Int32 };
            found.base = named.unwrap_or(other);
            return Ok(found);
        }
        if start.kind == Kind::Word {
            return self.unknown_type(start);
        }
        self.cursor.unexpected(expected)
    }

    fn unknown_type<T>(&mut self, token: Token<'t>) -> Parse<T> {
        if token.text.contains("int128") {
            let message = format!("`{}` is too wide: values have 64 bits", shortened(token.text));
            return self.cursor.fail(token.span, message, Some("use `int64_t`, if the values fit"));
        }
        let message = format!("`{}` is not a type of the C dialect", shortened(token.text));
        self.cursor.fail(token.span, message, Some("use `int`, or `atomic_int` for atomics"))
    }

    fn thread_index(&self) -> usize {
        self.threads.len() - 1
    }

    fn new_register(&mut self, name: Token<'t>, integer: Integer) -> Parse<RegisterId> {
        let thread = self.thread_index();
        let registers = &mut self.threads[thread];
        if registers.registers.len() >= MAX_REGISTERS {
            return self.cursor.fail(name.span, format!("more than {MAX_REGISTERS} variables in a thread"), None);
        }
        let register = RegisterId(registers.registers.len() as u16);
        registers.registers.push(name.text.to_owned());
        registers.initial.push(0);
        registers.integers.push(integer);
        self.registers[thread].insert(name.text, register);
        Ok(register)
    }

    fn check_name(&mut self, name: Token<'t>) -> Parse<()> {
        if RESERVED.contains(&name.text) || is_type(name.text) {
            return self.cursor.fail(name.span, format!("`{}` can't be a name", name.text), Some("choose another"));
        }
        Ok(())
    }

    fn declare(&mut self, name: Token<'t>, kind: Type) -> Parse<RegisterId> {
        self.check_name(name)?;
        if self.made.contains(name.text) {
            let message = format!("`{}` is the name of a variable that this thread's control flow needs", name.text);
            return self.cursor.fail(name.span, message, Some("choose another"));
        }
        if self.parameters.contains_key(name.text) {
            let message = format!("`{}` is already a parameter", shortened(name.text));
            return self.cursor.fail(name.span, message, Some("give the local variable another name"));
        }
        let register = match self.locals.get_mut(name.text) {
            Some(local) if local.visible && !local.undeclared => {
                let message = format!("`{}` is already declared", shortened(name.text));
                let help = Some("drop the type to assign to it, or give the variable another name");
                return self.cursor.fail(name.span, message, help);
            }
            Some(local) if local.undeclared || local.kind.integer() == kind.integer() => {
                (local.visible, local.undeclared, local.kind) = (true, false, kind);
                let register = local.register;
                self.retype(register, kind.integer());
                register
            }
            Some(_) => {
                // The same name for another type in another block.
                let register = self.fresh(name.text, kind.integer())?;
                let thread = self.thread_index();
                self.registers[thread].insert(name.text, register);
                self.locals.insert(name.text, Local { register, kind, visible: true, undeclared: false });
                register
            }
            None => {
                // A function may be called again, with variables of the same names.
                let register = match self.in_function {
                    true => self.fresh(name.text, kind.integer())?,
                    false => self.new_register(name, kind.integer())?,
                };
                let local = Local { register, kind, visible: true, undeclared: false };
                self.locals.insert(name.text, local);
                register
            }
        };
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(name.text);
        }
        Ok(register)
    }

    fn retype(&mut self, register: RegisterId, integer: Integer) {
        let thread = self.thread_index();
        if let Some(own) = self.threads[thread].integers.get_mut(usize::from(register.0)) {
            *own = integer;
        }
    }

    fn close_scopes(&mut self, keep: usize) {
        while self.scopes.len() > keep {
            for name in self.scopes.pop().into_iter().flatten() {
                // Of what is no local variable, only arrays are declared in blocks.
                match self.locals.get_mut(name).filter(|local| local.visible) {
                    Some(local) => local.visible = false,
                    None => drop(self.parameters.remove(name)),
                }
            }
        }
    }

    /// Statements up to the `}` that closes them.
    fn block(&mut self, open: Span) -> Vec<Statement> {
        let (scopes, depth, loops) = (self.scopes.len(), self.cursor.depth(), self.loops.len());
        let (blocks, switches) = (self.blocks.len(), self.switches.len());
        self.scopes.push(Vec::new());
        self.opened += 1;
        self.blocks.push(self.opened);
        let mut body = Vec::new();
        // What may be left out, because of a `break` or its like before it.
        let mut rest: Option<(Expression, Vec<Statement>)> = None;
        while self.cursor.eat("}").is_none() {
            if self.cursor.at_end() || self.thread_starts().is_some() || herd::tail_starts(&self.cursor) {
                // `~exists(...)` could be an expression, but nothing of that name can be called.
                self.cursor.error(open, "this `{` is not closed", None);
                break;
            }
            let left = self.ways_out();
            let into = rest.as_mut().map_or(&mut body, |(_, rest)| rest);
            let is_guard = GUARDS.contains(&self.cursor.peek().text)
                && (self.cursor.ahead(1).is("<") || self.cursor.ahead(1).kind == Kind::Word);
            // All that follows in the block is done while the mutex is held, however that ends.
            let done = if is_guard { self.guarded(open, into) } else { self.statement(into) };
            if is_guard && done.is_ok() {
                break;
            }
            if done.is_err() {
                self.close_scopes(scopes + 1);
                self.cursor.set_depth(depth);
                self.forget_expression();
                self.loops.truncate(loops);
                self.blocks.truncate(blocks + 1);
                self.switches.truncate(switches);
                self.cursor.recover();
            } else if self.ways_out() > left {
                close_rest(&mut body, rest.take());
                rest = self.still_here(0).map(|condition| (condition, Vec::new()));
            }
        }
        close_rest(&mut body, rest);
        self.close_scopes(scopes);
        self.blocks.truncate(blocks);
        body
    }

    /// A label that nothing has yet.
    fn new_label(&mut self) -> u32 {
        self.numbered += 1;
        self.numbered
    }

    /// The number of a named label, which may come later.
    fn label(&mut self, name: &'t str) -> u32 {
        if let Some((number, _)) = self.labels.get(name) {
            return *number;
        }
        let number = self.new_label();
        self.labels.insert(name, (number, Vec::new()));
        number
    }

    /// Labels in front of a statement: `again:`, `case 1:`, `default:`.
    fn labels(&mut self, into: &mut Vec<Statement>) -> Parse<()> {
        loop {
            let token = self.cursor.peek();
            let is_name = token.kind == Kind::Word && self.cursor.ahead(1).is(":") && !token.is("default");
            if is_name && !self.cursor.ahead(2).is(":") {
                self.cursor.next();
                self.cursor.next();
                let (number, blocks) = (self.label(token.text), self.blocks.clone());
                if self.labels.get(token.text).is_some_and(|(_, known)| !known.is_empty()) {
                    let message = format!("a second label `{}` in this thread", shortened(token.text));
                    return self.cursor.fail(token.span, message, Some("give it another name"));
                }
                self.labels.insert(token.text, (number, blocks));
                into.push(jumps::label(number, token.span));
            } else if token.is("case") || token.is("default") {
                self.cursor.next();
                let is_default = token.is("default");
                let value = if is_default { 0 } else { self.case_value()? };
                self.cursor.expect(":", "after the case")?;
                let (number, block) = (self.new_label(), self.blocks.last().copied());
                let Some(switch) = self.switches.last_mut().filter(|switch| Some(switch.block) == block) else {
                    let message = format!("`{}` stands in no `switch`, or deeper in one", token.text);
                    return self.cursor.fail(
                        token.span,
                        message,
                        Some("put it right between the braces of the `switch`"),
                    );
                };
                let value = switch.integer.convert(value);
                let is_second = match is_default {
                    true => switch.default.replace(number).is_some(),
                    false => switch.cases.iter().any(|(known, _)| *known == value),
                };
                if !is_default {
                    switch.cases.push((value, number));
                }
                if is_second {
                    let message = "a second case for the same value";
                    return self.cursor.fail(token.span, message, Some("join the two"));
                }
                into.push(jumps::label(number, token.span));
            } else {
                return Ok(());
            }
        }
    }

    /// The constant of a case.
    fn case_value(&mut self) -> Parse<Value> {
        let start = self.cursor.peek().span;
        match self.value()? {
            Expression::Constant(value) => Ok(value),
            _ => self.cursor.fail(start, "the value of a case is a constant", Some("such as `case 1:`")),
        }
    }

    fn goto(&mut self, into: &mut Vec<Statement>) -> Parse<()> {
        let start = self.cursor.next().span;
        let name = self.cursor.word("the name of a label")?;
        let number = self.label(name.text);
        self.gotos.push((name, number, self.blocks.clone()));
        self.end_statement()?;
        into.push(jumps::goto(number, start));
        Ok(())
    }

    /// Says which jumps lead nowhere, or into a block.
    fn check_gotos(&mut self) {
        for (name, _, blocks) in std::mem::take(&mut self.gotos) {
            let to = self.labels.get(name.text).map(|(_, blocks)| blocks.clone()).unwrap_or_default();
            if to.is_empty() {
                let message = format!("there is no label `{}` in this thread", shortened(name.text));
                self.cursor.error(name.span, message, Some("write it with a colon in front of a statement"));
            } else if !blocks.starts_with(&to) {
                let message = format!("a jump into the block of `{}` is not supported", shortened(name.text));
                self.cursor.error(name.span, message, Some("put the label in front of the block, or behind it"));
            }
        }
    }

    /// `switch (e) { case 1: ...; break; default: ... }`: jumps to the cases, which go on one in the other.
    fn switch(&mut self, into: &mut Vec<Statement>) -> Parse<()> {
        let start = self.cursor.next().span;
        let (mut before, value, kind) = self.controlling("switch")?;
        let integer = kind.integer().promoted();
        let span = self.cursor.since(start);
        let open = self.cursor.expect("{", "and the cases")?;
        let chosen = self.fresh("chosen", integer)?;
        let end = self.new_label();
        let block = self.opened + 1;
        let (loops, cases) = (self.loops.len(), Vec::new());
        self.switches.push(Switch { loops, integer, block, end, cases, default: None });
        let mut body = self.block(open);
        let Some(Switch { cases, default, .. }) = self.switches.pop() else { return Err(herd::Reported) };
        let made = |kind| Statement { kind, span };
        before.push(made(StatementKind::Assign { register: chosen, value }));
        for (value, label) in cases {
            let (chosen, value) = (Box::new(Expression::Register(chosen)), Box::new(Expression::Constant(value)));
            let condition = Expression::Binary(BinaryOperator::Equal, chosen, value);
            let then = vec![jumps::goto(label, span)];
            before.push(made(StatementKind::If { condition, then, otherwise: Vec::new() }));
        }
        before.push(jumps::goto(default.unwrap_or(end), span));
        before.append(&mut body);
        before.push(jumps::label(end, span));
        // Where nothing leads in or out, it need not be told apart from the rest of the thread.
        let named: Vec<u32> = self.labels.values().map(|(number, _)| *number).collect();
        let mut is_closed = true;
        jumps::each_mark(&before, &mut |label, _| is_closed &= !named.contains(&label));
        let around = self.switches.last().map(|around| around.end);
        jumps::each_mark(&before, &mut |label, _| is_closed &= Some(label) != around);
        into.append(&mut if is_closed {
            jumps::resolve(before, || self.fresh("next", Integer::Int32))?
        } else {
            before
        });
        Ok(())
    }

    /// `std::lock_guard<std::mutex> guard(m);` with the statements up to the `}` that closes the block.
    fn guarded(&mut self, open: Span, into: &mut Vec<Statement>) -> Parse<()> {
        self.cursor.enter()?;
        let start = self.cursor.next().span;
        if self.cursor.eat("<").is_some() {
            self.type_name("the type of a mutex")?;
            self.cursor.expect(">", "after the type of the mutex")?;
        }
        self.cursor.word("the guard's name")?;
        self.cursor.expect("(", "and the mutex")?;
        let typed = self.pointer()?;
        let place = self.pointee(typed)?;
        self.close_parenthesis()?;
        self.end_statement()?;
        let span = self.cursor.since(start);
        into.push(Statement { kind: StatementKind::Lock(place.clone()), span });
        into.append(&mut self.block(open));
        into.push(Statement { kind: StatementKind::Unlock(place), span });
        self.cursor.leave();
        Ok(())
    }

    /// How many `break`s, `continue`s and `return`s there have been that leave this block.
    fn ways_out(&self) -> u32 {
        self.returns + self.loops.last().map_or(0, |innermost| innermost.breaks + innermost.continues)
    }

    /// That there has been no `return`, and that what `break` and `continue` set is 0, or else that it is not `BREAK`.
    /// `None` if that is always so.
    fn still_here(&self, not: Value) -> Option<Expression> {
        let compare = |operator, register, value| {
            let register = Box::new(Expression::Register(register));
            Expression::Binary(operator, register, Box::new(Expression::Constant(value)))
        };
        let exit = self.loops.last().and_then(|innermost| innermost.exit);
        let exit = exit.map(|exit| match not {
            BREAK => compare(BinaryOperator::NotEqual, exit, BREAK),
            _ => compare(BinaryOperator::Equal, exit, 0),
        });
        let returned = self.returned.map(|returned| compare(BinaryOperator::Equal, returned, 0));
        match (exit, returned) {
            (Some(exit), Some(returned)) => Some(both(exit, returned)),
            (exit, returned) => exit.or(returned),
        }
    }

    /// Ends the innermost loop: makes a loop of its parts. `before` is done before the condition each time, `step` behind
    /// the body.
    fn finish_loop(&mut self, parts: LoopParts, into: &mut Vec<Statement>) {
        let LoopParts { before, condition, mut body, mut step, test_first, returns, span } = parts;
        let made = |kind| Statement { kind, span };
        let Loop { exit, breaks, continues } = self.loops.pop().unwrap_or_default();
        let leaves = breaks > 0 || returns < self.returns;
        let tail = step.is_empty() && before.is_empty() && continues == 0 && returns == self.returns;
        // `while (1) { ...; if (c) break; }` is what it says.
        if tail
            && breaks == 1
            && matches!(condition, Expression::Constant(value) if value != 0)
            && let Some(Statement { kind: StatementKind::If { condition: until, then, otherwise }, .. }) = body.last()
            && otherwise.is_empty()
            && let [Statement { kind: StatementKind::Assign { register, .. }, .. }] = then[..]
            && Some(register) == exit
        {
            let until = until.clone();
            body.pop();
            self.forget_register(exit);
            into.push(made(StatementKind::Repeat { body, until }));
            return;
        }
        self.loops.push(Loop { exit: exit.filter(|_| breaks > 0), ..Loop::default() });
        let returned = self.returned.filter(|_| returns < self.returns);
        let open = {
            let all = std::mem::replace(&mut self.returned, returned);
            let open = self.still_here(BREAK);
            self.returned = all;
            open
        };
        self.loops.pop();
        if let Some(exit) = exit {
            let reset = || made(StatementKind::Assign { register: exit, value: Expression::Constant(0) });
            into.push(reset());
            // At the end of the round: so a round that only waits leaves everything as it was.
            if continues > 0 && breaks > 0 {
                let (own, value) = (Expression::Register(exit), Expression::Constant(CONTINUE));
                let condition = Expression::Binary(BinaryOperator::Equal, Box::new(own), Box::new(value));
                body.push(made(StatementKind::If { condition, then: vec![reset()], otherwise: Vec::new() }));
            } else if continues > 0 {
                body.push(reset());
            }
        }
        let mut again = before.clone();
        step.append(&mut again);
        match &open {
            Some(open) if leaves && !step.is_empty() => {
                let kind = StatementKind::If { condition: open.clone(), then: step, otherwise: Vec::new() };
                body.push(made(kind));
            }
            _ => body.append(&mut step),
        }
        let condition = match open {
            Some(open) if matches!(condition, Expression::Constant(value) if value != 0) => open,
            Some(open) => both(open, condition),
            None => condition,
        };
        let kind = if test_first {
            into.extend(before);
            StatementKind::While { condition, body }
        } else {
            StatementKind::Repeat { body, until: negate(condition) }
        };
        into.push(made(kind));
    }

    /// A register that the text does not name.
    fn fresh(&mut self, hint: &str, integer: Integer) -> Parse<RegisterId> {
        let thread = self.thread_index();
        let registers = &self.threads[thread].registers;
        if registers.len() >= MAX_REGISTERS {
            let span = self.cursor.peek().span;
            return self.cursor.fail(span, format!("more than {MAX_REGISTERS} variables in a thread"), None);
        }
        let taken = |name: &str| {
            self.made.contains(name)
                || self.registers[thread].contains_key(name)
                || self.locals.contains_key(name)
                || self.parameters.contains_key(name)
                || self.objects.get(name).is_some()
        };
        let name = (1..).map(|number| format!("{hint}_{number}")).find(|name| !taken(name)).unwrap_or_default();
        let register = RegisterId(registers.len() as u16);
        self.made.insert(name.clone());
        self.threads[thread].registers.push(name);
        self.threads[thread].initial.push(0);
        self.threads[thread].integers.push(integer);
        Ok(register)
    }

    /// Takes a register back that nothing uses, if it is the last one.
    fn forget_register(&mut self, register: Option<RegisterId>) {
        let thread = self.thread_index();
        let thread = &mut self.threads[thread];
        if register.is_some_and(|register| usize::from(register.0) + 1 == thread.registers.len()) {
            thread.initial.pop();
            thread.integers.pop();
            if let Some(name) = thread.registers.pop() {
                self.made.remove(&name);
            }
        }
    }

    fn forget_expression(&mut self) {
        self.prelude.clear();
        self.mentioned.clear();
        self.accesses = 0;
    }

    /// Adds a statement, and before it what its expressions want done.
    fn push(&mut self, kind: StatementKind, span: Span, into: &mut Vec<Statement>) {
        into.append(&mut self.prelude);
        self.forget_expression();
        into.push(Statement { kind, span });
    }

    /// Has something done before the statement being read, in the middle of an expression; `before` is how many accesses
    /// there were in the expression before it.
    fn hoist(&mut self, statements: Vec<Statement>, before: u32, span: Span) -> Parse<()> {
        if before > 0 && self.accesses > before {
            let help = Some("assign it to a variable in a statement of its own before this one");
            return self.cursor.fail(
                span,
                "this is too much for one expression: the order of accesses would change",
                help,
            );
        }
        self.prelude.extend(statements);
        Ok(())
    }

    /// A block or a single statement.
    fn body(&mut self) -> Parse<Vec<Statement>> {
        if let Some(open) = self.cursor.eat("{") {
            return Ok(self.block(open));
        }
        let scopes = self.scopes.len();
        self.scopes.push(Vec::new());
        let mut body = Vec::new();
        self.statement(&mut body)?;
        self.close_scopes(scopes);
        Ok(body)
    }

    fn statement(&mut self, into: &mut Vec<Statement>) -> Parse<()> {
        self.cursor.enter()?;
        self.cursor.restart_operators();
        self.labels(into)?;
        let start = self.cursor.peek();
        match start.text {
            // A label may be the last in its block.
            "}" if into.last().is_some() && self.cursor.previous_is(":") => {}
            ";" => into.push(Statement { kind: StatementKind::Skip, span: self.cursor.next().span }),
            "{" => {
                self.cursor.next();
                into.append(&mut self.block(start.span));
            }
            "if" => {
                self.cursor.next();
                let (mut before, condition) = self.guard("if")?;
                into.append(&mut before);
                let span = self.cursor.since(start.span);
                let then = self.body()?;
                let otherwise = if self.cursor.eat("else").is_some() { self.body()? } else { Vec::new() };
                into.push(Statement { kind: StatementKind::If { condition, then, otherwise }, span });
            }
            "while" => self.while_loop(into)?,
            "do" => self.do_loop(into)?,
            "for" => self.for_loop(into)?,
            "else" => return self.cursor.fail(start.span, "`else` without an `if` before it", None),
            "break" | "continue" => self.leave_loop(into)?,
            "return" => self.return_statement(into)?,
            "goto" => self.goto(into)?,
            "switch" => self.switch(into)?,
            "#" => return self.directive(),
            _ => {
                self.simple_statements(into)?;
                self.end_statement()?;
            }
        }
        self.cursor.leave();
        Ok(())
    }

    fn while_loop(&mut self, into: &mut Vec<Statement>) -> Parse<()> {
        let start = self.cursor.next().span;
        let (before, condition) = self.guard("while")?;
        let span = self.cursor.since(start);
        let returns = self.returns;
        self.loops.push(Loop::default());
        let body = self.body()?;
        let step = Vec::new();
        self.finish_loop(LoopParts { before, condition, body, step, test_first: true, returns, span }, into);
        Ok(())
    }

    fn do_loop(&mut self, into: &mut Vec<Statement>) -> Parse<()> {
        let span = self.cursor.next().span;
        let returns = self.returns;
        self.loops.push(Loop::default());
        let body = self.body()?;
        self.cursor.expect("while", "after the body of `do`")?;
        self.cursor.restart_operators();
        let (before, condition) = self.guard("while")?;
        let step = Vec::new();
        self.finish_loop(LoopParts { before, condition, body, step, test_first: false, returns, span }, into);
        self.end_statement()
    }

    /// `break` or `continue`.
    fn leave_loop(&mut self, into: &mut Vec<Statement>) -> Parse<()> {
        let start = self.cursor.next();
        let leaves = start.is("break");
        if let Some(switch) = self.switches.last().filter(|switch| leaves && switch.loops == self.loops.len()) {
            into.push(jumps::goto(switch.end, start.span));
            return self.end_statement();
        }
        let exit = match self.loops.last() {
            None => {
                let message = format!("`{}` outside of a loop", start.text);
                return self.cursor.fail(start.span, message, None);
            }
            Some(Loop { exit: Some(exit), .. }) => *exit,
            Some(_) => self.fresh("exit", Integer::Int32)?,
        };
        if let Some(innermost) = self.loops.last_mut() {
            innermost.exit = Some(exit);
            if leaves {
                innermost.breaks += 1;
            } else {
                innermost.continues += 1;
            }
        }
        let value = Expression::Constant(if leaves { BREAK } else { CONTINUE });
        self.push(StatementKind::Assign { register: exit, value }, start.span, into);
        self.end_statement()
    }

    fn return_statement(&mut self, into: &mut Vec<Statement>) -> Parse<()> {
        let start = self.cursor.next().span;
        match self.result.filter(|_| self.in_function) {
            Some((register, kind)) => {
                let typed = self.expression()?;
                let value = self.value_as(typed, kind)?;
                self.push(StatementKind::Assign { register, value }, self.cursor.since(start), into);
            }
            None if !self.cursor.at(";") => {
                let (message, help) = match self.in_function {
                    true => ("this function returns no value", "give it a type other than `void`"),
                    false => ("a thread returns no value", "threads are `void`: write `return;`"),
                };
                return self.cursor.fail(self.cursor.peek().span, message, Some(help));
            }
            None => {}
        }
        self.end_statement()?;
        if self.scopes.len() == 1 && self.cursor.at("}") {
            into.push(Statement { kind: StatementKind::Skip, span: start });
            return Ok(());
        }
        let register = match self.returned {
            Some(returned) => returned,
            None => self.fresh("returned", Integer::Int32)?,
        };
        self.returned = Some(register);
        self.returns += 1;
        self.push(StatementKind::Assign { register, value: Expression::Constant(1) }, start, into);
        Ok(())
    }

    fn for_loop(&mut self, into: &mut Vec<Statement>) -> Parse<()> {
        let start = self.cursor.next().span;
        let scopes = self.scopes.len();
        self.scopes.push(Vec::new());
        self.cursor.expect("(", "after `for`")?;
        if !self.cursor.at(";") {
            self.simple_statements(into)?;
        }
        self.cursor.expect(";", "after the loop's start")?;
        self.cursor.restart_operators();
        let condition = if self.cursor.at(";") { Expression::Constant(1) } else { self.value()? };
        let before = std::mem::take(&mut self.prelude);
        self.forget_expression();
        self.cursor.expect(";", "after the loop's condition")?;
        let mut step = Vec::new();
        self.cursor.restart_operators();
        if !self.cursor.at(")") {
            self.simple_statements(&mut step)?;
        }
        self.close_parenthesis()?;
        let span = self.cursor.since(start);
        let returns = self.returns;
        self.loops.push(Loop::default());
        let body = self.body()?;
        self.finish_loop(LoopParts { before, condition, body, step, test_first: true, returns, span }, into);
        self.close_scopes(scopes);
        Ok(())
    }

    /// The condition in parentheses behind `if` or `while`, and what has to be done before it.
    fn guard(&mut self, keyword: &str) -> Parse<(Vec<Statement>, Expression)> {
        let (before, condition, _) = self.controlling(keyword)?;
        Ok((before, condition))
    }

    /// The expression in parentheses behind `if` or its like, and what has to be done before it.
    fn controlling(&mut self, keyword: &str) -> Parse<(Vec<Statement>, Expression, Type)> {
        self.forget_expression();
        self.cursor.expect("(", &format!("after `{keyword}`"))?;
        let typed = self.expression()?;
        let kind = typed.kind;
        let value = self.value_of(typed)?;
        self.close_parenthesis()?;
        let before = std::mem::take(&mut self.prelude);
        self.forget_expression();
        Ok((before, value, kind))
    }

    fn close_parenthesis(&mut self) -> Parse<()> {
        let token = self.cursor.peek();
        if token.is("=") || compound_operator(token.text).is_some() {
            let help = Some("compare with `==`, or assign in a statement of its own before this one");
            return self.cursor.fail(token.span, "assignments inside expressions are not supported", help);
        }
        self.cursor.expect(")", "to close the parenthesis")?;
        Ok(())
    }

    /// The `;` behind a statement. If it is missing at the end of a line, the next line is read all the same.
    fn end_statement(&mut self) -> Parse<()> {
        if self.cursor.eat(";").is_some() {
            return Ok(());
        }
        let (last, next) = (self.cursor.previous(), self.cursor.peek());
        if next.span.line > last.line || next.is("}") {
            let behind = last.column + (last.end - last.start);
            let span = Span { start: last.end, end: last.end, line: last.line, column: behind };
            self.cursor.error(span, "expected `;` after the statement", None);
            return Ok(());
        }
        if next.is("=") || compound_operator(next.text).is_some() {
            let help = Some("assign one variable in each statement");
            return self.cursor.fail(next.span, "assignments inside expressions are not supported", help);
        }
        self.cursor.unexpected("`;` after the statement")
    }

    /// What commas are between, one behind the other.
    fn simple_statements(&mut self, into: &mut Vec<Statement>) -> Parse<()> {
        self.simple_statement(into)?;
        while self.cursor.eat(",").is_some() {
            self.cursor.restart_operators();
            self.simple_statement(into)?;
        }
        Ok(())
    }

    /// A declaration, an assignment or a call, without the `;`.
    fn simple_statement(&mut self, into: &mut Vec<Statement>) -> Parse<()> {
        let start = self.cursor.peek();
        if start.kind == Kind::Word && is_type(start.text) {
            return self.declaration(into);
        }
        if start.kind == Kind::Word && self.cursor.ahead(1).is("(") && !self.is_function(start.text) {
            let kind = match start.text {
                "atomic_store" | "atomic_store_explicit" => Some(self.store()?),
                "atomic_thread_fence" => Some(self.fence()?),
                "WRITE_ONCE" => Some(self.write_once()?),
                "smp_store_release" | "atomic_init" => Some(self.plain_store()?),
                "atomic_flag_clear" | "atomic_flag_clear_explicit" => Some(self.clear()?),
                "atomic_signal_fence" => Some(self.signal_fence()?),
                "assert" | "assume" | "__VERIFIER_assume" => Some(self.claim()?),
                name if lock_function(name).is_some() => Some(self.lock()?),
                _ => None,
            };
            if let Some(kind) = kind {
                self.push(kind, self.cursor.since(start.span), into);
                return Ok(());
            }
        }
        let token = start;
        if let Some(operator) = step(start) {
            self.cursor.next();
            self.bare = self.cursor.position();
            let target = self.unary()?;
            return self.assign(start.span, target, Some(operator), Some(one(token.span)), into);
        }
        self.bare = self.cursor.position();
        let target = self.expression()?;
        let token = self.cursor.peek();
        if let Some(operator) = step(token) {
            self.cursor.next();
            return self.assign(start.span, target, Some(operator), Some(one(token.span)), into);
        }
        let operator = compound_operator(token.text);
        if token.is("=") || operator.is_some() {
            self.cursor.next();
            return self.assign(start.span, target, operator, None, into);
        }
        let value = self.value_of(target)?;
        // What an expression wanted done may be all there is to do.
        if self.prelude.is_empty() || !matches!(value, Expression::Register(_) | Expression::Constant(_)) {
            self.push(StatementKind::Evaluate(value), self.cursor.since(start.span), into);
        } else {
            into.append(&mut self.prelude);
            self.forget_expression();
        }
        Ok(())
    }

    /// `target operator= value`; the value is read from the text unless it is given.
    fn assign(
        &mut self,
        start: Span,
        target: Typed,
        operator: Option<BinaryOperator>,
        value: Option<Typed>,
        into: &mut Vec<Statement>,
    ) -> Parse<()> {
        if operator.is_some() {
            self.cursor.count_operator()?;
        }
        let value = match value {
            Some(value) => value,
            None => self.expression()?,
        };
        let kind = match target.operand {
            Operand::Local(register) => {
                let to = target.kind;
                let value = match operator {
                    Some(operator) => self.combine(operator, target, value)?,
                    None => value,
                };
                StatementKind::Assign { register, value: self.value_as(value, to)? }
            }
            Operand::Cell(place) if target.kind.is_atomic() => match operator {
                None => {
                    let value = self.value_as(value, target.kind)?;
                    let value = self.stored(&place, target.kind, value);
                    StatementKind::Write { place, mode: Mode::SequentiallyConsistent, value }
                }
                // C11 makes these read-modify-writes.
                Some(operator) => {
                    let operator = match operator {
                        BinaryOperator::Add => UpdateOperator::Add,
                        BinaryOperator::Subtract => UpdateOperator::Subtract,
                        BinaryOperator::BitAnd => UpdateOperator::And,
                        BinaryOperator::BitOr => UpdateOperator::Or,
                        BinaryOperator::BitXor => UpdateOperator::Xor,
                        _ => {
                            let help =
                                Some("there are `+=`, `-=`, `&=`, `|=` and `^=`; write a loop with a compare-and-swap");
                            let span = self.cursor.since(start);
                            return self.cursor.fail(span, "this operation on an atomic is not supported", help);
                        }
                    };
                    let operand = self.operand(value, operator, &place, target.kind)?;
                    let integer = self.held(&place, target.kind).integer();
                    let kind = AccessKind::Update { operator, operand, integer };
                    let span = self.cursor.since(start);
                    let access = Access { kind, place, mode: Mode::SequentiallyConsistent, span };
                    StatementKind::Evaluate(Expression::Access(Box::new(access)))
                }
            },
            Operand::Cell(place) => {
                let value = match operator {
                    Some(operator) => {
                        if place.operand().is_some_and(Expression::has_access) {
                            let help = Some("read the index or pointer into a local variable first");
                            let message = "a shared access in an index or pointer that is used twice is not supported";
                            return self.cursor.fail(place.span, message, help);
                        }
                        let old = Typed { operand: Operand::Cell(place.clone()), ..target };
                        self.combine(operator, old, value)?
                    }
                    None => value,
                };
                let value = self.value_as(value, target.kind)?;
                let value = self.stored(&place, target.kind, value);
                StatementKind::Write { place, mode: Mode::NonAtomic, value }
            }
            Operand::Pointer(pointer) => {
                let name = &self.objects.list[pointer.object.0 as usize].name;
                let help = format!("write `*{name}` for the value it points to");
                return self.cursor.fail(target.span, "a pointer can't be changed", Some(&help));
            }
            Operand::Value(_) => return self.cursor.fail(target.span, "this can't be assigned to", None),
        };
        self.push(kind, self.cursor.since(start), into);
        Ok(())
    }

    fn declaration(&mut self, into: &mut Vec<Statement>) -> Parse<()> {
        let mut start = self.cursor.peek().span;
        let words = (0..).map(|ahead| self.cursor.ahead(ahead)).take_while(|token| is_type(token.text));
        let words: Vec<&str> = words.map(|token| token.text).collect();
        let is_deduced = words.contains(&"auto") && types::named(words).is_none();
        let mut declared = self.type_name("a type")?;
        let base = Type { pointers: 0, atomic: declared.atomic & 1, base: declared.base };
        loop {
            let name = self.cursor.word("a variable's name")?;
            if self.cursor.at("[") {
                self.local_array(name, declared, into)?;
                if self.cursor.eat(",").is_none() {
                    return Ok(());
                }
                continue;
            }
            let register = self.declare(name, declared)?;
            if self.cursor.eat("=").is_some() {
                self.cursor.restart_operators();
                let typed = self.expression()?;
                if let Some(local) = self.locals.get_mut(name.text).filter(|_| is_deduced) {
                    declared = typed.kind.value();
                    local.kind = declared;
                    self.retype(register, declared.integer());
                }
                let value = self.value_as(typed, declared)?;
                self.push(StatementKind::Assign { register, value }, self.cursor.since(start), into);
            }
            if self.cursor.eat(",").is_none() {
                return Ok(());
            }
            start = self.cursor.peek().span;
            declared = base;
            while self.cursor.eat("*").is_some() {
                declared.pointers = (declared.pointers + 1).min(MAX_POINTERS);
            }
        }
    }

    /// `int a[3] = {1, 2};`, from the bracket on: memory that only this thread knows.
    fn local_array(&mut self, name: Token<'t>, kind: Type, into: &mut Vec<Statement>) -> Parse<()> {
        self.check_name(name)?;
        let is_visible = self.locals.get(name.text).is_some_and(|local| local.visible);
        if is_visible || self.parameters.contains_key(name.text) {
            let message = format!("`{}` is already declared", shortened(name.text));
            return self.cursor.fail(name.span, message, Some("give the array another name"));
        }
        self.cursor.next();
        let mut length = None;
        if !self.cursor.at("]") {
            let span = self.cursor.peek().span;
            length = match self.value()? {
                Expression::Constant(length @ 1..=MAX_LENGTH) => Some(length as usize),
                _ => {
                    let message = format!("the length of an array is a constant of 1 to {MAX_LENGTH}");
                    return self.cursor.fail(span, message, Some("write it as a number"));
                }
            };
        }
        self.cursor.expect("]", "after the array's length")?;
        let mut values = Vec::new();
        let has_values = self.cursor.eat("=").is_some();
        if has_values {
            self.cursor.expect("{", "before the array's values")?;
            while self.cursor.eat("}").is_none() {
                let typed = self.expression()?;
                let span = typed.span;
                let value = self.value_as(typed, kind)?;
                values.push((value, std::mem::take(&mut self.prelude), span));
                if !self.cursor.at("}") {
                    self.cursor.expect(",", "or `}` after an array's value")?;
                }
            }
        }
        let length = length.unwrap_or(values.len());
        if length == 0 || values.len() > length {
            let message = format!("the array has {length} elements and {} values", values.len());
            return self.cursor.fail(name.span, message, None);
        }
        let title = format!("P{}_{}", self.thread_index(), name.text);
        let object = self.objects.add_array(&mut self.cursor, (title, name.span), length, kind.integer())?;
        self.forget_expression();
        values.resize(if has_values { length } else { 0 }, (Expression::Constant(0), Vec::new(), name.span));
        for (at, (value, mut before, span)) in values.into_iter().enumerate() {
            into.append(&mut before);
            let place = Place::element(object, Some(Expression::Constant(at as Value)), span);
            into.push(Statement { kind: StatementKind::Write { place, mode: kind.mode(), value }, span });
        }
        let parameter = Parameter { object, kind: kind.pointer_to(), noted: true, is_reference: false };
        self.parameters.insert(name.text, parameter);
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(name.text);
        }
        Ok(())
    }

    fn store(&mut self) -> Parse<StatementKind> {
        let explicit = self.cursor.next().text.ends_with("_explicit");
        self.cursor.next();
        let (place, of) = self.pointer_argument()?;
        self.cursor.expect(",", "after the pointer")?;
        let typed = self.expression()?;
        let value = self.value_as(typed, of)?;
        let value = self.stored(&place, of, value);
        let mode = self.order(explicit, "a store", |mode| !mode.is_acquire() || mode.is_sc())?;
        self.close_parenthesis()?;
        Ok(StatementKind::Write { place, mode, value })
    }

    fn fence(&mut self) -> Parse<StatementKind> {
        self.cursor.next();
        self.cursor.next();
        let mode = self.order_name("a fence", |_| true)?;
        self.close_parenthesis()?;
        Ok(StatementKind::Fence(mode))
    }

    /// The Linux kernel's relaxed store.
    fn write_once(&mut self) -> Parse<StatementKind> {
        self.cursor.next();
        self.cursor.next();
        let (place, of) = self.cell_argument()?;
        self.cursor.expect(",", "after the value to write")?;
        let typed = self.expression()?;
        let value = self.value_as(typed, of)?;
        let value = self.stored(&place, of, value);
        self.close_parenthesis()?;
        Ok(StatementKind::Write { place, mode: Mode::Relaxed, value })
    }

    /// `smp_store_release` of the Linux kernel, and `atomic_init`, which is not atomic.
    fn plain_store(&mut self) -> Parse<StatementKind> {
        let mode = if self.cursor.next().is("atomic_init") { Mode::NonAtomic } else { Mode::Release };
        self.cursor.next();
        let (place, of) = self.pointer_argument()?;
        self.cursor.expect(",", "after the pointer")?;
        let typed = self.expression()?;
        let value = self.value_as(typed, of)?;
        let value = self.stored(&place, of, value);
        self.close_parenthesis()?;
        Ok(StatementKind::Write { place, mode, value })
    }

    fn clear(&mut self) -> Parse<StatementKind> {
        let explicit = self.cursor.next().text.ends_with("_explicit");
        self.cursor.next();
        let (place, _) = self.pointer_argument()?;
        let mode = self.order(explicit, "a store", |mode| !mode.is_acquire() || mode.is_sc())?;
        self.close_parenthesis()?;
        Ok(StatementKind::Write { place, mode, value: Expression::Constant(0) })
    }

    fn signal_fence(&mut self) -> Parse<StatementKind> {
        let token = self.cursor.next();
        self.cursor.next();
        self.order_name("a fence", |_| true)?;
        self.close_parenthesis()?;
        let message = "`atomic_signal_fence` has no effect: it orders a thread and its own signal handlers only";
        self.cursor.note(Severity::Note, token.span, message, Some("`atomic_thread_fence` orders threads"));
        Ok(StatementKind::Skip)
    }

    /// `assert(c)` and `assume(c)`.
    fn claim(&mut self) -> Parse<StatementKind> {
        let asserts = self.cursor.next().is("assert");
        self.cursor.next();
        let condition = self.value()?;
        self.close_parenthesis()?;
        Ok(if asserts { StatementKind::Assert(condition) } else { StatementKind::Assume(condition) })
    }

    /// `mtx_lock(m)` and its like, of a parameter or, as with variables outside of all functions, its address.
    fn lock(&mut self) -> Parse<StatementKind> {
        let takes = lock_function(self.cursor.next().text) == Some(true);
        self.cursor.next();
        let name = self.cursor.ahead(1);
        if self.cursor.at("&") && self.parameters.contains_key(name.text) && self.cursor.ahead(2).is(")") {
            self.cursor.next();
        }
        let typed = self.pointer()?;
        let place = self.pointee(typed)?;
        self.close_parenthesis()?;
        Ok(if takes { StatementKind::Lock(place) } else { StatementKind::Unlock(place) })
    }

    /// `, memory_order_...` in the explicit form of a function.
    fn order(&mut self, explicit: bool, what: &str, allowed: impl Fn(Mode) -> bool) -> Parse<Mode> {
        if !explicit {
            return Ok(Mode::SequentiallyConsistent);
        }
        self.cursor.expect(",", "and a memory order")?;
        self.order_name(what, allowed)
    }

    fn order_name(&mut self, what: &str, allowed: impl Fn(Mode) -> bool) -> Parse<Mode> {
        let token = self.cursor.peek();
        let mode = match token.text {
            "memory_order_relaxed" => Mode::Relaxed,
            "memory_order_acquire" => Mode::Acquire,
            "memory_order_release" => Mode::Release,
            "memory_order_acq_rel" => Mode::AcquireRelease,
            "memory_order_seq_cst" => Mode::SequentiallyConsistent,
            "memory_order_consume" => {
                let message = "`memory_order_consume` is read as `memory_order_acquire`, as compilers do";
                self.cursor.note(Severity::Warning, token.span, message, None);
                Mode::Acquire
            }
            _ => return self.cursor.unexpected("a memory order such as `memory_order_relaxed`"),
        };
        self.cursor.next();
        if allowed(mode) {
            return Ok(mode);
        }
        let (help, half) = match what {
            "a store" => ("a store is relaxed, release or seq_cst", Mode::Release),
            "a load" => ("a load is relaxed, acquire or seq_cst", Mode::Acquire),
            _ => ("a failed compare-and-swap is a load: relaxed, acquire or seq_cst", Mode::Acquire),
        };
        // Without the half that makes no sense.
        let (mode, name) = match (mode, half) {
            (Mode::AcquireRelease, Mode::Release) => (half, "release"),
            (Mode::AcquireRelease, _) => (half, "acquire"),
            _ => (Mode::Relaxed, "relaxed"),
        };
        let message = format!("C11 does not have {what} with this order: it is read as `memory_order_{name}`");
        self.cursor.note(Severity::Warning, token.span, message, Some(help));
        Ok(mode)
    }

    /// An argument that is a pointer to an atomic; what it points to.
    fn pointer_argument(&mut self) -> Parse<(Place, Type)> {
        let typed = self.pointer()?;
        let kind = typed.kind.pointee();
        match &typed.operand {
            Operand::Pointer(pointer) => {
                let name = self.objects.list[pointer.object.0 as usize].name.as_str();
                if let Some(parameter) = self.parameters.get_mut(name)
                    && !kind.is_atomic()
                    && !std::mem::replace(&mut parameter.noted, true)
                {
                    let message = format!("`{}` is used as an atomic, but is not declared as one", shortened(name));
                    let help = Some("C11 requires `atomic_int*`; herd and Litmoscope accept this too");
                    self.cursor.note(Severity::Note, typed.span, message, help);
                }
            }
            Operand::Cell(_) if !typed.kind.is_pointer() => {
                let help = Some("leave the `*` out: these functions take the pointer");
                return self.cursor.fail(typed.span, "expected a pointer to something shared, found its value", help);
            }
            Operand::Value(_) if !typed.kind.is_pointer() => {
                let help = Some("the first argument is a parameter of the thread, such as `x`, or a local pointer");
                return self.cursor.fail(typed.span, "expected a pointer to something shared", help);
            }
            _ => {}
        }
        Ok((self.pointee(typed)?, kind))
    }

    /// An expression, or a reference alone: methods are called on it as on a pointer.
    fn pointer(&mut self) -> Parse<Typed> {
        let token = self.cursor.peek();
        let alone = self.cursor.ahead(1).is(",") || self.cursor.ahead(1).is(")");
        match self.parameters.get(token.text) {
            Some(&Parameter { object, kind, is_reference: true, .. }) if alone => {
                self.cursor.next();
                Ok(Typed { operand: Operand::Pointer(Pointer { object, index: None }), kind, span: token.span })
            }
            _ => self.expression(),
        }
    }

    /// What a pointer points to.
    fn pointee(&mut self, typed: Typed) -> Parse<Place> {
        let span = typed.span;
        let address = match typed.operand {
            Operand::Pointer(Pointer { object, index }) => return Ok(Place::element(object, index, span)),
            Operand::Local(register) => {
                if !typed.kind.is_pointer() && self.dereferenced.insert(register) {
                    let message = "a number is used as a pointer";
                    let help = Some("C requires the declaration `int* r0`; herd and Litmoscope accept this too");
                    self.cursor.note(Severity::Note, typed.span, message, help);
                }
                Expression::Register(register)
            }
            _ if !typed.kind.is_pointer() => {
                let help = Some("`*` goes before a parameter or a local pointer, such as `*x`");
                return self.cursor.fail(typed.span, "this is not a pointer", help);
            }
            _ => self.value_of(typed)?,
        };
        Ok(match address {
            Expression::Constant(value) if Address::of(value).is_some() => {
                let address = Address::of(value).unwrap_or(Address { object: ObjectId(0), offset: 0 });
                let index = (address.offset != 0).then(|| Expression::Constant(address.offset.into()));
                Place::element(address.object, index, span)
            }
            address => Place { kind: PlaceKind::Pointee(address), span },
        })
    }

    /// An argument such as `*x`.
    fn cell_argument(&mut self) -> Parse<(Place, Type)> {
        let typed = self.expression()?;
        match typed.operand {
            Operand::Cell(place) => Ok((place, typed.kind)),
            _ => self.cursor.fail(typed.span, "expected something shared, such as `*x`", None),
        }
    }

    /// An expression used for its value.
    fn value(&mut self) -> Parse<Expression> {
        let typed = self.expression()?;
        self.value_of(typed)
    }

    /// An expression's value as one of another type.
    #[inline(never)]
    fn value_as(&mut self, typed: Typed, to: Type) -> Parse<Expression> {
        let from = typed.kind;
        Ok(converted(self.value_of(typed)?, from, to))
    }

    /// The type of what is in a place that is accessed as one of type `kind`: the same unless a thread gives it another one.
    fn held(&self, place: &Place, kind: Type) -> Type {
        match place.object() {
            Some(object) if !kind.is_pointer() => Type::of(self.objects.list[object.0 as usize].integer),
            _ => kind,
        }
    }

    /// A value of type `kind` as it is stored in a place.
    fn stored(&self, place: &Place, kind: Type, value: Expression) -> Expression {
        converted(value, kind, self.held(place, kind))
    }

    /// The operand of an update of a place that is accessed as one of type `kind`.
    fn operand(&mut self, typed: Typed, operator: UpdateOperator, place: &Place, kind: Type) -> Parse<Expression> {
        let held = self.held(place, kind);
        // What becomes a truth value is computed as a number.
        let computes = held.integer() == Integer::Bool && operator != UpdateOperator::Exchange;
        if computes { self.value_of(typed) } else { self.value_as(typed, held) }
    }

    fn value_of(&mut self, typed: Typed) -> Parse<Expression> {
        match typed.operand {
            Operand::Value(value) => Ok(value),
            Operand::Local(register) => Ok(Expression::Register(register)),
            Operand::Cell(place) => {
                self.accesses += 1;
                let held = self.held(&place, typed.kind);
                let access = Access { kind: AccessKind::Read, place, mode: typed.kind.mode(), span: typed.span };
                let value = converted(Expression::Access(Box::new(access)), held, typed.kind);
                Ok(labelled(value, held, typed.kind))
            }
            Operand::Pointer(Pointer { object, index }) => {
                let address = |offset| Expression::Constant(Address { object, offset }.value());
                Ok(match index {
                    None => address(0),
                    Some(Expression::Constant(offset)) => match i32::try_from(offset) {
                        Ok(offset) => address(offset),
                        Err(_) => {
                            let message = "this index is too large for an address: more than 32 bits";
                            return self.cursor.fail(typed.span, message, None);
                        }
                    },
                    Some(index) => Expression::Binary(far(BinaryOperator::Add), Box::new(address(0)), Box::new(index)),
                })
            }
        }
    }

    fn expression(&mut self) -> Parse<Typed> {
        let before = self.accesses;
        let typed = self.binary(1)?;
        if self.cursor.at("?") { self.choice(typed, before) } else { Ok(typed) }
    }

    /// `c ? a : b`, an `if` before the statement being read.
    #[inline(never)]
    fn choice(&mut self, condition: Typed, before: u32) -> Parse<Typed> {
        self.cursor.enter()?;
        let start = condition.span;
        let condition = self.value_of(condition)?;
        self.cursor.next();
        self.cursor.count_operator()?;
        let register = self.fresh("choice", Integer::Int32)?;
        let mentioned = self.mentioned.clone();
        let (mut then, kind) = self.alternative(register)?;
        self.cursor.expect(":", "and the other value")?;
        let in_then = std::mem::replace(&mut self.mentioned, mentioned);
        let (mut otherwise, other) = self.alternative(register)?;
        for (register, (uses, changed)) in in_then {
            let known = self.mentioned.entry(register).or_default();
            *known = (known.0.max(uses), known.1 || changed);
        }
        let span = self.cursor.since(start);
        let common = match (kind.is_pointer(), other.is_pointer()) {
            (true, _) => kind,
            (_, true) => other,
            _ => Type::number(kind.integer().common(other.integer())),
        };
        self.retype(register, common.integer());
        for (side, from) in [(&mut then, kind), (&mut otherwise, other)] {
            if let Some(Statement { kind: StatementKind::Assign { value, .. }, .. }) = side.last_mut() {
                *value = converted(std::mem::replace(value, Expression::Constant(0)), from, common);
            }
        }
        let choice = StatementKind::If { condition, then, otherwise };
        self.hoist(vec![Statement { kind: choice, span }], before, span)?;
        self.cursor.leave();
        Ok(Typed { operand: Operand::Value(Expression::Register(register)), kind: common, span })
    }

    /// One side of a choice, and what it wants done.
    fn alternative(&mut self, register: RegisterId) -> Parse<(Vec<Statement>, Type)> {
        let outer = (std::mem::take(&mut self.prelude), std::mem::take(&mut self.accesses));
        let typed = self.expression()?;
        let (kind, span) = (typed.kind.value(), typed.span);
        let value = self.value_of(typed)?;
        let accesses = self.accesses;
        let mut statements = std::mem::take(&mut self.prelude);
        statements.push(Statement { kind: StatementKind::Assign { register, value }, span });
        (self.prelude, self.accesses) = outer;
        self.accesses += accesses;
        Ok((statements, kind))
    }

    /// Operators that bind at least as tightly as `least`.
    fn binary(&mut self, least: u8) -> Parse<Typed> {
        self.cursor.enter()?;
        let (before, mentioned) = (self.accesses, self.mentioned.clone());
        let mut left = self.unary()?;
        loop {
            let token = self.cursor.peek();
            let Some((operator, level)) = binary_operator(token.text).filter(|(_, level)| *level >= least) else {
                break;
            };
            self.cursor.next();
            self.cursor.count_operator()?;
            if matches!(operator, BinaryOperator::And | BinaryOperator::Or) {
                let aside = self.set_aside(left)?;
                let right = self.binary(level + 1)?;
                left = self.skipping(operator, *aside, right, (before, &mentioned))?;
                continue;
            }
            // The left operand's own access comes before those of the right one.
            let left_reads = u32::from(matches!(left.operand, Operand::Cell(_)));
            self.accesses += left_reads;
            let right = self.binary(level + 1)?;
            self.accesses -= left_reads;
            left = self.combine(operator, left, right)?;
        }
        self.cursor.leave();
        Ok(left)
    }

    /// Sets aside what there is before the right operand of `&&` or `||`, which is done only if the left one does not decide.
    #[inline(never)]
    fn set_aside(&mut self, left: Typed) -> Parse<Box<Aside>> {
        let start = left.span;
        let left = self.value_of(left)?;
        let prelude = std::mem::take(&mut self.prelude);
        let accesses = std::mem::take(&mut self.accesses);
        // The left operand is done by then, so what it mentions may change.
        let mentioned = std::mem::take(&mut self.mentioned);
        Ok(Box::new(Aside { left, start, prelude, accesses, mentioned }))
    }

    /// `left && right` or `left || right`. If the right operand wants something done before it, the whole is an `if` before the statement
    /// being read. `outer` is what there was in the expression before the left operand.
    #[inline(never)]
    fn skipping(
        &mut self,
        operator: BinaryOperator,
        aside: Aside,
        right: Typed,
        outer: (u32, &FxHashMap<RegisterId, (u32, bool)>),
    ) -> Parse<Typed> {
        let Aside { left, start, prelude, accesses, mentioned } = aside;
        let right = self.value_of(right)?;
        let span = self.cursor.since(start);
        self.accesses += accesses;
        let inner = std::mem::replace(&mut self.prelude, prelude);
        for (register, (uses, changed)) in std::mem::replace(&mut self.mentioned, mentioned) {
            if changed && outer.1.contains_key(&register) {
                return self.changed_elsewhere(span);
            }
            let known = self.mentioned.entry(register).or_default();
            *known = (known.0 + uses, known.1 || changed);
        }
        let value = if inner.is_empty() {
            Expression::Binary(operator, Box::new(left), Box::new(right))
        } else {
            let register = self.fresh("both", Integer::Int32)?;
            let made = |kind| Statement { kind, span };
            let decides = |value| StatementKind::Assign { register, value: truth(value) };
            let mut then = inner;
            then.push(made(decides(right)));
            let held = Expression::Register(register);
            let condition = if operator == BinaryOperator::And { held.clone() } else { negate(held.clone()) };
            let choice = StatementKind::If { condition, then, otherwise: Vec::new() };
            self.hoist(vec![made(decides(left)), made(choice)], outer.0, span)?;
            held
        };
        Ok(Typed { operand: Operand::Value(value), kind: Type::NUMBER, span })
    }

    #[inline(never)]
    fn combine(&mut self, operator: BinaryOperator, left: Typed, right: Typed) -> Parse<Typed> {
        let span = join(left.span, right.span);
        let kind = match (operator, left.kind.is_pointer(), right.kind.is_pointer()) {
            (BinaryOperator::Add | BinaryOperator::Subtract, true, false) => left.kind,
            (BinaryOperator::Add, false, true) => right.kind,
            (BinaryOperator::Subtract, true, true) => Type::number(Integer::Int64),
            (_, false, false) => return self.combine_numbers(operator, left, right),
            (operator, ..) if compares(operator) => Type::NUMBER,
            _ => FULL,
        };
        let operand = match (left, right, operator) {
            (Typed { operand: Operand::Pointer(pointer), .. }, index, BinaryOperator::Add)
            | (index, Typed { operand: Operand::Pointer(pointer), .. }, BinaryOperator::Add)
                if kind.is_pointer() =>
            {
                let index = self.value_of(index)?;
                Operand::Pointer(offset(pointer, index))
            }
            (Typed { operand: Operand::Pointer(pointer), .. }, index, BinaryOperator::Subtract)
                if kind.is_pointer() =>
            {
                let index = self.value_of(index)?;
                let index = negated(index, Integer::Int64);
                Operand::Pointer(offset(pointer, index))
            }
            (left, right, operator) => {
                let left = self.value_of(left)?;
                let right = self.value_of(right)?;
                let operator = if compares(operator) { operator } else { far(operator) };
                Operand::Value(Expression::Binary(operator, Box::new(left), Box::new(right)))
            }
        };
        Ok(Typed { operand, kind: kind.value(), span })
    }

    /// An operator on two numbers, in the type that C computes it in.
    #[inline(never)]
    fn combine_numbers(&mut self, operator: BinaryOperator, left: Typed, right: Typed) -> Parse<Typed> {
        let span = join(left.span, right.span);
        let (own, other) = (left.kind.integer(), right.kind.integer());
        let is_shift = is_shift(operator);
        let common = if is_shift { own.promoted() } else { own.common(other) };
        let left = self.value_as(left, Type::number(common))?;
        let right = match is_shift {
            true => self.value_of(right)?,
            false => self.value_as(right, Type::number(common))?,
        };
        let typed = operator.in_type(common);
        // Where the operator does not say in what type it computes, its operands do.
        let (left, right) = match (own_type(&left, own), own_type(&right, other)) {
            _ if typed != operator => (left, right),
            (own, other) if own.common(other) == common => (left, right),
            _ if matches!(left, Expression::Constant(_)) => (typed_constant(left, common), right),
            _ => (left, typed_constant(right, common)),
        };
        let value = Expression::Binary(typed, Box::new(left), Box::new(right));
        let kind = if compares(operator) { Type::NUMBER } else { Type::number(common) };
        Ok(Typed { operand: Operand::Value(value), kind, span })
    }

    /// A number that is written down, with what stands before it: `-` or nothing.
    #[inline(never)]
    fn literal(&mut self, negative: bool) -> Parse<Typed> {
        let token = self.cursor.peek();
        let value = self.cursor.number()?;
        let mut integer = types::of_literal(token.text, value);
        let value = if negative { integer.convert(value.wrapping_neg()) } else { value };
        // `-9223372036854775808`, of which C reads the number first.
        if negative && value == Value::MIN && !token.text.contains(['u', 'U', 'x', 'X']) {
            integer = Integer::Int64;
        }
        let operand = Operand::Value(Expression::Constant(value));
        Ok(Typed { operand, kind: Type::number(integer), span: token.span })
    }

    fn unary(&mut self) -> Parse<Typed> {
        self.cursor.enter()?;
        let token = self.cursor.peek();
        let typed = match token.text {
            "-" if self.cursor.ahead(1).kind == Kind::Number => {
                self.cursor.next();
                Typed { span: self.cursor.since(token.span), ..self.literal(true)? }
            }
            "!" => {
                self.cursor.next();
                let typed = self.unary()?;
                let value = Expression::Unary(UnaryOperator::Not, Box::new(self.value_of(typed)?));
                Typed { operand: Operand::Value(value), kind: Type::NUMBER, span: self.cursor.since(token.span) }
            }
            "-" | "~" | "+" => {
                self.cursor.next();
                let typed = self.unary()?;
                self.signed(token, typed)?
            }
            "sizeof" => self.size()?,
            "*" => {
                self.cursor.next();
                let typed = self.unary()?;
                let kind = typed.kind.pointee();
                let place = self.pointee(typed)?;
                Typed { operand: Operand::Cell(place), kind, span: self.cursor.since(token.span) }
            }
            "&" => {
                self.cursor.next();
                let typed = self.unary()?;
                let kind = typed.kind.pointer_to();
                let operand = match typed.operand {
                    Operand::Cell(Place { kind: PlaceKind::Element { object, index }, .. }) => {
                        Operand::Pointer(Pointer { object, index })
                    }
                    Operand::Cell(Place { kind: PlaceKind::Pointee(address), .. }) => Operand::Value(address),
                    Operand::Local(_) => {
                        let message =
                            "the address of a local variable is not supported: other threads can't see the variable";
                        let help = Some("share the variable: make it a parameter");
                        return self.cursor.fail(typed.span, message, help);
                    }
                    _ => {
                        let help = Some("parameters are addresses already; `&` is for elements, such as `&q[1]`");
                        return self.cursor.fail(typed.span, "the address of this can't be taken", help);
                    }
                };
                Typed { operand, kind, span: self.cursor.since(token.span) }
            }
            "++" | "--" => {
                self.cursor.next();
                let typed = self.unary()?;
                self.step(typed, token, true)?
            }
            "(" if self.cursor.ahead(1).kind == Kind::Word && is_type(self.cursor.ahead(1).text) => {
                self.cursor.next();
                let cast = self.type_name("a type")?;
                self.cursor.expect(")", "after the type")?;
                let typed = self.unary()?;
                self.cast(cast, typed, token.span)?
            }
            _ => self.postfix()?,
        };
        self.cursor.leave();
        Ok(typed)
    }

    /// `-e`, `~e` or `+e`, where `e` was read.
    #[inline(never)]
    fn signed(&mut self, sign: Token<'t>, typed: Typed) -> Parse<Typed> {
        let kind = Type::number(typed.kind.integer().promoted());
        let value = self.value_of(typed)?;
        let value = match sign.text {
            "+" => value,
            "-" => negated(value, kind.base),
            _ => {
                let flipped = Expression::Unary(UnaryOperator::Complement, Box::new(value));
                // With a sign, it has all its bits turned around up to the highest.
                if kind.base.is_signed() { flipped } else { converted(flipped, FULL, kind) }
            }
        };
        Ok(Typed { operand: Operand::Value(value), kind, span: self.cursor.since(sign.span) })
    }

    /// `(type)e`, where `e` was read.
    #[inline(never)]
    fn cast(&mut self, cast: Type, typed: Typed, start: Span) -> Parse<Typed> {
        let (kind, span) = (cast.value(), self.cursor.since(start));
        if typed.kind.is_pointer() && !kind.is_pointer() && kind.base.bits() < 64 && kind.base != Integer::Bool {
            let message = format!("an address does not fit into `{}`: it keeps its 64 bits", kind.base.name());
            self.cursor.note(Severity::Warning, span, message, Some("cast it to `intptr_t`"));
        }
        if !matches!(typed.operand, Operand::Pointer(_)) || !kind.is_pointer() {
            let from = typed.kind;
            let value = converted(self.value_of(typed)?, from, kind);
            return Ok(Typed { operand: Operand::Value(labelled(value, from, kind)), kind, span });
        }
        Ok(Typed { operand: typed.operand, kind, span })
    }

    /// `r++` or `--r` inside an expression: the variable is changed before the statement being read.
    #[inline(never)]
    fn step(&mut self, target: Typed, token: Token, first: bool) -> Parse<Typed> {
        let span = if first { self.cursor.since(token.span) } else { self.cursor.since(target.span) };
        let operator = step(token).unwrap_or(BinaryOperator::Add);
        self.cursor.count_operator()?;
        let kind = target.kind;
        let value = match target.operand {
            Operand::Local(register) => {
                let (uses, changed) = self.mentioned.entry(register).or_default();
                *changed = true;
                if *uses > 1 {
                    return self.changed_elsewhere(span);
                }
                let own = Expression::Register(register);
                let changed = self.combine(operator, target, one(span))?;
                let changed = self.value_as(changed, kind)?;
                let made = |register, value| Statement { kind: StatementKind::Assign { register, value }, span };
                if first {
                    self.prelude.push(made(register, changed));
                    own
                } else {
                    let old = self.fresh("old", kind.integer())?;
                    self.prelude.extend([made(old, own), made(register, changed)]);
                    Expression::Register(old)
                }
            }
            Operand::Cell(place) if kind.is_atomic() => {
                let update =
                    if operator == BinaryOperator::Add { UpdateOperator::Add } else { UpdateOperator::Subtract };
                let held = self.held(&place, kind);
                let number = Expression::Constant(1);
                let update = AccessKind::Update { operator: update, operand: number.clone(), integer: held.integer() };
                self.accesses += 1;
                let access = Access { kind: update, place, mode: Mode::SequentiallyConsistent, span };
                let old = Expression::Access(Box::new(access));
                let yielded = if first {
                    // What was written, which wraps.
                    let wide = Expression::Binary(operator, Box::new(old), Box::new(number));
                    converted(wide, FULL, held)
                } else {
                    old
                };
                converted(yielded, held, kind)
            }
            _ => {
                let help = Some("write it as a statement of its own");
                return self.cursor.fail(span, "only local variables and atomics change inside expressions", help);
            }
        };
        Ok(Typed { operand: Operand::Value(value), kind: kind.value(), span })
    }

    fn changed_elsewhere<T>(&mut self, span: Span) -> Parse<T> {
        let message = "the same expression changes this variable elsewhere, and C does not say which comes first";
        self.cursor.fail(span, message, Some("change it in a statement of its own"))
    }

    fn postfix(&mut self) -> Parse<Typed> {
        let start = self.cursor.position();
        let mut typed = self.subscripted()?;
        while start != self.bare && step(self.cursor.peek()).is_some() {
            let token = self.cursor.next();
            typed = self.step(typed, token, false)?;
        }
        Ok(typed)
    }

    fn subscripted(&mut self) -> Parse<Typed> {
        let mut typed = self.primary()?;
        while self.cursor.at("[") || self.cursor.at(".") || self.cursor.at("->") {
            let token = self.cursor.next();
            if !token.is("[") {
                return self.cursor.fail(token.span, "structures are not supported", Some("use several variables"));
            }
            if !typed.kind.is_pointer() {
                let help = Some("an index comes after a parameter or a local pointer, such as `x[1]`");
                return self.cursor.fail(typed.span, "this is not an array", help);
            }
            self.cursor.count_operator()?;
            let index = self.value()?;
            self.cursor.expect("]", "after the index")?;
            let span = self.cursor.since(typed.span);
            let kind = typed.kind.pointee();
            let place = match typed.operand {
                Operand::Pointer(pointer) => {
                    let Pointer { object, index } = offset(pointer, index);
                    Place::element(object, index, span)
                }
                _ => {
                    let pointer = Box::new(self.value_of(typed)?);
                    let address = Expression::Binary(far(BinaryOperator::Add), pointer, Box::new(index));
                    Place { kind: PlaceKind::Pointee(address), span }
                }
            };
            typed = Typed { operand: Operand::Cell(place), kind, span };
        }
        Ok(typed)
    }

    fn primary(&mut self) -> Parse<Typed> {
        let token = self.cursor.peek();
        let value = |value: Value| Operand::Value(Expression::Constant(value));
        let mut kind = Type::NUMBER;
        let operand = match token.kind {
            Kind::Number => {
                let typed = self.literal(false)?;
                kind = typed.kind;
                typed.operand
            }
            Kind::Symbol if token.is("(") => {
                self.cursor.next();
                let before = self.accesses;
                let inner = self.expression()?;
                kind = inner.kind;
                let assigned = self.cursor.peek();
                if let (Operand::Local(register), true) =
                    (&inner.operand, assigned.is("=") || compound_operator(assigned.text).is_some())
                {
                    let register = *register;
                    self.cursor.next();
                    let mut done = std::mem::take(&mut self.prelude);
                    let outer = (self.accesses, self.mentioned.clone());
                    self.assign(inner.span, inner, compound_operator(assigned.text), None, &mut done)?;
                    (self.accesses, self.mentioned) = outer;
                    let (uses, changed) = self.mentioned.entry(register).or_default();
                    *changed = true;
                    if *uses > 1 {
                        return self.changed_elsewhere(self.cursor.since(token.span));
                    }
                    let reads = done.iter().any(|statement| match &statement.kind {
                        StatementKind::Assign { value, .. } => value.has_access(),
                        _ => true,
                    });
                    self.accesses += u32::from(reads);
                    self.hoist(done, before, self.cursor.since(token.span))?;
                    self.close_parenthesis()?;
                    Operand::Local(register)
                } else {
                    self.close_parenthesis()?;
                    inner.operand
                }
            }
            Kind::Word if self.cursor.ahead(1).is("(") => {
                let value;
                (value, kind) = self.call()?;
                Operand::Value(value)
            }
            Kind::Word => {
                if let Some(local) = self.locals.get(token.text) {
                    if !local.visible {
                        let message = format!("`{}` is declared in another block", shortened(token.text));
                        let help = Some("declare it before the block");
                        return self.cursor.fail(token.span, message, help);
                    }
                    self.cursor.next();
                    kind = local.kind.value();
                    let register = local.register;
                    let (uses, changed) = self.mentioned.entry(register).or_default();
                    *uses += 1;
                    if *changed {
                        return self.changed_elsewhere(token.span);
                    }
                    Operand::Local(register)
                } else if let Some(parameter) = self.parameters.get(token.text) {
                    self.cursor.next();
                    kind = parameter.kind;
                    if parameter.is_reference {
                        kind = kind.pointee();
                        Operand::Cell(Place::element(parameter.object, None, token.span))
                    } else {
                        Operand::Pointer(Pointer { object: parameter.object, index: None })
                    }
                } else if token.is("true") || token.is("false") {
                    self.cursor.next();
                    value(Value::from(token.is("true")))
                } else {
                    return self.unknown_name(token);
                }
            }
            _ => return self.cursor.unexpected("an expression"),
        };
        Ok(Typed { operand, kind, span: self.cursor.since(token.span) })
    }

    /// `sizeof(int)`, or of an expression, which is not evaluated.
    #[inline(never)]
    fn size(&mut self) -> Parse<Typed> {
        let start = self.cursor.next().span;
        let name = self.cursor.ahead(1);
        let kind = if self.cursor.at("(") && name.kind == Kind::Word && is_type(name.text) {
            self.cursor.next();
            let kind = self.type_name("a type")?;
            self.cursor.expect(")", "after the type")?;
            kind
        } else {
            let before = (self.prelude.len(), self.accesses, self.mentioned.clone());
            let typed = self.unary()?;
            self.prelude.truncate(before.0);
            (self.accesses, self.mentioned) = (before.1, before.2);
            typed.kind
        };
        let value = Expression::Constant(Value::from(kind.integer().bits() / 8));
        let kind = Type::number(Integer::UInt64);
        Ok(Typed { operand: Operand::Value(value), kind, span: self.cursor.since(start) })
    }

    fn unknown_name<T>(&mut self, token: Token<'t>) -> Parse<T> {
        let name = shortened(token.text);
        if self.cursor.ahead(1).kind == Kind::Word {
            return self.unknown_type(token);
        }
        if self.objects.get(token.text).is_some() {
            let thread = self.thread_index();
            let help = format!("add it to the parameters of P{thread}: `atomic_int* {name}`");
            let message = format!("`{name}` is shared, but no parameter of this thread");
            return self.cursor.fail(token.span, message, Some(&help));
        }
        let help = format!("declare it, `int {name} = ...;`, or make it a parameter, `atomic_int* {name}`");
        self.cursor.fail(token.span, format!("`{name}` is not declared"), Some(&help))
    }

    /// A function that yields a value.
    fn call(&mut self) -> Parse<(Expression, Type)> {
        if let Some(called) = self.call_function()? {
            return Ok(called);
        }
        let before = self.accesses;
        let token = self.cursor.next();
        let mut shared_expected = None;
        let (name, explicit) = match token.text.strip_suffix("_explicit") {
            Some(name) => (name, true),
            None => (token.text, false),
        };
        let load = |mode: Mode| !mode.is_release() || mode.is_sc();
        let (place, of, mode, kind);
        let mut of_expected = Type::NUMBER;
        if name == "atomic_load" {
            self.cursor.next();
            (place, of) = self.pointer_argument()?;
            mode = self.order(explicit, "a load", load)?;
            kind = AccessKind::Read;
        } else if token.is("smp_load_acquire") {
            self.cursor.next();
            (place, of) = self.pointer_argument()?;
            (mode, kind) = (Mode::Acquire, AccessKind::Read);
        } else if name == "atomic_flag_test_and_set" {
            self.cursor.next();
            (place, of) = self.pointer_argument()?;
            mode = self.order(explicit, "a read-modify-write", |_| true)?;
            let (operator, operand) = (UpdateOperator::Exchange, Expression::Constant(1));
            kind = AccessKind::Update { operator, operand, integer: self.held(&place, of).integer() };
        } else if token.is("READ_ONCE") {
            self.cursor.next();
            (place, of) = self.cell_argument()?;
            (mode, kind) = (Mode::Relaxed, AccessKind::Read);
        } else if let Some(operator) = fetch_operator(name) {
            self.cursor.next();
            (place, of) = self.pointer_argument()?;
            self.cursor.expect(",", "after the pointer")?;
            let typed = self.expression()?;
            let operand = self.operand(typed, operator, &place, of)?;
            mode = self.order(explicit, "a read-modify-write", |_| true)?;
            kind = AccessKind::Update { operator, operand, integer: self.held(&place, of).integer() };
        } else if matches!(name, "atomic_compare_exchange_strong" | "atomic_compare_exchange_weak") {
            let weak = name.ends_with("weak");
            if weak {
                let message = "this weak compare-and-swap is explored as a strong one, unless you ask for spurious \
                               failures: it fails only if it reads another value than expected";
                self.cursor.note(Severity::Note, token.span, message, None);
            }
            self.cursor.next();
            let pointee;
            (place, pointee) = self.pointer_argument()?;
            // It yields whether it succeeds.
            of = Type::NUMBER;
            let held = self.held(&place, pointee);
            self.cursor.expect(",", "after the pointer")?;
            let expected;
            (expected, shared_expected) = self.expected(held)?;
            self.cursor.expect(",", "after the expected value")?;
            let typed = self.expression()?;
            let desired = self.value_as(typed, held)?;
            of_expected = held;
            mode = self.order(explicit, "a compare-and-swap", |_| true)?;
            let failure = self.order(explicit, "a failed compare-and-swap", load)?;
            let result = CasResult::Success(expected);
            let expected = Expression::Register(expected);
            kind = AccessKind::CompareAndSwap { expected, desired, failure, weak, result };
        } else {
            return self.unknown_function(token);
        }
        self.close_parenthesis()?;
        let span = self.cursor.since(token.span);
        self.accesses += 1;
        let held = self.held(&place, of);
        let result = match &kind {
            AccessKind::CompareAndSwap { result: CasResult::Success(register), .. } => Some(*register),
            _ => None,
        };
        let access = Expression::Access(Box::new(Access { kind, place, mode, span }));
        let Some(register) = result else { return Ok((converted(access, held, of), of.value())) };
        let Some((back, own)) = shared_expected else { return Ok((access, of)) };
        // The expected value is read first, and written back if it was another one.
        let made = |kind| Statement { kind, span };
        let success = self.fresh("success", Integer::Int32)?;
        let value = Expression::Register(register);
        let (read, back) = match back {
            Back::Local(local) => {
                let value = converted(value, of_expected, own);
                (Expression::Register(local), StatementKind::Assign { register: local, value })
            }
            Back::Shared(place) => {
                let (mode, span) = (own.mode(), place.span);
                let read = Access { kind: AccessKind::Read, place: place.clone(), mode, span };
                let held = self.held(&place, own);
                let value = converted(value, of_expected, held);
                (converted(Expression::Access(Box::new(read)), held, own), StatementKind::Write { place, mode, value })
            }
        };
        let statements = vec![
            made(StatementKind::Assign { register, value: converted(read, own, of_expected) }),
            made(StatementKind::Assign { register: success, value: access }),
            made(StatementKind::If {
                condition: negate(Expression::Register(success)),
                then: vec![made(back)],
                otherwise: Vec::new(),
            }),
        ];
        self.hoist(statements, before, span)?;
        Ok((Expression::Register(success), Type::NUMBER))
    }

    /// The second argument of a compare-and-swap: a register and, if the value is not its own, where it is shared.
    fn expected(&mut self, held: Type) -> Parse<Expected> {
        let start = self.cursor.peek().span;
        let name = self.cursor.ahead(1);
        if self.cursor.at("&") && self.locals.contains_key(name.text) && !self.cursor.ahead(2).is("[") {
            self.cursor.next();
            let typed = self.unary()?;
            if let Operand::Local(register) = typed.operand {
                if typed.kind.integer() == held.integer() {
                    return Ok((register, None));
                }
                let message = format!(
                    "the value expected has the type `{}`, and what it is compared with `{}`: it is converted",
                    typed.kind.integer().name(),
                    held.integer().name()
                );
                self.cursor.note(Severity::Warning, typed.span, message, Some("C wants both to have one type"));
                let own = self.fresh("expected", held.integer())?;
                return Ok((own, Some((Back::Local(register), typed.kind.value()))));
            }
        } else if let Some(value) = self.literal_array()? {
            // What a failure would write there, nobody can read.
            let register = self.fresh("expected", held.integer())?;
            let value = Expression::Constant(held.integer().convert(value));
            let kind = StatementKind::Assign { register, value };
            self.prelude.push(Statement { kind, span: self.cursor.since(start) });
            return Ok((register, None));
        } else if let Some(object) = self.unpassed() {
            let place = Place::element(object, None, self.cursor.since(start));
            let own = Type::of(self.objects.list[object.0 as usize].integer);
            let register = self.fresh("expected", held.integer())?;
            return Ok((register, Some((Back::Shared(place), own))));
        } else {
            let typed = self.expression()?;
            if typed.kind.is_pointer() {
                let kind = typed.kind.pointee();
                let place = self.pointee(typed)?;
                if place.operand().is_some_and(Expression::has_access) {
                    let help = Some("read the pointer into a local variable first");
                    let message = "a shared access in a pointer that is used twice is not supported";
                    return self.cursor.fail(place.span, message, help);
                }
                let register = self.fresh("expected", held.integer())?;
                return Ok((register, Some((Back::Shared(place), kind))));
            }
        }
        let help = Some("write `&e` with a local variable, `int e = 0;` before it");
        self.cursor.fail(start, "expected the address of a variable with the expected value", help)
    }

    /// The value of `(int[]){0}` or `{0}`.
    fn literal_array(&mut self) -> Parse<Option<Value>> {
        let is_cast = self.cursor.at("(") && is_type(self.cursor.ahead(1).text);
        if !is_cast && !self.cursor.at("{") {
            return Ok(None);
        }
        if is_cast {
            let before = self.cursor.position();
            self.cursor.next();
            self.type_name("a type")?;
            if self.cursor.eat("[").is_none() {
                self.cursor.go_to(before);
                return Ok(None);
            }
            if self.cursor.peek().kind == Kind::Number {
                self.cursor.next();
            }
            self.cursor.expect("]", "after the array's length")?;
            self.cursor.expect(")", "after the type")?;
        }
        self.cursor.expect("{", "before the value")?;
        let value = self.cursor.signed()?;
        self.cursor.expect("}", "after the value")?;
        Ok(Some(value))
    }

    /// Something shared that is no parameter of the thread, `zero` or `&zero`: only the initial values name it.
    fn unpassed(&mut self) -> Option<ObjectId> {
        let reference = usize::from(self.cursor.at("&"));
        let name = self.cursor.ahead(reference);
        let is_known = self.locals.contains_key(name.text) || self.parameters.contains_key(name.text);
        let object = self.objects.get(name.text).filter(|_| !is_known && self.cursor.ahead(reference + 1).is(","))?;
        (0..=reference).for_each(|_| {
            self.cursor.next();
        });
        Some(object)
    }

    fn unknown_function<T>(&mut self, token: Token<'t>) -> Parse<T> {
        let name = shortened(token.text);
        if NO_VALUE.contains(&token.text) || lock_function(token.text).is_some() {
            return self.cursor.fail(token.span, format!("`{name}` returns no value"), Some("write it as a statement"));
        }
        let instead = match token.text {
            "smp_mb" => Some("`atomic_thread_fence(memory_order_seq_cst)`"),
            "smp_wmb" => Some("`atomic_thread_fence(memory_order_release)`, which orders earlier reads too"),
            "smp_rmb" => Some("`atomic_thread_fence(memory_order_acquire)`, which orders later writes too"),
            "rcu_read_lock" | "rcu_read_unlock" | "synchronize_rcu" | "rcu_dereference" | "rcu_assign_pointer" => {
                Some("nothing: C11 has no RCU")
            }
            "xchg" | "cmpxchg" | "atomic_read" | "atomic_set" | "atomic_inc" | "atomic_dec" | "atomic_add" => {
                Some("C11's functions, such as `atomic_exchange`")
            }
            _ => None,
        };
        if let Some(instead) = instead {
            let message = format!("`{name}` belongs to the Linux kernel, whose memory model (LKMM) is not supported");
            return self.cursor.fail(token.span, message, Some(&format!("in C11 that is {instead}")));
        }
        if token.text.contains("trylock") {
            let message = format!("`{name}` is not a function of C11");
            let help = Some("write a loop around `atomic_exchange` instead");
            return self.cursor.fail(token.span, message, help);
        }
        let help = "there are atomic_load, atomic_store, atomic_exchange, atomic_fetch_add, _sub, _and, _or, _xor, _max, _min, \
                    atomic_compare_exchange_strong and _weak, atomic_flag_test_and_set and _clear, all with _explicit, \
                    atomic_init, atomic_thread_fence, mtx_lock and mtx_unlock";
        self.cursor.fail(token.span, format!("there is no function `{name}`"), Some(help))
    }
}

/// All 64 bits, which no conversion changes.
const FULL: Type = Type::number(Integer::Int64);

/// A value of one type as one of another. Addresses stay what they are, unless they become truth values.
fn converted(value: Expression, from: Type, to: Type) -> Expression {
    let to = to.integer();
    if to.keeps(from.integer()) || from.is_pointer() && to != Integer::Bool {
        return value;
    }
    match value {
        Expression::Constant(value) => Expression::Constant(to.convert(value)),
        value => Expression::Unary(UnaryOperator::Convert(to), Box::new(value)),
    }
}

/// A value that was converted, such that it says its type also where that does not change it.
fn labelled(value: Expression, from: Type, to: Type) -> Expression {
    let to = to.integer();
    match value {
        Expression::Constant(_) => value,
        Expression::Unary(UnaryOperator::Convert(own), _) if own == to => value,
        _ if from.is_pointer() || from.integer() == to => value,
        _ => Expression::Unary(UnaryOperator::Convert(to), Box::new(value)),
    }
}

/// The type that an operand shows: of a number, what it has without a suffix.
fn own_type(operand: &Expression, integer: Integer) -> Integer {
    match operand {
        Expression::Constant(value) if Integer::Int32.convert(*value) == *value => Integer::Int32,
        Expression::Constant(_) => Integer::Int64,
        Expression::Unary(UnaryOperator::Convert(to), _) => *to,
        _ => integer,
    }
}

/// A number that says its type.
fn typed_constant(operand: Expression, integer: Integer) -> Expression {
    match operand {
        Expression::Constant(_) => Expression::Unary(UnaryOperator::Convert(integer), Box::new(operand)),
        operand => operand,
    }
}

/// `-value` in a type.
fn negated(value: Expression, integer: Integer) -> Expression {
    if let Expression::Constant(value) = value
        && let Ok(value) = integer.apply(Arithmetic::Subtract, 0, value)
    {
        return Expression::Constant(value);
    }
    Expression::Binary(BinaryOperator::Subtract.in_type(integer), Box::new(Expression::Constant(0)), Box::new(value))
}

/// 1 for what is not 0.
fn truth(value: Expression) -> Expression {
    Expression::Binary(BinaryOperator::NotEqual, Box::new(value), Box::new(Expression::Constant(0)))
}

/// What `++` adds.
fn one(span: Span) -> Typed {
    Typed { operand: Operand::Value(Expression::Constant(1)), kind: Type::NUMBER, span }
}

/// An operator on distances between addresses.
fn far(operator: BinaryOperator) -> BinaryOperator {
    operator.in_type(Integer::Int64)
}

fn offset(pointer: Pointer, index: Expression) -> Pointer {
    let index = match pointer.index {
        Some(before) => Expression::Binary(far(BinaryOperator::Add), Box::new(before), Box::new(index)),
        None => index,
    };
    Pointer { index: Some(index), ..pointer }
}

/// Words that name neither a variable nor a parameter.
const RESERVED: [&str; 23] = [
    "if",
    "else",
    "while",
    "do",
    "for",
    "break",
    "continue",
    "goto",
    "return",
    "switch",
    "case",
    "default",
    "true",
    "false",
    "assert",
    "locations",
    "filter",
    "exists",
    "forall",
    "not",
    "static",
    "struct",
    "sizeof",
];

/// Writes a program.
///
/// # Errors
/// [`Unprintable`] for what C has no words for, and names that are C's own.
pub(super) fn print(program: &Program) -> Result<String, Unprintable> {
    if program.has_handlers() {
        return Err(Unprintable("herd's C has no handlers".to_owned()));
    }
    // Threads are counted here, whatever another notation calls them.
    let mut program = program.clone();
    program.threads.iter_mut().for_each(|thread| thread.name = None);
    if program.notation != Notation::C11 {
        give_types(&mut program);
        program.notation = Notation::C11;
    }
    let program = &program;
    check_names(program)?;
    let tail = herd::print_tail(program)?;
    let mut bodies = String::new();
    let mut appearances = Vec::new();
    for (index, thread) in program.threads.iter().enumerate() {
        // What a thread uses, and whether without atomicity, is what its parameters say.
        let mut used: Vec<Option<bool>> = vec![None; program.objects.len()];
        herd::mentions(&thread.body, &mut |mention| {
            let (object, plain) = match mention {
                Mention::Object(object, mode) => (object, mode == Mode::NonAtomic),
                Mention::Address(object) => (object, false),
                Mention::Register(_) | Mention::Pointer(_) | Mention::Number(_) => return,
            };
            if let Some(used) = used.get_mut(object.0 as usize) {
                *used = Some(used.unwrap_or(false) || plain);
            }
        });
        let mut parameters = Vec::new();
        for (object, plain) in used.iter().enumerate() {
            if let Some(plain) = plain {
                appearances.push(object);
                let object = &program.objects[object];
                let kind = if *plain { object.integer.name() } else { object.integer.atomic_name() };
                parameters.push(format!("{kind}* {}", object.name));
            }
        }
        bodies.push_str(&format!("\nP{index} ({}) {{\n", parameters.join(", ")));
        let declared = herd::initialised_registers(thread);
        let mut printer = Printer { program, thread, declared, text: String::new() };
        printer.body(&thread.body)?;
        printer.declare_up_to(thread.registers.len(), "  ");
        for line in printer.text.lines() {
            // `(*x == *(int*)p)` would be read as one of herd's comments.
            let comment = line.find("(*").is_some_and(|at| line[at..].contains("*)"));
            bodies.push_str(&if comment { line.replace("(*", "( *") } else { line.to_owned() });
            bodies.push('\n');
        }
        bodies.push_str("}\n");
    }
    appearances.extend(herd::tail_objects(program));
    let objects = herd::prefix(program.objects.len(), herd::initialised_objects(program), appearances.into_iter());
    let registers: Vec<usize> = program.threads.iter().map(herd::initialised_registers).collect();
    let initial = herd::print_initial_values(program, objects, &registers);
    Ok(format!("C {}\n\n{initial}\n{bodies}{tail}\n", herd::print_name(program)))
}

/// Gives a program of a notation without types those that hold its numbers: `int` if all that it names fit. What is used as a
/// pointer is one.
fn give_types(program: &mut Program) {
    let mut fits = true;
    let mut see = |value: Value| fits &= Integer::Int32.convert(value) == value || Address::of(value).is_some();
    let objects = program.objects.iter().flat_map(|object| &object.initial);
    objects.chain(program.threads.iter().flat_map(|thread| &thread.initial)).for_each(|value| see(*value));
    for thread in &program.threads {
        herd::mentions(&thread.body, &mut |mention| {
            if let Mention::Number(value) = mention {
                see(value);
            }
        });
    }
    let integer = if fits { Integer::Int32 } else { Integer::Int64 };
    program.objects.iter_mut().for_each(|object| object.integer = integer);
    for thread in &mut program.threads {
        thread.integers = vec![integer; thread.registers.len()];
        let (body, integers) = (&thread.body, &mut thread.integers);
        herd::mentions(body, &mut |mention| {
            if let Mention::Pointer(register) = mention {
                integers[usize::from(register.0)] = Integer::Address;
            }
        });
    }
}

fn check_names(program: &Program) -> Result<(), Unprintable> {
    let check = |name: &str| {
        let taken = RESERVED.contains(&name) || is_type(name);
        if taken || !herd::is_name(name) {
            return Err(Unprintable(format!("`{name}` can't be a name in C; rename it")));
        }
        Ok(())
    };
    for object in &program.objects {
        check(&object.name)?;
    }
    let objects: FxHashSet<&str> = program.objects.iter().map(|object| object.name.as_str()).collect();
    for thread in &program.threads {
        let mut taken = objects.clone();
        for register in &thread.registers {
            check(register)?;
            if !taken.insert(register) {
                return Err(Unprintable(format!("`{register}` would name two things in C; rename one")));
            }
        }
    }
    Ok(())
}

struct Printer<'p> {
    program: &'p Program,
    thread: &'p Thread,
    /// How many registers have been declared so far: always the first ones, so that reading numbers them the same.
    declared: usize,
    text: String,
}

impl Printer<'_> {
    fn register(&self, register: RegisterId) -> &str {
        &self.thread.registers[register.0 as usize]
    }

    /// The type that a register is declared with, but for its star.
    fn integer(&self, register: usize) -> Integer {
        match self.thread.integer(RegisterId(register as u16)) {
            Integer::Address => Integer::Int32,
            integer => integer,
        }
    }

    fn star(&self, register: usize) -> &'static str {
        let is_pointer = self.thread.integer(RegisterId(register as u16)) == Integer::Address;
        if is_pointer { "*" } else { "" }
    }

    fn declare_up_to(&mut self, count: usize, indent: &str) {
        if count > self.declared {
            // Side by side, those of one type.
            while self.declared < count {
                let integer = self.integer(self.declared);
                let same = (self.declared..count).take_while(|register| self.integer(*register) == integer);
                let names: Vec<String> = same
                    .map(|register| format!("{}{}", self.star(register), self.thread.registers[register]))
                    .collect();
                self.text.push_str(&format!("{indent}{} {};\n", integer.name(), names.join(", ")));
                self.declared += names.len();
            }
        }
    }

    /// The thread's own statements: registers are declared by the assignment that is their first mention, or else before
    /// it.
    fn body(&mut self, body: &[Statement]) -> Result<(), Unprintable> {
        for statement in body {
            let (mut count, mut declares) = (0, false);
            if let StatementKind::Assign { register, value } = &statement.kind {
                herd::expression_mentions(value, &mut |mention| {
                    if let Mention::Register(register) = mention {
                        count = count.max(register.0 as usize + 1);
                    }
                });
                declares = register.0 as usize == self.declared.max(count);
                if !declares {
                    count = count.max(register.0 as usize + 1);
                }
            } else {
                herd::mentions(std::slice::from_ref(statement), &mut |mention| {
                    if let Mention::Register(register) = mention {
                        count = count.max(register.0 as usize + 1);
                    }
                });
            }
            self.declare_up_to(count, "  ");
            self.statement(statement, 1, declares)?;
            self.declared += usize::from(declares);
        }
        Ok(())
    }

    fn block(&mut self, body: &[Statement], level: usize) -> Result<(), Unprintable> {
        body.iter().try_for_each(|statement| self.statement(statement, level, false))
    }

    fn statement(&mut self, statement: &Statement, level: usize, declares: bool) -> Result<(), Unprintable> {
        let indent = "  ".repeat(level);
        let line = match &statement.kind {
            StatementKind::Write { place, mode: Mode::NonAtomic, value } => {
                format!("{} = {};", self.cell(place)?, self.expression(value, 0)?)
            }
            StatementKind::Write { place, mode, value } => {
                if mode.is_acquire() && !mode.is_sc() {
                    return Err(Unprintable(format!("C11 has no {} store", mode.keyword())));
                }
                let (place, value) = (self.pointer(place)?, self.expression(value, 0)?);
                format!("atomic_store_explicit({place}, {value}, {});", order(*mode)?)
            }
            StatementKind::Assign { register, value } => {
                let kind = match declares {
                    true => {
                        let register = usize::from(register.0);
                        format!("{}{} ", self.integer(register).name(), self.star(register))
                    }
                    false => String::new(),
                };
                let name = self.register(*register).to_owned();
                if let Expression::Access(access) = value
                    && let AccessKind::CompareAndSwap { expected, desired, failure, weak, result: CasResult::ValueRead } =
                        &access.kind
                {
                    // C yields whether it succeeded; the value read is in the expected value's place either way, if
                    // nothing else needs the register's old value.
                    let mut mentioned = false;
                    let mut see = |mention| mentioned |= matches!(mention, Mention::Register(r) if r == *register);
                    herd::expression_mentions(desired, &mut see);
                    if let Some(index) = access.place.operand() {
                        herd::expression_mentions(index, &mut see);
                    }
                    if !mentioned {
                        let (expected, desired) = (self.expression(expected, 0)?, self.expression(desired, 0)?);
                        let place = self.pointer(&access.place)?;
                        let (mode, failure) = (order(access.mode)?, order(*failure)?);
                        self.text.push_str(&format!("{indent}{kind}{name} = {expected};\n"));
                        self.text.push_str(&format!(
                            "{indent}{}({place}, &{name}, {desired}, {mode}, {failure});\n",
                            compare_exchange(*weak)
                        ));
                        return Ok(());
                    }
                }
                format!("{kind}{name} = {};", self.expression(value, 0)?)
            }
            StatementKind::Evaluate(value) => format!("{};", self.expression(value, 0)?),
            StatementKind::Fence(mode) => format!("atomic_thread_fence({});", order(*mode)?),
            StatementKind::If { condition, then, otherwise } => {
                let condition = self.expression(condition, 0)?;
                self.text.push_str(&format!("{indent}if ({condition}) {{\n"));
                self.block(then, level + 1)?;
                if !otherwise.is_empty() {
                    self.text.push_str(&format!("{indent}}} else {{\n"));
                    self.block(otherwise, level + 1)?;
                }
                "}".to_owned()
            }
            StatementKind::While { condition, body } => {
                let condition = self.expression(condition, 0)?;
                self.text.push_str(&format!("{indent}while ({condition}) {{\n"));
                self.block(body, level + 1)?;
                "}".to_owned()
            }
            StatementKind::Repeat { body, until } => {
                self.text.push_str(&format!("{indent}do {{\n"));
                self.block(body, level + 1)?;
                // Reading takes one `!` off, or puts one on.
                let again = match until {
                    Expression::Unary(UnaryOperator::Not, inner)
                        if !matches!(**inner, Expression::Unary(UnaryOperator::Not, _)) =>
                    {
                        self.expression(inner, 0)?
                    }
                    until => format!("!{}", self.expression(until, 11)?),
                };
                format!("}} while ({again});")
            }
            StatementKind::Input { .. } | StatementKind::Atomic(_) => {
                return Err(Unprintable("herd's programs can't have `input` or `atomic`".to_owned()));
            }
            StatementKind::Skip => ";".to_owned(),
            StatementKind::Assert(condition) => format!("assert({});", self.expression(condition, 0)?),
            StatementKind::Assume(condition) => format!("assume({});", self.expression(condition, 0)?),
            StatementKind::Lock(place) => format!("mtx_lock({});", self.pointer(place)?),
            StatementKind::Unlock(place) => format!("mtx_unlock({});", self.pointer(place)?),
            StatementKind::Send { .. } => return Err(Unprintable("herd's C has no channels".to_owned())),
            StatementKind::Call { .. } | StatementKind::Return(_) => {
                return Err(Unprintable("herd's C has no concurrent objects".to_owned()));
            }
            StatementKind::Post { .. } => return Err(Unprintable("herd's C has no handlers".to_owned())),
        };
        self.text.push_str(&format!("{indent}{line}\n"));
        Ok(())
    }

    /// `*x` or `x[1]`.
    fn cell(&self, place: &Place) -> Result<String, Unprintable> {
        let (object, index) = match &place.kind {
            PlaceKind::Element { object, index } => (object, index),
            PlaceKind::Pointee(Expression::Register(register)) => return Ok(format!("*{}", self.register(*register))),
            // Only of what has the type of a pointer.
            PlaceKind::Pointee(address) => return Ok(format!("*(int*){}", self.expression(address, 11)?)),
        };
        let name = &self.program.objects[object.0 as usize].name;
        Ok(match index {
            Some(index) => format!("{name}[{}]", self.expression(index, 0)?),
            None => format!("*{name}"),
        })
    }

    /// `x` or `x + 1`.
    fn pointer(&self, place: &Place) -> Result<String, Unprintable> {
        let (object, index) = match &place.kind {
            PlaceKind::Element { object, index } => (object, index),
            PlaceKind::Pointee(Expression::Register(register)) => return Ok(self.register(*register).to_owned()),
            PlaceKind::Pointee(address) => return Ok(format!("(int*){}", self.expression(address, 11)?)),
        };
        let name = &self.program.objects[object.0 as usize].name;
        Ok(match index {
            Some(index) => format!("{name} + {}", self.expression(index, 10)?),
            None => name.clone(),
        })
    }

    /// An expression in parentheses if it binds less tightly than `least`.
    fn expression(&self, expression: &Expression, least: u8) -> Result<String, Unprintable> {
        let (text, level) = match expression {
            Expression::Constant(value) => self.constant(*value, least),
            Expression::Register(register) => (self.register(*register).to_owned(), 12),
            Expression::Access(access) => (self.access(access)?, 11),
            Expression::Unary(UnaryOperator::Convert(to), operand) => {
                (format!("({}){}", to.name(), self.expression(operand, 11)?), 11)
            }
            Expression::Unary(operator, operand) => {
                let sign = match operator {
                    UnaryOperator::Negate => "-",
                    UnaryOperator::Complement => "~",
                    _ => "!",
                };
                // `-1` is a constant, `--` another operator.
                let negated = *operator == UnaryOperator::Negate;
                let apart = match **operand {
                    Expression::Constant(_) | Expression::Unary(UnaryOperator::Negate, _) => negated,
                    _ => false,
                };
                (format!("{sign}{}", self.expression(operand, if apart { 13 } else { 11 })?), 11)
            }
            Expression::Binary(operator, left, right) => self.binary(*operator, left, right)?,
        };
        Ok(if level < least { format!("({text})") } else { text })
    }

    /// Two operands and what is between them, and how tightly that binds.
    #[inline(never)]
    fn binary(
        &self,
        operator: BinaryOperator,
        left: &Expression,
        right: &Expression,
    ) -> Result<(String, u8), Unprintable> {
        // A negation, as it is read.
        if let BinaryOperator::Typed(Arithmetic::Subtract, integer) = operator
            && *left == Expression::Constant(0)
            && !matches!(right, Expression::Constant(_))
            && self.type_of(right).promoted() == integer
        {
            let operand = self.expression(right, 11)?;
            let apart = operand.starts_with('-');
            return Ok((if apart { format!("-({operand})") } else { format!("-{operand}") }, 11));
        }
        let (sign, level) = sign(operator.untyped());
        let (of_left, of_right) = match self.cast(operator, left, right) {
            Some(integer) if self.number(right).is_some() && !is_shift(operator) => (None, Some(integer)),
            Some(integer) => (Some(integer), None),
            None => (None, None),
        };
        let (left, right) = (self.operand(left, of_left, level)?, self.operand(right, of_right, level + 1)?);
        Ok((format!("{left} {sign} {right}"), level))
    }

    /// A number that is no address.
    fn number(&self, expression: &Expression) -> Option<Value> {
        match expression {
            Expression::Constant(value) => Some(*value).filter(|value| self.program.address(*value).is_none()),
            _ => None,
        }
    }

    /// An operand that is to have a type.
    fn operand(&self, operand: &Expression, integer: Option<Integer>, level: u8) -> Result<String, Unprintable> {
        Ok(match (integer, self.number(operand)) {
            (None, _) => self.expression(operand, level)?,
            (Some(Integer::UInt32), Some(value)) => format!("{value}u"),
            (Some(Integer::UInt64), Some(value)) => format!("{}ul", value as u64),
            (Some(Integer::Int64), Some(value)) if value != Value::MIN => format!("{value}l"),
            (Some(_), Some(_)) => self.expression(operand, level)?,
            (Some(integer), None) if self.type_of(operand) == integer => self.expression(operand, level)?,
            (Some(integer), None) => format!("({}){}", integer.name(), self.expression(operand, 11)?),
        })
    }

    /// The type of the operator, if C would compute in another one.
    fn cast(&self, operator: BinaryOperator, left: &Expression, right: &Expression) -> Option<Integer> {
        let BinaryOperator::Typed(_, integer) = operator else { return None };
        let (left, right) = (self.type_of(left), self.type_of(right));
        let found = if is_shift(operator) { left.promoted() } else { left.common(right) };
        (found != integer).then_some(integer)
    }

    /// The type that C gives an expression as it is printed.
    fn type_of(&self, expression: &Expression) -> Integer {
        match expression {
            Expression::Constant(value) if self.program.address(*value).is_some() => Integer::Address,
            Expression::Constant(value) if Integer::Int32.convert(*value) == *value => Integer::Int32,
            Expression::Constant(_) => Integer::Int64,
            Expression::Register(register) => self.thread.integer(*register),
            Expression::Access(access) => match (&access.kind, access.place.object()) {
                (AccessKind::CompareAndSwap { .. }, _) => Integer::Int32,
                (_, Some(object)) => self.program.objects[usize::from(object.0)].integer,
                _ => Integer::Int32,
            },
            Expression::Unary(UnaryOperator::Convert(to), _) => *to,
            Expression::Unary(UnaryOperator::Not, _) => Integer::Int32,
            Expression::Unary(_, operand) => self.type_of(operand).promoted(),
            Expression::Binary(operator, left, right) => match operator {
                BinaryOperator::Typed(
                    Arithmetic::Add
                    | Arithmetic::Subtract
                    | Arithmetic::Multiply
                    | Arithmetic::Divide
                    | Arithmetic::Remainder
                    | Arithmetic::ShiftLeft
                    | Arithmetic::ShiftRight,
                    integer,
                ) => *integer,
                BinaryOperator::Typed(..)
                | BinaryOperator::Equal
                | BinaryOperator::NotEqual
                | BinaryOperator::Less
                | BinaryOperator::LessOrEqual
                | BinaryOperator::Greater
                | BinaryOperator::GreaterOrEqual
                | BinaryOperator::And
                | BinaryOperator::Or => Integer::Int32,
                BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight => self.type_of(left).promoted(),
                _ => self.type_of(left).common(self.type_of(right)),
            },
        }
    }

    /// A number or an address, and how tightly it binds.
    fn constant(&self, value: Value, least: u8) -> (String, u8) {
        let Some(address) = self.program.address(value) else { return (value.to_string(), 12) };
        let name = &self.program.objects[address.object.0 as usize].name;
        // Adding to a pointer would make it an index.
        let cast = if least > 0 { "(intptr_t)" } else { "" };
        match address.offset {
            0 => (format!("{cast}{name}"), 11),
            offset => (format!("{cast}&{name}[{offset}]"), 11),
        }
    }

    fn access(&self, access: &Access) -> Result<String, Unprintable> {
        let mode = access.mode;
        Ok(match &access.kind {
            AccessKind::Receive => return Err(Unprintable("herd's C has no channels".to_owned())),
            AccessKind::Read if mode == Mode::NonAtomic => self.cell(&access.place)?,
            AccessKind::Read => {
                if mode.is_release() && !mode.is_sc() {
                    return Err(Unprintable(format!("C11 has no {} load", mode.keyword())));
                }
                format!("atomic_load_explicit({}, {})", self.pointer(&access.place)?, order(mode)?)
            }
            AccessKind::Update { operator, operand, .. } => {
                let name = match operator {
                    UpdateOperator::Add => "fetch_add",
                    UpdateOperator::Subtract => "fetch_sub",
                    UpdateOperator::And => "fetch_and",
                    UpdateOperator::Or => "fetch_or",
                    UpdateOperator::Xor => "fetch_xor",
                    UpdateOperator::Exchange => "exchange",
                    UpdateOperator::Max => "fetch_max",
                    UpdateOperator::Min => "fetch_min",
                };
                let (place, operand) = (self.pointer(&access.place)?, self.expression(operand, 0)?);
                format!("atomic_{name}_explicit({place}, {operand}, {})", order(mode)?)
            }
            AccessKind::CompareAndSwap { expected, desired, failure, weak, result: CasResult::Success(register) } => {
                if *expected != Expression::Register(*register) {
                    return Err(Unprintable("C's compare-and-swap expects the value of a variable".to_owned()));
                }
                if failure.is_release() && !failure.is_sc() {
                    return Err(Unprintable("C11 has no release load".to_owned()));
                }
                let (place, desired) = (self.pointer(&access.place)?, self.expression(desired, 0)?);
                format!(
                    "{}({place}, &{}, {desired}, {}, {})",
                    compare_exchange(*weak),
                    self.register(*register),
                    order(mode)?,
                    order(*failure)?
                )
            }
            AccessKind::CompareAndSwap { .. } => {
                return Err(Unprintable(
                    "C's compare-and-swap does not return the value read; assign that to a register first".to_owned(),
                ));
            }
        })
    }
}

fn compares(operator: BinaryOperator) -> bool {
    matches!(
        operator.untyped(),
        BinaryOperator::Equal
            | BinaryOperator::NotEqual
            | BinaryOperator::Less
            | BinaryOperator::LessOrEqual
            | BinaryOperator::Greater
            | BinaryOperator::GreaterOrEqual
    )
}

fn is_shift(operator: BinaryOperator) -> bool {
    matches!(operator.untyped(), BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight)
}

fn compare_exchange(weak: bool) -> &'static str {
    if weak { "atomic_compare_exchange_weak_explicit" } else { "atomic_compare_exchange_strong_explicit" }
}

fn order(mode: Mode) -> Result<&'static str, Unprintable> {
    Ok(match mode {
        Mode::NonAtomic => return Err(Unprintable("C11 has no non-atomic fences and read-modify-writes".to_owned())),
        Mode::Relaxed => "memory_order_relaxed",
        Mode::Acquire => "memory_order_acquire",
        Mode::Release => "memory_order_release",
        Mode::AcquireRelease => "memory_order_acq_rel",
        Mode::SequentiallyConsistent => "memory_order_seq_cst",
    })
}

fn sign(operator: BinaryOperator) -> (&'static str, u8) {
    const SIGNS: [&str; 18] =
        ["*", "/", "%", "+", "-", "<<", ">>", "<", "<=", ">", ">=", "==", "!=", "&", "^", "|", "&&", "||"];
    // The table is total: each operator has its sign in `binary_operator`.
    SIGNS
        .into_iter()
        .find_map(|sign| binary_operator(sign).filter(|(found, _)| *found == operator).map(|(_, level)| (sign, level)))
        .unwrap_or(("+", 9))
}

#[cfg(test)]
mod sweep;
#[cfg(test)]
mod tests;
