//! Executions that are stuck for good: what explorations report, beside two slow definitions on random programs.
//!
//! The first looks at each candidate graph with each co that the axioms allow, and at the last round of each loop. The second knows no
//! rounds: it lets the threads that wait in loops go on alone, on what the co leaves in memory, and sees whether that ever ends.

use super::spins::{LOOPS, STATEMENTS, filled};
use litmoscope::budget::Budget;
use litmoscope::explore::brute_force::{candidates_up_to, coherence_orders};
use litmoscope::explore::{
    Algorithm, Counts, Coverage, ExecutionKind, Explorer, Fault, Findings, Options, Pause, Results, Step, Verdict, Work,
};
use litmoscope::graph::{CanonicalExecution, Coherence, EventId, Execution, Label, ThreadId};
use litmoscope::model::Model;
use litmoscope::program::{Action, Code, Limits, Program, ThreadState, Value};
use litmoscope::testing::seeds;
use litmoscope_tests::program;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::collections::BTreeSet;
use std::sync::Arc;

/// How many steps an exploration may take; longer ones are skipped and counted.
const STEPS: u64 = 20_000;

const LIMITS: Limits =
    Limits { unroll: 2, local_steps: 1000, events: 1000, unroll_spins: false, search: u64::MAX, table: Limits::TABLE };

const OPTIONS: Options = Options { stuck_loops: true, ..Options::within(LIMITS) };

fn programs() -> impl Strategy<Value = String> {
    let part = || {
        prop_oneof![
            3 => select(LOOPS).prop_flat_map(filled),
            3 => select(STATEMENTS).prop_flat_map(filled),
            1 => select(&["lock m", "lock m; unlock m", "lock n", "lock n; x := 1; unlock n"][..]).prop_map(str::to_owned),
        ]
    };
    let thread = move || proptest::collection::vec(part(), 1..=3).prop_map(|parts| parts.join("; "));
    let asked = select(&["", "\n\nexists (x = 1)", "\n\nexists (x = 1)"][..]);
    let threads = proptest::collection::vec(thread(), 2..=3);
    (threads, asked).prop_map(|(threads, asked)| format!("shared x, y, m, n\n{}{asked}", threads.join("\n||\n")))
}

fn sample(seed: u64) -> String {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(Config { failure_persistence: None, ..Config::default() }, rng);
    programs().new_tree(&mut runner).expect("no filters, no rejections").current()
}

/// Runs a thread on what its events read, loops unrolled, and shows it before each event and at the end.
fn replay(code: &Code, graph: &Execution, thread: ThreadId, mut show: impl FnMut(&ThreadState)) -> ThreadState {
    let limits = Limits { unroll: u32::MAX, unroll_spins: true, ..LIMITS };
    let index = thread.index();
    let mut state = ThreadState::new(code, index);
    for &e in graph.thread(thread) {
        state.advance(code, index, limits);
        show(&state);
        if graph.event(e).ends_thread() {
            break;
        }
        state.resume(code, index, graph.event(e).value_read);
    }
    state
}

/// The last round of a thread that waits in a loop: from the last time that it stood at the instruction at which it stands now.
fn last_round(code: &Code, graph: &Execution, thread: ThreadId) -> Vec<EventId> {
    let mut places = Vec::new();
    replay(code, graph, thread, |state| {
        places.push(state.instruction_at(code, thread.index()).map(std::ptr::from_ref));
    });
    let here = places.pop().expect("the thread waits");
    let from = places.iter().rposition(|place| *place == here).expect("it was here before");
    graph.thread(thread)[from..places.len()].to_vec()
}

/// The threads that wait in loops; `None` if nobody waits, or somebody may go on or went wrong.
fn spinning(graph: &Execution) -> Option<Vec<ThreadId>> {
    let (mut waits, mut spins) = (false, Vec::new());
    for (_, event) in graph.events() {
        match event.label {
            Label::Error(_) | Label::Stuck | Label::Bound(_) => return None,
            Label::Spin => spins.push(event.thread()),
            _ => waits |= event.is_blocked(),
        }
    }
    (waits || !spins.is_empty()).then_some(spins)
}

