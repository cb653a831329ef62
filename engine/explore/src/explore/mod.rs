//! Exploration algorithms: state machines that yield steps.
//!
//! All of them speak the vocabulary of [`Step`] through the trait [`Explorer`]. An explorer is deterministic: the same
//! program, model and options give the same steps, natively and in the browser.

mod algorithms;
pub mod equivalence;
mod growing;
pub mod histories;
mod messages;
mod narrator;
pub mod operational;
mod options;
mod parameters;
mod pseudo_code;
mod results;
mod runs;
mod seen;
mod step;
mod stuck;
mod tally;
mod threads;
mod walk;

pub use algorithms::brute_force::final_states;
pub use algorithms::brute_force::{self, BruteForce};
pub use algorithms::genmc::GenMc;
pub use algorithms::genmc_co::GenMcCo;
pub use algorithms::rf_smc::RfSmc;
pub use algorithms::rvf_smc::RvfSmc;
pub use algorithms::trust::{TruSt, symmetric_threads};
pub use algorithms::vc_dpor::VcDpor;
pub use algorithms::{
    Algorithm, Definition, Given, Kin, Machine, Parts, Prepared, Sees, Traits, UnknownAlgorithm, Whole, machines,
};
pub use messages::{Fate, MessageRace, Messages, RacingAccess};
pub use narrator::{Column, Columns, Narrator, SEARCH_GIVEN_UP, Scene, StateTable};
pub use options::{InvalidOption, MAX_UNROLL, Options};
pub use parameters::{Parameter, Parameters};
pub use pseudo_code::{Line, PseudoCode};
pub use results::{
    Answer, ConditionResult, Coverage, Cut, Effort, Fault, Observation, Outcome, Place, Results, Sighting, Verdict,
};
pub use step::{Counts, Direction, ExecutionKind, Explorer, PendingRead, Proposed, Reason, Revisit, Step};
pub use stuck::{Awaited, Wait, waiting_events};
pub use walk::{Branch, Findings, Moment, Pause, Probe, Walk, Work};
