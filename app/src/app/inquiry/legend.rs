//! What the edges of a drawing mean, and which of them are drawn.

use std::sync::Arc;

use leptos::prelude::*;
use litmoscope::report::{Drawing, EdgeKind, OwnKind};

use crate::app::App;
use crate::ui::scene::legend::Arrow;

/// A relation of a legend.
#[derive(Clone, PartialEq)]
pub struct Entry<R> {
    /// Which.
    pub relation: R,
    /// What it is called.
    pub name: &'static str,
    /// What it is drawn as.
    pub kind: EdgeKind,
    /// What it means, in a sentence.
    pub meaning: String,
}

/// The relations, each a button that shows or hides it.
#[component]
pub fn Legend<R: Copy + PartialEq + Send + Sync + 'static>(
    id: &'static str,
    /// The relations.
    #[prop(into)]
    entries: Signal<Vec<Entry<R>>>,
    /// What is drawn.
    #[prop(into)]
    drawing: Signal<Option<Arc<Drawing>>>,
    /// The kinds of edges that such drawings alone have.
    kinds: Memo<Vec<OwnKind>>,
    /// Those that are not drawn.
    #[prop(into)]
    hidden: Signal<Vec<R>>,
    /// Draws others.
    #[prop(into)]
    hide: Callback<Vec<R>>,
) -> impl IntoView {
    let app = App::get();
    let entry = move |Entry { relation, name, kind, meaning }: Entry<R>| {
        let own = move |kind: u8| kinds.with(|kinds| kinds.get(usize::from(kind)).cloned());
        let colour = move || match kind {
            EdgeKind::Relation(relation) => app.around.colour(relation).to_owned(),
            EdgeKind::Own(kind) => own(kind).map(|own| own.color(app.around.look.get()).to_owned()).unwrap_or_default(),
        };
        let dash = move || match kind {
            // rf and co are given, and solid.
            EdgeKind::Relation(relation) => drawing
                .with(|drawing| drawing.as_ref().map(|drawing| drawing.dash(relation).to_owned()).unwrap_or_default()),
            EdgeKind::Own(kind) => own(kind).map(|own| own.dash.to_string()).unwrap_or_default(),
        };
        let toggle = move |_| {
            let mut hidden = hidden.get_untracked();
            match hidden.iter().position(|hidden| *hidden == relation) {
                Some(at) => drop(hidden.remove(at)),
                None => hidden.push(relation),
            }
            hide.run(hidden);
        };
        view! {
            <button
                type="button"
                class="relation"
                data-relation=name
                aria-pressed=move || hidden.with(|hidden| !hidden.contains(&relation)).to_string()
                title=meaning
                on:click=toggle
            >
                <Arrow color=Signal::derive(colour) dash=Signal::derive(dash) />
                {name}
            </button>
        }
    };
    view! {
        <div class="inquiry-legend" id=id role="group" aria-label="Relations shown">
            {move || entries.get().into_iter().map(entry).collect_view()}
        </div>
    }
}
