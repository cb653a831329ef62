//! Explorations as whole commands, with the fixed workload in between.

use crate::command::{Finished, Usage, run};
use crate::exploring::{Explorer, Found};
use crate::judge::By;
use crate::{Arguments, Failure};
use litmoscope::budget::Budget;
use litmoscope::explore::{Algorithm, Options, Pause, Work};
use litmoscope::histories::Object;
use litmoscope::model::Model;
use litmoscope::program::Code;
use litmoscope::syntax;
use litmoscope_tests::peers::{Peer, Size};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How much longer a command may take that was told when to stop.
const GRACE: Duration = Duration::from_secs(60);

/// An exploration of a program.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    pub peer: &'a Peer,
    pub size: &'a Size,
    pub model: Model,
    pub algorithm: &'a str,
    pub threads: usize,
    pub expected: Expected,
}

/// What has to come out of an exploration, which always has to be complete.
#[derive(Clone, Copy)]
pub enum Expected {
    /// So many complete executions.
    Executions(u64),
    /// So many complete plain executions, of which some may have been found more than once.
    Plain(u64),
    /// No number that would be known.
    Everything,
}

impl Task<'_> {
    pub fn name(&self) -> String {
        format!("{}({})", self.peer.name, self.size.n)
    }
}

/// What came out of an exploration, all runs of it.
pub struct Measured {
    /// The best times, and the largest memory of a run.
    pub usage: Usage,
    /// The best time of the fixed workload in the same minute, in seconds.
    pub unit: f64,
    /// Complete executions.
    pub executions: u64,
    /// The whole result but for times.
    pub result: Value,
}

impl Measured {
    /// CPU time in multiples of the fixed workload.
    pub fn multiple(&self) -> f64 {
        self.usage.cpu / self.unit
    }
}

pub struct Bench {
    binary: PathBuf,
    this: PathBuf,
    folder: TempDir,
    runs: u32,
    limit: Duration,
    outcomes: bool,
    /// What was not as it should be.
    pub wrong: Vec<String>,
}

impl Bench {
    pub fn new(arguments: &Arguments) -> Result<Self, Failure> {
        let this = std::env::current_exe()?;
        let binary = arguments.binary.clone().unwrap_or_else(|| this.with_file_name("litmoscope"));
        if !binary.is_file() {
            return Err(format!("there is no {}: `make table` builds it", binary.display()).into());
        }
        Ok(Self {
            binary,
            this,
            folder: tempfile::tempdir()?,
            runs: arguments.runs,
            limit: Duration::from_secs(arguments.limit),
            outcomes: arguments.outcomes,
            wrong: Vec::new(),
        })
    }

    /// Runs the fixed workload; its user CPU time in seconds.
    pub fn unit(&self) -> Result<f64, Failure> {
        let finished = run(Command::new(&self.this).arg("workload"), Duration::from_secs(60))?;
        Ok(finished.ok_or("the fixed workload takes more than a minute")?.usage.user)
    }

    /// Does several things in turn, with the fixed workload before each round; `None` for what took too long or went wrong.
    pub fn measure(&mut self, tasks: &[Task]) -> Result<Vec<Option<Measured>>, Failure> {
        let files = tasks.iter().map(|task| self.write(task)).collect::<Result<Vec<_>, _>>()?;
        let mut unit = f64::INFINITY;
        let mut best: Vec<Option<(Usage, Value)>> = vec![None; tasks.len()];
        let mut given_up = vec![false; tasks.len()];
        for _ in 0..self.runs {
            unit = unit.min(self.unit()?);
            for (i, (task, file)) in tasks.iter().zip(&files).enumerate() {
                if given_up[i] {
                    continue;
                }
                let this = self.explore(task, file)?;
                given_up[i] = this.is_none();
                best[i] = match (best[i].take(), this) {
                    (Some((best, _)), Some((usage, result))) => Some((better(best, usage), result)),
                    (None, this) => this,
                    (_, None) => None,
                };
            }
        }
        let measured = |best: Option<(Usage, Value)>| {
            best.map(|(usage, result)| Measured { usage, unit, executions: number(&result, "complete"), result })
        };
        Ok(best.into_iter().map(measured).collect())
    }

