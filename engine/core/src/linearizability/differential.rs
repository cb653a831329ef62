//! Procedures and brute force against each other, and vectors.
//!
//! `LITMOSCOPE_PROGRAMS` says how many random histories an object, `LITMOSCOPE_SEED` which one is the first.

use super::brute;
use super::generate::{self, Shape, random_history};
use super::*;
use crate::budget::Budget;

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

fn searched(history: &History, object: Object) -> Answer {
    Search::new(history, object, u64::MAX).run(&mut Budget::unlimited()).expect("no limit")
}

/// Whether the answer is what it should be and, if it is yes, its linearization is one.
fn check_answer(history: &History, object: Object, expected: bool, answer: &Answer) -> Result<(), String> {
    match answer {
        Answer::Linearizable(linearization) if expected => {
            check(history, linearization, object).map_err(|illegal| format!("{illegal:?} in {linearization:?}"))
        }
        Answer::Not(_) if !expected => Ok(()),
        _ => Err(format!("expected {expected}, not {answer:?}")),
    }
}

/// Checks a history with this seed; if that fails, without as many operations as can be left out.
fn require(seed: u64, object: Object, history: &History, check: impl Fn(&History) -> Result<(), String>) {
    if check(history).is_ok() {
        return;
    }
    let mut history = history.clone();
    while let Some(smaller) = (0..history.operations.len())
        .map(|at| {
            let operations = history.operations.iter().enumerate().filter(|(other, _)| *other != at);
            History { operations: operations.map(|(_, operation)| *operation).collect(), ..history.clone() }
        })
        .find(|smaller| check(smaller).is_err())
    {
        history = smaller;
    }
    panic!("{} seed {seed}: {:?}\n{:#?}", object.name(), check(&history), history.operations);
}

/// All that judges histories of an object, against brute force.
fn check_all(history: &History, object: Object) -> Result<(), String> {
    let expected = brute::is_linearizable(history, object);
    check_answer(history, object, expected, &searched(history, object)).map_err(|error| format!("search: {error}"))?;
    let monitors: &[(&str, fn(&History) -> Option<Answer>)] = match object {
        Object::Set => &[("greedy", judge_set), ("online", judge_set_online)],
        Object::Multiset => &[("counters", judge_multiset)],
        _ => &[],
    };
    for (name, monitor) in monitors {
        if let Some(answer) = monitor(history) {
            check_answer(history, object, expected, &answer).map_err(|error| format!("{name}: {error}"))?;
            check_spent(history, &answer).map_err(|error| format!("{name}: {error}"))?;
        }
    }
    Ok(())
}

/// Whether what is said to have taken effect early has: each operation is of one kind, about the value, and was called before the
/// return that nothing can serve any more; and none was left out.
fn check_spent(history: &History, answer: &Answer) -> Result<(), String> {
    let Answer::Not(Violation::NothingToLinearize { value, operation, spent }) = answer else { return Ok(()) };
    let end = history.operation(*operation).ret.ok_or("a pending operation fails")?;
    let is_in = |action| action == Action::Insert(*value);
    let is_out = |action| action == Action::Remove(*value);
    let all_of = |is: &dyn Fn(Action) -> bool| {
        history
            .indexed()
            .filter(|(_, other)| other.call < end && is(other.action))
            .map(|(index, _)| index)
            .collect::<Vec<_>>()
    };
    let named: Vec<_> = spent.iter().map(|&(index, _)| index).collect();
    let needed: &dyn Fn(Action) -> bool = match history.operation(*operation).action {
        Action::Insert(_) | Action::Contains(_, false) => &is_out,
        _ => &is_in,
    };
    if named != all_of(needed) {
        return Err(format!("{answer:?}"));
    }
    let has_cause = |&(_, cause): &(OperationIndex, OperationIndex)| {
        history.operations.get(cause.index()).is_some_and(|cause| cause.ret.is_some_and(|ret| ret <= end))
    };
    if spent.iter().all(has_cause) { Ok(()) } else { Err(format!("{answer:?}")) }
}

#[test]
fn search_and_monitors_say_what_brute_force_says() {
    for object in Object::ALL {
        for_random_histories(object, |seed, history| {
            require(seed, object, history, |history| check_all(history, object))
        });
    }
}

#[test]
fn the_search_says_what_brute_force_says_of_all_small_histories() {
    for n in 1..=4 {
        generate::for_all_histories(n, |history| {
            for object in [Object::Stack, Object::Queue, Object::PriorityQueue] {
                require(0, object, history, |history| check_all(history, object));
            }
        });
    }
}

#[test]
fn what_is_printed_for_sets_is_wrong_on_twelve_histories_of_five_operations() {
    for (n, all, wrong) in [(1, 2, 0), (2, 12, 0), (3, 120, 0), (4, 1_680, 0), (5, 30_240, 12)] {
        let mut counts = (0, [0; 2]);
        generate::for_all_single_values(n, |history| {
            let expected = brute::is_linearizable(history, Object::Set);
            counts.0 += 1;
            for (count, printed) in counts.1.iter_mut().zip([printed_counters(history), printed_greedy(history)]) {
                assert!(printed.is_ok() || !expected, "{history:?}");
                *count += u32::from(printed.is_ok() != expected);
            }
            require(0, Object::Set, history, |history| check_all(history, Object::Set));
        });
        assert_eq!(counts, (all, [wrong; 2]), "{n}");
    }
}
