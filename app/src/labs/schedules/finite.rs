//! The interleavings of a program that ends as dots, and the constraints that permit some of them.

use std::sync::Arc;

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use litmoscope::schedules::symbolic::{Event, Strategy};
use litmoscope::schedules::view::finite::{
    ConstraintRow, Dot, DotEnd, EventRow, FiniteOpen, FiniteRequest, FiniteView, Pair, RelaxStepView, ShownStep,
    ShownView,
};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use super::worker::refusal;
use crate::app::App;
use crate::app::inquiry::head::verdict;
use crate::app::inquiry::{InquiryOf, part};
use crate::ui::prose::prose;

/// Interleavings by trace, each with its number.
type Traces = Vec<Vec<(usize, Dot)>>;

/// What a dot says by its look, and its class.
const LOOKS: [(&str, &str, &str); 4] = [
    ("permitted", "●", "permitted, ends well"),
    ("excluded", "○", "excluded by a constraint"),
    ("permitted wrong", "✗", "permitted, goes wrong"),
    ("permitted wrong", "∥", "permitted, a deadlock"),
];

/// What is asked of the interleavings.
pub type Asked = InquiryOf<FiniteOpen>;

/// Nothing is asked yet.
pub fn asked(app: App) -> Asked {
    InquiryOf::new(app, FiniteRequest::default(), refusal)
}

/// What is asked, without the program; nothing if nothing was chosen.
pub fn kept(finite: Asked) -> Option<FiniteRequest> {
    let request = finite.request.with_untracked(|request| FiniteRequest { text: String::new(), ..request.clone() });
    (request != FiniteRequest::default()).then_some(request)
}

/// A program that ends: its interleavings, and what constraints permit.
#[component]
pub fn Finite(
    /// What is asked of it.
    finite: Asked,
    /// The program.
    #[prop(into)]
    text: Signal<String>,
) -> impl IntoView {
    let open = Memo::new(|_| true);
    Effect::new(move |_| {
        let text = text.get();
        if finite.request.with_untracked(|request| request.text == text) {
            return;
        }
        finite.forget();
        let strategy = finite.request.with_untracked(|request| request.strategy);
        finite.request.set(FiniteRequest { text, strategy, ..FiniteRequest::default() });
    });
    finite.follow_request(open);
    let said =
        part(finite.view, |view| [view.counted.clone()].into_iter().chain(view.limit.clone()).collect::<Vec<String>>());
    let judged = part(finite.view, |view| view.judged.clone());
    let empty = Memo::new(move |_| finite.view.with(Option::is_none));
    view! {
        <div class="schedule-finite">
            <p class="inquiry-trouble" id="schedule-finite-trouble" role="status">
                {move || finite.trouble.get().map(|trouble| prose(&trouble))}
            </p>
            <p class="inquiry-note" class:away=move || !finite.running.get() || !empty.get()>"Looking at the interleavings…"</p>
            <div class:away=empty>
                <p id="schedule-finite-counted">{move || prose(&said.get().join(" "))}</p>
                <p id="schedule-finite-judged" aria-live="polite">
                    {move || {
                        let judged = judged.get();
                        let (class, sign) = verdict(judged.is_safe);
                        view! { <strong class=class><span aria-hidden="true">{sign}</span>" "{prose(&judged.words)}</strong> }
                    }}
                </p>
                <Dots finite />
                <Shown finite />
                <Constraints finite />
                <Relaxed finite />
            </div>
        </div>
    }
}

/// The class and the sign of a dot.
fn look(dot: &Dot) -> (&'static str, &'static str) {
    match (dot.permitted, dot.end) {
        (true, DotEnd::Good) => ("permitted", dot.end.sign()),
        (true, _) => ("permitted wrong", dot.end.sign()),
        (false, DotEnd::Good) => ("excluded", "○"),
        // What is excluded and would go wrong is still told from what would not.
        (false, _) => ("excluded wrong", dot.end.sign()),
    }
}

