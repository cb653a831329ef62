//! Whether an abstract execution is consistent, as text and JSON.

use super::search::{SearchJson, Searched};
use crate::consistency::{
    AbstractExecution, Addition, Closure, ClosureEdge, ClosureEdgeKind, ConsistencyAnswer, ConsistencyCase,
    ConsistencyVerdict, ConsistencyWitness, End, Flaw, Hidden, Instance, Machine, NodeId, Obstacle, Part, Run, Why,
};
use crate::graph::{EventId, Execution};
use crate::model::Model;
use crate::report::{
    CycleEdgeJson, Detail, DrawingInput, InitialWrites, cycle_json, cycle_text, event_name, event_text, graph_text,
    location_name,
};
use crate::words::{self, grouped};
use serde::Serialize;
use std::fmt::Write;

/// What a model says of an abstract execution.
#[derive(Clone, Copy, Debug)]
pub struct ConsistencyReport<'a> {
    /// What to call the execution.
    pub name: &'a str,
    /// The execution.
    pub execution: &'a AbstractExecution,
    /// The model.
    pub model: Model,
    /// What it says.
    pub answer: &'a ConsistencyAnswer,
}

/// Nodes and edges in words.
#[derive(Clone, Copy, Debug)]
pub struct NodeSpeaker<'a> {
    /// The execution.
    pub execution: &'a AbstractExecution,
    /// Its graph, with the sources that reads take, as far as they are known.
    pub graph: &'a Execution,
    /// The nodes.
    pub instance: &'a Instance,
}

