//! The accesses of each location by thread, and what each says of co.

use crate::graph::{EventId, ThreadId};
use crate::model::view::View;

/// An access.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    pub event: EventId,
    /// Its place in its thread, from 1.
    pub serial: u32,
    /// The write that whoever knows of the access knows of: itself, or its source.
    pub leaves: EventId,
}

/// The accesses of a location by one thread, in po.
#[derive(Debug)]
pub(super) struct Column {
    pub thread: ThreadId,
    pub accesses: Vec<Access>,
    /// The writes among them.
    pub writes: Vec<Access>,
}

impl Column {
    /// The last access among the first so many events of the thread.
    pub(super) fn last(&self, events: u32) -> Option<&Access> {
        last(&self.accesses, events)
    }

    /// The last write among the first so many events of the thread.
    pub(super) fn last_write(&self, events: u32) -> Option<&Access> {
        last(&self.writes, events)
    }
}

fn last(accesses: &[Access], events: u32) -> Option<&Access> {
    accesses[..accesses.partition_point(|access| access.serial <= events)].last()
}

/// By location: a column for each thread that accesses it. Reads without a source are left out, and initial writes.
pub(super) fn columns(view: &View<'_>) -> Vec<Vec<Column>> {
    let mut columns: Vec<Vec<Column>> = (0..view.locations).map(|_| Vec::new()).collect();
    for thread in (0..view.graph.threads()).map(|thread| ThreadId(thread as u16)) {
        for (at, &event) in view.graph.thread(thread).iter().enumerate() {
            let access = view.graph.event(event);
            let Some(location) = access.location() else { continue };
            let leaves = if access.is_write() { Some(event) } else { view.graph.source(event) };
            let Some(leaves) = leaves else { continue };
            let columns = &mut columns[location.0 as usize];
            if columns.last().is_none_or(|column| column.thread != thread) {
                columns.push(Column { thread, accesses: Vec::new(), writes: Vec::new() });
            }
            if let Some(column) = columns.last_mut() {
                let access = Access { event, serial: at as u32 + 1, leaves };
                column.accesses.push(access);
                if leaves == event {
                    column.writes.push(access);
                }
            }
        }
    }
    columns
}

/// The write that an access stands at in co: what it reads, else itself.
pub(super) fn enters(view: &View<'_>, access: &Access) -> EventId {
    view.graph.source(access.event).unwrap_or(access.event)
}
