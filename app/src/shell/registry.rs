//! All labs, a line each.

use std::rc::Rc;

use litmoscope::document::{EXECUTION, PROGRAM};

use super::parts::Room;
use crate::app::App;
use crate::app::lab::{Accepts, Lab, LabId};
use crate::labs::{beside, comparison, consistency, gallery, generator, lessons, running, stepping, why_not};

const PROGRAMS: Accepts = Some(&PROGRAM);
const EXECUTIONS: Accepts = Some(&EXECUTION);

/// A lab.
pub struct Entry {
    /// Its name.
    pub id: LabId,
    /// The command that opens it: its title, keys and help are that one's.
    pub command: &'static str,
    /// What its panel is called, and the panel's class, if it has one.
    pub panel: (&'static str, &'static str),
    /// Which texts it is for.
    accepts: Accepts,
    /// The name under which it is kept with the session.
    kept: Option<&'static str>,
    /// Begins it.
    begin: fn(App) -> Rc<dyn Lab>,
    /// Its panel, which is loaded when it is first opened. Those of the labs without are where they belong on the page.
    pub room: Option<Room>,
}

const fn entry(id: LabId, command: &'static str, accepts: Accepts, begin: fn(App) -> Rc<dyn Lab>) -> Entry {
    Entry { id, command, panel: ("", ""), accepts, kept: None, begin, room: None }
}

impl Entry {
    const fn panel(self, title: &'static str, class: &'static str) -> Self {
        Self { panel: (title, class), ..self }
    }

    const fn seen(self, room: Room) -> Self {
        Self { room: Some(room), ..self }
    }

    const fn kept(self, name: &'static str) -> Self {
        Self { kept: Some(name), ..self }
    }
}

/// Those of which one is open, in the order of the bar.
pub static LABS: &[Entry] = &[
    entry(LabId::Stepping, "stepping", PROGRAMS, stepping::begin),
    entry(LabId::Models, "models", PROGRAMS, comparison::begin).panel("All models", "models").seen(Room::Models),
    entry(LabId::Why, "open-why", PROGRAMS, why_not::begin).panel("Why not?", "why").seen(Room::WhyNot),
    entry(LabId::Consistency, "open-check", EXECUTIONS, consistency::begin)
        .panel("Consistency", "check")
        .seen(Room::Consistency),
    entry(LabId::Beside, "open-beside", PROGRAMS, beside::begin)
        .panel("Side by side", "beside")
        .seen(Room::Beside)
        .kept("beside"),
];

/// Those that are beside whichever is open.
static OTHERS: &[Entry] = &[
    entry(LabId::Running, "run-all", PROGRAMS, running::begin),
    entry(LabId::Lessons, "open-lessons", PROGRAMS, lessons::begin).kept("scene"),
    entry(LabId::Quiz, "open-quiz", None, lessons::begin_quiz),
    entry(LabId::Generator, "open-cycle", None, generator::begin),
    entry(LabId::Gallery, "open-gallery", None, gallery::begin),
];

fn all() -> impl Iterator<Item = &'static Entry> {
    LABS.iter().chain(OTHERS)
}

/// The lab of this name.
pub fn lab(id: LabId) -> &'static Entry {
    all().find(|lab| lab.id == id).unwrap_or(&LABS[0])
}

/// Begins all labs.
pub fn begin(app: App) {
    for lab in all() {
        app.register(lab.id, lab.accepts, lab.kept, (lab.begin)(app));
    }
}
