//! Tests made from cycles: what is known of them, what the definitions say of them, and what their names promise.
//!
//! `tests/generated.tsv` has the cycles of thousands of litmus tests and what an independent simulator says of each. Families of
//! the generator are compared with the brute force, and SC has to forbid all. `make conformance` prints the same as a table.

use litmoscope::explore::{Algorithm, ExecutionKind, Options, Results, Step};
use litmoscope::generate::{Annotation, Cycle, Dialect, Family, Generated, generate, patterns};
use litmoscope::model::Model;
use litmoscope::program::{Code, Notation, Program};
use litmoscope_tests::TABULATED;
use litmoscope_tests::conformance::{in_parallel, run_table};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::sync::Arc;

/// The table, which has the answers of another tool.
#[test]
fn tests_made_from_cycles_end_as_is_known() {
    let rows = run_table();
    let tests: usize = rows.values().map(|row| row.tests).sum();
    let failures: Vec<&String> = rows.values().flat_map(|row| &row.failures).collect();
    println!("made and explored {tests} tests, {} of their answers differ", failures.len());
    assert!(tests > 6000, "{tests}");
    assert!(failures.is_empty(), "{} fail, among them:\n{:#?}", failures.len(), &failures[..failures.len().min(5)]);
}

fn family(
    edges: &str,
    modes: &[Annotation],
    dialect: Dialect,
    length: RangeInclusive<usize>,
    threads: RangeInclusive<usize>,
    critical: bool,
) -> Family {
    let edges = patterns(edges).expect("edges");
    Family::new(&edges, modes, dialect, length, threads, critical).expect("a family")
}

/// Executions of each kind, and final states with how often they were found.
type Outcome = ([u64; 3], BTreeMap<Vec<i64>, u64>);

fn outcome(program: &Program, model: Model, algorithm: Algorithm) -> Outcome {
    let code = Arc::new(Code::compile(program).expect("a program that can be explored"));
    let explorer = algorithm.explorer(Arc::clone(&code), model, Options::default());
    let mut explorer = explorer.expect("each algorithm explores each model");
    let mut results = Results::new(program);
    let mut kinds = [0; 3];
    loop {
        let step = explorer.advance();
        results.observe(program, &code, model, &*explorer, step);
        match step {
            Step::Execution { kind: ExecutionKind::Complete, .. } => kinds[0] += 1,
            Step::Execution { kind: ExecutionKind::Blocked | ExecutionKind::StuckForGood, .. } => kinds[1] += 1,
            Step::Execution { kind: ExecutionKind::Erroneous, .. } => kinds[2] += 1,
            Step::Done => break,
            _ => {}
        }
    }
    let states = results.outcomes().map(|(values, outcome)| (values.to_vec(), outcome.count)).collect();
    (kinds, states)
}

fn allowed(program: &Program, model: Model) -> bool {
    let code = Arc::new(Code::compile(program).expect("a program that can be explored"));
    let explorer = Algorithm::Genmc.explorer(Arc::clone(&code), model, Options::default());
    let mut explorer = explorer.expect("each algorithm explores each model");
    let mut results = Results::new(program);
    loop {
        let step = explorer.advance();
        results.observe(program, &code, model, &*explorer, step);
        if step == Step::Done {
            return results.outcomes().any(|(_, outcome)| outcome.satisfies == Some(true));
        }
    }
}

