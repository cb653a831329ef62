//! The symbolic trace of a run: who has to wait for whom so that other inputs' runs are ordered alike.

use super::finite::Reach;
use super::graph::FixedAccess;
use super::{Edge, Event, Finite, Run, Step, SymbolicError, TraceGraph};
use litmoscope_core::program::system::{Holds, State, Term, TransitionId, Variable};
use litmoscope_core::program::{BinaryOperator, Value};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How large a term may get that says what an event accesses, in operators. What is larger counts as not known.
const MAX_TERM: usize = 256;

/// A symbolic trace: the constraints that order the runs of all inputs as one run is ordered.
#[derive(Clone, Debug, PartialEq)]
pub struct SymbolicTrace {
    /// The events, and the constraints between them.
    pub graph: TraceGraph,
    /// The events in an order that keeps to all constraints.
    pub order: Vec<Event>,
}

impl SymbolicTrace {
    /// That of a run. Its events are all that the run has. An event waits for each earlier one of another thread that it depends on, where
    /// it does: if the inputs make them access the same place. Constraints that follow from others are left out.
    ///
    /// Where an event accesses is computed from what its thread has read of variables that nobody writes, and from constants. What it has
    /// read of others is not known: then it may access all that the transition may, and the constraint always holds. Other inputs are run
    /// in the order of the run as far as they can be, and what their events access is added.
    ///
    /// Cubic in the number of events at worst.
    ///
    /// Source: P. Metzler's thesis (2020), section 5.1.2, which defines what a symbolic trace is and not how one is found.
    ///
    /// # Errors
    /// [`SymbolicError::InputInside`] if an event is given an input: a run is no more determined by its start then.
    pub fn of(finite: &Finite<'_>, run: &Run) -> Result<Self, SymbolicError> {
        let order: Vec<Event> = run.events().collect();
        let mut accesses: BTreeMap<Event, Vec<FixedAccess>> = order.iter().map(|event| (*event, Vec::new())).collect();
        let has_inputs = finite.starts().len() > 1;
        let mut present: BTreeMap<Event, Vec<bool>> = BTreeMap::new();
        for start in 0..finite.starts().len() {
            // Where an order can't be kept to, the trace permits no such run to its end, which whoever verifies it finds out.
            let (followed, _) = follow(finite, start, &order)?;
            let mut known = Known::new(finite, has_inputs);
            for (at, step) in followed.steps.iter().enumerate() {
                present.entry(step.event).or_insert_with(|| vec![false; finite.starts().len()])[start] = true;
                let found = known.step(followed.state(finite, at), step);
                let own = accesses.entry(step.event).or_default();
                for access in found {
                    if !own.contains(&access) {
                        own.push(access);
                    }
                }
            }
        }
        let mut dependent: FxHashMap<(usize, usize), Arc<Term>> = FxHashMap::default();
        for (to, second) in order.iter().enumerate() {
            for (from, first) in order[..to].iter().enumerate() {
                if first.thread != second.thread {
                    let when = depend(&accesses[first], &accesses[second]);
                    if when.known() != Some(0) {
                        dependent.insert((from, to), when);
                    }
                }
            }
        }
        let mut edges = Vec::new();
        for (&(from, to), when) in &dependent {
            let comes: Vec<bool> = order
                .iter()
                .map(|event| {
                    let of = |event: &Event, start: usize| present.get(event).is_some_and(|starts| starts[start]);
                    (0..finite.starts().len())
                        .all(|start| of(event, start) || !of(&order[from], start) || !of(&order[to], start))
                })
                .collect();
            if !follows(&order, &dependent, &comes, from, to, when) {
                edges.push(Edge { from: order[from], to: order[to], when: when.clone() });
            }
        }
        let graph = TraceGraph::along(order.iter().copied(), edges, accesses);
        Ok(Self { graph, order })
    }

