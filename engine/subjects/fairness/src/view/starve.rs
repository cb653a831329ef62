//! Who can wait for ever in a program: a question, and for each promise of a scheduler a run that does so, round and round.

use super::Promise;
use crate::bits::Bits;
use crate::lasso::Lasso;
use crate::program::{Found, ProgramGraph, Question};
use crate::question::{Vocabulary, parse_question};
use crate::report::told;
use crate::waiting::Waiting;
use litmoscope_core::budget::Budget;
use litmoscope_core::program::system::{Point, PointKind};
use litmoscope_core::words::list;
use serde::{Deserialize, Serialize};

/// How much work a search may be, in units of budgets.
const PATIENCE: u64 = 1 << 33;
/// How many ready questions there are at most.
const MOST_READY: usize = 24;
/// The most characters of an event's text.
const LONGEST: usize = 60;

/// A question that is ready to be asked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadyQuestion {
    /// In words: `P0 waits for ever in line 3`.
    pub title: String,
    /// As it is written.
    pub text: String,
}

/// What is known under a promise.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnderPromise {
    /// Which.
    pub promise: Promise,
    /// Whether there is such a run; `None` if it is not known.
    pub can: Option<bool>,
}

/// A step of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunStep {
    /// Its number, from 1.
    pub number: u32,
    /// The thread that moves, by its place.
    pub thread: u32,
    /// What it does.
    pub text: String,
    /// In which line.
    pub line: u32,
    /// What changes by it: `m = 1`.
    pub changes: String,
    /// By thread: whether it could have moved.
    pub could: Vec<bool>,
    /// It is in the cycle, which is gone round for ever.
    pub in_cycle: bool,
}

/// Who can wait for ever.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StarveView {
    /// The names of the threads.
    pub threads: Vec<String>,
    /// Questions that are ready to be asked.
    pub ready: Vec<ReadyQuestion>,
    /// What is wrong with the question, and in which column, from 1.
    pub wrong: Option<(String, u32)>,
    /// What is known under each promise. Empty without a question.
    pub table: Vec<UnderPromise>,
    /// The answer, in a sentence or two.
    pub answer: String,
    /// Whether there is such a run under the promise that is chosen.
    pub can: Option<bool>,
    /// A run: one that the promise allows, or else one that it rules out.
    pub steps: Vec<RunStep>,
    /// How many steps come before the cycle.
    pub stem: u32,
    /// How many steps are done.
    pub at: u32,
    /// Where threads are, and what variables hold, after them.
    pub state: Vec<String>,
}

/// A question to a program, with its answers.
pub(super) struct Starve {
    threads: Vec<String>,
    ready: Vec<ReadyQuestion>,
    asked: bool,
    wrong: Option<(String, u32)>,
    /// By promise.
    found: Vec<Result<Option<Known>, ()>>,
    /// Somebody waited for room in a buffer: that nothing was found is no proof.
    is_bounded: bool,
    by_chance: bool,
}

/// A run that answers.
struct Known {
    steps: Vec<RunStep>,
    stem: u32,
    /// By vertex of the run: where threads are, and what variables hold.
    states: Vec<Vec<String>>,
    /// By promise: the threads to which it is broken.
    broken: [Vec<String>; 3],
}

/// What comes next at a point, with its line.
pub(super) fn point_text(text: &str, point: &Point) -> String {
    match point.kind {
        PointKind::Event(_) => format!("line {}, {}", point.span.line, point.span.event_text(text, LONGEST)),
        PointKind::Ended => "its end".to_owned(),
        PointKind::Error(_) => format!("an error in line {}", point.span.line),
    }
}

impl Starve {
    pub(super) fn of(
        text: &str,
        program: &ProgramGraph,
        places: &[Waiting],
        question: &str,
        buffers: Option<Promise>,
    ) -> Self {
        let system = program.system();
        let threads: Vec<String> = system.threads.iter().map(|thread| thread.name.clone()).collect();
        let ready = places.iter().take(MOST_READY);
        let ready = ready.map(|place| ReadyQuestion { title: place.title(system), text: place.text(system) }).collect();
        let mut this = Self {
            threads,
            ready,
            asked: false,
            wrong: None,
            found: Vec::new(),
            is_bounded: false,
            by_chance: program.has_chance(),
        };
        if question.trim().is_empty() {
            return this;
        }
        match parse_question(Vocabulary::Program(system), question) {
            Ok(question) => {
                this.asked = true;
                this.found = Promise::ALL.map(|promise| find(text, program, promise, buffers, &question)).into();
                this.is_bounded = program.is_bounded();
            }
            Err(wrong) => this.wrong = Some((wrong.message, wrong.column as u32)),
        }
        this
    }

    fn known(&self, promise: Promise) -> Option<&Known> {
        self.found.get(promise as usize)?.as_ref().ok()?.as_ref()
    }

