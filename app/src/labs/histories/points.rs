//! Where operations take effect: points on the timeline, to be dragged, and the sequence that they make.

use std::sync::Arc;

use leptos::ev::{KeyboardEvent, PointerEvent};
use leptos::html;
use leptos::prelude::*;
use litmoscope::histories::Object;
use litmoscope::histories::report::{Dot, OwnPoint, Points, Sequence, Timeline, Turn, TurnState};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use super::inquiry::Inquiry;
use super::rows::{top, tops};
use super::window;

/// How far a point moves by a key at most, in moments, and with Shift.
const STEP: (f64, f64) = (0.5, 0.1);

/// A step past the next point, between that and the one behind it.
fn past(others: &[OwnPoint], point: OwnPoint, forward: bool) -> f64 {
    let side = if forward { 1.0 } else { -1.0 };
    // Distances in the direction of the step, the smallest first.
    let mut ahead: Vec<f64> = others
        .iter()
        .filter(|other| other.operation != point.operation)
        .map(|other| (other.at - point.at) * side)
        .filter(|distance| *distance > 1e-9)
        .collect();
    ahead.sort_by(f64::total_cmp);
    let distance = match ahead[..] {
        [] => f64::INFINITY,
        [next] => next + STEP.0,
        [next, behind, ..] => next + ((behind - next) / 2.0).min(STEP.0),
    };
    point.at + side * distance
}

fn state(state: TurnState) -> &'static str {
    match state {
        TurnState::Legal => "legal",
        TurnState::Illegal => "illegal",
        TurnState::Unreached => "unreached",
    }
}

/// Which points are shown.
#[component]
pub fn PointButtons() -> impl IntoView {
    let inquiry = Inquiry::get();
    let now = Memo::new(move |_| inquiry.look.with(|look| std::mem::discriminant(&look.points)));
    let button = move |id: &'static str, title: &'static str, name: &'static str, points: Points| {
        let kind = std::mem::discriminant(&points);
        view! {
            <button
                type="button"
                id=id
                title=title
                aria-pressed=move || (now.get() == kind).to_string()
                on:click=move |_| inquiry.put(points.clone())
            >
                {name}
            </button>
        }
    };
    view! {
        <div class="history-points" role="group" aria-label="Linearization points">
            <span aria-hidden="true">"Points"</span>
            {button("history-hide", "Show no points", "Hide", Points::Hidden)}
            {button("history-middle", "A point in the middle of each bar, for you to drag", "Middle", Points::Middle)}
            {button("history-solve", "Points where the monitor puts them, if it can", "Solve", Points::Solved)}
        </div>
    }
}

