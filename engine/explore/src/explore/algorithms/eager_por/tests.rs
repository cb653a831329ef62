use super::core::{Core, Mutation};
use super::section::Extent;
use crate::explore::runs::testing::{Found, found, of_all_runs, parse, same, small, traces, walk_as_steps};
use crate::explore::runs::{RunExplorer, Search};
use crate::explore::{Algorithm, Counts, Explorer, Options, Parameters, Step};
use crate::model::Model;
use crate::program::{Code, Program};
use crate::testing::{for_all, for_all_clients, seeds};
use std::sync::Arc;

const LONG: Extent = Extent { short: false, pairs: 12 };
const SHORT: Extent = Extent { short: true, pairs: 12 };
const EXTENTS: [Extent; 5] = [
    LONG,
    SHORT,
    Extent { short: false, pairs: 0 },
    Extent { short: false, pairs: 1 },
    Extent { short: false, pairs: 3 },
];

fn core(code: &Arc<Code>, options: Options, extent: Extent) -> Core {
    Core::new(Arc::clone(code), Model::SC, options, extent)
}

/// Whatever sections there are, each trace is found once, and counted as TruSt (co) does.
fn agree(program: &Program) -> Result<(), String> {
    let code = Arc::new(Code::compile(program).map_err(|error| error.to_string())?);
    let mut trust = Algorithm::TrustCo.lazy_explorer(Arc::clone(&code), Model::SC, small());
    let expected = found(&mut *trust)?;
    for extent in EXTENTS {
        let mut explorer = RunExplorer::new(core(&code, small(), extent));
        same(&mut explorer, &expected, trust.counts()).map_err(|error| format!("{extent:?}: {error}"))?;
        let Counts { sections, systems, unsatisfiable, dropped, .. } = explorer.counts();
        let traces = explorer.counts().executions();
        // An operation that waits at the end is in no section.
        let is_whole = sections == 1 && explorer.counts().complete == traces;
        if is_whole && (systems - unsatisfiable != traces || dropped > 0) {
            return Err(format!("{extent:?}: one section with {:?}", explorer.counts()));
        }
    }
    Ok(())
}

#[test]
fn random_programs_are_explored_as_by_trust() {
    for_all(seeds(1000), agree);
}

#[test]
fn random_clients_are_explored_as_by_trust() {
    for_all_clients(seeds(1000), agree);
}

/// The traces are those of all runs that there are.
#[test]
fn traces_are_those_of_all_runs() {
    let mut compared = 0;
    let mut check = |program: &Program| {
        let code = Arc::new(Code::compile(program).map_err(|error| error.to_string())?);
        let Some(expected) = of_all_runs(&code, Model::SC, small(), 5000) else { return Ok(()) };
        compared += 1;
        for extent in EXTENTS {
            let found = found(&mut RunExplorer::new(core(&code, small(), extent)))?;
            if found != expected {
                return Err(format!("{extent:?}: {} of {} traces", found.len(), expected.len()));
            }
        }
        Ok(())
    };
    for_all(seeds(1000), &mut check);
    for_all_clients(seeds(1000), &mut check);
    assert!(compared > 500, "only {compared} programs are small enough");
}

fn explored(text: &str, extent: Extent, mutation: Mutation) -> (Result<Found, String>, Counts) {
    let (_, code) = parse(text);
    let mut explorer = RunExplorer::new(core(&code, Options::default(), extent).mutated(mutation));
    let found = found(&mut explorer);
    (found, explorer.counts())
}

fn counts(text: &str, extent: Extent) -> Counts {
    explored(text, extent, Mutation::default()).1
}

#[test]
fn traces_are_as_many_as_printed() {
    for (text, expected) in traces() {
        for extent in EXTENTS {
            assert_eq!(counts(&text, extent).executions(), expected, "{extent:?}: {text}");
        }
    }
}

fn times(n: usize, thread: &dyn Fn(usize) -> String) -> String {
    (0..n).map(thread).collect::<Vec<_>>().join(" || ")
}

/// Tables of appendix A: traces, unsatisfiable systems and race checks of Readers-Writers, which is one section.
#[test]
fn readers_and_a_writer_are_one_section() {
    for n in 2..=13 {
        let text = format!("x := 1 || {}", times(n - 1, &|i| format!("a{i} := x")));
        let n = n as u64;
        for extent in [LONG, SHORT] {
            let counts = counts(&text, extent);
            assert_eq!((counts.executions(), counts.dropped), (1 << (n - 1), 0), "{n}");
            assert_eq!((counts.sections, counts.systems, counts.unsatisfiable), (1, 1 << (n - 1), 0), "{n}");
            assert_eq!(counts.race_checks, n * (n - 1) / 2, "{n}");
        }
    }
}

