//! How large random programs may be, and what tests make of them.

use litmoscope::program::{Code, CompileError, Limits, Notation, Program, Thread, ThreadKind};
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
