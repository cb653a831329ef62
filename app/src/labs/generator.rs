//! Tests from cycles of edges.

pub mod panel;

use std::rc::Rc;

use leptos::prelude::*;

use crate::app::App;
use crate::app::command::{Group, key};
use crate::app::definition::{Definition, Draw, Opener, Place, Room, later};
use crate::app::lab::{Lab, LabId};
use panel::Open;

struct Generator {
    open: Open,
}

impl Lab for Generator {
    fn open(&self) -> bool {
        self.open.0.set(true);
        true
    }
}

const ID: LabId = LabId("generator");

/// What it says of itself.
pub static LABS: &[Definition] = &[Definition {
    id: ID,
    opener: Opener {
        id: "open-cycle",
        title: "Generate",
        about: "A litmus test, made from a cycle of edges.",
        group: Group::Open,
        behind: "open-recent",
        keys: &[key("c")],
        whole: true,
        can: |_| true,
    },
    accepts: &[],
    example: "",
    kept: None,
    begin,
    panel: None,
    rooms: &[Room {
        name: "Generator",
        what: "the generator of tests",
        place: Place::Above,
        when: |_| Open::get().0.into(),
        load: later!(generator: Draw = || view! { <panel::CycleBuilder /> }.into_any()),
    }],
    workers: &[],
}];

/// Begins.
fn begin(_app: App) -> Rc<dyn Lab> {
    let open = Open(RwSignal::new(false));
    provide_context(open);
    Rc::new(Generator { open })
}
