//! Labs all of which is loaded with their panels.
//!
//! Signals of types of their own would be in the first file of the page, so a panel makes what its lab knows, and takes its place.

use std::cell::RefCell;
use std::rc::Rc;

use leptos::prelude::*;
use litmoscope::document::Subject;
use serde_json::Value;

use super::lab::{Lab, LabId};
use super::{App, Event};

/// A lab until its panel is there. It keeps what is to be shown then.
pub struct Waiting {
    app: App,
    kept: Rc<RefCell<Option<Value>>>,
    /// What it shows something of, though it is not for texts about that.
    shows: Option<&'static Subject>,
}

impl Waiting {
    /// Begins one.
    pub fn begin(app: App) -> Rc<dyn Lab> {
        Self::with(app, None)
    }

    /// Begins one that also shows something of other texts.
    pub fn showing(app: App, subject: &'static Subject) -> Rc<dyn Lab> {
        Self::with(app, Some(subject))
    }

    fn with(app: App, shows: Option<&'static Subject>) -> Rc<dyn Lab> {
        let kept = Rc::new(RefCell::new(None));
        let stale = kept.clone();
        app.on(move |event| {
            if matches!(event, Event::Replacing) {
                stale.take();
            }
        });
        Rc::new(Self { app, kept, shows })
    }
}

impl Lab for Waiting {
    fn enter(&self) {
        self.app.session.playing.set(false);
    }

    fn plays(&self) -> bool {
        true
    }

    fn shows(&self, subject: &Subject) -> bool {
        self.shows.is_some_and(|shown| shown == subject)
    }

    /// What is to be shown, as it would be kept.
    fn take(&self, place: &str) {
        self.kept.replace(serde_json::from_str(place).ok());
    }

    fn keep(&self) -> Option<Value> {
        self.kept.borrow().clone()
    }

    fn resume(&self, kept: &Value) {
        self.kept.replace(Some(kept.clone()));
    }
}

impl App {
    /// The panel of a lab that waits for it is there: `lab` takes its place.
    pub fn take_place(self, id: LabId, lab: Rc<dyn Lab>) {
        if let Some(kept) = self.lab(id).keep() {
            lab.resume(&kept);
        }
        self.labs.update_value(|labs| {
            if let Some(registered) = labs.iter_mut().find(|registered| registered.id == id) {
                registered.lab = lab;
            }
        });
        self.labs_came.update(|came| *came += 1);
    }

    /// Runs an effect again when what labs keep may have changed.
    pub fn track_labs(self) {
        self.labs_came.track();
        for (.., lab) in self.kept_labs() {
            lab.track();
        }
    }
}