/// Families whose tests the brute force can explore: executions and final states are the same, under all models.
#[test]
fn families_are_explored_as_the_definitions_say() {
    use Annotation::{AcquireRelease, Plain, Relaxed, SequentiallyConsistent};
    let [own, c11, x86] = [Notation::Litmoscope, Notation::C11, Notation::X86_64].map(Dialect::from);
    let four = &[Plain, Relaxed, AcquireRelease, SequentiallyConsistent][..];
    // Each with how many there are, so that none is lost, and of how many one is taken.
    let families = [
        (family("Pod** Rfe Fre Coe", &[], own, 4..=6, 2..=4, true), 26, 1),
        (family("Pod** FenceScd** Rfe Fre Coe", &[], own, 4..=6, 2..=3, true), 121, 2),
        (family("Pod** Rfe Fre Coe", four, c11, 4..=4, 2..=2, true), 1176, 13),
        (family("Pod** Pos** Rfe Rfi Fre Fri Coe Coi", &[], own, 2..=5, 1..=4, false), 1723, 23),
        (family("Pod** Rfe Fre Coe Exch FetchAdd Cas", &[], own, 2..=6, 1..=4, false), 1754, 23),
        (family("Pod** MFenced** Exch Rfe Fre Coe", &[Plain, Annotation::Locked], x86, 2..=5, 2..=3, false), 5920, 67),
        (family("Pod** DpAddrdR DpDatadW DpCtrld* FenceReldWW Rfe Fre Coe", &[], own, 4..=5, 2..=3, true), 60, 1),
    ];
    let mut taken: Vec<Generated> = Vec::new();
    for (family, count, every) in &families {
        let cycles: Vec<Cycle> = family.cycles().collect();
        assert_eq!(cycles.len(), *count, "{family:?}");
        let dialect = family.dialect();
        let made = cycles.iter().step_by(*every).map(|cycle| cycle.generate(dialect).expect("a test"));
        taken.extend(made);
    }
    let failures: Vec<String> = in_parallel(&taken, |test| {
        let different = |model: &&Model| {
            outcome(&test.program, **model, Algorithm::Genmc) != outcome(&test.program, **model, Algorithm::BruteForce)
        };
        Model::ALL.iter().find(different).map(|model| format!("{model}:\n{}", test.text))
    })
    .into_iter()
    .flatten()
    .collect();
    println!("{} tests under {} models", taken.len(), Model::ALL.len());
    assert!(failures.is_empty(), "{} tests differ, among them {}", failures.len(), failures[0]);
}

/// Sequential consistency has no cycle, so it forbids every test.
#[test]
fn sequential_consistency_forbids_all() {
    use Annotation::{Locked, Plain};
    let [own, x86] = [Notation::Litmoscope, Notation::X86].map(Dialect::from);
    let all = "Pod** Pos** Rfe Rfi Fre Fri Coe Coi Exch FetchAdd Cas";
    let fences = "Pod** FenceScd** MFences** DpAddrd* DpDatasW DpCtrld* Rfe Fre Coe Coi";
    let families = [
        family(all, &[], own, 2..=5, 1..=5, false),
        family(fences, &[], own, 2..=4, 1..=4, false),
        family("Pod** Pos** Rfe Fre Coe Coi Exch", &[Plain, Locked], x86, 2..=4, 1..=4, false),
    ];
    for family in families {
        let cycles: Vec<Cycle> = family.cycles().collect();
        assert!(cycles.len() > 500, "{}", cycles.len());
        let witnesses = in_parallel(&cycles, |cycle| {
            let program = cycle.program(family.dialect()).expect("a test");
            allowed(&program, Model::SC).then(|| cycle.to_string())
        });
        let witnesses: Vec<String> = witnesses.into_iter().flatten().collect();
        assert!(witnesses.is_empty(), "{} of {}, among them {}", witnesses.len(), cycles.len(), witnesses[0]);
    }
}

/// The condition asks for the cycle and no more: with relaxed accesses and nothing in between, RC11 allows what does not
/// need a cycle of program order and reads-from, nor one of a thread's events of one location. Cycles with three and more
/// writes to a location are among them.
#[test]
fn relaxed_cycles_are_allowed() {
    let dialect = Dialect::from(Notation::Litmoscope);
    let family = family("Pod** Rfe Fre Coe", &[], dialect, 2..=7, 2..=7, false);
    let cycles: Vec<Cycle> = family.cycles().collect();
    let wrong = in_parallel(&cycles, |cycle| {
        let reads_from_alone = !cycle.to_string().contains("Fre") && !cycle.to_string().contains("Coe");
        // All changes of the location in one thread: it comes back to where it began.
        let words: Vec<String> = cycle.edges().iter().map(ToString::to_string).collect();
        let runs = |word: &String| !word.starts_with("Pod");
        let one_thread = words.split(runs).filter(|run| !run.is_empty()).count() == 1;
        let program = cycle.program(dialect).expect("a test");
        (allowed(&program, Model::RC11) == (reads_from_alone || one_thread)).then(|| cycle.to_string())
    });
    let observed = cycles.iter().filter(|cycle| {
        let program = cycle.program(dialect).expect("a test");
        program.threads.len() > cycle.threads()
    });
    assert!(observed.count() > 10);
    let wrong: Vec<String> = wrong.into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{} of {}, among them {}", wrong.len(), cycles.len(), wrong[0]);
}

