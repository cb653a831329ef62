//! Terms and formulas, each stored once.
//!
//! Constructors keep to the values of 64 bits that wrap: what they put in place of something else has the same value for each
//! valuation. What makes labels short is that a comparison of a term with a constant always looks the same (`t < c` or `t = c`,
//! or its negation), that constants move out of sums and over comparisons (on the circle of 64 bits: `x + 1 < 2` is
//! `x < 1 or x = 9223372036854775807`), and that a conjunction keeps one interval for each term.

use super::Variable;
use super::interval::Interval;
use litmoscope_core::program::{BinaryOperator, Integer, UnaryOperator, Value};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// An integer of 64 bits: what it is in the [`Store`] that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Term(pub(super) u32);

/// True or false: what it is in the [`Store`] that made it. Equal formulas are equivalent; the converse need not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Formula(pub(super) u32);

impl Formula {
    /// Holds for every valuation.
    pub const TRUE: Self = Self(0);
    /// Holds for none.
    pub const FALSE: Self = Self(1);
}

/// Operators of terms. What C computes in a type is made of these (`expression.rs`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Operator {
    Add,
    Subtract,
    Multiply,
    /// Truncating; 0 if the right operand is 0.
    Divide,
    /// The sign of the left operand; 0 if the right operand is 0.
    Remainder,
    DivideUnsigned,
    RemainderUnsigned,
    BitAnd,
    BitOr,
    BitXor,
    /// Distances count modulo 64.
    ShiftLeft,
    ShiftRight,
    ShiftRightUnsigned,
}

/// What may not fit into 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Exact {
    Add,
    Subtract,
    Multiply,
}

/// What an id stands for. Ids of parts are smaller than that of the whole.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Node {
    True,
    Not(Formula),
    /// At least two, in ascending order.
    And(Arc<[Formula]>),
    Equal(Term, Term),
    Less(Term, Term),
    LessUnsigned(Term, Term),
    /// Whether the signed result does not fit.
    Overflows(Exact, Term, Term),
    Constant(Value),
    Variable(Variable),
    Negate(Term),
    Complement(Term),
    /// To a type of fewer than 64 bits that is not `Bool`.
    Convert(Integer, Term),
    Binary(Operator, Term, Term),
    Choose(Formula, Term, Term),
}

impl Node {
    pub(super) fn each_part(&self, mut visit: impl FnMut(u32)) {
        match self {
            Self::True | Self::Constant(_) | Self::Variable(_) => {}
            Self::Not(part) => visit(part.0),
            Self::And(parts) => parts.iter().for_each(|part| visit(part.0)),
            Self::Negate(part) | Self::Complement(part) | Self::Convert(_, part) => visit(part.0),
            Self::Equal(left, right)
            | Self::Less(left, right)
            | Self::LessUnsigned(left, right)
            | Self::Overflows(_, left, right)
            | Self::Binary(_, left, right) => {
                visit(left.0);
                visit(right.0);
            }
            Self::Choose(condition, then, otherwise) => {
                visit(condition.0);
                visit(then.0);
                visit(otherwise.0);
            }
        }
    }

    /// The same with other ids of parts.
    pub(super) fn with_parts(&self, mut of: impl FnMut(u32) -> u32) -> Self {
        let mut term = |part: &Term| Term(of(part.0));
        match self {
            Self::True | Self::Constant(_) | Self::Variable(_) => self.clone(),
            Self::Not(part) => Self::Not(Formula(of(part.0))),
            Self::And(parts) => Self::And(parts.iter().map(|part| Formula(of(part.0))).collect()),
            Self::Negate(part) => Self::Negate(term(part)),
            Self::Complement(part) => Self::Complement(term(part)),
            Self::Convert(to, part) => Self::Convert(*to, term(part)),
            Self::Equal(left, right) => Self::Equal(term(left), term(right)),
            Self::Less(left, right) => Self::Less(term(left), term(right)),
            Self::LessUnsigned(left, right) => Self::LessUnsigned(term(left), term(right)),
            Self::Overflows(exact, left, right) => Self::Overflows(*exact, term(left), term(right)),
            Self::Binary(operator, left, right) => Self::Binary(*operator, term(left), term(right)),
            Self::Choose(condition, then, otherwise) => {
                let (then, otherwise) = (term(then), term(otherwise));
                Self::Choose(Formula(of(condition.0)), then, otherwise)
            }
        }
    }
}

