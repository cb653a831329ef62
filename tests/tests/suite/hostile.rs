//! Programs made to be large, long or odd: every step stays short, every view small, and what was cut is said.

use litmoscope::explore::{Algorithm, Options, Verdict};
use litmoscope::generate::{Dialect, Family, generate, patterns};
use litmoscope::model::Model;
use litmoscope::program::{Limits, Notation};
use litmoscope::session::link::{decode, encode};
use litmoscope::session::{PATIENCE, Session, Settings, View, ViewRequest};
use litmoscope::syntax::print;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

/// What something may take at most: neither depends on the machine, or on what else it does.
#[derive(Clone, Copy)]
struct Bound {
    /// Units of work of explorers ([`litmoscope::budget`]).
    units: u64,
    /// Allocations: whatever goes through a program, or draws it, makes some all along.
    allocations: u64,
    /// Bytes allocated, also where they are given back at once.
    bytes: u64,
}

/// A step or what the page does of it at a time, a view, a message: less than half a second.
const BRIEF: Bound = Bound { units: 4 * PATIENCE, allocations: 1 << 22, bytes: 1 << 29 };
/// All steps of a small exploration: some seconds.
const LONG: Bound = Bound { units: 1 << 28, allocations: 1 << 24, bytes: 1 << 32 };

fn settings(text: &str, unroll: u32) -> Settings {
    let options = Options { limits: Limits { unroll, ..Limits::default() }, ..Options::default() };
    Settings { text: text.to_owned(), options, ..Settings::default() }
}

fn open(text: &str) -> Session {
    started(settings(text, 8))
}

/// A session that comes back within long steps, as those of the page do.
fn started(settings: Settings) -> Session {
    let text = settings.text.clone();
    let mut session = Session::open(settings).unwrap_or_else(|errors| panic!("{text:.200}: {errors:#?}"));
    session.be_patient(PATIENCE);
    session
}

/// Performs what should not take more than so much.
fn within<T>(bound: Bound, what: &str, act: impl FnOnce() -> T) -> T {
    let mut result = None;
    let taken = allocation_counter::measure(|| result = Some(act()));
    let (allocations, bytes) = (taken.count_total, taken.bytes_total);
    assert!(allocations <= bound.allocations, "{what}: {allocations} allocations");
    assert!(bytes <= bound.bytes, "{what}: {bytes} bytes are allocated");
    result.expect("it was performed")
}

/// Moves a session, none of whose calls should take more than so much: called again while it is paused within a step.
fn moves<T>(session: &mut Session, bound: Bound, what: &str, act: impl Fn(&mut Session) -> T) -> T {
    let mut units = 0;
    while units <= LONG.units {
        let before = session.spent();
        let result = within(bound, what, || act(session));
        let taken = session.spent() - before;
        assert!(taken <= bound.units, "{what}: {taken} units of work");
        if !session.is_paused() {
            return result;
        }
        units += taken;
    }
    panic!("{what} does not come to an end");
}

fn view(session: &Session) -> View {
    within(BRIEF, "the view", || session.view(&ViewRequest::default()))
}

/// What is sent of a view: all but the step itself.
fn sent(view: View) -> View {
    View { step: None, ..view }
}

/// `body` so many times, `#` replaced by the number.
fn repeated(times: usize, body: &str, separator: &str) -> String {
    (0..times).map(|i| body.replace('#', &i.to_string())).collect::<Vec<_>>().join(separator)
}

/// A long thread is cut, and nothing calls the result complete.
#[test]
fn graphs_do_not_grow_without_bound() {
    let long = repeated(1200, "x := #", "; ");
    let spins = "while x = 0 { y := y + 1 } || while y = 0 { x := x + 1 }";
    for (text, unroll) in
        [(&*long, 8), (&*format!("{long}; assert 0"), 8), (&*format!("{long} || a := x"), 8), (spins, 1000)]
    {
        for model in Model::ALL {
            let mut session = started(Settings { model, ..settings(text, unroll) });
            for _ in 0..5000 {
                if !moves(&mut session, BRIEF, "a step", Session::forward) {
                    break;
                }
                assert!(session.explorer().execution().len() <= 1000 + 4);
                if session.explorer().execution().len() > 900 && session.counts().executions() > 0 {
                    break;
                }
            }
            assert_eq!(view(&session).verdict, Verdict::Bounded);
        }
    }
    let mut session = open(&long);
    moves(&mut session, LONG, "everything", |session| session.run(u64::MAX));
    assert_eq!((session.counts().bounded, session.counts().blocked), (1, 1));
    assert!(view(&session).verdict_text.contains("1 execution cut"));
    let mut said = false;
    moves(&mut session, LONG, "990 steps", |session| session.go_to(990, u64::MAX));
    while session.forward() {
        said |= view(&session).explanation.contains("1,000 events");
    }
    assert!(said, "no step says that the events were too many");
}

