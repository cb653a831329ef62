//! What the memory models say of one program, outcome by outcome.
//!
//! An outcome is a final state, as [`Results`] has them. Its candidate executions are those of the brute force
//! ([`crate::explore::brute_force`]): any graph with acyclic porf whose threads all ran to their ends, with any write of
//! an observed location as its last. A model allows an outcome if GenMC finds an execution that ends in it; it forbids
//! the others, each for the shortest reason that one of their candidates gives ([`Model::shortest_violation`]).
//!
//! Where the candidates are too many, a comparison lists what some model allows and says so.

mod absence;
mod outcomes;
mod question;
mod separate;
mod why_allowed;
mod why_not;

pub use absence::Absence;
pub use question::{OutcomeQuestion, QuestionError, proposition_text, question_names};
pub use separate::{MAX_EVENTS, MAX_THREADS, Separation, Sizes, separate};
pub use why_allowed::WhyAllowed;
pub use why_not::{Asker, Case, Ruling, WhyNot, WhyNotAnswer};

use crate::budget::{Budget, PATIENCE, Paused};
use crate::explore::brute_force::Listing;
use crate::explore::{Algorithm, Counts, Effort, Explorer, Fault, GenMc, Options, Results, Step};
use crate::graph::{EventId, Execution};
use crate::model::{Inquiry, Model, Violation};
use crate::program::{Code, Observable, Program, Quantifier, Value};
use crate::words;
use indexmap::IndexMap;
use outcomes::ComparedProgram;
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The algorithm whose steps are counted ([`Cell::Allowed`]).
pub const ALGORITHM: Algorithm = Algorithm::Genmc;

/// What bounds the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComparisonBounds {
    /// Graphs, incomplete ones included, that are built to list the candidates. With more, only those outcomes are
    /// listed that some model allows.
    pub candidates: usize,
    /// Steps of GenMC for each model. Beyond, what was not found is unknown.
    pub steps: u64,
    /// Coherence orders looked at for the shortest cycle of one candidate. With more, the cycle is not claimed to be
    /// the shortest.
    pub orders: usize,
    /// Candidates of an outcome looked at for one model. With more, the cycle is the shortest of the first ones.
    pub explained: usize,
}

impl Default for ComparisonBounds {
    /// A second or two at most for each, on a computer of 2020.
    fn default() -> Self {
        Self { candidates: 100_000, steps: 5_000_000, orders: 2000, explained: 2000 }
    }
}

/// What all models say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The models compared, and what GenMC counted.
    pub models: Vec<Explored>,
    /// What an outcome consists of.
    pub observables: Vec<Observable>,
    /// Whether the outcomes are all those of candidate executions; otherwise there were too many candidates, and they
    /// are all that some model was found to allow.
    pub all_outcomes: bool,
    /// The outcomes, sorted by their values.
    pub outcomes: Vec<OutcomeRow>,
    /// Outcomes that the condition asks for and no candidate has.
    pub absent: Vec<AbsentOutcome>,
    /// How many outcomes with candidates the program's filter took out.
    pub filtered: u64,
    /// Whether it was ended early ([`Comparer::stop`]).
    pub stopped: bool,
}

/// How a model was explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Explored {
    /// The model.
    pub model: Model,
    /// What was counted. Blocked executions have no outcome, nor have erroneous ones but those that race.
    pub counts: Counts,
    /// Whether some execution has a data race, so that the program has no meaning in C11.
    pub racy: bool,
    /// Whether the exploration ended early: by the bound on steps, or with the whole comparison.
    pub stopped: bool,
    /// Whether a search reached its limit ([`crate::program::Limits::search`]): what was not found is unknown then.
    pub undecided: bool,
}

/// An outcome.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OutcomeRow {
    /// The values of the observables.
    pub state: Vec<Value>,
    /// Whether it satisfies the condition's proposition; `None` without a condition.
    pub satisfies: Option<bool>,
    /// How many candidate executions have it, counted once for each choice of last writes. 0 if not all are known.
    pub candidates: u64,
    /// What each model says of it, in the order of [`Comparison::models`].
    pub cells: Vec<Cell>,
}

