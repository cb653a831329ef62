//! The execution graph: paints the engine's drawing, and moves it about.
//!
//! Where everything stands was decided by [`litmoscope::report`]; here are zoom, pan, the legend and pointing.

use std::collections::HashMap;
use std::sync::Arc;

use leptos::ev::{KeyboardEvent, PointerEvent, WheelEvent};
use leptos::html;
use leptos::prelude::*;
use litmoscope::graph::{EventKey, RelationName};
use litmoscope::report::{
    Drawing, DrawnEdge, FONT_SIZE, HEAD_PATH, LABEL_FONT_SIZE, Mark, Node, NodeKind, OutlineEvent, OutlineThread,
    TITLE_HEIGHT, outline, style,
};
use wasm_bindgen::JsCast;
use web_sys::Element;

use crate::browser::{self, observe_size};
use crate::reading::{Lighting, Role, lighting};
use crate::state::{App, Pointed};

/// How far one can zoom.
const SCALES: (f64, f64) = (0.1, 6.0);
/// How far a click on a zoom button goes.
const ZOOM: f64 = 1.25;
/// How far an arrow key moves the drawing, in pixels.
const PAN: f64 = 60.0;
/// How large a drawing is in a lecture at most, for the last row.
const LECTURE: f64 = 4.0;
/// How far a pointer may move between down and up to be a click, in pixels.
const CLICK: f64 = 4.0;
/// Space around the drawing.
const MARGIN: f64 = 12.0;

/// Where the drawing stands in its panel.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Camera {
    /// All of it in sight.
    #[default]
    Fit,
    /// Where the reader put it.
    At {
        /// Pixels a drawing's pixel.
        scale: f64,
        /// Of the drawing's left border.
        x: f64,
        /// Of the drawing's upper border.
        y: f64,
    },
}

/// The drawing's place and the panel's size; controls and keys move it.
#[derive(Clone, Copy)]
pub struct Stage {
    camera: RwSignal<Camera>,
    panel: RwSignal<(f64, f64)>,
    place: Memo<(f64, f64, f64)>,
}

impl Stage {
    /// A stage that shows everything of the session's graph.
    pub fn new(app: App) -> Self {
        Self::of(app, 1.35, move || app.seen.with(|view| Some(size(&view.as_ref()?.drawing))))
    }

    /// A stage that shows everything of a drawing of some size, `largest` times as large as it is at most.
    pub fn of(app: App, largest: f64, size: impl Fn() -> Option<(f64, f64)> + Send + Sync + 'static) -> Self {
        let camera = RwSignal::new(Camera::Fit);
        let panel = RwSignal::new((0.0, 0.0));
        let place = Memo::new(move |_| match camera.get() {
            Camera::At { scale, x, y } => (scale, x, y),
            Camera::Fit => {
                let largest = if app.lecture.get() { LECTURE } else { largest * app.preferences.get().size.scale() };
                fit(size().unwrap_or((1.0, 1.0)), panel.get(), largest)
            }
        });
        Self { camera, panel, place }
    }

    /// Shows everything.
    pub fn fit(self) {
        self.camera.set(Camera::Fit);
    }

    /// Zooms in the middle of the panel.
    pub fn zoom(self, inwards: bool) {
        let (width, height) = self.panel.get_untracked();
        self.zoom_at(if inwards { ZOOM } else { 1.0 / ZOOM }, width / 2.0, height / 2.0);
    }

    fn zoom_at(self, factor: f64, at_x: f64, at_y: f64) {
        let (scale, x, y) = self.place.get_untracked();
        let next = (scale * factor).clamp(SCALES.0, SCALES.1);
        let factor = next / scale;
        self.camera.set(Camera::At { scale: next, x: at_x - (at_x - x) * factor, y: at_y - (at_y - y) * factor });
    }

    fn pan(self, dx: f64, dy: f64) {
        let (scale, x, y) = self.place.get_untracked();
        self.camera.set(Camera::At { scale, x: x + dx, y: y + dy });
    }
}

/// How large a drawing is.
pub fn size(drawing: &Drawing) -> (f64, f64) {
    (f64::from(drawing.width), f64::from(drawing.height))
}

