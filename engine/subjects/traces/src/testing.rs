//! Random event-driven traces, consistent and not.

use crate::program::Span;
use crate::random::Random;
use crate::{Event, EventIndex, Handler, HandlerIndex, Kind, LocationIndex, Mailbox, Message, MessageIndex, Trace};

/// How large random traces get, and of what shape.
#[derive(Clone, Copy, Debug)]
pub struct TraceShape {
    /// The most messages, threads included.
    pub messages: usize,
    /// The most events.
    pub events: usize,
    /// Whether messages that were posted post messages.
    pub nested: bool,
}

impl Default for TraceShape {
    /// Small enough that the brute force takes a moment.
    fn default() -> Self {
        Self { messages: 8, events: 20, nested: true }
    }
}

/// The trace of a seed: what a run of handlers and threads did that posted, read and wrote as it came. Then, in most of them, some
/// reads take other sources, some writes are in another order, and some messages are exchanged, or mailboxes are not what they
/// were in the run. About half of the traces are inconsistent.
pub fn random_trace(seed: u64, mailbox: Mailbox, shape: TraceShape) -> Trace {
    let mut random = Random::new(seed);
    let any_order = mailbox == Mailbox::Multiset || random.below(2) == 0;
    let mut run = Run::new(random, mailbox, shape);
    while run.step(any_order) {}
    let Run { mut trace, mut random, .. } = run;
    if random.below(8) > 0 {
        for _ in 0..3 + random.below(4) {
            disturb(&mut trace, &mut random);
        }
    }
    trace
}

struct Run {
    random: Random,
    trace: Trace,
    shape: TraceShape,
    /// By handler: what waits, in the order in which it came.
    waiting: Vec<Vec<MessageIndex>>,
    /// By handler: what it runs.
    running: Vec<Option<MessageIndex>>,
}

impl Run {
    fn new(mut random: Random, mailbox: Mailbox, shape: TraceShape) -> Self {
        let mut trace = Trace::default();
        let (handlers, threads) = (1 + random.below(3), random.below(3));
        for at in 0..handlers + threads {
            let is_thread = at >= handlers;
            let name = if is_thread { format!("t{}", at - handlers) } else { format!("h{at}") };
            let mailbox = if is_thread { Mailbox::Multiset } else { mailbox };
            trace.handlers.push(Handler { name, mailbox, is_thread, span: Span::default() });
        }
        for name in ["x", "y"].into_iter().take(1 + random.below(2) as usize) {
            trace.locations.push(name.to_owned());
            trace.initial.push(0);
            trace.co.push(Vec::new());
        }
        let all = (handlers + threads) as usize;
        let mut run = Self { random, trace, shape, waiting: vec![Vec::new(); all], running: vec![None; all] };
        for at in 0..all {
            let is_thread = run.trace.handlers[at].is_thread;
            // Few start with more than one message, whose order matters less than that of what is posted.
            let initial = if is_thread { 1 } else { [0, 1, 1, 1, 2][run.random.below(5) as usize] };
            for _ in 0..initial {
                run.message(at, None);
            }
        }
        run
    }

    fn message(&mut self, handler: usize, post: Option<EventIndex>) -> MessageIndex {
        let message = MessageIndex(self.trace.messages.len() as u32);
        let about = &self.trace.handlers[handler];
        let name = if about.is_thread { about.name.clone() } else { format!("m{}", message.0) };
        let handler = HandlerIndex(handler as u32);
        // Some of those at the start are in no order.
        let is_unordered = post.is_none() && self.random.below(3) == 0;
        self.trace.messages.push(Message {
            name,
            handler,
            events: Vec::new(),
            post,
            is_unordered,
            span: Span::default(),
        });
        self.waiting[handler.index()].push(message);
        message
    }

    fn event(&mut self, message: MessageIndex, kind: Kind) -> EventIndex {
        let event = EventIndex(self.trace.events.len() as u32);
        self.trace.events.push(Event { message, kind, span: Span::default() });
        self.trace.messages[message.index()].events.push(event);
        event
    }

