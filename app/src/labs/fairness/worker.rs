//! What a worker knows of fairness, and the lab's name.

use litmoscope::fairness::view::{FairnessOpen, FairnessRequest};
use litmoscope::syntax::Diagnostic;

use crate::app::inquiry::not_yet;
use crate::app::lab::LabId;
use crate::worker::host::Need;
use crate::worker::inspecting::Inspected;

/// The lab's name.
pub const ID: LabId = LabId("fairness");

impl Inspected for FairnessOpen {
    const NAME: &'static str = "fairness";

    fn needs(request: &FairnessRequest) -> Option<Need> {
        Need::of_text(&request.text)
    }
}

/// What is wrong with a text, in a sentence.
pub fn refusal(diagnostics: Vec<Diagnostic>) -> String {
    not_yet("a graph or a program whose states can be listed", diagnostics)
}
