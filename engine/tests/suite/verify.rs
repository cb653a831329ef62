//! `litmoscope verify`, run as a user would.

use crate::common::run;
use litmoscope::consistency::{parse_execution, print_execution};
use litmoscope::model::Model;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

const SB: &str = "execution SB\nT1: w x 1; r y 0 <- init\nT2: w y 1; r x 0 <- init\n";

fn verify(input: &str, options: &[&str]) -> (i32, String, String) {
    run(&[&["verify", "-"], options].concat(), input)
}

fn json(input: &str, options: &[&str]) -> (i32, Value) {
    let (status, out, err) = verify(input, &[options, &["--json"]].concat());
    assert_eq!(out.lines().count(), 1, "{out}{err}");
    (status, serde_json::from_str(&out).expect("JSON"))
}

#[test]
fn a_consistent_execution_comes_with_its_run() {
    let (status, out, _) = verify(SB, &["--model", "tso"]);
    assert_eq!(status, 0);
    assert!(out.starts_with("SB is consistent under TSO.\nWitness:\n"), "{out}");
    for line in ["T1.1  W(x,1) enters T1's buffer", "T1.1  W(x,1) reaches memory", "T2.2  R(x,0)  from init x"] {
        assert!(out.contains(line), "{line}\n{out}");
    }
    let (status, object) = json(SB, &["--model", "tso"]);
    assert_eq!((status, &object["verdict"], &object["model"]), (0, &"consistent".into(), &"tso".into()));
    let order = object["witness"]["order"].as_array().expect("a run");
    assert_eq!(order.len(), 6);
    assert_eq!(order.iter().filter(|node| node["part"] == "memory").count(), 2);
    assert_eq!(object["witness"]["sources"][0], serde_json::json!({ "read": "T1.2", "source": "init y" }));
}

#[test]
fn an_inconsistent_execution_comes_with_its_reason() {
    let (status, out, _) = verify(SB, &["--model", "sc", "--explain"]);
    assert_eq!(status, 1);
    assert!(out.starts_with("SB is inconsistent under SC.\n"), "{out}");
    assert!(out.contains("Closure:\n1. [behind] T1.2 comes before T2.1, because init y comes before T2.1"), "{out}");
    let (status, object) = json(SB, &["--model", "sc"]);
    assert_eq!((status, &object["cases"][0]["reason"]), (1, &"closure".into()));
    assert!(!object["cases"][0]["closure"].as_array().expect("edges").is_empty());
    // The models without machine give the axiom and its cycle.
    let mp = "T1: w x 1; w y 1\nT2: r y 1; r x 0";
    let (status, object) = json(mp, &["--model", "ra"]);
    assert_eq!((status, &object["cases"][0]["reason"]), (1, &"coherence".into()));
    assert!(object["cases"][0]["cycle"].as_array().is_some_and(|cycle| cycle.len() >= 2));
}

#[test]
fn without_a_model_all_are_asked() {
    let (status, list) = json(SB, &[]);
    let verdicts: Vec<_> =
        list.as_array().expect("a list").iter().map(|o| (o["model"].clone(), o["verdict"].clone())).collect();
    let allows = |model: &str| if model == "sc" { "inconsistent" } else { "consistent" };
    let expected: Vec<(Value, Value)> =
        Model::ALL.map(|model| (model.name().into(), allows(model.name()).into())).into();
    assert_eq!((status, verdicts), (0, expected));
    let (status, out, _) = verify("T1: { r x 0; w y 1 }", &[]);
    assert_eq!(status, 0);
    assert!(out.contains("not for RA."), "{out}");
    let (status, _, err) = verify("T1: { r x 0; w y 1 }", &["--model", "ra"]);
    assert_eq!(status, 2);
    assert!(err.contains("defined only for SC, TSO and PSO"), "{err}");
}

#[test]
fn a_bound_is_no_answer() {
    let (status, out, _) = verify(&example("search-only.exec"), &["--model", "tso", "--states", "2"]);
    assert_eq!(status, 3);
    assert!(out.contains("bounded"), "{out}");
}

/// Closure, greedy moves and memory change how much is searched, not what is said.
#[test]
fn switches_do_not_change_the_answer() {
    let text = example("search-only.exec");
    let mut states = Vec::new();
    for options in [&[][..], &["--no-closure"], &["--no-greedy"], &["--no-closure", "--no-greedy"], &["--naive"]] {
        let (status, object) = json(&text, &[&["--model", "sc"], options].concat());
        assert_eq!((status, &object["cases"][0]["reason"]), (1, &"search".into()), "{options:?}");
        states.push(object["states"].as_u64().expect("a number"));
    }
    assert!(states[0] <= states[1] && states[1] <= states[3], "{states:?}");
    assert!(states[0] < states[4], "{states:?}");
}