    /// Runs a command on a file, for its time alone.
    pub fn start(&self, file: &Path, arguments: &[&str]) -> Result<Usage, Failure> {
        let finished = run(Command::new(&self.binary).arg("explore").arg(file).args(arguments), self.limit)?;
        let finished = finished.ok_or("a short test took too long")?;
        if finished.code != Some(0) {
            return Err(format!("{} failed", file.display()).into());
        }
        Ok(finished.usage)
    }

    /// The binary that is measured.
    pub fn binary(&self) -> &Path {
        &self.binary
    }

    /// Where files can be put.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Has a long history written.
    pub fn record(&self, file: &Path, object: Object, operations: u32, inserts_first: bool) -> Result<(), Failure> {
        let mut command = Command::new(&self.this);
        command.arg("record").arg(file).args([object.name(), &operations.to_string()]);
        command.args(inserts_first.then_some("--inserts-first"));
        let finished = run(&mut command, self.limit)?.ok_or("a history took too long to write")?;
        if finished.code == Some(0) { Ok(()) } else { Err("a history could not be written".into()) }
    }

    /// Has a history judged as a user would, the best of several runs; `None` if it is not linearizable or that took too long.
    pub fn linearize(&self, file: &Path) -> Result<Option<Usage>, Failure> {
        let mut best: Option<Usage> = None;
        for _ in 0..self.runs {
            let Some(finished) = run(Command::new(&self.binary).arg("linearize").arg(file), self.limit)? else {
                return Ok(None);
            };
            if finished.code != Some(0) {
                return Ok(None);
            }
            best = Some(best.map_or(finished.usage, |best| better(best, finished.usage)));
        }
        Ok(best)
    }

    /// Has a linearizable history judged in a process of its own: the best time in seconds without reading; `None` if it took too long
    /// or too much memory.
    pub fn judge(&mut self, file: &Path, by: By, limit: Duration) -> Result<Option<f64>, Failure> {
        let Some(finished) = run(Command::new(&self.this).args(["judge", by.name()]).arg(file), limit)? else {
            return Ok(None);
        };
        match finished.code {
            Some(0) => Ok(Some(finished.output.trim().parse()?)),
            // It was given no more memory.
            None => Ok(None),
            Some(_) => {
                self.wrong.push(format!("{} on {}", by.name(), file.display()));
                Ok(None)
            }
        }
    }

    /// Has calls of an object explored and judged in a process of its own; `None` if that took too long or the answer is wrong.
    pub fn check(
        &mut self,
        by: Explorer,
        object: &str,
        calls: &str,
        is_linearizable: bool,
    ) -> Result<Option<Found>, Failure> {
        let mut command = Command::new(&self.this);
        command.args(["check", by.name(), object, calls]);
        let Some(finished) = run(&mut command, self.limit)? else { return Ok(None) };
        let found = Found::read(&finished.output).filter(|_| finished.code == Some(0));
        let wrong = match found {
            Some(found) if found.is_linearizable == is_linearizable => return Ok(Some(found)),
            Some(_) => "says the opposite",
            None => "says nothing",
        };
        self.wrong.push(format!("{object}, {calls}: {} {wrong}", by.name()));
        Ok(None)
    }

    /// Has the executions of a program with an object judged as a user would, for so many seconds; `None` if it went on nevertheless, or
    /// was not accepted.
    pub fn judge_object(
        &self,
        file: &Path,
        model: Model,
        options: &[String],
        seconds: u64,
    ) -> Result<Option<Finished>, Failure> {
        let mut command = Command::new(&self.binary);
        command.arg("linearize").arg(file).args(["--json", "--model", model.name(), "--timeout", &seconds.to_string()]);
        let finished = run(command.args(options), Duration::from_secs(seconds) + GRACE)?;
        Ok(finished.filter(|finished| matches!(finished.code, Some(0 | 1 | 3))))
    }

