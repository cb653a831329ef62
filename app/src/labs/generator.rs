//! Tests from cycles of edges.

pub mod panel;

use std::rc::Rc;

use leptos::prelude::*;

use crate::app::App;
use crate::app::lab::{Accepts, Lab, LabId};

struct Generator {
    app: App,
}

impl Lab for Generator {
    fn open(&self) -> bool {
        self.app.dialogs.cycle.set(true);
        true
    }
}

/// Begins.
pub fn begin(app: App) {
    app.register(LabId::Generator, Accepts::Neither, None, Rc::new(Generator { app }));
}

/// What is seen of it.
pub fn view() -> AnyView {
    view! { <panel::CycleBuilder /> }.into_any()
}
