//! What is told beside the graph: counts and code, steps, dice, diagrams.

use std::sync::Arc;

use leptos::prelude::*;
use litmoscope::fairness::view::play::{MoveLine, PairVisits, PlayRequest};
use litmoscope::fairness::view::{Counter, InvariantLine, SideView, StepLine};
use litmoscope::words::grouped;

use super::graph::side_part;
use super::inquiry::{Inquiry, Steps};
use crate::app::inquiry::head::verdict;
use crate::app::inquiry::steps::step_item;
use crate::app::inquiry::told::Drawn;
use crate::ui::prose::prose;

/// The algorithms: what they counted, and where they are.
#[component]
pub fn Algorithm() -> impl IntoView {
    let inquiry = Inquiry::get();
    let are_two = inquiry.part(|view| view.sides.len() > 1);
    let notes = inquiry.part(|view| view.notes.clone());
    view! {
        {move || notes.get().into_iter().map(|note| view! { <p class="inquiry-note">{prose(&note)}</p> }).collect_view()}
        <One side=0 ids=["fairness-counts", "fairness-invariants"] />
        {move || are_two.get().then(|| view! { <One side=1 ids=["fairness-counts-2", "fairness-invariants-2"] /> })}
        <Checked />
    }
}

/// Whether what has to hold behind each step is checked.
#[component]
fn Checked() -> impl IntoView {
    let inquiry = Inquiry::get();
    let asked = Memo::new(move |_| inquiry.request.with(|request| request.invariants));
    let toggle = move |on: bool| inquiry.request.update(|request| request.invariants = on);
    view! {
        <label class="inquiry-field" for="fairness-check">
            <input type="checkbox" id="fairness-check" prop:checked=asked on:change:target=move |event| toggle(event.target().checked()) />
            " check the invariants behind each step"
        </label>
    }
}

fn bar(counter: Counter) -> impl IntoView {
    let Counter { name, now, all, length, end, bound, bound_words } = counter;
    let percent = |part: f64| format!("{:.2}%", 100.0 * part);
    let line = bound.map(|bound| view! { <span class="fair-bound" style:left=percent(bound)></span> });
    view! {
        <tr>
            <th scope="row">{name}</th>
            <td class="fair-bar" aria-hidden="true">
                <span class="fair-track">
                    <span class="fair-end" style:width=percent(end)></span>
                    <span class="fair-now" style:width=percent(length)></span>
                    {line}
                </span>
            </td>
            <td class="fair-number">{grouped(now)}" of "{grouped(all)}</td>
        </tr>
        {(!bound_words.is_empty()).then(|| view! { <tr><td colspan="3" class="inquiry-note">{bound_words}</td></tr> })}
    }
}

/// One of them.
#[component]
fn One(side: usize, ids: [&'static str; 2]) -> impl IntoView {
    let inquiry = Inquiry::get();
    let title = side_part(inquiry, side, |view| view.title.clone());
    let counters = side_part(inquiry, side, |view| view.counters.clone());
    let code = side_part(inquiry, side, |view| view.code.clone());
    let now = side_part(inquiry, side, |view| (view.line, view.step > 0));
    let note = side_part(inquiry, side, |view| view.note.clone());
    let asked = Memo::new(move |_| inquiry.request.with(|request| request.invariants));
    let invariants = side_part(inquiry, side, |view| view.invariants.clone());
    let invariant = |InvariantLine { number, text, holds }: InvariantLine| {
        let (class, sign) = verdict(Some(holds));
        let said = if holds { "holds: " } else { "does not hold: " };
        view! {
            <li>
                <b class=class><span aria-hidden="true">{sign}</span>" "{number}</b>
                " "<span class="sr-only">{said}</span>{text}
            </li>
        }
    };
    let [id, list] = ids;
    let checked = move || {
        asked.get().then(|| match invariants.get() {
            None => view! { <p class="inquiry-note" id=list>"Invariants are checked on graphs of up to 300 vertices."</p> }.into_any(),
            Some(lines) if lines.is_empty() => {
                view! { <p class="inquiry-note" id=list>"Invariants are about the list of candidates: there is none yet."</p> }.into_any()
            }
            Some(lines) => view! {
                <ul class="fair-invariants" id=list aria-label="Invariants">{lines.into_iter().map(invariant).collect_view()}</ul>
            }
            .into_any(),
        })
    };
    let line = move |(at, text): (usize, String)| {
        let is_now = move || now.get() == (at as u32, true);
        let indent = text.len() - text.trim_start().len();
        view! {
            <li class:now=is_now aria-current=move || is_now().then_some("step") style:padding-left=format!("{}ch", indent + 1)>
                {text.trim().to_owned()}
            </li>
        }
    };
    view! {
        <h3>{title}</h3>
        <table class="fair-counts" id=id><tbody>{move || counters.get().into_iter().map(bar).collect_view()}</tbody></table>
        <p class="inquiry-note" class:away=move || note.with(Option::is_none)>{note}</p>
        <ol class="fair-code" aria-label="Pseudo-code">{move || code.get().into_iter().enumerate().map(line).collect_view()}</ol>
        {checked}
    }
}

/// The steps around the one that is shown, of each algorithm.
#[component]
pub fn StepList() -> impl IntoView {
    let inquiry = Inquiry::get();
    let are_two = inquiry.part(|view| view.sides.len() > 1);
    let list = move |side: usize, id: &'static str| {
        let steps = side_part(inquiry, side, |view: &SideView| view.steps.clone());
        let title = side_part(inquiry, side, |view| view.title.clone());
        let now = side_part(inquiry, side, |view| view.step);
        let item = move |StepLine { number, sort, text }: StepLine| {
            let sort = match &sort[..] {
                "derived" => "derived",
                "guess" => "guess",
                "contradiction" => "contradiction",
                "in-order" => "in-order",
                _ => "open",
            };
            step_item(Steps(inquiry), now.into(), number, sort, 0, prose(&text))
        };
        view! {
            <h3>{title}</h3>
            <ol id=id aria-label="Steps">{move || steps.get().into_iter().map(item).collect_view()}</ol>
        }
    };
    let is_there = inquiry.part(|view| !view.sides.is_empty());
    view! {
        <p class="empty" class:away=is_there>"There are no steps: the text is no graph and no program yet."</p>
        {list(0, "fairness-steps")}
        {move || are_two.get().then(|| list(1, "fairness-steps-2"))}
    }
}

