//! How long it takes to decide event-driven traces, and to ask why their messages are in order.

use criterion::{BenchmarkId, Criterion, criterion_group};
use litmoscope::budget::{Budget, Meter};
use litmoscope::traces::testing::{TraceShape, flat_trace, random_trace};
use litmoscope::traces::{Answer, Mailbox, MessageIndex, Orders, Trace, solve};
use std::hint::black_box;
use std::time::Duration;

fn answer(trace: &Trace) -> Answer {
    solve(trace, &mut Meter::unlimited(&mut Budget::unlimited())).unwrap_or_else(|_| panic!("there is no limit"))
}

fn traces(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("traces/one poster");
    for count in [200, 1_000] {
        let trace = flat_trace(count);
        group.bench_function(BenchmarkId::new("solve", count), |bencher| bencher.iter(|| answer(black_box(&trace))));
        let answer = answer(&trace);
        group.bench_function(BenchmarkId::new("why two are in order", count), |bencher| {
            bencher.iter(|| {
                let orders = Orders::of_run(&trace, black_box(&answer));
                // To one handler; none of the others between them was kept.
                orders.map(|orders| orders.between(MessageIndex(4), MessageIndex(count - count % 4)).len())
            });
        });
    }
    group.finish();
    let mut group = criterion.benchmark_group("traces/messages that post messages");
    for mailbox in Mailbox::ALL {
        // What a run has done: consistent, if nothing was disturbed.
        let shape = TraceShape { messages: 200, events: 1_000, nested: true };
        let trace = random_trace(8, mailbox, shape);
        let name = format!("solve, {} messages", trace.messages.len());
        group.bench_function(BenchmarkId::new(name, mailbox.keyword()), |bencher| {
            bencher.iter(|| answer(black_box(&trace)));
        });
    }
    group.finish();
}

criterion_group! {
    name = all;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(500));
    targets = traces
}
