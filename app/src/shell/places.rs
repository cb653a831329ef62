//! The places that the browser's Back and Forward lead to: a program in a lab, or a scene. Steps are none.
//!
//! Each has an entry of the browser's history, whose state says how to come back: the lab, the scene, the link, and what the lab
//! keeps. The address of an entry has a link only if it leads there: what was shared or opened stays with its own entry.

use leptos::prelude::*;
use litmoscope::session::link;
use serde_json::Value;

use super::handle::Shell;
use super::share;
use crate::app::lab::LabId;
use crate::app::{App, Event};
use crate::browser;
use crate::document::Whose;
use crate::document::recent::grew_from;
use crate::labs;
use crate::labs::lessons::scenes::Scenes;

/// What the states begin with that are ours.
const OWN: &str = "place\n";

/// What is kept of a place.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    lab: String,
    scene: Option<u32>,
    link: String,
    kept: Option<Value>,
}

impl Place {
    fn of(lab: LabId, scene: Option<u32>, (link, kept): (String, Option<Value>)) -> Self {
        Self { lab: lab.0.to_owned(), scene, link, kept }
    }

    fn write(&self) -> String {
        let scene = self.scene.map(|scene| scene.to_string()).unwrap_or_default();
        let kept = self.kept.as_ref().map(Value::to_string).unwrap_or_default();
        format!("{OWN}{}\n{scene}\n{}\n{kept}", self.lab, self.link)
    }

    fn read(state: &str) -> Option<Self> {
        let mut parts = state.strip_prefix(OWN)?.splitn(4, '\n');
        let (lab, scene, link) = (parts.next()?, parts.next()?, parts.next()?);
        let kept = parts.next().and_then(|kept| serde_json::from_str(kept).ok());
        Some(Self { lab: lab.to_owned(), scene: scene.parse().ok(), link: link.to_owned(), kept })
    }
}

/// The link to the step, and what a lab keeps beside it.
fn here(app: App, lab: LabId) -> (String, Option<Value>) {
    untrack(|| (app.step_link(), app.lab(lab).keep()))
}

/// Whether the entry of the history that is open is one of these: then the address has not the last word.
fn is_open() -> bool {
    browser::state().is_some_and(|state| state.starts_with(OWN))
}

/// Keeps the history. A part of the page in another one has none of its own.
pub fn follow(shell: Shell) {
    let Shell { app, scenes, .. } = shell;
    // A link is being opened that was put into the address, and so has an entry already.
    let arriving = StoredValue::new(false);
    let _ = window_event_listener(leptos::ev::hashchange, move |_| {
        if !is_open() {
            arriving.set_value(true);
            share::open_fragment(app);
            set_timeout(move || arriving.set_value(false), std::time::Duration::ZERO);
        }
    });
    if browser::embedded() {
        return;
    }
    // While a place is opened from the history, nothing is added to it.
    let opening = StoredValue::new(false);
    // Of a document that is being replaced: its text, the link to its step, and what the lab keeps.
    let replaced = StoredValue::new(None::<(String, (String, Option<Value>))>);
    app.on(move |event| {
        if matches!(event, Event::Replacing) {
            let text = app.document.text.get_untracked();
            replaced.set_value(Some((text, here(app, app.active.get_untracked()))));
        }
    });
    Effect::new(move |before: Option<(LabId, Option<u32>)>| {
        let now = (app.active.get(), scenes.at.get());
        let left = app.document.text.with(|text| {
            let (old, link) = replaced.try_update_value(Option::take).flatten()?;
            // What is written on is the same program.
            (!grew_from(&old, text)).then_some(link)
        });
        let Some((lab, scene)) = before else { return now };
        if (left.is_some() || before != Some(now)) && !opening.get_value() {
            let left = Place::of(lab, scene, left.unwrap_or_else(|| here(app, lab)));
            let link = browser::fragment();
            if arriving.get_value() {
                browser::set_link("");
            }
            browser::keep_state(&left.write());
            browser::add_state(&Place::of(now.0, now.1, (untrack(|| app.step_link()), None)).write());
            browser::set_link(if arriving.get_value() { &link } else { "" });
        }
        now
    });
    let _ = window_event_listener_untyped("popstate", move |_| {
        let Some(place) = browser::state().as_deref().and_then(Place::read) else { return };
        opening.set_value(true);
        open(app, scenes, &place);
        // Behind the effects of all that.
        set_timeout(move || opening.set_value(false), std::time::Duration::ZERO);
    });
}

fn open(app: App, scenes: Scenes, place: &Place) {
    let scene = place.scene.filter(|&scene| scenes.has(scene));
    if let Some(scene) = scene {
        scenes.show(app, scene);
        return;
    }
    if scenes.at.get_untracked().is_some() {
        scenes.leave(app);
    }
    if let Ok(settings) = link::decode(&place.link)
        && settings.text != app.document.text.get_untracked()
    {
        app.load(&settings, Whose::Readers);
    }
    let lab = labs::all().find(|lab| lab.id.0 == place.lab).map_or(LabId::STEPPING, |lab| lab.id);
    if lab != app.active.get_untracked() {
        app.toggle(lab);
    }
    if let Some(kept) = &place.kept {
        app.lab(lab).resume(kept);
    }
}

#[cfg(test)]
mod tests {
    use litmoscope::session::Settings;

    use super::*;

    #[test]
    fn a_place_is_read_as_it_was_written() {
        for scene in [None, Some(3)] {
            for kept in [None, Some(Value::from("two\nlines"))] {
                let place = Place::of(LabId("models"), scene, ("#1.abc".to_owned(), kept));
                assert_eq!(Place::read(&place.write()), Some(place));
            }
        }
        // Of a page before this one.
        let old = Place::of(LabId("models"), None, ("#1.abc".to_owned(), None));
        assert_eq!(Place::read("place\nmodels\n\n#1.abc"), Some(old));
        for other in ["", "place", "place\nmodels", "{}", "placemodels\n\n#"] {
            assert_eq!(Place::read(other), None, "{other}");
        }
        assert_eq!(link::encode(&Settings::default()).lines().count(), 1);
    }
}
