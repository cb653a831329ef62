//! Litmoscope: stateless model checking under weak memory models, one step at a time.
//!
//! The engine knows programs ([`program`]), their notations ([`syntax`]), litmus tests from cycles ([`generate`]), execution
//! graphs ([`graph`]), libraries of mutexes and channels ([`library`]), memory models ([`model`]), what is to be put in order
//! ([`consistency`]), exploration algorithms ([`explore`]), large explorations ([`run`]), comparisons of models ([`compare`]),
//! reports ([`report`]), stepping sessions with their links ([`session`]), and the kinds of text that are read
//! ([`document`]). Each module knows only the ones before it in this list.
#![warn(missing_docs)]

pub mod budget;
pub mod compare;
pub mod consistency;
pub mod document;
pub mod explore;
pub mod generate;
pub mod graph;
pub mod library;
pub mod model;
pub mod program;
mod random;
pub mod report;
pub mod run;
pub mod session;
mod sort;
pub mod syntax;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod words;
