//! The interleavings of a program that ends, and which of them constraints permit, for the page.
//!
//! The constraints are those of the first symbolic trace that is right for all inputs, as far as they are not dropped, and those that are
//! added. All that is asked is a set of pairs: which order somebody dropped and added them in makes no difference. Whether what is left is
//! safe is decided by counting all runs that it permits. Beside that, Algorithm 4 drops constraints on its own, as long as nothing goes
//! wrong.

#[cfg(test)]
mod tests;

use super::{event_text, in_digits, read};
use crate::symbolic::{
    Counting, Edge, Event, Finite, FirstTrace, GraphError, Interleavings, Interrupt, Limits, Outcome, RelaxProgress,
    Relaxation, Run, Strategy, SymbolicError, SymbolicTrace, Tally, TraceGraph, count_covered, term_text,
};
use litmoscope_core::budget::Budget;
use litmoscope_core::inspection::Inspection;
use litmoscope_core::program::system::{System, Term};
use litmoscope_core::program::{Program, Span};
use litmoscope_core::syntax::Diagnostic;
use litmoscope_core::words::{by_number, count, list};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// How many interleavings are shown.
pub const MAX_DOTS: usize = 1_000;
/// How many constraints may be added.
pub const MAX_ADDED: usize = 64;
/// How many values all listed runs may have together.
const VALUES: usize = 1 << 22;
/// How many traces are verified for a constraint, or to drop constraints one after the other.
const TRACES: u64 = 1_000;
/// How many constraints are asked what it takes to drop them.
const ASKED: usize = 64;
/// Units of work: to list runs, to count them, to look for a trace, to drop constraints.
const WORK: u64 = 1 << 18;
/// Units of work of one question about one constraint.
const QUESTION: u64 = 1 << 15;
/// How many answers are kept.
const KEPT: usize = 512;
/// How much is looked at.
const LIMITS: Limits = Limits { events: 400, starts: 64, configurations: 1 << 15 };

/// What comes first, and what waits for it.
pub type Pair = (Event, Event);

/// What is asked of a program that ends.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FiniteRequest {
    /// The program.
    pub text: String,
    /// Constraints of the trace that are dropped.
    pub dropped: Vec<Pair>,
    /// Constraints that are added.
    pub added: Vec<Pair>,
    /// Which constraint Algorithm 4 drops first.
    pub strategy: Strategy,
    /// The interleaving that is shown event by event, an index into [`FiniteView::dots`].
    pub shown: Option<usize>,
}

/// What the page shows of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FiniteView {
    /// The names of the threads.
    pub threads: Vec<String>,
    /// The values of the inputs, for each combination of them.
    pub starts: Vec<String>,
    /// The events, by thread and then by place.
    pub events: Vec<EventRow>,
    /// The interleavings that are listed, by start and then by trace.
    pub dots: Vec<Dot>,
    /// Why these are not all, in a sentence.
    pub limit: Option<String>,
    /// How many interleavings there are, in a sentence.
    pub counted: String,
    /// The constraints: those of the trace, in its order, then those that are added.
    pub constraints: Vec<ConstraintRow>,
    /// Where the constraints come from, or why there are none, in a sentence.
    pub origin: String,
    /// What these constraints permit.
    pub judged: JudgedView,
    /// Pairs that are no constraints, in sentences.
    pub refused: Vec<String>,
    /// How Algorithm 4 drops constraints.
    pub relaxation: Option<RelaxationView>,
    /// The interleaving that is shown.
    pub shown: Option<ShownView>,
}

/// An event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventRow {
    /// Which one.
    pub event: Event,
    /// Its name: `P0.1`.
    pub name: String,
    /// What it does, on one line.
    pub text: String,
    /// The line of the text, from 1.
    pub line: u32,
}

/// How an interleaving ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum DotEnd {
    /// All threads have ended.
    Good,
    /// A thread went wrong.
    Error,
    /// Threads wait for good.
    Deadlock,
}

