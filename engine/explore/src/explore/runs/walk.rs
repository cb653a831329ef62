//! The whole exploration without looking at each step.

use super::Search;
use crate::budget::{Budget, Paused};
use crate::explore::results::{Effort, Scene};
use crate::explore::{Counts, Findings, Moment, Pause, Probe, Step, Walk, Work};
use crate::model::{Inquiry, Model};
use crate::program::{Location, Observable, Program, Quantifier, Value};
use std::sync::Arc;

/// Where a value of the final state is.
#[derive(Clone, Copy, Debug)]
enum Seen {
    Register(u16, u16),
    Location(Location),
}

/// A walk through the whole of an exploration.
#[derive(Debug)]
pub(in crate::explore) struct RunWalk<S> {
    program: Arc<Program>,
    model: Model,
    search: S,
    seen: Vec<Seen>,
    /// A witness that `exists` asks for is none of what is wrong.
    asks_for_witness: bool,
    found: Findings,
    /// What was counted before what is found now.
    before: Counts,
    /// A final state, for the next one to be written over.
    state: Vec<Value>,
    done: bool,
}

impl<S: Search> RunWalk<S> {
    /// A walk from the search's start.
    pub(crate) fn new(program: Arc<Program>, model: Model, search: S) -> Self {
        let code = &search.run().code;
        let found = Findings::within(&program, search.run().options.limits);
        let seen = found.results.observables().iter().map(|observable| match *observable {
            Observable::Register { thread, register } => Seen::Register(thread, register.0),
            Observable::Location { object, offset } => {
                let location = code.location(object, Value::from(offset));
                Seen::Location(location.expect("what a program shows is in it"))
            }
        });
        let seen = seen.collect();
        let asks_for_witness = program.condition.as_ref().is_some_and(|c| c.quantifier == Quantifier::Exists);
        let (before, state) = (Counts::default(), Vec::new());
        Self { program, model, search, seen, asks_for_witness, found, before, state, done: false }
    }

    /// Looks at a whole run or what is wrong with one.
    fn look(&mut self, step: Step) {
        let position = self.search.counts().steps - self.before.steps;
        let ends = self.search.run().ends;
        let is_simple = self.search.ending().waiting.is_empty() && ends == Default::default();
        let decisive = match step {
            Step::Execution { .. } if is_simple => {
                self.state.clear();
                for seen in &self.seen {
                    self.state.push(match *seen {
                        Seen::Register(thread, register) => {
                            self.search.run().registers(usize::from(thread))[usize::from(register)]
                        }
                        Seen::Location(location) => self.search.run().value(location),
                    });
                }
                self.found.results.observe_state(&self.program, &self.state, position).0
            }
            _ => self.look_closely(step, position),
        };
        let is_blocked = matches!(step, Step::Execution { kind, .. } if kind.is_blocked());
        let is_first = match (&self.found.first, step) {
            (None, Step::Execution { .. }) => true,
            (Some(first), Step::Execution { .. }) => !is_blocked && first.is_blocked(),
            _ => false,
        };
        if decisive || is_first {
            self.remember(step, position, decisive, is_first);
        }
    }

    /// Looks at it as every explorer's are.
    #[cold]
    fn look_closely(&mut self, step: Step, position: u64) -> bool {
        let (graph, co) = self.search.run().execution(&self.search.ending().waiting);
        let registers = (0..graph.threads()).map(|thread| self.search.run().registers(thread)).collect();
        let scene = Scene { graph: &graph, co: Some(&co), registers, position };
        let (mut inquiry, mut budget) = (Inquiry::default(), Budget::unlimited());
        // With a co, nothing is searched for.
        let effort = Effort { limit: u64::MAX, inquiry: &mut inquiry, budget: &mut budget };
        let code = &self.search.run().code;
        let observed = self.found.results.observe_scene(&self.program, code, self.model, &scene, step, effort);
        observed.is_ok_and(|observed| observed.violation)
    }

    /// Keeps the graph.
    #[cold]
    fn remember(&mut self, mut step: Step, position: u64, decisive: bool, is_first: bool) {
        if let Step::Execution { number, .. } = &mut step {
            *number -= self.before.executions();
        }
        let moment = || {
            let (graph, co) = self.search.run().execution(&self.search.ending().waiting);
            Moment { position, step, graph, co: Some(co) }
        };
        let is_blocked = matches!(step, Step::Execution { kind, .. } if kind.is_blocked());
        let is_witness = self.asks_for_witness && matches!(step, Step::Execution { .. }) && !is_blocked;
        let place = if is_witness { &mut self.found.witness } else { &mut self.found.violation };
        if decisive && place.is_none() {
            *place = Some(moment());
        }
        if is_first {
            self.found.first = Some(moment());
        }
    }
}

impl<S: Search> Walk for RunWalk<S> {
    fn run_within(&mut self, steps: u64, executions: u64, budget: &mut Budget) -> Pause {
        if self.done {
            return Pause::Exhausted;
        }
        let until = self.search.counts().steps.saturating_add(steps);
        let executions = self.search.counts().executions().saturating_add(executions);
        while self.search.counts().steps < until {
            let Ok(step) = self.search.advance(budget) else { break };
            match step {
                Step::Done => {
                    self.done = true;
                    return if self.search.ending().stopped { Pause::Stopped } else { Pause::Exhausted };
                }
                Step::Error { .. } | Step::UninitialisedRead { .. } => self.look(step),
                Step::Execution { .. } => {
                    self.look(step);
                    if self.search.counts().executions() >= executions {
                        break;
                    }
                }
                _ => {}
            }
        }
        Pause::Steps
    }

    fn split(&mut self) -> Option<Work> {
        None
    }

    /// The whole: it can't be said what is left.
    fn work(&self) -> Option<Work> {
        (!self.done).then(Work::default)
    }

    fn take_findings(&mut self) -> Findings {
        let counts = self.counts();
        self.before = self.search.counts();
        let found =
            std::mem::replace(&mut self.found, Findings::within(&self.program, self.search.run().options.limits));
        Findings { counts, ..found }
    }

    fn counts(&self) -> Counts {
        self.search.counts().since(self.before)
    }

    /// Goes nowhere.
    fn probe(&mut self, _choose: &mut dyn FnMut(u32) -> u32, _budget: &mut Budget) -> Result<Probe, Paused> {
        Ok(Probe::default())
    }
}
