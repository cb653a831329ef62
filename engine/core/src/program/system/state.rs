//! Concrete states: the oracle of whoever reasons about sets of them.

use super::{PointId, System, TransitionId};
use crate::budget::{Budget, Paused};
use crate::program::Value;
use rustc_hash::FxHashMap;

/// How many values inputs may have together where each is tried.
const MAX_INPUTS: u128 = 1 << 16;

/// A state of a system.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State {
    /// Where each thread is.
    pub points: Box<[PointId]>,
    /// The values of the variables. Registers that do not matter are 0.
    pub values: Box<[Value]>,
}

/// A step from a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Successor {
    /// What is done.
    pub transition: TransitionId,
    /// The values of its inputs.
    pub inputs: Box<[Value]>,
    /// Where that leads.
    pub state: State,
}

/// Why states are not listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StateError {
    /// Inputs have too many values.
    #[error("the inputs have {0} values together, more than {MAX_INPUTS}: too many to try each")]
    TooManyInputs(u128),
    /// There are too many states.
    #[error("there are more than {0} states")]
    TooManyStates(usize),
}

/// All combinations of the values of some inputs, the last one changing fastest.
fn combinations(inputs: &[&crate::program::Input]) -> Result<Vec<Box<[Value]>>, StateError> {
    let count = inputs.iter().fold(1u128, |count, input| count.saturating_mul(input.count()));
    if count > MAX_INPUTS {
        return Err(StateError::TooManyInputs(count));
    }
    let mut all: Vec<Vec<Value>> = vec![Vec::new()];
    for input in inputs {
        all = all
            .into_iter()
            .flat_map(|chosen| input.values().map(move |value| chosen.iter().copied().chain([value]).collect()))
            .collect();
    }
    Ok(all.into_iter().map(Into::into).collect())
}

impl System {
    /// The states at the start: one for each combination of inputs for which all holds that is assumed.
    ///
    /// # Errors
    /// [`StateError::TooManyInputs`].
    pub fn initial_states(&self) -> Result<Vec<State>, StateError> {
        let inputs: Vec<_> = self.inputs.iter().map(|(_, input)| input).collect();
        let points: Box<[PointId]> = self.threads.iter().map(|thread| thread.start).collect();
        let mut states = Vec::new();
        for chosen in combinations(&inputs)? {
            let mut values: Box<[Value]> = self.initial.as_slice().into();
            for ((variable, _), value) in self.inputs.iter().zip(&chosen) {
                values[variable.0 as usize] = *value;
            }
            if self.assuming.iter().all(|term| term.evaluate(&values, &[]) != 0) {
                states.push(State { points: points.clone(), values });
            }
        }
        Ok(states)
    }

    /// The state in which all threads are where they start, with these values; `None` if there are more or fewer values than variables.
    pub fn state(&self, values: &[Value]) -> Option<State> {
        let points = self.threads.iter().map(|thread| thread.start).collect();
        (values.len() == self.variables.len()).then(|| State { points, values: values.into() })
    }

    /// Whether a thread went wrong.
    pub fn is_error(&self, state: &State) -> bool {
        state.points.iter().enumerate().any(|(thread, point)| self.point(thread, *point).is_error())
    }

    /// Whether some thread is active. None is where a thread went wrong.
    pub fn is_active(&self, state: &State) -> bool {
        !self.is_error(state)
            && state.points.iter().enumerate().any(|(thread, point)| self.point(thread, *point).is_active())
    }

    /// The steps of a thread from a state; none from where a thread went wrong.
    ///
    /// # Errors
    /// [`StateError::TooManyInputs`].
    pub fn successors(&self, state: &State, thread: usize) -> Result<Vec<Successor>, StateError> {
        let mut found = Vec::new();
        if self.is_error(state) {
            return Ok(found);
        }
        for &id in &self.point(thread, state.points[thread]).transitions {
            let transition = self.transition(id);
            let early = transition.guard.iter().take_while(|term| !term.has_input());
            if !early.clone().all(|term| term.evaluate(&state.values, &[]) != 0) {
                continue;
            }
            let inputs: Vec<_> = transition.inputs.iter().collect();
            for chosen in combinations(&inputs)? {
                if !transition.guard.iter().all(|term| term.evaluate(&state.values, &chosen) != 0) {
                    continue;
                }
                let mut next = state.clone();
                next.points[thread] = transition.to;
                for variable in &transition.forgets {
                    next.values[variable.0 as usize] = 0;
                }
                for (variable, term) in &transition.assignments {
                    next.values[variable.0 as usize] = term.evaluate(&state.values, &chosen);
                }
                found.push(Successor { transition: id, inputs: chosen, state: next });
            }
        }
        Ok(found)
    }
}

