//! herd's X86 dialect (Intel syntax, destination first) and X86_64 dialect (AT&T syntax, destination last).
//!
//! ```text
//! X86 SB                        X86_64 SB
//! {}                            {}
//!  P0          | P1          ;   P0            | P1            ;
//!  MOV [x],$1  | MOV [y],$1  ;   movl $1,(x)   | movl $1,(y)   ;
//!  MOV EAX,[y] | MOV EAX,[x] ;   movl (y),%eax | movl (x),%eax ;
//! exists (0:EAX=0 /\ 1:EAX=0)   exists (0:rax=0 /\ 1:rax=0)
//! ```
//!
//! Loads and stores are relaxed accesses; `mfence`, `xchg` with memory and what has a `lock` prefix are sequentially
//! consistent. Arithmetic on memory without `lock` is a read and a write. `lfence`, `sfence` and `nop` do nothing: TSO
//! keeps the order of loads, and of stores, anyway. An unlocked `cmpxchg` that fails only reads. Jumps become `if`, `else` and loops where they are those of such, or
//! else a loop around pieces of the thread, with a register that says which one is next. What a conditional jump depends
//! on may be kept in a register too.
//!
//! Values are as wide as the instructions say: the suffix, the registers, else the location, else 32 bits. They are shown with a
//! sign, so 4294967295 is -1 in 32 bits, and what is written of them, in conditions as well, is converted. Sums, differences
//! and shifts to the left leave their sizes, so a conversion is around them; all else keeps its size. A location has one
//! size. A register is one register under all its names, as large as the largest that its thread calls it by; it is called
//! `rax` in X86_64 and `EAX` in X86, as conditions do. Of a smaller name, `mov`, arithmetic, comparisons, shifts, `movzx`,
//! `setcc` and `cmov` read and write that part: 8 and 16 bits leave the others as they are, 32 bits make the upper half 0.
//!
//! Registers may hold addresses: `$x`, `lea x(%rip),%rax`, `(%rax)`. Memory consists of elements, which are as large as
//! what accesses them: `movl $1,q+4(%rip)` and `movl $1,4(%rax)` write to the next element, `(%rax,%rbx,4)` is indexed by
//! elements. Offsets have to be multiples, and no arithmetic may move a register that is used as an address, since it
//! would count bytes.

use super::herd::{self, Cursor, Kind, Objects, Parse, Style, Tail, Token, join, shortened};
use super::jumps::{self, Step, opposite_comparison};
use super::{Diagnostic, Parsed, Severity, Unprintable};
use crate::program::{
    Access, AccessKind, Address, BinaryOperator, CasResult, Expression, Integer, MAX_THREADS, Mode, Notation, Object,
    ObjectId, Observable, Place, PlaceKind, Program, RegisterId, Span, Statement, StatementKind, Thread, UnaryOperator,
    UpdateOperator, Value,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Reads a test in the given one of the two dialects.
///
/// # Errors
/// What is wrong with the text.
pub(super) fn parse(text: &str, notation: Notation) -> Result<Parsed, Vec<Diagnostic>> {
    let wide = notation == Notation::X86_64;
    let architectures: &[&str] = if wide { &["X86_64", "x86_64"] } else { &["X86", "x86"] };
    let (name, mut cursor) = Cursor::new(text, architectures, Style::Assembly)?;
    let mut objects = Objects::default();
    let initial = herd::initial_values(&mut cursor, &mut objects);
    let numbers = header_row(&mut cursor);
    let initial = herd::place_initial_registers(&mut cursor, initial, &numbers);
    let columns = columns(&mut cursor, numbers.len());
    let end = cursor.position();
    let mut parser = Parser {
        cursor,
        objects,
        wide,
        registers: Registers::default(),
        location_sizes: FxHashMap::default(),
        computes_address: false,
        unsized_locations: FxHashSet::default(),
    };
    let mut threads = Vec::new();
    for (index, column) in columns.iter().enumerate() {
        parser.registers = Registers { wide, widest: parser.widest(column), ..Registers::default() };
        for register in initial.iter().filter(|register| register.thread == index) {
            if let Ok(id) = parser.registers.find(&mut parser.cursor, register.name) {
                parser.registers.thread.initial[id.0 as usize] = register.value;
            }
        }
        parser.thread(column);
        threads.push(std::mem::take(&mut parser.registers));
    }
    let Parser { mut cursor, mut objects, location_sizes, unsized_locations, .. } = parser;
    for object in (0..objects.list.len()).map(|number| ObjectId(number as u16)) {
        let size = location_sizes.get(&object).copied();
        if size.is_some() || unsized_locations.contains(&object) {
            objects.set_type(object, integer(size));
        }
    }
    cursor.go_to(end);
    let mut program = Program { name, notation, ..Program::default() };
    let register = |cursor: &mut Cursor, thread: usize, name: Token| {
        // A register that the thread does not use keeps its initial value.
        threads[thread].find(cursor, name)
    };
    Tail { cursor: &mut cursor, objects: &mut objects, threads: &numbers, register }.read(&mut program);
    for object in &mut objects.list {
        object.initial.iter_mut().for_each(|value| *value = signed(*value, object.integer));
    }
    objects.convert_initial_values(&mut cursor);
    program.objects = objects.list;
    let named = |(place, (mut registers, number)): (usize, (Registers, &usize))| {
        let name = (*number != place).then(|| format!("P{number}"));
        registers.give_types(&mut cursor);
        Thread { name, ..registers.thread }
    };
    program.threads = threads.into_iter().zip(&numbers).enumerate().map(named).collect();
    herd::convert_constants(&mut program);
    cursor.finish(program)
}

/// Reads ` P0 | P1 ;` and returns the threads' numbers, which need not begin at 0.
fn header_row(cursor: &mut Cursor) -> Vec<usize> {
    let mut numbers = Vec::new();
    loop {
        let token = cursor.peek();
        let number: Option<usize> = token.text.strip_prefix('P').and_then(|digits| digits.parse().ok());
        let Some(number) = number.filter(|number| *number <= usize::from(u16::MAX) && token.kind == Kind::Word) else {
            let _ = cursor.unexpected::<()>(&format!("`P{}` in the row of the threads' names", numbers.len()));
            cursor.recover();
            return numbers;
        };
        if numbers.contains(&number) {
            cursor.error(token.span, format!("a second thread `P{number}`"), Some("give it another number"));
        }
        cursor.next();
        numbers.push(number);
        if numbers.len() > MAX_THREADS {
            cursor.error(token.span, format!("more than {MAX_THREADS} threads"), None);
            cursor.recover();
            return numbers;
        }
        if cursor.eat(";").is_some() {
            return numbers;
        }
        if cursor.expect("|", "or `;` after a thread's name").is_err() {
            cursor.recover();
            return numbers;
        }
    }
}

/// Finds where the instructions of each thread start, from top to bottom.
fn columns(cursor: &mut Cursor, count: usize) -> Vec<Vec<usize>> {
    let mut columns = vec![Vec::new(); count];
    let mut column = 0;
    let mut row_starts = true;
    while !cursor.at_end() {
        if row_starts && skip_text(cursor, count) {
            continue;
        }
        if herd::tail_starts(cursor) || (cursor.at("(") && row_starts) {
            if !row_starts {
                let span = cursor.previous();
                cursor.error(span, "expected `;` at the end of the row", None);
            }
            break;
        }
        row_starts = false;
        if cursor.eat("|").is_some() {
            column += 1;
        } else if cursor.eat(";").is_some() {
            (column, row_starts) = (0, true);
        } else {
            match columns.get_mut(column) {
                Some(column) => column.push(cursor.position()),
                None => {
                    let span = cursor.peek().span;
                    cursor.error(span, "this row has more columns than there are threads", None);
                }
            }
            while !cursor.at_end() && !cursor.at("|") && !cursor.at(";") && !herd::tail_starts(cursor) {
                cursor.next();
            }
        }
    }
    columns
}

/// Leaves out what is no row: what stands between `<<` and `>>`, and words behind the code, where rows have several columns. Whether there
/// was something.
fn skip_text(cursor: &mut Cursor, count: usize) -> bool {
    let (start, from) = (cursor.peek(), cursor.position());
    if cursor.eat("<<").is_some() {
        while !cursor.at_end() && cursor.eat(">>").is_none() {
            cursor.next();
        }
    } else if count > 1 && start.kind == Kind::Word && !is_instruction(start.text) && !herd::tail_starts(cursor) {
        let ends = |token: Token| token.is("|") || token.is(";") || token.is(":") || token.kind == Kind::End;
        while !ends(cursor.peek()) && !herd::tail_starts(cursor) {
            cursor.next();
        }
        if !herd::tail_starts(cursor) {
            cursor.go_to(from);
            return false;
        }
    } else {
        return false;
    }
    cursor.note(Severity::Warning, start.span, "this text between the code and the condition is left out", None);
    true
}

/// The registers of the 64-bit machine under their names of 64, 32, 16 and 8 bits.
const REGISTERS: [[&str; 4]; 16] = [
    ["rax", "eax", "ax", "al"],
    ["rbx", "ebx", "bx", "bl"],
    ["rcx", "ecx", "cx", "cl"],
    ["rdx", "edx", "dx", "dl"],
    ["rsi", "esi", "si", "sil"],
    ["rdi", "edi", "di", "dil"],
    ["rbp", "ebp", "bp", "bpl"],
    ["rsp", "esp", "sp", "spl"],
    ["r8", "r8d", "r8w", "r8b"],
    ["r9", "r9d", "r9w", "r9b"],
    ["r10", "r10d", "r10w", "r10b"],
    ["r11", "r11d", "r11w", "r11b"],
    ["r12", "r12d", "r12w", "r12b"],
    ["r13", "r13d", "r13w", "r13b"],
    ["r14", "r14d", "r14w", "r14b"],
    ["r15", "r15d", "r15w", "r15b"],
];

/// How many registers the 32-bit machine has: the first ones.
const NARROW: usize = 8;

/// The numbers of so many bits; of 32 where nothing tells.
fn integer(size: Option<u32>) -> Integer {
    match size {
        Some(8) => Integer::Int8,
        Some(16) => Integer::Int16,
        Some(64) => Integer::Int64,
        _ => Integer::Int32,
    }
}

/// The same numbers without a sign.
fn unsigned_integer(integer: Integer) -> Integer {
    match integer {
        Integer::Int8 => Integer::UInt8,
        Integer::Int16 => Integer::UInt16,
        Integer::Int32 => Integer::UInt32,
        _ => Integer::UInt64,
    }
}

/// A number without a sign as one with it, if it has the size.
fn signed(value: Value, integer: Integer) -> Value {
    let fits = integer.is_signed() && unsigned_integer(integer).convert(value) == value;
    if fits && Address::of(value).is_none() { integer.convert(value) } else { value }
}

/// A result as a number of its size.
fn cut(value: Expression, integer: Integer) -> Expression {
    match value {
        Expression::Constant(address) if Address::of(address).is_some() => value,
        Expression::Constant(value) => Expression::Constant(integer.convert(value)),
        value if integer == Integer::Int64 => value,
        value => Expression::Unary(UnaryOperator::Convert(integer), Box::new(value)),
    }
}

/// A register's number and its size in bits, by any of its names.
fn machine_register(name: &str, wide: bool) -> Option<(usize, u32)> {
    let name = name.to_ascii_lowercase();
    let count = if wide { REGISTERS.len() } else { NARROW };
    REGISTERS[..count].iter().enumerate().find_map(|(number, names)| {
        let size = names.iter().position(|known| *known == name)?;
        (wide || size > 0).then_some((number, 64 >> size))
    })
}

/// What a register is called in programs.
fn canonical(number: usize, wide: bool) -> String {
    if wide { REGISTERS[number][0].to_owned() } else { REGISTERS[number][1].to_ascii_uppercase() }
}

/// A thread and which of its registers are which of the machine's.
#[derive(Default)]
struct Registers {
    thread: Thread,
    wide: bool,
    ids: FxHashMap<usize, RegisterId>,
    /// By number of the machine's: the most bits that the thread uses of it at once, 0 if none.
    widest: [u32; REGISTERS.len()],
    /// Those that are used as addresses.
    bases: FxHashMap<RegisterId, Span>,
    /// Those that are added to or subtracted from, with the first place.
    moved: FxHashMap<RegisterId, Span>,
}

impl Registers {
    /// Says how large the registers' values are, and makes the initial ones of that size. What only keeps something for a while is as
    /// large as can be.
    fn give_types(&mut self, cursor: &mut Cursor) {
        let thread = &mut self.thread;
        let mut sizes = vec![None; thread.registers.len()];
        for (&number, register) in &self.ids {
            sizes[usize::from(register.0)] = Some(self.widest[number]).filter(|size| *size > 0);
        }
        thread.integers = sizes.into_iter().map(|size| integer(size.or(Some(64)))).collect();
        for ((value, integer), name) in thread.initial.iter_mut().zip(&thread.integers).zip(&thread.registers) {
            let token = Token { kind: Kind::Word, text: name, span: Span::default() };
            *value = herd::converted(cursor, signed(*value, *integer), *integer, token);
        }
        if thread.integers.iter().all(|integer| *integer == Integer::default()) {
            thread.integers.clear();
        }
    }

    fn find(&mut self, cursor: &mut Cursor, name: Token) -> Parse<RegisterId> {
        match machine_register(name.text, self.wide) {
            Some((number, _)) => Ok(self.id(number)),
            None => {
                let help =
                    if self.wide { "rax, rbx, rcx, rdx, rsi, rdi, r8, ..." } else { "EAX, EBX, ECX, EDX, ESI, EDI" };
                let lower = name.text.to_ascii_lowercase();
                let message = match lower.as_str() {
                    "rip" | "eip" => {
                        format!("`{lower}` is where the thread is in its code, and no register for values")
                    }
                    "cs" | "ds" | "es" | "fs" | "gs" | "ss" => format!("segments such as `{lower}` are not supported"),
                    _ => format!("there is no register `{}`", shortened(name.text)),
                };
                cursor.fail(name.span, message, Some(&format!("registers are {help}")))
            }
        }
    }

    /// How many bits there are of a register.
    fn size(&self, register: RegisterId) -> u32 {
        let number = self.ids.iter().find(|(_, id)| **id == register).map(|(number, _)| *number);
        number.map_or(64, |number| self.widest[number])
    }

    /// The number in the lowest bits of a register.
    fn read(&self, register: RegisterId, bits: u32) -> Expression {
        let whole = Expression::Register(register);
        if bits < self.size(register) { cut(whole, integer(Some(bits))) } else { whole }
    }

    /// What a register is once its lowest bits have been written.
    fn written(&self, register: RegisterId, bits: u32, value: Expression) -> Expression {
        if bits >= self.size(register) {
            return value;
        }
        let part = |value| match value {
            Expression::Constant(value) => Expression::Constant(unsigned_integer(integer(Some(bits))).convert(value)),
            value => Expression::Unary(UnaryOperator::Convert(unsigned_integer(integer(Some(bits)))), Box::new(value)),
        };
        if bits == 32 {
            return part(value);
        }
        let others = binary(BinaryOperator::BitAnd, Expression::Register(register), Expression::Constant(-1 << bits));
        binary(BinaryOperator::BitOr, others, part(value))
    }

    fn id(&mut self, number: usize) -> RegisterId {
        let thread = &mut self.thread;
        *self.ids.entry(number).or_insert_with(|| {
            thread.registers.push(canonical(number, self.wide));
            thread.initial.push(0);
            RegisterId((thread.registers.len() - 1) as u16)
        })
    }
}

/// An instruction's operand; as long as it is not known how large elements are, memory is a [`Memory`].
#[derive(Clone)]
enum Operand<M = Place> {
    Immediate(Value),
    Register(RegisterId, u32),
    Memory(M),
}

/// Memory as it is written.
struct Memory {
    base: Base,
    /// The offset.
    bytes: Value,
    /// A register and what it is multiplied by.
    index: Option<(RegisterId, Value)>,
    span: Span,
}

#[derive(Clone, Copy)]
enum Base {
    Object(ObjectId),
    Register(RegisterId),
}

/// A line of a thread.
enum Line<'t> {
    Label(&'t str, Span),
    Do {
        /// What an instruction of several accesses does first.
        before: Vec<Statement>,
        statement: Statement,
        flags: Flags,
    },
    /// `cmp` or `test`: what is compared.
    Compare {
        left: Expression,
        right: Expression,
        test: bool,
        integer: Integer,
        span: Span,
    },
    Jump {
        mnemonic: String,
        label: &'t str,
        span: Span,
    },
    /// `setcc` or `cmov`: what is done first, and what then depends on a condition, which is that of a jump.
    Choose {
        mnemonic: String,
        before: Vec<Statement>,
        chosen: Chosen,
        span: Span,
    },
}

/// What depends on a condition.
enum Chosen {
    /// A part of a register becomes 1 or 0.
    Set(RegisterId, u32),
    /// A location becomes 1 or 0.
    Store(Place),
    /// A part of a register becomes this value, or stays.
    Move(RegisterId, u32, Expression),
}

impl Line<'_> {
    fn span(&self) -> Span {
        match self {
            Line::Label(_, span) | Line::Compare { span, .. } | Line::Jump { span, .. } | Line::Choose { span, .. } => {
                *span
            }
            Line::Do { statement, .. } => statement.span,
        }
    }
}

