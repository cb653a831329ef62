//! `litmoscope protocol`, run as a user would.

use crate::common::run;
use serde_json::Value;

macro_rules! library {
    ($name:literal) => {
        include_str!(concat!("../../../public/protocols/", $name, ".protocol"))
    };
}

fn protocol(input: &str, options: &[&str]) -> (i32, String, String) {
    run(&[&["protocol", "-"], options].concat(), input)
}

#[test]
fn what_holds_for_all_runs_is_said_with_what_it_took() {
    let (status, out, err) = protocol(library!("msi"), &[]);
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(out.starts_with("MSI: 4 states, 14 transitions\nWRA: holds for all runs, by "), "{out}");
    assert!(out.contains("\nRA: holds for all runs, by ") && out.contains("\nSRA: holds for all runs, by "), "{out}");
    let (status, out, _) = protocol(library!("tso"), &["--set", "slots=2,variables=1", "--model", "sra"]);
    assert_eq!(status, 0);
    assert_eq!(out.lines().count(), 2, "{out}");
}

#[test]
fn what_is_violated_comes_with_a_shortest_run_and_its_cycle() {
    let (status, out, _) = protocol(library!("broadcast"), &["--initial", "nothing"]);
    assert_eq!(status, 1);
    assert!(out.contains("WRA: holds") && out.contains("RA: violated: the shortest such run has 8 steps\n"), "{out}");
    assert!(out.contains("has to be before") && out.ends_with("by the same run\n"), "{out}");
    let (status, out, _) = protocol(library!("m2"), &["--initial", "nothing", "--model", "wra", "--explain"]);
    assert_eq!(status, 1);
    assert!(out.contains("the shortest such run has 4 steps") && out.contains("Its shape: "), "{out}");
    assert!(out.contains("  Allowed by: none."), "{out}");
    let (_, out, _) = protocol(library!("broadcast"), &["--json"]);
    let json: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((json["verdict"].as_str(), json["states"].as_u64()), (Some("violated"), Some(8)));
    assert_eq!(json["models"][1]["run"].as_array().map(Vec::len), Some(8));
    assert_eq!(json["models"][0]["verdict"], "holds");
}

#[test]
fn single_runs_are_judged() {
    let (status, out, _) = protocol(library!("m2"), &["--run", "W t x a; W t x c; R f x c; R f x a"]);
    assert_eq!(status, 1);
    assert!(out.contains("It violates WRA.") && out.contains("R(x,1), from step 1"), "{out}");
    let (status, out, _) = protocol(library!("m2"), &["--run", "W t x a; W t x c; R f x c", "--explain"]);
    assert_eq!(status, 0);
    assert!(out.contains("It satisfies WRA, RA and SRA."), "{out}");
    let (status, _, err) = protocol(library!("m2"), &["--run", "W t x a; R f x a"]);
    assert_eq!(status, 2);
    assert!(err.contains("step 2, `R f x a`, can't be taken in state `q1`: what can is "), "{err}");
}

#[test]
fn bounds_are_said() {
    let (status, out, _) = protocol(library!("broadcast"), &["--initial", "nothing", "--steps", "7"]);
    assert_eq!(status, 3);
    assert!(out.contains("RA: bounded: no run of 7 steps violates it; longer ones were not looked at"), "{out}");
    assert_eq!(protocol(library!("broadcast"), &["--initial", "nothing", "--steps", "8"]).0, 1);
    let (status, out, _) = protocol(library!("tso"), &["--configurations", "100", "--model", "sra"]);
    assert_eq!(status, 3);
    assert!(out.contains("SRA: unknown: the search was given up at its limit"), "{out}");
}

