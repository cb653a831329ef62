//! The drawing of an abstract execution whose closure grows: program order and given edges, sources, and what was added.
//!
//! It is a diagram with columns for buffers where they are drawn apart, laid out as all others are. So what is there stays where
//! it is from step to step.

use super::NodeSpeaker;
use crate::consistency::{Closure, ClosureEdge, ClosureEdgeKind, End, Hidden, Instance, Machine, NodeId, Part};
use crate::graph::{Event, EventId, EventKey, Label, RelationName, ThreadId};
use crate::program::{Location, Mode, Program};
use crate::report::parts::{Step, kind, node, node_width, seat, seats, turns};
use crate::report::{
    Diagram, DiagramColumn, DiagramEdge, DiagramNode, Drawing, EdgeKey, EdgeKind, Mark, OwnKind, Place, Room, Shades,
    event_text, layout, location_name,
};
use crate::sort;
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;

/// What a closure adds to the order: a kind of edges that these drawings alone have.
static CLOSURE_KIND: OwnKind = OwnKind {
    name: Cow::Borrowed("closure"),
    standard: Shades::new("#7a2bbf", "#cf9bff", "#702a98"),
    safe: Shades::new("#6a00a7", "#358df5", "#702a98"),
    dash: Cow::Borrowed("7 4"),
};
/// The same, as edges have it.
pub(super) const CLOSURE: EdgeKind = EdgeKind::Own(0);
const PO: EdgeKind = EdgeKind::Relation(RelationName::Po);
const RF: EdgeKind = EdgeKind::Relation(RelationName::Rf);

/// Buffers are not drawn apart where there would be more columns than these.
const MAX_COLUMNS: usize = 64;

/// What to draw.
#[derive(Clone, Copy, Debug)]
pub struct OrderInput<'a> {
    /// The execution and its nodes.
    pub speaker: NodeSpeaker<'a>,
    /// The closure.
    pub closure: &'a Closure,
    /// How many of its steps to show, at most [`OrderInput::steps`].
    pub step: usize,
    /// Where writes stand that wait in buffers.
    pub buffers: BufferColumns,
    /// How much room there is.
    pub room: Room,
}

/// Where writes stand that wait in a store buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferColumns {
    /// In the columns of their threads: each event is one node.
    Together,
    /// In columns of their own, too: a write has two nodes, where it enters a buffer and where it leaves it.
    Apart,
}

/// A drawing, and what the step that it shows speaks of.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnOrder {
    /// The drawing.
    pub drawing: Drawing,
    /// The premises of the last step.
    pub lit: Vec<EdgeKey>,
    /// Whether buffers are drawn apart: not if there are none, or too many.
    pub buffers: BufferColumns,
    /// The event of each node, both by the names that the drawing and the execution have for them.
    pub events: Vec<(EventKey, EventKey)>,
}

impl OrderInput<'_> {
    /// How many steps the closure has: one for each edge that it adds, and one for a read that can have no source.
    pub fn steps(closure: &Closure) -> usize {
        closure.additions.len() + usize::from(matches!(closure.end, End::NoSource { .. }))
    }
}

/// Draws an execution after some steps of its closure. Deterministic, and stable: what is drawn stays where it is from step
/// to step.
pub fn draw_order(input: &OrderInput) -> DrawnOrder {
    let OrderInput { speaker, closure, step, buffers, room } = *input;
    let apart = buffers == BufferColumns::Apart && speaker.instance.machine.buffers();
    let apart = if apart { Sketch::apart(speaker) } else { None };
    let buffers = if apart.is_some() { BufferColumns::Apart } else { BufferColumns::Together };
    let mut sketch = apart.unwrap_or_else(|| Sketch::together(speaker));
    sketch.program_order();
    sketch.given(closure);
    sketch.sources();
    sketch.additions(closure, step);
    sketch.last_step(closure, step);
    sketch.end(closure, step);
    DrawnOrder {
        lit: std::mem::take(&mut sketch.lit),
        buffers,
        events: std::mem::take(&mut sketch.events),
        drawing: layout(sketch.diagram(room)),
    }
}

