//! What the only thread of a program comes to, for the tests that hold what is computed against compilers and machines.

use super::{parse, render};
use crate::program::{Action, Code, ErrorKind, Integer, Limits, Program, ThreadState, Value};

/// What a thread left in registers and memory.
#[derive(Debug)]
pub(super) struct Outcome {
    program: Program,
    registers: Vec<Value>,
    memory: Vec<Value>,
}

impl Outcome {
    /// The value of the last register of a name, or else of a location without elements, and its type.
    pub(super) fn of(&self, name: &str) -> Option<(Value, Integer)> {
        let thread = &self.program.threads[0];
        if let Some(at) = thread.registers.iter().rposition(|known| known == name) {
            return Some((self.registers[at], thread.integers.get(at).copied().unwrap_or_default()));
        }
        let at = self.program.objects.iter().position(|object| object.name == name)?;
        Some((self.memory[at], self.program.objects[at].integer))
    }

    /// The value of the first location.
    pub(super) fn first(&self) -> Value {
        self.memory[0]
    }
}

/// Runs the only thread of a program.
pub(super) fn run(text: &str) -> Result<Outcome, ErrorKind> {
    let program = match parse(text) {
        Ok(parsed) => parsed.program,
        Err(errors) => panic!("{}", render(text, "test", &errors)),
    };
    let code = Code::compile(&program).unwrap_or_else(|error| panic!("{error}: {text}"));
    let mut memory = code.initial.clone();
    let mut state = ThreadState::new(&code, 0);
    loop {
        let read = match state.advance(&code, 0, Limits::default()) {
            Action::Read { location, .. } => Some(memory[location.0 as usize]),
            Action::Write { location, value, .. } => {
                memory[location.0 as usize] = value;
                None
            }
            Action::Update { location, update, .. } => {
                let read = memory[location.0 as usize];
                memory[location.0 as usize] = update.written(read).unwrap_or(read);
                Some(read)
            }
            Action::Fence(_) => None,
            Action::Error(error) => return Err(error),
            Action::Finished => break,
            other => panic!("{other:?}: {text}"),
        };
        state.resume(&code, 0, read);
    }
    Ok(Outcome { registers: state.registers().to_vec(), program, memory })
}
