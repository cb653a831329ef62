//! Exact numbers for programs with mutexes and channels, under every model.

use litmoscope::explore::{Algorithm, Counts, Coverage, Fault, Options, Results, Step, Verdict};
use litmoscope::model::Model;
use litmoscope::program::Code;
use litmoscope_tests::program;
use std::sync::Arc;

/// What a whole exploration counts and finds, checked not to be the same twice.
fn explore(text: &str, model: Model, algorithm: Algorithm) -> (Counts, Results) {
    let (program, code) = program(text);
    let code = Arc::new(code);
    let mut explorer =
        algorithm.explorer(Arc::clone(&code), model, Options::default()).unwrap_or_else(|why| panic!("{text}: {why}"));
    let mut results = Results::new(&program);
    loop {
        let step = explorer.advance();
        results.observe(&program, &code, model, &*explorer, step);
        if step == Step::Done {
            break;
        }
    }
    let counts = explorer.counts();
    assert_eq!(counts.duplicates, 0, "{text} under {model}");
    (counts, results)
}

/// The models that order accesses of different locations.
fn ordering() -> impl Iterator<Item = Model> {
    Model::ALL.into_iter().filter(|model| model.rules().orders_locations())
}

/// Executions, and of these, those that are blocked; the blocked ones are all deadlocks.
fn expect(text: &str, executions: u64, blocked: u64) {
    for model in Model::ALL {
        for algorithm in [Algorithm::Genmc, Algorithm::BruteForce] {
            let (counts, results) = explore(text, model, algorithm);
            let found = (counts.executions(), counts.blocked, counts.stuck_for_good);
            assert_eq!(found, (executions, blocked, blocked), "{text} under {model} by {}", algorithm.title());
            assert_eq!(results.faults().any(|(fault, _)| matches!(fault, Fault::StuckForGood(_))), blocked > 0);
        }
    }
}

/// Kokologiannakis, Raad and Vafeiadis, "Model Checking for Weakly Consistent Libraries" (PLDI 2019): LOCK/2 has 2
/// executions; the other numbers are those of interleaving the threads.
#[test]
fn mutexes() {
    let section = |mutex: &str| format!("lock {mutex}; unlock {mutex}");
    for (threads, executions) in [(1, 1), (2, 2), (3, 6)] {
        expect(&vec![section("m"); threads].join(" || "), executions, 0);
    }
    expect("lock m || lock m", 2, 2);
    expect("lock m || lock m || lock m", 3, 3);
    expect("lock m; unlock m || lock m", 2, 1);
    expect("lock m; unlock m || lock m; unlock m || lock m", 5, 3);
    expect("lock m; unlock m; lock m; unlock m || lock m; unlock m", 3, 0);
    expect("lock m; unlock m; lock m; unlock m || lock m; unlock m; lock m; unlock m", 6, 0);
    expect("lock l; lock m; unlock m; unlock l || lock m; lock l; unlock l; unlock m", 3, 1);
    expect("lock l; lock m; unlock m; unlock l || lock m; lock l; unlock l; unlock m || lock l; unlock l", 8, 2);
    expect("lock m; lock m", 1, 1);
    expect("lock m || lock m || lock m; unlock m", 4, 4);
}

/// Nested critical sections, of which the algorithm as published loses executions.
#[test]
fn nested_mutexes() {
    for (text, executions) in [
        ("lock m; unlock m; lock m; unlock m || lock m; lock l; unlock l; unlock m || lock l; unlock l", 6),
        ("lock l; unlock l; lock m; unlock m || lock m; lock l; unlock l; unlock m || lock l; unlock l", 9),
        (
            "lock l; unlock l; lock m; unlock m || lock l; lock m; unlock m; unlock l || lock m; unlock m; lock l; unlock l",
            17,
        ),
    ] {
        for model in Model::ALL {
            for algorithm in [Algorithm::Genmc, Algorithm::BruteForce] {
                let (counts, _) = explore(text, model, algorithm);
                assert_eq!((counts.complete, counts.executions()), (executions, executions), "{text} under {model}");
            }
        }
    }
}

