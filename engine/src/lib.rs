//! Litmoscope: stateless model checking under weak memory models, one step at a time.
//!
//! The engine knows programs ([`program`]), their notations ([`syntax`]), litmus tests from cycles ([`generate`]), execution
//! graphs ([`graph`]), libraries of mutexes and channels ([`library`]), memory models ([`model`]), what is to be put in order
//! ([`consistency`]), traces of handlers with mailboxes ([`event_driven`]), histories of concurrent objects
//! ([`linearizability`]), exploration algorithms ([`explore`]), large explorations ([`run`]), comparisons of models ([`compare`]),
//! reports ([`report`]), stepping sessions with their links ([`session`]), what each lab shows ([`labs`]), and the kinds of
//! text that are read ([`document`]). Each module knows only the ones before it in this list, which crates hold: those of
//! one floor are a crate, and this one gives them a name.
#![warn(missing_docs)]

pub use litmoscope_core::{
    budget, consistency, event_driven, generate, graph, library, linearizability, model, program, protocol, random,
    sort, syntax, words,
};
#[cfg(feature = "testing")]
pub use litmoscope_explore::testing;
pub use litmoscope_explore::{compare, explore, folders_of_algorithms, run};
pub use litmoscope_labs::{document, labs, report, session};
