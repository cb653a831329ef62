//! A look at the graph of a node, in a card beside it.

use leptos::html;
use leptos::prelude::*;
use litmoscope::report;
use litmoscope::words;
use wasm_bindgen::JsCast;
use web_sys::{Document, Element, window};

use super::look::TreeLook;
use super::words::word;
use crate::app::App;
use crate::ui::scene::camera::points;

/// How large the card is, where there is room.
const SIZE: (f64, f64) = (330.0, 300.0);
/// Space between the card and what is beside it.
const GAP: f64 = 10.0;
/// The least height that shows something.
const MIN_HEIGHT: f64 = 120.0;

/// More nodes are not looked at when there is room for the card to be found.
const MANY: u32 = 300;

/// Left, upper, right and lower border in the window.
type Rectangle = (f64, f64, f64, f64);

/// Left and upper border, width and height of the card: beside the panel if there is room, else beside the node, else above or
/// below it. It does not cover the node.
fn place(node: Rectangle, panel: Rectangle, (width, height): (f64, f64)) -> (f64, f64, f64, f64) {
    let size = (SIZE.0.min(width - 2.0 * GAP), SIZE.1.min(height - 2.0 * GAP));
    let top = ((node.1 + node.3 - size.1) / 2.0).clamp(GAP, (height - GAP - size.1).max(GAP));
    let lefts = [panel.0 - GAP - size.0, node.0 - GAP - size.0, node.2 + GAP];
    if let Some(left) = lefts.into_iter().find(|&left| left >= GAP && left + size.0 + GAP <= width) {
        return (left, top, size.0, size.1);
    }
    let left = ((node.0 + node.2 - size.0) / 2.0).clamp(GAP, (width - GAP - size.0).max(GAP));
    let (above, below) = (node.1 - 2.0 * GAP, height - node.3 - 2.0 * GAP);
    let tall = size.1.min(above.max(below)).max(MIN_HEIGHT);
    let top = if above >= below { node.1 - GAP - tall } else { node.3 + GAP };
    (left, top, size.0, tall)
}

/// The same within a large drawing of the tree: where it covers fewest nodes, then least of the `edges`, points of which are
/// given, and of these places nearest to its own. It is somewhat smaller if that covers less.
fn within(area: Rectangle, node: Rectangle, nodes: &[Rectangle], edges: &[Rectangle]) -> Option<(f64, f64, f64, f64)> {
    const STEPS: u32 = 8;
    let covers = |card: Rectangle, other: &Rectangle| {
        card.0 < other.2 && other.0 < card.2 && card.1 < other.3 && other.1 < card.3
    };
    let mut best = None;
    for share in [(1.0, 1.0), (0.85, 0.85), (0.75, 0.75), (0.75, 0.6)] {
        let size = (SIZE.0 * share.0, SIZE.1 * share.1);
        let room = (area.2 - area.0 - 2.0 * GAP - size.0, area.3 - area.1 - 2.0 * GAP - size.1);
        if room.0 < 0.0 || room.1 < 0.0 {
            continue;
        }
        for at in 0..STEPS * STEPS {
            let share = |step: u32| f64::from(step) / f64::from(STEPS - 1);
            let left = area.0 + GAP + room.0 * share(at % STEPS);
            let top = area.1 + GAP + room.1 * share(at / STEPS);
            let card = (left, top, left + size.0, top + size.1);
            if covers(card, &node) {
                continue;
            }
            let count = |of: &[Rectangle]| of.iter().filter(|other| covers(card, other)).count();
            let covered = (count(nodes), count(edges));
            let distance = (card.0 + card.2 - node.0 - node.2).hypot(card.1 + card.3 - node.1 - node.3);
            let better = |&(least, nearest, (_, _, width, height)): &((usize, usize), f64, Rectangle)| {
                covered < least || covered == least && (width, height) == size && distance < nearest
            };
            if best.as_ref().is_none_or(better) {
                best = Some((covered, distance, (left, top, size.0, size.1)));
            }
        }
    }
    best.map(|(_, _, place)| place)
}

