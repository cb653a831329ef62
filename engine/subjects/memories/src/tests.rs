//! Known machines, and random ones held against each other's procedures.
//!
//! Rumur, a model checker for Murphi, finds the same verdicts on random machines, and as many states as the search meets
//! configurations. That test runs where `LITMOSCOPE_RUMUR` names the program.

use super::*;
use crate::budget::Budget;
use crate::graph::Execution;
use crate::model::Model;
use crate::random::Random;
use litmoscope_core::testing::seeds;

/// A machine of a text: `T1 T2; x y; a=x b=x`, then a transition a line: `q0 -> q1: W T1 x a`.
pub(crate) fn machine(head: &str, lines: &str) -> Machine {
    let mut parts = head.split(';').map(|part| part.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
    let mut part = || parts.next().unwrap_or_default();
    let (threads, variables) = (part(), part());
    let registers = part();
    let registers = registers.iter().map(|register| {
        let (name, variable) = register.split_once('=').expect("a register with its variable");
        let variable = variables.iter().position(|other| other == variable).expect("a variable");
        Register { name: name.to_owned(), variable: Some(Variable(variable as u8)) }
    });
    let registers: Vec<Register> = registers.collect();
    let mut names = MachineNames { threads, variables, registers, ..MachineNames::default() };
    let mut transitions = Vec::new();
    for (line, text) in (1..).zip(lines.lines()).filter(|(_, text)| !text.trim().is_empty()) {
        let (states, operations) = text.split_once(':').expect("states and operations");
        let (from, to) = states.split_once("->").expect("two states");
        let [from, to] = [from, to].map(|name| {
            let name = name.trim();
            let found = names.states.iter().position(|other| other == name);
            State(found.unwrap_or_else(|| {
                names.states.push(name.to_owned());
                names.states.len() - 1
            }) as u32)
        });
        for text in operations.split(',') {
            let operation = operation(&names, text);
            transitions.push(Transition { from, to, operation, line });
        }
    }
    Machine::new(names, transitions)
}

fn operation(names: &MachineNames, text: &str) -> Operation {
    let words: Vec<&str> = text.split_whitespace().collect();
    let thread = |name: &str| Thread(names.threads.iter().position(|other| other == name).expect("a thread") as u8);
    let variable =
        |name: &str| Variable(names.variables.iter().position(|other| other == name).expect("a variable") as u8);
    let register = |name: &str| {
        RegisterIndex(names.registers.iter().position(|other| other.name == name).expect("a register") as u8)
    };
    match words[..] {
        ["W", t, x, a] => Operation::Write { thread: thread(t), variable: variable(x), register: register(a) },
        ["R", t, x, a] => Operation::Read { thread: thread(t), variable: variable(x), register: register(a) },
        [to, ":=", from] => Operation::Copy { to: register(to), from: register(from) },
        ["step"] => Operation::Step,
        _ => panic!("{text}"),
    }
}

/// MSI with two threads and one variable, from the state in which nobody has it.
const MSI: &str = "
II -> MI: W 1 x a
II -> IM: W 2 x b
MI -> IM: W 2 x b
IM -> MI: W 1 x a
MI -> MI: W 1 x a, R 1 x a
IM -> IM: W 2 x b, R 2 x b
MI -> SS: b := a
IM -> SS: a := b
SS -> MI: W 1 x a
SS -> IM: W 2 x b
SS -> SS: R 1 x a, R 2 x b
";
const M2: &str = "
q0 -> q0: W t y b, W f x a, W f y b, R t x a, R t y b, R f x a, R f y b
q0 -> q1: W t x a
q1 -> q1: W t x c, W t y b, W f x c, W f y b, R t x c, R t y b
q1 -> q2: R f x c, R f y b
q2 -> q2: W t x c, W t y b, W f x c, W f y b, R t x c, R t y b, R f x a, R f y b
";

fn single() -> Machine {
    machine("1 2;x;a=x", "q -> q: W 1 x a, W 2 x a, R 1 x a, R 2 x a")
}

fn replicas() -> Machine {
    machine("t f;x;at=x af=x", "q -> q: R t x at, W t x at, R f x af, W f x af, at := af, af := at")
}

/// The shortest run that violates, if one does; the search has to come to its end.
fn shortest(machine: &Machine, causality: Causality, initial: Initial) -> Option<Vec<TransitionIndex>> {
    let mut search = ShapeSearch::new(machine, causality, initial, 5_000_000);
    match search.run(&mut Budget::unlimited()).expect("nobody pauses it") {
        ShapeVerdict::Holds => None,
        ShapeVerdict::Violated(found) => Some(found.transitions),
        ShapeVerdict::Unknown { .. } => panic!("it is small"),
    }
}

/// The steps of shortest runs that violate: WRA, RA, SRA.
fn steps(machine: &Machine, initial: Initial) -> [Option<usize>; 3] {
    Causality::ALL.map(|causality| {
        let run = shortest(machine, causality, initial)?;
        violates(machine, initial, &run, causality);
        Some(run.len())
    })
}

/// Holds that a run violates, and only with its last step.
fn violates(machine: &Machine, initial: Initial, run: &[TransitionIndex], causality: Causality) {
    let whole = Run::of(machine, initial, run).expect("it is a run");
    assert!(!CausalCheck::new(whole.graph()).allows(causality), "{:?}", run);
    if initial == Initial::Written {
        let model: Model = causality.name().parse().expect("there is such a model");
        assert!(!model.is_consistent(whole.graph()));
    }
}

#[test]
fn known_machines_have_known_verdicts() {
    let nothing = Initial::Nothing;
    let msi = machine("1 2;x;a=x b=x", MSI);
    assert_eq!((msi.states.len(), msi.transitions().len()), (4, 14));
    assert_eq!(steps(&msi, nothing), [None; 3]);
    assert_eq!(steps(&single(), nothing), [None; 3]);
    assert_eq!(steps(&single(), Initial::Written), [None; 3]);
    let three = replicas();
    assert_eq!(steps(&three, nothing)[0], Some(5));
    assert_eq!(steps(&three, Initial::Written)[0], Some(3));
    let m2 = machine("t f;x y;a=x b=y c=x", M2);
    assert_eq!(steps(&m2, nothing)[0], Some(4));
    assert_eq!(steps(&m2, Initial::Written)[0], Some(2));
}

#[test]
fn the_chain_of_tuples_of_print_is_found() {
    let m2 = machine("t f;x y;a=x b=y c=x", M2);
    let saturation = saturate(&m2, Initial::Nothing, u64::MAX, &mut Budget::unlimited()).expect("nobody pauses it");
    assert!(saturate(&m2, Initial::Nothing, 3, &mut Budget::unlimited()).is_ok_and(|found| found.is_none()));
    let saturation = saturation.expect("there is room");
    let found = saturation.violation.expect("it is not weakly causal");
    violates(&m2, Initial::Nothing, &found.transitions, Causality::Weak);
    // That of the thesis is held to the rules in `saturation.rs`. This one is shorter.
    let chain: Vec<(bool, u32)> = {
        let mut chain = Vec::new();
        let mut at = Some(found.tuple);
        while let Some(tuple) = at {
            let about = &saturation.tuples[tuple];
            chain.push((about.is_exposed, about.state.0));
            at = about.behind;
        }
        chain.into_iter().rev().collect()
    };
    assert_eq!(chain.first(), Some(&(false, 2)));
    assert_eq!(chain.last(), Some(&(true, 1)));
}

/// A random machine with registers of one variable each. A line runs through its states once; one in which much is written first has
/// more to be in disorder.
fn random(seed: u64, is_line: bool) -> Machine {
    let writes_first = is_line && seed.is_multiple_of(2);
    let mut random = Random::new(seed);
    let mut between = |from: usize, to: usize| from + random.below((to - from + 1) as u64) as usize;
    // Two threads and two variables are what tells the strong form apart.
    let is_crossed = writes_first && seed.is_multiple_of(4);
    let (threads, variables) = if is_crossed { (2, 2) } else { (between(2, 3), between(1, 2)) };
    let registers = if writes_first { 4 } else { between(variables, 4) };
    let transitions = if writes_first { between(8, 10) } else { between(4, 9) };
    let states = if is_line { transitions + 1 } else { between(1, 3) };
    let of = |register: usize| Variable((register % variables) as u8);
    let names = MachineNames {
        name: format!("seed {seed}"),
        threads: (1..=threads).map(|thread| format!("T{thread}")).collect(),
        variables: (0..variables).map(|variable| format!("x{variable}")).collect(),
        registers: (0..registers)
            .map(|register| Register { name: format!("r{register}"), variable: Some(of(register)) })
            .collect(),
        states: (0..states).map(|state| format!("q{state}")).collect(),
    };
    let list = (0..transitions).map(|place| {
        let (from, to) = if is_line { (place, place + 1) } else { (between(0, states - 1), between(0, states - 1)) };
        let thread = match (is_crossed, place) {
            // Each thread writes both variables, in different orders.
            (true, 0 | 1) => Thread((place % 2) as u8),
            (true, 2 | 3) => Thread(((place + 1) % 2) as u8),
            _ => Thread(between(0, threads - 1) as u8),
        };
        let is_first = writes_first && place < registers;
        let register = if is_first { place } else { between(0, registers - 1) };
        let (variable, index) = (of(register), RegisterIndex(register as u8));
        let operation = match between(0, 7) {
            _ if is_first => Operation::Write { thread, variable, register: index },
            _ if writes_first => Operation::Read { thread, variable, register: index },
            0..=2 => Operation::Write { thread, variable, register: index },
            3..=5 => Operation::Read { thread, variable, register: index },
            6 => {
                let others: Vec<usize> = (0..registers).filter(|other| of(*other) == variable).collect();
                Operation::Copy { to: index, from: RegisterIndex(others[between(0, others.len() - 1)] as u8) }
            }
            _ => Operation::Step,
        };
        Transition { from: State(from as u32), to: State(to as u32), operation, line: 0 }
    });
    let list: Vec<Transition> = list.collect();
    Machine::new(names, list)
}

/// All runs of so many steps, each checked as a graph.
fn violated_within(machine: &Machine, initial: Initial, steps: usize) -> [bool; 3] {
    let mut violated = [false; 3];
    let mut work = vec![Run::new(machine, initial)];
    while let Some(run) = work.pop() {
        for (index, transition) in machine.from(run.state()) {
            let mut next = run.clone();
            assert!(next.take(index));
            if matches!(transition.operation, Operation::Read { .. }) {
                let check = CausalCheck::new(next.graph());
                for (at, causality) in Causality::ALL.into_iter().enumerate() {
                    violated[at] |= !check.allows(causality);
                }
            }
            if next.transitions().len() < steps {
                work.push(next);
            }
        }
    }
    violated
}

/// The procedures agree on random machines, and on what their runs are.
#[test]
fn procedures_agree_on_random_machines() {
    let seeds = seeds(600);
    let count = seeds.clone().count() as u64;
    let mut kinds = [0_u32; 4];
    // How often the oracle came to its end, by what is asked of runs.
    let mut compared = [0_u64; 3];
    for seed in seeds {
        let is_line = !seed.is_multiple_of(3);
        let machine = random(seed, is_line);
        for initial in [Initial::Nothing, Initial::Written] {
            let found = Causality::ALL.map(|causality| shortest(&machine, causality, initial));
            for ((causality, run), compared) in Causality::ALL.into_iter().zip(&found).zip(&mut compared) {
                if let Some(run) = run {
                    violates(&machine, initial, run, causality);
                }
                if let Some(tracked) = tracked::find(&machine, causality, initial, 4_000) {
                    *compared += 1;
                    let lengths = [tracked.as_ref().map(Vec::len), run.as_ref().map(Vec::len)];
                    assert_eq!(lengths[0], lengths[1], "seed {seed}, {initial:?}, {causality:?}: {machine:?}");
                }
            }
            let saturation = saturate(&machine, initial, u64::MAX, &mut Budget::unlimited()).expect("nobody pauses it");
            let saturation = saturation.expect("there is room");
            assert_eq!(saturation.violation.is_some(), found[0].is_some(), "seed {seed}, {initial:?}: {machine:?}");
            if let Some(violation) = saturation.violation {
                violates(&machine, initial, &violation.transitions, Causality::Weak);
            }
            let steps = if is_line {
                10
            } else if cfg!(debug_assertions) {
                5
            } else {
                6
            };
            let within = violated_within(&machine, initial, steps);
            for (at, run) in found.iter().enumerate() {
                let is_short = run.as_ref().is_some_and(|run| run.len() <= steps);
                assert_eq!(within[at], is_short, "seed {seed}, {initial:?}, {at}: {machine:?}");
            }
            let kind = found.iter().filter(|run| run.is_some()).count();
            kinds[kind] += 1;
        }
    }
    if count >= 600 {
        assert!(compared.iter().all(|compared| *compared > count), "the oracle was of use: {compared:?} of {count}");
        // The rarest is one of two hundred.
        assert!(kinds.iter().all(|kind| *kind > 0), "each kind: {kinds:?}");
    }
}

/// A random machine in which two threads and some registers can be exchanged: with each transition there is its image.
fn random_symmetric(seed: u64) -> Machine {
    let machine = random(seed, seed.is_multiple_of(4));
    let swap = |register: RegisterIndex| {
        // The next one with the same variable, in pairs.
        let of = |at: usize| machine.registers.get(at).and_then(|register| register.variable);
        let same: Vec<usize> = (0..machine.registers.len()).filter(|at| of(*at) == of(register.index())).collect();
        let place = same.iter().position(|at| *at == register.index()).expect("it is one of them");
        RegisterIndex(same.get(place ^ 1).copied().unwrap_or(register.index()) as u8)
    };
    let thread = |thread: Thread| Thread([1, 0, 2][thread.index()]);
    let image = |operation: Operation| match operation {
        Operation::Write { thread: t, variable, register } => {
            Operation::Write { thread: thread(t), variable, register: swap(register) }
        }
        Operation::Read { thread: t, variable, register } => {
            Operation::Read { thread: thread(t), variable, register: swap(register) }
        }
        Operation::Copy { to, from } => Operation::Copy { to: swap(to), from: swap(from) },
        other => other,
    };
    let images = machine.transitions().iter().map(|about| Transition { operation: image(about.operation), ..*about });
    let all = machine.transitions().iter().copied().chain(images).collect();
    let Machine { name, threads, variables, registers, states, .. } = machine.clone();
    Machine::new(MachineNames { name, threads, variables, registers, states }, all)
}

/// Searches up to exchanging things find runs as short as those of whole searches, and stand for as many configurations where none is found.
#[test]
fn what_can_be_exchanged_is_explored_once() {
    let seeds = seeds(600);
    let count = seeds.clone().count() as u64;
    let (mut symmetric, mut fewer, mut found) = (0, 0, 0);
    for seed in seeds {
        let machine = random_symmetric(seed);
        let symmetry = Symmetry::of(&machine, &mut Budget::unlimited()).expect("nobody pauses it");
        symmetric += u64::from(symmetry.group().len() > 1);
        for initial in [Initial::Nothing, Initial::Written] {
            for causality in Causality::ALL {
                const LIMIT: u64 = 300_000;
                let mut whole = ShapeSearch::new(&machine, causality, initial, LIMIT);
                let verdict = whole.run(&mut Budget::unlimited()).expect("nobody pauses it");
                let mut part = ShapeSearch::new(&machine, causality, initial, LIMIT).up_to(&symmetry);
                let same = part.run(&mut Budget::unlimited()).expect("nobody pauses it");
                assert_eq!(whole.configurations(), whole.represented());
                match (verdict, same) {
                    (ShapeVerdict::Holds, ShapeVerdict::Holds) => {
                        assert_eq!(part.represented(), whole.configurations(), "seed {seed}: {machine:?}");
                        assert!(part.configurations() <= whole.configurations());
                        fewer += u64::from(part.configurations() < whole.configurations());
                    }
                    (ShapeVerdict::Violated(one), ShapeVerdict::Violated(other)) => {
                        assert_eq!(one.transitions.len(), other.transitions.len(), "seed {seed}: {machine:?}");
                        violates(&machine, initial, &other.transitions, causality);
                        found += 1;
                    }
                    (ShapeVerdict::Unknown { .. }, _) => {}
                    verdicts => panic!("seed {seed}: {verdicts:?} of {machine:?}"),
                }
            }
        }
    }
    assert!(
        count < 600 || symmetric > count * 9 / 10 && fewer > count / 10 && found > count,
        "{symmetric} {fewer} {found}"
    );
}

/// A model for Murphi has a rule for each transition and a state to begin with for each shape.
#[test]
fn machines_are_models_for_murphi() {
    let msi = machine("1 2;x;a=x b=x", MSI);
    let model = murphi(&msi, Causality::ReleaseAcquire, Initial::Written).expect("there are few shapes");
    assert_eq!(model.matches("\nrule ").count() + model.matches("\nruleset ").count(), msi.transitions().len());
    // One pair with an initial write or another one, two pairs that are joined not at all, once, twice.
    assert_eq!(model.matches("startstate ").count(), 5, "{model}");
    let names = |name: &str, count: usize| (0..count).map(|at| format!("{name}{at}")).collect::<Vec<_>>();
    let (threads, variables) = (names("T", 8), names("x", 16));
    let names = MachineNames { threads, variables, states: vec!["q".to_owned()], ..MachineNames::default() };
    let machine = Machine::new(names, Vec::new());
    assert_eq!(murphi(&machine, Causality::Strong, Initial::Written), Err(TooManyShapes));
}

/// `LITMOSCOPE_RUMUR` names the program of that name: what it compiles has to find the same verdicts, and where they hold, as many states.
#[test]
fn rumur_finds_the_same() {
    let Ok(rumur) = std::env::var("LITMOSCOPE_RUMUR") else { return };
    let seeds = seeds(30);
    let count = seeds.clone().count() as u64;
    let room = std::env::temp_dir().join(format!("litmoscope-rumur-{}", std::process::id()));
    std::fs::create_dir_all(&room).expect("there is room");
    let place = |name: &str| room.join(name);
    let run = |program: &str, arguments: &[&std::ffi::OsStr]| {
        std::process::Command::new(program).args(arguments).output().expect("it can be run")
    };
    let mut seen = [0_u32; 2];
    for seed in seeds {
        let machine = random(seed, seed.is_multiple_of(3));
        let initial = if seed.is_multiple_of(2) { Initial::Written } else { Initial::Nothing };
        let causality = Causality::ALL[seed as usize / 2 % 3];
        let mut search = ShapeSearch::new(&machine, causality, initial, 100_000);
        let verdict = search.run(&mut Budget::unlimited()).expect("nobody pauses it");
        if matches!(verdict, ShapeVerdict::Unknown { .. }) {
            continue;
        }
        let model = murphi(&machine, causality, initial).expect("there are few shapes");
        std::fs::write(place("m.m"), &model).expect("there is room");
        let (text, code, binary) = (place("m.m"), place("m.c"), place("m"));
        let made = run(
            &rumur,
            &[
                "--deadlock-detection".as_ref(),
                "off".as_ref(),
                "--threads".as_ref(),
                "1".as_ref(),
                text.as_ref(),
                "--output".as_ref(),
                code.as_ref(),
            ],
        );
        assert!(made.status.success(), "{}\n{model}", String::from_utf8_lossy(&made.stderr));
        let flags = ["-O1".as_ref(), "-mcx16".as_ref(), "-o".as_ref(), binary.as_os_str(), code.as_os_str()];
        let libraries = ["-lpthread".as_ref(), "-latomic".as_ref()];
        assert!(run("cc", &[&flags[..], &libraries].concat()).status.success());
        let found = run(&binary.to_string_lossy(), &[]);
        let out = String::from_utf8_lossy(&found.stdout).into_owned();
        let holds = verdict == ShapeVerdict::Holds;
        assert_eq!(found.status.success(), holds, "seed {seed}: {out}\n{machine:?}");
        if holds {
            let states = format!("\t{} states,", search.configurations());
            assert!(out.contains(&states), "seed {seed}: {states} but {out}\n{machine:?}");
        }
        seen[usize::from(holds)] += 1;
    }
    std::fs::remove_dir_all(&room).expect("it is its own");
    assert!(count < 30 || seen.iter().all(|seen| *seen > 0), "{seen:?}");
}

/// The check of graphs says what the models say.
#[test]
fn graphs_are_judged_as_the_models_do() {
    let mut seen = [0_u32; 4];
    for seed in seeds(2_000) {
        let machine = random(seed, true);
        let mut run = Run::new(&machine, Initial::Written);
        while let Some((next, _)) = machine.from(run.state()).next() {
            run.take(next);
        }
        let graph: &Execution = run.graph();
        let check = CausalCheck::new(graph);
        let mut allowed = 0;
        for causality in Causality::ALL {
            let model: Model = causality.name().parse().expect("there is such a model");
            assert_eq!(check.allows(causality), model.is_consistent(graph), "seed {seed}, {causality:?}: {machine:?}");
            allowed += usize::from(check.allows(causality));
            if let Some(cycle) = check.cycle(causality) {
                let closes = cycle.iter().zip(cycle.iter().cycle().skip(1));
                assert!(closes.into_iter().all(|(edge, next)| edge.ends().1 == next.ends().0), "{cycle:?}");
            }
        }
        seen[allowed] += 1;
    }
    assert!(seen[0] > 5 && seen[3] > 5, "{seen:?}");
}

/// All graphs of up to five events without read-modify-writes on two variables and three threads: event by event, each read behind its source.
#[test]
fn all_small_graphs_are_judged_as_the_models_do() {
    use crate::graph::ThreadId;
    use crate::program::{Action, Location, Mode, Span};
    const MOST: usize = 5;
    let models = Causality::ALL.map(|causality| causality.name().parse::<Model>().expect("there is such a model"));
    let program = machine("1 2 3;x y;a=x", "q -> q: R 1 x a").program();
    let code = crate::program::Code::compile(&program).expect("threads without statements");
    // Threads and variables are used in the order of their numbers.
    let mut work = vec![(Execution::initial(&code), 0_usize, 0_u16, 0_u32)];
    let (mut graphs, mut allowed) = (0_u64, [0_u64; 3]);
    while let Some((graph, events, threads, variables)) = work.pop() {
        let check = CausalCheck::new(&graph);
        for ((causality, model), allowed) in Causality::ALL.into_iter().zip(models).zip(&mut allowed) {
            let allows = check.allows(causality);
            assert_eq!(allows, model.is_consistent(&graph), "{causality:?}: {graph:?}");
            *allowed += u64::from(allows);
        }
        graphs += 1;
        if events == MOST {
            continue;
        }
        for thread in 0..(threads + 1).min(3) {
            for variable in 0..(variables + 1).min(2) {
                let location = Location(variable);
                let used = (threads.max(thread + 1), variables.max(variable + 1));
                let sources: Vec<_> = graph.writes(location).collect();
                let value = sources.len() as i64;
                let write = Action::Write { location, mode: Mode::default(), value };
                let mut next = graph.clone();
                next.add(ThreadId(thread), write, Span::default());
                work.push((next, events + 1, used.0, used.1));
                for source in sources {
                    let read = Action::Read { location, mode: Mode::default() };
                    let mut next = graph.clone();
                    let event = next.add(ThreadId(thread), read, Span::default());
                    next.set_source(event, source);
                    work.push((next, events + 1, used.0, used.1));
                }
            }
        }
    }
    let [weak, release_acquire, strong] = allowed;
    // What tells the strong form apart takes six events, as in Fig. 2.5a.
    assert!(graphs > weak && weak > release_acquire && release_acquire == strong, "{graphs} {allowed:?}");
}

/// The graphs of print: which of WRA, RA, SRA allow them.
#[test]
fn graphs_of_print() {
    let graph = |head: &str, lines: &str| {
        let machine = machine(head, lines);
        let mut run = Run::new(&machine, Initial::Written);
        while let Some((next, _)) = machine.from(run.state()).next() {
            run.take(next);
        }
        let check = CausalCheck::new(run.graph());
        Causality::ALL.map(|causality| check.allows(causality))
    };
    let line = |operations: &[&str]| {
        let lines = operations.iter().enumerate().map(|(at, operation)| format!("q{at} -> q{}: {operation}\n", at + 1));
        lines.collect::<String>()
    };
    let two = line(&["W 1 x a", "W 2 x b", "R 1 x b", "R 2 x a"]);
    assert_eq!(graph("1 2;x;a=x b=x", &two), [true, false, false]);
    let figure = line(&["W 1 x a", "W 1 y b", "W 2 y c", "W 2 x d", "R 1 y c", "R 2 x a"]);
    assert_eq!(graph("1 2;x y;a=x b=y c=y d=x", &figure), [true, true, false]);
    let buffering = line(&["R 1 y c", "R 2 x d", "W 1 x a", "W 2 y b"]);
    assert_eq!(graph("1 2;x y;a=x b=y c=y d=x", &buffering), [true, true, true]);
    let stale = line(&["W 1 x a", "W 1 x b", "R 1 x a"]);
    assert_eq!(graph("1;x;a=x b=x", &stale), [false, false, false]);
    let turns = line(&["W 1 x a", "W 2 x b", "R 3 x a", "R 3 x b", "R 4 x b", "R 4 x a"]);
    assert_eq!(graph("1 2 3 4;x;a=x b=x", &turns), [true, false, false]);
    let passing = line(&["W 1 x a", "W 1 x b", "W 1 y c", "R 2 y c", "R 2 x a"]);
    assert_eq!(graph("1 2;x y;a=x b=x c=y", &passing), [false, false, false]);
    let copied = line(&["W 2 x a2", "W 1 x a1", "a2 := a1", "R 2 x a2"]);
    assert_eq!(graph("1 2;x;a1=x a2=x", &copied), [true, true, true]);
}

/// Pairs of automata, whether some word is accepted by both, the transitions of their machine, and the steps of its shortest run that violates.
#[test]
fn automata_make_machines() {
    let automaton = |states: usize, steps: &[(usize, char, usize)], accepting: &[usize]| Automaton {
        states,
        steps: steps.to_vec(),
        accepting: accepting.to_vec(),
    };
    let some = automaton(2, &[(0, 'a', 1), (1, 'a', 1)], &[1]);
    let two = automaton(3, &[(0, 'a', 1), (1, 'a', 2)], &[2]);
    let other = automaton(3, &[(0, 'a', 1), (1, 'b', 2)], &[2]);
    let odd = automaton(2, &[(0, 'a', 1), (1, 'a', 0)], &[1]);
    let even = automaton(2, &[(0, 'a', 1), (1, 'a', 0)], &[0]);
    let empty = automaton(1, &[], &[0]);
    type Known<'a> = ([&'a Automaton; 2], usize, Option<(usize, &'a str)>);
    let pairs: [Known<'_>; 6] = [
        ([&some, &two], 31, Some((31, "aa"))),
        ([&some, &other], 31, None),
        ([&odd, &even], 27, None),
        ([&odd, &some], 27, Some((22, "a"))),
        ([&empty, &even], 21, Some((15, ""))),
        ([&empty, &some], 21, None),
    ];
    for (pair, transitions, expected) in pairs {
        let pair = pair.map(Clone::clone);
        let machine = machine_of(&pair, &['a', 'b'], Initialization::Corrected).expect("they are small");
        assert_eq!(machine.transitions().len(), transitions, "{pair:?}");
        for initial in [Initial::Written, Initial::Nothing] {
            let [weak, release_acquire, strong] = steps(&machine, initial);
            assert_eq!(weak, None);
            assert_eq!((release_acquire, strong), (expected.map(|about| about.0), expected.map(|about| about.0)));
            if let Some((_, word)) = expected {
                let run = shortest(&machine, Causality::ReleaseAcquire, initial).expect("it violates");
                assert_eq!(word_of(&machine, &run), word);
                assert!(pair.iter().all(|automaton| automaton.accepts(word)));
            }
        }
        let printed = machine_of(&pair, &[], Initialization::AsPrinted).expect("they are small");
        let [weak, release_acquire, strong] = steps(&printed, Initial::Nothing);
        assert!(weak.is_none() && release_acquire.is_some() && strong.is_some());
    }
    assert_eq!(machine_of(&[some], &[], Initialization::Corrected), Err(NoMachine::TooFew));
}

/// More shapes than anybody can go through are begun, and stopped.
#[test]
fn searches_of_many_shapes_are_stopped() {
    let names = |name: &str, count: usize| (0..count).map(|at| format!("{name}{at}")).collect::<Vec<_>>();
    let variables = names("x", 16);
    let registers = (0..16).map(|at| Register { name: format!("a{at}"), variable: Some(Variable(at)) }).collect();
    let threads = names("T", 8);
    let names = MachineNames { threads, variables, registers, states: vec!["q".to_owned()], ..MachineNames::default() };
    let read = |at: u8| Operation::Read { thread: Thread(at % 8), variable: Variable(at), register: RegisterIndex(at) };
    let list = (0..16).map(|at| Transition { from: State(0), to: State(0), operation: read(at), line: 0 });
    let machine = Machine::new(names, list.collect());
    let mut search = ShapeSearch::new(&machine, Causality::Strong, Initial::Written, 1 << 40);
    assert!(search.run(&mut Budget::unlimited().capped(100_000)).is_err());
    let mut search = ShapeSearch::new(&machine, Causality::Strong, Initial::Written, 1_000);
    let verdict = search.run(&mut Budget::unlimited()).expect("nobody pauses it");
    assert!(matches!(verdict, ShapeVerdict::Unknown { .. }), "{verdict:?}");
}

/// What is given up among short runs says nothing of shapes in all runs.
#[test]
fn limits_among_short_runs_rule_nothing_out() {
    let machine = replicas();
    let question = |configurations, steps| Question {
        causality: Causality::Strong,
        initial: Initial::Nothing,
        configurations,
        steps,
        symmetry: None,
    };
    let decided = |question| decide(&machine, &question, &mut Budget::unlimited());
    assert_eq!(decided(question(10, Some(4))), Ok(Decided::Unknown { shapes: 0 }));
    assert_eq!(decided(question(1 << 20, Some(4))), Ok(Decided::Bounded { steps: 4 }));
    assert!(matches!(decided(question(1 << 20, None)), Ok(Decided::Violated { .. })));
}
