//! Graphs in layers: edges lead from a layer to later ones, as far as there are no cycles.
//!
//! Places depend on the graph alone, so nothing moves while an algorithm goes through it. A library for such layouts gives places of vertices
//! alone: how edges go, two between the same vertices apart from each other, would be ours all the same.

use litmoscope_core::graph::{EventKey, ThreadId};
use litmoscope_core::program::Span;
use litmoscope_draw::{
    CHARACTER_WIDTH, Drawing, DrawnEdge, EdgeKind, FONT_SIZE, Head, Node, NodeKind, OwnKind, Shades,
};
use std::collections::{HashMap, HashSet, VecDeque};

/// The height of a box.
const HEIGHT: f32 = 30.0;
/// Free space between two boxes of a layer.
const APART: f32 = 26.0;
/// From the end of a layer to the next one.
const BETWEEN: f32 = 50.0;
/// Free space around everything: loops and rings stand there.
const MARGIN: f32 = 30.0;
/// How far two edges between the same vertices are apart, by half.
const ASIDE: f32 = 7.0;
/// How often layers are put in order.
const ROUNDS: usize = 12;

/// What is to be placed.
pub(super) struct Box {
    /// What stands in it.
    pub label: String,
    /// A sentence on it.
    pub title: String,
    /// Chance decides there.
    pub is_random: bool,
}

impl Box {
    fn size(&self) -> [f32; 2] {
        let width = self.label.chars().count() as f32 * FONT_SIZE * CHARACTER_WIDTH + 18.0;
        if self.is_random {
            let side = (width + 20.0).max(HEIGHT + 16.0);
            return [side, HEIGHT + 16.0];
        }
        [width.max(HEIGHT + 4.0), HEIGHT]
    }
}

/// The name of a box in drawings.
pub(super) fn key(at: usize) -> EventKey {
    EventKey { thread: ThreadId(0), serial: at as u32 }
}

/// A vertex, or a place that an edge passes in a layer.
struct Spot {
    /// Along the layers, across them.
    size: [f32; 2],
    /// Its middle across.
    at: f32,
    before: Vec<usize>,
    behind: Vec<usize>,
}

/// The places of boxes in the order in which a search meets them that goes on from near ones to far ones.
fn ranks(count: usize, out: &[Vec<usize>], starts: &[usize]) -> Vec<usize> {
    let mut rank = vec![None; count];
    let mut met = 0;
    for start in starts.iter().copied().chain(0..count) {
        if rank[start].is_some() {
            continue;
        }
        let mut queue = VecDeque::from([start]);
        while let Some(at) = queue.pop_front() {
            if rank[at].is_none() {
                rank[at] = Some(met);
                met += 1;
                queue.extend(out[at].iter().filter(|to| rank[**to].is_none()));
            }
        }
    }
    rank.into_iter().map(Option::unwrap_or_default).collect()
}

/// How many steps lead to each box at most, along edges that go on.
fn layer_of(count: usize, forward: &[(usize, usize)]) -> Vec<usize> {
    let mut waiting = vec![0; count];
    let mut out = vec![Vec::new(); count];
    for (from, to) in forward {
        waiting[*to] += 1;
        out[*from].push(*to);
    }
    let mut layer = vec![0; count];
    let mut ready: Vec<usize> = (0..count).filter(|at| waiting[*at] == 0).collect();
    while let Some(at) = ready.pop() {
        for to in &out[at] {
            layer[*to] = layer[*to].max(layer[at] + 1);
            waiting[*to] -= 1;
            if waiting[*to] == 0 {
                ready.push(*to);
            }
        }
    }
    layer
}

/// How many edges between two neighbouring layers cross.
fn crossings(order: &[Vec<usize>], spots: &[Spot]) -> usize {
    let mut place = vec![0; spots.len()];
    order.iter().flatten().enumerate().for_each(|(at, spot)| place[*spot] = at);
    let mut count = 0;
    for layer in order {
        let mut ends: Vec<usize> = Vec::new();
        for spot in layer {
            let mut own: Vec<usize> = spots[*spot].behind.iter().map(|to| place[*to]).collect();
            own.sort_unstable();
            count += own.iter().map(|end| ends.iter().filter(|other| *other > end).count()).sum::<usize>();
            ends.extend(own);
        }
    }
    count
}

