//! Locks, and who can wait for ever at them.

use crate::{Claim, Fairness, Found, ProgramGraph, Question};
use litmoscope_core::budget::Budget;
use litmoscope_core::program::Code;
use litmoscope_core::program::system::System;
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

fn graph(text: &str) -> ProgramGraph {
    let program = parse(text).unwrap_or_else(|wrong| panic!("{text}\n{wrong:#?}")).program;
    let code = Code::compile(&program).expect("code");
    let system = System::of(&program, &code).unwrap_or_else(|wrong| panic!("{text}\n{wrong}"));
    ProgramGraph::of(Rc::new(system), 10_000).expect("it is small")
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
