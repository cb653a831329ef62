//! How long it takes to lay out a graph, with rf only and with all relations that RC11 has.

use crate::graphs::{Random, Shape};
use criterion::{Criterion, criterion_group};
use litmoscope::model::Model;
use litmoscope::report::{DrawingInput, layout};
use std::hint::black_box;
use std::time::Duration;

const SHAPES: [(&str, Shape); 5] = [
    ("4 events", Shape::new(2, 4, 2)),
    ("10 events", Shape::new(3, 10, 2)),
    ("60 events", Shape::new(4, 60, 3)),
    ("300 events", Shape::new(8, 300, 5)),
    ("900 events", Shape::new(8, 900, 5)),
];

fn layouts(criterion: &mut Criterion) {
    for (name, shape) in SHAPES {
        let program = shape.program();
        let graph = shape.run(&mut Random::new(1));
        let rf = DrawingInput::new(&program, &graph);
        let witness = Model::RC11.consistency(&graph).expect("a run of SC is consistent");
        let relations = Model::RC11.relations(&graph, &witness);
        let edges = relations.into_iter().flat_map(|(_, edges)| edges).collect();
        let all = DrawingInput { edges, ..rf.clone() };
        let mut group = criterion.benchmark_group(format!("layout/{name}"));
        group.bench_function("rf", |bencher| bencher.iter(|| layout(black_box(&rf).diagram())));
        // Of hundreds of events nobody looks at all relations, and one layout takes seconds.
        if shape.events > 100 {
            continue;
        }
        group.bench_function("all relations", |bencher| bencher.iter(|| layout(black_box(&all).diagram())));
    }
}

criterion_group! {
    name = all;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_secs(1));
    targets = layouts
}
