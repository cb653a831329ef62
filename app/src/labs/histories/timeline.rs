//! The timeline: a row a thread, a bar an operation.
//!
//! Where bars stand is left to the browser: each knows its moments, and the plane that they are on knows which moment is at its left
//! border and how many pixels a moment has. So to zoom and move is to change two numbers.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use leptos::ev::{KeyboardEvent, PointerEvent, WheelEvent};
use leptos::html;
use leptos::prelude::*;
use litmoscope::histories::report::{Band, BandKind, Bar, Crowd, HistoryRequest, Mark, Part, Row, Timeline};
use wasm_bindgen::JsCast;
use web_sys::Element;

use super::inquiry::{Inquiry, ROWS};
use super::map::Map;
use super::points::Dots;
use super::rows::{GAP, top, tops};
use super::window::{self, PAN, Window, ZOOM};
use crate::browser;

/// How far a key scrolls the rows, in pixels.
const SCROLL: i32 = 60;

/// The name of a mark, for the style sheet.
fn mark(mark: Mark) -> &'static str {
    match mark {
        Mark::Plain => "plain",
        Mark::Faded => "faded",
        Mark::Extreme => "extreme",
        Mark::Left => "left",
        Mark::Right => "right",
        Mark::Now => "now",
        Mark::Active => "active",
        Mark::Effect => "effect",
        Mark::Forced => "forced",
        Mark::Wrong => "wrong",
    }
}

/// What a mark says, for those who see no colours.
fn sign(mark: Mark) -> Option<&'static str> {
    Some(match mark {
        Mark::Extreme => "outermost",
        Mark::Left => "L",
        Mark::Right => "R",
        Mark::Active => "active",
        Mark::Effect => "takes effect",
        Mark::Forced => "has to take effect",
        _ => return None,
    })
}

/// A moment as the style sheet reads it.
fn number(at: f64) -> String {
    format!("{at:.4}")
}

/// The length of a bar: a pending one ends behind all others.
fn end(bar: &Bar, moments: u32) -> f64 {
    bar.ret.map_or(f64::from(moments), f64::from)
}

/// The bars of a timeline, what is behind them, and its threads' names.
#[component]
pub fn Bars(
    /// What is drawn.
    timeline: Memo<Option<Arc<Timeline>>>,
    /// Operations that are brought out.
    lit: Memo<HashSet<u32>>,
) -> impl IntoView {
    let tops =
        Memo::new(move |_| timeline.with(|timeline| timeline.as_ref().map(|all| tops(&all.rows)).unwrap_or_default()));
    let bars = move || {
        let tops = tops.get();
        timeline.with(|timeline| {
            let Some(all) = timeline else { return Vec::new() };
            // Up to where a label may go on.
            let next = |bar: &Bar| {
                let later = |other: &&Bar| (other.row, other.lane) == (bar.row, bar.lane) && other.call > bar.call;
                all.bars.iter().filter(later).map(|other| other.call).min().unwrap_or(all.moments)
            };
            let place = |bar: &Bar| (bar.clone(), top(&tops, bar.row, bar.lane), end(bar, all.moments), next(bar));
            all.bars.iter().map(place).collect::<Vec<_>>()
        })
    };
    // What differs is drawn anew; all else stays as it is.
    let key = |(bar, top, end, next): &(Bar, f64, f64, u32)| {
        (
            bar.operation,
            (bar.call, *next),
            *top as i32,
            *end as i64,
            bar.ret,
            bar.mark as u8,
            bar.label.clone(),
            bar.title.clone(),
        )
    };
    let one = move |(bar, top, end, next): (Bar, f64, f64, u32)| {
        let Bar { operation, call, ret, label, value, title, mark: state, .. } = bar;
        let colour = value.as_ref().map(|(_, colour)| colour.to_string());
        let letter = value.map(|(letter, _)| view! { <b class="history-letter">{letter}</b> });
        let said = sign(state).map(|sign| view! { <i class="history-sign">{sign}</i> });
        view! {
            <div
                class="history-bar"
                class:pending=ret.is_none()
                class:lit=move || lit.with(|lit| lit.contains(&operation))
                data-operation=operation
                data-mark=mark(state)
                data-colour=colour
                title=title
                style:top=format!("{top}px")
                style=("--from", number(f64::from(call)))
                style=("--to", number(end))
                style=("--next", number(f64::from(next)))
            >
                {letter}<span>{label}</span>{said}
            </div>
        }
    };
    let crowd = move |Crowd { row, from, to, operations, is_wrong }: Crowd| {
        let top = tops.with_untracked(|tops| top(tops, row, 0));
        view! {
            <div
                class="history-crowd"
                class:wrong=is_wrong
                title=format!("{operations} operations: zoom in to see them")
                style:top=format!("{top}px")
                style=("--from", number(from))
                style=("--to", number(to))
            ></div>
        }
    };
    let crowds = move || {
        tops.track();
        let crowds = timeline.with(|timeline| timeline.as_ref().map(|all| all.crowds.clone()).unwrap_or_default());
        crowds.into_iter().map(crowd).collect_view()
    };
    let bands = move || {
        let bands = timeline.with(|timeline| timeline.as_ref().map(|all| all.bands.clone()).unwrap_or_default());
        bands.into_iter().map(band).collect_view()
    };
    view! {
        {bands}
        {crowds}
        <For each=bars key=key children=one />
    }
}

