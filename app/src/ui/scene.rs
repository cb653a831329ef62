//! A drawing of the engine in its panel, which can be moved about and pointed at.
//!
//! Where everything stands was decided by [`litmoscope::report`]; here are zoom, pan and pointing.

pub mod around;
pub mod camera;
mod draw;
pub mod minimap;

use std::collections::HashMap;
use std::sync::Arc;

use leptos::ev::{KeyboardEvent, PointerEvent, WheelEvent};
use leptos::html;
use leptos::prelude::*;
use litmoscope::report::{Drawing, EdgeKey, highlight};
use litmoscope::words;
use wasm_bindgen::JsCast;
use web_sys::Element;

use crate::browser::observe_size;

use around::{Around, Lighting, Pointed, Role};
use camera::{Place, Stage};
use draw::{Painted, paint_added};

/// How far Shift and an arrow key move the drawing, in pixels.
const PAN: f64 = 60.0;
/// How far a pointer may move between down and up to be a click, in pixels.
const CLICK: f64 = 4.0;

/// A drawing that can be moved about, and what lies over it.
#[component]
pub fn Scene(
    stage: Stage,
    #[prop(into)] drawing: Signal<Option<Arc<Drawing>>>,
    id: &'static str,
    graph_id: &'static str,
    /// What the drawing is.
    name: &'static str,
    #[prop(into)] hide_po: Signal<bool>,
    /// The drawing is out of date.
    #[prop(into)]
    faded: Signal<bool>,
    /// Edges to bring out.
    #[prop(optional, into)]
    lights: Signal<Vec<EdgeKey>>,
    /// What is brought out where what is pointed at is asked about.
    #[prop(optional)]
    reading: Option<Memo<Arc<Lighting>>>,
    /// What a click on something does, or beside everything.
    #[prop(optional, into)]
    pick: Option<Callback<Option<Pointed>>>,
    #[prop(optional)] children: Option<Children>,
) -> impl IntoView {
    let around = Around::get();
    let svg = NodeRef::<leptos::svg::Svg>::new();
    let panel = NodeRef::<html::Div>::new();
    let grabbed = RwSignal::new(false);
    observe_size(panel, stage.panel);

    // Fingers and mouse buttons on the drawing, by pointer.
    let pointers = StoredValue::new(HashMap::<i32, (f64, f64)>::new());
    // Where the pointer went down that has hardly moved since: a click, if it goes up there.
    let still = StoredValue::new(None::<(f64, f64)>);
    let down = move |event: PointerEvent| {
        // A third finger would have nothing to say that two have not.
        if event.button() != 0 || pointers.with_value(HashMap::len) >= 2 {
            return;
        }
        let alone = pointers.with_value(HashMap::is_empty);
        still.set_value(alone.then(|| (f64::from(event.client_x()), f64::from(event.client_y()))));
        if let Some(svg) = svg.get_untracked() {
            let _ = svg.unchecked_ref::<Element>().set_pointer_capture(event.pointer_id());
        }
        let at = (f64::from(event.client_x()), f64::from(event.client_y()));
        pointers.update_value(|pointers| {
            pointers.insert(event.pointer_id(), at);
        });
        grabbed.set(true);
    };
    let moved = move |event: PointerEvent| {
        let at = (f64::from(event.client_x()), f64::from(event.client_y()));
        let all = pointers.get_value();
        let Some(&before) = all.get(&event.pointer_id()) else { return };
        if still.get_value().is_some_and(|from| (at.0 - from.0).hypot(at.1 - from.1) > CLICK) {
            still.set_value(None);
        }
        match all.iter().find(|(id, _)| **id != event.pointer_id()) {
            None => stage.pan(at.0 - before.0, at.1 - before.1),
            Some((_, other)) => {
                // Two fingers: the point between them stays between them.
                let distance = |p: (f64, f64)| (p.0 - other.0).hypot(p.1 - other.1).max(1.0);
                let middle = ((at.0 + other.0) / 2.0, (at.1 + other.1) / 2.0);
                stage.pan((at.0 - before.0) / 2.0, (at.1 - before.1) / 2.0);
                if let Some(panel) = panel.get_untracked() {
                    let corner = panel.get_bounding_client_rect();
                    stage.zoom_at(distance(at) / distance(before), middle.0 - corner.left(), middle.1 - corner.top());
                }
            }
        }
        pointers.update_value(|pointers| {
            pointers.insert(event.pointer_id(), at);
        });
    };
    let up = move |event: PointerEvent| {
        pointers.update_value(|pointers| {
            pointers.remove(&event.pointer_id());
        });
        grabbed.set(pointers.with_value(|pointers| !pointers.is_empty()));
        let pressed = around.pressed.get_value();
        around.pressed.set_value(None);
        if let (Some(pick), Some(_), "pointerup") = (pick, still.get_value(), event.type_().as_str()) {
            still.set_value(None);
            pick.run(pressed);
        }
    };
    let wheel = move |event: WheelEvent| {
        // Whoever scrolls through a page goes past what is embedded there.
        if around.embedded && !(event.ctrl_key() || event.meta_key()) {
            return;
        }
        event.prevent_default();
        let lines = if event.delta_mode() == 0 { 1.0 } else { 24.0 };
        let (dx, dy) = (event.delta_x() * lines, event.delta_y() * lines);
        if event.ctrl_key() || event.meta_key() {
            let Some(panel) = panel.get_untracked() else { return };
            let corner = panel.get_bounding_client_rect();
            let (x, y) = (f64::from(event.client_x()) - corner.left(), f64::from(event.client_y()) - corner.top());
            stage.zoom_at((-dy * 0.0035).exp(), x, y);
        } else {
            stage.pan(-dx, -dy);
        }
    };
    let keys = move |event: KeyboardEvent| {
        if event.ctrl_key() || event.alt_key() || event.meta_key() {
            return;
        }
        match event.key().as_str() {
            // Without Shift they make steps, whatever was clicked on last.
            "ArrowLeft" if event.shift_key() => stage.pan(PAN, 0.0),
            "ArrowRight" if event.shift_key() => stage.pan(-PAN, 0.0),
            "ArrowUp" if event.shift_key() => stage.pan(0.0, PAN),
            "ArrowDown" if event.shift_key() => stage.pan(0.0, -PAN),
            "+" | "=" => stage.zoom(true),
            "-" => stage.zoom(false),
            "0" => stage.whole(),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    };

    let place = move || {
        let Place { scale, x, y } = stage.place();
        format!("translate({x:.2} {y:.2}) scale({scale:.4})")
    };
    let label = move || {
        drawing.with(|drawing| match drawing {
            None => format!("{name}, empty"),
            Some(drawing) => {
                let [nodes, edges] = [drawing.nodes.len(), drawing.edges.len()].map(|n| n as u64);
                format!("{name} with {}, {}", words::count(nodes, "event"), words::count(edges, "edge"))
            }
        })
    };
    let lit = reading.unwrap_or_else(|| lighting(around, graph_id, drawing, lights));
    let more = if reading.is_some() { ", brackets go from event to event, braces from edge to edge" } else { "" };
    let help = format!("{name}: Shift and arrow keys move it, plus and minus zoom, 0 shows everything{more}");
    view! {
        <div
            class="stage"
            id=id
            tabindex="0"
            role="group"
            aria-label=help
            node_ref=panel
            class:grabbed=grabbed
            class:faded=faded
            on:keydown=keys
        >
            <svg
                class="graph"
                id=graph_id
                role="img"
                aria-label=label
                node_ref=svg
                on:pointerdown=down
                on:pointermove=moved
                on:pointerup=up
                on:pointercancel=up
                on:wheel=wheel
            >
                <g class="camera" class:gliding=move || stage.glides() transform=place>
                    <Painted drawing hide_po lit />
                    {move || {
                        let painted = |drawing: Arc<Drawing>| {
                            lit.with(|lit| {
                                lit.added.iter().map(|edge| paint_added(around, edge, drawing.clone())).collect_view()
                            })
                        };
                        lit.track();
                        drawing.get_untracked().map(painted)
                    }}
                </g>
            </svg>
            {children.map(|children| children())}
        </div>
    }
}

/// What is brought out in the drawing of this name, in which nothing is asked about: some edges, or else a step of a list.
fn lighting(
    around: Around,
    scene: &'static str,
    drawing: Signal<Option<Arc<Drawing>>>,
    lights: Signal<Vec<EdgeKey>>,
) -> Memo<Arc<Lighting>> {
    Memo::new(move |_| {
        let Some(drawing) = drawing.get() else { return Arc::default() };
        let step = around.step.get().filter(|(of, _)| *of == scene);
        let edges = step.map_or_else(|| lights.get(), |(_, step)| vec![step]);
        let lit = highlight(&drawing, &edges);
        let roles = edges.iter().flat_map(|edge| [(edge.from, Role::OnWay), (edge.to, Role::OnWay)]).collect();
        Arc::new(Lighting { edges: lit.drawn.into_iter().collect(), added: lit.added, roles })
    })
}
