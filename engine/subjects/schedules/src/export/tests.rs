//! Exported programs, compiled and run.

use super::names::{Names, comment, literal};
use super::{ExportError, Language, Source, export};
use crate::sections::lassos::{alternating, random_tree, system};
use crate::sections::{Opt, Options, ProgramSchedule};
use crate::testing::DOUBLE;
use litmoscope_core::program::system::{
    EventKind, Fault, Point, PointId, PointKind, States, System, Term, Transition, TransitionId, Variable,
};
use litmoscope_core::program::{Arithmetic, BinaryOperator, Integer, UnaryOperator};
use litmoscope_core::random::Random;
use litmoscope_core::testing::looping::{Shape, looping};
use litmoscope_core::testing::seeds;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::ops::Range;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

/// A program that is exported, what its run is told, and what has to be in what it prints.
struct Case {
    text: String,
    system: System,
    schedule: Option<ProgramSchedule>,
    arguments: Vec<&'static str>,
    /// One of these has to be printed; if the run is to fail, its status is 1.
    prints: Vec<&'static str>,
}

const BUFFER: &str = "shared m, count
while 1 { lock m; if count < 2 { count := count + 1 }; unlock m }
||
while 1 { lock m; if count > 0 { count := count - 1 }; unlock m }";

/// All that threads can do, and words that are none of ours.
const ALL: &str = "shared m, x, y = 3, q[3], c, loop = input 0..2, static
assuming loop != 1
while 1 {
  r := x; i := (r % 3 + 3) % 3; x := (r + 1) % 5; q[i] := r * -7; s := q[i]; q[2 - i] := s + 1
  if cas(y, 3, 4) = 3 { y := 3 }
  fetch_max(x, 2); fetch_xor(static, 1); atomic { t := q[i]; q[i] := t + x; x := t }
  lock m; loop := loop + 1; unlock m
  send(c, r << 2 ^ r)
}
||
while 1 {
  a := receive(c); b := input {0, 5, 7}; if b = 5 { y := y + 1; y := y - 1 }
  atomic { match := input 0..9; assume match > 2; x := match % 3 }
  lock m; loop := a / (b + 1); unlock m; fence
}";

