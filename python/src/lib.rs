//! What Python sees of the engine. Texts go in, and JSON, text and bytes come out; what these are to Python is in `litmoscope/__init__.py`.
//!
//! Whatever takes long gives the interpreter's lock away, and looks for signals every few milliseconds.

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{ArrayRef, Int64Array, RecordBatch, RecordBatchIterator};
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use litmoscope::budget::{Budget, Stop};
use litmoscope::consistency::{Settings as Asking, decide, parse_execution};
use litmoscope::explore::{
    Algorithm, ExecutionKind, Explorer, Findings, Followed, Moment, Options, Results, Step, Work,
};
use litmoscope::graph::{Coherence, Execution};
use litmoscope::histories::report::{HistoryJson, HistoryReport};
use litmoscope::histories::{Answer, History, Monitor, Object, ReadOptions, judge, minimise, parse_history};
use litmoscope::labs::consistency::{ConsistencyJson, ConsistencyReport, consistency_text};
use litmoscope::labs::runs::Walkable;
use litmoscope::model::{Model, Usual};
use litmoscope::program::{Code, Limits, Program};
use litmoscope::repair::{Aim, Bounds, Costs, Goal, Kept, RepairJson, RepairReport, Search, Subject};
use litmoscope::report::{
    Detail, DrawingInput, GraphJson, Report, ResultsJson, Theme, Unfinished, graph_text, layout, results_text, svg,
};
use litmoscope::run::checkpoint::{self, Saved};
use litmoscope::run::{
    self, Exploration, Foreign, Interruption, Outcome, Parts, PartsOf, RunBounds, Status, Taken, divide, explore_part,
    run,
};
use litmoscope::session::{Session, Settings, ViewRequest};
use litmoscope::syntax::{self, Diagnostic};
use litmoscope::{Litmus, compare::OutcomeQuestion};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule};
use std::fmt::Display;
use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::num::NonZeroUsize;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

pyo3::create_exception!(
    _litmoscope,
    LitmoscopeError,
    PyValueError,
    "A text, a choice or a part is wrong: what, where, and what to do."
);

/// How often to look for signals.
const TICK: Duration = Duration::from_millis(20);
/// How often to say how far it is.
const PROGRESS_EVERY: Duration = Duration::from_millis(200);
/// After how many steps to look, where an algorithm goes step by step.
const STEPS: u64 = 1 << 10;

fn refuse(message: impl Into<String>) -> PyErr {
    LitmoscopeError::new_err(message.into())
}

/// The first problem of a text, with its place; the exception's text has all of them.
fn wrong(text: &str, problems: &[Diagnostic]) -> PyErr {
    let rendered = syntax::render(text, "text", problems);
    let error = refuse(rendered.trim_end());
    Python::attach(|py| {
        if let Some(first) = problems.first() {
            let value = error.value(py);
            let _ = value.setattr("message", &first.message);
            let _ = value.setattr("line", first.span.line);
            let _ = value.setattr("column", first.span.column);
        }
    });
    error
}

/// The model of this name, or that of the program: the one that it names, or that of its notation.
fn model_of(name: Option<&str>, program: &Program, text: &str) -> PyResult<Model> {
    match name {
        Some(name) => name.parse().map_err(|error| refuse(format!("{error}"))),
        None => Ok(Usual::default().model(program).map_err(|problem| wrong(text, &[problem]))?.0),
    }
}

fn parsed(text: &str) -> PyResult<Program> {
    Ok(syntax::parse(text).map_err(|problems| wrong(text, &problems))?.program)
}

/// What is explored, and how.
struct Asked {
    program: Arc<Program>,
    code: Arc<Code>,
    settings: Settings,
}

impl Asked {
    fn new(
        text: &str,
        model: Option<&str>,
        algorithm: Option<&str>,
        unroll: Option<u32>,
        stop_at_first: bool,
    ) -> PyResult<Self> {
        let program = Arc::new(parsed(text)?);
        let model = model_of(model, &program, text)?;
        let code = Code::compile(&program).map_err(|error| refuse(error.to_string()))?;
        let code = model.prepare(Arc::new(code));
        let mut options = Options { stop_at_first, ..Options::default() };
        options.limits =
            Limits { unroll: unroll.unwrap_or(options.limits.unroll), ..options.limits }.with_room_for(&code);
        let algorithm = match algorithm {
            Some(name) => name.parse().map_err(|error| refuse(format!("{error}")))?,
            None => Algorithm::fastest(&program, &code, model, options, Followed::Executions).unwrap_or_default(),
        };
        options.validate_for_program(algorithm, model, &code).map_err(|error| refuse(error.to_string()))?;
        let settings =
            Settings { text: text.to_owned(), model, algorithm, options: options.heeded_by(algorithm), position: 0 };
        Ok(Self { program, code, settings })
    }

