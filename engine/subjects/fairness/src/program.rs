//! Programs whose threads run for ever: who can wait for ever?
//!
//! A vertex is a state, and who moved last: a thread, or under TSO and PSO one of the movers that put to memory what buffers hold
//! ([`crate::buffers`]). A coin that is tossed (`a := random 0..1`) is a random vertex of its own. What a scheduler promises each thread is a pair of an
//! objective:
//!
//! - **strong**: a thread that can move again and again moves again and again;
//! - **weak**: a thread that can move all the time from some point on moves again and again;
//! - **none**: nothing is promised.
//!
//! A thread that waits only because its buffer is full counts as one that can move: without the bound it could.

use crate::algorithms::{Options, Pairs, Way};
use crate::bits::{Bits, Graph, GraphError};
use crate::buffers::Buffered;
use crate::lasso::Lasso;
use crate::machine::Machine;
use crate::step::Answer;
use crate::universe::Universe;
use litmoscope_core::budget::{Budget, Paused};
use litmoscope_core::model::Buffers;
use litmoscope_core::program::system::{
    Fault, PointId, PointKind, State, StateError, States, Successor, System, TransitionId, Variable,
};
use litmoscope_core::program::{Span, Value};
use rustc_hash::FxHashMap;
use std::ops::RangeInclusive;
use std::rc::Rc;

/// What a scheduler promises a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fairness {
    /// Nothing.
    None,
    /// Who can move all the time moves.
    Weak,
    /// Who can move again and again moves again and again.
    #[default]
    Strong,
}

impl Fairness {
    /// All of them, the weakest first.
    pub const ALL: [Self; 3] = [Self::None, Self::Weak, Self::Strong];

    /// Its name: `strong`.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Weak => "weak",
            Self::Strong => "strong",
        }
    }
}

/// What is promised to each thread, and to each mover of a buffer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Promises {
    /// To threads.
    pub threads: Fairness,
    /// To what empties buffers.
    pub buffers: Fairness,
    /// To some threads something else.
    pub others: Vec<(u16, Fairness)>,
}

impl From<Fairness> for Promises {
    fn from(fairness: Fairness) -> Self {
        Self { threads: fairness, buffers: fairness, others: Vec::new() }
    }
}

/// What may be so of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// A thread stands in one of these lines: what it does next is written there.
    At(u16, RangeInclusive<u32>),
    /// A thread stands at one of these points.
    Standing(u16, Vec<PointId>),
    /// A variable has a value.
    Has(Variable, Value),
    /// A thread can move, or could if its buffer were not full.
    Enabled(u16),
    /// A thread moved last.
    Moved(u16),
    /// A thread has run to its end.
    Ended(u16),
    /// A vertex has a label: an index.
    Label(usize),
    /// Not this.
    Not(Box<Claim>),
    /// All of these.
    All(Vec<Claim>),
    /// One of these at least.
    Any(Vec<Claim>),
}

impl Claim {
    /// Whether it is so, where somebody knows what is so of the simplest ones.
    pub fn holds(&self, simple: &impl Fn(&Self) -> bool) -> bool {
        match self {
            Self::Not(claim) => !claim.holds(simple),
            Self::All(claims) => claims.iter().all(|claim| claim.holds(simple)),
            Self::Any(claims) => claims.iter().any(|claim| claim.holds(simple)),
            _ => simple(self),
        }
    }
}

/// What a run may do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// From some point on, this is so for ever.
    ForEver(Claim),
    /// This is so again and again.
    AgainAndAgain(Claim),
    /// This is so finitely often only.
    FinitelyOften(Claim),
    /// If the first is so again and again, then the second is.
    Gets(Claim, Claim),
}

impl Question {
    /// Its pair of claims: who comes to the first again and again has to come to the second again and again.
    pub fn pair(&self) -> (Claim, Claim) {
        let (everything, nothing) = (Claim::All(Vec::new()), Claim::Any(Vec::new()));
        match self {
            Self::ForEver(claim) => (Claim::Not(Box::new(claim.clone())), nothing),
            Self::AgainAndAgain(claim) => (everything, claim.clone()),
            Self::FinitelyOften(claim) => (claim.clone(), nothing),
            Self::Gets(asks, gets) => (asks.clone(), gets.clone()),
        }
    }
}

