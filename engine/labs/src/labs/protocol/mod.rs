//! Whether all runs of a memory implementation are causally consistent: words and JSON, and what the page shows: runs by hand, the saturation
//! step by step, a table over parameters.

mod drawing;
mod place;
mod program;
mod table;
#[cfg(test)]
mod tests;
mod text;
mod tuples;
mod view;

pub use place::{ProtocolPlace, ProtocolSheet};
pub use program::{
    ModelOutcomes, NotTried, OutcomeRow, ProgramJson, ProgramReport, ProgramRequest, ProgramRun, ProgramTrial,
    ProgramView, outcomes_of_model,
};
pub use table::{ProtocolTable, TableCell, TableNews, TableRequest, TableRow, table_columns};
pub use text::{ProtocolJson, ProtocolReport, machine_dot, parse_run, run_text, step_text};
pub use view::{
    AutomatonView, GraphRelation, MAX_STEPS, NextStep, ProtocolOpen, ProtocolRequest, ProtocolView, RegisterBox,
    RunStep, SaturationView, ToldEdge, TupleRow, automata_text,
};