impl NodeSpeaker<'_> {
    /// The name of a node: `T1.2`, `init x`; of a buffered write, `T1.2 in the buffer` and `T1.2 in memory`.
    pub fn name(&self, n: NodeId) -> String {
        let node = self.instance.node(n);
        let name = self.event(n);
        match node.part {
            Part::Buffer => format!("{name} in the buffer"),
            Part::Memory => format!("{name} in memory"),
            Part::Fence if self.graph.event(node.event).location().is_some() => format!("{name}, buffers empty"),
            _ => name,
        }
    }

    /// The name of a node's event.
    pub fn event(&self, n: NodeId) -> String {
        event_name(&self.execution.program, self.graph.event(self.instance.node(n).event).key)
    }

    /// The event of a node as the papers write it.
    pub fn text(&self, n: NodeId) -> String {
        event_text(&self.execution.program, self.graph.event(self.instance.node(n).event))
    }

    /// What happens when a node is performed, in words without the event's name.
    pub fn deed(&self, n: NodeId) -> String {
        let node = self.instance.node(n);
        let text = self.text(n);
        let thread = self.execution.program.thread_name(node.thread.index());
        match node.part {
            Part::Buffer if self.instance.machine == Machine::Pso => {
                let place = node.location.map_or_else(String::new, |l| location_name(&self.execution.program, l));
                format!("{text} enters {thread}'s buffer of {place}")
            }
            Part::Buffer => format!("{text} enters {thread}'s buffer"),
            Part::Memory => format!("{text} reaches memory"),
            Part::Fence if node.location.is_none() && self.graph.event(node.event).location().is_some() => {
                format!("{thread}'s buffers are empty for {text}")
            }
            _ => text,
        }
    }

    /// A node as JSON.
    pub(super) fn json(&self, n: NodeId) -> NodeJson {
        NodeJson { event: self.event(n), part: self.instance.node(n).part, text: self.deed(n) }
    }

    /// An edge of a closure: `-po->`, `-closure 2->`.
    pub fn arrow(&self, edge: &ClosureEdge) -> String {
        match edge.kind {
            ClosureEdgeKind::Initial => "-initial->".to_owned(),
            ClosureEdgeKind::Po => "-po->".to_owned(),
            ClosureEdgeKind::Given => "-given->".to_owned(),
            ClosureEdgeKind::Added(at) => format!("-closure {}->", at + 1),
        }
    }

    /// A path or cycle of edges.
    pub fn path(&self, edges: &[ClosureEdge]) -> String {
        let mut out = String::new();
        for edge in edges {
            let _ = write!(out, "{} {} ", self.name(edge.from), self.arrow(edge));
        }
        if let Some(edge) = edges.last() {
            out += &self.name(edge.to);
        }
        out
    }

    /// Why a rule adds an edge, in a sentence.
    pub fn addition(&self, addition: &Addition) -> String {
        let (from, to) = (self.name(addition.from), self.name(addition.to));
        let premises: Vec<String> =
            addition.premises.iter().map(|&(a, b)| format!("{} comes before {}", self.name(a), self.name(b))).collect();
        let since = if premises.is_empty() { String::new() } else { format!(", because {}", premises.join(" and ")) };
        format!("{from} comes before {to}{since}. {}", addition.rule.meaning())
    }

    /// Why the closure of an execution does not exist.
    pub fn end(&self, closure: &Closure) -> Option<String> {
        match &closure.end {
            End::Closed => None,
            End::Cycle(cycle) => Some(format!("The closure has a cycle: {}.", self.path(cycle))),
            End::NoSource { read, hidden } => {
                let why: Vec<String> = hidden
                    .iter()
                    .map(|(write, why)| match why {
                        Hidden::Behind => format!("{} comes after it", self.name(*write)),
                        Hidden::Overwritten(by) => {
                            let path = closure.path(self.instance, *by, *read, closure.additions.len());
                            let (write, by) = (self.name(*write), self.name(*by));
                            format!("{write} is overwritten before it by {by} ({})", self.path(&path))
                        }
                    })
                    .collect();
                let why =
                    if why.is_empty() { "nothing was written that it may read".to_owned() } else { why.join("; ") };
                Some(format!("{} {} can have no source: {why}.", self.name(*read), self.text(*read)))
            }
        }
    }

    /// Why a node can't be performed now, in words that follow "not now:".
    pub fn obstacle(&self, obstacle: &Obstacle) -> String {
        let node = |n: NodeId| self.name(n);
        match *obstacle {
            Obstacle::Before(n) => format!("{} comes first, by program order", node(n)),
            Obstacle::BeforeByClosure(n) => format!("{} comes first, by the closure", node(n)),
            Obstacle::NotInMemory(n) => format!("memory holds {}, which is no source of it", node(n)),
            Obstacle::SourceMissing(n) => format!("its source {} is not there yet", node(n)),
            Obstacle::Held(read) => format!("{} has yet to read there, and holds the location", node(read)),
            Obstacle::OwnWrite { read, own } => {
                format!("{} is to read this, but would find {} in its own buffer", node(read), self.name(own))
            }
        }
    }

    /// What is wrong with a source by program order alone.
    pub fn flaw(&self, flaw: &Flaw) -> String {
        match *flaw {
            Flaw::FromBehind { read, source } => format!(
                "{} {} would read from {}, which comes after it in the same thread.",
                self.name(read),
                self.text(read),
                self.name(source)
            ),
            Flaw::Overwritten { read, source, own } => format!(
                "{} {} can't read from {}: its own thread has written {} to the same location since.",
                self.name(read),
                self.text(read),
                self.name(source),
                self.name(own)
            ),
        }
    }
}

