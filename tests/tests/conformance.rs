//! Litmus tests from a folder that is not part of the project: `LITMOSCOPE_CONFORMANCE`, or else `shared/conformance`
//! next to the workspace.

use litmoscope::syntax::{parse, print, render};
use std::path::{Path, PathBuf};

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
