//! Which single place a step accesses, if it is one.

use super::names::Called;
use litmoscope_core::program::BinaryOperator;
use litmoscope_core::program::system::{System, Term, Variable};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// A place in memory.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cell {
    /// This one.
    One(Variable),
    /// The element of an array, by its field, with this index.
    Element(usize, Arc<Term>),
    /// The first one whose condition holds, or else the last one.
    Choice(Vec<(Arc<Term>, Variable)>, Variable),
}

/// The variables that a cell may be.
pub(super) fn variables(called: &Called, cell: &Cell) -> Vec<Variable> {
    match cell {
        Cell::One(variable) => vec![*variable],
        Cell::Element(field, _) => {
            let field = &called.fields[*field];
            (0..field.length.unwrap_or(1) as u32).map(|offset| Variable(field.first.0 + offset)).collect()
        }
        Cell::Choice(ways, last) => ways.iter().map(|(_, variable)| *variable).chain([*last]).collect(),
    }
}

/// Makes an index of conditions, where they are one.
fn choice(called: &Called, ways: Vec<(Arc<Term>, Variable)>, last: Variable) -> Cell {
    let Some((_, first)) = ways.first() else { return Cell::One(last) };
    let (field, _) = called.places[first.0 as usize];
    let whole = called.fields[field].length.unwrap_or(1);
    let mut index: Option<&Arc<Term>> = None;
    let mut is_index = ways.len() + 1 == whole && called.places[last.0 as usize] == (field, whole - 1);
    for (offset, (condition, variable)) in ways.iter().enumerate() {
        let Term::Binary(BinaryOperator::Equal, left, right) = &**condition else {
            is_index = false;
            break;
        };
        is_index = is_index
            && right.known() == Some(offset as i64)
            && called.places[variable.0 as usize] == (field, offset)
            && index.is_none_or(|index| index == left);
        index = Some(left);
    }
    match index {
        Some(index) if is_index => Cell::Element(field, index.clone()),
        _ => Cell::Choice(ways, last),
    }
}

/// The cell whose value a term is, if it is nothing else.
pub(super) fn cell(system: &System, called: &Called, term: &Term) -> Option<Cell> {
    let is_shared = |variable: &Variable| (variable.0 as usize) < system.shared();
    let mut ways = Vec::new();
    let mut term = term;
    loop {
        match term {
            Term::Variable(variable) if is_shared(variable) => return Some(choice(called, ways, *variable)),
            Term::If(condition, then, otherwise) => {
                let Term::Variable(variable) = &**then else { return None };
                if !is_shared(variable) || crate::native::has_shared(system, condition) {
                    return None;
                }
                ways.push((condition.clone(), *variable));
                term = otherwise;
            }
            _ => return None,
        }
    }
}

/// The cells in terms, each once.
pub(super) struct Cells<'a> {
    pub(super) system: &'a System,
    pub(super) called: &'a Called,
    pub(super) found: Vec<Cell>,
    seen: FxHashSet<*const Term>,
}

impl<'a> Cells<'a> {
    pub(super) fn new(system: &'a System, called: &'a Called) -> Self {
        Self { system, called, found: Vec::new(), seen: FxHashSet::default() }
    }

    pub(super) fn add(&mut self, term: &Arc<Term>) {
        if !self.seen.insert(Arc::as_ptr(term)) {
            return;
        }
        if let Some(cell) = cell(self.system, self.called, term) {
            if !self.found.contains(&cell) {
                self.found.push(cell);
            }
            return;
        }
        match &**term {
            Term::Constant(_) | Term::Variable(_) | Term::Input(_) => {}
            Term::Unary(_, operand) => self.add(operand),
            Term::Binary(_, left, right) | Term::Defined(_, left, right) => {
                [left, right].into_iter().for_each(|part| self.add(part))
            }
            Term::If(condition, then, otherwise) => {
                [condition, then, otherwise].into_iter().for_each(|part| self.add(part))
            }
        }
    }
}

/// Assignments to shared variables as one write to a cell, if they are one.
pub(super) fn written(called: &Called, assignments: &[&(Variable, Arc<Term>)]) -> Option<(Cell, Arc<Term>)> {
    if let [(variable, term)] = assignments {
        return Some((Cell::One(*variable), term.clone()));
    }
    let mut ways = Vec::new();
    let mut value: Option<&Arc<Term>> = None;
    for (variable, term) in assignments {
        let Term::If(condition, then, otherwise) = &**term else { return None };
        if **otherwise != Term::Variable(*variable) || value.is_some_and(|value| value != then) {
            return None;
        }
        value = Some(then);
        ways.push((condition.clone(), *variable));
    }
    let (_, last) = ways.last().cloned()?;
    let has_last = matches!(&*ways.last()?.0, Term::Binary(BinaryOperator::Equal, _, right) if right.known() == Some(ways.len() as i64 - 1));
    let is_same = ways.windows(2).all(|pair| match (&*pair[0].0, &*pair[1].0) {
        (Term::Binary(_, one, _), Term::Binary(_, other, _)) => one == other,
        _ => false,
    });
    ways.pop();
    match choice(called, ways, last) {
        cell @ Cell::Element(..) if has_last && is_same => Some((cell, value?.clone())),
        // Where no condition holds, nothing is written.
        _ => None,
    }
}
