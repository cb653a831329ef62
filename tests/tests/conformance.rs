//! Litmus tests from a folder that is not part of the project: `LITMOSCOPE_CONFORMANCE`, or else `shared/conformance`
//! next to the workspace. Where there is none, the tests count as ignored, which Rust's own harness can't say of a test
//! that it has started.
//!
//! Where the folder exists, each of its cycles has to make the test that it is said to make. A folder that
//! `LITMOSCOPE_CONFORMANCE` names has to exist. `cargo run --release -p litmoscope-tests --bin conformance -- table` makes the
//! table (`generated.tsv`) from it.

use libtest_mimic::{Arguments, Completion, Trial};
use litmoscope::generate::generate;
use litmoscope::program::{Code, Instruction, Program};
use litmoscope::syntax::{parse, print, render};
use litmoscope_tests::conformance::{
    Expected, NoFolder, compare, cycle_of, dialect_of, expected, folder, in_parallel, read, run_folder,
};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// A test of the folder, and what it says of its work.
type Test = (&'static str, fn(&Path) -> String);

const TESTS: [Test; 3] = [
    ("every_test_is_read_and_written_back", every_test_is_read_and_written_back),
    ("every_test_ends_as_another_tool_says", every_test_ends_as_another_tool_says),
    ("cycles_make_the_tests_that_they_are_said_to_make", cycles_make_the_tests_that_they_are_said_to_make),
];

const NO_FOLDER: &str = "without_a_folder_no_test_counts_as_passed";

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let speaks = arguments.nocapture;
    let mut trials: Vec<Trial> = TESTS
        .into_iter()
        .map(|(name, test)| {
            Trial::ignorable_test(name, move || match folder() {
                Ok(folder) => {
                    let said = test(&folder);
                    if speaks {
                        println!("{said}");
                    }
                    Ok(Completion::Completed)
                }
                Err(NoFolder::Absent(why)) => Ok(Completion::ignored_with(why)),
                Err(NoFolder::Missing(why)) => Err(why.into()),
            })
        })
        .collect();
    trials.push(Trial::test(NO_FOLDER, || {
        without_a_folder_no_test_counts_as_passed();
        Ok(())
    }));
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Runs the tests of the folder again, with another folder.
fn without_a_folder_no_test_counts_as_passed() {
    let run = |folder: &str| {
        let this = std::env::current_exe().expect("this program has a path");
        let arguments = ["--skip", NO_FOLDER, "--color", "never"];
        let mut command = Command::new(this);
        let output = command.args(arguments).env("LITMOSCOPE_CONFORMANCE", folder).output().expect("it runs");
        (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    for (folder, good, ends, numbers) in [
        ("", true, "ignored (LITMOSCOPE_CONFORMANCE is empty)", "test result: ok. 0 passed; 0 failed; 3 ignored;"),
        ("no/such/folder", false, "FAILED", "test result: FAILED. 0 passed; 3 failed; 0 ignored;"),
    ] {
        let (succeeded, said) = run(folder);
        assert_eq!(succeeded, good, "{said}");
        for (name, _) in TESTS {
            let line = said.lines().find(|line| line.starts_with(&format!("test {name} ")));
            assert!(line.is_some_and(|line| line.ends_with(&format!("... {ends}"))), "{name}: {said}");
        }
        assert!(said.contains(numbers), "{said}");
        assert_eq!(said.contains("no/such/folder, which LITMOSCOPE_CONFORMANCE names"), !good, "{said}");
    }
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

fn every_test_is_read_and_written_back(folder: &Path) -> String {
    let mut files = Vec::new();
    for dialect in ["c11", "x86", "x86_64"] {
        if folder.join(dialect).is_dir() {
            litmus_files(&folder.join(dialect), &mut files);
        }
    }
    let mut failures = Vec::new();
    for file in &files {
        let name = file.strip_prefix(folder).unwrap_or(file).display().to_string();
        let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{name}: {error}"));
        if let Err(failure) = round_trip(&text, &name) {
            failures.push(failure);
        }
    }
    assert!(!files.is_empty(), "no test below {}", folder.display());
    let shown = failures.iter().take(5).cloned().collect::<Vec<_>>().join("\n");
    assert!(failures.is_empty(), "{} tests fail, among them:\n{shown}", failures.len());
    format!("read and written back: {} tests", files.len())
}

fn round_trip(text: &str, name: &str) -> Result<(), String> {
    let program = parse(text).map_err(|errors| render(text, name, &errors))?.program.without_spans();
    let printed = print(&program, program.notation).map_err(|error| format!("{name}: {error}"))?;
    let again = parse(&printed).map_err(|errors| render(&printed, name, &errors))?.program.without_spans();
    if again == program { Ok(()) } else { Err(format!("{name}: printed as another program:\n{printed}")) }
}

/// The same final states, verdict, races and numbers of executions as the other tool, for every test and model.
fn every_test_ends_as_another_tool_says(folder: &Path) -> String {
    let rows = run_folder(folder);
    let run: usize = rows.values().map(|row| row.runs).sum();
    let failures: Vec<&String> = rows.values().flat_map(|row| &row.failures).collect();
    assert!(run > 0, "no test in {}", folder.display());
    assert!(
        failures.is_empty(),
        "{} tests fail, among them:\n{:#?}",
        failures.len(),
        &failures[..failures.len().min(5)]
    );
    format!("explored {run} tests")
}

/// A test made from the cycle that the other tool made its test from is the same test, but for what it says of one location.
fn cycles_make_the_tests_that_they_are_said_to_make(folder: &Path) -> String {
    let all = expected(folder);
    let results = in_parallel(&all, |expected| same_test(folder, expected).transpose());
    let made: Vec<_> = results.into_iter().flatten().collect();
    let failures: Vec<_> = made.iter().filter_map(|result| result.as_ref().err()).collect();
    assert!(!made.is_empty(), "no test with a cycle in {}", folder.display());
    assert!(failures.is_empty(), "{} tests fail, among them:\n{}", failures.len(), failures[0]);
    format!("made and explored {} tests", made.len())
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
