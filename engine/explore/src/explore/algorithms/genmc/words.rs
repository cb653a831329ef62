//! What GenMC is and says. GenMC with co says the same of what both do.

use super::GenMc;
use super::pseudo_code::PSEUDO_CODE;
use crate::explore::algorithms::{Algorithm, Definition, Kin, Machine, Traits};
use crate::explore::narrator::{Column, Columns, Narrator, Scene, StateTable};
use crate::explore::{Direction, Step};
use crate::graph::EventKey;

pub(in super::super) static DEFINITION: Definition = Definition {
    name: "genmc",
    title: "GenMC",
    description: "Builds one graph event by event, left-most thread first, and revisits earlier reads when a new write \
                  could feed them. Explores every consistent execution exactly once.",
    traits: Traits {
        kin: Kin { plain: Algorithm::Genmc, with_co: Algorithm::GenmcCo },
        in_parts: Some(Algorithm::Trust),
        inputs: true,
        ..Traits::plain(Algorithm::Genmc)
    },
    parameters: &[],
    pseudo_code: &PSEUDO_CODE,
    state: StateTable::Pending(&SETS),
};

pub(in super::super) static MACHINE: Machine = Machine {
    explorer: |code, model, options| Box::new(GenMc::new(code, model, options)),
    prepared: None,
    // Its sets hold what was proposed anywhere before.
    walk: None,
    whole: None,
    narrator: &Words,
};

/// T, S and U.
pub(in super::super) const SETS: Columns = Columns {
    caption: "The reads (and writes with other places in co) of the graph and their parts of T, S and U",
    row: "read",
    empty: "No read is waiting for anything: no other option is left, and none was proposed.",
    revisitable: Column { name: "T", gloss: "", title: "T: the reads that later writes may revisit" },
    may_change: ("T", "in T: later writes may revisit it"),
    stays: ("–", "not in T: no write revisits it"),
    options: Column {
        name: "S",
        gloss: "waiting",
        title: "S: the options not taken yet, a stack for each read or write, the next on top",
    },
    proposed: Column {
        name: "U",
        gloss: "proposed",
        title: "U: the backward options ever proposed; those with a tick were taken",
    },
    kind: Direction::Backward,
};

struct Words;

impl Narrator for Words {
    fn explain(&self, scene: &dyn Scene, step: Step) -> Option<String> {
        explain(scene, step)
    }

    fn end(&self) -> &'static str {
        "No option is left to try"
    }
}

/// What is said of a weak compare-and-swap that reads what it expects from its new source.
pub(in super::super) const FAILS: &str = ". It finds the value that it expects, but fails spuriously";

pub(in super::super) fn explain(scene: &dyn Scene, step: Step) -> Option<String> {
    Some(match step {
        Step::ChooseSource { read, write } if scene.operation(read).is_some() => format!(
            "{} {}. It joins T: later events may revisit it.",
            scene.event(read),
            scene.takes(read, &scene.event(write))
        ),
        Step::ChooseSource { read, write } => format!(
            "{} reads from {} (rf), the first write to its location that keeps the graph consistent under {}. It joins \
             T: later writes may revisit it.",
            scene.event(read),
            scene.event(write),
            scene.model().title()
        ),
        Step::Block { read } => format!(
            "{} finds nothing that it could take: {}. So it has no source (⊥), and its thread waits. It joins T: later \
             events may revisit it.",
            scene.event(read),
            scene.waiting(read)
        ),
        Step::PushBlock { read } => format!(
            "Another thread could be faster, and then {} would have to wait. That it waits (⊥) goes to S as a forward \
             option, to be explored later.",
            scene.event(read)
        ),
        Step::TakeBlock { read } => format!(
            "{} It takes the option ⊥ from S: the operation waits now, and its thread with it. {}",
            back_to(scene, read),
            scene.removed()
        ),
        Step::PushForward { read, write } => format!(
            "{}, too. This forward option goes to S, to be explored later.",
            scene.could_take(read, &scene.event(write))
        ),
        Step::PushBackward { read, write } => {
            let (prefix, cut) = behind(scene, read);
            let noun = scene.noun(read);
            let cause = if scene.operation(read).is_some() { "new operation" } else { "new write" };
            format!(
                "The earlier {noun} {}. This backward option goes to S, to be explored later, and to U, to be \
                 remembered. It keeps everything up to the {noun}, and of what came after it {}: the {cause} with its \
                 porf prefix. It removes {}.",
                scene.could_take(read, &format!("the {cause} {}", scene.event(write))),
                scene.names(prefix),
                scene.names(cut)
            )
        }
        Step::AlreadyExplored { read, write } => format!(
            "{} could revisit {}. But U holds this revisit already, so it is not pushed again.",
            scene.event(write),
            scene.event(read)
        ),
        Step::PushSpurious { read, write, direction: Direction::Forward | Direction::Placement } => format!(
            "The weak compare-and-swap {} could also read the value that it expects from {}, and still fail. This \
             forward option, in which it fails spuriously, goes to S, to be explored later.",
            scene.event(read),
            scene.event(write)
        ),
        Step::PushSpurious { read, write, direction: Direction::Backward | Direction::Schedule } => format!(
            "The earlier weak compare-and-swap {} could read the value that it expects from the new write {}, and \
             still fail. This backward option, in which it fails spuriously, goes to S, to be explored later, and to \
             U, to be remembered.",
            scene.event(read),
            scene.event(write)
        ),
        Step::SpuriousAlreadyExplored { read, write } => format!(
            "{} could revisit {} and let it fail spuriously. But U holds this revisit already, so it is not pushed \
             again.",
            scene.event(write),
            scene.event(read)
        ),
        Step::TakeRevisit { read, write, direction } => revisit(scene, read, write, direction, false),
        Step::TakeSpurious { read, write, direction } => revisit(scene, read, write, direction, true),
        _ => return None,
    })
}

fn revisit(scene: &dyn Scene, read: EventKey, write: EventKey, direction: Direction, spurious: bool) -> String {
    let cause = if scene.operation(read).is_some() { "later operation" } else { "later write" };
    let taken = if direction == Direction::Backward {
        let (source, takes) = (scene.event(write), scene.takes(read, &scene.name(write)));
        format!("the {cause} {source} revisits it. So {} now {takes}", scene.event(read))
    } else {
        format!("{} now {}", scene.event(read), scene.takes(read, &scene.event(write)))
    };
    format!(
        "{} It takes a {} option from S: {taken}{}. {} {}",
        back_to(scene, read),
        direction.name(),
        if spurious { FAILS } else { "" },
        scene.stays(scene.noun(read), cause),
        scene.removed()
    )
}

/// Where an option is taken.
pub(in super::super) fn back_to(scene: &dyn Scene, event: EventKey) -> String {
    format!("The exploration goes back to {}, the last event added that still has an option in S.", scene.name(event))
}

/// The events behind a read in porf prefix and cut, for a backward option that was just proposed.
fn behind(scene: &dyn Scene, read: EventKey) -> (Vec<EventKey>, Vec<EventKey>) {
    let graph = scene.graph();
    let prefix = scene.explorer().prefix();
    let Some(read) = graph.find(read) else { return (Vec::new(), Vec::new()) };
    let (kept, cut): (Vec<_>, Vec<_>) = graph.ids().filter(|e| *e > read).partition(|e| prefix.contains(e));
    let keys = |ids: Vec<_>| ids.into_iter().map(|e| graph.event(e).key).collect();
    (keys(kept), keys(cut))
}
