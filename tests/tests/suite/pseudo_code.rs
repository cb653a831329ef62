//! The algorithms' pseudo-code and words: every step has both.

use litmoscope::explore::{Algorithm, Direction, Options, Step};
use litmoscope::model::Model;
use litmoscope::program::{Code, Limits, Program};
use litmoscope::session::{Session, Settings, ViewRequest};
use litmoscope::syntax;
use litmoscope::testing::{for_all, for_all_clients, seeds};
use litmoscope_tests::random::{LIMITS, weaken};
use std::collections::{BTreeMap, BTreeSet};
use std::mem::{Discriminant, discriminant};
use std::path::Path;

/// How wide a line may be, for a narrow panel.
const WIDTH: usize = 60;

/// Programs with what random ones seldom or never have, by what that is.
const PROGRAMS: [(&str, &str); 11] = [
    ("a thread that waits in vain", "x := 1; x := 2 || a := x; assume a = 2"),
    ("another source", "x := 1 || a := x; if a = 0 then y := 1 || x := 2"),
    ("read-modify-writes", "fai(x) || fai(x); a := x || cas(x, 0, 1)"),
    ("a weak compare-and-swap", "a := wcas(x, 1, 2) || x := 1 || b := wcas(x, 0, 3)"),
    ("a success that sleeps", "a := y; x := 0 || b := wcas(y, 0, 0) || c := x || d := y"),
    ("an error", "a := x; assert a = 0 || x := 1"),
    ("a data race", "x :=na 1 || a :=na x"),
    ("a read of what nobody wrote", "shared x = ?\nx := 1\n||\na := x"),
    ("mutexes", "lock m; unlock m; lock n; unlock n || lock n; lock m; unlock m; unlock n || lock m; unlock m"),
    ("a deadlock", "lock m; lock n || lock n; lock m"),
    (
        "a run in which all sleep",
        "x := 1 || y := 1 || a := y; if a = 0 then b := x || c := z; d := y; if c = 1 then if d = 0 then x := 2 || z := 1",
    ),
];

/// Which lines of each algorithm made a step.
type Reached = BTreeMap<Algorithm, BTreeSet<usize>>;

fn direction(step: Step) -> Option<Direction> {
    match step {
        Step::TakeRevisit { direction, .. }
        | Step::PushSpurious { direction, .. }
        | Step::TakeSpurious { direction, .. } => Some(direction),
        _ => None,
    }
}

/// Explores with every algorithm under every one of some models that it knows, for so many steps: each step has one line, and
/// words.
fn watch(
    program: &Program,
    models: &[Model],
    options: Options,
    steps: usize,
    reached: &mut Reached,
) -> Result<(), String> {
    let code = Code::compile(program).map_err(|error| error.to_string())?;
    for algorithm in Algorithm::ALL {
        let pseudo_code = algorithm.definition().pseudo_code;
        for &model in models {
            let settings = Settings { model, algorithm, options, ..Settings::default() };
            if options.validate_for_program(algorithm, model, &code).is_err() {
                continue;
            }
            let Ok(mut session) = Session::with_program(settings, program.clone(), Vec::new()) else {
                return Err("it can't be explored".to_owned());
            };
            let start = session.view(&ViewRequest::default());
            if start.line.is_some() {
                return Err(format!("{algorithm:?} under {model:?}: the start has line {:?}", start.line));
            }
            // Lines and words are chosen by these alone.
            let mut kinds: Vec<(Discriminant<Step>, Option<Direction>)> = Vec::new();
            for _ in 0..steps {
                if !session.forward() {
                    break;
                }
                let step = session.step().ok_or("a step was made, and there is none")?;
                let wrong = |what: &str| Err(format!("{algorithm:?} under {model:?}: {step:?} {what}"));
                let makers: Vec<usize> = (pseudo_code.lines().enumerate())
                    .filter(|(_, line)| line.makes.is_some_and(|makes| makes(&step)))
                    .map(|(at, _)| at)
                    .collect();
                let [line] = makers[..] else { return wrong(&format!("has the lines {makers:?}")) };
                reached.entry(algorithm).or_default().insert(line);
                if kinds.contains(&(discriminant(&step), direction(step))) {
                    continue;
                }
                kinds.push((discriminant(&step), direction(step)));
                let view = session.view(&ViewRequest::default());
                if view.line.map(|line| line as usize) != Some(line) {
                    return wrong(&format!("is shown at line {:?}, not {line}", view.line));
                }
                if view.explanation.is_empty() || view.explanation.contains("The step is: ") {
                    return wrong(&format!("has no words of its own: {}", view.explanation));
                }
            }
        }
    }
    Ok(())
}

