//! All labs, a line each.

use super::parts::Room;
use crate::app::App;
use crate::app::lab::LabId;
use crate::labs::{beside, comparison, consistency, gallery, generator, lessons, running, stepping, why_not};

/// A lab.
pub struct Entry {
    /// Its name.
    pub id: LabId,
    /// What its panel is called.
    pub title: &'static str,
    /// The class of its panel.
    pub class: &'static str,
    /// Begins it: it registers itself, and says which texts it is for.
    begin: fn(App),
    /// Its panel or its dialog, which is loaded when it is first opened. Those of the labs without are where they belong on the page.
    pub room: Option<Room>,
}

const LABS: &[Entry] = &[
    Entry { id: LabId::Stepping, title: "Steps", class: "", begin: stepping::begin, room: None },
    Entry { id: LabId::Running, title: "Whole exploration", class: "", begin: running::begin, room: None },
    Entry {
        id: LabId::Models,
        title: "All models",
        class: "models",
        begin: comparison::begin,
        room: Some(Room::Models),
    },
    Entry { id: LabId::Why, title: "Why not?", class: "why", begin: why_not::begin, room: Some(Room::WhyNot) },
    Entry {
        id: LabId::Consistency,
        title: "Consistency",
        class: "check",
        begin: consistency::begin,
        room: Some(Room::Consistency),
    },
    Entry { id: LabId::Beside, title: "Side by side", class: "beside", begin: beside::begin, room: Some(Room::Beside) },
    Entry { id: LabId::Lessons, title: "Lessons", class: "", begin: lessons::begin, room: None },
    Entry { id: LabId::Generator, title: "Generate", class: "", begin: generator::begin, room: Some(Room::Generator) },
    Entry { id: LabId::Gallery, title: "Gallery", class: "", begin: gallery::begin, room: Some(Room::Gallery) },
];

/// The lab of this name.
pub fn lab(id: LabId) -> &'static Entry {
    LABS.iter().find(|lab| lab.id == id).unwrap_or(&LABS[0])
}

/// Begins all labs.
pub fn begin(app: App) {
    LABS.iter().for_each(|lab| (lab.begin)(app));
}