/// Loops without events end too.
#[test]
fn local_loops_are_cut() {
    let mut nested = "skip".to_owned();
    for depth in 0..12 {
        nested = format!("a{depth} := 0; while a{depth} < 1000 {{ a{depth} := a{depth} + 1; {nested} }}");
    }
    for text in ["while 1 { skip }", "repeat { skip } until 0", &nested] {
        for unroll in [1, 8, 1000] {
            for algorithm in Algorithm::all_that_see_all() {
                let mut settings = Settings { algorithm, ..settings(text, unroll) };
                settings.options.limits.unroll_spins = true;
                let mut session = started(settings);
                moves(&mut session, LONG, "everything", |session| session.run(u64::MAX));
                assert_eq!(
                    (session.counts().bounded, view(&session).verdict),
                    (1, Verdict::Bounded),
                    "{text}, {unroll}"
                );
            }
        }
    }
}

/// A loop that does nothing for ever waits for ever, whatever the bound.
#[test]
fn loops_without_effect_block() {
    for text in ["while 1 { skip }", "repeat { skip } until 0", "while 1 { a := 1; while a { b := a } }"] {
        for algorithm in Algorithm::all_that_see_all() {
            let mut session = Session::open(Settings { algorithm, ..settings(text, 1000) }).expect("a program");
            session.run(u64::MAX);
            assert_eq!((session.counts().blocked, view(&session).verdict), (1, Verdict::Ok), "{text}");
        }
    }
}

/// A thread of C, as often as wanted.
fn c(initial: &str, parameters: &str, body: &str, threads: usize) -> String {
    let threads: String = (0..threads).map(|i| format!("P{i} ({parameters}) {{ {body} }}\n")).collect();
    format!("C t\n{{ {initial} }}\n{threads}")
}

/// A thread of assembly in both syntaxes' words, as often as wanted.
fn x86(initial: &str, rows: &[String], threads: usize) -> String {
    let rows: String = rows.iter().map(|row| format!(" {row} ;\n")).collect();
    format!("X86_64 t\n{{ {initial} }}\n {} ;\n{rows}", repeated(threads, "P#", " | "))
}

