//! Safe schedules: sets of schedules under which every run of a program, for every input, is proven free of errors and deadlocks, and fair.
#![warn(missing_docs, unreachable_pub)]

pub mod art;
pub mod check;
pub mod formula;
pub mod game;
pub mod impact;
pub mod ivr;
pub mod reduce;
pub mod report;
pub mod saved;
pub mod symbolic;
#[cfg(test)]
mod testing;
