//! Programs on the library, held against machines of memory models that share nothing with it.

use super::*;
use crate::explore::operational;
use crate::syntax::parse;
use crate::{parse_protocol, runs_of_program};
use litmoscope_core::random::Random;
use litmoscope_core::testing::seeds;
use std::sync::atomic::AtomicU64;

macro_rules! library {
    ($name:literal) => {
        include_str!(concat!("../../../../../public/protocols/", $name, ".protocol"))
    };
}

fn machine(text: &str, settings: &[(&str, i64)]) -> Machine {
    let settings: Vec<(String, i64)> = settings.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    parse_protocol(text, &settings).expect("the library is right").0
}

/// A random program of writes, reads and full fences, at most three events a thread.
fn random(seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut below = |most: u64| random.below(most);
    let mut threads = Vec::new();
    for _ in 0..2 + below(3) / 2 {
        let events = (0..2 + below(2)).map(|at| {
            let variable = ["x", "y"][below(2) as usize];
            match below(11) {
                0..=4 => format!("{variable} := {}", 1 + below(2)),
                5..=9 => format!("r{at} := {variable}"),
                _ => "fence sc".to_owned(),
            }
        });
        threads.push(events.collect::<Vec<_>>());
    }
    let rows = threads.iter().map(Vec::len).max().unwrap_or(0);
    let cell = |thread: &Vec<String>, row: usize| thread.get(row).cloned().unwrap_or_default();
    let row = |row: usize| threads.iter().map(|thread| cell(thread, row)).collect::<Vec<_>>().join(" || ");
    format!("shared x, y\n\n{}\n", (0..rows).map(row).collect::<Vec<_>>().join("\n"))
}

/// What is seen on a machine, and what on the one of a memory model.
fn both(machine: &Machine, model: Model, text: &str) -> [BTreeSet<Vec<Value>>; 2] {
    let program = parse(text).unwrap_or_else(|wrong| panic!("{wrong:?}\n{text}")).program;
    let code = Code::compile(&program).expect("it is small");
    let limits = Limits::default();
    let runs = runs_of_program(machine, &program, &code, limits, 1 << 20, &AtomicU64::new(0), &mut Budget::unlimited());
    let runs = runs.expect("nobody pauses it");
    assert!(runs.given_up.is_none() && runs.stuck.is_none() && runs.cuts.is_empty(), "{text}");
    let observables = register_observables(&program);
    let state = |run: operational::Run| {
        let value = |observable: &crate::program::Observable| match observable {
            crate::program::Observable::Register { thread, register } => {
                run.registers[usize::from(*thread)][usize::from(register.0)]
            }
            crate::program::Observable::Location { .. } => 0,
        };
        observables.iter().map(value).collect()
    };
    let known = operational::runs(model, &code, limits, 1 << 20).expect("it is small");
    [runs.outcomes.keys().cloned().collect(), known.into_iter().map(state).collect()]
}

/// Caches are sequentially consistent, and buffers with enough slots are those of TSO and PSO.
#[test]
fn random_programs_see_what_models_allow() {
    let seeds = seeds(2_000);
    let programs = seeds.clone().count() as u64;
    let sizes = [("threads", 3), ("variables", 2)];
    let buffers = [("threads", 3), ("variables", 2), ("slots", 3)];
    let memories = [
        (machine(library!("msi-shared"), &sizes), Model::SC),
        (machine(library!("tso"), &buffers), Model::TSO),
        (machine(library!("pso"), &buffers), Model::PSO),
    ];
    let mut more = [0_u64; 3];
    for seed in seeds {
        let text = random(seed);
        let mut sizes = Vec::new();
        for (machine, model) in &memories {
            let [seen, known] = both(machine, *model, &text);
            assert_eq!(seen, known, "seed {seed}, {model:?}:\n{text}");
            sizes.push(seen.len());
        }
        for (at, pair) in sizes.windows(2).enumerate() {
            more[at] += u64::from(pair[0] < pair[1]);
        }
    }
    // Programs that tell none of them apart say little.
    assert!(programs < 200 || more[0] > programs / 50 && more[1] > programs / 200, "{more:?} of {programs}");
}