/// Too much of anything is refused, at once, with a message that names the limit or says what to do.
#[test]
fn limits_are_named() {
    let nested =
        |open: &str, inner: &str, close: &str| format!("{}{inner}{}", open.repeat(20_000), close.repeat(20_000));
    let column = |threads: usize| vec![vec!["movl $1,(x)"; threads].join(" | ")];
    for (text, expected) in [
        (repeated(257, "x := #", " || "), "more than 256 threads"),
        (repeated(1000, "x := #", "\n||\n"), "more than 256 threads"),
        (c("", "atomic_int* x", "*x = 1;", 257), "more than 256 threads"),
        (c("", "atomic_int* x", "*x = 1;", 1000), "more than 256 threads"),
        (x86("", &column(257), 257), "more than 256 threads"),
        (x86("", &column(1000), 1000), "more than 256 threads"),
        (x86("", &column(10_000), 2), "this row has more columns than there are threads"),
        ("x := 1\n".repeat(100_000), "the text has 700000 bytes, more than 262144"),
        (c("", "int* x", &"*x = 1; ".repeat(100_000), 1), "bytes, more than 262144"),
        (x86("", &vec!["nop".to_owned(); 100_000], 1), "bytes, more than 262144"),
        ("C t\n#define A A\n{}\nP0 (int* x) { *x = A; }\n".to_owned(), "`A` is not declared"),
        ("C t\n{}\n#define A B\n#define B A + A\nP0 (int* x) { *x = A; }\n".to_owned(), "`A` is not declared"),
        (c("", "int* x", "\n#define A A + A + A\n*x = A;", 1), "`A` is not declared"),
        (c("", "int* x", "\n#if A\n*x = A;\n#endif\n", 1), "this directive is not supported"),
        (format!("a := {}", nested("(", "1", ")")), "nested more than 100 deep"),
        (format!("a := {}1", "!".repeat(20_000)), "nested more than 100 deep"),
        (nested("if x { ", "skip", " }"), "nested more than 100 deep"),
        (nested("while x { ", "skip", " }"), "nested more than 100 deep"),
        (format!("if x {{ }} {}", "else if x { } ".repeat(10_000)), "nested more than 100 deep"),
        (format!("x := 1\nexists {}", nested("(", "x = 1", ")")), "nested more than 100 deep"),
        (format!("x := 1\nexists {}x = 1", "~".repeat(20_000)), "nested more than 100 deep"),
        (c("", "int* x", &format!("*x = {};", nested("(", "1", ")")), 1), "nested more than 250 deep"),
        (c("", "int* x", &nested("{", ";", "}"), 1), "nested more than 250 deep"),
        (c("", "int* x", &format!("{};", "if (*x) ".repeat(20_000)), 1), "nested more than 250 deep"),
        (c("", "int* x", &format!("{};", "while (*x) ".repeat(20_000)), 1), "nested more than 250 deep"),
        (c("", "int* x", &format!("*x = {}1;", "(int)".repeat(20_000)), 1), "nested more than 250 deep"),
        (c("", "int* x", &format!("*x = {}3;", "1 ? 2 : ".repeat(20_000)), 1), "nested more than 250 deep"),
        (c("", "int* x", &format!("*x = {}x;", "*".repeat(20_000)), 1), "nested more than 250 deep"),
        (format!("{}exists {}", x86("", &column(1), 1), nested("(", "x=1", ")")), "nested more than 250 deep"),
        (c("", &format!("int{} x", "*".repeat(20_000)), ";", 1), "a type with more than 16 stars"),
        (format!("a := {}1", "1 + ".repeat(50_000)), "more than 300 operators in a row"),
        (format!("x := 1\nexists ({}x = 1)", "x = 1 \\/ ".repeat(20_000)), "more than 510 operators in a row"),
        (c("", "int* x", &format!("*x = {}1;", "1 + ".repeat(50_000)), 1), "more than 500 operators in one expression"),
        (format!("{}exists ({}x=1)", x86("", &column(1), 1), "x=1 /\\ ".repeat(20_000)), "more than 500 operators"),
        (format!("shared {}\nv0 := 1", repeated(20_000, "v#", ", ")), "more than 4096 shared"),
        (format!("shared {}\nv0 := 1", repeated(2000, "v#", ", ")), "more than 1024 shared locations"),
        (c(&repeated(20_000, "v#=1;", " "), "int* x", ";", 1), "more than 4096 shared locations"),
        (c(&repeated(2000, "v#=1;", " "), "int* x", ";", 1), "more than 1024 shared locations"),
        (c("", &repeated(12_000, "int* v#", ", "), ";", 1), "more than 4096 shared locations"),
        (
            x86("", &(0..8000).map(|i| format!("movl $1,(v{i})")).collect::<Vec<_>>(), 1),
            "more than 4096 shared locations",
        ),
        (
            x86("", &(0..2000).map(|i| format!("movl $1,(v{i})")).collect::<Vec<_>>(), 1),
            "more than 1024 shared locations",
        ),
        ("shared q[1000000000]\nq[0] := 1".to_owned(), "an array has 1 to 4096 elements"),
        ("shared q[2000]\nq[0] := 1".to_owned(), "more than 1024 shared locations"),
        (c("int q[1000000000];", "int* q", ";", 1), "an array has 1 to 4096 elements"),
        (x86("int q[1000000000];", &column(1), 1), "an array has 1 to 4096 elements"),
        (c(&format!("int q[]={{{}1}};", "1,".repeat(100_000)), "int* q", ";", 1), "an array has 1 to 4096 elements"),
        (format!("shared q[4] = {{{}1}}\nq[0] := 1", "1,".repeat(100_000)), "`q` has only 4 elements"),
        (repeated(15_000, "a# := 1", "; "), "more than 10000 registers in a thread"),
        (c("", "int* x", &repeated(15_000, "int a#;", " "), 1), "more than 10000 variables in a thread"),
        (
            c("", "atomic_int* x", &format!("while (1) {{ {} }}", "if (*x) break; ".repeat(10_000)), 1),
            "more than 10000 registers",
        ),
        (x86("", &vec!["lock btsl $1,(x)".to_owned(); 12_000], 1), "more than 10000 registers in a thread"),
        ("a := 99999999999999999999999".to_owned(), "does not fit in 64 bits"),
        (c("", "int* x", "*x = 99999999999999999999999;", 1), "does not fit into 64 bits"),
    ] {
        let diagnostics = within(BRIEF, "refusing", || Session::open(settings(&text, 8))).err();
        let diagnostics = diagnostics.unwrap_or_else(|| panic!("{text:.100} is taken, without `{expected}`"));
        assert!(diagnostics.iter().any(|d| d.message.contains(expected)), "{expected}: {:?}", diagnostics[0]);
        assert!(!expected.contains("#define") || diagnostics[0].help.as_ref().is_some_and(|h| h.contains("write out")));
        assert!(diagnostics.len() <= 50 && diagnostics.iter().all(|d| d.message.len() < 300), "{expected}");
    }
    for (unroll, text) in [(0, "x := 1"), (1_000_000, "x := 1"), (u32::MAX, "C t\n{}\nP0 (int* x) { *x = 1; }\n")] {
        let diagnostics = Session::open(settings(text, unroll)).err().expect("there is a limit");
        assert_eq!(diagnostics[0].message, format!("the unroll bound is {unroll}; it has to be from 1 to 10000"));
    }
}

