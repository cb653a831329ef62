//! `litmoscope linearize`, run as a user would.

use crate::common::run;
use serde_json::Value;

fn linearize(input: &str, options: &[&str]) -> (i32, String, String) {
    run(&[&["linearize", "-"], options].concat(), input)
}

/// Four values of which any three would be fine.
const STUCK: &str = "history S2 stack
T1: push a [0,2]; pop a [6,11]
T2: push b [1,5]; pop b [8,12]
T3: push c [3,7]; pop c [10,14]
T4: push d [4,9]; pop d [13,15]
";

#[test]
fn a_stack_is_stuck_and_four_values_say_why() {
    let (status, out, err) = linearize(STUCK, &[]);
    assert_eq!((status, err.as_str()), (1, ""));
    assert!(out.starts_with("S2 is not linearizable as a stack.\n  8 operations of 4 threads, "), "{out}");
    assert!(out.contains("None of a, b, c and d can be pushed first and popped last"), "{out}");
    assert!(out.contains("    push a returned before push c was called\n"), "{out}");
    for monitor in ["published", "fast", "search"] {
        assert_eq!(linearize(STUCK, &["--monitor", monitor, "--no-minimise"]).0, 1, "{monitor}");
    }
    let (status, out, _) = linearize(&STUCK.replace("pop d [13,15]", "pop d [12,15]").replace("[8,12]", "[8,13]"), &[]);
    assert_eq!(status, 0);
    assert!(out.starts_with("S2 is linearizable as a stack.\n"), "{out}");
}

#[test]
fn json_has_the_order_and_what_contradicts() {
    let (status, out, _) = linearize(STUCK, &["--json"]);
    let json: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((status, json["verdict"].as_str()), (1, Some("not_linearizable")));
    assert_eq!(json["violation"]["kind"], "stuck");
    assert_eq!(json["minimal"]["operations"].as_array().map(Vec::len), Some(7));
    let (status, out, _) = linearize("history q queue\nT1: enq 1 [0,1]; deq 1 [2,3]\n", &["--json"]);
    let json: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((status, json["verdict"].as_str()), (0, Some("linearizable")));
    let order = json["linearization"].as_array().expect("an order");
    let operations: Vec<&str> = order.iter().filter_map(|point| point["operation"].as_str()).collect();
    assert_eq!(operations, ["enqueue 1", "dequeue 1"]);
}

#[test]
fn recordings_of_other_tools_are_read() {
    let limo = "# @object atomic-queue\n[1] call enq 1\n[1] return\n[1] call enq 2\n[1] return\n[2] call deq\n[2] return 2\n\
                [2] call deq\n[2] return 1\n";
    let (status, out, _) = linearize(limo, &[]);
    assert_eq!(status, 1);
    assert!(out.contains("1 went in first and 2 came out first"), "{out}");
    let edn = "{:process 0, :type :invoke, :f :enqueue, :value 1}\n{:process 0, :type :ok, :f :enqueue, :value 1}\n\
               {:process 1, :type :invoke, :f :dequeue, :value nil}\n{:process 1, :type :ok, :f :dequeue, :value 1}\n";
    assert_eq!(linearize(edn, &[]).0, 0);
}

/// The rules of sets as printed accept this one.
#[test]
fn printed_rules_are_shown_beside_the_right_ones() {
    let set = "history set\nT1: add x [0,8]\nT2: remove x [1,2]; add x [3,4]; add x [5,6]; remove x [7,9]\n";
    let (status, out, _) = linearize(set, &["--as-printed"]);
    assert_eq!(status, 1);
    let printed = "The counters as printed would accept it, the greedy algorithm as printed would accept it.";
    assert!(out.contains(printed), "{out}");
}

#[test]
fn what_is_no_history_is_refused_in_place() {
    let (status, out, err) = linearize("history stack\nT1: push 1 [3,2]\n", &[]);
    assert_eq!((status, out.as_str()), (2, ""));
    assert!(err.contains("standard input:2:"), "{err}");
    assert_eq!(linearize("x := 1 || a := x", &[]).0, 2);
    assert_eq!(linearize(STUCK, &["--monitor", "nobody"]).0, 2);
    let (status, out, _) = linearize("history stack\nT1: push 1 [0,1]; push 1 [2,3]\n", &["--monitor", "fast"]);
    assert_eq!(status, 3);
    assert!(out.contains("the search would take it"), "{out}");
}

#[test]
fn the_order_is_written_to_a_file() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("order.txt");
    let path = file.to_str().expect("a path");
    let history = "history s stack\nT1: push 1 [0,3]\nT2: pop 1 [1,2]\n";
    assert_eq!(linearize(history, &["--witness", path]).0, 0);
    let order = std::fs::read_to_string(&file).expect("it was written");
    assert_eq!(order, "# s\nT1: push 1 [0,3] (line 2), after 1\nT2: pop 1 [1,2] (line 3), after 1\n");
}