impl DotEnd {
    /// A sign that tells it from the others without colours.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Good => "●",
            Self::Error => "✗",
            Self::Deadlock => "∥",
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Good => "it ends well",
            Self::Error => "a thread goes wrong",
            Self::Deadlock => "it ends in a deadlock",
        }
    }
}

/// An interleaving.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dot {
    /// From which start, an index into [`FiniteView::starts`].
    pub start: usize,
    /// Its Mazurkiewicz trace, from 0: those of one start follow each other.
    pub trace: usize,
    /// How it ends.
    pub end: DotEnd,
    /// Whether the constraints permit it.
    pub permitted: bool,
    /// What it is, for those who don't see it.
    pub words: String,
}

/// A constraint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConstraintRow {
    /// What comes first, and what waits.
    pub pair: Pair,
    /// In which states, as a text; `None` if in all.
    pub when: Option<String>,
    /// In a sentence.
    pub words: String,
    /// It is one of the trace's.
    pub is_own: bool,
    /// It is dropped.
    pub is_dropped: bool,
    /// How many traces there are to verify for those who drop it, as Algorithm 4 does: with all that comes after it.
    pub traces: Option<String>,
    /// Whether nothing goes wrong if it alone is dropped; `None` if that is not known, or it is dropped.
    pub may_go: Option<bool>,
    /// What happens if it is dropped, or what it would take, in sentences.
    pub without: String,
    /// The interleaving that shows why it may not go, if it is listed: an index into [`FiniteView::dots`].
    pub shows: Option<usize>,
}

/// What constraints permit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgedView {
    /// Whether nothing goes wrong; `None` if that is not known.
    pub is_safe: Option<bool>,
    /// In sentences.
    pub words: String,
    /// An interleaving that goes wrong, if it is listed: an index into [`FiniteView::dots`].
    pub shows: Option<usize>,
}

/// How Algorithm 4 drops constraints, step by step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelaxationView {
    /// The steps.
    pub steps: Vec<RelaxStepView>,
    /// How it ended, in a sentence.
    pub end: String,
    /// All that it dropped.
    pub dropped: Vec<Pair>,
}

/// A step of Algorithm 4.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelaxStepView {
    /// Whether constraints were dropped; else one has to stay.
    pub is_dropped: bool,
    /// The constraints that are dropped, or have to stay.
    pub pairs: Vec<Pair>,
    /// What is done, in a sentence.
    pub words: String,
    /// How many constraints are left.
    pub constraints: usize,
    /// How many threads wait by these.
    pub waiting: usize,
    /// How many traces are verified.
    pub traces: u64,
}

/// An interleaving, event by event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownView {
    /// Which one, an index into [`FiniteView::dots`].
    pub dot: usize,
    /// What it is, in a sentence.
    pub words: String,
    /// Its events.
    pub steps: Vec<ShownStep>,
}

/// An event of an interleaving.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownStep {
    /// Which one, an index into [`FiniteView::events`].
    pub event: usize,
    /// The constraints do not permit it here: why, in a sentence. What comes behind it is not looked at.
    pub forbidden: Option<String>,
    /// A thread goes wrong with it.
    pub is_wrong: bool,
}

/// What some constraints permit.
#[derive(Clone, Debug)]
struct Judged {
    tally: Option<Tally>,
    /// A run that goes wrong.
    wrong: Option<(Run, Outcome)>,
}

/// A program that ends, and what was found out of it.
pub struct FiniteOpen {
    text: String,
    program: Program,
    system: System,
    /// By start, then by trace.
    runs: Vec<(Run, Outcome)>,
    /// By run: its trace.
    traces: Vec<usize>,
    /// All runs are listed.
    is_complete: bool,
    /// How many runs there are; `None` if there are too many to count.
    all: Option<Tally>,
    events: BTreeMap<Event, Span>,
    trace: Option<SymbolicTrace>,
    origin: String,
    /// By constraint of the trace: how many traces there are to verify to drop it, and whether there are more.
    covered: Vec<Option<(u64, bool)>>,
    judged: FxHashMap<Vec<Pair>, Judged>,
    relaxations: FxHashMap<Strategy, Option<RelaxationView>>,
}

