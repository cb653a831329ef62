//! Litmoscope: stateless model checking under weak memory models, one step at a time.
//!
//! A program and a memory model go in; every consistent execution comes out, once.
//!
//! ```
//! use litmoscope::{Litmus, Search, model::Model};
//!
//! let sb = Litmus::parse("x := 1; a := y || y := 1; b := x\nexists (P0:a = 0 /\\ P1:b = 0)")?;
//! let found = sb.explore(&Search::under(Model::TSO))?;
//! assert_eq!(found.summary.executions.complete, 4);
//! // Both threads can miss the other one's write: that is store buffering.
//! assert!(found.summary.condition.is_some_and(|condition| condition.holds));
//!
//! // Sequential consistency forbids it, with a cycle.
//! let why = sb.why_not(Model::SC, Some("a=0, b=0"))?;
//! assert_eq!(why.allowed, Some(false));
//! println!("{}", why.text);
//! # Ok::<(), litmoscope::LitmusError>(())
//! ```
//!
//! [`Litmus`], [`Search`], [`Explored`], [`Why`] and [`LitmusError`] are what stays from version to version, with the fields of
//! [`report::ResultsJson`], the names of [`model::Model`] and [`explore::Algorithm`], and the [`explore::Options`]. The modules below are what these are
//! made of, and what the page and the command line are made of: all of it can be used, and may change.
//!
//! # Step by step
//!
//! ```
//! use litmoscope::explore::{Algorithm, Options, Results, Step};
//! use litmoscope::{model::Model, program::Code, syntax};
//! use std::sync::Arc;
//!
//! let program = syntax::parse("x := 1; a := y || y := 1; b := x").expect("it is right").program;
//! let code = Arc::new(Code::compile(&program)?);
//! let mut explorer = Algorithm::TrustCo.explorer(Arc::clone(&code), Model::TSO, Options::default())?;
//! let mut results = Results::new(&program);
//! loop {
//!     let step = explorer.advance();
//!     if step == Step::Done {
//!         break;
//!     }
//!     results.observe(&program, &code, Model::TSO, &*explorer, step);
//! }
//! assert_eq!(explorer.counts().complete, 4);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Between two steps the graph is [`explorer.execution()`](explore::Explorer::execution), and the step says what was done to it: which write a
//! read took, what was put aside, which graph was dropped and why. [`run::run`] explores on all cores, within bounds, and can be interrupted;
//! [`compare`] asks all models at once; [`session`] steps back as well and explains itself in words.
//!
//! # What is where
//!
//! The engine is crates, each over those before it. This one gives all their modules a name, and each crate's own page says
//! more.
//!
//! - `litmoscope-core`: programs ([`program`]), their notations ([`syntax`]), litmus tests from cycles ([`generate`]), execution
//!   graphs ([`graph`]), libraries of mutexes and channels ([`library`]), memory models ([`model`]), what is to be put in order
//!   ([`consistency`]).
//! - `litmoscope-explore`: exploration algorithms ([`explore`]), large explorations ([`run`]), comparisons of models
//!   ([`compare`]).
//! - `litmoscope-draw`: drawings, whose names are in [`report`].
//! - `litmoscope-histories`: histories of concurrent objects ([`histories`]), and those of executions, from the text to what the page
//!   shows.
//! - `litmoscope-memories`: memory implementations ([`memories`]), from the text to what the page shows.
//! - `litmoscope-traces`: traces of handlers with mailboxes ([`traces`]), from the text to what the page shows.
//! - `litmoscope-fairness`: who can wait for ever, decided with sets of states ([`fairness`]).
//! - `litmoscope-repair`: what would forbid an outcome, and what is not needed ([`repair`]).
//! - `litmoscope-schedules`: schedules under which programs that may run for ever are proven right ([`schedules`]).
//! - `litmoscope-labs`: reports ([`report`]), stepping sessions with their links ([`session`]), what each lab shows ([`labs`]),
//!   the kinds of text that are read ([`document`]).
//! - `litmoscope`: what stays ([`Litmus`] and what belongs to it), and behind the feature `cli` the command line. What the page
//!   could want too is on a lower floor.
#![warn(missing_docs, unreachable_pub)]

mod litmus;

pub use litmoscope_core::{
    budget, consistency, generate, graph, inspection, library, model, program, random, sort, syntax, words,
};
#[cfg(feature = "testing")]
pub use litmoscope_explore::testing;
pub use litmoscope_explore::{compare, explore, folders_of_algorithms, run};
pub use litmoscope_fairness as fairness;
pub use litmoscope_histories as histories;
pub use litmoscope_labs::{document, labs, report, session};
pub use litmoscope_memories as memories;
pub use litmoscope_repair as repair;
pub use litmoscope_schedules as schedules;
pub use litmoscope_traces as traces;
pub use litmus::{Explored, Litmus, LitmusError, Search, Why};