/// What was proved to be weakly causal shows nothing that WRA forbids, and so on.
#[test]
fn random_programs_see_nothing_that_is_forbidden() {
    let sizes = [("threads", 3), ("variables", 2)];
    let memories = [
        (machine(library!("broadcast-causal"), &[("threads", 3), ("variables", 1)]), Model::WRA),
        (machine(library!("msi"), &sizes), Model::SRA),
        (machine(library!("instant"), &sizes), Model::SC),
    ];
    for seed in seeds(200) {
        for (machine, model) in &memories {
            let text = random(seed);
            let text = if machine.variables.len() == 1 { text.replace('y', "x").replace("x, x", "x") } else { text };
            let program = parse(&text).expect("it is right").program;
            let code = Arc::new(Code::compile(&program).expect("it is small"));
            let limits = Limits::default();
            let runs = runs_of_program(
                machine,
                &program,
                &code,
                limits,
                1 << 20,
                &AtomicU64::new(0),
                &mut Budget::unlimited(),
            );
            let runs = runs.expect("nobody pauses it");
            assert!(runs.given_up.is_none(), "{text}");
            let allowed = outcomes_of_model(&program, &code, *model, limits, u64::MAX, &mut Budget::unlimited());
            assert!(allowed.is_whole);
            let forbidden = runs.outcomes.keys().find(|state| !allowed.states.contains(*state));
            assert_eq!(forbidden, None, "seed {seed}, {model:?}:\n{text}");
        }
    }
}

const SB: &str = include_str!("../../../../../public/sb.lit");
const IRIW: &str = include_str!("../../../../../public/iriw.lit");

fn trial(text: &str, program: &str, settings: &[(&str, i64)]) -> Result<ProgramTrial, NotTried> {
    let settings = settings.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    let (text, program) = (text.to_owned(), program.to_owned());
    ProgramTrial::new(&ProgramRequest { text, settings, as_printed: false, program, limit: 100_000 })
}

fn whole(mut trial: ProgramTrial) -> ProgramView {
    while !trial.is_over() {
        trial.go_on();
    }
    trial.view()
}

#[test]
fn a_trial_shows_runs_first_and_then_the_models() {
    let mut trial = trial(library!("tso"), SB, &[]).expect("it fits");
    assert_eq!(trial.view().size, "");
    trial.go_on();
    let first = trial.view();
    assert_eq!(first.exploring.as_deref(), Some("SC"));
    assert_eq!((first.outcomes.len(), first.verdict.as_str()), (4, "holds"));
    assert!(first.outcomes.iter().all(|outcome| outcome.allowed.is_none()) && first.comparison.is_empty());
    let view = whole(trial);
    assert_eq!(view.size, "SB on TSO: 4 outcomes, by 33 configurations.");
    assert!(view.condition.expect("it has one").ends_with("holds: this memory shows it."));
    assert_eq!(
        view.comparison[0],
        "These are exactly the outcomes of TSO, PSO, SRA, RA, WRA, RC11, RC20 and Coherence."
    );
    let asked = view.outcomes.iter().find(|outcome| outcome.is_asked).expect("it is shown");
    assert_eq!(asked.allowed.as_deref(), Some("forbidden by SC; no other model does"));
    // The run is one that the machine can take, with the program's values.
    let machine = machine(library!("tso"), &[("threads", 2), ("variables", 2)]);
    let run = crate::parse_run(&machine, crate::Initial::Written, &asked.run.text);
    assert_eq!(run.expect("a run").transitions().len(), asked.run.steps.len());
    let values: Vec<&str> = asked.run.steps.iter().filter_map(|(_, value)| value.as_deref()).collect();
    assert_eq!(values, ["1", "1", "0", "0"]);
}

#[test]
fn a_memory_grows_with_the_program_where_it_can() {
    let view = whole(trial(library!("tso"), IRIW, &[("threads", 2), ("nothing", 3)]).expect("it fits"));
    assert_eq!(view.grown.as_deref(), Some("For this program, the memory has 4 threads."));
    let settings: Vec<(&str, i64)> = view.settings.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    assert_eq!(settings, [("threads", 4), ("variables", 2), ("slots", 1)]);
    // It is asked whether there is an outcome that TSO forbids.
    assert_eq!((view.outcomes.len(), view.verdict.as_str()), (15, "violated"));
    let Err(NotTried::Program(message)) = trial(library!("m2"), IRIW, &[]) else { panic!("it has two threads") };
    assert!(message.contains("the program has 4 threads, the protocol 2"), "{message}");
    let Err(NotTried::Program(message)) = trial(library!("tso"), "shared x\n\nx := := 1\n", &[]) else {
        panic!("it is no program")
    };
    assert!(message.contains("program:3:6") && message.contains('^'), "{message}");
    assert!(matches!(trial("protocol X(", SB, &[]), Err(NotTried::Memory(_))));
}