impl Inspection for FiniteOpen {
    type Request = FiniteRequest;
    type View = FiniteView;

    fn open(request: &FiniteRequest) -> Result<Self, Vec<Diagnostic>> {
        let (program, system) = read(&request.text)?;
        Self::of(request.text.clone(), program, system).map_err(|why| {
            let span = if let SymbolicError::InputInside { span } = why { span } else { Span::default() };
            vec![Diagnostic::error(refusal(why), span)]
        })
    }

    fn is_of(&self, request: &FiniteRequest) -> bool {
        self.text == request.text
    }

    fn view(&mut self, request: &FiniteRequest) -> FiniteView {
        self.show(request)
    }

    fn text(request: &FiniteRequest) -> &str {
        &request.text
    }
}

/// Why a program's interleavings are not shown.
fn refusal(why: SymbolicError) -> String {
    match why {
        SymbolicError::TooLong { limit } => format!(
            "this sheet is for programs that end: a run has more than {limit} events, and has not ended; bound its loops, or look at the other sheets, which are for programs that run for ever"
        ),
        other => other.to_string(),
    }
}

/// What came of a search that may be paused: `None` then.
fn within<T>(found: Result<T, Interrupt>) -> Result<Option<T>, SymbolicError> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(Interrupt::Paused | Interrupt::Failed(SymbolicError::TooManyConfigurations { .. })) => Ok(None),
        Err(Interrupt::Failed(error)) => Err(error),
    }
}

/// All runs together.
fn sum(tallies: &[Tally]) -> Tally {
    let mut all = Tally::default();
    for tally in tallies {
        all.ended = all.ended.saturating_add(tally.ended);
        all.errors = all.errors.saturating_add(tally.errors);
        all.deadlocks = all.deadlocks.saturating_add(tally.deadlocks);
        all.stuck = all.stuck.saturating_add(tally.stuck);
        all.overflown |= tally.overflown;
    }
    all
}

fn end(outcome: Outcome) -> DotEnd {
    match outcome {
        Outcome::Ended => DotEnd::Good,
        Outcome::Error { .. } => DotEnd::Error,
        Outcome::Deadlock | Outcome::Stuck => DotEnd::Deadlock,
    }
}

fn interleavings(number: u128) -> String {
    format!(
        "{} {}",
        in_digits(number),
        by_number(u64::try_from(number).unwrap_or(u64::MAX), "interleaving", "interleavings")
    )
}

