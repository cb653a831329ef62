//! Whatever is explored stops soon after it is told to, and goes on as if nothing had happened.
//!
//! Time is counted in units of work ([`litmoscope::budget`]), so that nothing here depends on how busy the machine is.
//!
//! Random programs of all sizes are told to stop, and the units that come later are bounded. Pauses change neither steps nor
//! results, nor what a limit cuts.

use litmoscope::budget::Budget;
use litmoscope::compare::{Asker, Cell, Comparer, ComparisonBounds, OutcomeQuestion, WhyNotAnswer};
use litmoscope::explore::{Algorithm, Effort, Explorer, Findings, Options, Pause, Results, Step, Verdict, Work};
use litmoscope::model::{Inquiry, Model};
use litmoscope::program::{Code, Limits, Program};
use litmoscope::session::{Session, Settings};
use litmoscope::testing::{large, seeds};
use litmoscope_tests::conformance::in_parallel;
use litmoscope_tests::program;
use std::sync::Arc;

/// Units of work that anybody may do after being told to stop: about 25 milliseconds.
const LATE: u64 = 1 << 20;
/// Units of work of the longest run: about fifty milliseconds.
const LONG: u64 = 1 << 21;

/// When a run is told to stop: a quarter of the programs have the longest runs, and any order of magnitude is as likely as
/// any other.
fn moment(program: u64, run: u64) -> u64 {
    let random =
        (program * 64 + run).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let longest = if program.is_multiple_of(4) { LONG } else { LONG / 8 };
    (longest >> (random % 18)) + (random >> 32) % 1000
}

/// Explores until it is told to stop; how many units of work it did then, and whether it was at its end before.
fn explore(
    algorithm: Algorithm,
    (program, code): (&Arc<Program>, &Arc<Code>),
    model: Model,
    options: Options,
    told: u64,
) -> (u64, bool) {
    let mut budget = Budget::unlimited().capped(told);
    let over = |budget: &Budget| budget.spent().saturating_sub(told);
    if algorithm.has_walk() {
        let walk =
            algorithm.walk_within(Arc::clone(code), Arc::clone(program), model, options, &Work::default(), &mut budget);
        let Ok(Some(mut walk)) = walk else { return (over(&budget), false) };
        let pause = walk.run_within(u64::MAX, u64::MAX, &mut budget);
        // What is left can be said, and what was found.
        assert_eq!(walk.work().is_some(), pause == Pause::Steps);
        walk.take_findings();
        return (over(&budget), pause != Pause::Steps);
    }
    let mut explorer = algorithm.lazy_explorer(Arc::clone(code), model, options);
    let (mut results, mut inquiry) = (Results::new(program), Inquiry::default());
    while let Ok(step) = explorer.advance_within(&mut budget) {
        if step == Step::Done {
            return (over(&budget), true);
        }
        let effort = Effort { limit: options.limits.search, inquiry: &mut inquiry, budget: &mut budget };
        if results.observe_within(program, code, model, &*explorer, step, effort).is_err() {
            break;
        }
    }
    (over(&budget), false)
}

/// Programs of all sizes, each model and algorithm: two threads with 200 accesses of one location, 16 threads with 60,
/// read-modify-writes alone, and whatever is between.
#[test]
fn everybody_stops_soon_after_being_told() {
    let seeds: Vec<u64> = seeds(500).collect();
    let failures = in_parallel(&seeds, |&seed| {
        let text = large(seed);
        let (parsed, code) = program(&text);
        let (parsed, code) = (Arc::new(parsed), Arc::new(code));
        let mut failures = Vec::new();
        let mut ended = 0;
        for algorithm in Algorithm::ALL {
            for (place, model) in Model::ALL.into_iter().enumerate().filter(|(_, model)| algorithm.knows(*model)) {
                let told = moment(seed, algorithm as u64 * 8 + place as u64);
                let (late, whole) = explore(algorithm, (&parsed, &code), model, Options::default(), told);
                ended += u64::from(whole);
                if late > LATE {
                    failures.push(format!("{} under {model}, seed {seed}: {late} units late", algorithm.name()));
                }
            }
        }
        (failures, ended)
    });
    let ended: u64 = failures.iter().map(|(_, ended)| ended).sum();
    let failures: Vec<String> = failures.into_iter().flat_map(|(failures, _)| failures).collect();
    assert!(
        failures.is_empty(),
        "{} runs are late, among them:\n{}",
        failures.len(),
        failures[..failures.len().min(20)].join("\n")
    );
    // Both kinds of runs are there: those that end by themselves, and those that have to be told.
    let programs = seeds.len() as u64;
    assert!((programs..programs * 30).contains(&ended), "{ended} runs came to their end");
}

