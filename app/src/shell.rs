//! What is around the labs: what the page can do, its keys, the bar at the top, the palette, the columns, the line at the
//! bottom.

pub mod bar;
pub mod columns;
pub mod commands;
pub mod fuzzy;
pub mod labs;
pub mod palette;
pub mod status;

use leptos::prelude::*;
use web_sys::Element;

use crate::graph::Stage;
use crate::state::App;
use columns::Columns;

/// What commands act on.
#[derive(Clone, Copy)]
pub struct Shell {
    /// What the page knows.
    pub app: App,
    /// The drawing of the execution.
    pub stage: Stage,
    /// The columns beside it.
    pub columns: Columns,
    /// The palette is open.
    pub palette: RwSignal<bool>,
    /// The keyboard was used to go somewhere, and no pointer since.
    pub by_keyboard: StoredValue<bool>,
    /// The key of the command is held down, and this is not the first that is heard of it.
    pub held: bool,
}

impl Shell {
    /// With the columns as they were left.
    pub fn new(app: App, stage: Stage) -> Self {
        Self {
            app,
            stage,
            columns: Columns::load(),
            palette: RwSignal::new(false),
            by_keyboard: StoredValue::new(false),
            held: false,
        }
    }

    /// The shell, anywhere in the page.
    pub fn get() -> Self {
        expect_context()
    }
}

fn set(element: &Element, name: &str, value: &str) {
    let _ = element.set_attribute(name, value);
}

/// Adds an element with a text to another one.
fn add(parent: &Element, name: &str, class: &str, text: &str) -> Option<Element> {
    let element = document().create_element(name).ok()?;
    if !class.is_empty() {
        element.set_class_name(class);
    }
    element.set_text_content(Some(text));
    parent.append_child(&element).ok()?;
    Some(element)
}
