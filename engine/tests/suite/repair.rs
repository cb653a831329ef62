//! `litmoscope repair` and `litmoscope relax`, run as a user would.

use crate::common::run;
use serde_json::Value;

fn public(name: &str) -> String {
    format!("{}/../public/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn json(options: &[&str], input: &str) -> (i32, Value) {
    let (status, out, err) = run(&[options, &["--json"]].concat(), input);
    (status, serde_json::from_str(&out).unwrap_or_else(|error| panic!("{options:?}: {error}\n{out}{err}")))
}

/// Each repair as its changes, in the order in which they are printed.
fn found(json: &Value) -> Vec<String> {
    let change = |change: &Value| format!("{}: {}", change["line"], change["what"].as_str().unwrap_or_default());
    let all =
        |found: &Value| found["changes"].as_array().expect("changes").iter().map(change).collect::<Vec<_>>().join("; ");
    json["found"].as_array().expect("repairs").iter().map(all).collect()
}

#[test]
fn store_buffering_and_message_passing_are_repaired() {
    let (status, out, _) = run(&["repair", &public("sb.lit"), "--model", "tso"], "");
    assert_eq!(status, 0);
    assert!(
        out.starts_with(
            "SB under TSO: 4 minimal repairs. Each rules out an execution that ends with P0:a=0, P1:b=0.\n"
        ),
        "{out}"
    );
    assert!(out.contains("P0, line 7  a := y  put a fence in front: fence sc"), "{out}");
    assert!(out.contains("store-order: W(x,1) =ppo=> F sc =ppo=> R(y,0) -fr-> W(y,1)"), "{out}");
    let (_, tso) = json(&["repair", &public("sb.lit"), "--model", "tso"], "");
    assert_eq!(found(&tso)[0], "7: put a fence in front: fence sc; 7: put a fence in front: fence sc");
    assert_eq!(tso["found"][0]["ruled_out"][0]["cycle"][0]["made"], true);
    assert_eq!((tso["verdict"].as_str(), tso["whole"].as_bool()), (Some("found"), Some(true)));
    let (_, rc11) = json(&["repair", &public("mp.lit"), "--model", "rc11"], "");
    assert_eq!(found(&rc11).len(), 4);
    let (_, pso) = json(&["repair", &public("mp.lit"), "--model", "pso", "--only", "fences"], "");
    assert_eq!(found(&pso), ["7: put a fence in front: fence rel"]);
    let (_, iriw) = json(&["repair", &public("iriw.lit"), "--model", "rc11"], "");
    assert_eq!(found(&iriw)[0], "7: put a fence in front: fence sc; 7: put a fence in front: fence sc");
}

/// Each changed program that is printed forbids the outcome, and is what the changes say.
#[test]
fn repaired_programs_are_repaired() {
    for (name, model) in [
        ("sb.lit", "tso"),
        ("sb-x86.litmus", "tso"),
        ("mp-c11.litmus", "rc11"),
        ("peterson.lit", "tso"),
        ("race.lit", "rc11"),
    ] {
        let (_, repaired) = json(&["repair", &public(name), "--model", model], "");
        let all = repaired["found"].as_array().expect("repairs");
        assert!(!all.is_empty() || repaired["verdict"] == "nothing_to_do", "{name}");
        for repair in all {
            let text = repair["program"].as_str().expect("a program");
            let (status, again) = json(&["repair", "-", "--model", model], text);
            assert_eq!((status, again["verdict"].as_str()), (0, Some("nothing_to_do")), "{name}:\n{text}");
        }
    }
}

#[test]
fn what_is_kept_and_what_costs_is_chosen() {
    let sb = public("sb.lit");
    let all = |options: &[&str]| found(&json(&[&["repair", sb.as_str(), "--model", "tso"], options].concat(), "").1);
    assert_eq!(all(&["--only", "exchanges"]), ["6: make it an exchange; 6: make it an exchange"]);
    assert_eq!(all(&["--only", "fences,exchanges"]).len(), 4);
    assert_eq!(all(&["--keep", "7"]), ["6: make it an exchange; 6: make it an exchange"]);
    assert!(all(&["--keep", "6..7"]).is_empty());
    // Where an exchange is cheaper than a fence, that comes first.
    assert_eq!(all(&["--costs", "x86"])[0], "6: make it an exchange; 6: make it an exchange");
    let (status, out, _) = run(&["repair", &sb, "--model", "tso", "--keep", "6..7"], "");
    assert_eq!(status, 1);
    assert!(out.contains("nothing forbids an execution that ends with"), "{out}");
}

#[test]
fn what_is_not_needed_is_said() {
    let (status, out, _) = run(&["relax", &public("peterson-fences.lit"), "--model", "tso"], "");
    assert_eq!(status, 0);
    assert!(out.contains("1 maximal weakening. It still rules out an error or a data race."), "{out}");
    assert!(out.contains("fence rel  drop it"), "{out}");
    assert!(out.contains("Needed, even if nothing else is weaker:\n   P0, line 8  fence sc  drop it"), "{out}");
    let (_, mcs) = json(&["relax", &public("mcs.lit"), "--model", "rc11"], "");
    assert_eq!(mcs["found"].as_array().map(Vec::len), Some(1));
    assert_eq!(mcs["needed"].as_array().map(Vec::len), Some(8));
    let (status, out, _) = run(&["relax", &public("mp-rel-acq.lit"), "--model", "rc11", "--same-outcomes"], "");
    assert_eq!(status, 0);
    assert!(out.contains("nothing can be weaker."), "{out}");
    let (_, out, _) = run(&["relax", &public("spinlock.lit"), "--model", "rc11"], "");
    assert!(out.contains("Its text calls nothing wrong"), "{out}");
    let wrong = "x :=na 1\n||\nx :=na 2";
    let (status, out, _) = run(&["relax", "-", "--model", "rc11"], &format!("{wrong}\n||\ny :=rel 1"));
    assert_eq!(status, 1);
    assert!(out.contains("already, before anything is weakened"), "{out}");
}

#[test]
fn what_can_not_be_asked_is_said() {
    let handlers = public("handlers/actors.lit");
    for (options, input, message) in [
        (&["repair", "-", "--forbid", "c=0"][..], "x := 1 || a := x", "the outcome, character 1"),
        (&["repair", "-", "--costs", "vax"], "x := 1 || a := x", "the tables that come with it are x86, arm, power"),
        (&["repair", "-", "--keep", "7..5"], "x := 1 || a := x", "the lines end before they begin: write 5..7"),
        (&["repair", "-"], "atomic { x := 1 } || a := x", "`repair` does without them"),
        (&["relax", &handlers], "", "`relax`"),
    ] {
        let (status, _, err) = run(options, input);
        assert_eq!(status, 2, "{options:?}: {err}");
        assert!(err.contains(message), "{options:?}: {err}");
    }
    let (status, out, _) = run(&["repair", "-", "--model", "sc"], "x := 1\n||\na := x\nexists (a = 1)");
    assert_eq!(status, 1);
    assert!(out.starts_with("The program under SC: nothing forbids"), "{out}");
    assert!(out.contains("One stays, whatever is strengthened"), "{out}");
    assert!(out.contains("SC orders all that a thread does: no fence and no mode adds to that."), "{out}");
    let (status, out, _) =
        run(&["repair", "-", "--model", "rc11", "--unroll", "2"], "while x = 0 { y := 1 }\n||\ny := 2\nexists (y = 3)");
    assert_eq!(status, 3);
    assert!(out.contains("a bound cut something"), "{out}");
}

/// What is published of locks, queues and the like is among the minimal repairs of the version without any order.
#[test]
fn published_orders_come_out() {
    const FENCE: &str = "put a fence in front: fence sc";
    let release = |line: u32| format!("{line}: make the write a release one");
    let acquire = |line: u32| format!("{line}: make the read an acquire one");
    let update = |line: u32, mode: &str| format!("{line}: make the read-modify-write {mode} one");
    let fence = |line: u32| format!("{line}: {FENCE}");
    let wish = |line: u32| format!("{line}: put a fence in front: fence rel");
    for (name, published) in [
        ("treiber", vec![update(10, "a release"), acquire(12)]),
        ("ticketlock", vec![acquire(8), release(10), acquire(13), release(15)]),
        ("spinlock", vec![update(6, "an acquire"), release(8), update(10, "an acquire"), release(12)]),
        ("dekker", vec![fence(8), fence(14)]),
        // Known under PSO: the wish is seen before the turn and what is done inside before the way is free, with a full fence between turn and look.
        ("peterson", vec![wish(8), fence(9), wish(12), wish(15), fence(16), wish(19)]),
        (
            "seqlock",
            vec![
                "9: put a fence in front: fence rel".to_owned(),
                release(11),
                acquire(8),
                "11: put a fence in front: fence acq".to_owned(),
            ],
        ),
        ("chase-lev", vec![release(9), release(11), fence(13), fence(25), acquire(25), fence(33), acquire(33)]),
    ] {
        let (status, repaired) = json(&["repair", &public(&format!("repair/{name}.lit"))], "");
        assert_eq!((status, repaired["whole"].as_bool()), (0, Some(true)), "{name}");
        let published = published.join("; ");
        assert!(found(&repaired).contains(&published), "{name}: {published}\n{:#?}", found(&repaired));
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    for (file, model) in [("peterson", "rc11"), ("chase-lev", "pso"), ("treiber", "rc11")] {
        let of = |option: &str, threads: &str| {
            json(&["repair", &public(&format!("repair/{file}.lit")), "--model", model, option, threads], "")
        };
        let alone = of("--threads", "1");
        assert_eq!(alone.0, 0, "{file}");
        assert_eq!(alone, of("--jobs", "3"), "{file}");
    }
}
