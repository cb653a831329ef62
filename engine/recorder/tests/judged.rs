//! What is recorded on real threads is read and judged.

#[path = "../examples/stacks/stack.rs"]
mod stack;

use litmoscope_core::budget::Budget;
use litmoscope_histories::{self as core, Action, Answer, History, Monitor, ReadOptions};
use litmoscope_recorder::{Object, Recorder, Recording, Repeated};
use stack::Stack;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, VecDeque};
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{self, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Barrier, Mutex};
use std::thread;

/// What the text says, read without a remark.
fn read<V: Display>(recording: &Recording<V>) -> History {
    let text = recording.to_string();
    let (mut read, notes) =
        core::parse_history(&text, &ReadOptions::default()).unwrap_or_else(|wrong| panic!("{text}\n{wrong:#?}"));
    assert!(notes.is_empty() && read.histories.len() == 1, "{text}\n{notes:#?}");
    read.histories.pop().expect("there is one")
}

fn judge(history: &History, monitor: Monitor) -> Answer {
    let object = history.object.expect("the first line says it");
    let judged = core::judge(history, object, monitor, 1 << 24, &mut Budget::unlimited());
    judged.expect("nobody stops it").answer
}

#[track_caller]
fn is_linearizable<V: Display>(recording: &Recording<V>) {
    let history = read(recording);
    let answer = judge(&history, Monitor::Auto);
    assert!(matches!(answer, Answer::Linearizable(_)), "{recording}\n{answer:?}");
}