/// Why there is no graph of a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProgramError {
    /// Too many states, or inputs.
    #[error(transparent)]
    States(#[from] StateError),
    /// Too many vertices.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// One step has both an input and a coin.
    #[error(
        "one step has both an `input` and a `random` value: who chooses first is not known, so let them be two steps"
    )]
    InputAndCoin(Span),
    /// It takes too long, or was told to stop.
    #[error("stopped before all states were found")]
    Paused,
}

/// What a program's steps are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Semantics {
    /// Its store buffers, and how many entries each thread's has; none under SC.
    pub buffers: Option<(Buffers, u32)>,
    /// Whether chance decides who moves next.
    pub random_scheduler: bool,
}

/// A vertex: a state, who moved last, and whose choice comes next, if that is a vertex of its own.
type Vertex = (usize, Option<u16>, Option<u16>);

/// The states of a program, each with who moved last, as a graph.
pub struct ProgramGraph {
    system: Rc<System>,
    buffered: Option<Buffered>,
    states: States,
    vertices: Vec<Vertex>,
    numbers: FxHashMap<Vertex, u32>,
    /// By vertex: the transition of each of its edges, in the order of [`Graph::successors`]; `None` where nobody moves yet.
    steps: Vec<Vec<Option<TransitionId>>>,
    starts: usize,
    graph: Rc<Graph>,
    is_bounded: bool,
}

/// A run that answers a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The run, as vertices.
    pub lasso: Lasso,
    /// The steps of its stem, and of its cycle.
    pub steps: [Vec<TransitionId>; 2],
}

/// A step of a run, as it can be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunStep {
    /// What is done.
    pub transition: TransitionId,
    /// The values of its inputs and coins.
    pub inputs: Box<[Value]>,
    /// Where that leads.
    pub state: State,
}

impl ProgramGraph {
    /// The graph of a transition system under SC.
    ///
    /// # Errors
    /// [`ProgramError`] for more states than `limit`, or too many inputs or vertices.
    pub fn of(system: Rc<System>, limit: usize) -> Result<Self, ProgramError> {
        Self::with(system, Semantics::default(), limit, &mut Budget::unlimited())
    }

    /// The graph of a transition system.
    ///
    /// # Errors
    /// [`ProgramError`] for more states than `limit`, too many inputs or vertices, or if the budget is used up.
    pub fn with(
        system: Rc<System>,
        semantics: Semantics,
        limit: usize,
        budget: &mut Budget,
    ) -> Result<Self, ProgramError> {
        let buffered = semantics.buffers.map(|(buffers, entries)| Buffered::of(&system, buffers, entries));
        let system = buffered.as_ref().map_or(system, |buffered| Rc::new(buffered.system.clone()));
        refuse_mixed(&system)?;
        let mut states = States::start(&system)?;
        states.go_on(&system, limit, budget).map_err(|Paused| ProgramError::Paused)??;
        let starts = (0..states.states.len()).take_while(|at| states.reached[*at].is_none()).count();
        let mut numbers: FxHashMap<Vertex, u32> = FxHashMap::default();
        let mut vertices: Vec<Vertex> = Vec::new();
        let mut number = |vertex: Vertex, vertices: &mut Vec<Vertex>| {
            *numbers.entry(vertex).or_insert_with(|| {
                vertices.push(vertex);
                vertices.len() as u32 - 1
            })
        };
        for state in 0..starts {
            number((state, None, None), &mut vertices);
        }
        let (mut edges, mut steps, mut random) = (Vec::new(), Vec::new(), Vec::new());
        let mut at = 0;
        let of = &*system;
        while at < vertices.len() {
            budget.count(1).map_err(|Paused| ProgramError::Paused)?;
            let (state, _, choice) = vertices[at];
            let of_thread = |thread: u16| {
                let steps = states.steps[state].iter();
                steps.filter(move |(step, _)| of.transition(*step).thread == thread)
            };
            let mut own: Vec<(u32, Option<TransitionId>)> = Vec::new();
            match choice {
                Some(thread) => {
                    for (step, to) in of_thread(thread) {
                        own.push((number((*to, Some(thread), None), &mut vertices), Some(*step)));
                    }
                    if of_thread(thread).any(|(step, _)| tosses(of, *step)) {
                        random.push(at as u32);
                    }
                }
                None => {
                    for thread in 0..of.threads.len() as u16 {
                        let is_coin = of_thread(thread).any(|(step, _)| tosses(of, *step));
                        let has_inputs = |(step, _): &(TransitionId, usize)| !of.transition(*step).inputs.is_empty();
                        let is_choice = semantics.random_scheduler && of_thread(thread).any(has_inputs);
                        if is_coin || is_choice {
                            own.push((number((state, Some(thread), Some(thread)), &mut vertices), None));
                            continue;
                        }
                        for (step, to) in of_thread(thread) {
                            own.push((number((*to, Some(thread), None), &mut vertices), Some(*step)));
                        }
                    }
                    if semantics.random_scheduler {
                        random.push(at as u32);
                    }
                }
            }
            own.sort_unstable();
            own.dedup_by_key(|(to, _)| *to);
            edges.extend(own.iter().map(|(to, _)| (at as u32, *to)));
            steps.push(own.into_iter().map(|(_, step)| step).collect());
            at += 1;
        }
        let graph = Rc::new(Graph::new(vertices.len(), edges, random)?);
        let mut this = Self { system, buffered, states, vertices, numbers, steps, starts, graph, is_bounded: false };
        let threads = 0..this.system.threads.len() as u16;
        this.is_bounded =
            this.states.states.iter().any(|state| threads.clone().any(|thread| this.waits_for_room(thread, state)));
        Ok(this)
    }

