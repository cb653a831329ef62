//! What is found out quickly, against the search over orders of writes.
//!
//! Answers, last writes and the co of witnesses are compared on random graphs of up to 60 events, consistent and not, and each
//! co that a run gives with what the model says of it. `brute_force/tests.rs` of `litmoscope-explore` compares small graphs with
//! the axioms, for each co.

use super::super::{Inquiry, Model, Stage, View, draw, stages};
use super::coherent::Coherent;
use super::machine::Runs;
use super::{Begun, buffering, machine};
use crate::budget::{Budget, Decision, Meter};
use crate::graph::{Event, EventId, Execution, Label};
use crate::model::found::Found;
use crate::model::psc::ScOrder;
use crate::model::synchronisation::happens_before;
use crate::model::tests::graph;
use crate::model::{Along, Rseq};
use crate::program::{Location, Mode};
use crate::random::Random;
use crate::testing::graphs::{random_coherent_graph, random_fenced_graph, random_graph, random_sc_graph};
use crate::testing::seeds;
use std::collections::BTreeSet;

/// What the oracle may take: beyond it, nothing is compared.
const LIMIT: u64 = 1 << 18;

fn by_search(model: Model, graph: &Execution) -> Option<bool> {
    let mut inquiry = Inquiry::default();
    match model.decide_by_search(graph, None, LIMIT, &mut inquiry, &mut Budget::unlimited()) {
        Ok(Decision::Yes) => Some(true),
        Ok(Decision::No) => Some(false),
        _ => None,
    }
}

fn compare(seed: u64, most: u64, seen: &mut [[u64; 2]; Stage::ALL.len()]) {
    let graph = match seed % 8 {
        1 => random_sc_graph(seed, most),
        3 => random_coherent_graph(seed, most),
        other => random_graph(seed, most, other % 4 == 0),
    };
    for model in Model::ALL {
        let Some(right) = by_search(model, &graph) else { continue };
        let mut inquiry = Inquiry::default();
        let answer = model.decide(&graph, None, u64::MAX, &mut inquiry, &mut Budget::unlimited());
        assert_eq!(answer, Ok(right.into()), "seed {seed}, at most {most} events, {model}: {graph:?}");
        for stage in Stage::ALL {
            seen[stage as usize][usize::from(right)] += inquiry.questions.of(stage);
        }
        if right {
            run_is_a_witness(model, &graph);
            witness_fits(model, &graph);
        }
    }
}

/// The co of a run is one that fits.
fn run_is_a_witness(model: Model, graph: &Execution) {
    let view = View::new(graph).expect("a consistent graph has a view");
    if let (Begun::Runs(mut runs), _) = stages::begin(&view, model.rules(), None) {
        assert!(
            runs.go_on(&view, model.rules(), &mut Meter::unlimited(&mut Budget::unlimited())).is_ok_and(|found| found)
        );
        let co = runs.co(&view, model.rules());
        assert!(model.is_consistent_with(graph, &co), "{model}: {co:?} of {graph:?}");
        let answer =
            model.decide_by_search(graph, Some(&co), u64::MAX, &mut Inquiry::default(), &mut Budget::unlimited());
        assert_eq!(answer, Ok(Decision::Yes), "{model}: {co:?} of {graph:?}");
    }
}

/// The co that is drawn is one that fits.
fn witness_fits(model: Model, graph: &Execution) {
    let witness = model.consistency(graph).expect("it is consistent");
    let mut inquiry = Inquiry::default();
    let answer = model.decide_by_search(graph, Some(&witness.co), u64::MAX, &mut inquiry, &mut Budget::unlimited());
    assert_eq!(answer, Ok(Decision::Yes), "{model}: {witness:?} of {graph:?}");
}

