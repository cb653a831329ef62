//! The tree of an exploration as a picture: where its nodes, edges and back arrows go.
//!
//! It is made of the outline's rows, by the page's half of the engine, for the room there is. `tidy.rs` of `litmoscope-draw`
//! places the nodes. Back arrows pass levels between two nodes and change their place between levels, so they touch none.

use super::{TreeRow, TreeView, VisitKind};
use crate::report::{CHARACTER_WIDTH, Head, tidy};
use crate::sort;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Half the size of a node's shape.
const SHAPE: f32 = 10.0;
/// Size of the font of labels and badges, which has to be monospaced.
pub const TREE_FONT_SIZE: f32 = 11.5;
/// Height of a line of text.
const LINE: f32 = 16.0;
/// Half the size of the handle that folds and unfolds.
const HANDLE: f32 = 7.0;
/// Free space beside a node, across the levels: a back arrow passes through.
const ASIDE: f32 = 18.0;
/// Free space between two levels.
const BETWEEN: f32 = 40.0;
/// Free space around everything.
const MARGIN: f32 = 20.0;
/// Longer labels are cut; titles are not.
const MAX_LABEL: usize = 24;
/// How far from the middle of its nodes a back arrow starts and ends: beside the edges of the tree.
const BESIDE: f32 = 8.0;

/// A drawn tree. Lengths are in pixels at its natural size; y grows downwards; the origin is the upper left corner.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TreeDrawing {
    /// Width of everything.
    pub width: f32,
    /// Height of everything.
    pub height: f32,
    /// Levels run from top to bottom; else from left to right.
    pub downwards: bool,
    /// The nodes in the order of the outline: parents before children.
    pub nodes: Vec<TreeNode>,
    /// From each node but the root to its parent, in the order of the nodes.
    pub edges: Vec<TreeEdge>,
    /// From where a revisit was found to where its read was added.
    pub arrows: Vec<BackArrow>,
    /// What is left out.
    pub notes: Vec<String>,
}

/// A node of the drawn tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TreeNode {
    /// What it shows.
    pub row: TreeRow,
    /// Its parent among the nodes; of the root, itself.
    pub parent: usize,
    /// How many nodes lie above it.
    pub level: usize,
    /// Left border of everything that belongs to it.
    pub x: f32,
    /// Upper border.
    pub y: f32,
    /// Width.
    pub width: f32,
    /// Height. The boxes of two nodes do not overlap.
    pub height: f32,
    /// Middle of the shape ([`shape`]).
    pub shape: Spot,
    /// The label, perhaps cut.
    pub label: String,
    /// Where its base line starts, or has its middle in a tree that runs downwards.
    pub text: Spot,
    /// What lies below a folded node.
    pub badges: Vec<Badge>,
    /// Middle of the handle that folds and unfolds, if there are children.
    pub handle: Option<Spot>,
}

/// A point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spot {
    /// From the left.
    pub x: f32,
    /// From the top.
    pub y: f32,
}

/// How many visits of a kind lie below a folded node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Below {
    /// The kind.
    pub kind: VisitKind,
    /// How many.
    pub count: u32,
}

/// The same, drawn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Badge {
    /// The kind.
    pub kind: VisitKind,
    /// A sign and a number.
    pub text: String,
    /// Left border.
    pub x: f32,
    /// Upper border.
    pub y: f32,
    /// Width.
    pub width: f32,
    /// Height.
    pub height: f32,
}

/// An edge of the tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TreeEdge {
    /// The upper node.
    pub parent: usize,
    /// The lower node.
    pub child: usize,
    /// SVG path data.
    pub path: String,
}

/// A revisit as an arrow back up the tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BackArrow {
    /// The node in which the write was added and found the read.
    pub from: usize,
    /// The node in which the read was added.
    pub to: usize,
    /// The nodes of the revisits.
    pub revisits: Vec<usize>,
    /// SVG path data, through no node.
    pub path: String,
    /// The arrow head.
    pub head: Head,
    /// In words.
    pub title: String,
}

