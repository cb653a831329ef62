//! Explorations of programs that have inputs, something that is assumed of them, or blocks that are atomic: what only these need.
//! Natively it is there. The page loads it with what reads such programs ([`crate::syntax::Dialects`]).
//!
//! An input of a thread is an event that reads from one of several locations, which nobody writes
//! ([`Code::values_of_input`](crate::program::Code::values_of_input)): explorers that list the sources of reads list its values.

use super::Algorithm;
use super::blocks::circle;
use super::starts::Starts;
use crate::explore::{Explorer, Options, Scene, Step};
use crate::graph::{Coherence, EventId, Execution};
use crate::model::Model;
use crate::program::{Code, Limits, Location, MOST_VALUES, Observable, Program};
use std::sync::Arc;

/// What explores such programs, and what is said of them.
#[derive(Clone, Copy)]
pub struct Choosing {
    pub(super) refusal: fn(Algorithm, &Code, Model) -> Option<String>,
    pub(super) explorer: fn(Algorithm, Arc<Code>, Model, Options) -> Box<dyn Explorer>,
    pub(super) breaks_block: fn(&Code, Limits, &Execution, &Coherence) -> bool,
    explain: fn(&dyn Scene, &Program, &Code, Limits, Step) -> Option<String>,
}

impl Choosing {
    /// All of it. Who names this has it, with all that it needs.
    pub const fn load() -> Self {
        Self {
            refusal,
            explorer: |algorithm, code, model, options| {
                let choices = code.starts(MOST_STARTS).unwrap_or_default();
                Box::new(Starts::new(algorithm, code, choices, model, options))
            },
            breaks_block: |code, limits, graph, co| !circle(code, limits, graph, co).is_empty(),
            explain,
        }
    }

    /// Makes it known, where it was loaded. Where it is there anyway, nothing changes.
    pub fn give(self) {
        #[cfg(target_family = "wasm")]
        let _ = GIVEN.set(self);
    }
}

#[cfg(target_family = "wasm")]
static GIVEN: std::sync::OnceLock<Choosing> = std::sync::OnceLock::new();

#[cfg(target_family = "wasm")]
pub(super) fn given() -> Option<&'static Choosing> {
    GIVEN.get()
}

#[cfg(not(target_family = "wasm"))]
pub(super) const fn given() -> Option<&'static Choosing> {
    const { Some(&Choosing::load()) }
}

/// What is said of a step that only such explorations make, in plain words.
pub fn explain_choice(scene: &dyn Scene, program: &Program, code: &Code, limits: Limits, step: Step) -> Option<String> {
    given().and_then(|choosing| (choosing.explain)(scene, program, code, limits, step))
}

/// How many choices of initial values are explored, one behind the other.
const MOST_STARTS: usize = 4096;

/// Why an algorithm can't explore what is no event of a program.
fn refusal(algorithm: Algorithm, code: &Code, model: Model) -> Option<String> {
    let beyond = code.beyond.as_ref()?;
    const SCHEDULES: &str = "the lab Schedules and `litmoscope schedule` know it";
    if let Some(span) = beyond.input.filter(|_| !algorithm.traits().inputs) {
        let others = Algorithm::titles(|traits| traits.inputs);
        return Some(format!("it does not choose the input in line {}; {others} do", span.line));
    }
    if let Some(span) = beyond.too_large {
        return Some(format!(
            "the input in line {} has too many values: up to {MOST_VALUES} are tried; {SCHEDULES}",
            span.line
        ));
    }
    if let Some(span) = beyond.range {
        let why = "only the labs Schedules and Fairness look for values outside it";
        return Some(format!("it does not know the range in line {}: {why}", span.line));
    }
    if let Some(span) = beyond.atomic {
        if !model.rules().takes_turns() {
            let strongest = Model::STRONGEST.title();
            return Some(format!("`atomic` in line {} is one step under {strongest} alone: choose it", span.line));
        }
        if !algorithm.traits().atomic {
            let others = Algorithm::titles(|traits| traits.atomic);
            return Some(format!("it does not know `atomic` in line {}; {others} does, and {SCHEDULES}", span.line));
        }
    }
    if code.has_starts() && code.starts(MOST_STARTS).is_none() {
        return Some(format!(
            "the inputs have too many initial values: up to {MOST_STARTS} choices are explored; {SCHEDULES}"
        ));
    }
    None
}

fn explain(scene: &dyn Scene, program: &Program, code: &Code, limits: Limits, step: Step) -> Option<String> {
    let explorer = scene.explorer();
    let graph = explorer.execution();
    match step {
        Step::Start { number } => {
            let inputs = code.beyond.iter().flat_map(|beyond| &beyond.inputs);
            let value = |location: Location| graph.event(EventId(location.0)).value_written.unwrap_or_default();
            let values = inputs.map(|(location, _)| {
                let (object, offset) = code.object(*location);
                let name = program.observable_name(Observable::Location { object, offset });
                format!("{name} = {}", program.location_text(Some(*location), value(*location)))
            });
            let values: Vec<String> = values.collect();
            let values = if values.is_empty() { "those of the text".to_owned() } else { values.join(", ") };
            Some(format!("Exploration {number} begins, with these initial values: {values}."))
        }
        Step::NotAtomic => {
            let co = explorer.coherence()?;
            let circle = circle(code, limits, graph, co);
            let names: Vec<String> = circle.iter().map(|e| scene.event(graph.event(*e).key)).collect();
            Some(format!(
                "Each `atomic` block is one step. So these events would have to come before each other in a circle: {}. The \
                 graph is left.",
                names.join(", ")
            ))
        }
        _ => None,
    }
}
