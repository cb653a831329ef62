//! Which values variables may hold at all, as far as that is easily found out.

use litmoscope_core::program::system::{State, System, Term, Variable};
use litmoscope_core::program::{BinaryOperator, Value};
use rustc_hash::FxHashMap;

/// How many values of a variable are told apart. With more it may hold any.
const MAX_VALUES: usize = 8;

/// Some values, ascending; `None` for all that there are.
type Set = Option<Vec<Value>>;

/// By variable: the values that it may hold, wherever threads are. Others it never holds.
#[derive(Clone, Debug)]
pub(super) struct Values(Vec<Set>);

fn join(into: &mut Set, other: &Set) -> bool {
    let (Some(own), Some(others)) = (into.as_mut(), other) else {
        let changed = into.is_some();
        *into = None;
        return changed;
    };
    let before = own.len();
    for value in others {
        if let Err(at) = own.binary_search(value) {
            own.insert(at, *value);
        }
    }
    let changed = own.len() > before;
    if own.len() > MAX_VALUES {
        *into = None;
    }
    changed
}

fn some(values: impl IntoIterator<Item = Value>) -> Set {
    let mut set = Some(Vec::new());
    for value in values {
        join(&mut set, &Some(vec![value]));
        set.as_ref()?;
    }
    set
}

impl Values {
    /// Of a system with its states at the start. Each variable's values grow a few times at most, and each time all transitions are looked
    /// at.
    pub(super) fn of(system: &System, starts: &[State]) -> Self {
        let all = (0..system.variables.len()).map(|at| some(starts.iter().map(|state| state.values[at])));
        let mut this = Self(all.collect());
        loop {
            let mut changed = false;
            for transition in &system.transitions {
                let inputs: Vec<Set> = transition
                    .inputs
                    .iter()
                    .map(|input| if input.count() > MAX_VALUES as u128 { None } else { some(input.values()) })
                    .collect();
                let mut seen = FxHashMap::default();
                for (variable, term) in &transition.assignments {
                    let values = this.within(term, &inputs, &mut seen);
                    // What was computed of it may be larger now.
                    if join(&mut this.0[variable.0 as usize], &values) {
                        changed = true;
                        seen.clear();
                    }
                }
                for variable in &transition.forgets {
                    changed |= join(&mut this.0[variable.0 as usize], &Some(vec![0]));
                }
            }
            if !changed {
                return this;
            }
        }
    }

    /// Whether a term may be true, not 0, in some state. Inputs of the step may be any.
    pub(super) fn may_hold(&self, term: &Term) -> bool {
        let any = self.within(term, &[], &mut FxHashMap::default());
        any.is_none_or(|values| values.iter().any(|value| *value != 0))
    }

    fn within(&self, term: &Term, inputs: &[Set], seen: &mut FxHashMap<*const Term, Set>) -> Set {
        match term {
            Term::Constant(value) => return Some(vec![*value]),
            Term::Variable(Variable(at)) => return self.0[*at as usize].clone(),
            Term::Input(at) => return inputs.get(*at as usize).cloned().flatten(),
            _ => {}
        }
        if let Some(known) = seen.get(&std::ptr::from_ref(term)) {
            return known.clone();
        }
        let found = match term {
            Term::Unary(operator, operand) => {
                let values = self.within(operand, inputs, seen);
                values.and_then(|values| some(values.into_iter().map(|value| operator.apply(value))))
            }
            Term::Binary(operator, left, right) => {
                let apply = |left, right| operator.apply(left, right).unwrap_or_default();
                match (self.within(left, inputs, seen), self.within(right, inputs, seen)) {
                    (Some(left), Some(right)) => product(&left, &right, apply),
                    // A truth is one of two.
                    _ if is_truth(*operator) => Some(vec![0, 1]),
                    _ => None,
                }
            }
            Term::Defined(operator, left, right) => {
                let apply = |left, right| Value::from(operator.apply(left, right).is_ok());
                match (self.within(left, inputs, seen), self.within(right, inputs, seen)) {
                    (Some(left), Some(right)) => product(&left, &right, apply),
                    _ => Some(vec![0, 1]),
                }
            }
            Term::If(condition, then, otherwise) => {
                let condition = self.within(condition, inputs, seen);
                let holds = condition.as_ref().is_none_or(|values| values.iter().any(|value| *value != 0));
                let fails = condition.as_ref().is_none_or(|values| values.contains(&0));
                let mut values = Some(Vec::new());
                for (_, branch) in [(holds, then), (fails, otherwise)].into_iter().filter(|(may_be, _)| *may_be) {
                    join(&mut values, &self.within(branch, inputs, seen));
                }
                values
            }
            Term::Constant(_) | Term::Variable(_) | Term::Input(_) => None,
        };
        seen.insert(std::ptr::from_ref(term), found.clone());
        found
    }
}

fn product(left: &[Value], right: &[Value], apply: impl Fn(Value, Value) -> Value) -> Set {
    some(left.iter().flat_map(|left| right.iter().map(|right| apply(*left, *right)).collect::<Vec<_>>()))
}

fn is_truth(operator: BinaryOperator) -> bool {
    use BinaryOperator as B;
    matches!(
        operator.untyped(),
        B::Equal | B::NotEqual | B::Less | B::LessOrEqual | B::Greater | B::GreaterOrEqual | B::And | B::Or
    )
}