impl FiniteOpen {
    fn of(text: String, program: Program, system: System) -> Result<Self, SymbolicError> {
        let finite = Finite::new(&system, LIMITS)?;
        let (mut found, is_complete) = listed(&finite)?;
        let counted = Counting::new(&finite, None).advance(&mut Budget::unlimited().capped(WORK)).map(sum);
        let all = within(counted)?;
        // The interleavings of a trace stand together.
        let mut numbers = FxHashMap::default();
        let mut traces: Vec<usize> = Vec::new();
        for (run, _) in &found {
            let next = numbers.len();
            traces.push(*numbers.entry(run.canonical()).or_insert(next));
        }
        let mut order: Vec<usize> = (0..found.len()).collect();
        order.sort_by_key(|at| (found[*at].0.start, traces[*at], *at));
        let mut slots: Vec<_> = found.drain(..).map(Some).collect();
        let runs: Vec<(Run, Outcome)> = order.iter().filter_map(|at| slots[*at].take()).collect();
        let traces = order.iter().map(|at| traces[*at]).collect();
        let first = FirstTrace::new(&finite).advance(&mut Budget::unlimited().capped(WORK));
        let (trace, origin) = match first {
            Ok(Some(trace)) => {
                let number = trace.graph.edges().len() as u64;
                let are = by_number(number, "is", "are");
                (
                    Some(trace),
                    format!(
                        "{} {are} enough to force the first trace that is right whatever the inputs are.",
                        count(number, "constraint")
                    ),
                )
            }
            Ok(None) => (
                None,
                "No trace is right whatever the inputs are, so there are no constraints to begin with.".to_owned(),
            ),
            Err(Interrupt::Paused) => {
                (None, "No trace was found within the limits that is right whatever the inputs are.".to_owned())
            }
            Err(Interrupt::Failed(why @ SymbolicError::InputInside { .. })) => {
                (None, format!("There are no constraints to begin with: {why}."))
            }
            Err(Interrupt::Failed(why)) => return Err(why),
        };
        let mut events: BTreeMap<Event, Span> = BTreeMap::new();
        let mut note = |run: &Run| {
            for (at, step) in run.steps.iter().enumerate() {
                let thread = usize::from(step.event.thread);
                let point = run.state(&finite, at).points[thread];
                events.entry(step.event).or_insert_with(|| system.point(thread, point).span);
            }
        };
        runs.iter().for_each(|(run, _)| note(run));
        let mut covered = Vec::new();
        if let Some(trace) = &trace {
            for event in &trace.order {
                events.entry(*event).or_default();
            }
            for edge in trace.graph.edges().iter().take(ASKED) {
                let left = trace.graph.without(edge.from, edge.to);
                let mut budget = Budget::unlimited().capped(QUESTION);
                let traces = count_covered(&finite, trace, &left, TRACES + 1, &mut budget);
                covered.push(within(traces)?.map(|traces| (traces.min(TRACES), traces > TRACES)));
            }
        }
        let (judged, relaxations) = (FxHashMap::default(), FxHashMap::default());
        Ok(Self {
            text,
            program,
            system,
            runs,
            traces,
            is_complete,
            all,
            events,
            trace,
            origin,
            covered,
            judged,
            relaxations,
        })
    }

    fn own(&self) -> &[Edge] {
        self.trace.as_ref().map_or(&[], |trace| trace.graph.edges())
    }

    fn name(&self, event: Event) -> String {
        let thread = self.system.threads.get(usize::from(event.thread)).map_or("?", |thread| &thread.name);
        format!("{thread}.{}", u64::from(event.index) + 1)
    }

    fn names(&self, events: impl Iterator<Item = Event>) -> String {
        events.map(|event| self.name(event)).collect::<Vec<_>>().join(", ")
    }

    /// A name with what the event does.
    fn about(&self, event: Event) -> String {
        let text = self.events.get(&event).map(|span| event_text(&self.text, *span)).unwrap_or_default();
        format!("{} `{text}`", self.name(event))
    }

    fn starts(&self) -> Vec<String> {
        let states = self.system.initial_states().unwrap_or_default();
        let value = |state: &litmoscope_core::program::system::State| {
            let values = self.system.inputs.iter().map(|(variable, _)| {
                let at = variable.0 as usize;
                format!("{} = {}", self.system.names[at], self.program.value_text(state.values[at]))
            });
            list(values)
        };
        states.iter().map(value).collect()
    }

    /// The constraint of a pair that somebody adds: where the two meet, or always, if they never do.
    fn added(&self, (from, to): Pair) -> Edge {
        let meet = self.trace.as_ref().and_then(|trace| trace.graph.dependence(from, to));
        let when = meet.filter(|when| when.known() != Some(0)).unwrap_or_else(|| Term::constant(1));
        Edge { from, to, when }
    }

