//! Questions that a reader has about one graph: what an event is and what it depends on, why an edge is there, how one
//! event leads to another.
//!
//! What a reader points at is a [`GraphQuestion`] about an event, an edge or a path. It is asked of the worker that has the
//! graph, when the pointer rests there, and not put into every view. Question and answer go with the view's `stamp`, a hash of
//! the graph, so that no answer is shown with another graph.

use super::fingerprint::Fingerprint;
use super::{FoundView, MomentKind, Session};
use crate::consistency::execution_text;
use crate::explore::{Explorer, Findings, Moment};
use crate::graph::{Coherence, Edge, Event, EventId, EventKey, Execution, RelationName};
use crate::model::{Leg, Model, Reason, Violation};
use crate::program::{Mode, Program, Span};
use crate::report::{EdgeKey, SavedRun, Speaker, event_name, event_text, event_title};
use crate::words;
use serde::{Deserialize, Serialize};

/// A question about a graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GraphQuestion {
    /// What an event is.
    Event(EventKey),
    /// Why an edge is there.
    Edge(EdgeKey),
    /// How one event leads to another.
    Path {
        /// Where from.
        from: EventKey,
        /// Where to.
        to: EventKey,
        /// By edges of these relations.
        relations: Vec<RelationName>,
    },
    /// The graph as an abstract execution.
    Execution,
}

/// What there is to say to a [`GraphQuestion`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// To [`GraphQuestion::Event`].
    Event(EventReply),
    /// To [`GraphQuestion::Edge`].
    Edge(EdgeReply),
    /// To [`GraphQuestion::Path`].
    Path(PathReply),
    /// To [`GraphQuestion::Execution`]: its text, or why it has none.
    Execution(Result<String, String>),
}

/// An event and what it depends on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventReply {
    /// Its name in the drawing.
    pub key: EventKey,
    /// The same with its label: `P1.1 R(x,0)`.
    pub title: String,
    /// What it is, in a sentence.
    pub sentence: String,
    /// What is known of it.
    pub facts: Vec<Fact>,
    /// The write that it reads from.
    pub source: Option<EventKey>,
    /// The reads that read from it.
    pub readers: Vec<EventKey>,
    /// What comes before it in po, without initial writes.
    pub po_prefix: Vec<EventKey>,
    /// What comes before it in porf, without initial writes.
    pub porf_prefix: Vec<EventKey>,
}

/// Something known of an event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    /// What it is: `reads from`.
    pub term: String,
    /// What is known: `P0.1 W(x,1)`.
    pub value: String,
    /// The event that it is about.
    pub event: Option<EventKey>,
    /// The source text that it is about.
    pub span: Option<Span>,
}

/// An edge and why it is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EdgeReply {
    /// Its name in the drawing.
    pub edge: EdgeKey,
    /// `P0.1 W(x,1) —rf→ P1.1 R(x,1)`.
    pub title: String,
    /// What its relation is.
    pub meaning: String,
    /// Why it is there, then why those edges are there that it follows from.
    pub reasons: Vec<ReasonView>,
}

/// Why an edge is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReasonView {
    /// The edge.
    pub edge: EdgeKey,
    /// The same in words.
    pub title: String,
    /// Why, in a sentence or two.
    pub sentence: String,
    /// The way that it follows from.
    pub steps: Vec<StepView>,
}

/// An edge of a way, in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepView {
    /// The edge.
    pub edge: EdgeKey,
    /// The event where the step starts.
    pub from: String,
    /// `—rf→`, or `←rf—` where the way leads backwards.
    pub arrow: String,
    /// The event where it ends.
    pub to: String,
}

/// How one event leads to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathReply {
    /// Where from and where to, in words.
    pub title: String,
    /// Whether there is a path, in a sentence.
    pub sentence: String,
    /// The path; of the other direction if there is none in this one.
    pub steps: Vec<StepView>,
    /// Why those of its edges are there that follow from others.
    pub reasons: Vec<ReasonView>,
}

/// A violated axiom.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ViolationView {
    /// The axiom's name.
    pub axiom: String,
    /// What it demands.
    pub meaning: String,
    /// How the cycle breaks it.
    pub breach: String,
    /// The cycle in one line: `W(x,1) —po→ W(y,1) —rf→ ...`.
    pub cycle: String,
    /// The same edge by edge.
    pub steps: Vec<StepView>,
    /// What the cycle takes for granted.
    pub remark: String,
}

