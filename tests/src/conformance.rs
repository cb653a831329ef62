//! What is known of litmus tests from other tools, and whether we say the same.
//!
//! There are two sources. A folder of tests with the answers that an independent simulator gives is not part of the
//! project: it is the one that `LITMOSCOPE_CONFORMANCE` names (none if that is empty), or else `shared/conformance` next to
//! the workspace. The table in `generated.tsv` is, and has what is known of those of its tests that are made from cycles;
//! the tests are made again.

use litmoscope::explore::{Algorithm, Fault, Options, Pause, Results, Step, Work};
use litmoscope::generate::{Annotation, Cycle, Dialect};
use litmoscope::model::Model;
use litmoscope::program::{Code, Notation, Observable, Program};
use litmoscope::syntax::{parse, render};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fmt;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The table of generated tests.
const TABLE: &str = include_str!("../generated.tsv");

/// Why there is no folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoFolder {
    /// Nobody said that there is one: what needs it is left out.
    Absent(String),
    /// One is named that is not there: what needs it fails.
    Missing(String),
}

impl fmt::Display for NoFolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Absent(why) | Self::Missing(why)) = self;
        f.write_str(why)
    }
}

/// The folder.
///
/// # Errors
/// Why there is none.
pub fn folder() -> Result<PathBuf, NoFolder> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("this crate is in a workspace");
    find_folder(std::env::var_os("LITMOSCOPE_CONFORMANCE"), workspace)
}

/// The folder that is named, or else the one next to the workspace. An empty name says that there is to be none.
fn find_folder(named: Option<OsString>, workspace: &Path) -> Result<PathBuf, NoFolder> {
    let Some(name) = named else {
        let folder = workspace.with_file_name("shared").join("conformance");
        return if folder.is_dir() { Ok(folder) } else { Err(NoFolder::Absent(no_folder(&folder))) };
    };
    if name.is_empty() {
        return Err(NoFolder::Absent("LITMOSCOPE_CONFORMANCE is empty".to_owned()));
    }
    let folder = workspace.join(name);
    if folder.is_dir() {
        return Ok(folder);
    }
    Err(NoFolder::Missing(format!("{}, which LITMOSCOPE_CONFORMANCE names", no_folder(&folder))))
}

fn no_folder(folder: &Path) -> String {
    format!("there is no folder {}", folder.display())
}

/// What another tool says of a test under a model: a line of the folder's `expected.jsonl`.
#[derive(Clone, Debug, Deserialize)]
pub struct Expected {
    /// The test's path in the folder.
    pub test: String,
    /// The model's name.
    pub model: String,
    /// Whether the final condition's proposition holds in `Always`, `Sometimes` or `Never`.
    pub observation: String,
    /// Whether some execution has a race.
    #[serde(default)]
    pub race: bool,
    /// Consistent executions, those that differ in co alone counted one by one.
    pub executions: u64,
    /// Final states, as `0:r0=1; [x]=2;`.
    pub states: Vec<String>,
}

/// All that is expected of the folder's tests.
///
/// # Panics
/// If the file is missing or is not what it should be.
pub fn expected(folder: &Path) -> Vec<Expected> {
    let path = folder.join("expected.jsonl");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().map(|line| serde_json::from_str(line).expect("a line of the table")).collect()
}

/// A final state: `0:r0=1;`, `[x]=2;` and so on.
pub type State = BTreeSet<String>;

/// What exploring a program says.
pub struct Found {
    /// All final states.
    pub states: BTreeSet<State>,
    /// The rest.
    pub answer: Answer,
}

/// What is known of a test under a model, without the states themselves. Written as in `S4/3r`: the observation's first
/// letter, executions, final states, and `r` for a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// `A`lways, `S`ometimes or `N`ever.
    pub observation: char,
    /// Consistent executions, those that differ in co alone counted one by one.
    pub executions: u64,
    /// Final states.
    pub states: usize,
    /// Whether some execution has a race.
    pub race: bool,
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}/{}{}", self.observation, self.executions, self.states, if self.race { "r" } else { "" })
    }
}

impl FromStr for Answer {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bad = || format!("`{text}` is no answer");
        let (numbers, race) = match text.strip_suffix('r') {
            Some(numbers) => (numbers, true),
            None => (text, false),
        };
        let observation = numbers.chars().next().filter(|c| "ASN".contains(*c)).ok_or_else(bad)?;
        let (executions, states) = numbers[1..].split_once('/').ok_or_else(bad)?;
        let executions = executions.parse().map_err(|_| bad())?;
        let states = states.parse().map_err(|_| bad())?;
        Ok(Self { observation, executions, states, race })
    }
}

