//! Everything explored at once: one worker shares the exploration out among others and itself, and all of them walk through its parts.
//!
//! `labs/runs.rs` of the engine says who gets which `Work`, and puts together what they find in the order of the tree. What one
//! of the others has not said yet when it dies is explored by another. Browsers let workers share no memory without headers that
//! a static site can't have, so all goes by messages. This worker walks itself, too, in short slices, so there are as many
//! workers as cores. The others are called after a tenth of a second, since they take about as long to come as most programs to
//! explore. The first one comes when somebody points at the button (`Port::prepare`), before it is pressed.

use litmoscope::explore::{Counts, Findings, Pause};
use litmoscope::labs::runs::{Order, PartId, Sharing, Walkable, WalkerId};
use litmoscope::report::{RunFile, SavedRun};
use litmoscope::session::{FoundView, GraphQuestion, MomentKind, Reply, Settings, ViewRequest, file_settings};
use litmoscope::syntax::{Diagnostic, Dialects};
use serde::{Deserialize, Serialize};

use super::walking::{self, Estimating, NO_PART, Walking, Walks};
use crate::worker::MAX_EARLY_OUTCOMES;
use crate::worker::host::{Half, Need, Out};
use crate::worker::line::{Line, Said};
use crate::worker::wire::{RequestId, Role};

/// How often progress is told, in milliseconds.
const TICK: u32 = 100;
/// How often it is told what was found so far, in milliseconds.
const REPORT: f64 = 1000.0;
/// This worker's name among the walkers.
const HERE: WalkerId = 0;
/// How long walkers have to say what they found last, in milliseconds.
const LAST_WORDS: u32 = 100;
/// How long it may take to estimate, in milliseconds a tick.
const ESTIMATE: f64 = 20.0;
/// How long estimates may take in all: so many milliseconds, and this part of the run's time. More only where the run has passed
/// its estimate. Who estimates does not walk meanwhile.
const ESTIMATES: (f64, f64) = (20.0, 0.02);

/// Explores everything.
#[derive(Debug)]
pub enum Runs {}

impl Role for Runs {
    const NAME: &'static str = "run";
    type Request = Request;
    type Answer = Answer;
}

/// What it is asked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Request {
    /// Loads what it takes to explore this.
    Come(Box<Settings>),
    /// Explores everything, shared out among workers. Ends the run before.
    Run {
        /// What to explore.
        settings: Settings,
        /// How many workers there may be.
        walkers: usize,
        /// What to show.
        look: ViewRequest,
    },
    /// Reads a run from a file.
    Open {
        /// The file's content.
        content: String,
        /// What to show.
        look: ViewRequest,
    },
    /// Shows another moment of the run, or the same, in another way; the run goes on.
    Show {
        /// Which moment; `None` for the same.
        moment: Option<MomentKind>,
        /// What to show from now on.
        look: ViewRequest,
    },
    /// Asks something of the graph of a moment that was shown; the run goes on.
    Read {
        /// Which graph, by [`litmoscope::session::View::stamp`].
        stamp: String,
        /// What is asked.
        question: GraphQuestion,
    },
}

/// What it answers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Answer {
    /// It goes on.
    Running(RunProgress),
    /// What was found, perhaps so far.
    Found(Box<FoundView>),
    /// It is over.
    Over {
        /// How far it has come.
        progress: RunProgress,
        /// What was found.
        found: Option<Box<FoundView>>,
    },
    /// The program can't be explored so.
    Refused(Vec<Diagnostic>),
    /// What [`Request::Open`] has read.
    Opened {
        /// What was explored; or why that is not known, in words.
        opened: Result<Box<Settings>, String>,
        /// What was found.
        found: Option<Box<FoundView>>,
        /// How long that took, in seconds.
        seconds: f64,
    },
    /// What there is to say to [`Request::Read`]; `None` if there is nothing, or the graph is another by now.
    Replied(Option<Box<Reply>>),
}

