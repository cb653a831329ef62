//! How the house is built: who names what. A package of its own that needs no other, so that it is tested at once.

#![cfg(test)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The engine's floors, each above those before it, and the crate that users name.
fn floors() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let subjects = fs::read_dir(root.join("engine/subjects")).expect("there are subjects");
    let subjects = subjects.map(|subject| subject.expect("a folder can be listed").file_name());
    let mut subjects: Vec<_> = subjects.map(|name| format!("engine/subjects/{}/src", name.display())).collect();
    subjects.sort();
    let below = ["engine/core/src", "engine/explore/src", "engine/draw/src"].map(str::to_owned);
    let above = ["engine/labs/src", "engine/src"].map(str::to_owned);
    [&below[..], &subjects, &above].concat()
}

/// The sources of a folder that are no tests, each without its unit tests.
fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder)];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
            let path = entry.expect("a file can be listed").path();
            if path.is_dir() {
                folders.extend((!path.ends_with("tests") && !path.ends_with("testing")).then_some(path));
            } else if path.extension().is_some_and(|ending| ending == "rs")
                && !path.to_string_lossy().ends_with("tests.rs")
            {
                let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
                found.push((path, code.to_owned()));
            }
        }
    }
    assert!(!found.is_empty(), "{folder} has no files");
    found
}

/// Whether a line names one of a type's values: neither a function, nor what is said of all of them.
fn names_value(line: &str, of: &str) -> bool {
    line.split(&format!("{of}::")).skip(1).any(|rest| {
        let name = rest.split(|sign: char| !sign.is_alphanumeric() && sign != '_').next().unwrap_or_default();
        name.starts_with(char::is_uppercase) && !["ALL", "STRONGEST"].contains(&name)
    })
}

