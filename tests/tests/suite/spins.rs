//! Spin loops: exploring them as `assume` loses no final state and no error, and adds none.
//!
//! Every execution with spin rounds has one without them, and that has no more rounds of any loop. So the final states
//! are the same for every bound on loops, also where it cuts: none has to be large enough.

use litmoscope::explore::brute_force::{self, candidates_up_to};
use litmoscope::explore::{Algorithm, Counts, Explorer, Fault, GenMc, Options, Pause, Results, Step, Verdict, Work};
use litmoscope::graph::{CanonicalExecution, Execution, Label};
use litmoscope::model::Model;
use litmoscope::program::{Code, Limits, Program, Value};
use litmoscope::report::Node;
use litmoscope::session::{Session, Settings, ViewRequest};
use litmoscope::testing::seeds;
use litmoscope::{Litmus, Search};
use litmoscope_tests::TABULATED;
use litmoscope_tests::locks::{self, Lock, Said, locks};
use litmoscope_tests::programs::{
    Waiting, cas_lock, exchange_lock, mcs_lock, michael_scott_queue, spinlock, test_and_set_lock, ticket_lock,
    treiber_stack, waiting,
};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How many rounds of a loop are explored of the program of a seed: 2 to 5.
fn unroll(seed: u64) -> u32 {
    2 + (seed % 4) as u32
}

/// How many steps an exploration may take; longer ones are skipped and counted.
const STEPS: u64 = 40_000;

/// The loops: `?` stands for a constant, `x` and `y` for locations, `a` and `b` for registers of the loop's own.
pub(super) const LOOPS: &[&str] = &[
    "while x != ? { }",
    "while x = 0 && y = 0 { }",
    "while x != ? or y != ? { skip }",
    "repeat { a := x } until a = ?",
    "repeat { a := x; fence sc; b := y } until a = b",
    "repeat { a := x; b := y } until a + b = ?",
    "repeat { while x != 0 { } } until cas(x, 0, 1) = 0; x := ?",
    "repeat { a := cas(x, ?, 2) } until a = ?",
    "a := 0; while cas(x, &a, 2) = 0 { a := 0 }",
    "a := ?; while cas(x, &a, 2) = 0 { }",
    "while x != ? { b := y }",
    "while x != ? { b := y; if b = 1 { x := 2 } }",
    "repeat { a := x; if a = 2 { y := 1 } } until a = 1",
    "a := 0; while x != ? and a < 2 { a := a + 1 }",
    "repeat { a := xchg(x, 1) } until a = 0",
    "repeat { a := xchg(x, ?, acq) } until a = ?",
    "while xchg(x, 1, acqrel) { }",
    "repeat { repeat { a := x } until a = 0; b := xchg(x, 1, acq) } until b = 0",
    "repeat { a := xchg(x, 1); b := y } until a = 0 or b = 1",
    "repeat { b := y; a := xchg(x, 1) } until a = 0 or b = 1",
    "repeat { a := fai(x, 0) } until a = ?",
    "repeat { a := cas(x, ?, ?) } until a = ?",
    "repeat { a := cas(x, 1, 1, acq, acq) } until a = 2; x :=rel 0",
    "b := 0; repeat { a := xchg(x, 1); b := b + 1 } until a = 0",
    "b := 1; repeat { a := xchg(x, 1); c := 0; while c < b { c := c + 1 }; b := b + b } until a = 0",
    "b := 0; repeat { a := x; if a != 1 and b < 3 { b := b + 1 } } until a = 1",
    "repeat { a := x; b := y } until a = 1",
    "repeat { a := x; b := y; assert b != 2 } until a = ?",
    "repeat { a := x; assume a != 2 } until a = ?",
    "repeat { a :=na x } until a = ?",
    "a := 0; while x != ? { b := a; a := y }",
    "while x != ? { while y != ? { } }",
    "while x = 0 { a := 0; while y = 0 and a < 1 { a := a + 1 } }",
    "while x = 1 and y = ? { }",
    "repeat { a := x; b := y; c := x } until a = c and a != 1",
    "b := 1; while b = 1 { a := x; if a = ? { c := y; b := 0 } }",
    "b := 1; repeat { a := x; if a = ? { b := 0 } else { c := a } } until b = 0",
    "b := 1; repeat { a := x; if a = 0 { b := 0 } else { c := cas(x, a, 0); if c = a { b := 0 } } } until b = 0",
    "b := 1; repeat { a := x; y := a; c := cas(x, a, 2); if c = a { b := 0 } } until b = 0",
];

