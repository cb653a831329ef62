//! A program that runs under the schedules that were proven so far, step by step, for the page.
//!
//! Whoever asks says how many steps the run has, and its first ones if they are chosen by hand; the others are drawn by a seed among
//! those that are permitted. So a run is the same wherever it is asked for, and one more step is one more in the request. While it runs, larger
//! results of the verifier arrive: each takes the place of the one in use at the end of a section, if it knows a place whose label
//! follows from that of the present one.

mod section;
#[cfg(test)]
mod tests;

pub use section::{SectionEventView, SectionView};

use super::verify::{self, MAX_NODES};
use super::{event_text, read};
use crate::art::Art;
use crate::formula::{Implication, Predicates, Symbolic, Variable as Symbol};
use crate::impact::{self, Choice, Verdict, Verifier};
use crate::native::{Native, draw};
use crate::sections::{Opt, Options, ProgramSchedule, follows};
use crate::stepping::{Lane, Stepper};
use litmoscope_core::budget::{Budget, LOOK, Meter};
use litmoscope_core::inspection::Inspection;
use litmoscope_core::program::Program;
use litmoscope_core::program::system::{
    EventKind, Holds, PointKind, State, StateError, Successor, System, Term, TransitionId, Variable,
};
use litmoscope_core::random::Random;
use litmoscope_core::syntax::Diagnostic;
use litmoscope_core::words::{by_number, count, list};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The most steps of a run.
pub const MAX_STEPS: u32 = 2_000;
/// How many steps are listed: the last ones.
pub const WINDOW: u32 = 40;
/// How many results may take over in a run.
const MAX_USES: usize = 64;
/// How many moves the verifier makes for a text at most.
const MOVES: u64 = 1 << 16;
/// Units of work that the verifier's questions take for a text at most.
const WORK: u64 = 1 << 24;
/// Units of work of one question whether a label follows from another one.
const QUESTION: u64 = 1 << 18;
/// How many such questions there are for two results.
const QUESTIONS: usize = 2_000;
/// How many schedules are kept.
const KEPT: usize = 64;
/// How many steps of a run are looked at, done or not.
const LOOKED_AT: usize = 1 << 20;
/// How many times inputs are drawn at the start.
const DRAWS: u32 = 1_000;
/// How many steps of a thread are offered: the inputs decide between them.
const OFFERED: usize = 16;

/// What is asked of a program that runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunRequest {
    /// The program.
    pub text: String,
    /// Threads take turns, as printed, when it is verified; else the one runs next that ran least recently.
    pub round_robin: bool,
    /// It is verified without partial-order reduction.
    pub whole: bool,
    /// Which result of the verifier it begins with, of those that have schedules, from 0. One that there is not is the nearest one before
    /// it.
    pub result: usize,
    /// The results that arrive while it runs: behind how many steps, and which.
    pub uses: Vec<(u32, usize)>,
    /// How much the schedule is loosened: 0, 1 or 2.
    pub opt: u8,
    /// No event is left out of the schedule, so that results can take each other's place at any time.
    pub keeps_all: bool,
    /// It keeps to no schedule.
    pub unconstrained: bool,
    /// What its steps and inputs are drawn by.
    pub seed: u64,
    /// Its first steps, if they are chosen by hand: the thread, and which of its steps.
    pub choices: Vec<(u16, u32)>,
    /// How many steps it has.
    pub steps: u32,
    /// Whether drawings are for a narrow screen.
    pub narrow: bool,
}

/// What the page shows of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunView {
    /// By thread.
    pub lanes: Vec<LaneView>,
    /// The number of the first step that is listed, from 1.
    pub first: u32,
    /// How many steps it has made.
    pub steps: u32,
    /// All of them, as [`RunRequest::choices`] has them: with these, the run is the same whatever the seed is.
    pub trail: Vec<(u16, u32)>,
    /// What may come next: of each thread that is active at least one entry.
    pub next: Vec<NextView>,
    /// The shared variables, and registers that matter.
    pub values: Vec<ValueView>,
    /// How it stands, in sentences.
    pub said: String,
    /// Which result it keeps to at the moment, from 0; `None` without a schedule.
    pub result: Option<usize>,
    /// How many results are known here.
    pub results: usize,
    /// What has to be said of results that are not used, in sentences.
    pub notes: Vec<String>,
    /// Where a result took over.
    pub swaps: Vec<SwapView>,
    /// What is said of a result that waits to take over.
    pub pending: Option<String>,
    /// The first choice that is not admitted; the run ends in front of it.
    pub refused: Option<RefusedView>,
    /// How it ended, if it goes on no more.
    pub end: Option<EndView>,
    /// The section under way; `None` at a branch, at the end, and without a schedule.
    pub section: Option<SectionView>,
}

