//! The lanes of a run: a column for each thread, time downwards, and below that what each is about to do and waits for.

use std::sync::Arc;

use leptos::prelude::*;
use litmoscope::schedules::view::run::{CellView, LaneView, Now, RunView};

use crate::ui::prose::plain;

/// How wide a lane is.
const LANE: f64 = 138.0;
/// How high a row is.
const ROW: f64 = 22.0;
/// Room for the numbers of the steps.
const LEFT: f64 = 34.0;
/// Room for the names of the threads.
const HEAD: f64 = 26.0;
/// How many rows there are for what was done.
const PAST: usize = 12;
/// How many there are for what is to come.
const AHEAD: usize = 8;
/// Between what was done and what is to come.
const GAP: f64 = 28.0;
/// How many characters a box holds.
const LETTERS: usize = 17;

fn short(text: &str) -> String {
    if text.chars().count() <= LETTERS {
        return text.to_owned();
    }
    text.chars().take(LETTERS - 1).chain(['…']).collect()
}

fn left(lane: usize) -> f64 {
    LEFT + lane as f64 * LANE
}

fn class(now: Now) -> &'static str {
    match now {
        Now::Ready => "ready",
        Now::Waits | Now::Branch => "waits",
        Now::Blocked => "blocked",
        Now::Departs | Now::Ended => "ended",
        Now::Wrong => "wrong",
    }
}

/// Something that was done, with its lane.
type Past<'v> = (usize, &'v CellView);

/// All that was done, as far as there is room for it, in the order of time.
fn past(view: &RunView) -> Vec<Past<'_>> {
    let lanes = view.lanes.iter().enumerate();
    let mut all: Vec<Past<'_>> = lanes.flat_map(|(lane, of)| of.cells.iter().map(move |cell| (lane, cell))).collect();
    all.sort_by_key(|(_, cell)| (cell.step, cell.left_out));
    all.split_off(all.len().saturating_sub(PAST))
}