fn band(Band { from, to, kind, title, colour, lane }: Band) -> impl IntoView {
    let kind = match kind {
        BandKind::Populated => "populated",
        BandKind::Deserted => "deserted",
        BandKind::Gap => "gap",
        BandKind::Inner => "inner",
        BandKind::Outer => "outer",
        BandKind::Now => "now",
    };
    view! {
        <div
            class="history-band"
            data-kind=kind
            data-colour=colour.map(|colour| colour.to_string())
            style=("--from", number(from))
            style=("--to", number(to))
            style=("--lane", lane.to_string())
        >
            <span>{title}</span>
        </div>
    }
}

/// The names of the threads, beside their rows.
#[component]
pub fn Threads(timeline: Memo<Option<Arc<Timeline>>>) -> impl IntoView {
    let rows =
        Memo::new(move |_| timeline.with(|timeline| timeline.as_ref().map(|all| all.rows.clone()).unwrap_or_default()));
    move || {
        let rows = rows.get();
        let tops = tops(&rows);
        let name = |(at, Row { name, .. }): (usize, Row)| {
            let title = name.clone();
            view! {
                <div
                    class="history-thread"
                    title=title
                    style:top=format!("{}px", tops[at])
                    style:height=format!("{}px", tops[at + 1] - tops[at] - GAP)
                >
                    {name}
                </div>
            }
        };
        rows.into_iter().enumerate().map(name).collect_view()
    }
}

/// How high all rows are.
pub fn height(timeline: Option<&Timeline>) -> f64 {
    timeline.and_then(|all| tops(&all.rows).last().copied()).unwrap_or(0.0)
}

/// Fingers and mouse buttons on the timeline.
#[derive(Clone, Copy)]
struct Hold {
    inquiry: Inquiry,
    plane: NodeRef<html::Div>,
    rows: NodeRef<html::Div>,
    /// Where each pointer is that is down.
    pointers: StoredValue<HashMap<i32, (f64, f64)>>,
}

impl Hold {
    /// Left border and width of the plane.
    fn area(self) -> (f64, f64) {
        let Some(plane) = self.plane.get_untracked() else { return (0.0, 1.0) };
        let area = plane.get_bounding_client_rect();
        (area.left(), area.width().max(1.0))
    }

    /// The moment at a place in the window, in pixels.
    fn moment(self, x: f64) -> f64 {
        let ((left, width), (from, to)) = (self.area(), untrack(|| self.inquiry.window()));
        from + (x - left) / width * (to - from)
    }

    fn zoom_at(self, factor: f64, x: f64) {
        let around = self.moment(x);
        self.inquiry.move_to(|window, moments| window::zoomed(window, factor, around, moments));
    }

    fn pan(self, dx: f64) {
        let (_, width) = self.area();
        self.inquiry.move_to(|(from, to), moments| window::moved((from, to), -dx / width * (to - from), moments));
    }

    fn scroll(self, dy: f64) {
        if let Some(rows) = self.rows.get_untracked() {
            rows.set_scroll_top(rows.scroll_top() - dy as i32);
        }
    }

