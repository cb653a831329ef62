//! Many tests at once: those of a folder or an archive that is dropped onto the page, as a table; each can be opened.

mod files;
pub mod panel;
pub mod trial;
pub mod worker;

use std::cell::RefCell;
use std::rc::Rc;

use leptos::prelude::*;

use crate::app::App;
use crate::app::command::{Group, key};
use crate::app::definition::{Definition, Draw, Opener, Panel, Place, Room, later, works};
use crate::app::lab::{Lab, LabId, Tab};
use crate::browser::{self, Dropped};

thread_local! {
    /// What was dropped and is not looked at yet. A signal of its own type would be in the first file of the page.
    static DROPPED: RefCell<Option<Dropped>> = const { RefCell::new(None) };
}

/// How often something was dropped, and the lab was told to stop.
#[derive(Clone, Copy)]
pub struct Intake {
    drops: RwSignal<u32>,
    stops: RwSignal<u32>,
}

impl Intake {
    /// What was dropped since this was asked last.
    fn dropped(self) -> Option<Dropped> {
        self.drops.track();
        DROPPED.take()
    }
}

struct Tests {
    intake: Intake,
}

impl Lab for Tests {
    fn stop(&self) {
        self.intake.stops.update(|stops| *stops += 1);
    }
}

const ID: LabId = LabId("tests");

/// What it says of itself.
pub static LABS: &[Definition] = &[Definition {
    id: ID,
    opener: Opener {
        id: "open-tests",
        title: "Tests",
        about: "All tests of a folder or an archive in a table, compared with what herd or litmus printed.",
        group: Group::Labs,
        behind: "",
        keys: &[key("F")],
        whole: true,
        can: |_| true,
    },
    accepts: &[],
    kept: None,
    begin,
    panel: Some(Panel {
        title: "Tests",
        stays: false,
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

/// Begins, and takes folders, archives and several files that are dropped onto the page. One file alone is for others.
fn begin(app: App) -> Rc<dyn Lab> {
    let intake = Intake { drops: RwSignal::new(0), stops: RwSignal::new(0) };
    provide_context(intake);
    let _ = window_event_listener(leptos::ev::drop, move |event| {
        if !browser::drags_files(&event) || browser::embedded() {
            return;
        }
        let dropped = Dropped::of(&event);
        if dropped.alone().is_none() {
            event.prevent_default();
            DROPPED.set(Some(dropped));
            intake.drops.update(|drops| *drops += 1);
            app.show(Tab::Lab(ID));
        }
    });
    Rc::new(Tests { intake })
}
