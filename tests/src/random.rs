//! How large random programs may be, and what tests make of them.

use litmoscope::program::{
    Code, CompileError, Input, Limits, Notation, Program, RegisterId, Span, Statement, StatementKind, Thread,
    ThreadKind,
};
use litmoscope::syntax::{parse, print};
use litmoscope::testing::UNROLL;

/// Limits that random programs are sized for.
pub const LIMITS: Limits = Limits {
    unroll: UNROLL,
    local_steps: 1000,
    events: 1000,
    unroll_spins: true,
    search: u64::MAX,
    table: Limits::TABLE,
};

/// States that a program may have; larger ones are skipped and counted.
pub const CAP: usize = 20_000;

/// The program with all its compare-and-swaps weak; `None` if it has none.
///
/// # Panics
/// If the program can't be printed and read again.
pub fn weaken(program: &Program) -> Option<Program> {
    let text = print(program, Notation::Litmoscope).expect("every program can be printed");
    text.contains("cas(").then(|| parse(&text.replace("cas(", "wcas(")).expect("printed programs are programs").program)
}

/// The program with its last thread behind all others, and a copy of its first one before them if nothing there waits or fails;
/// `None` if it has one thread.
///
/// # Panics
/// If the program can't be compiled.
pub fn with_parts(program: &Program) -> Option<Program> {
    let mut program = program.clone();
    let body = (program.threads.len() > 1).then(|| program.threads.pop())??;
    let first = program.threads.first()?.clone();
    // Conditions may speak of threads that are none any more.
    (program.condition, program.observed, program.filter) = (None, None, None);
    program.threads.push(Thread { kind: ThreadKind::After, name: Some("after".to_owned()), ..body });
    let with_before = Program { before: Some(first), ..program.clone() };
    match Code::compile(&with_before) {
        Ok(_) => Some(with_before),
        Err(CompileError::Before { .. }) => Some(program),
        Err(error) => panic!("{error}"),
    }
}

/// The program with an input in some of its threads, of two or three values, in front of a statement that is likely to use it.
pub fn with_inputs(program: &Program) -> Option<Program> {
    let mut program = program.clone();
    for (at, thread) in program.threads.iter_mut().enumerate() {
        let size = thread.body.len();
        if thread.registers.is_empty() || (at + size) % 3 == 0 {
            continue;
        }
        let input = if size % 2 == 0 { Input::Range(0, 1) } else { Input::Values(vec![2, 0, 1]) };
        let register = RegisterId((size % thread.registers.len()) as u16);
        let kind = StatementKind::Input { register, input: Box::new(input) };
        thread.body.insert((at + size) % (size + 1), Statement { kind, span: Span::default() });
    }
    program.is_beyond_events().then_some(program)
}

/// The program with two statements next to each other in one step, in some of its threads, where they can be.
pub fn with_blocks(program: &Program) -> Option<Program> {
    let mut program = program.clone();
    for at in 0..program.threads.len() {
        let size = program.threads[at].body.len();
        if size < 2 {
            continue;
        }
        let first = at % (size - 1);
        let before = program.clone();
        let body = &mut program.threads[at].body;
        let together: Vec<Statement> = body.drain(first..first + 2).collect();
        body.insert(first, Statement { kind: StatementKind::Atomic(together), span: Span::default() });
        if Code::compile(&program).is_err() {
            program = before;
        }
    }
    program.is_beyond_events().then_some(program)
}

/// The program with one or two more copies of one of its threads, beside it or at the end; `choice` says of which, how
/// many and where.
pub fn with_twins(program: &Program, choice: u64) -> Program {
    let mut program = program.clone();
    let which = choice as usize % program.threads.len();
    let copies = if choice.is_multiple_of(5) && program.threads.len() < 3 { 2 } else { 1 };
    for _ in 0..copies {
        let twin = program.threads[which].clone();
        let at = if choice.is_multiple_of(3) { program.threads.len() } else { which + 1 };
        program.threads.insert(at, twin);
    }
    program
}
