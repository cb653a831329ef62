//! How edges run: curves from border to border that keep clear of other nodes and of one another, and places for their
//! labels (`place.rs`).
//!
//! Edges are routed greedily. For each, a few dozen single Bézier curves between different points of the two borders are
//! tried and the cheapest is taken that touches no foreign node: short, straight, away from edges already drawn. Where
//! all touch one, [`Router::detours`] lead through the channels between the columns and the gaps between their nodes,
//! which are free by construction.
//!
//! Edges are routed in the order in which their events were added, so a new one goes round those that are there. An old one
//! gives way only to an event in its way, less than one in twenty. To run along another edge costs more with each stretch, so
//! edges cross rather than lie on one another, and fan out from three points of each side of a box. An edge of wb that is one of
//! co too is not drawn beside it: the title of that of co says so ([`DrawnEdge::also`](super::DrawnEdge::also)).

mod place;

use super::{Column, EdgeLabel, Head, Node};
use crate::sort;
use rustc_hash::FxHashMap;

/// Distance that curves keep from foreign nodes where there is room. Where events stand close to each other it is less, but
/// more than half of the distance of samples, so that no corner is cut between them.
const CLEARANCE: f32 = 5.0;
/// How far ways through one gap between two events are apart where there is room.
const LANE: f32 = 7.0;
/// Distance that curves keep from the borders of the drawing.
const BORDER: f32 = 3.0;
/// Distance that curves like to keep from foreign nodes.
const COMFORT: f32 = 12.0;
/// Distance of samples on a curve.
const STEP: f32 = 8.0;
/// Size of the cells in which curves count as too close to each other.
const CELL: f32 = 6.0;
/// Size of the cells in which nodes are looked up.
const BUCKET: f32 = 48.0;
/// Size of the cells in which labels look for the edges below them.
const FINE: f32 = 4.0;

/// How many samples of a piece of a path are looked at: as many as edges up to [`LONG`] have. Longer ones touch no node
/// anyway, only what they cost is less exact.
const MAX_SAMPLES: usize = 1000;
/// How many cells a grid has: in graphs beyond all screens they are larger instead, or they would fill the memory.
const MAX_CELLS: f32 = 2_000_000.0;

/// Edges over more than this distance run through the channels right away.
const LONG: f32 = 2500.0;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Point {
    pub x: f32,
    pub y: f32,
}

impl Point {
    fn new(x: f32, y: f32) -> Self {
        Self { x, y }
    }

    fn plus(self, direction: Self, length: f32) -> Self {
        Self::new(self.x + direction.x * length, self.y + direction.y * length)
    }

    fn to(self, other: Self) -> Self {
        Self::new(other.x - self.x, other.y - self.y)
    }

    fn length(self) -> f32 {
        self.x.hypot(self.y)
    }

    fn unit(self) -> Self {
        let length = self.length().max(1e-3);
        Self::new(self.x / length, self.y / length)
    }
}

/// What a detour costs in addition: it is worse than any single curve that is not very crowded or bent.
const DETOUR: f32 = 12.0;

/// A piece of a path: start, two control points, end.
type Cubic = [Point; 4];

fn line(a: Point, b: Point) -> Cubic {
    let third = Point::new((b.x - a.x) / 3.0, (b.y - a.y) / 3.0);
    [a, a.plus(third, 1.0), b.plus(third, -1.0), b]
}

fn at(cubic: &Cubic, t: f32) -> Point {
    let s = 1.0 - t;
    let (a, b, c, d) = (s * s * s, 3.0 * s * s * t, 3.0 * s * t * t, t * t * t);
    Point::new(
        a * cubic[0].x + b * cubic[1].x + c * cubic[2].x + d * cubic[3].x,
        a * cubic[0].y + b * cubic[1].y + c * cubic[2].y + d * cubic[3].y,
    )
}

/// The curve of an edge.
#[derive(Clone, Debug, Default)]
pub(super) struct Path {
    pieces: Vec<Cubic>,
}

impl Path {
    fn samples(&self) -> Vec<Point> {
        let mut points = vec![self.pieces[0][0]];
        for piece in &self.pieces {
            let length: f32 = piece.windows(2).map(|pair| pair[0].to(pair[1]).length()).sum();
            let count = ((1.4 * length / STEP).ceil().max(1.0) as usize).min(MAX_SAMPLES);
            points.extend((1..=count).map(|i| at(piece, i as f32 / count as f32)));
        }
        points
    }