/// One that alternates between adding and taking away, which once made a single step of minutes.
#[test]
fn a_hard_question_does_not_hold_up_anybody() {
    let thread = "while 1 { fai(x); fai(x, -1) }";
    let (parsed, code) = program(&format!("{thread} || {thread}"));
    let (parsed, code) = (Arc::new(parsed), Arc::new(code));
    let options = Options::from(Limits { unroll: 10, ..Limits::default() });
    for algorithm in Algorithm::ALL {
        for model in Model::ALL.into_iter().filter(|&model| algorithm.knows(model)) {
            let (late, whole) = explore(algorithm, (&parsed, &code), model, options, 1 << 22);
            assert!(late <= LATE && !whole, "{algorithm:?} under {model}: {late} units late");
        }
    }
}

/// The same step by step, paused again and again: the steps, and how often it was paused. Pauses are not to be seen.
fn steps_in_pieces(
    algorithm: Algorithm,
    code: &Arc<Code>,
    model: Model,
    options: Options,
    units: u64,
) -> (Vec<Step>, u64) {
    let mut explorer = algorithm.explorer(Arc::clone(code), model, options).expect("it is small");
    let (mut steps, mut pauses) = (Vec::new(), 0);
    let shown = |explorer: &dyn Explorer| (explorer.execution().clone(), explorer.cut().to_vec(), explorer.prefix());
    while steps.last() != Some(&Step::Done) {
        let before = shown(&*explorer);
        match explorer.advance_within(&mut Budget::of(units)) {
            Ok(step) => steps.push(step),
            Err(_) => {
                pauses += 1;
                assert!(shown(&*explorer) == before, "{algorithm:?} under {model}: a pause within {units} shows");
            }
        }
    }
    (steps, pauses)
}

/// Explores all, paused again and again within steps; what was found, and how often it was paused.
fn in_pieces(
    algorithm: Algorithm,
    (program, code): (&Arc<Program>, &Arc<Code>),
    model: Model,
    options: Options,
    units: u64,
) -> (Findings, u64) {
    let limit = options.limits.search;
    let mut pauses = 0;
    let walk = algorithm.walk(Arc::clone(code), Arc::clone(program), model, options, &Work::default());
    if let Some(mut walk) = walk {
        let mut found = Findings::new(program);
        loop {
            // Now this pauses searches, now all that is done.
            let mut budget = if pauses % 2 == 0 { Budget::of(units) } else { Budget::of(units).capped(units * 64) };
            let pause = walk.run_within(u64::MAX, u64::MAX, &mut budget);
            pauses += 1;
            if pauses % 3 == 0 && pause == Pause::Steps {
                // Somebody else goes on.
                found.append(walk.take_findings());
                let rest = walk.work().expect("there is more");
                walk =
                    algorithm.walk(Arc::clone(code), Arc::clone(program), model, options, &rest).expect("it is a part");
                // The search has to come to its end at some time.
                walk.run(1);
            }
            if pause != Pause::Steps {
                found.append(walk.take_findings());
                return (found, pauses);
            }
        }
    }
    let mut explorer = algorithm.explorer(Arc::clone(code), model, options).expect("it is small");
    let (mut found, mut inquiry) = (Findings::new(program), Inquiry::default());
    loop {
        let Ok(step) = explorer.advance_within(&mut Budget::of(units)) else {
            pauses += 1;
            continue;
        };
        loop {
            let mut budget = Budget::of(units);
            let effort = Effort { limit, inquiry: &mut inquiry, budget: &mut budget };
            match found.results.observe_within(program, code, model, &*explorer, step, effort) {
                Ok(_) => break,
                Err(_) => pauses += 1,
            }
        }
        if step == Step::Done {
            found.counts = explorer.counts();
            return (found, pauses);
        }
    }
}