    fn report<'a>(&'a self, found: &'a Findings, seconds: f64, reason: Option<Interruption>) -> Report<'a> {
        Report {
            name: &self.program.name,
            program: &self.program,
            source: &self.settings.text,
            model: self.settings.model,
            algorithm: self.settings.algorithm,
            options: self.settings.options,
            counts: found.counts,
            results: &found.results,
            seconds,
            unfinished: reason.map(|reason| Unfinished { reason, estimate: None }),
            questions: None,
        }
    }

    /// JSON and text of what was found.
    fn told(&self, found: &Findings, begun: Instant, reason: Option<Interruption>) -> PyResult<(String, String)> {
        let report = self.report(found, begun.elapsed().as_secs_f64(), reason);
        let json = serde_json::to_string(&ResultsJson::from(&report)).map_err(|error| refuse(error.to_string()))?;
        Ok((json, results_text(&report)))
    }

    fn saved(&self) -> checkpoint::Subject {
        let Settings { text, model, algorithm, options, .. } = &self.settings;
        checkpoint::Subject::new(text, *model, *algorithm, *options)
    }

    fn walkable(&self) -> PyResult<Walkable> {
        Walkable::new(self.settings.clone()).map_err(|problems| wrong(&self.settings.text, &problems))
    }
}

/// When something that begins now is to end.
fn deadline(timeout: Option<f64>) -> PyResult<Option<Instant>> {
    let Some(seconds) = timeout else { return Ok(None) };
    let time = Duration::try_from_secs_f64(seconds).map_err(|_| {
        refuse(format!("the timeout is {seconds}: it has to be a number of seconds that is not negative"))
    })?;
    // What a clock can't reach is no bound.
    Ok(Instant::now().checked_add(time))
}

/// Does something that may take long, and looks beside it for signals and the time: what is put aside again and again may begin anew each time.
fn attended<T: Send>(
    py: Python<'_>,
    deadline: Option<Instant>,
    work: impl FnOnce(&mut Budget) -> T + Send,
) -> PyResult<T> {
    attended_until(py, deadline, &mut |_| Ok(false), work)
}

/// The same, ended when `ended` says so, too.
fn attended_until<T: Send>(
    py: Python<'_>,
    deadline: Option<Instant>,
    ended: &mut (dyn FnMut(Python<'_>) -> PyResult<bool> + Send),
    work: impl FnOnce(&mut Budget) -> T + Send,
) -> PyResult<T> {
    let stop = Stop::default();
    let mut budget = Budget::until(stop.clone());
    let mut thrown = None;
    let found = py.detach(|| {
        thread::scope(|scope| {
            let (done, is_done) = mpsc::channel::<()>();
            let working = scope.spawn(move || {
                let found = work(&mut budget);
                drop(done);
                found
            });
            while is_done.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                let looked = Python::attach(|py| py.check_signals().and_then(|()| ended(py)));
                let is_ended = *looked.as_ref().unwrap_or(&true);
                thrown = thrown.take().or(looked.err());
                if is_ended || deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                    stop.tell();
                }
            }
            working.join().unwrap_or_else(|panic| resume_unwind(panic))
        })
    });
    thrown.map_or(Ok(found), Err)
}

