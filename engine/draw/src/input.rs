//! What to draw of an execution graph, and the diagram that is made of it.

use super::diagram::Step;
use super::skeleton::{Skeleton, seats};
use super::spacing::node_width;
use super::{
    Diagram, DiagramEdge, DiagramFrame, DiagramNode, MANY, Mark, NodeKind, Place, Room, edge_text, event_name,
    event_text, event_title, label,
};
use crate::graph::{Coherence, Edge, Event, EventId, EventKey, Execution, RelationName};
use crate::model::{Model, Violation, Witness};
use crate::program::{Location, Program};
use crate::sort;
use rustc_hash::{FxHashMap, FxHashSet};

/// What to draw of an execution graph.
#[derive(Clone, Debug)]
pub struct DrawingInput<'a> {
    /// The program, for names.
    pub program: &'a Program,
    /// The graph. Its events and po between neighbours are always drawn.
    pub execution: &'a Execution,
    /// The edges to draw besides: rf, co, ... Repeated ones are drawn once, edges from an event to itself not at all;
    /// po between neighbours is drawn anyway.
    pub edges: Vec<Edge>,
    /// The edges that this step added; drawn even where `edges` lacks them.
    pub new_edges: Vec<Edge>,
    /// A cycle to bring out; its edges are drawn even where `edges` lacks them.
    pub violation: Option<&'a Violation>,
    /// What is special about events; several marks an event are fine.
    pub marks: Vec<(EventId, Mark)>,
    /// Events just cut from the graph, drawn faded below those that stayed. A ghost whose name is taken again by an
    /// event of the graph is left out.
    pub ghosts: Vec<Event>,
    /// Which initial writes to show.
    pub initial: InitialWrites,
    /// Whether co is part of the graph, chosen by an algorithm as rf is; else what is drawn of it is one order that fits.
    pub chosen_co: bool,
    /// How much room there is.
    pub room: Room,
    /// What is drawn around events: [`call_frames`](super::call_frames) has those of concurrent objects.
    pub frames: Vec<DiagramFrame>,
}

impl<'a> DrawingInput<'a> {
    /// A graph with its rf edges and nothing else.
    pub fn new(program: &'a Program, execution: &'a Execution) -> Self {
        let edges = execution
            .ids()
            .filter_map(|to| {
                let relation = if execution.event(to).is_get() { RelationName::Pb } else { RelationName::Rf };
                Some(Edge { from: execution.source(to)?, to, relation })
            })
            .collect();
        Self {
            program,
            execution,
            edges,
            new_edges: Vec::new(),
            violation: None,
            marks: Vec::new(),
            ghosts: Vec::new(),
            initial: InitialWrites::default(),
            chosen_co: false,
            room: Room::Wide,
            frames: Vec::new(),
        }
    }

    /// A graph with the relations that a reader wants first: rf, co, fr and sw. Of `co` it is the one given, or one that fits.
    pub fn with_relations(
        program: &'a Program,
        model: Model,
        execution: &'a Execution,
        co: Option<&Coherence>,
    ) -> Self {
        let shown =
            |relation| matches!(relation, RelationName::Rf | RelationName::Co | RelationName::Fr | RelationName::Sw);
        let mut input = Self::new(program, execution);
        input.chosen_co = co.is_some();
        let witness = match co {
            Some(co) => Some(Witness { co: co.clone() }),
            None => model.consistency_for_view(execution).witness(),
        };
        if let Some(witness) = witness {
            let relations = model.relations(execution, &witness).into_iter();
            input.edges.extend(relations.filter(|(relation, _)| shown(*relation)).flat_map(|(_, edges)| edges));
        }
        input
    }

    /// The graph as a diagram. Linear in the program, the graph and the edges.
    pub fn diagram(&self) -> Diagram {
        let skeleton = Skeleton::new(self.program, self.execution);
        let edges = self.all_edges();
        let mut diagram = Diagram {
            nodes: self.nodes(&skeleton, &self.drawn_initial(&edges)),
            columns: skeleton.columns,
            seats: seats(self.program),
            edges: edges.into_iter().map(|edge| self.edge(edge)).collect(),
            rows: skeleton.rows,
            room: self.room,
            kinds: Vec::new(),
            chosen_co: self.chosen_co,
            one_by_one: false,
            least_rows: Vec::new(),
            frames: self.frames.clone(),
            frames_have_labels: !self.program.structures.is_empty(),
        };
        diagram.join_columns(|a, b| {
            let is_new = |edge: &Edge| {
                let key = |e| self.execution.event(e).key;
                edge.relation == RelationName::Po && key(edge.to) == b.key && key(edge.from) == a.key
            };
            let in_cycle = self.po_in_cycle(b.key);
            let label = in_cycle.then(|| RelationName::Po.name().to_owned());
            Step { label, in_cycle, new: !b.ghost && self.new_edges.iter().any(is_new) }
        });
        diagram
    }

