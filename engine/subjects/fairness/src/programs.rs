//! Locks, and who can wait for ever at them.

use crate::{
    Claim, Fairness, Found, Options, ProgramError, ProgramGraph, Promises, Question, Semantics, Universe, Way,
};
use litmoscope_core::budget::Budget;
use litmoscope_core::model::Buffers;
use litmoscope_core::program::Code;
use litmoscope_core::program::system::{System, Variable};
use litmoscope_core::syntax::parse;
use std::ops::RangeInclusive;
use std::rc::Rc;

const MUTEX: &str = "shared m
while 1 {
  lock m
  unlock m
}
||
while 1 {
  lock m
  unlock m
}";

const TEST_AND_SET: &str = "shared l
while 1 {
  while xchg(l, 1) = 1 { }
  l := 0
}
||
while 1 {
  while xchg(l, 1) = 1 { }
  l := 0
}";

const TEST_AND_TEST_AND_SET: &str = "shared l
while 1 {
  repeat {
    while l = 1 { }
    a := xchg(l, 1)
  } until a = 0
  l := 0
}
||
while 1 {
  repeat {
    while l = 1 { }
    a := xchg(l, 1)
  } until a = 0
  l := 0
}";

const TICKET: &str = "shared next, serving
while 1 {
  atomic { t := next; next := (t + 1) % 4 }
  while serving != t { }
  atomic { serving := (serving + 1) % 4 }
}
||
while 1 {
  atomic { t := next; next := (t + 1) % 4 }
  while serving != t { }
  atomic { serving := (serving + 1) % 4 }
}";

const PETERSON: &str = "shared f, g, turn
while 1 {
  f := 1; turn := 1
  repeat { a := g; b := turn } until a = 0 or b = 0
  f := 0
}
||
while 1 {
  g := 1; turn := 0
  repeat { a := f; b := turn } until a = 0 or b = 1
  g := 0
}";

const DEKKER: &str = "shared f, g, turn
while 1 {
  f := 1
  while g = 1 { if turn != 0 { f := 0; while turn != 0 { }; f := 1 } }
  turn := 1
  f := 0
}
||
while 1 {
  g := 1
  while f = 1 { if turn != 1 { g := 0; while turn != 1 { }; g := 1 } }
  turn := 0
  g := 0
}";

const ALTERNATION: &str = "shared turn
while 1 {
  while turn != 0 { }
  turn := 1
}
||
while 1 {
  while turn != 1 { }
  turn := 0
}";

const ALTERNATION_OUTSIDE: &str = "shared turn
while 1 {
  b := input 0..1
  if b = 1 {
    while turn != 0 { }
    turn := 1
  }
}
||
while 1 {
  b := input 0..1
  if b = 1 {
    while turn != 1 { }
    turn := 0
  }
}";

const FLAGS: &str = "shared f, g
while 1 {
  f := 1
  while g = 1 { }
  f := 0
}
||
while 1 {
  g := 1
  while f = 1 { }
  g := 0
}";

/// The locks of this file.
pub(crate) const LOCKS: [(&str, &str); 9] = [
    ("mutex", MUTEX),
    ("test and set", TEST_AND_SET),
    ("test and test and set", TEST_AND_TEST_AND_SET),
    ("ticket", TICKET),
    ("Peterson", PETERSON),
    ("Dekker", DEKKER),
    ("alternation", ALTERNATION),
    ("alternation, or outside", ALTERNATION_OUTSIDE),
    ("flags", FLAGS),
];

pub(crate) fn system(text: &str) -> Rc<System> {
    let program = parse(text).unwrap_or_else(|wrong| panic!("{text}\n{wrong:#?}")).program;
    let code = Code::compile(&program).expect("code");
    Rc::new(System::of(&program, &code).unwrap_or_else(|wrong| panic!("{text}\n{wrong}")))
}

fn graph(text: &str) -> ProgramGraph {
    ProgramGraph::of(system(text), 10_000).expect("it is small")
}

fn buffered(text: &str, buffers: Buffers, entries: u32) -> ProgramGraph {
    let semantics = Semantics { buffers: Some((buffers, entries)), ..Semantics::default() };
    ProgramGraph::with(system(text), semantics, 100_000, &mut Budget::unlimited()).expect("it is small")
}

