//! Paints a drawing. What is in two drawings one after the other keeps its element, so that it glides where it moves; what is
//! new fades in (`style.css`). Elements are in their last place at once: nothing waits for what moves.
//!
//! Gliding and fading take 150 ms, by the style sheet alone. So a step made meanwhile starts from wherever things are.

use std::collections::HashMap;
use std::sync::Arc;

use leptos::prelude::*;
use litmoscope::graph::{EventKey, RelationName};
use litmoscope::report::{
    Drawing, DrawnEdge, EdgeKey, EdgeKind, FONT_SIZE, FRAME_FONT_SIZE, Frame, HEAD_PATH, LABEL_FONT_SIZE, Mark, Node,
    NodeKind, TITLE_HEIGHT,
};

use super::around::{Around, Lighting, Pointed, Role, mark_badge, mark_class};

/// How wide a letter of a mark on an event is.
const MARK_WIDTH: f32 = 6.9;

/// A drawing whose nodes and edges are found by name.
#[derive(Clone, Default, PartialEq)]
struct Indexed {
    drawing: Option<Arc<Drawing>>,
    nodes: HashMap<EventKey, usize>,
    edges: HashMap<EdgeKey, usize>,
}

impl Indexed {
    fn new(drawing: Option<Arc<Drawing>>) -> Self {
        let nodes = drawing.iter().flat_map(|drawing| drawing.nodes.iter().map(|node| node.key).zip(0..)).collect();
        let edges = drawing.iter().flat_map(|drawing| drawing.edges.iter().map(DrawnEdge::key).zip(0..)).collect();
        Self { drawing, nodes, edges }
    }

    fn node(&self, key: EventKey) -> Option<&Node> {
        self.drawing.as_ref()?.nodes.get(*self.nodes.get(&key)?)
    }

    fn edge(&self, key: EdgeKey) -> Option<&DrawnEdge> {
        self.drawing.as_ref()?.edges.get(*self.edges.get(&key)?)
    }

    fn name(&self, key: EventKey) -> String {
        self.node(key).map(|node| node.name.clone()).unwrap_or_default()
    }
}

/// The colour of a kind of edges. That of a relation is the same in all drawings.
fn colour(around: Around, kind: EdgeKind, indexed: Memo<Arc<Indexed>>) -> String {
    match kind {
        EdgeKind::Relation(relation) => around.colour(relation).to_owned(),
        EdgeKind::Own(_) => indexed
            .with(|all| all.drawing.as_ref().map(|drawing| around.edge_colour(drawing, kind)).unwrap_or_default()),
    }
}

/// Everything in a drawing.
#[component]
pub fn Painted(
    drawing: Signal<Option<Arc<Drawing>>>,
    hide_po: Signal<bool>,
    lit: Memo<Arc<Lighting>>,
) -> impl IntoView {
    let around = Around::get();
    let indexed = Memo::new(move |_| Arc::new(Indexed::new(drawing.get())));
    let columns =
        Memo::new(move |_| indexed.with(|all| all.drawing.as_ref().map(|d| d.columns.clone()).unwrap_or_default()));
    // What initial writes stand on has no title.
    let frames = Memo::new(move |_| {
        indexed.with(|all| {
            let initial = |band| Frame { band, label: String::new(), title: String::new() };
            let of = |d: &Arc<Drawing>| d.initial.map(initial).into_iter().chain(d.frames.iter().cloned()).collect();
            all.drawing.as_ref().map(of).unwrap_or_else(Vec::new)
        })
    });
    let nodes = Memo::new(move |_| {
        indexed.with(|all| all.drawing.iter().flat_map(|d| d.nodes.iter().map(|node| node.key)).collect::<Vec<_>>())
    });
    // An edge that takes another way is another one.
    let edges = Memo::new(move |_| {
        let hide_po = hide_po.get();
        let shown = move |edge: &&DrawnEdge| edge.kind != RelationName::Po || !hide_po || edge.in_cycle;
        let way = |edge: &DrawnEdge| (edge.key(), edge.path.clone());
        indexed.with(|all| all.drawing.iter().flat_map(|d| d.edges.iter().filter(shown).map(way)).collect::<Vec<_>>())
    });
    let labels = Memo::new(move |_| {
        let label = |(key, _): &(EdgeKey, String)| {
            let label = indexed.with(|all| all.edge(*key).and_then(|edge| edge.label.clone()))?;
            Some((*key, (label.x.to_bits(), label.y.to_bits()), label.text))
        };
        edges.with(|edges| edges.iter().filter_map(label).collect::<Vec<_>>())
    });
    view! {
        {move || {
            columns
                .get()
                .into_iter()
                .map(|column| {
                    view! {
                        <g class="column">
                            <rect x=column.x - 8.0 y=column.y width=column.width + 16.0 height=column.height + 8.0 rx="8"></rect>
                            <text x=column.x + column.width / 2.0 y=column.y + TITLE_HEIGHT * 0.7>{column.title}</text>
                        </g>
                    }
                })
                .collect_view()
        }}
        {move || {
            let paint = |Frame { band, title, .. }: Frame| {
                let class = if title.is_empty() { "initial" } else { "frame" };
                view! {
                    <rect class=class x=band.x y=band.y width=band.width height=band.height rx="8">
                        <title>{title}</title>
                    </rect>
                }
            };
            frames.get().into_iter().map(paint).collect_view()
        }}
        <For
            each=move || edges.get()
            key=|edge| edge.clone()
            children=move |(key, path)| paint_edge(around, key, path, indexed, lit)
        />
        <For each=move || nodes.get() key=|key| *key children=move |key| paint_node(around, key, indexed, lit) />
        // Last: no edge may strike them through.
        {move || {
            let label = |Frame { band, label, .. }: Frame| {
                view! {
                    <text class="frame-label" font-size=FRAME_FONT_SIZE x=band.x + 2.0 y=band.y - 3.0>
                        {label}
                    </text>
                }
            };
            frames.get().into_iter().filter(|frame| !frame.label.is_empty()).map(label).collect_view()
        }}
        <For
            each=move || labels.get()
            key=|label| label.clone()
            children=move |(key, (x, y), text)| {
                let in_cycle = move || indexed.with(|all| all.edge(key).is_some_and(|edge| edge.in_cycle));
                view! {
                    <text
                        class="edge-label"
                        class:in-cycle=in_cycle
                        x=f32::from_bits(x)
                        y=f32::from_bits(y) + LABEL_FONT_SIZE * 0.33
                        fill=move || colour(around, key.kind, indexed)
                    >
                        {text}
                    </text>
                }
            }
        />
    }
}

