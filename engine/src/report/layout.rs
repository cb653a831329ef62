//! Where everything goes: threads as columns, rows by porf, initial writes in a row on top.

use super::route::{Path, Point, Router, number};
use super::{
    Band, CHARACTER_WIDTH, Column, Drawing, DrawingInput, DrawnEdge, EdgeLabel, FONT_SIZE, Node, TITLE_HEIGHT,
    edge_text, event_name, event_text, event_title, label,
};
use crate::graph::{Edge, Event, EventId, EventKey, Execution, RelationName, ThreadId};
use rustc_hash::FxHashMap;

/// Free space around everything.
const MARGIN: f32 = 16.0;
/// Height of a node.
const NODE_HEIGHT: f32 = 28.0;
/// Least width of a node.
const MIN_WIDTH: f32 = 56.0;
/// Space between a node's border and its text.
const PADDING: f32 = 9.0;
/// Rows are half as far apart as neighbours in po, so that a read can stand half a step below its source.
const HALF_ROW: f32 = 33.0;
/// Space between the initial writes and the threads.
const BAND: f32 = 60.0;
/// Space between an initial write and the border of the band they are drawn on.
const BAND_PADDING: f32 = 5.0;
/// Space between two initial writes.
const INIT_GAP: f32 = 28.0;

/// Places a graph. Deterministic; linear in the nodes, and in the edges times their length.
///
/// What holds of every drawing: nodes do not overlap; edges start and end on the borders of their nodes and do not pass
/// through others; labels cover neither nodes nor other labels. A label that finds no place is left out.
pub fn layout(input: &DrawingInput) -> Drawing {
    let (mut nodes, mut columns, first_row) = place_nodes(input);
    let mut edges = draw_edges(input, &nodes, &columns, first_row);

    // Curves and labels may reach beyond the nodes: move everything to where it fits.
    let (mut low, mut high) = ((f32::INFINITY, f32::INFINITY), (0.0, 0.0));
    let mut include = |x0: f32, y0: f32, x1: f32, y1: f32| {
        low = (low.0.min(x0), low.1.min(y0));
        high = (f32::max(high.0, x1), f32::max(high.1, y1));
    };
    include(MARGIN, MARGIN, MARGIN, MARGIN);
    for node in &nodes {
        include(node.x, node.y, node.x + node.width, node.y + node.height);
    }
    for column in &columns {
        include(column.x, column.y, column.x + column.width, column.y + column.height);
    }
    for edge in &edges {
        let (a, b) = edge.path.bounds();
        include(a.x, a.y, b.x, b.y);
        if let Some(label) = &edge.label {
            let (x, y) = (label.width / 2.0, label.height / 2.0);
            include(label.x - x, label.y - y, label.x + x, label.y + y);
        }
    }
    let by = Point { x: (MARGIN - low.0).ceil(), y: (MARGIN - low.1).ceil() };
    for node in &mut nodes {
        (node.x, node.y) = (number(node.x + by.x), number(node.y + by.y));
    }
    for column in &mut columns {
        (column.x, column.y) = (number(column.x + by.x), number(column.y + by.y));
    }
    edges.sort_by_key(|edge| (edge.in_cycle, edge.relation != RelationName::Po));
    let edges: Vec<_> = edges
        .into_iter()
        .map(|mut edge| {
            edge.path.shift(by);
            if let Some(label) = &mut edge.label {
                (label.x, label.y) = (number(label.x + by.x), number(label.y + by.y));
            }
            DrawnEdge {
                from: nodes[edge.from].key,
                to: nodes[edge.to].key,
                relation: edge.relation,
                path: edge.path.data(),
                head: edge.path.head(),
                label: edge.label,
                in_cycle: edge.in_cycle,
                new: edge.new,
                ghost: edge.ghost,
                title: edge.title,
            }
        })
        .collect();
    let mut initial = nodes.iter().filter(|node| node.key.thread.is_init());
    let initial = initial.next().map(|node| Band {
        x: MARGIN - 8.0,
        y: node.y - BAND_PADDING,
        width: number(high.0 + by.x - MARGIN) + 16.0,
        height: node.height + 2.0 * BAND_PADDING,
    });
    let relations = RelationName::ALL.into_iter();
    Drawing {
        width: (high.0 + by.x + MARGIN).ceil(),
        height: (high.1 + by.y + MARGIN).ceil(),
        columns,
        initial,
        relations: relations.filter(|&relation| edges.iter().any(|edge| edge.relation == relation)).collect(),
        nodes,
        edges,
        chosen_co: input.chosen_co,
    }
}

/// Where the events of the threads start in a drawing.
pub(super) fn first_row(nodes: &[Node]) -> f32 {
    let threads = nodes.iter().filter(|node| !node.key.thread.is_init()).map(|node| node.y);
    let below = || nodes.iter().map(|node| node.y + node.height).fold(0.0, f32::max) + BAND;
    threads.min_by(f32::total_cmp).unwrap_or_else(below)
}

