//! Programs with handlers: those of the gallery are what their descriptions say they are.

use litmoscope::explore::{Algorithm, Counts, Coverage, Options, Results, Step};
use litmoscope::model::Model;
use litmoscope::program::{Code, Mailbox, Notation, Program};
use litmoscope::syntax::{self, with_mailboxes};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

/// Complete and blocked executions, and those that satisfy the condition.
type Found = (u64, u64, u64);

/// Each file with what is found as it is written, with queues and with multisets.
const TABLE: &[(&str, [Found; 3])] = &[
    ("handlers/double-click.lit", [(1, 0, 1), (1, 0, 1), (10, 0, 8)]),
    ("handlers/type-ahead.lit", [(2, 0, 1), (1, 0, 0), (10, 0, 5)]),
    ("handlers/actors.lit", [(2, 0, 2), (2, 0, 2), (6, 0, 4)]),
    ("handlers/server.lit", [(2, 0, 1), (2, 0, 1), (2, 0, 1)]),
    ("handlers/stuck.lit", [(2, 1, 0), (2, 1, 0), (4, 2, 0)]),
];

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../public")
}

fn text(file: &str) -> String {
    std::fs::read_to_string(folder().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

fn program(text: &str) -> Program {
    syntax::parse(text).unwrap_or_else(|errors| panic!("{}", syntax::render(text, "", &errors))).program
}

fn explore(program: &Program, algorithm: Algorithm) -> (Counts, Results) {
    let code = Arc::new(Code::compile(program).expect("it can be explored"));
    let mut explorer = algorithm.explorer(Arc::clone(&code), Model::SC, Options::default()).expect("small enough");
    let mut results = Results::new(program);
    loop {
        match explorer.advance() {
            Step::Done => return (explorer.counts(), results),
            step => {
                results.observe(program, &code, Model::SC, &*explorer, step);
            }
        }
    }
}

#[test]
fn the_list_is_complete_and_says_what_the_files_say() {
    let index = text("handlers.json");
    let entries: Vec<serde_json::Value> = serde_json::from_str(&index).expect("a list");
    let listed: Vec<&str> = entries.iter().filter_map(|entry| entry["file"].as_str()).collect();
    assert_eq!(listed, TABLE.iter().map(|row| row.0).collect::<Vec<_>>());
    let files = std::fs::read_dir(folder().join("handlers")).expect("the folder").count();
    assert_eq!(files, listed.len());
    for entry in &entries {
        let file = entry["file"].as_str().expect("a file");
        let program = program(&text(file));
        assert_eq!(entry["name"].as_str(), Some(&*program.name), "{file}");
        assert!(program.has_handlers() && program.model.is_some(), "{file}");
        let sentences = entry["teaches"].as_str().expect("a text").matches(['.', '?', '!']).count();
        assert!((2..=4).contains(&sentences), "{file}");
        let printed = syntax::print(&program, Notation::Litmoscope).expect("it can be written");
        let again = syntax::parse(&printed).expect("it can be read");
        assert_eq!(again.program.without_spans(), program.without_spans(), "{file}\n{printed}");
    }
}

#[test]
fn mailboxes_make_the_difference_that_the_table_has() {
    for (file, expected) in TABLE {
        let written = text(file);
        let with = |mailbox| with_mailboxes(&written, mailbox).expect("it has handlers");
        let texts = [written.clone(), with(Mailbox::Queue), with(Mailbox::Multiset)];
        for (text, expected) in texts.iter().zip(expected) {
            let program = program(text);
            let (counts, results) = explore(&program, Algorithm::EventDriven);
            let witnesses = results.condition(&program, Coverage::Whole).map_or(0, |result| result.witnesses);
            assert_eq!((counts.complete, counts.blocked, witnesses), *expected, "{text}");
            let (with_co, _) = explore(&program, Algorithm::EventDrivenCo);
            assert_eq!(with_co.plain, counts.executions(), "{text}");
            assert_eq!((counts.duplicates, with_co.duplicates), (0, 0), "{text}");
        }
    }
}

/// What is said of messages that do not run, and of those that race.
#[test]
fn messages_that_race_and_that_wait_are_told() {
    let told = |file: &str| {
        let program = program(&text(file));
        let (_, results) = explore(&program, Algorithm::EventDriven);
        let name = |handler: u16, message: u16| {
            program.threads[usize::from(handler)].messages()[usize::from(message)].name.clone()
        };
        let fates = results.messages().fates(&program);
        let waiting: BTreeSet<_> =
            fates.iter().filter(|fate| fate.2.left > 0).map(|fate| name(fate.0, fate.1)).collect();
        (results.messages().races().len(), waiting)
    };
    assert_eq!(told("handlers/server.lit"), (1, BTreeSet::new()));
    assert_eq!(told("handlers/double-click.lit"), (0, BTreeSet::new()));
    assert_eq!(told("handlers/stuck.lit"), (1, BTreeSet::from(["more".to_owned()])));
}

/// A handler that posts to itself without end is cut, which is said.
#[test]
fn messages_that_post_themselves_are_bounded() {
    let program = program("shared none\nhandler h queue\nmessage m on h { post h.m }\ninitial h.m\n");
    let (counts, results) = explore(&program, Algorithm::EventDriven);
    assert_eq!((counts.executions(), counts.bounded), (1, 1));
    let cuts = results.cuts();
    assert_eq!((cuts.len(), cuts[0].place.line), (1, 3));
}

/// Algorithms and models that know no handlers say so.
#[test]
fn who_knows_no_handlers_says_so() {
    let code = Code::compile(&program(&text("handlers/server.lit"))).expect("it can be explored");
    for algorithm in Algorithm::ALL {
        for model in Model::ALL {
            let valid = Options::default().validate_for_program(algorithm, model, &code);
            assert_eq!(valid.is_ok(), algorithm.traits().handlers && model == Model::SC, "{algorithm:?} under {model}");
        }
    }
}
