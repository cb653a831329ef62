//! How programs are explored. It is the second floor of the engine, over `litmoscope-core`.
//!
//! An explorer is a machine that yields steps: an event added, a source chosen, a read revisited, an execution whole. It asks
//! the memory model about each graph.
//!
//! ```
//! use litmoscope_core::{model::Model, program::Code, syntax};
//! use litmoscope_explore::explore::{Algorithm, Options, Step};
//! use std::sync::Arc;
//!
//! let program = syntax::parse("x := 1; a := y || y := 1; b := x").expect("it is right").program;
//! let code = Arc::new(Code::compile(&program)?);
//! let mut explorer = Algorithm::Genmc.explorer(code, Model::TSO, Options::default())?;
//! let mut revisits = 0;
//! loop {
//!     match explorer.advance() {
//!         Step::Done => break,
//!         Step::TakeRevisit { .. } => revisits += 1,
//!         _ => {}
//!     }
//! }
//! // TSO allows all four ways to read, SC all but one.
//! assert_eq!(explorer.counts().complete, 4);
//! assert!(revisits > 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is where
//!
//! Each module knows only those above it in this list.
//!
//! - [`explore`]: the algorithms behind one trait, a folder each with its words and pseudo-code; their vocabulary of steps, and
//!   what was found; the oracles
//!   ([`explore::brute_force`], [`explore::operational`]). It does not know that somebody goes back, or looks at all.
//! - [`run`]: large explorations, on threads, within bounds, interrupted, written down; how large they are. It does not know
//!   which algorithm walks, and no files.
//! - [`compare`]: what the models say of one program. Outcome by outcome, a witness or the shortest violating cycle; why a model
//!   does not allow an outcome, execution by execution; the smallest programs that tell two models apart. It does not know how
//!   that is printed.
//!
//! What the floor below has goes by the same names here (`crate::graph`).
#![warn(missing_docs, unreachable_pub)]

pub mod compare;
pub mod explore;
pub mod run;
#[cfg(any(test, feature = "testing"))]
pub mod testing;

// What the floor below has goes by the same names here.
use litmoscope_core::{budget, consistency, graph, library, model, program, random, sort, syntax, words};
