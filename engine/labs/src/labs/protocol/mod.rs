//! Whether all runs of a memory implementation are causally consistent: words and JSON.

mod program;
mod text;

pub use program::{ModelOutcomes, ProgramJson, ProgramReport, outcomes_of_models};
pub use text::{ProtocolJson, ProtocolReport, machine_dot, parse_run, run_text};