/// Where a read finds what a write has written: in its own thread's buffer, if it is of that thread.
fn origin(instance: &Instance, write: NodeId, read: NodeId) -> NodeId {
    let own = instance.node(write).thread == instance.node(read).thread;
    instance.partner(write).filter(|_| own).unwrap_or(write)
}

/// Where a read finds what it may read.
fn origins(instance: &Instance, read: NodeId) -> impl Iterator<Item = NodeId> {
    instance.good[read.index()].iter().map(move |&write| origin(instance, write, read))
}

/// The same where there is no choice.
fn only_origin(instance: &Instance, read: NodeId) -> Option<NodeId> {
    let mut origins = origins(instance, read);
    origins.next().filter(|_| origins.next().is_none())
}

fn reads(instance: &Instance) -> impl Iterator<Item = NodeId> {
    instance.ids().filter(|n| instance.node(*n).part == Part::Read)
}

/// The diagram as far as it is known.
struct Sketch<'a> {
    speaker: NodeSpeaker<'a>,
    columns: Vec<DiagramColumn>,
    /// All that may be drawn, initial writes first.
    nodes: Vec<DiagramNode>,
    /// By node of the instance.
    at: Vec<EventKey>,
    /// What titles of edges call a node: its name and its label.
    spoken: FxHashMap<EventKey, String>,
    /// The event of each node.
    events: Vec<(EventKey, EventKey)>,
    /// In the order in which they were found.
    edges: Vec<EdgeKey>,
    /// Label and title of edges that are not called after their kind.
    words: FxHashMap<EdgeKey, [String; 2]>,
    new: Option<EdgeKey>,
    cycle: Vec<EdgeKey>,
    lit: Vec<EdgeKey>,
}

impl<'a> Sketch<'a> {
    fn new(speaker: NodeSpeaker<'a>, titles: Vec<String>) -> Self {
        let column = |title| DiagramColumn { title, width: node_width(""), traffic: 0 };
        Self {
            speaker,
            columns: titles.into_iter().map(column).collect(),
            nodes: Vec::new(),
            at: Vec::new(),
            spoken: FxHashMap::default(),
            events: Vec::new(),
            edges: Vec::new(),
            words: FxHashMap::default(),
            new: None,
            cycle: Vec::new(),
            lit: Vec::new(),
        }
    }

    fn push(&mut self, node: DiagramNode, event: EventKey) {
        if let Place::Column(column) = node.place {
            self.columns[column].traffic += 1;
        }
        self.spoken.insert(node.key, format!("{} {}", node.name, node.label));
        self.events.push((node.key, event));
        self.nodes.push(node);
    }

    /// Each event is one node.
    fn together(speaker: NodeSpeaker<'a>) -> Self {
        let NodeSpeaker { execution, instance, .. } = speaker;
        let (program, graph) = (&execution.program, &execution.graph);
        let mut sketch = Self::new(speaker, (0..graph.threads()).map(|thread| program.thread_name(thread)).collect());
        let event = |n: NodeId| instance.node(n).event;
        let source = |read| Some((event(read), event(only_origin(instance, read)?)));
        let sources = reads(instance).filter_map(source).filter(|(read, write)| read != write);
        let sources: FxHashMap<EventId, EventId> = sources.collect();
        let turns = turns(graph.events().map(|(_, event)| event));
        for (e, event) in graph.events() {
            let place = match event.is_init() {
                true => seat(event, &turns),
                false => Place::Column(event.thread().index()),
            };
            let node = node(program, event, sources.get(&e).map(|&write| graph.event(write)), place, f32::INFINITY);
            sketch.push(node, event.key);
        }
        sketch.at = instance.nodes.iter().map(|node| graph.event(node.event).key).collect();
        sketch
    }

