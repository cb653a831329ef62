//! What few programs have, when it becomes code: what is done before there are threads, inputs, what is assumed of them, and what is atomic.
//! Natively what does so is there. The page loads it with what reads it.

use super::code::{assumed, refused};
use super::{Code, CompileError, Input, InstructionKind, Location, Program, Span, ThreadCode, before};
use std::sync::Arc;

/// What of a program's code is no event: only those know it who explore its transition system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beyond {
    /// The first of it, as the text writes it, and where.
    pub first: (&'static str, Span),
    /// The initial values that are inputs.
    pub inputs: Vec<(Location, Input)>,
    /// What holds at the start whatever inputs are: a thread that reads, and assumes.
    pub assuming: Option<ThreadCode>,
}

/// Adds what few programs have to code whose threads are known, but for what is done before there are any.
#[cfg(target_family = "wasm")]
pub type Finish = fn(&mut Code, &Program, Option<ThreadCode>) -> Result<(), CompileError>;

#[cfg(target_family = "wasm")]
static GIVEN: std::sync::OnceLock<Finish> = std::sync::OnceLock::new();

/// Makes known what adds it, where that was loaded.
#[cfg(target_family = "wasm")]
pub fn give_finish(finish: Finish) {
    let _ = GIVEN.set(finish);
}

/// Adds what few programs have, if what adds it is there.
#[cfg(target_family = "wasm")]
pub(super) fn finish_if_there(
    code: &mut Code,
    program: &Program,
    before: Option<ThreadCode>,
) -> Result<(), CompileError> {
    match GIVEN.get() {
        Some(finish) => finish(code, program, before),
        None => Err(refused("what runs this is still being loaded", Span::default())),
    }
}

/// Adds what few programs have, if what adds it is there.
#[cfg(not(target_family = "wasm"))]
pub(super) fn finish_if_there(
    code: &mut Code,
    program: &Program,
    before: Option<ThreadCode>,
) -> Result<(), CompileError> {
    finish(code, program, before)
}

/// Adds what few programs have.
///
/// # Errors
/// What can't be atomic, or can't be done before there are threads.
// The page gets it later, from a part of its module.
#[cfg_attr(not(target_family = "wasm"), expect(unreachable_pub))]
pub fn finish(code: &mut Code, program: &Program, before: Option<ThreadCode>) -> Result<(), CompileError> {
    code.threads.iter().chain(&before).try_for_each(check_atomic)?;
    code.beyond = beyond(code, program)?.map(Arc::new);
    let Some(before) = before else { return Ok(()) };
    if code.beyond.as_ref().is_some_and(|beyond| !beyond.inputs.is_empty()) {
        let first = program.before.iter().flat_map(|before| &before.body).next();
        let why = "a program with `before` can't have inputs as initial values: its statements run once, on values that are \
                   known";
        return Err(refused(why, first.map(|first| first.span).unwrap_or_default()));
    }
    before::run(code, before)
}

/// Refuses what can't be in one step with other things.
fn check_atomic(thread: &ThreadCode) -> Result<(), CompileError> {
    for (at, begin) in thread.instructions.iter().enumerate() {
        let InstructionKind::Atomic(end) = begin.kind else { continue };
        for instruction in &thread.instructions[at + 1..end] {
            let what = match instruction.kind {
                InstructionKind::EnterLoop(_) => "a loop",
                InstructionKind::Lock(_) => "`lock`",
                InstructionKind::Send { .. } => "`send`",
                InstructionKind::Receive { .. } => "`receive`",
                InstructionKind::Post { .. } => "`post`",
                InstructionKind::Atomic(_) => "another `atomic`",
                // From a method that is called within, a return leads to what comes behind the call.
                InstructionKind::Jump(to) if to > end => "`return`",
                _ => continue,
            };
            return Err(refused(&format!("{what} can't be within `atomic`, which is one step"), instruction.span));
        }
    }
    Ok(())
}

fn beyond(code: &Code, program: &Program) -> Result<Option<Beyond>, CompileError> {
    let (mut inputs, mut assuming) = (Vec::new(), None);
    if let Some(premise) = &program.premise {
        for input in &premise.inputs {
            let location = code.location(input.object, input.offset.into());
            inputs.extend(location.map(|location| (location, input.input.clone())));
        }
        assuming = premise.assuming.as_ref().map(|assuming| assumed(program, assuming)).transpose()?;
    }
    let instructions = code.threads.iter().flat_map(|thread| &thread.instructions);
    let first = instructions.into_iter().find_map(|instruction| match instruction.kind {
        InstructionKind::Input { .. } => Some(("input", instruction.span)),
        InstructionKind::Atomic(_) => Some(("atomic", instruction.span)),
        _ => None,
    });
    let initial = (!inputs.is_empty()).then(|| ("input", Span::default()));
    let first = first.or(initial).or_else(|| assuming.as_ref().map(|_| ("assuming", Span::default())));
    Ok(first.map(|first| Beyond { first, inputs, assuming }))
}
