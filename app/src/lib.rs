//! The page of Litmoscope: draws what the engine says and decides nothing about memory models.
//!
//! One program is built from this crate (`main.rs`), which is both the page and the web workers in which the engine runs.
//! They speak the messages of [`worker`]; [`state`] holds what the page knows, and each other module is a part of the page.

pub mod beside;
pub mod browser;
pub mod chart;
pub mod compare;
pub mod comparison;
pub mod consistency;
pub mod controls;
pub mod cycle;
pub mod dialog;
pub mod editor;
pub mod embed;
pub mod explanation;
pub mod gallery;
pub mod graph;
pub mod help;
pub mod icons;
pub mod lecture;
pub mod outcomes;
pub mod page;
pub mod preferences;
pub mod prose;
pub mod qr;
pub mod reading;
pub mod recent;
pub mod running;
pub mod settings;
pub mod share;
pub mod shell;
pub mod state;
pub mod tree;
pub mod views;
pub mod why_not;
pub mod worker;