/// What an instruction does to the flags.
#[derive(PartialEq)]
enum Flags {
    Kept,
    /// They tell of this value whether it is 0, or less.
    Result(Expression),
    /// They tell of the value that a locked instruction writes, made of the value read and this operand.
    Fetched(BinaryOperator, Expression, Integer),
    /// They tell whether `cmpxchg` succeeded.
    Swapped,
    /// They tell whether this value is 0, and no more.
    Zero(Expression),
    /// The carry tells whether this value is 0.
    Carry(Expression),
    Lost,
}

/// Whether a conditional jump depends on the flags as they are before the lines.
fn used(lines: &[Line]) -> bool {
    for line in lines {
        match line {
            Line::Do { flags: Flags::Kept, .. } => {}
            Line::Jump { mnemonic, .. } => return mnemonic != "jmp",
            Line::Choose { .. } => return true,
            _ => return false,
        }
    }
    false
}

struct Parser<'t> {
    cursor: Cursor<'t>,
    objects: Objects<'t>,
    /// X86_64.
    wide: bool,
    /// Those of the thread being read.
    registers: Registers,
    location_sizes: FxHashMap<ObjectId, u32>,
    /// What is being read is an operand of `lea`.
    computes_address: bool,
    /// Those that were accessed where nothing tells the size.
    unsized_locations: FxHashSet<ObjectId>,
}

/// Instructions with a suffix for the size in AT&T syntax.
const SIZED: [&str; 24] = [
    "mov", "add", "sub", "and", "or", "xor", "inc", "dec", "neg", "not", "cmp", "test", "xchg", "xadd", "cmpxchg",
    "lea", "bt", "bts", "btr", "btc", "shl", "sal", "shr", "sar",
];

fn is_shift_name(base: &str) -> bool {
    matches!(base, "shl" | "sal" | "shr" | "sar")
}

/// `movzx` and `movsx` by any name: whether a sign is kept, and the sizes of source and destination as far as the name says.
fn extension(mnemonic: &str) -> Option<(bool, Option<u32>, Option<u32>)> {
    let size = |letter| match letter {
        'b' => Some(8),
        'w' => Some(16),
        'l' => Some(32),
        'q' => Some(64),
        _ => None,
    };
    if mnemonic == "movsxd" {
        return Some((true, Some(32), Some(64)));
    }
    let (keeps_sign, rest) = match (mnemonic.strip_prefix("movz"), mnemonic.strip_prefix("movs")) {
        (Some(rest), _) => (false, rest),
        (_, Some(rest)) => (true, rest),
        _ => return None,
    };
    let mut letters = rest.chars();
    match (letters.next(), letters.next(), letters.next()) {
        (Some('x'), None, None) => Some((keeps_sign, None, None)),
        (Some(from), Some(to), None) => {
            let (from, to) = (size(from)?, size(to)?);
            (from < to && (keeps_sign || from < 32)).then_some((keeps_sign, Some(from), Some(to)))
        }
        _ => None,
    }
}

/// The jump with the condition of `setcc` or `cmov`, and the size that the name of a `cmov` ends with.
fn chosen_by(mnemonic: &str) -> Option<(String, bool, Option<u32>)> {
    let known = |condition: &str| Some(format!("j{condition}")).filter(|jump| jump_condition(jump).is_some());
    if let Some(jump) = mnemonic.strip_prefix("set").and_then(known) {
        return Some((jump, true, None));
    }
    let condition = mnemonic.strip_prefix("cmov")?;
    if let Some(jump) = known(condition) {
        return Some((jump, false, None));
    }
    let size = match condition.chars().last()? {
        'w' => 16,
        'l' => 32,
        'q' => 64,
        _ => return None,
    };
    Some((known(&condition[..condition.len() - 1])?, false, Some(size)))
}

/// The instruction without its suffix for the size, and the size.
fn split(mnemonic: &str) -> Option<(&'static str, Option<u32>)> {
    let known = |name: &str| SIZED.into_iter().find(|base| *base == name);
    if let Some(base) = known(mnemonic) {
        return Some((base, None));
    }
    let last = mnemonic.chars().last()?;
    let size = match last {
        'b' => 8,
        'w' => 16,
        'l' => 32,
        'q' => 64,
        _ => return None,
    };
    known(&mnemonic[..mnemonic.len() - 1]).map(|base| (base, Some(size)))
}

/// Whether an instruction may start with this word.
fn is_instruction(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    let is_other = matches!(word.as_str(), "lock" | "mfence" | "lfence" | "sfence");
    let is_other = is_other || extension(&word).is_some() || chosen_by(&word).is_some();
    is_other || does_nothing(&word) || is_return(&word) || word.starts_with('j') || split(&word).is_some()
}

/// Whether it fills room or marks a place, whatever its operands are: compilers write `nop` in many lengths.
fn does_nothing(mnemonic: &str) -> bool {
    matches!(mnemonic, "nop" | "nopw" | "nopl" | "nopq" | "pause" | "endbr32" | "endbr64")
}

/// Whether it ends the thread.
fn is_return(mnemonic: &str) -> bool {
    matches!(mnemonic, "ret" | "retq" | "retl")
}

/// What compilers write in front of those.
const PREFIXES: [&str; 6] = ["data16", "cs", "ds", "rep", "repz", "bnd"];

/// The label behind the last instruction, which no text can name.
const END: &str = "the end";

/// Why an instruction that is known is not supported, and what to do instead.
fn unsupported(mnemonic: &str) -> Option<(&'static str, &'static str)> {
    Some(match mnemonic {
        "movnti" | "movntq" | "movntdq" | "movntps" | "movntpd" => (
            "a store that bypasses the cache is not ordered as TSO orders stores",
            "use `mov`, or `xchg` if it is to be ordered with loads",
        ),
        "cmpxchg16b" | "cmpxchg8b" => {
            ("it accesses two values at once, which is too wide for one location", "use `cmpxchg` on one value")
        }
        _ => return None,
    })
}

/// The comparison under which a conditional jump is taken, and whether it is one of unsigned numbers.
fn jump_condition(mnemonic: &str) -> Option<(BinaryOperator, bool)> {
    let unsigned = match mnemonic {
        "ja" | "jnbe" => Some(BinaryOperator::Greater),
        "jae" | "jnb" | "jnc" => Some(BinaryOperator::GreaterOrEqual),
        "jb" | "jnae" | "jc" => Some(BinaryOperator::Less),
        "jbe" | "jna" => Some(BinaryOperator::LessOrEqual),
        _ => None,
    };
    if let Some(comparison) = unsigned {
        return Some((comparison, true));
    }
    let comparison = match mnemonic {
        "js" => BinaryOperator::Less,
        "jns" => BinaryOperator::GreaterOrEqual,
        "je" | "jz" => BinaryOperator::Equal,
        "jne" | "jnz" => BinaryOperator::NotEqual,
        "jl" | "jnge" => BinaryOperator::Less,
        "jle" | "jng" => BinaryOperator::LessOrEqual,
        "jg" | "jnle" => BinaryOperator::Greater,
        "jge" | "jnl" => BinaryOperator::GreaterOrEqual,
        _ => return None,
    };
    Some((comparison, false))
}

