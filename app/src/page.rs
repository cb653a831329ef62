//! The page's root component: where everything is.

use leptos::prelude::*;
use litmoscope::consistency::is_execution;
use litmoscope::model::Model;
use litmoscope::program::Notation;
use litmoscope::session::{Aspect, link};
use litmoscope::syntax;

use crate::beside::SideBySide;
use crate::compare::Models;
use crate::consistency::Consistency;
use crate::controls::{self, Controls};
use crate::cycle::CycleBuilder;
use crate::editor::Editor;
use crate::embed::{Part, Sharing, Whole};
use crate::explanation::{Explanation, Pending, PseudoCode};
use crate::gallery::Gallery;
use crate::graph::{Graph, Stage};
use crate::help::Help;
use crate::lecture::lessons::LessonsDialog;
use crate::lecture::quiz::Question;
use crate::lecture::scenes::{self, ScenesDialog};
use crate::lecture::{self, Bar, Blank};
use crate::outcomes::Results;
use crate::preferences::{self, PreferencesDialog};
use crate::reading::{self, Card, Dropped};
use crate::recent::{self, Recent};
use crate::running::{self, Elsewhere};
use crate::settings::Pickers;
use crate::share;
use crate::shell::Shell;
use crate::shell::bar::Header;
use crate::shell::columns::{self, Divider, Side};
use crate::shell::palette::Palette;
use crate::shell::status::Status;
use crate::state::{App, Tab};
use crate::tree::Tree;
use crate::views::{CopyAs, Panel, Switcher, TablePanel, TextPanel, TimePanel};
use crate::why_not::WhyNot;

/// Everything that is on the page.
#[component]
pub fn Page() -> impl IntoView {
    let app = App::new();
    provide_context(app);
    let stage = Stage::new(app);
    app.start();
    // A link that was opened before must not undo what was done since.
    if !recent::goes_on() {
        share::open_fragment(app);
    }
    let shell = Shell::new(app, stage);
    provide_context(shell);
    controls::listen(shell);
    columns::reflect(app, shell.columns);
    reading::listen(app);
    running::listen(app);
    let _ = window_event_listener(leptos::ev::hashchange, move |_| {
        share::open_fragment(app);
    });
    let embedded = Part::asked();
    reflect(app);
    lecture::reflect(app, stage);
    scenes::follow(app);
    if let (Some(part), Some(body)) = (embedded, document().body()) {
        let _ = body.set_attribute("data-embed", part.name());
    }
    preferences::reflect(app);

    view! {
        <a class="skip" href="#controls" on:click=move |event| {
            // A fragment of the address is a link to a session here.
            event.prevent_default();
            focus_first_control();
        }>"Skip to the steps"</a>
        <Header />
        <main class="panels">
            <section class="panel program" aria-label="Program" class:shown=move || app.tab.get() == Tab::Program>
                <Pickers />
                <Fitting />
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
                <Show when=move || app.view.with(Option::is_none)>
                    <p class="empty hint">"Nothing is explored yet."</p>
                </Show>
            </section>
            <section class="panel found" aria-label="Results" class:shown=move || app.tab.get() == Tab::Results>
                <h2>"Results"</h2>
                <Results />
            </section>
            <section class="panel models" aria-label="All models" class:shown=move || app.tab.get() == Tab::Models>
                <Models />
            </section>
            <Question />
            <section class="panel why" aria-label="Why not?" class:shown=move || app.tab.get() == Tab::Why>
                <WhyNot />
            </section>
            <section class="panel check" aria-label="Consistency" class:shown=move || app.tab.get() == Tab::Consistency>
                <Consistency />
            </section>
            <section class="panel beside" aria-label="Side by side" class:shown=move || app.tab.get() == Tab::Beside>
                <SideBySide />
            </section>
        </main>
        <Status />
        <Bar />
        <Tabs />
        <Palette />
        <Gallery />
        <CycleBuilder />
        <LessonsDialog />
        <ScenesDialog />
        <CopyAs />
        <Recent />
        <PreferencesDialog />
        <Sharing />
        {embedded.map(|_| view! { <Whole /> })}
        <Help />
        <Blank />
    }
}