/// What a thread does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaneView {
    /// The thread's name.
    pub name: String,
    /// What it did, in the order of time.
    pub cells: Vec<CellView>,
    /// What it does now.
    pub now: NowView,
    /// What it does next, on one line; empty if it does nothing any more.
    pub text: String,
    /// The line of that in the text, from 1.
    pub line: u32,
    /// Its events of the section under way that are still to come, in their order.
    pub ahead: Vec<AheadView>,
    /// How many useful rounds it has completed.
    pub rounds: u64,
}

/// Something that a thread did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CellView {
    /// With which step of the run, from 1; 0 in front of the first one.
    pub step: u32,
    /// On one line.
    pub text: String,
    /// The line of the text, from 1.
    pub line: u32,
    /// The inputs that it was given, as texts.
    pub inputs: Vec<String>,
    /// It completed a useful round.
    pub completes_round: bool,
    /// The schedule leaves this event out, since it implies what that is for: the thread went past it on its own.
    pub left_out: bool,
}

/// An event that is still to come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AheadView {
    /// Its number in the section, from 0.
    pub event: usize,
    /// On one line.
    pub text: String,
    /// The line of the text, from 1.
    pub line: u32,
}

/// What a thread does at the moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NowView {
    /// In a word.
    pub is: Now,
    /// In a sentence.
    pub words: String,
    /// The events of other threads for which it waits.
    pub waits: Vec<WaitView>,
}

/// What a thread does at the moment, in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Now {
    /// It may go on.
    Ready,
    /// The schedule lets it wait for events of others.
    Waits,
    /// The schedule lets another thread go first, which decides how it goes on.
    Branch,
    /// The program itself lets it wait.
    Blocked,
    /// The schedule is over.
    Departs,
    /// It has ended.
    Ended,
    /// It went wrong.
    Wrong,
}

impl Now {
    /// As a badge has it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Waits | Self::Branch => "waits",
            Self::Blocked => "blocked",
            Self::Departs => "no schedule",
            Self::Ended => "ended",
            Self::Wrong => "wrong",
        }
    }
}

/// An event for which a thread waits: an arrow leads from the thread to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitView {
    /// The lane of the event.
    pub thread: u16,
    /// Its number in the section, as in [`AheadView::event`].
    pub event: usize,
}

/// What may come next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NextView {
    /// The thread.
    pub thread: u16,
    /// Which of its steps: what [`RunRequest::choices`] says.
    pub choice: u32,
    /// On one line.
    pub text: String,
    /// The line of the text, from 1.
    pub line: u32,
    /// The inputs that it is given, as texts.
    pub inputs: Vec<String>,
    /// Whether it may be done.
    pub admitted: bool,
    /// Why not, in a sentence.
    pub reason: Option<String>,
}

/// What a variable holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValueView {
    /// Its name.
    pub name: String,
    /// Its value, as a text. Of a mutex: who holds it.
    pub value: String,
    /// The last step changed it.
    pub changed: bool,
}

/// A result that took over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SwapView {
    /// Behind so many steps.
    pub step: u32,
    /// The result before.
    pub from: usize,
    /// The result from here on.
    pub to: usize,
    /// In a sentence.
    pub words: String,
}

/// A choice that is not admitted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedView {
    /// Which of [`RunRequest::choices`], from 0.
    pub choice: usize,
    /// Why, in a sentence.
    pub reason: String,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndView {
    /// In a word.
    pub is: RunEnd,
    /// In a sentence.
    pub words: String,
}

/// How a run ended, in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunEnd {
    /// A thread went wrong.
    Error,
    /// Threads wait, and none can go on.
    Deadlock,
    /// All threads have ended.
    Ended,
    /// Nothing is admitted, though some thread could go on.
    Stuck,
    /// It has as many steps as it may have.
    Limit,
}

impl RunEnd {
    /// Whether something went wrong.
    pub fn is_wrong(self) -> bool {
        matches!(self, Self::Error | Self::Deadlock | Self::Stuck)
    }
}

/// The results of a verifier that have schedules.
fn results(verifier: &Verifier<Symbolic>) -> impl Iterator<Item = &Art> {
    verifier.found().iter().filter_map(|found| found.art.as_ref())
}

/// A result with how it is loosened, and whether it leaves nothing out.
type Key = (usize, u8, bool);
/// By node of a schedule: where another one goes on.
type Map = Option<Vec<Option<usize>>>;

/// A program that is run.
pub struct RunOpen {
    text: String,
    /// How it is verified: [`RunRequest::round_robin`] and [`RunRequest::whole`].
    how: (bool, bool),
    program: Program,
    system: Arc<System>,
    native: Native,
    verifier: Verifier<Symbolic>,
    budget: Budget,
    /// Units of work that its questions may take.
    work: u64,
    schedules: FxHashMap<Key, Result<ProgramSchedule, String>>,
    /// By two results, and how they are loosened.
    maps: FxHashMap<(usize, Key), Map>,
    /// Without a schedule.
    free: ProgramSchedule,
    /// Where no schedule is proven right.
    none: ProgramSchedule,
}