/// The half that shares a run out, or has one of a file.
#[derive(Default)]
pub struct Worker {
    run: Option<Run>,
    saved: Option<SavedRun>,
}

/// What it tells itself of the run with a name.
#[derive(Debug)]
pub enum News {
    /// A while has passed.
    Tick,
    /// Walkers are not waited for any longer.
    Late,
    /// A slice of the walk through this part is due, in this worker.
    Slice(PartId),
    /// A walker has said something.
    Walker(WalkerId, Box<Said<walking::Answer>>),
}

/// Who walks.
enum Walker {
    /// This worker; `None` if it has no part.
    Here(Option<Box<Walking>>),
    /// Another one.
    Beside(Line<Walks>),
}

impl Half for Worker {
    type Role = Runs;
    type Message = (RequestId, News);

    fn needs(&self, request: &Request) -> Option<Need> {
        match request {
            Request::Come(settings) => Need::of_settings(settings),
            Request::Run { settings, .. } => Need::of_settings(settings),
            // Which notation its program is in is known when the file was read.
            Request::Open { .. } if !Dialects::are_there() => Some(Need::Dialects),
            Request::Open { content, .. } => RunFile::algorithm_of(content).and_then(Need::of_algorithm),
            _ => None,
        }
    }

    fn hear(&mut self, out: &Out<Self>, id: RequestId, request: Request) {
        match request {
            Request::Come(_) => {}
            Request::Run { settings, walkers, look } => {
                self.run = None;
                match Run::start(out, id, settings, walkers, look) {
                    Ok(run) => self.run = Some(run),
                    Err(diagnostics) => out.say(id, Answer::Refused(diagnostics)),
                }
            }
            Request::Open { content, look } => {
                self.run = None;
                let (opened, found, seconds) = match RunFile::decode(&content) {
                    Ok(saved) => {
                        let found = FoundView::of_file(&saved, None, &look).ok().map(Box::new);
                        let seconds = saved.file.report.seconds;
                        (Ok(Box::new(file_settings(self.saved.insert(saved)))), found, seconds)
                    }
                    Err(why) => (Err(why.to_string()), None, 0.0),
                };
                out.say(id, Answer::Opened { opened, found, seconds });
            }
            Request::Show { moment, look } => {
                if let Some(saved) = &self.saved {
                    let found = FoundView::of_file(saved, moment, &look).ok().map(Box::new);
                    found.into_iter().for_each(|found| out.say(id, Answer::Found(found)));
                } else if let Some(answer) = self.run.as_mut().and_then(|run| run.look(moment, look)) {
                    out.say(id, answer);
                }
            }
            Request::Read { stamp, question } => {
                let answer = match (&self.saved, &self.run) {
                    (Some(saved), _) => FoundView::answer_of_file(saved, &stamp, &question),
                    (None, Some(run)) => run.answer(&stamp, &question),
                    (None, None) => None,
                };
                out.say(id, Answer::Replied(answer.map(Box::new)));
            }
        }
    }

    fn go_on(&mut self, out: &Out<Self>, (id, news): (RequestId, News)) {
        let Some(run) = self.run.as_mut().filter(|run| run.id == id) else { return };
        match news {
            News::Tick => run.tick(out),
            News::Late => run.late(out),
            News::Slice(part) => run.slice(out, part),
            News::Walker(walker, said) => run.hear(out, walker, *said),
        }
    }

    fn stop(&mut self, out: &Out<Self>) {
        if let Some(run) = &mut self.run {
            run.stop(out);
        }
    }
}

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
struct Run {
    id: RequestId,
    walkable: Walkable,
    look: ViewRequest,
    moment: Option<MomentKind>,
    sharing: Sharing,
    /// What was found when it was over or stopped.
    findings: Option<Findings>,
    /// By name; `None` for those that are lost. The first is this worker.
    walkers: Vec<Option<Walker>>,
    /// How many there may be.
    most: usize,
    estimating: Option<Estimating>,
    /// How long it took to estimate, in milliseconds.
    estimated: f64,
    started: f64,
    reported: f64,
    /// When how many executions were known, lately.
    past: Vec<(f64, u64)>,
    /// How many walkers have not said their last words since it was told to stop.
    stopping: Option<usize>,
}

