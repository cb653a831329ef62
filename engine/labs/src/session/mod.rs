//! A stepping session: what the page and the command line both drive.
//!
//! A step costs nothing that depends on the length of the exploration. A session keeps a bounded number of checkpoints, spread
//! over all of it, and replays from the nearest. Its tree has room for a million visits; how many more there are is said.
//!
//! Behind its last step, a session shows the last whole execution: what an algorithm is left with may be a dropped graph or a
//! part of one.

mod aspect;
mod drawn_tree;
mod explain;
mod fingerprint;
mod found;
mod frozen;
pub mod link;
mod notes;
mod preview;
mod question;
pub mod script;
mod search;
mod tree;
mod view;

pub use aspect::{Aspect, AspectView};
pub use drawn_tree::{
    BackArrow, Badge, Below, Spot, TREE_FONT_SIZE, Toward, TreeDrawing, TreeEdge, TreeNode, shape, sign,
};
pub use found::{FoundView, MomentKind, file_settings};
pub use link::{LabPlace, LinkError, Pair};
pub use notes::notes;
pub use preview::Preview;
pub use question::{
    AskedGraph, EdgeReply, EventReply, Fact, GraphQuestion, PathReply, ReasonView, Reply, StepView, ViolationView,
};
pub use search::{Hit, SEARCH_HELP, Search, SearchView};
pub use tree::{Tally, Tree, Visit, VisitId, VisitKind, VisitOption};
pub use view::{
    ConditionView, CutView, FaultView, OptionView, OutcomeRow, OutcomesView, PendingView, TreeRow, TreeView, View,
    ViewRequest,
};

pub use crate::budget::PATIENCE;
use crate::budget::{Budget, Paused};
use crate::explore::{Counts, Coverage, Effort, Explorer, Observation, Results, Step, symmetric_threads};
use crate::model::{Inquiry, Model, UnknownModel};
use crate::program::{Code, Limits, Program, Span};
use crate::syntax::{self, Diagnostic, Severity};
use fingerprint::Fingerprint;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

pub use crate::explore::Settings;

/// How much of an exploration was explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// As much as was asked for yet: it can go on.
    Ongoing,
    /// As much as there was before it was stopped: parts of it, perhaps with gaps.
    Stopped,
    /// All up to the first error, data race or execution that is stuck for good, where the options say to stop.
    FirstFault,
    /// All of it.
    Whole,
}

/// How many checkpoints are kept over the whole of an exploration. Going back costs replaying at most
/// `2 / CHECKPOINTS` of it.
const CHECKPOINTS: usize = 256;
/// What the checkpoints may weigh together ([`Explorer::weight`]): a few hundred megabytes. Heavier ones are fewer.
const MAX_WEIGHT: usize = 1_000_000;
/// How many more are kept around the last position looked at.
const NEARBY: u64 = 32;

struct Checkpoint {
    position: u64,
    step: Option<Step>,
    explorer: Box<dyn Explorer>,
}

impl Checkpoint {
    fn advance_within(&mut self, budget: &mut Budget) -> Result<(), Paused> {
        let step = self.explorer.advance_within(budget)?;
        self.arrive(step);
        Ok(())
    }

    /// The explorer has performed a step.
    fn arrive(&mut self, step: Step) {
        self.position += 1;
        self.step = Some(step);
    }

    fn copy(&self) -> Self {
        Self { position: self.position, step: self.step, explorer: self.explorer.checkpoint() }
    }
}

