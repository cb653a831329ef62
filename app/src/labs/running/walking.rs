//! A worker that walks through parts of an exploration, and what all workers know of walks.

use litmoscope::budget::Budget;
use litmoscope::explore::{Findings, Pause, Walk, Work};
use litmoscope::labs::runs::{PartId, Walkable};
use litmoscope::run::Estimator;
use litmoscope::session::{PATIENCE, Settings};
use serde::{Deserialize, Serialize};

use crate::worker::host::{Half, Need, Out};
use crate::worker::wire::Role;

/// How long a slice takes, in milliseconds. Whoever has nothing to do waits for another one's slice.
const SLICE: f64 = 10.0;
/// How often it is told what was found, in milliseconds.
const REPORT: f64 = 250.0;
/// How many steps are made between two looks at the clock, at first.
const STEPS: u64 = 64;
/// Units of work that a sweep of descents may take: if it takes more, there is none.
const SWEEP: u64 = 4 * PATIENCE;
/// How wide a sweep of descents may be.
const WIDTHS: (usize, usize) = (4, 4096);

/// Walks through parts of an exploration. Requests and answers are named after the part.
#[derive(Debug)]
pub enum Walks {}

impl Role for Walks {
    const NAME: &'static str = "walk";
    type Request = Request;
    type Answer = Answer;
}

/// What it is asked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Request {
    /// Says that it can walk, once all is there that this takes.
    Come(Box<Settings>),
    /// Walks through a part.
    Walk {
        /// What to explore.
        settings: Box<Settings>,
        /// Which part of it.
        work: Work,
    },
    /// Gives the last piece of its part away.
    Split,
}

/// What it answers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Answer {
    /// The answer to [`Request::Come`].
    There,
    /// What was found in a part since this was said last.
    Walked {
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
        /// What is given away.
        piece: Option<Work>,
        /// What was found in the part since it was said last.
        #[serde(with = "as_in_files")]
        findings: Box<Findings>,
        /// What is left of the part.
        rest: Option<Work>,
    },
    /// It was told to stop: no more will come.
    Halted,
}

/// The half that walks.
#[derive(Default)]
pub struct Worker {
    walking: Option<Walking>,
}

impl Half for Worker {
    type Role = Walks;
    /// A slice of the walk through this part is due.
    type Message = PartId;

    fn needs(&self, request: &Request) -> Option<Need> {
        match request {
            Request::Come(settings) | Request::Walk { settings, .. } => Need::of_settings(settings),
            Request::Split => None,
        }
    }

    fn hear(&mut self, out: &Out<Self>, part: PartId, request: Request) {
        match request {
            Request::Come(_) => out.say(part, Answer::There),
            Request::Walk { settings, work } => {
                self.walking = Walking::start(self.walking.take(), &settings, part, &work);
                match self.walking {
                    Some(_) => self.slice(out),
                    None => out.die(NO_PART.to_owned()),
                }
            }
            Request::Split => {
                if let Some(walking) = self.walking.as_mut().filter(|walking| walking.part == part) {
                    out.say(part, walking.give());
                }
            }
        }
    }

    fn go_on(&mut self, out: &Out<Self>, part: PartId) {
        // A slice of what was stopped meanwhile is not due any more.
        if self.walking.as_ref().is_some_and(|walking| walking.part == part) {
            self.slice(out);
        }
    }

    fn stop(&mut self, out: &Out<Self>) {
        let mut part = 0;
        if let Some(mut walking) = self.walking.take() {
            part = walking.part;
            out.say(part, walking.report());
        }
        out.say(part, Answer::Halted);
    }
}

impl Worker {
    fn slice(&mut self, out: &Out<Self>) {
        let Some(walking) = &mut self.walking else { return };
        let (answer, goes_on) = walking.slice();
        if let Some(answer) = answer {
            out.say(walking.part, answer);
        }
        if goes_on {
            out.tell_next(walking.part);
        }
    }
}

/// Why nothing comes of an order that nobody gives.
pub const NO_PART: &str = "there is no such part to explore";

/// A walk, in the worker that walks.
pub struct Walking {
    walkable: Walkable,
    /// The part that it walks through.
    pub part: PartId,
    walk: Box<dyn Walk>,
    steps: u64,
    reported: f64,
}

impl Walking {
    /// Begins with a part; `None` if there is no such part. What was known of the same exploration is used again.
    fn start(before: Option<Self>, settings: &Settings, part: PartId, work: &Work) -> Option<Self> {
        let known = before.map(|before| before.walkable).filter(|known| known.settings() == settings);
        Self::through(known.or_else(|| Walkable::new(settings.clone()).ok())?, part, work)
    }

    /// The same of an exploration that is known.
    pub fn through(walkable: Walkable, part: PartId, work: &Work) -> Option<Self> {
        let walk = walkable.walk(work)?;
        Some(Self { walkable, part, walk, steps: STEPS, reported: js_sys::Date::now() })
    }

    /// Goes on for a while: what there is to say of that, and whether it goes on.
    pub fn slice(&mut self) -> (Option<Answer>, bool) {
        let start = js_sys::Date::now();
        let end = start + SLICE;
        let mut now = start;
        while now < end {
            let pause = self.walk.run_within(self.steps, u64::MAX, &mut Budget::of(PATIENCE));
            let before = now;
            now = js_sys::Date::now();
            if pause != Pause::Steps {
                return (Some(self.walked(pause)), false);
            }
            // A look at the clock is not to cost as much as what lies between two.
            if now - before < 1.0 {
                self.steps = (self.steps * 2).min(1 << 20);
            } else if now - before > SLICE / 4.0 {
                self.steps = (self.steps / 2).max(1);
            }
        }
        let is_due = now - self.reported >= REPORT;
        if is_due {
            self.reported = now;
        }
        (is_due.then(|| self.report()), true)
    }

    /// Says what was found since it was said last, and what is left.
    fn report(&mut self) -> Answer {
        self.walked(Pause::Steps)
    }

    fn walked(&mut self, pause: Pause) -> Answer {
        let (findings, rest) = self.news();
        Answer::Walked { findings, rest, pause }
    }

    /// Gives the last piece of its part away, in one message with what is left without it: nothing is left twice or not at
    /// all, if it is the last one.
    pub fn give(&mut self) -> Answer {
        let piece = self.walk.split();
        let (findings, rest) = self.news();
        Answer::Given { piece, findings, rest }
    }

    /// What was found since this was asked last, and what is left.
    pub fn news(&mut self) -> (Box<Findings>, Option<Work>) {
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
