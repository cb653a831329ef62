//! Single graphs and the models that allow them.

use super::{candidates, consistent, graph};
use crate::budget::{Budget, Decision};
use crate::graph::{EventId, ThreadId};
use crate::model::{Inquiry, Model};
use crate::program::Location;
use std::collections::BTreeSet;

fn verdicts(models: &[Model], text: &str, expected: &str) {
    let graph = graph(text);
    let found: String = models.iter().map(|&model| if consistent(model, &graph) { 'y' } else { 'n' }).collect();
    assert_eq!(found, expected, "{text}");
}

/// Toman's thesis and exhaustive operational search.
#[test]
fn store_buffers() {
    for (text, expected) in [
        ("Wx1 Ry<0 | Wy1 Rx<0", "nyy"),
        ("Wx1 Wy1 | Ry<1.2 Rx<0", "nny"),
        ("Wx1 F.sc Ry<0 | Wy1 F.sc Rx<0", "nnn"),
        ("Wx1 F.sc Ry<0 | Wy1 Rx<0", "nyy"),
        ("Wx1 Rx<1.1 Ry<0 | Wy1 Ry<2.1 Rx<0", "nyy"),
        ("Wx1 F.sc Wy1 | Ry<1.3 Rx<0", "nnn"),
        ("Rx<2.2 Wy1 | Ry<1.2 Wx1", "nnn"),
        ("Wx1 | Wy1 | Rx<1.1 Ry<0 | Ry<2.1 Rx<0", "nnn"),
        ("Wx1 | Rx<1.1 Wy1 | Ry<2.2 Rx<0", "nnn"),
        ("Wx1 Wy1 | Ry<1.2 Wz1 | Rz<2.2 Rx<0", "nny"),
        ("Wx1 | Rx<1.1 Rx<0", "nnn"),
        ("Wx1 | Wx2 | Rx<1.1 Rx<2.1 | Rx<2.1 Rx<1.1", "nnn"),
        ("Wx1 Wy1 | Wy2 Wx2 | Rx<2.2 Rx<1.1 | Ry<1.2 Ry<2.1", "nny"),
        ("Wx1 Wy1 | Wy2 Rx<0 | Ry<1.2 Ry<2.1", "nyy"),
        ("Wx1 Wy1 | Ry<1.2 Wx2 | Rx<2.2 Rx<1.1", "nny"),
        ("Wx1 Rx<1.1 Ry<0 | Wy1 Wx2 | Rx<2.2 Rx<1.1", "nyy"),
        ("Wx1 Rx<2.1 | Wx2", "yyy"),
        ("Wx1 Rx<2.1 | Wx2 Rx<1.1", "nnn"),
        ("Wx1 Wx2 Rx<1.1", "nnn"),
        ("Wx1 Rx<0", "nnn"),
        ("Wx1 F.sc Wy1 | Rz<3.4 Rx<1.1 | Wx2 Ry<1.3 F.sc Wz1", "yyy"),
        ("Wx1 Rx<2.2 | Wx2 Ux<2.1", "yyy"),
        ("Wx1 | Wz1 F.rel Wx2 Rx<1.1 Rz<2.1", "yyy"),
        (
            "Wx1 Wa1 Rc<3.2 Rd<4.2 Rx<1.1 | Wx2 Wb1 Rc<3.2 Rd<4.2 Rx<2.1 \
             | Wy1 Wc1 Ra<1.2 Rb<2.2 Ry<3.1 | Wy2 Wd1 Ra<1.2 Rb<2.2 Ry<4.1",
            "nny",
        ),
        (
            "Wx1 F.sc Wa1 F.sc Rc<3.3 Rd<4.3 Rx<1.1 | Wx2 F.sc Wb1 F.sc Rc<3.3 Rd<4.3 Rx<2.1 \
             | Wy1 F.sc Wc1 F.sc Ra<1.3 Rb<2.3 Ry<3.1 | Wy2 F.sc Wd1 F.sc Ra<1.3 Rb<2.3 Ry<4.1",
            "nnn",
        ),
    ] {
        verdicts(&[Model::SC, Model::TSO, Model::PSO], text, expected);
    }
}

