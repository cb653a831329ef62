//! `litmoscope fairness`, run as a user would.

use crate::common::run;
use serde_json::Value;
use std::fs;
use tempfile::TempDir;

fn fairness(options: &[&str], input: &str) -> (i32, String, String) {
    run(&[&["fairness"], options].concat(), input)
}

/// A file of `public/fairness/`.
fn public(name: &str) -> String {
    format!("{}/../public/fairness/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Files of a test.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(TempDir::new().expect("a folder"))
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_string_lossy().into_owned()
    }

    fn file(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        fs::write(&path, text).expect("it can be written");
        path
    }
}

/// The answers in the rows of a table: none, weak and strong.
fn table(out: &str) -> Vec<String> {
    let rows = out.lines().skip(1).take_while(|line| !line.starts_with("The columns"));
    rows.map(|line| {
        line.split_whitespace().rev().take(3).collect::<Vec<_>>().into_iter().rev().collect::<Vec<_>>().join(" ")
    })
    .collect()
}

#[test]
fn who_starves_at_which_lock_depends_on_what_is_promised() {
    for (name, expected, status) in [
        ("mutex", "yes yes no", 0),
        ("tas", "yes yes yes", 1),
        ("ttas", "yes yes yes", 1),
        ("ticket", "yes no no", 0),
        ("mcs", "yes no no", 0),
        ("peterson", "yes no no", 0),
        ("dekker", "yes no no", 0),
        ("alternation", "yes no no", 0),
        ("alternation-outside", "yes yes yes", 1),
        ("flags", "yes yes yes", 1),
    ] {
        for sets in ["bits", "diagrams"] {
            let (code, out, err) = fairness(&[&public(&format!("{name}.lit")), "--back-end", sets], "");
            assert!(!err.contains("error"), "{name}: {err}");
            let rows = table(&out);
            assert!(!rows.is_empty() && rows.iter().all(|row| row == expected), "{name}, {sets}:\n{out}");
            assert_eq!(code, status, "{name}, {sets}");
        }
    }
    let (_, out, _) = fairness(&[&public("readers-writers.lit")], "");
    assert_eq!(table(&out), ["yes yes no", "yes yes no", "yes yes yes"]);
    let (_, out, _) = fairness(&[&public("bakery.lit")], "");
    assert_eq!(table(&out)[..3], ["yes yes yes", "yes yes yes", "yes no no"]);
}

#[test]
fn a_buffer_has_to_empty() {
    let file = public("store-buffer.lit");
    let ask = |options: &[&str]| {
        let (status, out, _) = fairness(&[&[file.as_str(), "--ask", "P1 at 7 for ever"], options].concat(), "");
        (status, out)
    };
    assert_eq!(ask(&[]).0, 0);
    assert_eq!(ask(&["--fair", "none"]).0, 1);
    for model in ["tso", "pso"] {
        assert_eq!(ask(&["--model", model]).0, 0);
        let (status, out) = ask(&["--model", model, "--fair-buffers", "none"]);
        assert_eq!(status, 1);
        assert!(out.contains("and from there on for ever:\n"), "{out}");
        assert!(!out.contains("buffer of P0"), "the buffer never moves: {out}");
        let (_, drawn) = ask(&["--model", model, "--fair-buffers", "none", "--back-end", "diagrams"]);
        assert!(drawn.contains("and from there on for ever:\n"), "{drawn}");
    }
    // Under TSO, a buffer of two entries makes a thread wait, so that nothing was found is no proof.
    let (status, out, _) = fairness(&[&public("peterson.lit"), "--model", "tso", "--ask", "P0 at 7 for ever"], "");
    assert_eq!(status, 3);
    assert!(out.contains("Bounded: No run does so under strong fairness, but threads waited for room"), "{out}");
    let (status, _, err) = fairness(&[&file, "--model", "ra"], "");
    assert_eq!(status, 2);
    assert!(err.contains("fairness is asked of machines, and RA has none: choose one of SC, TSO, PSO"), "{err}");
}

