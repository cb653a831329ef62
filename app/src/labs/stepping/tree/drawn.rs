//! The drawn tree: paints the engine's drawing in a panel that scrolls.

use leptos::ev::{KeyboardEvent, PointerEvent, WheelEvent};
use leptos::html;
use leptos::prelude::*;
use litmoscope::report::HEAD_PATH;
use litmoscope::session::{
    BackArrow, Toward, TreeDrawing, TreeEdge, TreeNode, TreeView, VisitId, VisitKind, shape, sign,
};

use super::look::TreeLook;
use super::words::{below_in_words, word};
use crate::app::App;
use crate::browser::observe_size;
use crate::worker::session::Command;

/// How far one can zoom.
const SCALES: (f64, f64) = (0.08, 3.0);
/// How large the tree is shown at first at most and at least, however large the panel.
const COMFORT: (f64, f64) = (0.6, 1.5);
/// Free space below it for the buttons that zoom.
const BUTTONS: f64 = 40.0;
/// How far a click on a zoom button goes.
const ZOOM: f64 = 1.25;
/// How long a mouse rests on a node, and a finger, before its graph is shown, in milliseconds.
const REST: (u32, u32) = (140, 450);
/// How far the mouse moves before it drags.
const DRAG: i32 = 4;

/// How large the tree is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Zoom {
    /// All of it if it can be read then.
    Comfort,
    /// All of it.
    Fit,
    /// As the reader wants it.
    At(f64),
}

/// Where the mouse took hold: its place, and how far the panel was scrolled.
type Grip = ((i32, i32), (i32, i32));

