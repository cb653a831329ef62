//! What a lab is to the rest of the page: a name, and what it can be asked for. No lab knows another one.
//!
//! What is meant for another lab goes through `App`, by that lab's name: `show` opens its panel, `toggle` does what its key
//! does, `ask_there` hands it a text, as the results do with an outcome for "Why?". One lab is open at a time. It is asked for
//! moves by keys and presenters, for the link to what it shows, for what to keep with the session, and to stop. What happens to
//! the page, as that another session is opened, it hears by `App::on`.
//!
//! What a lab shows of a text (a step, a part of a timeline, points) is a JSON value of its own, which `Lab::keep` and
//! `Lab::resume` give and take. It is kept with the session under the lab's name, and a link of version 4 has it beside the
//! session. Nobody else reads it.

use litmoscope::document::Subject;
use serde_json::Value;

use crate::worker::session::Command;

/// The name of a lab, which never changes: sessions are kept with it, style sheets know it as the body's `data-lab`, and whoever
/// wants something of the lab calls it so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LabId(pub &'static str);

impl LabId {
    /// The lab in which one exploration is stepped through, whose place the others take.
    pub const STEPPING: Self = Self("stepping");
}

/// The panels that a small screen shows one at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tab {
    /// Text, model and algorithm.
    Program,
    /// Graph and explanation.
    #[default]
    Graph,
    /// The exploration tree.
    Tree,
    /// Outcomes, faults and counts.
    Results,
    /// The panel of a lab that takes the place of the steps.
    Lab(LabId),
}

impl Tab {
    /// Its name, which never changes: sessions are kept with it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Program => "program",
            Self::Graph => "graph",
            Self::Tree => "tree",
            Self::Results => "results",
            Self::Lab(id) => id.0,
        }
    }

    /// The lab that it is a panel of; the program is there for all of them.
    pub fn lab(self) -> Option<LabId> {
        match self {
            Self::Program => None,
            Self::Graph | Self::Tree | Self::Results => Some(LabId::STEPPING),
            Self::Lab(id) => Some(id),
        }
    }
}

/// What a lab's texts are about: of the labs for a subject, the first is shown when the text is about that. Nothing if it does
/// not look at the text.
pub type Accepts = &'static [&'static Subject];

/// A link to what a lab shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The address' fragment.
    pub fragment: String,
    /// What is said when it was copied.
    pub said: &'static str,
}

/// A lab, as the rest of the page speaks to it. Only one at a time is open, and is asked for moves.
pub trait Lab {
    /// Opens it by its key or its button; whether it does so itself, rather than by its panel being shown.
    fn open(&self) -> bool {
        false
    }

    /// Its panel is about to be shown.
    fn enter(&self) {}

    /// Its key or its button was pressed while it was open: the steps are shown next.
    fn leave(&self) {}

    /// Something that is for it comes from elsewhere, as a text.
    fn take(&self, _what: &str) {}

    /// A move by a key or a presenter; whether it made one. Of a key held down, all but the first are `repeated`.
    fn moves(&self, _command: Command, _repeated: bool) -> bool {
        false
    }

    /// Whether it can make moves by itself.
    fn plays(&self) -> bool {
        false
    }

    /// Whether it shows something of texts about that, though it is not for them.
    fn shows(&self, _subject: &Subject) -> bool {
        false
    }

    /// Starts or ends that.
    fn play(&self) {}

    /// Ends what goes on.
    fn stop(&self) {}

    /// It stays as it is where a lecture begins, and says itself where it stands.
    fn lectures(&self) -> bool {
        false
    }

    /// The link to what it shows, if that is another one than the link to the step.
    fn link(&self) -> Option<Link> {
        None
    }

    /// What is kept of it with the session.
    fn keep(&self) -> Option<Value> {
        None
    }

    /// Shows what was kept; of an empty object, the text's beginning.
    fn resume(&self, _kept: &Value) {}

    /// Runs an effect again when what is kept may have changed.
    fn track(&self) {}
}