impl Expected {
    /// What is expected, without the states.
    pub fn answer(&self) -> Answer {
        Answer {
            observation: self.observation.chars().next().unwrap_or(' '),
            executions: self.executions,
            states: self.states().len(),
            race: self.race,
        }
    }

    /// What is expected of the test that we make from a cycle. In one location, diy asks for the final value that comes
    /// last in the text, and so for less than the cycle; ours asks for the last in coherence order, which never is.
    #[must_use]
    pub fn of_cycle(&self, cycle: &Cycle) -> Self {
        let observation = if cycle.locations() == 1 { "Never".to_owned() } else { self.observation.clone() };
        Self { observation, ..self.clone() }
    }

    fn states(&self) -> BTreeSet<State> {
        self.states.iter().map(|state| state.split_whitespace().map(str::to_owned).collect()).collect()
    }
}

/// Explores a program with GenMC, as fast as can be with TruSt, and under models with machines with RF-SMC, which have to
/// agree.
///
/// # Errors
/// Why it can't be explored, or what they disagree about.
pub fn explore(program: &Program, model: Model) -> Result<Found, String> {
    let code = Arc::new(Code::compile(program).map_err(|error| error.to_string())?);
    let (found, plain) = step_through(program, &code, model, Algorithm::Genmc)?;
    for algorithm in [Algorithm::Trust, Algorithm::TrustCo] {
        let walked = walk(program, &code, model, algorithm);
        // Plain executions are as many as GenMC has visited.
        let executions = if algorithm.tracks_co() { found.answer.executions } else { plain };
        let same = walked.states == found.states && walked.answer == Answer { executions, ..found.answer };
        if !same {
            let title = algorithm.title();
            return Err(format!("{title} says {}, GenMC {}, or other states", walked.answer, found.answer));
        }
    }
    if Algorithm::RfSmc.knows(model) {
        let (runs, classes) = step_through(program, &code, model, Algorithm::RfSmc)?;
        if (runs.states != found.states) || (&runs.answer, classes) != (&found.answer, plain) {
            return Err(format!(
                "RF-SMC says {} ({classes} classes), GenMC {}, or other states",
                runs.answer, found.answer
            ));
        }
    }
    Ok(found)
}

/// What an algorithm finds in a program step by step, and in how many plain executions.
fn step_through(
    program: &Program,
    code: &Arc<Code>,
    model: Model,
    algorithm: Algorithm,
) -> Result<(Found, u64), String> {
    let explorer = algorithm.explorer(Arc::clone(code), model, Options::default());
    let mut explorer = explorer.map_err(|error| error.to_string())?;
    let mut results = Results::new(program);
    let (mut executions, mut race) = (0, false);
    loop {
        let step = explorer.advance();
        results.observe(program, code, model, &*explorer, step);
        match step {
            Step::Execution { .. } => executions += model.coherence_count(explorer.execution()),
            Step::Race { .. } => race = true,
            Step::Done => break,
            _ => {}
        }
    }
    Ok((found(program, &results, executions, race), explorer.counts().executions()))
}

/// What an algorithm finds in a program if nobody looks at its steps.
fn walk(program: &Program, code: &Arc<Code>, model: Model, algorithm: Algorithm) -> Found {
    let shared = Arc::new(program.clone());
    let walk = algorithm.walk(Arc::clone(code), shared, model, Options::default(), &Work::default());
    let mut walk = walk.expect("it has walks");
    while walk.run(u64::MAX) == Pause::Steps {}
    let findings = walk.take_findings();
    let race = findings.results.faults().any(|(fault, _)| matches!(fault, Fault::DataRace(..)));
    found(program, &findings.results, findings.counts.executions(), race)
}

/// Results as the other tools give them.
fn found(program: &Program, results: &Results, executions: u64, race: bool) -> Found {
    let names: Vec<_> = results.observables().iter().map(|&observable| herd_name(program, observable)).collect();
    let state = |values: &[i64]| -> State {
        names.iter().zip(values).map(|(name, value)| format!("{name}={value};")).collect()
    };
    let states: BTreeSet<_> = results.outcomes().map(|(values, _)| state(values)).collect();
    let satisfied = results.outcomes().filter(|(_, outcome)| outcome.satisfies == Some(true)).count();
    let observation = match satisfied {
        0 => 'N',
        n if n == results.outcomes().len() => 'A',
        _ => 'S',
    };
    let answer = Answer { observation, executions, states: states.len(), race };
    Found { states, answer }
}