/// Where to go from a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Toward {
    /// To its parent.
    Parent,
    /// To its first child.
    Child,
    /// To the one before on its level.
    Before,
    /// To the one behind on its level.
    After,
}

/// The outline of a kind's shape as SVG path data around the origin.
pub fn shape(kind: VisitKind) -> &'static str {
    match kind {
        VisitKind::Pending => "M-7 0A7 7 0 1 1 7 0A7 7 0 1 1 -7 0Z",
        VisitKind::Open => "M0 -10.5L10.5 0L0 10.5L-10.5 0Z",
        VisitKind::Inner => "M-5 0A5 5 0 1 1 5 0A5 5 0 1 1 -5 0Z",
        VisitKind::Complete => "M-10 0A10 10 0 1 1 10 0A10 10 0 1 1 -10 0Z",
        VisitKind::Blocked => "M-9 -9H9V9H-9Z",
        VisitKind::Erroneous => "M0 -10.5L10.8 9H-10.8Z",
        VisitKind::Dropped => "M-9 -5.5L-5.5 -9L0 -3.5L5.5 -9L9 -5.5L3.5 0L9 5.5L5.5 9L0 3.5L-5.5 9L-9 5.5L-3.5 0Z",
        VisitKind::Duplicate | VisitKind::Repeated => "M-5.5 -9.5H5.5L11 0L5.5 9.5H-5.5L-11 0Z",
    }
}

/// A kind's sign, for badges and lists.
pub fn sign(kind: VisitKind) -> &'static str {
    match kind {
        VisitKind::Pending => "○",
        VisitKind::Open => "◐",
        VisitKind::Inner => "·",
        VisitKind::Complete => "✓",
        VisitKind::Blocked => "⊘",
        VisitKind::Erroneous => "!",
        VisitKind::Dropped => "✗",
        VisitKind::Duplicate | VisitKind::Repeated => "=",
    }
}

fn text_width(text: &str) -> f32 {
    text.chars().count() as f32 * CHARACTER_WIDTH * TREE_FONT_SIZE + 4.0
}

fn short(label: &str) -> String {
    let label = label.split(", ").next().unwrap_or(label);
    if label.chars().count() <= MAX_LABEL {
        return label.to_owned();
    }
    label.chars().take(MAX_LABEL - 1).chain(['…']).collect()
}

/// A thousand and more in short: a badge is small.
fn badge_text(below: &Below) -> String {
    let count = match below.count {
        count @ 0..10_000 => count.to_string(),
        count @ 10_000..1_000_000 => format!("{}k", count / 1000),
        count => format!("{}M", count / 1_000_000),
    };
    format!("{}{count}", sign(below.kind))
}

fn badge_width(text: &str) -> f32 {
    text_width(text) + 8.0
}

/// Nodes placed on levels, whichever way these run: `across` a level, and `along` from level to level.
struct Plan {
    downwards: bool,
    parents: Vec<usize>,
    levels: Vec<usize>,
    /// Middle of each node.
    across: Vec<f32>,
    /// How far each node reaches from its middle across its level.
    half: Vec<f32>,
    /// How far each node reaches along.
    length: Vec<f32>,
    /// From one level to the next.
    pitch: f32,
    /// The longest node.
    longest: f32,
    /// The nodes of each level, in order.
    rows: Vec<Vec<usize>>,
}