/// A counter behind a mutex: each order of the threads is one execution, and no increment is lost.
#[test]
fn protected_counters() {
    for (threads, executions) in [(1, 1), (2, 2), (3, 6), (4, 24), (5, 120)] {
        let threads = vec!["lock m; r := x; x := r + 1; unlock m"; threads];
        let text = format!("{}\nforall (x = {})", threads.join(" || "), threads.len());
        for model in ordering() {
            let (counts, results) = explore(&text, model, Algorithm::Genmc);
            assert_eq!((counts.complete, counts.executions()), (executions, executions), "{text} under {model}");
            let (program, _) = program(&text);
            assert_eq!(results.verdict(&program, Coverage::Whole), Verdict::Ok, "{text} under {model}");
        }
    }
}

/// Mutual exclusion and hand-over make non-atomic accesses free of races, and weak ones sequentially consistent; without
/// the mutex, or with two, they are not.
#[test]
fn mutexes_order_memory() {
    let with = |first: &str, second: &str| {
        format!(
            "shared x, y, l, m\nlock {first}; x :=na 1; y :=na 1; unlock {first} \
             || lock {second}; a :=na y; b :=na x; unlock {second}\n~exists (a = 1 /\\ b = 0)"
        )
    };
    for model in ordering() {
        let (counts, results) = explore(&with("m", "m"), model, Algorithm::Genmc);
        assert_eq!((counts.complete, counts.executions()), (2, 2), "{model}");
        let (program, _) = program(&with("m", "m"));
        assert_eq!(results.verdict(&program, Coverage::Whole), Verdict::Ok, "{model}");
    }
    let (counts, _) = explore(&with("l", "m"), Model::RC11, Algorithm::Genmc);
    assert_eq!(counts.complete, 0, "every execution has a race");
    let (counts, results) = explore(&with("l", "m"), Model::PSO, Algorithm::Genmc);
    assert_eq!(counts.complete, 4);
    assert_eq!(results.outcomes().filter(|(_, outcome)| outcome.satisfies == Some(true)).count(), 1);
}

/// One place: sends and receives alternate, in the order of the sends.
#[test]
fn channels() {
    expect("send(c, 1); send(c, 2) || a := receive(c); b := receive(c)", 1, 0);
    expect("send(c, 1) || send(c, 2) || a := receive(c); b := receive(c)", 2, 0);
    expect("send(c, 1) || send(c, 2) || a := receive(c)", 2, 0);
    expect("send(c, 1); send(c, 2) || a := receive(c) || b := receive(c)", 2, 0);
    expect("a := receive(c)", 1, 1);
    expect("send(c, 1); send(c, 2)", 1, 1);
    expect("send(c, 1) || send(c, 2)", 2, 2);
    expect("send(c, 1); a := receive(d) || b := receive(c); send(d, b + 1)", 1, 0);
    expect("a := receive(d); send(c, 1) || b := receive(c); send(d, 1)", 1, 1);
    let text = "send(c, 1); send(c, 2) || a := receive(c); b := receive(c)\nforall (a = 1 /\\ b = 2)";
    let (program, _) = program(text);
    for model in Model::ALL {
        let (_, results) = explore(text, model, Algorithm::Genmc);
        assert_eq!(results.verdict(&program, Coverage::Whole), Verdict::Ok, "{model}");
    }
}

/// What was written before a send is seen after its receive, and what was written before a receive after the send that
/// it makes room for.
#[test]
fn channels_order_memory() {
    for text in [
        "shared x, c\nx :=na 1; send(c, 0) || r := receive(c); a :=na x\nforall (a = 1)",
        "shared x, c\nsend(c, 0); send(c, 0); a :=na x || x :=na 1; r := receive(c); s := receive(c)\nforall (a = 1)",
    ] {
        let (program, _) = program(text);
        for model in ordering() {
            let (counts, results) = explore(text, model, Algorithm::Genmc);
            assert_eq!((counts.complete, counts.executions()), (1, 1), "{text} under {model}");
            assert_eq!(results.verdict(&program, Coverage::Whole), Verdict::Ok, "{text} under {model}");
        }
    }
}

