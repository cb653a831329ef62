//! Everything explored at once by many workers, beside the steps; and runs that were saved elsewhere.

pub mod panel;
pub mod sharing;
pub mod walking;

use std::rc::Rc;

use leptos::prelude::*;
use litmoscope::document::PROGRAM;

use crate::app::command::{Group, key};
use crate::app::definition::{Definition, Opener, works};
use crate::app::lab::{Lab, LabId};
use crate::app::{App, Event};
use panel::Running;

struct Run {
    running: Running,
}

impl Lab for Run {
    fn open(&self) -> bool {
        self.running.start_here();
        true
    }
}

const ID: LabId = LabId("running");

/// What it says of itself.
pub static LABS: &[Definition] = &[Definition {
    id: ID,
    opener: Opener {
        id: "run-all",
        title: "Explore everything",
        about: "On all cores, beside the steps.",
        group: Group::Steps,
        behind: "go-to",
        keys: &[key("a")],
        whole: true,
        can: |app| !app.covered(),
    },
    accepts: &[&PROGRAM],
    example: "",
    kept: None,
    begin,
    panel: None,
    rooms: &[],
    workers: &[works!(running_half: sharing::Worker), works!(running_half: walking::Worker)],
}];

/// Begins.
fn begin(app: App) -> Rc<dyn Lab> {
    let running = Running::new(app);
    provide_context(running);
    app.whole.ask.set_value(Some(Rc::new(move |stamp, question, then| running.ask(stamp, question, then))));
    app.on(move |event| {
        if let Event::Edited(settings) = event {
            running.keep_for(settings);
        }
    });
    Effect::new(move |_| {
        let look = app.look();
        if app.whole.shown.get_untracked() {
            running.look(None, look);
        }
    });
    panel::listen(running);
    Rc::new(Run { running })
}
