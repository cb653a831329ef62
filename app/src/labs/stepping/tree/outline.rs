//! The exploration tree as an outline: the accessible equivalent of the drawn one.

use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;
use litmoscope::session::{TreeRow, TreeView, VisitId, sign};
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use super::look::TreeLook;
use super::words::{below_in_words, word};
use crate::app::App;
use crate::worker::session::Command;

/// Deeper rows are not indented further: there would be no room for their text.
const MAX_INDENT: u32 = 16;

/// The outline.
#[component]
pub fn Outline(tree: Memo<TreeView>, active: Memo<Option<VisitId>>) -> impl IntoView {
    let app = App::get();
    let chosen = TreeLook::get().chosen;
    let list = NodeRef::<html::Div>::new();

    Effect::new(move |_| {
        let (Some(visit), Some(list)) = (active.get(), list.get()) else { return };
        tree.track();
        // After the rows were painted.
        request_animation_frame(move || {
            let row = list.query_selector(&format!("#visit-{visit}")).ok().flatten();
            let Some(row) = row.and_then(|row| row.dyn_into::<HtmlElement>().ok()) else { return };
            let (top, height) = (row.offset_top(), row.offset_height());
            if top < list.scroll_top() || top + height > list.scroll_top() + list.client_height() {
                list.set_scroll_top(top - list.client_height() / 2);
            }
        });
    });

    let keys = move |event: KeyboardEvent| {
        if event.ctrl_key() || event.alt_key() || event.meta_key() || event.shift_key() {
            return;
        }
        let rows: Vec<TreeRow> =
            tree.with_untracked(|tree| tree.rows.iter().filter(|row| !row.summary).cloned().collect());
        let Some(at) = active.get_untracked().and_then(|visit| rows.iter().position(|row| row.visit == visit)) else {
            return;
        };
        let go = |index: Option<usize>| {
            if let Some(row) = index.and_then(|index| rows.get(index)) {
                chosen.set(Some(row.visit));
            }
        };
        let row = &rows[at];
        match event.key().as_str() {
            "ArrowDown" => go(Some(at + 1)),
            "ArrowUp" => go(at.checked_sub(1)),
            "Home" => go(Some(0)),
            "End" => go(rows.len().checked_sub(1)),
            "ArrowRight" if row.children > 0 && !row.unfolded => app.session.set_folded(row.visit, false),
            "ArrowRight" => go((row.children > 0).then_some(at + 1)),
            "ArrowLeft" if row.unfolded => app.session.set_folded(row.visit, true),
            "ArrowLeft" => go(rows[..at].iter().rposition(|other| other.depth < row.depth)),
            "Enter" | " " if row.reachable => app.command(Command::GoToVisit(row.visit)),
            "Enter" | " " => {}
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    };

    let paint = move |row: TreeRow| {
        let visit = row.visit;
        let indent = row.depth.min(MAX_INDENT).to_string();
        if row.summary {
            return view! { <div class="row summary" style=("--depth", indent)>{row.label}</div> }.into_any();
        }
        let word = word(row.kind);
        let mut class = format!("row {}", row.kind.name());
        for (is, name) in [
            (row.current, " current"),
            (row.on_path, " on-path"),
            (row.later, " later"),
            (app.session.sought.get() == Some(visit), " found"),
        ] {
            if is {
                class += name;
            }
        }
        let expanded = (row.children > 0).then(|| row.unfolded.to_string());
        let unfolded = row.unfolded;
        let twist = (row.children > 0).then(|| {
            view! {
                <span
                    class="twist"
                    aria-hidden="true"
                    on:click=move |event| {
                        event.stop_propagation();
                        app.session.set_folded(visit, unfolded);
                    }
                >
                    {if unfolded { "▾" } else { "▸" }}
                </span>
            }
        });
        let reachable = row.reachable;
        let title = row.label.clone();
        // How an option came is left out where there is no room for all of it.
        let (what, how) = row.label.split_at(row.label.rfind(", ").unwrap_or(row.label.len()));
        let (what, how) = (what.to_owned(), how.to_owned());
        let count = (row.children > 0 && !row.unfolded).then(|| {
            view! { <span class="count" title=below_in_words(&row)>{row.children}</span> }
        });
        view! {
            <div
                class=class
                class:active=move || active.get() == Some(visit)
                id=format!("visit-{visit}")
                role="treeitem"
                attr:aria-level=(row.depth + 1).to_string()
                aria-expanded=expanded
                aria-selected=row.current.to_string()
                aria-disabled=(!row.reachable).then_some("true")
                style=("--depth", indent)
                on:click=move |_| {
                    if reachable {
                        app.command(Command::GoToVisit(visit));
                    }
                }
            >
                <span class="twist-place">{twist}</span>
                <span class="icon" aria-hidden="true">{sign(row.kind)}</span>
                <span class="text" title=title><span>{what}</span><span>{how}</span></span>
                {count}
                <span class="kind">{word}</span>
            </div>
        }
        .into_any()
    };

    view! {
        <div
            class="tree"
            id="tree"
            role="tree"
            tabindex="0"
            aria-label="Exploration tree"
            aria-activedescendant=move || active.get().map(|visit| format!("visit-{visit}"))
            node_ref=list
            on:keydown=keys
        >
            {move || tree.get().rows.into_iter().map(paint).collect_view()}
        </div>
    }
}