    fn down(self, event: &PointerEvent) {
        if event.button() != 0 || self.pointers.with_value(HashMap::len) >= 2 {
            return;
        }
        if let Some(plane) = self.plane.get_untracked() {
            let _ = plane.unchecked_ref::<Element>().set_pointer_capture(event.pointer_id());
        }
        self.put(event);
    }

    fn put(self, event: &PointerEvent) {
        let at = (f64::from(event.client_x()), f64::from(event.client_y()));
        self.pointers.update_value(|pointers| {
            pointers.insert(event.pointer_id(), at);
        });
    }

    /// The timeline follows one pointer, and two pull it apart or together.
    fn moved(self, event: &PointerEvent) {
        let all = self.pointers.get_value();
        let Some(&(x, y)) = all.get(&event.pointer_id()) else { return };
        let (now, below) = (f64::from(event.client_x()), f64::from(event.client_y()));
        match all.iter().find(|(id, _)| **id != event.pointer_id()) {
            None => {
                self.pan(now - x);
                if event.pointer_type() == "mouse" {
                    self.scroll(below - y);
                }
            }
            Some((_, &(other, _))) => {
                self.pan((now - x) / 2.0);
                let apart = |x: f64| (x - other).abs().max(8.0);
                self.zoom_at(apart(now) / apart(x), f64::midpoint(now, other));
            }
        }
        self.put(event);
    }

    fn up(self, event: &PointerEvent) {
        self.pointers.update_value(|pointers| {
            pointers.remove(&event.pointer_id());
        });
    }

    /// The wheel zooms; with Shift, or across, it moves.
    fn wheel(self, event: &WheelEvent) {
        event.prevent_default();
        let lines = if event.delta_mode() == 0 { 1.0 } else { 24.0 };
        let (dx, dy) = (event.delta_x() * lines, event.delta_y() * lines);
        if event.shift_key() || dx.abs() > dy.abs() {
            self.pan(-dx - if event.shift_key() { dy } else { 0.0 });
        } else {
            self.zoom_at((-dy * 0.0025).exp(), f64::from(event.client_x()));
        }
    }

    fn key(self, event: &KeyboardEvent) {
        if event.ctrl_key() || event.alt_key() || event.meta_key() {
            return;
        }
        match event.key().as_str() {
            // Without Shift they make steps, whatever was clicked on last.
            "ArrowLeft" if event.shift_key() => self.pan(PAN * self.area().1),
            "ArrowRight" if event.shift_key() => self.pan(-PAN * self.area().1),
            "ArrowUp" if event.shift_key() => self.scroll(f64::from(SCROLL)),
            "ArrowDown" if event.shift_key() => self.scroll(f64::from(-SCROLL)),
            "+" | "=" => zoom(self.inquiry, ZOOM),
            "-" => zoom(self.inquiry, 1.0 / ZOOM),
            "0" => self.inquiry.move_to(|_, moments| window::whole(moments)),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    }

    /// Other rows are in sight: they are asked for.
    fn scrolled(self) {
        let Some(rows) = self.rows.get_untracked() else { return };
        let at = f64::from(rows.scroll_top());
        let tops = self.inquiry.view.with_untracked(|view| view.as_ref().map(|view| tops(&view.timeline.rows)));
        let first = tops.map_or(0, |tops| tops.partition_point(|top| *top <= at).saturating_sub(1)) as u32;
        let step = ROWS / 4;
        let first = (first / step).saturating_sub(1) * step;
        if self.inquiry.look.with_untracked(|look| look.rows.0 != first) {
            self.inquiry.look.update(|look| look.rows = (first, ROWS));
        }
    }
}

fn zoom(inquiry: Inquiry, factor: f64) {
    inquiry.move_to(|(from, to), moments| window::zoomed((from, to), factor, f64::midpoint(from, to), moments));
}

/// The buttons that zoom.
#[component]
pub fn ZoomButtons() -> impl IntoView {
    let inquiry = Inquiry::get();
    let button = move |id: &'static str, title: &'static str, sign: &'static str, press: fn(Inquiry)| {
        view! {
            <button type="button" id=id title=title aria-label=title on:click=move |_| press(inquiry)>
                <span aria-hidden="true">{sign}</span>
            </button>
        }
    };
    view! {
        <div class="history-zoom" role="group" aria-label="Zoom">
            {button("history-out", "Zoom the timeline out (-)", "−", |inquiry| zoom(inquiry, 1.0 / ZOOM))}
            {button("history-in", "Zoom the timeline in (+)", "+", |inquiry| zoom(inquiry, ZOOM))}
            {button("history-all", "Show all of the timeline (0)", "All", |inquiry| {
                inquiry.move_to(|_, moments| window::whole(moments));
            })}
        </div>
    }
}

