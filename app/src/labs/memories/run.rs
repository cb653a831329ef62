//! The run by hand: what can be done next, what registers hold, the steps so far; and what is known of it.

use leptos::prelude::*;
use litmoscope::memories::{NextStep, RegisterBox, RunStep, ToldEdge};

use super::inquiry::Inquiry;
use crate::app::inquiry::steps::step_item;
use crate::app::inquiry::told::told;
use crate::ui::prose::prose;

/// The run by hand.
#[component]
pub fn Run() -> impl IntoView {
    view! {
        <Next />
        <Registers />
        <Steps />
    }
}

/// What can be done next.
#[component]
fn Next() -> impl IntoView {
    let inquiry = Inquiry::get();
    let next = inquiry.part(|view| view.next.clone());
    let more = inquiry.part(|view| view.more.clone());
    let state = inquiry.part(|view| view.state.clone());
    let offered = Memo::new(move |_| {
        let through = inquiry.through.get();
        let mut next = next.get();
        next.retain(|next| through.is_none_or(|to| next.key == to));
        next
    });
    let button = move |NextStep { text, step, number, to, short, stays, .. }: NextStep| {
        let title = if stays { "The state stays as it is".to_owned() } else { format!("Leads to {to}") };
        let sign = if stays { "↻" } else { "→" };
        view! {
            <button type="button" class="memory-next" title=title on:click=move |_| inquiry.take(&step)>
                <b>{number}</b>" "{text}" "<span class="memory-to">{sign}" "{(!stays).then_some(short)}</span>
            </button>
        }
    };
    view! {
        <h3>"Next, from state " <span class="memory-state" id="memory-state">{state}</span></h3>
        <Show when=move || inquiry.through.get().is_some()>
            <p class="inquiry-note" id="memory-choose">
                "Several steps lead there: choose one. "
                <button type="button" on:click=move |_| inquiry.through.set(None)>"Show all"</button>
            </p>
        </Show>
        <div class="memory-nexts" id="memory-nexts" role="group" aria-label="Steps that can be taken">
            {move || {
                let offered = offered.get();
                if offered.is_empty() {
                    return view! { <p class="empty">"No step is possible from here."</p> }.into_any();
                }
                offered.into_iter().map(button).collect_view().into_any()
            }}
            {move || more.get().map(|more| view! { <p class="inquiry-note">{more}</p> })}
        </div>
        <p class="memory-chance">
            <button type="button" id="memory-chance" title="Take ten random steps" on:click=move |_| inquiry.by_chance()>
                "10 random steps"
            </button>
        </p>
    }
}

/// What registers hold.
#[component]
fn Registers() -> impl IntoView {
    let inquiry = Inquiry::get();
    let registers = inquiry.part(|view| view.registers.clone());
    let register = |RegisterBox { name, content, colour: own, is_new }: RegisterBox| {
        let new = if is_new { " new" } else { "" };
        let class = format!("memory-register{new}");
        let content = content.unwrap_or_else(|| "nothing".to_owned());
        view! { <li class=class data-colour=own><b>{name}</b>" "<span>{content}</span></li> }
    };
    view! {
        <h3>"Registers"</h3>
        <ul class="memory-registers" id="memory-registers">
            {move || registers.get().into_iter().map(register).collect_view()}
        </ul>
    }
}

/// The steps, each read with the way its value went.
#[component]
fn Steps() -> impl IntoView {
    let inquiry = Inquiry::get();
    let steps = inquiry.part(|view| view.steps.clone());
    let at = inquiry.part(|view| view.at);
    let item = move |(number, RunStep { text, event, colour: own, origin, roles }): (u32, RunStep)| {
        let way: Vec<String> = origin.iter().map(u32::to_string).collect();
        let way = (!way.is_empty()).then(|| format!("arrived through step {}", way.join(" → ")));
        let roles = (!roles.is_empty()).then(|| view! { <b class="memory-role">{roles.join(", ")}</b>" " });
        let said = view! {
            {own.map(|own| view! { <span class="memory-dot" data-colour=own aria-hidden="true"></span> })}
            {text}
            {event.map(|event| view! { " "<span class="memory-event">{event}</span> })}
            " "
            {roles}
            {way.map(|way| view! { <span class="memory-way">{way}</span> })}
        };
        step_item(inquiry, at.into(), number, "", 0, said)
    };
    view! {
        <h3>"Steps"</h3>
        {move || {
            let steps = steps.get();
            if steps.is_empty() {
                return view! { <p class="empty">"No step was taken yet."</p> }.into_any();
            }
            let all = (1..).zip(steps).map(item).collect_view();
            view! { <ol id="memory-steps" aria-label="Steps of the run">{all}</ol> }.into_any()
        }}
    }
}

/// Sentences on edges, which to point at brings out in the graph.
fn on_edges(id: &'static str, inquiry: Inquiry, all: Vec<ToldEdge>) -> impl IntoView {
    told(id, inquiry.pointed, all.into_iter().map(|told| (told.text, vec![told.edge])), |_| ())
}

/// What is known of the run that is shown.
#[component]
pub fn Verdict() -> impl IntoView {
    let inquiry = Inquiry::get();
    let verdict = inquiry.part(|view| view.verdict.clone());
    let cycle = inquiry.part(|view| view.cycle.clone());
    let forced = inquiry.part(|view| view.forced.clone());
    view! {
        <div id="memory-verdict">
            {move || verdict.get().into_iter().map(|text| view! { <p>{prose(&text)}</p> }).collect_view()}
        </div>
        {move || {
            let cycle = cycle.get();
            (!cycle.is_empty()).then(|| view! {
                <h3>"The cycle"</h3>
                <p class="inquiry-note">"Each edge says which event comes before which. u and v are the writes of a \
                                        pco edge: the read of v knows u."</p>
                {on_edges("memory-cycle", inquiry, cycle)}
            })
        }}
        {move || {
            let forced = forced.get();
            (!forced.is_empty()).then(|| view! {
                <h3>"What the reads force"</h3>
                <p class="inquiry-note">"This is what wb concludes in its first round."</p>
                {on_edges("memory-forced", inquiry, forced)}
            })
        }}
    }
}
