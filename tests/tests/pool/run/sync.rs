//! What `engine/explore/src/run/sync.rs` offers, by threads and locks that `shuttle` schedules. Time is a matter of luck.

pub use shuttle::sync::{atomic, mpsc};
pub use shuttle::thread::scope;

use litmoscope::budget::Budget;
use litmoscope::explore::{Pause, Walk};
use shuttle::rand::{Rng, thread_rng};
use shuttle::{sync, thread};
use std::cell::Cell;
use std::ops::{Deref, DerefMut};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{LockResult, PoisonError};
use std::time::Duration;

// All threads of a schedule are one of the operating system's.
std::thread_local! {
    static PATIENCE: Cell<u32> = const { Cell::new(0) };
    static SLICE: Cell<u64> = const { Cell::new(1) };
    static PANICS: Cell<u32> = const { Cell::new(0) };
    static WALKERS: Cell<u32> = const { Cell::new(0) };
}

/// Begins a schedule: so many times waiting comes to its time, then it lasts until somebody ends it, and slices are at most
/// so long.
pub fn begin(patience: u32, slice: u64) {
    PATIENCE.set(patience);
    SLICE.set(slice);
    PANICS.set(0);
    WALKERS.set(0);
}

/// How many threads have explored something since.
pub fn walkers() -> u32 {
    WALKERS.get()
}

/// How many threads have panicked since.
pub fn panics() -> u32 {
    PANICS.get()
}

pub fn spawn_up_to<'scope, T: Send + 'scope>(
    scope: &'scope thread::Scope<'scope, '_>,
    wanted: usize,
    task: impl FnOnce() -> T + Copy + Send + 'scope,
) -> Vec<thread::ScopedJoinHandle<'scope, T>> {
    (0..wanted).map(|_| scope.spawn(task)).collect()
}

/// A lock whose guards know it.
pub struct Mutex<T>(sync::Mutex<T>);

pub struct MutexGuard<'a, T> {
    mutex: &'a Mutex<T>,
    guard: sync::MutexGuard<'a, T>,
}

impl<T> Mutex<T> {
    pub fn new(value: T) -> Self {
        Self(sync::Mutex::new(value))
    }

    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        let guard = |guard| MutexGuard { mutex: self, guard };
        self.0.lock().map(guard).map_err(|error| PoisonError::new(guard(error.into_inner())))
    }

    pub fn into_inner(self) -> LockResult<T> {
        self.0.into_inner()
    }
}

impl<T> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.guard
    }
}

impl<T> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.guard
    }
}

pub struct Condvar(sync::Condvar);

impl Condvar {
    pub fn new() -> Self {
        Self(sync::Condvar::new())
    }

    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        let MutexGuard { mutex, guard } = guard;
        let again = |guard| MutexGuard { mutex, guard };
        self.0.wait(guard).map(again).map_err(|error| PoisonError::new(again(error.into_inner())))
    }

    pub fn notify_one(&self) {
        self.0.notify_one();
    }

    pub fn notify_all(&self) {
        self.0.notify_all();
    }
}

pub fn wait_for<'a, T>(condition: &Condvar, guard: MutexGuard<'a, T>, _time: Duration) -> MutexGuard<'a, T> {
    let patience = PATIENCE.get();
    if patience == 0 {
        return condition.wait(guard).unwrap_or_else(PoisonError::into_inner);
    }
    PATIENCE.set(patience - 1);
    let mutex = guard.mutex;
    drop(guard);
    thread::yield_now();
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A panic ends there: elsewhere it would end all schedules.
pub fn on_panic(task: impl FnOnce(), last: impl FnOnce()) {
    if catch_unwind(AssertUnwindSafe(task)).is_err() {
        PANICS.set(PANICS.get() + 1);
        last();
    }
}

pub struct Deadline;

impl Deadline {
    pub fn after(_time: Duration) -> Self {
        Self
    }

    pub fn left(&self) -> Option<Duration> {
        thread_rng().gen_bool(0.9).then_some(Duration::ZERO)
    }
}

#[derive(Default)]
pub struct Pace {
    walked: bool,
}

impl Pace {
    pub fn slice(&mut self, walk: &mut dyn Walk, steps: u64, executions: u64, budget: &mut Budget) -> Pause {
        if !std::mem::replace(&mut self.walked, true) {
            WALKERS.set(WALKERS.get() + 1);
        }
        walk.run_within(steps.min(thread_rng().gen_range(1..=SLICE.get())), executions, budget)
    }
}