#[test]
fn a_loop_ends_only_if_the_buffer_is_fair() {
    for buffers in [Buffers::OfThreads, Buffers::OfLocations] {
        let graph = buffered("shared x\nx := 1\n||\nwhile x = 0 { }", buffers, 2);
        assert!(!graph.is_bounded() && graph.threads() == 2);
        let waits = [Question::ForEver(Claim::At(1, 4..=4))];
        let find = |threads, buffers| {
            let promises = Promises { threads, buffers, others: Vec::new() };
            let found = graph.find(promises, &waits, &mut Budget::unlimited()).expect("nobody stops it");
            found.is_some()
        };
        assert!(find(Fairness::Strong, Fairness::None));
        assert!(!find(Fairness::Weak, Fairness::Weak));
        assert!(find(Fairness::None, Fairness::Strong));
    }
}

/// Without a fence, Peterson's lock lets both in under TSO. With one it does not; under PSO, it also takes one that keeps what is written
/// to the two variables in order.
#[test]
fn fences_keep_a_lock_right() {
    let text = |between: &str, fence: &str| {
        let own = |own: &str, other: &str, turn: u32| {
            format!(
                "while 1 {{\n  {own} := 1{between}; turn := {turn}{fence}\n  repeat {{ a := {other}; b := turn }} until a = 0 or b = {}\n  {own} := 0\n}}",
                1 - turn
            )
        };
        format!("shared f, g, turn\n{}\n||\n{}", own("f", "g", 1), own("g", "f", 0))
    };
    let (waits, orders) = ("; fence sc", "; fence rel");
    for (between, fence, both) in [("", "", [true, true]), ("", waits, [false, true]), (orders, waits, [false, false])]
    {
        for (buffers, both) in [Buffers::OfThreads, Buffers::OfLocations].into_iter().zip(both) {
            let graph = buffered(&text(between, fence), buffers, 3);
            let inside = Claim::All(vec![Claim::At(0, 5..=5), Claim::At(1, 11..=11)]);
            let is_inside = !graph.graph().is_empty(&graph.set(&inside));
            assert_eq!(is_inside, both, "{buffers:?}{between}{fence}");
        }
    }
}

/// Philosophers of Lehmann and Rabin, each with a coin, as the family has them; only that it is the program that says who waits.
#[test]
fn coins_are_random_vertices() {
    let graph = graph("while 1 {\n  a := random 0..1\n  if a = 1 { x := 1 }\n}\n||\nwhile 1 { b := x }");
    let universe = graph.graph();
    assert!(graph.has_chance());
    // The scheduler may let the first thread toss, but not what comes out.
    let again = |value| Question::AgainAndAgain(Claim::Has(Variable(0), value));
    let find = |question: Question| graph.find(Fairness::None, &[question], &mut Budget::unlimited());
    assert!(find(again(0)).expect("nobody stops it").is_some());
    assert!(find(again(1)).expect("nobody stops it").is_some());
    let never = [Question::ForEver(Claim::Has(Variable(0), 0))];
    assert!(graph.find(Fairness::None, &never, &mut Budget::unlimited()).expect("nobody stops it").is_some());
    assert!(graph.find(Fairness::Weak, &never, &mut Budget::unlimited()).expect("nobody stops it").is_none());
    assert!(universe.count(universe.random()) > 0);
    let mixed = system("while 1 { atomic { a := random 0..1; b := input 0..1; x := a + b } }");
    assert!(matches!(ProgramGraph::of(mixed, 100), Err(ProgramError::InputAndCoin(_))));
}

/// With a random scheduler, nobody starves almost surely at a lock that lets somebody in.
#[test]
fn a_random_scheduler_starves_nobody() {
    for (name, text, own) in [("mutex", MUTEX, 3..=3), ("test and set", TEST_AND_SET, 3..=3)] {
        let semantics = Semantics { random_scheduler: true, ..Semantics::default() };
        let graph = ProgramGraph::with(system(text), semantics, 1000, &mut Budget::unlimited()).expect("it is small");
        let find = |question: Question| {
            let mut machine = graph.machine(Fairness::None, &[question], Way::Improved, Options::default());
            while machine.advance(&mut Budget::unlimited()).expect("nobody stops it").is_some() {}
            graph.graph().count(&machine.answer().expect("it is over").winning)
        };
        let waits = Claim::At(0, own);
        assert_eq!(find(Question::ForEver(waits.clone())), 0, "{name}");
        assert_eq!(find(Question::AgainAndAgain(Claim::Not(Box::new(waits)))), graph.graph().size().0, "{name}");
    }
}

fn find(graph: &ProgramGraph, fairness: Fairness, questions: &[Question]) -> Option<Found> {
    let found = graph.find(fairness, questions, &mut Budget::unlimited()).expect("nobody stops it")?;
    let pairs = graph.objective(fairness, questions);
    assert!(found.lasso.meets(graph.graph(), &pairs), "{found:?}");
    assert_eq!(found.steps[1].len(), found.lasso.cycle.len());
    assert_eq!(found.steps[0].len(), found.lasso.stem.len());
    Some(found)
}