/// Tables of appendix A: Branching has one unsatisfiable system by long sections, none by short ones. Traces are those of
/// brute force, which the last of the table are not.
#[test]
fn branching_has_one_unsatisfiable_system() {
    let branching = |n: usize| {
        let test = |t: usize| format!("if x[{t}] = 0 then x[{}] := 1", (t + 1) % n);
        format!("shared x[{n}]\n{}", times(n, &|t| format!("{}\n{}\n", test(t), test(t))))
    };
    for (n, traces) in (2..).zip([11, 28, 103, 311, 1010, 3165, 10_063]) {
        for (extent, unsatisfiable) in [(LONG, 1), (SHORT, 0)] {
            let counts = counts(&branching(n), extent);
            assert_eq!((counts.executions(), counts.unsatisfiable), (traces, unsatisfiable), "{n}: {extent:?}");
        }
    }
}

/// Last Zero and Shared Pointer: their traces in closed form; Indexer: those of the table.
#[test]
fn other_benchmarks_have_their_traces() {
    let last_zero = |n: usize| {
        let workers = times(n - 1, &|j| format!("s := a[{j}]; a[{}] := s + 1", j + 1));
        format!(
            "shared a[{n}]\ni := {last}; r := a[{last}]; while (i > 0) * (r = 0) {{ i := i - 1; r := a[i] }} || {workers}",
            last = n - 1
        )
    };
    let shared_pointer = |n: usize| format!("{} q := 1 || {} p := 1", "a := p; ".repeat(n), "b := q; ".repeat(n));
    let indexer = |n: usize| {
        let insert = |t: usize, m: usize| {
            let message = 11 * m + t + 1;
            let slot = 7 * message % 128;
            format!("i := {slot}; repeat {{ r := cas(table[i], 0, {message}); i := (i + 1) % 128 }} until r = 0; ")
        };
        format!("shared table[128]\n{}", times(n, &|t| (1..5).map(|m| insert(t, m)).collect()))
    };
    for extent in [LONG, SHORT] {
        for n in 2..=9 {
            let of = counts(&last_zero(n), extent).executions();
            assert_eq!(of, (n as u64) << (n - 2), "Last Zero({n}), {extent:?}");
        }
        for n in [1, 2, 3, 5, 10, 20] {
            let of = counts(&shared_pointer(n), extent).executions();
            assert_eq!(of, 2 * n as u64 + 1, "Shared Pointer({n}), {extent:?}");
        }
        for (n, traces) in [(11, 1), (12, 8), (13, 64)] {
            assert_eq!(counts(&indexer(n), extent).executions(), traces, "Indexer({n}), {extent:?}");
        }
    }
}

/// As long as the whole program is a section, each way to put its dependent pairs in order is a trace or has no solution. Where
/// read and write are two events, a ring has one cycle: all read what is written behind.
#[test]
fn systems_are_all_orders_of_the_dependent_pairs() {
    for n in 2..=10 {
        let ring = times(n, &|t| format!("a := x[{t}]; x[{}] := a", (t + 1) % n));
        let counts = counts(&format!("shared x[{n}]\n{ring}"), LONG);
        assert_eq!((counts.sections, counts.systems, counts.unsatisfiable), (1, 1 << n, 1), "{n}");
        assert_eq!(counts.executions(), (1 << n) - 1, "{n}");
    }
    let many = |pairs| counts("fai(x) || fai(x) || fai(x) || fai(x)", Extent { short: false, pairs });
    assert_eq!((many(6).sections, many(6).systems, many(6).unsatisfiable), (1, 64, 40));
    assert!(many(5).sections > 1 && many(5).executions() == 24);
}

/// The section that a program begins with, as names of events.
fn first_section(text: &str, extent: Extent) -> (Vec<String>, u32) {
    let (_, code) = parse(text);
    let mut search = core(&code, Options::default(), extent);
    let mut budget = crate::budget::Budget::unlimited();
    let mut events = Vec::new();
    loop {
        match search.advance(&mut budget).expect("nothing stops it") {
            Step::JoinSection { event } => events.push(format!("{}.{}", event.thread.0, event.serial)),
            Step::EndSection { pairs, .. } => return (events, pairs),
            other => panic!("{other:?}"),
        }
    }
}

