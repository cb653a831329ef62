//! Both back-ends against each other: step by step, label by label. And all schedules at once against one after the other.

use super::{Limit, Options, Step, Verdict, Verifier, bounded, solver};
use crate::formula::{Formula, Interval, Predicates, Set, Store, Symbolic, Valuation, Variable};
use crate::published::{asserting_buffer, failing_buffer};
use litmoscope_core::budget::Budget;
use litmoscope_core::program::Code;
use litmoscope_core::program::system::System;
use litmoscope_core::random::Random;
use litmoscope_core::syntax::parse;
use litmoscope_core::testing::looping::{Shape, looping};
use litmoscope_core::testing::seeds;
use std::sync::Arc;

/// How many valuations are looked at of each label.
const LOOKED_AT: u128 = 512;

/// A step without its labels, and these.
fn apart<L: Clone + std::fmt::Debug>(step: &Step<L>) -> (String, Vec<L>) {
    match step {
        Step::Interpolate { purpose, path, predicates } => (format!("{purpose:?} {path:?}"), predicates.clone()),
        Step::Strengthen { node, before, after, .. } => {
            (format!("strengthen {node:?}"), vec![before.clone(), after.clone()])
        }
        // Its inputs may be others.
        Step::Counterexample(found) => {
            let steps: Vec<_> = found.steps.iter().map(|(step, _)| *step).collect();
            (format!("{:?} {:?} {steps:?}", found.wrong, found.node), Vec::new())
        }
        other => (format!("{other:?}"), Vec::new()),
    }
}

/// Some valuations within ranges: all, if they are few.
fn valuations(ranges: &[Interval], seed: u64) -> Vec<Valuation> {
    let count = ranges.iter().fold(1_u128, |count, range| count.saturating_mul(range.len()));
    let mut random = Random::new(seed);
    let at = |mut number: u128| {
        let value = |(at, range): (usize, &Interval)| {
            let value = range.low + (number % range.len()) as i64;
            number /= range.len();
            (Variable(at as u32), value)
        };
        ranges.iter().enumerate().map(value).collect::<Valuation>()
    };
    if count <= LOOKED_AT {
        return (0..count).map(at).collect();
    }
    let mut draw = |range: &Interval| range.low + random.below(range.len() as u64) as i64;
    let mut one = || ranges.iter().zip(0..).map(|(range, at)| (Variable(at), draw(range))).collect();
    (0..LOOKED_AT).map(|_| one()).collect()
}

/// What differs first; or how many labels were compared, and the verdict.
fn compare(system: &Arc<System>, options: Options, seed: u64) -> Result<Option<(usize, Verdict)>, String> {
    let mut budget = Budget::unlimited();
    let Ok(mut sets) = Verifier::sets(system.clone(), options) else { return Ok(None) };
    let options = Options { nodes: sets.options.nodes, ..options };
    let mut store = Store::new();
    let (symbols, _) = bounded(system, &mut store);
    let predicates = Symbolic::new(store, solver(&symbols.ranges));
    let mut symbolic = Verifier::with(system.clone(), options, symbols, predicates);
    let ranges = symbolic.symbols.ranges.clone();
    let valuations = valuations(&ranges, seed);
    let mut labels = 0;
    loop {
        let one = symbolic.advance(&mut budget).expect("it is not paused");
        let other = sets.advance(&mut budget).expect("it is not paused");
        let undecided = |verdict: Option<Verdict>| verdict == Some(Verdict::Bounded(Limit::Undecided));
        if undecided(symbolic.verdict()) || undecided(sets.verdict()) {
            return Ok(None);
        }
        let (Some(one), Some(other)) = (&one, &other) else {
            let verdict = symbolic.verdict();
            let is_same = one.is_none() && other.is_none() && verdict == sets.verdict();
            return match verdict {
                Some(verdict) if is_same => Ok(Some((labels, verdict))),
                _ => Err(format!("{one:?}\n{other:?}\n{verdict:?}, {:?}", sets.verdict())),
            };
        };
        let ((shape, formulas), (other_shape, other_sets)): ((_, Vec<Formula>), (_, Vec<Set>)) =
            (apart(one), apart(other));
        if shape != other_shape || formulas.len() != other_sets.len() {
            return Err(format!("{one:?}\n{other:?}"));
        }
        for (formula, set) in formulas.iter().zip(&other_sets) {
            for valuation in &valuations {
                let (by_formula, by_set) =
                    (symbolic.predicates.holds(formula, valuation), sets.predicates.holds(set, valuation));
                if by_formula != by_set {
                    return Err(format!("{shape}: {by_formula} and {by_set} of {valuation:?}"));
                }
            }
            labels += 1;
        }
    }
}

