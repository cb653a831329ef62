//! `litmoscope run`

use super::input::read_text;
use super::progress::{Progress, Wanted};
use super::save::replace;
use super::subject::{Followed, Subject, Unread};
use super::{Failure, on_interrupt, print};
use crate::{Run, What};
use litmoscope::budget::Stop;
use litmoscope::compare::{Asker, ComparisonBounds, OutcomeQuestion};
use litmoscope::explore::{Algorithm, Counts, Verdict};
use litmoscope::labs::why_not::{WhyNotReport, why_not_text};
use litmoscope::model::Model;
use litmoscope::report::{
    Detail, Difference, Logged, Observation, Report, Unfinished, fault_sentence, herd_text, outcome_of, read_log,
};
use litmoscope::run::{Exploration, Interruption, Outcome, RunBounds, Status};
use litmoscope::session::{Settings, link};
use litmoscope::syntax::{Diagnostic, Severity};
use litmoscope::words::{count, grouped};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Files that are tests.
const ENDINGS: [&str; 2] = ["lit", "litmus"];
/// How deep folders may lie in each other.
const MAX_DEPTH: usize = 64;
/// How often a test looks whether its time is up.
const TICK: Duration = Duration::from_millis(10);
/// Of how many states that differ it is said why.
const EXPLAINED: usize = 3;
/// How many bytes what a tool has printed may have.
const MAX_LOG: usize = 1 << 28;

/// What came of a test.
struct Row {
    file: String,
    test: String,
    result: Result<Ran, String>,
}

struct Ran {
    model: Model,
    algorithm: Algorithm,
    verdict: Verdict,
    observation: Option<Observation>,
    states: usize,
    executions: u64,
    seconds: f64,
    /// As herd prints it.
    herd: String,
    /// Errors, and what else is wrong.
    faults: Vec<String>,
    /// What of the text is read as something else, or left out.
    warnings: Vec<String>,
    /// How it differs from what was expected; `None` if nothing was.
    difference: Option<Difference>,
    /// Why, in texts of several lines.
    reasons: Vec<String>,
    link: Option<String>,
}

impl Row {
    /// In a word.
    fn status(&self) -> &'static str {
        match &self.result {
            Err(_) => "unreadable",
            Ok(ran) => match (&ran.difference, ran.verdict) {
                _ if !ran.faults.is_empty() && ran.difference.is_none() => "violated",
                (_, Verdict::Bounded) => "bounded",
                (Some(difference), _) if difference.is_empty() => "agrees",
                (Some(_), _) => "differs",
                (None, Verdict::Ok) => "ok",
                (None, _) => "violated",
            },
        }
    }
}

pub fn run(task: &Run) -> Result<u8, Failure> {
    let tests = tests(&task.paths)?;
    if tests.is_empty() {
        return Err(Failure("there are no tests: a test is a file that ends in .lit or .litmus".to_owned()));
    }
    let mut logged: BTreeMap<String, Logged> = BTreeMap::new();
    for path in &task.log {
        let (_, text) = read_text(path, MAX_LOG)?;
        logged.extend(read_log(&text).into_iter().map(|one| (one.test.clone(), one)));
    }
    let stop = on_interrupt()?;
    let cores = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let threads = task.threads.and_then(|threads| NonZeroUsize::new(threads as usize)).unwrap_or(cores);
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let rows: Mutex<Vec<Option<Row>>> = Mutex::new(tests.iter().map(|_| None).collect());
    let work = || {
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(path) = tests.get(place).filter(|_| !stop.is_told()) else { return };
            let row = row(task, path, &logged, &stop);
            done.fetch_add(1, Ordering::Relaxed);
            rows.lock().unwrap_or_else(PoisonError::into_inner)[place] = Some(row);
        }
    };
    let wanted = if task.json { Wanted::Nowhere } else { Wanted::OnTerminals };
    let mut progress = Progress::new(wanted, Counts::default());
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.get().min(tests.len())).map(|_| scope.spawn(work)).collect();
        while workers.iter().any(|worker| !worker.is_finished()) {
            thread::sleep(TICK);
            if progress.is_due() {
                let done = grouped(done.load(Ordering::Relaxed) as u64);
                progress.say(&format!("{done} of {}", count(tests.len() as u64, "test")));
            }
        }
    });
    let seconds = progress.finish().as_secs_f64();
    let rows = rows.into_inner().unwrap_or_else(PoisonError::into_inner);
    let left = rows.iter().filter(|row| row.is_none()).count();
    let rows: Vec<Row> = rows.into_iter().flatten().collect();
    print(&if task.json {
        json(&rows)?
    } else if task.herd {
        herd(&rows)
    } else {
        table(&rows, left, seconds)
    })?;
    if let Some(file) = &task.junit {
        replace(file, junit(&rows, seconds).as_bytes())?;
    }
    let has = |status: &str| rows.iter().any(|row| row.status() == status);
    Ok(match () {
        () if has("unreadable") => 2,
        () if has("differs") || has("violated") => 1,
        () if has("bounded") || left > 0 => 3,
        () => 0,
    })
}

