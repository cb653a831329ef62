//! What EPOR and EPOR-SH are and say.

use super::core::Core;
use super::pseudo_code::PSEUDO_CODE;
use super::section::Extent;
use crate::explore::algorithms::{Algorithm, Definition, Kin, Machine, Traits};
use crate::explore::narrator::{Column, Columns, Narrator, Scene, StateTable};
use crate::explore::runs::words::{added, backtracked, ends_thread, race, waited};
use crate::explore::runs::{RunExplorer, RunWalk};
use crate::explore::{Direction, Options, Parameter, Step};
use crate::words;

const SPURIOUS: &str = "a section has the same events in all its runs, but a weak compare-and-swap that fails spuriously changes \
                        them. Explore without spurious failures, or choose TruSt (co).";

const TRAITS: Traits = Traits {
    knows: |rules| rules.takes_turns(),
    known: "where threads take turns",
    tracks_co: true,
    counts_plain: false,
    kin: Kin { plain: Algorithm::Trust, with_co: Algorithm::EagerPor },
    in_parts: Some(Algorithm::TrustCo),
    refuses: |_, options| options.spurious.then(|| SPURIOUS.to_owned()),
    ..Traits::plain(Algorithm::EagerPor)
};

/// The only parameter.
const PAIRS: Parameter = Parameter {
    name: "pairs",
    title: "Dependent pairs",
    meaning: "How many pairs of dependent events a section has at most. Each pair doubles the number of trace \
              constraint systems to solve. Where a section would have more, another one begins.",
    least: 0,
    most: 20,
    usual: Some(12),
};

const STATE: StateTable = StateTable::Pending(&Columns {
    caption: "The events of the run in whose place others are tried",
    row: "event",
    empty: "There is nothing else to try, and nothing sleeps.",
    revisitable: Column { name: "open", gloss: "", title: "whether something is yet to be tried in its place" },
    may_change: ("✓", "something is yet to be tried"),
    stays: ("–", "all was tried that has to be"),
    options: Column {
        name: "to try",
        gloss: "in its place",
        title: "what is yet to be performed in its place, the next on top: first what its section schedules, then what \
                races ask for",
    },
    proposed: Column {
        name: "asleep",
        gloss: "",
        title: "what sleeps there: it was tried in its place, here or earlier in the run",
    },
    kind: Direction::Backtrack,
});

pub(in super::super) static LONG: Definition = Definition {
    name: "eager_por",
    title: "EPOR",
    description: "Eager partial order reduction. Cuts the program into sections whose events and dependencies stay the \
                  same in any order, and schedules a run for each order of their dependent events. Looks for races \
                  only between sections. Explores every execution with its coherence order exactly once, but begins \
                  some runs in vain. For SC.",
    traits: TRAITS,
    parameters: &[PAIRS],
    pseudo_code: &PSEUDO_CODE,
    state: STATE,
};

pub(in super::super) static SHORT: Definition = Definition {
    name: "epor_sh",
    title: "EPOR-SH",
    description: "As EPOR, with short sections: at most one event of each thread depends on another event of its \
                  section. So fewer trace constraint systems have no solution.",
    traits: Traits { kin: Kin { plain: Algorithm::Trust, with_co: Algorithm::EporSh }, ..TRAITS },
    parameters: &[PAIRS],
    pseudo_code: &PSEUDO_CODE,
    state: STATE,
};

/// What is chosen for the only parameter.
fn extent(options: Options, short: bool) -> Extent {
    let pairs = options.parameters.chosen(0).or(PAIRS.usual).unwrap_or(PAIRS.most);
    Extent { short, pairs: pairs as usize }
}

pub(in super::super) static LONG_MACHINE: Machine = Machine {
    explorer: |code, model, options| {
        Box::new(RunExplorer::new(Core::new(code, model, options, extent(options, false))))
    },
    prepared: None,
    // What is to be tried at a point depends on races found in other parts.
    walk: None,
    whole: Some(|program, code, model, options| {
        Box::new(RunWalk::new(program, model, Core::new(code, model, options, extent(options, false))))
    }),
    narrator: &Words,
};

pub(in super::super) static SHORT_MACHINE: Machine = Machine {
    explorer: |code, model, options| Box::new(RunExplorer::new(Core::new(code, model, options, extent(options, true)))),
    prepared: None,
    walk: None,
    whole: Some(|program, code, model, options| {
        Box::new(RunWalk::new(program, model, Core::new(code, model, options, extent(options, true))))
    }),
    narrator: &Words,
};

struct Words;

impl Narrator for Words {
    fn explain(&self, scene: &dyn Scene, step: Step) -> Option<String> {
        Some(match step {
            Step::JoinSection { event } => format!(
                "{} joins the section: in every order of the section's events, it happens, and what it depends on \
                 stays the same.",
                if ends_thread(scene, event) { scene.name(event) } else { scene.event(event) }
            ),
            Step::EndSection { events, pairs: 0 } => format!(
                "Nothing else can join, so the section has {}. None of them depends on an event of another thread in \
                 the section, so one order is enough.",
                words::count(events.into(), "event")
            ),
            Step::EndSection { events, pairs } => format!(
                "Nothing else can join, so the section has {} and {} of different threads. Each way to put these pairs \
                 in order is a trace constraint system. There are {} of them.",
                words::count(events.into(), "event"),
                words::count(pairs.into(), "dependent pair"),
                words::grouped(1 << pairs)
            ),
            Step::Satisfiable { number } => format!(
                "Trace constraint system {} has a solution: an order of the section's events. The first solution, in \
                 the order of threads, is scheduled.",
                words::grouped(number)
            ),
            Step::Unsatisfiable { number } => format!(
                "Trace constraint system {} has no solution: it makes a cycle with program order (po).",
                words::grouped(number)
            ),
            Step::AddEvent { event } => return added(scene, event),
            Step::Block { read } => waited(scene, read),
            Step::Reversal { first, second } => format!(
                "{} A run in which {} comes first is to be tried, from the point before {}.",
                race(scene, first, second),
                scene.name(second),
                scene.name(first)
            ),
            Step::AlreadyReversed { first, second } => format!(
                "{} A run in which {} comes first was scheduled or tried already, or will be.",
                race(scene, first, second),
                scene.name(second)
            ),
            Step::SleepSetBlocked => {
                "All that could begin a section is in the sleep set: it was tried before, and nothing dependent has \
                 happened since. All that this run could become is explored elsewhere, so the run is dropped."
                    .to_owned()
            }
            Step::TakeBacktrack { event, before, commits } => backtracked(scene, event, before, commits),
            _ => return None,
        })
    }

    fn end(&self) -> &'static str {
        "Nothing is left to try"
    }
}