#[test]
fn sc_events_are_decided_as_by_search() {
    let seeds = seeds(6_000);
    let graphs = seeds.clone().count() as u64;
    let mut seen: [[u64; 2]; Stage::ALL.len()] = Default::default();
    for seed in seeds {
        let graph = random_sc_graph(seed, [6, 8, 12, 16, 24, 40][(seed % 6) as usize]);
        for model in [Model::RC11, Model::RC20] {
            let Some(right) = by_search(model, &graph) else { continue };
            let mut inquiry = Inquiry::default();
            let answer = model.decide(&graph, None, u64::MAX, &mut inquiry, &mut Budget::unlimited());
            assert_eq!(answer, Ok(right.into()), "seed {seed}, {model}: {graph:?}");
            for stage in Stage::ALL {
                seen[stage as usize][usize::from(right)] += inquiry.questions.of(stage);
            }
            if right {
                run_is_a_witness(model, &graph);
            }
        }
    }
    for stage in Stage::ALL {
        println!("{}: {:?}", stage.words(), seen[stage as usize]);
    }
    assert_eq!(seen[Stage::Orders as usize], [0, 0]);
    assert!(seen[Stage::Saturation as usize].iter().all(|&count| count > graphs / 100), "{seen:?}");
}

/// Which writes can be last, too.
#[test]
fn last_writes_are_as_by_search() {
    let seeds = seeds(4_000);
    let graphs = seeds.clone().count() as u64;
    let mut combinations = [0; 3];
    for seed in seeds {
        let most = [4, 6, 8, 12, 16][(seed % 5) as usize];
        let graph = if seed.is_multiple_of(2) { random_sc_graph(seed, most) } else { random_graph(seed, most, false) };
        let Ok(view) = View::new(&graph) else { continue };
        let locations: Vec<_> = (0..view.locations as u32).map(Location).collect();
        let locations = &locations[(seed as usize / 5) % locations.len()..];
        for model in Model::ALL {
            let (mut inquiry, mut budget) = (Inquiry::default(), Budget::unlimited());
            let right =
                model.final_writes_by_orders(|_| Found::default(), &view, locations, LIMIT, &mut inquiry, &mut budget);
            let Ok((right, Decision::Yes)) = right else { continue };
            let found = model.final_writes(&graph, locations);
            assert_eq!(found, right, "seed {seed}, {model}, {locations:?}: {graph:?}");
            // By their values; and no more than are wanted, by either search.
            let value = |&w: &EventId| graph.event(w).value_written.unwrap_or_default();
            let right: BTreeSet<Vec<_>> = found.iter().map(|writes| writes.iter().map(value).collect()).collect();
            let mut budget = Budget::unlimited();
            for enough in [1, 2, usize::MAX] {
                let values =
                    model.final_values_within(&graph, locations, enough, LIMIT, &mut Inquiry::default(), &mut budget);
                let Ok((values, Decision::Yes)) = values else { panic!("seed {seed}: undecided") };
                let by_value = |view: &View<'_>| Found::by_value(&graph, view, locations, enough);
                let orders = model.final_writes_by_orders(
                    by_value,
                    &view,
                    locations,
                    LIMIT,
                    &mut Inquiry::default(),
                    &mut budget,
                );
                let Ok((orders, Decision::Yes)) = orders else { panic!("seed {seed}: undecided") };
                let expected = right.len().min(enough);
                assert_eq!((values.len(), orders.len()), (expected, expected), "seed {seed}, {model}: {graph:?}");
                let found: BTreeSet<_> = values.into_iter().collect();
                assert!(found.len() == expected && found.is_subset(&right), "seed {seed}, {model}: {graph:?}");
            }
            let last: Vec<_> = locations.iter().map(|x| view.writes(x.0 as usize).last().copied().unwrap()).collect();
            let can_end = model.can_end(&graph, locations, &last, u64::MAX);
            assert_eq!(can_end, found.contains(&last).into(), "seed {seed}, {model}, {last:?}: {graph:?}");
            combinations[found.len().min(2)] += 1;
        }
    }
    println!("{combinations:?}");
    assert!(combinations.iter().all(|&count| count > graphs / 4));
}

