//! Intervals of values, and where the value of an operator is if its operands are in intervals.

use super::store::{Exact, Node, Operator};
use litmoscope_core::program::{Integer, Value};

/// The values from one to another, both included. Empty if `low` is greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Interval {
    /// The least value.
    pub low: Value,
    /// The greatest value.
    pub high: Value,
}

impl Interval {
    /// All values.
    pub const ALL: Self = Self { low: Value::MIN, high: Value::MAX };

    const FALSE: Self = Self { low: 0, high: 0 };
    const TRUE: Self = Self { low: 1, high: 1 };
    const EITHER: Self = Self { low: 0, high: 1 };

    /// From `low` to `high`.
    pub const fn new(low: Value, high: Value) -> Self {
        Self { low, high }
    }

    /// The values that a type has, as they are kept.
    pub fn of_type(integer: Integer) -> Self {
        match integer {
            Integer::Bool => Self::EITHER,
            _ if integer.bits() == 64 => Self::ALL,
            _ if integer.is_signed() => Self::new(-1 << (integer.bits() - 1), (1 << (integer.bits() - 1)) - 1),
            _ => Self::new(0, (1 << integer.bits()) - 1),
        }
    }

    /// Whether it holds no value.
    pub const fn is_empty(self) -> bool {
        self.low > self.high
    }

    /// Whether it holds a value.
    pub const fn contains(self, value: Value) -> bool {
        self.low <= value && value <= self.high
    }

    /// Whether it holds all of another one.
    pub const fn includes(self, other: Self) -> bool {
        self.low <= other.low && other.high <= self.high
    }

    /// What is in both.
    #[must_use]
    pub fn intersection(self, other: Self) -> Self {
        Self::new(self.low.max(other.low), self.high.min(other.high))
    }

    /// How many values it holds.
    pub fn len(self) -> u128 {
        if self.is_empty() { 0 } else { (i128::from(self.high) - i128::from(self.low) + 1) as u128 }
    }

    /// Of its values, the one next to 0.
    pub fn nearest_to_zero(self) -> Value {
        0.clamp(self.low, self.high.max(self.low))
    }

    pub(super) fn meets(self, other: Self) -> bool {
        !self.intersection(other).is_empty()
    }

    /// Whether all its values are negative, or none.
    pub(super) fn is_negative(self) -> Option<bool> {
        if self.low >= 0 {
            Some(false)
        } else if self.high < 0 {
            Some(true)
        } else {
            None
        }
    }

    /// The least interval that includes both.
    #[must_use]
    pub fn hull(self, other: Self) -> Self {
        Self::new(self.low.min(other.low), self.high.max(other.high))
    }

    /// How many bits hold each of its values, one of them for the sign.
    pub(super) fn bits(self) -> usize {
        let bits = |value: Value| 65 - (value ^ (value >> 63)).leading_zeros() as usize;
        bits(self.low).max(bits(self.high))
    }

    /// All values of so many bits.
    fn of_bits(bits: usize) -> Self {
        let high = Value::MAX >> (64 - bits);
        Self::new(!high, high)
    }

    fn fit(low: i128, high: i128) -> Self {
        match (Value::try_from(low), Value::try_from(high)) {
            (Ok(low), Ok(high)) => Self::new(low, high),
            _ => Self::ALL,
        }
    }

    fn exact(self, exact: Exact, other: Self) -> (i128, i128) {
        let [a, b, c, d] = [self.low, self.high, other.low, other.high].map(i128::from);
        match exact {
            Exact::Add => (a + c, b + d),
            Exact::Subtract => (a - d, b - c),
            Exact::Multiply => {
                let ends = [a * c, a * d, b * c, b * d];
                (ends.into_iter().min().unwrap_or_default(), ends.into_iter().max().unwrap_or_default())
            }
        }
    }

    /// Whether a result never fits, or always.
    pub(super) fn overflows(self, exact: Exact, other: Self) -> Option<bool> {
        let (low, high) = self.exact(exact, other);
        let (least, most) = (i128::from(Value::MIN), i128::from(Value::MAX));
        if low >= least && high <= most {
            Some(false)
        } else if low > most || high < least {
            Some(true)
        } else {
            None
        }
    }

    /// The greatest magnitude of a value.
    fn magnitude(self) -> i128 {
        i128::from(self.low).abs().max(i128::from(self.high).abs())
    }

    fn truth(decided: Option<bool>) -> Self {
        match decided {
            None => Self::EITHER,
            Some(true) => Self::TRUE,
            Some(false) => Self::FALSE,
        }
    }

    fn less(self, other: Self) -> Option<bool> {
        if self.high < other.low {
            Some(true)
        } else if self.low >= other.high {
            Some(false)
        } else {
            None
        }
    }

