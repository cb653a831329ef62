//! The models against the brute force on random programs.
//!
//! `LITMOSCOPE_PROGRAMS` says how many programs, `LITMOSCOPE_SEED` which one is the first.

use crate::explore::brute_force::{self, candidates_up_to};
use crate::graph::Execution;
use crate::model::Model;
use crate::program::{Code, Limits, Location};
use crate::testing::claims::consistent;
use crate::testing::{UNROLL, for_all};
use std::ops::Range;

fn seeds() -> Range<u64> {
    let number = |name: &str, default| match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is no number")),
        Err(_) => default,
    };
    let first: u64 = number("LITMOSCOPE_SEED", 0);
    first..first + number("LITMOSCOPE_PROGRAMS", 100)
}

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
        let races = if model == Model::Rc11 { brute_force::races(graph).into_iter().collect() } else { Vec::new() };
        if model.races(graph) != races {
            return context("races");
        }
        model.partial_relations(graph);
    }
    Ok(())
}

#[test]
fn models_are_their_definitions() {
    let (mut graphs, mut skipped) = (0, 0);
    for_all(seeds(), |program| {
        let code = Code::compile(program).map_err(|error| error.to_string())?;
        let limits = Limits { unroll: UNROLL, ..Limits::default() };
        let Ok(candidates) = candidates_up_to(2_000, &code, limits) else {
            skipped += 1;
            return Ok(());
        };
        graphs += candidates.len();
        candidates.iter().try_for_each(agree)
    });
    println!("seeds {:?}: {graphs} graphs, {skipped} programs skipped", seeds());
}
