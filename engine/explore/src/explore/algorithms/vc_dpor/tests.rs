use super::*;
use crate::explore::equivalence::{Equivalence, Ordered};
use crate::explore::{Algorithm, Parameters};
use crate::graph::CanonicalExecution;
use crate::program::{Limits, Program};
use crate::testing::{UNROLL, for_all, for_all_clients, seeds};
use std::collections::BTreeSet;

const OPTIONS: Options = Options::within(Limits {
    unroll: UNROLL,
    local_steps: 1000,
    events: 1000,
    unroll_spins: true,
    search: u64::MAX,
    table: u64::MAX,
});

/// The values that reads take, by name; and where threads end.
type Values = Vec<(EventKey, Label, Option<Value>, Option<Value>)>;

fn values(graph: &Execution) -> Values {
    let events = graph.events().filter(|(_, event)| !event.is_init());
    let mut values: Values =
        events.map(|(_, event)| (event.key, event.label, event.value_read, event.value_written)).collect();
    values.sort_unstable_by_key(|(key, ..)| *key);
    values
}

/// What an exploration found.
#[derive(Default)]
struct Found {
    calls: u64,
    /// Maximal traces.
    traces: u64,
    values: BTreeSet<Values>,
    plain: BTreeSet<CanonicalExecution>,
    counts: Counts,
}

fn explore(algorithm: Algorithm, code: &Arc<Code>, options: Options) -> Result<Found, String> {
    let mut explorer = algorithm.lazy_explorer(Arc::clone(code), Model::SC, options);
    let mut found = Found::default();
    loop {
        match explorer.advance() {
            Step::EnterCall { number } => {
                found.calls += 1;
                if number != found.calls {
                    return Err(format!("call {} has the number {number}", found.calls));
                }
            }
            Step::Repeated { .. } => found.traces += 1,
            Step::Execution { .. } => {
                found.traces += 1;
                let graph = explorer.execution();
                if !Model::SC.is_consistent(graph) {
                    return Err(format!("an inconsistent trace: {graph:?}"));
                }
                if let Some(co) = explorer.coherence()
                    && Model::SC.violation_with(graph, co).is_some()
                {
                    return Err(format!("an inconsistent co: {graph:?}, {co:?}"));
                }
                found.values.insert(values(graph));
                found.plain.insert(graph.canonical());
            }
            Step::Duplicate => return Err(format!("a duplicate: {:?}", explorer.execution())),
            Step::Done => break,
            _ => {}
        }
    }
    found.counts = explorer.counts();
    Ok(found)
}

fn rooted(algorithm: Algorithm, root: u32, relaxed: bool, options: Options) -> Options {
    let parameters = [("root", root), ("relaxed", u32::from(relaxed))];
    Options { parameters: Parameters::named(algorithm, parameters).expect("it has both"), ..options }
}

fn code(text: &str) -> Arc<Code> {
    let program = crate::syntax::parse(text).expect("a program").program;
    Arc::new(Code::compile(&program).expect("it compiles"))
}

fn traces_and_calls(text: &str, root: u32) -> (u64, u64) {
    let options = rooted(Algorithm::VcDpor, root, false, OPTIONS);
    let found = explore(Algorithm::VcDpor, &code(text), options).unwrap_or_else(|why| panic!("{text}: {why}"));
    (found.traces, found.calls)
}

/// All executions with their co.
fn executions(code: &Arc<Code>, options: Options) -> Vec<(Execution, Coherence)> {
    let mut explorer = Algorithm::TrustCo.lazy_explorer(Arc::clone(code), Model::SC, options);
    let mut all = Vec::new();
    loop {
        match explorer.advance() {
            Step::Execution { .. } => {
                all.push((explorer.execution().clone(), explorer.coherence().expect("it has co").clone()));
            }
            Step::Done => return all,
            _ => {}
        }
    }
}

/// Threads that write and read: the program of the thesis' Figure 4.4c.
fn rows(n: usize) -> String {
    let all: Vec<String> = (0..n).map(|i| format!("x := 1; a{i} := x")).collect();
    all.join(" || ")
}

