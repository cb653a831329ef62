//! All executions of a program, each judged.

use super::{Operations, Order, Runs, Search, Sight, Unjudged, judge, linearization};
use crate::budget::Budget;
use crate::explore::{Algorithm, ExecutionKind, Options, Step};
use crate::graph::{CallResult, Execution as Graph, Label};
use crate::model::Model;
use crate::program::{Code, Program, Value};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// How many distinct histories are kept; beyond, they are not counted.
const MAX_HISTORIES: usize = 1 << 18;

/// What is judged, and how.
#[derive(Clone, Debug)]
pub struct Judging {
    /// The program.
    pub program: Arc<Program>,
    /// Its code.
    pub code: Arc<Code>,
    /// The model.
    pub model: Model,
    /// How it is explored. The limit of searches is that of each search for one execution, too.
    pub options: Options,
    /// The object, by its place in the program.
    pub structure: u16,
    /// What counts as an order.
    pub sight: Sight,
}

/// An execution, in the order in which they are found.
#[derive(Clone, Debug)]
pub struct Execution {
    /// Its number, from 1.
    pub number: u64,
    /// What kind it is of.
    pub kind: ExecutionKind,
    /// What happened.
    pub graph: Graph,
}

/// An execution with an order that the object does not allow.
#[derive(Clone, Debug)]
pub struct Violating {
    /// The execution.
    pub execution: Execution,
    /// Its operations.
    pub operations: Operations,
    /// The order.
    pub order: Order,
}

/// Operations by thread and place with their results, and which returned before which was called.
type Distinct = (Vec<(u16, u16, Vec<Value>, CallResult)>, Order);

/// What was found of a program's object.
#[derive(Clone, Debug, Default)]
pub struct Judged {
    /// How many executions were judged.
    pub executions: u64,
    /// How many of them have an order that the object does not allow.
    pub violating: u64,
    /// The first of those.
    pub first: Option<Box<Violating>>,
    /// How many of them are blocked: their last operations are pending.
    pub blocked: u64,
    /// In how many of them something went wrong, such as an assertion.
    pub erroneous: u64,
    /// How many could not be judged.
    pub unjudged: u64,
    /// Why not, of one of them.
    pub why: Option<Unjudged>,
    /// A bound cut a thread, so there may be more.
    pub is_bounded: bool,
    /// Not all executions were found.
    pub is_cut_short: bool,
    /// By time: the distinct histories of complete executions, and whether each is linearizable.
    histories: FxHashMap<Distinct, bool>,
    /// There are more than are kept.
    has_more_histories: bool,
}

impl Judged {
    /// How many distinct histories complete executions have, and how many of them are not linearizable; `None` if they were not counted.
    pub fn histories(&self) -> Option<(usize, usize)> {
        let wrong = || self.histories.values().filter(|fits| !**fits).count();
        (!self.has_more_histories && !self.histories.is_empty()).then(|| (self.histories.len(), wrong()))
    }

    /// Whether some execution was not judged because somebody wanted to stop.
    pub fn was_stopped(&self) -> bool {
        self.why == Some(Unjudged::Stopped)
    }

    /// Adds what was found in other executions of the same program.
    pub fn append(&mut self, other: Self) {
        self.executions += other.executions;
        self.violating += other.violating;
        let number = |judged: &Self| judged.first.as_ref().map_or(u64::MAX, |first| first.execution.number);
        if number(&other) < number(self) {
            self.first = other.first;
        }
        self.blocked += other.blocked;
        self.erroneous += other.erroneous;
        self.unjudged += other.unjudged;
        // To be stopped says most.
        self.why = [self.why, other.why].into_iter().flatten().max_by_key(|why| *why == Unjudged::Stopped);
        self.is_bounded |= other.is_bounded;
        self.is_cut_short |= other.is_cut_short;
        self.has_more_histories |= other.has_more_histories;
        self.keep(other.histories);
    }