    /// Where the value of a node is if those of its parts are where `of` says; formulas are 0 or 1.
    pub(super) fn of_node(node: &Node, of: impl Fn(u32) -> Self) -> Self {
        match node {
            Node::True => Self::TRUE,
            Node::Not(part) => {
                let Self { low, high } = of(part.0);
                Self::new(1 - high, 1 - low)
            }
            Node::And(parts) => {
                let min = |one: Self, other: Self| Self::new(one.low.min(other.low), one.high.min(other.high));
                parts.iter().map(|part| of(part.0)).fold(Self::TRUE, min)
            }
            Node::Equal(left, right) => {
                let (left, right) = (of(left.0), of(right.0));
                Self::truth(if !left.meets(right) {
                    Some(false)
                } else if left.low == left.high && left == right {
                    Some(true)
                } else {
                    None
                })
            }
            Node::Less(left, right) => Self::truth(of(left.0).less(of(right.0))),
            Node::LessUnsigned(left, right) => {
                let (left, right) = (of(left.0), of(right.0));
                Self::truth(match (left.is_negative(), right.is_negative()) {
                    (Some(one), Some(other)) if one == other => left.less(right),
                    (Some(one), Some(_)) => Some(!one),
                    _ => None,
                })
            }
            Node::Overflows(exact, left, right) => Self::truth(of(left.0).overflows(*exact, of(right.0))),
            Node::Constant(value) => Self::new(*value, *value),
            Node::Variable(_) => Self::ALL,
            Node::Negate(part) => {
                let Self { low, high } = of(part.0);
                Self::fit(-i128::from(high), -i128::from(low))
            }
            Node::Complement(part) => {
                let Self { low, high } = of(part.0);
                Self::new(!high, !low)
            }
            Node::Convert(to, part) => {
                let (all, part) = (Self::of_type(*to), of(part.0));
                if all.includes(part) { part } else { all }
            }
            Node::Binary(operator, left, right) => of(left.0).of_operator(*operator, of(right.0)),
            Node::Choose(condition, then, otherwise) => match of(condition.0) {
                Self::TRUE => of(then.0),
                Self::FALSE => of(otherwise.0),
                _ => of(then.0).hull(of(otherwise.0)),
            },
        }
    }

    fn of_operator(self, operator: Operator, other: Self) -> Self {
        let natural = self.low >= 0 && other.low >= 0;
        let bits = self.bits().max(other.bits());
        match operator {
            Operator::Add | Operator::Subtract | Operator::Multiply => {
                let exact = match operator {
                    Operator::Add => Exact::Add,
                    Operator::Subtract => Exact::Subtract,
                    _ => Exact::Multiply,
                };
                let (low, high) = self.exact(exact, other);
                Self::fit(low, high)
            }
            Operator::Divide if other.low == other.high && other.low > 0 => {
                Self::new(self.low / other.low, self.high / other.low)
            }
            Operator::Divide if natural => Self::new(0, self.high),
            Operator::Divide => Self::fit(-self.magnitude(), self.magnitude()),
            Operator::Remainder => {
                let most = self.magnitude().min((other.magnitude() - 1).max(0));
                Self::fit(if self.low < 0 { -most } else { 0 }, if self.high > 0 { most } else { 0 })
            }
            Operator::DivideUnsigned if natural => self.of_operator(Operator::Divide, other),
            Operator::RemainderUnsigned if natural => self.of_operator(Operator::Remainder, other),
            Operator::RemainderUnsigned if other.low > 0 => Self::new(0, other.high - 1),
            Operator::DivideUnsigned | Operator::RemainderUnsigned => Self::ALL,
            Operator::BitAnd if natural => Self::new(0, self.high.min(other.high)),
            Operator::BitAnd if self.low >= 0 => Self::new(0, self.high),
            Operator::BitAnd if other.low >= 0 => Self::new(0, other.high),
            Operator::BitOr | Operator::BitXor if natural => Self::new(0, Self::of_bits(bits).high),
            Operator::BitAnd | Operator::BitOr | Operator::BitXor => Self::of_bits(bits),
            Operator::ShiftLeft if other.low >= 0 && other.high < 64 => {
                let shift = |value: Value, distance: Value| i128::from(value) << distance;
                let low = shift(self.low, if self.low < 0 { other.high } else { other.low });
                let high = shift(self.high, if self.high < 0 { other.low } else { other.high });
                Self::fit(low, high)
            }
            Operator::ShiftLeft => Self::ALL,
            Operator::ShiftRightUnsigned if self.low < 0 => {
                let distance = if other.low >= 0 && other.high < 64 { other.low } else { 0 };
                if distance > 0 { Self::new(0, (u64::MAX >> distance) as Value) } else { Self::ALL }
            }
            Operator::ShiftRight | Operator::ShiftRightUnsigned => {
                let (least, most) = if other.low >= 0 && other.high < 64 { (other.low, other.high) } else { (0, 63) };
                let low = self.low >> if self.low < 0 { least } else { most };
                let high = self.high >> if self.high < 0 { most } else { least };
                Self::new(low, high)
            }
        }
    }
}
