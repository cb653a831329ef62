//! The recorder, compiled with other threads.

#[path = "../../../engine/recorder/src/log.rs"]
mod log;
pub mod sync;
#[path = "../../../engine/recorder/src/text.rs"]
mod text;

pub use log::{Log, Object, Recorder};
