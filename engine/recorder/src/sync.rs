//! What threads share: all of it is here, so that the recorder can be compiled with threads that a model checker schedules.

pub use std::sync::Mutex;

use std::sync::atomic::{AtomicU64, Ordering, fence};
use std::time::Instant;

/// Where stamps come from.
#[derive(Debug)]
pub enum Stamps {
    Counter(AtomicU64),
    Clock(Instant),
}

impl Stamps {
    pub fn counter() -> Self {
        Self::Counter(AtomicU64::new(0))
    }

    pub fn clock() -> Self {
        Self::Clock(Instant::now())
    }

    /// The next stamp, larger than or equal to all before it. Nothing of this thread goes from one side of it to the other.
    pub fn next(&self) -> u64 {
        match self {
            Self::Counter(counter) => counter.fetch_add(1, Ordering::SeqCst),
            Self::Clock(start) => {
                // What comes before the stamp is over, and what comes behind it has not begun.
                fence(Ordering::SeqCst);
                let now = start.elapsed();
                fence(Ordering::SeqCst);
                u64::try_from(now.as_nanos()).unwrap_or(u64::MAX)
            }
        }
    }
}