#[test]
fn what_is_expanded_is_a_machine_that_says_the_same() {
    let (status, machine, _) = protocol(library!("tso"), &["--expand"]);
    assert_eq!(status, 0);
    let (status, out, _) = protocol(&machine, &[]);
    assert_eq!(status, 0);
    assert!(out.starts_with("TSO: 9 states, 66 transitions\n"), "{out}");
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let machine = "machine M\nthreads t\nvariables x y\nregisters a: x\n";
    for (text, place, message) in [
        ("", "1:1", "expected `protocol`, `machine` or `automata`, found the end of the text"),
        ("machine\nthreads t t\n", "2:11", "there are two threads `t`"),
        (&format!("{machine}q -> q: R t z a\n"), "5:13", "there is no variable `z`"),
        (&format!("{machine}q -> q: R u x a\n"), "5:11", "there is no thread `u`"),
        (&format!("{machine}q -> q: R t x b\n"), "5:15", "there is no register `b`"),
        (&format!("{machine}q -> q: X t x a\n"), "5:9", "`X` is not an operation"),
        (&format!("{machine}q -> q: R t y a\n"), "5:1", "R t y a may find a write to x in a"),
        (machine, "1:9", "the machine has no transition"),
        (&format!("{machine}start p\nq -> q: step\n"), "5:7", "there is no state `p`"),
        ("automata\nexpression a\n", "1:1", "a machine needs at least two automata"),
        ("automata\nexpression a(b\nexpression a\n", "2:13", "this is not a regular expression: unclosed group"),
        ("automata\nexpression a\\b\nexpression a\n", "2:13", "an assertion can't stand here"),
        ("automata\nexpression a[[:alpha:]]\n", "2:14", "a named class can't stand here"),
        ("automata\nexpression a-b\n", "2:13", "`-` is not a symbol"),
        ("automata\nexpression a{300}\nexpression a\n", "2:12", "with its repetitions written out"),
        ("automata\nautomaton\n0 -> 1: a\n0 -> 0: b a\n", "4:11", "`0` already has a step for `a`"),
        ("automata\n0 -> 1: a\n", "2:1", "this line does not belong to an automaton"),
        ("automata\nexpression a{40}\nexpression b{40}\n", "1:1", "the automata have 82 states together"),
        ("protocol P()\n", "1:10", "the protocol does not say how many threads there are"),
        ("protocol P(threads = 99, variables = 1)\n", "1:10", "there can't be 99 threads"),
        ("protocol P(threads = 1, variables = 1)\nrule\n", "2:1", "no line of a protocol begins with `rule`"),
        (
            "protocol P(threads = 1, variables = 1)\nregister a: x\non read t x { step }\n",
            "3:20",
            "expected `:=`, found `}`",
        ),
        (
            "protocol P(threads = 1, variables = 1)\nregister a: x\non read t x { W t x a }\n",
            "3:1",
            "this rule does not answer the read exactly once",
        ),
        (
            "protocol P(threads = 1, variables = 1)\ncontrol n: 0..1\nstep { n := n + 1 }\n",
            "3:8",
            "n becomes 2, which does not belong to its type",
        ),
        (
            "protocol P(threads = 1, variables = 1)\ncontrol n: 0..1\nstep when n { n := 1 }\n",
            "3:11",
            "0 is neither true nor false",
        ),
        (
            "protocol P(threads = 1, variables = 1)\nregister a[t: thread]: x\non read t x { R t x a[x] }\n",
            "3:21",
            "`a` has no index [x]",
        ),
        ("protocol P(threads = 1, variables = 1)\nregister thread: x\n", "2:10", "`thread` is a word of the language"),
    ] {
        let (status, out, err) = protocol(text, &[]);
        assert_eq!((status, out.as_str()), (2, ""), "{text}\n{err}");
        assert!(err.starts_with(&format!("error: {message}")), "{text}\n{err}");
        assert!(err.contains(&format!("standard input:{place}\n")), "{text}\n{err}");
        assert!(err.contains("= help: "), "{text}\n{err}");
    }
    let deep = format!(
        "protocol P(threads = 1, variables = 1)\nstep when {}true{} {{ }}\n",
        "(".repeat(5000),
        ")".repeat(5000)
    );
    assert_eq!(protocol(&deep, &[]).0, 2);
    // What explodes is stopped.
    let many = "protocol P(threads = 1, variables = 1)\ncontrol q: sequence of 0..99 up to 99\n\
                step choose(n: 0..99) when length(q) < 99 { push q n }\n";
    let (status, _, err) = protocol(many, &[]);
    assert_eq!(status, 2);
    assert!(err.contains("states") && err.contains("= help: use smaller parameters"), "{err}");
    let (_, _, err) = protocol("machine\nthreads t\nvariables x\nregisters a: x\nq -> q: W t x a\n", &[]);
    assert!(err.contains("no transition reads, so every memory model holds"), "{err}");
    let idle =
        "protocol P(threads = 1, variables = 1)\nregister a: x\non read t x { R t x a }\nstep never when false { }\n";
    let (status, _, err) = protocol(idle, &[]);
    assert_eq!(status, 0);
    assert!(err.contains("the rule `never` never applies"), "{err}");
}

