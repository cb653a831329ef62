//! What several labs offer: their examples, the way back to the steps, and settings beside the text.

use leptos::portal::Portal;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::App;
use super::lab::LabId;
use crate::browser;
use crate::document::examples::{Example, examples};

/// The name of the place beside the text where labs put their settings.
pub const DESK: &str = "desk";

/// A list of examples, in which the one that is open is shown.
#[component]
pub fn Examples(
    /// Its name.
    id: &'static str,
    /// What is in it.
    label: &'static str,
    /// The indexes of what is in it.
    #[prop(optional)]
    indexes: &'static [&'static str],
    /// What else is in it: files, and what they are called.
    #[prop(optional)]
    files: &'static [(&'static str, &'static str)],
) -> impl IntoView {
    let app = App::get();
    let offered = RwSignal::new(
        files.iter().map(|(file, title)| ((*file).to_owned(), (*title).to_owned())).collect::<Vec<(String, String)>>(),
    );
    spawn_local(async move {
        // Without the index there are no examples to choose; the gallery says why.
        let more = examples(indexes).await.unwrap_or_default();
        let entry = |Example { file, name, title, .. }: Example| (file, format!("{name}: {title}"));
        offered.update(|all| all.extend(more.into_iter().map(entry)));
        let known = offered.with_untracked(|all| all.iter().map(|(file, _)| file.clone()).collect::<Vec<_>>());
        app.document.recognise(&known).await;
    });
    let now = Memo::new(move |_| app.document.open_example().unwrap_or_default());
    let options = move || {
        let option = |(file, title): (String, String)| {
            let value = file.clone();
            view! { <option value=value selected=move || now.with(|now| *now == file)>{title}</option> }
        };
        offered.get().into_iter().map(option).collect_view()
    };
    view! {
        <select
            id=id
            aria-label=label
            prop:value=now
            on:change:target=move |event| {
                let file = event.target().value();
                if !file.is_empty() {
                    spawn_local(async move {
                        if let Err(error) = app.open_example(&file).await {
                            app.complain(&error);
                        }
                    });
                }
            }
        >
            <option value="" selected=move || now.with(String::is_empty)>"Examples…"</option>
            {options}
        </select>
    }
}

/// The button that leads from a lab to the steps.
#[component]
pub fn BackToSteps(
    /// Its name.
    id: &'static str,
) -> impl IntoView {
    let app = App::get();
    view! {
        <button type="button" id=id on:click=move |_| app.toggle(LabId::STEPPING)>"Back to the steps"</button>
    }
}

/// Settings of a lab, beside the text and in the place of those of an exploration; in the lab, where the text is not in sight.
#[component]
pub fn Desk(
    /// The lab.
    lab: LabId,
    /// What can be set.
    children: ChildrenFn,
) -> impl IntoView {
    let app = App::get();
    let open = app.is_open(lab);
    let one_panel = RwSignal::new(false);
    if let Some(query) = browser::one_panel() {
        one_panel.set(query.matches());
        let changed = query.clone();
        gloo::events::EventListener::new(&query, "change", move |_| one_panel.set(changed.matches())).forget();
    }
    let is_apart = Memo::new(move |_| one_panel.get() || app.looks.lecture.get() || app.around.embedded);
    let children = StoredValue::new(children);
    move || {
        let place = document().get_element_by_id(DESK).filter(|_| !is_apart.get());
        match place {
            Some(place) => view! {
                <Portal mount=place>
                    <div class="desk-of" class:away=move || !open.get()>{children.with_value(|children| children())}</div>
                </Portal>
            }
            .into_any(),
            None => children.with_value(|children| children()).into_any(),
        }
    }
}
