//! The order of events that explains an execution, run on the machines with store buffers and held against definitions.
//!
//! The oracle's machine replays the runs, for all candidates of random programs with each of their coherence orders.

use litmoscope::explore::brute_force::{self, candidates_up_to};
use litmoscope::explore::operational::{self, Turn};
use litmoscope::explore::{Algorithm, Options, Step};
use litmoscope::graph::{Coherence, EventId, Execution, RelationName};
use litmoscope::model::{Interleaving, Model, Move, Witness};
use litmoscope::program::{Code, Program};
use litmoscope::testing::{for_all, for_all_clients, seeds};
use litmoscope_tests::random::{CAP, LIMITS, weaken};
use std::sync::Arc;

/// Where each event is performed (for a write in a buffer: reaches memory); 0 for initial writes.
fn places(graph: &Execution, moves: &[Move]) -> Vec<usize> {
    let mut places = vec![0; graph.len()];
    for (at, step) in moves.iter().enumerate() {
        if !matches!(step, Move::Buffer(_)) {
            places[step.event().index()] = at + 1;
        }
    }
    places
}

/// The machine can run so, and does what the execution says.
fn runs(
    model: Model,
    code: &Code,
    options: Options,
    graph: &Execution,
    co: &Coherence,
    order: &Interleaving,
) -> Result<(), String> {
    let turns = order.moves.iter().filter_map(|step| {
        let event = graph.event(step.event());
        match step {
            // Whoever waits makes no step.
            Move::Perform(_) if event.is_blocked() => None,
            Move::Perform(_) | Move::Buffer(_) => {
                Some(Turn::Step { event: event.key, spurious: event.fails_spuriously() })
            }
            Move::Flush(_) => Some(Turn::Commit { write: event.key }),
        }
    });
    let (run, memory) = operational::replay(model, code, options, turns)
        .map_err(|turn| format!("{model:?}: the machine can't do {turn:?} in {order:#?} of {graph:#?}"))?;
    if run.execution.canonical() != graph.canonical() {
        return Err(format!("{model:?}: {order:#?} makes {:#?}, not {graph:#?}", run.execution));
    }
    if run.execution.canonical_coherence(&memory) != graph.canonical_coherence(co) {
        return Err(format!("{model:?}: {order:#?} writes in the order {memory:?}, not {co:?}"));
    }
    Ok(())
}

/// An order of a model without a machine agrees with hb and rf, and with co if that is possible.
fn agrees(model: Model, graph: &Execution, co: &Coherence, order: &Interleaving) -> Result<(), String> {
    let wrong = |what: String| Err(format!("{model:?}: {what} in {order:#?} of {graph:#?} with {co:?}"));
    let places = places(graph, &order.moves);
    let relations = model.relations(graph, &Witness { co: co.clone() });
    let of = |name| relations.iter().filter(move |(relation, _)| *relation == name).flat_map(|(_, edges)| edges);
    let mut before: Vec<_> =
        of(RelationName::Po).chain(of(RelationName::Hb)).map(|edge| (edge.from, edge.to)).collect();
    before.extend(graph.rf_relation().pairs());
    let co_pairs = || co.iter().flat_map(|writes| writes.windows(2)).map(|pair| (pair[0], pair[1]));
    if order.follows_co {
        before.extend(co_pairs());
    } else if model != Model::WRA {
        let mut all = litmoscope::graph::Relation::new(graph.len());
        for (a, b) in before.iter().copied().chain(co_pairs()) {
            all.insert(a, b);
        }
        if all.is_acyclic() {
            return wrong("an order that agrees with co was not found".to_owned());
        }
    }
    let started = |e: EventId| !graph.event(e).is_init();
    match before.into_iter().find(|&(a, b)| started(a) && places[a.index()] >= places[b.index()]) {
        Some(pair) => wrong(format!("{pair:?} is the wrong way round")),
        None => Ok(()),
    }
}

fn check(model: Model, code: &Code, options: Options, graph: &Execution, co: &Coherence) -> Result<(), String> {
    let Some(order) = model.interleaving(graph, co) else {
        return Err(format!("{model:?}: no order of {graph:#?} with {co:?}"));
    };
    let mut performed: Vec<_> =
        order.moves.iter().filter(|step| !matches!(step, Move::Flush(_))).map(|step| step.event()).collect();
    performed.sort_unstable();
    let all: Vec<_> = graph.ids().filter(|&e| !graph.event(e).is_init()).collect();
    if performed != all {
        return Err(format!("{model:?}: {order:#?} does not have each event of {graph:#?} once"));
    }
    match model.name() {
        "sc" | "tso" | "pso" => runs(model, code, options, graph, co, &order),
        _ => agrees(model, graph, co, &order),
    }
}

/// Every consistent execution of random programs, with every coherence order.
fn compare(options: Options, clients: bool, change: fn(&Program) -> Option<Program>) {
    let seeds = seeds(if clients { 625 } else { 1_250 });
    let mut orders = [0; Model::ALL.len()];
    let mut against_co = 0;
    let check_program = |program: &Program| {
        let Some(program) = change(program) else { return Ok(()) };
        let code = Code::compile(&program).map_err(|error| error.to_string())?;
        let Ok(candidates) = candidates_up_to(CAP / 10, &code, options) else { return Ok(()) };
        for graph in candidates.iter().filter(|graph| brute_force::respects_libraries(graph)) {
            for (column, model) in Model::ALL.into_iter().enumerate() {
                for co in brute_force::coherence_orders(model, graph) {
                    orders[column] += 1;
                    check(model, &code, options, graph, &co)?;
                    against_co += u32::from(model.interleaving(graph, &co).is_some_and(|order| !order.follows_co));
                }
            }
        }
        Ok(())
    };
    if clients {
        for_all_clients(seeds.clone(), check_program)
    } else {
        for_all(seeds.clone(), check_program)
    }
    println!("seeds {seeds:?}: {orders:?} executions with co by model, {against_co} orders against co");
    assert!(orders.iter().all(|&number| number > 0));
}

#[test]
fn machines_run_so() {
    compare(LIMITS.into(), false, |program| Some(program.clone()));
}

#[test]
fn machines_run_so_with_mutexes_and_channels() {
    compare(LIMITS.into(), true, |program| Some(program.clone()));
}

#[test]
fn machines_run_so_with_spurious_failures() {
    compare(Options { spurious: true, ..LIMITS.into() }, false, weaken);
}

/// Graphs on the way to executions have such an order too, or are inconsistent.
#[test]
fn graphs_that_grow() {
    let mut graphs = 0;
    for_all(seeds(313), |program| {
        let code = Arc::new(Code::compile(program).map_err(|error| error.to_string())?);
        for model in Model::ALL {
            for algorithm in [Algorithm::Genmc, Algorithm::GenmcCo] {
                let options = Options::from(LIMITS);
                let Ok(mut explorer) = algorithm.explorer(Arc::clone(&code), model, options) else { continue };
                for _ in 0..200 {
                    if explorer.advance() == Step::Done {
                        break;
                    }
                    let graph = explorer.execution();
                    let co = match explorer.coherence() {
                        Some(co) if model.is_consistent_with(graph, co) => co.clone(),
                        Some(_) => continue,
                        None => match model.consistency(graph) {
                            Ok(witness) => witness.co,
                            Err(_) => continue,
                        },
                    };
                    if model.interleaving(graph, &co).is_none() {
                        return Err(format!("{algorithm:?} under {model:?}: no order of {graph:#?} with {co:?}"));
                    }
                    graphs += 1;
                }
            }
        }
        Ok(())
    });
    println!("{graphs} graphs");
    assert!(graphs > 1000);
}
