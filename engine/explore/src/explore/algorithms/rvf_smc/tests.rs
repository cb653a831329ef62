use super::*;
use crate::explore::brute_force;
use crate::explore::equivalence::{Equivalence, Ordered};
use crate::explore::{Algorithm, Parameters};
use crate::graph::CanonicalExecution;
use crate::program::{Limits, Program};
use crate::testing::{UNROLL, for_all, for_all_clients, seeds};
use std::collections::BTreeSet;

const LIMITS: Limits = Limits {
    unroll: UNROLL,
    local_steps: 1000,
    events: 1000,
    unroll_spins: true,
    search: u64::MAX,
    table: Limits::TABLE,
};

/// With some parameters switched off, by name.
fn without(names: &[&'static str]) -> Options {
    let chosen = names.iter().map(|&name| (name, 0));
    let parameters = Parameters::named(Algorithm::RvfSmc, chosen).expect("it has them");
    Options { parameters, ..Options::within(LIMITS) }
}

fn code(text: &str) -> Arc<Code> {
    let program = crate::syntax::parse(text).unwrap_or_else(|_| panic!("{text} is no program")).program;
    Arc::new(Code::compile(&program).expect("it compiles"))
}

/// The values of an execution, whatever sources they come from, but for operations.
fn values(canonical: CanonicalExecution) -> CanonicalExecution {
    let without = canonical.into_iter().map(|(key, label, value, source, fails)| {
        let source = source.filter(|_| matches!(label, Label::Library { .. }));
        (key, label, value, source, fails)
    });
    without.collect()
}

/// What an exploration found and did.
#[derive(Debug, PartialEq, Eq)]
struct Ran {
    values: BTreeSet<CanonicalExecution>,
    traces: u64,
    calls: u64,
    asked: u64,
    searches: u64,
}

fn explore(code: &Arc<Code>, options: Options, mutation: Option<Mutation>) -> Ran {
    let mut explorer = RvfSmc::new(Arc::clone(code), Model::SC, options);
    explorer.mutation = mutation;
    let (mut found, mut depth, mut deepest) = (BTreeSet::new(), 0, 0);
    loop {
        match explorer.advance() {
            Step::Execution { .. } => {
                let graph = explorer.execution();
                assert!(Model::SC.is_consistent(graph), "{graph:?}");
                assert_eq!(library::ill_blocked(graph), None, "{graph:?}");
                found.insert(values(graph.canonical()));
            }
            Step::Call { .. } => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            Step::Return { .. } => depth -= 1,
            Step::Done => break,
            _ => {}
        }
    }
    assert_eq!(depth, 0, "each call returns");
    let counts = explorer.counts();
    Ran {
        values: found,
        traces: counts.executions(),
        calls: counts.revisits + 1,
        asked: explorer.asked(),
        searches: explorer.searches(),
    }
}

fn ran(text: &str, options: Options) -> Ran {
    explore(&code(text), options, None)
}

/// n threads that do the same.
fn threads(n: usize, thread: &str) -> String {
    vec![thread; n].join(" || ")
}

const FIG1: &str = "x := 1; y := 1 || x := 1; y := 1; a := x || x := 1; y := 1; b := y";
const FIG6: &str = "x := 1; a := x; y := 1 || x := 1; y := 1; b := y; x := 2";
const SB: &str = "x := 1; a := y || y := 1; b := x";
const IRIW: &str = "x := 1 || y := 1 || a := x; b := y || c := y; d := x";

/// Executions, calls with signals and without, and groups asked about: of the figures of print, and of programs counted by
/// another implementation.
#[test]
fn calls_are_as_many_as_in_print() {
    let distinct = |n: usize| {
        let writers: Vec<String> = (1..=n).map(|value| format!("x := {value}")).collect();
        format!("{} || a := x", writers.join(" || "))
    };
    let same = |n: usize| format!("{} || a := x", threads(n, "x := 1"));
    let pair = |n: usize| {
        let writes: Vec<String> = (0..n).map(|i| format!("x{i} := 1")).collect();
        let both: Vec<String> = (0..n).map(|i| format!("x{i} := 1; a{i} := x{i}")).collect();
        format!("{} || {}", writes.join("; "), both.join("; "))
    };
    let table: [(String, [u64; 4]); 26] = [
        (FIG1.into(), [1, 3, 4, 2]),
        (FIG6.into(), [2, 5, 5, 4]),
        (SB.into(), [3, 6, 8, 6]),
        ("x := 1; y := 1 || a := y; b := x".into(), [3, 6, 6, 6]),
        ("a := x; y := 1 || b := y; x := 1".into(), [3, 6, 6, 5]),
        ("x := 1; y := 2 || y := 1; x := 2".into(), [1, 1, 1, 0]),
        ("x := 1 || a := x; b := x".into(), [3, 6, 6, 6]),
        (IRIW.into(), [15, 30, 48, 30]),
        ("x := 1 || a := x; if a = 0 then y := 1 || x := 2".into(), [3, 4, 4, 3]),
        ("x := 1 || a := x; if a = 0 then y := 1 || x := 1".into(), [2, 3, 3, 2]),
        (same(1), [2, 3, 3, 2]),
        (same(2), [2, 3, 3, 2]),
        (same(3), [2, 3, 3, 2]),
        (same(4), [2, 3, 3, 2]),
        (same(5), [2, 3, 3, 2]),
        (distinct(2), [3, 4, 4, 3]),
        (distinct(3), [4, 5, 5, 4]),
        (distinct(4), [5, 6, 6, 5]),
        (pair(1), [1, 2, 2, 1]),
        (pair(2), [1, 3, 3, 2]),
        (pair(3), [1, 4, 4, 3]),
        ("x := 1; x := 1 || a := x; if a = 1 then y := 1 || b := y".into(), [3, 6, 7, 5]),
        // Figures 3.1, 4.4a and 4.4c of the thesis.
        ("x := 1 || x := 2; x := 1; a := x".into(), [1, 2, 2, 1]),
        ("x := 1; x := 1 || x := 1; a := x; x := 1; b := x || x := 1; x := 1".into(), [1, 3, 3, 2]),
        (threads(3, "x := 1; a := x"), [1, 4, 8, 3]),
        (
            "x := 1; x := 1; x := 1 || x := 1; a := x; x := 1; b := x; x := 1; c := x || x := 1; x := 1; x := 1".into(),
            [1, 4, 4, 3],
        ),
    ];
    let mut wrong = Vec::new();
    for (text, expected) in table {
        let (with, off) = (ran(&text, without(&[])), ran(&text, without(&["signals"])));
        let found = [with.traces, with.calls, off.calls, with.asked];
        if found != expected || off.traces != with.traces {
            wrong.push(format!("{text}: {found:?}, not {expected:?}; {} executions without signals", off.traces));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The run of the thesis' Figure 4.6: A calls B, which calls C; C signals to A; A calls D, which calls E.
#[test]
fn the_example_is_explored_as_in_print() {
    let mut explorer = RvfSmc::new(code(FIG6), Model::SC, without(&[]));
    let key = |thread: u16, serial: u32| EventKey { thread: ThreadId(thread), serial };
    let (first, second, last) = (key(0, 2), key(1, 3), key(1, 4));
    let mut told = Vec::new();
    loop {
        let step = explorer.advance();
        match step {
            Step::Done => break,
            Step::Groups { read, .. } => {
                let rows = explorer.pending();
                let row = rows.iter().find(|row| row.read == read).expect("its turn it is");
                let mut writes: Vec<EventKey> = row.options.iter().filter_map(|option| option.write).collect();
                writes.sort_unstable();
                told.push((step, writes));
            }
            Step::Call { .. } => told.push((Step::Call { read: key(9, 9), write: key(9, 9), spurious: false }, vec![])),
            Step::Return { .. }
            | Step::Signal { .. }
            | Step::Offer { .. }
            | Step::Prune { .. }
            | Step::Execution { .. } => {
                told.push((step, Vec::new()));
            }
            _ => {}
        }
    }
    let call = (Step::Call { read: key(9, 9), write: key(9, 9), spurious: false }, vec![]);
    let groups = |read, writes: &[EventKey]| (Step::Groups { read, groups: 1 }, writes.to_vec());
    let plain = |step| (step, Vec::new());
    let execution = |number| plain(Step::Execution { number, kind: ExecutionKind::Complete });
    let (back, offer) = (|read| plain(Step::Return { read }), |read| plain(Step::Offer { read }));
    let x = [key(0, 1), key(1, 1)];
    let y = [key(0, 3), key(1, 2)];
    let expected = vec![
        groups(first, &x),
        call.clone(),
        groups(second, &y),
        call.clone(),
        plain(Step::Signal { read: first, write: last }),
        execution(1),
        back(second),
        offer(second),
        back(first),
        offer(first),
        groups(second, &[y[1]]),
        call.clone(),
        groups(first, &[last]),
        call,
        // D, too, is told of a write: that of y behind the first read.
        plain(Step::Signal { read: second, write: key(0, 3) }),
        execution(2),
        back(first),
        offer(first),
        back(second),
        offer(second),
    ];
    for (at, (told, expected)) in told.iter().zip(&expected).enumerate() {
        assert_eq!(told, expected, "at {at}");
    }
    assert_eq!(told.len(), expected.len());
    assert_eq!(explorer.searches(), 0, "the run itself always has a place");
}

/// How many classes of the reads-value-from equivalence print says there are, and that at most so many executions are found.
#[test]
fn executions_are_at_most_as_many_as_classes() {
    let table: [(String, u64, u64); 12] = [
        (FIG1.into(), 1, 1),
        (FIG6.into(), 3, 2),
        ("x := 1; a := x; y := 1 || x := 1; y := 1; b := y; x := 1".into(), 3, 2),
        ("y := 1; y := 1; x := 1; a := x || x := 1; b := x; y := 2; c := y".into(), 2, 2),
        (SB.into(), 3, 3),
        (IRIW.into(), 15, 15),
        ("x := 0 || y := 0 || a := x; b := y || c := y; d := x".into(), 1, 1),
        (threads(2, "x := 1; a := x"), 1, 1),
        (threads(4, "x := 1; a := x"), 1, 1),
        ("x0 := 0; x0 := 0; x1 := 0; x1 := 0 || a := x0; b := x1".into(), 1, 1),
        ("x := 0; x := 0; x := 0; x := 0 || a := x; b := x; c := x; d := x".into(), 1, 1),
        ("x1 := 1; x2 := 1 || x1 := 1; a := x1; x2 := 1; b := x2 || x1 := 1; x2 := 1".into(), 1, 1),
    ];
    for (text, classes, traces) in table {
        let code = code(&text);
        let graphs = sources(&code);
        assert_eq!(class_count(&graphs), classes, "{text}");
        assert_eq!(ran(&text, without(&[])).traces, traces, "{text}");
    }
}

/// Programs of the published tables whose numbers do not grow: 45_monabsex1, reorder_5 and singleton.
#[test]
fn published_numbers_that_do_not_grow() {
    for n in [2, 5, 8, 12] {
        assert_eq!(ran(&threads(n, "x := 1; a := x"), without(&[])).traces, 1, "monabsex of {n}");
        let check = "r := x; if r = 0 then { s := y; if s != 0 then { t := x; if t = 1 then u := y } } \
                     else { t := x; if t = 1 then u := y }";
        let reorder = format!("{} || {check}", threads(n, "x := 1; y := -1"));
        assert_eq!(ran(&reorder, without(&[])).traces, 4, "reorder of {n}");
        let singleton = format!("{} || a := x", threads(n, "x := 1"));
        assert_eq!(ran(&singleton, without(&[])).traces, 2, "singleton of {n}");
    }
}

/// All executions, as another algorithm finds them.
fn sources(code: &Arc<Code>) -> Vec<Execution> {
    let mut explorer = crate::explore::GenMc::new(Arc::clone(code), Model::SC, Options::within(LIMITS));
    let mut graphs = Vec::new();
    loop {
        match explorer.advance() {
            Step::Execution { .. } => graphs.push(explorer.execution().clone()),
            Step::Done => return graphs,
            _ => {}
        }
    }
}

/// All executions, by definition; `None` if they are too many to be listed.
fn executions(code: &Code, options: Options) -> Option<Vec<Execution>> {
    let mut graphs = brute_force::candidates_up_to(20_000, code, options).ok()?;
    graphs.retain(|graph| brute_force::consistent(Model::SC, graph));
    Some(graphs)
}

fn class_count(graphs: &[Execution]) -> u64 {
    // Which order writes come in is no part of these classes.
    let co = Vec::new();
    let class = |graph| Equivalence::ReadsValueFrom.class(ThreadId(0), Ordered { graph, co: &co });
    graphs.iter().map(class).collect::<BTreeSet<_>>().len() as u64
}

/// Each mutation has a program whose values it loses, or finds again and again.
#[test]
fn mutations_are_noticed() {
    let signals = "c := y; if c = 1 then x := 1 || d := x; if d = 1 then y := 1 || \
                   e := y; if e = 1 then x := 1; x := 1";
    let all = explore(&code(signals), without(&[]), None);
    assert_eq!(all.values.len(), 3);
    assert_eq!(explore(&code(signals), without(&[]), Some(Mutation::SignalsForAll)).values.len(), 2);
    let causal = "c := y; if c = 1 then x := 1; x := 1 || d := x; if d = 1 then y := 1";
    let all = explore(&code(causal), without(&[]), None);
    assert_eq!((all.values.len(), all.traces), (2, 2));
    assert_eq!(explore(&code(causal), without(&[]), Some(Mutation::NoCausalMap)).traces, 3);
    let next = "cas(x, 0, 1) || cas(x, 0, 2)";
    assert_eq!(explore(&code(next), without(&[]), None).values.len(), 2);
    assert_eq!(explore(&code(next), without(&[]), Some(Mutation::NoSignalsOfNext)).values.len(), 1);
}

/// What random programs of a test added up to.
#[derive(Debug, Default)]
struct Total {
    programs: u64,
    traces: u64,
    classes: u64,
    executions: u64,
    calls: u64,
    calls_without_signals: u64,
}

/// On one program: the values of all executions, none missing; at most as many executions as classes; the same whatever is
/// switched off.
fn check(program: &Program, spurious: bool, total: &mut Total) -> Result<(), String> {
    let code = Arc::new(Code::compile(program).map_err(|error| error.to_string())?);
    let options = |off: &[&'static str]| Options { spurious, ..without(off) };
    let Some(graphs) = executions(&code, options(&[])) else { return Ok(()) };
    let all: BTreeSet<_> = graphs.iter().map(|graph| values(graph.canonical())).collect();
    let classes = class_count(&graphs);
    let ran = explore(&code, options(&[]), None);
    if ran.values != all {
        let lost = all.difference(&ran.values).next();
        let wrong = ran.values.difference(&all).next();
        return Err(format!("{} values, {} found; lost {lost:#?}, wrong {wrong:#?}", all.len(), ran.values.len()));
    }
    // A weak compare-and-swap that fails spuriously writes nothing, which its class knows.
    if ran.traces > classes {
        return Err(format!("{} executions of {classes} classes", ran.traces));
    }
    for off in [&["signals"][..], &["closure"], &["greedy"], &["guide"], &["signals", "closure", "greedy", "guide"]] {
        let other = explore(&code, options(off), None);
        if (&other.values, other.traces) != (&ran.values, ran.traces) {
            return Err(format!("without {off:?}: {} executions, not {}", other.traces, ran.traces));
        }
        let same = (other.calls, other.asked) == (ran.calls, ran.asked);
        if !off.contains(&"signals") && !same || other.calls < ran.calls {
            return Err(format!("without {off:?}: {} calls, not {}", other.calls, ran.calls));
        }
        if off == ["signals"] {
            total.calls_without_signals += other.calls;
        }
    }
    total.programs += 1;
    total.traces += ran.traces;
    total.classes += classes;
    total.executions += graphs.len() as u64;
    total.calls += ran.calls;
    Ok(())
}

#[test]
fn random_programs() {
    let mut total = Total::default();
    for_all(seeds(3_000), |program| check(program, false, &mut total));
    println!("{:?}: {total:?}", seeds(3_000));
    assert!(
        total.traces < total.classes && total.classes < total.executions && total.calls < total.calls_without_signals
    );
}

#[test]
fn random_programs_with_spurious_failures() {
    let mut total = Total::default();
    for_all(seeds(3_000), |program| {
        let text = crate::syntax::print(program, crate::program::Notation::Litmoscope).map_err(|e| e.to_string())?;
        if !text.contains("cas(") {
            return Ok(());
        }
        let weak = crate::syntax::parse(&text.replace("cas(", "wcas(")).expect("printed programs are programs").program;
        check(&weak, true, &mut total)
    });
    println!("{:?}: {total:?}", seeds(3_000));
    assert!(total.programs > 0);
}

#[test]
fn random_programs_with_mutexes_and_channels() {
    let mut total = Total::default();
    for_all_clients(seeds(3_000), |program| check(program, false, &mut total));
    println!("{:?}: {total:?}", seeds(3_000));
    assert!(total.programs > 0);
}
