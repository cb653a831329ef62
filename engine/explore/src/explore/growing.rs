//! A graph that grows event by event: what explorers need besides their sets of options.

use super::Options;
use crate::graph::{Event, EventId, EventKey, EventSet, Execution, Label, ThreadId};
use crate::library;
use crate::program::{Action, Code, Location, ThreadState, Value};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// A graph and the states of the threads that grow it.
#[derive(Clone, Debug)]
pub(super) struct GrowingGraph {
    pub code: Arc<Code>,
    options: Options,
    pub graph: Execution,
    /// By thread: its state before each of its events, and at its end. Checkpoints share them.
    states: Vec<Vec<Arc<ThreadState>>>,
}

/// What was done to a graph when an option was taken.
#[derive(Debug)]
pub(super) struct Cut {
    /// The events that are gone.
    pub removed: Vec<Event>,
    /// The events behind the one that the option changes.
    pub kept: EventSet,
}

impl GrowingGraph {
    /// The initial writes.
    pub(super) fn new(code: Arc<Code>, options: Options) -> Self {
        let states = (0..code.threads.len()).map(|thread| vec![Arc::new(ThreadState::new(&code, thread))]).collect();
        Self { graph: Execution::initial(&code), states, code, options }
    }

    /// `next_P`: what the left-most thread does that is neither finished, stuck nor cut.
    pub(super) fn next(&mut self) -> Option<(ThreadId, Action)> {
        (0..self.states.len()).find_map(|thread| Some((ThreadId(thread as u16), self.next_of(thread)?)))
    }

    /// What a thread does next, if it is neither finished, stuck nor cut.
    pub(super) fn next_of(&mut self, thread: usize) -> Option<Action> {
        let last = self.graph.thread(ThreadId(thread as u16)).last();
        if last.is_some_and(|&e| self.graph.event(e).ends_thread()) {
            return None;
        }
        let state = self.states[thread].last_mut().expect("a thread has a state at its start");
        let action = Arc::make_mut(state).advance(&self.code, thread, self.options.limits);
        (action != Action::Finished).then_some(action)
    }

    /// A graph of these events in this order, each with its source. Threads have to be prefixes.
    pub(super) fn rebuild(&self, events: &[(Event, Option<EventKey>)]) -> Self {
        let mut rebuilt = Self::new(Arc::clone(&self.code), self.options);
        for (event, _) in events {
            rebuilt.restore(event);
        }
        rebuilt.connect(events);
        rebuilt
    }

    /// Gives events that were restored their sources: only when all are there, as a read may stand before its source.
    fn connect(&mut self, events: &[(Event, Option<EventKey>)]) {
        for (event, source) in events {
            if let Some(source) = source {
                let found = (self.graph.find(event.key), self.graph.find(*source));
                let (Some(read), Some(write)) = found else { unreachable!("what is kept is closed under rf") };
                self.take(read, write, event.fails_spuriously());
            }
        }
    }

    /// Adds what [`Self::next`] said. A read has no source yet and its thread waits for [`Self::resume`].
    pub(super) fn add(&mut self, thread: ThreadId, action: Action) -> EventId {
        let state = self.states[thread.index()].last();
        let span = state.and_then(|state| state.span(&self.code, thread.index())).unwrap_or_default();
        let e = self.graph.add(thread, action, span);
        if !self.graph.event(e).is_read() && !self.graph.event(e).is_get() {
            self.resume(e);
        }
        e
    }

    /// Adds the state of an event's thread behind it.
    pub(super) fn resume(&mut self, e: EventId) {
        let event = self.graph.event(e);
        if event.ends_thread() {
            return;
        }
        let thread = event.thread().index();
        let mut state = ThreadState::clone(self.states[thread].last().expect("a thread has a state at its start"));
        if let Label::Get { message: Some(message) } = event.label {
            state.take_message(&self.code, thread, message, event.value_read.unwrap_or_default());
            self.states[thread].push(Arc::new(state));
            return;
        }
        state.resume_as(&self.code, thread, event.value_read, event.fails_spuriously());
        self.states[thread].push(Arc::new(state));
    }

    /// Takes the source of its thread's last event away again: the thread waits for [`Self::resume`].
    pub(super) fn release(&mut self, read: EventId) {
        let EventKey { thread, serial } = self.key(read);
        self.graph.block(read);
        self.states[thread.index()].truncate(serial as usize);
    }

    pub(super) fn key(&self, e: EventId) -> EventKey {
        self.graph.event(e).key
    }

    /// The writes that a read could take, in the order they were added. Of a library object, only those are worth trying
    /// that nobody has taken.
    pub(super) fn sources(&self, read: EventId) -> Vec<EventId> {
        let event = self.graph.event(read);
        if event.is_get() {
            return self.graph.waiting(event.thread()).collect();
        }
        if event.operation().is_some() {
            return library::free_sources(&self.graph, read).collect();
        }
        let location = event.location().expect("a read has a location");
        self.sources_of(location).filter(|&write| write != read).collect()
    }

