//! Where everything goes: columns side by side, rows by what stands below what, and a row on top.
//!
//! Nothing moves for what comes after it. Where a column stands, how far rows are apart and where the nodes of the top row
//! stand is said by the diagram before it has any node ([`Diagram::columns`], [`Diagram::rows`], [`Diagram::seats`]), and a
//! node's row follows from the one above it in its column and from its source. An execution graph has threads as columns,
//! initial writes on top, and all that from the program. So as long as what is before an event in porf is the same, with the
//! same sources, it stands in the same place, whatever else there is: only a read that takes another source moves, with
//! what follows from it. Two exceptions: a value of more digits than the program lets expect makes its column wider, which
//! moves those to the right of it; and initial writes stand in the order in which they were used where all of them would be
//! more than [`MANY`] or a row much wider than the threads.
//!
//! That is the promise of every drawing: **an event stands in the same place in all drawings of a program in which the same
//! events with the same sources are before it in porf.** So a step that adds an event moves none that is there, and neither does
//! another co, a violation or a hidden relation.
//!
//! A row is below the event before it, and at least half a row below its source. So rf always runs downwards. co is not looked
//! at, since events added later would move others. Of the co edges of the gallery and of random programs more than nine in ten
//! run downwards all the same, between writes of threads four in five. `engine/tests/suite/drawing.rs` steps through the gallery
//! and random programs and compares all places.

use super::route::{Path, Router, number};
use super::spacing::title_width;
use super::spacing::{Spacing, node_width};
use super::{
    Band, Column, Diagram, DiagramEdge, DiagramFrame, DiagramNode, Drawing, DrawnEdge, EdgeKind, EdgeLabel, Frame,
    MANY, Node, Place, TITLE_HEIGHT, WB_TOO,
};
use crate::graph::{EventKey, RelationName};
use crate::sort;
use rustc_hash::{FxHashMap, FxHashSet};

/// Space between a title and what is below it.
const BELOW_TITLE: f32 = 8.0;
/// Space between a node of the top row and the border of the band that it is drawn on.
const BAND_PADDING: f32 = 5.0;
/// Space between the nodes in a frame and its border: two frames in a column do not touch.
const FRAME_PADDING: f32 = 4.0;
/// Space for the label of a frame.
const LABEL_HEIGHT: f32 = 14.0;
/// Space between two seats of the top row.
const SEAT_GAP: f32 = 28.0;
/// A top row that is no wider may be wider than the columns.
const LEAST_ROW: f32 = 420.0;

/// Places a diagram. Deterministic; linear in the columns, the nodes, and in the edges times their length.
///
/// What holds of every drawing: nodes do not overlap; edges start and end on the borders of their nodes and do not pass
/// through others; labels cover neither nodes nor other labels. A label that finds no place is left out. A node stands
/// where it stood in every drawing in which the same is before it, as this file's head says more exactly.
pub fn layout(mut diagram: Diagram) -> Drawing {
    for column in &mut diagram.columns {
        column.width = column.width.max(title_width(&column.title));
    }
    let spacing = Spacing::of(&diagram);
    let placed = place_nodes(&mut diagram, &spacing);
    let frames = diagram.frames.into_iter().filter_map(|frame| draw_frame(frame, &placed)).collect();
    let mut edges = draw_edges(merged(diagram.edges), &placed);
    let Placed { nodes, columns, first_row, initial, width, .. } = placed;

    // Below the last row, curves and labels have whatever room they need.
    let bottom = columns.iter().map(|column| column.y + column.height).fold(first_row, f32::max);
    let mut height = bottom + BELOW_TITLE;
    for edge in &edges {
        height = height.max(edge.path.bounds().1.y);
        if let Some(label) = &edge.label {
            height = height.max(label.y + label.height / 2.0);
        }
    }
    sort::by_key(&mut edges, |Pending { edge, .. }| (edge.in_cycle, edge.kind != RelationName::Po));
    let edges: Vec<_> = edges.into_iter().map(Pending::drawn).collect();
    let relations = RelationName::ALL.into_iter();
    Drawing {
        width: width.ceil(),
        height: (height + spacing.density.margin).ceil(),
        columns,
        initial,
        frames,
        relations: relations.filter(|&relation| edges.iter().any(|edge| edge.kind == relation)).collect(),
        nodes,
        edges,
        kinds: diagram.kinds,
        chosen_co: diagram.chosen_co,
        rows: diagram.rows,
    }
}

