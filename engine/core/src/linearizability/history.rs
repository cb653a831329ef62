//! Histories: operations of one object, with their calls and returns.

use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

macro_rules! index {
    ($($(#[$about:meta])+ $name:ident,)*) => {
        $(
            $(#[$about])+
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
            pub struct $name(pub u32);

            impl $name {
                /// As an index.
                pub const fn index(self) -> usize {
                    self.0 as usize
                }
            }
        )*
    };
}

index! {
    /// An operation: an index into [`History::operations`].
    OperationIndex,
    /// A thread: an index into [`History::threads`].
    ThreadIndex,
    /// A value: an index into [`History::values`].
    ValueIndex,
    /// A call or a return: its place among all of a history, in the order of time. All are distinct. Of those with the same time,
    /// calls come first, so that operations which share a time overlap.
    Moment,
}

/// Names, each with a number.
#[derive(Clone, Debug, Default)]
pub struct Names {
    names: Vec<Box<str>>,
    numbers: FxHashMap<Box<str>, u32>,
}

impl Names {
    /// The number of a name, a new one if it has none yet.
    pub fn number(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.names.len() as u32;
        self.names.push(name.into());
        if let Entry::Vacant(entry) = self.numbers.entry(name.into()) {
            entry.insert(number);
        }
        number
    }

    /// The number of a name that has one.
    pub fn find(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    /// The name of a number.
    ///
    /// # Panics
    /// If no name has it.
    pub fn name(&self, number: u32) -> &str {
        &self.names[number as usize]
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}

/// What kind of object a history is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Object {
    /// What was inserted last is removed first.
    Stack,
    /// What was inserted first is removed first.
    Queue,
    /// Holds a value once or not at all. An insertion of what is there, or a removal of what is not, is not an operation of
    /// its own but a query that found the value, or did not.
    Set,
    /// Holds a value any number of times.
    Multiset,
    /// The smallest value is removed first: by number where all values are numbers, else by name.
    PriorityQueue,
    /// One value, which is read, written, compared and exchanged.
    Register,
    /// A number that is added to.
    Counter,
}

impl Object {
    /// All kinds.
    pub const ALL: [Self; 7] =
        [Self::Stack, Self::Queue, Self::Set, Self::Multiset, Self::PriorityQueue, Self::Register, Self::Counter];

    /// Its name, as texts and the command line write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stack => "stack",
            Self::Queue => "queue",
            Self::Set => "set",
            Self::Multiset => "multiset",
            Self::PriorityQueue => "priority-queue",
            Self::Register => "register",
            Self::Counter => "counter",
        }
    }
}

/// What an operation did, with its result. Of a pending operation the result is not known, unless the history is the beginning of one
/// in which it returns: then that is its result if it takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Action {
    /// Put a value in: push, enqueue, add.
    Insert(ValueIndex),
    /// Took a value out: pop, dequeue, or remove of this value.
    Remove(ValueIndex),
    /// Is to take a value out and has not returned, so nobody knows which. Only pending operations of stacks, queues, priority
    /// queues and multisets.
    RemoveAny,
    /// Found nothing to take out.
    RemoveNothing,
    /// Asked whether a value is in, and the answer.
    Contains(ValueIndex, bool),
    /// Read a register.
    Read(ValueIndex),
    /// Wrote a register.
    Write(ValueIndex),
    /// Wrote a register if it had a value.
    CompareAndSet {
        /// The value that it was to have.
        expected: ValueIndex,
        /// The value that it then has.
        new: ValueIndex,
        /// Whether it had it; `None` while pending.
        succeeded: Option<bool>,
    },
    /// Added to a counter.
    Increase(i64),
    /// Read a counter.
    Total(i64),
}

/// An operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    /// Who did it.
    pub thread: ThreadIndex,
    /// What it did.
    pub action: Action,
    /// When it was called.
    pub call: Moment,
    /// When it returned; `None` if it is pending: it may take effect at any moment behind its call, or never.
    pub ret: Option<Moment>,
    /// The line of its call in the text that it was read from, from 1 on; 0 if there is no text.
    pub line: u32,
}