impl ConsistencyReport<'_> {
    /// The answer in a word.
    pub fn verdict(&self) -> &'static str {
        match self.answer.verdict {
            ConsistencyVerdict::Consistent(_) => "consistent",
            ConsistencyVerdict::Inconsistent { .. } => "inconsistent",
            ConsistencyVerdict::Bounded => "bounded",
        }
    }

    /// The answer in a sentence.
    pub fn sentence(&self) -> String {
        let (name, model) = (self.name, self.model.title());
        let name = if name.is_empty() { "The execution" } else { name };
        match &self.answer.verdict {
            ConsistencyVerdict::Consistent(_) => format!("{name} is consistent under {model}."),
            ConsistencyVerdict::Inconsistent { cases, more } if cases.len() as u64 + more > 1 => {
                let many = grouped(cases.len() as u64 + more);
                format!("{name} is inconsistent under {model}: {many} choices of sources are ruled out.")
            }
            ConsistencyVerdict::Inconsistent { .. } => format!("{name} is inconsistent under {model}."),
            ConsistencyVerdict::Bounded => format!(
                "It is not known whether {name} is consistent under {model}: bounded, the search was given up after {} \
                 states.",
                grouped(self.answer.states)
            ),
        }
    }

    /// How much was searched, in a sentence.
    pub fn effort(&self) -> String {
        let mut text = format!(
            "Search: {}, {} reached again",
            words::count(self.answer.states, "state"),
            grouped(self.answer.repeats)
        );
        if self.answer.choices > 1 {
            let _ = write!(text, ", {} choices of sources looked at", grouped(self.answer.choices));
        }
        text
    }

    /// The sources of a case: `T1.2 reads from T2.1`.
    pub fn sources(&self, sources: &[(EventId, EventId)]) -> String {
        let name = |e: EventId| event_name(&self.execution.program, self.execution.graph.event(e).key);
        let texts: Vec<String> =
            sources.iter().map(|&(read, write)| format!("{} reads from {}", name(read), name(write))).collect();
        texts.join(", ")
    }

    /// Why a case is ruled out, in a sentence.
    pub fn reason(&self, case: &ConsistencyCase) -> String {
        let speaker = |instance| NodeSpeaker { execution: self.execution, graph: &self.execution.graph, instance };
        match &case.why {
            Why::NoWrite(read) => {
                let event = self.execution.graph.event(*read);
                let (name, text) =
                    (event_name(&self.execution.program, event.key), event_text(&self.execution.program, event));
                format!("No write has the value that {name} {text} is to read.")
            }
            Why::Flaw { instance, flaw } => speaker(instance).flaw(flaw),
            Why::Closure { instance, closure } => speaker(instance).end(closure).unwrap_or_default(),
            Why::Exhausted { states, closure, .. } => {
                let looked = if *states == 1 {
                    "nothing can be performed at the start".to_owned()
                } else {
                    format!(
                        "the search looked at all {} states, and none of them performs everything",
                        grouped(*states)
                    )
                };
                let closure = if closure.is_some() { ", though there is a closure" } else { "" };
                format!("No order of the events explains the execution{closure}: {looked}.")
            }
            Why::Axiom { graph, violation } => {
                let cycle = cycle_text(&self.execution.program, graph, violation);
                format!("It violates {}: {cycle}. {}", violation.axiom, violation.remark).trim_end().to_owned()
            }
        }
    }
}

/// The answer as text. In full, also the edges of closures with their rules; the states of searches, as far as they
/// are listed.
pub fn consistency_text(report: &ConsistencyReport, detail: Detail) -> String {
    let mut out = report.sentence();
    out.push('\n');
    match &report.answer.verdict {
        ConsistencyVerdict::Consistent(witness) => witness_text(&mut out, report, witness, detail),
        ConsistencyVerdict::Inconsistent { cases, more } => {
            for case in cases {
                if !case.sources.is_empty() {
                    let _ = writeln!(out, "\nIf {}:", report.sources(&case.sources));
                }
                let _ = writeln!(out, "{}", report.reason(case));
                case_text(&mut out, report, case, detail);
            }
            if *more > 0 {
                let _ = writeln!(out, "\nand {} more", grouped(*more));
            }
        }
        ConsistencyVerdict::Bounded => {}
    }
    if report.answer.states > 0 {
        let _ = writeln!(out, "{}", report.effort());
    }
    out
}

fn witness_text(out: &mut String, report: &ConsistencyReport, witness: &ConsistencyWitness, detail: Detail) {
    let graph = &witness.graph;
    if let Some(Run { instance, closure, order, tree }) = &witness.run {
        let speaker = NodeSpeaker { execution: report.execution, graph, instance };
        Searched { speaker, closure: closure.as_ref(), tree }.text(out);
        if detail == Detail::Full
            && let Some(closure) = closure
        {
            closure_text(out, &speaker, closure);
        }
        let _ = writeln!(out, "Witness:");
        let width = order.len().to_string().len();
        for (at, &n) in order.iter().enumerate() {
            let event = instance.node(n).event;
            let name = event_name(&report.execution.program, graph.event(event).key);
            let _ = write!(out, "{:>width$}. {name}  {}", at + 1, speaker.deed(n));
            if instance.node(n).part == Part::Read
                && let Some(source) = graph.source(event)
            {
                let _ = write!(out, "  from {}", event_name(&report.execution.program, graph.event(source).key));
            }
            out.push('\n');
        }
    } else {
        let _ = writeln!(out, "Witness:");
        let mut input = DrawingInput::new(&report.execution.program, graph);
        input.initial = InitialWrites::default();
        let _ = writeln!(out, "{}", graph_text(&input).trim_end());
        let name = |e: &EventId| event_name(&report.execution.program, graph.event(*e).key);
        for order in witness.co.iter().flatten().filter(|order| order.len() > 2) {
            let names: Vec<String> = order.iter().map(name).collect();
            let _ = writeln!(out, "co: {}", names.join(" -> "));
        }
    }
}

