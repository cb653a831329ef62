//! What VC-DPOR and DC-DPOR are and say.

use super::pseudo_code::{BY_VALUE as VALUE_CODE, BY_WRITE as WRITE_CODE};
use super::{Grouping, VcDpor};
use crate::explore::algorithms::{Algorithm, Definition, Machine, Sees, Traits};
use crate::explore::narrator::{Column, Columns, Narrator, Scene, StateTable};
use crate::explore::{Direction, Options, Parameter, Step};
use crate::graph::EventKey;
use crate::program::{Code, ObjectKind};

const ROOT: Parameter = Parameter {
    name: "root",
    title: "Root thread",
    meaning: "Which thread is the root: 1 is P0, 2 is P1. Conflicting accesses of other threads are put in order, those of the \
              root are not.",
    least: 1,
    most: 256,
    usual: Some(1),
};

const RELAXED: Parameter = Parameter {
    name: "relaxed",
    title: "Relaxed order",
    meaning: "1: conflicting writes outside the root are put in order only when a read can tell them apart. 0: they \
              are put in order at once.",
    least: 0,
    most: 1,
    usual: Some(0),
};

/// What was chosen.
pub(super) struct Chosen {
    /// The root, from 0.
    pub root: u32,
    pub relaxed: bool,
}

impl Chosen {
    pub(super) fn of(options: &Options) -> Self {
        let chosen = |place: usize, parameter: &Parameter| options.parameters.chosen(place).or(parameter.usual);
        Self { root: chosen(0, &ROOT).unwrap_or(1).saturating_sub(1), relaxed: chosen(1, &RELAXED).unwrap_or(0) == 1 }
    }
}

/// Why there is no answer for a program.
fn refuses(code: &Code, options: Options) -> Option<String> {
    let (root, threads) = (Chosen::of(&options).root as usize, code.threads.len());
    if root >= threads {
        let has = if threads == 1 { "has one thread".to_owned() } else { format!("has {threads} threads") };
        return Some(format!("P{root} can't be its root, because the program {has}."));
    }
    if code.kinds.contains(&ObjectKind::Ends) {
        return Some("its partial orders know nothing that comes after all threads.".to_owned());
    }
    let has_channel = code.kinds.contains(&ObjectKind::Channel);
    has_channel.then(|| "its partial orders know reads, writes and mutexes, but no channels.".to_owned())
}

const STATE: StateTable = StateTable::Pending(&Columns {
    caption: "The reads of the graph with their good writes, and the next reads of the threads with the writes that \
              they are still to be offered",
    row: "read",
    empty: "There is no read, and no thread waits for one.",
    revisitable: Column {
        name: "next",
        gloss: "",
        title: "whether it is the next read of its thread, still to be added",
    },
    may_change: ("✓", "it is still to be added"),
    stays: ("", "it is in the graph"),
    options: Column {
        name: "writes",
        gloss: "",
        title: "of a read in the graph: its good writes. Of the next read of a thread: the writes that it is still to \
                be offered",
    },
    proposed: Column { name: "takes", gloss: "", title: "the write that it takes in the witness" },
    kind: Direction::Forward,
});

const TRAITS: Traits = Traits {
    knows: |rules| rules.takes_turns(),
    known: "where threads take turns",
    refuses,
    ..Traits::plain(Algorithm::VcDpor)
};

pub(in super::super) static BY_VALUE: Definition = Definition {
    name: "vc_dpor",
    title: "VC-DPOR",
    description: "Explores at most one trace for each value-centric class, since it tells traces apart by the values \
                  that reads take. Finds every local state of every thread, and so every error, but not every \
                  execution. For SC.",
    traits: Traits { sees: Sees::LocalStates, tracks_co: true, ..TRAITS },
    parameters: &[ROOT, RELAXED],
    pseudo_code: &VALUE_CODE,
    state: STATE,
};

pub(in super::super) static BY_WRITE: Definition = Definition {
    name: "dc_dpor",
    title: "DC-DPOR",
    description: "VC-DPOR with one good write for each read: explores at most one trace for each data-centric class. \
                  Finds every consistent execution, some by several traces. For SC.",
    traits: Traits { kin: super::super::Kin { plain: Algorithm::DcDpor, with_co: Algorithm::TrustCo }, ..TRAITS },
    parameters: &[ROOT, RELAXED],
    pseudo_code: &WRITE_CODE,
    state: STATE,
};

