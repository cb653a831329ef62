//! What is not to happen, and whether it does.
//!
//! An execution in which it does is *bad*. Whether that is so of an execution follows from its graph and the model alone ([`Bad`]), so bad
//! executions can be looked at again in a program that was changed.

use litmoscope_core::budget::{Budget, Decision, Paused};
use litmoscope_core::graph::{Event, EventId, Execution, Label};
use litmoscope_core::model::{Inquiry, Model};
use litmoscope_core::program::{
    Code, Condition, Limits, Location, Observable, Program, Proposition, Quantifier, Span, Value,
};
use litmoscope_explore::compare::{ALGORITHM, OutcomeQuestion};
use litmoscope_explore::explore::{ExecutionKind, Options, Step, final_states};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What is not to happen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Goal {
    /// An execution ends so.
    pub outcome: Option<Proposition>,
    /// Something goes wrong: an assertion is violated, there is a data race, a thread computes what has no value. Who waits for a library for ever does
    /// not go wrong here.
    pub errors: bool,
    /// An execution ends in another state than these, by the values of the program's observables.
    pub states: Option<BTreeSet<Vec<Value>>>,
}

impl Goal {
    /// That no execution ends so.
    pub fn without(outcome: &OutcomeQuestion) -> Self {
        Self { outcome: Some(outcome.proposition.clone()), ..Self::default() }
    }

    /// That nothing goes wrong.
    pub fn without_errors() -> Self {
        Self { errors: true, ..Self::default() }
    }

    /// What a program's own text says: that the outcome does not occur that `exists` asks for, or else that the program is correct
    /// ([`Goal::correct`]).
    pub fn of(program: &Program) -> Self {
        let asks = program.condition.as_ref().is_some_and(|condition| condition.quantifier == Quantifier::Exists);
        let outcome = OutcomeQuestion::of_condition(program).filter(|_| asks);
        outcome.map_or_else(|| Self::correct(program), |outcome| Self::without(&outcome))
    }

    /// What makes a program correct: nothing goes wrong, and a condition that is to hold does. `exists` asks for nothing.
    pub fn correct(program: &Program) -> Self {
        let asks = program.condition.as_ref().is_some_and(|condition| condition.quantifier != Quantifier::Exists);
        let outcome = OutcomeQuestion::of_condition(program).filter(|_| asks);
        Self { outcome: outcome.map(|outcome| outcome.proposition), errors: true, states: None }
    }

    /// The program that is explored for it.
    fn asked(&self, program: &Program) -> Program {
        let Some(proposition) = self.outcome.clone() else { return program.clone() };
        let condition = Condition { quantifier: Quantifier::Exists, proposition, span: Span::default() };
        let observed = if self.states.is_some() { program.observed.clone() } else { Some(Vec::new()) };
        Program { observed, condition: Some(condition), ..program.clone() }
    }

    fn wants_states(&self) -> bool {
        self.outcome.is_some() || self.states.is_some()
    }
}

/// An execution in which it happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bad {
    /// The execution.
    pub graph: Execution,
    /// Why it is bad.
    pub why: Why,
}

/// Why an execution is bad.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// It ends so if these writes come last at these locations.
    Ends {
        /// The locations.
        locations: Vec<Location>,
        /// By location: the last write.
        last: Vec<EventId>,
    },
    /// It has a data race.
    Races,
    /// A thread goes wrong in it.
    Wrong,
}

impl Bad {
    /// Whether the model lets it happen.
    pub fn happens(&self, model: Model, limit: u64) -> Decision {
        match &self.why {
            Why::Ends { locations, last } if !locations.is_empty() => {
                model.can_end(&self.graph, locations, last, limit)
            }
            why => {
                let (mut inquiry, mut budget) = (Inquiry::default(), Budget::unlimited());
                let decision = model.decide(&self.graph, None, limit, &mut inquiry, &mut budget);
                match decision.unwrap_or(Decision::Undecided) {
                    Decision::Yes if *why == Why::Races && model.races(&self.graph).is_empty() => Decision::No,
                    decision => decision,
                }
            }
        }
    }
}

/// What an exploration found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explored {
    /// Bad executions, as many as were wanted at most.
    pub bad: Vec<Bad>,
    /// Whether a bound cut a thread or a search: what was not found may be there.
    pub bounded: bool,
    /// Whether it ended early, so that more may be there.
    pub stopped: bool,
    /// How many executions were seen.
    pub executions: u64,
    /// The final states that were seen, if these were wanted.
    pub states: BTreeSet<Vec<Value>>,
}