fn case_text(out: &mut String, report: &ConsistencyReport, case: &ConsistencyCase, detail: Detail) {
    let (Why::Closure { instance, .. } | Why::Exhausted { instance, .. }) = &case.why else { return };
    let speaker = NodeSpeaker { execution: report.execution, graph: &report.execution.graph, instance };
    let (closure, tree) = match &case.why {
        Why::Closure { closure, .. } => (Some(&**closure), None),
        Why::Exhausted { closure, tree, .. } => (closure.as_deref(), Some(tree)),
        Why::NoWrite(_) | Why::Flaw { .. } | Why::Axiom { .. } => return,
    };
    if let (Detail::Full, Some(closure)) = (detail, closure) {
        closure_text(out, &speaker, closure);
    }
    if let Some(tree) = tree {
        Searched { speaker, closure, tree }.text(out);
    }
}

fn closure_text(out: &mut String, speaker: &NodeSpeaker, closure: &Closure) {
    if closure.additions.is_empty() {
        let _ = writeln!(out, "Closure: program order is closed, no edge is added.");
        return;
    }
    let _ = writeln!(out, "Closure:");
    let width = closure.additions.len().to_string().len();
    for (at, addition) in closure.additions.iter().enumerate() {
        let _ = writeln!(out, "{:>width$}. [{}] {}", at + 1, addition.rule.name(), speaker.addition(addition));
    }
}

/// The answer as JSON.
#[derive(Clone, Debug, Serialize)]
pub struct ConsistencyJson {
    /// The execution's name.
    pub name: String,
    /// The model.
    pub model: &'static str,
    /// `consistent`, `inconsistent` or `bounded`.
    pub verdict: &'static str,
    /// The same in a sentence.
    pub sentence: String,
    /// Of a consistent execution, what shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub witness: Option<ConsistencyWitnessJson>,
    /// Of an inconsistent one, the choices of sources with what rules them out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cases: Vec<ConsistencyCaseJson>,
    /// How many more cases there are.
    pub more_cases: u64,
    /// States reached.
    pub states: u64,
    /// Moves that led to a state reached before.
    pub repeats: u64,
    /// Choices of sources looked at, whole or in part.
    pub choices: u64,
}

/// What shows that an execution is consistent.
#[derive(Clone, Debug, Serialize)]
pub struct ConsistencyWitnessJson {
    /// Where each read takes its value.
    pub sources: Vec<ReadJson>,
    /// The run, for models with a machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<Vec<NodeJson>>,
    /// co by location, for models without, as far as it has more than one write besides the initial one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub co: Option<Vec<Vec<String>>>,
    /// The closure, if one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closure: Option<Vec<AdditionJson>>,
    /// The search, if its states were to be listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search: Option<SearchJson>,
}

/// A read and its source.
#[derive(Clone, Debug, Serialize)]
pub struct ReadJson {
    /// The read.
    pub read: String,
    /// Its source.
    pub source: String,
}

/// A node of a run.
#[derive(Clone, Debug, Serialize)]
pub struct NodeJson {
    /// The event.
    pub event: String,
    /// Which part of it.
    pub part: Part,
    /// What it does.
    pub text: String,
}

/// An edge that a closure adds.
#[derive(Clone, Debug, Serialize)]
pub struct AdditionJson {
    /// The rule.
    pub rule: &'static str,
    /// Where it starts.
    pub from: String,
    /// Where it ends.
    pub to: String,
    /// The read that the rule speaks of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read: Option<String>,
    /// The pairs that were in order before and that the rule takes for granted.
    pub premises: Vec<[String; 2]>,
}

