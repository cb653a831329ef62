//! Whether a history is linearizable, and why, or why not.

use super::history::{Moment, OperationIndex, ValueIndex};

/// An operation of a linearization, and when it takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// The operation.
    pub operation: OperationIndex,
    /// It takes effect behind this moment and before the next one.
    pub after: Moment,
    /// The value that a pending removal ([`Action::RemoveAny`](super::Action::RemoveAny)) takes; else `None`.
    pub takes: Option<ValueIndex>,
}

/// Moments at which operations take effect so that one after the other does what the object promises.
///
/// Each operation that returned is there once; of pending ones those that take effect.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Linearization {
    /// The operations in the order in which they take effect; `after` never falls.
    pub points: Vec<Point>,
}

/// What keeps a value of a stack from being below and around others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// The push of another value that returned before its own was called.
    Push(OperationIndex),
    /// The pop of another value that was called behind the return of its own.
    Pop(OperationIndex),
    /// Another value that is never popped, while it is.
    Stays(ValueIndex),
}

/// Why a history is not linearizable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// Two removals took a value that was inserted once.
    RemovedTwice {
        /// The earlier removal.
        first: OperationIndex,
        /// The later one.
        second: OperationIndex,
    },
    /// A removal took, or a query found, a value that was never inserted.
    NeverInserted {
        /// The removal or query.
        operation: OperationIndex,
    },
    /// A removal returned before the insertion of its value was called.
    RemovedBeforeInserted {
        /// The removal.
        removal: OperationIndex,
        /// The insertion.
        insertion: OperationIndex,
    },
    /// A removal found nothing although something was in from its call to its return (P3).
    NeverEmpty {
        /// The removal.
        removal: OperationIndex,
        /// Values of which one was surely in at each of its moments, in the order of time: each is in before the one before it may
        /// be gone.
        chain: Vec<ValueIndex>,
    },
    /// A value of a queue that was removed before another one, behind which it was inserted.
    Critical {
        /// The one that was inserted first and removed last: `!around` returned before `!inside` was called.
        around: ValueIndex,
        /// The one that was inserted last and removed first: `?inside` returned before `?around` was called.
        inside: ValueIndex,
    },
    /// Values of a stack of which none can be below all others, and between which the stack is never empty.
    Stuck {
        /// Each of them, by when its push returned, with what keeps it from being outermost.
        values: Vec<(ValueIndex, Obstacle)>,
        /// Values among them of which one is surely in at each moment from the first push's return to the last pop's call, in the
        /// order of time. They alone are stuck as well.
        chain: Vec<ValueIndex>,
    },
    /// A removal or a query of a set or multiset, or an insertion into a set, returned, and nothing that was called by then and had not
    /// taken effect could have brought about the state that it needs.
    NothingToLinearize {
        /// The value.
        value: ValueIndex,
        /// What returned.
        operation: OperationIndex,
        /// Operations of the other kind on this value that were called by then; each has taken effect earlier, for the sake of the operation
        /// beside it (itself, if it was its own return).
        spent: Vec<(OperationIndex, OperationIndex)>,
    },
    /// No order of the operations does what the object promises: the search went through all of them.
    NoOrder {
        /// The operation up to whose return some order of the operations could be found, but no further.
        operation: OperationIndex,
    },
}

/// Why it is not known whether a history is linearizable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undecided {
    /// The search was given up at its limit of states or work.
    Limit,
    /// Pending removals may have taken values in more ways than are tried.
    TooManyAssignments,
    /// The monitors of stacks and queues need values that are inserted once: one is inserted twice. The search decides it.
    InsertedTwice {
        /// The earlier insertion.
        first: OperationIndex,
        /// The later one.
        second: OperationIndex,
    },
    /// An operation of a kind that the monitor does not know. The search decides it.
    NotMonitored {
        /// The operation.
        operation: OperationIndex,
    },
}

/// Whether a history is linearizable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It is.
    Linearizable(Linearization),
    /// It is not.
    Not(Violation),
    /// Nobody knows.
    Unknown(Undecided),
}
