//! The runtime in thousands of schedules, of which each can be repeated: it is compiled here with threads, atomics and
//! locks that `shuttle` schedules. A failure prints its schedule, for `shuttle::replay`.

use super::oracle::is_permitted;
use super::tables::{Edge, Random, Ring, Table, double_lock, figure_5_6, with_schedule};
use runtime::{Ended, Runtime, State, Stopped, Waits};
use shuttle::scheduler::{PctScheduler, RandomScheduler};
use shuttle::sync::Mutex;
use shuttle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use shuttle::{Config, MaxSteps, Runner, thread};
use std::sync::Arc;

/// The runtime's file, for which `std` is what follows.
#[allow(dead_code, reason = "a part of it is enough to see what happens between threads")]
mod runtime {
    mod std {
        pub(crate) use ::std::{collections, error, fmt, time};

        pub(crate) mod sync {
            pub(crate) use ::std::sync::{Arc, PoisonError};
            pub(crate) use shuttle::sync::{Mutex, MutexGuard, atomic};
        }

        pub(crate) mod thread {
            pub(crate) use shuttle::thread::{sleep, yield_now};

            /// Then nobody looks twice before others have their turn.
            pub(crate) fn available_parallelism() -> ::std::io::Result<::std::num::NonZeroUsize> {
                Ok(::std::num::NonZeroUsize::MIN)
            }
        }

        pub(crate) mod hint {
            pub(crate) use shuttle::thread::yield_now as spin_loop;
        }
    }

    include!("../../src/runtime.rs");
}

const SEED: u64 = 20_261_125;

/// Random schedules, and as many in which threads are seldom changed.
fn in_all_orders(schedules: usize, scenario: impl Fn() + Send + Sync + 'static) {
    let scenario = Arc::new(scenario);
    let scene = || {
        let scenario = Arc::clone(&scenario);
        move || scenario()
    };
    let mut config = Config::new();
    // Nobody waits for ever: that would be more steps than this.
    config.max_steps = MaxSteps::FailAfter(100_000);
    Runner::new(RandomScheduler::new_from_seed(SEED, schedules), config.clone()).run(scene());
    Runner::new(PctScheduler::new_from_seed(SEED, 3, schedules), config).run(scene());
}

fn made(table: &Table) -> Runtime {
    with_schedule!(crate::schedules::runtime, table, |schedule| Runtime::new(&schedule).expect("a schedule"))
}

/// What happened, in order.
type Events = Mutex<Vec<(usize, u32)>>;

/// Has each thread of a ring go round so often, and counts its rounds. Each takes branches of its own choice.
fn go_round(ring: &Ring, runtime: &Runtime, events: &Events, rounds: usize, seed: u64) {
    thread::scope(|scope| {
        for number in 0..ring.table.threads {
            scope.spawn(move || {
                let mut thread = runtime.thread(number);
                let mut random = Random::new(seed + number as u64);
                for _ in 0..rounds {
                    for (ways, first) in ring.program(number) {
                        let transition = first + random.below(ways) as u32;
                        let Ok(_) = thread.event(transition, || events.lock().unwrap().push((number, transition)))
                        else {
                            return;
                        };
                    }
                    thread.round();
                }
            });
        }
    });
}

#[test]
fn events_keep_to_the_order_and_nobody_is_lost() {
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let (threads, nodes, order) = (2 + random.below(3), 1 + random.below(3), random.below(100));
        let ring = Ring::random(&mut random, threads, nodes, order);
        in_all_orders(25, move || {
            let runtime = made(&ring.table);
            let events = Events::default();
            go_round(&ring, &runtime, &events, 3, seed);
            assert_eq!(runtime.ended(), None, "{ring:?}");
            assert_eq!(runtime.rounds(), vec![3; ring.table.threads]);
            let events = events.into_inner().unwrap();
            assert_eq!(events.len(), 3 * ring.size());
            assert!(is_permitted(&[&ring.table], &events), "seed {seed}: {events:?}");
        });
    }
}

