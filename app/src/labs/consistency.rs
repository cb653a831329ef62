//! Whether one execution is consistent: of the graph that is shown, or of a text that is no program.

pub mod panel;
pub mod worker;

use std::rc::Rc;

use leptos::prelude::*;

use crate::app::App;
use crate::app::lab::Lab;
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

    fn play(&self) {
        self.inquiry.toggle_play();
    }

    fn stop(&self) {
        self.inquiry.stop();
    }
}

/// Begins.
pub fn begin(app: App) -> Rc<dyn Lab> {
    let inquiry = Inquiry::new();
    provide_context(inquiry);
    Rc::new(Consistency { app, inquiry })
}

/// What is seen of it.
pub fn view() -> AnyView {
    view! { <panel::Consistency /> }.into_any()
}
