//! The role of a worker that knows an execution, and what all models say of it.

use litmoscope::labs::consistency::{CheckRequest, CheckView, Checking};
use litmoscope::syntax::Diagnostic;
use serde::{Deserialize, Serialize};

use crate::worker::host::{Half, Out};
use crate::worker::wire::{RequestId, Role};

/// Says whether an execution is consistent.
#[derive(Debug)]
pub enum Checks {}

impl Role for Checks {
    const NAME: &'static str = "consistency";
    /// What is asked, and what to show of it.
    type Request = CheckRequest;
    type Answer = Answer;
}

/// What it answers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Answer {
    /// What is shown.
    Checked(Box<CheckView>),
    /// The text is no execution.
    Refused(Vec<Diagnostic>),
}

/// The half that knows the execution.
#[derive(Default)]
pub struct Worker {
    checking: Option<Checking>,
}

impl Half for Worker {
    type Role = Checks;
    type Message = ();

    fn hear(&mut self, out: &Out<Self>, id: RequestId, request: CheckRequest) {
        if self.checking.as_ref().is_none_or(|checking| !checking.is_of(&request)) {
            self.checking = None;
            match Checking::open(&request) {
                Ok(checking) => self.checking = Some(checking),
                Err(diagnostics) => out.say(id, Answer::Refused(diagnostics)),
            }
        }
        if let Some(checking) = &self.checking {
            out.say(id, Answer::Checked(Box::new(checking.view(&request))));
        }
    }

    fn go_on(&mut self, _out: &Out<Self>, (): ()) {}

    fn stop(&mut self, _out: &Out<Self>) {}
}
