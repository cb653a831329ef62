//! The page of Litmoscope: draws what the engine says and decides nothing about memory models.
//!
//! Two programs are built from this crate: the page (`main.rs`) and the web worker in which the engine runs
//! (`bin/worker.rs`). They speak the messages of [`worker`].

pub mod page;
pub mod worker;
