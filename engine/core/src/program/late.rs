//! What few programs have, when it becomes code: what is done before there are threads, inputs, what is assumed of them, and what is atomic.
//! Natively what does so is there. The page loads it with what reads it.

use super::code::{assumed, refused};
use super::{
    Action, Code, CompileError, Input, InstructionKind, Limits, Location, Program, Span, ThreadCode, ThreadState,
    Value, before,
};
use std::sync::Arc;

/// What of a program's code is no event: only those know it who explore its transition system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beyond {
    /// The first input of a thread.
    pub input: Option<Span>,
    /// The first block that is atomic.
    pub atomic: Option<Span>,
    /// The first input of a thread that has too many values for explorers.
    pub too_large: Option<Span>,
    /// By the first of its locations, how many values an input of a thread has ([`InstructionKind::Input`]).
    pub choices: Vec<(Location, u32)>,
    /// The first range that is declared.
    pub range: Option<Span>,
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
    let mut beyond = beyond(code, program)?;
    if let Some(beyond) = &mut beyond {
        hold_inputs(code, beyond);
    }
    code.beyond = beyond.map(Arc::new);
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
    let (mut inputs, mut range, mut assuming) = (Vec::new(), None, None);
    if let Some(premise) = &program.premise {
        for input in &premise.inputs {
            let location = code.location(input.object, input.offset.into());
            inputs.extend(location.map(|location| (location, input.input.clone())));
        }
        range = premise.ranges.first().map(|range| range.span);
        assuming = premise.assuming.as_ref().map(|assuming| assumed(program, assuming)).transpose()?;
    }
    let first = |is_one: fn(&InstructionKind) -> bool| {
        let mut instructions = code.threads.iter().flat_map(|thread| &thread.instructions);
        instructions.find(|instruction| is_one(&instruction.kind)).map(|instruction| instruction.span)
    };
    let input = first(|kind| matches!(kind, InstructionKind::Input { .. }));
    let atomic = first(|kind| matches!(kind, InstructionKind::Atomic(_)));
    let places = [input, atomic, range];
    let is_any = places.iter().any(Option::is_some) || !inputs.is_empty() || assuming.is_some();
    Ok(is_any.then_some(Beyond { input, atomic, too_large: None, choices: Vec::new(), range, inputs, assuming }))
}

impl Code {
    /// Whether there is a choice of initial values, or something is assumed of them.
    pub fn has_starts(&self) -> bool {
        self.beyond.as_ref().is_some_and(|beyond| !beyond.inputs.is_empty() || beyond.assuming.is_some())
    }

    /// The initial values by location, for each choice of the inputs among them that fits what is assumed, the last input changing
    /// fastest. `None` if there are more than `most` choices.
    pub fn starts(&self, most: usize) -> Option<Vec<Vec<Value>>> {
        let Some(beyond) = &self.beyond else { return Some(vec![self.initial.clone()]) };
        let count = beyond.inputs.iter().fold(1, |count: u128, (_, input)| count.saturating_mul(input.count()));
        if count > most as u128 {
            return None;
        }
        let mut starts = vec![self.initial.clone()];
        for (location, input) in &beyond.inputs {
            let with = |start: &Vec<Value>, value| {
                let mut start = start.clone();
                start[location.0 as usize] = value;
                start
            };
            starts = starts.iter().flat_map(|start| input.values().map(move |value| with(start, value))).collect();
        }
        let Some(assuming) = &beyond.assuming else { return Some(starts) };
        let mut alone = self.clone();
        alone.threads = vec![assuming.clone()];
        starts.retain(|start| {
            let mut state = ThreadState::new(&alone, 0);
            loop {
                match state.advance(&alone, 0, Limits::default()) {
                    Action::Read { location, .. } => state.resume(&alone, 0, Some(start[location.0 as usize])),
                    last => return last == Action::Finished,
                }
            }
        });
        Some(starts)
    }

    /// The same where these are the initial values by location, and nothing is assumed of them.
    #[must_use]
    pub fn starting_with(&self, initial: Vec<Value>) -> Self {
        let mut code = self.clone();
        code.initial = initial;
        if let Some(beyond) = &mut code.beyond {
            let beyond = Arc::make_mut(beyond);
            beyond.inputs.clear();
            beyond.assuming = None;
        }
        code
    }
}

/// How many values of an input explorers go through.
pub const MOST_VALUES: usize = 256;

/// Makes locations that hold the values of the inputs of threads: to choose one is to read from one of them.
fn hold_inputs(code: &mut Code, beyond: &mut Beyond) {
    let mut held: Vec<(Input, Location)> = Vec::new();
    for thread in 0..code.threads.len() {
        for at in 0..code.threads[thread].instructions.len() {
            let InstructionKind::Input { input, .. } = &code.threads[thread].instructions[at].kind else { continue };
            let input = Input::clone(input);
            let known = held.iter().find(|(other, _)| *other == input).map(|(_, first)| *first);
            let mut hold = |code: &mut Code| {
                let few = input.count() <= MOST_VALUES as u128;
                let values: Vec<_> = input.values().take(MOST_VALUES).collect();
                few.then(|| code.hold(&values))
                    .flatten()
                    .inspect(|first| beyond.choices.push((*first, values.len() as u32)))
            };
            let found = known.or_else(|| hold(code));
            let instruction = &mut code.threads[thread].instructions[at];
            match found {
                Some(first) if known.is_none() => held.push((input, first)),
                Some(_) => {}
                None => beyond.too_large = beyond.too_large.or(Some(instruction.span)),
            }
            if let InstructionKind::Input { first, .. } = &mut instruction.kind {
                *first = found;
            }
        }
    }
}
