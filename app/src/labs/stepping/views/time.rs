//! An execution as a run: a row an event, threads as columns, memory and buffers beside them, and a cursor.

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use litmoscope::report::{RowKind, TimeCell, TimeRow, Timeline};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, ScrollIntoViewOptions, ScrollLogicalPosition};

use crate::app::App;
use crate::ui::scene::around::Pointed;

/// A telephone has room for as many columns of threads.
const FEW_LANES: usize = 2;

fn row_id(at: usize) -> String {
    format!("time-{at}")
}

fn row_class(kind: RowKind) -> &'static str {
    match kind {
        RowKind::Start => "time-row start",
        RowKind::Perform => "time-row perform",
        RowKind::Buffer => "time-row buffer",
        RowKind::Flush => "time-row flush",
    }
}

/// Brings a row into sight.
fn reveal(at: usize) {
    let row = document().get_element_by_id(&row_id(at));
    if let Some(row) = row.and_then(|row| row.dyn_into::<Element>().ok()) {
        let options = ScrollIntoViewOptions::new();
        options.set_block(ScrollLogicalPosition::Nearest);
        options.set_inline(ScrollLogicalPosition::Nearest);
        row.scroll_into_view_with_scroll_into_view_options(&options);
    }
}

/// What the cursor moves through.
#[derive(Clone, Copy)]
struct Cursor {
    app: App,
    timeline: Memo<Option<Timeline>>,
    /// The row; beyond the end, the last.
    wanted: RwSignal<usize>,
    at: Memo<usize>,
}

impl Cursor {
    fn new(app: App) -> Self {
        let timeline = Memo::new(move |_| app.seen.with(|view| view.as_ref()?.aspect.timeline.clone()));
        let wanted = app.looks.row;
        let last = move || timeline.with(|t| t.as_ref().map_or(0, |t| t.rows.len().saturating_sub(1)));
        let at = Memo::new(move |_| wanted.get().min(last()));
        Self { app, timeline, wanted, at }
    }

    fn last(self) -> usize {
        self.timeline.with_untracked(|t| t.as_ref().map_or(0, |t| t.rows.len().saturating_sub(1)))
    }

    /// Goes to a row, and points at its event.
    fn go(self, to: usize) {
        let to = to.min(self.last());
        // At the end it stays at the end when the graph grows.
        self.wanted.set(if to == self.last() { usize::MAX } else { to });
        let key = self.timeline.with_untracked(|timeline| timeline.as_ref()?.rows.get(to)?.key);
        self.app.around.pointed.set(key.map(Pointed::Event));
    }

    fn key(self, event: &KeyboardEvent) {
        if event.ctrl_key() || event.alt_key() || event.meta_key() || event.shift_key() {
            return;
        }
        let at = self.at.get_untracked();
        match event.key().as_str() {
            "ArrowDown" => self.go(at + 1),
            "ArrowUp" => self.go(at.saturating_sub(1)),
            "PageDown" => self.go(at + 10),
            "PageUp" => self.go(at.saturating_sub(10)),
            "Home" => self.go(0),
            "End" => self.go(usize::MAX),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    }
}

/// The run.
#[component]
pub fn TimePanel() -> impl IntoView {
    let app = App::get();
    let cursor = Cursor::new(app);
    let timeline = cursor.timeline;
    Effect::new(move |_| {
        timeline.track();
        // Its rows are as high as its letters are large.
        app.looks.lecture.track();
        let at = cursor.at.get();
        // After the rows are there.
        request_animation_frame(move || reveal(at));
    });
    let account = move || timeline.with(|t| t.as_ref().map(|t| t.account.clone()).unwrap_or_default());
    let absent = move || timeline.with(|t| t.as_ref().is_some_and(|t| t.absent));
    let there = Memo::new(move |_| timeline.with(|t| t.as_ref().is_some_and(|t| !t.absent)));
    let step = move |id: &'static str, label: &'static str, sign: &'static str, to: fn(usize) -> usize| {
        let nowhere = move || {
            let at = cursor.at.get();
            timeline.with(|t| to(at).min(t.as_ref().map_or(0, |t| t.rows.len().saturating_sub(1)))) == at
        };
        view! {
            <button
                type="button"
                id=id
                aria-label=label
                title=label
                aria-disabled=move || nowhere().to_string()
                on:click=move |_| cursor.go(to(cursor.at.get_untracked()))
            >
                <span aria-hidden="true">{sign}</span>
            </button>
        }
    };
    let title = move || {
        let at = cursor.at.get();
        timeline.with(|t| t.as_ref().and_then(|t| Some(t.rows.get(at)?.title.clone())).unwrap_or_default())
    };
    let place = move || {
        let last = timeline.with(|t| t.as_ref().map_or(0, |t| t.rows.len().saturating_sub(1)));
        format!("{} of {last}", cursor.at.get())
    };
    view! {
        <div class="time" class:faded=move || !app.session.current.get()>
            <p class="time-account" id="time-account" class:forbidden=absent>{account}</p>
            <Show when=move || there.get()>
                <div class="time-bar" role="toolbar" aria-label="Rows of the run">
                    {step("time-first", "To the first row (Home)", "⤒", |_| 0)}
                    {step("time-up", "One row up (↑)", "↑", |at| at.saturating_sub(1))}
                    {step("time-down", "One row down (↓)", "↓", |at| at + 1)}
                    {step("time-last", "To the last row (End)", "⤓", |_| usize::MAX)}
                    <span class="time-place" id="time-place">{place}</span>
                    <p class="time-title" id="time-title" aria-live="polite">{title}</p>
                </div>
                <div
                    class="time-scroll"
                    id="time-scroll"
                    tabindex="0"
                    role="group"
                    aria-label="Run: up and down go from row to row"
                    on:keydown=move |event| cursor.key(&event)
                >
                    {move || timeline.get().map(|timeline| table(app, cursor, &timeline))}
                </div>
                <Moment cursor />
            </Show>
        </div>
    }
}