/// The row of each node in half steps: below the one above it in its column by two, below its source by at least one, so that
/// rf points downwards, and not above its least row. Where these make a cycle, the source that closes it is let go.
fn rows(diagram: &Diagram) -> Vec<u32> {
    let (nodes, one_by_one) = (&diagram.nodes, diagram.one_by_one);
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done(u32),
    }
    let in_columns = || nodes.iter().enumerate().filter(|(_, node)| matches!(node.place, Place::Column(_)));
    let mut at: FxHashMap<EventKey, usize> = FxHashMap::default();
    at.extend(in_columns().map(|(index, node)| (node.key, index)));
    let mut least = vec![0; nodes.len()];
    for (key, row) in &diagram.least_rows {
        if let Some(&index) = at.get(key) {
            least[index] = 2 * (*row).min(nodes.len()) as u32;
        }
    }
    let mut last: FxHashMap<usize, usize> = FxHashMap::default();
    let above = |(index, node): (usize, &DiagramNode)| match node.place {
        Place::Top { .. } => None,
        Place::Column(column) => last.insert(column, index),
    };
    let above: Vec<Option<usize>> = nodes.iter().enumerate().map(above).collect();
    let before = |index: usize| {
        let source = nodes[index].source.and_then(|key| at.get(&key).copied());
        let earlier = index.checked_sub(1).filter(|_| one_by_one);
        [(above[index], 2), (source, 1), (earlier, 1)]
    };
    let mut state = vec![State::New; nodes.len()];
    // An explicit stack: a long thread must not overflow that of a browser.
    for start in 0..nodes.len() {
        let mut work = vec![start];
        while let Some(&at) = work.last() {
            match state[at] {
                State::New => {
                    state[at] = State::Open;
                    work.extend(before(at).into_iter().filter_map(|(at, _)| at).filter(|at| state[*at] == State::New));
                }
                State::Open => {
                    let row = before(at)
                        .into_iter()
                        .filter_map(|(before, distance)| match state[before?] {
                            State::Done(row) => Some(row + distance),
                            State::New | State::Open => None,
                        })
                        .max();
                    state[at] = State::Done(row.unwrap_or(0).max(least[at]));
                    work.pop();
                }
                State::Done(_) => {
                    work.pop();
                }
            }
        }
    }
    let mut rows: Vec<u32> = state.into_iter().map(|s| if let State::Done(row) = s { row } else { 0 }).collect();
    // Where a cycle was opened on the way, the order of a column may not hold yet.
    for at in 0..nodes.len() {
        if let Some(above) = above[at] {
            rows[at] = rows[at].max(rows[above] + 2);
        }
    }
    rows
}

/// A node that has no place yet.
fn drawn(node: DiagramNode, height: f32) -> Node {
    let DiagramNode { key, name, label, mut title, kind, place, source, mut marks, colour, ghost, span } = node;
    sort::ascending(&mut marks);
    marks.dedup();
    for mark in &marks {
        title += "; ";
        title += mark.words();
    }
    if ghost {
        title += "; cut from the graph";
    }
    let column = match place {
        Place::Top { .. } => None,
        Place::Column(column) => Some(column),
    };
    let width = node_width(&label);
    Node { key, column, source, x: 0.0, y: 0.0, width, height, label, name, kind, marks, colour, ghost, span, title }
}

/// A node, and the number of its arrival.
type Arrived = (usize, Node);

/// What has its place before edges are drawn.
struct Placed {
    nodes: Vec<Node>,
    /// The number of each node's arrival.
    arrivals: Vec<usize>,
    columns: Vec<Column>,
    /// Where the first row starts.
    first_row: f32,
    initial: Option<Band>,
    /// Of the drawing.
    width: f32,
}

