//! Programs with C's integers, in the terms of notations that have numbers of 64 bits alone.
//!
//! Conversions are operations on bits there.

use super::Unprintable;
use crate::program::{
    Access, AccessKind, Arithmetic, BinaryOperator, Expression, Integer, PlaceKind, Program, Statement, StatementKind,
    UnaryOperator, UpdateOperator, Value,
};

/// The program with conversions written as operations on bits, and whether something was left out that matters where
/// numbers get large: what C leaves undefined has a value of 64 bits then, and atomics wrap at 64 bits.
///
/// # Errors
/// [`Unprintable`] for what only numbers without a sign can do.
pub(super) fn untyped(program: &Program) -> Result<(Program, bool), Unprintable> {
    let mut program = program.clone();
    let mut lowering = Lowering { differs: false, only_sizes: false };
    for thread in program.before.iter_mut().chain(&mut program.threads) {
        lowering.block(&mut thread.body)?;
        thread.integers.clear();
    }
    for object in &mut program.objects {
        object.integer = Integer::Int64;
    }
    Ok((program, lowering.differs))
}

/// A program in assembly without the conversions to the sizes of its instructions, and whether there were any: numbers have 64 bits
/// then, but for what shifts to the right without a sign. What says how large registers and locations are stays.
///
/// # Errors
/// None that a program in assembly gives occasion to.
pub(super) fn without_sizes(program: &Program) -> Result<(Program, bool), Unprintable> {
    let mut program = program.clone();
    let mut lowering = Lowering { differs: false, only_sizes: true };
    program.threads.iter_mut().try_for_each(|thread| lowering.block(&mut thread.body))?;
    Ok((program, lowering.differs))
}

struct Lowering {
    differs: bool,
    /// Conversions with a sign are left out, and nothing else is done.
    only_sizes: bool,
}

impl Lowering {
    fn block(&mut self, statements: &mut [Statement]) -> Result<(), Unprintable> {
        for statement in statements {
            match &mut statement.kind {
                StatementKind::Write { place, value, .. } | StatementKind::Send { place, value } => {
                    self.place(&mut place.kind)?;
                    self.expression(value)?;
                }
                StatementKind::Assign { value, .. }
                | StatementKind::Evaluate(value)
                | StatementKind::Assert(value)
                | StatementKind::Assume(value) => self.expression(value)?,
                StatementKind::Fence(_) | StatementKind::Skip | StatementKind::Input { .. } => {}
                StatementKind::Atomic(body) => self.block(body)?,
                StatementKind::If { condition, then, otherwise } => {
                    self.expression(condition)?;
                    self.block(then)?;
                    self.block(otherwise)?;
                }
                StatementKind::While { condition: guard, body } | StatementKind::Repeat { body, until: guard } => {
                    self.expression(guard)?;
                    self.block(body)?;
                }
                StatementKind::Lock(place) | StatementKind::Unlock(place) => self.place(&mut place.kind)?,
                StatementKind::Call { arguments, .. } => {
                    arguments.iter_mut().try_for_each(|argument| self.expression(argument))?;
                }
                StatementKind::Post { value, .. } | StatementKind::Return(value) => {
                    value.iter_mut().try_for_each(|value| self.expression(value))?;
                }
            }
        }
        Ok(())
    }

    fn place(&mut self, place: &mut PlaceKind) -> Result<(), Unprintable> {
        match place {
            PlaceKind::Element { index, .. } => index.iter_mut().try_for_each(|index| self.expression(index)),
            PlaceKind::Pointee(address) => self.expression(address),
        }
    }

    fn access(&mut self, access: &mut Access) -> Result<(), Unprintable> {
        self.place(&mut access.place.kind)?;
        match &mut access.kind {
            AccessKind::Read | AccessKind::Receive => Ok(()),
            AccessKind::Update { operator, operand, integer } => {
                let depends = matches!(operator, UpdateOperator::Max | UpdateOperator::Min);
                if depends && *integer == Integer::UInt64 {
                    return Err(unprintable());
                }
                let wraps = matches!(operator, UpdateOperator::Add | UpdateOperator::Subtract);
                self.differs |= wraps && integer.bits() < 64;
                *integer = Integer::Int64;
                self.expression(operand)
            }
            AccessKind::CompareAndSwap { expected, desired, .. } => {
                self.expression(expected)?;
                self.expression(desired)
            }
        }
    }