/// Explores parts to their end or as far as the bounds allow, and looks for signals meanwhile: the first exception ends it.
fn explored(
    py: Python<'_>,
    exploration: &Walkable,
    parts: Parts,
    bounds: RunBounds,
    timeout: Option<f64>,
    look: &mut (dyn FnMut(Python<'_>, &Status) -> PyResult<Option<Interruption>> + Send),
) -> PyResult<Outcome> {
    let deadline = deadline(timeout)?;
    let mut thrown = None;
    let outcome = py.detach(|| {
        run(exploration, parts, RunBounds { tick: TICK, ..bounds }, &mut |status| {
            let looked = Python::attach(|py| {
                py.check_signals()?;
                look(py, status)
            });
            match looked {
                Ok(None) => {}
                Ok(reason) => return reason,
                Err(error) => {
                    thrown = Some(error);
                    return Some(Interruption::Signal);
                }
            }
            deadline.filter(|deadline| Instant::now() >= *deadline).map(|_| Interruption::Timeout)
        })
    });
    match thrown {
        Some(error) => Err(error),
        None => outcome.map_err(|Foreign| refuse(Foreign.to_string())),
    }
}

/// The same step by step, for algorithms whose explorations can't be cut.
fn stepped(
    py: Python<'_>,
    asked: &Asked,
    max_executions: Option<u64>,
    timeout: Option<f64>,
    progress: &mut (dyn FnMut(Python<'_>, u64) -> PyResult<()> + Send),
) -> PyResult<(Findings, Option<Interruption>)> {
    let Settings { model, algorithm, options, .. } = asked.settings;
    let deadline = deadline(timeout)?;
    let mut explorer: Box<dyn Explorer> =
        algorithm.explorer(Arc::clone(&asked.code), model, options).map_err(|error| refuse(error.to_string()))?;
    let mut results = Results::within(&asked.program, options.limits);
    let reason = py.detach(|| -> PyResult<Option<Interruption>> {
        for number in 1_u64.. {
            let step = explorer.advance();
            if step == Step::Done {
                return Ok(None);
            }
            results.observe(&asked.program, &asked.code, model, &*explorer, step);
            let counts = explorer.counts();
            if max_executions.is_some_and(|most| counts.executions() >= most) {
                return Ok(Some(Interruption::PerhapsMore));
            }
            if number.is_multiple_of(STEPS) {
                Python::attach(|py| py.check_signals().and_then(|()| progress(py, counts.executions())))?;
                if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                    return Ok(Some(Interruption::Timeout));
                }
            }
        }
        Ok(None)
    })?;
    let mut found = Findings::within(&asked.program, options.limits);
    (found.counts, found.results) = (explorer.counts(), results);
    Ok((found, reason))
}

fn bounds(threads: Option<usize>, max_executions: Option<u64>) -> PyResult<RunBounds> {
    let cores = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let none = || refuse("there has to be one thread at least");
    let threads = threads.map_or(Ok(cores), |threads| NonZeroUsize::new(threads).ok_or_else(none))?;
    if max_executions == Some(0) {
        return Err(refuse("max_executions has to be 1 at least"));
    }
    Ok(RunBounds { threads, max_executions, ..RunBounds::default() })
}

/// An execution graph.
#[pyclass(frozen, module = "litmoscope._litmoscope")]
struct Graph {
    program: Arc<Program>,
    model: Model,
    graph: Execution,
    co: Option<Coherence>,
    kind: &'static str,
}

#[pymethods]
impl Graph {
    /// `complete`, `blocked`, `stuck` or `erroneous`; of what an exploration kept, `first`, `violation` or `witness`.
    #[getter]
    fn kind(&self) -> &'static str {
        self.kind
    }

    /// Events and relations as JSON, with co: the algorithm's, or one that fits.
    fn json(&self) -> PyResult<String> {
        let input = self.input();
        let co = match &self.co {
            Some(co) => Some(co.clone()),
            None => self.model.consistency_for_view(&self.graph).witness().map(|witness| witness.co),
        };
        serde_json::to_string(&GraphJson::new(&input, self.model, co.as_ref()))
            .map_err(|error| refuse(error.to_string()))
    }

    /// As plain text.
    fn text(&self) -> String {
        graph_text(&self.input())
    }

    /// As a picture.
    fn svg(&self, theme: &str) -> PyResult<String> {
        let theme = match theme {
            "light" => Theme::Light,
            "dark" => Theme::Dark,
            "contrast" => Theme::Contrast,
            _ => return Err(refuse(format!("there is no theme {theme}: light, dark, contrast"))),
        };
        Ok(svg(&layout(self.input().diagram()), theme))
    }
}

impl Graph {
    fn input(&self) -> DrawingInput<'_> {
        DrawingInput::with_relations(&self.program, self.model, &self.graph, self.co.as_ref())
    }
}

/// Executions one after the other, each when it is asked for.
#[pyclass(unsendable, module = "litmoscope._litmoscope")]
struct Executions {
    asked: Asked,
    explorer: Box<dyn Explorer>,
}

#[pymethods]
impl Executions {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<Graph>> {
        for number in 1_u64.. {
            let kind = match self.explorer.advance() {
                Step::Done => return Ok(None),
                Step::Execution { kind: ExecutionKind::Complete, .. } => "complete",
                Step::Execution { kind: ExecutionKind::Blocked, .. } => "blocked",
                Step::Execution { kind: ExecutionKind::StuckForGood, .. } => "stuck",
                Step::Execution { kind: ExecutionKind::Erroneous, .. } => "erroneous",
                _ => {
                    if number.is_multiple_of(STEPS) {
                        py.check_signals()?;
                    }
                    continue;
                }
            };
            return Ok(Some(Graph {
                program: Arc::clone(&self.asked.program),
                model: self.asked.settings.model,
                graph: self.explorer.execution().clone(),
                co: self.explorer.coherence().cloned(),
                kind,
            }));
        }
        Ok(None)
    }
}

/// An exploration that is stepped through, in both directions.
#[pyclass(unsendable, module = "litmoscope._litmoscope")]
struct Steps(Session);

/// What there is to see at a position: it, the step's name, what it does, a drawing in light and one in dark colours, and a link to the page.
type Seen = (u64, String, String, String, String, String);

#[pymethods]
impl Steps {
    #[new]
    fn new(text: &str, model: Option<&str>, algorithm: Option<&str>, unroll: Option<u32>) -> PyResult<Self> {
        let asked = Asked::new(text, model, algorithm, unroll, false)?;
        Session::open(asked.settings).map(Self).map_err(|problems| wrong(text, &problems))
    }

    /// Explores up to a position: how many steps are known then, and whether these are all.
    fn know(&mut self, py: Python<'_>, position: u64) -> PyResult<(u64, bool)> {
        let session = &mut self.0;
        while session.frontier() < position && !session.is_done() && !session.is_full() {
            session.run(STEPS.min(position - session.frontier()));
            py.check_signals()?;
        }
        Ok((session.frontier(), session.is_done()))
    }

    /// What there is to see at a position, or at the last one that is known.
    fn at(&mut self, position: u64) -> Seen {
        let session = &mut self.0;
        session.go_to(position.min(session.frontier()), 0);
        let view = session.view(&ViewRequest::default());
        let picture = |theme| svg(&view.drawing, theme);
        let (light, dark) = (picture(Theme::Light), picture(Theme::Dark));
        (view.position, view.step_name, view.explanation, light, dark, session.link())
    }
}

/// A table of whole numbers as an Arrow stream, in a capsule that other packages read.
#[pyfunction]
fn arrow<'py>(py: Python<'py>, columns: Vec<(String, Vec<Option<i64>>)>) -> PyResult<Bound<'py, PyCapsule>> {
    let columns =
        columns.into_iter().map(|(name, values)| (name, Arc::new(Int64Array::from(values)) as ArrayRef, true));
    let table = RecordBatch::try_from_iter_with_nullable(columns).map_err(|error| refuse(error.to_string()))?;
    let schema = table.schema();
    let stream = FFI_ArrowArrayStream::new(Box::new(RecordBatchIterator::new([Ok(table)], schema)));
    PyCapsule::new(py, stream, Some(c"arrow_array_stream".to_owned()))
}

