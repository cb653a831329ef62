//! Why a model does not allow an outcome: every execution that would end in it, and what rules each of them out.
//!
//! If the model allows the outcome, an execution that ends in it is the answer. Otherwise, the answer is a case for each
//! candidate execution (po and rf, as [`crate::explore::brute_force::candidates`] has them) and each choice of last writes
//! that gives the outcome. A case is ruled out by one cycle, if one is there whatever the coherence order is; else each
//! coherence order that ends so has a cycle of its own. Coherence orders that go against po, or have a read-modify-write
//! in front of its source, are not looked at: no model has them.

use super::absence;
use super::outcomes::ComparedProgram;
use super::question::OutcomeQuestion;
use super::why_allowed::WhyAllowed;
use super::{AbsentOutcome, ComparisonBounds, Exploring, STEPS};
use crate::budget::{Budget, PATIENCE, Paused};
use crate::explore::brute_force::Listing;
use crate::explore::{Counts, Explorer, Options, Results, Step};
use crate::graph::{Coherence, EventId, Execution, ThreadId};
use crate::model::{Model, Violation};
use crate::program::{Code, Location, Observable, Program, Value};
use crate::sort;
use crate::words;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What is known of an outcome under a model.
#[derive(Clone, Debug, PartialEq)]
pub struct WhyNot {
    /// The model.
    pub model: Model,
    /// What GenMC counted on the way.
    pub counts: Counts,
    /// Whether a search reached its limit on the way ([`crate::program::Limits::search`]): what was not found is unknown then.
    pub undecided: bool,
    /// Whether it was ended early ([`Asker::stop`]).
    pub stopped: bool,
    /// The answer.
    pub answer: WhyNotAnswer,
}

/// Whether a model allows an outcome, and why.
#[derive(Clone, Debug, PartialEq)]
pub enum WhyNotAnswer {
    /// An execution ends in it.
    Allowed {
        /// That execution.
        witness: Box<Execution>,
        /// A coherence order of it that ends so.
        co: Coherence,
        /// The final values that the question mentions, by observable.
        state: Vec<(Observable, Value)>,
        /// After how many steps GenMC has it whole.
        position: u64,
        /// Why it is allowed, if SC forbids it.
        why_allowed: Option<Box<WhyAllowed>>,
    },
    /// Each execution that would end so is ruled out.
    Forbidden {
        /// The executions, and what rules them out. Those of one graph stand together.
        cases: Vec<Case>,
        /// Whether the cases are all there are; otherwise there were too many candidates, or it was ended early.
        all: bool,
    },
    /// No execution would end so, whatever the model.
    Impossible {
        /// Why not, for each final state that the question asks for.
        absent: Vec<AbsentOutcome>,
    },
    /// Not found within the bounds, or not yet.
    Unknown,
}

/// A candidate execution that ends in the outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Its events, po and rf.
    pub graph: Arc<Execution>,
    /// The writes that the final values asked for come from.
    pub last: Vec<EventId>,
    /// How many coherence orders have these last.
    pub orders: u64,
    /// What rules it out.
    pub ruling: Ruling,
}

/// What rules a candidate out.
#[derive(Clone, Debug, PartialEq)]
pub enum Ruling {
    /// One cycle, whatever the coherence order is.
    Any {
        /// The shortest such cycle.
        violation: Violation,
    },
    /// Each coherence order has a cycle; orders with the same one stand together, most orders first.
    Each {
        /// The cycles, each with the orders that have it.
        cycles: Vec<(Violation, Vec<Coherence>)>,
    },
    /// There are too many coherence orders to go through; it is inconsistent.
    TooMany {
        /// A cycle of one of them, where the execution has one whatever its last writes are.
        violation: Option<Violation>,
    },
}

/// A case that has not been looked at.
struct Candidate {
    graph: Arc<Execution>,
    last: Vec<EventId>,
}

enum Phase {
    Explore { exploring: Box<Exploring>, seen: usize },
    List(Box<Listing>),
    Sort(usize),
    RuleOut,
    Absent,
    Done,
}

/// A question being answered: a machine that does a small part of the work at a time.
pub struct Asker {
    model: Model,
    subject: ComparedProgram,
    bounds: ComparisonBounds,
    phase: Phase,
    counts: Counts,
    undecided: bool,
    graphs: Vec<Arc<Execution>>,
    all: bool,
    candidates: Vec<Candidate>,
    cases: Vec<Case>,
    answer: WhyNotAnswer,
    stopped: bool,
}