impl Plan {
    fn new(rows: &[&TreeRow], parents: &[usize], tidy: &[f64], downwards: bool) -> Self {
        let badges = |row: &TreeRow| {
            let badges = row.below.iter().map(|below| badge_width(&badge_text(below)) + 3.0);
            badges.sum::<f32>()
        };
        let any_badges = rows.iter().any(|row| !row.below.is_empty());
        let lines = if any_badges { 2.0 } else { 1.0 };
        let texts: Vec<f32> = rows.iter().map(|row| text_width(&short(&row.label)).max(badges(row))).collect();
        let (half, length): (Vec<f32>, Vec<f32>) = if downwards {
            let length = 2.0 * SHAPE + lines * LINE + 2.0 * HANDLE + 4.0;
            texts.iter().map(|text| ((text / 2.0).max(SHAPE + 2.0), length)).unzip()
        } else {
            let half = (LINE * lines / 2.0).max(SHAPE + 2.0);
            texts.iter().map(|text| (half, 2.0 * SHAPE + 8.0 + text + 4.0 + 2.0 * HANDLE)).unzip()
        };
        let (widest, longest) = (half.iter().copied().fold(0.0, f32::max), length.iter().copied().fold(0.0, f32::max));
        let unit = 2.0 * widest + ASIDE;
        let mut levels = vec![0; parents.len()];
        for node in 1..parents.len() {
            levels[node] = levels[parents[node]] + 1;
        }
        let across: Vec<f32> = tidy.iter().map(|at| *at as f32 * unit + widest).collect();
        let mut by_level = vec![Vec::new(); levels.iter().max().map_or(0, |level| level + 1)];
        levels.iter().enumerate().for_each(|(node, &level)| by_level[level].push(node));
        for level in &mut by_level {
            sort::by(level, |&a: &usize, &b| across[a].total_cmp(&across[b]));
        }
        Self {
            downwards,
            parents: parents.to_vec(),
            levels,
            across,
            half,
            length,
            pitch: longest + BETWEEN,
            longest,
            rows: by_level,
        }
    }

    fn size(&self) -> (f32, f32) {
        let ends = self.across.iter().zip(&self.half).map(|(at, half)| at + half);
        // Room for an arrow beside the last node.
        let across = ends.fold(0.0, f32::max) + ASIDE + 2.0 * MARGIN;
        let along = self.rows.len() as f32 * self.pitch - BETWEEN + 2.0 * MARGIN;
        if self.downwards { (across, along) } else { (along, across) }
    }

    /// How large it can be shown.
    fn scale(&self, room: (f32, f32)) -> f32 {
        let (width, height) = self.size();
        (room.0 / width).min(room.1 / height)
    }

    /// Where a node's level begins.
    fn start(&self, node: usize) -> f32 {
        self.levels[node] as f32 * self.pitch
    }

    fn spot(&self, across: f32, along: f32) -> Spot {
        let round = |x: f32| (x * 10.0).round() / 10.0;
        let (across, along) = (round(across + MARGIN), round(along + MARGIN));
        if self.downwards { Spot { x: across, y: along } } else { Spot { x: along, y: across } }
    }

    /// A place on a level where an arrow passes between nodes, as near as possible to where it would like to.
    fn passage(&self, level: usize, wanted: f32) -> f32 {
        let row = &self.rows[level];
        let ends = |node: usize| (self.across[node] - self.half[node], self.across[node] + self.half[node]);
        let gaps = (0..=row.len()).map(|gap| {
            let low = gap.checked_sub(1).map_or(f32::NEG_INFINITY, |before| ends(row[before]).1);
            let high = row.get(gap).map_or(f32::INFINITY, |&after| ends(after).0);
            let aside = ((high - low) / 2.0).min(ASIDE / 2.0);
            // Not beyond the borders of the drawing.
            wanted.max(low + aside).min(high - aside).max(-ASIDE / 2.0)
        });
        gaps.min_by(|a, b| (a - wanted).abs().total_cmp(&(b - wanted).abs())).unwrap_or(wanted)
    }

    /// An S from one point to another: along at both ends, so that it stays between the two levels.
    fn bend(&self, path: &mut String, (a, from): (f32, f32), (b, to): (f32, f32)) {
        let middle = (from + to) / 2.0;
        self.curve(path, [(a, middle), (b, middle), (b, to)]);
    }