    /// The constraints of a request, with those that are refused.
    fn edges(&self, request: &FiniteRequest) -> (Vec<Edge>, Vec<Edge>, Vec<String>) {
        let is_kept = |edge: &&Edge| !request.dropped.contains(&(edge.from, edge.to));
        let mut edges: Vec<Edge> = self.own().iter().filter(is_kept).cloned().collect();
        let (mut added, mut refused) = (Vec::new(), Vec::new());
        for &(from, to) in request.added.iter().take(MAX_ADDED) {
            let is_there = |edge: &Edge| (edge.from, edge.to) == (from, to);
            if edges.iter().any(is_there) {
                continue;
            }
            // One of the trace's that was dropped comes back.
            let own = self.own().iter().find(|edge| is_there(edge)).cloned();
            let is_own = own.is_some();
            let edge = own.unwrap_or_else(|| self.added((from, to)));
            edges.push(edge.clone());
            match self.graph(&edges) {
                Ok(_) if is_own => {}
                Ok(_) => added.push(edge),
                Err(why) => {
                    edges.pop();
                    let (from, to) = (self.name(from), self.name(to));
                    refused.push(format!("{from} before {to}: {}.", circle(why)));
                }
            }
        }
        if request.added.len() > MAX_ADDED {
            refused.push(format!("No more than {} are added.", count(MAX_ADDED as u64, "constraint")));
        }
        (edges, added, refused)
    }

    fn graph(&self, edges: &[Edge]) -> Result<TraceGraph, GraphError> {
        TraceGraph::new(self.events.keys().copied(), edges.to_vec())
    }

    /// What some constraints permit.
    fn judge(&mut self, finite: &Finite<'_>, edges: &[Edge]) -> Judged {
        let mut key: Vec<Pair> = edges.iter().map(|edge| (edge.from, edge.to)).collect();
        key.sort_unstable();
        if let Some(known) = self.judged.get(&key) {
            return known.clone();
        }
        let mut judged = Judged { tally: None, wrong: None };
        // What is too much to count without constraints is not tried again for each of them.
        if self.all.is_some()
            && let Ok(graph) = self.graph(edges)
        {
            let mut budget = Budget::unlimited().capped(WORK);
            judged.tally = Counting::new(finite, Some(graph.clone())).advance(&mut budget).ok().map(sum);
            if judged.tally.is_some_and(|tally| !tally.is_good()) {
                let is_wrong =
                    |(run, outcome): &&(Run, Outcome)| !outcome.is_good() && graph.forbids(finite, run).is_none();
                judged.wrong = self.runs.iter().find(is_wrong).cloned();
                let mut listing = Interleavings::new(finite, Some(graph));
                let mut budget = Budget::unlimited().capped(WORK);
                while judged.wrong.is_none()
                    && let Ok(Some(found)) = listing.advance(&mut budget)
                {
                    judged.wrong = Some(found).filter(|(_, outcome)| !outcome.is_good());
                }
            }
        }
        if self.judged.len() >= KEPT {
            self.judged.clear();
        }
        self.judged.insert(key, judged.clone());
        judged
    }

    /// A run in words: what happens in which order, and how that ends.
    fn told(&self, run: &Run, outcome: Outcome) -> String {
        let order = self.names(run.events());
        match outcome {
            Outcome::Ended => format!("{order}. It ends well"),
            Outcome::Error { at } => {
                let at = run.steps.get(at).map(|step| self.about(step.event)).unwrap_or_default();
                format!("{order}. It goes wrong at {at}")
            }
            Outcome::Deadlock => format!("{order}. Then threads wait for good: a deadlock"),
            Outcome::Stuck => format!("{order}. Then the constraints let nobody go on"),
        }
    }

    fn place(&self, run: &Run) -> Option<usize> {
        self.runs.iter().position(|(other, _)| other == run)
    }

