//! A set of vertices as a decision diagram, with the order of its bits.

use super::layers::kinds;
use super::subject::Subject;
use crate::bits::Bits;
use crate::diagrams::Diagrams;
use litmoscope_core::graph::{EventKey, ThreadId};
use litmoscope_core::program::Span;
use litmoscope_core::words::count;
use litmoscope_draw::{Drawing, DrawnEdge, EdgeKind, Head, Node, NodeKind};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How many nodes are drawn at most.
const MOST_DRAWN: usize = 120;
/// From one level to the next.
const LEVEL: f32 = 74.0;
/// From one node of a level to the next.
const STEP: f32 = 84.0;
/// The size of a node.
const SIZE: [f32; 2] = [46.0, 30.0];
/// Free space around everything.
const MARGIN: f32 = 24.0;

/// A set as a diagram.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OrderView {
    /// How large it is, and of which set.
    pub sentence: String,
    /// The order of the variables.
    pub order: String,
    /// The diagram.
    pub drawing: Option<Drawing>,
    /// Why it is not drawn.
    pub none: Option<String>,
}

fn key(at: usize) -> EventKey {
    EventKey { thread: ThreadId(0), serial: at as u32 }
}

/// The diagram of a set.
pub(super) fn order(subject: &Subject, set: &Bits) -> OrderView {
    let universe = Diagrams::of(&subject.graph);
    let diagram = universe.set(set.iter().map(|at| at as u64));
    let nodes = universe.decisions(&diagram);
    let bits = u64::BITS - (subject.graph.vertices().max(2) as u64 - 1).leading_zeros();
    let names: Vec<String> = (0..bits).map(|bit| format!("b{}", bits - 1 - bit)).collect();
    let order = format!(
        "A vertex is a number of {}. The order is {}, the highest bit first; between two of them stands the bit of a successor.",
        count(bits.into(), "bit"),
        names.join(" < ")
    );
    let sentence = format!("{} has {}.", subject.with_names(|words| words.set(set)), count(nodes.len() as u64, "node"));
    if nodes.len() > MOST_DRAWN {
        let none = Some(format!("Diagrams of more than {MOST_DRAWN} nodes are not drawn."));
        return OrderView { sentence, order, drawing: None, none };
    }
    let drawing = Some(draw(&nodes, &names));
    OrderView { sentence, order, drawing, none: None }
}

fn draw(nodes: &[(u16, usize, usize)], names: &[String]) -> Drawing {
    let level = |at: usize| if at < 2 { names.len() } else { usize::from(nodes[at].0) };
    let mut levels: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    (0..nodes.len()).rev().for_each(|at| levels.entry(level(at)).or_default().push(at));
    let widest = levels.values().map(Vec::len).max().unwrap_or(1) as f32;
    let mut middle = vec![[0.0, 0.0]; nodes.len()];
    for (row, (_, own)) in levels.iter().enumerate() {
        let left = (widest - own.len() as f32) / 2.0 * STEP;
        for (at, node) in own.iter().enumerate() {
            middle[*node] =
                [MARGIN + STEP / 2.0 + left + at as f32 * STEP, MARGIN + SIZE[1] / 2.0 + row as f32 * LEVEL];
        }
    }
    let box_of = |at: usize| {
        let [x, y] = middle[at];
        let label = match at {
            0 => "0".to_owned(),
            1 => "1".to_owned(),
            _ => names.get(usize::from(nodes[at].0)).cloned().unwrap_or_default(),
        };
        let title = match at {
            0 => "not in the set".to_owned(),
            1 => "in the set".to_owned(),
            _ => format!("decides by {label}: dashed for 0, solid for 1"),
        };
        Node {
            key: key(at),
            column: None,
            source: None,
            x: x - SIZE[0] / 2.0,
            y: y - SIZE[1] / 2.0,
            width: SIZE[0],
            height: SIZE[1],
            name: format!("{label}.{at}"),
            label,
            kind: if at < 2 { NodeKind::Write } else { NodeKind::Read },
            marks: Vec::new(),
            colour: None,
            ghost: false,
            span: Span::default(),
            title,
        }
    };
    let edge = |from: usize, to: usize, is_one: bool| {
        let side = if is_one { 9.0 } else { -9.0 };
        let ([x, y], [to_x, to_y]) = (middle[from], middle[to]);
        let (x, y, to_x, to_y) = (x + side, y + SIZE[1] / 2.0, to_x + side, to_y - SIZE[1] / 2.0);
        let half = (to_y - y) / 2.0;
        DrawnEdge {
            from: key(from),
            to: key(to),
            kind: EdgeKind::Own(u8::from(!is_one)),
            also: None,
            path: format!(
                "M{x:.1} {y:.1}C{:.1} {:.1} {:.1} {:.1} {to_x:.1} {to_y:.1}",
                x + side,
                y + half,
                to_x,
                to_y - half
            ),
            head: Head { x: to_x, y: to_y, angle: 90.0 },
            label: None,
            in_cycle: false,
            new: false,
            ghost: false,
            title: format!("for {}", u8::from(is_one)),
        }
    };
    let edges = (2..nodes.len()).flat_map(|at| [edge(at, nodes[at].1, false), edge(at, nodes[at].2, true)]).collect();
    let mut own_kinds = kinds();
    for (kind, name) in own_kinds.iter_mut().zip(["1", "0"]) {
        kind.name = name.into();
    }
    Drawing {
        width: (widest * STEP + 2.0 * MARGIN).ceil(),
        height: (levels.len() as f32 * LEVEL - LEVEL + SIZE[1] + 2.0 * MARGIN).ceil(),
        columns: Vec::new(),
        initial: None,
        frames: Vec::new(),
        rows: nodes.len(),
        nodes: (0..nodes.len()).map(box_of).collect(),
        edges,
        relations: Vec::new(),
        kinds: own_kinds,
        chosen_co: false,
    }
}
