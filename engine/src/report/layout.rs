//! Where everything goes: threads as columns, rows by porf, initial writes in a row on top.
//!
//! Nothing moves for what comes after it. Where a thread stands, how far rows are apart and where initial writes stand
//! follows from the program ([`Skeleton`]), and an event's row from what is before it in porf. So as long as that is the
//! same, with the same sources, an event stands in the same place, whatever else there is: only a read that takes another
//! source moves, with what follows from it. Two exceptions: a value of more digits than the program lets expect makes its
//! column wider, which moves the threads to the right of it; and initial writes stand in the order in which they were used
//! where all of them would be more than [`MANY`] or a row much wider than the threads.

use super::route::{Path, Router, number};
use super::skeleton::{Skeleton, node_width};
use super::{
    Band, Column, Drawing, DrawingInput, DrawnEdge, EdgeLabel, MANY, Node, NodeKind, TITLE_HEIGHT, edge_text,
    event_name, event_text, event_title, label, location_name,
};
use crate::graph::{Edge, Event, EventId, EventKey, Execution, RelationName, ThreadId};
use crate::program::Location;
use crate::sort;
use rustc_hash::FxHashMap;

/// Space between a title and what is below it.
const BELOW_TITLE: f32 = 8.0;
/// Space between an initial write and the border of the band they are drawn on.
const BAND_PADDING: f32 = 5.0;
/// Space between two initial writes.
const INIT_GAP: f32 = 28.0;
/// A row of initial writes that is no wider may be wider than the threads.
const LEAST_ROW: f32 = 420.0;

/// Places a graph. Deterministic; linear in the program, the nodes, and in the edges times their length.
///
/// What holds of every drawing: nodes do not overlap; edges start and end on the borders of their nodes and do not pass
/// through others; labels cover neither nodes nor other labels. A label that finds no place is left out. An event stands
/// where it stood in every drawing in which the same is before it in porf, as this file's head says more exactly.
pub fn layout(input: &DrawingInput) -> Drawing {
    let skeleton = Skeleton::new(input.program, input.execution, input.narrow);
    let Placed { nodes, columns, first_row, initial, width } = place_nodes(input, &skeleton);
    let mut edges = draw_edges(input, &nodes, &columns, first_row, width);

    // Below the last row, curves and labels have whatever room they need.
    let bottom = columns.iter().map(|column| column.y + column.height).fold(first_row, f32::max);
    let mut height = bottom + BELOW_TITLE;
    for edge in &edges {
        height = height.max(edge.path.bounds().1.y);
        if let Some(label) = &edge.label {
            height = height.max(label.y + label.height / 2.0);
        }
    }
    sort::by_key(&mut edges, |edge| (edge.in_cycle, edge.relation != RelationName::Po));
    let edges: Vec<_> = edges
        .into_iter()
        .map(|edge| DrawnEdge {
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
        })
        .collect();
    let relations = RelationName::ALL.into_iter();
    Drawing {
        width: width.ceil(),
        height: (height + skeleton.density.margin).ceil(),
        columns,
        initial,
        relations: relations.filter(|&relation| edges.iter().any(|edge| edge.relation == relation)).collect(),
        nodes,
        edges,
        chosen_co: input.chosen_co,
        rows: skeleton.rows,
    }
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

/// A node; its place is filled in later. What ended a thread is said in a word where there is no room for more: that is not
/// known before, and a title has it all.
fn node(input: &DrawingInput, event: &Event, id: Option<EventId>, height: f32, room: f32) -> Node {
    let source = id.and_then(|e| input.execution.source(e)).map(|write| input.execution.event(write));
    let words = id.and_then(|e| input.words.events.get(&e)).cloned();
    let [name, mut text, mut title] = words.unwrap_or_else(|| {
        let name = event_name(input.program, event.key);
        [name, event_text(input.program, event), event_title(input.program, event, source)]
    });
    let kind = label::kind(event);
    if node_width(&text) > room {
        match kind {
            NodeKind::Error => "error".clone_into(&mut text),
            NodeKind::Bound => "cut".clone_into(&mut text),
            _ => {}
        }
    }
    let marks = id.map_or_else(Vec::new, |e| input.marks_of(e));
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
        width: node_width(&text),
        height,
        label: text,
        name,
        kind,
        marks,
        ghost: id.is_none(),
        span: event.span,
        title,
    }
}