impl Reply {
    /// The edges that it speaks of.
    pub fn edges(&self) -> Vec<EdgeKey> {
        let of = |reasons: &[ReasonView]| -> Vec<EdgeKey> {
            reasons.iter().flat_map(|reason| reason.steps.iter().map(|step| step.edge)).collect()
        };
        match self {
            Self::Event(answer) => {
                let rf = |from, to| EdgeKey { from, to, kind: RelationName::Rf.into() };
                let source = answer.source.iter().map(|&source| rf(source, answer.key));
                source.chain(answer.readers.iter().map(|&reader| rf(answer.key, reader))).collect()
            }
            // The edge itself, and the way that it follows from; further reasons are told, not shown.
            Self::Edge(answer) => [vec![answer.edge], of(answer.reasons.get(..1).unwrap_or_default())].concat(),
            Self::Path(answer) => answer.steps.iter().map(|step| step.edge).collect(),
            Self::Execution(_) => Vec::new(),
        }
    }
}

/// A graph that is asked about.
#[derive(Clone, Copy, Debug)]
pub struct AskedGraph<'a> {
    program: &'a Program,
    model: Model,
    graph: &'a Execution,
    co: Option<&'a Coherence>,
    /// Events that were just cut from it.
    cut: &'a [Event],
}

impl<'a> AskedGraph<'a> {
    /// A graph under a model, with its co if that was chosen.
    pub fn new(program: &'a Program, model: Model, graph: &'a Execution, co: Option<&'a Coherence>) -> Self {
        Self { program, model, graph, co, cut: &[] }
    }

