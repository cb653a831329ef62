//! The role of a worker that compares all models on a program.

use litmoscope::compare::ComparisonBounds;
use litmoscope::explore::Options;
use litmoscope::labs::comparison::{Comparing, ComparisonView, ContrastView};
use litmoscope::model::Model;
use litmoscope::syntax::Diagnostic;
use serde::{Deserialize, Serialize};

use super::host::{Half, Need, Out};
use super::slices::{Sliced, Slices};
use super::wire::{RequestId, Role};

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
    comparing: Slices<Comparing>,
}

impl Sliced for Comparing {
    type Half = Worker;

    fn advance(&mut self) -> bool {
        Comparing::advance(self)
    }

    fn answer(&self, over: bool) -> Answer {
        Answer::Compared { view: Box::new(self.view()), over }
    }
}

impl Half for Worker {
    type Role = Compares;
    /// A slice for this request is due.
    type Message = RequestId;

    fn needs(&self, request: &Request) -> Option<Need> {
        match request {
            Request::Compare { text, .. } => Need::of_text(text),
            Request::Contrast { .. } => None,
        }
    }

    fn hear(&mut self, out: &Out<Self>, id: RequestId, request: Request) {
        match request {
            Request::Compare { text, options } => {
                self.comparing.forget();
                match Comparing::open(text, options, ComparisonBounds::default()) {
                    Ok(comparing) => self.comparing.begin(out, id, comparing),
                    Err(diagnostics) => out.say(id, Answer::Refused(diagnostics)),
                }
            }
            Request::Contrast { row, allowing, forbidding } => {
                let contrast = self.comparing.work().and_then(|c| c.contrast(row, allowing, forbidding));
                out.say(id, Answer::Contrasted(contrast.map(Box::new)));
            }
        }
    }

    fn go_on(&mut self, out: &Out<Self>, due: RequestId) {
        self.comparing.go_on(out, due);
    }

    fn stop(&mut self, out: &Out<Self>) {
        self.comparing.stop(out);
    }
}
