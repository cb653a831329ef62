//! What is done with hostile input: for the fuzzer (`fuzz/`) and for the tests, which repeat what it found.
//!
//! Each function takes any bytes and has to come back soon, without a panic, whatever they are.
//!
//! Texts go through each parser, links are opened, and a few steps are made of what they are read as. Abstract executions and
//! event-driven traces go through every way to verify them, which have to agree. `make fuzz` runs a target of `fuzz/`, a crate
//! of its own because cargo-fuzz wants a nightly compiler. What it finds is kept in `fuzz/corpus/`, which
//! `tests/tests/suite/corpora.rs` repeats in every run, with the gallery.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use litmoscope::budget::{Budget, Meter};
use litmoscope::consistency::{
    self, AbstractExecution, ConsistencyVerdict, MAX_EVENTS, parse_execution, print_execution,
};
use litmoscope::document::{Kind, Summary};
use litmoscope::explore::Options;
use litmoscope::fairness::files::hoa::{self, parse_automaton};
use litmoscope::fairness::files::{self, Actions};
use litmoscope::fairness::{Labelled, Universe};
use litmoscope::generate::{Dialect, generate};
use litmoscope::histories::report::{HistoryJson, HistoryReport};
use litmoscope::histories::{
    Answer, Format, History, Monitor, Object, ReadOptions, Recording, check, judge, minimise, parse_history,
    parse_history_as, print_history,
};
use litmoscope::labs::comparison::Asked;
use litmoscope::labs::consistency::{ConsistencyJson, ConsistencyReport, consistency_text};
use litmoscope::labs::folder::Collection;
use litmoscope::labs::folder::archive::{Bounds, Format as Archive, unpack};
use litmoscope::memories::{
    Causality, Initial, ShapeSearch, ShapeVerdict, parse_protocol, parse_protocol_within, print_machine, saturate,
};
use litmoscope::model::Model;
use litmoscope::program::system::{States, System};
use litmoscope::program::{Code, Limits, Notation};
use litmoscope::report::Detail;
use litmoscope::schedules::check::{Property, properties};
use litmoscope::schedules::report::Reporter;
use litmoscope::schedules::saved;
use litmoscope::session::link::Linked;
use litmoscope::session::{LinkError, Session, Settings, ViewRequest, link};
use litmoscope::syntax::{self, MAX_SIZE, Series};
use litmoscope::traces::{Mailbox, SatAnswer, decide_by_sat, parse_trace, solve};
use litmoscope::traces::{TraceAnswer, TraceJson, TraceReport};

/// What is done with some bytes.
pub type Target = fn(&[u8]);

/// The targets of the fuzzer by name; those of the kinds of text have theirs.
pub const TARGETS: &[(&str, Target)] = &[
    ("litmoscope", litmoscope),
    ("c11", c11),
    ("x86", x86),
    ("x86_64", x86_64),
    ("cycle", cycle),
    ("link", self::link),
    ("json", json),
    ("execution", execution),
    ("series", series),
    ("trace", trace),
    ("history", history),
    ("protocol", protocol),
    ("fairness", fairness),
    ("archive", archive),
    ("schedules", schedules),
    ("graph", graph),
    ("automaton", automaton),
];

/// A program in our notation.
pub fn litmoscope(bytes: &[u8]) {
    program(Kind::Litmoscope, bytes);
}

/// A program in herd's C.
pub fn c11(bytes: &[u8]) {
    program(Kind::C11, bytes);
}

/// A program in herd's X86 dialect.
pub fn x86(bytes: &[u8]) {
    program(Kind::X86, bytes);
}

/// A program in herd's X86_64 dialect.
pub fn x86_64(bytes: &[u8]) {
    program(Kind::X86_64, bytes);
}

