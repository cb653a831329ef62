//! What store buffers keep of po. [`super::formula`] has the definitions, [`super::definitions`] the machines.

use super::rules::Buffers;
use super::view::View;
use crate::graph::{Event, EventId, Label, Relation};
use crate::program::Mode;

impl Buffers {
    /// Whether they keep two events of one thread, the first before the second in po, in order.
    pub(super) fn preserve(self, a: &Event, b: &Event) -> bool {
        match self {
            Self::OfThreads => preserved_by_threads(a, b),
            Self::OfLocations => preserved_by_locations(a, b),
        }
    }

    /// The closure of what they keep of po, and rf between threads.
    pub(super) fn order(self, view: &View<'_>) -> Relation {
        let graph = view.graph;
        view.closure(|e, predecessor| {
            self.each_predecessor(view, e, predecessor);
            if let Some(w) = graph.source(e)
                && graph.event(w).thread() != graph.event(e).thread()
            {
                predecessor(w);
            }
        })
    }

    /// ppo, but for its pairs that start at initial writes.
    pub(super) fn preserved(self, view: &View<'_>) -> Relation {
        let mut ppo = Relation::new(view.len());
        for &e in &view.order {
            self.each_predecessor(view, e, &mut |before| {
                ppo.insert(before, e);
            });
        }
        ppo
    }

    fn each_predecessor(self, view: &View<'_>, e: EventId, predecessor: &mut dyn FnMut(EventId)) {
        let event = view.graph.event(e);
        for &before in &view.graph.thread(event.thread())[..event.key.serial as usize - 1] {
            if self.preserve(view.graph.event(before), event) {
                predecessor(before);
            }
        }
    }
}

/// Fences take part only if they drain the buffer.
fn preserved_by_threads(a: &Event, b: &Event) -> bool {
    takes_part(a) && takes_part(b) && !(is_plain_write(a) && is_plain_read(b))
}

fn takes_part(event: &Event) -> bool {
    match event.label {
        Label::Fence(mode) => mode == Mode::SequentiallyConsistent,
        Label::Init { .. }
        | Label::Read { .. }
        | Label::Write { .. }
        | Label::Update { .. }
        | Label::Library { .. }
        | Label::Get { .. }
        | Label::Post { .. } => true,
        Label::Error(_) | Label::Stuck | Label::Bound(_) | Label::Spin => false,
    }
}

pub(super) fn is_plain_write(event: &Event) -> bool {
    matches!(event.label, Label::Write { .. }) || is_unlock(event)
}

pub(super) fn is_unlock(event: &Event) -> bool {
    event.operation().is_some_and(|operation| !operation.waits())
}

pub(super) fn is_plain_read(event: &Event) -> bool {
    matches!(event.label, Label::Read { .. })
}

/// Store-store fences are ordered with writes, and with nothing else that is not ordered anyway.
fn preserved_by_locations(a: &Event, b: &Event) -> bool {
    if is_store_fence(a) {
        return is_plain_write(b) || is_store_fence(b);
    }
    if is_store_fence(b) {
        return is_plain_write(a);
    }
    let overtakes = is_plain_read(b) || is_plain_write(b) && !is_unlock(b) && a.location() != b.location();
    preserved_by_threads(a, b) && !(is_plain_write(a) && overtakes)
}

pub(super) fn is_store_fence(event: &Event) -> bool {
    matches!(event.label, Label::Fence(Mode::Release | Mode::AcquireRelease))
}