/// An exploration that can be stepped through in both directions.
///
/// There are two points: the frontier, up to which everything has been explored, and the position looked at, which is
/// at most the frontier. Tree, results and counts speak of all that lies before the frontier.
pub struct Session {
    settings: Settings,
    program: Program,
    notes: Vec<Diagnostic>,
    code: Arc<Code>,
    /// Whether executions can be left out in which threads wait in vain.
    leaves_out_waits: bool,
    frontier: Checkpoint,
    done: bool,
    /// How much was explored, where that happened elsewhere.
    frozen: Option<Reach>,
    /// Set while looking at a point before the frontier.
    past: Option<Checkpoint>,
    checkpoints: Vec<Checkpoint>,
    /// What the checkpoints weigh.
    weight: usize,
    interval: u64,
    /// Ascending positions behind the last checkpoint before the position looked at.
    nearby: Vec<Checkpoint>,
    /// Where a replay was paused: it goes on from there.
    resting: Option<Checkpoint>,
    tree: Tree,
    results: Results,
    fingerprint: Fingerprint,
    /// At the end, the explorer as it was at the last whole execution: what is left behind it, a dropped graph or what
    /// remains of one, looks like a result and is none.
    last: Option<Box<dyn Explorer>>,
    /// Positions of whole executions, ascending.
    executions: Vec<u64>,
    /// Positions of what is wrong or decides the condition, ascending.
    violations: Vec<u64>,
    /// A step that the explorer has performed and that is yet to be noted, since that was paused; and the search for its
    /// final states.
    unnoted: Option<Step>,
    inquiry: Inquiry,
    /// Units of work that searches may take within one call; `None` if each call goes to its end.
    patience: Option<u64>,
    /// The last call was paused.
    paused: bool,
    /// Units of work that calls which move have taken.
    spent: u64,
}

impl Session {
    /// A session at its first step; [`Settings::position`] is left to the caller ([`Session::go_to`]), since getting
    /// there may take long.
    ///
    /// # Errors
    /// Diagnostics of a text that is no program, or no program that can be explored.
    pub fn open(settings: Settings) -> Result<Self, Vec<Diagnostic>> {
        let parsed = syntax::parse(&settings.text)?;
        Self::with_program(settings, parsed.program, parsed.notes)
    }

    /// A session for a program that is parsed already; `settings.text` is its text.
    ///
    /// The model is that of the settings; where the text names another, a note says so.
    ///
    /// # Errors
    /// Diagnostics of a program that can't be explored, or that names a model that does not exist.
    pub fn with_program(
        mut settings: Settings,
        program: Program,
        mut notes: Vec<Diagnostic>,
    ) -> Result<Self, Vec<Diagnostic>> {
        let refuse = |message: String, span, help: Option<&str>| {
            vec![Diagnostic { severity: Severity::Error, message, span, help: help.map(str::to_owned) }]
        };
        settings
            .options
            .validate_for(settings.algorithm, settings.model)
            .map_err(|error| refuse(error.to_string(), Span::default(), None))?;
        if let Some((name, span)) = &program.model {
            let named: Model =
                name.parse().map_err(|error: UnknownModel| vec![Diagnostic::error(error.to_string(), *span)])?;
            if named != settings.model {
                let (named, chosen) = (named.title(), settings.model.title());
                let message = format!("the text asks for {named}; it is explored under {chosen}, as chosen");
                notes.push(Diagnostic::note(message, *span));
            }
        }
        let code = Code::compile(&program).map_err(|error| refuse(error.to_string(), error.span(), None))?;
        let code = settings.model.prepare(Arc::new(code));
        settings
            .options
            .validate_for_program(settings.algorithm, settings.model, &code)
            .map_err(|error| refuse(error.to_string(), Span::default(), None))?;
        notes.extend(notes::ignored_modes(&code, settings.model));
        notes.extend(self::notes(&program, &code, settings.model, settings.options.limits));
        if settings.options.symmetry {
            let classes = symmetric_threads(&code, settings.model, settings.algorithm, settings.options);
            notes.push(Diagnostic::note(crate::report::symmetry_text(&program, &classes), Span::default()));
        }
        let explorer = settings.algorithm.lazy_explorer(Arc::clone(&code), settings.model, settings.options);
        let leaves_out_waits = settings.algorithm.traits().leaves_out_waits
            && !settings.options.bounds_switches()
            && notes::may_wait(&code, settings.options.limits);
        settings.position = 0;
        let frontier = Checkpoint { position: 0, step: None, explorer };
        Ok(Self {
            results: Results::new(&program),
            checkpoints: vec![frontier.copy()],
            frontier,
            settings,
            program,
            notes,
            code,
            leaves_out_waits,
            weight: 0,
            done: false,
            frozen: None,
            last: None,
            past: None,
            interval: 16,
            nearby: Vec::new(),
            resting: None,
            tree: Tree::default(),
            fingerprint: Fingerprint::default(),
            executions: Vec::new(),
            violations: Vec::new(),
            unnoted: None,
            inquiry: Inquiry::default(),
            patience: None,
            paused: false,
            spent: 0,
        })
    }

