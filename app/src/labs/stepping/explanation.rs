//! The step in words, and T, S and U of the algorithm.

use gloo::events::EventListener;
use leptos::prelude::*;
use litmoscope::explore::{Column, Columns, Direction, StateTable};
use litmoscope::session::{OptionView, PendingView};

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use crate::app::App;
use crate::browser;
use crate::ui::scene::around::Pointed;

/// What is said of a text that nothing was explored of.
const NOTHING: &str = "There is nothing to step through until you correct the errors in the text.";

/// The same if there is no text.
const NO_PROGRAM: &str = "There is nothing to step through yet.";

/// What else makes the first step.
const FIRST_KEY: &str = " So does the right arrow key.";

/// The name and the explanation of the current step.
#[component]
pub fn Explanation() -> impl IntoView {
    let app = App::get();
    let name =
        Memo::new(move |_| app.seen.with(|view| view.as_ref().map(|view| view.step_name.clone()).unwrap_or_default()));
    let text = Memo::new(move |_| {
        // A lecturer has the word.
        let note = app.scene.with(|scene| scene.as_ref().map(|scene| scene.note.clone()));
        note.filter(|note| !note.trim().is_empty()).unwrap_or_else(|| {
            let explanation = app.seen.with(|view| {
                view.as_ref().map(|view| {
                    let key = if view.position == 0 { browser::by_device(FIRST_KEY, "") } else { "" };
                    format!("{}{key}", view.explanation)
                })
            });
            let unread = app.document.checked.with(|checked| match (checked.broken, checked.diagnostics.is_empty()) {
                (true, true) => Some(NO_PROGRAM.to_owned()),
                (true, false) => Some(NOTHING.to_owned()),
                (false, _) => None,
            });
            explanation.or(unread).unwrap_or_default()
        })
    });
    let remark = Memo::new(move |_| {
        app.seen
            .with(|view| Some(view.as_ref()?.violation.as_ref()?.remark.clone()).filter(|remark| !remark.is_empty()))
    });
    let class = move || format!("step-name step-{}", name.get().replace(' ', "-"));
    view! {
        <div class="explanation" tabindex="0" role="group" aria-label="This step in words" class:faded=move || !app.session.current.get()>
            <span id="step-name" class=class>{name}</span>
            <p id="explanation" aria-live="polite">{text}</p>
            {move || remark.get().map(|remark| view! { <p class="remark" id="remark">{remark}</p> })}
        </div>
    }
}

/// The name under which it is kept that the pseudo-code is unfolded.
const UNFOLDED: &str = "pseudo-code";

/// The algorithm's lines, with the one that made the current step; folded away at first. They are written as text: a view for
/// each would be a hundredth of the page's module.
#[component]
pub fn PseudoCode() -> impl IntoView {
    let app = App::get();
    Effect::new(move |begun: Option<()>| {
        let current = app.seen.with(|view| view.as_ref()?.line);
        let pseudo_code = app.document.algorithm.get().definition().pseudo_code;
        let Some(block) = document().get_element_by_id("pseudo-code") else { return };
        let Some(list) = block.last_element_child() else { return };
        list.set_text_content(None);
        for (at, line) in (0..).zip(pseudo_code.lines()) {
            let Ok(item) = document().create_element("li") else { return };
            item.set_text_content(Some(line.text));
            if current == Some(at) {
                let _ = item.set_attribute("aria-current", "step");
            }
            let _ = list.append_child(&item);
        }
        bring_in_sight(&list);
        if begun.is_none() {
            if browser::load(UNFOLDED).is_some() {
                let _ = block.set_attribute("open", "");
            }
            let toggled = block.clone();
            let keep = move |_: &_| {
                if toggled.has_attribute("open") {
                    browser::store(UNFOLDED, "");
                } else {
                    browser::forget(UNFOLDED);
                }
                bring_in_sight(&list);
            };
            EventListener::new(&block, "toggle", keep).forget();
        }
    });
    view! {
        <details id="pseudo-code">
            <summary>"Pseudo-code"</summary>
            <ol tabindex="0" aria-label="Pseudo-code"></ol>
        </details>
    }
}