/// A choice of sources and what rules it out.
#[derive(Clone, Debug, Serialize)]
pub struct ConsistencyCaseJson {
    /// The choice; empty where reads have none.
    pub sources: Vec<ReadJson>,
    /// `no_write`, `program_order`, `closure`, `search` or the axiom's name.
    pub reason: String,
    /// The same in a sentence.
    pub sentence: String,
    /// The cycle, of an axiom.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycle: Option<Vec<CycleEdgeJson>>,
    /// The closure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closure: Option<Vec<AdditionJson>>,
    /// The states of the search.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub states: Option<u64>,
    /// The same one by one, if they were to be listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search: Option<SearchJson>,
}

impl From<&ConsistencyReport<'_>> for ConsistencyJson {
    fn from(report: &ConsistencyReport<'_>) -> Self {
        let program = &report.execution.program;
        let own = &report.execution.graph;
        let name = |e: EventId| event_name(program, own.event(e).key);
        let additions = |speaker: NodeSpeaker, closure: &Closure| -> Vec<AdditionJson> {
            let addition = |a: &Addition| AdditionJson {
                rule: a.rule.name(),
                from: speaker.name(a.from),
                to: speaker.name(a.to),
                read: a.read.map(|read| speaker.name(read)),
                premises: a.premises.iter().map(|&(a, b)| [speaker.name(a), speaker.name(b)]).collect(),
            };
            closure.additions.iter().map(addition).collect()
        };
        let pairs = |sources: &[(EventId, EventId)]| -> Vec<ReadJson> {
            sources.iter().map(|&(read, write)| ReadJson { read: name(read), source: name(write) }).collect()
        };
        let case = |case: &ConsistencyCase| {
            let speaker = |instance| NodeSpeaker { execution: report.execution, graph: own, instance };
            let (reason, cycle, closure, states) = match &case.why {
                Why::NoWrite(_) => ("no_write", None, None, None),
                Why::Flaw { .. } => ("program_order", None, None, None),
                Why::Closure { instance, closure } => {
                    ("closure", None, Some(additions(speaker(instance), closure)), None)
                }
                Why::Exhausted { instance, closure, states, .. } => {
                    let closure = closure.as_ref().map(|closure| additions(speaker(instance), closure));
                    ("search", None, closure, Some(*states))
                }
                Why::Axiom { graph, violation } => {
                    (violation.axiom.as_str(), Some(cycle_json(program, graph, violation)), None, None)
                }
            };
            let search = match &case.why {
                Why::Exhausted { instance, closure, tree, .. } => {
                    Searched { speaker: speaker(instance), closure: closure.as_deref(), tree }.json()
                }
                _ => None,
            };
            ConsistencyCaseJson {
                sources: pairs(&case.sources),
                reason: reason.to_owned(),
                sentence: report.reason(case),
                cycle,
                closure,
                states,
                search,
            }
        };
        let witness = |witness: &ConsistencyWitness| {
            let graph = &witness.graph;
            let sources: Vec<_> = graph.ids().filter_map(|read| Some((read, graph.source(read)?))).collect();
            let run = witness.run.as_ref();
            let speaker = |instance| NodeSpeaker { execution: report.execution, graph, instance };
            let co = witness.co.as_ref().map(|co| {
                let orders = co.iter().filter(|order| order.len() > 2);
                orders.map(|order| order.iter().map(|&w| name(w)).collect()).collect()
            });
            ConsistencyWitnessJson {
                sources: pairs(&sources),
                order: run.map(|run| run.order.iter().map(|&n| speaker(&run.instance).json(n)).collect()),
                co,
                closure: run.and_then(|run| Some(additions(speaker(&run.instance), run.closure.as_ref()?))),
                search: run.and_then(|run| {
                    let (speaker, closure) = (speaker(&run.instance), run.closure.as_ref());
                    Searched { speaker, closure, tree: &run.tree }.json()
                }),
            }
        };
        let (witness, cases, more_cases) = match &report.answer.verdict {
            ConsistencyVerdict::Consistent(found) => (Some(witness(found)), Vec::new(), 0),
            ConsistencyVerdict::Inconsistent { cases, more } => (None, cases.iter().map(case).collect(), *more),
            ConsistencyVerdict::Bounded => (None, Vec::new(), 0),
        };
        Self {
            name: report.name.to_owned(),
            model: report.model.name(),
            verdict: report.verdict(),
            sentence: report.sentence(),
            witness,
            cases,
            more_cases,
            states: report.answer.states,
            repeats: report.answer.repeats,
            choices: report.answer.choices,
        }
    }
}
