//! Mutexes and channels by definition.

use crate::graph::{Event, EventId, Execution, Relation};
use crate::program::Operation;

/// Whether an operation may have an event of its location as its source: a lock an unlock or the initial state, a send a
/// receive or the initial state, a receive a send, and who waits for the end of a thread that end.
pub(super) fn may_follow(operation: Operation, source: &Event) -> bool {
    match (operation, source.operation()) {
        (Operation::Lock, Some(Operation::Unlock))
        | (Operation::Send(_), Some(Operation::Receive))
        | (Operation::Receive, Some(Operation::Send(_)))
        | (Operation::Join, Some(Operation::End)) => true,
        (Operation::Lock | Operation::Send(_), None) => source.is_init(),
        _ => false,
    }
}

/// Whether a whole graph satisfies the libraries of its objects: each source may be one, rf is injective on operations,
/// nothing is behind a blocked one, and none that is blocked has a source that it could take.
/// (Kokologiannakis, Raad, Vafeiadis, PLDI 2019, definitions 3.6 and 3.7)
pub fn consistent(graph: &Execution) -> bool {
    let operations: Vec<(EventId, Operation)> =
        graph.events().filter_map(|(e, event)| Some((e, event.operation().filter(|o| o.waits())?))).collect();
    let taken = |write: EventId| operations.iter().filter(|(e, _)| graph.source(*e) == Some(write)).count();
    operations.iter().all(|&(e, operation)| match graph.source(e) {
        Some(source) => {
            graph.event(source).location() == graph.event(e).location()
                && may_follow(operation, graph.event(source))
                && taken(source) == 1
        }
        None => {
            let location = graph.event(e).location().expect("an operation has an object");
            graph.thread(graph.event(e).thread()).last() == Some(&e)
                && !graph.writes(location).any(|w| may_follow(operation, graph.event(w)) && taken(w) == 0)
        }
    })
}

/// The order of the operations on each object: rf, and po from a lock to its unlock. Every co has to keep it, since the
/// operations of an object are one chain; orders that do not are not worth trying.
pub(super) fn chains(graph: &Execution) -> Relation {
    let mut chains = Relation::new(graph.len());
    for (e, event) in graph.events() {
        match event.operation() {
            Some(Operation::Unlock) => {
                let before = &graph.thread(event.thread())[..event.key.serial as usize - 1];
                let lock = before.iter().rev().find(|b| graph.event(**b).location() == event.location());
                chains.insert(*lock.expect("an unlock has a lock"), e);
            }
            Some(_) => {
                if let Some(source) = graph.source(e) {
                    chains.insert(source, e);
                }
            }
            None => {}
        }
    }
    chains.transitive_closure()
}