/// Moves the focus among dots.
fn move_focus(event: &KeyboardEvent) {
    let by: isize = match event.key().as_str() {
        "ArrowRight" | "ArrowDown" => 1,
        "ArrowLeft" | "ArrowUp" => -1,
        "Home" => isize::MIN,
        "End" => isize::MAX,
        _ => return,
    };
    let Some(now) = event.target().and_then(|target| target.dyn_into::<Element>().ok()) else { return };
    let Some(all) = now.closest("#schedule-dots").ok().flatten() else { return };
    let Ok(buttons) = all.query_selector_all("button") else { return };
    let count = buttons.length() as isize;
    let at = (0..buttons.length()).position(|at| buttons.item(at).is_some_and(|item| item.is_same_node(Some(&now))));
    let to = at.map_or(0, |at| (at as isize).saturating_add(by).clamp(0, (count - 1).max(0)));
    if let Some(button) = buttons.item(to as u32).and_then(|item| item.dyn_into::<HtmlElement>().ok()) {
        event.prevent_default();
        event.stop_propagation();
        let _ = button.focus();
    }
}

/// The interleavings as dots: those of a trace stand together.
#[component]
fn Dots(finite: Asked) -> impl IntoView {
    let dots = part(finite.view, |view| view.dots.clone());
    let starts = part(finite.view, |view| view.starts.clone());
    let chosen = Memo::new(move |_| finite.request.with(|request| request.shown));
    let dot = move |(at, dot): (usize, Dot)| {
        let (class, sign) = look(&dot);
        let is_reached = move || chosen.get().unwrap_or(0) == at;
        view! {
            <button
                type="button"
                class=format!("schedule-dot {class}")
                tabindex=move || if is_reached() { "0" } else { "-1" }
                aria-label=dot.words.clone()
                title=dot.words.clone()
                aria-pressed=move || (chosen.get() == Some(at)).to_string()
                on:click=move |_| finite.request.update(|request| request.shown = Some(at))
            >
                {sign}
            </button>
        }
    };
    let trace = move |trace: Vec<(usize, Dot)>| {
        let number = trace.first().map_or(0, |(_, dot)| dot.trace + 1);
        view! {
            <li class="schedule-trace" title=format!("trace {number}")>
                <small>{number}</small>
                {trace.into_iter().map(dot).collect_view()}
            </li>
        }
    };
    let groups = move || {
        let starts = starts.get();
        let mut all: Vec<(usize, Traces)> = Vec::new();
        for (at, dot) in dots.get().into_iter().enumerate() {
            if all.last().is_none_or(|(start, _)| *start != dot.start) {
                all.push((dot.start, Vec::new()));
            }
            if let Some((_, traces)) = all.last_mut() {
                match traces.last_mut() {
                    Some(last) if last.last().is_some_and(|(_, other)| other.trace == dot.trace) => {
                        last.push((at, dot))
                    }
                    _ => traces.push(vec![(at, dot)]),
                }
            }
        }
        let group = |(start, traces): (usize, Traces)| {
            let name = starts.get(start).filter(|name| !name.is_empty()).cloned();
            let name = name.map(|name| view! { <h4>"With "<code>{name}</code></h4> });
            view! {
                {name}
                <ul class="schedule-traces">{traces.into_iter().map(trace).collect_view()}</ul>
            }
        };
        all.into_iter().map(group).collect_view()
    };
    let legend = |(class, sign, words): (&'static str, &'static str, &'static str)| {
        view! { <li><span class=format!("schedule-dot {class}") aria-hidden="true">{sign}</span>" "{words}</li> }
    };
    view! {
        <h3>"Interleavings"</h3>
        <p class="inquiry-note">"A dot is an interleaving, and those of one trace stand in a box. Choose one to see it event by event. Arrow keys go from dot to dot."</p>
        <div id="schedule-dots" role="group" aria-label="Interleavings" on:keydown=move |event| move_focus(&event)>{groups}</div>
        <ul class="schedule-legend">{LOOKS.map(legend).collect_view()}</ul>
    }
}

