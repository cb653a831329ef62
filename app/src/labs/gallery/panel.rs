//! The gallery: named classics from the site's own files.

use leptos::prelude::*;
use leptos::task::spawn_local;
use litmoscope::explore::Options;
use litmoscope::session::Settings;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use crate::app::App;
use crate::app::lab::{LabId, Tab};
use crate::document::examples::{ALL, Example, examples as all};
use crate::document::valid_unroll;
use crate::document::{Whose, place};
use crate::ui::dialog::Dialog;
use crate::ui::prose::prose;

/// Whether the dialog is open.
#[derive(Clone, Copy)]
pub struct Open(pub RwSignal<bool>);

impl Open {
    /// That of this page.
    pub fn get() -> Self {
        expect_context()
    }
}

/// What is looked for in the gallery: kept while the page is open.
#[derive(Clone, Copy)]
pub struct Search {
    words: RwSignal<String>,
    /// The model's title; empty for all.
    model: RwSignal<String>,
    /// The family's name, or that of a lab; empty for all.
    family: RwSignal<String>,
}

impl Default for Search {
    fn default() -> Self {
        let nothing = || RwSignal::new(String::new());
        Self { words: nothing(), model: nothing(), family: nothing() }
    }
}

impl Search {
    /// What it finds. First stands what has all words in its names: others only mention them.
    fn find(self, app: App, all: &[Example]) -> Vec<Example> {
        let is = |wanted: RwSignal<String>, own: &str| wanted.with(|wanted| wanted.is_empty() || wanted == own);
        let chosen = |example: &&Example| {
            (self.model.with(String::is_empty) || example.own_lab().is_none() && is(self.model, about(app, example)))
                && is(self.family, family(app, example))
        };
        let words = self.words.get().to_lowercase();
        let has_all = |text: String| {
            let text = text.to_lowercase();
            words.split_whitespace().all(|word| text.contains(word))
        };
        let names = |example: &Example| {
            let lab = example.own_lab().map_or("", |lab| app.title(lab));
            format!("{} {} {lab}", example.name, example.title)
        };
        let all = all.iter().filter(chosen).cloned();
        let (mut named, others): (Vec<_>, Vec<_>) = all.partition(|example| has_all(names(example)));
        let mentions = |example: &Example| has_all(format!("{} {}", names(example), example.teaches));
        named.extend(others.into_iter().filter(mentions));
        named
    }
}

/// What an example is explored under, or else the lab for it.
fn about(app: App, example: &Example) -> &'static str {
    example.own_lab().map_or_else(|| example.model.title(), |lab| app.title(lab))
}

/// The family of an example: of what is no program, its lab.
fn family(app: App, example: &Example) -> &str {
    match (example.own_lab(), example.folder()) {
        (Some(lab), _) => app.title(lab),
        (None, Some("handlers")) => "Handlers",
        (None, _) => family_of_test(&example.name),
    }
}

/// The family of a test, as its name says: SB of SB, SB+fences, SB3 and SB-x86.
fn family_of_test(name: &str) -> &str {
    let end = name.find(|sign: char| !sign.is_alphabetic()).filter(|&end| end > 0).unwrap_or(name.len());
    &name[..end]
}

/// What there is at least so many times, in the order of its first appearance.
fn frequent<'a>(all: impl Iterator<Item = &'a str>, least: usize) -> Vec<String> {
    let mut found: Vec<(&str, usize)> = Vec::new();
    for one in all {
        match found.iter_mut().find(|(other, _)| *other == one) {
            Some((_, times)) => *times += 1,
            None => found.push((one, 1)),
        }
    }
    found.into_iter().filter(|(_, times)| *times >= least).map(|(one, _)| one.to_owned()).collect()
}

/// Opens an example in place of the program that is there.
///
/// # Errors
/// Why it can't be had, in words.
pub async fn open(app: App, example: &Example) -> Result<(), String> {
    let text = example.text().await?;
    app.document.take_example(&example.file, &text);
    let Options { stop_at_first, stuck_loops, .. } = app.document.options.get_untracked();
    let mut options = Options { stop_at_first, stuck_loops, ..Options::default() };
    let unroll = example.unroll.filter(|&unroll| valid_unroll(unroll));
    options.limits.unroll = unroll.unwrap_or(app.looks.preferences.get_untracked().unroll);
    let algorithm = app.document.algorithm.get_untracked();
    app.load(&Settings { text, model: example.model, algorithm, options, position: 0 }, Whose::Sample);
    place::leave();
    // What is no program has a lab of its own, which is there by now.
    if example.own_lab().is_some() {
        return Ok(());
    }
    app.show(if app.active.get_untracked() == LabId("models") { Tab::Lab(LabId("models")) } else { Tab::Graph });
    Ok(())
}

