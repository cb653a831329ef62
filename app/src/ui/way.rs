//! Ways through a drawing, edge by edge, as text: paths and violated axioms' cycles.

use std::sync::Arc;

use leptos::prelude::*;
use litmoscope::graph::RelationName;
use litmoscope::report::EdgeKey;
use litmoscope::session::{StepView, ViolationView};

use super::scene::around::Around;

/// A way edge by edge. To point at one shows it in the drawing of this name; a click on it may do more.
pub fn steps_view(scene: &'static str, steps: &[StepView], pick: Option<Callback<EdgeKey>>) -> impl IntoView + use<> {
    let around = Around::get();
    let step = move |(at, step): (usize, &StepView)| {
        let edge = step.edge;
        let on = move || around.step.set(Some((scene, edge)));
        let off = move || {
            if around.step.get_untracked() == Some((scene, edge)) {
                around.step.set(None);
            }
        };
        on_cleanup(off);
        // The first event is where the way starts; the others are told once.
        let from = (at == 0).then(|| view! { <code>{step.from.clone()}</code>" " });
        let pick = move |_| {
            if let Some(pick) = pick {
                pick.run(edge);
            }
        };
        view! {
            <li>
                {from}
                <button
                    type="button"
                    class="way-step"
                    data-step=edge.kind.relation().map(RelationName::name)
                    on:pointerenter=move |_| on()
                    on:pointerleave=move |_| off()
                    on:focus=move |_| on()
                    on:blur=move |_| off()
                    on:click=pick
                >
                    <code>{step.arrow.clone()}" "{step.to.clone()}</code>
                </button>
            </li>
        }
    };
    view! { <ol class="way">{steps.iter().enumerate().map(step).collect_view()}</ol> }
}

/// A violated axiom: what it demands, how the cycle breaks it, and the cycle edge by edge, in the drawing of this name.
#[component]
pub fn Broken(
    #[prop(into)] violation: Signal<Option<Arc<ViolationView>>>,
    scene: &'static str,
    /// What a click on an edge does.
    #[prop(optional, into)]
    pick: Option<Callback<EdgeKey>>,
) -> impl IntoView {
    move || {
        violation.get().map(|violation| {
            view! {
                <div class="broken">
                    <p>"Violates " <b>{violation.axiom.clone()}</b> " by this cycle:"</p>
                    {steps_view(scene, &violation.steps, pick)}
                    <p>{violation.breach.clone()}</p>
                    <p class="gloss">"The axiom: " {violation.meaning.clone()}</p>
                </div>
            }
        })
    }
}
