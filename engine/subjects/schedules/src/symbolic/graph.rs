//! Trace graphs: events in a partial order whose edges hold by the state, and who waits for whom under them.

use super::derive::depend;
use super::{Event, Finite, Footprint, Run};
use litmoscope_core::program::system::{State, Term, Variable};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A scheduling constraint: of two events of different threads, one waits for the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// What comes first.
    pub from: Event,
    /// What waits.
    pub to: Event,
    /// In which states it does: a term over the values of variables that is not 0.
    pub when: Arc<Term>,
}

impl Edge {
    /// A constraint that always holds.
    pub fn always(from: Event, to: Event) -> Self {
        Self { from, to, when: Term::constant(1) }
    }

    /// Whether it holds in a state.
    pub fn holds(&self, state: &State) -> bool {
        self.when.evaluate(&state.values, &[]) != 0
    }
}

/// Why events and edges are no trace graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GraphError {
    /// An edge is at an event that is not there.
    #[error("a constraint names the event {} of thread {}, which is not in the graph", .0.index, .0.thread)]
    NoSuchEvent(Event),
    /// An edge is between events of one thread.
    #[error("a constraint between two events of one thread says nothing: they are ordered as they are")]
    OneThread(Event, Event),
    /// Events wait for each other.
    #[error("these constraints wait for each other in a circle: drop one of them")]
    Circle,
    /// Events of a prefix wait for what is not in it, or come after such an event of their thread.
    #[error("the event {} of thread {} comes after one that is not in the prefix", .0.index, .0.thread)]
    NotClosed(Event),
}

/// An access of an event, with the condition under which it is to each place: over variables that nobody writes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FixedAccess {
    pub(super) places: Vec<(Arc<Term>, Variable)>,
    /// The value that says which place it is to, and by place its value, if there is one.
    pub(super) address: Option<(Arc<Term>, BTreeMap<Variable, litmoscope_core::program::Value>)>,
    pub(super) writes: bool,
}

/// A symbolic trace graph: events, and a partial order with a state predicate on each edge. The order of a thread is part of it without
/// being listed.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct TraceGraph {
    events: BTreeSet<Event>,
    /// By the event that waits, then by what it waits for.
    edges: Vec<Edge>,
    /// What events access, of a graph that was derived from a run: of all events of that, in prefixes too.
    fixed: Option<Arc<BTreeMap<Event, Vec<FixedAccess>>>>,
}

impl TraceGraph {
    /// A graph of events and edges.
    ///
    /// # Errors
    /// [`GraphError`] for an edge at an event that is not there or within a thread, or edges in a circle, whatever their predicates are.
    pub fn new(events: impl IntoIterator<Item = Event>, mut edges: Vec<Edge>) -> Result<Self, GraphError> {
        let events: BTreeSet<Event> = events.into_iter().collect();
        for edge in &edges {
            if edge.from.thread == edge.to.thread {
                return Err(GraphError::OneThread(edge.from, edge.to));
            }
            if let Some(event) = [edge.from, edge.to].into_iter().find(|event| !events.contains(event)) {
                return Err(GraphError::NoSuchEvent(event));
            }
        }
        edges.sort_by_key(|edge| (edge.to, edge.from));
        let this = Self { events, edges, fixed: None };
        match this.linearisation().len() == this.events.len() {
            true => Ok(this),
            false => Err(GraphError::Circle),
        }
    }

    /// A graph whose edges all lead from an event to one that comes after it in some order.
    pub(super) fn along(
        events: impl IntoIterator<Item = Event>,
        mut edges: Vec<Edge>,
        fixed: BTreeMap<Event, Vec<FixedAccess>>,
    ) -> Self {
        edges.sort_by_key(|edge| (edge.to, edge.from));
        Self { events: events.into_iter().collect(), edges, fixed: Some(Arc::new(fixed)) }
    }

    /// The events.
    pub fn events(&self) -> &BTreeSet<Event> {
        &self.events
    }

