//! `litmoscope schedule`, run as a user would.

use crate::common::run;
use serde_json::Value;

fn verify(input: &str, options: &[&str]) -> (i32, String, String) {
    run(&[&["schedule", "verify", "-"], options].concat(), input)
}

const LOCKS: &str =
    "shared a, b\nwhile 1 { lock a; lock b; unlock b; unlock a }\n||\nwhile 1 { lock b; lock a; unlock a; unlock b }";

#[test]
fn verdicts_have_their_exit_statuses() {
    let (status, out, err) = verify(LOCKS, &[]);
    assert_eq!((status, err.as_str()), (1, ""));
    assert!(
        out.contains("\nA deadlock after 2 steps: P0 at `lock b` and P1 at `lock a` wait for each other.\n"),
        "{out}"
    );
    assert!(out.ends_with(
        "\nPartially safe: some schedules lead to an error or a deadlock, and those that were found never do.\n"
    ));
    let (status, out, _) = verify("shared m\nwhile 1 { lock m; unlock m } || while 1 { lock m; unlock m }", &[]);
    assert_eq!(status, 0);
    assert!(out.ends_with("\nSafe: no schedule leads to an error or a deadlock, whatever the inputs are.\n"), "{out}");
    let (status, out, _) = verify("shared x\na := input 0..3; assert a < 3", &[]);
    assert_eq!(status, 1);
    assert!(
        out.contains(
            "An error after 1 step: P0 goes wrong at `assert a < 3`.\n    P0  a := input 0..3, given 3  (line 2)\n"
        ),
        "{out}"
    );
    assert!(
        out.ends_with("\nUnsafe: some schedules lead to an error or a deadlock, and none was found that never does.\n"),
        "{out}"
    );
    let (status, out, _) = verify(LOCKS, &["--iterations", "1"]);
    assert_eq!(status, 3);
    assert!(
        out.ends_with("\nBounded: there were as many iterations as there may be, and not all was looked at.\n"),
        "{out}"
    );
    // What is looked at depends on an input with too many values to look at each.
    let (status, out, _) = verify("shared x = input 0..100\nassert x < 101; a := input 0..100; assert a < 101", &[]);
    assert_eq!(status, 3);
    assert!(
        out.ends_with(
            "\nBounded: a question was given up at its limit, or an input has too many values to look at each.\n"
        ),
        "{out}"
    );
}

#[test]
fn a_result_is_an_object() {
    let (status, out, _) = verify(LOCKS, &["--json"]);
    assert_eq!(status, 1);
    let json: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(json["verdict"], "partially safe");
    assert_eq!(json["results"][0]["order"], serde_json::json!(["P0", "P1"]));
    assert_eq!(
        (json["results"][0]["nodes"].as_u64(), json["results"][0]["label"].as_str()),
        (Some(9), Some("a = 0 and b = 0"))
    );
    let step = &json["counterexamples"][0]["steps"][1];
    assert_eq!(
        (step["thread"].as_str(), step["event"].as_str(), step["line"].as_u64()),
        (Some("P1"), Some("lock b"), Some(4))
    );
}

#[test]
fn what_has_no_schedules_is_said_with_its_place() {
    for (text, place, message) in [
        ("shared x\nx := 1\nwhile 1 { r := r + 1 }", "3:1", "this loop never ends"),
        ("shared x = ?\nx := 1", "", "`x` has no value at the start"),
        (
            "handler h queue\nmessage m on h { skip }\ninitial h.m",
            "",
            "programs with handlers have no transition system here",
        ),
        ("shared x\natomic { lock x; unlock x }", "2:10", "`lock` can't be within `atomic`"),
        ("shared x = input 0..1\nassuming x = 2\na := x", "", "nothing can begin"),
        ("model tso\nshared x\nx := 1 || a := x", "1:7", "schedules are proven right for SC"),
    ] {
        let (status, out, err) = verify(text, &[]);
        assert_eq!((status, out.as_str()), (2, ""), "{text}\n{err}");
        assert!(err.contains(message) && err.contains(place), "{text}\n{err}");
    }
}