/// WRA, RA and SRA on the graphs G1 to G7 of Grahn's thesis, with SC for contrast.
#[test]
fn release_acquire() {
    for (text, expected) in [
        ("Wx1 Rx<2.1 | Wx2 Rx<1.1", "ynnn"),
        ("Wx1 Wy1 Ry<2.1 | Wy2 Wx2 Rx<1.1", "yynn"),
        ("Wx1 Ry<0 | Wy1 Rx<0", "yyyn"),
        ("Wx1 Wx2 Rx<1.1", "nnnn"),
        ("Wx1 | Wx2 | Rx<1.1 Rx<2.1 | Rx<2.1 Rx<1.1", "ynnn"),
        ("Wx1 Wx2 Wy1 | Ry<1.3 Rx<1.1", "nnnn"),
        ("Wx1 | Wx2 Rx<1.1", "yyyy"),
        ("Wx1 | Wy1 | Rx<1.1 Ry<0 | Ry<2.1 Rx<0", "yyyn"),
        ("Wx1 F.sc Ry<0 | Wy1 F.sc Rx<0", "nnnn"),
        ("Wx1 | Wy1 | Rx<1.1 F.sc Ry<0 | Ry<2.1 F.sc Rx<0", "nnnn"),
        ("Ux<0 | Ux<0", "nnnn"),
    ] {
        verdicts(&[Model::WRA, Model::RA, Model::SRA, Model::SC], text, expected);
    }
}

/// The two graphs that writes-before as printed accepts.
#[test]
fn interleaved_chains_are_inconsistent() {
    let chains = "Wx1 Ux<4.1 | Wx9 Ux<3.1 | Ux<1.1 | Ux<2.1";
    let sandwiched = "Wx1 Ux<3.1 | Wx9 Ux<2.1 | Ux<4.1 | Ux<0";
    for text in [chains, sandwiched] {
        verdicts(&[Model::SC, Model::TSO, Model::PSO, Model::SRA, Model::RA, Model::RC11], text, "nnnnnn");
    }
}

#[test]
fn a_read_may_lack_its_source() {
    let mut incomplete = graph("Wx1 Wy1 | Ry<1.2");
    let read = crate::program::Action::Read { location: Location(23), mode: crate::program::Mode::Relaxed };
    incomplete.add(ThreadId(1), read, crate::program::Span::default());
    incomplete.add(ThreadId(0), crate::program::Action::Stuck, crate::program::Span::default());
    for model in Model::ALL {
        assert!(consistent(model, &incomplete), "{model}");
    }
}

#[test]
fn porf_and_atomicity_come_first() {
    for model in Model::ALL {
        let cyclic = graph("Rx<2.2 Wy1 | Ry<1.2 Wx1");
        assert_eq!(model.consistency(&cyclic).unwrap_err().axiom, "no-thin-air");
        assert!(consistent(model, &graph("Ux<0 | Ux<1.1")));
        let both = graph("Ux<0 | Ux<0");
        assert_eq!(model.consistency(&both).unwrap_err().axiom, "atomicity");
        for graph in [&cyclic, &both] {
            assert!(!model.partial_relations(graph).is_empty());
            assert_eq!(model.coherence_count(graph), 0);
            assert!(model.final_writes(graph, &[]).is_empty());
        }
    }
}

