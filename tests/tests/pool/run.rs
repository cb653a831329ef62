//! What the engine does on several threads, compiled with other threads.

#[path = "../../../engine/subjects/histories/src/executions/threads.rs"]
mod judging;
#[path = "../../../engine/subjects/memories/src/threads.rs"]
mod memories;
#[path = "../../../engine/explore/src/run/parts.rs"]
mod parts;
#[path = "../../../engine/explore/src/run/pool.rs"]
mod pool;
pub mod sync;

pub use judging::{judge_clients, judge_executions};
pub use litmoscope::run::{Exploration, Foreign, Interruption};
pub use memories::decide_on_threads;
pub use parts::{Part, Parts};
pub use pool::{Outcome, RunBounds, Status, run};