fn table(app: App, cursor: Cursor, timeline: &Timeline) -> impl IntoView + use<> {
    let lanes = &timeline.lanes;
    let many = lanes.len() > FEW_LANES;
    let head = lanes.iter().map(|lane| view! { <th scope="col" class="lane">{lane.clone()}</th> }).collect_view();
    let columns =
        timeline.columns.iter().map(|name| view! { <th scope="col" class="held">{name.clone()}</th> }).collect_view();
    let rows = timeline.rows.iter().enumerate().map(|(at, row)| paint_row(app, cursor, at, row, lanes)).collect_view();
    let rest = (timeline.left_out > 0).then(|| {
        view! { <p class="empty">{format!("{} more rows are left out.", timeline.left_out)}</p> }
    });
    view! {
        <table class="time-table" class:many=many id="time-table">
            <caption class="sr-only">"What happens, from first to last, and the state after each step"</caption>
            <thead>
                <tr><th scope="col"><span class="sr-only">"number"</span></th>{head}{columns}</tr>
            </thead>
            <tbody>{rows}</tbody>
        </table>
        {rest}
    }
}

fn paint_row(app: App, cursor: Cursor, at: usize, row: &TimeRow, lanes: &[String]) -> impl IntoView + use<> {
    let (key, line, kind) = (row.key, row.line, row.kind);
    let pointed = move || match app.around.pointed.get() {
        Some(Pointed::Event(other)) => Some(other) == key,
        Some(Pointed::Line(other)) => line > 0 && other == line && app.session.current.get(),
        Some(Pointed::Edge(_)) | None => false,
    };
    let current = move || cursor.at.get() == at;
    let place = row.lane;
    let cells = lanes
        .iter()
        .enumerate()
        .map(|(lane, name)| {
            let happens = (lane == place && kind != RowKind::Start).then(|| {
                view! {
                    <span class="time-lane">{name.clone()}</span>
                    <span class="time-event">{row.label.clone()}</span>
                    <span class="time-note">{row.note.clone()}</span>
                }
            });
            view! { <td class="lane">{happens}</td> }
        })
        .collect_view();
    let held = row.cells.iter().map(|cell| view! { <td class="held">{chips(app, cell, false)}</td> }).collect_view();
    view! {
        <tr
            class=row_class(kind)
            class:pointed=pointed
            class:current=current
            aria-current=move || current().then_some("step")
            id=row_id(at)
            data-event=row.key.map(|_| row.title.split(' ').next().unwrap_or_default().to_owned())
            title=row.title.clone()
            on:click=move |_| cursor.go(at)
            on:pointerenter=move |_| app.around.pointed.set(key.map(Pointed::Event))
            on:pointerleave=move |_| app.around.pointed.set(None)
        >
            <th scope="row">{if kind == RowKind::Start { "start".to_owned() } else { at.to_string() }}</th>
            {cells}
            {held}
        </tr>
    }
}

/// What is held, oldest first; buffers of their own on lines of their own.
fn chips(app: App, cell: &TimeCell, with_writer: bool) -> impl IntoView + use<> {
    let shelf = |shelf: &Vec<litmoscope::report::Chip>| {
        let chips = shelf
            .iter()
            .map(|chip| {
                let key = chip.key;
                let pointed = move || app.around.pointed.get() == Some(Pointed::Event(key));
                let by = with_writer.then(|| view! { <span class="held-by">{format!(" {}", chip.by)}</span> });
                view! {
                    <span class="held-write" class:new=chip.new class:pointed=pointed title=chip.by.clone()>
                        {chip.text.clone()}
                        {by}
                    </span>
                }
            })
            .collect_view();
        view! { <span class="shelf">{chips}</span> }
    };
    cell.shelves.iter().filter(|shelf| !shelf.is_empty()).map(shelf).collect_view()
}

/// Memory and buffers at the cursor.
#[component]
fn Moment(cursor: Cursor) -> impl IntoView {
    let app = App::get();
    let rows = move || {
        let at = cursor.at.get();
        cursor.timeline.with(|timeline| {
            let Some(timeline) = timeline else { return Vec::new() };
            let Some(row) = timeline.rows.get(at) else { return Vec::new() };
            timeline.columns.iter().cloned().zip(row.cells.iter().cloned()).collect()
        })
    };
    let entry = move |(name, cell): (String, TimeCell)| {
        let empty = cell.shelves.iter().all(Vec::is_empty);
        let held = if empty {
            view! { <span class="none">"empty"</span> }.into_any()
        } else {
            chips(app, &cell, true).into_any()
        };
        view! { <div><dt>{name}</dt><dd>{held}</dd></div> }
    };
    view! {
        <div class="time-state" tabindex="0" role="group" aria-label="At this moment: what is held, and who wrote it">
            <dl id="time-state">{move || rows().into_iter().map(entry).collect_view()}</dl>
        </div>
    }
}

/// Moves the cursor by a row, wherever the focus is; whether there are rows.
pub fn step(down: bool) -> bool {
    let button = document().get_element_by_id(if down { "time-down" } else { "time-up" });
    let button = button.and_then(|button| button.dyn_into::<HtmlElement>().ok());
    button.inspect(|button| button.click()).is_some()
}