impl Operator {
    pub(super) fn apply(self, left: Value, right: Value) -> Value {
        match self {
            Self::Add => left.wrapping_add(right),
            Self::Subtract => left.wrapping_sub(right),
            Self::Multiply => left.wrapping_mul(right),
            Self::Divide | Self::Remainder | Self::DivideUnsigned | Self::RemainderUnsigned if right == 0 => 0,
            Self::Divide => left.wrapping_div(right),
            Self::Remainder => left.wrapping_rem(right),
            Self::DivideUnsigned => (left as u64 / right as u64) as Value,
            Self::RemainderUnsigned => (left as u64 % right as u64) as Value,
            Self::BitAnd => left & right,
            Self::BitOr => left | right,
            Self::BitXor => left ^ right,
            Self::ShiftLeft => left.wrapping_shl(right as u32),
            Self::ShiftRight => left.wrapping_shr(right as u32),
            Self::ShiftRightUnsigned => (left as u64).wrapping_shr(right as u32) as Value,
        }
    }

    fn commutes(self) -> bool {
        matches!(self, Self::Add | Self::Multiply | Self::BitAnd | Self::BitOr | Self::BitXor)
    }
}

impl Exact {
    pub(super) fn overflows(self, left: Value, right: Value) -> bool {
        match self {
            Self::Add => left.checked_add(right),
            Self::Subtract => left.checked_sub(right),
            Self::Multiply => left.checked_mul(right),
        }
        .is_none()
    }
}

/// What is known of an id whatever the valuation.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// Of a term, where its values are.
    interval: Interval,
    /// Bit `v % 64` for each variable `v` in it.
    variables: u64,
}

/// A comparison with a constant, or the negation of one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    pub(super) term: Term,
    /// `=`, else `<`.
    equal: bool,
    pub(super) constant: Value,
    /// Whether it is the comparison, not its negation.
    positive: bool,
}

/// The values that a conjunction leaves to a term.
#[derive(Clone, Debug)]
pub(super) struct Domain {
    pub(super) interval: Interval,
    excluded: Vec<Value>,
    bounds: u32,
}

impl Domain {
    fn new(interval: Interval) -> Self {
        Self { interval, excluded: Vec::new(), bounds: 0 }
    }

    /// `false` if nothing is left.
    fn restrict(&mut self, bound: Bound) -> bool {
        let Interval { low, high } = self.interval;
        self.bounds += 1;
        let (low, high) = match (bound.equal, bound.positive) {
            (true, true) => (low.max(bound.constant), high.min(bound.constant)),
            (true, false) => {
                self.excluded.push(bound.constant);
                (low, high)
            }
            // The constant is not the least of all: a constructor has seen to that.
            (false, true) => (low, high.min(bound.constant.saturating_sub(1))),
            (false, false) => (low.max(bound.constant), high),
        };
        self.interval = Interval { low, high };
        low <= high
    }

    /// Moves ends that are excluded; `false` if nothing is left.
    fn tighten(&mut self) -> bool {
        self.excluded.sort_unstable();
        self.excluded.dedup();
        for &value in &self.excluded {
            if value == self.interval.low {
                if value == self.interval.high {
                    return false;
                }
                self.interval.low += 1;
            }
        }
        for &value in self.excluded.iter().rev() {
            if value == self.interval.high {
                if value == self.interval.low {
                    return false;
                }
                self.interval.high -= 1;
            }
        }
        let interval = self.interval;
        self.excluded.retain(|value| interval.contains(*value));
        true
    }

    fn decides(&self, bound: Bound) -> Option<bool> {
        let Interval { low, high } = self.interval;
        let holds = if bound.equal {
            if low == high && low == bound.constant {
                Some(true)
            } else if !self.interval.contains(bound.constant) || self.excluded.binary_search(&bound.constant).is_ok() {
                Some(false)
            } else {
                None
            }
        } else if high < bound.constant {
            Some(true)
        } else if low >= bound.constant {
            Some(false)
        } else {
            None
        };
        holds.map(|holds| holds == bound.positive)
    }
}

/// The most conjuncts of one conjunction; what is longer nests. Else a chain of formulas, each of which adds a conjunct to the one
/// before, would be quadratic.
const FLAT: usize = 128;

/// How deep constructors look into disjunctions of a conjunction that they make.
const DEPTH: u32 = 4;

/// How far comparisons with a constant move into a term: choices may nest as deep as a path is long.
const NESTING: u32 = 48;

/// All terms and formulas, which share what they have in common.
///
/// It only grows: a label that nobody uses any more stays. [`Store::words`] says how much that is.
#[derive(Clone, Debug)]
pub struct Store {
    nodes: Vec<Node>,
    /// By id.
    known: Vec<Known>,
    ids: FxHashMap<Node, u32>,
    /// Of conjuncts in all conjunctions.
    conjuncts: u64,
    /// How deep [`Store::and`] is in itself.
    depth: u32,
    /// How deep a comparison with a constant is in the term.
    nesting: u32,
    /// Numbers that are addresses, each with the variable that is there.
    pub(super) addresses: FxHashMap<Value, Variable>,
}