    /// Does something, if there is anything left to do.
    fn step(&mut self, any_order: bool) -> bool {
        let can = |&at: &usize| self.running[at].is_some() || !self.waiting[at].is_empty();
        let able: Vec<usize> = (0..self.running.len()).filter(can).collect();
        if able.is_empty() || self.trace.events.len() >= self.shape.events {
            return false;
        }
        let at = able[self.random.below(able.len() as u64) as usize];
        let Some(message) = self.running[at] else {
            // Now and then, one is never taken.
            if self.random.below(40) == 0 {
                return false;
            }
            let first = if any_order { self.random.below(self.waiting[at].len() as u64) as usize } else { 0 };
            let message = self.waiting[at].remove(first);
            if !self.trace.handlers[at].is_thread {
                self.event(message, Kind::Get);
            }
            self.running[at] = Some(message);
            return true;
        };
        let location = LocationIndex(self.random.below(self.trace.locations.len() as u64) as u32);
        let about = self.trace.message(message);
        // The most that one message does.
        let long = about.events.len() >= 5;
        let posts = self.trace.messages.len() < self.shape.messages && (self.shape.nested || about.post.is_none());
        match self.random.below(10) {
            _ if long => self.running[at] = None,
            0..=2 => {
                let source = self.trace.co[location.index()].last().copied();
                let value = value_of(&self.trace, location, source);
                self.event(message, Kind::Read { location, value, source });
            }
            3..=4 => {
                let value = 1 + self.trace.co[location.index()].len() as i64;
                let write = self.event(message, Kind::Write { location, value });
                self.trace.co[location.index()].push(write);
            }
            5..=7 if posts => {
                let handlers = self.trace.handlers.iter().filter(|handler| !handler.is_thread).count();
                let to = self.random.below(handlers as u64) as usize;
                let post = EventIndex(self.trace.events.len() as u32);
                let posted = self.message(to, Some(post));
                self.event(message, Kind::Post(posted));
            }
            _ => self.running[at] = None,
        }
        true
    }
}

fn value_of(trace: &Trace, location: LocationIndex, source: Option<EventIndex>) -> i64 {
    match source.map(|source| trace.event(source).kind) {
        Some(Kind::Write { value, .. }) => value,
        _ => trace.initial[location.index()],
    }
}

/// Changes something that a run has determined.
fn disturb(trace: &mut Trace, random: &mut Random) {
    match random.below(3) {
        0 => {
            let is_read = |at: &usize| matches!(trace.events[*at].kind, Kind::Read { .. });
            let reads: Vec<usize> = (0..trace.events.len()).filter(is_read).collect();
            if reads.is_empty() {
                return;
            }
            let at = reads[random.below(reads.len() as u64) as usize];
            if let Kind::Read { location, .. } = trace.events[at].kind {
                let writes = &trace.co[location.index()];
                let source = writes.get(random.below(writes.len() as u64 + 1) as usize).copied();
                let value = value_of(trace, location, source);
                trace.events[at].kind = Kind::Read { location, value, source };
            }
        }
        1 => {
            let writes = random.below(trace.co.len() as u64) as usize;
            let writes = &mut trace.co[writes];
            if writes.len() > 1 {
                let at = random.below(writes.len() as u64 - 1) as usize;
                writes.swap(at, at + 1);
            }
        }
        _ => {
            let is_posted = |at: &usize| trace.messages[*at].post.is_some();
            let posted: Vec<usize> = (0..trace.messages.len()).filter(is_posted).collect();
            if posted.is_empty() {
                return;
            }
            let mut pick = || posted[random.below(posted.len() as u64) as usize];
            let (one, other) = (pick(), pick());
            let (first, second) = (trace.messages[one].post, trace.messages[other].post);
            for (message, post) in [(one, second), (other, first)] {
                trace.messages[message].post = post;
                if let Some(post) = post {
                    trace.events[post.index()].kind = Kind::Post(MessageIndex(message as u32));
                }
            }
        }
    }
}