/// The tree.
#[component]
pub fn Drawn(tree: Memo<TreeView>, active: Memo<Option<VisitId>>) -> impl IntoView {
    let app = App::get();
    let look = TreeLook::get();
    let panel = NodeRef::<html::Div>::new();
    let room = look.room;
    observe_size(panel, room);
    let drawing = Memo::new(move |_| {
        let (width, height) = room.get();
        tree.with(|tree| TreeDrawing::new(tree, (width as f32, height as f32)))
    });
    let zoom = RwSignal::new(Zoom::Comfort);
    let scale = Memo::new(move |_| {
        let (width, height) = room.get();
        let fit = drawing.with(|drawing| {
            let fit = |room: f64, size: f32| (room - 2.0).max(1.0) / f64::from(size).max(1.0);
            fit(width, drawing.width).min(fit(height - BUTTONS, drawing.height))
        });
        match zoom.get() {
            Zoom::Comfort => fit.clamp(COMFORT.0, COMFORT.1),
            Zoom::Fit => fit.clamp(SCALES.0, COMFORT.1),
            Zoom::At(scale) => scale,
        }
    });
    // What is in the middle stays there.
    let zoom_by = move |factor: f64, at: Option<(f64, f64)>| {
        let Some(panel) = panel.get_untracked() else { return };
        let (x, y) = at.unwrap_or((f64::from(panel.client_width()) / 2.0, f64::from(panel.client_height()) / 2.0));
        let before = scale.get_untracked();
        let after = (before * factor).clamp(SCALES.0, SCALES.1);
        let (left, top) = (f64::from(panel.scroll_left()) + x, f64::from(panel.scroll_top()) + y);
        zoom.set(Zoom::At(after));
        request_animation_frame(move || {
            panel.set_scroll_left((left * after / before - x) as i32);
            panel.set_scroll_top((top * after / before - y) as i32);
        });
    };
    // The node that the keyboard is at comes into sight.
    Effect::new(move |_| {
        let (Some(panel), Some(visit)) = (panel.get(), active.get()) else { return };
        let spot = drawing.with(|drawing| drawing.find(visit).map(|node| drawing.nodes[node].shape));
        let (Some(spot), scale) = (spot, scale.get()) else { return };
        request_animation_frame(move || {
            let bring = |at: f64, from: i32, length: i32| {
                let (low, high) = (f64::from(from) + 24.0, f64::from(from + length) - 36.0);
                (at < low || at > high).then_some((at - f64::from(length) / 2.0) as i32)
            };
            if let Some(left) = bring(f64::from(spot.x) * scale, panel.scroll_left(), panel.client_width()) {
                panel.set_scroll_left(left);
            }
            if let Some(top) = bring(f64::from(spot.y) * scale, panel.scroll_top(), panel.client_height()) {
                panel.set_scroll_top(top);
            }
        });
    });

    let keys = move |event: KeyboardEvent| {
        // Many keyboards have + above =.
        let shifted = event.shift_key() && event.key() != "+";
        if event.ctrl_key() || event.alt_key() || event.meta_key() || shifted {
            return;
        }
        let drawing = drawing.get_untracked();
        let Some(at) = active.get_untracked().and_then(|visit| drawing.find(visit)) else { return };
        let row = &drawing.nodes[at].row;
        let go = |node: Option<usize>| {
            if let Some(node) = node {
                let visit = drawing.nodes[node].row.visit;
                look.chosen.set(Some(visit));
                look.peek_at(app, visit, REST.0);
            }
        };
        let toward = match (event.key().as_str(), drawing.downwards) {
            ("ArrowUp", true) | ("ArrowLeft", false) => Some(Toward::Parent),
            ("ArrowDown", true) | ("ArrowRight", false) => Some(Toward::Child),
            ("ArrowLeft", true) | ("ArrowUp", false) => Some(Toward::Before),
            ("ArrowRight", true) | ("ArrowDown", false) => Some(Toward::After),
            _ => None,
        };
        match (event.key().as_str(), toward) {
            (_, Some(Toward::Child)) if row.children > 0 && !row.unfolded => app.session.fold(row.visit, false),
            (_, Some(toward)) => go(drawing.neighbour(at, toward)),
            ("Home", _) => go(Some(0)),
            ("Enter", _) => {
                look.hide();
                if row.reachable {
                    app.command(Command::GoToVisit(row.visit));
                }
            }
            (" ", _) if row.children > 0 => app.session.fold(row.visit, row.unfolded),
            (" ", _) => {}
            ("+" | "=", _) => zoom_by(ZOOM, None),
            ("-", _) => zoom_by(1.0 / ZOOM, None),
            ("0", _) => zoom.set(Zoom::Fit),
            ("Escape", _) if look.peek.with_untracked(Option::is_some) => look.hide(),
            ("Escape", _) if look.wide.get_untracked() => look.wide.set(false),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    };

    // A mouse drags; fingers scroll as everywhere.
    let grip = StoredValue::new(None::<Grip>);
    let dragged = StoredValue::new(false);
    let down = move |event: PointerEvent| {
        dragged.set_value(false);
        if event.pointer_type() == "mouse"
            && event.button() == 0
            && let Some(panel) = panel.get_untracked()
        {
            let scrolled = (panel.scroll_left(), panel.scroll_top());
            grip.set_value(Some(((event.client_x(), event.client_y()), scrolled)));
        }
    };
    let moved = move |event: PointerEvent| {
        let (Some(((x, y), (left, top))), Some(panel)) = (grip.get_value(), panel.get_untracked()) else { return };
        if event.buttons() & 1 == 0 {
            grip.set_value(None);
            return;
        }
        let (dx, dy) = (event.client_x() - x, event.client_y() - y);
        if dragged.get_value() || dx.abs().max(dy.abs()) > DRAG {
            dragged.set_value(true);
            look.hide();
            panel.set_scroll_left(left - dx);
            panel.set_scroll_top(top - dy);
        }
    };
    let wheel = move |event: WheelEvent| {
        if !event.ctrl_key() && !event.meta_key() {
            return;
        }
        event.prevent_default();
        let Some(panel) = panel.get_untracked() else { return };
        let corner = panel.get_bounding_client_rect();
        let at = (f64::from(event.client_x()) - corner.left(), f64::from(event.client_y()) - corner.top());
        let lines = if event.delta_mode() == 0 { 1.0 } else { 24.0 };
        zoom_by((-event.delta_y() * lines * 0.0035).exp(), Some(at));
    };

    let paint_node = move |node: &TreeNode| {
        let row = node.row.clone();
        let visit = row.visit;
        let (x, y) = (node.text.x, node.text.y);
        if row.summary {
            return view! {
                <g class="tree-node summary">
                    <text class="tree-label" x=x y=y>{node.label.clone()}</text>
                </g>
            }
            .into_any();
        }
        let mut class = format!("tree-node {}", row.kind.name());
        let found = look.found.get() == Some(visit);
        for (is, name) in
            [(row.current, " current"), (row.on_path, " on-path"), (row.later, " later"), (found, " found")]
        {
            if is {
                class += name;
            }
        }
        let badges = node
            .badges
            .iter()
            .map(|badge| {
                view! {
                    <g class=format!("tree-badge {}", badge.kind.name())>
                        <rect x=badge.x y=badge.y width=badge.width height=badge.height rx="6"></rect>
                        <text x=badge.x + badge.width / 2.0 y=badge.y + badge.height - 3.2>{badge.text.clone()}</text>
                    </g>
                }
            })
            .collect_view();
        let unfolded = row.unfolded;
        let handle = node.handle.map(|spot| {
            view! {
                <g
                    class="tree-handle"
                    transform=format!("translate({} {})", spot.x, spot.y)
                    on:click=move |event| {
                        event.stop_propagation();
                        if !dragged.get_value() {
                            look.hide();
                            app.session.fold(visit, unfolded);
                        }
                    }
                >
                    <title>{if unfolded { "Fold (Space)" } else { "Unfold (Space)" }}</title>
                    <circle class="reach" r="12"></circle>
                    <circle class="knob" r="6.5"></circle>
                    <path d=if unfolded { "M-3 0H3" } else { "M-3 0H3M0 -3V3" }></path>
                </g>
            }
        });
        let ring =
            row.current.then(|| view! { <circle class="ring" cx=node.shape.x cy=node.shape.y r="14.5"></circle> });
        let below = below_in_words(&row);
        let mut name = format!("{}, {}", row.label, word(row.kind));
        if !below.is_empty() {
            name = format!("{name}; {below}");
        }
        let expanded = (row.children > 0).then(|| row.unfolded.to_string());
        let reachable = row.reachable;
        let long = StoredValue::new(false);
        view! {
            <g
                class=class
                class:active=move || active.get() == Some(visit)
                id=format!("node-{visit}")
                role="treeitem"
                attr:aria-level=(node.level + 1).to_string()
                aria-expanded=expanded
                aria-selected=row.current.to_string()
                aria-disabled=(!reachable).then_some("true")
                aria-label=name
                on:pointerenter=move |event: PointerEvent| {
                    let finger = event.pointer_type() == "touch";
                    long.set_value(false);
                    if event.buttons() == 0 || finger {
                        look.peek_at(app, visit, if finger { REST.1 } else { REST.0 });
                    }
                }
                on:pointerleave=move |event: PointerEvent| {
                    // What a finger brought up stays until the next touch.
                    if event.pointer_type() == "touch" {
                        long.set_value(look.peek.get_untracked() == Some(visit));
                        look.stay();
                    } else {
                        look.hide();
                    }
                }
                on:click=move |_| {
                    if !dragged.get_value() && !long.get_value() {
                        look.hide();
                        look.chosen.set(Some(visit));
                        if reachable {
                            app.command(Command::GoToVisit(visit));
                        }
                    }
                }
            >
                <rect class="extent" x=node.x y=node.y width=node.width height=node.height rx="5"></rect>
                {ring}
                <path class="shape" d=shape(row.kind) transform=format!("translate({} {})", node.shape.x, node.shape.y)></path>
                <text class="sign" x=node.shape.x y=node.shape.y + 4.0>{inner_sign(row.kind)}</text>
                <text class="tree-label" x=x y=y>{node.label.clone()}</text>
                {badges}
                {handle}
            </g>
        }
        .into_any()
    };
    let paint = move || {
        drawing.with(|drawing| {
            let on_path = |node: usize| drawing.nodes[node].row.on_path;
            let later = |node: usize| drawing.nodes[node].row.later;
            let edges = drawing.edges.iter().map(|e| paint_edge(e, on_path(e.child), later(e.child))).collect_view();
            let arrows = drawing
                .arrows
                .iter()
                .map(|arrow| {
                    let current = arrow.revisits.iter().any(|&node| on_path(node));
                    let of: Vec<VisitId> = arrow.revisits.iter().map(|&node| drawing.nodes[node].row.visit).collect();
                    let from = drawing.nodes[arrow.from].row.visit;
                    let lit =
                        Signal::derive(move || active.get().is_some_and(|visit| visit == from || of.contains(&visit)));
                    paint_arrow(arrow, current, lit, from, drawing.nodes[arrow.to].row.visit)
                })
                .collect_view();
            let nodes = drawing.nodes.iter().map(paint_node).collect_view();
            view! { {edges} {arrows} {nodes} }
        })
    };
    let view_box = move || drawing.with(|drawing| format!("0 0 {} {}", drawing.width, drawing.height));
    let length =
        move |size: fn(&TreeDrawing) -> f32| move || format!("{:.1}", f64::from(drawing.with(size)) * scale.get());
    let notes = move || {
        drawing.with(|drawing| {
            drawing.notes.iter().map(|note| view! { <p class="tree-note">{note.clone()}</p> }).collect_view()
        })
    };
    view! {
        <div class="tree-stage">
            <div
                class="tree drawn"
                id="tree"
                role="tree"
                tabindex="0"
                aria-label="Exploration tree, drawn"
                aria-activedescendant=move || active.get().map(|visit| format!("node-{visit}"))
                node_ref=panel
                on:keydown=keys
                on:wheel=wheel
                on:pointerdown=down
                on:pointermove=moved
                on:pointerup=move |_| grip.set_value(None)
                on:contextmenu=move |event| if look.peek.with_untracked(Option::is_some) { event.prevent_default() }
                on:blur=move |_| look.hide()
            >
                <svg
                    class="tree-svg"
                    id="tree-svg"
                    data-downwards=move || drawing.with(|drawing| drawing.downwards).to_string()
                    class:downwards=move || drawing.with(|drawing| drawing.downwards)
                    viewBox=view_box
                    width=length(|drawing| drawing.width)
                    height=length(|drawing| drawing.height)
                    role="presentation"
                >
                    {paint}
                </svg>
            </div>
            <div class="tree-zoom" role="group" aria-label="Zoom of the tree">
                <button type="button" id="tree-zoom-in" title="Zoom in (+)" aria-label="Zoom in" on:click=move |_| zoom_by(ZOOM, None)>
                    "+"
                </button>
                <button type="button" id="tree-zoom-out" title="Zoom out (-)" aria-label="Zoom out" on:click=move |_| zoom_by(1.0 / ZOOM, None)>
                    "−"
                </button>
                <button type="button" id="tree-zoom-fit" title="Show the whole tree (0)" on:click=move |_| zoom.set(Zoom::Fit)>
                    "Fit"
                </button>
            </div>
        </div>
        {notes}
        <Key drawing />
    }
}

/// Inside shapes that don't say it by themselves.
fn inner_sign(kind: VisitKind) -> Option<&'static str> {
    match kind {
        VisitKind::Pending | VisitKind::Open | VisitKind::Dropped => None,
        VisitKind::Blocked => Some("–"),
        VisitKind::Complete | VisitKind::Erroneous | VisitKind::Duplicate | VisitKind::Repeated => Some(sign(kind)),
    }
}