impl Default for Store {
    fn default() -> Self {
        Self::new()
    }
}

impl Store {
    /// With nothing but `true` and `false`.
    pub fn new() -> Self {
        let mut store = Self {
            nodes: Vec::new(),
            known: Vec::new(),
            ids: FxHashMap::default(),
            conjuncts: 0,
            depth: 0,
            nesting: 0,
            addresses: FxHashMap::default(),
        };
        store.intern(Node::True);
        store.intern(Node::Not(Formula::TRUE));
        store
    }

    /// How many words of 64 bits it holds, about.
    pub fn words(&self) -> u64 {
        16 * self.nodes.len() as u64 + self.conjuncts / 2
    }

    pub(super) fn node(&self, id: u32) -> &Node {
        &self.nodes[id as usize]
    }

    pub(super) fn id_of(&self, node: &Node) -> Option<u32> {
        self.ids.get(node).copied()
    }

    /// The term of a variable that is in some formula.
    pub(super) fn term_of(&self, variable: Variable) -> Option<Term> {
        self.id_of(&Node::Variable(variable)).map(Term)
    }

    pub(super) fn of(&self, formula: Formula) -> &Node {
        &self.nodes[formula.0 as usize]
    }

    fn at(&self, term: Term) -> &Node {
        &self.nodes[term.0 as usize]
    }

    /// Where the values of a term are, whatever the valuation.
    pub fn interval(&self, term: Term) -> Interval {
        self.known[term.0 as usize].interval
    }

    /// Bit `v % 64` for each variable `v`.
    pub(super) fn mask(&self, id: u32) -> u64 {
        self.known[id as usize].variables
    }

    /// The value of a term that is a constant.
    pub fn constant_of(&self, term: Term) -> Option<Value> {
        match self.at(term) {
            Node::Constant(value) => Some(*value),
            _ => None,
        }
    }

    fn intern(&mut self, node: Node) -> u32 {
        if let Some(&id) = self.ids.get(&node) {
            return id;
        }
        let mut variables = match node {
            Node::Variable(variable) => 1 << (variable.0 % 64),
            _ => 0,
        };
        node.each_part(|part| variables |= self.known[part as usize].variables);
        if let Node::And(parts) = &node {
            self.conjuncts += parts.len() as u64;
        }
        let known = &self.known;
        let interval = Interval::of_node(&node, |part| known[part as usize].interval);
        // Ids run out long after memory: a word and more for each.
        let id = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        self.known.push(Known { interval, variables });
        self.nodes.push(node.clone());
        self.ids.insert(node, id);
        id
    }

    fn term(&mut self, node: Node) -> Term {
        Term(self.intern(node))
    }

    fn formula(&mut self, node: Node) -> Formula {
        Formula(self.intern(node))
    }

    /// A constant.
    pub fn constant(&mut self, value: Value) -> Term {
        self.term(Node::Constant(value))
    }

    /// The value of a variable.
    pub fn variable(&mut self, variable: Variable) -> Term {
        self.term(Node::Variable(variable))
    }

    /// `true` or `false`.
    pub fn truth(&self, holds: bool) -> Formula {
        if holds { Formula::TRUE } else { Formula::FALSE }
    }

    /// 1 if the formula holds, else 0.
    pub fn from_bool(&mut self, formula: Formula) -> Term {
        let (one, zero) = (self.constant(1), self.constant(0));
        self.choose(formula, one, zero)
    }

    /// Whether a term is not 0.
    pub fn nonzero(&mut self, term: Term) -> Formula {
        let zero = self.constant(0);
        let equal = self.equal(term, zero);
        self.not(equal)
    }

    /// The first term if the formula holds, else the second.
    pub fn choose(&mut self, condition: Formula, then: Term, otherwise: Term) -> Term {
        if condition == Formula::TRUE || then == otherwise {
            return then;
        }
        match *self.of(condition) {
            _ if condition == Formula::FALSE => return otherwise,
            Node::Not(negated) => return self.choose(negated, otherwise, then),
            _ => {}
        }
        let then = match *self.at(then) {
            Node::Choose(other, then, _) if other == condition => then,
            _ => then,
        };
        let otherwise = match *self.at(otherwise) {
            Node::Choose(other, _, otherwise) if other == condition => otherwise,
            _ => otherwise,
        };
        if then == otherwise { then } else { self.term(Node::Choose(condition, then, otherwise)) }
    }

    /// A choice between constants.
    fn constants_of(&self, term: Term) -> Option<(Formula, Value, Value)> {
        let Node::Choose(condition, then, otherwise) = *self.at(term) else { return None };
        Some((condition, self.constant_of(then)?, self.constant_of(otherwise)?))
    }

