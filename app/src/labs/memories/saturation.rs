//! The saturation for weak causality, tuple by tuple, backwards from the reads.

use leptos::prelude::*;
use litmoscope::memories::{MemorySheet, TupleRow};

use super::inquiry::Inquiry;
use crate::app::inquiry::steps::step_item;
use crate::ui::prose::prose;

/// The tuples, and the chain of the one that is shown.
#[component]
pub fn Saturation() -> impl IntoView {
    let inquiry = Inquiry::get();
    let tuples = inquiry.part(|view| view.saturation.as_ref().map(|all| all.tuples.clone()).unwrap_or_default());
    let chain = inquiry.part(|view| view.saturation.as_ref().map(|all| all.chain.clone()).unwrap_or_default());
    let left_out = inquiry.part(|view| view.saturation.as_ref().and_then(|all| all.left_out.clone()));
    let run = inquiry.part(|view| view.saturation.as_ref().and_then(|all| all.run.clone()));
    let step = inquiry.part(|view| view.saturation.as_ref().map_or(0, |all| all.step));
    let item = move |TupleRow { number, text, by, is_exposed }: TupleRow| {
        let sort = if is_exposed { "exposed" } else { "" };
        let said = view! { <span class="memory-tuple">{text}</span>" "<span class="memory-event">{by}</span> };
        step_item(inquiry, step.into(), number, sort, 0, said)
    };
    let words = "A tuple ⟨F, q, a, e, x⟩ is about some rest of a run that starts in state q. This rest ends in a \
                 read of x that returns what register a holds in q, and whatever touches e in q happens before that \
                 read. A tuple with E instead of F says that a write w' that hides this value was found, and that \
                 whatever touches e happens before w'. The search finds tuples backwards, starting from all reads.";
    let show = move |_| {
        if let Some(run) = run.get_untracked() {
            let settings = inquiry.request.with_untracked(|request| request.settings.clone());
            inquiry.show(settings, Some(run));
            inquiry.open_sheet(MemorySheet::Verdict);
        }
    };
    view! {
        <p class="inquiry-note">{prose(words)}</p>
        <Show when=move || run.with(Option::is_some)>
            <p class="memory-chance">
                <button type="button" id="memory-witness" on:click=show>"Show the run that violates WRA"</button>
            </p>
        </Show>
        <h3>"From this tuple to its read"</h3>
        <ol id="memory-chain">{move || chain.get().into_iter().map(item).collect_view()}</ol>
        <h3>"All tuples"</h3>
        <ol id="memory-tuples">{move || tuples.get().into_iter().map(item).collect_view()}</ol>
        {move || left_out.get().map(|more| view! { <p class="inquiry-note">{more}</p> })}
    }
}
