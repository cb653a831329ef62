//! The second procedure: a SAT solver chooses the orders, and cycles are what it is told not to choose.
//!
//! After the encoding of the thesis (§4.2 there, one strict order of all events in an SMT solver). Here, each pair of messages of a
//! handler has a Boolean for which is taken first, and in a queue another one for which is posted first. That all is one
//! strict order is not written down: three events a clause would be cubic. A candidate is drawn as a graph, the shortest cycles
//! found in it are forbidden, and the solver is asked again, until there is no cycle or no candidate. So transitivity comes in
//! where it matters only.
//!
//! Deviations from print: fr is an edge, too, or memory would not be sequentially consistent. What is there at the start comes
//! before all that is posted, in the order in which it is written. What was posted and never taken was posted behind all that a queue's handler took.
//!
//! It shares nothing with the solver that saturates but the trace.
//!
//! The solver is `batsat`, in Rust, without a clock, threads or C. What it spends is charged by propagations and conflicts, so a
//! limit cuts the same everywhere. It is called for so many decisions at a time, between which it may pause.

use super::{EventIndex, HandlerIndex, Kind, Mailbox, MessageIndex, Trace};
use crate::budget::{Halt, Meter, Paused};
use batsat::{Callbacks, Lit, Solver, SolverInterface, SolverOpts, lbool};
use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, VecDeque};

/// What explains a consistent trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SatWitness {
    /// By handler: the messages that it took, in that order.
    pub orders: Vec<Vec<MessageIndex>>,
    /// All events in the order of a run.
    pub schedule: Vec<EventIndex>,
}

/// What the procedure says of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SatAnswer {
    /// There is a run.
    Consistent(SatWitness),
    /// There is none.
    Inconsistent,
    /// The search was given up at its limit.
    Undecided,
}

/// Lets the solver stop after so many decisions.
struct Slice(Cell<u64>);

impl Callbacks for Slice {
    fn stop(&self) -> bool {
        let left = self.0.get();
        self.0.set(left.saturating_sub(1));
        left == 0
    }
}

/// The least number of decisions between two looks at the meter.
const SLICE: u64 = 1 << 12;

/// The most cycles that one candidate is refused for, by strongly connected component.
const CYCLES: usize = 32;

/// An edge that is there if a literal is true.
#[derive(Clone, Copy)]
struct Choice {
    from: u32,
    to: u32,
    chosen: Lit,
}

/// A search that can be gone on with after a pause.
pub struct SatSearch<'t> {
    trace: &'t Trace,
    solver: Solver<Slice>,
    /// By event: where po, rf, co, fr and pb lead, and what mailboxes demand whatever is chosen.
    fixed: Vec<Vec<u32>>,
    /// Two for each Boolean, one of which is there.
    choices: Vec<Choice>,
    /// Whether a cycle is there whatever is chosen.
    impossible: bool,
    rounds: u64,
    /// What was charged for what the solver did.
    charged: u64,
}

impl<'t> SatSearch<'t> {
    /// The search before its start. It holds a Boolean or two for each pair of messages of a handler.
    ///
    /// # Errors
    /// [`Halt`] if that is too much for the meter, or somebody wants to stop.
    pub fn new(trace: &'t Trace, meter: &mut Meter<'_>) -> Result<Self, Halt> {
        Self::of(trace, fixed(trace, &taken(trace)), meter)
    }

    /// The search with these edges beside those that are chosen; `None` are contradictory ones.
    fn of(trace: &'t Trace, fixed: Option<Vec<Vec<u32>>>, meter: &mut Meter<'_>) -> Result<Self, Halt> {
        let taken = taken(trace);
        let pairs: u64 = taken.iter().map(|messages| (messages.len() as u64).pow(2)).sum();
        // A Boolean takes some dozen words in the solver.
        meter.hold(16 * pairs)?;
        meter.spend(16 * pairs + trace.events.len() as u64)?;
        let order = fixed.as_deref().and_then(topological);
        let mut search = Self {
            trace,
            solver: Solver::new(SolverOpts::default(), Slice(Cell::new(0))),
            impossible: order.is_none(),
            fixed: fixed.unwrap_or_default(),
            choices: Vec::new(),
            rounds: 0,
            charged: 0,
        };
        if let Some(order) = order {
            search.choose(&taken, &order);
        }
        Ok(search)
    }

