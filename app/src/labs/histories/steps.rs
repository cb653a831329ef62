//! What the monitor does, step by step, with its tree.

use leptos::prelude::*;
use litmoscope::histories::report::{NodeState, StepLine, StepTree, StepTreeNode};
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use super::inquiry::Inquiry;
use crate::app::inquiry::fields::choice;
use crate::app::inquiry::steps::{Caption, WayThrough, step_item};
use crate::app::inquiry::walk::Walk;

/// The space around the tree.
const MARGIN: f64 = 4.0;
/// How high a line of a node is.
const LINE: f64 = 15.0;
/// How deep steps are set in at most.
const DEPTH: u32 = 12;

/// The way through the steps, what the step says, and all of them.
#[component]
pub fn StepSheet() -> impl IntoView {
    let inquiry = Inquiry::get();
    let none = inquiry.part(|view| view.no_steps.clone());
    let is_there = inquiry.part(|view| view.steps.is_some());
    let title = inquiry.part(|view| view.steps.as_ref().map(|steps| steps.title.clone()));
    view! {
        <p class="empty" id="history-no-steps" class:away=move || none.with(Option::is_none)>{none}</p>
        <div class="history-steps" class:away=move || !is_there.get()>
            <h3 id="history-monitor-title">{title}</h3>
            <Choices />
            <Way />
            <Tree />
            <List />
        </div>
    }
}

/// Of which value the steps are.
#[component]
fn Choices() -> impl IntoView {
    let inquiry = Inquiry::get();
    let choices = inquiry.part(|view| view.steps.as_ref().map(|steps| (steps.choices.clone(), steps.choice)));
    move || {
        let (names, now) = choices.get().unwrap_or_default();
        (names.len() > 1).then(|| {
            let choose = move |at| inquiry.look.update(|look| (look.steps_of, look.step) = (at as u32, 0));
            let choices = choice("history-steps-of", names, Some(now as usize), "", choose);
            view! { <label class="inquiry-field">"Value " {choices}</label> }
        })
    }
}

/// The buttons, the caption and what is known.
#[component]
fn Way() -> impl IntoView {
    let inquiry = Inquiry::get();
    let place = inquiry.part(|view| view.steps.as_ref().map(|steps| (steps.step, steps.all)).unwrap_or_default());
    let caption = inquiry.part(|view| view.steps.as_ref().map(|steps| steps.caption.clone()));
    let notes = inquiry.part(|view| view.steps.as_ref().map(|steps| steps.notes.clone()).unwrap_or_default());
    view! {
        <WayThrough
            walk=inquiry
            ids=[
                "history-first",
                "history-step-back",
                "history-step-on",
                "history-last",
                "history-play",
                "history-step-place",
            ]
            place
        />
        <Caption id="history-caption">
            <p>{caption}</p>
            <ul>{move || notes.get().into_iter().map(|note| view! { <li>{note}</li> }).collect_view()}</ul>
        </Caption>
    }
}

/// All steps, or those around the one that is shown.
#[component]
fn List() -> impl IntoView {
    let inquiry = Inquiry::get();
    let listed = inquiry.part(|view| view.steps.as_ref().map(|steps| steps.listed.clone()).unwrap_or_default());
    let now = inquiry.part(|view| view.steps.as_ref().map_or(0, |steps| steps.step));
    let item = move |StepLine { number, depth, text, is_wrong }: StepLine| {
        step_item(inquiry, now.into(), number, if is_wrong { "wrong" } else { "" }, depth.min(DEPTH), text)
    };
    // The step that is shown is in sight.
    Effect::new(move |_| {
        now.track();
        listed.track();
        request_animation_frame(move || {
            let Some(list) = document().get_element_by_id("history-steps") else { return };
            let shown = list.query_selector("[aria-current]").ok().flatten();
            if let Some(shown) = shown.and_then(|shown| shown.dyn_into::<HtmlElement>().ok()) {
                let (top, high) =
                    (shown.offset_top() - list.unchecked_ref::<HtmlElement>().offset_top(), shown.offset_height());
                if top < list.scroll_top() || top + high > list.scroll_top() + list.client_height() {
                    list.set_scroll_top((top + high / 2 - list.client_height() / 2).max(0));
                }
            }
        });
    });
    view! {
        <ol class="history-step-list" id="history-steps" tabindex="0" aria-label="All steps">
            {move || listed.get().into_iter().map(item).collect_view()}
        </ol>
    }
}