    pub(super) fn view(&self, promise: Promise, round: u32) -> StarveView {
        let mut view = StarveView {
            threads: self.threads.clone(),
            ready: self.ready.clone(),
            wrong: self.wrong.clone(),
            ..StarveView::default()
        };
        if !self.asked {
            return view;
        }
        let can = |promise: Promise| {
            let can = self.found.get(promise as usize)?.as_ref().ok().map(Option::is_some);
            can.filter(|can| *can || !self.is_bounded)
        };
        view.table = Promise::ALL.map(|promise| UnderPromise { promise, can: can(promise) }).into();
        view.can = can(promise);
        // The strongest promise, up to the chosen one, under which there is such a run.
        let shown = Promise::ALL.into_iter().rev().filter(|other| *other as u8 <= promise as u8);
        let shown = shown.filter_map(|other| self.known(other).map(|known| (other, known))).next();
        view.answer = match (view.can, shown) {
            (None, _) if self.is_bounded => {
                "It is not known: none was found, but threads waited for room in their buffers.".to_owned()
            }
            (None, _) => "It is not known: the search was given up.".to_owned(),
            (Some(true), _) if self.by_chance => {
                "There is a strategy that does so with probability 1. Below is one of its runs, round and round."
                    .to_owned()
            }
            (Some(true), _) if promise == Promise::None => {
                "There is such a run: below, it goes round and round. Nothing is promised, so it may.".to_owned()
            }
            (Some(true), _) => format!(
                "There is such a run, though the scheduler is fair ({}): below, it goes round and round.",
                promise.name()
            ),
            (Some(false), Some((weaker, known))) => {
                let broken = &known.broken[promise as usize];
                let who = if broken.is_empty() {
                    String::new()
                } else {
                    let could =
                        if promise == Promise::Strong { "can move again and again" } else { "can move all the time" };
                    let does = if broken.len() == 1 { "does" } else { "do" };
                    format!(" In it, {} {could}, and {does} not.", list(broken.clone()))
                };
                format!(
                    "No fair run does that: {} fairness rules it out. With {} there is the run below.{who}",
                    promise.name(),
                    if weaker == Promise::None {
                        "no promise".to_owned()
                    } else {
                        format!("{} fairness", weaker.name())
                    }
                )
            }
            (Some(false), None) if promise == Promise::None => "No run does that, fair or not.".to_owned(),
            (Some(false), None) => "No run does that: not even one that passes a thread over for ever.".to_owned(),
        };
        if let Some((_, known)) = shown {
            let at = (round as usize).min(known.steps.len());
            // Behind the last step, it is where the cycle begins.
            let state = if at == known.steps.len() { known.stem as usize } else { at };
            view.state = known.states.get(state).cloned().unwrap_or_default();
            view.steps.clone_from(&known.steps);
            (view.stem, view.at) = (known.stem, at as u32);
        }
        view
    }
}

fn find(
    text: &str,
    program: &ProgramGraph,
    promise: Promise,
    buffers: Option<Promise>,
    question: &Question,
) -> Result<Option<Known>, ()> {
    let mut budget = Budget::of(PATIENCE);
    let found = program.find(promise.with(buffers), std::slice::from_ref(question), &mut budget).map_err(drop)?;
    Ok(found.map(|found| known(text, program, buffers, &found)))
}

fn known(text: &str, program: &ProgramGraph, buffers: Option<Promise>, found: &Found) -> Known {
    let system = program.system();
    let Lasso { stem, cycle } = &found.lasso;
    let way: Vec<usize> = stem.iter().chain(cycle).chain(cycle.first()).copied().collect();
    let (mut steps, mut seen): (Vec<RunStep>, Vec<usize>) = (Vec::new(), Vec::new());
    let mut before_cycle = 0;
    for (at, pair) in way.windows(2).enumerate() {
        if at == stem.len() {
            before_cycle = steps.len() as u32;
        }
        // Where nobody moves yet, a coin is in the air.
        for step in program.told(pair) {
            let before = program.vertex(pair[0]).0;
            let said = told(system, text, before, step.transition, &step.inputs, &step.state);
            let chosen: Vec<String> = said.inputs.iter().map(|value| format!("chooses {value}")).collect();
            let changes = chosen.into_iter().chain((!said.changes.is_empty()).then_some(said.changes));
            steps.push(RunStep {
                number: steps.len() as u32 + 1,
                thread: u32::from(system.transition(step.transition).thread),
                text: said.text,
                line: said.line,
                changes: changes.collect::<Vec<_>>().join(", "),
                could: (0..system.threads.len() as u16).map(|thread| program.can_move(pair[0], thread)).collect(),
                in_cycle: at >= stem.len(),
            });
            seen.push(pair[0]);
        }
    }
    let state = |vertex: &usize| {
        let (state, _) = program.vertex(*vertex);
        let threads = system.threads.iter().enumerate().map(|(thread, own)| {
            let point = system.point(thread, state.points[thread]);
            let can = program.can_move(*vertex, thread as u16);
            format!("{} at {}{}", own.name, point_text(text, point), if can { "" } else { ": can't move" })
        });
        // What empties buffers is nowhere.
        let threads = threads.take(program.threads());
        let values = system.names.iter().zip(&state.values).take(system.shared());
        let values: Vec<String> =
            values.map(|(name, value)| format!("{name} = {}", system.value_text(*value))).collect();
        threads.chain((!values.is_empty()).then(|| values.join(", "))).collect()
    };
    let comes_to = |set: &Bits| found.lasso.cycle.iter().any(|at| set.contains(*at));
    let broken = Promise::ALL.map(|promise| {
        let promises = promise.with(buffers);
        let own = (0..).zip(&system.threads).filter(|(thread, _)| {
            let pair = program.promise(*thread, &promises);
            pair.is_some_and(|(asks, gets)| comes_to(&asks) && !comes_to(&gets))
        });
        own.map(|(_, thread)| thread.name.clone()).collect()
    });
    Known { states: seen.iter().map(state).collect(), steps, stem: before_cycle, broken }
}
