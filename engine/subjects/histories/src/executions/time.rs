//! The runs of an execution, and the histories that a clock sees in them.

use super::linearize::{Possible, Ways, is_subset};
use super::{Operations, Order, Search, Unjudged};
use crate::graph::{EventId, Execution, Label, ThreadId};
use crate::model::{Buffers, Model};
use crate::program::Mode;
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// A state of the machine: how far each thread is, which write each location has its value from, and what waits in the store buffers,
/// oldest first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Place {
    at: Vec<u32>,
    memory: Vec<EventId>,
    buffers: Vec<Vec<EventId>>,
}

/// A step of a run: where it leads, and the event that a thread performs; `None` where a write reaches memory.
type Turn = (u32, Option<EventId>);

/// All runs of an execution under a model with a machine: each order in which the machine can perform its events and commit its writes so
/// that every read reads from its source. Whatever co they have.
pub struct Runs<'g> {
    graph: &'g Execution,
    /// By place: the turns that lead to the end of some run.
    turns: Vec<Vec<Turn>>,
    /// By place: all is done there.
    is_end: Vec<bool>,
}

/// What a clock sees: operations by thread and place with their results, and which returned before which was called.
pub type Timed = Order;

/// What happens with an event.
#[derive(Clone, Copy, Debug)]
enum Mark {
    Call(usize),
    Return(usize),
}

impl<'g> Runs<'g> {
    /// The runs of a graph.
    ///
    /// # Errors
    /// [`Unjudged`] if there is no machine, or where the search says so.
    pub fn new(model: Model, graph: &'g Execution, search: &mut Search) -> Result<Self, Unjudged> {
        let rules = model.rules();
        if !rules.has_machine() {
            return Err(Unjudged::NoMachine(model));
        }
        if graph.has_handlers() {
            return Err(Unjudged::Handlers);
        }
        let machine = Machine::new(graph, rules.buffers);
        let mut places: IndexMap<Place, Vec<Turn>, FxBuildHasher> = IndexMap::default();
        places.insert(machine.start(), Vec::new());
        let mut next = 0;
        while next < places.len() {
            let Some((place, _)) = places.get_index(next) else { break };
            let mut turns = Vec::new();
            for (to, performed) in machine.turns(place) {
                let entry = places.entry(to);
                turns.push((entry.index() as u32, performed));
                entry.or_default();
            }
            places[next] = turns;
            search.meet(places.len(), graph.len())?;
            next += 1;
        }
        let is_end: Vec<bool> = places.keys().map(|place| machine.is_done(place)).collect();
        let mut runs = Self { graph, turns: places.into_values().collect(), is_end };
        runs.drop_dead_ends();
        Ok(runs)
    }