/// The executions of a program.
#[pyfunction]
fn executions(text: &str, model: Option<&str>, algorithm: Option<&str>, unroll: Option<u32>) -> PyResult<Executions> {
    let asked = Asked::new(text, model, algorithm, unroll, false)?;
    let Settings { model, algorithm, options, .. } = asked.settings;
    let explorer = algorithm.explorer(Arc::clone(&asked.code), model, options);
    let explorer = explorer.map_err(|error| refuse(error.to_string()))?;
    Ok(Executions { asked, explorer })
}

/// Reads a program: its name, and the name of its model.
#[pyfunction]
fn parse(text: &str) -> PyResult<(String, &'static str)> {
    let program = parsed(text)?;
    Code::compile(&program).map_err(|error| refuse(error.to_string()))?;
    let model = model_of(None, &program, text)?;
    Ok((program.name, model.name()))
}

/// The names and titles of the memory models.
#[pyfunction]
fn models() -> Vec<(&'static str, &'static str)> {
    Model::ALL.iter().map(|model| (model.name(), model.title())).collect()
}

/// The names and titles of the algorithms.
#[pyfunction]
fn algorithms() -> Vec<(&'static str, &'static str)> {
    Algorithm::ALL.iter().map(|algorithm| (algorithm.name(), algorithm.title())).collect()
}

/// What was found, as JSON and text, and graphs: the first execution, that of the first violation, and that which an `exists` asks for.
type Found = (String, String, Option<Graph>, Option<Graph>, Option<Graph>);

impl Asked {
    fn found(&self, found: Findings, begun: Instant, reason: Option<Interruption>) -> PyResult<Found> {
        let (json, text) = self.told(&found, begun, reason)?;
        let graph = |moment: Option<Moment>, kind| {
            let Moment { graph, co, .. } = moment?;
            Some(Graph { program: Arc::clone(&self.program), model: self.settings.model, graph, co, kind })
        };
        let Findings { first, violation, witness, .. } = found;
        Ok((json, text, graph(first, "first"), graph(violation, "violation"), graph(witness, "witness")))
    }
}

/// Explores a program.
#[pyfunction]
#[pyo3(signature = (text, model, algorithm, unroll, stop_at_first, max_executions, timeout, threads, progress))]
#[expect(clippy::too_many_arguments, reason = "Python names them")]
fn explore(
    py: Python<'_>,
    text: &str,
    model: Option<&str>,
    algorithm: Option<&str>,
    unroll: Option<u32>,
    stop_at_first: bool,
    max_executions: Option<u64>,
    timeout: Option<f64>,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Found> {
    let asked = Asked::new(text, model, algorithm, unroll, stop_at_first)?;
    let bounds = bounds(threads, max_executions)?;
    let begun = Instant::now();
    let mut next = begun;
    let mut progress = |py: Python<'_>, executions: u64| {
        if let Some(progress) = progress.as_ref().filter(|_| Instant::now() >= next) {
            next = Instant::now() + PROGRESS_EVERY;
            progress.call1(py, (executions,))?;
        }
        Ok(())
    };
    let Ok(exploration) = asked.walkable() else {
        let (found, reason) = stepped(py, &asked, max_executions, timeout, &mut progress)?;
        return asked.found(found, begun, reason);
    };
    let parts = Parts::new(exploration.nothing());
    let outcome = explored(py, &exploration, parts, bounds, timeout, &mut |py, status| {
        progress(py, status.counts().executions()).map(|()| None)
    })?;
    let reason = outcome.interruption;
    asked.found(outcome.findings(exploration.nothing()), begun, reason)
}