/// Puts the spots of each layer near those that they are joined with.
fn untangle(order: &mut Vec<Vec<usize>>, spots: &[Spot]) {
    let mut best = (crossings(order, spots), order.clone());
    let mut place = vec![0_i64; spots.len()];
    for round in 0..ROUNDS {
        let down = round % 2 == 0;
        let layers: Vec<usize> = if down { (0..order.len()).collect() } else { (0..order.len()).rev().collect() };
        for layer in layers {
            let middle = |spot: &usize| {
                let joined = if down { &spots[*spot].before } else { &spots[*spot].behind };
                let sum: i64 = joined.iter().map(|other| place[*other]).sum();
                // In hundredths, so that it is the same everywhere.
                if joined.is_empty() { 100 * place[*spot] } else { 100 * sum / joined.len() as i64 }
            };
            order[layer].sort_by_cached_key(middle);
            order[layer].iter().enumerate().for_each(|(at, spot)| place[*spot] = at as i64);
        }
        let now = crossings(order, spots);
        if now < best.0 {
            best = (now, order.clone());
        }
        if best.0 == 0 {
            break;
        }
    }
    *order = best.1;
}

/// Gives each spot its place across: near those that it is joined with, and apart from its neighbours.
fn spread(order: &[Vec<usize>], spots: &mut [Spot]) {
    let apart = |spots: &[Spot], one: usize, other: usize| (spots[one].size[1] + spots[other].size[1]) / 2.0 + APART;
    for layer in order {
        let mut at = 0.0;
        for pair in layer.windows(2) {
            at += apart(spots, pair[0], pair[1]);
            spots[pair[1]].at = at;
        }
        let shift = at / 2.0;
        layer.iter().for_each(|spot| spots[*spot].at -= shift);
    }
    for round in 0..16 {
        let layers: Vec<usize> =
            if round % 2 == 0 { (0..order.len()).collect() } else { (0..order.len()).rev().collect() };
        for layer in layers {
            let own = &order[layer];
            let wanted: Vec<f32> = own
                .iter()
                .map(|spot| {
                    let joined: Vec<usize> = spots[*spot].before.iter().chain(&spots[*spot].behind).copied().collect();
                    let sum: f32 = joined.iter().map(|other| spots[*other].at).sum();
                    if joined.is_empty() { spots[*spot].at } else { sum / joined.len() as f32 }
                })
                .collect();
            // From both sides, each with its neighbours pushed on; half way between the two.
            let mut low = wanted.clone();
            for at in 1..own.len() {
                low[at] = low[at].max(low[at - 1] + apart(spots, own[at - 1], own[at]));
            }
            let mut high = wanted;
            for at in (1..own.len()).rev() {
                high[at - 1] = high[at - 1].min(high[at] - apart(spots, own[at - 1], own[at]));
            }
            for (at, spot) in own.iter().enumerate() {
                spots[*spot].at = (low[at] + high[at]) / 2.0;
            }
        }
    }
}

/// The kinds of edges: as they are, and those of chance.
pub(super) fn kinds() -> Vec<OwnKind> {
    let kind = |name: &'static str, dash: &'static str| OwnKind {
        name: name.into(),
        standard: Shades::new("#6b7280", "#9aa3b2", "#333333"),
        safe: Shades::new("#6b7280", "#9aa3b2", "#333333"),
        dash: dash.into(),
    };
    vec![kind("edge", ""), kind("chance", "4 3")]
}

/// A point, along the layers and across them.
type Point = [f32; 2];

