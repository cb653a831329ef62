//! What the page and its web worker say to each other, and the worker's side of it.
//!
//! The worker owns the [`Session`]. Whatever may take long runs in slices of a few milliseconds, with the worker's
//! message queue in between, so that [`Request::Stop`] and everything else gets through while an exploration runs.

mod running;
mod walking;

use std::cell::RefCell;
use std::fmt;

use gloo::timers::callback::Timeout;
use gloo::worker::{Codec, HandlerId, Spawnable, Worker, WorkerBridge, WorkerScope};
use js_sys::Uint8Array;
use litmoscope::compare::Bounds;
use litmoscope::explore::{Counts, Findings, Options, Pause, Work};
use litmoscope::model::Model;
use litmoscope::report::{Drawing, RunFile, SavedRun};
use litmoscope::session::{
    Asking, CheckRequest, CheckView, Checking, Comparing, ComparisonView, ContrastView, FoundView, MomentKind,
    OutcomesView, PATIENCE, PartId, Preview, Question, Reply, Search, SearchView, Session, Settings, View, ViewRequest,
    VisitId, WalkerId, WhyNotView, file_settings,
};
use litmoscope::syntax::Diagnostic;
use serde::{Deserialize, Serialize};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use running::Run;
pub use running::RunProgress;
use walking::Walking;

/// Names a request; answers carry the name of the request that they answer. Later requests have greater ones.
pub type RequestId = u32;

/// From the page to the worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Request {
    /// Starts a session and goes to its position. Ends the session and the command before.
    Open {
        /// The name of the request.
        id: RequestId,
        /// What to explore.
        settings: Settings,
        /// What to show.
        look: ViewRequest,
    },
    /// Moves through the session. Ends the command before.
    Do {
        /// The name of the request.
        id: RequestId,
        /// Where to.
        command: Command,
    },
    /// Shows the same point in another way; a command goes on.
    Look {
        /// The name of the request.
        id: RequestId,
        /// What to show from now on.
        look: ViewRequest,
    },
    /// Compares all models on a program. Ends the comparison before.
    Compare {
        /// The name of the request.
        id: RequestId,
        /// The program.
        text: String,
        /// How to explore.
        options: Options,
    },
    /// Shows what two models say of an outcome of the comparison.
    Contrast {
        /// The name of the request.
        id: RequestId,
        /// The row of the outcome.
        row: usize,
        /// A model that allows it.
        allowing: Option<Model>,
        /// A model that forbids it.
        forbidding: Option<Model>,
    },
    /// Asks why a model does not allow an outcome. Ends the question before.
    Ask {
        /// The name of the request.
        id: RequestId,
        /// The program.
        text: String,
        /// The outcome.
        question: String,
        /// The model.
        model: Model,
        /// How to explore.
        options: Options,
    },
    /// Draws what the answer to [`Request::Ask`] speaks of: the witness, or a cycle of a case.
    Draw {
        /// The name of the request.
        id: RequestId,
        /// The case.
        case: usize,
        /// Its cycle.
        cycle: usize,
    },
    /// Asks what all models say of an abstract execution.
    Check {
        /// The name of the request.
        id: RequestId,
        /// What is asked, and what to show of it.
        request: CheckRequest,
    },
    /// Explores everything, shared out among workers. Ends the run before.
    Run {
        /// The name of the request.
        id: RequestId,
        /// What to explore.
        settings: Settings,
        /// How many workers there may be.
        walkers: usize,
        /// What to show.
        look: ViewRequest,
    },
    /// Reads a run from a file.
    OpenRun {
        /// The name of the request.
        id: RequestId,
        /// The file's content.
        content: String,
        /// What to show.
        look: ViewRequest,
    },
    /// Shows another moment of the run, or the same, in another way; the run goes on.
    Show {
        /// The name of the request.
        id: RequestId,
        /// Which moment; `None` for the same.
        moment: Option<MomentKind>,
        /// What to show from now on.
        look: ViewRequest,
    },
    /// Asks something of the graph that was shown, of the session or of the run; a command goes on.
    Read {
        /// The name of the request.
        id: RequestId,
        /// Which graph, by [`View::stamp`].
        stamp: String,
        /// What is asked.
        question: Question,
    },
    /// From the worker that has a run to one that explores: walks through a part.
    Walk {
        /// The part.
        part: PartId,
        /// What to explore.
        settings: Box<Settings>,
        /// Which part of it.
        work: Work,
    },
    /// To one that explores: gives the last piece of its part away.
    Split {
        /// The part.
        part: PartId,
    },
    /// Looks for visits in the tree. Ends the search before; a command goes on.
    Search {
        /// The name of the request.
        id: RequestId,
        /// What to look for.
        question: String,
    },
    /// Asks for the graph of a visit; the session stays where it is.
    Preview {
        /// The name of the request.
        id: RequestId,
        /// The visit.
        visit: VisitId,
    },
    /// Ends the command, the comparison, the run or the walk that goes on, wherever it has come to.
    Stop,
}

