//! The columns beside the drawing: how wide they are, and whether they are folded away. Where there is room for one panel
//! at a time, there are no columns.
//!
//! The widths are two properties of the body, which the style sheets use wherever a panel stands beside others. They are kept,
//! and so is whether a column is folded.

use leptos::ev::{KeyboardEvent, PointerEvent};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use crate::app::App;
use crate::app::lab::Tab;
use crate::browser;
use crate::document::recent::grew_from;
use crate::labs::lessons::asking::Quiz;
use crate::labs::stepping::tree::look::TreeLook;
use crate::ui::element::set;

/// The name that they are kept under.
const KEPT: &str = "columns";
/// The least and the largest share of the page that a column can have, in per cent.
const SHARES: (f64, f64) = (12.0, 60.0);
/// The least room for what stands in the middle, and for a column, in pixels.
const LEAST: (f64, f64) = (320.0, 200.0);
/// How many characters of a line the program's column has room for at most, where nobody has chosen its width, and in what steps it
/// grows with a line that is typed.
const CHARACTERS: (usize, usize) = (72, 4);
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

impl Side {
    fn other(self) -> Self {
        match self {
            Self::Program => Self::Results,
            Self::Results => Self::Program,
        }
    }

    /// The column's share of the page as it is now, in per cent. Not kept: keys may come faster than pictures.
    fn share(self, panels: &Element) -> f64 {
        let panel = match self {
            Self::Program => ".panel.program",
            // The tree may have the middle.
            Self::Results => ".panel.found",
        };
        let panel = panels.query_selector(panel).ok().flatten();
        panel.map_or(0.0, |panel| panel.get_bounding_client_rect().width() * 100.0 / room(panels).1.max(1.0))
    }
}

/// How a column stands.
#[derive(Clone, Copy)]
struct Column {
    /// Its share of the page in per cent; 0 if none was chosen.
    share: RwSignal<f64>,
    folded: RwSignal<bool>,
}

impl Column {
    /// As it was written by [`Self::write`]; as it is at first if that says nothing.
    fn read(kept: &str) -> Self {
        let (share, folded) = parse(kept);
        Self { share: RwSignal::new(share), folded: RwSignal::new(folded) }
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
        let Some(panels) = panels() else { return };
        let room = room(&panels).1;
        if room <= 0.0 {
            return;
        }
        let most = (100.0 - side.other().share(&panels) - LEAST.0 * 100.0 / room).clamp(SHARES.0, SHARES.1);
        let least = (LEAST.1 * 100.0 / room).clamp(SHARES.0, most);
        let column = self.column(side);
        column.share.set((share.clamp(least, most) * 10.0).round() / 10.0);
        column.folded.set(false);
    }

    /// Tells the borders how wide they are.
    fn measure(self, app: App) {
        request_animation_frame(move || {
            let Some(panels) = panels() else { return };
            for (side, border, fold) in
                [(Side::Program, "program-border", "fold-program"), (Side::Results, "results-border", "fold-results")]
            {
                let now = side.share(&panels);
                let folded = self.column(side).folded.get_untracked();
                let (Some(border), Some(fold)) =
                    (document().get_element_by_id(border), document().get_element_by_id(fold))
                else {
                    continue;
                };
                for (name, value) in [("aria-valuemin", SHARES.0), ("aria-valuemax", SHARES.1), ("aria-valuenow", now)]
                {
                    set(&border, name, &value.clamp(SHARES.0, SHARES.1).round().to_string());
                }
                let text = if folded { "folded away".to_owned() } else { format!("{} % of the page", now.round()) };
                set(&border, "aria-valuetext", &text);
                set(&fold, "title", &app.hint(&fold.id()));
                set(&fold, "aria-label", app.title(&fold.id()));
                set(&fold, "aria-expanded", if folded { "false" } else { "true" });
                if let Some(divider) = fold.parent_element() {
                    let _ = divider.class_list().toggle_with_force("folded", folded);
                }
            }
        });
    }
}

/// Where the columns begin, and how wide all of them are: shares are shares of that.
fn room(panels: &Element) -> (f64, f64) {
    let outside = panels.get_bounding_client_rect();
    let style = window().get_computed_style(panels).ok().flatten();
    let [left, right] = ["padding-left", "padding-right"].map(|padding| {
        let padding = style.as_ref().and_then(|style| style.get_property_value(padding).ok());
        padding.and_then(|padding| padding.trim_end_matches("px").parse().ok()).unwrap_or(0.0)
    });
    (outside.left() + left, outside.width() - left - right)
}

fn panels() -> Option<Element> {
    document().query_selector(".panels").ok().flatten()
}

