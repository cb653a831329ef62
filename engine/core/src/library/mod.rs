//! Libraries of concurrent objects: what their operations ask of a graph, whatever the memory model.
//!
//! After section 2.7 and definitions 3.6 and 3.7 of Kokologiannakis, Raad, Vafeiadis: *Model Checking for Weakly
//! Consistent Libraries*, PLDI 2019, generalised to objects whose operations take turns. An operation that waits
//! ([`Operation::waits`]) takes its object over from another operation or from the initial state, its source; without
//! one it is blocked (⊥) and its thread has ended. A [`Library`] says which operations may take over from which. A graph
//! is consistent with it if
//!
//! - it is well-formed: each source is an operation on the same object that the operation may follow;
//! - rf is injective: no two operations have the same source;
//! - at the end, it is well-blocked: no operation waits for an object that is there to be taken. As threads that wait
//!   have ended, nothing comes behind a blocked operation in porf.
//!
//! So all operations of one object that are not blocked form one chain from the initial state on. To the memory models,
//! such an operation is a read-modify-write of the object's location, but an unlock or the end of a thread is a plain write: rf hands the object
//! over and is part of what orders events as any other rf is, the chain is the object's co, and that rf is injective is
//! atomicity. [`Operation::mode`] says what that means to RC11.
//!
//! What only depends on the past of one thread is found by the interpreter: an unlock of a mutex that its thread does not
//! hold is an error event ([`crate::program::ErrorKind::NotHeld`]), so that every unlock in a graph is that of its
//! holder. A lock of a mutex that its own thread holds is no error, but waits for ever.

mod channel;
mod ends;
mod mutex;

pub use channel::Channel;
pub use ends::Ends;
pub use mutex::Mutex;

use crate::graph::{EventId, Execution};
use crate::program::{Location, Operation};
use crate::sort;

/// What one kind of object asks of a graph.
pub trait Library {
    /// What its objects are called: "mutex".
    fn noun(&self) -> &'static str;

    /// Whether an operation may take the object over from another, or from the initial state (`None`).
    fn may_follow(&self, operation: Operation, source: Option<Operation>) -> bool;

    /// The event that an operation would have to wait for the successor of: of a mutex the lock that holds it, of a
    /// channel its last operation. `None` if no operation stands in the way, but the initial state.
    fn obstacle(&self, graph: &Execution, location: Location) -> Option<EventId>;

    /// Whether two operations want the same sources.
    fn compete(&self, a: Operation, b: Operation) -> bool;
}

/// The library of an operation.
pub fn library(operation: Operation) -> &'static dyn Library {
    match operation {
        Operation::Lock | Operation::Unlock => &Mutex,
        Operation::Send(_) | Operation::Receive => &Channel,
        Operation::End | Operation::Join => &Ends,
    }
}

/// Whether a write can be the source of a read as far as libraries are concerned; of plain accesses, always.
pub fn feeds(graph: &Execution, write: EventId, read: EventId) -> bool {
    let event = graph.event(read);
    event.operation().is_none_or(|operation| may_follow(operation, graph.event(write).operation()))
}

/// Whether an operation may take its object over from another, or from the initial state (`None`).
pub fn may_follow(operation: Operation, source: Option<Operation>) -> bool {
    library(operation).may_follow(operation, source)
}

/// What an operation could take its object over from, in the order of insertion: no other operation has done so yet.
pub fn free_sources(graph: &Execution, read: EventId) -> impl Iterator<Item = EventId> + '_ {
    let location = graph.event(read).location();
    let readers = graph.events().filter(move |(e, event)| *e != read && event.location() == location);
    let taken: Vec<_> = readers.filter_map(|(e, _)| graph.source(e)).collect();
    let writes = location.into_iter().flat_map(|location| graph.writes(location));
    writes.filter(move |&write| write != read && feeds(graph, write, read) && !taken.contains(&write))
}

/// An operation that waits for what it could take: such a graph may still grow, or change, into an execution, but is
/// none. (definition 3.6, part 2)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IllBlocked {
    /// The operation.
    pub waiting: EventId,
    /// What it could take.
    pub free: EventId,
}

/// The first operation that waits for what it could take, if any.
pub fn ill_blocked(graph: &Execution) -> Option<IllBlocked> {
    let blocked = graph.events().filter(|(_, event)| event.is_blocked());
    blocked
        .filter_map(|(waiting, _)| free_sources(graph, waiting).next().map(|free| IllBlocked { waiting, free }))
        .next()
}

/// A thread that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Its operation.
    pub event: EventId,
    /// What stands in its way ([`Library::obstacle`]).
    pub obstacle: Option<EventId>,
}

/// The operations that wait, by thread.
pub fn waiting(graph: &Execution) -> Vec<Waiting> {
    let mut all: Vec<_> = graph
        .events()
        .filter(|(_, event)| event.is_blocked())
        .filter_map(|(e, event)| {
            let (operation, location) = event.operation().zip(event.location())?;
            Some(Waiting { event: e, obstacle: library(operation).obstacle(graph, location) })
        })
        .collect();
    sort::by_key(&mut all, |waiting| graph.event(waiting.event).thread());
    all
}
