//! What the tests of algorithms on runs have in common.

use super::{Run, RunExplorer, RunWalk, Search, Turn};
use crate::explore::{Counts, Explorer, Findings, Moment, Options, Pause, Step, Walk};
use crate::graph::{CanonicalExecution, EventKey};
use crate::model::Model;
use crate::program::{Code, Limits, Program};
use std::collections::BTreeSet;
use std::sync::Arc;

pub(in crate::explore) fn parse(text: &str) -> (Arc<Program>, Arc<Code>) {
    let program = crate::syntax::parse(text).unwrap_or_else(|errors| panic!("{text}: {errors:?}")).program;
    let code = Code::compile(&program).expect("it can be explored");
    (Arc::new(program), Arc::new(code))
}

/// Executions with their co.
pub(in crate::explore) type Found = BTreeSet<(CanonicalExecution, Vec<Vec<EventKey>>)>;

/// What an explorer finds; none twice.
pub(in crate::explore) fn found(explorer: &mut dyn Explorer) -> Result<Found, String> {
    let mut found = Found::new();
    loop {
        match explorer.advance() {
            Step::Execution { .. } => {
                let graph = explorer.execution();
                let co = explorer.coherence().map(|co| graph.canonical_coherence(co)).unwrap_or_default();
                if !found.insert((graph.canonical(), co)) {
                    return Err(format!("found twice: {:?}", graph.canonical()));
                }
            }
            Step::Done => return Ok(found),
            _ => {}
        }
    }
}

/// Counts of executions by kind.
fn kinds(counts: Counts) -> [u64; 5] {
    let Counts { complete, blocked, stuck_for_good, erroneous, bounded, .. } = counts;
    [complete, blocked, stuck_for_good, erroneous, bounded]
}

/// An explorer finds this, nothing twice, and counts as much of each kind.
pub(in crate::explore) fn same(explorer: &mut dyn Explorer, expected: &Found, counts: Counts) -> Result<(), String> {
    let found = found(explorer)?;
    if found != *expected {
        let lost = expected.difference(&found).next();
        let wrong = found.difference(expected).next();
        let numbers = (expected.len(), found.len());
        return Err(format!("{numbers:?}, lost {lost:#?}, wrong {wrong:#?}"));
    }
    if kinds(explorer.counts()) != kinds(counts) {
        return Err(format!("{:?} instead of {counts:?}", explorer.counts()));
    }
    Ok(())
}

/// By definition: the executions of all runs, one turn after the other; `None` if there are more than so many runs.
pub(in crate::explore) fn of_all_runs(code: &Arc<Code>, model: Model, options: Options, most: usize) -> Option<Found> {
    fn go_on(run: &mut Run, runs: &mut usize, found: &mut Found) -> Option<()> {
        let turns: Vec<Turn> = (0..run.processes()).filter_map(|process| run.turn(process)).collect();
        if turns.is_empty() {
            *runs = runs.checked_sub(1)?;
            let threads = 0..run.code.threads.len() as u16;
            let waiting: Vec<u16> = threads.filter(|&thread| run.waiting(thread).is_some()).collect();
            let (graph, co) = run.execution(&waiting);
            found.insert((graph.canonical(), graph.canonical_coherence(&co)));
        }
        for turn in turns {
            run.perform(turn);
            go_on(run, runs, found)?;
            run.undo();
        }
        Some(())
    }
    let (mut runs, mut found) = (most, Found::new());
    go_on(&mut Run::new(Arc::clone(code), model, options), &mut runs, &mut found)?;
    Some(found)
}

pub(in crate::explore) fn small() -> Options {
    Options::within(Limits { unroll: 2, ..Default::default() })
}

