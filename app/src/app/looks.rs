//! How the page looks and moves, as its reader likes it: kept in the browser, in links only if asked for.
//!
//! In links looks stand behind the fragment's `&` and are never stored from there. Colours are the engine's (`report::Look`:
//! theme and set), so that page and files agree.

use std::collections::BTreeSet;

use leptos::prelude::*;
use litmoscope::explore::Options;
use litmoscope::graph::RelationName;
use litmoscope::report::{Colours, Format, Look, Theme};
use litmoscope::session::Aspect;
use serde::{Deserialize, Serialize};

use crate::browser;
use crate::document::valid_unroll;

/// The name that they are kept under.
const KEPT: &str = "preferences";

/// Which theme is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wanted {
    /// That of the system, whatever it is at the time.
    #[default]
    System,
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
    /// Black on white.
    Contrast,
}

/// How large text and graph are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Size {
    /// More in sight.
    Small,
    /// As it was made.
    #[default]
    Normal,
    /// For large screens.
    Large,
    /// For the last row.
    Huge,
}

impl Size {
    /// How large a graph may become for its panel, compared to the usual.
    pub fn scale(self) -> f64 {
        match self {
            Self::Small => 0.85,
            Self::Normal => 1.0,
            Self::Large => 1.25,
            Self::Huge => 1.6,
        }
    }
}

/// Whether anything moves by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Motion {
    /// As the system has it.
    #[default]
    System,
    /// Yes, whatever the system says.
    On,
    /// No.
    Off,
}

/// All of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Preferences {
    /// The theme.
    pub theme: Wanted,
    /// The relations' colours.
    pub colours: Colours,
    /// How large text and graph are.
    pub size: Size,
    /// Whether anything moves.
    pub motion: Motion,
    /// The unroll bound of programs that ask for none.
    pub unroll: u32,
}

impl Default for Preferences {
    fn default() -> Self {
        Self {
            theme: Wanted::default(),
            colours: Colours::default(),
            size: Size::default(),
            motion: Motion::default(),
            unroll: Options::default().limits.unroll,
        }
    }
}

impl Preferences {
    /// What is kept, with what a link asks for on top.
    pub fn load() -> Self {
        let kept = browser::load(KEPT).and_then(|json| serde_json::from_str(&json).ok()).unwrap_or_default();
        Self::checked(kept).with(&browser::fragment_extras())
    }

    fn checked(self) -> Self {
        if valid_unroll(self.unroll) { self } else { Self { unroll: Self::default().unroll, ..self } }
    }

    /// Takes over what stands behind a link: `theme=dark&colours=safe`. Nothing else is taken from there.
    fn with(self, extras: &str) -> Self {
        let Ok(serde_json::Value::Object(mut all)) = serde_json::to_value(self) else { return self };
        let mut result = self;
        for (name, value) in extras.split('&').filter_map(|extra| extra.split_once('=')) {
            if name == "unroll" || !all.contains_key(name) {
                continue;
            }
            let before = all.insert(name.to_owned(), value.into());
            match serde_json::from_value(serde_json::Value::Object(all.clone())) {
                Ok(changed) => result = changed,
                // No such value: as before.
                Err(_) => {
                    all.insert(name.to_owned(), before.unwrap_or_default());
                }
            }
        }
        result
    }

    /// What stands behind a link to have it look like this: nothing for what is as it is at first. How programs are
    /// explored is the link's own business.
    pub fn extras(self) -> String {
        let plain = serde_json::to_value(Self::default()).unwrap_or_default();
        let Ok(serde_json::Value::Object(all)) = serde_json::to_value(self) else { return String::new() };
        let changed = all.iter().filter(|(name, value)| *name != "unroll" && plain[name.as_str()] != **value);
        changed.filter_map(|(name, value)| Some(format!("&{name}={}", value.as_str()?))).collect()
    }

    /// The theme that is seen.
    pub fn seen(self) -> Theme {
        match self.theme {
            Wanted::System => browser::system_theme(),
            Wanted::Light => Theme::Light,
            Wanted::Dark => Theme::Dark,
            Wanted::Contrast => Theme::Contrast,
        }
    }
}

/// How the page looks now.
#[derive(Clone, Copy)]
pub struct Looks {
    /// How the reader likes it.
    pub preferences: RwSignal<Preferences>,
    /// The theme that is seen.
    pub theme: RwSignal<Theme>,
    /// Relations that are not drawn.
    pub hidden: RwSignal<BTreeSet<RelationName>>,
    /// They are not drawn because a scene or a link says so; the reader has not chosen it.
    pub arranged: RwSignal<bool>,
    /// How the execution is shown.
    pub aspect: RwSignal<Aspect>,
    /// The row of a run that is looked at; beyond its end, the last.
    pub row: RwSignal<usize>,
    /// The format of the text view.
    pub format: RwSignal<Format>,
    /// The execution has the room of all panels but the words.
    pub wide: RwSignal<bool>,
    /// Only graph, program and explanation, in larger type.
    pub lecture: RwSignal<bool>,
    /// The page is as narrow as a telephone's.
    pub narrow: RwSignal<bool>,
    /// The screen is black for a while, so that the room looks at the lecturer.
    pub blank: RwSignal<bool>,
}

