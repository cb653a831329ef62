//! Why an execution or an outcome is not there: cycles and the lack of candidates, as text and JSON.

use super::ValueJson;
use super::{event_name, event_text};
use crate::compare::{Absence, AbsentOutcome};
use crate::graph::{Edge, EventId, Execution};
use crate::model::Violation;
use crate::program::{Observable, Program};
use indexmap::IndexMap;
use serde::Serialize;
use std::fmt::Write;

/// An outcome without candidates.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AbsentJson {
    /// The values asked for.
    pub state: IndexMap<String, ValueJson>,
    /// `cyclic`, `no_such_value`, `not_left` or `unexplained`.
    pub why: &'static str,
    /// The same in a sentence.
    pub message: String,
}

/// An edge of a cycle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CycleEdgeJson {
    /// `P0.1`
    pub from: String,
    /// `W(x,1)`
    pub event: String,
    /// `rf`
    pub relation: &'static str,
    /// `P1.1`
    pub to: String,
}

/// Why no candidate has an outcome.
pub fn absence_sentence(program: &Program, why: &Absence) -> String {
    match why {
        Absence::Cyclic { graph, violation } => {
            let cycle = cycle_text(program, graph, violation);
            format!("no candidate execution: it would need a cycle of po and rf: {cycle}")
        }
        Absence::NoSuchValue { observable } => {
            let name = program.observable_name(*observable);
            format!("no candidate execution: no value that the program writes gives {name} this value")
        }
        Absence::NotLeft { observable, initial: true } => {
            let name = program.observable_name(*observable);
            format!("no candidate execution: a write always overwrites the initial value of {name}")
        }
        Absence::NotLeft { observable, initial: false } => {
            let name = program.observable_name(*observable);
            format!("no candidate execution: no thread that ends with this outcome writes this value to {name}")
        }
        Absence::Unexplained => "no candidate execution".to_owned(),
    }
}

/// `W(x,1) -po-> R(y,0) -fr-> W(y,1) ...`, with the names of events where two look alike.
pub fn cycle_text(program: &Program, graph: &Execution, violation: &Violation) -> String {
    let events: Vec<_> = violation.cycle.iter().map(|edge| edge.from).collect();
    let text = |e| {
        let event = graph.event(e);
        let text = event_text(program, event);
        let alike = |&other: &EventId| other != e && event_text(program, graph.event(other)) == text;
        if events.iter().any(alike) { format!("{}: {text}", event_name(program, event.key)) } else { text }
    };
    let mut out = String::new();
    for edge in &violation.cycle {
        let _ = write!(out, "{} -{}-> ", text(edge.from), edge.relation);
    }
    if let Some(edge) = violation.cycle.last() {
        out += &text(edge.to);
    }
    out
}

impl AbsentJson {
    /// What is to be said of an outcome of these observables.
    pub fn new(program: &Program, observables: &[Observable], absent: &AbsentOutcome) -> Self {
        let state = observables.iter().zip(&absent.state).filter_map(|(&observable, value)| {
            Some((program.observable_name(observable), ValueJson::new(program, observable, (*value)?)))
        });
        Self {
            state: state.collect(),
            why: match absent.why {
                Absence::Cyclic { .. } => "cyclic",
                Absence::NoSuchValue { .. } => "no_such_value",
                Absence::NotLeft { .. } => "not_left",
                Absence::Unexplained => "unexplained",
            },
            message: absence_sentence(program, &absent.why),
        }
    }
}

/// The edges of a violation's cycle, in its order.
pub fn cycle_json(program: &Program, graph: &Execution, violation: &Violation) -> Vec<CycleEdgeJson> {
    let text = |e| event_text(program, graph.event(e));
    let name = |e| event_name(program, graph.event(e).key);
    let edge = |edge: &Edge| CycleEdgeJson {
        from: name(edge.from),
        event: text(edge.from),
        relation: edge.relation.name(),
        to: name(edge.to),
    };
    violation.cycle.iter().map(edge).collect()
}
