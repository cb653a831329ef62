use super::core::{Core, Kind, Mutation};
use crate::explore::runs::RunExplorer;
use crate::explore::runs::testing::{found, parse, same, small, traces, walk_as_steps};
use crate::explore::{Algorithm, Counts, Explorer, Options, Step};
use crate::model::Model;
use crate::program::{Code, Program};
use crate::testing::{for_all, for_all_clients, seeds, weak_swaps};
use std::sync::Arc;

const BOTH: [Kind; 2] = [Kind::Source, Kind::Optimal];

/// Both find what TruSt (co) finds, once each; Optimal-DPOR begins nothing in vain.
fn agree(program: &Program, model: Model, options: Options) -> Result<(), String> {
    let code = Arc::new(Code::compile(program).map_err(|error| error.to_string())?);
    let mut trust = Algorithm::TrustCo.lazy_explorer(Arc::clone(&code), model, options);
    let expected = found(&mut *trust)?;
    for kind in BOTH {
        let mut dpor = RunExplorer::new(Core::new(Arc::clone(&code), model, options, kind));
        same(&mut dpor, &expected, trust.counts()).map_err(|error| format!("{kind:?} under {model}: {error}"))?;
        let counts = dpor.counts();
        if kind == Kind::Optimal && counts.dropped > 0 {
            return Err(format!("{kind:?} under {model}: {} in vain", counts.dropped));
        }
    }
    Ok(())
}

const MODELS: [Model; 3] = [Model::SC, Model::TSO, Model::PSO];

#[test]
fn random_programs_are_explored_as_by_trust() {
    for model in MODELS {
        for_all(seeds(300), |program| agree(program, model, small()));
    }
}

#[test]
fn random_weak_swaps_are_explored_as_by_trust() {
    for seed in seeds(200) {
        let text = weak_swaps(seed);
        let program = parse(&text).0;
        for model in MODELS {
            let agreed = agree(&program, model, Options { spurious: true, ..small() });
            assert_eq!(agreed, Ok(()), "seed {seed}: {text}");
        }
    }
}

/// Outcomes of weak compare-and-swaps, with those of others.
#[test]
fn either_outcome_meets_all_others() {
    let table = [
        ("a := wcas(x, 0, 1)", 2),
        ("a := wcas(x, 1, 1)", 1),
        ("a := wcas(x, 0, 1) || b := wcas(x, 0, 2)", 5),
        ("a := wcas(x, 0, 1) || b := x", 3),
        ("a := wcas(x, 0, 0); b := wcas(x, 0, 0)", 4),
    ];
    for (text, expected) in table {
        for kind in BOTH {
            for model in MODELS {
                let options = Options { spurious: true, ..Options::default() };
                let mut dpor = RunExplorer::new(Core::new(parse(text).1, model, options, kind));
                let number = found(&mut dpor).map(|found| found.len());
                assert_eq!(number, Ok(expected), "{kind:?} under {model}: {text}");
            }
        }
    }
    for text in [
        // Lost once: success sleeps, and is awake behind a read only.
        "a := y; x := 0 || b := wcas(y, 0, 0) || c := x || d := y",
        // Lost once: a race that was seen before leads elsewhere once the run is another one before it.
        "a := y || b := wcas(x, 0, 1) || c := x || d := wcas(y, 0, 0); y := 0",
    ] {
        for model in MODELS {
            let options = Options { spurious: true, ..Options::default() };
            assert_eq!(agree(&parse(text).0, model, options), Ok(()), "{text}");
        }
    }
}

#[test]
fn random_clients_are_explored_as_by_trust() {
    for model in MODELS {
        for_all_clients(seeds(300), |program| agree(program, model, small()));
    }
}

fn counts(text: &str, model: Model, kind: Kind, mutation: Mutation) -> Counts {
    let (_, code) = parse(text);
    let mut dpor = RunExplorer::new(Core::new(code, model, Options::default(), kind).mutated(mutation));
    while dpor.advance() != Step::Done {}
    dpor.counts()
}

#[test]
fn traces_are_as_many_as_printed() {
    for (text, expected) in traces() {
        for kind in BOTH {
            let counts = counts(&text, Model::SC, kind, Mutation::default());
            assert_eq!(counts.executions(), expected, "{kind:?}: {text}");
            assert!(kind == Kind::Source || counts.dropped == 0, "{text}");
        }
    }
}

