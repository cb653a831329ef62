//! Whether what a model says to explain itself is so.

use crate::graph::{EventId, Execution, Relation, RelationName};
use crate::model::{HappensBefore, Model, Rseq, Violation, Witness};

/// Whether a graph is consistent. What the model says to explain that is held against the graph.
///
/// # Panics
/// If it is not so.
pub fn consistent(model: Model, graph: &Execution) -> bool {
    let answer = model.consistency(graph);
    assert_eq!(answer.is_ok(), model.is_consistent(graph), "{model}: {graph:?}");
    match &answer {
        Ok(witness) => witness_is_real(model, graph, witness),
        Err(violation) => cycle_is_real(model, graph, violation),
    }
    answer.is_ok()
}

/// A witness orders all writes of each location, initial write first, along po and with each read-modify-write behind
/// its source (but for WRA, which has no coherence), and is drawn without a cycle.
fn witness_is_real(model: Model, graph: &Execution, witness: &Witness) {
    let mut listed = 0;
    for (location, order) in witness.co.iter().enumerate() {
        assert_eq!(order[0], EventId(location as u32));
        for pair in order.windows(2) {
            assert!(!graph.po(pair[1], pair[0]), "{model}: {graph:?} {witness:?}");
        }
        for (at, &w) in order.iter().enumerate() {
            assert_eq!(graph.event(w).location().unwrap().0 as usize, location);
            if graph.event(w).is_update() && model != Model::WRA {
                assert_eq!(graph.source(w), Some(order[at - 1]), "{model}: {graph:?} {witness:?}");
            }
        }
        listed += order.len();
    }
    assert_eq!(listed, graph.events().filter(|(_, event)| event.is_write()).count());
    for (name, edges) in model.relations(graph, witness) {
        let mut relation = Relation::new(graph.len());
        edges.iter().for_each(|edge| {
            assert_eq!(edge.relation, name);
            relation.insert(edge.from, edge.to);
        });
        assert!(relation.is_acyclic(), "{model}: {name} of {graph:?}");
    }
}

