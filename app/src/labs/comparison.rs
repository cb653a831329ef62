//! All models compared on the program.

pub mod panel;

use std::rc::Rc;

use leptos::prelude::*;
use litmoscope::document::PROGRAM;

use crate::app::App;
use crate::app::command::{Group, key};
use crate::app::definition::{Definition, Draw, Opener, Panel, Place, Room, later};
use crate::app::lab::{Lab, LabId};

struct Models;

impl Lab for Models {}

const ID: LabId = LabId("models");

/// What it says of itself.
pub static LABS: &[Definition] = &[Definition {
    id: ID,
    opener: Opener {
        id: "models",
        title: "Compare models",
        about: "All outcomes under all models, with a witness or the cycle that forbids each.",
        group: Group::Labs,
        behind: "",
        keys: &[key("m")],
        whole: true,
        can: |_| true,
    },
    accepts: &[&PROGRAM],
    example: "sb.lit",
    kept: None,
    begin,
    panel: Some(Panel {
        title: "All models",
        stays: true,
        bare: false,
        chooses: "model algorithm",
        room: Room {
            name: "Models",
            what: "the comparison of models",
            place: Place::Panels,
            when: |app| app.is_open(ID).into(),
            load: later!(models: Draw = || view! { <panel::Models /> }.into_any()),
        },
    }),
    rooms: &[],
    workers: &[],
}];

/// Begins.
fn begin(_app: App) -> Rc<dyn Lab> {
    Rc::new(Models)
}
