//! The command line, run as a user would.

use crate::common::run;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

const SB: &str = "shared x, y\nx := 1; a := y || y := 1; b := x\nexists (P0:a = 0 /\\ P1:b = 0)\n";
/// A loop whose rounds differ, so that the bound cuts it.
const LOOP: &str = "x := 1 ||\n  n := 0\n  repeat { n := n + 1; a := x } until a = 1 and n > 0";
/// One that only waits.
const SPIN: &str = "x := 1 ||\n  repeat { a := x } until a = 1";
const MP_ASSERT: &str = "shared x, y\nx := 1\ny := 1\n||\nassume acq y = 1\n  assert x = 1\n";

fn explore(input: &str, options: &[&str]) -> (i32, String, String) {
    run(&[&["explore", "-"], options].concat(), input)
}

/// The JSON object, which has to be all of the output, and the exit status.
fn explore_json(input: &str, options: &[&str]) -> (i32, Value) {
    let (status, out, err) = explore(input, &[&["--json"], options].concat());
    assert_eq!(out.lines().count(), 1, "{out}{err}");
    (status, serde_json::from_str(&out).expect("JSON"))
}

fn count(input: &str, model: &str) -> u64 {
    let (_, json) = explore_json(input, &["--model", model]);
    assert_eq!(json["explored"]["duplicates"], 0);
    ["complete", "blocked", "erroneous"].iter().map(|kind| json["executions"][kind].as_u64().expect("a number")).sum()
}

#[test]
fn counts_of_named_programs() {
    for (text, [sc, tso, rc11]) in [
        ("x := 1 || a := x; if a = 0 then y := 1 || x := 2", [3, 3, 3]),
        (SB, [3, 4, 4]),
        ("x := 1; y := 1 || a := y; b := x", [3, 3, 4]),
        ("x := 1 || y := 1 || a :=acq x; b :=acq y || c :=acq y; d :=acq x", [15, 15, 16]),
        ("x := 1; a := y || y := 1; b := z || z := 1; c := x", [7, 8, 8]),
        ("x := 1; fai(x) || x := 10; fai(x) || fai(x) || fai(x)", [150, 150, 150]),
        ("fai(x) || fai(x) || fai(x) || fai(x) || fai(x)", [120, 120, 120]),
    ] {
        assert_eq!([count(text, "sc"), count(text, "tso"), count(text, "rc11")], [sc, tso, rc11], "{text}");
    }
}

#[test]
fn exit_statuses() {
    let status = |input: &str, options: &[&str]| explore(input, options).0;
    assert_eq!(status(SB, &["--model", "tso"]), 0);
    // Whichever answer a question has. A refuted condition, a failed assertion, a race.
    assert_eq!(status(SB, &["--model", "sc"]), 0);
    assert_eq!(status(&SB.replace("exists", "~exists"), &["--model", "sc"]), 0);
    assert_eq!(status(&SB.replace("exists", "~exists"), &["--model", "tso"]), 1);
    assert_eq!(status(&SB.replace("exists", "forall"), &["--model", "sc"]), 1);
    assert_eq!(status(MP_ASSERT, &["--model", "rc11"]), 1);
    assert_eq!(status("x :=na 1 || x :=na 2", &["--model", "rc11"]), 1);
    assert_eq!(status("x := ", &[]), 2);
    assert_eq!(status(SB, &["--model", "none"]), 2);
    assert_eq!(status(SB, &["--unroll", "0"]), 2);
    assert_eq!(status(SB, &["--what"]), 2);
    assert_eq!(run(&[], "").0, 2);
    assert_eq!(run(&["--help"], "").0, 0);
    assert_eq!(status(LOOP, &[]), 3);
    // Beyond the bound there may be errors, whatever is known of the condition.
    assert_eq!(status(&format!("{LOOP} exists (x = 1)"), &[]), 3);
    assert_eq!(status(&format!("{LOOP} ~exists (x = 1)"), &[]), 1);
    assert_eq!(status(&format!("{LOOP} exists (x = 2)"), &[]), 3);
}

/// A read that nobody wrote for is an error in every model, found by every algorithm.
#[test]
fn reads_of_what_nobody_wrote_are_errors() {
    let text = "shared x = ?, y\nx := 1; y :=rel 1\n||\na :=acq y; if a = 1 { b := x } else { skip }";
    let naive = "shared x = ?\nx := 1\n||\na := x";
    for algorithm in ["genmc", "brute_force"] {
        for model in ["sc", "tso", "sra", "ra", "wra", "rc11"] {
            let options = ["--model", model, "--algorithm", algorithm];
            assert_eq!(explore_json(text, &options).0, 0, "{model}");
            let (status, json) = explore_json(naive, &options);
            assert_eq!((status, &json["executions"]["erroneous"]), (1, &json!(1)), "{model}");
            assert_eq!(
                json["errors"],
                json!([{ "kind": "uninitialised_read", "message": "x is read before anything was written to it",
                         "line": 4, "column": 6, "count": 1 }])
            );
        }
        assert_eq!(explore_json(text, &["--model", "pso", "--algorithm", algorithm]).0, 1);
    }
    let (_, out, _) = explore(naive, &[]);
    assert!(out.contains("error: x is read before anything was written to it at line 4, column 6"), "{out}");
    assert!(out.contains("the execution of the first read of a location that was not written:\n[x=?]"), "{out}");
}

/// Loops that wait need no bound, and a note says which they are.
#[test]
fn spin_loops_are_assumptions() {
    let (status, out, err) = explore(SPIN, &["--unroll", "1"]);
    assert!(status == 0 && out.contains("executions: 1 complete, 0 blocked"), "{out}");
    let (status, out, _) = explore(SPIN, &["--unroll", "1", "--count-blocked"]);
    assert!(status == 0 && out.contains("executions: 1 complete, 1 blocked"), "{out}");
    assert!(err.contains("2:21: note: this loop waits"), "{err}");
    let (status, out, err) = explore(SPIN, &["--unroll", "2", "--unroll-spins"]);
    assert!(status == 3 && out.contains("the loop at line 2 goes beyond its bound of 2 rounds"), "{out}");
    assert!(!err.contains("this loop waits"), "{err}");
    assert!(!explore(LOOP, &[]).2.contains("this loop waits"));
}

#[test]
fn json_has_its_documented_shape() {
    let (status, mut json) = explore_json(SB, &["--model", "tso", "--algorithm", "genmc"]);
    assert_eq!(status, 0);
    assert!(json["seconds"].take().as_f64().expect("a number") >= 0.0);
    assert_eq!(
        json,
        json!({
            "program": "",
            "model": "tso",
            "algorithm": "genmc",
            "verdict": "ok",
            "bounded": false,
            "interrupted": null,
            "estimate": null,
            "executions": { "complete": 4, "blocked": 0, "erroneous": 0, "stuck_for_good": 0, "plain": 4 },
            "explored": { "steps": 19, "revisits": 3, "dropped": 0, "duplicates": 0 },
            "condition": {
                "kind": "exists",
                "text": "exists (P0:a = 0 /\\ P1:b = 0)",
                "holds": true,
                "answer": "allowed",
                "witnesses": 1
            },
            "outcomes": [
                { "state": { "P0:a": 0, "P1:b": 0 }, "count": 1 },
                { "state": { "P0:a": 0, "P1:b": 1 }, "count": 1 },
                { "state": { "P0:a": 1, "P1:b": 0 }, "count": 1 },
                { "state": { "P0:a": 1, "P1:b": 1 }, "count": 1 },
            ],
            "too_many_outcomes": false,
            "errors": [],
            "cuts": [],
            "races_checked": false,
            "stuck_loops_checked": true,
            "seconds": null
        })
    );
    // In this order, too.
    let (_, out, _) = explore(SB, &["--json"]);
    let keys =
        ["program", "model", "algorithm", "verdict", "bounded", "executions", "explored", "condition", "outcomes"];
    let places: Vec<_> = keys.iter().map(|key| out.find(&format!("\"{key}\":")).expect("the key")).collect();
    assert!(places.is_sorted(), "{out}");
}

