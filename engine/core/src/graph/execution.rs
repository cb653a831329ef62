//! Execution graphs: events in the order they were added, po and rf.

use super::{Event, EventId, EventKey, EventSet, Label, Relation, ThreadId};
use crate::program::{Action, Bound, Code, Location, Mailbox, Span, Value};
use serde::{Deserialize, Serialize};

/// A plain execution: a sequence of events, po by thread, and rf. Coherence is not part of it.
///
/// The first events are the initial writes, one a location, so that [`EventId`] `n` is the initial write of
/// [`Location`] `n`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Execution {
    events: Vec<Event>,
    /// The source of each event; `None` for what is no read, and for a read without one.
    source: Vec<Option<EventId>>,
    /// The events of each thread in po.
    threads: Vec<Vec<EventId>>,
    // Files from before these were there are read; they are always written, since messages of the page have no names.
    /// By thread: its mailbox, if it is a handler. Empty if there is none.
    #[serde(default)]
    mailboxes: Vec<Option<Mailbox>>,
    /// The thread whose events come before all others.
    #[serde(default)]
    start: Option<ThreadId>,
}

/// A coherence order: the writes of each location in co, initial write first; by location.
pub type Coherence = Vec<Vec<EventId>>;

/// An execution without its order of insertion: equal for equal graphs. Events by key, each with its label, value read
/// and source, and whether it fails spuriously.
pub type CanonicalExecution = Vec<(EventKey, Label, Option<Value>, Option<EventKey>, bool)>;

impl Execution {
    /// The initial writes of a program and nothing else.
    pub fn initial(code: &Code) -> Self {
        let events: Vec<_> = code
            .initial
            .iter()
            .enumerate()
            .map(|(location, &value)| Event {
                key: EventKey { thread: ThreadId::INIT, serial: location as u32 },
                label: Label::Init { location: Location(location as u32) },
                value_read: None,
                value_written: Some(value),
                span: Span::default(),
            })
            .collect();
        let start = code.threads.iter().position(|thread| thread.is_start);
        Self {
            source: vec![None; events.len()],
            events,
            threads: vec![Vec::new(); code.threads.len()],
            mailboxes: match code.has_handlers() {
                true => code.threads.iter().map(|thread| thread.mailbox).collect(),
                false => Vec::new(),
            },
            start: start.map(|start| ThreadId(start as u16)),
        }
    }

    /// Whether events, threads and sources fit together: each event is where its key says, initial writes come first,
    /// and sources are events. A graph that was not read from somewhere always is.
    pub fn is_well_formed(&self) -> bool {
        let inits = self.events.iter().take_while(|event| event.is_init()).count();
        let initial = |(e, event): (usize, &Event)| {
            let location = Location(e as u32);
            event.key.serial as usize == e && event.label == Label::Init { location } && event.value_written.is_some()
        };
        let in_place = |(thread, events): (usize, &Vec<EventId>)| {
            events.iter().enumerate().all(|(at, e)| {
                self.events.get(e.index()).is_some_and(|event| {
                    usize::from(event.key.thread.0) == thread && event.key.serial as usize == at + 1
                })
            })
        };
        self.threads.len() < usize::from(ThreadId::INIT.0)
            && (self.mailboxes.is_empty() || self.mailboxes.len() == self.threads.len())
            && self.start.is_none_or(|start| usize::from(start.0) < self.threads.len())
            && self.source.iter().enumerate().all(|(e, source)| {
                source.is_none_or(|source| {
                    !self.events[e].is_get()
                        || self.events.get(source.index()).and_then(Event::posts_to) == Some(self.events[e].thread())
                })
            })
            && self.source.len() == self.events.len()
            && self.events.len() < u32::MAX as usize
            && self.source.iter().flatten().all(|write| write.index() < self.events.len())
            && self.events.iter().take(inits).enumerate().all(initial)
            // So there are no initial writes behind these, and no event is in no thread or in two.
            && self.threads.iter().map(Vec::len).sum::<usize>() == self.events.len() - inits
            && self.threads.iter().enumerate().all(in_place)
    }