/// A play against chance.
#[component]
pub fn Chance() -> impl IntoView {
    const MOVES: [u32; 3] = [1, 10, 1000];
    let inquiry = Inquiry::get();
    let play = inquiry.part(|view| view.play.clone());
    let by_chance = inquiry.part(|view| view.by_chance);
    let change = move |change: &dyn Fn(&mut PlayRequest)| {
        inquiry.request.update(|request| change(request.play.get_or_insert_default()));
    };
    let more = move |moves: u32| {
        let words = if moves == 1 { "Roll once".to_owned() } else { format!("{} times", grouped(moves.into())) };
        view! {
            <button type="button" id=format!("fairness-roll-{moves}") on:click=move |_| change(&|play| play.moves = (play.moves + moves).min(20_000))>
                {words}
            </button>
        }
    };
    let bars = move |visits: Vec<(String, u64)>| {
        let most = visits.first().map_or(1, |(_, often)| *often).max(1) as f64;
        let row = |(name, often): (String, u64)| {
            let width = format!("{:.2}%", 100.0 * often as f64 / most);
            view! {
                <tr>
                    <th scope="row">{name}</th>
                    <td class="fair-bar" aria-hidden="true"><span class="fair-track"><span class="fair-now" style:width=width></span></span></td>
                    <td class="fair-number">{grouped(often)}</td>
                </tr>
            }
        };
        visits.into_iter().take(40).map(row).collect_view()
    };
    let pair = |PairVisits { text, asked, got }: PairVisits| {
        view! { <tr><th scope="row"><code>{text.replace("->", "→")}</code></th><td>{grouped(asked)}</td><td>{grouped(got)}</td></tr> }
    };
    let line = |MoveLine { number, text, by_chance }: MoveLine| view! { <li class:chance=by_chance><b>{number}"."</b>" "{text}</li> };
    move || {
        if !by_chance.get() {
            return view! { <p class="empty">"Chance decides nowhere in this graph. Example V6 has a vertex where it does."</p> }.into_any();
        }
        let Some(play) = play.get() else { return ().into_any() };
        view! {
            <p class="inquiry-note">"The strategy goes to a good end component, then round in it. Where chance decides, dice are rolled."</p>
            <div class="fair-tools">
                {MOVES.map(more)}
                <button type="button" id="fairness-dice" on:click=move |_| change(&|play| (play.seed, play.moves) = (play.seed.wrapping_add(1), 1))>
                    "Other dice"
                </button>
            </div>
            <p id="fairness-played" aria-live="polite">{play.sentence.clone()}" "{litmoscope::words::count(play.made.into(), "move")}" so far."</p>
            <h3>"Visits"</h3>
            <table class="fair-counts" id="fairness-visits"><tbody>{bars(play.visits)}</tbody></table>
            <h3>"Pairs"</h3>
            <table class="inquiry-table" id="fairness-got">
                <thead><tr><th scope="col">"Pair"</th><th scope="col">"asked"</th><th scope="col">"got"</th></tr></thead>
                <tbody>{play.pairs.into_iter().map(pair).collect_view()}</tbody>
            </table>
            <h3>"Last moves"</h3>
            <ol class="fair-moves">{play.moves.into_iter().map(line).collect_view()}</ol>
        }
        .into_any()
    }
}

/// The set that the step is about, as a decision diagram.
#[component]
pub fn Diagram() -> impl IntoView {
    let inquiry = Inquiry::get();
    let sentence = inquiry.part(|view| view.order.as_ref().map(|order| order.sentence.clone()).unwrap_or_default());
    let order = inquiry.part(|view| view.order.as_ref().map(|order| order.order.clone()).unwrap_or_default());
    let none = inquiry.part(|view| view.order.as_ref().and_then(|order| order.none.clone()));
    let drawing = Memo::new(move |_| {
        inquiry.view.with(|view| view.as_ref().and_then(|view| view.order.as_ref()?.drawing.clone()).map(Arc::new))
    });
    view! {
        <p id="fairness-set">"The set of this step: "{sentence}</p>
        <p class="inquiry-note">{order}" Dashed edges are for 0, solid ones for 1."</p>
        <div class="fair-diagram">
            <Drawn
                drawing
                ids=["fairness-diagram-stage", "fairness-diagram"]
                name="Decision diagram"
                lights=Signal::stored(Vec::new())
                none
                anew=true
            />
        </div>
    }
}