#[test]
fn coins_break_the_ring() {
    let eats = |lines: [u32; 3]| -> Vec<String> {
        let each = (0..3).zip(lines);
        each.flat_map(|(at, line)| ["--ask".to_owned(), format!("P{at} at {line} finitely often")]).collect()
    };
    let ask = |name: &str, lines| {
        let (file, eats) = (public(name), eats(lines));
        let all: Vec<&str> = std::iter::once(file.as_str()).chain(eats.iter().map(String::as_str)).collect();
        fairness(&all, "")
    };
    let (status, out, _) = ask("philosophers.lit", [12, 21, 30]);
    assert_eq!(status, 1);
    assert!(out.contains("Yes. A run:\n"), "{out}");
    let (status, out, _) = ask("philosophers-coins.lit", [18, 34, 50]);
    assert_eq!(status, 0);
    assert!(out.contains("chance decides at 204 vertices.\nNo run does so under strong fairness.\n"), "{out}");
}

#[test]
fn a_run_goes_round_and_round() {
    let text =
        "shared l\nwhile 1 { while xchg(l, 1) = 1 { }; l := 0 }\n||\nwhile 1 {\nwhile xchg(l, 1) = 1 { }\nl := 0 }";
    let (status, out, err) = fairness(&["-", "--ask", "P1 at 5 for ever"], text);
    assert_eq!((status, err.as_str()), (1, ""));
    let cycle = out.split("for ever:\n").nth(1).expect("a cycle");
    assert!(cycle.contains("P0  xchg(l, 1)") && cycle.contains("P1  xchg(l, 1)"), "{out}");
    let (status, out, _) = fairness(&["-", "--ask", "P1 at 5 for ever", "--json"], text);
    assert_eq!(status, 1);
    let json: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(json["verdict"], "found");
    assert_eq!(json["vertices"], "7");
    assert!(json["steps"]["cycle"].as_array().is_some_and(|steps| steps.len() >= 3), "{out}");
    assert!(json["counts"]["symbolic_steps"].as_u64().is_some_and(|steps| steps > 0));
    // One thread alone is promised nothing.
    let mutex = "shared m\nwhile 1 {\nlock m\nunlock m }\n||\nwhile 1 {\nlock m\nunlock m }";
    for (options, status) in [
        (&["--fair", "strong"][..], 0),
        (&["--fair", "weak"], 1),
        (&["--fair-thread", "P0=none"], 1),
        (&["--fair-thread", "P1=none"], 0),
        (&["--scheduler", "random"], 0),
    ] {
        let all = [&["-", "--ask", "P0 at 3 for ever"], options].concat();
        assert_eq!(fairness(&all, mutex).0, status, "{options:?}");
    }
}

#[test]
fn algorithms_are_compared_and_decompositions_printed() {
    let (status, out, _) = fairness(&["--family", "blocks:3", "--compare"], "");
    assert_eq!(status, 1);
    let steps: Vec<(&str, &str)> =
        out.lines().skip(2).filter_map(|line| Some((line.get(..19)?.trim(), line.get(29..39)?.trim()))).collect();
    assert!(steps.contains(&("basic", "57")) && steps.contains(&("improved  never", "53")), "{out}");
    assert!(steps.contains(&("improved  1", "63")), "{out}");
    let (status, out, _) = fairness(&["--family", "cascade:10", "--json"], "");
    let json: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((status, &json["counts"]["symbolic_steps"]), (0, &Value::from(50)));
    let (_, _, err) = fairness(&["--family", "blocks:5", "--invariants", "--threshold", "never"], "");
    assert!(err.starts_with("note: all invariants hold after each of "), "{err}");
    let (_, out, _) = fairness(&["--family", "hypercube:27", "--sccs", "--back-end", "diagrams"], "");
    assert!(out.starts_with("134,217,728 vertices, 3,623,878,656 edges.\n1 strongly connected component of 134217728 vertices.\n83 symbolic steps"), "{out}");
    let (_, out, _) = fairness(&["--family", "philosophers:3", "--mecs"], "");
    assert!(
        out.starts_with(
            "1,310 vertices, 3,979 edges; chance decides at 354 vertices.\n1 maximal end component of 1310 vertices.\n"
        ),
        "{out}"
    );
}

