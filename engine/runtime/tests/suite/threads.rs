//! The runtime on real threads, fewer and more of them than there are cores. What happens in which order is up to the
//! machine; what is tested holds in each.

use super::oracle::is_permitted;
use super::tables::{Edge, Random, Ring, Table, double_lock, figure_5_6, with_schedule};
use litmoscope_runtime::{Departure, Ended, Runtime, State, Stopped, SwapError, Thread, Waits};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Barrier, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// More than any run here takes.
const LONG: Duration = Duration::from_secs(3600);

fn made(table: &Table) -> Runtime {
    with_schedule!(litmoscope_runtime, table, |schedule| Runtime::new(&schedule).expect("a schedule"))
}

fn swap(runtime: &Runtime, swaps: u64, table: &Table, map: &[Option<usize>]) -> Result<(), SwapError> {
    with_schedule!(litmoscope_runtime, table, |schedule| runtime.swap(swaps, &schedule, map))
}

type Events = Mutex<Vec<(usize, u32)>>;

fn go_round(ring: &Ring, runtime: &Runtime, events: &Events, rounds: usize) {
    thread::scope(|scope| {
        for number in 0..ring.table.threads {
            scope.spawn(move || {
                let mut thread = runtime.thread(number);
                let mut random = Random::new(number as u64);
                for _ in 0..rounds {
                    for (ways, first) in ring.program(number) {
                        let transition = first + random.below(ways) as u32;
                        let note = || events.lock().unwrap_or_else(PoisonError::into_inner).push((number, transition));
                        thread.event(transition, note).expect("nobody stops it");
                    }
                    thread.round();
                }
            });
        }
    });
}

#[test]
fn one_or_many_threads_keep_to_a_schedule() {
    // Where others want the cores too, each wait may take milliseconds.
    for (seed, threads, rounds) in [(1, 1, 100), (2, 2, 30), (3, 2, 30), (4, 3, 10), (5, 8, 3)] {
        let mut random = Random::new(seed);
        let ring = Ring::random(&mut random, threads, 3, 40);
        for monitored in [false, true] {
            let runtime = made(&ring.table);
            let runtime = if monitored { runtime.monitored(1) } else { runtime };
            let events = Events::default();
            go_round(&ring, &runtime, &events, rounds);
            assert_eq!(runtime.ended(), None);
            assert_eq!(runtime.rounds(), vec![rounds as u64; threads]);
            assert_eq!(runtime.run_for(LONG), Ended::Left);
            let events = events.into_inner().expect("nobody panicked");
            assert_eq!(events.len(), rounds * ring.size());
            assert!(is_permitted(&[&ring.table], &events));
        }
    }
}

#[test]
fn schedules_are_swapped_while_threads_run() {
    let mut random = Random::new(7);
    let strict = Ring::random(&mut random, 3, 2, 100);
    let loose = strict.reordered(&mut random, 0);
    let runtime = made(&strict.table);
    let events = Events::default();
    thread::scope(|scope| {
        scope.spawn(|| go_round(&strict, &runtime, &events, 40));
        // The last one may come when all have left.
        for swaps in 0..10 {
            let table = if swaps % 2 == 0 { &loose.table } else { &strict.table };
            swap(&runtime, swaps, table, &[Some(0), Some(1)]).expect("a schedule");
            while runtime.swaps() == swaps {
                if runtime.standing().threads.iter().all(|state| *state == State::Left) {
                    return;
                }
                thread::yield_now();
            }
        }
    });
    assert_eq!((runtime.ended(), runtime.rounds()), (None, vec![40; 3]));
    let tables: Vec<&Table> =
        (0..=runtime.swaps()).map(|swap| if swap % 2 == 0 { &strict.table } else { &loose.table }).collect();
    assert!(is_permitted(&tables, &events.into_inner().expect("nobody panicked")));
}

/// Each takes its own lock, and then both want the other's.
#[test]
fn a_circle_of_locks_is_told() {
    let runtime = made(&double_lock()).locks(2).unconstrained();
    let both = Barrier::new(2);
    let ended = thread::scope(|scope| {
        for number in 0..2 {
            let (runtime, both) = (&runtime, &both);
            scope.spawn(move || -> Result<(), Stopped> {
                let mut thread = runtime.thread(number);
                thread.lock(number, 0)?;
                both.wait();
                thread.lock(1 - number, 1)
            });
        }
        runtime.run_for(LONG)
    });
    let text = "stuck: T1 waits for lock 1, which T2 holds; T2 waits for lock 0, which T1 holds";
    assert_eq!(ended.to_string(), text);
    let Ended::Stuck(standing) = ended else { panic!("{ended}") };
    assert_eq!((standing.stuck.clone(), standing.circle()), (vec![0, 1], vec![0, 1]));
}