/// Names as long as a page, in messages cut short.
#[test]
fn long_names_are_read_and_shortened() {
    let name = "n".repeat(10_000);
    for text in [
        format!("{name} := 1 || a := {name}\nexists ({name} = 1)"),
        format!("name {name}\na := x; {name} := x\nexists (P0:{name} = 0)"),
        c("", &format!("int* {name}x"), &format!("int {name} = 1; *{name}x = {name};"), 1),
        x86("", &[format!("movl $1,({name})"), format!("{name}: jmp {name}")], 1),
    ] {
        let mut session = open(&text);
        moves(&mut session, LONG, "everything", |session| session.run(u64::MAX));
        assert!(session.counts().executions() > 0);
        view(&session);
    }
    for text in [
        format!("a := fai({name}, {name}) {name}"),
        c("", "int* x", &format!("*x = {name};"), 1),
        c("", "int* x", &format!("{name}(x);"), 1),
        x86("", &[format!("{name} $1,(x)")], 1),
        x86("", &[format!("movl $1,%{name}")], 1),
        x86("", &[format!("jmp {name}")], 1),
    ] {
        let diagnostics = Session::open(settings(&text, 8)).err().expect("no program");
        assert!(diagnostics.iter().all(|d| d.message.len() < 300 && d.help.as_ref().is_none_or(|h| h.len() < 400)));
    }
}

/// What is large but within the limits ends, and is called bounded if it was cut.
#[test]
fn large_programs_end_and_say_what_was_cut() {
    let count = "for (int i = 0; i < 1000000; i++)";
    let jumps = |target: fn(usize) -> usize| -> Vec<String> {
        let row = |i: usize| [format!("L{i}: decl %eax"), format!("jne L{}", target(i))];
        (0..2000).flat_map(row).collect()
    };
    for (text, bounded) in [
        ("x:=1;".repeat(50_000), true),
        ("skip\n".repeat(50_000), false),
        (c("", "int* x", &"*x=1;".repeat(50_000), 1), true),
        (c("", "int* x", &";".repeat(200_000), 1), false),
        (x86("", &vec!["movl $1,(x)".to_owned(); 15_000], 1), true),
        (x86("", &vec!["nop".to_owned(); 30_000], 1), false),
        (x86("", &["|".repeat(200_000)], 64), false),
        (x86("", &[repeated(30_000, "L#:", "")], 1), false),
        (repeated(900, "x# := 1", "; "), false),
        ("a := 0; while a < 1000000 { a := a + 1 }".to_owned(), true),
        ("repeat { a := a + 1; x := a } until a = 1000000".to_owned(), true),
        (c("", "int* x", &format!("int a = 0; {count} {{ a = a + 1; }}"), 1), true),
        (c("", "atomic_int* x", &format!("{count} {{ atomic_store(x, i); }}"), 1), true),
        (x86("", &["L: incl %eax", "cmpl $1000000,%eax", "jne L"].map(str::to_owned), 1), true),
        (c("", "atomic_int* x", &format!("while (1) {{ {} }}", "if (*x) break; ".repeat(80)), 1), false),
        (c("", "atomic_int* x", &format!("{}{}", "while (1) { if (*x) break; ".repeat(60), "}".repeat(60)), 1), false),
        (x86("", &jumps(|i| i), 1), true),
        (x86("", &jumps(|i| 1999 - i), 1), true),
        (x86("", &jumps(|i| i * 7919 % 2000), 1), true),
    ] {
        let mut session = started(settings(&text, 1000));
        moves(&mut session, LONG, "everything", |session| session.run(u64::MAX));
        let view = view(&session);
        assert_eq!(view.verdict, if bounded { Verdict::Bounded } else { Verdict::Ok }, "{text:.80}");
        assert_eq!(session.counts().bounded > 0, bounded, "{text:.80}");
    }
    // Two that are never done: every step stays short.
    for text in [
        c("", "atomic_int* x", &format!("{count} {{ atomic_fetch_add(x, i); }}"), 2),
        repeated(64, "fai(x)", " || "),
        x86("", &[vec!["lock xaddl %eax,(x)"; 64].join(" | "), vec!["movl (x),%ebx"; 64].join(" | ")], 64),
    ] {
        let mut session = started(settings(&text, 1000));
        for _ in 0..20 {
            let next = session.position() + 100;
            moves(&mut session, LONG, "100 steps", |session| session.go_to(next, u64::MAX));
            view(&session);
        }
        assert_eq!(session.position(), 2000);
    }
}

