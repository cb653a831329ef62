//! Machines against all interleavings, and the numbers of the literature.

use super::families::{INCREMENTS, indexer, last_zero};
use super::*;
use crate::testing::{A1, EFFECTS, R1, R2, W1, W2};
use litmoscope_core::budget::Budget;
use litmoscope_core::program::system::{State, Successor, System, Term};
use litmoscope_core::program::{Code, Program};
use litmoscope_core::random::Random;
use litmoscope_core::syntax::parse;
use litmoscope_core::testing::seeds;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

fn program(text: &str) -> (Program, System) {
    let program = parse(text).unwrap_or_else(|wrong| panic!("{text}\n{wrong:#?}")).program;
    let code = Code::compile(&program).unwrap_or_else(|error| panic!("{text}\n{error}"));
    let system = System::of(&program, &code).unwrap_or_else(|error| panic!("{text}\n{error}"));
    (program, system)
}

fn finite(system: &System) -> Finite<'_> {
    Finite::new(system, Limits::default()).expect("few inputs")
}

fn event(thread: u16, index: u32) -> Event {
    Event { thread, index }
}

/// All runs, by a search that is obviously right.
fn brute(finite: &Finite<'_>) -> Vec<Run> {
    fn on(finite: &Finite<'_>, run: &mut Run, executed: &mut [u32], all: &mut Vec<Run>) {
        let state = run.state(finite, run.steps.len()).clone();
        let mut is_end = true;
        for thread in 0..finite.threads() {
            for Successor { transition, inputs, state: behind } in finite.steps(&state, thread).expect("few") {
                is_end = false;
                let event = event(thread as u16, executed[thread]);
                let footprint = finite.footprint(&state, thread);
                run.steps.push(Step { event, transition, inputs, footprint, state: behind });
                executed[thread] += 1;
                on(finite, run, executed, all);
                executed[thread] -= 1;
                run.steps.pop();
            }
        }
        if is_end {
            all.push(run.clone());
        }
    }
    let mut all = Vec::new();
    for start in 0..finite.starts().len() {
        on(finite, &mut Run { start, steps: Vec::new() }, &mut vec![0; finite.threads()], &mut all);
    }
    all
}

fn last<'r>(finite: &'r Finite<'_>, run: &'r Run) -> &'r State {
    run.state(finite, run.steps.len())
}

/// Whether a run that can't go on has ended as it should.
fn is_good(finite: &Finite<'_>, run: &Run) -> bool {
    let state = last(finite, run);
    !finite.system().is_error(state) && (0..finite.threads()).all(|thread| !finite.is_active(state, thread))
}

/// Runs, cut where a graph does not permit to go on, and how many of them end well.
fn permitted<'r>(finite: &Finite<'_>, graph: &TraceGraph, runs: &'r [Run]) -> Vec<&'r Run> {
    runs.iter().filter(|run| graph.forbids(finite, run).is_none()).collect()
}

fn list(finite: &Finite<'_>, graph: Option<TraceGraph>) -> Vec<(Run, Outcome)> {
    let mut listing = Interleavings::new(finite, graph);
    let mut all = Vec::new();
    while let Some(found) = listing.advance(&mut Budget::unlimited()).expect("it ends") {
        all.push(found);
    }
    all
}

fn tallies(finite: &Finite<'_>, graph: Option<TraceGraph>) -> Vec<Tally> {
    Counting::new(finite, graph).advance(&mut Budget::unlimited()).expect("it ends").to_vec()
}

fn explored(finite: &Finite<'_>) -> Vec<(Run, Outcome)> {
    let mut all = Vec::new();
    for start in 0..finite.starts().len() {
        let mut exploration = Exploration::new(finite, start, Vec::new());
        while let Progress::Trace(run, outcome) = exploration.advance(0, &mut Budget::unlimited()).expect("it ends") {
            all.push((run, outcome));
        }
    }
    all
}

fn traces(text: &str) -> u64 {
    let (_, system) = program(text);
    count_traces(&finite(&system), u64::MAX, &mut Budget::unlimited()).expect("it ends")
}

/// Random programs without loops.
struct Writer {
    random: Random,
    inside: bool,
}

impl Writer {
    fn program(seed: u64, inside: bool) -> String {
        let mut this = Self { random: Random::new(seed), inside };
        let (pointers, value) = match this.random.below(3) {
            0 => ("p = input {&x, &y}, o = &y", "input 0..1"),
            1 => ("p = input {&x, &y}, o = input {&x, &y}", "0"),
            _ => ("p = &x, o = &y", "0"),
        };
        let mut text = format!("shared m, x, y = {value}, q[2], {pointers}\n");
        let threads = 2 + this.random.below(2);
        let mut left = 7;
        for thread in 0..threads {
            if thread > 0 {
                text += "||\n";
            }
            let most = (left - (threads - thread - 1)).min(if threads == 2 { 4 } else { 3 });
            let statements = 1 + this.random.below(most);
            left -= statements;
            for _ in 0..statements {
                let _ = writeln!(text, "{}", this.statement());
            }
        }
        text
    }

