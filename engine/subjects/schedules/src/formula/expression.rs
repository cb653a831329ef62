//! Terms of core's expressions, and when these have a value.

use super::interval::Interval;
use super::store::{Exact, Formula, Operator, Store, Term};
use litmoscope_core::program::{
    Arithmetic, BinaryOperator, Expression, Integer, RegisterId, UnaryOperator, UpdateOperator,
};

/// A term, and when the expression that it stands for has a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Defined {
    /// The value, where there is one.
    pub value: Term,
    /// Whether there is one: no division by 0, and nothing that C leaves undefined.
    pub defined: Formula,
}

impl Store {
    /// An expression without accesses, each register being the term that `register` says. `and` and `or` skip their right operand
    /// when the left one decides, so that need not have a value then.
    ///
    /// `None` if there is an access in it or a register without a term. It recurses as deep as the expression nests, which
    /// parsers bound.
    pub fn expression(
        &mut self,
        expression: &Expression,
        register: &mut impl FnMut(&mut Self, RegisterId) -> Option<Term>,
    ) -> Option<Defined> {
        let total = |value| Defined { value, defined: Formula::TRUE };
        Some(match expression {
            Expression::Constant(value) => total(self.constant(*value)),
            Expression::Register(id) => total(register(self, *id)?),
            Expression::Access(_) => return None,
            Expression::Unary(operator, operand) => {
                let operand = self.expression(operand, register)?;
                Defined { value: self.unary(*operator, operand.value), ..operand }
            }
            Expression::Binary(operator, left, right) => {
                let left = self.expression(left, register)?;
                let mut right = self.expression(right, register)?;
                if matches!(operator, BinaryOperator::And | BinaryOperator::Or) {
                    let mut decides = self.nonzero(left.value);
                    if *operator == BinaryOperator::And {
                        decides = self.not(decides);
                    }
                    right.defined = self.or(&[decides, right.defined]);
                }
                let result = self.apply(*operator, left.value, right.value);
                Defined { defined: self.and(&[left.defined, right.defined, result.defined]), ..result }
            }
        })
    }

    /// Core's operator at two values.
    pub fn apply(&mut self, operator: BinaryOperator, left: Term, right: Term) -> Defined {
        let defined = match operator {
            BinaryOperator::Typed(arithmetic, integer) => return self.typed(arithmetic, integer, left, right),
            BinaryOperator::Divide | BinaryOperator::Remainder => self.nonzero(right),
            _ => Formula::TRUE,
        };
        Defined { value: self.binary(operator, left, right), defined }
    }

