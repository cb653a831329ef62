//! Repairs: what would forbid an outcome, and what is not needed.

mod inquiry;
pub mod panel;
pub mod worker;

use leptos::prelude::*;
use litmoscope::document::PROGRAM;
use litmoscope::repair::view::RepairOpen;

use crate::app::command::{Group, key};
use crate::app::definition::{Definition, Draw, Opener, Panel, Place, Room, later, works};
use crate::app::waiting::Waiting;
use crate::worker::inspecting::Inspector;
use worker::ID;

/// What it says of itself.
pub static LABS: &[Definition] = &[Definition {
    id: ID,
    opener: Opener {
        id: "open-repair",
        title: "Repair",
        about: "What would forbid this outcome, and which fence is not needed?",
        group: Group::Labs,
        behind: "",
        keys: &[key("W")],
        whole: true,
        can: |_| true,
    },
    accepts: &[&PROGRAM],
    example: "sb.lit",
    kept: Some("repair"),
    begin: Waiting::begin,
    panel: Some(Panel {
        title: "Repair",
        stays: false,
        bare: false,
        chooses: "algorithm exploration",
        room: Room {
            name: "Repair",
            what: "the lab of repairs",
            place: Place::Panels,
            when: |app| app.is_open(ID).into(),
            load: later!(repair: Draw = || view! { <panel::Repair /> }.into_any()),
        },
    }),
    rooms: &[],
    workers: &[works!(repair_half: Inspector<RepairOpen>)],
}];