    fn reversed(mut self) -> Self {
        self.pieces.reverse();
        self.pieces.iter_mut().for_each(|piece| piece.reverse());
        self
    }

    /// As SVG path data.
    pub(crate) fn data(&self) -> String {
        use std::fmt::Write;
        let mut data = String::new();
        for (index, [start, a, b, end]) in self.pieces.iter().enumerate() {
            if index == 0 {
                let _ = write!(data, "M{} {}", number(start.x), number(start.y));
            }
            let _ = write!(data, "C{} {} {} {}", number(a.x), number(a.y), number(b.x), number(b.y));
            let _ = write!(data, " {} {}", number(end.x), number(end.y));
        }
        data
    }

    pub(crate) fn head(&self) -> Head {
        let last = self.pieces[self.pieces.len() - 1];
        let direction = [2, 1, 0].into_iter().map(|i| last[i].to(last[3])).find(|direction| direction.length() > 0.1);
        let angle = direction.map_or(0.0, |direction| direction.y.atan2(direction.x).to_degrees());
        Head { x: number(last[3].x), y: number(last[3].y), angle: number(angle) }
    }

    /// The smallest and largest coordinates.
    pub(crate) fn bounds(&self) -> (Point, Point) {
        let (mut low, mut high) = (self.pieces[0][0], self.pieces[0][0]);
        for point in self.samples() {
            low = Point::new(low.x.min(point.x), low.y.min(point.y));
            high = Point::new(high.x.max(point.x), high.y.max(point.y));
        }
        (low, high)
    }
}

/// A coordinate with at most one decimal.
pub(super) fn number(x: f32) -> f32 {
    // Adding 0 turns -0 into 0.
    (x * 10.0).round() / 10.0 + 0.0
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Side {
    Left,
    Right,
    Top,
    Bottom,
}

/// A point of a node's border.
#[derive(Clone, Copy, Debug)]
struct Port {
    side: Side,
    slot: u8,
    point: Point,
}

impl Port {
    fn outwards(self) -> Point {
        match self.side {
            Side::Left => Point::new(-1.0, 0.0),
            Side::Right => Point::new(1.0, 0.0),
            Side::Top => Point::new(0.0, -1.0),
            Side::Bottom => Point::new(0.0, 1.0),
        }
    }

    /// How far it is from where an edge in the given direction should end: on the middle of its side if it goes straight
    /// away, else shifted to where it goes, so that edges at one side don't cross at their ends.
    fn off(self, direction: Point) -> f32 {
        let direction = direction.unit();
        let along = match self.side {
            Side::Left | Side::Right => direction.y,
            Side::Top | Side::Bottom => direction.x,
        };
        (SLOTS[self.slot as usize] - (0.5 + 0.4 * along).clamp(0.2, 0.8)).abs()
    }
}

/// Where on a side edges may end. Slot 0 is the middle, which po has at the top and bottom of thread events.
const SLOTS: [f32; 3] = [0.5, 0.2, 0.8];

fn port(node: &Node, side: Side, slot: u8) -> Port {
    let along = SLOTS[slot as usize];
    let point = match side {
        Side::Left => Point::new(node.x, node.y + along * node.height),
        Side::Right => Point::new(node.x + node.width, node.y + along * node.height),
        Side::Top => Point::new(node.x + along * node.width, node.y),
        Side::Bottom => Point::new(node.x + along * node.width, node.y + node.height),
    };
    Port { side, slot, point }
}

fn middle(node: &Node) -> Point {
    Point::new(node.x + node.width / 2.0, node.y + node.height / 2.0)
}

/// Whether a point is inside a node enlarged by `by` on each side.
fn inside(node: &Node, point: Point, by: f32) -> bool {
    point.x > node.x - by
        && point.x < node.x + node.width + by
        && point.y > node.y - by
        && point.y < node.y + node.height + by
}

/// Whether the line from one point to another runs through a node, and not only along its border.
fn crosses(node: &Node, a: Point, b: Point) -> bool {
    const BORDER: f32 = 0.2;
    // The part of the line, from 0 to 1, that is between both of its edges in each direction.
    let (mut first, mut last) = (0.0f32, 1.0f32);
    for (from, to, low, size) in [(a.x, b.x, node.x, node.width), (a.y, b.y, node.y, node.height)] {
        let (low, high) = (low + BORDER, low + size - BORDER);
        if from.max(to) <= low || from.min(to) >= high {
            return false;
        }
        if from != to {
            let (enters, leaves) = ((low - from) / (to - from), (high - from) / (to - from));
            first = first.max(enters.min(leaves));
            last = last.min(enters.max(leaves));
        }
    }
    first < last
}

/// Routes the edges of one drawing.
pub(super) struct Router<'a> {
    nodes: &'a [Node],
    columns: &'a [Column],
    /// The nodes of each column from top to bottom.
    stacks: Vec<Vec<usize>>,
    /// Where the first row starts.
    first_row: f32,
    /// Of the drawing: no curve or label reaches beyond it.
    width: f32,
    /// Distance that curves keep from foreign nodes.
    clearance: f32,
    /// How far ways through one gap between two events are apart.
    lane: f32,
    /// Which nodes are near a point.
    buckets: Grid,
    /// Which edges pass a cell.
    ink: Grid,
    /// The same in smaller cells and without gaps, for labels.
    strokes: Grid,
    /// How many edges end at a port.
    used: FxHashMap<(usize, Side, u8), f32>,
    labels: Vec<EdgeLabel>,
    /// Which labels are near a point.
    label_buckets: Grid,
}