/// The cycle closes; its edges are what they say; its relations are those of its axiom; and what it takes for granted of
/// co is part of some total order, unless it is just that which the axiom rules out.
pub(crate) fn cycle_is_real(model: Model, graph: &Execution, violation: &Violation) {
    let context = || format!("{model}: {graph:?} {violation:?}");
    assert!(model.axioms().iter().any(|axiom| axiom.name == violation.axiom), "{}", context());
    let cycle = &violation.cycle;
    assert!(!cycle.is_empty() && !violation.remark.is_empty());
    let write = |e: EventId| graph.event(e).is_write();
    let same_location = |a: EventId, b: EventId| {
        graph.event(a).location().is_some() && graph.event(a).location() == graph.event(b).location()
    };
    let mut co = Relation::new(graph.len());
    for (edge, next) in cycle.iter().zip(cycle.iter().cycle().skip(1)) {
        let (a, b) = (edge.from, edge.to);
        assert_eq!(b, next.from, "{}", context());
        let real = match edge.relation {
            RelationName::Po => graph.po(a, b),
            RelationName::Ppo => {
                graph.po(a, b) && [Model::TSO, Model::PSO].contains(&model) && kept(model, graph, a, b)
            }
            RelationName::Rf => graph.source(b) == Some(a),
            RelationName::Co => {
                co.insert(a, b);
                a != b && write(a) && write(b) && same_location(a, b)
            }
            RelationName::Fr => {
                let source = graph.source(a).expect("fr starts at a read");
                co.insert(source, b);
                a != b && source != b && write(b) && same_location(a, b)
            }
            RelationName::Sw => model.rules().rseq().is_some_and(|rseq| synchronises(graph, rseq, a, b)),
            RelationName::ScFence => graph.event(a).is_fence() && graph.event(b).is_fence(),
            _ => false,
        };
        assert!(real, "{}", context());
    }
    let allowed: &[RelationName] = match (model.rules().happens_before, violation.axiom.as_str()) {
        (_, "no-thin-air") => &[RelationName::Po, RelationName::Rf],
        (_, "atomicity") => &[RelationName::Fr],
        (None, "sequential-consistency") => &[RelationName::Po, RelationName::Rf, RelationName::Co, RelationName::Fr],
        (None, "coherence") => {
            assert!(cycle.iter().all(|edge| same_location(edge.from, edge.to)), "{}", context());
            &[RelationName::Po, RelationName::Rf, RelationName::Co, RelationName::Fr]
        }
        (None, _) => {
            let external = |a: EventId, b: EventId| graph.event(a).thread() != graph.event(b).thread();
            let mut rf = cycle.iter().filter(|edge| edge.relation == RelationName::Rf);
            assert!(rf.all(|edge| external(edge.from, edge.to)), "{}", context());
            &[RelationName::Ppo, RelationName::Rf, RelationName::Co, RelationName::Fr]
        }
        (Some(HappensBefore::Porf), "strong-coherence") => {
            &[RelationName::Po, RelationName::Rf, RelationName::ScFence, RelationName::Co]
        }
        (Some(HappensBefore::Porf), _) => {
            &[RelationName::Po, RelationName::Rf, RelationName::ScFence, RelationName::Co, RelationName::Fr]
        }
        (Some(HappensBefore::Synchronised(_)), _) => {
            &[RelationName::Po, RelationName::Sw, RelationName::Rf, RelationName::Co, RelationName::Fr]
        }
    };
    assert!(cycle.iter().all(|edge| allowed.contains(&edge.relation)), "{}", context());
    let in_one_place = cycle.iter().all(|edge| matches!(edge.relation, RelationName::Co | RelationName::Fr));
    assert!(in_one_place || co.is_acyclic(), "{}", context());
}

/// Whether a store buffer keeps two events in order, told from what is between them.
fn kept(model: Model, graph: &Execution, a: EventId, b: EventId) -> bool {
    let text = |e: EventId| {
        let label = format!("{:?}", graph.event(e).label);
        label.split([' ', '(']).next().unwrap().to_owned()
    };
    match (text(a).as_str(), text(b).as_str()) {
        ("Write", "Read") => false,
        ("Write", "Write") => model == Model::TSO || graph.event(a).location() == graph.event(b).location(),
        ("Fence", _) | (_, "Fence") => {
            let fence = if text(a) == "Fence" { a } else { b };
            graph.event(fence).mode().is_sc() || model == Model::PSO && graph.event(fence).mode().is_release()
        }
        _ => true,
    }
}

/// sw by composition of relations.
fn synchronises(graph: &Execution, rseq: Rseq, a: EventId, b: EventId) -> bool {
    let identity =
        |member: &dyn Fn(&crate::graph::Event) -> bool| Relation::identity(graph.len(), |e| member(graph.event(e)));
    let po = graph.po_relation();
    let rf = graph.rf_relation();
    let fences = identity(&crate::graph::Event::is_fence);
    let is_later =
        |a: EventId, b: EventId| rseq == Rseq::OfThreads && graph.event(a).location() == graph.event(b).location();
    let rseq = identity(&crate::graph::Event::is_write)
        .compose(&po.filter(is_later).reflexive())
        .compose(&identity(&|event| event.is_write() && event.mode().is_atomic()))
        .compose(&rf.compose(&identity(&crate::graph::Event::is_update)).transitive_closure().reflexive());
    identity(&|event| event.mode().is_release())
        .compose(&fences.compose(&po).reflexive())
        .compose(&rseq)
        .compose(&rf)
        .compose(&identity(&|event| event.is_read() && event.mode().is_atomic()))
        .compose(&po.compose(&fences).reflexive())
        .compose(&identity(&|event| event.mode().is_acquire()))
        .contains(a, b)
}