    /// Each node is one, buffers have columns of their own; `None` if these are too many.
    fn apart(speaker: NodeSpeaker<'a>) -> Option<Self> {
        let NodeSpeaker { execution, instance, graph } = speaker;
        let program = &execution.program;
        let (titles, column) = buffer_columns(program, instance);
        if titles.len() > MAX_COLUMNS {
            return None;
        }
        let mut sketch = Self::new(speaker, titles);
        let mut serials = vec![0; sketch.columns.len()];
        sketch.at = instance
            .ids()
            .map(|n| match column[n.index()] {
                None => graph.event(instance.node(n).event).key,
                Some(column) => {
                    serials[column] += 1;
                    EventKey { thread: ThreadId(column as u16), serial: serials[column] }
                }
            })
            .collect();
        let events: Vec<Event> = instance.ids().map(|n| event_of(speaker, n)).collect();
        let turns = turns(events.iter());
        for (n, event) in instance.ids().zip(&events) {
            let node = match column[n.index()] {
                None => node(program, event, None, seat(event, &turns), f32::INFINITY),
                Some(column) => sketch.node(n, event, Place::Column(column)),
            };
            sketch.push(node, event.key);
        }
        Some(sketch)
    }

    /// A node that is drawn by itself.
    fn node(&self, n: NodeId, event: &Event, place: Place) -> DiagramNode {
        let NodeSpeaker { execution, instance, .. } = self.speaker;
        let (program, speaker, part) = (&execution.program, self.speaker, instance.node(n).part);
        let location = event.location().map_or_else(String::new, |location| location_name(program, location));
        let value =
            event.value_written.map_or_else(|| "?".to_owned(), |value| program.location_text(event.location(), value));
        let label = match part {
            Part::Buffer => format!("wB({location},{value})"),
            Part::Memory => format!("wM({location},{value})"),
            Part::Read => event_text(program, event),
            Part::Fence if speaker.graph.event(instance.node(n).event).location().is_some() => "F".to_owned(),
            _ => speaker.text(n),
        };
        // A write stands in memory below where it entered the buffer.
        let source = match part {
            Part::Read => only_origin(instance, n),
            Part::Memory => instance.partner(n),
            _ => None,
        };
        DiagramNode {
            key: self.at[n.index()],
            name: speaker.name(n),
            label,
            title: format!("{}: {}", speaker.name(n), speaker.deed(n)),
            kind: kind(event),
            place,
            source: source.map(|source| self.at[source.index()]),
            marks: Vec::new(),
            colour: None,
            ghost: false,
            span: event.span,
        }
    }

    fn edge(&self, from: NodeId, to: NodeId, kind: EdgeKind) -> EdgeKey {
        EdgeKey { from: self.at[from.index()], to: self.at[to.index()], kind }
    }

    /// Edges of the closure as they are drawn: po step by step, and none within one node.
    fn drawn(&self, steps: &[ClosureEdge]) -> Vec<EdgeKey> {
        let edges = steps.iter().flat_map(|step| match step.kind {
            ClosureEdgeKind::Po => {
                let steps = self.speaker.instance.steps(step.from, step.to);
                steps.into_iter().map(|(a, b)| self.edge(a, b, PO)).collect()
            }
            ClosureEdgeKind::Initial | ClosureEdgeKind::Given => vec![self.edge(step.from, step.to, PO)],
            ClosureEdgeKind::Added(_) => vec![self.edge(step.from, step.to, CLOSURE)],
        });
        edges.filter(|edge| edge.from != edge.to).collect()
    }

    /// Program order, without what follows from other steps of it.
    fn program_order(&mut self) {
        let instance = self.speaker.instance;
        let is_short = |&&(a, b): &&(NodeId, NodeId)| {
            let first = instance.edges.partition_point(|&(from, _)| from < a);
            let others = instance.edges[first..].iter().take_while(|(from, _)| *from == a).map(|(_, to)| *to);
            !others.into_iter().any(|c| c != b && instance.po.precedes(c, b))
        };
        let edges: Vec<_> = instance.edges.iter().filter(is_short).map(|&(a, b)| self.edge(a, b, PO)).collect();
        self.edges.extend(edges);
    }

    /// The order that the text gives.
    fn given(&mut self, closure: &Closure) {
        for &(a, b) in &closure.given {
            let edge = self.edge(a, b, PO);
            let title = format!("given: {} before {}", self.speaker.name(a), self.speaker.name(b));
            self.words.insert(edge, ["given".to_owned(), title]);
            self.edges.push(edge);
        }
    }

