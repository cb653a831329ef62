//! `litmoscope split`, `litmoscope part` and `litmoscope join`: an exploration in files, for whoever has machines that share nothing else.
//!
//! A folder holds the exploration as it was when it was cut, in `whole`, and a file for each part that was left then: `1`, `2` and so on. All of them are
//! checkpoints, which are replaced whole, so a part can be explored again, anywhere, at any time; who has explored it to its end is not overwritten. With
//! `--stop-at-first`, `first` names the first part in which something is wrong: those behind it end.

use super::explore::moment_text;
use super::input::{Input, Messages};
use super::progress::{Progress, Wanted};
use super::save::replace;
use super::subject::Subject;
use super::{Failure, complain, complain_of_threads, interruption, on_interrupt, print, print_json};
use crate::{Join, PartTask, Split};
use litmoscope::budget::{Budget, Stop};
use litmoscope::explore::{Findings, Followed, Options, Verdict, Work};
use litmoscope::program::Code;
use litmoscope::report::{ResultsJson, Unfinished, results_text};
use litmoscope::run::checkpoint::{self, CheckpointError, MAX_PARTS, Saved};
use litmoscope::run::{
    Exploration, Foreign, Interruption, Ledger, Outcome, Parts, PartsOf, RunBounds, Status, divide, run,
};
use litmoscope::syntax;
use litmoscope::words::count;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufReader, Read};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// The exploration as it was cut.
const WHOLE: &str = "whole";
/// The number of the first part in which something is wrong.
const FIRST: &str = "first";
/// How often a part that is explored is written, and how often it is looked whether it still counts.
const WRITE_EVERY: Duration = Duration::from_secs(5);
const LOOK_EVERY: Duration = Duration::from_millis(500);
const TICK: Duration = Duration::from_millis(10);

fn read(path: &Path) -> Result<Saved, CheckpointError> {
    Saved::read(&mut BufReader::new(File::open(path)?))
}

fn refuse(path: &Path, why: &dyn std::fmt::Display) -> Failure {
    Failure(format!("cannot read {}: {why}", path.display()))
}

/// What a checkpoint is of, with its parts. It was checked when it was cut, so there is nothing to say of its text.
fn opened(path: &Path, saved: Saved) -> Result<(Subject, Parts), Failure> {
    let checkpoint::Subject { text, model, algorithm, options, .. } = saved.subject.clone();
    let saved =
        saved.of(&checkpoint::Subject::new(&text, model, algorithm, options)).map_err(|why| refuse(path, &why))?;
    let damaged = || refuse(path, &"it is damaged: its program can't be explored");
    let program = syntax::parse(&text).map_err(|_| damaged())?.program;
    let code = model.prepare(Arc::new(Code::compile(&program).map_err(|_| damaged())?));
    options.validate_for_program(algorithm, model, &code).map_err(|_| damaged())?;
    let parts = saved.parts(&program, &code).map_err(|why| refuse(path, &why))?;
    // The file's name is not the program's.
    let input = Input::of(Path::new("-"), path.display().to_string(), text);
    let subject = Subject { input, program: Arc::new(program), code, model, algorithm, options };
    if subject.is_divisible() { Ok((subject, parts)) } else { Err(damaged()) }
}

fn saved_as(subject: &Subject) -> checkpoint::Subject {
    checkpoint::Subject::new(&subject.input.text, subject.model, subject.algorithm, subject.options)
}

fn executions(parts: &Parts) -> String {
    count(parts.handed_over().executions(), "execution")
}

/// Whether a file begins as a checkpoint does.
fn is_checkpoint(path: &Path) -> bool {
    let mut start = [0; checkpoint::MAGIC.len()];
    File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok() && start == *checkpoint::MAGIC.as_bytes()
}