    fn judged(&self, judged: &Judged, head: &str) -> JudgedView {
        let Some(tally) = judged.tally else {
            let words =
                format!("{head} not known what is permitted: there are too many interleavings to look at each.");
            return JudgedView { is_safe: None, words, shows: None };
        };
        let number = tally.runs();
        let permitted = interleavings(number);
        let are = by_number(u64::try_from(number).unwrap_or(u64::MAX), "is", "are");
        let is_safe = tally.is_good();
        let mut words = match (is_safe, number) {
            (true, 0) => "Nothing is permitted.".to_owned(),
            (true, _) => format!("{permitted} {are} permitted, and nothing goes wrong."),
            (false, _) => {
                let wrong = tally.errors.saturating_add(tally.deadlocks).saturating_add(tally.stuck);
                let wrong_go = by_number(u64::try_from(wrong).unwrap_or(u64::MAX), "goes", "go");
                format!("{permitted} {are} permitted, and {} {wrong_go} wrong.", in_digits(wrong))
            }
        };
        if let Some((run, outcome)) = &judged.wrong {
            words += &format!(" This one does: {}.", self.told(run, *outcome));
        }
        JudgedView { is_safe: Some(is_safe), words, shows: judged.wrong.as_ref().and_then(|(run, _)| self.place(run)) }
    }

    fn show(&mut self, request: &FiniteRequest) -> FiniteView {
        let system = self.system.clone();
        let Ok(finite) = Finite::new(&system, LIMITS) else { return FiniteView::default() };
        let (edges, added, refused) = self.edges(request);
        let graph = self.graph(&edges).unwrap_or_default();
        let starts = self.starts();
        let forbidden: Vec<_> = self.runs.iter().map(|(run, _)| graph.forbids(&finite, run)).collect();
        let dots = self.runs.iter().zip(&self.traces).zip(&forbidden).map(|(((run, outcome), trace), forbidden)| {
            let end = end(*outcome);
            let permitted = forbidden.is_none();
            let at = starts.get(run.start).filter(|start| !start.is_empty());
            let at = at.map_or_else(String::new, |start| format!(" with {start}"));
            let may = if permitted { "permitted" } else { "not permitted" };
            let words = format!("trace {}{at}: {}; {may}, {}", trace + 1, self.names(run.events()), end.words());
            Dot { start: run.start, trace: *trace, end, permitted, words }
        });
        let dots: Vec<Dot> = dots.collect();
        let judged = self.judge(&finite, &edges);
        let mut constraints = Vec::new();
        let own: Vec<Edge> = self.own().to_vec();
        for (at, edge) in own.iter().chain(&added).enumerate() {
            constraints.push(self.row(&finite, edge, (at < own.len()).then_some(at), &edges));
        }
        let relaxation = self.relaxation(&finite, request.strategy);
        let events = self.events.iter().map(|(event, span)| EventRow {
            event: *event,
            name: self.name(*event),
            text: event_text(&self.text, *span),
            line: span.line,
        });
        let shown = request.shown.map(|dot| dot.min(self.runs.len().saturating_sub(1)));
        let shown = shown.filter(|dot| *dot < self.runs.len()).map(|dot| self.shown(dot, &dots[dot], &forbidden[dot]));
        let limit = (!self.is_complete).then(|| {
            let number = self.runs.len() as u64;
            format!(
                "There are more than {}: the first {} shown.",
                count(number, "interleaving"),
                by_number(number, "one is".to_owned(), format!("{} are", in_digits(number.into())))
            )
        });
        FiniteView {
            threads: self.system.threads.iter().map(|thread| thread.name.clone()).collect(),
            starts,
            events: events.collect(),
            dots,
            limit,
            counted: self.counted(),
            constraints,
            origin: self.origin.clone(),
            judged: self.judged(&judged, "It is"),
            refused,
            relaxation,
            shown,
        }
    }

