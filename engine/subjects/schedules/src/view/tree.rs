//! The verifier's tree after some of its steps, and the same drawn.
//!
//! It is made of the steps alone, so that any place between them can be shown.

use crate::art::NodeId;
use crate::formula::Formula;
use crate::impact::{Abandoned, Cover, Step};
use crate::report::Reporter;
use litmoscope_core::graph::{EventKey, ThreadId};
use litmoscope_core::program::Span;
use litmoscope_core::program::system::{PointId, PointKind, TransitionId};
use litmoscope_core::words::list;
use litmoscope_draw::{
    CHARACTER_WIDTH, Drawing, DrawnEdge, EdgeKey, EdgeKind, EdgeLabel, FONT_SIZE, Head, LABEL_FONT_SIZE, Mark, Node,
    NodeKind, OwnKind, Shades, tidy,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::fmt::Write;

/// How many nodes are drawn at most.
pub(super) const MAX_DRAWN: usize = 240;
/// Longer labels are cut.
const MAX_LABEL: usize = 30;
/// Longer names of events are cut.
const MAX_EVENT: usize = 22;
/// How many threads at a node that are not expanded have a stub each.
const MAX_STUBS: usize = 3;
/// The height of a node.
const HEIGHT: f32 = 30.0;
/// From one level to the next.
const LEVEL: f32 = 88.0;
/// The height of a stub.
const STUB: f32 = 20.0;
/// Free space around everything.
const MARGIN: f32 = 28.0;
/// Free space between two nodes of a level.
const APART: f32 = 26.0;

/// The kinds of edges.
pub(super) const STEP: EdgeKind = EdgeKind::Own(0);
const FAIR: EdgeKind = EdgeKind::Own(1);
const PLAIN: EdgeKind = EdgeKind::Own(2);
const OPEN: EdgeKind = EdgeKind::Own(3);

pub(super) fn kinds() -> Vec<OwnKind> {
    // Each on light, on dark, and on white with high contrast.
    let grey = ["#57606a", "#8b98a5", "#000000"];
    let blue = ["#0a58ca", "#6cb2ff", "#00147a"];
    let kind = |name: &'static str, [light, dark, contrast]: [&'static str; 3], dash: &'static str| OwnKind {
        name: name.into(),
        standard: Shades::new(light, dark, contrast),
        safe: Shades::new(light, dark, contrast),
        dash: dash.into(),
    };
    vec![
        kind("step", grey, ""),
        kind("covered", blue, "7 4"),
        kind("covered plainly", grey, "2 4"),
        kind("not expanded", grey, "1 3"),
    ]
}

/// What is known of a thread at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// It was not looked at.
    Open,
    /// It is expanded.
    Expanded,
    /// It is proven to wait.
    Waits,
    /// It is not scheduled.
    Abandoned(Abandoned),
}

/// A node of the verifier's tree.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub above: Option<(u32, TransitionId)>,
    pub depth: u32,
    pub points: Box<[PointId]>,
    pub label: Formula,
    pub is_empty: bool,
    pub below: Vec<(TransitionId, u32)>,
    /// By thread.
    pub threads: Box<[Known]>,
    pub fair: Option<u32>,
    pub plain: Option<u32>,
    /// Which counterexample ends here.
    pub wrong: Option<usize>,
}

impl Place {
    /// A node of which nothing is known yet.
    fn new(above: Option<(u32, TransitionId)>, depth: u32, points: Box<[PointId]>) -> Self {
        Self {
            above,
            depth,
            threads: vec![Known::Open; points.len()].into(),
            points,
            label: Formula::TRUE,
            is_empty: false,
            below: Vec::new(),
            fair: None,
            plain: None,
            wrong: None,
        }
    }
}

/// The tree after some steps.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    pub nodes: Vec<Place>,
    /// How many counterexamples there were.
    wrong: usize,
    /// The result that is the newest.
    pub result: Option<usize>,
    /// The node that the last step was about, and the nodes that it made.
    pub focus: u32,
    pub new: Vec<u32>,
}

/// What a node is: a region of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Region {
    /// In the newest result: schedules may lead there.
    Proven,
    /// An error or a deadlock.
    Wrong,
    /// Not in a result yet.
    Open,
    /// Left for the sake of a promise.
    Abandoned,
    /// No run gets there.
    Empty,
}

