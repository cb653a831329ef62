//! What goes through all that a formula is made of: values, substitution, variables. Without recursion, since formulas are as
//! deep as paths are long; parts have smaller ids than the whole, so ascending ids are an order to compute in.

use super::interval::Interval;
use super::store::{Formula, Node, Store, Term};
use super::{Valuation, Variable};
use litmoscope_core::budget::{Halt, Meter};
use litmoscope_core::program::{UnaryOperator, Value};
use rustc_hash::{FxHashMap, FxHashSet};

impl Store {
    /// The ids of these and all their parts that `wanted` says, ascending.
    pub(super) fn cone(&self, roots: &[u32], mut wanted: impl FnMut(u32) -> bool) -> Vec<u32> {
        let mut seen = FxHashSet::default();
        let mut stack: Vec<u32> = roots.iter().copied().filter(|id| wanted(*id) && seen.insert(*id)).collect();
        let mut cone = stack.clone();
        while let Some(id) = stack.pop() {
            self.node(id).each_part(|part| {
                if wanted(part) && seen.insert(part) {
                    stack.push(part);
                    cone.push(part);
                }
            });
        }
        cone.sort_unstable();
        cone
    }

    /// How many different parts a formula has, with itself.
    pub fn size(&self, formula: Formula) -> usize {
        self.cone(&[formula.0], |_| true).len()
    }

    /// The variables in a formula, ascending.
    pub fn variables(&self, formula: Formula) -> Vec<Variable> {
        self.variables_of(&[formula.0])
    }

    /// The variables in a term, ascending.
    pub fn variables_of_term(&self, term: Term) -> Vec<Variable> {
        self.variables_of(&[term.0])
    }

    fn variables_of(&self, roots: &[u32]) -> Vec<Variable> {
        let variable = |id: u32| match self.node(id) {
            Node::Variable(variable) => Some(*variable),
            _ => None,
        };
        let mut variables: Vec<_> =
            self.cone(roots, |id| self.mask(id) != 0).into_iter().filter_map(variable).collect();
        variables.sort_unstable();
        variables
    }

    /// Whether a formula holds for a valuation.
    pub fn evaluate(&self, formula: Formula, valuation: &Valuation) -> bool {
        Compiled::new(self, &[formula.0]).run(|variable| valuation.get(variable)) != 0
    }

    /// The value of a term.
    pub fn value(&self, term: Term, valuation: &Valuation) -> Value {
        Compiled::new(self, &[term.0]).run(|variable| valuation.get(variable))
    }

    /// Where the value of a term is if variables are where `of` says.
    pub fn interval_within(&self, term: Term, of: impl Fn(Variable) -> Interval) -> Interval {
        Compiled::new(self, &[term.0]).interval(of)
    }

    /// Calls `found` with variables and where their values are if a formula holds and variables are where `of` says, as far as
    /// comparisons among its conjuncts tell.
    pub fn restrictions(
        &self,
        formula: Formula,
        of: impl Fn(Variable) -> Interval,
        found: impl FnMut(Variable, Interval),
    ) {
        Compiled::new(self, &[formula.0]).restrictions(of, found);
    }

    /// A formula with terms in the places of variables, all at once. That is the weakest precondition of assignments.
    /// Linear in the number of different parts of the formula.
    ///
    /// # Errors
    /// [`Halt`] if that is too much for the meter, or somebody wants to stop.
    pub fn substitute(
        &mut self,
        formula: Formula,
        assignments: &[(Variable, Term)],
        meter: &mut Meter<'_>,
    ) -> Result<Formula, Halt> {
        let mask = assignments.iter().fold(0, |mask, (variable, _)| mask | 1u64 << (variable.0 % 64));
        let cone = self.cone(&[formula.0], |id| self.mask(id) & mask != 0);
        let mut of: FxHashMap<u32, u32> = FxHashMap::default();
        for id in cone {
            meter.spend(16)?;
            let node = self.node(id).clone();
            let new = match &node {
                Node::Variable(variable) => {
                    assignments.iter().find(|(assigned, _)| assigned == variable).map_or(id, |(_, term)| term.0)
                }
                _ => {
                    if let Node::And(parts) = &node {
                        meter.spend(8 * parts.len() as u64)?;
                    }
                    let mut changed = false;
                    node.each_part(|part| changed |= of.get(&part).is_some_and(|new| *new != part));
                    if changed {
                        self.rebuild(&node.with_parts(|part| of.get(&part).copied().unwrap_or(part)))
                    } else {
                        id
                    }
                }
            };
            of.insert(id, new);
        }
        meter.hold(self.words())?;
        Ok(of.get(&formula.0).map_or(formula, |new| Formula(*new)))
    }

