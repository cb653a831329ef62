//! Whether one execution is consistent: of the graph that is shown, or of a text that is no program.

pub mod panel;
pub mod worker;

use std::rc::Rc;

use leptos::prelude::*;

use crate::app::App;
use crate::app::lab::Lab;
use crate::worker::session::Command;
use panel::Check;

struct Consistency {
    app: App,
    check: Check,
}

impl Lab for Consistency {
    fn enter(&self) {
        self.app.session.playing.set(false);
        self.check.begin();
    }

    /// Through the closure.
    fn moves(&self, command: Command, _repeated: bool) -> bool {
        match command {
            Command::Forward => self.check.step(true),
            Command::Back => self.check.step(false),
            Command::Reset => self.check.go_to(0),
            Command::Run => self.check.go_to(u32::MAX),
            _ => return false,
        }
        true
    }

    fn plays(&self) -> bool {
        true
    }

    fn play(&self) {
        self.check.toggle_play();
    }

    fn stop(&self) {
        self.check.stop();
    }
}

/// Begins.
pub fn begin(app: App) -> Rc<dyn Lab> {
    let check = Check::new();
    provide_context(check);
    Rc::new(Consistency { app, check })
}

/// What is seen of it.
pub fn view() -> AnyView {
    view! { <panel::Consistency /> }.into_any()
}