/// A move through the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Command {
    /// One step forward.
    Forward,
    /// One step back.
    Back,
    /// To a position.
    GoTo(u64),
    /// To the next whole execution.
    NextExecution,
    /// To the whole execution before.
    PreviousExecution,
    /// To the next error, race, or execution that decides the condition.
    NextViolation,
    /// To the start.
    Reset,
    /// To the end of the exploration.
    Run,
    /// To the end of a visit in the tree.
    GoToVisit(VisitId),
}

/// From the worker to the page.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Response {
    /// The worker is there.
    Ready,
    /// The answer to every request but [`Request::Stop`]: the point where the session has come to.
    Shown {
        /// The request.
        id: RequestId,
        /// What is to be seen there.
        view: Box<View>,
    },
    /// Where [`Request::Compare`] has come to; comes again and again until that is its end.
    Compared {
        /// The request.
        id: RequestId,
        /// What is known.
        view: Box<ComparisonView>,
        /// Whether nothing more will come: it is done, or was stopped.
        over: bool,
    },
    /// The answer to [`Request::Contrast`]; `None` without such a row.
    Contrasted {
        /// The request.
        id: RequestId,
        /// The two executions.
        contrast: Option<Box<ContrastView>>,
    },
    /// The answer to [`Request::Read`]; `None` if there is none, or the graph is another by now.
    Replied {
        /// The request.
        id: RequestId,
        /// What there is to say.
        answer: Option<Box<Reply>>,
    },
    /// Where [`Request::Ask`] has come to; comes again and again until that is its end.
    Answered {
        /// The request.
        id: RequestId,
        /// What is known.
        view: Box<WhyNotView>,
        /// Whether nothing more will come: it is done, or was stopped.
        over: bool,
    },
    /// The answer to [`Request::Draw`]; `None` if there is nothing to draw.
    Drawn {
        /// The request.
        id: RequestId,
        /// The graph.
        drawing: Option<Box<Drawing>>,
    },
    /// The answer to [`Request::Check`].
    Checked {
        /// The request.
        id: RequestId,
        /// What is shown.
        view: Box<CheckView>,
    },
    /// The text of [`Request::Open`], [`Request::Compare`], [`Request::Ask`] or [`Request::Check`] can't be explored.
    Refused {
        /// The request.
        id: RequestId,
        /// Why.
        diagnostics: Vec<Diagnostic>,
    },
    /// A long command goes on.
    Progress {
        /// The request.
        id: RequestId,
        /// How far it has come.
        progress: Progress,
    },
    /// A run goes on.
    Running {
        /// The run.
        id: RequestId,
        /// How far it has come.
        progress: RunProgress,
    },
    /// What a run has found, perhaps so far.
    Found {
        /// The run.
        id: RequestId,
        /// What it found.
        found: Box<FoundView>,
    },
    /// A run is over.
    RunOver {
        /// The run.
        id: RequestId,
        /// How far it has come.
        progress: RunProgress,
        /// What it found.
        found: Option<Box<FoundView>>,
    },
    /// The answer to [`Request::OpenRun`].
    Opened {
        /// The request.
        id: RequestId,
        /// What was explored; or why that is not known, in words.
        opened: Result<Box<Settings>, String>,
        /// What was found.
        found: Option<Box<FoundView>>,
        /// How long that took, in seconds.
        seconds: f64,
    },
    /// What [`Request::Search`] has found; comes again and again until that is its end.
    Searched {
        /// The request.
        id: RequestId,
        /// What was found so far; or why the question is not understood.
        found: Result<SearchView, String>,
    },
    /// The answer to [`Request::Preview`]; `None` without such a visit.
    Previewed {
        /// The request.
        id: RequestId,
        /// The graph.
        preview: Option<Box<Preview>>,
    },
    /// What was found in a part since this was said last.
    Walked {
        /// The part.
        part: PartId,
        /// What was found.
        #[serde(with = "as_in_files")]
        findings: Box<Findings>,
        /// What is left of the part.
        rest: Option<Work>,
        /// Whether it goes on.
        pause: Pause,
    },
    /// The answer to [`Request::Split`]; there is none where the end of the part was said before.
    Given {
        /// The part that it was asked of.
        part: PartId,
        /// What is given away.
        piece: Option<Work>,
        /// What was found in the part since it was said last.
        #[serde(with = "as_in_files")]
        findings: Box<Findings>,
        /// What is left of the part.
        rest: Option<Work>,
    },
    /// The answer to [`Request::Stop`] of a worker that explores: no more will come.
    Halted,
    /// The worker can't go on and has to be replaced.
    Died(String),
}

