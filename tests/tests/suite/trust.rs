//! TruSt on named programs, and its walks against its steps.

use litmoscope::budget::Budget;
use litmoscope::explore::brute_force::candidates_up_to;
use litmoscope::explore::{Algorithm, Coverage, Findings, Options, Pause, Results, Step, Walk, Work};
use litmoscope::model::Model;
use litmoscope::program::{Code, Limits, Program};
use litmoscope::testing::{for_all, for_all_clients, seeds};
use litmoscope_tests::programs::{named, spinlock};
use litmoscope_tests::random::{LIMITS, weaken, with_twins};
use litmoscope_tests::{TABULATED, check_blocking, counts, program};
use std::collections::BTreeMap;
use std::sync::Arc;

const OPTIONS: Options = Options::within(LIMITS);
/// With loops that wait.
const SPINNING: Options = Options::within(Limits { unroll_spins: false, ..LIMITS });

/// The published and the computed numbers of the named programs.
#[test]
fn named_programs() {
    for litmus in named() {
        let code = Arc::new(program(&litmus.text).1);
        for (algorithm, expected) in [(Algorithm::Trust, litmus.plain), (Algorithm::TrustCo, litmus.coherence)] {
            let found = TABULATED.map(|model| counts(&code, model, algorithm, OPTIONS).executions() as usize);
            assert_eq!(found, expected, "{} with {algorithm:?}", litmus.name);
        }
    }
}

/// Stuck and erroneous executions among them.
#[test]
fn stuck_and_erroneous_executions() {
    check_blocking(Algorithm::Trust, OPTIONS);
    check_blocking(Algorithm::TrustCo, OPTIONS);
}

/// Where co follows from po and rf, whoever chooses one finds as many executions, and the same final states.
#[test]
fn where_co_follows_both_find_the_same() {
    let (mut follows, mut differs) = (0, 0);
    let mut check = |program: &Program| {
        let code = Arc::new(Code::compile(program).map_err(|error| error.to_string())?);
        for model in Model::ALL {
            let of = |algorithm| {
                let findings = step_by_step(algorithm, model, program, &code, OPTIONS);
                let counts = findings.counts;
                let outcomes = findings.results.outcomes().map(|(state, outcome)| (state.to_vec(), outcome.count));
                ((counts.complete, counts.blocked, counts.erroneous), outcomes.collect::<BTreeMap<_, _>>())
            };
            if model.co_follows(&code) {
                follows += 1;
                let [(plain, states), (with_co, others)] = [Algorithm::Trust, Algorithm::TrustCo].map(of);
                if plain != with_co || states != others {
                    return Err(format!("{plain:?} without and {with_co:?} with co under {model}"));
                }
            } else if differs < 100 {
                differs += u64::from(of(Algorithm::Trust).0 != of(Algorithm::TrustCo).0);
            }
        }
        Ok(())
    };
    for_all(seeds(1_250), &mut check);
    for_all_clients(seeds(313), &mut check);
    println!("co follows {follows} times");
    assert!(follows > 10 && differs > 10);
}

/// What is found step by step, as a walk would find it.
fn step_by_step(algorithm: Algorithm, model: Model, program: &Program, code: &Arc<Code>, options: Options) -> Findings {
    let mut explorer = algorithm.explorer(Arc::clone(code), model, options).expect("it takes every program");
    let mut findings = Findings::new(program);
    let mut results = Results::new(program);
    loop {
        let step = explorer.advance();
        if step == Step::Done {
            break;
        }
        results.observe(program, code, model, &*explorer, step);
        findings.counts = explorer.counts();
    }
    Findings { results, ..findings }
}