impl Asker {
    /// Before the first step. `options.stop_at_first` is not heeded: outcomes behind an error count too.
    pub fn new(
        program: &Program,
        code: Arc<Code>,
        question: &OutcomeQuestion,
        model: Model,
        options: Options,
        bounds: ComparisonBounds,
    ) -> Self {
        let program = Arc::new(question.ask(program));
        let options = Options { stop_at_first: false, ..options.without_reductions() };
        let subject = ComparedProgram { program, code, options };
        let results = Results::with_all_outcomes(&subject.program);
        let exploring = Box::new(Exploring::new(&subject, model, results));
        Self {
            model,
            subject,
            bounds,
            phase: Phase::Explore { exploring, seen: 0 },
            counts: Counts::default(),
            undecided: false,
            graphs: Vec::new(),
            all: true,
            candidates: Vec::new(),
            cases: Vec::new(),
            answer: WhyNotAnswer::Unknown,
            stopped: false,
        }
    }

    /// Ends it with what is known: the model may be known to forbid the outcome though not why.
    pub fn stop(&mut self) {
        match self.phase {
            Phase::Done => return,
            Phase::Explore { .. } => {}
            Phase::List(_) | Phase::Sort(_) | Phase::RuleOut => {
                self.answer = WhyNotAnswer::Forbidden { cases: std::mem::take(&mut self.cases), all: false };
            }
            Phase::Absent => self.answer = WhyNotAnswer::Impossible { absent: Vec::new() },
        }
        (self.stopped, self.phase) = (true, Phase::Done);
    }

    /// Does it all.
    pub fn ask(mut self) -> WhyNot {
        while self.advance() {}
        self.why_not()
    }

    /// What is known: the answer when [`Self::advance`] has said that there is no more to do, before that
    /// [`WhyNotAnswer::Unknown`].
    pub fn why_not(&self) -> WhyNot {
        let Self { model, counts, undecided, stopped, .. } = *self;
        WhyNot { model, counts, undecided, stopped, answer: self.answer.clone() }
    }

    /// What is being done, in a few words.
    pub fn doing(&self) -> String {
        match &self.phase {
            Phase::Explore { exploring, .. } => {
                let explorer = &exploring.explorer;
                let executions = words::count(explorer.counts().executions(), "execution");
                format!("looking for it under {}: {executions}", self.model.title())
            }
            Phase::List(listing) => {
                format!("listing candidate executions: {}", words::grouped(listing.found().len() as u64))
            }
            Phase::Sort(_) => "looking for candidates that end so".to_owned(),
            Phase::RuleOut => {
                format!("what rules out candidate {} of {}", self.cases.len() + 1, self.candidates.len())
            }
            Phase::Absent => "why no candidate ends so".to_owned(),
            Phase::Done => "done".to_owned(),
        }
    }

    /// Does a part of the work, of some milliseconds; whether there is more to do.
    pub fn advance(&mut self) -> bool {
        match &mut self.phase {
            Phase::Explore { .. } => self.explore(),
            Phase::List(listing) => match listing.advance(&self.subject.code) {
                Ok(true) => {}
                whole => {
                    self.all = whole.is_ok();
                    let code = &self.subject.code;
                    self.graphs = listing.found().iter().map(|graph| Arc::new(in_order(code, graph))).collect();
                    self.graphs.sort_by_cached_key(|graph| graph.canonical());
                    self.phase = Phase::Sort(0);
                }
            },
            Phase::Sort(at) => {
                let at = *at;
                self.sort(at);
            }
            Phase::RuleOut => self.rule_out(),
            Phase::Absent => {
                let ComparedProgram { program, code, options } = &self.subject;
                let absent = absence::absent(program, code, *options, &[]);
                self.answer = WhyNotAnswer::Impossible { absent };
                self.phase = Phase::Done;
            }
            Phase::Done => {}
        }
        !matches!(self.phase, Phase::Done)
    }

    /// Whether a state is one that is asked for.
    fn is_asked_for(&self, state: &[Value]) -> bool {
        let ComparedProgram { program, .. } = &self.subject;
        let asked = program.condition.as_ref().map(|condition| &condition.proposition);
        self.subject.holds(asked, state) == Some(true)
            && self.subject.holds(program.filter.as_ref(), state) != Some(false)
    }

