//! What RF-SMC is and says.

use super::RfSmc;
use super::pseudo_code::PSEUDO_CODE;
use crate::explore::algorithms::{Algorithm, Definition, Kin, Machine, Traits};
use crate::explore::narrator::{Column, Columns, Narrator, SEARCH_GIVEN_UP, Scene, StateTable};
use crate::explore::{Direction, Step};
use crate::graph::{EventId, EventKey};
use crate::words::by_number;

pub(in super::super) static DEFINITION: Definition = Definition {
    name: "rf_smc",
    title: "RF-SMC",
    description: "Extends a run until no thread can go on, then looks for runs in which one read takes another write. \
                  Explores every consistent execution exactly once. For SC, TSO and PSO, which have machines to run.",
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
        caption: "The reads of the graph, whether their sources may change, and their schedules",
        row: "read",
        empty: "There is no read and no schedule.",
        revisitable: Column {
            name: "free",
            gloss: "",
            title: "whether the source of the read may change below this schedule, or the read is marked",
        },
        may_change: ("✓", "its source may change"),
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
                    Some(_) => format!("{} {}", scene.event(read), scene.takes(read, &scene.event(write))),
                    None => format!(
                        "{} reads from {} (rf), whose value memory holds at this point of the run",
                        scene.event(read),
                        scene.event(write)
                    ),
                };
                format!("{taken}. It may take another source later: its schedules are kept with it.")
            }
            Step::Block { read } => format!(
                "{} finds nothing that it could take: {}. So it has no source (⊥). Its thread waits, and no thread can \
                 go on.",
                scene.event(read),
                scene.waiting(read)
            ),
            Step::Schedule { read, write, .. } => format!(
                "{} {} There is such a run, a witness. It becomes a schedule, to be explored later.",
                change(scene, read, write),
                keeps(scene, read, write)
            ),
            Step::AlreadyScheduled { read, write } => {
                format!("{} But a schedule for this is there already.", change(scene, read, write))
            }
            Step::NoWitness { read, write } => format!(
                "{} {} But there is no such run under {model}: no witness.",
                change(scene, read, write),
                keeps(scene, read, write)
            ),
            Step::WitnessUndecided { read, write } => format!(
                "{} {} Whether there is such a run under {model}, a witness, was not decided: {SEARCH_GIVEN_UP}",
                change(scene, read, write),
                keeps(scene, read, write)
            ),
            Step::TakeSchedule { read, write, spurious } => {
                let graph = scene.graph();
                let taken = match graph.find(read).and_then(|read| graph.source(read)) {
                    Some(_) if spurious => {
                        format!("{} now reads from {} (rf) and fails spuriously", scene.event(read), scene.event(write))
                    }
                    Some(_) => format!("{} now reads from {} (rf)", scene.event(read), scene.event(write)),
                    None => format!("{} now goes before {}", scene.event(write), scene.name(read)),
                };
                format!(
                    "The exploration goes back to {}, the last {} that still has a schedule, and takes it: {taken}.{} \
                     {} The run goes on from here.",
                    scene.name(read),
                    scene.noun(read),
                    marked(scene),
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

/// What a schedule keeps behind its read, and what of that it marks, as sentences behind others.
fn marked(scene: &dyn Scene) -> String {
    let (graph, kept) = (scene.graph(), scene.explorer().prefix());
    if kept.is_empty() {
        return String::new();
    }
    let names = |events: &[EventId]| scene.names(events.iter().map(|e| graph.event(*e).key));
    let reads: Vec<EventId> = kept.iter().copied().filter(|e| graph.event(*e).is_read()).collect();
    let stay = by_number(kept.len() as u64, "stays", "stay");
    let marked = match reads.len() {
        0 => String::new(),
        1 => format!(" {} is marked: it keeps its source below this schedule.", names(&reads)),
        _ => format!(" {} are marked: they keep their sources below this schedule.", names(&reads)),
    };
    format!(" Of what came after it, {} {stay}.{marked}", names(&kept))
}

/// What that would keep.
fn keeps(scene: &dyn Scene, read: EventKey, write: EventKey) -> String {
    let (read, kept, write) = (scene.name(read), scene.kept(), scene.name(write));
    let after = match scene.explorer().prefix().len() {
        0 => "nothing of what came after it".to_owned(),
        1 => format!("of what came after it only {kept}"),
        _ => format!("of what came after it {kept}: {write} with its causal past"),
    };
    format!("That would keep all that came before {read}, and {after}.")
}

/// What would change.
fn change(scene: &dyn Scene, read: EventKey, write: EventKey) -> String {
    if scene.operation(read).is_some() {
        return format!("{} could go before {}.", scene.event(write), scene.event(read));
    }
    let graph = scene.graph();
    let reads_from_it = graph.find(write).and_then(|write| graph.source(write)).map(|source| graph.event(source).key);
    if reads_from_it == Some(read) {
        return format!(
            "{} could go before {}, which would then read from it (rf).",
            scene.event(write),
            scene.event(read)
        );
    }
    format!("{} could read from {} (rf).", scene.event(read), scene.event(write))
}