/// How far a long command has come.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// How many steps have been explored.
    pub frontier: u64,
    /// What was counted.
    pub counts: Counts,
    /// Steps a second.
    pub rate: f64,
    /// What was found so far, now and then.
    pub outcomes: Option<OutcomesView>,
}

/// How long a slice takes, in milliseconds.
const SLICE: f64 = 25.0;
/// How many steps are made between two looks at the clock.
const BUDGET: u64 = 50;
/// How often progress is told, in milliseconds.
const REPORT: f64 = 100.0;
/// How often it is told what was found so far, in milliseconds.
const REPORT_OUTCOMES: f64 = 1000.0;
/// How often it is told what a search has found, in milliseconds.
const REPORT_SEARCH: f64 = 300.0;
/// How often it is told where a comparison has come to, in milliseconds.
const REPORT_COMPARISON: f64 = 300.0;
/// Longer tables wait for the end: to paint them again and again would take the page's time.
const MAX_EARLY_OUTCOMES: usize = 100;

/// A command in progress.
struct Job {
    id: RequestId,
    command: Command,
    started: f64,
    reported: f64,
    outcomes_reported: f64,
    from: u64,
}

/// A comparison or a question in progress.
struct ComparisonJob {
    id: RequestId,
    reported: f64,
}

/// A search in progress.
struct SearchJob {
    id: RequestId,
    search: Search,
    reported: f64,
}

/// Runs the engine away from the page, which stays responsive however long an exploration takes.
#[derive(Default)]
pub struct EngineWorker {
    session: Option<Session>,
    look: ViewRequest,
    job: Option<Job>,
    search: Option<SearchJob>,
    comparing: Option<Comparing>,
    comparison: Option<ComparisonJob>,
    asking: Option<Asking>,
    question: Option<ComparisonJob>,
    checking: Option<Checking>,
    run: Option<Run>,
    saved: Option<SavedRun>,
    walking: Option<Walking>,
    page: Option<HandlerId>,
}

/// What a worker tells itself.
#[derive(Debug)]
pub enum Message {
    /// A slice of the job, the comparison or the walk with this name is due.
    Slice(RequestId),
    /// A while of the run with this name has passed.
    Tick(RequestId),
    /// Walkers of the run with this name are not waited for any longer.
    Late(RequestId),
    /// A walker of the run with this name has said something.
    Walker(RequestId, WalkerId, Box<Response>),
}

impl fmt::Debug for EngineWorker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EngineWorker").field("page", &self.page).finish_non_exhaustive()
    }
}

impl Worker for EngineWorker {
    type Message = Message;
    type Input = Request;
    type Output = Response;

    fn create(_scope: &WorkerScope<Self>) -> Self {
        Self::default()
    }

    fn connected(&mut self, scope: &WorkerScope<Self>, page: HandlerId) {
        self.page = Some(page);
        CONNECTION.set(Some((scope.clone(), page)));
        scope.respond(page, Response::Ready);
    }