/// The tests among some paths: files as they are, of folders those that are tests, in the order of their names.
fn tests(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut all = Vec::new();
    for path in paths {
        if path.is_dir() {
            add_tests(path, 0, &mut all)?;
        } else {
            all.push(path.clone());
        }
    }
    Ok(all)
}

fn add_tests(folder: &Path, depth: usize, all: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let refuse = |error: std::io::Error| Failure(format!("cannot read the folder {}: {error}", folder.display()));
    if depth > MAX_DEPTH {
        let message = format!("folders are nested more than {MAX_DEPTH} deep: {}", folder.display());
        return Err(Failure(message));
    }
    let entries: Result<Vec<_>, _> = std::fs::read_dir(folder).map_err(refuse)?.collect();
    let mut entries: Vec<PathBuf> = entries.map_err(refuse)?.into_iter().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        // Links may lead in circles.
        let is_link = path.symlink_metadata().is_ok_and(|about| about.is_symlink());
        let is_test = path.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known));
        if path.is_dir() && !is_link {
            add_tests(&path, depth + 1, all)?;
        } else if is_test && path.is_file() {
            all.push(path);
        }
    }
    Ok(())
}

/// What is expected of a test: what stands in the file beside it, or else in a log.
fn expected(path: &Path, test: &str, logged: &BTreeMap<String, Logged>) -> Result<Option<Logged>, Failure> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".expected");
    for file in [PathBuf::from(beside), path.with_extension("expected")] {
        if file.is_file() {
            let (name, text) = read_text(&file, MAX_LOG)?;
            let all = read_log(&text);
            let own = all.iter().find(|one| one.test == test).or(all.first()).cloned();
            return own
                .map(Some)
                .ok_or_else(|| Failure(format!("{name}: this is not what herd or litmus prints about a test")));
        }
    }
    Ok(logged.get(test).cloned())
}

fn row(task: &Run, path: &Path, logged: &BTreeMap<String, Logged>, stop: &Stop) -> Row {
    let file = path.display().to_string();
    let stem = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    match ran(task, path, logged, stop) {
        Ok((test, ran)) => Row { file, test, result: Ok(ran) },
        Err(message) => Row { file, test: stem, result: Err(message) },
    }
}

fn ran(task: &Run, path: &Path, logged: &BTreeMap<String, Logged>, stop: &Stop) -> Result<(String, Ran), String> {
    let what = What {
        file: path.to_owned(),
        model: task.model,
        algorithm: task.algorithm,
        how: task.how.clone(),
        symmetry: false,
        preemptions: None,
        contexts: None,
        mailbox: None,
        parameters: Vec::new(),
    };
    let said =
        |about: &Diagnostic| format!("line {}, column {}: {}", about.span.line, about.span.column, about.message);
    let (mut subject, notes) =
        Subject::attempt(&what, what.options(), Followed::Executions).map_err(|unread| match unread {
            Unread::Failed(Failure(message)) => message,
            Unread::Wrong(_, wrong) => wrong.first().map(said).unwrap_or_default(),
        })?;
    if task.herd {
        subject.count_with_co(task.algorithm);
    }
    let (start, timeout) = (Instant::now(), task.timeout);
    let mut watch = |_: &Status| {
        if stop.is_told() {
            Some(Interruption::Signal)
        } else {
            (start.elapsed() >= timeout).then_some(Interruption::Timeout)
        }
    };
    let bounds = RunBounds { threads: NonZeroUsize::MIN, tick: TICK, ..RunBounds::default() };
    let Outcome { parts, interruption } =
        subject.explore(bounds, start + timeout, &mut watch).map_err(|failure| failure.0)?;
    let settled = parts.settled();
    let findings = parts.findings(subject.nothing());
    let unfinished = interruption.map(|reason| Unfinished { reason, estimate: None });
    let report = subject.report(&findings, start.elapsed().as_secs_f64(), unfinished);
    let expected = expected(path, subject.name(), logged).map_err(|Failure(message)| message)?;
    let verdict = report.verdict();
    let is_whole = verdict != Verdict::Bounded && report.unfinished.is_none();
    let difference = expected.filter(|_| is_whole).map(|logged| Difference::new(&report, &logged));
    let differs = difference.as_ref().filter(|difference| !difference.is_empty());
    let reasons =
        differs.filter(|_| task.explain).map_or_else(Vec::new, |differs| reasons(&subject, &report, differs, task));
    let shown = findings.violation.as_ref().or(findings.witness.as_ref()).or(findings.first.as_ref());
    let position = shown.map_or(0, |moment| moment.position);
    let position = if settled.is_none_or(|settled| position <= settled) { position } else { 0 };
    let base = task.link.as_ref().filter(|_| differs.is_some() || verdict == Verdict::Violated);
    let link = base.map(|base| {
        let Subject { model, algorithm, options, .. } = subject;
        let settings = Settings { text: subject.input.text.clone(), model, algorithm, options, position };
        format!("{}{}", base.split('#').next().unwrap_or_default(), link::encode(&settings))
    });
    let ran = Ran {
        model: subject.model,
        algorithm: subject.algorithm,
        verdict,
        observation: report.program.condition.as_ref().map(|_| report.observation()),
        states: report.outcomes().len(),
        executions: findings.counts.executions(),
        seconds: report.seconds,
        herd: herd_text(&report),
        faults: findings.results.faults().map(|(fault, _)| fault_sentence(&subject.program, fault)).collect(),
        warnings: notes.iter().filter(|note| note.severity == Severity::Warning).map(said).collect(),
        difference,
        reasons,
        link,
    };
    Ok((subject.name().to_owned(), ran))
}