impl Inspection for RunOpen {
    type Request = RunRequest;
    type View = RunView;

    fn open(request: &RunRequest) -> Result<Self, Vec<Diagnostic>> {
        let (program, system) = read(&request.text)?;
        let system = Arc::new(system);
        let native = Native::of(&system);
        let free = ProgramSchedule::chain(&system, &[]);
        let choice = if request.round_robin { Choice::RoundRobin } else { Choice::LeastRecent };
        let options = impact::Options {
            choice,
            reduction: !request.whole,
            nodes: MAX_NODES,
            question: verify::QUESTION,
            ..impact::Options::default()
        };
        Ok(Self {
            text: request.text.clone(),
            how: (request.round_robin, request.whole),
            program,
            native,
            verifier: Verifier::symbolic(Arc::clone(&system), options),
            budget: Budget::unlimited().capped(MOVES.saturating_mul(LOOK)),
            work: WORK,
            schedules: FxHashMap::default(),
            maps: FxHashMap::default(),
            none: ProgramSchedule { then_free: false, ..free.clone() },
            free,
            system,
        })
    }

    fn is_of(&self, request: &RunRequest) -> bool {
        self.text == request.text && self.how == (request.round_robin, request.whole)
    }

    fn view(&mut self, request: &RunRequest) -> RunView {
        if self.schedules.len() >= KEPT {
            self.schedules.clear();
            self.maps.clear();
        }
        let mut notes = Vec::new();
        let uses = if request.unconstrained { &[][..] } else { &request.uses[..request.uses.len().min(MAX_USES)] };
        let base = if request.unconstrained { None } else { self.base(request, &mut notes) };
        let mut larger: Vec<(u32, usize)> = Vec::new();
        for &(from, result) in uses {
            match self.schedule(self.key(request, result)) {
                Ok(()) => larger.push((from, result)),
                Err(why) if !notes.contains(&why) => notes.push(why),
                Err(_) => {}
            }
        }
        let asked = Asked { request, larger, notes };
        let Self { text, program, system, native, verifier, schedules, maps, free, none, .. } = self;
        let schedules = &*schedules;
        let find = |key: Key| schedules.get(&key).and_then(|schedule| schedule.as_ref().ok());
        let first = match base {
            _ if request.unconstrained => &*free,
            Some(base) => find((base, request.opt, request.keeps_all)).unwrap_or(none),
            None => &*none,
        };
        let about = About { text, program, system, native };
        let mut map = |from: usize, key: Key| -> Map {
            maps.entry((from, key)).or_insert_with(|| map_of(verifier, schedules, (from, key.1, key.2), key)).clone()
        };
        let mut view = about.run(&asked, base, first, &find, &mut map);
        view.results = results(verifier).count();
        view
    }

    fn text(request: &RunRequest) -> &str {
        &request.text
    }
}

impl RunOpen {
    fn key(&self, request: &RunRequest, result: usize) -> Key {
        (result, request.opt, request.keeps_all)
    }

    /// Lets the verifier go on until it has a result, if it comes to one within its limits.
    fn find(&mut self, result: usize) {
        while results(&self.verifier).count() <= result && self.verifier.spent() < self.work {
            if !matches!(self.verifier.advance(&mut self.budget), Ok(Some(_))) {
                break;
            }
        }
    }

    /// The result that a run begins with: the one that was asked for, or the nearest one before it that has a schedule.
    fn base(&mut self, request: &RunRequest, notes: &mut Vec<String>) -> Option<usize> {
        self.find(request.result);
        let last = results(&self.verifier).count().checked_sub(1);
        let mut wrong = None;
        for result in last.map(|last| (0..=last.min(request.result)).rev()).into_iter().flatten() {
            match self.schedule(self.key(request, result)) {
                Ok(()) => {
                    if result != request.result {
                        let why = wrong
                            .unwrap_or_else(|| format!("There is no result {}.", request.result.saturating_add(1)));
                        notes.push(format!("{why} The run keeps to result {}.", result + 1));
                    }
                    return Some(result);
                }
                Err(why) => wrong = wrong.or(Some(why)),
            }
        }
        notes.push(wrong.unwrap_or_else(|| match self.verifier.verdict() {
            Some(Verdict::Unsafe) => "The verifier found no schedule that is right, so nothing is admitted.".to_owned(),
            _ => "The verifier was stopped here before it had a result, so nothing is admitted.".to_owned(),
        }));
        None
    }