fn system(text: &str) -> Option<Arc<System>> {
    let program = parse(text).unwrap_or_else(|wrong| panic!("{text}\n{wrong:#?}")).program;
    let code = Code::compile(&program).expect("code");
    System::of(&program, &code).ok().map(Arc::new)
}

#[test]
fn both_back_ends_agree_on_each_label_within_the_ranges() {
    let (mut compared, mut labels, mut verdicts) = (0, 0, [0; 4]);
    for seed in seeds(1_000) {
        let text = looping(seed, Shape { threads: 2 + seed % 2, statements: 3, ..Shape::default() });
        let Some(system) = system(&text) else { continue };
        let options = Options { nodes: 200, reduction: seed % 2 == 0, complete: seed % 5 == 0, ..Options::default() };
        let found = compare(&system, options, seed);
        let Some((of, verdict)) = found.unwrap_or_else(|wrong| panic!("seed {seed}\n{text}\n{wrong}\n{options:?}"))
        else {
            continue;
        };
        compared += 1;
        labels += of;
        verdicts[match verdict {
            Verdict::Safe => 0,
            Verdict::PartiallySafe => 1,
            Verdict::Unsafe => 2,
            Verdict::Bounded(_) => 3,
        }] += 1;
    }
    println!("{compared} programs, {labels} labels; safe, partially safe, unsafe, bounded: {verdicts:?}");
    assert!(labels > compared && verdicts[..3].iter().all(|of| *of > 0), "{compared}, {labels}, {verdicts:?}");
}

#[test]
fn both_back_ends_agree_on_published_programs() {
    let read = |name: &str| {
        let path = format!("{}/../../../public/schedules/{name}.lit", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(path).expect("it is there")
    };
    let names =
        ["double-lock", "file-system", "file-system-assume", "file-system-useful", "barrier", "crossing", "sections"];
    for text in names.map(read).into_iter().chain([failing_buffer(2, 1, 1), asserting_buffer(5, 1, 1)]) {
        let system = system(&text).expect("a system");
        let options = Options { iterations: 3, ..Options::default() };
        let found = compare(&system, options, 0).unwrap_or_else(|wrong| panic!("{text}\n{wrong}"));
        assert!(found.is_some(), "{text}");
    }
}

#[test]
fn sets_look_at_inputs_with_many_values() {
    let text = "shared x = input 0..100\nassert x < 101; a := input 0..100; assert a < 101";
    let system = system(text).expect("a system");
    let verdict = |mut budget: Budget, complete| {
        let options = Options { complete, ..Options::default() };
        let mut verifier = Verifier::sets(system.clone(), options).expect("few valuations");
        while verifier.advance(&mut budget).expect("it is not paused").is_some() {}
        verifier.verdict()
    };
    assert_eq!(verdict(Budget::unlimited(), false), Some(Verdict::Safe));
    assert_eq!(verdict(Budget::unlimited(), true), Some(Verdict::Safe));
}

#[test]
fn all_schedules_at_once_have_the_same_verdict() {
    let mut counts = [0; 3];
    for seed in seeds(750) {
        let text = looping(seed, Shape { threads: 3, statements: 3, ..Shape::default() });
        let Some(system) = system(&text) else { continue };
        let mut budget = Budget::unlimited();
        let mut verdict = |complete| {
            let options = Options { complete, nodes: 400, question: 1 << 22, ..Options::default() };
            let mut verifier = Verifier::symbolic(system.clone(), options);
            while verifier.advance(&mut budget).expect("it is not paused").is_some() {}
            assert!(!complete || verifier.found().is_empty(), "it has no results");
            verifier.verdict().expect("it is over")
        };
        let is_safe = |verdict| match verdict {
            Verdict::Safe => Some(true),
            Verdict::PartiallySafe | Verdict::Unsafe => Some(false),
            Verdict::Bounded(_) => None,
        };
        let (one, other) = (is_safe(verdict(false)), is_safe(verdict(true)));
        counts[match (one, other) {
            (Some(one), Some(other)) => {
                assert_eq!(one, other, "seed {seed}\n{text}");
                usize::from(one)
            }
            _ => 2,
        }] += 1;
    }
    println!("wrong, safe, unknown to one: {counts:?}");
    assert!(counts[0] > 0 && counts[1] > 0, "{counts:?}");
}
