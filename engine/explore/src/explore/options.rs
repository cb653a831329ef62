//! How to explore.

use super::Parameters;
use crate::program::Limits;
use serde::{Deserialize, Serialize};

/// How to explore.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Options {
    /// What cuts threads that would not end.
    pub limits: Limits,
    /// End at the first error event, data race or execution that is stuck for good. The graph that it is in is consistent, and need not
    /// be whole.
    pub stop_at_first: bool,
    /// Don't look for data races.
    pub no_races: bool,
    /// Let a weak compare-and-swap that finds what it expects fail all the same.
    pub spurious: bool,
    // Files from before these were there are read; they are always written, since messages of the page have no names.
    /// Explore threads that can be exchanged up to permutation; TruSt only.
    #[serde(default)]
    pub symmetry: bool,
    /// Leave out graphs in which a thread waits in vain: it reads what is not the last write, and nothing that comes of the graph
    /// changes that. So of the executions that are blocked in loops and at assumptions, those alone are counted in which each
    /// thread that waits may read the last write. TruSt only; without a bound on switches.
    #[serde(default)]
    pub leave_out_waits: bool,
    /// Look for threads that are stuck for good in loops ([`super::Wait`]), not only at operations of objects. Without, an execution in
    /// which a thread waits in a loop is blocked, and nothing is wrong with it.
    #[serde(default)]
    pub stuck_loops: bool,
    /// Explore only executions with an interleaving of at most so many preemptions; TruSt (co) under SC only.
    #[serde(default)]
    pub preemptions: Option<u32>,
    /// The same with all context switches counted.
    #[serde(default)]
    pub contexts: Option<u32>,
    /// What only one algorithm takes.
    #[serde(default)]
    pub parameters: Parameters,
}

/// The defaults with these limits.
impl From<Limits> for Options {
    fn from(limits: Limits) -> Self {
        Self::within(limits)
    }
}

/// The largest unroll bound.
pub const MAX_UNROLL: u32 = 10_000;

impl Options {
    /// The defaults with these limits.
    pub const fn within(limits: Limits) -> Self {
        Self {
            limits,
            stop_at_first: false,
            no_races: false,
            spurious: false,
            symmetry: false,
            leave_out_waits: false,
            stuck_loops: false,
            preemptions: None,
            contexts: None,
            parameters: Parameters::USUAL,
        }
    }

    /// The same without what only some algorithms know and that explores less: everything is explored.
    #[must_use]
    pub fn without_reductions(self) -> Self {
        Self {
            symmetry: false,
            leave_out_waits: false,
            preemptions: None,
            contexts: None,
            parameters: Parameters::USUAL,
            ..self
        }
    }

    /// Whether only executions that switch threads seldom are explored.
    pub fn bounds_switches(&self) -> bool {
        self.preemptions.is_some() || self.contexts.is_some()
    }
}
