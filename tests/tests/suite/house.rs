//! How the house is built: who names what.

use litmoscope::explore::Algorithm;
use litmoscope::model::Model;
use std::fs;
use std::path::{Path, PathBuf};

/// The engine's floors, each above those before it, and the crate that users name.
const FLOORS: [&str; 3] = ["engine/core/src", "engine/explore/src", "engine/src"];

/// The sources of a folder that are no tests, each without its unit tests.
fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder)];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
            let path = entry.expect("a file can be listed").path();
            if path.is_dir() {
                folders.extend((!path.ends_with("tests") && !path.ends_with("testing")).then_some(path));
            } else if path.extension().is_some_and(|ending| ending == "rs") && !path.ends_with("tests.rs") {
                let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
                found.push((path, code.to_owned()));
            }
        }
    }
    assert!(found.len() > 10, "{folder} has {} files", found.len());
    found
}

/// Where code outside a folder names one of some variants, but for one line that may.
fn naming(folder: &str, names: &[String], allowed: &str) -> Vec<String> {
    let is_name = |line: &str, name: &String| {
        let behind = line.split(name.as_str()).skip(1);
        behind.into_iter().any(|rest| !rest.starts_with(|next: char| next.is_alphanumeric()))
    };
    let mut found = Vec::new();
    for (path, text) in FLOORS.iter().flat_map(|floor| sources(floor)).chain(sources("app/src")) {
        if path.components().any(|part| part.as_os_str() == folder) {
            continue;
        }
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
        for (at, line) in lines.filter(|(_, line)| names.iter().any(|name| is_name(line, name))) {
            if allowed.is_empty() || !line.contains(allowed) {
                found.push(format!("{}:{}: {}", path.display(), at + 1, line.trim()));
            }
        }
    }
    found
}

/// Whoever has to know something of a model asks for what its rules mean. So a model is added by its own file and its line
/// in the list.
#[test]
fn no_model_is_named_outside_its_definition() {
    let names: Vec<String> = Model::ALL.iter().map(|model| format!("Model::{model:?}")).collect();
    let found = naming("definitions", &names, "");
    assert!(found.is_empty(), "models are named outside their definitions:\n{}", found.join("\n"));
}

/// The same of algorithms. Comparisons choose one, whose steps they count.
#[test]
fn no_algorithm_is_named_outside_its_folder() {
    let names: Vec<String> = Algorithm::ALL.iter().map(|algorithm| format!("Algorithm::{algorithm:?}")).collect();
    let found = naming("algorithms", &names, "pub const ALGORITHM: Algorithm =");
    assert!(found.is_empty(), "algorithms are named outside their folders:\n{}", found.join("\n"));
}
