//! Which options an algorithm takes, and what is said of others.

use super::Algorithm;
use crate::explore::{MAX_UNROLL, Options, Parameter, Parameters};
use crate::model::Model;
use crate::program::Code;
use crate::words;

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
    /// A model of somebody's own whose rules say too little.
    #[error("{} is no model that can be explored: {flaw}", .0.title(), flaw = .1)]
    Rules(Model, &'static str),
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

impl Options {
    /// The same without what an algorithm does not heed, so that what is explored in the same way has the same options.
    #[must_use]
    pub fn heeded_by(self, algorithm: Algorithm) -> Self {
        Self { leave_out_waits: self.leave_out_waits && algorithm.traits().leaves_out_waits, ..self }
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
        if let Some(flaw) = model.rules().flaw() {
            return Err(InvalidOption::Rules(model, flaw));
        }
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
        algorithm.refusal(code, model, *self).map_or(Ok(()), |why| Err(InvalidOption::Program(algorithm, why)))
    }
}

impl Parameters {
    /// Those of an algorithm that have these names.
    ///
    /// # Errors
    /// The first that it does not have, or that is out of range.
    pub fn named<'a>(
        algorithm: Algorithm,
        chosen: impl IntoIterator<Item = (&'a str, u32)>,
    ) -> Result<Self, InvalidOption> {
        let mut parameters = Self::USUAL;
        for (name, number) in chosen {
            let known = algorithm.definition().parameters.iter().position(|parameter| parameter.name == name);
            let place = known.ok_or_else(|| InvalidOption::NoParameter(algorithm, name.to_owned()))?;
            parameters.choose(place, Some(number));
        }
        parameters.validate_for(algorithm)?;
        Ok(parameters)
    }

    /// What the parameters of an algorithm are, the usual ones included.
    pub fn of(self, algorithm: Algorithm) -> impl Iterator<Item = (&'static Parameter, Option<u32>)> {
        let parameters = algorithm.definition().parameters;
        parameters.iter().enumerate().map(move |(at, parameter)| (parameter, self.chosen(at).or(parameter.usual)))
    }

    /// Whether an algorithm has all that were chosen, and they are in range.
    ///
    /// # Errors
    /// The first that is not.
    pub fn validate_for(self, algorithm: Algorithm) -> Result<(), InvalidOption> {
        let parameters = algorithm.definition().parameters;
        for (place, number) in self.all() {
            let Some(parameter) = parameters.get(place) else {
                return Err(InvalidOption::NoParameter(algorithm, format!("number {}", place + 1)));
            };
            if !(parameter.least..=parameter.most).contains(&number) {
                return Err(InvalidOption::Parameter(parameter, number));
            }
        }
        Ok(())
    }
}
