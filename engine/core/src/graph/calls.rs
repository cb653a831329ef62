//! Which events of an execution belong to which call of a concurrent object's method.

use super::{Execution, Label, ThreadId};
use crate::program::{Action, CallMark, Code, EMPTY, Limits, ThreadState, Value};
use serde::{Deserialize, Serialize};

/// What a call came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallResult {
    /// It has not returned.
    Pending,
    /// It returned, without a value.
    Nothing,
    /// It returned `empty`.
    Empty,
    /// It returned a value.
    Value(Value),
}

impl CallResult {
    /// That of a call that returned, with a value or without one.
    pub fn of(value: Option<Value>) -> Self {
        match value {
            None => Self::Nothing,
            Some(EMPTY) => Self::Empty,
            Some(value) => Self::Value(value),
        }
    }
}

/// A thread's call of a method.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Call {
    /// The thread.
    pub thread: ThreadId,
    /// The concurrent object, by its place in [`crate::program::Program::structures`].
    pub structure: u16,
    /// The method, by its place in the object.
    pub method: u16,
    /// The values of its parameters.
    pub arguments: Vec<Value>,
    /// What it came to.
    pub result: CallResult,
    /// How many events of the thread come before it.
    pub behind: u32,
    /// How many it has. What ends a thread, such as a failed assumption, is no event of a call, since nothing is done there.
    pub events: u32,
}

impl Call {
    /// The serial numbers of its first and last event; `None` if it has none.
    pub fn ends(&self) -> Option<(u32, u32)> {
        (self.events > 0).then_some((self.behind + 1, self.behind + self.events))
    }
}

/// The calls of each thread, in the order in which it makes them.
///
/// A thread is run on what its events read. So these have to be what the program does within these limits.
pub fn calls(code: &Code, execution: &Execution, limits: Limits) -> Vec<Vec<Call>> {
    (0..code.threads.len()).map(|thread| of_thread(code, execution, limits, thread)).collect()
}

fn of_thread(code: &Code, execution: &Execution, limits: Limits, thread: usize) -> Vec<Call> {
    let id = ThreadId(thread as u16);
    let mut calls: Vec<Call> = Vec::new();
    let mut state = ThreadState::new(code, thread);
    let events = execution.thread(id);
    for done in 0..=events.len() as u32 {
        let action = state.advance_through_calls(code, thread, limits, |mark| match mark {
            CallMark::Enter { structure, method, arguments } => calls.push(Call {
                thread: id,
                structure,
                method,
                arguments,
                result: CallResult::Pending,
                behind: done,
                events: 0,
            }),
            CallMark::Leave(value) => {
                if let Some(call) = calls.last_mut() {
                    call.result = CallResult::of(value);
                }
            }
        });
        let Some(event) = events.get(done as usize).map(|&e| execution.event(e)) else { break };
        if event.ends_thread() || event.is_read() && event.value_read.is_none() {
            break;
        }
        if let Some(call) = calls.last_mut()
            && call.result == CallResult::Pending
        {
            call.events += 1;
        }
        match (action, event.label) {
            (Action::Get, Label::Get { message: Some(message) }) => {
                state.take_message(code, thread, message, event.value_read.unwrap_or_default());
            }
            (
                Action::Finished | Action::Error(_) | Action::Stuck | Action::Bound(_) | Action::Spin | Action::Get,
                _,
            ) => break,
            _ => state.resume_as(code, thread, event.value_read, event.fails_spuriously()),
        }
    }
    calls
}