/// Cycles and families of any size are refused or cut.
#[test]
fn generating_is_bounded() {
    let cycle = "PodWR Fre ".repeat(50_000);
    for notation in [Notation::Litmoscope, Notation::C11, Notation::X86, Notation::X86_64] {
        let dialect = Dialect::from(notation);
        let errors = within(BRIEF, "generating", || generate(&cycle, dialect)).expect_err("too long");
        assert_eq!(errors[0].message, "the cycle has 100000 edges, more than 32");
        let edges = patterns("Pod** Rfe Fre Coe").expect("edges");
        let family = |length, threads| Family::new(&edges, &[], dialect, length, threads, true);
        assert!(family(4..=6, 2..=400).expect("as many as there can be").cycles().count() > 10);
        assert_eq!(family(4..=6, 400..=400).expect("none").cycles().count(), 0);
        assert_eq!(family(4..=1000, 2..=400).expect_err("a limit").message, "cycles of 1000 edges are longer than 16");
        let longest = family(16..=16, 2..=400).expect("the longest");
        let mut most = longest.cycles();
        assert_eq!(within(BRIEF, "a thousand cycles", || most.by_ref().take(1000).count()), 1000);
    }
}

/// Links that ask for too much.
#[test]
fn links_are_bounded() {
    let text = "x := 1 || a := x";
    let refused = decode(&encode(&settings(text, 1_000_000))).expect_err("there is a limit").to_string();
    assert!(refused.contains("the unroll bound is 1000000; it has to be from 1 to 10000"), "{refused}");
    let long = encode(&settings(&"x := 1\n".repeat(100_000), 8));
    let diagnostics = Session::open(decode(&long).expect("a link")).err().expect("there is a limit");
    assert!(diagnostics[0].message.contains("more than 262144"));
    let bomb = encode(&settings(&" ".repeat(3 << 20), 8));
    assert!(decode(&bomb).expect_err("there is a limit").to_string().contains("unpacks to more than 2097152 bytes"));
    let endless = format!("#1.{}", "A".repeat(3 << 20));
    assert!(decode(&endless).expect_err("there is a limit").to_string().contains("at most 2097152 are read"));
    let mut session = Session::open(Settings { position: u64::MAX, ..settings(text, 8) }).expect("a program");
    moves(&mut session, BRIEF, "the end", |session| session.go_to(u64::MAX, u64::MAX));
    assert_eq!(session.position(), session.frontier());
}

/// Brute force gives up before it takes all memory or a minute.
#[test]
fn brute_force_gives_up() {
    let endless = "while 1 { while 1 { a := a + 1 }; b := x }";
    for (text, unroll) in [
        (&*format!("{endless} || {endless} || x := 1"), 1000),
        ("while x = 0 { y := y + 1 } || while y = 0 { x := x + 1 }", 1000),
        (&*repeated(64, "x := #", " || "), 8),
        (&*repeated(8, "fai(x)", " || "), 8),
    ] {
        let settings = Settings { algorithm: Algorithm::BruteForce, ..settings(text, unroll) };
        let mut session = started(settings);
        let mut told = false;
        while moves(&mut session, BRIEF, "a step", Session::forward) {
            told |= view(&session).explanation.contains("Choose GenMC");
        }
        assert!(told && view(&session).verdict == Verdict::Bounded, "{text:.80}");
        assert!(view(&session).verdict_text.contains("nothing was explored"));
    }
}

/// Sets S and U that grow large: checkpoints are copied in no time, and going back finds the same.
#[test]
fn heavy_explorations_step_quickly_and_go_back() {
    let writers = repeated(6, "fai(y); x := #", " || ");
    let mut session = open(&format!("a := x || {writers}"));
    let mut steps = Vec::new();
    while steps.len() < 60_000 && moves(&mut session, BRIEF, "a step", Session::forward) {
        steps.push(session.step());
    }
    for back in 1..500 {
        let wanted = steps.len() - back;
        assert!(moves(&mut session, BRIEF, "a step back", Session::back));
        assert_eq!((session.position(), session.step()), (wanted as u64, steps[wanted - 1]));
    }
}

