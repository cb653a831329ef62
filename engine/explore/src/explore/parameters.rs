//! Numbers that only some algorithms take.

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

    /// The numbers that were chosen, by place in the list.
    pub fn all(self) -> impl Iterator<Item = (usize, u32)> {
        self.0.into_iter().enumerate().filter_map(|(place, number)| Some((place, number?)))
    }
}
