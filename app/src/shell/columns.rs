//! The columns beside the drawing: how wide they are, and whether they are folded away. Where there is room for one panel
//! at a time, there are no columns.

use leptos::ev::{KeyboardEvent, PointerEvent};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use crate::app::App;
use crate::app::lab::Tab;
use crate::browser;
use crate::labs::lessons::asking::Quiz;
use crate::labs::stepping::tree::look::TreeLook;

/// The name that they are kept under.
const KEPT: &str = "columns";
/// The least and the largest share of the page that a column can have, in per cent.
const SHARES: (f64, f64) = (12.0, 60.0);
/// The least room for what stands in the middle, and for a column, in pixels.
const LEAST: (f64, f64) = (320.0, 200.0);
/// How far an arrow key moves a border, in per cent.
const STEP: f64 = 2.0;

/// Which of the columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The program, on the left.
    Program,
    /// Tree and results, on the right.
    Results,
}

/// How a column stands.
#[derive(Clone, Copy)]
struct Column {
    /// Its share of the page in per cent; 0 if none was chosen.
    share: RwSignal<f64>,
    folded: RwSignal<bool>,
    /// Its share as it is.
    now: RwSignal<f64>,
}

impl Column {
    /// As it was written by [`Self::write`]; as it is at first if that says nothing.
    fn read(kept: &str) -> Self {
        let (share, folded) = parse(kept);
        Self { share: RwSignal::new(share), folded: RwSignal::new(folded), now: RwSignal::new(0.0) }
    }

    /// `31.5`, or `31.5 folded`.
    fn write(self) -> String {
        format!("{}{}", self.share.get(), if self.folded.get() { " folded" } else { "" })
    }
}

fn parse(kept: &str) -> (f64, bool) {
    let (share, folded) = kept.split_once(' ').map_or((kept, false), |(share, rest)| (share, rest == "folded"));
    let share = share.parse().ok().filter(|share: &f64| share.is_finite() && *share > 0.0);
    (share.map_or(0.0, |share| share.clamp(SHARES.0, SHARES.1)), folded)
}

/// Both of them.
#[derive(Clone, Copy)]
pub struct Columns {
    program: Column,
    results: Column,
}

impl Columns {
    /// As they were left.
    pub fn load() -> Self {
        let kept = browser::load(KEPT).unwrap_or_default();
        let (program, results) = kept.split_once(';').unwrap_or_default();
        Self { program: Column::read(program), results: Column::read(results) }
    }

    fn column(self, side: Side) -> Column {
        match side {
            Side::Program => self.program,
            Side::Results => self.results,
        }
    }

    /// Folds a column away, or back.
    pub fn toggle(self, side: Side) {
        self.column(side).folded.update(|folded| *folded = !*folded);
    }

    /// Shows a column that is folded away.
    pub fn unfold(self, side: Side) {
        self.column(side).folded.set(false);
    }

    /// Both as they are at first.
    pub fn forget(self) {
        for column in [self.program, self.results] {
            column.share.set(0.0);
            column.folded.set(false);
        }
    }

    /// Moves the border of a column so that it has this share, as far as the others leave room.
    fn put(self, side: Side, share: f64) {
        let Some(room) = panels().map(|panels| panels.get_bounding_client_rect().width()).filter(|room| *room > 0.0)
        else {
            return;
        };
        let other = if side == Side::Program { self.results } else { self.program };
        let most = (100.0 - other.now.get_untracked() - LEAST.0 * 100.0 / room).clamp(SHARES.0, SHARES.1);
        let least = (LEAST.1 * 100.0 / room).clamp(SHARES.0, most);
        let column = self.column(side);
        column.share.set((share.clamp(least, most) * 10.0).round() / 10.0);
        column.folded.set(false);
    }

    /// Looks how wide they are.
    fn measure(self) {
        request_animation_frame(move || {
            let Some(panels) = panels() else { return };
            let room = panels.get_bounding_client_rect().width().max(1.0);
            // The right one is that of the results: the tree may have the middle.
            for (column, panel) in [(self.program, ".panel.program"), (self.results, ".panel.found")] {
                let panel = panels.query_selector(panel).ok().flatten();
                let now = panel.map_or(0.0, |panel| panel.get_bounding_client_rect().width() * 100.0 / room);
                if column.now.try_get_untracked().is_some_and(|before| (before - now).abs() > 0.01) {
                    column.now.set(now);
                }
            }
        });
    }
}

fn panels() -> Option<Element> {
    document().query_selector(".panels").ok().flatten()
}

