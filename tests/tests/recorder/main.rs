//! The recorder of histories, in thousands of schedules, of which each can be repeated: it is compiled here with threads and locks
//! that `shuttle` schedules.
//!
//! A failure prints its schedule, for `shuttle::replay`.
//!
//! No two operations share a stamp. A good stack is recorded as one wherever threads are put aside, and a broken one often as
//! what it is.

#[allow(dead_code, reason = "a part of it is enough to see what happens between threads")]
mod recorder;
#[path = "../../../engine/recorder/examples/stacks/stack.rs"]
mod stack;

use litmoscope::budget::Budget;
use litmoscope::histories::{Answer, History, Monitor, ReadOptions, judge, parse_history};
use recorder::{Log, Object, Recorder};
use shuttle::scheduler::{PctScheduler, RandomScheduler};
use shuttle::sync::{Mutex, atomic};
use shuttle::{Config, Runner, thread};
use stack::Stack;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

const SEED: u64 = 20_261_125;
const SCHEDULES: usize = 2_000;

/// Random schedules, and as many in which threads are seldom changed.
fn in_all_orders(scenario: impl Fn() + Send + Sync + 'static) {
    println!("{SCHEDULES} schedules of each kind, seed {SEED}");
    let scenario = Arc::new(scenario);
    let scene = || {
        let scenario = Arc::clone(&scenario);
        move || scenario()
    };
    Runner::new(RandomScheduler::new_from_seed(SEED, SCHEDULES), Config::new()).run(scene());
    Runner::new(PctScheduler::new_from_seed(SEED, 3, SCHEDULES), Config::new()).run(scene());
}

/// What threads with a log each do, as it is read; each of them has done so many operations.
fn recorded(threads: usize, operations: usize, task: impl Fn(usize, &mut Log<'_, usize>) + Send + Sync) -> History {
    let recorder = Recorder::new(Object::Stack);
    thread::scope(|scope| {
        for number in 0..threads {
            let (recorder, task) = (&recorder, &task);
            scope.spawn(move || task(number, &mut recorder.log()));
        }
    });
    let text = recorder.finish().to_string();
    let (mut read, _) =
        parse_history(&text, &ReadOptions::default()).unwrap_or_else(|wrong| panic!("{text}{wrong:#?}"));
    let history = read.histories.pop().expect("there is one");
    assert_eq!(history.operations.len(), threads * operations, "{text}");
    // Nobody has a stamp of another one, and all that returned did so behind their calls.
    let stamps: BTreeSet<i64> = history.times.iter().copied().collect();
    assert_eq!(stamps, (0..2 * (threads * operations) as i64).collect(), "{text}");
    assert!(history.operations.iter().all(|operation| operation.ret.is_some_and(|ret| operation.call < ret)), "{text}");
    history
}

fn is_linearizable(history: &History) -> bool {
    let judged = judge(history, litmoscope::histories::Object::Stack, Monitor::Auto, 1 << 20, &mut Budget::unlimited());
    match judged.expect("nobody stops it").answer {
        Answer::Linearizable(_) => true,
        Answer::Not(_) => false,
        Answer::Unknown(why) => panic!("{why:?}"),
    }
}

/// Wherever threads are put aside: what is right is never recorded as wrong.
#[test]
fn a_stack_behind_a_lock_is_always_recorded_as_one() {
    in_all_orders(|| {
        let stack = Mutex::new(Vec::new());
        let history = recorded(3, 4, |thread, log| {
            for value in [2 * thread, 2 * thread + 1] {
                log.insert(value, |value| stack.lock().unwrap().push(value));
                log.remove(|| stack.lock().unwrap().pop());
            }
        });
        assert!(is_linearizable(&history));
    });
}

#[test]
fn a_good_stack_is_always_recorded_as_one() {
    in_all_orders(|| {
        let stack = Stack::good(3);
        let history = recorded(3, 2, |thread, log| {
            log.insert(thread, |value| stack.push(value));
            log.remove(|| stack.pop());
        });
        assert!(is_linearizable(&history));
    });
}

#[test]
fn pops_that_forget_each_other_are_recorded_as_such() {
    let wrong = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&wrong);
    in_all_orders(move || {
        let stack = Stack::broken(3, || ());
        let history = recorded(3, 2, |thread, log| {
            log.insert(thread, |value| stack.push(value));
            log.remove(|| stack.pop());
        });
        counter.fetch_add(usize::from(!is_linearizable(&history)), atomic::Ordering::Relaxed);
    });
    let wrong = wrong.load(atomic::Ordering::Relaxed);
    println!("wrong in {wrong} of {} schedules", 2 * SCHEDULES);
    assert!(wrong > SCHEDULES / 10, "{wrong}");
}