impl Region {
    /// In words, as a clause.
    pub fn words(self) -> &'static str {
        match self {
            Self::Proven => "proven right",
            Self::Wrong => "goes wrong",
            Self::Open => "not yet known",
            Self::Abandoned => "abandoned",
            Self::Empty => "no run gets here",
        }
    }
}

impl Tree {
    /// Before the first step.
    pub(super) fn new(reporter: Reporter<'_>) -> Self {
        let points: Box<[PointId]> = reporter.system.threads.iter().map(|thread| thread.start).collect();
        Self { nodes: vec![Place::new(None, 0, points)], wrong: 0, result: None, focus: 0, new: Vec::new() }
    }

    /// Follows a step.
    pub(super) fn follow(&mut self, reporter: Reporter<'_>, step: &Step<Formula>) {
        self.new.clear();
        let at = |node: &NodeId| node.0 as usize;
        let focus = match step {
            Step::Start { node, .. } => *node,
            Step::Expand { node, thread, below } => {
                for (transition, new) in below {
                    let mut points = self.nodes[at(node)].points.clone();
                    points[usize::from(*thread)] = reporter.system.transition(*transition).to;
                    // Its number is its place.
                    self.new.push(new.0);
                    let depth = self.nodes[at(node)].depth + 1;
                    self.nodes.push(Place::new(Some((node.0, *transition)), depth, points));
                }
                let this = &mut self.nodes[at(node)];
                this.threads[usize::from(*thread)] = Known::Expanded;
                this.below.extend(below.iter().map(|(transition, new)| (*transition, new.0)));
                this.below.sort_unstable();
                *node
            }
            Step::Interpolate { path, .. } => path.last().copied().unwrap_or(NodeId(self.focus)),
            Step::Strengthen { node, after, is_empty, .. } => {
                let this = &mut self.nodes[at(node)];
                (this.label, this.is_empty) = (*after, *is_empty);
                *node
            }
            Step::Cover { node, by, kind } => {
                *self.cover(*node, *kind) = Some(by.0);
                *node
            }
            Step::Uncover { node, kind, .. } => {
                *self.cover(*node, *kind) = None;
                *node
            }
            Step::Unfair { node, .. } | Step::Proven { node, .. } => *node,
            Step::Refuted { node, thread } => {
                self.nodes[at(node)].threads[usize::from(*thread)] = Known::Waits;
                *node
            }
            Step::Abandon { node, thread, why } => {
                self.nodes[at(node)].threads[usize::from(*thread)] = Known::Abandoned(*why);
                *node
            }
            Step::Counterexample(found) => {
                self.nodes[at(&found.node)].wrong = Some(self.wrong);
                self.wrong += 1;
                found.node
            }
            Step::Result(result) => {
                self.result = Some(*result);
                NodeId(0)
            }
            Step::Verdict(_) => NodeId(0),
        };
        self.focus = focus.0;
    }

    fn cover(&mut self, node: NodeId, kind: Cover) -> &mut Option<u32> {
        let node = &mut self.nodes[node.0 as usize];
        match kind {
            Cover::Plain => &mut node.plain,
            Cover::Fair => &mut node.fair,
        }
    }

    /// By node, what it is. `proven` are the nodes of the newest result.
    pub(super) fn regions(&self, reporter: Reporter<'_>, proven: &FxHashSet<u32>) -> Vec<Region> {
        let mut regions: Vec<Region> = Vec::with_capacity(self.nodes.len());
        for (node, place) in (0..).zip(&self.nodes) {
            let above = place.above.map(|(above, step)| {
                let thread = usize::from(reporter.system.transition(step).thread);
                let is_left = matches!(self.nodes[above as usize].threads[thread], Known::Abandoned(_));
                (regions[above as usize], is_left)
            });
            regions.push(match above {
                _ if place.wrong.is_some() => Region::Wrong,
                _ if place.is_empty => Region::Empty,
                _ if proven.contains(&node) => Region::Proven,
                Some((Region::Empty, _)) => Region::Empty,
                Some((Region::Abandoned, _) | (_, true)) => Region::Abandoned,
                _ => Region::Open,
            });
        }
        regions
    }

