//! The execution of a program with handlers as a trace.

use super::trace::{
    Event, EventIndex, Handler, HandlerIndex, Kind, LocationIndex, Mailbox, Message, MessageIndex, Trace,
};
use crate::graph::{Coherence, EventId, Execution, Label, ThreadId};
use crate::program::{Program, Span};
use rustc_hash::FxHashSet;

impl Trace {
    /// What an execution of a program with handlers leaves of it once its handlers' order of messages is forgotten. Messages keep
    /// their names; a further one of a name has a number behind it. co is what is given.
    ///
    /// # Errors
    /// What of the execution has no place in a trace: read-modify-writes, fences, operations of mutexes and channels, and what ends a
    /// thread.
    pub fn of_graph(program: &Program, graph: &Execution, co: &Coherence) -> Result<Self, String> {
        let mut trace = Self { locations: names(program), ..Self::default() };
        trace.name = (!program.name.is_empty()).then(|| program.name.clone());
        trace.initial = program.objects.iter().flat_map(|object| &object.initial).copied().collect();
        let mut message_of = vec![None; graph.len()];
        let mut taken = FxHashSet::default();
        let start = graph.ids().filter_map(|e| graph.initial_first().find(|pair| pair.0 == e)).next();
        let start = start.map(|(last, _)| graph.event(last).thread());
        let mut add = |trace: &mut Self, handler: HandlerIndex, name: &str, span: Span| {
            let mut unique = name.to_owned();
            let mut number = 2;
            while !taken.insert(unique.clone()) {
                unique = format!("{name}_{number}");
                number += 1;
            }
            trace.messages.push(Message { name: unique, handler, events: Vec::new(), post: None, span });
            MessageIndex(trace.messages.len() as u32 - 1)
        };
        // Messages first, so that posts can name them: of each thread those that it took, then those that it did not.
        for thread in (0..graph.threads()).map(|thread| ThreadId(thread as u16)) {
            let name = program.thread_name(thread.index());
            let handler = HandlerIndex(trace.handlers.len() as u32);
            let mailbox = graph.mailbox(thread);
            if Some(thread) == start || mailbox.is_none() && graph.thread(thread).is_empty() {
                continue;
            }
            let is_thread = mailbox.is_none();
            let mailbox = mailbox.unwrap_or(Mailbox::Multiset);
            trace.handlers.push(Handler { name: name.clone(), mailbox, is_thread, span: Span::default() });
            if is_thread {
                let message = add(&mut trace, handler, &name, Span::default());
                graph.thread(thread).iter().for_each(|e| message_of[e.index()] = Some(message));
                continue;
            }
            let mut message = None;
            for &e in graph.thread(thread) {
                let event = graph.event(e);
                if let Label::Get { message: Some(number) } = event.label {
                    let declared = program.threads[thread.index()].messages().get(usize::from(number));
                    message = Some(add(&mut trace, handler, declared.map_or("m", |declared| &declared.name), event.span));
                    if let (Some(post), Some(message)) = (graph.source(e), message) {
                        message_of[post.index()] = Some(message);
                    }
                }
                message_of[e.index()] = message;
            }
            for post in graph.waiting(thread) {
                let Label::Post { message: number, .. } = graph.event(post).label else { continue };
                let declared = program.threads[thread.index()].messages().get(usize::from(number));
                let name = declared.map_or("m", |declared| &declared.name);
                message_of[post.index()] = Some(add(&mut trace, handler, name, graph.event(post).span));
            }
        }
        trace.add_events(graph, start, &message_of)?;
        trace.finish(graph, co)
    }

    /// Adds the events. `posted` has the message of each post; whose event it is follows from its thread.
    fn add_events(
        &mut self,
        graph: &Execution,
        start: Option<ThreadId>,
        posted: &[Option<MessageIndex>],
    ) -> Result<(), String> {
        for thread in (0..graph.threads()).map(|thread| ThreadId(thread as u16)).filter(|thread| Some(*thread) != start) {
            let mut message = None;
            for &e in graph.thread(thread) {
                let event = graph.event(e);
                message = match event.label {
                    Label::Get { .. } => graph.source(e).and_then(|post| posted[post.index()]),
                    Label::Post { .. } if !graph.is_handler(thread) => message.or_else(|| self.thread_message(graph, thread)),
                    _ if !graph.is_handler(thread) => posted[e.index()],
                    _ => message,
                };
                let location = || LocationIndex(event.location().map_or(0, |location| location.0));
                let kind = match event.label {
                    Label::Get { .. } => Kind::Get,
                    Label::Write { .. } => {
                        Kind::Write { location: location(), value: event.value_written.unwrap_or_default() }
                    }
                    Label::Read { .. } => {
                        Kind::Read { location: location(), value: event.value_read.unwrap_or_default(), source: None }
                    }
                    Label::Post { .. } => match posted[e.index()] {
                        Some(message) => Kind::Post(message),
                        None => return Err("a post has no message".to_owned()),
                    },
                    _ => return Err("traces have reads, writes and posts alone; this execution has other events".to_owned()),
                };
                let Some(message) = message else { return Err("an event is in no message".to_owned()) };
                let index = EventIndex(self.events.len() as u32);
                self.events.push(Event { message, kind, span: event.span });
                self.messages[message.index()].events.push(index);
                if let Kind::Post(posted) = kind {
                    self.messages[posted.index()].post = Some(index);
                }
            }
        }
        Ok(())
    }

    /// The one message of a plain thread.
    fn thread_message(&self, graph: &Execution, thread: ThreadId) -> Option<MessageIndex> {
        // Threads without an event are left out.
        let at = (0..thread.0).filter(|&other| graph.is_handler(ThreadId(other)) || !graph.thread(ThreadId(other)).is_empty());
        let handler = HandlerIndex(at.count() as u32);
        let found = self.messages.iter().position(|message| message.handler == handler)?;
        Some(MessageIndex(found as u32))
    }

    /// Adds sources and co, in which events are named as in the graph so far: they were added thread by thread.
    fn finish(mut self, graph: &Execution, co: &Coherence) -> Result<Self, String> {
        let mut index = vec![None; graph.len()];
        let mut next = 0;
        let start = graph.initial_first().next().map(|(last, _)| graph.event(last).thread());
        for thread in (0..graph.threads()).map(|thread| ThreadId(thread as u16)).filter(|thread| Some(*thread) != start) {
            for &e in graph.thread(thread) {
                index[e.index()] = Some(EventIndex(next));
                next += 1;
            }
        }
        for e in graph.ids() {
            let Some(at) = index[e.index()] else { continue };
            if let Kind::Read { source, .. } = &mut self.events[at.index()].kind {
                *source = graph.source(e).and_then(|write: EventId| index[write.index()]);
            }
        }
        self.co = co.iter().map(|order| order.iter().filter_map(|write| index[write.index()]).collect()).collect();
        Ok(self)
    }
}

/// The names of all locations; elements of arrays are written without brackets.
fn names(program: &Program) -> Vec<String> {
    let mut names = Vec::new();
    for object in &program.objects {
        for offset in 0..object.initial.len() {
            names.push(if object.array { format!("{}_{offset}", object.name) } else { object.name.clone() });
        }
    }
    names
}
