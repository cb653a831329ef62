//! Final conditions and what they look at.

use super::{Address, Integer, ObjectId, RegisterId, Span, Value};
use serde::{Deserialize, Serialize};

/// Something a final state has a value for. Ordered: registers by thread, then locations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Observable {
    /// A register of a thread.
    Register {
        /// The thread's index.
        thread: u16,
        /// The register.
        register: RegisterId,
    },
    /// The last value of a shared location.
    Location {
        /// The object.
        object: ObjectId,
        /// The offset in it, checked by the parser to lie inside.
        offset: u32,
    },
}

/// `exists`, `~exists` or `forall` with a proposition.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Condition {
    /// Which final states have to satisfy it.
    pub quantifier: Quantifier,
    /// What is said of a final state.
    pub proposition: Proposition,
    /// Where it is written.
    pub span: Span,
}

/// Which final states have to satisfy a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantifier {
    /// Some final state.
    Exists,
    /// None.
    NotExists,
    /// All.
    ForAll,
}

/// What is said of a final state.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Proposition {
    /// Always true (herd's `true`).
    True,
    /// Never true (herd's `false`).
    False,
    /// A comparison.
    Compare(Term, Comparison, Term),
    /// `~p`
    Not(Box<Proposition>),
    /// `p /\ q`
    And(Box<Proposition>, Box<Proposition>),
    /// `p \/ q`
    Or(Box<Proposition>, Box<Proposition>),
}

/// A side of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Term {
    /// A final value.
    Observable(Observable),
    /// A constant.
    Constant(Value),
}

/// How two values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Proposition {
    /// Whether a final state satisfies it; `value` gives the final values.
    pub fn holds(&self, value: &impl Fn(Observable) -> Value) -> bool {
        match self {
            Self::True => true,
            Self::False => false,
            Self::Compare(left, comparison, right) => {
                let term = |t: &Term| match t {
                    Term::Observable(observable) => value(*observable),
                    Term::Constant(constant) => *constant,
                };
                let (left, right) = (term(left), term(right));
                match comparison {
                    Comparison::Equal => left == right,
                    Comparison::NotEqual => left != right,
                    Comparison::Less => left < right,
                    Comparison::LessOrEqual => left <= right,
                    Comparison::Greater => left > right,
                    Comparison::GreaterOrEqual => left >= right,
                }
            }
            Self::Not(p) => !p.holds(value),
            Self::And(p, q) => p.holds(value) && q.holds(value),
            Self::Or(p, q) => p.holds(value) || q.holds(value),
        }
    }

    /// Converts what values are compared with to the types of those, which `integer` gives. Addresses stay what they are.
    pub fn convert(&mut self, integer: &impl Fn(Observable) -> Integer) {
        match self {
            Self::True | Self::False => {}
            Self::Compare(Term::Observable(observable), _, Term::Constant(value))
            | Self::Compare(Term::Constant(value), _, Term::Observable(observable)) => {
                if Address::of(*value).is_none() {
                    *value = integer(*observable).convert(*value);
                }
            }
            Self::Compare(..) => {}
            Self::Not(inner) => inner.convert(integer),
            Self::And(left, right) | Self::Or(left, right) => {
                left.convert(integer);
                right.convert(integer);
            }
        }
    }

    /// Appends what it mentions.
    pub fn observables(&self, into: &mut Vec<Observable>) {
        match self {
            Self::True | Self::False => {}
            Self::Compare(left, _, right) => {
                for term in [left, right] {
                    if let Term::Observable(observable) = term {
                        into.push(*observable);
                    }
                }
            }
            Self::Not(p) => p.observables(into),
            Self::And(p, q) | Self::Or(p, q) => {
                p.observables(into);
                q.observables(into);
            }
        }
    }
}