    /// What [`Integer::apply`] computes of values of the type. Of other values, narrow types without a sign give the value modulo
    /// their power of two, even where that differs.
    pub(super) fn typed(&mut self, operator: Arithmetic, integer: Integer, left: Term, right: Term) -> Defined {
        use Arithmetic::*;
        let total = |value| Defined { value, defined: Formula::TRUE };
        let unsigned = integer == Integer::UInt64;
        match operator {
            Less | LessOrEqual | Greater | GreaterOrEqual => {
                let swap = matches!(operator, Greater | LessOrEqual);
                let (one, other) = if swap { (right, left) } else { (left, right) };
                let mut holds = if unsigned { self.less_unsigned(one, other) } else { self.less(one, other) };
                if matches!(operator, LessOrEqual | GreaterOrEqual) {
                    holds = self.not(holds);
                }
                total(self.from_bool(holds))
            }
            ShiftLeft | ShiftRight => self.typed_shift(operator, integer, left, right),
            Divide | Remainder => {
                let plain = match (operator, unsigned) {
                    (Divide, false) => Operator::Divide,
                    (Divide, true) => Operator::DivideUnsigned,
                    (_, false) => Operator::Remainder,
                    (_, true) => Operator::RemainderUnsigned,
                };
                let value = self.arithmetic(plain, left, right);
                let nonzero = self.nonzero(right);
                if unsigned {
                    return Defined { value, defined: nonzero };
                }
                // The least of all values by -1.
                let minus_one = self.constant(-1);
                let least = self.constant(i64::MIN);
                let ends = [self.equal(right, minus_one), self.equal(left, least)];
                let beyond = self.and(&ends);
                if integer.is_signed() {
                    let quotient = self.arithmetic(Operator::Divide, left, right);
                    let fits = self.within(quotient, Interval::of_type(integer));
                    let within = self.not(beyond);
                    return Defined { value, defined: self.and(&[nonzero, within, fits]) };
                }
                let zero = self.constant(0);
                let value = self.choose(beyond, zero, value);
                Defined { value: self.unary(UnaryOperator::Convert(integer), value), defined: nonzero }
            }
            Add | Subtract | Multiply => {
                let (plain, exact) = match operator {
                    Add => (Operator::Add, Exact::Add),
                    Subtract => (Operator::Subtract, Exact::Subtract),
                    _ => (Operator::Multiply, Exact::Multiply),
                };
                let value = self.arithmetic(plain, left, right);
                if unsigned {
                    return total(value);
                }
                if integer.is_signed() {
                    let overflows = self.overflows(exact, left, right);
                    let exact = self.not(overflows);
                    let fits = self.within(value, Interval::of_type(integer));
                    return Defined { value, defined: self.and(&[exact, fits]) };
                }
                // Core computes addresses so that they do not wrap.
                if integer == Integer::Address && operator != Multiply {
                    let overflows = self.overflows(exact, left, right);
                    let zero = self.constant(0);
                    return total(self.choose(overflows, zero, value));
                }
                total(self.unary(UnaryOperator::Convert(integer), value))
            }
        }
    }

    fn typed_shift(&mut self, operator: Arithmetic, integer: Integer, left: Term, right: Term) -> Defined {
        let distance = self.within(right, Interval::new(0, i64::from(integer.bits()) - 1));
        if operator == Arithmetic::ShiftRight {
            let unsigned = integer == Integer::UInt64;
            let plain = if unsigned { Operator::ShiftRightUnsigned } else { Operator::ShiftRight };
            return Defined { value: self.arithmetic(plain, left, right), defined: distance };
        }
        let shifted = self.arithmetic(Operator::ShiftLeft, left, right);
        if !integer.is_signed() {
            return Defined { value: self.unary(UnaryOperator::Convert(integer), shifted), defined: distance };
        }
        let zero = self.constant(0);
        let natural = self.at_most(zero, left);
        let back = self.arithmetic(Operator::ShiftRight, shifted, right);
        let exact = self.equal(back, left);
        let fits = self.within(shifted, Interval::of_type(integer));
        Defined { value: shifted, defined: self.and(&[distance, natural, exact, fits]) }
    }

    /// What a read-modify-write that reads `read` writes: the value of
    /// [`Update::Fetch`](litmoscope_core::program::Update::Fetch).
    pub fn fetched(&mut self, operator: UpdateOperator, read: Term, operand: Term, integer: Integer) -> Term {
        let value = match operator {
            UpdateOperator::Add => self.arithmetic(Operator::Add, read, operand),
            UpdateOperator::Subtract => self.arithmetic(Operator::Subtract, read, operand),
            UpdateOperator::And => self.arithmetic(Operator::BitAnd, read, operand),
            UpdateOperator::Or => self.arithmetic(Operator::BitOr, read, operand),
            UpdateOperator::Xor => self.arithmetic(Operator::BitXor, read, operand),
            UpdateOperator::Exchange => operand,
            UpdateOperator::Max | UpdateOperator::Min => {
                let unsigned = integer == Integer::UInt64;
                let less = if unsigned { self.less_unsigned(read, operand) } else { self.less(read, operand) };
                let (less_value, other) =
                    if operator == UpdateOperator::Max { (operand, read) } else { (read, operand) };
                self.choose(less, less_value, other)
            }
        };
        self.unary(UnaryOperator::Convert(integer), value)
    }
}