    fn update(&mut self, scope: &WorkerScope<Self>, message: Message) {
        match message {
            // A slice of what was stopped meanwhile is not due any more.
            Message::Slice(id) => {
                if self.job.as_ref().is_some_and(|job| job.id == id) {
                    self.slice(scope);
                } else if self.search.as_ref().is_some_and(|job| job.id == id) {
                    self.search_slice(scope);
                } else if self.comparison.as_ref().is_some_and(|job| job.id == id) {
                    self.compare_slice(scope);
                } else if self.question.as_ref().is_some_and(|job| job.id == id) {
                    self.ask_slice(scope);
                } else if self.walking.as_ref().is_some_and(|walking| walking.part() == id) {
                    self.walk_slice(scope);
                }
            }
            Message::Tick(id) => {
                let responses = self.run(id).map(|run| run.tick(scope)).unwrap_or_default();
                responses.into_iter().for_each(|response| self.tell(scope, response));
            }
            Message::Late(id) => {
                if let Some(response) = self.run(id).and_then(Run::late) {
                    self.tell(scope, response);
                }
            }
            Message::Walker(id, walker, response) => {
                if let Some(response) = self.run(id).and_then(|run| run.hear(walker, *response)) {
                    self.tell(scope, response);
                }
            }
        }
    }

