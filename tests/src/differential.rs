//! Algorithms against the oracle.

use crate::random::CAP;
use litmoscope::explore::brute_force::{self, candidates_up_to};
use litmoscope::explore::{Algorithm, Options, Step};
use litmoscope::graph::{CanonicalExecution, EventKey};
use litmoscope::model::Model;
use litmoscope::program::{Code, Program};
use litmoscope::testing::seeds;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// An execution, with its co from algorithms that choose one, whatever order its events were added in.
pub type Found = (CanonicalExecution, Option<Vec<Vec<EventKey>>>);

/// What an algorithm finds, and how often something was found again.
///
/// # Panics
/// If the algorithm can't explore the program, or did not notice that it found something again.
pub fn found(algorithm: Algorithm, model: Model, code: &Arc<Code>, options: Options) -> (BTreeSet<Found>, u64) {
    let mut explorer = algorithm.explorer(Arc::clone(code), model, options).expect("it takes every program");
    let (mut found, mut again) = (BTreeSet::new(), 0);
    loop {
        match explorer.advance() {
            Step::Execution { .. } => {
                let graph = explorer.execution();
                let co = explorer.coherence().map(|co| graph.canonical_coherence(co));
                again += u64::from(!found.insert((graph.canonical(), co)));
            }
            Step::Done => break,
            _ => {}
        }
    }
    // Those that remember nothing notice nothing.
    if !algorithm.has_walk() {
        assert_eq!(again, explorer.counts().duplicates, "the explorer does not notice its duplicates");
    }
    (found, again)
}

/// A test of one program.
pub type Check<'a> = &'a mut dyn FnMut(&Program) -> Result<(), String>;

/// Every algorithm against the oracle on what `change` makes of random programs: the same set of executions, none twice,
/// under every model.
///
/// # Panics
/// If any finds something else.
pub fn compare(options: Options, change: fn(&Program) -> Option<Program>, all: fn(Range<u64>, Check<'_>)) {
    let seeds = seeds(1_000);
    let (mut skipped, mut failures, mut executions) = (0, 0, [0; Model::ALL.len()]);
    all(seeds.clone(), &mut |program| {
        let Some(program) = change(program) else { return Ok(()) };
        let code = Arc::new(Code::compile(&program).map_err(|error| error.to_string())?);
        let Ok(candidates) = candidates_up_to(CAP, &code, options) else {
            skipped += 1;
            return Ok(());
        };
        for (index, model) in Model::ALL.into_iter().enumerate() {
            let (mut plain, mut with_co) = (BTreeSet::new(), BTreeSet::new());
            for graph in &candidates {
                let orders = brute_force::coherence_orders(model, graph);
                if brute_force::consistent(model, graph) == orders.is_empty() {
                    return Err(format!("{model:?}: consistent, or not, with {} coherence orders", orders.len()));
                }
                // Models do not ask whether somebody waits for nothing.
                if !orders.is_empty() && orders.len() as u64 != model.coherence_count(graph) {
                    return Err(format!("{model:?}: {} coherence orders", orders.len()));
                }
                plain.extend((!orders.is_empty()).then(|| (graph.canonical(), None)));
                with_co.extend(orders.iter().map(|co| (graph.canonical(), Some(graph.canonical_coherence(co)))));
            }
            executions[index] += with_co.len();
            failures += plain.iter().flat_map(|(graph, _)| graph).filter(|(.., fails)| *fails).count();
            let others = Algorithm::all_that_see_all().filter(|algorithm| *algorithm != Algorithm::BruteForce);
            let can = |algorithm: &Algorithm| options.validate_for_program(*algorithm, model, &code).is_ok();
            for algorithm in others.filter(can) {
                let expected = if algorithm.tracks_co() { &with_co } else { &plain };
                let (found, again) = found(algorithm, model, &code, options);
                if again > 0 {
                    return Err(format!("{algorithm:?} under {model:?}: {again} duplicates"));
                }
                if found != *expected {
                    let lost: Vec<_> = expected.difference(&found).take(1).collect();
                    let wrong: Vec<_> = found.difference(expected).take(1).collect();
                    let numbers = (expected.len(), found.len());
                    return Err(format!(
                        "{algorithm:?} under {model:?}: {numbers:?}, lost {lost:#?}, wrong {wrong:#?}"
                    ));
                }
            }
        }
        Ok(())
    });
    println!("seeds {seeds:?}, {skipped} skipped; executions by model {executions:?}, {failures} spurious failures");
    assert_eq!(failures > 0, options.spurious);
    assert!(skipped * 10 < seeds.end - seeds.start, "too many programs are too large");
}
