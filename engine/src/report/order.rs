//! The drawing of an abstract execution whose closure grows: program order and given edges, sources, and what was added.

use super::{Drawing, DrawingInput, DrawingWords, EdgeKey, InitialWrites, Mark, NodeSpeaker, layout};
use crate::consistency::{Closure, Edge as Step, EdgeKind, End, Hidden, Machine, NodeId, Part};
use crate::graph::{Edge, Event, EventId, EventKey, Execution, Label, RelationName, ThreadId};
use crate::model::Violation;
use crate::program::{Code, Location, Mode, Program, Thread};
use rustc_hash::FxHashMap;

/// What to draw.
#[derive(Clone, Copy, Debug)]
pub struct OrderInput<'a> {
    /// The execution and its nodes.
    pub speaker: NodeSpeaker<'a>,
    /// The closure.
    pub closure: &'a Closure,
    /// How many of its steps to show, at most [`OrderInput::steps`].
    pub step: usize,
    /// Whether a write has two nodes where it enters a buffer and where it leaves it.
    pub apart: bool,
    /// Whether threads stand closer together, for a narrow screen.
    pub narrow: bool,
}

/// A drawing, and what the step that it shows speaks of.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnOrder {
    /// The drawing.
    pub drawing: Drawing,
    /// The premises of the last step.
    pub lit: Vec<EdgeKey>,
    /// Whether buffers are drawn apart: not if there are too many.
    pub apart: bool,
    /// The event of each node, both by the names that the drawing and the execution have for them.
    pub events: Vec<(EventKey, EventKey)>,
}

impl OrderInput<'_> {
    /// How many steps the closure has: one for each edge that it adds, and one for a read that can have no source.
    pub fn steps(closure: &Closure) -> usize {
        closure.additions.len() + usize::from(matches!(closure.end, End::NoSource { .. }))
    }
}

/// Where nodes are drawn.
struct Stage {
    program: Program,
    graph: Execution,
    /// By node.
    at: Vec<EventId>,
    words: DrawingWords,
}

impl Stage {
    /// Each event is one node.
    fn together(speaker: &NodeSpeaker) -> Self {
        let graph = speaker.execution.graph.clone();
        let at = speaker.instance.nodes.iter().map(|node| node.event).collect();
        Self { program: speaker.execution.program.clone(), graph, at, words: DrawingWords::default() }
    }

    /// Each node is one, buffers have columns of their own.
    fn apart(speaker: &NodeSpeaker) -> Option<Self> {
        let NodeSpeaker { execution, instance, .. } = *speaker;
        let mut program = execution.program.clone();
        let mut column = vec![0; instance.nodes.len()];
        let mut titles = Vec::new();
        for thread in 0..program.threads.len() {
            let name = program.thread_name(thread);
            instance.thread(thread).for_each(|n| column[n.index()] = titles.len());
            titles.push(name.clone());
            let mut buffers: Vec<(Option<Location>, usize)> = Vec::new();
            for &memory in instance.flushes(thread) {
                let location = instance.node(memory).location.filter(|_| instance.machine == Machine::Pso);
                let known = buffers.iter().find(|(of, _)| *of == location).map(|(_, at)| *at);
                column[memory.index()] = known.unwrap_or_else(|| {
                    buffers.push((location, titles.len()));
                    let place =
                        location.map_or_else(String::new, |l| format!(" of {}", super::location_name(&program, l)));
                    titles.push(format!("{name}'s buffer{place}"));
                    titles.len() - 1
                });
            }
        }
        program.threads = titles.into_iter().map(|title| Thread { name: Some(title), ..Thread::default() }).collect();
        // Too many buffers are not drawn.
        let mut graph = Execution::initial(&Code::compile(&program).ok()?);
        let mut words = DrawingWords::default();
        let mut at: Vec<EventId> = instance.ids().take(instance.writes.len()).map(|n| EventId(n.0)).collect();
        for n in instance.ids().skip(instance.writes.len()) {
            let node = instance.node(n);
            let event = speaker.graph.event(node.event);
            let location = node.location.unwrap_or(Location(0));
            let label = match (node.part, event.label) {
                (Part::Fence | Part::StoreFence, Label::Fence(mode)) => Label::Fence(mode),
                (Part::Fence | Part::StoreFence, _) => Label::Fence(Mode::SequentiallyConsistent),
                (Part::Read, _) => Label::Read { location, mode: Mode::Relaxed },
                _ => Label::Write { location, mode: Mode::Relaxed },
            };
            let thread = ThreadId(column[n.index()] as u16);
            let serial = graph.thread(thread).len() as u32 + 1;
            let e = graph.restore(Event { key: EventKey { thread, serial }, label, ..*event });
            let place = super::location_name(&program, location);
            let value = event.value_written.map_or_else(|| "?".to_owned(), |value| program.value_text(value));
            let text = match node.part {
                Part::Buffer => format!("wB({place},{value})"),
                Part::Memory => format!("wM({place},{value})"),
                Part::Read => super::event_text(&program, graph.event(e)),
                Part::Fence if event.location().is_some() => "F".to_owned(),
                _ => speaker.text(n),
            };
            words.events.insert(e, [speaker.name(n), text, format!("{}: {}", speaker.name(n), speaker.deed(n))]);
            at.push(e);
        }
        Some(Self { program, graph, at, words })
    }

