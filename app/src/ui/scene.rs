//! A drawing of the engine in its panel, which can be moved about and pointed at.
//!
//! Where everything stands was decided by [`litmoscope::report`]; here are zoom, pan and pointing.

pub mod around;
pub mod camera;
mod draw;
mod gestures;
pub mod legend;
mod minimap;

use std::sync::Arc;

use leptos::ev::{PointerEvent, WheelEvent};
use leptos::html;
use leptos::prelude::*;
use litmoscope::report::{Drawing, EdgeKey, highlight};
use litmoscope::words;

use crate::browser::observe_size;

use around::{Around, Lighting, Pointed, Role};
use camera::{Place, Stage};
use draw::{Painted, paint_added};
use gestures::{Gestures, key};
use minimap::Minimap;

/// A drawing that can be moved about, its map if it goes beyond its panel, and what lies over it.
#[component]
pub fn Scene(
    stage: Stage,
    #[prop(into)] drawing: Signal<Option<Arc<Drawing>>>,
    id: &'static str,
    graph_id: &'static str,
    /// What the drawing is.
    name: &'static str,
    /// What its nodes and edges are called.
    #[prop(default = ["event", "edge"])]
    things: [&'static str; 2],
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
    /// What is painted over the drawing, where it stands.
    #[prop(optional)]
    over: Option<Children>,
    #[prop(optional)] children: Option<Children>,
) -> impl IntoView {
    let around = Around::get();
    let svg = NodeRef::<leptos::svg::Svg>::new();
    let panel = NodeRef::<html::Div>::new();
    observe_size(panel, stage.panel);
    let gestures = Gestures::new(stage, panel, svg);
    let up = move |event: PointerEvent| {
        let clicked = gestures.up(&event);
        let pressed = around.pressed.get_value();
        around.pressed.set_value(None);
        if let (Some(pick), true) = (pick, clicked) {
            pick.run(pressed);
        }
    };
    let wheel = move |event: WheelEvent| gestures.wheel(&event, around.embedded);

    let place = move || {
        let Place { scale, x, y } = stage.place();
        format!("translate({x:.2} {y:.2}) scale({scale:.4})")
    };
    let label = move || {
        drawing.with(|drawing| match drawing {
            None => format!("{name}, empty"),
            Some(drawing) => {
                let [nodes, edges] = [drawing.nodes.len(), drawing.edges.len()].map(|n| n as u64);
                format!("{name} with {}, {}", words::count(nodes, things[0]), words::count(edges, things[1]))
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
            class:grabbed=gestures.grabbed
            class:faded=faded
            on:keydown=move |event| key(stage, &event)
        >
            <svg
                class="graph"
                id=graph_id
                role="img"
                aria-label=label
                node_ref=svg
                on:pointerdown=move |event| gestures.down(&event)
                on:pointermove=move |event| gestures.moved(&event)
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
                    {over.map(|over| over())}
                </g>
            </svg>
            <Minimap stage of=id drawing />
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
