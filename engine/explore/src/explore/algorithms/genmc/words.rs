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
    empty: "T, S and U are empty.",
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
        "Nothing is left in S"
    }
}

pub(in super::super) fn explain(scene: &dyn Scene, step: Step) -> Option<String> {
    Some(match step {
        Step::ChooseSource { read, write } if scene.operation(read).is_some() => {
            format!("{} takes {} over from {}. It joins T.", scene.event(read), scene.object(read), scene.event(write))
        }
        Step::ChooseSource { read, write } => format!(
            "{} takes its value from {}, the first write of its location that keeps the graph consistent under {}. It joins \
             T: later writes may revisit it.",
            scene.event(read),
            scene.event(write),
            scene.model().title()
        ),
        Step::Block { read } => format!(
            "{} finds nothing that it could take: {}. It has no source (⊥), and its thread waits; it joins T: what \
             comes later may revisit it.",
            scene.event(read),
            scene.waiting(read)
        ),
        Step::PushBlock { read } => format!(
            "Another thread could be faster, and {} would have to wait: ⊥ goes to S as a forward option, to be \
             explored later.",
            scene.event(read)
        ),
        Step::TakeBlock { read } => format!(
            "The option ⊥ is taken from S. {} is the read added last that has an option: it waits now, and its thread \
             with it. {}",
            scene.event(read),
            scene.removed()
        ),
        Step::PushForward { read, write } => format!(
            "{} could also feed {}: this forward option goes to S and is explored later.",
            scene.event(write),
            scene.event(read)
        ),
        Step::PushBackward { read, write } => {
            let (prefix, cut) = behind(scene, read);
            format!(
                "The new write {} could feed the earlier read {}. This backward option goes to S, to be taken later, and \
                 to U, to be remembered. Taking it will keep everything up to the read, and of what came after it {}: the \
                 porf prefix of the write. It will remove {}.",
                scene.event(write),
                scene.event(read),
                scene.names(prefix),
                scene.names(cut)
            )
        }
        Step::AlreadyExplored { read, write } => format!(
            "{} could revisit {}, but U holds this very revisit already: it is not pushed again.",
            scene.event(write),
            scene.event(read)
        ),
        Step::PushSpurious { read, write, direction: Direction::Forward | Direction::Placement } => format!(
            "{} has the value that the weak compare-and-swap {} expects, which may fail all the same: this forward \
             option, in which it reads the value and fails spuriously, goes to S.",
            scene.event(write),
            scene.event(read)
        ),
        Step::PushSpurious { read, write, direction: Direction::Backward | Direction::Schedule } => format!(
            "The new write {} has the value that the earlier weak compare-and-swap {} expects, which may fail all \
             the same: this backward option, in which it reads the value and fails spuriously, goes to S and U.",
            scene.event(write),
            scene.event(read)
        ),
        Step::SpuriousAlreadyExplored { read, write } => format!(
            "{} could revisit {} and let it fail spuriously, but U holds this very revisit already: it is not pushed \
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
    let failure = if spurious { ", which has the value that it expects, and fails spuriously" } else { "" };
    let (reader, source, stays, removed) =
        (scene.event(read), scene.event(write), scene.stays("read", "write"), scene.removed());
    if direction == Direction::Backward {
        format!(
            "A backward option is taken from S: the later write {source} revisits {reader}, the read added last that has an \
             option. The read now reads from it{failure}. {stays} {removed}"
        )
    } else {
        format!(
            "A forward option is taken from S. {reader} is the read added last that has an option: it now reads from \
             {source}{failure}. {stays} {removed}"
        )
    }
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