/// Scale and place of a drawing that is all in sight: in the middle, but not lower than the upper part of a tall panel,
/// so that events don't jump while a graph grows.
fn fit((width, height): (f64, f64), (panel_width, panel_height): (f64, f64), largest: f64) -> (f64, f64, f64) {
    let room = |panel: f64, drawing: f64| (panel - 2.0 * MARGIN).max(1.0) / drawing.max(1.0);
    let scale = room(panel_width, width).min(room(panel_height, height)).clamp(SCALES.0, largest);
    let x = (panel_width - width * scale) / 2.0;
    let y = ((panel_height - height * scale) / 2.0).clamp(0.0, MARGIN * 3.0);
    (scale, x, y)
}

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

fn kind_class(kind: NodeKind) -> &'static str {
    match kind {
        NodeKind::Init => "init",
        NodeKind::Read => "read",
        NodeKind::Write => "write",
        NodeKind::Update => "update",
        NodeKind::Fence => "fence",
        NodeKind::Error => "error",
        NodeKind::Stuck => "stuck",
        NodeKind::Bound => "bound",
    }
}

/// Reads are round and writes square, so that they differ at a glance.
fn radius(kind: NodeKind, height: f32) -> f32 {
    match kind {
        NodeKind::Read => height / 2.0,
        NodeKind::Update => 8.0,
        _ => 3.0,
    }
}