fn rectangle(element: &Element) -> Rectangle {
    let r = element.get_bounding_client_rect();
    (r.left(), r.top(), r.right(), r.bottom())
}

/// Points on the edges of the drawn tree, in the window. Each edge ends with a curve.
fn edge_points(document: &Document) -> Option<Vec<Rectangle>> {
    const POINTS: u32 = 12;
    // From the drawing's pixels to those of the window.
    let extent = document.query_selector("#tree-svg .extent").ok().flatten()?;
    let number = |name| extent.get_attribute(name)?.parse::<f64>().ok();
    let (x, y, width) = (number("x")?, number("y")?, number("width")?);
    let seen = rectangle(&extent);
    let scale = (seen.2 - seen.0) / width;
    let edges = document.query_selector_all("#tree-svg .tree-edge").ok()?;
    let edges = (0..edges.length().min(MANY)).filter_map(|at| edges.item(at)?.dyn_into::<Element>().ok());
    let curves = edges.filter_map(|edge| {
        let points = points(&edge.get_attribute("d")?);
        points.last_chunk::<4>().copied()
    });
    let sampled = curves.flat_map(|[a, b, c, d]| {
        (0..=POINTS).map(move |at| {
            let t = f64::from(at) / f64::from(POINTS);
            let mix = |a: f64, b: f64, c: f64, d: f64| {
                let u = 1.0 - t;
                a * u * u * u + 3.0 * b * u * u * t + 3.0 * c * u * t * t + d * t * t * t
            };
            let (left, top) = (mix(a.0, b.0, c.0, d.0), mix(a.1, b.1, c.1, d.1));
            let (left, top) = (seen.0 + (left - x) * scale, seen.1 + (top - y) * scale);
            (left, top, left, top)
        })
    });
    Some(sampled.collect())
}

/// Where the card stands now.
fn now(visit: u32) -> Option<(f64, f64, f64, f64)> {
    let window = window()?;
    let length = |value: Result<wasm_bindgen::JsValue, wasm_bindgen::JsValue>| value.ok().and_then(|v| v.as_f64());
    let screen = (length(window.inner_width())?, length(window.inner_height())?);
    let document = window.document()?;
    let node = document.query_selector(&format!("#node-{visit} .extent, #visit-{visit}")).ok().flatten();
    let panel = rectangle(&document.query_selector(".panel.side").ok().flatten()?);
    // What is scrolled out of sight is not covered anyway.
    let node = node.as_ref().map_or((panel.0, panel.1, panel.0, panel.1), rectangle);
    let node = (node.0.max(panel.0), node.1.max(panel.1), node.2.min(panel.2), node.3.min(panel.3));
    // Beside a tree in the middle of the page is the program.
    let drawn = document.query_selector("body[data-tree] #tree-svg").ok().flatten();
    let inside = drawn.and_then(|drawn| {
        let nodes = document.query_selector_all("#tree-svg .extent, .tree-zoom").ok()?;
        let nodes: Vec<_> = (0..nodes.length().min(MANY)).filter_map(|at| nodes.item(at)?.dyn_into().ok()).collect();
        let nodes: Vec<_> = nodes.iter().map(rectangle).collect();
        within(rectangle(&drawn.parent_element()?), node, &nodes, &edge_points(&document).unwrap_or_default())
    });
    Some(inside.unwrap_or_else(|| place(node, panel, screen)))
}

