//! Why a history is not linearizable: reasons, and the few operations that contradict each other, beside the whole.

use std::collections::HashSet;
use std::sync::Arc;

use leptos::html;
use leptos::prelude::*;
use litmoscope::histories::report::{HistoryVerdict, Part, ToldOperations};

use super::inquiry::Inquiry;
use super::timeline::{Bars, Threads, height, scale};
use super::window;
use crate::app::inquiry::told::told;
use crate::browser;

/// Sentences on operations: to point at one brings its bars out, to click on it brings them in sight.
pub fn on_operations(inquiry: Inquiry, all: Vec<ToldOperations>, id: &'static str) -> impl IntoView {
    let sentences = all.clone().into_iter().map(|told| (told.text, told.operations));
    told(id, inquiry.pointed, sentences, move |at| {
        if let Some(told) = all.get(at) {
            inquiry.bring(told);
        }
    })
}

/// Why it is not linearizable.
#[component]
pub fn ReasonSheet() -> impl IntoView {
    let inquiry = Inquiry::get();
    let reasons = inquiry.part(|view| view.reasons.clone());
    let as_printed = inquiry.part(|view| view.as_printed.clone());
    let has_more = inquiry.part(|view| view.has_more);
    let none = inquiry.part(|view| view.no_contradiction.clone());
    let verdict = Memo::new(move |_| inquiry.view.with(|view| view.as_ref().map(|view| view.verdict)));
    let is_wrong = inquiry.part(|view| view.code.as_ref()?.shown.as_ref().map(|shown| shown.is_wrong));
    let nothing = move || {
        // The verdict on a program is none on the execution that is shown.
        let is_wrong = is_wrong.get();
        let text = match is_wrong.map_or(verdict.get()?, |is_wrong| {
            if is_wrong { HistoryVerdict::Not } else { HistoryVerdict::Linearizable }
        }) {
            HistoryVerdict::Linearizable => {
                "There is an order in which each operation takes effect at a single moment, between its call and its return. “Solve” shows it."
            }
            HistoryVerdict::Unknown => "No contradiction is known.",
            HistoryVerdict::NoObject => {
                "Say what the object is: above, or in the text’s first line, as in “history s stack”."
            }
            HistoryVerdict::Not => return None,
        };
        reasons.with(Vec::is_empty).then(|| view! { <p class="empty">{text}</p> })
    };
    view! {
        {nothing}
        {move || {
            let reasons = reasons.get();
            (!reasons.is_empty()).then(|| on_operations(inquiry, reasons, "history-reasons"))
        }}
        <p class="why-note" id="history-as-printed" class:away=move || as_printed.with(Option::is_none)>
            <b>"As printed: "</b>{as_printed}
        </p>
        <p class="empty" id="history-looking" class:away=move || !(has_more.get() && inquiry.running.get())>
            "Looking for the few operations that contradict each other…"
        </p>
        <p class="empty" class:away=move || none.with(Option::is_none)>{none}</p>
        <Small />
    }
}

/// The few operations that contradict each other.
#[component]
fn Small() -> impl IntoView {
    let inquiry = Inquiry::get();
    let found = inquiry.part(|view| view.contradiction.clone());
    let timeline = Memo::new(move |_| found.with(|found| found.as_ref().map(|found| Arc::new(found.timeline.clone()))));
    let part = inquiry.part(|view| view.part);
    let facts =
        Memo::new(move |_| found.with(|found| found.as_ref().map(|found| found.facts.clone()).unwrap_or_default()));
    let said = move || found.with(|found| found.as_ref().map(|found| found.sentence.clone()));
    let lit = Memo::new(move |_| {
        let pointed: HashSet<u32> = inquiry.pointed.get().into_iter().collect();
        found.with(|found| {
            let all = found.iter().flat_map(|found| found.operations.iter().enumerate());
            all.filter(|(_, whole)| pointed.contains(whole)).map(|(own, _)| own as u32).collect()
        })
    });
    let plane = NodeRef::<html::Div>::new();
    let size = RwSignal::new((0.0, 0.0));
    browser::observe_size(plane, size);
    let at = Memo::new(move |_| {
        let moments = timeline.with(|timeline| timeline.as_ref().map_or(1, |all| all.moments));
        scale(window::whole(moments), size.get().0.max(1.0))
    });
    let high = move || timeline.with(|timeline| height(timeline.as_deref()));
    let alone = move || part.get() == Part::Contradiction;
    view! {
        <div class="history-small" id="history-small" class:away=move || found.with(Option::is_none)>
            <p class="history-small-head">
                <strong id="history-small-says">{said}</strong>
                <button
                    type="button"
                    id="history-alone"
                    aria-pressed=move || alone().to_string()
                    on:click=move |_| inquiry.show_part(if alone() { Part::Whole } else { Part::Contradiction })
                >
                    "Show it alone"
                </button>
            </p>
            <div
                class="history-timeline small"
                role="group"
                aria-label="The operations that contradict each other"
                style=("--first", move || at.get().0)
                style=("--scale", move || at.get().1)
            >
                <div class="history-sheet" style:height=move || format!("{}px", high())>
                    <Threads timeline />
                    <div class="history-plane" node_ref=plane><Bars timeline lit /></div>
                </div>
            </div>
            {move || on_operations(inquiry, facts.get(), "history-facts")}
        </div>
    }
}
