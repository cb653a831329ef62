//! What an exploration found ([`Report`]), as text and JSON, and runs as files; and all that draws.

mod absence;
mod herd;
mod json;
mod results;
mod run;

pub use crate::words::Detail;
pub use absence::{AbsentJson, CycleEdgeJson, absence_sentence, cycle_json, cycle_text};
pub use herd::{Difference, Logged, Observation, StrayState, herd_text, outcome_of, read_log};
pub(crate) use json::STUCK_FOR_GOOD;
pub use json::{
    ConditionJson, CutJson, ErrorJson, EstimateJson, ExecutionsJson, ExploredJson, OutcomeJson, ResultsJson,
    SwitchesJson, ValueJson,
};
pub use litmoscope_draw::*;
pub use results::{
    Extent, Report, Unfinished, condition_sentence, cut_text, estimate_text, fault_sentence, fault_text, results_text,
};
pub(crate) use results::{MessageNote, message_notes};
pub(crate) use results::{beyond_text, last_values_text, symmetry_text, undecided_text, waiting_text};
pub use run::{RUN_VERSION, RunFile, RunFileError, RunGraphs, SavedRun};