/// Why states are allowed that were not expected, and why those are not that were.
fn reasons(subject: &Subject, report: &Report, difference: &Difference, task: &Run) -> Vec<String> {
    let program = &subject.program;
    let of_states = difference.states.iter().take(EXPLAINED).filter_map(|stray| {
        let outcome = outcome_of(report, &stray.state)?;
        OutcomeQuestion::parse(program, &outcome).ok()
    });
    let mut questions: Vec<OutcomeQuestion> = of_states.collect();
    if questions.is_empty() {
        questions.extend(OutcomeQuestion::of_condition(program));
    }
    let answer = |question: OutcomeQuestion| {
        let (code, options) = (Arc::clone(&subject.code), task.how.options());
        let why_not = Asker::new(program, code, &question, subject.model, options, ComparisonBounds::default()).ask();
        let report = WhyNotReport {
            name: report.name,
            program,
            question: &question.text(program),
            observables: &question.observables(program),
            why_not: &why_not,
        };
        why_not_text(&report, Detail::Brief)
    };
    questions.into_iter().map(answer).collect()
}

/// What a row is about beside its numbers.
fn remarks(row: &Row) -> Vec<String> {
    match &row.result {
        Err(message) => vec![message.clone()],
        Ok(ran) => {
            let differences = ran.difference.iter().flat_map(Difference::sentences);
            ran.faults.iter().cloned().chain(differences).chain(ran.warnings.iter().cloned()).collect()
        }
    }
}

fn table(rows: &[Row], left: usize, seconds: f64) -> String {
    let head = ["test", "model", "result", "observation", "states", "executions", "seconds"].map(str::to_owned);
    let cells = |row: &Row| {
        let status = row.status().to_owned();
        match &row.result {
            Err(_) => {
                [row.test.clone(), String::new(), status, String::new(), String::new(), String::new(), String::new()]
            }
            Ok(ran) => [
                row.test.clone(),
                ran.model.name().to_owned(),
                status,
                ran.observation.map_or("", Observation::name).to_owned(),
                grouped(ran.states as u64),
                grouped(ran.executions),
                format!("{:.3}", ran.seconds),
            ],
        }
    };
    let all: Vec<[String; 7]> = std::iter::once(head).chain(rows.iter().map(cells)).collect();
    let width = |column: usize| all.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..7).map(width).collect();
    let mut out = String::new();
    for (place, cells) in all.iter().enumerate() {
        let mut line = String::new();
        for (column, (cell, width)) in cells.iter().zip(&widths).enumerate() {
            // Numbers on the right.
            let _ = if column < 4 { write!(line, "{cell:width$}  ") } else { write!(line, "{cell:>width$}  ") };
        }
        let _ = writeln!(out, "{}", line.trim_end());
        let Some(row) = place.checked_sub(1).and_then(|place| rows.get(place)) else { continue };
        for remark in remarks(row) {
            let _ = writeln!(out, "    {remark}");
        }
        let Ok(ran) = &row.result else { continue };
        for reason in &ran.reasons {
            for line in reason.trim_end().lines() {
                let _ = writeln!(out, "    {line}");
            }
        }
        if let Some(link) = &ran.link {
            let _ = writeln!(out, "    {link}");
        }
    }
    let of = |status: &str| rows.iter().filter(|row| row.status() == status).count() as u64;
    let parts = ["agrees", "differs", "ok", "violated", "bounded", "unreadable"].map(|status| (status, of(status)));
    let parts =
        parts.into_iter().filter(|(_, many)| *many > 0).map(|(status, many)| format!("{} {status}", grouped(many)));
    let parts: Vec<String> = parts.collect();
    let tests = count(rows.len() as u64, "test");
    let _ = writeln!(out, "\n{tests} in {seconds:.3} s: {}", parts.join(", "));
    if left > 0 {
        let _ = writeln!(out, "interrupted: {} left", count(left as u64, "test"));
    }
    out
}