/// The width of a text in a monospaced font.
fn text_width(text: &str, size: f32) -> f32 {
    text.chars().count() as f32 * CHARACTER_WIDTH * size
}

/// The row of each event in half steps: below its predecessor in po by two, below its source by at least one, so that
/// rf points downwards. Where porf has a cycle, the rf edge that closes it is let go.
fn rows(execution: &Execution) -> Vec<u32> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done(u32),
    }
    let mut state = vec![State::New; execution.len()];
    let before = |e: EventId| {
        let event = execution.event(e);
        let po = (!event.is_init() && event.key.serial > 1)
            .then(|| execution.thread(event.thread())[event.key.serial as usize - 2]);
        let rf = execution.source(e).filter(|&write| !execution.event(write).is_init());
        [(po, 2), (rf, 1)]
    };
    // An explicit stack: a long thread must not overflow that of a browser.
    for start in execution.ids() {
        let mut work = vec![start];
        while let Some(&e) = work.last() {
            match state[e.index()] {
                State::New => {
                    state[e.index()] = State::Open;
                    let new = before(e).into_iter().filter_map(|(e, _)| e).filter(|e| state[e.index()] == State::New);
                    work.extend(new);
                }
                State::Open => {
                    let row = before(e)
                        .into_iter()
                        .filter_map(|(before, distance)| match state[before?.index()] {
                            State::Done(row) => Some(row + distance),
                            State::New | State::Open => None,
                        })
                        .max();
                    state[e.index()] = State::Done(row.unwrap_or(0));
                    work.pop();
                }
                State::Done(_) => {
                    work.pop();
                }
            }
        }
    }
    let mut rows: Vec<u32> = state.into_iter().map(|s| if let State::Done(row) = s { row } else { 0 }).collect();
    // Where a porf cycle was opened on the way, po may not hold yet.
    for thread in 0..execution.threads() {
        let mut least = 0;
        for &e in execution.thread(ThreadId(thread as u16)) {
            rows[e.index()] = rows[e.index()].max(least);
            least = rows[e.index()] + 2;
        }
    }
    rows
}

/// A node at row `row` of its column; its place is filled in later.
fn node(input: &DrawingInput, event: &Event, id: Option<EventId>) -> Node {
    let text = event_text(input.program, event);
    let source = id.and_then(|e| input.execution.source(e)).map(|write| input.execution.event(write));
    let marks = id.map_or_else(Vec::new, |e| input.marks_of(e));
    let mut title = event_title(input.program, event, source);
    for mark in &marks {
        title += "; ";
        title += mark.words();
    }
    if id.is_none() {
        title += "; cut from the graph";
    }
    Node {
        key: event.key,
        event: id,
        source: source.map(|source| source.key),
        x: 0.0,
        y: 0.0,
        width: (text_width(&text, FONT_SIZE) + 2.0 * PADDING).max(MIN_WIDTH).ceil(),
        height: NODE_HEIGHT,
        label: text,
        name: event_name(input.program, event.key),
        kind: label::kind(event),
        marks,
        ghost: id.is_none(),
        span: event.span,
        title,
    }
}

/// The nodes, the columns, and where the first row starts.
fn place_nodes(input: &DrawingInput) -> (Vec<Node>, Vec<Column>, f32) {
    let execution = input.execution;
    let mut initial: Vec<_> =
        input.drawn_initial().into_iter().map(|e| node(input, execution.event(e), Some(e))).collect();
    let rows = rows(execution);
    let mut threads: Vec<Vec<(u32, Node)>> = (0..execution.threads())
        .map(|thread| {
            let events = execution.thread(ThreadId(thread as u16));
            events.iter().map(|&e| (rows[e.index()], node(input, execution.event(e), Some(e)))).collect()
        })
        .collect();
    for ghost in input.drawn_ghosts() {
        let thread = &mut threads[ghost.thread().index()];
        let row = thread.last().map_or(0, |(row, _)| row + 2);
        thread.push((row, node(input, ghost, None)));
    }

    let top = MARGIN + TITLE_HEIGHT + 8.0;
    let first_row = if initial.is_empty() { top } else { top + NODE_HEIGHT + BAND };
    let mut columns: Vec<Column> = Vec::new();
    let mut x = MARGIN;
    let gaps = gaps(input);
    for (thread, nodes) in threads.iter_mut().enumerate() {
        let width = nodes.iter().map(|(_, node)| node.width).fold(MIN_WIDTH, f32::max);
        for (row, node) in &mut *nodes {
            node.x = x + (width - node.width) / 2.0;
            node.y = first_row + *row as f32 * HALF_ROW;
        }
        let bottom = nodes.last().map_or(first_row + NODE_HEIGHT, |(_, node)| node.y + node.height);
        let title = format!("P{thread}");
        columns.push(Column { x, y: MARGIN, width, height: bottom - MARGIN, title });
        x += width + gaps.get(thread).copied().unwrap_or(0.0);
    }
    // The initial writes stand in the middle, in the order of their locations, so that they don't jump while stepping.
    let right = columns.last().map_or(MARGIN, |column| column.x + column.width);
    let width: f32 =
        initial.iter().map(|node| node.width).sum::<f32>() + INIT_GAP * initial.len().saturating_sub(1) as f32;
    let mut x = (MARGIN + right - width) / 2.0;
    for node in &mut initial {
        node.x = x;
        node.y = top;
        x += node.width + INIT_GAP;
    }
    let nodes = initial.into_iter().chain(threads.into_iter().flatten().map(|(_, node)| node)).collect();
    (nodes, columns, first_row)
}