/// Why a model allows an outcome or not: whether it does, and text.
#[pyfunction]
fn why_not(
    py: Python<'_>,
    text: &str,
    model: Option<&str>,
    outcome: Option<&str>,
    timeout: Option<f64>,
) -> PyResult<(Option<bool>, String)> {
    let model = model_of(model, &parsed(text)?, text)?;
    let litmus = Litmus::parse(text).map_err(|error| refuse(error.to_string()))?;
    let why = attended(py, deadline(timeout)?, |budget| litmus.why_not_within(model, outcome, budget))?;
    let why = why.map_err(|error| refuse(error.to_string()))?;
    Ok((why.allowed, why.text))
}

/// All minimal repairs, as JSON.
#[pyfunction]
fn repair(
    py: Python<'_>,
    text: &str,
    model: Option<&str>,
    forbid: Option<&str>,
    timeout: Option<f64>,
) -> PyResult<String> {
    let program = parsed(text)?;
    let model = model_of(model, &program, text)?;
    if program.has_handlers() || program.is_beyond_events() {
        return Err(refuse("repairs do without handlers, inputs, `atomic` and declared ranges: leave them out"));
    }
    Code::compile(&program).map_err(|error| refuse(error.to_string()))?;
    let goal = match forbid {
        Some(outcome) => {
            let question = OutcomeQuestion::parse(&program, outcome).map_err(|error| refuse(error.to_string()))?;
            Goal::without(&question)
        }
        None => Goal::of(&program),
    };
    let deadline = deadline(timeout)?;
    let name = program.name.clone();
    let subject = Subject::new(program, model, Aim::Strengthen { races: goal.errors }, Kept::default());
    let search = Search::new(subject, goal, Options::default(), Costs::default(), Bounds::default());
    let mut search = search.ok_or_else(|| refuse("the program can't be explored"))?;
    attended(py, deadline, |budget| while let Ok(true) = search.advance(budget) {})?;
    let stopped = !search.is_over();
    let report = RepairReport { name: &name, source: text, search: &search, stopped, needed: &[] };
    serde_json::to_string(&RepairJson::from(&report)).map_err(|error| refuse(error.to_string()))
}

/// Whether an abstract execution is consistent, under one model or under all that can be asked: JSON and text of each.
#[pyfunction]
fn verify(py: Python<'_>, text: &str, model: Option<&str>) -> PyResult<Vec<(String, String)>> {
    let execution = parse_execution(text).map_err(|problems| wrong(text, &problems))?;
    let chosen: Option<Model> =
        model.map(|name| name.parse().map_err(|error| refuse(format!("{error}")))).transpose()?;
    let mut all = Vec::new();
    for model in chosen.map_or(Model::ALL.to_vec(), |model| vec![model]) {
        let answer = match py.detach(|| decide(model, &execution, &Asking::default())) {
            Ok(answer) => answer,
            Err(error) if chosen.is_some() => return Err(refuse(error.to_string())),
            Err(_) => continue,
        };
        let report = ConsistencyReport { name: &execution.program.name, execution: &execution, model, answer: &answer };
        let json = serde_json::to_string(&ConsistencyJson::from(&report)).map_err(|error| refuse(error.to_string()))?;
        all.push((json, consistency_text(&report, Detail::Full)));
        py.check_signals()?;
    }
    Ok(all)
}

/// Whether histories are linearizable: JSON and text of each.
#[pyfunction]
fn linearize(
    py: Python<'_>,
    text: &str,
    object: Option<&str>,
    timeout: Option<f64>,
) -> PyResult<Vec<(String, String)>> {
    let deadline = deadline(timeout)?;
    let named = |name: &str| {
        let all: Vec<&str> = Object::ALL.iter().map(|object| object.name()).collect();
        let found = Object::ALL.into_iter().find(|object| object.name() == name);
        found.ok_or_else(|| refuse(format!("there is no object {name}: there are {}", all.join(", "))))
    };
    let object = object.map(named).transpose()?;
    let options = ReadOptions { object, ..ReadOptions::default() };
    let (recording, _) = parse_history(text, &options).map_err(|problems| wrong(text, &problems))?;
    let mut all = Vec::new();
    for history in &recording.histories {
        let object = object.or(history.object);
        let object =
            object.ok_or_else(|| refuse("the text does not say what its object is: say it, for example queue"))?;
        let limit = Limits::default().search;
        let (judgement, minimal) = attended(py, deadline, |budget| {
            let judgement = judge(history, object, Monitor::Auto, limit, budget).ok();
            let is_not = judgement.as_ref().is_some_and(|judgement| matches!(judgement.answer, Answer::Not(_)));
            let again = |history: &History, budget: &mut Budget| {
                Ok(judge(history, object, Monitor::Auto, limit, budget)?.answer)
            };
            let minimal = if is_not { minimise(history, &again, budget) } else { Ok(None) };
            (judgement, minimal)
        })?;
        let report = HistoryReport {
            name: &history.name,
            history,
            object,
            judgement: judgement.as_ref(),
            minimal: minimal.as_ref().ok().and_then(Option::as_ref),
            is_minimal_stopped: minimal.is_err(),
            printed: None,
        };
        let json = serde_json::to_string(&HistoryJson::new(&report, Detail::Full))
            .map_err(|error| refuse(error.to_string()))?;
        all.push((json, report.text(Detail::Full)));
    }
    Ok(all)
}

