//! Events, and what they are called in a graph.

use super::super::store::Part;
use crate::explore::threads::{NO_NODE, NodeId};
use crate::program::Mode;

/// A slot, or an initial write, or nothing.
pub(in super::super) type Slot = u16;

/// Nothing.
pub(in super::super) const NONE: Slot = Slot::MAX;

/// The initial write of location 0; those of the others follow.
pub(in super::super) const INIT: Slot = 0x8000;

#[inline(always)]
pub(in super::super) fn is_init(slot: Slot) -> bool {
    slot >= INIT
}

/// What kind of event it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Kind {
    /// A read.
    Read,
    /// A write.
    Write,
    /// The read of a read-modify-write, or of an operation that waits.
    UpdateRead,
    /// The write of a read-modify-write, or of an operation that waits.
    UpdateWrite,
    /// A fence.
    Fence,
    /// An event that ends its thread.
    End,
}

/// An event.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Ev {
    pub kind: Kind,
    pub mode: Mode,
    /// It belongs to an operation of a library object.
    pub library: bool,
    /// An `UpdateRead`: it writes, so that an `UpdateWrite` has to follow.
    pub writes: bool,
    pub spurious: bool,
    pub thread: u16,
    /// Number in the thread, from 1; both parts of a read-modify-write have the same.
    pub serial: u16,
    pub location: u16,
    /// Of a read: its source, [`NONE`] if it waits.
    pub source: Slot,
    /// The event of the thread before this one.
    pub previous: Slot,
    /// The last event of the thread that store buffers do not delay, this one included.
    pub undelayed: Slot,
    /// The last plain write of the thread, this one included.
    pub plain_write: Slot,
    /// The last release fence of the thread, this one included.
    pub release_fence: Slot,
    /// Of an `UpdateRead` that writes: the `UpdateWrite`, unless that is yet to come.
    pub update: Slot,
    /// The writes in front of a write and behind it in co, of those in the graph.
    pub co_previous: Slot,
    pub co_next: Slot,
    /// The thread's state, at this event.
    pub node: NodeId,
}

impl Ev {
    /// Whether it is an input that takes another value than its first one, which it would take if it were added again.
    #[inline(always)]
    pub(in super::super) fn takes_later_value(&self) -> bool {
        is_init(self.source) && self.source != NONE && self.source != INIT + self.location
    }
}

// It is copied for each step: what is larger is copied by a call in the page.
const _: () = assert!(size_of::<Ev>() == 32);

impl Part for Ev {
    /// An event that nothing is known of.
    const BLANK: Self = Self {
        kind: Kind::End,
        mode: Mode::Relaxed,
        library: false,
        writes: false,
        spurious: false,
        thread: 0,
        serial: 0,
        location: NONE,
        source: NONE,
        previous: NONE,
        undelayed: NONE,
        plain_write: NONE,
        release_fence: NONE,
        update: NONE,
        co_previous: NONE,
        co_next: NONE,
        node: NO_NODE,
    };
}
