//! Who can wait for ever in a program: a question, and for each promise of a scheduler a run that does so, round and round.

use super::Promise;
use crate::bits::Bits;
use crate::program::{Found, ProgramGraph, Question};
use crate::question::parse_question;
use litmoscope_core::budget::Budget;
use litmoscope_core::program::Span;
use litmoscope_core::program::system::{Point, PointId, PointKind, TransitionId};
use litmoscope_core::words::list;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

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

/// What an event does, on one line: of an atomic block, its beginning.
fn event_text(text: &str, span: Span) -> String {
    let short = span.on_one_line(text);
    let said = if short == "atomic" {
        let rest = text.get(span.start as usize..).unwrap_or_default();
        let end = rest.find('}').map_or(rest.len(), |at| at + 1);
        rest[..end].split_whitespace().collect::<Vec<_>>().join(" ")
    } else {
        short
    };
    if said.chars().count() <= LONGEST {
        return said;
    }
    said.chars().take(LONGEST - 1).chain(['…']).collect()
}

/// What comes next at a point, with its line.
pub(super) fn point_text(text: &str, point: &Point) -> String {
    match point.kind {
        PointKind::Event(_) => format!("line {}, {}", point.span.line, event_text(text, point.span)),
        PointKind::Ended => "its end".to_owned(),
        PointKind::Error(_) => format!("an error in line {}", point.span.line),
    }
}

/// The places in which threads can wait: where they may be blocked, and loops in which they change nothing that others see.
fn waiting(program: &ProgramGraph) -> BTreeSet<(usize, u32, u32)> {
    let (system, graph) = (program.system(), program.graph());
    let shared = system.shared();
    // By thread and point: where steps lead that change nothing.
    let mut idle: BTreeMap<(usize, PointId), BTreeSet<PointId>> = BTreeMap::new();
    let mut blocked: BTreeSet<(usize, PointId)> = BTreeSet::new();
    for vertex in 0..graph.vertices() {
        let (state, _) = program.vertex(vertex);
        let mut can = vec![false; system.threads.len()];
        for to in graph.successors(vertex) {
            let (next, last) = program.vertex(*to as usize);
            let Some(thread) = last.map(usize::from) else { continue };
            can[thread] = true;
            if state.values[..shared] == next.values[..shared] {
                idle.entry((thread, state.points[thread])).or_default().insert(next.points[thread]);
            }
        }
        for (thread, can) in can.into_iter().enumerate() {
            let point = system.point(thread, state.points[thread]);
            if !can && point.is_active() && point.may_block {
                blocked.insert((thread, state.points[thread]));
            }
        }
    }
    let line = |thread: usize, point: PointId| system.point(thread, point).span.line;
    let mut places: BTreeSet<(usize, u32, u32)> =
        blocked.into_iter().map(|(thread, point)| (thread, line(thread, point), line(thread, point))).collect();
    let reach = |thread: usize, from: PointId| {
        let (mut seen, mut work) = (BTreeSet::new(), vec![from]);
        while let Some(at) = work.pop() {
            work.extend(idle.get(&(thread, at)).into_iter().flatten().filter(|to| seen.insert(**to)));
        }
        seen
    };
    for &(thread, point) in idle.keys() {
        let around: Vec<PointId> =
            reach(thread, point).into_iter().filter(|other| reach(thread, *other).contains(&point)).collect();
        let lines = || around.iter().map(|other| line(thread, *other));
        if around.contains(&point)
            && let (Some(first), Some(last)) = (lines().min(), lines().max())
        {
            places.insert((thread, first, last));
        }
    }
    places
}