/// What stands around the loops.
pub(super) const STATEMENTS: &[&str] = &[
    "x := 1",
    "x := 2",
    "y := 1",
    "x := 1",
    "y := 2",
    "x := 0",
    "a := y",
    "b := x",
    "fai(x)",
    "fence sc",
    "if x = 1 { y := 1 }",
    "x :=na 1",
    "a :=na y",
];

/// A statement with its locations, registers, modes and constants filled in.
pub(super) fn filled(template: &'static str) -> impl Strategy<Value = String> {
    let mode = select(&["", "", "", "acq", "sc"][..]);
    let value = || 0..=2i64;
    (any::<bool>(), mode, proptest::collection::vec(value(), 3)).prop_map(move |(swap, mode, values)| {
        let mut values = values.into_iter();
        let mut text = String::new();
        for c in template.chars() {
            match c {
                'x' if swap && !template.contains("xchg") => text.push('y'),
                'y' if swap && !template.contains("xchg") => text.push('x'),
                '?' => text += &values.next().unwrap_or(1).to_string(),
                c => text.push(c),
            }
        }
        if !mode.is_empty() && text.starts_with("while ") && !text.contains("cas(") {
            text = text.replacen("while ", &format!("while {mode} "), 1);
        } else if mode == "sc" {
            text = text.replace(" := x", " :=sc x").replace(" := 1", " :=sc 1");
        }
        text
    })
}

fn programs() -> impl Strategy<Value = String> {
    let part = || {
        prop_oneof![
            2 => select(LOOPS).prop_flat_map(filled),
            3 => select(STATEMENTS).prop_flat_map(filled),
        ]
    };
    let thread = move || proptest::collection::vec(part(), 1..=3).prop_map(|parts| parts.join("; "));
    // Which registers matter depends on what is asked.
    let asked = select(&["", "", "\n\nexists (x = 1)", "\n\nlocations [y]"][..]);
    let threads = proptest::collection::vec(thread(), 2..=3);
    (threads, asked).prop_map(|(threads, asked)| format!("shared x, y\n{}{asked}", threads.join("\n||\n")))
}

fn sample(seed: u64) -> String {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(Config { failure_persistence: None, ..Config::default() }, rng);
    programs().new_tree(&mut runner).expect("no filters, no rejections").current()
}

fn program(text: &str) -> (Program, Arc<Code>) {
    let (program, code) = litmoscope_tests::program(text);
    (program, Arc::new(code))
}

fn options(unroll: u32, unroll_spins: bool) -> Options {
    let limits =
        Limits { unroll, local_steps: 1000, events: 1000, unroll_spins, search: u64::MAX, table: Limits::TABLE };
    Options { limits, ..Options::default() }
}

/// What an exploration comes to.
#[derive(Debug, Default)]
struct Found {
    /// The final states.
    states: BTreeSet<Vec<Value>>,
    often: BTreeMap<Vec<Value>, u64>,
    /// The errors; a race is one, wherever it is, since an execution reports one of its races.
    faults: BTreeSet<Option<Fault>>,
    executions: BTreeSet<CanonicalExecution>,
    spinning: usize,
    counts: Counts,
}

/// `None` if it takes too long.
fn genmc(program: &Program, code: &Arc<Code>, model: Model, options: Options) -> Option<Found> {
    explored(&mut GenMc::new(model.prepare(Arc::clone(code)), model, options), program, code, model)
}

/// How many executions end in each final state.
fn often(results: &Results) -> BTreeMap<Vec<Value>, u64> {
    results.outcomes().map(|(state, outcome)| (state.to_vec(), outcome.count)).collect()
}

/// The same by any algorithm.
fn explored(explorer: &mut dyn Explorer, program: &Program, code: &Arc<Code>, model: Model) -> Option<Found> {
    let mut results = Results::new(program);
    let mut found = Found::default();
    loop {
        let step = explorer.advance();
        results.observe(program, code, model, explorer, step);
        match step {
            Step::Execution { .. } => {
                let graph = explorer.execution();
                found.spinning += usize::from(graph.events().any(|(_, event)| event.label == Label::Spin));
                let is_new = found.executions.insert(graph.canonical());
                assert!(is_new || explorer.coherence().is_some(), "an execution is found twice");
            }
            Step::Done => break,
            _ if explorer.counts().steps > STEPS => return None,
            _ => {}
        }
    }
    found.states = results.outcomes().map(|(state, _)| state.to_vec()).collect();
    found.often = often(&results);
    found.faults =
        results.faults().map(|(fault, _)| matches!(fault, Fault::Error(..)).then(|| fault.clone())).collect();
    found.counts = explorer.counts();
    Some(found)
}