#[test]
fn automata_are_violated_by_the_words_that_all_accept() {
    let (status, out, err) = protocol("automata Pair\nsymbols a b\nexpression a+\nexpression aa\n", &["--model", "ra"]);
    assert_eq!((status, err.as_str()), (1, ""));
    assert!(out.contains("31 transitions\nRA: violated: the shortest such run has 31 steps\n"), "{out}");
    assert!(out.contains("  It reads the word aa, which all automata accept.\n"), "{out}");
    let apart = "automata Pair\nexpression a(aa)*\nexpression (aa)*\n";
    let (status, out, _) = protocol(apart, &[]);
    assert_eq!(status, 0);
    assert_eq!(out.matches("  So no word is accepted by all automata.\n").count(), 2, "{out}");
    let (status, out, _) = protocol(apart, &["--as-printed", "--model", "ra"]);
    assert_eq!(status, 1);
    assert!(out.starts_with("Pair_as_printed: ") && out.contains("\nAs printed: "), "{out}");
    assert!(out.contains("  It reads the empty word, which automaton 1 does not accept.\n"), "{out}");
    let (_, out, _) = protocol(apart, &["--as-printed", "--json"]);
    let json: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((json["as_printed"].as_bool(), json["models"][1]["word"].as_str()), (Some(true), Some("")));
    let (status, _, err) = protocol(library!("msi"), &["--as-printed"]);
    assert_eq!(status, 2);
    assert!(err.starts_with("error: the printed version of this text does not differ\n"), "{err}");
}

#[test]
fn a_timeout_covers_each_phase() {
    // Expansion would take minutes, the search hours.
    let large = "protocol Large(threads = 2, variables = 1)\nregister a: x\ncontrol n: 0..999\ncontrol m: 0..999\n\
                 on read t x { R t x a }\nstep more when n < 999 { n := n + 1 }\nstep other when m < 999 { m := m + 1 }\n";
    let begin = std::time::Instant::now();
    let (status, out, _) = protocol(large, &["--timeout", "1"]);
    assert_eq!(
        (status, out.as_str()),
        (3, "standard input: unknown: the search was stopped, and not all of its states were found\n")
    );
    let (status, out, _) = protocol(large, &["--timeout", "1", "--json"]);
    assert_eq!(status, 3);
    assert_eq!(serde_json::from_str::<Value>(&out).expect("JSON")["verdict"], "unknown");
    // How long all states take to be found is the machine's affair. The answer takes longer than anybody waits.
    let is_in_the_answer = |timeout: &str| {
        let deep = ["--set", "slots=4,threads=3", "--model", "sra", "--timeout", timeout];
        let (status, out, _) = protocol(library!("tso"), &deep);
        assert_eq!(status, 3);
        out.contains("unknown: it was stopped before there was an answer")
    };
    assert!(["3", "5", "8", "12", "75"].iter().any(|timeout| is_in_the_answer(timeout)));
    assert!(begin.elapsed().as_secs() < 600);
}

