//! The role of a worker that knows a recording, and who judged it.

use litmoscope::labs::linearizability::{HistoryJudging, HistoryRequest, HistoryView};
use litmoscope::syntax::Diagnostic;
use serde::{Deserialize, Serialize};

use crate::app::lab::LabId;
use crate::worker::host::{Half, Out};
use crate::worker::wire::{RequestId, Role};

/// The lab's name.
pub const ID: LabId = LabId("histories");

/// Says whether a recording is linearizable.
#[derive(Debug)]
pub enum HistoryRole {}

impl Role for HistoryRole {
    const NAME: &'static str = "histories";
    type Request = Request;
    type Answer = Answer;
}

/// What is asked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Request {
    /// Which text this is about. Each has a number of its own.
    pub source: u32,
    /// The text, if the worker has not been given it yet.
    pub text: Option<String>,
    /// What to show of it.
    pub look: HistoryRequest,
}

/// What it answers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Answer {
    /// What is shown.
    Shown(Box<HistoryView>),
    /// The text is no recording.
    Refused(Vec<Diagnostic>),
}

/// The half that knows the recording.
#[derive(Default)]
pub struct Worker {
    /// The recording, and the number of its text.
    judging: Option<(u32, HistoryJudging)>,
    /// What is still looked for, and shown then.
    job: Option<(RequestId, HistoryRequest)>,
}

impl Worker {
    fn show(&mut self, out: &Out<Self>, id: RequestId, look: HistoryRequest) {
        let Some((_, judging)) = &mut self.judging else { return };
        let view = judging.view(&look);
        self.job = view.has_more.then_some((id, look));
        out.say(id, Answer::Shown(Box::new(view)));
        if self.job.is_some() {
            // What is asked meanwhile comes first.
            out.tell_after(0, id);
        }
    }
}

impl Half for Worker {
    type Role = HistoryRole;
    type Message = RequestId;

    fn hear(&mut self, out: &Out<Self>, id: RequestId, Request { source, text, look }: Request) {
        self.job = None;
        if let Some(text) = text {
            self.judging = None;
            match HistoryJudging::open(&text) {
                Ok(judging) => self.judging = Some((source, judging)),
                Err(diagnostics) => return out.say(id, Answer::Refused(diagnostics)),
            }
        }
        self.show(out, id, look);
    }

    fn go_on(&mut self, out: &Out<Self>, due: RequestId) {
        if let Some((id, look)) = self.job.take_if(|(id, _)| *id == due)
            && let Some((_, judging)) = &mut self.judging
        {
            judging.go_on();
            self.show(out, id, look);
        }
    }

    fn stop(&mut self, _out: &Out<Self>) {}
}