/// An edge that is drawn only because it is spoken of.
pub fn paint_added(around: Around, edge: &DrawnEdge, drawing: Arc<Drawing>) -> impl IntoView + use<> {
    let kind = edge.kind;
    let name = drawing.name(kind).to_owned();
    let dash = drawing.dash(kind).to_owned();
    let color = move || around.edge_colour(&drawing, kind);
    let head = format!("translate({} {}) rotate({:.1}) scale(1.25)", edge.head.x, edge.head.y, edge.head.angle);
    let label = edge.label.clone().map(|label| {
        view! { <text class="edge-label" x=label.x y=label.y + LABEL_FONT_SIZE * 0.33 fill=color.clone()>{label.text}</text> }
    });
    view! {
        <g class="added-edge" data-relation=name data-title=edge.title.clone()>
            <path class="light" d=edge.path.clone()></path>
            <path class="curve" d=edge.path.clone() stroke=color.clone() stroke-dasharray=dash></path>
            <path class="head" d=HEAD_PATH fill=color transform=head></path>
            {label}
        </g>
    }
}

/// How an edge looks that runs as it did.
#[derive(Clone, Default, PartialEq)]
struct EdgeLook {
    class: String,
    halo: bool,
    head: String,
    title: String,
    dash: String,
}

impl EdgeLook {
    fn new(edge: &DrawnEdge, drawing: &Drawing) -> Self {
        let dash = drawing.dash(edge.kind).to_owned();
        let mut class = format!("edge rel-{}", drawing.name(edge.kind));
        for (is, name) in [(edge.in_cycle, " in-cycle"), (edge.new, " new"), (edge.ghost, " ghost")] {
            if is {
                class += name;
            }
        }
        let scale = if edge.in_cycle { " scale(1.25)" } else { "" };
        let head = format!("translate({} {}) rotate({:.1}){scale}", edge.head.x, edge.head.y, edge.head.angle);
        Self { class, halo: edge.in_cycle || edge.new, head, title: edge.title.clone(), dash }
    }
}

