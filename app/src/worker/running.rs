//! Everything explored at once: one worker shares the exploration out among others, which walk through its parts.

use gloo::timers::callback::Timeout;
use gloo::worker::{WorkerBridge, WorkerScope};
use litmoscope::explore::{Counts, Findings};
use litmoscope::session::{
    FoundView, MomentKind, Order, Question, Reply, Settings, Sharing, ViewRequest, Walkable, WalkerId,
};
use litmoscope::syntax::Diagnostic;
use serde::{Deserialize, Serialize};

use super::walking::Estimating;
use super::{EngineWorker, MAX_EARLY_OUTCOMES, Message, Request, RequestId, Response};

/// How often progress is told, in milliseconds.
const TICK: u32 = 100;
/// How often it is told what was found so far, in milliseconds.
const REPORT: f64 = 1000.0;
/// How long walkers have to say what they found last, in milliseconds.
const LAST_WORDS: u32 = 100;
/// How long it may take to estimate, in milliseconds a tick.
const ESTIMATE: f64 = 20.0;

/// How far a run has come.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunProgress {
    /// What was counted.
    pub counts: Counts,
    /// For how long it has run, in seconds.
    pub seconds: f64,
    /// Executions a second, lately.
    pub rate: f64,
    /// How many executions there are, about, and the standard error of that.
    pub estimate: Option<(f64, f64)>,
    /// How many workers explore.
    pub walkers: usize,
}

impl RunProgress {
    /// How many seconds it will take, about.
    pub fn left(&self) -> Option<f64> {
        let (total, _) = self.estimate?;
        let left = (total - self.counts.executions() as f64).max(0.0);
        (self.rate > 0.0).then_some(left / self.rate)
    }
}

/// A run, in the worker that shares it out.
pub struct Run {
    id: RequestId,
    walkable: Walkable,
    look: ViewRequest,
    moment: Option<MomentKind>,
    sharing: Sharing,
    /// What was found when it was over or stopped.
    findings: Option<Findings>,
    /// `None` for those that are lost.
    walkers: Vec<Option<WorkerBridge<EngineWorker>>>,
    /// How many walkers there may be.
    most: usize,
    estimating: Option<Estimating>,
    started: f64,
    reported: f64,
    /// When how many executions were known, lately.
    past: Vec<(f64, u64)>,
    /// How many walkers have not said their last words since it was told to stop.
    stopping: Option<usize>,
}

impl Run {
    /// Starts exploring.
    ///
    /// # Errors
    /// Why it can't be explored.
    pub fn start(
        scope: &WorkerScope<EngineWorker>,
        id: RequestId,
        settings: Settings,
        most: usize,
        look: ViewRequest,
    ) -> Result<Self, Vec<Diagnostic>> {
        // Whatever is wrong is said here, once.
        let walkable = Walkable::new(settings)?;
        let now = js_sys::Date::now();
        let mut run = Self {
            id,
            estimating: Estimating::new(&walkable),
            sharing: Sharing::new(walkable.program().clone()),
            walkable,
            look,
            moment: None,
            findings: None,
            walkers: Vec::new(),
            most: most.max(1),
            started: now,
            reported: now,
            past: vec![(now, 0)],
            stopping: None,
        };
        // More join when there turns out to be work for them.
        run.add_walker(scope);
        run.give_orders();
        run.wait(scope);
        Ok(run)
    }

    /// Its name.
    pub fn id(&self) -> RequestId {
        self.id
    }

    fn wait(&self, scope: &WorkerScope<EngineWorker>) {
        let (scope, id) = (scope.clone(), self.id);
        Timeout::new(TICK, move || scope.send_message(Message::Tick(id))).forget();
    }

    fn add_walker(&mut self, scope: &WorkerScope<EngineWorker>) {
        let walker = self.sharing.join();
        let (scope, id) = (scope.clone(), self.id);
        let bridge = super::spawn(move |response| {
            scope.send_message(Message::Walker(id, walker, Box::new(response)));
        });
        self.walkers.push(Some(bridge));
    }

    fn give_orders(&mut self) {
        for (walker, order) in self.sharing.orders() {
            let request = match order {
                Order::Walk(part, work) => {
                    Request::Walk { part, settings: Box::new(self.walkable.settings().clone()), work }
                }
                Order::Split(part) => Request::Split { part },
            };
            if let Some(bridge) = &self.walkers[walker] {
                bridge.send(request);
            }
        }
    }

    /// A walker has said something. What there is to say to the page.
    pub fn hear(&mut self, walker: WalkerId, response: Response) -> Option<Response> {
        if self.findings.is_some() {
            return None;
        }
        match response {
            Response::Walked { part, findings, rest, pause } => {
                self.sharing.found(walker, part, *findings, rest, pause);
            }
            Response::Given { part, piece, findings, rest } => {
                self.sharing.given(walker, part, piece, *findings, rest);
            }
            Response::Halted => return self.halted(),
            Response::Died(message) => {
                // A panic is said twice, since it is an error of the script as well.
                self.walkers[walker].take()?;
                self.sharing.lost(walker);
                if self.stopping.is_some() {
                    return self.halted();
                }
                if self.sharing.alive() == 0 {
                    self.end();
                    return Some(Response::Died(message));
                }
            }
            _ => return None,
        }
        if self.sharing.is_over() {
            return Some(self.finish());
        }
        if self.stopping.is_none() {
            self.give_orders();
        }
        None
    }

