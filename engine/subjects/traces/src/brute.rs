//! The slow way to decide a trace: look for a run of the handlers that performs it, by definition.
//!
//! No relation is computed here. There are mailboxes, memory and handlers, and every order of steps is tried.

use super::{EventIndex, HandlerIndex, Kind, Mailbox, MessageIndex, Trace};
use rustc_hash::FxHashSet;

/// How far a run is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    /// By message: how many of its events were performed.
    done: Vec<u32>,
    /// By handler: what was posted to it and waits, in post order. What is there at the start is not among it.
    posted: Vec<Vec<MessageIndex>>,
    /// By message: whether it is there since the start and waits.
    offered: Vec<bool>,
    /// By location: how many of its writes were performed.
    written: Vec<u32>,
}

impl State {
    fn new(trace: &Trace) -> Self {
        Self {
            done: vec![0; trace.messages.len()],
            posted: vec![Vec::new(); trace.handlers.len()],
            offered: trace.messages.iter().map(|message| message.post.is_none()).collect(),
            written: vec![0; trace.locations.len()],
        }
    }

    /// Whether a handler is in the middle of a message other than this one.
    fn is_busy(&self, trace: &Trace, handler: HandlerIndex, but: MessageIndex) -> bool {
        trace.messages.iter().zip(&self.done).enumerate().any(|(at, (message, &done))| {
            message.handler == handler && at != but.index() && done > 0 && (done as usize) < message.events.len()
        })
    }

    /// Whether the handler of a message may take it now.
    fn may_take(&self, trace: &Trace, message: MessageIndex) -> bool {
        let handler = trace.message(message).handler;
        let posted = &self.posted[handler.index()];
        // A thread has no mailbox that could hold anything up.
        let queue = trace.handler(handler).mailbox == Mailbox::Queue && !trace.handler(handler).is_thread;
        let is_offered = |at: usize| self.offered[at] && trace.messages[at].handler == handler;
        if self.offered[message.index()] {
            // What is in front of it has to be taken before.
            let is_behind = |at: usize| self.offered[at] && trace.starts_before(MessageIndex(at as u32), message);
            return !(0..trace.messages.len()).any(is_behind);
        }
        match queue {
            // What was there at the start was there first.
            true => posted.first() == Some(&message) && !(0..trace.messages.len()).any(is_offered),
            false => posted.contains(&message),
        }
    }

    /// Performs the next event of a message, if that is possible now.
    fn step(&mut self, trace: &Trace, message: MessageIndex) -> Option<EventIndex> {
        let about = trace.message(message);
        let done = self.done[message.index()];
        let event = *about.events.get(done as usize)?;
        if done == 0 {
            if self.is_busy(trace, about.handler, message) || !self.may_take(trace, message) {
                return None;
            }
            self.offered[message.index()] = false;
            self.posted[about.handler.index()].retain(|&other| other != message);
        }
        match trace.event(event).kind {
            Kind::Get => {}
            Kind::Read { location, source, .. } => {
                let last = (self.written[location.index()] as usize).checked_sub(1);
                if last.map(|last| trace.co[location.index()][last]) != source {
                    return None;
                }
            }
            Kind::Write { location, .. } => {
                let written = &mut self.written[location.index()];
                if trace.co[location.index()].get(*written as usize) != Some(&event) {
                    return None;
                }
                *written += 1;
            }
            Kind::Post(other) => self.posted[trace.message(other).handler.index()].push(other),
        }
        self.done[message.index()] += 1;
        Some(event)
    }

    fn is_end(&self, trace: &Trace) -> bool {
        trace.messages.iter().zip(&self.done).all(|(message, &done)| message.events.len() == done as usize)
    }
}

/// A run that performs the trace: its events in order; `None` if there is none. It takes time and memory exponential in the
/// number of messages.
pub fn find_run(trace: &Trace) -> Option<Vec<EventIndex>> {
    let mut seen = FxHashSet::default();
    let mut work = vec![(State::new(trace), Vec::new())];
    while let Some((state, run)) = work.pop() {
        if state.is_end(trace) {
            return Some(run);
        }
        for message in (0..trace.messages.len() as u32).map(MessageIndex) {
            let mut next = state.clone();
            let Some(event) = next.step(trace, message) else { continue };
            if seen.insert(next.clone()) {
                let mut run = run.clone();
                run.push(event);
                work.push((next, run));
            }
        }
    }
    None
}

/// Whether a schedule is a run that performs the whole trace.
///
/// # Errors
/// The first event that can't be performed where it is, or what is left at the end.
pub fn check_run(trace: &Trace, schedule: &[EventIndex]) -> Result<(), String> {
    let mut state = State::new(trace);
    for (at, &event) in schedule.iter().enumerate() {
        let message = trace.event(event).message;
        let mut next = state.clone();
        if next.step(trace, message) != Some(event) {
            return Err(format!("step {at}: {event:?} of {} can't be performed", trace.message(message).name));
        }
        state = next;
    }
    if state.is_end(trace) { Ok(()) } else { Err("the schedule ends too early".to_owned()) }
}