    /// Makes the schedule of a result, or says why there is none.
    fn schedule(&mut self, key: Key) -> Result<(), String> {
        let (result, opt, keeps_all) = key;
        self.find(result);
        let number = result.saturating_add(1);
        let Some(art) = results(&self.verifier).nth(result) else {
            return Err(format!("There is no result {number}."));
        };
        let made = self.schedules.entry(key).or_insert_with(|| {
            let opt = match opt {
                0 => Opt::Opt0,
                1 => Opt::Opt1,
                _ => Opt::Opt2,
            };
            let made = ProgramSchedule::of(&self.system, art, Options { opt, keeps_all });
            made.map_err(|why| format!("Result {number} can't be kept to: {why}."))
        });
        made.as_ref().map(|_| ()).map_err(Clone::clone)
    }
}

/// Where one result's schedule goes on in another one's.
fn map_of(
    verifier: &mut Verifier<Symbolic>,
    schedules: &FxHashMap<Key, Result<ProgramSchedule, String>>,
    from: Key,
    to: Key,
) -> Map {
    let schedule = |key: Key| schedules.get(&key)?.as_ref().ok();
    let art = |verifier: &Verifier<Symbolic>, key: Key| results(verifier).nth(key.0).cloned();
    let (one, other) = (schedule(from)?, schedule(to)?);
    let (own, others) = (art(verifier, from)?, art(verifier, to)?);
    let variables = verifier.system().variables.len() as u32;
    let mut asked = 0;
    let mut budget = Budget::unlimited();
    let mut implies = |before: &Arc<Term>, after: &Arc<Term>| {
        if follows(before, after) {
            return true;
        }
        asked += 1;
        if asked > QUESTIONS {
            return false;
        }
        let symbolic = verifier.predicates();
        let mut meter = Meter::new(QUESTION, 0, &mut budget);
        let mut predicate = |label: &Arc<Term>| {
            let input = |at: u32| Symbol(variables + at);
            let term = symbolic.store().translate(label, &input, &mut FxHashMap::default());
            let formula = symbolic.store().nonzero(term);
            symbolic.of(formula, &mut meter).ok()
        };
        let (Some(before), Some(after)) = (predicate(before), predicate(after)) else { return false };
        symbolic.implies(&before, &after, &mut meter).is_ok_and(|answer| answer == Implication::Holds)
    };
    one.map((&own, &others), other, &mut implies)
}

/// What is asked, and what of it there is.
struct Asked<'r> {
    request: &'r RunRequest,
    larger: Vec<(u32, usize)>,
    notes: Vec<String>,
}

/// A program with its text.
#[derive(Clone, Copy)]
struct About<'s> {
    text: &'s str,
    program: &'s Program,
    system: &'s System,
    native: &'s Native,
}

/// A run, up to somewhere.
struct Run<'s> {
    about: About<'s>,
    stepper: Stepper<'s>,
    made: u32,
    trail: Vec<(u16, u32)>,
    looked_at: usize,
    cells: Vec<Vec<CellView>>,
    rounds: Vec<u64>,
    useful: Vec<bool>,
    /// The state in front of the last step, and who made it.
    before: Option<State>,
    last: Option<(u16, TransitionId)>,
    has_schedule: bool,
}

impl<'s> About<'s> {
    /// A state at the start by chance.
    fn start(&self, random: &mut Random) -> Option<State> {
        match self.system.initial_states() {
            Ok(mut states) if !states.is_empty() => {
                let at = random.below(states.len() as u64) as usize;
                Some(states.swap_remove(at))
            }
            Ok(_) => None,
            Err(_) => (0..DRAWS).find_map(|_| {
                let mut values = self.system.initial.clone();
                for (variable, input) in &self.system.inputs {
                    values[variable.0 as usize] = draw(input, random);
                }
                let holds = self.system.assuming.iter().all(|term| term.evaluate(&values, &[]) != 0);
                self.system.state(&values).filter(|_| holds)
            }),
        }
    }

