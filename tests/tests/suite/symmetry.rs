//! Symmetry reduction against exploring everything: the same up to exchanging threads that do the same.
//!
//! Compared with all executions, orbit by orbit.

use litmoscope::explore::{Algorithm, Fault, Findings, Options, Pause, Step, Work, symmetric_threads};
use litmoscope::graph::{CanonicalExecution, EventKey, Label, ThreadId};
use litmoscope::model::Model;
use litmoscope::program::{Code, InstructionKind, Limits, Observable, Program, Value};
use litmoscope::testing::{for_all, for_all_clients, seeds};
use litmoscope_tests::random::{LIMITS, weaken, with_twins};
use litmoscope_tests::{counts, program};
use std::collections::{BTreeMap, BTreeSet};
use std::mem::discriminant;
use std::sync::Arc;

const OPTIONS: Options = Options::within(LIMITS);
const REDUCED: Options = Options { symmetry: true, ..OPTIONS };
/// Executions that a program may have.
const CAP: usize = 3000;

type Found = (CanonicalExecution, Option<Vec<Vec<EventKey>>>);

/// What an algorithm finds; `None` if that is too much.
fn found(algorithm: Algorithm, model: Model, code: &Arc<Code>, options: Options) -> Option<Result<Vec<Found>, String>> {
    let mut explorer = algorithm.explorer(Arc::clone(code), model, options).expect("it takes every program");
    let mut found = BTreeSet::new();
    loop {
        match explorer.advance() {
            Step::Execution { .. } => {
                let graph = explorer.execution();
                let co = explorer.coherence().map(|co| graph.canonical_coherence(co));
                if !found.insert((graph.canonical(), co)) {
                    return Some(Err("found twice".to_owned()));
                }
                if found.len() > CAP {
                    return None;
                }
            }
            Step::Done => return Some(Ok(found.into_iter().collect())),
            _ => {}
        }
    }
}

