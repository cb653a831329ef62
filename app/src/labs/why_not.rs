//! Why a model does not allow an outcome.

pub mod panel;
pub mod worker;

use std::rc::Rc;

use leptos::prelude::*;
use litmoscope::document::PROGRAM;

use crate::app::App;
use crate::app::command::{Group, key};
use crate::app::definition::{Definition, Draw, Opener, Panel, Place, Room, later, works};
use crate::app::lab::{Lab, LabId};
use panel::Wanted;

struct WhyNot {
    wanted: RwSignal<Option<String>>,
}

impl Lab for WhyNot {
    fn open(&self) -> bool {
        self.take("");
        false
    }

    /// An outcome; without one, what the condition asks for.
    fn take(&self, outcome: &str) {
        self.wanted.set(Some(outcome.to_owned()));
    }
}

const ID: LabId = LabId("why");

/// What it says of itself.
pub static LABS: &[Definition] = &[Definition {
    id: ID,
    opener: Opener {
        id: "open-why",
        title: "Why not?",
        about: "Why a model does not allow an outcome: every execution with the outcome, and its cycle.",
        group: Group::Labs,
        behind: "",
        keys: &[key("w")],
        whole: true,
        can: |_| true,
    },
    accepts: &[&PROGRAM],
    kept: None,
    begin,
    panel: Some(Panel {
        title: "Why not?",
        stays: false,
        room: Room {
            name: "WhyNot",
            what: "“why not?”",
            place: Place::Panels,
            when: |app| app.is_open(ID).into(),
            load: later!(why_not: Draw = || view! { <panel::WhyNot /> }.into_any()),
        },
    }),
    rooms: &[],
    workers: &[works!(why_not_half: worker::Worker)],
}];

/// Begins.
fn begin(_app: App) -> Rc<dyn Lab> {
    let wanted = RwSignal::new(None);
    provide_context(Wanted(wanted));
    Rc::new(WhyNot { wanted })
}
