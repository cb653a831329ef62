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

mod others {
    //! Models that somebody else could define: each way to put rules together, with the formulas that say the same.

    use super::*;
    use crate::explore::{Algorithm, Options, Step};
    use crate::model::formula::{Demand, ECO, FR, PO_LOC, RFE, Set, Term};
    use crate::model::{Along, Axiom, Buffers, Definition, HappensBefore, Order, Psc, Rseq, Rules};
    use Term::{Both, Closure, Co, Inverse, Of, Po, Rf, SameLocation, ScFence, Sequence, Union, Without};
    use std::sync::Arc;

    fn kept(term: Term) -> &'static Term {
        Box::leak(Box::new(term))
    }

    fn union(terms: Vec<Term>) -> Term {
        Union(terms.leak())
    }

    fn axiom(name: &'static str, demands: Vec<Demand>) -> Axiom {
        Axiom { name, meaning: "", demands: demands.leak() }
    }

    /// What the choices say, as rules and as formulas.
    fn rules(
        happens_before: Option<HappensBefore>,
        buffers: Option<Buffers>,
        local: Option<bool>,
        global: Option<bool>,
        (causality, psc, orders_fences): (bool, Option<Along>, bool),
    ) -> Rules {
        let porf = || union(if orders_fences { vec![Po, Rf, ScFence] } else { vec![Po, Rf] });
        let hb = happens_before.map(|hb| if hb == HappensBefore::Porf { Closure(kept(porf())) } else { hb.term() });
        let on_location = |term: Term| Both(kept(term), &SameLocation);
        let irreflexive = |hb: Option<Term>| hb.map(Demand::Irreflexive);
        let of_writes = |term: Term| Sequence(vec![Of(Set::Writes), term, Of(Set::Writes)].leak());
        let is_synchronised = matches!(happens_before, Some(HappensBefore::Synchronised(_)));
        let local = local.map(|has_fr| {
            let order = match hb {
                _ if !has_fr => {
                    vec![Demand::Empty(Without(kept(of_writes(on_location(hb.unwrap_or(Po)))), &Co))]
                }
                Some(hb) if is_synchronised => {
                    vec![Demand::Irreflexive(ECO), Demand::Irreflexive(Sequence(vec![ECO, hb].leak()))]
                }
                Some(hb) => vec![Demand::Acyclic(union(vec![on_location(hb), Co, FR]))],
                None => vec![Demand::Acyclic(Union(&[PO_LOC, Rf, Co, FR]))],
            };
            Order { has_fr, axiom: axiom("local", irreflexive(hb).into_iter().chain(order).collect()) }
        });
        let global = global.map(|has_fr| {
            let mut terms = match buffers {
                Some(buffers) => vec![buffers.preserved_po(), RFE],
                None => vec![hb.filter(|_| !is_synchronised).unwrap_or(Po), Rf],
            };
            terms.push(Co);
            terms.extend(has_fr.then_some(FR));
            Order { has_fr, axiom: axiom("global", vec![Demand::Acyclic(union(terms))]) }
        });
        let causality = hb.filter(|_| causality).map(|hb| {
            let overwritten = Sequence(vec![Inverse(&Rf), on_location(hb), Of(Set::Writes), hb].leak());
            axiom("causality", vec![Demand::Irreflexive(hb), Demand::Irreflexive(overwritten)])
        });
        let psc = psc.map(|along| {
            let mut of_models = Model::ALL.into_iter().filter_map(|model| model.rules().psc);
            let axiom = of_models.find(|psc| psc.along == along).expect("a model has it").axiom;
            Psc { along, alone: Model::STRONGEST, axiom }
        });
        Rules { happens_before, buffers, local, global, causality, psc, orders_fences }
    }

    /// All that have no flaw.
    fn all() -> Vec<Model> {
        let mut found = Vec::new();
        let hbs = [Rseq::OfThreads, Rseq::OfUpdates].map(HappensBefore::Synchronised);
        let orders = [None, Some(true), Some(false)];
        for hb in [None, Some(HappensBefore::Porf)].into_iter().chain(hbs.map(Some)) {
            for buffers in [None, Some(Buffers::OfThreads), Some(Buffers::OfLocations)] {
                for (local, global) in orders.into_iter().flat_map(|local| orders.map(|global| (local, global))) {
                    for psc in [None, Some(Along::Scb), Some(Along::Shb)] {
                        for (causality, fences) in [(false, false), (true, false), (false, true), (true, true)] {
                            let rules = rules(hb, buffers, local, global, (causality, psc, fences));
                            if rules.flaw().is_some() || causality && rules.causality.is_none() {
                                continue;
                            }
                            let name = format!(
                                "hb {hb:?}, {buffers:?}, {local:?}, {global:?}, {causality}, psc {psc:?}, {fences}"
                            );
                            let name = name.leak();
                            let definition = Definition { name, title: name, rules, ..Definition::NONE };
                            found.push(Model::new(Box::leak(Box::new(definition))));
                        }
                    }
                }
            }
        }
        found
    }

    #[test]
    fn models_of_others_are_their_definitions() {
        let models = all();
        assert_eq!(models.len(), 19);
        let (seeds, mut inconsistent, mut rounds) = (seeds(300), vec![0; models.len()], 0);
        for_all(seeds, |program| {
            let code = Arc::new(Code::compile(program).map_err(|error| error.to_string())?);
            let limits = Limits { unroll: UNROLL, ..Limits::default() };
            // Without co, rounds that write what they read count.
            let rewriting = code.as_ref().clone().where_rewriting_counts();
            let listed = [&rewriting, &*code].map(|code| candidates_up_to(2_000, code, limits));
            let [Ok(without_co), Ok(with_co)] = listed else { return Ok(()) };
            let listed = [without_co, with_co];
            let options = Options { limits, leave_out_waits: false, ..Options::default() };
            for (inconsistent, &model) in inconsistent.iter_mut().zip(&models) {
                let candidates = &listed[usize::from(model.rules().has_co())];
                let context = |what: &str| format!("{model}: {what}");
                let (mut complete, mut with_co) = (0, 0);
                for graph in candidates {
                    let orders = brute_force::coherence_orders(model, graph);
                    *inconsistent += usize::from(orders.is_empty());
                    if model.is_consistent(graph) == orders.is_empty() {
                        return Err(context(&format!("verdict of {graph:#?}")));
                    }
                    complete += u64::from(!orders.is_empty());
                    with_co += orders.len() as u64;
                }
                // Each by one algorithm at a time.
                rounds += 1;
                let algorithms = [[Algorithm::Trust, Algorithm::TrustCo], [Algorithm::Genmc, Algorithm::GenmcCo]];
                for (algorithm, right) in algorithms[rounds % 2].into_iter().zip([complete, with_co]) {
                    let mut explorer =
                        algorithm.explorer(Arc::clone(&code), model, options).map_err(|error| error.to_string())?;
                    while explorer.advance() != Step::Done {}
                    if explorer.counts().executions() != right {
                        let counts = explorer.counts();
                        return Err(context(&format!("{algorithm:?} finds {counts:?}, not {right} executions")));
                    }
                }
            }
            Ok(())
        });
        println!("{rounds} {inconsistent:?}");
        assert!(inconsistent.iter().all(|&count| count > 20), "{inconsistent:?}");
    }
}