    /// The edges, by what waits and then by what it waits for.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The threads that wait for others, ascending.
    pub fn waiting(&self) -> Vec<u16> {
        let threads: BTreeSet<u16> = self.edges.iter().map(|edge| edge.to.thread).collect();
        threads.into_iter().collect()
    }

    /// An order of the events that keeps to all edges, as far as there is one.
    fn linearisation(&self) -> Vec<Event> {
        let mut left = self.events.clone();
        let mut order = Vec::new();
        loop {
            let is_free = |event: &Event| {
                let first = left.range(Event { thread: event.thread, index: 0 }..).next();
                first == Some(event) && !self.edges.iter().any(|edge| edge.to == *event && left.contains(&edge.from))
            };
            let Some(event) = left.iter().copied().find(is_free) else { return order };
            left.remove(&event);
            order.push(event);
        }
    }

    /// The graph without an event and its edges.
    #[must_use]
    pub fn remove(&self, event: Event) -> Self {
        let mut this = self.clone();
        this.events.remove(&event);
        this.edges.retain(|edge| edge.from != event && edge.to != event);
        this
    }

    /// How many steps of a run keep to the graph, from the first on: each is an event of it that comes when no edge that holds in the state
    /// before leads to it from one that is still to come.
    pub fn adherence(&self, finite: &Finite<'_>, run: &Run) -> usize {
        let mut left = self.events.clone();
        for (at, step) in run.steps.iter().enumerate() {
            let state = run.state(finite, at);
            let waits = |edge: &Edge| edge.to == step.event && left.contains(&edge.from) && edge.holds(state);
            if !left.contains(&step.event) || self.edges.iter().any(waits) {
                return at;
            }
            left.remove(&step.event);
        }
        run.steps.len()
    }

    /// Whether a run adheres to the graph.
    pub fn adheres(&self, finite: &Finite<'_>, run: &Run) -> bool {
        self.adherence(finite, run) == run.steps.len()
    }

    /// Whether a run adheres to the graph and has all of its events: it is a linearisation.
    pub fn is_linearised_by(&self, finite: &Finite<'_>, run: &Run) -> bool {
        run.steps.len() == self.events.len() && self.adheres(finite, run)
    }

    /// Whether a run is covered: it adheres to the graph, or begins with a linearisation of it.
    pub fn covers(&self, finite: &Finite<'_>, run: &Run) -> bool {
        let kept = self.adherence(finite, run);
        kept == run.steps.len() || kept >= self.events.len()
    }

    /// What comes after some events, they themselves included: in their threads, and along edges, whatever their predicates are.
    pub fn after(&self, events: impl IntoIterator<Item = Event>) -> BTreeSet<Event> {
        let mut found = BTreeSet::new();
        let mut work: Vec<Event> = events.into_iter().filter(|event| self.events.contains(event)).collect();
        while let Some(event) = work.pop() {
            if found.insert(event) {
                let own = self.events.range(event..Event { thread: event.thread, index: u32::MAX });
                work.extend(own);
                work.extend(self.edges.iter().filter(|edge| edge.from == event).map(|edge| edge.to));
            }
        }
        found
    }

    /// The prefix of some of its events, with all edges between them.
    ///
    /// # Errors
    /// [`GraphError::NoSuchEvent`], and [`GraphError::NotClosed`] if an event comes after one that is not among them.
    pub fn prefix(&self, events: BTreeSet<Event>) -> Result<Self, GraphError> {
        if let Some(event) = events.iter().find(|event| !self.events.contains(event)) {
            return Err(GraphError::NoSuchEvent(*event));
        }
        let outside = self.events.iter().copied().filter(|event| !events.contains(event));
        if let Some(event) = self.after(outside).into_iter().find(|event| events.contains(event)) {
            return Err(GraphError::NotClosed(event));
        }
        Ok(self.induced(events))
    }

