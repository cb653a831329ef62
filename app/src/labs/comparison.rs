//! All models compared on the program.

pub mod panel;

use std::rc::Rc;

use leptos::prelude::*;

use crate::app::App;
use crate::app::lab::Lab;

struct Models;

impl Lab for Models {}

/// Begins.
pub fn begin(_app: App) -> Rc<dyn Lab> {
    Rc::new(Models)
}

/// What is seen of it.
pub fn view() -> AnyView {
    view! { <panel::Models /> }.into_any()
}
