//! What is wrong with a text, where, and what to do instead.

use crate::program::Span;
use serde::{Deserialize, Serialize};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The text is no program.
    Error,
    /// The text is a program, but probably not the one that was meant.
    Warning,
    /// Something inferred that the reader should know, such as which names are shared.
    Note,
}

/// One message about a text.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, one sentence without a full stop: "expected an expression, found `;`".
    pub message: String,
    /// Where.
    pub span: Span,
    /// What to do instead, where there is something to say.
    pub help: Option<String>,
}