/// Verdicts that the literature gives: which models of [`TABULATED`] (SC, TSO, PSO, SRA, RA, WRA, RC11) allow a test.
#[test]
fn named_tests_are_allowed_where_the_literature_says() {
    for (cycle, name, verdicts) in [
        ("PodWR Fre PodWR Fre", "SB", ".++++++"),
        ("FenceScdWR Fre FenceScdWR Fre", "SB+fsc+fsc", "......."),
        ("MFencedWR Fre PodWR Fre", "SB+mfence+po", ".++++++"),
        ("PodWW Rfe PodRR Fre", "MP", "..+...+"),
        ("PodWWRlxRel RfeRelAcq PodRRAcqRlx FreRlxRlx", "MP+xl+ax", "..+...."),
        ("PodRW Rfe PodRW Rfe", "LB", "......."),
        ("Rfe PodRR Fre Rfe PodRR Fre", "IRIW", "...++++"),
        ("RfeScSc PodRRScSc FreScSc RfeScSc PodRRScSc FreScSc", "IRIW+s+ss+s+ss", "...+++."),
        ("RfeRelAcq PodRRAcqAcq FreAcqRel RfeRelAcq PodRRAcqAcq FreAcqRel", "IRIW+l+aa+l+aa", "...++++"),
        ("Rfe PodRW Rfe PodRR Fre", "WRC", "......+"),
        ("PodWW Coe PodWW Coe", "2+2W", "..+.+++"),
        ("PodWW Coe PodWR Fre", "R", ".++++++"),
        ("PodWW Rfe PodRW Coe", "S", "..+...+"),
        ("Rfe PodRR Fre PodWR Fre", "RWC", ".++++++"),
        ("PodWR Fre PodWR Fre PodWR Fre", "3.SB", ".++++++"),
        ("Rfe PosRR Fre", "CoRR", "......."),
        ("PosWR Fre", "CoWR0", "......."),
        ("PosRW Rfe", "CoRW1", "......."),
        ("Rfe PosRW Coe", "CoRW2", "......."),
    ] {
        let test = generate(cycle, Dialect::from(Notation::Litmoscope)).expect("a test");
        assert_eq!(test.program.name, name);
        let found: String =
            TABULATED.iter().map(|model| if allowed(&test.program, *model) { '+' } else { '.' }).collect();
        assert_eq!(found, verdicts, "{name}");
    }
}

/// No two tests of a family have one name, on file systems that know no capitals either.
#[test]
fn names_are_unique() {
    use Annotation::{AcquireRelease, Locked, Plain, Relaxed, SequentiallyConsistent};
    let [own, c11, x86] = [Notation::Litmoscope, Notation::C11, Notation::X86].map(Dialect::from);
    let edges = "Pod** Pos** Rfe Rfi Fre Fri Coe Coi Exch FetchAdd";
    for family in [
        family(edges, &[], own, 2..=5, 1..=5, false),
        family("Pod** Rfe Fre Coe", &[Relaxed, AcquireRelease, SequentiallyConsistent], c11, 4..=5, 2..=3, true),
        family("Pod** FenceScd** FenceRels** DpAddrd* DpCtrls* DpDatadW Rfe Fre Coe", &[], c11, 2..=4, 1..=4, false),
        family("Pod** MFenced** Rfi Rfe Fre Coe", &[Plain, Locked], x86, 2..=4, 1..=4, false),
    ] {
        let mut names = BTreeSet::new();
        let mut count = 0;
        for cycle in family.cycles() {
            let name = cycle.name(family.dialect());
            // The name does not depend on where the cycle begins.
            let mut edges = cycle.edges().to_vec();
            edges.rotate_left(1);
            assert_eq!(Cycle::new(edges).expect("a cycle").name(family.dialect()), name);
            assert!(names.insert(name.to_lowercase()), "{name}");
            count += 1;
        }
        assert!(count > 300, "{count}");
    }
}
