//! The role of a worker that knows an execution, and what all models say of it.

use litmoscope::labs::consistency::{ConsistencyRequest, ConsistencyView, Deciding};
use litmoscope::syntax::Diagnostic;
use serde::{Deserialize, Serialize};

use crate::worker::host::{Half, Out};
use crate::worker::wire::{RequestId, Role};

/// Says whether an execution is consistent.
#[derive(Debug)]
pub enum ConsistencyRole {}

impl Role for ConsistencyRole {
    const NAME: &'static str = "consistency";
    /// What is asked, and what to show of it.
    type Request = ConsistencyRequest;
    type Answer = Answer;
}

/// What it answers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Answer {
    /// What is shown.
    Shown(Box<ConsistencyView>),
    /// The text is no execution.
    Refused(Vec<Diagnostic>),
}

/// The half that knows the execution.
#[derive(Default)]
pub struct Worker {
    deciding: Option<Deciding>,
}

impl Half for Worker {
    type Role = ConsistencyRole;
    type Message = ();

    fn hear(&mut self, out: &Out<Self>, id: RequestId, request: ConsistencyRequest) {
        if self.deciding.as_ref().is_none_or(|deciding| !deciding.is_of(&request)) {
            self.deciding = None;
            match Deciding::open(&request) {
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