fn file(name: &str) -> String {
    format!("{}/../public/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn programs_are_run_on_protocols_and_compared_with_models() {
    let sb = file("sb.lit");
    let (status, out, err) = protocol(library!("tso"), &["--program", &sb]);
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    assert!(out.contains(" on TSO: 4 outcomes, by ") && out.contains("forbidden by SC; no other model does"), "{out}");
    assert!(out.contains(" holds: this memory shows it.\n"), "{out}");
    assert!(out.contains("These are exactly the outcomes of TSO"), "{out}");
    let (status, out, _) = protocol(library!("msi-shared"), &["--program", &sb, "--set", "variables=2", "--explain"]);
    assert_eq!(status, 1);
    assert!(out.contains(" does not hold: this memory never shows it.\n"), "{out}");
    assert!(out.contains("These are exactly the outcomes of SC.\n") && out.contains("  1. W T"), "{out}");
    let (_, out, _) = protocol(library!("tso"), &["--program", &sb, "--json"]);
    let json: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((json["verdict"].as_str(), json["outcomes"].as_array().map(Vec::len)), (Some("holds"), Some(4)));
    // What is cut is said.
    let (status, out, _) = protocol(library!("tso"), &["--program", &sb, "--configurations", "10"]);
    assert_eq!(status, 3);
    assert!(out.contains("Unknown beyond runs of ") && out.contains("so far."), "{out}");
    assert!(!out.contains("These are exactly"), "{out}");
}

#[test]
fn programs_that_do_not_fit_a_protocol_are_refused() {
    for (name, options, message) in [
        ("sb-rmws.lit", &[][..], "a read-modify-write can't be run on a protocol"),
        ("lock-counter.lit", &[], "can't be run on a protocol"),
        ("iriw.lit", &[], "the program has 4 threads, the protocol 2"),
        ("sb.lit", &["--set", "variables=1"], "the program has 2 variables, the protocol 1"),
        ("2+2w.lit", &[], "a protocol has no final value of x"),
    ] {
        let path = file(name);
        let (status, out, err) = protocol(library!("tso"), &[&["--program", &path], options].concat());
        assert_eq!((status, out.as_str()), (2, ""), "{name}: {err}");
        assert!(err.starts_with("error: ") && err.contains(message) && err.contains("= help: "), "{name}: {err}");
    }
}

#[test]
fn what_is_exchanged_is_said_with_what_it_stands_for() {
    let (_, whole, _) = protocol(library!("tso"), &["--model", "sra"]);
    let (status, out, _) = protocol(library!("tso"), &["--model", "sra", "--symmetry"]);
    assert_eq!(status, 0);
    assert!(out.contains("\nSymmetry: explored up to exchanging T1 and T2; x and y.\n"), "{out}");
    let number = |text: &str, behind: &str| {
        let rest = text.split_once(behind).expect("it is said").1;
        rest.split_whitespace().next().expect("a number").replace(',', "").parse::<u64>().expect("a number")
    };
    assert_eq!(number(&out, "which stand for "), number(&whole, "SRA: holds for all runs, by "), "{out}{whole}");
    let (status, out, _) = protocol(library!("replicas"), &["--symmetry", "--set", "threads=3"]);
    assert_eq!(status, 1);
    assert!(out.contains("explored up to exchanging T1, T2 and T3.") && out.contains("The cycle:"), "{out}");
    let (_, out, _) = protocol(library!("m2"), &["--symmetry"]);
    assert!(out.contains("Symmetry: nothing was found that can be exchanged.\n"), "{out}");
}

#[test]
fn models_for_murphi_are_written() {
    let file = tempfile::NamedTempFile::new().expect("there is room");
    let path = file.path().to_str().expect("it is text");
    let (status, _, err) = protocol(library!("instant"), &["--model", "ra", "--murphi", path]);
    assert_eq!((status, err.as_str()), (0, ""));
    let model = std::fs::read_to_string(path).expect("it was written");
    assert!(model.starts_with("-- Instant against RA") && model.contains("invariant \"no cycle\""), "{model}");
    let (status, _, err) = protocol(library!("instant"), &["--murphi", path]);
    assert_eq!(status, 2);
    assert!(err.contains("--model"), "{err}");
}

/// The gallery has each of the library, and says of it what it is.
#[test]
fn the_library_is_in_the_gallery() {
    let public = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../public");
    let index = std::fs::read_to_string(public.join("protocols.json")).expect("the index");
    let index: Vec<Value> = serde_json::from_str(&index).expect("JSON");
    let listed: std::collections::BTreeSet<String> =
        index.iter().filter_map(|entry| Some(entry["file"].as_str()?.to_owned())).collect();
    let there = std::fs::read_dir(public.join("protocols")).expect("the library");
    let there = there.map(|file| format!("protocols/{}", file.expect("a file").file_name().to_string_lossy()));
    assert_eq!(listed, there.collect());
    for file in &listed {
        let text = std::fs::read_to_string(public.join(file)).expect("a file");
        let kind = litmoscope::document::Kind::of(&text);
        assert!(kind.is(&litmoscope::document::PROTOCOL) && text.starts_with("# "), "{file}");
        assert!(!kind.read(&text).unwrap_or_else(|wrong| panic!("{file}: {wrong:#?}")).size.is_empty());
    }
}

#[test]
fn a_step_of_a_run_may_say_where_it_leads() {
    let text = "machine M\nthreads t\nvariables x\nregisters a: x\nq -> p: W t x a\nq -> r: W t x a\nr -> q: R t x a\n";
    let (status, out, _) = protocol(text, &["--run", "W t x a -> r; R t x a"]);
    assert_eq!(status, 0, "{out}");
    let (status, _, err) = protocol(text, &["--run", "W t x a; R t x a"]);
    assert_eq!(status, 2);
    assert!(err.contains("step 2, `R t x a`, can't be taken in state `p`"), "{err}");
    let (_, _, err) = protocol(text, &["--run", "R t x a"]);
    assert!(err.contains("what can is W t x a -> p and W t x a -> r"), "{err}");
}

#[test]
fn as_many_threads_as_are_wanted_say_the_same() {
    let one = protocol(library!("broadcast"), &["--set", "threads=3", "--initial", "nothing", "--threads", "1"]);
    assert_eq!(one.0, 1);
    for threads in ["2", "5"] {
        let other =
            protocol(library!("broadcast"), &["--set", "threads=3", "--initial", "nothing", "--threads", threads]);
        assert_eq!(other, one);
    }
}
