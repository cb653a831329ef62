//! The cycles that models show.

use super::{candidates, graph};
use crate::graph::EventId;
use crate::model::Model;
use crate::testing::claims::{consistent, cycle_is_real};

fn printed(model: Model, text: &str) -> String {
    let graph = graph(text);
    let violation = model.consistency(&graph).unwrap_err();
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
        (Model::SC, "Wx1 Wy1 | Ry<1.2 Rx<0", "sequential-consistency: 1.1 -po-> 1.2 -rf-> 2.1 -po-> 2.2 -fr-> 1.1"),
        (Model::SC, "Wx1 Ry<0 | Wy1 Rx<0", "sequential-consistency: 1.1 -po-> 1.2 -fr-> 2.1 -po-> 2.2 -fr-> 1.1"),
        (Model::TSO, "Wx1 Wy1 | Ry<1.2 Rx<0", "store-order: 1.1 -ppo-> 1.2 -rf-> 2.1 -ppo-> 2.2 -fr-> 1.1"),
        (Model::TSO, "Wx1 | Rx<1.1 Rx<0", "coherence: 1.1 -rf-> 2.1 -po-> 2.2 -fr-> 1.1"),
        (
            Model::TSO,
            "Wx1 F.sc Ry<0 | Wy1 F.sc Rx<0",
            "store-order: 1.1 -ppo-> 1.2 -ppo-> 1.3 -fr-> 2.1 -ppo-> 2.2 -ppo-> 2.3 -fr-> 1.1",
        ),
        (
            Model::PSO,
            "Wx1 F.rel Wy1 | Ry<1.3 Rx<0",
            "store-order: 1.1 -ppo-> 1.2 -ppo-> 1.3 -rf-> 2.1 -ppo-> 2.2 -fr-> 1.1",
        ),
        (Model::WRA, "Wx1 Wy1 | Ry<1.2 Rx<0", "causality: 1.1 -po-> 1.2 -rf-> 2.1 -po-> 2.2 -fr-> 1.1"),
        (Model::RA, "Wx1 Wy1 | Ry<1.2 Rx<0", "coherence: 1.1 -po-> 1.2 -rf-> 2.1 -po-> 2.2 -fr-> 1.1"),
        (Model::RA, "Wx1 Rx<2.1 | Wx2 Rx<1.1", "coherence: 2.1 -po-> 2.2 -fr-> 2.1"),
        (
            Model::SRA,
            "Wx1 Wy1 Ry<2.1 | Wy2 Wx2 Rx<1.1",
            "strong-coherence: 1.1 -po-> 1.2 -co-> 2.1 -po-> 2.2 -co-> 1.1",
        ),
        (Model::RC11, "Wx1 Wy1.rel | Ry.acq<1.2 Rx<0", "coherence: 1.1 -po-> 1.2 -sw-> 2.1 -po-> 2.2 -fr-> 1.1"),
        (Model::RC11, "Wx1.sc Ry.sc<0 | Wy1.sc Rx.sc<0", "psc: 1.1 -po-> 1.2 -fr-> 2.1 -po-> 2.2 -fr-> 1.1"),
        (
            Model::RC11,
            "Wx1 F.sc Ry<0 | Wy1 F.sc Rx<0",
            "psc: 1.1 -po-> 1.2 -po-> 1.3 -fr-> 2.1 -po-> 2.2 -po-> 2.3 -fr-> 1.1",
        ),
        (Model::RC11, "Ux<0 | Ux<0", "atomicity: 1.1 -fr-> 2.1 -fr-> 1.1"),
        (Model::RC11, "Rx<2.2 Wy1 | Ry<1.2 Wx1", "no-thin-air: 1.1 -po-> 1.2 -rf-> 2.1 -po-> 2.2 -rf-> 1.1"),
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
