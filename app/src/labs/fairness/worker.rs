//! What workers know of fairness: one shows algorithms and answers, one computes how steps grow.

use litmoscope::fairness::view::growth::{Growth, GrowthRequest, GrowthView};
use litmoscope::fairness::view::{FairnessOpen, FairnessRequest};
use litmoscope::syntax::Diagnostic;

use crate::app::inquiry::not_yet;
use crate::app::lab::LabId;
use crate::worker::host::{Half, Need, Out};
use crate::worker::inspecting::Inspected;
use crate::worker::wire::{RequestId, Role};

/// The lab's name.
pub const ID: LabId = LabId("fairness");

/// How long it computes before it says what it knows, in milliseconds.
const SLICE: f64 = 60.0;

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

/// Computes how steps grow.
#[derive(Debug)]
pub enum GrowthRole {}

impl Role for GrowthRole {
    const NAME: &'static str = "fairness-growth";
    type Request = GrowthRequest;
    /// What is known, as often as it is more.
    type Answer = GrowthView;
}

/// The half that computes it.
#[derive(Default)]
pub struct GrowthWorker {
    going: Option<(RequestId, Growth)>,
}

impl Half for GrowthWorker {
    type Role = GrowthRole;
    /// Which request goes on.
    type Message = RequestId;

    fn hear(&mut self, out: &Out<Self>, id: RequestId, request: GrowthRequest) {
        self.going = Some((id, Growth::new(&request)));
        out.tell(id);
    }

    fn go_on(&mut self, out: &Out<Self>, message: RequestId) {
        let Some((id, growth)) = self.going.as_mut().filter(|(id, _)| *id == message) else { return };
        let end = js_sys::Date::now() + SLICE;
        while !growth.is_over() && js_sys::Date::now() < end {
            growth.go_on();
        }
        out.say(*id, growth.view());
        if growth.is_over() {
            self.going = None;
        } else {
            out.tell(message);
        }
    }

    fn stop(&mut self, _out: &Out<Self>) {
        self.going = None;
    }
}
