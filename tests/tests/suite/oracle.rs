//! The oracles against each other on random programs: machines with store buffers against axioms.

use litmoscope::explore::brute_force::{self, candidates_up_to};
use litmoscope::explore::{Options, operational};
use litmoscope::graph::{CanonicalExecution, EventId, EventKey, Execution};
use litmoscope::model::Model;
use litmoscope::program::{Code, Location, Program};
use litmoscope::testing::{for_all, for_all_clients, seeds};
use litmoscope_tests::random::{CAP, LIMITS, weaken, with_parts};
use std::collections::{BTreeMap, BTreeSet};

/// Executions, each with the writes that the final memory can come from.
type Outcomes = BTreeMap<CanonicalExecution, BTreeSet<Vec<EventKey>>>;

fn keys(graph: &Execution, events: &[EventId]) -> Vec<EventKey> {
    events.iter().map(|&e| graph.event(e).key).collect()
}

/// The axioms of SC, TSO and PSO allow exactly what their machines do, final memory included.
#[test]
fn axioms_are_machines() {
    compare(LIMITS.into(), false, |program| Some(program.clone()));
}

/// With mutexes and channels, threads that wait at the end included.
#[test]
fn mutexes_and_channels() {
    compare(LIMITS.into(), true, |program| Some(program.clone()));
}

/// With statements before and behind all threads.
#[test]
fn before_and_after() {
    compare(LIMITS.into(), false, with_parts);
    compare(LIMITS.into(), true, with_parts);
}

/// With compare-and-swaps that may fail spuriously too.
#[test]
fn weak_compare_and_swaps() {
    compare(Options { spurious: true, ..LIMITS.into() }, false, weaken);
}

fn compare(options: Options, clients: bool, change: fn(&Program) -> Option<Program>) {
    let (mut skipped, mut graphs) = (0, 0);
    let mut consistent = [0; 3];
    let seeds = seeds(1_000);
    let check = |program: &Program| {
        let Some(program) = change(program) else { return Ok(()) };
        let code = Code::compile(&program).map_err(|error| error.to_string())?;
        let locations: Vec<_> = (0..code.initial.len() as u32).map(Location).collect();
        let Ok(candidates) = candidates_up_to(CAP, &code, options) else {
            skipped += 1;
            return Ok(());
        };
        graphs += candidates.len();
        for (column, model) in [Model::SC, Model::TSO, Model::PSO].into_iter().enumerate() {
            let Ok(runs) = operational::runs(model, &code, options, CAP) else {
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
            consistent[column] += axioms.len();
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
    };
    if clients {
        for_all_clients(seeds.clone(), check)
    } else {
        for_all(seeds.clone(), check)
    }
    println!("seeds {seeds:?}: {graphs} candidates, {consistent:?} consistent with SC, TSO, PSO, {skipped} skipped");
}
