//! What RF-SMC is and says.

use super::RfSmc;
use super::pseudo_code::PSEUDO_CODE;
use crate::explore::algorithms::{Algorithm, Definition, Kin, Machine, Traits};
use crate::explore::narrator::{Column, Columns, Narrator, SEARCH_GIVEN_UP, Scene, StateTable};
use crate::explore::{Direction, Step};
use crate::graph::EventKey;

pub(in super::super) static DEFINITION: Definition = Definition {
    name: "rf_smc",
    title: "RF-SMC",
    description: "Extends a run until no thread can go on, then looks for runs in which one read takes another write. \
                  Explores every consistent execution exactly once; for SC, TSO and PSO, which have machines to run.",
    traits: Traits {
        knows: |rules| rules.has_machine(),
        known: "which have machines to run",
        kin: Kin { plain: Algorithm::RfSmc, with_co: Algorithm::TrustCo },
        in_parts: Some(Algorithm::Trust),
        ..Traits::plain(Algorithm::RfSmc)
    },
    parameters: &[],
    pseudo_code: &PSEUDO_CODE,
    state: StateTable::Pending(&Columns {
        caption: "The reads of the graph, whether they may change, and their schedules",
        row: "read",
        empty: "There is no read and no schedule.",
        revisitable: Column {
            name: "free",
            gloss: "",
            title: "whether the read may change below this schedule, or is marked",
        },
        may_change: ("✓", "it may change"),
        stays: ("marked", "it keeps its source below this schedule"),
        options: Column { name: "schedules", gloss: "", title: "the schedules to explore, the next on top" },
        proposed: Column {
            name: "found",
            gloss: "",
            title: "the schedules ever found for the read; those with a tick were taken",
        },
        kind: Direction::Schedule,
    }),
};

pub(in super::super) static MACHINE: Machine = Machine {
    explorer: |code, model, options| Box::new(RfSmc::new(code, model, options)),
    prepared: None,
    // Its schedules hold what was proposed anywhere before.
    walk: None,
    whole: None,
    narrator: &Words,
};

struct Words;

impl Narrator for Words {
    fn explain(&self, scene: &dyn Scene, step: Step) -> Option<String> {
        let model = scene.model().title();
        Some(match step {
            Step::ChooseSource { read, write } => {
                let taken = match scene.operation(read) {
                    Some(_) => {
                        format!("{} takes {} over from {}", scene.event(read), scene.object(read), scene.event(write))
                    }
                    None => format!(
                        "{} takes its value from {}, which memory holds at this point of the run",
                        scene.event(read),
                        scene.event(write)
                    ),
                };
                format!("{taken}. It may change later: its schedules are kept with it.")
            }
            Step::Block { read } => format!(
                "{} finds nothing that it could take: {}. Its thread waits, and nobody can go on.",
                scene.event(read),
                scene.waiting(read)
            ),
            Step::Schedule { read, write, .. } => format!(
                "{} It keeps all before {}, and of what came after it {}: the causal past of {}. There is such a run. It becomes \
                 a schedule, to be explored later.",
                change(scene, read, write),
                scene.name(read),
                scene.kept(),
                scene.name(write)
            ),
            Step::AlreadyScheduled { read, write } => {
                format!("{} That schedule is there already.", change(scene, read, write))
            }
            Step::NoWitness { read, write } => format!(
                "{} It would keep all before {}, and of what came after it {}. But there is no such run under {model}.",
                change(scene, read, write),
                scene.name(read),
                scene.kept()
            ),
            Step::WitnessUndecided { read, write } => format!(
                "{} It would keep all before {}, and of what came after it {}. Whether there is such a run under {model} was not \
                 decided: {SEARCH_GIVEN_UP}",
                change(scene, read, write),
                scene.name(read),
                scene.kept()
            ),
            Step::TakeSchedule { read, write, spurious } => {
                let graph = scene.graph();
                let taken = match graph.find(read).and_then(|read| graph.source(read)) {
                    Some(_) if spurious => {
                        format!("{} reads from {} and fails spuriously", scene.event(read), scene.event(write))
                    }
                    Some(_) => format!("{} reads from {}", scene.event(read), scene.event(write)),
                    None => format!("{} goes before {}", scene.event(write), scene.name(read)),
                };
                format!(
                    "The last read that still has a schedule takes one: {taken}. The events behind it are marked: their \
                     sources do not change in what follows. {} The run goes on from here.",
                    scene.removed()
                )
            }
            _ => return None,
        })
    }

    fn end(&self) -> &'static str {
        "No schedule is left"
    }
}

/// What would change.
fn change(scene: &dyn Scene, read: EventKey, write: EventKey) -> String {
    if scene.operation(read).is_some() {
        return format!("{} could go before {}.", scene.event(write), scene.event(read));
    }
    let graph = scene.graph();
    let reads_from_it = graph.find(write).and_then(|write| graph.source(write)).map(|source| graph.event(source).key);
    if reads_from_it == Some(read) {
        return format!("{} could go before {}, which would then read from it.", scene.event(write), scene.event(read));
    }
    format!("{} could read from {}.", scene.event(read), scene.event(write))
}