    fn speaker(&self) -> Speaker<'a> {
        Speaker { program: self.program, graph: self.graph, model: self.model }
    }

    /// A hash of the graph and all that answers depend on.
    pub fn stamp(&self) -> String {
        let mut stamp = Fingerprint::default();
        stamp.add(&self.model);
        stamp.add(&self.graph.canonical());
        stamp.add(&self.co.map(|co| self.graph.canonical_coherence(co)));
        self.cut.iter().for_each(|event| stamp.add(&event.key));
        stamp.to_string()
    }

    /// What there is to say to a question; `None` if it is about what is not there. Polynomial, but for the search for a
    /// coherence order where none was chosen.
    pub fn answer(&self, question: &GraphQuestion) -> Option<Reply> {
        match question {
            GraphQuestion::Event(key) => self.event(*key).map(Reply::Event),
            GraphQuestion::Edge(key) => self.edge(*key).map(Reply::Edge),
            GraphQuestion::Path { from, to, relations } => self.path(*from, *to, relations).map(Reply::Path),
            GraphQuestion::Execution => Some(Reply::Execution(execution_text(self.program, self.graph))),
        }
    }

    /// A violation in words.
    pub fn violation(&self, violation: &Violation) -> ViolationView {
        let speaker = self.speaker();
        let legs: Vec<Leg> = violation.cycle.iter().map(|&edge| Leg { edge, backwards: false }).collect();
        ViolationView {
            axiom: violation.axiom.clone(),
            meaning: speaker.meaning(violation).to_owned(),
            breach: speaker.breach(violation),
            cycle: speaker.way(&legs),
            steps: self.steps(&legs),
            remark: violation.remark.clone(),
        }
    }

    fn key(&self, e: EventId) -> EventKey {
        self.graph.event(e).key
    }

    /// Events and all that follows from a question come from outside, so the names may be of no event.
    fn find(&self, key: EventKey) -> Option<EventId> {
        self.graph.find(key).filter(|e| self.key(*e) == key)
    }

    fn event(&self, key: EventKey) -> Option<EventReply> {
        let Some(e) = self.find(key) else {
            let event = self.cut.iter().find(|event| event.key == key)?;
            return Some(EventReply {
                key,
                title: format!("{} {}", event_name(self.program, key), event_text(self.program, event)),
                sentence: "It was removed from the graph.".to_owned(),
                facts: self.facts(event),
                source: None,
                readers: Vec::new(),
                po_prefix: Vec::new(),
                porf_prefix: Vec::new(),
            });
        };
        let graph = self.graph;
        let event = graph.event(e);
        let source = graph.source(e);
        let keys = |events: &mut dyn Iterator<Item = EventId>| -> Vec<EventKey> {
            events.filter(|&other| other != e && !graph.event(other).is_init()).map(|e| self.key(e)).collect()
        };
        let readers: Vec<EventId> = graph.ids().filter(|&read| graph.source(read) == Some(e)).collect();
        let po_prefix = keys(&mut graph.ids().filter(|&other| graph.po(other, e)));
        let porf_prefix = keys(&mut graph.porf_prefix(e).iter());
        let mut facts = self.facts(event);
        let mut fact = |term: &str, value: String, event: Option<EventId>| {
            facts.push(Fact { term: term.to_owned(), value, event: event.map(|e| self.key(e)), span: None });
        };
        if let Some(source) = source {
            fact("reads from", self.speaker().event(source), Some(source));
        } else if event.is_read() {
            fact("reads from", "nothing yet".to_owned(), None);
        }
        for &reader in &readers {
            fact("read by", self.speaker().event(reader), Some(reader));
        }
        if event.is_write() && readers.is_empty() {
            fact("read by", "nothing".to_owned(), None);
        }
        if !event.is_init() {
            fact("po prefix", words::count(po_prefix.len() as u64, "event"), None);
            fact("porf prefix", words::count(porf_prefix.len() as u64, "event"), None);
        }
        let title = event_title(self.program, event, None);
        let what = title.split_once(", ").map_or("", |(_, what)| what);
        // Where it stands is a fact of its own.
        let what = what.rsplit_once(", line ").map_or(what, |(what, _)| what);
        let what = what.strip_suffix(", has no source yet").unwrap_or(what);
        Some(EventReply {
            key,
            title: self.speaker().event(e),
            sentence: what.to_owned(),
            facts,
            source: source.map(|source| self.key(source)),
            readers: readers.into_iter().map(|read| self.key(read)).collect(),
            po_prefix,
            porf_prefix,
        })
    }

    /// What an event says by itself.
    fn facts(&self, event: &Event) -> Vec<Fact> {
        let mut facts = Vec::new();
        let mut fact = |term: &str, value: String, span: Option<Span>| {
            facts.push(Fact { term: term.to_owned(), value, event: None, span });
        };
        if !event.is_init() {
            fact("thread", self.program.thread_name(event.thread().0.into()), None);
        }
        if event.span != Span::default() {
            fact("line", event.span.line.to_string(), Some(event.span));
        }
        if let Some(value) = event.value_read {
            fact("reads", self.program.location_text(event.location(), value), None);
        }
        if let Some(value) = event.value_written.filter(|_| event.operation().is_none()) {
            fact("writes", self.program.location_text(event.location(), value), None);
        }
        if (event.is_fence() || event.location().is_some()) && !event.is_init() && event.operation().is_none() {
            let mode = match event.mode() {
                Mode::NonAtomic => "non-atomic",
                Mode::Relaxed => "relaxed",
                Mode::Acquire => "acquire",
                Mode::Release => "release",
                Mode::AcquireRelease => "acquire-release",
                Mode::SequentiallyConsistent => "SC",
            };
            let ignored = if !self.model.rules().synchronises() && event.mode() != Mode::Relaxed && !event.is_fence() {
                format!(", which {} ignores", self.model.title())
            } else {
                String::new()
            };
            fact("mode", format!("{mode}{ignored}"), None);
        }
        facts
    }

    /// co that was chosen, or one that fits.
    fn order(&self) -> Option<Coherence> {
        self.co.cloned().or_else(|| self.model.consistency_for_view(self.graph).witness().map(|witness| witness.co))
    }

    fn edge(&self, key: EdgeKey) -> Option<EdgeReply> {
        let relation = key.kind.relation()?;
        let edge = Edge { from: self.find(key.from)?, to: self.find(key.to)?, relation };
        let order = self.order();
        let grounds = self.model.grounds(self.graph, order.as_ref());
        let reasons = self.reasons(grounds.why(edge));
        if reasons.is_empty() {
            return None;
        }
        let title = self.speaker().way(&[Leg { edge, backwards: false }]);
        Some(EdgeReply { edge: key, title, meaning: relation.meaning().to_owned(), reasons })
    }

    fn path(&self, from: EventKey, to: EventKey, relations: &[RelationName]) -> Option<PathReply> {
        let (a, b) = (self.find(from)?, self.find(to)?);
        let order = self.order();
        let grounds = self.model.grounds(self.graph, order.as_ref());
        let chosen = RelationName::ALL.into_iter().filter(|name| relations.contains(name)).map(RelationName::name);
        let names = words::list(chosen);
        let of = if names.is_empty() { "no relation at all" } else { &names };
        let (left, right) = (self.speaker().event(a), self.speaker().event(b));
        let edges = |n: usize| words::count_in_words(n as u64, "edge");
        let (path, sentence) = match grounds.path(a, b, relations) {
            Some(path) => {
                let sentence = format!("A shortest path of {of} from {left} to {right} has {}.", edges(path.len()));
                (path, sentence)
            }
            None => match grounds.path(b, a, relations) {
                Some(path) => {
                    let sentence = format!(
                        "No path of {of} leads from {left} to {right}. But a path with {} leads from {right} to \
                         {left}.",
                        edges(path.len())
                    );
                    (path, sentence)
                }
                None => (Vec::new(), format!("No path of {of} leads from {left} to {right}, nor back.")),
            },
        };
        let mut reasons: Vec<Reason> = Vec::new();
        for edge in path.iter().filter(|edge| follows(edge.relation)) {
            let new =
                grounds.why(*edge).into_iter().filter(|reason| reasons.iter().all(|known| known.edge != reason.edge));
            let new: Vec<Reason> = new.collect();
            reasons.extend(new);
        }
        let legs: Vec<Leg> = path.into_iter().map(|edge| Leg { edge, backwards: false }).collect();
        Some(PathReply {
            title: format!("{left} to {right}"),
            sentence,
            steps: self.steps(&legs),
            reasons: self.reasons(reasons),
        })
    }

    fn reasons(&self, reasons: Vec<Reason>) -> Vec<ReasonView> {
        let view = |reason: &Reason| ReasonView {
            edge: self.edge_key(reason.edge),
            title: self.speaker().way(&[Leg { edge: reason.edge, backwards: false }]),
            sentence: self.speaker().reason(reason, self.co.is_some()),
            steps: self.steps(&reason.legs),
        };
        reasons.iter().map(view).collect()
    }

    fn edge_key(&self, edge: Edge) -> EdgeKey {
        EdgeKey { from: self.key(edge.from), to: self.key(edge.to), kind: edge.relation.into() }
    }

    fn steps(&self, legs: &[Leg]) -> Vec<StepView> {
        let view = |leg: &Leg| StepView {
            edge: self.edge_key(leg.edge),
            from: self.speaker().event(leg.from()),
            arrow: self.speaker().arrow(leg),
            to: self.speaker().event(leg.to()),
        };
        legs.iter().map(view).collect()
    }
}