/// What a model says of an outcome.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "verdict")]
pub enum Cell {
    /// Some consistent execution ends in it.
    Allowed {
        /// How many.
        executions: u64,
        /// After how many steps GenMC has the first of them whole.
        position: u64,
        /// That one.
        witness: Box<Execution>,
    },
    /// None does.
    Forbidden {
        /// Why; `None` where it has too many coherence orders.
        reason: Option<Box<Reason>>,
        /// How many candidates were looked at.
        looked_at: u64,
        /// Whether the cycle is the shortest of all candidates.
        shortest: bool,
    },
    /// None was found, but the exploration was stopped.
    Unknown,
}

/// Why a candidate execution is inconsistent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reason {
    /// The candidate.
    pub candidate: Execution,
    /// The writes that its final values come from.
    pub last: Vec<EventId>,
    /// The axiom and the cycle.
    pub violation: Violation,
}

/// An outcome without candidates that the condition asks for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AbsentOutcome {
    /// The values asked for; `None` where the condition asks for none.
    pub state: Vec<Option<Value>>,
    /// Why there is no candidate.
    pub why: Absence,
}

/// A candidate with one choice of last writes.
#[derive(Clone, Debug)]
struct Candidate {
    graph: Arc<Execution>,
    last: Vec<EventId>,
}

#[derive(Clone, Debug)]
struct AllowedOutcome {
    executions: u64,
    position: u64,
    graph: Execution,
}

/// What comes next.
enum Phase {
    Explore(Box<Exploring>),
    ListCandidates(Box<Listing>),
    Sort(usize),
    Explain { row: usize, column: usize, at: usize },
    Absent,
    Done,
}

/// An exploration by GenMC that comes back within long steps.
struct Exploring {
    explorer: GenMc,
    results: Results,
    /// A step that was performed and is yet to be noted, as the search for its final states was paused.
    unnoted: Option<Step>,
    inquiry: Inquiry,
}

impl Exploring {
    fn new(subject: &ComparedProgram, model: Model, results: Results) -> Self {
        let explorer = GenMc::new(Arc::clone(&subject.code), model, subject.options);
        Self { explorer, results, unnoted: None, inquiry: Inquiry::default() }
    }

    /// Performs a step and notes it.
    fn advance(&mut self, subject: &ComparedProgram, model: Model, budget: &mut Budget) -> Result<Step, Paused> {
        let step = match self.unnoted {
            Some(step) => step,
            None => self.explorer.advance_within(budget)?,
        };
        self.unnoted = Some(step);
        let effort = Effort { limit: subject.options.limits.search, inquiry: &mut self.inquiry, budget };
        self.results.observe_within(&subject.program, &subject.code, model, &self.explorer, step, effort)?;
        self.unnoted = None;
        Ok(step)
    }

    /// Whether a search has reached its limit, so that what was not found is unknown.
    fn is_undecided(&self) -> bool {
        self.explorer.counts().undecided + self.results.unlisted() > 0
    }
}

/// A comparison in progress: a machine that does a small part of the work at a time.
pub struct Comparer {
    subject: ComparedProgram,
    bounds: ComparisonBounds,
    phase: Phase,
    models: Vec<Model>,
    explored: Vec<Explored>,
    /// By model.
    allowed: Vec<IndexMap<Vec<Value>, AllowedOutcome, FxBuildHasher>>,
    graphs: Option<Vec<Arc<Execution>>>,
    rows: BTreeMap<Vec<Value>, Vec<Candidate>>,
    /// Outcomes taken out by the filter.
    filtered: BTreeSet<Vec<Value>>,
    outcomes: Vec<OutcomeRow>,
    /// The candidates of each outcome.
    candidates: Vec<Vec<Candidate>>,
    absent: Vec<AbsentOutcome>,
    stopped: bool,
}

/// How many steps of an explorer are one part of the work.
const STEPS: usize = 256;

/// How many events and threads of candidates are.
const LISTED: usize = 10_000;

impl Comparer {
    /// Why a model allows an outcome that an execution of it shows; `None` where SC has that execution as well.
    pub fn why_allowed(&self, model: Model, witness: &Execution, state: &[Value]) -> Option<WhyAllowed> {
        let co = self.subject.order(model, witness, state, self.bounds.orders);
        WhyAllowed::of(model, witness, &co, &self.subject.locations())
    }

