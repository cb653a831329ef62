//! `litmoscope verify` of event-driven traces, run as a user would; and the traces of the gallery.

use crate::common::run;
use litmoscope::traces::{StepKind, TraceDeciding, TraceRequest, formula_text};
use litmoscope::traces::{parse_trace, print_trace};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

fn verify(input: &str, options: &[&str]) -> (i32, String, String) {
    run(&[&["verify", "-"], options].concat(), input)
}

fn public() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../public")
}

fn example(name: &str) -> String {
    fs::read_to_string(public().join("traces").join(name)).expect("an example")
}

#[test]
fn queues_contradict_and_multisets_do_not() {
    let e1 = example("e1.trace");
    let (status, out, err) = verify(&e1, &[]);
    assert_eq!((status, err.as_str()), (1, ""));
    assert!(out.starts_with("E1 with queues: inconsistent\n"), "{out}");
    assert!(out.contains("These edges are a cycle: ") && out.contains("-pb-> m4.get"), "{out}");
    let (status, out, _) = verify(&e1, &["--mailbox", "multiset"]);
    assert_eq!(status, 0);
    assert!(out.starts_with("E1 with multisets: consistent\nh1 takes m1, then m2 (eo)\n"), "{out}");
    assert!(out.contains("\na run:\n  h2: init.get\n") && !out.contains("since"), "{out}");
}

#[test]
fn everything_is_explained_if_asked() {
    let e1 = example("e1.trace");
    let (status, out, _) = verify(&e1, &["--mailbox", "multiset", "--explain"]);
    assert_eq!(status, 0);
    assert!(out.contains("\norders of messages, with their reasons:\n  eo: h1 has m1 before m2: "), "{out}");
    assert!(out.contains("\n  All messages are in order.\n"), "{out}");
    let (status, out, _) = verify(&example("no-formula.trace"), &["--explain"]);
    assert_eq!(status, 1);
    assert!(out.contains("Guess: ") && out.matches("These edges are a cycle").count() > 1, "{out}");
    let (status, out, _) = verify(&example("no-formula.trace"), &[]);
    assert_eq!(status, 1);
    assert!(out.contains("`--explain` prints them."), "{out}");
}

#[test]
fn a_solver_says_the_same() {
    for name in ["e1.trace", "pool.trace", "actors.trace", "formula.trace", "no-formula.trace"] {
        for mailbox in [&[][..], &["--mailbox", "queue"], &["--mailbox", "multiset"]] {
            let (expected, ..) = verify(&example(name), mailbox);
            let (status, out, _) = verify(&example(name), &[mailbox, &["--sat"]].concat());
            assert_eq!(status, expected, "{name} {mailbox:?}: {out}");
        }
    }
    let (_, out, _) = verify(&example("e1.trace"), &["--sat"]);
    assert!(out.contains("The SAT solver says so."), "{out}");
}

#[test]
fn json_has_what_the_text_has() {
    let json = |options: &[&str]| -> (i32, Value) {
        let (status, out, err) = verify(&example("e1.trace"), &[options, &["--json"]].concat());
        assert_eq!(out.lines().count(), 1, "{out}{err}");
        (status, serde_json::from_str(&out).expect("JSON"))
    };
    let (status, object) = json(&[]);
    assert_eq!((status, &object["name"], &object["verdict"]), (1, &"E1".into(), &"inconsistent".into()));
    assert_eq!(object["tree"][0]["outcome"], "cycle");
    let (status, object) = json(&["--mailbox", "multiset"]);
    assert_eq!((status, &object["verdict"], &object["orders_are_all"]), (0, &"consistent".into(), &true.into()));
    assert_eq!(object["run"].as_array().map(Vec::len), Some(16));
    assert_eq!(object["orders"].as_array().map(Vec::len), Some(2));
    let (status, object) = json(&["--sat"]);
    assert_eq!((status, &object["verdict"], object.get("tree")), (1, &"inconsistent".into(), None));
}

#[test]
fn a_limit_leaves_it_unknown() {
    for options in [&["--search-limit", "10"][..], &["--search-limit", "10", "--sat"]] {
        let (status, out, _) = verify(&example("e1.trace"), options);
        assert_eq!(status, 3);
        assert!(out.starts_with("E1 with queues: unknown\n") && out.contains("given up at its limit"), "{out}");
    }
}

#[test]
fn bad_traces_are_refused_with_line_and_column() {
    for (text, place, message) in [
        ("trace\nhandler h stack\n", "standard input:2:11", "expected `queue` or `multiset`, found `stack`"),
        ("trace\nhandler h queue\ninitial m on g: w x 1\n", "standard input:3:14", "`g`"),
        ("trace\nhandler h queue\ninitial m on h: r x 7\n", "standard input:3:17", "nobody writes 7 to `x`"),
        ("trace\n", "standard input:1:1", "there are no messages"),
    ] {
        let (status, out, err) = verify(text, &[]);
        assert_eq!((status, out.as_str()), (2, ""), "{text}");
        assert!(err.contains(place) && err.contains(message), "{text}\n{err}");
    }
}

