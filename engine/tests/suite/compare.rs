//! `litmoscope compare` and `litmoscope separate`, run as a user would.

use crate::common::run;
use litmoscope::model::Model;
use serde_json::Value;

const SB: &str = "shared x, y\nx := 1; a := y || y := 1; b := x\nexists (P0:a = 0 /\\ P1:b = 0)\n";
const TWO_WRITES: &str = "shared x, y\nx := 1; y := 2 || y := 1; x := 2\nexists (x = 1 /\\ y = 1)\n";

/// Runs `compare` on a text: exit status, standard output and standard error.
fn compare(input: &str, options: &[&str]) -> (i32, String, String) {
    run(&[&["compare", "-"], options].concat(), input)
}

/// Runs `separate`: exit status, standard output and standard error.
fn separate(arguments: &[&str]) -> (i32, String, String) {
    run(&[&["separate"], arguments].concat(), "")
}

fn json(input: &str, options: &[&str]) -> Value {
    let (status, out, err) = compare(input, &[&["--json"], options].concat());
    assert_eq!((status, out.lines().count()), (0, 1), "{out}{err}");
    serde_json::from_str(&out).expect("JSON")
}

#[test]
fn the_table_and_the_reasons() {
    let (status, out, err) = compare(SB, &["--models", "sc,tso,pso,sra,ra,wra,rc11"]);
    assert_eq!((status, err.as_str()), (0, ""));
    let expected = "\
the program: 4 outcomes under 7 models
exists (P0:a = 0 /\\ P1:b = 0)

   P0:a  P1:b    SC  TSO  PSO  SRA  RA  WRA  RC11
*     0     0     -    1    1    1   1    1     1
      0     1     1    1    1    1   1    1     1
      1     0     1    1    1    1   1    1     1
      1     1     1    1    1    1   1    1     1
(number: allowed, by that many executions; -: forbidden; *: satisfies the condition)

P0:a=0 P1:b=0 forbidden by SC: sequential-consistency: ";
    assert!(out.starts_with(expected), "{out}");
    assert_eq!(out.matches(" -fr-> ").count(), 2, "{out}");
}

#[test]
fn cycles_go_through_the_final_values() {
    let (status, out, _) = compare(TWO_WRITES, &["--models", "tso,sra,ra", "--explain"]);
    assert_eq!(status, 0);
    let line = "x=1 y=1 forbidden by TSO: store-order: W(y,1) -ppo-> W(x,2) -co-> W(x,1) -ppo-> W(y,2) -co-> W(y,1)";
    assert!(out.lines().any(|other| other == line), "{out}");
    assert!(out.contains("x=1 y=1 forbidden by SRA: strong-coherence: "), "{out}");
    assert!(out.contains("x=1 y=1 allowed by RA: 1 execution\n"), "{out}");
    assert!(out.contains("rest of the graph and the final values allow"), "{out}");
}

#[test]
fn json_objects() {
    let all = json(SB, &[]);
    assert_eq!(all["models"].as_array().expect("a list").len(), Model::ALL.len());
    let asked: Vec<_> = all["outcomes"].as_array().expect("a list").iter().filter(|o| o["satisfies"] == true).collect();
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0]["state"], serde_json::json!({"P0:a": 0, "P1:b": 0}));
    assert_eq!(asked[0]["models"]["sc"]["verdict"], "forbidden");
    assert_eq!(asked[0]["models"]["sc"]["cycle"].as_array().expect("a list").len(), 4);
    assert_eq!(asked[0]["models"]["tso"]["executions"], 1);
    let lb = json("a := y; x := 1 || b := x; y := 1\nexists (P0:a = 1 /\\ P1:b = 1)", &["--models", "SC,rc11,sc"]);
    assert_eq!(lb["models"].as_array().expect("a list").len(), 2);
    assert_eq!(lb["absent"][0]["why"], "cyclic");
}

