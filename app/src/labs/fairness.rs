//! Fairness: who can starve, and how algorithms on sets of states find that out, step by step.

mod graph;
mod growth;
mod inquiry;
pub mod panel;
mod starve;
mod told;
pub mod worker;

use leptos::prelude::*;
use litmoscope::document::{FAIRNESS, PROGRAM};
use litmoscope::fairness::view::FairnessOpen;

use crate::app::command::{Group, key};
use crate::app::definition::{Definition, Draw, Opener, Panel, Place, Room, later, works};
use crate::app::waiting::Waiting;
use crate::worker::inspecting::Inspector;
use worker::ID;

/// What it says of itself.
pub static LABS: &[Definition] = &[Definition {
    id: ID,
    opener: Opener {
        id: "open-fairness",
        title: "Fairness",
        about: "Who can starve, though the scheduler is fair?",
        group: Group::Labs,
        behind: "",
        keys: &[key("G")],
        whole: true,
        can: |_| true,
    },
    accepts: &[&FAIRNESS, &PROGRAM],
    example: "fairness/lock.fairness",
    kept: Some("fairness"),
    begin: Waiting::begin,
    panel: Some(Panel {
        title: "Fairness",
        stays: false,
        bare: false,
        chooses: "model algorithm exploration",
        room: Room {
            name: "Fairness",
            what: "the lab of fairness",
            place: Place::Panels,
            when: |app| app.is_open(ID).into(),
            load: later!(fairness: Draw = || view! { <panel::Fairness /> }.into_any()),
        },
    }),
    rooms: &[],
    workers: &[works!(fairness_half: Inspector<FairnessOpen>)],
}];