    fn on_both(&mut self, term: Term, apply: impl Fn(Value) -> Value) -> Option<Term> {
        if let Some(value) = self.constant_of(term) {
            return Some(self.constant(apply(value)));
        }
        let (condition, then, otherwise) = self.constants_of(term)?;
        let (then, otherwise) = (self.constant(apply(then)), self.constant(apply(otherwise)));
        Some(self.choose(condition, then, otherwise))
    }

    /// Core's operator with one operand.
    pub fn unary(&mut self, operator: UnaryOperator, operand: Term) -> Term {
        if let UnaryOperator::Not = operator {
            let zero = self.constant(0);
            let equal = self.equal(operand, zero);
            return self.from_bool(equal);
        }
        if let Some(term) = self.on_both(operand, |value| operator.apply(value)) {
            return term;
        }
        match (operator, self.at(operand)) {
            (UnaryOperator::Negate, Node::Negate(inner)) | (UnaryOperator::Complement, Node::Complement(inner)) => {
                *inner
            }
            (UnaryOperator::Negate, Node::Binary(Operator::Subtract, left, right)) => {
                let (left, right) = (*left, *right);
                self.arithmetic(Operator::Subtract, right, left)
            }
            (UnaryOperator::Negate, _) => self.term(Node::Negate(operand)),
            (UnaryOperator::Complement, _) => self.term(Node::Complement(operand)),
            (UnaryOperator::Convert(Integer::Bool), _) => {
                let nonzero = self.nonzero(operand);
                self.from_bool(nonzero)
            }
            (UnaryOperator::Convert(to), _) if Interval::of_type(to).includes(self.interval(operand)) => operand,
            (UnaryOperator::Convert(to), Node::Convert(from, inner)) if from.bits() >= to.bits() => {
                let inner = *inner;
                self.unary(UnaryOperator::Convert(to), inner)
            }
            (UnaryOperator::Convert(to), _) => self.term(Node::Convert(to, operand)),
            (UnaryOperator::Not, _) => unreachable!("returned above"),
        }
    }

    /// Core's operator with two operands, with 0 for what is not defined: `expression.rs` says when that is.
    pub fn binary(&mut self, operator: BinaryOperator, left: Term, right: Term) -> Term {
        let operator = match operator {
            BinaryOperator::Add => Operator::Add,
            BinaryOperator::Subtract => Operator::Subtract,
            BinaryOperator::Multiply => Operator::Multiply,
            BinaryOperator::Divide => Operator::Divide,
            BinaryOperator::Remainder => Operator::Remainder,
            BinaryOperator::BitAnd => Operator::BitAnd,
            BinaryOperator::BitOr => Operator::BitOr,
            BinaryOperator::BitXor => Operator::BitXor,
            BinaryOperator::ShiftLeft => Operator::ShiftLeft,
            BinaryOperator::ShiftRight => Operator::ShiftRight,
            BinaryOperator::Typed(arithmetic, integer) => return self.typed(arithmetic, integer, left, right).value,
            _ => {
                let formula = self.comparison(operator, left, right);
                return self.from_bool(formula);
            }
        };
        self.arithmetic(operator, left, right)
    }

    /// What a comparison, `and` or `or` says; of another operator, whether its value is not 0.
    pub fn comparison(&mut self, operator: BinaryOperator, left: Term, right: Term) -> Formula {
        match operator {
            BinaryOperator::Equal => self.equal(left, right),
            BinaryOperator::NotEqual => {
                let equal = self.equal(left, right);
                self.not(equal)
            }
            BinaryOperator::Less => self.less(left, right),
            BinaryOperator::LessOrEqual => self.at_most(left, right),
            BinaryOperator::Greater => self.less(right, left),
            BinaryOperator::GreaterOrEqual => self.at_most(right, left),
            BinaryOperator::And | BinaryOperator::Or => {
                let sides = [self.nonzero(left), self.nonzero(right)];
                if operator == BinaryOperator::And { self.and(&sides) } else { self.or(&sides) }
            }
            _ => {
                let value = self.binary(operator, left, right);
                self.nonzero(value)
            }
        }
    }

