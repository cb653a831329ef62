//! How fast the yes-or-no check is. Run with `cargo test --release -- --ignored --nocapture speed`.

use super::{candidates, consistent};
use crate::graph::{EventId, ThreadId};
use crate::model::Model;
use crate::program::{Action, Location, Mode, Span, Update, UpdateOperator};
use std::hint::black_box;
use std::time::{Duration, Instant};

#[test]
#[ignore = "a measurement"]
fn speed() {
    for (name, text) in [
        ("message passing", "Wx1 Wy1.rel | Ry.acq Rx"),
        ("10 events", "Wx1 Wy1.rel Rx | Wx2 Ry.acq Rx | Wy2.rel Wx3 Ry.acq Rx"),
        ("10 events, sc", "Wx1.sc Wy1.sc Rx.sc | Wx2.sc F.sc Ry Rx | Wy2.sc Wx3 Ry.sc"),
        ("4 increments", "Ux Ux | Ux Ux"),
        ("5 writers, 1 reader", "Wx1 | Wx2 | Wx3 | Wx4 | Wx5 | Rx"),
    ] {
        let mut graphs = candidates(text);
        graphs.truncate(2000);
        for model in Model::ALL {
            let good = graphs.iter().take(50).filter(|graph| consistent(model, graph)).count();
            let start = Instant::now();
            let mut checks = 0;
            while start.elapsed() < Duration::from_millis(200) {
                for graph in &graphs {
                    black_box(model.is_consistent(black_box(graph)));
                    checks += 1;
                }
            }
            let each = start.elapsed().as_nanos() / checks;
            println!("{name}: {model}: {each} ns a check ({good} of {} consistent)", graphs.len().min(50));
        }
    }
}

/// Graphs of random runs of SC, and the same with one read's source changed.
#[test]
#[ignore = "a measurement"]
fn speed_of_large_graphs() {
    let mut state = 1u64;
    let mut random = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for (threads, length, locations, fences) in [(4, 10, 3, 0), (4, 10, 3, 10), (8, 8, 2, 4), (3, 30, 4, 6)] {
        let graphs: Vec<_> = (0..400)
            .map(|n| {
                let mut graph = super::empty(threads, locations);
                let mut last: Vec<EventId> = (0..locations as u32).map(EventId).collect();
                let mut reads = Vec::new();
                for _ in 0..threads * length {
                    let location = Location(random(locations) as u32);
                    let mode = if random(8) == 0 { Mode::SequentiallyConsistent } else { Mode::Relaxed };
                    let mode = if fences == 0 { Mode::Relaxed } else { mode };
                    let update = Update::Fetch(UpdateOperator::Add, 1);
                    let action = match random(20) {
                        _ if random(100) < fences => Action::Fence(Mode::SequentiallyConsistent),
                        0..9 => Action::Read { location, mode },
                        9 => Action::Update { location, mode, failure: mode, update },
                        _ => Action::Write { location, mode, value: 1 },
                    };
                    let e = graph.add(ThreadId(random(threads) as u16), action, Span::default());
                    if graph.event(e).is_read() {
                        graph.set_source(e, last[location.0 as usize]);
                        if !graph.event(e).is_write() {
                            reads.push(e);
                        }
                    }
                    if graph.event(e).is_write() {
                        last[location.0 as usize] = e;
                    }
                }
                if n % 2 == 1 {
                    let read = reads[random(reads.len())];
                    let writes: Vec<_> = graph.writes(graph.event(read).location().unwrap()).collect();
                    graph.set_source(read, writes[random(writes.len())]);
                }
                graph
            })
            .collect();
        for model in Model::ALL {
            let (mut worst, mut good) = (Duration::ZERO, 0);
            let start = Instant::now();
            for graph in &graphs {
                let one = Instant::now();
                good += usize::from(model.is_consistent(graph));
                worst = worst.max(one.elapsed());
            }
            let each = start.elapsed() / graphs.len() as u32;
            println!(
                "{threads} threads, {length} events each: {model}: {each:?} a check, worst {worst:?}, {good} good"
            );
        }
    }
}
