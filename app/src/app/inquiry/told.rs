//! Sentences on edges or operations, and the drawing in which these are brought out.

use std::sync::Arc;

use leptos::prelude::*;
use litmoscope::report::{Drawing, EdgeKey};

use crate::ui::scene::Scene;
use crate::ui::scene::around::Pointed;
use crate::ui::scene::camera::{Stage, size_lit};

/// Sentences, each with what to point at it brings out. A click on one is told by its place.
pub fn told<T: Clone + PartialEq + Send + Sync + 'static>(
    id: &'static str,
    pointed: RwSignal<Vec<T>>,
    all: impl IntoIterator<Item = (String, Vec<T>)>,
    click: impl Fn(usize) + Clone + 'static,
) -> impl IntoView {
    let item = move |(at, (text, about)): (usize, (String, Vec<T>))| {
        let (about, click) = (StoredValue::new(about), click.clone());
        let on = move || pointed.set(about.get_value());
        let off = move || {
            if pointed.with_untracked(|pointed| about.with_value(|about| pointed == about)) {
                pointed.set(Vec::new());
            }
        };
        view! {
            <li>
                <button
                    type="button"
                    class="inquiry-told"
                    on:pointerenter=move |_| on()
                    on:pointerleave=move |_| off()
                    on:focus=move |_| on()
                    on:blur=move |_| off()
                    on:click=move |_| click(at)
                >
                    {text}
                </button>
            </li>
        }
    };
    view! { <ol id=id>{all.into_iter().enumerate().map(item).collect_view()}</ol> }
}

/// A drawing beside what is told of it, or why there is none.
#[component]
pub fn Drawn(
    /// The drawing.
    #[prop(into)]
    drawing: Signal<Option<Arc<Drawing>>>,
    /// The names of its panel and its own.
    ids: [&'static str; 2],
    /// What it is.
    name: &'static str,
    /// Edges to bring out.
    #[prop(into)]
    lights: Signal<Vec<EdgeKey>>,
    /// Why it is not drawn.
    #[prop(optional, into)]
    none: Signal<Option<String>>,
    /// What a click on something does, or beside everything.
    #[prop(default = Callback::new(|_| ()), into)]
    pick: Callback<Option<Pointed>>,
    /// Another drawing is seen whole, wherever the one before was moved to.
    #[prop(optional)]
    anew: bool,
) -> impl IntoView {
    let stage = Stage::beside(1.6, move || {
        lights.with(|lit| drawing.with(|drawing| drawing.as_ref().map(|drawing| size_lit(drawing, lit))))
    });
    if anew {
        Effect::new(move |_| {
            drawing.track();
            stage.fit();
        });
    }
    let [id, graph_id] = ids;
    view! {
        <p class="empty" class:away=move || none.with(Option::is_none)>{none}</p>
        <div class="side-graph" class:away=move || drawing.with(Option::is_none)>
            <Scene stage drawing id graph_id name hide_po=false faded=false lights pick />
        </div>
    }
}