/// However deep and broad the tree, few rows are listed, and rows say what is left out.
#[test]
fn trees_are_listed_in_part() {
    let mut session = open(&format!("{} || {}", repeated(9, "a# := x", "; "), repeated(9, "x := #", "; ")));
    moves(&mut session, LONG, "40,000 steps", |session| session.go_to(40_000, u64::MAX));
    let nodes = session.tree().len() as u32;
    assert!(nodes > 2000);
    let everything = ViewRequest { unfolded: (0..nodes).collect(), ..ViewRequest::default() };
    let mut left_out = false;
    for position in [0, 1, 500, 20_000, 40_000] {
        moves(&mut session, LONG, "going back", |session| session.go_to(position, u64::MAX));
        let rows = within(BRIEF, "the view", || session.view(&everything)).tree.rows;
        assert!(rows.len() <= 650, "{} rows", rows.len());
        assert_eq!(rows.iter().filter(|row| row.current).count(), 1);
        left_out |= rows.last().is_some_and(|row| row.summary && row.label.contains("no room"));
    }
    assert!(left_out);

    // Every read is revisited by every later write: each visit pushes the next.
    let mut session = Session::open(settings("while 1 { a := x } || while 1 { x := x + 1 }", 400)).expect("a program");
    session.run(30_000);
    let view = view(&session);
    let on_path = view.tree.rows.iter().filter(|row| row.on_path).count();
    assert!(on_path <= 102 && view.tree.rows.len() <= 650, "{on_path} of {} rows", view.tree.rows.len());
}

#[test]
fn the_model_that_the_text_names_is_minded() {
    let text = "name SB\nmodel tso\nx := 1; a := y || y := 1; b := x";
    let tso = Session::open(Settings { model: Model::TSO, ..settings(text, 8) }).expect("a program");
    assert!(tso.notes().iter().all(|note| !note.message.contains("asks for")));
    let sc = open(text);
    let note = sc.notes().iter().find(|note| note.message.contains("asks for")).expect("a note");
    assert_eq!(note.message, "the text asks for TSO; it is explored under SC, as chosen");
    assert_eq!((note.span.line, &text[note.span.start as usize..note.span.end as usize]), (2, "tso"));
    assert_eq!(sc.model(), Model::SC);

    let errors = Session::open(settings(&text.replace("tso", "tsar"), 8)).err().expect("there is no such model");
    assert_eq!((errors[0].span.line, errors[0].severity), (2, litmoscope::syntax::Severity::Error));
    for model in Model::ALL {
        assert!(errors[0].message.contains(model.name()), "{}", errors[0].message);
    }
}

/// Programs at the limits of size and of names: the view is whole and not absurd.
#[test]
fn odd_programs_are_shown() {
    let long_name = "n".repeat(1000);
    let texts = [
        "|| ||".to_owned(),
        "exists (1 = 1)".to_owned(),
        "shared x\nexists (x = 0)".to_owned(),
        "skip || skip\n~exists (0 = 1)".to_owned(),
        repeated(64, "x := #; a := x", " || "),
        format!("shared q[1024]\nq[0] := 1; a := q[1023] || {}", repeated(20, "q[#] := q[# + 1]", "; ")),
        format!("shared q[1024]\n{} || a := q[-1] || b := q[1024]", repeated(40, "a# := q[#]", "; ")),
        format!("{long_name} := 1 || a := {long_name} || b := {long_name}"),
        "größe := 1 || ångström := größe || 変数 := größe".to_owned(),
        "a := 1 / 0 || b := 1 % (x - x) || c := x; assert c / c = 1 || assume 1 / 0".to_owned(),
        "a := -9223372036854775807 - 1; b := a / -1; c := a % -1; d := -a; e := a * -1; f := 1 << 64; g := a >> 200; \
         x := b + c; y := d - 1 || z := x + y"
            .to_owned(),
        "x :=na 1 || a :=na x || b :=na x".to_owned(),
    ];
    for text in &texts {
        for model in [Model::SC, Model::RC11] {
            let mut session = started(Settings { model, ..settings(text, 8) });
            for _ in 0..150 {
                let view = view(&session);
                assert!(view.drawing.width < 30_000.0 && view.drawing.height < 30_000.0, "{text:.60}");
                let json = serde_json::to_string(&view).expect("a view is plain data");
                assert!(json.len() < 4_000_000, "{text:.60}: {} bytes", json.len());
                assert_eq!(serde_json::from_str::<View>(&json).expect("what was written is read"), sent(view));
                if !moves(&mut session, BRIEF, "a step", Session::forward) {
                    break;
                }
            }
        }
    }
}

