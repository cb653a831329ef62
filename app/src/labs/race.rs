//! The race: algorithms explore the same programs, size by size.

pub mod classes;
pub mod panel;
pub mod plots;
pub mod series;
pub mod tables;
pub mod worker;

use std::rc::Rc;

use leptos::prelude::*;
use litmoscope::document::{PROGRAM, SERIES};

use crate::app::App;
use crate::app::command::{Group, key};
use crate::app::definition::{Definition, Draw, Opener, Panel, Place, Room, later, works};
use crate::app::lab::{Lab, LabId};
use panel::Stop;

struct Race {
    stop: Stop,
}

impl Lab for Race {
    fn stop(&self) {
        self.stop.0.update(|stops| *stops += 1);
    }
}

const ID: LabId = LabId("race");

/// What it says of itself.
pub static LABS: &[Definition] = &[Definition {
    id: ID,
    opener: Opener {
        id: "open-race",
        title: "Race",
        about: "Which algorithm explores the fewest executions, and which is fastest?",
        group: Group::Labs,
        behind: "",
        keys: &[key("R")],
        whole: true,
        can: |_| true,
    },
    accepts: &[&SERIES, &PROGRAM],
    example: "sb.lit",
    kept: None,
    begin,
    panel: Some(Panel {
        title: "Race",
        stays: false,
        bare: false,
        chooses: "algorithm",
        room: Room {
            name: "Race",
            what: "the race",
            place: Place::Panels,
            when: |app| app.is_open(ID).into(),
            load: later!(race: Draw = || view! { <panel::Race /> }.into_any()),
        },
    }),
    rooms: &[],
    workers: &[works!(race_half: worker::Worker)],
}];

/// Begins.
fn begin(_app: App) -> Rc<dyn Lab> {
    let stop = Stop(RwSignal::new(0));
    provide_context(stop);
    Rc::new(Race { stop })
}
