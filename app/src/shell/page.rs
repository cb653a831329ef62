//! The page's root component: where everything is.

use leptos::prelude::*;
use litmoscope::document::PROGRAM;
use litmoscope::session::{Aspect, Settings};

use super::bar::Header;
use super::columns::{self, Divider, Side};
use super::commands;
use super::editor::Editor;
use super::embed::{Part, Whole};
use super::handle::Shell;
use super::keys;
use super::palette::Palette;
use super::parts::{self, Lacking, Later, Parts};
use super::pickers::Pickers;
use super::places;
use super::preferences;
use super::recent::{self, Keeper};
use super::share;
use super::status::Status;
use crate::app::definition::{Panel as LabPanel, Place};
use crate::app::lab::{LabId, Tab};
use crate::app::looks::Preferences;
use crate::app::offers::DESK;
use crate::app::{App, Titles};
use crate::browser;
use crate::document::recent::{goes_on, last};
use crate::document::{FIRST_PROGRAM, headline};
use crate::labs;
use crate::labs::lessons::lecture::{self, Bar, Blank};
use crate::labs::running::panel::{Elsewhere, Run};
use crate::labs::stepping::card::{Card, Dropped};
use crate::labs::stepping::controls::Controls;
use crate::labs::stepping::explanation::{Explanation, Pending, PseudoCode};
use crate::labs::stepping::graph::Graph;
use crate::labs::stepping::outcomes::Results;
use crate::labs::stepping::tree::Tree;
use crate::labs::stepping::views::{Panel, Switcher, TablePanel, TextPanel, TimePanel};
use crate::ui::scene::camera::{Stage, size};

/// What is explored at first: what is kept, or the defaults.
fn begin() -> App {
    let (kept, broken) = last();
    let preferences = Preferences::load();
    let mut first = Settings { text: FIRST_PROGRAM.to_owned(), ..Settings::default() };
    first.options.limits.unroll = preferences.unroll;
    first.options.stuck_loops = true;
    let titles = Titles { title: commands::title, hint: commands::hint };
    let app = App::new(kept.as_ref().map_or(&first, |(_, settings)| settings), preferences, titles);
    provide_context(app);
    provide_context(app.around);
    labs::begin(app);
    // A link that is opened is looked at afresh.
    if let Some((saved, _)) = kept.filter(|_| goes_on() || browser::fragment().len() < 2) {
        recent::look(app, &saved);
    }
    if broken {
        app.complain("What was kept of this tab's session can't be read. “Recent” may have the program.");
    }
    app
}

/// Everything that is on the page.
#[component]
pub fn Page() -> impl IntoView {
    let app = begin();
    let stage = Stage::mapped(app.around, move || app.seen.with(|view| Some(size(&view.as_ref()?.drawing))));
    app.start();
    let keeper = Keeper::new();
    provide_context(keeper);
    keeper.follow(app);
    // A link that was opened before must not undo what was done since.
    if !goes_on() {
        share::open_fragment(app);
    }
    let shell = Shell::new(app, stage, keeper);
    provide_context(shell);
    keys::listen(shell);
    columns::reflect(app, shell.columns, shell.tree, shell.quiz);
    places::follow(shell);
    let embedded = Part::asked();
    let parts = Parts::new();
    provide_context(parts);
    parts.listen();
    reflect(app, parts);
    parts::follow_dialects(app);
    lecture::reflect(app, stage);
    if let (Some(part), Some(body)) = (embedded, document().body()) {
        let _ = body.set_attribute("data-embed", part.name());
    }
    preferences::reflect(app);
    // What explores has no meaning for what is not explored.
    let kind = Memo::new(move |_| {
        let title = app.document.kind().definition().title;
        format!("{}{}", title[..1].to_uppercase(), &title[1..])
    });
    let is_program = Memo::new(move |_| app.document.kind().is(&PROGRAM));
    // What stands in another page loads what is asked for.
    if embedded.is_none() {
        parts.prefetch(app);
    }

    view! {
        <a class="skip" href="#controls" on:click=move |event| {
            // A fragment of the address is a link to a session here.
            event.prevent_default();
            focus_first_control();
        }>"Skip to the steps"</a>
        <Header />
        <main class="panels">
            <section class="panel program" aria-label="Program" class:shown=move || app.tab.get() == Tab::Program>
                <Show
                    when=move || is_program.get()
                    fallback=move || view! { <p class="text-kind" id="text-kind">{kind}</p> }
                >
                    <Pickers />
                </Show>
                <div id=DESK></div>
                <Restore />
                <Editor />
            </section>
            <Divider side=Side::Program />
            <section class="panel middle" aria-label="Execution graph" class:shown=move || app.tab.get() == Tab::Graph>
                <Controls />
                <Stale />
                <Elsewhere />
                <Switcher />
                <Panel aspect=Aspect::Graph><Graph stage /></Panel>
                <Panel aspect=Aspect::Time><TimePanel /></Panel>
                <Panel aspect=Aspect::Table><TablePanel /></Panel>
                <Panel aspect=Aspect::Text><TextPanel /></Panel>
            </section>
            <section class="panel words" aria-label="Explanation" class:shown=move || app.tab.get() == Tab::Graph>
                <Explanation />
                <PseudoCode />
                <div class="below">
                    <div class="pending-panel" tabindex="0" role="group" aria-label="T, S and U"><Dropped /><Pending /></div>
                    <Card />
                </div>
            </section>
            <Divider side=Side::Results />
            <section class="panel side" aria-label="Exploration tree" class:shown=move || app.tab.get() == Tab::Tree>
                <Tree />
                <Show when=move || app.session.view.with(Option::is_none)>
                    <p class="empty hint">"Nothing is explored yet."</p>
                </Show>
                <Show when=move || app.whole.is_there()>
                    <p class="empty hint" id="tree-own">"The tree has your steps, not those of the run."</p>
                </Show>
            </section>
            <section class="panel found" aria-label="Results" class:shown=move || app.tab.get() == Tab::Results>
                <h2>"Results"</h2>
                <Run />
                <Results />
            </section>
            <Later room=&parts::UNFIT />
            {panels(app)}
            {rooms(Place::Panels)}
        </main>
        <Status />
        <Bar />
        <Tabs />
        <Palette />
        <Lacking />
        {rooms(Place::Above)}
        {embedded.map(|_| view! { <Whole /> })}
        <Blank />
    }
}

