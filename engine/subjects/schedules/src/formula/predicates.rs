//! What a verifier asks of the labels of its tree, whatever they are.

use super::simplify::Proof;
use super::solver::{Answer, Implication, Solver};
use super::store::{Formula, Store, Term};
use super::{Valuation, Variable};
use litmoscope_core::budget::{Decision, Halt, Meter, Paused};
use litmoscope_core::program::Value;
use std::fmt::Debug;

/// How many values an input may have that are looked at one by one.
pub const MOST_INPUTS: usize = 16;

/// A step: where it can be taken, and what it does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Transition {
    /// Where it can be taken.
    pub guard: Formula,
    /// What each variable becomes, all at once, as terms over values before; others stay. No variable comes twice.
    pub assignments: Vec<(Variable, Term)>,
}

/// Why there is no predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// Somebody wants to stop. To ask again goes on.
    #[error("paused")]
    Paused,
    /// More than the limit lets.
    #[error("the limit of work or memory was reached")]
    Limit,
    /// An input has more than [`MOST_INPUTS`] values.
    #[error("an input has {0} values; at most {MOST_INPUTS} can be looked at")]
    TooManyValues(usize),
    /// More than [`MOST_VALUATIONS`](super::MOST_VALUATIONS).
    #[error("the variables have {0} valuations in all; at most {most} can be looked at", most = super::MOST_VALUATIONS)]
    TooManyValuations(u128),
    /// A variable of a formula has no range.
    #[error("the values of variable {} are not declared", .0.0)]
    Undeclared(Variable),
    /// A step gives a variable a value that is not in its range.
    #[error("variable {} becomes {value}, which is not among its declared values", variable.0)]
    Leaves {
        /// The variable.
        variable: Variable,
        /// What it becomes.
        value: Value,
    },
}

impl From<Halt> for Failure {
    fn from(halt: Halt) -> Self {
        match halt {
            Halt::Paused => Self::Paused,
            Halt::Limit => Self::Limit,
        }
    }
}

/// Sets of states, each said by a predicate.
pub trait Predicates {
    /// Which of them are equal is no question of states: equivalent ones may differ.
    type Predicate: Clone + PartialEq + Debug;

    /// Where guards and terms of transitions come from.
    fn store(&mut self) -> &mut Store;

    /// All states, or none.
    fn truth(&mut self, holds: bool) -> Self::Predicate;

