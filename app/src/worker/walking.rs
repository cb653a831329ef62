//! A worker that walks through parts of an exploration, and what all workers know of walks.

use gloo::timers::callback::Timeout;
use gloo::worker::{HandlerId, WorkerScope};
use litmoscope::budget::Budget;
use litmoscope::explore::{Findings, Pause, Walk, Work};
use litmoscope::run::Estimator;
use litmoscope::session::{PATIENCE, PartId, Settings, Walkable};

use super::{EngineWorker, Message, Response};

/// How long a slice takes, in milliseconds.
const SLICE: f64 = 40.0;
/// How often it is told what was found, in milliseconds.
const REPORT: f64 = 250.0;
/// How many steps are made between two looks at the clock, at first.
const STEPS: u64 = 64;
/// Units of work that a sweep of descents may take: if it takes more, there is none.
const SWEEP: u64 = 4 * PATIENCE;
/// How wide a sweep of descents may be.
const WIDTHS: (usize, usize) = (4, 4096);

/// A walk, in the worker that walks.
pub struct Walking {
    walkable: Walkable,
    part: PartId,
    walk: Box<dyn Walk>,
    steps: u64,
    reported: f64,
}

impl Walking {
    /// Begins with a part; `None` if there is no such part. What was known of the same exploration is used again.
    pub fn start(before: Option<Self>, settings: &Settings, part: PartId, work: &Work) -> Option<Self> {
        let known = before.map(|before| before.walkable).filter(|known| known.settings() == settings);
        let walkable = known.or_else(|| Walkable::new(settings.clone()).ok())?;
        let walk = walkable.walk(work)?;
        Some(Self { walkable, part, walk, steps: STEPS, reported: js_sys::Date::now() })
    }

    /// Its part.
    pub fn part(&self) -> PartId {
        self.part
    }

    /// Goes on for a while; whether there is more to do.
    pub fn slice(&mut self, scope: &WorkerScope<EngineWorker>, owner: HandlerId) -> bool {
        let start = js_sys::Date::now();
        let end = start + SLICE;
        let mut now = start;
        while now < end {
            let pause = self.walk.run_within(self.steps, u64::MAX, &mut Budget::of(PATIENCE));
            let before = now;
            now = js_sys::Date::now();
            if pause != Pause::Steps {
                self.report(scope, owner, pause);
                return false;
            }
            // A look at the clock is not to cost as much as what lies between two.
            if now - before < 1.0 {
                self.steps = (self.steps * 2).min(1 << 20);
            } else if now - before > SLICE / 4.0 {
                self.steps = (self.steps / 2).max(1);
            }
        }
        if now - self.reported >= REPORT {
            self.reported = now;
            self.report(scope, owner, Pause::Steps);
        }
        let (scope, part) = (scope.clone(), self.part);
        Timeout::new(0, move || scope.send_message(Message::Slice(part))).forget();
        true
    }

    /// Says what was found since it was said last.
    pub fn report(&mut self, scope: &WorkerScope<EngineWorker>, owner: HandlerId, pause: Pause) {
        let (findings, rest) = self.news();
        scope.respond(owner, Response::Walked { part: self.part, findings, rest, pause });
    }

    /// Gives the last piece of its part away, in one message with what is left without it: nothing is left twice or not at
    /// all, if it is the last one.
    pub fn give(&mut self, scope: &WorkerScope<EngineWorker>, owner: HandlerId) {
        let piece = self.walk.split();
        let (findings, rest) = self.news();
        scope.respond(owner, Response::Given { part: self.part, piece, findings, rest });
    }

    fn news(&mut self) -> (Box<Findings>, Option<Work>) {
        (Box::new(self.walk.take_findings()), self.walk.work())
    }
}

/// How large an exploration is, estimated while it goes on.
pub struct Estimating {
    estimator: Estimator<'static>,
    /// How wide a sweep of descents may be to fit into its time.
    width: usize,
    sweeps: u32,
}

impl Estimating {
    /// Of a run. What it needs lives as long as its worker, which has no other run.
    pub fn new(walkable: &Walkable) -> Option<Self> {
        let walkable: &'static Walkable = Box::leak(Box::new(walkable.clone()));
        Some(Self { estimator: Estimator::new(walkable, 1)?, width: WIDTHS.0, sweeps: 0 })
    }

    /// Makes a sweep that is as wide as fits into so many milliseconds: so many executions were found, and this is left.
    pub fn refine(&mut self, done: u64, left: &[Work], time: f64) {
        let start = js_sys::Date::now();
        let mut budget = Budget::unlimited().capped(SWEEP);
        self.sweeps += u32::from(self.estimator.refine(done, left, self.width, &mut budget).is_ok());
        let fits = time / (js_sys::Date::now() - start).max(0.1);
        self.width = ((self.width as f64 * fits.clamp(0.25, 2.0)) as usize).clamp(WIDTHS.0, WIDTHS.1);
    }

    /// How many executions there are, about, and the standard error of that.
    pub fn estimate(&self) -> Option<(f64, f64)> {
        let estimate = self.estimator.estimate();
        // One sweep alone has no error.
        (self.sweeps > 1 && estimate.executions > 0.0).then_some((estimate.executions, estimate.error))
    }
}
