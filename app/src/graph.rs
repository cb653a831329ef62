//! The execution graph: paints the engine's drawing, and moves it about.
//!
//! Where everything stands was decided by [`litmoscope::report`]; here are zoom, pan, the legend and pointing.

mod camera;
mod draw;
mod minimap;

use std::collections::HashMap;
use std::sync::Arc;

use leptos::ev::{KeyboardEvent, PointerEvent, WheelEvent};
use leptos::html;
use leptos::prelude::*;
use litmoscope::graph::RelationName;
use litmoscope::report::{Drawing, DrawnEdge, EdgeKey, HEAD_PATH, Mark, OutlineEvent, OutlineThread, outline, style};
use litmoscope::session::View;
use litmoscope::words;
use wasm_bindgen::JsCast;
use web_sys::Element;

use crate::browser::{self, observe_size};
use crate::reading::lighting;
use crate::shell::commands;
use crate::state::{App, Pointed};

use camera::Place;
pub use camera::{Stage, size};
use draw::{Painted, paint_added};
use minimap::Minimap;

/// How far Shift and an arrow key move the drawing, in pixels.
const PAN: f64 = 60.0;
/// How far a pointer may move between down and up to be a click, in pixels.
const CLICK: f64 = 4.0;
/// A program with more events in a thread has tall graphs, which get more of the page.
const TALL: usize = 8;

fn mark_class(mark: Mark) -> &'static str {
    match mark {
        Mark::Refusing => "mark-refusing",
        Mark::Newest => "mark-newest",
        Mark::Revisiting => "mark-revisiting",
        Mark::Read => "mark-read",
        Mark::Prefix => "mark-prefix",
        Mark::Kept => "mark-kept",
        Mark::Cut => "mark-cut",
        Mark::InCycle => "mark-cycle",
        Mark::RaceParty => "mark-race",
        Mark::Option => "mark-option",
        Mark::Selected => "mark-selected",
    }
}

/// A word beside a node, so that marks are told apart without colours.
fn mark_badge(mark: Mark) -> Option<&'static str> {
    match mark {
        Mark::Refusing => Some("not max."),
        Mark::Newest => Some("new"),
        Mark::Revisiting => Some("revisits"),
        Mark::Read => Some("read"),
        Mark::Prefix => Some("porf"),
        Mark::Cut => Some("cut"),
        Mark::RaceParty => Some("race"),
        Mark::Option => Some("option"),
        Mark::Kept | Mark::InCycle | Mark::Selected => None,
    }
}

