//! What the page shows of schedules at a place: words, numbers and drawings. All of it is made here; who shows it adds nothing.
//!
//! - [`verify`]: a verifier at work, step by step, with its results as they come. `tree` is its tree, drawn; `words` says what a step does.
//! - [`run`]: a program that runs under what was proven, lane by lane, or without a schedule.
//! - [`finite`]: the interleavings of a program that ends, and which of them constraints permit.

pub mod finite;
pub mod run;
#[cfg(test)]
mod tests;
mod tree;
pub mod verify;
mod words;

pub use tree::Region;

use litmoscope_core::program::system::System;
use litmoscope_core::program::{Code, Program, Span};
use litmoscope_core::syntax::{Diagnostic, parse};
use litmoscope_core::words::grouped;

/// A text's program as a transition system that can begin.
fn read(text: &str) -> Result<(Program, System), Vec<Diagnostic>> {
    let program = parse(text)?.program;
    let code = Code::compile(&program).map_err(|error| vec![Diagnostic::error(error.to_string(), error.span())])?;
    let system = System::of(&program, &code);
    let system = system.map_err(|error| vec![Diagnostic::error(error.to_string(), error.span())])?;
    if system.initial_states().is_ok_and(|states| states.is_empty()) {
        let message = "nothing can begin: no values of the inputs are as `assuming` says";
        return Err(vec![Diagnostic::error(message, Default::default())]);
    }
    Ok((program, system))
}

/// The most characters of an event's text.
const LONGEST: usize = 80;

/// What an event does, on one line: of an atomic block, all of it.
fn event_text(text: &str, span: Span) -> String {
    span.event_text(text, LONGEST)
}

/// A number with commas between groups of three digits, if it is not very large.
fn in_digits(number: u128) -> String {
    u64::try_from(number).map_or_else(|_| number.to_string(), grouped)
}
