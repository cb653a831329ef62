//! The role of a worker that knows a recording, and who judged it.

use litmoscope::histories::report::{CodeJudging, HistoryJudging, HistoryRequest, HistoryView};
use litmoscope::report::Drawing;
use litmoscope::session::Settings;
use litmoscope::syntax::Diagnostic;
use serde::{Deserialize, Serialize};

use crate::app::lab::LabId;
use crate::worker::SLICE;
use crate::worker::host::{Half, Need, Out};
use crate::worker::wire::{RequestId, Role};

/// The lab's name.
pub const ID: LabId = LabId("histories");

/// How often it is said where an exploration is, in milliseconds.
const REPORT: f64 = 300.0;

/// Says whether a recording, or an object of a program, is linearizable.
#[derive(Debug)]
pub enum HistoryRole {}

impl Role for HistoryRole {
    const NAME: &'static str = "histories";
    type Request = Request;
    type Answer = Answer;
}

/// What is asked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Request {
    /// What is known.
    Show {
        /// Which text this is about. Each has a number of its own.
        source: u32,
        /// The text, if the worker has not been given it yet.
        text: Option<Text>,
        /// What to show of it.
        look: Box<HistoryRequest>,
    },
    /// The graph of the execution that is shown.
    Draw,
}

/// What is asked about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Text {
    /// A recording, in whatever format.
    Recording(String),
    /// A program with an object, and how it is explored on the page.
    Program(Box<Settings>),
}

/// What it answers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Answer {
    /// What is shown.
    Shown(Box<HistoryView>),
    /// The graph of the execution that is shown; `None` if none is.
    Drawn(Option<Box<Drawing>>),
    /// The text can't be judged.
    Refused(Vec<Diagnostic>),
}

/// What is judged.
enum Judging {
    Recording(Box<HistoryJudging>),
    Program(Box<CodeJudging>),
}

impl Judging {
    fn open(text: &Text, look: &HistoryRequest) -> Result<Self, Vec<Diagnostic>> {
        match text {
            Text::Recording(text) => HistoryJudging::open(text).map(|judging| Self::Recording(Box::new(judging))),
            Text::Program(settings) => {
                CodeJudging::open(settings, &look.code).map(|judging| Self::Program(Box::new(judging)))
            }
        }
    }

    fn view(&mut self, look: &HistoryRequest) -> HistoryView {
        match self {
            Self::Recording(judging) => judging.view(look),
            Self::Program(judging) => judging.view(look),
        }
    }

    fn go_on(&mut self) {
        match self {
            Self::Recording(judging) => judging.go_on(),
            Self::Program(judging) => judging.go_on(),
        }
    }

    fn drawing(&self) -> Option<&Drawing> {
        match self {
            Self::Recording(_) => None,
            Self::Program(judging) => judging.drawing(),
        }
    }

    /// Whether there is more to be done before that is worth to be shown.
    fn has_more(&self) -> bool {
        match self {
            Self::Recording(_) => false,
            Self::Program(judging) => judging.has_more(),
        }
    }
}

/// What is still looked for, and shown then.
struct Job {
    id: RequestId,
    look: HistoryRequest,
    /// When it was shown last.
    shown: f64,
}

/// The half that knows the recording or the program.
#[derive(Default)]
pub struct Worker {
    /// What is judged, and the number of its text.
    judging: Option<(u32, Judging)>,
    job: Option<Job>,
}

impl Worker {
    fn show(&mut self, out: &Out<Self>, id: RequestId, look: HistoryRequest) {
        let Some((_, judging)) = &mut self.judging else { return };
        let view = judging.view(&look);
        self.job = view.has_more.then(|| Job { id, look, shown: js_sys::Date::now() });
        out.say(id, Answer::Shown(Box::new(view)));
        if self.job.is_some() {
            // What is asked meanwhile comes first.
            out.tell_next(id);
        }
    }
}

impl Half for Worker {
    type Role = HistoryRole;
    type Message = RequestId;

    fn needs(&self, request: &Request) -> Option<Need> {
        match request {
            Request::Show { text: Some(Text::Program(settings)), .. } => Need::of_settings(settings),
            Request::Show { .. } | Request::Draw => None,
        }
    }

    fn hear(&mut self, out: &Out<Self>, id: RequestId, request: Request) {
        let Request::Show { source, text, look } = request else {
            let drawing = self.judging.as_ref().and_then(|(_, judging)| judging.drawing());
            return out.say(id, Answer::Drawn(drawing.cloned().map(Box::new)));
        };
        self.job = None;
        if let Some(text) = text {
            self.judging = None;
            match Judging::open(&text, &look) {
                Ok(judging) => self.judging = Some((source, judging)),
                Err(diagnostics) => return out.say(id, Answer::Refused(diagnostics)),
            }
        }
        self.show(out, id, *look);
    }

    fn go_on(&mut self, out: &Out<Self>, due: RequestId) {
        let Some(job) = self.job.take_if(|job| job.id == due) else { return };
        let Some((_, judging)) = &mut self.judging else { return };
        let end = js_sys::Date::now() + SLICE;
        judging.go_on();
        while judging.has_more() && js_sys::Date::now() < end {
            judging.go_on();
        }
        if judging.has_more() && end < job.shown + REPORT {
            self.job = Some(job);
            out.tell_next(due);
        } else {
            self.show(out, due, job.look);
        }
    }

    fn stop(&mut self, _out: &Out<Self>) {}
}