    pub(super) fn arithmetic(&mut self, operator: Operator, mut left: Term, mut right: Term) -> Term {
        use Operator::*;
        if operator.commutes() {
            let constant = |term| self.constant_of(term).is_some();
            if constant(left) || (!constant(right) && right < left) {
                (left, right) = (right, left);
            }
        }
        if let Some(value) = self.constant_of(right) {
            if let Some(folded) = self.on_both(left, |left| operator.apply(left, value)) {
                return folded;
            }
            if let Some(term) = self.with_constant(operator, left, value) {
                return term;
            }
        } else if let Some(value) = self.constant_of(left) {
            if let Some(folded) = self.on_both(right, |right| operator.apply(value, right)) {
                return folded;
            }
            if value == 0 {
                if operator == Subtract {
                    return self.unary(UnaryOperator::Negate, right);
                }
                if !operator.commutes() {
                    return left;
                }
            }
        } else if left == right {
            match operator {
                Subtract | BitXor | Remainder | RemainderUnsigned => return self.constant(0),
                BitAnd | BitOr => return left,
                _ => {}
            }
        }
        // Constants of sums move outward.
        if matches!(operator, Add | Subtract) && self.constant_of(right).is_none() {
            if let Some((inner, constant)) = self.sum(left) {
                let sum = self.arithmetic(operator, inner, right);
                return self.plus(sum, constant);
            }
            if let Some((inner, constant)) = self.sum(right) {
                let constant = if operator == Add { constant } else { constant.wrapping_neg() };
                let sum = self.arithmetic(operator, left, inner);
                return self.plus(sum, constant);
            }
            match (operator, self.at(left), self.at(right)) {
                (Add, _, Node::Negate(inner)) => {
                    let inner = *inner;
                    return self.arithmetic(Subtract, left, inner);
                }
                (Add, Node::Negate(inner), _) => {
                    let inner = *inner;
                    return self.arithmetic(Subtract, right, inner);
                }
                (Subtract, _, Node::Negate(inner)) => {
                    let inner = *inner;
                    return self.arithmetic(Add, left, inner);
                }
                (Add, Node::Binary(Subtract, a, b), _) if *b == right => return *a,
                (Add, _, Node::Binary(Subtract, a, b)) if *b == left => return *a,
                (Subtract, Node::Binary(Add, a, b), _) if *b == right => return *a,
                (Subtract, Node::Binary(Add, a, b), _) if *a == right => return *b,
                (Subtract, Node::Binary(Subtract, a, b), _) if *a == right => {
                    let b = *b;
                    return self.unary(UnaryOperator::Negate, b);
                }
                (Subtract, _, Node::Binary(Subtract, a, b)) if *a == left => return *b,
                _ => {}
            }
        }
        self.term(Node::Binary(operator, left, right))
    }

    /// A term plus a constant.
    pub(super) fn plus(&mut self, term: Term, constant: Value) -> Term {
        let constant = self.constant(constant);
        self.arithmetic(Operator::Add, term, constant)
    }

    /// A term that adds a constant to another.
    fn sum(&self, term: Term) -> Option<(Term, Value)> {
        let Node::Binary(Operator::Add, inner, constant) = *self.at(term) else { return None };
        Some((inner, self.constant_of(constant)?))
    }

    fn with_constant(&mut self, operator: Operator, left: Term, value: Value) -> Option<Term> {
        use Operator::*;
        match (operator, value) {
            (Subtract, _) => return Some(self.plus(left, value.wrapping_neg())),
            (Add | BitOr | BitXor | ShiftLeft | ShiftRight | ShiftRightUnsigned, 0)
            | (Multiply | Divide | DivideUnsigned, 1)
            | (BitAnd, -1) => return Some(left),
            (Multiply | BitAnd | Divide | Remainder | DivideUnsigned | RemainderUnsigned, 0)
            | (Remainder, 1 | -1)
            | (RemainderUnsigned, 1) => return Some(self.constant(0)),
            (Multiply | Divide, -1) => return Some(self.unary(UnaryOperator::Negate, left)),
            (BitXor, -1) => return Some(self.unary(UnaryOperator::Complement, left)),
            (BitOr, -1) => return Some(self.constant(-1)),
            (ShiftLeft | ShiftRight | ShiftRightUnsigned, _) if !(0..64).contains(&value) => {
                let distance = self.constant(value & 63);
                return Some(self.arithmetic(operator, left, distance));
            }
            _ => {}
        }
        let Node::Binary(inner_operator, inner, constant) = *self.at(left) else { return None };
        let constant = self.constant_of(constant)?;
        if inner_operator != operator || !operator.commutes() {
            return None;
        }
        let constant = self.constant(operator.apply(constant, value));
        Some(self.arithmetic(operator, inner, constant))
    }

    /// `left = right`.
    pub fn equal(&mut self, left: Term, right: Term) -> Formula {
        if left == right {
            return Formula::TRUE;
        }
        if !self.interval(left).meets(self.interval(right)) {
            return Formula::FALSE;
        }
        let (left, right) = match (self.constant_of(left), self.constant_of(right)) {
            (Some(_), _) => (right, left),
            (None, None) if right < left => (right, left),
            _ => (left, right),
        };
        if let Some(value) = self.constant_of(right) {
            return self.equals(left, value);
        }
        match (self.sum(left), self.sum(right)) {
            (Some((inner, constant)), Some((other, more))) => {
                let other = self.plus(other, more.wrapping_sub(constant));
                self.equal(inner, other)
            }
            // Nothing is itself and something else.
            (Some((inner, _)), None) if inner == right => Formula::FALSE,
            (None, Some((inner, _))) if inner == left => Formula::FALSE,
            _ => self.formula(Node::Equal(left, right)),
        }
    }

