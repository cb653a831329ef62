//! What EPOR and EPOR-SH are and say.

use super::core::Core;
use super::pseudo_code::PSEUDO_CODE;
use super::section::Extent;
use crate::explore::algorithms::{Algorithm, Definition, Kin, Machine, Traits};
use crate::explore::narrator::{Column, Columns, Narrator, Scene, StateTable};
use crate::explore::runs::words::{backtracked, performed, race, waited};
use crate::explore::runs::{RunExplorer, RunWalk};
use crate::explore::{Direction, Options, Parameter, Step};
use crate::words;

const SPURIOUS: &str = "the events of a section are the same in all its runs, which those of a weak compare-and-swap that fails \
                        spuriously are not: explore without that, or choose TruSt (co).";

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
    meaning: "How many pairs of dependent events a section has at most; each doubles the number of trace constraint systems to \
              solve. Where it would have more, another section begins.",
    least: 0,
    most: 20,
    usual: Some(12),
};

const STATE: StateTable = StateTable::Pending(&Columns {
    caption: "The events of the run that others are tried in place of",
    row: "event",
    empty: "There is nothing else to try, and nothing sleeps.",
    revisitable: Column { name: "open", gloss: "", title: "whether something is yet to be tried in its place" },
    may_change: ("✓", "something is yet to be tried"),
    stays: ("–", "all was tried that has to be"),
    options: Column {
        name: "to try",
        gloss: "in its place",
        title: "what is to be performed in its place, the next on top: first what its section schedules, then what races ask for",
    },
    proposed: Column { name: "asleep", gloss: "", title: "what was tried in its place, here or in front of it" },
    kind: Direction::Backtrack,
});

pub(in super::super) static LONG: Definition = Definition {
    name: "eager_por",
    title: "EPOR",
    description: "Eager partial order reduction: takes sections of the program whose events and dependencies do not change with \
                  their order, plans a run for each order of their dependent events, and looks for races between sections alone. \
                  Explores every execution with its coherence order exactly once, but begins some runs in vain; for SC.",
    traits: TRAITS,
    parameters: &[PAIRS],
    pseudo_code: &PSEUDO_CODE,
    state: STATE,
};

pub(in super::super) static SHORT: Definition = Definition {
    name: "epor_sh",
    title: "EPOR-SH",
    description: "As EPOR, with short sections: at most one event of each thread depends on another one of its section, so that \
                  fewer orders are found to be none.",
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
                "{} joins the section: whatever order the events of the section come in, it is one of them, and what it depends \
                 on stays the same.",
                scene.event(event)
            ),
            Step::EndSection { events, pairs: 0 } => format!(
                "Nothing else can join, so the section has {}. None depends on another one of another thread: any order \
                 will do.",
                words::count(events.into(), "event")
            ),
            Step::EndSection { events, pairs } => format!(
                "Nothing else can join, so the section has {} and {} of different threads. Each way to put the pairs in order \
                 is a trace constraint system, {} in all.",
                words::count(events.into(), "event"),
                words::count(pairs.into(), "dependent pair"),
                words::grouped(1 << pairs)
            ),
            Step::Satisfiable { number } => format!(
                "Trace constraint system {} has a solution. The first one in the order of threads is scheduled.",
                words::grouped(number)
            ),
            Step::Unsatisfiable { number } => format!(
                "Trace constraint system {} has no solution: it makes a cycle with program order.",
                words::grouped(number)
            ),
            Step::AddEvent { event } => performed(scene, event),
            Step::Block { read } => waited(scene, read),
            Step::Reversal { first, second } => format!(
                "{} That {} comes first is to be tried, in place of {}.",
                race(scene, first, second),
                scene.name(second),
                scene.name(first)
            ),
            Step::AlreadyReversed { first, second } => format!(
                "{} Some run in which {} comes first is scheduled or tried already, or will be.",
                race(scene, first, second),
                scene.name(second)
            ),
            Step::SleepSetBlocked => {
                "All that could begin a section sleeps: it was tried before, and nothing dependent has happened since. Whatever \
                 this run could become is explored elsewhere, so it is dropped."
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
