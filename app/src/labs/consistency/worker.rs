//! What a worker knows of an execution, and the lab's name.

use litmoscope::labs::consistency::Deciding;

use crate::app::lab::LabId;
use crate::worker::inspecting::Inspected;

/// The lab's name.
pub const ID: LabId = LabId("consistency");

impl Inspected for Deciding {
    const NAME: &'static str = "consistency";
}