    fn keep(&mut self, histories: impl IntoIterator<Item = (Distinct, bool)>) {
        self.histories.extend(histories);
        if self.histories.len() > MAX_HISTORIES {
            self.has_more_histories = true;
            self.histories.clear();
        }
    }
}

impl Judging {
    /// Calls `see` with each execution, until it says no or the budget is spent; whether all were seen.
    pub fn each_execution(&self, budget: &mut Budget, see: impl FnMut(Execution) -> bool) -> bool {
        each_execution(&self.code, self.model, self.options, budget, see)
    }

    /// Judges an execution, with the operations that are pending in it.
    pub fn judge(&self, execution: Execution, budget: &mut Budget) -> Judged {
        let mut judged = Judged {
            executions: 1,
            blocked: u64::from(execution.kind.is_blocked()),
            erroneous: u64::from(execution.kind == ExecutionKind::Erroneous),
            is_bounded: execution.graph.events().any(|(_, event)| matches!(event.label, Label::Bound(_))),
            ..Judged::default()
        };
        if let Err(why) = self.judge_into(execution, budget, &mut judged) {
            (judged.executions, judged.unjudged, judged.why) = (0, 1, Some(why));
        }
        judged
    }

    fn judge_into(&self, execution: Execution, budget: &mut Budget, judged: &mut Judged) -> Result<(), Unjudged> {
        let Self { program, code, model, options, structure, sight } = self;
        let graph = &execution.graph;
        let mut search = Search::new(options.limits.search, budget);
        let operations = Operations::new(program, code, graph, options.limits, *structure)?;
        if *sight == Sight::Time && execution.kind == ExecutionKind::Complete {
            let mut found = Vec::new();
            for order in Runs::new(*model, graph, &mut search)?.timed(&operations, &mut search)? {
                let fits = linearization(&operations, &order, &mut search)?.is_some();
                found.push(((operations.summary(), order), fits));
            }
            judged.keep(found);
        }
        if let Some(order) = judge(*model, code, graph, &operations, *sight, &mut search)? {
            judged.violating = 1;
            judged.first = Some(Box::new(Violating { execution, operations, order }));
        }
        Ok(())
    }

    /// Judges all executions, one after the other.
    pub fn judge_all(&self, budget: &mut Budget) -> Judged {
        self.judge_while(budget, |judged| !judged.was_stopped())
    }

    /// Judges one execution after the other, up to the first with an order that the object does not allow.
    pub fn judge_to_first(&self, budget: &mut Budget) -> Judged {
        self.judge_while(budget, |judged| !judged.was_stopped() && judged.violating == 0)
    }

    fn judge_while(&self, budget: &mut Budget, goes_on: impl Fn(&Judged) -> bool) -> Judged {
        let mut judged = Judged::default();
        let mut own = budget.clone();
        let is_whole = self.each_execution(budget, |execution| {
            judged.append(self.judge(execution, &mut own));
            goes_on(&judged)
        });
        judged.is_cut_short |= !is_whole;
        judged
    }
}

/// Calls `see` with each execution of a program, until it says no or the budget is spent; whether all were seen. What explores is the
/// first algorithm for programs of all sizes that has no co in what it counts.
pub fn each_execution(
    code: &Arc<Code>,
    model: Model,
    options: Options,
    budget: &mut Budget,
    mut see: impl FnMut(Execution) -> bool,
) -> bool {
    let fits = |algorithm: &Algorithm| {
        algorithm.has_walk() && !algorithm.tracks_co() && options.validate_for_program(*algorithm, model, code).is_ok()
    };
    let algorithm = Algorithm::all_that_see_all().find(fits).unwrap_or_default();
    let Ok(Ok(mut explorer)) = algorithm.explorer_within(Arc::clone(code), model, options, budget) else {
        return false;
    };
    loop {
        match explorer.advance_within(budget) {
            Ok(Step::Execution { number, kind }) => {
                if !see(Execution { number, kind, graph: explorer.execution().clone() }) {
                    return false;
                }
            }
            Ok(Step::Done) => return explorer.counts().undecided == 0,
            Ok(_) => {}
            Err(_) => return false,
        }
    }
}