/// The spaces between neighbouring columns: wider where more edges pass.
fn gaps(input: &DrawingInput) -> Vec<f32> {
    let threads = input.execution.threads();
    let mut passing = vec![0usize; threads.saturating_sub(1)];
    for edge in input.all_edges() {
        let (from, to) = (input.execution.event(edge.from), input.execution.event(edge.to));
        if from.is_init() || to.is_init() {
            continue;
        }
        let (a, b) = (from.thread().index(), to.thread().index());
        for gap in &mut passing[a.min(b)..a.max(b)] {
            *gap += 1;
        }
    }
    passing.into_iter().map(|edges| 88.0 + 6.0 * edges.min(12) as f32).collect()
}

/// An edge on its way to being drawn.
struct Pending {
    from: usize,
    to: usize,
    relation: RelationName,
    path: Path,
    label: Option<EdgeLabel>,
    labelled: bool,
    in_cycle: bool,
    new: bool,
    ghost: bool,
    title: String,
}

fn draw_edges(input: &DrawingInput, nodes: &[Node], columns: &[Column], first_row: f32) -> Vec<Pending> {
    let mut at: FxHashMap<EventKey, usize> = FxHashMap::default();
    at.extend(nodes.iter().enumerate().map(|(index, node)| (node.key, index)));
    let mut router = Router::new(nodes, columns, first_row);
    let mut edges: Vec<Pending> = Vec::new();
    for (from, to) in (0..nodes.len()).zip(1..nodes.len()) {
        let (a, b) = (&nodes[from], &nodes[to]);
        if a.key.thread.is_init() || a.key.thread != b.key.thread {
            continue;
        }
        let in_cycle = input.po_in_cycle(b.key);
        let is_new = |edge: &Edge| {
            edge.relation == RelationName::Po
                && Some(edge.to) == b.event
                && input.execution.event(edge.from).key == a.key
        };
        edges.push(Pending {
            from,
            to,
            relation: RelationName::Po,
            path: router.po(edges.len(), from, to),
            label: None,
            labelled: in_cycle,
            in_cycle,
            new: input.new_edges.iter().any(is_new),
            ghost: b.ghost,
            title: format!("po from {} {} to {} {}", a.name, a.label, b.name, b.label),
        });
    }
    let po = edges.len();
    for edge in input.all_edges() {
        let key = |e| input.execution.event(e).key;
        // An initial write that is an end of an edge is always drawn.
        let (Some(&from), Some(&to)) = (at.get(&key(edge.from)), at.get(&key(edge.to))) else { continue };
        edges.push(Pending {
            from,
            to,
            relation: edge.relation,
            path: Path::default(),
            label: None,
            labelled: true,
            in_cycle: input.in_cycle(edge),
            new: input.new_edges.contains(&edge),
            ghost: false,
            title: edge_text(input.program, input.execution, edge),
        });
    }
    // The edges that matter most choose first, then short ones, which have fewer ways to go. New ones have no
    // precedence: they would move in the next step.
    let length = |edge: &Pending| {
        let (a, b) = (&nodes[edge.from], &nodes[edge.to]);
        (a.x - b.x).abs() + (a.y - b.y).abs()
    };
    let mut order: Vec<_> = (po..edges.len()).collect();
    order.sort_by(|&a, &b| {
        let (a, b) = (&edges[a], &edges[b]);
        (!a.in_cycle).cmp(&!b.in_cycle).then(length(a).total_cmp(&length(b)))
    });
    for &index in &order {
        edges[index].path = router.route(index, edges[index].from, edges[index].to);
    }
    let mut order: Vec<_> = (0..edges.len()).filter(|&index| edges[index].labelled).collect();
    order.sort_by_key(|&index| !edges[index].in_cycle);
    for index in order {
        edges[index].label = router.label(index, &edges[index].path, edges[index].relation.name());
    }
    edges
}
