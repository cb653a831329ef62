//! What a schedule permits, by the definition of execution schedules: the events of the sections along a path, each
//! section's in an order that extends its own, and all of one section before all of the next.

use super::tables::Table;

/// Whether a sequence of events (thread and transition) is the beginning of what some path permits. At a node, the path
/// may change once from each schedule to the next.
pub(crate) fn is_permitted(schedules: &[&Table], sequence: &[(usize, u32)]) -> bool {
    from_node(schedules, 0, sequence)
}

fn from_node(schedules: &[&Table], node: usize, sequence: &[(usize, u32)]) -> bool {
    if sequence.is_empty() || (schedules.len() > 1 && from_node(&schedules[1..], node, sequence)) {
        return true;
    }
    schedules[0].edges.iter().filter(|edge| edge.from == node).any(|edge| {
        let mut is_done = vec![false; edge.events.len()];
        for (number, &(thread, transition)) in sequence.iter().enumerate() {
            if is_done.iter().all(|&is_done| is_done) {
                return from_node(schedules, edge.to, &sequence[number..]);
            }
            let next = (0..is_done.len()).find(|&event| !is_done[event] && edge.events[event].0 == thread);
            let Some(next) = next.filter(|&event| edge.events[event].1 == transition) else {
                return false;
            };
            if edge.events[next].2.iter().any(|&before| !is_done[before]) {
                return false;
            }
            is_done[next] = true;
        }
        true
    })
}

/// In how many orders the events of an edge can happen.
pub(crate) fn extensions(table: &Table, edge: usize) -> usize {
    fn count(events: &[(usize, u32, Vec<usize>)], is_done: &mut Vec<bool>) -> usize {
        if is_done.iter().all(|&is_done| is_done) {
            return 1;
        }
        let mut sum = 0;
        for event in 0..events.len() {
            let (thread, _, after) = &events[event];
            let is_first = !is_done[event]
                && after.iter().all(|&before| is_done[before])
                && (0..event).all(|before| is_done[before] || events[before].0 != *thread);
            if is_first {
                is_done[event] = true;
                sum += count(events, is_done);
                is_done[event] = false;
            }
        }
        sum
    }
    let events = &table.edges[edge].events;
    count(events, &mut vec![false; events.len()])
}
