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
    /// The key of the command is held down, and this is not the first that is heard of it.
    pub held: bool,
}

impl Shell {
    /// With the columns as they were left.
    pub fn new(app: App, stage: Stage) -> Self {
        Self { app, stage, columns: Columns::load(), palette: RwSignal::new(false), held: false }
    }

    /// The shell, anywhere in the page.
    pub fn get() -> Self {
        expect_context()
    }
}