/// Takes the nodes out of a diagram and places them.
fn place_nodes(diagram: &mut Diagram, spacing: &Spacing) -> Placed {
    let density = spacing.density;
    let rows = rows(diagram);
    let mut top_nodes = Vec::new();
    let mut stacks: Vec<Vec<Arrived>> = diagram.columns.iter().map(|_| Vec::new()).collect();
    for (arrival, node) in std::mem::take(&mut diagram.nodes).into_iter().enumerate() {
        match node.place {
            Place::Top { seat, turn } => top_nodes.push((turn, seat, (arrival, drawn(node, density.node)))),
            // In a column that there is not, there is no place.
            Place::Column(column) if column >= stacks.len() => {}
            Place::Column(column) => stacks[column].push((arrival, drawn(node, density.node))),
        }
    }

    let top = density.margin + TITLE_HEIGHT + BELOW_TITLE;
    // From the first column's left border to the last one's right one, as the diagram lets expect.
    let expected = diagram.columns.iter().map(|column| column.width).sum::<f32>() + spacing.gaps.iter().sum::<f32>();
    let top_row = TopRow::new(top_nodes, &diagram.seats, expected + spacing.side);
    let has_top = !diagram.seats.is_empty() || !top_row.nodes.is_empty();
    let first_row = if has_top {
        top + density.node + density.band
    } else if diagram.frames_have_labels {
        top + LABEL_HEIGHT
    } else {
        top
    };
    let left = spacing.side + ((top_row.width - expected) / 2.0).max(0.0);
    let middle = left + expected / 2.0;
    let columns = place_columns(diagram, spacing, &rows, &mut stacks, left, first_row);
    let right = columns.last().map_or(left, |column| column.x + column.width);

    let mut nodes = top_row.nodes;
    let start = if top_row.fixed { middle - top_row.width / 2.0 } else { left };
    for (_, node) in &mut nodes {
        (node.x, node.y) = (number(start + node.x), top);
    }
    let reach = nodes.iter().map(|(_, node)| node.x + node.width).fold(right, f32::max);
    let initial = (!nodes.is_empty()).then(|| {
        let from = left.min(start) - 8.0;
        let to = if top_row.fixed { right.max(start + top_row.width) } else { reach } + 8.0;
        Band { x: from, y: top - BAND_PADDING, width: to - from, height: density.node + 2.0 * BAND_PADDING }
    });
    nodes.extend(stacks.into_iter().flatten());
    let (arrivals, nodes) = nodes.into_iter().unzip();
    let width = reach.max(middle + top_row.width / 2.0) + spacing.side;
    Placed { nodes, arrivals, columns, first_row, initial, width }
}

/// Places the columns from their left border on, and the nodes in them.
fn place_columns(
    diagram: &Diagram,
    spacing: &Spacing,
    rows: &[u32],
    stacks: &mut [Vec<Arrived>],
    left: f32,
    first_row: f32,
) -> Vec<Column> {
    let density = spacing.density;
    let mut x = left;
    let mut columns: Vec<Column> = Vec::new();
    for (at, (column, nodes)) in diagram.columns.iter().zip(&mut *stacks).enumerate() {
        let width = nodes.iter().map(|(_, node)| node.width).fold(column.width, f32::max);
        for (arrival, node) in &mut *nodes {
            node.x = number(x + (width - node.width) / 2.0);
            node.y = number(first_row + rows[*arrival] as f32 * density.row / 2.0);
        }
        columns.push(Column { x, y: density.margin, width, height: 0.0, title: column.title.clone() });
        x += width + spacing.gaps.get(at).copied().unwrap_or(0.0);
    }
    // All lanes are as long as the longest, and as long from the start as the diagram lets expect.
    let least = first_row + diagram.rows.saturating_sub(1) as f32 * density.row + density.node;
    let lowest = stacks.iter().flatten().map(|(_, node)| node.y + node.height).fold(least, f32::max);
    columns.iter_mut().for_each(|column| column.height = lowest - density.margin);
    columns
}

/// Around the nodes of a frame, as wide as their column; `None` if none of them is there.
fn draw_frame(frame: DiagramFrame, placed: &Placed) -> Option<Frame> {
    let inside: Vec<&Node> = placed.nodes.iter().filter(|node| frame.nodes.contains(&node.key)).collect();
    let column = placed.columns.get(inside.first()?.column?)?;
    let top = inside.iter().map(|node| node.y).fold(f32::INFINITY, f32::min) - FRAME_PADDING;
    let bottom = inside.iter().map(|node| node.y + node.height).fold(top, f32::max) + FRAME_PADDING;
    let band =
        Band { x: column.x - FRAME_PADDING, y: top, width: column.width + 2.0 * FRAME_PADDING, height: bottom - top };
    Some(Frame { band, label: frame.label, title: frame.title })
}

/// The row above the columns, from left to right.
struct TopRow {
    nodes: Vec<Arrived>,
    /// Whether each seat is kept free for its node.
    fixed: bool,
    /// Of all seats, if they are kept free.
    width: f32,
}

impl TopRow {
    /// Of nodes with their turns and seats; it may be as wide as that.
    fn new(mut nodes: Vec<(usize, usize, Arrived)>, seats: &[f32], room: f32) -> Self {
        let seats = &seats[..seats.len().min(MANY + 1)];
        let width = seats.iter().sum::<f32>() + SEAT_GAP * seats.len().saturating_sub(1) as f32;
        let all_have_seats = nodes.iter().all(|(_, seat, _)| *seat < seats.len());
        let fixed = all_have_seats && seats.len() <= MANY && width <= f32::max(room, LEAST_ROW);
        let mut x = 0.0;
        if fixed {
            for (at, &width) in seats.iter().enumerate() {
                // Where it is not known what is in it, its text is shorter.
                let here = nodes.iter_mut().filter(|(_, seat, _)| *seat == at);
                here.for_each(|(.., (_, node))| node.x = x + (width - node.width) / 2.0);
                x += width + SEAT_GAP;
            }
        } else {
            sort::by_key(&mut nodes, |(turn, seat, _)| (*turn, *seat));
            for (.., (_, node)) in &mut nodes {
                node.x = x;
                x += node.width + SEAT_GAP;
            }
        }
        let width = if fixed { width } else { 0.0 };
        Self { nodes: nodes.into_iter().map(|(.., node)| node).collect(), fixed, width }
    }
}

