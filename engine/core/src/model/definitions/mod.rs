//! The memory models, a file each, and their list.

mod coherence;
mod pso;
mod ra;
mod rc11;
mod rc20;
mod sc;
mod sra;
mod tso;
mod wra;

use super::rules::Definition;
use serde::{Deserialize, Serialize};

macro_rules! models {
    ($($(#[$about:meta])* $model:ident = $file:ident,)*) => {
        /// The memory models.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Model {
            $($(#[$about])* $model,)*
        }

        impl Model {
            /// All models, from strong to weak.
            pub const ALL: [Self; [$(Self::$model),*].len()] = [$(Self::$model),*];

            /// What it consists of.
            pub const fn definition(self) -> &'static Definition {
                match self {
                    $(Self::$model => &const { $file::DEFINITION },)*
                }
            }
        }
    };
}

models! {
    /// Sequential consistency.
    #[default]
    Sc = sc,
    /// Total store order: one FIFO store buffer a thread.
    Tso = tso,
    /// Partial store order: one FIFO store buffer a thread and location.
    Pso = pso,
    /// Strong release-acquire.
    Sra = sra,
    /// Release-acquire.
    Ra = ra,
    /// Weak release-acquire (causal consistency).
    Wra = wra,
    /// Repaired C11.
    Rc11 = rc11,
    /// RC11 with the release sequences and the SC order of C++20.
    Rc20 = rc20,
    /// Coherence of each location alone.
    Coherence = coherence,
}