/// What compares as a signed number as the value does as an unsigned one.
fn unsigned(value: Expression) -> Expression {
    match value {
        Expression::Constant(value) => Expression::Constant(value ^ Value::MIN),
        value => binary(BinaryOperator::BitXor, value, Expression::Constant(Value::MIN)),
    }
}

/// `add`, `sub`, `and`, `or` and `xor` on registers and, locked, on memory.
fn arithmetic(base: &str) -> Option<(BinaryOperator, UpdateOperator)> {
    Some(match base {
        "add" | "inc" => (BinaryOperator::Add, UpdateOperator::Add),
        "sub" | "dec" => (BinaryOperator::Subtract, UpdateOperator::Subtract),
        "and" => (BinaryOperator::BitAnd, UpdateOperator::And),
        "or" => (BinaryOperator::BitOr, UpdateOperator::Or),
        "xor" => (BinaryOperator::BitXor, UpdateOperator::Xor),
        _ => return None,
    })
}

fn ends_cell(token: Token) -> bool {
    token.is("|") || token.is(";") || token.kind == Kind::End
}

fn binary(operator: BinaryOperator, left: Expression, right: Expression) -> Expression {
    Expression::Binary(operator, Box::new(left), Box::new(right))
}

/// What an operator makes of numbers of one size, as one of that size: only sums, differences and shifts to the left leave it.
fn compute(operator: BinaryOperator, left: Expression, right: Expression, integer: Integer) -> Expression {
    let value = binary(operator, left, right);
    match operator {
        BinaryOperator::Add | BinaryOperator::Subtract | BinaryOperator::ShiftLeft => cut(value, integer),
        _ => value,
    }
}

/// What an instruction leaves in its destination.
fn changed(base: &str, old: Expression, source: Expression, integer: Integer) -> Expression {
    match (base, arithmetic(base)) {
        (_, Some((operator, _))) => compute(operator, old, source, integer),
        ("neg", _) => cut(Expression::Unary(UnaryOperator::Negate, Box::new(old)), integer),
        ("not", _) => Expression::Unary(UnaryOperator::Complement, Box::new(old)),
        _ => source,
    }
}

/// An operand that is a constant, as one of its size.
fn constant_of(operand: Expression, integer: Integer) -> Expression {
    match operand {
        Expression::Constant(_) => cut(operand, integer),
        operand => operand,
    }
}

fn access(kind: AccessKind, place: Place, mode: Mode, span: Span) -> Expression {
    Expression::Access(Box::new(Access { kind, place, mode, span }))
}

impl<'t> Parser<'t> {
    fn thread(&mut self, starts: &[usize]) {
        let mut lines = Vec::new();
        for start in starts {
            self.cursor.go_to(*start);
            // A message about a cell does not keep the next one from being read.
            let _ = self.cell(&mut lines);
        }
        // Where it ends anyway.
        if matches!(lines.last(), Some(Line::Jump { label: END, .. })) {
            lines.pop();
        }
        let mut labels = FxHashMap::default();
        let mut steps: Vec<Vec<Step>> = Vec::new();
        // The jumps' targets, until all labels are known.
        let mut jumps = Vec::new();
        // What set the flags last: its line and its place among the steps.
        let mut setter = None;
        for (index, line) in lines.iter().enumerate() {
            match line {
                Line::Label(label, span) => {
                    setter = None;
                    if labels.insert(*label, steps.len()).is_some() {
                        let message = format!("a second label `{}` in this thread", shortened(label));
                        self.cursor.error(*span, message, Some("give it another name"));
                    }
                }
                Line::Do { before, statement, flags } => {
                    if *flags != Flags::Kept {
                        setter = Some((index, steps.len()));
                    }
                    steps.push(before.iter().chain([statement]).cloned().map(Step::Do).collect());
                }
                Line::Compare { span, .. } => {
                    if !used(&lines[index + 1..]) {
                        let help = Some("put a conditional jump, `setcc` or `cmov` right after it, or leave it out");
                        self.cursor.error(*span, "nothing depends on this comparison", help);
                    }
                    setter = Some((index, steps.len()));
                    steps.push(Vec::new());
                }
                Line::Jump { mnemonic, label, span } => {
                    jumps.push((steps.len(), *label, *span));
                    let condition = if mnemonic == "jmp" {
                        setter = None;
                        None
                    } else {
                        let again = used(&lines[index + 1..]);
                        let adjacent = setter.is_some_and(|(line, _)| line + 1 == index);
                        let Ok(condition) =
                            self.jump_condition(mnemonic, *span, &lines, &mut setter, &mut steps, adjacent && !again)
                        else {
                            return;
                        };
                        Some(condition)
                    };
                    steps.push(vec![Step::Jump { target: 0, condition, span: *span }]);
                }
                Line::Choose { mnemonic, before, chosen, span } => {
                    let again = used(&lines[index + 1..]);
                    let adjacent = setter.is_some_and(|(line, _)| line + 1 == index) && before.is_empty();
                    let kept = setter;
                    let Ok(condition) =
                        self.jump_condition(mnemonic, *span, &lines, &mut setter, &mut steps, adjacent && !again)
                    else {
                        return;
                    };
                    setter = setter.or(kept.filter(|_| again));
                    let statement = Statement { kind: self.choose(chosen, condition), span: *span };
                    steps.push(before.iter().cloned().chain([statement]).map(Step::Do).collect());
                }
            }
        }
        labels.insert(END, steps.len());
        let moved = self.registers.moved.iter().filter(|(register, _)| self.registers.bases.contains_key(register));
        if let Some(span) = moved.map(|(_, span)| *span).min_by_key(|span| span.start) {
            let help = if self.wide { "`4(%rax)` or `(%rax,%rbx,4)`" } else { "`[EAX+4]` or `[EAX+EBX*4]`" };
            let help = format!("write offsets and indices where memory is accessed: {help}");
            self.cursor.error(
                span,
                "arithmetic on a register that is used as an address is not supported",
                Some(&help),
            );
            return;
        }
        // Where each of them starts once they are in one list.
        let mut starts = vec![0];
        for step in &steps {
            starts.push(starts[starts.len() - 1] + step.len());
        }
        for (at, label, span) in jumps {
            match (labels.get(label), steps[at].last_mut()) {
                (Some(label), Some(Step::Jump { target, .. })) => *target = starts[*label],
                _ => {
                    let message = format!("there is no label `{}` in this thread", shortened(label));
                    self.cursor.error(span, message, None);
                    return;
                }
            }
        }
        let steps: Vec<Step> = steps.into_iter().flatten().collect();
        if let Ok(body) = jumps::structure(&steps, || self.fresh("next")) {
            self.registers.thread.body = body;
        }
    }

    /// The most bits that a thread uses of each register at once. What `lea` computes with and shifts count by are the lowest bits,
    /// whatever the name says.
    fn widest(&mut self, starts: &[usize]) -> [u32; REGISTERS.len()] {
        let mut widest = [0; REGISTERS.len()];
        for start in starts {
            self.cursor.go_to(*start);
            let (mut is_lea, mut is_shift, mut within) = (false, false, false);
            for token in (0..).map(|count| self.cursor.ahead(count)).take_while(|token| !ends_cell(*token)) {
                within = (within || token.is("(") || token.is("[")) && !token.is(")") && !token.is("]");
                let word = token.text.to_ascii_lowercase();
                if does_nothing(&word) {
                    break;
                }
                let base = split(&word).map(|(base, _)| base);
                is_lea |= base == Some("lea");
                is_shift |= base.is_some_and(is_shift_name);
                if let Some((number, size)) = machine_register(&word, self.wide)
                    && !(is_lea && within)
                    && !(is_shift && word == "cl")
                {
                    widest[number] = size.max(widest[number]);
                }
            }
        }
        widest
    }

    /// What a condition makes of a register or a location.
    fn choose(&self, chosen: &Chosen, condition: Expression) -> StatementKind {
        match chosen {
            Chosen::Set(register, bits) => {
                let value = self.registers.written(*register, *bits, condition);
                StatementKind::Assign { register: *register, value }
            }
            Chosen::Store(place) => {
                StatementKind::Write { place: place.clone(), mode: Mode::Relaxed, value: condition }
            }
            Chosen::Move(register, bits, value) => {
                let made = |value| {
                    let value = self.registers.written(*register, *bits, value);
                    Statement { kind: StatementKind::Assign { register: *register, value }, span: Span::default() }
                };
                // The upper half becomes 0 either way.
                let stays = *bits != 32 || self.registers.size(*register) <= 32;
                let otherwise = if stays { Vec::new() } else { vec![made(self.registers.read(*register, *bits))] };
                StatementKind::If { condition, then: vec![made(value.clone())], otherwise }
            }
        }
    }

    /// A register that is none of the machine's.
    fn fresh(&mut self, hint: &str) -> Parse<RegisterId> {
        let thread = &mut self.registers.thread;
        if thread.registers.len() >= herd::MAX_REGISTERS {
            let span = self.cursor.peek().span;
            return self.cursor.fail(span, format!("more than {} registers in a thread", herd::MAX_REGISTERS), None);
        }
        let register = RegisterId(thread.registers.len() as u16);
        thread.registers.push(format!("{hint}_{}", register.0));
        thread.initial.push(0);
        Ok(register)
    }