pub(in super::super) static BY_VALUE_MACHINE: Machine = Machine {
    explorer: |code, model, options| Box::new(VcDpor::new(code, Grouping::Values, model, options)),
    prepared: None,
    walk: None,
    whole: None,
    narrator: &Words,
};

pub(in super::super) static BY_WRITE_MACHINE: Machine = Machine {
    explorer: |code, model, options| Box::new(VcDpor::new(code, Grouping::Writes, model, options)),
    prepared: None,
    walk: None,
    whole: None,
    narrator: &Words,
};

struct Words;

impl Narrator for Words {
    fn explain(&self, scene: &dyn Scene, step: Step) -> Option<String> {
        Some(match step {
            Step::EnterCall { number: 1 } => {
                "The first call begins with the initial writes and no other events. No write was offered to any read \
                 yet."
                    .to_owned()
            }
            Step::EnterCall { number } => format!(
                "Call {number} begins. Its annotated partial order has a closure, and so a witness: a run in which \
                 each read takes one of its good writes. The graph shows this run."
            ),
            Step::AddEvent { event }
                if scene.graph().find(event).is_some_and(|e| scene.graph().event(e).is_write()) =>
            {
                format!(
                    "The run is extended by all that threads do before their next reads. {} is added.",
                    scene.event(event)
                )
            }
            Step::ExtendRead { read, write, spurious } => extended(scene, read, write, spurious),
            Step::OrderPair { first, second } => format!(
                "{}{} and {} conflict, and both are outside the root thread. So both orders of the two are tried. In \
                 this one, {} comes first.",
                taken_back(scene),
                scene.event(first),
                scene.event(second),
                scene.name(first)
            ),
            Step::NoClosure { event } => format!(
                "With {}, the rules of the closure leave some read without a good write. So the annotated partial \
                 order has no witness, and is dropped.",
                scene.event(event)
            ),
            Step::DeadEnd => {
                "Some threads have a next read, but all writes that these reads could take were offered to them \
                              before. What these writes lead to is explored elsewhere, so this call is a dead end."
                    .to_owned()
            }
            Step::OfferAll { read } => format!(
                "{}, the next read of its thread, was offered all writes that are there. The causal map notes them. \
                 Later, the read will be offered only new writes: those that come after reads still to be added.{}",
                scene.name(read),
                scene.removed_if_any()
            ),
            Step::Block { read } => format!(
                "{} finds nothing that it could take: {}. So it has no source (⊥). Its thread waits, and no thread can \
                 go on.",
                scene.event(read),
                scene.waiting(read)
            ),
            Step::Repeated { number } => format!(
                "The trace is maximal. All its reads take the same writes as in execution {number}. Only the order of \
                 conflicting accesses outside the root thread differs."
            ),
            _ => return None,
        })
    }

    fn end(&self) -> &'static str {
        "No choice is left"
    }

    fn turn(&self) -> &'static str {
        "is the left-most thread that can go on without a read"
    }
}

fn extended(scene: &dyn Scene, read: EventKey, write: EventKey, spurious: bool) -> String {
    let value = scene.graph().find(read).and_then(|e| scene.graph().event(e).value_read);
    let taken = match scene.operation(read) {
        Some(_) => format!("takes {} over", scene.object(read)),
        None => format!("takes the value {}", value.unwrap_or_default()),
    };
    let good = scene.explorer().prefix();
    let from = if good.len() > 1 {
        format!("from one of its good writes {}, whichever comes last before it (rf)", scene.kept())
    } else {
        format!("from {} (rf), its only good write", scene.event(write))
    };
    let fails = if spurious { " and fails spuriously" } else { "" };
    format!("{}{} is added and {taken} {from}{fails}.", taken_back(scene), scene.event(read))
}

/// What the step took back first, as sentences before others.
fn taken_back(scene: &dyn Scene) -> String {
    if scene.explorer().cut().is_empty() {
        return String::new();
    }
    format!("The exploration goes back to its last choice. {} ", scene.removed())
}
