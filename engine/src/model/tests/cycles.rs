//! Whether what a model says to explain itself is so.

use super::{candidates, consistent, graph};
use crate::graph::{EventId, Execution, Relation, RelationName};
use crate::model::{HappensBefore, Model, Violation, Witness};

/// A witness orders all writes of each location, initial write first, along po and with each read-modify-write behind
/// its source (but for WRA, which has no coherence), and is drawn without a cycle.
pub(super) fn witness_is_real(model: Model, graph: &Execution, witness: &Witness) {
    let mut listed = 0;
    for (location, order) in witness.co.iter().enumerate() {
        assert_eq!(order[0], EventId(location as u32));
        for pair in order.windows(2) {
            assert!(!graph.po(pair[1], pair[0]), "{model}: {graph:?} {witness:?}");
        }
        for (at, &w) in order.iter().enumerate() {
            assert_eq!(graph.event(w).location().unwrap().0 as usize, location);
            if graph.event(w).is_update() && model != Model::Wra {
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
pub(super) fn cycle_is_real(model: Model, graph: &Execution, violation: &Violation) {
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
            RelationName::Ppo => graph.po(a, b) && matches!(model, Model::Tso | Model::Pso) && kept(model, graph, a, b),
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
            RelationName::Sw => model == Model::Rc11 && synchronises(graph, a, b),
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
        (Some(HappensBefore::Synchronised), _) => {
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
        ("Write", "Write") => model == Model::Tso || graph.event(a).location() == graph.event(b).location(),
        ("Fence", _) | (_, "Fence") => {
            let fence = if text(a) == "Fence" { a } else { b };
            graph.event(fence).mode().is_sc() || model == Model::Pso && graph.event(fence).mode().is_release()
        }
        _ => true,
    }
}

/// sw by composition of relations.
fn synchronises(graph: &Execution, a: EventId, b: EventId) -> bool {
    let identity =
        |member: &dyn Fn(&crate::graph::Event) -> bool| Relation::identity(graph.len(), |e| member(graph.event(e)));
    let po = graph.po_relation();
    let rf = graph.rf_relation();
    let fences = identity(&crate::graph::Event::is_fence);
    let rseq = identity(&crate::graph::Event::is_write)
        .compose(&po.filter(|a, b| graph.event(a).location() == graph.event(b).location()).reflexive())
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

fn printed(model: Model, text: &str) -> String {
    let graph = graph(text);
    let violation = model.check(&graph).unwrap_err();
    cycle_is_real(model, &graph, &violation);
    // From the edge that starts first in thread order, so that the text does not depend on where the search began.
    let mut cycle = violation.cycle.clone();
    let first = (0..cycle.len()).min_by_key(|&at| graph.event(cycle[at].from).key).unwrap();
    cycle.rotate_left(first);
    let name = |e: EventId| {
        let key = graph.event(e).key;
        format!("{}.{}", key.thread.0 + 1, key.serial)
    };
    let mut text = format!("{}: {}", violation.axiom, name(cycle[0].from));
    for edge in &cycle {
        text += &format!(" -{}-> {}", edge.relation, name(edge.to));
    }
    text
}

#[test]
fn cycles_are_what_readers_expect() {
    for (model, text, cycle) in [
        (Model::Sc, "Wx1 Wy1 | Ry<1.2 Rx<0", "sequential-consistency: 1.1 -po-> 1.2 -rf-> 2.1 -po-> 2.2 -fr-> 1.1"),
        (Model::Sc, "Wx1 Ry<0 | Wy1 Rx<0", "sequential-consistency: 1.1 -po-> 1.2 -fr-> 2.1 -po-> 2.2 -fr-> 1.1"),
        (Model::Tso, "Wx1 Wy1 | Ry<1.2 Rx<0", "store-order: 1.1 -ppo-> 1.2 -rf-> 2.1 -ppo-> 2.2 -fr-> 1.1"),
        (Model::Tso, "Wx1 | Rx<1.1 Rx<0", "coherence: 1.1 -rf-> 2.1 -po-> 2.2 -fr-> 1.1"),
        (
            Model::Tso,
            "Wx1 F.sc Ry<0 | Wy1 F.sc Rx<0",
            "store-order: 1.1 -ppo-> 1.2 -ppo-> 1.3 -fr-> 2.1 -ppo-> 2.2 -ppo-> 2.3 -fr-> 1.1",
        ),
        (
            Model::Pso,
            "Wx1 F.rel Wy1 | Ry<1.3 Rx<0",
            "store-order: 1.1 -ppo-> 1.2 -ppo-> 1.3 -rf-> 2.1 -ppo-> 2.2 -fr-> 1.1",
        ),
        (Model::Wra, "Wx1 Wy1 | Ry<1.2 Rx<0", "causality: 1.1 -po-> 1.2 -rf-> 2.1 -po-> 2.2 -fr-> 1.1"),
        (Model::Ra, "Wx1 Wy1 | Ry<1.2 Rx<0", "coherence: 1.1 -po-> 1.2 -rf-> 2.1 -po-> 2.2 -fr-> 1.1"),
        (Model::Ra, "Wx1 Rx<2.1 | Wx2 Rx<1.1", "coherence: 2.1 -po-> 2.2 -fr-> 2.1"),
        (
            Model::Sra,
            "Wx1 Wy1 Ry<2.1 | Wy2 Wx2 Rx<1.1",
            "strong-coherence: 1.1 -po-> 1.2 -co-> 2.1 -po-> 2.2 -co-> 1.1",
        ),
        (Model::Rc11, "Wx1 Wy1.rel | Ry.acq<1.2 Rx<0", "coherence: 1.1 -po-> 1.2 -sw-> 2.1 -po-> 2.2 -fr-> 1.1"),
        (Model::Rc11, "Wx1.sc Ry.sc<0 | Wy1.sc Rx.sc<0", "psc: 1.1 -po-> 1.2 -fr-> 2.1 -po-> 2.2 -fr-> 1.1"),
        (
            Model::Rc11,
            "Wx1 F.sc Ry<0 | Wy1 F.sc Rx<0",
            "psc: 1.1 -po-> 1.2 -po-> 1.3 -fr-> 2.1 -po-> 2.2 -po-> 2.3 -fr-> 1.1",
        ),
        (Model::Rc11, "Ux<0 | Ux<0", "atomicity: 1.1 -fr-> 2.1 -fr-> 1.1"),
        (Model::Rc11, "Rx<2.2 Wy1 | Ry<1.2 Wx1", "no-thin-air: 1.1 -po-> 1.2 -rf-> 2.1 -po-> 2.2 -rf-> 1.1"),
    ] {
        assert_eq!(printed(model, text), cycle, "{model}: {text}");
    }
}

/// All graphs of some programs, in all models: the two ways of asking agree, and every answer is real.
#[test]
fn answers_are_real() {
    for text in [
        "Wx1 Wy1 | Ry Rx | Wx2 F.sc Ry",
        "Wx1 Ux | Wx9 Ux Rx | Ux",
        "Wx1.sc Ry.sc | Wy1.sc F.sc Rx | Wx2 Uy",
        "Wx1.rel Wy1 Rx | Uy.acqrel Rx.acq | F.sc Ry F.sc Wx2",
        "Wx1 F.sc Ry F.sc | F.sc Wy1 F.sc Rx | Ux",
        "Wx1 Wy1 | Wy2 Wx2 | Rx Rx | Ry Ry",
    ] {
        for graph in candidates(text) {
            for model in Model::ALL {
                consistent(model, &graph);
            }
        }
    }
}