pub fn split(task: &Split) -> Result<u8, Failure> {
    let path = &task.what.file;
    let (subject, parts) = if path.is_dir() {
        let joined = Joined::read(path)?;
        joined.complain();
        (joined.subject, joined.parts)
    } else if is_checkpoint(path) {
        opened(path, read(path).map_err(|why| refuse(path, &why))?)?
    } else {
        let options = Options { stop_at_first: task.stop_at_first, ..task.table.of(task.what.options()) };
        let wanted = if task.quiet { Messages::Errors } else { Messages::ShortNotes };
        let Some(subject) = Subject::read(&task.what, options, Followed::Executions, wanted)? else { return Ok(2) };
        if !subject.is_divisible() {
            let algorithm = subject.algorithm.title();
            return Err(Failure(format!(
                "the exploration of {algorithm} can't be cut into parts; try --algorithm auto"
            )));
        }
        let parts = Parts::new(subject.nothing());
        (subject, parts)
    };
    let folder = &task.out;
    let refuse = |why: &dyn std::fmt::Display| Failure(format!("cannot write to {}: {why}", folder.display()));
    if fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(refuse(&"there is something in it already. Name a folder that is empty or not there"));
    }
    let stop = on_interrupt()?;
    let parts =
        divide(&subject, parts, task.parts as usize, 0, &mut Budget::until(stop)).map_err(|why| refuse(&why))?;
    if parts.0.len() > MAX_PARTS {
        return Err(refuse(&format!("there are more than {MAX_PARTS} parts: ask for fewer")));
    }
    fs::create_dir_all(folder).map_err(|why| refuse(&why))?;
    let saved = saved_as(&subject);
    let open: Vec<Parts> =
        parts.iter().filter(|part| !part.is_over()).map(|part| PartsOf(vec![part.clone()])).collect();
    for (number, part) in (1..).zip(&open) {
        replace(&folder.join(format!("{number}")), &checkpoint::encode(&saved, part))?;
    }
    // A folder without it is not complete.
    replace(&folder.join(WHOLE), &checkpoint::encode(&saved, &parts))?;
    let (there, folder) = (count(open.len() as u64, "part"), folder.display());
    print(&match open.len() {
        0 => format!("Nothing is left to explore: `litmoscope join {folder}` prints the result.\n"),
        last => format!(
            "{there} in {folder}. Explore each, from `litmoscope part {folder}/1` to `litmoscope part {folder}/{last}`, \
             anywhere and in any order. `litmoscope join {folder}` prints the result.\n"
        ),
    })?;
    Ok(0)
}

/// A part that is explored here.
struct Exploring<'t> {
    path: &'t Path,
    number: Option<u32>,
    saved: checkpoint::Subject,
    stop: Stop,
    deadline: Option<Instant>,
    progress: Progress,
    next_write: Instant,
    next_look: Instant,
    /// Something is wrong in a part before.
    useless: bool,
}

impl Exploring<'_> {
    /// The number of the first part in which something is wrong, as far as somebody said so.
    fn first(&self) -> Option<u32> {
        let text = fs::read_to_string(self.path.with_file_name(FIRST)).ok()?;
        text.trim().parse().ok()
    }

    /// Whether something is wrong in a part before, and the exploration ends there.
    fn is_useless(&self) -> bool {
        let is_before = self.first().zip(self.number).is_some_and(|(first, own)| first < own);
        self.saved.options.stop_at_first && is_before
    }

    fn look(&mut self, status: &Status) -> Option<Interruption> {
        let now = Instant::now();
        if self.stop.is_told() {
            return Some(interruption());
        }
        if self.deadline.is_some_and(|deadline| now >= deadline) {
            return Some(Interruption::Timeout);
        }
        if now >= self.next_look {
            self.next_look = now + LOOK_EVERY;
            self.useless = self.is_useless();
            if self.useless {
                return Some(Interruption::PartsLeft);
            }
        }
        if now >= self.next_write {
            if let Err(Failure(why)) = status.parts(|parts| self.write(parts)) {
                complain(&why);
            }
            self.next_write = Instant::now() + WRITE_EVERY;
        }
        if self.progress.is_due() {
            self.progress.update(status.counts(), None);
        }
        None
    }

    /// Writes what is known of the part, unless somebody else has come to its end meanwhile.
    fn write(&self, parts: &Parts) -> Result<(), Failure> {
        if read(self.path).is_ok_and(|there| there.is_over() && there.of(&self.saved).is_ok()) {
            return Ok(());
        }
        replace(self.path, &checkpoint::encode(&self.saved, parts))
    }
}

