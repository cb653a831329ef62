//! What reads herd's dialects, and what few programs in our own have: concurrent objects, `before`, and what is chosen. Natively it is
//! there. The page loads it with the first text that has one: most readers have none, and it is a tenth of what the engine has for the
//! first steps.

use super::litmoscope::{LateReader, is_read_late};
use super::{Diagnostic, Parsed, c11, notation, x86};
use crate::program::{Notation, Span};

/// What reads herd's dialects and what few programs in our own have.
#[derive(Clone, Copy)]
pub struct Dialects {
    c11: fn(&str) -> Result<Parsed, Vec<Diagnostic>>,
    x86: fn(&str, Notation) -> Result<Parsed, Vec<Diagnostic>>,
    late: LateReader,
    #[cfg(target_family = "wasm")]
    finish: crate::program::Finish,
}

impl Dialects {
    /// All of them. Who names this has them, with all that they need.
    pub const fn load() -> Self {
        Self {
            c11: c11::parse,
            x86: x86::parse,
            late: LateReader::load(),
            #[cfg(target_family = "wasm")]
            finish: crate::program::finish,
        }
    }

    /// Makes them known, where they were loaded. Where they are there anyway, nothing changes.
    pub fn give(self) {
        #[cfg(target_family = "wasm")]
        {
            crate::program::give_finish(self.finish);
            let _ = GIVEN.set(self);
        }
    }

    /// Whether what reads this text is there.
    pub fn can_read(text: &str) -> bool {
        let is_plain = || notation(text) == Notation::Litmoscope && !is_read_late(text);
        Self::are_there() || is_plain()
    }

    /// Whether they are there.
    pub fn are_there() -> bool {
        given().is_some()
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

/// What reads what few programs in our own notation have, if it is there.
pub(super) fn late() -> Option<&'static LateReader> {
    given().map(|dialects| &dialects.late)
}

/// Reads a program in one of herd's dialects.
///
/// # Errors
/// What is wrong with the text; or that nothing that reads it is there yet.
pub(super) fn parse(text: &str, notation: Notation) -> Result<Parsed, Vec<Diagnostic>> {
    let Some(dialects) = given() else {
        return Err(vec![awaited(Span { start: 0, end: 0, line: 1, column: 1 })]);
    };
    if notation == Notation::C11 { (dialects.c11)(text) } else { (dialects.x86)(text, notation) }
}

/// That what reads a text is not there yet.
pub(super) fn awaited(span: Span) -> Diagnostic {
    Diagnostic::error("what reads such programs is still being loaded", span)
}
