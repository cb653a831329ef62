//! `litmoscope explore`

use super::input::Messages;
use super::progress::{Progress, Wanted};
use super::save::replace;
use super::subject::{Counterpart, Subject};
use super::{Failure, complain, complain_of_threads, interruption, on_interrupt, print, print_json};
use crate::Explore;
use litmoscope::budget::{Budget, Stop};
use litmoscope::explore::{
    Counts, Coverage, ExecutionKind, Explorer, Findings, Followed, Moment, Options, Sees, Step, Verdict, Work,
    waiting_events,
};
use litmoscope::graph::EventKey;
use litmoscope::model::Model;
use litmoscope::program::{Code, Quantifier};
use litmoscope::report::{
    DrawingInput, Mark, RUN_VERSION, Report, ResultsJson, RunFile, RunGraphs, Unfinished, call_frames, dot, graph_text,
    herd_text, results_text,
};
use litmoscope::run::{
    Estimate, Estimator, Exploration, Foreign, Interruption, Outcome, Parts, RunBounds, Status, Stepped, Undivided,
    checkpoint, run,
};
use litmoscope::session::{Settings, link};
use litmoscope::words;
use std::fmt::Write as _;
use std::fs::File;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// How many files `--dot` writes at most: what the names have digits for.
const MAX_DOT_FILES: u64 = 9999;
/// How often to look whether something is to be done beside the exploration.
const TICK: Duration = Duration::from_millis(10);
/// How long random descents may take, each second that progress is shown, and at the end.
const DESCENTS: Duration = Duration::from_millis(40);
const LAST_DESCENTS: Duration = Duration::from_millis(60);
/// How long they may take behind random runs.
const SIZE: Duration = Duration::from_millis(500);
/// How wide a sweep of descents may be.
const MIN_WIDTH: usize = 16;
const MAX_WIDTH: usize = 16_384;
/// A checkpoint is written so seldom that writing takes at most one in so many seconds.
const CHECKPOINT_SHARE: u32 = 20;
const SEED: u64 = 1;

fn progress_wanted(task: &Explore) -> Wanted {
    match (task.progress, task.quiet) {
        (true, _) => Wanted::Everywhere,
        (false, false) => Wanted::OnTerminals,
        (false, true) => Wanted::Nowhere,
    }
}

pub fn explore(task: &Explore) -> Result<u8, Failure> {
    let wanted = if task.quiet { Messages::Errors } else { Messages::ShortNotes };
    let options = Options { stop_at_first: task.stop_at_first, ..task.table.of(task.what.options()) };
    let followed = if task.dot.is_some() { Followed::Steps } else { Followed::Executions };
    let Some(mut subject) = Subject::read(&task.what, options, followed, wanted)? else { return Ok(2) };
    if task.herd {
        subject.count_with_co(task.what.algorithm);
    }
    let divisible = task.dot.is_none() && subject.is_divisible();
    refuse_what_needs_parts(task, &subject, divisible)?;
    if let Some(folder) = &task.dot {
        let refuse = |error| Failure(format!("cannot create the directory {}: {error}", folder.display()));
        std::fs::create_dir_all(folder).map_err(refuse)?;
    }
    let stop = on_interrupt()?;
    let ran = if divisible { explore_parts(task, &subject, stop)? } else { explore_steps(task, &subject, stop)? };
    let Ran { findings, unfinished, settled, seconds } = ran;

    let counts = findings.counts;
    let questions = task.explain_cost.then_some(findings.questions);
    let report = Report { questions, ..subject.report(&findings, seconds, unfinished) };
    if task.dot.is_some() && counts.executions() > MAX_DOT_FILES {
        let (all, most) = (words::count(counts.executions(), "execution"), words::grouped(MAX_DOT_FILES));
        complain(&format!("only the first {most} of {all} were written"));
    }
    let shown = findings.violation.as_ref().or(findings.witness.as_ref());
    let link = task.link.as_ref().map(|base| {
        let position = shown.or(findings.first.as_ref()).map_or(0, |moment| moment.position);
        link_to(base, &subject, position, settled)
    });
    let printed;
    if task.json {
        printed = print_json(&ResultsJson::from(&report));
        if let Some(link) = link {
            complain(&link);
        }
    } else {
        let mut out = if task.herd { herd_text(&report) } else { results_text(&report) };
        if let Some(shown) = shown.filter(|_| !task.herd) {
            let _ = write!(out, "\n{}", moment_text(shown, &report));
        }
        if let Some(link) = link {
            let _ = write!(out, "\n{link}\n");
        }
        printed = print(&out);
        if task.herd && report.coverage() == Coverage::Part {
            complain("bounded: there may be more executions than these");
        }
    }
    // What can't be printed can still be in a file, and the other way round.
    if let Some(path) = &task.save {
        let file = RunFile {
            litmoscope: RUN_VERSION,
            text: subject.input.text.clone(),
            notation: subject.program.notation,
            model: subject.model,
            algorithm: subject.algorithm,
            options: subject.options,
            report: ResultsJson::from(&report),
            graphs: RunGraphs {
                first: findings.first.clone(),
                violation: findings.violation.clone(),
                witness: findings.witness.clone(),
            },
            settled,
        };
        replace(path, file.encode().as_bytes())?;
    }
    printed?;
    Ok(match report.verdict() {
        Verdict::Ok => 0,
        Verdict::Violated => 1,
        Verdict::Bounded => 3,
    })
}