/// The exact runs that are known: traces and calls, by root.
#[test]
fn runs_are_those_of_print() {
    let two = "y := 1; y := 1; x := 1; a := x || x := 1; b := x; y := 2; c := y";
    let three = "x := 1; y := 1 || x := 1; y := 1; a := x || x := 1; y := 1; b := y";
    assert_eq!(traces_and_calls("x := 1 || x := 2; x := 1; a := x", 1), (1, 2));
    assert_eq!(traces_and_calls(two, 1), (3, 11));
    for (root, traces) in [(1, 7), (2, 12), (3, 10)] {
        assert_eq!(traces_and_calls(three, root).0, traces, "root {root}");
    }
    for (n, expected) in [(2, (2, 6)), (3, (8, 35)), (4, (72, 427))] {
        assert_eq!(traces_and_calls(&rows(n), 1), expected, "{n} threads");
    }
}

/// Each program of the table of classes: traces are at most as many, for both algorithms.
#[test]
fn traces_are_at_most_as_many_as_classes() {
    let times = |n: usize, statements: &str| vec![statements; n].join("; ");
    let repeated = |n| format!("{0} || {1} || {0}", times(n, "x := 1"), times(n, "x := 1; a := x"));
    let mut table: Vec<(String, [u64; 2])> = vec![
        ("x := 1 || x := 2; x := 1; a := x".into(), [2, 1]),
        ("x := 1; y := 1 || x := 1; y := 1; a := x || x := 1; y := 1; b := y".into(), [28, 7]),
        ("x := 1; y := 1 || x := 1; a := x; y := 1; b := y || x := 1; y := 1".into(), [36, 9]),
        ("x := 1; a := x; y := 1 || x := 1; y := 1; b := y; x := 1".into(), [5, 5]),
        ("y := 1; y := 1; x := 1; a := x || x := 1; b := x; y := 2; c := y".into(), [5, 3]),
        ("x := 1; a := y || y := 1; b := x".into(), [3, 3]),
        ("x := 1; y := 1 || a := y; b := x".into(), [3, 3]),
        ("a := x; y := 1 || b := y; x := 1".into(), [3, 3]),
        ("x := 1 || y := 1 || a := x; b := y || c := y; d := x".into(), [15, 15]),
        ("x := 0 || y := 0 || a := x; b := y || c := y; d := x".into(), [15, 4]),
    ];
    for (n, dc) in [(1, 2), (2, 6), (3, 20), (4, 70)] {
        table.push((format!("{} || {}", times(n, "x := 0"), times(n, "a := x")), [dc, 1]));
    }
    for (n, dc) in [(1, 3), (2, 9), (3, 27)] {
        let writes: Vec<String> = (0..n).map(|i| format!("x{i} := 0; x{i} := 0")).collect();
        let reads: Vec<String> = (0..n).map(|i| format!("a := x{i}")).collect();
        table.push((format!("{} || {}", writes.join("; "), reads.join("; ")), [dc, 1]));
    }
    for (n, classes) in [(1, [6, 3]), (2, [90, 15]), (3, [1680, 84])] {
        table.push((repeated(n), classes));
    }
    for (n, classes) in [(2, [3, 2]), (3, [24, 8]), (4, [360, 72])] {
        table.push((rows(n), classes));
    }
    for (text, [dc, vc]) in table {
        let code = code(&text);
        for (algorithm, classes) in [(Algorithm::DcDpor, dc), (Algorithm::VcDpor, vc)] {
            let mut last = u64::MAX;
            for relaxed in [false, true] {
                let options = rooted(algorithm, 1, relaxed, OPTIONS);
                let found = explore(algorithm, &code, options).unwrap_or_else(|why| panic!("{text}: {why}"));
                println!("{text}: {algorithm:?}, {relaxed}: {} of {classes}, {} calls", found.traces, found.calls);
                assert!((1..=classes.min(last)).contains(&found.traces), "{text}: {}, {algorithm:?}", found.traces);
                last = found.traces;
            }
        }
    }
}