/// The first definition.
fn is_stuck(code: &Code, graph: &Execution, co: &Coherence) -> bool {
    let Some(threads) = spinning(graph) else { return false };
    let rounds: Vec<EventId> = threads.into_iter().flat_map(|thread| last_round(code, graph, thread)).collect();
    let writes_again = |e: &EventId| {
        let event = graph.event(*e);
        event.is_update() && event.value_read == event.value_written && rounds.contains(e)
    };
    rounds.iter().filter(|&&e| graph.event(e).is_read()).all(|&read| {
        let location = graph.event(read).location().expect("it reads one");
        let order = &co[location.0 as usize];
        let copies = order.iter().rev().take_while(|e| writes_again(e)).count();
        let lasts = &order[order.len() - copies - 1..];
        graph.source(read).is_some_and(|source| lasts.contains(&source))
    })
}

/// The second definition: whether those that wait in loops go on for ever, changing nothing.
fn goes_on_for_ever(code: &Code, graph: &Execution, co: &Coherence) -> bool {
    let Some(threads) = spinning(graph) else { return false };
    let limits = Limits { unroll: u32::MAX, unroll_spins: true, ..LIMITS };
    let memory: Vec<Value> = co
        .iter()
        .map(|order| graph.event(*order.last().expect("an initial write")).value_written.expect("it writes"))
        .collect();
    threads.into_iter().all(|thread| {
        let mut state = replay(code, graph, thread, |_| ());
        let index = thread.index();
        (0..100).all(|_| {
            let read = match state.advance(code, index, limits) {
                Action::Read { location, .. } => Some(memory[location.0 as usize]),
                Action::Update { location, update, .. } => {
                    let value = memory[location.0 as usize];
                    if update.written(value).is_some_and(|written| written != value) {
                        return false;
                    }
                    Some(value)
                }
                Action::Fence(_) => None,
                // It computes for ever, too.
                Action::Bound(_) => return true,
                _ => return false,
            };
            state.resume(code, index, read);
            true
        })
    })
}

/// What an exploration says of stuck executions.
#[derive(Debug, Default, PartialEq)]
struct Found {
    executions: BTreeSet<CanonicalExecution>,
    faults: Vec<Fault>,
    counts: Counts,
}

/// In the order in which they were found.
fn stuck_faults(results: &Results) -> Vec<Fault> {
    let stuck = |fault: &&Fault| matches!(fault, Fault::StuckForGood(_));
    results.faults().map(|(fault, _)| fault).filter(stuck).cloned().collect()
}

/// Whether these are the same faults, whatever is read where threads wait in loops.
fn are_alike(faults: &[Fault], others: &[Fault]) -> bool {
    let are_in = |some: &[Fault], all: &[Fault]| some.iter().all(|fault| all.iter().any(|other| fault.is_alike(other)));
    faults.len() == others.len() && are_in(faults, others) && are_in(others, faults)
}

/// `None` if it takes too long.
fn explored(explorer: &mut dyn Explorer, program: &Program, code: &Code, model: Model) -> Option<Found> {
    let (mut results, mut found) = (Results::new(program), Found::default());
    loop {
        let step = explorer.advance();
        results.observe(program, code, model, explorer, step);
        match step {
            Step::Execution { kind: ExecutionKind::StuckForGood, .. } => {
                found.executions.insert(explorer.execution().canonical());
            }
            Step::Done => break,
            _ if explorer.counts().steps > STEPS => return None,
            _ => {}
        }
    }
    found.faults = stuck_faults(&results);
    found.counts = explorer.counts();
    Some(found)
}

fn by(algorithm: Algorithm, program: &Program, code: &Arc<Code>, model: Model, options: Options) -> Option<Found> {
    if options.validate_for_program(algorithm, model, code).is_err() {
        return None;
    }
    let mut explorer = algorithm.explorer(Arc::clone(code), model, options).ok()?;
    explored(&mut *explorer, program, code, model)
}

