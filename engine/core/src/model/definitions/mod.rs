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

use super::Model;

macro_rules! models {
    ($($(#[$about:meta])* $model:ident = $file:ident,)*) => {
        impl Model {
            $($(#[$about])* pub const $model: Self = Self::new(&$file::DEFINITION);)*

            /// All models that are defined here, from strong to weak.
            pub const ALL: [Self; [$(Self::$model),*].len()] = [$(Self::$model),*];
        }
    };
}

models! {
    /// Sequential consistency.
    SC = sc,
    /// Total store order: one FIFO store buffer a thread.
    TSO = tso,
    /// Partial store order: one FIFO store buffer a thread and location.
    PSO = pso,
    /// Strong release-acquire.
    SRA = sra,
    /// Release-acquire.
    RA = ra,
    /// Weak release-acquire (causal consistency).
    WRA = wra,
    /// Repaired C11.
    RC11 = rc11,
    /// RC11 with the release sequences and the SC order of C++20.
    RC20 = rc20,
    /// Coherence of each location alone.
    COHERENCE = coherence,
}
