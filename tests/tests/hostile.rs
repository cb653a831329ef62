//! Programs made to be large, long or odd: every step stays short, every view small, and what was cut is said.

use litmoscope::explore::{Algorithm, Options, Verdict};
use litmoscope::model::Model;
use litmoscope::program::Limits;
use litmoscope::session::{Session, Settings, View, ViewRequest};
use std::time::{Duration, Instant};

/// What one step may take. Generous: the machine may be busy, and tests without optimisation too are run.
const LONG: Duration = Duration::from_secs(if cfg!(debug_assertions) { 30 } else { 3 });

fn settings(text: &str, unroll: u32) -> Settings {
    let options = Options { limits: Limits { unroll, ..Limits::default() }, ..Options::default() };
    Settings { text: text.to_owned(), options, ..Settings::default() }
}

fn open(text: &str) -> Session {
    Session::open(settings(text, 8)).unwrap_or_else(|diagnostics| panic!("{text:.200}: {diagnostics:#?}"))
}

/// Performs what must not take long.
fn timed<T>(what: &str, act: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = act();
    assert!(start.elapsed() < LONG, "{what} took {:?}", start.elapsed());
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
    assert!(view(&session).verdict_text.contains("cut in 1 execution"));
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
                let settings = Settings { algorithm, ..settings(text, unroll) };
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

/// Brute force gives up before it takes all memory or a minute.
#[test]
fn brute_force_gives_up_in_time() {
    let endless = "while 1 { while 1 { a := a + 1 }; b := x }";
    for (text, unroll) in [
        (&*format!("{endless} || {endless} || x := 1"), 1000),
        ("while x = 0 { y := y + 1 } || while y = 0 { x := x + 1 }", 1000),
        (&*repeated(64, "x := #", " || "), 8),
        (&*repeated(8, "fai(x)", " || "), 8),
    ] {
        let start = Instant::now();
        let settings = Settings { algorithm: Algorithm::BruteForce, ..settings(text, unroll) };
        let diagnostics = Session::open(settings).err().expect("too many candidates");
        assert_eq!(diagnostics[0].help.as_deref(), Some("choose GenMC"), "{diagnostics:?}");
        assert!(start.elapsed() < 10 * LONG, "{text:.80}: {:?}", start.elapsed());
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
