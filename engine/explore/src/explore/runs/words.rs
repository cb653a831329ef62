//! Sentences on runs.

use crate::explore::narrator::Scene;
use crate::graph::EventKey;

/// That a thread waits at the end of a run.
pub(in crate::explore) fn waited(scene: &dyn Scene, operation: EventKey) -> String {
    format!(
        "{} finds nothing that it could take: {}. So it has no source (⊥). Its thread waits, and no thread can go on.",
        scene.event(operation),
        scene.waiting(operation)
    )
}

/// That an event of a thread was added to the run; `None` for one that says why the thread goes no further.
pub(in crate::explore) fn added(scene: &dyn Scene, event: EventKey) -> Option<String> {
    (!ends_thread(scene, event)).then(|| performed(scene, event))
}

/// Whether an event says why its thread goes no further, and does nothing.
pub(in crate::explore) fn ends_thread(scene: &dyn Scene, event: EventKey) -> bool {
    scene.graph().find(event).is_some_and(|e| {
        let event = scene.graph().event(e);
        event.ends_thread() && event.operation().is_none()
    })
}

/// That an event of a thread was performed.
pub(in crate::explore) fn performed(scene: &dyn Scene, event: EventKey) -> String {
    let graph = scene.graph();
    let source = graph.find(event).and_then(|e| graph.source(e)).map(|source| graph.event(source).key);
    match (source, scene.operation(event)) {
        (Some(source), Some(_)) => {
            format!("{} is performed. It {}.", scene.event(event), scene.takes(event, &scene.event(source)))
        }
        (Some(source), None) => {
            format!("{} is performed. It reads from {} (rf).", scene.event(event), scene.event(source))
        }
        (None, _) => format!("{} is performed.", scene.event(event)),
    }
}

/// That the run was cut to before an event, and another one performed in its place.
pub(in crate::explore) fn backtracked(scene: &dyn Scene, event: EventKey, before: EventKey, commits: bool) -> String {
    format!(
        "The exploration goes back to the point before {}, which joins the sleep set. In its place, {} {}",
        scene.name(before),
        if commits { committed(scene, event) } else { performed(scene, event) },
        scene.removed()
    )
}

/// That a store reached memory.
pub(in crate::explore) fn committed(scene: &dyn Scene, write: EventKey) -> String {
    format!("{} reaches memory from its store buffer.", scene.event(write))
}

/// That two events are in a race.
pub(in crate::explore) fn race(scene: &dyn Scene, first: EventKey, second: EventKey) -> String {
    let waits = scene.graph().find(second).is_some_and(|e| scene.graph().event(e).is_blocked());
    if waits {
        return format!(
            "{} waits for what {} has taken. So the two are in a race.",
            scene.call(second),
            scene.event(first)
        );
    }
    format!(
        "{} and {} are in a race: they are dependent, and only their places in the run order them.",
        scene.event(first),
        scene.event(second)
    )
}
