//! Safe schedules: a set of schedules under which every run is proven right, which grows while one watches; and programs that run under it.

pub mod finite;
mod inquiry;
mod lanes;
pub mod panel;
pub mod run;
mod timeline;
mod told;
pub mod worker;
mod workers;

use leptos::prelude::*;
use litmoscope::document::PROGRAM;
use litmoscope::schedules::view::finite::FiniteOpen;
use litmoscope::schedules::view::run::RunOpen;

use crate::app::command::{Group, key};
use crate::app::definition::{Definition, Draw, Opener, Panel, Place, Room, later, works};
use crate::app::waiting::Waiting;
use crate::worker::inspecting::Inspector;
use worker::ID;

/// What it says of itself.
pub static LABS: &[Definition] = &[Definition {
    id: ID,
    opener: Opener {
        id: "open-schedules",
        title: "Schedules",
        about: "Under which schedules is a program that runs for ever proven right?",
        group: Group::Labs,
        behind: "",
        keys: &[key("V")],
        whole: true,
        can: |_| true,
    },
    accepts: &[&PROGRAM],
    example: "schedules/pc-err-2.lit",
    kept: Some("schedules"),
    begin: Waiting::begin,
    panel: Some(Panel {
        title: "Safe schedules",
        stays: false,
        bare: false,
        chooses: "model algorithm exploration",
        room: Room {
            name: "Schedules",
            what: "the lab of safe schedules",
            place: Place::Panels,
            when: |app| app.is_open(ID).into(),
            load: later!(schedules: Draw = || view! { <panel::Schedules /> }.into_any()),
        },
    }),
    rooms: &[],
    workers: &[
        works!(schedule_half: worker::Worker),
        works!(schedule_run_half: Inspector<RunOpen>),
        works!(schedule_finite_half: Inspector<FiniteOpen>),
    ],
}];
