//! What a lab says of itself, in its folder: with that, and a line in the list of all labs, it is on the page.
//!
//! What is seen of it and what works for it in workers is loaded later, so a definition has only the functions that load that:
//! what a definition can reach itself is loaded with the page.

use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;

use leptos::prelude::*;
pub use wasm_split_helpers::SplitLoaderError;

use super::App;
use super::command::{Group, Key};
use super::lab::{Accepts, Lab, LabId};
use crate::worker::host::Begin;

/// Something on its way.
pub type Coming<T> = Pin<Box<dyn Future<Output = Result<T, SplitLoaderError>>>>;

/// Draws what was loaded.
pub type Draw = fn() -> AnyView;

/// How something is loaded.
pub struct Load<T: 'static> {
    /// The part of the page's module that it is in.
    pub part: &'static str,
    /// Loads it.
    pub begin: fn() -> Coming<T>,
}

/// How something of a part of the page's module is loaded: `later!(part: type = what)`. `site/` cuts the module here: what only
/// `what` reaches is in the part.
macro_rules! later {
    ($part:ident: $kind:ty = $what:expr) => {{
        #[wasm_split_helpers::wasm_split($part, fallible)]
        fn load() -> Result<$kind, $crate::app::definition::SplitLoaderError> {
            Ok($what)
        }
        $crate::app::definition::Load::<$kind> { part: stringify!($part), begin: || Box::pin(load()) }
    }};
}
pub(crate) use later;

/// What works in a worker, in a part of the module: `works!(part: half)`.
macro_rules! works {
    ($part:ident: $half:ty) => {
        $crate::app::definition::Works {
            role: <<$half as $crate::worker::host::Half>::Role as $crate::worker::wire::Role>::NAME,
            load: $crate::app::definition::later!(
                $part: $crate::worker::host::Begin = $crate::worker::host::begin::<$half>
            ),
        }
    };
}
pub(crate) use works;

/// Something of the page that is loaded when it is first needed.
pub struct Room {
    /// Its name for tests.
    pub name: &'static str,
    /// What readers call it.
    pub what: &'static str,
    /// Where it is.
    pub place: Place,
    /// Whether it is needed now.
    pub when: fn(App) -> Signal<bool>,
    /// How it is loaded.
    pub load: Load<Draw>,
}

/// Where on the page something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Among the panels.
    Panels,
    /// Above all of them.
    Above,
}

/// The half of a role that works in a worker, loaded when one begins.
pub struct Works {
    /// The role.
    pub role: &'static str,
    /// How it is loaded.
    pub load: Load<Begin>,
}

/// The panel of a lab that takes the place of the steps.
pub struct Panel {
    /// What it is called.
    pub title: &'static str,
    /// It is shown again when the session is resumed.
    pub stays: bool,
    /// It has something for readers who have no text for it.
    pub bare: bool,
    /// Of `model`, `algorithm` and `exploration`, those that it chooses itself, by their names: what the program is explored with says nothing
    /// in it. With the last of them, it explores nothing.
    pub chooses: &'static str,
    /// What is in it.
    pub room: Room,
}

/// The command that opens a lab. It goes back to the steps if the lab has a panel that is open.
pub struct Opener {
    /// Its name, and that of its button.
    pub id: &'static str,
    /// What it is called.
    pub title: &'static str,
    /// What the lab is for, in a short sentence.
    pub about: &'static str,
    /// What it is about. Labs stand in the bar, others in the menus of their groups.
    pub group: Group,
    /// The command of the group behind which it stands; the first, if there is none.
    pub behind: &'static str,
    /// Its keys.
    pub keys: &'static [Key],
    /// A part of the page in another one has no place for it.
    pub whole: bool,
    /// Whether it can be done now.
    pub can: fn(App) -> bool,
}

/// A lab.
pub struct Definition {
    /// Its name.
    pub id: LabId,
    /// What opens it.
    pub opener: Opener,
    /// Which texts it is for.
    pub accepts: Accepts,
    /// The smallest example of such a text, a file of the site; empty if it does not look at the text.
    pub example: &'static str,
    /// The name under which it is kept with the session, if it is.
    pub kept: Option<&'static str>,
    /// Begins it.
    pub begin: fn(App) -> Rc<dyn Lab>,
    /// Its panel, if it takes the place of the steps.
    pub panel: Option<Panel>,
    /// What else is seen of it: its dialogs.
    pub rooms: &'static [Room],
    /// What works for it.
    pub workers: &'static [Works],
}

impl Definition {
    /// All that is seen of it and loaded later.
    pub fn rooms(&'static self) -> impl Iterator<Item = &'static Room> {
        self.panel.iter().map(|panel| &panel.room).chain(self.rooms)
    }

    /// Whether it is one of those of which one is open.
    pub fn stands_in_bar(&self) -> bool {
        self.opener.group == Group::Labs
    }
}