/// Seeds that once failed.
#[test]
fn a_read_of_its_own_store_is_not_before_what_comes_to_memory_first() {
    for text in [
        "x := 1 || y := 1; a := x; b := y || fai(y)",
        "a := x; if a != 0 then { x := 1; b := y }; c := x || x := 1; y := 1 || x := 1",
    ] {
        for model in MODELS {
            assert_eq!(agree(&parse(text).0, model, Options::default()), Ok(()), "{text}");
        }
    }
}

/// Shasha-Snir traces under SC, TSO and PSO.
#[test]
fn store_buffers_make_traces() {
    let table = [
        ("x := 1; a := y || y := 1; b := x", [3, 4, 4]),
        ("x := 1; y := 1 || a := y; b := x", [3, 3, 4]),
        ("x := 1; a := x; b := y || y := 1; c := y; d := x", [3, 4, 4]),
        ("x := 10 || fai(x)", [2, 2, 2]),
        ("x := 1; fence rel; y := 1 || a := y; b := x", [3, 3, 3]),
    ];
    for (text, expected) in table {
        for (model, expected) in MODELS.into_iter().zip(expected) {
            for kind in BOTH {
                let counts = counts(text, model, kind, Mutation::default());
                assert_eq!(counts.executions(), expected, "{kind:?} under {model}: {text}");
            }
        }
    }
}

/// Source-DPOR begins runs in vain where Optimal-DPOR does not.
#[test]
fn only_source_sets_block() {
    let text = "x := 1 || y := 1 || a := y; if a = 0 then b := x || c := z; d := y; if c = 1 then if d = 0 then x := 2 || z := 1";
    let of = |kind| counts(text, Model::SC, kind, Mutation::default());
    let numbers = BOTH.map(|kind| (of(kind).executions(), of(kind).dropped));
    assert_eq!(numbers, [(17, 6), (17, 0)]);
}

#[test]
fn what_breaks_an_algorithm_is_noticed() {
    let text = "x := 1 || x := 2 || a := x || y := 1";
    for kind in BOTH {
        let of = |mutation| counts(text, Model::SC, kind, mutation).executions();
        assert_eq!(of(Mutation::default()), 6, "{kind:?}");
        assert_eq!(of(Mutation { no_reversal: true, ..Mutation::default() }), 1, "{kind:?}");
        let text = "x := 1 || y := 1 || a := x; b := y || c := y; d := x";
        let of = |mutation| counts(text, Model::SC, kind, mutation).executions();
        assert_eq!(of(Mutation::default()), 15, "{kind:?}");
        assert!(of(Mutation { no_sleep: true, ..Mutation::default() }) > 15, "{kind:?}");
        let deadlock = "lock m; lock n || lock n; lock m";
        let of = |mutation| counts(deadlock, Model::SC, kind, mutation).executions();
        assert_eq!(of(Mutation::default()), 3, "{kind:?}");
        assert!(of(Mutation { no_waiting: true, ..Mutation::default() }) <= 3, "{kind:?}");
        let held = "lock m || lock m";
        let of = |mutation| counts(held, Model::SC, kind, mutation).executions();
        assert_eq!(of(Mutation::default()), 2, "{kind:?}");
        assert_eq!(of(Mutation { no_waiting: true, ..Mutation::default() }), 1, "{kind:?}");
    }
}

/// However often it is paused, a walk counts and finds what the explorer does.
#[test]
fn walks_find_what_explorers_do() {
    let check = |program: &Program| {
        let code = Arc::new(Code::compile(program).map_err(|error| error.to_string())?);
        for (model, kind) in MODELS.into_iter().flat_map(|model| BOTH.map(|kind| (model, kind))) {
            for options in [small(), Options { stop_at_first: true, ..small() }] {
                let search = Core::new(Arc::clone(&code), model, options, kind);
                walk_as_steps(program, model, &search).map_err(|error| format!("{kind:?} under {model}: {error}"))?;
            }
        }
        Ok(())
    };
    for_all(0..60, check);
    for_all_clients(0..60, check);
}
