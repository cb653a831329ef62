//! What registers may hold.

use super::machine::{Machine, Operation, RegisterIndex, State, TransitionIndex, Variable};
use crate::program::Span;
use crate::syntax::Diagnostic;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// A register that may hold what it should not when it is read.
type Holding = (State, RegisterIndex, Option<Variable>);

/// Holds that whatever is read is a write to that variable, on every run.
///
/// # Errors
/// A read that may take a write to another variable, or find nothing, with a shortest run to it.
pub fn check_contents(machine: &Machine) -> Result<(), Diagnostic> {
    // What each register may hold in each state, breadth first, with the step before.
    let mut before: FxHashMap<Holding, Option<(Holding, TransitionIndex)>> = FxHashMap::default();
    let mut work = VecDeque::new();
    let (by, is_reached) = machine.reached();
    let mut into = |holding: Holding, from: Option<(Holding, TransitionIndex)>, work: &mut VecDeque<Holding>| {
        before.entry(holding).or_insert_with(|| {
            work.push_back(holding);
            from
        });
    };
    let registers = || (0..machine.registers.len() as u8).map(RegisterIndex);
    if machine.states.is_empty() {
        return Ok(());
    }
    for register in registers() {
        into((machine.initial(), register, machine.registers[register.index()].variable), None, &mut work);
    }
    for (_, transition) in (0..).zip(machine.transitions()).filter(|(_, about)| is_reached[about.from.index()]) {
        if let Operation::Write { variable, register, .. } = transition.operation {
            into((transition.to, register, Some(variable)), None, &mut work);
        }
    }
    let mut found = None;
    'search: while let Some(holding @ (state, register, content)) = work.pop_front() {
        for (index, transition) in machine.from(state) {
            let step = Some((holding, index));
            match transition.operation {
                Operation::Read { variable, register: read, .. } if read == register && content != Some(variable) => {
                    found = Some((holding, index));
                    break 'search;
                }
                Operation::Write { register: written, .. } if written == register => continue,
                Operation::Copy { to, from } => {
                    if from == register {
                        into((transition.to, to, content), step, &mut work);
                    }
                    if to == register {
                        continue;
                    }
                }
                _ => {}
            }
            into((transition.to, register, content), step, &mut work);
        }
    }
    let Some((holding, read)) = found else { return Ok(()) };
    let mut run = vec![read];
    let mut at = holding;
    while let Some(Some((earlier, by))) = before.get(&at) {
        run.push(*by);
        at = *earlier;
    }
    // From the beginning to the write, if it is one, and the write.
    let is_written = at.0 != machine.initial() || machine.registers[at.1.index()].variable != at.2;
    if is_written {
        let writes = |about: &super::Transition| {
            let register = at.1;
            about.to == at.0
                && is_reached[about.from.index()]
                && matches!(about.operation, Operation::Write { register: written, variable, .. } if written == register && Some(variable) == at.2)
        };
        let write = (0..).map(TransitionIndex).zip(machine.transitions()).find(|(_, about)| writes(about));
        if let Some((index, about)) = write {
            run.push(index);
            run.extend(machine.way_to(about.from, &by).into_iter().rev());
        }
    }
    run.reverse();
    let steps: Vec<String> =
        run.iter().map(|index| machine.operation_text(machine.transition(*index).operation)).collect();
    let transition = machine.transition(read);
    let name = &machine.registers[holding.1.index()].name;
    let what = match holding.2 {
        Some(variable) => format!("a write to {}", machine.variables[variable.index()]),
        None => "nothing".to_owned(),
    };
    let message = format!("{} may find {what} in {name}", machine.operation_text(transition.operation));
    let span = Span { line: transition.line.max(1), column: 1, ..Span::default() };
    Err(Diagnostic::error(message, span).with_help(format!("for example by {}", steps.join("; "))))
}