/// The moment at the left border and how many pixels a moment has, for the style sheet.
pub fn scale((from, to): Window, width: f64) -> (String, String) {
    // Of a million moments in a few hundred pixels, each digit counts.
    (number(from), format!("{:.9}", width / (to - from).max(f64::MIN_POSITIVE)))
}

/// The timeline, to zoom and to move.
#[component]
pub fn MainTimeline() -> impl IntoView {
    let inquiry = Inquiry::get();
    let (plane, rows) = (NodeRef::<html::Div>::new(), NodeRef::<html::Div>::new());
    let hold = Hold { inquiry, plane, rows, pointers: StoredValue::default() };
    let timeline =
        Memo::new(move |_| inquiry.view.with(|view| view.as_ref().map(|view| Arc::new(view.timeline.clone()))));
    // What is pointed at is of the whole history; what is shown may be a part of it.
    let lit = Memo::new(move |_| {
        let pointed: HashSet<u32> = inquiry.pointed.get().into_iter().collect();
        inquiry.view.with(|view| {
            let Some(view) = view.as_ref().filter(|view| view.part == Part::Contradiction) else {
                return pointed.clone();
            };
            let all = view.contradiction.iter().flat_map(|found| found.operations.iter().enumerate());
            all.filter(|(_, whole)| pointed.contains(whole)).map(|(own, _)| own as u32).collect()
        })
    });
    let size = RwSignal::new((0.0, 0.0));
    browser::observe_size(plane, size);
    Effect::new(move |_| {
        let (width, _) = size.get();
        if width > 0.0 {
            inquiry.width.set(width);
            inquiry.fit();
        }
    });
    let at = Memo::new(move |_| scale(inquiry.window(), size.get().0.max(1.0)));
    let high = move || timeline.with(|timeline| height(timeline.as_deref()));
    let ticks = move || {
        let ticks = timeline.with(|timeline| timeline.as_ref().map(|all| all.ticks.clone()).unwrap_or_default());
        let tick = |tick: litmoscope::histories::report::Tick| {
            view! { <span style=("--from", number(f64::from(tick.at)))>{tick.label}</span> }
        };
        ticks.into_iter().map(tick).collect_view()
    };
    let plain = move || inquiry.look.with(|look: &HistoryRequest| look.step == 0);
    view! {
        <div
            class="history-timeline"
            id="history-timeline"
            class:plain=plain
            style=("--first", move || at.get().0)
            style=("--scale", move || at.get().1)
        >
            <div class="history-axis" aria-hidden="true"><div>{ticks}</div></div>
            <div
                class="history-rows"
                id="history-rows"
                node_ref=rows
                tabindex="0"
                role="group"
                aria-label="Timeline: a row for each thread, a bar for each operation. Shift and arrow keys move it, \
                            + and - zoom, 0 shows all."
                on:keydown=move |event| hold.key(&event)
                on:scroll=move |_| hold.scrolled()
                on:wheel=move |event| hold.wheel(&event)
            >
                <div class="history-sheet" style:height=move || format!("{}px", high())>
                    <Threads timeline />
                    <div
                        class="history-plane"
                        node_ref=plane
                        on:pointerdown=move |event| hold.down(&event)
                        on:pointermove=move |event| hold.moved(&event)
                        on:pointerup=move |event| hold.up(&event)
                        on:pointercancel=move |event| hold.up(&event)
                    >
                        <Bars timeline lit />
                        <Dots timeline plane />
                    </div>
                </div>
            </div>
            <Map timeline />
        </div>
    }
}