fn paint_edge(edge: &TreeEdge, on_path: bool, later: bool) -> impl IntoView + use<> {
    view! { <path class="tree-edge" class:on-path=on_path class:later=later d=edge.path.clone()></path> }
}

fn paint_arrow(
    arrow: &BackArrow,
    current: bool,
    lit: Signal<bool>,
    from: VisitId,
    to: VisitId,
) -> impl IntoView + use<> {
    let head = format!("translate({} {}) rotate({:.0})", arrow.head.x, arrow.head.y, arrow.head.angle);
    let head = format!("{head} scale(0.85)");
    view! {
        <g class="back-arrow" class:on-path=current class:lit=lit data-from=from data-to=to>
            <title>{arrow.title.clone()}</title>
            <path class="curve" d=arrow.path.clone()></path>
            <path class="head" d=HEAD_PATH transform=head></path>
        </g>
    }
}

/// What the shapes mean that are in sight.
#[component]
fn Key(drawing: Memo<TreeDrawing>) -> impl IntoView {
    let kinds = Memo::new(move |_| {
        drawing.with(|drawing| {
            let nodes = || drawing.nodes.iter().filter(|node| !node.row.summary);
            let shown = |kind| nodes().any(|node| node.row.kind == kind);
            let kinds: Vec<_> = VisitKind::ALL.into_iter().filter(|&kind| shown(kind)).collect();
            (kinds, !drawing.arrows.is_empty())
        })
    });
    move || {
        let (kinds, arrows) = kinds.get();
        let entries = kinds
            .into_iter()
            .map(|kind| {
                view! {
                    <li class=format!("tree-node {}", kind.name())>
                        <svg width="18" height="18" viewBox="-12 -12 24 24" aria-hidden="true">
                            <path class="shape" d=shape(kind)></path>
                            <text class="sign" y="4">{inner_sign(kind)}</text>
                        </svg>
                        {word(kind)}
                    </li>
                }
            })
            .collect_view();
        let arrows = arrows.then(|| {
            view! {
                <li class="back-arrow" title="From where a write was added to where the read was added that it revisits">
                    <svg width="26" height="18" viewBox="0 0 26 18" aria-hidden="true">
                        <path class="curve" d="M24 9H9"></path>
                        <path class="head" d=HEAD_PATH transform="translate(3 9) rotate(180)"></path>
                    </svg>
                    "revisit"
                </li>
            }
        });
        view! { <ul class="tree-key" id="tree-key" aria-label="Shapes">{entries}{arrows}</ul> }
    }
}