/// Walks through the parts of an exploration, which are cut again and again, and puts together what they find.
fn in_parts(make: &dyn Fn(&Work) -> Box<dyn Walk>, nothing: Findings, mut random: u64) -> (Findings, u32) {
    let mut next = move || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        random >> 33
    };
    // In the order of the tree; what is done with and what is left.
    let mut parts: Vec<(Findings, Option<Box<dyn Walk>>)> = vec![(nothing, Some(make(&Work::default())))];
    let mut cuts = 0;
    while parts.iter().any(|(_, walk)| walk.is_some()) {
        let at = next() as usize % parts.len();
        let (found, walk) = &mut parts[at];
        let Some(mut busy) = walk.take() else { continue };
        let pause = busy.run(next() % 20);
        found.append(busy.take_findings());
        let mut given = None;
        if pause == Pause::Steps {
            if next() % 3 == 0 {
                given = busy.split();
            }
            if next() % 3 == 0
                && let Some(work) = busy.work()
            {
                // As if it were written down and read again.
                busy = make(&work);
            }
            *walk = Some(busy);
        }
        if let Some(work) = given {
            cuts += 1;
            let nothing = Findings { counts: Default::default(), ..make(&work).take_findings() };
            parts.insert(at + 1, (nothing, Some(make(&work))));
        }
    }
    let mut all = parts.into_iter().map(|(found, _)| found);
    let mut first = all.next().expect("there is a part");
    all.for_each(|found| first.append(found));
    (first, cuts)
}

/// Whether walks, whole or in parts, find what the steps show, to the last position; how often parts were cut.
fn check_walks(
    algorithm: Algorithm,
    model: Model,
    program: &Program,
    code: &Arc<Code>,
    options: Options,
) -> Result<u32, String> {
    let expected = step_by_step(algorithm, model, program, code, options);
    let shared = Arc::new(program.clone());
    let make = |work: &Work| {
        algorithm
            .walk(Arc::clone(code), Arc::clone(&shared), model, options, work)
            .expect("it is part of the exploration")
    };
    let mut walk = make(&Work::default());
    while walk.run(1000) == Pause::Steps {}
    let whole = walk.take_findings();
    if (whole.counts, &whole.results) != (expected.counts, &expected.results) {
        return Err(format!("{algorithm:?} under {model:?}: {expected:#?} step by step, walking {whole:#?}"));
    }
    let (parts, cuts) = in_parts(&make, Findings::new(program), whole.counts.steps);
    if parts != whole {
        return Err(format!("{algorithm:?} under {model:?}: {whole:#?} at once, in parts {parts:#?}"));
    }
    Ok(cuts)
}

/// Walks find what the steps show, to the last position, however the exploration is cut into parts.
#[test]
fn walks_find_what_the_steps_show() {
    let mut cuts = 0;
    let mut check = |options: Options, program: &Program| {
        let code = Arc::new(Code::compile(program).map_err(|error| error.to_string())?);
        if candidates_up_to(2000, &code, options).is_err() {
            return Ok(());
        }
        for model in Model::ALL {
            for algorithm in [Algorithm::Trust, Algorithm::TrustCo] {
                cuts += check_walks(algorithm, model, program, &code, options)?;
            }
        }
        Ok(())
    };
    for_all(seeds(500), |program| check(OPTIONS, program));
    for_all(seeds(250), |program| weaken(program).map_or(Ok(()), |p| check(Options { spurious: true, ..OPTIONS }, &p)));
    for_all_clients(seeds(250), |program| check(OPTIONS, program));
    let symmetry = Options { symmetry: true, ..OPTIONS };
    for_all(seeds(250), |program| check(symmetry, &with_twins(program, program.threads.len() as u64)));
    println!("{cuts} cuts");
    assert!(cuts > 100);
}

/// Most executions of these have threads that wait for good, by reads, failing updates and assumptions; walks count those in which
/// the last read does so without making them.
#[test]
fn walks_count_executions_that_wait() {
    let lock = "repeat { while l != 0 { skip } } until cas(l, 0, 1, acq) = 0; s :=na 1; l :=rel 0";
    let assumed = "a := cas(l, 0, 1); assume a = 0; s := s + 1; l := 0";
    let not_alone = "fence sc; a := l; assume a = 1; b := s";
    for (text, least) in [
        (format!("shared l, s\n{lock} || {lock} || {lock}"), 10),
        (format!("shared l, s\n{assumed} || {assumed} || {not_alone}"), 10),
        // What nobody wrote is looked at.
        (format!("shared l = ?, s\n{not_alone} || l := 1 || {not_alone}"), 0),
    ] {
        let (program, code) = program(&text);
        let code = Arc::new(code);
        for model in Model::ALL {
            for algorithm in [Algorithm::Trust, Algorithm::TrustCo] {
                let counts = counts(&code, model, algorithm, OPTIONS);
                assert!(counts.blocked >= least, "{text} under {model}: {counts:?}");
                check_walks(algorithm, model, &program, &code, OPTIONS).expect(&text);
            }
        }
    }
}

