//! Whether all runs of a machine are this consistent, by whatever decides it best.

use super::machine::{Machine, TransitionIndex};
use super::pco::Causality;
use super::run::Initial;
use super::saturation::{Saturation, saturate};
use super::shapes::{Shape, ShapeSearch, ShapeTally, ShapeVerdict};
use super::symmetry::Symmetry;
use crate::budget::{Budget, Paused};

/// What is asked of all runs.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// How consistent they are to be.
    pub causality: Causality,
    /// What registers hold at first.
    pub initial: Initial,
    /// How many configurations a search may meet, and how many tuples a saturation.
    pub configurations: u64,
    /// Only runs of so many steps.
    pub steps: Option<u32>,
    /// What of the machine can be exchanged, if searches are to go up to that.
    pub symmetry: Option<&'a Symmetry>,
}

/// What is known of all runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decided {
    /// All are. Found by so many tuples of a saturation, or configurations of a search.
    Holds {
        /// How many.
        size: u64,
        /// Whether these are tuples.
        by_saturation: bool,
        /// For how many configurations of a search they stand: more if what can be exchanged was exchanged.
        represented: u64,
    },
    /// This one is not, and it is a shortest one where `is_shortest` says so.
    Violated {
        /// The run: it ends with the read that shows it.
        run: Vec<TransitionIndex>,
        /// The shape of the cycle, where a search found it.
        shape: Option<Shape>,
        /// Whether no shorter run is inconsistent.
        is_shortest: bool,
    },
    /// All runs of so many steps are; longer ones were not looked at, as was asked.
    Bounded {
        /// How many.
        steps: u32,
    },
    /// The search was given up at its limit.
    Unknown {
        /// How many shapes of cycles no run has; 0 if only short runs were looked at.
        shapes: u64,
    },
}

/// Decides a question: weak causality by saturation, which is polynomial, the others by the shapes of cycles.
///
/// # Errors
/// [`Paused`] if somebody wants to stop.
///
/// # Panics
/// As [`ShapeSearch::new`].
pub fn decide(machine: &Machine, question: &Question<'_>, budget: &mut Budget) -> Result<Decided, Paused> {
    decide_by(machine, question, &ShapeTally::default(), budget, |search, tally, budget| search.run_with(tally, budget))
}

/// What is known already of a question by what is known of others: with one variable, RA and SRA are the same.
pub fn follows(machine: &Machine, causality: Causality, known: &[(Causality, Option<Decided>)]) -> Option<Decided> {
    let is_same = causality == Causality::Strong && machine.variables.len() == 1;
    let other = known.iter().find(|(other, _)| is_same && *other == Causality::ReleaseAcquire)?;
    other.1.clone()
}

/// The same with a tally that others may look at meanwhile, and with a search that is run by somebody else, on several threads perhaps.
///
/// # Errors
/// [`Paused`] if somebody wants to stop.
///
/// # Panics
/// As [`ShapeSearch::new`].
pub fn decide_by(
    machine: &Machine,
    question: &Question<'_>,
    tally: &ShapeTally,
    budget: &mut Budget,
    run: impl FnOnce(&ShapeSearch<'_>, &ShapeTally, &mut Budget) -> Result<ShapeVerdict, Paused>,
) -> Result<Decided, Paused> {
    let mut saturated = None;
    if question.causality == Causality::Weak && question.steps.is_none() {
        match saturate(machine, question.initial, question.configurations, budget)? {
            Some(Saturation { tuples, violation: None }) => {
                let size = tuples.len() as u64;
                return Ok(Decided::Holds { size, by_saturation: true, represented: size });
            }
            Some(Saturation { violation: Some(violation), .. }) => saturated = Some(violation.transitions),
            // The search may still find something.
            None => {}
        }
    }
    let mut search = ShapeSearch::new(machine, question.causality, question.initial, question.configurations);
    if let Some(symmetry) = question.symmetry {
        search = search.up_to(symmetry);
    }
    if let Some(steps) = question.steps {
        search = search.within(steps);
    }
    Ok(match (run(&search, tally, budget)?, saturated, question.steps) {
        (ShapeVerdict::Violated(found), ..) => {
            let is_shortest = found.is_shortest;
            Decided::Violated { run: found.transitions, shape: Some(found.shape), is_shortest }
        }
        (_, Some(run), _) => Decided::Violated { run, shape: None, is_shortest: false },
        (ShapeVerdict::Unknown { shapes }, None, None) => Decided::Unknown { shapes },
        // Of shapes in short runs alone, nothing follows for all runs.
        (ShapeVerdict::Unknown { .. }, None, Some(_)) => Decided::Unknown { shapes: 0 },
        (ShapeVerdict::Holds, None, Some(steps)) => Decided::Bounded { steps },
        (ShapeVerdict::Holds, None, None) => {
            let (size, represented) = (tally.configurations(), tally.represented());
            Decided::Holds { size, by_saturation: false, represented }
        }
    })
}