/// A cycle to make a test from.
pub fn cycle(bytes: &[u8]) {
    let cycle = String::from_utf8_lossy(bytes);
    for notation in [Notation::Litmoscope, Notation::C11, Notation::X86, Notation::X86_64] {
        match generate(&cycle, Dialect::from(notation)) {
            Err(diagnostics) => {
                assert!(!diagnostics.is_empty(), "a refusal says why");
                syntax::render(&cycle, "fuzz", &diagnostics);
            }
            Ok(generated) => {
                let parsed = syntax::parse_as(notation, &generated.text);
                assert!(parsed.is_ok(), "{}", generated.text);
            }
        }
    }
}

/// The fragment of an address.
pub fn link(bytes: &[u8]) {
    open(&String::from_utf8_lossy(bytes));
}

/// What a link holds before it is packed.
pub fn json(bytes: &[u8]) {
    let packed = miniz_oxide::deflate::compress_to_vec(bytes, 1);
    let packed = URL_SAFE_NO_PAD.encode(packed);
    open(&format!("#1.{packed}"));
    open(&format!("#2.{packed}"));
    open(&format!("#3.{packed}"));
}

/// An archive of tests, in each format. What it unpacks to is bounded, and names are labels.
pub fn archive(bytes: &[u8]) {
    let bounds = Bounds { bytes: 1 << 20, files: 100 };
    for format in [Archive::Zip, Archive::Tar, Archive::TarGz] {
        match unpack(format, bytes, bounds) {
            Ok(files) => {
                let size: usize = files.iter().filter_map(|file| Some(file.content.as_ref().ok()?.len())).sum();
                assert!(size as u64 <= bounds.bytes && files.len() <= bounds.files);
                assert!(files.iter().all(|file| !file.name.contains(char::is_control)));
            }
            Err(error) => assert!(!error.why.is_empty()),
        }
        let mut collection = Collection::default();
        if collection.add_archive("fuzz", format, bytes).is_ok() {
            let contents = collection.contents();
            assert!(contents.tests.iter().all(|test| test.file.starts_with("fuzz/")));
        }
    }
}

/// Saved schedules, of two threads that take two mutexes in different orders. What is read is written as it was, and its properties are decided.
pub fn schedules(bytes: &[u8]) {
    const PROGRAM: &str = "shared m, k\nwhile 1 { lock m; lock k; unlock k; unlock m }\n||\n\
                           while 1 { lock k; lock m; unlock m; unlock k }";
    let program = syntax::parse(PROGRAM).expect("it is right").program;
    let code = Code::compile(&program).expect("it is right");
    let system = System::of(&program, &code).expect("it has no handlers");
    let saved = match saved::read(&system, &String::from_utf8_lossy(bytes)) {
        Ok(saved) => saved,
        Err(error) => return assert!(!error.to_string().is_empty(), "a refusal says why"),
    };
    let written = saved::write(&system, &saved, Some(PROGRAM)).expect("what is read can be written");
    assert_eq!(saved::read(&system, &written).expect("it was written"), saved, "{written}");
    let states = States::of(&system, 100).expect("it has few states");
    let mut budget = Budget::unlimited();
    if let Ok(found) = properties(&system, &states, Some(&saved.ivr(&system)), 10_000, &mut budget) {
        let reporter = Reporter { system: &system, text: PROGRAM };
        for property in Property::ALL {
            assert!(!reporter.property_text(property, found.failure(property)).is_empty());
        }
    }
}

/// A graph in some format. What is read is written in all formats, and read as it was; as labels, states and pairs beside a graph it is refused
/// or not.
pub fn graph(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    files::Format::of_text(&text);
    files::begins(&text);
    let mut at = 0;
    for (range, _) in files::highlight(&text) {
        assert!(at <= range.start && text.get(range.clone()).is_some_and(|piece| !piece.is_empty()), "{range:?}");
        at = range.end;
    }
    for actions in [Actions::Dropped, Actions::Last] {
        let options = files::ReadOptions { vertices: 2_000, edges: 10_000, actions };
        for format in files::Format::ALL {
            match files::read(format, &text, &options) {
                Err(diagnostics) => {
                    assert!(!diagnostics.is_empty(), "a refusal says why");
                    syntax::render(&text, "fuzz", &diagnostics);
                }
                Ok(mut read) => {
                    syntax::render(&text, "fuzz", &read.notes);
                    let beside = [read.add_labels(&text), read.add_states(&text)];
                    for wrong in beside.into_iter().filter_map(Result::err) {
                        syntax::render(&text, "fuzz", &wrong);
                    }
                    if let Ok(pairs) = files::parse_pairs(&text, &read.labelled) {
                        read.labelled.pairs.extend(pairs);
                    }
                    written_again(&read.labelled);
                }
            }
        }
    }
}

