//! Random runs against exploring everything.

use litmoscope::explore::{Algorithm, Options, Parameters, Step, Verdict};
use litmoscope::graph::CanonicalExecution;
use litmoscope::model::Model;
use litmoscope::program::{Code, Limits};
use litmoscope::session::{Session, Settings, ViewRequest, link};
use litmoscope::testing::{for_all, for_all_clients, seeds};
use litmoscope_tests::random::LIMITS;
use litmoscope_tests::{counts, program};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

const SAMPLE: Algorithm = Algorithm::Sample;

fn options(chosen: &[(&str, u32)]) -> Options {
    let parameters = Parameters::named(SAMPLE, chosen.iter().copied()).expect("they are in range");
    Options { parameters, spurious: true, ..Options::from(LIMITS) }
}

/// The executions that an algorithm finds, and how often runs led to each.
fn found(
    algorithm: Algorithm,
    model: Model,
    code: &Arc<Code>,
    options: Options,
) -> Result<BTreeMap<CanonicalExecution, u32>, String> {
    let mut explorer = algorithm.explorer(Arc::clone(code), model, options).map_err(|error| error.to_string())?;
    let (mut all, mut numbered) = (BTreeMap::new(), Vec::new());
    loop {
        match explorer.advance() {
            Step::Execution { number, .. } => {
                let graph = explorer.execution().canonical();
                if all.insert(graph.clone(), 1).is_some() || number != numbered.len() as u64 + 1 {
                    return Err(format!("{model:?}: execution {number} is not new"));
                }
                numbered.push(graph);
            }
            Step::Repeated { number } => {
                let graph = explorer.execution().canonical();
                if numbered[number as usize - 1] != graph {
                    return Err(format!("{model:?}: it is not execution {number}"));
                }
                *all.entry(graph).or_default() += 1;
            }
            Step::Drop | Step::Undecided | Step::Duplicate if algorithm == SAMPLE => {
                return Err(format!("{model:?}: a run came to nothing"));
            }
            Step::Done => break,
            _ => {}
        }
    }
    let counts = explorer.counts();
    let runs = all.values().map(|times| u64::from(*times)).sum::<u64>();
    if algorithm == SAMPLE && (counts.runs != runs || counts.repeated + counts.executions() != runs) {
        return Err(format!("{model:?}: {runs} runs, counted {counts:?}"));
    }
    Ok(all)
}

/// Every execution that runs find is one, and all that there are can be found: of programs with few executions, all are.
fn finds_what_there_is(code: &Arc<Code>) -> Result<[usize; 2], String> {
    const FEW: usize = 12;
    let mut seen = [0; 2];
    for model in Model::ALL {
        let whole = counts(code, model, Algorithm::Trust, options(&[]).without_reductions()).executions() as usize;
        if whole > 2000 {
            continue;
        }
        let all: BTreeSet<_> =
            found(Algorithm::Genmc, model, code, options(&[]).without_reductions())?.into_keys().collect();
        for chosen in [&[("runs", 60)][..], &[("runs", 60), ("changes", 2)]] {
            let some = found(SAMPLE, model, code, options(chosen))?;
            if let Some(wrong) = some.keys().find(|graph| !all.contains(*graph)) {
                return Err(format!("{model:?}: no execution: {wrong:#?}"));
            }
            seen[0] += some.len();
        }
        if all.len() <= FEW {
            let some = found(SAMPLE, model, code, options(&[("runs", 4000)]))?;
            if some.len() != all.len() {
                return Err(format!("{model:?}: {} of {} executions", some.len(), all.len()));
            }
            seen[1] += 1;
        }
    }
    Ok(seen)
}

#[test]
fn runs_find_what_there_is() {
    let seeds = seeds(25);
    let mut seen = [0; 2];
    let mut check = |program: &litmoscope::program::Program| {
        let code = Arc::new(Code::compile(program).map_err(|error| error.to_string())?);
        let new = finds_what_there_is(&code)?;
        seen = [seen[0] + new[0], seen[1] + new[1]];
        Ok(())
    };
    for_all(seeds.clone(), &mut check);
    for_all_clients(seeds.start..seeds.start + (seeds.end - seeds.start) / 3, &mut check);
    println!("seeds {seeds:?}: {} executions; all of them {} times", seen[0], seen[1]);
    assert!(seen.iter().all(|&seen| seen as u64 > seeds.end - seeds.start), "{seen:?}");
}

/// The same seed makes the same steps, another seed others.
#[test]
fn a_seed_determines_the_runs() {
    let (_, code) = program("x := 1; a := y || y := 1; b := x || c := fai(x); d := y");
    let code = Arc::new(code);
    let steps = |seed: u32| {
        let mut explorer =
            SAMPLE.lazy_explorer(Arc::clone(&code), Model::TSO, options(&[("seed", seed), ("runs", 20)]));
        let mut steps = vec![explorer.advance()];
        while steps.last() != Some(&Step::Done) {
            steps.push(explorer.advance());
        }
        steps
    };
    assert_eq!(steps(7), steps(7));
    assert_ne!(steps(7), steps(8));
}

