//! The oracles against each other on random programs: machines with store buffers against axioms, and the engine's
//! memory models against the axioms.
//!
//! `LITMOSCOPE_PROGRAMS` says how many programs, `LITMOSCOPE_SEED` which one is the first.

use litmoscope::explore::brute_force::{self, candidates_up_to};
use litmoscope::explore::operational;
use litmoscope::graph::{CanonicalExecution, EventKey, Execution};
use litmoscope::model::Model;
use litmoscope::program::{Code, Limits, Location};
use litmoscope::testing::{UNROLL, for_all};
use std::collections::{BTreeMap, BTreeSet};

const LIMITS: Limits = Limits { unroll: UNROLL, local_steps: 1000 };
/// States that a program may have; larger ones are skipped and counted.
const CAP: usize = 20_000;

fn seeds() -> std::ops::Range<u64> {
    let number = |name: &str, default| std::env::var(name).map_or(default, |text| text.parse().expect(name));
    let first = number("LITMOSCOPE_SEED", 0);
    first..first + number("LITMOSCOPE_PROGRAMS", if cfg!(debug_assertions) { 100 } else { 4000 })
}

/// Executions, each with the writes that the final memory can come from.
type Outcomes = BTreeMap<CanonicalExecution, BTreeSet<Vec<EventKey>>>;

fn keys(graph: &Execution, events: &[litmoscope::graph::EventId]) -> Vec<EventKey> {
    events.iter().map(|&e| graph.event(e).key).collect()
}

/// The axioms of SC, TSO and PSO allow exactly what their machines do, final memory included.
#[test]
fn axioms_are_machines() {
    let (mut skipped, mut graphs, mut outcomes) = (0, 0, 0);
    let seeds = seeds();
    for_all(seeds.clone(), |program| {
        let code = Code::compile(program).map_err(|error| error.to_string())?;
        let locations: Vec<_> = (0..code.initial.len() as u32).map(Location).collect();
        let Ok(candidates) = candidates_up_to(CAP, &code, LIMITS) else {
            skipped += 1;
            return Ok(());
        };
        graphs += candidates.len();
        for model in [Model::Sc, Model::Tso, Model::Pso] {
            let Ok(runs) = operational::runs(model, &code, LIMITS, CAP) else {
                skipped += 1;
                continue;
            };
            let mut machine = Outcomes::new();
            for run in &runs {
                machine.entry(run.execution.canonical()).or_default().insert(keys(&run.execution, &run.memory));
            }
            let mut axioms = Outcomes::new();
            for graph in &candidates {
                let finals = brute_force::final_writes(model, graph, &locations);
                if finals.is_empty() == brute_force::consistent(model, graph) {
                    return Err(format!("{model:?}: consistent() and final_writes() disagree on {graph:#?}"));
                }
                if !finals.is_empty() {
                    axioms.insert(graph.canonical(), finals.iter().map(|writes| keys(graph, writes)).collect());
                }
            }
            outcomes += runs.len();
            if machine != axioms {
                let only = |a: &Outcomes, b: &Outcomes| -> Vec<_> {
                    let differs = a.iter().filter(|(graph, finals)| b.get(*graph) != Some(finals));
                    differs.map(|(graph, finals)| (graph.clone(), finals.clone())).take(1).collect()
                };
                let (machine, axioms) = (only(&machine, &axioms), only(&axioms, &machine));
                return Err(format!("{model:?}: machine {machine:#?}\naxioms {axioms:#?}"));
            }
        }
        Ok(())
    });
    println!("seeds {seeds:?}: {graphs} candidates, {outcomes} runs, {skipped} skipped");
}
