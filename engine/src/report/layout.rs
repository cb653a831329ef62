//! Where everything goes: threads as columns, rows by porf, initial writes in a row on top.

use super::{
    CHARACTER_WIDTH, Column, Drawing, DrawingInput, DrawnEdge, EdgeLabel, FONT_SIZE, Head, LABEL_FONT_SIZE, Node,
    TITLE_HEIGHT, event_name, event_text, event_title, label,
};
use crate::graph::{Event, EventId, EventKey, Execution, RelationName, ThreadId};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

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
const BAND: f32 = 58.0;
/// Space between two initial writes.
const INIT_GAP: f32 = 28.0;

/// Places a graph. Deterministic.
pub fn layout(input: &DrawingInput) -> Drawing {
    let (nodes, columns) = place_nodes(input);
    let mut drawing = Drawing { width: 0.0, height: 0.0, columns, nodes, edges: Vec::new(), relations: Vec::new() };
    straight(input, &mut drawing);
    let bottom = drawing.nodes.iter().map(|node| node.y + node.height).fold(0.0, f32::max);
    let right = drawing.columns.iter().map(|column| column.x + column.width).fold(0.0, f32::max);
    drawing.width = right + MARGIN;
    drawing.height = bottom + MARGIN;
    drawing.relations = RelationName::ALL
        .into_iter()
        .filter(|relation| drawing.edges.iter().any(|edge| edge.relation == *relation))
        .collect();
    drawing
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

fn place_nodes(input: &DrawingInput) -> (Vec<Node>, Vec<Column>) {
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
    (nodes, columns)
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
    passing.into_iter().map(|edges| 72.0 + 6.0 * edges.min(12) as f32).collect()
}

/// Draws edges as straight lines between the middles of borders.
fn straight(input: &DrawingInput, drawing: &mut Drawing) {
    let at: FxHashMap<EventKey, usize> =
        drawing.nodes.iter().enumerate().map(|(index, node)| (node.key, index)).collect();
    let drawn: BTreeSet<EventId> = drawing.nodes.iter().filter_map(|node| node.event).collect();
    for edge in input.all_edges() {
        if !drawn.contains(&edge.from) || !drawn.contains(&edge.to) {
            continue;
        }
        let (from, to) = (input.execution.event(edge.from).key, input.execution.event(edge.to).key);
        let (a, b) = (&drawing.nodes[at[&from]], &drawing.nodes[at[&to]]);
        let (x0, y0, x1, y1) = (a.x + a.width / 2.0, a.y + a.height, b.x + b.width / 2.0, b.y);
        let text = edge.relation.name().to_owned();
        let label = EdgeLabel {
            width: text_width(&text, LABEL_FONT_SIZE),
            text,
            x: (x0 + x1) / 2.0,
            y: (y0 + y1) / 2.0,
            height: LABEL_FONT_SIZE + 2.0,
        };
        drawing.edges.push(DrawnEdge {
            from,
            to,
            relation: edge.relation,
            path: format!("M{x0:.1} {y0:.1}C{x0:.1} {y0:.1} {x1:.1} {y1:.1} {x1:.1} {y1:.1}"),
            head: Head { x: x1, y: y1, angle: (y1 - y0).atan2(x1 - x0).to_degrees() },
            label: Some(label),
            in_cycle: input.in_cycle(edge),
            new: input.new_edges.contains(&edge),
            ghost: false,
            title: super::edge_text(input.program, input.execution, edge),
        });
    }
}
