//! What commands act on.

use leptos::prelude::*;

use super::columns::Columns;
use super::recent::Keeper;
use crate::app::App;
use crate::labs::lessons::asking::Quiz;
use crate::labs::lessons::scenes::Scenes;
use crate::labs::stepping::reading::Reading;
use crate::labs::stepping::tree::look::TreeLook;
use crate::ui::scene::camera::Stage;

/// What commands act on.
#[derive(Clone, Copy)]
pub struct Shell {
    /// What all labs have in common.
    pub app: App,
    /// The drawing of the execution.
    pub stage: Stage,
    /// The columns beside it.
    pub columns: Columns,
    /// Keeps the session.
    pub keeper: Keeper,
    /// What is asked of the graph.
    pub reading: Reading,
    /// How the tree is looked at.
    pub tree: TreeLook,
    /// What a lecturer has arranged to be shown.
    pub scenes: Scenes,
    /// What is asked, if anything.
    pub quiz: Quiz,
    /// The palette is open.
    pub palette: RwSignal<bool>,
    /// The keyboard was used to go somewhere, and no pointer since.
    pub by_keyboard: StoredValue<bool>,
    /// The key of the command is held down, and this is not the first that is heard of it.
    pub held: bool,
}

impl Shell {
    /// With the columns as they were left.
    pub fn new(app: App, stage: Stage, keeper: Keeper) -> Self {
        Self {
            app,
            stage,
            columns: Columns::load(),
            keeper,
            reading: Reading::get(),
            tree: TreeLook::get(),
            scenes: Scenes::get(),
            quiz: Quiz::get(),
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