    /// The initial writes that are drawn, the events, and the ghosts.
    fn nodes(&self, skeleton: &Skeleton, initial: &[EventId]) -> Vec<DiagramNode> {
        let execution = self.execution;
        let turns = turns(execution.events().map(|(_, event)| event));
        let node = |event: &Event, source: Option<&Event>| {
            let (place, room) = if event.is_init() {
                (seat(event, &turns), 0.0)
            } else {
                let column = event.thread().index();
                (Place::Column(column), skeleton.columns.get(column).map_or(0.0, |column| column.width))
            };
            node(self.program, event, source, place, room)
        };
        let kept = execution.events().filter(|(_, event)| !event.is_init()).map(|(e, _)| e);
        let kept = initial.iter().copied().chain(kept).map(|e| {
            let source = execution.source(e).map(|write| execution.event(write));
            DiagramNode { marks: self.marks_of(e), ..node(execution.event(e), source) }
        });
        let cut = self.drawn_ghosts().into_iter().map(|event| DiagramNode { ghost: true, ..node(event, None) });
        kept.chain(cut).collect()
    }

    fn edge(&self, edge: Edge) -> DiagramEdge {
        let key = |e| self.execution.event(e).key;
        DiagramEdge {
            from: key(edge.from),
            to: key(edge.to),
            kind: edge.relation.into(),
            label: Some(edge.relation.name().to_owned()),
            title: edge_text(self.program, self.execution, edge),
            in_cycle: self.in_cycle(edge),
            new: self.new_edges.contains(&edge),
            ghost: false,
        }
    }

    /// All edges to draw except po between neighbours: each once, without loops, ordered by relation, then as given.
    pub(super) fn all_edges(&self) -> Vec<Edge> {
        let cycle = self.violation.map_or(&[][..], |violation| &violation.cycle);
        let mut seen = FxHashSet::default();
        let mut edges: Vec<_> = self
            .edges
            .iter()
            .chain(&self.new_edges)
            .chain(cycle)
            .copied()
            .filter(|edge| edge.from != edge.to && !self.is_drawn_po(*edge) && seen.insert(*edge))
            .filter(|edge| !self.is_hidden(edge.from))
            .collect();
        sort::by_key(&mut edges, |edge| edge.relation);
        edges
    }

    /// Whether it is an initial write of what waits for the end of a thread, or of the value of an input: these mean nothing and are
    /// not drawn.
    fn is_hidden(&self, e: EventId) -> bool {
        let cells = || self.program.objects.iter().map(|object| object.initial.len()).sum::<usize>();
        self.execution.event(e).is_init() && e.index() >= cells()
    }

    /// Whether an edge is po within a thread: what the straight lines down a column show.
    fn is_drawn_po(&self, edge: Edge) -> bool {
        let event = |e| self.execution.event(e);
        edge.relation == RelationName::Po
            && !event(edge.from).is_init()
            && event(edge.from).thread() == event(edge.to).thread()
            && event(edge.from).key.serial < event(edge.to).key.serial
    }

    /// Whether an edge belongs to the violation's cycle.
    pub(super) fn in_cycle(&self, edge: Edge) -> bool {
        self.violation.is_some_and(|violation| violation.cycle.contains(&edge))
    }

    /// Whether the po step to `to` from the event before it lies on a po edge of the violation's cycle.
    pub(super) fn po_in_cycle(&self, to: EventKey) -> bool {
        let key = |e| self.execution.event(e).key;
        self.violation.is_some_and(|violation| {
            violation.cycle.iter().any(|edge| {
                self.is_drawn_po(*edge)
                    && key(edge.to).thread == to.thread
                    && key(edge.from).serial < to.serial
                    && to.serial <= key(edge.to).serial
            })
        })
    }