    /// Adds the Booleans and what mailboxes demand of them. The solver tries `false` first, which is the order of `order`: that
    /// is a strict order of the events at once, if a wrong one.
    fn choose(&mut self, taken: &[Vec<MessageIndex>], order: &[u32]) {
        let trace = self.trace;
        let mut place = vec![0; order.len()];
        for (at, &event) in order.iter().enumerate() {
            place[event as usize] = at;
        }
        for (handler, messages) in taken.iter().enumerate() {
            let queue = is_queue(trace, HandlerIndex(handler as u32));
            let mut messages = messages.clone();
            messages.sort_by_key(|&message| place[ends(trace, message).0 as usize]);
            for (at, &one) in messages.iter().enumerate() {
                for &other in &messages[at + 1..] {
                    let eo = Lit::new(self.solver.new_var_default(), false);
                    for (first, second, chosen) in [(one, other, eo), (other, one, !eo)] {
                        self.choices.push(Choice { from: ends(trace, first).1, to: ends(trace, second).0, chosen });
                    }
                    let clauses = match (trace.message(one).post, trace.message(other).post) {
                        (Some(a), Some(b)) if queue => {
                            let mo = Lit::new(self.solver.new_var_default(), false);
                            for (from, to, chosen) in [(a.0, b.0, mo), (b.0, a.0, !mo)] {
                                self.choices.push(Choice { from, to, chosen });
                            }
                            // do: who was posted first is taken first.
                            vec![vec![!mo, eo], vec![mo, !eo]]
                        }
                        (None, Some(_)) if queue => vec![vec![eo]],
                        (Some(_), None) if queue => vec![vec![!eo]],
                        (None, None) if trace.starts_before(one, other) => vec![vec![eo]],
                        (None, None) if trace.starts_before(other, one) => vec![vec![!eo]],
                        _ => Vec::new(),
                    };
                    for mut clause in clauses {
                        self.solver.add_clause_reuse(&mut clause);
                    }
                }
            }
        }
    }

    /// Candidates that were looked at.
    pub fn rounds(&self) -> u64 {
        self.rounds
    }

    /// Goes on. `None` says that there is no run.
    ///
    /// # Errors
    /// [`Halt`] at the limit, or to come back. What was learnt is kept.
    pub fn run(&mut self, meter: &mut Meter<'_>) -> Result<Option<SatWitness>, Halt> {
        if self.impossible {
            return Ok(None);
        }
        let edges = (self.choices.len() + self.trace.events.len()) as u64;
        loop {
            // Enough to give each Boolean a value more than once.
            self.solver.cb_mut().0.set(SLICE.max(2 * edges));
            let answer = self.solver.solve_limited(&[]);
            let work = 4 * self.solver.num_propagations() + 16 * self.solver.num_conflicts();
            let more = work.saturating_sub(self.charged);
            self.charged = work;
            meter.charge(more)?;
            if answer == lbool::FALSE {
                return Ok(None);
            }
            if answer != lbool::TRUE {
                continue;
            }
            meter.spend(4 * edges)?;
            self.rounds += 1;
            let graph = self.graph();
            let plain: Vec<Vec<u32>> = graph.iter().map(|to| to.iter().map(|&(to, _)| to).collect()).collect();
            if let Some(order) = topological(&plain) {
                return Ok(Some(self.witness(&order)));
            }
            // Refused even if that takes longer than is left, so that the candidate does not come again.
            let (refused, steps) = cycles(&graph, &components(&plain));
            for mut clause in refused {
                self.solver.add_clause_reuse(&mut clause);
            }
            meter.charge(steps)?;
        }
    }

    /// The candidate: by event where its edges lead, and what chose them.
    fn graph(&self) -> Vec<Vec<(u32, Option<Lit>)>> {
        let mut graph: Vec<Vec<_>> = self.fixed.iter().map(|to| to.iter().map(|&to| (to, None)).collect()).collect();
        for choice in &self.choices {
            if self.solver.value_lit(choice.chosen) == lbool::TRUE {
                graph[choice.from as usize].push((choice.to, Some(choice.chosen)));
            }
        }
        graph
    }

    fn witness(&self, order: &[u32]) -> SatWitness {
        let mut orders = vec![Vec::new(); self.trace.handlers.len()];
        for &event in order {
            let message = self.trace.event(EventIndex(event)).message;
            if ends(self.trace, message).0 == event {
                orders[self.trace.message(message).handler.index()].push(message);
            }
        }
        SatWitness { orders, schedule: order.iter().copied().map(EventIndex).collect() }
    }
}