/// A random program in which most threads wait for what others write, at their beginning or behind something else, and often read a
/// location twice.
fn waiting(seed: u64) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut below = |n: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % n
    };
    let modes = ["", "rlx", "acq", "na"];
    let written = ["x := 1; x := 2; x := 3", "x := 1; x :=rel 0; x := 1", "y := 1; x :=rel 1; x := 0; x :=rel 1"];
    let mut threads = vec![written[below(3) as usize].to_owned()];
    for thread in 0..2 + below(2) {
        let mut text = Vec::new();
        for at in 0..1 + below(3) {
            let (place, value, register) = (
                ["x", "y"][below(2) as usize],
                below(if seed.is_multiple_of(2) { 2 } else { 4 }),
                format!("r{thread}{at}"),
            );
            let read = match modes[below(if seed.is_multiple_of(4) { 4 } else { 3 }) as usize] {
                "" => format!("{register} := {place}"),
                mode => format!("{register} :={mode} {place}"),
            };
            text.push(match below(if at == 0 { 5 } else { 10 }) {
                0 | 1 => format!("{read}; assume {register} = {value}"),
                2 | 3 => format!("while {place} != {value} {{ skip }}"),
                4 => format!("{register} := cas({place}, {value}, {}); assume {register} = {value}", below(4)),
                5 => format!("{place} :=rel {value}"),
                6 => format!("fai({place})"),
                7 => ["fence rel", "fence acq", "fence sc"][below(3) as usize].to_owned(),
                8 if seed.is_multiple_of(8) => format!("{read}; assert {register} != {value}"),
                _ => format!("{place} := {value}"),
            });
            // A second read of the location, which waits, takes part in a read-modify-write, or neither.
            if seed.is_multiple_of(2) && below(2) == 0 {
                let again = format!("s{thread}{at}");
                let taken = format!("cas({place}, {value}, 1, acq)");
                text.push(match below(6) {
                    5 => format!("repeat {{ while {place} != {value} {{ skip }} }} until {taken} = {value}"),
                    0 => format!("{again} := {taken}; assume {again} = {value}"),
                    1 => format!("while {place} != {value} {{ skip }}"),
                    2 => format!("fai({place})"),
                    3 => format!("{again} := {place}; assume {again} != {value}"),
                    _ => format!("{again} :=acq {place}"),
                });
            }
        }
        threads.push(text.join("; "));
    }
    threads.rotate_left(below(3) as usize);
    let condition = ["", "\n\nexists (x = 1 /\\ r00 = 1)", "\n\n~exists (y = 1 \\/ r10 = 0)", "\n\nforall true"];
    let condition = condition[below(4) as usize];
    let text = threads.join(" || ");
    // What no thread has, no condition can ask for.
    let is_known = ["r00", "r10"].iter().all(|name| !condition.contains(name) || text.contains(name));
    format!("shared x, y\n{text}{}", if is_known { condition } else { "" })
}

