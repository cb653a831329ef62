//! Several views of one execution: as a graph, as a run, as a table, as text. All show what [`App::seen`] does, and point
//! at the same events.

mod copy;
mod files;
mod table;
mod time;

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use litmoscope::session::Aspect;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

pub use copy::{CopyAs, TextPanel};
pub use table::TablePanel;
pub use time::{TimePanel, step};

use crate::app::App;
use crate::app::lab::{LabId, Tab};
use crate::browser;
use crate::ui::icons::{self, Icon};

/// Shows the execution in another way.
pub fn show(app: App, aspect: Aspect) {
    browser::store("aspect", aspect.name());
    app.looks.aspect.set(aspect);
}

/// Shows the next view, or the one before.
pub fn turn(app: App, forward: bool) {
    let all = Aspect::ALL;
    let at = all.iter().position(|&aspect| aspect == app.looks.aspect.get_untracked()).unwrap_or(0);
    let next = all[(at + if forward { 1 } else { all.len() - 1 }) % all.len()];
    if app.active.get_untracked() == LabId("models") {
        app.toggle(LabId("models"));
    }
    app.tab.set(Tab::Graph);
    show(app, next);
    app.tell(&format!("{} view", next.title()));
}

fn tab_id(aspect: Aspect) -> String {
    format!("view-{}", aspect.name())
}

/// The switch between the views.
#[component]
pub fn Switcher() -> impl IntoView {
    let app = App::get();
    let keys = move |event: KeyboardEvent| {
        let all = Aspect::ALL;
        let at = all.iter().position(|&aspect| aspect == app.looks.aspect.get_untracked()).unwrap_or(0);
        let next = match event.key().as_str() {
            "ArrowRight" => (at + 1) % all.len(),
            "ArrowLeft" => (at + all.len() - 1) % all.len(),
            "Home" => 0,
            "End" => all.len() - 1,
            _ => return,
        };
        if event.ctrl_key() || event.alt_key() || event.meta_key() || event.shift_key() {
            return;
        }
        event.prevent_default();
        event.stop_propagation();
        show(app, all[next]);
        let tab = document().get_element_by_id(&tab_id(all[next]));
        if let Some(tab) = tab.and_then(|tab| tab.dyn_into::<HtmlElement>().ok()) {
            let _ = tab.focus();
        }
    };
    let tab = move |aspect: Aspect| {
        let chosen = move || app.looks.aspect.get() == aspect;
        view! {
            <button
                type="button"
                role="tab"
                id=tab_id(aspect)
                aria-selected=move || chosen().to_string()
                aria-controls=format!("panel-{}", aspect.name())
                tabindex=move || if chosen() { "0" } else { "-1" }
                title=format!("{} (d: next view)", words(aspect))
                on:click=move |_| show(app, aspect)
            >
                {aspect.title()}
            </button>
        }
    };
    view! {
        <div class="switcher">
            <div class="view-tabs" role="tablist" aria-label="Views of the execution" on:keydown=keys>
                {Aspect::ALL.map(tab).collect_view()}
            </div>
            <button
                type="button"
                id="copy-as"
                title=app.hint("copy-as")
                aria-haspopup="dialog"
                on:click=move |_| app.dialogs.copying.set(true)
            >
                "Copy as…"
            </button>
            <button
                type="button"
                id="wide"
                class="icon-button"
                aria-label="Give the execution all the room"
                title=app.hint("wide")
                aria-pressed=move || app.looks.wide.get().to_string()
                on:click=move |_| app.looks.wide.update(|wide| *wide = !*wide)
            >
                <Icon shape=icons::LARGE />
            </button>
        </div>
    }
}

fn words(aspect: Aspect) -> &'static str {
    match aspect {
        Aspect::Graph => "Events and edges",
        Aspect::Time => "A run: one event after the other",
        Aspect::Table => "A table of events",
        Aspect::Text => "Text for other programs",
    }
}

/// A view's place: there while it is the one chosen.
#[component]
pub fn Panel(aspect: Aspect, children: Children) -> impl IntoView {
    let app = App::get();
    view! {
        <div
            class="view-panel"
            role="tabpanel"
            id=format!("panel-{}", aspect.name())
            aria-labelledby=tab_id(aspect)
            class:away=move || app.looks.aspect.get() != aspect
        >
            {children()}
        </div>
    }
}