/// Figure 3.2: the first section ends where a branch follows, and where the order of two writes would decide what is written.
#[test]
fn sections_end_at_branches_and_hidden_dependencies() {
    let figure = "shared x[2], y, z\ny := 0; r := y; x[r] := 1 || if x[0] = 0 then z := 1 || y := 1";
    assert_eq!(first_section(figure, LONG), (vec!["0.1".into(), "0.2".into(), "0.3".into(), "1.1".into()], 1));
    assert_eq!(counts(figure, LONG).executions(), 5);
    // What was read before the section decides nothing in it, nor does what is only written.
    let data = "a := x; y := a || x := 1";
    assert_eq!(first_section(data, LONG), (vec!["0.1".into(), "0.2".into(), "1.1".into()], 1));
    // Whether a compare-and-swap writes is decided by what is there, which nobody else may write.
    let swaps = "cas(x, 0, 1) || cas(x, 0, 2)";
    assert_eq!(first_section(swaps, LONG), (vec!["0.1".into()], 0));
    let swap = "cas(x, 0, 1) || a := x || x := 3";
    assert_eq!(first_section(swap, LONG), (vec!["0.1".into(), "1.1".into()], 1));
    // Of a mutex, one thread alone.
    let locks = "lock m; unlock m || lock m; unlock m || lock n";
    assert_eq!(first_section(locks, LONG), (vec!["0.1".into(), "0.2".into(), "2.1".into()], 0));
    // Of each thread, at most one event that depends on another one.
    let dense = "x := 1; y := 1 || a := x; b := y";
    assert_eq!(first_section(dense, LONG).1, 2);
    assert_eq!(first_section(dense, SHORT), (vec!["0.1".into(), "0.2".into(), "1.1".into()], 1));
}

/// The program on which the printed algorithm loses a trace, and finds another twice: threads that sleep come into its sections.
#[test]
fn threads_that_sleep_stay_out_of_sections() {
    let text = "a := 1 || r := d || s := a; t := d; if t = 0 then { u := a; if u = 0 then d := 1 }";
    let (right, of) = explored(text, LONG, Mutation::default());
    assert_eq!((right.map(|found| found.len()), of.executions()), (Ok(4), 4));
    let (_, code) = parse(text);
    let mutation = Mutation { sleepers_join: true, ..Mutation::default() };
    let mut explorer = RunExplorer::new(core(&code, Options::default(), LONG).mutated(mutation));
    let (mut traces, mut runs) = (Vec::new(), 0);
    loop {
        match explorer.advance() {
            Step::Execution { .. } => {
                runs += 1;
                traces.push(explorer.execution().canonical());
            }
            Step::Done => break,
            _ => {}
        }
    }
    traces.sort();
    traces.dedup();
    assert_eq!((runs, traces.len()), (5, 3));
}

#[test]
fn what_breaks_the_algorithm_is_noticed() {
    let text = "a := x; if a = 0 then y := 1 || b := y; if b = 0 then x := 1";
    let of = |text, mutation| explored(text, LONG, mutation).1.executions();
    assert_eq!(of(text, Mutation::default()), 3);
    assert_eq!(of(text, Mutation { no_reversal: true, ..Mutation::default() }), 1);
    let held = "lock m || lock m";
    assert_eq!(of(held, Mutation::default()), 2);
    assert_eq!(of(held, Mutation { no_waiting: true, ..Mutation::default() }), 1);
}

#[test]
fn walks_find_what_explorers_do() {
    let check = |program: &Program| {
        let code = Arc::new(Code::compile(program).map_err(|error| error.to_string())?);
        for extent in [LONG, SHORT] {
            for options in [small(), Options { stop_at_first: true, ..small() }] {
                walk_as_steps(program, Model::SC, &core(&code, options, extent))?;
            }
        }
        Ok(())
    };
    for_all(0..100, check);
    for_all_clients(0..100, check);
}

#[test]
fn what_has_no_answer_is_refused() {
    let (_, code) = parse("a := wcas(x, 0, 1)");
    for algorithm in [Algorithm::EagerPor, Algorithm::EporSh] {
        let spurious = Options { spurious: true, ..Options::default() };
        let why = spurious.validate_for_program(algorithm, Model::SC, &code).map_err(|why| why.to_string());
        assert!(why.is_err_and(|why| why.contains("weak compare-and-swap")), "{algorithm:?}");
        assert!(Options::default().validate_for_program(algorithm, Model::SC, &code).is_ok());
        assert!(Options::default().validate_for(algorithm, Model::TSO).is_err());
        assert!(Parameters::named(algorithm, [("pairs", 21)]).is_err());
    }
    // Names are read with either sign between words.
    assert_eq!("eager-por".parse::<Algorithm>().ok(), Some(Algorithm::EagerPor));
    assert_eq!("epor-sh".parse::<Algorithm>().ok(), Some(Algorithm::EporSh));
}