/// Under a model that orders nothing but the accesses of each location, operations of a mutex come one after the other, and
/// what stands between them is seen late or never.
#[test]
fn coherence_alone_orders_no_memory() {
    let text = "lock m; r := x; x := r + 1; unlock m || lock m; r := x; x := r + 1; unlock m\nforall (x = 2)";
    let (program, _) = program(text);
    for model in Model::ALL.into_iter().filter(|model| !model.rules().orders_locations()) {
        let (counts, results) = explore(text, model, Algorithm::Genmc);
        assert!(counts.complete > 2, "{model}");
        assert_eq!(results.verdict(&program, Coverage::Whole), Verdict::Violated, "{model}");
    }
}

/// An unlock by a thread that does not hold the mutex ends the thread with an error.
#[test]
fn ill_use() {
    for (text, complete, blocked, erroneous) in [
        ("unlock m", 0, 0, 1),
        ("lock m || unlock m", 0, 0, 1),
        ("lock m; unlock m; unlock m", 0, 0, 1),
        ("lock m; unlock m || lock m; unlock m; unlock m", 0, 0, 2),
        ("unlock m || lock m || lock m || lock m", 0, 0, 3),
        ("shared x, m\na := x; if a = 1 then unlock m || x := 1", 1, 0, 1),
    ] {
        for model in Model::ALL {
            for algorithm in [Algorithm::Genmc, Algorithm::BruteForce] {
                let (counts, results) = explore(text, model, algorithm);
                let found = (counts.complete, counts.blocked, counts.erroneous);
                assert_eq!(found, (complete, blocked, erroneous), "{text} under {model}");
                assert_eq!(counts.stuck_for_good, 0, "{text}");
                assert!(results.faults().all(|(fault, _)| matches!(fault, Fault::Error(..))), "{text}");
            }
        }
    }
}

/// A thread that waits for one that is stuck at an assumption or was cut at a bound is blocked, but in no deadlock.
#[test]
fn waiting_without_deadlock() {
    for text in ["lock m; assume 0 || lock m", "lock m; while 1 { } || lock m"] {
        let (counts, results) = explore(text, Model::SC, Algorithm::Genmc);
        assert_eq!((counts.executions(), counts.blocked, counts.stuck_for_good), (2, 2, 1), "{text}");
        let deadlocks: Vec<_> = results.faults().collect();
        let [(Fault::StuckForGood(waits), sighting)] = &deadlocks[..] else { panic!("{text}: {deadlocks:?}") };
        assert_eq!((waits.len(), waits[0].thread, sighting.count), (1, 0, 1), "{text}");
    }
}

/// One object is one thing.
#[test]
fn mixed_use_is_refused() {
    for (text, place, message) in [
        ("lock x; x := 1", (1, 9), "`x` is used as memory here and as a mutex in line 1: it has to be one of them"),
        (
            "a := fai(x) || lock x",
            (1, 21),
            "`x` is used as a mutex here and as memory in line 1: it has to be one of them",
        ),
        (
            "lock x; send(x, 1)",
            (1, 14),
            "`x` is used as a channel here and as a mutex in line 1: it has to be one of them",
        ),
        (
            "shared m = 1\nlock m",
            (1, 8),
            "`m` is a mutex and can't have an initial value: mutexes start free and channels empty",
        ),
    ] {
        let program = litmoscope::syntax::parse(text).expect("it can be read").program;
        let error = Code::compile(&program).expect_err("it can't be explored");
        assert_eq!(error.to_string(), message, "{text}");
        assert_eq!((error.span().line, error.span().column), place, "{text}");
    }
}