/// Draws boxes with edges between them, layers below each other, or side by side. `starts` stand first.
pub(super) fn draw(boxes: &[Box], edges: &[(usize, usize)], starts: &[usize], aside: bool) -> Drawing {
    let count = boxes.len();
    let mut out = vec![Vec::new(); count];
    let own: Vec<(usize, usize)> = edges.iter().copied().filter(|(from, to)| from != to).collect();
    own.iter().for_each(|(from, to)| out[*from].push(*to));
    let rank = ranks(count, &out, starts);
    let all: HashSet<(usize, usize)> = own.iter().copied().collect();
    // An edge that goes back beside one that goes on needs no places of its own.
    let turned = |(from, to): (usize, usize)| if rank[from] > rank[to] { (to, from) } else { (from, to) };
    let mut forward: Vec<(usize, usize)> = own.iter().map(|edge| turned(*edge)).collect();
    forward.sort_unstable();
    forward.dedup();
    let layer = layer_of(count, &forward);
    let sized = |size: [f32; 2]| if aside { size } else { [size[1], size[0]] };
    let new = |size: [f32; 2]| Spot { size, at: 0.0, before: Vec::new(), behind: Vec::new() };
    let mut spots: Vec<Spot> = boxes.iter().map(|own| new(sized(own.size()))).collect();
    let last = layer.iter().max().copied().unwrap_or(0);
    let mut order: Vec<Vec<usize>> = vec![Vec::new(); last + 1];
    (0..count).for_each(|at| order[layer[at]].push(at));
    // By edge: what it passes.
    let mut ways: HashMap<(usize, usize), Vec<usize>> = HashMap::new();
    for &(from, to) in &forward {
        let mut way = vec![from];
        for own in order.iter_mut().take(layer[to]).skip(layer[from] + 1) {
            own.push(spots.len());
            way.push(spots.len());
            spots.push(new([0.0, 2.0]));
        }
        way.push(to);
        for pair in way.windows(2) {
            spots[pair[0]].behind.push(pair[1]);
            spots[pair[1]].before.push(pair[0]);
        }
        ways.insert((from, to), way);
    }
    untangle(&mut order, &spots);
    spread(&order, &mut spots);
    let mut begins = Vec::new();
    let mut along = MARGIN;
    for layer in &order {
        let thick = layer.iter().map(|spot| spots[*spot].size[0]).fold(0.0, f32::max);
        begins.push(along + thick / 2.0);
        // Where many edges pass, they have more room.
        along += thick + BETWEEN + (layer.len() as f32 * 1.5).min(60.0);
    }
    let first = (0..spots.len()).map(|spot| spots[spot].at - spots[spot].size[1] / 2.0).fold(f32::INFINITY, f32::min);
    let shift = MARGIN - if first.is_finite() { first } else { 0.0 };
    let mut middle = vec![[0.0, 0.0]; spots.len()];
    for (own, begin) in order.iter().zip(&begins) {
        own.iter().for_each(|spot| middle[*spot] = [*begin, spots[*spot].at + shift]);
    }
    let place = |[along, across]: Point| if aside { [along, across] } else { [across, along] };
    let mut drawn = Vec::new();
    for &(from, to) in edges {
        let kind = EdgeKind::Own(u8::from(boxes[from].is_random));
        let (path, head) = if from == to {
            let [x, y] = place(middle[from]);
            let [width, height] = boxes[from].size();
            round(x + width / 2.0, y, height.min(HEIGHT))
        } else {
            let (first, last) = turned((from, to));
            let twice = all.contains(&(to, from));
            let own = if first == from { -ASIDE } else { ASIDE };
            let bend = if twice { own } else { 0.0 };
            let mut points: Vec<Point> =
                ways[&(first, last)].iter().map(|spot| [middle[*spot][0], middle[*spot][1] + bend]).collect();
            let ends = points.len() - 1;
            points[0][0] += spots[first].size[0] / 2.0;
            points[ends][0] -= spots[last].size[0] / 2.0;
            if first != from {
                points.reverse();
            }
            curve(&points.iter().map(|point| place(*point)).collect::<Vec<_>>(), aside)
        };
        let title = format!("from {} to {}", boxes[from].label, boxes[to].label);
        drawn.push(DrawnEdge {
            from: key(from),
            to: key(to),
            kind,
            also: None,
            path,
            head,
            label: None,
            in_cycle: false,
            new: false,
            ghost: false,
            title,
        });
    }
    let nodes: Vec<Node> = boxes.iter().enumerate().map(|(at, own)| node(at, own, place(middle[at]))).collect();
    let across = spots.iter().map(|spot| spot.at + shift + spot.size[1] / 2.0).fold(0.0, f32::max) + MARGIN;
    let [width, height] = place([along - BETWEEN + MARGIN, across]);
    Drawing {
        width: width.ceil(),
        height: height.ceil(),
        columns: Vec::new(),
        initial: None,
        frames: Vec::new(),
        rows: nodes.len(),
        nodes,
        edges: drawn,
        relations: Vec::new(),
        kinds: kinds(),
        chosen_co: false,
    }
}