    fn curve(&self, path: &mut String, points: [(f32, f32); 3]) {
        let [p, q, r] = points.map(|(across, along)| self.spot(across, along));
        let _ = write!(path, "C{} {} {} {} {} {}", p.x, p.y, q.x, q.y, r.x, r.y);
    }

    fn go(&self, path: &mut String, command: char, (across, along): (f32, f32)) {
        let Spot { x, y } = self.spot(across, along);
        let _ = write!(path, "{command}{x} {y}");
    }

    fn edge(&self, child: usize) -> String {
        let parent = self.parents[child];
        let mut path = String::new();
        let (from, row) = (self.start(parent) + self.length[parent], self.start(parent) + self.longest);
        self.go(&mut path, 'M', (self.across[parent], from));
        if row > from {
            self.go(&mut path, 'L', (self.across[parent], row));
        }
        self.bend(&mut path, (self.across[parent], row), (self.across[child], self.start(child)));
        path
    }

    /// A way back from a node to one above it, through no other node. It passes each level between two nodes, and changes
    /// its place between levels.
    fn way_back(&self, from: usize, to: usize) -> (String, Head) {
        let mut path = String::new();
        if from == to {
            // A loop beside the shape.
            let at = self.across[from] + SHAPE;
            let (near, far) = (self.start(from) + SHAPE - 5.0, self.start(from) + SHAPE + 5.0);
            self.go(&mut path, 'M', (at, far));
            self.curve(&mut path, [(at + 14.0, far + 5.0), (at + 14.0, near - 5.0), (at + 1.0, near)]);
            let tip = self.spot(at + 1.0, near);
            return (path, Head { x: tip.x, y: tip.y, angle: if self.downwards { 160.0 } else { -70.0 } });
        }
        let (low, high) = (self.levels[to], self.levels[from]);
        let span = (high - low) as f32;
        let wanted = |level: usize| {
            let part = (high - level) as f32 / span;
            self.across[from] * (1.0 - part) + self.across[to] * part
        };
        let passages: Vec<f32> = (low + 1..high).rev().map(|level| self.passage(level, wanted(level))).collect();
        let first = passages.first().copied().unwrap_or(self.across[to]);
        let last = passages.last().copied().unwrap_or(self.across[from]);
        let side = |toward: f32| if toward < 0.0 { -BESIDE } else { BESIDE };
        // Next to the edge of the tree where that is the whole way.
        let out = side(first - self.across[from]);
        let into = if passages.is_empty() { out } else { side(last - self.across[to]) };
        let mut at = (self.across[from] + out, self.start(from));
        self.go(&mut path, 'M', at);
        for (level, passage) in (low + 1..high).rev().zip(passages) {
            let start = level as f32 * self.pitch;
            self.bend(&mut path, at, (passage, start + self.longest));
            self.go(&mut path, 'L', (passage, start));
            at = (passage, start);
        }
        let row = self.start(to) + self.longest;
        self.bend(&mut path, at, (self.across[to] + into, row));
        let end = self.start(to) + self.length[to];
        if row > end {
            self.go(&mut path, 'L', (self.across[to] + into, end));
        }
        let tip = self.spot(self.across[to] + into, end);
        (path, Head { x: tip.x, y: tip.y, angle: if self.downwards { -90.0 } else { 180.0 } })
    }

