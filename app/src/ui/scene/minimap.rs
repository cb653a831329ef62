//! All of a drawing, small, in a corner of its panel: what is in sight of it, and the way elsewhere.
//!
//! For the mouse and fingers alone: whoever uses the keyboard or hears the page has Shift and the arrow keys, and the text of
//! the graph, so it is hidden from screen readers.

use std::fmt::Write;
use std::sync::Arc;

use leptos::ev::PointerEvent;
use leptos::prelude::*;
use leptos::svg;
use litmoscope::report::{Drawing, Mark};
use wasm_bindgen::JsCast;
use web_sys::Element;

use super::camera::{Place, Stage};

/// The least panel that has room for a map.
const LEAST: (f64, f64) = (280.0, 150.0);
/// How large a map is at most, as a share of its panel and in pixels.
const SHARE: f64 = 0.28;
const LARGEST: (f64, f64) = (130.0, 100.0);

/// How wide and high a map is at least: one of a much wider or taller drawing is not true to its shape.
const NARROWEST: f64 = 36.0;

/// How high the title of a thread is.
const TITLE: f32 = 26.0;

/// The map's own size.
fn map_size(drawing: (f64, f64), panel: (f64, f64)) -> (f64, f64) {
    let room = ((SHARE * panel.0).min(LARGEST.0), (SHARE * panel.1).min(LARGEST.1));
    let scale = (room.0 / drawing.0.max(1.0)).min(room.1 / drawing.1.max(1.0));
    ((drawing.0 * scale).max(NARROWEST), (drawing.1 * scale).max(NARROWEST))
}

/// The space between the map and the panel's borders.
const GAP: f64 = 8.0;

/// A corner of the panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Corner {
    /// At the lower border.
    low: bool,
    /// At the left border.
    left: bool,
}

/// The corners, those that readers look for the map in first.
const CORNERS: [Corner; 4] = [
    Corner { low: false, left: false },
    Corner { low: true, left: false },
    Corner { low: true, left: true },
    Corner { low: false, left: true },
];

/// The class of a map in a corner, where it covers so much.
fn class((corner, covered): (Corner, usize)) -> String {
    let marks = [(corner.low, " low"), (corner.left, " left"), (covered > 0, " over")];
    ["minimap"].into_iter().chain(marks.into_iter().filter(|(on, _)| *on).map(|(_, mark)| mark)).collect()
}

/// What a map should not cover: events, and the titles of columns. Left and upper border, width and height.
fn parts(drawing: &Drawing) -> impl Iterator<Item = [f32; 4]> {
    let nodes = drawing.nodes.iter().map(|node| [node.x, node.y, node.width, node.height]);
    nodes.chain(drawing.columns.iter().map(|column| [column.x, column.y, column.width, TITLE]))
}

/// How many of these a map covers in a corner of the panel.
fn covered(
    parts: impl Iterator<Item = [f32; 4]>,
    place: Place,
    panel: (f64, f64),
    size: (f64, f64),
    corner: Corner,
) -> usize {
    let left = if corner.left { GAP } else { panel.0 - GAP - size.0 };
    let top = if corner.low { panel.1 - GAP - size.1 } else { GAP };
    let meets = |&[x, y, width, height]: &[f32; 4]| {
        let [x, y] = [f64::from(x) * place.scale + place.x, f64::from(y) * place.scale + place.y];
        let [width, height] = [width, height].map(|length| f64::from(length) * place.scale);
        x + width > left && x < left + size.0 && y + height > top && y < top + size.1
    };
    parts.filter(meets).count()
}

/// The boxes of the events that are on the violating cycle, or of all others, as one path.
fn boxes(drawing: &Drawing, in_cycle: bool) -> String {
    let mut path = String::new();
    for node in drawing.nodes.iter().filter(|node| node.marks.contains(&Mark::InCycle) == in_cycle) {
        let _ = write!(path, "M{} {}h{}v{}h-{}z", node.x, node.y, node.width, node.height, node.width);
    }
    path
}

/// The map, where the drawing is not all in sight.
#[component]
pub fn Minimap(
    stage: Stage,
    /// Of the scene.
    of: &'static str,
    drawing: Signal<Option<Arc<Drawing>>>,
) -> impl IntoView {
    let shown = Memo::new(move |_| {
        let (width, height) = stage.panel.get();
        drawing.with(Option::is_some) && width >= LEAST.0 && height >= LEAST.1 && !stage.shows_all()
    });
    view! { <Show when=move || shown.get()><Map stage of drawing /></Show> }
}

