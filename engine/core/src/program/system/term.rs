//! What guards and assignments compute: expressions over the values of variables before a step.

use crate::program::{BinaryOperator, EvaluationError, UnaryOperator, Value};
use std::sync::Arc;

/// A variable of a system: an index into [`super::System::variables`], and into the values of a [`super::State`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct Variable(pub u32);

/// An expression. Parts are shared, so its size as a tree may be exponential in its depth: whoever goes through one remembers where it
/// has been. It has a value whatever its variables are: an operation that has none is 0 ([`Term::Defined`] tells).
#[derive(Debug, PartialEq, Eq, Hash)]
pub enum Term {
    /// A constant.
    Constant(Value),
    /// The value of a variable before the step.
    Variable(Variable),
    /// The value of an input of the step, an index into [`super::Transition::inputs`].
    Input(u32),
    /// One operand.
    Unary(UnaryOperator, Arc<Term>),
    /// Two operands.
    Binary(BinaryOperator, Arc<Term>, Arc<Term>),
    /// 1 if the operator has a value for these operands, else 0.
    Defined(BinaryOperator, Arc<Term>, Arc<Term>),
    /// The second if the first is not 0, else the third.
    If(Arc<Term>, Arc<Term>, Arc<Term>),
}

impl Term {
    /// A constant.
    pub fn constant(value: Value) -> Arc<Self> {
        Arc::new(Self::Constant(value))
    }

    /// Its value, if it is a constant.
    pub fn known(&self) -> Option<Value> {
        match self {
            Self::Constant(value) => Some(*value),
            _ => None,
        }
    }

    /// Whether it is 0 or 1, as far as its operator tells.
    pub fn is_truth(&self) -> bool {
        match self {
            Self::Constant(value) => matches!(value, 0 | 1),
            Self::Unary(UnaryOperator::Not, _) | Self::Defined(..) => true,
            Self::Binary(operator, ..) => is_comparison(*operator),
            Self::If(_, then, otherwise) => then.is_truth() && otherwise.is_truth(),
            Self::Variable(_) | Self::Input(_) | Self::Unary(..) => false,
        }
    }

    /// The value of an operator with one operand.
    pub fn unary(operator: UnaryOperator, operand: &Arc<Self>) -> Arc<Self> {
        if let Some(value) = operand.known() {
            return Self::constant(operator.apply(value));
        }
        match (operator, &**operand) {
            (UnaryOperator::Not, Self::Unary(UnaryOperator::Not, inner)) if inner.is_truth() => inner.clone(),
            (UnaryOperator::Not, Self::Binary(comparison, left, right)) => match opposite(*comparison) {
                Some(opposite) => Arc::new(Self::Binary(opposite, left.clone(), right.clone())),
                None => Arc::new(Self::Unary(operator, operand.clone())),
            },
            _ => Arc::new(Self::Unary(operator, operand.clone())),
        }
    }

    /// The value of an operator with two operands.
    pub fn binary(operator: BinaryOperator, left: &Arc<Self>, right: &Arc<Self>) -> Arc<Self> {
        use BinaryOperator as B;
        match (left.known(), right.known()) {
            (Some(left), Some(right)) => return Self::constant(operator.apply(left, right).unwrap_or_default()),
            (None, Some(0)) if operator == B::NotEqual && left.is_truth() => return left.clone(),
            (None, Some(0)) if operator == B::Equal && left.is_truth() => return Self::not(left),
            (None, Some(0)) if matches!(operator, B::Add | B::Subtract | B::BitOr | B::BitXor) => return left.clone(),
            (Some(0), None) if matches!(operator, B::Add | B::BitOr | B::BitXor) => return right.clone(),
            (Some(0), _) | (_, Some(0)) if operator == B::And => return Self::constant(0),
            (Some(known), None) if operator == B::And && known != 0 && right.is_truth() => return right.clone(),
            (None, Some(known)) if operator == B::And && known != 0 && left.is_truth() => return left.clone(),
            (Some(0), None) if operator == B::Or && right.is_truth() => return right.clone(),
            (None, Some(0)) if operator == B::Or && left.is_truth() => return left.clone(),
            (Some(known), _) | (_, Some(known)) if operator == B::Or && known != 0 => return Self::constant(1),
            _ => {}
        }
        if Arc::ptr_eq(left, right) || matches!(**left, Self::Variable(_)) && left == right {
            match operator {
                B::Equal | B::LessOrEqual | B::GreaterOrEqual => return Self::constant(1),
                B::NotEqual | B::Less | B::Greater | B::Subtract | B::BitXor => return Self::constant(0),
                _ => {}
            }
        }
        Arc::new(Self::Binary(operator, left.clone(), right.clone()))
    }

    /// Whether an operator has a value.
    pub fn defined(operator: BinaryOperator, left: &Arc<Self>, right: &Arc<Self>) -> Arc<Self> {
        match (left.known(), right.known()) {
            _ if !operator.may_fail(right.known()) => Self::constant(1),
            (Some(left), Some(right)) => Self::constant(Value::from(operator.apply(left, right).is_ok())),
            _ => Arc::new(Self::Defined(operator, left.clone(), right.clone())),
        }
    }