    fn received(&mut self, scope: &WorkerScope<Self>, request: Request, page: HandlerId) {
        self.page = Some(page);
        match request {
            Request::Open { id, settings, look } => {
                self.job = None;
                self.search = None;
                self.session = None;
                self.look = look;
                let position = settings.position;
                match Session::open(settings) {
                    Ok(mut session) => {
                        session.be_patient(PATIENCE);
                        self.session = Some(session);
                        self.start(scope, id, Command::GoTo(position));
                    }
                    Err(diagnostics) => scope.respond(page, Response::Refused { id, diagnostics }),
                }
            }
            Request::Do { id, command } => self.start(scope, id, command),
            Request::Look { id, look } => {
                self.look = look;
                self.show(scope, id);
            }
            Request::Compare { id, text, options } => {
                self.comparison = None;
                self.comparing = None;
                match Comparing::open(text, options, Bounds::default()) {
                    Ok(comparing) => {
                        self.comparing = Some(comparing);
                        self.comparison = Some(ComparisonJob { id, reported: js_sys::Date::now() });
                        self.compare_slice(scope);
                    }
                    Err(diagnostics) => scope.respond(page, Response::Refused { id, diagnostics }),
                }
            }
            Request::Contrast { id, row, allowing, forbidding } => {
                let contrast = self.comparing.as_ref().and_then(|c| c.contrast(row, allowing, forbidding));
                scope.respond(page, Response::Contrasted { id, contrast: contrast.map(Box::new) });
            }
            Request::Ask { id, text, question, model, options } => {
                self.question = None;
                self.asking = None;
                match Asking::open(&text, &question, model, options, Bounds::default()) {
                    Ok(asking) => {
                        self.asking = Some(asking);
                        self.question = Some(ComparisonJob { id, reported: js_sys::Date::now() });
                        self.ask_slice(scope);
                    }
                    Err(diagnostics) => scope.respond(page, Response::Refused { id, diagnostics }),
                }
            }
            Request::Draw { id, case, cycle } => {
                let drawing = self.asking.as_ref().and_then(|asking| asking.drawing(case, cycle));
                scope.respond(page, Response::Drawn { id, drawing: drawing.map(Box::new) });
            }
            Request::Check { id, request } => {
                if self.checking.as_ref().is_none_or(|checking| !checking.is_of(&request)) {
                    self.checking = None;
                    match Checking::open(&request) {
                        Ok(checking) => self.checking = Some(checking),
                        Err(diagnostics) => scope.respond(page, Response::Refused { id, diagnostics }),
                    }
                }
                if let Some(checking) = &self.checking {
                    scope.respond(page, Response::Checked { id, view: Box::new(checking.view(&request)) });
                }
            }
            Request::Run { id, settings, walkers, look } => {
                self.run = None;
                match Run::start(scope, id, settings, walkers, look) {
                    Ok(run) => self.run = Some(run),
                    Err(diagnostics) => scope.respond(page, Response::Refused { id, diagnostics }),
                }
            }
            Request::OpenRun { id, content, look } => {
                self.run = None;
                let opened = RunFile::decode(&content).map_err(|error| error.to_string());
                let (opened, found, seconds) = match opened {
                    Ok(saved) => {
                        let found = FoundView::of_file(&saved, None, &look).ok().map(Box::new);
                        let seconds = saved.file.report.seconds;
                        (Ok(Box::new(file_settings(self.saved.insert(saved)))), found, seconds)
                    }
                    Err(why) => (Err(why), None, 0.0),
                };
                scope.respond(page, Response::Opened { id, opened, found, seconds });
            }
            Request::Show { id, moment, look } => {
                if let Some(saved) = &self.saved {
                    let found = FoundView::of_file(saved, moment, &look).ok().map(Box::new);
                    found.into_iter().for_each(|found| scope.respond(page, Response::Found { id, found }));
                } else if let Some(response) = self.run.as_mut().and_then(|run| run.look(moment, look)) {
                    scope.respond(page, response);
                }
            }
            Request::Read { id, stamp, question } => {
                let answer = self.answer(&stamp, &question).map(Box::new);
                scope.respond(page, Response::Replied { id, answer });
            }
            Request::Walk { part, settings, work } => {
                self.walking = Walking::start(self.walking.take(), &settings, part, &work);
                match &self.walking {
                    Some(_) => self.walk_slice(scope),
                    None => scope.respond(page, Response::Died("there is no such part to explore".to_owned())),
                }
            }
            Request::Split { part } => {
                if let Some(walking) = self.walking.as_mut().filter(|walking| walking.part() == part) {
                    walking.give(scope, page);
                }
            }
            Request::Search { id, question } => {
                self.search = None;
                let Some(session) = &self.session else { return };
                match Search::open(session, &question) {
                    Ok(search) => {
                        self.search = Some(SearchJob { id, search, reported: js_sys::Date::now() });
                        self.search_slice(scope);
                    }
                    Err(why) => scope.respond(page, Response::Searched { id, found: Err(why) }),
                }
            }
            Request::Preview { id, visit } => {
                let preview = self.session.as_ref().and_then(|session| session.preview(visit));
                scope.respond(page, Response::Previewed { id, preview: preview.map(Box::new) });
            }
            Request::Stop => {
                if let Some(mut walking) = self.walking.take() {
                    walking.report(scope, page, Pause::Steps);
                }
                if let Some(run) = &mut self.run {
                    run.stop(scope);
                } else if self.session.is_none() && self.comparing.is_none() && self.asking.is_none() {
                    scope.respond(page, Response::Halted);
                }
                if let Some(job) = self.job.take() {
                    self.show(scope, job.id);
                }
                if let Some(job) = self.comparison.take() {
                    self.show_comparison(scope, job.id, true);
                }
                if let Some(job) = self.question.take() {
                    self.show_answer(scope, job.id, true);
                }
            }
        }
    }
}

impl EngineWorker {
    /// The run with this name, if there is still one.
    fn run(&mut self, id: RequestId) -> Option<&mut Run> {
        self.run.as_mut().filter(|run| run.id() == id)
    }

    fn answer(&self, stamp: &str, question: &Question) -> Option<Reply> {
        if let Some(saved) = &self.saved {
            return FoundView::answer_of_file(saved, stamp, question);
        }
        if let Some(run) = &self.run {
            return run.answer(stamp, question);
        }
        let session = self.session.as_ref()?;
        let subject = session.subject();
        (subject.stamp() == stamp).then(|| subject.answer(question)).flatten()
    }

    fn tell(&self, scope: &WorkerScope<Self>, response: Response) {
        if let Some(page) = self.page {
            scope.respond(page, response);
        }
    }

    /// Goes on with the walk for a while.
    fn walk_slice(&mut self, scope: &WorkerScope<Self>) {
        let (Some(walking), Some(owner)) = (&mut self.walking, self.page) else { return };
        walking.slice(scope, owner);
    }

