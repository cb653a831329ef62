//! The gallery: each program is what its description says it is.

use litmoscope::budget::Budget;
use litmoscope::explore::{Algorithm, Counts, Coverage, Options, Results, Step};
use litmoscope::model::Model;
use litmoscope::program::{Code, Limits, Notation, Program};
use litmoscope::repair::{Aim, Bounds, Costs, Goal, Kept, RepairReport, Search, Subject};
use litmoscope::syntax::{self, Severity};
use litmoscope_tests::TABULATED;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

/// Complete, blocked and erroneous executions.
type Kinds = (u64, u64, u64);

/// Each file with its executions by model, in the order of [`TABULATED`], and
/// whether its condition holds: `+` it does, `.` it does not, `-` there is none.
#[rustfmt::skip]
const TABLE: &[(&str, [Kinds; 7], &str)] = &[
    ("sb.lit", [(3, 0, 0), (4, 0, 0), (4, 0, 0), (4, 0, 0), (4, 0, 0), (4, 0, 0), (4, 0, 0)], ".++++++"),
    ("sb-fences.lit", [(3, 0, 0); 7], "......."),
    ("sb-rmws.lit", [(3, 0, 0), (3, 0, 0), (3, 0, 0), (4, 0, 0), (4, 0, 0), (4, 0, 0), (4, 0, 0)], "...++++"),
    ("sb-sc.lit", [(3, 0, 0), (4, 0, 0), (4, 0, 0), (4, 0, 0), (4, 0, 0), (4, 0, 0), (3, 0, 0)], ".+++++."),
    ("sb-rfi.lit", [(3, 0, 0), (4, 0, 0), (4, 0, 0), (4, 0, 0), (4, 0, 0), (4, 0, 0), (4, 0, 0)], ".++++++"),
    ("sb3.lit", [(7, 0, 0), (8, 0, 0), (8, 0, 0), (8, 0, 0), (8, 0, 0), (8, 0, 0), (8, 0, 0)], ".++++++"),
    ("mp.lit", [(3, 0, 0), (3, 0, 0), (4, 0, 0), (3, 0, 0), (3, 0, 0), (3, 0, 0), (4, 0, 0)], "..+...+"),
    ("mp-rel-acq.lit", [(3, 0, 0), (3, 0, 0), (4, 0, 0), (3, 0, 0), (3, 0, 0), (3, 0, 0), (3, 0, 0)], "..+...."),
    ("mp-rmw.lit", [(9, 0, 0), (9, 0, 0), (12, 0, 0), (9, 0, 0), (9, 0, 0), (9, 0, 0), (9, 0, 0)], "..+...."),
    ("rseq.lit", [(4, 0, 0), (4, 0, 0), (6, 0, 0), (4, 0, 0), (4, 0, 0), (4, 0, 0), (4, 0, 0)], "..+...."),
    ("lb.lit", [(3, 0, 0); 7], "......."),
    ("lb-dep.lit", [(3, 0, 0); 7], "......."),
    ("wrc.lit", [(7, 0, 0), (7, 0, 0), (7, 0, 0), (7, 0, 0), (7, 0, 0), (7, 0, 0), (8, 0, 0)], "......+"),
    ("isa2.lit", [(7, 0, 0), (7, 0, 0), (8, 0, 0), (7, 0, 0), (7, 0, 0), (7, 0, 0), (8, 0, 0)], "..+...+"),
    ("iriw.lit", [(15, 0, 0), (15, 0, 0), (15, 0, 0), (16, 0, 0), (16, 0, 0), (16, 0, 0), (16, 0, 0)], "...++++"),
    ("2+2w.lit", [(1, 0, 0); 7], "..+.+++"),
    ("r.lit", [(2, 0, 0); 7], ".++++++"),
    ("s.lit", [(2, 0, 0); 7], "..+...+"),
    ("rwc.lit", [(7, 0, 0), (8, 0, 0), (8, 0, 0), (8, 0, 0), (8, 0, 0), (8, 0, 0), (8, 0, 0)], ".++++++"),
    ("z6.u.lit", [(13, 0, 0), (14, 0, 0), (14, 0, 0), (14, 0, 0), (14, 0, 0), (14, 0, 0), (14, 0, 0)], ".++++++"),
    ("corr.lit", [(3, 0, 0); 7], "......."),
    ("coww.lit", [(6, 0, 0); 7], "......."),
    ("corw.lit", [(2, 0, 0); 7], "......."),
    ("corr2.lit", [(47, 0, 0), (47, 0, 0), (47, 0, 0), (47, 0, 0), (47, 0, 0), (49, 0, 0), (47, 0, 0)], ".....+."),
    ("w-rw-w.lit", [(3, 0, 0); 7], "+++++++"),
    ("w-rmw.lit", [(2, 0, 0); 7], ".....+."),
    ("4w1r.lit", [(5, 0, 0); 7], "+++++++"),
    ("fai2.lit", [(2, 0, 0); 7], "......."),
    ("fai5.lit", [(120, 0, 0); 7], "+++++++"),
    ("cas2.lit", [(2, 0, 0); 7], "......."),
    ("wbchain.lit", [(150, 0, 0), (150, 0, 0), (150, 0, 0), (150, 0, 0), (150, 0, 0), (240, 0, 0), (150, 0, 0)], ".....+."),
    ("peterson.lit", [(4, 5, 0), (7, 5, 6), (7, 5, 10), (7, 5, 6), (7, 5, 6), (8, 5, 12), (7, 5, 10)], "-------"),
    ("peterson-fences.lit", [(4, 5, 0), (4, 5, 0), (6, 5, 4), (6, 5, 4), (6, 5, 4), (7, 5, 9), (6, 5, 4)], "-------"),
    ("peterson-rmw.lit", [(4, 6, 0); 7], "-------"),
    ("dekker.lit", [(4, 8, 0), (5, 8, 2), (5, 8, 6), (5, 8, 2), (5, 8, 2), (5, 8, 3), (5, 8, 6)], "-------"),
    ("spinlock.lit", [(2, 2, 0), (2, 2, 0), (4, 2, 0), (2, 2, 0), (2, 2, 0), (2, 2, 0), (2, 2, 0)], "..+...."),
    ("ticketlock.lit", [(2, 2, 0), (2, 2, 0), (4, 2, 0), (2, 2, 0), (2, 2, 0), (2, 2, 0), (2, 2, 0)], "..+...."),
    ("ttas.lit", [(4, 4, 0), (4, 4, 0), (8, 4, 0), (4, 4, 0), (4, 4, 0), (4, 4, 0), (4, 4, 0)], "..+...."),
    ("mcs.lit", [(4, 4, 0); 7], "-------"),
    ("lock2.lit", [(2, 0, 0); 7], "-------"),
    ("lock-counter.lit", [(6, 0, 0); 7], "+++++++"),
    ("abba.lit", [(2, 1, 0); 7], "-------"),
    ("channel.lit", [(1, 0, 0); 7], "+++++++"),
    ("seqlock-relaxed.lit", [(18, 0, 0), (18, 0, 0), (24, 0, 0), (18, 0, 0), (18, 0, 0), (18, 0, 0), (24, 0, 0)], "..+...+"),
    ("seqlock.lit", [(18, 0, 0); 7], "......."),
    ("seqlock-loop.lit", [(2, 16, 0), (2, 16, 0), (5, 16, 0), (2, 16, 0), (2, 16, 0), (2, 16, 0), (2, 16, 0)], "..+...."),
    ("race.lit", [(2, 0, 0), (2, 0, 0), (3, 0, 0), (2, 0, 0), (2, 0, 0), (2, 0, 0), (1, 0, 2)], "-------"),
    ("mp-c11.litmus", [(2, 0, 0), (2, 0, 0), (3, 0, 0), (2, 0, 0), (2, 0, 0), (2, 0, 0), (2, 0, 0)], "..+...."),
    ("assertion.lit", [(1, 1, 0), (1, 1, 0), (1, 1, 1), (1, 1, 0), (1, 1, 0), (1, 1, 0), (1, 1, 1)], "-------"),
    ("spin.lit", [(1, 1, 0), (1, 1, 0), (2, 1, 0), (1, 1, 0), (1, 1, 0), (1, 1, 0), (1, 1, 0)], "..+...."),
    ("loop.lit", [(3, 1, 0), (3, 1, 0), (6, 1, 0), (3, 1, 0), (3, 1, 0), (3, 1, 0), (3, 1, 0)], "..+...."),
    ("sb-x86.litmus", [(3, 0, 0), (4, 0, 0), (4, 0, 0), (4, 0, 0), (4, 0, 0), (4, 0, 0), (4, 0, 0)], ".++++++"),
    ("n6.litmus", [(3, 0, 0), (3, 0, 0), (4, 0, 0), (3, 0, 0), (3, 0, 0), (3, 0, 0), (4, 0, 0)], ".++++++"),
];