/// What algorithms report is what the first definition says, execution by execution; and what the second one says of the program.
#[test]
fn stuck_executions_are_those_of_the_definitions() {
    let seeds = seeds(150);
    let (mut skipped, mut stuck, mut with_objects, mut programs_stuck, mut compared) = (0, 0, 0, 0, 0);
    for seed in seeds.clone() {
        let text = sample(seed);
        let (program, code) = program(&text);
        let code = Arc::new(code);
        for model in Model::ALL {
            let prepared = model.prepare(Arc::clone(&code));
            let Ok(candidates) = candidates_up_to(1000, &prepared, LIMITS) else {
                skipped += 1;
                continue;
            };
            let place = |algorithm: Algorithm| format!("seed {seed}, {model}, {}\n{text}", algorithm.title());
            let (mut plain, mut ordered, mut never_ends, mut cut) = (BTreeSet::new(), 0, false, false);
            // What is wrong for another reason is not called stuck. Who goes on alone may race then.
            let (fine, racing): (Vec<_>, Vec<_>) = candidates.iter().partition(|graph| model.races(graph).is_empty());
            for graph in &fine {
                let orders = coherence_orders(model, graph);
                cut |= !orders.is_empty() && graph.events().any(|(_, event)| matches!(event.label, Label::Bound(_)));
                for co in orders {
                    never_ends |= goes_on_for_ever(&prepared, graph, &co);
                    if is_stuck(&prepared, graph, &co) {
                        assert!(goes_on_for_ever(&prepared, graph, &co), "seed {seed}, {model}\n{text}\n{graph:?}");
                        plain.insert(graph.canonical());
                        ordered += 1;
                    }
                }
            }
            // What changes something for ever is cut.
            if !never_ends {
                assert!(plain.is_empty(), "seed {seed}, {model}\n{text}");
            } else if !cut && racing.is_empty() {
                assert!(!plain.is_empty(), "seed {seed}, {model}\n{text}");
            }
            stuck += plain.len();
            programs_stuck += usize::from(!plain.is_empty());
            let mut faults = None;
            for algorithm in Algorithm::all_that_see_all() {
                let Some(found) = by(algorithm, &program, &code, model, OPTIONS) else { continue };
                assert_eq!(found.executions, plain, "{}", place(algorithm));
                let expected = if algorithm.tracks_co() { ordered } else { plain.len() as u64 };
                assert_eq!(found.counts.stuck_for_good, expected, "{}", place(algorithm));
                assert_eq!(found.counts.stuck_for_good > 0, !found.faults.is_empty(), "{}", place(algorithm));
                let same = faults.get_or_insert_with(|| found.faults.clone());
                assert!(are_alike(same, &found.faults), "{}\n{same:?}\n{:?}", place(algorithm), found.faults);
                compared += 1;
            }
            for algorithm in [Algorithm::Trust, Algorithm::TrustCo] {
                let options = Options { leave_out_waits: true, ..OPTIONS };
                let Some(found) = by(algorithm, &program, &code, model, options) else { continue };
                let all = faults.clone().unwrap_or_default();
                assert!(are_alike(&found.faults, &all), "{}\n{:?}\n{all:?}", place(algorithm), found.faults);
                let waits_for_object =
                    |fault: &Fault| format!("{fault:?}").contains("Object") && format!("{fault:?}").contains("Loop");
                with_objects += usize::from(all.iter().any(waits_for_object));
                // The walk that makes no steps, as a whole and in parts.
                for parts in [false, true] {
                    let findings = walked(algorithm, &program, &code, model, options, parts);
                    let (walked, stepped) = (findings.counts, found.counts);
                    assert_eq!(
                        (walked.stuck_for_good, walked.blocked, walked.undecided),
                        (stepped.stuck_for_good, stepped.blocked, stepped.undecided),
                        "{}",
                        place(algorithm)
                    );
                    // Only the first of those that differ in values is kept: the same, whoever walks, in parts as well.
                    assert_eq!(stuck_faults(&findings.results), found.faults, "{}", place(algorithm));
                }
            }
        }
    }
    println!(
        "seeds {seeds:?}: {stuck} executions of {programs_stuck} programs are stuck, {with_objects} with objects, too; \
         {compared} explorations, {skipped} skipped"
    );
    assert!(stuck > 0 && with_objects > 0 && compared > 0);
}