const LOCK: &str = "fairness \"Lock\"
start free
free -> one, two
one -> done1
done1 -> one, two
two -> done2
done2 -> one, two
set holds2: two
set asks1: free done1 done2
set moved1: one done1
set asks2: free done1 done2
set moved2: two done2
";

#[test]
fn graphs_are_read_asked_and_written_in_all_formats() {
    let folder = Folder::new();
    let text = format!("{LOCK}pair asks1 -> moved1\npair asks2 -> moved2\n");
    let lock = folder.file("lock.fairness", &text);
    let (status, out, err) = fairness(&[&lock, "--ask", "holds2 finitely often"], "");
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    assert!(out.starts_with("5 vertices, 8 edges.\n"), "{out}");
    assert!(out.contains("No run from the start does.\n"), "{out}");
    let (status, out, _) = fairness(&[&lock], "");
    assert_eq!(status, 1);
    assert!(out.contains("A run: free, then for ever one done1 two done2\n") || out.contains("for ever"), "{out}");
    let (_, first, _) = fairness(&[&lock, "--json"], "");
    for ending in ["fairness", "tra", "dot", "json"] {
        let copy = folder.path(&format!("copy.{ending}"));
        let (_, _, err) = fairness(&[&lock, "--write", &copy], "");
        assert!(!err.contains("cannot"), "{ending}: {err}");
        // What PRISM's files have no place for stands beside them.
        let beside = folder.path("copy.pairs");
        let mut all = vec![copy.as_str(), "--json"];
        if ending == "tra" {
            all.extend(["--pairs", beside.as_str()]);
        }
        let (status, again, err) = fairness(&all, "");
        assert_eq!(status, 1, "{ending}: {err}");
        let counts = |out: &str| serde_json::from_str::<Value>(out).expect("JSON")["counts"].clone();
        assert_eq!(counts(&first), counts(&again), "{ending}");
    }
    let aut = folder.file("a.aut", "des (0, 3, 2)\n(0, \"ask\", 1)\n(1, \"get\", 0)\n(1, \"wait\", 1)\n");
    let (status, _, _) = fairness(&[&aut, "--last-action", "--ask", "wait -> none", "--ask", "ask -> get"], "");
    assert_eq!(status, 1);
    let storm = folder.file("s.tra", "mdp\n0 0 1 1/2\n0 0 0 1/2\n1 0 1 1\n");
    let (_, out, _) = fairness(&[&storm, "--mecs"], "");
    assert!(out.starts_with("2 vertices, 3 edges; chance decides at 1 vertices.\n"), "{out}");
}