/// What has its place before edges are drawn.
struct Placed {
    nodes: Vec<Node>,
    columns: Vec<Column>,
    /// Where the first row starts.
    first_row: f32,
    initial: Option<Band>,
    /// Of the drawing.
    width: f32,
}

fn place_nodes(input: &DrawingInput, skeleton: &Skeleton) -> Placed {
    let execution = input.execution;
    let density = skeleton.density;
    let rows = rows(execution);
    let mut threads: Vec<Vec<(u32, Node)>> = (0..execution.threads())
        .map(|thread| {
            let events = execution.thread(ThreadId(thread as u16));
            let room = skeleton.columns[thread];
            let node = |&e: &EventId| (rows[e.index()], node(input, execution.event(e), Some(e), density.node, room));
            events.iter().map(node).collect()
        })
        .collect();
    for ghost in input.drawn_ghosts() {
        let thread = &mut threads[ghost.thread().index()];
        let row = thread.last().map_or(0, |(row, _)| row + 2);
        let room = skeleton.columns[ghost.thread().index()];
        thread.push((row, node(input, ghost, None, density.node, room)));
    }

    let top = density.margin + TITLE_HEIGHT + BELOW_TITLE;
    // From the first thread's left border to the last one's right one, as the program lets expect.
    let expected = skeleton.columns.iter().sum::<f32>() + skeleton.gaps.iter().sum::<f32>();
    let initial = initial_row(input, density.node, expected + skeleton.side);
    let first_row = if initial.locations == 0 { top } else { top + density.node + density.band };
    let mut x = skeleton.side + ((initial.width - expected) / 2.0).max(0.0);
    let (left, middle) = (x, x + expected / 2.0);
    let mut columns: Vec<Column> = Vec::new();
    for (thread, nodes) in threads.iter_mut().enumerate() {
        let width = nodes.iter().map(|(_, node)| node.width).fold(skeleton.columns[thread], f32::max);
        for (row, node) in &mut *nodes {
            node.x = number(x + (width - node.width) / 2.0);
            node.y = number(first_row + *row as f32 * density.row / 2.0);
        }
        columns.push(Column { x, y: density.margin, width, height: 0.0, title: input.program.thread_name(thread) });
        x += width + skeleton.gaps.get(thread).copied().unwrap_or(0.0);
    }
    let right = columns.last().map_or(x, |column| column.x + column.width);
    // All lanes are as long as the longest, and as long from the start as the program lets expect.
    let least = first_row + skeleton.rows.saturating_sub(1) as f32 * density.row + density.node;
    let lowest = threads.iter().flatten().map(|(_, node)| node.y + node.height).fold(least, f32::max);
    columns.iter_mut().for_each(|column| column.height = lowest - density.margin);

    let mut nodes = initial.nodes;
    let start = if initial.fixed { middle - initial.width / 2.0 } else { left };
    for node in &mut nodes {
        (node.x, node.y) = (number(start + node.x), top);
    }
    let reach = nodes.iter().map(|node| node.x + node.width).fold(right, f32::max);
    let band = (!nodes.is_empty()).then(|| {
        let from = left.min(start) - 8.0;
        let to = if initial.fixed { right.max(start + initial.width) } else { reach } + 8.0;
        Band { x: from, y: top - BAND_PADDING, width: to - from, height: density.node + 2.0 * BAND_PADDING }
    });
    nodes.extend(threads.into_iter().flatten().map(|(_, node)| node));
    let width = reach.max(middle + initial.width / 2.0) + skeleton.side;
    Placed { nodes, columns, first_row, initial: band, width }
}

/// The initial writes from left to right.
struct InitialRow {
    nodes: Vec<Node>,
    /// How many there could be.
    locations: usize,
    /// Whether each has a place of its own, drawn or not.
    fixed: bool,
    /// Of all, if their places are fixed.
    width: f32,
}

