//! What is shown of a lab that makes nothing of the text that is there: what it is for, and the ways on.

use leptos::prelude::*;
use leptos::task::spawn_local;
use litmoscope::document::Kind;
use litmoscope::session::Settings;
use serde_json::Value;

use crate::app::App;
use crate::app::lab::{LabId, Tab};
use crate::document::recent::entries;
use crate::document::{Whose, headline};
use crate::labs;

/// The last text that fits, and what is kept of the lab with it.
fn last_fitting(app: App, lab: LabId) -> Option<(Settings, Option<Value>)> {
    let here = app.document.text.get_untracked();
    let fits = |settings: &Settings| {
        settings.text != here && !settings.text.trim().is_empty() && app.fits(lab, Kind::of(&settings.text).subject())
    };
    let recent: Vec<_> = entries().into_iter().filter_map(|entry| entry.saved).collect();
    let replaced = untrack(|| app.document.kept());
    let last = replaced.into_iter().chain(recent.iter().map(|(_, settings)| settings.clone())).find(fits)?;
    let name = labs::named(lab).kept;
    let kept = recent.iter().find(|(saved, _)| saved.text == last.text).and_then(|(saved, _)| saved.labs.get(name?));
    Some((last, kept.cloned()))
}

/// That, in the place of the lab or above what it has without a text.
#[component]
pub fn Unfit() -> impl IntoView {
    let app = App::get();
    let unfit = app.unfit();
    // A lab is opened anew when the text that was chosen here is there.
    let awaited = RwSignal::new(None::<LabId>);
    let kept = StoredValue::new(None::<Value>);
    Effect::new(move |_| {
        let is_there = app.session.current.get() && !app.session.busy();
        let Some(lab) = awaited.get().filter(|_| is_there && !unfit.get()) else { return };
        awaited.set(None);
        if app.active.get_untracked() == lab {
            app.open_there(lab);
            if let Some(kept) = kept.get_value() {
                app.lab(lab).resume(&kept);
            }
        }
    });
    let open = move |lab: LabId, settings: &Settings, shown: Option<Value>, whose: Whose| {
        awaited.set(Some(lab));
        kept.set_value(shown);
        app.load(settings, whose);
    };
    let told = move || {
        let lab = labs::named(app.active.get());
        let id = lab.id;
        let kind = app.document.kind();
        let subjects: Vec<_> = lab.accepts.iter().map(|subject| subject.title).collect();
        let last = last_fitting(app, id);
        // The way back, if there is one.
        let is_first = last.is_none();
        let (title, example) = (lab.opener.title, lab.example);
        let name = app.document.text.with(|text| headline(text));
        let here = app.lab_for(kind);
        let there = labs::named(here).opener.title;
        let try_example = move |_| {
            spawn_local(async move {
                match app.document.example(example).await {
                    Ok(settings) => open(id, &settings, None, Whose::Sample),
                    Err(error) => app.complain(&error),
                }
            });
        };
        view! {
            <h2>{title}</h2>
            <p>{lab.opener.about}</p>
            <p id="unfit-words">
                {format!("This lab is for {}. What is open is {}: ", subjects.join(" or "), kind.subject().title)}
                <strong>{name.trim_end_matches('.').to_owned()}</strong>
                {(!name.ends_with('…')).then_some(".")}
            </p>
            <div class="unfit-ways">
                {last.map(|(settings, shown)| {
                    let name = headline(&settings.text);
                    let open = move |_| open(id, &settings, shown.clone(), Whose::Readers);
                    view! {
                        <button type="button" id="unfit-last" class="primary" on:click=open>
                            "Open the last one: "<strong>{name}</strong>
                        </button>
                    }
                })}
                <button type="button" id="unfit-example" class:primary=is_first on:click=try_example>"Open an example"</button>
                <button type="button" id="unfit-here" on:click=move |_| app.open_there(here)>
                    {format!("Show what is open in “{there}”")}
                </button>
            </div>
        }
    };
    view! {
        <section
            class="panel covering unfit"
            id="unfit"
            aria-label="What this lab is for"
            class:open=unfit
            class:shown=move || unfit.get() && app.tab.get() != Tab::Program
        >
            {move || unfit.get().then(told)}
        </section>
    }
}
