//! What a worker knows of a trace, and the lab's name.

use litmoscope::traces::TraceDeciding;

use crate::app::lab::LabId;
use crate::worker::inspecting::Inspected;

/// The lab's name.
pub const ID: LabId = LabId("traces");

impl Inspected for TraceDeciding {
    const NAME: &'static str = "traces";
}