/// The fragment of a link to the page, `#` included.
#[pyfunction]
fn link(text: &str, model: Option<&str>) -> PyResult<String> {
    let model = model_of(model, &parsed(text)?, text)?;
    Ok(Litmus::parse(text).map_err(|error| refuse(error.to_string()))?.link(model))
}

/// What goes over a network: a checkpoint, packed as zlib does. It has a tenth of the bytes.
fn packed(asked: &Asked, parts: &Parts) -> PyResult<Vec<u8>> {
    let mut packer = ZlibEncoder::new(Vec::new(), Compression::fast());
    packer
        .write_all(&checkpoint::encode(&asked.saved(), parts))
        .and_then(|()| packer.finish())
        .map_err(|error| refuse(error.to_string()))
}

/// No part that is unpacked is larger.
const MOST_UNPACKED: u64 = 1 << 28;

/// A checkpoint that was packed.
fn unpacked(bytes: &[u8]) -> Result<Saved, String> {
    Saved::read(&mut ZlibDecoder::new(bytes).take(MOST_UNPACKED)).map_err(|why| why.to_string())
}

fn damaged(why: impl Display) -> PyErr {
    refuse(format!("the part can't be used: {why}"))
}

/// What a part is of, with its parts.
fn opened(packed: &[u8]) -> PyResult<(Asked, Parts)> {
    opened_as(unpacked(packed).map_err(damaged)?)
}

/// What was written down is of, with its parts.
fn opened_as(saved: Saved) -> PyResult<(Asked, Parts)> {
    let checkpoint::Subject { text, model, algorithm, options, .. } = saved.subject.clone();
    let saved = saved.of(&checkpoint::Subject::new(&text, model, algorithm, options)).map_err(damaged)?;
    let program = Arc::new(parsed(&text)?);
    let code = Code::compile(&program).map_err(damaged)?;
    let code = model.prepare(Arc::new(code));
    options.validate_for_program(algorithm, model, &code).map_err(damaged)?;
    let parts = saved.parts(&program, &code).map_err(damaged)?;
    Ok((Asked { program, code, settings: Settings { text, model, algorithm, options, position: 0 } }, parts))
}

/// What is left of a part, from left to right: its number, where it is in the order of all, and itself.
type Left<'py> = (u64, Bound<'py, PyBytes>, Bound<'py, PyBytes>);

/// Where a part is in the order of all.
fn place<'py>(py: Python<'py>, work: &Work) -> Bound<'py, PyBytes> {
    let place: Vec<u8> = work.0.iter().flat_map(|branch| branch.next.to_be_bytes()).collect();
    PyBytes::new(py, &place)
}

/// A part of which nothing was explored, as it goes out.
fn content<'py>(py: Python<'py>, asked: &Asked, nothing: &Findings, work: &Work) -> PyResult<Bound<'py, PyBytes>> {
    let mut parts = Parts::new(nothing.clone());
    for part in &mut parts.0 {
        (part.start, part.rest) = (work.clone(), Some(work.clone()));
    }
    Ok(PyBytes::new(py, &packed(asked, &parts)?))
}

fn left<'py>(py: Python<'py>, asked: &Asked, nothing: &Findings, (number, work): (u64, &Work)) -> PyResult<Left<'py>> {
    Ok((number, place(py, work), content(py, asked, nothing, work)?))
}

/// An exploration whose parts others explore.
#[pyclass(module = "litmoscope._litmoscope")]
struct Ledger {
    asked: Asked,
    exploration: Walkable,
    ledger: run::Ledger,
    begun: Instant,
}

impl Ledger {
    fn of(asked: Asked, parts: Option<Parts>, piece: Option<u64>) -> PyResult<Self> {
        let exploration = asked.walkable()?;
        let nothing = exploration.nothing();
        let parts = parts.unwrap_or_else(|| Parts::new(nothing.clone()));
        let stop_at_first = asked.settings.options.stop_at_first;
        let ledger = run::Ledger::new(parts, nothing, stop_at_first, piece.unwrap_or(u64::MAX));
        Ok(Self { asked, exploration, ledger, begun: Instant::now() })
    }
}

