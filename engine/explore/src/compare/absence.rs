//! Why no candidate execution has the outcome that a condition asks for.

use super::{AbsentOutcome, OutcomeRow};
use crate::explore::Options;
use crate::graph::{Event, EventId, Execution, ThreadId};
use crate::model::{Violation, thin_air};
use crate::program::{
    Action, Code, Comparison, Location, Observable, Program, Proposition, Span, Term, ThreadState, Value,
};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Why an outcome has no candidate execution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Absence {
    /// Its reads have to take writes such that po ∪ rf is cyclic.
    Cyclic {
        /// A graph that has the outcome and such a cycle; it can't be laid out along porf.
        graph: Box<Execution>,
        /// The cycle.
        violation: Violation,
    },
    /// Whatever a thread reads of what is ever written, it does not end so.
    NoSuchValue {
        /// What would have to have another value.
        observable: Observable,
    },
    /// No run of the threads that ends with the registers asked for leaves a location with the value asked for.
    NotLeft {
        /// The location.
        observable: Observable,
        /// Whether the value is its initial one, which is overwritten then.
        initial: bool,
    },
    /// None of these was shown.
    Unexplained,
}

/// How many ways to satisfy a condition are looked at.
const MAX_STATES: usize = 16;
/// How many runs a thread may have.
const MAX_RUNS: usize = 1000;
/// How many events a run may have.
const MAX_EVENTS: usize = 64;
/// How many values a location may have.
const MAX_VALUES: usize = 16;
/// How many choices of a run for each thread are looked at.
const MAX_CHOICES: usize = 20_000;

type Wanted = BTreeMap<Observable, Value>;

/// The outcomes that a program's condition asks for, none of which has candidates.
pub(super) fn absent(program: &Program, code: &Code, options: Options, outcomes: &[OutcomeRow]) -> Vec<AbsentOutcome> {
    debug_assert!(outcomes.iter().all(|outcome| outcome.satisfies != Some(true)));
    let observables = program.observables();
    let Some(condition) = &program.condition else { return Vec::new() };
    let unexplained = |state: Vec<Option<Value>>| AbsentOutcome { state, why: Absence::Unexplained };
    let Some(states) = states(&condition.proposition) else { return vec![unexplained(vec![None; observables.len()])] };
    let runs = if options.spurious { None } else { Runs::new(code, options) };
    let explain = |wanted: &Wanted| {
        let state = observables.iter().map(|observable| wanted.get(observable).copied()).collect();
        match &runs {
            Some(runs) => AbsentOutcome { state, why: runs.explain(code, wanted) },
            None => unexplained(state),
        }
    };
    states.iter().map(explain).collect()
}

/// The ways to satisfy a proposition of equations with constants; `None` if it is of another form or has many.
fn states(proposition: &Proposition) -> Option<Vec<Wanted>> {
    let merge = |a: &Wanted, b: &Wanted| {
        let agree = a.iter().all(|(observable, value)| b.get(observable).is_none_or(|other| other == value));
        let mut both = a.clone();
        both.extend(b);
        agree.then_some(both)
    };
    let all: Vec<Wanted> = match proposition {
        Proposition::True => vec![Wanted::new()],
        Proposition::False => vec![],
        Proposition::Compare(Term::Observable(observable), Comparison::Equal, Term::Constant(value))
        | Proposition::Compare(Term::Constant(value), Comparison::Equal, Term::Observable(observable)) => {
            vec![Wanted::from([(*observable, *value)])]
        }
        Proposition::Compare(..) | Proposition::Not(_) => return None,
        Proposition::And(p, q) => {
            let (left, right) = (states(p)?, states(q)?);
            left.iter().flat_map(|a| right.iter().filter_map(move |b| merge(a, b))).collect()
        }
        Proposition::Or(p, q) => {
            let mut all = states(p)?;
            for state in states(q)? {
                if !all.contains(&state) {
                    all.push(state);
                }
            }
            all
        }
    };
    (all.len() <= MAX_STATES).then_some(all)
}

/// What a thread does if its reads take some values.
#[derive(Clone, Debug)]
struct Run {
    /// Each visible action, with the value read.
    actions: Vec<(Action, Option<Value>, Span)>,
    registers: Vec<Value>,
}

impl Run {
    fn writes(&self) -> impl Iterator<Item = (Location, Value)> + '_ {
        self.actions.iter().filter_map(|(action, read, _)| match *action {
            Action::Write { location, value, .. } => Some((location, value)),
            Action::Update { location, update, .. } => Some((location, update.written((*read)?)?)),
            _ => None,
        })
    }
}

/// All runs of all threads in which each read takes some value that some run writes.
struct Runs {
    threads: Vec<Vec<Run>>,
    values: Vec<BTreeSet<Value>>,
}

impl Runs {
    /// `None` if there are too many.
    fn new(code: &Code, options: Options) -> Option<Self> {
        let mut values: Vec<BTreeSet<Value>> = code.initial.iter().map(|&value| BTreeSet::from([value])).collect();
        loop {
            let mut more = values.clone();
            let mut threads = Vec::new();
            for thread in 0..code.threads.len() {
                let (runs, written) = runs(code, options, thread, &values)?;
                written.into_iter().for_each(|(location, value)| {
                    more[location.0 as usize].insert(value);
                });
                threads.push(runs);
            }
            if more == values {
                return Some(Self { threads, values });
            }
            if more.iter().any(|values| values.len() > MAX_VALUES) {
                return None;
            }
            values = more;
        }
    }