/// For how many characters of a line a text wants room. Comments want none.
fn characters(text: &str) -> usize {
    let (most, step) = CHARACTERS;
    let is_comment = |line: &&str| ["//", "#", "(*"].iter().any(|sign| line.trim_start().starts_with(sign));
    let longest =
        text.lines().filter(|line| !is_comment(line)).map(|line| line.chars().take(most).count()).max().unwrap_or(0);
    longest.next_multiple_of(step)
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
        columns.measure(app);
    });
    // As wide as the text wants: wider while one types, narrower only for another text.
    Effect::new(move |before: Option<(String, usize)>| {
        let text = app.document.text.get();
        let mut wanted = characters(&text);
        if let Some((old, old_wanted)) = before
            && grew_from(&old, &text)
        {
            wanted = wanted.max(old_wanted);
        }
        if let Some(body) = document().body() {
            let _ = HtmlElement::style(&body).set_property("--characters", &wanted.to_string());
        }
        columns.measure(app);
        (text, wanted)
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
        columns.measure(app);
    });
    let _ = window_event_listener_untyped("resize", move |_| columns.measure(app));
    listen(columns);
}

/// The border of a column: dragged, moved by keys, with a button that folds the column away. What changes is told to it by
/// [`Columns::measure`], and what is done to it is heard by [`listen`].
#[component]
pub fn Divider(side: Side) -> impl IntoView {
    match side {
        Side::Program => view! {
            <div class="divider left">
                <div class="border" id="program-border" role="separator" tabindex="0" aria-orientation="vertical" aria-label="Width of the program" title="Drag it, or use the arrow keys. Double-click for the usual width"></div>
                <button type="button" class="fold" id="fold-program"><span class="caret" aria-hidden="true"></span></button>
            </div>
        }
        .into_any(),
        Side::Results => view! {
            <div class="divider right">
                <div class="border" id="results-border" role="separator" tabindex="0" aria-orientation="vertical" aria-label="Width of tree and results" title="Drag it, or use the arrow keys. Double-click for the usual width"></div>
                <button type="button" class="fold" id="fold-results"><span class="caret" aria-hidden="true"></span></button>
            </div>
        }
        .into_any(),
    }
}

/// The border or the button that an event is about, and its column.
fn touched(event: &web_sys::Event) -> Option<(Element, Side)> {
    let target = event.target()?.dyn_into::<Element>().ok()?;
    let part = target.closest(".divider > *").ok()??;
    let side =
        if part.id().starts_with("program") || part.id() == "fold-program" { Side::Program } else { Side::Results };
    Some((part, side))
}

/// How wide a column would be if it ended at the pointer, and how wide all is.
fn under(event: &PointerEvent, side: Side) -> Option<(f64, f64)> {
    let (left, room) = room(&panels()?);
    let from_left = f64::from(event.client_x()) - left;
    let width = if side == Side::Program { from_left } else { room - from_left };
    Some((width, room.max(1.0)))
}

/// Listens to what is done to the borders.
pub fn listen(columns: Columns) {
    // How far the pointer is from the end of the column that is dragged.
    let apart = StoredValue::new(f64::NAN);
    for name in ["pointerdown", "pointermove", "pointerup", "pointercancel", "dblclick", "click"] {
        let _ = window_event_listener_untyped(name, move |event| {
            let Some((part, side)) = touched(&event) else { return };
            let column = columns.column(side);
            let is_border = part.class_list().contains("border");
            let pointer = event.dyn_ref::<PointerEvent>();
            match (name, pointer.and_then(|pointer| Some((pointer, under(pointer, side)?)))) {
                ("pointerdown", Some((pointer, (width, room)))) if is_border && pointer.button() == 0 => {
                    let _ = part.set_pointer_capture(pointer.pointer_id());
                    let _ = part.class_list().add_1("dragged");
                    let share = panels().map_or(0.0, |panels| side.share(&panels));
                    apart.set_value(width - share * room / 100.0);
                }
                ("pointermove", Some((_, (width, room)))) if !apart.get_value().is_nan() => {
                    columns.put(side, (width - apart.get_value()) * 100.0 / room);
                }
                ("pointerup" | "pointercancel", _) => {
                    let _ = part.class_list().remove_1("dragged");
                    apart.set_value(f64::NAN);
                }
                ("dblclick", _) if is_border => column.share.set(0.0),
                ("click", _) if !is_border => columns.toggle(side),
                _ => {}
            }
        });
    }
}

/// The keys of the borders; whether this was one.
pub fn took(columns: Columns, event: &KeyboardEvent) -> bool {
    let Some((part, side)) = touched(event) else { return false };
    let now = panels().map_or(0.0, |panels| side.share(&panels));
    let wider = if side == Side::Program { STEP } else { -STEP };
    match event.key().as_str() {
        _ if !part.class_list().contains("border") => return false,
        "ArrowRight" => columns.put(side, now + wider),
        "ArrowLeft" => columns.put(side, now - wider),
        "Home" => columns.put(side, SHARES.0),
        "End" => columns.put(side, SHARES.1),
        "Enter" => columns.toggle(side),
        _ => return false,
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_as_wide_as_its_longest_line_wants() {
        assert_eq!(characters(""), 0);
        assert_eq!(characters("x := 1\nabcdefghi\n"), 12);
        assert_eq!(characters(&"é".repeat(1000)), 72);
        assert_eq!(characters("// a longer one\n# and another\nx := 1"), 8);
    }

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