    /// What was chosen, with the current position.
    pub fn settings(&self) -> Settings {
        Settings { position: self.position(), ..self.settings.clone() }
    }

    /// The link to the current position, `#` included.
    pub fn link(&self) -> String {
        link::encode(&self.settings())
    }

    /// The program text.
    pub fn source(&self) -> &str {
        &self.settings.text
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// What the parser inferred or found odd.
    pub fn notes(&self) -> &[Diagnostic] {
        &self.notes
    }

    /// The model.
    pub fn model(&self) -> Model {
        self.settings.model
    }

    /// How many steps lie before the point looked at.
    pub fn position(&self) -> u64 {
        self.past.as_ref().unwrap_or(&self.frontier).position
    }

    /// How many steps have been explored.
    pub fn frontier(&self) -> u64 {
        self.frontier.position
    }

    /// Whether nothing is left to explore.
    pub fn is_done(&self) -> bool {
        self.done
    }

    /// Whether the graph at the frontier has more events than a session looks at: then it goes no further. Explorations that
    /// are cut before that come to their ends.
    pub fn is_full(&self) -> bool {
        let graph = self.frontier.explorer.execution();
        let room = Limits::EVENTS as usize;
        !self.done
            && self.settings.options.limits.events > Limits::EVENTS
            && graph.len() - self.code.initial.len() > room
    }

    /// How much has been explored.
    pub fn reach(&self) -> Reach {
        let counts = self.counts();
        if let Some(reach) = self.frozen {
            reach
        } else if !self.done {
            Reach::Ongoing
        } else if self.settings.options.stop_at_first && counts.is_any_wrong() {
            Reach::FirstFault
        } else {
            Reach::Whole
        }
    }

    /// Whether nothing was cut and everything was explored.
    pub fn coverage(&self) -> Coverage {
        let whole = self.reach() == Reach::Whole
            && self.counts().is_unbounded()
            && !self.settings.algorithm.leaves_condition_open(self.program());
        if whole { Coverage::Whole } else { Coverage::Part }
    }

    /// The step that led to the point looked at; `None` at the start.
    pub fn step(&self) -> Option<Step> {
        self.past.as_ref().unwrap_or(&self.frontier).step
    }

    /// The explorer at the point looked at; behind the last step, at the last whole execution, if there is one.
    pub fn explorer(&self) -> &dyn Explorer {
        match (&self.past, &self.last) {
            (None, Some(last)) => &**last,
            (past, _) => &*past.as_ref().unwrap_or(&self.frontier).explorer,
        }
    }

    /// Whether the graph shown is that of the last whole execution, and not that of the last step.
    fn shows_last(&self) -> bool {
        self.past.is_none() && self.last.is_some()
    }

    /// What was counted up to the frontier.
    pub fn counts(&self) -> Counts {
        self.frontier.explorer.counts()
    }

    /// What was found up to the frontier.
    pub fn results(&self) -> &Results {
        &self.results
    }

    /// Whether the exploration ended before it began: [`Step::TooManyCandidates`].
    fn gave_up(&self) -> bool {
        self.done && self.frontier.explorer.gave_up()
    }

    /// The tree up to the frontier.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// A hash of all steps up to the frontier and of the executions they lead to, as 16 hexadecimal digits. The same
    /// program, model and options have the same one natively and in every browser.
    pub fn fingerprint(&self) -> String {
        self.fingerprint.to_string()
    }

    /// From now on, calls that move come back within a step, too, once searches have taken so many units of work
    /// ([`crate::budget`]; [`PATIENCE`] is usual). They have moved as far as they came, [`Self::is_paused`] says so, and the
    /// same call goes on.
    pub fn be_patient(&mut self, units: u64) {
        self.patience = Some(units);
    }

    /// Whether the last call that moves came back within a step: then the same call is to be made again.
    pub fn is_paused(&self) -> bool {
        self.paused
    }

    /// How many units of work all calls that move have taken together ([`crate::budget`]).
    pub fn spent(&self) -> u64 {
        self.spent
    }

    /// Performs one call that moves, with what it may spend.
    fn moving<T>(&mut self, call: impl FnOnce(&mut Self, &mut Budget) -> T) -> T {
        self.paused = false;
        let mut budget = self.patience.map_or_else(Budget::unlimited, Budget::of);
        let result = call(self, &mut budget);
        self.spent = self.spent.saturating_add(budget.spent());
        result
    }

    /// Explores one step further; the position looked at becomes the frontier. `None` at the end, or if it was paused.
    fn explore(&mut self, budget: &mut Budget) -> Option<Observation> {
        self.past = None;
        if self.done || self.is_full() {
            return None;
        }
        let observed = self.explore_within(budget);
        self.paused |= observed.is_err();
        observed.ok()
    }

    fn explore_within(&mut self, budget: &mut Budget) -> Result<Observation, Paused> {
        let step = match self.unnoted {
            Some(step) => step,
            None => self.frontier.explorer.advance_within(budget)?,
        };
        self.unnoted = Some(step);
        if step == Step::Done
            && let Some(&position) = self.executions.last()
        {
            self.last = Some(self.replay(position, budget)?.explorer);
        }
        let Self { results, program, code, settings, frontier, inquiry, .. } = self;
        let effort = Effort { limit: settings.options.limits.search, inquiry, budget };
        let observation = results.observe_within(program, code, settings.model, &*frontier.explorer, step, effort)?;
        self.unnoted = None;
        self.frontier.arrive(step);
        let position = self.frontier.position;
        self.done = step == Step::Done;
        self.tree.observe(step, position, self.frontier.explorer.level());
        self.fingerprint.add(&step);
        if let Step::Execution { .. } = step {
            let explorer = &self.frontier.explorer;
            self.fingerprint.add(&explorer.execution().canonical());
            if let Some(co) = explorer.coherence() {
                self.fingerprint.add(&explorer.execution().canonical_coherence(co));
            }
        }
        if observation.execution {
            self.executions.push(position);
        }
        if observation.violation {
            self.violations.push(position);
        }
        if position.is_multiple_of(self.interval) {
            self.checkpoints.push(self.frontier.copy());
            self.weight += self.frontier.explorer.weight();
            while self.checkpoints.len() > CHECKPOINTS || self.weight > MAX_WEIGHT && self.checkpoints.len() > 1 {
                self.interval *= 2;
                let interval = self.interval;
                self.checkpoints.retain(|checkpoint| checkpoint.position.is_multiple_of(interval));
                self.weight = self.checkpoints.iter().map(|checkpoint| checkpoint.explorer.weight()).sum();
            }
        }
        Ok(observation)
    }

    /// One step forward; whether there was one.
    pub fn forward(&mut self) -> bool {
        if self.past.is_some() {
            return self.go_to(self.position() + 1, u64::MAX);
        }
        self.moving(|session, budget| session.explore(budget).is_some())
    }

    /// One step back; whether there was one.
    pub fn back(&mut self) -> bool {
        let Some(before) = self.position().checked_sub(1) else { return false };
        self.go_to(before, u64::MAX)
    }

    /// Back to the start.
    pub fn reset(&mut self) {
        self.go_to(0, u64::MAX);
    }

    /// Goes to a position, or as far as `steps` newly explored steps lead; whether it got there or to the end.
    pub fn go_to(&mut self, position: u64, steps: u64) -> bool {
        let explored = self.frontier.position;
        if position < explored {
            self.paused = self.moving(|session, budget| session.look_back(position, budget).is_err());
            return !self.paused;
        }
        self.past = None;
        self.run(steps.min(position - explored));
        self.frontier.position >= position || self.done || self.is_full()
    }

    /// Goes on until an observation fits, or `steps` steps are explored, or the end; whether one of the first or the
    /// last was reached.
    fn go_on(&mut self, known: fn(&Self) -> &[u64], wanted: fn(Observation) -> bool, steps: u64) -> bool {
        let here = self.position();
        let next = known(self).partition_point(|&position| position <= here);
        if let Some(&position) = known(self).get(next) {
            return self.go_to(position, u64::MAX);
        }
        self.past = None;
        self.moving(|session, budget| {
            for _ in 0..steps {
                match session.explore(budget) {
                    Some(observation) if !wanted(observation) => {}
                    _ => return !session.paused,
                }
            }
            session.done || session.is_full()
        })
    }

    /// To the next whole execution; stops early after `steps` new steps. Whether it is over: found, or at the end.
    pub fn next_execution(&mut self, steps: u64) -> bool {
        self.go_on(|session| &session.executions, |observation| observation.execution, steps)
    }

    /// To the next error, race, or execution that decides the condition; as [`Self::next_execution`].
    pub fn next_violation(&mut self, steps: u64) -> bool {
        self.go_on(|session| &session.violations, |observation| observation.violation, steps)
    }

    /// To the last whole execution before the position; whether there is one.
    pub fn previous_execution(&mut self) -> bool {
        let here = self.position();
        let before = self.executions.partition_point(|&position| position < here);
        let Some(&position) = before.checked_sub(1).and_then(|index| self.executions.get(index)) else { return false };
        self.go_to(position, u64::MAX)
    }

    /// To the end of a visit as far as it was explored; whether it exists and has begun.
    pub fn go_to_visit(&mut self, id: VisitId) -> bool {
        match self.tree.visit(id) {
            Some(visit) if visit.taken.is_some() => self.go_to(visit.ended, u64::MAX),
            _ => false,
        }
    }

    /// Explores `steps` steps further; whether the end is reached.
    pub fn run(&mut self, steps: u64) -> bool {
        self.moving(|session, budget| {
            for _ in 0..steps {
                if session.explore(budget).is_none() {
                    break;
                }
            }
            session.done || session.is_full()
        })
    }

    /// The latest point that is kept and lies at or before a position.
    fn nearest(&self, position: u64) -> &Checkpoint {
        // The explorer of the frontier is ahead of it while its last step is yet to be noted.
        let frontier = self.unnoted.is_none().then_some(&self.frontier);
        let kept = self.checkpoints.iter().chain(frontier).chain(&self.past).chain(&self.nearby);
        let before = kept.filter(|checkpoint| checkpoint.position <= position);
        before.max_by_key(|checkpoint| checkpoint.position).expect("there is a checkpoint at 0")
    }

    /// Where a replay to a position begins: where one was paused, or at the nearest point that is kept.
    fn set_out(&mut self, position: u64) -> Checkpoint {
        let resting = self.resting.take();
        let nearest = self.nearest(position);
        let further = |resting: &Checkpoint| (nearest.position..=position).contains(&resting.position);
        resting.filter(further).unwrap_or_else(|| nearest.copy())
    }

    /// A position that was explored.
    fn replay(&mut self, position: u64, budget: &mut Budget) -> Result<Checkpoint, Paused> {
        let mut at = self.set_out(position);
        while at.position < position {
            if at.advance_within(budget).is_err() {
                self.resting = Some(at);
                return Err(Paused);
            }
        }
        Ok(at)
    }

    /// Keeps a point near the position looked at.
    fn keep(&mut self, at: Checkpoint) {
        let index = self.nearby.partition_point(|checkpoint| checkpoint.position < at.position);
        if self.nearby.get(index).is_none_or(|kept| kept.position != at.position) {
            self.nearby.insert(index, at);
        }
    }

    /// Replays to a position before the frontier, and keeps points on the way.
    fn look_back(&mut self, position: u64, budget: &mut Budget) -> Result<(), Paused> {
        let before = |checkpoint: &Checkpoint| checkpoint.position <= position;
        let (before, behind) = self.checkpoints.split_at(self.checkpoints.partition_point(before));
        let from = before.last().map_or(0, |checkpoint| checkpoint.position);
        let to = behind.first().unwrap_or(&self.frontier).position;
        self.nearby.retain(|checkpoint| (from..to).contains(&checkpoint.position));
        let mut at = self.set_out(position);
        let light = MAX_WEIGHT / 4 / at.explorer.weight().max(1);
        let spacing = ((to - from) / NEARBY.min(light as u64).max(1)).max(1);
        while at.position < position {
            if at.advance_within(budget).is_err() {
                self.resting = Some(at);
                return Err(Paused);
            }
            if (at.position - from).is_multiple_of(spacing) {
                self.keep(at.copy());
            }
        }
        self.past = Some(at);
        Ok(())
    }
}