/// The first threads as root.
fn roots(code: &Code) -> impl Iterator<Item = u32> {
    1..=code.threads.len() as u32
}

fn check(program: &Program, options: Options) -> Result<(), String> {
    let code = Arc::new(Code::compile(program).map_err(|error| error.to_string())?);
    if Algorithm::VcDpor.refusal(&code, Model::SC, options).is_some() {
        return Ok(());
    }
    let executions = executions(&code, options);
    if executions.len() > 3000 {
        return Ok(());
    }
    let expected: BTreeSet<Values> = executions.iter().map(|(graph, _)| values(graph)).collect();
    let plain: BTreeSet<CanonicalExecution> = executions.iter().map(|(graph, _)| graph.canonical()).collect();
    for root in roots(&code) {
        let classes = |which: Equivalence| {
            let root = ThreadId(root as u16 - 1);
            let class = |(graph, co): &(Execution, Coherence)| which.class(root, Ordered { graph, co });
            // Spurious failures are no part of classes.
            let spurious = |graph: &Execution| -> Vec<EventKey> {
                graph.events().filter(|(_, event)| event.fails_spuriously()).map(|(_, event)| event.key).collect()
            };
            let all: BTreeSet<_> = executions.iter().map(|one| (class(one), spurious(&one.0))).collect();
            all.len() as u64
        };
        for (algorithm, which) in
            [(Algorithm::VcDpor, Equivalence::ValueCentric), (Algorithm::DcDpor, Equivalence::DataCentric)]
        {
            let most = classes(which);
            let mut last = most;
            for relaxed in [false, true] {
                let wrong = |what: String| format!("{algorithm:?}, root {root}, relaxed {relaxed}: {what}");
                let found = explore(algorithm, &code, rooted(algorithm, root, relaxed, options)).map_err(&wrong)?;
                if found.values != expected {
                    let lost = expected.difference(&found.values).next();
                    let more = found.values.difference(&expected).next();
                    let numbers = (found.values.len(), expected.len());
                    return Err(wrong(format!("{numbers:?} values, lost {lost:?}, more {more:?}")));
                }
                if found.traces > last {
                    return Err(wrong(format!("{} traces, not {last} ({most} classes)", found.traces)));
                }
                last = found.traces;
                if algorithm == Algorithm::DcDpor && found.plain != plain {
                    return Err(wrong(format!("{} plain executions of {}", found.plain.len(), plain.len())));
                }
            }
        }
    }
    Ok(())
}

/// Every combination of values that brute force finds, by at most as many traces as there are classes, whatever the root;
/// DC-DPOR finds every plain execution. Relaxed orders find the same by no more traces.
#[test]
fn random_programs_have_all_their_values() {
    for_all(seeds(3000), |program| check(program, OPTIONS));
}

/// With compare-and-swaps that fail spuriously.
#[test]
fn spurious_failures_are_told_apart() {
    use crate::program::Notation;
    let options = Options { spurious: true, ..OPTIONS };
    for_all(seeds(1000), |program| {
        let text = crate::syntax::print(program, Notation::Litmoscope).map_err(|error| error.to_string())?;
        let weak = crate::syntax::parse(&text.replace("cas(", "wcas(")).map_err(|errors| format!("{errors:?}"))?;
        check(&weak.program, options)
    });
}

/// With mutexes.
#[test]
fn mutexes_take_turns() {
    for_all_clients(seeds(1500), |program| check(program, OPTIONS));
}

#[test]
fn what_has_no_answer_is_refused() {
    let options = |root| rooted(Algorithm::VcDpor, root, false, OPTIONS);
    let refusal = |text: &str, root| Algorithm::VcDpor.refusal(&code(text), Model::SC, options(root));
    assert_eq!(refusal("x := 1 || a := x", 2), None);
    assert_eq!(
        refusal("x := 1 || a := x", 3).as_deref(),
        Some("P2 can't be its root, because the program has 2 threads.")
    );
    assert!(refusal("send(c, 1) || a := receive(c)", 1).is_some_and(|why| why.contains("channels")));
}