/// Where the brute force takes minutes: TSO's axioms quantify over all orders of all writes.
const TOO_LARGE: [&str; 1] = ["dekker.lit"];

/// An entry of `gallery.json`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    file: String,
    name: String,
    title: String,
    model: String,
    unroll: u32,
    teaches: String,
    /// What would forbid what goes wrong.
    #[serde(default)]
    repair: Option<String>,
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../public")
}

fn entries() -> Vec<Entry> {
    let text = std::fs::read_to_string(folder().join("gallery.json")).expect("gallery.json");
    serde_json::from_str(&text).expect("gallery.json is a list of entries")
}

fn text(entry: &Entry) -> String {
    std::fs::read_to_string(folder().join(&entry.file)).unwrap_or_else(|error| panic!("{}: {error}", entry.file))
}

fn program(entry: &Entry) -> Program {
    let text = text(entry);
    let parsed =
        syntax::parse(&text).unwrap_or_else(|errors| panic!("{}", syntax::render(&text, &entry.file, &errors)));
    for note in &parsed.notes {
        assert_eq!(note.severity, Severity::Note, "{}", syntax::render(&text, &entry.file, &parsed.notes));
        assert!(!note.message.contains("inferred"), "{}: declare what is shared", entry.file);
    }
    parsed.program
}

