//! Expressions over registers, constants and shared accesses.

use super::{Access, Arithmetic, Integer, RegisterId, Span, Value};
use serde::{Deserialize, Serialize};

/// An expression. Operands are evaluated from left to right; `and` and `or` skip their right operand when the left one
/// decides. Comparisons and logic give 0 or 1; any value but 0 is true.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Expression {
    /// A constant.
    Constant(Value),
    /// The value of a register of the same thread.
    Register(RegisterId),
    /// A shared access used for its value: an event of its own.
    Access(Box<Access>),
    /// One operand.
    Unary(UnaryOperator, Box<Expression>),
    /// Two operands.
    Binary(BinaryOperator, Box<Expression>, Box<Expression>),
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum UnaryOperator {
    /// `-a`, wrapping.
    Negate,
    /// `~a` on bits.
    Complement,
    /// `not a`: 1 for 0, else 0.
    Not,
    /// C's conversion to a type: `(unsigned)a`.
    Convert(Integer),
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum BinaryOperator {
    Add,
    Subtract,
    Multiply,
    /// Truncating; by zero an error event.
    Divide,
    /// The sign of the left operand; by zero an error event.
    Remainder,
    BitAnd,
    BitOr,
    BitXor,
    /// The distance counts modulo 64.
    ShiftLeft,
    /// Arithmetic; the distance counts modulo 64.
    ShiftRight,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    And,
    Or,
    /// As C computes it in a type ([`Integer::apply`]).
    Typed(Arithmetic, Integer),
}

/// Why an expression has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum EvaluationError {
    /// The right operand of a division or remainder is 0.
    DivisionByZero,
    /// The result does not fit into C's signed type, or a negative number is shifted to the left.
    SignedOverflow,
    /// The distance of C's shift is negative, or not less than the type has bits.
    ShiftOutOfRange,
}

impl UnaryOperator {
    /// The value of the operator at `value`.
    pub fn apply(self, value: Value) -> Value {
        match self {
            Self::Negate => value.wrapping_neg(),
            Self::Complement => !value,
            Self::Not => Value::from(value == 0),
            Self::Convert(to) => to.convert(value),
        }
    }
}

impl BinaryOperator {
    /// The value of the operator; both operands are given, so `And` and `Or` do not skip.
    ///
    /// # Errors
    /// [`EvaluationError::DivisionByZero`], and of C's operators also the others.
    pub fn apply(self, left: Value, right: Value) -> Result<Value, EvaluationError> {
        Ok(match self {
            Self::Add => left.wrapping_add(right),
            Self::Subtract => left.wrapping_sub(right),
            Self::Multiply => left.wrapping_mul(right),
            Self::Divide | Self::Remainder if right == 0 => return Err(EvaluationError::DivisionByZero),
            Self::Divide => left.wrapping_div(right),
            Self::Remainder => left.wrapping_rem(right),
            Self::BitAnd => left & right,
            Self::BitOr => left | right,
            Self::BitXor => left ^ right,
            Self::ShiftLeft => left.wrapping_shl(right as u32),
            Self::ShiftRight => left.wrapping_shr(right as u32),
            Self::Equal => Value::from(left == right),
            Self::NotEqual => Value::from(left != right),
            Self::Less => Value::from(left < right),
            Self::LessOrEqual => Value::from(left <= right),
            Self::Greater => Value::from(left > right),
            Self::GreaterOrEqual => Value::from(left >= right),
            Self::And => Value::from(left != 0 && right != 0),
            Self::Or => Value::from(left != 0 || right != 0),
            Self::Typed(operator, integer) => integer.apply(operator, left, right)?,
        })
    }

    /// The same operator as C computes it in a type of its promoted operands.
    #[must_use]
    pub fn in_type(self, integer: Integer) -> Self {
        let compares = |operator| if integer == Integer::UInt64 { Some(operator) } else { None };
        let typed = match self {
            Self::Add => Some(Arithmetic::Add),
            Self::Subtract => Some(Arithmetic::Subtract),
            Self::Multiply => Some(Arithmetic::Multiply),
            Self::Divide => Some(Arithmetic::Divide),
            Self::Remainder => Some(Arithmetic::Remainder),
            Self::ShiftLeft => Some(Arithmetic::ShiftLeft),
            Self::ShiftRight => Some(Arithmetic::ShiftRight),
            // Other types' values compare as what they are kept as.
            Self::Less => compares(Arithmetic::Less),
            Self::LessOrEqual => compares(Arithmetic::LessOrEqual),
            Self::Greater => compares(Arithmetic::Greater),
            Self::GreaterOrEqual => compares(Arithmetic::GreaterOrEqual),
            _ => None,
        };
        typed.map_or(self, |operator| Self::Typed(operator, integer))
    }