/// The points on the timeline.
#[component]
pub fn Dots(timeline: Memo<Option<Arc<Timeline>>>, plane: NodeRef<html::Div>) -> impl IntoView {
    let inquiry = Inquiry::get();
    let tops =
        Memo::new(move |_| timeline.with(|timeline| timeline.as_ref().map(|all| tops(&all.rows)).unwrap_or_default()));
    let dots = Memo::new(move |_| {
        timeline.with(|timeline| timeline.as_ref().map(|all| all.points.clone()).unwrap_or_default())
    });
    let moved = Memo::new(move |_| match inquiry.look.with(|look| look.points.clone()) {
        Points::Own(own) => own,
        _ => Vec::new(),
    });
    let can_move = Memo::new(move |_| timeline.with(|timeline| timeline.as_ref().is_some_and(|all| all.points_move)));
    let one = move |dot: Dot| {
        let operation = dot.operation;
        let known = Memo::new(move |before: Option<&Dot>| {
            let found = dots.with(|dots| dots.iter().find(|dot| dot.operation == operation).cloned());
            found.or_else(|| before.cloned()).unwrap_or_else(|| dot.clone())
        });
        // It follows who moves it at once.
        let at = Memo::new(move |_| {
            let own = moved.with(|moved| moved.get(operation as usize).map(|point| point.at));
            known.with(|dot| own.unwrap_or(dot.at).clamp(dot.from, dot.to.max(dot.from)))
        });
        let held = RwSignal::new(false);
        let put = move |to: f64| {
            let to = known.with_untracked(|dot| to.clamp(dot.from, dot.to.max(dot.from)));
            inquiry.put_one(operation, to);
        };
        let under = move |event: &PointerEvent| {
            let Some(plane) = plane.get_untracked() else { return };
            let (area, (from, to)) = (plane.get_bounding_client_rect(), untrack(|| inquiry.window()));
            put(from + (f64::from(event.client_x()) - area.left()) / area.width().max(1.0) * (to - from));
        };
        let down = move |event: PointerEvent| {
            event.stop_propagation();
            if event.button() == 0 && can_move.get_untracked() {
                if let Some(own) = event.current_target().and_then(|own| own.dyn_into::<HtmlElement>().ok()) {
                    let _ = own.set_pointer_capture(event.pointer_id());
                    let _ = own.focus();
                }
                held.set(true);
            }
        };
        let follow = move |event: PointerEvent| {
            if held.get_untracked() {
                under(&event);
            }
        };
        let key = move |event: KeyboardEvent| {
            if event.ctrl_key() || event.alt_key() || event.meta_key() || !can_move.get_untracked() {
                return;
            }
            let here = OwnPoint { operation, at: at.get_untracked() };
            let others = || untrack(|| inquiry.places()).unwrap_or_default();
            let to = match (event.key().as_str(), event.shift_key()) {
                ("ArrowRight" | "ArrowUp", true) => here.at + STEP.1,
                ("ArrowLeft" | "ArrowDown", true) => here.at - STEP.1,
                ("ArrowRight" | "ArrowUp", false) => past(&others(), here, true),
                ("ArrowLeft" | "ArrowDown", false) => past(&others(), here, false),
                ("Home", _) => f64::NEG_INFINITY,
                ("End", _) => f64::INFINITY,
                _ => return,
            };
            event.prevent_default();
            event.stop_propagation();
            put(to);
        };
        let place = move || known.with(|dot| dot.place.map_or_else(|| "–".to_owned(), |place| place.to_string()));
        let top = move || known.with(|dot| format!("{}px", tops.with(|tops| top(tops, dot.row, dot.lane))));
        let number = |at: f64| format!("{at:.2}");
        view! {
            <div
                class="history-dot"
                class:held=held
                class:fixed=move || !can_move.get()
                data-operation=operation
                data-state=move || known.with(|dot| state(dot.state))
                role=move || if can_move.get() { "slider" } else { "img" }
                tabindex=move || can_move.get().then_some("0")
                title=move || known.with(|dot| dot.title.clone())
                aria-label=move || known.with(|dot| dot.title.clone())
                aria-valuenow=move || can_move.get().then(|| number(at.get()))
                aria-valuemin=move || can_move.get().then(|| known.with(|dot| number(dot.from)))
                aria-valuemax=move || can_move.get().then(|| known.with(|dot| number(dot.to)))
                aria-valuetext=move || can_move.get().then(|| known.with(|dot| dot.title.clone()))
                style:top=top
                style=("--from", move || format!("{:.4}", at.get()))
                on:pointerdown=down
                on:pointermove=follow
                on:pointerup=move |_| held.set(false)
                on:pointercancel=move |_| held.set(false)
                on:keydown=key
            >
                <span aria-hidden="true">{place}</span>
            </div>
        }
    };
    // Always in the same order: a point that changes its place among them would lose the focus, and who holds it.
    let each = move || {
        let mut all = dots.get();
        all.sort_unstable_by_key(|dot| dot.operation);
        all
    };
    view! { <For each key=|dot| dot.operation children=one /> }
}

/// Gives the point of an operation the focus, when it is drawn.
fn focus(operation: u32) {
    request_animation_frame(move || {
        let dot = document().query_selector(&format!("#history-timeline .history-dot[data-operation='{operation}']"));
        if let Some(dot) = dot.ok().flatten().and_then(|dot| dot.dyn_into::<HtmlElement>().ok()) {
            let _ = dot.focus();
        }
    });
}

/// Brings the row of an operation in sight.
fn scroll_to(row: u32) {
    let Some(rows) = document().get_element_by_id("history-rows") else { return };
    let all = rows.query_selector_all(".history-thread").ok();
    if let Some(name) = all.and_then(|all| all.item(row)).and_then(|name| name.dyn_into::<HtmlElement>().ok()) {
        let (top, high) = (name.offset_top(), name.offset_height());
        if top < rows.scroll_top() || top + high > rows.scroll_top() + rows.client_height() {
            rows.set_scroll_top((top + high / 2 - rows.client_height() / 2).max(0));
        }
    }
}