/// Pauses change nothing: neither what is found nor how many steps that takes.
#[test]
fn pauses_change_nothing() {
    // Once, a limit cut more of a question if it was paused at the end of a round that changed nothing.
    let seeds: Vec<u64> = [1057, 3052].into_iter().chain(seeds(250)).collect();
    let paused = in_parallel(&seeds, |&seed| {
        let sampled = litmoscope::testing::sample(seed);
        let Ok(code) = Code::compile(&sampled) else { return (0, 0) };
        let (parsed, code) = (Arc::new(sampled), Arc::new(code));
        let (mut paused, mut undecided) = (0, 0);
        for algorithm in Algorithm::ALL {
            for model in Model::ALL.into_iter().filter(|&model| algorithm.knows(model)) {
                let units = 1 + seed % 50;
                // A limit cuts the same, too: some questions of these programs are beyond it.
                let short = Limits { search: 50 << (seed % 7), ..Limits::default() };
                let parameters = litmoscope::testing::few_runs(algorithm);
                for options in [Options::default(), short.into()].map(|options| Options {
                    parameters,
                    stuck_loops: true,
                    ..options
                }) {
                    let whole = in_pieces(algorithm, (&parsed, &code), model, options, u64::MAX / 64).0;
                    let (pieces, pauses) = in_pieces(algorithm, (&parsed, &code), model, options, units);
                    paused += pauses;
                    undecided += u64::from(whole.counts.undecided > 0);
                    assert_eq!(pieces.counts, whole.counts, "{algorithm:?} under {model}, seed {seed}");
                    assert_eq!(pieces.results, whole.results, "{algorithm:?} under {model}, seed {seed}");
                    let whole = steps_in_pieces(algorithm, &code, model, options, u64::MAX).0;
                    let (pieces, pauses) = steps_in_pieces(algorithm, &code, model, options, units);
                    paused += pauses;
                    assert!(pieces == whole, "{algorithm:?} under {model}, seed {seed}: other steps");
                }
            }
        }
        (paused, undecided)
    });
    let many = seeds.len() as u64;
    assert!(paused.iter().map(|(paused, _)| paused).sum::<u64>() > 10 * many, "they are paused");
    assert!(paused.iter().map(|(_, undecided)| undecided).sum::<u64>() > many / 2, "some have no answer");
}

/// Whoever stops behind an error, in front of the whole graph, leaves it to those who go on.
#[test]
fn an_error_is_found_once_whoever_goes_on() {
    let text = "assert 0; a := x || fai(x); fai(x, -1); fai(x) || fai(x); fai(x, -1)";
    let (parsed, code) = program(text);
    let (parsed, code) = (Arc::new(parsed), Arc::new(code));
    for algorithm in [Algorithm::Trust, Algorithm::TrustCo] {
        for model in [Model::SC, Model::TSO, Model::RC11] {
            let walk = |work: &Work| {
                algorithm
                    .walk(Arc::clone(&code), Arc::clone(&parsed), model, Options::default(), work)
                    .expect("it is a part")
            };
            let mut whole = walk(&Work::default());
            while whole.run(u64::MAX) == Pause::Steps {}
            let whole = whole.take_findings();
            let mut stopped_ahead = 0;
            for cap in 1..4000 {
                let mut first = walk(&Work::default());
                let pause = first.run_within(u64::MAX, u64::MAX, &mut Budget::unlimited().capped(cap));
                let mut found = first.take_findings();
                stopped_ahead += u64::from(pause == Pause::Steps);
                if let Some(rest) = first.work() {
                    let mut second = walk(&rest);
                    while second.run(u64::MAX) == Pause::Steps {}
                    found.append(second.take_findings());
                }
                assert_eq!(found.counts, whole.counts, "{algorithm:?} under {model}, {cap}");
                assert_eq!(found.results, whole.results, "{algorithm:?} under {model}, {cap}");
            }
            assert!(stopped_ahead > 100, "{stopped_ahead} were stopped, {algorithm:?} under {model}");
        }
    }
}

/// A program of which the order of the SC fences has to be searched for, however small it is.
const FENCED: &str = "x := 1; fence(sc); fai(y); a := y || y := 2; fence(sc); fai(x); b := x\n";

/// What was not decided is neither forbidden nor impossible.
#[test]
fn no_outcome_is_forbidden_for_want_of_an_answer() {
    let text = FENCED.to_owned() + "exists (P0:a = 1 /\\ P1:b = 1)";
    let (parsed, code) = program(&text);
    let (parsed, code) = (Arc::new(parsed), Arc::new(code));
    let compared = |search: u64| {
        let options = Options::from(Limits { search, ..Limits::default() });
        let models = [Model::RA, Model::SRA, Model::RC11];
        Comparer::new(Arc::clone(&parsed), Arc::clone(&code), &models, options, ComparisonBounds::default()).compare()
    };
    let (whole, cut) = (compared(u64::MAX), compared(60));
    assert!(whole.models.iter().all(|model| !model.undecided));
    assert!(cut.models.iter().any(|model| model.undecided));
    let mut unknown = 0;
    for outcome in &cut.outcomes {
        for (cell, model) in outcome.cells.iter().zip(&cut.models) {
            assert!(
                !(model.undecided && matches!(cell, Cell::Forbidden { .. })),
                "{:?} under {}",
                outcome.state,
                model.model
            );
            unknown += u32::from(*cell == Cell::Unknown);
        }
    }
    assert!(unknown > 0);
    let question = OutcomeQuestion::of_condition(&parsed).expect("it has a condition");
    for model in [Model::RA, Model::SRA, Model::RC11] {
        let asked = |search: u64| {
            let options = Options::from(Limits { search, ..Limits::default() });
            Asker::new(&parsed, Arc::clone(&code), &question, model, options, ComparisonBounds::default()).ask()
        };
        let (whole, cut) = (asked(u64::MAX), asked(60));
        assert!(!whole.undecided && !matches!(whole.answer, WhyNotAnswer::Unknown));
        assert_eq!(cut.undecided, matches!(cut.answer, WhyNotAnswer::Unknown), "{model}");
    }
}