    fn counted(&self) -> String {
        let Some(all) = self.all else {
            return "There are too many interleavings to count.".to_owned();
        };
        let runs = all.runs();
        let of = match self.is_complete {
            true => {
                let traces: BTreeSet<usize> = self.traces.iter().copied().collect();
                format!(" of {}", count(traces.len() as u64, "trace"))
            }
            false => String::new(),
        };
        let wrong = match all.errors.saturating_add(all.deadlocks) {
            0 => "none goes wrong".to_owned(),
            1 => "1 goes wrong".to_owned(),
            wrong => format!("{} go wrong", in_digits(wrong)),
        };
        let or_more = if all.overflown { " or more" } else { "" };
        let are = by_number(u64::try_from(runs).unwrap_or(u64::MAX), "is", "are");
        format!("There {are} {}{or_more}{of}; {wrong}.", interleavings(runs))
    }

    fn row(&mut self, finite: &Finite<'_>, edge: &Edge, own: Option<usize>, edges: &[Edge]) -> ConstraintRow {
        let pair = (edge.from, edge.to);
        let is_it = |other: &&Edge| (other.from, other.to) == pair;
        let is_dropped = !edges.iter().any(|other| is_it(&other));
        let is_always = edge.when.known().is_some_and(|known| known != 0);
        let when = (!is_always).then(|| term_text(&self.program, &self.system, &edge.when));
        let mut words = format!("{} comes before {}", self.about(edge.from), self.about(edge.to));
        if let Some(when) = &when {
            words += &format!(" if {when}");
        }
        let covered = own.and_then(|at| self.covered.get(at).copied().flatten());
        let traces = covered.map(|(traces, is_more)| match is_more {
            true => format!("more than {}", count(traces, "trace")),
            false => count(traces, "trace"),
        });
        let mut row = ConstraintRow {
            pair,
            when,
            words: words + ".",
            is_own: own.is_some(),
            is_dropped,
            traces,
            may_go: None,
            without: String::new(),
            shows: None,
        };
        if !is_dropped {
            let rest: Vec<Edge> = edges.iter().filter(|other| !is_it(other)).cloned().collect();
            let judged = self.judge(finite, &rest);
            let judged = self.judged(&judged, "Without it, it is");
            (row.may_go, row.shows) = (judged.is_safe, judged.shows);
            row.without = match judged.is_safe {
                None => judged.words,
                Some(_) => format!("Without it, {}", judged.words),
            };
        }
        row
    }

    fn shown(&self, dot: usize, about: &Dot, forbidden: &Option<(usize, Vec<Event>)>) -> ShownView {
        let (run, outcome) = &self.runs[dot];
        let steps = run.steps.iter().enumerate().map(|(at, step)| {
            let waits = forbidden.as_ref().filter(|(first, _)| *first == at);
            ShownStep {
                event: self.events.keys().position(|event| *event == step.event).unwrap_or_default(),
                forbidden: waits.map(|(_, waits)| {
                    let waits = list(waits.iter().map(|event| self.about(*event)));
                    format!("{} has to wait here for {waits}.", self.name(step.event))
                }),
                is_wrong: matches!(outcome, Outcome::Error { at: wrong } if *wrong == at),
            }
        });
        let mut words = litmoscope_core::words::capitalised(&about.words);
        words.push('.');
        ShownView { dot, words, steps: steps.collect() }
    }

    /// The constraints, dropped one after the other by Algorithm 4; `None` without a trace.
    fn relaxation(&mut self, finite: &Finite<'_>, strategy: Strategy) -> Option<RelaxationView> {
        if let Some(known) = self.relaxations.get(&strategy) {
            return known.clone();
        }
        let found = self.relaxed(finite, strategy);
        self.relaxations.insert(strategy, found.clone());
        found
    }

