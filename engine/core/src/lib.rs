//! What Litmoscope explores and asks about: programs, execution graphs, memory models. It is the lowest floor of the engine.
//!
//! A text becomes a program, a program becomes code, and a thread of code runs to its next visible event. A graph has the events
//! that threads made, and for each read its source. A memory model says whether the graph is consistent, or which cycle forbids
//! it.
//!
//! ```
//! use litmoscope_core::graph::{Execution, ThreadId};
//! use litmoscope_core::model::Model;
//! use litmoscope_core::program::{Action, Code, Limits, ThreadState};
//! use litmoscope_core::syntax;
//!
//! let program = syntax::parse("x := 1; a := y || y := 1; b := x").expect("it is right").program;
//! let code = Code::compile(&program)?;
//! let mut graph = Execution::initial(&code);
//! for thread in 0..2 {
//!     let mut state = ThreadState::new(&code, thread);
//!     loop {
//!         let action = state.advance(&code, thread, Limits::default());
//!         if action == Action::Finished {
//!             break;
//!         }
//!         let event = graph.add(ThreadId(thread as u16), action, state.span(&code, thread).unwrap_or_default());
//!         // Each read takes the initial write: store buffering.
//!         if let Action::Read { location, .. } = action {
//!             let initial = graph.writes(location).next().expect("each location has one");
//!             graph.set_source(event, initial);
//!         }
//!         state.resume(&code, thread, graph.event(event).value_read);
//!     }
//! }
//! assert!(Model::TSO.is_consistent(&graph));
//! // SC forbids it, with a cycle of po and fr.
//! assert_eq!(Model::SC.consistency(&graph).expect_err("it is forbidden").cycle.len(), 4);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is where
//!
//! Each module knows only those above it in this list.
//!
//! - [`program`]: what is explored. Structured statements over registers and shared objects, conditions; flat code; the
//!   interpreter that runs one thread to its next visible event. It knows no notations and no graphs.
//! - [`syntax`]: text to program and back, a file a notation; series; messages with places; colours for an editor. It does not
//!   know what a program means, and has nothing to do with `graph` and `model`.
//! - [`generate`]: litmus tests from cycles of relaxation edges, families of them, their names. It does not know what a test
//!   shows.
//! - [`graph`]: events, execution graphs, relations as bit matrices. It does not know which graphs are consistent.
//! - [`library`]: mutexes and channels. Which operation may take an object over from which, who waits and for what. It knows no
//!   memory models.
//! - [`model`]: the memory models, a file each. Whether a graph is consistent; if not, the axiom and a cycle; if so, a coherence
//!   order, the final writes, the edges worth drawing, a run; why an edge is there. It does not know how graphs come about.
//! - [`consistency`]: whether events whose sources are given can be put in order. The closure and its rules, VerifySC, VerifyTSO
//!   and VerifyPSO, the searches as trees, annotated partial orders. It does not know where the events come from.
//!
//! For all of them there are [`budget`], by which work is paused, [`inspection`], how a text is opened and looked at, [`sort`],
//! [`random`], and [`words`], the English of sentences: lists, numbers, plurals. `testing` makes random programs for the tests of all crates, behind a feature.
#![warn(missing_docs, unreachable_pub)]

pub mod budget;
pub mod consistency;
pub mod generate;
pub mod graph;
pub mod inspection;
pub mod library;
pub mod model;
pub mod program;
pub mod random;
pub mod sort;
pub mod syntax;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod words;
