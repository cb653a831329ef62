//! Queues without empty dequeues: whether some client sees a violation, pair by pair.

use super::messages::{Message, causes, with_messages};
use super::{Operations, Order, Search, Unjudged};
use crate::graph::Execution;
use crate::model::Model;
use crate::program::Code;
use crate::{Action, Object, ValueIndex};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Whether some client sees that the queue is none; `None` if this procedure has no answer: what is no queue, a dequeue that found nothing,
/// operations that are pending or have no events, values that were inserted twice.
///
/// It is none if a value was taken that nobody inserted, or taken twice; or taken before it was inserted; or if values a and b are a
/// critical pair: b was inserted before a, but a was taken before b, or b never. Each of these asks for two messages at most, so the
/// executions with these are all there is to look at.
///
/// # Errors
/// [`Unjudged`] where the search says so.
pub fn is_broken_queue(
    model: Model,
    code: &Code,
    graph: &Execution,
    operations: &Operations,
    search: &mut Search,
) -> Result<Option<bool>, Unjudged> {
    if operations.object != Object::Queue {
        return Ok(None);
    }
    let mut inserted: FxHashMap<ValueIndex, usize> = FxHashMap::default();
    let mut removed: FxHashMap<ValueIndex, Vec<usize>> = FxHashMap::default();
    for (at, done) in operations.list.iter().enumerate() {
        if !done.returned() || done.ends.is_none() {
            return Ok(None);
        }
        match done.action {
            Action::Insert(value) if !inserted.contains_key(&value) => drop(inserted.insert(value, at)),
            Action::Remove(value) => removed.entry(value).or_default().push(at),
            _ => return Ok(None),
        }
    }
    if removed.iter().any(|(value, by)| by.len() > 1 || !inserted.contains_key(value)) {
        return Ok(Some(true));
    }
    let order = causes(model, graph, operations);
    let mut is_seen = |wanted: &[Message]| is_possible(model, code, graph, operations, &order, wanted, search);
    for (a, taken) in &removed {
        let (insert_a, remove_a) = (inserted[a], taken[0]);
        if is_seen(&[(remove_a, insert_a)])? {
            return Ok(Some(true));
        }
        for (b, &insert_b) in inserted.iter().filter(|(b, _)| *b != a) {
            let is_critical = match removed.get(b) {
                Some(taken) => is_seen(&[(insert_b, insert_a), (remove_a, taken[0])])?,
                None => is_seen(&[(insert_b, insert_a)])?,
            };
            if is_critical {
                return Ok(Some(true));
            }
        }
    }
    Ok(Some(false))
}

/// Whether each of some operations may have returned before the other one was called, all at once.
fn is_possible(
    model: Model,
    code: &Code,
    graph: &Execution,
    operations: &Operations,
    order: &Order,
    wanted: &[Message],
    search: &mut Search,
) -> Result<bool, Unjudged> {
    let is_new = |&(from, to): &Message| order[to] & 1 << from == 0;
    let messages: BTreeSet<Message> = wanted.iter().copied().filter(is_new).collect();
    if messages.iter().any(|(from, to)| from == to || order[*from] & 1 << to != 0) {
        return Ok(false);
    }
    Ok(messages.is_empty()
        || search.is_consistent(model, &with_messages(model, code, graph, operations, &messages).0)?)
}
