//! The models against the brute force on random programs.

use crate::explore::brute_force::{self, candidates_up_to};
use crate::graph::Execution;
use crate::model::Model;
use crate::program::{Code, Limits, Location};
use crate::testing::claims::consistent;
use crate::testing::graphs::{random_fenced_graph, random_graph, random_sc_graph};
use crate::testing::{UNROLL, for_all, seeds};

fn agree(graph: &Execution) -> Result<(), String> {
    let locations: Vec<_> = (0..graph.events().filter(|(_, event)| event.is_init()).count() as u32).collect();
    let locations: Vec<_> = locations.into_iter().map(Location).collect();
    for model in Model::ALL {
        let context = |what: &str| Err(format!("{model}: {what} of {graph:#?}"));
        let orders = brute_force::coherence_orders(model, graph);
        if consistent(model, graph) == orders.is_empty() {
            return context("verdict");
        }
        if model.consistency(graph).is_ok_and(|witness| !orders.contains(&witness.co)) {
            return context("witness");
        }
        if model.coherence_count(graph) != orders.len() as u64 {
            return context("number of coherence orders");
        }
        let last = |order: &Vec<Vec<_>>| order.iter().map(|writes| *writes.last().unwrap()).collect::<Vec<_>>();
        if model.final_writes(graph, &locations) != orders.iter().map(last).collect() {
            return context("final writes");
        }
        if model.races(graph) != brute_force::races(model, graph).into_iter().collect::<Vec<_>>() {
            return context("races");
        }
        model.partial_relations(graph);
    }
    Ok(())
}

#[test]
fn models_are_their_definitions() {
    let (mut graphs, mut skipped) = (0, 0);
    let seeds = seeds(100);
    for_all(seeds.clone(), |program| {
        let code = Code::compile(program).map_err(|error| error.to_string())?;
        let limits = Limits { unroll: UNROLL, ..Limits::default() };
        let Ok(candidates) = candidates_up_to(2_000, &code, limits) else {
            skipped += 1;
            return Ok(());
        };
        graphs += candidates.len();
        candidates.iter().try_for_each(agree)
    });
    println!("seeds {seeds:?}: {graphs} graphs, {skipped} programs skipped");
}

/// How many orders of writes there are.
fn orders(graph: &Execution) -> u64 {
    let locations = graph.events().filter(|(_, event)| event.is_init()).count() as u32;
    let writes = (0..locations).map(|location| graph.writes(Location(location)).count() as u64 - 1);
    writes.map(|writes| (1..=writes).product::<u64>()).product()
}

/// Not graphs of programs, but any that are small: all orders of writes are tried, and the axioms evaluated with each.
#[test]
fn random_graphs_are_decided_by_definition() {
    let seeds = seeds(5_000);
    let graphs = seeds.clone().count() as u64;
    let mut answers = [[0; 2]; Model::ALL.len()];
    for seed in seeds {
        let most = 3 + seed / 2 % 6;
        let graph = match seed % 4 {
            0 | 2 => random_graph(seed, most, true),
            1 => random_sc_graph(seed, most),
            _ => random_fenced_graph(seed, most),
        };
        // Mutexes are unlocked there by who does not hold them.
        if graph.events().any(|(_, event)| event.operation().is_some()) || orders(&graph) > 720 {
            continue;
        }
        let locations: Vec<_> = graph.events().filter(|(_, event)| event.is_init()).collect();
        let locations: Vec<_> = (0..locations.len() as u32).map(Location).collect();
        for (answers, model) in answers.iter_mut().zip(Model::ALL) {
            let right = brute_force::coherence_orders(model, &graph);
            let context = || format!("seed {seed}, {model}: {graph:#?}");
            assert_eq!(model.is_consistent(&graph), !right.is_empty(), "{}", context());
            for co in &right {
                assert!(model.is_consistent_with(&graph, co), "{co:?}: {}", context());
            }
            let last = |order: &Vec<Vec<_>>| order.iter().map(|writes| *writes.last().unwrap()).collect::<Vec<_>>();
            assert_eq!(model.final_writes(&graph, &locations), right.iter().map(last).collect(), "{}", context());
            answers[usize::from(!right.is_empty())] += 1;
        }
    }
    println!("{answers:?}");
    assert!(answers.iter().flatten().all(|&count| count > graphs / 200), "{answers:?}");
}