/// Lists by cell of the plane, dense. What lies outside falls into the cells at the border.
struct Grid {
    low: Point,
    size: f32,
    width: usize,
    height: usize,
    cells: Vec<Vec<u32>>,
}

impl Grid {
    fn new(low: Point, high: Point, size: f32) -> Self {
        let cells = (high.x - low.x) * (high.y - low.y) / (size * size);
        let size = size * (cells / MAX_CELLS).sqrt().max(1.0);
        let width = ((high.x - low.x) / size) as usize + 1;
        let height = ((high.y - low.y) / size) as usize + 1;
        Self { low, size, width, height, cells: vec![Vec::new(); width * height] }
    }

    fn index(&self, point: Point) -> (usize, usize) {
        // Negative numbers become 0.
        let x = ((point.x - self.low.x) / self.size) as usize;
        let y = ((point.y - self.low.y) / self.size) as usize;
        (x.min(self.width - 1), y.min(self.height - 1))
    }

    fn cell(&self, point: Point) -> usize {
        let (x, y) = self.index(point);
        y * self.width + x
    }

    fn get(&self, point: Point) -> &[u32] {
        &self.cells[self.cell(point)]
    }

    /// The cells that a rectangle meets.
    fn meeting(&self, low: Point, high: Point) -> impl Iterator<Item = usize> + use<> {
        let ((x0, y0), (x1, y1)) = (self.index(low), self.index(high));
        let width = self.width;
        (y0..=y1).flat_map(move |y| (x0..=x1).map(move |x| y * width + x))
    }

    fn insert(&mut self, low: Point, high: Point, item: usize) {
        for cell in self.meeting(low, high) {
            self.cells[cell].push(item as u32);
        }
    }
}

impl<'a> Router<'a> {
    /// Edges of a drawing of this width, whose events start at `first_row`.
    pub(crate) fn new(nodes: &'a [Node], columns: &'a [Column], first_row: f32, width: f32) -> Self {
        // Edges bend out of the nodes' rectangle, but not far.
        const AROUND: f32 = 100.0;
        let right = nodes.iter().map(|node| node.x + node.width).fold(0.0, f32::max);
        let bottom = nodes.iter().map(|node| node.y + node.height).fold(0.0, f32::max);
        let (low, high) = (Point::new(-AROUND, -AROUND), Point::new(right + AROUND, bottom + AROUND));
        let mut buckets = Grid::new(low, high, BUCKET);
        let mut stacks = vec![Vec::new(); columns.len()];
        for (index, node) in nodes.iter().enumerate() {
            buckets.insert(
                Point::new(node.x - COMFORT, node.y - COMFORT),
                Point::new(node.x + node.width + COMFORT, node.y + node.height + COMFORT),
                index,
            );
            if let Some(column) = node.column {
                stacks[column].push(index);
            }
        }
        let gap = |pair: &[usize]| nodes[pair[1]].y - nodes[pair[0]].y - nodes[pair[0]].height;
        let half = stacks.iter().flat_map(|stack| stack.windows(2).map(gap)).fold(f32::INFINITY, f32::min) / 2.0;
        let clearance = (0.58 * half).clamp(3.2, CLEARANCE);
        Self {
            nodes,
            columns,
            stacks,
            first_row,
            width,
            clearance,
            lane: (half - clearance - 0.2).clamp(0.0, LANE),
            buckets,
            ink: Grid::new(low, high, CELL),
            strokes: Grid::new(low, high, FINE),
            used: FxHashMap::default(),
            labels: Vec::new(),
            label_buckets: Grid::new(low, high, BUCKET),
        }
    }

