//! Our own notation, that of the weak-memory papers.

use super::{Diagnostic, Parsed, Unprintable};
use crate::program::{Program, Span};

/// Reads a program.
pub(super) fn parse(_text: &str) -> Result<Parsed, Vec<Diagnostic>> {
    Err(vec![Diagnostic::error("this notation can't be read yet", Span::default())])
}

/// Writes a program.
pub(super) fn print(_program: &Program) -> Result<String, Unprintable> {
    Err(Unprintable("programs can't be written in this notation yet".to_owned()))
}
