//! Values that nobody chooses who schedules.

use super::{ObjectId, Span, Statement, Value};
use serde::{Deserialize, Serialize};

/// The values of which an input is one: `input 0..3`, `input {1, 5, &x}`, `random 0..1`. There is at least one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Input {
    /// From the first to the last, both included.
    Range(Value, Value),
    /// Each of these, none twice.
    Values(Vec<Value>),
    /// One of these by chance, each as likely as the others. Who asks what is possible need not tell it from the others.
    Random(Box<Input>),
}

/// An initial value that is an input.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct InitialInput {
    /// The object.
    pub object: ObjectId,
    /// The offset in it.
    pub offset: u32,
    /// What it may be at the start.
    pub input: Input,
}

/// The values that an object may have, in all its elements: others are errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DeclaredRange {
    /// The object.
    pub object: ObjectId,
    /// The least of the values.
    pub first: Value,
    /// The greatest of them.
    pub last: Value,
    /// Where that is declared.
    #[serde(default)]
    pub span: Span,
}

/// What is chosen at the start, and what is assumed of it. There is one of the three at least.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Premise {
    /// The initial values that are inputs. What stands there in [`Object::initial`](super::Object::initial) is the first value of each.
    pub inputs: Vec<InitialInput>,
    /// The ranges that are declared: `shared x in 0..3`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ranges: Vec<DeclaredRange>,
    /// `assuming x = y`: what holds of shared values at the start, whatever inputs are. It reads, and does nothing else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assuming: Option<Statement>,
}

impl Premise {
    /// All of them, if there is one.
    pub fn of(inputs: Vec<InitialInput>, ranges: Vec<DeclaredRange>, assuming: Option<Statement>) -> Option<Box<Self>> {
        let is_any = !inputs.is_empty() || !ranges.is_empty() || assuming.is_some();
        is_any.then(|| Box::new(Self { inputs, ranges, assuming }))
    }
}

impl Input {
    /// How many values there are. A range of all integers has one more than 64 bits can count.
    pub fn count(&self) -> u128 {
        match self {
            Self::Range(first, last) => u128::try_from(i128::from(*last) - i128::from(*first) + 1).unwrap_or(0),
            Self::Values(values) => values.len() as u128,
            Self::Random(of) => of.count(),
        }
    }

    /// The values, the smallest of a range first.
    pub fn values(&self) -> impl Iterator<Item = Value> {
        let (range, values) = match self.plain() {
            Self::Range(first, last) => (Some(*first..=*last), &[][..]),
            Self::Values(values) => (None, &values[..]),
            Self::Random(_) => (None, &[][..]),
        };
        range.into_iter().flatten().chain(values.iter().copied())
    }

    /// Whether it may be that value.
    pub fn contains(&self, value: Value) -> bool {
        match self {
            Self::Range(first, last) => (*first..=*last).contains(&value),
            Self::Values(values) => values.contains(&value),
            Self::Random(of) => of.contains(value),
        }
    }

    /// Whether chance decides.
    pub fn is_random(&self) -> bool {
        matches!(self, Self::Random(_))
    }

    /// The same, where nobody asks who decides.
    pub fn plain(&self) -> &Self {
        match self {
            Self::Random(of) => of.plain(),
            _ => self,
        }
    }

    /// The first of the values.
    pub fn first(&self) -> Value {
        self.values().next().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_at_the_ends_too() {
        let all = Input::Range(Value::MIN, Value::MAX);
        assert_eq!((all.count(), all.first(), all.contains(0)), (1 << 64, Value::MIN, true));
        let few = Input::Range(-1, 1);
        assert_eq!((few.count(), few.values().collect::<Vec<_>>(), few.contains(2)), (3, vec![-1, 0, 1], false));
        let last = Input::Range(Value::MAX, Value::MAX);
        assert_eq!(last.values().collect::<Vec<_>>(), [Value::MAX]);
        let listed = Input::Values(vec![5, 1]);
        assert_eq!((listed.count(), listed.first(), listed.contains(1), listed.contains(2)), (2, 5, true, false));
    }
}
