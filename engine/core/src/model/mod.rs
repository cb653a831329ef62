//! Memory models: whether a plain execution is consistent, and if not, which axiom it violates and by which cycle.
//!
//! Each model has a file in `definitions/` that says everything about it: what it orders ([`Rules`]), its axioms as formulas
//! ([`formula`]), its source, its words. Nothing else names a model: whoever has to know something asks the rules for what
//! they mean. In every model porf = (po ∪ rf)⁺ is acyclic and no write is the source of two read-modify-writes. A
//! read-modify-write is one event that reads and writes; one that fails is a read. Initial writes come before
//! everything else. Events that end a thread (errors, failed assumptions, cut loops) take no part, nor does rf of a read
//! that has no source yet.
//!
//! **A model explains itself.** [`Model::consistency`] gives a coherence order or a violated axiom with its cycle, edge by edge.
//! [`Model::is_consistent`] answers the same question with yes or no, for speed, and tests hold the two together. Whoever needs
//! that answer within a budget asks [`Model::decide`].

mod buffers;
mod coherence;
mod definitions;
mod draw;
mod explain;
pub mod formula;
mod found;
mod interleaving;
mod psc;
mod rules;
mod shortest;
mod stages;
mod synchronisation;
mod usual;
mod value;
mod view;
mod why;

#[cfg(test)]
mod tests;

pub use interleaving::{Interleaving, Move};
pub use rules::{
    Along, Axiom, Buffers, COHERENCE_HB, COHERENCE_PO, Definition, HappensBefore, Order, Psc, Rseq, Rules, Run,
};
pub use shortest::TooManyOrders;
pub use stages::{Questions, Stage};
pub use usual::{Because, Usual};
pub use value::Model;
pub use why::{Grounds, Leg, Reason, Rule};

use crate::budget::{Budget, Decision, Halt, Meter, Paused, decided};
use crate::graph::{Coherence, Edge, EventId, Execution, RelationName};
use crate::program::{Code, InstructionKind, Location, Notation, Value};
use crate::words;
use coherence::{Extent, Finals, Problem, Search, Stack};
use found::Found;
use serde::{Deserialize, Serialize};
use stages::{Begun, LastWrites, RunSearch};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;
use view::View;

/// A violated axiom and the cycle that shows it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Violation {
    /// The axiom's name, as the model's documentation lists it.
    pub axiom: String,
    /// The cycle: each edge starts where the one before ends, the last ends where the first starts.
    pub cycle: Vec<Edge>,
    /// What the cycle takes for granted, in a sentence: co edges that hold in every coherence order, or those of the
    /// last order tried where each order has a cycle of its own.
    pub remark: String,
}

/// Units of work of a search whose result is only drawn.
const VIEW: u64 = 1 << 23;

/// A question about one graph under one model, asked in pieces: where its search is.
#[derive(Clone, Debug, Default)]
pub struct Inquiry {
    /// How much the search has spent of its limit.
    spent: u64,
    runs: Option<Box<RunSearch>>,
    stack: Option<Stack>,
    finals: Option<Finals>,
    last_writes: Option<Box<LastWrites>>,
    /// What decided the questions asked so far.
    pub questions: Questions,
}

/// What [`Model::consistency_within`] says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Consistency {
    /// The graph is consistent.
    Consistent(Witness),
    /// It is not.
    Violated(Violation),
    /// That was not found out within the limit.
    Undecided,
}

impl Consistency {
    /// The coherence order, if the graph is consistent.
    pub fn witness(self) -> Option<Witness> {
        match self {
            Self::Consistent(witness) => Some(witness),
            Self::Violated(_) | Self::Undecided => None,
        }
    }

    /// The violated axiom, if there is one.
    pub fn violation(self) -> Option<Violation> {
        match self {
            Self::Violated(violation) => Some(violation),
            Self::Consistent(_) | Self::Undecided => None,
        }
    }
}

/// One way to complete a consistent plain execution.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Witness {
    /// co.
    pub co: Coherence,
}

/// A name that no model has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no memory model `{0}`; the models are {names}", names = words::list(Model::ALL.iter().map(|model| model.name())))]
pub struct UnknownModel(pub String);

/// The cycle of po and rf by which every model rules an execution out, if there is one.
pub fn thin_air(graph: &Execution) -> Option<Violation> {
    match View::new(graph) {
        Err(flaw @ view::Flaw::ThinAir) => Some(explain::flaw(graph, flaw)),
        Err(view::Flaw::Atomicity(..) | view::Flaw::Messages) | Ok(_) => None,
    }
}