#[pymethods]
impl Ledger {
    /// An exploration that was not begun.
    #[staticmethod]
    fn begin(
        text: &str,
        model: Option<&str>,
        algorithm: Option<&str>,
        unroll: Option<u32>,
        stop_at_first: bool,
    ) -> PyResult<Self> {
        Self::of(Asked::new(text, model, algorithm, unroll, stop_at_first)?, None, None)
    }

    /// One that was written down. No more than `piece` executions are put together for good.
    #[staticmethod]
    fn resume(checkpoint: &[u8], piece: Option<u64>) -> PyResult<Self> {
        let wrong = |why| refuse(format!("the checkpoint can't be used: {why}"));
        let (asked, parts) = opened_as(Saved::read(&mut &*checkpoint).map_err(wrong)?)?;
        Self::of(asked, Some(parts), piece)
    }

    /// Cuts what is left until there are so many parts, each explored for so many executions. All are news then.
    fn cut(&mut self, py: Python<'_>, wanted: usize, each: u64) -> PyResult<()> {
        if wanted == 0 || wanted > checkpoint::MAX_PARTS / 4 {
            return Err(refuse(format!("there can be from 1 to {} parts", checkpoint::MAX_PARTS / 4)));
        }
        let (exploration, ledger) = (&self.exploration, &mut self.ledger);
        attended(py, None, |budget| ledger.cut(exploration, wanted, each, budget))?
            .map_err(|error| refuse(error.to_string()))
    }

    /// The numbers of what is left and was not given before, and where each is in the order of all.
    fn news<'py>(&mut self, py: Python<'py>) -> Vec<(u64, Bound<'py, PyBytes>)> {
        self.ledger.news().map(|(number, work)| (number, place(py, work))).collect()
    }

    /// A part that is left, by its number, as it is to go out now: it knows whether final states are wanted.
    fn content<'py>(&self, py: Python<'py>, number: u64) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let part = self.ledger.work(number).map(|work| content(py, &self.asked, &self.ledger.nothing(), work));
        part.transpose()
    }

    /// All that is left, from left to right.
    fn left<'py>(&self, py: Python<'py>) -> PyResult<Vec<Left<'py>>> {
        let nothing = self.ledger.nothing();
        self.ledger.left().map(|one| left(py, &self.asked, &nothing, one)).collect()
    }

    /// The numbers of all that is left, from left to right, and where each is in the order of all.
    fn places<'py>(&self, py: Python<'py>) -> Vec<(u64, Bound<'py, PyBytes>)> {
        self.ledger.left().map(|(number, work)| (number, place(py, work))).collect()
    }

    /// Takes what became of a part: whether that is nothing, and it is left as it was.
    fn take(&mut self, found: &[u8]) -> PyResult<bool> {
        let there = unpacked(found).map_err(damaged)?.of(&self.asked.saved());
        let there = there.and_then(|there| there.parts(&self.asked.program, &self.asked.code)).map_err(damaged)?;
        Ok(self.ledger.take(there) == Taken::Unchanged)
    }

    /// How many executions were found.
    #[getter]
    fn executions(&self) -> u64 {
        self.ledger.counts().executions()
    }

    /// How many of them there are before the first part that is left.
    #[getter]
    fn settled(&self) -> u64 {
        self.ledger.settled()
    }

    /// How many parts are left.
    #[getter]
    fn open(&self) -> usize {
        self.ledger.open()
    }

    /// All that is known.
    fn checkpoint<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let bytes = checkpoint::encode(&self.asked.saved(), &self.ledger.parts());
        PyBytes::new(py, &bytes)
    }

    /// Writes the same to a file, of which nothing is in memory as a whole: it can have hundreds of megabytes.
    fn write(&self, path: PathBuf) -> PyResult<()> {
        let mut file = BufWriter::new(File::create(path)?);
        checkpoint::write(&self.asked.saved(), || self.ledger.each(), &mut file)?;
        Ok(file.flush()?)
    }

    /// What was found, and what ended the exploration if something is left.
    fn result(&self, reason: &str) -> PyResult<Found> {
        let parts = self.ledger.parts();
        let reason = match reason {
            "timeout" => Interruption::Timeout,
            _ => Interruption::PartsLeft,
        };
        let reason = (!parts.is_over()).then_some(reason);
        self.asked.found(parts.findings(self.exploration.nothing()), self.begun, reason)
    }

    /// What the first so many executions are, in the order of the whole: what lies before them is explored here.
    fn first(&self, py: Python<'_>, max_executions: u64, threads: usize, timeout: Option<f64>) -> PyResult<Found> {
        let bounds = bounds(Some(threads), Some(max_executions))?;
        let outcome = explored(py, &self.exploration, self.ledger.parts(), bounds, timeout, &mut |_, _| Ok(None))?;
        let reason = outcome.interruption;
        self.asked.found(outcome.findings(self.exploration.nothing()), self.begun, reason)
    }
}

/// A part with what was found and what is left, how many executions that are, whether it is over, and whether something is wrong in it.
type Ran<'py> = (Bound<'py, PyBytes>, u64, bool, bool);