/// The graph with its toolbar, legend and key.
#[component]
pub fn Graph(stage: Stage) -> impl IntoView {
    let app = App::get();
    let drawing = Memo::new(move |_| app.seen.with(|view| view.as_ref().map(|view| Arc::new(view.drawing.clone()))));
    let hide_po = Signal::derive(move || app.hidden.with(|hidden| hidden.contains(&RelationName::Po)));
    let faded = Signal::derive(move || !app.current.get());
    let tall = Memo::new(move |_| drawing.with(|drawing| drawing.as_ref().is_some_and(|drawing| drawing.rows > TALL)));
    Effect::new(move |_| {
        let Some(body) = document().body() else { return };
        let _ = if tall.get() { body.set_attribute("data-tall", "true") } else { body.remove_attribute("data-tall") };
    });
    view! {
        <svg class="patterns" width="0" height="0" aria-hidden="true">
            <defs>
                <pattern id="hatch" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                    <rect class="hatch-ground" width="7" height="7"></rect>
                    <rect class="hatch-line" width="2" height="7"></rect>
                </pattern>
            </defs>
        </svg>
        <Scene
            stage
            drawing
            id="stage"
            graph_id="graph"
            name="Execution graph"
            hide_po
            faded
            readable=true
        >
            <Minimap stage drawing=drawing.into() />
            <Violation />
        </Scene>
        <div class="keys">
            <Legend />
            <Key />
            <div class="zoom" role="group" aria-label="Zoom">
                <button type="button" id="zoom-in" title=commands::hint("zoom-in") aria-label="Zoom in" on:click=move |_| stage.zoom(true)>
                    "+"
                </button>
                <button type="button" id="zoom-out" title=commands::hint("zoom-out") aria-label="Zoom out" on:click=move |_| stage.zoom(false)>
                    "−"
                </button>
                <button type="button" id="zoom-fit" title=commands::hint("zoom-fit") on:click=move |_| stage.whole()>
                    "Fit"
                </button>
            </div>
        </div>
        <AsText />
    }
}

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
    /// What is pointed at in it is asked about.
    #[prop(optional)]
    readable: bool,
    /// Edges to bring out.
    #[prop(optional, into)]
    lights: Signal<Vec<EdgeKey>>,
    /// What a click on something does.
    #[prop(optional, into)]
    pick: Option<Callback<Pointed>>,
    #[prop(optional)] children: Option<Children>,
) -> impl IntoView {
    let app = App::get();
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
        let pressed = app.reading.pressed.get_value();
        app.reading.pressed.set_value(None);
        if let (Some(pick), Some(what), Some(_), "pointerup") =
            (pick, pressed, still.get_value(), event.type_().as_str())
        {
            pick.run(what);
        }
        if readable && still.get_value().is_some() && event.type_() == "pointerup" {
            still.set_value(None);
            match pressed {
                Some(what) => app.reading.pin(what),
                None => app.reading.let_go(),
            }
        }
    };
    let wheel = move |event: WheelEvent| {
        // Whoever scrolls through a page goes past what is embedded there.
        if browser::embedded() && !(event.ctrl_key() || event.meta_key()) {
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
    let lit = lighting(app, graph_id, drawing, readable, lights);
    let more = if readable { ", brackets go from event to event, braces from edge to edge" } else { "" };
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
                    {move || lit.with(|lit| lit.added.iter().map(|edge| paint_added(app, edge)).collect_view())}
                </g>
            </svg>
            {children.map(|children| children())}
        </div>
    }
}

/// The axiom that the graph violates, over the graph.
#[component]
fn Violation() -> impl IntoView {
    let app = App::get();
    let axiom = Memo::new(move |_| app.seen.with(|view| Some(view.as_ref()?.violation.as_ref()?.axiom.clone())));
    move || {
        axiom.get().map(|axiom| view! { <p id="violation" class="violation">"violates " <strong>{axiom}</strong></p> })
    }
}

/// A switch for each relation, with a sample of its line.
#[component]
fn Legend() -> impl IntoView {
    let app = App::get();
    let relations = Memo::new(move |_| {
        app.seen.with(|view| {
            let mut relations = view.as_ref().map(|view| view.relations.clone()).unwrap_or_default();
            // A cycle is drawn whatever is hidden, also where nothing else of the relation is known.
            for edge in view.iter().flat_map(|view| &view.drawing.edges).filter(|edge| edge.in_cycle) {
                if !relations.contains(&edge.relation) {
                    relations.push(edge.relation);
                }
            }
            for always in [RelationName::Rf, RelationName::Po] {
                if !relations.contains(&always) {
                    relations.insert(0, always);
                }
            }
            relations
        })
    });
    let entry = move |relation: RelationName| {
        let color = move || app.colour(relation);
        // co is solid where it was chosen.
        let dash = move || {
            app.seen.with(|view| view.as_ref().map_or(style(relation).dash, |view| view.drawing.dash(relation)))
        };
        let shown = move || app.hidden.with(|hidden| !hidden.contains(&relation));
        let in_cycle = move || {
            let edges = |view: &Arc<View>| view.drawing.edges.iter().any(|e| e.in_cycle && e.relation == relation);
            app.seen.with(|view| view.as_ref().is_some_and(edges))
        };
        view! {
            <button
                type="button"
                class="relation"
                class:drawn=in_cycle
                data-relation=relation.name()
                aria-pressed=move || shown().to_string()
                title=relation.meaning()
                on:click=move |_| app.toggle_relation(relation)
            >
                <svg width="34" height="12" aria-hidden="true">
                    <path class="sample" d="M1 6H27" stroke=color stroke-dasharray=dash></path>
                    <path d=HEAD_PATH transform="translate(33 6)" fill=color></path>
                </svg>
                {relation.name()}
            </button>
        }
    };
    view! {
        <div class="legend" id="legend" role="group" aria-label="Relations shown">
            <For each=move || relations.get() key=|relation| *relation children=entry />
        </div>
    }
}