/// Whatever the new schedule permits, it holds from some node on, and the old one up to there.
#[test]
fn schedules_are_swapped_between_sections() {
    let swapped = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    for seed in 0..20 {
        let counted = Arc::clone(&swapped);
        let mut random = Random::new(seed);
        let (threads, nodes, order) = (2 + random.below(2), 1 + random.below(3), 30 + random.below(70));
        let old = Ring::random(&mut random, threads, nodes, order);
        let orders = [random.below(100), random.below(100)];
        let all = [old.clone(), old.reordered(&mut random, orders[0]), old.reordered(&mut random, orders[1])];
        in_all_orders(25, move || {
            let runtime = made(&all[0].table);
            let runtime = if seed % 2 == 0 { runtime.monitored(1000) } else { runtime };
            let events = Events::default();
            thread::scope(|scope| {
                scope.spawn(|| {
                    for (swaps, ring) in (0..).zip(&all[1..]) {
                        let mut map: Vec<Option<usize>> = (0..nodes).map(Some).collect();
                        if nodes > 1 {
                            map[seed as usize % nodes] = None;
                        }
                        with_schedule!(crate::schedules::runtime, &ring.table, |schedule| {
                            // What waits for its place is dropped for what comes later.
                            runtime.swap(swaps, &schedule, &vec![None; nodes]).expect("a schedule");
                            runtime.swap(swaps, &schedule, &map).expect("a schedule");
                        });
                        while runtime.swaps() == swaps {
                            if runtime.standing().threads.iter().all(|state| *state == State::Left) {
                                return;
                            }
                            thread::yield_now();
                        }
                    }
                });
                scope.spawn(|| go_round(&all[0], &runtime, &events, 4, seed));
            });
            counted.fetch_add(runtime.swaps() as usize, std::sync::atomic::Ordering::Relaxed);
            assert_eq!(runtime.ended(), None, "{all:?}");
            let events = events.into_inner().unwrap();
            assert_eq!(events.len(), 4 * all[0].size());
            let tables = all.iter().map(|ring| &ring.table).collect::<Vec<_>>();
            let tables = &tables[..=runtime.swaps() as usize];
            assert!(is_permitted(tables, &events), "seed {seed}: {events:?}");
        });
    }
    let swapped = swapped.load(std::sync::atomic::Ordering::Relaxed);
    println!("{swapped} swaps");
    assert!(swapped > 500, "{swapped}");
}

/// The first event that is not permitted ends the run, and no other does.
#[test]
fn a_monitor_ends_what_is_not_permitted() {
    let ended = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    for seed in 0..20 {
        let ended = Arc::clone(&ended);
        let mut random = Random::new(seed);
        let ring = Ring::random(&mut random, 2, 2, 20);
        in_all_orders(25, move || {
            let runtime = made(&ring.table).unconstrained().monitored(1000);
            let events = Events::default();
            go_round(&ring, &runtime, &events, 2, seed);
            let events = events.into_inner().unwrap();
            let Some(end) = runtime.ended() else {
                assert!(is_permitted(&[&ring.table], &events), "seed {seed}: {events:?}");
                return;
            };
            let Ended::NotPermitted(departure) = end else { panic!("{end}") };
            let prefix = departure.prefix.expect("there is a monitor");
            assert_eq!((prefix.forgotten, prefix.events), (0, events.clone().into()));
            assert_eq!(events.last(), departure.transition.map(|transition| (departure.thread, transition)).as_ref());
            assert!(!is_permitted(&[&ring.table], &events), "seed {seed}: {events:?}");
            assert!(is_permitted(&[&ring.table], &events[..events.len() - 1]), "seed {seed}: {events:?}");
            ended.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        });
    }
    assert!(ended.load(std::sync::atomic::Ordering::Relaxed) > 100);
}

/// Figure 5.6 with its variables: which section is next is up to what T1 read, and T2 waits until it is known.
#[test]
fn what_a_thread_read_picks_the_section() {
    in_all_orders(300, || {
        let table = figure_5_6();
        let runtime = made(&table);
        let (x, y, z) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
        let events = Events::default();
        let note = |thread: usize, transition: u32| events.lock().unwrap().push((thread, transition));
        thread::scope(|scope| {
            scope.spawn(|| -> Result<(), Stopped> {
                let mut thread = runtime.thread(0);
                for _ in 0..3 {
                    thread.event(1, || (x.store(1, SeqCst), note(0, 1)))?;
                    let (seen, ()) = thread.event(2, || (z.load(SeqCst), note(0, 2)))?;
                    let turn = thread.before()?;
                    // Nobody comes in between.
                    assert_eq!(y.load(SeqCst), 0);
                    let transition = if seen == 0 { 5 } else { 6 };
                    y.store(usize::from(seen == 0), SeqCst);
                    note(0, transition);
                    turn.after(transition)?;
                }
                Ok(())
            });
            scope.spawn(|| -> Result<(), Stopped> {
                let mut thread = runtime.thread(1);
                for _ in 0..3 {
                    thread.event(3, || (y.store(0, SeqCst), note(1, 3)))?;
                    thread.event(4, || (x.store(0, SeqCst), note(1, 4)))?;
                }
                Ok(())
            });
            scope.spawn(|| z.store(1, SeqCst));
        });
        assert_eq!(runtime.ended(), None);
        let events = events.into_inner().unwrap();
        assert_eq!((events.len(), x.load(SeqCst)), (15, 0));
        assert!(is_permitted(&[&table], &events), "{events:?}");
    });
}