    /// A comparison before its first step. `options.stop_at_first` is not heeded: outcomes behind an error count too.
    pub fn new(
        program: Arc<Program>,
        code: Arc<Code>,
        models: &[Model],
        options: Options,
        bounds: ComparisonBounds,
    ) -> Self {
        let mut comparer = Self {
            subject: ComparedProgram {
                program,
                code,
                options: Options { stop_at_first: false, ..options.without_reductions() },
            },
            bounds,
            phase: Phase::Done,
            models: models.to_vec(),
            explored: Vec::new(),
            allowed: Vec::new(),
            graphs: None,
            rows: BTreeMap::new(),
            filtered: Default::default(),
            outcomes: Vec::new(),
            candidates: Vec::new(),
            absent: Vec::new(),
            stopped: false,
        };
        comparer.explore_next();
        comparer
    }

    /// Does it all.
    pub fn compare(mut self) -> Comparison {
        while self.advance() {}
        self.comparison()
    }

    /// Ends it with what is known: outcomes that were not found to be allowed are unknown, and reasons that were not looked for
    /// are missing.
    pub fn stop(&mut self) {
        match self.phase {
            Phase::Done => return,
            Phase::Explore(_) => {
                self.note_explored(true);
                for &model in &self.models[self.explored.len()..] {
                    let counts = Counts::default();
                    self.explored.push(Explored { model, counts, racy: false, stopped: true, undecided: false });
                    self.allowed.push(IndexMap::default());
                }
                self.begin_rows_of_the_allowed();
            }
            Phase::ListCandidates(_) | Phase::Sort(_) => self.begin_rows_of_the_allowed(),
            Phase::Explain { row, column, .. } => self.leave_unexplained(row, column),
            Phase::Absent => {}
        }
        (self.stopped, self.phase) = (true, Phase::Done);
    }

    /// Makes rows of what the models were found to allow alone.
    fn begin_rows_of_the_allowed(&mut self) {
        self.graphs = None;
        self.filtered.clear();
        self.rows =
            self.allowed.iter().flat_map(|allowed| allowed.keys()).map(|state| (state.clone(), Vec::new())).collect();
        self.begin_rows();
    }

    /// From a cell on, no cycle is said to be the shortest.
    fn leave_unexplained(&mut self, row: usize, column: usize) {
        let cells = self.outcomes.iter_mut().map(|outcome| outcome.cells.iter_mut()).enumerate();
        for (at, cells) in cells.skip(row) {
            for cell in cells.skip(if at == row { column } else { 0 }) {
                if let Cell::Forbidden { shortest, .. } = cell {
                    *shortest = false;
                }
            }
        }
    }

    /// Does a part of the work, of some milliseconds; whether there is more to do.
    pub fn advance(&mut self) -> bool {
        match &mut self.phase {
            Phase::Explore(_) => self.explore(),
            Phase::ListCandidates(_) => self.list_candidates(),
            Phase::Sort(at) => {
                let at = *at;
                self.sort(at);
            }
            Phase::Explain { row, column, at } => {
                let (row, column, at) = (*row, *column, *at);
                self.explain(row, column, at);
            }
            Phase::Absent => {
                self.absent =
                    absence::absent(&self.subject.program, &self.subject.code, self.subject.options, &self.outcomes);
                self.phase = Phase::Done;
            }
            Phase::Done => {}
        }
        !matches!(self.phase, Phase::Done)
    }

    /// What is being done, in a few words.
    pub fn doing(&self) -> String {
        match &self.phase {
            Phase::Explore(exploring) => {
                let explorer = &exploring.explorer;
                let model = self.models[self.explored.len()];
                let executions = words::count(explorer.counts().executions(), "execution");
                format!("exploring under {}: {executions}", model.title())
            }
            Phase::ListCandidates(listing) => {
                format!("listing candidate executions: {}", words::grouped(listing.found().len() as u64))
            }
            Phase::Sort(_) => "sorting the candidates by outcome".to_owned(),
            Phase::Explain { row, column, .. } => {
                let model = self.models[*column].title();
                format!("outcome {} of {}: why {model} forbids it", row + 1, self.outcomes.len())
            }
            Phase::Absent => "looking for the outcome asked for".to_owned(),
            Phase::Done => "done".to_owned(),
        }
    }

    /// What is known so far; the outcomes are complete when [`Self::advance`] has said that there is no more to do. Before,
    /// they are those of the models explored, which may be fewer than all, and those that none of them allows are missing.
    pub fn comparison(&self) -> Comparison {
        Comparison {
            models: self.explored.clone(),
            observables: self.subject.program.observables(),
            all_outcomes: self.graphs.is_some(),
            outcomes: if self.has_rows() { self.outcomes.clone() } else { self.found() },
            absent: self.absent.clone(),
            filtered: self.filtered.len() as u64,
            stopped: self.stopped,
        }
    }