/// What an exploration came to.
struct Ran {
    findings: Findings,
    unfinished: Option<Unfinished>,
    settled: Option<u64>,
    seconds: f64,
}

/// Only what is explored in parts can be shared by threads, and gone on with later.
fn refuse_what_needs_parts(task: &Explore, subject: &Subject, divisible: bool) -> Result<(), Failure> {
    if divisible {
        return Ok(());
    }
    let option = match task {
        Explore { threads: Some(2..), .. } => "--threads",
        Explore { checkpoint: Some(_), .. } => "--checkpoint",
        Explore { resume: Some(_), .. } => "--resume",
        _ => return Ok(()),
    };
    Err(Failure(if task.dot.is_some() {
        format!("{option} and --dot can't be used together: for --dot, the exploration goes step by step")
    } else {
        let algorithm = subject.algorithm.title();
        format!(
            "{option} needs an exploration that can be cut into parts, and that of {algorithm} can't; try \
             --algorithm auto"
        )
    }))
}

/// When a task that begins now is to end.
fn deadline(task: &Explore) -> Option<Instant> {
    task.timeout.and_then(|timeout| Instant::now().checked_add(timeout))
}

/// Explores step by step, on one thread.
fn explore_steps(task: &Explore, subject: &Subject, stop: Stop) -> Result<Ran, Failure> {
    let Subject { program, code, model, algorithm, options, .. } = subject;
    let deadline = deadline(task);
    if let (Some(whole), None) = (algorithm.machine().whole, &task.dot) {
        let undivided =
            Undivided::new(program, options.limits, whole(Arc::clone(program), Arc::clone(code), *model, *options));
        let parts = Parts::new(undivided.nothing());
        let watcher = Watcher::new(task, subject, stop, deadline, None, Counts::default())?;
        return watcher.run(&undivided, parts, NonZeroUsize::MIN);
    }
    let mut budget = Budget::until(stop.clone());
    if let Some(deadline) = deadline {
        budget = budget.and_before(deadline);
    }
    let listed = algorithm.explorer_within(Arc::clone(code), *model, *options, &mut budget);
    let Ok(explorer) = listed else {
        let reason = if stop.is_told() { interruption() } else { Interruption::Timeout };
        let unfinished = Some(Unfinished { reason, estimate: None });
        return Ok(Ran { findings: subject.nothing(), unfinished, settled: Some(0), seconds: 0.0 });
    };
    let explorer =
        explorer.map_err(|error| Failure(format!("{} can't explore this program: {error}", algorithm.title())))?;
    let mut failed = Ok(());
    let outcome = {
        let listener = |explorer: &dyn Explorer, step: Step| {
            if let (Step::Execution { number, kind }, Some(folder)) = (step, &task.dot)
                && number <= MAX_DOT_FILES
                && failed.is_ok()
            {
                let (graph, co) = (explorer.execution(), explorer.coherence());
                let mut drawing = DrawingInput::with_relations(program, *model, graph, co);
                drawing.frames = call_frames(program, code, graph, options.limits);
                failed = write_dot(folder, number, kind, subject.name(), *model, &drawing);
            }
        };
        let stepped = Stepped::new(program, code, *model, options.limits, explorer, listener);
        let parts = Parts::new(stepped.nothing());
        Watcher::new(task, subject, stop.clone(), deadline, None, Counts::default())?.run(
            &stepped,
            parts,
            NonZeroUsize::MIN,
        )?
    };
    failed?;
    if algorithm.traits().sees != Sees::Samples {
        return Ok(outcome);
    }
    // Whoever wants it to end now does not wait for more.
    let (reason, time) = outcome.unfinished.map_or((Interruption::Runs, SIZE), |early| (early.reason, LAST_DESCENTS));
    let left = deadline.map_or(time, |deadline| deadline.saturating_duration_since(Instant::now()).max(LAST_DESCENTS));
    let estimate = size(subject, outcome.findings.counts.executions(), time.min(left), stop);
    let unfinished = Some(Unfinished { reason, estimate });
    Ok(Ran { unfinished, ..outcome })
}

