//! The memory models by definition.
//!
//! `petgraph` decides whether a relation has a cycle, since oracles share no code with what they test.

use super::formulas::{Chosen, Formulas, relation};
use super::library;
use super::orders::{Choices, Orders};
use crate::budget::{Budget, Decision, Halt, Meter, Paused, decided};
use crate::graph::{Coherence, EventId, Execution, Label, Relation};
use crate::model::formula::Term;
use crate::model::{Buffers, HappensBefore, Model, Rseq};
use crate::program::{Location, Mode};
use std::collections::BTreeSet;

/// Whether a complete plain execution is consistent: whether, for some total co and some total order of the SC fences, all
/// axioms of the model hold ([`Model::axioms`], which are formulas). A model without co has no axiom that speaks of it but
/// what it asks of an order of writes where one is wanted.
///
/// In every model each read has a source. A read-modify-write is one event that reads and writes; one that fails only reads.
/// fr is (rf⁻¹ ; co) without the identity: otherwise each read-modify-write would be from-read before itself, which is how
/// the definitions are printed in Kokologiannakis, Raad and Vafeiadis, "Model Checking for Weakly Consistent Libraries"
/// (PLDI 2019), appendix A. Of the operations of mutexes and channels, those that wait are read-modify-writes once they have a
/// source, and reads without one as long as they are blocked; an unlock is a write. What they ask of rf holds in every model
/// ([`library::consistent`]).
pub fn consistent(model: Model, graph: &Execution) -> bool {
    Search::default().next(model, graph, &mut Meter::unlimited(&mut Budget::unlimited())).is_ok_and(|co| co.is_some())
}

/// All total coherence orders that make a complete plain execution consistent. Where the model knows no co, all orders that
/// contain hb between writes of one location, so that the last one is a write that nobody has overwritten.
pub fn coherence_orders(model: Model, graph: &Execution) -> BTreeSet<Coherence> {
    let (mut search, mut budget, mut orders) = (Search::default(), Budget::unlimited(), BTreeSet::new());
    while let Ok(Some(co)) = search.next(model, graph, &mut Meter::unlimited(&mut budget)) {
        orders.insert(co);
    }
    orders
}

/// Which writes the final memory can come from: for each combination, the writes of `locations`, in that order.
pub fn final_writes(model: Model, graph: &Execution, locations: &[Location]) -> BTreeSet<Vec<EventId>> {
    let last =
        |co: &Coherence, location: &Location| *co[location.0 as usize].last().expect("there is an initial write");
    coherence_orders(model, graph)
        .iter()
        .map(|co| locations.iter().map(|location| last(co, location)).collect())
        .collect()
}

/// The data races: pairs of events of one location, at least one of them a write and at least one non-atomic, that hb does
/// not order. Each pair ascending. None under models without synchronisation.
pub fn races(model: Model, graph: &Execution) -> BTreeSet<(EventId, EventId)> {
    let mut races = BTreeSet::new();
    let Some(rseq) = model.rules().rseq() else { return races };
    let hb = relation(graph, HappensBefore::Synchronised(rseq).term());
    for (a, left) in graph.events() {
        for (b, right) in graph.events() {
            let conflict = a < b
                && left.location().is_some()
                && left.location() == right.location()
                && (left.is_write() || right.is_write())
                && !(left.mode().is_atomic() && right.mode().is_atomic());
            if conflict && !hb.contains(a, b) && !hb.contains(b, a) {
                races.insert((a, b));
            }
        }
    }
    races
}

/// sw, empty under models without it.
pub fn synchronises_with(model: Model, graph: &Execution) -> Relation {
    let sw = model.rules().rseq().map(Rseq::synchronises_with);
    sw.map_or_else(|| Relation::new(graph.len()), |sw| relation(graph, sw))
}

/// The part of po that a model's store buffers keep, as pairs of accesses and full fences; all of po without them.
pub fn preserved_po(model: Model, graph: &Execution) -> Relation {
    let preserved = model.rules().buffers.map_or(Term::Po, Buffers::preserved_po);
    relation(graph, preserved)
}

/// Where the answer to the question whether one graph is [`consistent`] was paused.
#[derive(Clone, Debug, Default)]
pub struct Attempts {
    search: Search,
    /// How much of its limit the search has spent.
    spent: u64,
}

