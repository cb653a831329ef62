//! The results as they came, and how many of all runs each of them admits.

use std::fmt::Write;

use leptos::prelude::*;
use litmoscope::schedules::view::verify::{MAX_RUN, ShareView, StopView};

use super::inquiry::{Inquiry, Verifying, part};
use crate::app::inquiry::walk::Walk;
use crate::ui::prose::plain;

/// The height of the chart's own space.
const HEIGHT: f64 = 100.0;
/// The width of a stop in it.
const WIDTH: f64 = 10.0;
/// The names of what is counted, in the order of the shares.
const PARTS: [(&str, &str); 3] =
    [("admitted", "admitted by the result"), ("wrong", "go wrong"), ("open", "neither: right, and not admitted yet")];

/// The timeline.
#[component]
pub fn Timeline() -> impl IntoView {
    let inquiry = Inquiry::get();
    let stops = part(|view| view.stops.clone());
    let now = part(|view| view.stop);
    let stop = move |(at, StopView { step, milliseconds, title, text, is_wrong, .. }): (usize, StopView)| {
        let sign = if is_wrong { "✗" } else { "✓" };
        let is_now = move || now.get() == Some(at);
        view! {
            <li>
                <button
                    type="button"
                    class="schedule-stop"
                    class:wrong=is_wrong
                    title=plain(&text)
                    aria-current=move || is_now().then_some("step")
                    on:click=move |_| Verifying(inquiry).go_to(step)
                >
                    <b>{at + 1}" "<span aria-hidden="true">{sign}</span></b>
                    <span>{title}</span>
                    <small>{milliseconds.round()}" ms"</small>
                </button>
            </li>
        }
    };
    view! {
        <section class="schedule-timeline" class:away=move || stops.with(Vec::is_empty) aria-label="Results">
            <Chart />
            <ol id="schedule-stops">
                {move || stops.get().into_iter().enumerate().map(stop).collect_view()}
            </ol>
        </section>
    }
}

/// Of all runs of some length, the shares of the results, stacked over the timeline.
#[component]
fn Chart() -> impl IntoView {
    let inquiry = Inquiry::get();
    let shares = part(|view| view.shares.clone());
    let stops = part(|view| view.stops.len());
    let now = part(|view| view.stop);
    let states = part(|view| view.states.clone());
    let run = part(|view| view.run);
    // A result holds until the next one.
    let bands = Memo::new(move |_| {
        let (shares, stops) = (shares.get(), stops.get());
        let mut bands = [String::new(), String::new(), String::new()];
        for (at, share) in shares.iter().enumerate() {
            let left = share.stop as f64 * WIDTH;
            let right = shares.get(at + 1).map_or(stops, |next| next.stop) as f64 * WIDTH;
            let mut below = HEIGHT;
            for (band, share) in bands.iter_mut().zip(share.shares) {
                let above = below - share * HEIGHT;
                let _ = write!(band, "M{left} {below:.3}H{right}V{above:.3}H{left}Z");
                below = above;
            }
        }
        bands
    });
    let shown = Memo::new(move |_| {
        let now = now.get();
        shares.with(|shares| shares.iter().rev().find(|share| now.is_none_or(|now| share.stop <= now)).cloned())
    });
    let all = move || shown.with(|shown| shown.as_ref().map(|share| share.all.clone()));
    let items = move || {
        let ShareView { admitted, wrong, undecided, .. } = shown.get()?;
        let items = PARTS.iter().zip([admitted, wrong, undecided]).map(|((class, name), number)| {
            view! {
                <li>
                    <span class=format!("schedule-swatch {class}") aria-hidden="true"></span>
                    <b>{number}</b>
                    " "
                    {*name}
                </li>
            }
        });
        Some(items.collect_view())
    };
    let paths = move || {
        let bands = bands.get();
        let path =
            |((class, _), band): (&(&str, &str), String)| view! { <path class=format!("band {class}") d=band></path> };
        PARTS.iter().zip(bands).map(path).collect_view()
    };
    let marker = move || {
        now.get().map(|now| {
            let x = (now as f64 + 0.5) * WIDTH;
            view! { <line class="now" x1=x x2=x y1="0" y2=HEIGHT vector-effect="non-scaling-stroke"></line> }
        })
    };
    view! {
        <div class="schedule-runs" class:away=move || shares.with(Vec::is_empty)>
            <svg
                id="schedule-chart"
                role="img"
                aria-label="How many of all runs each result admits"
                preserveAspectRatio="none"
                viewBox=move || format!("0 0 {} {HEIGHT}", stops.get().max(1) as f64 * WIDTH)
            >
                {paths}
                {marker}
            </svg>
            <div class="schedule-said">
                <p id="schedule-all">
                    "Of all "<b>{all}</b>" runs of "
                    <input
                        type="number"
                        id="schedule-run"
                        aria-label="Steps of a run"
                        min="1"
                        max=MAX_RUN.to_string()
                        prop:value=move || run.get().to_string()
                        on:change:target=move |event| {
                            if let Ok(run) = event.target().value().parse::<u32>() {
                                inquiry.request.update(|request| request.run = run.clamp(1, MAX_RUN as u32));
                            }
                        }
                    />
                    " steps: "
                </p>
                <ul id="schedule-shares" aria-live="polite">{items}</ul>
            </div>
        </div>
        <p class="inquiry-note" id="schedule-states">{states}</p>
    }
}
