//! The runtime by hand: a producer and a consumer with a buffer behind a lock, first under a schedule, then without
//! one.
//!
//! ```sh
//! cargo run --release --package litmoscope-runtime --example producer_consumer -- 2
//! ```
//!
//! The schedule has one section, which is repeated for ever: the producer locks, finds room, puts a value and unlocks,
//! and then the consumer does likewise. Under it each round is a useful one. Without it, either may find that it has to
//! try again.

use litmoscope_runtime::{Edge, Ended, Event, Runtime, Schedule, Stopped, Thread};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::time::Duration;
use std::{env, thread};

const ROOM: usize = 5;
const PRODUCER: usize = 0;
const CONSUMER: usize = 1;
/// The only lock.
const BUFFER: usize = 0;

// What the threads do, each with a number: transitions.
const LOCK: u32 = 0;
const FIND: u32 = 1;
const FIND_NOTHING: u32 = 2;
const MOVE: u32 = 3;
const UNLOCK: u32 = 4;

/// An event of the schedule's only section.
const fn event(thread: usize, transition: u32, after: &'static [usize]) -> Event<'static> {
    Event { thread, transition, after }
}

static SCHEDULE: Schedule<'static> = Schedule {
    threads: 2,
    nodes: 1,
    start: 0,
    edges: &[Edge {
        from: 0,
        to: 0,
        events: &[
            event(PRODUCER, LOCK, &[]),
            event(PRODUCER, FIND, &[]),
            event(PRODUCER, MOVE, &[]),
            event(PRODUCER, UNLOCK, &[]),
            // The lock is free behind event 3. All else follows from the order of each thread.
            event(CONSUMER, LOCK, &[3]),
            event(CONSUMER, FIND, &[]),
            event(CONSUMER, MOVE, &[]),
            event(CONSUMER, UNLOCK, &[]),
        ],
    }],
};

#[derive(Default)]
struct Buffer {
    count: AtomicUsize,
    values: [AtomicU64; ROOM],
}

/// Puts 0, 1, 2 and so on until the run is over.
fn produce(mut thread: Thread<'_>, buffer: &Buffer) -> Result<(), Stopped> {
    let mut next = 0;
    loop {
        thread.lock(BUFFER, LOCK)?;
        // The thread says which way it went: the branch belongs to the read.
        let turn = thread.before()?;
        let has_room = buffer.count.load(SeqCst) < ROOM;
        turn.after(if has_room { FIND } else { FIND_NOTHING })?;
        if has_room {
            let place = &buffer.values[next as usize % ROOM];
            thread.event(MOVE, || (place.store(next, SeqCst), buffer.count.fetch_add(1, SeqCst)))?;
            next += 1;
            thread.round();
        }
        thread.unlock(BUFFER, UNLOCK)?;
    }
}

/// Takes values until the run is over, which have to be 0, 1, 2 and so on.
fn consume(mut thread: Thread<'_>, buffer: &Buffer) -> Result<(), Stopped> {
    let mut next = 0;
    loop {
        thread.lock(BUFFER, LOCK)?;
        let turn = thread.before()?;
        let has_value = buffer.count.load(SeqCst) > 0;
        turn.after(if has_value { FIND } else { FIND_NOTHING })?;
        if has_value {
            let place = &buffer.values[next as usize % ROOM];
            let (value, _) = thread.event(MOVE, || (place.load(SeqCst), buffer.count.fetch_sub(1, SeqCst)))?;
            assert_eq!(value, next);
            next += 1;
            thread.round();
        }
        thread.unlock(BUFFER, UNLOCK)?;
    }
}

fn run(name: &str, runtime: &Runtime, time: Duration) -> bool {
    let buffer = Buffer::default();
    let ended = thread::scope(|scope| {
        scope.spawn(|| produce(runtime.thread(PRODUCER), &buffer));
        scope.spawn(|| consume(runtime.thread(CONSUMER), &buffer));
        runtime.run_for(time)
    });
    let rounds = runtime.rounds();
    println!(
        "{name}: {} useful rounds of the producer, {} of the consumer; {ended}",
        rounds[PRODUCER], rounds[CONSUMER]
    );
    ended == Ended::Stopped
}

fn main() -> ExitCode {
    let seconds = env::args().nth(1).map_or(Ok(0.2), |text| text.parse());
    let Some(time) = seconds.ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()) else {
        eprintln!("usage: producer_consumer [SECONDS]");
        return ExitCode::FAILURE;
    };
    let runtime = || Runtime::new(&SCHEDULE).expect("it is a schedule").locks(1);
    let constrained = run("under the schedule", &runtime(), time);
    let unconstrained = run("unconstrained", &runtime().unconstrained(), time);
    // Each event looked at as it happens: it is what the schedule permits.
    let monitored = run("under the schedule, with a monitor", &runtime().monitored(16), time);
    if constrained && unconstrained && monitored { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
