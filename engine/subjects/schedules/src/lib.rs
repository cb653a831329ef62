//! Safe schedules: sets of schedules under which every run of a program, for every input, is proven free of errors and deadlocks, and fair.
#![warn(missing_docs, unreachable_pub)]

pub mod art;
pub mod formula;
pub mod impact;
pub mod ivr;
pub mod report;
pub mod symbolic;
pub mod check;
pub mod game;
pub mod reduce;
pub mod saved;
#[cfg(test)]
mod testing;
