//! Threads that share an exploration, or the judging of histories, or the search of a memory's runs, in thousands of schedules, of which
//! each can be repeated: what the engine does on several threads is compiled here with threads and locks that `shuttle` schedules.
//!
//! A failure prints its schedule, for `shuttle::replay`.
//!
//! Schedules have small parts, bounds, interruptions and panics. Threads find what one walk finds, and the steps made in vain
//! are counted.

#[path = "../../../engine/tests/suite/common/counted.rs"]
mod counted;
#[allow(dead_code, reason = "the pool's tests here need a part of it only")]
mod run;
mod shared;
#[allow(dead_code, reason = "the pool's tests here need a part of it only")]
#[path = "../../../engine/tests/suite/common/tree.rs"]
mod tree;

/// What it knows of the engine.
mod budget {
    pub use litmoscope::budget::*;
}
mod explore {
    pub use litmoscope::explore::*;
}
mod histories {
    pub use litmoscope::histories::*;
}
mod memories {
    pub use litmoscope::memories::*;
}

use counted::{Counted, first_executions};
use litmoscope::explore::{Algorithm, Findings, Options};
use litmoscope::labs::runs::Walkable;
use litmoscope::model::Model;
use litmoscope::program::{Code, Program};
use litmoscope::run::checkpoint::{self, Subject};
use litmoscope::session::Settings;
use litmoscope::syntax;
use run::{Exploration, Interruption, Outcome, Parts, RunBounds, Status, sync};
use shuttle::rand::{Rng, thread_rng};
use shuttle::scheduler::{PctScheduler, RandomScheduler};
use shuttle::{Config, MaxSteps, Runner};
use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tree::Tree;

const SEED: u64 = 20_261_122;

/// An exploration, and what there is to know of it.
struct Case {
    name: String,
    exploration: Counted,
    whole: Findings,
    /// How many steps there are, whatever stops it.
    size: u64,
    /// How many steps a walk may go further than it is told.
    overshoot: u64,
    /// Of a real program: to write its checkpoints.
    program: Option<(Subject, Program, Code)>,
}

impl Case {
    fn new(name: String, exploration: impl Exploration + Send + 'static, size: u64) -> Self {
        let exploration = Counted::new(exploration);
        let whole = exploration.whole();
        Self { name, exploration, whole, size, overshoot: 2, program: None }
    }

    /// A made-up tree of about so many steps.
    fn tree(seed: u64, stops: bool) -> Self {
        let tree = |seed| Tree::new(seed, 9).errors(5);
        let mut sized = (seed * 1000..).map(|seed| (seed, tree(seed).findings().counts.steps));
        let (seed, size) = sized.find(|(_, size)| (20..=120).contains(size)).expect("there are many");
        let tree = if stops { tree(seed).stop_at_first(5) } else { tree(seed) };
        Self::new(format!("tree {seed}"), tree, size)
    }

    fn program(text: &str, algorithm: Algorithm, stop_at_first: bool) -> Self {
        let walkable = |stop_at_first| {
            let options = Options { stop_at_first, stuck_loops: true, ..Options::default() };
            let settings = Settings { text: text.to_owned(), model: Model::SC, algorithm, options, position: 0 };
            Walkable::new(settings).expect("it can be explored in parts")
        };
        let program = syntax::parse(text).expect("it is a program").program;
        let code = Code::compile(&program).expect("it compiles");
        let options = Options { stop_at_first, stuck_loops: true, ..Options::default() };
        let subject = Subject::new(text, Model::SC, algorithm, options);
        let size = Counted::new(walkable(false)).whole().counts.steps;
        let case = Self::new(text.to_owned(), walkable(stop_at_first), size);
        // As far as the next choice: at most a whole execution.
        Self { program: Some((subject, program, code)), overshoot: 20, ..case }
    }

    /// Written down and read again, or only as plain data where there is nothing else.
    fn rewritten(&self, parts: &Parts) -> Parts {
        let plain = serde_json::to_value(parts).expect("plain data");
        let Some((subject, program, code)) = &self.program else {
            return serde_json::from_value(plain).expect("it was written so");
        };
        let parts = serde_json::from_value(plain).expect("the engine's own are written so");
        let bytes = checkpoint::encode(subject, &parts);
        let parts = checkpoint::decode(&mut bytes.as_slice(), subject, program, code).expect("it was written so");
        serde_json::from_value(serde_json::to_value(parts).expect("plain data")).expect("it was written so")
    }
}

/// With the order of what was found, which equality does not ask for.
fn text(findings: &Findings) -> String {
    serde_json::to_string(findings).expect("findings are plain data")
}

