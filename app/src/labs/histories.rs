//! Whether each operation of a recorded history, or of a program's executions, can take effect at a single moment, between its call and its return.

pub mod code;
pub mod contradiction;
pub mod files;
pub mod inquiry;
pub mod map;
pub mod panel;
pub mod points;
pub mod rows;
pub mod steps;
pub mod timeline;
pub mod window;
pub mod worker;

use leptos::prelude::*;
use litmoscope::document::{HISTORY, PROGRAM};

use crate::app::command::{Group, key};
use crate::app::definition::{Definition, Draw, Opener, Panel, Place, Room, later, works};
use crate::app::waiting::Waiting;
use worker::ID;

/// What it says of itself.
pub static LABS: &[Definition] = &[Definition {
    id: ID,
    opener: Opener {
        id: "open-histories",
        title: "Linearizability",
        about: "Can each operation of a stack, queue or set take effect at a single moment?",
        group: Group::Labs,
        behind: "",
        keys: &[key("L")],
        whole: true,
        can: |_| true,
    },
    accepts: &[&HISTORY, &PROGRAM],
    example: "histories/s1.history",
    kept: Some("histories"),
    begin: Waiting::begin,
    panel: Some(Panel {
        title: "Linearizability",
        stays: false,
        bare: false,
        chooses: "",
        room: Room {
            name: "Linearizability",
            what: "the check of histories",
            place: Place::Panels,
            when: |app| app.is_open(ID).into(),
            load: later!(histories: Draw = || view! { <panel::Histories /> }.into_any()),
        },
    }),
    rooms: &[],
    workers: &[works!(histories_half: worker::Worker)],
}];