/// Walks count executions that differ from others in sources that make no difference to the rest without making them, and find what the
/// steps show, whole or in parts, and if they are paused and begin anew.
#[test]
fn walks_count_subtrees_that_are_alike() {
    let (mut blocked, mut complete, mut cuts) = (0, 0, 0);
    for seed in seeds(250) {
        let text = waiting(seed);
        let (program, code) = program(&text);
        let code = Arc::new(code);
        if candidates_up_to(2000, &code, SPINNING).is_err() {
            continue;
        }
        for model in Model::ALL {
            let check = |algorithm| check_walks(algorithm, model, &program, &code, SPINNING);
            cuts += check(Algorithm::TrustCo).unwrap_or_else(|error| panic!("seed {seed}: {text}\n{error}"));
            let shared = Arc::new(program.clone());
            let walk =
                || Algorithm::TrustCo.walk(Arc::clone(&code), Arc::clone(&shared), model, SPINNING, &Work::default());
            let (mut whole, mut paused) = (walk().expect("it is a walk"), walk().expect("it is a walk"));
            while whole.run(u64::MAX) == Pause::Steps {}
            // More each time, since what is begun anew takes as much again.
            let mut patience = 10 + seed % 50;
            while paused.run_within(u64::MAX, u64::MAX, &mut Budget::of(patience)) == Pause::Steps {
                patience += patience / 4;
            }
            let [whole, paused] = [whole, paused].map(|mut walk| walk.take_findings());
            assert_eq!(whole, paused, "seed {seed}, {model}: {text}");
            (blocked, complete) = (blocked + whole.counts.blocked, complete + whole.counts.complete);
        }
    }
    println!("{blocked} blocked executions, {complete} complete ones, {cuts} cuts");
    assert!(blocked > 500 && complete > 500 && cuts > 100);
}

/// Walks that leave out what waits in vain find what the steps show, whole or in parts, and if they are paused and begin anew.
#[test]
fn walks_leave_out_what_waits_in_vain() {
    let options = Options { leave_out_waits: true, ..SPINNING };
    let (mut left_out, mut cuts) = (0, 0);
    for seed in seeds(125) {
        let text = waiting(seed);
        let (program, code) = program(&text);
        let code = Arc::new(code);
        if candidates_up_to(2000, &code, options).is_err() {
            continue;
        }
        for model in Model::ALL {
            for algorithm in [Algorithm::Trust, Algorithm::TrustCo] {
                cuts += check_walks(algorithm, model, &program, &code, options)
                    .unwrap_or_else(|error| panic!("seed {seed}: {text}\n{error}"));
                let shared = Arc::new(program.clone());
                let mut paused = algorithm
                    .walk(Arc::clone(&code), Arc::clone(&shared), model, options, &Work::default())
                    .expect("it is a walk");
                let mut patience = 10 + seed % 50;
                while paused.run_within(u64::MAX, u64::MAX, &mut Budget::of(patience)) == Pause::Steps {
                    patience += patience / 4;
                }
                let expected = step_by_step(algorithm, model, &program, &code, options).counts;
                assert_eq!(paused.counts(), expected, "seed {seed}, {algorithm:?} under {model}: {text}");
                left_out += expected.left_out;
            }
        }
    }
    println!("{left_out} left out, {cuts} cuts");
    assert!(left_out > 1000 && cuts > 100);
}

/// Each of four threads waits for the last of eight values: what comes of one that it does not wait for is explored once.
#[test]
fn subtrees_that_are_alike_are_explored_once() {
    let waits = |n: u32| format!("while x != 8 {{ skip }}; y := {n}; a{n} := y");
    let writes = (1..=8).map(|value| format!("x := {value}")).collect::<Vec<_>>().join("; ");
    let text = format!("{writes} || {} || {} || {} || {}", waits(1), waits(2), waits(3), waits(4));
    let (program, code) = program(&text);
    let (program, code) = (Arc::new(program), Arc::new(code));
    for model in [Model::SC, Model::TSO, Model::PSO, Model::SRA, Model::RA, Model::RC11] {
        let algorithm = Algorithm::TrustCo;
        let make = |work: &Work| algorithm.walk(Arc::clone(&code), Arc::clone(&program), model, SPINNING, work);
        let mut walk = make(&Work::default()).expect("it is a walk");
        let mut budget = Budget::unlimited();
        while walk.run_within(u64::MAX, u64::MAX, &mut budget) == Pause::Steps {}
        let counts = walk.take_findings().counts;
        assert_eq!((counts.complete, counts.blocked), (576, 8832), "{model}");
        // A unit is at most a quarter of what it takes to add an event.
        assert!(budget.spent() / 4 < counts.executions(), "{model}: {} units", budget.spent());
        // A bound on executions is kept to.
        let mut some = make(&Work::default()).expect("it is a walk");
        while some.run_within(u64::MAX, 5000, &mut Budget::unlimited()) == Pause::Steps
            && some.counts().executions() < 5000
        {}
        assert_eq!(some.counts().executions(), 5000, "{model}");
    }
}