    fn induced(&self, events: BTreeSet<Event>) -> Self {
        let is_in = |edge: &&Edge| events.contains(&edge.from) && events.contains(&edge.to);
        let edges = self.edges.iter().filter(is_in).cloned().collect();
        Self { events, edges, fixed: self.fixed.clone() }
    }

    /// Whether it is a prefix of another graph, with strictly fewer events.
    pub fn is_prefix_of(&self, other: &Self) -> bool {
        self.events.len() < other.events.len()
            && other.prefix(self.events.clone()).is_ok_and(|prefix| prefix.edges == self.edges)
    }

    /// The largest prefix that does without a constraint between two events: neither of them is in it, nor anything after them.
    #[must_use]
    pub fn without(&self, from: Event, to: Event) -> Self {
        let after = self.after([from, to]);
        self.induced(self.events.difference(&after).copied().collect())
    }

    /// For which events the next event of a thread waits; it is free if there are none. `executed` says how many events each thread has
    /// executed.
    ///
    /// An event of the graph waits for those from which an edge leads to it that holds now. An event outside waits for all that are still
    /// to come and that it may depend on: for all, if it is not known what those access. An event of a thread that goes on no more does not
    /// come, and nobody waits for it.
    ///
    /// As printed, events outside the graph are free, and predicates are looked at once for a whole sequence of events. So an event behind
    /// the prefix may overtake one in it, in an order that nobody has verified.
    pub fn waits(&self, finite: &Finite<'_>, state: &State, executed: &[u32], thread: usize) -> Vec<Event> {
        let next = Event { thread: thread as u16, index: executed[thread] };
        let is_pending = |event: &Event| {
            event.thread != next.thread
                // What names a thread that there is not never comes.
                && executed.get(usize::from(event.thread)).is_some_and(|executed| *executed <= event.index)
                && finite.is_active(state, event.thread.into())
        };
        if self.events.contains(&next) {
            let first = self.edges.partition_point(|edge| edge.to < next);
            let own = self.edges[first..].iter().take_while(|edge| edge.to == next);
            return own.filter(|edge| is_pending(&edge.from) && edge.holds(state)).map(|edge| edge.from).collect();
        }
        let mut pending = self.events.iter().filter(|event| is_pending(event)).peekable();
        if pending.peek().is_none() {
            return Vec::new();
        }
        let footprint = finite.footprint(state, thread);
        pending
            .filter(|event| self.fixed_footprint(**event, state).is_none_or(|other| !other.is_independent(&footprint)))
            .copied()
            .collect()
    }

    /// What an event accesses, by the values of variables that nobody writes; `None` if that is not known.
    fn fixed_footprint(&self, event: Event, state: &State) -> Option<Footprint> {
        let accesses = self.fixed.as_ref()?.get(&event)?;
        Some(Footprint::of(accesses.iter().flat_map(|access| {
            let places = access.places.iter().filter(|(when, _)| when.evaluate(&state.values, &[]) != 0);
            places.map(|(_, variable)| (*variable, access.writes))
        })))
    }

    /// In which states two events access the same place, of which one writes; `None` if it is not known what they access: of a graph that
    /// was not derived from a run.
    pub fn dependence(&self, one: Event, other: Event) -> Option<Arc<Term>> {
        let fixed = self.fixed.as_ref()?;
        Some(depend(fixed.get(&one)?, fixed.get(&other)?))
    }

    /// The first step of a run that is not permitted, with what its event has to wait for there.
    pub fn forbids(&self, finite: &Finite<'_>, run: &Run) -> Option<(usize, Vec<Event>)> {
        let mut executed = vec![0; finite.threads()];
        for (at, step) in run.steps.iter().enumerate() {
            let thread = usize::from(step.event.thread);
            let waits = self.waits(finite, run.state(finite, at), &executed, thread);
            if !waits.is_empty() {
                return Some((at, waits));
            }
            executed[thread] += 1;
        }
        None
    }
}