/// What a visitor may do.
#[derive(Clone, Debug)]
enum Click {
    Forward,
    Back,
    GoTo(u64),
    NextExecution,
    NextViolation,
    PreviousExecution,
    Visit(u32),
    Reset,
    Look(Vec<u32>),
}

fn clicks() -> impl Strategy<Value = Vec<Click>> {
    let click = prop_oneof![
        8 => Just(Click::Forward),
        4 => Just(Click::Back),
        2 => prop_oneof![0..300u64, any::<u64>()].prop_map(Click::GoTo),
        2 => Just(Click::NextExecution),
        1 => Just(Click::NextViolation),
        1 => Just(Click::PreviousExecution),
        2 => (0..40u32).prop_map(Click::Visit),
        1 => Just(Click::Reset),
        3 => prop::collection::vec(0..50u32, 0..5).prop_map(Click::Look),
    ];
    prop::collection::vec(click, 1..60)
}

/// Texts of all notations, mostly right.
fn texts() -> impl Strategy<Value = String> {
    const HERD: [&str; 3] = [
        "C MP\n{}\nP0 (atomic_int* x, atomic_int* y) { atomic_store_explicit(x, 1, memory_order_relaxed); *y = 1; }\n\
         P1 (atomic_int* x, atomic_int* y) { int r0 = *y; int r1 = 0; while (r0 != 0) { r1 = atomic_fetch_add(x, r0); \
         r0 = r0 - 1; } }\nexists (1:r0=1 /\\ 1:r1=0)",
        "X86 SB\n{ x=0; }\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MFENCE | XCHG [x],EAX ;\n MOV EAX,[y] | MOV EBX,[x] ;\n\
         exists (0:EAX=0 /\\ 1:EAX=0)",
        "X86_64 A\n{}\n P0 | P1 ;\n movl $1,(x) | movl (y),%eax ;\n movl $1,(y) | movl (x),%ebx ;\nforall (1:rax=1)",
    ];
    const OWN: [&str; 4] = [
        "name A\nmodel sc\nshared x, y, q[3]\nx :=rel 1; a := q[x + 1]; if a = y { fence sc } else { assert a < 2 }\n|| \
         while x = 0 { y := fai(x, 2) / y }; b := cas(x, 1, 2) || c := xchg(q[a + 2], 5)\nexists (P0:a = 1 \\/ x = 2)",
        "x := 1 || a := x; if a = 0 then y := 1 || x := 2",
        "repeat { a := x; assume a != 3; x := a + 1 } until a > 1 || x := 3 || lock l; unlock l",
        "x :=na 1; y :=rel 1 || a :=acq y; b :=na x; assert b % a = 0 || c := x << y",
    ];
    let known = prop_oneof![proptest::sample::select(&HERD[..]), proptest::sample::select(&OWN[..])];
    let mutated = (known, prop::collection::vec((any::<prop::sample::Index>(), mutation()), 0..4), any::<u8>())
        .prop_map(|(text, mutations, cut)| {
            let mut characters: Vec<char> = text.chars().collect();
            for (at, mutation) in mutations {
                let at = at.index(characters.len());
                match mutation {
                    Mutation::Delete(n) => drop(characters.drain(at..(at + n).min(characters.len()))),
                    Mutation::Insert(text) => drop(characters.splice(at..at, text.chars())),
                    Mutation::Repeat(n) => {
                        let piece = characters[at..(at + n).min(characters.len())].to_vec();
                        characters.splice(at..at, piece);
                    }
                }
                if characters.is_empty() {
                    break;
                }
            }
            if cut < 30 {
                characters.truncate(characters.len() * usize::from(cut) / 30);
            }
            characters.into_iter().collect()
        });
    let random = litmoscope::testing::programs(litmoscope::testing::Size::default())
        .prop_map(|program| print(&program, Notation::Litmoscope).unwrap_or_default());
    prop_oneof![6 => mutated, 3 => random, 1 => ".*".prop_map(|text: String| text)]
}

#[derive(Clone, Debug)]
enum Mutation {
    Delete(usize),
    Insert(String),
    Repeat(usize),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    const PIECES: [&str; 16] = [
        "x",
        "0",
        "9223372036854775807",
        "-1",
        " || ",
        "; ",
        "(",
        "}",
        "[",
        "while 1 { ",
        "x := 1; ",
        "a / ",
        "\u{0}",
        "ß",
        "\n",
        "=na",
    ];
    prop_oneof![
        2 => (1..12usize).prop_map(Mutation::Delete),
        4 => proptest::sample::select(&PIECES[..]).prop_map(|piece| Mutation::Insert(piece.to_owned())),
        2 => (1..40usize).prop_map(Mutation::Repeat),
    ]
}