/// A trace made smaller while it still fails: no event but a get can be left out of it.
pub fn smallest(mut trace: Trace, fails: impl Fn(&Trace) -> bool) -> Trace {
    let mut at = 0;
    while at < trace.events.len() {
        match without(&trace, EventIndex(at as u32)).filter(&fails) {
            // What comes before may not be needed any more.
            Some(smaller) => (trace, at) = (smaller, 0),
            None => at += 1,
        }
    }
    trace
}

/// The trace without an event, and without what depends on it: reads of a write, and messages that are posted. `None` for a get,
/// which is there as long as its message is.
pub fn without(trace: &Trace, event: EventIndex) -> Option<Trace> {
    if trace.event(event).kind == Kind::Get {
        return None;
    }
    let mut events = vec![true; trace.events.len()];
    let mut messages = vec![true; trace.messages.len()];
    let mut work = vec![event];
    while let Some(event) = work.pop() {
        if !std::mem::replace(&mut events[event.index()], false) {
            continue;
        }
        if let Kind::Post(posted) = trace.event(event).kind {
            messages[posted.index()] = false;
            work.extend(&trace.message(posted).events);
        }
        let reads = |kind| matches!(kind, Kind::Read { source, .. } if source == Some(event));
        work.extend((0..trace.events.len()).filter(|&at| reads(trace.events[at].kind)).map(|at| EventIndex(at as u32)));
    }
    let place = |kept: &[bool], at: usize| kept[..at].iter().filter(|&&kept| kept).count() as u32;
    let event_at = |event: EventIndex| EventIndex(place(&events, event.index()));
    let message_at = |message: MessageIndex| MessageIndex(place(&messages, message.index()));
    let kept_events = |list: &[EventIndex]| list.iter().filter(|e| events[e.index()]).map(|&e| event_at(e)).collect();
    let mut smaller = trace.clone();
    smaller.events = Vec::new();
    for (at, event) in trace.events.iter().enumerate().filter(|&(at, _)| events[at]) {
        let kind = match event.kind {
            Kind::Read { location, value, source } => Kind::Read { location, value, source: source.map(event_at) },
            Kind::Post(message) => Kind::Post(message_at(message)),
            kind => kind,
        };
        debug_assert_eq!(smaller.events.len(), place(&events, at) as usize);
        smaller.events.push(Event { message: message_at(event.message), kind, span: event.span });
    }
    smaller.messages = Vec::new();
    for (_, message) in trace.messages.iter().enumerate().filter(|&(at, _)| messages[at]) {
        let (events, post) = (kept_events(&message.events), message.post.map(event_at));
        smaller.messages.push(Message { events, post, ..message.clone() });
    }
    smaller.co = trace.co.iter().map(|writes| kept_events(writes)).collect();
    Some(smaller)
}

/// One initial message posts this many messages, by turns to four queues; each writes x, in co by its post.
pub fn flat_trace(count: u32) -> Trace {
    let mut trace = Trace { locations: vec!["x".into()], initial: vec![0], ..Trace::default() };
    for name in ["h0", "h1", "h2", "h3", "h4"] {
        trace.handlers.push(Handler {
            name: name.into(),
            mailbox: Mailbox::Queue,
            is_thread: false,
            span: Span::default(),
        });
    }
    let mut add = |handler, post: Option<u32>, kinds: Vec<Kind>| {
        let message = MessageIndex(trace.messages.len() as u32);
        let mut events = Vec::new();
        for kind in kinds {
            events.push(EventIndex(trace.events.len() as u32));
            trace.events.push(Event { message, kind, span: Span::default() });
        }
        let (name, handler, post) = (format!("m{}", message.0), HandlerIndex(handler), post.map(EventIndex));
        trace.messages.push(Message { name, handler, events, post, is_unordered: false, span: Span::default() });
    };
    let posts = (1..=count).map(|index| Kind::Post(MessageIndex(index)));
    add(0, None, std::iter::once(Kind::Get).chain(posts).collect());
    for index in 1..=count {
        add(1 + index % 4, Some(index), vec![Kind::Get, Kind::Write { location: LocationIndex(0), value: 1 }]);
    }
    trace.co = vec![(0..count).map(|index| EventIndex(count + 2 + 2 * index)).collect()];
    trace
}