/// A schedule leads to where each holds one lock, and ends there. What they do then is up to them.
#[test]
fn behind_its_end_a_schedule_leaves_threads_free() {
    let table = Table {
        threads: 2,
        nodes: 2,
        edges: vec![Edge { from: 0, to: 1, events: vec![(1, 0, vec![]), (0, 0, vec![0])] }],
    };
    for monitored in [false, true] {
        let runtime = made(&table).locks(2).unconstrained_behind();
        let runtime = if monitored { runtime.monitored(10) } else { runtime };
        let ended = thread::scope(|scope| {
            for number in 0..2 {
                let runtime = &runtime;
                scope.spawn(move || -> Result<(), Stopped> {
                    let mut thread = runtime.thread(number);
                    assert!(!thread.is_free());
                    thread.lock(number, 0)?;
                    thread.lock(1 - number, 1)
                });
            }
            runtime.run_for(LONG)
        });
        let text = "stuck: T1 waits for lock 1, which T2 holds; T2 waits for lock 0, which T1 holds";
        assert_eq!(ended.to_string(), text);
        assert_eq!(runtime.sections(), 1);
    }
    let runtime = made(&table);
    let mut first = runtime.thread(1);
    first.event(0, || ()).expect("it is its turn");
    runtime.thread(0).event(0, || ()).expect("it is its turn");
    assert!(first.event(1, || ()).is_err());
    assert!(matches!(runtime.ended(), Some(Ended::NotPermitted(Departure { transition: None, .. }))));
}

/// What a schedule implies is taken and freed without being an event.
#[test]
fn a_lock_can_be_taken_without_an_event() {
    let table = Table { threads: 1, nodes: 1, edges: vec![Edge { from: 0, to: 0, events: vec![(0, 5, vec![])] }] };
    let runtime = made(&table).locks(1).unconstrained().monitored(10);
    let mut thread = runtime.thread(0);
    for _ in 0..3 {
        thread.acquire(0).expect("it is free");
        thread.event(5, || ()).expect("it is permitted");
        thread.release(0).expect("it is held");
    }
    assert_eq!(thread.release(0), Err(Stopped));
    assert_eq!(thread.acquire(0), Err(Stopped));
    assert_eq!(runtime.ended(), Some(Ended::NotHeld { thread: 0, lock: 0 }));
}

/// Two are stuck though a third one runs on; and a wait is none if who is waited for runs, however long it takes.
#[test]
fn who_is_stuck_is_told_apart_from_who_waits() {
    let table = Table { threads: 3, nodes: 1, edges: Vec::new() };
    let runtime = made(&table).locks(3).unconstrained();
    let (mut runs, go_on) = (runtime.thread(2), Barrier::new(2));
    runs.lock(2, 0).expect("it is free");
    thread::scope(|scope| {
        let waits = scope.spawn(|| -> Result<(), Stopped> {
            let mut thread = runtime.thread(0);
            thread.lock(0, 0)?;
            thread.lock(2, 0)?;
            go_on.wait();
            thread.lock(1, 0)
        });
        while runtime.standing().threads[0] != State::Waits(Waits::Lock { lock: 2, holder: 2 }) {
            thread::yield_now();
        }
        assert_eq!(runtime.standing().stuck, Vec::<usize>::new());
        assert_eq!(runtime.standing().to_string(), "T1 waits for lock 2, which T3 holds; T2 has not begun; T3 runs");
        runs.unlock(2, 0).expect("it holds it");
        let waits_too = scope.spawn(|| -> Result<(), Stopped> {
            let mut thread = runtime.thread(1);
            thread.lock(1, 0)?;
            go_on.wait();
            thread.lock(0, 0)
        });
        assert_eq!(waits.join().expect("it does not panic"), Err(Stopped));
        assert_eq!(waits_too.join().expect("it does not panic"), Err(Stopped));
    });
    let Some(Ended::Stuck(standing)) = runtime.ended() else { panic!("{:?}", runtime.ended()) };
    assert_eq!((standing.stuck, standing.threads[2]), (vec![0, 1], State::Running));
    assert_eq!(runs.lock(2, 0), Err(Stopped));
}

/// A thread that panics has left, and nobody waits for it for ever.
#[test]
fn a_panic_leaves_nobody_waiting() {
    let runtime = made(&double_lock());
    thread::scope(|scope| {
        let panics = scope.spawn(|| {
            let mut thread = runtime.thread(0);
            thread.event(0, || ()).expect("it waits for nobody");
            catch_unwind(AssertUnwindSafe(move || thread.event(1, || std::panic::resume_unwind(Box::new(()))))).is_err()
        });
        assert!(panics.join().expect("it was caught"));
        assert_eq!(runtime.thread(1).event(10, || ()), Err(Stopped));
    });
    let text = "stuck: T1 has left; T2 waits for event 4 of T1 in section 1";
    assert_eq!(runtime.ended().map(|ended| ended.to_string()).as_deref(), Some(text));
}