/// A graph in all formats that keep its edges: it is the same again.
fn written_again(labelled: &Labelled) {
    let of = |labelled: &Labelled| {
        let graph = &labelled.graph;
        let successors: Vec<Vec<u32>> = (0..graph.vertices()).map(|at| graph.successors(at).to_vec()).collect();
        (successors, graph.random().clone(), labelled.start.clone(), labelled.pairs.len())
    };
    let expected = of(labelled);
    for format in files::Format::ALL.into_iter().filter(|format| *format != files::Format::Hoa) {
        let written = files::write(format, labelled).expect("it is a graph");
        let text = &written.files[0].1;
        let read = files::read(format, text, &files::ReadOptions::default());
        let mut again = read.unwrap_or_else(|wrong| panic!("written:\n{text}\n{wrong:#?}"));
        for (ending, text) in &written.files[1..] {
            let beside = match *ending {
                "lab" => again.add_labels(text),
                "sta" => again.add_states(text),
                _ => files::parse_pairs(text, &again.labelled).map(|pairs| again.labelled.pairs = pairs),
            };
            beside.unwrap_or_else(|wrong| panic!("written:\n{text}\n{wrong:#?}"));
        }
        if written.lost.is_empty() {
            assert_eq!(of(&again.labelled), expected, "written:\n{text}");
        }
    }
}