    /// When a conditional jump is taken. Unless it stands right behind what set the flags, and alone there, what they come
    /// from is kept in registers.
    fn jump_condition(
        &mut self,
        mnemonic: &str,
        span: Span,
        lines: &[Line],
        setter: &mut Option<(usize, usize)>,
        steps: &mut [Vec<Step>],
        alone: bool,
    ) -> Parse<Expression> {
        let Some((line, step)) = *setter else {
            let help = Some("put it after `cmp`, `test`, arithmetic or a locked instruction, with no label between");
            return self.cursor.fail(span, "it is unknown what this jump depends on", help);
        };
        let comparison = jump_condition(mnemonic);
        let zero = || Expression::Constant(0);
        let only_equality = matches!(comparison, Some((BinaryOperator::Equal | BinaryOperator::NotEqual, _)));
        let carry = matches!(mnemonic, "jc" | "jb" | "jnae" | "jnc" | "jnb" | "jae");
        let sign = matches!(mnemonic, "js" | "jns");
        let (left, right, known) = match &lines[line] {
            Line::Compare { left, right, test: true, .. } => {
                (binary(BinaryOperator::BitAnd, left.clone(), right.clone()), zero(), comparison.is_some())
            }
            Line::Compare { left, right, .. } => (left.clone(), right.clone(), comparison.is_some()),
            Line::Do { flags: Flags::Result(result), .. } => (result.clone(), zero(), only_equality || sign),
            Line::Do { flags: Flags::Fetched(..) | Flags::Swapped, .. } => (zero(), zero(), only_equality || sign),
            Line::Do { flags: Flags::Zero(value), .. } => (value.clone(), zero(), only_equality),
            Line::Do { flags: Flags::Carry(value), .. } => (value.clone(), zero(), carry),
            _ => (zero(), zero(), false),
        };
        let Some((comparison, is_unsigned)) = comparison.filter(|_| known) else {
            let message = format!("`{mnemonic}` is not supported here");
            let help = "the jumps after `cmp` and `test` are je, jne, jl, jle, jg, jge, ja, jae, jb, jbe, js and \
                        jns; after arithmetic and locked instructions je, jne, js and jns; after bt, bts, btr and \
                        btc jc and jnc";
            return self.cursor.fail(span, message, Some(help));
        };
        // The sign is that of the difference, which may have left its size.
        let difference = match &lines[line] {
            Line::Compare { test: false, integer, .. } if sign => Some(*integer),
            _ => None,
        };
        let compare = |left, right| match is_unsigned {
            _ if let Some(integer) = difference => {
                binary(comparison, compute(BinaryOperator::Subtract, left, right, integer), zero())
            }
            true => binary(comparison, unsigned(left), unsigned(right)),
            false => binary(comparison, left, right),
        };
        let of = lines[line].span();
        let assign =
            |register, value| Step::Do(Statement { kind: StatementKind::Assign { register, value }, span: of });
        Ok(match &lines[line] {
            Line::Do { statement, flags: Flags::Fetched(operator, operand, integer), .. } => {
                let StatementKind::Evaluate(access) = &statement.kind else { return Err(herd::Reported) };
                let (old, result) = (self.kept(&steps[step], 0, "fetched")?, self.kept(&steps[step], 1, "result")?);
                let value = compute(*operator, Expression::Register(old), operand.clone(), *integer);
                steps[step] = vec![assign(old, access.clone()), assign(result, value)];
                binary(comparison, Expression::Register(result), zero())
            }
            Line::Do { statement, flags: Flags::Swapped, .. } => {
                let StatementKind::Assign { register, value: Expression::Access(access) } = &statement.kind else {
                    return Err(herd::Reported);
                };
                if sign {
                    return self.cursor.fail(span, format!("`{mnemonic}` is not supported after `cmpxchg`"), None);
                }
                let success = self.kept(&steps[step], 0, "swapped")?;
                let mut access = access.clone();
                if let AccessKind::CompareAndSwap { result, .. } = &mut access.kind {
                    *result = CasResult::Success(*register);
                }
                steps[step] = vec![assign(success, Expression::Access(access))];
                // Taken when equal: when it has succeeded.
                let comparison = opposite_comparison(comparison).unwrap_or(comparison);
                binary(comparison, Expression::Register(success), zero())
            }
            // These depend on a register that nothing else changes.
            Line::Do { flags: Flags::Zero(value), .. } => binary(comparison, value.clone(), zero()),
            Line::Do { flags: Flags::Carry(value), .. } => {
                let set = matches!(mnemonic, "jc" | "jb" | "jnae");
                binary(if set { BinaryOperator::NotEqual } else { BinaryOperator::Equal }, value.clone(), zero())
            }
            _ if alone => {
                *setter = None;
                compare(left, right)
            }
            Line::Do { before, statement, .. } => {
                let result = self.kept(&steps[step], before.len() + 1, "result")?;
                steps[step] = before.iter().chain([statement]).cloned().map(Step::Do).collect();
                steps[step].push(assign(result, left));
                binary(comparison, Expression::Register(result), zero())
            }
            _ => {
                let (a, b) = (self.kept(&steps[step], 0, "left")?, self.kept(&steps[step], 1, "right")?);
                steps[step] = vec![assign(a, left), assign(b, right)];
                compare(Expression::Register(a), Expression::Register(b))
            }
        })
    }

    /// The register that one of the steps assigns to if it has been made for that, or a new one.
    fn kept(&mut self, steps: &[Step], at: usize, hint: &str) -> Parse<RegisterId> {
        if let Some(Step::Do(Statement { kind: StatementKind::Assign { register, .. }, .. })) = steps.get(at)
            && self.registers.thread.registers[register.0 as usize] == format!("{hint}_{}", register.0)
        {
            return Ok(*register);
        }
        self.fresh(hint)
    }

    fn at_cell_end(&self) -> bool {
        ends_cell(self.cursor.peek())
    }

    fn cell(&mut self, lines: &mut Vec<Line<'t>>) -> Parse<()> {
        while self.cursor.peek().kind == Kind::Word && self.cursor.ahead(1).is(":") {
            let label = self.cursor.next();
            self.cursor.next();
            lines.push(Line::Label(label.text, label.span));
        }
        if self.at_cell_end() {
            return Ok(());
        }
        let start = self.cursor.peek().span;
        let length = (1..).find(|count| ends_cell(self.cursor.ahead(*count))).unwrap_or(1);
        let span = join(start, self.cursor.ahead(length - 1).span);
        let line = self.instruction(span)?;
        if !self.at_cell_end() {
            return self.cursor.unexpected("the end of the instruction");
        }
        lines.push(line);
        Ok(())
    }

