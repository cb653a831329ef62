//! Large programs: as many threads and events as there is room for.

use crate::common::run;
use litmoscope::explore::{Algorithm, Options, Step};
use litmoscope::model::Model;
use litmoscope::program::{Code, Limits, MAX_THREADS};
use litmoscope::session::{Session, Settings, ViewRequest, link};
use litmoscope::syntax::parse;
use std::sync::Arc;

/// A program of as many threads as there may be, the first ones given.
fn of_many_threads(first: &str) -> String {
    let first: Vec<_> = first.split("||").map(str::to_owned).collect();
    let others = (first.len()..MAX_THREADS).map(|thread| format!("l[{thread}] := 1"));
    let threads: Vec<_> = first.iter().cloned().chain(others).collect();
    threads.join(" || ")
}

/// Whatever the algorithm, it finds what there is.
#[test]
fn as_many_threads_as_there_may_be_are_explored() {
    for (first, executions) in [("fai(x) || fai(x)", 2), ("a := l[255] || l[255] := 2", 3)] {
        let text = of_many_threads(first);
        let program = parse(&text).expect("so many threads are a program").program;
        assert_eq!(program.threads.len(), MAX_THREADS);
        let code = Arc::new(Code::compile(&program).expect("so many threads can be explored"));
        for algorithm in Algorithm::all_that_see_all().filter(|algorithm| !algorithm.tracks_co()) {
            for model in [Model::SC, Model::TSO, Model::RC11] {
                if !algorithm.knows(model) {
                    continue;
                }
                let Ok(mut explorer) = algorithm.explorer(Arc::clone(&code), model, Options::default()) else {
                    continue;
                };
                while explorer.advance() != Step::Done {}
                assert_eq!(explorer.counts().executions(), executions, "{algorithm:?} under {model:?}: {first}");
            }
        }
    }
}

/// A long loop is explored to its end, with and without co, under each model.
#[test]
fn long_loops_are_explored() {
    let text = "i := 0; while i < 5000 { i := i + 1; x := i }";
    for model in ["sc", "tso", "pso", "wra", "ra", "sra", "rc11"] {
        for algorithm in ["trust", "trust_co"] {
            let arguments = ["explore", "-", "--quiet", "--unroll", "5000", "--model", model, "--algorithm", algorithm];
            let (status, out, err) = run(&arguments, text);
            assert_eq!(status, 0, "{model}, {algorithm}: {out}{err}");
            assert!(out.contains("1 complete, 0 blocked"), "{model}, {algorithm}: {out}");
        }
    }
}

/// What is beyond all room is cut, and that is said.
#[test]
fn loops_beyond_all_room_are_cut() {
    let text = "i := 0; while i < 10000 { i := i + 1; x := i } || y := 1";
    let arguments = ["explore", "-", "--quiet", "--unroll", "10000", "--algorithm", "trust_co"];
    let (status, out, _) = run(&arguments, text);
    assert_eq!(status, 3, "{out}");
    assert!(out.contains("5,000 events: that is its share of the 10,000"), "{out}");
}

/// Sessions go as far as they have room, and say so; links lead to where they were made.
#[test]
fn sessions_say_what_they_have_no_room_for() {
    let text = "i := 0; while i < 1200 { i := i + 1; x := i }";
    let program = parse(text).expect("a program").program;
    let code = Code::compile(&program).expect("it can be explored");
    let limits = Limits { unroll: 1200, ..Limits::default() }.with_room_for(&code);
    assert_eq!(limits.events, Limits::MAX_EVENTS);
    let settings = Settings {
        text: text.to_owned(),
        algorithm: Algorithm::TrustCo,
        options: Options::within(limits),
        ..Settings::default()
    };
    let link = link::encode(&settings);
    assert_eq!(link::decode(&link).expect("it is a link"), settings);
    let mut session = Session::open(settings).expect("it can be stepped through");
    assert!(session.run(u64::MAX), "it goes on for ever");
    assert!(session.is_full() && !session.is_done() && !session.forward());
    assert_eq!(session.counts().executions(), 0);
    let view = session.view(&ViewRequest::default());
    assert!(view.verdict_text.contains("litmoscope explore"), "{}", view.verdict_text);
    // As far as it goes, there is a way back.
    assert!(session.go_to(500, u64::MAX));
    assert_eq!(session.position(), 500);
}

/// Programs that need no more room than usual are explored as ever.
#[test]
fn small_programs_have_the_usual_room() {
    for text in ["x := 1; a := y || y := 1; b := x", "i := 0; while i < 5 { i := i + 1; x := i } || x := 1"] {
        let code = Code::compile(&parse(text).expect("a program").program).expect("it can be explored");
        assert_eq!(Limits::default().with_room_for(&code), Limits::default(), "{text}");
    }
}