/// herd's name of a part of a final state: `0:r0`, `[x]`.
fn herd_name(program: &Program, observable: Observable) -> String {
    let name = program.observable_name(observable);
    match observable {
        Observable::Register { .. } => name.trim_start_matches('P').to_owned(),
        Observable::Location { .. } => format!("[{name}]"),
    }
}

/// Whether a program ends as expected.
///
/// # Errors
/// What is different.
pub fn compare(program: &Program, expected: &Expected) -> Result<(), String> {
    let model: Model = expected.model.parse().map_err(|error| format!("{error}"))?;
    let found = explore(program, model)?;
    let wanted = expected.states();
    if found.states != wanted {
        return Err(format!("final states {:?}, but {wanted:?} expected", found.states));
    }
    if found.answer != expected.answer() {
        return Err(format!("{}, but {} expected", found.answer, expected.answer()));
    }
    Ok(())
}

/// The program of a file of the folder, and its text.
///
/// # Errors
/// That it can't be read, or what is wrong with it.
pub fn read(folder: &Path, test: &str) -> Result<(Program, String), String> {
    let text = std::fs::read_to_string(folder.join(test)).map_err(|error| error.to_string())?;
    let program = parse(&text).map_err(|errors| render(&text, test, &errors))?.program;
    Ok((program, text))
}

/// The cycle that a test of the folder is made from, if its text says so.
pub fn cycle_of(text: &str) -> Option<&str> {
    text.lines().find_map(|line| line.strip_prefix("Orig="))
}

/// The dialect of the folder's cycles: an event without an annotation is plain there.
pub fn dialect_of(notation: Notation) -> Dialect {
    Dialect { unannotated: Annotation::Plain, ..Dialect::from(notation) }
}

/// The folder in which a test is.
pub fn family_of(test: &str) -> &str {
    test.rsplit_once('/').map_or("", |(family, _)| family)
}

/// A test of the table.
pub struct TableTest {
    /// The family it belongs to.
    pub family: &'static str,
    /// The notation it is made in.
    pub notation: Notation,
    /// Its cycle.
    pub cycle: &'static str,
    /// What is known of it.
    pub answers: Vec<(Model, Answer)>,
}

/// The tests of the table. It is made of families, each with a line `family models...` behind a `>`, and below it a line
/// for each test, its cycle and the answers for the models, with tabs between.
///
/// # Panics
/// If the table is not like that.
pub fn table() -> Vec<TableTest> {
    let mut tests = Vec::new();
    let (mut family, mut models) = ("", Vec::new());
    for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
        if let Some(header) = line.strip_prefix("> ") {
            let mut words = header.split(' ');
            family = words.next().expect("a family");
            models = words.map(|model| model.parse::<Model>().expect("a model")).collect();
            continue;
        }
        let mut fields = line.split('\t');
        let cycle = fields.next().expect("a cycle");
        let answers: Vec<Answer> = fields.map(|field| field.parse().expect("an answer")).collect();
        assert_eq!(answers.len(), models.len(), "{line}");
        let notation = match family.split('/').next() {
            Some("c11") => Notation::C11,
            Some("x86") => Notation::X86,
            Some("x86_64") => Notation::X86_64,
            _ => panic!("{family} is in no dialect"),
        };
        let answers = models.iter().copied().zip(answers).collect();
        tests.push(TableTest { family, notation, cycle, answers });
    }
    tests
}

impl TableTest {
    /// Makes the test and explores it under each model: what is different.
    pub fn failures(&self) -> Vec<String> {
        let program = Cycle::parse(self.cycle)
            .map_err(|errors| render(self.cycle, "cycle", &errors))
            .and_then(|cycle| cycle.program(dialect_of(self.notation)).map_err(|problem| problem.to_string()));
        let check = |(model, expected): &(Model, Answer)| -> Result<(), String> {
            let found = explore(program.as_ref().map_err(String::clone)?, *model)?.answer;
            if found == *expected { Ok(()) } else { Err(format!("{found}, but {expected} expected")) }
        };
        let failed = self.answers.iter().filter_map(|answer| check(answer).err().map(|error| (answer.0, error)));
        failed.map(|(model, error)| format!("{} {} under {model}: {error}", self.family, self.cycle)).collect()
    }
}

