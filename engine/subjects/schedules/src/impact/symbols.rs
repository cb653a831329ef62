//! A transition system as formulas.

use crate::formula::{Formula, Interval, MOST_INPUTS, Store, Transition, Variable};
use litmoscope_core::program::Input;
use litmoscope_core::program::system::{System, TransitionId};
use rustc_hash::FxHashMap;

/// What a step is.
#[derive(Clone, Debug)]
pub(crate) struct Symbols {
    /// What holds at the start.
    pub(crate) initial: Formula,
    /// By transition.
    steps: Vec<Step>,
    /// By variable of the system: an interval in which its values are in all states that are reached.
    pub(crate) ranges: Vec<Interval>,
    /// By thread, by point: where the thread is enabled. `None` if it depends on an input of too many values.
    enabled: Vec<Vec<Option<Formula>>>,
}

/// A transition.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// Guard and assignments, over the variables of the system and, behind those, the inputs of the step.
    pub(crate) transition: Transition,
    /// The inputs that matter.
    pub(crate) inputs: Vec<(Variable, Input)>,
}

impl Symbols {
    pub(crate) fn of(system: &System, store: &mut Store) -> Self {
        let own = system.variables.len() as u32;
        store.name_addresses(system.addresses.iter().map(|(address, at)| (*address, Variable(at.0))));
        let input = |at: u32| Variable(own + at);
        let mut known = FxHashMap::default();
        let mut parts = Vec::new();
        for (at, value) in system.initial.iter().enumerate() {
            let variable = Variable(at as u32);
            let term = store.variable(variable);
            let chosen = system.inputs.iter().find(|(of, _)| of.0 as usize == at).map(|(_, input)| input.plain());
            parts.push(match chosen {
                None => {
                    let value = store.constant(*value);
                    store.equal(term, value)
                }
                Some(Input::Range(first, last)) => store.within(term, Interval::new(*first, *last)),
                Some(input) => {
                    let mut any = Vec::new();
                    for value in input.values() {
                        let value = store.constant(value);
                        any.push(store.equal(term, value));
                    }
                    store.or(&any)
                }
            });
        }
        for assumed in &system.assuming {
            let term = store.translate(assumed, &input, &mut known);
            parts.push(store.nonzero(term));
        }
        let initial = store.and(&parts);
        let mut steps = Vec::new();
        for transition in &system.transitions {
            // Inputs of different steps are different.
            known.clear();
            let mut guards = Vec::new();
            for guard in &transition.guard {
                let term = store.translate(guard, &input, &mut known);
                guards.push(store.nonzero(term));
            }
            let guard = store.and(&guards);
            let mut assignments = Vec::new();
            for (variable, term) in &transition.assignments {
                let term = store.translate(term, &input, &mut known);
                assignments.push((Variable(variable.0), term));
            }
            let mut mentioned = store.variables(guard);
            assignments.iter().for_each(|(_, term)| mentioned.extend(store.variables_of_term(*term)));
            let inputs = transition.inputs.iter().zip(0..).map(|(chosen, at)| (input(at), chosen.clone()));
            let inputs = inputs.filter(|(variable, _)| mentioned.contains(variable)).collect();
            steps.push(Step { transition: Transition { guard, assignments }, inputs });
        }
        let mut enabled = Vec::new();
        for thread in &system.threads {
            let mut of_thread = Vec::new();
            for point in &thread.points {
                of_thread.push(match point.may_block {
                    false => Some(store.truth(point.is_active())),
                    true => any_enabled(store, point.transitions.iter().map(|id| &steps[id.0 as usize])),
                });
            }
            enabled.push(of_thread);
        }
        let ranges = ranges(system, store, &steps);
        Self { initial, steps, ranges, enabled }
    }

    /// Has each step be possible only with inputs between the least and the greatest of those that it may be given, which nobody can tell
    /// as it is given no others. Returns by input between which values it is in any step.
    pub(crate) fn bound_inputs(&mut self, store: &mut Store) -> Vec<Interval> {
        let own = self.ranges.len() as u32;
        let mut ranges: Vec<Interval> = Vec::new();
        for step in &mut self.steps {
            for (variable, input) in &step.inputs {
                let at = (variable.0 - own) as usize;
                let range = all_of(input);
                let term = store.variable(*variable);
                let within = store.within(term, range);
                step.transition.guard = store.and(&[step.transition.guard, within]);
                while ranges.len() <= at {
                    ranges.push(Interval::new(0, 0));
                }
                ranges[at] = ranges[at].hull(range);
            }
        }
        ranges
    }