    /// The nodes from one to another along steps of schedules and fair coverings, without steps of a thread.
    pub(super) fn way(&self, reporter: Reporter<'_>, from: u32, to: u32, without: u16) -> Vec<u32> {
        let mut before: FxHashMap<u32, u32> = FxHashMap::default();
        let mut queue = VecDeque::from([from]);
        while let Some(at) = queue.pop_front() {
            if at == to {
                let mut way = vec![to];
                while let Some(&up) = way.last().filter(|last| **last != from).and_then(|last| before.get(last)) {
                    way.push(up);
                }
                way.reverse();
                return way;
            }
            let place = &self.nodes[at as usize];
            let goes = |step: TransitionId| reporter.system.transition(step).thread != without;
            let below = place.below.iter().filter(|(step, _)| goes(*step)).map(|(_, below)| *below);
            for next in below.chain(place.fair) {
                if next != from && !before.contains_key(&next) {
                    before.insert(next, at);
                    queue.push_back(next);
                }
            }
        }
        Vec::new()
    }

    /// The edges between nodes that follow each other, as drawn.
    pub(super) fn edges_of(&self, way: &[u32]) -> Vec<EdgeKey> {
        let edge = |pair: &[u32]| {
            let kind = if self.nodes[pair[0] as usize].fair == Some(pair[1]) { FAIR } else { STEP };
            EdgeKey { from: key(pair[0]), to: key(pair[1]), kind }
        };
        way.windows(2).map(edge).collect()
    }
}

/// The name of a node in drawings.
pub(super) fn key(node: u32) -> EventKey {
    EventKey { thread: ThreadId(0), serial: node }
}

/// The node that has a name in drawings, or that a stub belongs to.
pub(super) fn node_of(key: EventKey) -> u32 {
    key.serial
}

fn stub_key(node: u32, stub: usize) -> EventKey {
    EventKey { thread: ThreadId(1 + stub as u16), serial: node }
}

fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most - 1).collect::<String>() + "…"
}

fn width(text: &str) -> f32 {
    text.chars().count() as f32 * FONT_SIZE * CHARACTER_WIDTH + 20.0
}

/// What is drawn of a tree.
pub(super) struct Sketch<'a> {
    pub tree: &'a Tree,
    pub reporter: Reporter<'a>,
    /// By node.
    pub regions: &'a [Region],
    /// Whether partial-order reduction leaves a thread out at a node.
    pub skips: &'a dyn Fn(u32, u16) -> bool,
    /// The node that is chosen, besides the one that the step is about.
    pub chosen: Option<u32>,
    /// The ways that are brought out.
    pub lit: &'a FxHashSet<EdgeKey>,
}

/// A stub: threads that are not expanded at a node.
struct Stub {
    label: String,
    title: String,
    is_abandoned: bool,
}

