//! Litmus tests from a folder that is not part of the project: `LITMOSCOPE_CONFORMANCE`, or else `shared/conformance`
//! next to the workspace.

use litmoscope::generate::generate;
use litmoscope::program::{Code, Instruction, Program};
use litmoscope::syntax::{parse, print, render};
use litmoscope_tests::conformance::{
    Expected, compare, cycle_of, dialect_of, expected, folder, in_parallel, read, run_folder,
};
use std::path::{Path, PathBuf};

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

/// The same final states, verdict, races and numbers of executions as the other tool, for every test and model.
#[test]
fn every_test_ends_as_another_tool_says() {
    let Some(folder) = folder() else { return };
    let rows = run_folder(&folder);
    let run: usize = rows.values().map(|row| row.runs).sum();
    let failures: Vec<&String> = rows.values().flat_map(|row| &row.failures).collect();
    println!("explored {run} tests, {} of them differ", failures.len());
    assert!(run > 0, "no test in {}", folder.display());
    assert!(
        failures.is_empty(),
        "{} tests fail, among them:\n{:#?}",
        failures.len(),
        &failures[..failures.len().min(5)]
    );
}

/// A test made from the cycle that the other tool made its test from is the same test, but for what it says of one location.
#[test]
fn cycles_make_the_tests_that_they_are_said_to_make() {
    let Some(folder) = folder() else { return };
    let all = expected(&folder);
    let results = in_parallel(&all, |expected| same_test(&folder, expected).transpose());
    let made: Vec<_> = results.into_iter().flatten().collect();
    let failures: Vec<_> = made.iter().filter_map(|result| result.as_ref().err()).collect();
    println!("made and explored {} tests, {} of them differ", made.len(), failures.len());
    assert!(!made.is_empty(), "no test with a cycle in {}", folder.display());
    assert!(failures.is_empty(), "{} tests fail, among them:\n{}", failures.len(), failures[0]);
}

/// Whether a test is what its cycle makes, `None` if it has no cycle.
fn same_test(folder: &Path, expected: &Expected) -> Result<Option<()>, String> {
    let (theirs, text) = read(folder, &expected.test)?;
    let Some(cycle) = cycle_of(&text) else { return Ok(None) };
    let whole = |what: String| format!("{} ({cycle}) under {}: {what}", expected.test, expected.model);
    let dialect = dialect_of(theirs.notation);
    let generated = generate(cycle, dialect).map_err(|errors| whole(render(cycle, "cycle", &errors)))?;
    let ours = &generated.program;
    if instructions(ours) != instructions(&theirs) {
        return Err(whole(format!("made another test:\n{}", generated.text)));
    }
    // The text says the same as the program.
    let again = parse(&generated.text).map_err(|errors| whole(render(&generated.text, "generated", &errors)))?.program;
    if instructions(&again) != instructions(ours) {
        return Err(whole(format!("printed as another program:\n{}", generated.text)));
    }
    compare(ours, &expected.of_cycle(&generated.cycle)).map_err(whole)?;
    Ok(Some(()))
}

/// What the threads do, with the names of shared objects instead of their numbers.
fn instructions(program: &Program) -> Vec<Vec<String>> {
    let code = Code::compile(program).expect("the tests can be explored");
    let named = |instruction: &Instruction| {
        let mut text = format!("{:?}", instruction.kind);
        for (id, object) in program.objects.iter().enumerate() {
            text = text.replace(&format!("ObjectId({id})"), &format!("[{}]", object.name));
        }
        text
    };
    code.threads.iter().map(|thread| thread.instructions.iter().map(named).collect()).collect()
}