/// What a walk finds, perhaps in parts.
fn walked(
    algorithm: Algorithm,
    program: &Program,
    code: &Arc<Code>,
    model: Model,
    options: Options,
    parts: bool,
) -> Findings {
    let shared = Arc::new(program.clone());
    let walk =
        |work: &Work| algorithm.walk(Arc::clone(code), Arc::clone(&shared), model, options, work).expect("a walk");
    let mut first = walk(&Work::default());
    let mut later = None;
    if parts {
        first.run(40);
        later = first.split();
    }
    while first.run(u64::MAX) == Pause::Steps {}
    let mut findings = first.take_findings();
    if let Some(work) = later {
        let mut second = walk(&work);
        while second.run(u64::MAX) == Pause::Steps {}
        findings.append(second.take_findings());
    }
    findings
}

/// What an algorithm finds, with all that it finds.
fn results(algorithm: Algorithm, text: &str, model: Model, options: Options) -> (Counts, Results, Program) {
    let (program, code) = program(text);
    let code = Arc::new(code);
    let mut explorer = algorithm.explorer(Arc::clone(&code), model, options).expect("it can be explored");
    let mut results = Results::new(&program);
    loop {
        let step = explorer.advance();
        results.observe(&program, &code, model, &*explorer, step);
        if step == Step::Done {
            return (explorer.counts(), results, program);
        }
    }
}