/// What else an edge says.
type Also = Option<EdgeKind>;

/// Leaves out the edges of wb that are edges of co too: those say so instead. An edge of wb on a cycle stays.
fn merged(edges: Vec<DiagramEdge>) -> Vec<(DiagramEdge, Also)> {
    let ends = |relation: RelationName| {
        let of = edges.iter().filter(move |edge| edge.kind == relation);
        of.map(|edge| (edge.from, edge.to)).collect::<FxHashSet<_>>()
    };
    let (co, wb) = (ends(RelationName::Co), ends(RelationName::Wb));
    let merge = |mut edge: DiagramEdge| {
        let both = co.contains(&(edge.from, edge.to)) && wb.contains(&(edge.from, edge.to));
        if both && edge.kind == RelationName::Wb && !edge.in_cycle {
            return None;
        }
        let also = (both && edge.kind == RelationName::Co).then_some(EdgeKind::Relation(RelationName::Wb));
        if also.is_some() {
            edge.title += WB_TOO;
        }
        Some((edge, also))
    };
    edges.into_iter().filter_map(merge).collect()
}

/// An edge on its way to being drawn.
struct Pending {
    edge: DiagramEdge,
    also: Also,
    /// The node where it starts.
    from: usize,
    /// The node where it ends.
    to: usize,
    path: Path,
    label: Option<EdgeLabel>,
}

impl Pending {
    fn drawn(self) -> DrawnEdge {
        let DiagramEdge { from, to, kind, title, in_cycle, new, ghost, .. } = self.edge;
        let (path, head) = (self.path.data(), self.path.head());
        DrawnEdge { from, to, kind, also: self.also, path, head, label: self.label, in_cycle, new, ghost, title }
    }
}

fn draw_edges(edges: Vec<(DiagramEdge, Also)>, placed: &Placed) -> Vec<Pending> {
    let Placed { nodes, arrivals, columns, first_row, width, .. } = placed;
    if edges.is_empty() {
        return Vec::new();
    }
    let mut at: FxHashMap<EventKey, usize> = FxHashMap::default();
    at.extend(nodes.iter().enumerate().map(|(index, node)| (node.key, index)));
    let mut router = Router::new(nodes, columns, *first_row, *width);
    let edge = |(edge, also): (DiagramEdge, Also)| {
        let (from, to) = (*at.get(&edge.from)?, *at.get(&edge.to)?);
        (from != to).then(|| Pending { edge, also, from, to, path: Path::default(), label: None })
    };
    let mut edges: Vec<Pending> = edges.into_iter().filter_map(edge).collect();
    let is_step = |Pending { edge, from, to, .. }: &Pending| {
        let column = nodes[*from].column;
        edge.kind == RelationName::Po && *to == from + 1 && column.is_some() && column == nodes[*to].column
    };
    let (steps, mut others): (Vec<_>, Vec<_>) = (0..edges.len()).partition(|&index| is_step(&edges[index]));
    for index in steps {
        edges[index].path = router.po(index, edges[index].from, edges[index].to);
    }
    // In the order in which their nodes came: an edge that comes later leaves those that are there alone. Among those of
    // one node the short ones, which have fewer ways to go, choose first. Those of a cycle have no precedence: they were
    // drawn before it was found.
    let arrival = |edge: &Pending| arrivals[edge.from].max(arrivals[edge.to]);
    let length = |edge: &Pending| {
        let (a, b) = (&nodes[edge.from], &nodes[edge.to]);
        (a.x - b.x).abs() + (a.y - b.y).abs()
    };
    sort::by(&mut others, |&a, &b| {
        let (a, b) = (&edges[a], &edges[b]);
        arrival(a).cmp(&arrival(b)).then(length(a).total_cmp(&length(b)))
    });
    for index in others {
        edges[index].path = router.route(index, edges[index].from, edges[index].to);
    }
    let mut order: Vec<_> = (0..edges.len()).collect();
    sort::by_key(&mut order, |&index| !edges[index].edge.in_cycle);
    for index in order {
        if let Pending { edge: DiagramEdge { label: Some(text), .. }, path, .. } = &edges[index] {
            edges[index].label = router.label(index, path, text);
        }
    }
    edges
}