/// Does it all, on a stack as small as a browser's.
fn visit(settings: Settings, clicks: Vec<Click>) -> Result<bool, String> {
    let work = move || -> Result<bool, String> {
        let Ok(mut session) = Session::open(settings.clone()) else { return Ok(false) };
        session.be_patient(PATIENCE);
        for click in clicks {
            // As many steps for a click, however often it is paused.
            let most = session.frontier() + 300;
            moves(&mut session, LONG, &format!("{click:?} on {settings:?}"), |session| {
                let budget = most.saturating_sub(session.frontier());
                match &click {
                    Click::Forward => drop(session.forward()),
                    Click::Back => drop(session.back()),
                    Click::GoTo(position) => drop(session.go_to(*position, budget)),
                    Click::NextExecution => drop(session.next_execution(budget)),
                    Click::NextViolation => drop(session.next_violation(budget)),
                    Click::PreviousExecution => drop(session.previous_execution()),
                    Click::Visit(id) => drop(session.go_to_visit(*id)),
                    Click::Reset => session.reset(),
                    Click::Look(ids) => {
                        let request =
                            ViewRequest { unfolded: ids.clone(), folded: ids.clone(), ..ViewRequest::default() };
                        drop(session.view(&request));
                    }
                }
            });
            if session.position() > session.frontier() {
                return Err(format!("after {click:?}, at {} of {}", session.position(), session.frontier()));
            }
        }
        let view = session.view(&ViewRequest::default());
        let json = serde_json::to_string(&view).map_err(|error| error.to_string())?;
        if serde_json::from_str::<View>(&json).map_err(|error| error.to_string())? != sent(view) {
            return Err("the view is read as another".to_owned());
        }
        let opened = decode(&session.link()).map_err(|error| error.to_string())?;
        if opened != session.settings() {
            return Err(format!("the link leads to {opened:?}"));
        }
        let position = session.position();
        let mut again = Session::open(opened).map_err(|errors| format!("{errors:?}"))?;
        again.go_to(position, u64::MAX);
        let view = session.view(&ViewRequest::default());
        let other = again.view(&ViewRequest::default());
        if (view.step, &view.drawing, &view.pending) != (other.step, &other.drawing, &other.pending) {
            return Err("the link shows something else".to_owned());
        }
        Ok(true)
    };
    let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(work).map_err(|error| error.to_string())?;
    thread.join().unwrap_or_else(|panic| {
        let message = panic.downcast_ref::<String>().cloned();
        Err(message.or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned())).unwrap_or_default())
    })
}

/// A click that is paused in each of its calls comes to an end nonetheless: from its 546th step on, a step of brute force takes so
/// long here.
#[test]
fn a_click_on_long_steps_ends() {
    let text = "repeat { a := x; assume a != 3; x := a + 1 } until a > 1 || x := 3 || lock l; unlock l";
    let settings = Settings { algorithm: Algorithm::BruteForce, model: Model::RC11, ..settings(text, 6) };
    let clicks = [Click::NextExecution, Click::GoTo(546), Click::NextViolation];
    assert_eq!(visit(settings, clicks.into()), Ok(true));
}

/// Whatever the text and wherever the visitor clicks, nothing breaks, and the link leads back to what was seen.
#[test]
fn no_text_and_no_click_does_harm() {
    let cases = if cfg!(debug_assertions) { 200 } else { 2000 };
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let model = proptest::sample::select(&Model::ALL[..]);
    let algorithm =
        prop_oneof![8 => Just(Algorithm::Genmc), 8 => Just(Algorithm::GenmcCo), 1 => Just(Algorithm::BruteForce)];
    let strategy = (texts(), model, algorithm, 1..12u32, any::<bool>(), clicks());
    let counted = std::cell::Cell::new((0, 0));
    TestRunner::new(config)
        .run(&strategy, |(text, model, algorithm, unroll, stop_at_first, clicks)| {
            // Its candidates multiply with each round: a step of it might look at billions.
            let unroll = if algorithm == Algorithm::BruteForce { unroll.min(3) } else { unroll };
            let options =
                Options { limits: Limits { unroll, ..Limits::default() }, stop_at_first, ..Options::default() };
            let settings = Settings { text, model, algorithm, options, position: 0 };
            let was_program = visit(settings, clicks).map_err(TestCaseError::fail)?;
            let (all, programs) = counted.get();
            counted.set((all + 1, programs + u32::from(was_program)));
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
    let (all, programs) = counted.get();
    println!("{programs} of {all} texts were programs");
    assert!(programs * 4 > all, "too few texts are programs: {programs} of {all}");
}