#[test]
fn addresses_have_their_names() {
    let text = "shared u, v, x = input {&u, &v}\nwhile 1 { atomic { *x := 1 - *x }; a := u; assert a = 0 }";
    let (status, out, err) = verify(text, &[]);
    assert_eq!((status, err.as_str()), (1, ""), "{out}");
    assert!(out.contains("at the start x = &u\n") && !out.contains("76966"), "{out}");
}

#[test]
fn explorers_know_inputs_or_say_who_does() {
    for (text, count) in [
        ("shared x\na := input 0..3", 4),
        ("shared x = input 0..1\na := x", 2),
        ("shared x\nassuming x = 0\na := x", 1),
        ("shared x\natomic { x := 1; x := 2 } || a := x", 2),
    ] {
        let (status, out, err) = run(&["explore", "-"], text);
        assert_eq!((status, err.as_str()), (0, ""), "{text}");
        assert!(out.contains(&format!("executions: {count} complete, 0 blocked")), "{text}\n{out}");
    }
    for (arguments, message) in [
        (&["--algorithm", "rvf_smc"][..], "GenMC, GenMC (co), TruSt, TruSt (co), Brute force and Sampling do"),
        (&["--algorithm", "trust"], "GenMC (co) does, and the lab Schedules and `litmoscope schedule` know it"),
        (&["--model", "tso"], "is one step under SC alone: choose it"),
    ] {
        let text = if arguments[1] == "rvf_smc" { "a := input 0..3" } else { "shared x\natomic { x := 1 }" };
        let (status, _, err) = run(&[&["explore", "-"], arguments].concat(), text);
        assert_eq!(status, 2, "{text}\n{err}");
        assert!(err.contains(message), "{text}\n{err}");
    }
}

#[test]
fn what_is_saved_can_be_checked_and_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (program, saved, by_hand) = (path("locks.lit"), path("locks.json"), path("hand.json"));
    std::fs::write(&program, LOCKS).expect("it is written");
    let (status, _, err) = run(&["schedule", "verify", &program, "--iterations", "1", "--save", &saved], "");
    assert_eq!((status, err.as_str()), (3, ""));
    let (status, out, _) = run(&["schedule", "check", &program, &saved], "");
    assert_eq!(status, 0);
    assert_eq!(out, "safe: yes\nrealizable: yes\nfree of deadlocks: yes\nadmits fairness: yes\nfair: yes\n");
    // Whoever always lets the first thread run starves the other one. Only its first step is constrained here.
    std::fs::write(&by_hand, r#"{"litmoscope_ivr":1,"nodes":[{"allow":["P0"],"next":[{"thread":"P0","to":0}]}]}"#)
        .expect("it is written");
    let (status, out, _) = run(&["schedule", "check", &program, &by_hand], "");
    assert_eq!(status, 1);
    assert!(
        out.starts_with("safe: yes\nrealizable: yes\nfree of deadlocks: yes\nadmits fairness: no, P1 could go on"),
        "{out}"
    );
    let (status, _, err) = run(&["schedule", "check", "-", &saved], "shared a\na := 1");
    assert_eq!(status, 2);
    assert!(err.contains("this was saved for another program"), "{err}");
    for opt in ["0", "1", "2"] {
        let options = ["--result", &saved, "--opt", opt, "--seconds", "0.05", "--monitor"];
        let (status, out, err) = run(&[&["schedule", "run", &program], &options[..]].concat(), "");
        assert_eq!((status, err.as_str()), (0, ""), "{out}");
        assert!(
            out.starts_with("P0: ") && out.ends_with("\nStopped as its time was up: nothing went wrong.\n"),
            "{out}"
        );
    }
    let (status, _, err) = run(&["schedule", "run", &program, "--result", &by_hand], "");
    assert_eq!(status, 2);
    assert!(err.contains("has no tree: what was written by hand can be checked, but not run or exported"), "{err}");
}

