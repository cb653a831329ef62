//! The role of a worker that knows a trace, and what is known of it with each kind of mailbox.

use litmoscope::syntax::Diagnostic;
use litmoscope::traces::{TraceDeciding, TraceRequest, TraceView};
use serde::{Deserialize, Serialize};

use crate::app::lab::LabId;
use crate::worker::host::{Half, Out};
use crate::worker::wire::{RequestId, Role};

/// The lab's name.
pub const ID: LabId = LabId("traces");

/// Says whether a trace is consistent.
#[derive(Debug)]
pub enum TraceRole {}

impl Role for TraceRole {
    const NAME: &'static str = "traces";
    /// What is asked, and what to show of it.
    type Request = TraceRequest;
    type Answer = Answer;
}

/// What it answers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Answer {
    /// What is shown.
    Shown(Box<TraceView>),
    /// The text is no trace.
    Refused(Vec<Diagnostic>),
}

/// The half that knows the trace.
#[derive(Default)]
pub struct Worker {
    deciding: Option<TraceDeciding>,
}

impl Half for Worker {
    type Role = TraceRole;
    type Message = ();

    fn hear(&mut self, out: &Out<Self>, id: RequestId, request: TraceRequest) {
        if self.deciding.as_ref().is_none_or(|deciding| !deciding.is_of(&request)) {
            self.deciding = None;
            match TraceDeciding::open(&request.text) {
                Ok(deciding) => self.deciding = Some(deciding),
                Err(diagnostics) => out.say(id, Answer::Refused(diagnostics)),
            }
        }
        if let Some(deciding) = &self.deciding {
            out.say(id, Answer::Shown(Box::new(deciding.view(&request))));
        }
    }

    fn go_on(&mut self, _out: &Out<Self>, (): ()) {}

    fn stop(&mut self, _out: &Out<Self>) {}
}