    /// An instruction, from the lock prefix on; `span` is all of it.
    fn instruction(&mut self, span: Span) -> Parse<Line<'t>> {
        let mut token = self.cursor.word("an instruction")?;
        let mut locked = false;
        while PREFIXES.contains(&token.text.to_ascii_lowercase().as_str()) && self.cursor.peek().kind == Kind::Word {
            let next = self.cursor.peek().text.to_ascii_lowercase();
            if !does_nothing(&next) && !is_return(&next) && !PREFIXES.contains(&next.as_str()) {
                break;
            }
            token = self.cursor.next();
        }
        if token.text.eq_ignore_ascii_case("lock") {
            locked = true;
            token = self.cursor.word("an instruction after `lock`")?;
        }
        let mnemonic = token.text.to_ascii_lowercase();
        let statement =
            |kind| Ok(Line::Do { before: Vec::new(), statement: Statement { kind, span }, flags: Flags::Kept });
        if let Some((why, help)) = unsupported(&mnemonic) {
            let message = format!("`{mnemonic}` is not supported: {why}");
            return self.cursor.fail(token.span, message, Some(help));
        }
        match mnemonic.as_str() {
            _ if locked && !self.lockable(&mnemonic) => {
                let help = Some(if mnemonic.starts_with("neg") {
                    "negate in a loop around `lock cmpxchg`"
                } else {
                    "`lock` goes before add, sub, and, or, xor, inc, dec, not, xchg, xadd, cmpxchg, bts, btr and btc"
                });
                return self.cursor.fail(token.span, format!("`{}` can't be locked", shortened(token.text)), help);
            }
            "mfence" => return statement(StatementKind::Fence(Mode::SequentiallyConsistent)),
            "lfence" | "sfence" => {
                let message = format!("`{mnemonic}` has no effect: TSO keeps the order of loads and of stores anyway");
                self.cursor.note(Severity::Note, span, message, Some("`mfence` orders stores before loads"));
                return statement(StatementKind::Skip);
            }
            _ if does_nothing(&mnemonic) => {
                while !self.at_cell_end() {
                    self.cursor.next();
                }
                return statement(StatementKind::Skip);
            }
            _ if is_return(&mnemonic) => return Ok(Line::Jump { mnemonic: "jmp".to_owned(), label: END, span }),
            "jmp" => return self.jump(mnemonic, span),
            _ if mnemonic.starts_with('j') => return self.jump(mnemonic, span),
            _ => {}
        }
        if let Some((keeps_sign, from, to)) = extension(&mnemonic) {
            return self.extend(token, keeps_sign, [from, to], span);
        }
        if let Some((jump, sets, size)) = chosen_by(&mnemonic) {
            return self.choice(token, jump, sets, size, span);
        }
        let Some((base, suffix)) = split(&mnemonic) else {
            let message = format!("`{}` is not supported", shortened(token.text));
            let help = "the instructions are mov, movzx, movsx, lea, xchg, xadd, cmpxchg, add, sub, and, or, xor, inc, \
                        dec, neg, not, shl, sal, shr, sar, bt, bts, btr, btc, mfence, nop, and jumps, setcc and cmov \
                        after cmp, test and arithmetic";
            return self.cursor.fail(token.span, message, Some(help));
        };
        self.computes_address = base == "lea";
        let operands = self.operands()?;
        if base == "lea" {
            return self.load_address(token, suffix, operands, span);
        }
        if is_shift_name(base) {
            return self.shift(token, base, suffix, operands, span);
        }
        let has_parts =
            matches!(base, "mov" | "cmp" | "test" | "not" | "neg" | "inc" | "dec") || arithmetic(base).is_some();
        let size = self.check_sizes(token, suffix, &operands, has_parts)?;
        let integer = self.size_of(base, size, &operands);
        self.check_immediates(integer, &operands, span)?;
        let mut operands =
            operands.into_iter().map(|operand| self.resolve(operand, size)).collect::<Parse<Vec<Operand>>>()?;
        if self.wide {
            // From here on, the destination is the first one.
            operands.reverse();
        }
        let wanted = if matches!(base, "inc" | "dec" | "neg" | "not") { 1 } else { 2 };
        if operands.len() != wanted {
            let message = format!("`{mnemonic}` has {wanted} operands, not {}", operands.len());
            return self.cursor.fail(span, message, None);
        }
        let source = operands.get(1).cloned();
        let destination = operands.swap_remove(0);
        let part = match &destination {
            Operand::Register(register, bits) => self.registers.read(*register, *bits),
            _ => Expression::Constant(0),
        };
        if let (Operand::Memory(_), Some(Operand::Memory(_))) = (&destination, &source) {
            let help = Some("go through a register");
            return self.cursor.fail(span, "an instruction has at most one operand in memory", help);
        }
        let kind = match base {
            "cmp" | "test" => {
                let left = self.value(destination, span);
                let right = source.map_or(Expression::Constant(0), |source| self.value(source, span));
                let [left, right] = [left, right].map(|operand| constant_of(operand, integer));
                return Ok(Line::Compare { left, right, test: base == "test", integer, span });
            }
            "bt" | "bts" | "btr" | "btc" => return self.bit(base, locked, destination, source, integer, span),
            "xadd" | "cmpxchg" if !locked => return self.exchange_in_steps(base, destination, source, integer, span),
            "xchg" | "xadd" | "cmpxchg" => self.exchange(base, destination, source, integer, span)?,
            _ => self.arithmetic(base, locked, destination, source, integer, span)?,
        };
        let flags = match &kind {
            _ if matches!(base, "mov" | "not" | "xchg") => Flags::Kept,
            StatementKind::Evaluate(Expression::Access(access)) => match (&access.kind, arithmetic(base)) {
                (AccessKind::Update { operand, .. }, Some((operator, _))) => {
                    Flags::Fetched(operator, operand.clone(), integer)
                }
                _ => Flags::Lost,
            },
            StatementKind::Assign { .. } if !matches!(base, "xadd" | "cmpxchg") => Flags::Result(part),
            StatementKind::Assign { .. } if base == "cmpxchg" => Flags::Swapped,
            _ => Flags::Lost,
        };
        Ok(Line::Do { before: Vec::new(), statement: Statement { kind, span }, flags })
    }

    fn lockable(&self, mnemonic: &str) -> bool {
        split(mnemonic).is_some_and(|(base, _)| !matches!(base, "mov" | "neg" | "cmp" | "test" | "lea" | "bt"))
    }

    fn jump(&mut self, mnemonic: String, span: Span) -> Parse<Line<'t>> {
        let label = self.cursor.word("a label")?;
        Ok(Line::Jump { mnemonic, label: label.text, span })
    }

    /// The operands of `xchg`, `xadd` and `cmpxchg`.
    fn exchanged(
        &mut self,
        base: &str,
        destination: Operand,
        source: Option<Operand>,
        span: Span,
    ) -> Parse<(Place, RegisterId)> {
        match (destination, source) {
            (Operand::Memory(place), Some(Operand::Register(register, _))) => Ok((place, register)),
            (Operand::Register(register, _), Some(Operand::Memory(place))) if base == "xchg" => Ok((place, register)),
            _ => {
                let help = Some("exchange two registers with three `mov`");
                self.cursor.fail(span, format!("`{base}` needs a register and memory"), help)
            }
        }
    }

    /// The register that `cmpxchg` compares with, which is as large as the instruction says.
    fn accumulator(&mut self, integer: Integer, span: Span) -> Parse<RegisterId> {
        let (register, bits) = (self.registers.id(0), integer.bits());
        let known = &mut self.registers.widest[0];
        *known = if *known == 0 { bits } else { *known };
        if *known != bits {
            let name = canonical(0, self.wide);
            let message =
                format!("`cmpxchg` compares with {bits} bits of `{name}`, which is used with {known} bits elsewhere");
            return self.cursor.fail(span, message, Some("use one size for both"));
        }
        Ok(register)
    }

    /// `xadd` and `cmpxchg` without `lock`: a read and a write, with others between them if it comes to that.
    fn exchange_in_steps(
        &mut self,
        base: &str,
        destination: Operand,
        source: Option<Operand>,
        integer: Integer,
        span: Span,
    ) -> Parse<Line<'t>> {
        let (place, register) = self.exchanged(base, destination, source, span)?;
        let made = |kind| Statement { kind, span };
        let assign = |register, value| made(StatementKind::Assign { register, value });
        let old = self.fresh("old")?;
        let mut before = vec![assign(old, self.value(Operand::Memory(place.clone()), span))];
        let (old, own) = (Expression::Register(old), Expression::Register(register));
        let write = |value| made(StatementKind::Write { place, mode: Mode::Relaxed, value });
        if base == "xadd" {
            self.registers.moved.entry(register).or_insert(span);
            before.push(write(compute(BinaryOperator::Add, old.clone(), own, integer)));
            return Ok(Line::Do { before, statement: assign(register, old), flags: Flags::Lost });
        }
        let accumulator = self.accumulator(integer, span)?;
        let failed = self.fresh("failed")?;
        before.push(assign(failed, binary(BinaryOperator::NotEqual, old.clone(), Expression::Register(accumulator))));
        let failed = Expression::Register(failed);
        let (then, otherwise) = (vec![assign(accumulator, old)], vec![write(own)]);
        let statement = made(StatementKind::If { condition: failed.clone(), then, otherwise });
        Ok(Line::Do { before, statement, flags: Flags::Zero(failed) })
    }

    /// `bt`, `bts`, `btr` and `btc`: the carry is the bit that was there.
    fn bit(
        &mut self,
        base: &str,
        locked: bool,
        destination: Operand,
        source: Option<Operand>,
        integer: Integer,
        span: Span,
    ) -> Parse<Line<'t>> {
        let size = integer.bits();
        let number = match source {
            Some(Operand::Immediate(number)) => u32::try_from(number).ok().filter(|number| *number < size),
            _ => None,
        };
        let Some(number) = number else {
            let help = format!("write its number, 0 to {}", size - 1);
            return self.cursor.fail(span, format!("`{base}` needs the number of a bit"), Some(&help));
        };
        let mask = 1 << number;
        let (operator, update, operand) = match base {
            "btr" => (BinaryOperator::BitAnd, UpdateOperator::And, !mask),
            "btc" => (BinaryOperator::BitXor, UpdateOperator::Xor, mask),
            _ => (BinaryOperator::BitOr, UpdateOperator::Or, mask),
        };
        let (operand, mask) = (Expression::Constant(integer.convert(operand)), integer.convert(mask));
        let made = |kind| Statement { kind, span };
        let old = self.fresh("old")?;
        let assign = |value| made(StatementKind::Assign { register: old, value });
        let flags = Flags::Carry(binary(BinaryOperator::BitAnd, Expression::Register(old), Expression::Constant(mask)));
        let changed = binary(operator, Expression::Register(old), operand.clone());
        let (before, statement) = match destination {
            Operand::Memory(place) if locked => {
                let kind = AccessKind::Update { operator: update, operand, integer };
                (Vec::new(), assign(access(kind, place, Mode::SequentiallyConsistent, span)))
            }
            _ if locked => return self.cursor.fail(span, "`lock` needs an operand in memory", None),
            Operand::Register(..) | Operand::Memory(_) if base == "bt" => {
                (Vec::new(), assign(self.value(destination, span)))
            }
            Operand::Memory(place) => {
                let write = StatementKind::Write { place: place.clone(), mode: Mode::Relaxed, value: changed };
                (vec![assign(self.value(Operand::Memory(place), span))], made(write))
            }
            Operand::Register(register, _) => {
                let before = vec![assign(Expression::Register(register))];
                (before, made(StatementKind::Assign { register, value: changed }))
            }
            Operand::Immediate(_) => {
                return self.cursor.fail(span, format!("`{base}` needs a register or memory"), None);
            }
        };
        Ok(Line::Do { before, statement, flags })
    }

    /// `lea`: what memory is named, without an access.
    fn load_address(
        &mut self,
        token: Token,
        suffix: Option<u32>,
        mut operands: Vec<Operand<Memory>>,
        span: Span,
    ) -> Parse<Line<'t>> {
        if self.wide {
            operands.reverse();
        }
        let size = self.check_sizes(token, suffix, operands.get(..1).unwrap_or_default(), true)?;
        let (register, bits, memory) = match &operands[..] {
            [Operand::Register(register, bits), Operand::Memory(memory)] => (*register, *bits, memory),
            _ => return self.cursor.fail(span, "`lea` needs a register and an operand in memory", None),
        };
        let address = if self.wide { 64 } else { 32 };
        let value = match memory.base {
            Base::Object(object) if memory.bytes == 0 && memory.index.is_none() => {
                if bits < address {
                    return self.cursor.fail(span, format!("an address has {address} bits, not {bits}"), None);
                }
                Expression::Constant(Address { object, offset: 0 }.value())
            }
            Base::Object(_) => {
                let help = "write the offset where memory is accessed, or put the address into the initial values: \
                            `{ 0:rax=&q[1]; }`";
                return self.cursor.fail(
                    span,
                    "`lea` with an offset or an index from a name is not supported",
                    Some(help),
                );
            }
            Base::Register(base) if memory.bytes == 0 && memory.index.is_none() => {
                self.registers.bases.entry(base).or_insert(memory.span);
                self.computed(token, base, bits)?
            }
            // A sum of numbers, of which the lowest bits count.
            Base::Register(base) => {
                let integer = integer(size);
                let mut value = self.computed(token, base, bits)?;
                for moved in [Some(base), memory.index.map(|(index, _)| index), Some(register)].into_iter().flatten() {
                    self.registers.moved.entry(moved).or_insert(span);
                }
                if let Some((index, scale)) = memory.index {
                    let index = self.computed(token, index, bits)?;
                    let scaled = if scale == 1 {
                        index
                    } else {
                        binary(BinaryOperator::Multiply, index, Expression::Constant(scale))
                    };
                    value = binary(BinaryOperator::Add, value, scaled);
                }
                if memory.bytes != 0 {
                    value = binary(BinaryOperator::Add, value, Expression::Constant(memory.bytes));
                }
                cut(value, integer)
            }
        };
        let value = self.registers.written(register, bits, value);
        let statement = Statement { kind: StatementKind::Assign { register, value }, span };
        Ok(Line::Do { before: Vec::new(), statement, flags: Flags::Kept })
    }

    /// A register that `lea` computes with, of which so many bits count.
    fn computed(&mut self, token: Token, register: RegisterId, bits: u32) -> Parse<Expression> {
        let known = self.registers.size(register);
        if known < bits && known > 0 {
            let name = &self.registers.thread.registers[usize::from(register.0)];
            let message = format!("{bits} bits of `{name}`, of which only {known} are known here");
            let help = "let `lea` write as many bits as the registers have elsewhere, or use the whole register there";
            return self.cursor.fail(token.span, message, Some(help));
        }
        Ok(self.registers.read(register, bits))
    }

    fn operands(&mut self) -> Parse<Vec<Operand<Memory>>> {
        let mut operands = vec![self.operand()?];
        while self.cursor.eat(",").is_some() {
            operands.push(self.operand()?);
        }
        Ok(operands)
    }

    /// `shl`, `sal`, `shr` and `sar`, by a number, by the register cl, or by 1.
    fn shift(
        &mut self,
        token: Token,
        base: &str,
        suffix: Option<u32>,
        mut operands: Vec<Operand<Memory>>,
        span: Span,
    ) -> Parse<Line<'t>> {
        if self.wide {
            operands.reverse();
        }
        let count = if operands.len() > 1 { operands.pop() } else { Some(Operand::Immediate(1)) };
        let size = self.check_sizes(token, suffix, &operands, true)?;
        let integer = self.size_of(base, size, &operands);
        // The machine looks at the lowest bits of the distance.
        let mask = if integer.bits() == 64 { 63 } else { 31 };
        let (count, is_zero) = match count {
            Some(Operand::Immediate(count)) => (Expression::Constant(count & mask), Some(count & mask == 0)),
            Some(Operand::Register(register, 8)) if self.registers.ids.get(&2) == Some(&register) => {
                (binary(BinaryOperator::BitAnd, Expression::Register(register), Expression::Constant(mask)), None)
            }
            _ => {
                let help = Some("shift by a number, or by the register cl");
                return self.cursor.fail(span, format!("`{base}` can't shift by this"), help);
            }
        };
        let (Some(destination), true) = (operands.pop(), operands.is_empty()) else {
            return self.cursor.fail(span, format!("`{base}` has 1 or 2 operands"), None);
        };
        let shifted = |old: Expression| match base {
            "sar" => binary(BinaryOperator::ShiftRight, old, count.clone()),
            "shr" if integer == Integer::Int64 => {
                binary(BinaryOperator::ShiftRight.in_type(Integer::UInt64), old, count.clone())
            }
            "shr" => {
                let old = Expression::Unary(UnaryOperator::Convert(unsigned_integer(integer)), Box::new(old));
                let value = binary(BinaryOperator::ShiftRight, old, count.clone());
                if is_zero == Some(false) { value } else { cut(value, integer) }
            }
            _ => compute(BinaryOperator::ShiftLeft, old, count.clone(), integer),
        };
        let made = |kind, flags| Ok(Line::Do { before: Vec::new(), statement: Statement { kind, span }, flags });
        match self.resolve(destination, size)? {
            Operand::Register(register, bits) => {
                self.registers.moved.entry(register).or_insert(span);
                let value = shifted(self.registers.read(register, bits));
                let value = self.registers.written(register, bits, value);
                let part = self.registers.read(register, bits);
                // By 0, the flags stay what they are.
                let flags = match is_zero {
                    Some(true) => Flags::Kept,
                    Some(false) => Flags::Result(part),
                    None => Flags::Lost,
                };
                made(StatementKind::Assign { register, value }, flags)
            }
            Operand::Memory(place) => {
                let old = access(AccessKind::Read, place.clone(), Mode::Relaxed, span);
                made(StatementKind::Write { place, mode: Mode::Relaxed, value: shifted(old) }, Flags::Lost)
            }
            Operand::Immediate(_) => self.cursor.fail(span, "an immediate can't be the destination", None),
        }
    }

    /// `movzx` and `movsx`: a number of a smaller size, without its sign or with it.
    fn extend(&mut self, token: Token, keeps_sign: bool, named: [Option<u32>; 2], span: Span) -> Parse<Line<'t>> {
        let mut operands = self.operands()?;
        if self.wide {
            operands.reverse();
        }
        let (Some(source), Some(Operand::Register(register, to)), true) =
            (operands.pop(), operands.pop(), operands.is_empty())
        else {
            let message = format!("`{}` needs a register to write and what to read", shortened(token.text));
            return self.cursor.fail(span, message, None);
        };
        let known = match &source {
            Operand::Register(_, bits) => Some(*bits),
            Operand::Memory(Memory { base: Base::Object(object), .. }) => self.location_sizes.get(object).copied(),
            _ => None,
        };
        let Some(from) = named[0].or(known) else {
            let help = Some("access the location elsewhere by a register of its size, before this");
            return self.cursor.fail(span, "nothing tells how many bits this reads", help);
        };
        if from >= to || named[1].is_some_and(|named| named != to) {
            let message = format!("`{}` has operands of other sizes", shortened(token.text));
            return self.cursor.fail(span, message, None);
        }
        let operands = [source];
        let size = self.check_sizes(token, Some(from), &operands, true)?;
        let [source] = operands;
        let source = self.resolve(source, size)?;
        if matches!(source, Operand::Immediate(_)) {
            return self.cursor.fail(span, "a number has no size to be extended from: use `mov`", None);
        }
        let value = self.value(source, span);
        let integer = integer(Some(from));
        let value = match keeps_sign {
            true => value,
            false => Expression::Unary(UnaryOperator::Convert(unsigned_integer(integer)), Box::new(value)),
        };
        let value = self.registers.written(register, to, value);
        let statement = Statement { kind: StatementKind::Assign { register, value }, span };
        Ok(Line::Do { before: Vec::new(), statement, flags: Flags::Kept })
    }

    /// `setcc` and `cmov`.
    fn choice(&mut self, token: Token, jump: String, sets: bool, suffix: Option<u32>, span: Span) -> Parse<Line<'t>> {
        let mut operands = self.operands()?;
        if self.wide {
            operands.reverse();
        }
        let wanted = if sets { 1 } else { 2 };
        if operands.len() != wanted {
            let message = format!("`{}` has {wanted} operands, not {}", shortened(token.text), operands.len());
            return self.cursor.fail(span, message, None);
        }
        let size = self.check_sizes(token, suffix.or(Some(8).filter(|_| sets)), &operands, true)?;
        let operands =
            operands.into_iter().map(|operand| self.resolve(operand, size)).collect::<Parse<Vec<Operand>>>()?;
        let choose = |before, chosen| Ok(Line::Choose { mnemonic: jump.clone(), before, chosen, span });
        match &operands[..] {
            [Operand::Register(register, bits)] => choose(Vec::new(), Chosen::Set(*register, *bits)),
            [Operand::Memory(place)] => choose(Vec::new(), Chosen::Store(place.clone())),
            [Operand::Register(register, bits), Operand::Register(source, _)] => {
                choose(Vec::new(), Chosen::Move(*register, *bits, self.registers.read(*source, *bits)))
            }
            // Memory is read whatever the condition is.
            [Operand::Register(register, bits), Operand::Memory(_)] => {
                let source = self.fresh("read")?;
                let value = self.value(operands[1].clone(), span);
                let before = Statement { kind: StatementKind::Assign { register: source, value }, span };
                choose(vec![before], Chosen::Move(*register, *bits, Expression::Register(source)))
            }
            _ => {
                let message = format!("`{}` needs a register to write", shortened(token.text));
                self.cursor.fail(span, message, None)
            }
        }
    }

    /// Locked `xadd` and `cmpxchg`, and `xchg`, which always is.
    fn exchange(
        &mut self,
        base: &str,
        destination: Operand,
        source: Option<Operand>,
        integer: Integer,
        span: Span,
    ) -> Parse<StatementKind> {
        let (place, register) = self.exchanged(base, destination, source, span)?;
        let mode = Mode::SequentiallyConsistent;
        if base == "xadd" {
            self.registers.moved.entry(register).or_insert(span);
        }
        let operand = Expression::Register(register);
        let (register, kind) = match base {
            "xchg" => (register, AccessKind::Update { operator: UpdateOperator::Exchange, operand, integer }),
            "xadd" => (register, AccessKind::Update { operator: UpdateOperator::Add, operand, integer }),
            _ => {
                // The value read ends up in the accumulator, also when it is the one that was there.
                let accumulator = self.accumulator(integer, span)?;
                let (expected, result) = (Expression::Register(accumulator), CasResult::ValueRead);
                (
                    accumulator,
                    AccessKind::CompareAndSwap { expected, desired: operand, failure: mode, weak: false, result },
                )
            }
        };
        Ok(StatementKind::Assign { register, value: access(kind, place, mode, span) })
    }

    /// `mov` and arithmetic.
    fn arithmetic(
        &mut self,
        base: &str,
        locked: bool,
        destination: Operand,
        source: Option<Operand>,
        integer: Integer,
        span: Span,
    ) -> Parse<StatementKind> {
        let source = match source {
            Some(source) => constant_of(self.value(source, span), integer),
            None => Expression::Constant(if base == "not" { -1 } else { 1 }),
        };
        Ok(match destination {
            Operand::Immediate(_) => {
                let order =
                    if self.wide { "the destination is the last operand" } else { "the destination comes first" };
                return self.cursor.fail(span, "an immediate can't be the destination", Some(order));
            }
            Operand::Memory(place) if locked => {
                let operator = match (base, arithmetic(base)) {
                    (_, Some((_, operator))) => operator,
                    _ => UpdateOperator::Xor,
                };
                let kind = AccessKind::Update { operator, operand: source, integer };
                StatementKind::Evaluate(access(kind, place, Mode::SequentiallyConsistent, span))
            }
            Operand::Register(..) if locked => {
                return self.cursor.fail(span, "`lock` needs an operand in memory", None);
            }
            Operand::Register(register, bits) => {
                if matches!(base, "add" | "sub" | "inc" | "dec") {
                    self.registers.moved.entry(register).or_insert(span);
                }
                let value = changed(base, self.registers.read(register, bits), source, integer);
                let is_address =
                    |value: &Expression| matches!(value, Expression::Constant(value) if Address::of(*value).is_some());
                if bits < self.registers.size(register) && is_address(&value) {
                    let name = &self.registers.thread.registers[usize::from(register.0)];
                    let message = format!("an address does not fit into {bits} bits of `{name}`");
                    return self.cursor.fail(span, message, Some("use the whole register"));
                }
                let value = self.registers.written(register, bits, value);
                StatementKind::Assign { register, value }
            }
            Operand::Memory(place) => {
                let old = access(AccessKind::Read, place.clone(), Mode::Relaxed, span);
                let value = changed(base, old, source, integer);
                StatementKind::Write { place, mode: Mode::Relaxed, value }
            }
        })
    }

    fn value(&self, operand: Operand, span: Span) -> Expression {
        match operand {
            Operand::Immediate(value) => Expression::Constant(value),
            Operand::Register(register, bits) => self.registers.read(register, bits),
            Operand::Memory(place) => access(AccessKind::Read, place, Mode::Relaxed, span),
        }
    }

    /// `$1`, `$x`, `%eax`, `(x)`, `[x]`, `x(%rip)`, `(%rax)`, `4(%rax)`, `[q+4]`; the marks `$` and `%` may be missing.
    fn operand(&mut self) -> Parse<Operand<Memory>> {
        let token = self.cursor.peek();
        if self.cursor.eat("$").is_some() {
            if self.cursor.peek().kind == Kind::Word {
                let name = self.cursor.next();
                let object = self.objects.declare(&mut self.cursor, name)?;
                return Ok(Operand::Immediate(Address { object, offset: 0 }.value()));
            }
            return Ok(Operand::Immediate(self.cursor.signed()?));
        }
        if token.kind == Kind::Number || token.is("-") {
            let value = self.cursor.signed()?;
            return if self.cursor.at("(") || self.cursor.at("[") {
                self.memory(token.span, None, value)
            } else {
                Ok(Operand::Immediate(value))
            };
        }
        let percent = self.cursor.eat("%").is_some();
        if percent || (token.kind == Kind::Word && machine_register(token.text, self.wide).is_some()) {
            let (register, size) = self.register()?;
            return Ok(Operand::Register(register, size));
        }
        if self.cursor.at("[") || self.cursor.at("(") {
            return self.memory(token.span, None, 0);
        }
        if token.kind == Kind::Word {
            self.cursor.next();
            let mut bytes: Value = 0;
            while self.cursor.at("+") || self.cursor.at("-") {
                let minus = self.cursor.next().is("-");
                let number = self.cursor.number()?;
                bytes = bytes.wrapping_add(if minus { number.wrapping_neg() } else { number });
            }
            if self.cursor.at("(") {
                let object = self.objects.declare(&mut self.cursor, token)?;
                return self.memory(token.span, Some(object), bytes);
            }
            let help =
                if self.wide { "write `(x)` for memory and `%eax` for registers" } else { "write `[x]` for memory" };
            let message = format!("`{}` is not a register", shortened(token.text));
            return self.cursor.fail(token.span, message, Some(help));
        }
        let example = if self.wide { "`$1`, `%eax` or `(x)`" } else { "`$1`, `EAX` or `[x]`" };
        self.cursor.unexpected(&format!("an operand such as {example}"))
    }

    /// A register behind its mark, and its size.
    fn register(&mut self) -> Parse<(RegisterId, u32)> {
        let name = self.cursor.word("a register")?;
        let register = self.registers.find(&mut self.cursor, name)?;
        Ok((register, machine_register(name.text, self.wide).map_or(0, |(_, size)| size)))
    }

    /// A register with an address or an index, which has to be as wide as addresses are.
    fn address_register(&mut self) -> Parse<RegisterId> {
        let token = self.cursor.peek();
        let (register, size) = self.register()?;
        let wanted = if self.wide { 64 } else { 32 };
        if size != wanted {
            let name = &self.registers.thread.registers[register.0 as usize];
            let message = format!("{size} bits of `{name}` in an address");
            let help = format!("addresses have {wanted} bits: use `{name}` only for whole addresses");
            return self.cursor.fail(token.span, message, Some(&help));
        }
        Ok(register)
    }

    /// What is in brackets: a location's name, registers and numbers, in either syntax. Before them may be a name and an
    /// offset.
    fn memory(&mut self, start: Span, mut object: Option<ObjectId>, mut bytes: Value) -> Parse<Operand<Memory>> {
        let close = if self.cursor.next().is("[") { "]" } else { ")" };
        let (mut base, mut index) = (None, None);
        let mut minus = false;
        let mut named = Span::default();
        while !self.cursor.at(",") {
            let token = self.cursor.peek();
            if token.kind == Kind::Number {
                let number = self.cursor.number()?;
                bytes = bytes.wrapping_add(if minus { number.wrapping_neg() } else { number });
            } else if minus {
                return self.cursor.unexpected("a number after `-`");
            } else if token.is("%") || machine_register(token.text, true).is_some() {
                self.cursor.eat("%");
                if self.cursor.peek().text.eq_ignore_ascii_case("rip") && object.is_some() {
                    self.cursor.next();
                } else {
                    let register = self.address_register()?;
                    if self.cursor.eat("*").is_some() {
                        self.set_index(&mut index, register, token.span)?;
                    } else if base.is_none() && object.is_none() {
                        base = Some((register, token.span));
                    } else if index.replace((register, 1)).is_some() {
                        return self.cursor.fail(token.span, "an address has at most one index", None);
                    }
                }
            } else {
                let name = self.cursor.word("a location's name")?;
                let found = self.objects.declare(&mut self.cursor, name)?;
                if object.replace(found).is_some() {
                    return self.cursor.fail(name.span, "an address has at most one name", None);
                }
                named = name.span;
            }
            minus = self.cursor.at("-");
            if self.cursor.eat("+").is_none() && self.cursor.eat("-").is_none() {
                break;
            }
        }
        if self.cursor.eat(",").is_some() {
            let token = self.cursor.peek();
            self.cursor.eat("%");
            let register = self.address_register()?;
            if self.cursor.eat(",").is_some() {
                self.set_index(&mut index, register, token.span)?;
            } else if index.replace((register, 1)).is_some() {
                return self.cursor.fail(token.span, "an address has at most one index", None);
            }
        }
        if !self.cursor.at(close) {
            return self.cursor.unexpected(&format!("`{close}` after the location"));
        }
        self.cursor.next();
        let span = if named.end > 0 && start.start + 1 == named.start { named } else { self.cursor.since(start) };
        if let (Some(_), Some((register, _))) = (object, base.take_if(|_| object.is_some())) {
            // `[EAX+q]`: the name is what the register is added to.
            if index.replace((register, 1)).is_some() {
                return self.cursor.fail(span, "an address has at most one index", None);
            }
        }
        let base = match (object, base) {
            (Some(object), _) => Base::Object(object),
            (None, Some((register, span))) => {
                if !self.computes_address {
                    self.registers.bases.entry(register).or_insert(span);
                }
                Base::Register(register)
            }
            (None, None) => {
                let help = Some("name a location, or a register with an address");
                return self.cursor.fail(span, "an address can't consist of numbers only", help);
            }
        };
        Ok(Operand::Memory(Memory { base, bytes, index, span }))
    }

    /// The number that an index is multiplied by.
    fn set_index(&mut self, index: &mut Option<(RegisterId, Value)>, register: RegisterId, span: Span) -> Parse<()> {
        let scale = self.cursor.number()?;
        if index.replace((register, scale)).is_some() {
            return self.cursor.fail(span, "an address has at most one index", None);
        }
        Ok(())
    }

    /// The operand with an offset in elements, which are as large as the access, of so many bits.
    fn resolve(&mut self, operand: Operand<Memory>, size: Option<u32>) -> Parse<Operand> {
        let Memory { base, bytes, index, span } = match operand {
            Operand::Immediate(value) => return Ok(Operand::Immediate(value)),
            Operand::Register(register, size) => return Ok(Operand::Register(register, size)),
            Operand::Memory(memory) => memory,
        };
        let known = match base {
            Base::Object(object) => self.location_sizes.get(&object).copied(),
            Base::Register(_) => None,
        };
        let unit = Value::from(size.or(known).unwrap_or(32) / 8);
        let scale = index.map_or(unit, |(_, scale)| scale);
        if bytes % unit != 0 || scale != unit {
            let what = if bytes % unit != 0 { bytes } else { scale };
            let message = format!("a step of {what} bytes does not fit memory that is accessed {unit} bytes at a time");
            let help =
                format!("elements are as large as the accesses to them: write multiples of {unit}, or scale by it");
            return self.cursor.fail(span, message, Some(&help));
        }
        let offset = Expression::Constant(bytes / unit);
        let index = match index {
            Some((register, _)) if bytes == 0 => Some(Expression::Register(register)),
            Some((register, _)) => Some(binary(BinaryOperator::Add, Expression::Register(register), offset)),
            None => Some(offset).filter(|_| bytes != 0),
        };
        let place = match base {
            Base::Object(object) => {
                let Object { name, array, .. } = &self.objects.list[object.0 as usize];
                if !array && index.is_some() {
                    let name = shortened(name);
                    let help = format!("give the array's length in the initial values: `{{ int {name}[2]; }}`");
                    return self.cursor.fail(span, format!("`{name}` is not an array"), Some(&help));
                }
                let index = index.or(Some(Expression::Constant(0)).filter(|_| *array));
                Place::element(object, index, span)
            }
            Base::Register(register) => {
                let address = Expression::Register(register);
                let address = match index {
                    Some(index) => binary(BinaryOperator::Add, address, index),
                    None => address,
                };
                Place { kind: PlaceKind::Pointee(address), span }
            }
        };
        Ok(Operand::Memory(place))
    }

    /// The numbers that an instruction computes with. Where nothing tells their size, it is 32 bits from then on if it matters.
    fn size_of(&mut self, base: &str, size: Option<u32>, operands: &[Operand<Memory>]) -> Integer {
        let object = operands.iter().find_map(|operand| match operand {
            Operand::Memory(Memory { base: Base::Object(object), .. }) => Some(*object),
            _ => None,
        });
        let size = size.or_else(|| match base {
            "mov" => {
                self.unsized_locations.insert(object?);
                self.location_sizes.get(&object?).copied()
            }
            _ => Some(*self.location_sizes.entry(object?).or_insert(32)),
        });
        integer(size)
    }

    /// Immediates have to be numbers of the instruction's size, with a sign or without.
    fn check_immediates(&mut self, integer: Integer, operands: &[Operand<Memory>], span: Span) -> Parse<()> {
        let kinds = [integer, unsigned_integer(integer)];
        for operand in operands {
            let Operand::Immediate(value) = operand else { continue };
            let is_address = Address::of(*value).is_some();
            if !is_address && kinds.iter().all(|kind| kind.convert(*value) != *value) {
                let message = format!("{value} does not fit into the {} bits of this instruction", integer.bits());
                let help = if self.wide {
                    "write a smaller number, or use a suffix for more bits"
                } else {
                    "write a smaller number"
                };
                return self.cursor.fail(span, message, Some(help));
            }
        }
        Ok(())
    }

    /// One size for an instruction's operands, and for a location in all instructions: the size of this one, unless nothing tells it.
    /// Some instructions know no parts of registers.
    fn check_sizes(
        &mut self,
        token: Token,
        suffix: Option<u32>,
        operands: &[Operand<Memory>],
        has_parts: bool,
    ) -> Parse<Option<u32>> {
        let help = Some("mixed sizes are not supported here: use one size for a register and for a location");
        let mut size = suffix;
        for operand in operands {
            if let Operand::Register(_, bits) = operand {
                if size.is_some_and(|size| size != *bits) {
                    let message = format!("`{}` has operands of different sizes", shortened(token.text));
                    return self.cursor.fail(token.span, message, help);
                }
                size = Some(*bits);
            }
        }
        let Some(size) = size else { return Ok(None) };
        for operand in operands {
            let (known, name) = match operand {
                Operand::Register(..) if has_parts => continue,
                Operand::Register(register, _) => {
                    (self.registers.size(*register), &self.registers.thread.registers[register.0 as usize])
                }
                Operand::Memory(Memory { base: Base::Object(object), .. }) => {
                    let known = *self.location_sizes.entry(*object).or_insert(size);
                    (known, &self.objects.list[object.0 as usize].name)
                }
                Operand::Immediate(_) | Operand::Memory(_) => continue,
            };
            if known != size {
                let message =
                    format!("{size} bits of `{}`, which is used with {known} bits elsewhere", shortened(name));
                return self.cursor.fail(token.span, message, help);
            }
        }
        Ok(Some(size))
    }
}

