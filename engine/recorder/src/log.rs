//! Who records what.

use super::sync::{Mutex, Stamps};
use std::sync::PoisonError;

/// What the operations are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Object {
    /// What was inserted last is removed first. [`Log::insert`], [`Log::try_insert`], [`Log::remove`].
    Stack,
    /// What was inserted first is removed first. [`Log::insert`], [`Log::try_insert`], [`Log::remove`].
    Queue,
    /// The smallest value is removed first: by number where all values are written as whole numbers, else by name.
    /// [`Log::insert`], [`Log::try_insert`], [`Log::remove`].
    PriorityQueue,
    /// Holds a value once or not at all. [`Log::add`], [`Log::remove_value`], [`Log::contains`].
    Set,
    /// Holds a value any number of times. [`Log::insert`], [`Log::try_insert`], [`Log::remove`], [`Log::remove_value`],
    /// [`Log::contains`].
    Multiset,
    /// Holds one value. [`Log::read`], [`Log::write`], [`Log::compare_and_set`].
    Register,
    /// A number that is added to. [`Log::increase`], [`Log::total`].
    Counter,
}

impl Object {
    /// Its name, as histories write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stack => "stack",
            Self::Queue => "queue",
            Self::PriorityQueue => "priority-queue",
            Self::Set => "set",
            Self::Multiset => "multiset",
            Self::Register => "register",
            Self::Counter => "counter",
        }
    }
}

/// What an operation does, with what came back where it did.
#[derive(Clone, Debug)]
pub(crate) enum Action<V> {
    Insert(V),
    /// What was removed; `None` before the return, and if there was nothing.
    Remove(Option<V>),
    Add(V, bool),
    RemoveValue(V, bool),
    Contains(V, bool),
    Read(Option<V>),
    Write(V),
    CompareAndSet(V, V, bool),
    Increase(i64),
    Total(i64),
}

impl<V> Action<V> {
    /// Whether it changes nothing: without a result, it says nothing.
    pub(crate) fn is_query(&self) -> bool {
        matches!(self, Self::Contains(..) | Self::Read(_) | Self::Total(_))
    }

    /// What came back, of what returns yes or no.
    fn settle(&mut self, answer: bool) {
        if let Self::Add(_, flag)
        | Self::RemoveValue(_, flag)
        | Self::Contains(_, flag)
        | Self::CompareAndSet(.., flag) = self
        {
            *flag = answer;
        }
    }
}

/// An operation.
#[derive(Clone, Debug)]
pub(crate) struct Entry<V> {
    pub(crate) action: Action<V>,
    pub(crate) call: u64,
    /// `None` if it has not returned.
    pub(crate) ret: Option<u64>,
}

/// What logs have handed over.
#[derive(Debug)]
struct Handed<V> {
    /// How many logs there are, or were.
    begun: usize,
    /// The number of each log that is over, from 1 on, and what it has.
    logs: Vec<(usize, Vec<Entry<V>>)>,
    initial: Option<V>,
}

/// Records the operations of one object, a [`Log`] for each thread.
///
/// `V` is what the object holds. It is cloned into the log, outside of the operation, and written by its `Display` when all is over.
#[derive(Debug)]
pub struct Recorder<V> {
    object: Object,
    name: String,
    stamps: Stamps,
    handed: Mutex<Handed<V>>,
}

impl<V> Recorder<V> {
    /// A recorder whose stamps come from a counter.
    pub fn new(object: Object) -> Self {
        let handed = Handed { begun: 0, logs: Vec::new(), initial: None };
        Self { object, name: String::new(), stamps: Stamps::counter(), handed: Mutex::new(handed) }
    }

    /// Takes stamps from the system's monotonic clock, in nanoseconds, between two fences. See "Stamps" at the head of this crate.
    pub fn by_clock(self) -> Self {
        Self { stamps: Stamps::clock(), ..self }
    }

    /// Gives the object a name, so that recordings of several objects can stand in one file, one behind the other.
    ///
    /// # Panics
    /// If the name has anything but letters, digits, `_`, `-` and `.`, or nothing.
    pub fn named(self, name: &str) -> Self {
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_-.".contains(letter);
        assert!(
            !name.is_empty() && name.chars().all(is_plain),
            "an object cannot be named {name:?}: letters, digits, `_`, `-` and `.` can"
        );
        Self { name: name.to_owned(), ..self }
    }

