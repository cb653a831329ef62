//! Exploration algorithms: state machines that yield steps.
//!
//! All of them speak the vocabulary of [`Step`] through the trait [`Explorer`]. An explorer is deterministic: the same
//! program, model and options give the same steps, natively and in the browser.

pub mod brute_force;
mod candidates;
mod genmc;
mod genmc_co;
mod growing;
pub mod operational;
mod options;
mod results;
mod rf_smc;
mod seen;
mod step;
mod tally;
mod trust;
mod walk;

pub use candidates::BruteForce;
pub(crate) use candidates::final_states;
pub use genmc::GenMc;
pub use genmc_co::GenMcCo;
pub use options::{Algorithm, InvalidOption, MAX_UNROLL, Options, UnknownAlgorithm};
pub use results::{
    ConditionResult, Effort, Fault, MAX_OUTCOMES, Observation, Outcome, Place, Results, Sighting, Verdict, Wait,
};
pub use rf_smc::RfSmc;
pub use step::{Counts, Direction, ExecutionKind, Explorer, PendingRead, Proposed, Reason, Revisit, Step};
pub use trust::{TruSt, symmetric_threads};
pub use walk::{Branch, Findings, Moment, Pause, Probe, Walk, Work};
