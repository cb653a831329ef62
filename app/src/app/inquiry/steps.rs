//! The way through the steps, what a step says, and the list of them.

use leptos::prelude::*;

use super::walk::Walk;
use crate::ui::step_buttons::step_buttons;

/// What the buttons of most labs do.
pub const TITLES: [&str; 4] =
    ["Before the first step (Home)", "A step back (←)", "The next step (→)", "After the last step (End)"];

/// The buttons that lead through the steps, and what else stands beside them. `ids` are those of the buttons and of the place.
#[component]
pub fn WayThrough<W: Walk>(
    walk: W,
    ids: [&'static str; 6],
    /// What the buttons do.
    #[prop(default = TITLES)]
    titles: [&'static str; 4],
    /// What the steps are of.
    #[prop(default = "Steps")]
    label: &'static str,
    /// The step that is shown, and how many there are.
    place: Memo<(u32, u32)>,
    /// There is nothing to go through.
    #[prop(optional, into)]
    away: Signal<bool>,
    #[prop(optional)] children: Option<Children>,
) -> impl IntoView {
    view! {
        <div class="inquiry-steps" class:away=move || away.get() role="group" aria-label=label>
            {step_buttons(ids, titles, place, move |to| walk.go(to))}
            {children.map(|children| children())}
        </div>
    }
}

/// What a step says.
#[component]
pub fn Caption(
    id: &'static str,
    #[prop(default = "What this step says")] label: &'static str,
    children: Children,
) -> impl IntoView {
    view! {
        <div class="inquiry-caption" id=id tabindex="0" role="group" aria-label=label aria-live="polite">{children()}</div>
    }
}

/// A step of a list, which leads there. It is set in by so many levels.
pub fn step_item<W: Walk>(
    walk: W,
    now: Signal<u32>,
    number: u32,
    sort: &'static str,
    depth: u32,
    said: impl IntoView + 'static,
) -> impl IntoView {
    let is_now = move || now.get() == number;
    let state = move || match now.get().cmp(&number) {
        std::cmp::Ordering::Equal => "now",
        std::cmp::Ordering::Greater => "done",
        std::cmp::Ordering::Less => "",
    };
    view! {
        <li style:padding-left=format!("{}px", depth * 12)>
            <button
                type="button"
                class=move || format!("inquiry-step {sort} {}", state())
                aria-current=move || is_now().then_some("step")
                on:click=move |_| walk.go_to(number)
            >
                <b>{number}"."</b>" "{said.into_any()}
            </button>
        </li>
    }
}