    /// The symbolic trace of the run from the first start in which each thread in turn runs as far as it can.
    ///
    /// # Errors
    /// As [`Self::of`], and [`SymbolicError::TooLong`].
    pub fn of_threads_in_turn(finite: &Finite<'_>) -> Result<Self, SymbolicError> {
        let mut run = Run { start: 0, steps: Vec::new() };
        let mut executed = vec![0; finite.threads()];
        loop {
            let state = run.state(finite, run.steps.len());
            let mut next = None;
            for thread in 0..finite.threads() {
                if finite.is_enabled(state, thread)? {
                    next = Some(thread);
                    break;
                }
            }
            let Some(thread) = next else { return Self::of(finite, &run) };
            if run.steps.len() >= finite.limits().events {
                return Err(SymbolicError::TooLong { limit: finite.limits().events });
            }
            let event = Event { thread: thread as u16, index: executed[thread] };
            let step = take(finite, state, event)?;
            executed[thread] += 1;
            run.steps.extend(step);
        }
    }
}

/// The only step of an event from a state; `None` if it has to wait.
fn take(finite: &Finite<'_>, state: &State, event: Event) -> Result<Option<Step>, SymbolicError> {
    let thread = usize::from(event.thread);
    let mut successors = finite.steps(state, thread)?;
    let Some(successor) = successors.pop() else { return Ok(None) };
    if !successors.is_empty() || !successor.inputs.is_empty() {
        return Err(SymbolicError::InputInside { span: finite.system().point(thread, state.points[thread]).span });
    }
    Ok(Some(Step {
        event,
        transition: successor.transition,
        inputs: successor.inputs,
        footprint: finite.footprint(state, thread),
        state: successor.state,
    }))
}

/// The run from a start in the order of some events, of which those of a thread come in its order. Events of threads that go on no more are
/// left out. And whether it has come to the end, and not to an event that waits.
pub(super) fn follow(finite: &Finite<'_>, start: usize, order: &[Event]) -> Result<(Run, bool), SymbolicError> {
    let mut run = Run { start, steps: Vec::new() };
    for event in order {
        let state = run.state(finite, run.steps.len());
        if !finite.is_active(state, event.thread.into()) {
            continue;
        }
        match take(finite, state, *event)? {
            Some(step) => run.steps.push(step),
            None => return Ok((run, false)),
        }
    }
    Ok((run, true))
}

/// What is known of the registers along a run.
struct Known<'f, 's> {
    finite: &'f Finite<'s>,
    has_inputs: bool,
    /// By variable: what a register holds, as a term over variables that nobody writes; `None` if that is not known.
    registers: FxHashMap<Variable, Option<Arc<Term>>>,
}

impl<'f, 's> Known<'f, 's> {
    fn new(finite: &'f Finite<'s>, has_inputs: bool) -> Self {
        Self { finite, has_inputs, registers: FxHashMap::default() }
    }

    /// What a step from a state accesses, and what is known behind it.
    fn step(&mut self, state: &State, step: &Step) -> Vec<FixedAccess> {
        let mut accesses: Vec<FixedAccess> = Vec::new();
        let transitions: Vec<TransitionId> = self.finite.left(state, step.event.thread.into()).collect();
        for id in transitions {
            for (reach, writes) in self.finite.accesses(id) {
                let access = self.access(reach, writes, &step.footprint);
                if !access.places.is_empty() && !accesses.contains(&access) {
                    accesses.push(access);
                }
            }
        }
        let transition = self.finite.system().transition(step.transition);
        let mut assigned = Vec::new();
        for (variable, term) in &transition.assignments {
            if matches!(self.finite.system().variables[variable.0 as usize], Holds::Register(..)) {
                assigned.push((*variable, self.substitute(term)));
            }
        }
        for variable in &transition.forgets {
            self.registers.insert(*variable, Some(Term::constant(0)));
        }
        self.registers.extend(assigned);
        accesses
    }

