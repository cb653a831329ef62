//! All algorithms against the oracle on random programs, and sessions against plain runs.

use litmoscope::explore::brute_force::candidates_up_to;
use litmoscope::explore::{Algorithm, Explorer, GenMc, Options, Step};
use litmoscope::model::Model;
use litmoscope::program::{Code, Program};
use litmoscope::session::{Reach, Session, Settings, View, ViewRequest};
use litmoscope::testing::{for_all, for_all_clients, seeds};
use litmoscope_tests::differential::compare;
use litmoscope_tests::programs::{classes, named};
use litmoscope_tests::random::{LIMITS, weaken, with_inputs, with_parts};
use litmoscope_tests::{TABULATED, check_blocking, counts, program};
use std::sync::Arc;

const OPTIONS: Options = Options::within(LIMITS);

/// The same set of graphs as the oracle, none twice, under every model.
#[test]
fn every_algorithm_is_sound_complete_and_optimal() {
    compare(OPTIONS, |program| Some(program.clone()), |seeds, check| for_all(seeds, check));
}

/// With mutexes and channels.
#[test]
fn mutexes_and_channels() {
    compare(OPTIONS, |program| Some(program.clone()), |seeds, check| for_all_clients(seeds, check));
}

/// With statements before and behind all threads.
#[test]
fn before_and_after() {
    compare(OPTIONS, with_parts, |seeds, check| for_all(seeds, check));
    compare(OPTIONS, with_parts, |seeds, check| for_all_clients(seeds, check));
}

/// With compare-and-swaps that may fail spuriously too.
#[test]
fn weak_compare_and_swaps() {
    compare(Options { spurious: true, ..OPTIONS }, weaken, |seeds, check| for_all(seeds, check));
}

/// With inputs, by all that know them.
#[test]
fn inputs() {
    compare(OPTIONS, with_inputs, |seeds, check| for_all(seeds, check));
    compare(OPTIONS, with_inputs, |seeds, check| for_all_clients(seeds, check));
}

/// Exact counts of programs with inputs, with what is assumed of initial ones, and with blocks that are one step.
#[test]
fn choices_are_counted() {
    let count = |text: &str, model, algorithm: Algorithm| -> Result<(u64, u64), String> {
        let code = Arc::new(program(text).1);
        OPTIONS.validate_for_program(algorithm, model, &code).map_err(|error| error.to_string())?;
        let mut explorer = algorithm.explorer(code, model, OPTIONS).map_err(|error| error.to_string())?;
        while explorer.advance() != Step::Done {}
        Ok((explorer.counts().executions(), explorer.counts().erroneous))
    };
    let all = [Algorithm::Genmc, Algorithm::GenmcCo, Algorithm::Trust, Algorithm::TrustCo, Algorithm::BruteForce];
    for algorithm in all {
        for (text, counts) in [
            ("a := input 0..3", (4, 0)),
            ("a := input 0..3; b := input {1, 5}; assert a != b", (8, 1)),
            // Each of three values is read, and what was there before.
            ("shared x\nx := input 1..3 || a := x", (6, 0)),
            // What is written depends on what is read.
            ("shared x, y\na := x; if a = 1 { b := input 0..2; y := b } || c := y; x := 1", (4, 0)),
            ("shared x = input 0..2\na := x || b := x", (3, 0)),
            ("shared x = input 0..2, y = input 0..2\nassuming x < y\na := x || b := y; assert b != 2", (3, 2)),
            ("shared x = input 0..2\nassuming x > 2\na := x", (0, 0)),
        ] {
            let text = text.replace("x := input 1..3", "i := input 1..3; x := i");
            assert_eq!(count(&text, Model::SC, algorithm), Ok(counts), "{algorithm:?}: {text}");
        }
    }
    for (text, counts) in [
        ("shared x\natomic { a := x; x := a + 1 } || atomic { b := x; x := b + 1 }", (2, 0)),
        ("shared x, y\natomic { x := 1; y := 1 } || atomic { x := 2; y := 2 }", (2, 0)),
        ("shared x\natomic { x := 1; x := 0 } || a := x; assert a = 0", (2, 0)),
        ("shared x\nx := 1; x := 0 || a := x; assert a = 0", (3, 1)),
    ] {
        assert_eq!(count(text, Model::SC, Algorithm::GenmcCo), Ok(counts), "{text}");
    }
    let refused = |text, model, algorithm| count(text, model, algorithm).expect_err("it is refused");
    assert_eq!(
        refused("shared x\n\natomic { x := 1; x := 0 }", Model::TSO, Algorithm::GenmcCo),
        "GenMC (co) can't explore this program: `atomic` in line 3 is one step under SC alone: choose it"
    );
    assert_eq!(
        refused("shared x\natomic { x := 1; x := 0 }", Model::SC, Algorithm::Trust),
        "TruSt can't explore this program: it does not know `atomic` in line 2; GenMC (co) does, and the lab Schedules and \
         `litmoscope schedule` know it"
    );
    assert_eq!(
        refused("a := input 0..1", Model::SC, Algorithm::SourceDpor),
        "Source-DPOR can't explore this program: it does not choose the input in line 1; GenMC, GenMC (co), TruSt, TruSt (co), \
         Brute force and Sampling do"
    );
    assert_eq!(
        refused("a := input 0..1000", Model::SC, Algorithm::Trust),
        "TruSt can't explore this program: the input in line 1 has too many values: up to 256 are tried; the lab Schedules and \
         `litmoscope schedule` know it"
    );
    assert_eq!(
        refused("shared x = input 0..100, y = input 0..100\na := x", Model::SC, Algorithm::Trust),
        "TruSt can't explore this program: the inputs have too many initial values: up to 4096 choices are explored; the lab \
         Schedules and `litmoscope schedule` know it"
    );
}