/// Where SC fences are in an order, too.
#[test]
fn sc_fences_are_decided_as_by_search() {
    let seeds = seeds(6_000);
    let graphs = seeds.clone().count() as u64;
    let mut seen: [[u64; 2]; Stage::ALL.len()] = Default::default();
    for seed in seeds {
        let graph = random_fenced_graph(seed, [8, 12, 20, 30, 40, 60][(seed % 6) as usize]);
        for model in Model::ALL.into_iter().filter(|model| model.rules().orders_fences) {
            let Some(right) = by_search(model, &graph) else { continue };
            let mut inquiry = Inquiry::default();
            let answer = model.decide(&graph, None, u64::MAX, &mut inquiry, &mut Budget::unlimited());
            assert_eq!(answer, Ok(right.into()), "seed {seed}, {model}: {graph:?}");
            for stage in Stage::ALL {
                seen[stage as usize][usize::from(right)] += inquiry.questions.of(stage);
            }
            if right {
                run_is_a_witness(model, &graph);
                witness_fits(model, &graph);
            }
        }
    }
    for stage in Stage::ALL {
        println!("{}: {:?}", stage.words(), seen[stage as usize]);
    }
    assert_eq!(seen[Stage::Orders as usize], [0, 0]);
    assert!(seen[Stage::Saturation as usize].iter().all(|&count| count > graphs / 100), "{seen:?}");
    assert!(seen[Stage::Prefixes as usize][1] > graphs / 100, "{seen:?}");
}

#[test]
fn random_graphs_are_decided_as_by_search() {
    let seeds = seeds(6_000);
    let graphs = seeds.clone().count() as u64;
    let mut seen = Default::default();
    for seed in seeds {
        compare(seed, [6, 8, 12, 20, 40, 60][(seed % 6) as usize], &mut seen);
    }
    for stage in Stage::ALL {
        println!("{}: {:?}", stage.words(), seen[stage as usize]);
    }
    let [no, yes] = [0, 1].map(|answer| seen.iter().map(|stage| stage[answer]).sum::<u64>());
    assert!(no > graphs && yes > graphs);
}

/// With a co, too: the writes of each location in a random order that is close to that in which they were added.
#[test]
fn random_orders_of_writes_are_judged_as_by_search() {
    let mut fits = [0, 0];
    for seed in seeds(6_000) {
        let graph = match seed % 4 {
            0 | 2 => random_graph(seed, 16, !seed.is_multiple_of(4)),
            1 => random_sc_graph(seed, 16),
            _ => random_fenced_graph(seed, 16),
        };
        let Ok(view) = View::new(&graph) else { continue };
        let mut random = Random::new(seed);
        let mut co: Vec<_> = (0..view.locations).map(|location| view.writes(location).to_vec()).collect();
        for order in co.iter_mut().filter(|order| order.len() > 2) {
            let at = 1 + random.below(order.len() as u64 - 2) as usize;
            if random.below(2) == 0 {
                order.swap(at, at + 1);
            }
        }
        for model in Model::ALL {
            let mut inquiry = Inquiry::default();
            let right = model.decide_by_search(&graph, Some(&co), u64::MAX, &mut inquiry, &mut Budget::unlimited());
            let right = right == Ok(Decision::Yes);
            assert_eq!(model.is_consistent_with(&graph, &co), right, "seed {seed}, {model}: {co:?} of {graph:?}");
            fits[usize::from(right)] += 1;
        }
    }
    println!("{fits:?}");
    assert!(fits.iter().all(|&count| count > 1000));
}

/// Two writes to a, read by two threads behind both writes to b, and the other way around: with any order of the first two, the
/// writes to b come before one of them, and so does what reads them. No single order is forced, so there is no cycle.
#[test]
fn saturation_does_not_decide() {
    let graph = graph(
        "Wa1 Wc1 | Wa2 Wd1 | Wb1 We1 | Wb2 Wf1 | Rc<1.2 Rd<2.2 Rb<3.1 | Rc<1.2 Rd<2.2 Rb<4.1 | Re<3.2 Rf<4.2 Ra<1.1 | \
         Re<3.2 Rf<4.2 Ra<2.1",
    );
    for (model, consistent) in [(Model::SC, false), (Model::TSO, false), (Model::PSO, true), (Model::RA, true)] {
        let mut inquiry = Inquiry::default();
        let answer = model.decide(&graph, None, u64::MAX, &mut inquiry, &mut Budget::unlimited());
        assert_eq!((answer, by_search(model, &graph)), (Ok(consistent.into()), Some(consistent)), "{model}");
        assert!(consistent || inquiry.questions.of(Stage::Prefixes) == 1, "{model}");
    }
}

/// Between SC fences, one step of rf counts as eco does, though nothing synchronises with what it leads to.
#[test]
fn rf_alone_orders_sc_fences() {
    let graph = graph("Wa1 F.sc Wb1.rel | Rb.acq<1.3 Wc1 | Rc<2.2 F.sc Ra<0");
    let mut inquiry = Inquiry::default();
    for model in [Model::RC11, Model::RC20] {
        let answer = model.decide(&graph, None, u64::MAX, &mut inquiry, &mut Budget::unlimited());
        assert_eq!((answer, by_search(model, &graph)), (Ok(Decision::No), Some(false)), "{model}");
    }
}