    /// Has no step leave ranges that hold the values of all states that are reached.
    pub(crate) fn bound(&mut self, store: &mut Store, ranges: Vec<Interval>) {
        for step in &mut self.steps {
            let mut guard = vec![step.transition.guard];
            for (variable, term) in &step.transition.assignments {
                guard.push(store.within(*term, ranges[variable.0 as usize]));
            }
            step.transition.guard = store.and(&guard);
        }
        self.ranges = ranges;
    }

    pub(crate) fn step(&self, transition: TransitionId) -> &Step {
        &self.steps[transition.0 as usize]
    }

    /// Where a thread is enabled at a point.
    pub(crate) fn enabled(&self, thread: usize, point: usize) -> Option<Formula> {
        self.enabled[thread][point]
    }
}

/// After how many rounds an interval that still grows is all values.
const ROUNDS: usize = 12;

/// Intervals that hold the values at the start, and those that steps assign to variables in these intervals: not by point, but for all.
fn ranges(system: &System, store: &Store, steps: &[Step]) -> Vec<Interval> {
    let mut ranges: Vec<Interval> = system.initial.iter().map(|value| Interval::new(*value, *value)).collect();
    for (variable, input) in &system.inputs {
        let range = &mut ranges[variable.0 as usize];
        *range = range.hull(all_of(input));
    }
    for variable in system.transitions.iter().flat_map(|transition| &transition.forgets) {
        let range = &mut ranges[variable.0 as usize];
        *range = range.hull(Interval::new(0, 0));
    }
    for round in 0.. {
        let mut changed = false;
        for step in steps {
            let before = |variable: Variable| {
                let input = step.inputs.iter().find(|(input, _)| *input == variable);
                let own = ranges.get(variable.0 as usize).copied();
                own.or(input.map(|(_, input)| all_of(input))).unwrap_or(Interval::ALL)
            };
            let mut here: FxHashMap<Variable, Interval> = FxHashMap::default();
            store.restrictions(step.transition.guard, before, |variable, to| {
                let known = here.entry(variable).or_insert_with(|| before(variable));
                *known = known.intersection(to);
            });
            if here.values().any(|range| range.is_empty()) {
                continue;
            }
            let within = |variable: Variable| here.get(&variable).copied().unwrap_or_else(|| before(variable));
            let assigned = step.transition.assignments.iter();
            let assigned: Vec<_> =
                assigned.map(|(variable, term)| (*variable, store.interval_within(*term, within))).collect();
            for (variable, to) in assigned {
                let range = &mut ranges[variable.0 as usize];
                if !range.includes(to) {
                    *range = if round < ROUNDS { range.hull(to) } else { Interval::ALL };
                    changed = true;
                }
            }
        }
        if !changed {
            break;
        }
    }
    ranges
}

/// From the least of an input's values to the greatest.
fn all_of(input: &Input) -> Interval {
    match input.plain() {
        Input::Range(first, last) => Interval::new(*first, *last),
        input => {
            let (least, greatest) = (input.values().min(), input.values().max());
            least.zip(greatest).map_or(Interval::ALL, |(least, greatest)| Interval::new(least, greatest))
        }
    }
}

/// Where one of some steps can be taken, for some values of its inputs.
fn any_enabled<'s>(store: &mut Store, steps: impl Iterator<Item = &'s Step>) -> Option<Formula> {
    let mut any = Vec::new();
    for step in steps {
        let mut cases = vec![step.transition.guard];
        for (variable, input) in &step.inputs {
            let mentioned = cases.iter().any(|case| store.variables(*case).contains(variable));
            if !mentioned {
                continue;
            }
            if input.count() > MOST_INPUTS as u128 {
                return None;
            }
            let mut each = Vec::new();
            for case in cases {
                for value in input.values() {
                    each.push(store.with_value(case, *variable, value)?);
                }
            }
            cases = each;
        }
        any.extend(cases);
    }
    Some(store.or(&any))
}
