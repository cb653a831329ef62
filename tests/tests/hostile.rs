//! Programs made to be large, long or odd: every step stays short, every view small, and what was cut is said.

use litmoscope::explore::{Algorithm, Options, Verdict};
use litmoscope::model::Model;
use litmoscope::program::{Limits, Notation};
use litmoscope::session::link::decode;
use litmoscope::session::{Session, Settings, View, ViewRequest};
use litmoscope::syntax::print;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::time::{Duration, Instant};

/// What one step may take. Generous: the machine may be busy, and tests without optimisation too are run.
const LONG: Duration = Duration::from_secs(1);

fn settings(text: &str, unroll: u32) -> Settings {
    let options = Options { limits: Limits { unroll, ..Limits::default() }, ..Options::default() };
    Settings { text: text.to_owned(), options, ..Settings::default() }
}

fn open(text: &str) -> Session {
    Session::open(settings(text, 8)).unwrap_or_else(|diagnostics| panic!("{text:.200}: {diagnostics:#?}"))
}

/// Performs what should not take long, and says so if it does: a hang is what the tests would notice.
fn timed<T>(what: &str, act: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = act();
    if start.elapsed() > LONG {
        println!("{what} took {:?}", start.elapsed());
    }
    result
}

fn view(session: &Session) -> View {
    timed("the view", || session.view(&ViewRequest::default()))
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
            let mut session = Session::open(Settings { model, ..settings(text, unroll) }).expect("a program");
            for _ in 0..5000 {
                if !timed("a step", || session.forward()) {
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
    session.run(u64::MAX);
    assert_eq!((session.counts().bounded, session.counts().blocked), (1, 1));
    assert!(view(&session).verdict_text.contains("1 execution cut"));
    let mut said = false;
    session.go_to(990, u64::MAX);
    while session.forward() {
        said |= view(&session).explanation.contains("1000 events");
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
            for algorithm in Algorithm::ALL {
                let mut settings = Settings { algorithm, ..settings(text, unroll) };
                settings.options.limits.unroll_spins = true;
                let mut session = Session::open(settings).expect("a program");
                timed("everything", || session.run(u64::MAX));
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
        for algorithm in Algorithm::ALL {
            let mut session = Session::open(Settings { algorithm, ..settings(text, 1000) }).expect("a program");
            session.run(u64::MAX);
            assert_eq!((session.counts().blocked, view(&session).verdict), (1, Verdict::Ok), "{text}");
        }
    }
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
        let diagnostics = timed("brute force", || Session::open(settings)).err().expect("too many candidates");
        assert_eq!(diagnostics[0].help.as_deref(), Some("choose GenMC"), "{diagnostics:?}");
    }
}

/// Sets S and U that grow large: checkpoints are copied in no time, and going back finds the same.
#[test]
fn heavy_explorations_step_quickly_and_go_back() {
    let writers = repeated(6, "fai(y); x := #", " || ");
    let mut session = open(&format!("a := x || {writers}"));
    let mut steps = Vec::new();
    while steps.len() < 60_000 && timed("a step", || session.forward()) {
        steps.push(session.step());
    }
    for back in 1..500 {
        let wanted = steps.len() - back;
        assert!(timed("a step back", || session.back()));
        assert_eq!((session.position(), session.step()), (wanted as u64, steps[wanted - 1]));
    }
}

/// However deep and broad the tree, few rows are listed, and rows say what is left out.
#[test]
fn trees_are_listed_in_part() {
    let mut session = open(&format!("{} || {}", repeated(9, "a# := x", "; "), repeated(9, "x := #", "; ")));
    session.run(40_000);
    let nodes = session.tree().len() as u32;
    assert!(nodes > 2000);
    let everything = ViewRequest { unfolded: (0..nodes).collect(), ..ViewRequest::default() };
    let mut left_out = false;
    for position in [0, 1, 500, 20_000, 40_000] {
        session.go_to(position, u64::MAX);
        let rows = timed("the view", || session.view(&everything)).tree.rows;
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
    let tso = Session::open(Settings { model: Model::Tso, ..settings(text, 8) }).expect("a program");
    assert!(tso.notes().iter().all(|note| !note.message.contains("asks for")));
    let sc = open(text);
    let note = sc.notes().iter().find(|note| note.message.contains("asks for")).expect("a note");
    assert_eq!(note.message, "the text asks for TSO; it is explored under SC, as chosen");
    assert_eq!((note.span.line, &text[note.span.start as usize..note.span.end as usize]), (2, "tso"));
    assert_eq!(sc.model(), Model::Sc);

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
        for model in [Model::Sc, Model::Rc11] {
            let opened = Session::open(Settings { model, ..settings(text, 8) });
            let mut session = opened.unwrap_or_else(|errors| panic!("{text:.80}: {errors:?}"));
            for _ in 0..150 {
                let view = view(&session);
                assert!(view.drawing.width < 30_000.0 && view.drawing.height < 30_000.0, "{text:.60}");
                let json = serde_json::to_string(&view).expect("a view is plain data");
                assert!(json.len() < 4_000_000, "{text:.60}: {} bytes", json.len());
                assert_eq!(serde_json::from_str::<View>(&json).expect("what was written is read"), view);
                if !timed("a step", || session.forward()) {
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
        for click in clicks {
            let budget = 300;
            timed(&format!("{click:?} on {settings:?}"), || match &click {
                Click::Forward => drop(session.forward()),
                Click::Back => drop(session.back()),
                Click::GoTo(position) => drop(session.go_to(*position, budget)),
                Click::NextExecution => drop(session.next_execution(budget)),
                Click::NextViolation => drop(session.next_violation(budget)),
                Click::PreviousExecution => drop(session.previous_execution()),
                Click::Visit(id) => drop(session.go_to_visit(*id)),
                Click::Reset => session.reset(),
                Click::Look(ids) => {
                    let request = ViewRequest { unfolded: ids.clone(), folded: ids.clone(), ..ViewRequest::default() };
                    drop(session.view(&request));
                }
            });
            if session.position() > session.frontier() {
                return Err(format!("after {click:?}, at {} of {}", session.position(), session.frontier()));
            }
        }
        let view = session.view(&ViewRequest::default());
        let json = serde_json::to_string(&view).map_err(|error| error.to_string())?;
        if serde_json::from_str::<View>(&json).map_err(|error| error.to_string())? != view {
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