/// The card.
#[component]
pub fn PreviewCard() -> impl IntoView {
    let app = App::get();
    let look = TreeLook::get();
    let card = NodeRef::<html::Div>::new();
    let shown = Memo::new(move |_| look.preview.get());
    let place = Memo::new(move |_| {
        look.room.track();
        shown.with(|preview| now(preview.as_ref()?.visit))
    });
    let pixels =
        move |part: fn((f64, f64, f64, f64)) -> f64| move || place.get().map(|place| format!("{:.0}px", part(place)));
    move || {
        shown.get().map(|preview| {
            let svg = report::svg(&preview.drawing, app.looks.theme.get());
            let image = format!("data:image/svg+xml,{}", String::from(js_sys::encode_uri_component(&svg)));
            let events = words::count(preview.drawing.nodes.len() as u64, "event");
            view! {
                <div
                    class=format!("preview {}", preview.kind.name())
                    id="preview"
                    role="status"
                    data-visit=preview.visit
                    node_ref=card
                    style:left=pixels(|place| place.0)
                    style:top=pixels(|place| place.1)
                    style:width=pixels(|place| place.2)
                    style:height=pixels(|place| place.3)
                >
                    <p class="preview-title">
                        <b>{preview.label.clone()}</b>
                        " "
                        <span class="preview-kind">{word(preview.kind)}</span>
                        <span class="preview-position">{format!("step {}", preview.position)}</span>
                        <button type="button" class="preview-close" aria-label="Close the preview" on:click=move |_| look.hide()>
                            "×"
                        </button>
                    </p>
                    <img alt=format!("The graph at the end of this visit, {events}") src=image />
                    <p class="preview-caption">{preview.caption.clone()}</p>
                </div>
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_card_is_where_it_covers_fewest_nodes() {
        let area = (320.0, 130.0, 1008.0, 577.0);
        let row: Vec<_> =
            (0..4).map(|at| 369.0 + 147.0 * f64::from(at)).map(|x| (x, 386.0, x + 120.0, 466.0)).collect();
        let nodes = [&row[..], &[(620.0, 240.0, 680.0, 330.0)]].concat();
        let (left, top, width, height) = within(area, row[0], &nodes, &[]).expect("there is room");
        for node in &nodes {
            assert!(left >= node.2 || left + width <= node.0 || top >= node.3 || top + height <= node.1, "{node:?}");
        }
        assert!(left >= area.0 && top >= area.1 && left + width <= area.2 && top + height <= area.3);
        // It hides its own node last of all, and a small drawing has no room.
        let (left, ..) = within(area, row[0], &[area, area], &[]).expect("there is room");
        assert!(left > 320.0);
        assert_eq!(within((0.0, 0.0, 250.0, 250.0), (10.0, 10.0, 20.0, 20.0), &[], &[]), None);
    }

    /// An edge that goes to the node from above is not hidden if there is another place.
    #[test]
    fn the_card_is_where_it_covers_no_edge() {
        let area = (320.0, 130.0, 1008.0, 557.0);
        let node = (369.0, 375.0, 489.0, 456.0);
        let edge: Vec<_> =
            (0..20).map(|at| 430.0 + 11.0 * f64::from(at)).map(|x| (x, 375.0 - (x - 430.0) / 4.0)).collect();
        let edge: Vec<_> = edge.into_iter().map(|(x, y)| (x, y, x, y)).collect();
        let (left, top, width, height) = within(area, node, &[node], &edge).expect("there is room");
        for (x, y, ..) in edge {
            assert!(x <= left || x >= left + width || y <= top || y >= top + height, "{x} {y}");
        }
    }

    #[test]
    fn the_card_covers_no_node() {
        let panel = |screen: (f64, f64), narrow: bool| {
            if narrow { (screen.0 - 300.0, 60.0, screen.0, screen.1) } else { (0.0, 60.0, screen.0, screen.1) }
        };
        for screen in [(1280.0, 800.0), (1920.0, 1080.0), (390.0, 844.0)] {
            for narrow in [true, false] {
                let panel = panel(screen, narrow);
                for x in 0..10 {
                    for y in 0..10 {
                        let left = panel.0 + f64::from(x) * (panel.2 - panel.0) / 12.0;
                        let top = panel.1 + f64::from(y) * (panel.3 - panel.1) / 12.0;
                        let node = (left, top, (left + 90.0).min(panel.2), top + 40.0);
                        let (x, y, width, height) = place(node, panel, screen);
                        assert!(x >= 0.0 && y >= 0.0 && x + width <= screen.0 && y + height <= screen.1, "{node:?}");
                        let apart = x >= node.2 || x + width <= node.0 || y >= node.3 || y + height <= node.1;
                        assert!(apart && height >= MIN_HEIGHT, "{node:?} {:?}", (x, y, width, height));
                    }
                }
            }
        }
    }
}
