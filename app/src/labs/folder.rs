//! Many tests at once: those of a folder or an archive that is dropped onto the page, as a table; each can be opened.

mod files;
pub mod intake;
pub mod panel;
pub mod trial;
pub mod worker;

use std::rc::Rc;

use leptos::prelude::*;

use crate::app::App;
use crate::app::command::{Group, key};
use crate::app::definition::{Definition, Draw, Opener, Panel, Place, Room, later, works};
use crate::app::lab::Lab;
use intake::{ID, Intake};

struct Tests {
    intake: Intake,
}

impl Lab for Tests {
    fn stop(&self) {
        self.intake.stops.update(|stops| *stops += 1);
    }
}

/// What it says of itself.
pub static LABS: &[Definition] = &[Definition {
    id: ID,
    opener: Opener {
        id: "open-tests",
        title: "Tests",
        about: "A folder or an archive of tests, compared with what herd printed.",
        group: Group::Labs,
        behind: "",
        keys: &[key("F")],
        whole: true,
        can: |_| true,
    },
    accepts: &[],
    example: "",
    kept: None,
    begin,
    panel: Some(Panel {
        title: "Tests",
        stays: false,
        bare: false,
        chooses: "",
        room: Room {
            name: "Tests",
            what: "the table of tests",
            place: Place::Panels,
            when: |app| app.is_open(ID).into(),
            load: later!(folder: Draw = || view! { <panel::Tests /> }.into_any()),
        },
    }),
    rooms: &[],
    workers: &[works!(folder_half: worker::Worker), works!(folder_trial_half: trial::Worker)],
}];

/// Begins.
fn begin(app: App) -> Rc<dyn Lab> {
    let intake = Intake::begin(app);
    provide_context(intake);
    Rc::new(Tests { intake })
}
