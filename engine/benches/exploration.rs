//! How many executions a second GenMC finds, by program and model, and how much that is against brute force.

use criterion::{Criterion, Throughput, criterion_group};
use litmoscope::explore::{Algorithm, Options, Step};
use litmoscope::model::Model;
use litmoscope::program::Code;
use litmoscope::syntax::parse;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn parallel(n: usize, thread: impl Fn(usize) -> String) -> String {
    (1..=n).map(thread).collect::<Vec<_>>().join(" || ")
}

/// The usual families, of sizes that take milliseconds.
fn families() -> [(&'static str, String); 5] {
    [
        ("fai(6)", parallel(6, |_| "fai(x)".to_owned())),
        ("wainc(3)", parallel(3, |n| format!("x := {n}; fai(x)"))),
        ("rw(4)", format!("{} || {}", parallel(4, |n| format!("x := {n}")), parallel(4, |_| "a := x".to_owned()))),
        ("readers(10)", format!("x := 1 || {}", parallel(10, |_| "a := x".to_owned()))),
        // With more locations than one, and modes.
        (
            "iriw+sc",
            "x :=sc 1; z := 1 || y :=sc 1; z := 2 || a :=sc x; b :=sc y; e := z || c :=sc y; d :=sc x; f := z"
                .to_owned(),
        ),
    ]
}

/// Small enough for brute force.
const SMALL: [(&str, &str); 2] =
    [("message passing", "x := 1; y :=rel 1 || a :=acq y; b := x"), ("wainc(2)", "x := 1; fai(x) || x := 2; fai(x)")];

fn compile(text: &str) -> Arc<Code> {
    let program = parse(text).unwrap_or_else(|diagnostics| panic!("{text}\n{diagnostics:#?}")).program;
    Arc::new(Code::compile(&program).expect("can be explored"))
}

/// Explores all of a program; the number of its executions.
fn explore(algorithm: Algorithm, code: &Arc<Code>, model: Model) -> u64 {
    let explorer = algorithm.explorer(Arc::clone(code), model, Options::default());
    let mut explorer = explorer.expect("not too many candidates");
    while explorer.advance() != Step::Done {}
    explorer.counts().executions()
}

fn genmc(criterion: &mut Criterion) {
    for (name, text) in families() {
        let code = compile(&text);
        let mut group = criterion.benchmark_group(format!("genmc/{name}"));
        for model in Model::ALL {
            group.throughput(Throughput::Elements(explore(Algorithm::Genmc, &code, model)));
            group.bench_function(model.name(), |bencher| {
                bencher.iter(|| explore(Algorithm::Genmc, black_box(&code), model));
            });
        }
    }
}

/// Both algorithms on the same programs, one after the other, and how many times as long the slower one takes.
fn baseline(criterion: &mut Criterion) {
    for (name, text) in SMALL {
        let code = compile(text);
        for model in [Model::SC, Model::RA, Model::RC11] {
            let mut group = criterion.benchmark_group(format!("baseline/{name}/{model}"));
            group.throughput(Throughput::Elements(explore(Algorithm::Genmc, &code, model)));
            let [genmc, brute_force] = [Algorithm::Genmc, Algorithm::BruteForce].map(|algorithm| {
                let mut best = f64::INFINITY;
                group.bench_function(algorithm.name(), |bencher| {
                    bencher.iter_custom(|times| {
                        let start = Instant::now();
                        for _ in 0..times {
                            black_box(explore(algorithm, black_box(&code), model));
                        }
                        let all = start.elapsed();
                        best = best.min(all.as_secs_f64() / times as f64);
                        all
                    });
                });
                best
            });
            group.finish();
            // Neither is known where a filter left one out.
            if genmc.is_finite() && brute_force.is_finite() {
                println!("baseline/{name}/{model}: brute force takes {:.1} times as long\n", brute_force / genmc);
            }
        }
    }
}

criterion_group! {
    name = all;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_secs(1));
    targets = genmc, baseline
}
