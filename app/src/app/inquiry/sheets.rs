//! What is told beside the drawing, one of several sheets.

use leptos::prelude::*;

/// A sheet: which, the name of its tab, and what stands on that.
pub type Tab<S> = (S, &'static str, Signal<&'static str>);

/// The tabs. `only` is the sheet that there is, if there are no others.
pub fn tabs<S: Copy + PartialEq + Send + Sync + 'static>(
    all: impl IntoIterator<Item = Tab<S>>,
    sheet: Signal<S>,
    only: Signal<Option<S>>,
    open: impl Fn(S) + Copy + 'static,
) -> impl IntoView {
    let tab = move |(own, id, name): Tab<S>| {
        view! {
            <button
                type="button"
                id=id
                class:away=move || only.get().is_some_and(|only| only != own)
                aria-pressed=move || (sheet.get() == own).to_string()
                on:click=move |_| open(own)
            >
                {name}
            </button>
        }
    };
    view! {
        <div class="inquiry-tabs" role="group" aria-label="What is told">{all.into_iter().map(tab).collect_view()}</div>
    }
}

/// The tabs, and the sheet that is open below them.
pub fn sheets<S: Copy + PartialEq + Send + Sync + 'static>(
    all: impl IntoIterator<Item = Tab<S>>,
    sheet: Signal<S>,
    only: Signal<Option<S>>,
    open: impl Fn(S) + Copy + 'static,
    told: impl Fn(S) -> AnyView + Send + 'static,
) -> impl IntoView {
    let shown = Memo::new(move |_| only.get().unwrap_or_else(|| sheet.get()));
    view! {
        <div class="inquiry-side">
            {tabs(all, shown.into(), only, open)}
            <div class="inquiry-sheet" tabindex="0" role="group" aria-label="What is known">{move || told(shown.get())}</div>
        </div>
    }
}
