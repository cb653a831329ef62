//! What is told beside the tree: steps, a node, a refinement.

use leptos::prelude::*;
use litmoscope::schedules::view::verify::{
    NodeView, RefinedNode, RefinementView, StepLine, ThreadAt, WrongStep, WrongView,
};

use super::inquiry::{Inquiry, Verifying, part};
use crate::app::inquiry::steps::step_item;
use crate::app::inquiry::told::told;
use crate::ui::prose::prose;

/// The steps around the one that is shown.
#[component]
pub fn Steps() -> impl IntoView {
    let inquiry = Inquiry::get();
    let steps = part(|view| view.steps.clone());
    let now = part(|view| view.step);
    let item = move |StepLine { number, kind, text }: StepLine| {
        let sort = match &kind[..] {
            "result" => "in-order",
            "wrong" => "contradiction",
            "start" => "guess",
            _ => "derived",
        };
        view! { {step_item(Verifying(inquiry), now.into(), number, sort, 0, prose(&text))} }
    };
    move || {
        let steps = steps.get();
        if steps.is_empty() {
            return view! { <p class="empty">"There is no step yet."</p> }.into_any();
        }
        view! { <ol id="schedule-steps" aria-label="Steps of the verifier">{steps.into_iter().map(item).collect_view()}</ol> }
            .into_any()
    }
}

/// A node: where threads are, what holds, by what it is covered or why not; and the run that goes wrong there.
#[component]
pub fn Node() -> impl IntoView {
    let inquiry = Inquiry::get();
    let node = part(|view| view.node.clone());
    let wrong = part(|view| view.wrong.clone());
    let thread = |ThreadAt { thread, at, known }: ThreadAt| {
        let known = (!known.is_empty()).then(|| view! { <br /><small>{prose(&known)}</small> });
        view! { <tr><th scope="row">{thread}</th><td>{prose(&at)}{known}</td></tr> }
    };
    let shown = move |NodeView { name, region, label, threads, coverings }: NodeView| {
        let covered = (!coverings.is_empty()).then(|| {
            let all = coverings.into_iter().map(|told| (told.text, told.edges));
            view! {
                <h3>"Coverings"</h3>
                <p class="inquiry-note">"Point at a sentence to see its way in the tree."</p>
                {told("schedule-coverings", inquiry.pointed, all, |_| ())}
            }
        });
        view! {
            <h3 id="schedule-node">{name}", "{region.words()}</h3>
            <p>"In every run that gets here: "<code id="schedule-label">{label}</code></p>
            <table class="inquiry-table" id="schedule-threads">
                <tbody>{threads.into_iter().map(thread).collect_view()}</tbody>
            </table>
            {covered}
        }
    };
    view! {
        {move || wrong.get().map(|wrong| view! { <Wrong wrong /> })}
        {move || node.get().map(shown)}
    }
}

/// A run that goes wrong.
#[component]
fn Wrong(wrong: WrongView) -> impl IntoView {
    let WrongView { text, start, steps } = wrong;
    let row = |(number, WrongStep { thread, event, line, values }): (usize, WrongStep)| {
        view! {
            <tr>
                <th scope="row">{number}</th>
                <td><b>{thread}</b>" "<code>{event}</code>" "<small>"line "{line}</small></td>
                <td>{values}</td>
            </tr>
        }
    };
    view! {
        <p class="inquiry-trouble" id="schedule-wrong">{prose(&text)}</p>
        <p class="inquiry-note">"At the start: "{start}</p>
        <table class="inquiry-table" id="schedule-wrong-run">
            <thead><tr><th scope="col">"Step"</th><th scope="col">"Event"</th><th scope="col">"Values behind it"</th></tr></thead>
            <tbody>{(1..).zip(steps).map(row).collect_view()}</tbody>
        </table>
    }
}

/// The path whose labels become stronger, from its end backwards.
#[component]
pub fn Refinement() -> impl IntoView {
    let refinement = part(|view| view.refinement.clone());
    let row = |RefinedNode { name, step, predicate, change }: RefinedNode| {
        let change = change.map(|(before, after)| {
            view! { <br /><small>"label "<code>{before}</code>" becomes "<code>{after}</code></small> }
        });
        let step = (!step.is_empty()).then(|| view! { <br /><small class="schedule-by">"by "{step}</small> });
        view! {
            <tr>
                <th scope="row">{name}{step}</th>
                <td><code>{predicate}</code>{change}</td>
            </tr>
        }
    };
    let shown = move |RefinementView { why, path, breaks }: RefinementView| {
        let breaks = (!breaks.is_empty()).then(|| {
            view! {
                <h3>"Coverings that break"</h3>
                <ul id="schedule-breaks">{breaks.into_iter().map(|said| view! { <li>{prose(&said)}</li> }).collect_view()}</ul>
            }
        });
        view! {
            <p>{prose(&why)}</p>
            <table class="inquiry-table" id="schedule-refinement">
                <thead><tr><th scope="col">"Node"</th><th scope="col">"Has to hold there"</th></tr></thead>
                <tbody>{path.into_iter().map(row).collect_view()}</tbody>
            </table>
            {breaks}
        }
    };
    move || {
        match refinement.get() {
        Some(refinement) => shown(refinement).into_any(),
        None => view! {
            <p class="empty">
                "This step refines nothing. Go to a step that asks whether a path can be taken, or makes a label stronger."
            </p>
        }
        .into_any(),
    }
    }
}