    /// The transition system: that of the program, with the movers of buffers as threads behind its own.
    pub fn system(&self) -> &System {
        &self.system
    }

    /// The graph.
    pub fn graph(&self) -> &Rc<Graph> {
        &self.graph
    }

    /// How many threads are the program's own; those behind empty buffers.
    pub fn threads(&self) -> usize {
        self.buffered.as_ref().map_or(self.system.threads.len(), |buffered| buffered.threads)
    }

    /// Whether a thread ever waits only because its buffer is full: that nothing was found is no proof then.
    pub fn is_bounded(&self) -> bool {
        self.is_bounded
    }

    /// Whether chance decides anything.
    pub fn has_chance(&self) -> bool {
        !self.graph.is_empty(self.graph.random())
    }

    /// The states, without who moved last.
    pub fn states(&self) -> &States {
        &self.states
    }

    /// Where runs start.
    pub fn starts(&self) -> Bits {
        self.graph.set(0..self.starts)
    }

    /// The vertices without a successor: no infinite run comes there.
    pub fn dead_ends(&self) -> usize {
        (0..self.vertices.len()).filter(|vertex| self.graph.successors(*vertex).is_empty()).count()
    }

    /// The state of a vertex, and who moved last.
    pub fn vertex(&self, vertex: usize) -> (&State, Option<u16>) {
        let (state, last, _) = self.vertices[vertex];
        (&self.states.states[state], last)
    }

    /// Whose choice or coin comes next, where that is a vertex of its own.
    pub fn choice(&self, vertex: usize) -> Option<u16> {
        self.vertices[vertex].2
    }

    /// The vertices in which a value has left its declared range, or a thread went wrong in another way, with what went wrong first.
    pub fn faults(&self) -> Vec<(usize, Fault)> {
        let fault = |state: &State| {
            state.points.iter().enumerate().find_map(|(thread, point)| match self.system.point(thread, *point).kind {
                PointKind::Error(fault) => Some(fault),
                _ => None,
            })
        };
        (0..self.vertices.len()).filter_map(|at| Some((at, fault(self.vertex(at).0)?))).collect()
    }

    fn waits_for_room(&self, thread: u16, state: &State) -> bool {
        self.buffered.as_ref().is_some_and(|buffered| {
            usize::from(thread) < buffered.threads
                && buffered.waits(thread, state.points[usize::from(thread)], &state.values)
        })
    }

    /// Whether a thread, or what empties a buffer, can take a step.
    pub fn can_move(&self, vertex: usize, thread: u16) -> bool {
        let steps = &self.states.steps[self.vertices[vertex].0];
        steps.iter().any(|(step, _)| self.system.transition(*step).thread == thread)
    }

    fn is_enabled(&self, vertex: usize, thread: u16) -> bool {
        self.can_move(vertex, thread) || self.waits_for_room(thread, self.vertex(vertex).0)
    }