fn threads(wanted: Option<u32>) -> NonZeroUsize {
    let wanted = wanted.and_then(|threads| NonZeroUsize::new(threads as usize));
    wanted.unwrap_or_else(|| thread::available_parallelism().unwrap_or(NonZeroUsize::MIN))
}

fn deadline(timeout: Option<Duration>) -> Option<Instant> {
    timeout.and_then(|timeout| Instant::now().checked_add(timeout))
}

/// Explores what is left of some parts.
fn explored(
    subject: &Subject,
    parts: Parts,
    bounds: RunBounds,
    watch: &mut dyn FnMut(&Status) -> Option<Interruption>,
) -> Result<Outcome, Failure> {
    let wanted = bounds.threads.get();
    let outcome = run(subject, parts, RunBounds { tick: TICK, ..bounds }, watch);
    let outcome = outcome.map_err(|Foreign| Failure(format!("cannot continue: {Foreign}")))?;
    if outcome.threads == 0 {
        let message = "the system has no thread for the exploration: raise its limits on processes and memory";
        return Err(Failure(message.to_owned()));
    }
    complain_of_threads(outcome.threads, wanted);
    Ok(outcome)
}

pub fn part(task: &PartTask) -> Result<u8, Failure> {
    let path = &task.file;
    let (subject, parts) = opened(path, read(path).map_err(|why| refuse(path, &why))?)?;
    let name = path.display();
    if parts.is_over() {
        print(&format!("{name} is explored already: {}.\n", executions(&parts)))?;
        return Ok(0);
    }
    let now = Instant::now();
    let mut exploring = Exploring {
        path,
        number: path.file_name().and_then(|name| name.to_str()?.parse().ok()),
        saved: saved_as(&subject),
        stop: on_interrupt()?,
        deadline: deadline(task.timeout),
        progress: Progress::new(Wanted::OnTerminals, parts.counts()),
        next_write: now + WRITE_EVERY,
        next_look: now,
        useless: false,
    };
    exploring.useless = exploring.is_useless();
    let mut parts = parts;
    let is_late = exploring.deadline.is_some_and(|deadline| Instant::now() >= deadline);
    if !exploring.useless && !is_late {
        let bounds = RunBounds { threads: threads(task.threads), ..RunBounds::default() };
        parts = explored(&subject, parts, bounds, &mut |status| exploring.look(status))?.parts;
        exploring.write(&parts)?;
    }
    exploring.progress.finish();
    let wrong = parts.handed_over();
    if subject.options.stop_at_first
        && parts.is_over()
        && wrong.is_any_wrong()
        && let Some(number) = exploring.number.filter(|own| exploring.first().is_none_or(|first| *own < first))
    {
        replace(&path.with_file_name(FIRST), format!("{number}\n").as_bytes())?;
    }
    let found = executions(&parts);
    if exploring.useless {
        print(&format!("{name} does not count: something is wrong in a part before it.\n"))?;
        return Ok(0);
    }
    if parts.is_over() {
        print(&format!("{name} is explored: {found}.\n"))?;
        return Ok(0);
    }
    print(&format!("{name} is not over: {found} so far. What is left is in the file: explore it again.\n"))?;
    Ok(3)
}

/// A folder, with what is in its parts put together.
struct Joined {
    subject: Subject,
    parts: Parts,
    /// What there is to say of parts that are not over, or not there.
    left: Vec<String>,
    /// Parts that can't be used, and why.
    broken: Vec<String>,
}