/// The states that executions end in, with their numbers.
type Outcomes = BTreeSet<(Vec<i64>, u64)>;

fn explore(entry: &Entry, program: &Program, model: Model, algorithm: Algorithm) -> (Counts, char, Outcomes) {
    let code = Arc::new(Code::compile(program).expect("can be explored"));
    let limits = Limits { unroll: entry.unroll, ..Limits::default() };
    let options = Options { limits, ..Options::default() };
    let mut explorer = algorithm.explorer(Arc::clone(&code), model, options).expect("small enough");
    let mut results = Results::new(program);
    loop {
        let step = explorer.advance();
        if step == Step::Done {
            break;
        }
        results.observe(program, &code, model, &*explorer, step);
    }
    let holds = match results.condition(program, Coverage::Whole) {
        None => '-',
        Some(result) if result.holds => '+',
        Some(_) => '.',
    };
    let outcomes = results.outcomes().map(|(state, outcome)| (state.to_vec(), outcome.count)).collect();
    (explorer.counts(), holds, outcomes)
}

/// What each row says of repairs under its model is what comes out.
#[test]
fn repairs_are_as_the_rows_say() {
    let mut wrong = Vec::new();
    for entry in entries() {
        let (source, program) = (text(&entry), program(&entry));
        let goal = Goal::of(&program);
        let aim = Aim::Strengthen { races: goal.errors };
        let model = entry.model.parse().expect("a model");
        let subject = Subject::new(program.clone(), model, aim, Kept::default());
        let limits = Limits { unroll: entry.unroll, ..Limits::default() };
        let options = Options { limits, ..Options::default() };
        let search = Search::new(subject, goal, options, Costs::default(), Bounds::default());
        let mut search = search.expect("it compiles");
        while search.advance(&mut Budget::unlimited()).expect("nobody stops it") {}
        assert!(search.is_over() && !search.is_open(), "{}", entry.name);
        let report = RepairReport { name: &entry.name, source: &source, search: &search, stopped: false, needed: &[] };
        let expected = report.headline();
        if expected != entry.repair {
            wrong.push(format!("{}: {}", entry.file, serde_json::json!(expected)));
        }
    }
    assert!(wrong.is_empty(), "expected:\n{}", wrong.join("\n"));
}

#[test]
fn the_list_is_complete_and_in_order() {
    let entries = entries();
    let listed: Vec<_> = entries.iter().map(|entry| entry.file.clone()).collect();
    let mut files: Vec<_> = std::fs::read_dir(folder())
        .expect("the folder")
        .map(|file| file.expect("a file").file_name().into_string().expect("UTF-8"))
        .filter(|name| name.ends_with(".lit") || name.ends_with(".litmus"))
        .collect();
    let mut sorted = listed.clone();
    sorted.sort();
    files.sort();
    assert_eq!(sorted, files);
    assert_eq!(listed, TABLE.iter().map(|row| row.0).collect::<Vec<_>>());
    let names: BTreeSet<_> = entries.iter().map(|entry| &entry.name).collect();
    let titles: BTreeSet<_> = entries.iter().map(|entry| &entry.title).collect();
    assert_eq!((names.len(), titles.len()), (entries.len(), entries.len()), "names and titles are unique");
}

#[test]
fn the_list_says_what_the_files_say() {
    for entry in entries() {
        let program = program(&entry);
        let file = &entry.file;
        assert_eq!(program.name, entry.name, "{file}");
        let model: Model = entry.model.parse().unwrap_or_else(|error| panic!("{file}: {error}"));
        match &program.model {
            Some((name, _)) => assert_eq!(name.parse(), Ok(model), "{file}"),
            None => assert_ne!(program.notation, Notation::Litmoscope, "{file} names no model"),
        }
        assert_eq!(file.ends_with(".lit"), program.notation == Notation::Litmoscope, "{file}");
        let sentences = entry.teaches.matches(['.', '?', '!']).count();
        assert!((2..=4).contains(&sentences), "{file}: {}", entry.teaches);
    }
}

