//! Formulas over variables of 64 bits: what holds at a place of a program, and what has to hold before a step so that something
//! holds behind it.
//!
//! A state gives each [`Variable`] a value: memory locations, registers of threads. A [`Transition`] has a guard and assigns
//! terms to variables, all at once. Its weakest precondition is a substitution, so sequences of interpolants need no solver
//! that interpolates: the last is `false`, each other one the weakest precondition of the next.
//!
//! Whether one formula implies another is decided twice. [`Symbolic`] asks intervals, then valuations that satisfied earlier
//! questions, then a SAT solver about each bit ([`Solver`]). [`Sets`] holds the set of all valuations, where variables have few
//! values. Both are [`Predicates`] and have to agree; they share the [`Store`] of formulas and their evaluation alone.
//!
//! | file | what is in it |
//! | --- | --- |
//! | `interval.rs` | intervals of values, and operators on them |
//! | `store.rs` | terms and formulas, each once, and what constructors simplify |
//! | `walk.rs` | evaluation and substitution |
//! | `expression.rs` | core's expressions, and when they have a value |
//! | `circuit.rs` | formulas as clauses |
//! | `solver.rs` | satisfiability and implication, within a limit |
//! | `simplify.rs`, `text.rs` | labels that people read |
//! | `predicates.rs`, `sets.rs` | what a verifier asks of labels, and both answers to it |
//!
//! Integers are those of core: 64 bits that wrap. Source for lazy abstraction with weakest preconditions: K. McMillan, "Lazy
//! abstraction with interpolants" (CAV 2006); B. Wachter, D. Kroening, J. Ouaknine, "Verifying multi-threaded software with Impact"
//! (FMCAD 2013). For circuits: D. Kroening, O. Strichman, "Decision procedures" (2016), chapter 6.

mod circuit;
mod expression;
mod interval;
mod plain;
mod predicates;
mod sets;
mod simplify;
mod solver;
mod store;
mod text;
mod walk;

#[cfg(test)]
mod tests;

pub use expression::Defined;
pub use interval::Interval;
pub use predicates::{Failure, MOST_INPUTS, Predicates, Symbolic, Transition};
pub use sets::{MOST_VALUATIONS, Set, Sets};
pub use simplify::{Proof, Simplified};
pub use solver::{Answer, Asked, Implication, Solver};
pub use store::{Formula, Store, Term};

use litmoscope_core::program::Value;

/// What has a value in each state: whoever makes formulas says what is which.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Variable(pub u32);

/// A value for each variable: 0 unless told otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Valuation {
    /// Ascending by variable.
    values: Vec<(Variable, Value)>,
}

impl Valuation {
    /// The value of a variable.
    pub fn get(&self, variable: Variable) -> Value {
        self.values.binary_search_by_key(&variable, |(of, _)| *of).map_or(0, |at| self.values[at].1)
    }

    /// Gives a variable a value.
    pub fn set(&mut self, variable: Variable, value: Value) {
        match self.values.binary_search_by_key(&variable, |(of, _)| *of) {
            Ok(at) => self.values[at].1 = value,
            Err(at) => self.values.insert(at, (variable, value)),
        }
    }

    /// The variables that were given a value, ascending, with it.
    pub fn iter(&self) -> impl Iterator<Item = (Variable, Value)> + '_ {
        self.values.iter().copied()
    }
}

impl FromIterator<(Variable, Value)> for Valuation {
    fn from_iter<I: IntoIterator<Item = (Variable, Value)>>(values: I) -> Self {
        let mut valuation = Self::default();
        values.into_iter().for_each(|(variable, value)| valuation.set(variable, value));
        valuation
    }
}