#[test]
fn final_writes() {
    let x = Location(23);
    let y = Location(24);
    let finals = |model: Model, text: &str, locations: &[Location]| {
        let graph = graph(text);
        let all = model.final_writes(&graph, locations);
        let key = |&w: &EventId| (graph.event(w).thread().0.wrapping_add(1), graph.event(w).key.serial);
        all.iter().map(|writes| writes.iter().map(key).collect::<Vec<_>>()).collect::<BTreeSet<_>>()
    };
    let both = "Wx1 Wy2 | Wy1 Wx2";
    let strong: BTreeSet<_> = [vec![(1, 1), (1, 2)], vec![(2, 2), (1, 2)], vec![(2, 2), (2, 1)]].into_iter().collect();
    let mut weak = strong.clone();
    weak.insert(vec![(1, 1), (2, 1)]);
    for model in Model::ALL {
        let expected = if [Model::SC, Model::TSO, Model::SRA].contains(&model) { &strong } else { &weak };
        assert_eq!(&finals(model, both, &[x, y]), expected, "{model}");
    }
    // One chain of ten read-modify-writes.
    let chain: Vec<_> = (1..=10).map(|n| if n == 1 { "Ux<0".into() } else { format!("Ux<{}.1", n - 1) }).collect();
    for model in Model::ALL {
        assert_eq!(finals(model, &chain.join("|"), &[x]), [vec![(10, 1)]].into_iter().collect(), "{model}");
        assert_eq!(finals(model, "Wx1", &[y, x]).len(), 1);
    }
    // Chains stay together: the store behind which a chain starts can't be last.
    assert_eq!(finals(Model::RC11, "Wx1 | Ux<1.1 | Wx9", &[x]), [vec![(2, 1)], vec![(3, 1)]].into_iter().collect());
    // Ten unordered writes are not enumerated.
    let many: Vec<_> = (0..10).map(|_| "Wx1 Wy1").collect();
    for model in Model::ALL {
        assert_eq!(finals(model, &many.join("|"), &[x]).len(), 10, "{model}");
    }
}

#[test]
fn combinations_of_final_writes_are_limited() {
    let thread = |value: u32| ('a'..='l').map(|location| format!("W{location}{value}")).collect::<Vec<_>>().join(" ");
    let graph = graph(&format!("{} | {}", thread(1), thread(2)));
    let locations: Vec<Location> = (0..12).map(Location).collect();
    for model in Model::ALL {
        let (mut inquiry, mut budget) = (Inquiry::default(), Budget::unlimited());
        let found = model.final_writes_within(&graph, &locations, 400_000, &mut inquiry, &mut budget);
        let Ok((found, all)) = found else { panic!("nobody pauses it") };
        // Each is eight words and four for each location, and a limit of so much work is one of an eighth of that in words.
        assert!(!found.is_empty() && found.len() <= 400_000 / 8 / 56 + 1, "{} under {model}", found.len());
        assert_eq!(all, Decision::Undecided, "{model}");
    }
}

/// Final writes and the number of coherence orders agree with an enumeration of all orders.
#[test]
fn final_writes_by_enumeration() {
    let x = Location(23);
    for text in ["Wx1 Ux | Wx9 Rx | Ux", "Wx1 Wx2 | Wx3 Rx Rx | Rx", "Wx1 F.sc | Wx2 F.sc Rx | Ux"] {
        for graph in candidates(text) {
            for model in Model::ALL {
                let last = model.final_writes(&graph, &[x]);
                assert_eq!(last.is_empty(), !model.is_consistent(&graph), "{model}: {text}");
                assert!(last.len() as u64 <= model.coherence_count(&graph), "{model}: {text}");
            }
        }
    }
}

#[test]
fn races_need_a_non_atomic_access() {
    let races = |text: &str| Model::RC11.races(&graph(text)).len();
    assert_eq!(races("Wx1.na | Rx.na<0"), 1);
    assert_eq!(races("Wx1.na | Rx<0"), 1);
    assert_eq!(races("Wx1 | Rx<0"), 0);
    assert_eq!(races("Rx.na<0 | Rx.na<0"), 0);
    assert_eq!(races("Wx1.na Wy1.rel | Ry.acq<1.2 Rx.na<1.1"), 0);
    assert_eq!(races("Wx1.na Wy1 | Ry.acq<1.2 Rx.na<1.1"), 1);
    assert_eq!(races("Wx1.na Rx.na<1.1"), 0);
    assert!(Model::SC.races(&graph("Wx1.na | Rx.na<0")).is_empty());
}

#[test]
fn names() {
    for model in Model::ALL {
        assert_eq!(model.name().to_uppercase().parse(), Ok(model));
        assert!(!model.description().is_empty() && !model.axioms().is_empty());
    }
    let unknown = "power".parse::<Model>().unwrap_err().to_string();
    assert!(unknown.starts_with("there is no memory model `power`; the models are sc, tso, pso, sra, "), "{unknown}");
    assert!(Model::ALL.iter().all(|model| unknown.contains(model.name())), "{unknown}");
}