/// The bound of the paper: with the right number of change points, a run finds the error with at least that probability.
#[test]
fn priorities_find_errors_as_often_as_is_proved() {
    // An error that takes one ordering constraint: the second thread goes before the first is at its end.
    let long = "x := 1; x := 2; x := 3; x := 4; x := 5; x := 6; x := 7; x := 8; x := 9; x := 10; x := 11; done := 1";
    let first = format!("{long} || a := done; assert a = 1");
    // Two: the other thread runs between two accesses in a row.
    let second =
        "x := 1; x := 2; x := 3; a := y; x := 4; b := y; x := 5; x := 6; assert a = b || z := 1; y := 1; z := 2";
    for (text, changes, threads) in [(first.as_str(), 0, 2.0), (second, 1, 2.0)] {
        let (_, code) = program(text);
        let code = Arc::new(code);
        let chosen = options(&[("runs", 3000), ("changes", changes)]);
        let mut explorer = SAMPLE.lazy_explorer(Arc::clone(&code), Model::SC, chosen);
        let (mut wrong, mut longest) = (0, 0);
        // An execution that is wrong stays so when it is found again.
        let mut known = BTreeSet::new();
        loop {
            match explorer.advance() {
                Step::Execution { number, kind } => {
                    if kind == litmoscope::explore::ExecutionKind::Erroneous {
                        known.insert(number);
                        wrong += 1;
                    }
                }
                Step::Repeated { number } => wrong += u32::from(known.contains(&number)),
                Step::Done => break,
                _ => longest = longest.max(explorer.execution().len()),
            }
        }
        let bound = 3000.0 / (threads * (longest as f64).powi(changes as i32));
        // Five standard deviations: the first bound is exact.
        let chance = 5.0 * bound.sqrt();
        assert!(f64::from(wrong) >= bound - chance, "{text}: {wrong} of 3000 runs, at least {bound} are proved");
    }
}

/// Whatever runs find, they do not verify; what they find wrong is wrong.
#[test]
fn runs_verify_nothing() {
    let verdict = |text: &str, stop_at_first| {
        let options = Options { stop_at_first, ..options(&[("runs", 200)]) };
        let settings = Settings { text: text.to_owned(), algorithm: SAMPLE, options, ..Settings::default() };
        let mut session = Session::open(settings).expect("a program");
        session.run(u64::MAX);
        let view = session.view(&ViewRequest::default());
        (view.verdict, view.verdict_text, session.counts())
    };
    let (sound, text, counts) = verdict("x := 1 || a := x", false);
    assert_eq!((sound, counts.runs, counts.executions()), (Verdict::Bounded, 200, 2));
    assert!(text.contains("200 random runs may miss executions. Nothing wrong was found."), "{text}");
    let wrong = "x := 1; assert x = 1 || x := 2";
    let (whole, _, counts) = verdict(wrong, false);
    assert_eq!((whole, counts.runs), (Verdict::Violated, 200));
    let (first, _, counts) = verdict(wrong, true);
    assert_eq!((first, counts.erroneous), (Verdict::Violated, 1));
    assert!(counts.runs < 200, "{counts:?}");
    // A condition that some run refutes is refuted; one that none does is not decided.
    assert_eq!(verdict("x := 1 || a := x\n\nforall (P1:a = 0)", false).0, Verdict::Violated);
    assert_eq!(verdict("x := 1 || a := x\n\n~exists (P1:a = 7)", false).0, Verdict::Bounded);
}

/// A link has the seed; one with numbers that are out of range is refused.
#[test]
fn links_lead_to_the_same_run() {
    let settings = Settings {
        text: "x := 1 || a := x".to_owned(),
        algorithm: SAMPLE,
        options: Options { spurious: false, limits: Limits::default(), ..options(&[("seed", 9), ("changes", 3)]) },
        position: 5,
        ..Settings::default()
    };
    let linked = link::decode(&link::encode(&settings)).expect("it was just made");
    assert_eq!(linked, settings);
    let mut wrong = settings.clone();
    wrong.options.parameters.choose(0, Some(0));
    let message = link::decode(&link::encode(&wrong)).expect_err("no run is no sample").to_string();
    assert!(message.contains("`runs` is 0; it has to be from 1"), "{message}");
    wrong = Settings { algorithm: Algorithm::Genmc, ..settings };
    let message = link::decode(&link::encode(&wrong)).expect_err("it has no seed").to_string();
    assert!(message.contains("genmc has no parameter"), "{message}");
}