/// How many executions are stuck for good, under every model; others are blocked in some.
#[test]
fn loops_that_never_end() {
    let mut wrong = Vec::new();
    for (text, stuck) in [
        // Each waits for the other's flag, and sets its own too late; or in time.
        ("shared x, y\nwhile y = 0 { }; x := 1 || while x = 0 { }; y := 1", 1),
        ("shared x, y\nx := 1; while y = 0 { } || y := 1; while x = 0 { }", 0),
        // Locks that nobody gives back, whatever they are made of.
        ("shared l\nwhile xchg(l, 1) = 1 { } || while xchg(l, 1) = 1 { }", 2),
        ("shared l\nwhile cas(l, 0, 1) != 0 { } || while cas(l, 0, 1) != 0 { }", 2),
        // A ticket that is never served.
        (
            "shared next, serving\na := fai(next); while serving != a { }; serving := a + 1 || \
             a := fai(next); while serving != a { }",
            1,
        ),
        // Who holds the mutex waits for who wants it.
        ("shared m, x\nlock m; while x = 0 { }; unlock m || lock m; x := 1; unlock m", 1),
        // A value that is overwritten, by the same thread or by another one.
        ("shared x\nx := 1; x := 2 || while x != 1 { }", 1),
        ("shared x\nx := 1 || x := 2 || while x != 1 { }", 1),
        // One of them reads what is not last, whichever is.
        ("shared x\nx := 1 || x := 2 || while x != 1 { } || while x != 2 { }", 2),
        // All reads of a round count, not only the last one.
        ("shared x, y\nrepeat { a := y; b := x } until b = 1 || y := 1\nexists (x = 1)", 1),
        ("shared x, y\nrepeat { b := x; a := y } until b = 1 || y := 1\nexists (x = 1)", 1),
        // Nobody writes; nothing is read.
        ("shared x\nwhile x = 0 { }", 1),
        ("shared x\nwhile 1 = 1 { }", 1),
        // Somebody else is stuck at an assumption, and might have gone on otherwise.
        ("shared x, y\nwhile x = 0 { } || assume y = 1", 0),
    ] {
        // Without co, to write again is a change.
        for model in Model::ALL.into_iter().filter(|model| model.rules().has_co() || !text.contains("xchg")) {
            for algorithm in Algorithm::all_that_see_all().filter(|a| !a.tracks_co()) {
                if OPTIONS.validate_for_program(algorithm, model, &program(text).1).is_err() {
                    continue;
                }
                let (counts, found, parsed) = results(algorithm, text, model, OPTIONS);
                let expected = if stuck > 0 { Verdict::Violated } else { Verdict::Ok };
                let is_right = (counts.stuck_for_good, counts.bounded) == (stuck, 0)
                    && found.verdict(&parsed, Coverage::Whole) == expected;
                // Turned off, only mutexes, channels and joins count.
                let options = Options { stuck_loops: false, ..OPTIONS };
                let (others, found, _) = results(algorithm, text, model, options);
                let is_off = (others.blocked, others.stuck_for_good, found.faults().len()) == (counts.blocked, 0, 0);
                if !is_right || !is_off || counts.blocked == 0 {
                    wrong.push(format!("{text} under {model} by {}: {counts:?}, {others:?}", algorithm.title()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Rounds in which a read-modify-write writes what it reads: two threads take turns in them for ever. Without co, such a round counts.
#[test]
fn rounds_that_write_again_are_stuck_too() {
    let round = "repeat { a := xchg(l, 1); b := x } until a = 0 or b = 1";
    let text = format!("shared l = 1, x\n{round} || {round}\nexists (x = 1)");
    for model in Model::ALL.into_iter().filter(|model| model.rules().has_co()) {
        for algorithm in [Algorithm::Genmc, Algorithm::GenmcCo, Algorithm::Trust, Algorithm::TrustCo] {
            let (counts, ..) = results(algorithm, &text, model, OPTIONS);
            assert_eq!((counts.complete, counts.stuck_for_good), (0, counts.blocked), "{model}, {}", algorithm.title());
            assert!(counts.blocked > 0);
        }
    }
    let (counts, ..) = results(Algorithm::Genmc, &text, Model::WRA, OPTIONS);
    assert!(counts.bounded > 0 && counts.stuck_for_good == 0, "{counts:?}");
}

/// A compare-and-swap that fails spuriously need not do so again.
#[test]
fn spurious_failures_are_no_reason() {
    let text = "shared l\nrepeat { e := 0; a := wcas(l, &e, 1) } until a = 1";
    let options = Options { spurious: true, ..OPTIONS };
    for algorithm in [Algorithm::Genmc, Algorithm::TrustCo, Algorithm::SourceDpor] {
        let (counts, ..) = results(algorithm, text, Model::SC, options);
        assert_eq!((counts.complete, counts.blocked, counts.stuck_for_good), (1, 1, 0), "{}", algorithm.title());
    }
}

/// What goes round for ever and changes a register is cut: the result is bounded.
#[test]
fn rounds_that_change_something_are_cut() {
    let (counts, found, program) =
        results(Algorithm::Trust, "shared x\na := 0; while x = 0 { a := 1 - a }", Model::SC, OPTIONS);
    assert_eq!((counts.bounded, counts.stuck_for_good), (1, 0));
    assert_eq!(found.verdict(&program, Coverage::Part), Verdict::Bounded);
}

/// Who looks at one execution of those with the same values does not look for loops, but finds what waits for objects.
#[test]
fn algorithms_by_value_look_for_objects_alone() {
    let loops = "shared x\nwhile x = 0 { }";
    let objects = "lock m; lock n || lock n; lock m";
    for algorithm in [Algorithm::RvfSmc, Algorithm::VcDpor, Algorithm::Observers] {
        assert!(!algorithm.finds_stuck_loops());
        let (counts, found, _) = results(algorithm, loops, Model::SC, OPTIONS);
        assert_eq!((counts.blocked, counts.stuck_for_good, found.faults().len()), (1, 0, 0));
        let (counts, found, _) = results(algorithm, objects, Model::SC, OPTIONS);
        assert_eq!((counts.stuck_for_good, found.faults().len()), (3, 3));
    }
}

/// Executions that differ in what the loop reads are one error, so that a table of errors stays short.
#[test]
fn values_do_not_tell_errors_apart() {
    let text = "shared x\nx := 1 || x := 2 || x := 3 || while x < 4 { }";
    let (counts, found, _) = results(Algorithm::Trust, text, Model::SC, OPTIONS);
    assert_eq!(counts.stuck_for_good, 3);
    let [(_, sighting)] = found.faults().collect::<Vec<_>>()[..] else { panic!("{:?}", found.faults().len()) };
    assert_eq!(sighting.count, 3);
}

/// The first error ends the exploration, whoever explores.
#[test]
fn the_first_stuck_execution_ends_the_exploration() {
    let text = "shared l\nwhile xchg(l, 1) = 1 { } || while xchg(l, 1) = 1 { }";
    let options = Options { stop_at_first: true, ..OPTIONS };
    for algorithm in Algorithm::all_that_see_all() {
        if options.validate_for_program(algorithm, Model::SC, &program(text).1).is_ok() {
            let (counts, ..) = results(algorithm, text, Model::SC, options);
            assert_eq!((counts.executions(), counts.stuck_for_good), (1, 1), "{}", algorithm.title());
        }
    }
}

/// A question that is given up leaves the result bounded.
#[test]
fn questions_may_stay_open() {
    let text = "shared x, y\nx := 1; y := 2 || y := 1; x := 2 || while x != 1 { } || while y != 1 { }";
    for algorithm in [Algorithm::Genmc, Algorithm::Trust] {
        let (all, ..) = results(algorithm, text, Model::SC, OPTIONS);
        let few = Options { limits: Limits { search: 1, ..LIMITS }, ..OPTIONS };
        let (some, found, program) = results(algorithm, text, Model::SC, few);
        assert!(all.stuck_for_good > 0 && all.undecided == 0, "{all:?}");
        assert!(some.undecided > 0 && !some.is_unbounded(), "{some:?}");
        assert!(found.verdict(&program, Coverage::Part) != Verdict::Ok);
    }
}

/// A question that is paused goes on, whoever asks it.
#[test]
fn questions_that_are_paused_go_on() {
    let text = "shared x, y\nx := 1; y := 2 || y := 1; x := 2 || while x != 1 { } || while y != 1 { }";
    let (parsed, code) = program(text);
    let (parsed, code) = (Arc::new(parsed), Arc::new(code));
    let mut pauses = 0;
    for model in Model::ALL {
        for algorithm in Algorithm::all_that_see_all().filter(|algorithm| !algorithm.traits().by_definition) {
            if OPTIONS.validate_for_program(algorithm, model, &code).is_err() {
                continue;
            }
            let expected = by(algorithm, &parsed, &code, model, OPTIONS).expect("it is small").counts;
            let mut explorer = algorithm.explorer(Arc::clone(&code), model, OPTIONS).expect("it can be explored");
            loop {
                match explorer.advance_within(&mut Budget::of(1)) {
                    Ok(Step::Done) => break,
                    Ok(_) => {}
                    Err(_) => pauses += 1,
                }
            }
            assert_eq!(explorer.counts(), expected, "{model}, {}", algorithm.title());
            if let Some(mut walk) =
                algorithm.walk(Arc::clone(&code), Arc::clone(&parsed), model, OPTIONS, &Work::default())
            {
                while walk.run_within(u64::MAX, u64::MAX, &mut Budget::of(1)) == Pause::Steps {
                    pauses += 1;
                }
                assert_eq!(walk.take_findings().counts.stuck_for_good, expected.stuck_for_good, "{model}");
            }
        }
    }
    assert!(pauses > 0);
}
