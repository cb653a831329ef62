//! Why a model does not allow an outcome.

pub mod panel;
pub mod worker;

use std::rc::Rc;

use leptos::prelude::*;
use litmoscope::document::PROGRAM;
use litmoscope::model::Model;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::app::App;
use crate::app::command::{Group, key};
use crate::app::definition::{Definition, Draw, Opener, Panel, Place, Room, later, works};
use crate::app::lab::{Lab, LabId, Link};
use panel::Wanted;

struct WhyNot {
    app: App,
    wanted: RwSignal<Option<(String, Option<Model>)>>,
    asked: RwSignal<Option<(String, Model)>>,
}

impl Lab for WhyNot {
    fn open(&self) -> bool {
        self.take("");
        false
    }

    /// An outcome; without one, what the condition asks for.
    fn take(&self, outcome: &str) {
        self.wanted.set(Some((outcome.to_owned(), None)));
    }

    /// To the question, under its model.
    fn link(&self) -> Option<Link> {
        let (outcome, model) = self.asked.get_untracked()?;
        self.app.lab_link(ID, json!([outcome, model.name()]))
    }

    fn resume(&self, kept: &Value) {
        if let Ok((outcome, model)) = <(String, String)>::deserialize(kept) {
            self.wanted.set(Some((outcome, model.parse().ok())));
        }
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
    example: "sb.lit",
    kept: None,
    begin,
    panel: Some(Panel {
        title: "Why not?",
        stays: false,
        bare: false,
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
fn begin(app: App) -> Rc<dyn Lab> {
    let (wanted, asked) = (RwSignal::new(None), RwSignal::new(None));
    provide_context(Wanted { outcome: wanted, asked });
    Rc::new(WhyNot { app, wanted, asked })
}
