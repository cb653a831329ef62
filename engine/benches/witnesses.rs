//! How long the searches for a witness take as executions grow, against the searches that know nothing.
//!
//! The closure is left out: it would refute most of these executions without a search. How many states there are is tested
//! in `engine/tests/suite/growth.rs`.

use crate::executions::{Family, instance};
use criterion::{BenchmarkId, Criterion, criterion_group};
use litmoscope::consistency::{Machine, Settings, find_witness};
use std::hint::black_box;
use std::time::Duration;

/// Threads, and how many writes each has.
const SIZES: [(usize, [usize; 3]); 3] = [(2, [4, 8, 12]), (3, [2, 3, 4]), (4, [1, 2, 3])];

const KINDS: [(&str, Family, bool); 3] = [
    ("own locations", Family::Own, false),
    ("own locations, with a witness", Family::Own, true),
    ("a shared location", Family::Shared, false),
];

fn witnesses(criterion: &mut Criterion) {
    let plain = Settings { closure: false, greedy: false, ..Settings::default() };
    for machine in [Machine::Sc, Machine::Tso, Machine::Pso] {
        for (threads, sizes) in SIZES {
            for (kind, family, is_consistent) in KINDS {
                let name = format!("witnesses/{}/{threads} threads/{kind}", machine.model().name());
                let mut group = criterion.benchmark_group(name);
                for size in sizes {
                    let instance = instance(machine, family, threads, size, is_consistent);
                    let mut measure = |name: &str, settings: &Settings| {
                        group.bench_function(BenchmarkId::new(name, size), |bencher| {
                            bencher.iter(|| find_witness(black_box(&instance), settings).states);
                        });
                    };
                    measure("search", &plain);
                    if machine == Machine::Sc {
                        measure("greedy", &Settings { greedy: true, ..plain.clone() });
                    }
                    measure("naive", &Settings { naive: true, ..plain.clone() });
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
        .measurement_time(Duration::from_millis(300));
    targets = witnesses
}