/// The dialog with all examples.
#[component]
pub fn Gallery() -> impl IntoView {
    let app = App::get();
    let Open(dialog) = Open::get();
    let examples = RwSignal::new(Vec::<Example>::new());
    let trouble = RwSignal::new(None::<String>);
    let search = expect_context::<Search>();

    let load = move || {
        spawn_local(async move {
            match all(&ALL).await {
                Ok(list) => {
                    trouble.set(None);
                    examples.set(list);
                }
                Err(error) => trouble.set(Some(error)),
            }
        });
    };
    Effect::new(move |_| {
        if dialog.get() && examples.with_untracked(Vec::is_empty) {
            load();
        }
    });
    let choose = move |example: Example| {
        spawn_local(async move {
            match open(app, &example).await {
                Ok(()) => dialog.set(false),
                Err(error) => trouble.set(Some(error)),
            }
        });
    };
    let found = move || examples.with(|all| search.find(app, all));
    let card = move |example: Example| {
        let chosen = example.clone();
        let name = example.name.clone();
        let about = about(app, &example);
        view! {
            <li>
                <button type="button" class="card" data-example=name on:click=move |_| choose(chosen.clone())>
                    <span class="card-head">
                        <strong>{example.name}</strong>
                        <span class="card-model">{about}</span>
                    </span>
                    <span class="card-title">{example.title}</span>
                    <span class="card-text">{example.teaches}</span>
                    {example.repair.map(|repair| view! { <span class="card-repair">{prose(&repair)}</span> })}
                </button>
            </li>
        }
    };
    let models = Memo::new(move |_| {
        let is_program = |example: &&Example| example.own_lab().is_none();
        examples.with(|all| frequent(all.iter().filter(is_program).map(|example| about(app, example)), 1))
    });
    let families = Memo::new(move |_| examples.with(|all| frequent(all.iter().map(|example| family(app, example)), 2)));
    let filter = move |id: &'static str,
                       label: &'static str,
                       all: &'static str,
                       offers: Memo<Vec<String>>,
                       wanted: RwSignal<String>| {
        let option = move |offer: String| {
            let own = offer.clone();
            view! { <option value=offer.clone() selected=move || wanted.with(|wanted| *wanted == own)>{offer.clone()}</option> }
        };
        view! {
            <select id=id aria-label=label title=label on:change:target=move |event| wanted.set(event.target().value())>
                <option value="" selected=move || wanted.with(String::is_empty)>{all}</option>
                {move || offers.get().into_iter().map(option).collect_view()}
            </select>
        }
    };
    let tools = view! {
        <input
            type="search"
            id="gallery-search"
            aria-label="Search the gallery"
            placeholder="Search"
            prop:value=move || search.words.get()
            on:input:target=move |event| search.words.set(event.target().value())
            on:keydown=move |event| match event.key().as_str() {
                "Enter" => {
                    if let [only] = &untrack(found)[..] {
                        choose(only.clone());
                    } else {
                        focus_card(None, 1);
                    }
                }
                "ArrowDown" => {
                    event.prevent_default();
                    focus_card(None, 1);
                }
                _ => {}
            }
        />
        {filter("gallery-family", "Show a family, or what is for a lab", "all families", families, search.family)}
        {filter("gallery-model", "Show what is explored under a model", "all models", models, search.model)}
    }
    .into_any();
    view! {
        <Dialog id="gallery" class="gallery" title="Gallery" open=dialog tools>
            <p class="gallery-more">
                "None of these? "
                <button type="button" id="gallery-new" on:click=move |_| {
                    dialog.set(false);
                    app.begin();
                }>
                    "Empty program"
                </button>
                " "
                <button type="button" id="gallery-cycle" on:click=move |_| {
                    dialog.set(false);
                    app.open_there(LabId("generator"));
                }>
                    "Generate a test"
                </button>
                " "
                <button type="button" id="gallery-quiz" on:click=move |_| {
                    dialog.set(false);
                    app.open_there(LabId("quiz"));
                }>
                    "Quiz"
                </button>
                " "
                <button type="button" id="gallery-lessons" on:click=move |_| {
                    dialog.set(false);
                    app.open_there(LabId("lessons"));
                }>
                    "Lessons"
                </button>
                " "
                <button type="button" id="gallery-recent" on:click=move |_| {
                    dialog.set(false);
                    app.dialogs.recent.set(true);
                }>
                    "Recent programs"
                </button>
            </p>
            <p class="trouble" role="alert">{trouble}</p>
            <ul class="cards" id="gallery-cards" on:keydown=move |event| {
                let by = match event.key().as_str() {
                    "ArrowRight" | "ArrowDown" => 1,
                    "ArrowLeft" | "ArrowUp" => -1,
                    _ => return,
                };
                event.prevent_default();
                focus_card(document().active_element(), by);
            }>{move || found().into_iter().map(card).collect_view()}</ul>
            {move || {
                let nothing = !examples.with(Vec::is_empty) && found().is_empty();
                nothing.then(|| view! { <p class="empty">"Nothing in the gallery matches this."</p> })
            }}
        </Dialog>
    }
}

/// Focuses the card behind or in front of the one with the focus, or the first.
fn focus_card(now: Option<Element>, by: i32) {
    let Ok(cards) = document().query_selector_all("#gallery-cards .card") else { return };
    let count = cards.length() as i32;
    let is_now = |at: &i32| {
        now.as_ref().is_some_and(|now| cards.item(*at as u32).is_some_and(|card| card.is_same_node(Some(now))))
    };
    let next = (0..count).find(is_now).map_or(0, |at| at + by).clamp(0, (count - 1).max(0));
    if let Some(card) = cards.item(next as u32).and_then(|card| card.dyn_into::<HtmlElement>().ok()) {
        let _ = card.focus();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_have_families() {
        let names = ["SB", "SB+fences", "SB3", "SB-x86", "MP", "2+2W", "4W1R", "MP+rel+acq", "W+RMW"];
        assert_eq!(names.map(family_of_test), ["SB", "SB", "SB", "SB", "MP", "2+2W", "4W1R", "MP", "W"]);
        assert_eq!(frequent(names.into_iter().map(family_of_test), 2), ["SB", "MP"]);
    }
}