/// About how many executions there are, of which so many were found, if that can be said in this time.
fn size(subject: &Subject, found: u64, time: Duration, stop: Stop) -> Option<Estimate> {
    let algorithm = subject.algorithm.counterpart_in_parts(subject.model)?;
    let counterpart = Counterpart { subject, algorithm };
    let mut estimator = Estimator::new(&counterpart, SEED)?;
    let start = Instant::now();
    let mut budget = Budget::until(stop).and_before(start + time);
    let (mut width, mut sweeps) = (MIN_WIDTH, 0);
    // One alone has no error.
    while (sweeps < 2 || start.elapsed() < time / 2) && estimator.sweep(width, &mut budget).is_ok() {
        sweeps += 1;
        width = (2 * width).min(MAX_WIDTH);
    }
    let estimate = estimator.estimate();
    let executions = estimate.executions.max(found as f64);
    (sweeps > 0).then_some(Estimate { executions, ..estimate })
}

/// Explores in parts, on all cores.
fn explore_parts(task: &Explore, subject: &Subject, stop: Stop) -> Result<Ran, Failure> {
    let parts = match &task.resume {
        None => Parts::new(subject.nothing()),
        Some(path) => {
            let refuse = |why: String| Failure(format!("cannot continue from {}: {why}", path.display()));
            let mut file = File::open(path).map_err(|error| refuse(error.to_string()))?;
            let mut file = std::io::BufReader::new(&mut file);
            checkpoint::decode(&mut file, &saved_subject(subject), &subject.program, &subject.code)
                .map_err(|error| refuse(error.to_string()))?
        }
    };
    let threads = task.threads.and_then(|n| NonZeroUsize::new(n as usize));
    let threads = threads.unwrap_or_else(|| thread::available_parallelism().unwrap_or(NonZeroUsize::MIN));
    let watcher = Watcher::new(task, subject, stop, deadline(task), Some(&parts), parts.counts())?;
    watcher.run(subject, parts, threads)
}

fn saved_subject(subject: &Subject) -> checkpoint::Subject {
    checkpoint::Subject::new(&subject.input.text, subject.model, subject.algorithm, subject.options)
}

/// What goes on beside an exploration: progress, bounds, checkpoints.
struct Watcher<'a> {
    task: &'a Explore,
    subject: &'a Subject,
    progress: Progress,
    /// For explorations in parts.
    estimator: Option<Estimator<'a>>,
    /// How wide a sweep of descents may be, for some to fit into their time.
    width: usize,
    stop: Stop,
    deadline: Option<Instant>,
    next_checkpoint: Instant,
}

