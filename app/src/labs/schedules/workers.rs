//! The workers of the sheets: one runs a program under what was proven, one shows the interleavings of a program that ends.

use litmoscope::schedules::view::finite::{FiniteOpen, FiniteRequest};
use litmoscope::schedules::view::run::{RunOpen, RunRequest};

use crate::worker::host::Need;
use crate::worker::inspecting::Inspected;

impl Inspected for RunOpen {
    const NAME: &'static str = "schedule-run";

    fn needs(request: &RunRequest) -> Option<Need> {
        Need::of_text(&request.text)
    }
}

impl Inspected for FiniteOpen {
    const NAME: &'static str = "schedule-finite";

    fn needs(request: &FiniteRequest) -> Option<Need> {
        Need::of_text(&request.text)
    }
}