#[test]
fn json_names_conditions_and_errors() {
    let kind = |condition: &str| {
        let (_, json) = explore_json(&format!("x := 1 || a := x {condition} (P1:a = 1)"), &[]);
        (json["condition"]["kind"].clone(), json["condition"]["holds"].clone(), json["condition"]["witnesses"].clone())
    };
    assert_eq!(kind("exists"), (json!("exists"), json!(true), json!(1)));
    assert_eq!(kind("~exists"), (json!("not_exists"), json!(false), json!(1)));
    assert_eq!(kind("forall"), (json!("forall"), json!(false), json!(1)));

    let (status, json) = explore_json(MP_ASSERT, &["--model", "rc11"]);
    assert_eq!((status, &json["verdict"], &json["condition"]), (1, &json!("violated"), &Value::Null));
    assert_eq!(
        json["executions"],
        json!({ "complete": 1, "blocked": 0, "erroneous": 1, "stuck_for_good": 0, "plain": 2 })
    );
    assert_eq!(json["explored"]["left_out"], 1);
    let (_, all) = explore_json(MP_ASSERT, &["--model", "rc11", "--count-blocked"]);
    assert_eq!((&all["executions"]["blocked"], &all["explored"]["left_out"]), (&json!(1), &Value::Null));
    assert_eq!(
        json["errors"],
        json!([{ "kind": "assertion_violated", "message": "assertion violated", "line": 6, "column": 3, "count": 1 }])
    );
    let (_, json) = explore_json("x :=na 1 ||\n x :=na 2", &["--model", "rc11"]);
    assert_eq!(
        json["errors"],
        json!([{ "kind": "data_race", "message": "data race", "line": 1, "column": 1,
                 "second": { "line": 2, "column": 2 }, "count": 1 }])
    );
    let kind = |text| explore_json(text, &[]).1["errors"][0]["kind"].clone();
    assert_eq!(kind("a := x; b := 1 / a || y := 1"), "division_by_zero");
    assert_eq!(kind("shared q[2], x\na := x; q[a - 1] := 1"), "out_of_bounds");
    assert_eq!(kind("C a\n{}\nP0 (int* x) { int a = 2147483647; *x = a + 1; }"), "signed_overflow");
    assert_eq!(kind("C a\n{}\nP0 (int* x) { int a = 32; *x = 1 << a; }"), "shift_out_of_range");
    // Beyond 63 bits, a number is one all the same.
    let (_, json) = explore_json("C a\n{}\nP0 (unsigned long* x) { *x = -1; }\nlocations [x;]", &[]);
    assert_eq!(json["outcomes"], json!([{ "state": { "x": u64::MAX }, "count": 1 }]));

    let (_, json) = explore_json(LOOP, &["--unroll", "2"]);
    assert_eq!((&json["verdict"], &json["bounded"]), (&json!("bounded"), &json!(true)));
    assert_eq!(json["cuts"], json!([{ "bound": "unroll", "limit": 2, "line": 3, "column": 33, "executions": 1 }]));
    assert_eq!(json["races_checked"], false);
    assert_eq!(explore_json(SB, &["--model", "rc11"]).1["races_checked"], true);
    assert_eq!(explore_json(SB, &["--model", "rc11", "--no-races"]).1["races_checked"], false);
}