    fn equals(&mut self, term: Term, value: Value) -> Formula {
        let interval = self.interval(term);
        // Of two values, one is enough to say the other.
        if interval.high.checked_sub(interval.low) == Some(1) && value == interval.low {
            let other = self.equals(term, interval.high);
            return self.not(other);
        }
        self.nesting += 1;
        let formula = self.equals_inside(term, value);
        self.nesting -= 1;
        formula
    }

    fn equals_inside(&mut self, term: Term, value: Value) -> Formula {
        match *self.at(term) {
            _ if self.nesting > NESTING => {
                let constant = self.constant(value);
                self.formula(Node::Equal(term, constant))
            }
            Node::Negate(inner) => self.equals_within(inner, value.wrapping_neg()),
            Node::Complement(inner) => self.equals_within(inner, !value),
            Node::Binary(Operator::Add, inner, constant) if self.constant_of(constant).is_some() => {
                let constant = self.constant_of(constant).unwrap_or_default();
                self.equals_within(inner, value.wrapping_sub(constant))
            }
            Node::Binary(Operator::BitXor, inner, constant) if self.constant_of(constant).is_some() => {
                let constant = self.constant_of(constant).unwrap_or_default();
                self.equals_within(inner, value ^ constant)
            }
            Node::Binary(Operator::Subtract, constant, inner) if self.constant_of(constant).is_some() => {
                let constant = self.constant_of(constant).unwrap_or_default();
                self.equals_within(inner, constant.wrapping_sub(value))
            }
            Node::Binary(Operator::Subtract, left, right) if value == 0 => self.equal(left, right),
            Node::Choose(condition, then, otherwise) if self.has_constant(then, otherwise) => {
                let (then, otherwise) = (self.equals_within(then, value), self.equals_within(otherwise, value));
                self.if_then_else(condition, then, otherwise)
            }
            _ => {
                let constant = self.constant(value);
                self.formula(Node::Equal(term, constant))
            }
        }
    }

    fn equals_within(&mut self, term: Term, value: Value) -> Formula {
        let constant = self.constant(value);
        self.equal(term, constant)
    }

    fn has_constant(&self, one: Term, other: Term) -> bool {
        self.constant_of(one).is_some() || self.constant_of(other).is_some()
    }

    /// `left < right`.
    pub fn less(&mut self, left: Term, right: Term) -> Formula {
        let (of_left, of_right) = (self.interval(left), self.interval(right));
        if left == right || of_left.low >= of_right.high {
            return Formula::FALSE;
        }
        if of_left.high < of_right.low {
            return Formula::TRUE;
        }
        if let Some(value) = self.constant_of(right) {
            return self.less_than(left, value);
        }
        // The interval of the left one would have decided, were it the greatest of all.
        if let Some(next) = self.constant_of(left).and_then(|value| value.checked_add(1)) {
            let less = self.less_than_within(right, next);
            return self.not(less);
        }
        self.formula(Node::Less(left, right))
    }

    fn less_than_within(&mut self, term: Term, value: Value) -> Formula {
        let constant = self.constant(value);
        self.less(term, constant)
    }

    fn less_than(&mut self, term: Term, value: Value) -> Formula {
        let interval = self.interval(term);
        if value == interval.low + 1 {
            return self.equals(term, interval.low);
        }
        if value == interval.high {
            let equal = self.equals(term, interval.high);
            return self.not(equal);
        }
        self.nesting += 1;
        let formula = self.less_than_inside(term, value);
        self.nesting -= 1;
        formula
    }

    fn less_than_inside(&mut self, term: Term, value: Value) -> Formula {
        match *self.at(term) {
            _ if self.nesting > NESTING => {
                let constant = self.constant(value);
                self.formula(Node::Less(term, constant))
            }
            Node::Binary(Operator::Add, inner, constant) if self.constant_of(constant).is_some() => {
                let constant = self.constant_of(constant).unwrap_or_default();
                let (low, high) = (Value::MIN.wrapping_sub(constant), (value - 1).wrapping_sub(constant));
                self.around(inner, low, high)
            }
            Node::Negate(inner) => self.around(inner, 1i64.wrapping_sub(value), Value::MIN),
            Node::Complement(inner) => {
                let constant = self.constant(!value);
                self.less(constant, inner)
            }
            Node::Choose(condition, then, otherwise) if self.has_constant(then, otherwise) => {
                let (then, otherwise) = (self.less_than_within(then, value), self.less_than_within(otherwise, value));
                self.if_then_else(condition, then, otherwise)
            }
            _ => {
                let constant = self.constant(value);
                self.formula(Node::Less(term, constant))
            }
        }
    }