    fn explore(&mut self) {
        let Phase::Explore { exploring, seen } = &mut self.phase else { return };
        let (mut found, mut over, before) = (None, false, *seen);
        let mut budget = Budget::of(PATIENCE);
        for _ in 0..STEPS {
            match exploring.advance(&self.subject, self.model, &mut budget) {
                Ok(Step::Done) => {
                    over = true;
                    break;
                }
                Ok(_) => {}
                Err(Paused) => return,
            }
            let Exploring { explorer, results, .. } = &**exploring;
            *seen = results.outcomes().len();
            if *seen > before {
                found = Some((explorer.execution().clone(), explorer.counts().steps));
                break;
            }
        }
        (self.counts, self.undecided) = (exploring.explorer.counts(), exploring.is_undecided());
        if let Some((graph, position)) = found {
            let Phase::Explore { exploring, .. } = &self.phase else { return };
            let new = exploring.results.outcomes().skip(before);
            let state = new.map(|(state, _)| state.to_vec()).find(|state| self.is_asked_for(state));
            if let Some(state) = state {
                return self.allow(graph, &state, position);
            }
        }
        if over && !self.undecided {
            let listing = Listing::new(&self.subject.code, self.subject.options, self.bounds.candidates);
            self.phase = Phase::List(Box::new(listing));
        } else if over || self.counts.steps >= self.bounds.steps {
            self.phase = Phase::Done;
        }
    }

    fn allow(&mut self, graph: Execution, state: &[Value], position: u64) {
        let co = self.subject.order(self.model, &graph, state, self.bounds.orders);
        let state = self.subject.program.observables().into_iter().zip(state.iter().copied()).collect();
        let why_allowed = WhyAllowed::of(self.model, &graph, &co, &self.subject.locations()).map(Box::new);
        self.answer = WhyNotAnswer::Allowed { witness: Box::new(graph), co, state, position, why_allowed };
        self.phase = Phase::Done;
    }

    /// Notes how a candidate can end in the outcome.
    fn sort(&mut self, at: usize) {
        let Some(graph) = self.graphs.get(at).cloned() else {
            self.phase = if self.candidates.is_empty() && self.all { Phase::Absent } else { Phase::RuleOut };
            return;
        };
        match self.subject.outcomes_of(&graph) {
            Some(outcomes) => {
                let wanted = outcomes.into_iter().filter(|(state, _)| self.is_asked_for(state));
                let wanted: Vec<_> = wanted.map(|(_, last)| Candidate { graph: Arc::clone(&graph), last }).collect();
                self.candidates.extend(wanted);
            }
            None => self.all = false,
        }
        self.phase = Phase::Sort(at + 1);
    }

    /// Rules the next candidate out.
    fn rule_out(&mut self) {
        let Some(Candidate { graph, last }) = self.candidates.get(self.cases.len()) else {
            let cases = std::mem::take(&mut self.cases);
            self.answer = WhyNotAnswer::Forbidden { cases, all: self.all };
            self.phase = Phase::Done;
            return;
        };
        let (model, cap) = (self.model, self.bounds.orders);
        let shortest = model.shortest_and_forced(graph, last, cap);
        let ruling = match shortest {
            // Without co, what is not forced is so by the order of SC fences alone.
            Ok(Some((violation, forced))) if forced || !model.rules().has_co() => Ruling::Any { violation },
            Ok(Some((violation, _))) => match coherence_orders(graph, last, cap) {
                Some(orders) if !orders.is_empty() => each(model, graph, orders),
                _ => Ruling::TooMany { violation: Some(violation) },
            },
            Ok(None) | Err(_) => {
                let limit = self.subject.options.limits.search;
                Ruling::TooMany { violation: model.consistency_within(graph, limit).violation() }
            }
        };
        let orders = count_orders(graph, last);
        let case = Case { graph: Arc::clone(graph), last: last.clone(), orders, ruling };
        self.cases.push(case);
    }
}

/// The same graph, its events in the order of the threads as far as porf leaves it open: as they are read.
fn in_order(code: &Code, graph: &Execution) -> Execution {
    let mut ordered = Execution::initial(code);
    let mut names: Vec<Option<EventId>> = graph.events().map(|(e, event)| event.is_init().then_some(e)).collect();
    let mut begun = vec![0; graph.threads()];
    loop {
        let next = (0..begun.len()).find_map(|thread| {
            let e = *graph.thread(ThreadId(thread as u16)).get(begun[thread])?;
            graph.source(e).is_none_or(|source| names[source.index()].is_some()).then_some((thread, e))
        });
        let Some((thread, e)) = next else { return ordered };
        let new = ordered.restore(*graph.event(e));
        if let Some(source) = graph.source(e).and_then(|source| names[source.index()]) {
            ordered.set_source_only(new, source);
        }
        names[e.index()] = Some(new);
        begun[thread] += 1;
    }
}

