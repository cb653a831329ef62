//! Named classics from the site's own files.

pub mod panel;

use std::rc::Rc;

use leptos::prelude::*;

use crate::app::App;
use crate::app::command::Group;
use crate::app::definition::{Definition, Draw, Opener, Place, Room, later};
use crate::app::lab::{Lab, LabId};
use panel::{Open, Search};

struct Gallery {
    open: Open,
}

impl Lab for Gallery {
    fn open(&self) -> bool {
        self.open.0.set(true);
        true
    }
}

const ID: LabId = LabId("gallery");

/// What it says of itself.
pub static LABS: &[Definition] = &[Definition {
    id: ID,
    opener: Opener {
        id: "open-gallery",
        title: "Gallery",
        about: "Classic litmus tests and algorithms, each with what it teaches.",
        group: Group::Open,
        behind: "",
        keys: &[],
        whole: true,
        can: |_| true,
    },
    accepts: &[],
    example: "",
    kept: None,
    begin,
    panel: None,
    rooms: &[Room {
        name: "Gallery",
        what: "the gallery",
        place: Place::Above,
        when: |_| Open::get().0.into(),
        load: later!(gallery: Draw = || view! { <panel::Gallery /> }.into_any()),
    }],
    workers: &[],
}];

/// Begins.
fn begin(_app: App) -> Rc<dyn Lab> {
    let open = Open(RwSignal::new(false));
    provide_context(open);
    provide_context(Search::default());
    Rc::new(Gallery { open })
}
