//! The settings: what the reader chooses of how the page looks and moves.

use leptos::prelude::*;
use litmoscope::explore::MAX_UNROLL;
use litmoscope::graph::RelationName;
use litmoscope::report::{Colours, Theme};
use serde::Serialize;

use crate::app::App;
use crate::app::looks::{Motion, Preferences, Size, Wanted};
use crate::document::valid_unroll;
use crate::ui::dialog::Dialog;

/// Tells the style sheet, on the root.
pub fn reflect(app: App) {
    let set = |name: &str, value: &str| {
        if let Some(root) = document().document_element() {
            let _ = root.set_attribute(name, value);
        }
    };
    Effect::new(move |_| {
        let preferences = app.looks.preferences.get();
        app.looks.theme.set(preferences.seen());
        set("data-size", name(preferences.size).as_str());
        set("data-motion", name(preferences.motion).as_str());
    });
    Effect::new(move |_| {
        let theme = match app.looks.theme.get() {
            Theme::Light => "light",
            Theme::Dark => "dark",
            Theme::Contrast => "contrast",
        };
        set("data-theme", theme);
    });
    // Without a choice made here, the system's is followed.
    if let Some(query) = window().match_media("(prefers-color-scheme: dark)").ok().flatten() {
        gloo::events::EventListener::new(&query, "change", move |_| {
            app.looks.theme.set(app.looks.preferences.get_untracked().seen());
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
                let colour = app.around.colour(relation);
                view! {
                    <li>
                        <svg width="34" height="10" aria-hidden="true">
                            <path class="sample" d="M0 5h34" stroke=colour stroke-dasharray=app.looks.preferences.get().colours.style(relation).dash></path>
                        </svg>
                        <span style:color=colour>{relation.name()}</span>
                    </li>
                }
            })
            .collect_view()
    };
    view! {
        <Dialog id="preferences" class="preferences" title="Settings" open=app.dialogs.preferring>
            <Choice
                legend="Theme"
                group="theme"
                choices=[(Wanted::System, "as the system"), (Wanted::Light, "light"), (Wanted::Dark, "dark"), (Wanted::Contrast, "high contrast")]
                chosen=Signal::derive(move || app.looks.preferences.get().theme)
                choose=move |theme| app.looks.prefer(|preferences| preferences.theme = theme)
            />
            <Choice
                legend="Colours of relations"
                group="colours"
                choices=[(Colours::Standard, "standard"), (Colours::Safe, "safe for colour-blind eyes")]
                chosen=Signal::derive(move || app.looks.preferences.get().colours)
                choose=move |colours| app.looks.prefer(|preferences| preferences.colours = colours)
            />
            <ul class="samples" id="samples">{samples}</ul>
            <Choice
                legend="Size of text and graph"
                group="size"
                choices=[(Size::Small, "small"), (Size::Normal, "normal"), (Size::Large, "large"), (Size::Huge, "very large")]
                chosen=Signal::derive(move || app.looks.preferences.get().size)
                choose=move |size| app.looks.prefer(|preferences| preferences.size = size)
            />
            <Choice
                legend="Animation"
                group="motion"
                choices=[(Motion::System, "as the system"), (Motion::On, "on"), (Motion::Off, "off")]
                chosen=Signal::derive(move || app.looks.preferences.get().motion)
                choose=move |motion| app.looks.prefer(|preferences| preferences.motion = motion)
            />
            <label class="preferred-unroll">
                <span>"Unroll bound of examples that set none"</span>
                <input
                    id="preferred-unroll"
                    type="number"
                    min="1"
                    max=MAX_UNROLL
                    aria-invalid=move || wrong.get().to_string()
                    prop:value=move || app.looks.preferences.get().unroll.to_string()
                    on:input:target=move |event| {
                        let number = event.target().value().trim().parse().ok().filter(|&number| valid_unroll(number));
                        wrong.set(number.is_none());
                        if let Some(unroll) = number {
                            app.looks.prefer(|preferences| preferences.unroll = unroll);
                        }
                    }
                    on:blur:target=move |event| {
                        event.target().set_value(&app.looks.preferences.get_untracked().unroll.to_string());
                        wrong.set(false);
                    }
                />
            </label>
            <div class="preferences-foot">
                <button type="button" id="preferences-reset" on:click=move |_| app.looks.prefer(|preferences| *preferences = Preferences::default())>
                    "Reset to defaults"
                </button>
                <span>"These settings stay in this browser. A link contains them only if you ask for it (Share, “QR \
                       code, embed…”)."</span>
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
