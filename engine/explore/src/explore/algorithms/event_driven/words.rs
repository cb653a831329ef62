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
    StateTable::None("TruSt keeps no options: what it has tried on the way to this graph is all that it knows.");

pub(in super::super) static PLAIN: Definition = Definition {
    name: "messages",
    title: "TruSt with messages",
    description: "TruSt for programs with handlers: which message a handler takes next is a choice, as the source of a read \
                  is. Explores every consistent execution exactly once.",
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
    description: "The same with coherence in the graph: a new write is tried at each place in co. Explores every consistent \
                  execution once for each of its coherence orders.",
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
            Step::ChooseSource { read, write } if is_get(read) => Some(format!(
                "The handler takes the message that {} posts: of those that wait, the one whose post has the first name. \
                 Others are tried when all that follows from this was explored.",
                scene.event(write)
            )),
            Step::TakeRevisit { read, write, direction: Direction::Forward } if is_get(read) => Some(format!(
                "All that follows from the choice before was explored: with {}, the handler now takes the message that {} \
                 posts.",
                scene.name(read),
                scene.event(write)
            )),
            Step::TakeRevisit { read, write, direction: Direction::Backward } if is_get(read) => Some(format!(
                "The new post {} revisits {}: the handler takes this message instead. {} {}{} So no other graph makes this \
                 revisit.",
                scene.event(write),
                scene.name(read),
                scene.stays("get", "post"),
                scene.removed(),
                trust::words::all_maximal(scene)
            )),
            _ => trust::words::WORDS.explain(scene, step),
        }
    }

    fn end(&self) -> &'static str {
        trust::words::WORDS.end()
    }
}