/// Decides a trace.
///
/// # Errors
/// [`Paused`] if somebody wants to stop. To go on where it was, keep a [`SatSearch`].
pub fn decide_by_sat(trace: &Trace, meter: &mut Meter<'_>) -> Result<SatAnswer, Paused> {
    let answer = SatSearch::new(trace, meter).and_then(|mut search| search.run(meter));
    match answer {
        Ok(Some(witness)) => Ok(SatAnswer::Consistent(witness)),
        Ok(None) => Ok(SatAnswer::Inconsistent),
        Err(Halt::Limit) => Ok(SatAnswer::Undecided),
        Err(Halt::Paused) => Err(Paused),
    }
}

fn is_queue(trace: &Trace, handler: HandlerIndex) -> bool {
    let handler = trace.handler(handler);
    handler.mailbox == Mailbox::Queue && !handler.is_thread
}

/// By handler: the messages that have events.
fn taken(trace: &Trace) -> Vec<Vec<MessageIndex>> {
    let mut taken = vec![Vec::new(); trace.handlers.len()];
    for (at, message) in trace.messages.iter().enumerate() {
        if !message.events.is_empty() {
            taken[message.handler.index()].push(MessageIndex(at as u32));
        }
    }
    taken
}

/// The first and the last event of a message that was taken.
fn ends(trace: &Trace, message: MessageIndex) -> (u32, u32) {
    let events = &trace.message(message).events;
    (events[0].0, events[events.len() - 1].0)
}

/// By event: where the edges lead that no choice has a part in. `None` if a message that waits since the start and is never
/// taken is before one in a queue that is.
fn fixed(trace: &Trace, taken: &[Vec<MessageIndex>]) -> Option<Vec<Vec<u32>>> {
    let mut edges = vec![Vec::new(); trace.events.len()];
    for (index, message) in (0..).map(MessageIndex).zip(&trace.messages) {
        // po
        for pair in message.events.windows(2) {
            edges[pair[0].index()].push(pair[1].0);
        }
        match (message.post, message.events.first()) {
            // pb
            (Some(post), Some(get)) => edges[post.index()].push(get.0),
            (post, None) if is_queue(trace, message.handler) => {
                for &other in &taken[message.handler.index()] {
                    match (trace.message(other).post, post) {
                        (Some(first), Some(second)) => edges[first.index()].push(second.0),
                        (Some(_), None) => return None,
                        (None, None) if trace.starts_before(index, other) => return None,
                        (None, _) => {}
                    }
                }
            }
            _ => {}
        }
    }
    add_memory(trace, &mut edges);
    Some(edges)
}

/// Adds rf, co and fr.
fn add_memory(trace: &Trace, edges: &mut [Vec<u32>]) {
    let mut overwritten = vec![None; trace.events.len()];
    for writes in &trace.co {
        for pair in writes.windows(2) {
            edges[pair[0].index()].push(pair[1].0);
            overwritten[pair[0].index()] = Some(pair[1]);
        }
    }
    for (at, event) in trace.events.iter().enumerate() {
        let Kind::Read { location, source, .. } = event.kind else { continue };
        if let Some(source) = source {
            edges[source.index()].push(at as u32);
        }
        // fr, to the next write; co leads on.
        let next = match source {
            Some(source) => overwritten[source.index()],
            None => trace.co[location.index()].first().copied(),
        };
        edges[at].extend(next.map(|next| next.0));
    }
}

/// Whether there would be an order of the events if fr were not demanded.
#[cfg(test)]
pub(super) fn without_from_read(trace: &Trace) -> bool {
    use crate::budget::Budget;
    let mut budget = Budget::unlimited();
    let mut meter = Meter::unlimited(&mut budget);
    let Some(mut edges) = fixed(trace, &taken(trace)) else { return false };
    // A read takes from writes and is in po: its edges to writes of other messages are fr.
    for (at, to) in edges.iter_mut().enumerate() {
        if matches!(trace.events[at].kind, Kind::Read { .. }) {
            let events = &trace.message(trace.events[at].message).events;
            let next = events.iter().position(|event| event.index() == at).and_then(|place| events.get(place + 1));
            to.retain(|&to| Some(&EventIndex(to)) == next);
        }
    }
    let search = SatSearch::of(trace, Some(edges), &mut meter);
    matches!(search.and_then(|mut search| search.run(&mut meter)), Ok(Some(_)))
}

