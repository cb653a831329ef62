//! Execution graphs as pictures and text: what to draw ([`DrawingInput`]), where ([`layout`]), and the result as SVG,
//! Graphviz or plain text; and what an exploration found ([`Report`]) as text or JSON.
//!
//! Nothing here knows the page: it paints a [`Drawing`] as it is, and so does [`svg()`].

mod compare;
mod consistency;
mod dot;
mod format;
mod graph_json;
mod highlight;
mod json;
mod label;
mod layout;
mod order;
mod outline;
mod reason;
mod results;
mod route;
mod run;
mod search;
mod skeleton;
mod svg;
mod table;
#[cfg(test)]
mod tests;
mod text;
mod tidy;
mod tikz;
mod time;
mod why_not;

pub use compare::{
    AbsentJson, CellJson, ComparedJson, ComparisonJson, ComparisonReport, CycleEdgeJson, ModelJson, comparison_text,
};
pub use consistency::{
    AdditionJson, ConsistencyCaseJson, ConsistencyJson, ConsistencyReport, ConsistencyWitnessJson, NodeJson,
    NodeSpeaker, ReadJson, consistency_text,
};
pub use dot::dot;
pub use format::Format;
pub use graph_json::{CycleJson, CycleStepJson, EventJson, GraphJson};
pub use highlight::{EdgeKey, Highlighted, highlight};
pub use json::{
    ConditionJson, CutJson, ErrorJson, EstimateJson, ExecutionsJson, ExploredJson, OutcomeJson, ResultsJson,
    SwitchesJson, ValueJson,
};
pub use label::{edge_text, event_name, event_text, event_title, location_name};
pub use layout::layout;
pub use order::{DrawnOrder, OrderInput, draw_order};
pub use outline::{OutlineEvent, OutlineThread, outline};
pub use reason::{Speaker, arrow};
pub use results::{
    Report, Unfinished, condition_sentence, condition_text, cut_text, estimate_text, fault_sentence, fault_text,
    results_text,
};
pub(crate) use results::{beyond_text, symmetry_text, undecided_text, waiting_text};
pub use run::{RUN_VERSION, RunFile, RunFileError, RunGraphs, SavedRun};
pub use search::{RepeatJson, SearchJson, SearchStateJson, StuckJson};
pub use svg::{Colours, Look, Style, Theme, style, svg};
pub use table::{EventColumn, EventRow, EventTable, table_csv, table_markdown};
pub use text::graph_text;
pub use tidy::tidy;
pub use tikz::tikz;
pub use time::{Chip, RowKind, TimeCell, TimeRow, Timeline, fitting_co, time_svg, time_text};
pub use why_not::{CaseJson, LibertyJson, OrderCycleJson, SourceJson, WhyNotJson, WhyNotReport, why_not_text};

use crate::graph::{Edge, Event, EventId, EventKey, Execution, RelationName};
use crate::model::Violation;
use crate::program::{Program, Span};
use crate::sort;
use serde::{Deserialize, Serialize};
use svg::dash;

/// More initial writes than these are shown only if they have an edge: a row has to fit on a screen.
const MANY: usize = 8;

/// What to draw.
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
    /// Whether threads stand closer together, for a narrow screen.
    pub narrow: bool,
    /// What is called otherwise than in an execution graph.
    pub words: DrawingWords,
}

/// What nodes and edges of a drawing are called where that does not follow from the graph.
#[derive(Clone, Debug, Default)]
pub struct DrawingWords {
    /// Name, label and title of events.
    pub events: rustc_hash::FxHashMap<EventId, [String; 3]>,
    /// Label and title of edges.
    pub edges: rustc_hash::FxHashMap<Edge, [String; 2]>,
}