    /// Leaves out what leads to no end.
    fn drop_dead_ends(&mut self) {
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); self.turns.len()];
        for (place, turns) in self.turns.iter().enumerate() {
            turns.iter().for_each(|(to, _)| before[*to as usize].push(place as u32));
        }
        let mut ends = self.is_end.clone();
        let mut work: Vec<u32> = (0..ends.len() as u32).filter(|place| ends[*place as usize]).collect();
        while let Some(place) = work.pop() {
            for &from in &before[place as usize] {
                if !std::mem::replace(&mut ends[from as usize], true) {
                    work.push(from);
                }
            }
        }
        for turns in &mut self.turns {
            turns.retain(|(to, _)| ends[*to as usize]);
        }
    }

    /// What is called and returns with each event, in its order; and what is called before all events.
    fn marks(&self, operations: &Operations) -> (FxHashMap<EventId, Vec<Mark>>, Vec<Mark>) {
        let mut marks: FxHashMap<EventId, Vec<Mark>> = FxHashMap::default();
        let mut start = Vec::new();
        for (at, done) in operations.list.iter().enumerate() {
            if done.is_before() {
                start.extend([Mark::Call(at), Mark::Return(at)]);
                continue;
            }
            let Some((first, last)) = done.ends else {
                // Between the events around it.
                let events = self.graph.thread(done.call.thread);
                let behind = done.call.behind as usize;
                match behind.checked_sub(1).and_then(|before| events.get(before)) {
                    Some(before) => marks.entry(*before).or_default().push(Mark::Call(at)),
                    None => start.push(Mark::Call(at)),
                }
                if let Some(next) = events.get(behind).filter(|_| done.returned()) {
                    marks.entry(*next).or_default().insert(0, Mark::Return(at));
                }
                continue;
            };
            marks.entry(first).or_default().push(Mark::Call(at));
            if done.returned() {
                marks.entry(last).or_default().push(Mark::Return(at));
            }
        }
        (marks, start)
    }

    /// A history of these runs that the object does not allow; `None` if it allows all.
    ///
    /// A search over prefixes of runs with all ways in which the operations so far may have taken effect. A place with fewer ways is the
    /// worse one: what was met with some of the ways is fine if that was.
    ///
    /// # Errors
    /// [`Unjudged`] where the search says so.
    pub fn worst(&self, operations: &Operations, search: &mut Search) -> Result<Option<Order>, Unjudged> {
        let (marks, start) = self.marks(operations);
        let (mut ways, first) = Ways::new(operations);
        let mut seen: FxHashMap<u32, Vec<(Possible, u64)>> = FxHashMap::default();
        let mut state = Clocked { before: operations.of_threads(), possible: first, active: 0, returned: 0 };
        start.iter().for_each(|mark| state.pass(*mark, Some(&mut ways)));
        let mut work = vec![(0u32, state)];
        if !self.is_end[0] && self.turns[0].is_empty() {
            return Ok(None);
        }
        let mut states = 0;
        while let Some((place, state)) = work.pop() {
            if state.possible.is_empty() {
                return Ok(Some(self.to_its_end(place, state, &marks)));
            }
            states += 1;
            search.meet(states, operations.list.len())?;
            let met = seen.entry(place).or_default();
            // Which operations are active follows from the place.
            if met.iter().any(|(smaller, _)| is_subset(smaller, &state.possible)) {
                continue;
            }
            met.retain(|(larger, _)| !is_subset(&state.possible, larger));
            met.push((state.possible.clone(), state.active));
            for &(to, performed) in &self.turns[place as usize] {
                let mut next = state.clone();
                let marks = performed.and_then(|event| marks.get(&event)).into_iter().flatten();
                marks.for_each(|mark| next.pass(*mark, Some(&mut ways)));
                work.push((to, next));
            }
        }
        Ok(None)
    }

    /// What a clock sees of one of these runs; if there is none, what the threads order.
    pub fn first(&self, operations: &Operations) -> Order {
        let (marks, start) = self.marks(operations);
        let mut state = Clocked { before: operations.of_threads(), possible: Vec::new(), active: 0, returned: 0 };
        start.iter().for_each(|mark| state.pass(*mark, None));
        self.to_its_end(0, state, &marks)
    }

    /// What a clock sees of some run that goes on from a place.
    fn to_its_end(&self, mut place: u32, mut state: Clocked, marks: &FxHashMap<EventId, Vec<Mark>>) -> Order {
        while let Some(&(to, performed)) = self.turns[place as usize].first() {
            let marks = performed.and_then(|event| marks.get(&event)).into_iter().flatten();
            marks.for_each(|mark| state.pass(*mark, None));
            place = to;
        }
        state.before
    }

    /// What a clock may see of these runs.
    ///
    /// # Errors
    /// [`Unjudged`] where the search says so.
    pub fn timed(&self, operations: &Operations, search: &mut Search) -> Result<BTreeSet<Timed>, Unjudged> {
        let (marks, start) = self.marks(operations);
        let mut found = BTreeSet::new();
        let mut seen = FxHashSet::default();
        let mut state = Clocked { before: operations.of_threads(), possible: Vec::new(), active: 0, returned: 0 };
        start.iter().for_each(|mark| state.pass(*mark, None));
        let mut work = vec![(0u32, state)];
        while let Some((place, state)) = work.pop() {
            if !seen.insert((place, state.before.clone())) {
                continue;
            }
            search.meet(seen.len(), operations.list.len())?;
            if self.is_end[place as usize] {
                found.insert(state.before.clone());
            }
            for &(to, performed) in &self.turns[place as usize] {
                let mut next = state.clone();
                let marks = performed.and_then(|event| marks.get(&event)).into_iter().flatten();
                marks.for_each(|mark| next.pass(*mark, None));
                work.push((to, next));
            }
        }
        Ok(found)
    }
}

/// What a clock has seen of a run.
#[derive(Clone)]
struct Clocked {
    before: Order,
    possible: Possible,
    active: u64,
    returned: u64,
}

