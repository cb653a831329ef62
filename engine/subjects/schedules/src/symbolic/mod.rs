//! Symbolic traces of finite programs, their enforcement, and how constraints go away.
//!
//! A **trace graph** has events and constraints between them, each with a predicate on states. A **symbolic trace** is the graph of a run,
//! with constraints for the runs of all inputs. Whoever runs a program under it lets an event wait until those have come that it waits for.
//! A **prefix** of it has fewer events and so fewer constraints, and behind it all is permitted; it may be enforced once all traces are
//! verified that begin with it. So the more is verified, the less has to be enforced.
//!
//! - [`Finite`]: a program, and what its steps access. [`Interleavings`] lists its runs, [`Counting`] counts them, [`Exploration`] has one
//!   of each Mazurkiewicz trace.
//! - [`TraceGraph`]: adherence, coverage, prefixes, and who waits for whom. [`SymbolicTrace`] is that of a run.
//! - [`Relaxation`]: the verifier. [`Execution`]: a run under constraints.
//! - [`families`]: programs. [`View`]: all of it for a page. [`TraceReporter`]: in words.
//!
//! Source: P. Metzler's thesis (2020), section 5.1. As printed, events behind a prefix may overtake events in it, and predicates are looked
//! at once for many events; both permit runs that nobody has verified. Here events behind a prefix wait for all events in it that they may
//! depend on, and predicates are looked at before each event.

mod derive;
mod executor;
mod explore;
pub mod families;
mod finite;
mod graph;
mod relax;
mod runs;
#[cfg(test)]
mod tests;
mod values;
mod view;
mod words;

pub use derive::SymbolicTrace;
pub use executor::{Execution, Refused, Standing};
pub use explore::{Exploration, Progress, count_traces};
pub use finite::{Event, Finite, Footprint, Limits};
pub use graph::{Edge, GraphError, TraceGraph};
pub use relax::{Candidate, FirstTrace, Kept, RelaxProgress, Relaxation, Relaxed, Strategy, candidates, count_covered};
pub use runs::{Canonical, Counting, Interleavings, Outcome, Run, Step, Tally, interleavings};
pub use view::{
    ConstraintView, EventView, InterleavingView, OutcomeView, RelaxedView, StartView, View, constraints, relaxed,
    term_text,
};
pub use words::{KeptJson, TraceJson, TraceReporter, TraceVerdict};

use litmoscope_core::budget::Paused;
use litmoscope_core::program::Span;
use litmoscope_core::program::system::StateError;

/// Why a program's traces are not looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SymbolicError {
    /// Inputs have too many values.
    #[error(transparent)]
    State(#[from] StateError),
    /// There are too many initial states.
    #[error("the inputs have more than {limit} values together that are looked at one by one: give them fewer")]
    TooManyStarts {
        /// How many there may be.
        limit: usize,
    },
    /// What is assumed at the start holds for no input.
    #[error("what is assumed at the start holds for no input: the program has no runs")]
    NoStart,
    /// A run has too many events.
    #[error(
        "a run has more than {limit} events, and has not ended: only programs whose threads end have traces here; bound its loops"
    )]
    TooLong {
        /// How many it may have.
        limit: usize,
    },
    /// There are too many configurations.
    #[error("there are more than {limit} states to count runs from: shorten the program, or count its traces")]
    TooManyConfigurations {
        /// How many there may be.
        limit: usize,
    },
    /// An event is given an input.
    #[error("an input within a thread has no symbolic trace: give it at the start, as `shared x = input 0..1`")]
    InputInside {
        /// Where.
        span: Span,
    },
}

/// Why a search came back without a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interrupt {
    /// The budget has paused it: to call again goes on.
    Paused,
    /// It can't go on.
    Failed(SymbolicError),
}

impl From<Paused> for Interrupt {
    fn from(Paused: Paused) -> Self {
        Self::Paused
    }
}

impl From<SymbolicError> for Interrupt {
    fn from(error: SymbolicError) -> Self {
        Self::Failed(error)
    }
}