impl Model {
    /// A program's code as its threads run under this model: without co, rounds that write what they read count
    /// ([`Code::where_rewriting_counts`]).
    pub fn prepare(self, code: Arc<Code>) -> Arc<Code> {
        if self.rules().has_co() || code.counts_rewriting() {
            return code;
        }
        Arc::new(Arc::unwrap_or_clone(code).where_rewriting_counts())
    }

    /// The same of code that may be shared.
    pub fn prepared(self, code: &Code) -> Cow<'_, Code> {
        if self.rules().has_co() || code.counts_rewriting() {
            return Cow::Borrowed(code);
        }
        Cow::Owned(code.clone().where_rewriting_counts())
    }

    /// Its axioms.
    pub fn axioms(self) -> Vec<Axiom> {
        self.rules().axioms()
    }

    /// The axiom of this name: one of the model's, that of mailboxes, or what an order of writes has to be under a model without co.
    pub fn axiom(self, name: &str) -> Option<Axiom> {
        self.rules().all_axioms().into_iter().chain([rules::MAILBOXES]).find(|axiom| axiom.name == name)
    }

    /// Whether every execution that is consistent under `self`, with its final values, is so under `weaker`.
    ///
    /// That SRA ⊆ RA ⊆ WRA and TSO ⊆ PSO is by definition. SC's one order of all events is a coherence order and an
    /// order of the fences for all others. TSO is in SRA since what its order of memory leaves out of hb, the pairs from
    /// a write to a later read, adds no cycle that has writes only. All of it is tested on random programs.
    pub fn is_included_in(self, weaker: Self) -> bool {
        self == weaker || weaker.definition().weaker_than.iter().any(|&between| self.is_included_in(between))
    }

    /// Whether at most one co makes any execution of a program consistent, so that there are as many executions with co as
    /// without. Told from who writes what: where one thread has all plain writes of a location, co is po of these, each with
    /// the chain of read-modify-writes that starts at it, which rf says. Mutexes and channels are such chains. Under a model
    /// without co, read-modify-writes may come anywhere, so one thread must have them, too.
    pub fn co_follows(self, code: &Code) -> bool {
        let has_co = self.rules().has_co();
        let is_update = |kind: &InstructionKind| {
            matches!(kind, InstructionKind::Update { .. } | InstructionKind::CompareAndSwap { .. })
        };
        !code.may_have_two_writers(|kind| has_co && is_update(kind))
    }

    fn problem<'v>(self, view: &'v View<'v>) -> Problem<'v> {
        Problem::new(self.rules(), view)
    }

    /// Whether a plain execution is consistent. Answers as [`Self::consistency`] does, faster. However long that takes.
    pub fn is_consistent(self, graph: &Execution) -> bool {
        let decision = self.decide(graph, None, u64::MAX, &mut Inquiry::default(), &mut Budget::unlimited());
        decision.is_ok_and(Decision::is_yes)
    }

    /// Whether an execution is consistent: with this coherence order, as [`Self::is_consistent_with`], or with any.
    /// Undecided if that takes more than `limit` units of work.
    ///
    /// # Errors
    /// [`Paused`] where the budget says so. To ask again about the same graph with the same inquiry goes on; after an
    /// answer, the inquiry is free for another question.
    pub fn decide(
        self,
        graph: &Execution,
        co: Option<&Coherence>,
        limit: u64,
        inquiry: &mut Inquiry,
        budget: &mut Budget,
    ) -> Result<Decision, Paused> {
        let Ok(view) = View::new(graph) else { return Ok(inquiry.close(Decision::No, Stage::Shape)) };
        let mut runs = match inquiry.runs.take() {
            Some(runs) => runs,
            None => match stages::begin(&view, self.rules(), co) {
                (Begun::Decided(answer, stage), work) => {
                    budget.count(work)?;
                    return Ok(inquiry.close(answer.into(), stage));
                }
                (Begun::Runs(runs), work) => {
                    if let Err(Paused) = budget.count(work) {
                        inquiry.runs = Some(runs);
                        return Err(Paused);
                    }
                    runs
                }
            },
        };
        let answer = inquiry.go_on(limit, budget, |_, meter| runs.go_on(&view, self.rules(), meter));
        match answer {
            Ok(decision) => Ok(inquiry.close(decision, runs.stage())),
            Err(Paused) => {
                inquiry.runs = Some(runs);
                Err(Paused)
            }
        }
    }

    /// As [`Self::decide`], by the search over orders of writes alone: the oracle of whatever is faster.
    ///
    /// # Errors
    /// As [`Self::decide`].
    pub fn decide_by_search(
        self,
        graph: &Execution,
        co: Option<&Coherence>,
        limit: u64,
        inquiry: &mut Inquiry,
        budget: &mut Budget,
    ) -> Result<Decision, Paused> {
        let Ok(view) = View::new(graph) else { return Ok(inquiry.close(Decision::No, Stage::Shape)) };
        self.decide_by_orders(&view, co, limit, inquiry, budget)
    }

    fn decide_by_orders(
        self,
        view: &View<'_>,
        co: Option<&Coherence>,
        limit: u64,
        inquiry: &mut Inquiry,
        budget: &mut Budget,
    ) -> Result<Decision, Paused> {
        let problem = self.problem(view);
        budget.count(problem.cost())?;
        if inquiry.stack.is_none() {
            let start = match co {
                None => problem.start.clone(),
                Some(co) => match problem.with_co(co) {
                    None => return Ok(inquiry.close(Decision::No, Stage::Orders)),
                    Some(start) => start,
                },
            };
            inquiry.stack = Some(Stack::new(start));
        }
        let answer = inquiry.go_on(limit, budget, |inquiry, meter| {
            let Some(stack) = &mut inquiry.stack else { return Ok(false) };
            Ok(Search::new(&problem, false).next(stack, Extent::CONSISTENCY, meter)?.is_some())
        })?;
        Ok(inquiry.close(answer, Stage::Orders))
    }

    /// A coherence order that makes a plain execution consistent, or the axiom it violates. However long that takes.
    ///
    /// # Errors
    /// A [`Violation`] if the execution is inconsistent.
    pub fn consistency(self, graph: &Execution) -> Result<Witness, Violation> {
        match self.consistency_within(graph, u64::MAX) {
            Consistency::Consistent(witness) => Ok(witness),
            Consistency::Violated(violation) => Err(violation),
            Consistency::Undecided => unreachable!("a search without limit comes to its end"),
        }
    }

    /// As [`Self::consistency`], within what a drawing may take: less than a tenth of a second.
    pub fn consistency_for_view(self, graph: &Execution) -> Consistency {
        self.consistency_within(graph, VIEW)
    }

    /// As [`Self::consistency`], with a limit to the units of work.
    pub fn consistency_within(self, graph: &Execution, limit: u64) -> Consistency {
        self.consistency_before(graph, limit, &mut Budget::unlimited()).unwrap_or(Consistency::Undecided)
    }

    /// As [`Self::consistency_within`], as long as a budget lasts: whether the graph is consistent is asked as by [`Self::decide`], and
    /// the reason why it is not, if so, within the same limit again.
    ///
    /// # Errors
    /// [`Paused`] where the budget says so. To ask again begins anew.
    pub fn consistency_before(self, graph: &Execution, limit: u64, budget: &mut Budget) -> Result<Consistency, Paused> {
        let view = match View::new(graph) {
            Ok(view) => view,
            Err(flaw) => return Ok(Consistency::Violated(explain::flaw(graph, flaw))),
        };
        let (begun, work) = stages::begin(&view, self.rules(), None);
        budget.count(work)?;
        let co = match begun {
            Begun::Decided(answer, _) => answer.then(|| stages::co(&view, self.rules())),
            Begun::Runs(mut runs) => match runs.go_on(&view, self.rules(), &mut Meter::new(limit, 0, budget)) {
                Ok(found) => found.then(|| runs.co(&view, self.rules())),
                Err(Halt::Limit) => return Ok(Consistency::Undecided),
                Err(Halt::Paused) => return Err(Paused),
            },
        };
        match co {
            Some(co) => Ok(Consistency::Consistent(Witness { co })),
            None => self.reason(&view, limit, budget),
        }
    }

    /// Why an inconsistent graph is so: what the search over orders of writes failed with, at the limit its last failure.
    fn reason(self, view: &View<'_>, limit: u64, budget: &mut Budget) -> Result<Consistency, Paused> {
        let problem = self.problem(view);
        budget.count(problem.cost())?;
        let mut search = Search::new(&problem, true);
        let extent = Extent { all_co: problem.global != coherence::Global::None, ..Extent::CONSISTENCY };
        let found = search.next(&mut Stack::new(problem.start.clone()), extent, &mut Meter::new(limit, 0, budget));
        debug_assert!(!matches!(found, Ok(Some(_))), "{self}: the stages and the search disagree");
        if matches!(found, Err(Halt::Paused)) {
            return Err(Paused);
        }
        let branched = search.branched;
        Ok(match search.failed.take() {
            Some(failed) => Consistency::Violated(explain::conflict(&problem, &failed, branched)),
            None => Consistency::Undecided,
        })
    }

    /// Whether a plain execution is consistent with this coherence order. Under a model without co, whether it is consistent
    /// and the order contains hb on the writes of each location.
    pub fn is_consistent_with(self, graph: &Execution, co: &Coherence) -> bool {
        let decision = self.decide(graph, Some(co), u64::MAX, &mut Inquiry::default(), &mut Budget::unlimited());
        decision.is_ok_and(Decision::is_yes)
    }

    /// From which writes the final memory can come: for each combination that some consistent coherence order has, the
    /// co-last writes of `locations`, in that order. Empty if the execution is inconsistent. However long that takes.
    pub fn final_writes(self, graph: &Execution, locations: &[Location]) -> BTreeSet<Vec<EventId>> {
        let (mut inquiry, mut budget) = (Inquiry::default(), Budget::unlimited());
        let found = self.final_writes_within(graph, locations, u64::MAX, &mut inquiry, &mut budget);
        found.map(|(found, _)| found).unwrap_or_default()
    }

    /// As [`Self::final_writes`], and whether these are all: only those that are found within `limit` units of work.
    ///
    /// # Errors
    /// As [`Self::decide`].
    pub fn final_writes_within(
        self,
        graph: &Execution,
        locations: &[Location],
        limit: u64,
        inquiry: &mut Inquiry,
        budget: &mut Budget,
    ) -> Result<(BTreeSet<Vec<EventId>>, Decision), Paused> {
        self.final_writes_into(|_| Found::default(), graph, (locations, None), limit, inquiry, budget)
    }

    /// As [`Self::final_writes_within`], but the values that these writes leave, each combination once, and no more than `enough` of
    /// them: [`Decision::Yes`] then, too.
    ///
    /// # Errors
    /// As [`Self::decide`].
    pub fn final_values_within(
        self,
        graph: &Execution,
        locations: &[Location],
        enough: usize,
        limit: u64,
        inquiry: &mut Inquiry,
        budget: &mut Budget,
    ) -> Result<(Vec<Vec<Value>>, Decision), Paused> {
        let found = |view: &View<'_>| Found::by_value(graph, view, locations, enough);
        let (found, decision) = self.final_writes_into(found, graph, (locations, None), limit, inquiry, budget)?;
        let value = |&w: &EventId| graph.event(w).value_written.unwrap_or_default();
        Ok((found.iter().map(|writes| writes.iter().map(value).collect()).collect(), decision))
    }

    /// What comes last at some locations, where that may be of one combination alone.
    fn final_writes_into(
        self,
        found: impl Fn(&View<'_>) -> Found,
        graph: &Execution,
        (locations, only): (&[Location], Option<&[EventId]>),
        limit: u64,
        inquiry: &mut Inquiry,
        budget: &mut Budget,
    ) -> Result<(BTreeSet<Vec<EventId>>, Decision), Paused> {
        let Ok(view) = View::new(graph) else { return Ok((BTreeSet::new(), Decision::Yes)) };
        if inquiry.last_writes.is_none() && inquiry.finals.is_none() {
            let (search, work) = stages::last_writes(&view, self.rules(), locations, only);
            budget.count(work)?;
            inquiry.last_writes = search.map(|search| Box::new(search.with(found(&view))));
        }
        let Some(mut search) = inquiry.last_writes.take() else {
            return self.final_writes_by_orders(found, &view, locations, limit, inquiry, budget);
        };
        match inquiry.go_on(limit, budget, |_, meter| search.find(meter).map(|()| true)) {
            Ok(decision) => Ok((search.found.all, decision)),
            Err(Paused) => {
                inquiry.last_writes = Some(search);
                Err(Paused)
            }
        }
    }

    /// Whether some co that makes the execution consistent ends, at some locations, with these writes.
    pub fn can_end(self, graph: &Execution, locations: &[Location], last: &[EventId], limit: u64) -> Decision {
        let (mut inquiry, mut budget) = (Inquiry::default(), Budget::unlimited());
        let decision = self.can_end_within(graph, locations, last, limit, &mut inquiry, &mut budget);
        decision.unwrap_or(Decision::Undecided)
    }

    /// As [`Self::can_end`].
    ///
    /// # Errors
    /// As [`Self::decide`].
    pub fn can_end_within(
        self,
        graph: &Execution,
        locations: &[Location],
        last: &[EventId],
        limit: u64,
        inquiry: &mut Inquiry,
        budget: &mut Budget,
    ) -> Result<Decision, Paused> {
        let none = |_: &View<'_>| Found::default();
        let (found, decision) = self.final_writes_into(none, graph, (locations, Some(last)), limit, inquiry, budget)?;
        Ok(match decision {
            _ if found.contains(last) => Decision::Yes,
            Decision::Undecided => Decision::Undecided,
            _ => Decision::No,
        })
    }

    fn final_writes_by_orders(
        self,
        found: impl Fn(&View<'_>) -> Found,
        view: &View<'_>,
        locations: &[Location],
        limit: u64,
        inquiry: &mut Inquiry,
        budget: &mut Budget,
    ) -> Result<(BTreeSet<Vec<EventId>>, Decision), Paused> {
        let problem = self.problem(view);
        budget.count(problem.cost())?;
        let mut finals = inquiry.finals.take().unwrap_or_else(|| Finals::new(problem.start.clone(), found(view)));
        let decision = inquiry.go_on(limit, budget, |_, meter| {
            Search::new(&problem, false).finals(&mut finals, locations, meter)?;
            Ok(true)
        });
        match decision {
            Ok(decision) => Ok((finals.found.all, decision)),
            Err(Paused) => {
                inquiry.finals = Some(finals);
                Err(Paused)
            }
        }
    }

    /// How many coherence orders make the execution consistent. Takes time in proportion to that number. Under a
    /// model without co, the number of those that extend hb.
    pub fn coherence_count(self, graph: &Execution) -> u64 {
        let Ok(view) = View::new(graph) else { return 0 };
        let problem = self.problem(&view);
        Search::new(&problem, false).count()
    }

    /// The data races, each pair ascending: accesses of one location by different threads, one of them a write and one
    /// non-atomic, that hb does not order. None under models to which access modes mean nothing.
    pub fn races(self, graph: &Execution) -> Vec<(EventId, EventId)> {
        self.rules().rseq().map_or_else(Vec::new, |rseq| synchronisation::races(graph, rseq))
    }

    /// The relations worth drawing of a consistent execution. None has edges from initial writes but rf, co and fr.
    ///
    /// po, co and ppo go to the immediate successors only; fr only to the write immediately behind the read's source
    /// (and not from read-modify-writes, where co says it); hb, eco, psc and wb are transitively reduced. wb is co as far
    /// as saturation finds it forced, without initial writes. rf and sw are complete.
    pub fn relations(self, graph: &Execution, witness: &Witness) -> Vec<(RelationName, Vec<Edge>)> {
        draw::relations(self, graph, Some(witness))
    }

    /// What of [`Self::relations`] does not need a witness, also of an inconsistent execution: all but co, fr, eco, psc
    /// and the order of SC fences, and only po and rf if porf is cyclic.
    pub fn partial_relations(self, graph: &Execution) -> Vec<(RelationName, Vec<Edge>)> {
        draw::relations(self, graph, None)
    }
}

impl Inquiry {
    /// Goes on with a search that has spent some of its limit.
    fn go_on(
        &mut self,
        limit: u64,
        budget: &mut Budget,
        search: impl FnOnce(&mut Self, &mut Meter<'_>) -> Result<bool, Halt>,
    ) -> Result<Decision, Paused> {
        let mut meter = Meter::new(limit, self.spent, budget);
        let before = meter.left();
        let answer = search(self, &mut meter);
        self.spent += before - meter.left();
        let decision = decided(answer)?;
        *self = Self { questions: self.questions, ..Self::default() };
        Ok(decision)
    }

    /// Notes what decided a question.
    fn close(&mut self, decision: Decision, stage: Stage) -> Decision {
        self.questions.count(stage);
        decision
    }
}