/// Scrolls the lines, and nothing else, so that the current one is in the middle.
fn bring_in_sight(list: &Element) {
    let current = list.query_selector("[aria-current]").ok().flatten();
    if let Some(current) = current.and_then(|line| line.dyn_into::<HtmlElement>().ok()) {
        list.set_scroll_top(current.offset_top() - (list.client_height() - current.offset_height()) / 2);
    }
}

fn option(option: OptionView, taken_matters: bool) -> impl IntoView {
    let (class, arrow, words) = match option.direction {
        Direction::Forward => ("option forward", "→", "forward option"),
        Direction::Backward => ("option backward", "↩", "backward option"),
        Direction::Placement => ("option forward", "↷", "later in co"),
        Direction::Schedule => ("option backward", "↩", "schedule"),
        Direction::Order => ("option forward", "→", "order"),
        Direction::Backtrack => ("option backward", "↩", "in its place"),
    };
    let keeps = (!option.keeps.is_empty()).then(|| format!(" keeps {}", option.keeps.join(", ")));
    let taken = (taken_matters && option.taken).then(|| {
        view! { <span class="taken"><span aria-hidden="true">"✓"</span><span class="sr-only">" taken"</span></span> }
    });
    let arrow = (!taken_matters).then(|| {
        view! {
            <span class="arrow" title=words><span aria-hidden="true">{arrow}</span><span class="sr-only">{words}": "</span></span>
        }
    });
    let failure = option.spurious.then_some(", fails spuriously");
    view! { <li class=class>{arrow}{option.write}{failure}<span class="keeps">{keeps}</span>{taken}</li> }
}

fn row(app: App, pending: PendingView, columns: &'static Columns) -> impl IntoView {
    let key = pending.key;
    let list = |options: Vec<OptionView>, of_u: bool| {
        if options.is_empty() {
            view! { <span class="none">"–"</span> }.into_any()
        } else {
            view! { <ul>{options.into_iter().map(|o| option(o, of_u)).collect_view()}</ul> }.into_any()
        }
    };
    // S is a stack: the option taken next stands on top.
    let mut options = pending.options;
    options.reverse();
    view! {
        <tr
            on:pointerenter=move |_| app.around.pointed.set(Some(Pointed::Event(key)))
            on:pointerleave=move |_| app.around.pointed.set(None)
        >
            <th scope="row">{pending.read}</th>
            <td>
                {if pending.revisitable {
                    let (mark, meaning) = columns.may_change;
                    view! { <span class="badge-t" title=meaning>{mark}</span> }.into_any()
                } else {
                    let (mark, meaning) = columns.stays;
                    view! { <span class="none" title=meaning>{mark}</span> }.into_any()
                }}
            </td>
            <td>{list(options, false)}</td>
            <td>{list(pending.explored, true)}</td>
        </tr>
    }
}

fn head(column: Column) -> impl IntoView {
    let gloss = (!column.gloss.is_empty()).then(|| view! { <span class="gloss">" "{column.gloss}</span> });
    view! { <th scope="col" title=column.title>{column.name}{gloss}</th> }
}

/// What the algorithm keeps beside the graph, a row a read.
#[component]
pub fn Pending() -> impl IntoView {
    let app = App::get();
    let pending =
        Memo::new(move |_| app.seen.with(|view| view.as_ref().map(|view| view.pending.clone()).unwrap_or_default()));
    move || {
        // Only steps have it.
        if app.whole.shown.get() {
            return view! { <p class="empty">"What the algorithm keeps beside its graph is shown at its steps."</p> }
                .into_any();
        }
        let pending = pending.get();
        let columns = match app.document.algorithm.get().definition().state {
            StateTable::Pending(columns) if !pending.is_empty() => columns,
            StateTable::Pending(columns) => return view! { <p class="empty">{columns.empty}</p> }.into_any(),
            StateTable::None(why) => return view! { <p class="empty">{why}</p> }.into_any(),
        };
        view! {
            <table class="pending" id="pending">
                <caption class="sr-only">{columns.caption}</caption>
                <thead>
                    <tr>
                        <th scope="col">{columns.row}</th>
                        {head(columns.revisitable)}
                        {head(columns.options)}
                        {head(columns.proposed)}
                    </tr>
                </thead>
                <tbody>{pending.into_iter().map(|pending| row(app, pending, columns)).collect_view()}</tbody>
            </table>
        }
        .into_any()
    }
}