#[test]
fn an_automaton_asks_as_pairs_do() {
    let folder = Folder::new();
    let lock = folder.file("lock.fairness", LOCK);
    let hoa = folder.file(
        "a.hoa",
        "HOA: v1\nStates: 1\nStart: 0\nAP: 2 \"asks2\" \"moved2\"\nacc-name: Streett 1\nAcceptance: 2 Fin(0) | Inf(1)\n\
         properties: deterministic\n--BODY--\nState: 0\n[0 & 1] 0 {0 1}\n[0 & !1] 0 {0}\n[!0 & 1] 0 {1}\n[!0 & !1] 0\n--END--\n",
    );
    let winning = |options: &[&str]| {
        let (status, out, err) =
            fairness(&[&[lock.as_str(), "--json", "--ask", "holds2 finitely often"], options].concat(), "");
        let json: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{err}"));
        (status, json["winning"].clone())
    };
    assert_eq!(winning(&["--ask", "asks2 -> moved2"]).0, 0);
    assert_eq!(winning(&["--product", &hoa]).0, 0);
    assert_eq!(winning(&["--ask", "asks1 -> moved1"]).0, 1);
    // Of a program, it speaks of claims.
    let claims = "HOA: v1\nStates: 1\nStart: 0\nAP: 1 \"P0 at 6\"\nacc-name: co-Buchi\nAcceptance: 1 Fin(0)\n--BODY--\nState: 0\n[!0] 0 {0}\n[0] 0\n--END--\n";
    let claims = folder.file("claims.hoa", claims);
    assert_eq!(fairness(&[&public("tas.lit"), "--product", &claims], "").0, 1);
    assert_eq!(fairness(&[&public("mutex.lit"), "--product", &claims], "").0, 0);
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let mutex = "shared m\nwhile 1 {\nlock m\nunlock m }\n||\nwhile 1 { lock m; unlock m }";
    for (options, input, said) in [
        (
            &["-", "--ask", "P9 at 3 for ever"][..],
            mutex,
            "error: there is no thread `P9`: there are `P0`, `P1`\n --> --ask:1:1",
        ),
        (
            &["-", "--ask", "P0 at 3"],
            mutex,
            "error: a question ends with `for ever`, `again and again` or `finitely often`",
        ),
        (&["-", "--fair-thread", "P9=weak"], mutex, "there is no thread P9: there are P0, P1"),
        (&["-"], "fairness\n0 -> 1\n1 -> 0\n", "nothing is asked of this graph: give --ask, --pairs or --product"),
        (
            &["-", "--ask", "x again and again"],
            "fairness\n0 -> 0\nset a: 0\n",
            "nothing has the label `x`: there are `a`",
        ),
        (&["-"], "des (0, 9, 2)\n(0, \"a\", 1)\n", ":1:"),
        (&["-"], "mdp\n0 0 1 0.5\n1 0 1 1\n", ":2:"),
        (&["-"], "shared x in 0..1\nwhile 1 { x := x + 1 }", "error: a value leaves its declared range here"),
        (
            &["-"],
            "while 1 { atomic { a := random 0..1; b := input 0..1; x := a + b } }\n|| c := x",
            "error: one step has both an `input` and a `random` value",
        ),
        (&["--family", "blocks:0"], "", "blocks has a size from 1 to 10000"),
        (&["--family", "rings:3"], "", "one of path, cycle, hypercube, cascade, blocks, philosophers, with a size"),
        (&["-", "--random-vertices", "10"], mutex, "--random-vertices is for graphs"),
    ] {
        let (status, _, err) = fairness(options, input);
        assert_eq!(status, 2, "{options:?}: {err}");
        assert!(err.contains(said), "{options:?}: {err}");
    }
    // A graph in which runs end.
    let (_, _, err) = fairness(&["-", "--ask", "a again and again"], "fairness\nset a: 0\n0 -> 1\n");
    assert!(err.contains("note: 1 vertex has no successor: no infinite run comes there"), "{err}");
    let (status, out, _) = fairness(&["-", "--states", "2"], mutex);
    assert_eq!((status, out.as_str()), (3, "Bounded: there are more than 2 states.\n"));
    let (status, out, _) = fairness(&["-", "--nodes", "10", "--back-end", "diagrams"], mutex);
    assert_eq!(status, 3, "{out}");
}

#[test]
fn every_public_program_is_read_and_asked() {
    let folder = format!("{}/../public/fairness", env!("CARGO_MANIFEST_DIR"));
    let mut asked = 0;
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("a file").path();
        if path.extension().is_some_and(|ending| ending == "lit") {
            let (status, out, err) = fairness(&[&path.to_string_lossy()], "");
            assert!(status < 2 && out.starts_with("Who can wait for ever"), "{path:?}: {err}");
            asked += 1;
        }
    }
    assert_eq!(asked, 15);
}