    fn has_rows(&self) -> bool {
        matches!(self.phase, Phase::Explain { .. } | Phase::Absent | Phase::Done)
    }

    /// What the models explored so far allow.
    fn found(&self) -> Vec<OutcomeRow> {
        let explored = || self.explored.iter().zip(&self.allowed);
        let states: BTreeSet<&Vec<Value>> = explored().flat_map(|(_, allowed)| allowed.keys()).collect();
        let row = |state: &Vec<Value>| OutcomeRow {
            state: state.clone(),
            satisfies: self.satisfies(state),
            candidates: 0,
            cells: explored().map(|(explored, allowed)| cell(explored, allowed.get(state), false)).collect(),
        };
        states.into_iter().map(row).collect()
    }

    /// Whether a state is one that the condition asks for.
    fn satisfies(&self, state: &[Value]) -> Option<bool> {
        self.subject.holds(self.subject.program.condition.as_ref().map(|condition| &condition.proposition), state)
    }

    fn explore_next(&mut self) {
        let Some(&model) = self.models.get(self.explored.len()) else {
            let listing = Listing::new(&self.subject.code, self.subject.options, self.bounds.candidates);
            self.phase = Phase::ListCandidates(Box::new(listing));
            return;
        };
        self.allowed.push(IndexMap::default());
        let results = Results::with_all_outcomes(&self.subject.program);
        self.phase = Phase::Explore(Box::new(Exploring::new(&self.subject, model, results)));
    }

    fn explore(&mut self) {
        let Phase::Explore(exploring) = &mut self.phase else { return };
        let model = self.models[self.explored.len()];
        let allowed = self.allowed.last_mut().expect("pushed with the explorer");
        let (mut over, mut budget) = (false, Budget::of(PATIENCE));
        for _ in 0..STEPS {
            match exploring.advance(&self.subject, model, &mut budget) {
                Ok(Step::Done) => {
                    over = true;
                    break;
                }
                Ok(_) => {}
                Err(Paused) => return,
            }
            for (state, outcome) in exploring.results.outcomes().skip(allowed.len()) {
                let graph = exploring.explorer.execution().clone();
                allowed.insert(state.to_vec(), AllowedOutcome { executions: 0, position: outcome.first, graph });
            }
        }
        let stopped = !over && exploring.explorer.counts().steps >= self.bounds.steps;
        if over || stopped {
            self.note_explored(stopped);
            self.explore_next();
        }
    }

    /// Notes what was found under the model that is explored now.
    fn note_explored(&mut self, stopped: bool) {
        let Phase::Explore(exploring) = &self.phase else { return };
        let model = self.models[self.explored.len()];
        let allowed = self.allowed.last_mut().expect("pushed with the explorer");
        let Exploring { explorer, results, .. } = &**exploring;
        let (counts, undecided) = (explorer.counts(), exploring.is_undecided());
        for (state, outcome) in results.outcomes() {
            if let Some(witness) = allowed.get_mut(state) {
                witness.executions = outcome.count;
            }
        }
        let racy = results.faults().any(|(fault, _)| matches!(fault, Fault::DataRace(..)));
        self.explored.push(Explored { model, counts, racy, stopped, undecided });
    }

    fn list_candidates(&mut self) {
        let Phase::ListCandidates(listing) = &mut self.phase else { return };
        let until = listing.work() + LISTED;
        let listed = loop {
            match listing.advance(&self.subject.code) {
                Ok(true) if listing.work() < until => {}
                Ok(true) => return,
                Ok(false) => break Some(listing.found().iter().cloned().map(Arc::new).collect()),
                Err(_) => break None,
            }
        };
        self.graphs = listed;
        self.phase = Phase::Sort(0);
    }

