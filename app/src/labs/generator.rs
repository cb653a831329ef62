//! Tests from cycles of edges.

pub mod panel;

use std::rc::Rc;

use leptos::prelude::*;

use crate::app::App;
use crate::app::lab::Lab;

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
pub fn begin(app: App) -> Rc<dyn Lab> {
    Rc::new(Generator { app })
}

/// What is seen of it.
pub fn view() -> AnyView {
    view! { <panel::CycleBuilder /> }.into_any()
}
