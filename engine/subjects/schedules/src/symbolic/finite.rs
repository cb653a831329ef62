//! The steps of a finite program: what each thread may do next in a state, and what that accesses.

use super::values::Values;
use super::{Interrupt, SymbolicError};
use litmoscope_core::program::system::{
    Holds, PointKind, State, Successor, System, SystemAccess, Term, Transition, TransitionId, Variable,
};
use litmoscope_core::program::{BinaryOperator, Value};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// How much is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most events of a run. A program with a longer one counts as one that does not end.
    pub events: usize,
    /// The most initial states.
    pub starts: usize,
    /// The most configurations that a count keeps at a time: a state, and how many events each thread has executed.
    pub configurations: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { events: 2_000, starts: 256, configurations: 1 << 20 }
    }
}

/// An event: which one of its thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct Event {
    /// The thread, an index into [`System::threads`].
    pub thread: u16,
    /// How many events its thread has executed before.
    pub index: u32,
}

/// The shared variables that an event may access, as its thread's local state fixes them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Footprint {
    /// What it may read, ascending.
    pub reads: Vec<Variable>,
    /// What it may write, ascending.
    pub writes: Vec<Variable>,
}

impl Footprint {
    /// Whether events of two threads commute: neither may write what the other may read or write.
    pub fn is_independent(&self, other: &Self) -> bool {
        let meet = |one: &[Variable], others: &[Variable]| one.iter().any(|at| others.binary_search(at).is_ok());
        !meet(&self.writes, &other.writes) && !meet(&self.writes, &other.reads) && !meet(&self.reads, &other.writes)
    }

    pub(super) fn of(accesses: impl IntoIterator<Item = (Variable, bool)>) -> Self {
        let mut this = Self::default();
        for (variable, writes) in accesses {
            if writes { &mut this.writes } else { &mut this.reads }.push(variable);
        }
        for variables in [&mut this.reads, &mut this.writes] {
            variables.sort_unstable();
            variables.dedup();
        }
        this
    }
}

/// Where an access is to.
#[derive(Clone, Debug)]
pub(super) enum Reach {
    /// To one variable always.
    One(Variable),
    /// By the value of a term.
    ByValue(Arc<Term>, Arc<FxHashMap<Value, Variable>>),
    /// To each of these whose condition holds.
    Any(Arc<[(Arc<Term>, Variable)]>),
}

impl Reach {
    fn of(access: &SystemAccess, values: &Values) -> Self {
        let places: Arc<[_]> = access.places.iter().filter(|(when, _)| values.may_hold(when)).cloned().collect();
        if let [(condition, variable)] = &*places
            && condition.known().is_some_and(|known| known != 0)
        {
            return Self::One(*variable);
        }
        let mut address = None;
        let mut at = FxHashMap::default();
        for (condition, variable) in &*places {
            let Term::Binary(BinaryOperator::Equal, left, right) = &**condition else { return Self::Any(places) };
            let Some(value) = right.known().filter(|_| address.is_none_or(|address| address == left)) else {
                return Self::Any(places.clone());
            };
            address = Some(left);
            if at.insert(value, *variable).is_some() {
                return Self::Any(places.clone());
            }
        }
        match address {
            Some(address) => Self::ByValue(address.clone(), Arc::new(at)),
            None => Self::Any(places),
        }
    }

    /// All that it may be to.
    pub(super) fn variables(&self) -> Vec<Variable> {
        match self {
            Self::One(variable) => vec![*variable],
            Self::ByValue(_, at) => at.values().copied().collect(),
            Self::Any(places) => places.iter().map(|(_, variable)| *variable).collect(),
        }
    }

    fn each_term(&self, visit: &mut impl FnMut(&Term)) {
        match self {
            Self::One(_) => {}
            Self::ByValue(address, _) => visit(address),
            Self::Any(places) => places.iter().for_each(|(condition, _)| visit(condition)),
        }
    }
}

/// An access of a transition.
#[derive(Clone, Debug)]
struct Access {
    reach: Reach,
    writes: bool,
    /// Whether the local state says where it is to.
    is_local: bool,
}

#[derive(Clone, Debug)]
struct About {
    accesses: Vec<Access>,
    /// What of the guard the local state decides.
    guard: Vec<Arc<Term>>,
}

/// A finite program: its transition system, with its states at the start and what its transitions access.
///
/// The *local state* of a thread is its registers, and the shared variables that nobody ever writes (inputs, mostly). It says what the next
/// event accesses; where it does not, as for an index that an `atomic` reads itself, the event accesses all that it may. So nothing that
/// another thread does changes a footprint, on which the search for races relies.
///
/// A thread that went wrong stops, and here the others go on, though a [`System`] stops as a whole. So what the threads do does not depend
/// on when another one goes wrong, and runs that differ in no more than that are of one trace.
#[derive(Clone, Debug)]
pub struct Finite<'s> {
    system: &'s System,
    /// The same, where a thread that went wrong has ended.
    lenient: System,
    limits: Limits,
    starts: Vec<State>,
    /// By variable: shared, and written by nobody.
    stable: Vec<bool>,
    /// By transition.
    about: Vec<About>,
}