impl<'a> DrawingInput<'a> {
    /// A graph with its rf edges and nothing else.
    pub fn new(program: &'a Program, execution: &'a Execution) -> Self {
        let edges = execution
            .ids()
            .filter_map(|to| Some(Edge { from: execution.source(to)?, to, relation: RelationName::Rf }))
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
            narrow: false,
            words: DrawingWords::default(),
        }
    }

    /// All edges to draw except po between neighbours: each once, without loops, ordered by relation, then as given.
    fn all_edges(&self) -> Vec<Edge> {
        let cycle = self.violation.map_or(&[][..], |violation| &violation.cycle);
        let mut seen = rustc_hash::FxHashSet::default();
        let mut edges: Vec<_> = self
            .edges
            .iter()
            .chain(&self.new_edges)
            .chain(cycle)
            .copied()
            .filter(|edge| edge.from != edge.to && !self.is_drawn_po(*edge) && seen.insert(*edge))
            .collect();
        sort::by_key(&mut edges, |edge| edge.relation);
        edges
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
    fn in_cycle(&self, edge: Edge) -> bool {
        self.violation.is_some_and(|violation| violation.cycle.contains(&edge))
    }

    /// Whether the po step to `to` from the event before it lies on a po edge of the violation's cycle.
    fn po_in_cycle(&self, to: EventKey) -> bool {
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

    /// The marks of an event, without repetition, those that follow from the cycle included.
    fn marks_of(&self, e: EventId) -> Vec<Mark> {
        let mut marks: Vec<_> = self.marks.iter().filter(|(event, _)| *event == e).map(|(_, mark)| *mark).collect();
        if self.violation.is_some_and(|violation| violation.cycle.iter().any(|edge| edge.from == e || edge.to == e)) {
            marks.push(Mark::InCycle);
        }
        sort::ascending(&mut marks);
        marks.dedup();
        marks
    }

    /// The ghosts that are drawn, by thread and place.
    fn drawn_ghosts(&self) -> Vec<&Event> {
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

    /// The initial writes that are drawn.
    fn drawn_initial(&self) -> Vec<EventId> {
        let all = self.execution.events().filter(|(_, event)| event.is_init());
        let ends: rustc_hash::FxHashSet<_> =
            self.all_edges().into_iter().flat_map(|edge| [edge.from, edge.to]).collect();
        let has_edge = |e: EventId| ends.contains(&e);
        let marked = |e: EventId| self.marks.iter().any(|(event, _)| *event == e);
        match &self.initial {
            InitialWrites::All => all.map(|(e, _)| e).collect(),
            InitialWrites::Only(some) => {
                all.map(|(e, _)| e).filter(|e| some.contains(e) || has_edge(*e) || marked(*e)).collect()
            }
            InitialWrites::Relevant => {
                let used: rustc_hash::FxHashSet<_> =
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

/// What is special about an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// Not maximal, which forbids a revisit.
    Refusing,
    /// Added by this step.
    Newest,
    /// The write that revisits.
    Revisiting,
    /// The read that is revisited, or whose source is chosen.
    Read,
    /// In the porf prefix of the write that revisits.
    Prefix,
    /// Kept because it was added before the revisited read.
    Kept,
    /// About to be cut.
    Cut,
    /// On the violating cycle; follows from [`DrawingInput::violation`].
    InCycle,
    /// One of the two accesses of a data race.
    RaceParty,
    /// A possible source of the read.
    Option,
    /// The event that the mouse or the program text points at.
    Selected,
}

impl Mark {
    /// In words, for titles.
    pub fn words(self) -> &'static str {
        match self {
            Self::Refusing => "not maximal: the revisit is not made here",
            Self::Newest => "added by this step",
            Self::Revisiting => "the write that revisits",
            Self::Read => "the read whose source is chosen",
            Self::Prefix => "in the porf prefix of the revisiting write",
            Self::Kept => "kept, being older than the read",
            Self::Cut => "what the revisit cuts",
            Self::InCycle => "on the violating cycle",
            Self::RaceParty => "races",
            Self::Option => "a possible source",
            Self::Selected => "selected",
        }
    }
}

/// What a node shows, for choosing its shape or colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeKind {
    /// An initial write.
    Init,
    /// A read, a failed compare-and-swap included.
    Read,
    /// A write.
    Write,
    /// A read-modify-write.
    Update,
    /// A fence.
    Fence,
    /// An error.
    Error,
    /// A failed assumption, or an operation that waits.
    Stuck,
    /// A loop beyond its bound.
    Bound,
}

/// A laid-out graph. Lengths are in pixels of a drawing at its natural size; y grows downwards; the origin is the upper
/// left corner. It has room for what the program lets expect, drawn or not, so that nothing moves while a graph grows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Drawing {
    /// Width of everything.
    pub width: f32,
    /// Height of everything.
    pub height: f32,
    /// The threads, from left to right.
    pub columns: Vec<Column>,
    /// What the initial writes stand on, to be painted over the columns; `None` where there are none.
    pub initial: Option<Band>,
    /// Initial writes first, then thread by thread in po, ghosts last in each thread. No two nodes overlap, and an event
    /// stands in the same place in all drawings of the program in which the same is before it in porf ([`layout`]).
    pub nodes: Vec<Node>,
    /// po first, edges of the cycle last, so that they are painted on top.
    pub edges: Vec<DrawnEdge>,
    /// The relations that occur, for a legend.
    pub relations: Vec<RelationName>,
    /// As [`DrawingInput::chosen_co`].
    pub chosen_co: bool,
    /// How many events one thread of the program may have, as far as can be told: the drawing has room for as many.
    pub rows: usize,
}

impl Drawing {
    /// SVG's `stroke-dasharray` for a relation, empty for a solid line: co is solid where it was chosen.
    pub fn dash(&self, relation: RelationName) -> &'static str {
        dash(relation, self.chosen_co)
    }
}

/// A thread's column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Column {
    /// Left border.
    pub x: f32,
    /// Top: of the title.
    pub y: f32,
    /// Width; all nodes of the thread lie inside.
    pub width: f32,
    /// Height from the title to the last row of all threads.
    pub height: f32,
    /// `P0`; centred in the uppermost [`TITLE_HEIGHT`] pixels.
    pub title: String,
}

