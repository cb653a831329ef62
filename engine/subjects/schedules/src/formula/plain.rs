//! Between the terms of a transition system and those of a [`Store`].

use super::Variable;
use super::store::{Exact, Formula, Node, Operator, Store, Term};
use litmoscope_core::budget::{Budget, Meter};
use litmoscope_core::program::system::{self, Variable as Of};
use litmoscope_core::program::{Arithmetic, BinaryOperator, Integer, UnaryOperator, Value};
use rustc_hash::FxHashMap;
use std::sync::Arc;

impl Store {
    /// A term of a transition system; `input` says which variable an input is. Parts that are shared are translated once.
    ///
    /// Recursive, as deep as the term, which is as deep as an expression of a program, or as its arrays are long.
    pub fn translate(
        &mut self,
        term: &Arc<system::Term>,
        input: &dyn Fn(u32) -> Variable,
        known: &mut FxHashMap<*const system::Term, Term>,
    ) -> Term {
        use system::Term as T;
        if let Some(known) = known.get(&Arc::as_ptr(term)) {
            return *known;
        }
        let made = match &**term {
            T::Constant(value) => self.constant(*value),
            T::Variable(variable) => self.variable(Variable(variable.0)),
            T::Input(at) => self.variable(input(*at)),
            T::Unary(operator, operand) => {
                let operand = self.translate(operand, input, known);
                self.unary(*operator, operand)
            }
            T::Binary(operator, left, right) => {
                let (left, right) = (self.translate(left, input, known), self.translate(right, input, known));
                let applied = self.apply(*operator, left, right);
                // What has no value is 0 in a system.
                let zero = self.constant(0);
                self.choose(applied.defined, applied.value, zero)
            }
            T::Defined(operator, left, right) => {
                let (left, right) = (self.translate(left, input, known), self.translate(right, input, known));
                let applied = self.apply(*operator, left, right);
                self.from_bool(applied.defined)
            }
            T::If(condition, then, otherwise) => {
                let condition = self.translate(condition, input, known);
                let condition = self.nonzero(condition);
                let (then, otherwise) = (self.translate(then, input, known), self.translate(otherwise, input, known));
                self.choose(condition, then, otherwise)
            }
        };
        known.insert(Arc::as_ptr(term), made);
        made
    }

    /// A formula with a value in the place of a variable; `None` if it is too large for that.
    pub fn with_value(&mut self, formula: Formula, variable: Variable, value: Value) -> Option<Formula> {
        let value = self.constant(value);
        let mut budget = Budget::unlimited();
        self.substitute(formula, &[(variable, value)], &mut Meter::new(1 << 24, 0, &mut budget)).ok()
    }

    /// A formula as a term of a transition system, 1 where it holds and 0 elsewhere. Linear in its number of different parts, which stay
    /// shared.
    pub fn plain(&self, formula: Formula) -> Arc<system::Term> {
        use BinaryOperator as B;
        use system::Term as T;
        let mut made: FxHashMap<u32, Arc<T>> = FxHashMap::default();
        for id in self.cone(&[formula.0], |_| true) {
            let of = |part: u32| made[&part].clone();
            let both = |operator: B, left: &Term, right: &Term| T::binary(operator, &of(left.0), &of(right.0));
            let typed = |arithmetic, integer| B::Typed(arithmetic, integer);
            let term = match self.node(id) {
                Node::True => T::constant(1),
                Node::Not(part) => T::not(&of(part.0)),
                Node::And(parts) => parts.iter().fold(T::constant(1), |all, part| T::binary(B::And, &all, &of(part.0))),
                Node::Equal(left, right) => both(B::Equal, left, right),
                Node::Less(left, right) => both(B::Less, left, right),
                Node::LessUnsigned(left, right) => both(typed(Arithmetic::Less, Integer::UInt64), left, right),
                Node::Overflows(exact, left, right) => {
                    let arithmetic = match exact {
                        Exact::Add => Arithmetic::Add,
                        Exact::Subtract => Arithmetic::Subtract,
                        Exact::Multiply => Arithmetic::Multiply,
                    };
                    let defined = T::defined(typed(arithmetic, Integer::Int64), &of(left.0), &of(right.0));
                    T::not(&defined)
                }
                Node::Constant(value) => T::constant(*value),
                Node::Variable(variable) => Arc::new(T::Variable(Of(variable.0))),
                Node::Negate(part) => T::unary(UnaryOperator::Negate, &of(part.0)),
                Node::Complement(part) => T::unary(UnaryOperator::Complement, &of(part.0)),
                Node::Convert(to, part) => T::unary(UnaryOperator::Convert(*to), &of(part.0)),
                Node::Binary(operator, left, right) => match operator {
                    Operator::Add => both(B::Add, left, right),
                    Operator::Subtract => both(B::Subtract, left, right),
                    Operator::Multiply => both(B::Multiply, left, right),
                    Operator::Divide => both(B::Divide, left, right),
                    Operator::Remainder => both(B::Remainder, left, right),
                    Operator::DivideUnsigned => both(typed(Arithmetic::Divide, Integer::UInt64), left, right),
                    Operator::RemainderUnsigned => both(typed(Arithmetic::Remainder, Integer::UInt64), left, right),
                    Operator::BitAnd => both(B::BitAnd, left, right),
                    Operator::BitOr => both(B::BitOr, left, right),
                    Operator::BitXor => both(B::BitXor, left, right),
                    Operator::ShiftLeft => both(B::ShiftLeft, left, right),
                    Operator::ShiftRight => both(B::ShiftRight, left, right),
                    Operator::ShiftRightUnsigned => {
                        let distance = T::binary(B::BitAnd, &of(right.0), &T::constant(63));
                        T::binary(typed(Arithmetic::ShiftRight, Integer::UInt64), &of(left.0), &distance)
                    }
                },
                Node::Choose(condition, then, otherwise) => T::choose(&of(condition.0), &of(then.0), &of(otherwise.0)),
            };
            made.insert(id, term);
        }
        made[&formula.0].clone()
    }
}
