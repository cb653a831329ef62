//! Events of an execution graph.

use crate::program::{Bound, ErrorKind, Location, Mode, Operation, Span, Update, Value};
use serde::{Deserialize, Serialize};

/// Index of an event in its execution: its position in the sequence of insertion. Cutting a graph renumbers the events
/// that stay; [`EventKey`] names an event for good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EventId(pub u32);

impl EventId {
    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A thread of the program, or the initialisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ThreadId(pub u16);

impl ThreadId {
    /// The thread that all initial writes belong to.
    pub const INIT: Self = Self(u16::MAX);

    /// Whether it is the initialisation.
    pub fn is_init(self) -> bool {
        self == Self::INIT
    }

    /// As an index into the program's threads.
    pub fn index(self) -> usize {
        debug_assert!(!self.is_init());
        self.0 as usize
    }
}

/// What names an event across graphs: its thread and its place in the thread, from 1. An initial write has the number
/// of its location as place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EventKey {
    /// The thread.
    pub thread: ThreadId,
    /// Serial number in the thread, from 1.
    pub serial: u32,
}

/// What an event does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Label {
    /// The initial write of a location.
    Init {
        /// The location.
        location: Location,
    },
    /// A read.
    Read {
        /// The location.
        location: Location,
        /// Its mode.
        mode: Mode,
    },
    /// A write.
    Write {
        /// The location.
        location: Location,
        /// Its mode.
        mode: Mode,
    },
    /// A read-modify-write: one event that reads and writes, or only reads where a compare-and-swap fails.
    Update {
        /// The location.
        location: Location,
        /// Its mode when it writes.
        mode: Mode,
        /// Its mode when it does not.
        failure: Mode,
        /// What it writes.
        update: Update,
    },
    /// An operation of a library object. One that waits is a read, and a read-modify-write once it has a source.
    Library {
        /// The object's location.
        location: Location,
        /// What it does.
        operation: Operation,
    },
    /// A handler takes a message.
    Get {
        /// Which of its messages, once there is a source.
        message: Option<u16>,
    },
    /// A message is put into the mailbox of a handler.
    Post {
        /// The handler.
        handler: ThreadId,
        /// Which of its messages.
        message: u16,
        /// The value of its parameter.
        value: Value,
    },
    /// A fence.
    Fence(Mode),
    /// An error; its thread ends here.
    Error(ErrorKind),
    /// A failed assumption; its thread blocks here.
    Stuck,
    /// A bound ([`crate::program::Limits`]); its thread is cut here.
    Bound(Bound),
    /// A round of a loop changed nothing; its thread waits here for good.
    Spin,
}

/// An event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// Its name across graphs.
    pub key: EventKey,
    /// What it does.
    pub label: Label,
    /// The value it reads, once it has a source.
    pub value_read: Option<Value>,
    /// The value it writes; of a read-modify-write once it has a source, and `None` if it fails.
    pub value_written: Option<Value>,
    /// The source text it comes from; the default for initial writes.
    pub span: Span,
}

impl Event {
    /// Its thread.
    pub fn thread(&self) -> ThreadId {
        self.key.thread
    }

    /// Whether it is an initial write.
    pub fn is_init(&self) -> bool {
        self.key.thread.is_init()
    }

    /// Whether it reads.
    pub fn is_read(&self) -> bool {
        match self.label {
            Label::Read { .. } | Label::Update { .. } => true,
            Label::Library { operation, .. } => operation.waits(),
            _ => false,
        }
    }

    /// Whether it writes, in this graph.
    pub fn is_write(&self) -> bool {
        self.value_written.is_some()
    }

    /// Whether it reads and writes, in this graph.
    pub fn is_update(&self) -> bool {
        self.is_read() && self.is_write()
    }

    /// Whether it is a weak compare-and-swap that fails, in this graph, although it reads the value it looks for.
    pub fn fails_spuriously(&self) -> bool {
        match self.label {
            Label::Update { update, .. } => {
                !self.is_write() && self.value_read.is_some_and(|read| update.may_fail_spuriously(read))
            }
            _ => false,
        }
    }

    /// Whether it is a fence.
    pub fn is_fence(&self) -> bool {
        matches!(self.label, Label::Fence(_))
    }

    /// The location it accesses.
    pub fn location(&self) -> Option<Location> {
        match self.label {
            Label::Init { location }
            | Label::Read { location, .. }
            | Label::Write { location, .. }
            | Label::Update { location, .. }
            | Label::Library { location, .. } => Some(location),
            Label::Get { .. }
            | Label::Post { .. }
            | Label::Fence(_)
            | Label::Error(_)
            | Label::Stuck
            | Label::Bound(_)
            | Label::Spin => None,
        }
    }

    /// Its mode in this graph; initial writes are relaxed, what is no access or fence too.
    pub fn mode(&self) -> Mode {
        match self.label {
            Label::Read { mode, .. } | Label::Write { mode, .. } | Label::Fence(mode) => mode,
            Label::Update { mode, failure, .. } => {
                if self.value_read.is_some() && !self.is_write() {
                    failure
                } else {
                    mode
                }
            }
            Label::Library { operation, .. } => operation.mode(),
            // As an operation of a channel: a message sees what was done before it was posted.
            Label::Get { .. } => Mode::Acquire,
            Label::Post { .. } => Mode::Release,
            Label::Init { .. } | Label::Error(_) | Label::Stuck | Label::Bound(_) | Label::Spin => Mode::Relaxed,
        }
    }

    /// The operation of a library object that it is.
    pub fn operation(&self) -> Option<Operation> {
        match self.label {
            Label::Library { operation, .. } => Some(operation),
            _ => None,
        }
    }

    /// Whether it is a handler's taking of a message.
    pub fn is_get(&self) -> bool {
        matches!(self.label, Label::Get { .. })
    }

    /// The handler that it posts to, if it posts.
    pub fn posts_to(&self) -> Option<ThreadId> {
        match self.label {
            Label::Post { handler, .. } => Some(handler),
            _ => None,
        }
    }

    /// Whether it is an operation of a library object that waits: it has no source, written ⊥.
    pub fn is_blocked(&self) -> bool {
        self.value_read.is_none() && self.operation().is_some_and(Operation::waits)
    }

    /// Whether its thread can't go on behind it, in this graph. That is so of a get without a message.
    pub fn ends_thread(&self) -> bool {
        matches!(
            self.label,
            Label::Error(_) | Label::Stuck | Label::Bound(_) | Label::Spin | Label::Get { message: None }
        ) || self.is_blocked()
    }
}