/// Mazurkiewicz traces, with their sources: tables of Toman, "Improved Verification Techniques for Concurrent Systems" (2021),
/// §3.1 and Figures 4.1, 4.4; Metzler, "Safe Schedules for Concurrent Programs" (2020), Table 3.1; counts of other tools.
pub(in crate::explore) fn traces() -> Vec<(String, u64)> {
    let times = |n: usize, thread: &dyn Fn(usize) -> String| (0..n).map(thread).collect::<Vec<_>>().join(" || ");
    let readers = |n: u32| (format!("x := 1 || {}", times(n as usize, &|i| format!("a{i} := x"))), 1 << n);
    let locks = |n: usize| times(n, &|i| format!("lock m; r{i} := x; x := r{i} + 1; unlock m"));
    let branching = |n: usize| {
        let test = |t: usize| format!("if x[{t}] = 0 then x[{}] := 1", (t + 1) % n);
        format!("shared x[{n}]\n{}", times(n, &|t| format!("{}\n{}\n", test(t), test(t))))
    };
    let last_zero = |n: usize| {
        let writers = times(n, &|j| format!("r{j} := a[{j}]; a[{}] := r{j} + 1", j + 1));
        format!("shared a[{}]\ni := {n}; while a[i] != 0 {{ i := i - 1 }} || {writers}", n + 1)
    };
    let mut table = vec![
        ("x := 1 || x := 2; x := 1; a := x".to_owned(), 4),
        ("x := 1; y := 1 || x := 1; y := 1; a := x || x := 1; y := 1; b := y".to_owned(), 98),
        ("x := 0; x := 0; x := 0 || a := x; b := x; c := x".to_owned(), 20),
        ("x := 0; x := 0; y := 0; y := 0 || a := x; b := y".to_owned(), 9),
        ("x := 1 || x := 1; a := x || x := 1".to_owned(), 12),
        ("x := 1; x := 1 || x := 1; a := x; x := 1; b := x || x := 1; x := 1".to_owned(), 420),
        ("x := 1; y := 1 || x := 1; a := x; y := 1; b := y || x := 1; y := 1".to_owned(), 144),
        (times(3, &|i| format!("x := 1; a{i} := x")), 36),
        (times(4, &|i| format!("x := 1; a{i} := x")), 576),
        ("x := 1; a := x; y := 1 || x := 1; y := 1; b := y; x := 1".to_owned(), 12),
        ("y := 1; y := 1; x := 1; a := x || x := 1; b := x; y := 2; c := y".to_owned(), 9),
        ("x := 1; a := y || y := 1; b := x".to_owned(), 3),
        ("x := 1 || y := 1 || a := x; b := y || c := y; d := x".to_owned(), 15),
        (times(4, &|_| "fai(x)".to_owned()), 24),
        (times(3, &|_| "fai(x); fai(y); fai(z)".to_owned()), 216),
        (times(6, &|i| format!("cas(x, {i}, {})", i + 1)), 144),
        (locks(2), 2),
        (locks(5), 120),
        (branching(2), 11),
        (branching(3), 28),
        (branching(4), 103),
        (branching(5), 311),
        (last_zero(5), 64),
        ("send(c, 1) || send(c, 2) || a := receive(c); b := receive(c)".to_owned(), 2),
        ("a := wcas(x, 0, 1) || b := wcas(x, 0, 2)".to_owned(), 2),
    ];
    table.extend((1..7).map(readers));
    table
}

/// What a stepped explorer finds.
fn stepped<S: Search>(program: &Program, model: Model, search: &S) -> Findings {
    let code = &search.run().code;
    let mut explorer = RunExplorer::new(search.clone());
    let mut findings = Findings::new(program);
    loop {
        let step = explorer.advance();
        let seen = findings.results.observe(program, code, model, &explorer, step);
        if seen.execution && findings.first.is_none() {
            let (graph, co) = (explorer.execution().clone(), explorer.coherence().cloned());
            findings.first = Some(Moment { position: explorer.counts().steps, step, graph, co });
        }
        findings.counts = explorer.counts();
        if step == Step::Done {
            return findings;
        }
    }
}

/// However often it is paused, a walk counts and finds what the explorer does.
pub(in crate::explore) fn walk_as_steps<S: Search>(program: &Program, model: Model, search: &S) -> Result<(), String> {
    let expected = stepped(program, model, search);
    let mut walk = RunWalk::new(Arc::new(program.clone()), model, search.clone());
    let mut found = Findings::new(program);
    while walk.run(7) == Pause::Steps {
        assert!(walk.work().is_some());
        found.append(walk.take_findings());
    }
    found.append(walk.take_findings());
    if (found.counts, &found.results) != (expected.counts, &expected.results) {
        return Err(format!("{found:?} instead of {expected:?}"));
    }
    let firsts = [&found.first, &expected.first].map(|first| first.as_ref().map(|first| &first.graph));
    if expected.first.as_ref().is_some_and(|first| !first.is_blocked()) && firsts[0] != firsts[1] {
        return Err("another first execution".to_owned());
    }
    Ok(())
}
