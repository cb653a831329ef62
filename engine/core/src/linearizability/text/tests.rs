//! Each format read, written, and refused.

use super::*;
use crate::linearizability::{Action, History, Moment, Operation, ThreadIndex, ValueIndex};
use crate::random::Random;
use proptest::prelude::*;

fn read(text: &str) -> Recording {
    match parse_history(text, &ReadOptions::default()) {
        Ok((recording, _)) => recording,
        Err(wrong) => panic!("{text}\n{}", crate::syntax::render(text, "test", &wrong)),
    }
}

/// What was done, in words.
fn action(history: &History, action: Action) -> String {
    let value = |value| format!("{:?}", history.value(value));
    match action {
        Action::Insert(v) => format!("+{}", value(v)),
        Action::Remove(v) => format!("-{}", value(v)),
        Action::RemoveAny => "-?".to_owned(),
        Action::RemoveNothing => "-".to_owned(),
        Action::Contains(v, found) => format!("{} in: {found}", value(v)),
        Action::Read(v) => format!("r {}", value(v)),
        Action::Write(v) => format!("w {}", value(v)),
        Action::CompareAndSet { expected, new, succeeded } => {
            format!("cas {} {} {succeeded:?}", value(expected), value(new))
        }
        Action::Increase(by) => format!("inc {by}"),
        Action::Total(total) => format!("total {total}"),
    }
}

/// The operations as `T1 +"1" 0 2`: with the moments of call and return.
fn operations(history: &History) -> Vec<String> {
    let text = |operation: &Operation| {
        let ret = operation.ret.map_or("?".to_owned(), |ret| ret.0.to_string());
        let thread = history.thread(operation.thread);
        format!("{thread} {} {} {ret}", action(history, operation.action), operation.call.0)
    };
    history.operations.iter().map(text).collect()
}

/// All that matters of a history: each operation, how many returned before its call, and how many were called before its return.
fn essence(history: &History) -> (String, Option<Object>, Option<String>, Vec<String>) {
    let mut returns: Vec<Moment> = history.operations.iter().filter_map(|operation| operation.ret).collect();
    returns.sort_unstable();
    let mut calls: Vec<Moment> = history.operations.iter().map(|operation| operation.call).collect();
    calls.sort_unstable();
    let text = |operation: &Operation| {
        let before = returns.partition_point(|ret| *ret < operation.call);
        let beside = operation.ret.map(|ret| calls.partition_point(|call| *call < ret));
        format!("{} {} {before} {beside:?}", history.thread(operation.thread), action(history, operation.action))
    };
    let mut operations: Vec<String> = history.operations.iter().map(text).collect();
    operations.sort_unstable();
    let initial = history.initial.map(|initial| history.value(initial).to_owned());
    (history.name.clone(), history.object, initial, operations)
}

const PLAIN: [&str; 6] = ["1", "2", "3", "a", "(a,1)", "é"];
const ODD: [&str; 12] = ["", "b c", "empty", "nil", "true", "-1", "a-", "#", "a|b", "x->y", "say \"\\\n\t\"", "007"];

fn below(random: &mut Random, n: usize) -> usize {
    random.below(n as u64) as usize
}

/// A history of random operations. No two operations of a thread overlap, and none of a query is pending.
fn random_history(seed: u64, object: Object, values: &[&str], name: &str, threads: std::ops::Range<u32>) -> History {
    let mut random = Random::new(seed);
    let mut history = History { name: name.to_owned(), object: Some(object), ..History::default() };
    for thread in threads {
        history.threads.number(&thread.to_string());
    }
    let mut open: Vec<Option<usize>> = vec![None; history.threads.len()];
    let mut last = vec![-1; history.threads.len()];
    let mut times = Vec::new();
    let mut now = 0;
    for _ in 0..below(&mut random, 30) {
        now += i64::from(below(&mut random, 3) > 0);
        let thread = below(&mut random, open.len());
        if let Some(operation) = open[thread].take() {
            let operation: usize = operation;
            let times: &mut (i64, Option<i64>) = &mut times[operation];
            times.1 = Some(now);
            last[thread] = now;
        } else if last[thread] < now {
            open[thread] = Some(history.operations.len());
            times.push((now, None));
            let action = random_action(&mut random, &mut history, object, values);
            let thread = ThreadIndex(thread as u32);
            history.operations.push(Operation { thread, action, call: Moment(0), ret: None, line: 0 });
        }
    }
    // What is pending has no result.
    for (operation, times) in history.operations.iter_mut().zip(&mut times) {
        let is_pending = times.1.is_none();
        operation.action = match operation.action {
            Action::Remove(_) if is_pending && object != Object::Set => Action::RemoveAny,
            Action::CompareAndSet { expected, new, .. } if is_pending => {
                Action::CompareAndSet { expected, new, succeeded: None }
            }
            action => action,
        };
        let is_query = matches!(
            operation.action,
            Action::RemoveNothing | Action::Contains(..) | Action::Read(_) | Action::Total(_)
        );
        if is_pending && is_query {
            times.1 = Some(now);
        }
    }
    history.settle(&times);
    history
}

