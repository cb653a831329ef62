//! The columns beside the drawing: how wide they are, and whether they are folded away. Where there is room for one panel
//! at a time, there are no columns.

use leptos::ev::{KeyboardEvent, PointerEvent};
use leptos::prelude::*;
use serde::{Deserialize, Serialize};
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Column {
    /// Its share of the page in per cent, if one was chosen.
    share: Option<f64>,
    folded: bool,
}

impl Column {
    /// What is kept may be of another version, or written by somebody else.
    fn checked(self) -> Self {
        let share = self.share.filter(|share| share.is_finite()).map(|share| share.clamp(SHARES.0, SHARES.1));
        Self { share, ..self }
    }

    fn at(share: f64) -> Self {
        Self { share: Some((share * 10.0).round() / 10.0), folded: false }.checked()
    }
}

/// Both of them.
#[derive(Clone, Copy)]
pub struct Columns {
    program: RwSignal<Column>,
    results: RwSignal<Column>,
    /// How much of the page they have now, in per cent.
    now: RwSignal<(f64, f64)>,
}

impl Columns {
    /// As they were left.
    pub fn load() -> Self {
        let kept: (Column, Column) =
            browser::load(KEPT).and_then(|json| serde_json::from_str(&json).ok()).unwrap_or_default();
        Self {
            program: RwSignal::new(kept.0.checked()),
            results: RwSignal::new(kept.1.checked()),
            now: RwSignal::default(),
        }
    }

    fn column(self, side: Side) -> RwSignal<Column> {
        match side {
            Side::Program => self.program,
            Side::Results => self.results,
        }
    }

    fn now(self, side: Side) -> f64 {
        let (program, results) = self.now.get();
        if side == Side::Program { program } else { results }
    }

    /// Folds a column away, or back.
    pub fn toggle(self, side: Side) {
        self.column(side).update(|column| column.folded = !column.folded);
    }

    /// Shows a column that is folded away.
    pub fn unfold(self, side: Side) {
        if self.column(side).with_untracked(|column| column.folded) {
            self.toggle(side);
        }
    }

    /// Both as they are at first.
    pub fn forget(self) {
        self.program.set(Column::default());
        self.results.set(Column::default());
    }

    /// Moves the border of a column so that it has this share, as far as the others leave room.
    fn put(self, side: Side, share: f64) {
        let Some(room) = panels().map(|panels| panels.get_bounding_client_rect().width()).filter(|room| *room > 0.0)
        else {
            return;
        };
        let (program, results) = self.now.get_untracked();
        let other = if side == Side::Program { results } else { program };
        let most = (100.0 - other - LEAST.0 * 100.0 / room).max(SHARES.0);
        let least = (LEAST.1 * 100.0 / room).min(most);
        self.column(side).set(Column::at(share.clamp(least, most)));
    }

    /// Looks how wide they are.
    fn measure(self) {
        request_animation_frame(move || {
            let Some(panels) = panels() else { return };
            let room = panels.get_bounding_client_rect().width().max(1.0);
            let share = |selector: &str| {
                let panel = panels.query_selector(selector).ok().flatten();
                panel.map_or(0.0, |panel| panel.get_bounding_client_rect().width() * 100.0 / room)
            };
            // The tree's panel, and that of the results where the tree has the middle.
            let now = (share(".panel.program"), share(".panel.found"));
            if self.now.try_get_untracked().is_some_and(|before| before != now) {
                self.now.set(now);
            }
        });
    }
}

fn panels() -> Option<Element> {
    document().query_selector(".panels").ok().flatten()
}

/// Tells the style sheet how wide they are, and keeps it.
pub fn reflect(app: App, columns: Columns, tree: TreeLook, quiz: Quiz) {
    let Columns { program, results, .. } = columns;
    Effect::new(move |before: Option<()>| {
        let (left, right) = (program.get(), results.get());
        let Some(body) = document().body() else { return };
        let style = HtmlElement::style(&body);
        for (name, column) in [("--left", left), ("--right", right)] {
            let _ = match column.share {
                Some(share) => style.set_property(name, &format!("clamp({}px, {share}%, {}%)", LEAST.1, SHARES.1)),
                None => style.remove_property(name).map(drop),
            };
        }
        let folded = [(left, "program"), (right, "results")];
        let folded = folded.into_iter().filter(|(column, _)| column.folded).map(|(_, name)| name);
        let _ = body.set_attribute("data-folded", &folded.collect::<Vec<_>>().join(" "));
        if before.is_some() {
            browser::store(KEPT, &serde_json::to_string(&(left, right)).unwrap_or_default());
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
    let folded = move || column.with(|column| column.folded);
    let (class, id, name, fold) = match side {
        Side::Program => ("divider left", "program-border", "Width of the program", "fold-program"),
        Side::Results => ("divider right", "results-border", "Width of tree and results", "fold-results"),
    };
    let dragged = RwSignal::new(false);
    let down = move |event: PointerEvent| {
        if event.button() != 0 || column.with_untracked(|column| column.folded) {
            return;
        }
        if let Some(border) = event.current_target().and_then(|border| border.dyn_into::<Element>().ok()) {
            let _ = border.set_pointer_capture(event.pointer_id());
        }
        dragged.set(true);
    };
    let moved = move |event: PointerEvent| {
        let Some(panels) = panels().filter(|_| dragged.get_untracked()) else { return };
        let room = panels.get_bounding_client_rect();
        let from = match side {
            Side::Program => f64::from(event.client_x()) - room.left(),
            Side::Results => room.right() - f64::from(event.client_x()),
        };
        columns.put(side, from * 100.0 / room.width().max(1.0));
    };
    let keys = move |event: KeyboardEvent| {
        if event.ctrl_key() || event.alt_key() || event.meta_key() {
            return;
        }
        let wider = if side == Side::Program { STEP } else { -STEP };
        let now = untrack(|| columns.now(side));
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
    let percent = move || columns.now(side).round();
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
                aria-valuetext=move || if folded() { "folded away".to_owned() } else { format!("{} % of the page", percent()) }
                title="Drag it, or use the arrow keys; a double click: the usual width"
                class:dragged=dragged
                on:pointerdown=down
                on:pointermove=moved
                on:pointerup=move |_| dragged.set(false)
                on:pointercancel=move |_| dragged.set(false)
                on:dblclick=move |_| column.set(Column::default())
                on:keydown=keys
            ></div>
            <button
                type="button"
                class="fold"
                id=fold
                title=app.hint(fold)
                aria-label=app.title(fold)
                aria-expanded=move || (!folded()).to_string()
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
    fn what_is_kept_may_be_of_another_version() {
        let read = |json| serde_json::from_str::<(Column, Column)>(json).unwrap_or_default();
        let (left, right) = read(r#"[{"share":1e9,"to come":1},{"folded":true}]"#);
        assert_eq!((left.checked().share, right.checked()), (Some(SHARES.1), Column { share: None, folded: true }));
        for broken in ["", "[]", "{}", "[1,2]", r#"[{"share":"wide"},{}]"#] {
            assert_eq!(read(broken), <(Column, Column)>::default(), "{broken}");
        }
    }

    #[test]
    fn shares_stay_within_their_bounds() {
        for share in [-10.0, 0.0, 33.333, 1e6] {
            let share = Column::at(share).share.expect("it was chosen");
            assert!((SHARES.0..=SHARES.1).contains(&share), "{share}");
        }
        assert_eq!(Column::at(33.333).share, Some(33.3));
    }
}