impl Starve {
    pub(super) fn of(text: &str, program: &ProgramGraph, question: &str) -> Self {
        let system = program.system();
        let threads: Vec<String> = system.threads.iter().map(|thread| thread.name.clone()).collect();
        let ready = waiting(program)
            .into_iter()
            .take(MOST_READY)
            .map(|(thread, first, last)| {
                let name = &threads[thread];
                let (lines, at) = if first == last {
                    (format!("line {first}"), first.to_string())
                } else {
                    (format!("lines {first} to {last}"), format!("{first}..{last}"))
                };
                ReadyQuestion {
                    title: format!("{name} waits for ever in {lines}"),
                    text: format!("{name} at {at} for ever"),
                }
            })
            .collect();
        let mut this = Self { threads, ready, asked: false, wrong: None, found: Vec::new() };
        if question.trim().is_empty() {
            return this;
        }
        match parse_question(system, question) {
            Ok(question) => {
                this.asked = true;
                this.found = Promise::ALL.map(|promise| find(text, program, promise, &question)).into();
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
        let can = |promise: Promise| self.found.get(promise as usize)?.as_ref().ok().map(Option::is_some);
        view.table = Promise::ALL.map(|promise| UnderPromise { promise, can: can(promise) }).into();
        view.can = can(promise);
        // The strongest promise, up to the chosen one, under which there is such a run.
        let shown = Promise::ALL.into_iter().rev().filter(|other| *other as u8 <= promise as u8);
        let shown = shown.filter_map(|other| self.known(other).map(|known| (other, known))).next();
        view.answer = match (view.can, shown) {
            (None, _) => "It is not known: the search was given up.".to_owned(),
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

fn find(text: &str, program: &ProgramGraph, promise: Promise, question: &Question) -> Result<Option<Known>, ()> {
    let mut budget = Budget::of(PATIENCE);
    let found = program.find(promise.fairness(), std::slice::from_ref(question), &mut budget).map_err(drop)?;
    Ok(found.map(|found| known(text, program, &found)))
}

fn known(text: &str, program: &ProgramGraph, found: &Found) -> Known {
    let (system, graph) = (program.system(), program.graph());
    let way: Vec<usize> = found.lasso.stem.iter().chain(&found.lasso.cycle).copied().collect();
    let stem = found.lasso.stem.len();
    let moves: Vec<TransitionId> = found.steps.iter().flatten().copied().collect();
    let step = |(at, step): (usize, &TransitionId)| {
        let transition = system.transition(*step);
        let thread = usize::from(transition.thread);
        let from = way[at];
        let to = way.get(at + 1).copied().unwrap_or_else(|| way[stem]);
        let (before, behind) = (program.vertex(from).0, program.vertex(to).0);
        let span = system.point(thread, transition.from).span;
        let values = before.values.iter().zip(&behind.values).zip(&system.names).take(system.shared());
        let changes = values.filter(|((old, new), _)| old != new);
        let changes = changes.map(|((_, new), name)| format!("{name} = {}", system.value_text(*new)));
        let could = (0..system.threads.len()).map(|thread| {
            graph.successors(from).iter().any(|to| program.vertex(*to as usize).1 == Some(thread as u16))
        });
        RunStep {
            number: at as u32 + 1,
            thread: thread as u32,
            text: event_text(text, span),
            line: span.line,
            changes: changes.collect::<Vec<_>>().join(", "),
            could: could.collect(),
            in_cycle: at >= stem,
        }
    };
    let state = |vertex: &usize| {
        let (state, _) = program.vertex(*vertex);
        let threads = system.threads.iter().enumerate().map(|(thread, own)| {
            let point = system.point(thread, state.points[thread]);
            let can = graph.successors(*vertex).iter().any(|to| program.vertex(*to as usize).1 == Some(thread as u16));
            format!("{} at {}{}", own.name, point_text(text, point), if can { "" } else { ": can't move" })
        });
        let values = system.names.iter().zip(&state.values).take(system.shared());
        let values: Vec<String> =
            values.map(|(name, value)| format!("{name} = {}", system.value_text(*value))).collect();
        threads.chain((!values.is_empty()).then(|| values.join(", "))).collect()
    };
    let comes_to = |set: &Bits| found.lasso.cycle.iter().any(|at| set.contains(*at));
    let broken = Promise::ALL.map(|promise| {
        let promises = program.promises(promise.fairness());
        let pairs = promises.iter().zip(&system.threads).filter(|((asks, gets), _)| comes_to(asks) && !comes_to(gets));
        pairs.map(|(_, thread)| thread.name.clone()).collect()
    });
    let steps = moves.iter().enumerate().map(step).collect();
    Known { steps, stem: stem as u32, states: way.iter().map(state).collect(), broken }
}
