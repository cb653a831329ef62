//! Where something was found in a text, and when.

use crate::program::Span;
use serde::{Deserialize, Serialize};

/// Line and column, for telling faults apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

impl From<Span> for Place {
    fn from(span: Span) -> Self {
        Self { line: span.line, column: span.column }
    }
}

/// How often a fault was found and where first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sighting {
    /// How many times.
    pub count: u64,
    /// The step that reported it first, from 1.
    pub first: u64,
}
