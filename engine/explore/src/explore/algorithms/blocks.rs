//! Blocks that are atomic, in graphs of events.
//!
//! Under a model with one order of all events, a block is one step if that order has its events next to each other. With co, the graph
//! says so by itself: each block is made one node, and then po, rf, co and fr have to be acyclic. Explorers that make co part of an
//! execution let events of others come between, as the model does, and leave what is not so at its end and at each error: there every
//! event that matters is in place. Without co, it would take a search, and last values that fit too.

use crate::graph::{Coherence, EventId, Execution, Relation, ThreadId};
use crate::program::{Code, Limits, ThreadState};
use crate::sort;

/// By event, what stands for it: of a block, its first event.
fn nodes_of(code: &Code, limits: Limits, graph: &Execution) -> Vec<EventId> {
    let mut nodes: Vec<EventId> = graph.ids().collect();
    for thread in 0..graph.threads() {
        let mut state = ThreadState::new(code, thread);
        let mut last: Option<(u32, EventId)> = None;
        for &e in graph.thread(ThreadId(thread as u16)) {
            let event = graph.event(e);
            state.advance(code, thread, limits);
            if let Some(block) = state.block(code, thread) {
                let first = last.filter(|(of, _)| *of == block).map_or(e, |(_, first)| first);
                nodes[e.index()] = first;
                last = Some((block, first));
            }
            if !event.ends_thread() && !event.is_blocked() {
                state.resume_as(code, thread, event.value_read, event.fails_spuriously());
            }
        }
    }
    nodes
}

/// Events of blocks that come before each other in a circle, so that some block is not one step; none if each is. Cubic in the events,
/// 64 of them at a time.
pub(super) fn circle(code: &Code, limits: Limits, graph: &Execution, co: &Coherence) -> Vec<EventId> {
    let nodes = nodes_of(code, limits, graph);
    let mut order = Relation::new(graph.len());
    let mut add = |from: EventId, to: EventId| {
        let [from, to] = [from, to].map(|e| nodes[e.index()]);
        if from != to {
            order.insert(from, to);
        }
    };
    for thread in 0..graph.threads() {
        graph.thread(ThreadId(thread as u16)).windows(2).for_each(|pair| add(pair[0], pair[1]));
    }
    let mut next = vec![None; graph.len()];
    for pair in co.iter().flat_map(|writes| writes.windows(2)) {
        add(pair[0], pair[1]);
        next[pair[0].index()] = Some(pair[1]);
    }
    for (read, _) in graph.events() {
        let Some(write) = graph.source(read) else { continue };
        add(write, read);
        if let Some(later) = next[write.index()].filter(|later| *later != read) {
            add(read, later);
        }
    }
    let order = order.transitive_closure();
    let Some(first) = graph.ids().find(|&node| order.contains(node, node)) else { return Vec::new() };
    let in_circle = |node: EventId| order.contains(first, node) && order.contains(node, first);
    let mut events: Vec<EventId> = graph.ids().filter(|e| in_circle(nodes[e.index()])).collect();
    sort::by_key(&mut events, |e| graph.event(*e).key);
    events
}