    /// One of two, by a condition.
    pub fn choose(condition: &Arc<Self>, then: &Arc<Self>, otherwise: &Arc<Self>) -> Arc<Self> {
        match condition.known() {
            Some(0) => otherwise.clone(),
            Some(_) => then.clone(),
            None if then == otherwise => then.clone(),
            None => Arc::new(Self::If(condition.clone(), then.clone(), otherwise.clone())),
        }
    }

    /// 1 where this is 0, else 0.
    pub fn not(term: &Arc<Self>) -> Arc<Self> {
        Self::unary(UnaryOperator::Not, term)
    }

    /// 1 where both are not 0, else 0.
    pub fn and(left: &Arc<Self>, right: &Arc<Self>) -> Arc<Self> {
        Self::binary(BinaryOperator::And, left, right)
    }

    /// 1 where it is not 0, else 0.
    pub fn truth(term: &Arc<Self>) -> Arc<Self> {
        Self::binary(BinaryOperator::NotEqual, term, &Self::constant(0))
    }

    /// 1 where the two are equal, else 0.
    pub fn equal(left: &Arc<Self>, right: &Arc<Self>) -> Arc<Self> {
        Self::binary(BinaryOperator::Equal, left, right)
    }

    /// Its value, with the values of variables and of inputs by their indices.
    ///
    /// Recursive, as deep as the term: expressions of programs are bounded, and a step has few of them in each other. Exponential where
    /// parts are shared much; [`super::Transition`]s are made so that they are not.
    pub fn evaluate(&self, values: &[Value], inputs: &[Value]) -> Value {
        match self {
            Self::Constant(value) => *value,
            Self::Variable(variable) => values[variable.0 as usize],
            Self::Input(at) => inputs[*at as usize],
            Self::Unary(operator, operand) => operator.apply(operand.evaluate(values, inputs)),
            Self::Binary(operator, left, right) => {
                let left = left.evaluate(values, inputs);
                match operator {
                    BinaryOperator::And if left == 0 => 0,
                    BinaryOperator::Or if left != 0 => 1,
                    _ => operator.apply(left, right.evaluate(values, inputs)).unwrap_or_default(),
                }
            }
            Self::Defined(operator, left, right) => {
                let (left, right) = (left.evaluate(values, inputs), right.evaluate(values, inputs));
                Value::from(operator.apply(left, right).is_ok())
            }
            Self::If(condition, then, otherwise) => {
                let taken = if condition.evaluate(values, inputs) != 0 { then } else { otherwise };
                taken.evaluate(values, inputs)
            }
        }
    }

    /// Calls `visit` with each variable in it, perhaps several times.
    pub fn each_variable(&self, visit: &mut impl FnMut(Variable)) {
        match self {
            Self::Constant(_) | Self::Input(_) => {}
            Self::Variable(variable) => visit(*variable),
            Self::Unary(_, operand) => operand.each_variable(visit),
            Self::Binary(_, left, right) | Self::Defined(_, left, right) => {
                left.each_variable(visit);
                right.each_variable(visit);
            }
            Self::If(condition, then, otherwise) => {
                condition.each_variable(visit);
                then.each_variable(visit);
                otherwise.each_variable(visit);
            }
        }
    }

    /// Whether an input is in it.
    pub fn has_input(&self) -> bool {
        match self {
            Self::Constant(_) | Self::Variable(_) => false,
            Self::Input(_) => true,
            Self::Unary(_, operand) => operand.has_input(),
            Self::Binary(_, left, right) | Self::Defined(_, left, right) => left.has_input() || right.has_input(),
            Self::If(condition, then, otherwise) => condition.has_input() || then.has_input() || otherwise.has_input(),
        }
    }
}

fn is_comparison(operator: BinaryOperator) -> bool {
    use crate::program::Arithmetic as A;
    use BinaryOperator as B;
    let typed = matches!(operator, B::Typed(A::Less | A::LessOrEqual | A::Greater | A::GreaterOrEqual, _));
    typed
        || matches!(
            operator,
            B::Equal | B::NotEqual | B::Less | B::LessOrEqual | B::Greater | B::GreaterOrEqual | B::And | B::Or
        )
}

/// The comparison that holds where this one does not.
fn opposite(operator: BinaryOperator) -> Option<BinaryOperator> {
    use BinaryOperator as B;
    Some(match operator {
        B::Equal => B::NotEqual,
        B::NotEqual => B::Equal,
        B::Less => B::GreaterOrEqual,
        B::GreaterOrEqual => B::Less,
        B::Greater => B::LessOrEqual,
        B::LessOrEqual => B::Greater,
        _ => return None,
    })
}

/// Why an operation has no value, for the operator alone.
pub(super) fn error_of(operator: BinaryOperator) -> &'static [EvaluationError] {
    use crate::program::Arithmetic as A;
    use BinaryOperator as B;
    match operator {
        B::Typed(A::Divide | A::Remainder, integer) if integer.is_signed() => {
            &[EvaluationError::DivisionByZero, EvaluationError::SignedOverflow]
        }
        B::Divide | B::Remainder | B::Typed(A::Divide | A::Remainder, _) => &[EvaluationError::DivisionByZero],
        B::Typed(A::ShiftLeft, integer) if integer.is_signed() => {
            &[EvaluationError::ShiftOutOfRange, EvaluationError::SignedOverflow]
        }
        B::Typed(A::ShiftLeft | A::ShiftRight, _) => &[EvaluationError::ShiftOutOfRange],
        _ => &[EvaluationError::SignedOverflow],
    }
}