/// The points in their order, with what the object holds after each.
#[component]
pub fn SequenceList() -> impl IntoView {
    let inquiry = Inquiry::get();
    let sequence = inquiry.part(|view| view.sequence.clone());
    let object = inquiry.part(|view| view.object.map(Object::name));
    let go = move |turn: &Turn| {
        let (operation, row, at) = (turn.operation, turn.row, turn.at);
        inquiry.move_to(|now, moments| window::showing(now, (at, at), moments));
        scroll_to(row);
        focus(operation);
    };
    let one = move |turn: Turn| {
        let Turn { place, text, value, contents, state: legal, why, .. } = turn.clone();
        let colour = value.as_ref().map(|(_, colour)| colour.to_string());
        let held = |(text, colour): (String, Option<u8>)| {
            view! { <span class="history-value" data-colour=colour.map(|colour| colour.to_string())>{text}</span> }
        };
        let contents = match contents.is_empty() {
            true => {
                view! { <span class="history-nothing">{if legal == TurnState::Legal { "empty" } else { "" }}</span> }
                    .into_any()
            }
            false => contents.into_iter().map(held).collect_view().into_any(),
        };
        view! {
            <li class="history-turn" data-state=state(legal)>
                <button type="button" data-colour=colour on:click=move |_| go(&turn)>
                    <span class="history-place">{place}"."</span>" "{text}
                    {(legal == TurnState::Illegal).then_some(" ✗")}
                </button>
                <div class="history-contents">{contents}</div>
                {why.map(|why| view! { <p class="history-why">{why}</p> })}
            </li>
        }
    };
    // What was scrolled to stays in sight while points move: the list is made anew each time.
    let scrolled = StoredValue::new(0);
    let follow = move || {
        if let Some(list) = document().get_element_by_id("history-turns") {
            scrolled.set_value(list.scroll_left());
        }
    };
    let all = move || {
        let Some(Sequence { is_legal, sentence, turns, before, all }) = sequence.get() else { return ().into_any() };
        let shown = turns.len() as u32;
        let around = move |turn: u32, name: &'static str, id: &'static str| {
            view! {
                <button type="button" id=id on:click=move |_| inquiry.look.update(|look| look.turn = turn)>{name}</button>
            }
        };
        let earlier = (before > 0).then(|| around(before.max(1), "Earlier", "history-earlier"));
        let later = (before + shown < all).then(|| around(before + shown, "Later", "history-later"));
        view! {
            <div class="history-order" id="history-order" data-legal=is_legal.to_string()>
                <p id="history-order-says" aria-live="polite">{sentence}" "{earlier}{later}</p>
                <ol
                    class="history-turns"
                    id="history-turns"
                    data-object=move || object.get()
                    tabindex="0"
                    aria-label="The operations in the order of their points"
                    on:scroll=move |_| follow()
                >
                    {turns.into_iter().map(one).collect_view()}
                </ol>
            </div>
        }
        .into_any()
    };
    Effect::new(move |_| {
        sequence.track();
        request_animation_frame(move || {
            if let Some(list) = document().get_element_by_id("history-turns") {
                list.set_scroll_left(scrolled.get_value());
                let wrong = list.query_selector("[data-state=illegal]").ok().flatten();
                if let Some(wrong) = wrong.and_then(|wrong| wrong.dyn_into::<HtmlElement>().ok()) {
                    bring(&list, &wrong);
                }
            }
        });
    });
    let none = inquiry.part(|view| view.no_sequence.clone());
    let nothing = move || sequence.with(Option::is_none) && none.with(Option::is_none);
    view! {
        <div class="history-sequence" class:away=nothing>
            {all}
            <p class="empty" class:away=move || none.with(Option::is_none)>{none}</p>
        </div>
    }
}

/// Brings a turn of the list in sight.
fn bring(list: &Element, turn: &HtmlElement) {
    let (left, width) = (turn.offset_left(), turn.offset_width());
    if left < list.scroll_left() || left + width > list.scroll_left() + list.client_width() {
        list.set_scroll_left((left + width / 2 - list.client_width() / 2).max(0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_moves_a_point_past_the_next_one() {
        let points = [(0, 1.0), (1, 2.0), (2, 2.4), (3, 8.0)].map(|(operation, at)| OwnPoint { operation, at });
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} {b}");
        near(past(&points, points[0], true), 2.2);
        near(past(&points, points[1], true), 2.9);
        near(past(&points, points[2], true), 8.5);
        near(past(&points, points[2], false), 1.5);
        near(past(&points, points[1], false), 0.5);
        assert_eq!(past(&points, points[3], true), f64::INFINITY);
        assert_eq!(past(&points, points[0], false), f64::NEG_INFINITY);
    }
}