impl Looks {
    /// What is kept, or the defaults.
    pub fn new(preferences: Preferences) -> Self {
        let hidden = match browser::load("hidden") {
            Some(names) => RelationName::ALL.into_iter().filter(|r| names.split(' ').any(|n| n == r.name())).collect(),
            None => hidden_at_first(),
        };
        let aspect = browser::load("aspect").and_then(|name| Aspect::named(&name));
        // A part in another page draws what its link says.
        let (view, show) = drawn_by(&if browser::embedded() { browser::fragment_extras() } else { String::new() });
        let (aspect, arranged) = (view.or(aspect), show.is_some());
        let hidden = show.unwrap_or(hidden);
        let format = browser::load("format").and_then(|name| Format::named(&name));
        Self {
            preferences: RwSignal::new(preferences),
            theme: RwSignal::new(preferences.seen()),
            hidden: RwSignal::new(hidden),
            arranged: RwSignal::new(arranged),
            aspect: RwSignal::new(aspect.unwrap_or_default()),
            row: RwSignal::new(usize::MAX),
            format: RwSignal::new(format.unwrap_or(Format::Tikz)),
            wide: RwSignal::new(false),
            lecture: RwSignal::new(false),
            narrow: RwSignal::new(browser::narrow().is_some_and(|query| query.matches())),
            blank: RwSignal::new(false),
        }
    }

    /// Theme and colours of drawings.
    pub fn look(self) -> Look {
        Look { theme: self.theme.get(), colours: self.preferences.with(|preferences| preferences.colours) }
    }

    /// Changes what the reader likes, and keeps it.
    pub fn prefer(self, change: impl FnOnce(&mut Preferences)) {
        self.preferences.update(change);
        let json = self.preferences.with_untracked(serde_json::to_string);
        browser::store(KEPT, &json.unwrap_or_default());
    }

    /// What stands behind a link to have a part of the page draw what is drawn now: `&view=graph&show=po.rf`.
    pub fn drawn(self) -> String {
        let hidden = self.hidden.get();
        let shown = RelationName::ALL.into_iter().filter(|relation| !hidden.contains(relation));
        format!(
            "&view={}&show={}",
            self.aspect.get().name(),
            shown.map(RelationName::name).collect::<Vec<_>>().join(".")
        )
    }

    /// Shows or hides a relation.
    pub fn toggle(self, relation: RelationName) {
        self.hidden.update(|hidden| {
            if !hidden.remove(&relation) {
                hidden.insert(relation);
            }
        });
    }
}

/// The view and the relations not drawn, as far as what stands behind a link says so. What it names and nobody knows is left out.
fn drawn_by(extras: &str) -> (Option<Aspect>, Option<BTreeSet<RelationName>>) {
    let value = |name: &str| extras.split('&').filter_map(|extra| extra.split_once('=')).find(|(own, _)| *own == name);
    let hidden = value("show").map(|(_, names)| {
        RelationName::ALL.into_iter().filter(|relation| !names.split('.').any(|name| name == relation.name())).collect()
    });
    (value("view").and_then(|(_, name)| Aspect::named(name)), hidden)
}

/// Derived relations with many edges are a choice, not the start.
fn hidden_at_first() -> BTreeSet<RelationName> {
    use RelationName::{Eco, Fr, Hb, Ppo, Psc, Sw};
    [Fr, Sw, Hb, Eco, Psc, Ppo].into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extras_lead_back_to_what_they_were_made_from() {
        assert_eq!(Preferences::default().extras(), "");
        let liked = Preferences {
            theme: Wanted::Contrast,
            colours: Colours::Safe,
            size: Size::Huge,
            motion: Motion::Off,
            ..Preferences::default()
        };
        assert_eq!(Preferences::default().with(&liked.extras()), liked);
        let dark = Preferences { theme: Wanted::Dark, unroll: 3, ..Preferences::default() };
        assert_eq!(dark.extras(), "&theme=dark");
    }

    #[test]
    fn a_link_says_what_a_part_draws() {
        let (view, hidden) = drawn_by("theme=dark&view=table&show=po.rf.pink");
        let hidden = hidden.expect("it says so");
        assert_eq!(view, Some(Aspect::Table));
        assert!(!hidden.contains(&RelationName::Po) && !hidden.contains(&RelationName::Rf));
        assert_eq!(hidden.len(), RelationName::ALL.len() - 2);
        assert_eq!(drawn_by("show="), (None, Some(RelationName::ALL.into_iter().collect())));
        assert_eq!(drawn_by("view=pink&"), (None, None));
    }

    #[test]
    fn extras_from_elsewhere_change_nothing_else() {
        let plain = Preferences::default();
        for extras in ["", "&", "&theme", "&theme=pink", "&unroll=3", "&other=1", "&=", "&size=huge2&theme="] {
            assert_eq!(plain.with(extras), plain, "{extras}");
        }
        assert_eq!(plain.with("&theme=pink&size=large").size, Size::Large);
    }

    #[test]
    fn what_is_kept_may_be_of_another_version() {
        let kept: Preferences = serde_json::from_str(r#"{"size":"huge","to come":1}"#).expect("it is an object");
        assert_eq!(kept, Preferences { size: Size::Huge, ..Preferences::default() });
        let odd: Preferences = serde_json::from_str(r#"{"unroll":0}"#).expect("it is an object");
        assert_eq!(odd.checked(), Preferences::default());
    }
}
