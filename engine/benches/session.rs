//! What a reader of the page waits for: the whole exploration with its tree and results, the view of one position, a
//! step back.

use criterion::{BatchSize, Criterion, Throughput, criterion_group};
use litmoscope::model::Model;
use litmoscope::session::{Session, Settings, ViewRequest};
use std::hint::black_box;
use std::time::Duration;

const PROGRAMS: [(&str, Model, &str); 3] = [
    ("sb", Model::TSO, "x := 1; a := y || y := 1; b := x"),
    ("wbchain", Model::RC11, "x := 1; fai(x) || x := 10; fai(x) || fai(x) || fai(x)"),
    (
        "seqlock",
        Model::RC11,
        "s := 1; fence rel; x := 1; y := 1; s :=rel 2 || a :=acq s; b := x; c := y; fence acq; d := s; e :=acq s; f := x",
    ),
];

fn sessions(criterion: &mut Criterion) {
    for (name, model, text) in PROGRAMS {
        let open = || {
            let settings = Settings { text: text.to_owned(), model, ..Settings::default() };
            Session::open(settings).unwrap_or_else(|diagnostics| panic!("{text}\n{diagnostics:#?}"))
        };
        let mut session = open();
        session.run(u64::MAX);
        let steps = session.frontier();

        let mut group = criterion.benchmark_group(format!("session/{name}"));
        group.bench_function("view at the end", |bencher| {
            bencher.iter(|| session.view(black_box(&ViewRequest::default())));
        });
        session.go_to(steps / 2, u64::MAX);
        group.bench_function("view halfway", |bencher| {
            bencher.iter(|| session.view(black_box(&ViewRequest::default())));
        });
        group.bench_function("back and forward", |bencher| {
            bencher.iter(|| session.back() && session.forward());
        });
        group.throughput(Throughput::Elements(steps));
        group.bench_function("run, by step", |bencher| {
            let run = |mut session: Session| {
                session.run(u64::MAX);
                session
            };
            bencher.iter_batched(open, run, BatchSize::SmallInput);
        });
    }
}

criterion_group! {
    name = all;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_secs(1));
    targets = sessions
}