    /// The writes of a location, or all values of an input that is read from it.
    fn sources_of(&self, location: Location) -> impl Iterator<Item = EventId> {
        let values = self.code.values_of_input(location);
        let writes = values.is_empty().then(|| self.graph.writes(location));
        values.map(EventId).chain(writes.into_iter().flatten())
    }

    /// Whether it may matter that a new operation waits although it could go on: only if another thread may yet perform
    /// an operation that wants the same. Otherwise what is free stays so until the end, where nobody may wait for it.
    pub(super) fn is_contended(&self, e: EventId) -> bool {
        let event = self.graph.event(e);
        let Some((operation, location)) = event.operation().zip(event.location()) else { return false };
        let (object, _) = self.code.object(location);
        (0..self.states.len()).filter(|&thread| thread != event.thread().index()).any(|thread| {
            let last = self.graph.thread(ThreadId(thread as u16)).last();
            let state = self.states[thread].last().expect("a thread has a state at its start");
            !last.is_some_and(|&e| self.graph.event(e).ends_thread())
                && state.may_reach(&self.code, thread, object, operation)
        })
    }

    /// What a read could take: each of its sources, and to succeed or to fail spuriously where it may.
    pub(super) fn choices(&self, read: EventId) -> impl Iterator<Item = (EventId, bool)> + '_ {
        self.sources(read).into_iter().flat_map(move |write| {
            let spurious = self.may_fail_spuriously(read, write);
            [Some((write, false)), spurious.then_some((write, true))].into_iter().flatten()
        })
    }

    /// Whether a read of this write may fail spuriously, if that is wanted at all.
    pub(super) fn may_fail_spuriously(&self, read: EventId, write: EventId) -> bool {
        self.options.spurious && self.graph.may_fail_spuriously(read, write)
    }

    /// Lets a read take a source, and fail spuriously or not; or a get the message of a post.
    pub(super) fn take(&mut self, read: EventId, write: EventId, spurious: bool) {
        if self.graph.event(read).is_get() {
            return self.graph.set_post(read, write);
        }
        self.graph.set_source(read, write);
        if spurious {
            self.graph.fail_spuriously(read);
        }
    }

    /// The writes of an event's location that its thread wrote or read before.
    pub(super) fn known_writes(&self, e: EventId) -> Vec<EventId> {
        let event = self.graph.event(e);
        self.graph
            .thread(event.thread())
            .iter()
            .filter(|&&before| before != e && self.graph.event(before).location() == event.location())
            .flat_map(|&before| [self.graph.source(before), self.graph.event(before).is_write().then_some(before)])
            .flatten()
            .collect()
    }

    /// The part of a porf prefix that was inserted behind an event.
    pub(super) fn behind(&self, e: EventId, prefix: &EventSet) -> Vec<(Event, Option<EventKey>)> {
        let named = |e| (*self.graph.event(e), self.graph.source(e).map(|w| self.key(w)));
        prefix.iter().filter(|&other| other > e).map(named).collect()
    }

    /// Cuts the graph behind an event and restores there what is kept. The event's thread waits for [`Self::resume`].
    pub(super) fn cut_to(&mut self, e: EventId, kept: &[(Event, Option<EventKey>)]) -> Cut {
        let keys: FxHashSet<EventKey> = kept.iter().map(|(event, _)| event.key).collect();
        let behind = self.graph.events().skip(e.index() + 1).map(|(_, event)| *event);
        let removed = behind.filter(|event| !keys.contains(&event.key)).collect();
        let keep = EventSet::from_fn(self.graph.len(), |other| other <= e);
        self.graph = self.graph.restrict(&keep);
        for thread in 0..self.states.len() {
            let mut events = self.graph.thread(ThreadId(thread as u16)).len();
            if self.graph.event(e).thread().index() == thread {
                events -= 1;
            }
            self.states[thread].truncate(events + 1);
        }
        let mut restored = EventSet::new(self.graph.len() + kept.len());
        for (event, _) in kept {
            restored.insert(self.restore(event));
        }
        self.connect(kept);
        Cut { removed, kept: restored }
    }

    /// Removes the events from a place on; which these were. What stays must not read from them.
    pub(super) fn truncate(&mut self, len: usize) -> Vec<Event> {
        let removed: Vec<Event> = self.graph.events().skip(len).map(|(_, event)| *event).collect();
        self.graph.truncate(len);
        for (thread, states) in self.states.iter_mut().enumerate() {
            states.truncate(self.graph.thread(ThreadId(thread as u16)).len() + 1);
        }
        removed
    }

    /// Adds an event again that an option keeps; its values are those it had.
    fn restore(&mut self, event: &Event) -> EventId {
        let thread = event.thread().index();
        let state = self.states[thread].last_mut().expect("a thread has a state at its start");
        Arc::make_mut(state).advance(&self.code, thread, self.options.limits);
        let e = self.graph.restore(*event);
        self.resume(e);
        e
    }

    /// The registers at the end of each thread.
    pub(super) fn registers(&self) -> Vec<&[Value]> {
        self.states.iter().map(|states| states.last().expect("a thread has a state").registers()).collect()
    }
}