/// Writes a program in the given one of the two dialects.
///
/// # Errors
/// [`Unprintable`] for what is no single instruction, such as a statement with two accesses.
pub(super) fn print(program: &Program, notation: Notation) -> Result<String, Unprintable> {
    if program.has_handlers() {
        return Err(Unprintable("assembly has no handlers".to_owned()));
    }
    let wide = notation == Notation::X86_64;
    check_objects(program)?;
    let mut cells = Vec::new();
    let mut objects_seen = Vec::new();
    let mut prefixes = Vec::new();
    // The same program with the registers' names of this dialect, for the lines around the threads.
    let mut renamed = program.clone();
    let sized = matches!(program.notation, Notation::X86 | Notation::X86_64);
    let long = long_constants(program);
    if sized && !wide && long {
        return Err(Unprintable("this dialect has numbers of 32 bits, and the program has larger ones".to_owned()));
    }
    for (index, thread) in program.threads.iter().enumerate() {
        let mut numbers: Vec<usize> = Vec::new();
        for name in &thread.registers {
            let Some((number, _)) = machine_register(name, true).filter(|(number, _)| wide || *number < NARROW) else {
                return Err(Unprintable(format!("`{name}` is not a register; rename it to eax, ebx, ecx, ...")));
            };
            if numbers.contains(&number) {
                return Err(Unprintable(format!("two variables would be the register {}", canonical(number, wide))));
            }
            numbers.push(number);
        }
        renamed.threads[index].registers = numbers.iter().map(|number| canonical(*number, wide)).collect();
        let mut printer = Printer {
            program,
            numbers: &numbers,
            wide,
            sized,
            long,
            integers: &thread.integers,
            labels: 0,
            registers_seen: Vec::new(),
            objects_seen: &mut objects_seen,
            cells: Vec::new(),
        };
        printer.block(&thread.body)?;
        let (mut seen, column) = (printer.registers_seen, printer.cells);
        cells.push(column);
        for observable in herd::tail_observables(program) {
            if let Observable::Register { thread, register } = observable
                && thread as usize == index
            {
                seen.push(register.0 as usize);
            }
        }
        prefixes.push(herd::prefix(numbers.len(), herd::initialised_registers(thread), seen.into_iter()));
    }
    objects_seen.extend(herd::tail_objects(program));
    let objects = herd::prefix(program.objects.len(), herd::initialised_objects(program), objects_seen.into_iter());
    let initial = herd::print_initial_values(&renamed, objects, &prefixes);
    let tail = herd::print_tail(&renamed)?;
    let architecture = if wide { "X86_64" } else { "X86" };
    let mut text = format!("{architecture} {}\n{initial}\n", herd::print_name(program));
    let width = |column: &Vec<String>| column.iter().map(String::len).max().unwrap_or(0).max(3);
    let widths: Vec<usize> = cells.iter().map(width).collect();
    let rows = cells.iter().map(Vec::len).max().unwrap_or(0);
    let mut row = |cell: &dyn Fn(usize) -> String| {
        let cells: Vec<String> = widths.iter().enumerate().map(|(i, width)| format!(" {:width$} ", cell(i))).collect();
        text.push_str(&format!("{};\n", cells.join("|")));
    };
    row(&|thread| format!("P{}", herd::thread_number(program, thread)));
    for number in 0..rows {
        row(&|thread| cells[thread].get(number).cloned().unwrap_or_default());
    }
    text.push_str(tail.trim_start_matches('\n'));
    text.push('\n');
    Ok(text)
}

