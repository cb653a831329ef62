//! The exploration tree: as an outline or drawn, searched, and with a look at what is elsewhere in it.

pub mod drawn;
pub mod look;
pub mod outline;
pub mod preview;
pub mod search;
mod words;

use leptos::prelude::*;

use crate::app::App;
use crate::browser;
use crate::ui::icons::{self, Icon};
use drawn::Drawn;
use look::TreeLook;
use outline::Outline;
use preview::PreviewCard;
use search::Find;

/// The tree with its tools.
#[component]
pub fn Tree() -> impl IntoView {
    let app = App::get();
    let look = TreeLook::get();
    let tree = Memo::new(move |_| {
        app.session.view.with(|view| view.as_ref().map(|view| view.tree.clone()).unwrap_or_default())
    });
    // The node that the keyboard is at; the current one until it is moved.
    let active = Memo::new(move |_| {
        tree.with(|tree| {
            let shown = |visit: &u32| tree.rows.iter().any(|row| !row.summary && row.visit == *visit);
            let known = look.chosen.get().filter(shown);
            // The current node, or where it is folded away.
            known.or_else(|| tree.rows.iter().rfind(|row| row.on_path).map(|row| row.visit))
        })
    });
    // A step moves the current node; the keyboard's goes with it.
    let position = Memo::new(move |_| app.session.view.with(|view| view.as_ref().map(|view| view.position)));
    Effect::new(move |_| {
        position.track();
        look.chosen.set(None);
    });
    let frontier = Memo::new(move |_| app.session.view.with(|view| view.as_ref().map(|view| view.frontier)));
    Effect::new(move |_| {
        frontier.track();
        look.grown(app);
    });
    Effect::new(move |_| browser::store("tree", if look.drawn.get() { "drawn" } else { "outline" }));
    Effect::new(move |_| {
        if let Some(body) = document().body() {
            let _ = if look.wide.get() {
                body.set_attribute("data-tree", "true")
            } else {
                body.remove_attribute("data-tree")
            };
        }
    });

    let choice = move |id: &'static str, name: &'static str, drawn: bool| {
        view! {
            <button
                type="button"
                id=id
                aria-pressed=move || (look.drawn.get() == drawn).to_string()
                on:click=move |_| look.drawn.set(drawn)
            >
                {name}
            </button>
        }
    };
    view! {
        <div class="tree-head">
            <h2>"Exploration"</h2>
            <div class="tree-switch" role="group" aria-label="How the tree is shown">
                {choice("tree-as-outline", "Outline", false)}
                {choice("tree-as-drawing", "Tree", true)}
            </div>
            <button
                type="button"
                id="tree-preview"
                title="Preview the graph of the node that the keyboard is at"
                aria-pressed=move || look.peek.with(Option::is_some).to_string()
                on:click=move |_| {
                    if look.peek.with_untracked(Option::is_some) {
                        look.hide();
                    } else if let Some(visit) = active.get_untracked() {
                        look.peek_at(app, visit, 0);
                    }
                }
            >
                "Preview"
            </button>
            <button
                type="button"
                id="tree-wide"
                class="icon-button"
                aria-label="Give the tree the middle of the page"
                title=move || if look.wide.get() { "Back to the graph (Esc)" } else { "Give the tree the middle of the page" }
                aria-pressed=move || look.wide.get().to_string()
                on:click=move |_| look.wide.update(|wide| *wide = !*wide)
            >
                <Icon shape=icons::LARGE />
            </button>
        </div>
        <Find />
        <Show when=move || look.drawn.get() fallback=move || view! { <Outline tree active /> }>
            <Drawn tree active />
        </Show>
        <PreviewCard />
    }
}