    /// From one value upwards to another, by way of the greatest and the least if need be.
    fn around(&mut self, term: Term, low: Value, high: Value) -> Formula {
        let (least, most) = (self.constant(low), self.constant(high));
        let ends = [self.at_most(least, term), self.at_most(term, most)];
        if low <= high { self.and(&ends) } else { self.or(&ends) }
    }

    /// Whether a term is in an interval.
    pub fn within(&mut self, term: Term, interval: Interval) -> Formula {
        if interval.is_empty() { Formula::FALSE } else { self.around(term, interval.low, interval.high) }
    }

    /// `left <= right`.
    pub fn at_most(&mut self, left: Term, right: Term) -> Formula {
        let greater = self.less(right, left);
        self.not(greater)
    }

    /// `left < right` as numbers without a sign.
    pub fn less_unsigned(&mut self, left: Term, right: Term) -> Formula {
        if left == right {
            return Formula::FALSE;
        }
        match (self.interval(left).is_negative(), self.interval(right).is_negative()) {
            (Some(one), Some(other)) if one == other => return self.less(left, right),
            (Some(one), Some(_)) => return self.truth(!one),
            _ => {}
        }
        if let Some(value) = self.constant_of(right) {
            return if value == 0 { Formula::FALSE } else { self.around(left, 0, value.wrapping_sub(1)) };
        }
        if let Some(value) = self.constant_of(left) {
            return if value == -1 { Formula::FALSE } else { self.around(right, value.wrapping_add(1), -1) };
        }
        self.formula(Node::LessUnsigned(left, right))
    }

    pub(super) fn overflows(&mut self, exact: Exact, mut left: Term, mut right: Term) -> Formula {
        if exact != Exact::Subtract
            && (self.constant_of(left).is_some() || right < left && self.constant_of(right).is_none())
        {
            (left, right) = (right, left);
        }
        if let Some(never) = self.interval(left).overflows(exact, self.interval(right)) {
            return self.truth(never);
        }
        let Some(value) = self.constant_of(right) else { return self.formula(Node::Overflows(exact, left, right)) };
        let fits = match exact {
            Exact::Add if value > 0 => Interval::new(Value::MIN, Value::MAX - value),
            Exact::Add => Interval::new(Value::MIN - value, Value::MAX),
            Exact::Subtract if value > 0 => Interval::new(Value::MIN + value, Value::MAX),
            Exact::Subtract => Interval::new(Value::MIN, Value::MAX + value),
            Exact::Multiply if value > 0 => Interval::new(Value::MIN / value, Value::MAX / value),
            Exact::Multiply if value == -1 => Interval::new(-Value::MAX, Value::MAX),
            // By 0 the interval has decided.
            Exact::Multiply => Interval::new(Value::MAX / value, Value::MIN / value),
        };
        let fits = self.within(left, fits);
        self.not(fits)
    }

    /// Its negation.
    pub fn not(&mut self, formula: Formula) -> Formula {
        match *self.of(formula) {
            Node::True => Formula::FALSE,
            Node::Not(inner) => inner,
            _ => self.formula(Node::Not(formula)),
        }
    }

    /// Their disjunction.
    pub fn or(&mut self, parts: &[Formula]) -> Formula {
        let parts: Vec<_> = parts.iter().map(|part| self.not(*part)).collect();
        let and = self.and(&parts);
        self.not(and)
    }

    /// `if`, then `then`.
    pub fn implication(&mut self, premise: Formula, conclusion: Formula) -> Formula {
        let negated = self.not(conclusion);
        let and = self.and(&[premise, negated]);
        self.not(and)
    }

    /// The first formula if the condition holds, else the second.
    pub fn if_then_else(&mut self, condition: Formula, then: Formula, otherwise: Formula) -> Formula {
        if then == otherwise {
            return then;
        }
        let one = self.implication(condition, then);
        let negated = self.not(condition);
        let other = self.implication(negated, otherwise);
        self.and(&[one, other])
    }

    /// The conjuncts of a formula: itself if it is no conjunction.
    pub(super) fn conjuncts(&self, formula: Formula) -> Vec<Formula> {
        match self.of(formula) {
            Node::True => Vec::new(),
            Node::And(parts) => parts.to_vec(),
            _ => vec![formula],
        }
    }

    pub(super) fn bound(&self, formula: Formula) -> Option<Bound> {
        let (atom, positive) = match *self.of(formula) {
            Node::Not(inner) => (inner, false),
            _ => (formula, true),
        };
        match *self.of(atom) {
            Node::Equal(term, right) => {
                self.constant_of(right).map(|constant| Bound { term, equal: true, constant, positive })
            }
            Node::Less(term, right) => {
                self.constant_of(right).map(|constant| Bound { term, equal: false, constant, positive })
            }
            _ => None,
        }
    }

