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

use crate::app::lab::Lab;
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

/// Begins.
pub fn begin(app: App) -> Rc<dyn Lab> {
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
