//! Why a text became no machine.

use crate::budget::Paused;
use crate::syntax::Wrong;

/// Why there is no machine: something is wrong, or somebody wants to stop.
#[derive(Debug)]
pub(crate) enum Stopped {
    Wrong(Wrong),
    Paused,
}

impl From<Wrong> for Stopped {
    fn from(wrong: Wrong) -> Self {
        Self::Wrong(wrong)
    }
}

impl From<Paused> for Stopped {
    fn from(Paused: Paused) -> Self {
        Self::Paused
    }
}
