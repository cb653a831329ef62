//! Procedures and brute force against each other, and vectors.
//!
//! [`seeds`] says which random histories an object.

use super::brute;
use super::generate::{self, Shape, random_history};
use super::*;
use crate::budget::Budget;
use crate::random::Random;
use litmoscope_core::testing::seeds;

/// Runs a check on random histories of an object: by threads and free ones, of distinct values and of few.
fn for_random_histories(object: Object, check: impl Fn(u64, &History)) {
    let usual = Shape::of(object);
    let shapes = [
        usual,
        Shape { threads: 0, ..usual },
        Shape { values: 2, queries: true, nothing: true, ..usual },
        Shape { values: 1, threads: 0, operations: 6, pending: 25, ..usual },
        Shape { pending: 0, threads: 0, equal_times: false, ..usual },
    ];
    for seed in seeds(2_000) {
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
    let answers = match object {
        Object::Set => vec![("greedy", judge_set(history)), ("online", judge_set_online(history))],
        Object::Multiset => vec![("counters", judge_multiset(history))],
        _ => Vec::new(),
    };
    for (name, answer) in answers {
        if let Some(answer) = answer {
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

/// A history as digests write it: `+a[0,2] -a[1,3] ?a[4,5] ~a[6,7] -[8,9]`, where `?` found the value, `~` did not, and `-` without value found
/// nothing; `_` is no return. Without value an operation is about `x`.
fn of(text: &str, object: Object) -> History {
    let mut history = History::default();
    let mut times = Vec::new();
    for (at, operation) in text.split_whitespace().enumerate() {
        let (kind, rest) = operation.split_at(1);
        let (name, interval) = rest.trim_end_matches(']').split_once('[').expect("an interval");
        let (call, ret) = interval.split_once(',').expect("two times");
        let is_bag = matches!(object, Object::Set | Object::Multiset);
        let mut value = || ValueIndex(history.values.number(if name.is_empty() { "x" } else { name }));
        let action = match kind {
            "+" => Action::Insert(value()),
            "-" if name.is_empty() && !is_bag => Action::RemoveNothing,
            "-" => Action::Remove(value()),
            "?" => Action::Contains(value(), true),
            "~" => Action::Contains(value(), false),
            _ => panic!("{operation}"),
        };
        let thread = ThreadIndex(history.threads.number(&format!("T{at}")));
        history.operations.push(Operation { thread, action, call: Moment(0), ret: None, line: 0 });
        times.push((call.parse().expect("a time"), ret.parse().ok()));
    }
    history.settle(&times);
    history
}

fn check_vectors(object: Object, vectors: &[(bool, &str)]) {
    for &(expected, text) in vectors {
        let history = of(text, object);
        if history.operations.len() < 9 {
            assert_eq!(brute::is_linearizable(&history, object), expected, "{text}");
            assert_eq!(check_all(&history, object), Ok(()), "{text}");
        }
        assert_eq!(check_answer(&history, object, expected, &searched(&history, object)), Ok(()), "{text}");
    }
}

#[test]
fn vectors_of_sets_and_multisets() {
    let counterexample = "+[0,8] -[1,2] +[3,4] +[5,6] -[7,9]";
    check_vectors(
        Object::Set,
        &[
            (false, counterexample),
            (false, "+[0,1] +[2,3]"),
            (false, "-[0,1]"),
            (true, "+[0,3] -[1,2]"),
            (false, "?[0,1]"),
            (true, "~[0,1]"),
            (true, "+[0,3] ?[1,2]"),
            (false, "+[0,1] ~[2,3]"),
            (true, "+[0,1] -[2,5] ~[3,4]"),
            (true, "+[0,1] ?[2,4] ~[3,7] -[5,6]"),
            (false, "+[0,1] -[2,5] ~[3,4] ?[6,7]"),
            (true, "+[0,1] -[2,9] ~[3,4] +[5,8] ?[6,7]"),
            // Pending ones may be early, and need not be at all.
            (true, "+[0,_] ?[1,2] ?[3,4]"),
            (true, "+[0,_] ~[1,2] ?[3,4]"),
            (false, "+[0,_] ?[1,2] ~[3,4]"),
            (true, "+[0,1] -[2,_] +[3,4]"),
            (false, "+[0,1] -[2,_] +[3,4] +[5,6]"),
        ],
    );
    check_vectors(
        Object::Multiset,
        &[
            (true, counterexample),
            (false, "+[0,1] -[2,3] -[4,5]"),
            (true, "+[0,_] -[2,3]"),
            (true, "+[0,1] +[2,3] -[4,5] ?[6,7]"),
            (false, "+[0,1] +[2,3] -[4,5] ~[6,7]"),
        ],
    );
    let history = of(counterexample, Object::Set);
    assert_eq!((printed_counters(&history), printed_greedy(&history)), (Ok(()), Ok(())));
    // The last insertion would need a removal: one has taken effect, the other one is not called yet.
    let expected = Violation::NothingToLinearize {
        value: ValueIndex(0),
        operation: OperationIndex(3),
        spent: vec![(OperationIndex(1), OperationIndex(1))],
    };
    assert_eq!(judge_set(&history), Some(Answer::Not(expected.clone())));
    assert_eq!(judge_set_online(&history), Some(Answer::Not(expected)));
}

#[test]
fn steps_of_the_greedy_algorithm_are_those_that_it_takes() {
    let history = of("+[0,8] -[1,2] +[3,4] +[5,6] -[7,9]", Object::Set);
    let (steps, violation) = set_steps(&history, ValueIndex(0));
    let [long, removal, first, second] = [0, 1, 2, 3].map(OperationIndex);
    assert_eq!(steps.len(), 7);
    assert_eq!((steps[1].is_in, &steps[1].active[..]), (false, &[removal, long][..]));
    assert_eq!((steps[2].forced, &steps[2].effects[..]), (Some(long), &[long, removal][..]));
    assert_eq!((steps[4].forced, &steps[4].effects[..], steps[4].is_in), (None, &[first][..], true));
    assert!(steps[6].effects.is_empty() && steps[6].operation == second);
    assert_eq!(violation.map(Answer::Not), judge_set(&history));
    for seed in 0..300 {
        let history = random_history(seed, Object::Set, Shape::of(Object::Set));
        let mut all = Vec::new();
        for value in (0..history.values.len() as u32).map(ValueIndex) {
            let (steps, violation) = set_steps(&history, value);
            all.extend(steps.into_iter().flat_map(|step| step.effects));
            if violation.is_some() {
                all.clear();
                break;
            }
        }
        if let Some(Answer::Linearizable(linearization)) = judge_set(&history) {
            let mut points: Vec<_> = linearization.points.iter().map(|point| point.operation).collect();
            points.sort_unstable();
            all.sort_unstable();
            assert_eq!(all, points, "seed {seed}");
        }
    }
}

#[test]
fn vectors_of_stacks_and_queues() {
    let dodds = "+a[0,2] +b[1,5] +c[3,7] +d[4,9] -a[6,11] -b[8,13] -c[10,14] -d[12,15]";
    let recursion = "+0[0,6] -0[31,35] +1[1,4] -1[32,33] +2[2,5] -2[9,12] +3[3,7] -3[8,11] +4[14,15] -4[18,22] +5[13,17] -5[19,20] \
                     +6[23,24] -6[27,30] +7[21,25] -7[28,29] +8[10,16] -8[26,34]";
    check_vectors(
        Object::Stack,
        &[
            (true, dodds),
            (false, "+a[0,2] +b[1,5] +c[3,7] +d[4,9] -a[6,11] -b[8,12] -c[10,14] -d[13,15]"),
            (false, "+a[0,1] +b[2,3] -a[4,5] -b[6,7]"),
            (true, "+a[0,2] -a[1,3] +b[4,6] -b[5,7]"),
            (false, "-a[0,1] +a[2,3]"),
            (false, "+1[0,1] -1[2,3] -1[4,5]"),
            (false, "+1[0,1] +2[2,3] -1[4,5]"),
            (false, "+a[0,1] -[2,3] -a[4,5]"),
            (true, "+a[0,3] -[1,2] -a[4,5]"),
            (true, "+a[0,1] -a[2,5] -[3,4]"),
            (false, "+a[0,1] -[2,3]"),
            (true, "+a[0,1] +b[3,5] -a[2,7] -[4,6] -b[8,9]"),
            (false, "+a[0,1] +b[2,4] -a[3,7] -[5,6] -b[8,9]"),
            (true, "+b[0,1] +a[2,5] -a[3,4] -b[6,7]"),
            (true, recursion),
            // Twice the same value, which the monitors do not judge.
            (true, "+a[0,1] +b[2,3] +a[4,5] -a[6,7] -b[8,9] -a[10,11]"),
            (false, "+a[0,1] +a[2,3] +b[4,5] -a[6,7]"),
        ],
    );
    check_vectors(
        Object::Queue,
        &[
            (false, "+a[0,1] +b[2,3] -b[4,5] -a[6,7]"),
            (true, "+a[0,1] +b[2,3] -a[4,5] -b[6,7]"),
            (false, "+a[0,1] +b[2,3] -b[4,5]"),
            (false, "+a[0,1] -[2,3] -a[4,5]"),
            (true, "+a[0,3] +b[1,2] -b[4,5] -a[6,7]"),
            (false, "+b[0,1] +a[2,5] -a[3,4] -b[6,7]"),
            (false, "+3[0,1] +0[2,3] -3[4,6] +1[5,11] +2[7,8] -2[9,10] -1[12,15] -0[13,14]"),
            (
                false,
                "+0[6,12] -0[21,23] +1[3,5] -1[10,13] +2[1,2] -2[7,9] +3[4,8] -3[22,25] +4[15,17] -4[24,27] +5[11,14] -5[16,19] \
             +6[18,20] -6[26,28]",
            ),
        ],
    );
}

/// The times of calls and returns, far enough apart for others to come between.
fn times(history: &History) -> Vec<(i64, Option<i64>)> {
    let time = |moment: Moment| 10 * i64::from(moment.0);
    history.operations.iter().map(|operation| (time(operation.call), operation.ret.map(time))).collect()
}

#[test]
fn to_stretch_an_operation_turns_no_yes_into_no() {
    for object in Object::ALL {
        for_random_histories(object, |seed, history| {
            if !matches!(searched(history, object), Answer::Linearizable(_)) {
                return;
            }
            let mut random = Random::new(seed);
            let mut times = times(history);
            let at = random.below(times.len() as u64) as usize;
            times[at].0 -= random.below(100) as i64;
            times[at].1 = times[at].1.map(|ret| ret + random.below(100) as i64);
            let mut stretched = history.clone();
            stretched.settle(&times);
            let answer = searched(&stretched, object);
            assert_eq!(check_answer(&stretched, object, true, &answer), Ok(()), "{} seed {seed}", object.name());
        });
    }
}

#[test]
fn to_leave_out_a_value_turns_no_yes_into_no() {
    for object in [Object::Stack, Object::Queue] {
        for_random_histories(object, |seed, history| {
            if !matches!(searched(history, object), Answer::Linearizable(_)) {
                return;
            }
            let value = ValueIndex(seed as u32 % history.values.len().max(1) as u32);
            let mut less = history.clone();
            less.operations.retain(|operation| {
                !matches!(operation.action, Action::Insert(v) | Action::Remove(v) | Action::Contains(v, _) if v == value)
            });
            let answer = searched(&less, object);
            assert_eq!(check_answer(&less, object, true, &answer), Ok(()), "{} seed {seed}", object.name());
        });
    }
}

#[test]
fn stacks_and_queues_are_the_same_backwards() {
    let complete = |history: &History| {
        let uses = |action| history.operations.iter().filter(|operation| operation.action == action).count();
        let values = || (0..history.values.len() as u32).map(ValueIndex);
        history
            .operations
            .iter()
            .all(|operation| operation.ret.is_some() && !matches!(operation.action, Action::Contains(..)))
            && values().all(|value| uses(Action::Insert(value)) == uses(Action::Remove(value)))
    };
    let check = |object: Object, history: &History| {
        if !complete(history) {
            return false;
        }
        let times: Vec<_> =
            times(history).into_iter().map(|(call, ret)| (-ret.unwrap_or_default(), Some(-call))).collect();
        let mut backwards = history.clone();
        for operation in &mut backwards.operations {
            operation.action = match operation.action {
                Action::Insert(value) => Action::Remove(value),
                Action::Remove(value) => Action::Insert(value),
                action => action,
            };
        }
        backwards.settle(&times);
        let is_linearizable = |history| matches!(searched(history, object), Answer::Linearizable(_));
        assert_eq!(is_linearizable(&backwards), is_linearizable(history), "{} {history:#?}", object.name());
        true
    };
    for object in [Object::Stack, Object::Queue] {
        let mut checked = 0;
        generate::for_all_histories(4, |history| checked += u32::from(check(object, history)));
        assert!(checked > 1_000);
        for_random_histories(object, |_, history| {
            check(object, history);
        });
    }
}

#[test]
fn a_search_that_pauses_finds_the_same() {
    for object in Object::ALL {
        for_random_histories(object, |seed, history| {
            let mut whole = Search::new(history, object, u64::MAX);
            let expected = whole.run(&mut Budget::unlimited()).expect("no limit");
            let mut paused = Search::new(history, object, u64::MAX);
            let answer = loop {
                if let Ok(answer) = paused.run(&mut Budget::of(1 + seed % 60)) {
                    break answer;
                }
            };
            assert_eq!((answer, paused.longest()), (expected, whole.longest()), "{} seed {seed}", object.name());
            assert_eq!((paused.states(), paused.spent()), (whole.states(), whole.spent()));
        });
    }
}

/// What is before the return of an operation, or up to it.
fn prefix(history: &History, operation: OperationIndex, with_it: bool) -> History {
    let end = history.operation(operation).ret.expect("a return");
    let is_in = |moment: Moment| moment < end || (with_it && moment == end);
    let mut prefix = history.clone();
    prefix.operations.retain(|operation| is_in(operation.call));
    for operation in &mut prefix.operations {
        operation.ret = operation.ret.filter(|&ret| is_in(ret));
    }
    prefix
}

/// The value that an operation of a set or multiset is about.
fn value_of(action: Action) -> Option<ValueIndex> {
    match action {
        Action::Insert(value) | Action::Remove(value) | Action::Contains(value, _) => Some(value),
        _ => None,
    }
}

/// Whether the search takes each value by itself.
fn is_split(history: &History, object: Object) -> bool {
    let has = |is: fn(&Operation) -> bool| history.operations.iter().any(is);
    let has_queries = has(|operation| operation.ret.is_some() && matches!(operation.action, Action::Contains(..)));
    matches!(object, Object::Set | Object::Multiset)
        && !has(|operation| operation.ret.is_some() && operation.action == Action::RemoveNothing)
        && !(has_queries && has(|operation| operation.action == Action::RemoveAny))
}

#[test]
fn the_longest_order_is_the_longest() {
    for object in Object::ALL {
        for_random_histories(object, |seed, history| {
            let mut search = Search::new(history, object, u64::MAX);
            let answer = search.run(&mut Budget::unlimited()).expect("no limit");
            let Answer::Not(Violation::NoOrder { operation }) = answer else { return };
            // Of values that are searched one by one, the others do not count.
            let mut about = history.clone();
            let value = value_of(history.operation(operation).action);
            if is_split(history, object) {
                for other in about.operations.iter_mut().filter(|other| value_of(other.action) != value) {
                    (other.action, other.ret) = (Action::RemoveNothing, None);
                }
            }
            let (before, with) = (prefix(&about, operation, false), prefix(&about, operation, true));
            let message = format!("{} seed {seed}", object.name());
            assert_eq!(check(&before, &search.longest(), object), Ok(()), "{message}");
            assert!(!brute::is_linearizable(&with, object), "{message}");
        });
    }
}

#[test]
fn a_search_beyond_its_limit_is_undecided() {
    let history = generate::walk(32, 300, 1, Object::Counter);
    let mut search = Search::new(&history, Object::Counter, 2_000);
    assert_eq!(search.run(&mut Budget::unlimited()), Ok(Answer::Unknown(Undecided::Limit)));
    assert_eq!(search.run(&mut Budget::of(1)), Ok(Answer::Unknown(Undecided::Limit)));
    assert!(search.spent() <= 2_000 && !search.longest().points.is_empty());
}

#[test]
fn long_walks_are_linearizable() {
    for object in Object::ALL {
        for threads in [1, 4, 16] {
            let history = generate::walk(threads, 1_000, 5, object);
            assert_eq!(check_answer(&history, object, true, &searched(&history, object)), Ok(()));
        }
    }
    // More than 64 are open at a time.
    let history = generate::walk(100, 1_000, 5, Object::Queue);
    assert_eq!(check_answer(&history, Object::Queue, true, &searched(&history, Object::Queue)), Ok(()));
    for (object, judge) in [(Object::Set, judge_set as fn(&History) -> _), (Object::Set, judge_set_online)] {
        let history = generate::walk(16, 10_000, 5, object);
        assert_eq!(check_answer(&history, object, true, &judge(&history).expect("an answer")), Ok(()));
    }
}
