//! The field that searches the tree.

use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;
use litmoscope::session::SEARCH_HELP;
use litmoscope::words::grouped;

use super::look::TreeLook;
use crate::app::App;

/// The field, and what was found.
#[component]
pub fn Find() -> impl IntoView {
    let app = App::get();
    let look = TreeLook::get();
    let field = NodeRef::<html::Input>::new();
    let keys = move |event: KeyboardEvent| match event.key().as_str() {
        "Enter" => {
            event.prevent_default();
            look.go_on(app, !event.shift_key());
        }
        "Escape" => {
            event.prevent_default();
            event.stop_propagation();
            look.hide();
            if let Some(field) = field.get_untracked() {
                let _ = field.blur();
            }
        }
        _ => {}
    };
    let none = move || look.answer.with(|answer| !matches!(answer, Some(Ok(view)) if !view.hits.is_empty()));
    let failed = move || look.answer.with(|answer| matches!(answer, Some(Err(_))));
    let found = move || {
        look.answer.with(|answer| match answer {
            None => String::new(),
            Some(Err(why)) => why.clone(),
            Some(Ok(view)) => {
                let at = look.hit.get().map_or_else(String::new, |hit| format!("{} of ", grouped(hit as u64 + 1)));
                format!("{at}{}: {}", view.summary, view.understood)
            }
        })
    };
    let step = move |id: &'static str, name: &'static str, sign: &'static str, forward: bool| {
        view! {
            <button
                type="button"
                id=id
                title=name
                aria-label=name
                aria-disabled=move || none().to_string()
                on:click=move |_| look.go_on(app, forward)
            >
                {sign}
            </button>
        }
    };
    view! {
        <div class="tree-find" role="search">
            <input
                id="tree-search"
                type="search"
                autocomplete="off"
                spellcheck="false"
                placeholder="Find: dropped, a = 0"
                aria-label="Find in the tree"
                aria-describedby="tree-found"
                aria-invalid=move || failed().to_string()
                title=SEARCH_HELP
                node_ref=field
                prop:value=look.question
                on:input:target=move |event| look.retyped(app, event.target().value())
                on:keydown=keys
            />
            {step("tree-search-previous", "Previous hit (Shift+Enter)", "‹", false)}
            {step("tree-search-next", "Next hit (Enter)", "›", true)}
        </div>
        <p class="tree-found" id="tree-found" role="status" class:bad=failed>{found}</p>
    }
}