/// How a state was reached first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reached {
    /// From which state, an index into [`States::states`].
    pub from: usize,
    /// By what.
    pub transition: TransitionId,
    /// With which inputs.
    pub inputs: Box<[Value]>,
}

/// All states of a system that it gets to, breadth first.
#[derive(Clone, Debug, Default)]
pub struct States {
    /// The states, the initial ones first.
    pub states: Vec<State>,
    /// How each was reached first; `None` for initial ones.
    pub reached: Vec<Option<Reached>>,
    /// By state: its steps, as the transition and the state that it leads to, an index into `states`. Several inputs of one transition that
    /// lead to the same state are one step.
    pub steps: Vec<Vec<(TransitionId, usize)>>,
    /// By state: the steps of how many threads are enabled.
    pub enabled: Vec<u32>,
    index: FxHashMap<State, usize>,
}

impl States {
    /// Explores a system.
    ///
    /// # Errors
    /// [`StateError`] for too many inputs, or more than `limit` states.
    pub fn of(system: &System, limit: usize) -> Result<Self, StateError> {
        let mut this = Self::start(system)?;
        match this.go_on(system, limit, &mut Budget::unlimited()) {
            Ok(result) => result.map(|()| this),
            Err(Paused) => Err(StateError::TooManyStates(limit)),
        }
    }

    /// The initial states alone.
    ///
    /// # Errors
    /// [`StateError::TooManyInputs`].
    pub fn start(system: &System) -> Result<Self, StateError> {
        let mut this = Self::default();
        for state in system.initial_states()? {
            this.add(state, None);
        }
        Ok(this)
    }

    fn add(&mut self, state: State, reached: Option<Reached>) -> usize {
        if let Some(at) = self.index.get(&state) {
            return *at;
        }
        let at = self.states.len();
        self.index.insert(state.clone(), at);
        self.states.push(state);
        self.reached.push(reached);
        at
    }

    /// Explores on, from where it was paused.
    ///
    /// # Errors
    /// [`Paused`] by the budget; [`StateError`] as [`Self::of`].
    pub fn go_on(
        &mut self,
        system: &System,
        limit: usize,
        budget: &mut Budget,
    ) -> Result<Result<(), StateError>, Paused> {
        while self.steps.len() < self.states.len() {
            budget.count(1)?;
            let at = self.steps.len();
            let state = self.states[at].clone();
            let (mut steps, mut enabled) = (Vec::new(), 0);
            for thread in 0..system.threads.len() {
                let successors = match system.successors(&state, thread) {
                    Ok(successors) => successors,
                    Err(error) => return Ok(Err(error)),
                };
                enabled += u32::from(!successors.is_empty());
                for Successor { transition, inputs, state } in successors {
                    let to = self.add(state, Some(Reached { from: at, transition, inputs }));
                    if !steps.contains(&(transition, to)) {
                        steps.push((transition, to));
                    }
                }
            }
            if self.states.len() > limit {
                return Ok(Err(StateError::TooManyStates(limit)));
            }
            self.steps.push(steps);
            self.enabled.push(enabled);
        }
        Ok(Ok(()))
    }

    /// The place of a state, if it is one of these.
    pub fn find(&self, state: &State) -> Option<usize> {
        self.index.get(state).copied()
    }

    /// How many steps there are.
    pub fn transitions(&self) -> usize {
        self.steps.iter().map(Vec::len).sum()
    }

    /// The states in which a thread went wrong.
    pub fn errors(&self, system: &System) -> Vec<usize> {
        (0..self.states.len()).filter(|&at| system.is_error(&self.states[at])).collect()
    }

    /// The states in which some thread is active and none is enabled.
    pub fn deadlocks(&self, system: &System) -> Vec<usize> {
        (0..self.enabled.len()).filter(|&at| self.enabled[at] == 0 && system.is_active(&self.states[at])).collect()
    }

    /// A shortest way to a state: the initial state, and the steps.
    pub fn way_to(&self, state: usize) -> (usize, Vec<&Reached>) {
        let mut way = Vec::new();
        let mut at = state;
        while let Some(reached) = &self.reached[at] {
            way.push(reached);
            at = reached.from;
        }
        way.reverse();
        (at, way)
    }
}
