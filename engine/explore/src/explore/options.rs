//! How to explore.

use super::{Algorithm, Parameter, Parameters};
use crate::model::Model;
use crate::program::{Code, Limits};
use crate::words;
use serde::{Deserialize, Serialize};

/// How to explore.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Options {
    /// What cuts threads that would not end.
    pub limits: Limits,
    /// End at the first error event, data race or execution that is stuck for good. The graph that it is in is consistent, and need not
    /// be whole.
    pub stop_at_first: bool,
    /// Don't look for data races.
    pub no_races: bool,
    /// Let a weak compare-and-swap that finds what it expects fail all the same.
    pub spurious: bool,
    // Files from before these were there are read; they are always written, since messages of the page have no names.
    /// Explore threads that can be exchanged up to permutation; TruSt only.
    #[serde(default)]
    pub symmetry: bool,
    /// Leave out graphs in which a thread waits in vain: it reads what is not the last write, and nothing that comes of the graph
    /// changes that. So of the executions that are blocked in loops and at assumptions, those alone are counted in which each
    /// thread that waits may read the last write. TruSt only; without a bound on switches.
    #[serde(default)]
    pub leave_out_waits: bool,
    /// Look for threads that are stuck for good in loops ([`super::Wait`]), not only at operations of objects. Without, an execution in
    /// which a thread waits in a loop is blocked, and nothing is wrong with it.
    #[serde(default)]
    pub stuck_loops: bool,
    /// Explore only executions with an interleaving of at most so many preemptions; TruSt (co) under SC only.
    #[serde(default)]
    pub preemptions: Option<u32>,
    /// The same with all context switches counted.
    #[serde(default)]
    pub contexts: Option<u32>,
    /// What only one algorithm takes.
    #[serde(default)]
    pub parameters: Parameters,
}

/// The defaults with these limits.
impl From<Limits> for Options {
    fn from(limits: Limits) -> Self {
        Self::within(limits)
    }
}

/// An option outside its range.
#[derive(Clone, Debug, thiserror::Error)]
pub enum InvalidOption {
    /// The unroll bound.
    #[error("the unroll bound is {0}; it has to be from 1 to {MAX_UNROLL}")]
    Unroll(u32),
    /// Symmetry reduction, by another algorithm.
    #[error("symmetry reduction is for {}, not for {}: choose one of those, or explore without it",
            Algorithm::titles(|traits| traits.symmetry), .0.title())]
    Symmetry(Algorithm),
    /// A bound on switches, under another model.
    #[error("bounds on preemptions and context switches are for SC, where threads take turns, not for {}: choose SC, or \
             explore without a bound", .0.title())]
    SwitchesOfModel(Model),
    /// A bound on switches, by another algorithm.
    #[error("bounds on preemptions and context switches are for {}, not for {}: choose it, or explore without a bound",
            Algorithm::titles(|traits| traits.switches), .0.title())]
    SwitchesOfAlgorithm(Algorithm),
    /// A model that the algorithm does not know.
    #[error("{} explores under {}, {}, not under {}: choose one of those, or another algorithm",
            .0.title(), known(*.0), .0.traits().known, .1.title())]
    Model(Algorithm, Model),
    /// A program with handlers, under another model than SC.
    #[error("programs with handlers are explored under SC, where threads take turns, not under {}: choose SC", .0.title())]
    Handlers(Model),
    /// A program that the algorithm has no answer for, and why.
    #[error("{} can't explore this program: {why}", .0.title(), why = .1)]
    Program(Algorithm, String),
    /// A parameter that the algorithm does not have, by name.
    #[error("{} has no parameter `{name}`; {}", .0.name(), parameters(*.0), name = .1)]
    NoParameter(Algorithm, String),
    /// A parameter out of range.
    #[error("`{}` is {number}; it has to be from {} to {}", .0.name, .0.least, .0.most, number = .1)]
    Parameter(&'static Parameter, u32),
}

/// The parameters of an algorithm, as a clause.
fn parameters(algorithm: Algorithm) -> String {
    let names: Vec<_> =
        algorithm.definition().parameters.iter().map(|parameter| format!("`{}`", parameter.name)).collect();
    if names.is_empty() { "it takes none".to_owned() } else { format!("it takes {}", names.join(", ")) }
}

/// The models that an algorithm knows, as a list in a sentence.
fn known(algorithm: Algorithm) -> String {
    words::list(Model::ALL.iter().filter(|&&model| algorithm.knows(model)).map(|model| model.title()))
}

/// The largest unroll bound.
pub const MAX_UNROLL: u32 = 10_000;

impl Options {
    /// The defaults with these limits.
    pub const fn within(limits: Limits) -> Self {
        Self {
            limits,
            stop_at_first: false,
            no_races: false,
            spurious: false,
            symmetry: false,
            leave_out_waits: false,
            stuck_loops: false,
            preemptions: None,
            contexts: None,
            parameters: Parameters::USUAL,
        }
    }

    /// The same without what only some algorithms know and that explores less: everything is explored.
    #[must_use]
    pub fn without_reductions(self) -> Self {
        Self {
            symmetry: false,
            leave_out_waits: false,
            preemptions: None,
            contexts: None,
            parameters: Parameters::USUAL,
            ..self
        }
    }

    /// The same without what an algorithm does not heed, so that what is explored in the same way has the same options.
    #[must_use]
    pub fn heeded_by(self, algorithm: Algorithm) -> Self {
        Self { leave_out_waits: self.leave_out_waits && algorithm.traits().leaves_out_waits, ..self }
    }

    /// Whether only executions that switch threads seldom are explored.
    pub fn bounds_switches(&self) -> bool {
        self.preemptions.is_some() || self.contexts.is_some()
    }

    /// Whether every option lies in its range.
    ///
    /// # Errors
    /// The first one that does not.
    pub fn validate(&self) -> Result<(), InvalidOption> {
        let unroll = self.limits.unroll;
        if (1..=MAX_UNROLL).contains(&unroll) { Ok(()) } else { Err(InvalidOption::Unroll(unroll)) }
    }

    /// Whether an algorithm can explore with these options under a model.
    ///
    /// # Errors
    /// The first one that is out of range or that it does not know.
    pub fn validate_for(&self, algorithm: Algorithm, model: Model) -> Result<(), InvalidOption> {
        self.validate()?;
        if !algorithm.knows(model) {
            return Err(InvalidOption::Model(algorithm, model));
        }
        if self.symmetry && !algorithm.traits().symmetry {
            return Err(InvalidOption::Symmetry(algorithm));
        }
        if self.bounds_switches() && !model.rules().takes_turns() {
            return Err(InvalidOption::SwitchesOfModel(model));
        }
        if self.bounds_switches() && !algorithm.traits().switches {
            return Err(InvalidOption::SwitchesOfAlgorithm(algorithm));
        }
        self.parameters.validate_for(algorithm)
    }

    /// Whether an algorithm can explore a program with these options under a model.
    ///
    /// # Errors
    /// As [`Self::validate_for`]; and a program that it has no answer for.
    pub fn validate_for_program(&self, algorithm: Algorithm, model: Model, code: &Code) -> Result<(), InvalidOption> {
        if code.has_handlers() && !model.rules().takes_turns() {
            return Err(InvalidOption::Handlers(model));
        }
        self.validate_for(algorithm, model)?;
        algorithm.refusal(code, *self).map_or(Ok(()), |why| Err(InvalidOption::Program(algorithm, why)))
    }
}
