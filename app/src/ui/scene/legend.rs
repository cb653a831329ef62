//! What the edges of drawings are called.

use std::sync::Arc;

use leptos::prelude::*;
use litmoscope::graph::RelationName;
use litmoscope::report::{Drawing, HEAD_PATH};

use super::around::Around;

/// Names of as many relations have room beside a sentence.
const FEW: usize = 4;

/// An arrow as the edges of a relation are drawn.
#[component]
pub fn Sample(relation: RelationName, #[prop(into)] dash: Signal<String>) -> impl IntoView {
    let around = Around::get();
    view! { <Arrow color=Signal::derive(move || around.colour(relation).to_owned()) dash /> }
}

/// An arrow as some edges are drawn.
#[component]
pub fn Arrow(color: Signal<String>, dash: Signal<String>) -> impl IntoView {
    view! {
        <svg width="34" height="12" aria-hidden="true">
            <path class="sample" d="M1 6H27" stroke=color stroke-dasharray=dash></path>
            <path d=HEAD_PATH transform="translate(33 6)" fill=color></path>
        </svg>
    }
}

/// The relations of drawings by their names, each with its arrow.
#[component]
pub fn Relations(
    /// What is drawn.
    #[prop(into)]
    drawings: Signal<Vec<Arc<Drawing>>>,
) -> impl IntoView {
    let relations = Memo::new(move |_| {
        drawings.with(|drawings| {
            let drawn = |relation: &RelationName| {
                drawings.iter().flat_map(|drawing| &drawing.edges).any(|edge| edge.kind == *relation)
            };
            RelationName::ALL.into_iter().filter(drawn).collect::<Vec<_>>()
        })
    });
    let entry = move |relation: RelationName| {
        let dash = move || drawings.with(|all| all.first().map_or("", |drawing| drawing.dash(relation)).to_owned());
        // `po, program order: the order of ...`
        let names = relation.meaning().split(':').next().unwrap_or_default();
        let (short, long) = names.split_at(names.find(',').unwrap_or(names.len()));
        view! {
            <li title=relation.meaning()><Sample relation dash=Signal::derive(dash) /><b>{short}<span>{long}</span></b></li>
        }
    };
    view! {
        <ul
            class="relations"
            aria-label="Relations drawn"
            class:away=move || relations.with(Vec::is_empty)
            class:many=move || relations.with(|all| all.len() > FEW)
        >
            {move || relations.get().into_iter().map(entry).collect_view()}
        </ul>
    }
}
