//! The engine's memory models against the axioms, on all candidate executions of random programs.

use litmoscope::explore::brute_force::{self, candidates_up_to};
use litmoscope::graph::{Coherence, Edge, EventId, Execution, Label, RelationName};
use litmoscope::model::{HappensBefore, Model, Violation};
use litmoscope::program::{Code, Location, Mode, Program};
use litmoscope::testing::{for_all, for_all_clients, seeds};
use litmoscope_tests::random::{CAP, LIMITS};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The engine's models say of every candidate what the axioms say: the verdict, the coherence orders, the final memory,
/// the races; and what they give as reasons is true.
#[test]
fn models_are_axioms() {
    compare(seeds(1_000), false);
}

/// The same with mutexes and channels, of the candidates that respect them.
#[test]
fn models_are_axioms_with_libraries() {
    compare(seeds(250), true);
}

fn compare(seeds: Range<u64>, clients: bool) {
    let (mut skipped, mut graphs, mut racy) = (0, 0, 0);
    let mut consistent: BTreeMap<&str, usize> = BTreeMap::new();
    let mut violated: BTreeMap<(&str, String), usize> = BTreeMap::new();
    let check = |program: &Program| {
        let code = Code::compile(program).map_err(|error| error.to_string())?;
        let locations: Vec<_> = (0..code.initial.len() as u32).map(Location).collect();
        let Ok(candidates) = candidates_up_to(CAP, &code, LIMITS) else {
            skipped += 1;
            return Ok(());
        };
        graphs += candidates.len();
        for graph in candidates.iter().filter(|graph| brute_force::respects_libraries(graph)) {
            for model in Model::ALL {
                let orders = brute_force::coherence_orders(model, graph);
                let wrong = |what: &str| Err(format!("{model:?}: {what}; {} orders of {graph:#?}", orders.len()));
                match model.consistency(graph) {
                    Ok(witness) => {
                        *consistent.entry(model.name()).or_default() += 1;
                        if !orders.contains(&witness.co) {
                            return wrong(&format!("{:?} is no witness", witness.co));
                        }
                    }
                    Err(violation) => {
                        if !orders.is_empty() {
                            return wrong(&format!("consistent in spite of {violation:#?}"));
                        }
                        if let Err(why) = explains(model, graph, &violation) {
                            return wrong(&format!("{why} in {violation:#?}"));
                        }
                        *violated.entry((model.name(), violation.axiom)).or_default() += 1;
                    }
                }
                if model.is_consistent(graph) == orders.is_empty() {
                    return wrong("is_consistent() differs");
                }
                if model.coherence_count(graph) != orders.len() as u64 {
                    return wrong(&format!("coherence_count() is {}", model.coherence_count(graph)));
                }
                let last = |co: &Vec<Vec<EventId>>| co.iter().map(|order| order[order.len() - 1]).collect();
                let finals: BTreeSet<Vec<EventId>> = orders.iter().map(last).collect();
                if model.final_writes(graph, &locations) != finals {
                    return wrong(&format!("final_writes() is {:?}", model.final_writes(graph, &locations)));
                }
            }
            for model in Model::ALL.into_iter().filter(|model| model.rules().synchronises()) {
                let races = model.races(graph);
                racy += usize::from(!races.is_empty());
                // What races in an inconsistent execution means nothing.
                if brute_force::consistent(model, graph)
                    && races.iter().copied().collect::<BTreeSet<_>>() != brute_force::races(model, graph)
                {
                    return Err(format!("{model}: races {races:?} of {graph:#?}"));
                }
            }
        }
        Ok(())
    };
    if clients {
        for_all_clients(seeds.clone(), check)
    } else {
        for_all(seeds.clone(), check)
    }
    println!("seeds {seeds:?}: {graphs} candidates, {racy} with races, {skipped} skipped");
    println!("consistent: {consistent:?}");
    println!("violated: {violated:#?}");
}

/// Consistency with a given co, and what is wrong with it if it is inconsistent.
#[test]
fn given_coherence_orders() {
    let (mut orders, mut violated) = ([0; 2], BTreeMap::<_, u32>::new());
    for_all(seeds(100), |program| {
        let code = Code::compile(program).map_err(|error| error.to_string())?;
        let Ok(candidates) = candidates_up_to(CAP / 10, &code, LIMITS) else { return Ok(()) };
        for graph in &candidates {
            let all = all_orders(graph, code.initial.len());
            for model in Model::ALL {
                let right = brute_force::coherence_orders(model, graph);
                for co in &all {
                    let wrong = |what: &str| Err(format!("{model:?}: {what} with {co:?} of {graph:#?}"));
                    orders[usize::from(right.contains(co))] += 1;
                    if model.is_consistent_with(graph, co) != right.contains(co) {
                        return wrong("is_consistent_with() differs");
                    }
                    let Some(violation) = model.violation_with(graph, co) else {
                        if right.contains(co) {
                            continue;
                        }
                        return wrong("violation_with() finds nothing");
                    };
                    if right.contains(co) {
                        return wrong(&format!("{violation:#?}"));
                    }
                    let comes_before = |edge: &Edge| {
                        let place = |e| co.iter().flatten().position(|&w| w == e);
                        let before = match edge.relation {
                            RelationName::Co => Some(edge.from),
                            RelationName::Fr => graph.source(edge.from),
                            _ => return true,
                        };
                        before.and_then(place) < place(edge.to)
                    };
                    // These two say something whatever co is.
                    if !["atomicity", "causality"].contains(&violation.axiom.as_str())
                        && !violation.cycle.iter().all(comes_before)
                    {
                        return wrong(&format!("edges against co: {violation:#?}"));
                    }
                    if let Err(why) = explains(model, graph, &violation) {
                        return wrong(&format!("{why} in {violation:#?}"));
                    }
                    *violated.entry((model.name(), violation.axiom)).or_default() += 1;
                }
            }
        }
        Ok(())
    });
    println!("{orders:?} inconsistent and consistent orders, violated: {violated:#?}");
    assert!(orders.iter().all(|&number| number > 0));
}