    /// Says what a register holds before the first operation.
    ///
    /// # Panics
    /// If the object is no register: others hold nothing at first.
    pub fn holding(self, value: V) -> Self {
        assert!(self.object == Object::Register, "a {} holds nothing at first", self.object.name());
        self.handed.lock().unwrap_or_else(PoisonError::into_inner).initial = Some(value);
        self
    }

    /// A log for one more thread. Threads are T1, T2 and so on, in the order of their logs.
    pub fn log(&self) -> Log<'_, V> {
        let mut handed = self.handed.lock().unwrap_or_else(PoisonError::into_inner);
        handed.begun += 1;
        Log { recorder: self, number: handed.begun, entries: Vec::new() }
    }

    /// What was recorded. All logs are over by then, since they borrow the recorder: threads that are not in a scope share it in an
    /// `Arc`, which is taken apart (`Arc::into_inner`) when they are joined.
    ///
    /// # Panics
    /// If a log was leaked (`std::mem::forget`): what it has is not known, and without it the rest may look wrong.
    pub fn finish(self) -> Recording<V> {
        let handed = self.handed.into_inner().unwrap_or_else(PoisonError::into_inner);
        let Handed { begun, mut logs, initial } = handed;
        assert!(logs.len() == begun, "{} of {begun} logs were never handed over", begun - logs.len());
        logs.sort_by_key(|(number, _)| *number);
        let logs = logs.into_iter().map(|(_, entries)| entries).collect();
        Recording { object: self.object, name: self.name, initial, logs }
    }
}

/// What one thread does. When it is dropped, also by a panic, the recorder is given what it has.
///
/// Each method runs a closure, which is to be the operation and nothing else, and returns what it returns.
///
/// # Panics
/// All methods panic if the object has no such operation ([`Object`] says which has which). If the closure panics, the operation
/// is recorded as one that never returned, and the panic goes on.
#[derive(Debug)]
pub struct Log<'r, V> {
    recorder: &'r Recorder<V>,
    number: usize,
    entries: Vec<Entry<V>>,
}

impl<V> Log<'_, V> {
    /// Panics unless the object is one of those that have an operation.
    #[track_caller]
    fn expect(&self, operation: &str, objects: &[Object]) {
        let object = self.recorder.object;
        assert!(objects.contains(&object), "a {} has no `{operation}`", object.name());
    }

    /// Runs an operation. `action` is what is known of it at its call, to which `settle` adds what came back.
    fn run<R>(
        &mut self,
        action: Action<V>,
        operation: impl FnOnce() -> R,
        settle: impl FnOnce(&mut Action<V>, &R),
    ) -> R {
        // There is room for it before its time begins.
        self.entries.push(Entry { action, call: 0, ret: None });
        let last = self.entries.len() - 1;
        let entry = &mut self.entries[last];
        entry.call = self.recorder.stamps.next();
        let result = operation();
        let ret = self.recorder.stamps.next();
        settle(&mut entry.action, &result);
        entry.ret = Some(ret);
        result
    }

    /// The same for what returns nothing that counts.
    fn run_plain<R>(&mut self, action: Action<V>, operation: impl FnOnce() -> R) -> R {
        self.run(action, operation, |_, _| ())
    }

    /// The same for what returns yes or no.
    fn run_flagged(&mut self, action: Action<V>, operation: impl FnOnce() -> bool) -> bool {
        self.run(action, operation, |action, &answer| action.settle(answer))
    }

    /// Forgets the last operation: it did not happen.
    fn forget_last(&mut self) {
        self.entries.pop();
    }
}