/// Locks and their like need no bound, and are as right as they are said to be.
#[test]
fn locks_need_no_bound() {
    let mut wrong = Vec::new();
    for Waiting { name, text, kinds } in waiting() {
        let (_, code) = program(&text);
        for (model, (complete, blocked, erroneous)) in TABULATED.into_iter().zip(kinds) {
            let mut explorer = GenMc::new(Arc::clone(&code), model, Options::default());
            while explorer.advance() != Step::Done {}
            let counts = explorer.counts();
            assert_eq!((counts.bounded, counts.duplicates), (0, 0), "{name} under {model}");
            let found = (counts.complete as usize, counts.blocked as usize, counts.erroneous as usize);
            if found != (complete, blocked, erroneous) {
                wrong.push(format!("{name} under {model}: {found:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// As many as other model checkers count: n!² for n threads.
#[test]
fn a_spinlock_of_five_threads() {
    let (_, code) = program(&spinlock(5));
    for model in [Model::SC, Model::TSO, Model::RC11] {
        let mut explorer = GenMc::new(Arc::clone(&code), model, Options::default());
        while explorer.advance() != Step::Done {}
        assert_eq!((explorer.counts().complete, explorer.counts().erroneous), (14400, 0), "{model}");
    }
}

/// A read in a round that fails can race with a write that comes only after the loop: such a round is not cut.
#[test]
fn reads_that_may_race_are_no_spinning() {
    let text = "shared s, x, y\nrepeat { a := s; if a = 0 { b := x } } until a = 1; y := 1 || \
                c := y; if c = 1 { x :=na 5 } || s := 1";
    let (parsed, code) = program(text);
    for unroll_spins in [false, true] {
        let found = genmc(&parsed, &code, Model::RC11, options(3, unroll_spins)).expect("it is small");
        assert!(found.faults.contains(&None), "the race is found");
    }
}

/// The same final states and errors as with spin loops unrolled, under every model.
#[test]
fn spinning_changes_no_outcome() {
    let seeds = seeds(250);
    let (mut skipped, mut spinning, mut spared, mut outcomes) = (0, 0, 0, 0);
    for seed in seeds.clone() {
        let text = sample(seed);
        let (program, code) = program(&text);
        for model in Model::ALL {
            let spun = genmc(&program, &code, model, options(unroll(seed), false));
            let unrolled = genmc(&program, &code, model, options(unroll(seed), true));
            let (Some(spun), Some(unrolled)) = (spun, unrolled) else {
                skipped += 1;
                continue;
            };
            assert_eq!(unrolled.spinning, 0);
            assert_eq!(spun.states, unrolled.states, "seed {seed}, {model:?}: final states\n{text}");
            assert_eq!(spun.faults, unrolled.faults, "seed {seed}, {model:?}: errors\n{text}");
            spinning += spun.spinning;
            spared += unrolled.executions.len().saturating_sub(spun.executions.len());
            outcomes += spun.states.len();
        }
    }
    println!("seeds {seeds:?}: {outcomes} outcomes, {spinning} executions spin, {spared} spared, {skipped} skipped");
    assert!(spinning > 0 && spared > 0);
    assert!(skipped * 2 < (seeds.end - seeds.start), "too many programs are too large");
}

/// The executions that spin among the others: the same as the oracle's.
#[test]
fn genmc_finds_what_brute_force_finds() {
    let seeds = seeds(625);
    let (mut skipped, mut executions) = (0, 0);
    for seed in seeds.clone() {
        let text = sample(seed);
        let (program, code) = program(&text);
        let options = options(3, false);
        let Ok(all) = candidates_up_to(3000, &code, options.limits) else {
            skipped += 1;
            continue;
        };
        for model in Model::ALL {
            let Some(found) = genmc(&program, &code, model, options) else { continue };
            // Where rounds count that others leave out, there are other candidates.
            let prepared = model.prepare(Arc::clone(&code));
            let candidates = if prepared.counts_rewriting() {
                candidates_up_to(3000, &prepared, options.limits).unwrap_or_default()
            } else {
                all.clone()
            };
            if candidates.is_empty() {
                continue;
            }
            let consistent = |graph: &&Execution| brute_force::consistent(model, graph);
            let expected: BTreeSet<_> = candidates.iter().filter(consistent).map(Execution::canonical).collect();
            assert_eq!(found.executions, expected, "seed {seed}, {model:?}\n{text}");
            executions += expected.len();
        }
    }
    println!("seeds {seeds:?}: {executions} executions, {skipped} skipped");
    assert!(executions > 0);
}

/// Leaving out threads that wait in vain loses no complete execution, no final state and no error, and leaves only executions that
/// are blocked with the last writes.
#[test]
fn what_is_left_out_is_in_vain() {
    let seeds = seeds(250);
    let (mut skipped, mut blocked, mut left, mut complete) = (0, 0, 0, 0);
    for seed in seeds.clone() {
        let text = sample(seed);
        let (program, code) = program(&text);
        for model in Model::ALL {
            for algorithm in [Algorithm::Trust, Algorithm::TrustCo] {
                let of = |leave_out_waits| {
                    let options = Options { leave_out_waits, ..options(unroll(seed), false) };
                    let mut explorer = algorithm.explorer(Arc::clone(&code), model, options).expect("any program");
                    explored(&mut *explorer, &program, &code, model)
                };
                let (Some(all), Some(some)) = (of(false), of(true)) else {
                    skipped += 1;
                    continue;
                };
                let place = format!("seed {seed}, {model:?}, {algorithm:?}");
                assert_eq!(some.counts.complete, all.counts.complete, "{place}: complete executions\n{text}");
                assert_eq!(some.states, all.states, "{place}: final states\n{text}");
                assert_eq!(some.faults, all.faults, "{place}: errors\n{text}");
                assert!(some.executions.is_subset(&all.executions), "{place}: executions\n{text}");
                // The walk that makes no steps counts what is alike, and does not explore it.
                for stuck_loops in [false, true] {
                    let options = Options { leave_out_waits: true, stuck_loops, ..options(unroll(seed), false) };
                    let shared = Arc::new(program.clone());
                    let mut walk = algorithm
                        .walk(Arc::clone(&code), shared, model, options, &Work::default())
                        .expect("it can be cut into parts");
                    while walk.run(u64::MAX) == Pause::Steps {}
                    let walked = walk.take_findings();
                    // That all is done is a step.
                    let steps = walked.counts.steps + 1;
                    let counts = Counts { steps, stuck_for_good: some.counts.stuck_for_good, ..walked.counts };
                    assert_eq!(counts, some.counts, "{place}: counts of a walk\n{text}");
                    assert_eq!(often(&walked.results), some.often, "{place}: states of a walk\n{text}");
                }
                complete += all.counts.complete;
                blocked += all.counts.blocked;
                left += some.counts.blocked;
            }
        }
    }
    println!("seeds {seeds:?}: {complete} complete; {blocked} blocked, {left} with the last writes; {skipped} skipped");
    assert!(0 < left && left < blocked);
    assert!(skipped * 2 < 2 * Model::ALL.len() as u64 * (seeds.end - seeds.start), "too many programs are too large");
}

/// Locks, barriers and flags, right and wrong: none needs a bound, and where it is right, nobody waits in vain.
#[test]
fn locks_have_verdicts() {
    let most_threads = if seeds(10).count() < 10 { 3 } else { 4 };
    let (mut wrong, mut right) = (Vec::new(), 0);
    for Lock { name, threads, text, said } in locks().into_iter().filter(|lock| lock.threads <= most_threads) {
        let test = Litmus::parse(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        for (model, said) in locks::MODELS.into_iter().zip(said) {
            let Some(said) = said else { continue };
            // The first is `auto`, which chooses one of the others.
            let algorithms = [None, Some(Algorithm::Trust), Some(Algorithm::TrustCo)];
            for algorithm in algorithms.into_iter().skip(usize::from(threads > 2)) {
                // Of more threads, one error is enough: there are many.
                let is_first = said != Said::Right && threads > 2;
                let options = Options { leave_out_waits: true, stop_at_first: is_first, ..Options::default() };
                let found = test.explore(&Search { algorithm, options, ..Search::under(model) });
                let found = found.expect("any program can be explored").summary;
                let has = |part: &str| is_first || found.errors.iter().any(|error| error.kind.contains(part));
                let is_so = match said {
                    Said::Right => found.verdict == Verdict::Ok && found.executions.blocked == 0,
                    Said::Fails => found.verdict == Verdict::Violated && has("assert"),
                    Said::Races => found.verdict == Verdict::Violated && has("race"),
                };
                right += u32::from(said == Said::Right);
                if !is_so || found.bounded && !is_first {
                    let (executions, verdict) = (found.executions, found.verdict);
                    wrong.push(format!("{name} of {threads} under {model}: {verdict:?}, {executions:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(right > 0);
}

/// Treiber's stack and Michael and Scott's queue have as many complete executions as other model checkers count, whether or not those
/// are left out in which somebody waits in vain.
#[test]
fn a_stack_and_a_queue_have_as_many_executions_as_others_count() {
    for (text, complete) in [
        (treiber_stack(2, 2, 0), 88),
        (treiber_stack(1, 1, 1), 48),
        (michael_scott_queue(2, 3), 1104),
        // Somebody pops in vain while the write of a compare-and-swap is still to come that changes this.
        (treiber_stack(0, 1, 2), 122),
    ] {
        // Nobody is shown the registers.
        let (_, code) = program(&(text.clone() + "\nforall true"));
        for algorithm in [Algorithm::Trust, Algorithm::TrustCo] {
            for leave_out_waits in [false, true] {
                let options = Options { leave_out_waits, ..Options::default() };
                let mut explorer = algorithm.explorer(Arc::clone(&code), Model::RC11, options).expect("any program");
                while explorer.advance() != Step::Done {}
                let counts = explorer.counts();
                let found = (counts.complete, counts.erroneous, counts.bounded);
                assert_eq!(found, (complete, 0, 0), "{algorithm:?}, {leave_out_waits}: {text}");
                assert!(!leave_out_waits || counts.blocked == 0, "{algorithm:?}: {} blocked, {text}", counts.blocked);
            }
        }
    }
}

/// The words of a graph that is left out name the write that the waiting thread reads, and another one of its location.
#[test]
fn what_is_left_out_is_explained() {
    let short = "x := 1; x := 2 || repeat { a := x } until a = 2".to_owned();
    for text in [short, exchange_lock(3), ticket_lock(3)] {
        for algorithm in [Algorithm::Trust, Algorithm::TrustCo] {
            let options = Options { leave_out_waits: true, ..Options::default() };
            let settings = Settings { text: text.clone(), algorithm, options, ..Settings::default() };
            let mut session = Session::open(settings).expect("a program");
            let mut seen = 0;
            while session.forward() && seen < 20 {
                let Some(Step::LeaveOut { read }) = session.step() else { continue };
                seen += 1;
                let view = session.view(&ViewRequest::default());
                let graph = session.explorer().execution();
                let read = graph.find(read).expect("it is in the graph");
                let source = graph.event(graph.source(read).expect("it waits at a write")).key;
                let (_, words) = view.explanation.split_once(" It reads ").expect("a write is named");
                let (own, words) = words.split_once(", which ").expect("another one is named");
                let (by, _) = words.split_once(" has overtaken").expect("it is later");
                // Initial writes have no label.
                let named = |name: &str| {
                    let is = |node: &&Node| name == node.name || name == format!("{} {}", node.name, node.label);
                    view.drawing.nodes.iter().find(is).expect("it is drawn").key
                };
                let by = graph.event(graph.find(named(by)).expect("it is in the graph"));
                assert!(view.leaves_out_waits && named(own) == source && by.key != source, "{}", view.explanation);
                assert!(by.is_write() && by.location() == graph.event(read).location(), "{}", view.explanation);
            }
            assert!(seen > 0, "{algorithm:?}\n{text}");
        }
    }
}

/// A lock of n threads has n! executions, times what is free to choose before it is taken, and none that is blocked, by either of
/// TruSt's algorithms. Without leaving anything out it has as many complete ones.
#[test]
fn locks_have_no_blocked_executions() {
    type Lock = fn(usize) -> String;
    let locks: [(&str, Lock, &[u64]); 6] = [
        ("exchange", exchange_lock, &[2, 6, 24]),
        ("test and test and set", test_and_set_lock, &[4, 36, 576]),
        ("compare and swap", cas_lock, &[2, 6, 24]),
        ("test, compare and swap", spinlock, &[4, 36, 576]),
        ("ticket", ticket_lock, &[2, 6, 24]),
        ("MCS", mcs_lock, &[6, 66]),
    ];
    for (name, lock, complete) in locks {
        for (threads, &complete) in (2..).zip(complete) {
            let (_, code) = program(&lock(threads));
            for model in [Model::SC, Model::TSO, Model::SRA, Model::RA, Model::RC11, Model::RC20] {
                for algorithm in [Algorithm::Trust, Algorithm::TrustCo] {
                    let options = Options { leave_out_waits: true, ..Options::default() };
                    let mut explorer = algorithm.explorer(Arc::clone(&code), model, options).expect("any program");
                    while explorer.advance() != Step::Done {}
                    let counts = explorer.counts();
                    let found = (counts.complete, counts.blocked, counts.erroneous, counts.bounded);
                    assert_eq!(found, (complete, 0, 0, 0), "{name} of {threads} under {model}, {algorithm:?}");
                }
            }
        }
    }
}
