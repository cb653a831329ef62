//! Litmoscope: stateless model checking under weak memory models, one step at a time.
//!
//! A program and a memory model go in; every consistent execution comes out, once.
//!
//! ```
//! use litmoscope::explore::{Algorithm, Options, Results, Step};
//! use litmoscope::{model::Model, program::Code, syntax};
//! use std::sync::Arc;
//!
//! let program = syntax::parse("x := 1; a := y || y := 1; b := x\nexists (P0:a = 0 /\\ P1:b = 0)").expect("it is right").program;
//! let code = Arc::new(Code::compile(&program)?);
//! let mut explorer = Algorithm::TrustCo.explorer(Arc::clone(&code), Model::Tso, Options::default())?;
//! let mut results = Results::new(&program);
//! loop {
//!     let step = explorer.advance();
//!     if step == Step::Done {
//!         break;
//!     }
//!     results.observe(&program, &code, Model::Tso, &*explorer, step);
//! }
//! assert_eq!(explorer.counts().complete, 4);
//! // Both threads can miss the other one's write: that is store buffering.
//! assert!(results.outcomes().any(|(_, outcome)| outcome.satisfies == Some(true)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Between two steps the graph is [`explorer.execution()`](explore::Explorer::execution), and the step says what was done to it: which write a
//! read took, what was put aside, which graph was dropped and why. [`run::run`] explores on all cores, within bounds, and can be interrupted;
//! [`compare`] asks all models at once; [`session`] steps back as well and explains itself in words.
//!
//! Why a model does not allow an outcome is a cycle:
//!
//! ```
//! use litmoscope::compare::{Asker, ComparisonBounds, OutcomeQuestion, WhyNotAnswer};
//! use litmoscope::{explore::Options, model::Model, program::Code, syntax};
//! use std::sync::Arc;
//!
//! let program = syntax::parse("x := 1; a := y || y := 1; b := x").expect("it is right").program;
//! let code = Arc::new(Code::compile(&program)?);
//! let question = OutcomeQuestion::parse(&program, "a=0, b=0")?;
//! let answer = Asker::new(&program, code, &question, Model::Sc, Options::default(), ComparisonBounds::default()).ask();
//! assert!(!matches!(answer.answer, WhyNotAnswer::Allowed { .. }));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is where
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
