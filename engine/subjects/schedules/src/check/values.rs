//! Whether one term follows from another, by trying the values of their variables.

use litmoscope_core::program::system::{StateError, States, System, Term, Transition, TransitionId};
use litmoscope_core::program::{BinaryOperator, Input, Value};

/// Values for which something does not follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// By variable.
    pub values: Vec<Value>,
    /// By input of the transition; empty if none is asked about.
    pub inputs: Vec<Value>,
}

/// It is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there are too many values to try whether one thing follows from another")]
pub struct Unknown;

/// `None` if it follows, else values for which it does not.
pub type Answer = Result<Option<Witness>, Unknown>;

/// Who says what follows from what. A term holds if it is not 0.
pub trait Implications {
    /// Whether a conclusion holds of all initial states.
    ///
    /// # Errors
    /// [`Unknown`], as of all of these.
    fn starts(&mut self, system: &System, conclusion: &Term) -> Answer;

    /// Whether a conclusion holds wherever a premise does.
    ///
    /// # Errors
    /// [`Unknown`].
    fn implies(&mut self, system: &System, premise: &Term, conclusion: &Term) -> Answer;

    /// Whether a conclusion holds behind each step by a transition from where a premise holds.
    ///
    /// # Errors
    /// [`Unknown`].
    fn keeps(&mut self, system: &System, premise: &Term, transition: TransitionId, conclusion: &Term) -> Answer;

    /// Whether, wherever a premise holds, one of some transitions can be taken with some inputs.
    ///
    /// # Errors
    /// [`Unknown`].
    fn enables(&mut self, system: &System, premise: &Term, transitions: &[TransitionId]) -> Answer;
}

/// Tries values from a range for each variable. What lies outside is not looked at, so an answer is about runs that stay inside: all
/// runs do if the ranges are those of all states ([`Ranges::of`]).
///
/// It chooses one variable after the other, of those that matter alone, and looks at each choice at once: exponential in their number at worst.
#[derive(Clone, Debug)]
pub struct Ranges {
    /// By variable: its values.
    pub values: Vec<Vec<Value>>,
    /// How many choices may be looked at for one question.
    pub limit: u64,
}

impl Ranges {
    /// The values that variables have in some states.
    pub fn of(system: &System, states: &States, limit: u64) -> Self {
        let values = (0..system.variables.len()).map(|variable| {
            let mut values: Vec<Value> = states.states.iter().map(|state| state.values[variable]).collect();
            values.sort_unstable();
            values.dedup();
            values
        });
        Self { values: values.collect(), limit }
    }
}

/// What is chosen so far.
struct Chosen {
    values: Vec<Option<Value>>,
    inputs: Vec<Option<Value>>,
}

