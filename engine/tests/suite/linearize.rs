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
    let queue = "history q queue\nT1: enq 1 [0,1]; deq 1 [2,3]\n";
    let (status, out, _) = linearize(queue, &["--json"]);
    let json: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((status, json["verdict"].as_str(), json.get("linearization")), (0, Some("linearizable"), None));
    let (status, out, _) = linearize(queue, &["--json", "--explain"]);
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

const PLAIN_POP: &str = include_str!("../../../public/objects/treiber-plain-pop.lit");
const ABA: &str = include_str!("../../../public/objects/treiber-aba.lit");
const TREIBER: &str = include_str!("../../../public/objects/treiber.lit");
const RING: &str = include_str!("../../../public/objects/ring-buffer.lit");

#[test]
fn an_object_of_a_program_is_judged_in_all_its_executions() {
    let (status, out, err) = linearize(PLAIN_POP, &[]);
    assert_eq!((status, err.as_str()), (1, ""));
    assert!(
        out.starts_with(
            "s is not linearizable as a stack under SC.\n  4 executions judged, as a client sees them; 1 is"
        ),
        "{out}"
    );
    assert!(out.contains("took the same value, which was inserted once"), "{out}");
    let (status, out, _) = linearize(RING, &["--model", "tso"]);
    assert_eq!(status, 0);
    assert!(out.starts_with("q is linearizable as a queue under TSO, for the calls of this program.\n"), "{out}");
    assert_eq!(linearize(RING, &["--model", "tso", "--order", "time"]).0, 1);
    assert_eq!(linearize(RING, &["--model", "pso", "--order", "client"]).0, 1);
    let (status, _, err) = linearize(RING, &["--model", "rc11", "--order", "time"]);
    assert_eq!(status, 2);
    assert!(err.contains("there is none for RC11: choose SC, TSO or PSO, or another order"), "{err}");
}

#[test]
fn distinct_histories_are_counted_whoever_judges() {
    let json = |threads: &str| {
        let options = ["--order", "time", "--unroll-spins", "--json", "--threads", threads];
        let (status, out, _) = linearize(ABA, &options);
        assert_eq!(status, 1);
        out
    };
    let one = json("1");
    let found: Value = serde_json::from_str(&one).expect("JSON");
    assert_eq!(found["histories"], serde_json::json!({ "distinct": 18, "not_linearizable": 3 }));
    assert_eq!((&found["verdict"], &found["order"]), (&"not_linearizable".into(), &"time".into()));
    let operations = found["execution"]["operations"].as_array().expect("operations");
    assert_eq!((&operations[0]["thread"], &operations[0]["operation"]), (&"before".into(), &"push 1".into()));
    assert_eq!(operations.last().map(|last| &last["thread"]), Some(&"after".into()));
    assert_eq!(found["execution"]["judged"]["verdict"], "not_linearizable");
    assert_eq!(json("3"), one);
}

#[test]
fn all_clients_up_to_a_size_are_judged_and_the_smallest_is_shown() {
    let (status, out, _) = linearize(PLAIN_POP, &["--clients", "3x3"]);
    assert_eq!(status, 1);
    assert!(
        out.contains("           2        7                 0\n           3       20                 2\n"),
        "{out}"
    );
    assert!(out.contains("  The smallest such client: push; pop || pop\n"), "{out}");
    let (_, again, _) = linearize(PLAIN_POP, &["--clients", "3x3", "--threads", "1"]);
    assert_eq!(again, out);
    let (status, out, _) = linearize(PLAIN_POP, &["--clients", "3x2", "--json"]);
    let json: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((status, &json["verdict"]), (0, &"linearizable".into()));
    let sizes = serde_json::json!([
        { "operations": 1, "clients": 2, "violating": 0, "open": 0 },
        { "operations": 2, "clients": 7, "violating": 0, "open": 0 },
    ]);
    assert_eq!(json["clients"], sizes);
}

#[test]
fn the_history_of_an_execution_is_judged_again_and_drawn() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [history, drawing] = ["history.txt", "execution.svg"].map(|name| folder.path().join(name));
    let [witness, svg] = [&history, &drawing].map(|file| file.to_str().expect("a path"));
    assert_eq!(linearize(ABA, &["--order", "time", "--witness", witness, "--svg", svg]).0, 1);
    let text = std::fs::read_to_string(&history).expect("it was written");
    let (status, out, _) = linearize(&text, &[]);
    assert_eq!(status, 1);
    assert!(out.starts_with("s is not linearizable as a stack.\n"), "{out}\n{text}");
    let drawn = std::fs::read_to_string(&drawing).expect("it was written");
    assert!(drawn.starts_with("<svg") && drawn.contains(">after<") && drawn.contains("join(P0)"), "{drawn}");
}

