//! What reads texts and colours them, for kinds that a first visit does without.

use crate::document::{Colours, Read, Summary};
use crate::syntax::Diagnostic;

/// What reads the texts of a kind and colours them.
#[derive(Clone, Copy)]
pub struct Reader {
    pub(super) read: Read,
    pub(super) highlight: fn(&str) -> Colours,
}

/// Where a kind's reader is. Natively it is there. In a browser the panel of the lab that shows such texts brings it: until then every such
/// text is taken for a good one, without colours.
pub struct Late {
    #[cfg(target_family = "wasm")]
    given: std::sync::OnceLock<Reader>,
    #[cfg(not(target_family = "wasm"))]
    given: Reader,
}

/// A kind's place for its reader: `late!(NAME = reader)`. In a browser the reader is not named here, and so not loaded with this.
macro_rules! late {
    ($(#[$about:meta])* $name:ident = $reader:expr) => {
        $(#[$about])*
        #[cfg(target_family = "wasm")]
        pub static $name: $crate::document::kinds::late::Late = $crate::document::kinds::late::Late::empty();
        $(#[$about])*
        #[cfg(not(target_family = "wasm"))]
        pub static $name: $crate::document::kinds::late::Late = $crate::document::kinds::late::Late::of($reader);
    };
}
pub(super) use late;

impl Late {
    /// Nothing yet.
    #[cfg(target_family = "wasm")]
    pub const fn empty() -> Self {
        Self { given: std::sync::OnceLock::new() }
    }

    /// The reader itself.
    #[cfg(not(target_family = "wasm"))]
    pub const fn of(given: Reader) -> Self {
        Self { given }
    }

    fn get(&self) -> Option<&Reader> {
        #[cfg(target_family = "wasm")]
        return self.given.get();
        #[cfg(not(target_family = "wasm"))]
        Some(&self.given)
    }

    /// Whether it is there.
    pub fn is_there(&self) -> bool {
        self.get().is_some()
    }

    /// Takes the reader, where it was loaded. Where it is there anyway, nothing changes.
    pub fn give(&self, reader: Reader) {
        #[cfg(target_family = "wasm")]
        let _ = self.given.set(reader);
        #[cfg(not(target_family = "wasm"))]
        let _ = reader;
    }

    pub(super) fn read(&self, text: &str) -> Result<Summary, Vec<Diagnostic>> {
        self.get().map_or_else(|| Ok(Summary::default()), |reader| (reader.read)(text))
    }

    pub(super) fn highlight(&self, text: &str) -> Colours {
        self.get().map_or_else(Vec::new, |reader| (reader.highlight)(text))
    }
}