/// The band of the initial writes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Band {
    /// Left border.
    pub x: f32,
    /// Upper border.
    pub y: f32,
    /// Width.
    pub width: f32,
    /// Height.
    pub height: f32,
}

/// An event's box.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// Its name across graphs: unique in the drawing, the same while stepping.
    pub key: EventKey,
    /// Its id in this graph; `None` for a ghost.
    pub event: Option<EventId>,
    /// The write that it reads from.
    pub source: Option<EventKey>,
    /// Left border.
    pub x: f32,
    /// Upper border.
    pub y: f32,
    /// Width.
    pub width: f32,
    /// Height.
    pub height: f32,
    /// What stands in the box: `Wrel(x,1)`. In a monospaced font of [`FONT_SIZE`], centred.
    pub label: String,
    /// `P1.2`
    pub name: String,
    /// What it is.
    pub kind: NodeKind,
    /// What is special about it, ascending.
    pub marks: Vec<Mark>,
    /// Cut from the graph: to be drawn faded.
    pub ghost: bool,
    /// Where it comes from in the source; the default for initial writes.
    pub span: Span,
    /// A sentence on it, for hovering and for screen readers.
    pub title: String,
}

/// An edge as a curve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DrawnEdge {
    /// The node where it starts.
    pub from: EventKey,
    /// The node where it ends.
    pub to: EventKey,
    /// What it says.
    pub relation: RelationName,
    /// SVG path data, `M` and `C` alone, from border to border.
    pub path: String,
    /// The arrow head: [`HEAD_PATH`] moved to `(x, y)` and turned by `angle`.
    pub head: Head,
    /// The relation's name beside the curve. `None` for po between neighbours outside a cycle, and where it would cover
    /// a node or another label at every place tried.
    pub label: Option<EdgeLabel>,
    /// On the violating cycle.
    pub in_cycle: bool,
    /// Added by this step.
    pub new: bool,
    /// po to a ghost: to be drawn faded.
    pub ghost: bool,
    /// `rf from P0.1 W(x,1) to P1.1 R(x,1)`, for hovering and for screen readers.
    pub title: String,
}

/// An arrow head's place.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Head {
    /// Its tip.
    pub x: f32,
    /// Its tip.
    pub y: f32,
    /// Where it points, in degrees clockwise from the right, as SVG's `rotate` takes it.
    pub angle: f32,
}

/// A label's text and place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EdgeLabel {
    /// `rf`
    pub text: String,
    /// Centre.
    pub x: f32,
    /// Centre.
    pub y: f32,
    /// Width of the text; the rectangle is kept free of nodes and other labels.
    pub width: f32,
    /// Height of the text.
    pub height: f32,
}

/// An arrow head with its tip at the origin, pointing to the right.
pub const HEAD_PATH: &str = "M0 0L-9 -4.2L-7 0L-9 4.2Z";
/// Size of the font in nodes; it has to be monospaced.
pub const FONT_SIZE: f32 = 14.0;
/// Size of the font of edge labels.
pub const LABEL_FONT_SIZE: f32 = 12.0;
/// Width of a character relative to the size of a monospaced font.
pub const CHARACTER_WIDTH: f32 = 0.602;
/// Height of a column's title.
pub const TITLE_HEIGHT: f32 = 24.0;
