//! The role of a worker that compares all models on a program.

use litmoscope::compare::ComparisonBounds;
use litmoscope::explore::Options;
use litmoscope::labs::comparison::{Comparing, ComparisonView, ContrastView};
use litmoscope::model::Model;
use litmoscope::syntax::Diagnostic;
use serde::{Deserialize, Serialize};

use super::host::{Half, Out};
use super::wire::{RequestId, Role};
use super::{REPORT, SLICE};

/// Compares all models.
#[derive(Debug)]
pub enum Compares {}

impl Role for Compares {
    const NAME: &'static str = "comparison";
    type Request = Request;
    type Answer = Answer;
}

/// What it is asked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Request {
    /// Compares all models on a program. Ends the comparison before.
    Compare {
        /// The program.
        text: String,
        /// How to explore.
        options: Options,
    },
    /// Shows what two models say of an outcome of the comparison.
    Contrast {
        /// The row of the outcome.
        row: usize,
        /// A model that allows it.
        allowing: Option<Model>,
        /// A model that forbids it.
        forbidding: Option<Model>,
    },
}

/// What it answers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Answer {
    /// Where [`Request::Compare`] has come to; comes again and again until that is its end.
    Compared {
        /// What is known.
        view: Box<ComparisonView>,
        /// Whether nothing more will come: it is done, or was stopped.
        over: bool,
    },
    /// The program can't be compared.
    Refused(Vec<Diagnostic>),
    /// The two executions of [`Request::Contrast`]; `None` without such a row.
    Contrasted(Option<Box<ContrastView>>),
}

/// The half that compares.
#[derive(Default)]
pub struct Worker {
    comparing: Option<Comparing>,
    /// The comparison that goes on, and when it was told last where it has come to.
    job: Option<(RequestId, f64)>,
}

impl Half for Worker {
    type Role = Compares;
    /// A slice of the comparison with this name is due.
    type Message = RequestId;

    fn hear(&mut self, out: &Out<Self>, id: RequestId, request: Request) {
        match request {
            Request::Compare { text, options } => {
                (self.comparing, self.job) = (None, None);
                match Comparing::open(text, options, ComparisonBounds::default()) {
                    Ok(comparing) => {
                        self.comparing = Some(comparing);
                        self.job = Some((id, js_sys::Date::now()));
                        self.slice(out);
                    }
                    Err(diagnostics) => out.say(id, Answer::Refused(diagnostics)),
                }
            }
            Request::Contrast { row, allowing, forbidding } => {
                let contrast = self.comparing.as_ref().and_then(|c| c.contrast(row, allowing, forbidding));
                out.say(id, Answer::Contrasted(contrast.map(Box::new)));
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
        let (Some(comparing), Some((id, reported))) = (&mut self.comparing, &mut self.job) else { return };
        let id = *id;
        let end = js_sys::Date::now() + SLICE;
        while comparing.advance() {
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
        if let Some(comparing) = &self.comparing {
            out.say(id, Answer::Compared { view: Box::new(comparing.view()), over });
        }
    }
}
