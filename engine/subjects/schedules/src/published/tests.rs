//! The programs of `public/schedules/`: their numbers, and what the verifier says of them.

use super::{asserting_buffer, buffer, failing_buffer, racy_buffer};
use crate::game::count_runs;
use crate::impact::{Options, Verdict, Verifier, Wrong};
use crate::symbolic::families::{INCREMENTS, indexer, last_zero};
use crate::testing::{states, system};
use litmoscope_core::budget::Budget;
use litmoscope_core::program::system::System;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn public() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../public")
}

fn read(name: &str) -> String {
    let path = public().join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A program by the name of its file.
fn program(name: &str) -> String {
    read(&format!("schedules/{name}.lit"))
}

fn system_of(name: &str) -> Arc<System> {
    Arc::new(system(&program(name)))
}

/// A program without the comment at its head.
fn body(name: &str) -> String {
    let text = program(name);
    let lines = text.split_inclusive('\n').skip_while(|line| line.starts_with("//"));
    lines.collect()
}

pub(super) fn index() -> Vec<serde_json::Value> {
    serde_json::from_str(&read("schedules.json")).expect("a list")
}

#[test]
fn the_index_has_each_program_and_each_use() {
    let index = index();
    let mut names = BTreeSet::new();
    let mut uses = BTreeSet::new();
    for entry in &index {
        let of = |key: &str| entry[key].as_str().unwrap_or_else(|| panic!("{entry} has no {key}"));
        assert!(of("teaches").ends_with('.') && !of("name").is_empty() && !of("title").is_empty(), "{entry}");
        let file = of("file").to_owned();
        assert!(read(&file).starts_with("// "), "{file} says what it is");
        assert!(system(&read(&file)).threads.len() > 1, "{file}");
        assert!(names.insert(file), "{entry} comes twice");
        if let Some(sentence) = entry.get("use") {
            assert!(uses.insert(sentence.as_str().expect("a sentence").to_owned()), "{entry} is a use of its own");
        }
    }
    let files = std::fs::read_dir(public().join("schedules")).expect("a folder");
    let files = files.map(|file| format!("schedules/{}", file.expect("a file").file_name().to_string_lossy()));
    assert_eq!(names, files.collect());
    assert_eq!(uses.len(), 7, "{uses:?}");
}

#[test]
fn programs_are_what_is_made_for_their_size() {
    for (name, made) in [
        ("pc-2", buffer(2, 1, 1)),
        ("pc-err-2", failing_buffer(2, 1, 1)),
        ("pc-err-2p2c-2", failing_buffer(2, 2, 2)),
        ("pc-2p2c-1000", asserting_buffer(1000, 2, 2)),
        ("pc-4p4c-1000", asserting_buffer(1000, 4, 4)),
        ("racy-pc", racy_buffer(2, 2, 2)),
        ("increments", INCREMENTS.to_owned()),
        ("indexer-15", indexer(15)),
        ("last-zero-16", last_zero(16)),
    ] {
        assert_eq!(body(name), made, "{name}");
    }
}

/// States, steps, states with errors, deadlocks.
fn counts(text: &str) -> [usize; 4] {
    let system = system(text);
    let states = states(&system);
    [states.states.len(), states.transitions(), states.errors(&system).len(), states.deadlocks(&system).len()]
}

#[test]
fn states_are_as_many_as_published() {
    for places in [1, 2, 5] {
        let n = places as usize;
        assert_eq!(counts(&buffer(places, 1, 1)), [7 * n + 3, 8 * n + 4, 0, 0], "{places} places");
        let [all, _, errors, deadlocks] = counts(&failing_buffer(places, 1, 1));
        assert_eq!([all, errors, deadlocks], [7 * n + 5, 2, 0], "{places} places");
    }
    for (places, producers, consumers) in [(2, 2, 2), (3, 1, 2), (1000, 2, 2), (1000, 4, 4)] {
        let n = places as usize;
        let [all, _, errors, deadlocks] = counts(&asserting_buffer(places, producers, consumers));
        assert_eq!([all, errors, deadlocks], [n + 1 + (producers + consumers) * (3 * n + 1), 0, 0]);
    }
    assert_eq!(counts(&program("pc-4p4c-1000"))[0], 25_009);
    assert_eq!(counts(&program("double-lock")), [12, 16, 0, 1]);
    assert_eq!(counts(&program("double-lock-corrected")), [9, 10, 0, 0]);
}

/// The least number of steps to an error or a deadlock.
fn shortest(text: &str) -> Option<usize> {
    let system = system(text);
    let states = states(&system);
    let wrong = states.errors(&system).into_iter().chain(states.deadlocks(&system));
    wrong.map(|at| states.way_to(at).1.len()).min()
}

#[test]
fn what_goes_wrong_does_so_after_the_published_steps() {
    for (places, producers, consumers, steps) in
        [(1, 2, 0, Some(8)), (1, 2, 1, Some(8)), (2, 2, 1, Some(13)), (1, 1, 1, None), (1, 1, 2, Some(13))]
    {
        assert_eq!(shortest(&racy_buffer(places, producers, consumers)), steps, "{places}, {producers}, {consumers}");
    }
    assert_eq!(shortest(&program("racy-pc")), Some(13));
    assert_eq!(shortest(&program("double-lock")), Some(2));
    for right in
        ["double-lock-corrected", "file-system", "file-system-assume", "file-system-useful", "barrier", "pfscan"]
    {
        assert_eq!(shortest(&program(right)), None, "{right}");
    }
}

/// What is said of a program within so many iterations.
pub(super) fn verified(name: &str, iterations: u32) -> Verifier<crate::formula::Symbolic> {
    let mut verifier = Verifier::symbolic(system_of(name), Options { iterations, ..Options::default() });
    while verifier.advance(&mut Budget::unlimited()).expect("it is not paused").is_some() {}
    verifier
}

#[test]
fn verdicts_are_those_of_the_states() {
    for entry in index() {
        let file = entry["file"].as_str().expect("a file");
        let name = file.strip_prefix("schedules/").and_then(|name| name.strip_suffix(".lit")).expect("a program");
        // These have too many states, or schedules.
        let large = ["indexer-15", "last-zero-16", "pc-2p2c-1000", "pc-4p4c-1000", "philosophers", "racy-pc"];
        if large.contains(&name) {
            continue;
        }
        let [.., errors, deadlocks] = counts(&program(name));
        let verdict = verified(name, u32::MAX).verdict();
        let expected = if errors + deadlocks == 0 { Verdict::Safe } else { Verdict::PartiallySafe };
        assert_eq!(verdict, Some(expected), "{name}");
    }
}

#[test]
fn what_goes_wrong_is_found_by_all_schedules_at_once() {
    let files = ["pc-err-2", "pc-err-2p2c-2", "double-lock", "racy-pc", "crossing", "regression", "increments"];
    let mut found = 0;
    for (name, text) in files.map(|name| (name, program(name))).into_iter().chain([("racy", racy_buffer(1, 2, 0))]) {
        for reduction in [true, false] {
            let options = Options { complete: true, reduction, nodes: 500, ..Options::default() };
            let mut verifier = Verifier::symbolic(Arc::new(system(&text)), options);
            while verifier.advance(&mut Budget::unlimited()).expect("it is not paused").is_some() {}
            // Depth first, it may get lost where there are many schedules.
            let verdict = verifier.verdict();
            assert!(matches!(verdict, Some(Verdict::Unsafe | Verdict::Bounded(_))), "{name}, {reduction}: {verdict:?}");
            found += usize::from(verdict == Some(Verdict::Unsafe));
        }
    }
    println!("{found} of {} are found", 2 * (files.len() + 1));
    assert!(found >= 6, "{found}");
}

#[test]
fn first_results_have_the_published_sizes_and_orders() {
    let order = |threads: std::ops::Range<u16>| threads.collect::<Vec<_>>();
    for (name, size, threads) in [
        ("pc-err-2", Some(11), order(0..2)),
        ("pc-err-2p2c-2", Some(21), order(0..4)),
        ("double-lock", Some(11), order(0..2)),
        ("racy-pc", None, order(0..4)),
        ("file-system", None, order(0..3)),
        ("file-system-assume", None, order(0..3)),
        ("file-system-useful", None, vec![0, 2, 1]),
        ("barrier", None, order(0..2)),
        ("sections", None, order(0..2)),
        ("pfscan", None, order(0..3)),
        ("crossing", None, order(0..2)),
        ("regression", None, order(0..2)),
        ("philosophers", None, order(0..6)),
        ("stages", None, order(0..2)),
        ("pc-2p2c-1000", None, order(0..4)),
    ] {
        let verifier = verified(name, 1);
        let [found] = verifier.found() else { panic!("{name} has one result") };
        assert_eq!(found.order, threads, "{name}");
        let nodes = found.art.as_ref().map(|art| art.nodes.len());
        assert!(nodes.is_some() && size.is_none_or(|size| nodes == Some(size)), "{name}: {nodes:?}");
    }
    let verifier = verified("pc-4p4c-1000", 8);
    for (first, found) in (0..).zip(verifier.found()) {
        let others = (0..8).filter(|other| *other != first);
        assert_eq!(found.order, std::iter::once(first).chain(others).collect::<Vec<u16>>());
    }
    assert_eq!(verifier.found().len(), 8);
}

#[test]
fn one_run_of_each_length_is_admitted_at_first() {
    let system = system_of("pc-err-2");
    let states = states(&system);
    let verifier = verified("pc-err-2", 2);
    let ivr = verifier.found()[0].art.as_ref().expect("a tree").ivr(&system);
    let counts = count_runs(&system, &states, &ivr, 16, 1000, &mut Budget::unlimited()).expect("few");
    let of = |steps: usize| (counts[steps].all, counts[steps].errors, counts[steps].admitted);
    assert_eq!((of(8), of(16)), ((3, 1, 1), (7, 3, 1)));
    let [found] = verifier.counterexamples() else { panic!("one run goes wrong") };
    assert_eq!((found.wrong, found.steps.len()), (Wrong::Error, 2));
}