/// The initial writes, which may be as wide as that.
fn initial_row(input: &DrawingInput, height: f32, room: f32) -> InitialRow {
    let execution = input.execution;
    let locations: usize = input.program.objects.iter().map(|object| object.initial.len()).sum();
    let mut nodes: Vec<_> =
        input.drawn_initial().into_iter().map(|e| node(input, execution.event(e), Some(e), height, 0.0)).collect();
    let width = |(location, &value): (usize, &i64)| {
        let name = location_name(input.program, Location(location as u32));
        node_width(&format!("[{name}={}]", input.program.value_text(value)))
    };
    let values = input.program.objects.iter().flat_map(|object| &object.initial).enumerate().take(MANY + 1);
    let widths: Vec<f32> = values.map(width).collect();
    let width = widths.iter().sum::<f32>() + INIT_GAP * widths.len().saturating_sub(1) as f32;
    let fixed = locations <= MANY && width <= f32::max(room, LEAST_ROW);
    let mut x = 0.0;
    if fixed {
        for (location, &width) in widths.iter().enumerate() {
            let here = nodes.iter_mut().filter(|node| node.key.serial as usize == location);
            // Where it is not known what is in it, its text is shorter.
            here.for_each(|node| node.x = x + (width - node.width) / 2.0);
            x += width + INIT_GAP;
        }
    } else {
        let mut used: FxHashMap<Location, usize> = FxHashMap::default();
        for (e, event) in execution.events().filter(|(_, event)| !event.is_init()) {
            event.location().map(|location| used.entry(location).or_insert(e.index()));
        }
        let first = |node: &Node| used.get(&Location(node.key.serial)).copied().unwrap_or(usize::MAX);
        sort::by_key(&mut nodes, |node| (first(node), node.key));
        for node in &mut nodes {
            node.x = x;
            x += node.width + INIT_GAP;
        }
    }
    let width = if fixed { width } else { 0.0 };
    InitialRow { nodes, locations, fixed, width }
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

fn draw_edges(input: &DrawingInput, nodes: &[Node], columns: &[Column], first_row: f32, width: f32) -> Vec<Pending> {
    let mut at: FxHashMap<EventKey, usize> = FxHashMap::default();
    at.extend(nodes.iter().enumerate().map(|(index, node)| (node.key, index)));
    let mut router = Router::new(nodes, columns, first_row, width);
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
            title: match input.words.edges.get(&edge) {
                Some([_, title]) => title.clone(),
                None => edge_text(input.program, input.execution, edge),
            },
        });
    }
    // In the order in which their events were added: an edge that comes later leaves those that are there alone. Among
    // those of one event the short ones, which have fewer ways to go, choose first. Those of a cycle have no precedence:
    // they were drawn before it was found.
    let arrival = |edge: &Pending| nodes[edge.from].event.max(nodes[edge.to].event);
    let length = |edge: &Pending| {
        let (a, b) = (&nodes[edge.from], &nodes[edge.to]);
        (a.x - b.x).abs() + (a.y - b.y).abs()
    };
    let mut order: Vec<_> = (po..edges.len()).collect();
    sort::by(&mut order, |&a, &b| {
        let (a, b) = (&edges[a], &edges[b]);
        arrival(a).cmp(&arrival(b)).then(length(a).total_cmp(&length(b)))
    });
    for &index in &order {
        edges[index].path = router.route(index, edges[index].from, edges[index].to);
    }
    let mut order: Vec<_> = (0..edges.len()).filter(|&index| edges[index].labelled).collect();
    sort::by_key(&mut order, |&index| !edges[index].in_cycle);
    for index in order {
        let Pending { from, to, relation, .. } = edges[index];
        let named = nodes[from]
            .event
            .zip(nodes[to].event)
            .and_then(|(from, to)| Some(input.words.edges.get(&Edge { from, to, relation })?[0].as_str()));
        edges[index].label = router.label(index, &edges[index].path, named.unwrap_or(relation.name()));
    }
    edges
}