impl Sketch<'_> {
    /// Draws it: all nodes, or those nearest to the step, which is said then.
    pub(super) fn draw(&self, label: &mut dyn FnMut(Formula) -> String) -> (Drawing, Option<String>) {
        let (shown, note) = self.shown();
        let index: FxHashMap<u32, usize> = shown.iter().copied().zip(0..).collect();
        let parents: Vec<usize> = shown
            .iter()
            .map(|node| self.tree.nodes[*node as usize].above.and_then(|(above, _)| index.get(&above).copied()))
            .map(|parent| parent.unwrap_or(0))
            .collect();
        let across = tidy(&parents);
        let texts: Vec<String> = shown.iter().map(|node| self.text(*node, label)).collect();
        let stubs: Vec<Vec<Stub>> = shown.iter().map(|node| self.stubs(*node)).collect();
        let beside = |stubs: &[Stub]| stubs.iter().map(|stub| stub_width(&stub.label) + 10.0).sum::<f32>();
        let whole = texts.iter().zip(&stubs).map(|(text, stubs)| width(&cut(text, MAX_LABEL)) + beside(stubs));
        let unit = whole.fold(60.0, f32::max) + APART;
        let top = shown.first().map_or(0, |node| self.tree.nodes[*node as usize].depth);
        let mut places: FxHashMap<u32, [f32; 3]> = FxHashMap::default();
        for (at, &node) in shown.iter().enumerate() {
            let own = width(&cut(&texts[at], MAX_LABEL));
            let x = across[at] as f32 * unit + (unit - own - beside(&stubs[at])) / 2.0;
            let y = MARGIN + (self.tree.nodes[node as usize].depth - top) as f32 * LEVEL;
            places.insert(node, [x, y, own]);
        }
        // Coverings go round the outside: through no node.
        let mut coverings = Vec::new();
        for &node in &shown {
            let place = &self.tree.nodes[node as usize];
            let Some((by, kind)) = place.fair.map(|by| (by, FAIR)).or(place.plain.map(|by| (by, PLAIN))) else {
                continue;
            };
            let Some(to) = places.get(&by).copied() else { continue };
            let from = places[&node];
            let (upper, lower) = (from[1].min(to[1]) - 1.0, from[1].max(to[1]) + 1.0);
            let between = places.values().filter(|[_, y, _]| (upper..=lower).contains(y));
            let side = between.map(|[x, ..]| *x).fold(f32::INFINITY, f32::min) - 30.0;
            coverings.push((node, by, kind, side));
        }
        let outside = coverings.iter().map(|(.., side)| *side).fold(0.0, f32::min);
        let shift = MARGIN - outside;
        places.values_mut().for_each(|[x, ..]| *x += shift);
        let (mut nodes, mut edges) = (Vec::new(), Vec::new());
        for ((&node, text), stubs) in shown.iter().zip(&texts).zip(&stubs) {
            let at = places[&node];
            if let Some((above, step)) = self.tree.nodes[node as usize].above
                && let Some(from) = places.get(&above)
            {
                edges.push(self.step(above, node, step, *from, at));
            }
            nodes.push(self.node(node, cut(text, MAX_LABEL), label, at));
            let mut left = at[0] + at[2] + 10.0;
            for (number, stub) in stubs.iter().enumerate() {
                let (stub, edge) = stub.draw(node, number, [left, at[1] + HEIGHT / 2.0]);
                left += stub.width + 10.0;
                nodes.push(stub);
                edges.push(edge);
            }
        }
        for (node, by, kind, side) in coverings {
            edges.push(self.covering(node, by, kind, places[&node], places[&by], side + shift));
        }
        // Nothing can be set apart in titles.
        nodes.iter_mut().for_each(|node| node.title.retain(|sign| sign != '`'));
        edges.iter_mut().for_each(|edge| edge.title.retain(|sign| sign != '`'));
        edges.sort_by_key(|edge| edge.in_cycle);
        let right = nodes.iter().map(|node| node.x + node.width).fold(0.0, f32::max);
        let bottom = nodes.iter().map(|node| node.y + node.height).fold(0.0, f32::max);
        let drawing = Drawing {
            width: (right + MARGIN).ceil(),
            height: (bottom + MARGIN).ceil(),
            columns: Vec::new(),
            initial: None,
            frames: Vec::new(),
            rows: nodes.len(),
            nodes,
            edges,
            relations: Vec::new(),
            kinds: kinds(),
            chosen_co: false,
        };
        (drawing, note)
    }

    /// The nodes that are drawn, ascending, and what is to be said of the others.
    fn shown(&self) -> (Vec<u32>, Option<String>) {
        let all = self.tree.nodes.len();
        if all <= MAX_DRAWN {
            return ((0..all as u32).collect(), None);
        }
        let start = self.chosen.unwrap_or(self.tree.focus);
        let mut seen = FxHashSet::from_iter([start]);
        let mut queue = VecDeque::from([start]);
        while let Some(at) = queue.pop_front() {
            let place = &self.tree.nodes[at as usize];
            let above = place.above.map(|(above, _)| above);
            for next in above.into_iter().chain(place.below.iter().map(|(_, below)| *below)) {
                if seen.len() < MAX_DRAWN && seen.insert(next) {
                    queue.push_back(next);
                }
            }
        }
        let mut shown: Vec<u32> = seen.into_iter().collect();
        shown.sort_unstable();
        let note = format!("The tree has {all} nodes. The {MAX_DRAWN} nearest to this step are drawn.");
        (shown, Some(note))
    }

    /// What stands in the box of a node: the line of each thread, and what holds.
    fn text(&self, node: u32, label: &mut dyn FnMut(Formula) -> String) -> String {
        let place = &self.tree.nodes[node as usize];
        let lines: Vec<String> = place
            .points
            .iter()
            .enumerate()
            .map(|(thread, point)| {
                let point = self.reporter.system.point(thread, *point);
                match point.kind {
                    PointKind::Event(_) => point.span.line.to_string(),
                    PointKind::Ended => "–".to_owned(),
                    PointKind::Error(_) => "✗".to_owned(),
                }
            })
            .collect();
        let holds = match label(place.label) {
            _ if place.is_empty => "never".to_owned(),
            holds if holds == "true" => String::new(),
            holds => holds,
        };
        let space = if holds.is_empty() { "" } else { "  " };
        format!("{}{space}{holds}", lines.join("·"))
    }

    fn stubs(&self, node: u32) -> Vec<Stub> {
        let place = &self.tree.nodes[node as usize];
        let region = self.regions[node as usize];
        if place.fair.is_some() || place.plain.is_some() || matches!(region, Region::Empty | Region::Wrong) {
            return Vec::new();
        }
        let active = |thread: usize| self.reporter.system.point(thread, place.points[thread]).is_active();
        let mut open = Vec::new();
        let mut left = Vec::new();
        for (thread, known) in place.threads.iter().enumerate() {
            let name = self.reporter.thread(thread as u16);
            match known {
                Known::Open if active(thread) && !(self.skips)(node, thread as u16) => open.push(name),
                Known::Abandoned(why) if !self.is_expanded(node, thread) => left.push((name, *why)),
                _ => {}
            }
        }
        let mut stubs = Vec::new();
        if open.len() > MAX_STUBS {
            let title = format!("{} were not looked at here", list(open.iter().cloned()));
            stubs.push(Stub { label: format!("{}?", open.len()), title, is_abandoned: false });
        } else {
            stubs.extend(open.into_iter().map(|name| Stub {
                title: format!("{name} was not looked at here"),
                label: format!("{}?", cut(&name, 5)),
                is_abandoned: false,
            }));
        }
        stubs.extend(left.into_iter().take(MAX_STUBS).map(|(name, why)| Stub {
            title: format!("{name} is not scheduled here: {}", super::words::abandoned(why)),
            label: cut(&name, 5),
            is_abandoned: true,
        }));
        stubs
    }

    fn is_expanded(&self, node: u32, thread: usize) -> bool {
        let below = &self.tree.nodes[node as usize].below;
        below.iter().any(|(step, _)| usize::from(self.reporter.system.transition(*step).thread) == thread)
    }

    fn node(&self, node: u32, text: String, label: &mut dyn FnMut(Formula) -> String, [x, y, width]: [f32; 3]) -> Node {
        let place = &self.tree.nodes[node as usize];
        let region = self.regions[node as usize];
        let mut marks = Vec::new();
        if self.tree.new.contains(&node) {
            marks.push(Mark::Newest);
        }
        if self.chosen == Some(node) {
            marks.push(Mark::Selected);
        }
        if self.tree.focus == node {
            marks.push(Mark::Present);
        }
        let mut title = format!("n{node}, {}: {}", region.words(), label(place.label));
        for (thread, point) in place.points.iter().enumerate() {
            let _ = write!(title, "; {} {}", self.reporter.thread(thread as u16), self.stands(thread, *point));
        }
        Node {
            key: key(node),
            column: None,
            source: None,
            x,
            y,
            width,
            height: HEIGHT,
            label: text,
            name: format!("n{node}"),
            kind: match region {
                Region::Proven => NodeKind::Read,
                Region::Wrong => NodeKind::Error,
                Region::Open => NodeKind::Write,
                Region::Abandoned => NodeKind::Stuck,
                Region::Empty => NodeKind::Init,
            },
            marks,
            colour: None,
            ghost: region == Region::Empty,
            span: Span::default(),
            title,
        }
    }

    /// Where a thread is, as a clause.
    fn stands(&self, thread: usize, point: PointId) -> String {
        stands(self.reporter, thread, point)
    }

    fn step(&self, above: u32, node: u32, step: TransitionId, from: [f32; 3], to: [f32; 3]) -> DrawnEdge {
        let (start, end) = (from[0] + from[2] / 2.0, to[0] + to[2] / 2.0);
        let (upper, lower) = (from[1] + HEIGHT, to[1]);
        let bend = (lower - upper) * 0.5;
        let text = step_label(self.reporter, step);
        let short = cut(&text, MAX_EVENT);
        let wide = short.chars().count() as f32 * LABEL_FONT_SIZE * CHARACTER_WIDTH;
        let edge = EdgeKey { from: key(above), to: key(node), kind: STEP };
        DrawnEdge {
            from: edge.from,
            to: edge.to,
            kind: STEP,
            also: None,
            path: format!(
                "M{start:.1} {upper:.1}C{start:.1} {:.1} {end:.1} {:.1} {end:.1} {lower:.1}",
                upper + bend,
                lower - bend
            ),
            head: Head { x: end, y: lower, angle: 90.0 },
            label: Some(EdgeLabel {
                text: short,
                x: (start + 3.0 * end) / 4.0,
                y: (upper + 2.0 * lower) / 3.0,
                width: wide,
                height: LABEL_FONT_SIZE,
            }),
            in_cycle: self.lit.contains(&edge),
            new: self.tree.new.contains(&node),
            ghost: self.regions[node as usize] == Region::Empty,
            title: format!("{text}, in line {}", self.reporter.step(step, &[]).line),
        }
    }

    fn covering(&self, node: u32, by: u32, kind: EdgeKind, from: [f32; 3], to: [f32; 3], side: f32) -> DrawnEdge {
        let (start, end) = (from[1] + HEIGHT / 2.0, to[1] + HEIGHT / 2.0);
        let edge = EdgeKey { from: key(node), to: key(by), kind };
        let plainly = if kind == PLAIN { " plainly" } else { "" };
        DrawnEdge {
            from: edge.from,
            to: edge.to,
            kind,
            also: None,
            path: format!("M{:.1} {start:.1}C{side:.1} {start:.1} {side:.1} {end:.1} {:.1} {end:.1}", from[0], to[0]),
            head: Head { x: to[0], y: end, angle: 0.0 },
            label: None,
            in_cycle: self.lit.contains(&edge),
            new: false,
            ghost: false,
            title: format!("n{node} is covered{plainly} by n{by}"),
        }
    }
}