/// The graph with its toolbar, legend and key.
#[component]
pub fn Graph(stage: Stage) -> impl IntoView {
    let app = App::get();
    let drawing = Memo::new(move |_| app.seen.with(|view| view.as_ref().map(|view| Arc::new(view.drawing.clone()))));
    let hide_po = Signal::derive(move || app.hidden.with(|hidden| hidden.contains(&RelationName::Po)));
    let faded = Signal::derive(move || !app.current.get());
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
            help="Execution graph: arrow keys move it, plus and minus zoom, brackets go from event to event, braces from edge to edge"
            hide_po
            faded
            readable=true
        >
            <Violation />
        </Scene>
        <div class="keys">
            <Legend />
            <Key />
            <div class="zoom" role="group" aria-label="Zoom">
                <button type="button" id="zoom-in" title="Zoom in (+)" aria-label="Zoom in" on:click=move |_| stage.zoom(true)>
                    "+"
                </button>
                <button type="button" id="zoom-out" title="Zoom out (-)" aria-label="Zoom out" on:click=move |_| stage.zoom(false)>
                    "−"
                </button>
                <button type="button" id="zoom-fit" title="Show everything (0)" on:click=move |_| stage.fit()>
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
    /// The same, and what keys do.
    help: &'static str,
    #[prop(into)] hide_po: Signal<bool>,
    /// The drawing is out of date.
    #[prop(into)]
    faded: Signal<bool>,
    /// What is pointed at in it is asked about.
    #[prop(optional)]
    readable: bool,
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
        if event.button() != 0 {
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
        if event.ctrl_key() || event.alt_key() || event.meta_key() || event.shift_key() {
            return;
        }
        // A presenter's arrow keys are not meant for whatever was clicked on last.
        if app.lecture.get_untracked() && event.key().starts_with("Arrow") {
            return;
        }
        match event.key().as_str() {
            "ArrowLeft" => stage.pan(PAN, 0.0),
            "ArrowRight" => stage.pan(-PAN, 0.0),
            "ArrowUp" => stage.pan(0.0, PAN),
            "ArrowDown" => stage.pan(0.0, -PAN),
            "+" | "=" => stage.zoom(true),
            "-" => stage.zoom(false),
            "0" => stage.fit(),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    };

    let place = move || {
        let (scale, x, y) = stage.place.get();
        format!("translate({x:.2} {y:.2}) scale({scale:.4})")
    };
    let label = move || {
        drawing.with(|drawing| match drawing {
            None => format!("{name}, empty"),
            Some(drawing) => {
                format!("{name} with {} events, {} edges", drawing.nodes.len(), drawing.edges.len())
            }
        })
    };
    let lit = lighting(app, graph_id, drawing, readable);
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
                <g class="camera" transform=place>
                    {move || drawing.get().map(|drawing| paint(app, &drawing, hide_po.get(), lit))}
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

fn paint(app: App, drawing: &Drawing, hide_po: bool, lit: Memo<Arc<Lighting>>) -> impl IntoView + use<> {
    let names: HashMap<EventKey, String> = drawing.nodes.iter().map(|node| (node.key, node.name.clone())).collect();
    let name = |key: &EventKey| names.get(key).cloned().unwrap_or_default();
    let columns = drawing
        .columns
        .iter()
        .map(|column| {
            view! {
                <g class="column">
                    <rect x=column.x - 8.0 y=column.y width=column.width + 16.0 height=column.height + 8.0 rx="8"></rect>
                    <text x=column.x + column.width / 2.0 y=column.y + TITLE_HEIGHT * 0.7>{column.title.clone()}</text>
                </g>
            }
        })
        .collect_view();
    let band = drawing.initial.map(|band| {
        view! { <rect class="initial" x=band.x y=band.y width=band.width height=band.height rx="8"></rect> }
    });
    let shown: Vec<&DrawnEdge> =
        drawing.edges.iter().filter(|edge| edge.relation != RelationName::Po || !hide_po || edge.in_cycle).collect();
    let edges = shown
        .iter()
        .map(|edge| paint_edge(app, edge, drawing.dash(edge.relation), name(&edge.from), name(&edge.to), lit))
        .collect_view();
    let labels = shown
        .iter()
        .filter_map(|edge| {
            let label = edge.label.clone()?;
            let relation = edge.relation;
            Some(view! {
                <text
                    class="edge-label"
                    class:in-cycle=edge.in_cycle
                    x=label.x
                    y=label.y + LABEL_FONT_SIZE * 0.33
                    fill=move || app.colour(relation)
                >
                    {label.text}
                </text>
            })
        })
        .collect_view();
    let nodes = drawing.nodes.iter().map(|node| paint_node(app, node, lit)).collect_view();
    view! { {columns} {band} {edges} {nodes} {labels} }
}

/// An edge that is drawn only because it is spoken of.
fn paint_added(app: App, edge: &DrawnEdge) -> impl IntoView + use<> {
    let relation = edge.relation;
    let color = move || app.colour(relation);
    let head = format!("translate({} {}) rotate({:.1}) scale(1.25)", edge.head.x, edge.head.y, edge.head.angle);
    let label = edge.label.clone().map(|label| {
        view! { <text class="edge-label" x=label.x y=label.y + LABEL_FONT_SIZE * 0.33 fill=color>{label.text}</text> }
    });
    view! {
        <g class="added-edge" data-relation=relation.name() data-title=edge.title.clone()>
            <path class="light" d=edge.path.clone()></path>
            <path class="curve" d=edge.path.clone() stroke=color stroke-dasharray=style(relation).dash></path>
            <path class="head" d=HEAD_PATH fill=color transform=head></path>
            {label}
        </g>
    }
}

fn paint_edge(
    app: App,
    edge: &DrawnEdge,
    dash: &'static str,
    from: String,
    to: String,
    lit: Memo<Arc<Lighting>>,
) -> impl IntoView + use<> {
    let key = edge.key();
    let relation = edge.relation;
    let color = move || app.colour(relation);
    let mut class = format!("edge rel-{relation}");
    for (is, name) in [(edge.in_cycle, " in-cycle"), (edge.new, " new"), (edge.ghost, " ghost")] {
        if is {
            class += name;
        }
    }
    let halo = (edge.in_cycle || edge.new).then(|| view! { <path class="halo" d=edge.path.clone()></path> });
    let head = format!(
        "translate({} {}) rotate({:.1}){}",
        edge.head.x,
        edge.head.y,
        edge.head.angle,
        if edge.in_cycle { " scale(1.25)" } else { "" }
    );
    let thick =
        move || app.scenes.shown.with(|scene| scene.as_ref().is_some_and(|scene| scene.highlight.contains(&relation)));
    // po to what was cut is no edge of the graph.
    let what = Pointed::Edge(key);
    let pointed = move || app.pointed.get() == Some(what) || app.reading.pinned.get() == Some(what);
    let lit_now = move || lit.with(|lit| lit.edges.contains(&key));
    view! {
        <g
            class=class
            class:thick=thick
            class:lit=lit_now
            class:pointed=pointed
            data-relation=relation.name()
            data-from=from
            data-to=to
            on:pointerenter=move |_| app.pointed.set(Some(what))
            on:pointerleave=move |_| app.pointed.set(None)
            on:pointerdown=move |_| app.reading.pressed.set_value(Some(what))
        >
            <title>{edge.title.clone()}</title>
            <path class="grip" d=edge.path.clone()></path>
            <path class="light" d=edge.path.clone()></path>
            {halo}
            <path class="curve" d=edge.path.clone() stroke=color stroke-dasharray=dash></path>
            <path class="head" d=HEAD_PATH fill=color transform=head></path>
        </g>
    }
}

fn paint_node(app: App, node: &Node, lit: Memo<Arc<Lighting>>) -> impl IntoView + use<> {
    let key = node.key;
    let line = node.span.line;
    let pointed = move || match app.pointed.get() {
        Some(Pointed::Event(other)) => other == key,
        Some(Pointed::Line(other)) => line > 0 && other == line && app.current.get(),
        Some(Pointed::Edge(_)) | None => false,
    };
    let role = Memo::new(move |_| lit.with(|lit| lit.roles.get(&key).copied()));
    let tag = move || {
        role.get().and_then(Role::tag).map(|text| {
            let width = text.chars().count() as f32 * 6.1 + 8.0;
            view! {
                <g class="tag" transform="translate(-8 -9)">
                    <rect width=width height="14" rx="3"></rect>
                    <text x=width / 2.0 y="10.2">{text}</text>
                </g>
            }
        })
    };
    let mut class = format!("node {}", kind_class(node.kind));
    for mark in &node.marks {
        class = format!("{class} {}", mark_class(*mark));
    }
    if node.ghost {
        class += " ghost";
    }
    let badge = node.marks.iter().find_map(|mark| mark_badge(*mark)).map(|text| {
        let width = text.chars().count() as f32 * 6.1 + 8.0;
        view! {
            <g class="badge" transform=format!("translate({} {})", node.width - width + 6.0, node.height - 6.0)>
                <rect width=width height="14" rx="7"></rect>
                <text x=width / 2.0 y="10.2">{text}</text>
            </g>
        }
    });
    // Read, revisited or chosen: a second border, to be seen without colours.
    let ring = node.marks.iter().any(|mark| matches!(mark, Mark::Newest | Mark::Read | Mark::Revisiting)).then(|| {
        let radius = radius(node.kind, node.height) + 3.0;
        view! { <rect class="ring" x="-3.5" y="-3.5" width=node.width + 7.0 height=node.height + 7.0 rx=radius></rect> }
    });
    view! {
        <g
            // At once: a class that changes takes the others with it.
            class=move || {
                let (role, pointed) = (role.get().map_or("", Role::class), if pointed() { "pointed" } else { "" });
                format!("{class} {role} {pointed}")
            }
            data-event=node.name.clone()
            data-label=node.label.clone()
            transform=format!("translate({} {})", node.x, node.y)
            on:pointerenter=move |_| app.pointed.set(Some(Pointed::Event(key)))
            on:pointerleave=move |_| app.pointed.set(None)
            on:pointerdown=move |_| app.reading.pressed.set_value(Some(Pointed::Event(key)))
        >
            <title>{node.title.clone()}</title>
            {ring}
            <rect class="box" width=node.width height=node.height rx=radius(node.kind, node.height)></rect>
            <text class="label" x=node.width / 2.0 y=node.height / 2.0 + FONT_SIZE * 0.34>{node.label.clone()}</text>
            {badge}
            {tag}
        </g>
    }
}

/// A switch for each relation, with a sample of its line.
#[component]
fn Legend() -> impl IntoView {
    let app = App::get();
    let relations = Memo::new(move |_| {
        app.seen.with(|view| {
            let mut relations = view.as_ref().map(|view| view.relations.clone()).unwrap_or_default();
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
        view! {
            <button
                type="button"
                class="relation"
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
            <h3>"Events and edges of the graph"</h3>
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drawing_fits_its_panel() {
        let (scale, x, y) = fit((1000.0, 500.0), (524.0, 800.0), 1.35);
        assert_eq!((scale, x), (0.5, 12.0));
        assert!(y <= 36.0);
        assert_eq!(fit((10.0, 10.0), (500.0, 500.0), 1.35).0, 1.35);
        assert!(fit((10.0, 10.0), (0.0, 0.0), 1.35).0 > 0.0);
    }
}
