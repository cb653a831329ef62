//! The labs: what can be done with a text. Each is a folder with all that is its own: what it says of itself, what it knows, its
//! panel, its worker's half, its style sheet. No lab knows another one; what they have in common is [`crate::app`].

pub mod beside;
pub mod comparison;
pub mod consistency;
pub mod fairness;
pub mod folder;
pub mod gallery;
pub mod generator;
pub mod histories;
pub mod lessons;
pub mod memories;
pub mod race;
pub mod repair;
pub mod running;
pub mod schedules;
pub mod stepping;
pub mod traces;
pub mod why_not;

use crate::app::definition::Definition;
use crate::app::lab::LabId;
use crate::app::{App, Registered};

/// What all labs say of themselves. Those in the bar stand there in this order.
static LABS: &[&[Definition]] = &[
    stepping::LABS,
    comparison::LABS,
    why_not::LABS,
    repair::LABS,
    consistency::LABS,
    traces::LABS,
    histories::LABS,
    memories::LABS,
    schedules::LABS,
    fairness::LABS,
    beside::LABS,
    race::LABS,
    folder::LABS,
    running::LABS,
    lessons::LABS,
    generator::LABS,
    gallery::LABS,
];

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
