//! Each format read, written, and refused.

use super::*;
use crate::random::Random;
use crate::syntax::TokenClass;
use crate::{Action, History, Moment, Operation, ThreadIndex, ValueIndex};
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

/// All that matters of a history: each operation, how many returned before its call, and how many were called before
/// its return.
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
const ODD: [&str; 13] =
    ["(a|b)", "", "b c", "empty", "nil", "true", "-1", "a-", "#", "a|b", "x->y", "say \"\\\n\t\"", "007"];

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
                if history.object != Some(Object::Register) {
                    continue;
                }
                let initial = match format {
                    Format::Edn | Format::Log | Format::Json => "nil",
                    Format::Text | Format::Calls | Format::Bars if seed % 5 == 0 => "5",
                    _ => continue,
                };
                history.initial = Some(ValueIndex(history.values.number(initial)));
            }
            let text = match print_history(&recording, format) {
                Ok(text) => text,
                Err(error) => {
                    let is_named = recording.histories.iter().any(|history| !history.name.is_empty());
                    let lacks_place = format == Format::Log || format == Format::Limo && is_named;
                    assert!(is_odd || lacks_place, "{format:?}: {error}");
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

/// The operations of the only history of a text.
fn found(text: &str, options: &ReadOptions) -> Vec<String> {
    match parse_history(text, options) {
        Ok((recording, _)) => recording.histories.iter().flat_map(operations).collect(),
        Err(wrong) => panic!("{text}\n{}", crate::syntax::render(text, "test", &wrong)),
    }
}

#[test]
fn limo_and_violin_are_read() {
    let text = "# @object atomic-stack\n[1] call push(0)\n[1] return\n[2] call push b\n[3] call pop()\n[2] return 1\n";
    let wrong = parse_history(text, &ReadOptions::default()).expect_err("a push returns nothing");
    assert_eq!(wrong[0].message, "an insertion names one value and returns none");
    let text = "\u{feff}# @object atomic-queue\n\n[1] call enq(a)\n[1] return \n[1] call add a2\r\n[1] return ok\n\
                [1] call deq()\n[2] call deq(x)\n[2] return\n[3] call deq\n[3] return\n[4] call deq\n[4] return empty\n[1] return a";
    let expected = ["1 +\"a\" 0 1", "1 +\"a2\" 2 3", "1 -\"a\" 4 11", "2 -\"x\" 5 6", "3 - 7 8", "4 - 9 10"];
    assert_eq!(found(text, &ReadOptions::default()), expected);
    let text = "# @object register\n[1] call write(a)\n[1] return \n[1] call read(a)\n[1] return\n[2] call read(b)\n";
    assert_eq!(found(text, &ReadOptions::default()), ["1 w \"a\" 0 1", "1 r \"a\" 2 3"]);
    let text = "[1] call add(1)\n[1] return false\n[1] call remove 1\n[1] return false\n[1] call remove(2)\n";
    assert_eq!(found(text, &ReadOptions::default()), ["1 \"1\" in: true 0 1", "1 \"1\" in: false 2 3", "1 -\"2\" 4 ?"]);
}

#[test]
fn jepsen_is_read() {
    let options = ReadOptions::default();
    let expected = ["0 +\"1\" 0 2", "1 -\"1\" 1 3", "1 -? 4 ?", "2 +\"a b\" 5 ?"];
    let edn = "; a comment\n\
        [{:process 0, :type :invoke, :f :enqueue, :value 1, :index 0}\n\
        {:process :nemesis, :type :info, :f :start, :value {:a [1 #{2}] \\} \"}\"}}\n\
        #jepsen.history.Op{:process 1, :type :invoke, :f :dequeue, :value nil}\n\
        {:process 0, :type :ok, :f :enqueue, :value 1} {:process 1 :type :ok :f :dequeue :value 1}\n\
        {:process 0, :type :invoke, :f :enqueue, :value 7} {:process 0, :type :fail, :f :enqueue, :value 7}\n\
        {:process 1 :type :invoke :f :dequeue} {:process 1 :type :info :f :dequeue :error :timeout}\n\
        {:process 2 :type :invoke :f :enqueue :value \"a b\"}]";
    assert_eq!(found(edn, &options), expected);
    let tagged = "#jepsen.history.Op{:process 0, :type :invoke, :f :push, :value 1}";
    assert_eq!(found(tagged, &options), ["0 +\"1\" 0 ?"]);
    let log = "INFO  jepsen.core - Worker 1 starting\n\
        INFO  jepsen.util - 0\t:invoke\t:enqueue\t1\n\
        INFO  jepsen.util - :nemesis\t:info\t:start\tnil\n\
        1\t:invoke\t:dequeue\tnil\n0\t:ok\t:enqueue\t1\n1  :ok  :dequeue  1\n\
        0 :invoke :enqueue 7\n0 :fail :enqueue 7\n\
        1 :invoke :dequeue nil\n1 :info :dequeue :timed-out\n2 :invoke :enqueue \"a b\"\n";
    assert_eq!(found(log, &options), expected);
    let json = r#"{"process":0,"type":"invoke","f":"enqueue","value":1}
        {"process":"nemesis","type":"info","f":"start"}
        {"process":1,"type":"invoke","f":"dequeue","value":null}
        {"process":0,"type":"ok","f":"enqueue","value":1},
        {"process":1,"type":"ok","f":"dequeue","value":1}
        {"process":0,"type":"invoke","f":"enqueue","value":7}
        {"process":0,"type":"fail","f":"enqueue","value":7}
        {"process":1,"type":"invoke","f":"dequeue"}
        {"process":1,"type":"info","f":"dequeue","value":null}
        {"process":2,"type":"invoke","f":"enqueue","value":"a b"}"#;
    assert_eq!(found(json, &options), expected);
    assert_eq!(found(&format!("[{}]", json.replace("}\n", "},\n").replace(",,", ",")), &options), expected);
}

#[test]
fn failures_may_be_empty_removals() {
    let text = "0 :invoke :dequeue nil\n0 :fail :dequeue nil\n0 :invoke :enqueue 1\n0 :fail :enqueue 1\n\
                0 :invoke :enqueue 2\n0 :ok :enqueue 2\n0 :invoke :dequeue nil\n0 :ok :dequeue :empty\n";
    let fail_is_empty = ReadOptions { fail_is_empty: true, ..ReadOptions::default() };
    assert_eq!(found(text, &ReadOptions::default()), ["0 +\"2\" 0 1", "0 - 2 3"]);
    assert_eq!(found(text, &fail_is_empty), ["0 - 0 1", "0 +\"2\" 2 3", "0 - 4 5"]);
}

#[test]
fn registers_and_keys_are_read() {
    let text = "0 :invoke :cas [1 2]\n0 :ok :cas [1 2]\n1 :invoke :read nil\n1 :ok :read nil\n0 :invoke :cas [2 3]\n\
                0 :fail :cas [2 3]\n0 :invoke :cas [5 6]\n1 :invoke :read nil\n1 :info :read :timed-out\n";
    let (recording, _) = parse_history(text, &ReadOptions::default()).expect("it is a history");
    let [history] = recording.histories.as_slice() else { panic!("{recording:?}") };
    assert_eq!(history.initial.map(|initial| history.value(initial)), Some("nil"));
    assert_eq!(
        operations(history),
        ["0 cas \"1\" \"2\" Some(true) 0 1", "1 r \"nil\" 2 3", "0 cas \"5\" \"6\" None 4 ?"]
    );
    let text = "{:process 0 :type :invoke :f :cas :value [\"x\" [1 2]]}\n{:process 1 :type :invoke :f :write :value [y 3]}\n\
                {:process 0 :type :ok :f :cas :value [\"x\" [1 2]]}\n{:process 1 :type :ok :f :write :value [y 3]}\n\
                {:process 0 :type :invoke :f :read :value [y nil]}\n{:process 0 :type :ok :f :read :value [y 3]}\n";
    let recording = read(text);
    let names: Vec<_> = recording.histories.iter().map(|history| history.name.as_str()).collect();
    assert_eq!(names, ["x", "y"]);
    assert_eq!(operations(&recording.histories[0]), ["0 cas \"1\" \"2\" Some(true) 0 1"]);
    assert_eq!(operations(&recording.histories[1]), ["1 w \"3\" 0 1", "0 r \"3\" 2 3"]);
}

#[test]
fn porcupine_is_read() {
    let options = ReadOptions::default();
    let text = r#"[{"ClientId":0,"Input":"push 1","Call":0,"Output":null,"Return":10},
        {"ClientId":1,"Input":{"op":"pop"},"Call":5,"Output":{"value":1},"Return":15},
        {"clientId":0,"input":["push","(a,1)"],"call":20,"return":null},
        {"ClientId":2,"Input":"pop()","Call":10,"Output":"empty","Return":10}]"#;
    let expected = ["0 +\"1\" 0 3", "1 -\"1\" 1 5", "2 - 2 4", "0 +\"(a,1)\" 6 ?"];
    assert_eq!(found(text, &options), expected);
    let text = r#"{"Input":{"Op":"put","Key":"x","Value":"a"},"Call":0,"Output":"","Return":10}
        {"Input":{"Op":"get","Key":"y","Value":""},"Call":1,"Output":"","Return":5}
        {"Input":{"Op":"get","Key":"x","Value":""},"Call":7,"Output":{"ok":true,"value":"a"},"Return":12}
        {"Input":{"Op":"get","Key":"x"},"Call":11,"Output":{"unknown":true},"Return":12}"#;
    let registers = ReadOptions { object: Some(Object::Register), ..ReadOptions::default() };
    let recording = parse_history(text, &registers).expect("it is a history").0;
    assert_eq!(operations(&recording.histories[0]), ["T1 w \"a\" 0 2", "T2 r \"a\" 1 3"]);
    assert_eq!(operations(&recording.histories[1]), ["T1 r \"\" 0 1"]);
}

#[test]
fn tables_are_read() {
    let text = "Start;End;Client;Method;Argument;Output;Note\n0;4;a;push;\"1;2\";;x\n2;3;b;pop;;empty;\n\n5;;b;pop;;;\n6;7;a;pop;;1;y";
    assert_eq!(found(text, &ReadOptions::default()), ["a +\"1;2\" 0 3", "b - 1 2", "b -? 4 ?", "a -\"1\" 5 6"]);
    let text =
        "thread,op,value,result,call,return,object\n1,cas,1 2,false,0,1,r\n1,write,3,,2,2,r\n2,inc,,,0,1,counter\n";
    let recording = read(text);
    assert_eq!(operations(&recording.histories[0]), ["1 cas \"1\" \"2\" Some(false) 0 1", "1 w \"3\" 2 3"]);
    assert_eq!(operations(&recording.histories[1]), ["2 inc 1 0 1"]);
}

#[test]
fn names_have_synonyms_and_can_be_mapped() {
    let options = ReadOptions {
        map: vec![("grab".to_owned(), "dequeue".to_owned()), ("push".to_owned(), "enq".to_owned())],
        ..ReadOptions::default()
    };
    let (recording, notes) = parse_history("T1: push 1 [0,1]; grab 1 [2,3]", &options).expect("it is a history");
    assert_eq!(recording.histories[0].object, Some(Object::Queue));
    assert_eq!(notes[0].message, "the object counts as a queue because it has `push`");
    let options = ReadOptions { map: vec![("a".to_owned(), "b".to_owned())], ..ReadOptions::default() };
    let wrong = parse_history("T1: push 1 [0,1]", &options).expect_err("b is unknown");
    assert_eq!(wrong[0].message, "`a` is mapped to `b`, which is not a known operation");
    // An object that is given counts more than what the text says.
    let options = ReadOptions { object: Some(Object::Queue), ..ReadOptions::default() };
    let (recording, _) = parse_history("history s stack\nT1: push 1 [0,1]", &options).expect("it is a history");
    assert_eq!(recording.histories[0].object, Some(Object::Queue));
}

#[test]
fn several_histories_may_stand_in_a_text() {
    let recording =
        read("history a b stack\nT1 call push 1\nhistory # none\nT1: add 1 [5,6]; remove 1 [6,9]\nhistory set\n");
    let found: Vec<_> = recording.histories.iter().map(|h| (h.name.as_str(), h.object, h.operations.len())).collect();
    assert_eq!(found, [("a b", Some(Object::Stack), 1), ("", Some(Object::Set), 2), ("", Some(Object::Set), 0)]);
}

/// What is written is read again, with all objects that there are.
#[test]
fn objects_that_would_be_lost_are_not_written() {
    let is_written = |text: &str| {
        let recording = read(text);
        let mut formats = Vec::new();
        for format in Format::ALL {
            let Ok(printed) = print_history(&recording, format) else { continue };
            let (again, _) = parse_history_as(format, &printed, &ReadOptions::default()).expect("it was written so");
            assert_eq!(again.histories.len(), recording.histories.len(), "{printed}");
            formats.push(format);
        }
        formats
    };
    let own = [Format::Text, Format::Calls, Format::Bars];
    // All of it failed.
    assert_eq!(is_written("1\t:invoke\t:enqueue\t1\n1\t:fail\t:enqueue\t1\n"), []);
    // Nothing was done with the first one.
    assert_eq!(is_written("history q queue\nhistory s stack\nT1: push 1 [0,1]\n"), own);
    // Both have one name.
    assert_eq!(is_written("history s stack\nT1: push 1 [0,1]\nhistory s stack\nT1: push 1 [0,1]\n"), own);
    assert!(is_written("history q queue\nT1: enq 1 [0,1]\nhistory s stack\nT1: push 1 [0,1]\n").len() > own.len());
}

#[test]
fn what_is_wrong_is_said() {
    const INVOKE: &str = "{:process 0 :type :invoke :f :push :value 1}\n";
    for (text, line, column, message) in [
        ("T1 call push 1\nT1 return\nT1 return\n", 3, 1, "`T1` returns, but it has called nothing"),
        ("[1] call push 1\n[2] return\n", 2, 1, "`2` returns, but it has called nothing"),
        ("T1 call push 1\nT1 call pop\n", 2, 1, "`T1` calls an operation while its call in line 1 has not returned"),
        ("T1: push 1 [4,3]\n", 1, 5, "the operation returns at 3, before it is called at 4"),
        (
            "T1: push 1 [0,4]; pop 1 [3,5]\n",
            1,
            19,
            "`T1` calls an operation at 3, while its operation in line 1 lasts until 4",
        ),
        (
            "T1: push 1 [0,?]\nT1: pop 1 [3,5]\n",
            2,
            5,
            "`T1` calls an operation, but its operation in line 1 never \
                                                       returns",
        ),
        (
            "T1: push 1 [5,6]; pop 1 [0,1]\n",
            1,
            19,
            "time runs backwards: `T1` calls at 0, but in the earlier line 1 \
                                                    at 5",
        ),
        ("T1: push 1 [0,1]; frob 1 [2,3]\n", 1, 19, "`frob` is not a known operation"),
        ("T1: push 1 [0,1]; deq 1 [2,3]\n", 1, 19, "a stack has no operations of a queue"),
        ("T1: add 1 [0,1]; remove empty [2,3]\n", 1, 5, "the operations do not tell what the object is"),
        ("history q queue\nT1: contains 1 true [0,1]\n", 2, 5, "a queue has no such operation"),
        ("T1: contains 1 [0,1]\n", 1, 5, "a query names a value and returns `true` or `false`"),
        ("T1: push 1 false [0,1]\n", 1, 5, "no insertion into a stack returns `false`"),
        ("T1: push 1 [0,1]; pop [2,3]\n", 1, 19, "the removal returned and does not say what it took"),
        ("T1 call pop\nT1 return\n", 2, 4, "the removal returned and does not say what it took"),
        ("T1: push [0,1]\n", 1, 5, "an insertion names a value"),
        ("history set\nT1: remove empty [0,1]\n", 2, 5, "a removal from a set names its value"),
        ("T1: cas 1 2 [0,1]\n", 1, 5, "a compare-and-set names two values and returns `true` or `false`"),
        ("T1: write 1 2 [0,1]\n", 1, 5, "a write names one value and returns none"),
        ("T1: inc x [0,1]\n", 1, 5, "`x` is not a 64-bit number"),
        ("T1: inc -9223372036854775808 [0,1]; dec -9223372036854775808 [2,3]\n", 1, 37, "the number is too large"),
        ("T1: cas 0 1 true [0,?]\n", 1, 5, "the operation never returns, but it has a result"),
        ("history r register\nT1: read 1 [2,?]\n", 2, 5, "the operation never returns, but it has a result"),
        ("history r register\nT1: get 1 [2,?]\n", 2, 5, "the operation never returns, but it has a result"),
        ("T1: contains 1 true [2,?]\n", 1, 5, "the operation never returns, but it has a result"),
        ("T1: push 1 ok [2,?]\n", 1, 5, "the operation never returns, but it has a result"),
        ("T1: push 1 [0,1]; pop empty [2,?]\n", 1, 19, "the operation never returns, but it has a result"),
        ("history c counter\nT1: inc ok [2,?]\n", 2, 5, "the operation never returns, but it has a result"),
        ("T1: |-cas 0 1 true->\n", 1, 7, "the operation never returns, but it has a result"),
        ("0 :invoke :dequeue 5\n0 :ok :dequeue 7\n", 2, 1, "the removal is called with `5` in line 1, and returns `7`"),
        ("T1: cas 1 2 3 4 [0,1]\n", 1, 15, "the operation has too many values"),
        ("T1: push 1 [0,1]\nT2: pop 1 [2,", 2, 14, "expected a time, found the end of the text"),
        (
            "T1: push 1 [0,1]\nT2: pop 1\n",
            2,
            10,
            "expected `[` and the times of the operation, found the end of the line",
        ),
        ("T1: push 1 [0,1] pop\n", 1, 18, "expected `;` or the end of the line, found `pop`"),
        ("T1: push 1 [0,1x]\n", 1, 15, "expected a time, found `1x`"),
        ("T1: push 1 [0,99999999999999999999]\n", 1, 15, "the time is not a 64-bit number"),
        ("T1: push 1 [0 1]\n", 1, 15, "expected `,`, found `1`"),
        (
            "T1: push 1 [0,1]\nT1 call pop\n",
            2,
            1,
            "a history can't mix operations with times, calls and returns, and bars",
        ),
        ("history r register\ninit 1\ninit 2\nT1: write 1 [0,1]", 3, 6, "the register has two initial values"),
        ("history s stack\ninit 1\nT1: push 1 [0,1]", 2, 6, "a stack is empty at first"),
        ("history s stack\n; push\n", 2, 1, "expected the name of a thread, found `;`"),
        ("history s stack\nT1 calls push\n", 2, 4, "expected `call` or `return`, found `calls`"),
        ("history s stack\nT1: push \"a [0,1]\n", 2, 10, "expected a value, found `\"`"),
        ("history s\n", 1, 1, "there are no operations"),
        ("T1: |-push 1 \n", 1, 14, "expected `|` and the end of the bar, found the end of the line"),
        ("T1: |-push 1-- \n", 1, 7, "the bar of the operation never ends"),
        ("T1: |-push 1-|--|\n", 1, 15, "expected a bar, found `--`"),
        ("T1: |-push 1--\nT1: |-pop-|\n", 2, 5, "the bar of line 1 does not continue here"),
        ("[1] call push 1\n[1] return\n[1 call pop\n", 3, 4, "expected `]`, found `call`"),
        ("# @object atomic-snapshot\n[1] call push 1\n", 1, 11, "`atomic-snapshot` is not a known object"),
        ("# @object atomic-stack\n[1] call push 1\n[1] ret", 3, 5, "expected `call` or `return`, found `ret`"),
        (
            "0 :invoke :push 1\n0 :info :push 1\n0 :invoke :pop nil\n",
            3,
            1,
            "process `0` calls again, but its call in line 1 ended with `:info`",
        ),
        ("0 :invoke :push 1\n0 :ok :pop 1\n", 2, 7, "the return is of another operation than the call"),
        ("0 :invoke :push 1\n0 :ok", 2, 1, "the line ends within an operation"),
        ("0 :invoke :push 1\n0 :o", 2, 1, "the line ends within an operation"),
        ("0 :invoke :push [x 1]\n1 :invoke :push 1\n", 2, 1, "the value comes without a key"),
        ("{:process 0 :type :invoke :f :push :value 1", 1, 1, "the text ends within an operation or a vector"),
        ("[{:process 0 :type :invoke :f :push :value 1}", 1, 45, "the text ends within an operation or a vector"),
        ("{:process 0 :type :invoke}", 1, 1, "the operation has no `f`"),
        ("{:process 0 :type :begin}", 1, 1, "the operation has no `type`"),
        ("{:process [0] :type :invoke :f :push}\n", 1, 1, "the operation has no `process`"),
        ("{:process 0 :type :invoke :f :push :value}\n", 1, 42, "expected an operation map"),
        (r#"{"process":0,"type":"invoke","f":"push","value":1"#, 1, 1, "the text ends within an operation"),
        (r#"[{"process":0,"type":"invoke","f":"push","value":1}"#, 1, 51, "the text ends within an array"),
        ("{\"process\":0,\"type\":\"invoke\",\"f\":\"push\",\"value\":1e30}\n", 1, 1, "the number is too large"),
        (r#"{"Input":"push 1","Call":0.5,"Return":1}"#, 1, 1, "the times of an operation are whole numbers"),
        (r#"{"Input":7,"Call":0,"Return":1}"#, 1, 1, "the operation does not say what it does"),
        ("thread,op,value,result,call,return\n1,push,1,,0\n", 2, 1, "the line has 5 cells, and the header 6"),
        (
            "thread,op,value,result,call,return\n1,push,\"1,,0,1\n",
            2,
            1,
            "a cell in quotes does not end at its separator",
        ),
        ("thread,op,value,result,call,return\n1,push,1,,0.5,1\n", 2, 11, "the time `0.5` is not a whole 64-bit number"),
        ("thread,op,value,result,call,return\n1,push,1,,,1\n", 2, 3, "the operation has no time of its call"),
        (
            "thread,op,value,result,call,return\n1,push,1,,5,4\n",
            2,
            3,
            "the operation returns at 4, before it is called at 5",
        ),
        ("x := 1 || a := x", 1, 1, "the text is not a history in a known format"),
    ] {
        let wrong = parse_history(text, &ReadOptions::default()).expect_err(text);
        let first = &wrong[0];
        assert_eq!((first.message.as_str(), first.span.line, first.span.column), (message, line, column), "{text}");
        assert!(first.help.as_ref().is_some_and(|help| !help.is_empty()), "{text}");
    }
    let text = format!(
        "{INVOKE}{{:process 1 :type :invoke :f :push :value 1 :time 5}}\n{{:process 1 :type :ok :f :push :value 1 :time 3}}"
    );
    let wrong = parse_history(&text, &ReadOptions::default()).expect_err("time runs backwards");
    assert_eq!((wrong[0].message.as_str(), wrong[0].span.line), ("time runs backwards: 3 comes after 5", 3));
}

#[test]
fn torn_lines_are_told() {
    for text in
        ["T1: push 1 [0,1]\nT2: pop 1 [2,", "T1 call push 1\nT1 re", "[1] call push 1\n[1", "0 :invoke :push 1\n0 :ok"]
    {
        let wrong = parse_history(text, &ReadOptions::default()).expect_err(text);
        assert_eq!(
            wrong[0].help.as_deref(),
            Some("the last line seems incomplete: complete it, or leave it out"),
            "{text}"
        );
    }
}

#[test]
fn there_may_be_too_many_operations_or_errors() {
    let options = ReadOptions { max_operations: 2, ..ReadOptions::default() };
    let text = "T1: push 1 [0,1]; push 2 [2,3]; push 3 [4,5]; push 4 [6,7]\n";
    let wrong = parse_history(text, &options).expect_err("there are 4");
    assert_eq!(wrong.len(), 1);
    assert_eq!((wrong[0].message.as_str(), wrong[0].span.column), ("there are more than 2 operations", 33));
    let text = "history s stack\n".to_owned() + &"T1 return\n".repeat(100);
    assert_eq!(parse_history(&text, &ReadOptions::default()).expect_err("nothing was called").len(), 20);
}

#[test]
fn other_texts_are_no_histories() {
    for text in [
        "",
        "// nothing\n",
        "x := 1 || a := x",
        "history := 1 || a := history",
        "history: w x 1",
        "trace E1\nhandler h queue\ninitial m on h: w x 1",
        "T1: w x 1; r y 0\nT2: w y 1",
        "T1: { r x 0; w x 1 }",
        "T1:\n  w x 1",
        "T1: value [1] := 2",
        "T1: push(1)",
        "execution SB\nT1: w x 1",
        "C SB\n{ x=0; }\nP0 (atomic_int* x) { }",
        "{ x=1; }\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n",
        "{\"a\": 1}",
        "[1, 2]",
        "(* a comment *)\nC SB",
        "call := 1",
        "a call",
        "a,b,c\n1,2,3",
        "series: 1",
    ] {
        assert!(!begins_history(text), "{text}");
    }
    for text in [
        "history",
        "history s stack\n",
        "// old\n\nhistory s",
        "\u{feff}history x y",
        "T1: push 1 [0,2]",
        "T1 call pop",
    ] {
        assert!(begins_history(text), "{text}");
    }
}

#[test]
fn each_word_has_its_colour() {
    let text = "history s stack // old\ninit 5\nT1: push 1 [0,2]; pop empty [3,?]; frob -1 [4,5] # c\nT2 call push (a,1)\n\
                T2 return\nT3: |-push 1--|  |-pop->\nT1: push(2) \"";
    let classes = highlight_history(text);
    let of = |class| -> Vec<&str> {
        classes.iter().filter(|(_, other)| *other == class).map(|(range, _)| &text[range.clone()]).collect()
    };
    assert_eq!(
        of(TokenClass::Keyword),
        ["history", "init", "push", "pop", "call", "push", "return", "push", "pop", "push"]
    );
    assert_eq!(of(TokenClass::Label), ["s", "T1", "T2", "T2", "T3", "T1"]);
    assert_eq!(of(TokenClass::Shared), ["5", "1", "-1", "(a,1)", "1", "2"]);
    assert_eq!(of(TokenClass::Number), ["0", "2", "3", "?", "4", "5"]);
    assert_eq!(of(TokenClass::Mode), ["stack", "empty"]);
    assert_eq!(of(TokenClass::Comment), ["// old", "# c"]);
    assert_eq!(of(TokenClass::Separator), ["|-", "--|", "|-", "->"]);
    assert_eq!(of(TokenClass::Unknown), ["frob", "\""]);
}

/// Pieces of which texts are made that nearly are histories.
const PIECES: [&str; 48] = [
    "history",
    "stack",
    "T1",
    "T2",
    ":",
    " ",
    " ",
    "\n",
    "\n",
    "call",
    "return",
    "push",
    "pop",
    "add",
    "cas",
    "inc",
    "1",
    "2",
    "empty",
    "true",
    "[",
    "]",
    "(",
    ")",
    "{",
    "}",
    ",",
    ";",
    "|-",
    "-|",
    "->",
    "\"",
    "\\",
    "#",
    "//",
    "[1]",
    ":process",
    ":type",
    ":invoke",
    ":ok",
    ":f",
    ":value",
    "\"Input\"",
    "\"Call\"",
    "thread,op,call,return\n",
    "é",
    "\u{feff}",
    "# @object stack\n",
];

fn check_no_panic(text: &str) {
    let _ = detect(text);
    for format in Format::ALL {
        let options = ReadOptions { object: Some(Object::Stack), ..ReadOptions::default() };
        if let Ok((recording, _)) = parse_history_as(format, text, &options) {
            for format in Format::ALL {
                let _ = print_history(&recording, format);
            }
        }
    }
    let mut end = 0;
    for (range, _) in highlight_history(text) {
        assert!(
            end <= range.start && range.start < range.end && text.get(range.clone()).is_some(),
            "{text:?} {range:?}"
        );
        end = range.end;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn nothing_panics(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        check_no_panic(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn nothing_that_is_nearly_a_history_panics(pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..60)) {
        check_no_panic(&pieces.concat());
    }

    #[test]
    fn nothing_that_was_a_history_panics(
        seed in any::<u64>(), kind in 0..Object::ALL.len(), format in prop::sample::select(&Format::ALL[..]),
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 0..8_usize), 1..4),
    ) {
        let history = random_history(seed, Object::ALL[kind], &PLAIN, "", 0..3);
        let text = print_history(&Recording { histories: vec![history] }, format);
        let mut text: Vec<char> = text.unwrap_or_default().chars().collect();
        for (at, length) in cuts {
            let at = at.index(text.len() + 1);
            text.drain(at..(at + length).min(text.len()));
        }
        check_no_panic(&text.into_iter().collect::<String>());
    }
}

/// Texts on which an algorithm that goes back would take hours.
#[test]
fn long_texts_take_no_longer_than_they_have_to() {
    let many = 30_000;
    let mut sections = String::new();
    let mut keys = String::new();
    for number in 0..many {
        sections += &format!("history stack\nT{number}: |-push 1-|\n");
        keys += &format!("{{:process {number} :type :invoke :f :push :value [{number} 1]}}\n");
    }
    for text in [sections, keys] {
        let (recording, _) = parse_history(&text, &ReadOptions::default()).expect("it is a history");
        assert_eq!(recording.histories.len(), many);
    }
    let quotes = "\\\"".repeat(many);
    for text in [
        format!("history s stack\nT1: |-push \"{quotes}"),
        format!("history s stack\nT1: push {}", "( ".repeat(many)),
        format!("history s stack\nT1: push {}", "\" ".repeat(many)),
        format!("history s stack\n{}", "T1 call frob\n".repeat(many)),
        format!("history s stack\n{}", "T1: push\n".repeat(many)),
        format!("{{:process 0 :type :invoke :f :push :value {}", "\\\" ".repeat(many)),
        format!("{{\"process\":0,\"type\":\"invoke\",\"f\":{quotes}"),
        format!("thread,op,call,return\n{}", "\"\"".repeat(many)),
        "{}".repeat(many),
        "{:process 0 :type :ok}".repeat(many),
    ] {
        check_no_panic(&text);
    }
}

#[test]
fn deep_nesting_is_refused() {
    for text in [
        format!("{{:process 0 :type :invoke :f :push :value {}", "[".repeat(100_000)),
        format!(
            "{{\"process\":0,\"type\":\"invoke\",\"f\":\"push\",\"value\":{}{}}}",
            "[".repeat(10_000),
            "]".repeat(10_000)
        ),
        "[".repeat(100_000),
        format!("history s stack\nT1: push {} [0,1]", "(".repeat(100_000)),
    ] {
        assert!(parse_history(&text, &ReadOptions::default()).is_err());
        check_no_panic(&text);
    }
}
