use super::{Core, Mutation};
use crate::explore::equivalence::{Class, Equivalence, Ordered};
use crate::explore::runs::RunExplorer;
use crate::explore::runs::testing::{parse, small, traces, walk_as_steps};
use crate::explore::{Algorithm, Counts, Explorer, Options, Step};
use crate::graph::ThreadId;
use crate::model::Model;
use crate::program::{Code, Program};
use crate::random::Random;
use crate::testing::{for_all, for_all_clients, seeds, weak_swaps};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The classes that an explorer finds, each with how often.
fn classes(explorer: &mut dyn Explorer) -> BTreeMap<Class, usize> {
    let mut classes = BTreeMap::new();
    loop {
        match explorer.advance() {
            Step::Execution { .. } => {
                let execution =
                    Ordered { graph: explorer.execution(), co: explorer.coherence().expect("it orders writes") };
                *classes.entry(Equivalence::Observers.class(ThreadId(0), execution)).or_default() += 1;
            }
            Step::Done => return classes,
            _ => {}
        }
    }
}

fn explorer(code: &Arc<Code>, options: Options) -> RunExplorer<Core> {
    RunExplorer::new(Core::new(Arc::clone(code), Model::SC, options))
}

/// Each class of the executions that TruSt (co) finds is found once, and nothing is begun in vain.
fn agree(program: &Program, options: Options) -> Result<(), String> {
    let code = Arc::new(Code::compile(program).map_err(|error| error.to_string())?);
    let expected = classes(&mut *Algorithm::TrustCo.lazy_explorer(Arc::clone(&code), Model::SC, options));
    let mut dpor = explorer(&code, options);
    let found = classes(&mut dpor);
    let lost = expected.keys().find(|class| !found.contains_key(*class));
    let wrong = found.keys().find(|class| !expected.contains_key(*class));
    let twice = found.iter().find(|(_, times)| **times > 1);
    if lost.is_some() || wrong.is_some() || twice.is_some() {
        let numbers = (expected.len(), found.len());
        return Err(format!("{numbers:?}, lost {lost:#?}, wrong {wrong:#?}, twice {twice:#?}"));
    }
    match dpor.counts().dropped {
        0 => Ok(()),
        dropped => Err(format!("{dropped} of {} in vain", found.len())),
    }
}

#[test]
fn random_programs_have_all_classes_once() {
    for_all(seeds(1500), |program| agree(program, small()));
}

#[test]
fn random_clients_have_all_classes_once() {
    for_all_clients(seeds(600), |program| agree(program, small()));
}

#[test]
fn random_weak_swaps_have_all_classes_once() {
    for seed in seeds(1500) {
        let text = weak_swaps(seed);
        let agreed = agree(&parse(&text).0, Options { spurious: true, ..small() });
        assert_eq!(agreed, Ok(()), "seed {seed}: {text}");
    }
}

/// A program that writes more than it reads.
fn many_writes(seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut below = |n| random.below(n);
    let (threads, locations) = (2 + below(3), 1 + below(2));
    let mut thread = |thread: u64| {
        let accesses = 1 + below(if threads == 2 { 5 } else { 6 - threads });
        let statement = |access| {
            let location = below(locations);
            match below(12) {
                0..6 => format!("x{location} := {}", 1 + below(3)),
                6..9 => format!("r{thread}{access} := x{location}"),
                9 => format!("fai(x{location})"),
                10 => format!("r{thread}{access} := cas(x{location}, {}, {})", below(3), below(3)),
                _ => format!("r{thread}{access} := x{location}; if r{thread}{access} = 1 then x{location} := 2"),
            }
        };
        (0..accesses).map(statement).collect::<Vec<_>>().join("; ")
    };
    (0..threads).map(&mut thread).collect::<Vec<_>>().join(" || ")
}

#[test]
fn random_writes_have_all_classes_once() {
    for seed in seeds(2000) {
        let text = many_writes(seed);
        assert_eq!(agree(&parse(&text).0, small()), Ok(()), "seed {seed}: {text}");
    }
}

/// Lost once: unobserved writes put two locks in order.
#[test]
fn a_thread_that_waits_is_not_behind_an_unobserved_write() {
    let text = "lock n; x := 1; lock n || x := 1; lock m; lock n; unlock n; unlock m";
    assert_eq!(agree(&parse(text).0, Options::default()), Ok(()));
}

