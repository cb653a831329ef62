//! Edges brought out in a drawing that is there already.
//!
//! Edges whose relation is hidden are drawn over the graph; nothing in it moves.

use super::route::Router;
use super::{Drawing, DrawnEdge, EdgeKind, Node};
use crate::graph::{EventKey, RelationName};
use serde::{Deserialize, Serialize};

/// An edge by the names of its events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EdgeKey {
    /// Where it starts.
    pub from: EventKey,
    /// Where it ends.
    pub to: EventKey,
    /// What it says.
    pub kind: EdgeKind,
}

impl DrawnEdge {
    /// Its name.
    pub fn key(&self) -> EdgeKey {
        EdgeKey { from: self.from, to: self.to, kind: self.kind }
    }

    /// Whether it stands for an edge: itself, or one that it is drawn for too.
    pub fn says(&self, edge: EdgeKey) -> bool {
        (self.from, self.to) == (edge.from, edge.to) && (self.kind == edge.kind || self.also == Some(edge.kind))
    }
}

/// What is brought out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Highlighted {
    /// Edges that are drawn already, by name; po as the steps between neighbours.
    pub drawn: Vec<EdgeKey>,
    /// The others, as curves over the drawing. Those of events that are not drawn are left out.
    pub added: Vec<DrawnEdge>,
}

/// Where the columns' nodes start in a drawing.
fn first_row(drawing: &Drawing) -> f32 {
    let bottom = |node: &Node| node.y + node.height;
    let columns = drawing.nodes.iter().filter(|node| node.column.is_some()).map(|node| node.y);
    let below = || drawing.nodes.iter().map(bottom).fold(0.0, f32::max) + 30.0;
    columns.min_by(f32::total_cmp).unwrap_or_else(below)
}

/// Brings out edges of a drawing's graph, whether their relation is drawn or not; nothing that is drawn moves.
pub fn highlight(drawing: &Drawing, edges: &[EdgeKey]) -> Highlighted {
    let mut highlighted = Highlighted::default();
    let mut router = None;
    for &edge in edges {
        let is_po = edge.kind == RelationName::Po && edge.from.thread == edge.to.thread;
        let on_way = |drawn: &&DrawnEdge| {
            drawn.kind == RelationName::Po
                && drawn.to.thread == edge.to.thread
                && edge.from.serial < drawn.to.serial
                && drawn.to.serial <= edge.to.serial
        };
        let before = highlighted.drawn.len();
        if is_po {
            highlighted.drawn.extend(drawing.edges.iter().filter(on_way).map(DrawnEdge::key));
        } else if let Some(drawn) = drawing.edges.iter().find(|drawn| drawn.says(edge)) {
            highlighted.drawn.push(drawn.key());
        }
        let at = |key: EventKey| drawing.nodes.iter().position(|node| node.key == key);
        let (Some(from), Some(to)) = (at(edge.from), at(edge.to)) else { continue };
        if highlighted.drawn.len() > before || from == to || highlighted.added.iter().any(|known| known.key() == edge) {
            continue;
        }
        let router = router
            .get_or_insert_with(|| Router::new(&drawing.nodes, &drawing.columns, first_row(drawing), drawing.width));
        let index = drawing.edges.len() + highlighted.added.len();
        let path = router.route(index, from, to);
        highlighted.added.push(DrawnEdge {
            from: edge.from,
            to: edge.to,
            kind: edge.kind,
            also: None,
            path: path.data(),
            head: path.head(),
            label: router.label(index, &path, drawing.name(edge.kind)),
            in_cycle: false,
            new: false,
            ghost: false,
            title: format!(
                "{} from {} {} to {} {}",
                drawing.name(edge.kind),
                drawing.nodes[from].name,
                drawing.nodes[from].label,
                drawing.nodes[to].name,
                drawing.nodes[to].label
            ),
        });
    }
    highlighted
}