#[test]
fn options_of_others_are_refused() {
    let e1 = example("e1.trace");
    for option in
        [&["--model", "sc"][..], &["--tree"], &["--no-closure"], &["--no-greedy"], &["--naive"], &["--states", "9"]]
    {
        let (status, _, err) = verify(&e1, option);
        assert_eq!(status, 2);
        let said = format!("{} is for abstract executions, and this is an event-driven trace", option[0]);
        assert!(err.contains(&said), "{err}");
    }
    for option in [&["--mailbox", "queue"][..], &["--sat"], &["--search-limit", "9"]] {
        let (status, _, err) = verify("T1: w x 1", option);
        assert_eq!(status, 2);
        assert!(err.contains(&format!("{} is for event-driven traces, and this is not a trace", option[0])), "{err}");
    }
    assert_eq!(verify(&e1, &["--mailbox", "stack"]).0, 2);
    assert_eq!(verify(&e1, &["--sat", "--explain"]).0, 2);
    let (status, _, err) = run(&["explore", "-"], &e1);
    assert_eq!(status, 2);
    assert!(err.contains("this is an event-driven trace, not a program"), "{err}");
    let (status, out, _) = run(&["check", "-"], &e1);
    assert_eq!((status, out.as_str()), (0, "standard input: an event-driven trace, 3 handlers, 5 messages\n"));
}

/// What the gallery says of its traces: as they are written, with queues, with multisets.
#[test]
fn the_gallery_is_what_it_is_said_to_be() {
    let table = [
        ("e1.trace", [false, false, true]),
        ("type-ahead.trace", [false, false, true]),
        ("pool.trace", [true, false, true]),
        ("double-click.trace", [true, true, true]),
        ("actors.trace", [false, false, true]),
        ("server.trace", [false, false, true]),
        ("two-posters.trace", [true, true, true]),
        ("formula.trace", [true, true, true]),
        ("no-formula.trace", [false, false, true]),
    ];
    for (name, expected) in table {
        let text = example(name);
        let trace = parse_trace(&text).unwrap_or_else(|wrong| panic!("{name}: {wrong:#?}"));
        assert_eq!(parse_trace(&print_trace(&trace)).map(|again| again.messages.len()), Ok(trace.messages.len()));
        let ways = [&[][..], &["--mailbox", "queue"], &["--mailbox", "multiset"]];
        let found = ways.map(|options| verify(&text, options).0 == 0);
        assert_eq!(found, expected, "{name}");
        // The page draws each of them, at each step.
        let deciding = TraceDeciding::open(&text).expect("it is a trace");
        let last = deciding.view(&TraceRequest { step: u32::MAX, ..TraceRequest::default() });
        assert!(last.drawing.is_some(), "{name}: {:?}", last.too_large);
        for step in (0..=last.all_steps).step_by(1 + last.all_steps as usize / 20) {
            let view = deciding.view(&TraceRequest { step, ..TraceRequest::default() });
            assert!(view.drawing.is_some() && !view.caption.is_empty(), "{name}, step {step}");
        }
    }
    let listed: Vec<Value> =
        serde_json::from_str(&fs::read_to_string(public().join("traces.json")).expect("the index")).expect("JSON");
    let listed: BTreeSet<String> = listed.iter().filter_map(|entry| Some(entry["file"].as_str()?.to_owned())).collect();
    assert_eq!(listed, table.iter().map(|(name, _)| format!("traces/{name}")).collect());
    let files = fs::read_dir(public().join("traces")).expect("the traces").count();
    assert_eq!(files, table.len());
}

/// The traces of formulas are those that are made here; the one that can be satisfied takes a guess, the other one several.
#[test]
fn formulas_are_traces_of_the_gallery() {
    for (name, formula) in [("formula.trace", "(1 2) (-1 -2)"), ("no-formula.trace", "(1 2) (1 -2) (-1 2) (-1 -2)")] {
        let text = formula_text(formula).expect("it is a formula");
        let path = public().join("traces").join(name);
        if std::env::var_os("LITMOSCOPE_WRITE").is_some() {
            fs::write(&path, &text).expect("it can be written");
        }
        assert_eq!(fs::read_to_string(&path).unwrap_or_default(), text, "LITMOSCOPE_WRITE=1 writes {name} anew");
        let view = TraceDeciding::open(&text).expect("it is a trace");
        let view = view.view(&TraceRequest { step: u32::MAX, ..TraceRequest::default() });
        assert!(view.steps.iter().any(|step| step.kind == StepKind::Guess), "{name}");
    }
}
