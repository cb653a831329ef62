//! The numbers of executions that other model checkers count.
//!
//! `LITMOSCOPE_PEERS` is the largest number of executions to explore step by step for one line of the table; 5,000 unless told
//! otherwise, and 3,000,000 is all of it.

use litmoscope::explore::{Algorithm, Counts, ExecutionKind, Options, Pause, Step, Work};
use litmoscope::graph::Execution;
use litmoscope::model::Model;
use litmoscope::program::Limits;
use litmoscope_tests::peers::{COLUMNS, Peer, Size, peers, waiting};
use litmoscope_tests::program;
use std::sync::Arc;

fn limit() -> u64 {
    std::env::var("LITMOSCOPE_PEERS").map_or(5_000, |limit| limit.parse().expect("LITMOSCOPE_PEERS is a number"))
}

/// Each program at each size that is not too large.
fn for_each(check: impl Fn(&Peer, &Size)) {
    for peer in peers() {
        for size in peer.sizes.iter().filter(|size| size.coherence.iter().flatten().all(|&count| count <= limit())) {
            check(&peer, size);
        }
    }
}

/// Explores a program, calling `visit` with each complete execution.
fn explore(peer: &Peer, size: &Size, model: Model, algorithm: Algorithm, mut visit: impl FnMut(&Execution)) -> Counts {
    let (_, code) = program(&(peer.text)(size.n));
    let limits = Limits { unroll: (peer.unroll)(size.n), ..Limits::default() };
    let options = Options { limits, ..Options::default() };
    let mut explorer = algorithm.explorer(Arc::new(code), model, options).expect("it takes every program");
    loop {
        match explorer.advance() {
            Step::Execution { kind: ExecutionKind::Complete, .. } => visit(explorer.execution()),
            Step::Done => break,
            _ => {}
        }
    }
    let counts = explorer.counts();
    let name = format!("{}({}) under {}", peer.name, size.n, model.title());
    assert_eq!((counts.erroneous, counts.bounded, counts.duplicates), (0, 0, 0), "{name}");
    if !matches!(peer.name, "spinlock" | "lamport") {
        assert_eq!(counts.blocked, 0, "{name}");
    }
    counts
}

#[test]
fn plain_executions_and_their_orders_are_as_many_as_others_count() {
    for_each(|peer, size| {
        for (model, expected) in COLUMNS.into_iter().zip(size.coherence) {
            let Some(expected) = expected else { continue };
            let mut orders = 0;
            let counts = explore(peer, size, model, Algorithm::Genmc, |graph| orders += model.coherence_count(graph));
            let name = format!("{}({}) under {}", peer.name, size.n, model.title());
            assert_eq!(orders, expected, "coherence orders of {name}");
            if let Some(plain) = size.plain.filter(|_| model == Model::SC) {
                assert_eq!(counts.complete, plain, "{name}");
            }
        }
    });
}

#[test]
fn executions_with_co_are_as_many_as_others_count() {
    for_each(|peer, size| {
        for (model, expected) in COLUMNS.into_iter().zip(size.coherence) {
            let Some(expected) = expected else { continue };
            let counts = explore(peer, size, model, Algorithm::GenmcCo, |_| {});
            assert_eq!(counts.complete, expected, "{}({}) under {}", peer.name, size.n, model.title());
        }
    });
}

/// What is found in the fast way that large runs take.
fn walk(peer: &Peer, size: &Size, model: Model, algorithm: Algorithm, leave_out_waits: bool) -> Counts {
    let (program, code) = program(&((peer.text)(size.n) + "\nforall true"));
    let limits = Limits { unroll: (peer.unroll)(size.n), ..Limits::default() };
    let options = Options { limits, leave_out_waits, ..Options::default() };
    let walk = algorithm.walk(Arc::new(code), Arc::new(program), model, options, &Work::default());
    let mut walk = walk.expect("it has walks");
    while walk.run(u64::MAX) == Pause::Steps {}
    walk.counts()
}

/// Locks, a stack and a queue: as many, and nobody waits in vain.
#[test]
fn those_that_wait_have_no_blocked_executions() {
    for peer in waiting() {
        for size in peer.sizes.iter().filter(|size| size.coherence[2].is_some_and(|count| count < 100_000)) {
            for algorithm in [Algorithm::Trust, Algorithm::TrustCo] {
                let counts = walk(&peer, size, Model::RC11, algorithm, true);
                let found = (counts.complete, counts.blocked, counts.erroneous, counts.bounded);
                let expected = size.coherence[2].expect("it is known");
                assert_eq!(found, (expected, 0, 0, 0), "{}({}) by {algorithm:?}", peer.name, size.n);
            }
        }
    }
}

/// As above, in the fast way: all of the table.
#[test]
fn walks_count_as_many() {
    for peer in peers() {
        for size in &peer.sizes {
            for (model, expected) in COLUMNS.into_iter().zip(size.coherence) {
                let name = format!("{}({}) under {}", peer.name, size.n, model.title());
                if let Some(expected) = expected {
                    let counts = walk(&peer, size, model, Algorithm::TrustCo, false);
                    assert_eq!((counts.complete, counts.erroneous, counts.bounded), (expected, 0, 0), "{name}");
                }
                if let Some(expected) = size.plain.filter(|_| model == Model::SC) {
                    let counts = walk(&peer, size, model, Algorithm::Trust, false);
                    assert_eq!((counts.complete, counts.erroneous, counts.bounded), (expected, 0, 0), "{name}, plain");
                }
            }
        }
    }
}

/// Where others count otherwise on purpose: what `book/src/questions/bounds.md` says of the smallest programs.
#[test]
fn documented_differences_are_as_documented() {
    let count = |text: &str, model: Model, options: Options| {
        let (_, code) = program(text);
        let mut explorer =
            Algorithm::Genmc.explorer(Arc::new(code), model, options).expect("GenMC takes every program");
        while explorer.advance() != Step::Done {}
        let counts = explorer.counts();
        (counts.complete, counts.blocked, counts.erroneous)
    };
    let usual = Options::default();
    let spurious = Options { spurious: true, ..usual };
    assert_eq!(count("while x = 0 {} || x := 1", Model::SC, usual), (1, 1, 0));
    assert_eq!(count("x :=na 1 || x :=na 2", Model::RC11, usual), (0, 0, 1));
    assert_eq!(count("wcas(x, 0, 1)", Model::RC11, usual), (1, 0, 0));
    assert_eq!(count("wcas(x, 0, 1)", Model::RC11, spurious), (2, 0, 0));
    let failing = "x := 1; cas(z, 1, 2); a := y || y := 1; cas(w, 1, 2); b := x";
    assert_eq!(count(failing, Model::TSO, usual), (3, 0, 0));
    let sb = "x :=sc 1; a :=sc y || y :=sc 1; b :=sc x";
    assert_eq!((count(sb, Model::TSO, usual), count(sb, Model::RC11, usual)), ((4, 0, 0), (3, 0, 0)));
    assert_eq!(count("x := 10 || fai(x)", Model::TSO, usual), (2, 0, 0));
}
