//! How programs are explored: the algorithms ([`explore`]), large explorations ([`run`]), and comparisons of memory models
//! ([`compare`]).
#![warn(missing_docs)]

pub mod compare;
pub mod explore;
pub mod run;
#[cfg(any(test, feature = "testing"))]
pub mod testing;

// What the floor below has goes by the same names here.
use litmoscope_core::{
    budget, consistency, graph, library, linearizability, model, program, protocol, random, sort, syntax, words,
};
