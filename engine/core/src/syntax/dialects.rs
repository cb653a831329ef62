//! What reads herd's dialects, and concurrent objects in our own. Natively it is there. The page loads it with the first text that has
//! one: most readers have none, and it is a tenth of what the engine has for the first steps.

use super::litmoscope::{ObjectReader, may_have_objects};
use super::{Diagnostic, Parsed, c11, notation, x86};
use crate::program::{Notation, Span};

/// What reads herd's dialects and concurrent objects.
#[derive(Clone, Copy)]
pub struct Dialects {
    c11: fn(&str) -> Result<Parsed, Vec<Diagnostic>>,
    x86: fn(&str, Notation) -> Result<Parsed, Vec<Diagnostic>>,
    objects: ObjectReader,
    #[cfg(target_family = "wasm")]
    before: crate::program::RunBefore,
}

impl Dialects {
    /// All of them. Who names this has them, with all that they need.
    pub const fn load() -> Self {
        Self {
            c11: c11::parse,
            x86: x86::parse,
            objects: ObjectReader::load(),
            #[cfg(target_family = "wasm")]
            before: crate::program::run_before,
        }
    }

    /// Makes them known, where they were loaded. Where they are there anyway, nothing changes.
    pub fn give(self) {
        #[cfg(target_family = "wasm")]
        {
            crate::program::give_before(self.before);
            let _ = GIVEN.set(self);
        }
    }

    /// Whether what reads this text is there.
    pub fn can_read(text: &str) -> bool {
        let is_plain = || notation(text) == Notation::Litmoscope && !may_have_objects(text);
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

/// What reads concurrent objects, if it is there.
pub(super) fn objects() -> Option<&'static ObjectReader> {
    given().map(|dialects| &dialects.objects)
}

/// Reads a program in one of herd's dialects.
///
/// # Errors
/// What is wrong with the text; or that nothing that reads it is there yet.
pub(super) fn parse(text: &str, notation: Notation) -> Result<Parsed, Vec<Diagnostic>> {
    let Some(dialects) = given() else {
        let start = Span { start: 0, end: 0, line: 1, column: 1 };
        return Err(vec![Diagnostic::error("what reads such programs is still being loaded", start)]);
    };
    if notation == Notation::C11 { (dialects.c11)(text) } else { (dialects.x86)(text, notation) }
}
