//! The role of a worker that says why a model does not allow an outcome.

use litmoscope::compare::ComparisonBounds;
use litmoscope::explore::Options;
use litmoscope::labs::why_not::{Asking, WhyNotView};
use litmoscope::model::Model;
use litmoscope::report::Drawing;
use litmoscope::syntax::Diagnostic;
use serde::{Deserialize, Serialize};

use crate::worker::host::{Half, Out};
use crate::worker::wire::{RequestId, Role};
use crate::worker::{REPORT, SLICE};

/// Says why not.
#[derive(Debug)]
pub enum WhyNot {}

impl Role for WhyNot {
    const NAME: &'static str = "why not";
    type Request = Request;
    type Answer = Answer;
}

/// What it is asked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Request {
    /// Asks why a model does not allow an outcome. Ends the question before.
    Ask {
        /// The program.
        text: String,
        /// The outcome.
        question: String,
        /// The model.
        model: Model,
        /// How to explore.
        options: Options,
    },
    /// Draws what the answer to [`Request::Ask`] speaks of: the witness, or a cycle of a case.
    Draw {
        /// The case.
        case: usize,
        /// Its cycle.
        cycle: usize,
    },
}

/// What it answers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Answer {
    /// Where [`Request::Ask`] has come to; comes again and again until that is its end.
    Answered {
        /// What is known.
        view: Box<WhyNotView>,
        /// Whether nothing more will come: it is done, or was stopped.
        over: bool,
    },
    /// This can't be asked.
    Refused(Vec<Diagnostic>),
    /// The graph of [`Request::Draw`]; `None` if there is nothing to draw.
    Drawn(Option<Box<Drawing>>),
}

/// The half that looks for the answer.
#[derive(Default)]
pub struct Worker {
    asking: Option<Asking>,
    /// The question that goes on, and when it was told last where it has come to.
    job: Option<(RequestId, f64)>,
}

impl Half for Worker {
    type Role = WhyNot;
    /// A slice of the question with this name is due.
    type Message = RequestId;

    fn hear(&mut self, out: &Out<Self>, id: RequestId, request: Request) {
        match request {
            Request::Ask { text, question, model, options } => {
                (self.asking, self.job) = (None, None);
                match Asking::open(&text, &question, model, options, ComparisonBounds::default()) {
                    Ok(asking) => {
                        self.asking = Some(asking);
                        self.job = Some((id, js_sys::Date::now()));
                        self.slice(out);
                    }
                    Err(diagnostics) => out.say(id, Answer::Refused(diagnostics)),
                }
            }
            Request::Draw { case, cycle } => {
                let drawing = self.asking.as_ref().and_then(|asking| asking.drawing(case, cycle));
                out.say(id, Answer::Drawn(drawing.map(Box::new)));
            }
        }
    }

    fn go_on(&mut self, out: &Out<Self>, due: RequestId) {
        // A slice of what was stopped meanwhile is not due any more.
        if self.job.is_some_and(|(id, _)| id == due) {
            self.slice(out);
        }
    }

    fn stop(&mut self, out: &Out<Self>) {
        if let Some((id, _)) = self.job.take() {
            self.show(out, id, true);
        }
    }
}

impl Worker {
    /// Goes on for a while.
    fn slice(&mut self, out: &Out<Self>) {
        let (Some(asking), Some((id, reported))) = (&mut self.asking, &mut self.job) else { return };
        let id = *id;
        let end = js_sys::Date::now() + SLICE;
        while asking.advance() {
            let now = js_sys::Date::now();
            if now < end {
                continue;
            }
            if now - *reported >= REPORT {
                *reported = now;
                self.show(out, id, false);
            }
            out.tell_after(0, id);
            return;
        }
        self.job = None;
        self.show(out, id, true);
    }

    fn show(&self, out: &Out<Self>, id: RequestId, over: bool) {
        if let Some(asking) = &self.asking {
            out.say(id, Answer::Answered { view: Box::new(asking.view()), over });
        }
    }
}
