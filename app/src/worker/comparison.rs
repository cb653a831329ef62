//! Comparisons of all models as the page knows them, each in a worker of its own: stepping goes on beside them, and they can always
//! be ended.

use std::sync::Arc;

use leptos::prelude::*;
use litmoscope::explore::Options;
use litmoscope::labs::comparison::{ComparisonView, ContrastView};
use litmoscope::model::Model;

use super::comparing::{Answer, Compares, Request};
use super::line::Said;
use super::port::Port;

/// How long a comparison has to stop when it is asked to, in milliseconds. Listing candidates is not done in slices.
const STOP: u32 = 1500;

/// A comparison as the page knows it.
#[derive(Clone, Copy)]
pub struct Comparison {
    /// What is known.
    pub view: RwSignal<Option<Arc<ComparisonView>>>,
    /// What it compares: the text and how it is explored.
    pub subject: RwSignal<Option<(String, Options)>>,
    /// It goes on.
    pub running: RwSignal<bool>,
    /// Why there is none.
    pub trouble: RwSignal<Option<String>>,
    /// Two executions of an outcome.
    pub contrast: RwSignal<Option<Arc<ContrastView>>>,
    port: Port<Compares>,
}

impl Comparison {
    /// Nothing compared yet.
    pub fn new() -> Self {
        let port = Port::new();
        Self {
            view: RwSignal::new(None),
            subject: RwSignal::new(None),
            running: port.working,
            trouble: RwSignal::new(None),
            contrast: RwSignal::new(None),
            port,
        }
    }

    /// Compares the models on a program; what was shown before stays until there is news.
    pub fn start(self, text: &str, options: Options) {
        self.port.interrupt();
        self.port.open(move |said| self.hear(said));
        self.trouble.set(None);
        self.contrast.set(None);
        self.subject.set(Some((text.to_owned(), options)));
        self.port.begin(&Request::Compare { text: text.to_owned(), options });
    }

    /// Ends the comparison that runs; what it found stays.
    pub fn stop(self) {
        self.port.stop_within(STOP);
    }

    /// Forgets everything; what is on its way is not heard any more.
    pub fn forget(self) {
        self.port.interrupt();
        self.port.forget();
        self.view.set(None);
        self.subject.set(None);
        self.trouble.set(None);
        self.contrast.set(None);
    }

    /// Ends the worker, which is not wanted for now.
    pub fn leave(self) {
        self.forget();
        self.port.end();
    }

    /// Asks for two executions of an outcome; the answer comes into [`Self::contrast`].
    pub fn ask(self, row: usize, allowing: Option<Model>, forbidding: Option<Model>) {
        self.port.ask(&Request::Contrast { row, allowing, forbidding });
    }

    fn hear(self, said: Said<Answer>) {
        match said {
            Said::Answer(_, Answer::Compared { view, over }) => {
                self.view.set(Some(Arc::new(*view)));
                if over {
                    self.port.done();
                }
            }
            Said::Answer(_, Answer::Refused(diagnostics)) => {
                let first = diagnostics.into_iter().next().map_or_else(String::new, |diagnostic| diagnostic.message);
                self.view.set(None);
                self.port.done();
                self.trouble.set(Some(format!("This can't be compared: {first}.")));
            }
            // The last one asked for.
            Said::Answer(id, Answer::Contrasted(contrast)) if self.port.is_last(id) => {
                self.contrast.set(contrast.map(|contrast| Arc::new(*contrast)));
            }
            Said::Died(message) => self.trouble.set(Some(format!("The comparison failed: {message}."))),
            Said::Answer(..) | Said::Lacks(_) | Said::Ready => {}
        }
    }
}

impl Default for Comparison {
    fn default() -> Self {
        Self::new()
    }
}