    fn explain(&self, code: &Code, wanted: &Wanted) -> Absence {
        let mut choices: Vec<Vec<&Run>> = Vec::new();
        for (thread, runs) in self.threads.iter().enumerate() {
            let of_thread = |observable: &Observable| matches!(observable, Observable::Register { thread: t, .. } if *t as usize == thread);
            let fits = |run: &&Run| {
                wanted.iter().all(|(observable, value)| match observable {
                    Observable::Register { register, .. } if of_thread(observable) => {
                        run.registers[register.0 as usize] == *value
                    }
                    _ => true,
                })
            };
            let fitting: Vec<&Run> = runs.iter().filter(fits).collect();
            if fitting.is_empty() {
                return match wanted.keys().find(|observable| of_thread(observable)) {
                    Some(&observable) => Absence::NoSuchValue { observable },
                    None => Absence::Unexplained,
                };
            }
            choices.push(fitting);
        }
        let locations: Vec<(Observable, Location, Value)> = wanted
            .iter()
            .filter_map(|(&observable, &value)| match observable {
                Observable::Location { object, offset } => {
                    Some((observable, code.location(object, Value::from(offset))?, value))
                }
                Observable::Register { .. } => None,
            })
            .collect();
        for &(observable, location, value) in &locations {
            if !self.values[location.0 as usize].contains(&value) {
                return Absence::NoSuchValue { observable };
            }
        }
        for &(observable, location, value) in &locations {
            let writes = |run: &Run, wanted: Option<Value>| {
                run.writes().any(|(at, written)| at == location && wanted.is_none_or(|value| value == written))
            };
            let written = choices.iter().flatten().any(|run| writes(run, Some(value)));
            let initial = code.initial[location.0 as usize] == value;
            let overwritten = choices.iter().any(|runs| runs.iter().all(|run| writes(run, None)));
            if !written && (!initial || overwritten) {
                return Absence::NotLeft { observable, initial };
            }
        }
        let mut digits = vec![0; choices.len()];
        for _ in 0..MAX_CHOICES {
            let chosen: Vec<&Run> = choices.iter().zip(&digits).map(|(runs, &digit)| runs[digit]).collect();
            if let Some(graph) = graph(code, &chosen, &locations)
                && let Some(violation) = thin_air(&graph)
            {
                return Absence::Cyclic { graph: Box::new(graph), violation };
            }
            let Some(next) = (0..digits.len()).find(|&at| digits[at] + 1 < choices[at].len()) else { break };
            digits[next] += 1;
            digits[..next].fill(0);
        }
        Absence::Unexplained
    }
}

/// The runs of a thread that end well, and all that it can write.
#[allow(clippy::type_complexity)]
fn runs(
    code: &Code,
    options: Options,
    thread: usize,
    values: &[BTreeSet<Value>],
) -> Option<(Vec<Run>, BTreeSet<(Location, Value)>)> {
    let mut finished = Vec::new();
    let mut written = BTreeSet::new();
    let mut work = vec![(ThreadState::new(code, thread), Vec::new())];
    let mut begun = 0;
    while let Some((mut state, actions)) = work.pop() {
        begun += 1;
        if begun > MAX_RUNS * 4 || finished.len() > MAX_RUNS || actions.len() > MAX_EVENTS {
            return None;
        }
        let action = state.advance(code, thread, options.limits);
        let span = state.span(code, thread).unwrap_or_default();
        match action {
            Action::Finished => {
                finished.push(Run { actions, registers: state.registers().to_vec() });
            }
            Action::Read { location, .. } | Action::Update { location, .. } => {
                for &value in &values[location.0 as usize] {
                    let mut next = state.clone();
                    next.resume(code, thread, Some(value));
                    let mut actions = actions.clone();
                    actions.push((action, Some(value), span));
                    if let Action::Update { update, .. } = action {
                        written.extend(update.written(value).map(|value| (location, value)));
                    }
                    work.push((next, actions));
                }
            }
            Action::Write { .. } | Action::Fence(_) => {
                if let Action::Write { location, value, .. } = action {
                    written.insert((location, value));
                }
                state.resume(code, thread, None);
                let mut actions = actions;
                actions.push((action, None, span));
                work.push((state, actions));
            }
            // It does not end well.
            _ => {}
        }
    }
    Some((finished, written))
}

/// The graph of a run for each thread in which each read takes the first write of its value, of another thread where
/// there is one, if there is such a write for each read and for each final value.
fn graph(code: &Code, runs: &[&Run], last: &[(Observable, Location, Value)]) -> Option<Execution> {
    for &(_, location, value) in last {
        let mut writes = runs.iter().flat_map(|run| run.writes()).filter(|(at, _)| *at == location).peekable();
        let initial = writes.peek().is_none() && code.initial[location.0 as usize] == value;
        if !initial && !writes.any(|(_, written)| written == value) {
            return None;
        }
    }
    let mut graph = Execution::initial(code);
    let mut reads: Vec<(EventId, Value)> = Vec::new();
    for (thread, run) in runs.iter().enumerate() {
        for &(action, read, span) in &run.actions {
            let e = graph.add(ThreadId(thread as u16), action, span);
            reads.extend(read.map(|value| (e, value)));
        }
    }
    // The values of read-modify-writes follow from what they read, in whatever order that is settled.
    let mut missing = reads;
    while !missing.is_empty() {
        let before = missing.len();
        let mut rest = Vec::new();
        for (read, value) in missing {
            let event: &Event = graph.event(read);
            let location = event.location()?;
            let thread = event.thread();
            let fits: Vec<EventId> =
                graph.writes(location).filter(|&w| w != read && graph.event(w).value_written == Some(value)).collect();
            match fits.iter().find(|&&w| graph.event(w).thread() != thread).or(fits.first()) {
                Some(&w) => graph.set_source(read, w),
                None => rest.push((read, value)),
            }
        }
        if rest.len() == before {
            return None;
        }
        missing = rest;
    }
    Some(graph)
}