    fn holds(&self, claim: &Claim, vertex: usize) -> bool {
        let point = |thread: u16| {
            let (state, _) = self.vertex(vertex);
            self.system.point(usize::from(thread), state.points[usize::from(thread)])
        };
        claim.holds(&|simple| match simple {
            Claim::At(thread, lines) => {
                let point = point(*thread);
                point.kind != PointKind::Ended && lines.contains(&point.span.line)
            }
            Claim::Standing(thread, points) => points.contains(&self.vertex(vertex).0.points[usize::from(*thread)]),
            Claim::Has(variable, value) => self.vertex(vertex).0.values[variable.0 as usize] == *value,
            Claim::Enabled(thread) => self.is_enabled(vertex, *thread),
            Claim::Moved(thread) => self.vertices[vertex].1 == Some(*thread),
            Claim::Ended(thread) => point(*thread).kind == PointKind::Ended,
            _ => false,
        })
    }

    /// The vertices of which something is so.
    pub fn set(&self, claim: &Claim) -> Bits {
        self.graph.set((0..self.vertices.len()).filter(|vertex| self.holds(claim, *vertex)))
    }

    /// What is promised to one thread, or mover of a buffer.
    pub fn promised(&self, promises: &Promises, thread: u16) -> Fairness {
        promised(promises, thread, self.threads())
    }

    /// The pairs of what a scheduler promises: one for each thread and mover to whom it promises something, in their order.
    pub fn promises(&self, promises: &Promises) -> Pairs<Bits> {
        let threads = 0..self.system.threads.len() as u16;
        threads.filter_map(|thread| self.promise(thread, promises)).collect()
    }

    /// The pair of what a scheduler promises one thread or mover, if it promises it something.
    pub fn promise(&self, thread: u16, promises: &Promises) -> Option<(Bits, Bits)> {
        let (asks, gets) = promise_claims(thread, self.promised(promises, thread))?;
        Some((self.set(&asks), self.set(&gets)))
    }

    /// The pair of a question.
    pub fn asked(&self, question: &Question) -> (Bits, Bits) {
        let (asks, gets) = question.pair();
        (self.set(&asks), self.set(&gets))
    }

    /// The machine that looks for runs that a scheduler with this promise allows, and that answer the questions; where chance decides something, for
    /// strategies that do so almost surely.
    pub fn machine(
        &self,
        promises: impl Into<Promises>,
        questions: &[Question],
        way: Way,
        options: Options,
    ) -> Machine<Graph> {
        let pairs = self.objective(promises, questions);
        if self.has_chance() {
            crate::streett_by_chance(Rc::clone(&self.graph), pairs, way, options)
        } else {
            crate::streett(Rc::clone(&self.graph), pairs, way, options)
        }
    }

    /// All pairs of a promise and questions.
    pub fn objective(&self, promises: impl Into<Promises>, questions: &[Question]) -> Pairs<Bits> {
        let mut pairs = self.promises(&promises.into());
        pairs.extend(questions.iter().map(|question| self.asked(question)));
        pairs
    }

    /// A run from the start that a scheduler with this promise allows, and that answers the questions, if there is one. Where chance decides
    /// something, one of those that a strategy leads to.
    ///
    /// # Errors
    /// [`Paused`] if the budget says so.
    pub fn find(
        &self,
        promises: impl Into<Promises>,
        questions: &[Question],
        budget: &mut Budget,
    ) -> Result<Option<Found>, Paused> {
        let promises = promises.into();
        let pairs = self.objective(promises.clone(), questions);
        let mut machine = self.machine(promises, questions, Way::Improved, Options::default());
        while machine.advance(budget)?.is_some() {}
        Ok(machine.answer().and_then(|answer| self.found(&pairs, answer)))
    }

    /// A shortest run from the start into a good component of an answer, if one starts where one wins.
    pub fn found(&self, pairs: &Pairs<Bits>, answer: &Answer<Bits>) -> Option<Found> {
        let starts = (0..self.starts).filter(|start| answer.winning.contains(*start));
        let mut lassos = starts.filter_map(|start| {
            let lasso = |component| Lasso::into_component(&self.graph, pairs, component, start);
            answer.components.iter().filter_map(lasso).min_by_key(|lasso| lasso.stem.len() + lasso.cycle.len())
        });
        lassos.next().map(|lasso| {
            let way: Vec<usize> = lasso.stem.iter().chain(&lasso.cycle).chain(lasso.cycle.first()).copied().collect();
            let steps = |way: &[usize]| way.windows(2).filter_map(|pair| self.step(pair[0], pair[1])).collect();
            let steps = [steps(&way[..=lasso.stem.len()]), steps(&way[lasso.stem.len()..])];
            Found { lasso, steps }
        })
    }