    /// One more of the walkers that were told to stop will say nothing more.
    fn halted(&mut self) -> Option<Response> {
        let left = self.stopping.as_mut()?;
        *left = left.saturating_sub(1);
        (*left == 0).then(|| self.finish())
    }

    /// Some time has passed. What there is to say to the page.
    pub fn tick(&mut self, scope: &WorkerScope<EngineWorker>) -> Vec<Response> {
        if self.findings.is_some() {
            return Vec::new();
        }
        self.wait(scope);
        if self.stopping.is_none() && self.walkers.len() < self.most {
            while self.walkers.len() < self.most {
                self.add_walker(scope);
            }
            self.give_orders();
        }
        let now = js_sys::Date::now();
        let counts = self.sharing.counts();
        self.past.push((now, counts.executions()));
        let recent = self.past.iter().position(|(when, _)| now - when <= 5000.0).unwrap_or(0);
        self.past.drain(..recent);
        if let Some(estimating) = &mut self.estimating {
            estimating.refine(counts.executions(), &self.sharing.left(), ESTIMATE);
        }
        let mut responses = vec![Response::Running { id: self.id, progress: self.progress() }];
        if now - self.reported >= REPORT {
            self.reported = now;
            let found = self.found().filter(|found| found.view.outcomes.rows.len() <= MAX_EARLY_OUTCOMES);
            responses.extend(found.map(|found| Response::Found { id: self.id, found }));
        }
        responses
    }

    /// How far it has come.
    pub fn progress(&self) -> RunProgress {
        let now = js_sys::Date::now();
        let counts = self.sharing.counts();
        let (from, before) = self.past.first().copied().unwrap_or((self.started, 0));
        let rate = (counts.executions() - before) as f64 / ((now - from) / 1000.0).max(0.001);
        RunProgress {
            counts,
            seconds: (now - self.started) / 1000.0,
            rate,
            estimate: self
                .estimating
                .as_ref()
                .and_then(Estimating::estimate)
                .filter(|(all, _)| *all >= counts.executions() as f64),
            walkers: self.sharing.busy(),
        }
    }

    /// What was found so far, and how it looks.
    fn found(&self) -> Option<Box<FoundView>> {
        let so_far = || self.sharing.findings();
        let (findings, stopped) = match &self.findings {
            Some(findings) => (findings, true),
            None => (&so_far(), false),
        };
        let (reach, settled) = (self.sharing.reach(stopped), self.sharing.settled());
        let (settings, program) = (self.walkable.settings(), self.walkable.program());
        FoundView::new(settings, program, findings, reach, settled, self.moment, &self.look).ok().map(Box::new)
    }

    /// What there is to say of one of the moments that were shown.
    pub fn answer(&self, stamp: &str, question: &Question) -> Option<Reply> {
        let so_far;
        let findings = match &self.findings {
            Some(findings) => findings,
            None => {
                so_far = self.sharing.findings();
                &so_far
            }
        };
        let (settings, program) = (self.walkable.settings(), self.walkable.program());
        FoundView::answer(program, settings.model, findings, stamp, question)
    }

    /// Nothing more will come.
    fn finish(&mut self) -> Response {
        let progress = self.progress();
        self.findings = Some(self.sharing.findings());
        self.walkers.clear();
        Response::RunOver { id: self.id, progress, found: self.found() }
    }

    /// Shows another moment, or shows it in another way.
    pub fn look(&mut self, moment: Option<MomentKind>, look: ViewRequest) -> Option<Response> {
        self.look = look;
        self.moment = moment.or(self.moment);
        Some(Response::Found { id: self.id, found: self.found()? })
    }

    /// Ends it, as soon as all walkers have said what they found.
    pub fn stop(&mut self, scope: &WorkerScope<EngineWorker>) {
        if self.findings.is_some() || self.stopping.is_some() {
            return;
        }
        self.stopping = Some(self.sharing.alive());
        for walker in self.walkers.iter().flatten() {
            walker.send(Request::Stop);
        }
        let (scope, id) = (scope.clone(), self.id);
        Timeout::new(LAST_WORDS, move || scope.send_message(Message::Late(id))).forget();
    }

    /// Does not wait any longer for walkers to stop.
    pub fn late(&mut self) -> Option<Response> {
        (self.findings.is_none() && self.stopping.is_some()).then(|| self.finish())
    }

    fn end(&mut self) {
        self.walkers.clear();
        self.findings = Some(self.sharing.findings());
    }
}