    /// From each write to the reads that take its value, or may take it.
    fn sources(&mut self) {
        let NodeSpeaker { instance, .. } = self.speaker;
        for read in reads(instance) {
            for write in origins(instance, read) {
                let edge = self.edge(write, read, RF);
                if instance.good[read.index()].len() > 1 {
                    let title = format!("{} may read from {}", self.speaker.name(read), self.speaker.name(write));
                    self.words.insert(edge, ["rf?".to_owned(), title]);
                }
                self.edges.push(edge);
            }
        }
    }

    /// What the closure adds in its first steps: numbered, and one edge for those between the same nodes.
    fn additions(&mut self, closure: &Closure, step: usize) {
        for (number, addition) in closure.additions.iter().enumerate().take(step) {
            let edge = self.edge(addition.from, addition.to, CLOSURE);
            let (number, title) = ((number + 1).to_string(), self.speaker.addition(addition));
            match self.words.get_mut(&edge) {
                Some([known, titles]) => {
                    *known = format!("{known}, {number}");
                    *titles = format!("{titles} {title}");
                }
                None => drop(self.words.insert(edge, [number, title])),
            }
            self.edges.push(edge);
        }
    }

    /// Brings out what the last of these steps adds, and why.
    fn last_step(&mut self, closure: &Closure, step: usize) {
        let Some(last) = step.checked_sub(1) else { return };
        let Some(addition) = closure.additions.get(last) else { return };
        self.new = Some(self.edge(addition.from, addition.to, CLOSURE));
        for &(a, b) in &addition.premises {
            self.light(closure, a, b, last);
        }
        if let Some(read) = addition.read {
            self.speak_of(read);
        }
    }

    /// Brings out why there is no closure, once all its steps are shown.
    fn end(&mut self, closure: &Closure, step: usize) {
        let all = closure.additions.len();
        match &closure.end {
            End::Cycle(cycle) if step >= all => {
                for step in cycle.iter().filter(|step| step.kind == ClosureEdgeKind::Initial) {
                    let title = format!("{} is there before everything", self.speaker.name(step.from));
                    self.words.insert(self.edge(step.from, step.to, PO), ["initial".to_owned(), title]);
                }
                self.cycle = self.drawn(cycle);
            }
            End::NoSource { read, hidden } if step > all => {
                for &(write, why) in hidden {
                    match why {
                        Hidden::Behind => self.light(closure, *read, write, all),
                        Hidden::Overwritten(by) => {
                            self.light(closure, by, *read, all);
                            self.light(closure, write, by, all);
                        }
                    }
                }
                self.speak_of(*read);
            }
            _ => {}
        }
    }

    /// Brings out a path by what the closure has added in these steps.
    fn light(&mut self, closure: &Closure, a: NodeId, b: NodeId, additions: usize) {
        let path = closure.path(self.speaker.instance, a, b, additions);
        self.lit.extend(self.drawn(&path));
    }

    /// Brings out a read and what it may read.
    fn speak_of(&mut self, read: NodeId) {
        let key = self.at[read.index()];
        self.nodes.iter_mut().filter(|node| node.key == key).for_each(|node| node.marks.push(Mark::Read));
        let sources: Vec<_> = origins(self.speaker.instance, read).map(|write| self.edge(write, read, RF)).collect();
        self.lit.extend(sources.into_iter().filter(|edge| edge.from != edge.to));
    }

    /// The edges that columns do not show anyway, each once, by kind.
    fn across(&self) -> Vec<EdgeKey> {
        let mut seen = FxHashSet::default();
        let all = self.edges.iter().chain(&self.cycle).copied();
        let mut edges: Vec<_> =
            all.filter(|edge| edge.from != edge.to && !is_down_a_column(edge) && seen.insert(*edge)).collect();
        sort::by_key(&mut edges, |edge| edge.kind);
        edges
    }

