//! The executions of a program with an object: which one is shown, its graph beside its history, and the way to its step.

use leptos::prelude::*;
use litmoscope::histories::report::CodeChoice;
use litmoscope::session::{Aspect, Settings};

use super::contradiction::on_operations;
use super::inquiry::{Inquiry, Source};
use crate::app::App;
use crate::app::inquiry::fields::choice;
use crate::app::inquiry::told::Drawn;
use crate::app::lab::Tab;
use crate::document::Whose;

/// Which object, and what says that an operation returned before another one was called.
#[component]
pub fn Objects() -> impl IntoView {
    let inquiry = Inquiry::get();
    let objects =
        inquiry.part(|view| view.code.as_ref().map(|code| (code.objects.clone(), code.structure)).unwrap_or_default());
    let orders = inquiry.part(|view| view.code.as_ref().map(|code| (code.orders.clone(), code.order)));
    let object = move || {
        let (names, now) = objects.get();
        (names.len() > 1).then(|| {
            let choose = move |at: usize| {
                if let Ok(structure) = at.try_into() {
                    inquiry.choose(|look| (look.code.structure, look.code.shown) = (structure, CodeChoice::default()));
                }
            };
            let choices = choice("history-structure", names, Some(now.into()), "", choose);
            view! { <label class="inquiry-field">"Object " {choices}</label> }
        })
    };
    let order = move || {
        let (all, now) = orders.get()?;
        let about = all.iter().find(|(sight, ..)| *sight == now).map(|(_, _, about)| about.clone());
        let sights: Vec<_> = all.iter().map(|(sight, ..)| *sight).collect();
        let option = |(sight, name, about): (_, String, String)| {
            view! { <option value=name.clone() title=about selected=sight == now>{name.clone()}</option> }
        };
        Some(view! {
            <label class="inquiry-field" title=about>
                "Order by "
                <select
                    id="history-order-by"
                    on:change:target=move |event| {
                        let name = event.target().value();
                        if let Some(order) = sights.iter().find(|sight| sight.name() == name) {
                            inquiry.choose(|look| (look.code.order, look.code.shown) = (*order, CodeChoice::default()));
                        }
                    }
                >
                    {all.into_iter().map(option).collect_view()}
                </select>
            </label>
        })
    };
    view! {
        {object}
        {order}
    }
}

