//! What a command says of itself: its keys, what it is about. The commands themselves are the shell's, but for those that open
//! labs, which are the labs' own.

use std::fmt;

use leptos::ev::KeyboardEvent;

/// A key, as browsers name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    name: &'static str,
    /// With Shift, where the name does not say it.
    pub shift: bool,
    control: bool,
    alt: bool,
}

/// A key alone. Capital letters and signs need Shift where keyboards have them so.
pub const fn key(name: &'static str) -> Key {
    Key { name, shift: false, control: false, alt: false }
}

/// With Shift.
pub const fn shift(name: &'static str) -> Key {
    Key { shift: true, ..key(name) }
}

/// With Ctrl, or the command key of a Mac.
pub const fn control(name: &'static str) -> Key {
    Key { control: true, ..key(name) }
}

/// With Alt.
pub const fn alt(name: &'static str) -> Key {
    Key { alt: true, ..key(name) }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let capital = self.name.len() == 1 && self.name.starts_with(|c: char| c.is_ascii_uppercase());
        if self.control {
            f.write_str("Ctrl ")?;
        }
        if self.alt {
            f.write_str("Alt ")?;
        }
        if self.shift || capital {
            f.write_str("Shift ")?;
        }
        match self.name {
            "ArrowLeft" => f.write_str("←"),
            "ArrowRight" => f.write_str("→"),
            "ArrowUp" => f.write_str("↑"),
            "ArrowDown" => f.write_str("↓"),
            "PageUp" => f.write_str("Page up"),
            "PageDown" => f.write_str("Page down"),
            "Escape" => f.write_str("Esc"),
            " " => f.write_str("Space"),
            name if self.control && name.len() == 1 => f.write_str(&name.to_uppercase()),
            name => f.write_str(name),
        }
    }
}

impl Key {
    /// Whether it was pressed.
    pub fn is(self, event: &KeyboardEvent) -> bool {
        let name = event.key();
        let control = event.ctrl_key() || event.meta_key();
        let same = if self.control { name.eq_ignore_ascii_case(self.name) } else { name == self.name };
        same && control == self.control && event.alt_key() == self.alt && (!self.shift || event.shift_key())
    }
}

/// What commands are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Moving through the exploration.
    Steps,
    /// What is looked at.
    Labs,
    /// What is opened.
    Open,
    /// What is shown to others.
    Show,
    /// How the execution is drawn, and the room it has.
    View,
    /// Asking the graph.
    Graph,
    /// The program and how it is explored.
    Program,
    /// How the page looks, and its help.
    Settings,
}

impl Group {
    /// All of them, in their order.
    pub const ALL: [Self; 8] =
        [Self::Steps, Self::Labs, Self::Open, Self::Show, Self::View, Self::Graph, Self::Program, Self::Settings];

    /// Its name.
    pub fn title(self) -> &'static str {
        match self {
            Self::Steps => "Steps",
            Self::Labs => "Labs",
            Self::Open => "Open",
            Self::Show => "Show",
            Self::View => "View",
            Self::Graph => "Graph and tree",
            Self::Program => "Program",
            Self::Settings => "Settings and help",
        }
    }
}