#[test]
fn states_hold_what_is_asked_for() {
    // As printed: the order counts.
    let state = |text: &str| {
        let (_, out, _) = explore(text, &["--json"]);
        let (_, state) = out.split_once("\"state\":").expect("a state");
        format!("{}}}", state.split_once('}').expect("an object").0)
    };
    // Everything where nothing is asked for.
    assert_eq!(state("shared x, q[2]\na := 5; q[1] := 2 || skip"), r#"{"P0:a":5,"x":0,"q[0]":0,"q[1]":2}"#);
    assert_eq!(state("shared x, y\nx := 1; a := 2; y := 3 || skip\nexists (x = 1)"), r#"{"x":1}"#);
    assert_eq!(
        state("shared x, y\nx := 1; a := 2; y := 3 || skip\nlocations [P0:a; y] exists (x = 1)"),
        r#"{"P0:a":2,"x":1,"y":3}"#
    );
}

#[test]
fn all_notations_are_recognised_on_standard_input() {
    let c = "C MP\n{}\nP0 (atomic_int* x) { atomic_store_explicit(x, 1, memory_order_relaxed); }\n\
             P1 (atomic_int* x) { int r0 = atomic_load_explicit(x, memory_order_relaxed); }\nexists (1:r0=1)\n";
    let (status, json) = explore_json(c, &[]);
    assert_eq!((status, &json["program"]), (0, &json!("MP")));
    assert_eq!(json["outcomes"][1], json!({ "state": { "P1:r0": 1 }, "count": 1 }));
    let x86 = "X86_64 SB\n{}\n P0 | P1 ;\n movl $1,(x) | movl $1,(y) ;\n movl (y),%eax | movl (x),%eax ;\n\
               exists (0:rax=0 /\\ 1:rax=0)\n";
    let (_, json) = explore_json(x86, &[]);
    assert_eq!((&json["model"], &json["condition"]["answer"]), (&json!("tso"), &json!("allowed")));
    let x86 = "X86 SB\n{}\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\n\
               exists (0:EAX=0 /\\ 1:EAX=0)\n";
    let (_, json) = explore_json(x86, &["--model", "sc"]);
    assert_eq!((&json["model"], &json["condition"]["answer"]), (&json!("sc"), &json!("forbidden")));
    assert_eq!(explore_json(c, &[]).1["model"], "rc11");
    assert_eq!(explore_json(SB, &[]).1["model"], "sc");
    // It is said, unless somebody has chosen.
    assert!(explore(x86, &[]).2.contains("1:1: note: the model is TSO, since this is x86 code"));
    assert!(explore(c, &[]).2.contains("1:1: note: the model is RC11, since this is C"));
    assert!(!explore(x86, &["--model", "tso"]).2.contains("the model is"));
    let (status, out, err) = run(&["why-not", "-"], x86);
    assert!(status == 0 && out.contains("TSO") && err.contains("since this is x86 code"), "{out}{err}");
}

#[test]
fn files_are_told_apart_by_ending_and_first_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("a file");
        path.to_str().expect("UTF-8").to_owned()
    };
    let sb = write("store buffering.lit", SB);
    let (status, out, _) = run(&["explore", &sb, "--json"], "");
    assert_eq!(status, 0);
    assert!(out.contains(r#""program":"store buffering""#), "{out}");
    let c = write(
        "a.litmus",
        "C named\n{}\nP0 (atomic_int* x) { atomic_store_explicit(x, 1, memory_order_relaxed); }\n\nexists (x=1)",
    );
    let (status, out, _) = run(&["explore", &c, "--json"], "");
    assert_eq!(status, 0);
    assert!(out.contains(r#""program":"named""#), "{out}");
    // The ending says what the text is meant to be.
    let wrong = write("wrong.lit", "C named\n{}\nP0 (atomic_int* x) { }\n\nexists (x=1)");
    assert_eq!(run(&["explore", &wrong], "").0, 2);
}

#[test]
fn warnings_are_errors_if_strict() {
    let text = "C t\n{}\nP0 (atomic_int* x) { atomic_store_explicit(x, 1, memory_order_acquire); }\nexists (x=1)\n";
    assert_eq!(explore(text, &["--json"]).0, 0);
    for command in ["explore", "check", "compare"] {
        let (status, _, err) = run(&[command, "-", "--strict"], text);
        let said = "error: C11 does not have a store with this order: it is read as `memory_order_relaxed`";
        assert!(status == 2 && err.contains(said), "{command}: {status} {err}");
    }
    assert_eq!(run(&["--strict", "explore", "-"], SB).0, 0);
}

#[test]
fn threads_of_others_keep_their_numbers() {
    let text = "X86 SB \"Fre PodWR\"\n{ };\n P2          | P3          ;\n MOV [x],$1  | MOV [y],$1  ;\n MOV EAX,[y] | MOV EAX,[x] ;\n\
                exists (2:EAX=0 /\\ 3:EAX=0)\n";
    let (status, out, err) = explore(text, &["--model", "tso"]);
    assert_eq!(status, 0, "{err}");
    assert!(out.contains("P2:EAX  P3:EAX") && out.contains("rf: init y → P2.2"), "{out}");
    let (_, json) = explore_json(text, &["--model", "tso"]);
    assert_eq!(json["program"], "SB");
    assert!(json.to_string().contains("P3:EAX"), "{json}");
}

#[test]
fn the_model_comes_from_the_option_then_the_text() {
    let text = format!("model tso\n{SB}");
    assert_eq!(explore_json(&text, &[]).1["model"], "tso");
    assert_eq!(explore_json(&text, &["--model", "RC11"]).1["model"], "rc11");
    assert_eq!(explore_json(SB, &[]).1["model"], "sc");
    let text = format!("model power\n{SB}");
    assert_eq!(explore_json(&text, &["--model", "sc"]).1["model"], "sc");
    let (status, out, err) = explore(&text, &[]);
    assert_eq!((status, out.as_str()), (2, ""));
    assert!(err.contains("standard input:1:7") && err.contains("`power`") && err.contains("rc11"), "{err}");
    let (_, _, err) = explore(SB, &["--model", "power"]);
    assert!(err.contains("`power`") && err.contains("rc11"), "{err}");
    let (_, _, err) = explore(SB, &["--algorithm", "magic"]);
    assert!(err.contains("`magic`") && err.contains("genmc"), "{err}");
}

#[test]
fn text_says_verdict_counts_states_and_shows_the_graph() {
    let (_, out, _) = explore(SB, &["--model", "tso"]);
    for part in [
        "under TSO, explored by TruSt",
        "\nallowed: 1 of 4 executions ends so\n",
        "executions: 4 complete, 0 blocked, 0 erroneous",
        "   P0:a  P1:b  executions\n*     0     0           1\n",
        "\nok: everything was explored\n",
        "the first that satisfies the condition:\n[x=0]  [y=0]\nP0       P1\nW(x,1)   W(y,1)\nR(y,0)   R(x,0)\nrf: ",
    ] {
        assert!(out.contains(part), "{part}\n{out}");
    }
    let (_, out, _) = explore(MP_ASSERT, &["--model", "rc11"]);
    assert!(out.contains("error: assertion violated at line 6, column 3"), "{out}");
    assert!(out.contains("the graph of the first error:"), "{out}");
    // What is wrong comes before what was looked for.
    let (_, out, _) = explore("x := 1; assert x = 1 || x := 2 exists (x = 2)", &[]);
    assert!(
        out.contains("allowed: 1 of 1 execution can end so") && out.contains("the graph of the first error:"),
        "{out}"
    );
    let (_, out, _) = explore("x :=na 1 || x :=na 2", &["--model", "rc11"]);
    assert!(out.contains("the execution of the first data race:"), "{out}");
    let (status, out, _) = explore("x :=na 1 || x :=na 2", &["--model", "rc11", "--no-races"]);
    assert!(
        status == 0 && out.contains("executions: 1 complete") && out.contains("data races were not checked"),
        "{out}"
    );
    let (_, out, _) = explore(LOOP, &["--unroll", "2"]);
    assert!(out.contains("bounded: nothing is wrong within the bound"), "{out}");
    let cut = "bounded: 1 execution cut\n  the loop at line 3 goes beyond its bound of 2 rounds (1 execution)\n";
    assert!(out.contains(cut), "{out}");
    assert!(!out.contains("ok:"), "{out}");
    let (_, out, _) = explore("assume x = 1 || skip", &[]);
    assert!(out.contains("no final state"), "{out}");
}

#[test]
fn algorithms_agree() {
    let (_, mut genmc) = explore_json(SB, &["--model", "tso"]);
    let (_, mut brute_force) = explore_json(SB, &["--model", "tso", "--algorithm", "brute-force"]);
    assert_eq!(brute_force["algorithm"], "brute_force");
    for json in [&mut genmc, &mut brute_force] {
        for key in ["seconds", "explored", "algorithm"] {
            json[key].take();
        }
    }
    assert_eq!(genmc, brute_force);
    let many = ["fai(x); fai(x); fai(x)"; 6].join(" || ");
    let (status, _, err) = explore(&many, &["--algorithm", "brute_force"]);
    assert_eq!(status, 2);
    assert!(err.contains("Brute force can't explore this program"), "{err}");
}

#[test]
fn weak_compare_and_swaps_fail_spuriously_if_asked_to() {
    let text = "a := wcas(x, 0, 1) || b := wcas(x, 0, 2)";
    for (arguments, executions) in [(&[][..], 2), (&["--spurious"], 5)] {
        for algorithm in litmoscope::explore::Algorithm::all_that_see_all() {
            let options = [&["--json", "--algorithm", algorithm.name()], arguments].concat();
            let (status, out, err) = explore(text, &options);
            if status == 2 && err.contains("fails spuriously") {
                continue;
            }
            let json: Value = serde_json::from_str(&out).expect("JSON");
            assert_eq!(json["executions"]["complete"], executions, "{algorithm:?} {arguments:?}");
        }
    }
}

#[test]
fn stopping_at_the_first_error_leaves_the_rest() {
    let text = "x := 1; assert x = 0 || x := 2 || x := 3";
    let (_, all) = explore_json(text, &[]);
    for algorithm in ["genmc", "genmc_co", "trust", "trust_co"] {
        let (status, first) = explore_json(text, &["--stop-at-first", "--algorithm", algorithm]);
        assert_eq!((status, &first["verdict"]), (1, &json!("violated")));
        assert_eq!(first["executions"]["erroneous"], 1, "{algorithm}");
    }
    assert!(all["executions"]["erroneous"].as_u64() > Some(1), "{all}");
}

#[test]
fn graphs_are_written_for_graphviz() {
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join("new").join("graphs");
    let (status, _, _) = explore(SB, &["--model", "tso", "--dot", target.to_str().expect("UTF-8")]);
    assert_eq!(status, 0);
    let mut names: Vec<_> =
        fs::read_dir(&target).expect("a folder").map(|entry| entry.expect("an entry").file_name()).collect();
    names.sort();
    assert_eq!(names, ["execution-0001.dot", "execution-0002.dot", "execution-0003.dot", "execution-0004.dot"]);
    let dot = fs::read_to_string(target.join("execution-0001.dot")).expect("text");
    assert!(dot.contains("complete execution 1 under TSO\ndigraph") && dot.contains("W(x,1)"), "{dot}");
    // Calls of an object's methods are clusters in those of their threads.
    let calls = folder.path().join("calls");
    let ring = include_str!("../../../public/objects/ring-buffer.lit");
    assert_eq!(explore(ring, &["--dot", calls.to_str().expect("UTF-8")]).0, 0);
    let dot = fs::read_to_string(calls.join("execution-0001.dot")).expect("text");
    assert!(dot.contains("subgraph cluster_0_0 { label=\"enq(1)\"; "), "{dot}");
    assert_eq!(dot.matches('{').count(), dot.matches('}').count(), "{dot}");
    let file = folder.path().join("file");
    fs::write(&file, "").expect("a file");
    let (status, _, err) = explore(SB, &["--dot", file.to_str().expect("UTF-8")]);
    assert_eq!(status, 2);
    assert!(err.contains("cannot create the directory"), "{err}");
}

#[test]
fn links_lead_to_the_violation() {
    let link = |out: &str| out.lines().find(|line| line.starts_with("http://h/p#1.")).expect("a link").to_owned();
    let open = |link: &str| litmoscope::session::link::decode(link).expect("a link that can be read");
    let (_, out, _) = explore(MP_ASSERT, &["--model", "rc11", "--unroll", "3", "--link", "http://h/p#old"]);
    let settings = open(&link(&out));
    assert_eq!((settings.text.as_str(), settings.model), (MP_ASSERT, litmoscope::model::Model::RC11));
    assert_eq!(settings.options.limits.unroll, 3);
    let mut session = litmoscope::session::Session::open(settings.clone()).expect("a session");
    session.go_to(settings.position, u64::MAX);
    assert!(matches!(session.step(), Some(litmoscope::explore::Step::Error { .. })));
    // Standard output stays JSON.
    let (_, _, err) = explore(SB, &["--json", "--link", "http://h/p"]);
    let err = err.replace("litmoscope: ", "");
    let settings = open(&link(&err));
    let mut session = litmoscope::session::Session::open(settings.clone()).expect("a session");
    session.go_to(settings.position, u64::MAX);
    assert!(matches!(session.step(), Some(litmoscope::explore::Step::Execution { number: 1, .. })));
}

#[test]
fn notes_and_progress_stay_off_standard_output() {
    let text = "x := 1 || a := x";
    let (_, out, err) = explore(text, &[]);
    assert!(err.contains("standard input:1:1: note: `x` is shared"), "{err}");
    assert!(!out.contains("note") && !err.contains('\r') && !err.contains("/s"), "{out}{err}");
    let (_, _, err) = explore(text, &["--quiet"]);
    assert_eq!(err, "");
    let (_, _, err) = explore("shared x\nx := 1; f := 1 || a := f", &[]);
    assert!(err.contains("warning") && err.contains('^'), "{err}");
}

#[test]
fn errors_in_the_text_are_shown_at_their_place() {
    let (status, out, err) = explore("x := 1\ny ::= 2", &["--json"]);
    assert_eq!((status, out.as_str()), (2, ""));
    assert!(err.contains("standard input:2:") && err.contains('^'), "{err}");
    let (status, _, err) = explore("", &[]);
    assert_eq!(status, 2);
    assert!(err.contains("there is no program"), "{err}");
}

#[test]
fn files_that_cannot_be_read_are_one_sentence() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).expect("a file");
        path.to_str().expect("UTF-8").to_owned()
    };
    let missing = folder.path().join("missing.lit").to_str().expect("UTF-8").to_owned();
    for (path, message) in [
        (missing, "there is no such file"),
        (folder.path().to_str().expect("UTF-8").to_owned(), "it is a directory"),
        (write("latin1.lit", b"x := 1\n// \xe9\n"), "it is not UTF-8 text (line 2)"),
        (write("large.lit", &vec![b' '; 300 * 1024]), "it has more than 262144 bytes"),
    ] {
        let (status, out, err) = run(&["explore", &path], "");
        assert_eq!((status, out.as_str()), (2, ""));
        assert_eq!(err, format!("litmoscope: cannot read {path}: {message}\n"));
        assert_eq!(run(&["check", &path], "").0, 2);
    }
}

#[test]
fn a_reader_that_is_gone_is_no_panic() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_litmoscope"))
        .arg("models")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the command ends");
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
    // A disk that is full is worth a word.
    if Path::new("/dev/full").exists() {
        for wanted in ["models", "--help", "--version"] {
            let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("the device");
            let output =
                Command::new(env!("CARGO_BIN_EXE_litmoscope")).arg(wanted).stdout(full).output().expect("it runs");
            assert_eq!(output.status.code(), Some(2), "{wanted}");
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(said.contains("cannot write to standard output"), "{wanted}: {said}");
        }
    }
}

