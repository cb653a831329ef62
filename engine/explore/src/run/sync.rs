//! What threads wait for each other with, and how they keep time. All of it is here, so that what runs on several threads can be
//! compiled with threads that a model checker schedules.

pub use std::sync::{Condvar, Mutex, MutexGuard, atomic, mpsc};
pub use std::thread::scope;

use crate::budget::Budget;
use crate::explore::{Pause, Walk};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::PoisonError;
use std::thread::{Builder, Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

/// How long a thread explores before it looks whether somebody wants something of it.
const SLICE: Duration = Duration::from_micros(500);
/// How many steps the first slice has; later ones as many as fill the time.
const FIRST_STEPS: u64 = 64;
const MAX_STEPS: u64 = 1 << 20;

/// Starts so many threads that do the same, or as many as the system has.
pub fn spawn_up_to<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    wanted: usize,
    task: impl FnOnce() -> T + Copy + Send + 'scope,
) -> Vec<ScopedJoinHandle<'scope, T>> {
    (0..wanted).map_while(|_| Builder::new().spawn_scoped(scope, task).ok()).collect()
}

/// Waits for a condition, no longer than so long.
pub fn wait_for<'a, T>(condition: &Condvar, guard: MutexGuard<'a, T>, time: Duration) -> MutexGuard<'a, T> {
    condition.wait_timeout(guard, time).unwrap_or_else(PoisonError::into_inner).0
}

/// Does something, and something else before a panic in it goes on.
pub fn on_panic(task: impl FnOnce(), last: impl FnOnce()) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(task)) {
        last();
        resume_unwind(panic);
    }
}

/// A moment that is not waited beyond.
pub struct Deadline(Instant);

impl Deadline {
    /// So long from now.
    pub fn after(time: Duration) -> Self {
        Self(Instant::now() + time)
    }

    /// How long it is until then, if it is still to come.
    pub fn left(&self) -> Option<Duration> {
        Some(self.0.saturating_duration_since(Instant::now())).filter(|left| !left.is_zero())
    }
}

/// How fast a thread's walks are.
pub struct Pace(u64);

impl Default for Pace {
    fn default() -> Self {
        Self(FIRST_STEPS)
    }
}

impl Pace {
    /// Lets a walk go on for a slice: at most to the next of these bounds.
    pub fn slice(&mut self, walk: &mut dyn Walk, steps: u64, executions: u64, budget: &mut Budget) -> Pause {
        let before = walk.counts().steps;
        let start = Instant::now();
        let pause = walk.run_within(steps.min(self.0), executions, budget);
        let spent = start.elapsed();
        if spent > SLICE {
            self.0 = (self.0 / 2).max(FIRST_STEPS);
        } else if spent < SLICE / 4 && walk.counts().steps - before >= self.0 {
            self.0 = (self.0 * 2).min(MAX_STEPS);
        }
        pause
    }
}
