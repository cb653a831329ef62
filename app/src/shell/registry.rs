//! All labs, a line each.

use leptos::prelude::*;

use crate::app::App;
use crate::app::lab::LabId;
use crate::labs::{beside, comparison, consistency, gallery, generator, lessons, running, stepping, why_not};
use crate::worker::comparing;
use crate::worker::host::{self, AnyHalf};
use crate::worker::session;

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
    /// Its panel or its dialog. Those of the labs without are where they belong on the page.
    view: Option<fn() -> AnyView>,
}

const LABS: &[Entry] = &[
    Entry { id: LabId::Stepping, title: "Steps", class: "", begin: stepping::begin, view: None },
    Entry { id: LabId::Running, title: "Whole exploration", class: "", begin: running::begin, view: None },
    Entry {
        id: LabId::Models,
        title: "All models",
        class: "models",
        begin: comparison::begin,
        view: Some(comparison::view),
    },
    Entry { id: LabId::Why, title: "Why not?", class: "why", begin: why_not::begin, view: Some(why_not::view) },
    Entry {
        id: LabId::Consistency,
        title: "Consistency",
        class: "check",
        begin: consistency::begin,
        view: Some(consistency::view),
    },
    Entry { id: LabId::Beside, title: "Side by side", class: "beside", begin: beside::begin, view: Some(beside::view) },
    Entry { id: LabId::Lessons, title: "Lessons", class: "", begin: lessons::begin, view: None },
    Entry { id: LabId::Generator, title: "Generate", class: "", begin: generator::begin, view: Some(generator::view) },
    Entry { id: LabId::Gallery, title: "Gallery", class: "", begin: gallery::begin, view: Some(gallery::view) },
];

/// The halves of roles that work in workers.
const HALVES: &[(&str, host::Begin)] = &[
    half::<session::Worker>(),
    half::<comparing::Worker>(),
    half::<why_not::worker::Worker>(),
    half::<consistency::worker::Worker>(),
    half::<running::sharing::Worker>(),
    half::<running::walking::Worker>(),
];

const fn half<H: host::Half>() -> (&'static str, host::Begin) {
    (<H::Role as crate::worker::wire::Role>::NAME, host::begin::<H>)
}

/// The lab of this name.
pub fn lab(id: LabId) -> &'static Entry {
    LABS.iter().find(|lab| lab.id == id).unwrap_or(&LABS[0])
}

/// Begins all labs.
pub fn begin(app: App) {
    LABS.iter().for_each(|lab| (lab.begin)(app));
}

/// The panel or the dialog of a lab.
pub fn view(id: LabId) -> Option<AnyView> {
    lab(id).view.map(|view| view())
}

/// Begins the half of the role with this name.
pub fn begin_half(role: &str) -> Option<Box<dyn AnyHalf>> {
    HALVES.iter().find(|(name, _)| *name == role).map(|(_, begin)| begin())
}
