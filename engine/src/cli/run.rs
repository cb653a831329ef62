//! `litmoscope run`

use super::input::{is_strict, read_bytes, read_text};
use super::progress::{Progress, Wanted};
use super::save::replace;
use super::subject::Choice;
use super::{Failure, complain, complain_of_threads, interruption, on_interrupt, print};
use crate::Run;
use litmoscope::budget::{Budget, Stop};
use litmoscope::explore::Counts;
use litmoscope::labs::folder::archive::{Format, MAX_ARCHIVE};
use litmoscope::labs::folder::{
    Collection, How, Logs, Role, Row, Setting, Status, Test, add_log, expected_names, herd, json, junit, row, table,
};
use litmoscope::labs::why_not::brief_answer;
use litmoscope::model::Usual;
use litmoscope::run::Interruption;
use litmoscope::syntax::MAX_SOURCE;
use litmoscope::words::{count, grouped};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How deep folders may lie in each other.
const MAX_DEPTH: usize = 64;
/// How often it is looked whether all tests are done.
const TICK: Duration = Duration::from_millis(10);
/// How many bytes what a tool has printed may have.
const MAX_LOG: usize = 1 << 28;

/// Where a test is.
enum Source {
    /// In a file, with what stands beside it.
    File(PathBuf),
    /// In an archive that was unpacked.
    Unpacked(Test),
}

/// What is to be run.
#[derive(Default)]
struct Found {
    tests: Vec<Source>,
    logs: Logs,
}

pub fn run(task: &Run) -> Result<u8, Failure> {
    let Found { tests, mut logs } = Found::new(&task.paths)?;
    if tests.is_empty() {
        return Err(Failure("there are no tests: a test is a file that ends in .lit or .litmus".to_owned()));
    }
    for path in &task.log {
        add_log(&mut logs, &read_text(path, MAX_LOG)?.1);
    }
    let algorithm = match task.algorithm {
        Choice::Auto => None,
        Choice::This(algorithm) => Some(algorithm),
    };
    let options = task.table.of(task.blocked.of(task.how.options()));
    let mut usual = Usual::default();
    for &(notations, model) in &task.model {
        notations.iter().for_each(|&notation| usual.choose(notation, model));
    }
    let of_all = task.model.iter().rev().find(|(notations, _)| notations.is_empty());
    let how = How {
        model: of_all.map(|(_, model)| *model),
        usual,
        algorithm,
        options,
        strict: is_strict(),
        herd: task.herd,
        roomy: true,
    };
    let explain = task.explain.then_some(brief_answer as _);
    let setting = Setting { logs: Some(&logs), explain, link: task.link.as_deref() };
    let stop = on_interrupt()?;
    let cores = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let threads = task.threads.and_then(|threads| NonZeroUsize::new(threads as usize)).unwrap_or(cores);
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let rows: Mutex<Vec<Option<Row>>> = Mutex::new(tests.iter().map(|_| None).collect());
    let work = || {
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(source) = tests.get(place).filter(|_| !stop.is_told()) else { return };
            let row = run_one(source, &how, &setting, task.timeout, &stop);
            done.fetch_add(1, Ordering::Relaxed);
            rows.lock().unwrap_or_else(PoisonError::into_inner)[place] = Some(row);
        }
    };
    let wanted = if task.json { Wanted::Nowhere } else { Wanted::OnTerminals };
    let mut progress = Progress::new(wanted, Counts::default());
    thread::scope(|scope| {
        let start = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
        let wanted = threads.get().min(tests.len());
        let workers: Vec<_> = (0..wanted).map_while(start).collect();
        complain_of_threads(workers.len(), wanted);
        if workers.is_empty() {
            work();
        }
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
    let rows: Vec<&Row> = rows.iter().flatten().collect();
    print(&if task.json {
        json(&rows)
    } else if task.herd {
        herd(&rows)
    } else {
        table(&rows, left, seconds)
    })?;
    if let Some(file) = &task.junit {
        replace(file, junit(&rows, seconds).as_bytes())?;
    }
    let has = |status: Status| rows.iter().any(|row| row.status() == status);
    Ok(match () {
        () if has(Status::Unreadable) => 2,
        () if has(Status::Differs) || has(Status::Violated) => 1,
        () if has(Status::Bounded) || left > 0 => 3,
        () => 0,
    })
}

impl Found {
    /// The tests among some paths: files as they are; of folders and archives those that are tests, in the order of their names.
    fn new(paths: &[PathBuf]) -> Result<Self, Failure> {
        let mut found = Self::default();
        for path in paths {
            if path.is_dir() {
                found.add_folder(path, 0)?;
            } else if let Some(format) = Format::of(&path.to_string_lossy()) {
                found.add_archive(path, format)?;
            } else {
                found.tests.push(Source::File(path.clone()));
            }
        }
        Ok(found)
    }

    fn add_folder(&mut self, folder: &Path, depth: usize) -> Result<(), Failure> {
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
            if path.is_dir() {
                if !is_link {
                    self.add_folder(&path, depth + 1)?;
                }
                continue;
            }
            match Role::of(&path.to_string_lossy()).filter(|_| path.is_file()) {
                Some(Role::Test) => self.tests.push(Source::File(path)),
                Some(Role::Log) => match read_text(&path, Role::Log.most()) {
                    Ok((_, text)) => add_log(&mut self.logs, &text),
                    Err(Failure(why)) => complain(&format!("a log was left out: {why}")),
                },
                Some(Role::Expected) | None => {}
            }
        }
        Ok(())
    }

    fn add_archive(&mut self, path: &Path, format: Format) -> Result<(), Failure> {
        let (name, bytes) = read_bytes(path, MAX_ARCHIVE)?;
        let mut collection = Collection::default();
        collection
            .add_archive(&name, format, &bytes)
            .map_err(|error| Failure(format!("cannot open {name}: {error}")))?;
        let contents = collection.contents();
        contents.left_out.iter().for_each(|sentence| complain(sentence));
        self.tests.extend(contents.tests.into_iter().map(Source::Unpacked));
        self.logs.extend(contents.logs);
        Ok(())
    }
}

/// Reads a test and what stands beside it.
fn read(path: &Path) -> Test {
    let file = path.display().to_string();
    let text = read_text(path, MAX_SOURCE).map(|(_, text)| text).map_err(|Failure(why)| why);
    let beside = expected_names(&file).into_iter().map(PathBuf::from).find(|path| path.is_file());
    let expected = beside.map(|path| {
        let text = read_text(&path, MAX_LOG).map(|(_, text)| text).map_err(|Failure(why)| why);
        (path.display().to_string(), text)
    });
    Test { file, text, expected }
}

fn run_one(source: &Source, how: &How, setting: &Setting, timeout: Duration, stop: &Stop) -> Row {
    let read_now;
    let test = match source {
        Source::Unpacked(test) => test,
        Source::File(path) => {
            read_now = read(path);
            &read_now
        }
    };
    let start = Instant::now();
    let deadline = start + timeout;
    let mut next = || {
        if stop.is_told() {
            return Err(interruption());
        }
        let late = Instant::now() >= deadline;
        if late { Err(Interruption::Timeout) } else { Ok(Budget::until(stop.clone()).and_before(deadline)) }
    };
    row(test, how, setting, &|| start.elapsed().as_secs_f64(), &mut next)
}