/// A program, the lines in which its first thread waits, whether it starves if nothing, weak or strong fairness is promised, and whether
/// nobody may ever enter again.
type Case = (&'static str, &'static str, RangeInclusive<u32>, [bool; 3], bool);

#[test]
fn who_starves_depends_on_what_is_promised() {
    let promises = [Fairness::None, Fairness::Weak, Fairness::Strong];
    let cases: [Case; 9] = [
        ("mutex", MUTEX, 3..=3, [true, true, false], false),
        ("test and set", TEST_AND_SET, 3..=3, [true, true, true], false),
        ("test and test and set", TEST_AND_TEST_AND_SET, 3..=6, [true, true, true], false),
        ("ticket", TICKET, 3..=4, [true, false, false], false),
        ("Peterson", PETERSON, 3..=4, [true, false, false], false),
        ("Dekker", DEKKER, 3..=4, [true, false, false], false),
        ("alternation", ALTERNATION, 3..=3, [true, false, false], false),
        ("alternation, or outside", ALTERNATION_OUTSIDE, 5..=5, [true, true, true], true),
        ("flags", FLAGS, 4..=4, [true, true, true], true),
    ];
    for (name, text, own, starves, stuck) in cases {
        let graph = graph(text);
        let waits = Claim::At(0, own);
        for (fairness, starves) in promises.into_iter().zip(starves) {
            let found = find(&graph, fairness, &[Question::ForEver(waits.clone())]);
            assert_eq!(found.is_some(), starves, "{name}, {fairness:?}: {found:?}");
        }
        // It waits, and nobody ever enters again.
        let (first, second) = critical(text);
        let questions = [
            Question::ForEver(waits),
            Question::FinitelyOften(Claim::At(0, first)),
            Question::FinitelyOften(Claim::At(1, second)),
        ];
        let found = find(&graph, Fairness::Strong, &questions);
        assert_eq!(found.is_some(), stuck, "{name}: nobody enters again, {found:?}");
    }
}

/// The lines in which threads hold the lock: the last statement of each loop.
fn critical(text: &str) -> (RangeInclusive<u32>, RangeInclusive<u32>) {
    let is_last = |line: &str| {
        let line = line.trim();
        ["unlock m", "l := 0", "atomic { serving", "f := 0", "g := 0", "turn := 1", "turn := 0"]
            .iter()
            .any(|last| line.starts_with(last))
    };
    let lines: Vec<u32> = (1..).zip(text.lines()).filter(|(_, line)| is_last(line)).map(|(at, _)| at).collect();
    let middle = (1..).zip(text.lines()).find(|(_, line)| line.trim() == "||").map_or(0, |(at, _)| at);
    let of = |own: &dyn Fn(u32) -> bool| {
        let own: Vec<u32> = lines.iter().copied().filter(|line| own(*line)).collect();
        own[0]..=own[own.len() - 1]
    };
    (of(&|line| line < middle), of(&|line| line > middle))
}

#[test]
fn a_run_that_waits_for_ever_replays() {
    let graph = graph(TEST_AND_SET);
    let found = find(&graph, Fairness::Strong, &[Question::ForEver(Claim::At(0, 3..=3))]).expect("it starves");
    let way: Vec<usize> = found.lasso.stem.iter().chain(&found.lasso.cycle).copied().collect();
    let steps: Vec<_> = found.steps.concat();
    let system = graph.system();
    let mut state = system.initial_states().expect("one")[0].clone();
    for (vertex, step) in way.iter().zip(steps) {
        assert_eq!(*graph.vertex(*vertex).0, state);
        let thread = usize::from(system.transition(step).thread);
        let next = system.successors(&state, thread).expect("few inputs");
        state = next.into_iter().find(|next| next.transition == step).expect("it can be taken").state;
    }
    assert_eq!(*graph.vertex(found.lasso.cycle[0]).0, state);
    // Both threads move on the cycle, and only the other one enters.
    let movers: Vec<u16> = found.steps[1].iter().map(|step| system.transition(*step).thread).collect();
    assert!(movers.contains(&0) && movers.contains(&1));
}

#[test]
fn a_loop_ends_where_threads_are_fair() {
    let graph = graph("shared x\nx := 1\n||\nwhile x = 0 { }");
    let waits = [Question::ForEver(Claim::At(1, 4..=4))];
    assert!(find(&graph, Fairness::None, &waits).is_some());
    assert!(find(&graph, Fairness::Weak, &waits).is_none());
    assert!(find(&graph, Fairness::Strong, &waits).is_none());
}
