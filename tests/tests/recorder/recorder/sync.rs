//! What `engine/recorder/src/sync.rs` offers, by threads and locks that `shuttle` schedules. There is no clock.

pub use shuttle::sync::Mutex;

use shuttle::sync::atomic::{AtomicU64, Ordering};

#[derive(Debug)]
pub struct Stamps(AtomicU64);

impl Stamps {
    pub fn counter() -> Self {
        Self(AtomicU64::new(0))
    }

    pub fn clock() -> Self {
        Self::counter()
    }

    pub fn next(&self) -> u64 {
        self.0.fetch_add(1, Ordering::SeqCst)
    }
}