    /// How many events there are, initial writes included.
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// Whether there is no event at all.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// An event.
    pub fn event(&self, e: EventId) -> &Event {
        &self.events[e.index()]
    }

    /// All events in the order they were added.
    pub fn events(&self) -> impl DoubleEndedIterator<Item = (EventId, &Event)> + ExactSizeIterator {
        self.events.iter().enumerate().map(|(index, event)| (EventId(index as u32), event))
    }

    /// All event ids in the order they were added.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = EventId> + ExactSizeIterator + use<> {
        (0..self.events.len() as u32).map(EventId)
    }

    /// The events of a thread in po.
    pub fn thread(&self, thread: ThreadId) -> &[EventId] {
        &self.threads[thread.index()]
    }

    /// How many threads the program has.
    pub fn threads(&self) -> usize {
        self.threads.len()
    }

    /// The source of a read, or of a get.
    pub fn source(&self, read: EventId) -> Option<EventId> {
        self.source[read.index()]
    }

    /// The writes of a location in the order they were added, the initial one first.
    pub fn writes(&self, location: Location) -> impl Iterator<Item = EventId> + '_ {
        self.events().filter(move |(_, event)| event.is_write() && event.location() == Some(location)).map(|(e, _)| e)
    }

    /// A write of what a location holds at the end whatever the order of its writes, if the last writes of all threads write the
    /// same: one of these is the last of all.
    pub fn last_write_of_any_order(&self, location: Location) -> Option<EventId> {
        let is_write = |e: &EventId| self.event(*e).is_write() && self.event(*e).location() == Some(location);
        let mut last = self.threads.iter().filter_map(|events| events.iter().rev().copied().find(is_write));
        let Some(first) = last.next() else { return self.writes(location).next() };
        last.all(|write| self.event(write).value_written == self.event(first).value_written).then_some(first)
    }

    /// The event of a name.
    pub fn find(&self, key: EventKey) -> Option<EventId> {
        if key.thread.is_init() {
            return (key.serial < self.len() as u32).then_some(EventId(key.serial));
        }
        self.threads.get(key.thread.index())?.get((key.serial as usize).checked_sub(1)?).copied()
    }

    /// Adds what a thread does next; a read is left without a source.
    ///
    /// # Panics
    /// If `action` is [`Action::Finished`], which is no event.
    pub fn add(&mut self, thread: ThreadId, action: Action, span: Span) -> EventId {
        let value_written = match action {
            Action::Write { value, .. } => Some(value),
            Action::Library { operation, .. } => (!operation.waits()).then(|| operation.written()),
            _ => None,
        };
        let label = Self::label(action);
        let e = EventId(self.events.len() as u32);
        let serial = self.threads[thread.index()].len() as u32 + 1;
        self.events.push(Event { key: EventKey { thread, serial }, label, value_read: None, value_written, span });
        self.source.push(None);
        self.threads[thread.index()].push(e);
        e
    }

    /// What an event does that is a thread's action.
    ///
    /// # Panics
    /// If `action` is [`Action::Finished`], which is no event.
    pub fn label(action: Action) -> Label {
        match action {
            Action::Read { location, mode } => Label::Read { location, mode },
            Action::Write { location, mode, .. } => Label::Write { location, mode },
            Action::Update { location, mode, failure, update } => Label::Update { location, mode, failure, update },
            Action::Library { location, operation } => Label::Library { location, operation },
            Action::Get => Label::Get { message: None },
            Action::Post { handler, message, value } => Label::Post { handler: ThreadId(handler), message, value },
            Action::Fence(mode) => Label::Fence(mode),
            Action::Error(kind) => Label::Error(kind),
            // Programs with inputs are refused by those who make graphs.
            Action::Stuck | Action::Input => Label::Stuck,
            Action::Bound(bound) => Label::Bound(bound),
            Action::Spin => Label::Spin,
            Action::Finished => panic!("the end of a thread is no event"),
        }
    }

    /// Adds an event of another graph as it is, values included, but without a source.
    ///
    /// # Panics
    /// If it is not the next event of its thread.
    pub fn restore(&mut self, event: Event) -> EventId {
        let e = EventId(self.events.len() as u32);
        let thread = &mut self.threads[event.thread().index()];
        assert_eq!(event.key.serial as usize, thread.len() + 1, "threads are prefixes");
        thread.push(e);
        self.events.push(event);
        self.source.push(None);
        e
    }

    /// Lets a read take its value from a write, and computes what a read-modify-write then writes. Readers of the
    /// read-modify-write, if any, are not updated. An input reads where its value is, so its location may become another one.
    pub fn set_source(&mut self, read: EventId, write: EventId) {
        let value = self.event(write).value_written.expect("a source writes");
        self.set_source_only(read, write);
        let event = &mut self.events[read.index()];
        event.value_read = Some(value);
        match event.label {
            Label::Update { update, .. } => event.value_written = update.written(value),
            Label::Library { operation, .. } => event.value_written = Some(operation.written()),
            _ => {}
        }
    }

    /// Lets a get take the message of a post.
    ///
    /// # Panics
    /// If it is no post.
    pub fn set_post(&mut self, get: EventId, post: EventId) {
        let Label::Post { message, value, .. } = self.event(post).label else { panic!("a get takes what was posted") };
        self.source[get.index()] = Some(post);
        let get = &mut self.events[get.index()];
        get.label = Label::Get { message: Some(message) };
        get.value_read = Some(value);
    }

    /// The posts to a handler in the order they were added.
    pub fn posts(&self, handler: ThreadId) -> impl Iterator<Item = EventId> + '_ {
        self.events().filter(move |(_, event)| event.posts_to() == Some(handler)).map(|(e, _)| e)
    }

    /// The posts to a handler whose messages it has not taken, in the order they were added.
    pub fn waiting(&self, handler: ThreadId) -> impl Iterator<Item = EventId> + '_ {
        let taken: Vec<_> = self.thread(handler).iter().filter_map(|&e| self.source(e)).collect();
        self.posts(handler).filter(move |post| !taken.contains(post))
    }

    /// How often a message was taken on the way to what a thread does now: of the message that it is running, of the one that
    /// posted that, and so on up the posts.
    fn generations(&self, thread: ThreadId, handler: ThreadId, message: u16) -> u32 {
        let (mut times, mut poster, mut events) = (0, thread, self.thread(thread).len());
        while let Some(&get) = self.thread(poster)[..events].iter().rev().find(|&&e| self.event(e).is_get()) {
            let is_same = poster == handler && self.event(get).label == Label::Get { message: Some(message) };
            times += u32::from(is_same);
            let Some(post) = self.source(get) else { break };
            let key = self.event(post).key;
            (poster, events) = (key.thread, key.serial as usize - 1);
        }
        times
    }

    /// What a thread does next, or that it is cut there: it would post a message for the `unroll`-th time after itself.
    pub fn or_cut(&self, thread: ThreadId, action: Action, unroll: u32) -> Action {
        match action {
            Action::Post { handler, message, .. } if self.generations(thread, ThreadId(handler), message) > unroll => {
                Action::Bound(Bound::Posts)
            }
            action => action,
        }
    }

    /// Whether there are handlers.
    pub fn has_handlers(&self) -> bool {
        !self.mailboxes.is_empty()
    }

    /// pb, posted-by: from posts to the gets that take their messages.
    pub fn posted_by(&self) -> impl Iterator<Item = (EventId, EventId)> + '_ {
        let gets = self.events().filter(|(_, event)| event.is_get());
        gets.filter_map(|(get, _)| Some((self.source(get)?, get)))
    }

    /// What of mo, the order of the posts to a handler, follows from the messages that it has taken: with a queue, these were
    /// posted in the order in which it takes them, and before all that wait. Immediate successors only. In front of all: the
    /// initial messages are there before any other event.
    pub fn message_order(&self) -> Vec<(EventId, EventId)> {
        let mut order = Vec::new();
        for (handler, mailbox) in self.mailboxes.iter().enumerate() {
            if *mailbox != Some(Mailbox::Queue) {
                continue;
            }
            let handler = ThreadId(handler as u16);
            let taken: Vec<_> = self.thread(handler).iter().filter_map(|&e| self.source_of_get(e)).collect();
            order.extend(taken.windows(2).map(|pair| (pair[0], pair[1])));
            if let Some(&last) = taken.last() {
                order.extend(self.waiting(handler).map(|post| (last, post)));
            }
        }
        order.extend(self.initial_first());
        order
    }

    /// From the post of the last initial message to the first event of each other thread.
    pub fn initial_first(&self) -> impl Iterator<Item = (EventId, EventId)> + '_ {
        let last = self.start.and_then(|start| self.thread(start).last().copied());
        let firsts = self.threads.iter().filter_map(|events| events.first().copied());
        let others = firsts.filter(|&first| Some(self.event(first).thread()) != self.start);
        others.filter_map(move |first| Some((last?, first)))
    }

    /// Whether the same threads are handlers, with the same mailboxes, and the same thread posts the initial messages.
    pub fn has_mailboxes_of(&self, other: &Self) -> bool {
        (&self.mailboxes, self.start) == (&other.mailboxes, other.start)
    }

    /// The mailbox of a thread, if it is a handler.
    pub fn mailbox(&self, thread: ThreadId) -> Option<Mailbox> {
        self.mailboxes.get(usize::from(thread.0)).copied().flatten()
    }

    /// Whether a thread is a handler.
    pub fn is_handler(&self, thread: ThreadId) -> bool {
        self.mailbox(thread).is_some()
    }

    fn source_of_get(&self, e: EventId) -> Option<EventId> {
        self.source(e).filter(|_| self.event(e).is_get())
    }

    /// Notes the source of a read that has its values already. An input reads where its value is.
    pub fn set_source_only(&mut self, read: EventId, write: EventId) {
        self.source[read.index()] = Some(write);
        if let Label::Init { location: from } = self.event(write).label
            && let Label::Read { location, .. } = &mut self.events[read.index()].label
        {
            *location = from;
        }
    }

    /// Notes what a read without a source is to read.
    pub fn set_value_read(&mut self, read: EventId, value: Option<Value>) {
        self.events[read.index()].value_read = value;
    }

    /// Whether a read that took its value from this write could fail all the same: it is a weak compare-and-swap, and
    /// the write has the value it expects.
    pub fn may_fail_spuriously(&self, read: EventId, write: EventId) -> bool {
        match (self.event(read).label, self.event(write).value_written) {
            (Label::Update { update, .. }, Some(value)) => update.may_fail_spuriously(value),
            _ => false,
        }
    }

    /// Lets a weak compare-and-swap that reads what it expects fail all the same: it writes nothing.
    ///
    /// # Panics
    /// If it can't fail with the source it has.
    pub fn fail_spuriously(&mut self, read: EventId) {
        let source = self.source(read);
        assert!(source.is_some_and(|write| self.may_fail_spuriously(read, write)), "only weak ones fail spuriously");
        self.events[read.index()].value_written = None;
    }

    /// Lets a read-modify-write be the read that it is without its write.
    pub fn only_read(&mut self, update: EventId) {
        self.events[update.index()].value_written = None;
    }

    /// Lets an operation of a library object wait: takes its source from it, and what it wrote.
    pub fn block(&mut self, read: EventId) {
        self.source[read.index()] = None;
        let event = &mut self.events[read.index()];
        (event.value_read, event.value_written) = (None, None);
    }

    /// Takes back all events but the first ones. None of these may have a source among the others.
    pub fn truncate(&mut self, len: usize) {
        for event in self.events.drain(len.min(self.events.len())..).rev() {
            if let Some(thread) = self.threads.get_mut(usize::from(event.thread().0)) {
                thread.pop();
            }
        }
        self.source.truncate(len);
    }

    /// The graph restricted to some events, in the same order; they have to be closed under po and, but for reads that
    /// lose their source, under rf.
    #[must_use]
    pub fn restrict(&self, keep: &EventSet) -> Self {
        let mut renamed = vec![None; self.len()];
        let mut result = Self {
            events: Vec::with_capacity(self.len()),
            source: Vec::with_capacity(self.len()),
            threads: vec![Vec::new(); self.threads.len()],
            mailboxes: self.mailboxes.clone(),
            start: self.start,
        };
        for e in keep.iter() {
            let new = EventId(result.events.len() as u32);
            renamed[e.index()] = Some(new);
            let event = *self.event(e);
            if !event.is_init() {
                result.threads[event.thread().index()].push(new);
            }
            result.events.push(event);
        }
        for e in keep.iter() {
            result.source.push(self.source(e).and_then(|w| renamed[w.index()]));
        }
        result
    }

    /// Whether `a` comes before `b` in program order; initial writes come before all others.
    pub fn po(&self, a: EventId, b: EventId) -> bool {
        let (a, b) = (self.event(a).key, self.event(b).key);
        if a.thread == b.thread { !a.thread.is_init() && a.serial < b.serial } else { a.thread.is_init() }
    }

    /// The events that are `e` or come before it in porf = (po ∪ rf)⁺. Linear in the size of the graph.
    pub fn porf_prefix(&self, e: EventId) -> EventSet {
        let mut prefix = EventSet::new(self.len());
        for init in self.ids().take_while(|&e| self.event(e).is_init()) {
            prefix.insert(init);
        }
        let mut work = vec![e];
        while let Some(e) = work.pop() {
            if !prefix.insert(e) {
                continue;
            }
            work.extend(self.source(e));
            let key = self.event(e).key;
            if !key.thread.is_init() && key.serial > 1 {
                work.push(self.threads[key.thread.index()][key.serial as usize - 2]);
            }
        }
        prefix
    }

    /// po as a relation, transitive.
    pub fn po_relation(&self) -> Relation {
        let mut po = Relation::new(self.len());
        for (a, event) in self.events() {
            if event.is_init() {
                for b in self.ids().filter(|&b| !self.event(b).is_init()) {
                    po.insert(a, b);
                }
            } else {
                for &b in &self.threads[event.thread().index()][event.key.serial as usize..] {
                    po.insert(a, b);
                }
            }
        }
        po
    }

    /// rf as a relation, from writes to reads.
    pub fn rf_relation(&self) -> Relation {
        let mut rf = Relation::new(self.len());
        for read in self.ids() {
            if let Some(write) = self.source(read).filter(|_| !self.event(read).is_get()) {
                rf.insert(write, read);
            }
        }
        rf
    }

    /// A coherence order of this graph without its order of insertion.
    pub fn canonical_coherence(&self, co: &Coherence) -> Vec<Vec<EventKey>> {
        co.iter().map(|order| order.iter().map(|&w| self.event(w).key).collect()).collect()
    }

    /// The graph without its order of insertion.
    pub fn canonical(&self) -> CanonicalExecution {
        let mut all: Vec<_> = self
            .events()
            .filter(|(_, event)| !event.is_init())
            .map(|(e, event)| {
                let source = self.source(e).map(|w| self.event(w).key);
                (event.key, event.label, event.value_read, source, event.fails_spuriously())
            })
            .collect();
        all.sort_unstable_by_key(|(key, ..)| *key);
        all
    }
}