/// A session that comes back within steps shows the same as one that does not, whichever way it goes.
#[test]
fn sessions_are_paused_within_steps() {
    let text = "fai(x); fai(x, -1); a := x || fai(x); fai(x, -1); b := x";
    for algorithm in [Algorithm::Genmc, Algorithm::Trust, Algorithm::RfSmc, Algorithm::BruteForce] {
        for model in [Model::SC, Model::TSO] {
            let settings = Settings { text: text.to_owned(), model, algorithm, ..Settings::default() };
            let mut whole = Session::open(settings.clone()).expect("a program");
            whole.run(u64::MAX);
            let mut paused = Session::open(settings).expect("a program");
            paused.be_patient(3);
            let mut pauses = 0_u64;
            while !paused.run(7) {
                pauses += u64::from(paused.is_paused());
            }
            assert!(pauses > 20, "{pauses} pauses, {algorithm:?} under {model}");
            assert_eq!(paused.fingerprint(), whole.fingerprint(), "{algorithm:?} under {model}");
            assert_eq!(paused.results(), whole.results());
            for position in (0..whole.frontier()).rev().step_by(37) {
                while !paused.go_to(position, u64::MAX) {}
                whole.go_to(position, u64::MAX);
                assert_eq!((paused.position(), paused.step()), (position, whole.step()));
                assert_eq!(paused.explorer().execution(), whole.explorer().execution(), "{algorithm:?} at {position}");
            }
        }
    }
}

/// Beyond its limit, a question is left undecided, and the result says so.
#[test]
fn what_is_not_decided_is_told() {
    let text = FENCED.to_owned() + "forall (x <> 7)";
    let mut bounded = 0;
    for algorithm in Algorithm::ALL {
        for model in [Model::SC, Model::RA, Model::WRA, Model::SRA, Model::RC11] {
            if !algorithm.knows(model) {
                continue;
            }
            let limits = Limits { search: 40, ..Limits::default() };
            let settings =
                Settings { text: text.clone(), model, algorithm, options: limits.into(), ..Settings::default() };
            let mut session = Session::open(settings).expect("a program");
            session.run(u64::MAX);
            let left = session.counts().undecided + session.results().unlisted();
            let is_open = left > 0 || algorithm.leaves_condition_open(session.program());
            let verdict = session.results().verdict(session.program(), session.coverage());
            assert_eq!(verdict == Verdict::Bounded, is_open, "{algorithm:?} under {model}");
            assert_eq!(session.counts().duplicates, 0, "{algorithm:?} under {model}");
            bounded += u32::from(left > 0);
        }
    }
    assert!(bounded > 10, "{bounded} are bounded");
}

/// Where 40 locations have two writers each, one execution has 2^40 combinations of last writes. They are cut where memory is.
#[test]
fn combinations_of_last_writes_are_cut() {
    let locations: Vec<String> = (0..40).map(|n| format!("x{n}")).collect();
    let thread =
        |value| locations.iter().map(|location| format!("{location} := {value}")).collect::<Vec<_>>().join("; ");
    let all = locations.iter().map(|location| format!("{location} <> 7")).collect::<Vec<_>>().join(" /\\ ");
    for condition in [String::new(), format!("forall ({all})")] {
        let text = format!("shared {}\n{} || {}\n{condition}", locations.join(", "), thread(1), thread(2));
        for algorithm in [Algorithm::Trust, Algorithm::RfSmc] {
            for model in Model::ALL.into_iter().filter(|&model| algorithm.knows(model)) {
                let limits = Limits { search: 1 << 20, ..Limits::default() };
                let settings =
                    Settings { text: text.clone(), model, algorithm, options: limits.into(), ..Settings::default() };
                let mut session = Session::open(settings).expect("a program");
                while !session.run(u64::MAX) {}
                let results = session.results();
                let words = results.outcomes().len() as u64 * 40;
                assert!(words <= limits.search / 8, "{words} words, {algorithm:?} under {model}");
                assert_eq!(results.unlisted(), 1, "{algorithm:?} under {model}");
                let verdict = results.verdict(session.program(), session.coverage());
                assert_eq!(verdict, Verdict::Bounded, "{algorithm:?} under {model}");
            }
        }
    }
}