    fn start(&mut self, scope: &WorkerScope<Self>, id: RequestId, command: Command) {
        let Some(session) = &self.session else { return };
        let now = js_sys::Date::now();
        self.job =
            Some(Job { id, command, started: now, reported: now, outcomes_reported: now, from: session.frontier() });
        self.slice(scope);
    }

    /// Goes on with the job for a while; at its end, shows where it led to.
    fn slice(&mut self, scope: &WorkerScope<Self>) {
        let (Some(session), Some(job), Some(page)) = (&mut self.session, &mut self.job, self.page) else { return };
        let end = js_sys::Date::now() + SLICE;
        let mut now;
        loop {
            if advance(session, job.command) {
                let id = job.id;
                self.job = None;
                self.show(scope, id);
                return;
            }
            now = js_sys::Date::now();
            if now >= end {
                break;
            }
        }
        let id = job.id;
        if now - job.reported >= REPORT {
            job.reported = now;
            let seconds = (now - job.started) / 1000.0;
            let rate = (session.frontier() - job.from) as f64 / seconds.max(0.001);
            let due = now - job.outcomes_reported >= REPORT_OUTCOMES;
            let outcomes =
                (due && session.results().outcomes().len() <= MAX_EARLY_OUTCOMES).then(|| session.outcomes());
            if due {
                job.outcomes_reported = now;
            }
            let progress = Progress { frontier: session.frontier(), counts: session.counts(), rate, outcomes };
            scope.respond(page, Response::Progress { id, progress });
        }
        let scope = scope.clone();
        Timeout::new(0, move || scope.send_message(Message::Slice(id))).forget();
    }

    /// Goes on with the search for a while.
    fn search_slice(&mut self, scope: &WorkerScope<Self>) {
        let (Some(session), Some(job), Some(page)) = (&self.session, &mut self.search, self.page) else { return };
        let id = job.id;
        let start = js_sys::Date::now();
        while !job.search.advance(session, BUDGET) {
            let now = js_sys::Date::now();
            if now - start < SLICE {
                continue;
            }
            if now - job.reported >= REPORT_SEARCH {
                job.reported = now;
                scope.respond(page, Response::Searched { id, found: Ok(job.search.view()) });
            }
            let scope = scope.clone();
            Timeout::new(0, move || scope.send_message(Message::Slice(id))).forget();
            return;
        }
        scope.respond(page, Response::Searched { id, found: Ok(job.search.view()) });
        self.search = None;
    }

    /// Goes on with the comparison for a while.
    fn compare_slice(&mut self, scope: &WorkerScope<Self>) {
        let (Some(comparing), Some(job)) = (&mut self.comparing, &mut self.comparison) else { return };
        let id = job.id;
        let end = js_sys::Date::now() + SLICE;
        while comparing.advance() {
            let now = js_sys::Date::now();
            if now < end {
                continue;
            }
            if now - job.reported >= REPORT_COMPARISON {
                job.reported = now;
                self.show_comparison(scope, id, false);
            }
            let scope = scope.clone();
            Timeout::new(0, move || scope.send_message(Message::Slice(id))).forget();
            return;
        }
        self.comparison = None;
        self.show_comparison(scope, id, true);
    }

    fn show_comparison(&self, scope: &WorkerScope<Self>, id: RequestId, over: bool) {
        if let (Some(comparing), Some(page)) = (&self.comparing, self.page) {
            scope.respond(page, Response::Compared { id, view: Box::new(comparing.view()), over });
        }
    }

    /// Goes on with the question for a while.
    fn ask_slice(&mut self, scope: &WorkerScope<Self>) {
        let (Some(asking), Some(job)) = (&mut self.asking, &mut self.question) else { return };
        let id = job.id;
        let end = js_sys::Date::now() + SLICE;
        while asking.advance() {
            let now = js_sys::Date::now();
            if now < end {
                continue;
            }
            if now - job.reported >= REPORT_COMPARISON {
                job.reported = now;
                self.show_answer(scope, id, false);
            }
            let scope = scope.clone();
            Timeout::new(0, move || scope.send_message(Message::Slice(id))).forget();
            return;
        }
        self.question = None;
        self.show_answer(scope, id, true);
    }

