//! Numbers that only some algorithms take.

use super::{Algorithm, InvalidOption};
use serde::{Deserialize, Serialize};

/// How many parameters an algorithm has at most.
const MOST: usize = 4;

/// A number that an algorithm takes.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// The name on the command line and in JSON.
    pub name: &'static str,
    /// The name that readers see.
    pub title: &'static str,
    /// What it does, in a sentence or two.
    pub meaning: &'static str,
    /// The smallest number that it can be.
    pub least: u32,
    /// The greatest.
    pub most: u32,
    /// What it is if nothing is said; without it, what it does is not done then.
    pub usual: Option<u32>,
}

/// What was chosen for the parameters of an algorithm, in the order of its list ([`super::Definition::parameters`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Parameters([Option<u32>; MOST]);

impl Parameters {
    /// Nothing was.
    pub const USUAL: Self = Self([None; MOST]);

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
            parameters.0[place] = Some(number);
        }
        parameters.validate_for(algorithm)?;
        Ok(parameters)
    }

    /// What was chosen for a parameter, by its place in the list.
    pub fn chosen(self, place: usize) -> Option<u32> {
        self.0.get(place).copied().flatten()
    }

    /// Chooses a number for a parameter, by its place in the list, or the usual one.
    pub fn choose(&mut self, place: usize, number: Option<u32>) {
        if let Some(chosen) = self.0.get_mut(place) {
            *chosen = number;
        }
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
        for (place, number) in self.0.into_iter().enumerate().filter_map(|(at, number)| Some((at, number?))) {
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