/// What the marks now in sight mean.
#[component]
fn Key() -> impl IntoView {
    let app = App::get();
    let marks = Memo::new(move |_| {
        app.seen.with(|view| {
            let Some(view) = view else { return (Vec::new(), false) };
            let mut marks: Vec<_> = view.drawing.nodes.iter().flat_map(|node| node.marks.iter().copied()).collect();
            marks.sort_unstable();
            marks.dedup();
            marks.retain(|mark| *mark != Mark::Selected);
            (marks, view.drawing.nodes.iter().any(|node| node.ghost))
        })
    });
    move || {
        let (marks, ghosts) = marks.get();
        let entry = |class: &'static str, badge: Option<&'static str>, words: &'static str| {
            view! { <li><span class=format!("swatch {class}") aria-hidden="true">{badge}</span>{words}</li> }
        };
        let entries =
            marks.into_iter().map(|mark| entry(mark_class(mark), mark_badge(mark), mark.words())).collect_view();
        let ghosts = ghosts.then(|| entry("ghost", None, "cut from the graph"));
        view! { <ul class="marks" id="marks" tabindex="0" aria-label="Marks">{entries}{ghosts}</ul> }
    }
}

/// The graph in words, for those who can't see it: thread by thread, event by event.
#[component]
fn AsText() -> impl IntoView {
    let app = App::get();
    let threads =
        Memo::new(move |_| app.seen.with(|view| view.as_ref().map(|view| outline(&view.drawing)).unwrap_or_default()));
    let event = |event: OutlineEvent| {
        let details = event.details.into_iter().map(|text| view! { <li>{text}</li> }).collect_view();
        let details = (!details.is_empty()).then(|| view! { <ul>{details}</ul> });
        view! { <li>{event.title}{details}</li> }
    };
    let thread = move |thread: OutlineThread| {
        view! { <li>{thread.title}<ol>{thread.events.into_iter().map(event).collect_view()}</ol></li> }
    };
    view! {
        <div class="sr-only" id="graph-text">
            <h2>"Events and edges of the graph"</h2>
            <ul>{move || threads.get().into_iter().map(thread).collect_view()}</ul>
        </div>
    }
}

/// Points at the next or previous event of the drawing.
pub fn point_at_neighbour(app: App, forward: bool) {
    let next = app.seen.with_untracked(|view| {
        let nodes = &view.as_ref()?.drawing.nodes;
        let at = nodes.iter().position(|node| app.pointed.get_untracked() == Some(Pointed::Event(node.key)));
        let at = match (at, forward) {
            (None, true) => 0,
            (None, false) => nodes.len().checked_sub(1)?,
            (Some(at), true) => (at + 1) % nodes.len(),
            (Some(at), false) => (at + nodes.len() - 1) % nodes.len(),
        };
        let node = nodes.get(at)?;
        Some((node.key, node.title.clone()))
    });
    if let Some((key, title)) = next {
        app.pointed.set(Some(Pointed::Event(key)));
        app.name_pointed(&title);
    }
}

/// Points at the next or previous edge of the drawing.
pub fn point_at_edge(app: App, forward: bool) {
    let next = app.seen.with_untracked(|view| {
        let drawing = &view.as_ref()?.drawing;
        let hide_po = app.hidden.with_untracked(|hidden| hidden.contains(&RelationName::Po));
        let shown = |edge: &&DrawnEdge| edge.relation != RelationName::Po || !hide_po || edge.in_cycle;
        let edges: Vec<&DrawnEdge> = drawing.edges.iter().filter(|edge| !edge.ghost).filter(shown).collect();
        let pointed = app.pointed.get_untracked();
        let at = edges.iter().position(|edge| pointed == Some(Pointed::Edge(edge.key())));
        let at = match (at, forward) {
            (None, true) => 0,
            (None, false) => edges.len().checked_sub(1)?,
            (Some(at), true) => (at + 1) % edges.len(),
            (Some(at), false) => (at + edges.len() - 1) % edges.len(),
        };
        let edge = edges.get(at)?;
        Some((edge.key(), edge.title.clone()))
    });
    if let Some((key, title)) = next {
        app.pointed.set(Some(Pointed::Edge(key)));
        app.name_pointed(&title);
    }
}