    fn run(
        self,
        asked: &Asked<'_>,
        base: Option<usize>,
        first: &'s ProgramSchedule,
        find: &dyn Fn(Key) -> Option<&'s ProgramSchedule>,
        map: &mut dyn FnMut(usize, Key) -> Map,
    ) -> RunView {
        let request = asked.request;
        let mut view = RunView { notes: asked.notes.clone(), ..RunView::default() };
        let mut random = Random::new(request.seed);
        let Some(start) = self.start(&mut random) else {
            view.notes.push("No inputs were found for which holds what is assumed at the start.".to_owned());
            return view;
        };
        let threads = self.system.threads.len();
        let mut run = Run {
            about: self,
            stepper: Stepper::new(self.system, first, start),
            made: 0,
            trail: Vec::new(),
            looked_at: 0,
            cells: vec![Vec::new(); threads],
            rounds: vec![0; threads],
            useful: vec![false; threads],
            before: None,
            last: None,
            has_schedule: !request.unconstrained,
        };
        run.note_passed();
        let mut current = base;
        loop {
            let wanted = asked.larger.iter().rev().find(|(from, _)| *from <= run.made).map(|(_, result)| *result);
            view.pending = None;
            if let (Some(from), Some(to)) = (current, wanted)
                && from != to
            {
                let key = (to, request.opt, request.keeps_all);
                match run.take_over(map(from, key), find(key), to) {
                    Ok(()) => {
                        let words = format!("Result {} takes over from result {}.", to + 1, from + 1);
                        view.swaps.push(SwapView { step: run.made, from, to, words });
                        current = Some(to);
                    }
                    Err(why) => view.pending = Some(why),
                }
            }
            if run.made >= request.steps.min(MAX_STEPS) {
                break;
            }
            let chosen = match request.choices.get(run.made as usize) {
                Some(&(thread, choice)) => match run.by_hand(thread, choice) {
                    Ok(step) => Ok(Some((thread, choice, step))),
                    Err(reason) => {
                        view.refused = Some(RefusedView { choice: run.made as usize, reason });
                        break;
                    }
                },
                None => run.by_chance(&mut random),
            };
            match chosen {
                Ok(Some((thread, choice, step))) => {
                    if !run.step(thread, &step) {
                        break;
                    }
                    run.trail.push((thread, choice));
                }
                Ok(None) => break,
                Err(why) => {
                    view.notes.push(format!("The run stops here: {why}."));
                    break;
                }
            }
            if run.looked_at > LOOKED_AT {
                view.notes.push("The run stops here: its inputs have too many values to go on.".to_owned());
                break;
            }
        }
        view.result = current;
        run.show(request, &mut view);
        view
    }

    fn name(&self, thread: u16) -> &'s str {
        self.system.threads.get(usize::from(thread)).map_or("", |thread| &thread.name)
    }

    /// What stands at a point, and in which line.
    fn place(&self, thread: u16, point: litmoscope_core::program::system::PointId) -> (String, u32) {
        let span = self.system.point(thread.into(), point).span;
        (event_text(self.text, span), span.line)
    }

    fn step_text(&self, id: TransitionId) -> (String, u32) {
        let transition = self.system.transition(id);
        self.place(transition.thread, transition.from)
    }

    fn value(&self, value: i64) -> String {
        self.program.value_text(value)
    }

    /// What is said of an event that comes: `T1 did x := 1 in line 3`.
    fn did(&self, id: TransitionId) -> String {
        let (text, line) = self.step_text(id);
        format!("{} did `{text}` in line {line}", self.name(self.system.transition(id).thread))
    }
}

impl<'s> Run<'s> {
    /// Lets a result take over, or says why it does not yet.
    fn take_over(&mut self, map: Map, schedule: Option<&'s ProgramSchedule>, to: usize) -> Result<(), String> {
        let number = to + 1;
        let (Some(map), Some(schedule)) = (map, schedule) else {
            return Err(format!(
                "Result {number} can't take over: it leaves out other events than the result in use, so threads may be where it does not expect them."
            ));
        };
        if !self.stepper.lookup().is_at_node() {
            return Err(format!("Result {number} takes over at the end of this section, or of a later one."));
        }
        let node = map.get(self.stepper.lookup().node()).copied().flatten();
        match node.is_some_and(|node| self.stepper.swap(schedule, node)) {
            true => Ok(()),
            false => Err(format!(
                "Result {number} knows no place that follows from this one. It takes over at the end of a later section."
            )),
        }
    }

    fn threads(&self) -> std::ops::Range<u16> {
        0..self.about.system.threads.len() as u16
    }

    /// The steps of a thread that are admitted, each with its number among all of its steps.
    fn admitted(&mut self, thread: u16) -> Result<Vec<(u32, Successor)>, StateError> {
        let lookup = self.stepper.lookup();
        let permitted = lookup.permitted();
        let may = permitted.iter().find(|may| may.thread == thread);
        let is_permitted = |id: TransitionId| lookup.is_free() || may.is_some_and(|may| may.transitions.contains(&id));
        let steps = self.stepper.steps(thread)?;
        self.looked_at += steps.len();
        Ok((0..).zip(steps).filter(|(_, step)| is_permitted(step.transition)).collect())
    }

    fn by_chance(&mut self, random: &mut Random) -> Result<Option<(u16, u32, Successor)>, StateError> {
        let mut all = Vec::new();
        for thread in self.threads() {
            let steps = self.admitted(thread)?;
            if !steps.is_empty() {
                all.push((thread, steps));
            }
        }
        if all.is_empty() {
            return Ok(None);
        }
        let at = random.below(all.len() as u64) as usize;
        let (thread, mut steps) = all.swap_remove(at);
        let at = random.below(steps.len() as u64) as usize;
        let (choice, step) = steps.swap_remove(at);
        Ok(Some((thread, choice, step)))
    }