    fn show_answer(&self, scope: &WorkerScope<Self>, id: RequestId, over: bool) {
        if let (Some(asking), Some(page)) = (&self.asking, self.page) {
            scope.respond(page, Response::Answered { id, view: Box::new(asking.view()), over });
        }
    }

    fn show(&self, scope: &WorkerScope<Self>, id: RequestId) {
        if let (Some(session), Some(page)) = (&self.session, self.page) {
            scope.respond(page, Response::Shown { id, view: Box::new(session.view(&self.look)) });
        }
    }
}

/// A small part of a command; whether the command is over.
fn advance(session: &mut Session, command: Command) -> bool {
    match command {
        Command::Forward => {
            session.forward();
        }
        Command::Back => {
            session.back();
        }
        Command::PreviousExecution => {
            session.previous_execution();
        }
        Command::Reset => session.reset(),
        Command::GoToVisit(visit) => {
            session.go_to_visit(visit);
        }
        Command::GoTo(position) => return session.go_to(position, BUDGET),
        Command::NextExecution => return session.next_execution(BUDGET),
        Command::NextViolation => return session.next_violation(BUDGET),
        Command::Run => return session.run(BUDGET),
    }
    // One that came back within a step goes on where it was.
    !session.is_paused()
}

thread_local! {
    /// How to reach the page when nothing else works any more.
    static CONNECTION: RefCell<Option<(WorkerScope<EngineWorker>, HandlerId)>> = const { RefCell::new(None) };
}

/// Tells the page that the worker is at its end. Called where a panic is reported, and for errors that are none, such
/// as the end of memory.
pub fn report_death(message: &str) {
    CONNECTION.with(|connection| {
        if let Ok(connection) = connection.try_borrow()
            && let Some((scope, page)) = &*connection
        {
            scope.respond(*page, Response::Died(message.to_owned()));
        }
    });
}

/// Starts the worker; `on_response` gets everything it says, and dropping the bridge ends it.
pub fn spawn(on_response: impl Fn(Response) + 'static) -> WorkerBridge<EngineWorker> {
    EngineWorker::spawner()
        .callback(on_response)
        // The loader is a file: the page's content security policy forbids the blob that gloo would make otherwise.
        .with_loader(true)
        .encoding::<Bytes>()
        .spawn(&loader())
}

#[wasm_bindgen]
extern "C" {
    type Meta;

    #[wasm_bindgen(method, getter)]
    fn url(this: &Meta) -> String;

    #[wasm_bindgen(thread_local_v2, js_namespace = import, js_name = meta)]
    static META: Meta;
}

/// The address that starts a worker, from the page as from another worker: that of `worker.js`, which is told the name
/// of the module that this is.
fn loader() -> String {
    let module = META.with(Meta::url);
    let module = module.rsplit('/').next().unwrap_or_default();
    format!("./worker.js?{}", module.strip_suffix(".js").unwrap_or(module))
}

/// What walkers find, as files of runs have it: some of it can be read only where its parts have names.
mod as_in_files {
    use serde::de::{DeserializeOwned, Deserializer, Error as _};
    use serde::ser::{Error as _, Serializer};
    use serde::{Deserialize, Serialize};

    pub fn serialize<T: Serialize, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&serde_json::to_string(value).map_err(S::Error::custom)?)
    }

    pub fn deserialize<'de, T: DeserializeOwned, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
        let text = String::deserialize(deserializer)?;
        serde_json::from_str(&text).map_err(D::Error::custom)
    }
}

/// Messages as bytes without names: what reads them is a fraction of what reads JSON, in the module and in time. gloo's
/// default, bincode 1, is not kept any more.
#[derive(Debug)]
pub struct Bytes;

impl Codec for Bytes {
    fn encode<I: Serialize>(message: I) -> JsValue {
        let bytes = postcard::to_allocvec(&message).expect("messages are plain data");
        Uint8Array::from(&bytes[..]).into()
    }

    fn decode<O: for<'de> Deserialize<'de>>(bytes: JsValue) -> O {
        let bytes = Uint8Array::new(&bytes).to_vec();
        postcard::from_bytes(&bytes).expect("page and worker are of the same version")
    }
}
