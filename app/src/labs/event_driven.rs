//! Whether handlers with mailboxes can take their messages in some order: of a text that is an event-driven trace.

mod moves;
pub mod panel;
pub mod worker;

use std::rc::Rc;

use leptos::prelude::*;
use litmoscope::document::TRACE;

use crate::app::App;
use crate::app::command::{Group, key};
use crate::app::definition::{Definition, Draw, Opener, Panel, Place, Room, later, works};
use crate::app::lab::{Lab, LabId};
use crate::worker::session::Command;

struct EventDriven {
    app: App,
}

impl Lab for EventDriven {
    fn enter(&self) {
        self.app.session.playing.set(false);
    }

    /// Through what is derived and guessed.
    fn moves(&self, command: Command, repeated: bool) -> bool {
        moves::panel().is_some_and(|panel| panel.moves(command, repeated))
    }

    fn plays(&self) -> bool {
        true
    }

    fn play(&self) {
        if let Some(panel) = moves::panel() {
            panel.play();
        }
    }

    fn stop(&self) {
        if let Some(panel) = moves::panel() {
            panel.stop();
        }
    }
}

const ID: LabId = LabId("traces");

/// What it says of itself.
pub static LABS: &[Definition] = &[Definition {
    id: ID,
    opener: Opener {
        id: "open-traces",
        title: "Traces",
        about: "Can handlers take their messages in some order? Queues against multisets, derivation by derivation.",
        group: Group::Labs,
        behind: "",
        keys: &[key("H")],
        whole: true,
        can: |_| true,
    },
    accepts: &[&TRACE],
    kept: None,
    begin,
    panel: Some(Panel {
        title: "Event-driven traces",
        stays: false,
        room: Room {
            name: "EventDriven",
            what: "the check of event-driven traces",
            place: Place::Panels,
            when: |app| app.is_open(ID).into(),
            load: later!(event_driven: Draw = || view! { <panel::EventDriven /> }.into_any()),
        },
    }),
    rooms: &[],
    workers: &[works!(event_driven_half: worker::Worker)],
}];

/// Begins.
fn begin(app: App) -> Rc<dyn Lab> {
    Rc::new(EventDriven { app })
}
