//! How the page looks and moves, as its reader likes it: kept in the browser, in links only if asked for.

use leptos::prelude::*;
use litmoscope::explore::{MAX_UNROLL, Options};
use litmoscope::graph::RelationName;
use litmoscope::report::{Colours, Drawing, EdgeKind, Look, Theme};
use serde::{Deserialize, Serialize};

use crate::browser;
use crate::dialog::Dialog;
use crate::state::{App, valid_unroll};

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

impl App {
    /// The colour of a relation.
    pub fn colour(self, relation: RelationName) -> &'static str {
        self.picture_look().color(relation)
    }

    /// The colour of a kind of edges in a drawing.
    pub fn edge_colour(self, drawing: &Drawing, kind: EdgeKind) -> String {
        drawing.color(kind, self.picture_look()).to_owned()
    }

    fn picture_look(self) -> Look {
        Look { theme: self.theme.get(), colours: self.preferences.with(|preferences| preferences.colours) }
    }

    /// Changes what the reader likes, and keeps it.
    pub fn prefer(self, change: impl FnOnce(&mut Preferences)) {
        self.preferences.update(change);
        let json = self.preferences.with_untracked(serde_json::to_string);
        browser::store(KEPT, &json.unwrap_or_default());
    }
}

/// Tells the style sheet, on the root.
pub fn reflect(app: App) {
    let set = |name: &str, value: &str| {
        if let Some(root) = document().document_element() {
            let _ = root.set_attribute(name, value);
        }
    };
    Effect::new(move |_| {
        let preferences = app.preferences.get();
        app.theme.set(preferences.seen());
        set("data-size", name(preferences.size).as_str());
        set("data-motion", name(preferences.motion).as_str());
    });
    Effect::new(move |_| {
        let theme = match app.theme.get() {
            Theme::Light => "light",
            Theme::Dark => "dark",
            Theme::Contrast => "contrast",
        };
        set("data-theme", theme);
    });
    // Without a choice made here, the system's is followed.
    if let Some(query) = window().match_media("(prefers-color-scheme: dark)").ok().flatten() {
        gloo::events::EventListener::new(&query, "change", move |_| {
            app.theme.set(app.preferences.get_untracked().seen());
        })
        .forget();
    }
}

/// The name of a choice, in links and style sheets.
fn name(choice: impl Serialize) -> String {
    serde_json::to_value(choice).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

/// The dialog with all of it.
#[component]
pub fn PreferencesDialog() -> impl IntoView {
    let app = App::get();
    let wrong = RwSignal::new(false);
    let samples = move || {
        use RelationName::{Co, Fr, Hb, Po, Rf, Sw, Wb};
        [Po, Rf, Co, Fr, Wb, Hb, Sw]
            .into_iter()
            .map(|relation| {
                let colour = app.colour(relation);
                view! {
                    <li>
                        <svg width="34" height="10" aria-hidden="true">
                            <path class="sample" d="M0 5h34" stroke=colour stroke-dasharray=app.preferences.get().colours.style(relation).dash></path>
                        </svg>
                        <span style:color=colour>{relation.name()}</span>
                    </li>
                }
            })
            .collect_view()
    };
    view! {
        <Dialog id="preferences" class="preferences" title="Settings" open=app.preferring>
            <Choice
                legend="Theme"
                group="theme"
                choices=[(Wanted::System, "as the system"), (Wanted::Light, "light"), (Wanted::Dark, "dark"), (Wanted::Contrast, "high contrast")]
                chosen=Signal::derive(move || app.preferences.get().theme)
                choose=move |theme| app.prefer(|preferences| preferences.theme = theme)
            />
            <Choice
                legend="Colours of relations"
                group="colours"
                choices=[(Colours::Standard, "standard"), (Colours::Safe, "safe for colour-blind eyes")]
                chosen=Signal::derive(move || app.preferences.get().colours)
                choose=move |colours| app.prefer(|preferences| preferences.colours = colours)
            />
            <ul class="samples" id="samples">{samples}</ul>
            <Choice
                legend="Size of text and graph"
                group="size"
                choices=[(Size::Small, "small"), (Size::Normal, "normal"), (Size::Large, "large"), (Size::Huge, "very large")]
                chosen=Signal::derive(move || app.preferences.get().size)
                choose=move |size| app.prefer(|preferences| preferences.size = size)
            />
            <Choice
                legend="Animation"
                group="motion"
                choices=[(Motion::System, "as the system"), (Motion::On, "on"), (Motion::Off, "off")]
                chosen=Signal::derive(move || app.preferences.get().motion)
                choose=move |motion| app.prefer(|preferences| preferences.motion = motion)
            />
            <label class="preferred-unroll">
                <span>"Unroll bound of examples that ask for none"</span>
                <input
                    id="preferred-unroll"
                    type="number"
                    min="1"
                    max=MAX_UNROLL
                    aria-invalid=move || wrong.get().to_string()
                    prop:value=move || app.preferences.get().unroll.to_string()
                    on:input:target=move |event| {
                        let number = event.target().value().trim().parse().ok().filter(|&number| valid_unroll(number));
                        wrong.set(number.is_none());
                        if let Some(unroll) = number {
                            app.prefer(|preferences| preferences.unroll = unroll);
                        }
                    }
                    on:blur:target=move |event| {
                        event.target().set_value(&app.preferences.get_untracked().unroll.to_string());
                        wrong.set(false);
                    }
                />
            </label>
            <div class="preferences-foot">
                <button type="button" id="preferences-reset" on:click=move |_| app.prefer(|preferences| *preferences = Preferences::default())>
                    "Reset to defaults"
                </button>
                <span>"Kept in this browser. A link has them only if you ask for that (Share, “QR code, embed…”)."</span>
            </div>
        </Dialog>
    }
}

/// One of several.
#[component]
fn Choice<T: Copy + PartialEq + Serialize + Send + Sync + 'static, const N: usize>(
    legend: &'static str,
    group: &'static str,
    choices: [(T, &'static str); N],
    chosen: Signal<T>,
    choose: impl Fn(T) + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let buttons = choices
        .into_iter()
        .map(|(choice, words)| {
            view! {
                <label class="choice">
                    <input
                        type="radio"
                        name=format!("preferred-{group}")
                        value=name(choice)
                        prop:checked=move || chosen.get() == choice
                        on:change=move |_| choose(choice)
                    />
                    <span>{words}</span>
                </label>
            }
        })
        .collect_view();
    view! {
        <fieldset class="choices">
            <legend>{legend}</legend>
            {buttons}
        </fieldset>
    }
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
