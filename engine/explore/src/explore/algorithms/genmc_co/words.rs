//! What GenMC with co is, and what it says besides what GenMC says.

use super::GenMcCo;
use super::pseudo_code::PSEUDO_CODE;
use crate::explore::Step;
use crate::explore::algorithms::{Algorithm, Definition, Kin, Machine, Traits, genmc};
use crate::explore::narrator::{Columns, Narrator, Scene, StateTable, placed};

pub(in super::super) static DEFINITION: Definition = Definition {
    name: "genmc_co",
    title: "GenMC (co)",
    description: "GenMC with coherence in the graph: a new write comes last in co, and each other place is an option. \
                  Explores every consistent execution once for each of its coherence orders.",
    traits: Traits {
        tracks_co: true,
        kin: Kin { plain: Algorithm::Genmc, with_co: Algorithm::GenmcCo },
        in_parts: Some(Algorithm::TrustCo),
        inputs: true,
        atomic: true,
        ..Traits::plain(Algorithm::GenmcCo)
    },
    parameters: &[],
    pseudo_code: &PSEUDO_CODE,
    // Writes wait in S, too.
    state: StateTable::Pending(&Columns { row: "event", ..genmc::words::SETS }),
};

pub(in super::super) static MACHINE: Machine = Machine {
    explorer: |code, model, options| Box::new(GenMcCo::new(code, model, options)),
    prepared: None,
    // Its sets hold what was proposed anywhere before.
    walk: None,
    whole: None,
    narrator: &Words,
};

struct Words;

impl Narrator for Words {
    fn explain(&self, scene: &dyn Scene, step: Step) -> Option<String> {
        match step {
            Step::PlaceWrite { write, after } => Some(placed(scene, write, after)),
            Step::PushPlacement { write, after } => Some(format!(
                "{} could also come immediately after {} in co. This placement goes to S, to be explored later.",
                scene.event(write),
                scene.event(after)
            )),
            Step::TakePlacement { write, after } => Some(format!(
                "{} It takes a placement from S: {} now comes immediately after {} in co. {} {}",
                genmc::words::back_to(scene, write),
                scene.event(write),
                scene.event(after),
                scene.stays("write", "write"),
                scene.removed()
            )),
            _ => genmc::words::explain(scene, step),
        }
    }

    fn end(&self) -> &'static str {
        "No option is left to try"
    }
}
