//! The drawing of an event-driven trace: handlers side by side, each message a frame around its events.
//!
//! Handlers are columns, messages frames ([`Diagram::frames`](crate::report::Diagram::frames)). With a run, each event stands
//! below all that come before it (`Diagram::one_by_one`).

use super::report::TraceReport;
use crate::graph::{EventKey, RelationName, ThreadId};
use crate::program::Span;
use crate::{Edge, EventIndex, HandlerIndex, Kind, Mailbox, Message, MessageIndex, Relation, Trace, fixed};
use litmoscope_draw::READABLE;
use litmoscope_draw::parts::node_width;
use litmoscope_draw::{
    Diagram, DiagramColumn, DiagramEdge, DiagramFrame, DiagramNode, Drawing, EdgeKey, EdgeKind, Mark, NodeKind,
    OwnKind, Place, Room, Shades, layout,
};
use rustc_hash::FxHashSet;
use std::borrow::Cow;

/// The kinds of edges of this lab: pb and mo as in execution graphs, eo and do, which these have not, with the colours of relations that
/// are not drawn here.
static KINDS: [OwnKind; 4] = [
    kind("pb", ["#00728f", "#4fd3f2", "#6f2ad6"], ["#0500c9", "#4fc178"], "20 4"),
    kind("eo", ["#7a2bbf", "#cf9bff", "#702a98"], ["#6a00a7", "#358df5"], "6 3 2 3 2 3"),
    kind("mo", ["#8a4a2b", "#e8a987", "#94307a"], ["#0d016e", "#99877c"], "6 3"),
    kind("do", ["#46670b", "#b5d55a", "#183300"], ["#517b16", "#c7ee60"], "16 3 2 3 2 3"),
];

const fn kind(name: &'static str, standard: [&'static str; 3], safe: [&'static str; 2], dash: &'static str) -> OwnKind {
    let [light, dark, contrast] = standard;
    OwnKind {
        name: Cow::Borrowed(name),
        standard: Shades::new(light, dark, contrast),
        safe: Shades::new(safe[0], safe[1], contrast),
        dash: Cow::Borrowed(dash),
    }
}

/// What its edges are drawn as.
pub(super) fn edge_kind(relation: Relation) -> EdgeKind {
    match relation {
        Relation::Po => RelationName::Po.into(),
        Relation::Rf => RelationName::Rf.into(),
        Relation::Co => RelationName::Co.into(),
        Relation::Fr => RelationName::Fr.into(),
        Relation::Pb => EdgeKind::Own(0),
        Relation::Eo => EdgeKind::Own(1),
        Relation::Mo => EdgeKind::Own(2),
        Relation::Do => EdgeKind::Own(3),
    }
}

/// The kinds of edges that these drawings alone have.
pub(super) fn own_kinds() -> Vec<OwnKind> {
    KINDS.to_vec()
}

/// What an event is called in drawings: its handler and its place in the text.
pub(super) fn key(trace: &Trace, event: EventIndex) -> EventKey {
    let handler = trace.message(trace.event(event).message).handler;
    EventKey { thread: ThreadId(handler.0 as u16), serial: event.0 + 1 }
}

pub(super) fn edge_key(trace: &Trace, edge: Edge) -> EdgeKey {
    EdgeKey { from: key(trace, edge.from), to: key(trace, edge.to), kind: edge_kind(edge.relation) }
}

/// What is drawn.
#[derive(Clone, Copy, Debug)]
pub struct TraceDrawing<'a> {
    /// The trace, and words for it.
    pub report: &'a TraceReport<'a>,
    /// Its events in the order of a run, from top to bottom; else handlers have their messages in the order of the text.
    pub run: Option<&'a [EventIndex]>,
    /// eo, mo and do, as far as they are known, with sentences on them.
    pub orders: &'a [(Edge, String)],
    /// What the step adds.
    pub new: &'a [Edge],
    /// A cycle to bring out.
    pub cycle: &'a [Edge],
    /// Which relations are drawn; the cycle is in any case.
    pub shown: &'a [Relation],
    /// How much room there is.
    pub room: Room,
}