/// The interleaving that is chosen, event by event.
#[component]
fn Shown(finite: Asked) -> impl IntoView {
    let shown = part(finite.view, |view| view.shown.clone().map(|shown| (shown, view.events.clone())));
    let step = |(at, step): (usize, &ShownStep), events: &[EventRow]| {
        let EventRow { name, text, line, .. } = events.get(step.event)?.clone();
        let sign = step.is_wrong.then_some("✗ ");
        let why = step.forbidden.as_ref().map(|why| view! { <p class="schedule-reason">{prose(why)}</p> });
        let class = if step.is_wrong { "wrong" } else { "" };
        Some(view! {
            <li class=class>
                <b>{at + 1}"."</b>" "{sign}{name}" "<code>{text}</code>" "<small>"line "{line}</small>
                {why}
            </li>
        })
    };
    move || {
        shown.get().map(|(ShownView { words, steps, .. }, events)| {
            let steps: Vec<_> = steps.iter().enumerate().filter_map(|of| step(of, &events)).collect();
            view! {
                <h3>"The interleaving that is chosen"</h3>
                <p>{prose(&words)}</p>
                <ol id="schedule-interleaving">{steps.into_iter().collect_view()}</ol>
            }
        })
    }
}

fn toggle(pairs: &mut Vec<Pair>, pair: Pair) {
    match pairs.iter().position(|other| *other == pair) {
        Some(at) => drop(pairs.remove(at)),
        None => pairs.push(pair),
    }
}

/// The constraints, which can be dropped and added.
#[component]
fn Constraints(finite: Asked) -> impl IntoView {
    let rows = part(finite.view, |view| view.constraints.clone());
    let origin = part(finite.view, |view| view.origin.clone());
    let refused = part(finite.view, |view| view.refused.clone());
    let row = move |row: ConstraintRow| {
        let ConstraintRow { pair, words, is_own, is_dropped, traces, may_go, without, shows, .. } = row;
        let title = match (is_own, is_dropped) {
            (true, true) => "Keep it again",
            (true, false) => "Drop it",
            (false, _) => "Take it away",
        };
        let change = move |_| {
            finite.request.update(|request| {
                toggle(if is_own { &mut request.dropped } else { &mut request.added }, pair);
            });
        };
        let traces = traces.map(|traces| {
            view! { <p class="inquiry-note">{format!("To drop it and all that comes after it, there are {traces} to verify.")}</p> }
        });
        let sign = match may_go {
            Some(true) => "✓ ",
            Some(false) => "✗ ",
            None => "? ",
        };
        let without = (!without.is_empty()).then(|| {
            view! { <p class:schedule-unsafe=may_go == Some(false)><span aria-hidden="true">{sign}</span>{prose(&without)}</p> }
        });
        let show = shows.map(|dot| {
            view! {
                <button type="button" on:click=move |_| finite.request.update(|request| request.shown = Some(dot))>"Show that run"</button>
            }
        });
        view! {
            <li class="schedule-constraint" class:dropped=is_dropped>
                <p>{is_dropped.then_some("Dropped: ")}{prose(&words)}</p>
                {traces}
                {without}
                <button type="button" on:click=change>{title}</button>
                {show}
            </li>
        }
    };
    let lines = move || refused.get().into_iter().map(|line| view! { <li>{prose(&line)}</li> }).collect_view();
    view! {
        <h3>"Constraints"</h3>
        <p class="inquiry-note">{move || prose(&origin.get())}</p>
        <ul id="schedule-constraints">{move || rows.get().into_iter().map(row).collect_view()}</ul>
        <Add finite />
        <ul class="inquiry-trouble" role="alert">{lines}</ul>
    }
}