/// The published and the computed numbers of the named programs, with coherence orders counted one by one too.
#[test]
fn named_programs() {
    for litmus in named() {
        let code = Arc::new(program(&litmus.text).1);
        let counts = TABULATED.map(|model| {
            let mut explorer = GenMc::new(Arc::clone(&code), model, OPTIONS);
            let mut coherence = 0;
            loop {
                match explorer.advance() {
                    Step::Execution { .. } => coherence += model.coherence_count(explorer.execution()),
                    Step::Done => break,
                    _ => {}
                }
            }
            assert_eq!(explorer.counts().duplicates, 0, "{} under {model:?}", litmus.name);
            (explorer.counts().executions() as usize, coherence as usize)
        });
        assert_eq!(counts.map(|(plain, _)| plain), litmus.plain, "{}", litmus.name);
        assert_eq!(counts.map(|(_, coherence)| coherence), litmus.coherence, "{}", litmus.name);
    }
}

/// As many reads-from classes and Mazurkiewicz traces as are printed, by every algorithm.
#[test]
fn classes_under_sc() {
    for (text, [plain, coherence]) in classes() {
        let code = Arc::new(program(&text).1);
        let mut explorer = GenMc::new(Arc::clone(&code), Model::SC, OPTIONS);
        let mut orders = 0;
        loop {
            match explorer.advance() {
                Step::Execution { .. } => orders += Model::SC.coherence_count(explorer.execution()),
                Step::Done => break,
                _ => {}
            }
        }
        assert_eq!((explorer.counts().executions(), orders), (plain, coherence), "{text}");
        for algorithm in Algorithm::all_that_see_all() {
            let expected = if algorithm.tracks_co() { coherence } else { plain };
            // Some have too many candidates, and one has too many orders to be looked at one by one.
            if algorithm == Algorithm::BruteForce || expected > 1000 {
                continue;
            }
            let found = counts(&code, Model::SC, algorithm, OPTIONS).executions();
            assert_eq!(found, expected, "{text}: {}", algorithm.title());
        }
    }
}

/// Stuck and erroneous executions among them.
#[test]
fn stuck_and_erroneous_executions() {
    check_blocking(Algorithm::Genmc, OPTIONS);
}

fn session(program: &Program, model: Model, algorithm: Algorithm) -> Session {
    let settings = Settings { text: String::new(), model, algorithm, options: OPTIONS, position: 0 };
    Session::with_program(settings, program.clone(), Vec::new()).expect("random programs can be explored")
}

/// A view without what speaks of the frontier.
fn at_position(session: &Session) -> View {
    let view = session.view(&ViewRequest::default());
    View {
        frontier: 0,
        done: false,
        reach: Reach::Ongoing,
        tree: Default::default(),
        counts: Default::default(),
        outcomes: Default::default(),
        faults: Vec::new(),
        cuts: Vec::new(),
        condition: None,
        verdict_text: String::new(),
        verdict: litmoscope::explore::Verdict::Ok,
        fingerprint: String::new(),
        explanation: if view.step == Some(Step::Done) { String::new() } else { view.explanation },
        ..view
    }
}

