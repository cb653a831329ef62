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

pub mod app;
pub mod browser;
pub mod document;
pub mod labs;
pub mod shell;
pub mod ui;
pub mod worker;
