//! Whether one execution is consistent: of the graph that is shown, or of a text that is no program.

pub mod panel;
pub mod worker;

use leptos::prelude::*;
use litmoscope::document::{EXECUTION, PROGRAM};
use litmoscope::labs::consistency::Deciding;

use crate::app::command::{Group, key};
use crate::app::definition::{Definition, Draw, Opener, Panel, Place, Room, later, works};
use crate::app::waiting::Waiting;
use crate::worker::inspecting::Inspector;
use worker::ID;

/// What it says of itself.
pub static LABS: &[Definition] = &[Definition {
    id: ID,
    opener: Opener {
        id: "open-check",
        title: "Consistency",
        about: "Is this one execution consistent? Closure and search, rule by rule.",
        group: Group::Labs,
        behind: "",
        keys: &[key("h")],
        whole: true,
        can: |_| true,
    },
    accepts: &[&EXECUTION],
    example: "executions/sb.exec",
    kept: None,
    // The execution of a program's step is shown too.
    begin: |app| Waiting::showing(app, &PROGRAM),
    panel: Some(Panel {
        title: "Consistency",
        stays: false,
        bare: false,
        chooses: "",
        room: Room {
            name: "Consistency",
            what: "the check for consistency",
            place: Place::Panels,
            when: |app| app.is_open(ID).into(),
            load: later!(consistency: Draw = || view! { <panel::Consistency /> }.into_any()),
        },
    }),
    rooms: &[],
    workers: &[works!(consistency_half: Inspector<Deciding>)],
}];
