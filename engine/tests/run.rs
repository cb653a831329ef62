//! Large explorations: cut into parts, walked through by many, bounded, interrupted, written down and gone on with.

#[path = "common/tree.rs"]
mod tree;

use litmoscope::explore::{Algorithm, Branch, Counts, Findings, Options, Pause, Work};
use litmoscope::model::Model;
use litmoscope::run::checkpoint::{self, CheckpointError, Subject};
use litmoscope::run::{Bounds, Estimator, Exploration, Foreign, Interruption, Outcome, Parts, run};
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};
use tree::{TEXT, Tree};

const SEED: u64 = 20_261_120;

fn bounds(threads: usize, max_executions: Option<u64>) -> Bounds {
    Bounds {
        threads: NonZeroUsize::new(threads).expect("more than none"),
        max_executions,
        tick: Duration::from_millis(1),
    }
}

/// With the order of what was found, which equality does not ask for.
fn text(findings: &Findings) -> String {
    serde_json::to_string(findings).expect("findings are plain data")
}

fn finish(tree: &Tree, parts: Parts, threads: usize, max: Option<u64>) -> Outcome {
    run(tree, parts, bounds(threads, max), &mut |_| None).expect("the parts are the tree's")
}

fn start(tree: &Tree) -> Parts {
    Parts::new(tree.nothing())
}

/// What a walk finds that is not cut, up to its n-th execution; and whether there are more.
fn first_executions(tree: &Tree, most: u64) -> (Findings, bool) {
    let mut walk = tree.walk(&Work::default()).expect("the whole is a part");
    let mut found = tree.nothing();
    while walk.counts().executions() < most {
        if walk.run(1) != Pause::Steps {
            return (walk.take_findings(), false);
        }
    }
    found.append(walk.take_findings());
    while walk.run(1) == Pause::Steps && walk.counts().executions() == 0 {}
    let more = walk.counts().executions() > 0;
    if !more {
        found.append(walk.take_findings());
    }
    (found, more)
}

#[test]
fn what_is_found_does_not_depend_on_who_walks_where() {
    for seed in SEED..SEED + 12 {
        let tree = Tree::new(seed, 17);
        let expected = text(&tree.findings());
        for threads in [1, 2, 3, 8] {
            let outcome = finish(&tree, start(&tree), threads, None);
            assert_eq!(outcome.interruption, None);
            assert_eq!(text(&outcome.findings(tree.nothing())), expected, "seed {seed}, {threads} threads");
        }
    }
}

/// Without threads: cut wherever it can be, at random.
#[test]
fn parts_make_the_whole() {
    for seed in SEED..SEED + 40 {
        let tree = Tree::new(seed, 14);
        let expected = text(&tree.findings());
        let mut random = seed;
        let mut works = vec![Work::default()];
        let mut found = tree.nothing();
        while let Some(work) = works.pop() {
            let mut walk = tree.walk(&work).expect("it is a part");
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let pause = walk.run(random >> 58);
            let later = walk.split();
            found.append(walk.take_findings());
            works.extend(later);
            if pause == Pause::Steps {
                works.extend(walk.work());
            }
        }
        assert_eq!(text(&found), expected, "seed {seed}");
    }
}

#[test]
fn the_first_error_of_the_tree_ends_it() {
    for seed in SEED..SEED + 20 {
        for errors in [40, 4000] {
            let tree = Tree::new(seed, 15).stop_at_first(errors);
            let expected = text(&tree.findings());
            for threads in [1, 2, 4] {
                let outcome = finish(&tree, start(&tree), threads, None);
                assert_eq!(text(&outcome.findings(tree.nothing())), expected, "seed {seed}, {threads} threads");
            }
        }
    }
}

#[test]
fn exactly_the_first_executions_count() {
    for seed in SEED..SEED + 8 {
        let tree = Tree::new(seed, 15);
        let all = tree.findings().counts.executions();
        for most in [1, 2, 77, all / 3, all - 1, all, all + 1].into_iter().filter(|&n| n > 0) {
            let (expected, more) = first_executions(&tree, most);
            assert_eq!(more, most < all);
            for threads in [1, 2, 4] {
                let outcome = finish(&tree, start(&tree), threads, Some(most));
                assert_eq!(outcome.interruption, more.then_some(Interruption::MaxExecutions));
                let again = outcome.parts.clone();
                let found = outcome.findings(tree.nothing());
                assert_eq!(text(&found), text(&expected), "seed {seed}, {threads} threads, {most} of {all}");
                // The same bound changes nothing, a larger one goes on.
                let same = finish(&tree, again.clone(), threads, Some(most));
                assert_eq!(text(&same.findings(tree.nothing())), text(&expected));
                let smaller = finish(&tree, again.clone(), threads, Some(most.div_ceil(2)));
                let (half, _) = first_executions(&tree, most.div_ceil(2));
                assert_eq!(text(&smaller.findings(tree.nothing())), text(&half));
                let larger = finish(&tree, again.clone(), threads, Some(most + 50));
                let (later, _) = first_executions(&tree, most + 50);
                assert_eq!(text(&larger.findings(tree.nothing())), text(&later));
                let rest = finish(&tree, again, threads, None);
                assert_eq!(text(&rest.findings(tree.nothing())), text(&tree.findings()));
            }
        }
    }
}