fn check_objects(program: &Program) -> Result<(), Unprintable> {
    for object in &program.objects {
        if machine_register(&object.name, true).is_some() || !herd::is_name(&object.name) {
            return Err(Unprintable(format!("`{}` can't be a location in assembly; rename it", object.name)));
        }
    }
    if program.threads.is_empty() {
        return Err(Unprintable("assembly needs at least one thread".to_owned()));
    }
    Ok(())
}

/// Whether some constant does not fit into 32 bits, so that the 64-bit instructions are due.
fn long_constants(program: &Program) -> bool {
    fn long(expression: &Expression) -> bool {
        match expression {
            Expression::Constant(value) => i32::try_from(*value).is_err(),
            Expression::Register(_) => false,
            Expression::Access(access) => match &access.kind {
                AccessKind::Update { operand, .. } => long(operand),
                _ => false,
            },
            Expression::Unary(_, operand) => long(operand),
            Expression::Binary(_, left, right) => long(left) || long(right),
        }
    }
    fn any(statements: &[Statement]) -> bool {
        statements.iter().any(|statement| match &statement.kind {
            StatementKind::Write { value, .. }
            | StatementKind::Assign { value, .. }
            | StatementKind::Evaluate(value) => long(value),
            StatementKind::If { condition, then, .. } => long(condition) || any(then),
            _ => false,
        })
    }
    program.threads.iter().any(|thread| any(&thread.body))
}

struct Printer<'p> {
    program: &'p Program,
    /// The machine's number of each register.
    numbers: &'p [usize],
    wide: bool,
    /// Registers and locations have sizes of their own.
    sized: bool,
    /// If not: 64-bit instructions instead of 32-bit ones.
    long: bool,
    /// By register, its type.
    integers: &'p [Integer],
    labels: usize,
    /// In the order of the text, as the other one.
    registers_seen: Vec<usize>,
    objects_seen: &'p mut Vec<usize>,
    cells: Vec<String>,
}

fn too_complex() -> Unprintable {
    Unprintable("an expression of more than one instruction; split it into several statements".to_owned())
}

