//! What is done with programs and executions, and how it is shown. It is the fourth floor of the engine, over `litmoscope-core`,
//! `litmoscope-explore` and `litmoscope-draw`. The page and the command line show what it says.
//!
//! ```
//! use litmoscope_labs::session::{Session, Settings, ViewRequest};
//!
//! let text = "x := 1; a := y || y := 1; b := x".to_owned();
//! let mut session = Session::open(Settings { text, ..Settings::default() }).expect("it is right");
//! assert!(session.forward());
//! let view = session.view(&ViewRequest::default());
//! // The step in words, and the graph with a place for everything.
//! assert!(!view.explanation.is_empty());
//! assert_eq!((view.position, view.drawing.columns.len()), (1, 2));
//! assert!(session.back());
//! ```
//!
//! # What is where
//!
//! Each module knows only those above it in this list.
//!
//! - [`report`]: what an exploration found, as text and JSON and as herd prints it; runs as files; what herd and litmus have
//!   printed, and how that differs; the names of all that draws. It knows no sessions and no labs.
//! - [`session`]: stepping forward, back and to any point; explanations in words; answers to questions about a graph; the tree;
//!   what a whole run found; scripts of scenes; links. It does not know who asks, and no labs.
//! - [`labs`]: what belongs to one lab, a folder each. Its words, its JSON, its drawings, and what the page shows of it. No lab
//!   knows another one. Beside them is the atlas, static pages that the command line writes.
//! - [`document`]: the kinds of text that are read, a file or two. What a text is by its first line, what is wrong with it, its
//!   colours, the same written anew, what it is about. It does not know what is done with the text.
#![warn(missing_docs, unreachable_pub)]

pub mod document;
pub mod labs;
pub mod report;
pub mod session;
#[cfg(test)]
use litmoscope_explore::testing;

// What the floors below have goes by the same names here.
use litmoscope_core::{budget, consistency, generate, graph, library, model, program, sort, syntax, words};
use litmoscope_explore::{compare, explore, run};
use litmoscope_fairness as fairness;
use litmoscope_histories as histories;
use litmoscope_memories as memories;
use litmoscope_repair as repair;
use litmoscope_traces as traces;