    fn node(&self, node: usize, row: &TreeRow) -> TreeNode {
        let (across, half, start, length) = (self.across[node], self.half[node], self.start(node), self.length[node]);
        let (a, b) = (self.spot(across - half, start), self.spot(across + half, start + length));
        let label = short(&row.label);
        let middle = self.spot(across, start + SHAPE);
        let base = LINE * 0.72;
        let text = if self.downwards {
            Spot { x: middle.x, y: middle.y + SHAPE + base + 1.0 }
        } else if row.below.is_empty() {
            Spot { x: middle.x + SHAPE + 6.0, y: middle.y + TREE_FONT_SIZE * 0.34 }
        } else {
            Spot { x: middle.x + SHAPE + 6.0, y: middle.y - LINE + base }
        };
        let top = if self.downwards { middle.y + SHAPE + LINE + 1.0 } else { middle.y + 1.0 };
        let texts: Vec<String> = row.below.iter().map(badge_text).collect();
        let all: f32 = texts.iter().map(|text| badge_width(text) + 3.0).sum::<f32>() - 3.0;
        let mut x = if self.downwards { middle.x - all / 2.0 } else { text.x };
        let badges = row.below.iter().zip(texts).map(|(below, text)| {
            let width = badge_width(&text);
            let badge = Badge { kind: below.kind, text, x, y: top, width, height: LINE - 2.0 };
            x += width + 3.0;
            badge
        });
        TreeNode {
            row: row.clone(),
            parent: self.parents[node],
            level: self.levels[node],
            x: a.x,
            y: a.y,
            width: b.x - a.x,
            height: b.y - a.y,
            shape: middle,
            badges: badges.collect(),
            label,
            text,
            handle: (row.children > 0).then(|| self.spot(across, start + length - HANDLE)),
        }
    }
}

impl TreeDrawing {
    /// Draws the rows of a tree, in the direction in which they can be shown larger in a room of some width and height.
    /// The number of rows is bounded; time: rows times levels.
    pub fn new(tree: &TreeView, room: (f32, f32)) -> Self {
        let mut rows: Vec<&TreeRow> = Vec::new();
        let mut parents = Vec::new();
        let mut notes = Vec::new();
        let mut way: Vec<usize> = Vec::new();
        for row in &tree.rows {
            if row.summary && row.depth == 0 {
                notes.push(row.label.clone());
                continue;
            }
            while way.last().is_some_and(|&above| rows[above].depth >= row.depth) {
                way.pop();
            }
            parents.push(way.last().copied().unwrap_or(0));
            way.push(rows.len());
            rows.push(row);
        }
        if rows.is_empty() {
            return Self { notes, ..Self::default() };
        }
        let across = tidy(&parents);
        let down = Plan::new(&rows, &parents, &across, true);
        let right = Plan::new(&rows, &parents, &across, false);
        let plan = if down.scale(room).min(1.0) >= right.scale(room).min(1.0) { down } else { right };
        let (width, height) = plan.size();
        Self {
            width: width.ceil(),
            height: height.ceil(),
            downwards: plan.downwards,
            nodes: rows.iter().enumerate().map(|(node, row)| plan.node(node, row)).collect(),
            edges: (1..rows.len())
                .map(|child| TreeEdge { parent: parents[child], child, path: plan.edge(child) })
                .collect(),
            arrows: arrows(&rows, &parents, &plan),
            notes,
        }
    }

    /// The node of a row that is no summary.
    pub fn find(&self, visit: u32) -> Option<usize> {
        self.nodes.iter().position(|node| !node.row.summary && node.row.visit == visit)
    }

    /// Where one comes to from a node; nowhere beyond the borders. Summaries are skipped.
    pub fn neighbour(&self, from: usize, toward: Toward) -> Option<usize> {
        let node = self.nodes.get(from)?;
        match toward {
            Toward::Parent => {
                let mut at = from;
                loop {
                    let parent = self.nodes[at].parent;
                    if parent == at {
                        return None;
                    }
                    if !self.nodes[parent].row.summary {
                        return Some(parent);
                    }
                    at = parent;
                }
            }
            Toward::Child => {
                let below = |at: usize| self.nodes.iter().skip(1).position(|n| n.parent == at).map(|index| index + 1);
                let mut at = below(from)?;
                while self.nodes[at].row.summary {
                    at = match below(at) {
                        Some(child) => child,
                        None => {
                            let parent = self.nodes[at].parent;
                            (at + 1..self.nodes.len()).find(|&other| self.nodes[other].parent == parent)?
                        }
                    };
                }
                Some(at)
            }
            Toward::Before | Toward::After => {
                let place = |node: &TreeNode| if self.downwards { node.shape.x } else { node.shape.y };
                let sign = if toward == Toward::Before { -1.0 } else { 1.0 };
                let ahead = |other: &TreeNode| sign * (place(other) - place(node));
                let level = self
                    .nodes
                    .iter()
                    .enumerate()
                    .filter(|(_, other)| other.level == node.level && !other.row.summary && ahead(other) > 0.0);
                level.min_by(|(_, a), (_, b)| ahead(a).total_cmp(&ahead(b))).map(|(index, _)| index)
            }
        }
    }
}

