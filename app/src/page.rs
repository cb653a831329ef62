//! The page's root component: where everything is.

use leptos::prelude::*;
use litmoscope::consistency::is_execution;
use litmoscope::model::Model;
use litmoscope::program::Notation;
use litmoscope::report::Theme;
use litmoscope::session::{Aspect, link};
use litmoscope::syntax;

use crate::controls::{self, Controls};
use crate::editor::Editor;
use crate::embed::{Part, Whole};
use crate::explanation::{Explanation, Pending, PseudoCode};
use crate::graph::{Graph, Stage};
use crate::icons::{self, Icon};
use crate::lecture::scenes;
use crate::lecture::{self, Bar, Blank};
use crate::outcomes::Results;
use crate::parts::{Later, Parts, Room};
use crate::preferences::{self, Wanted};
use crate::reading::{self, Card, Dropped};
use crate::recent;
use crate::running::{self, Elsewhere};
use crate::settings::Pickers;
use crate::share::{self, Messages};
use crate::state::{App, Tab};
use crate::tree::Tree;
use crate::views::{Panel, Switcher, TablePanel, TextPanel, TimePanel};

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
    controls::listen(app, stage);
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
    let parts = Parts::new();
    provide_context(parts);
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
                <Pickers />
                <Fitting />
                <Restore />
                <Editor />
            </section>
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
                <Later room=Room::Models when=app.models />
            </section>
            <Later room=Room::Question when=Signal::derive(move || app.quiz.active()) />
            <section class="panel why" aria-label="Why not?" class:shown=move || app.tab.get() == Tab::Why>
                <Later room=Room::WhyNot when=app.why />
            </section>
            <section class="panel check" aria-label="Consistency" class:shown=move || app.tab.get() == Tab::Consistency>
                <Later room=Room::Consistency when=app.check.open />
            </section>
            <section class="panel beside" aria-label="Side by side" class:shown=move || app.tab.get() == Tab::Beside>
                <Later room=Room::Beside when=app.beside.open />
            </section>
        </main>
        <Bar />
        <Tabs />
        <Messages />
        <Later room=Room::Gallery when=app.gallery />
        <Later room=Room::Generator when=app.cycle />
        <Later room=Room::Lessons when=app.scenes.lessons />
        <Later room=Room::Scenes when=app.scenes.open />
        <Later room=Room::Copies when=app.copying />
        <Later room=Room::Recent when=app.recent />
        <Later room=Room::Preferences when=app.preferring />
        <Later room=Room::Sharing when=app.sharing />
        {embedded.map(|_| view! { <Whole /> })}
        <Later room=Room::Help when=app.help />
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

#[component]
fn Header() -> impl IntoView {
    let app = App::get();
    let toggle_theme = move |_| {
        let theme = if app.theme.get_untracked() == Theme::Dark { Wanted::Light } else { Wanted::Dark };
        app.prefer(|preferences| preferences.theme = theme);
    };
    let entry = move |id: &'static str, name: &'static str, title: &'static str, open: fn(App)| {
        view! {
            <button type="button" id=id title=title popovertarget="more-menu" popovertargetaction="hide" on:click=move |_| open(app)>
                {name}
            </button>
        }
    };
    view! {
        <header class="top">
            <h1>"Litmoscope"</h1>
            <nav class="actions" aria-label="Page">
                <button type="button" id="open-gallery" on:click=move |_| app.gallery.set(true)>"Gallery"</button>
                <button type="button" id="share" title="Copy a link to this step (s)" on:click=move |_| share::share(app)>
                    "Share"
                </button>
                <button
                    type="button"
                    id="lecture"
                    title="Lecture mode (l)"
                    aria-label="Lecture mode"
                    aria-pressed=move || app.lecture.get().to_string()
                    on:click=move |_| app.lecture.update(|lecture| *lecture = !*lecture)
                >
                    <span class="word">"Lecture"</span>
                    <Icon shape=icons::LECTURE />
                </button>
                // Where there is room, these stand beside the others.
                <button type="button" id="more" class="icon-button" title="More" aria-label="More" popovertarget="more-menu">
                    <span aria-hidden="true">"⋯"</span>
                </button>
                <div id="more-menu" class="more" popover="auto">
                    {entry("open-lessons", "Lessons", "Ten short lessons (u)", |app| app.scenes.lessons.set(true))}
                    {entry("open-quiz", "Quiz", "Is this outcome allowed? (q)", |app| app.quiz.start(app))}
                    {entry("models", "Compare models", "All outcomes under all models (m)", App::toggle_models)
                        .attr("aria-pressed", move || app.models.get().to_string())}
                    {entry("open-check", "Consistency", "Is this execution consistent? Closure and search (h)", App::toggle_check)
                        .attr("aria-pressed", move || app.check.open.get().to_string())}
                    {entry("open-beside", "Side by side", "Two explorations of this program (b)", App::toggle_beside)
                        .attr("aria-pressed", move || app.beside.open.get().to_string())}
                    {entry("open-sharing", "QR, embed", "QR code, a part of this page for another one (Shift S)", |app| app.sharing.set(true))}
                    {entry("new", "New", "An empty program; yours can be restored", App::begin)}
                    {entry("open-cycle", "Generate", "Generate a test from a cycle of edges (c)", |app| app.cycle.set(true))}
                    {entry("open-recent", "Recent", "Recent programs (o)", |app| app.recent.set(true))}
                    <button type="button" id="theme" class="icon-button" title="Light or dark" aria-label="Switch between light and dark" on:click=toggle_theme>
                        <span aria-hidden="true">{move || if app.theme.get() == Theme::Dark { "☀" } else { "☾" }}</span>
                    </button>
                    <button
                        type="button"
                        id="open-preferences"
                        class="icon-button"
                        title="Settings (,)"
                        aria-label="Settings"
                        popovertarget="more-menu"
                        popovertargetaction="hide"
                        on:click=move |_| app.preferring.set(true)
                    >
                        <Icon shape=icons::SETTINGS />
                    </button>
                </div>
                <button type="button" id="open-help" class="icon-button" title="Help (?)" aria-label="Help" on:click=move |_| app.help.set(true)>
                    "?"
                </button>
            </nav>
        </header>
    }
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
