//! Whether one execution is consistent: of the graph that is shown, or of a text that is no program.

pub mod panel;
pub mod worker;

use std::rc::Rc;

use leptos::prelude::*;
use litmoscope::document::{EXECUTION, PROGRAM, Subject};

use crate::app::App;
use crate::app::command::{Group, key};
use crate::app::definition::{Definition, Draw, Opener, Panel, Place, Room, later, works};
use crate::app::lab::{Lab, LabId};
use crate::worker::session::Command;
use panel::Inquiry;

struct Consistency {
    app: App,
    inquiry: Inquiry,
}

impl Lab for Consistency {
    fn enter(&self) {
        self.app.session.playing.set(false);
        self.inquiry.begin();
    }

    /// Through the closure.
    fn moves(&self, command: Command, _repeated: bool) -> bool {
        match command {
            Command::Forward => self.inquiry.step(true),
            Command::Back => self.inquiry.step(false),
            Command::Reset => self.inquiry.go_to(0),
            Command::Run => self.inquiry.go_to(u32::MAX),
            _ => return false,
        }
        true
    }

    fn plays(&self) -> bool {
        true
    }

    /// The execution of a program's step.
    fn shows(&self, subject: &Subject) -> bool {
        *subject == PROGRAM
    }

    fn play(&self) {
        self.inquiry.toggle_play();
    }

    fn stop(&self) {
        self.inquiry.stop();
    }
}

const ID: LabId = LabId("consistency");

/// What it says of itself.
pub static LABS: &[Definition] = &[Definition {
    id: ID,
    opener: Opener {
        id: "open-check",
        title: "Consistency",
        about: "Is this one execution consistent? Closure and search, rule by rule.",
        group: Group::Labs,
        behind: "",
        keys: &[key("h")],
        whole: true,
        can: |_| true,
    },
    accepts: &[&EXECUTION],
    example: "executions/sb.exec",
    kept: None,
    begin,
    panel: Some(Panel {
        title: "Consistency",
        stays: false,
        bare: false,
        chooses: "",
        room: Room {
            name: "Consistency",
            what: "the check for consistency",
            place: Place::Panels,
            when: |app| app.is_open(ID).into(),
            load: later!(consistency: Draw = || view! { <panel::Consistency /> }.into_any()),
        },
    }),
    rooms: &[],
    workers: &[works!(consistency_half: worker::Worker)],
}];

/// Begins.
fn begin(app: App) -> Rc<dyn Lab> {
    let inquiry = Inquiry::new();
    provide_context(inquiry);
    Rc::new(Consistency { app, inquiry })
}
