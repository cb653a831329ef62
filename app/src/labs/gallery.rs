//! Named classics from the site's own files.

pub mod panel;

use std::rc::Rc;

use leptos::prelude::*;

use crate::app::App;
use crate::app::lab::Lab;

struct Gallery {
    app: App,
}

impl Lab for Gallery {
    fn open(&self) -> bool {
        self.app.dialogs.gallery.set(true);
        true
    }
}

/// Begins.
pub fn begin(app: App) -> Rc<dyn Lab> {
    Rc::new(Gallery { app })
}

/// What is seen of it.
pub fn view() -> AnyView {
    view! { <panel::Gallery /> }.into_any()
}