/// All ways to exchange threads within their classes, as what each thread becomes.
fn permutations(threads: usize, classes: &[Vec<u16>]) -> Vec<Vec<u16>> {
    fn orders(of: &[u16]) -> Vec<Vec<u16>> {
        if of.is_empty() {
            return vec![Vec::new()];
        }
        let mut all = Vec::new();
        for (at, &first) in of.iter().enumerate() {
            let mut others = of.to_vec();
            others.remove(at);
            all.extend(orders(&others).into_iter().map(|rest| [vec![first], rest].concat()));
        }
        all
    }
    let mut all = vec![(0..threads as u16).collect::<Vec<_>>()];
    for class in classes {
        let changed = |start: &Vec<u16>| {
            let changed = |order: Vec<u16>| {
                let mut changed = start.clone();
                class.iter().zip(order).for_each(|(&thread, becomes)| changed[usize::from(thread)] = becomes);
                changed
            };
            orders(class).into_iter().map(changed).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(changed).collect();
    }
    all
}

/// The smallest of the executions that come of one by exchanging threads, and how many there are.
fn orbit((execution, co): &Found, permutations: &[Vec<u16>]) -> (Found, usize) {
    let moved = |key: EventKey, permutation: &[u16]| match permutation.get(usize::from(key.thread.0)) {
        Some(&becomes) if key.thread != ThreadId::INIT => EventKey { thread: ThreadId(becomes), ..key },
        _ => key,
    };
    let images: BTreeSet<Found> = permutations
        .iter()
        .map(|permutation| {
            let mut image = execution.clone();
            for (key, _, _, source, _) in &mut image {
                *key = moved(*key, permutation);
                *source = source.map(|source| moved(source, permutation));
            }
            image.sort_unstable_by_key(|(key, ..)| *key);
            let order = |order: &Vec<EventKey>| order.iter().map(|&key| moved(key, permutation)).collect();
            (image, co.as_ref().map(|co| co.iter().map(order).collect()))
        })
        .collect();
    let size = images.len();
    (images.into_iter().next().expect("there is at least one permutation"), size)
}

/// Whether the threads that are reduced begin, after fences, with an event that always writes or waits: then one
/// execution alone is explored of those that differ in the threads.
fn is_optimal(code: &Code, classes: &[Vec<u16>]) -> bool {
    classes.iter().all(|class| {
        let instructions = code.threads[usize::from(class[0])].instructions.iter();
        let mut kinds = instructions.map(|instruction| &instruction.kind);
        let first = kinds.find(|kind| !matches!(kind, InstructionKind::Fence(_)));
        matches!(
            first,
            Some(
                InstructionKind::Write { .. }
                    | InstructionKind::Update { .. }
                    | InstructionKind::Lock(_)
                    | InstructionKind::Send { .. }
                    | InstructionKind::Receive { .. }
            )
        )
    })
}

fn walked(algorithm: Algorithm, model: Model, text: &Arc<Program>, code: &Arc<Code>, options: Options) -> Findings {
    let walk = algorithm.walk(Arc::clone(code), Arc::clone(text), model, options, &Work::default());
    let mut walk = walk.expect("it has walks");
    while walk.run(1000) == Pause::Steps {}
    walk.take_findings()
}

/// The final states, the registers of threads that can be exchanged in ascending order; and what is wrong.
fn summary(findings: &Findings, classes: &[Vec<u16>]) -> (BTreeSet<Vec<Value>>, BTreeSet<String>) {
    let observables = findings.results.observables();
    let registers = |thread: u16| {
        let of_thread = move |(_, observable): &(usize, &Observable)| match observable {
            Observable::Register { thread: other, .. } => *other == thread,
            Observable::Location { .. } => false,
        };
        observables.iter().enumerate().filter(of_thread).map(|(at, _)| at).collect::<Vec<_>>()
    };
    let arranged = |(state, _): (&[Value], _)| {
        let mut arranged = state.to_vec();
        for class in classes {
            let places: Vec<Vec<usize>> = class.iter().map(|&thread| registers(thread)).collect();
            let mut values: Vec<Vec<Value>> =
                places.iter().map(|places| places.iter().map(|&at| state[at]).collect()).collect();
            values.sort_unstable();
            for (places, values) in places.iter().zip(values) {
                places.iter().zip(values).for_each(|(&at, value)| arranged[at] = value);
            }
        }
        arranged
    };
    let fault = |(fault, _): (&Fault, _)| match fault {
        // Who waits for whom differs.
        Fault::StuckForGood(_) => format!("{:?}", discriminant(fault)),
        fault => format!("{fault:?}"),
    };
    (findings.results.outcomes().map(arranged).collect(), findings.results.faults().map(fault).collect())
}

/// How many explorations were compared, in how many of them something was reduced, how many executions there were in
/// those, and how many were explored.
#[derive(Debug, Default)]
struct Tally {
    skipped: u64,
    compared: u64,
    reduced: u64,
    executions: usize,
    explored: usize,
}

fn check(text: &Program, options: Options, tally: &mut Tally) -> Result<(), String> {
    let code = Arc::new(Code::compile(text).map_err(|error| error.to_string())?);
    let text = Arc::new(text.clone());
    for model in Model::ALL {
        for algorithm in [Algorithm::Trust, Algorithm::TrustCo] {
            let context = |what: &str| format!("{algorithm:?} under {model:?}: {what}");
            let reduced_options = Options { symmetry: true, ..options };
            let classes = symmetric_threads(&code, model, algorithm, reduced_options);
            let Some(all) = found(algorithm, model, &code, options) else {
                tally.skipped += 1;
                continue;
            };
            let all = all?;
            let reduced = found(algorithm, model, &code, reduced_options).ok_or(context("more than without"))?;
            let reduced = reduced.map_err(|why| context(&why))?;
            tally.compared += 1;
            if !classes.is_empty() {
                tally.reduced += 1;
                tally.executions += all.len();
                tally.explored += reduced.len();
            }
            let permutations = permutations(code.threads.len(), &classes);
            let mut expected = BTreeMap::new();
            for execution in &all {
                let (smallest, size) = orbit(execution, &permutations);
                expected.insert(smallest, size);
            }
            let mut orbits: BTreeMap<Found, usize> = BTreeMap::new();
            for execution in &reduced {
                *orbits.entry(orbit(execution, &permutations).0).or_default() += 1;
            }
            if !orbits.keys().eq(expected.keys()) {
                let lost: Vec<_> = expected.keys().filter(|orbit| !orbits.contains_key(orbit)).take(1).collect();
                let wrong: Vec<_> = orbits.keys().filter(|orbit| !expected.contains_key(orbit)).take(1).collect();
                let numbers = (expected.len(), orbits.len());
                return Err(context(&format!("{classes:?} {numbers:?}, lost {lost:#?}, wrong {wrong:#?}")));
            }
            if is_optimal(&code, &classes) && reduced.len() != expected.len() {
                let twice = orbits.iter().find(|(_, times)| **times > 1);
                return Err(context(&format!("{classes:?} explored more than once: {twice:#?}")));
            }
            // Threads that do not wait for ever can be told apart by the order of what they do first.
            let waits = |(execution, _): &Found| {
                execution
                    .iter()
                    .any(|(_, label, _, source, _)| matches!(label, Label::Library { .. }) && source.is_none())
            };
            let product = permutations.len();
            if is_optimal(&code, &classes) && !all.iter().any(waits) && all.len() != reduced.len() * product {
                return Err(context(&format!("{classes:?}: {} in all, {} up to exchange", all.len(), reduced.len())));
            }
            let whole = walked(algorithm, model, &text, &code, options);
            let part = walked(algorithm, model, &text, &code, reduced_options);
            if part.counts.executions() as usize != reduced.len() {
                return Err(context("walks find another number"));
            }
            let (whole, part) = (summary(&whole, &classes), summary(&part, &classes));
            if whole != part {
                return Err(context(&format!("{classes:?}: found {whole:#?}, up to exchange {part:#?}")));
            }
        }
    }
    Ok(())
}

/// Random programs with a thread twice or three times.
#[test]
fn the_same_up_to_permutation() {
    let mut tally = Tally::default();
    let mut choice = 0;
    for_all(seeds(500), |program| {
        choice += 1;
        check(&with_twins(program, choice), OPTIONS, &mut tally)
    });
    println!("{tally:?}");
    assert!(tally.skipped * 10 < tally.compared && tally.reduced * 10 > tally.compared);
}

/// With mutexes and channels.
#[test]
fn clients_of_libraries() {
    let mut tally = Tally::default();
    let mut choice = 0;
    for_all_clients(seeds(250), |program| {
        choice += 1;
        check(&with_twins(program, choice), OPTIONS, &mut tally)
    });
    println!("{tally:?}");
    assert!(tally.skipped * 10 < tally.compared && tally.reduced * 10 > tally.compared);
}

/// With compare-and-swaps that may fail spuriously too.
#[test]
fn weak_compare_and_swaps() {
    let mut tally = Tally::default();
    let mut choice = 0;
    for_all(seeds(250), |program| {
        choice += 1;
        let options = Options { spurious: true, ..OPTIONS };
        weaken(program).map_or(Ok(()), |program| check(&with_twins(&program, choice), options, &mut tally))
    });
    println!("{tally:?}");
    assert!(tally.reduced > 0);
}

/// Two kinds of threads at once, and three threads that are the same.
#[test]
fn several_kinds_of_threads() {
    let mut tally = Tally::default();
    for text in [
        "a := x; y := 1 || a := x; y := 1 || b := y; x := 1 || b := y; x := 1",
        "a := fai(x); y := 1 || a := fai(x); y := 1 || b := fai(y); x := 1 || b := fai(y); x := 1",
        "a := cas(x, 0, 1) || a := cas(x, 0, 1) || b := cas(x, 1, 2) || b := cas(x, 1, 2) || x := 1",
        "x := 1; a := y || x := 1; a := y || y := 1; a := x || y := 1; a := x",
        "fence sc; x := 1; a := x || b := x || fence sc; x := 1; a := x || b := x || fence sc; x := 1; a := x",
        "lock m; a := x; x := a + 1; unlock m || lock m; a := x; x := a + 1; unlock m || lock m; x := 5; unlock m",
        "lock m; lock n; unlock n; unlock m || lock n; lock m; unlock m; unlock n || lock m; lock n; unlock n; unlock m",
        "lock m || lock m || lock m",
        "send(c, 1) || send(c, 1) || a := receive(c); x := a || a := receive(c); x := a",
        "a :=acq x; assert a != 2 || a :=acq x; assert a != 2 || x :=na 1; x :=rel 2",
        "fai(x); a := x || b := fai(x); y := b || fai(x); a := x || c := y; x := c || d := y",
    ] {
        let text = format!("shared x, y, m, n, c\n\n{text}");
        if let Err(why) = check(&program(&text).0, OPTIONS, &mut tally) {
            panic!("{text}\n{why}");
        }
    }
    println!("{tally:?}");
    assert_eq!(tally.skipped, 0);
}

/// Programs of the literature, all of whose threads do the same.
#[test]
fn named_programs() {
    let parallel = |n: usize, thread: &str| vec![thread; n].join(" || ");
    let explored = |text: &str, algorithm: Algorithm, options: Options| {
        counts(&Arc::new(program(&format!("shared x, m\n\n{text}")).1), Model::SC, algorithm, options).executions()
    };
    let mut factorial = 1;
    for n in 1..=6 {
        factorial *= n as u64;
        for algorithm in [Algorithm::Trust, Algorithm::TrustCo] {
            for thread in ["fai(x)", "lock m; unlock m", "lock m; a := x; x := a + 1; unlock m"] {
                let text = parallel(n, thread);
                assert_eq!(explored(&text, algorithm, OPTIONS), factorial, "{text}");
                assert_eq!(explored(&text, algorithm, REDUCED), 1, "{text}");
            }
        }
        let writers = parallel(n, "x := 1");
        assert_eq!(explored(&writers, Algorithm::TrustCo, REDUCED), 1);
        // Without co, which nobody sees, there is nothing to reduce.
        assert_eq!(explored(&writers, Algorithm::Trust, REDUCED), 1);
        let readers = format!("{} || x := 1", parallel(n, "a := x"));
        assert_eq!(explored(&readers, Algorithm::TrustCo, OPTIONS), 1 << n);
        assert_eq!(explored(&readers, Algorithm::TrustCo, REDUCED), n as u64 + 1);
    }
}

/// A condition that mentions a register of a thread tells it apart from others.
#[test]
fn conditions_tell_threads_apart() {
    for (condition, expected) in [("", 1), ("exists (x = 3)", 1), ("exists (P1:a = 1)", 3), ("exists (P0:a = P1:a)", 6)]
    {
        let text = format!("shared x\n\na := fai(x) || a := fai(x) || a := fai(x)\n{condition}");
        let code = Arc::new(program(&text).1);
        assert_eq!(counts(&code, Model::SC, Algorithm::Trust, REDUCED).executions(), expected, "{condition}");
    }
}

/// Who is stuck for good is found up to exchange, too.
#[test]
fn threads_that_are_stuck() {
    let limits = Limits { unroll_spins: false, ..LIMITS };
    let stuck = |text: &str, algorithm, options| {
        let options = Options { stuck_loops: true, limits, ..options };
        counts(&Arc::new(program(text).1), Model::SC, algorithm, options).stuck_for_good
    };
    let thread = "a := fai(x); while y = 0 { }";
    let tickets = format!("shared x, y\n\n{thread} || {thread} || {thread}");
    for algorithm in [Algorithm::Trust, Algorithm::TrustCo] {
        assert_eq!((stuck(&tickets, algorithm, OPTIONS), stuck(&tickets, algorithm, REDUCED)), (6, 1));
    }
    let readers = "shared x\n\nwhile x != 1 { } || while x != 1 { } || x := 1; x := 2";
    assert_eq!((stuck(readers, Algorithm::TrustCo, OPTIONS), stuck(readers, Algorithm::TrustCo, REDUCED)), (3, 2));
}
