//! What random runs are, and what is said of them.

use super::Sample;
use super::pseudo_code::PSEUDO_CODE;
use crate::explore::algorithms::{Algorithm, Definition, Machine, Sees, Traits};
use crate::explore::narrator::{Narrator, Scene, StateTable};
use crate::explore::{Options, Parameter, Step};

pub(in super::super) static DEFINITION: Definition = Definition {
    name: "sample",
    title: "Sampling",
    description: "Runs the program again and again with random turns and random sources, for programs that are too large to \
                  explore. Finds errors soon, but never knows that it has seen everything.",
    traits: Traits { sees: Sees::Samples, ..Traits::plain(Algorithm::Sample) },
    parameters: &[
        Parameter {
            name: "runs",
            title: "Runs",
            meaning: "How many runs to make.",
            least: 1,
            most: 1_000_000_000,
            usual: Some(1000),
        },
        Parameter {
            name: "seed",
            title: "Seed",
            meaning: "Another seed makes other runs; the same makes the same.",
            least: 0,
            most: u32::MAX,
            usual: Some(1),
        },
        Parameter {
            name: "changes",
            title: "Change points",
            meaning: "Threads have random priorities, and at so many points of a run the one whose turn it is gets the lowest \
                      (PCT). Without it, all threads that can go on are as likely.",
            least: 0,
            most: 1000,
            usual: None,
        },
    ],
    pseudo_code: &PSEUDO_CODE,
    state: StateTable::None("Random runs keep nothing but the executions that they found."),
};

pub(in super::super) static MACHINE: Machine = Machine {
    explorer: |code, model, options| Box::new(Sample::new(code, model, options)),
    prepared: None,
    // It has no tree.
    walk: None,
    whole: None,
    narrator: &Words,
};

/// What was chosen.
pub(super) struct Chosen {
    pub runs: u64,
    pub seed: u64,
    pub changes: Option<u32>,
}

impl Chosen {
    pub fn of(options: &Options) -> Self {
        let of = |place: usize| options.parameters.chosen(place).or(DEFINITION.parameters[place].usual);
        let number = |place: usize| u64::from(of(place).unwrap_or_default());
        Self { runs: number(0), seed: number(1), changes: of(2) }
    }
}

struct Words;

impl Narrator for Words {
    fn explain(&self, scene: &dyn Scene, step: Step) -> Option<String> {
        let model = scene.model().title();
        Some(match step {
            Step::BeginRun { number } => {
                format!("Run {number} begins: the graph holds the initial writes and nothing else.")
            }
            Step::ChooseSource { read, write } if scene.operation(read).is_some() => {
                format!("{} takes {} over from {}.", scene.event(read), scene.object(read), scene.event(write))
            }
            Step::ChooseSource { read, write } => format!(
                "{} takes its value from {}, one of the writes that keep the graph consistent under {model}.",
                scene.event(read),
                scene.event(write)
            ),
            Step::TakeSpurious { read, write, .. } => format!(
                "{} takes its value from {}, which has what it expects, and fails spuriously.",
                scene.event(read),
                scene.event(write)
            ),
            Step::Block { read } => format!(
                "{} finds nothing that it could take: {}. Its thread waits, and nobody can go on.",
                scene.event(read),
                scene.waiting(read)
            ),
            Step::Repeated { number } => {
                format!("No thread can go on. This is execution {number} again, so it is not counted another time.")
            }
            _ => return None,
        })
    }

    fn end(&self) -> &'static str {
        "All runs were made"
    }

    fn part(&self) -> &'static str {
        "run"
    }
}