fn herd(rows: &[Row]) -> String {
    let mut out = String::new();
    for row in rows {
        match &row.result {
            Ok(ran) => out += &ran.herd,
            Err(message) => {
                let _ = write!(out, "Warning: File \"{}\": {message}", row.file);
            }
        }
        out += "\n";
    }
    out
}

#[derive(Serialize)]
struct RowJson<'a> {
    file: &'a str,
    test: &'a str,
    /// `agrees`, `differs`, `ok`, `violated`, `bounded` or `unreadable`.
    result: &'a str,
    #[serde(flatten)]
    ran: Option<RanJson<'a>>,
    /// What is wrong or odd about the text, errors of the program, and how it differs from what is expected.
    remarks: Vec<String>,
}

#[derive(Serialize)]
struct RanJson<'a> {
    model: &'a str,
    algorithm: &'a str,
    observation: Option<Observation>,
    states: usize,
    executions: u64,
    seconds: f64,
    reasons: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    link: Option<&'a str>,
}

fn json(rows: &[Row]) -> Result<String, Failure> {
    let mut out = String::new();
    for row in rows {
        let ran = row.result.as_ref().ok().map(|ran| RanJson {
            model: ran.model.name(),
            algorithm: ran.algorithm.name(),
            observation: ran.observation,
            states: ran.states,
            executions: ran.executions,
            seconds: ran.seconds,
            reasons: &ran.reasons,
            link: ran.link.as_deref(),
        });
        let object = RowJson { file: &row.file, test: &row.test, result: row.status(), ran, remarks: remarks(row) };
        let object = serde_json::to_string(&object);
        out += &object.map_err(|error| Failure(format!("cannot write JSON: {error}")))?;
        out.push('\n');
    }
    Ok(out)
}

/// The results in the XML that build servers read. What is bounded counts as skipped, since it is not known.
fn junit(rows: &[Row], seconds: f64) -> String {
    let of = |all: &[&str]| rows.iter().filter(|row| all.contains(&row.status())).count();
    let (failures, errors, skipped) = (of(&["differs", "violated"]), of(&["unreadable"]), of(&["bounded"]));
    let mut out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n".to_owned();
    let _ = writeln!(
        out,
        "  <testsuite name=\"litmoscope\" tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\" time=\"{seconds:.3}\">",
        rows.len()
    );
    for row in rows {
        let time = row.result.as_ref().map_or(0.0, |ran| ran.seconds);
        let (file, test) = (escaped(&row.file), escaped(&row.test));
        let _ = write!(out, "    <testcase classname=\"{file}\" name=\"{test}\" time=\"{time:.3}\"");
        let status = row.status();
        let element = match status {
            "differs" | "violated" => "failure",
            "unreadable" => "error",
            "bounded" => "skipped",
            _ => {
                out += "/>\n";
                continue;
            }
        };
        let reasons = row.result.as_ref().map_or(&[][..], |ran| &ran.reasons);
        let text = remarks(row).into_iter().chain(reasons.iter().cloned()).collect::<Vec<_>>().join("\n");
        let _ = writeln!(out, "><{element} message=\"{status}\">{}</{element}></testcase>", escaped(&text));
    }
    out + "  </testsuite>\n</testsuites>\n"
}

/// A text in XML, without the characters that XML has no way to write.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\n' | '\t' => out.push(character),
            other if other.is_control() || matches!(other, '\u{fffe}' | '\u{ffff}') => out.push('?'),
            other => out.push(other),
        }
    }
    out
}