/// An automaton, and its product with a graph in which each proposition holds at some vertices.
pub fn automaton(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    hoa::begins(&text);
    let automaton = match parse_automaton(&text) {
        Ok(read) => {
            syntax::render(&text, "fuzz", &read.notes);
            read.automaton
        }
        Err(diagnostics) => {
            assert!(!diagnostics.is_empty(), "a refusal says why");
            syntax::render(&text, "fuzz", &diagnostics);
            return;
        }
    };
    const GRAPH: &str = "fairness\n0 -> 1, 2\n1 -> 0, 3\n2 -> 3\n3 -> 0, 3\nrandom 1";
    let options = files::ReadOptions { vertices: 2_000, edges: 10_000, actions: Actions::Dropped };
    let mut of = files::read(files::Format::Own, GRAPH, &options).expect("it is a graph").labelled;
    for (at, name) in automaton.propositions.iter().enumerate().take(1_000) {
        of.labels.push((name.clone(), of.graph.set((0..4).filter(|vertex| (at + 1) >> vertex & 1 == 0))));
    }
    match litmoscope::fairness::product(&of, &automaton, &options) {
        Ok(product) => {
            assert_eq!(product.vertices.len(), product.labelled.graph.vertices());
            assert!(product.begins.iter().all(Option::is_some));
            assert_eq!(product.labelled.objective().len(), product.labelled.pairs.len());
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// A series of programs, and its programs of some sizes.
pub fn series(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let _ = Kind::Series.highlight(&text);
    let _ = Kind::Series.read(&text);
    let Ok(series) = Series::parse(&text) else { return };
    for size in [0, 1, 3, MAX_SIZE] {
        match series.program(size) {
            Ok((text, parsed)) => {
                assert!(text.len() <= syntax::MAX_SOURCE);
                let _ = Code::compile(&parsed.program);
            }
            Err(error) => assert!(!error.diagnostics.is_empty()),
        }
    }
}

/// An event-driven trace. Both procedures say the same of it, with queues and with multisets, unless one of them gives up.
pub fn trace(bytes: &[u8]) {
    const LIMIT: u64 = 1 << 22;
    let text = String::from_utf8_lossy(bytes);
    document(Kind::Trace, &text);
    let Ok(trace) = parse_trace(&text) else { return };
    for mailbox in Mailbox::ALL {
        let trace = trace.clone().with_mailboxes(mailbox);
        let mut budget = Budget::unlimited();
        let Ok(answer) = solve(&trace, &mut Meter::new(LIMIT, 0, &mut budget)) else { continue };
        let report = TraceReport { name: "fuzz", trace: &trace, answer: TraceAnswer::Solved(&answer) };
        assert!(report.text(Detail::Full).starts_with("fuzz with "));
        assert!(serde_json::to_string(&TraceJson::from(&report)).is_ok());
        match decide_by_sat(&trace, &mut Meter::new(LIMIT, 0, &mut budget)) {
            Ok(SatAnswer::Consistent(_)) => assert!(answer.schedule.is_some(), "{text}"),
            Ok(SatAnswer::Inconsistent) => assert!(answer.schedule.is_none(), "{text}"),
            Ok(SatAnswer::Undecided) | Err(_) => {}
        }
    }
}

/// A graph that is asked about fairness.
pub fn fairness(bytes: &[u8]) {
    document(Kind::Fairness, &String::from_utf8_lossy(bytes));
}

/// A history, in whatever format it is taken for. What the monitors say, the search does not deny, and what can be written is read as it was.
pub fn history(bytes: &[u8]) {
    const LIMIT: u64 = 1 << 20;
    const MOST: usize = 200;
    let text = String::from_utf8_lossy(bytes);
    document(Kind::History, &text);
    let options = ReadOptions::default();
    for format in Format::ALL {
        let _ = parse_history_as(format, &text, &options);
    }
    let Ok((recording, _)) = parse_history(&text, &options) else { return };
    for format in Format::ALL {
        let Ok(printed) = print_history(&recording, format) else { continue };
        let again = parse_history_as(format, &printed, &options);
        let (again, _) = again.unwrap_or_else(|wrong| panic!("{format:?}:\n{printed}\n{wrong:#?}"));
        // Where operations name their objects, these come in the order in which something is done with them.
        let size = |recording: &Recording| -> Vec<(String, usize)> {
            let about = |history: &History| (history.name.clone(), history.operations.len());
            let mut sizes: Vec<_> = recording.histories.iter().map(about).collect();
            sizes.sort_unstable();
            sizes
        };
        assert_eq!(size(&again), size(&recording), "{format:?}:\n{printed}");
    }
    let mut budget = Budget::unlimited();
    for history in recording.histories.iter().filter(|history| history.operations.len() <= MOST) {
        let objects = history.object.map_or_else(|| Object::ALL.to_vec(), |object| vec![object]);
        for object in objects {
            let mut known = None;
            for monitor in Monitor::ALL {
                let judged = judge(history, object, monitor, LIMIT, &mut budget).expect("nobody pauses it");
                let minimal = match &judged.answer {
                    Answer::Linearizable(linearization) => {
                        assert_eq!(check(history, linearization, object), Ok(()), "{monitor:?}: {text}");
                        None
                    }
                    Answer::Not(_) => {
                        let again = |history: &_, budget: &mut Budget| {
                            Ok(judge(history, object, monitor, LIMIT, budget)?.answer)
                        };
                        minimise(history, &again, &mut budget).expect("nobody pauses it")
                    }
                    Answer::Unknown(_) => continue,
                };
                let is_linearizable = matches!(judged.answer, Answer::Linearizable(_));
                assert_eq!(*known.get_or_insert(is_linearizable), is_linearizable, "{object:?} by {monitor:?}: {text}");
                let report = HistoryReport {
                    name: "fuzz",
                    history,
                    object,
                    judgement: Some(&judged),
                    minimal: minimal.as_ref(),
                    is_minimal_stopped: false,
                    printed: None,
                };
                assert!(report.text(Detail::Full).starts_with("fuzz is "));
                assert!(serde_json::to_string(&HistoryJson::new(&report, Detail::Full)).is_ok());
            }
        }
    }
}

/// A memory implementation. What the saturation says of weak causality, the search does not deny.
pub fn protocol(bytes: &[u8]) {
    const LIMIT: u64 = 5_000;
    const WORK: u64 = 1 << 20;
    let text = String::from_utf8_lossy(bytes);
    document(Kind::Protocol, &text);
    let settings = [("threads".to_owned(), 1), ("slots".to_owned(), 2)];
    if let Ok((machine, _)) = parse_protocol_within(&text, &settings, WORK) {
        assert!(!machine.states.is_empty(), "it begins somewhere");
    }
    let Ok((machine, _)) = parse_protocol_within(&text, &[], WORK) else { return };
    if machine.states.len() > 200 {
        return;
    }
    let printed = print_machine(&machine);
    let again = parse_protocol(&printed, &[]).unwrap_or_else(|wrong| panic!("printed:\n{printed}\n{wrong:#?}")).0;
    assert_eq!(again.transitions().len(), machine.transitions().len(), "{printed}");
    let mut budget = Budget::unlimited();
    for initial in [Initial::Nothing, Initial::Written] {
        let saturation = saturate(&machine, initial, 1 << 20, &mut budget).expect("nobody pauses it");
        let Some(saturation) = saturation else { continue };
        let mut search = ShapeSearch::new(&machine, Causality::Weak, initial, LIMIT);
        match search.run(&mut budget).expect("nobody pauses it") {
            ShapeVerdict::Holds => assert!(saturation.violation.is_none(), "{printed}"),
            ShapeVerdict::Violated(_) => assert!(saturation.violation.is_some(), "{printed}"),
            ShapeVerdict::Unknown { .. } => {}
        }
    }
}

/// An abstract execution.
pub fn execution(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    document(Kind::Execution, &text);
    let Ok(execution) = parse_execution(&text) else { return };
    let printed = print_execution(&execution);
    if printed.len() > syntax::MAX_SOURCE {
        return;
    }
    let again = parse_execution(&printed).unwrap_or_else(|wrong| panic!("printed:\n{printed}\n{wrong:#?}"));
    let names = |execution: &AbstractExecution| -> Vec<String> {
        execution.program.objects.iter().map(|object| object.name.clone()).collect()
    };
    assert_eq!(names(&again), names(&execution), "{printed}");
    assert_eq!((&again.sources, &again.blocks), (&execution.sources, &execution.blocks), "{printed}");
    assert_eq!((&again.order, again.root), (&execution.order, execution.root), "{printed}");
    assert_eq!(again.graph.canonical(), execution.graph.canonical(), "{printed}");
    Model::ALL.into_iter().for_each(|model| decide_all_ways(&execution, model));
}

/// All ways to search say the same, unless they come to an end too soon, and what they say can be put into words.
fn decide_all_ways(execution: &AbstractExecution, model: Model) {
    // What takes one step takes more of them the more events there are.
    let states = (4 * MAX_EVENTS / (execution.graph.len() + 1)).pow(2).clamp(10, 2_000) as u64;
    let base = consistency::Settings { states, listed: 20, cases: 3, ..consistency::Settings::default() };
    let no_closure = consistency::Settings { closure: false, ..base.clone() };
    let ways = [
        base.clone(),
        consistency::Settings { greedy: false, ..base.clone() },
        no_closure.clone(),
        consistency::Settings { greedy: false, ..no_closure.clone() },
        consistency::Settings { naive: true, ..base },
        consistency::Settings { naive: true, ..no_closure },
    ];
    let mut known = None;
    for settings in ways {
        let Ok(answer) = consistency::decide(model, execution, &settings) else { return };
        let report = ConsistencyReport { name: &execution.program.name, execution, model, answer: &answer };
        consistency_text(&report, Detail::Full);
        let json = serde_json::to_string(&ConsistencyJson::from(&report));
        assert!(json.is_ok(), "{json:?}");
        let is_consistent = match &answer.verdict {
            ConsistencyVerdict::Bounded => continue,
            ConsistencyVerdict::Inconsistent { .. } => false,
            ConsistencyVerdict::Consistent(witness) => {
                let is_run = witness.run.as_ref().is_none_or(|run| run.instance.is_witness(&run.order));
                assert!(is_run, "{model}: no run\n{}", print_execution(execution));
                true
            }
        };
        let before = *known.get_or_insert(is_consistent);
        assert_eq!(before, is_consistent, "{model}, {settings:?}\n{}", print_execution(execution));
    }
}

fn open(address: &str) {
    let opened = link::open(address);
    let again = match &opened {
        Ok(Linked::Session(settings)) => link::open(&link::encode(settings)),
        Ok(Linked::Script(script)) => link::encode_script(script).and_then(|link| link::open(&link)),
        Ok(Linked::Pair(pair)) => link::encode_pair(pair).and_then(|link| link::open(&link)),
        Ok(Linked::Lab(place)) => link::encode_lab(place).and_then(|link| link::open(&link)),
        Err(_) => return,
    };
    // What is written once where it was read may take more room.
    if again == Err(LinkError::TooLarge) {
        return;
    }
    assert_eq!(again, opened, "a link opens as it was made");
    match opened {
        Ok(Linked::Session(settings)) => step(settings, 20),
        Ok(Linked::Script(script)) => {
            for scene in script.scenes.into_iter().take(3) {
                if let Some(question) = &scene.question {
                    let _ = Asked::new(&scene.settings.text, question.outcome.as_deref(), scene.settings.model);
                }
                step(scene.settings, 20);
            }
        }
        Ok(Linked::Lab(place)) => step(place.settings, 20),
        Ok(Linked::Pair(pair)) => [pair.left, pair.right].into_iter().for_each(|settings| step(settings, 20)),
        Err(_) => {}
    }
}

/// A text of a kind, whatever it is about: it has colours, is read or refused with a reason, and is written so that it is
/// read again. `None` if it is refused.
fn document(kind: Kind, text: &str) -> Option<Summary> {
    Kind::of(text);
    let mut at = 0;
    for (range, _) in kind.highlight(text) {
        assert!(at <= range.start && text.get(range.clone()).is_some_and(|piece| !piece.is_empty()), "{range:?}");
        at = range.end;
    }
    match kind.read(text) {
        Err(diagnostics) => {
            assert!(!diagnostics.is_empty(), "a refusal says why");
            syntax::render(text, "fuzz", &diagnostics);
            None
        }
        Ok(summary) => {
            syntax::render(text, "fuzz", &summary.notes);
            let rewrite = kind.rewrite();
            if let Ok(Ok(printed)) = rewrite(text)
                // What is named in full may take more room.
                && printed.len() <= syntax::MAX_SOURCE
            {
                let again = rewrite(&printed).unwrap_or_else(|wrong| panic!("printed:\n{printed}\n{wrong:#?}"));
                assert_eq!(again.as_ref(), Ok(&printed));
            }
            Some(summary)
        }
    }
}

/// A program, of which some steps are made.
fn program(kind: Kind, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let program = document(kind, &text).and_then(|summary| summary.program);
    if program.is_some_and(|program| Code::compile(&program).is_ok()) {
        step(Settings { text: text.into_owned(), ..Settings::default() }, 200);
    }
}

/// Some steps under the weakest and the strongest model, and a look at what they led to.
fn step(settings: Settings, steps: u64) {
    for model in [Model::SC, Model::RC11] {
        let limits = Limits { local_steps: 1000, ..settings.options.limits };
        let options = Options { limits, ..settings.options };
        let Ok(mut session) = Session::open(Settings { model, options, position: 0, ..settings.clone() }) else {
            return;
        };
        session.run(steps);
        session.view(&ViewRequest::default());
    }
}