    /// The straight line from an event to the next of its thread.
    pub(crate) fn po(&mut self, edge: usize, from: usize, to: usize) -> Path {
        let (a, b) = (port(&self.nodes[from], Side::Bottom, 0), port(&self.nodes[to], Side::Top, 0));
        let path = Path { pieces: vec![line(a.point, b.point)] };
        self.commit(edge, &path.samples());
        path
    }

    /// The curve of any other edge.
    pub(crate) fn route(&mut self, edge: usize, from: usize, to: usize) -> Path {
        let mut best: Option<(f32, Path, Vec<Point>, Port, Port)> = None;
        let mut consider = |router: &Self, path: Path, a: Port, b: Port, extra: f32, check: bool| {
            let base = extra + router.use_cost(from, a) + router.use_cost(to, b);
            if best.as_ref().is_some_and(|(cost, ..)| base + path.chord() / 40.0 >= *cost) {
                return;
            }
            let samples = path.samples();
            if check && router.touches(&samples, from, to) {
                return;
            }
            let cost = base + router.cost(&samples, from, to);
            if best.as_ref().is_none_or(|(least, ..)| cost < *least) {
                best = Some((cost, path, samples, a, b));
            }
        };
        // Nobody follows a curve over several screens, and trying them all takes long: in a graph that high, most edges
        // are that long.
        let is_long = middle(&self.nodes[from]).to(middle(&self.nodes[to])).length() > LONG;
        let ports = if is_long { Vec::new() } else { self.ports(from, to) };
        for (a, b, extra) in ports {
            for path in curves(a, b) {
                consider(self, path, a, b, extra, true);
            }
        }
        for (path, a, b) in self.detours(from, to).into_iter().take(if is_long { 3 } else { usize::MAX }) {
            consider(self, path, a, b, DETOUR, false);
        }
        let (_, path, samples, a, b) = best.expect("a detour is always possible");
        *self.used.entry((from, a.side, a.slot)).or_default() += 1.0;
        *self.used.entry((to, b.side, b.slot)).or_default() += 1.0;
        self.commit(edge, &samples);
        path
    }

    fn commit(&mut self, edge: usize, samples: &[Point]) {
        for &point in samples {
            let cell = self.ink.cell(point);
            let passing = &mut self.ink.cells[cell];
            if passing.last() != Some(&(edge as u32)) {
                passing.push(edge as u32);
            }
        }
        for pair in samples.windows(2) {
            let step = pair[0].to(pair[1]);
            let count = (step.length() / (0.75 * self.strokes.size)).ceil().max(1.0);
            for part in 0..=count as usize {
                let cell = self.strokes.cell(pair[0].plus(step, part as f32 / count));
                let passing = &mut self.strokes.cells[cell];
                if passing.last() != Some(&(edge as u32)) {
                    passing.push(edge as u32);
                }
            }
        }
    }

    fn use_cost(&self, node: usize, port: Port) -> f32 {
        9.0 * self.used.get(&(node, port.side, port.slot)).copied().unwrap_or(0.0)
    }