    fn place(&mut self) -> &'static str {
        ["x", "y", "q[0]", "q[1]", "x", "y", "q[r]"][self.random.below(7) as usize]
    }

    fn pointer(&mut self) -> &'static str {
        ["*p", "*o"][self.random.below(2) as usize]
    }

    fn statement(&mut self) -> String {
        let (place, other, pointer) = (self.place(), self.place(), self.pointer());
        let value = self.random.below(2);
        match self.random.below(if self.inside { 16 } else { 15 }) {
            0 | 1 => format!("{place} := {value}"),
            2 => format!("r := {place}"),
            3 => format!("{place} := 1 - r"),
            4 => format!("atomic {{ {pointer} := {value} }}"),
            5 => format!("atomic {{ r := {pointer} }}"),
            6 => format!("atomic {{ {pointer} := {other} }}"),
            7 => format!("r := cas({place}, 0, 1)"),
            8 => format!("fetch_xor({place}, 1)"),
            9 => format!("if {place} = {value} {{ {other} := 1 }}"),
            10 => format!("lock m; {place} := {value}; unlock m"),
            11 => format!("assume {place} = {value}"),
            12 => format!("assert {place} = 0"),
            13 => format!("atomic {{ if {place} = 0 {{ {other} := 1 }} else {{ {pointer} := 1 }} }}"),
            14 => format!("atomic {{ assume {place} = {value}; {other} := 1 }}"),
            _ => "r := input 0..1".to_owned(),
        }
    }
}

