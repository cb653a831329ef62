//! Large explorations: cut into parts, walked through by many, bounded, interrupted, written down and gone on with.

use crate::common::counted::{Counted, first_executions};
use crate::common::tree::{TEXT, Tree};
use litmoscope::budget::Budget;
use litmoscope::explore::{Algorithm, Branch, Counts, Findings, Options, Pause, Step, Work};
use litmoscope::labs::runs::Walkable;
use litmoscope::model::Model;
use litmoscope::program::{Code, Limits};
use litmoscope::run::checkpoint::{self, CheckpointError, Subject};
use litmoscope::run::{Estimator, Exploration, Foreign, Interruption, Outcome, Parts, RunBounds, Stepped, run};
use litmoscope::session::Settings;
use litmoscope::syntax;
use std::collections::HashSet;
use std::num::{NonZeroU64, NonZeroUsize};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

const SEED: u64 = 20_261_120;
/// Walks go a few steps further than they are told.
const OVERSHOOT: u64 = 8;

fn bounds(threads: usize, max_executions: Option<u64>) -> RunBounds {
    RunBounds {
        threads: NonZeroUsize::new(threads).expect("more than none"),
        max_executions,
        tick: Duration::from_millis(1),
        ..RunBounds::default()
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
        let first = |most| first_executions(&tree, most, RunBounds::default().look);
        let said = |most| text(&first(most).0);
        let everything = text(&tree.findings());
        for most in [1, 2, 77, all / 3, all - 1, all, all + 1].into_iter().filter(|&n| n > 0) {
            let (expected, interruption) = first(most);
            assert_eq!(interruption.is_some(), most < all);
            let [expected, of_half, of_more] = [text(&expected), said(most.div_ceil(2)), said(most + 50)];
            for threads in [1, 2, 4] {
                let outcome = finish(&tree, start(&tree), threads, Some(most));
                assert_eq!(outcome.interruption, interruption);
                let again = outcome.parts.clone();
                let found = outcome.findings(tree.nothing());
                assert_eq!(text(&found), expected, "seed {seed}, {threads} threads, {most} of {all}");
                // The same bound changes nothing, a larger one goes on.
                let same = finish(&tree, again.clone(), threads, Some(most));
                assert_eq!(same.interruption, interruption);
                assert_eq!(text(&same.findings(tree.nothing())), expected);
                let smaller = finish(&tree, again.clone(), threads, Some(most.div_ceil(2)));
                assert_eq!(text(&smaller.findings(tree.nothing())), of_half);
                let larger = finish(&tree, again.clone(), threads, Some(most + 50));
                assert_eq!(text(&larger.findings(tree.nothing())), of_more);
                let rest = finish(&tree, again, threads, None);
                assert_eq!(text(&rest.findings(tree.nothing())), everything);
            }
        }
    }
}

/// However long pieces, bounds and looks are, and whoever is faster.
#[test]
fn pieces_and_bounds_meet_in_every_way() {
    let mut ends = HashSet::new();
    let trees = (SEED..).map(|seed| (seed, Counted::new(Tree::new(seed, 8))));
    let sized = trees.map(|(seed, counted)| (seed, counted.whole().counts, counted));
    for (seed, whole, counted) in sized.filter(|(_, whole, _)| (5..30).contains(&whole.executions())).take(6) {
        for most in 0..=whole.executions() + 1 {
            for (threads, piece, look) in (1..4).flat_map(|n| (1..5).flat_map(move |p| [(n, p, 2), (n, p, 100)])) {
                let bounds = RunBounds { piece: NonZeroU64::new(piece), look, ..bounds(threads, Some(most)) };
                let name = format!("seed {seed}, {bounds:?}");
                let (expected, interruption) = first_executions(&counted, most, look);
                let before = counted.steps();
                let outcome = run(&counted, Parts::new(counted.nothing()), bounds, &mut |_| None).expect("its parts");
                let steps = counted.steps() - before;
                assert_eq!(outcome.interruption, interruption, "{name}");
                ends.insert(interruption);
                assert_eq!(text(&outcome.findings(counted.nothing())), text(&expected), "{name}");
                // One thread makes no step twice; others as many as count, at most, and a look.
                let counts = expected.counts.steps;
                let most_steps = if threads == 1 { counts } else { whole.steps + counts } + look + OVERSHOOT;
                assert!(steps <= most_steps, "{name}: {steps} steps, of which {counts} count");
            }
        }
    }
    // The next execution may be further away than is looked.
    assert_eq!(ends.len(), 3, "{ends:?}");
}