    /// Pairs of ends worth trying, each with a cost for being unusual.
    fn ports(&self, from: usize, to: usize) -> Vec<(Port, Port, f32)> {
        let (a, b) = (&self.nodes[from], &self.nodes[to]);
        let (ma, mb) = (middle(a), middle(b));
        let same_column = a.column.is_some() && a.column == b.column;
        let below = mb.y > ma.y + a.height;
        let above = mb.y < ma.y - a.height;
        let mut sides = Vec::new();
        if same_column {
            sides.extend([(Side::Right, Side::Right, 0.0), (Side::Left, Side::Left, 0.5)]);
        } else {
            let (near, far) = if ma.x <= mb.x { (Side::Right, Side::Left) } else { (Side::Left, Side::Right) };
            // Nodes of the top row stand close to each other: their edges leave them downwards.
            let sideways = if a.column.is_none() { 3.0 } else { 0.0 };
            sides.push((near, far, sideways));
            if below {
                sides.extend([
                    (Side::Bottom, Side::Top, 0.8),
                    (Side::Bottom, far, 0.5),
                    (near, Side::Top, 1.0 + sideways),
                ]);
                if (ma.x - mb.x).abs() < a.width.max(b.width) {
                    sides.push((Side::Bottom, near, 2.0));
                }
            }
            if above {
                sides.extend([(Side::Top, Side::Bottom, 0.8), (Side::Top, far, 0.5), (near, Side::Bottom, 1.0)]);
            }
        }
        let slots = |node: &Node, side: Side, other: Point| -> Vec<u8> {
            let mut slots: Vec<u8> = match side {
                Side::Top | Side::Bottom if node.column.is_some() => vec![1, 2],
                _ => vec![0, 1, 2],
            };
            let distance = |slot: u8| port(node, side, slot).point.to(other).length();
            sort::by(&mut slots, |&a, &b| distance(a).total_cmp(&distance(b)));
            slots
        };
        let mut ports = Vec::new();
        for (side_a, side_b, extra) in sides {
            for (i, slot_a) in slots(a, side_a, mb).into_iter().enumerate() {
                for (j, slot_b) in slots(b, side_b, ma).into_iter().enumerate() {
                    if i + j > 3 {
                        continue;
                    }
                    let (start, end) = (port(a, side_a, slot_a), port(b, side_b, slot_b));
                    let off = start.off(ma.to(mb)) + end.off(mb.to(ma));
                    ports.push((start, end, extra + 3.0 * off));
                }
            }
        }
        ports
    }

    /// Whether a curve touches a foreign node or runs through its own.
    fn touches(&self, samples: &[Point], from: usize, to: usize) -> bool {
        let own = [&self.nodes[from], &self.nodes[to]];
        // Between two samples there is room for a corner of what they are no distance from.
        if samples.windows(2).any(|pair| own.iter().any(|node| crosses(node, pair[0], pair[1]))) {
            return true;
        }
        let touches = |point: Point| {
            self.buckets.get(point).iter().any(|&node| {
                let node = node as usize;
                node != from && node != to && inside(&self.nodes[node], point, self.clearance)
            }) || point.x < BORDER
                || point.x > self.width - BORDER
                || point.y < BORDER
        };
        // Most curves that touch a node are found out by few points.
        samples.iter().step_by(5).any(|&point| touches(point)) || samples.iter().any(|&point| touches(point))
    }

    /// Length, bends and closeness to other edges and foreign nodes.
    fn cost(&self, samples: &[Point], from: usize, to: usize) -> f32 {
        let (mut length, mut turn, mut crowded, mut near) = (0.0, 0.0, 0.0, 0.0);
        let is_near = |node: &u32, point: Point| {
            let node = *node as usize;
            node != from && node != to && inside(&self.nodes[node], point, COMFORT)
        };
        let mut before: Option<Point> = None;
        let mut last_cell = None;
        // To cross another edge is nothing; to run along it takes more and more.
        let mut along = 0.0f32;
        for pair in samples.windows(2) {
            let step = pair[0].to(pair[1]);
            length += step.length();
            let direction = step.unit();
            if let Some(before) = before {
                let angle = (before.x * direction.y - before.y * direction.x)
                    .atan2(before.x * direction.x + before.y * direction.y)
                    .abs();
                turn += angle + 3.0 * (angle - 0.3).max(0.0);
            }
            before = Some(direction);
            if self.buckets.get(pair[1]).iter().any(|node| is_near(node, pair[1])) {
                near += 1.0;
            }
            let cell = self.ink.cell(pair[1]);
            if last_cell != Some(cell) {
                last_cell = Some(cell);
                let others = self.ink.cells[cell].len().min(3) as f32;
                along = if others > 0.0 { along + 1.0 } else { 0.0 };
                crowded += others * (0.4 + 0.3 * along).min(4.0);
            }
        }
        length / 40.0 + 1.6 * turn + 1.1 * crowded + 0.3 * near
    }

