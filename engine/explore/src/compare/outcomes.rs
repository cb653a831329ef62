//! Which outcomes a graph has.

use super::why_not::coherence_orders;
use crate::explore::{Options, final_states};
use crate::graph::{Coherence, EventId, Execution};
use crate::model::Model;
use crate::program::{Code, Location, Observable, Program, Proposition, Value};
use std::sync::Arc;

/// How many choices of last writes a candidate may have.
const MAX_LAST: usize = 4096;

/// A program whose final states are looked at.
pub(super) struct ComparedProgram {
    pub program: Arc<Program>,
    pub code: Arc<Code>,
    pub options: Options,
}

impl ComparedProgram {
    /// The observed locations, in the order of the observables.
    pub(super) fn locations(&self) -> Vec<Location> {
        let observables = self.program.observables();
        let location = |observable: &Observable| match observable {
            Observable::Location { object, offset } => self.code.location(*object, Value::from(*offset)),
            Observable::Register { .. } => None,
        };
        observables.iter().filter_map(location).collect()
    }

    /// The part of a state that is memory.
    pub(super) fn memory(&self, state: &[Value]) -> Vec<Value> {
        let is_memory = |observable: &Observable| matches!(observable, Observable::Location { .. });
        let all = self.program.observables().into_iter().zip(state);
        all.filter(|(observable, _)| is_memory(observable)).map(|(_, value)| *value).collect()
    }

    /// A coherence order under which a graph that a model allows ends in a state, if one of the first orders is such.
    pub(super) fn order(&self, model: Model, graph: &Execution, state: &[Value], orders: usize) -> Coherence {
        let memory: Vec<_> = self.locations().into_iter().zip(self.memory(state)).collect();
        let ends_so = |co: &Coherence| {
            memory.iter().all(|(location, value)| {
                let last = co.get(location.0 as usize).and_then(|order| order.last());
                last.is_some_and(|&w| graph.event(w).value_written == Some(*value))
            })
        };
        let fits = |co: &Coherence| ends_so(co) && model.is_consistent_with(graph, co);
        let limit = self.options.limits.search;
        let co = model.consistency_within(graph, limit).witness().map(|witness| witness.co).unwrap_or_default();
        if fits(&co) {
            return co;
        }
        coherence_orders(graph, &[], orders).into_iter().flatten().find(fits).unwrap_or(co)
    }

    /// The outcomes of a candidate, each with the last writes of the observed locations; `None` if these are too many.
    pub(super) fn outcomes_of(&self, graph: &Execution) -> Option<Vec<(Vec<Value>, Vec<EventId>)>> {
        if graph.events().any(|(_, event)| event.ends_thread()) {
            return Some(Vec::new());
        }
        let mut choices: Vec<Vec<EventId>> = vec![Vec::new()];
        for location in self.locations() {
            let mut writes: Vec<EventId> = graph.writes(location).collect();
            if writes.len() > 1 {
                // The initial write is the first in co.
                writes.remove(0);
            }
            if choices.len() * writes.len() > MAX_LAST {
                return None;
            }
            choices = choices.iter().flat_map(|chosen| writes.iter().map(|&w| [chosen, &[w][..]].concat())).collect();
        }
        let states = final_states(&self.code, self.options.limits, graph);
        let observables = self.program.observables();
        let state = |last: &Vec<EventId>| {
            let mut memory = last.iter().map(|&w| graph.event(w).value_written.unwrap_or_default());
            let value = |observable: &Observable| match observable {
                Observable::Register { thread, register } => states[*thread as usize].registers()[register.0 as usize],
                Observable::Location { .. } => memory.next().unwrap_or_default(),
            };
            observables.iter().map(value).collect()
        };
        Some(choices.into_iter().map(|last| (state(&last), last)).collect())
    }

    /// Whether a state satisfies a proposition, if there is one.
    pub(super) fn holds(&self, proposition: Option<&Proposition>, state: &[Value]) -> Option<bool> {
        let observables = self.program.observables();
        proposition.map(|p| p.holds(&|wanted| observables.binary_search(&wanted).map_or(0, |at| state[at])))
    }
}