    fn edge(&self, from: NodeId, to: NodeId, relation: RelationName) -> Edge {
        Edge { from: self.at[from.index()], to: self.at[to.index()], relation }
    }

    /// An edge of the closure as it is drawn: po step by step.
    fn drawn(&self, speaker: &NodeSpeaker, step: &Step) -> Vec<Edge> {
        match step.kind {
            EdgeKind::Po => {
                let steps = speaker.instance.steps(step.from, step.to);
                steps.into_iter().map(|(a, b)| self.edge(a, b, RelationName::Po)).collect()
            }
            EdgeKind::Initial | EdgeKind::Given => vec![self.edge(step.from, step.to, RelationName::Po)],
            EdgeKind::Added(_) => vec![self.edge(step.from, step.to, RelationName::Closure)],
        }
    }
}

/// Draws an execution after some steps of its closure. Deterministic, and stable: what is drawn stays where it is from step
/// to step.
pub fn draw_order(input: &OrderInput) -> DrawnOrder {
    let OrderInput { speaker, closure, step, apart, narrow } = *input;
    let instance = speaker.instance;
    let stage = if apart && instance.machine.buffers() { Stage::apart(&speaker) } else { None };
    let apart = stage.is_some();
    let mut stage = stage.unwrap_or_else(|| Stage::together(&speaker));
    let mut edges = Vec::new();

    // What follows from other steps of program order is not drawn.
    let is_short = |&&(a, b): &&(NodeId, NodeId)| {
        let first = instance.edges.partition_point(|&(from, _)| from < a);
        let others = instance.edges[first..].iter().take_while(|(from, _)| *from == a).map(|(_, to)| *to);
        !others.into_iter().any(|c| c != b && instance.po.precedes(c, b))
    };
    edges.extend(instance.edges.iter().filter(is_short).map(|&(a, b)| stage.edge(a, b, RelationName::Po)));
    for &(a, b) in &closure.given {
        let edge = stage.edge(a, b, RelationName::Po);
        stage
            .words
            .edges
            .insert(edge, ["given".to_owned(), format!("given: {} before {}", speaker.name(a), speaker.name(b))]);
        edges.push(edge);
    }
    // A thread finds what it wrote itself in its buffer.
    let origin = |write: NodeId, read: NodeId| {
        let own = instance.node(write).thread == instance.node(read).thread;
        instance.partner(write).filter(|_| own).unwrap_or(write)
    };
    let sources = |read: NodeId| instance.good[read.index()].iter().map(move |&write| origin(write, read));
    for read in instance.ids().filter(|n| instance.node(*n).part == Part::Read) {
        let one = instance.good[read.index()].len() == 1;
        for write in sources(read) {
            let edge = stage.edge(write, read, RelationName::Rf);
            if one && edge.from != edge.to {
                stage.graph.set_source_only(edge.to, edge.from);
            } else {
                let title = format!("{} may read from {}", speaker.name(read), speaker.name(write));
                stage.words.edges.insert(edge, ["rf?".to_owned(), title]);
            }
            edges.push(edge);
        }
    }
    if apart {
        // Writes stand in memory below where they entered the buffer.
        for n in instance.ids().filter(|n| instance.node(*n).part == Part::Memory) {
            if let Some(buffer) = instance.partner(n) {
                stage.graph.set_source_only(stage.at[n.index()], stage.at[buffer.index()]);
            }
        }
    }

    let shown = step.min(closure.additions.len());
    let mut numbers: FxHashMap<Edge, Vec<usize>> = FxHashMap::default();
    for (number, addition) in closure.additions.iter().enumerate().take(shown) {
        let edge = stage.edge(addition.from, addition.to, RelationName::Closure);
        numbers.entry(edge).or_default().push(number);
        edges.push(edge);
    }
    for (edge, numbers) in numbers {
        let texts: Vec<String> = numbers.iter().map(|number| (number + 1).to_string()).collect();
        let titles: Vec<String> = numbers.iter().map(|&n| speaker.addition(&closure.additions[n])).collect();
        stage.words.edges.insert(edge, [texts.join(", "), titles.join(" ")]);
    }

    let path = |a: NodeId, b: NodeId, additions: usize| closure.path(instance, a, b, additions);
    let mut marks = Vec::new();
    let mut new_edges = Vec::new();
    let mut lit: Vec<Edge> = Vec::new();
    let mut light =
        |steps: &[Step], stage: &Stage| lit.extend(steps.iter().flat_map(|step| stage.drawn(&speaker, step)));
    let mut violation = None;
    let mut reading = None;
    if let (true, Some(last)) = (step <= closure.additions.len(), shown.checked_sub(1)) {
        let addition = &closure.additions[last];
        new_edges.push(stage.edge(addition.from, addition.to, RelationName::Closure));
        addition.premises.iter().for_each(|&(a, b)| light(&path(a, b, last), &stage));
        reading = addition.read;
    }
    match &closure.end {
        End::Cycle(cycle) if shown == closure.additions.len() => {
            for step in cycle.iter().filter(|step| step.kind == EdgeKind::Initial) {
                let title = format!("{} is there before everything", speaker.name(step.from));
                let edge = stage.edge(step.from, step.to, RelationName::Po);
                stage.words.edges.insert(edge, ["initial".to_owned(), title]);
            }
            let cycle = cycle.iter().flat_map(|step| stage.drawn(&speaker, step)).filter(|edge| edge.from != edge.to);
            let cycle = cycle.collect();
            violation = Some(Violation { axiom: String::new(), cycle, remark: String::new() });
        }
        End::NoSource { read, hidden } if step > closure.additions.len() => {
            reading = Some(*read);
            for &(write, why) in hidden {
                let (a, b) = match why {
                    Hidden::Behind => (*read, write),
                    Hidden::Overwritten(by) => (by, *read),
                };
                light(&path(a, b, shown), &stage);
                if let Hidden::Overwritten(by) = why {
                    light(&path(write, by, shown), &stage);
                }
            }
        }
        _ => {}
    }
    if let Some(read) = reading {
        marks.push((stage.at[read.index()], Mark::Read));
        lit.extend(sources(read).map(|write| stage.edge(write, read, RelationName::Rf)));
    }
    edges.retain(|edge| edge.from != edge.to);
    new_edges.retain(|edge| edge.from != edge.to);
    let key = |e: EventId| stage.graph.event(e).key;
    let lit = lit.into_iter().filter(|edge| edge.from != edge.to);
    let lit = lit.map(|edge| EdgeKey { from: key(edge.from), to: key(edge.to), relation: edge.relation }).collect();
    let events = if apart {
        let event = |n: NodeId| speaker.graph.event(instance.node(n).event).key;
        instance.ids().map(|n| (key(stage.at[n.index()]), event(n))).collect()
    } else {
        stage.graph.events().map(|(_, event)| (event.key, event.key)).collect()
    };
    let drawing = layout(&DrawingInput {
        edges,
        new_edges,
        violation: violation.as_ref(),
        marks,
        initial: InitialWrites::Only(Vec::new()),
        narrow,
        words: stage.words.clone(),
        ..DrawingInput::new(&stage.program, &stage.graph)
    });
    DrawnOrder { drawing, lit, apart, events }
}