#[test]
fn reads_that_have_a_choice_are_tried() {
    let text = "T1: w x 1; w y 1\nT2: w x 2; w y 2\nT3: r y ? <- T1 | T2; r x 0 <- init";
    let (status, object) = json(text, &["--model", "tso"]);
    assert_eq!((status, object["cases"].as_array().map(Vec::len)), (1, Some(2)));
    assert_eq!(object["cases"][0]["sources"][0], serde_json::json!({ "read": "T3.1", "source": "T1.2" }));
    let (status, object) = json(text, &["--model", "pso"]);
    assert_eq!(status, 0);
    assert!(object["choices"].as_u64() >= Some(2));
}

#[test]
fn an_annotated_partial_order_is_decided_by_its_closure() {
    let (status, out, _) = verify(&example("annotated.exec"), &["--model", "sc", "--explain"]);
    assert_eq!(status, 0);
    let steps: Vec<&str> = out.lines().filter(|line| line.contains('[')).collect();
    assert_eq!(steps.len(), 3, "{out}");
    for (step, rule) in steps.iter().zip([
        "[source] T2.2 comes before T1.2",
        "[behind] T2.4 comes before T1.3",
        "[before] T2.3 comes before T1.1",
    ]) {
        assert!(step.contains(rule), "{step}");
    }
    let (status, _, err) = verify(&example("annotated.exec"), &["--model", "tso"]);
    assert_eq!(status, 2);
    assert!(err.contains("SC"), "{err}");
    let (status, _, err) = verify("root T1\nT1: w x 1\nT2: w x 2\nT3: w x 3\n", &["--model", "sc"]);
    assert_eq!(status, 2);
    assert!(err.contains("not in order"), "{err}");
}

#[test]
fn bad_texts_get_messages_with_places() {
    for (text, place, message) in [
        ("T1: w x", "1:8", "expected the value that it writes"),
        ("T1: r x 0 <- T3", "1:14", "there is no thread `T3`"),
        ("T1: r x 0 <- T2.4\nT2: w x 0", "1:14", "`T2` has no event 4"),
        ("T1: r x 2 <- T2\nT2: w x 1", "1:14", "this write has the value 1"),
        ("T1: r x ? <- T2\nT2: w x 1; w x 2", "1:14", "more than once"),
        ("T1: r x 0 <- T2.1\nT2: w y 1", "1:14", "not a write to `x`"),
        ("T1: q x 0", "1:5", "there is no event `q`"),
        ("T1: w.acq x 0", "1:7", "not a mode of a write"),
        ("T1: { r x 0; r y 0 }", "1:14", "only the first event of a block may read"),
        ("T1: { w x 1", "1:5", "has no end"),
        ("T1: buffered w x 1", "1:14", "can't be buffered"),
        ("T1: w x 99999999999999999999", "1:9", "64-bit"),
        ("T1: w x 1\nT1: w x 2", "2:1", "two threads `T1`"),
        ("order T1.1 < T2.1\nT1: w x 1\nT2: w x 2", "1:7", "no root"),
        ("", "1:1", "there are no threads"),
        ("x := 1", "1:1", "this is a program in Litmoscope's notation"),
        ("x := (1", "1:1", "expected a thread"),
        ("T1: w x 1 §", "1:11", "expected `;`"),
    ] {
        let (status, out, err) = verify(text, &["--model", "sc"]);
        assert_eq!((status, out.as_str()), (2, ""), "{text}: {err}");
        assert!(err.contains(message), "{text}: {err}");
        assert!(err.contains(&format!("standard input:{place}")), "{text}: {err}");
    }
}

/// A text that is too large is refused, and so is one with too many events.
#[test]
fn sizes_are_bounded() {
    let many = format!("T1: {}", "w x 1; ".repeat(401));
    let (status, _, err) = verify(&many, &["--model", "sc"]);
    assert_eq!(status, 2);
    assert!(err.contains("more than 400 events"), "{err}");
    let threads: String = (0..257).map(|thread| format!("T{thread}: w x 1\n")).collect();
    let (status, _, err) = verify(&threads, &["--model", "sc"]);
    assert_eq!(status, 2);
    assert!(err.contains("more than 256 threads"), "{err}");
    // As large as can be, and still answered.
    let most: String = (0..40).map(|thread| format!("T{thread}: {}\n", "w x 1; r x 1; ".repeat(5))).collect();
    for model in ["sc", "tso", "pso"] {
        let (status, out, _) = verify(&most, &["--model", model, "--states", "2000"]);
        assert!(status == 0 || status == 3, "{model}: {out}");
    }
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../public/executions")
}

fn example(name: &str) -> String {
    fs::read_to_string(folder().join(name)).expect("an example")
}

