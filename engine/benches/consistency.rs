//! How many graphs a second each model judges.

use crate::graphs::{Random, Shape};
use criterion::{Criterion, Throughput, criterion_group};
use litmoscope::budget::{Budget, Decision};
use litmoscope::graph::Execution;
use litmoscope::model::{Inquiry, Model};
use std::hint::black_box;
use std::time::Duration;

const SHAPES: [(&str, Shape); 4] = [
    ("4 events", Shape::new(2, 4, 2)),
    ("10 events", Shape::new(3, 10, 2)),
    ("40 events", Shape::new(4, 40, 3)),
    ("40 relaxed events", Shape { sc: false, ..Shape::new(4, 40, 3) }),
];

/// Runs, of which every other one has a read that takes another write instead; most of those are inconsistent.
fn graphs(shape: Shape) -> Vec<Execution> {
    let mut random = Random::new(1);
    let mut graphs: Vec<_> = (0..100).map(|_| shape.run(&mut random)).collect();
    for graph in graphs.iter_mut().step_by(2) {
        let reads: Vec<_> = graph.events().filter(|(_, e)| e.is_read() && !e.is_write()).map(|(e, _)| e).collect();
        if reads.is_empty() {
            continue;
        }
        let read = reads[random.below(reads.len())];
        let location = graph.event(read).location().expect("a read has a location");
        let writes: Vec<_> = graph.writes(location).collect();
        graph.set_source(read, writes[random.below(writes.len())]);
    }
    graphs
}

fn consistency(criterion: &mut Criterion) {
    for (name, shape) in SHAPES {
        let graphs = graphs(shape);
        let mut group = criterion.benchmark_group(format!("consistency/{name}"));
        group.throughput(Throughput::Elements(graphs.len() as u64));
        for model in Model::ALL {
            let count = || graphs.iter().filter(|graph| model.is_consistent(black_box(graph))).count();
            group.bench_function(model.name(), |bencher| bencher.iter(count));
        }
    }
}

/// How the time for a question grows with the graph: runs and what is left of them when some reads take other writes. With it,
/// on the same graphs, the search over orders of writes, as far as that takes less than a second.
fn sizes(criterion: &mut Criterion) {
    for events in [50, 100, 200, 400, 800] {
        let graphs = &graphs(Shape { sc: false, ..Shape::new(4, events, 4) })[..10];
        let mut group = criterion.benchmark_group(format!("consistency of {events} events"));
        group.throughput(Throughput::Elements(graphs.len() as u64));
        for model in Model::ALL {
            let count = || graphs.iter().filter(|graph| model.is_consistent(black_box(graph))).count();
            group.bench_function(model.name(), |bencher| bencher.iter(count));
            let by_search = |graph: &&Execution| {
                let (mut inquiry, mut budget) = (Inquiry::default(), Budget::unlimited());
                model.decide_by_search(graph, None, 1 << 20, &mut inquiry, &mut budget) == Ok(Decision::Yes)
            };
            if events <= 200 {
                let all = || graphs.iter().filter(|graph| by_search(black_box(graph))).count();
                group.bench_function(format!("{}, by orders of writes", model.name()), |bencher| bencher.iter(all));
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
    targets = consistency, sizes
}
