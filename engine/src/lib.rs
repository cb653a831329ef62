//! Litmoscope: stateless model checking under weak memory models, one step at a time.
//!
//! The engine knows programs ([`program`]), their notations ([`syntax`]), litmus tests from cycles ([`generate`]), execution
//! graphs ([`graph`]), libraries of mutexes and channels ([`library`]), memory models ([`model`]), what is to be put in order
//! ([`consistency`]), exploration algorithms ([`explore`]), large explorations ([`run`]), comparisons of models ([`compare`]),
//! reports ([`report`]), stepping sessions with their links ([`session`]), and the kinds of text that are read
//! ([`document`]). Each module knows only the ones before it in this list.
#![warn(missing_docs)]

pub mod document;
pub mod report;
pub mod session;

pub use litmoscope_core::{budget, consistency, generate, graph, library, model, program, random, sort, syntax, words};
#[cfg(any(test, feature = "testing"))]
pub use litmoscope_explore::testing;
pub use litmoscope_explore::{compare, explore, run};