impl Run {
    /// Starts exploring, or says why that can't be explored.
    fn start(
        out: &Out<Worker>,
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
            estimated: 0.0,
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
        // Others take longer to come than most programs to explore. They are called when there turns out to be work for them.
        let here = run.sharing.call();
        run.walkers.push(Some(Walker::Here(None)));
        run.sharing.join(here);
        run.give_orders(out);
        run.wait(out);
        Ok(run)
    }

    fn wait(&self, out: &Out<Worker>) {
        out.tell_after(TICK, (self.id, News::Tick));
    }

    fn call_walker(&mut self, out: &Out<Worker>) {
        let walker = self.sharing.call();
        let (out, id) = (out.clone(), self.id);
        let line = Line::start(move |said| out.tell((id, News::Walker(walker, Box::new(said)))));
        line.ask(0, &walking::Request::Come(Box::new(self.walkable.settings().clone())));
        self.walkers.push(Some(Walker::Beside(line)));
    }

    fn give_orders(&mut self, out: &Out<Worker>) {
        for (walker, order) in self.sharing.orders() {
            match self.walkers.get_mut(walker) {
                Some(Some(Walker::Beside(line))) => {
                    let (part, request) = match order {
                        Order::Walk(part, work) => {
                            let settings = Box::new(self.walkable.settings().clone());
                            (part, walking::Request::Walk { settings, work })
                        }
                        Order::Split(part) => (part, walking::Request::Split),
                    };
                    line.ask(part, &request);
                }
                Some(Some(Walker::Here(walking))) => {
                    let said = match (order, walking) {
                        (Order::Walk(part, work), walking) => {
                            *walking = Walking::through(self.walkable.clone(), part, &work).map(Box::new);
                            if walking.is_some() {
                                out.tell_next((self.id, News::Slice(part)));
                                continue;
                            }
                            Said::Died(NO_PART.to_owned())
                        }
                        (Order::Split(part), Some(walking)) => Said::Answer(part, walking.give()),
                        (Order::Split(_), None) => continue,
                    };
                    self.hear(out, walker, said);
                }
                Some(None) | None => {}
            }
        }
    }

    /// Walks on for a while itself.
    fn slice(&mut self, out: &Out<Worker>, part: PartId) {
        let Some(Some(Walker::Here(Some(walking)))) = self.walkers.get_mut(HERE) else { return };
        // It may have another part by now.
        if walking.part != part {
            return;
        }
        let (answer, goes_on) = walking.slice();
        if goes_on {
            out.tell_next((self.id, News::Slice(part)));
        }
        if let Some(answer) = answer {
            self.hear(out, HERE, Said::Answer(part, answer));
        }
    }

    /// Walks no more itself.
    fn halt(&mut self) {
        let here = self.walkers.get_mut(HERE).filter(|here| matches!(here, Some(Walker::Here(_))));
        let Some(Walker::Here(walking)) = here.and_then(Option::take) else { return };
        if let Some(mut walking) = walking {
            let (findings, rest) = walking.news();
            self.sharing.found(HERE, walking.part, *findings, rest, Pause::Steps);
        }
        self.sharing.lost(HERE);
    }