    /// The states in which a formula holds.
    ///
    /// # Errors
    /// [`Failure`]; of [`Symbolic`] there is none.
    fn of(&mut self, formula: Formula, meter: &mut Meter<'_>) -> Result<Self::Predicate, Failure>;

    /// All other states.
    fn not(&mut self, predicate: &Self::Predicate) -> Self::Predicate;

    /// The states of both.
    fn and(&mut self, one: &Self::Predicate, other: &Self::Predicate) -> Self::Predicate;

    /// The states of one or the other.
    fn or(&mut self, one: &Self::Predicate, other: &Self::Predicate) -> Self::Predicate;

    /// The weakest precondition: the states in which a step can't be taken, or leads to a state of `after`.
    ///
    /// # Errors
    /// [`Failure::Paused`] and [`Failure::Limit`]; of [`Sets`](super::Sets) also what is about ranges.
    fn before(
        &mut self,
        transition: &Transition,
        after: &Self::Predicate,
        meter: &mut Meter<'_>,
    ) -> Result<Self::Predicate, Failure>;

    /// How many values an input may have.
    fn most_inputs(&self) -> usize {
        MOST_INPUTS
    }

    /// The states that are in a predicate whichever of these values a variable has: what has to hold before an input.
    ///
    /// # Errors
    /// [`Failure::TooManyValues`] for more than [`Predicates::most_inputs`], and those of [`Predicates::before`].
    fn for_all_values(
        &mut self,
        predicate: &Self::Predicate,
        variable: Variable,
        values: &[Value],
        meter: &mut Meter<'_>,
    ) -> Result<Self::Predicate, Failure> {
        if values.len() > self.most_inputs() {
            return Err(Failure::TooManyValues(values.len()));
        }
        let mut all = self.truth(true);
        for &value in values {
            let value = self.store().constant(value);
            let input = Transition { guard: Formula::TRUE, assignments: vec![(variable, value)] };
            let before = self.before(&input, predicate, meter)?;
            all = self.and(&all, &before);
        }
        Ok(all)
    }

    /// A state of a predicate.
    ///
    /// # Errors
    /// [`Paused`] if somebody wants to stop. To ask again goes on.
    fn model(&mut self, predicate: &Self::Predicate, meter: &mut Meter<'_>) -> Result<Answer, Paused>;

    /// Whether all states of one are states of the other.
    ///
    /// # Errors
    /// [`Paused`] if somebody wants to stop. To ask again goes on.
    fn implies(
        &mut self,
        one: &Self::Predicate,
        other: &Self::Predicate,
        meter: &mut Meter<'_>,
    ) -> Result<Implication, Paused>;

    /// Whether a state is in a predicate.
    fn holds(&self, predicate: &Self::Predicate, valuation: &Valuation) -> bool;

    /// A formula that says the same, of the states that there are.
    fn formula(&mut self, predicate: &Self::Predicate) -> Formula;

    /// Whether it has no state.
    ///
    /// # Errors
    /// [`Paused`] if somebody wants to stop. To ask again goes on.
    fn is_false(&mut self, predicate: &Self::Predicate, meter: &mut Meter<'_>) -> Result<Decision, Paused> {
        Ok(match self.model(predicate, meter)? {
            Answer::No => Decision::Yes,
            Answer::Yes(_) => Decision::No,
            Answer::Undecided => Decision::Undecided,
        })
    }

    /// A predicate as people read it, made shorter, with names of variables; and whether all was proven that was to make it shorter.
    ///
    /// # Errors
    /// [`Paused`] if somebody wants to stop.
    fn text(
        &mut self,
        predicate: &Self::Predicate,
        name: &dyn Fn(Variable) -> String,
        meter: &mut Meter<'_>,
    ) -> Result<(String, Proof), Paused>;
}

/// Formulas over all values, decided by a [`Solver`].
#[derive(Debug, Default)]
pub struct Symbolic {
    /// All formulas.
    pub store: Store,
    /// What decides them.
    pub solver: Solver,
}

impl Symbolic {
    /// With formulas that were made already, and a solver that may know ranges.
    pub fn new(store: Store, solver: Solver) -> Self {
        Self { store, solver }
    }
}

impl Predicates for Symbolic {
    type Predicate = Formula;

    fn store(&mut self) -> &mut Store {
        &mut self.store
    }

    fn truth(&mut self, holds: bool) -> Formula {
        self.store.truth(holds)
    }

    fn of(&mut self, formula: Formula, _: &mut Meter<'_>) -> Result<Formula, Failure> {
        Ok(formula)
    }

    fn not(&mut self, predicate: &Formula) -> Formula {
        self.store.not(*predicate)
    }

    fn and(&mut self, one: &Formula, other: &Formula) -> Formula {
        self.store.and(&[*one, *other])
    }

    fn or(&mut self, one: &Formula, other: &Formula) -> Formula {
        self.store.or(&[*one, *other])
    }

    fn before(&mut self, transition: &Transition, after: &Formula, meter: &mut Meter<'_>) -> Result<Formula, Failure> {
        let after = self.store.substitute(*after, &transition.assignments, meter)?;
        Ok(self.store.implication(transition.guard, after))
    }

    fn holds(&self, predicate: &Formula, valuation: &Valuation) -> bool {
        self.store.evaluate(*predicate, valuation)
    }

    fn formula(&mut self, predicate: &Formula) -> Formula {
        *predicate
    }

    fn model(&mut self, predicate: &Formula, meter: &mut Meter<'_>) -> Result<Answer, Paused> {
        self.solver.satisfiable(&mut self.store, *predicate, meter)
    }

    fn implies(&mut self, one: &Formula, other: &Formula, meter: &mut Meter<'_>) -> Result<Implication, Paused> {
        self.solver.implies(&mut self.store, *one, *other, meter)
    }

    fn text(
        &mut self,
        predicate: &Formula,
        name: &dyn Fn(Variable) -> String,
        meter: &mut Meter<'_>,
    ) -> Result<(String, Proof), Paused> {
        let simple = self.solver.simplify(&mut self.store, *predicate, meter)?;
        Ok((self.store.text(simple.formula, name), simple.proof))
    }
}