#[test]
fn checking_only_reads() {
    let (status, out, err) = run(&["check", "-"], "x := 1 || a := x");
    assert_eq!(status, 0);
    assert_eq!(out, "standard input: a program in Litmoscope's notation, 2 threads, 1 shared name\n");
    assert!(err.contains("note: `x` is shared") && err.contains('^'), "{err}");
    assert_eq!(run(&["check", "-", "--quiet"], "x := 1 || a := x").2, "");
    let (status, out, err) = run(&["check", "-"], "x := (1 || a := x");
    assert_eq!((status, out.as_str()), (2, ""));
    assert!(err.contains("error") && err.contains('^'), "{err}");
    let (status, _, err) = run(&["check", "-"], "model power\nx := 1");
    assert_eq!(status, 2);
    assert!(err.contains("`power`"), "{err}");
    let (status, _, err) = run(&["check", "-"], "lock l; unlock l || l := 1");
    assert_eq!(status, 0);
    assert!(err.contains("warning"), "{err}");
}

#[test]
fn a_text_of_another_kind_is_told_from_a_broken_one() {
    let execution = "T1: w x 1; r y 0 <- init";
    let (status, out, _) = run(&["check", "-"], execution);
    assert_eq!((status, out.as_str()), (0, "standard input: an abstract execution, 1 thread, 2 events\n"));
    for command in ["explore", "compare", "estimate"] {
        let (status, _, err) = run(&[command, "-"], execution);
        assert_eq!(status, 2);
        assert!(err.contains("error: this is an abstract execution, not a program"), "{command}: {err}");
        assert!(err.contains("`litmoscope verify` says which models allow it"), "{command}: {err}");
    }
    let (status, _, err) = run(&["verify", "-"], "C SB\n{}\nP0 (atomic_int* x) { atomic_store(x, 1); }\n");
    assert_eq!(status, 2);
    assert!(err.contains("error: this is a program in herd's C, not an abstract execution"), "{err}");
    assert!(err.contains("`litmoscope explore` explores its executions"), "{err}");
    // What is neither is read as what was wanted.
    let (_, _, err) = run(&["verify", "-"], "x := (1");
    assert!(err.contains("expected a thread"), "{err}");
}

