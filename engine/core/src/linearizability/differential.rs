//! Procedures and brute force against each other, and vectors.
//!
//! `LITMOSCOPE_PROGRAMS` says how many random histories an object, `LITMOSCOPE_SEED` which one is the first.

use super::brute;
use super::generate::{self, Shape, random_history};
use super::*;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|number| number.parse().ok()).unwrap_or(default)
}

/// Runs a check on random histories of an object: by threads and free ones, of distinct values and of few.
fn for_random_histories(object: Object, check: impl Fn(u64, &History)) {
    let (first, histories) = (number("LITMOSCOPE_SEED", 0), number("LITMOSCOPE_PROGRAMS", 2_000));
    let usual = Shape::of(object);
    let shapes = [
        usual,
        Shape { threads: 0, ..usual },
        Shape { values: 2, queries: true, nothing: true, ..usual },
        Shape { values: 1, threads: 0, operations: 6, pending: 25, ..usual },
        Shape { pending: 0, threads: 0, equal_times: false, ..usual },
    ];
    for seed in first..first + histories {
        check(seed, &random_history(seed, object, shapes[seed as usize % shapes.len()]));
    }
}

#[test]
fn small_histories_are_as_many_as_are_known() {
    for (n, all, stacks, queues) in [(1, 2, 2, 2), (2, 18, 16, 16), (3, 300, 244, 236), (4, 7_980, 5_768, 5_440)] {
        let mut counts = (0, 0, 0);
        generate::for_all_histories(n, |history| {
            counts.0 += 1;
            counts.1 += u32::from(brute::is_linearizable(history, Object::Stack));
            counts.2 += u32::from(brute::is_linearizable(history, Object::Queue));
        });
        assert_eq!(counts, (all, stacks, queues), "{n}");
    }
}

#[test]
fn random_histories_are_of_both_kinds_and_brute_force_replays() {
    for object in Object::ALL {
        let counts = std::cell::Cell::new((0_u64, 0_u64));
        for_random_histories(object, |seed, history| {
            let (mut yes, mut no) = counts.get();
            match brute::find(history, object) {
                Some(linearization) => {
                    yes += 1;
                    assert_eq!(check(history, &linearization, object), Ok(()), "{} seed {seed}", object.name());
                }
                None => no += 1,
            }
            counts.set((yes, no));
        });
        let (yes, no) = counts.get();
        assert!(yes * 2 > yes + no && no * 10 > yes + no, "{}: {yes} yes, {no} no", object.name());
    }
}

#[test]
fn long_walks_are_as_they_are_said_to_be() {
    for object in Object::ALL {
        for history in [generate::walk(8, 500, 1, object), generate::walk(1, 50, 2, object)] {
            let mut open = vec![false; history.threads.len()];
            let mut moments = vec![None; history.times.len()];
            for (index, operation) in history.indexed() {
                moments[operation.call.index()] = Some((index, true));
                moments[operation.ret.expect("a return").index()] = Some((index, false));
            }
            for moment in moments {
                let (index, is_call) = moment.expect("an operation");
                let is_open = &mut open[history.operation(index).thread.index()];
                assert_ne!(*is_open, is_call);
                *is_open = is_call;
            }
        }
        if !matches!(object, Object::Register | Object::Counter) {
            let history = generate::pushes_then_pops(2, 3, 1, object);
            assert!(brute::is_linearizable(&history, object), "{history:?}");
            let small = generate::walk(3, 8, 3, object);
            assert!(brute::is_linearizable(&small, object), "{small:?}");
        }
    }
}