    fn by_hand(&mut self, thread: u16, choice: u32) -> Result<Successor, String> {
        if !self.threads().contains(&thread) {
            return Err(format!("There is no thread {thread}."));
        }
        let steps = self.admitted(thread).map_err(|why| format!("{why}."))?;
        if let Some((_, step)) = steps.into_iter().find(|(number, _)| *number == choice) {
            return Ok(step);
        }
        let lane = self.stepper.lane(thread).map_err(|why| format!("{why}."))?;
        Err(match lane {
            Lane::Ready => format!("{} has no such step here.", self.about.name(thread)),
            lane => self.reason(thread, &lane),
        })
    }

    /// Makes a step. Whether it was admitted.
    fn step(&mut self, thread: u16, step: &Successor) -> bool {
        let before = self.stepper.state().clone();
        if !self.stepper.step(thread, step) {
            return false;
        }
        self.made += 1;
        self.before = Some(before);
        self.last = Some((thread, step.transition));
        let inputs = step.inputs.iter().map(|value| self.about.value(*value)).collect();
        self.note(step.transition, inputs, false);
        self.note_passed();
        true
    }

    fn note_passed(&mut self) {
        for id in self.stepper.passed().to_vec() {
            self.note(id, Vec::new(), true);
        }
    }

    fn note(&mut self, id: TransitionId, inputs: Vec<String>, left_out: bool) {
        let About { system, native, .. } = self.about;
        let thread = usize::from(system.transition(id).thread);
        self.useful[thread] |= native.works(id);
        let ends = native.ends_round(id);
        let completes_round = ends && (self.useful[thread] || !native.has_to_work[thread]);
        self.rounds[thread] += u64::from(completes_round);
        self.useful[thread] &= !ends;
        let (text, line) = self.about.step_text(id);
        self.cells[thread].push(CellView { step: self.made, text, line, inputs, completes_round, left_out });
    }

    /// Why a thread may not go on, or that it may, in a sentence.
    fn reason(&self, thread: u16, lane: &Lane) -> String {
        let name = self.about.name(thread);
        let state = self.stepper.state();
        let point = state.points[usize::from(thread)];
        let (text, line) = self.about.place(thread, point);
        match lane {
            Lane::Ready => format!("{name} may go on with `{text}` in line {line}."),
            Lane::Waits(events) => self.waiting(thread, events),
            Lane::Branch(other) => {
                let other = self.about.name(*other);
                format!("The schedule lets {other} go first here: what it does decides how the schedule goes on.")
            }
            Lane::Blocked => self.blocked(thread, &text, line),
            Lane::Departs if self.stepper.lookup().node() == 0 && self.made == 0 => {
                "No schedule is proven right, so nothing is admitted.".to_owned()
            }
            Lane::Departs => "The schedule ends here.".to_owned(),
            Lane::Ended => format!("{name} has ended."),
            Lane::Wrong => format!("{name} went wrong at `{text}` in line {line}."),
        }
    }

    /// For which events a thread waits, in a sentence.
    fn waiting(&self, thread: u16, events: &[usize]) -> String {
        let name = self.about.name(thread);
        let lookup = self.stepper.lookup();
        let section = lookup.section().map(|section| &self.stepper.schedule().sections[section]);
        let Some(section) = section else { return format!("{name} waits.") };
        if lookup.next(thread).is_none() {
            return format!("{name} has no step left in this section: it waits until the others are done with it.");
        }
        let events = events.iter().filter_map(|event| section.events.get(*event));
        let events: Vec<String> = events.map(|event| self.about.did(event.transition)).collect();
        format!("{name} waits until {}.", list(events))
    }

    /// What the program lets a thread wait for, in a sentence.
    fn blocked(&self, thread: u16, text: &str, line: u32) -> String {
        let About { system, .. } = self.about;
        let name = self.about.name(thread);
        let state = self.stepper.state();
        let point = system.point(thread.into(), state.points[usize::from(thread)]);
        let head = format!("{name} waits at `{text}` in line {line}");
        let PointKind::Event(kind) = &point.kind else { return format!("{head}.") };
        match kind {
            EventKind::Lock => {
                let mutexes = point.transitions.iter().flat_map(|id| system.transition(*id).reads.iter());
                let held = mutexes.map(|mutex| state.values[mutex.0 as usize]).find(|value| *value != 0);
                match held.and_then(|value| u16::try_from(value - 1).ok()).filter(|by| self.threads().contains(by)) {
                    Some(by) => format!("{head}: it is not free, {} holds it.", self.about.name(by)),
                    None => format!("{head}: it is not free."),
                }
            }
            EventKind::Receive => format!("{head} until something is in the channel."),
            EventKind::Send => format!("{head} until the channel has room."),
            EventKind::Join => format!("{head} until the other thread has ended."),
            EventKind::Stuck => format!("{head} for good: what it assumes does not hold."),
            EventKind::Input => format!("{head}: no value of the input is as it assumes."),
            _ => format!("{head} until what it assumes holds."),
        }
    }