fn focus_first_control() {
    use wasm_bindgen::JsCast;
    let button = document().get_element_by_id("forward");
    if let Some(button) = button.and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok()) {
        let _ = button.focus();
    }
}

/// Tells style sheet and tests, on the body, how the page stands.
fn reflect(app: App) {
    let set = |name: &str, value: Option<&str>| {
        if let Some(body) = document().body() {
            let _ = match value {
                Some(value) => body.set_attribute(name, value),
                None => body.remove_attribute(name),
            };
        }
    };
    Effect::new(move |_| set("data-ready", app.ready.get().then_some("true")));
    Effect::new(move |_| set("data-busy", app.busy().then_some("true")));
    Effect::new(move |_| set("data-models", app.models.get().then_some("true")));
    Effect::new(move |_| set("data-wide", app.wide.get().then_some("true")));
    // They take the same room.
    Effect::new(move |_| set("data-why", (app.why.get() || app.check.open.get()).then_some("true")));
    Effect::new(move |_| set("data-check", app.check.open.get().then_some("true")));
    Effect::new(move |_| set("data-beside", app.beside.open.get().then_some("true")));
}

/// Offers the model that the program's notation is made for, if it is explored under another one.
#[component]
fn Fitting() -> impl IntoView {
    let app = App::get();
    let better = Memo::new(move |_| {
        let notation = app.text.with(|text| syntax::detect(text));
        let (model, wanted) = (app.model.get(), app.unfitting.get());
        let better =
            Model::of_notation(notation).filter(|better| *better != model && wanted != Some((notation, model)));
        better.map(|better| (notation, better))
    });
    move || {
        better.get().map(|(notation, better)| {
            let test = if notation == Notation::C11 { "a C11" } else { "an x86" };
            let now = app.model.get_untracked();
            view! {
                <p class="restore fitting" id="fitting" role="status">
                    <span>{format!("This is {test} test, explored under {}.", now.title())}</span>
                    <button type="button" id="take-fitting" on:click=move |_| app.model.set(better)>
                        {format!("Explore it under {}", better.title())}
                    </button>
                    <button
                        type="button"
                        class="close"
                        aria-label=format!("Stay with {}", now.title())
                        on:click=move |_| app.unfitting.set(Some((notation, now)))
                    >
                        "×"
                    </button>
                </p>
            }
        })
    }
}

/// The way back to a text that was replaced.
#[component]
fn Restore() -> impl IntoView {
    let app = App::get();
    let kept = move || {
        let settings = app.kept.get().and_then(|kept| link::decode(&kept).ok());
        settings.map(|settings| format!("{}, under {}", recent::headline(&settings.text), settings.model.title()))
    };
    view! {
        <Show when=move || app.kept.get().is_some()>
            <p class="restore">
                <span>"Your own text is kept. "</span>
                <button type="button" id="restore" title=kept on:click=move |_| app.restore()>"Restore my text"</button>
                <button type="button" class="close" aria-label="Put away" on:click=move |_| app.drop_kept()>"×"</button>
            </p>
        </Show>
    }
}

/// Says that the graph is not that of the text.
#[component]
fn Stale() -> impl IntoView {
    let app = App::get();
    let stale = Memo::new(move |_| {
        !app.current.get()
            && !app.edited.get()
            && app.working.get().is_none()
            && app.checked.with(|checked| checked.broken)
    });
    let empty = Memo::new(move |_| app.text.with(|text| text.trim().is_empty()));
    view! {
        <Show when=move || stale.get()>
            <p class="stale" class:calm=empty id="stale" role="status">
                {move || {
                    if app.text.with(|text| is_execution(text)) {
                        "This is an execution, not a program: “Consistency” says which models allow it."
                    } else if empty.get() {
                        "There is no program yet: type or paste one, take an example from the Gallery, or Generate one."
                    } else if app.view.with(Option::is_some) {
                        "The text has errors. The graph is that of the text before; stepping goes on when they are mended."
                    } else {
                        "The text has errors: mend them to start."
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
            {tab("Models", "tab-models", Tab::Models)}
        </nav>
    }
}