#[test]
fn programs_of_real_threads_are_written() {
    for (to, main) in [("rust", "fn main()"), ("c", "int main(")] {
        for option in [&[][..], &["--counterexample"], &["--unconstrained"], &["--opt", "2"]] {
            let (status, out, err) = run(&[&["schedule", "export", "-", "--to", to], option].concat(), LOCKS);
            assert_eq!((status, err.as_str()), (0, ""));
            assert!(out.contains(main) && out.contains("lock a"), "{to} {option:?}");
        }
    }
    let (status, out, _) = run(&["schedule", "export", "-", "--to", "json"], LOCKS);
    assert_eq!(status, 0);
    let json: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((json["litmoscope_ivr"].as_u64(), json["tree"].as_array().map(Vec::len)), (Some(1), Some(9)));
    let safe = "shared m\nwhile 1 { lock m; unlock m }";
    let (status, _, err) = run(&["schedule", "export", "-", "--to", "c", "--counterexample"], safe);
    assert_eq!(status, 2);
    assert!(err.contains("no run that goes wrong was found"), "{err}");
}

/// A program of `public/schedules/`.
fn published(name: &str) -> String {
    format!("{}/../public/schedules/{name}.lit", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn constraints_are_dropped_one_at_a_time() {
    let file = published("increments");
    let (status, out, err) = run(&["schedule", "trace", &file], "");
    assert_eq!((status, err.as_str()), (1, ""));
    assert!(out.starts_with("A trace has 2 constraints, by which 1 thread waits:\n    P0 `"), "{out}");
    assert!(out.contains(", if x = y\n") && out.contains("\nKept: P0 `"), "{out}");
    assert!(
        out.ends_with("\nPartially safe: no run goes wrong that keeps to the constraints that are left.\n"),
        "{out}"
    );
    let text = "shared x, y\nx := 1; y := 1 || r := x; s := y";
    let (status, out, _) = run(&["schedule", "trace", "-"], text);
    assert_eq!(status, 0);
    assert!(out.starts_with("A trace has 2 constraints, by which 1 thread waits:\n"), "{out}");
    assert!(out.ends_with("\nSafe: no constraint is left, and no run goes wrong, whatever the inputs are.\n"), "{out}");
    for strategy in ["few-wait-often", "many-wait-rarely", "latest-first"] {
        let options = ["schedule", "trace", "-", "--strategy", strategy, "--drops", "1"];
        let (status, out, _) = run(&options, text);
        assert_eq!((status, out.matches("dropped: ").count()), (3, 1), "{out}");
        assert!(out.ends_with("\nBounded: it was stopped before each constraint was looked at.\n"), "{out}");
    }
    let (status, out, _) = run(&["schedule", "trace", "-"], "shared x\nx := 1; error || x := 2");
    assert_eq!(status, 1);
    assert_eq!(out, "Unsafe: each trace that was looked at goes wrong, for some inputs.\n");
    let (status, _, err) = run(&["schedule", "trace", "-"], "shared x\nwhile 1 { x := 1 }");
    assert_eq!(status, 2);
    assert!(err.contains("only programs whose threads end have traces here"), "{err}");
}

#[test]
fn a_trace_is_an_object() {
    let indexer = published("indexer-15");
    let (status, out, _) = run(&["schedule", "trace", &indexer, "--drops", "3", "--json"], "");
    assert_eq!(status, 3);
    let json: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((json["verdict"].as_str(), json["strategy"].as_str()), (Some("bounded"), Some("few-wait-often")));
    assert_eq!(json["constraints"].as_array().map(Vec::len), Some(12));
    let steps = json["steps"].as_array().expect("steps");
    let numbers: Vec<_> = steps.iter().map(|step| (step["constraints"].as_u64(), step["traces"].as_u64())).collect();
    let expected = [(12, 1), (11, 2), (10, 4), (9, 8)];
    assert_eq!(numbers, expected.map(|(constraints, traces)| (Some(constraints), Some(traces))));
    let (_, out, _) = run(&["schedule", "trace", &published("increments"), "--json"], "");
    let json: Value = serde_json::from_str(&out).expect("JSON");
    let kept = &json["kept"][0];
    assert_eq!(kept["outcome"]["is"], "error");
    assert_eq!((kept["inputs"][0][0].as_str(), kept["events"].as_array().map(Vec::len)), (Some("x"), Some(5)));
}

#[test]
fn all_schedules_are_looked_at_at_once() {
    let (status, out, err) = verify(LOCKS, &["--complete"]);
    assert_eq!((status, err.as_str()), (1, ""));
    assert!(out.starts_with("A deadlock after 2 steps: "), "{out}");
    assert!(
        out.ends_with("\nA schedule goes wrong. Whether others never do was not looked at, as `--complete` says.\n"),
        "{out}"
    );
    let (status, out, _) = run(&["schedule", "verify", &published("pc-2"), "--complete"], "");
    assert_eq!(status, 0);
    assert_eq!(out, "Safe: no schedule leads to an error or a deadlock, whatever the inputs are.\n");
    let (status, _, err) = verify(LOCKS, &["--complete", "--iterations", "2"]);
    assert_eq!(status, 2);
    assert!(err.contains("cannot be used with"), "{err}");
}

#[test]
fn both_back_ends_say_the_same() {
    for name in ["pc-err-2", "double-lock", "file-system-useful", "barrier"] {
        let of = |kind| {
            let (status, out, err) = run(&["schedule", "verify", &published(name), "--back-end", kind, "--json"], "");
            let json: Value = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}{err}"));
            // Trees may differ: each back-end finds ranges in its own way, and what is covered depends on them.
            (status, json["verdict"].clone())
        };
        assert_eq!(of("formulas"), of("sets"), "{name}");
    }
    let (status, _, err) = verify("shared x\nwhile 1 { fai(x) }", &["--back-end", "sets"]);
    assert_eq!(status, 2);
    assert!(err.contains("valuations in all") && err.contains("verify with `--back-end formulas`"), "{err}");
    // Inputs with many values.
    let (status, out, _) =
        verify("shared x = input 0..100\nassert x < 101; a := input 0..100; assert a < 101", &["--back-end", "sets"]);
    assert_eq!(status, 0, "{out}");
}

#[test]
fn trees_are_written_for_graphviz() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("tree.dot").display().to_string();
    let (status, _, err) = verify(LOCKS, &["--iterations", "3", "--dot", &file]);
    assert_eq!((status, err.as_str()), (1, ""));
    let dot = std::fs::read_to_string(&file).expect("it was written");
    // What is proven, wrong and not yet known, each by its border; coverings; and threads that were not tried.
    for part in
        ["digraph \"tree\" {\n", "penwidth=2.5", "peripheries=2", "dotted", "style=dashed", "a = 0 and b = 0", "?\""]
    {
        assert!(dot.contains(part), "{part}\n{dot}");
    }
    assert!(dot.ends_with("}\n"));
    let (status, out, _) = run(&["schedule", "export", "-", "--to", "dot"], LOCKS);
    assert_eq!(status, 0);
    assert!(out.starts_with("digraph \"schedules\" {\n") && out.contains("P0: lock a (line 2)"), "{out}");
    assert_eq!((out.matches("style=rounded").count(), out.matches("style=dashed").count()), (9, 1), "{out}");
    let (status, _, err) = run(&["schedule", "export", "-", "--to", "dot", "--counterexample"], LOCKS);
    assert_eq!(status, 2);
    assert!(err.contains("JSON and trees are for schedules that are proven right alone"), "{err}");
}

#[test]
fn a_program_runs_while_it_is_verified() {
    let file = published("pc-2p2c-1000");
    let options = ["schedule", "run", &file, "--while-verifying", "--monitor", "--seconds", "0.2"];
    let (status, out, err) = run(&options, "");
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    assert!(out.contains("\nThe verifier found ") && out.contains(" took over during the run; it "), "{out}");
    assert!(out.ends_with("\nStopped as its time was up: nothing went wrong.\n"), "{out}");
    let (status, out, _) = run(&["schedule", "run", "-", "--while-verifying"], "shared x\nx := 1; error || x := 2");
    assert_eq!(status, 3);
    assert!(out.starts_with("No schedule is proven right"), "{out}");
    let (status, _, err) = run(&["schedule", "run", "-", "--while-verifying", "--unconstrained"], LOCKS);
    assert_eq!(status, 2);
    assert!(err.contains("cannot be used with"), "{err}");
}