fn locks_twice(runtime: &Runtime, number: usize, rounds: usize) -> Result<(), Stopped> {
    let (mut thread, first) = (runtime.thread(number), 10 * number as u32);
    let (one, other) = (number, 1 - number);
    for _ in 0..rounds {
        thread.lock(one, first)?;
        thread.lock(other, first + 1)?;
        thread.event(first + 2, || ())?;
        thread.unlock(other, first + 3)?;
        thread.unlock(one, first + 4)?;
        thread.round();
    }
    Ok(())
}

#[test]
fn two_locks_the_other_way_round_are_stuck_without_a_schedule_alone() {
    let stuck = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let counted = Arc::clone(&stuck);
    in_all_orders(300, move || {
        for is_free in [false, true] {
            let runtime = made(&double_lock()).locks(2);
            let runtime = if is_free { runtime.unconstrained() } else { runtime };
            thread::scope(|scope| {
                let runtime = &runtime;
                (0..2).for_each(|number| drop(scope.spawn(move || locks_twice(runtime, number, 3))));
            });
            match runtime.ended() {
                None => assert_eq!(runtime.rounds(), [3, 3]),
                Some(Ended::Stuck(standing)) => {
                    assert!(is_free, "{standing}");
                    assert_eq!(standing.circle(), [0, 1]);
                    let waits = |lock, holder| State::Waits(Waits::Lock { lock, holder });
                    assert_eq!(standing.threads, [waits(1, 1), waits(0, 0)]);
                    counted.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                }
                Some(other) => panic!("{other}"),
            }
        }
    });
    let stuck = stuck.load(std::sync::atomic::Ordering::Relaxed);
    println!("stuck in {stuck} of 600 schedules");
    assert!(stuck > 50);
}

#[test]
fn threads_can_be_stopped_wherever_they_wait() {
    in_all_orders(300, || {
        let mut random = Random::new(3);
        let ring = Ring::random(&mut random, 3, 2, 50);
        let runtime = made(&ring.table);
        let events = Events::default();
        thread::scope(|scope| {
            scope.spawn(|| go_round(&ring, &runtime, &events, usize::MAX, 0));
            scope.spawn(|| {
                while runtime.sections() < 5 {
                    thread::yield_now();
                }
                runtime.stop();
            });
        });
        assert_eq!(runtime.ended(), Some(Ended::Stopped));
        assert!(is_permitted(&[&ring.table], &events.into_inner().unwrap()));
    });
}

/// A thread that leaves too soon leaves others stuck, who are told.
#[test]
fn who_waits_for_a_thread_that_has_left_is_told() {
    in_all_orders(200, || {
        let runtime = made(&double_lock()).locks(2);
        thread::scope(|scope| {
            scope.spawn(|| {
                let mut thread = runtime.thread(0);
                for place in 0..3 {
                    thread.event(place, || ()).expect("it waits for nobody");
                }
            });
            scope.spawn(|| assert_eq!(locks_twice(&runtime, 1, 1), Err(Stopped)));
        });
        let Some(Ended::Stuck(standing)) = runtime.ended() else { panic!("{:?}", runtime.ended()) };
        assert_eq!((standing.stuck.as_slice(), standing.circle().as_slice()), ([1].as_slice(), [].as_slice()));
        let waits = Waits::Event { thread: 0, section: 1, event: 3 };
        assert_eq!(standing.threads, [State::Left, State::Waits(waits)]);
    });
}

/// A thread that waits for a value goes on when it is there; if it never comes, it is stuck.
#[test]
fn what_is_not_possible_yet_is_tried_again() {
    for comes in [true, false] {
        in_all_orders(200, move || {
            let runtime = made(&double_lock()).unconstrained();
            let flag = AtomicUsize::new(0);
            thread::scope(|scope| {
                scope.spawn(|| {
                    let mut thread = runtime.thread(0);
                    let result = loop {
                        let Ok(turn) = thread.before() else { break Err(Stopped) };
                        if flag.load(SeqCst) == 1 {
                            break turn.after(0);
                        }
                        if turn.not_yet().is_err() {
                            break Err(Stopped);
                        }
                    };
                    assert_eq!(result.is_ok(), comes);
                });
                scope.spawn(|| {
                    let mut thread = runtime.thread(1);
                    for place in 0..3 {
                        thread.event(place, || flag.store(usize::from(comes && place == 2), SeqCst)).ok();
                    }
                });
            });
            match runtime.ended() {
                None => assert!(comes),
                Some(Ended::Stuck(standing)) => {
                    assert!(!comes);
                    assert_eq!(standing.threads, [State::Waits(Waits::Change), State::Left]);
                }
                Some(other) => panic!("{other}"),
            }
        });
    }
}

