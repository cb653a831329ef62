//! The card beside the graph with the answer, and the list of a violated axiom's cycle.

use std::sync::Arc;

use leptos::html;
use leptos::prelude::*;
use litmoscope::graph::RelationName;
use litmoscope::report::EdgeKey;
use litmoscope::session::{EdgeReply, EventReply, Fact, PathReply, ReasonView, Reply, StepView};

use super::reading::{GRAPH, Reading, answer};
use crate::app::App;
use crate::ui::scene::around::Pointed;
use crate::ui::way::{Broken, steps_view};

/// The answer to what is asked, in words.
#[component]
pub fn Card() -> impl IntoView {
    let (app, reading) = (App::get(), Reading::get());
    let answer = answer(app, reading);
    let pinned = move || reading.pinned.get().is_some();
    let card = NodeRef::<html::Div>::new();
    Effect::new(move |_| {
        answer.track();
        if let Some(card) = card.get() {
            card.set_scroll_top(0);
        }
    });
    let body = move || {
        let Some(answer) = answer.get() else {
            let hint = if app.seen.with(Option::is_none) {
                ""
            } else if pinned() {
                "What is pinned is not in this graph."
            } else {
                "Point at an event or an edge to read it. Click an event to pin it, and another for the path between them."
            };
            return view! { <p class="empty">{hint}</p> }.into_any();
        };
        match &*answer {
            Reply::Event(event) => event_view(app, reading, event).into_any(),
            Reply::Edge(edge) => edge_view(reading, edge).into_any(),
            Reply::Path(path) => path_view(reading, path).into_any(),
            // Its place is the panel that asked.
            Reply::Execution(_) => ().into_any(),
        }
    };
    view! {
        <div class="reading-card" id="reading-card" node_ref=card tabindex="0" role="group" aria-label="What is pointed at">
            <Show when=pinned>
                <p class="card-pin">
                    "Pinned "
                    <button type="button" id="unpin" title="Unpin (Esc)" aria-label="Unpin" on:click=move |_| reading.let_go()>
                        "×"
                    </button>
                </p>
            </Show>
            <div id="reading-text" aria-live="polite">{body}</div>
            <Show when=move || reading.target.get().is_some()><Relations /></Show>
        </div>
    }
}

/// What paths may consist of.
#[component]
fn Relations() -> impl IntoView {
    let (app, reading) = (App::get(), Reading::get());
    let relations =
        Memo::new(move |_| app.seen.with(|view| view.as_ref().map(|view| view.relations.clone()).unwrap_or_default()));
    let entry = move |relation: RelationName| {
        let on = move || reading.relations.with(|relations| relations.contains(&relation));
        let toggle = move |_| {
            reading.relations.update(|relations| {
                if !relations.remove(&relation) {
                    relations.insert(relation);
                }
            });
        };
        view! {
            <button
                type="button"
                data-path-relation=relation.name()
                title=relation.meaning()
                aria-pressed=move || on().to_string()
                on:click=toggle
            >
                {relation.name()}
            </button>
        }
    };
    view! {
        <div class="path-relations" role="group" aria-label="Relations of the path">
            <span>"by"</span>
            <For each=move || relations.get() key=|relation| *relation children=entry />
        </div>
    }
}

fn event_view(app: App, reading: Reading, event: &EventReply) -> impl IntoView + use<> {
    let fact = move |fact: &Fact| {
        let value = fact.value.clone();
        let value = match (fact.event, fact.span) {
            (Some(key), _) => view! {
                <button type="button" class="to" title="Pin it" on:click=move |_| {
                    reading.let_go();
                    reading.pin(Pointed::Event(key));
                }>
                    <code>{value}</code>
                </button>
            }
            .into_any(),
            (None, Some(span)) => view! {
                <button type="button" class="to" title="Go there" on:click=move |_| app.go_to_text(span)>{value}</button>
            }
            .into_any(),
            (None, None) => view! { <span>{value}</span> }.into_any(),
        };
        view! { <dt>{fact.term.clone()}</dt><dd>{value}</dd> }
    };
    view! {
        <h3><code>{event.title.clone()}</code></h3>
        <p>{event.sentence.clone()}</p>
        <dl>{event.facts.iter().map(fact).collect_view()}</dl>
    }
}

fn edge_view(reading: Reading, edge: &EdgeReply) -> impl IntoView + use<> {
    // The first says why this edge is there.
    let first = edge.reasons.first().map(|reason| reason_view(reading, reason, false));
    let others: Vec<_> = edge.reasons.iter().skip(1).map(|reason| reason_view(reading, reason, true)).collect();
    let others = (!others.is_empty()).then(|| view! { <ul class="grounds">{others}</ul> });
    view! {
        <h3><code>{edge.title.clone()}</code></h3>
        <p class="gloss">{edge.meaning.clone()}</p>
        <ul class="grounds first">{first}</ul>
        {others}
    }
}

fn reason_view(reading: Reading, reason: &ReasonView, titled: bool) -> impl IntoView + use<> {
    let title = titled.then(|| view! { <code class="ground">{reason.title.clone()}</code> });
    let way = (!reason.steps.is_empty()).then(|| way(reading, &reason.steps));
    view! { <li>{title}<p>{reason.sentence.clone()}</p>{way}</li> }
}

fn path_view(reading: Reading, path: &PathReply) -> impl IntoView + use<> {
    let way = (!path.steps.is_empty()).then(|| way(reading, &path.steps));
    let reasons: Vec<_> = path.reasons.iter().map(|reason| reason_view(reading, reason, true)).collect();
    let reasons = (!reasons.is_empty()).then(|| view! { <ul class="grounds">{reasons}</ul> });
    view! {
        <h3><code>{path.title.clone()}</code></h3>
        <p>{path.sentence.clone()}</p>
        {way}
        {reasons}
    }
}

/// Pins an edge that was clicked on.
fn pin(reading: Reading) -> Callback<EdgeKey> {
    Callback::new(move |edge| {
        reading.let_go();
        reading.pin(Pointed::Edge(edge));
    })
}

fn way(reading: Reading, steps: &[StepView]) -> impl IntoView + use<> {
    steps_view(GRAPH, steps, Some(pin(reading)))
}

/// Why the graph in sight is dropped.
#[component]
pub fn Dropped() -> impl IntoView {
    let app = App::get();
    let violation = Memo::new(move |_| app.seen.with(|view| view.as_ref()?.violation.clone().map(Arc::new)));
    view! {
        <div id="dropped" role="group" aria-label="Why the graph is dropped" class:away=move || violation.with(Option::is_none)>
            <Broken violation scene=GRAPH pick=pin(Reading::get()) />
        </div>
    }
}