/// Two events, to be made a constraint.
#[component]
fn Add(finite: Asked) -> impl IntoView {
    let events = part(finite.view, |view| view.events.clone());
    let ends = RwSignal::new([None::<Event>; 2]);
    let choose = move |which: usize, id: &'static str, label: &'static str| {
        let option = move |(at, EventRow { event, name, text, .. }): (usize, EventRow)| {
            let is_it = move || ends.get()[which] == Some(event);
            view! { <option value=at.to_string() selected=is_it>{format!("{name} {text}")}</option> }
        };
        view! {
            <label class="inquiry-field" for=id>
                {label}
                <select
                    id=id
                    on:change:target=move |target| {
                        let at = target.target().value().parse::<usize>().ok();
                        let event = at.and_then(|at| events.with_untracked(|all| all.get(at).map(|row| row.event)));
                        ends.update(|ends| ends[which] = event);
                    }
                >
                    <option value="" selected=move || ends.get()[which].is_none()>"an event…"</option>
                    {move || events.get().into_iter().enumerate().map(option).collect_view()}
                </select>
            </label>
        }
    };
    let ready = move || matches!(ends.get(), [Some(_), Some(_)]);
    let add = move |_| {
        let [Some(from), Some(to)] = ends.get_untracked() else { return };
        finite.request.update(|request| {
            request.dropped.retain(|pair| *pair != (from, to));
            let is_own = finite.view.with_untracked(|view: &Option<Arc<FiniteView>>| {
                view.as_ref()
                    .is_some_and(|view| view.constraints.iter().any(|row| row.is_own && row.pair == (from, to)))
            });
            if !is_own && !request.added.contains(&(from, to)) {
                request.added.push((from, to));
            }
        });
    };
    view! {
        <div class="inquiry-options" role="group" aria-label="Another constraint">
            {choose(0, "schedule-add-first", "first")}
            {choose(1, "schedule-add-then", "then")}
            <button type="button" id="schedule-add" aria-disabled=move || (!ready()).to_string() on:click=add>"Add this constraint"</button>
        </div>
    }
}

/// What Algorithm 4 drops.
#[component]
fn Relaxed(finite: Asked) -> impl IntoView {
    let relaxation = part(finite.view, |view| view.relaxation.clone());
    let strategy = Memo::new(move |_| finite.request.with(|request| request.strategy));
    let option = move |at: usize, of: Strategy| {
        view! { <option value=at.to_string() selected=move || strategy.get() == of>{of.words()}</option> }
    };
    let item = |RelaxStepView { is_dropped, words, constraints, waiting, traces, .. }: RelaxStepView| {
        let sign = if is_dropped { "✓" } else { "·" };
        view! {
            <tr>
                <td><span aria-hidden="true">{sign}" "</span>{prose(&words)}</td>
                <td>{constraints}</td>
                <td>{waiting}</td>
                <td>{traces}</td>
            </tr>
        }
    };
    view! {
        <section class:away=move || relaxation.with(Option::is_none)>
            <h3>"Dropping constraints one after the other"</h3>
            <p class="inquiry-note">"A verifier drops a constraint once all traces are verified that are possible without it."</p>
            <label class="inquiry-field" for="schedule-strategy">
                "which goes first"
                <select
                    id="schedule-strategy"
                    on:change:target=move |event| {
                        let at = event.target().value().parse::<usize>().unwrap_or_default();
                        let strategy = Strategy::ALL.get(at).copied().unwrap_or_default();
                        finite.request.update(|request| request.strategy = strategy);
                    }
                >
                    {Strategy::ALL.into_iter().enumerate().map(|(at, of)| option(at, of)).collect_view()}
                </select>
            </label>
            <table class="inquiry-table" id="schedule-relaxation">
                <thead>
                    <tr>{["What is done", "Constraints", "Threads that wait", "Traces"].map(|title| view! { <th scope="col">{title}</th> })}</tr>
                </thead>
                <tbody>
                    {move || relaxation.get().map(|relaxation| relaxation.steps.into_iter().map(item).collect_view())}
                </tbody>
            </table>
            <p id="schedule-relaxed">{move || relaxation.get().map(|relaxation| prose(&relaxation.end))}</p>
        </section>
    }
}
