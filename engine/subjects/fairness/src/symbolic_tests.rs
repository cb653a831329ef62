//! Programs as decision diagrams, against their states listed one by one.

use crate::programs::{LOCKS, system};
use crate::symbolic::{Order, ProgramDiagrams};
use crate::{Claim, Fairness, MOST_NODES, ProgramError, ProgramGraph, Promises, Question, Semantics, SymbolicError};
use crate::{Options, Universe, Way};
use litmoscope_core::budget::Budget;
use litmoscope_core::model::Buffers;
use litmoscope_core::program::Code;
use litmoscope_core::program::system::{System, Variable};
use litmoscope_core::syntax::parse;
use litmoscope_core::testing::looping::{Shape, looping};
use litmoscope_core::testing::seeds;
use std::rc::Rc;

/// How many states a program may have to be compared, and how many vertices if it is asked who wins.
const MOST: usize = 2_000;
const MOST_ASKED: usize = 100;

fn diagrams(system: &Rc<System>, semantics: Semantics, order: Order) -> Result<ProgramDiagrams, SymbolicError> {
    ProgramDiagrams::of(Rc::clone(system), semantics, order, MOST_NODES, &mut Budget::unlimited())
}

/// Holds both against each other: what there is, what is so of it, and who wins. `None` if it has too many states.
fn compare(system: &Rc<System>, semantics: Semantics, order: Order, what: &str) -> Option<(usize, bool)> {
    let listed = ProgramGraph::with(Rc::clone(system), semantics, MOST, &mut Budget::unlimited());
    let listed = match listed {
        Ok(listed) => listed,
        Err(ProgramError::States(_)) => return None,
        Err(error) => panic!("{what}: {error}"),
    };
    let drawn = diagrams(system, semantics, order).unwrap_or_else(|error| panic!("{what}: {error}"));
    let (graph, universe) = (listed.graph(), drawn.diagrams());
    assert_eq!(graph.size(), universe.size(), "{what}: vertices and edges");
    assert_eq!(graph.count(graph.random()), universe.count(universe.random()), "{what}: random vertices");
    assert_eq!(graph.count(&listed.starts()), universe.count(&drawn.starts()), "{what}: starts");
    assert_eq!(listed.is_bounded(), drawn.is_bounded(), "{what}: full buffers");
    let threads = listed.system().threads.len() as u16;
    let mut claims: Vec<Claim> = Vec::new();
    for thread in 0..threads {
        claims.extend([Claim::Enabled(thread), Claim::Moved(thread), Claim::Ended(thread)]);
        claims.extend((1..6).map(|line| Claim::At(thread, line..=line + 1)));
    }
    claims.extend((0..listed.system().shared() as u32).flat_map(|at| [0, 1].map(|v| Claim::Has(Variable(at), v))));
    for claim in &claims {
        let counts = (graph.count(&listed.set(claim)), universe.count(&drawn.set(claim)));
        assert_eq!(counts.0, counts.1, "{what}: {claim:?}");
    }
    let mut is_found = false;
    if graph.vertices() > MOST_ASKED {
        return Some((graph.vertices(), is_found));
    }
    let asked = [
        (Fairness::None, Question::ForEver(Claim::Moved(0))),
        (Fairness::Weak, Question::FinitelyOften(Claim::Moved(0))),
        (Fairness::Strong, Question::FinitelyOften(Claim::Moved(0))),
        (Fairness::Strong, Question::Gets(Claim::Enabled(0), Claim::At(0, 1..=2))),
    ];
    for (fairness, question) in asked {
        let promises = Promises { buffers: Fairness::Weak, ..fairness.into() };
        let questions = [question];
        let mut one = listed.machine(promises.clone(), &questions, Way::Improved, Options::default());
        let mut other = drawn.machine(promises.clone(), &questions, Way::Improved, Options::default());
        while one.advance(&mut Budget::unlimited()).expect("nobody stops it").is_some() {}
        while other.advance(&mut Budget::unlimited()).expect("nobody stops it").is_some() {}
        let (one, other) = (one.answer().expect("it is over"), other.answer().expect("it is over"));
        let sizes = (graph.count(&one.winning), universe.count(&other.winning));
        assert_eq!(sizes.0, sizes.1, "{what}: {fairness:?}, {questions:?}");
        assert_eq!(one.components.len(), other.components.len(), "{what}: {fairness:?}, {questions:?}");
        let pairs = drawn.objective(promises, &questions);
        let wins = !universe.is_empty(&universe.intersection(&drawn.starts(), &other.winning));
        let run = drawn.found(&pairs, other);
        assert_eq!(wins, run.is_some(), "{what}: {fairness:?}, {questions:?}");
        is_found |= wins;
        if let Some(run) = run {
            let all: Vec<_> = run.stem.iter().chain(&run.cycle).collect();
            assert!(!run.cycle.is_empty(), "{what}");
            for (at, (state, step)) in all.iter().enumerate() {
                let next = all.get(at + 1).map_or(&run.cycle[0].0, |(next, _)| next);
                let thread = usize::from(drawn.system().transition(*step).thread);
                let successors = drawn.system().successors(state, thread).expect("few inputs");
                assert!(
                    successors.iter().any(|found| found.transition == *step && found.state == *next),
                    "{what}: step {at} of {run:?}"
                );
            }
        }
    }
    Some((graph.vertices(), is_found))
}