#[test]
fn programs_of_print_have_all_classes_once() {
    for (text, expected) in traces().into_iter().filter(|(_, traces)| *traces < 500) {
        assert_eq!(agree(&parse(&text).0, Options::default()), Ok(()), "{text}, {expected}");
    }
}

fn counts(text: &str, mutation: Mutation) -> Counts {
    let (_, code) = parse(text);
    let mut dpor = RunExplorer::new(Core::new(code, Model::SC, Options::default()).mutated(mutation));
    while dpor.advance() != Step::Done {}
    dpor.counts()
}

/// As printed: n writers and a reader have n * 2^(n - 1) + 1 classes, writers that nobody reads one.
#[test]
fn classes_are_as_many_as_printed() {
    let writers = |n: u64| (1..=n).map(|value| format!("x := {value}")).collect::<Vec<_>>().join(" || ");
    let of = |text: &str| counts(text, Mutation::default());
    for n in 1..8 {
        let counts = of(&writers(n));
        assert_eq!((counts.executions(), counts.dropped), (1, 0));
        let counts = of(&format!("{} || a := x", writers(n)));
        assert_eq!((counts.executions(), counts.dropped), (n * (1 << (n - 1)) + 1, 0));
    }
    // The reader comes last.
    for n in 1..6 {
        let writers: Vec<String> = (1..=n).map(|i| format!("x := {i}; d[{i}] := 1")).collect();
        let all: Vec<String> = (1..=n).map(|i| format!("assume d[{i}] = 1")).collect();
        let text = format!("shared d[{}], x\n{} || {}; a := x", n + 1, writers.join(" || "), all.join("; "));
        let counts = of(&text);
        assert_eq!((counts.complete, counts.dropped), (n, 0), "{text}");
    }
}

/// Lamport's fast mutex for two threads, entered once by each: as many as are known of Nidhugg.
#[test]
fn a_mutex_has_the_known_classes() {
    let thread = |i: usize| {
        let b = format!("b[{}]", i - 1);
        let others = "assume b[0] = 0; assume b[1] = 0";
        let contended = format!("{b} := 0; {others}; if y != {i} {{ assume y = 0 }} else {{ inside := 1 }}");
        let fast = format!("y := {i}; if x != {i} {{ {contended} }} else {{ inside := 1 }}");
        let attempt = format!("{b} := 1; x := {i}; if y != 0 {{ {b} := 0; assume y = 0 }} else {{ {fast} }}");
        format!("inside := 0; while inside = 0 {{ {attempt} }}; y := 0; {b} := 0")
    };
    let text = format!("shared b[2], x, y\n{} || {}", thread(1), thread(2));
    let counts = counts(&text, Mutation::default());
    assert_eq!((counts.complete, counts.dropped), (14, 0));
    assert_eq!(agree(&parse(&text).0, Options::default()), Ok(()));
}

#[test]
fn what_breaks_the_algorithm_is_noticed() {
    let text = "x := 1 || x := 2 || a := x";
    let of = |mutation| counts(text, mutation).executions();
    assert_eq!(of(Mutation::default()), 5);
    assert_eq!(of(Mutation { no_writes: true, ..Mutation::default() }), 3);
    // Whether the one write overwrites the other is read only if the third thread is late.
    let text = "y := 2; z := 1 || y := 1 || c := z; if c = 1 then b := y";
    assert_eq!(agree(&parse(text).0, Options::default()), Ok(()));
    let of = |mutation| counts(text, mutation).executions();
    assert!(of(Mutation { wakes: true, ..Mutation::default() }) > of(Mutation::default()));
}

/// However often it is paused, a walk counts and finds what the explorer does.
#[test]
fn walks_find_what_explorers_do() {
    let check = |program: &Program| {
        let code = Arc::new(Code::compile(program).map_err(|error| error.to_string())?);
        for options in [small(), Options { stop_at_first: true, ..small() }] {
            walk_as_steps(program, Model::SC, &Core::new(Arc::clone(&code), Model::SC, options))?;
        }
        Ok(())
    };
    for_all(0..60, check);
    for_all_clients(0..60, check);
}