#[component]
fn Map(stage: Stage, of: &'static str, drawing: Signal<Option<Arc<Drawing>>>) -> impl IntoView {
    let map = NodeRef::<svg::Svg>::new();
    let held = StoredValue::new(false);
    let size = Memo::new(move |_| map_size(stage.size(), stage.panel.get()));
    let look = move |event: &PointerEvent| {
        let Some(map) = map.get_untracked() else { return };
        let area = map.unchecked_ref::<Element>().get_bounding_client_rect();
        let (width, height) = untrack(|| stage.size());
        let share = |at: f64, from: f64, size: f64| ((at - from) / size.max(1.0)).clamp(0.0, 1.0);
        stage.centre(
            width * share(f64::from(event.client_x()), area.left(), area.width()),
            height * share(f64::from(event.client_y()), area.top(), area.height()),
        );
    };
    let down = move |event: PointerEvent| {
        if event.button() == 0 {
            if let Some(map) = map.get_untracked() {
                let _ = map.unchecked_ref::<Element>().set_pointer_capture(event.pointer_id());
            }
            held.set_value(true);
            look(&event);
        }
    };
    let moved = move |event: PointerEvent| {
        if held.get_value() {
            look(&event);
        }
    };
    // Where it covers least: nothing, as a rule.
    let corner = Memo::new(move |_| {
        let (place, panel, size) = (stage.place(), stage.panel.get(), size.get());
        drawing.with(|drawing| {
            let Some(drawing) = drawing else { return (CORNERS[0], 0) };
            let covers = CORNERS.map(|corner| (corner, covered(parts(drawing), place, panel, size, corner)));
            covers.into_iter().min_by_key(|(_, covered)| *covered).unwrap_or((CORNERS[0], 0))
        })
    });
    let all = move |in_cycle: bool| drawing.with(|drawing| drawing.as_ref().map(|drawing| boxes(drawing, in_cycle)));
    let cycle = move || {
        drawing.with(|drawing| {
            let edges = drawing.iter().flat_map(|drawing| &drawing.edges).filter(|edge| edge.in_cycle);
            edges.map(|edge| edge.path.as_str()).collect::<String>()
        })
    };
    let frame = Memo::new(move |_| {
        let Place { scale, x, y } = stage.place();
        let (panel, (width, height)) = (stage.panel.get(), stage.size());
        // At the borders of the map, if it goes beyond.
        let low = |at: f64, size: f64| (-at / scale).clamp(0.0, size);
        let high = |at: f64, panel: f64, size: f64| ((panel - at) / scale).clamp(0.0, size);
        let (left, top) = (low(x, width), low(y, height));
        (left, top, high(x, panel.0, width) - left, high(y, panel.1, height) - top)
    });
    view! {
        <svg
            class=move || class(corner.get())
            id=format!("{of}-map")
            aria-hidden="true"
            node_ref=map
            width=move || format!("{:.1}", size.get().0)
            height=move || format!("{:.1}", size.get().1)
            viewBox=move || {
                let (width, height) = stage.size();
                format!("0 0 {width} {height}")
            }
            preserveAspectRatio="none"
            on:pointerdown=down
            on:pointermove=moved
            on:pointerup=move |_| held.set_value(false)
            on:pointercancel=move |_| held.set_value(false)
        >
            <rect class="map-ground" width="100%" height="100%"></rect>
            <path class="map-events" d=move || all(false)></path>
            <path class="map-edges" d=cycle></path>
            <path class="map-cycle" d=move || all(true)></path>
            <rect
                class="map-frame"
                x=move || frame.get().0
                y=move || frame.get().1
                width=move || frame.get().2
                height=move || frame.get().3
            ></rect>
        </svg>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_takes_little_of_its_panel() {
        for drawing in [(500.0, 3000.0), (3000.0, 500.0), (600.0, 500.0)] {
            let (width, height) = map_size(drawing, (390.0, 300.0));
            assert!(width <= 110.0 && height <= 85.0, "{width} {height}");
            let stretched = width == NARROWEST || height == NARROWEST;
            assert!(stretched || (width / height - drawing.0 / drawing.1).abs() < 0.01);
        }
    }

    #[test]
    fn a_map_stands_where_it_covers_nothing() {
        let place = Place { scale: 1.0, x: 0.0, y: 0.0 };
        let covers =
            |parts: &[[f32; 4]], corner| covered(parts.iter().copied(), place, (400.0, 200.0), (100.0, 50.0), corner);
        let mut parts = Vec::new();
        for (corner, [x, y]) in CORNERS.into_iter().zip([[340.0, 20.0], [330.0, 150.0], [20.0, 160.0], [10.0, 10.0]]) {
            assert_eq!(covers(&parts, corner), 0);
            parts.push([x, y, 60.0, 25.0]);
            assert_eq!(covers(&parts, corner), 1, "{corner:?}");
        }
    }

    #[test]
    fn a_map_of_a_row_or_a_column_can_be_read() {
        for drawing in [(1700.0, 75.0), (120.0, 4000.0)] {
            let (width, height) = map_size(drawing, (634.0, 366.0));
            assert!(width.min(height) >= 36.0 && width.max(height) <= 130.0, "{width} {height}");
        }
    }
}
