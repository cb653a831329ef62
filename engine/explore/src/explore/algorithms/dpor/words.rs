//! What Source-DPOR and Optimal-DPOR are and say.

use super::core::{Core, Kind};
use super::{observers, pseudo_code};
use crate::explore::algorithms::{Algorithm, Definition, Kin, Machine, Sees, Traits};
use crate::explore::narrator::{Column, Columns, Narrator, Scene, StateTable};
use crate::explore::runs::words::{added, backtracked, committed, race, waited};
use crate::explore::runs::{RunExplorer, RunWalk};
use crate::explore::{Direction, Step};

const TRAITS: Traits = Traits {
    knows: |rules| rules.has_machine(),
    known: "which have machines to run",
    tracks_co: true,
    counts_plain: false,
    kin: Kin { plain: Algorithm::Trust, with_co: Algorithm::OptimalDpor },
    in_parts: Some(Algorithm::TrustCo),
    ..Traits::plain(Algorithm::OptimalDpor)
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
        title: "what is yet to be performed in its place, the next on top",
    },
    proposed: Column {
        name: "asleep",
        gloss: "",
        title: "what sleeps there: it was tried in its place, here or earlier in the run",
    },
    kind: Direction::Backtrack,
});

pub(in super::super) static SOURCE: Definition = Definition {
    name: "source_dpor",
    title: "Source-DPOR",
    description: "Runs the program. For each race of two events, it tries a run in which the later one comes first. \
                  What was tried sleeps until something dependent happens. Explores every execution with its coherence \
                  order exactly once, but begins some runs in vain. For SC, TSO and PSO, which have machines to run.",
    traits: Traits { kin: Kin { plain: Algorithm::Trust, with_co: Algorithm::SourceDpor }, ..TRAITS },
    parameters: &[],
    pseudo_code: &pseudo_code::SOURCE,
    state: STATE,
};

pub(in super::super) static OPTIMAL: Definition = Definition {
    name: "optimal_dpor",
    title: "Optimal-DPOR",
    description: "As Source-DPOR, but keeps whole sequences of events to run (wakeup trees), not single threads to \
                  try. Explores every execution with its coherence order exactly once, and begins no run in vain. For \
                  SC, TSO and PSO, which have machines to run.",
    traits: TRAITS,
    parameters: &[],
    pseudo_code: &pseudo_code::OPTIMAL,
    state: STATE,
};

pub(in super::super) static OBSERVERS: Definition = Definition {
    name: "observers",
    title: "Optimal-DPOR with observers",
    description: "As Optimal-DPOR, but the order of two writes counts only if a read, an observer, reads from one of \
                  them. Explores every way in which reads can take writes, each class of executions exactly once, and \
                  begins no run in vain. It need not find every last value of a location that no read observes. For \
                  SC.",
    traits: Traits {
        knows: |rules| rules.takes_turns(),
        known: "where threads take turns",
        sees: Sees::LocalStates,
        kin: Kin { plain: Algorithm::Observers, with_co: Algorithm::Observers },
        in_parts: None,
        ..TRAITS
    },
    parameters: &[],
    pseudo_code: &pseudo_code::OBSERVERS,
    state: STATE,
};

pub(in super::super) static SOURCE_MACHINE: Machine = Machine {
    explorer: |code, model, options| Box::new(RunExplorer::new(Core::new(code, model, options, Kind::Source))),
    prepared: None,
    // What is to be tried at a point depends on races found in other parts.
    walk: None,
    whole: Some(|program, code, model, options| {
        Box::new(RunWalk::new(program, model, Core::new(code, model, options, Kind::Source)))
    }),
    narrator: &Words,
};

pub(in super::super) static OPTIMAL_MACHINE: Machine = Machine {
    explorer: |code, model, options| Box::new(RunExplorer::new(Core::new(code, model, options, Kind::Optimal))),
    prepared: None,
    walk: None,
    whole: Some(|program, code, model, options| {
        Box::new(RunWalk::new(program, model, Core::new(code, model, options, Kind::Optimal)))
    }),
    narrator: &Words,
};

pub(in super::super) static OBSERVERS_MACHINE: Machine = Machine {
    explorer: |code, model, options| Box::new(RunExplorer::new(observers::Core::new(code, model, options))),
    prepared: None,
    walk: None,
    whole: Some(|program, code, model, options| {
        Box::new(RunWalk::new(program, model, observers::Core::new(code, model, options)))
    }),
    narrator: &WordsOfObservers,
};

struct Words;

struct WordsOfObservers;

impl Narrator for WordsOfObservers {
    fn explain(&self, scene: &dyn Scene, step: Step) -> Option<String> {
        let (Step::Reversal { first, second } | Step::AlreadyReversed { first, second }) = step else {
            return Words.explain(scene, step);
        };
        let writes_alone = |key| {
            let event = scene.graph().find(key).map(|e| scene.graph().event(e));
            event.is_some_and(|event| event.is_write() && !event.is_read() && event.operation().is_none())
        };
        if !writes_alone(first) || !writes_alone(second) {
            return Words.explain(scene, step);
        }
        let race = format!(
            "{} and {} are in a race: they write the same location, {} is read, and only their places in the run order \
             them.",
            scene.event(first),
            scene.event(second),
            scene.name(second)
        );
        let what = format!("in which {} comes first and {} is read", scene.name(second), scene.name(first));
        Some(match step {
            Step::Reversal { .. } => format!("{race} A run {what} is to be tried."),
            _ => format!("{race} A run {what} was tried already, or will be."),
        })
    }

    fn end(&self) -> &'static str {
        Words.end()
    }
}

impl Narrator for Words {
    fn explain(&self, scene: &dyn Scene, step: Step) -> Option<String> {
        Some(match step {
            Step::AddEvent { event } => return added(scene, event),
            Step::Commit { write } => committed(scene, write),
            Step::Block { read } => waited(scene, read),
            Step::OtherOutcome { event } => {
                format!(
                    "{} found the value that it expects, so it may succeed or fail (spuriously). A run with the other \
                     outcome is to be tried. It begins with all that does not come after this event.",
                    scene.event(event)
                )
            }
            Step::Reversal { first, second } => format!(
                "{} A run in which {} comes first is to be tried, from the point before {}.",
                race(scene, first, second),
                scene.name(second),
                scene.name(first)
            ),
            Step::AlreadyReversed { first, second } => format!(
                "{} A run in which {} comes first was tried already, or will be.",
                race(scene, first, second),
                scene.name(second)
            ),
            Step::SleepSetBlocked => {
                "All that could go on is in the sleep set: it was tried before, and nothing dependent has happened \
                 since. All that this run could become is explored elsewhere, so the run is dropped."
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
