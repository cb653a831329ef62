//! Total store order, the model of x86.
//!
//! As a machine: each thread has a FIFO buffer of writes. A read takes the youngest write of its location in its own
//! thread's buffer, else the memory; the buffer's oldest write goes to memory at any time. `fence sc` and every
//! read-modify-write, whether it writes or fails, wait until their own thread's buffer is empty; a read-modify-write
//! then acts on the memory. Other fences and modes mean nothing. Of the operations of mutexes and channels, an unlock is a
//! plain write, and all others are read-modify-writes.
//!
//! As axioms: for some co,
//!
//! - coherence: for each location, (po on its accesses) ∪ rf ∪ co ∪ fr is acyclic;
//! - store order: ppo ∪ (rf between threads) ∪ co ∪ fr is acyclic, where ppo is po without its pairs from a plain write
//!   to a plain read; fences that wait are among the events ordered.
//!
//! Source: Kokologiannakis, Raad and Vafeiadis, "Model Checking for Weakly Consistent Libraries" (PLDI 2019), appendix
//! A.2, in an equivalent form with co for each location instead of one order of all writes. Two deviations from print:
//! there, only a read-modify-write can hide a write from a read, which would allow message passing to fail; and po is
//! ordered only outside W × R, which would take read-modify-writes out of ppo, though they drain the buffer.

use super::coherence::{Global, Local, Problem, State};
use super::view::View;
use crate::graph::{Event, EventId, Label, Relation};
use crate::program::{Mode, Operation};

/// The part of po that store buffers keep; see [`preserved`].
pub(super) fn problem<'v>(view: &'v View<'v>) -> Problem<'v> {
    store_buffer_problem(view, preserved)
}

/// Whether a store buffer for each thread keeps two events of one thread, the first before the second in po, in order.
/// Fences take part only if they drain the buffer.
pub(super) fn preserved(a: &Event, b: &Event) -> bool {
    takes_part(a) && takes_part(b) && !(is_plain_write(a) && is_plain_read(b))
}

fn takes_part(event: &Event) -> bool {
    match event.label {
        Label::Fence(mode) => mode == Mode::SequentiallyConsistent,
        Label::Init { .. }
        | Label::Read { .. }
        | Label::Write { .. }
        | Label::Update { .. }
        | Label::Library { .. } => true,
        Label::Error(_) | Label::Stuck | Label::Bound(_) | Label::Spin => false,
    }
}

pub(super) fn is_plain_write(event: &Event) -> bool {
    matches!(event.label, Label::Write { .. }) || is_unlock(event)
}

pub(super) fn is_unlock(event: &Event) -> bool {
    event.operation() == Some(Operation::Unlock)
}

pub(super) fn is_plain_read(event: &Event) -> bool {
    matches!(event.label, Label::Read { .. })
}

/// The problem of a model with store buffers, given the part of po that they keep.
pub(super) fn store_buffer_problem<'v>(view: &'v View<'v>, preserved: fn(&Event, &Event) -> bool) -> Problem<'v> {
    let graph = view.graph;
    let global = view.closure(|e, predecessor| {
        let event = graph.event(e);
        each_preserved_predecessor(view, e, preserved, predecessor);
        if let Some(w) = graph.source(e)
            && graph.event(w).thread() != event.thread()
        {
            predecessor(w);
        }
    });
    Problem {
        view,
        local: Local::CoFr,
        global: Global::CoFr,
        hides: false,
        fences: Vec::new(),
        sc: None,
        start: State { hb: Relation::new(0), local: view.by_location(&view.po()), global, added: Vec::new() },
    }
}

fn each_preserved_predecessor(
    view: &View<'_>,
    e: EventId,
    preserved: fn(&Event, &Event) -> bool,
    predecessor: &mut dyn FnMut(EventId),
) {
    let event = view.graph.event(e);
    for &before in &view.graph.thread(event.thread())[..event.key.serial as usize - 1] {
        if preserved(view.graph.event(before), event) {
            predecessor(before);
        }
    }
}

/// ppo, but for its pairs that start at initial writes.
pub(super) fn preserved_po(view: &View<'_>, preserved: fn(&Event, &Event) -> bool) -> Relation {
    let mut ppo = Relation::new(view.len());
    for &e in &view.order {
        each_preserved_predecessor(view, e, preserved, &mut |before| {
            ppo.insert(before, e);
        });
    }
    ppo
}