fn node(at: usize, own: &Box, [x, y]: [f32; 2]) -> Node {
    let [width, height] = own.size();
    Node {
        key: key(at),
        column: None,
        source: None,
        x: x - width / 2.0,
        y: y - height / 2.0,
        width,
        height,
        label: own.label.clone(),
        name: own.label.clone(),
        kind: if own.is_random { NodeKind::Fence } else { NodeKind::Update },
        marks: Vec::new(),
        colour: None,
        ghost: false,
        span: Span::default(),
        title: own.title.clone(),
    }
}

/// A way through points, as smooth as it can be.
fn curve(points: &[[f32; 2]], aside: bool) -> (String, Head) {
    let mut path = format!("M{:.1} {:.1}", points[0][0], points[0][1]);
    let mut before = points[0];
    for pair in points.windows(2) {
        let [[x, y], [to_x, to_y]] = [pair[0], pair[1]];
        let (one, two) = if aside {
            let half = (to_x - x) * 0.5;
            ([x + half, y], [to_x - half, to_y])
        } else {
            let half = (to_y - y) * 0.5;
            ([x, y + half], [to_x, to_y - half])
        };
        path += &format!("C{:.1} {:.1} {:.1} {:.1} {to_x:.1} {to_y:.1}", one[0], one[1], two[0], two[1]);
        before = two;
    }
    let [x, y] = points[points.len() - 1];
    (path, Head { x, y, angle: (y - before[1]).atan2(x - before[0]).to_degrees() })
}

/// A loop at the right of a box.
fn round(x: f32, y: f32, height: f32) -> (String, Head) {
    let (up, low, far) = (y - height * 0.3, y + height * 0.3, x + 26.0);
    let path = format!("M{x:.1} {up:.1}C{far:.1} {:.1} {far:.1} {:.1} {x:.1} {low:.1}", up - 12.0, low + 12.0);
    (path, Head { x, y: low, angle: 155.0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families;
    use litmoscope_core::random::Random;

    fn drawn(count: usize, edges: &[(usize, usize)], aside: bool) -> Drawing {
        let of = |at: usize| Box { label: at.to_string(), title: String::new(), is_random: at % 5 == 4 };
        let boxes: Vec<Box> = (0..count).map(of).collect();
        draw(&boxes, edges, &[], aside)
    }

    fn check(drawing: &Drawing) {
        for (at, one) in drawing.nodes.iter().enumerate() {
            let inside = one.x >= 0.0 && one.y >= 0.0;
            assert!(inside && one.x + one.width <= drawing.width && one.y + one.height <= drawing.height, "{one:?}");
            for other in &drawing.nodes[at + 1..] {
                let meets = one.x < other.x + other.width && other.x < one.x + one.width;
                assert!(
                    !meets || one.y >= other.y + other.height || other.y >= one.y + one.height,
                    "{one:?} {other:?}"
                );
            }
        }
    }

    #[test]
    fn boxes_stand_apart_whatever_the_graph() {
        for seed in 0..40 {
            let mut random = Random::new(seed);
            let count = 1 + random.below(60) as usize;
            let mut edges: Vec<(usize, usize)> = (0..random.below(120))
                .map(|_| (random.below(count as u64) as usize, random.below(count as u64) as usize))
                .collect();
            edges.sort_unstable();
            edges.dedup();
            for aside in [false, true] {
                let drawing = drawn(count, &edges, aside);
                assert_eq!((drawing.nodes.len(), drawing.edges.len()), (count, edges.len()));
                check(&drawing);
            }
        }
    }

    #[test]
    fn large_graphs_are_placed_too() {
        let graph = families::hypercube(8);
        let edges: Vec<(usize, usize)> = (0..graph.vertices())
            .flat_map(|from| graph.successors(from).iter().map(move |to| (from, *to as usize)))
            .collect();
        check(&drawn(graph.vertices(), &edges, false));
    }
}
