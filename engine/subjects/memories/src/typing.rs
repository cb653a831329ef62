//! What registers may hold.

use super::machine::{MAX_VARIABLES, Machine, Operation, RegisterIndex, State, Transition, TransitionIndex, Variable};
use super::stopped::Stopped;
use crate::budget::{Budget, Paused};
use crate::program::Span;
use crate::syntax::wrong;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// A register that may hold what it should not when it is read.
type Holding = (State, RegisterIndex, Option<Variable>);

/// What each register holds in each state is followed from the beginning and from each write. `None` if the transition is a read of the register
/// that finds what it should not; else the registers that hold it behind the transition.
fn behind(transition: &Transition, (_, register, content): Holding) -> Option<[Option<RegisterIndex>; 2]> {
    Some(match transition.operation {
        Operation::Read { variable, register: read, .. } if read == register && content != Some(variable) => {
            return None;
        }
        Operation::Write { register: written, .. } if written == register => [None, None],
        Operation::Copy { to, from } if from == register => [Some(to), Some(register)],
        Operation::Copy { to, .. } if to == register => [None, None],
        _ => [Some(register), None],
    })
}

/// What there is to begin with: in the first state what registers hold at first, and behind each write what was written.
fn beginnings<'m>(machine: &'m Machine, is_reached: &'m [bool]) -> impl Iterator<Item = Holding> + 'm {
    let registers = (0..machine.registers.len() as u8).map(RegisterIndex);
    let first = registers.map(|register| (machine.initial(), register, machine.registers[register.index()].variable));
    let written = machine.transitions().iter().filter(|about| is_reached[about.from.index()]);
    first.chain(written.filter_map(|about| match about.operation {
        Operation::Write { variable, register, .. } => Some((about.to, register, Some(variable))),
        _ => None,
    }))
}

/// Whether whatever is read is a write to that variable, on every run. Takes four bytes for each state and register.
fn is_well_typed(machine: &Machine, is_reached: &[bool], budget: &mut Budget) -> Result<bool, Paused> {
    let mut known = vec![0_u32; machine.states.len() * machine.registers.len()];
    let mut work: Vec<Holding> = Vec::new();
    let mut add = |holding @ (state, register, content): Holding, work: &mut Vec<Holding>| {
        let known = &mut known[state.index() * machine.registers.len() + register.index()];
        let bit = 1 << content.map_or(MAX_VARIABLES, Variable::index);
        if *known & bit == 0 {
            *known |= bit;
            work.push(holding);
        }
    };
    beginnings(machine, is_reached).for_each(|holding| add(holding, &mut work));
    while let Some(holding) = work.pop() {
        for (_, transition) in machine.from(holding.0) {
            budget.count(1)?;
            let Some(registers) = behind(transition, holding) else { return Ok(false) };
            registers.into_iter().flatten().for_each(|register| add((transition.to, register, holding.2), &mut work));
        }
    }
    Ok(true)
}

/// Holds that whatever is read is a write to that variable, on every run.
///
/// # Errors
/// A read that may take a write to another variable, or find nothing, with a short run to it; or somebody wants to stop.
pub(crate) fn check_contents(machine: &Machine, budget: &mut Budget) -> Result<(), Stopped> {
    let (by, is_reached) = machine.reached();
    if machine.states.is_empty() || is_well_typed(machine, &is_reached, budget)? {
        return Ok(());
    }
    // Once more, breadth first, with the step before.
    let mut before: FxHashMap<Holding, Option<(Holding, TransitionIndex)>> = FxHashMap::default();
    let mut work = VecDeque::new();
    for holding in beginnings(machine, &is_reached) {
        before.entry(holding).or_insert_with(|| {
            work.push_back(holding);
            None
        });
    }
    let mut found = None;
    'search: while let Some(holding) = work.pop_front() {
        for (index, transition) in machine.from(holding.0) {
            budget.count(1)?;
            let Some(registers) = behind(transition, holding) else {
                found = Some((holding, index));
                break 'search;
            };
            for register in registers.into_iter().flatten() {
                let next = (transition.to, register, holding.2);
                before.entry(next).or_insert_with(|| {
                    work.push_back(next);
                    Some((holding, index))
                });
            }
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
        let writes = |about: &Transition| {
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
    Err(Stopped::Wrong(wrong(message, span, format!("for example by {}", steps.join("; ")))))
}
