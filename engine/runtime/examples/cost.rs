//! What an event costs that need not wait, against the same access without the runtime, in the same run:
//!
//! ```sh
//! cargo run --release --package litmoscope-runtime --example cost
//! ```
//!
//! One thread of the system plays all threads of the schedule, so nobody ever waits, and no cache line is fetched from
//! another core: what is measured is what the runtime does, not how long cores take to hear of each other. Each figure
//! is the least of many short measurements that take turns.

use litmoscope_runtime::{Edge, Event, Runtime, Schedule, Thread};
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::time::Instant;

/// How many events of each thread a section has.
const EVENTS: usize = 8;
/// How many sections are gone through for one measurement.
const SECTIONS: usize = 2_000;
const REPEATS: usize = 100;

static SHARED: AtomicU64 = AtomicU64::new(0);

/// The access: reads a variable and writes it.
fn access() {
    SHARED.store(black_box(SHARED.load(SeqCst)) + 1, SeqCst);
}

/// Nanoseconds for each event.
fn nanoseconds(events: usize, task: impl FnOnce()) -> f64 {
    let begin = Instant::now();
    task();
    begin.elapsed().as_nanos() as f64 / events as f64
}

/// A section in which each event of each thread comes after the one of the same number of the thread before.
fn sections(threads: usize) -> Vec<(usize, Vec<usize>)> {
    (0..threads * EVENTS).map(|event| (event / EVENTS, event.checked_sub(EVENTS).into_iter().collect())).collect()
}

/// A way to run, with the least time of an event so far.
struct Way<'a> {
    name: &'static str,
    threads: Vec<Thread<'a>>,
    least: f64,
}

impl Way<'_> {
    fn measure(&mut self) {
        let events = SECTIONS * EVENTS * self.threads.len().max(1);
        let time = nanoseconds(events, || {
            for _ in 0..SECTIONS {
                if self.threads.is_empty() {
                    (0..EVENTS).for_each(|_| access());
                }
                for thread in &mut self.threads {
                    for event in 0..EVENTS {
                        thread.event(event as u32, access).expect("nobody stops it");
                    }
                }
            }
        });
        self.least = self.least.min(time);
    }
}

fn main() {
    let runtime = |threads: usize, ways: u32| {
        let section = sections(threads);
        let events: Vec<Event<'_>> = (section.iter().enumerate())
            .map(|(number, (thread, after))| Event { thread: *thread, transition: (number % EVENTS) as u32, after })
            .collect();
        // All ways but one begin with what nobody does.
        let others: Vec<Vec<Event<'_>>> = (1..ways)
            .map(|way| {
                let mut events = events.clone();
                events[0].transition += 1000 * way;
                events
            })
            .collect();
        let edges: Vec<Edge<'_>> =
            [&events].into_iter().chain(&others).map(|events| Edge { from: 0, to: 0, events }).collect();
        Runtime::new(&Schedule { threads, nodes: 1, start: 0, edges: &edges }).expect("a schedule")
    };
    let runtimes = [
        ("unconstrained", runtime(1, 1).unconstrained()),
        ("one thread under a schedule", runtime(1, 1)),
        ("one thread with a branch at each section", runtime(1, 2)),
        ("two threads, the second after the first", runtime(2, 1)),
        ("four threads, each after the one before", runtime(4, 1)),
        ("two threads, monitored", runtime(2, 1).monitored(64)),
    ];
    let plain = Way { name: "without the runtime", threads: Vec::new(), least: f64::MAX };
    let under = runtimes.iter().map(|(name, runtime)| Way {
        name,
        threads: (0..runtime.threads()).map(|thread| runtime.thread(thread)).collect(),
        least: f64::MAX,
    });
    let mut ways: Vec<Way<'_>> = [plain].into_iter().chain(under).collect();
    for _ in 0..REPEATS {
        ways.iter_mut().for_each(Way::measure);
    }
    println!("nanoseconds for each event, and how many more than without the runtime:");
    for way in &ways {
        println!("{:>8.1} {:>+8.1}  {}", way.least, way.least - ways[0].least, way.name);
    }
}