    fn access(&self, reach: &Reach, writes: bool, footprint: &super::Footprint) -> FixedAccess {
        let one = |variable| FixedAccess { places: vec![(Term::constant(1), variable)], address: None, writes };
        let may_be = |variable: &Variable| {
            let own = if writes { &footprint.writes } else { &footprint.reads };
            self.has_inputs || own.binary_search(variable).is_ok()
        };
        // Without inputs there is one run in this order, so what is not known in general is known of that.
        let unknown = |variables: Vec<Variable>| FixedAccess {
            places: variables.into_iter().filter(may_be).map(|variable| (Term::constant(1), variable)).collect(),
            address: None,
            writes,
        };
        match reach {
            Reach::One(variable) => one(*variable),
            Reach::ByValue(address, at) => match self.substitute(address) {
                None => unknown(reach.variables()),
                Some(address) => match address.known() {
                    Some(value) => match at.get(&value) {
                        Some(variable) => one(*variable),
                        None => FixedAccess { places: Vec::new(), address: None, writes },
                    },
                    None => {
                        let mut values: Vec<(Variable, Value)> =
                            at.iter().map(|(value, variable)| (*variable, *value)).collect();
                        values.sort_unstable();
                        let places = values
                            .iter()
                            .map(|(variable, value)| (Term::equal(&address, &Term::constant(*value)), *variable));
                        let places = places.collect();
                        FixedAccess { places, address: Some((address, values.into_iter().collect())), writes }
                    }
                },
            },
            Reach::Any(places) => {
                let known: Option<Vec<_>> = places
                    .iter()
                    .map(|(when, variable)| Some((Term::truth(&self.substitute(when)?), *variable)))
                    .collect();
                match known {
                    None => unknown(reach.variables()),
                    Some(mut places) => {
                        places.retain(|(when, _)| when.known() != Some(0));
                        FixedAccess { places, address: None, writes }
                    }
                }
            }
        }
    }

    /// A term over the values in front of a step, as one over variables that nobody writes.
    fn substitute(&self, term: &Arc<Term>) -> Option<Arc<Term>> {
        let mut seen = FxHashMap::default();
        self.within(term, &mut seen)
    }

    fn within(&self, term: &Arc<Term>, seen: &mut FxHashMap<*const Term, Option<Arc<Term>>>) -> Option<Arc<Term>> {
        if let Some(known) = seen.get(&Arc::as_ptr(term)) {
            return known.clone();
        }
        if seen.len() > MAX_TERM {
            return None;
        }
        let found = match &**term {
            Term::Constant(_) => Some(term.clone()),
            Term::Input(_) => None,
            Term::Variable(variable) => self.variable(*variable, term),
            Term::Unary(operator, operand) => Some(Term::unary(*operator, &self.within(operand, seen)?)),
            Term::Binary(operator, left, right) => {
                let (left, right) = (self.within(left, seen)?, self.within(right, seen)?);
                Some(Term::binary(*operator, &left, &right))
            }
            Term::Defined(operator, left, right) => {
                let (left, right) = (self.within(left, seen)?, self.within(right, seen)?);
                Some(Term::defined(*operator, &left, &right))
            }
            Term::If(condition, then, otherwise) => {
                let condition = self.within(condition, seen)?;
                match condition.known() {
                    Some(0) => self.within(otherwise, seen),
                    Some(_) => self.within(then, seen),
                    None => {
                        let (then, otherwise) = (self.within(then, seen)?, self.within(otherwise, seen)?);
                        Some(Term::choose(&condition, &then, &otherwise))
                    }
                }
            }
        };
        // A register may hold a term of another step: these grow from step to step.
        let found = found.filter(|term| size(term, MAX_TERM) < MAX_TERM);
        seen.insert(Arc::as_ptr(term), found.clone());
        found
    }