/// The panels of labs that take the place of the steps.
fn panels(app: App) -> Vec<AnyView> {
    labs::all().filter_map(|lab| Some(panel(app, lab.id, lab.panel.as_ref()?))).collect()
}

fn panel(app: App, id: LabId, panel: &'static LabPanel) -> AnyView {
    view! {
        <section
            class=format!("panel covering {}{}", id.0, if panel.bare { " bare" } else { "" })
            aria-label=panel.title
            class:open=move || app.active.get() == id
            class:shown=move || app.tab.get() == Tab::Lab(id)
        >
            <Later room=&panel.room />
        </section>
    }
    .into_any()
}

/// What else there is at a place, of labs and page.
fn rooms(place: Place) -> Vec<AnyView> {
    let rooms = labs::all().flat_map(|lab| lab.rooms).chain(parts::DIALOGS);
    rooms.filter(|room| room.place == place).map(|room| view! { <Later room /> }.into_any()).collect()
}

fn focus_first_control() {
    use wasm_bindgen::JsCast;
    let button = document().get_element_by_id("forward");
    if let Some(button) = button.and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok()) {
        let _ = button.focus();
    }
}

/// Tells style sheet and tests, on the body, how the page stands.
fn reflect(app: App, parts: Parts) {
    let set = |name: &str, value: Option<&str>| {
        if let Some(body) = document().body() {
            let _ = match value {
                Some(value) => body.set_attribute(name, value),
                None => body.remove_attribute(name),
            };
        }
    };
    Effect::new(move |_| set("data-ready", app.session.ready.get().then_some("true")));
    Effect::new(move |_| set("data-busy", (app.session.busy() || parts.awaited()).then_some("true")));
    let unfit = app.unfit();
    let is_bare = move || labs::named(app.active.get()).panel.as_ref().is_some_and(|panel| panel.bare);
    // The steps give their place to what is said of a text that has none.
    let shown = move || if unfit.get() && app.active.get() == LabId::STEPPING { "none" } else { app.active.get().0 };
    Effect::new(move |_| set("data-lab", Some(shown())));
    Effect::new(move |_| set("data-unfit", unfit.get().then(|| if is_bare() { "above" } else { "alone" })));
    let chooses = move || labs::named(app.active.get()).panel.as_ref().map(|panel| panel.chooses);
    Effect::new(move |_| set("data-chooses", chooses().filter(|own| !own.is_empty())));
    Effect::new(move |_| set("data-wide", app.looks.wide.get().then_some("true")));
}

/// The way back to a text that was replaced.
#[component]
fn Restore() -> impl IntoView {
    let app = App::get();
    let kept = move || {
        let settings = app.document.kept();
        settings.map(|settings| format!("{}, under {}", headline(&settings.text), settings.model.title()))
    };
    view! {
        <Show when=move || app.document.kept.get().is_some()>
            <p class="restore">
                <span>"Your own text is kept. "</span>
                <button type="button" id="restore" title=kept on:click=move |_| app.restore()>"Restore my text"</button>
                <button type="button" class="close" aria-label="Dismiss" on:click=move |_| app.document.drop_kept()>"×"</button>
            </p>
        </Show>
    }
}

/// Says that the graph is not that of the text.
#[component]
fn Stale() -> impl IntoView {
    let app = App::get();
    let stale = Memo::new(move |_| {
        !app.session.current.get()
            && !app.session.edited.get()
            && !app.session.working.get()
            && app.document.checked.with(|checked| checked.broken)
    });
    let empty = Memo::new(move |_| app.document.text.with(|text| text.trim().is_empty()));
    view! {
        <Show when=move || stale.get()>
            <p class="stale" class:calm=empty id="stale" role="status">
                {move || {
                    if empty.get() {
                        "There is no program yet: type or paste one, take an example from the Gallery, or Generate one."
                    } else if app.session.view.with(Option::is_some) {
                        "The text has errors. The graph is still that of the last text without errors. Correct the \
                         errors to step on."
                    } else {
                        "The text has errors: correct them to start."
                    }
                }}
            </p>
        </Show>
    }
}

#[component]
fn Tabs() -> impl IntoView {
    let app = App::get();
    let tab = move |name: &'static str, id: &'static str, tab: Tab| {
        view! {
            <button
                type="button"
                id=id
                aria-current=move || (app.tab.get() == tab).then_some("true")
                on:click=move |_| app.show(tab)
            >
                {name}
            </button>
        }
    };
    view! {
        <nav class="tabs" aria-label="Panels">
            {tab("Program", "tab-program", Tab::Program)}
            {tab("Graph", "tab-graph", Tab::Graph)}
            {tab("Tree", "tab-tree", Tab::Tree)}
            {tab("Results", "tab-results", Tab::Results)}
            {tab("Models", "tab-models", Tab::Lab(LabId("models")))}
        </nav>
    }
}