impl<'a> Watcher<'a> {
    /// `parts` of an exploration that has any.
    fn new(
        task: &'a Explore,
        subject: &'a Subject,
        stop: Stop,
        deadline: Option<Instant>,
        parts: Option<&Parts>,
        before: Counts,
    ) -> Result<Self, Failure> {
        let now = Instant::now();
        let watcher = Self {
            task,
            subject,
            progress: Progress::new(progress_wanted(task), before),
            estimator: parts.and_then(|_| Estimator::new(subject, SEED)),
            width: MIN_WIDTH,
            stop,
            deadline,
            next_checkpoint: now + task.checkpoint_every,
        };
        if let Some(parts) = parts {
            // So that a file that can't be written is known at once.
            watcher.write_checkpoint(parts)?;
        }
        Ok(watcher)
    }

    fn run(mut self, exploration: &dyn Exploration, parts: Parts, threads: NonZeroUsize) -> Result<Ran, Failure> {
        let max_executions = self.task.max_executions;
        let bounds = RunBounds { threads, max_executions, tick: TICK, ..RunBounds::default() };
        let outcome = run(exploration, parts, bounds, &mut |status| self.look(status));
        let seconds = self.progress.finish().as_secs_f64();
        let Outcome { parts, interruption, threads: started } =
            outcome.map_err(|Foreign| Failure(format!("cannot continue: {Foreign}")))?;
        if started == 0 {
            let message = "the system has no thread for the exploration: raise its limits on processes and memory";
            return Err(Failure(message.to_owned()));
        }
        complain_of_threads(started, threads.get());
        if let Err(Failure(message)) = self.write_checkpoint(&parts) {
            complain(&message);
        }
        let settled = parts.settled();
        let unfinished = interruption.map(|reason| {
            let works: Vec<Work> = parts.works().cloned().collect();
            let estimate = self.estimate(parts.counts().executions(), &works, LAST_DESCENTS);
            Unfinished { reason, estimate }
        });
        Ok(Ran { findings: parts.findings(exploration.nothing()), unfinished, settled, seconds })
    }

    /// Called again and again while the exploration goes on.
    fn look(&mut self, status: &Status) -> Option<Interruption> {
        if self.stop.is_told() {
            return Some(interruption());
        }
        let now = Instant::now();
        if self.deadline.is_some_and(|deadline| now >= deadline) {
            return Some(Interruption::Timeout);
        }
        if let Some(path) = &self.task.checkpoint
            && now >= self.next_checkpoint
        {
            let saved = saved_subject(self.subject);
            let content = status.parts(|parts| checkpoint::encode(&saved, parts));
            if let Err(Failure(message)) = replace(path, &content) {
                complain(&format!("{message}; the checkpoint in the file is an older one"));
            }
            let pause = self.task.checkpoint_every.max(CHECKPOINT_SHARE * now.elapsed());
            self.next_checkpoint = Instant::now() + pause;
        }
        if self.progress.is_due() {
            let (counts, works) = match self.estimator {
                Some(_) => status.parts(|parts| (parts.counts(), parts.works().cloned().collect())),
                None => (status.counts(), Vec::new()),
            };
            let total = self.estimate(counts.executions(), &works, DESCENTS);
            self.progress.update(counts, total);
        }
        None
    }

    /// About how many executions there are, where so many were found and these works are left.
    fn estimate(&mut self, done: u64, works: &[Work], time: Duration) -> Option<Estimate> {
        let estimator = self.estimator.as_mut()?;
        let start = Instant::now();
        let mut sweeps = 0;
        // One alone has no error.
        let least = if estimator.probes() == 0 { 2 } else { 1 };
        let mut budget = Budget::before(start + time);
        while sweeps < least || start.elapsed() < time / 2 {
            if estimator.refine(done, works, self.width, &mut budget).is_err() {
                break;
            }
            sweeps += 1;
        }
        if sweeps == 0 {
            self.width = (self.width / 4).max(MIN_WIDTH);
            return Some(estimator.estimate()).filter(|estimate| estimate.executions > done as f64);
        }
        // One wide sweep is better than two narrow ones.
        let fits = time.as_secs_f64() / start.elapsed().as_secs_f64().max(1e-6) * f64::from(sweeps);
        self.width = ((self.width as f64 * fits.clamp(0.25, 4.0)) as usize).clamp(MIN_WIDTH, MAX_WIDTH);
        let estimate = estimator.estimate();
        Some(Estimate { executions: estimate.executions.max(done as f64), ..estimate })
    }

