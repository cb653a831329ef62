//! Whether a graph that was read from somewhere is an execution of a program.

use crate::explore::Moment;
use crate::graph::{Coherence, EventId, Execution, Label, ThreadId};
use crate::program::{Action, Code, Limits, Location, ThreadState};
use crate::sort;

/// Why a graph is no execution of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GraphError {
    /// It can't be a graph at all.
    #[error("a graph whose threads, sources or initial writes do not fit together")]
    Shape,
    /// It is a graph, but not of this program.
    #[error("a graph with an event that the program does not have")]
    Event,
    /// po and rf form a cycle.
    #[error("a graph with a cycle of program order and reads-from")]
    Cycle,
    /// Its co is no order of its writes.
    #[error("a coherence order that is not one of the graph's writes")]
    Coherence,
}

/// Checks that a moment shows a graph of a program: that running its threads with its sources gives its events.
/// Afterwards, whatever can be done with a graph that an explorer built can be done with this one.
///
/// # Errors
/// [`GraphError`]
pub fn validate_moment(code: &Code, limits: Limits, moment: &Moment) -> Result<(), GraphError> {
    validate_graph(code, limits, &moment.graph)?;
    moment.co.as_ref().map_or(Ok(()), |co| validate_coherence(code, &moment.graph, co))
}

fn validate_graph(code: &Code, limits: Limits, graph: &Execution) -> Result<(), GraphError> {
    if !graph.is_well_formed() || graph.threads() != code.threads.len() {
        return Err(GraphError::Shape);
    }
    let mut copy = Execution::initial(code);
    let inits = copy.len();
    if !graph.has_mailboxes_of(&copy)
        || graph.len() < inits
        || graph.ids().take(inits).any(|e| graph.event(e) != copy.event(e))
    {
        return Err(GraphError::Shape);
    }
    // By event of the graph, that of the copy.
    let mut copied: Vec<Option<EventId>> = vec![None; graph.len()];
    (0..inits).for_each(|e| copied[e] = Some(EventId(e as u32)));
    let mut states: Vec<_> = (0..graph.threads()).map(|thread| ThreadState::new(code, thread)).collect();
    let mut next = vec![0; graph.threads()];
    let mut left = graph.len() - inits;
    loop {
        let before = left;
        for thread in 0..graph.threads() {
            let id = ThreadId(thread as u16);
            while let Some(&e) = graph.thread(id).get(next[thread]) {
                let wanted = *graph.event(e);
                let source = graph.source(e);
                let ready = source.map(|write| copied[write.index()]);
                if ready == Some(None) {
                    break;
                }
                let action = copy.or_cut(id, states[thread].advance(code, thread, limits), limits.unroll);
                let span = states[thread].span(code, thread).unwrap_or_default();
                if action == Action::Finished {
                    return Err(GraphError::Event);
                }
                let new = copy.add(id, action, span);
                if let (Some(post), true) = (ready.flatten(), copy.event(new).is_get()) {
                    if !copy.waiting(id).any(|waiting| waiting == post) {
                        return Err(GraphError::Shape);
                    }
                    copy.set_post(new, post);
                } else if let Some(write) = ready.flatten() {
                    let (event, from) = (*copy.event(new), *copy.event(write));
                    if !event.is_read() || !from.is_write() || event.location() != from.location() {
                        return Err(GraphError::Shape);
                    }
                    copy.set_source(new, write);
                    if wanted.value_written.is_none() && copy.may_fail_spuriously(new, write) {
                        copy.fail_spuriously(new);
                    }
                }
                let event = *copy.event(new);
                if event != wanted {
                    return Err(GraphError::Event);
                }
                copied[e.index()] = Some(new);
                next[thread] += 1;
                left -= 1;
                if event.ends_thread() || event.is_read() && source.is_none() {
                    if next[thread] < graph.thread(id).len() {
                        return Err(GraphError::Event);
                    }
                } else if let Label::Get { message: Some(message) } = event.label {
                    states[thread].take_message(code, thread, message, event.value_read.unwrap_or_default());
                } else {
                    states[thread].resume_as(code, thread, event.value_read, event.fails_spuriously());
                }
            }
        }
        if left == 0 {
            return Ok(());
        }
        if left == before {
            return Err(GraphError::Cycle);
        }
    }
}

fn validate_coherence(code: &Code, graph: &Execution, co: &Coherence) -> Result<(), GraphError> {
    if co.len() != code.initial.len() {
        return Err(GraphError::Coherence);
    }
    for (location, order) in co.iter().enumerate() {
        let mut writes: Vec<_> = graph.writes(Location(location as u32)).collect();
        let mut placed = order.clone();
        sort::ascending(&mut placed);
        sort::ascending(&mut writes);
        if order.first() != Some(&EventId(location as u32)) || placed != writes {
            return Err(GraphError::Coherence);
        }
    }
    Ok(())
}