    /// A walker has said something.
    fn hear(&mut self, out: &Out<Worker>, walker: WalkerId, said: Said<walking::Answer>) {
        if self.findings.is_some() {
            return;
        }
        let said = match said {
            Said::Lacks(Some(what)) => Said::Died(format!("{what} could not be loaded")),
            said => said,
        };
        match said {
            Said::Answer(part, walking::Answer::Walked { findings, rest, pause }) => {
                self.sharing.found(walker, part, *findings, rest, pause);
            }
            Said::Answer(part, walking::Answer::Given { piece, findings, rest }) => {
                self.sharing.given(walker, part, piece, *findings, rest);
            }
            Said::Answer(_, walking::Answer::There) => self.sharing.join(walker),
            Said::Answer(_, walking::Answer::Halted) => return self.halted(out),
            Said::Died(message) => {
                // A panic is said twice, since it is an error of the script as well.
                if self.walkers[walker].take().is_none() {
                    return;
                }
                self.sharing.lost(walker);
                if self.stopping.is_some() {
                    return self.halted(out);
                }
                if self.sharing.alive() == 0 {
                    self.end();
                    return out.die(message);
                }
            }
            Said::Lacks(_) | Said::Ready => return,
        }
        if self.sharing.is_over() {
            return self.finish(out);
        }
        if self.stopping.is_none() {
            self.give_orders(out);
        }
    }

    /// One more of the walkers that were told to stop will say nothing more.
    fn halted(&mut self, out: &Out<Worker>) {
        if let Some(left) = &mut self.stopping {
            *left = left.saturating_sub(1);
            if *left == 0 {
                self.finish(out);
            }
        }
    }

    /// Some time has passed.
    fn tick(&mut self, out: &Out<Worker>) {
        if self.findings.is_some() {
            return;
        }
        self.wait(out);
        while self.stopping.is_none() && self.walkers.len() < self.most {
            self.call_walker(out);
        }
        let now = js_sys::Date::now();
        let counts = self.sharing.counts();
        self.past.push((now, counts.executions()));
        let recent = self.past.iter().position(|(when, _)| now - when <= 5000.0).unwrap_or(0);
        self.past.drain(..recent);
        let (at_once, part) = ESTIMATES;
        let may_take = at_once + part * (now - self.started);
        if let Some(estimating) = &mut self.estimating {
            // What was overtaken is no estimate any more.
            let is_overtaken = estimating.estimate().is_some_and(|(all, _)| all < counts.executions() as f64);
            if self.estimated < may_take || is_overtaken {
                estimating.refine(counts.executions(), &self.sharing.left(), ESTIMATE);
                self.estimated += js_sys::Date::now() - now;
            }
        }
        out.say(self.id, Answer::Running(self.progress()));
        if now - self.reported >= REPORT {
            self.reported = now;
            let found = self.found().filter(|found| found.view.outcomes.rows.len() <= MAX_EARLY_OUTCOMES);
            found.into_iter().for_each(|found| out.say(self.id, Answer::Found(found)));
        }
    }

    /// How far it has come.
    fn progress(&self) -> RunProgress {
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
    fn answer(&self, stamp: &str, question: &GraphQuestion) -> Option<Reply> {
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
    fn finish(&mut self, out: &Out<Worker>) {
        let progress = self.progress();
        self.end();
        out.say(self.id, Answer::Over { progress, found: self.found() });
    }

    /// Shows another moment, or shows it in another way.
    fn look(&mut self, moment: Option<MomentKind>, look: ViewRequest) -> Option<Answer> {
        self.look = look;
        self.moment = moment.or(self.moment);
        self.found().map(Answer::Found)
    }

    /// Ends it, as soon as all walkers have said what they found.
    fn stop(&mut self, out: &Out<Worker>) {
        if self.findings.is_some() || self.stopping.is_some() {
            return;
        }
        self.halt();
        for walker in self.walkers.iter().flatten() {
            if let Walker::Beside(line) = walker {
                line.stop();
            }
        }
        self.stopping = Some(self.sharing.alive());
        if self.sharing.alive() == 0 {
            return self.finish(out);
        }
        out.tell_after(LAST_WORDS, (self.id, News::Late));
    }

    /// Does not wait any longer for walkers to stop.
    fn late(&mut self, out: &Out<Worker>) {
        if self.findings.is_none() && self.stopping.is_some() {
            self.finish(out);
        }
    }

    fn end(&mut self) {
        self.findings = Some(self.sharing.findings());
        self.walkers.clear();
    }
}