/// The table's text, from the folder.
///
/// # Panics
/// If the folder is not what it should be.
pub fn table_text(folder: &Path) -> String {
    let mut tests: BTreeMap<String, Vec<Expected>> = BTreeMap::new();
    for expected in expected(folder) {
        tests.entry(expected.test.clone()).or_default().push(expected);
    }
    let mut text = "# What is known of tests made from cycles: a family and its models, then a line a test: the cycle, and\n\
                    # for each model the observation (Always, Sometimes, Never), executions with co, final states, races.\n"
        .to_owned();
    let mut header = String::new();
    for (test, answers) in &tests {
        let (_, content) = read(folder, test).unwrap_or_else(|error| panic!("{test}: {error}"));
        let Some(cycle) = cycle_of(&content) else { continue };
        let parsed = Cycle::parse(cycle).unwrap_or_else(|errors| panic!("{}", render(cycle, test, &errors)));
        let models: Vec<&str> = answers.iter().map(|expected| expected.model.as_str()).collect();
        let wanted = format!("> {} {}\n", family_of(test), models.join(" "));
        if header != wanted {
            header = wanted;
            text += &header;
        }
        let answers: Vec<String> =
            answers.iter().map(|expected| expected.of_cycle(&parsed).answer().to_string()).collect();
        text += &format!("{cycle}\t{}\n", answers.join("\t"));
    }
    text
}

/// What a family's tests came to.
#[derive(Default)]
pub struct Row {
    /// Tests.
    pub tests: usize,
    /// Models, by name.
    pub models: BTreeSet<String>,
    /// Tests under models.
    pub runs: usize,
    /// What differs from what is expected.
    pub failures: Vec<String>,
}

/// All tests of the folder, by family.
pub fn run_folder(folder: &Path) -> BTreeMap<String, Row> {
    let all = expected(folder);
    let failures = in_parallel(&all, |expected| {
        let result = read(folder, &expected.test).and_then(|(program, _)| compare(&program, expected));
        result.err().map(|failure| format!("{} under {}: {failure}", expected.test, expected.model))
    });
    let mut rows: BTreeMap<String, Row> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for (expected, failure) in all.iter().zip(failures) {
        let row = rows.entry(family_of(&expected.test).to_owned()).or_default();
        row.tests += usize::from(seen.insert(&expected.test));
        row.models.insert(expected.model.clone());
        row.runs += 1;
        row.failures.extend(failure);
    }
    rows
}

/// All tests of the table, by family.
pub fn run_table() -> BTreeMap<String, Row> {
    let all = table();
    let failures = in_parallel(&all, TableTest::failures);
    let mut rows: BTreeMap<String, Row> = BTreeMap::new();
    for (test, failures) in all.iter().zip(failures) {
        let row = rows.entry(test.family.to_owned()).or_default();
        row.tests += 1;
        row.models.extend(test.answers.iter().map(|(model, _)| model.name().to_owned()));
        row.runs += test.answers.len();
        row.failures.extend(failures);
    }
    rows
}

/// The function's results, computed on all cores, in order.
pub fn in_parallel<T: Sync, R: Send>(items: &[T], function: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else { return done };
            done.push((at, function(item)));
        }
    };
    let mut results: Vec<(usize, R)> = thread::scope(|scope| {
        let workers = thread::available_parallelism().map_or(1, NonZero::get);
        let handles: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        handles.into_iter().flat_map(|handle| handle.join().expect("a test panicked")).collect()
    });
    results.sort_unstable_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_folder_that_nobody_names_may_be_absent() {
        // A workspace that has nothing beside it, and one with a folder.
        let nothing = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/bin");
        let absent = find_folder(None, &nothing);
        assert!(matches!(&absent, Err(NoFolder::Absent(why)) if why.contains("shared/conformance")), "{absent:?}");
        assert!(matches!(find_folder(Some(OsString::new()), &nothing), Err(NoFolder::Absent(_))));
        let missing = find_folder(Some("nowhere".into()), &nothing);
        assert!(matches!(&missing, Err(NoFolder::Missing(why)) if why.contains("src/bin/nowhere")), "{missing:?}");
        assert_eq!(find_folder(Some("bench".into()), &nothing), Ok(nothing.join("bench")));
    }
}
