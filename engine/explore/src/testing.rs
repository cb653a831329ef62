//! What tests ask of algorithms; and random programs, which lower floors make.

pub use litmoscope_core::testing::*;

use crate::explore::{Algorithm, Parameters};

/// A few runs only, of an algorithm that makes random ones.
pub fn few_runs(algorithm: Algorithm) -> Parameters {
    Parameters::named(algorithm, [("runs", 5)]).unwrap_or_default()
}
