//! One exploration, step by step: buttons, the graph and other views of the execution, the step in words, the tree, results.

pub mod card;
pub mod controls;
pub mod explanation;
pub mod graph;
pub mod outcomes;
pub mod reading;
pub mod tree;
pub mod views;

use std::rc::Rc;

use leptos::prelude::*;
use litmoscope::document::PROGRAM;

use crate::app::command::Group;
use crate::app::definition::{Definition, Draw, Opener, Place, Room, later};
use crate::app::lab::{Lab, LabId};
use crate::app::{App, Event};
use crate::worker::session::Command;
use reading::Reading;
use tree::look::TreeLook;

struct Stepping {
    app: App,
}

impl Lab for Stepping {
    fn moves(&self, command: Command, repeated: bool) -> bool {
        // A key held down makes the next step when the last one is there.
        if !repeated || !self.app.session.working.get_untracked() {
            self.app.command(command);
        }
        true
    }

    fn plays(&self) -> bool {
        true
    }

    fn play(&self) {
        self.app.toggle_play();
    }
}

/// What it says of itself.
pub static LABS: &[Definition] = &[Definition {
    id: LabId::STEPPING,
    opener: Opener {
        id: "stepping",
        title: "Stepping",
        about: "One exploration, step by step: each choice of the algorithm as it makes it.",
        group: Group::Labs,
        behind: "",
        keys: &[],
        whole: true,
        can: |_| true,
    },
    accepts: &[&PROGRAM],
    example: "sb.lit",
    kept: None,
    begin,
    panel: None,
    rooms: &[Room {
        name: "Copies",
        what: "the list of copies",
        place: Place::Above,
        when: |app| app.dialogs.copying.into(),
        load: later!(sharing: Draw = || view! { <views::CopyAs /> }.into_any()),
    }],
    workers: &[],
}];

/// Begins.
fn begin(app: App) -> Rc<dyn Lab> {
    let (reading, tree) = (Reading::new(app), TreeLook::new(app));
    provide_context(reading);
    provide_context(tree);
    reading::listen(app, reading);
    app.on(move |event| {
        if matches!(event, Event::Opening) {
            tree.forget();
        }
    });
    Rc::new(Stepping { app })
}