/// Has threads do something with a log each, beginning together.
fn on_threads<V: Send>(
    recorder: &Recorder<V>,
    threads: u64,
    task: impl Fn(u64, &mut litmoscope_recorder::Log<'_, V>) + Sync,
) {
    let begin = Barrier::new(threads as usize);
    thread::scope(|scope| {
        for number in 0..threads {
            let (begin, task) = (&begin, &task);
            scope.spawn(move || {
                let mut log = recorder.log();
                begin.wait();
                task(number, &mut log);
            });
        }
    });
}

#[test]
fn a_good_stack_is_linearizable() {
    for recorder in [Recorder::new(Object::Stack), Recorder::new(Object::Stack).by_clock()] {
        let stack = Stack::good(400);
        on_threads(&recorder, 4, |thread, log| {
            for value in 0..100 {
                log.insert(100 * thread as usize + value, |value| stack.push(value));
                if value % 3 > 0 {
                    log.remove(|| stack.pop());
                    log.remove(|| stack.pop());
                }
            }
        });
        let recording = recorder.finish();
        assert!(recording.len() == 928 && !recording.is_empty());
        is_linearizable(&recording);
    }
}

/// The two pops wait for each other between their looks at the top and their writes.
#[test]
fn pops_that_forget_each_other_are_found() {
    let window = Barrier::new(2);
    let stack = Stack::broken(1, || {
        window.wait();
    });
    let recorder = Recorder::new(Object::Stack);
    recorder.log().insert(0, |value| stack.push(value));
    on_threads(&recorder, 2, |_, log| assert_eq!(log.remove(|| stack.pop()), Some(0)));
    let history = read(&recorder.finish());
    for monitor in Monitor::ALL {
        assert!(matches!(judge(&history, monitor), Answer::Not(_)), "{monitor:?}");
    }
}

/// Whatever this run did: it is read, and somebody knows.
#[test]
fn a_broken_stack_is_judged() {
    let stack = Stack::broken(400, thread::yield_now);
    let recorder = Recorder::new(Object::Stack);
    on_threads(&recorder, 4, |thread, log| {
        for value in 0..100 {
            log.insert(100 * thread as usize + value, |value| stack.push(value));
            log.remove(|| stack.pop());
        }
    });
    let answer = judge(&read(&recorder.finish()), Monitor::Auto);
    assert!(!matches!(answer, Answer::Unknown(_)), "{answer:?}");
}

#[test]
fn equal_values_have_numbers() {
    let queue = Mutex::new(VecDeque::new());
    let letters = ['a', 'b'].map(Repeated::new);
    let recorder = Recorder::new(Object::Queue);
    on_threads(&recorder, 3, |thread, log| {
        for turn in 0..20 {
            let letter = &letters[(thread as usize + turn) % 2];
            log.insert(letter.next(), |value| queue.lock().unwrap().push_back(value));
            log.remove(|| queue.lock().unwrap().pop_front());
        }
    });
    let recording = recorder.finish();
    let history = read(&recording);
    let values: BTreeSet<&str> = (0..history.values.len() as u32).map(|value| history.values.name(value)).collect();
    let expected: Vec<String> =
        ["a", "b"].iter().flat_map(|letter| (1..=30).map(move |number| format!("({letter},{number})"))).collect();
    assert_eq!(values, expected.iter().map(String::as_str).collect());
    is_linearizable(&recording);
}

#[test]
fn every_object_can_be_recorded() {
    let set = Mutex::new(BTreeSet::new());
    let recorder = Recorder::new(Object::Set);
    on_threads(&recorder, 3, |thread, log| {
        for turn in 0..20 {
            let value = (thread + turn) % 3;
            log.add(value, |value| set.lock().unwrap().insert(value));
            log.contains(value, |value| set.lock().unwrap().contains(&value));
            log.remove_value(value, |value| set.lock().unwrap().remove(&value));
        }
    });
    is_linearizable(&recorder.finish());

    let bag = Mutex::new(BTreeMap::<u64, u32>::new());
    let recorder = Recorder::new(Object::Multiset);
    on_threads(&recorder, 3, |thread, log| {
        for turn in 0..4 {
            let value = (thread + turn) % 3;
            log.insert(value, |value| *bag.lock().unwrap().entry(value).or_default() += 1);
            log.contains(value, |value| bag.lock().unwrap().get(&value).is_some_and(|count| *count > 0));
            log.remove_value(value, |value| {
                let mut bag = bag.lock().unwrap();
                let count = bag.entry(value).or_default();
                let is_in = *count > 0;
                *count = count.saturating_sub(1);
                is_in
            });
        }
    });
    is_linearizable(&recorder.finish());

    let heap = Mutex::new(BinaryHeap::new());
    let recorder = Recorder::new(Object::PriorityQueue);
    on_threads(&recorder, 3, |thread, log| {
        for turn in 0..4 {
            let value = (7 * (3 * turn + thread) % 12) as i64;
            log.insert(value, |value| heap.lock().unwrap().push(std::cmp::Reverse(value)));
            log.remove(|| heap.lock().unwrap().pop().map(|std::cmp::Reverse(value)| value));
        }
    });
    is_linearizable(&recorder.finish());

    let register = AtomicU64::new(5);
    let recorder = Recorder::new(Object::Register).named("r").holding(5);
    on_threads(&recorder, 3, |thread, log| {
        for turn in 0..4 {
            log.write(thread, |value| register.store(value, Ordering::SeqCst));
            log.read(|| register.load(Ordering::SeqCst));
            log.compare_and_set(turn % 3, thread, |expected, new| {
                register.compare_exchange(expected, new, Ordering::SeqCst, Ordering::SeqCst).is_ok()
            });
        }
    });
    let recording = recorder.finish();
    assert_eq!(read(&recording).name, "r");
    is_linearizable(&recording);

    let counter = AtomicI64::new(0);
    let recorder = Recorder::<u64>::new(Object::Counter);
    on_threads(&recorder, 3, |thread, log| {
        for turn in 0..4 {
            log.increase(thread as i64 - turn, |by| counter.fetch_add(by, Ordering::SeqCst));
            log.total(|| counter.load(Ordering::SeqCst));
        }
    });
    is_linearizable(&recorder.finish());
}

/// Nobody knows whether it took effect: here the push did, and the pop did not.
#[test]
fn what_panics_is_pending() {
    let stack = Mutex::new(Vec::new());
    let recorder = Arc::new(Recorder::new(Object::Stack));
    let panics = |task: &dyn Fn()| assert!(catch_unwind(AssertUnwindSafe(task)).is_err());
    thread::scope(|scope| {
        let thread = scope.spawn(|| {
            recorder.log().insert(1, |value| {
                stack.lock().unwrap().push(value);
                panic!("on purpose");
            })
        });
        assert!(thread.join().is_err());
    });
    {
        let mut log = recorder.log();
        // The lock is poisoned by now.
        stack.clear_poison();
        assert_eq!(log.remove(|| stack.lock().unwrap().pop()), Some(1));
        let log = Mutex::new(log);
        panics(&|| {
            log.lock().unwrap().remove(|| panic!("on purpose"));
        });
        log.clear_poison();
        log.lock().unwrap().insert(2, |value| stack.lock().unwrap().push(value));
    }
    let recording = Arc::into_inner(recorder).expect("the thread is over").finish();
    let text = recording.to_string();
    assert_eq!(text, "history stack\nT1: push 1 [0,?]\nT2: pop 1 [1,2]\nT2: pop [3,?]\nT2.2: push 2 [4,5]\n");
    let history = read(&recording);
    assert_eq!(history.operations[2].action, Action::RemoveAny);
    is_linearizable(&recording);
}

#[test]
fn a_query_that_panics_says_nothing() {
    let recorder = Recorder::new(Object::Set);
    let mut log = recorder.log();
    let asked = catch_unwind(AssertUnwindSafe(|| log.contains(1, |_| panic!("on purpose"))));
    assert!(asked.is_err());
    assert!(log.add(1, |_| true));
    drop(log);
    let recording = recorder.finish();
    assert_eq!((recording.len(), recording.to_string().as_str()), (2, "history set\nT1: add 1 [1,2]\n"));
}

#[test]
fn what_finds_no_room_did_not_happen() {
    let recorder = Recorder::new(Object::Queue);
    let mut log = recorder.log();
    assert_eq!(log.try_insert(1, Ok::<_, i32>), Ok(1));
    assert_eq!(log.try_insert(2, Err::<(), _>), Err(2));
    drop(log);
    assert_eq!(recorder.finish().to_string(), "history queue\nT1: enq 1 [0,1]\n");
}

/// Whatever a value is called, and whatever the reader takes such a word for.
#[test]
fn every_name_of_a_value_is_read_back() {
    let names = [
        "a",
        "-1",
        "0.5",
        "a-",
        "-",
        "->",
        "",
        " ",
        "a b",
        "(a,1)",
        "(a,-1)",
        "((a,1),2)",
        "(a",
        "a)",
        "\"",
        "\\",
        "a\"b\\",
        "\n",
        "\r\n",
        "\t",
        "empty",
        "Empty",
        "EMPTY",
        "nil",
        "None",
        "NULL",
        "true",
        "False",
        "ok",
        "OK",
        "()",
        "void",
        "unit",
        "#",
        "//",
        "a//b",
        "a#b",
        "[0,1]",
        "?",
        "|",
        "a;b",
        "é",
        "\u{1f600}",
        "\u{feff}",
        "\0",
        "(empty,1)",
        "(\u{e9},1)",
        "push",
        "call",
        "init",
        "history",
        "+1",
        "1:2",
    ];
    let recorder = Recorder::new(Object::Queue);
    let mut log = recorder.log();
    for name in names {
        log.insert(name, |_| ());
    }
    drop(log);
    let recording = recorder.finish();
    let history = read(&recording);
    let read: Vec<&str> = history
        .operations
        .iter()
        .map(|operation| match operation.action {
            Action::Insert(value) => history.value(value),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(read, names);
    let text = recording.to_string();
    assert!(text.contains("enq (a,1) [") && text.contains("enq \"empty\" [") && text.contains("enq -1 ["), "{text}");
}

#[test]
fn several_recordings_stand_in_one_file() {
    let mut file = String::new();
    for name in ["s", "t.2"] {
        let recorder = Recorder::new(Object::Stack).named(name);
        recorder.log().insert(1, |_| ());
        file += &recorder.finish().to_string();
    }
    let (read, _) = core::parse_history(&file, &ReadOptions::default()).expect("it is read");
    assert_eq!(read.histories.iter().map(|history| &history.name[..]).collect::<Vec<_>>(), ["s", "t.2"]);
}

#[test]
#[should_panic(expected = "a stack has no `contains`")]
fn an_object_has_no_operations_of_another_one() {
    Recorder::new(Object::Stack).log().contains(1, |_| true);
}

#[test]
#[should_panic(expected = "an object cannot be named \"a b\"")]
fn a_name_is_one_word() {
    drop(Recorder::<u64>::new(Object::Stack).named("a b"));
}

#[test]
#[should_panic(expected = "1 of 2 logs were never handed over")]
fn a_log_that_is_leaked_is_missed() {
    let recorder = Recorder::<u64>::new(Object::Stack);
    drop(recorder.log());
    std::mem::forget(recorder.log());
    recorder.finish();
}
