//! Orders by causes: what the program itself orders, and what messages of a client would.

use super::linearize::linearization;
use super::{Operations, Order, Search, Unjudged};
use crate::graph::{Event, EventId, EventKey, Execution, RelationName, ThreadId};
use crate::model::{Buffers, Model};
use crate::program::{Action, Code, Location, Mode, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// A message: it is sent behind one operation and received before another one.
pub(super) type Message = (usize, usize);

/// Which operations are before which others by what the program itself orders: the last event of one happens before the first of the other.
/// That is hb where the model has one, without an order of SC fences; else po and rf.
pub fn causes(model: Model, graph: &Execution, operations: &Operations) -> Order {
    between(model, graph, operations, |e| e)
}

/// The same in a graph in which the events have other names.
fn between(model: Model, graph: &Execution, operations: &Operations, named: impl Fn(EventId) -> EventId) -> Order {
    let grounds;
    let porf;
    let hb = if model.rules().happens_before.is_some() {
        grounds = model.grounds(graph, None);
        grounds.relation(RelationName::Hb)
    } else {
        porf = graph.po_relation().union(&graph.rf_relation()).transitive_closure();
        Some(&porf)
    };
    let mut order = operations.of_threads();
    for (at, done) in operations.list.iter().enumerate() {
        let Some((first, _)) = done.ends else { continue };
        for (before, other) in operations.list.iter().enumerate() {
            let Some((_, last)) = other.ends.filter(|_| other.returned() && before != at) else { continue };
            if hb.is_some_and(|hb| hb.contains(named(last), named(first))) {
                order[at] |= 1 << before;
            }
        }
    }
    order
}

/// An order that the object does not allow and that some client could see: by hb with messages with which the graph is still consistent.
/// `None` if there is none.
///
/// The more messages, the stricter the order. From messages whose order the object allows, in a linearization, a worse set has one that
/// the linearization contradicts, so only those are tried.
///
/// # Errors
/// [`Unjudged`] where the search says so.
pub fn worst(
    model: Model,
    code: &Code,
    graph: &Execution,
    operations: &Operations,
    search: &mut Search,
) -> Result<Option<Order>, Unjudged> {
    let mut seen: FxHashSet<BTreeSet<Message>> = FxHashSet::default();
    let mut work = vec![BTreeSet::new()];
    while let Some(messages) = work.pop() {
        if !seen.insert(messages.clone()) {
            continue;
        }
        search.meet(seen.len(), graph.len())?;
        let (with, named) = with_messages(model, code, graph, operations, &messages);
        if !messages.is_empty() && !search.is_consistent(model, &with)? {
            continue;
        }
        let order = between(model, &with, operations, |e| named[&e]);
        let Some(linear) = linearization(operations, &order, search)? else { return Ok(Some(order)) };
        let can_send = |at: usize| operations.list[at].returned() && operations.list[at].ends.is_some();
        for (place, later) in linear.iter().enumerate() {
            for earlier in &linear[..place] {
                let (from, to) = (later.index(), earlier.index());
                if can_send(from) && operations.list[to].ends.is_some() && order[from] & 1 << to == 0 {
                    let mut more = messages.clone();
                    more.insert((from, to));
                    work.push(more);
                }
            }
        }
    }
    Ok(None)
}

/// A graph with messages, and the names that its events then have.
pub(super) fn with_messages(
    model: Model,
    code: &Code,
    graph: &Execution,
    operations: &Operations,
    messages: &BTreeSet<Message>,
) -> (Execution, FxHashMap<EventId, EventId>) {
    let messages: Vec<Message> = messages.iter().copied().collect();
    let first = code.initial.len() as u32;
    let mut roomy = code.clone();
    roomy.initial.resize(code.initial.len() + messages.len(), 0);
    let location = |at: usize| Location(first + at as u32);
    let mut with = Execution::initial(&roomy);
    let mut named: FxHashMap<EventId, EventId> = (0..first).map(|e| (EventId(e), EventId(e))).collect();
    let (mut sent, mut received) = (FxHashMap::default(), Vec::new());
    let needs_fence = model.rules().buffers == Some(Buffers::OfLocations);
    for thread in (0..graph.threads() as u16).map(ThreadId) {
        for &e in graph.thread(thread) {
            let at_first = |to: usize| operations.list[to].ends.is_some_and(|(first, _)| first == e);
            let at_last = |from: usize| operations.list[from].ends.is_some_and(|(_, last)| last == e);
            for (at, _) in messages.iter().enumerate().filter(|(_, message)| at_first(message.1)) {
                let action = Action::Read { location: location(at), mode: Mode::Acquire };
                received.push((at, with.add(thread, action, Span::default())));
            }
            let serial = with.thread(thread).len() as u32 + 1;
            let event = Event { key: EventKey { thread, serial }, ..*graph.event(e) };
            named.insert(e, with.restore(event));
            let mut has_fence = !needs_fence;
            for (at, _) in messages.iter().enumerate().filter(|(_, message)| at_last(message.0)) {
                if !std::mem::replace(&mut has_fence, true) {
                    with.add(thread, Action::Fence(Mode::Release), Span::default());
                }
                let action = Action::Write { location: location(at), mode: Mode::Release, value: 1 };
                sent.insert(at, with.add(thread, action, Span::default()));
            }
        }
    }
    for (e, _) in graph.events() {
        if let Some(source) = graph.source(e) {
            with.set_source_only(named[&e], named[&source]);
        }
    }
    for (at, read) in received {
        with.set_source(read, sent[&at]);
    }
    (with, named)
}
