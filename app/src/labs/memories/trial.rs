//! A program that is run on a memory: what is asked, and what comes of it.

use std::sync::Arc;

use leptos::prelude::*;
use litmoscope::memories::{NotTried, ProgramRequest, ProgramView};

use super::worker::{ProgramAnswer, ProgramRole, refusal};
use crate::worker::line::Said;
use crate::worker::port::Port;

/// A program that is run on the memory.
#[derive(Clone, Copy)]
pub struct Trial {
    /// As it is typed.
    pub text: RwSignal<String>,
    /// The one that is run.
    pub taken: RwSignal<String>,
    pub view: RwSignal<Option<Arc<ProgramView>>>,
    /// The run that is shown, by its place among outcomes and faults.
    pub chosen: RwSignal<Option<usize>>,
    pub trouble: RwSignal<Option<String>>,
    /// What is wrong with the program, with the places.
    pub wrong: RwSignal<Option<String>>,
    pub running: RwSignal<bool>,
    port: Port<ProgramRole>,
    /// What was asked last, unless there is no answer to it.
    asked: StoredValue<Option<ProgramRequest>>,
}

impl Trial {
    /// There is no program yet.
    pub fn new() -> Self {
        let port = Port::new();
        Self {
            text: RwSignal::new(String::new()),
            taken: RwSignal::new(String::new()),
            view: RwSignal::new(None),
            chosen: RwSignal::new(None),
            trouble: RwSignal::new(None),
            wrong: RwSignal::new(None),
            running: port.working,
            port,
            asked: StoredValue::new(None),
        }
    }

    /// Takes another program.
    pub fn take(self, text: String) {
        self.text.set(text.clone());
        self.taken.set(text);
    }

    /// Runs a program, unless it is the one that was run last. `grow` shows the memory that it was run on, if that had to be made larger.
    pub fn ask(self, request: ProgramRequest, grow: impl Fn(Vec<(String, i64)>) + 'static) {
        if self.asked.with_value(|asked| asked.as_ref() == Some(&request)) {
            return;
        }
        self.forget();
        self.port.open(move |said| self.hear(said, &grow));
        self.port.begin(&request);
        self.asked.set_value(Some(request));
    }

    fn hear(self, said: Said<ProgramAnswer>, grow: &impl Fn(Vec<(String, i64)>)) {
        match said {
            Said::Answer(_, ProgramAnswer::Shown(view, is_over)) => {
                if is_over {
                    self.port.done();
                }
                let others =
                    self.asked.with_value(|asked| asked.as_ref().is_some_and(|asked| asked.settings != view.settings));
                if view.grown.is_some() && others {
                    // The memory beside is to be the one that the program was run on.
                    let settings = view.settings.clone();
                    self.asked.update_value(|asked| {
                        asked.iter_mut().for_each(|asked| asked.settings.clone_from(&settings));
                    });
                    grow(settings);
                }
                self.view.set(Some(Arc::new(*view)));
            }
            Said::Answer(_, ProgramAnswer::Refused(NotTried::Program(wrong))) => {
                self.port.done();
                self.wrong.set(Some(wrong));
            }
            Said::Answer(_, ProgramAnswer::Refused(NotTried::Memory(wrong))) => {
                self.port.done();
                self.trouble.set(Some(refusal(wrong)));
            }
            Said::Died(message) => {
                self.asked.set_value(None);
                self.trouble.set(Some(format!("The exploration ended: {message}.")));
            }
            Said::Lacks(_) | Said::Ready => {}
        }
    }

    /// Lets go of what was found, and of what is being looked for. The program stays.
    pub fn forget(self) {
        if self.running.get_untracked() {
            self.port.end();
        }
        self.asked.set_value(None);
        self.view.set(None);
        self.chosen.set(None);
        self.trouble.set(None);
        self.wrong.set(None);
    }

    /// Gives up. What was found stays.
    pub fn stop(self) {
        if self.running.get_untracked() {
            self.port.end();
            self.asked.set_value(None);
            self.trouble.set(Some("Stopped before all was known.".to_owned()));
        }
    }
}