    /// Ways through channels and gaps that touch no node whatever the graph.
    fn detours(&self, from: usize, to: usize) -> Vec<(Path, Port, Port)> {
        let (a, b) = (&self.nodes[from], &self.nodes[to]);
        let mut found = Vec::new();
        match (a.column, b.column) {
            (None, None) => {
                let (start, end) = (port(a, Side::Top, 0), port(b, Side::Top, 0));
                found.push((
                    Path { pieces: vec![bow(start.point, end.point, Point::new(0.0, -1.0), 30.0)] },
                    start,
                    end,
                ));
            }
            (None, Some(column)) => self.down(a, (b, column), &mut found),
            (Some(column), None) => {
                let mut reversed = Vec::new();
                self.down(b, (a, column), &mut reversed);
                found.extend(reversed.into_iter().map(|(path, start, end)| (path.reversed(), end, start)));
            }
            (Some(i), Some(j)) => match i.cmp(&j) {
                std::cmp::Ordering::Equal => self.beside(a, b, i, &mut found),
                std::cmp::Ordering::Less => self.across((a, i), (b, j), &mut found),
                std::cmp::Ordering::Greater => {
                    let mut reversed = Vec::new();
                    self.across((b, j), (a, i), &mut reversed);
                    found.extend(reversed.into_iter().map(|(path, start, end)| (path.reversed(), end, start)));
                }
            },
        }
        found
    }

    /// The free space left and right of a column.
    fn channels(&self, column: usize) -> (f32, f32) {
        let this = &self.columns[column];
        let left = column.checked_sub(1).map_or(this.x - BORDER, |before| {
            let before = &self.columns[before];
            this.x - before.x - before.width
        });
        let border = self.width - BORDER;
        let right = self.columns.get(column + 1).map_or(border, |next| next.x) - this.x - this.width;
        (left, right)
    }

    /// From a node of the top row down through the band and a channel beside the column of the other node.
    fn down(&self, init: &Node, (event, column): (&Node, usize), found: &mut Vec<(Path, Port, Port)>) {
        let this = &self.columns[column];
        let (left, right) = self.channels(column);
        for (side, edge, outwards, space) in
            [(Side::Left, this.x, -1.0, left), (Side::Right, this.x + this.width, 1.0, right)]
        {
            for (lane, slot) in [(0.2, 0), (0.32, 1), (0.44, 2)] {
                for start_slot in 0..3 {
                    let (start, end) = (port(init, Side::Bottom, start_slot), port(event, side, slot));
                    let x = edge + outwards * lane * space;
                    let top = Point::new(x, self.first_row);
                    let half = (top.y - start.point.y) / 2.0;
                    let turn = Point::new(x, (end.point.y - lane * space).max(top.y));
                    let border = Point::new(edge, end.point.y);
                    let corner = Point::new(x, border.y);
                    let mut pieces = vec![[
                        start.point,
                        start.point.plus(Point::new(0.0, 1.0), half),
                        top.plus(Point::new(0.0, -1.0), half),
                        top,
                    ]];
                    if turn.y > top.y + 0.5 {
                        pieces.push(line(top, turn));
                    }
                    let (k, from) = (0.55, *pieces.last().map(|piece| &piece[3]).expect("there is a piece"));
                    pieces.push([from, from.plus(from.to(corner), k), border.plus(border.to(corner), k), border]);
                    if border.to(end.point).length() > 0.5 {
                        pieces.push(line(border, end.point));
                    }
                    found.push((Path { pieces }, start, end));
                }
            }
        }
    }

    /// Between two nodes of a column: out to a channel and back.
    fn beside(&self, a: &Node, b: &Node, column: usize, found: &mut Vec<(Path, Port, Port)>) {
        let this = &self.columns[column];
        let (left, right) = self.channels(column);
        for (side, edge, outwards, space) in
            [(Side::Right, this.x + this.width, 1.0, right), (Side::Left, this.x, -1.0, left)]
        {
            for (lane, slot) in [(0.35, 0), (0.5, 1), (0.65, 2), (0.8, 0)] {
                let (start, end) = (port(a, side, slot), port(b, side, slot));
                let (p, q) = (Point::new(edge, start.point.y), Point::new(edge, end.point.y));
                let mut pieces = Vec::new();
                if start.point.to(p).length() > 0.5 {
                    pieces.push(line(start.point, p));
                }
                pieces.push(bow(p, q, Point::new(outwards, 0.0), lane * space));
                if end.point.to(q).length() > 0.5 {
                    pieces.push(line(q, end.point));
                }
                found.push((Path { pieces }, start, end));
            }
        }
    }

