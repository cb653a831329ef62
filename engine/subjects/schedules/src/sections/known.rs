//! Values that are known on a path, and which shared variables a step accesses then.

use super::order::Accesses;
use litmoscope_core::program::system::{System, Term, TransitionId, Variable};
use litmoscope_core::program::{BinaryOperator, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// The parts of a term that all hold if it does: those that are joined by `and` at its top.
pub(super) fn conjuncts(term: &Arc<Term>) -> Vec<&Arc<Term>> {
    let mut parts = Vec::new();
    let mut seen: FxHashSet<*const Term> = FxHashSet::default();
    let mut work = vec![term];
    while let Some(term) = work.pop() {
        if !seen.insert(Arc::as_ptr(term)) {
            continue;
        }
        match &**term {
            Term::Binary(BinaryOperator::And, left, right) => work.extend([right, left]),
            _ => parts.push(term),
        }
    }
    parts
}

/// What variables are, where that is known.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    values: FxHashMap<Variable, Value>,
}

/// What was computed of shared terms.
type Seen = FxHashMap<*const Term, Option<Value>>;

impl Known {
    /// Takes note of what a term says that holds.
    pub(super) fn learn(&mut self, term: &Arc<Term>) {
        for part in conjuncts(term) {
            if let Term::Binary(BinaryOperator::Equal, left, right) = &**part {
                match (&**left, &**right) {
                    (Term::Variable(variable), Term::Constant(value))
                    | (Term::Constant(value), Term::Variable(variable)) => {
                        self.values.insert(*variable, *value);
                    }
                    _ => {}
                }
            }
        }
    }

    fn value(&self, term: &Term, seen: &mut Seen) -> Option<Value> {
        let key = std::ptr::from_ref(term);
        if let Some(value) = seen.get(&key) {
            return *value;
        }
        let value = match term {
            Term::Constant(value) => Some(*value),
            Term::Variable(variable) => self.values.get(variable).copied(),
            Term::Input(_) => None,
            Term::Unary(operator, operand) => self.value(operand, seen).map(|value| operator.apply(value)),
            Term::Binary(operator, left, right) => {
                let (left, right) = (self.value(left, seen), self.value(right, seen));
                match (operator, left, right) {
                    (BinaryOperator::And, Some(0), _) | (BinaryOperator::And, _, Some(0)) => Some(0),
                    (BinaryOperator::Or, Some(value), _) | (BinaryOperator::Or, _, Some(value)) if value != 0 => {
                        Some(1)
                    }
                    (_, Some(left), Some(right)) => Some(operator.apply(left, right).unwrap_or_default()),
                    _ => None,
                }
            }
            Term::Defined(operator, left, right) => {
                let (left, right) = (self.value(left, seen), self.value(right, seen));
                left.zip(right).map(|(left, right)| Value::from(operator.apply(left, right).is_ok()))
            }
            Term::If(condition, then, otherwise) => match self.value(condition, seen) {
                Some(0) => self.value(otherwise, seen),
                Some(_) => self.value(then, seen),
                None => {
                    let then = self.value(then, seen);
                    then.filter(|then| self.value(otherwise, seen) == Some(*then))
                }
            },
        };
        seen.insert(key, value);
        value
    }

    /// What a step accesses, from where this is known; then, what is known behind it.
    pub(super) fn step(&mut self, system: &System, id: TransitionId) -> Accesses {
        let transition = system.transition(id);
        transition.guard.iter().filter(|term| !term.has_input()).for_each(|term| self.learn(term));
        let mut look = Look {
            known: self,
            shared: system.shared(),
            seen: Seen::default(),
            been: FxHashSet::default(),
            reads: Vec::new(),
        };
        transition.guard.iter().for_each(|term| look.reads_of(term));
        let mut writes = Vec::new();
        let mut values = Vec::new();
        for (variable, term) in &transition.assignments {
            let found = look.resolve(term);
            // What keeps its value is another element.
            let is_kept = matches!(&**found, Term::Variable(same) if same == variable);
            if !is_kept {
                look.reads_of(found);
                if (variable.0 as usize) < look.shared {
                    writes.push(*variable);
                }
                values.push((*variable, self.value(found, &mut look.seen)));
            }
        }
        let mut reads = look.reads;
        reads.sort_unstable();
        reads.dedup();
        transition.forgets.iter().for_each(|variable| _ = self.values.insert(*variable, 0));
        for (variable, value) in values {
            match value {
                Some(value) => self.values.insert(variable, value),
                None => self.values.remove(&variable),
            };
        }
        Accesses { reads, writes }
    }
}

struct Look<'k> {
    known: &'k Known,
    shared: usize,
    seen: Seen,
    /// Which terms' variables are among the reads already.
    been: FxHashSet<*const Term>,
    reads: Vec<Variable>,
}

impl Look<'_> {
    /// What a choice comes to, as far as its conditions are known.
    fn resolve<'t>(&mut self, term: &'t Arc<Term>) -> &'t Arc<Term> {
        let mut term = term;
        while let Term::If(condition, then, otherwise) = &**term {
            let Some(value) = self.known.value(condition, &mut self.seen) else { break };
            self.reads_of(condition);
            term = if value != 0 { then } else { otherwise };
        }
        term
    }

    fn reads_of(&mut self, term: &Arc<Term>) {
        let term = self.resolve(term);
        if !self.been.insert(Arc::as_ptr(term)) {
            return;
        }
        match &**term {
            Term::Variable(variable) if (variable.0 as usize) < self.shared => self.reads.push(*variable),
            Term::Constant(_) | Term::Variable(_) | Term::Input(_) => {}
            Term::Unary(_, operand) => self.reads_of(operand),
            Term::Binary(_, left, right) | Term::Defined(_, left, right) => {
                self.reads_of(left);
                self.reads_of(right);
            }
            Term::If(condition, then, otherwise) => {
                self.reads_of(condition);
                self.reads_of(then);
                self.reads_of(otherwise);
            }
        }
    }
}