fn subject(tree: &Tree) -> Subject {
    let _ = tree;
    Subject::new(TEXT, Model::Rc11, Algorithm::Genmc, Options::default())
}

fn reread(tree: &Tree, bytes: &[u8]) -> Result<Parts, CheckpointError> {
    checkpoint::decode(&mut &*bytes, &subject(tree), &tree.program, &tree.code)
}

#[test]
fn an_interrupted_exploration_goes_on_where_it_was() {
    for seed in SEED..SEED + 6 {
        let tree = Tree::new(seed, 18);
        let expected = text(&tree.findings());
        for threads in [1, 2, 4] {
            let mut parts = start(&tree);
            for interrupted in 0.. {
                let mut looks = 0;
                let mut watch = |_: &litmoscope::run::Status| {
                    looks += 1;
                    (looks > 2).then_some(Interruption::Signal)
                };
                let outcome = run(&tree, parts, bounds(threads, None), &mut watch).expect("the parts are the tree's");
                if outcome.interruption.is_none() || interrupted == 100 {
                    parts = outcome.parts;
                    break;
                }
                let bytes = checkpoint::encode(&subject(&tree), &outcome.parts);
                parts = reread(&tree, &bytes).expect("it was written so");
            }
            let outcome = finish(&tree, parts, threads, None);
            assert_eq!(text(&outcome.findings(tree.nothing())), expected, "seed {seed}, {threads} threads");
        }
    }
}

/// Whatever is looked at while the exploration goes on can be gone on with.
#[test]
fn parts_fit_together_at_any_moment() {
    let tree = Tree::new(SEED, 18);
    let expected = text(&tree.findings());
    let mut seen = Vec::new();
    let mut last = Counts::default();
    let mut watch = |status: &litmoscope::run::Status| {
        if seen.len() < 20 {
            seen.push(status.parts(Parts::clone));
        }
        let counts = status.counts();
        assert!(counts.steps >= last.steps);
        last = counts;
        None
    };
    let outcome = run(&tree, start(&tree), bounds(4, None), &mut watch).expect("the parts are the tree's");
    assert_eq!(text(&outcome.findings(tree.nothing())), expected);
    for parts in seen {
        let outcome = finish(&tree, parts, 2, None);
        assert_eq!(text(&outcome.findings(tree.nothing())), expected);
    }
}

/// A checkpoint of an exploration that has found all kinds of things and is not over.
fn some_checkpoint(tree: &Tree) -> Vec<u8> {
    let mut parts = start(tree);
    parts = finish(tree, parts, 2, Some(400)).parts;
    assert!(!parts.is_over());
    checkpoint::encode(&subject(tree), &parts)
}

#[test]
fn damaged_checkpoints_are_refused() {
    let tree = Tree::new(SEED, 22);
    let good = some_checkpoint(&tree);
    assert!(reread(&tree, &good).is_ok());
    for length in (0..good.len()).step_by(7) {
        let error = reread(&tree, &good[..length]).expect_err("it is cut short");
        assert!(
            matches!(error, CheckpointError::NoCheckpoint | CheckpointError::Truncated { .. }),
            "{length}: {error}"
        );
    }
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 1 << (at % 8);
        if let Ok(parts) = reread(&tree, &bad) {
            // Another case of a digit of the checksum, or of white space, says the same.
            assert!(at < 80, "byte {at}");
            assert_eq!(checkpoint::encode(&subject(&tree), &parts), good);
        }
    }
    let mut longer = good.clone();
    longer.push(b' ');
    assert!(matches!(reread(&tree, &longer), Err(CheckpointError::Trailing)));
    for (other, what) in [
        (Subject { text: "x := 1".to_owned(), ..subject(&tree) }, "program"),
        (Subject { model: Model::Sc, ..subject(&tree) }, "memory model"),
        (Subject { algorithm: Algorithm::GenmcCo, ..subject(&tree) }, "algorithm"),
        (Subject { options: Options { no_races: true, ..Options::default() }, ..subject(&tree) }, "choice of options"),
        (Subject { engine: "0".to_owned(), ..subject(&tree) }, "version of Litmoscope"),
    ] {
        let error = checkpoint::decode(&mut good.as_slice(), &other, &tree.program, &tree.code);
        assert!(matches!(error, Err(CheckpointError::Foreign(found)) if found == what), "{what}");
    }
}

