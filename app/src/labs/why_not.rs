//! Why a model does not allow an outcome.

pub mod panel;
pub mod worker;

use std::rc::Rc;

use leptos::prelude::*;
use litmoscope::document::PROGRAM;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::app::App;
use crate::app::command::{Group, key};
use crate::app::definition::{Definition, Draw, Opener, Panel, Place, Room, later, works};
use crate::app::lab::{Lab, LabId, Link};
use crate::document::Document;
use crate::document::recent::grew_from;
use panel::{Question, Wanted, Wish};

struct WhyNot {
    app: App,
    wanted: Wanted,
}

impl WhyNot {
    /// What was asked of the program that is open, as it is explored now.
    fn own(&self) -> Option<Question> {
        let Document { text, model, .. } = self.app.document;
        let is_own = |asked: &Question| {
            asked.of == model.get_untracked() && text.with_untracked(|text| grew_from(&asked.text, text))
        };
        self.wanted.asked.get_untracked().filter(is_own)
    }
}

impl Lab for WhyNot {
    fn open(&self) -> bool {
        self.wanted.wish.set(Some(self.own().map_or_else(|| Wish::New(String::new()), |_| Wish::Same)));
        false
    }

    /// An outcome; without one, what the condition asks for.
    fn take(&self, outcome: &str) {
        self.wanted.wish.set(Some(Wish::New(outcome.to_owned())));
    }

    /// To the question, under its model.
    fn link(&self) -> Option<Link> {
        self.app.lab_link(ID, self.keep()?)
    }

    fn keep(&self) -> Option<Value> {
        let Question { outcome, model, .. } = self.own()?;
        Some(json!([outcome, model.name()]))
    }

    fn resume(&self, kept: &Value) {
        let Ok((outcome, model)) = <(String, String)>::deserialize(kept) else { return };
        let (text, of) = (self.app.document.text.get_untracked(), self.app.document.model.get_untracked());
        let model = model.parse().unwrap_or(of);
        self.wanted.asked.set(Some(Question { outcome, model, text, of }));
        self.wanted.wish.set(Some(Wish::Same));
    }

    fn track(&self) {
        self.wanted.asked.track();
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
    kept: Some("why"),
    begin,
    panel: Some(Panel {
        title: "Why not?",
        stays: true,
        bare: false,
        chooses: "model algorithm",
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
    let wanted = Wanted { wish: RwSignal::new(None), asked: RwSignal::new(None) };
    provide_context(wanted);
    Rc::new(WhyNot { app, wanted })
}
