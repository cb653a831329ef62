//! What is done before there are threads.
//!
//! Nobody else is there, so it is run once, when a program becomes code: what it leaves in memory are the initial values, and the calls
//! that it makes are kept. So it has no events, whatever explores the program knows nothing of it, and it happens before all that threads
//! do under every model, as initial values do.
//!
//! The calls stand in front of each history. The alternative, a thread that all others wait for, would put its events into each
//! graph.

use super::{
    Action, Bound, Code, CompileError, ErrorKind, Limits, Location, Operation, Span, ThreadCode, ThreadState, Update,
    Value,
};

/// How many accesses there may be before there are threads.
const MAX_STEPS: u32 = 100_000;

/// Runs what is done before there are threads.
///
/// # Errors
/// What can't be done before there are threads, or does not come to its end.
pub(super) fn run(code: &mut Code, before: ThreadCode) -> Result<(), CompileError> {
    let threads = std::mem::replace(&mut code.threads, vec![before]);
    let done = code.run_alone();
    code.threads = threads;
    done
}

impl Code {
    /// Runs the first thread on the initial values.
    fn run_alone(&mut self) -> Result<(), CompileError> {
        let limits = Limits { unroll: MAX_STEPS, events: MAX_STEPS, unroll_spins: true, ..Limits::default() };
        let mut state = ThreadState::new(self, 0);
        let mut calls = Vec::new();
        let mut held: Vec<(Location, Span)> = Vec::new();
        loop {
            let action = state.advance_through_calls(self, 0, limits, |mark| calls.push(mark));
            let span = state.span(self, 0).unwrap_or_default();
            let refused = |why: &str| Err(CompileError::Before { why: why.to_owned(), span });
            let read = match action {
                Action::Finished => {
                    self.before = calls;
                    let why = "this mutex is never unlocked again".to_owned();
                    return held.first().map_or(Ok(()), |&(_, span)| Err(CompileError::Before { why, span }));
                }
                Action::Library { location, operation: Operation::Lock } => {
                    if held.iter().any(|(held, _)| *held == location) {
                        return refused("this mutex is locked already");
                    }
                    held.push((location, span));
                    None
                }
                // It is held: else there would be an error.
                Action::Library { location, operation: Operation::Unlock } => {
                    held.retain(|(held, _)| *held != location);
                    None
                }
                Action::Read { location, .. } | Action::Update { location, .. }
                    if self.uninitialised[location.0 as usize] =>
                {
                    return refused("this reads a location that was not written yet");
                }
                Action::Read { location, .. } => Some(self.initial[location.0 as usize]),
                Action::Write { location, value, .. } => {
                    self.write(location.0 as usize, value);
                    None
                }
                Action::Update { location, update, .. } => {
                    let read = self.initial[location.0 as usize];
                    self.update(location.0 as usize, update, read);
                    Some(read)
                }
                Action::Fence(_) => None,
                Action::Input => return refused("inputs are for threads"),
                Action::Library { .. } | Action::Get | Action::Post { .. } => {
                    return refused("channels and messages are for threads");
                }
                Action::Error(kind) => return refused(&wrong(kind)),
                Action::Stuck => return refused("this assumption does not hold"),
                Action::Spin | Action::Bound(Bound::Unroll | Bound::Posts | Bound::LocalSteps | Bound::Events) => {
                    return refused(&format!("this has not ended after {MAX_STEPS} steps"));
                }
            };
            state.resume(self, 0, read);
        }
    }

    fn write(&mut self, location: usize, value: Value) {
        self.initial[location] = value;
        self.uninitialised[location] = false;
    }

    fn update(&mut self, location: usize, update: Update, read: Value) {
        if let Some(value) = update.written(read) {
            self.write(location, value);
        }
    }
}

fn wrong(kind: ErrorKind) -> String {
    match kind {
        ErrorKind::AssertionViolated => "this assertion is violated".to_owned(),
        ErrorKind::DivisionByZero => "this divides by zero".to_owned(),
        ErrorKind::SignedOverflow => "this is a signed overflow, which is undefined in C".to_owned(),
        ErrorKind::ShiftOutOfRange => "this is a shift out of range, which is undefined in C".to_owned(),
        ErrorKind::OutOfBounds { offset, .. } => format!("this is out of bounds: there is no element {offset}"),
        ErrorKind::NotAnAddress { value } => format!("this is an access through {value}, which is not an address"),
        ErrorKind::NotMemory { .. } => "this accesses something that is not memory".to_owned(),
        ErrorKind::NotHeld { .. } => "this mutex is not locked".to_owned(),
    }
}