/// Tells the style sheet how wide they are, and keeps it.
pub fn reflect(app: App, columns: Columns, tree: TreeLook, quiz: Quiz) {
    let Columns { program, results } = columns;
    Effect::new(move |before: Option<()>| {
        let kept = format!("{};{}", program.write(), results.write());
        let Some(body) = document().body() else { return };
        let style = HtmlElement::style(&body);
        let mut folded = String::new();
        for (name, property, column) in [("program", "--left", program), ("results", "--right", results)] {
            let share = column.share.get();
            let _ = if share > 0.0 {
                style.set_property(property, &format!("clamp({}px, {share}%, {}%)", LEAST.1, SHARES.1))
            } else {
                style.remove_property(property).map(drop)
            };
            if column.folded.get() {
                folded = format!("{folded} {name}");
            }
        }
        let _ = body.set_attribute("data-folded", &folded);
        if before.is_some() {
            browser::store(KEPT, &kept);
        }
        columns.measure();
    });
    // Whoever is led to a panel finds it there.
    Effect::new(move |before: Option<Tab>| {
        let tab = app.tab.get();
        if before.is_some_and(|before| before != tab) {
            match tab {
                Tab::Program => columns.unfold(Side::Program),
                Tab::Tree | Tab::Results => columns.unfold(Side::Results),
                _ => {}
            }
        }
        tab
    });
    Effect::new(move |_| {
        let _ = (app.active.get(), tree.wide.get());
        let _ = (app.looks.wide.get(), app.looks.lecture.get(), quiz.active());
        columns.measure();
    });
    let _ = window_event_listener(leptos::ev::resize, move |_| columns.measure());
}

/// The border of a column: dragged, moved by keys, with a button that folds the column away.
#[component]
pub fn Divider(columns: Columns, side: Side) -> impl IntoView {
    let app = App::get();
    let column = columns.column(side);
    let folded = column.folded;
    let (class, id, name, fold) = match side {
        Side::Program => ("divider left", "program-border", "Width of the program", "fold-program"),
        Side::Results => ("divider right", "results-border", "Width of tree and results", "fold-results"),
    };
    let dragged = RwSignal::new(false);
    // How far the pointer is from the column's end.
    let apart = StoredValue::new(0.0);
    // How wide the column would be if it ended at the pointer, and how wide all is.
    let under = move |event: &PointerEvent| {
        let room = panels()?.get_bounding_client_rect();
        let width = match side {
            Side::Program => f64::from(event.client_x()) - room.left(),
            Side::Results => room.right() - f64::from(event.client_x()),
        };
        Some((width, room.width().max(1.0)))
    };
    let down = move |event: PointerEvent| {
        if event.button() != 0 {
            return;
        }
        if let Some(border) = event.current_target().and_then(|border| border.dyn_into::<Element>().ok()) {
            let _ = border.set_pointer_capture(event.pointer_id());
        }
        if let Some((width, room)) = under(&event) {
            apart.set_value(width - column.now.get_untracked() * room / 100.0);
        }
        dragged.set(true);
    };
    let moved = move |event: PointerEvent| {
        if let Some((width, room)) = under(&event).filter(|_| dragged.get_untracked()) {
            columns.put(side, (width - apart.get_value()) * 100.0 / room);
        }
    };
    let keys = move |event: KeyboardEvent| {
        if event.ctrl_key() || event.alt_key() || event.meta_key() {
            return;
        }
        let wider = if side == Side::Program { STEP } else { -STEP };
        let now = column.now.get_untracked();
        match event.key().as_str() {
            "ArrowRight" => columns.put(side, now + wider),
            "ArrowLeft" => columns.put(side, now - wider),
            "Home" => columns.put(side, SHARES.0),
            "End" => columns.put(side, SHARES.1),
            "Enter" => columns.toggle(side),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    };
    let percent = move || column.now.get().round();
    view! {
        <div class=class class:folded=folded>
            <div
                class="border"
                id=id
                role="separator"
                tabindex="0"
                aria-orientation="vertical"
                aria-label=name
                aria-valuemin=SHARES.0
                aria-valuemax=SHARES.1
                aria-valuenow=move || percent().clamp(SHARES.0, SHARES.1)
                aria-valuetext=move || if folded.get() { "folded away".to_owned() } else { format!("{} % of the page", percent()) }
                title="Drag it, or use the arrow keys; a double click: the usual width"
                class:dragged=dragged
                on:pointerdown=down
                on:pointermove=moved
                on:pointerup=move |_| dragged.set(false)
                on:pointercancel=move |_| dragged.set(false)
                on:dblclick=move |_| column.share.set(0.0)
                on:keydown=keys
            ></div>
            <button
                type="button"
                class="fold"
                id=fold
                title=app.hint(fold)
                aria-label=app.title(fold)
                aria-expanded=move || (!folded.get()).to_string()
                on:click=move |_| columns.toggle(side)
            >
                <svg viewBox="0 0 8 14" width="8" height="14" aria-hidden="true"><path d="M6.5 1 1.5 7l5 6" fill="none" stroke="currentColor" stroke-width="1.6"></path></svg>
            </button>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_may_be_damaged() {
        for (kept, read) in [
            ("31.5", (31.5, false)),
            ("31.5 folded", (31.5, true)),
            ("0 folded", (0.0, true)),
            ("1e9", (SHARES.1, false)),
            ("-4", (0.0, false)),
            ("NaN", (0.0, false)),
            ("inf x", (0.0, false)),
            ("wide", (0.0, false)),
            ("", (0.0, false)),
        ] {
            assert_eq!(parse(kept), read, "{kept}");
        }
    }
}