fn all_semantics() -> [Semantics; 4] {
    let buffered = |buffers, entries| Semantics { buffers: Some((buffers, entries)), ..Semantics::default() };
    [
        Semantics::default(),
        Semantics { random_scheduler: true, ..Semantics::default() },
        buffered(Buffers::OfThreads, 2),
        buffered(Buffers::OfLocations, 2),
    ]
}

#[test]
fn locks_are_the_same() {
    for (name, text) in LOCKS {
        let system = system(text);
        for semantics in all_semantics() {
            let compared = compare(&system, semantics, Order::ALL[name.len() % 3], name);
            assert!(compared.is_some() || semantics.buffers.is_some(), "{name} is small");
        }
    }
}

#[test]
fn coins_inputs_and_ranges_are_the_same() {
    for text in [
        "while 1 { a := random 0..2; if a = 1 { x := 1 } else { x := 0 } }\n||\nwhile 1 { b := x; y := b }",
        "shared x = input {3, 5}, y = input 0..2\nassuming x > y + 1\nwhile 1 { a := input 0..1; y := a }\n|| x := 7; y := 9",
        "shared x in 0..3\nwhile 1 { x := (x + 1) % 4 }\n||\nwhile 1 { if x > 1 { x := 0 } }",
        "shared x in 0..3\nwhile 1 { atomic { x := x + 1 } }\n||\nassume x = 2; y := x",
        "while 1 { a := random {1, 5}; x := a }\n||\nwhile 1 { b := random 0..1; if b { x := 9 } }",
        "shared m\nwhile 1 { lock m; unlock m }\n||\nlock m; x := 1; unlock m; assert x = 1",
    ] {
        let system = system(text);
        for semantics in all_semantics() {
            compare(&system, semantics, Order::ALL[text.len() % 3], text);
        }
    }
}

#[test]
fn random_programs_are_the_same() {
    let (mut compared, mut large, mut found, mut vertices) = (0, 0, 0, 0);
    let seeds = seeds(100);
    for seed in seeds.clone() {
        let text = looping(seed, Shape { threads: 2, ..Shape::default() });
        // In every other one, chance decides instead of inputs.
        let (first, rest) = text.split_once('\n').expect("some lines");
        let rest = if seed % 2 == 0 { rest.to_owned() } else { rest.replace(":= input", ":= random") };
        let text = format!("{first}\n{rest}");
        let program = parse(&text).expect("a program").program;
        let Ok(code) = Code::compile(&program) else { continue };
        let Ok(system) = System::of(&program, &code) else { continue };
        let system = Rc::new(system);
        for semantics in all_semantics() {
            let order = Order::ALL[seed as usize % 3];
            match compare(&system, semantics, order, &format!("seed {seed}, {semantics:?}:\n{text}")) {
                Some((count, is_found)) => {
                    compared += 1;
                    vertices += count;
                    found += usize::from(is_found);
                }
                None => large += 1,
            }
        }
    }
    println!("seeds {seeds:?}: {compared} compared, {vertices} vertices, {found} with runs, {large} too large");
    assert!(compared > 0 && found > 0);
}

/// A counter without an end has no range, and one with an end needs no declaration.
#[test]
fn ranges_are_found_or_have_to_be_declared() {
    let counted = |text: &str| {
        let system = system(text);
        diagrams(&system, Semantics::default(), Order::default()).map(|drawn| drawn.diagrams().size().0)
    };
    let text = "while 1 { atomic { if x < 100 { x := x + 1 } else { x := 0 } } }";
    // Each value, behind a step; and the start.
    assert_eq!(counted(text), Ok(102));
    let wrong = counted("while 1 { atomic { x := x + 1 } }");
    assert_eq!(wrong, Err(SymbolicError::TooManyValues("x".to_owned())));
}

/// What a step writes is in memory, also where it goes wrong.
#[test]
fn memory_is_the_same_where_a_thread_went_wrong() {
    let text = "shared m, k\nwhile 1 { lock k; assert r != 1; r := x; unlock k }\n||\nwhile 1 { x := 1 - r; lock m; r := y; unlock m }";
    let system = system(text);
    for semantics in all_semantics() {
        compare(&system, semantics, Order::Points, text);
    }
}
