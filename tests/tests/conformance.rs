//! Litmus tests from a folder that is not part of the project: `LITMOSCOPE_CONFORMANCE`, or else `shared/conformance`
//! next to the workspace.

use litmoscope::explore::{Algorithm, Options, Results, Step};
use litmoscope::model::Model;
use litmoscope::program::{Code, Observable, Program};
use litmoscope::syntax::{parse, print, render};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The folder with the tests, `None` if there is none.
fn folder() -> Option<PathBuf> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = match std::env::var_os("LITMOSCOPE_CONFORMANCE") {
        Some(folder) => workspace.join(folder),
        None => workspace.join("../shared/conformance"),
    };
    if !folder.is_dir() {
        println!("no conformance tests: there is no folder {}", folder.display());
        return None;
    }
    Some(folder)
}

/// All files below a folder that end with `.litmus`, sorted.
fn litmus_files(folder: &Path, into: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for entry in entries {
        let path = entry.expect("a readable folder").path();
        if path.is_dir() {
            litmus_files(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "litmus") {
            into.push(path);
        }
    }
    into.sort();
}

#[test]
fn every_test_is_read_and_written_back() {
    let Some(folder) = folder() else { return };
    let mut files = Vec::new();
    for dialect in ["c11", "x86", "x86_64"] {
        if folder.join(dialect).is_dir() {
            litmus_files(&folder.join(dialect), &mut files);
        }
    }
    let mut failures = Vec::new();
    for file in &files {
        let name = file.strip_prefix(&folder).unwrap_or(file).display().to_string();
        let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{name}: {error}"));
        if let Err(failure) = round_trip(&text, &name) {
            failures.push(failure);
        }
    }
    println!("read and written back: {} of {} tests", files.len() - failures.len(), files.len());
    assert!(!files.is_empty(), "no test below {}", folder.display());
    let shown = failures.iter().take(5).cloned().collect::<Vec<_>>().join("\n");
    assert!(failures.is_empty(), "{} tests fail, among them:\n{shown}", failures.len());
}

fn round_trip(text: &str, name: &str) -> Result<(), String> {
    let program = parse(text).map_err(|errors| render(text, name, &errors))?.program.without_spans();
    let printed = print(&program, program.notation).map_err(|error| format!("{name}: {error}"))?;
    let again = parse(&printed).map_err(|errors| render(&printed, name, &errors))?.program.without_spans();
    if again == program { Ok(()) } else { Err(format!("{name}: printed as another program:\n{printed}")) }
}

/// What another tool says of a test under a model: a line of `expected.jsonl`.
#[derive(Deserialize)]
struct Expected {
    test: String,
    model: String,
    /// Whether the final condition's proposition holds in `Always`, `Sometimes` or `Never`.
    observation: String,
    #[serde(default)]
    race: bool,
    /// Consistent executions, those that differ in co alone counted one by one.
    executions: u64,
    states: Vec<String>,
}

/// The same final states, verdict, races and numbers of executions as the other tool, for every test and model.
#[test]
fn every_test_ends_as_another_tool_says() {
    let Some(folder) = folder() else { return };
    let lines = folder.join("expected.jsonl");
    let lines = std::fs::read_to_string(&lines).unwrap_or_else(|error| panic!("{}: {error}", lines.display()));
    let (mut run, mut failures) = (0, Vec::new());
    for line in lines.lines() {
        let expected: Expected = serde_json::from_str(line).expect("a line of the table");
        let text = std::fs::read_to_string(folder.join(&expected.test)).expect("the table's tests exist");
        run += 1;
        if let Err(failure) = compare(&text, &expected) {
            failures.push(format!("{} under {}: {failure}", expected.test, expected.model));
        }
    }
    println!("explored {run} tests, {} of them differ", failures.len());
    assert!(run > 0, "no test in {}", folder.display());
    let shown = failures.iter().take(5).cloned().collect::<Vec<_>>().join("\n");
    assert!(failures.is_empty(), "{} tests fail, among them:\n{shown}", failures.len());
}

fn compare(text: &str, expected: &Expected) -> Result<(), String> {
    let model: Model = expected.model.parse().map_err(|error| format!("{error}"))?;
    let program = parse(text).map_err(|errors| render(text, &expected.test, &errors))?.program;
    let code = Arc::new(Code::compile(&program).map_err(|error| error.to_string())?);
    let explorer = Algorithm::Genmc.explorer(Arc::clone(&code), model, Options::default());
    let mut explorer = explorer.map_err(|error| error.to_string())?;
    let mut results = Results::new(&program);
    let (mut executions, mut race) = (0, false);
    loop {
        let step = explorer.advance();
        results.observe(&program, &code, model, &*explorer, step);
        match step {
            Step::Execution { .. } => executions += model.coherence_count(explorer.execution()),
            Step::Race { .. } => race = true,
            Step::Done => break,
            _ => {}
        }
    }
    let names: Vec<_> = results.observables().iter().map(|&observable| herd_name(&program, observable)).collect();
    let state = |values: &[i64]| -> BTreeSet<String> {
        names.iter().zip(values).map(|(name, value)| format!("{name}={value};")).collect()
    };
    let found: BTreeSet<_> = results.outcomes().map(|(values, _)| state(values)).collect();
    let wanted: BTreeSet<BTreeSet<String>> =
        expected.states.iter().map(|state| state.split_whitespace().map(str::to_owned).collect()).collect();
    if found != wanted {
        return Err(format!("final states {found:?}, but {wanted:?} expected"));
    }
    let satisfied = results.outcomes().filter(|(_, outcome)| outcome.satisfies == Some(true)).count();
    let observation = match satisfied {
        0 => "Never",
        n if n == results.outcomes().len() => "Always",
        _ => "Sometimes",
    };
    let ours = (observation, executions, race);
    let theirs = (expected.observation.as_str(), expected.executions, expected.race);
    if ours != theirs {
        return Err(format!("observation, executions and race are {ours:?}, but {theirs:?} expected"));
    }
    Ok(())
}

/// herd's name of a part of a final state: `0:r0`, `[x]`.
fn herd_name(program: &Program, observable: Observable) -> String {
    let name = program.observable_name(observable);
    match observable {
        Observable::Register { .. } => name.trim_start_matches('P').to_owned(),
        Observable::Location { .. } => format!("[{name}]"),
    }
}