/// Which execution is shown, and the ways from there.
#[component]
pub fn Executions() -> impl IntoView {
    let (app, inquiry) = (App::get(), Inquiry::get());
    let code = inquiry.part(|view| view.code.is_some());
    let found =
        inquiry.part(|view| view.code.as_ref().map(|code| (code.found.clone(), code.left_out)).unwrap_or_default());
    let choice = inquiry.part(|view| view.code.as_ref()?.choice);
    let shown = inquiry.part(|view| view.code.as_ref()?.shown.clone());
    let is_walking = inquiry.part(|view| view.code.as_ref().is_some_and(|code| code.is_walking));
    let place = move || match choice.get() {
        Some(CodeChoice::Found(place)) => Some(place),
        _ => None,
    };
    let go = move |by: i64| {
        let all = found.with_untracked(|(found, _)| found.len() as i64);
        let now = untrack(place).map_or(0, |place| i64::from(place) + by);
        if all > 0 {
            inquiry.choose_execution(CodeChoice::Found(now.clamp(0, all - 1) as u32));
        }
    };
    let list = move || {
        let (lines, left_out) = found.get();
        let now = place();
        let elsewhere = now.is_none().then(|| view! { <option value="" selected=true>"choose one"</option> });
        let option = |(at, line): (usize, String)| {
            view! { <option value=at.to_string() selected=now == Some(at as u32)>{line}</option> }
        };
        let more = (left_out > 0).then(|| view! { <option disabled=true>{format!("and {left_out} more")}</option> });
        (!lines.is_empty()).then(|| {
            view! {
                <label class="inquiry-field history-executions">
                    "Not linearizable "
                    <select
                        id="history-execution"
                        on:change:target=move |event| {
                            if let Ok(place) = event.target().value().parse() {
                                inquiry.choose_execution(CodeChoice::Found(place));
                            }
                        }
                    >
                        {elsewhere}
                        {lines.into_iter().enumerate().map(option).collect_view()}
                        {more}
                    </select>
                </label>
                <button type="button" id="history-execution-before" aria-label="The previous execution" title="The previous execution" on:click=move |_| go(-1)>
                    "‹"
                </button>
                <button type="button" id="history-execution-behind" aria-label="The next execution" title="The next execution" on:click=move |_| go(1)>
                    "›"
                </button>
            }
        })
    };
    let open = move |_| {
        let source = inquiry.source.get_untracked();
        let (Source::Program(settings), Some(shown)) = (source, shown.get_untracked()) else { return };
        let (algorithm, options) = shown.by;
        app.load(&Settings { algorithm, options, position: shown.position, ..(*settings).clone() }, Whose::Readers);
        app.looks.aspect.set(Aspect::Graph);
        app.show(Tab::Graph);
    };
    let alone = move |_| {
        if let Some(text) = shown.with_untracked(|shown| shown.as_ref().and_then(|shown| shown.text.clone())) {
            app.take_text(text);
        }
    };
    let says =
        move || shown.get().map(|shown| view! { <strong>{shown.title}": "</strong><span>{shown.sentence}</span> });
    let ways = move || {
        shown.get().map(|shown| {
            let to = format!("Go to step {}", shown.position);
            view! {
                <button type="button" id="history-to-graph" title="Its graph, where the exploration has it" on:click=open>{to}</button>
                {shown.text.is_some().then(|| view! {
                    <button type="button" id="history-to-text" title="Put its history into the editor instead of the program" on:click=alone>
                        "As a history"
                    </button>
                })}
            }
        })
    };
    view! {
        <div class="history-code" id="history-code" class:away=move || !code.get()>
            {list}
            <button
                type="button"
                id="history-this-step"
                title="The operations at the current step of the page"
                on:click=move |_| inquiry.choose_execution(CodeChoice::Step(app.place()))
            >
                "The page’s step"
            </button>
            <p class="history-execution-says" id="history-execution-says" aria-live="polite">
                {move || is_walking.get().then_some("On the way to the step…")}
                {says}
            </p>
            {ways}
        </div>
    }
}

/// The graph of the execution, with a frame around each call.
#[component]
pub fn GraphSheet() -> impl IntoView {
    let inquiry = Inquiry::get();
    let drawing = inquiry.drawing;
    let none = move || drawing.with(Option::is_none).then(|| "No execution yet.".to_owned());
    view! {
        <Drawn
            drawing
            ids=["history-stage", "history-graph"]
            name="The execution, a frame around each call"
            lights=Signal::derive(Vec::new)
            none=Signal::derive(none)
            anew=true
        />
    }
}

/// What is known of which operation returned before which other one was called.
#[component]
pub fn Facts() -> impl IntoView {
    let inquiry = Inquiry::get();
    let facts = inquiry.part(|view| {
        view.code.as_ref().and_then(|code| code.shown.as_ref()).map(|shown| shown.facts.clone()).unwrap_or_default()
    });
    view! {
        <div class:away=move || facts.with(Vec::is_empty)>
            <h3 class="history-facts-head">"What the execution orders between threads"</h3>
            {move || on_operations(inquiry, facts.get(), "history-order-facts")}
        </div>
    }
}

/// The operations of an execution that has no timeline.
#[component]
pub fn NoTimeline(
    /// There is none.
    bare: Memo<bool>,
) -> impl IntoView {
    let inquiry = Inquiry::get();
    let shown = inquiry.part(|view| view.code.as_ref()?.shown.clone());
    let operations = move || {
        let shown = shown.get()?;
        let line = |line: String| view! { <li>{line}</li> };
        Some(view! {
            <p>{shown.no_history}</p>
            <ul>{shown.operations.into_iter().map(line).collect_view()}</ul>
        })
    };
    view! { <div class="history-bare" id="history-bare" class:away=move || !bare.get()>{operations}</div> }
}