/// Random schedules, and as many in which threads are seldom changed.
fn check(name: &str, cases: Vec<Case>, schedules: usize, scenario: impl Fn(&Case) + Send + Sync + 'static) {
    println!("{name}: {} explorations, {schedules} schedules of each kind, seed {SEED}", cases.len());
    let cases = Arc::new(cases);
    let scenario = Arc::new(scenario);
    let scene = || {
        let (cases, scenario) = (Arc::clone(&cases), Arc::clone(&scenario));
        move || scenario(&cases[thread_rng().gen_range(0..cases.len())])
    };
    schedule(schedules, scene);
}

/// Random schedules, and as many in which threads are seldom changed, each of a scene of its own.
fn schedule<S: Fn() + Send + Sync + 'static>(schedules: usize, scene: impl Fn() -> S) {
    // Longer ones do not come to an end.
    let mut config = Config::new();
    config.max_steps = MaxSteps::FailAfter(100_000);
    // A graph takes up eight thousand bytes, and shuttle gives a thread sixty thousand.
    config.stack_size = 1 << 18;
    Runner::new(RandomScheduler::new_from_seed(SEED, schedules), config.clone()).run(scene());
    Runner::new(PctScheduler::new_from_seed(SEED, 3, schedules), config).run(scene());
}

fn some_bounds(max_executions: Option<u64>) -> RunBounds {
    let mut random = thread_rng();
    sync::begin(random.gen_range(0..12), [1, 3, 10, 50][random.gen_range(0..4)]);
    RunBounds {
        threads: NonZeroUsize::new(random.gen_range(1..=3)).expect("more than none"),
        max_executions,
        piece: NonZeroU64::new([1, 2, 3, 4, 7, 0][random.gen_range(0..6)]),
        look: [1, 2, 3, 5, 1000][random.gen_range(0..5)],
        ..RunBounds::default()
    }
}

fn trees(stops: bool) -> Vec<Case> {
    (1..=12).map(|seed| Case::tree(seed, stops)).collect()
}

fn programs() -> Vec<Case> {
    vec![
        Case::program("fai(x) || fai(x) || fai(x)", Algorithm::Trust, false),
        Case::program("x := 1; a := y || y := 1; b := x || x := 2; c := x", Algorithm::TrustCo, false),
        Case::program("x := 1 || x := 2; assert x != 1 || fai(x)", Algorithm::Trust, false),
        Case::program("x := 1 || x := 2; assert x != 1 || fai(x)", Algorithm::Trust, true),
        Case::program("while y = 0 { }; x := 1 || while x = 0 { } || y := 1; y := 0", Algorithm::TrustCo, false),
        Case::program("skip", Algorithm::Trust, false),
    ]
}

/// What a run within bounds comes to.
fn expected(case: &Case, bounds: RunBounds) -> (Findings, Option<Interruption>) {
    match bounds.max_executions {
        Some(max) => first_executions(&*case.exploration.exploration, max, bounds.look),
        None => (case.whole.clone(), None),
    }
}

fn some_max(case: &Case) -> Option<u64> {
    let all = case.whole.counts.executions();
    thread_rng().gen_bool(0.8).then(|| thread_rng().gen_range(0..=all + 1))
}

fn is_as_expected(case: &Case, bounds: RunBounds, outcome: Outcome) {
    let name = format!("{}: {bounds:?}", case.name);
    // That is how a thread ends that nobody has woken.
    assert_eq!(sync::panics(), 0, "{name}");
    let (expected, interruption) = expected(case, bounds);
    assert_eq!(outcome.interruption, interruption, "{name}");
    assert_eq!(outcome.parts.is_over(), interruption.is_none(), "{name}");
    assert_eq!(text(&outcome.findings(case.exploration.nothing())), text(&expected), "{name}");
}

/// Explores once: finds the same as one walk, with no more work than is said here.
fn explore(case: &Case) {
    let bounds = some_bounds(some_max(case));
    let name = format!("{}: {bounds:?}", case.name);
    let before = case.exploration.steps();
    let parts = Parts::new(case.exploration.nothing());
    let outcome = run::run(&case.exploration, parts, bounds, &mut |_| None).expect("its own parts");
    let steps = case.exploration.steps() - before;
    is_as_expected(case, bounds, outcome);
    let counted = expected(case, bounds).0.counts.steps;
    match (bounds.max_executions, bounds.threads.get()) {
        // One thread makes no step twice, and those that do not count are a look.
        (Some(_), 1) => assert!(steps <= counted + bounds.look + case.overshoot, "{name}: {steps} steps"),
        (None, 1) => assert_eq!(steps, counted, "{name}"),
        // What is behind the first error may be explored before that is found; else, nothing is in vain.
        (None, _) => assert!(steps == counted || (counted < case.size && steps <= case.size), "{name}: {steps} steps"),
        // Up to the last execution that counts, all is explored again at most; behind it, as much as a look.
        (Some(_), _) => assert!(steps <= case.size + counted + bounds.look + case.overshoot, "{name}: {steps} steps"),
    }
}

