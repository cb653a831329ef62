//! Comparisons of all models, each in a worker of its own: stepping goes on beside them, and they can always be ended.

use std::sync::Arc;

use gloo::timers::callback::Timeout;
use gloo::worker::WorkerBridge;
use leptos::prelude::*;
use litmoscope::explore::Options;
use litmoscope::model::Model;
use litmoscope::session::{ComparisonView, ContrastView};

use crate::worker::{self, EngineWorker, Request, RequestId, Response};

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
    last_id: StoredValue<RequestId>,
    /// The request for the comparison shown.
    id: StoredValue<RequestId>,
    bridge: StoredValue<Option<WorkerBridge<EngineWorker>>, LocalStorage>,
    /// Ends the worker that does not stop.
    end: StoredValue<Option<Timeout>, LocalStorage>,
}

impl Comparison {
    /// Nothing compared yet.
    pub fn new() -> Self {
        Self {
            view: RwSignal::new(None),
            subject: RwSignal::new(None),
            running: RwSignal::new(false),
            trouble: RwSignal::new(None),
            contrast: RwSignal::new(None),
            last_id: StoredValue::new(0),
            id: StoredValue::new(0),
            bridge: StoredValue::new_local(None),
            end: StoredValue::new_local(None),
        }
    }

    /// Compares the models on a program; what was shown before stays until there is news.
    pub fn start(self, text: &str, options: Options) {
        if self.running.get_untracked() {
            // Cheaper than to wait until it looks at its messages.
            self.bridge.set_value(None);
        }
        if self.bridge.with_value(Option::is_none) {
            self.bridge.set_value(Some(worker::spawn(move |response| self.hear(response))));
        }
        self.end.set_value(None);
        self.trouble.set(None);
        self.contrast.set(None);
        self.subject.set(Some((text.to_owned(), options)));
        self.running.set(true);
        let id = self.next_id();
        self.id.set_value(id);
        self.send(Request::Compare { id, text: text.to_owned(), options });
    }

    /// Ends the comparison that runs; what it found stays.
    pub fn stop(self) {
        if !self.running.get_untracked() {
            return;
        }
        self.send(Request::Stop);
        self.end.set_value(Some(Timeout::new(STOP, move || {
            if self.running.get_untracked() {
                self.bridge.set_value(None);
                self.running.set(false);
            }
        })));
    }

    /// Forgets everything; what is on its way is not heard any more.
    pub fn forget(self) {
        if self.running.get_untracked() {
            self.bridge.set_value(None);
        }
        self.id.set_value(self.next_id());
        self.end.set_value(None);
        self.running.set(false);
        self.view.set(None);
        self.subject.set(None);
        self.trouble.set(None);
        self.contrast.set(None);
    }

    /// Ends the worker, which is not wanted for now.
    pub fn leave(self) {
        self.forget();
        self.bridge.set_value(None);
    }

    /// Asks for two executions of an outcome; the answer comes into [`Self::contrast`].
    pub fn ask(self, row: usize, allowing: Option<Model>, forbidding: Option<Model>) {
        let id = self.next_id();
        self.send(Request::Contrast { id, row, allowing, forbidding });
    }

    fn next_id(self) -> RequestId {
        self.last_id.update_value(|id| *id += 1);
        self.last_id.get_value()
    }

    fn send(self, request: Request) {
        self.bridge.with_value(|bridge| {
            if let Some(bridge) = bridge {
                bridge.send(request);
            }
        });
    }

    fn hear(self, response: Response) {
        match response {
            Response::Compared { id, view, over } if id == self.id.get_value() => {
                self.view.set(Some(Arc::new(*view)));
                if over {
                    self.running.set(false);
                }
            }
            Response::Refused { id, diagnostics } if id == self.id.get_value() => {
                let first = diagnostics.into_iter().next().map_or_else(String::new, |diagnostic| diagnostic.message);
                self.view.set(None);
                self.running.set(false);
                self.trouble.set(Some(format!("This can't be compared: {first}.")));
            }
            // Of this comparison, and the last one asked for.
            Response::Contrasted { id, contrast } if id == self.last_id.get_value() => {
                self.contrast.set(contrast.map(|contrast| Arc::new(*contrast)));
            }
            Response::Died(message) => {
                // Not at once: the bridge is in use while it calls back.
                Timeout::new(0, move || {
                    self.bridge.set_value(None);
                    self.running.set(false);
                    self.trouble.set(Some(format!("The comparison failed: {message}.")));
                })
                .forget();
            }
            _ => {}
        }
    }
}

impl Default for Comparison {
    fn default() -> Self {
        Self::new()
    }
}