/// The lanes of a run.
pub fn lanes(view: &Arc<RunView>, name: &'static str) -> AnyView {
    let past = past(view);
    // What was done last stands right above what is to come, so that this stays where it is.
    let row = |at: usize| HEAD + (PAST - past.len() + at) as f64 * ROW;
    let now = HEAD + PAST as f64 * ROW;
    let ahead = |at: usize| now + GAP + at as f64 * ROW;
    let (width, height) = (left(view.lanes.len()) + 4.0, ahead(AHEAD) + 4.0);
    let label = format!("{name}: {}", plain(&view.said));
    let column = |(lane, of): (usize, &LaneView)| {
        let x = left(lane);
        view! {
            <rect class="lane" x=x + 3.0 y=2.0 width=LANE - 6.0 height=height - 4.0 rx="4"></rect>
            <text class="name" x=x + LANE / 2.0 y=HEAD - 8.0>{of.name.clone()}</text>
        }
    };
    let done = |(at, (lane, cell)): (usize, &Past<'_>)| {
        let (x, y) = (left(*lane), row(at));
        let CellView { step, text, line, inputs, completes_round, left_out } = cell;
        let given = if inputs.is_empty() { String::new() } else { format!(", given {}", inputs.join(", ")) };
        let how = if *left_out { "; the schedule leaves this event out" } else { "" };
        let round = if *completes_round { "; a useful round is complete" } else { "" };
        let number = (!left_out).then(|| view! { <text class="number" x=LEFT - 4.0 y=y + 15.0>{*step}</text> });
        let sign = completes_round.then(|| view! { <text class="round" x=x + LANE - 8.0 y=y + 15.0>"↻"</text> });
        view! {
            {number}
            <g class="cell" class:left-out=*left_out>
                <title>{format!("{text} in line {line}{given}{how}{round}")}</title>
                <rect x=x + 6.0 y=y + 1.0 width=LANE - 12.0 height=ROW - 2.0 rx="3"></rect>
                <text x=x + 11.0 y=y + 15.0>{short(text)}</text>
                {sign}
            </g>
        }
    };
    let swaps = view.swaps.iter().filter_map(|swap| {
        // In front of the first step behind it.
        let at = past
            .iter()
            .position(|(_, cell)| cell.step > swap.step)
            .or((swap.step == view.steps).then_some(past.len()))?;
        let y = row(at);
        Some(view! {
            <line class="swap" x1="2" x2=width - 2.0 y1=y y2=y></line>
            <text class="swap" x=width - 6.0 y=y - 3.0>{format!("result {}", swap.to + 1)}</text>
        })
    });
    let standing = |(lane, of): (usize, &LaneView)| {
        let x = left(lane);
        view! {
            <g class=format!("now {}", class(of.now.is))>
                <title>{plain(&of.now.words)}</title>
                <rect x=x + 6.0 y=now + 4.0 width=LANE - 12.0 height=ROW - 4.0 rx="9"></rect>
                <text x=x + LANE / 2.0 y=now + 17.0>{of.now.is.word()}</text>
            </g>
        }
    };
    let coming = |(lane, of): (usize, &LaneView)| {
        let x = left(lane);
        let next = (of.ahead.is_empty() && !of.text.is_empty()).then(|| (of.text.clone(), of.line));
        let all = of.ahead.iter().map(|ahead| (ahead.text.clone(), ahead.line)).chain(next).take(AHEAD);
        let all = all.enumerate().map(|(at, (text, line))| {
            let y = ahead(at);
            view! {
                <g class="cell ahead">
                    <title>{format!("to come: {text} in line {line}")}</title>
                    <rect x=x + 6.0 y=y + 1.0 width=LANE - 12.0 height=ROW - 2.0 rx="3"></rect>
                    <text x=x + 11.0 y=y + 15.0>{short(&text)}</text>
                </g>
            }
        });
        all.collect_view()
    };
    let waits = view.lanes.iter().enumerate().flat_map(|(lane, of)| of.now.waits.iter().map(move |wait| (lane, wait)));
    let arrow = |(lane, wait): (usize, &litmoscope::schedules::view::run::WaitView)| {
        let other = usize::from(wait.thread);
        let of = view.lanes.get(other)?;
        let place = of.ahead.iter().position(|ahead| ahead.event == wait.event)?.min(AHEAD);
        let is_right = other > lane;
        let from = (left(lane) + if is_right { LANE - 6.0 } else { 6.0 }, ahead(0) + ROW / 2.0);
        let to = (left(other) + if is_right { 6.0 } else { LANE - 6.0 }, ahead(place) + ROW / 2.0);
        let length = (to.0 - from.0).hypot(to.1 - from.1).max(1.0);
        let (x, y) = ((to.0 - from.0) / length, (to.1 - from.1) / length);
        let side = |by: f64| (to.0 - 8.0 * x + by * y, to.1 - 8.0 * y - by * x);
        let (one, two) = (side(4.0), side(-4.0));
        Some(view! {
            <line class="wait" x1=from.0 y1=from.1 x2=to.0 y2=to.1></line>
            <polygon class="wait" points=format!("{},{} {},{} {},{}", to.0, to.1, one.0, one.1, two.0, two.1)></polygon>
        })
    };
    view! {
        <div class="schedule-lanes" tabindex="0" role="group" aria-label=name>
            <svg viewBox=format!("0 0 {width} {height}") width=width height=height role="img" aria-label=label>
                {view.lanes.iter().enumerate().map(column).collect_view()}
                {past.iter().enumerate().map(done).collect_view()}
                {swaps.collect_view()}
                {view.lanes.iter().enumerate().map(standing).collect_view()}
                {view.lanes.iter().enumerate().map(coming).collect_view()}
                {waits.filter_map(arrow).collect_view()}
            </svg>
        </div>
    }
    .into_any()
}