/// What an exploration looks for.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// How many bad executions are enough.
    pub bad: usize,
    /// The final states are wanted.
    pub states: bool,
    /// How many steps it takes at most.
    pub steps: u64,
}

impl Goal {
    /// Explores a program.
    ///
    /// # Errors
    /// [`Paused`] if the budget says so.
    pub fn explore(
        &self,
        program: &Program,
        model: Model,
        options: Options,
        wanted: Wanted,
        budget: &mut Budget,
    ) -> Result<Explored, Paused> {
        let program = self.asked(program);
        let mut found = Explored::default();
        let Ok(code) = Code::compile(&program) else {
            return Ok(Explored { stopped: true, ..found });
        };
        let code = Arc::new(code);
        let Ok(mut explorer) = ALGORITHM.explorer(Arc::clone(&code), model, options) else {
            return Ok(Explored { stopped: true, ..found });
        };
        let ends = Ends::new(self, &program, &code);
        let options = Options { stop_at_first: false, ..options };
        loop {
            let step = explorer.advance_within(budget)?;
            match step {
                Step::Done => {
                    let counts = explorer.counts();
                    found.bounded |= counts.bounded + counts.undecided > 0;
                    found.executions = counts.executions();
                    return Ok(found);
                }
                Step::Execution { kind, .. } => {
                    let graph = explorer.execution();
                    if self.errors && kind == ExecutionKind::Erroneous {
                        let is_wrong = |event: &Event| matches!(event.label, Label::Error(_));
                        let is_race =
                            !graph.events().any(|(_, event)| is_wrong(event)) && !model.races(graph).is_empty();
                        found
                            .bad
                            .push(Bad { graph: graph.clone(), why: if is_race { Why::Races } else { Why::Wrong } });
                    } else if self.wants_states() || wanted.states {
                        ends.find(graph, model, options.limits, wanted.states, &mut found, budget)?;
                    }
                }
                _ => {}
            }
            if found.bad.len() >= wanted.bad || explorer.counts().steps >= wanted.steps {
                found.stopped = true;
                found.executions = explorer.counts().executions();
                return Ok(found);
            }
        }
    }
}

/// How executions end.
struct Ends<'p> {
    goal: &'p Goal,
    program: &'p Program,
    code: &'p Code,
    observables: Vec<Observable>,
    /// Those of the observables that are memory.
    locations: Vec<Location>,
}

impl<'p> Ends<'p> {
    fn new(goal: &'p Goal, program: &'p Program, code: &'p Code) -> Self {
        let observables = program.observables();
        let location = |observable: &Observable| match observable {
            Observable::Location { object, offset } => code.location(*object, Value::from(*offset)),
            Observable::Register { .. } => None,
        };
        let locations = observables.iter().filter_map(location).collect();
        Self { goal, program, code, observables, locations }
    }

    /// Notes how an execution can end: its states, and whether one of them is bad.
    fn find(
        &self,
        graph: &Execution,
        model: Model,
        limits: Limits,
        lists: bool,
        found: &mut Explored,
        budget: &mut Budget,
    ) -> Result<(), Paused> {
        if graph.events().any(|(_, event)| event.ends_thread()) {
            return Ok(());
        }
        let (lasts, all) =
            model.final_writes_within(graph, &self.locations, limits.search, &mut Inquiry::default(), budget)?;
        found.bounded |= !all.is_yes();
        let threads = final_states(self.code, limits, graph);
        for last in lasts {
            let mut memory = last.iter().map(|write| graph.event(*write).value_written.unwrap_or_default());
            let value = |observable: &Observable| match observable {
                Observable::Register { thread, register } => {
                    threads[usize::from(*thread)].registers()[usize::from(register.0)]
                }
                Observable::Location { .. } => memory.next().unwrap_or_default(),
            };
            let state: Vec<Value> = self.observables.iter().map(value).collect();
            let holds = |proposition: &Proposition| {
                proposition.holds(&|wanted| self.observables.binary_search(&wanted).map_or(0, |at| state[at]))
            };
            if self.program.filter.as_ref().is_some_and(|filter| !holds(filter)) {
                continue;
            }
            let is_new = self.goal.states.as_ref().is_some_and(|states| !states.contains(&state));
            let is_bad = is_new || self.goal.outcome.as_ref().is_some_and(holds);
            if lists {
                found.states.insert(state);
            }
            if is_bad {
                let why = Why::Ends { locations: self.locations.clone(), last };
                found.bad.push(Bad { graph: graph.clone(), why });
            }
        }
        Ok(())
    }
}
