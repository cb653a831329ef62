//! What the inner operations of an exploration cost: programs in which one of them dominates, each against a baseline
//! that is measured in the same run and lacks it.
//!
//! The threads of a program are explored in their order, so writers before a reader are sources that it chooses from, and
//! writers behind it revisit it: the same executions, found in two ways.

use criterion::{Criterion, Throughput, criterion_group};
use litmoscope::explore::{Algorithm, Options, Pause, Work};
use litmoscope::model::Model;
use litmoscope::program::{Code, Program};
use litmoscope::syntax::parse;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

const ALGORITHM: Algorithm = Algorithm::TrustCo;

/// So many times the same, with something between.
fn repeat(n: usize, part: &str, between: &str) -> String {
    vec![part; n].join(between)
}

/// A program whose explorations are dominated by one operation.
struct Operation {
    name: &'static str,
    text: String,
    /// The same without the operation, or with another one instead.
    without: String,
    /// How many operations an execution has.
    each: u32,
}

fn operations() -> Vec<Operation> {
    let writes = "x := 1; x := 2; x := 3; x := 4; x := 5; x := 6; x := 7";
    // Each of eight executions adds what comes behind the read anew, and takes it away again.
    let behind = |tail: String| format!("shared x, p\n{writes} || a := x{tail}");
    let readers = repeat(10, "a := x", " || ");
    vec![
        Operation {
            name: "add and undo a write",
            text: behind(repeat(40, "; p := 1", "")),
            without: behind(String::new()),
            each: 40,
        },
        Operation {
            name: "add and undo a read",
            text: behind(repeat(40, "; b := p", "")),
            without: behind(String::new()),
            each: 40,
        },
        Operation {
            name: "revisit instead of choosing",
            text: format!("shared x\n{readers} || x := 1"),
            without: format!("shared x\nx := 1 || {readers}"),
            each: 1,
        },
        // As many executions of as many events.
        Operation {
            name: "place a write instead of choosing a source",
            text: format!("shared x\n{writes} || {}", repeat(3, "x := 9", "; ")),
            without: format!("shared x\n{writes} || {}", repeat(3, "a := x", "; ")),
            each: 3,
        },
        Operation {
            name: "read-modify-write instead of write",
            text: repeat(6, "fai(x)", " || "),
            without: format!("shared x\n{}", repeat(6, "x := 1", " || ")),
            each: 6,
        },
        Operation {
            name: "lock and unlock instead of a read-modify-write",
            text: format!("shared m\n{}", repeat(5, "lock m; unlock m", " || ")),
            without: format!("shared m\n{}", repeat(5, "fai(m)", " || ")),
            each: 5,
        },
    ]
}

/// Programs whose consistency differs by model, with modes.
const CHECKED: [(&str, &str); 3] = [
    (
        "one location",
        "r := x; x :=rel r + 1 || r := x; x :=rel r + 2 || r := x; x :=rel r + 4 || r := x; x :=rel r + 8",
    ),
    ("two locations", "x :=rel 1; a :=acq y; y :=rel 2; b :=acq x || y :=rel 3; a :=acq x; x :=rel 4; b :=acq y"),
    (
        "sc",
        "x :=sc 1; a :=sc y; fence sc; b :=sc z || y :=sc 1; a :=sc z; fence sc; b :=sc x || z :=sc 1; a :=sc x; fence sc; b :=sc y",
    ),
];

/// A program, and what is explored of it.
struct Subject {
    program: Arc<Program>,
    code: Arc<Code>,
}

fn compile(text: &str) -> Subject {
    // What final states there are is of no interest, and would take time.
    let text = format!("{text}\nforall true");
    let program = parse(&text).unwrap_or_else(|diagnostics| panic!("{text}\n{diagnostics:#?}")).program;
    let code = Arc::new(Code::compile(&program).expect("can be explored"));
    Subject { program: Arc::new(program), code }
}

/// Explores all of a program; the number of its executions.
fn explore(subject: &Subject, model: Model) -> u64 {
    let (program, code) = (Arc::clone(&subject.program), Arc::clone(&subject.code));
    let walk = ALGORITHM.walk(code, program, model, Options::default(), &Work::default());
    let mut walk = walk.expect("it has a walk for every program");
    while walk.run(u64::MAX) == Pause::Steps {}
    walk.counts().executions()
}

/// Measures an exploration; the best seconds for one execution, infinite where a filter left it out.
fn measure(criterion: &mut Criterion, group: &str, name: &str, subject: &Subject, model: Model) -> f64 {
    let executions = explore(subject, model);
    let mut best = f64::INFINITY;
    let mut group = criterion.benchmark_group(group);
    group.throughput(Throughput::Elements(executions));
    group.bench_function(name, |bencher| {
        bencher.iter_custom(|times| {
            let start = Instant::now();
            for _ in 0..times {
                black_box(explore(black_box(subject), model));
            }
            let all = start.elapsed();
            best = best.min(all.as_secs_f64() / times as f64 / executions as f64);
            all
        });
    });
    best
}

fn each_operation(criterion: &mut Criterion) {
    for Operation { name, text, without, each } in operations() {
        let group = format!("operation/{name}");
        let baseline = measure(criterion, &group, "without", &compile(&without), Model::TSO);
        let operation = measure(criterion, &group, "with", &compile(&text), Model::TSO);
        if baseline.is_finite() && operation.is_finite() {
            let ratio = operation / baseline;
            let difference = (operation - baseline) / f64::from(each) * 1e9;
            println!("{group}: {ratio:.2} times the baseline, {difference:.0} ns more for each\n");
        }
    }
}

/// The time for an execution under each model, in multiples of that under RA, which has coherence alone.
fn each_model(criterion: &mut Criterion) {
    for (name, text) in CHECKED {
        let subject = compile(text);
        let group = format!("model/{name}");
        let baseline = measure(criterion, &group, Model::RA.name(), &subject, Model::RA);
        for model in Model::ALL.into_iter().filter(|&model| model != Model::RA) {
            let ratio = measure(criterion, &group, model.name(), &subject, model) / baseline;
            if ratio.is_finite() {
                println!("{group}: an execution under {} takes {ratio:.2} times as long as under RA\n", model.title());
            }
        }
    }
}

criterion_group! {
    name = all;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(500));
    targets = each_operation, each_model
}