/// What is to be even is explored for this part of all that was explored.
const EVEN: u64 = 32;

/// What was found has fewer bytes than that.
const MOST_BYTES: usize = 1_000_000;
/// How often to ask whether somebody else has ended it.
const ASK_EVERY: Duration = Duration::from_millis(500);

/// Explores a part, until `until` says so at the latest, and cuts what is left into pieces.
#[pyfunction]
fn run_part<'py>(
    py: Python<'py>,
    part: &[u8],
    timeout: Option<f64>,
    threads: usize,
    cut: (usize, bool),
    max_executions: Option<u64>,
    until: Option<Py<PyAny>>,
) -> PyResult<Ran<'py>> {
    let (pieces, even) = cut;
    let (asked, begun) = opened(part)?;
    let mut settings = asked.settings.clone();
    if begun.iter().any(|part| part.found.results.has_too_many_outcomes()) {
        // Nobody wants to know final states.
        settings.options.limits.table = 0;
    }
    let exploration = Walkable::new(settings).map_err(|problems| wrong(&asked.settings.text, &problems))?;
    let bounds = bounds(Some(threads), max_executions)?;
    let deadline = deadline(timeout)?;
    let mut next = Instant::now();
    let mut ended = |py: Python<'_>| match &until {
        Some(until) if Instant::now() >= next => {
            next = Instant::now() + ASK_EVERY;
            until.call0(py)?.is_truthy(py)
        }
        _ => Ok(false),
    };
    let mut most = max_executions.unwrap_or(u64::MAX);
    loop {
        // Threads share a part as they share a whole, which knows no bound within it.
        let mut parts = if threads > 1 && most == u64::MAX {
            let bounds = RunBounds { max_executions: None, ..bounds };
            let look = &mut |py: Python<'_>, _: &Status| Ok(ended(py)?.then_some(Interruption::Signal));
            explored(py, &exploration, begun.clone(), bounds, timeout, look)?.parts
        } else {
            let begun = begun.clone();
            let work = |budget: &mut Budget| {
                let mut left = most;
                let parts = begun.0.into_iter().map(|part| {
                    let part = explore_part(&exploration, part, left, budget)?;
                    left = left.saturating_sub(part.found.counts.executions());
                    Ok(part)
                });
                parts.collect::<Result<Vec<_>, Foreign>>()
            };
            let parts = attended_until(py, deadline, &mut ended, work)?;
            PartsOf(parts.map_err(|Foreign| refuse(Foreign.to_string()))?)
        };
        if pieces > 1 && !parts.is_over() {
            let each = if even { parts.handed_over().executions() / EVEN } else { 0 };
            let cut = attended(py, None, |budget| divide(&exploration, parts, pieces, each, budget))?;
            parts = cut.map_err(|error| refuse(error.to_string()))?;
        }
        let counts = parts.handed_over();
        let found = packed(&asked, &parts)?;
        if found.len() >= MOST_BYTES && counts.executions() > 1 {
            most = counts.executions() / 2;
            continue;
        }
        return Ok((PyBytes::new(py, &found), counts.executions(), parts.is_over(), counts.is_any_wrong()));
    }
}

/// What is left of what became of a part.
#[pyfunction]
fn left_of<'py>(py: Python<'py>, found: &[u8]) -> PyResult<Vec<Left<'py>>> {
    let (asked, parts) = opened(found)?;
    let nothing = asked.walkable()?.nothing();
    let ledger = run::Ledger::new(parts, nothing.clone(), asked.settings.options.stop_at_first, u64::MAX);
    ledger.left().map(|one| left(py, &asked, &nothing, one)).collect()
}

#[pymodule]
fn _litmoscope(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("LitmoscopeError", module.py().get_type::<LitmoscopeError>())?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_function(wrap_pyfunction!(parse, module)?)?;
    module.add_function(wrap_pyfunction!(models, module)?)?;
    module.add_function(wrap_pyfunction!(algorithms, module)?)?;
    module.add_class::<Graph>()?;
    module.add_class::<Executions>()?;
    module.add_class::<Steps>()?;
    module.add_function(wrap_pyfunction!(arrow, module)?)?;
    module.add_function(wrap_pyfunction!(executions, module)?)?;
    module.add_function(wrap_pyfunction!(explore, module)?)?;
    module.add_function(wrap_pyfunction!(why_not, module)?)?;
    module.add_function(wrap_pyfunction!(repair, module)?)?;
    module.add_function(wrap_pyfunction!(verify, module)?)?;
    module.add_function(wrap_pyfunction!(linearize, module)?)?;
    module.add_function(wrap_pyfunction!(link, module)?)?;
    module.add_class::<Ledger>()?;
    module.add_function(wrap_pyfunction!(run_part, module)?)?;
    module.add_function(wrap_pyfunction!(left_of, module)?)?;
    Ok(())
}
