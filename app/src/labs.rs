//! The labs: what can be done with a text. Each is a folder with all that is its own: what it says of itself, what it knows, its
//! panel, its worker's half, its style sheet. No lab knows another one; what they have in common is [`crate::app`].

use crate::app::definition::Definition;
use crate::app::lab::LabId;
use crate::app::{App, Registered};

macro_rules! labs {
    ($($folder:ident,)*) => {
        $(pub mod $folder;)*

        /// What all labs say of themselves.
        static LABS: &[&[Definition]] = &[$($folder::LABS),*];
    };
}

// Those in the bar stand there in this order.
labs! {
    stepping,
    comparison,
    why_not,
    consistency,
    traces,
    linearizability,
    memories,
    beside,
    race,
    folder,
    running,
    lessons,
    generator,
    gallery,
}

/// All labs.
pub fn all() -> impl Iterator<Item = &'static Definition> {
    LABS.iter().copied().flatten()
}

/// The lab of this name.
pub fn named(id: LabId) -> &'static Definition {
    all().find(|lab| lab.id == id).unwrap_or(&stepping::LABS[0])
}

/// Begins all labs.
pub fn begin(app: App) {
    for &Definition { id, accepts, kept, ref panel, begin, .. } in all() {
        app.register(Registered { id, accepts, kept, has_panel: panel.is_some(), lab: begin(app) });
    }
}