    /// From a column to one further right: straight through gaps of the columns between, with bends in the channels.
    fn across(&self, (a, i): (&Node, usize), (b, j): (&Node, usize), found: &mut Vec<(Path, Port, Port)>) {
        for (slot_a, slot_b) in [(0, 0), (1, 1), (2, 2)] {
            for shift in [0.0, -self.lane, self.lane] {
                let (start, end) = (port(a, Side::Right, slot_a), port(b, Side::Left, slot_b));
                let mut pieces = Vec::new();
                let mut here = start.point;
                let advance = |pieces: &mut Vec<Cubic>, here: &mut Point, to: Point| {
                    if here.to(to).length() > 0.5 {
                        pieces.push(line(*here, to));
                        *here = to;
                    }
                };
                let bend = |pieces: &mut Vec<Cubic>, here: &mut Point, to: Point| {
                    let half = Point::new((to.x - here.x) / 2.0, 0.0);
                    pieces.push([*here, here.plus(half, 1.0), to.plus(half, -1.0), to]);
                    *here = to;
                };
                let right = |column: &Column| column.x + column.width;
                advance(&mut pieces, &mut here, Point::new(right(&self.columns[i]), start.point.y));
                for between in i + 1..j {
                    let column = &self.columns[between];
                    let share = (column.x + column.width / 2.0 - start.point.x) / (end.point.x - start.point.x);
                    let wanted = start.point.y + share * (end.point.y - start.point.y);
                    let y = self.gap(between, wanted) + shift;
                    bend(&mut pieces, &mut here, Point::new(column.x, y));
                    advance(&mut pieces, &mut here, Point::new(right(column), y));
                }
                bend(&mut pieces, &mut here, Point::new(self.columns[j].x, end.point.y));
                advance(&mut pieces, &mut here, end.point);
                found.push((Path { pieces }, start, end));
                if j == i + 1 {
                    break;
                }
            }
        }
    }

    /// The free height of a column that is nearest to a given one, with room for a lane above and below.
    fn gap(&self, column: usize, wanted: f32) -> f32 {
        let space = self.clearance + self.lane;
        let mut best = f32::INFINITY;
        let mut consider = |low: f32, high: f32| {
            if low <= high {
                let y = wanted.clamp(low, high);
                if (y - wanted).abs() < (best - wanted).abs() {
                    best = y;
                }
            }
        };
        // Above the first node lie the band and the initial writes: just above it is free.
        let mut low = self.first_row - space;
        for &node in &self.stacks[column] {
            let node = &self.nodes[node];
            consider(low, node.y - space);
            low = node.y + node.height + space;
        }
        consider(low, f32::INFINITY);
        best
    }
}

impl Path {
    fn chord(&self) -> f32 {
        self.pieces[0][0].to(self.pieces[self.pieces.len() - 1][3]).length()
    }
}

/// A curve that leaves and comes back on the same side, `depth` away at most.
fn bow(a: Point, b: Point, outwards: Point, depth: f32) -> Cubic {
    let reach = depth / 0.75;
    [a, a.plus(outwards, reach), b.plus(outwards, reach), b]
}

/// Single curves between two ends.
fn curves(a: Port, b: Port) -> Vec<Path> {
    let distance = a.point.to(b.point).length();
    if a.side == b.side {
        return [0.22_f32, 0.34, 0.5]
            .into_iter()
            .map(|share| {
                let depth = (share * distance).clamp(18.0, 90.0);
                Path { pieces: vec![bow(a.point, b.point, a.outwards(), depth)] }
            })
            .collect();
    }
    let chord = a.point.to(b.point).unit();
    let back = Point::new(-chord.x, -chord.y);
    let mix = |normal: Point, chord: Point, weight: f32| {
        Point::new(weight * normal.x + (1.0 - weight) * chord.x, weight * normal.y + (1.0 - weight) * chord.y).unit()
    };
    [(0.35, 0.33), (0.75, 0.4), (1.0, 0.55)]
        .into_iter()
        .map(|(weight, share)| {
            let length = (share * distance).clamp(8.0, 180.0);
            let c1 = a.point.plus(mix(a.outwards(), chord, weight), length);
            let c2 = b.point.plus(mix(b.outwards(), back, weight), length);
            Path { pieces: vec![[a.point, c1, c2, b.point]] }
        })
        .collect()
}