/// What is chosen next.
enum Slot<'a> {
    Variable(usize, &'a [Value]),
    Input(usize, &'a Input),
}

/// Adds the variables of a term, each once.
fn variables(term: &Term, all: &mut Vec<usize>) {
    term.each_variable(&mut |variable| {
        let variable = variable.0 as usize;
        if !all.contains(&variable) {
            all.push(variable);
        }
    });
}

impl Ranges {
    fn slots<'s>(&'s self, variables: &[usize]) -> Vec<Slot<'s>> {
        let range = |variable: &usize| {
            Slot::Variable(*variable, self.values.get(*variable).map(Vec::as_slice).unwrap_or_default())
        };
        variables.iter().map(range).collect()
    }

    /// Values for which `fails` is true, which may tell before all are chosen.
    fn search(&self, system: &System, slots: &[Slot<'_>], fails: &dyn Fn(&Chosen) -> Option<bool>) -> Answer {
        let inputs = slots.iter().filter(|slot| matches!(slot, Slot::Input(..))).count();
        let mut chosen = Chosen { values: vec![None; system.variables.len()], inputs: vec![None; inputs] };
        let mut left = self.limit;
        self.choose(slots, &mut chosen, fails, &mut left)
    }

    fn choose(
        &self,
        slots: &[Slot<'_>],
        chosen: &mut Chosen,
        fails: &dyn Fn(&Chosen) -> Option<bool>,
        left: &mut u64,
    ) -> Answer {
        *left = left.checked_sub(1).ok_or(Unknown)?;
        match (fails(chosen), slots) {
            (Some(false), _) | (None, []) => Ok(None),
            (Some(true), _) => {
                // What does not matter is anything.
                let any = |(variable, value): (usize, &Option<Value>)| {
                    value.or_else(|| self.values.get(variable)?.first().copied()).unwrap_or_default()
                };
                let values = chosen.values.iter().enumerate().map(any).collect();
                let mut inputs: Vec<Value> = chosen.inputs.iter().map(|value| value.unwrap_or_default()).collect();
                for slot in slots {
                    if let Slot::Input(at, input) = slot {
                        inputs[*at] = input.values().next().unwrap_or_default();
                    }
                }
                Ok(Some(Witness { values, inputs }))
            }
            (None, [Slot::Variable(at, values), rest @ ..]) => {
                for value in *values {
                    chosen.values[*at] = Some(*value);
                    if let Some(witness) = self.choose(rest, chosen, fails, left)? {
                        return Ok(Some(witness));
                    }
                }
                chosen.values[*at] = None;
                Ok(None)
            }
            (None, [Slot::Input(at, input), rest @ ..]) => {
                for value in input.values() {
                    chosen.inputs[*at] = Some(value);
                    if let Some(witness) = self.choose(rest, chosen, fails, left)? {
                        return Ok(Some(witness));
                    }
                }
                chosen.inputs[*at] = None;
                Ok(None)
            }
        }
    }
}

impl Implications for Ranges {
    fn starts(&mut self, system: &System, conclusion: &Term) -> Answer {
        let states = system.initial_states().map_err(|_: StateError| Unknown)?;
        let fails = states.into_iter().find(|state| conclusion.evaluate(&state.values, &[]) == 0);
        Ok(fails.map(|state| Witness { values: state.values.to_vec(), inputs: Vec::new() }))
    }

    fn implies(&mut self, system: &System, premise: &Term, conclusion: &Term) -> Answer {
        let mut all = Vec::new();
        variables(premise, &mut all);
        variables(conclusion, &mut all);
        let slots = self.slots(&all);
        self.search(system, &slots, &|chosen| {
            let holds = holds(premise, &chosen.values, &[]);
            both(holds, || fails(conclusion, &chosen.values, &[]))
        })
    }

    fn keeps(&mut self, system: &System, premise: &Term, transition: TransitionId, conclusion: &Term) -> Answer {
        let transition = system.transition(transition);
        let mut all = Vec::new();
        variables(premise, &mut all);
        transition.guard.iter().for_each(|term| variables(term, &mut all));
        let mut behind = Vec::new();
        variables(conclusion, &mut behind);
        for &variable in &behind {
            match assigned(transition, variable) {
                Some(term) => variables(term, &mut all),
                None if forgets(transition, variable) => {}
                None if all.contains(&variable) => {}
                None => all.push(variable),
            }
        }
        let mut slots = self.slots(&all);
        slots.extend(transition.inputs.iter().enumerate().map(|(at, input)| Slot::Input(at, input)));
        self.search(system, &slots, &|chosen| {
            let Chosen { values, inputs } = chosen;
            let guard = transition.guard.iter().map(|term| holds(term, values, inputs));
            let holds = std::iter::once(holds(premise, values, inputs)).chain(guard);
            let holds = all_of(holds);
            both(holds, || {
                let mut next = values.clone();
                for &variable in &behind {
                    next[variable] = match assigned(transition, variable) {
                        Some(term) => partial(term, values, inputs),
                        None if forgets(transition, variable) => Some(0),
                        None => values[variable],
                    };
                }
                fails(conclusion, &next, &[])
            })
        })
    }

    fn enables(&mut self, system: &System, premise: &Term, transitions: &[TransitionId]) -> Answer {
        let mut all = Vec::new();
        variables(premise, &mut all);
        let mut ways: Vec<(&Transition, Vec<Vec<Option<Value>>>)> = Vec::new();
        for &transition in transitions {
            let transition = system.transition(transition);
            transition.guard.iter().for_each(|term| variables(term, &mut all));
            let mut combinations: Vec<Vec<Option<Value>>> = vec![Vec::new()];
            let count = transition.inputs.iter().fold(1_u128, |count, input| count.saturating_mul(input.count()));
            if count > u128::from(self.limit) {
                return Err(Unknown);
            }
            for input in &transition.inputs {
                let longer = |chosen: Vec<Option<Value>>| {
                    input.values().map(move |value| chosen.iter().copied().chain([Some(value)]).collect())
                };
                combinations = combinations.into_iter().flat_map(longer).collect();
            }
            ways.push((transition, combinations));
        }
        let slots = self.slots(&all);
        self.search(system, &slots, &|chosen| {
            both(holds(premise, &chosen.values, &[]), || {
                let taken = ways.iter().flat_map(|(transition, combinations)| {
                    combinations.iter().map(|inputs| {
                        let guard = transition.guard.iter().map(|term| holds(term, &chosen.values, inputs));
                        all_of(guard)
                    })
                });
                all_of(taken.map(|one| one.map(|is_taken| !is_taken)))
            })
        })
    }
}

fn assigned(transition: &Transition, variable: usize) -> Option<&Term> {
    let assignments = &transition.assignments;
    let found = assignments.binary_search_by_key(&variable, |(variable, _)| variable.0 as usize);
    found.ok().map(|at| &*assignments[at].1)
}

fn forgets(transition: &Transition, variable: usize) -> bool {
    transition.forgets.iter().any(|forgotten| forgotten.0 as usize == variable)
}

/// Whether both are true, as far as one knows.
fn both(left: Option<bool>, right: impl FnOnce() -> Option<bool>) -> Option<bool> {
    match left {
        Some(false) => Some(false),
        Some(true) => right(),
        None => match right() {
            Some(false) => Some(false),
            _ => None,
        },
    }
}

/// Whether all are true, as far as one knows.
fn all_of(parts: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut all = Some(true);
    for part in parts {
        match part {
            Some(true) => {}
            Some(false) => return Some(false),
            None => all = None,
        }
    }
    all
}

fn holds(term: &Term, values: &[Option<Value>], inputs: &[Option<Value>]) -> Option<bool> {
    partial(term, values, inputs).map(|value| value != 0)
}

fn fails(term: &Term, values: &[Option<Value>], inputs: &[Option<Value>]) -> Option<bool> {
    partial(term, values, inputs).map(|value| value == 0)
}

/// The value of a term, if what is known of its variables tells.
fn partial(term: &Term, values: &[Option<Value>], inputs: &[Option<Value>]) -> Option<Value> {
    let known = |term: &Term| partial(term, values, inputs);
    match term {
        Term::Constant(value) => Some(*value),
        Term::Variable(variable) => values.get(variable.0 as usize).copied().flatten(),
        Term::Input(at) => inputs.get(*at as usize).copied().flatten(),
        Term::Unary(operator, operand) => Some(operator.apply(known(operand)?)),
        Term::Binary(BinaryOperator::And, left, right) => match known(left) {
            Some(0) => Some(0),
            Some(_) => known(right).map(|right| Value::from(right != 0)),
            None => (known(right)? == 0).then_some(0),
        },
        Term::Binary(BinaryOperator::Or, left, right) => match known(left) {
            Some(0) => known(right).map(|right| Value::from(right != 0)),
            Some(_) => Some(1),
            None => (known(right)? != 0).then_some(1),
        },
        Term::Binary(operator, left, right) => Some(operator.apply(known(left)?, known(right)?).unwrap_or_default()),
        Term::Defined(operator, left, right) => Some(Value::from(operator.apply(known(left)?, known(right)?).is_ok())),
        Term::If(condition, then, otherwise) => match known(condition) {
            Some(0) => known(otherwise),
            Some(_) => known(then),
            None => known(then).filter(|value| known(otherwise) == Some(*value)),
        },
    }
}
