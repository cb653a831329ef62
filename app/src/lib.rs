//! The page of Litmoscope: draws what the engine says and decides nothing about memory models.
//!
//! One program is built from this crate (`main.rs`), which is both the page and the web workers in which the engine runs. Its rooms,
//! each of which knows only those above it:
//!
//! - [`browser`], what browsers have;
//! - [`ui`], what shows things and knows no application;
//! - [`worker`], how page and workers speak, and what a worker does;
//! - [`document`], the text and how it is to be explored;
//! - [`app`], what all labs have in common;
//! - [`labs`], what can be done with a text, none of which knows another one;
//! - [`shell`], what is around them.
//!
//! The page decides nothing: a text or a number that it shows and that the engine did not compute is a mistake. So it can be
//! replaced without touching what is true. What takes no time it computes itself with the engine: texts are parsed, cycles are
//! read and made into tests, and the drawing of the tree is laid out, since the room for it is known to the page alone.
//!
//! Stepping has a worker with a session. The page sends it commands and draws the view that comes back. Comparisons of models
//! have workers of their own, so that stepping does not wait for them and they can be ended whatever they do. So have questions
//! why an outcome is not allowed or whether an execution is consistent, each of two explorations side by side, and runs.
//!
//! Page and workers are one WebAssembly module, so that it is loaded once, with parts that are loaded when they are first needed
//! (`shell/parts.rs`). It is compiled for its size (`Cargo.toml`, profile `wasm`), and keeps no names of functions.

pub mod app;
pub mod browser;
pub mod document;
pub mod labs;
pub mod shell;
pub mod ui;
pub mod worker;