/// Each of five threads looks whether a lock is free, then takes it: which of the values that said so it saw makes no difference.
#[test]
fn subtrees_behind_reads_that_make_no_difference_are_explored_once() {
    let (program, code) = program(&spinlock(5));
    let (program, code) = (Arc::new(program), Arc::new(code));
    for model in [Model::SC, Model::TSO, Model::SRA, Model::RA, Model::RC11] {
        let walk = Algorithm::TrustCo.walk(Arc::clone(&code), Arc::clone(&program), model, SPINNING, &Work::default());
        let mut walk = walk.expect("it is a walk");
        let mut budget = Budget::unlimited();
        while walk.run_within(u64::MAX, u64::MAX, &mut budget) == Pause::Steps {}
        let findings = walk.take_findings();
        let states: u64 = findings.results.outcomes().map(|(_, outcome)| outcome.count).sum();
        assert_eq!((findings.counts.complete, findings.counts.blocked, states), (14_400, 74_560, 14_400), "{model}");
        // To add an event takes four units at least, which is a step or two.
        assert!(budget.spent() < 2 * findings.counts.steps, "{model}: {} units", budget.spent());
    }
}

/// Final states that are too many to be listed decide a condition as often as they are met, also behind an error.
#[test]
fn final_states_that_are_not_listed_are_counted() {
    let writes = (1..=40).map(|value| format!("x := {value}")).collect::<Vec<_>>().join("; ");
    let reads = "y := 1 || a := x; assert a != 30 || b := x || c := x || d := y";
    let (program, code) = program(&format!("shared x, y\n{writes}; {reads}\n\nexists (a = 39 /\\ b != c)"));
    let code = Arc::new(code);
    for algorithm in [Algorithm::Trust, Algorithm::TrustCo] {
        let expected = step_by_step(algorithm, Model::SC, &program, &code, OPTIONS);
        assert!(expected.results.has_too_many_outcomes() && expected.counts.erroneous > 0);
        let shared = Arc::new(program.clone());
        let walk = algorithm.walk(Arc::clone(&code), shared, Model::SC, OPTIONS, &Work::default());
        let mut walk = walk.expect("it is a walk");
        while walk.run(1000) == Pause::Steps {}
        let found = walk.take_findings();
        assert_eq!((found.counts, &found.results), (expected.counts, &expected.results), "{algorithm:?}");
        let met = found.results.condition(&program, Coverage::Whole).map_or(0, |result| result.witnesses);
        assert!(met > 1000, "{algorithm:?}: {met}");
    }
}

/// Numbers from outside that name no place in the tree are refused.
#[test]
fn there_is_no_walk_to_places_that_are_not_there() {
    use litmoscope::explore::Branch;
    let (text, code) = program("x := 1 || a := x || fai(x)");
    let (text, code) = (Arc::new(text), Arc::new(code));
    let walk = |algorithm: Algorithm, branches: &[(u32, Option<u32>)]| {
        let branches = branches.iter().map(|&(next, end)| Branch { next, end }).collect();
        algorithm.walk(Arc::clone(&code), Arc::clone(&text), Model::SC, OPTIONS, &Work(branches))
    };
    for algorithm in [Algorithm::Trust, Algorithm::TrustCo] {
        assert!(walk(algorithm, &[]).is_some());
        assert!(walk(algorithm, &[(1, None)]).is_some());
        assert!(walk(algorithm, &[(0, None)]).is_none(), "the first child is where its parent is");
        assert!(walk(algorithm, &[(u32::MAX, None)]).is_none());
        assert!(walk(algorithm, &[(1, Some(0))]).is_none());
        assert!(walk(algorithm, &[(0, Some(1)); 50]).is_none());
    }
    assert!(walk(Algorithm::Genmc, &[]).is_none());
}