    /// What all threads do, and how the run stands.
    fn show(&mut self, request: &RunRequest, view: &mut RunView) {
        view.steps = self.made;
        view.trail.clone_from(&self.trail);
        view.first = self.made.saturating_sub(WINDOW) + 1;
        let mut ready = Vec::new();
        let lookup = self.stepper.lookup().clone();
        let section = lookup.section().map(|section| &self.stepper.schedule().sections[section]);
        let mut lanes = Vec::new();
        for thread in self.threads() {
            let lane = match self.stepper.lane(thread) {
                Ok(lane) => lane,
                Err(why) => {
                    let note = format!("{why}.");
                    if !view.notes.contains(&note) {
                        view.notes.push(note);
                    }
                    Lane::Blocked
                }
            };
            if lane == Lane::Ready {
                ready.push(thread);
            }
            self.offer(thread, &lane, view);
            lanes.push(lane);
        }
        for (thread, lane) in self.threads().zip(&lanes) {
            let at = usize::from(thread);
            let point = self.about.system.point(at, self.stepper.state().points[at]);
            let (text, line) = match point.kind {
                PointKind::Ended => (String::new(), 0),
                _ => self.about.place(thread, self.stepper.state().points[at]),
            };
            let is_ahead =
                |(event, of): &(usize, &crate::sections::SectionEvent)| of.thread == thread && !lookup.is_over(*event);
            let ahead = section.into_iter().flat_map(|section| section.events.iter().enumerate()).filter(is_ahead);
            let ahead = ahead.take(WINDOW as usize).map(|(event, of)| {
                let (text, line) = self.about.step_text(of.transition);
                AheadView { event, text, line }
            });
            let waits = match (lane, section) {
                (Lane::Waits(events), Some(section)) if lookup.next(thread).is_some() => {
                    let others = events.iter().map(|event| (*event, section.events[*event].thread));
                    others
                        .filter(|(_, other)| *other != thread)
                        .map(|(event, thread)| WaitView { thread, event })
                        .collect()
                }
                _ => Vec::new(),
            };
            let now = NowView { is: now(lane), words: self.reason(thread, lane), waits };
            view.lanes.push(LaneView {
                name: self.about.name(thread).to_owned(),
                cells: self.cells[at]
                    .iter()
                    .filter(|cell| cell.step >= view.first || view.first == 1)
                    .cloned()
                    .collect(),
                now,
                text,
                line,
                ahead: ahead.collect(),
                rounds: self.rounds[at],
            });
        }
        view.values = self.values();
        if self.has_schedule {
            view.section = section::view(&self.about, &self.stepper, self.last, request.narrow);
        }
        view.end = self.end(&lanes, !ready.is_empty(), view.result);
        view.said = self.said(&ready, view);
    }

    /// What a thread may do next, and what not.
    fn offer(&mut self, thread: u16, lane: &Lane, view: &mut RunView) {
        let state = self.stepper.state();
        let at = state.points[usize::from(thread)];
        if !self.about.system.point(thread.into(), at).is_active() || self.about.system.is_error(state) {
            return;
        }
        let (text, line) = self.about.place(thread, at);
        let steps = self.about.system.successors(state, thread.into()).unwrap_or_default();
        let admitted: Vec<u32> = self.admitted(thread).unwrap_or_default().into_iter().map(|(at, _)| at).collect();
        let reason = (*lane != Lane::Ready).then(|| self.reason(thread, lane));
        let entry = |choice: u32, inputs: Vec<String>| {
            let is_admitted = admitted.contains(&choice);
            let departs = || "The schedule does not go on with this step.".to_owned();
            NextView {
                thread,
                choice,
                text: text.clone(),
                line,
                inputs,
                admitted: is_admitted,
                reason: if is_admitted { None } else { Some(reason.clone().unwrap_or_else(departs)) },
            }
        };
        if steps.is_empty() {
            view.next.push(entry(0, Vec::new()));
        }
        for (choice, step) in (0..).zip(steps.iter().take(OFFERED)) {
            view.next.push(entry(choice, step.inputs.iter().map(|value| self.about.value(*value)).collect()));
        }
    }