impl<V: Clone> Log<'_, V> {
    /// Puts a value in: push, enqueue, add to a multiset.
    #[track_caller]
    pub fn insert<R>(&mut self, value: V, operation: impl FnOnce(V) -> R) -> R {
        self.expect("insert", &[Object::Stack, Object::Queue, Object::PriorityQueue, Object::Multiset]);
        self.run_plain(Action::Insert(value.clone()), || operation(value))
    }

    /// The same where there may be no room. What returns `Err` did not happen, and is not recorded.
    ///
    /// # Errors
    /// That of the closure.
    #[track_caller]
    pub fn try_insert<R, E>(&mut self, value: V, operation: impl FnOnce(V) -> Result<R, E>) -> Result<R, E> {
        self.expect("try_insert", &[Object::Stack, Object::Queue, Object::PriorityQueue, Object::Multiset]);
        let result = self.run_plain(Action::Insert(value.clone()), || operation(value));
        if result.is_err() {
            self.forget_last();
        }
        result
    }

    /// Takes out what comes next, of a multiset anything: pop, dequeue, delete-min. `None` says that nothing was in.
    #[track_caller]
    pub fn remove(&mut self, operation: impl FnOnce() -> Option<V>) -> Option<V> {
        self.expect("remove", &[Object::Stack, Object::Queue, Object::PriorityQueue, Object::Multiset]);
        self.run(Action::Remove(None), operation, |action, result| *action = Action::Remove(result.clone()))
    }

    /// Puts a value into a set. `false` says that it was in already.
    #[track_caller]
    pub fn add(&mut self, value: V, operation: impl FnOnce(V) -> bool) -> bool {
        self.expect("add", &[Object::Set]);
        self.run_flagged(Action::Add(value.clone(), true), || operation(value))
    }

    /// Takes this value out of a set or multiset. `false` says that it was not in.
    #[track_caller]
    pub fn remove_value(&mut self, value: V, operation: impl FnOnce(V) -> bool) -> bool {
        self.expect("remove_value", &[Object::Set, Object::Multiset]);
        self.run_flagged(Action::RemoveValue(value.clone(), true), || operation(value))
    }

    /// Asks a set or multiset whether a value is in.
    #[track_caller]
    pub fn contains(&mut self, value: V, operation: impl FnOnce(V) -> bool) -> bool {
        self.expect("contains", &[Object::Set, Object::Multiset]);
        self.run_flagged(Action::Contains(value.clone(), true), || operation(value))
    }

    /// Reads a register.
    #[track_caller]
    pub fn read(&mut self, operation: impl FnOnce() -> V) -> V {
        self.expect("read", &[Object::Register]);
        self.run(Action::Read(None), operation, |action, result| *action = Action::Read(Some(result.clone())))
    }

    /// Writes a register.
    #[track_caller]
    pub fn write<R>(&mut self, value: V, operation: impl FnOnce(V) -> R) -> R {
        self.expect("write", &[Object::Register]);
        self.run_plain(Action::Write(value.clone()), || operation(value))
    }

    /// Writes a register if it holds the first value. `false` says that it did not.
    #[track_caller]
    pub fn compare_and_set(&mut self, expected: V, new: V, operation: impl FnOnce(V, V) -> bool) -> bool {
        self.expect("compare_and_set", &[Object::Register]);
        let action = Action::CompareAndSet(expected.clone(), new.clone(), true);
        self.run_flagged(action, || operation(expected, new))
    }

    /// Adds to a counter; a negative number is taken off.
    #[track_caller]
    pub fn increase<R>(&mut self, by: i64, operation: impl FnOnce(i64) -> R) -> R {
        self.expect("increase", &[Object::Counter]);
        self.run_plain(Action::Increase(by), || operation(by))
    }

    /// Reads a counter.
    #[track_caller]
    pub fn total(&mut self, operation: impl FnOnce() -> i64) -> i64 {
        self.expect("total", &[Object::Counter]);
        self.run(Action::Total(0), operation, |action, &result| *action = Action::Total(result))
    }
}

impl<V> Drop for Log<'_, V> {
    fn drop(&mut self) {
        let entries = std::mem::take(&mut self.entries);
        let mut handed = self.recorder.handed.lock().unwrap_or_else(PoisonError::into_inner);
        handed.logs.push((self.number, entries));
    }
}

/// What was recorded. Its `Display` is the history as a text, which `litmoscope linearize` reads: a line for each operation, in the
/// order of their calls.
#[derive(Clone, Debug)]
pub struct Recording<V> {
    pub(crate) object: Object,
    pub(crate) name: String,
    pub(crate) initial: Option<V>,
    /// Of each thread what it did.
    pub(crate) logs: Vec<Vec<Entry<V>>>,
}

impl<V> Recording<V> {
    /// How many operations there are, those that never returned among them.
    pub fn len(&self) -> usize {
        self.logs.iter().map(Vec::len).sum()
    }

    /// Whether there are none. There is nothing to judge then, and `litmoscope linearize` says so.
    pub fn is_empty(&self) -> bool {
        self.logs.iter().all(Vec::is_empty)
    }
}