/// All ways to order the writes of each location behind the initial one.
fn all_orders(graph: &Execution, locations: usize) -> Vec<Coherence> {
    let mut all = vec![Vec::new()];
    for location in 0..locations {
        let writes: Vec<_> = graph.writes(Location(location as u32)).collect();
        let orders = writes[1..].iter().fold(vec![vec![writes[0]]], |orders, &w| {
            let insertions = orders.into_iter().flat_map(|order| {
                (1..=order.len()).map(move |at| [&order[..at], &[w], &order[at..]].concat()).collect::<Vec<_>>()
            });
            insertions.collect()
        });
        all = all
            .iter()
            .flat_map(|co: &Coherence| orders.iter().map(|o| [&co[..], std::slice::from_ref(o)].concat()))
            .collect();
    }
    all
}

/// Whether a violation's cycle is a cycle of its axiom's relations in the graph. What it says about co can't be told
/// from the graph alone: such edges have to be possible.
fn explains(model: Model, graph: &Execution, violation: &Violation) -> Result<(), String> {
    use RelationName::{Co, Fr, Po, Ppo, Rf, ScFence, Sw};
    if model.axiom(&violation.axiom).is_none() {
        return Err(format!("{model:?} has no axiom {}", violation.axiom));
    }
    let relations: &[RelationName] = match (violation.axiom.as_str(), model.rules().happens_before) {
        ("no-thin-air", _) => &[Po, Rf],
        ("atomicity", _) => &[Fr],
        ("sequential-consistency", _) | ("coherence", None) => &[Po, Rf, Co, Fr],
        ("store-order", _) => &[Ppo, Rf, Co, Fr],
        ("causality", _) => &[Po, Rf, ScFence, Fr],
        ("coherence", Some(HappensBefore::Porf)) => &[Po, Rf, ScFence, Co, Fr],
        ("order-of-writes", _) => &[Po, Rf, ScFence, Co],
        ("strong-coherence", _) => &[Po, Rf, ScFence, Co],
        ("coherence" | "psc", Some(HappensBefore::Synchronised(_))) => &[Po, Sw, Rf, Co, Fr],
        (axiom, _) => return Err(format!("the test does not know the axiom {axiom}")),
    };
    let cycle = &violation.cycle;
    if cycle.is_empty() || (0..cycle.len()).any(|at| cycle[at].to != cycle[(at + 1) % cycle.len()].from) {
        return Err("no cycle".to_owned());
    }
    let location = |e: EventId| graph.event(e).location();
    let sw = brute_force::synchronises_with(model, graph);
    for &Edge { from, to, relation } in cycle {
        if !relations.contains(&relation) {
            return Err(format!("{relation} is no part of the axiom"));
        }
        let same_location = location(from).is_some() && location(from) == location(to) && from != to;
        let (a, b) = (graph.event(from), graph.event(to));
        let holds = match relation {
            Po if violation.axiom == "coherence" && model.rules().happens_before.is_none() => {
                graph.po(from, to) && same_location
            }
            Po => graph.po(from, to),
            Rf if violation.axiom == "store-order" => graph.source(to) == Some(from) && a.thread() != b.thread(),
            Rf => graph.source(to) == Some(from),
            Co => same_location && a.is_write() && b.is_write() && !b.is_init(),
            Fr => same_location && a.is_read() && b.is_write() && graph.source(from) != Some(to) && !b.is_init(),
            Sw => sw.contains(from, to),
            ScFence => [a, b].iter().all(|event| event.label == Label::Fence(Mode::SequentiallyConsistent)),
            // A store-store fence may be an event of its own on the way.
            Ppo if a.is_fence() || b.is_fence() => graph.po(from, to),
            Ppo => brute_force::preserved_po(model, graph).contains(from, to),
            _ => false,
        };
        if !holds {
            return Err(format!("no {relation} from {from:?} to {to:?}"));
        }
    }
    Ok(())
}