    fn relaxed(&self, finite: &Finite<'_>, strategy: Strategy) -> Option<RelaxationView> {
        let trace = self.trace.clone()?;
        let mut relaxation = Relaxation::new(finite, trace, strategy).ok()?;
        let mut budget = Budget::unlimited().capped(WORK);
        let mut view = RelaxationView::default();
        let pairs = |edges: &[Edge]| -> Vec<Pair> { edges.iter().map(|edge| (edge.from, edge.to)).collect() };
        let before = |edge: &Edge| format!("{} before {}", self.name(edge.from), self.name(edge.to));
        view.end = loop {
            match relaxation.advance(&mut budget) {
                Ok(RelaxProgress::Verified) if relaxation.verified() >= TRACES => {
                    break format!("It goes on, but is followed no further than {}.", count(TRACES, "trace"));
                }
                Ok(RelaxProgress::Verified) => {}
                Ok(RelaxProgress::Relaxed(step)) => {
                    let traces = count(step.traces, "trace");
                    let are = by_number(step.traces, "is", "are");
                    let words = match &step.dropped[..] {
                        [] if view.steps.is_empty() => {
                            format!("{traces} {are} verified, which all constraints permit.")
                        }
                        [] => format!("{traces} {are} verified. No event waits for another one any more."),
                        dropped => {
                            format!("{traces} {are} verified: {} need not be kept.", list(dropped.iter().map(before)))
                        }
                    };
                    view.dropped.extend(pairs(&step.dropped));
                    view.steps.push(RelaxStepView {
                        is_dropped: !step.dropped.is_empty(),
                        pairs: pairs(&step.dropped),
                        words,
                        constraints: step.constraints,
                        waiting: step.waiting,
                        traces: step.traces,
                    });
                }
                Ok(RelaxProgress::Kept(kept)) => {
                    let told = self.told(&kept.run, kept.outcome);
                    let what = match &kept.constraint {
                        Some(edge) => format!("{} has to stay", before(edge)),
                        None => "What is left has to stay".to_owned(),
                    };
                    let (constraints, waiting) =
                        relaxation.admissible().map_or((0, 0), |left| (left.edges().len(), left.waiting().len()));
                    view.steps.push(RelaxStepView {
                        is_dropped: false,
                        pairs: kept.constraint.iter().map(|edge| (edge.from, edge.to)).collect(),
                        words: format!("{what}, as this would be possible: {told}."),
                        constraints,
                        waiting,
                        traces: relaxation.verified(),
                    });
                }
                Ok(RelaxProgress::Finished) => {
                    let left = relaxation.admissible().map_or(0, |left| left.edges().len()) as u64;
                    break match left {
                        0 => "No constraint is left.".to_owned(),
                        left => format!(
                            "{} {} left: no more can be dropped.",
                            count(left, "constraint"),
                            by_number(left, "is", "are")
                        ),
                    };
                }
                Err(_) => break "It goes on, but is followed no further here.".to_owned(),
            }
        };
        Some(view)
    }
}

/// The first runs, and whether these are all.
fn listed(finite: &Finite<'_>) -> Result<(Vec<(Run, Outcome)>, bool), SymbolicError> {
    let mut listing = Interleavings::new(finite, None);
    let mut budget = Budget::unlimited().capped(WORK);
    let (mut found, mut values) = (Vec::new(), 0);
    loop {
        let Some(next) = within(listing.advance(&mut budget))? else { return Ok((found, false)) };
        let Some((run, outcome)) = next else { return Ok((found, true)) };
        values += run.steps.iter().map(|step| step.state.values.len()).sum::<usize>();
        if found.len() >= MAX_DOTS || values > VALUES {
            return Ok((found, false));
        }
        found.push((run, outcome));
    }
}

/// Why a pair is no constraint, as a clause.
fn circle(why: GraphError) -> &'static str {
    match why {
        GraphError::NoSuchEvent(_) => "there is no such event",
        GraphError::OneThread(..) => "events of one thread are ordered as they are",
        GraphError::Circle => "events would wait for each other in a circle",
        GraphError::NotClosed(_) => "an event that comes before is missing",
    }
}