    /// The marks of an event, those that follow from the cycle included.
    fn marks_of(&self, e: EventId) -> Vec<Mark> {
        let mut marks: Vec<_> = self.marks.iter().filter(|(event, _)| *event == e).map(|(_, mark)| *mark).collect();
        if self.violation.is_some_and(|violation| violation.cycle.iter().any(|edge| edge.from == e || edge.to == e)) {
            marks.push(Mark::InCycle);
        }
        marks
    }

    /// The ghosts that are drawn, by thread and place.
    pub(super) fn drawn_ghosts(&self) -> Vec<&Event> {
        let mut ghosts: Vec<_> = self
            .ghosts
            .iter()
            .filter(|ghost| {
                !ghost.is_init()
                    && ghost.thread().index() < self.execution.threads()
                    && self.execution.find(ghost.key).is_none()
            })
            .collect();
        sort::by_key(&mut ghosts, |ghost| ghost.key);
        ghosts.dedup_by_key(|ghost| ghost.key);
        ghosts
    }

    /// The initial writes that are drawn, where these are all edges.
    pub(super) fn drawn_initial(&self, edges: &[Edge]) -> Vec<EventId> {
        let all = self.execution.events().filter(|(e, event)| event.is_init() && !self.is_hidden(*e));
        let ends: FxHashSet<_> = edges.iter().flat_map(|edge| [edge.from, edge.to]).collect();
        let has_edge = |e: EventId| ends.contains(&e);
        let marked = |e: EventId| self.marks.iter().any(|(event, _)| *event == e);
        match &self.initial {
            InitialWrites::All => all.map(|(e, _)| e).collect(),
            InitialWrites::Only(some) => {
                all.map(|(e, _)| e).filter(|e| some.contains(e) || has_edge(*e) || marked(*e)).collect()
            }
            InitialWrites::Relevant => {
                let used: FxHashSet<_> =
                    self.execution.events().filter(|(_, e)| !e.is_init()).filter_map(|(_, e)| e.location()).collect();
                let relevant: Vec<_> = all
                    .filter(|(e, event)| {
                        has_edge(*e) || marked(*e) || event.location().is_some_and(|l| used.contains(&l))
                    })
                    .map(|(e, _)| e)
                    .collect();
                if relevant.len() <= MANY {
                    relevant
                } else {
                    relevant.into_iter().filter(|e| has_edge(*e) || marked(*e)).collect()
                }
            }
        }
    }
}

/// Which initial writes to show. Those with an edge or a mark always are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum InitialWrites {
    /// Those of locations that the graph accesses; where these are more than eight, only those with an edge or a mark.
    #[default]
    Relevant,
    /// All.
    All,
    /// Some.
    Only(Vec<EventId>),
}

/// When each location was first used, as the number of an event.
pub fn turns<'e>(events: impl Iterator<Item = &'e Event>) -> FxHashMap<Location, usize> {
    let mut turns = FxHashMap::default();
    for (at, event) in events.enumerate().filter(|(_, event)| !event.is_init()) {
        if let Some(location) = event.location() {
            turns.entry(location).or_insert(at);
        }
    }
    turns
}

/// Where an initial write stands.
pub fn seat(event: &Event, turns: &FxHashMap<Location, usize>) -> Place {
    let location = Location(event.key.serial);
    Place::Top { seat: location.0 as usize, turn: turns.get(&location).copied().unwrap_or(usize::MAX) }
}

/// An event as a node. What ended a thread is said in a word where there is no room for more: that is not known before, and
/// a title has it all.
pub fn node(program: &Program, event: &Event, source: Option<&Event>, place: Place, room: f32) -> DiagramNode {
    let kind = label::kind(event);
    let mut text = event_text(program, event);
    if node_width(&text) > room {
        match kind {
            NodeKind::Error => "error".clone_into(&mut text),
            NodeKind::Bound => "cut".clone_into(&mut text),
            _ => {}
        }
    }
    DiagramNode {
        key: event.key,
        name: event_name(program, event.key),
        label: text,
        title: event_title(program, event, source),
        kind,
        place,
        source: source.map(|source| source.key),
        marks: Vec::new(),
        colour: None,
        ghost: false,
        span: event.span,
    }
}