fn read(text: &str) -> Program {
    syntax::parse(text).unwrap_or_else(|errors| panic!("{}", syntax::render(text, "text", &errors))).program
}

#[test]
fn every_step_has_a_line_and_words_and_every_line_its_steps() {
    let mut reached = Reached::new();
    let plain = Options::within(LIMITS);
    let spurious = Options { spurious: true, ..plain };
    let variants = [
        plain,
        spurious,
        Options { stop_at_first: true, ..plain },
        Options { no_races: true, ..plain },
        Options { symmetry: true, ..plain },
        Options { leave_out_waits: true, limits: Limits { unroll_spins: false, ..LIMITS }, ..plain },
        Options { preemptions: Some(0), ..plain },
        Options { contexts: Some(1), ..plain },
        // Hardly any question is decided.
        Options { limits: Limits { search: 1, ..LIMITS }, ..plain },
        Options { limits: Limits { search: 60, ..LIMITS }, spurious: true, ..plain },
    ];
    for (what, text) in PROGRAMS {
        for options in variants {
            watch(&read(text), &Model::ALL, options, 1000, &mut reached).unwrap_or_else(|why| panic!("{what}: {why}"));
        }
    }
    let many = ["fai(x); fai(y)"; 6].join(" || ");
    watch(&read(&many), &[Model::SC], plain, 100, &mut reached).unwrap_or_else(|why| panic!("many candidates: {why}"));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../public");
    for file in std::fs::read_dir(&folder).expect("the gallery can be listed") {
        let path = file.expect("a file can be listed").path();
        if path.extension().is_some_and(|ending| ending == "lit" || ending == "litmus") {
            let program = read(&std::fs::read_to_string(&path).expect("a program of the gallery can be read"));
            watch(&program, &[Model::SC, Model::RC11], plain, 300, &mut reached)
                .unwrap_or_else(|why| panic!("{}: {why}", path.display()));
        }
    }
    for_all(seeds(20), |program| {
        watch(program, &Model::ALL, plain, 500, &mut reached)?;
        weaken(program).map_or(Ok(()), |weak| watch(&weak, &Model::ALL, spurious, 500, &mut reached))
    });
    for_all_clients(seeds(20), |program| watch(program, &Model::ALL, plain, 500, &mut reached));
    for algorithm in Algorithm::ALL {
        let lines = algorithm.definition().pseudo_code.lines().enumerate();
        let dead: Vec<&str> = lines
            .filter(|(at, line)| line.makes.is_some() && !reached[&algorithm].contains(at))
            .map(|(_, line)| line.text)
            .collect();
        assert!(dead.is_empty(), "no step of {algorithm:?} is made by\n{}", dead.join("\n"));
    }
}

#[test]
fn pseudo_code_is_short() {
    for algorithm in Algorithm::ALL {
        let lines: Vec<&str> = algorithm.definition().pseudo_code.lines().map(|line| line.text).collect();
        assert!((12..=25).contains(&lines.len()), "{algorithm:?} has {} lines", lines.len());
        for line in lines {
            assert!(line.chars().count() <= WIDTH, "{algorithm:?}: {} wide: {line}", line.chars().count());
            assert_eq!(line, line.trim_end(), "{algorithm:?}");
            // The page takes it as it is.
            assert!(!line.contains(['<', '&']), "{algorithm:?}: {line}");
        }
    }
}
