//! All labs, a line each.

use std::rc::Rc;

use leptos::prelude::*;

use crate::app::App;
use crate::app::lab::Accepts::{self, Executions, Neither, Programs};
use crate::app::lab::{Lab, LabId};
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
    /// Which texts it is for.
    accepts: Accepts,
    /// The name under which it is kept with the session.
    kept: Option<&'static str>,
    /// Begins it.
    begin: fn(App) -> Rc<dyn Lab>,
    /// Its panel or its dialog. Those of the labs without are where they belong on the page.
    view: Option<fn() -> AnyView>,
}

const fn lab_of(id: LabId, title: &'static str, accepts: Accepts, begin: fn(App) -> Rc<dyn Lab>) -> Entry {
    Entry { id, title, class: "", accepts, kept: None, begin, view: None }
}

impl Entry {
    const fn with(self, class: &'static str, view: fn() -> AnyView) -> Self {
        Self { class, view: Some(view), ..self }
    }

    const fn kept(self, name: &'static str) -> Self {
        Self { kept: Some(name), ..self }
    }
}

const LABS: &[Entry] = &[
    lab_of(LabId::Stepping, "Steps", Programs, stepping::begin),
    lab_of(LabId::Running, "Whole exploration", Programs, running::begin),
    lab_of(LabId::Models, "All models", Programs, comparison::begin).with("models", comparison::view),
    lab_of(LabId::Why, "Why not?", Programs, why_not::begin).with("why", why_not::view),
    lab_of(LabId::Consistency, "Consistency", Executions, consistency::begin).with("check", consistency::view),
    lab_of(LabId::Beside, "Side by side", Programs, beside::begin).with("beside", beside::view).kept("beside"),
    lab_of(LabId::Lessons, "Lessons", Programs, lessons::begin).kept("scene"),
    lab_of(LabId::Quiz, "Quiz", Neither, lessons::begin_quiz),
    lab_of(LabId::Generator, "Generate", Neither, generator::begin).with("", generator::view),
    lab_of(LabId::Gallery, "Gallery", Neither, gallery::begin).with("", gallery::view),
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
    for lab in LABS {
        app.register(lab.id, lab.accepts, lab.kept, (lab.begin)(app));
    }
}

/// The panel or the dialog of a lab.
pub fn view(id: LabId) -> Option<AnyView> {
    lab(id).view.map(|view| view())
}

/// Begins the half of the role with this name.
pub fn begin_half(role: &str) -> Option<Box<dyn AnyHalf>> {
    HALVES.iter().find(|(name, _)| *name == role).map(|(_, begin)| begin())
}