    /// Notes the outcomes of a candidate.
    fn sort(&mut self, at: usize) {
        match self.graphs.as_ref().map(|graphs| graphs.get(at).map(Arc::clone)) {
            Some(Some(graph)) => match self.subject.outcomes_of(&graph) {
                Some(outcomes) => {
                    for (state, last) in outcomes {
                        if self.subject.holds(self.subject.program.filter.as_ref(), &state) == Some(false) {
                            self.filtered.insert(state);
                        } else {
                            let candidate = Candidate { graph: Arc::clone(&graph), last };
                            self.rows.entry(state).or_default().push(candidate);
                        }
                    }
                    self.phase = Phase::Sort(at + 1);
                }
                None => {
                    self.rows.clear();
                    self.filtered.clear();
                    self.graphs = None;
                    self.phase = Phase::Sort(0);
                }
            },
            Some(None) => self.begin_rows(),
            None => {
                // The witnesses are the only candidates known.
                let locations = self.subject.locations();
                for (model, allowed) in self.models.iter().zip(&self.allowed) {
                    for (state, witness) in allowed {
                        let memory = self.subject.memory(state);
                        let fits = |writes: &Vec<EventId>| {
                            let values = writes.iter().map(|&w| witness.graph.event(w).value_written);
                            values.eq(memory.iter().map(|value| Some(*value)))
                        };
                        let (mut inquiry, mut budget) = (Inquiry::default(), Budget::unlimited());
                        let limit = self.subject.options.limits.search;
                        let found =
                            model.final_writes_within(&witness.graph, &locations, limit, &mut inquiry, &mut budget);
                        if let Some(last) = found.ok().and_then(|(found, _)| found.into_iter().find(fits)) {
                            let candidate = Candidate { graph: Arc::new(witness.graph.clone()), last };
                            self.rows.entry(state.clone()).or_default().push(candidate);
                        }
                    }
                }
                self.begin_rows();
            }
        }
    }

    fn begin_rows(&mut self) {
        for (state, candidates) in std::mem::take(&mut self.rows) {
            let cells = self.explored.iter().zip(&self.allowed);
            let cells = cells.map(|(explored, allowed)| cell(explored, allowed.get(&state), self.graphs.is_some()));
            self.outcomes.push(OutcomeRow {
                satisfies: self.satisfies(&state),
                candidates: if self.graphs.is_some() { candidates.len() as u64 } else { 0 },
                cells: cells.collect(),
                state,
            });
            self.candidates.push(candidates);
        }
        self.phase = Phase::Explain { row: 0, column: 0, at: 0 };
    }

    /// Looks for a shorter cycle in a candidate of an outcome.
    fn explain(&mut self, row: usize, column: usize, at: usize) {
        let Some(outcome) = self.outcomes.get_mut(row) else {
            self.phase = self.behind_rows();
            return;
        };
        let next = if column + 1 < self.models.len() { (row, column + 1) } else { (row + 1, 0) };
        let next = Phase::Explain { row: next.0, column: next.1, at: 0 };
        let Some(Cell::Forbidden { reason, looked_at, shortest }) = outcome.cells.get_mut(column) else {
            self.phase = next;
            return;
        };
        let candidates = &self.candidates[row];
        let Some(candidate) = candidates.get(at).filter(|_| at < self.bounds.explained) else {
            *shortest &= at == candidates.len();
            self.phase = next;
            return;
        };
        *looked_at += 1;
        let model = self.models[column];
        let violation = match model.shortest_violation(&candidate.graph, &candidate.last, self.bounds.orders) {
            Ok(violation) => violation,
            Err(_) => {
                *shortest = false;
                model.consistency_within(&candidate.graph, self.subject.options.limits.search).violation()
            }
        };
        let length = |reason: &Option<Box<Reason>>| reason.as_ref().map_or(usize::MAX, |r| r.violation.cycle.len());
        if let Some(violation) = violation
            && violation.cycle.len() < length(reason)
        {
            let candidate = candidate.clone();
            let last = candidate.last;
            *reason = Some(Box::new(Reason { candidate: Execution::clone(&candidate.graph), last, violation }));
        }
        // No edge starts where it ends: nothing is shorter than two edges.
        self.phase = if length(reason) <= 2 { next } else { Phase::Explain { row, column, at: at + 1 } };
    }

    fn behind_rows(&self) -> Phase {
        let asks = self.subject.program.condition.as_ref().is_some_and(|c| c.quantifier != Quantifier::ForAll);
        let found = self.outcomes.iter().any(|outcome| outcome.satisfies == Some(true));
        if asks && !found && self.graphs.is_some() { Phase::Absent } else { Phase::Done }
    }
}

/// What a model says before reasons are looked for.
fn cell(explored: &Explored, witness: Option<&AllowedOutcome>, shortest: bool) -> Cell {
    match witness {
        Some(AllowedOutcome { executions, position, graph }) => {
            Cell::Allowed { executions: *executions, position: *position, witness: Box::new(graph.clone()) }
        }
        None if explored.stopped || explored.undecided => Cell::Unknown,
        None => Cell::Forbidden { reason: None, looked_at: 0, shortest },
    }
}