    /// The step that leads from a vertex to another one; `None` if nobody moves, or there is none.
    pub fn step(&self, from: usize, to: usize) -> Option<TransitionId> {
        let at = self.graph.successors(from).iter().position(|next| *next as usize == to)?;
        self.steps[from].get(at).copied().flatten()
    }

    /// The steps along some vertices, with the values that were chosen. Where nobody moves, there is none.
    pub fn told(&self, way: &[usize]) -> Vec<RunStep> {
        let told = |pair: &[usize]| {
            let transition = self.step(pair[0], pair[1])?;
            let (before, _) = self.vertex(pair[0]);
            let (state, _) = self.vertex(pair[1]);
            let thread = usize::from(self.system.transition(transition).thread);
            let successors = self.system.successors(before, thread).unwrap_or_default();
            let fits = |next: &Successor| next.transition == transition && next.state == *state;
            let inputs = successors.into_iter().find(fits).map(|next| next.inputs).unwrap_or_default();
            Some(RunStep { transition, inputs, state: state.clone() })
        };
        way.windows(2).filter_map(told).collect()
    }

    /// A shortest way from a start to a vertex.
    pub fn way_to(&self, vertex: usize) -> Vec<usize> {
        let mut before: FxHashMap<usize, usize> = FxHashMap::default();
        let mut queue: std::collections::VecDeque<usize> = (0..self.starts).collect();
        while let Some(at) = queue.pop_front() {
            if at == vertex {
                break;
            }
            for to in self.graph.successors(at).iter().map(|to| *to as usize).filter(|to| *to >= self.starts) {
                before.entry(to).or_insert_with(|| {
                    queue.push_back(to);
                    at
                });
            }
        }
        let mut way = vec![vertex];
        let mut at = vertex;
        while at >= self.starts
            && let Some(previous) = before.get(&at)
        {
            way.push(*previous);
            at = *previous;
        }
        way.reverse();
        way
    }

    /// The number of a vertex: a state, who moved last, and whose choice comes next.
    pub fn number(&self, state: &State, last: Option<u16>, choice: Option<u16>) -> Option<u32> {
        self.numbers.get(&(self.states.find(state)?, last, choice)).copied()
    }
}

/// What is promised to a thread, where so many are the program's own.
pub(crate) fn promised(promises: &Promises, thread: u16, threads: usize) -> Fairness {
    let other = promises.others.iter().rev().find(|(other, _)| *other == thread).map(|(_, fairness)| *fairness);
    let is_own = usize::from(thread) < threads;
    other.unwrap_or(if is_own { promises.threads } else { promises.buffers })
}

/// The pair of a promise to a thread: who comes to the first again and again has to come to the second again and again.
pub(crate) fn promise_claims(thread: u16, fairness: Fairness) -> Option<(Claim, Claim)> {
    let moved = Claim::Moved(thread);
    match fairness {
        Fairness::None => None,
        Fairness::Strong => Some((Claim::Enabled(thread), moved)),
        Fairness::Weak => {
            let idle = Claim::Not(Box::new(Claim::Enabled(thread)));
            Some((Claim::All(Vec::new()), Claim::Any(vec![moved, idle])))
        }
    }
}

/// Whether a step tosses a coin.
fn tosses(system: &System, step: TransitionId) -> bool {
    system.transition(step).inputs.iter().any(|input| input.is_random())
}

/// Refuses steps of which it is not known whether an input or a coin is chosen first.
pub(crate) fn refuse_mixed(system: &System) -> Result<(), ProgramError> {
    for thread in &system.threads {
        for point in &thread.points {
            let inputs = || point.transitions.iter().flat_map(|id| &system.transition(*id).inputs);
            if inputs().any(|input| input.is_random()) && inputs().any(|input| !input.is_random()) {
                return Err(ProgramError::InputAndCoin(point.span));
            }
        }
    }
    Ok(())
}