    /// What is drawn: of the initial writes those that have edges.
    fn diagram(mut self, room: Room) -> Diagram {
        let edges = self.across();
        let in_cycle: FxHashSet<EventKey> = self.cycle.iter().flat_map(|edge| [edge.from, edge.to]).collect();
        let ends: FxHashSet<EventKey> = edges.iter().flat_map(|edge| [edge.from, edge.to]).collect();
        self.nodes.retain(|node| matches!(node.place, Place::Column(_)) || ends.contains(&node.key));
        for node in self.nodes.iter_mut().filter(|node| in_cycle.contains(&node.key)) {
            node.marks.push(Mark::InCycle);
        }
        let mut diagram = Diagram {
            edges: edges.into_iter().map(|edge| self.worded(edge)).collect(),
            columns: self.columns,
            seats: seats(&self.speaker.execution.program),
            nodes: self.nodes,
            rows: 0,
            room,
            kinds: vec![CLOSURE_KIND.clone()],
            chosen_co: false,
            one_by_one: false,
            least_rows: Vec::new(),
            frames: Vec::new(),
            frames_have_labels: false,
        };
        let (cycle, words) = (self.cycle, self.words);
        let down: Vec<&EdgeKey> = cycle.iter().filter(|edge| is_down_a_column(edge)).collect();
        diagram.join_columns(|a, b| {
            let passes = |edge: &&&EdgeKey| {
                edge.to.thread == b.key.thread && edge.from.serial < b.key.serial && b.key.serial <= edge.to.serial
            };
            let in_cycle = down.iter().find(passes).is_some();
            let words = words.get(&EdgeKey { from: a.key, to: b.key, kind: PO });
            let label = words.map_or_else(|| RelationName::Po.name().to_owned(), |[label, _]| label.clone());
            Step { label: in_cycle.then_some(label), in_cycle, new: false }
        });
        diagram
    }

    fn worded(&self, edge: EdgeKey) -> DiagramEdge {
        let EdgeKey { from, to, kind } = edge;
        let usual = || {
            let name = kind.relation().map_or(&*CLOSURE_KIND.name, RelationName::name);
            [name.to_owned(), format!("{name} from {} to {}", self.spoken[&from], self.spoken[&to])]
        };
        let [label, title] = self.words.get(&edge).cloned().unwrap_or_else(usual);
        let (in_cycle, new) = (self.cycle.contains(&edge), self.new == Some(edge));
        DiagramEdge { from, to, kind, label: Some(label), title, in_cycle, new, ghost: false }
    }
}

/// Whether an edge is po from one node of a column to a later one.
fn is_down_a_column(edge: &EdgeKey) -> bool {
    let EdgeKey { from, to, kind } = *edge;
    kind == PO && !from.thread.is_init() && from.thread == to.thread && from.serial < to.serial
}

/// The titles of columns where buffers have some of their own, and the column of each node; none for initial writes.
fn buffer_columns(program: &Program, instance: &Instance) -> (Vec<String>, Vec<Option<usize>>) {
    let mut column = vec![None; instance.nodes.len()];
    let mut titles = Vec::new();
    for thread in 0..program.threads.len() {
        let name = program.thread_name(thread);
        instance.thread(thread).for_each(|n| column[n.index()] = Some(titles.len()));
        titles.push(name.clone());
        let mut buffers: Vec<(Option<Location>, usize)> = Vec::new();
        for &memory in instance.flushes(thread) {
            let location = instance.node(memory).location.filter(|_| instance.machine == Machine::Pso);
            let known = buffers.iter().find(|(of, _)| *of == location).map(|(_, at)| *at);
            column[memory.index()] = known.or_else(|| {
                buffers.push((location, titles.len()));
                let place = location.map_or_else(String::new, |l| format!(" {}", location_name(program, l)));
                titles.push(format!("{name} buffer{place}"));
                Some(titles.len() - 1)
            });
        }
    }
    (titles, column)
}

/// What a node does alone of all that its event does.
fn event_of(speaker: NodeSpeaker, n: NodeId) -> Event {
    let node = speaker.instance.node(n);
    let event = *speaker.graph.event(node.event);
    let location = node.location.unwrap_or(Location(0));
    let label = match (node.part, event.label) {
        (Part::Initial, label) => label,
        (Part::Fence | Part::StoreFence, Label::Fence(mode)) => Label::Fence(mode),
        (Part::Fence | Part::StoreFence, _) => Label::Fence(Mode::SequentiallyConsistent),
        (Part::Read, _) => Label::Read { location, mode: Mode::Relaxed },
        _ => Label::Write { location, mode: Mode::Relaxed },
    };
    Event { label, ..event }
}