fn state(state: NodeState) -> &'static str {
    match state {
        NodeState::Done => "done",
        NodeState::Now => "now",
        NodeState::Way => "way",
        NodeState::Ahead => "ahead",
        NodeState::Wrong => "wrong",
    }
}

/// The lines between nodes, with what stands on them.
fn edges(tree: &StepTree) -> impl IntoView + use<> {
    let edge = |node: &StepTreeNode| {
        let above = tree.nodes.get(node.parent? as usize)?;
        let (from, to) = ((above.x, above.y + above.height / 2.0), (node.x, node.y - node.height / 2.0));
        let middle = (f64::midpoint(from.0, to.0), f64::midpoint(from.1, to.1));
        let label = (!node.edge.is_empty()).then(|| {
            let side = if node.x < above.x { -9.0 } else { 9.0 };
            view! { <text class="history-edge-label" x=middle.0 + side y=middle.1 + 4.0>{node.edge.clone()}</text> }
        });
        let way = matches!(node.state, NodeState::Way | NodeState::Now | NodeState::Wrong);
        Some(view! {
            <line class="history-edge" class:way=way x1=from.0 y1=from.1 x2=to.0 y2=to.1></line>
            {label}
        })
    };
    tree.nodes.iter().filter_map(edge).collect_view()
}

/// The tree of the recursion, or that in which values are looked for. It is scrolled through.
#[component]
fn Tree() -> impl IntoView {
    let inquiry = Inquiry::get();
    let tree = inquiry.part(|view| view.steps.as_ref().and_then(|steps| steps.tree.clone()));
    let node = move |StepTreeNode { x, y, width, height, lines, state: now, step, title, .. }: StepTreeNode| {
        let first = y - (lines.len() as f64 - 1.0) * LINE / 2.0 + 4.0;
        let texts = lines.into_iter().enumerate();
        let texts = texts.map(|(at, line)| view! { <text x=x y=first + at as f64 * LINE>{line}</text> }).collect_view();
        let said = title.clone();
        let go = move || {
            if let Some(step) = step {
                inquiry.go_to(step);
            }
        };
        view! {
            <g
                class="history-node"
                data-state=state(now)
                role=if step.is_some() { "button" } else { "img" }
                tabindex=step.map(|_| "0")
                aria-label=said
                on:click=move |_| go()
                on:keydown=move |event| if step.is_some() && matches!(event.key().as_str(), "Enter" | " ") {
                    event.prevent_default();
                    go();
                }
            >
                <title>{title}</title>
                <rect x=x - width / 2.0 y=y - height / 2.0 width=width height=height rx="6"></rect>
                {texts}
            </g>
        }
    };
    move || {
        let tree = tree.get()?;
        let (width, height) = (tree.width + 2.0 * MARGIN, tree.height + 2.0 * MARGIN);
        let edges = edges(&tree);
        let StepTree { title, nodes, .. } = tree;
        Some(view! {
            <figure class="history-tree">
                <figcaption id="history-tree-title">{title.clone()}</figcaption>
                <div class="history-tree-frame" tabindex="0" role="group" aria-label=title>
                    <svg
                        id="history-tree"
                        width=width
                        height=height
                        viewBox=format!("{} {} {width} {height}", -MARGIN, -MARGIN)
                    >
                        {edges}
                        {nodes.into_iter().map(node).collect_view()}
                    </svg>
                </div>
            </figure>
        })
    }
}