#[test]
fn what_is_cut_is_bounded_and_what_is_stopped_unknown() {
    let again = "object s: stack {\nshared x\npush(n) { repeat { x := n; r := x } until r = n }\npop() { return empty }\n}\n\
                 s.push(1) || s.push(2)\n";
    let (status, out, _) = linearize(again, &["--unroll", "2"]);
    assert_eq!(status, 3);
    assert!(out.contains("as far as it was explored") && out.contains("--unroll sets the bound"), "{out}");
    let (status, out, _) = linearize(again, &["--unroll", "2", "--json", "--clients", "2x2"]);
    let json: Value = serde_json::from_str(&out).expect("JSON");
    assert_ne!((status, &json["verdict"]), (0, &"linearizable".into()));
    // No machine gets to the end of these.
    let (object, _) = TREIBER.split_once("\n}\n").expect("an object and its client");
    let threads = (1..5).map(|n| format!("s.push({n}); a := s.pop(); s.push({}); b := s.pop()", n + 4));
    let many = format!("{object}\n}}\n{}\n", threads.collect::<Vec<_>>().join(" || "));
    let (status, out, _) = linearize(&many, &["--timeout", "0.05"]);
    assert_eq!(status, 3, "{out}");
    assert!(out.starts_with("Whether s is linearizable as a stack under SC is unknown: "), "{out}");
    let (status, out, _) = linearize(ABA, &["--search-limit", "1000"]);
    assert_eq!(status, 3, "{out}");
    assert!(out.contains("--search-limit sets it"), "{out}");
}

#[test]
fn options_of_the_other_kind_are_refused_with_a_way_out() {
    for (text, options, expected) in [
        (
            STUCK,
            &["--clients", "3x4"][..],
            "--clients is for programs with an object, and standard input is a recording",
        ),
        (RING, &["--monitor", "fast"], "--monitor is for recordings, and standard input is a program"),
        (RING, &["--object", "stack"], "--object is for recordings"),
        (RING, &["--clients", "3"], "the most threads and the most operations in total"),
        ("x := 1 || a := x", &[], "is a program without an object: declare one, as `object s: stack"),
        (
            "shared x\nhandler h queue\nobject s: stack { shared t\n push(n) { t := n } }\ninitial h.m\nmessage m on h { s.push(1) }\n",
            &[],
            "objects of programs with handlers can't be judged",
        ),
    ] {
        let (status, _, err) = linearize(text, options);
        assert_eq!(status, 2, "{err}");
        assert!(err.contains(expected), "{err}");
    }
}

#[test]
fn histories_are_drawn() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("history.svg");
    let path = file.to_str().expect("a path");
    assert_eq!(linearize(STUCK, &["--svg", path]).0, 1);
    let drawn = std::fs::read_to_string(&file).expect("it is there");
    assert!(drawn.contains(">S2</text>") && drawn.contains(">These operations contradict each other</text>"));
    assert_eq!(drawn.matches(">push a</text>").count(), 2);
    assert_eq!(linearize("history <q> queue\nT1: enq 1 [0,1]; deq 1 [2,3]\n", &["--svg", path]).0, 0);
    let drawn = std::fs::read_to_string(&file).expect("it is there");
    assert!(drawn.contains("&lt;q&gt;") && drawn.matches("<circle").count() == 2, "{drawn}");
    let long: String = (0..500).map(|n| format!("T1: push {n} [{n},{n}]\n")).collect();
    let (status, _, err) = linearize(&format!("history stack\n{long}"), &["--svg", path]);
    assert_eq!(status, 2);
    assert!(err.contains("more than 400 operations") && err.contains("there is nothing to draw"), "{err}");
}

/// What an operation that waits in vain has done may be wrong, and what its thread goes on to do may make up for that. So none of these
/// executions is left out.
#[test]
fn histories_of_threads_that_wait_in_vain_are_judged() {
    let text = "shared f
object c: counter {
  shared n
  inc(v) { n := 2; while f = 0 { } }
  read() { r := n; return r }
}
c.inc(1); c.inc(1) || a := c.read() || f := 1
";
    let (status, out, _) = linearize(text, &["--order", "hb"]);
    assert_eq!(status, 1);
    assert!(out.contains("1 is not linearizable; 2 blocked"), "{out}");
    assert!(out.contains("Execution 1, which is blocked, is not linearizable as a counter."), "{out}");
}
