//! What a worker knows of repairs, and the lab's name.

use litmoscope::repair::view::{RepairOpen, RepairRequest};
use litmoscope::syntax::Diagnostic;

use crate::app::inquiry::not_yet;
use crate::app::lab::LabId;
use crate::worker::host::Need;
use crate::worker::inspecting::Inspected;

/// The lab's name.
pub const ID: LabId = LabId("repair");

impl Inspected for RepairOpen {
    const NAME: &'static str = "repair";

    fn needs(request: &RepairRequest) -> Option<Need> {
        Need::of_text(&request.text)
    }
}

/// What is wrong with a text, in a sentence.
pub fn refusal(diagnostics: Vec<Diagnostic>) -> String {
    not_yet("a program that can be repaired", diagnostics)
}