/// Where code outside a folder names a value of a type, but for one line that may.
fn naming(folder: &str, of: &str, allowed: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (path, text) in floors().iter().flat_map(|floor| sources(floor)).chain(sources("app/src")) {
        if path.components().any(|part| part.as_os_str() == folder) {
            continue;
        }
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
        for (at, line) in lines.filter(|(_, line)| names_value(line, of)) {
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
    let found = naming("definitions", "Model", "");
    assert!(found.is_empty(), "models are named outside their definitions:\n{}", found.join("\n"));
}

/// The same of algorithms. Comparisons choose one, whose steps they count.
#[test]
fn no_algorithm_is_named_outside_its_folder() {
    let found = naming("algorithms", "Algorithm", "pub const ALGORITHM: Algorithm =");
    assert!(found.is_empty(), "algorithms are named outside their folders:\n{}", found.join("\n"));
}

/// A file of the page as a module: `labs::beside::panel`; the crate's own is empty.
fn module(path: &Path) -> String {
    let parts = path.components().map(|part| part.as_os_str().to_string_lossy().into_owned());
    let parts: Vec<String> = parts.skip_while(|part| part != "src").skip(1).collect();
    match parts.join("::").trim_end_matches(".rs") {
        "lib" | "main" => String::new(),
        module => module.trim_end_matches("::mod").to_owned(),
    }
}

/// The paths of a use: `a::{b, c::{d as e}}` has `a::b` and `a::c::d`.
fn paths(tree: &str) -> Vec<String> {
    let Some((prefix, list)) = tree.split_once('{') else {
        return vec![tree.split(" as ").next().unwrap_or_default().trim().to_owned()];
    };
    let list = list.rsplit_once('}').map_or(list, |(list, _)| list);
    let (mut depth, mut start, mut found) = (0, 0, Vec::new());
    for (at, sign) in list.char_indices().chain([(list.len(), ',')]) {
        match sign {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                let inner = list[start..at].trim();
                found.extend(paths(inner).into_iter().filter(|path| !path.is_empty()));
                start = at + 1;
            }
            _ => {}
        }
    }
    found.into_iter().map(|path| format!("{}{path}", prefix.trim())).collect()
}

/// What the code of a module names by `crate::`, `super::` or `self::`, and those of its parts that it names without.
fn named(code: &str, parts: &[&str]) -> Vec<String> {
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let code = lines.collect::<Vec<_>>().join("\n");
    let is_name = |sign: char| sign.is_alphanumeric() || sign == '_' || sign == ':';
    // To be seen by a module is not to know it.
    let begins = |at: usize| !code[..at].ends_with(is_name) && !code[..at].ends_with("pub(in ");
    let mut found = Vec::new();
    for root in ["crate::", "super::", "self::"]
        .into_iter()
        .map(str::to_owned)
        .chain(parts.iter().map(|part| format!("{part}::")))
    {
        for (at, _) in code.match_indices(&root).filter(|(at, _)| begins(*at)) {
            let rest = &code[at..];
            let is_use = code[..at].ends_with("use ");
            let end = if is_use { rest.find(';') } else { rest.find(|sign| !is_name(sign)) };
            let own = if parts.iter().any(|part| root == format!("{part}::")) { "self::" } else { "" };
            found.extend(paths(&rest[..end.unwrap_or(rest.len())]).into_iter().map(|path| format!("{own}{path}")));
        }
    }
    found
}

/// The names that a module has from its parts for others, each with the part.
fn exported(code: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for (at, _) in code.match_indices("pub use ") {
        let rest = &code[at + "pub use ".len()..];
        for path in paths(&rest[..rest.find(';').unwrap_or(rest.len())]) {
            if let Some((part, name)) = path.trim_start_matches("self::").split_once("::") {
                let name = name.rsplit("::").next().unwrap_or(name);
                found.insert(name.to_owned(), part.to_owned());
            }
        }
    }
    found
}

/// Which modules of a folder each of them names, also by names that others have from these.
fn imports(folder: &str) -> BTreeMap<String, BTreeSet<String>> {
    let sources = sources(folder);
    let exports: BTreeMap<String, _> = sources.iter().map(|(path, code)| (module(path), exported(code))).collect();
    let modules: BTreeSet<String> = sources.iter().map(|(path, _)| module(path)).collect();
    let mut imports = BTreeMap::<String, BTreeSet<String>>::new();
    for (path, code) in &sources {
        let this = module(path);
        let part = |other: &str| {
            let below = if this.is_empty() { other } else { other.strip_prefix(&this)?.strip_prefix("::")? };
            (!below.is_empty() && !below.contains("::")).then(|| below.to_owned())
        };
        let parts: Vec<String> = modules.iter().filter_map(|other| part(other)).collect();
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        let here = imports.entry(this.clone()).or_default();
        for path in named(code, &parts) {
            let mut at: Vec<&str> = if path.starts_with("crate::") { Vec::new() } else { this.split("::").collect() };
            for step in path.split("::") {
                match step {
                    "crate" | "self" => {}
                    "super" => drop(at.pop()),
                    step => at.push(step),
                }
            }
            // The longest beginning that is a module, or the part of it that the next name is from.
            let known = (0..=at.len()).rev().find(|length| modules.contains(&at[..*length].join("::")));
            let target = known.map(|length| {
                let module = at[..length].join("::");
                let part = at.get(length).and_then(|name| exports.get(&module)?.get(*name));
                let inner = part.map(|part| if module.is_empty() { part.clone() } else { format!("{module}::{part}") });
                inner.filter(|inner| modules.contains(inner)).unwrap_or(module)
            });
            here.extend(target.filter(|target| *target != this && !target.is_empty()));
        }
    }
    imports
}

/// What can be reached from a module by its imports, without itself unless there is a circle.
fn reached(imports: &BTreeMap<String, BTreeSet<String>>, from: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut next: Vec<&String> = imports[from].iter().collect();
    while let Some(module) = next.pop() {
        if found.insert(module.clone()) {
            next.extend(&imports[module]);
        }
    }
    found
}

/// The room of a module of the page, and its lab if it is in one.
fn room(module: &str) -> (&str, &str) {
    let mut parts = module.split("::");
    (parts.next().unwrap_or_default(), parts.next().unwrap_or_default())
}

/// A module can be read, moved and tested with those that it names, and these do not lead back to it.
#[test]
fn no_modules_of_the_page_are_a_circle() {
    let imports = imports("app/src");
    let circles: Vec<&String> = imports.keys().filter(|module| reached(&imports, module).contains(*module)).collect();
    assert!(circles.is_empty(), "these modules of the page reach themselves: {circles:?}");
}

/// Modules of the engine whose own modules are rooms as well. All are of one floor.
const HOUSES: (&str, [&str; 4]) = (
    "engine/explore/src",
    [
        "explore",
        "explore::algorithms::trust",
        "explore::algorithms::trust::graph",
        "explore::algorithms::trust::consistency",
    ],
);

/// What each room of a house knows of the others. What the house itself has is a room, too, of no name; but a crate's own names are
/// everybody's, and so are those that `explore` hands on.
fn rooms(imports: &BTreeMap<String, BTreeSet<String>>, house: Option<&str>) -> BTreeMap<String, BTreeSet<String>> {
    let room = |module: &str| {
        let inner = match house {
            None => module,
            Some("explore") => module.strip_prefix("explore::")?,
            Some(house) if module == house => return Some(String::new()),
            Some(house) => module.strip_prefix(house)?.strip_prefix("::")?,
        };
        let room = room(inner).0;
        // What makes programs for tests is in no room.
        (!matches!(room, "" | "testing")).then(|| room.to_owned())
    };
    let mut rooms = BTreeMap::<String, BTreeSet<String>>::new();
    for (module, imports) in imports {
        let Some(here) = room(module) else { continue };
        let others = imports.iter().filter_map(|other| room(other)).filter(|other| *other != here);
        rooms.entry(here.clone()).or_default().extend(others);
    }
    let all: BTreeSet<String> = rooms.values().flatten().cloned().collect();
    for room in all {
        rooms.entry(room).or_default();
    }
    rooms
}

/// The modules of a crate are rooms, and so are those of [`HOUSES`]: `graph`, `model`. What a room knows leads nowhere back to it.
#[test]
fn no_rooms_of_the_engine_are_a_circle() {
    for floor in floors().iter().filter(|floor| *floor != "engine/src") {
        let imports = imports(floor);
        let houses = HOUSES.1.into_iter().filter(|_| floor == HOUSES.0).map(Some);
        for house in houses.chain([None]) {
            let rooms = rooms(&imports, house);
            let house = house.unwrap_or(floor);
            assert!(!rooms.is_empty(), "{house} has no rooms");
            let circles: Vec<&String> = rooms.keys().filter(|room| reached(&rooms, room).contains(*room)).collect();
            assert!(circles.is_empty(), "these rooms of {house} reach themselves: {circles:?}");
        }
    }
}

/// A subject can be read, changed and taken away without a look at the others.
#[test]
fn no_subject_names_another_one() {
    let subjects: Vec<String> = floors().into_iter().filter(|floor| floor.contains("/subjects/")).collect();
    assert!(subjects.len() >= 3);
    for subject in &subjects {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(subject).join("../Cargo.toml");
        let manifest = fs::read_to_string(&manifest).expect("a crate has a manifest");
        for other in subjects.iter().filter(|other| *other != subject) {
            let name = other.trim_start_matches("engine/subjects/").trim_end_matches("/src");
            assert!(!manifest.contains(&format!("litmoscope-{name}")), "{subject} names {name}");
        }
    }
}

/// Each room of the page knows only those above it in the list of `app/src/lib.rs`.
#[test]
fn rooms_of_the_page_know_only_those_above() {
    const ROOMS: [&str; 7] = ["browser", "ui", "worker", "document", "app", "labs", "shell"];
    let place = |module: &str| ROOMS.iter().position(|name| *name == room(module).0);
    for (module, imports) in imports("app/src").iter().filter(|(module, _)| !module.is_empty()) {
        let here = place(module).unwrap_or_else(|| panic!("{module} is in no room"));
        for other in imports {
            assert!(place(other).is_some_and(|there| there <= here), "{module} names {other}");
        }
    }
    // What shows things and what speaks to workers need nothing of each other.
    let apart = imports("app/src");
    let worker = apart.iter().filter(|(module, _)| room(module).0 == "worker");
    for (module, imports) in worker {
        assert!(imports.iter().all(|other| room(other).0 == "worker"), "{module} names {imports:?}");
    }
}

/// A lab can be added, loaded later or taken away without a look at the others.
#[test]
fn no_lab_names_another_one() {
    for (module, imports) in imports("app/src").iter().filter(|(module, _)| room(module).0 == "labs") {
        let (_, lab) = room(module);
        for other in imports.iter().filter(|other| room(other).0 == "labs" && !lab.is_empty()) {
            assert_eq!(room(other).1, lab, "{module} names {other}");
        }
    }
}

/// A lab's style sheets stand in its folder, and no other ones know of it.
#[test]
fn no_style_sheet_names_the_lab_of_another_folder() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut folders: Vec<PathBuf> = ["styles", "app/src"].map(|folder| root.join(folder)).into();
    let (mut sheets, mut count) = (0, 0);
    while let Some(folder) = folders.pop() {
        // What the folder is the lab of, if it is one: `labs/a/` of the labs in `labs/a.rs`.
        let own = fs::read_to_string(folder.with_extension("rs")).unwrap_or_default();
        for entry in fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
            let path = entry.expect("a file can be listed").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "css") {
                sheets += 1;
                let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                for lab in text.split("data-lab=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
                    let known = lab == "stepping" || own.contains(&format!("LabId(\"{lab}\")"));
                    assert!(known, "{} names the lab {lab}", path.display());
                    count += 1;
                }
            }
        }
    }
    assert!(sheets > 15 && count > 10, "{sheets} sheets name labs {count} times");
}

#[test]
fn values_are_told_from_what_else_a_type_has() {
    let lines = ["Model::SC", "Model::X86", "of(Model::SC, 1)", "Model::ALL[0]", "Model::parse(text)", "Model"];
    assert_eq!(lines.map(|line| names_value(line, "Model")), [true, true, true, false, false, false]);
}

#[test]
fn imports_are_found() {
    assert_eq!(paths("crate::a::{b, c::{d as e, f}}"), ["crate::a::b", "crate::a::c::d", "crate::a::c::f"]);
    let code = "use super::x;\n// use super::y;\npub(in super::v) let z = crate::a::b(part::w);";
    assert_eq!(named(code, &["part"]), ["crate::a::b", "super::x", "self::part::w"]);
    let imports = imports("app/src");
    let known = ["app", "labs::beside::panel", "worker::port"].map(|module| imports.contains_key(module));
    assert_eq!(known, [true; 3]);
    assert!(imports["labs::beside"].contains("labs::beside::panel"));
    assert!(imports["labs::beside::panel"].contains("worker::port"));
}
