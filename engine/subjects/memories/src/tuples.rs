//! The saturation for weak causality in words: each tuple, the rule that it comes by, and the chain of a witness.

use super::report::step_text;
use crate::{Entity, Initial, Machine, Operation, SaturatedRun, Saturation, Tuple};

/// A tuple in short: `⟨F, q2, c, t, x⟩`.
pub(crate) fn tuple_text(machine: &Machine, tuple: &Tuple) -> String {
    let kind = if tuple.is_exposed { "E" } else { "F" };
    let state = &machine.states[tuple.state.index()];
    let register = &machine.registers[tuple.register.index()].name;
    let variable = &machine.variables[tuple.variable.index()];
    format!("⟨{kind}, {state}, {register}, {}, {variable}⟩", entity(machine, tuple.entity))
}

fn entity(machine: &Machine, entity: Entity) -> &str {
    match entity {
        Entity::Thread(thread) => &machine.threads[thread.index()],
        Entity::Register(register) => &machine.registers[register.index()].name,
    }
}

/// What a tuple says, in sentences.
pub(crate) fn tuple_sentence(machine: &Machine, tuple: &Tuple) -> String {
    let state = &machine.states[tuple.state.index()];
    let register = &machine.registers[tuple.register.index()].name;
    let variable = &machine.variables[tuple.variable.index()];
    let what = if tuple.is_exposed { "the hiding write w'" } else { "the read" };
    let knows = match tuple.entity {
        Entity::Thread(thread) => {
            format!("An event of {} here happens before {what}.", machine.threads[thread.index()])
        }
        Entity::Register(at) => {
            format!("The write that {} holds here happens before {what}.", machine.registers[at.index()].name)
        }
    };
    let found = if tuple.is_exposed { "w' was found" } else { "w' is not found yet" };
    format!(
        "From state {state}, a run can go on to a read of {variable} that returns what {register} holds here. {knows} \
         The tuple is {}: {found}.",
        if tuple.is_exposed { "exposed" } else { "fragile" }
    )
}

/// By which rule a tuple comes from the one behind it, in a sentence.
pub(crate) fn rule(machine: &Machine, tuples: &[Tuple], tuple: &Tuple) -> String {
    let by = step_text(machine, tuple.by);
    let Some(behind) = tuple.behind.map(|at| (at, &tuples[at])) else {
        return format!("A seed: each read begins a tuple. `{by}` is the read itself.");
    };
    let (number, behind) = (behind.0 + 1, behind.1);
    let of = format!("Tuple {number}, backwards over `{by}`:");
    match machine.transition(tuple.by).operation {
        Operation::Copy { to, from } => {
            let (to_name, from_name) = (&machine.registers[to.index()].name, &machine.registers[from.index()].name);
            if behind.register == to || behind.entity == Entity::Register(to) {
                format!("{of} what {to_name} holds after the copy, {from_name} holds before it.")
            } else {
                format!("{of} the copy touches nothing that is tracked.")
            }
        }
        Operation::Read { thread, register, .. } => {
            let register = &machine.registers[register.index()].name;
            if tuple.entity == behind.entity {
                format!("{of} nothing that is tracked changes.")
            } else {
                let thread = &machine.threads[thread.index()];
                format!("{of} this is an event of {thread}. By rf, the write that {register} holds happens before it.")
            }
        }
        Operation::Write { thread, register, .. } => {
            let name = &machine.threads[thread.index()];
            if tuple.is_exposed && !behind.is_exposed {
                format!(
                    "{of} this write is to the same variable, happens before the read, and is not what the read \
                     returns: it is w'. Next comes a write that happens before w'."
                )
            } else if behind.entity == Entity::Register(register) {
                format!(
                    "{of} this write is what {} holds. All before it in {name} happens before it by po.",
                    machine.registers[register.index()].name
                )
            } else {
                format!("{of} another register is written.")
            }
        }
        Operation::Fence { .. } | Operation::Step => format!("{of} nothing is read or written."),
    }
}

/// The last step, in sentences: what came of it.
pub(crate) fn end(machine: &Machine, saturation: &Saturation, initial: Initial) -> String {
    let all = crate::words::count(saturation.tuples.len() as u64, "tuple");
    let Some(SaturatedRun { write, tuple, transitions }) = &saturation.violation else {
        return format!("No new tuple is found: with {all}, the saturation is complete, and every run satisfies WRA.");
    };
    let number = tuple + 1;
    match write.and_then(|place| transitions.get(place)) {
        Some(write) => format!(
            "Tuple {number}, backwards over `{}`: this is the write w that the read returns. It happens before w', \
             which hides it. Its state can be reached from the start, so there is a run that violates WRA.",
            step_text(machine, *write)
        ),
        None => {
            debug_assert_eq!(initial, Initial::Written, "only then a register holds an initial write");
            format!(
                "Tuple {number} is at the start, where its register holds the initial write. It happens before \
                 everything, so also before w', which hides it. So there is a run that violates WRA."
            )
        }
    }
}

/// The chain of a tuple, or else of the violation: from there to its seed, the read, by number from 1 on. Empty if there is neither.
pub(crate) fn chain(saturation: &Saturation, tuple: Option<usize>) -> Vec<usize> {
    let first = tuple.or(saturation.violation.as_ref().map(|violation| violation.tuple));
    std::iter::successors(first, |at| saturation.tuples[*at].behind).map(|at| at + 1).collect()
}
