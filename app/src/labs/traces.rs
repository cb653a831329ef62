//! Whether handlers with mailboxes can take their messages in some order: of a text that is an event-driven trace.

pub mod panel;
pub mod worker;

use leptos::prelude::*;
use litmoscope::document::TRACE;
use litmoscope::traces::TraceDeciding;

use crate::app::command::{Group, key};
use crate::app::definition::{Definition, Draw, Opener, Panel, Place, Room, later, works};
use crate::app::waiting::Waiting;
use crate::worker::inspecting::Inspector;
use worker::ID;

/// What it says of itself.
pub static LABS: &[Definition] = &[Definition {
    id: ID,
    opener: Opener {
        id: "open-traces",
        title: "Traces",
        about: "Can handlers take their messages in some order?",
        group: Group::Labs,
        behind: "",
        keys: &[key("H")],
        whole: true,
        can: |_| true,
    },
    accepts: &[&TRACE],
    example: "traces/e1.trace",
    kept: Some("traces"),
    begin: Waiting::begin,
    panel: Some(Panel {
        title: "Event-driven traces",
        stays: false,
        bare: true,
        chooses: "",
        room: Room {
            name: "Traces",
            what: "the check of event-driven traces",
            place: Place::Panels,
            when: |app| app.is_open(ID).into(),
            load: later!(traces: Draw = || view! { <panel::Traces /> }.into_any()),
        },
    }),
    rooms: &[],
    workers: &[works!(traces_half: Inspector<TraceDeciding>)],
}];
