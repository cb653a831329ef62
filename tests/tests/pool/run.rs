//! The engine's pool, compiled with other threads.

#[path = "../../../engine/explore/src/run/parts.rs"]
mod parts;
#[path = "../../../engine/explore/src/run/pool.rs"]
mod pool;
pub mod sync;

pub use litmoscope::run::{Exploration, Foreign, Interruption};
pub use parts::{Part, Parts};
pub use pool::{Outcome, RunBounds, Status, run};
