//! What TruSt with messages is and says, without co and with it.

use super::{EventDriven, pseudo_code};
use crate::explore::algorithms::trust;
use crate::explore::algorithms::{Algorithm, Definition, Kin, Machine, Traits};
use crate::explore::narrator::{Narrator, Scene, StateTable};
use crate::explore::{Direction, Step};
use crate::graph::EventKey;

const TRAITS: Traits = Traits {
    knows: |rules| rules.takes_turns(),
    known: "in which threads take turns",
    handlers: true,
    kin: Kin { plain: Algorithm::EventDriven, with_co: Algorithm::EventDrivenCo },
    ..Traits::plain(Algorithm::EventDriven)
};

const STATE: StateTable =
    StateTable::None("TruSt keeps no options. All that it knows is what it has tried on the way to this graph.");

pub(in super::super) static PLAIN: Definition = Definition {
    name: "messages",
    title: "TruSt with messages",
    description: "TruSt for programs with handlers: it chooses which message a handler takes next, as it chooses the \
                  source of a read. Explores every consistent execution exactly once.",
    traits: TRAITS,
    parameters: &[],
    pseudo_code: &pseudo_code::PLAIN,
    state: STATE,
};

pub(in super::super) static PLAIN_MACHINE: Machine = Machine {
    explorer: |code, model, options| Box::new(EventDriven::new(code, model, options, false)),
    prepared: None,
    walk: None,
    whole: None,
    narrator: &Words,
};

pub(in super::super) static WITH_CO: Definition = Definition {
    name: "messages_co",
    title: "TruSt with messages (co)",
    description: "TruSt with messages, and with coherence (co) in the graph: a new write is tried at each place in co. \
                  Explores every consistent execution once for each of its coherence orders.",
    traits: Traits { tracks_co: true, ..TRAITS },
    parameters: &[],
    pseudo_code: &pseudo_code::WITH_CO,
    state: STATE,
};

pub(in super::super) static WITH_CO_MACHINE: Machine = Machine {
    explorer: |code, model, options| Box::new(EventDriven::new(code, model, options, true)),
    ..PLAIN_MACHINE
};

struct Words;

impl Narrator for Words {
    fn explain(&self, scene: &dyn Scene, step: Step) -> Option<String> {
        let is_get = |key: EventKey| scene.graph().find(key).is_some_and(|e| scene.graph().event(e).is_get());
        match step {
            Step::AddEvent { event } if is_get(event) => Some(format!(
                "No thread can go on without a message. The left-most handler that has one takes it: {} is added.",
                scene.event(event)
            )),
            Step::ChooseSource { read, write } if is_get(read) => Some(format!(
                "The handler takes the message of {} (pb): of the messages that wait, the one whose post has the first \
                 name. The others are tried after all that follows from this one.",
                scene.event(write)
            )),
            Step::TakeRevisit { read, write, direction: Direction::Forward } if is_get(read) => Some(format!(
                "All that follows from the previous choice was explored. Now the handler takes, with {}, the message \
                 of {} (pb).{}",
                scene.name(read),
                scene.event(write),
                scene.removed_if_any()
            )),
            Step::TakeRevisit { read, write, direction: Direction::Backward } if is_get(read) => Some(format!(
                "The new post {} revisits the earlier get {}: the handler takes this message instead (pb). {} {} {}",
                scene.event(write),
                scene.name(read),
                scene.stays("get", "new post"),
                scene.removed(),
                trust::words::made_here(scene, "get")
            )),
            _ => trust::words::WORDS.explain(scene, step),
        }
    }

    fn end(&self) -> &'static str {
        trust::words::WORDS.end()
    }
}
