//! The memory models by definition.

use super::formulas::{Formulas, Known};
use super::library;
use super::pace::Pace;
use super::permutations::{permutations, permutations_of_each};
use crate::budget::{Budget, Decision, Halt, Paused};
use crate::graph::{Coherence, EventId, Execution, Label, Relation};
use crate::model::formula::{Demand, SW, Term};
use crate::model::{Buffers, HappensBefore, Model};
use crate::program::{Location, Mode};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

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
    each_coherence(model, graph, &Pace::unlimited(), &mut |_| ControlFlow::Break(())).is_break()
}

/// Where the answer to the question whether one graph is [`consistent`] was paused.
#[derive(Clone, Copy, Debug, Default)]
pub struct Attempts {
    /// How many orders were tried.
    tried: u64,
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
        let before = limit.saturating_sub(self.spent);
        let pace = Pace::new(self.tried, limit, self.spent, budget);
        let found = each_coherence(model, graph, &pace, &mut |_| ControlFlow::Break(())).is_break();
        let (tried, left, halt) = pace.end();
        self.tried = self.tried.max(tried);
        self.spent += before - left;
        let decision = match halt {
            Some(Halt::Paused) => return Err(Paused),
            Some(Halt::Limit) => Decision::Undecided,
            None => found.into(),
        };
        *self = Self::default();
        Ok(decision)
    }
}

/// All total coherence orders that make a complete plain execution consistent. Where the model knows no co, all orders that
/// contain hb between writes of one location, so that the last one is a write that nobody has overwritten.
pub fn coherence_orders(model: Model, graph: &Execution) -> BTreeSet<Coherence> {
    let mut orders = BTreeSet::new();
    let _ = each_coherence(model, graph, &Pace::unlimited(), &mut |co| {
        orders.insert(co.to_vec());
        ControlFlow::Continue(())
    });
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

/// The data races of C11: pairs of events of one location, at least one of them a write and at least one non-atomic,
/// that hb does not order. Each pair ascending.
pub fn races(graph: &Execution) -> BTreeSet<(EventId, EventId)> {
    let hb = Formulas::new(graph).relation(HappensBefore::Synchronised.term());
    let mut races = BTreeSet::new();
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

/// Synchronises-with of C11.
pub fn synchronises_with(graph: &Execution) -> Relation {
    Formulas::new(graph).relation(SW)
}

/// The part of po that a model's store buffers keep, as pairs of accesses and full fences; all of po without them.
pub fn preserved_po(model: Model, graph: &Execution) -> Relation {
    let preserved = model.rules().buffers.map_or(Term::Po, Buffers::preserved_po);
    Formulas::new(graph).relation(preserved)
}

type Visit<'a> = dyn FnMut(&[Vec<EventId>]) -> ControlFlow<()> + 'a;

/// Calls `visit` with every coherence order that makes the graph consistent, some more than once, until it breaks.
fn each_coherence(model: Model, graph: &Execution, pace: &Pace<'_>, visit: &mut Visit<'_>) -> ControlFlow<()> {
    // The axioms are products of matrices.
    let cost = (graph.len() * graph.len() * (1 + graph.len() / 64)) as u64;
    let complete = graph.events().all(|(e, event)| !event.is_read() || event.is_blocked() || graph.source(e).is_some());
    if !(complete && library::consistent(graph)) {
        return ControlFlow::Continue(());
    }
    let axioms = model.rules().all_axioms();
    let demands = axioms.iter().flat_map(|axiom| axiom.demands);
    // What does not depend on co is looked at first, once.
    let (chosen, fixed): (Vec<Demand>, Vec<Demand>) =
        demands.copied().partition(|demand| demand.term().uses(Term::Co) || demand.term().uses(Term::ScFence));
    let mut formulas = Formulas::new(graph);
    if !fixed.iter().all(|demand| formulas.holds(*demand)) {
        return ControlFlow::Continue(());
    }
    let fences: Vec<EventId> = if model.rules().orders_fences {
        graph.ids().filter(|&e| graph.event(e).label == Label::Fence(Mode::SequentiallyConsistent)).collect()
    } else {
        Vec::new()
    };
    permutations(&fences, &Relation::new(graph.len()), pace, &mut |fences| {
        formulas.order_fences(fences);
        let (of_co, of_fences): (Vec<&Demand>, Vec<&Demand>) = chosen.iter().partition(|d| d.term().uses(Term::Co));
        if !of_fences.into_iter().all(|demand| formulas.holds(*demand)) {
            return ControlFlow::Continue(());
        }
        let known: Vec<Known> = of_co.into_iter().map(|demand| formulas.without_co(*demand)).collect();
        each_total_co(graph, pace, &mut |co| {
            pace.attempt(cost, || {
                let relation = co_relation(graph, co);
                if known.iter().all(|demand| demand.holds(&relation)) { visit(co) } else { ControlFlow::Continue(()) }
            })
        })
    })
}

/// All ways to order the writes of each location with the initial one first.
fn each_total_co(graph: &Execution, pace: &Pace<'_>, visit: &mut Visit<'_>) -> ControlFlow<()> {
    let inits = graph.events().filter(|(_, event)| event.is_init()).count();
    let rest: Vec<Vec<_>> =
        (0..inits as u32).map(|location| graph.writes(Location(location)).skip(1).collect()).collect();
    permutations_of_each(&rest, &library::chains(graph), pace, &mut |orders| {
        let co: Coherence = orders
            .iter()
            .enumerate()
            .map(|(location, order)| [&[EventId(location as u32)], order.as_slice()].concat())
            .collect();
        visit(&co)
    })
}

fn co_relation(graph: &Execution, co: &[Vec<EventId>]) -> Relation {
    let mut relation = Relation::new(graph.len());
    for order in co {
        for (at, &a) in order.iter().enumerate() {
            for &b in &order[at + 1..] {
                relation.insert(a, b);
            }
        }
    }
    relation
}