impl Joined {
    fn read(folder: &Path) -> Result<Self, Failure> {
        let whole = folder.join(WHOLE);
        if !whole.exists() {
            let why = format!("{} is no folder of parts: `{WHOLE}` is not in it", folder.display());
            return Err(Failure(format!("{why}. `litmoscope split FILE --parts N --out DIR` makes one")));
        }
        let (subject, parts) = opened(&whole, read(&whole).map_err(|why| refuse(&whole, &why))?)?;
        let (mut left, mut broken) = (Vec::new(), Vec::new());
        let saved = saved_as(&subject);
        let starts: Vec<Work> = parts.works().cloned().collect();
        let mut ledger = Ledger::new(parts, subject.nothing(), subject.options.stop_at_first, u64::MAX);
        for (number, start) in (1..).zip(starts) {
            if !ledger.is_open(&start) {
                // It lies behind an error that ends the exploration.
                break;
            }
            let path: PathBuf = folder.join(format!("{number}"));
            let name = path.display();
            if !path.exists() {
                broken.push(format!("{name} is not there"));
                continue;
            }
            let there = read(&path).and_then(|there| there.of(&saved)?.parts(&subject.program, &subject.code));
            match there {
                Ok(there) if there.0[0].start != start => {
                    broken.push(format!("{name} is a part that was cut at another time"));
                }
                Ok(there) => {
                    if !there.is_over() {
                        let done = there.handed_over().steps > 0;
                        left.push(format!("{name} {}", if done { "is not over" } else { "was not begun" }));
                    }
                    ledger.take(there);
                }
                Err(why) => broken.push(format!("{name} can't be read: {why}")),
            }
        }
        let parts = ledger.parts();
        Ok(Self { subject, parts, left, broken })
    }

    /// Says which parts can't be used.
    fn complain(&self) {
        self.broken.iter().for_each(|why| complain(&format!("{why}. It counts as not explored.")));
    }
}

/// How many parts are named.
const NAMED: usize = 5;

pub fn join(task: &Join) -> Result<u8, Failure> {
    let joined = Joined::read(&task.folder)?;
    joined.complain();
    let Joined { subject, mut parts, mut left, broken } = joined;
    let begin = Instant::now();
    let mut reason = Interruption::PartsLeft;
    if task.run {
        let stop = on_interrupt()?;
        let deadline = deadline(task.timeout);
        let wanted = if task.json { Wanted::Nowhere } else { Wanted::OnTerminals };
        let mut progress = Progress::new(wanted, parts.counts());
        let mut watch = |status: &Status| {
            if progress.is_due() {
                progress.update(status.counts(), None);
            }
            let late = deadline.is_some_and(|deadline| Instant::now() >= deadline);
            if stop.is_told() { Some(interruption()) } else { late.then_some(Interruption::Timeout) }
        };
        let bounds =
            RunBounds { threads: threads(task.threads), max_executions: task.max_executions, ..RunBounds::default() };
        let outcome = explored(&subject, parts, bounds, &mut watch)?;
        progress.finish();
        parts = outcome.parts;
        reason = outcome.interruption.unwrap_or(reason);
        left.clear();
    }
    if let Some(path) = &task.checkpoint {
        replace(path, &checkpoint::encode(&saved_as(&subject), &parts))?;
    }
    let is_over = parts.is_over();
    let unfinished = (!is_over).then_some(Unfinished { reason, estimate: None });
    let findings: Findings = parts.findings(subject.nothing());
    let report = subject.report(&findings, begin.elapsed().as_secs_f64(), unfinished);
    if task.json {
        print_json(&ResultsJson::from(&report))?;
    } else {
        let mut out = results_text(&report);
        if let Some(shown) = findings.violation.as_ref().or(findings.witness.as_ref()) {
            let _ = write!(out, "\n{}", moment_text(shown, &report));
        }
        print(&out)?;
    }
    if !is_over && !task.run {
        let all: Vec<&String> = left.iter().chain(&broken).collect();
        let more = all.len().saturating_sub(NAMED);
        let named: Vec<&str> = all.iter().take(NAMED).map(|left| left.as_str()).collect();
        let more = if more > 0 { format!(", and {}", count(more as u64, "more part")) } else { String::new() };
        complain(&format!(
            "not all was explored: {}{more}. `litmoscope part` explores one, `--run` all that is left here, and `litmoscope split {}` cuts it again.",
            named.join(", "),
            task.folder.display()
        ));
    }
    Ok(match report.verdict() {
        Verdict::Ok => 0,
        Verdict::Violated => 1,
        Verdict::Bounded => 3,
    })
}