impl<'s> Finite<'s> {
    /// A program. Linear in the size of its system. Whether it ends is found out by whoever runs it.
    ///
    /// # Errors
    /// [`SymbolicError::State`] and [`SymbolicError::TooManyStarts`] for inputs with too many values, [`SymbolicError::NoStart`] if all are
    /// excluded.
    pub fn new(system: &'s System, limits: Limits) -> Result<Self, SymbolicError> {
        let starts = system.initial_states()?;
        if starts.is_empty() {
            return Err(SymbolicError::NoStart);
        }
        if starts.len() > limits.starts {
            return Err(SymbolicError::TooManyStarts { limit: limits.starts });
        }
        let values = Values::of(system, &starts);
        let mut stable = vec![false; system.variables.len()];
        stable[..system.shared()].fill(true);
        for access in system.transitions.iter().flat_map(|transition| &transition.accesses) {
            let places = access.places.iter().filter(|(when, _)| access.writes && values.may_hold(when));
            places.for_each(|(_, variable)| stable[variable.0 as usize] = false);
        }
        let mut lenient = system.clone();
        for point in lenient.threads.iter_mut().flat_map(|thread| &mut thread.points) {
            if point.is_error() {
                point.kind = PointKind::Ended;
            }
        }
        let mut this = Self { system, lenient, limits, starts, stable, about: Vec::new() };
        this.about = system.transitions.iter().map(|transition| this.about(transition, &values)).collect();
        Ok(this)
    }

    fn about(&self, transition: &Transition, values: &Values) -> About {
        let is_local = |term: &Term| {
            let mut local = !term.has_input();
            term.each_variable(&mut |variable| local &= self.is_local(variable, transition.thread));
            local
        };
        let mut accesses: Vec<Access> = Vec::new();
        for access in &transition.accesses {
            let reach = Reach::of(access, values);
            let mut local = true;
            reach.each_term(&mut |term| local &= is_local(term));
            accesses.push(Access { reach, writes: access.writes, is_local: local });
        }
        About { accesses, guard: transition.guard.iter().filter(|term| is_local(term)).cloned().collect() }
    }

    /// Its transition system.
    pub fn system(&self) -> &'s System {
        self.system
    }

    /// How much of it is looked at.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// How many threads there are.
    pub fn threads(&self) -> usize {
        self.system.threads.len()
    }

    /// The states at the start, one for each combination of inputs; at least one.
    pub fn starts(&self) -> &[State] {
        &self.starts
    }

    /// Whether a variable is shared and nobody writes it: it holds the same in all of a run.
    pub fn is_stable(&self, variable: Variable) -> bool {
        self.stable[variable.0 as usize]
    }

    fn is_local(&self, variable: Variable, thread: u16) -> bool {
        self.is_stable(variable)
            || matches!(self.system.variables[variable.0 as usize], Holds::Register(of, _) if of == thread)
    }

    /// Whether a thread has a next event: it has not ended, nor gone wrong.
    pub fn is_active(&self, state: &State, thread: usize) -> bool {
        self.system.point(thread, state.points[thread]).is_active()
    }

    /// The transitions that a thread's local state leaves for its next event.
    pub(super) fn left(&self, state: &State, thread: usize) -> impl Iterator<Item = TransitionId> {
        let transitions = &self.system.point(thread, state.points[thread]).transitions;
        transitions
            .iter()
            .copied()
            .filter(|id| self.about[id.0 as usize].guard.iter().all(|term| term.evaluate(&state.values, &[]) != 0))
    }

    /// The accesses of a transition: where to, and whether it writes.
    pub(super) fn accesses(&self, transition: TransitionId) -> impl Iterator<Item = (&Reach, bool)> {
        self.about[transition.0 as usize].accesses.iter().map(|access| (&access.reach, access.writes))
    }

    /// What the next event of a thread accesses; nothing if there is none.
    pub fn footprint(&self, state: &State, thread: usize) -> Footprint {
        let mut found = Vec::new();
        for id in self.left(state, thread) {
            for access in &self.about[id.0 as usize].accesses {
                match &access.reach {
                    Reach::One(variable) => found.push((*variable, access.writes)),
                    Reach::ByValue(address, at) if access.is_local => {
                        let variable = at.get(&address.evaluate(&state.values, &[]));
                        found.extend(variable.map(|variable| (*variable, access.writes)));
                    }
                    Reach::Any(places) if access.is_local => found.extend(
                        places
                            .iter()
                            .filter(|(condition, _)| condition.evaluate(&state.values, &[]) != 0)
                            .map(|(_, variable)| (*variable, access.writes)),
                    ),
                    reach => found.extend(reach.variables().into_iter().map(|variable| (variable, access.writes))),
                }
            }
        }
        Footprint::of(found)
    }

    /// The steps of a thread. There are several only where it is given an input.
    ///
    /// # Errors
    /// [`SymbolicError::State`] for an input with too many values.
    pub fn steps(&self, state: &State, thread: usize) -> Result<Vec<Successor>, SymbolicError> {
        Ok(self.lenient.successors(state, thread)?)
    }

    /// Whether a thread has a step.
    ///
    /// # Errors
    /// As [`Self::steps`].
    pub fn is_enabled(&self, state: &State, thread: usize) -> Result<bool, SymbolicError> {
        let point = self.system.point(thread, state.points[thread]);
        Ok(point.is_active() && (!point.may_block || !self.steps(state, thread)?.is_empty()))
    }

    /// Says that a run is too long, if it is.
    pub(super) fn bound(&self, events: usize) -> Result<(), Interrupt> {
        match events < self.limits.events {
            true => Ok(()),
            false => Err(SymbolicError::TooLong { limit: self.limits.events }.into()),
        }
    }
}