    fn expression(&mut self, expression: &mut Expression) -> Result<(), Unprintable> {
        match expression {
            Expression::Constant(_) | Expression::Register(_) => {}
            Expression::Access(access) => self.access(access)?,
            Expression::Unary(operator, operand) => {
                self.expression(operand)?;
                if let UnaryOperator::Convert(to) = *operator
                    && self.only_sizes
                {
                    // What is around a register is a part of it.
                    if to.is_signed() && !matches!(**operand, Expression::Register(_)) {
                        self.differs = true;
                        *expression = std::mem::replace(&mut **operand, Expression::Constant(0));
                    }
                } else if let UnaryOperator::Convert(to) = *operator {
                    *expression = convert(to, Box::new(std::mem::replace(&mut **operand, Expression::Constant(0))));
                }
            }
            Expression::Binary(operator, left, right) => {
                self.expression(left)?;
                self.expression(right)?;
                let BinaryOperator::Typed(arithmetic, integer) = *operator else { return Ok(()) };
                if self.only_sizes {
                    return Ok(());
                }
                *operator = operator.untyped();
                let wraps = !matches!(arithmetic, Arithmetic::Divide | Arithmetic::Remainder | Arithmetic::ShiftRight);
                if integer == Integer::UInt64 {
                    return without_sign(arithmetic, left, right);
                }
                let is_shift = matches!(arithmetic, Arithmetic::ShiftLeft | Arithmetic::ShiftRight);
                let is_far = is_shift && distance(right).is_none();
                self.differs |= is_far || integer.is_signed() && integer.bits() < 64;
                if !integer.is_signed() && wraps {
                    let whole = std::mem::replace(expression, Expression::Constant(0));
                    *expression = convert(integer, Box::new(whole));
                }
            }
        }
        Ok(())
    }
}

fn distance(right: &Expression) -> Option<Value> {
    match right {
        Expression::Constant(distance) if (0..64).contains(distance) => Some(*distance),
        _ => None,
    }
}

fn convert(to: Integer, operand: Box<Expression>) -> Expression {
    let binary = |operator, left, right| Expression::Binary(operator, left, Box::new(Expression::Constant(right)));
    let mask = (1i64 << (to.bits() % 64)) - 1;
    match to {
        Integer::Bool => binary(BinaryOperator::NotEqual, operand, 0),
        Integer::Int64 | Integer::UInt64 => *operand,
        _ if to.is_signed() => {
            let away = i64::from(64 - to.bits());
            let up = binary(BinaryOperator::ShiftLeft, operand, away);
            binary(BinaryOperator::ShiftRight, Box::new(up), away)
        }
        _ => binary(BinaryOperator::BitAnd, operand, mask),
    }
}

/// An operator on numbers of 64 bits without a sign, by its operands: flipping the highest bits puts them in order.
fn without_sign(arithmetic: Arithmetic, left: &mut Expression, right: &mut Expression) -> Result<(), Unprintable> {
    let take = |operand: &mut Expression| Box::new(std::mem::replace(operand, Expression::Constant(0)));
    let constant = |value| Box::new(Expression::Constant(value));
    match arithmetic {
        Arithmetic::Add | Arithmetic::Subtract | Arithmetic::Multiply => Ok(()),
        Arithmetic::ShiftLeft if distance(right).is_some() => Ok(()),
        // As bits: what comes in at the top are zeros.
        Arithmetic::ShiftRight if distance(right).is_some() => {
            let away = distance(right).unwrap_or_default();
            if away > 0 {
                let moved = Expression::Binary(BinaryOperator::ShiftRight, take(left), constant(1));
                *left = Expression::Binary(BinaryOperator::BitAnd, Box::new(moved), constant(Value::MAX));
                *right = Expression::Constant(away - 1);
            }
            Ok(())
        }
        Arithmetic::Less | Arithmetic::LessOrEqual | Arithmetic::Greater | Arithmetic::GreaterOrEqual => {
            for side in [left, right] {
                *side = Expression::Binary(BinaryOperator::BitXor, take(side), constant(Value::MIN));
            }
            Ok(())
        }
        _ => Err(unprintable()),
    }
}

fn unprintable() -> Unprintable {
    Unprintable("this notation can't divide numbers of 64 bits without a sign, such as `unsigned long`".to_owned())
}
