//! What brute force is and says.

use super::pseudo_code::PSEUDO_CODE;
use super::{BruteForce, CAP};
use crate::explore::algorithms::{Algorithm, Definition, Machine, Traits};
use crate::explore::narrator::{Narrator, Scene, StateTable};
use crate::explore::{Explorer, Step};

pub(in super::super) static DEFINITION: Definition = Definition {
    name: "brute_force",
    title: "Brute force",
    description: "Lists every candidate graph in which po and rf form no cycle, and keeps the consistent ones. It is \
                  slow and obviously right, so the other algorithms are tested against it.",
    traits: Traits { by_definition: true, inputs: true, ..Traits::plain(Algorithm::BruteForce) },
    parameters: &[],
    pseudo_code: &PSEUDO_CODE,
    state: StateTable::None("Brute force keeps nothing but its list of candidates."),
};

pub(in super::super) static MACHINE: Machine = Machine {
    explorer: |code, model, options| Box::new(BruteForce::new(code, model, options)),
    prepared: Some(|code, model, options, budget| {
        let mut explorer = BruteForce::new(code, model, options);
        Ok(explorer.list(budget)?.map(|()| Box::new(explorer) as Box<dyn Explorer>))
    }),
    // Its candidates are listed all at once.
    walk: None,
    whole: None,
    narrator: &Words,
};

struct Words;

impl Narrator for Words {
    fn explain(&self, _: &dyn Scene, step: Step) -> Option<String> {
        Some(match step {
            Step::Candidate { number } => format!("Brute force takes candidate graph {number} from its list, whole."),
            Step::TooManyCandidates => format!(
                "Brute force can't explore this program. It lists at most {CAP} graphs, and the candidates and their \
                 prefixes are more. Choose {}.",
                Algorithm::default().title()
            ),
            _ => return None,
        })
    }

    fn end(&self) -> &'static str {
        "No candidate is left"
    }
}
