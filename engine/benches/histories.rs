//! How long it takes to judge histories: long ones with reading them, which alone is the baseline; short ones of many threads by
//! each monitor, against the search; and how the published algorithm and the search grow.
//!
//! All of them are linearizable, so nobody may end early.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group};
use litmoscope::budget::Budget;
use litmoscope::histories::generate::{pushes_then_pops, walk, walk_without_queries};
use litmoscope::histories::{
    Answer, Format, History, Judgement, Monitor, Object, ReadOptions, Recording, judge, parse_history, print_history,
};
use std::hint::black_box;
use std::time::Duration;

const SEED: u64 = 1;
/// How long the search may be at it: some seconds.
const LIMIT: u64 = 1 << 31;
/// Those with monitors.
const MONITORED: [Object; 4] = [Object::Stack, Object::Queue, Object::Set, Object::Multiset];

fn text(history: History) -> String {
    print_history(&Recording { histories: vec![history] }, Format::Text).expect("our own text has words for it")
}

fn read(text: &str) -> History {
    let (mut read, _) = parse_history(text, &ReadOptions::default()).expect("it was written so");
    read.histories.pop().expect("there is one")
}

fn judged(history: &History, monitor: Monitor) -> Judgement {
    let object = history.object.expect("it has one");
    judge(history, object, monitor, LIMIT, &mut Budget::unlimited()).expect("nobody stops it")
}

/// Whether the answer is yes; no answer at all is left out, with a word.
fn is_finished(history: &History, monitor: Monitor, name: &str) -> bool {
    let Judgement { answer, by } = judged(history, monitor);
    match answer {
        Answer::Linearizable(_) if by == monitor => true,
        Answer::Linearizable(_) => false,
        Answer::Unknown(why) => {
            println!("{name}: {} gives up, {why:?}", monitor.name());
            false
        }
        Answer::Not(violation) => panic!("{name}: {violation:?}"),
    }
}

/// Whole recordings.
fn recordings(criterion: &mut Criterion) {
    for object in MONITORED {
        for size in [100_000_u32, 1_000_000] {
            for (shape, history) in [
                ("walk of 8 threads", walk_without_queries(8, size, SEED, object)),
                ("insertions, then removals", pushes_then_pops(8, size / 2, SEED, object)),
            ] {
                let text = text(history);
                let mut group = criterion.benchmark_group(format!("recordings/{}, {shape}", object.name()));
                group.throughput(Throughput::Elements(size.into()));
                group.bench_function(BenchmarkId::new("read", size), |bencher| {
                    bencher.iter_with_large_drop(|| read(black_box(&text)));
                });
                group.bench_function(BenchmarkId::new("read and judge", size), |bencher| {
                    bencher.iter_with_large_drop(|| {
                        let history = read(black_box(&text));
                        let judgement = judged(&history, Monitor::Fast);
                        assert!(matches!(judgement.answer, Answer::Linearizable(_)));
                        (history, judgement)
                    });
                });
            }
        }
    }
}

/// Half of the operations push, the others pop: there the published algorithm looks at values again and again.
fn growth(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("pushes, then pops");
    for size in [1_000_u32, 2_000, 4_000, 8_000, 16_000] {
        let history = pushes_then_pops(8, size / 2, SEED, Object::Stack);
        for monitor in [Monitor::Published, Monitor::Fast] {
            group.bench_function(BenchmarkId::new(monitor.name(), size), |bencher| {
                bencher.iter_with_large_drop(|| judged(black_box(&history), monitor));
            });
        }
    }
    group.finish();
}

/// By each monitor.
fn monitors(criterion: &mut Criterion) {
    for object in MONITORED {
        let history = walk_without_queries(16, 1_000, SEED, object);
        let name = format!("1,000 operations of 16 threads/{}", object.name());
        let mut group = criterion.benchmark_group(&name);
        for monitor in [Monitor::Published, Monitor::Fast, Monitor::Search] {
            if is_finished(&history, monitor, &name) {
                group.bench_function(monitor.name(), |bencher| {
                    bencher.iter_with_large_drop(|| judged(black_box(&history), monitor));
                });
            }
        }
    }
}

/// The search, of every object.
fn search(criterion: &mut Criterion) {
    for object in Object::ALL {
        for threads in [4, 8, 16, 32] {
            let name = format!("search/{}, {threads} threads", object.name());
            let mut group = criterion.benchmark_group(&name);
            for size in [100_u32, 1_000, 10_000] {
                let history = walk(threads, size, SEED, object);
                if is_finished(&history, Monitor::Search, &format!("{name}, {size} operations")) {
                    group.bench_function(BenchmarkId::from_parameter(size), |bencher| {
                        bencher.iter_with_large_drop(|| judged(black_box(&history), Monitor::Search));
                    });
                }
            }
        }
    }
}

criterion_group! {
    name = all;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(500));
    targets = recordings, growth, monitors, search
}