impl Printer<'_> {
    fn block(&mut self, statements: &[Statement]) -> Result<(), Unprintable> {
        statements.iter().try_for_each(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &Statement) -> Result<(), Unprintable> {
        match &statement.kind {
            StatementKind::Write { place, mode, value } => {
                self.check_mode(*mode)?;
                let target = Expression::Access(Box::new(Access {
                    kind: AccessKind::Read,
                    place: place.clone(),
                    mode: Mode::Relaxed,
                    span: Span::default(),
                }));
                self.computation(&target, value)
            }
            StatementKind::Assign { register, value } => {
                if let Expression::Access(access) = value
                    && access.kind != AccessKind::Read
                {
                    return self.exchange(*register, access);
                }
                self.computation(&Expression::Register(*register), value)
            }
            StatementKind::Evaluate(value) => {
                let Expression::Access(access) = value else { return Err(too_complex()) };
                let AccessKind::Update { operator, operand, .. } = &access.kind else { return Err(too_complex()) };
                let base = match operator {
                    UpdateOperator::Add => "add",
                    UpdateOperator::Subtract => "sub",
                    UpdateOperator::And => "and",
                    UpdateOperator::Or => "or",
                    UpdateOperator::Xor => "xor",
                    UpdateOperator::Exchange | UpdateOperator::Max | UpdateOperator::Min => return Err(too_complex()),
                };
                self.check_locked(access.mode)?;
                self.instruction(&format!("lock {base}"), &self.memory_operand(&access.place), Some(operand))
            }
            StatementKind::Fence(Mode::SequentiallyConsistent) => {
                self.cells.push(if self.wide { "mfence" } else { "MFENCE" }.to_owned());
                Ok(())
            }
            StatementKind::Fence(mode) => {
                Err(Unprintable(format!("x86 has no {} fence; all others are full fences", mode.keyword())))
            }
            StatementKind::Input { .. } | StatementKind::Atomic(_) => {
                Err(Unprintable("herd's programs can't have `input` or `atomic`".to_owned()))
            }
            StatementKind::Skip => {
                self.cells.push(if self.wide { "nop" } else { "NOP" }.to_owned());
                Ok(())
            }
            StatementKind::If { condition, then, otherwise } => {
                if !otherwise.is_empty() {
                    return Err(Unprintable("`else` can't be written with the jumps of this notation".to_owned()));
                }
                self.condition(condition, then)
            }
            StatementKind::While { .. } | StatementKind::Repeat { .. } => {
                Err(Unprintable("loops can't be written with the jumps of this notation".to_owned()))
            }
            StatementKind::Assert(_) | StatementKind::Assume(_) => {
                Err(Unprintable("assembly has no assertions and assumptions".to_owned()))
            }
            StatementKind::Lock(_) | StatementKind::Unlock(_) => {
                Err(Unprintable("lock and unlock can't be written in assembly yet".to_owned()))
            }
            StatementKind::Send { .. } => Err(Unprintable("assembly has no channels".to_owned())),
            StatementKind::Call { .. } | StatementKind::Return(_) => {
                Err(Unprintable("assembly has no concurrent objects".to_owned()))
            }
            StatementKind::Post { .. } => Err(Unprintable("assembly has no handlers".to_owned())),
        }
    }

    fn condition(&mut self, condition: &Expression, then: &[Statement]) -> Result<(), Unprintable> {
        let Expression::Binary(comparison, left, right) = condition else { return Err(too_complex()) };
        let jump = match opposite_comparison(*comparison) {
            Some(BinaryOperator::Equal) => "je",
            Some(BinaryOperator::NotEqual) => "jne",
            Some(BinaryOperator::Less) => "jl",
            Some(BinaryOperator::LessOrEqual) => "jle",
            Some(BinaryOperator::Greater) => "jg",
            Some(BinaryOperator::GreaterOrEqual) => "jge",
            _ => return Err(too_complex()),
        };
        match (&**left, &**right, jump) {
            (Expression::Binary(BinaryOperator::BitAnd, left, right), Expression::Constant(0), "je" | "jne") => {
                self.instruction("test", left, Some(right))?;
            }
            (left, right, _) => self.instruction("cmp", left, Some(right))?,
        }
        let label = format!("L{}", self.labels);
        self.labels += 1;
        let jump = if self.wide { jump.to_owned() } else { jump.to_ascii_uppercase() };
        self.cells.push(format!("{jump} {label}"));
        self.block(then)?;
        self.cells.push(format!("{label}:"));
        Ok(())
    }

    /// `target := value` as `mov` or arithmetic.
    fn computation(&mut self, target: &Expression, value: &Expression) -> Result<(), Unprintable> {
        match value {
            Expression::Unary(operator, old) if **old == *target || same_read(old, target) => match operator {
                UnaryOperator::Negate => self.instruction("neg", target, None),
                UnaryOperator::Complement => self.instruction("not", target, None),
                UnaryOperator::Not | UnaryOperator::Convert(_) => Err(too_complex()),
            },
            Expression::Binary(operator, old, count) if is_shift(*operator) => {
                let size = self.size(target).unwrap_or(32);
                let (base, old) = match (operator, &**old) {
                    (BinaryOperator::ShiftLeft, old) => ("shl", old),
                    (BinaryOperator::ShiftRight, Expression::Unary(UnaryOperator::Convert(unsigned), old))
                        if !unsigned.is_signed() && unsigned.bits() == size =>
                    {
                        ("shr", &**old)
                    }
                    (BinaryOperator::ShiftRight, old) => ("sar", old),
                    (_, old) => ("shr", old),
                };
                if old != target && !same_read(old, target) {
                    return Err(too_complex());
                }
                self.shift(base, target, count)
            }
            Expression::Binary(operator, old, source) if **old == *target || same_read(old, target) => {
                let base = match operator {
                    BinaryOperator::Add => "add",
                    BinaryOperator::Subtract => "sub",
                    BinaryOperator::BitAnd => "and",
                    BinaryOperator::BitOr => "or",
                    BinaryOperator::BitXor => "xor",
                    _ => return Err(too_complex()),
                };
                self.instruction(base, target, Some(source))
            }
            _ => self.instruction("mov", target, Some(value)),
        }
    }

    /// A shift by a number, or by the register cl.
    fn shift(&mut self, base: &str, target: &Expression, count: &Expression) -> Result<(), Unprintable> {
        let count = match count {
            Expression::Constant(count) if (0..64).contains(count) => format!("${count}"),
            Expression::Binary(BinaryOperator::BitAnd, count, _) => match &**count {
                Expression::Register(register) if self.numbers[register.0 as usize] == 2 => {
                    self.registers_seen.push(register.0 as usize);
                    if self.wide { "%cl".to_owned() } else { "CL".to_owned() }
                }
                _ => return Err(too_complex()),
            },
            _ => return Err(too_complex()),
        };
        let suffix = suffix(self.size(target).unwrap_or(32));
        let target = self.operand(target)?;
        self.cells.push(match self.wide {
            true => format!("{base}{suffix} {count},{target}"),
            false => format!("{} {target},{count}", base.to_ascii_uppercase()),
        });
        Ok(())
    }

    fn exchange(&mut self, register: RegisterId, access: &Access) -> Result<(), Unprintable> {
        self.check_locked(access.mode)?;
        let memory = self.memory_operand(&access.place);
        let own = Expression::Register(register);
        match &access.kind {
            AccessKind::Update { operator, operand, .. } if *operand == own => match operator {
                UpdateOperator::Exchange => self.instruction("xchg", &memory, Some(operand)),
                UpdateOperator::Add => self.instruction("lock xadd", &memory, Some(operand)),
                _ => Err(Unprintable("x86 fetches only with xchg and xadd".to_owned())),
            },
            AccessKind::CompareAndSwap { expected, desired, failure, weak: false, result: CasResult::ValueRead }
                if *expected == own && self.numbers[register.0 as usize] == 0 =>
            {
                self.check_locked(*failure)?;
                if !matches!(desired, Expression::Register(_)) {
                    return Err(too_complex());
                }
                self.instruction("lock cmpxchg", &memory, Some(desired))?;
                self.registers_seen.push(register.0 as usize);
                Ok(())
            }
            AccessKind::CompareAndSwap { weak: true, .. } => {
                Err(Unprintable("x86 has no weak compare-and-swap; write it as a strong one".to_owned()))
            }
            AccessKind::CompareAndSwap { .. } => Err(Unprintable(
                "cmpxchg takes the expected value from eax, and leaves the value read there".to_owned(),
            )),
            _ => Err(Unprintable("xchg and xadd take their operand from the register they change".to_owned())),
        }
    }

    /// An instruction in the dialect's order, with the size's suffix in AT&T syntax.
    fn instruction(
        &mut self,
        name: &str,
        destination: &Expression,
        source: Option<&Expression>,
    ) -> Result<(), Unprintable> {
        let is_memory = |operand: &Expression| matches!(operand, Expression::Access(_));
        if is_memory(destination) && source.is_some_and(is_memory) {
            return Err(Unprintable("an instruction with two operands in memory; go through a register".to_owned()));
        }
        let size = self.size(destination).or(source.and_then(|source| self.size(source))).unwrap_or(32);
        let text = if self.wide {
            let source = source.map(|source| self.operand(source)).transpose()?;
            let destination = self.operand(destination)?;
            let suffix = suffix(size);
            match source {
                Some(source) => format!("{name}{suffix} {source},{destination}"),
                None => format!("{name}{suffix} {destination}"),
            }
        } else {
            let destination = self.operand(destination)?;
            let name = name.to_ascii_uppercase();
            match source {
                Some(source) => format!("{name} {destination},{}", self.operand(source)?),
                None => format!("{name} {destination}"),
            }
        };
        self.cells.push(text);
        Ok(())
    }

    /// How many bits an operand has, if it tells.
    fn size(&self, operand: &Expression) -> Option<u32> {
        match operand {
            Expression::Register(register) => Some(self.register_size(*register)),
            Expression::Access(access) if self.sized => {
                let object = access.place.object()?;
                Some(self.most(self.program.objects[usize::from(object.0)].integer.bits()))
            }
            Expression::Access(_) => Some(if self.long { 64 } else { 32 }),
            _ => None,
        }
    }

    fn register_size(&self, register: RegisterId) -> u32 {
        match self.sized {
            true => self.most(self.integers.get(usize::from(register.0)).copied().unwrap_or_default().bits()),
            false if self.long && self.wide => 64,
            false => 32,
        }
    }

    /// The 32-bit machine has no more than 32 bits.
    fn most(&self, bits: u32) -> u32 {
        if self.wide { bits } else { bits.min(32) }
    }

    fn operand(&mut self, operand: &Expression) -> Result<String, Unprintable> {
        match operand {
            Expression::Constant(value) if self.program.address(*value).is_some() => {
                Err(Unprintable("addresses can't be written in assembly".to_owned()))
            }
            Expression::Constant(value) => Ok(format!("${value}")),
            Expression::Register(register) => {
                self.registers_seen.push(register.0 as usize);
                let number = self.numbers[register.0 as usize];
                let name = REGISTERS[number][(64 / self.register_size(*register)).trailing_zeros() as usize];
                Ok(if self.wide { format!("%{name}") } else { name.to_ascii_uppercase() })
            }
            Expression::Access(access) if access.kind == AccessKind::Read => {
                self.check_mode(access.mode)?;
                let PlaceKind::Element { object, index: None } = access.place.kind else {
                    return Err(Unprintable("arrays and pointers can't be written in assembly".to_owned()));
                };
                self.objects_seen.push(object.0 as usize);
                let name = &self.program.objects[object.0 as usize].name;
                Ok(if self.wide { format!("({name})") } else { format!("[{name}]") })
            }
            _ => Err(too_complex()),
        }
    }

    /// A place as an operand.
    fn memory_operand(&self, place: &Place) -> Expression {
        access(AccessKind::Read, place.clone(), Mode::Relaxed, Span::default())
    }

    fn check_mode(&self, mode: Mode) -> Result<(), Unprintable> {
        if mode == Mode::Relaxed {
            return Ok(());
        }
        Err(Unprintable(format!("x86's loads and stores are relaxed, not {}", mode.keyword())))
    }

    fn check_locked(&self, mode: Mode) -> Result<(), Unprintable> {
        if mode == Mode::SequentiallyConsistent {
            return Ok(());
        }
        Err(Unprintable(format!("x86's read-modify-writes are sequentially consistent, not {}", mode.keyword())))
    }
}

/// How AT&T's names say so many bits.
fn suffix(size: u32) -> char {
    match size {
        8 => 'b',
        16 => 'w',
        32 => 'l',
        _ => 'q',
    }
}

fn is_shift(operator: BinaryOperator) -> bool {
    matches!(operator.untyped(), BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight)
}

/// Whether both read the same place, wherever they are written.
fn same_read(left: &Expression, right: &Expression) -> bool {
    match (left, right) {
        (Expression::Access(left), Expression::Access(right)) => {
            left.kind == AccessKind::Read
                && right.kind == AccessKind::Read
                && left.mode == right.mode
                && left.place.object().is_some_and(|object| right.place.object() == Some(object))
                && left.place.operand().is_none()
                && right.place.operand().is_none()
        }
        _ => false,
    }
}

#[cfg(test)]
mod sweep;
#[cfg(test)]
mod tests;
