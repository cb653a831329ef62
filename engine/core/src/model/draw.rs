//! The relations worth drawing.

use super::coherence::{Global, Local, Problem, Search, State};
use super::rules::HappensBefore;
use super::synchronisation::{happens_before, synchronises_with};
use super::view::{View, from_read, known_co};
use super::{Model, Witness};
use crate::graph::{Coherence, Edge, EventId, Execution, Relation, RelationName, ThreadId};
use crate::sort;

/// See [`Model::relations`] and [`Model::partial_relations`].
pub(super) fn relations(model: Model, graph: &Execution, witness: Option<&Witness>) -> Vec<(RelationName, Vec<Edge>)> {
    let mut all = Vec::new();
    let mut add = |relation: RelationName, pairs: Vec<(EventId, EventId)>| {
        all.push((relation, pairs.into_iter().map(|(from, to)| Edge { from, to, relation }).collect()));
    };
    let threads = (0..graph.threads()).map(|thread| graph.thread(ThreadId(thread as u16)));
    add(RelationName::Po, threads.flat_map(|events| events.windows(2).map(|pair| (pair[0], pair[1]))).collect());
    add(RelationName::Rf, graph.rf_relation().pairs().collect());
    if graph.has_handlers() {
        add(RelationName::Pb, graph.posted_by().collect());
        // That initial messages come first needs no edges.
        let initial: Vec<_> = graph.initial_first().collect();
        let order = graph.message_order().into_iter().filter(|pair| !initial.contains(pair));
        add(RelationName::Mo, order.collect());
    }
    let Ok(view) = View::without_atomicity(graph) else { return all };
    let (rules, problem) = (model.rules(), model.problem(&view));
    let started = |(a, _): &(EventId, EventId)| !graph.event(*a).is_init();

    let co = witness.map(|witness| transitive(graph, &witness.co));
    if let (Some(co), Some(witness)) = (&co, witness) {
        add(RelationName::Co, pairs_of_neighbours(&witness.co));
        let fr = from_read(&view, co).filter(|read, write| {
            let source = graph.source(read).expect("fr starts at a read with a source");
            !graph.event(read).is_write() && !co.successors(source).any(|between| co.contains(between, write))
        });
        add(RelationName::Fr, fr.pairs().collect());
    }

    let mut forced = problem.start.clone();
    Search::new(&problem, false).saturate(&mut forced);
    if rules.has_co() {
        // An inconsistent graph may force both directions.
        let wb = known_co(&view, |a, b| problem.co(&forced, a, b)).filter(|a, b| a != b);
        add(RelationName::Wb, reduce(&wb).into_iter().filter(started).collect());
    }
    if let Some(buffers) = rules.buffers {
        add(RelationName::Ppo, reduce(&buffers.preserved(&view).transitive_closure()));
    }
    match rules.happens_before {
        None => {}
        Some(HappensBefore::Porf) => {
            let (hb, fences) = match &co {
                Some(co) => order_fences(&problem, co),
                None => (problem.start.hb.clone(), None),
            };
            if let Some(fences) = fences {
                add(RelationName::ScFence, pairs_of_neighbours(&[fences]));
            }
            add(RelationName::Hb, reduce(&hb).into_iter().filter(started).collect());
        }
        Some(HappensBefore::Synchronised(rseq)) => {
            add(RelationName::Sw, synchronises_with(&view, rseq).pairs().collect());
            add(RelationName::Hb, reduce(&happens_before(&view, rseq)).into_iter().filter(started).collect());
            if let Some(co) = &co {
                let eco = graph.rf_relation().union(co).union(&from_read(&view, co)).transitive_closure();
                add(RelationName::Eco, reduce(&eco).into_iter().filter(started).collect());
                if let Some(sc) = &problem.sc {
                    add(RelationName::Psc, reduce(&sc.psc(&view, co).transitive_closure()));
                }
            }
        }
    }
    all
}

fn pairs_of_neighbours(orders: &[Vec<EventId>]) -> Vec<(EventId, EventId)> {
    orders.iter().flat_map(|order| order.windows(2).map(|pair| (pair[0], pair[1]))).collect()
}

/// co as a relation.
pub(super) fn transitive(graph: &Execution, orders: &Coherence) -> Relation {
    let mut co = Relation::new(graph.len());
    for order in orders {
        for (at, &a) in order.iter().enumerate() {
            order[at + 1..].iter().for_each(|&b| {
                co.insert(a, b);
            });
        }
    }
    co
}

/// hb with the SC fences in an order that goes with co, and that order; hb alone if there is
/// none.
pub(super) fn order_fences(problem: &Problem<'_>, co: &Relation) -> (Relation, Option<Vec<EventId>>) {
    let state = with_co(problem, problem.start.clone(), co);
    match Search::new(problem, false).solve(state.clone(), false) {
        Some(state) => {
            let mut fences = problem.fences.clone();
            sort::by_key(&mut fences, |&f| fences_before(&problem.fences, &state, f));
            (state.hb, Some(fences))
        }
        None => (state.hb, None),
    }
}

fn fences_before(fences: &[EventId], state: &State, f: EventId) -> usize {
    fences.iter().filter(|&&other| state.hb.contains(other, f)).count()
}

fn with_co(problem: &Problem<'_>, mut state: State, co: &Relation) -> State {
    for (a, b) in co.pairs() {
        if problem.local != Local::None {
            state.local.insert_closed(a, b);
        }
        if problem.global != Global::None {
            state.global.insert_closed(a, b);
        }
    }
    state
}

/// The pairs of a transitive relation that do not follow from others.
fn reduce(relation: &Relation) -> Vec<(EventId, EventId)> {
    relation.difference(&relation.compose(relation)).pairs().collect()
}