impl Case {
    fn new(
        text: &str,
        (system, schedule): (System, Option<ProgramSchedule>),
        arguments: &[&'static str],
        prints: &[&'static str],
    ) -> Self {
        Self { text: text.to_owned(), system, schedule, arguments: arguments.to_vec(), prints: prints.to_vec() }
    }

    fn source(&self) -> Source<'_> {
        Source { system: &self.system, text: &self.text, schedule: self.schedule.as_ref() }
    }

    fn check(&self, name: &str, mut command: Command) {
        let run = command.args(&self.arguments).output().expect("the program runs");
        let printed = format!("{}{}", String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
        let fails = ["stuck", "goes wrong", "not permitted", "does not hold"].iter().any(|word| printed.contains(word));
        assert_eq!(run.status.code(), Some(i32::from(fails)), "{name}\n{}\n{printed}", self.text);
        let is_said = self.prints.iter().any(|word| printed.contains(word));
        assert!(is_said, "{name}: {:?}\n{}\n{printed}\n{:#?}", self.prints, self.text, self.schedule);
    }
}

fn scheduled(text: &str, turns: &[(u16, usize)], opt: Opt) -> (System, Option<ProgramSchedule>) {
    let (system, art) = alternating(text, turns);
    let schedule = ProgramSchedule::of(&system, &art, Options { opt, keeps_all: false }).expect("a schedule");
    (system, Some(schedule))
}

/// The schedule of a run to the first deadlock, or error.
fn forced(text: &str, to: impl Fn(&System, &States) -> Vec<usize>) -> (System, Option<ProgramSchedule>) {
    let system = system(text);
    let states = States::of(&system, 10_000).expect("few");
    let to = to(&system, &states)[0];
    let steps: Vec<_> = states.way_to(to).1.iter().map(|reached| reached.transition).collect();
    let schedule = ProgramSchedule::chain(&system, &steps);
    (system, Some(schedule))
}

/// A run at random: its steps, and what it comes to.
fn walk(system: &System, random: &mut Random) -> (Vec<TransitionId>, &'static str) {
    let mut state = system.initial_states().expect("few")[0].clone();
    let mut steps = Vec::new();
    for _ in 0..60 {
        let all: Vec<_> =
            (0..system.threads.len()).flat_map(|thread| system.successors(&state, thread).expect("few")).collect();
        if system.is_error(&state) {
            return (steps, "goes wrong");
        }
        if all.is_empty() {
            return (steps, if system.is_active(&state) { "stuck" } else { "all threads have left" });
        }
        let step = &all[random.below(all.len() as u64) as usize];
        steps.push(step.transition);
        state = step.state.clone();
    }
    (steps, "")
}

fn cases(seeds: Range<u64>) -> Vec<Case> {
    let short = ["0.05", "--monitor"];
    let free = ["0.05", "--unconstrained", "--seed", "7"];
    let mut cases = vec![
        Case::new(BUFFER, scheduled(BUFFER, &[(0, 5), (1, 5)], Opt::Opt0), &short, &["\nstopped"]),
        Case::new(BUFFER, scheduled(BUFFER, &[(0, 5), (1, 5)], Opt::Opt1), &short, &["\nstopped"]),
        Case::new(BUFFER, scheduled(BUFFER, &[(0, 5), (1, 5)], Opt::Opt2), &short, &["\nstopped"]),
        Case::new(BUFFER, scheduled(BUFFER, &[(0, 5), (1, 5)], Opt::Opt2), &free, &["\nstopped"]),
        Case::new(DOUBLE, scheduled(DOUBLE, &[(0, 5), (1, 5)], Opt::Opt1), &short, &["\nstopped"]),
        Case::new(
            DOUBLE,
            forced(DOUBLE, |system, states| states.deadlocks(system)),
            &["10"],
            &["stuck: T1 waits for lock 1, which T2 holds; T2 waits for lock 0, which T1 holds"],
        ),
        Case::new(ALL, (system(ALL), None), &free, &["\nstopped"]),
        computing(seeds.start, 10 * seeds.clone().count()),
    ];
    let racy = "shared m, count
while 1 { if count < 1 { lock m; assert count < 1; fai(count); unlock m } }
||
while 1 { if count < 1 { lock m; assert count < 1; fai(count); unlock m } }";
    let says =
        ["P1 goes wrong in line 4: an assertion does not hold", "P0 goes wrong in line 2: an assertion does not hold"];
    cases.push(Case::new(racy, forced(racy, |system, states| states.errors(system)), &["10", "--monitor"], &says));
    for seed in seeds {
        let text = looping(seed, Shape { inputs: false, ..Shape::default() });
        let system = system(&text);
        let mut random = Random::new(seed);
        let (steps, end) = walk(&system, &mut random);
        let schedule = ProgramSchedule::chain(&system, &steps);
        // Behind the run that is forced anything may happen.
        let any = ["\nstopped", "stuck", "goes wrong", "does not hold", "have left"];
        let expected: &[&'static str] = match end {
            "" => &any,
            "goes wrong" => &["goes wrong", "does not hold"],
            "stuck" => &["stuck"],
            _ => &["have left"],
        };
        let seconds = if end.is_empty() { "0.02" } else { "10" };
        cases.push(Case::new(&text, (system.clone(), Some(schedule)), &[seconds, "--monitor"], expected));
        let Some(art) = random_tree(&system, seed) else { continue };
        let opt = [Opt::Opt0, Opt::Opt1, Opt::Opt2][seed as usize % 3];
        let schedule = ProgramSchedule::of(&system, &art, Options { opt, keeps_all: false }).expect("a schedule");
        cases.push(Case::new(&text, (system, Some(schedule)), &["0.02", "--monitor"], &["\nstopped", "have left"]));
    }
    cases
}

fn folder(name: &str) -> PathBuf {
    let folder = env::temp_dir().join(format!("litmoscope-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder can be made");
    folder
}

/// Compiles, with all warnings as errors.
fn compile(command: &mut Command) {
    let compiled = command.output().expect("the compiler runs");
    assert!(compiled.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&compiled.stderr));
}

#[test]
fn exported_programs_in_rust_run() {
    let folder = folder("export-rust");
    let cases = cases(seeds(60));
    // One program of all, each a module, since a compiler needs a second for each.
    let mut text = String::from("use std::process::ExitCode;\n");
    let mut mains = String::new();
    for (number, case) in cases.iter().enumerate() {
        let program = export(&case.source(), Language::Rust).expect("it has threads");
        let mut program = program.replace("\nfn main()", "\npub fn main()");
        if number > 0 {
            // The same runtime for all but the first, which has all that it needs.
            let at = program.find("\n/// The runtime: threads that keep").expect("it is the last");
            program.truncate(at);
            program = program.replace("use runtime::", "use crate::p0::runtime::");
        } else {
            program = program.replace("\nmod runtime", "\npub mod runtime");
        }
        fs::write(folder.join(format!("p{number}.rs")), program).expect("a file can be written");
        text += &format!("mod p{number};\n");
        mains += &format!("        Some(\"{number}\") => p{number}::main(),\n");
    }
    text += &format!(
        "fn main() -> ExitCode {{\n    match std::env::var(\"CASE\").as_deref().ok() {{\n{mains}        _ => ExitCode::FAILURE,\n    }}\n}}\n"
    );
    fs::write(folder.join("main.rs"), text).expect("a file can be written");
    let program = folder.join("program");
    let mut rustc = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    compile(rustc.args(["--edition", "2024", "-D", "warnings", "-o"]).arg(&program).arg(folder.join("main.rs")));
    for (number, case) in cases.iter().enumerate() {
        let mut command = Command::new(&program);
        command.env("CASE", number.to_string());
        case.check(&format!("case {number}, Rust"), command);
    }
    fs::remove_dir_all(folder).expect("it can be removed");
}

#[test]
fn exported_programs_in_c_run() {
    let name = env::var_os("CC").unwrap_or_else(|| OsString::from("cc"));
    if let Err(error) = Command::new(&name).arg("--version").output() {
        assert_eq!(error.kind(), ErrorKind::NotFound, "{error}");
        println!("not tested: there is no {}", name.display());
        return;
    }
    let folder = folder("export-c");
    for (number, case) in cases(seeds(6)).iter().enumerate() {
        let (file, program) = (folder.join("main.c"), folder.join(format!("program-{number}")));
        fs::write(&file, export(&case.source(), Language::C).expect("it has threads")).expect("a file can be written");
        let mut cc = Command::new(&name);
        compile(cc.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-pthread", "-o"]).arg(&program).arg(&file));
        case.check(&format!("case {number}, C"), Command::new(&program));
    }
    fs::remove_dir_all(folder).expect("it can be removed");
}

/// A term at random, over this many registers.
fn term(random: &mut Random, registers: &[u32], depth: u32) -> Arc<Term> {
    const NUMBERS: [i64; 16] =
        [0, 1, -1, 2, 3, 5, 31, 32, 63, 64, 255, 65_536, i32::MIN as i64, u32::MAX as i64, i64::MAX, i64::MIN];
    if depth == 0 || random.below(8) == 0 {
        return match random.below(2) {
            0 => Term::constant(NUMBERS[random.below(16) as usize]),
            _ => Arc::new(Term::Variable(Variable(registers[random.below(registers.len() as u64) as usize]))),
        };
    }
    let inner = |random: &mut Random| term(random, registers, depth - 1);
    use BinaryOperator as B;
    const PLAIN: [BinaryOperator; 18] = [
        B::Add,
        B::Subtract,
        B::Multiply,
        B::Divide,
        B::Remainder,
        B::BitAnd,
        B::BitOr,
        B::BitXor,
        B::ShiftLeft,
        B::ShiftRight,
        B::Equal,
        B::NotEqual,
        B::Less,
        B::LessOrEqual,
        B::Greater,
        B::GreaterOrEqual,
        B::And,
        B::Or,
    ];
    use Arithmetic as A;
    const TYPED: [Arithmetic; 11] = [
        A::Add,
        A::Subtract,
        A::Multiply,
        A::Divide,
        A::Remainder,
        A::ShiftLeft,
        A::ShiftRight,
        A::Less,
        A::LessOrEqual,
        A::Greater,
        A::GreaterOrEqual,
    ];
    match random.below(12) {
        0 => Term::unary(UnaryOperator::Negate, &inner(random)),
        1 => Term::unary(UnaryOperator::Complement, &inner(random)),
        2 => Term::not(&inner(random)),
        3 => {
            let to = Integer::ALL[random.below(9) as usize];
            Term::unary(UnaryOperator::Convert(to), &inner(random))
        }
        4 => Term::choose(&inner(random), &inner(random), &inner(random)),
        5..=7 => {
            let integer = [Integer::Int32, Integer::UInt32, Integer::Int64, Integer::UInt64][random.below(4) as usize];
            // Both operands are of the type, but the distance of a shift.
            let left = Term::unary(UnaryOperator::Convert(integer), &inner(random));
            let mut right = Term::unary(UnaryOperator::Convert(integer), &inner(random));
            let operator = TYPED[random.below(11) as usize];
            if matches!(operator, A::ShiftLeft | A::ShiftRight) && random.below(2) == 0 {
                right = Term::constant(random.below(33) as i64);
            }
            let operator = B::Typed(operator, integer);
            match random.below(3) {
                0 => Term::defined(operator, &left, &right),
                _ => Term::binary(operator, &left, &right),
            }
        }
        _ => Term::binary(PLAIN[random.below(18) as usize], &inner(random), &inner(random)),
    }
}

/// A thread that goes on as long as terms have the values that they have here.
fn computing(seed: u64, count: usize) -> Case {
    let text = "shared x\na := input -1..1; b := x + a; c := b * a; x := a + b + c";
    let mut system = system(text);
    let shared = system.shared();
    let registers: Vec<u32> = (shared as u32..system.variables.len() as u32).collect();
    let mut random = Random::new(seed);
    let mut values = system.initial.clone();
    for register in &registers {
        values[*register as usize] = [7, -3, i64::MIN, u32::MAX.into()][*register as usize % 4];
    }
    system.initial.clone_from(&values);
    let thread = &mut system.threads[0];
    thread.start = PointId(0);
    let plain = Point { kind: PointKind::Event(EventKind::Local), ..thread.points[0].clone() };
    let wrong = PointId(count as u32 + 1);
    thread.points.clear();
    system.transitions.clear();
    for at in 0..count as u32 {
        let term = loop {
            let term = term(&mut random, &registers, 4);
            if term.known().is_none() {
                break term;
            }
        };
        let value = term.evaluate(&values, &[]);
        let holds = Arc::new(Term::Binary(BinaryOperator::Equal, term.clone(), Term::constant(value)));
        let truth = if value != 0 { term.clone() } else { Arc::new(Term::Unary(UnaryOperator::Not, term.clone())) };
        let step = |to, guard| Transition {
            thread: 0,
            from: PointId(at),
            to,
            guard,
            assignments: Vec::new(),
            forgets: Box::default(),
            inputs: Vec::new(),
            reads: Box::default(),
            writes: Box::default(),
            branches: Vec::new(),
            accesses: Vec::new(),
            is_back_jump: false,
        };
        let first = TransitionId(system.transitions.len() as u32);
        let not = |term: &Arc<Term>| Arc::new(Term::Unary(UnaryOperator::Not, term.clone()));
        let other = Arc::new(Term::Binary(BinaryOperator::Or, not(&holds), not(&truth)));
        system.transitions.push(step(PointId(at + 1), vec![holds, truth]));
        system.transitions.push(step(wrong, vec![other]));
        thread.points.push(Point {
            transitions: vec![first, TransitionId(first.0 + 1)],
            may_block: false,
            ..plain.clone()
        });
    }
    let last = Point { transitions: Vec::new(), ..plain };
    thread.points.push(Point { kind: PointKind::Ended, ..last.clone() });
    thread.points.push(Point { kind: PointKind::Error(Fault::AssertionViolated), ..last });
    Case::new(text, (system, None), &["60"], &["have left"])
}

#[test]
fn accesses_are_those_of_the_processor() {
    let text = "shared x, y, q[4]
while 1 { r := x; y := r; fetch_add(x, 2); cas(y, 1, r); xchg(x, 7); q[r] := 5; s := q[r]; x := s }";
    let system = system(text);
    let source = Source { system: &system, text, schedule: None };
    let rust = export(&source, Language::Rust).expect("it has threads");
    for line in [
        "let seen = shared.x.load(SeqCst);",
        "shared.y.store(r, SeqCst);",
        "let _ = shared.x.fetch_add(2, SeqCst);",
        "let _ = shared.y.compare_exchange(1, r, SeqCst, SeqCst).unwrap_or_else(|seen| seen);",
        "at(&shared.q, r).store(5, SeqCst);",
        "let seen = at(&shared.q, r).load(SeqCst);",
    ] {
        assert!(rust.contains(line), "{line}\n{}", &rust[..rust.find("mod runtime").expect("it is there")]);
    }
    assert!(!rust.contains("alone("));
    let c = export(&source, Language::C).expect("it has threads");
    for line in [
        "atomic_store(&shared.y, r);",
        "(void)atomic_fetch_add(&shared.x, 2);",
        "const int64_t seen = atomic_load(at(shared.q, 4, r));",
    ] {
        assert!(c.contains(line), "{line}");
    }
}

#[test]
fn names_are_new_and_no_words() {
    let mut names = Names::default();
    let all = ["x", "x", "loop", "q[1]", "end of P0", "9", "__a__", "new_x", "é"].map(|name| names.add(name));
    assert_eq!(all, ["x", "x_2", "loop_2", "q_1", "end_of_P0", "v_9", "a", "v_new_x", "v_"]);
    assert_eq!(comment("a */ b \\"), "a * / b .");
    assert_eq!(literal("say \"é\""), "\"say '.'\"");
}

#[test]
fn a_program_needs_threads() {
    let mut system = system("shared x\nx := 1");
    system.threads.clear();
    let source = Source { system: &system, text: "", schedule: None };
    assert_eq!(export(&source, Language::C), Err(ExportError::NoThreads));
}
