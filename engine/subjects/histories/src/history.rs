//! Histories: operations of one object, with their calls and returns.

pub use crate::program::StructureKind as Object;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;

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
///
/// A recorded history may have a million values, so the names stand one behind the other in one text, and the table
/// that finds them has their numbers alone.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// All names, in the order of their numbers.
    text: String,
    /// Where each name ends.
    ends: Vec<usize>,
    /// Hashes and numbers of names, each at the first free place from that of its hash on; [`FREE`] where there is
    /// none. At least half of it is free.
    table: Vec<(u32, u32)>,
}

/// A free place in the table of [`Names`].
const FREE: (u32, u32) = (0, u32::MAX);

impl Names {
    /// The number of a name, a new one if it has none yet.
    pub fn number(&mut self, name: &str) -> u32 {
        if 2 * self.ends.len() >= self.table.len() {
            self.grow();
        }
        let hash = Self::hash(name);
        let place = self.place(name, hash);
        if self.table[place] == FREE {
            self.table[place] = (hash, self.ends.len() as u32);
            self.text.push_str(name);
            self.ends.push(self.text.len());
        }
        self.table[place].1
    }

    /// The number of a name that has one.
    pub fn find(&self, name: &str) -> Option<u32> {
        if self.table.is_empty() {
            return None;
        }
        let found = self.table[self.place(name, Self::hash(name))];
        (found != FREE).then_some(found.1)
    }

    /// The name of a number.
    ///
    /// # Panics
    /// If no name has it.
    pub fn name(&self, number: u32) -> &str {
        let number = number as usize;
        let start = if number == 0 { 0 } else { self.ends[number - 1] };
        &self.text[start..self.ends[number]]
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    fn hash(name: &str) -> u32 {
        FxBuildHasher.hash_one(name) as u32
    }

    /// Where the table has a name, or has room for it.
    fn place(&self, name: &str, hash: u32) -> usize {
        let mask = self.table.len() - 1;
        let mut place = hash as usize & mask;
        loop {
            let entry = self.table[place];
            if entry == FREE || entry.0 == hash && self.name(entry.1) == name {
                return place;
            }
            place = (place + 1) & mask;
        }
    }

    /// Makes the table twice as long.
    fn grow(&mut self) {
        let length = (2 * self.table.len()).max(8);
        let table = std::mem::replace(&mut self.table, vec![FREE; length]);
        for entry in table.into_iter().filter(|entry| *entry != FREE) {
            let mut place = entry.0 as usize & (length - 1);
            while self.table[place] != FREE {
                place = (place + 1) & (length - 1);
            }
            self.table[place] = entry;
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
        // Texts mostly have calls in order, or in order by threads, and returns nearly so: sorted by themselves, both
        // have long runs, of which a stable sort makes use.
        let places = || (0..).zip(times);
        let mut calls: Vec<(i64, u32)> = places().map(|(place, times)| (times.0, place)).collect();
        let mut returns: Vec<(i64, u32)> = places().filter_map(|(place, times)| Some((times.1?, place))).collect();
        calls.sort();
        returns.sort();
        self.times = Vec::with_capacity(calls.len() + returns.len());
        let mut returned = returns.iter().peekable();
        let mut called = calls.iter().peekable();
        // Calls come before returns with the same time.
        while called.peek().is_some() || returned.peek().is_some() {
            let moment = Moment(self.times.len() as u32);
            let ret = returned.next_if(|ret| called.peek().is_none_or(|call| ret.0 < call.0));
            if let Some(&(time, place)) = ret {
                self.operations[place as usize].ret = Some(moment);
                self.times.push(time);
            } else if let Some(&(time, place)) = called.next() {
                let operation = &mut self.operations[place as usize];
                operation.call = moment;
                if times[place as usize].1.is_none() {
                    operation.ret = None;
                }
                self.times.push(time);
            }
        }
        if !calls.is_sorted_by_key(|call| call.1) {
            self.operations = calls.iter().map(|&(_, place)| self.operations[place as usize]).collect();
        }
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
    fn names_have_numbers() {
        let mut names = Names::default();
        assert!(names.is_empty() && names.find("").is_none());
        let texts: Vec<String> = (0..1000).map(|number| format!("{}", number * 7)).collect();
        for _ in 0..2 {
            for (number, text) in (0..).zip(&texts) {
                assert_eq!(names.number(text), number);
            }
        }
        assert_eq!((names.number(""), names.name(1000), names.len()), (1000, "", 1001));
        assert_eq!((names.name(0), names.name(999), names.find("8")), ("0", "6993", None));
        assert!((0..).zip(&texts).all(|(number, text)| names.find(text) == Some(number)));
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
