//! Two explorations side by side.

pub mod panel;

use std::rc::Rc;

use leptos::prelude::*;
use litmoscope::document::PROGRAM;
use litmoscope::session::link::{self, Linked};
use litmoscope::session::{Pair, Settings, ViewRequest};
use serde_json::Value;

use crate::app::App;
use crate::app::command::{Group, key};
use crate::app::definition::{Definition, Draw, Opener, Panel, Place, Room, later};
use crate::app::lab::{Lab, LabId, Link, Tab};
use crate::document::{Whose, recent};
use crate::worker::session::Command;
use panel::Beside;

struct SideBySide {
    app: App,
    beside: Beside,
}

impl SideBySide {
    /// Shows two explorations that a link or the storage has, as they were left. The one on the left is loaded already.
    fn resume_pair(&self, pair: Pair) {
        let here = self.app.document.text.get_untracked();
        self.beside.resume(pair, untrack(|| self.app.look()), recent::others(&here));
        self.app.show(Tab::Lab(ID));
    }
}

impl Lab for SideBySide {
    /// What is explored is the left one.
    fn open(&self) -> bool {
        let app = self.app;
        if untrack(|| app.steppable()) {
            app.stop();
            let position = app.session.view.with_untracked(|view| view.as_ref().map_or(0, |view| view.position));
            let settings = Settings { position, ..untrack(|| app.settings()) };
            let look = ViewRequest { narrow: true, ..untrack(|| app.look()) };
            let others = recent::others(&settings.text);
            self.beside.start(settings, look, others);
            app.show(Tab::Lab(ID));
        }
        true
    }

    /// On with the left one alone.
    fn leave(&self) {
        if let Some(pair) = self.beside.pair() {
            self.app.load(&pair.left, Whose::Readers);
        }
    }

    /// A link to two explorations.
    fn take(&self, fragment: &str) {
        if let Ok(Linked::Pair(pair)) = link::open(fragment) {
            self.app.load(&pair.left, Whose::Readers);
            self.resume_pair(*pair);
        }
    }

    fn moves(&self, command: Command, repeated: bool) -> bool {
        self.beside.command(None, command, repeated);
        true
    }

    fn stop(&self) {
        self.beside.stop();
    }

    fn lectures(&self) -> bool {
        true
    }

    fn link(&self) -> Option<Link> {
        let pair = self.beside.pair()?;
        Some(match link::encode_pair(&pair) {
            Ok(fragment) => Link {
                fragment,
                said: "Link copied: it leads to exactly these two steps, side by side. The address bar has it too.",
            },
            // Of two programs too long for one link, the left one is the page's.
            Err(_) => Link {
                fragment: link::encode(&pair.left),
                said: "Both programs together are too long for a link. The copied link leads to the left one.",
            },
        })
    }

    /// As a link in which the session's text is left out.
    fn keep(&self) -> Option<Value> {
        let mut pair = self.beside.pair()?;
        if pair.right.text == pair.left.text {
            pair.right.text = String::new();
        }
        pair.left.text = String::new();
        link::encode_pair(&pair).ok().map(Value::String)
    }

    fn resume(&self, kept: &Value) {
        let Some(Ok(Linked::Pair(mut pair))) = kept.as_str().map(link::open) else { return };
        let text = self.app.document.text.get_untracked();
        pair.left.text.clone_from(&text);
        if pair.right.text.is_empty() {
            pair.right.text = text;
        }
        self.resume_pair(*pair);
    }

    fn track(&self) {
        self.beside.track();
    }
}

const ID: LabId = LabId("beside");

/// What it says of itself.
pub static LABS: &[Definition] = &[Definition {
    id: ID,
    opener: Opener {
        id: "open-beside",
        title: "Side by side",
        about: "Two explorations together, under two models or by two algorithms.",
        group: Group::Labs,
        behind: "",
        keys: &[key("b")],
        whole: true,
        can: |_| true,
    },
    accepts: &[&PROGRAM],
    example: "sb.lit",
    kept: Some("beside"),
    begin,
    panel: Some(Panel {
        title: "Side by side",
        stays: false,
        bare: false,
        chooses: "model algorithm",
        room: Room {
            name: "Beside",
            what: "two explorations side by side",
            place: Place::Panels,
            when: |app| app.is_open(ID).into(),
            load: later!(beside: Draw = || view! { <panel::SideBySide /> }.into_any()),
        },
    }),
    rooms: &[],
    workers: &[],
}];

/// Begins.
fn begin(app: App) -> Rc<dyn Lab> {
    let beside = Beside::new(app.is_open(ID));
    provide_context(beside);
    Rc::new(SideBySide { app, beside })
}
