//! What is done with programs and executions, and how it is shown: reports ([`report`]), stepping sessions with their links
//! ([`session`]), what belongs to one lab alone ([`labs`]), and the kinds of text that are read ([`document`]).
#![warn(missing_docs)]

pub mod document;
pub mod labs;
pub mod report;
pub mod session;
#[cfg(test)]
use litmoscope_explore::testing;

// What the floors below have goes by the same names here.
use litmoscope_core::{
    budget, consistency, generate, graph, library, linearizability, model, program, protocol, random, sort, syntax,
    words,
};
use litmoscope_explore::{compare, explore, run};
use litmoscope_traces as traces;