    fn write_checkpoint(&self, parts: &Parts) -> Result<(), Failure> {
        match &self.task.checkpoint {
            Some(path) => replace(path, &checkpoint::encode(&saved_subject(self.subject), parts)),
            None => Ok(()),
        }
    }
}

/// A link to a position of the exploration, or to its start if nobody knows which position that is.
fn link_to(base: &str, subject: &Subject, position: u64, settled: Option<u64>) -> String {
    let known = settled.is_none_or(|settled| position <= settled);
    if !known {
        complain("the link leads to the start, because not everything before the wanted graph was explored");
    }
    let position = if known { position } else { 0 };
    let Subject { model, algorithm, options, .. } = *subject;
    let settings = Settings { text: subject.input.text.clone(), model, algorithm, options, position };
    let fragment = link::encode(&settings);
    if let Err(error) = link::decode(&fragment) {
        complain(&format!("the page will not open the link: {error}"));
    }
    format!("{}{fragment}", base.split('#').next().unwrap_or_default())
}

/// The graph of a violation or witness, under a line that says which it is.
pub(super) fn moment_text(moment: &Moment, report: &Report) -> String {
    let program = report.program;
    let title = match (moment.step, program.condition.as_ref().map(|condition| condition.quantifier)) {
        (Step::Error { .. }, _) => "the graph of the first error".to_owned(),
        (Step::Race { .. }, _) => "the execution of the first data race".to_owned(),
        (Step::UninitialisedRead { .. }, _) => {
            "the execution of the first read of a location that was not written".to_owned()
        }
        (Step::Execution { number, kind: ExecutionKind::StuckForGood }, _) => {
            format!("execution {number}, the first that is stuck for good")
        }
        (Step::Execution { number, .. }, Some(Quantifier::ForAll | Quantifier::NotExists)) => {
            format!("execution {number}, the first that refutes the condition")
        }
        (Step::Execution { number, .. }, _) => format!("execution {number}, the first that satisfies the condition"),
        _ => "the graph".to_owned(),
    };
    let mut input = DrawingInput::with_relations(program, report.model, &moment.graph, moment.co.as_ref());
    let mut mark = |key: EventKey, mark| input.marks.extend(moment.graph.find(key).map(|e| (e, mark)));
    match moment.step {
        Step::Error { event } | Step::UninitialisedRead { read: event } => mark(event, Mark::Newest),
        Step::Race { first, second } => {
            mark(first, Mark::RaceParty);
            mark(second, Mark::RaceParty);
        }
        Step::Execution { kind: ExecutionKind::StuckForGood, .. } => {
            let waiting = Code::compile(program).map(|code| waiting_events(&code, report.model, &moment.graph));
            input.marks.extend(waiting.into_iter().flatten().map(|e| (e, Mark::Stuck)));
        }
        _ => {}
    }
    format!("{title}:\n{}", graph_text(&input))
}

fn write_dot(
    folder: &Path,
    number: u64,
    kind: ExecutionKind,
    name: &str,
    model: Model,
    drawing: &DrawingInput,
) -> Result<(), Failure> {
    let kind = match kind {
        ExecutionKind::Complete => "complete",
        ExecutionKind::Blocked => "blocked",
        ExecutionKind::StuckForGood => "stuck",
        ExecutionKind::Erroneous => "erroneous",
    };
    // A name in herd's comment style could hold anything, but no line ends.
    let name: String = name.chars().filter(|c| !c.is_control()).collect();
    let title = model.title();
    let text = format!("// {name}: {kind} execution {number} under {title}\n{}", dot(drawing));
    let path = folder.join(format!("execution-{number:04}.dot"));
    std::fs::write(&path, text).map_err(|error| Failure(format!("cannot write {}: {error}", path.display())))
}
