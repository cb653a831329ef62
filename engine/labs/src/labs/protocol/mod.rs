//! Whether all runs of a memory implementation are causally consistent: words and JSON.

mod text;

pub use text::{ProtocolJson, ProtocolReport, machine_dot, parse_run, run_text};