#[test]
fn what_there_is_is_listed() {
    let (status, out, _) = run(&["models"], "");
    assert_eq!(status, 0);
    for model in litmoscope::model::Model::ALL {
        assert!(out.lines().any(|line| line.starts_with(&format!("{} ", model.name()))), "{out}");
    }
    let (status, out, _) = run(&["algorithms"], "");
    assert_eq!(status, 0);
    for algorithm in litmoscope::explore::Algorithm::ALL {
        assert!(out.lines().any(|line| line.starts_with(&format!("{} ", algorithm.name()))), "{out}");
    }
    assert!(out.lines().all(|line| line.chars().count() <= 80));
}

#[test]
fn auto_chooses_co_where_it_follows() {
    let algorithm = |text: &str, arguments: &[&str]| explore_json(text, arguments).1["algorithm"].clone();
    assert_eq!(algorithm(SB, &[]), "trust_co");
    // Read-modify-writes are ordered by what they read, but under WRA; plain writes of two threads are not.
    let counter = "shared x, y\n\nx := 1; a := fai(x) || b := fai(x); y := 1";
    assert_eq!(algorithm(counter, &[]), "trust_co");
    assert_eq!(algorithm(counter, &["--model", "wra"]), "trust");
    assert_eq!(algorithm("shared x\n\nx := 1 || x := 2", &[]), "trust");
    // Any location may be the one at an address.
    assert_eq!(algorithm("shared x, y\n\na := &x; *a := 1 || y := 1", &[]), "trust");
    // How much symmetry saves differs.
    assert_eq!(algorithm(SB, &["--symmetry"]), "trust");
}

#[test]
fn what_questions_cost_is_told() {
    let text = "shared x\n\nx := 1; a := x || x := 2; b := x";
    let (status, out, _) = explore(text, &["--explain-cost", "--algorithm", "trust"]);
    assert_eq!(status, 0);
    let lines: Vec<&str> =
        out.lines().skip_while(|line| !line.ends_with("questions of consistency, decided")).collect();
    let number =
        |line: &str| line.trim_start().split([' ', '(']).next().unwrap_or_default().parse::<u64>().unwrap_or_default();
    let stages: Vec<u64> =
        lines[1..].iter().take_while(|line| line.contains(" %) by ")).map(|line| number(line)).collect();
    assert_eq!(stages.iter().sum::<u64>(), number(lines[0]), "{out}");
    assert!(stages.len() > 1, "{out}");
    let (_, json) = explore_json(text, &["--explain-cost", "--algorithm", "genmc"]);
    let questions = json["questions"].as_object().expect("it was asked for");
    assert!(questions["saturation"].as_u64() > Some(0) && questions["orders"] == 0, "{json}");
    assert!(explore_json(text, &[]).1.get("questions").is_none());
}

#[test]
fn symmetric_threads_are_explored_once() {
    let text = "shared x\n\na := fai(x) || a := fai(x) || a := fai(x)";
    for algorithm in ["trust", "trust_co", "auto"] {
        let (status, out, _) = explore(text, &["--algorithm", algorithm, "--symmetry"]);
        assert_eq!(status, 0);
        assert!(out.contains("executions: 1 complete"), "{out}");
        assert!(out.contains("symmetry: explored up to permutation of P0, P1 and P2"), "{out}");
        assert!(out.contains("   0     1     2  3           1\n"), "{out}");
        assert!(out.contains("with the registers of identical threads exchanged"), "{out}");
    }
    let (_, json) = explore_json(text, &["--algorithm", "trust", "--symmetry"]);
    assert_eq!((&json["symmetry"], &json["bounded"]), (&json!([[0, 1, 2]]), &json!(false)));
    assert_eq!(json["verdict"], "ok");
    let (_, json) = explore_json(text, &["--algorithm", "trust"]);
    assert!(json.get("symmetry").is_none());
    // The condition tells P1 apart.
    let condition = format!("{text}\nexists (P1:a = 1)");
    let (_, json) = explore_json(&condition, &["--algorithm", "trust", "--symmetry"]);
    assert_eq!((&json["symmetry"], &json["executions"]["complete"]), (&json!([[0, 2]]), &json!(3)));
    let (_, out, _) = explore(SB, &["--algorithm", "trust", "--symmetry"]);
    assert!(out.contains("symmetry: no threads"), "{out}");
    assert_eq!(explore_json(text, &["--symmetry"]).1["algorithm"], "trust");
    let (status, _, err) = explore(text, &["--algorithm", "genmc", "--symmetry"]);
    assert_eq!(status, 2);
    assert!(err.contains("symmetry reduction is for TruSt and TruSt (co), not for GenMC"), "{err}");
}

#[test]
fn bounds_on_switches_say_what_they_left() {
    let text = "shared x\n\na := x; x := a + 1 || b := x; x := b + 1\nforall (x = 2)";
    let bounded = |options: &[&str]| explore(text, options);
    let (status, out, _) = bounded(&["--preemptions", "0"]);
    assert_eq!(status, 3, "{out}");
    assert!(out.contains("because their executions need more than 0 preemptions"), "{out}");
    assert!(out.contains("executions: 2 complete"), "{out}");
    assert_eq!(bounded(&["--preemptions", "1"]).0, 1);
    let (status, out, _) = bounded(&["--contexts", "1"]);
    assert_eq!(status, 3);
    assert!(out.contains("need more than 1 context switch\n"), "{out}");
    let (status, json) = explore_json("fai(x) || fai(x)", &["--algorithm", "trust_co", "--preemptions", "0"]);
    assert_eq!((status, &json["bounded"], &json["verdict"]), (0, &json!(false), &json!("ok")));
    assert_eq!(json["switches"], json!({ "preemptions": 0, "contexts": null, "left": 0 }));
    let (_, json) = explore_json(text, &["--algorithm", "trust_co", "--contexts", "1"]);
    assert_eq!((&json["bounded"], &json["verdict"]), (&json!(true), &json!("bounded")));
    for (options, message) in [
        (["--model", "tso", "--algorithm", "trust_co"], "are for SC, where threads take turns, not for TSO"),
        (["--model", "sc", "--algorithm", "trust"], "are for TruSt (co), not for TruSt"),
    ] {
        let (status, _, err) = explore(text, &[&options[..], &["--preemptions", "1"]].concat());
        assert_eq!(status, 2);
        assert!(err.contains(message), "{err}");
    }
}