#[test]
fn files_read_the_same_when_printed() {
    for entry in entries() {
        let program = program(&entry);
        let printed =
            syntax::print(&program, program.notation).unwrap_or_else(|error| panic!("{}: {error}", entry.file));
        let again = syntax::parse_as(program.notation, &printed)
            .unwrap_or_else(|errors| panic!("{}", syntax::render(&printed, &entry.file, &errors)));
        assert_eq!(again.program.without_spans(), program.without_spans(), "{}", entry.file);
    }
}

#[test]
fn every_model_finds_what_the_table_says() {
    let mut wrong = Vec::new();
    for (entry, (file, kinds, verdicts)) in entries().iter().zip(TABLE) {
        assert_eq!(&entry.file, file);
        let program = program(entry);
        for ((model, kinds), verdict) in TABULATED.into_iter().zip(kinds).zip(verdicts.chars()) {
            let (counts, holds, _) = explore(entry, &program, model, Algorithm::Genmc);
            assert_eq!(counts.duplicates, 0, "{file} under {model}");
            let found = ((counts.complete, counts.blocked, counts.erroneous), holds);
            if found != (*kinds, verdict) {
                wrong.push(format!("{file} under {model}: found {found:?}, expected {:?}", (kinds, verdict)));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn brute_force_finds_the_same() {
    for entry in entries().iter().filter(|entry| !TOO_LARGE.contains(&entry.file.as_str())) {
        let program = program(entry);
        for model in Model::ALL {
            let [genmc, brute_force] = [Algorithm::Genmc, Algorithm::BruteForce].map(|algorithm| {
                let (counts, holds, outcomes) = explore(entry, &program, model, algorithm);
                (counts.complete, counts.blocked, counts.erroneous, counts.bounded, holds, outcomes)
            });
            assert_eq!(genmc, brute_force, "{} under {model}", entry.file);
        }
    }
}

/// The models with machines have a run for each reads-from class, and no more.
#[test]
fn rf_smc_finds_the_same() {
    for entry in entries() {
        let program = program(&entry);
        for model in Model::ALL.into_iter().filter(|&model| Algorithm::RfSmc.knows(model)) {
            let [genmc, rf_smc] = [Algorithm::Genmc, Algorithm::RfSmc].map(|algorithm| {
                let (counts, holds, outcomes) = explore(&entry, &program, model, algorithm);
                assert_eq!(counts.duplicates, 0, "{} under {model}, {algorithm:?}", entry.file);
                (counts.complete, counts.blocked, counts.erroneous, counts.bounded, holds, outcomes)
            });
            assert_eq!(genmc, rf_smc, "{} under {model}", entry.file);
        }
    }
}

/// RVF-SMC finds fewer executions, but whatever threads can come to: the same kinds, and all final states where these are
/// of registers alone.
#[test]
fn rvf_smc_finds_the_same_values() {
    let mut fewer = 0;
    for entry in entries() {
        let program = program(&entry);
        let [genmc, rvf_smc] =
            [Algorithm::Genmc, Algorithm::RvfSmc].map(|algorithm| explore(&entry, &program, Model::SC, algorithm));
        let kinds =
            |counts: Counts| [counts.complete, counts.blocked, counts.stuck_for_good, counts.erroneous].map(|n| n > 0);
        assert_eq!(kinds(genmc.0), kinds(rvf_smc.0), "{}", entry.file);
        assert_eq!(rvf_smc.0.duplicates, 0, "{}", entry.file);
        assert!(rvf_smc.0.executions() <= genmc.0.executions(), "{}", entry.file);
        fewer += u32::from(rvf_smc.0.executions() < genmc.0.executions());
        if !Algorithm::RvfSmc.leaves_last_values_open(&program) {
            let states = |outcomes: Outcomes| outcomes.into_iter().map(|(state, _)| state).collect::<BTreeSet<_>>();
            assert_eq!(states(genmc.2), states(rvf_smc.2), "{}", entry.file);
        }
    }
    assert!(fewer > 0);
}

/// What the descriptions say of single models, beyond the table.
#[test]
fn descriptions_count_right() {
    let entries = entries();
    let entry = |file: &str| entries.iter().find(|entry| entry.file == file).expect("listed");
    let orders = |file: &str, model: Model| {
        let entry = entry(file);
        let program = program(entry);
        let code = Arc::new(Code::compile(&program).expect("can be explored"));
        let mut explorer = Algorithm::Genmc.explorer(code, model, Options::default()).expect("small enough");
        let mut orders = 0;
        loop {
            match explorer.advance() {
                Step::Execution { .. } => orders += model.coherence_count(explorer.execution()),
                Step::Done => return orders,
                _ => {}
            }
        }
    };
    assert_eq!(orders("4w1r.lit", Model::SC), 120);
    assert_eq!(orders("w-rw-w.lit", Model::SC), 6);
    assert_eq!(orders("w-rw-w.lit", Model::RC11), 6);
}