/// With the same hb and co, psc of C++20 has a cycle wherever that of RC11 has one, and elsewhere.
#[test]
fn psc_of_cpp20_is_the_stronger_one() {
    let rules = Model::RC20.rules();
    let (mut both, mut stronger) = (0, 0);
    for seed in seeds(200_000) {
        let graph = random_sc_graph(seed, 5 + seed % 8);
        let Ok(view) = View::new(&graph) else { continue };
        let coherent = Coherent::new(&view, rules);
        if !coherent.fits() {
            continue;
        }
        let (hb, co) = (happens_before(&view, Rseq::OfUpdates), draw::transitive(&graph, &coherent.some_co()));
        let is_acyclic = |along| ScOrder::new(&view, &hb, along).is_none_or(|sc| sc.psc(&view, &co).is_acyclic());
        let [scb, shb] = [Along::Scb, Along::Shb].map(is_acyclic);
        assert!(scb || !shb, "seed {seed}: {graph:?}");
        both += u32::from(!scb);
        stronger += u32::from(scb && !shb);
    }
    println!("both have a cycle {both} times, C++20 alone {stronger} times");
    assert!(both > 100 && stronger > 0);
}

/// A search that learns nothing beforehand comes to the same end.
#[test]
fn prefixes_alone_decide() {
    let mut answers = [0, 0];
    for seed in seeds(6_000) {
        let graph = random_graph(seed, 14, false);
        let Ok(view) = View::new(&graph) else { continue };
        for model in [Model::SC, Model::TSO, Model::PSO] {
            let machine = machine(&view, buffering(model.rules()), true);
            let mut budget = Budget::unlimited();
            let found = Runs::new(machine).search(&mut Meter::unlimited(&mut budget)) == Ok(true);
            assert_eq!(found, model.is_consistent(&graph), "seed {seed}, {model}: {graph:?}");
            answers[usize::from(found)] += 1;
        }
    }
    assert!(answers.iter().all(|&count| count > 500), "{answers:?}");
}

/// What a question about a graph of up to 200 events costs, in units of some nanoseconds: at worst, where nothing but the order of
/// accesses is asked for; in nearly all cases, and at worst, where SC fences or all SC events are to be ordered.
#[test]
fn no_question_is_long() {
    let (mut worst, mut ordered) = ([[0; 2]; Model::ALL.len()], [[0; 2]; Model::ALL.len()]);
    for seed in seeds(600) {
        let graph = match seed % 4 {
            0 => random_graph(seed, 200, false),
            1 => random_coherent_graph(seed, 200),
            2 => random_fenced_graph(seed, 200),
            _ => random_sc_graph(seed, 200),
        };
        let is_sc_fence = |event: &Event| event.label == Label::Fence(Mode::SequentiallyConsistent);
        let fences = graph.events().filter(|(_, event)| is_sc_fence(event)).count();
        let sc = graph.events().any(|(_, event)| event.mode().is_sc());
        for (at, model) in Model::ALL.into_iter().enumerate() {
            let rules = model.rules();
            let orders = rules.psc.is_some() && sc || rules.orders_fences && fences > 1;
            let (mut inquiry, mut budget) = (Inquiry::default(), Budget::unlimited());
            let answer = model.decide(&graph, None, u64::MAX, &mut inquiry, &mut budget);
            assert!(answer.is_ok(), "seed {seed}, {model}");
            let worst = &mut worst[at][usize::from(orders)];
            *worst = budget.spent().max(*worst);
            if orders {
                ordered[at][usize::from(budget.spent() > 25_000)] += 1;
            }
        }
    }
    println!("{:?} {worst:?} {ordered:?}", Model::ALL);
    assert!(worst.iter().all(|[units, _]| *units < 20_000), "{:?} {worst:?}", Model::ALL);
    assert!(worst.iter().all(|[_, units]| *units < 500_000), "{:?} {worst:?}", Model::ALL);
    assert!(ordered.iter().all(|[short, long]| 20 * long <= *short), "{:?} {ordered:?}", Model::ALL);
}
