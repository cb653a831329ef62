//! Brute force as an explorer: one candidate graph after the other.

use super::brute_force::{self, TooMany};
use super::tally::{Next, Tally};
use super::{Counts, Explorer, Options, Step};
use crate::graph::{Execution, Label, ThreadId};
use crate::model::Model;
use crate::program::{Code, Limits, ThreadState, Value};
use std::sync::Arc;

/// What comes next.
#[derive(Clone, Copy, Debug)]
enum Phase {
    Next,
    Check,
    /// Error events are reported, from this index on.
    Errors(usize),
    Race,
    Execution,
    Duplicate,
    Finish,
    Done,
}

/// Goes through all candidate graphs of a program ([`brute_force::candidates`]) and keeps those that are consistent by
/// definition ([`brute_force::consistent`]).
#[derive(Clone, Debug)]
pub struct BruteForce {
    code: Arc<Code>,
    model: Model,
    options: Options,
    candidates: Arc<Vec<Execution>>,
    /// How many candidates were begun.
    begun: usize,
    graph: Execution,
    states: Vec<ThreadState>,
    phase: Phase,
    tally: Tally,
}

/// The state of each thread behind its last event.
pub(crate) fn final_states(code: &Code, limits: Limits, graph: &Execution) -> Vec<ThreadState> {
    let run = |thread| {
        let mut state = ThreadState::new(code, thread);
        for &e in graph.thread(ThreadId(thread as u16)) {
            let event = graph.event(e);
            state.advance(code, thread, limits);
            if !event.ends_thread() {
                state.resume(code, thread, event.value_read, event.fails_spuriously());
            }
        }
        state.advance(code, thread, limits);
        state
    };
    (0..code.threads.len()).map(run).collect()
}

impl BruteForce {
    /// The exploration before its first step. Enumerates the candidates.
    ///
    /// # Errors
    /// [`TooMany`] candidates.
    pub fn new(code: Arc<Code>, model: Model, options: Options) -> Result<Self, TooMany> {
        let candidates = brute_force::candidates(&code, options)?;
        Ok(Self {
            graph: Execution::initial(&code),
            states: (0..code.threads.len()).map(|thread| ThreadState::new(&code, thread)).collect(),
            candidates: Arc::new(candidates),
            begun: 0,
            phase: Phase::Next,
            tally: Tally::default(),
            code,
            model,
            options,
        })
    }

    fn next(&mut self) -> Step {
        let Some(graph) = self.candidates.get(self.begun) else {
            self.phase = Phase::Done;
            return Step::Done;
        };
        self.graph = graph.clone();
        self.begun += 1;
        self.phase = Phase::Check;
        self.states = final_states(&self.code, self.options.limits, &self.graph);
        Step::Candidate { number: self.begun as u64 }
    }

    fn check(&mut self) -> Option<Step> {
        if brute_force::consistent(self.model, &self.graph) {
            self.phase = Phase::Errors(0);
            return None;
        }
        self.tally.counts.dropped += 1;
        self.phase = Phase::Next;
        Some(Step::Drop)
    }

    fn report_error(&mut self, from: usize) -> Option<Step> {
        let error = self.graph.events().skip(from).find(|(_, event)| matches!(event.label, Label::Error(_)));
        let Some((e, event)) = error else {
            self.phase = Phase::Race;
            return None;
        };
        self.phase = Phase::Errors(e.index() + 1);
        Some(Step::Error { event: event.key })
    }

    fn report_race(&mut self) -> Option<Step> {
        self.phase = Phase::Execution;
        self.tally.fault(&self.code, self.model, self.options, &self.graph)
    }

    fn execution_step(&mut self) -> Step {
        let (step, next) = self.tally.execution(&self.graph, None, self.options.stop_at_first);
        self.phase = match next {
            Next::Duplicate => Phase::Duplicate,
            Next::Finish => Phase::Finish,
            Next::GoOn => Phase::Next,
        };
        step
    }
}

impl Explorer for BruteForce {
    fn advance(&mut self) -> Step {
        let step = loop {
            let step = match self.phase {
                Phase::Next => Some(self.next()),
                Phase::Check => self.check(),
                Phase::Errors(from) => self.report_error(from),
                Phase::Race => self.report_race(),
                Phase::Execution => Some(self.execution_step()),
                Phase::Duplicate => {
                    self.tally.counts.duplicates += 1;
                    self.phase = Phase::Next;
                    Some(Step::Duplicate)
                }
                Phase::Finish => {
                    self.phase = Phase::Done;
                    Some(Step::Done)
                }
                Phase::Done => return Step::Done,
            };
            if let Some(step) = step {
                break step;
            }
        };
        self.tally.counts.steps += 1;
        step
    }

    fn execution(&self) -> &Execution {
        &self.graph
    }

    fn registers(&self) -> Vec<&[Value]> {
        self.states.iter().map(ThreadState::registers).collect()
    }

    fn counts(&self) -> Counts {
        self.tally.counts
    }

    fn checkpoint(&self) -> Box<dyn Explorer> {
        Box::new(self.clone())
    }

    fn weight(&self) -> usize {
        self.graph.len()
    }
}
