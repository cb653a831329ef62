//! What random runs are, and what is said of them.

use super::Sample;
use super::pseudo_code::PSEUDO_CODE;
use crate::explore::algorithms::{Algorithm, Definition, Machine, Sees, Traits};
use crate::explore::narrator::{Narrator, Scene, StateTable};
use crate::explore::{Options, Parameter, Step};

pub(in super::super) static DEFINITION: Definition = Definition {
    name: "sample",
    title: "Sampling",
    description: "Runs the program again and again, with threads and sources chosen at random. For programs that are \
                  too large to explore: it often finds errors soon, but never knows that it has seen everything.",
    traits: Traits { sees: Sees::Samples, inputs: true, ..Traits::plain(Algorithm::Sample) },
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
            meaning: "Another seed makes other runs. The same seed makes the same runs.",
            least: 0,
            most: u32::MAX,
            usual: Some(1),
        },
        Parameter {
            name: "changes",
            title: "Change points",
            meaning: "Threads have random priorities, and the one with the highest goes on. At so many points of a \
                      run, the thread that goes on gets the lowest priority (PCT). Without it, all threads that can go \
                      on are equally likely.",
            least: 0,
            most: 1000,
            usual: None,
        },
    ],
    pseudo_code: &PSEUDO_CODE,
    state: StateTable::None("Sampling keeps nothing but the executions that it found."),
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
    pub(super) fn of(options: &Options) -> Self {
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
                format!("{} {}.", scene.event(read), scene.takes(read, &scene.event(write)))
            }
            Step::ChooseSource { read, write } => format!(
                "{} reads from {} (rf), one of the writes that keep the graph consistent under {model}.",
                scene.event(read),
                scene.event(write)
            ),
            Step::TakeSpurious { read, write, .. } => format!(
                "{} reads from {} (rf). It finds the value that it expects, but fails spuriously.",
                scene.event(read),
                scene.event(write)
            ),
            Step::Block { read } => format!(
                "{} finds nothing that it could take: {}. So it has no source (⊥). Its thread waits, and no thread can \
                 go on.",
                scene.event(read),
                scene.waiting(read)
            ),
            Step::Repeated { number } => {
                format!(
                    "No thread can go on. An earlier run found this execution, number {number}, so it is not counted \
                     again."
                )
            }
            _ => return None,
        })
    }

    fn end(&self) -> &'static str {
        "All runs were made"
    }

    fn turn(&self) -> &'static str {
        "is chosen among the threads that can go on"
    }

    fn part(&self) -> &'static str {
        "run"
    }
}