/// A real program's exploration.
fn program(text: &str, model: Model) -> Counted {
    let settings = Settings { text: text.to_owned(), model, algorithm: Algorithm::Trust, ..Settings::default() };
    Counted::new(Walkable::new(settings).expect("it can be explored in parts"))
}

/// The bound is where a part is cut, too: 1,024 of 5,040 executions.
#[test]
fn a_bound_where_a_piece_ends_is_come_to_once() {
    let counted = program(&["fai(x)"; 7].join(" || "), Model::SC);
    let whole = counted.whole().counts;
    assert_eq!(whole.executions(), 5040);
    for most in [1023, 1024, 1025] {
        for threads in [1, 2] {
            let before = counted.steps();
            let mut watch = |_: &litmoscope::run::Status| {
                (counted.steps() - before > 10 * whole.steps).then_some(Interruption::Signal)
            };
            let parts = Parts::new(counted.nothing());
            let outcome = run(&counted, parts, bounds(threads, Some(most)), &mut watch).expect("its own parts");
            assert_eq!(outcome.interruption, Some(Interruption::MaxExecutions), "{most}, {threads} threads");
            let counts = outcome.parts.counts();
            assert_eq!(counts.executions(), most);
            if threads == 1 {
                let steps = counted.steps() - before;
                assert!(steps <= counts.steps + 100, "{steps} steps, of which {} count", counts.steps);
            }
        }
    }
}

#[test]
fn what_goes_step_by_step_ends_right_behind_its_last_execution() {
    let program = syntax::parse("fai(x) || fai(x) || fai(x)").expect("it is a program").program;
    let code = Arc::new(Code::compile(&program).expect("it compiles"));
    for most in 0..=7 {
        let explorer = Algorithm::Genmc.explorer(Arc::clone(&code), Model::SC, Options::default());
        let mut last = Step::Done;
        let stepped = Stepped::new(
            &program,
            &code,
            Model::SC,
            Limits::default(),
            explorer.expect("it can be explored"),
            |_, step| last = step,
        );
        let parts = Parts::new(stepped.nothing());
        let outcome = run(&stepped, parts, bounds(1, Some(most)), &mut |_| None).expect("its own parts");
        assert_eq!(outcome.interruption, (most < 6).then_some(Interruption::MaxExecutions));
        let counts = outcome.parts.counts();
        assert_eq!(counts.executions(), most.min(6));
        drop(stepped);
        // The look for one more ends right behind it, too.
        assert!(most >= 6 || matches!(last, Step::Execution { number, .. } if number == most + 1), "{last:?}");
    }
}

#[test]
fn a_walk_that_panics_ends_the_run() {
    let counted = Counted::new(Tree::new(SEED, 15));
    counted.break_after(Some(500));
    for threads in [1, 4] {
        let parts = Parts::new(counted.nothing());
        let ran = catch_unwind(AssertUnwindSafe(|| run(&counted, parts, bounds(threads, None), &mut |_| None)));
        assert!(ran.is_err());
    }
}

fn subject(tree: &Tree) -> Subject {
    let _ = tree;
    Subject::new(TEXT, Model::RC11, Algorithm::Genmc, Options::default())
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
        (Subject { model: Model::SC, ..subject(&tree) }, "memory model"),
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
        (0..20).for_each(|_| estimator.sweep(16, &mut Budget::unlimited()).expect("nobody stops it"));
        let estimate = estimator.estimate();
        assert!(estimate.probes >= 20);
        assert!((estimate.executions - all).abs() <= 5.0 * estimate.error.max(1e-9), "{all}: {estimate:?}");
        assert!(estimate.spread >= 1.0);
        // What is left, at some moment, and what was found add up to the same.
        let outcome = finish(&tree, start(&tree), 1, Some((all / 2.0).max(1.0) as u64));
        let works: Vec<Work> = outcome.parts.works().cloned().collect();
        let done = outcome.parts.counts().executions();
        let mut estimator = Estimator::new(&tree, SEED).expect("it has a walk");
        (0..20).for_each(|_| {
            estimator.refine(done, &works, 16, &mut Budget::unlimited()).expect("nobody stops it");
        });
        let refined = estimator.estimate();
        assert!((refined.executions - all).abs() <= 5.0 * refined.error.max(1e-9), "{all}: {refined:?}");
        let mut estimator = Estimator::new(&tree, SEED).expect("it has a walk");
        estimator.refine(all as u64, &[], 1, &mut Budget::unlimited()).expect("nobody stops it");
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