    fn variable(&self, variable: Variable, term: &Arc<Term>) -> Option<Arc<Term>> {
        if self.finite.is_stable(variable) {
            let system = self.finite.system();
            let is_input = system.inputs.iter().any(|(input, _)| *input == variable);
            let value = system.initial[variable.0 as usize];
            return Some(if is_input { term.clone() } else { Term::constant(value) });
        }
        match self.finite.system().variables[variable.0 as usize] {
            Holds::Register(..) => match self.registers.get(&variable) {
                Some(known) => known.clone(),
                None => Some(Term::constant(self.finite.system().initial[variable.0 as usize])),
            },
            Holds::Memory(_) | Holds::Full(_) => None,
        }
    }
}

/// How large a term is as a tree, up to a limit.
fn size(term: &Term, limit: usize) -> usize {
    let mut seen = 0;
    let mut work = vec![term];
    while let Some(term) = work.pop() {
        seen += 1;
        if seen >= limit {
            return limit;
        }
        match term {
            Term::Constant(_) | Term::Variable(_) | Term::Input(_) => {}
            Term::Unary(_, operand) => work.push(operand),
            Term::Binary(_, left, right) | Term::Defined(_, left, right) => work.extend([&**left, &**right]),
            Term::If(condition, then, otherwise) => work.extend([&**condition, &**then, &**otherwise]),
        }
    }
    seen
}

/// Where two events access the same place, of which one writes.
pub(super) fn depend(first: &[FixedAccess], second: &[FixedAccess]) -> Arc<Term> {
    let mut any = Term::constant(0);
    for one in first {
        for other in second.iter().filter(|other| one.writes || other.writes) {
            any = or(&any, &one.meets(other));
        }
    }
    any
}

fn or(left: &Arc<Term>, right: &Arc<Term>) -> Arc<Term> {
    match left == right {
        true => left.clone(),
        false => Term::binary(BinaryOperator::Or, left, right),
    }
}

impl FixedAccess {
    /// Where it and another are to the same place.
    fn meets(&self, other: &Self) -> Arc<Term> {
        if let (Some((one, places)), Some((two, others))) = (&self.address, &other.address) {
            if one == two && places == others {
                return Term::constant(1);
            }
            let mut common = places.iter().filter(|(variable, _)| others.contains_key(variable)).peekable();
            // The values of other places are no values of these, so to be equal is to be to the same place.
            let values: BTreeMap<Value, Variable> =
                others.iter().map(|(variable, value)| (*value, *variable)).collect();
            let agree = places.iter().all(|(variable, value)| values.get(value).is_none_or(|other| other == variable));
            if common.peek().is_some() && agree && common.all(|(variable, value)| others.get(variable) == Some(value)) {
                return match (&**one, &**two) {
                    (Term::Variable(left), Term::Variable(right)) if left > right => Term::equal(two, one),
                    _ => Term::equal(one, two),
                };
            }
        }
        let mut any = Term::constant(0);
        for (when, variable) in &self.places {
            for (also, _) in other.places.iter().filter(|(_, other)| other == variable) {
                let both = if when == also { when.clone() } else { Term::and(when, also) };
                any = or(&any, &both);
            }
        }
        any
    }
}

/// Whether two events are ordered without an edge between them wherever it would hold: along threads and others that depend on each other
/// there, of which each comes wherever the two do.
fn follows(
    order: &[Event],
    dependent: &FxHashMap<(usize, usize), Arc<Term>>,
    comes: &[bool],
    from: usize,
    to: usize,
    when: &Arc<Term>,
) -> bool {
    let is_before = |first: usize, second: usize| {
        order[first].thread == order[second].thread
            || (first, second) != (from, to)
                && dependent.get(&(first, second)).is_some_and(|other| other == when || other.known().is_some())
    };
    let mut reached: BTreeSet<usize> = BTreeSet::from([from]);
    for (next, _) in comes.iter().enumerate().take(to + 1).skip(from + 1).filter(|(_, comes)| **comes) {
        if reached.iter().any(|&before| is_before(before, next)) {
            reached.insert(next);
        }
    }
    reached.contains(&to)
}