    /// By term what is left to it; `None` if that is nothing for one.
    pub(super) fn domains(&self, parts: &[Formula]) -> Option<FxHashMap<Term, Domain>> {
        let mut domains = FxHashMap::default();
        for &part in parts {
            let Some(bound) = self.bound(part) else { continue };
            let domain = domains.entry(bound.term).or_insert_with(|| Domain::new(self.interval(bound.term)));
            if !domain.restrict(bound) {
                return None;
            }
        }
        domains.values_mut().all(Domain::tighten).then_some(domains)
    }

    /// Their conjunction.
    pub fn and(&mut self, parts: &[Formula]) -> Formula {
        let mut flat = Vec::with_capacity(parts.len());
        for &part in parts {
            match self.of(part) {
                Node::True => {}
                Node::And(inner) if flat.len() + inner.len() <= FLAT => flat.extend_from_slice(inner),
                _ => flat.push(part),
            }
        }
        for _ in 0..4 {
            flat.sort_unstable();
            flat.dedup();
            match self.tidy(&flat) {
                None => return Formula::FALSE,
                Some(tidy) if tidy == flat => break,
                Some(tidy) => flat = tidy,
            }
        }
        flat.sort_unstable();
        flat.dedup();
        if flat.contains(&Formula::FALSE) {
            return Formula::FALSE;
        }
        match *flat {
            [] => Formula::TRUE,
            [only] => only,
            _ => self.formula(Node::And(flat.into())),
        }
    }

    /// Conjuncts that say the same as these, which are in ascending order; `None` if that is nothing that can be.
    fn tidy(&mut self, parts: &[Formula]) -> Option<Vec<Formula>> {
        if parts.len() < 2 {
            return Some(parts.to_vec());
        }
        let has = |formula: Formula| parts.binary_search(&formula).is_ok();
        for &part in parts {
            if part == Formula::FALSE || matches!(*self.of(part), Node::Not(inner) if has(inner)) {
                return None;
            }
        }
        let domains = self.domains(parts)?;
        let mut tidy = Vec::with_capacity(parts.len());
        let mut done: Vec<Term> = Vec::new();
        for &part in parts {
            if let Some(bound) = self.bound(part) {
                let domain = &domains[&bound.term];
                if domain.bounds == 1 {
                    tidy.push(part);
                } else if !done.contains(&bound.term) {
                    done.push(bound.term);
                    self.bounds(bound.term, domain, &mut tidy);
                }
                continue;
            }
            let Node::Not(inner) = *self.of(part) else {
                tidy.push(part);
                continue;
            };
            let Node::And(refuted) = self.of(inner) else {
                tidy.push(part);
                continue;
            };
            // A disjunction: one of these fails. What is known to hold is not the one.
            let refuted = refuted.clone();
            let decided = |formula: Formula| {
                if has(formula) {
                    return Some(true);
                }
                if matches!(*self.of(formula), Node::Not(inner) if has(inner)) {
                    return Some(false);
                }
                let bound = self.bound(formula)?;
                domains.get(&bound.term)?.decides(bound)
            };
            let mut left = Vec::with_capacity(refuted.len());
            let mut holds = false;
            for &formula in &*refuted {
                match decided(formula) {
                    None => left.push(formula),
                    Some(true) => {}
                    Some(false) => holds = true,
                }
            }
            if holds {
                continue;
            }
            if left.len() == refuted.len() || self.depth == DEPTH {
                tidy.push(part);
                continue;
            }
            self.depth += 1;
            let and = self.and(&left);
            self.depth -= 1;
            let part = self.not(and);
            match self.of(part) {
                Node::True => {}
                Node::And(inner) => tidy.extend_from_slice(inner),
                _ => tidy.push(part),
            }
        }
        tidy.sort_unstable();
        tidy.dedup();
        Some(tidy)
    }

    /// Adds the conjuncts that leave these values to a term.
    fn bounds(&mut self, term: Term, domain: &Domain, into: &mut Vec<Formula>) {
        let (interval, all) = (domain.interval, self.interval(term));
        let low = self.constant(interval.low);
        if interval.low == interval.high {
            into.push(self.equal(term, low));
            return;
        }
        let mut add = |formula: Formula| {
            if formula != Formula::TRUE {
                into.push(formula);
            }
        };
        if interval.low > all.low {
            add(self.at_most(low, term));
        }
        if interval.high < all.high {
            let high = self.constant(interval.high);
            add(self.at_most(term, high));
        }
        for &value in &domain.excluded {
            let value = self.constant(value);
            let equal = self.equal(term, value);
            add(self.not(equal));
        }
    }
}