/// Is interrupted at any moment, written down and gone on with by others, until it is over; and what was seen meanwhile can
/// be gone on with as well.
fn interrupt(case: &Case) {
    let max = some_max(case);
    let look = some_bounds(max).look;
    let most = thread_rng().gen_range(1..6);
    let (mut parts, mut seen) = (Parts::new(case.exploration.nothing()), None);
    let before = case.exploration.steps();
    let mut runs = 0;
    let (bounds, outcome) = loop {
        runs += 1;
        let bounds = RunBounds { look, ..some_bounds(max) };
        let mut watch = |status: &Status| {
            if thread_rng().gen_bool(0.3) {
                seen = Some(status.parts(Parts::clone));
            }
            (runs < most && thread_rng().gen_bool(0.4)).then_some(Interruption::Signal)
        };
        let outcome = run::run(&case.exploration, parts, bounds, &mut watch).expect("its own parts");
        assert_eq!(sync::panics(), 0, "{}: {bounds:?}", case.name);
        if outcome.interruption != Some(Interruption::Signal) {
            break (bounds, outcome);
        }
        parts = if thread_rng().gen_bool(0.5) { case.rewritten(&outcome.parts) } else { outcome.parts };
    };
    is_as_expected(case, bounds, outcome);
    let steps = case.exploration.steps() - before;
    assert!(
        steps <= runs * (2 * case.size + bounds.look.min(case.size) + case.overshoot),
        "{steps} steps in {runs} runs"
    );
    if let Some(seen) = seen {
        let bounds = RunBounds { look, ..some_bounds(max) };
        let outcome = run::run(&case.exploration, seen, bounds, &mut |_| None).expect("its own parts");
        is_as_expected(case, bounds, outcome);
    }
}

/// Goes on with one bound after the other, larger and smaller ones.
fn change_bounds(case: &Case) {
    let mut parts = Parts::new(case.exploration.nothing());
    for _ in 0..3 {
        let bounds = some_bounds(some_max(case));
        let outcome = run::run(&case.exploration, parts, bounds, &mut |_| None).expect("its own parts");
        parts = case.rewritten(&outcome.parts);
        is_as_expected(case, bounds, outcome);
    }
}

/// A walk that panics ends the run, whoever waits.
fn panic(case: &Case) {
    let bounds = some_bounds(some_max(case));
    case.exploration.break_after(Some(thread_rng().gen_range(0..case.whole.counts.steps)));
    let parts = Parts::new(case.exploration.nothing());
    let outcome = run::run(&case.exploration, parts, bounds, &mut |_| None).expect("its own parts");
    case.exploration.break_after(None);
    if sync::panics() == 0 {
        is_as_expected(case, bounds, outcome);
    }
}

#[test]
fn who_waits_for_work_is_given_some() {
    let shared = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&shared);
    let schedules = 500;
    check("two threads", trees(false), schedules, move |case| {
        sync::begin(0, 2);
        let bounds = RunBounds { threads: NonZeroUsize::new(2).expect("more than none"), ..RunBounds::default() };
        let parts = Parts::new(case.exploration.nothing());
        let outcome = run::run(&case.exploration, parts, bounds, &mut |_| None).expect("its own parts");
        is_as_expected(case, bounds, outcome);
        counter.fetch_add(usize::from(sync::walkers() == 2), Ordering::Relaxed);
    });
    // Both have explored in most of the schedules, but for those in which the other one was not there in time.
    let shared = shared.load(Ordering::Relaxed);
    println!("shared in {shared} of {} schedules", 2 * schedules);
    assert!(shared > schedules, "{shared}");
}

#[test]
fn trees_are_explored_as_by_one_walk() {
    check("trees", trees(false), 8000, explore);
}

#[test]
fn the_first_error_ends_a_tree() {
    check("trees with an end", trees(true), 4000, explore);
}

#[test]
fn programs_are_explored_as_by_one_walk() {
    check("programs", programs(), 2000, explore);
}

#[test]
fn an_interrupted_tree_is_gone_on_with() {
    check("interrupted trees", trees(false), 4000, interrupt);
    check("interrupted trees with an end", trees(true), 2000, interrupt);
}

#[test]
fn an_interrupted_program_is_gone_on_with() {
    check("interrupted programs", programs(), 1000, interrupt);
}

#[test]
fn bounds_can_be_changed() {
    check("trees with changing bounds", trees(false), 2000, change_bounds);
}

#[test]
fn a_panic_ends_the_run() {
    check("panics", trees(false), 2000, panic);
}