fn random_action(random: &mut Random, history: &mut History, object: Object, values: &[&str]) -> Action {
    let mut value = |random: &mut Random| ValueIndex(history.values.number(values[below(random, values.len())]));
    let (a, b) = (value(random), value(random));
    let flag = below(random, 2) == 0;
    match (object, below(random, 4)) {
        (Object::Register, 0) => Action::Read(a),
        (Object::Register, 1) => Action::Write(a),
        (Object::Register, _) => Action::CompareAndSet { expected: a, new: b, succeeded: Some(flag) },
        (Object::Counter, 0) => Action::Total(random.below(9) as i64 - 3),
        (Object::Counter, _) => Action::Increase(random.below(9) as i64 - 3),
        (Object::Set | Object::Multiset, 0) => Action::Contains(a, flag),
        (_, 1) => Action::Remove(a),
        (Object::Stack | Object::Queue | Object::Multiset | Object::PriorityQueue, 2) => Action::RemoveNothing,
        _ => Action::Insert(a),
    }
}

#[test]
fn what_is_written_is_read_again() {
    let mut written = [0; Format::ALL.len()];
    for seed in 0..1500_u64 {
        let object = Object::ALL[seed as usize % Object::ALL.len()];
        let is_odd = seed % 3 == 0;
        let mut values = PLAIN.to_vec();
        if is_odd {
            values.extend(ODD);
        }
        let mut histories = if seed % 4 == 0 {
            let other = Object::ALL[(seed / 7) as usize % Object::ALL.len()];
            vec![
                random_history(seed, object, &values, "x", 0..3),
                random_history(seed + 7000, other, &values, "y", 3..6),
            ]
        } else {
            vec![random_history(seed, object, &values, "", 0..4)]
        };
        histories.retain(|history| !history.operations.is_empty());
        if histories.is_empty() {
            continue;
        }
        for (format, written) in Format::ALL.into_iter().zip(&mut written) {
            let mut recording = Recording { histories: histories.clone() };
            for history in &mut recording.histories {
                if matches!(format, Format::Edn | Format::Log | Format::Json)
                    && history.object == Some(Object::Register)
                {
                    history.initial = Some(ValueIndex(history.values.number("nil")));
                } else if matches!(format, Format::Text | Format::Calls | Format::Bars) && seed % 5 == 0 {
                    history.initial = Some(ValueIndex(history.values.number("5")));
                }
            }
            let text = match print_history(&recording, format) {
                Ok(text) => text,
                Err(error) => {
                    let has_object = format == Format::Log || recording.histories.len() > 1;
                    assert!(is_odd || has_object, "{format:?}: {error}");
                    continue;
                }
            };
            assert_eq!(detect(&text).map(family), Some(family(format)), "{text}");
            let mut again = read(&text);
            // Operation maps of several objects are in the order of time.
            again.histories.sort_by(|a, b| a.name.cmp(&b.name));
            let essences = |recording: &Recording| recording.histories.iter().map(essence).collect::<Vec<_>>();
            assert_eq!(essences(&again), essences(&recording), "{text}");
            *written += 1;
        }
    }
    assert!(written.iter().all(|written| *written > 500), "{written:?}");
}

/// Our own texts are told apart while they are read.
fn family(format: Format) -> Format {
    if matches!(format, Format::Calls | Format::Bars) { Format::Text } else { format }
}

#[test]
fn our_own_texts_are_read() {
    let expected = ["T1 +\"1\" 0 2", "T2 -\"1\" 1 4", "T1 - 3 5", "T2 -? 6 ?"];
    for text in [
        "history s stack // no\n# a comment\nT1: push 1 [0,2]; pop empty [3, 5]\nT2: pop 1 [1,4]; pop [6,?] # yes\n",
        "history s stack\r\nT1: push(1) [0,2];\r\nT2: pop 1 [1,4]\r\nT2: pop() [6,]\r\nT1 : pop empty [3,5]",
        "history s stack\nT1 call push 1\nT2 call pop\nT1 return\nT1 call pop\nT2 return 1\nT1 return empty\nT2 call pop",
        "history s stack\n\
         T1: |-push 1-|   |--pop empty--|\n\
         T2:    |-----pop 1-----|          |-pop->\n",
        "history s stack\n\
         T1: | push(1) |  |-pop empty--\n\
         T2:    |-----pop 1-----|\n\
         T1: ---|  # no\n\
         T2:       |-pop->\n",
    ] {
        let recording = read(text);
        let [history] = recording.histories.as_slice() else { panic!("{recording:?}") };
        assert_eq!((history.name.as_str(), history.object), ("s", Some(Object::Stack)));
        assert_eq!(operations(history), expected, "{text}");
    }
}