/// Whether edges of a relation follow from others.
fn follows(relation: RelationName) -> bool {
    !matches!(relation, RelationName::Po | RelationName::Rf)
}

impl Session {
    /// The graph at the point looked at.
    pub fn subject(&self) -> AskedGraph<'_> {
        let explorer: &dyn Explorer = self.explorer();
        AskedGraph {
            cut: explorer.cut(),
            ..AskedGraph::new(&self.program, self.model(), explorer.execution(), explorer.coherence())
        }
    }
}

/// What there is to say of the moment of this stamp, if it is one of these.
fn answer(
    program: &Program,
    model: Model,
    moments: [Option<&Moment>; 3],
    stamp: &str,
    question: &GraphQuestion,
) -> Option<Reply> {
    let subjects =
        moments.into_iter().flatten().map(|moment| AskedGraph::new(program, model, &moment.graph, moment.co.as_ref()));
    subjects.into_iter().find(|subject| subject.stamp() == stamp)?.answer(question)
}

impl FoundView {
    /// What there is to say of a moment of a run, named by its stamp; `None` if it is none any more.
    pub fn answer(
        program: &Program,
        model: Model,
        findings: &Findings,
        stamp: &str,
        question: &GraphQuestion,
    ) -> Option<Reply> {
        answer(program, model, MomentKind::ALL.map(|kind| kind.of(findings)), stamp, question)
    }