/// Where a thread is, as a clause.
pub(super) fn stands(reporter: Reporter<'_>, thread: usize, point: PointId) -> String {
    let point = reporter.system.point(thread, point);
    match point.kind {
        PointKind::Event(_) => format!("at `{}` in line {}", point.span.on_one_line(reporter.text), point.span.line),
        PointKind::Ended => "has ended".to_owned(),
        PointKind::Error(_) => format!("goes wrong at `{}`", point.span.on_one_line(reporter.text)),
    }
}

/// A step as it stands beside an edge: thread, event, and the way taken where there are several.
pub(super) fn step_label(reporter: Reporter<'_>, step: TransitionId) -> String {
    let transition = reporter.system.transition(step);
    let said = reporter.step(step, &[]);
    let ways: String = transition.branches.iter().map(|branch| if branch.held { " ✓" } else { " ✗" }).collect();
    format!("{}: {}{ways}", said.thread, said.event)
}

impl Stub {
    /// It and the line that leads there, from `left` on at this height.
    fn draw(&self, node: u32, number: usize, [left, middle]: [f32; 2]) -> (Node, DrawnEdge) {
        let to = stub_key(node, number);
        let edge = DrawnEdge {
            from: key(node),
            to,
            kind: OPEN,
            also: None,
            path: format!(
                "M{:.1} {middle:.1}C{:.1} {middle:.1} {:.1} {middle:.1} {left:.1} {middle:.1}",
                left - 10.0,
                left - 7.0,
                left - 3.0
            ),
            head: Head { x: left, y: middle, angle: 0.0 },
            label: None,
            in_cycle: false,
            new: false,
            ghost: true,
            title: self.title.clone(),
        };
        let stub = Node {
            key: to,
            column: None,
            source: None,
            x: left,
            y: middle - STUB / 2.0,
            width: stub_width(&self.label),
            height: STUB,
            label: self.label.clone(),
            name: format!("n{node}, {}", self.label),
            kind: if self.is_abandoned { NodeKind::Stuck } else { NodeKind::Bound },
            marks: Vec::new(),
            colour: None,
            ghost: false,
            span: Span::default(),
            title: self.title.clone(),
        };
        (stub, edge)
    }
}

fn stub_width(label: &str) -> f32 {
    label.chars().count() as f32 * FONT_SIZE * CHARACTER_WIDTH + 10.0
}