/// The events in an order that goes along with all edges, the first in the trace first where there is a choice.
fn topological(edges: &[Vec<u32>]) -> Option<Vec<u32>> {
    let mut before = vec![0u32; edges.len()];
    for &to in edges.iter().flatten() {
        before[to as usize] += 1;
    }
    let free = |(at, &before): (usize, &u32)| (before == 0).then_some(Reverse(at as u32));
    let mut ready: BinaryHeap<_> = before.iter().enumerate().filter_map(free).collect();
    let mut order = Vec::with_capacity(edges.len());
    while let Some(Reverse(at)) = ready.pop() {
        order.push(at);
        for &to in &edges[at as usize] {
            before[to as usize] -= 1;
            if before[to as usize] == 0 {
                ready.push(Reverse(to));
            }
        }
    }
    (order.len() == edges.len()).then_some(order)
}

/// By event: its strongly connected component. Kosaraju's algorithm, without recursion.
fn components(edges: &[Vec<u32>]) -> Vec<u32> {
    let mut back = vec![Vec::new(); edges.len()];
    for (from, to) in edges.iter().enumerate() {
        to.iter().for_each(|&to| back[to as usize].push(from as u32));
    }
    let mut seen = vec![false; edges.len()];
    let mut finished = Vec::with_capacity(edges.len());
    for root in 0..edges.len() as u32 {
        let mut stack = if std::mem::replace(&mut seen[root as usize], true) { Vec::new() } else { vec![(root, 0)] };
        while let Some((at, next)) = stack.last_mut() {
            let from = *at as usize;
            match edges[from].get(*next) {
                Some(&to) => {
                    *next += 1;
                    if !std::mem::replace(&mut seen[to as usize], true) {
                        stack.push((to, 0));
                    }
                }
                None => {
                    finished.push(*at);
                    stack.pop();
                }
            }
        }
    }
    let mut component = vec![u32::MAX; edges.len()];
    for &root in finished.iter().rev() {
        let mut stack = vec![root];
        while let Some(at) = stack.pop() {
            if component[at as usize] == u32::MAX {
                component[at as usize] = root;
                stack.extend(back[at as usize].iter().filter(|&&to| component[to as usize] == u32::MAX));
            }
        }
    }
    component
}

/// Clauses that refuse cycles, each with as few choices as any cycle through one of its edges, and how many steps were taken.
fn cycles(graph: &[Vec<(u32, Option<Lit>)>], component: &[u32]) -> (BTreeSet<Vec<Lit>>, u64) {
    let (mut refused, mut steps) = (BTreeSet::new(), 0);
    let mut tried = vec![0usize; graph.len()];
    for (from, to) in graph.iter().enumerate() {
        for &(to, chosen) in to {
            let inside = component[from] == component[to as usize];
            let Some(chosen) = chosen.filter(|_| inside && tried[component[from] as usize] < CYCLES) else { continue };
            tried[component[from] as usize] += 1;
            let way = fewest_choices(graph, component, to, from as u32, &mut steps);
            let mut clause: Vec<Lit> = way.into_iter().chain([chosen]).map(|chosen| !chosen).collect();
            clause.sort_unstable();
            clause.dedup();
            refused.insert(clause);
        }
    }
    (refused, steps)
}

/// The choices on a way from one event to another of the same component that has as few of them as any.
fn fewest_choices(
    graph: &[Vec<(u32, Option<Lit>)>],
    component: &[u32],
    start: u32,
    end: u32,
    steps: &mut u64,
) -> Vec<Lit> {
    let mut distance = vec![u32::MAX; graph.len()];
    let mut before: Vec<Option<(u32, Option<Lit>)>> = vec![None; graph.len()];
    distance[start as usize] = 0;
    let mut work = VecDeque::from([(start, 0)]);
    while let Some((at, far)) = work.pop_front() {
        if at == end {
            break;
        }
        if far > distance[at as usize] {
            continue;
        }
        for &(to, chosen) in &graph[at as usize] {
            *steps += 1;
            let next = far + u32::from(chosen.is_some());
            if component[to as usize] != component[start as usize] || next >= distance[to as usize] {
                continue;
            }
            distance[to as usize] = next;
            before[to as usize] = Some((at, chosen));
            match chosen {
                Some(_) => work.push_back((to, next)),
                None => work.push_front((to, next)),
            }
        }
    }
    let mut way = Vec::new();
    let mut at = end;
    while let Some((from, chosen)) = before[at as usize].filter(|_| at != start) {
        way.extend(chosen);
        at = from;
    }
    way
}
