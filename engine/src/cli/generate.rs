//! Making litmus tests.

use super::{Failure, budget, complain, is_over, print, tell};
use crate::Generate;
use litmoscope::generate::{Annotation, Dialect, Family, Generated, RelaxationEdge, generate, patterns};
use litmoscope::program::Notation;
use litmoscope::syntax::{self, Diagnostic};
use litmoscope::words;
use std::fs;
use std::io;
use std::ops::RangeInclusive;
use std::path::Path;

pub fn run(task: &Generate) -> Result<u8, Failure> {
    let notation = task.dialect;
    if task.vocabulary {
        let mut out = String::new();
        for edge in RelaxationEdge::vocabulary(notation) {
            out += &format!("{:12} {}\n", edge.to_string(), edge.description());
        }
        print(&out)?;
        return Ok(0);
    }
    let mut dialect = Dialect::from(notation);
    if let Some(default) = task.default {
        if dialect.is_x86() {
            return Err(Failure("x86's accesses are plain; --default is for C11 and Litmoscope".to_owned()));
        }
        if matches!(default, Annotation::Acquire | Annotation::Release | Annotation::Locked) {
            return Err(Failure("--default is na, rlx, ar (acquire reads and release writes) or sc".to_owned()));
        }
        dialect.unannotated = default;
    }
    if task.family {
        return family(task, dialect);
    }
    let cycle = task.cycle.join(" ");
    match generate(&cycle, dialect) {
        Ok(mut test) => {
            if let Some(name) = &task.name {
                test = renamed(&test, name, dialect)?;
            }
            match &task.output {
                Some(folder) => write(folder, &test, notation, task.force)?,
                None => print(&test.text)?,
            }
            Ok(0)
        }
        Err(errors) => {
            show("cycle", &cycle, &errors);
            Ok(2)
        }
    }
}

/// The same test with another name.
fn renamed(test: &Generated, name: &str, dialect: Dialect) -> Result<Generated, Failure> {
    if name.trim().is_empty() || name.chars().any(char::is_control) {
        return Err(Failure("a name must be one line of text".to_owned()));
    }
    test.cycle.generate_named(dialect, name).map_err(|problem| Failure(problem.message))
}

/// Prints messages on a cycle or its edges.
fn show(what: &str, text: &str, errors: &[Diagnostic]) {
    tell(&syntax::render(text, what, errors));
}

fn family(task: &Generate, dialect: Dialect) -> Result<u8, Failure> {
    let (default_edges, default_modes) = Family::default_edges(dialect.notation);
    let words = task.edges.as_deref().unwrap_or(default_edges);
    let edges = match patterns(words) {
        Ok(edges) => edges,
        Err(errors) => {
            show("--edges", words, &errors);
            return Ok(2);
        }
    };
    let modes = match &task.modes {
        Some(modes) => modes.clone(),
        None if task.edges.is_none() && task.default.is_none() => default_modes,
        None => Vec::new(),
    };
    let family = Family::new(&edges, &modes, dialect, task.length.0.clone(), task.threads.0.clone(), !task.free)
        .map_err(|error| Failure(format!("{}; {}", error.message, error.help)))?;
    let mut cycles = family.cycles();
    let mut made: u64 = 0;
    let mut more = false;
    let mut budget = budget(task.timeout)?;
    for cycle in cycles.by_ref() {
        if is_over(&mut budget) {
            complain(&format!("stopped after {}, but there may be more", words::count(made, "test")));
            return Ok(3);
        }
        if made == task.limit {
            more = true;
            break;
        }
        made += 1;
        if task.count {
            continue;
        }
        let test = cycle.generate(dialect).map_err(|problem| Failure(problem.message))?;
        match &task.output {
            Some(folder) => write(folder, &test, dialect.notation, task.force)?,
            None => print(&format!("{}{}", if made == 1 { "" } else { "\n" }, test.text))?,
        }
    }
    let tests = words::count(made, "test");
    if task.count {
        print(&format!("{}{tests}\n", if more { "more than " } else { "" }))?;
    } else if let Some(folder) = &task.output {
        print(&format!("{tests} in {}\n", folder.display()))?;
    }
    if more {
        complain(&format!(
            "stopped after {tests}, but there are more: raise --limit, or choose fewer edges or \
                           lengths"
        ));
        return Ok(3);
    }
    if cycles.gave_up() {
        complain("stopped: the last ten million cycles were no tests, so there may be more; choose other edges");
        return Ok(3);
    }
    if made == 0 {
        complain("these edges form no cycle of that length through that many threads");
    }
    Ok(0)
}

/// Writes a test to a file of its name. A file that is there already is an error, unless it holds the same.
fn write(folder: &Path, test: &Generated, notation: Notation, force: bool) -> Result<(), Failure> {
    let ending = if notation == Notation::Litmoscope { "lit" } else { "litmus" };
    let stem: String =
        test.program.name.chars().map(|c| if c.is_alphanumeric() || "+-._".contains(c) { c } else { '_' }).collect();
    let path = folder.join(format!("{stem}.{ending}"));
    let cannot = |error: io::Error| Failure(format!("cannot write {}: {error}", path.display()));
    fs::create_dir_all(folder).map_err(cannot)?;
    match fs::read(&path) {
        Ok(before) if before == test.text.as_bytes() => return Ok(()),
        Ok(_) if !force => {
            let message = format!("{} exists and has other content; --force overwrites it", path.display());
            return Err(Failure(message));
        }
        _ => {}
    }
    fs::write(&path, &test.text).map_err(cannot)
}

/// A number or two with `..` between, both included.
#[derive(Clone, Debug)]
pub struct Numbers(pub RangeInclusive<usize>);

impl std::str::FromStr for Numbers {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number =
            |text: &str| text.trim().parse::<usize>().map_err(|_| "write a number, or two as in 2..4".to_owned());
        match text.split_once("..") {
            Some((from, to)) => Ok(Self(number(from)?..=number(to.trim_start_matches('='))?)),
            None => number(text).map(|n| Self(n..=n)),
        }
    }
}

/// The names of herd's dialects, and our own.
pub fn dialect(text: &str) -> Result<Notation, String> {
    match text {
        "litmoscope" => Ok(Notation::Litmoscope),
        "c11" | "c" | "C" => Ok(Notation::C11),
        "x86" => Ok(Notation::X86),
        "x86_64" => Ok(Notation::X86_64),
        _ => Err("dialects are litmoscope, c11, x86 and x86_64".to_owned()),
    }
}
