//! What reads herd's dialects. Natively it is there. The page loads it with the first text that is in one: most readers
//! have none, and it is a tenth of what the engine has for the first steps.

use super::{Diagnostic, Parsed, c11, x86};
use crate::program::{Notation, Span};

/// What reads herd's dialects.
#[derive(Clone, Copy)]
pub struct Dialects {
    c11: fn(&str) -> Result<Parsed, Vec<Diagnostic>>,
    x86: fn(&str, Notation) -> Result<Parsed, Vec<Diagnostic>>,
}

impl Dialects {
    /// All of them. Who names this has them, with all that they need.
    pub const fn load() -> Self {
        Self { c11: c11::parse, x86: x86::parse }
    }

    /// Makes them known, where they were loaded. Where they are there anyway, nothing changes.
    pub fn give(self) {
        #[cfg(target_family = "wasm")]
        let _ = GIVEN.set(self);
    }

    /// Whether what reads programs in this notation is there.
    pub fn can_read(notation: Notation) -> bool {
        notation == Notation::Litmoscope || given().is_some()
    }
}

#[cfg(target_family = "wasm")]
static GIVEN: std::sync::OnceLock<Dialects> = std::sync::OnceLock::new();

#[cfg(target_family = "wasm")]
fn given() -> Option<&'static Dialects> {
    GIVEN.get()
}

#[cfg(not(target_family = "wasm"))]
const fn given() -> Option<&'static Dialects> {
    const { Some(&Dialects::load()) }
}

/// Reads a program in one of herd's dialects.
///
/// # Errors
/// What is wrong with the text; or that nothing that reads it is there yet.
pub(super) fn parse(text: &str, notation: Notation) -> Result<Parsed, Vec<Diagnostic>> {
    let Some(dialects) = given() else {
        let start = Span { start: 0, end: 0, line: 1, column: 1 };
        return Err(vec![Diagnostic::error("what reads herd's programs is still being loaded", start)]);
    };
    if notation == Notation::C11 { (dialects.c11)(text) } else { (dialects.x86)(text, notation) }
}
