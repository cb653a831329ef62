//! The head of such a lab: what is asked, how far that is, and what else could be.

use leptos::prelude::*;

use crate::app::offers::BackToSteps;
use crate::ui::prose::prose;

/// The head.
#[component]
pub fn Head(
    /// The names of what it says, and of the buttons that stop, ask again and lead back to the steps.
    ids: [&'static str; 4],
    /// What is asked.
    question: &'static str,
    /// How far that is.
    #[prop(into)]
    status: Signal<String>,
    /// Something is worked on, which `stop` ends.
    #[prop(into)]
    running: Signal<bool>,
    #[prop(into)] stop: Callback<()>,
    /// There is no answer, which `again` may change.
    #[prop(into)]
    stopped: Signal<bool>,
    #[prop(into)] again: Callback<()>,
    /// What else can be done, and the examples.
    children: Children,
) -> impl IntoView {
    let [says, stops, asks_again, closes] = ids;
    view! {
        <div class="compare-head">
            <h2>{question}</h2>
            <p class="compare-status" id=says role="status">{move || prose(&status.get())}</p>
            <Show when=move || running.get()>
                <button type="button" id=stops on:click=move |_| stop.run(())>"Stop"</button>
            </Show>
            <Show when=move || stopped.get()>
                <button type="button" id=asks_again on:click=move |_| again.run(())>"Ask again"</button>
            </Show>
            {children()}
            <BackToSteps id=closes />
        </div>
    }
}

/// What is known, as the class and the sign of what says so.
pub fn verdict(holds: Option<bool>) -> (&'static str, &'static str) {
    match holds {
        Some(true) => ("verdict consistent", "✓"),
        Some(false) => ("verdict inconsistent", "✗"),
        None => ("verdict bounded", "?"),
    }
}