impl Attempts {
    /// As [`consistent`]; undecided if that takes more than `limit` units of work. Behind its end, it is free for another
    /// graph.
    ///
    /// # Errors
    /// [`Paused`] where the budget says so; the next call, with the same model and graph, goes on.
    pub fn consistent(
        &mut self,
        model: Model,
        graph: &Execution,
        limit: u64,
        budget: &mut Budget,
    ) -> Result<Decision, Paused> {
        let mut meter = Meter::new(limit, self.spent, budget);
        let found = self.search.next(model, graph, &mut meter);
        self.spent = limit.saturating_sub(meter.left());
        let decision = decided(found.map(|co| co.is_some()))?;
        *self = Self::default();
        Ok(decision)
    }
}

/// The search for the coherence orders that make one graph consistent. It finds some more than once.
#[derive(Clone, Debug, Default)]
struct Search {
    stage: Stage,
    /// Of the model's formulas, as many as are known.
    values: Vec<Relation>,
    fences: Orders,
    /// What each co has to contain: others are not worth trying.
    in_each_co: Relation,
    /// For each location, its writes but for the initial one.
    writes: Choices,
}

#[derive(Clone, Copy, Debug, Default)]
enum Stage {
    /// What nothing that is chosen changes is looked at first, once.
    #[default]
    Fixed,
    /// Another order of the SC fences is chosen.
    Fences,
    /// What depends on that.
    WithFences,
    /// Another co is chosen.
    Co,
    /// What depends on that.
    WithCo,
    Over,
}

impl Search {
    /// The next co.
    fn next(&mut self, model: Model, graph: &Execution, meter: &mut Meter<'_>) -> Result<Option<Coherence>, Halt> {
        let formulas = Formulas::of_model(model);
        loop {
            self.stage = match self.stage {
                Stage::Fixed => {
                    if self.values.is_empty() && !is_whole(graph) {
                        Stage::Over
                    } else if self.evaluate(formulas, formulas.fixed(), graph, meter)? {
                        let sc_fences = graph.events().filter(|(_, event)| {
                            model.rules().orders_fences && event.label == Label::Fence(Mode::SequentiallyConsistent)
                        });
                        self.fences = Orders::of(sc_fences.map(|(e, _)| e).collect());
                        Stage::Fences
                    } else {
                        Stage::Over
                    }
                }
                Stage::Fences => {
                    self.values.truncate(formulas.fixed());
                    let another = self.fences.advance(&Relation::new(graph.len()), meter)?;
                    if another { Stage::WithFences } else { Stage::Over }
                }
                Stage::WithFences => {
                    if self.evaluate(formulas, formulas.without_co(), graph, meter)? {
                        let in_each_co = formulas.in_each_co(graph, &self.values);
                        self.in_each_co = in_each_co.union(&library::chains(graph)).transitive_closure();
                        self.writes = Choices::of(locations(graph).map(|x| graph.writes(x).skip(1).collect()));
                        Stage::Co
                    } else {
                        Stage::Fences
                    }
                }
                Stage::Co => {
                    self.values.truncate(formulas.without_co());
                    if self.writes.advance(&self.in_each_co, meter)? { Stage::WithCo } else { Stage::Fences }
                }
                Stage::WithCo => {
                    let consistent = self.evaluate(formulas, formulas.len(), graph, meter)?;
                    self.stage = Stage::Co;
                    if consistent {
                        return Ok(Some(self.co(graph)));
                    }
                    Stage::Co
                }
                Stage::Over => return Ok(None),
            };
        }
    }

    /// Evaluates the formulas up to one, as long as all that is demanded is met; whether it is.
    fn evaluate(
        &mut self,
        formulas: &Formulas,
        to: usize,
        graph: &Execution,
        meter: &mut Meter<'_>,
    ) -> Result<bool, Halt> {
        let co = if to > formulas.without_co() { self.co(graph) } else { Vec::new() };
        let chosen = Chosen { fences: self.fences.order(), co: &co };
        while self.values.len() < to {
            meter.spend(formulas.cost(graph, &self.values))?;
            if !formulas.evaluate(graph, &chosen, &mut self.values) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The co that is chosen: the initial write of each location, then the others.
    fn co(&self, graph: &Execution) -> Coherence {
        let orders = locations(graph).zip(self.writes.orders());
        orders.map(|(location, order)| [&[EventId(location.0)], order].concat()).collect()
    }
}

fn locations(graph: &Execution) -> impl Iterator<Item = Location> {
    let initial = graph.events().filter(|(_, event)| event.is_init()).count();
    (0..initial as u32).map(Location)
}

/// Each read has a source, and mutexes and channels have what they ask for.
fn is_whole(graph: &Execution) -> bool {
    graph.events().all(|(e, event)| !event.is_read() || event.is_blocked() || graph.source(e).is_some())
        && library::consistent(graph)
}
