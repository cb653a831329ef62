//! The role of a worker that says why a model does not allow an outcome.

use litmoscope::compare::ComparisonBounds;
use litmoscope::explore::Options;
use litmoscope::labs::why_not::{Asking, WhyNotView};
use litmoscope::model::Model;
use litmoscope::report::Drawing;
use litmoscope::syntax::Diagnostic;
use serde::{Deserialize, Serialize};

use crate::worker::host::{Half, Need, Out};
use crate::worker::slices::{Sliced, Slices};
use crate::worker::wire::{RequestId, Role};

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
    asking: Slices<Asking>,
}

impl Sliced for Asking {
    type Half = Worker;

    fn advance(&mut self) -> bool {
        Asking::advance(self)
    }

    fn answer(&self, over: bool) -> Answer {
        Answer::Answered { view: Box::new(self.view()), over }
    }
}

impl Half for Worker {
    type Role = WhyNot;
    /// A slice for this request is due.
    type Message = RequestId;

    fn needs(&self, request: &Request) -> Option<Need> {
        match request {
            Request::Ask { text, .. } => Need::of_text(text),
            Request::Draw { .. } => None,
        }
    }

    fn hear(&mut self, out: &Out<Self>, id: RequestId, request: Request) {
        match request {
            Request::Ask { text, question, model, options } => {
                self.asking.forget();
                match Asking::open(&text, &question, model, options, ComparisonBounds::default()) {
                    Ok(asking) => self.asking.begin(out, id, asking),
                    Err(diagnostics) => out.say(id, Answer::Refused(diagnostics)),
                }
            }
            Request::Draw { case, cycle } => {
                let drawing = self.asking.work().and_then(|asking| asking.drawing(case, cycle));
                out.say(id, Answer::Drawn(drawing.map(Box::new)));
            }
        }
    }

    fn go_on(&mut self, out: &Out<Self>, due: RequestId) {
        self.asking.go_on(out, due);
    }

    fn stop(&mut self, out: &Out<Self>) {
        self.asking.stop(out);
    }
}
