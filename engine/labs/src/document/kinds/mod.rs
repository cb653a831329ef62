//! The kinds of text, a file each, and their list.

use super::{Definition, Rewrite};

macro_rules! kinds {
    ($($(#[$about:meta])* $kind:ident = $file:ident $(::$notation:ident)?,)*) => {
        /// The kinds of text that can be read.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Kind {
            $($(#[$about])* $kind,)*
        }

        impl Kind {
            /// All kinds. The last one takes each text that none of the others does.
            pub const ALL: [Self; [$(Self::$kind),*].len()] = [$(Self::$kind),*];

            /// What is known of it.
            pub const fn definition(self) -> &'static Definition {
                match self {
                    $(Self::$kind => &const { $file$(::$notation)?::DEFINITION },)*
                }
            }

            /// What is read, written anew; reading that gives the same. Not a part of the definition: the page only reads, and has
            /// to load nothing that writes.
            pub const fn rewrite(self) -> Rewrite {
                match self {
                    $(Self::$kind => $file$(::$notation)?::REWRITE,)*
                }
            }
        }
    };
}

mod execution;
pub(super) mod fairness;
pub(super) mod history;
pub(super) mod late;
mod program;
pub(super) mod protocol;
pub(super) mod series;
pub(super) mod trace;

kinds! {
    /// An abstract execution.
    Execution = execution,
    /// A series of programs.
    Series = series,
    /// An event-driven trace.
    Trace = trace,
    /// A history of a concurrent object.
    History = history,
    /// A memory implementation.
    Protocol = protocol,
    /// A graph that is asked about fairness.
    Fairness = fairness,
    /// A program in herd's C dialect.
    C11 = program::c11,
    /// A program in herd's X86 dialect.
    X86 = program::x86,
    /// A program in herd's X86_64 dialect.
    X86_64 = program::x86_64,
    /// A program in our own notation.
    #[default]
    Litmoscope = program::litmoscope,
}