    /// What the constructor makes of a node.
    fn rebuild(&mut self, node: &Node) -> u32 {
        let formula = match node {
            Node::True => Formula::TRUE,
            Node::Not(part) => self.not(*part),
            Node::And(parts) => self.and(parts),
            Node::Equal(left, right) => self.equal(*left, *right),
            Node::Less(left, right) => self.less(*left, *right),
            Node::LessUnsigned(left, right) => self.less_unsigned(*left, *right),
            Node::Overflows(exact, left, right) => self.overflows(*exact, *left, *right),
            Node::Constant(value) => return self.constant(*value).0,
            Node::Variable(variable) => return self.variable(*variable).0,
            Node::Negate(part) => return self.unary(UnaryOperator::Negate, *part).0,
            Node::Complement(part) => return self.unary(UnaryOperator::Complement, *part).0,
            Node::Convert(to, part) => return self.unary(UnaryOperator::Convert(*to), *part).0,
            Node::Binary(operator, left, right) => return self.arithmetic(*operator, *left, *right).0,
            Node::Choose(condition, then, otherwise) => return self.choose(*condition, *then, *otherwise).0,
        };
        formula.0
    }
}

/// Formulas and terms made ready for many valuations: nodes in an order to compute in, whose parts are places in it.
pub(super) struct Compiled {
    pub(super) nodes: Vec<Node>,
    values: Vec<Value>,
}

impl Compiled {
    /// The last node is the last of the roots if that has the greatest id, as one root has.
    pub(super) fn new(store: &Store, roots: &[u32]) -> Self {
        let cone = store.cone(roots, |_| true);
        let place: FxHashMap<u32, u32> = cone.iter().copied().zip(0..).collect();
        let nodes: Vec<_> = cone.iter().map(|id| store.node(*id).with_parts(|part| place[&part])).collect();
        Self { values: vec![0; nodes.len()], nodes }
    }

    /// The value of the last node; 0 or 1 of a formula.
    pub(super) fn run(&mut self, of: impl Fn(Variable) -> Value) -> Value {
        for at in 0..self.nodes.len() {
            let values = &self.values;
            let value = |part: &Term| values[part.0 as usize];
            let holds = |part: &Formula| values[part.0 as usize] != 0;
            self.values[at] = match &self.nodes[at] {
                Node::True => 1,
                Node::Not(part) => Value::from(!holds(part)),
                Node::And(parts) => Value::from(parts.iter().all(holds)),
                Node::Equal(left, right) => Value::from(value(left) == value(right)),
                Node::Less(left, right) => Value::from(value(left) < value(right)),
                Node::LessUnsigned(left, right) => Value::from((value(left) as u64) < value(right) as u64),
                Node::Overflows(exact, left, right) => Value::from(exact.overflows(value(left), value(right))),
                Node::Constant(constant) => *constant,
                Node::Variable(variable) => of(*variable),
                Node::Negate(part) => value(part).wrapping_neg(),
                Node::Complement(part) => !value(part),
                Node::Convert(to, part) => to.convert(value(part)),
                Node::Binary(operator, left, right) => operator.apply(value(left), value(right)),
                Node::Choose(condition, then, otherwise) => value(if holds(condition) { then } else { otherwise }),
            };
        }
        self.values.last().copied().unwrap_or_default()
    }

    /// Where the value of the last node is if variables are where `of` says.
    pub(super) fn interval(&self, of: impl Fn(Variable) -> Interval) -> Interval {
        self.intervals(of).last().copied().unwrap_or(Interval::ALL)
    }

    fn intervals(&self, of: impl Fn(Variable) -> Interval) -> Vec<Interval> {
        let mut intervals: Vec<Interval> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let interval = match node {
                Node::Variable(variable) => of(*variable),
                _ => Interval::of_node(node, |part| intervals[part as usize]),
            };
            intervals.push(interval);
        }
        intervals
    }

    /// Calls `found` with what comparisons among the conjuncts of the last node leave to variables that are where `of` says.
    pub(super) fn restrictions(&self, of: impl Fn(Variable) -> Interval, mut found: impl FnMut(Variable, Interval)) {
        let intervals = self.intervals(of);
        let last = (self.nodes.len() as u32).saturating_sub(1);
        let conjuncts: &[Formula] = match self.nodes.last() {
            Some(Node::And(parts)) => parts,
            _ => &[Formula(last)],
        };
        let mut restrict = |term: Term, to: Interval| {
            if let Node::Variable(variable) = self.nodes[term.0 as usize] {
                found(variable, to);
            }
        };
        for part in conjuncts {
            let (atom, positive) = match self.nodes[part.0 as usize] {
                Node::Not(inner) => (inner, false),
                _ => (*part, true),
            };
            match self.nodes[atom.0 as usize] {
                Node::Equal(left, right) if positive => {
                    restrict(left, intervals[right.0 as usize]);
                    restrict(right, intervals[left.0 as usize]);
                }
                Node::Less(left, right) => {
                    let (left_in, right_in) = (intervals[left.0 as usize], intervals[right.0 as usize]);
                    if positive {
                        restrict(left, Interval::new(Value::MIN, right_in.high.saturating_sub(1)));
                        restrict(right, Interval::new(left_in.low.saturating_add(1), Value::MAX));
                    } else {
                        restrict(left, Interval::new(right_in.low, Value::MAX));
                        restrict(right, Interval::new(Value::MIN, left_in.high));
                    }
                }
                _ => {}
            }
        }
    }

    pub(super) fn variables(&self) -> impl Iterator<Item = Variable> + '_ {
        self.nodes.iter().filter_map(|node| match node {
            Node::Variable(variable) => Some(*variable),
            _ => None,
        })
    }
}