    /// The same operator without a type.
    #[must_use]
    pub fn untyped(self) -> Self {
        let Self::Typed(operator, _) = self else { return self };
        match operator {
            Arithmetic::Add => Self::Add,
            Arithmetic::Subtract => Self::Subtract,
            Arithmetic::Multiply => Self::Multiply,
            Arithmetic::Divide => Self::Divide,
            Arithmetic::Remainder => Self::Remainder,
            Arithmetic::ShiftLeft => Self::ShiftLeft,
            Arithmetic::ShiftRight => Self::ShiftRight,
            Arithmetic::Less => Self::Less,
            Arithmetic::LessOrEqual => Self::LessOrEqual,
            Arithmetic::Greater => Self::Greater,
            Arithmetic::GreaterOrEqual => Self::GreaterOrEqual,
        }
    }

    /// Whether there is no value for some operands, of which the right one may be known.
    pub fn may_fail(self, right: Option<Value>) -> bool {
        match self {
            Self::Divide | Self::Remainder => right.is_none_or(|right| right == 0),
            Self::Typed(operator, integer) => match operator {
                Arithmetic::Less | Arithmetic::LessOrEqual | Arithmetic::Greater | Arithmetic::GreaterOrEqual => false,
                Arithmetic::Add | Arithmetic::Subtract | Arithmetic::Multiply => integer.is_signed(),
                Arithmetic::Divide | Arithmetic::Remainder => {
                    right.is_none_or(|right| right == 0 || right == -1 && integer.is_signed())
                }
                Arithmetic::ShiftLeft if integer.is_signed() => true,
                Arithmetic::ShiftLeft | Arithmetic::ShiftRight => {
                    right.is_none_or(|right| !(0..Value::from(integer.bits())).contains(&right))
                }
            },
            _ => false,
        }
    }
}

impl Expression {
    /// Whether evaluating it causes events.
    pub fn has_access(&self) -> bool {
        match self {
            Self::Constant(_) | Self::Register(_) => false,
            Self::Access(_) => true,
            Self::Unary(_, operand) => operand.has_access(),
            Self::Binary(_, left, right) => left.has_access() || right.has_access(),
        }
    }

    /// Calls `visit` with each register in it; those of accesses are not among them.
    pub fn each_register(&self, visit: &mut impl FnMut(RegisterId)) {
        match self {
            Self::Constant(_) | Self::Access(_) => {}
            Self::Register(register) => visit(*register),
            Self::Unary(_, operand) => operand.each_register(visit),
            Self::Binary(_, left, right) => {
                left.each_register(visit);
                right.each_register(visit);
            }
        }
    }

    /// Whether evaluating it may fail for some values of its registers, as far as each operator alone tells.
    pub fn may_fail(&self) -> bool {
        match self {
            Self::Constant(_) | Self::Register(_) | Self::Access(_) => false,
            Self::Unary(_, operand) => operand.may_fail(),
            Self::Binary(operator, left, right) => {
                let known = match **right {
                    Self::Constant(value) => Some(value),
                    _ => None,
                };
                operator.may_fail(known) || left.may_fail() || right.may_fail()
            }
        }
    }

    pub(super) fn erase_spans(&mut self) {
        match self {
            Self::Constant(_) | Self::Register(_) => {}
            Self::Access(access) => access.erase_spans(),
            Self::Unary(_, operand) => operand.erase_spans(),
            Self::Binary(_, left, right) => {
                left.erase_spans();
                right.erase_spans();
            }
        }
    }
}

impl Access {
    pub(super) fn erase_spans(&mut self) {
        self.span = Span::default();
        self.place.erase_spans();
        self.kind.operands_mut().into_iter().for_each(Expression::erase_spans);
    }
}