impl TraceDrawing<'_> {
    /// Draws it. Where events stand depends on trace and run alone.
    pub fn draw(&self) -> Drawing {
        let trace = self.report.trace;
        let mut nodes = self.nodes();
        let in_cycle: FxHashSet<EventKey> = self.cycle.iter().map(|edge| key(trace, edge.from)).collect();
        for node in nodes.iter_mut().filter(|node| in_cycle.contains(&node.key)) {
            node.marks.push(Mark::InCycle);
        }
        let mut per_column = vec![0; trace.handlers.len()];
        for node in &nodes {
            if let Place::Column(column) = node.place {
                per_column[column] += 1;
            }
        }
        let diagram = Diagram {
            columns: self.columns(&per_column),
            nodes,
            edges: self.edges(),
            rows: per_column.into_iter().max().unwrap_or(0),
            room: self.room,
            kinds: own_kinds(),
            chosen_co: true,
            one_by_one: self.run.is_some(),
            frames: self.frames(),
            frames_have_labels: false,
            ..Diagram::default()
        };
        layout(diagram.within(READABLE))
    }

    fn columns(&self, per_column: &[usize]) -> Vec<DiagramColumn> {
        let handlers = self.report.trace.handlers.iter().zip(per_column);
        handlers
            .map(|(handler, &traffic)| {
                let mailbox = if handler.is_thread { "thread" } else { handler.mailbox.keyword() };
                DiagramColumn { title: format!("{} ({mailbox})", handler.name), width: node_width(""), traffic }
            })
            .collect()
    }

    fn nodes(&self) -> Vec<DiagramNode> {
        let trace = self.report.trace;
        let order: Vec<EventIndex> = match self.run {
            Some(run) => run.to_vec(),
            None => trace.messages.iter().flat_map(|message| message.events.iter().copied()).collect(),
        };
        let waiting = (0..)
            .map(MessageIndex)
            .zip(&trace.messages)
            .filter(|(_, message)| message.events.is_empty() && !trace.handler(message.handler).is_thread);
        order
            .into_iter()
            .map(|event| self.node(event))
            .chain(waiting.map(|(at, message)| self.waiting(at, message)))
            .collect()
    }

    fn node(&self, event: EventIndex) -> DiagramNode {
        let (report, trace) = (self.report, self.report.trace);
        let (about, source) = (trace.event(event), |at: EventIndex| Some(key(trace, at)));
        let name = trace.event_name(event);
        let message = trace.message(about.message);
        let handler = report.handler(message.handler);
        let (kind, source, deed) = match about.kind {
            Kind::Get => (NodeKind::Fence, message.post.and_then(source), format!("{handler} takes {}", message.name)),
            Kind::Read { source: None, .. } => (NodeKind::Read, None, "reads the initial value".to_owned()),
            Kind::Read { source: Some(write), .. } => {
                (NodeKind::Read, source(write), format!("reads from {}", report.whole(write)))
            }
            Kind::Write { .. } => (NodeKind::Write, None, "writes".to_owned()),
            Kind::Post(posted) => {
                let to = report.handler(trace.message(posted).handler);
                (NodeKind::Update, None, format!("posts {} to {to}", report.message(posted)))
            }
        };
        DiagramNode {
            key: key(trace, event),
            title: format!("{name} of {}: {deed}", message.name),
            name,
            label: report.deed(event),
            kind,
            place: Place::Column(message.handler.index()),
            source,
            marks: Vec::new(),
            colour: None,
            ghost: false,
            span: about.span,
        }
    }

    /// A message that was never taken.
    fn waiting(&self, at: MessageIndex, message: &Message) -> DiagramNode {
        let HandlerIndex(handler) = message.handler;
        DiagramNode {
            key: EventKey {
                thread: ThreadId(handler as u16),
                serial: self.report.trace.events.len() as u32 + at.0 + 1,
            },
            name: message.name.clone(),
            label: format!("{} waits", message.name),
            title: format!("{} is never taken", message.name),
            kind: NodeKind::Stuck,
            place: Place::Column(message.handler.index()),
            source: message.post.map(|post| key(self.report.trace, post)),
            marks: Vec::new(),
            colour: None,
            ghost: false,
            span: Span::clone(&message.span),
        }
    }

    /// Around each message; a thread's only one has its column.
    fn frames(&self) -> Vec<DiagramFrame> {
        let trace = self.report.trace;
        let messages = trace.messages.iter().filter(|message| !trace.handler(message.handler).is_thread);
        messages
            .map(|message| DiagramFrame {
                label: String::new(),
                title: format!("{}, a message to {}", message.name, self.report.handler(message.handler)),
                nodes: message.events.iter().map(|event| key(trace, *event)).collect(),
            })
            .collect()
    }

    /// Those of the relations that are drawn, each once, and those of the cycle.
    fn edges(&self) -> Vec<DiagramEdge> {
        let trace = self.report.trace;
        let given = fixed(trace).into_iter().map(|edge| (edge, None));
        let known = self.orders.iter().map(|(edge, why)| (*edge, Some(why)));
        // po is what a message's box shows: always there.
        let shown = |(edge, _): &(Edge, Option<&String>)| {
            edge.relation == Relation::Po || self.shown.contains(&edge.relation) || self.cycle.contains(edge)
        };
        let all = given.chain(known).filter(shown).chain(self.cycle.iter().map(|edge| (*edge, None)));
        let mut seen = FxHashSet::default();
        all.filter(|(edge, _)| seen.insert(*edge))
            .map(|(edge, why)| {
                let EdgeKey { from, to, kind } = edge_key(trace, edge);
                let in_cycle = self.cycle.contains(&edge);
                let is_po = edge.relation == Relation::Po;
                let title =
                    why.map_or_else(|| self.report.edge(edge), |why| format!("{} {why}", self.report.edge(edge)));
                DiagramEdge {
                    from,
                    to,
                    kind,
                    label: (!is_po || in_cycle).then(|| edge.relation.name().to_owned()),
                    title,
                    in_cycle,
                    new: self.new.contains(&edge),
                    ghost: false,
                }
            })
            .collect()
    }
}

/// The edges of eo, mo and do that two messages stand for.
pub(super) fn order_edges(trace: &Trace, first: MessageIndex, second: MessageIndex) -> Vec<Edge> {
    let mut edges = crate::edges_of(trace, first, second);
    let (before, behind) = (trace.message(first), trace.message(second));
    let is_queue = trace.handler(before.handler).mailbox == Mailbox::Queue;
    let is_posted = before.post.is_some() && behind.post.is_some();
    if let (true, Some(&from), Some(&to)) = (is_queue && is_posted, before.events.first(), behind.events.first()) {
        edges.push(Edge { from, to, relation: Relation::Do });
    }
    edges
}