#[test]
fn loops_that_never_end_are_errors() {
    let text = "shared x, y, q[2]\nwhile y = 0 { skip }\nx := 1\n||\nwhile x = 0 { skip }\ny := 1\n";
    for options in [&["--model", "sc"][..], &["--model", "rc11", "--algorithm", "genmc"], &["--model", "wra"]] {
        let (status, out, _) = explore(text, options);
        assert_eq!(status, 1, "{out}");
        for part in [
            "error: stuck for good: P0 waits in a loop (line 2), because it reads y = 0 (P1 writes y at line 6); P1 waits in a \
             loop (line 5), because it reads x = 0 (P0 writes x at line 3)\n",
            "executions: 0 complete, 1 blocked, 0 erroneous\n1 execution is stuck for good\n",
            "execution 1, the first that is stuck for good:\n",
        ] {
            assert!(out.contains(part), "{part} is not in\n{out}");
        }
    }
    let (status, json) = explore_json(text, &[]);
    let error = &json["errors"][0];
    assert_eq!((status, &error["kind"], &error["line"]), (1, &json!("stuck_for_good"), &json!(2)));
    assert_eq!((&json["executions"]["stuck_for_good"], &json["stuck_loops_checked"]), (&json!(1), &json!(true)));
    // Turned off, it is an execution that is blocked, and somebody else may not have been asked.
    let (status, out, _) = explore(text, &["--no-stuck-loops"]);
    assert_eq!(status, 0, "{out}");
    assert!(out.contains("1 blocked") && out.contains("stuck in loops for good was not checked"), "{out}");
    let (status, json) = explore_json(text, &["--algorithm", "rvf_smc", "--model", "sc"]);
    assert_eq!((status, &json["stuck_loops_checked"]), (0, &json!(false)));
    // Without a loop that waits, there is nothing to say.
    assert!(!explore(SB, &["--no-stuck-loops"]).1.contains("was not checked"));
    // Several writers and lines, nobody, an element, and nothing that is read.
    let text = "shared x, q[2]\nwhile x = 0 && q[1] = 0 { skip }\n||\nassume q[0] = 0\nif q[0] = 1 {\n x := 1\n x := 2\n}\n||\n\
                if q[0] = 1 { x := 3 }\n||\nwhile 1 = 1 { skip }\n";
    let (_, out, _) = explore(text, &[]);
    let part = "P0 waits in a loop (line 2), because it reads x = 0 (P1 writes x at lines 6 and 7 and P2 writes x at line 10) and \
                q[1] = 0 (no other thread writes q[1]); P3 waits in a loop (line 12) that reads nothing";
    assert!(out.contains(part), "{part} is not in\n{out}");
}

#[test]
fn deadlocks_are_errors_and_blocked_executions() {
    let text = "lock l\nlock m\nunlock m\nunlock l\n||\nlock m\nlock l\nunlock l\nunlock m";
    let (status, out, _) = explore(text, &[]);
    assert_eq!(status, 1, "{out}");
    for part in [
        "error: stuck for good: P0 waits for mutex m (line 2), which P1 holds (line 6); P1 waits for mutex l (line 7), which P0 \
         holds (line 1)\n",
        "executions: 2 complete, 1 blocked, 0 erroneous\n1 execution is stuck for good\n",
        "the first that is stuck for good:\n",
        "lock(m) ⊥",
        "rf: init l → P0.1, init m → P1.1\n",
    ] {
        assert!(out.contains(part), "{part} is not in\n{out}");
    }
    let (_, json) = explore_json(text, &[]);
    assert_eq!(
        json["executions"],
        json!({ "complete": 2, "blocked": 1, "erroneous": 0, "stuck_for_good": 1, "plain": 3 })
    );
    assert_eq!((&json["errors"][0]["kind"], &json["errors"][0]["line"]), (&json!("stuck_for_good"), &json!(2)));
    assert_eq!(explore(text, &["--stop-at-first"]).0, 1);
}

/// More executions than anybody waits for.
const ENDLESS: &str = "fai(x)||fai(x)||fai(x)||fai(x)||fai(x)||fai(x)||fai(x)||fai(x)||fai(x)||fai(x)||fai(x)||fai(x)";

#[test]
fn what_is_not_explored_to_the_end_is_bounded() {
    let text = "fai(x) || fai(x) || fai(x) || fai(x)";
    let (status, json) = explore_json(text, &["--max-executions", "10"]);
    assert_eq!((status, &json["verdict"], &json["bounded"]), (3, &json!("bounded"), &json!(false)));
    assert_eq!((&json["interrupted"], &json["executions"]["complete"]), (&json!("max_executions"), &json!(10)));
    let (_, out, _) = explore(text, &["--max-executions", "10"]);
    assert!(out.contains("bounded: there are more executions than the limit allows, of about 2"), "{out}");
    assert!(
        out.contains("bounded: nothing is wrong in the part that was explored; the rest was not explored\n"),
        "{out}"
    );
    // All of them are as many as there may be.
    let (status, json) = explore_json(text, &["--max-executions", "24"]);
    assert_eq!((status, &json["verdict"], &json["interrupted"]), (0, &json!("ok"), &Value::Null));
    // What was not seen does not hold, and is not refuted.
    let forall = format!("{text} forall (x = 4)");
    let (status, out, _) = explore(&forall, &["--max-executions", "10"]);
    assert!(status == 3 && out.contains("holds so far: every execution ends in such a state"), "{out}");
    assert_eq!(explore(&format!("{text} ~exists (x = 4)"), &["--max-executions", "1"]).0, 1);
    let (status, json) = explore_json(ENDLESS, &["--timeout", "0.3"]);
    assert_eq!((status, &json["interrupted"]), (3, &json!("timeout")));
    for bad in ["0", "x", "-1", "inf", "nan", "1e300"] {
        let (status, _, err) = explore(text, &[&format!("--timeout={bad}")]);
        assert!(status == 2 && err.contains("a number of seconds above 0"), "{err}");
    }
    assert_eq!(explore(text, &["--max-executions", "0"]).0, 2);
}