fn paint_edge(
    around: Around,
    key: EdgeKey,
    path: String,
    indexed: Memo<Arc<Indexed>>,
    lit: Memo<Arc<Lighting>>,
) -> impl IntoView + use<> {
    let kind = key.kind;
    let color = move || colour(around, kind, indexed);
    let look = Memo::new(move |before: Option<&EdgeLook>| {
        indexed.with(|all| {
            let look = all.edge(key).zip(all.drawing.as_ref());
            // It is about to go.
            look.map_or_else(|| before.cloned().unwrap_or_default(), |(edge, drawing)| EdgeLook::new(edge, drawing))
        })
    });
    let (from, to) = indexed.with_untracked(|all| (all.name(key.from), all.name(key.to)));
    let name = indexed
        .with_untracked(|all| all.drawing.as_ref().map(|drawing| drawing.name(kind).to_owned()).unwrap_or_default());
    let thick = move || kind.relation().is_some_and(|relation| around.thick.with(|thick| thick.contains(&relation)));
    let what = Pointed::Edge(key);
    let pointed = move || around.pointed.get() == Some(what) || around.pinned.get() == Some(what);
    let lit_now = move || lit.with(|lit| lit.edges.contains(&key));
    // At once: a class that changes takes the others with it.
    let class = move || {
        let mut class = look.with(|look| look.class.clone());
        for (is, name) in [(thick(), " thick"), (lit_now(), " lit"), (pointed(), " pointed")] {
            if is {
                class += name;
            }
        }
        class
    };
    let halo = Memo::new(move |_| look.with(|look| look.halo));
    let halo_path = path.clone();
    view! {
        <g
            class=class
            data-relation=name
            data-from=from
            data-to=to
            on:pointerenter=move |_| around.pointed.set(Some(what))
            on:pointerleave=move |_| around.pointed.set(None)
            on:pointerdown=move |_| around.pressed.set_value(Some(what))
        >
            <title>{move || look.with(|look| look.title.clone())}</title>
            <path class="grip" d=path.clone()></path>
            <path class="light" d=path.clone()></path>
            {move || halo.get().then(|| view! { <path class="halo" d=halo_path.clone()></path> })}
            <path class="curve" d=path stroke=color stroke-dasharray=move || look.with(|look| look.dash.clone())></path>
            <path class="head" d=HEAD_PATH fill=color transform=move || look.with(|look| look.head.clone())></path>
        </g>
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

fn paint_node(
    around: Around,
    key: EventKey,
    indexed: Memo<Arc<Indexed>>,
    lit: Memo<Arc<Lighting>>,
) -> impl IntoView + use<> {
    let node = Memo::new(move |before: Option<&Option<Node>>| {
        // One that is about to go stays as it was.
        indexed.with(|all| all.node(key).cloned()).or_else(|| before.cloned().flatten())
    });
    let place = move || node.with(|node| node.as_ref().map(|node| format!("translate({} {})", node.x, node.y)));
    // Where it stands changes nothing in it.
    let at_home = Memo::new(move |_| node.get().map(|node| Node { x: 0.0, y: 0.0, ..node }));
    let line = move || at_home.with(|node| node.as_ref().map_or(0, |node| node.span.line));
    let pointed = move || match around.pointed.get() {
        Some(Pointed::Event(other)) => other == key,
        Some(Pointed::Line(other)) => other == line() && other > 0 && around.current.get(),
        Some(Pointed::Edge(_)) | None => false,
    };
    let role = Memo::new(move |_| lit.with(|lit| lit.roles.get(&key).copied()));
    let tag = move || {
        role.get().and_then(Role::tag).map(|text| {
            let width = text.chars().count() as f32 * MARK_WIDTH + 8.0;
            view! {
                <g class="tag" transform="translate(-8 -9)">
                    <rect width=width height="15" rx="3"></rect>
                    <text x=width / 2.0 y="11">{text}</text>
                </g>
            }
        })
    };
    let class = Memo::new(move |_| {
        at_home.with(|node| {
            let Some(node) = node else { return String::new() };
            let mut class = format!("node {}", kind_class(node.kind));
            for mark in &node.marks {
                class = format!("{class} {}", mark_class(*mark));
            }
            if node.ghost {
                class += " ghost";
            }
            class
        })
    });
    let text = move |of: fn(&Node) -> &String| at_home.with(|node| node.as_ref().map(of).cloned().unwrap_or_default());
    view! {
        <g
            // At once: a class that changes takes the others with it.
            class=move || {
                let (role, pointed) = (role.get().map_or("", Role::class), if pointed() { "pointed" } else { "" });
                format!("{} {role} {pointed}", class.get())
            }
            data-event=move || text(|node| &node.name)
            data-colour=move || at_home.with(|node| node.as_ref().and_then(|node| node.colour))
            data-label=move || text(|node| &node.label)
            transform=place
            on:pointerenter=move |_| around.pointed.set(Some(Pointed::Event(key)))
            on:pointerleave=move |_| around.pointed.set(None)
            on:pointerdown=move |_| around.pressed.set_value(Some(Pointed::Event(key)))
        >
            {move || at_home.with(|node| node.as_ref().map(paint_inside))}
            {tag}
        </g>
    }
}

/// Box, label and badge of a node.
fn paint_inside(node: &Node) -> impl IntoView + use<> {
    let badge = node.marks.iter().find_map(|mark| mark_badge(*mark)).map(|text| {
        let width = text.chars().count() as f32 * MARK_WIDTH + 8.0;
        view! {
            <g class="badge" transform=format!("translate({} {})", node.width - width + 6.0, node.height - 6.0)>
                <rect width=width height="15" rx="7"></rect>
                <text x=width / 2.0 y="11">{text}</text>
            </g>
        }
    });
    // What the step is about: a second border, to be seen without colours.
    let ringed = |mark: &Mark| matches!(mark, Mark::Newest | Mark::Read | Mark::Placed | Mark::Revisiting);
    let ring = node.marks.iter().any(ringed).then(|| {
        let radius = radius(node.kind, node.height) + 3.0;
        view! { <rect class="ring" x="-3.5" y="-3.5" width=node.width + 7.0 height=node.height + 7.0 rx=radius></rect> }
    });
    view! {
        <title>{node.title.clone()}</title>
        {ring}
        <rect class="box" width=node.width height=node.height rx=radius(node.kind, node.height)></rect>
        {node.colour.map(|_| view! { <rect class="swatch" x="1.5" y="3.5" width="4" height=node.height - 7.0 rx="1"></rect> })}
        <text class="label" x=node.width / 2.0 y=node.height / 2.0 + FONT_SIZE * 0.34>{node.label.clone()}</text>
        {badge}
    }
}
