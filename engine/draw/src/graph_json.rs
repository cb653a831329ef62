//! An execution graph as JSON.

use super::{DrawingInput, event_name, event_text, location_name, table};
use crate::graph::{Coherence, Edge, Event, EventId, RelationName};
use crate::model::{Model, Witness};
use crate::sort;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// An execution graph as data. New keys may be added, none is taken away or changes its meaning.
///
/// Events are called by their names: `P0.1` is the first event of thread 0, `init x` the initial write of `x`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphJson {
    /// The program's name; empty where the text gives none.
    pub program: String,
    /// The memory model: `sc`, ...
    pub model: String,
    /// The events, initial writes of all locations first, then thread by thread.
    pub events: Vec<EventJson>,
    /// Pairs of neighbours in program order.
    pub po: Vec<[String; 2]>,
    /// Pairs of a write and a read that takes its value.
    pub rf: Vec<[String; 2]>,
    /// The writes of each location in coherence order, by location; `null` where the graph is inconsistent.
    pub co: Option<BTreeMap<String, Vec<String>>>,
    /// Whether an algorithm chose co; else it is one order that fits.
    pub co_chosen: bool,
    /// What follows under the model, by the name of the relation (`fr`, `hb`, ...): pairs, of transitive relations those
    /// alone that do not follow from others.
    pub derived: BTreeMap<String, Vec<[String; 2]>>,
    /// Why the graph is dropped; `null` where it is not.
    pub violation: Option<CycleJson>,
}

/// An event as data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventJson {
    /// `P0.1`, `init x`
    pub name: String,
    /// What it does as the papers write it: `W(x,1)`.
    pub label: String,
    /// The number of the thread; `null` for initial writes.
    pub thread: Option<u16>,
    /// `initial write`, `read`, `write`, `read-modify-write`, `fence`, `lock`, `error`, ...
    pub kind: String,
    /// The location's name, or `null`.
    pub location: Option<String>,
    /// The value read, or `null`. Addresses are written `&x`.
    pub value_read: Option<String>,
    /// The value written, or `null`.
    pub value_written: Option<String>,
    /// The access mode: `na`, `rlx`, `acq`, `rel`, `acqrel`, `sc`; `null` for what is no access or fence.
    pub mode: Option<String>,
    /// The line in the program's text, from 1; `null` for initial writes.
    pub line: Option<u32>,
}

/// A violated axiom as data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CycleJson {
    /// The axiom's name.
    pub axiom: String,
    /// The cycle, edge by edge.
    pub cycle: Vec<CycleStepJson>,
}

/// An edge of a cycle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CycleStepJson {
    /// Where it starts.
    pub from: String,
    /// The relation.
    pub relation: String,
    /// Where it ends.
    pub to: String,
}

impl GraphJson {
    /// The graph of a drawing, with this co if there is one. Hidden relations are there too.
    pub fn new(input: &DrawingInput, model: Model, co: Option<&Coherence>) -> Self {
        let (program, graph) = (input.program, input.execution);
        let name = |e: EventId| event_name(program, graph.event(e).key);
        let pair = |edge: &Edge| [name(edge.from), name(edge.to)];
        let relations = match co {
            Some(co) => model.relations(graph, &Witness { co: co.clone() }),
            None => model.partial_relations(graph),
        };
        let pairs = |wanted: RelationName| -> Vec<_> {
            let all = relations.iter().filter(|(relation, _)| *relation == wanted);
            all.flat_map(|(_, edges)| edges).map(pair).collect()
        };
        let given = [RelationName::Po, RelationName::Rf, RelationName::Co];
        let derived = relations.iter().map(|(relation, _)| *relation).filter(|relation| !given.contains(relation));
        let event = |event: &Event| {
            let value = |value: Option<i64>| value.map(|value| program.location_text(event.location(), value));
            let has_mode = event.is_fence() || event.location().is_some() && !event.is_init();
            EventJson {
                name: event_name(program, event.key),
                label: event_text(program, event),
                thread: (!event.is_init()).then_some(event.key.thread.0),
                kind: table::kind(event).to_owned(),
                location: event.location().map(|location| location_name(program, location)),
                value_read: value(event.value_read),
                value_written: value(event.value_written),
                mode: has_mode.then(|| event.mode().keyword().to_owned()),
                line: (event.span.line > 0).then_some(event.span.line),
            }
        };
        let mut events: Vec<_> = graph.events().map(|(_, event)| event).collect();
        sort::by_key(&mut events, |event| (!event.is_init(), event.key));
        let by_location = |co: &Coherence| {
            let of = |order: &Vec<EventId>| {
                let location = graph.event(*order.first()?).location()?;
                Some((location_name(program, location), order.iter().map(|&e| name(e)).collect()))
            };
            co.iter().filter_map(of).collect()
        };
        Self {
            program: program.name.clone(),
            model: model.name().to_owned(),
            events: events.into_iter().map(event).collect(),
            po: pairs(RelationName::Po),
            rf: pairs(RelationName::Rf),
            co: co.map(by_location),
            co_chosen: input.chosen_co,
            derived: derived.map(|relation| (relation.name().to_owned(), pairs(relation))).collect(),
            violation: input.violation.map(|violation| CycleJson {
                axiom: violation.axiom.clone(),
                cycle: violation
                    .cycle
                    .iter()
                    .map(|edge| CycleStepJson {
                        from: name(edge.from),
                        relation: edge.relation.name().to_owned(),
                        to: name(edge.to),
                    })
                    .collect(),
            }),
        }
    }

    /// The file's content.
    pub fn encode(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("plain data serialises");
        text.push('\n');
        text
    }
}