#[cfg(unix)]
#[test]
fn an_interrupted_exploration_says_what_it_found() {
    use std::io::{BufRead, BufReader, Read, Write};
    let mut child = Command::new(env!("CARGO_BIN_EXE_litmoscope"))
        .args(["explore", "-", "--progress", "--quiet", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    child.stdin.take().expect("piped").write_all(ENDLESS.as_bytes()).expect("it reads");
    let mut line = String::new();
    BufReader::new(child.stderr.take().expect("piped")).read_line(&mut line).expect("it says how far it is");
    assert!(line.contains(" executions; ") && line.contains("/s"), "{line}");
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("it runs");
    assert!(killed.success());
    let mut out = String::new();
    child.stdout.take().expect("piped").read_to_string(&mut out).expect("UTF-8");
    assert_eq!(child.wait().expect("it ends").code(), Some(3));
    let json: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(json["interrupted"], "signal");
    assert!(json["executions"]["complete"].as_u64() > Some(0), "{out}");
}

#[test]
fn what_wants_parts_says_so() {
    for options in [&["--threads", "2"][..], &["--checkpoint", "c"], &["--resume", "c"]] {
        let (status, out, err) = explore(SB, &[options, &["--algorithm", "genmc"]].concat());
        assert_eq!((status, out.as_str()), (2, ""));
        assert!(err.contains(options[0]) && err.contains("try --algorithm auto"), "{err}");
        let (status, _, err) = explore(SB, &[options, &["--dot", "d"]].concat());
        assert!(status == 2 && err.contains("--dot can't be used together"), "{err}");
    }
    let (status, _, err) = run(&["estimate", "-", "--algorithm", "genmc"], SB);
    assert!(status == 2 && err.contains("try --algorithm auto"), "{err}");
    assert_eq!(run(&["estimate", "-"], SB).0, 0);
    assert_eq!(explore(SB, &["--threads", "1", "--algorithm", "auto"]).0, 0);
    let (status, _, err) = explore(SB, &["--algorithm", "fastest"]);
    assert!(status == 2 && err.contains("or auto"), "{err}");
}

#[test]
fn saved_runs_can_be_opened() {
    use litmoscope::report::{RunFile, RunFileError};
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.json");
    let name = path.to_str().expect("UTF-8");
    let save = |text: &str, options: &[&str]| {
        let (status, json) = explore_json(text, &[options, &["--save", name]].concat());
        (status, json, fs::read_to_string(&path).expect("it was written"))
    };
    let (status, json, content) = save(MP_ASSERT, &["--model", "rc11", "--algorithm", "genmc_co"]);
    assert_eq!(status, 1);
    let saved = RunFile::decode(&content).expect("it was saved so");
    assert_eq!(serde_json::to_value(&saved.file.report).expect("JSON"), json);
    assert_eq!((saved.file.text.as_str(), saved.file.settled), (MP_ASSERT, None));
    let violation = saved.file.graphs.violation.expect("there is one");
    assert!(violation.co.is_some() && violation.position > 0);
    for text in [SB, SPIN, LOOP, "lock l; unlock l || lock l", "shared x = ?\na := x || wcas(x, 0, 1)", "x := 1 / 0"] {
        let (_, _, content) = save(text, &["--model", "tso", "--spurious"]);
        let saved = RunFile::decode(&content).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert!(saved.file.graphs.first.is_some(), "{text}");
    }
    // Only the whole file, and only what fits together.
    for length in (0..content.len() - 2).step_by(11) {
        assert!(matches!(RunFile::decode(&content[..length]), Err(RunFileError::NoRun(_))), "{length}");
    }
    type Change<'a> = &'a dyn Fn(&mut Value);
    let refused: [(Change, &str); 8] = [
        (&|run| run["litmoscope"] = 7.into(), "version 7"),
        (&|run| run["text"] = "x := ".into(), "can't be read"),
        (&|run| run["text"] = "x := 1 || a := x".into(), "it has a graph"),
        (&|run| run["model"] = "power".into(), "power"),
        (&|run| run["options"]["limits"]["unroll"] = 0.into(), "the unroll bound"),
        (&|run| run["options"]["limits"]["events"] = 100_000.into(), "allows longer threads"),
        (&|run| run["graphs"]["violation"]["graph"]["source"][4] = 4_000_000_000_u32.into(), "do not fit together"),
        (&|run| run["graphs"]["violation"]["co"][0] = json!([0, 0]), "coherence order"),
    ];
    for (change, message) in refused {
        let mut run: Value = serde_json::from_str(&content).expect("JSON");
        change(&mut run);
        let error = RunFile::decode(&run.to_string()).expect_err(message).to_string();
        assert!(error.contains(message), "{error}");
    }
    let nested = format!("{}{}", "[".repeat(1 << 20), "]".repeat(1 << 20));
    assert!(matches!(RunFile::decode(&nested), Err(RunFileError::NoRun(_))));
    let (status, out, err) = explore(SB, &["--save", "/nowhere/run.json"]);
    assert!(status == 2 && out.contains("executions") && err.contains("cannot write /nowhere/run.json"), "{err}");
}

#[test]
fn shells_and_manuals_know_the_commands() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let (status, out, err) = run(&["completions", shell], "");
        assert!(status == 0 && out.contains("linearize") && out.contains("strict"), "{shell}: {err}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let man = folder.path().join("man1");
    assert_eq!(run(&["man", man.to_str().expect("UTF-8")], "").0, 0);
    let page = |name: &str| fs::read_to_string(man.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(page("litmoscope.1").contains("explore"));
    let explore = page("litmoscope-explore.1");
    assert!(explore.contains(".TH") && explore.contains("\\-\\-unroll"), "{explore}");
    // A folder that can't be written is said.
    assert_eq!(run(&["man", "/dev/null/man"], "").0, 2);
}

/// Many threads of the same, of which nobody sees the end.
fn endless_threads(threads: usize) -> String {
    vec!["fai(x); a := x; y := a; b := y"; threads].join(" || ")
}

/// Whatever may take long ends in time, with what it has.
#[test]
fn all_that_takes_long_can_be_ended() {
    let (large, loops) =
        (endless_threads(12), "x := 1 || while x < 9 { fai(x); a := y } || while y < 9 { fai(y); b := x }");
    for text in [&large, loops] {
        let (status, out, err) = run(&["compare", "-", "--timeout", "0.3"], text);
        assert!(status == 3 && out.contains("Bounded: the comparison was stopped before its end."), "{out}{err}");
        let (status, out, _) = run(&["compare", "-", "--timeout", "0.3", "--json"], text);
        let json: Value = serde_json::from_str(&out).expect("JSON");
        assert_eq!((status, &json["bounded"]), (3, &json!(true)));
        assert_eq!(json["models"].as_array().map(Vec::len), Some(litmoscope::model::Model::ALL.len()));
        let (status, out, _) = run(&["why-not", "-", "x=100", "--timeout", "0.3"], text);
        assert!(status == 3 && out.contains("Bounded: the search was stopped before its end."), "{out}");
    }
    let (status, out, _) = run(&["separate", "tso", "rc11", "--events", "6", "--timeout", "0.05"], "");
    assert!(status == 3 && out.contains("and the search was stopped then (bounded:"), "{out}");
    let (status, out, err) = run(&["estimate", "-", "--probes", "1000000000", "--timeout", "0.3"], SB);
    assert!(status == 3 && (out.contains("stopped before its end") || err.contains("stopped before")), "{out}{err}");
    let family = [
        "generate",
        "--dialect",
        "c11",
        "--family",
        "--edges",
        "Pod** Pos** Rfe Fre Coe Rfi Fri Coi",
        "--modes",
        "rlx,ar,sc",
        "--free",
        "--threads",
        "2..6",
        "--length",
        "4..8",
        "--limit",
        "1000000000",
        "--count",
    ];
    let (status, _, err) = run(&[&family[..], &["--timeout", "0.3"]].concat(), "");
    assert!(status == 3 && err.contains("but there may be more"), "{err}");
}

/// What comes from outside does not drive the terminal.
#[test]
fn nothing_from_outside_drives_the_terminal() {
    let hostile = "\u{1b}[2J\u{9b}1m\u{202e}\r\u{7f}";
    let herd = format!("C a{hostile}\n{{}}\nP0 (int* x) {{ *x = 1; }}\nexists (x=1)\n");
    let broken = format!("x := {hostile} 1");
    let texts = [
        (vec!["explore", "-"], herd.as_str()),
        (vec!["explore", "-", "--herd"], &herd),
        (vec!["explore", "-", "--json"], &herd),
        (vec!["compare", "-"], &herd),
        (vec!["compare", "-", "--json"], &herd),
        (vec!["why-not", "-", "x=0"], &herd),
        (vec!["explore", "-"], &broken),
        (vec!["check", "-"], &broken),
        (vec!["explore", "a\u{1b}[2J.lit"], ""),
    ];
    for (arguments, text) in texts {
        let (_, out, err) = run(&arguments, text);
        let found = [&out, &err].into_iter().find(|said| said.contains(litmoscope::words::is_harmful));
        assert_eq!(found, None, "{arguments:?}");
        if arguments.contains(&"--json") {
            let json: Value = serde_json::from_str(&out).expect("JSON");
            assert_eq!(json["program"], format!("a{hostile}").trim(), "nothing is lost");
        }
    }
}

/// What a shell does with a script in which `$0` is the command, and a text on its standard input: status, output, messages.
#[cfg(unix)]
fn shell(script: &str, text: &str) -> (Option<i32>, String, String) {
    let mut child = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_litmoscope")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a shell");
    // A command that does not read its input may be gone already.
    let _ = std::io::Write::write_all(&mut child.stdin.take().expect("piped"), text.as_bytes());
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[cfg(unix)]
#[test]
fn a_closed_standard_output_is_said() {
    for command in ["explore -", "--help", "--version", "models"] {
        let (status, _, said) = shell(&format!("exec \"$0\" {command} >&-"), SB);
        assert_eq!((status, said.contains("cannot write to standard output: it is closed")), (Some(2), true), "{said}");
    }
    // Nobody reads that, which is not the same.
    assert_eq!(shell("exec 3<>/dev/null; exec \"$0\" explore - 1>&3", SB).0, Some(0));
}

/// Whoever runs out of memory says what was found by then.
#[cfg(target_os = "linux")]
#[test]
fn without_memory_what_was_found_is_said() {
    // Both remember what they meet: candidates, graphs.
    let explore = |algorithm: &str| {
        let script =
            format!("ulimit -v 200000; exec \"$0\" explore - --algorithm {algorithm} --timeout 120 --quiet --json");
        shell(&script, &vec!["a := fai(x); b := fai(y)"; 60].join(" || "))
    };
    let (status, _, said) = explore("brute_force");
    assert_eq!((status, said.contains("the system had no more memory")), (Some(3), true), "{said}");
    let (status, out, said) = explore("genmc_co");
    let json: Value = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}{said}"));
    assert_eq!((status, &json["interrupted"]), (Some(3), &json!("memory")));
    assert!(json["executions"]["complete"].as_u64() > Some(0), "{json}");
}

/// Whoever interrupts while a long table is printed does not wait for its end.
#[cfg(unix)]
#[test]
fn printing_can_be_interrupted() {
    use std::io::Read;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("states.lit");
    // 2^12 states of 24 values.
    let text = (0..12).map(|i| format!("x{i} := 1 || a{i} := x{i}")).collect::<Vec<_>>().join(" || ");
    fs::write(&file, text).expect("it can be written");
    let start = || {
        Command::new(env!("CARGO_BIN_EXE_litmoscope"))
            .args(["explore", "--quiet"])
            .arg(&file)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command starts")
    };
    let whole = start().wait_with_output().expect("it ends").stdout.len();
    assert!(whole > 1 << 19, "{whole}");
    // Nobody reads until it has been told: a pipe holds less.
    let mut child = start();
    let mut out = child.stdout.take().expect("piped");
    let mut first = [0];
    out.read_exact(&mut first).expect("it has begun to print");
    let killed = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().expect("it runs");
    assert!(killed.success());
    std::thread::sleep(std::time::Duration::from_millis(300));
    let mut rest = Vec::new();
    out.read_to_end(&mut rest).expect("it ends");
    let ended = child.wait_with_output().expect("it ends");
    assert!(rest.len() < whole / 2, "{} of {whole}", rest.len());
    let said = String::from_utf8(ended.stderr).expect("UTF-8");
    assert_eq!(
        (ended.status.code(), said.contains("interrupted: what is printed is not all")),
        (Some(2), true),
        "{said}"
    );
}

#[cfg(unix)]
#[test]
fn who_interrupts_the_search_for_candidates_gets_an_answer() {
    // 60 updates of each of 60 threads: it is long before brute force has its first execution.
    let thread = (0..60).map(|at| format!("r{at} := fai(x)")).collect::<Vec<_>>().join("; ");
    let text = vec![thread; 60].join(" || ");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("updates.lit");
    std::fs::write(&file, text).expect("it can be written");
    let explore = format!("explore '{}' --algorithm brute_force --quiet", file.display());
    let (status, out, said) = shell(&format!("\"$0\" {explore} & sleep 0.5; kill -TERM $!; wait $!"), "");
    assert_eq!(status, Some(3), "{said}");
    assert!(out.contains("bounded: interrupted before everything was explored"), "{out}");
}

#[test]
fn the_table_of_final_states_has_as_many_bytes_as_it_is_given() {
    // 2^10 states of ten registers, 240 bytes each.
    let text = (0..10).map(|i| format!("x{i} := 1 || a{i} := x{i}")).collect::<Vec<_>>().join(" || ")
        + "\nlocations ["
        + &(0..10).map(|i| format!("a{i};")).collect::<String>()
        + "]";
    for algorithm in ["trust", "trust_co", "genmc", "source_dpor", "optimal_dpor"] {
        let listed = |table: &str| {
            let (status, json) = explore_json(&text, &["--algorithm", algorithm, "--table", table]);
            assert_eq!((status, json["executions"]["complete"].as_u64()), (0, Some(1024)), "{algorithm}");
            (json["too_many_outcomes"] == json!(true), json["outcomes"].as_array().map(Vec::len))
        };
        assert_eq!(listed("245760"), (false, Some(1024)), "{algorithm}");
        assert_eq!(listed("240k"), (false, Some(1024)), "{algorithm}");
        assert_eq!(listed("245759"), (true, Some(0)), "{algorithm}");
        assert_eq!(listed("0"), (true, Some(0)), "{algorithm}");
    }
    let (_, out, _) = explore(&text, &["--table", "24000"]);
    assert!(
        out.contains("more than 100 final states, which are not listed\nA larger table lists more (--table)"),
        "{out}"
    );
    for bad in ["", "M", "-1", "1T", "99999999999G", "1.5M"] {
        let (status, _, said) = explore(&text, &[&format!("--table={bad}")]);
        assert!(status == 2 && said.contains("it has to be a number of bytes, such as 500000, 64M or 1G"), "{said}");
    }
}

/// Where the system has no more threads, fewer explore, and that is said.
#[cfg(target_os = "linux")]
#[test]
fn fewer_threads_are_enough() {
    let run = |limits: &str| shell(&format!("{limits}exec \"$0\" explore - --threads 1000 --quiet --json"), SB);
    let (status, out, err) = run("");
    assert_eq!((status, err.as_str()), (Some(0), ""), "nothing is a witness, which is an answer");
    let (limited, same, said) = run("ulimit -v 1000000; ");
    assert_eq!(limited, status, "{said}");
    assert!(said.contains("the system has no more threads: "), "{said}");
    let json = |text: &str| {
        let mut json: Value = serde_json::from_str(text).expect("JSON");
        json["seconds"] = Value::Null;
        json
    };
    assert_eq!(json(&same), json(&out));
}