    /// Explores the first executions of a program, here and not by a command, which would estimate how many there are in all: how many
    /// there were, and how many seconds that took, the best of several runs.
    pub fn first_executions(
        &self,
        text: &str,
        model: Model,
        algorithm: &str,
        most: u64,
    ) -> Result<(u64, f64), Failure> {
        let wrong =
            |what: &dyn std::fmt::Debug| Failure::from(format!("{algorithm} under {}: {what:?}", model.title()));
        let program = Arc::new(syntax::parse(text).map_err(|error| wrong(&error))?.program);
        let code = Arc::new(Code::compile(&program)?);
        let algorithm: Algorithm = algorithm.parse()?;
        let mut best: Option<(u64, f64)> = None;
        for _ in 0..self.runs {
            let walk =
                algorithm.walk(Arc::clone(&code), Arc::clone(&program), model, Options::default(), &Work::default());
            let mut walk = walk.ok_or_else(|| wrong(&"it does not walk"))?;
            let start = Instant::now();
            while walk.counts().executions() < most
                && walk.run_within(u64::MAX, most, &mut Budget::unlimited()) == Pause::Steps
            {}
            let seconds = start.elapsed().as_secs_f64();
            best = Some((walk.counts().executions(), best.map_or(seconds, |(_, best)| best.min(seconds))));
        }
        best.ok_or_else(|| "nothing was run".into())
    }

    fn write(&self, task: &Task) -> Result<PathBuf, Failure> {
        let file = self.folder.path().join(format!("{}-{}.lit", task.peer.name, task.size.n));
        std::fs::write(&file, text(task.peer, task.size.n, self.outcomes))?;
        Ok(file)
    }

    /// Explores once; `None` if that took too long or went wrong.
    fn explore(&mut self, task: &Task, file: &Path) -> Result<Option<(Usage, Value)>, Failure> {
        let unroll = (task.peer.unroll)(task.size.n).to_string();
        let mut command = Command::new(&self.binary);
        command.arg("explore").arg(file).args(["--quiet", "--json", "--model", task.model.name()]);
        command.args(["--algorithm", task.algorithm, "--unroll", &unroll, "--threads", &task.threads.to_string()]);
        let Some(finished) = run(&mut command, self.limit)? else { return Ok(None) };
        match check(&finished.output, finished.code, task) {
            Ok(result) => Ok(Some((finished.usage, result))),
            Err(what) => {
                self.wrong.push(format!("{} under {} by {}: {what}", task.name(), task.model.title(), task.algorithm));
                Ok(None)
            }
        }
    }
}

/// A program, with final states to list or without.
pub fn text(peer: &Peer, n: usize, outcomes: bool) -> String {
    (peer.text)(n) + if outcomes { "\n" } else { "\nforall true\n" }
}

/// What came out, but for times, if the exploration went well and counted what it should.
fn check(output: &str, code: Option<i32>, task: &Task) -> Result<Value, String> {
    if code != Some(0) {
        return Err(code.map_or("a signal ended it".to_owned(), |code| format!("exit status {code}")));
    }
    let mut result: Value = serde_json::from_str(output).map_err(|error| format!("no JSON: {error}"))?;
    let counted = match task.expected {
        Expected::Executions(expected) => Some(("complete", expected)),
        Expected::Plain(expected) => Some(("plain", expected)),
        Expected::Everything => None,
    };
    if let Some((kind, expected)) = counted
        && number(&result, kind) != expected
    {
        return Err(format!("{} executions, not {expected}", number(&result, kind)));
    }
    result["seconds"] = Value::Null;
    Ok(result)
}

/// How many executions of a kind there were.
fn number(result: &Value, kind: &str) -> u64 {
    result["executions"][kind].as_u64().unwrap_or_default()
}

/// The better times of both runs, and the larger memory.
fn better(one: Usage, other: Usage) -> Usage {
    Usage {
        user: one.user.min(other.user),
        cpu: one.cpu.min(other.cpu),
        wall: one.wall.min(other.wall),
        peak: one.peak.max(other.peak),
    }
}
