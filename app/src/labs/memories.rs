//! Memory implementations run by hand, and whether all their runs are causally consistent: of a text that is a protocol, a machine or automata.

mod hard;
mod inquiry;
pub mod panel;
mod program;
mod run;
mod saturation;
mod table;
mod trial;
pub mod worker;

use leptos::prelude::*;
use litmoscope::document::PROTOCOL;
use litmoscope::memories::MemoryOpen;

use crate::app::command::{Group, key};
use crate::app::definition::{Definition, Draw, Opener, Panel, Place, Room, later, works};
use crate::app::waiting::Waiting;
use crate::worker::inspecting::Inspector;
use worker::ID;

/// What it says of itself.
pub static LABS: &[Definition] = &[Definition {
    id: ID,
    opener: Opener {
        id: "open-memories",
        title: "Memories",
        about: "Is each run of a cache protocol or store buffer causally consistent?",
        group: Group::Labs,
        behind: "",
        keys: &[key("M")],
        whole: true,
        can: |_| true,
    },
    accepts: &[&PROTOCOL],
    example: "protocols/m2.protocol",
    kept: Some("memories"),
    begin: Waiting::begin,
    panel: Some(Panel {
        title: "Memory implementations",
        stays: false,
        bare: true,
        chooses: "",
        room: Room {
            name: "Memories",
            what: "the check of memory implementations",
            place: Place::Panels,
            when: |app| app.is_open(ID).into(),
            load: later!(memories: Draw = || view! { <panel::Memories /> }.into_any()),
        },
    }),
    rooms: &[],
    workers: &[
        works!(memory_half: Inspector<MemoryOpen>),
        works!(memory_table_half: worker::TableWorker),
        works!(memory_program_half: worker::ProgramWorker),
    ],
}];