/// With a right checksum, but made up.
#[test]
fn hostile_checkpoints_are_refused() {
    let tree = Tree::new(SEED, 22);
    let good = some_checkpoint(&tree);
    let line = good.iter().position(|&byte| byte == b'\n').expect("a first line");
    let content: serde_json::Value = serde_json::from_slice(&good[line + 1..]).expect("JSON");
    let forge = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut content = content.clone();
        change(&mut content);
        checkpoint::seal(&serde_json::to_vec(&content).expect("plain data"))
    };
    assert!(reread(&tree, &forge(&|_| {})).is_ok());
    let refused: [&dyn Fn(&mut serde_json::Value); 9] = [
        &|c| c["parts"] = serde_json::json!([]),
        &|c| c["parts"][0]["found"]["counts"]["complete"] = u64::MAX.into(),
        &|c| c["parts"][0]["found"]["results"]["witnesses"] = u64::MAX.into(),
        &|c| c["parts"][0]["found"]["results"]["observables"] = serde_json::json!([]),
        &|c| c["parts"][0]["found"]["results"]["outcomes"][0][0] = serde_json::json!([1]),
        &|c| c["parts"][0]["found"]["first"]["graph"]["source"] = serde_json::json!([9999]),
        &|c| c["parts"][0]["found"]["first"]["graph"]["threads"] = serde_json::json!([[0], [99], [1]]),
        &|c| c["parts"][0]["found"]["first"]["graph"]["events"][1]["value_written"] = 5.into(),
        &|c| c["parts"][0]["found"]["first"]["co"] = serde_json::json!([[0, 0]]),
    ];
    for (at, change) in refused.into_iter().enumerate() {
        let error = reread(&tree, &forge(change)).expect_err("it is made up").to_string();
        assert!(error.starts_with("it is damaged"), "{at}: {error}");
    }
    let nested = format!("{}{}", "[".repeat(1 << 20), "]".repeat(1 << 20));
    assert!(matches!(reread(&tree, &checkpoint::seal(nested.as_bytes())), Err(CheckpointError::Content(_))));
    let huge = format!("litmoscope checkpoint {} {} 00000000\n", checkpoint::VERSION, u64::MAX);
    assert!(matches!(reread(&tree, huge.as_bytes()), Err(CheckpointError::TooLarge(_))));
    let later = b"litmoscope checkpoint 77 1 00000000\n0";
    assert!(matches!(reread(&tree, later), Err(CheckpointError::Version(77))));
    // A work that the tree does not have.
    let far = Work(vec![Branch { next: 1000, end: None }]);
    let forged = forge(&|c| c["parts"][0]["rest"] = serde_json::to_value(&far).expect("plain data"));
    let parts = reread(&tree, &forged).expect("nothing shows it yet");
    assert_eq!(run(&tree, parts, bounds(2, None), &mut |_| None).err(), Some(Foreign));
}

#[test]
fn estimates_are_right_in_the_mean() {
    for seed in SEED..SEED + 4 {
        let tree = Tree::new(seed, 16);
        let all = tree.findings().counts.executions() as f64;
        let mut estimator = Estimator::new(&tree, SEED).expect("it has a walk");
        (0..20).for_each(|_| estimator.sweep(16));
        let estimate = estimator.estimate();
        assert!(estimate.probes >= 20);
        assert!((estimate.executions - all).abs() <= 5.0 * estimate.error.max(1e-9), "{all}: {estimate:?}");
        assert!(estimate.spread >= 1.0);
        // What is left, at some moment, and what was found add up to the same.
        let outcome = finish(&tree, start(&tree), 1, Some((all / 2.0).max(1.0) as u64));
        let works: Vec<Work> = outcome.parts.works().cloned().collect();
        let done = outcome.parts.counts().executions();
        let mut estimator = Estimator::new(&tree, SEED).expect("it has a walk");
        (0..20).for_each(|_| estimator.refine(done, &works, 16));
        let refined = estimator.estimate();
        assert!((refined.executions - all).abs() <= 5.0 * refined.error.max(1e-9), "{all}: {refined:?}");
        let mut estimator = Estimator::new(&tree, SEED).expect("it has a walk");
        estimator.refine(all as u64, &[], 1);
        assert_eq!(estimator.estimate().executions, all);
    }
}

/// Not for its time, but so that it is seen to come to an end.
#[test]
fn a_timeout_ends_it() {
    let tree = Tree::new(SEED + 3, 200);
    let end = Instant::now() + Duration::from_millis(30);
    let mut watch = |_: &litmoscope::run::Status| (Instant::now() >= end).then_some(Interruption::Timeout);
    let outcome = run(&tree, start(&tree), bounds(2, None), &mut watch).expect("the parts are the tree's");
    assert_eq!(outcome.interruption, Some(Interruption::Timeout));
    assert!(outcome.parts.settled().is_some() && outcome.parts.works().count() > 0);
}
