//! All models compared on the program.

pub mod panel;

use std::rc::Rc;

use leptos::prelude::*;

use crate::app::App;
use crate::app::lab::{Accepts, Lab, LabId};

struct Models;

impl Lab for Models {}

/// Begins.
pub fn begin(app: App) {
    app.register(LabId::Models, Accepts::Programs, None, Rc::new(Models));
}

/// What is seen of it.
pub fn view() -> AnyView {
    view! { <panel::Models /> }.into_any()
}