impl Operation {
    /// Whether it returned before another one was called.
    pub fn precedes(&self, other: &Self) -> bool {
        self.ret.is_some_and(|ret| ret < other.call)
    }
}

/// The operations of one object.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// The name of the object or key; empty if the text names none.
    pub name: String,
    /// What the text says the object is.
    pub object: Option<Object>,
    /// The operations, in the order of their calls.
    pub operations: Vec<Operation>,
    /// What is inserted, removed, read and written.
    pub values: Names,
    /// Who does it.
    pub threads: Names,
    /// The time of each [`Moment`] as written, in whatever unit; never falling.
    pub times: Vec<i64>,
    /// What a register has at first.
    pub initial: Option<ValueIndex>,
}

impl History {
    /// An operation.
    ///
    /// # Panics
    /// If there is no such operation.
    pub fn operation(&self, operation: OperationIndex) -> &Operation {
        &self.operations[operation.index()]
    }

    /// All operations with their numbers.
    pub fn indexed(&self) -> impl Iterator<Item = (OperationIndex, &Operation)> {
        self.operations.iter().enumerate().map(|(index, operation)| (OperationIndex(index as u32), operation))
    }

    /// The name of a value.
    pub fn value(&self, value: ValueIndex) -> &str {
        self.values.name(value.0)
    }

    /// The name of a thread.
    pub fn thread(&self, thread: ThreadIndex) -> &str {
        self.threads.name(thread.0)
    }

    /// Puts calls and returns in order. `times` has an operation's times, in the order in which the operations were pushed; the
    /// moments that these have by now mean nothing. Operations are in the order of their calls afterwards; of those with the same
    /// time, in the order in which they were pushed.
    ///
    /// # Panics
    /// If there are not as many times as operations.
    pub fn settle(&mut self, times: &[(i64, Option<i64>)]) {
        assert_eq!(times.len(), self.operations.len());
        // Calls before returns, then by place.
        let mut moments: Vec<(i64, bool, u32)> = Vec::with_capacity(2 * times.len());
        for (place, &(call, ret)) in times.iter().enumerate() {
            moments.push((call, false, place as u32));
            moments.extend(ret.map(|ret| (ret, true, place as u32)));
        }
        moments.sort_unstable();
        for (moment, &(_, is_return, place)) in moments.iter().enumerate() {
            let operation = &mut self.operations[place as usize];
            let moment = Moment(moment as u32);
            if is_return {
                operation.ret = Some(moment);
            } else {
                operation.call = moment;
                operation.ret = None;
            }
        }
        self.times = moments.iter().map(|&(time, ..)| time).collect();
        self.operations.sort_unstable_by_key(|operation| operation.call);
    }
}

/// What a text records: a history for each object or key, each judged by itself.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// The histories, in the order in which their objects are first named.
    pub histories: Vec<History>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operation(thread: u32, action: Action) -> Operation {
        Operation { thread: ThreadIndex(thread), action, call: Moment(0), ret: None, line: 0 }
    }

    #[test]
    fn what_shares_a_time_overlaps() {
        let mut history = History::default();
        history.operations.push(operation(0, Action::Remove(ValueIndex(0))));
        history.operations.push(operation(1, Action::Insert(ValueIndex(0))));
        history.operations.push(operation(2, Action::RemoveAny));
        history.settle(&[(5, Some(7)), (1, Some(5)), (5, None)]);
        let [insert, remove, pending] = history.operations[..] else { panic!("{history:?}") };
        assert_eq!((insert.thread, insert.call, insert.ret), (ThreadIndex(1), Moment(0), Some(Moment(3))));
        assert_eq!((remove.call, remove.ret), (Moment(1), Some(Moment(4))));
        assert_eq!((pending.call, pending.ret), (Moment(2), None));
        assert_eq!(history.times, [1, 5, 5, 5, 7]);
        assert!(!insert.precedes(&remove) && !pending.precedes(&insert));
    }
}
