//! Safe schedules: sets of schedules under which every run of a program, for every input, is proven free of errors and deadlocks, and fair.
//!
//! A program is a transition system ([`litmoscope_core::program::system`]), sequentially consistent, and may run for ever. A verifier proves
//! one schedule after the other right; each result is a tree, and stays true whatever is found later. Whoever runs the program under it can be sure
//! of what was proven, before the verdict on all schedules is known, if it ever is.
//!
//! ```
//! use litmoscope_core::budget::Budget;
//! use litmoscope_schedules::impact::{Options, Verdict, Verifier};
//! use litmoscope_schedules::subject::Subject;
//!
//! let text = "shared a, b\nwhile 1 { lock a; lock b; unlock b; unlock a }\n||\nwhile 1 { lock b; lock a; unlock a; unlock b }";
//! let subject = Subject::read(text).expect("it is right");
//! let mut verifier = Verifier::symbolic(subject.system, Options::default());
//! while verifier.advance(&mut Budget::unlimited()).expect("it is not paused").is_some() {}
//! // They may deadlock, in two steps; if they take turns, they never do.
//! assert_eq!(verifier.verdict(), Some(Verdict::PartiallySafe));
//! assert_eq!(verifier.counterexamples()[0].steps.len(), 2);
//! let first = verifier.found()[0].art.as_ref().expect("it found a schedule");
//! assert_eq!((first.nodes.len(), verifier.found()[0].order.clone()), (9, vec![0, 1]));
//! ```
//!
//! # What is where
//!
//! - [`subject`]: a program with its transition system, or why there is none.
//! - [`ivr`], [`art`]: what a set of schedules is, as an automaton and as a tree with labels.
//! - [`formula`]: formulas over integers of 64 bits, decided bit by bit, and exact sets of valuations.
//! - [`impact`]: the verifier, which yields steps. It knows `formula`, `art`, `reduce`.
//! - [`reduce`]: less of a tree: without what goes wrong, and fair.
//! - [`game`], [`check`]: the oracles. The scheduler against the input on concrete states; whether a set of schedules, or a tree, is what it promises to
//!   be. They know neither the verifier nor formulas.
//! - [`symbolic`]: programs that end: traces over all inputs, and constraints that are dropped one at a time.
//! - [`sections`], [`stepping`]: program schedules, whose sections order only what depends on each other, and how they are looked up step by step.
//! - [`export`]: programs of real threads, in Rust and C, that keep to a schedule; `interpret` runs such threads here, where there are some, and `improve`
//!   gives them larger results while they run.
//! - [`saved`]: results as JSON, which hands can write.
//! - [`report`], [`dot`]: what was found, in words; trees for Graphviz.
//! - [`published`]: buffers of the literature, as texts of any size.
//! - [`view`]: what the page shows: a verifier at work, runs under what was found, the interleavings of programs that end.
#![warn(missing_docs, unreachable_pub)]

pub mod art;
pub mod check;
pub mod dot;
pub mod export;
pub mod formula;
pub mod game;
pub mod impact;
#[cfg(not(target_family = "wasm"))]
pub mod improve;
#[cfg(not(target_family = "wasm"))]
pub mod interpret;
pub mod ivr;
mod native;
pub mod published;
pub mod reduce;
pub mod report;
pub mod saved;
pub mod sections;
pub mod stepping;
pub mod subject;
pub mod symbolic;
#[cfg(test)]
mod testing;
pub mod view;