/// The revisits among the nodes, those of the same two nodes as one arrow. Where one of the two is not shown, there is
/// none.
fn arrows(rows: &[&TreeRow], parents: &[usize], plan: &Plan) -> Vec<BackArrow> {
    let shown: BTreeMap<u32, usize> =
        rows.iter().enumerate().filter(|(_, row)| !row.summary).map(|(node, row)| (row.visit, node)).collect();
    let mut between: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
    for (node, row) in rows.iter().enumerate() {
        let Some(&to) = row.revisited.as_ref().and_then(|visit| shown.get(visit)) else { continue };
        let from = parents[node];
        if !rows[from].summary {
            between.entry((from, to)).or_default().push(node);
        }
    }
    let arrow = |((from, to), revisits): ((usize, usize), Vec<usize>)| {
        let (path, head) = plan.way_back(from, to);
        let names: Vec<_> = revisits.iter().map(|&node| short(&rows[node].label)).collect();
        let title = if from == to {
            format!("{}: the read was added in this visit", names.join("; "))
        } else {
            format!("{}: the read was added in the visit that the arrow leads to", names.join("; "))
        };
        BackArrow { from, to, revisits, path, head, title }
    };
    between.into_iter().map(arrow).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::Algorithm;
    use crate::session::{Session, Settings, ViewRequest};
    use proptest::prelude::*;

    const ROOMS: [(f32, f32); 3] = [(300.0, 400.0), (1200.0, 300.0), (300.0, 1200.0)];

    /// Any outline: depths, summaries, labels, badges and revisits.
    fn outlines() -> impl Strategy<Value = TreeView> {
        let row = (any::<prop::sample::Index>(), 0..8u32, 0..30usize, 0..4usize, any::<bool>());
        proptest::collection::vec(row, 0..60).prop_map(|rows| {
            let mut view = TreeView::default();
            let mut way: Vec<u32> = Vec::new();
            for (visit, (pick, depth, label, badges, summary)) in rows.into_iter().enumerate() {
                let depth = if visit == 0 { 0 } else { 1 + depth.min(view.rows[visit - 1].depth) };
                way.truncate(depth as usize);
                let summary = summary && visit > 0 && label > 20;
                let below = VisitKind::ALL.into_iter().take(badges).map(|kind| Below { kind, count: 123 }).collect();
                let revisited = (!way.is_empty() && label % 2 == 0).then(|| way[pick.index(way.len())]);
                way.push(visit as u32);
                view.rows.push(TreeRow {
                    visit: visit as u32,
                    depth,
                    kind: VisitKind::ALL[label % VisitKind::ALL.len()],
                    label: "x".repeat(label),
                    current: false,
                    on_path: false,
                    later: false,
                    children: (label % 3) as u32,
                    unfolded: false,
                    summary,
                    reachable: true,
                    below: if summary { Vec::new() } else { below },
                    revisited: if summary { None } else { revisited },
                });
            }
            view
        })
    }

    /// Points along a path of M, L and C.
    fn points(path: &str) -> Vec<Spot> {
        let mut all: Vec<Spot> = Vec::new();
        for part in path.split(['M', 'L', 'C']) {
            let numbers: Vec<f32> = part.split_whitespace().map(|n| n.parse().expect("a number")).collect();
            match numbers[..] {
                [x, y] => match all.last().copied() {
                    Some(a) => all.extend(
                        (1..=40)
                            .map(|i| i as f32 / 40.0)
                            .map(|t| Spot { x: a.x + (x - a.x) * t, y: a.y + (y - a.y) * t }),
                    ),
                    None => all.push(Spot { x, y }),
                },
                [x1, y1, x2, y2, x3, y3] => {
                    let a = all.last().copied().expect("a start");
                    let at = |t: f32, p: [f32; 4]| {
                        let u = 1.0 - t;
                        u * u * u * p[0] + 3.0 * u * u * t * p[1] + 3.0 * u * t * t * p[2] + t * t * t * p[3]
                    };
                    all.extend(
                        (1..=40)
                            .map(|i| i as f32 / 40.0)
                            .map(|t| Spot { x: at(t, [a.x, x1, x2, x3]), y: at(t, [a.y, y1, y2, y3]) }),
                    );
                }
                _ => assert!(numbers.is_empty(), "{path}"),
            }
        }
        all
    }

    fn inside(spot: Spot, node: &TreeNode) -> bool {
        let slack = 0.3;
        spot.x > node.x + slack
            && spot.x < node.x + node.width - slack
            && spot.y > node.y + slack
            && spot.y < node.y + node.height - slack
    }

    fn check(view: &TreeView) -> Result<(), TestCaseError> {
        for room in ROOMS {
            let drawing = TreeDrawing::new(view, room);
            for (index, node) in drawing.nodes.iter().enumerate() {
                prop_assert!(node.x >= 0.0 && node.y >= 0.0);
                prop_assert!(node.x + node.width <= drawing.width && node.y + node.height <= drawing.height);
                for other in &drawing.nodes[..index] {
                    let apart = node.x >= other.x + other.width
                        || other.x >= node.x + node.width
                        || node.y >= other.y + other.height
                        || other.y >= node.y + node.height;
                    prop_assert!(apart, "{node:?} {other:?}");
                }
                // What belongs to a node lies in its box.
                for badge in &node.badges {
                    prop_assert!(badge.x >= node.x - 0.2 && badge.x + badge.width <= node.x + node.width + 0.2);
                    prop_assert!(badge.y >= node.y && badge.y + badge.height <= node.y + node.height + 0.2, "{node:?}");
                }
            }
            for edge in &drawing.edges {
                let others = drawing.nodes.iter().enumerate().filter(|(n, _)| *n != edge.parent && *n != edge.child);
                for (_, node) in others {
                    prop_assert!(points(&edge.path).iter().all(|&spot| !inside(spot, node)), "{edge:?} {node:?}");
                }
            }
            for arrow in &drawing.arrows {
                let others = drawing.nodes.iter().enumerate().filter(|(n, _)| arrow.from != *n || arrow.to != *n);
                for (_, node) in others {
                    prop_assert!(points(&arrow.path).iter().all(|&spot| !inside(spot, node)), "{arrow:?} {node:?}");
                }
                for spot in points(&arrow.path) {
                    prop_assert!(spot.x >= 0.0 && spot.y >= 0.0 && spot.x <= drawing.width && spot.y <= drawing.height);
                }
                // It leads up the tree.
                let mut at = arrow.from;
                while at != arrow.to {
                    prop_assert!(at > 0);
                    at = drawing.nodes[at].parent;
                }
                prop_assert!(arrow.revisits.iter().all(|&node| drawing.nodes[node].parent == arrow.from));
            }
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn nothing_overlaps_whatever_the_outline(view in outlines()) {
            check(&view)?;
        }
    }

    fn session(text: &str, algorithm: Algorithm) -> Session {
        let settings = Settings { text: text.to_owned(), algorithm, ..Settings::default() };
        let mut session = Session::open(settings).expect("it is a program");
        session.run(u64::MAX);
        session
    }

    #[test]
    fn explorations_are_drawn_with_their_revisits() {
        for algorithm in [Algorithm::Genmc, Algorithm::GenmcCo, Algorithm::Trust, Algorithm::TrustCo] {
            let session = session("a := x; b := x || x := 1 || x := 2", algorithm);
            let view = session.view(&ViewRequest::default()).tree;
            check(&view).expect("it is as it should be");
            let drawing = TreeDrawing::new(&view, ROOMS[0]);
            assert_eq!(drawing.nodes.len(), session.tree().len(), "{algorithm:?}");
            let backward = drawing.nodes.iter().filter(|node| node.row.label.contains("backward")).count();
            let revisits: usize = drawing.arrows.iter().map(|arrow| arrow.revisits.len()).sum();
            assert!(backward > 0 && revisits == backward, "{algorithm:?}");
        }
    }

    #[test]
    fn folded_subtrees_are_counted() {
        let session = session("a := x; b := x || x := 1 || x := 2", Algorithm::Genmc);
        let view = session.view(&ViewRequest { folded: vec![0], ..ViewRequest::default() }).tree;
        assert_eq!(view.rows.len(), 1);
        let counts = session.counts();
        let of = |kind| view.rows[0].below.iter().find(|below| below.kind == kind).map_or(0, |below| below.count);
        // The root ends in an execution of its own.
        assert_eq!(u64::from(of(VisitKind::Complete)) + 1, counts.complete);
        assert_eq!(u64::from(of(VisitKind::Dropped)), counts.dropped);
        let drawing = TreeDrawing::new(&view, ROOMS[0]);
        assert_eq!(drawing.nodes[0].badges[0].text, format!("✓{}", counts.complete - 1));
    }

    #[test]
    fn what_was_found_is_unfolded() {
        let session =
            session("a := fai(x) || b := fai(x) || c := fai(x) || d := fai(x) || e := fai(x)", Algorithm::Genmc);
        let deepest = (0..session.tree().len() as u32).max_by_key(|&id| session.tree().way(id).len()).expect("a root");
        let way = session.tree().way(deepest);
        let shown = |request: &ViewRequest| {
            session.view(request).tree.rows.iter().any(|row| !row.summary && row.visit == deepest)
        };
        assert!(!shown(&ViewRequest::default()));
        assert!(shown(&ViewRequest { found: Some(deepest), ..ViewRequest::default() }));
        assert!(shown(&ViewRequest { found: Some(deepest), folded: way, ..ViewRequest::default() }));
        assert!(!shown(&ViewRequest { found: Some(u32::MAX), ..ViewRequest::default() }));
    }

    #[test]
    fn one_walks_from_node_to_node() {
        let session = session("a := x; b := x || x := 1 || x := 2", Algorithm::Genmc);
        let view = session.view(&ViewRequest::default()).tree;
        for room in ROOMS {
            let drawing = TreeDrawing::new(&view, room);
            for index in 0..drawing.nodes.len() {
                let go = |toward| drawing.neighbour(index, toward);
                if let Some(child) = go(Toward::Child) {
                    assert_eq!(drawing.neighbour(child, Toward::Parent), Some(index));
                }
                if let Some(after) = go(Toward::After) {
                    assert_eq!(drawing.neighbour(after, Toward::Before), Some(index));
                    assert_eq!(drawing.nodes[after].level, drawing.nodes[index].level);
                }
                assert_eq!(go(Toward::Parent).is_none(), index == 0);
            }
            assert_eq!(drawing.find(0), Some(0));
        }
        let empty = TreeDrawing::new(&TreeView::default(), ROOMS[0]);
        assert_eq!((empty.nodes.len(), empty.neighbour(0, Toward::Child)), (0, None));
    }
}