/// Random programs with few interleavings, with all of these.
fn for_programs(
    usual: u64,
    inside: bool,
    mut check: impl FnMut(&Finite<'_>, &[Run], &mut Random) -> Result<(), String>,
) {
    let mut looked_at = 0;
    let mut worst: Option<(usize, String)> = None;
    for seed in seeds(usual) {
        let text = Writer::program(seed, inside);
        let (_, system) = program(&text);
        let finite = finite(&system);
        if tallies(&finite, None).iter().map(Tally::runs).sum::<u128>() > 800 {
            continue;
        }
        looked_at += 1;
        let runs = brute(&finite);
        if let Err(wrong) = check(&finite, &runs, &mut Random::new(seed))
            && worst.as_ref().is_none_or(|(size, _)| runs.len() < *size)
        {
            worst = Some((runs.len(), format!("seed {seed}\n{text}\n{wrong}")));
        }
    }
    // The smallest of all that went wrong.
    if let Some((_, worst)) = worst {
        panic!("{worst}");
    }
    assert!(looked_at > 0);
}

fn same<T: PartialEq + std::fmt::Debug>(left: T, right: T, what: &str) -> Result<(), String> {
    if left == right { Ok(()) } else { Err(format!("{what}: {left:?} and {right:?}")) }
}

#[test]
fn events_with_footprints_that_do_not_meet_commute() {
    for_programs(1_000, true, |finite, runs, _| {
        let mut seen = BTreeSet::new();
        for run in runs {
            for at in 0..=run.steps.len() {
                let state = run.state(finite, at);
                if !seen.insert(state.clone()) {
                    continue;
                }
                commute(finite, state)?;
            }
        }
        Ok(())
    });
}

fn commute(finite: &Finite<'_>, state: &State) -> Result<(), String> {
    let steps = |state: &State, thread| finite.steps(state, thread).expect("few");
    let about = |step: &Successor| (step.transition, step.inputs.clone());
    for one in 0..finite.threads() {
        for other in (0..finite.threads()).filter(|&other| other != one) {
            let (own, others) = (finite.footprint(state, one), finite.footprint(state, other));
            let independent = own.is_independent(&others);
            for first in steps(state, one) {
                same(&finite.footprint(&first.state, other), &others, "a footprint that others change")?;
                if !independent {
                    continue;
                }
                let before: Vec<_> = steps(state, other).iter().map(about).collect();
                let behind = steps(&first.state, other);
                same(before, behind.iter().map(about).collect(), "what is enabled")?;
                for second in behind {
                    let reversed = steps(state, other).into_iter().find(|step| about(step) == about(&second));
                    let reversed = reversed.expect("it is enabled").state;
                    let then = steps(&reversed, one).into_iter().find(|step| about(step) == about(&first));
                    same(then.map(|step| step.state), Some(second.state), "the state behind both")?;
                }
            }
        }
    }
    Ok(())
}

/// The trace of each run: the closure of swapping neighbours that are independent.
fn classes(runs: &[Run]) -> Vec<usize> {
    let key = |run: &Run| {
        let steps = run.steps.iter().map(|step| (step.event, step.transition, step.inputs.clone()));
        (run.start, steps.collect::<Vec<_>>())
    };
    let index: FxHashMap<_, usize> = runs.iter().enumerate().map(|(at, run)| (key(run), at)).collect();
    let mut class: Vec<usize> = (0..runs.len()).collect();
    for first in 0..runs.len() {
        if class[first] != first {
            continue;
        }
        let mut work = vec![first];
        while let Some(at) = work.pop() {
            let (start, steps) = key(&runs[at]);
            for swap in 1..steps.len() {
                let [one, other] = [&runs[at].steps[swap - 1], &runs[at].steps[swap]];
                if one.event.thread != other.event.thread && one.footprint.is_independent(&other.footprint) {
                    let mut swapped = steps.clone();
                    swapped.swap(swap - 1, swap);
                    let to = index[&(start, swapped)];
                    if to != first && class[to] == to {
                        class[to] = first;
                        work.push(to);
                    }
                }
            }
        }
    }
    class
}

#[test]
fn the_canonical_form_is_that_of_a_trace() {
    for_programs(1_000, true, |_, runs, _| {
        let mut forms: BTreeMap<Canonical, usize> = BTreeMap::new();
        for (run, class) in runs.iter().zip(classes(runs)) {
            same(*forms.entry(run.canonical()).or_insert(class), class, "a trace")?;
        }
        let classes: BTreeSet<usize> = classes(runs).into_iter().collect();
        same(forms.len(), classes.len(), "traces")
    });
}

#[test]
fn an_exploration_has_a_run_of_each_trace() {
    for_programs(3_000, true, |finite, runs, _| {
        let mut forms: BTreeSet<Canonical> = runs.iter().map(Run::canonical).collect();
        for (run, outcome) in explored(finite) {
            same(outcome.is_good(), is_good(finite, &run), "how it ends")?;
            if !forms.remove(&run.canonical()) {
                return Err(format!("twice: {run:?}"));
            }
        }
        if forms.is_empty() { Ok(()) } else { Err(format!("{} missed: {:?}", forms.len(), forms.first())) }
    });
}

fn any_graph(runs: &[Run], random: &mut Random) -> TraceGraph {
    let events: BTreeSet<Event> = runs.iter().flat_map(Run::events).collect();
    let list: Vec<Event> = events.iter().copied().collect();
    // Along some run, so that there is no circle.
    let order: Vec<Event> = runs[random.below(runs.len() as u64) as usize].events().collect();
    if order.is_empty() {
        return TraceGraph::new(list, Vec::new()).expect("no circle");
    }
    let mut edges = Vec::new();
    for _ in 0..random.below(4) {
        let [one, other] = [(); 2].map(|()| random.below(order.len() as u64) as usize);
        let (from, to) = (order[one.min(other)], order[one.max(other)]);
        if from.thread != to.thread {
            edges.push(Edge::always(from, to));
        }
    }
    let all = TraceGraph::new(list, edges).expect("no circle");
    match random.below(2) {
        0 => all,
        _ => {
            let after = all.after([order[random.below(order.len() as u64) as usize]]);
            all.prefix(events.difference(&after).copied().collect()).expect("it is closed")
        }
    }
}

#[test]
fn listing_and_counting_agree_with_brute_force() {
    for_programs(1_000, true, |finite, runs, random| {
        let about =
            |run: &Run| (run.start, run.steps.iter().map(|step| (step.event, step.inputs.clone())).collect::<Vec<_>>());
        let all: Vec<_> = runs.iter().map(about).collect();
        same(list(finite, None).iter().map(|(run, _)| about(run)).collect(), all.clone(), "runs")?;
        let graph = any_graph(runs, random);
        let under = list(finite, Some(graph.clone()));
        let (whole, stuck): (Vec<_>, Vec<_>) = under.iter().partition(|(run, _)| all.contains(&about(run)));
        let free = permitted(finite, &graph, runs).into_iter().map(about);
        same(whole.iter().map(|(run, _)| about(run)).collect::<Vec<_>>(), free.collect(), "permitted runs")?;
        // What is not a whole run is stuck; or it went wrong before.
        let is_stuck = |(_, outcome): &&(Run, Outcome)| matches!(outcome, Outcome::Stuck | Outcome::Error { .. });
        same(stuck.iter().all(is_stuck) && !whole.iter().any(|found| found.1 == Outcome::Stuck), true, "stuck")?;
        for (start, tally) in tallies(finite, Some(graph)).into_iter().enumerate() {
            let of = |wanted: &dyn Fn(Outcome) -> bool| {
                under.iter().filter(|(run, outcome)| run.start == start && wanted(*outcome)).count() as u128
            };
            same(tally.ended, of(&|outcome| outcome == Outcome::Ended), "ended")?;
            same(tally.errors, of(&|outcome| matches!(outcome, Outcome::Error { .. })), "errors")?;
            same(tally.deadlocks, of(&|outcome| outcome == Outcome::Deadlock), "deadlocks")?;
            same(tally.stuck, of(&|outcome| outcome == Outcome::Stuck), "stuck")?;
        }
        Ok(())
    });
}

/// Adherence as it is defined: by the first event, and then the rest.
fn adheres(finite: &Finite<'_>, graph: &TraceGraph, run: &Run, from: usize) -> bool {
    let Some(step) = run.steps.get(from) else { return true };
    graph.events().contains(&step.event)
        && !graph.edges().iter().any(|edge| edge.to == step.event && edge.holds(run.state(finite, from)))
        && adheres(finite, &graph.remove(step.event), run, from + 1)
}

fn cut(run: &Run, steps: usize) -> Run {
    Run { start: run.start, steps: run.steps[..steps].to_vec() }
}

#[test]
fn adherence_and_coverage_are_as_defined() {
    for_programs(600, false, |finite, runs, random| {
        let graph = any_graph(runs, random);
        for run in runs {
            for steps in 0..=run.steps.len() {
                let part = cut(run, steps);
                same(graph.adheres(finite, &part), adheres(finite, &graph, &part, 0), "adherence")?;
                let linearises = |part: &Run| {
                    adheres(finite, &graph, part, 0) && part.events().collect::<BTreeSet<_>>() == *graph.events()
                };
                same(graph.is_linearised_by(finite, &part), linearises(&part), "linearisation")?;
                let begins = (0..=steps).any(|steps| linearises(&cut(run, steps)));
                same(graph.covers(finite, &part), adheres(finite, &graph, &part, 0) || begins, "coverage")?;
                if graph.covers(finite, &part) && graph.forbids(finite, &part).is_some() {
                    return Err("what is covered is forbidden".to_owned());
                }
            }
        }
        Ok(())
    });
}

/// A symbolic trace of some good run, if there is one.
fn some_trace(finite: &Finite<'_>, runs: &[Run], random: &mut Random) -> Option<SymbolicTrace> {
    let good: Vec<&Run> = runs.iter().filter(|run| is_good(finite, run)).collect();
    let run = good.get(random.below(good.len().max(1) as u64) as usize)?;
    Some(SymbolicTrace::of(finite, run).expect("no inputs inside"))
}

#[test]
fn a_symbolic_trace_is_one_trace_for_each_input() {
    for_programs(3_000, false, |finite, runs, random| {
        let Some(trace) = some_trace(finite, runs, random) else { return Ok(()) };
        // Of inputs with which it can be kept to, up to the end of its events.
        let can_be_kept = |run: &Run| derive::follow(finite, run.start, &trace.order).is_ok_and(|(_, whole)| whole);
        let mut forms: BTreeMap<usize, Canonical> = BTreeMap::new();
        for run in permitted(finite, &trace.graph, runs) {
            if can_be_kept(run) && run.events().all(|event| trace.graph.events().contains(&event)) {
                let known = forms.entry(run.start).or_insert_with(|| run.canonical()).clone();
                same(known, run.canonical(), "the trace of a start")?;
            }
        }
        if forms.is_empty() { Err("it permits nothing".to_owned()) } else { Ok(()) }
    });
}

#[test]
fn what_a_prefix_permits_is_what_it_covers_up_to_order() {
    for_programs(2_000, false, |finite, runs, random| {
        let Some(trace) = some_trace(finite, runs, random) else { return Ok(()) };
        let at = trace.order[random.below(trace.order.len() as u64) as usize];
        let after = trace.graph.after([at]);
        let left = trace.graph.events().difference(&after).copied().collect();
        let prefix = trace.graph.prefix(left).expect("it is closed");
        same(prefix.is_prefix_of(&trace.graph), true, "a prefix")?;
        let permitted: BTreeSet<Canonical> = permitted(finite, &prefix, runs).into_iter().map(Run::canonical).collect();
        // Of inputs for which all of its events come.
        let has_all = |run: &&Run| prefix.events().iter().all(|event| run.events().any(|other| other == *event));
        let whole: BTreeSet<usize> = runs.iter().filter(has_all).map(|run| run.start).collect();
        for run in runs.iter().filter(|run| whole.contains(&run.start)) {
            let covered = prefix.covers(finite, run);
            if covered && !permitted.contains(&run.canonical()) {
                return Err("covered and not permitted".to_owned());
            }
        }
        let mut budget = Budget::unlimited();
        let count = count_covered(finite, &trace, &prefix, u64::MAX, &mut budget).map_err(|why| format!("{why:?}"))?;
        let comes_to_its_end = |start| derive::follow(finite, start, &trace.order).is_ok_and(|(_, whole)| whole);
        if (0..finite.starts().len()).all(comes_to_its_end) && permitted.len() as u64 != count {
            return Err(format!("{} permitted, {count} covered\n{prefix:?}", permitted.len()));
        }
        Ok(())
    });
}

#[test]
fn relaxing_keeps_to_what_is_right() {
    let (mut with_kept, mut with_inputs, mut to_the_end) = (0, 0, 0);
    for_programs(2_000, false, |finite, runs, random| {
        let mut budget = Budget::unlimited();
        let found = FirstTrace::new(finite).advance(&mut budget).map_err(|why| format!("{why:?}"))?;
        let Some(trace) = found else { return Ok(()) };
        let strategy = Strategy::ALL[random.below(3) as usize];
        let mut relaxation = Relaxation::new(finite, trace.clone(), strategy).expect("no inputs inside");
        let mut before: Option<TraceGraph> = None;
        loop {
            match relaxation.advance(&mut budget).map_err(|why| format!("{why:?}"))? {
                RelaxProgress::Verified => {}
                RelaxProgress::Finished => break,
                RelaxProgress::Kept(kept) => {
                    with_kept += 1;
                    same(is_good(finite, &kept.run), false, "a run that goes wrong")?;
                    if relaxation.admissible().is_none_or(|graph| graph.forbids(finite, &kept.run).is_none()) {
                        return Err("what goes wrong is permitted".to_owned());
                    }
                }
                RelaxProgress::Relaxed(step) => {
                    let now = relaxation.admissible().expect("it is verified").clone();
                    same(step.constraints, now.edges().len(), "constraints")?;
                    if before.as_ref().is_some_and(|before| !now.is_prefix_of(before)) {
                        return Err("no prefix".to_owned());
                    }
                    let tallies = tallies(finite, Some(now.clone()));
                    if !tallies.iter().all(Tally::is_good) {
                        return Err(format!("{now:?}: {tallies:?}"));
                    }
                    let forms: BTreeSet<Canonical> =
                        permitted(finite, &now, runs).into_iter().map(Run::canonical).collect();
                    same(step.traces, forms.len() as u64, "traces")?;
                    before = Some(now);
                }
            }
        }
        let end = relaxation.admissible().ok_or("the first trace is right")?;
        for candidate in candidates(end) {
            if tallies(finite, Some(candidate.left)).iter().all(Tally::is_good) {
                return Err(format!("{:?} need not stay", candidate.constraint));
            }
        }
        with_inputs += usize::from(finite.starts().len() > 1);
        if relaxation.kept().is_empty() {
            to_the_end += 1;
            same(relaxation.runs(), relaxation.verified(), "runs of traces")?;
            same(relaxation.total(), Some(explored(finite).len() as u64), "all traces")?;
        }
        Ok(())
    });
    assert!(with_kept > 0 && with_inputs > 0 && to_the_end > 0, "{with_kept}, {with_inputs}, {to_the_end}");
}

#[test]
fn an_execution_does_what_is_permitted() {
    for_programs(1_000, true, |finite, runs, random| {
        let graph = any_graph(runs, random);
        let start = random.below(finite.starts().len() as u64) as usize;
        let mut execution = Execution::new(finite, graph.clone(), start);
        while execution.outcome().expect("few").is_none() {
            let thread = random.below(finite.threads() as u64) as usize;
            match execution.standing(thread).expect("few") {
                Standing::Free(inputs) => {
                    same(execution.take(thread, inputs), Err(Refused::NoSuchInput(inputs)), "an input").ok();
                    execution.take(thread, random.below(inputs as u64) as usize).map_err(|why| why.to_string())?;
                }
                _ => same(execution.take(thread, 0).is_err(), true, "a step of who is not free")?,
            }
        }
        same(graph.forbids(finite, execution.run()), None, "the run")
    });
}

#[test]
fn interleavings_are_counted_exactly() {
    assert_eq!(interleavings(&[5, 5]), Some(252));
    assert_eq!(interleavings(&[50, 50]), Some(100_891_344_545_564_193_334_812_497_256));
    assert_eq!(interleavings(&[1, 1, 1, 1]), Some(24));
    assert_eq!((interleavings(&[]), interleavings(&[7]), interleavings(&[100, 100])), (Some(1), Some(1), None));
    for (events, number) in [(5, 252), (50, 100_891_344_545_564_193_334_812_497_256)] {
        let thread = |place: &str| format!("{place} := 1; ").repeat(events);
        let (_, system) = program(&format!("shared x, y\n{} || {}", thread("x"), thread("y")));
        let [tally] = tallies(&finite(&system), None)[..] else { panic!("one start") };
        assert_eq!((tally.ended, tally.runs(), tally.overflown), (number, number, false));
        assert_eq!(serde_json::to_value(tally).expect("it is data")["ended"], number.to_string());
    }
    // Even if they are more than can be counted.
    let thread = |place: &str| format!("{place} := 1; ").repeat(70);
    let (_, system) = program(&format!("shared x, y\n{} || {}", thread("x"), thread("y")));
    let [tally] = tallies(&finite(&system), None)[..] else { panic!("one start") };
    assert_eq!((tally.overflown, tally.ended), (true, u128::MAX));
}

#[test]
fn traces_are_as_many_as_in_the_literature() {
    for n in 2..=7 {
        assert_eq!(traces(&last_zero(n)), u64::from(n) << (n - 2), "last zero {n}");
        let readers = "||\nr := x\n".repeat(n as usize - 1);
        assert_eq!(traces(&format!("shared x\nx := 1\n{readers}")), 1 << (n - 1), "readers and writers {n}");
        let ring: Vec<String> = (0..n).map(|at| format!("atomic {{ x[{}] := x[{at}] }}", (at + 1) % n)).collect();
        assert_eq!(traces(&format!("shared x[{n}]\n{}", ring.join("\n||\n"))), (1 << n) - 2, "ring {n}");
        let reads = |own: &str| format!("atomic {{ r := *{own} }}\n").repeat(n as usize);
        let pointers = format!("shared u, v, p = &u, q = &v\n{}q := &u\n||\n{}p := &v", reads("p"), reads("q"));
        assert_eq!(traces(&pointers), 2 * u64::from(n) + 1, "shared pointer {n}");
    }
    for (n, number) in [(2, 11), (3, 28), (4, 103), (5, 311)] {
        let thread = |at: usize| format!("if x[{at}] = 0 {{ x[{}] := 1 }}\n", (at + 1) % n).repeat(2);
        let threads: Vec<String> = (0..n).map(thread).collect();
        assert_eq!(traces(&format!("shared x[{n}]\n{}", threads.join("||\n"))), number, "branching {n}");
    }
    // With 15 threads: `indexer_has_4096_traces`, beside this one.
    for n in 11..=14 {
        assert_eq!(traces(&indexer(n)), 1 << (3 * (n - 11)), "indexer {n}");
    }
}

/// The starts of the increments at which the pointers are the same, and at which they are not.
fn same_pointers(system: &System, state: &State) -> bool {
    let value = |name: &str| state.values[system.names.iter().position(|other| other == name).expect("it is there")];
    value("x") == value("y")
}

#[test]
fn increments_through_the_same_pointer_go_wrong_once() {
    let (_, system) = program(INCREMENTS);
    let finite = finite(&system);
    assert_eq!(finite.starts().len(), 4);
    let runs = list(&finite, None);
    for (start, state) in finite.starts().iter().enumerate() {
        let own: Vec<_> = runs.iter().filter(|(run, _)| run.start == start).collect();
        let forms: BTreeSet<Canonical> = own.iter().map(|(run, _)| run.canonical()).collect();
        let wrong: Vec<_> = own.iter().filter(|(_, outcome)| !outcome.is_good()).collect();
        if same_pointers(&system, state) {
            assert_eq!((own.len(), forms.len(), wrong.len()), (10, 6, 1));
            assert_eq!(wrong[0].1, Outcome::Error { at: 4 });
            assert_eq!(wrong[0].0.events().collect::<Vec<_>>(), [R1, W1, R2, W2, A1]);
        } else {
            assert_eq!((own.len(), forms.len(), wrong.len()), (10, 1, 0));
        }
    }
}

#[test]
fn what_one_constraint_permits() {
    let (_, system) = program(INCREMENTS);
    let finite = finite(&system);
    let all = [R1, W1, A1, R2, W2];
    let effects = |edges: &[(Event, Event)]| {
        let edges = edges.iter().map(|(from, to)| Edge::always(*from, *to)).collect();
        let graph = TraceGraph::new(all, edges).expect("no circle");
        let tallies = tallies(&finite, Some(graph));
        let starts = finite.starts().iter().zip(&tallies);
        let same: Vec<Tally> = starts.filter(|(state, _)| same_pointers(&system, state)).map(|(_, t)| *t).collect();
        assert!(tallies.iter().all(|tally| tally.runs() == same[0].runs() && tally.stuck == 0));
        (same[0].runs(), same.iter().all(Tally::is_good))
    };
    for (from, to, number, safe) in EFFECTS {
        assert_eq!(effects(&[(from, to)]), (number as u128, safe), "{from:?} {to:?}");
    }
    assert_eq!(effects(&[(W1, R2), (A1, W2)]), (2, true));
    // With a predicate, other pointers are not constrained.
    let (parsed, _) = program(INCREMENTS);
    let trace = SymbolicTrace::of_threads_in_turn(&finite).expect("it ends");
    let shown: Vec<_> = constraints(&parsed, &system, trace.graph.edges())
        .into_iter()
        .map(|edge| (edge.from, edge.to, edge.when.expect("a predicate")))
        .collect();
    assert_eq!(shown, [(W1, R2, "x = y".to_owned()), (A1, W2, "x = y".to_owned())]);
    for (state, tally) in finite.starts().iter().zip(tallies(&finite, Some(trace.graph))) {
        assert_eq!((tally.runs(), tally.is_good()), (if same_pointers(&system, state) { 2 } else { 10 }, true));
    }
}

#[test]
fn increments_are_relaxed_as_far_as_they_can_be() {
    let (_, system) = program(INCREMENTS);
    let finite = finite(&system);
    let mut budget = Budget::unlimited();
    for strategy in Strategy::ALL {
        // The first thread first: without the last constraint, the one wrong run is possible, so both stay.
        let trace = SymbolicTrace::of_threads_in_turn(&finite).expect("it ends");
        let mut relaxation = Relaxation::new(&finite, trace, strategy).expect("no inputs inside");
        while relaxation.advance(&mut budget).expect("it ends") != RelaxProgress::Finished {}
        let [kept] = relaxation.kept() else { panic!("{:?}", relaxation.kept()) };
        assert_eq!(kept.constraint.as_ref().map(|edge| (edge.from, edge.to)), Some((A1, W2)));
        assert_eq!(kept.run.events().collect::<Vec<_>>(), [R1, W1, R2, W2, A1]);
        assert_eq!((relaxation.admissible().map(|graph| graph.edges().len()), relaxation.verified()), (Some(2), 4));
        // The second thread first: its read alone has to come before the first thread's write, as much as one constraint permits.
        let second = run_of(&finite, &[R2, W2, R1, W1, A1]);
        let trace = SymbolicTrace::of(&finite, &second).expect("no inputs inside");
        let mut relaxation = Relaxation::new(&finite, trace, strategy).expect("no inputs inside");
        while relaxation.advance(&mut budget).expect("it ends") != RelaxProgress::Finished {}
        let end = relaxation.admissible().expect("it is right");
        assert_eq!((end.events().iter().copied().collect::<Vec<_>>(), end.edges().len()), (vec![R2], 0));
        for (state, tally) in finite.starts().iter().zip(tallies(&finite, Some(end.clone()))) {
            assert_eq!(tally.runs(), if same_pointers(&system, state) { 7 } else { 10 });
        }
    }
}

/// The first run of some events in their order.
fn run_of(finite: &Finite<'_>, order: &[Event]) -> Run {
    let mut runs = list(finite, None).into_iter().map(|(run, _)| run);
    runs.find(|run| run.events().eq(order.iter().copied())).expect("it is possible")
}

/// The events that may come next as printed: a whole sequence is free if it is covered, or if no edge that holds in the state in front of
/// it leads from another thread to one of its events.
fn is_free_as_printed(finite: &Finite<'_>, graph: &TraceGraph, run: &Run, from: usize) -> bool {
    let state = run.state(finite, from);
    let unconstrained = |step: &Step| !graph.edges().iter().any(|edge| edge.to == step.event && edge.holds(state));
    graph.covers(finite, run) || run.steps[from..].iter().all(unconstrained)
}

#[test]
fn nothing_behind_a_prefix_overtakes_what_is_in_it() {
    let (_, system) = program("shared x\nx := 1; x := 2 || r := x");
    let finite = finite(&system);
    let (a1, a2, b1) = (event(0, 0), event(0, 1), event(1, 0));
    let trace = SymbolicTrace::of(&finite, &run_of(&finite, &[a1, b1, a2])).expect("no inputs inside");
    let prefix = trace.graph.prefix([a1, b1].into()).expect("it is closed");
    assert_eq!(prefix.edges(), [Edge::always(a1, b1)]);
    let overtaking = run_of(&finite, &[a1, a2, b1]);
    // As printed, the second event of the first thread is free though the one in front of it is still to come, and nobody has verified
    // that.
    assert!(is_free_as_printed(&finite, &prefix, &cut(&overtaking, 2), 1));
    assert!(!prefix.covers(&finite, &overtaking));
    // Whether it is known what events access, or not.
    let unknown = TraceGraph::new([a1, b1], vec![Edge::always(a1, b1)]).expect("no circle");
    for graph in [&prefix, &unknown] {
        assert_eq!(graph.forbids(&finite, &overtaking), Some((1, vec![b1])));
        let [tally] = tallies(&finite, Some(graph.clone()))[..] else { panic!("one start") };
        assert_eq!((tally.runs(), tally.stuck), (1, 0));
    }
}

#[test]
fn predicates_are_looked_at_before_each_event() {
    let (_, system) = program("shared f, x\nx := 1 || f := 1; x := 2");
    let finite = finite(&system);
    let (a1, b1, b2) = (event(0, 0), event(1, 0), event(1, 1));
    let flag = system.names.iter().position(|name| name == "f").expect("it is there");
    let when = std::sync::Arc::new(Term::Variable(litmoscope_core::program::system::Variable(flag as u32)));
    let graph = TraceGraph::new([a1, b1, b2], vec![Edge { from: a1, to: b2, when }]).expect("no circle");
    let run = run_of(&finite, &[b1, b2, a1]);
    // As printed, both events are free from the start on, where the flag is not set yet.
    assert!(is_free_as_printed(&finite, &graph, &cut(&run, 2), 0));
    assert_eq!(graph.forbids(&finite, &run), Some((1, vec![a1])));
}

fn relax(finite: &Finite<'_>, strategy: Strategy, steps: usize) -> Vec<Relaxed> {
    let trace = SymbolicTrace::of_threads_in_turn(finite).expect("it ends");
    let mut relaxation = Relaxation::new(finite, trace, strategy).expect("no inputs inside");
    while relaxation.steps().len() < steps
        && relaxation.advance(&mut Budget::unlimited()).expect("it ends") != RelaxProgress::Finished
    {}
    assert_eq!(relaxation.runs(), relaxation.verified(), "each trace is run once");
    relaxation.steps().to_vec()
}

#[test]
fn indexer_drops_three_of_twelve_constraints_for_eight_traces() {
    let (_, system) = program(&indexer(15));
    let finite = finite(&system);
    let numbers = |strategy, steps| -> Vec<(usize, usize, u64)> {
        let steps = relax(&finite, strategy, steps);
        assert!(steps[1..].iter().all(|step| step.dropped.len() == 1), "one at a time");
        steps.iter().map(|step| (step.constraints, step.waiting, step.traces)).collect()
    };
    let few = [(12, 4, 1), (11, 4, 2), (10, 4, 4), (9, 3, 8), (8, 3, 16), (7, 3, 32), (6, 2, 64)];
    assert_eq!(numbers(Strategy::FewWaitOften, 7), few);
    let many = [(12, 4, 1), (11, 4, 2), (10, 4, 4), (9, 4, 8), (8, 4, 16)];
    assert_eq!(numbers(Strategy::ManyWaitRarely, 5), many);
    let trace = SymbolicTrace::of_threads_in_turn(&finite).expect("it ends");
    // Each of the four threads that wait does so three times, for one other thread; the last one of each can go alone.
    let pairs: BTreeSet<(u16, u16)> =
        trace.graph.edges().iter().map(|edge| (edge.from.thread, edge.to.thread)).collect();
    assert_eq!(pairs, [(0, 11), (1, 12), (2, 13), (3, 14)].into());
    let possible = candidates(&trace.graph);
    assert_eq!(possible.len(), 4);
    for candidate in possible {
        let count = count_covered(&finite, &trace, &candidate.left, 100, &mut Budget::unlimited());
        assert_eq!((count, candidate.dropped.len()), (Ok(2), 1));
    }
    let free: BTreeSet<u16> = (0..15).filter(|thread| !(11..15).contains(thread)).collect();
    let execution = Execution::new(&finite, trace.graph, 0);
    let is_free = |thread: &u16| execution.standing(usize::from(*thread)) == Ok(Standing::Free(1));
    assert_eq!((0..15).filter(is_free).collect::<BTreeSet<_>>(), free);
}

#[test]
fn small_indexers_and_last_zeros_are_relaxed_to_the_end() {
    for (text, constraints, all) in [(indexer(13), 6, 64), (last_zero(6), 5, 96)] {
        let (_, system) = program(&text);
        let finite = finite(&system);
        for strategy in Strategy::ALL {
            let steps = relax(&finite, strategy, usize::MAX);
            assert_eq!((steps[0].constraints, steps[0].traces), (constraints, 1));
            let last = steps.last().expect("there are some");
            assert_eq!((last.constraints, last.waiting, last.traces), (0, 0, all));
        }
    }
    let (_, system) = program(&last_zero(16));
    assert_eq!(SymbolicTrace::of_threads_in_turn(&finite(&system)).expect("it ends").graph.edges().len(), 15);
}

#[test]
fn what_has_no_end_is_refused() {
    let (_, system) =
        program("shared l\nrepeat { a := xchg(l, 1) } until a = 0 || repeat { a := xchg(l, 1) } until a = 0");
    let finite = finite(&system);
    let too_long = SymbolicError::TooLong { limit: 2_000 };
    let budget = &mut Budget::unlimited();
    let counted = Counting::new(&finite, None).advance(budget).map(<[_]>::len);
    assert_eq!(counted, Err(too_long.into()));
    let mut listing = Interleavings::new(&finite, None);
    assert_eq!(std::iter::from_fn(|| listing.advance(budget).transpose()).find_map(Result::err), Some(too_long.into()));
    assert_eq!(count_traces(&finite, u64::MAX, budget), Err(too_long.into()));
    assert_eq!(SymbolicTrace::of_threads_in_turn(&finite), Err(too_long));
    let (_, system) = program("shared x\nr := input 0..1; x := r || r := x");
    let finite = Finite::new(&system, Limits::default()).expect("few");
    assert!(matches!(SymbolicTrace::of_threads_in_turn(&finite), Err(SymbolicError::InputInside { .. })));
    let (_, system) = program("shared x = input 0..1000\nr := x");
    assert_eq!(Finite::new(&system, Limits::default()).err(), Some(SymbolicError::TooManyStarts { limit: 256 }));
    let (_, system) = program("shared x = input 0..1\nassuming x > 1\nr := x");
    assert_eq!(Finite::new(&system, Limits::default()).err(), Some(SymbolicError::NoStart));
}

#[test]
fn graphs_that_are_none_are_said() {
    let edge = |from, to| vec![Edge::always(from, to)];
    assert_eq!(TraceGraph::new([R1], edge(R1, R2)), Err(GraphError::NoSuchEvent(R2)));
    assert_eq!(TraceGraph::new([R1, W1], edge(R1, W1)), Err(GraphError::OneThread(R1, W1)));
    let circle = vec![Edge::always(W1, R2), Edge::always(W2, R1)];
    assert_eq!(TraceGraph::new([R1, W1, R2, W2], circle), Err(GraphError::Circle));
    let graph = TraceGraph::new([R1, W1, R2, W2], edge(W1, R2)).expect("no circle");
    assert_eq!(graph.prefix([R1, R2].into()), Err(GraphError::NotClosed(R2)));
    assert_eq!(graph.without(W1, R2).events().iter().copied().collect::<Vec<_>>(), [R1]);
}

#[test]
fn constraints_are_dropped_in_the_middle_of_a_run() {
    let (_, system) = program(INCREMENTS);
    let finite = finite(&system);
    let trace = SymbolicTrace::of_threads_in_turn(&finite).expect("it ends");
    let start = finite.starts().iter().position(|state| same_pointers(&system, state)).expect("there is one");
    let mut execution = Execution::new(&finite, trace.graph.clone(), start);
    assert_eq!(execution.standing(1), Ok(Standing::Waits(vec![W1])));
    assert_eq!(execution.take(1, 0), Err(Refused::NotFree(1)));
    assert!(execution.take(0, 0).is_ok());
    execution.relax(trace.graph.without(W1, R2)).expect("it is a prefix");
    assert_eq!(execution.standing(1), Ok(Standing::Free(1)));
    assert_eq!(execution.relax(trace.graph), Err(Refused::NoPrefix));
}

#[test]
fn pauses_change_nothing() {
    let (_, system) = program(INCREMENTS);
    let finite = finite(&system);
    let budget = || Budget::unlimited().capped(2);
    let mut counting = Counting::new(&finite, None);
    let counted = loop {
        if let Ok(tallies) = counting.advance(&mut budget()) {
            break tallies.to_vec();
        }
    };
    assert_eq!(counted, tallies(&finite, None));
    let mut listing = Interleavings::new(&finite, None);
    let mut listed = Vec::new();
    loop {
        match listing.advance(&mut budget()) {
            Ok(Some(found)) => listed.push(found),
            Ok(None) => break,
            Err(why) => assert_eq!(why, Interrupt::Paused),
        }
    }
    assert_eq!(listed, list(&finite, None));
    let trace = SymbolicTrace::of_threads_in_turn(&finite).expect("it ends");
    let mut relaxation = Relaxation::new(&finite, trace, Strategy::LatestFirst).expect("no inputs inside");
    loop {
        match relaxation.advance(&mut budget()) {
            Ok(RelaxProgress::Finished) => break,
            Ok(_) => {}
            Err(why) => assert_eq!(why, Interrupt::Paused),
        }
    }
    assert_eq!((relaxation.steps().len(), relaxation.kept().len(), relaxation.runs()), (1, 1, 5));
}

#[test]
fn a_page_gets_all_that_it_draws() {
    let (parsed, system) = program(INCREMENTS);
    let finite = finite(&system);
    let trace = SymbolicTrace::of_threads_in_turn(&finite).expect("it ends");
    let view = View::new(&parsed, &finite, &list(&finite, None), true, Some(&trace.graph));
    assert_eq!((view.interleavings.len(), view.traces, view.events.len()), (40, 14, 5));
    let json = serde_json::to_value(&view).expect("it is data");
    assert_eq!(json["starts"][1]["inputs"], serde_json::json!([["x", "&u"], ["y", "&v"]]));
    assert_eq!(json["events"][0]["locations"], serde_json::json!(["u", "v", "x"]));
    assert_eq!((&json["events"][0]["kind"], &json["events"][0]["line"]), (&"atomic block".into(), &4.into()));
    let wrong = view.interleavings.iter().find(|one| one.outcome == OutcomeView::Error { at: 4 }).expect("one");
    assert_eq!((&wrong.events[..], wrong.forbidden), (&[0, 1, 3, 4, 2][..], Some(3)));
    let free =
        |start: usize| view.interleavings.iter().filter(|one| one.start == start && one.forbidden.is_none()).count();
    assert_eq!([0, 1, 2, 3].map(free), [2, 10, 10, 2]);
}

#[test]
fn indexer_has_4096_traces() {
    let (_, system) = program(&indexer(15));
    let steps = relax(&finite(&system), Strategy::FewWaitOften, usize::MAX);
    let numbers: Vec<_> = steps.iter().map(|step| (step.constraints, step.waiting, step.traces)).collect();
    assert_eq!((numbers[3], numbers[6], numbers[9]), ((9, 3, 8), (6, 2, 64), (3, 1, 512)));
    assert_eq!(numbers[12..], [(0, 0, 4096), (0, 0, 4096)]);
}

#[test]
fn who_takes_a_mutex_second_may_take_it_first() {
    // When the second thread comes to its mutex, the first one has freed it: nothing seems to have been in its way.
    assert_eq!(traces("shared m, x, y\nlock m; x := 1; unlock m || y := 1; lock m; unlock m"), 2);
    // An event that waits for the first of two writes, or for the second.
    assert_eq!(traces("shared x, y\nx := 1; x := 2 || assume x = 1"), 2);
    assert_eq!(traces("shared x, y\nx := 1; x := 2 || y := 1; assume x = 2"), 1);
}

#[test]
fn an_event_that_does_not_come_orders_nothing() {
    // With y = 1 the middle thread goes wrong at once, and the writes of the others are ordered by no event of it.
    let text = "shared y = input 0..1\ny := 2 || assert y != 1; fetch_xor(y, 1); r := y || y := 3";
    let (_, system) = program(text);
    let finite = finite(&system);
    let order = [event(1, 0), event(0, 0), event(1, 1), event(1, 2), event(2, 0)];
    let trace = SymbolicTrace::of(&finite, &run_of(&finite, &order)).expect("no inputs inside");
    assert!(trace.graph.edges().contains(&Edge::always(event(0, 0), event(2, 0))), "{:?}", trace.graph.edges());
}