    /// The same of a run from a file.
    pub fn answer_of_file(saved: &SavedRun, stamp: &str, question: &GraphQuestion) -> Option<Reply> {
        let graphs = &saved.file.graphs;
        let moments = [graphs.first.as_ref(), graphs.violation.as_ref(), graphs.witness.as_ref()];
        answer(&saved.program, saved.file.model, moments, stamp, question)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::Algorithm;
    use crate::graph::ThreadId;
    use crate::report::{highlight, outline};
    use crate::session::{Settings, ViewRequest};

    const STORE_BUFFERING: &str = "x := 1 || y := 1\na := y || b := x";

    fn session(text: &str, model: Model, algorithm: Algorithm) -> Session {
        let settings = Settings { text: text.to_owned(), model, algorithm, ..Settings::default() };
        Session::open(settings).expect("it is a program")
    }

    /// A session at its first execution in which an event is labelled so.
    fn with_label(text: &str, model: Model, label: &str) -> Session {
        let mut session = session(text, model, Algorithm::Genmc);
        loop {
            assert!(session.next_execution(u64::MAX) && !session.is_done(), "there is an execution with {label}");
            let view = session.view(&ViewRequest::default());
            if view.drawing.nodes.iter().any(|node| node.label == label) {
                return session;
            }
        }
    }

    fn key(thread: u16, serial: u32) -> EventKey {
        EventKey { thread: ThreadId(thread), serial }
    }

    fn edge_answer(session: &Session, from: EventKey, to: EventKey, relation: RelationName) -> EdgeReply {
        match session.subject().answer(&GraphQuestion::Edge(EdgeKey { from, to, kind: relation.into() })) {
            Some(Reply::Edge(answer)) => answer,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn an_event_says_what_it_depends_on() {
        let session = with_label(STORE_BUFFERING, Model::SC, "R(x,1)");
        let Some(Reply::Event(event)) = session.subject().answer(&GraphQuestion::Event(key(1, 2))) else {
            panic!("there is such an event")
        };
        assert_eq!(event.title, "P1.2 R(x,1)");
        assert_eq!(event.sentence, "relaxed read of x");
        assert_eq!(event.source, Some(key(0, 1)));
        assert_eq!((event.po_prefix, event.porf_prefix.len()), (vec![key(1, 1)], 2));
        let facts: Vec<_> = event.facts.iter().map(|fact| format!("{} {}", fact.term, fact.value)).collect();
        let expected = [
            "thread P1",
            "line 2",
            "reads 1",
            "mode relaxed",
            "reads from P0.1 W(x,1)",
            "po prefix 1 event",
            "porf prefix 2 events",
        ];
        assert_eq!(facts, expected);
        let Some(Reply::Event(write)) = session.subject().answer(&GraphQuestion::Event(key(0, 1))) else {
            panic!("there is such an event")
        };
        assert_eq!(write.readers, [key(1, 2)]);
        assert_eq!(session.subject().answer(&GraphQuestion::Event(key(1, 9))), None);
        assert_eq!(session.subject().answer(&GraphQuestion::Event(key(u16::MAX, 9))), None);
    }

    #[test]
    fn edges_say_why_they_are_there() {
        let text = "x := 1; fence rel; y := 1 || a := fai(y) || b := y; fence acq; c := x";
        let session = with_label(text, Model::RC11, "R(y,2)");
        let sw = edge_answer(&session, key(0, 2), key(2, 2), RelationName::Sw);
        let arrows: Vec<_> = sw.reasons[0].steps.iter().map(|step| step.arrow.as_str()).collect();
        assert_eq!(arrows, ["—po→", "—rf→", "—rf→", "—po→"]);
        assert!(sw.reasons[0].sentence.contains("release fence"), "{}", sw.reasons[0].sentence);
        assert!(sw.reasons[0].sentence.contains("through a read-modify-write"), "{}", sw.reasons[0].sentence);
        let hb = edge_answer(&session, key(0, 1), key(2, 3), RelationName::Hb);
        let arrows: Vec<_> = hb.reasons[0].steps.iter().map(|step| step.arrow.as_str()).collect();
        assert_eq!(arrows, ["—po→", "—sw→", "—po→"]);
        assert_eq!(hb.reasons[1].edge, sw.edge);
        assert_eq!(hb.title, "P0.1 W(x,1) —hb→ P2.3 R(x,1)");

        let session = with_label(STORE_BUFFERING, Model::TSO, "R(x,0)");
        let init = session.explorer().execution().event(EventId(0)).key;
        let fr = edge_answer(&session, key(1, 2), key(0, 1), RelationName::Fr);
        let arrows: Vec<_> = fr.reasons[0].steps.iter().map(|step| step.arrow.as_str()).collect();
        assert_eq!(arrows, ["←rf—", "—co→"]);
        assert_eq!(fr.reasons[1].edge, EdgeKey { from: init, to: key(0, 1), kind: RelationName::Co.into() });
        // What is not there has no reason.
        let no = GraphQuestion::Edge(EdgeKey { from: key(0, 1), to: key(1, 2), kind: RelationName::Rf.into() });
        assert_eq!(session.subject().answer(&no), None);
    }

    #[test]
    fn paths_are_found_in_the_relations_asked_for() {
        let session = with_label(STORE_BUFFERING, Model::SC, "R(x,1)");
        let ask = |from, to, relations: &[RelationName]| match session.subject().answer(&GraphQuestion::Path {
            from,
            to,
            relations: relations.to_vec(),
        }) {
            Some(Reply::Path(path)) => (path.sentence, path.steps.len()),
            other => panic!("{other:?}"),
        };
        let (sentence, steps) = ask(key(0, 1), key(1, 2), &[RelationName::Rf]);
        assert_eq!(
            (sentence.as_str(), steps),
            ("A shortest path of rf from P0.1 W(x,1) to P1.2 R(x,1) has one edge.", 1)
        );
        let (sentence, steps) = ask(key(1, 2), key(0, 1), &[RelationName::Po, RelationName::Rf]);
        assert!(
            sentence.starts_with("No path of po and rf leads from")
                && sentence.contains(" But a path with one edge leads from "),
            "{sentence}"
        );
        assert_eq!(steps, 1);
        let (sentence, steps) = ask(key(1, 1), key(0, 1), &[]);
        assert!(sentence.ends_with("nor back.") && steps == 0, "{sentence}");
    }

    #[test]
    fn a_dropped_graph_says_what_it_breaks() {
        let mut session = session(STORE_BUFFERING, Model::SC, Algorithm::Genmc);
        while session.view(&ViewRequest::default()).violation.is_none() {
            assert!(session.forward(), "some graph is dropped");
        }
        let view = session.view(&ViewRequest::default());
        let violation = view.violation.expect("it is dropped");
        assert!(violation.meaning.contains("acyclic"), "{}", violation.meaning);
        assert!(violation.breach.contains("would come before itself"), "{}", violation.breach);
        assert_eq!(violation.steps.len(), 4);
        assert!(violation.steps.iter().zip(violation.steps.iter().cycle().skip(1)).all(|(a, b)| a.to == b.from));
        // Each edge of the cycle can be asked about.
        for step in &violation.steps {
            assert!(session.subject().answer(&GraphQuestion::Edge(step.edge)).is_some(), "{step:?}");
        }
    }

    #[test]
    fn edges_that_are_not_drawn_are_brought_out_over_the_drawing() {
        let session = with_label(STORE_BUFFERING, Model::TSO, "R(x,0)");
        let hidden = vec![RelationName::Fr];
        let view = session.view(&ViewRequest { hidden, ..ViewRequest::default() });
        let fr = EdgeKey { from: key(1, 2), to: key(0, 1), kind: RelationName::Fr.into() };
        let po = EdgeKey { from: key(0, 1), to: key(0, 2), kind: RelationName::Po.into() };
        let nowhere = EdgeKey { from: key(7, 2), to: key(0, 1), kind: RelationName::Fr.into() };
        let highlighted = highlight(&view.drawing, &[fr, po, nowhere, fr]);
        assert_eq!(highlighted.drawn, [po]);
        assert_eq!(highlighted.added.iter().map(crate::report::DrawnEdge::key).collect::<Vec<_>>(), [fr]);
    }

    #[test]
    fn the_outline_has_every_event_and_its_readers() {
        let session = with_label(STORE_BUFFERING, Model::SC, "R(x,1)");
        let view = session.view(&ViewRequest::default());
        let threads = outline(&view.drawing);
        assert_eq!(threads.last().map(|thread| thread.title.as_str()), Some("P1, 2 events"));
        let events: Vec<_> = threads.iter().flat_map(|thread| &thread.events).collect();
        assert_eq!(events.len(), view.drawing.nodes.len());
        let write = events.iter().find(|event| event.key == key(0, 1)).expect("it is there");
        assert!(write.details.contains(&"read by P1.2 R(x,1)".to_owned()), "{:?}", write.details);
    }

    #[test]
    fn an_answer_is_about_the_graph_that_was_asked_about() {
        let mut session = session(STORE_BUFFERING, Model::SC, Algorithm::GenmcCo);
        let mut stamps = Vec::new();
        while session.next_execution(u64::MAX) && !session.is_done() {
            stamps.push(session.view(&ViewRequest::default()).stamp);
        }
        assert!(stamps.len() > 2);
        stamps.sort_unstable();
        assert!(stamps.windows(2).all(|pair| pair[0] != pair[1]));
    }
}