/// The cycle of each coherence order.
fn each(model: Model, graph: &Execution, orders: Vec<Coherence>) -> Ruling {
    let mut cycles: Vec<(Violation, Vec<Coherence>)> = Vec::new();
    for co in orders {
        let Some(violation) = model.violation_with(graph, &co) else {
            debug_assert!(false, "a candidate that is ruled out is consistent: {model}, {graph:?}, {co:?}");
            return Ruling::TooMany { violation: None };
        };
        match cycles.iter_mut().find(|(known, _)| *known == violation) {
            Some((_, orders)) => orders.push(co),
            None => cycles.push((violation, vec![co])),
        }
    }
    sort::by_key(&mut cycles, |(_, orders)| std::cmp::Reverse(orders.len()));
    Ruling::Each { cycles }
}

/// What stands in front of each write of a location in every order that is looked at, by its place among the writes.
fn constraints(graph: &Execution, writes: &[EventId], last: &[EventId]) -> Vec<u128> {
    let last = writes.iter().copied().find(|w| last.contains(w));
    let before = |a: EventId, b: EventId| a != b && (graph.po(a, b) || graph.source(b) == Some(a) || Some(b) == last);
    let set = |b: &EventId| {
        let members = writes.iter().enumerate().filter(|(_, a)| before(**a, *b)).map(|(at, _)| 1u128 << at);
        members.fold(0, |set, member| set | member)
    };
    writes.iter().map(set).collect()
}

/// The writes of each location but the initial ones.
fn later_writes(graph: &Execution) -> Vec<Vec<EventId>> {
    let locations = graph.ids().filter(|&e| graph.event(e).is_init()).count();
    (0..locations as u32).map(|location| graph.writes(Location(location)).skip(1).collect()).collect()
}

/// The most writes of a location whose orders are counted.
const MAX_WRITES: usize = 12;

/// How many coherence orders have these last writes, at most [`u64::MAX`], which stands for an unknown number too.
fn count_orders(graph: &Execution, last: &[EventId]) -> u64 {
    let count = |writes: &Vec<EventId>| {
        if writes.len() > MAX_WRITES {
            return u64::MAX;
        }
        let before = constraints(graph, writes, last);
        // How many orders have a set of writes in front.
        let mut counts = BTreeMap::from([(0u128, 1u64)]);
        for _ in 0..writes.len() {
            let mut next: BTreeMap<u128, u64> = BTreeMap::new();
            for (set, count) in counts {
                for (at, before) in before.iter().enumerate() {
                    if set & (1 << at) == 0 && before & !set == 0 {
                        let entry = next.entry(set | 1 << at).or_default();
                        *entry = entry.saturating_add(count);
                    }
                }
            }
            counts = next;
        }
        counts.into_values().next().unwrap_or(0)
    };
    later_writes(graph).iter().map(count).fold(1, u64::saturating_mul)
}

/// The coherence orders that have these last writes; `None` if they are more than `cap`.
pub(super) fn coherence_orders(graph: &Execution, last: &[EventId], cap: usize) -> Option<Vec<Coherence>> {
    fn extend(writes: &[EventId], before: &[u128], set: u128, order: &mut Vec<EventId>, all: &mut Vec<Vec<EventId>>) {
        // The initial write is in front.
        if order.len() == writes.len() + 1 {
            all.push(order.clone());
        }
        for at in 0..writes.len() {
            if set & (1 << at) == 0 && before[at] & !set == 0 {
                order.push(writes[at]);
                extend(writes, before, set | 1 << at, order, all);
                order.pop();
            }
        }
    }
    if count_orders(graph, last) > cap as u64 {
        return None;
    }
    let mut all: Vec<Coherence> = vec![Vec::new()];
    for (location, writes) in later_writes(graph).iter().enumerate() {
        let mut orders = Vec::new();
        let before = constraints(graph, writes, last);
        extend(writes, &before, 0, &mut vec![EventId(location as u32)], &mut orders);
        all = all
            .iter()
            .flat_map(|co| orders.iter().map(move |order| [&co[..], std::slice::from_ref(order)].concat()))
            .collect();
    }
    Some(all)
}
