//! Memory implementations: `protocol MSI(threads = 2)`, `machine M`, `automata`.

use super::late::{Reader, late};
use crate::budget::Budget;
use crate::document::{Definition, PROTOCOL, Rewrite, Summary};
use crate::memories::{
    Machine, MachineNames, NotRead, Reading, State, Transition, begins_protocol, highlight_protocol, parameters_of,
    print_machine, read_protocol,
};
use crate::syntax::{Diagnostic, Unprintable};
use crate::words::{count, list};

pub(crate) const DEFINITION: Definition = Definition {
    name: "protocol",
    title: "a memory implementation",
    subject: &PROTOCOL,
    notation: None,
    endings: &["protocol"],
    begins: begins_protocol,
    read: |text| LATE.read(text),
    highlight: |text| LATE.highlight(text),
};

/// Its machine, with states in the order in which the text names them.
pub(crate) const REWRITE: Rewrite = |text| {
    let mut budget = Budget::unlimited().capped(PATIENCE);
    match read_protocol(text, &Reading::default(), &mut budget) {
        Ok(read) => Ok(Ok(print_machine(&in_reading_order(&read.machine)))),
        Err(NotRead::Wrong(wrong)) => Err(wrong),
        Err(NotRead::Paused) => {
            Ok(Err(Unprintable("its machine is large: `litmoscope protocol --expand` writes it".to_owned())))
        }
    }
};

late!(
    /// Where what reads protocols is.
    LATE = reader()
);

/// What reads protocols. Who names this has it with all that it needs.
pub const fn reader() -> Reader {
    Reader { read, highlight: highlight_protocol }
}

/// How much of a protocol is expanded to say how large it is: some tenths of a second.
const PATIENCE: u64 = 1 << 22;

fn read(text: &str) -> Result<Summary, Vec<Diagnostic>> {
    let mut budget = Budget::unlimited().capped(PATIENCE);
    match read_protocol(text, &Reading::default(), &mut budget) {
        Ok(read) => {
            let (states, transitions) = (read.machine.states.len(), read.machine.transitions().len());
            let size = format!("{}, {}", count(states as u64, "state"), count(transitions as u64, "transition"));
            Ok(Summary { notes: read.notes, size, program: None })
        }
        Err(NotRead::Wrong(wrong)) => Err(wrong),
        // It is written as it should be, and large.
        Err(NotRead::Paused) => {
            let parameters = parameters_of(text)?.into_iter().map(|(name, value)| format!("{name} = {value}"));
            Ok(Summary { size: format!("a large protocol with {}", list(parameters)), ..Summary::default() })
        }
    }
}

/// The same machine with states as a reader of its text meets them, and with numbers for names if some of them are no words. States that are
/// never reached come last.
fn in_reading_order(machine: &Machine) -> Machine {
    let mut order: Vec<State> = Vec::new();
    let mut place = vec![None; machine.states.len()];
    let mut next = 0;
    for first in (0..machine.states.len() as u32).map(State) {
        let mut meet = |state: State, order: &mut Vec<State>| {
            if place[state.index()].is_none() {
                place[state.index()] = Some(order.len() as u32);
                order.push(state);
            }
        };
        meet(first, &mut order);
        while next < order.len() {
            machine.from(order[next]).for_each(|(_, transition)| meet(transition.to, &mut order));
            next += 1;
        }
    }
    let is_word =
        |name: &String| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '\''));
    let are_words = machine.states.iter().all(is_word);
    let name = |(at, state): (usize, &State)| match are_words {
        true => machine.states[state.index()].clone(),
        false => format!("s{at}"),
    };
    let to = |state: State| State(place[state.index()].unwrap_or_default());
    let all = order.iter().flat_map(|state| machine.from(*state));
    let transitions = all.zip(1..).map(|((_, transition), line)| Transition {
        from: to(transition.from),
        to: to(transition.to),
        line,
        ..*transition
    });
    let names = MachineNames {
        name: machine.name.clone(),
        threads: machine.threads.clone(),
        variables: machine.variables.clone(),
        registers: machine.registers.clone(),
        states: order.iter().enumerate().map(name).collect(),
    };
    Machine::new(names, transitions.collect())
}