    fn values(&self) -> Vec<ValueView> {
        let About { system, native, .. } = self.about;
        let state = self.stepper.state();
        let schedule = self.stepper.schedule();
        let left_out = |variable: Variable| {
            schedule.dropped.iter().any(|(thread, point)| {
                let point = system.point((*thread).into(), *point);
                matches!(point.kind, PointKind::Event(EventKind::Lock | EventKind::Unlock))
                    && point.transitions.iter().any(|id| system.transition(*id).writes.contains(&variable))
            })
        };
        let points = state.points.iter().enumerate();
        let live: Vec<Variable> =
            points.flat_map(|(thread, point)| system.point(thread, *point).live.iter().copied()).collect();
        let is_shown = |variable: &Variable| match system.variables[variable.0 as usize] {
            Holds::Memory(_) => !system.names[variable.0 as usize].starts_with("end of "),
            Holds::Full(_) => false,
            Holds::Register(..) => live.contains(variable) && !system.names[variable.0 as usize].contains('%'),
        };
        let view = |variable: Variable| {
            let at = variable.0 as usize;
            let value = state.values[at];
            let value = match native.locks.contains(&variable) {
                true if left_out(variable) => "left out by the schedule".to_owned(),
                true if value == 0 => "free".to_owned(),
                true => match u16::try_from(value - 1) {
                    Ok(by) if self.threads().contains(&by) => format!("held by {}", self.about.name(by)),
                    _ => "held".to_owned(),
                },
                false => self.about.value(value),
            };
            let changed = self.before.as_ref().is_some_and(|before| before.values[at] != state.values[at]);
            ValueView { name: system.names[at].clone(), value, changed }
        };
        (0..system.variables.len() as u32).map(Variable).filter(is_shown).map(view).collect()
    }

    fn end(&self, lanes: &[Lane], is_ready: bool, result: Option<usize>) -> Option<EndView> {
        let system = self.about.system;
        let wrong = lanes.iter().position(|lane| *lane == Lane::Wrong);
        if let Some(thread) = wrong {
            let thread = thread as u16;
            let (text, line) = self.about.place(thread, self.stepper.state().points[usize::from(thread)]);
            let words = format!("{} goes wrong at `{text}` in line {line}.", self.about.name(thread));
            return Some(EndView { is: RunEnd::Error, words });
        }
        if !system.is_active(self.stepper.state()) {
            return Some(EndView {
                is: RunEnd::Ended,
                words: "All threads have ended, and nothing went wrong.".to_owned(),
            });
        }
        if is_ready {
            let is_long = self.made >= MAX_STEPS;
            let words = format!("The run has {}: it is shown no further.", count(MAX_STEPS.into(), "step"));
            return is_long.then_some(EndView { is: RunEnd::Limit, words });
        }
        if self.has_schedule && result.is_none() {
            let words = "No schedule is proven right, so nothing is admitted.".to_owned();
            return Some(EndView { is: RunEnd::Stuck, words });
        }
        let is_waiting = |(_, lane): &(u16, &Lane)| !matches!(lane, Lane::Ended);
        let is_deadlock = lanes.iter().all(|lane| matches!(lane, Lane::Blocked | Lane::Ended));
        let waiting: Vec<u16> = self.threads().zip(lanes).filter(is_waiting).map(|(thread, _)| thread).collect();
        let all = waiting.iter().map(|thread| {
            let (text, line) = self.about.place(*thread, self.stepper.state().points[usize::from(*thread)]);
            format!("{} waits at `{text}` in line {line}", self.about.name(*thread))
        });
        let all = list(all);
        Some(match is_deadlock {
            true => EndView { is: RunEnd::Deadlock, words: format!("A deadlock: {all}. Nobody can go on.") },
            false => EndView { is: RunEnd::Stuck, words: format!("Nothing is admitted: {all}.") },
        })
    }

    fn said(&self, ready: &[u16], view: &RunView) -> String {
        let mut said = match self.last {
            None => "Nothing has run yet.".to_owned(),
            Some((_, step)) => format!("Step {}: {}.", self.made, self.about.did(step)),
        };
        let more = match (&view.end, ready.len() as u64) {
            (Some(end), _) => end.words.clone(),
            (None, number) => {
                let names = list(ready.iter().map(|thread| self.about.name(*thread)));
                format!("{names} may go on{}", by_number(number, ".", ": the order is free."))
            }
        };
        said.push(' ');
        said + &more
    }
}

fn now(lane: &Lane) -> Now {
    match lane {
        Lane::Ready => Now::Ready,
        Lane::Waits(_) => Now::Waits,
        Lane::Branch(_) => Now::Branch,
        Lane::Blocked => Now::Blocked,
        Lane::Departs => Now::Departs,
        Lane::Ended => Now::Ended,
        Lane::Wrong => Now::Wrong,
    }
}
