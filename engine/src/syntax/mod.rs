//! Text to program and back, one file a notation.

mod diagnostic;

pub use diagnostic::{Diagnostic, Severity};

use crate::program::Program;

/// A text that is a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed {
    /// The program.
    pub program: Program,
    /// What was inferred, and what looks unintended.
    pub notes: Vec<Diagnostic>,
}