impl Clocked {
    fn pass(&mut self, mark: Mark, ways: Option<&mut Ways>) {
        match mark {
            Mark::Call(operation) => {
                self.before[operation] |= self.returned;
                self.active |= 1 << operation;
            }
            Mark::Return(operation) => {
                if let Some(ways) = ways {
                    self.possible = ways.give_back(&self.possible, self.active, operation);
                }
                self.active &= !(1 << operation);
                self.returned |= 1 << operation;
            }
        }
    }
}

/// The machine of a model, which performs what a graph says.
struct Machine<'g> {
    graph: &'g Execution,
    buffers: Option<Buffers>,
    /// The events of each thread that are performed: what ends it is not.
    threads: Vec<Vec<EventId>>,
    locations: usize,
}

impl<'g> Machine<'g> {
    fn new(graph: &'g Execution, buffers: Option<Buffers>) -> Self {
        let performed = |thread: usize| {
            let events = graph.thread(ThreadId(thread as u16)).iter().copied();
            events.take_while(|&e| !graph.event(e).ends_thread()).collect()
        };
        let threads = (0..graph.threads()).map(performed).collect();
        let locations = graph.events().take_while(|(_, event)| event.is_init()).count();
        Self { graph, buffers, threads, locations }
    }

    fn start(&self) -> Place {
        Place {
            at: vec![0; self.threads.len()],
            memory: (0..self.locations as u32).map(EventId).collect(),
            buffers: vec![Vec::new(); self.threads.len()],
        }
    }

    fn is_done(&self, place: &Place) -> bool {
        let is_over = |(at, events): (&u32, &Vec<EventId>)| *at as usize == events.len();
        place.at.iter().zip(&self.threads).all(is_over) && place.buffers.iter().all(Vec::is_empty)
    }

    fn turns(&self, place: &Place) -> Vec<(Place, Option<EventId>)> {
        let mut turns = Vec::new();
        for thread in 0..self.threads.len() {
            turns.extend(self.perform(place, thread));
            let waiting = &place.buffers[thread];
            for at in 0..waiting.len() {
                if !self.may_commit(waiting, at) {
                    continue;
                }
                let mut next = place.clone();
                let write = next.buffers[thread].remove(at);
                if let Some(location) = self.graph.event(write).location() {
                    next.memory[location.0 as usize] = write;
                }
                turns.push((next, None));
            }
        }
        turns
    }

    /// Whether a write may reach memory before those that are older.
    fn may_commit(&self, waiting: &[EventId], at: usize) -> bool {
        if self.buffers != Some(Buffers::OfLocations) {
            return at == 0;
        }
        let write = self.graph.event(waiting[at]);
        let unlocks = write.operation().is_some();
        waiting[..at].iter().all(|&older| {
            let older_event = self.graph.event(older);
            let events = self.graph.thread(write.thread());
            let between = &events[older_event.key.serial as usize..write.key.serial as usize - 1];
            let is_fence =
                |e: &EventId| matches!(self.graph.event(*e).label, Label::Fence(Mode::Release | Mode::AcquireRelease));
            !unlocks && older_event.location() != write.location() && !between.iter().any(is_fence)
        })
    }

    /// A thread's next event, if the machine can perform it so that it reads from its source.
    fn perform(&self, place: &Place, thread: usize) -> Option<(Place, Option<EventId>)> {
        let e = *self.threads[thread].get(place.at[thread] as usize)?;
        let event = self.graph.event(e);
        let waiting = &place.buffers[thread];
        let is_strong = match event.label {
            Label::Update { .. } => true,
            Label::Library { operation, .. } => operation.waits(),
            Label::Fence(mode) => mode == Mode::SequentiallyConsistent,
            _ => false,
        };
        if is_strong && !waiting.is_empty() {
            return None;
        }
        let location = event.location().map(|location| location.0 as usize);
        if let Some(location) = location.filter(|_| event.is_read()) {
            let own = waiting.iter().rev().find(|&&write| self.graph.event(write).location() == event.location());
            if self.graph.source(e) != Some(*own.unwrap_or(&place.memory[location])) {
                return None;
            }
        }
        let mut next = place.clone();
        next.at[thread] += 1;
        if let Some(location) = location.filter(|_| event.is_write()) {
            if self.buffers.is_none() || is_strong {
                next.memory[location] = e;
            } else {
                next.buffers[thread].push(e);
            }
        }
        Some((next, Some(e)))
    }
}