#[test]
fn what_is_cut_is_said() {
    let (status, out, _) = compare("x := 1 || repeat { a := x } until a = 1", &["--unroll-spins"]);
    assert_eq!(status, 3);
    assert!(out.contains("Bounded under SC, TSO, PSO, SRA, RA, WRA, RC11"), "{out}");
    let (status, out, _) = compare(SB, &["--candidates", "3"]);
    assert_eq!(status, 3);
    assert!(out.contains("too many candidate executions"), "{out}");
    // The weak outcome is listed all the same, and SC's cycle is that of another model's witness.
    assert!(out.contains("P0:a=0 P1:b=0 forbidden by SC: sequential-consistency: "), "{out}");
    assert!(out.contains("(perhaps not the shortest)"), "{out}");
    let six = "fai(x) || fai(x) || fai(x) || fai(x) || fai(x) || fai(x) || fai(x)";
    let (status, out, _) = compare(six, &["--steps", "100", "--models", "sc", "--candidates", "10"]);
    assert_eq!(status, 3);
    assert!(out.contains("Not explored to the end under SC"), "{out}");
    let (_, out, _) = compare("x :=na 1 || a :=na x", &[]);
    assert!(out.contains("There are data races under RC11"), "{out}");
    let (_, out, _) = compare("x :=na 1 || a :=na x", &["--no-races"]);
    assert!(!out.contains("data races"), "{out}");
}

#[test]
fn spurious_failures() {
    let failing = "shared x\na := wcas(x, 0, 1)\nexists (x = 0)";
    let (_, out, _) = compare(failing, &["--models", "sc"]);
    assert!(out.contains("no candidate execution"), "{out}");
    let (_, out, _) = compare(failing, &["--models", "sc", "--spurious"]);
    assert!(out.contains("*  0     1\n"), "{out}");
}

#[test]
fn addresses_have_names() {
    let text = "shared x, p\np := &x || a := p\n";
    let (_, out, _) = compare(text, &["--models", "sc"]);
    assert!(out.contains("\n     &x  0  &x     1\n"), "{out}");
    let object = json(text, &["--models", "sc"]);
    let states = object["outcomes"].as_array().expect("a list").iter();
    assert!(states.clone().any(|outcome| outcome["state"]["P1:a"] == "&x"), "{object}");
    assert!(states.clone().any(|outcome| outcome["state"]["P1:a"] == 0), "{object}");
}

#[test]
fn bad_usage() {
    assert_eq!(compare("x := ", &[]).0, 2);
    let (status, _, err) = compare(SB, &["--models", "sc,arm"]);
    assert_eq!(status, 2);
    assert!(err.contains("there is no memory model `arm`") && err.contains("all"), "{err}");
    assert_eq!(compare(SB, &["--models", ""]).0, 2);
}

#[test]
fn both_directions_of_a_pair() {
    let (status, out, err) = separate(&["tso", "sc"]);
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(
        out.starts_with(
            "TSO allows and SC forbids: a program with 4 events in 2 threads, and there is none with fewer:\n"
        ),
        "{out}"
    );
    assert!(out.contains("exists (a = 0 /\\ b = 0)") || out.contains("exists (P0:a = 0 /\\ P1:b = 0)"), "{out}");
    assert!(out.contains("SC allows and TSO forbids: there is no such program, because TSO is weaker"), "{out}");
    let (status, out, _) = separate(&["wra", "ra", "--json"]);
    assert_eq!(status, 0);
    let list: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((&list[0]["allowed_by"], &list[0]["events"]), (&"wra".into(), &2.into()));
    assert_eq!((&list[1]["allowed_by"], &list[1]["verdict"]), (&"ra".into(), &"impossible".into()));
    let (status, out, _) = separate(&["tso", "sc", "--dialect", "x86_64"]);
    assert_eq!(status, 0, "{out}");
    assert!(out.contains("X86_64"), "{out}");
}

#[test]
fn bounds_are_said() {
    let (status, out, _) = separate(&["pso", "tso", "--events", "3"]);
    assert_eq!(status, 3);
    assert!(out.contains("none up to 3 events") && out.contains("bounded"), "{out}");
    let (status, out, _) = separate(&["pso", "tso", "--threads", "3", "--events", "4"]);
    assert_eq!(status, 3, "{out}");
}

#[test]
fn models_and_threads_have_to_make_sense() {
    for arguments in [
        &["tso", "tso"][..],
        &["tso"],
        &["tso", "arm"],
        &["tso", "sc", "--threads", "4..2"],
        &["tso", "sc", "--threads", "0"],
        &["tso", "sc", "--threads", "x"],
        &["tso", "sc", "--threads", "2..9"],
        &["tso", "sc", "--events", "7"],
        &["tso", "sc", "--dialect", "arm"],
    ] {
        let (status, out, err) = separate(arguments);
        assert_eq!((status, out.as_str()), (2, ""), "{arguments:?}");
        assert!(!err.is_empty());
    }
}
