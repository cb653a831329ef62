//! How the drawn tree is painted: its edges, its nodes with what is around them, and what their shapes mean.

use leptos::ev::PointerEvent;
use leptos::prelude::*;
use litmoscope::report::HEAD_PATH;
use litmoscope::session::{BackArrow, TreeDrawing, TreeEdge, TreeNode, TreeRow, VisitId, VisitKind, shape, sign};

use crate::app::App;
use crate::labs::stepping::tree::look::TreeLook;
use crate::labs::stepping::tree::words::{below_in_words, word};
use crate::worker::session::Command;

/// How long a mouse rests on a node, and a finger, before its graph is shown, in milliseconds.
pub const REST: (u32, u32) = (140, 450);

/// Paints nodes that can be clicked on.
#[derive(Clone, Copy)]
pub struct Painter {
    /// The page.
    pub app: App,
    /// How the tree is looked at.
    pub look: TreeLook,
    /// The node that the keyboard is at.
    pub active: Memo<Option<VisitId>>,
    /// The tree was dragged, so that what follows is no click.
    pub dragged: StoredValue<bool>,
}

impl Painter {
    /// All of the drawing.
    pub fn all(self, drawing: &TreeDrawing) -> impl IntoView + use<> {
        let row = |node: usize| &drawing.nodes[node].row;
        let edge = |edge: &TreeEdge| paint_edge(edge, row(edge.child).on_path, row(edge.child).later);
        let edges = drawing.edges.iter().map(edge).collect_view();
        let arrows = drawing
            .arrows
            .iter()
            .map(|arrow| {
                let current = arrow.revisits.iter().any(|&node| row(node).on_path);
                let of: Vec<VisitId> = arrow.revisits.iter().map(|&node| row(node).visit).collect();
                let from = row(arrow.from).visit;
                let is_lit = move |visit: VisitId| visit == from || of.contains(&visit);
                let lit = Signal::derive(move || self.active.get().is_some_and(&is_lit));
                paint_arrow(arrow, current, lit, from, row(arrow.to).visit)
            })
            .collect_view();
        let nodes = drawing.nodes.iter().map(|node| self.node(node)).collect_view();
        view! { {edges} {arrows} {nodes} }
    }

    fn node(self, node: &TreeNode) -> AnyView {
        let row = &node.row;
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
        let ring =
            row.current.then(|| view! { <circle class="ring" cx=node.shape.x cy=node.shape.y r="14.5"></circle> });
        let expanded = (row.children > 0).then(|| row.unfolded.to_string());
        let reachable = row.reachable;
        let long = StoredValue::new(false);
        view! {
            <g
                class=self.class(row)
                class:active=move || self.active.get() == Some(visit)
                id=format!("node-{visit}")
                role="treeitem"
                attr:aria-level=(node.level + 1).to_string()
                aria-expanded=expanded
                aria-selected=row.current.to_string()
                aria-disabled=(!reachable).then_some("true")
                aria-label=name_of(row)
                on:pointerenter=move |event: PointerEvent| {
                    let finger = event.pointer_type() == "touch";
                    long.set_value(false);
                    if event.buttons() == 0 || finger {
                        self.look.peek_at(self.app, visit, if finger { REST.1 } else { REST.0 });
                    }
                }
                on:pointerleave=move |event: PointerEvent| {
                    // What a finger brought up stays until the next touch.
                    if event.pointer_type() == "touch" {
                        long.set_value(self.look.peek.get_untracked() == Some(visit));
                        self.look.stay();
                    } else {
                        self.look.hide();
                    }
                }
                on:click=move |_| {
                    if !self.dragged.get_value() && !long.get_value() {
                        self.look.hide();
                        self.look.chosen.set(Some(visit));
                        if reachable {
                            self.app.command(Command::GoToVisit(visit));
                        }
                    }
                }
            >
                <rect class="extent" x=node.x y=node.y width=node.width height=node.height rx="5"></rect>
                {ring}
                <path class="shape" d=shape(row.kind) transform=format!("translate({} {})", node.shape.x, node.shape.y)></path>
                <text class="sign" x=node.shape.x y=node.shape.y + 4.0>{inner_sign(row.kind)}</text>
                <text class="tree-label" x=x y=y>{node.label.clone()}</text>
                {badges(node)}
                {self.handle(node)}
            </g>
        }
        .into_any()
    }

    fn class(self, row: &TreeRow) -> String {
        let mut class = format!("tree-node {}", row.kind.name());
        let found = self.look.found.get() == Some(row.visit);
        for (is, name) in
            [(row.current, " current"), (row.on_path, " on-path"), (row.later, " later"), (found, " found")]
        {
            if is {
                class += name;
            }
        }
        class
    }

    /// What folds the node, or unfolds it.
    fn handle(self, node: &TreeNode) -> impl IntoView + use<> {
        let (visit, unfolded) = (node.row.visit, node.row.unfolded);
        node.handle.map(|spot| {
            view! {
                <g
                    class="tree-handle"
                    transform=format!("translate({} {})", spot.x, spot.y)
                    on:click=move |event| {
                        event.stop_propagation();
                        if !self.dragged.get_value() {
                            self.look.hide();
                            self.app.session.set_folded(visit, unfolded);
                        }
                    }
                >
                    <title>{if unfolded { "Fold (Space)" } else { "Unfold (Space)" }}</title>
                    <circle class="reach" r="12"></circle>
                    <circle class="knob" r="6.5"></circle>
                    <path d=if unfolded { "M-3 0H3" } else { "M-3 0H3M0 -3V3" }></path>
                </g>
            }
        })
    }
}

/// What readers hear of a node.
fn name_of(row: &TreeRow) -> String {
    let below = below_in_words(row);
    let name = format!("{}, {}", row.label, word(row.kind));
    if below.is_empty() { name } else { format!("{name}; {below}") }
}

fn badges(node: &TreeNode) -> impl IntoView + use<> {
    node.badges
        .iter()
        .map(|badge| {
            view! {
                <g class=format!("tree-badge {}", badge.kind.name())>
                    <rect x=badge.x y=badge.y width=badge.width height=badge.height rx="6"></rect>
                    <text x=badge.x + badge.width / 2.0 y=badge.y + badge.height - 3.2>{badge.text.clone()}</text>
                </g>
            }
        })
        .collect_view()
}

/// Inside shapes that don't say it by themselves.
fn inner_sign(kind: VisitKind) -> Option<&'static str> {
    match kind {
        VisitKind::Pending | VisitKind::Open | VisitKind::Inner | VisitKind::Dropped => None,
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
pub fn Key(drawing: Memo<TreeDrawing>) -> impl IntoView {
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
                <li class="back-arrow" title="From the step that added a write to the step that added the read that it revisits">
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