fn departure(table: &Table, monitored: bool, task: impl FnOnce(Vec<Thread<'_>>) -> Result<(), Stopped>) -> Departure {
    let runtime = made(table);
    let runtime = if monitored { runtime.monitored(2) } else { runtime };
    assert_eq!(task((0..table.threads).map(|thread| runtime.thread(thread)).collect()), Err(Stopped));
    match runtime.ended() {
        Some(Ended::NotPermitted(departure)) => departure,
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_no_section_begins_with_ends_the_run() {
    let task = |mut threads: Vec<Thread<'_>>| {
        threads[0].event(1, || ())?;
        threads[0].event(2, || ())?;
        threads[1].event(3, || ())?;
        threads[1].event(4, || ())?;
        threads[0].event(7, || ())
    };
    let told = departure(&figure_5_6(), false, task).to_string();
    assert_eq!(told, "T1 took transition 7, where the schedule permits it 5 or 6");
    let told = departure(&figure_5_6(), true, task).to_string();
    assert_eq!(told, "T1 took transition 7, where the schedule permits it 5 or 6; behind 3 more events, T2:4 T1:7");
}

#[test]
fn what_a_section_does_not_have_ends_the_run() {
    let task = |mut threads: Vec<Thread<'_>>| {
        threads[0].event(1, || ())?;
        threads[1].event(4, || ())
    };
    assert_eq!(
        departure(&figure_5_6(), false, task).to_string(),
        "T2 took transition 4, where the schedule permits it 3"
    );
    // A schedule may end, and then permits nothing.
    let table = Table { threads: 1, nodes: 2, edges: vec![Edge { from: 0, to: 1, events: vec![(0, 0, vec![])] }] };
    let task = |mut threads: Vec<Thread<'_>>| {
        threads[0].event(0, || ())?;
        threads[0].event(0, || ())
    };
    assert_eq!(departure(&table, false, task).to_string(), "T1 wants to go on, where the schedule permits it nothing");
}

#[test]
fn a_lock_is_freed_by_who_holds_it() {
    let runtime = made(&double_lock()).locks(2).unconstrained();
    let (mut one, mut other) = (runtime.thread(0), runtime.thread(1));
    one.lock(0, 0).expect("it is free");
    assert_eq!(other.unlock(0, 0), Err(Stopped));
    assert_eq!(runtime.ended(), Some(Ended::NotHeld { thread: 1, lock: 0 }));
    assert_eq!(runtime.ended().expect("it is over").to_string(), "T2 frees lock 0, which it does not hold");
    // The first reason stays.
    runtime.stop();
    assert_eq!(runtime.ended(), Some(Ended::NotHeld { thread: 1, lock: 0 }));
}

#[test]
fn what_can_not_be_swapped_is_told() {
    let runtime = made(&figure_5_6());
    let same = [Some(0), Some(1)];
    let wrong = |change: fn(&mut Table), map: &[Option<usize>], swaps| {
        let mut table = figure_5_6();
        change(&mut table);
        swap(&runtime, swaps, &table, map).expect_err("no").to_string()
    };
    assert_eq!(wrong(|table| table.nodes = 1, &same, 0), "there is no node 1");
    assert_eq!(wrong(|table| table.threads = 3, &same, 0), "the schedules have different numbers of threads");
    let map = "the map does not lead from the schedule in use to the new one";
    assert_eq!(wrong(|_| (), &same[..1], 0), map);
    assert_eq!(wrong(|_| (), &[Some(0), Some(2)], 0), map);
    assert_eq!(wrong(|_| (), &same, 1), "the map is of another schedule: there have been 0 swaps");
    assert_eq!(swap(&runtime, 0, &figure_5_6(), &same), Ok(()));
    assert_eq!(runtime.swaps(), 0);
    runtime.thread(0).event(1, || ()).expect("it waits for nobody");
    assert_eq!(runtime.swaps(), 1);
    assert_eq!(wrong(|_| (), &same, 0), "the map is of another schedule: there have been 1 swaps");
}

#[test]
fn each_thread_is_had_once() {
    let runtime = made(&figure_5_6());
    drop(runtime.thread(1));
    assert!(catch_unwind(AssertUnwindSafe(|| drop(runtime.thread(1)))).is_err());
    assert!(catch_unwind(AssertUnwindSafe(|| drop(runtime.thread(2)))).is_err());
}