/// Going back, jumping and going on show exactly what going forward showed.
#[test]
fn every_way_to_a_position_shows_the_same() {
    let mut positions = 0;
    for_all(seeds(20), |program| {
        for model in [Model::TSO, Model::RC11] {
            let mut session = session(program, model, Algorithm::Genmc);
            let mut forward = vec![at_position(&session)];
            while session.forward() && forward.len() < 2000 {
                forward.push(at_position(&session));
            }
            positions += forward.len();
            let check = |session: &Session, how: &str| {
                let position = session.position() as usize;
                if at_position(session) == forward[position] {
                    Ok(())
                } else {
                    Err(format!("{model:?}: {how} to {position} shows something else"))
                }
            };
            for _ in 0..forward.len().min(200) {
                session.back();
                check(&session, "back")?;
            }
            let mut position = 7;
            for _ in 0..20 {
                position = (position * 31 + 11) % forward.len();
                session.go_to(position as u64, u64::MAX);
                check(&session, "jumping")?;
                if session.forward() && session.position() < forward.len() as u64 {
                    check(&session, "forward")?;
                }
            }
            session.reset();
            check(&session, "reset")?;
        }
        Ok(())
    });
    println!("{positions} positions");
}

/// Sessions of brute force count what GenMC counts.
#[test]
fn algorithms_agree_on_counts_and_outcomes() {
    for_all(seeds(625), |program| {
        let code = Code::compile(program).map_err(|error| error.to_string())?;
        if candidates_up_to(2000, &code, LIMITS).is_err() {
            return Ok(());
        }
        for model in Model::ALL {
            let [genmc, brute_force] = [Algorithm::Genmc, Algorithm::BruteForce].map(|algorithm| {
                let mut session = session(program, model, algorithm);
                session.run(u64::MAX);
                let counts = session.counts();
                let mut outcomes: Vec<_> =
                    session.results().outcomes().map(|(state, outcome)| (state.to_vec(), outcome.count)).collect();
                outcomes.sort();
                (counts.complete, counts.blocked, counts.erroneous, counts.bounded, outcomes)
            });
            if genmc != brute_force {
                return Err(format!("{model:?}: GenMC {genmc:?}, brute force {brute_force:?}"));
            }
        }
        Ok(())
    });
}

/// Spurious failures are named wherever an option or a visit is.
#[test]
fn spurious_failures_are_explained() {
    let text = "a := wcas(x, 1, 2)\n||\nx := 1\n||\nb := wcas(x, 0, 3)".to_owned();
    let options = Options { spurious: true, ..Options::default() };
    let mut session = Session::open(Settings { text, options, ..Settings::default() }).expect("a program");
    let (mut pushed, mut taken, mut listed) = ([false; 2], [false; 2], false);
    while session.forward() {
        let view = session.view(&ViewRequest::default());
        listed |= view.pending.iter().flat_map(|pending| &pending.explored).any(|option| option.spurious);
        match view.step {
            Some(Step::PushSpurious { direction, .. }) => pushed[direction as usize] = true,
            Some(Step::TakeSpurious { direction, .. }) => {
                taken[direction as usize] = true;
                assert!(view.tree.rows.iter().any(|row| row.current && row.label.ends_with(", fails spuriously")));
            }
            _ => continue,
        }
        assert!(view.explanation.contains("fails spuriously"), "{}", view.explanation);
    }
    assert_eq!((pushed, taken, listed), ([true; 2], [true; 2], true));
}

/// Options name their writes with labels, also while those are in no graph.
#[test]
fn options_say_what_they_write() {
    let text = "x := 1\n||\na := y\nif a = 1 then y := 2\n||\nb := x\ny := b\n||\ny := 1";
    let mut session = Session::open(Settings { text: text.to_owned(), ..Settings::default() }).expect("a program");
    let mut absent = 0;
    while session.forward() {
        let view = session.view(&ViewRequest::default());
        for option in view.pending.iter().flat_map(|pending| &pending.options) {
            assert!(option.write.starts_with("init") || option.write.contains(" W("), "{}", option.write);
            let name = option.write.split(' ').next();
            absent += u32::from(view.drawing.nodes.iter().all(|node| Some(node.name.as_str()) != name));
        }
    }
    assert!(absent > 0);
}
