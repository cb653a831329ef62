//! Exploration algorithms: state machines that yield steps.
//!
//! All of them speak the vocabulary of [`Step`] through the trait [`Explorer`]. An explorer is deterministic: the same
//! program, model and options give the same steps, natively and in the browser.
//!
//! **An explorer is a machine that yields steps.** [`Explorer::advance`] performs one step of the published algorithm (an event
//! added, a source chosen, an option pushed or taken, a graph dropped, an execution whole) and returns it. A step is a few bytes
//! that name events; whoever wants more looks at the explorer's graph. The command line calls it in a loop, the page on a click,
//! tests compare recordings. The alternative, a recursive search with callbacks, can't be stopped, stored or sent.
//!
//! **Plain executions are the unit, unless co is chosen.** An execution is its events, po and rf. Coherence is not part of it: a
//! model looks for one that fits, and what is drawn of it is one witness. GenMC (co), TruSt (co) and DPOR are the exceptions.
//! They choose co as they choose rf ([`Explorer::coherence`]), the model is asked whether that very co will do, and it is drawn
//! solid and settles the final state. Two executions are the same if they are the same set of events with the same rf (and co,
//! where chosen), whatever order the events were added in.
//!
//! **A model is a value**, so somebody else's is explored as well as the house's own. It says what it demands twice: as formulas,
//! which are its definition, and as rules, which are fast. [`crate::model::Rules::flaw`] says which rules go together. The brute
//! force knows the formulas alone. If it finds as many executions as another algorithm, both say the same:
//!
//! ```
//! use litmoscope_core::model::formula::{Demand, FR, Term};
//! use litmoscope_core::model::{Axiom, Definition, HappensBefore, Model, Order, Rules};
//! use litmoscope_core::{program::Code, syntax};
//! use litmoscope_explore::explore::{Algorithm, Options, Step};
//! use std::sync::Arc;
//!
//! /// RA where no fence orders anything.
//! static UNFENCED: Definition = Definition {
//!     name: "unfenced",
//!     title: "Unfenced RA",
//!     weaker_than: &[Model::RA],
//!     rules: Rules {
//!         happens_before: Some(HappensBefore::Porf),
//!         local: Some(Order {
//!             has_fr: true,
//!             axiom: Axiom {
//!                 name: "coherence",
//!                 meaning: "For each location, hb, co and fr are acyclic.",
//!                 demands: &[Demand::Acyclic(Term::Union(&[Term::Both(&HB, &Term::SameLocation), Term::Co, FR]))],
//!             },
//!         }),
//!         ..Rules::NONE
//!     },
//!     ..Definition::NONE
//! };
//! const HB: Term = Term::Closure(&Term::Union(&[Term::Po, Term::Rf]));
//!
//! let text = "x := 1; fence sc; a := y || y := 1; fence sc; b := x";
//! let program = syntax::parse(text).expect("it is right").program;
//! let code = Arc::new(Code::compile(&program)?);
//! let count = |model, algorithm: Algorithm| -> Result<u64, Box<dyn std::error::Error>> {
//!     Options::default().validate_for(algorithm, model)?;
//!     let mut explorer = algorithm.explorer(Arc::clone(&code), model, Options::default())?;
//!     while explorer.advance() != Step::Done {}
//!     Ok(explorer.counts().executions())
//! };
//! assert_eq!(count(Model::RA, Algorithm::Trust)?, 3);
//! assert_eq!(count(Model::new(&UNFENCED), Algorithm::Trust)?, 4);
//! assert_eq!(count(Model::new(&UNFENCED), Algorithm::BruteForce)?, 4);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What an algorithm has seen at its end is a trait of it ([`Sees`]). One that follows what threads read ([`Sees::LocalStates`])
//! finds every error and every combination of values, so verdicts and registers are complete. Last values of locations that
//! nobody reads may be missing. Reports say so, and a condition that names a location is bounded
//! ([`Algorithm::leaves_condition_open`]).

mod algorithms;
pub mod equivalence;
mod growing;
mod messages;
mod narrator;
pub mod operational;
mod options;
mod parameters;
mod place;
mod pseudo_code;
mod results;
mod runs;
mod seen;
mod settings;
mod step;
mod stuck;
mod tally;
mod threads;
mod walk;

pub use algorithms::InvalidOption;
pub use algorithms::brute_force::final_states;
pub use algorithms::brute_force::{self, BruteForce};
pub use algorithms::genmc::GenMc;
pub use algorithms::genmc_co::GenMcCo;
pub use algorithms::rf_smc::RfSmc;
pub use algorithms::rvf_smc::RvfSmc;
pub use algorithms::trust::{TruSt, symmetric_threads};
pub use algorithms::vc_dpor::VcDpor;
pub use algorithms::{
    Algorithm, Definition, Followed, Given, Kin, Machine, Parts, Prepared, Sees, Traits, UnknownAlgorithm, Whole,
    machines,
};
pub use algorithms::{Choosing, explain_choice};
pub use messages::{Fate, MessageRace, Messages, RacingAccess};
pub use narrator::{Column, Columns, Narrator, SEARCH_GIVEN_UP, Scene, StateTable};
pub use options::{MAX_UNROLL, Options};
pub use parameters::{Parameter, Parameters};
pub use place::{Place, Sighting};
pub use pseudo_code::{Line, PseudoCode};
pub use results::{Answer, ConditionResult, Coverage, Cut, Effort, Fault, Observation, Outcome, Results, Verdict};
pub use settings::Settings;
pub use step::{Counts, Direction, ExecutionKind, Explorer, PendingRead, Proposed, Reason, Revisit, Step};
pub use stuck::{Awaited, Wait, waiting_events};
pub use walk::{Branch, Findings, Moment, Pause, Probe, Walk, Work};