/// Whoever looks at a run in which nobody is stuck never finds that somebody is, whatever happens while it looks.
#[test]
fn who_goes_on_is_never_taken_for_stuck() {
    for seed in 0..10 {
        let ring = Ring::random(&mut Random::new(seed), 2, 2, 60);
        in_all_orders(150, move || {
            let runtime = made(&ring.table);
            let events = Events::default();
            thread::scope(|scope| {
                scope.spawn(|| go_round(&ring, &runtime, &events, 4, seed));
                scope.spawn(|| {
                    for _ in 0..100 {
                        let standing = runtime.standing();
                        assert_eq!(standing.stuck, Vec::<usize>::new(), "{standing}");
                    }
                });
            });
            assert_eq!(runtime.ended(), None);
        });
    }
}

/// Who waits for a branch can be stopped, and is told if the thread that has the branch has left.
#[test]
fn branches_that_nobody_takes_are_told() {
    for stops in [true, false] {
        in_all_orders(200, move || {
            let mut table = figure_5_6();
            table.edges[0].events = vec![(0, 1, vec![])];
            table.edges[1].events.push((1, 7, vec![]));
            table.edges[2].events.push((1, 7, vec![]));
            let runtime = made(&table);
            let mut first = runtime.thread(0);
            thread::scope(|scope| {
                let waits = scope.spawn(|| runtime.thread(1).event(7, || ()));
                first.event(1, || ()).expect("it waits for nobody");
                while runtime.standing().threads[1] != State::Waits(Waits::Branch { thread: 0 }) {
                    thread::yield_now();
                }
                if stops {
                    runtime.stop();
                } else {
                    drop(first);
                }
                assert_eq!(waits.join().unwrap(), Err(Stopped));
            });
            match runtime.ended() {
                Some(Ended::Stopped) => assert!(stops),
                Some(Ended::Stuck(standing)) => assert!(!stops && standing.stuck == [1], "{standing}"),
                other => panic!("{other:?}"),
            }
        });
    }
}

/// An event is seen by those for which it is enough as soon as it is over, whatever its thread does next.
#[test]
fn nobody_waits_for_more_than_it_has_to() {
    in_all_orders(200, || {
        let edge = Edge { from: 0, to: 0, events: vec![(0, 0, vec![]), (0, 1, vec![]), (1, 2, vec![0])] };
        let runtime = made(&Table { threads: 2, nodes: 1, edges: vec![edge] });
        let is_over = AtomicUsize::new(0);
        thread::scope(|scope| {
            scope.spawn(|| {
                let mut thread = runtime.thread(0);
                thread.event(0, || ()).expect("it waits for nobody");
                while is_over.load(SeqCst) == 0 {
                    thread::yield_now();
                }
                thread.event(1, || ()).expect("it waits for nobody");
            });
            scope.spawn(|| runtime.thread(1).event(2, || is_over.store(1, SeqCst)).expect("it waits for event 0"));
        });
        assert_eq!(runtime.ended(), None);
    });
}

/// Under a schedule too, who waits for a value sees what others did, though the schedule has nobody wait for it.
#[test]
fn what_no_other_event_waits_for_may_be_waited_for_by_value() {
    for leaves in [true, false] {
        in_all_orders(200, move || {
            let edge = Edge { from: 0, to: 0, events: vec![(0, 0, vec![]), (1, 2, vec![]), (0, 1, vec![1])] };
            let runtime = made(&Table { threads: 2, nodes: 1, edges: vec![edge] });
            let flag = AtomicUsize::new(0);
            thread::scope(|scope| {
                scope.spawn(|| {
                    let mut thread = runtime.thread(0);
                    thread.event(0, || flag.store(1, SeqCst)).expect("it waits for nobody");
                    if !leaves {
                        thread.event(1, || ()).expect("it is not stuck");
                    }
                });
                scope.spawn(|| {
                    let mut thread = runtime.thread(1);
                    loop {
                        let turn = thread.before().expect("it is not stuck");
                        if flag.load(SeqCst) == 1 {
                            return turn.after(2).expect("it is permitted");
                        }
                        turn.not_yet().expect("it is not stuck");
                    }
                });
            });
            assert_eq!(runtime.ended(), None);
        });
    }
}