/// What the examples are said to show.
#[test]
fn examples_are_what_they_are_said_to_be() {
    let table = [
        ("sb.exec", [false, true, true]),
        ("mp.exec", [false, false, true]),
        ("good-writes.exec", [true, true, true]),
        ("search-only.exec", [false, false, true]),
        ("fence-map.exec", [true, true, true]),
        ("read-modify-write.exec", [true, true, true]),
        ("store-fence.exec", [true, true, true]),
    ];
    for (name, expected) in table {
        for (model, expected) in ["sc", "tso", "pso"].into_iter().zip(expected) {
            let (status, out, err) = verify(&example(name), &["--model", model]);
            assert_eq!(status == 0, expected, "{name} under {model}: {out}{err}");
        }
    }
    let names = fs::read_dir(folder()).expect("the examples").map(|file| file.expect("a file").file_name());
    assert_eq!(names.count(), table.len() + 1, "and the annotated one");
}

/// Printed and read again, an example says the same.
#[test]
fn examples_are_printed_as_they_are_read() {
    for file in fs::read_dir(folder()).expect("the examples") {
        let text = fs::read_to_string(file.expect("a file").path()).expect("text");
        let execution = parse_execution(&text).expect("an execution");
        let printed = print_execution(&execution);
        let again = parse_execution(&printed).expect("an execution");
        assert_eq!((again.sources, again.order, again.root), (execution.sources, execution.order, execution.root));
        assert_eq!(again.graph.canonical(), execution.graph.canonical());
    }
}

/// Where only the search refutes, it is shown: as text, and the same as JSON.
#[test]
fn an_exhausted_search_is_shown_as_a_tree() {
    let text = example("search-only.exec");
    for (model, options) in [("sc", &[][..]), ("sc", &["--no-greedy"]), ("tso", &[]), ("tso", &["--naive"])] {
        let options = [&["--model", model, "--tree=10000"], options].concat();
        let (status, object) = json(&text, &options);
        let case = &object["cases"][0];
        let states = case["search"]["states"].as_array().expect("the states");
        assert_eq!((status, states.len() as u64), (1, case["states"].as_u64().expect("a number")), "{options:?}");
        assert_eq!(case["search"]["more_states"], 0);
        let seen: usize = states.iter().map(|state| state["seen_before"].as_array().map_or(0, Vec::len)).sum();
        assert_eq!(seen as u64, object["repeats"].as_u64().expect("a number"), "{options:?}");
        for (at, state) in states.iter().enumerate() {
            assert_eq!(state["number"], at + 1);
            let children = states.iter().filter(|child| child["parent"] == state["number"]).count();
            let seen = state["seen_before"].as_array().expect("a list");
            assert_eq!(state["moves"], children + seen.len(), "{state}");
            // Each state either goes on or says of what could come next why it can't.
            let stuck = state["stuck"].as_array().expect("a list");
            assert_eq!(stuck.is_empty(), state["moves"] != 0, "{state}");
            assert!(
                stuck.iter().all(|it| it["why"].as_str().is_some_and(|why| !why.starts_with("it could"))),
                "{state}"
            );
        }
        let (_, out, _) = verify(&text, &options);
        let dead = states.iter().filter(|state| state["moves"] == 0).count();
        let lines = |what: &str| out.lines().filter(|line| line.contains(what)).count();
        assert!(dead > 0 && lines("stuck: ") >= dead, "{out}");
        assert_eq!((lines("seen before, "), lines("left out"), lines("more states")), (seen, 0, 0), "{out}");
        assert_eq!(lines("States of the search:"), 1);
    }
    // Without the option, there is none.
    let (_, out, _) = verify(&text, &["--model", "sc"]);
    assert!(!out.contains("States of the search:"), "{out}");
    assert!(json(&text, &["--model", "sc"]).1["cases"][0].get("search").is_none());
}

#[test]
fn a_tree_is_no_longer_than_asked_for() {
    let text = example("search-only.exec");
    let (_, object) = json(&text, &["--model", "sc", "--naive", "--tree=5"]);
    let (search, states) = (&object["cases"][0]["search"], object["states"].as_u64().expect("a number"));
    assert_eq!(search["states"].as_array().map(Vec::len), Some(5));
    assert_eq!((&search["more_states"], states), (&1381.into(), 1386));
    let (_, out, _) = verify(&text, &["--model", "sc", "--naive", "--tree=5"]);
    assert!(out.contains("and 1,381 more states\n") && out.contains("moves to states that are left out: 4\n"), "{out}");
    // 200 unless told otherwise, and a witness has a search as well.
    let (_, object) = json(&text, &["--model", "sc", "--naive", "--no-closure", "--tree"]);
    assert_eq!(object["cases"][0]["search"]["states"].as_array().map(Vec::len), Some(200));
    let (status, out, _) = verify(SB, &["--model", "pso", "--tree"]);
    assert_eq!(status, 0);
    assert!(out.contains("everything is performed"), "{out}");
    let (status, _, err) = verify(SB, &["--model", "pso", "--tree=0"]);
    assert_eq!(status, 2, "{err}");
}
