//! Brute force as an explorer: one candidate graph after the other.

use super::{Attempts, CAP, Listing, TooMany};
use crate::budget::{Budget, Decision, Paused};
use crate::explore::stuck::Whole;
use crate::explore::tally::{Next, Tally};
use crate::explore::{Counts, Explorer, Options, Step};
use crate::graph::{Execution, Label, ThreadId};
use crate::model::Model;
use crate::program::{Code, Limits, ThreadState, Value};
use std::sync::{Arc, OnceLock};

/// What comes next.
#[derive(Clone, Copy, Debug)]
enum Phase {
    /// The candidates are listed.
    List,
    Next,
    Decide,
    /// Error events are reported, from this index on.
    Errors(usize),
    Race,
    Execution,
    Duplicate,
    Finish,
    Done,
}

/// Goes through all candidate graphs of a program ([`super::candidates()`]) and keeps those that are consistent
/// by definition ([`super::consistent`]).
#[derive(Clone, Debug)]
pub struct BruteForce {
    code: Arc<Code>,
    model: Model,
    options: Options,
    /// Once they are listed; those who go on from copies of the start have them, too.
    candidates: Arc<OnceLock<Result<Vec<Execution>, TooMany>>>,
    /// Where the list is, before it is whole.
    listing: Option<Listing>,
    /// How many candidates were begun.
    begun: usize,
    graph: Execution,
    states: Vec<ThreadState>,
    phase: Phase,
    tally: Tally,
    /// The search that a step was paused in.
    attempts: Attempts,
}

/// The state of each thread behind its last event.
pub fn final_states(code: &Code, limits: Limits, graph: &Execution) -> Vec<ThreadState> {
    let run = |thread| {
        let mut state = ThreadState::new(code, thread);
        for &e in graph.thread(ThreadId(thread as u16)) {
            let event = graph.event(e);
            state.advance(code, thread, limits);
            if !event.ends_thread() {
                state.resume_as(code, thread, event.value_read, event.fails_spuriously());
            }
        }
        state.advance(code, thread, limits);
        state
    };
    (0..code.threads.len()).map(run).collect()
}

impl BruteForce {
    /// The exploration before its first step, which lists the candidates; if there are too many, that is the last step, too.
    pub fn new(code: Arc<Code>, model: Model, options: Options) -> Self {
        Self {
            graph: Execution::initial(&code),
            states: (0..code.threads.len()).map(|thread| ThreadState::new(&code, thread)).collect(),
            candidates: Arc::default(),
            listing: Some(Listing::new(&code, options, CAP)),
            begun: 0,
            phase: Phase::List,
            tally: Tally::default(),
            attempts: Attempts::default(),
            code,
            model,
            options,
        }
    }

    /// Lists the candidates, unless that was done.
    ///
    /// # Errors
    /// [`Paused`] where the budget says so, to go on later; within, [`TooMany`] candidates.
    pub fn list(&mut self, budget: &mut Budget) -> Result<Result<(), TooMany>, Paused> {
        while let Some(listing) = self.listing.as_mut().filter(|_| self.candidates.get().is_none()) {
            let before = listing.work();
            match listing.advance(&self.code) {
                Ok(true) => budget.spend(16 * (listing.work() - before) as u64)?,
                over => {
                    let listed = self.listing.take().map(Listing::into_graphs).unwrap_or_default();
                    self.candidates.get_or_init(|| over.map(|_| listed));
                }
            }
        }
        self.listing = None;
        self.phase = Phase::Next;
        Ok(self.listed().map(|_| ()))
    }

    /// The candidates, none before they are listed.
    fn listed(&self) -> Result<&[Execution], TooMany> {
        self.candidates.get().map_or(Ok(&[]), |listed| listed.as_deref().map_err(Clone::clone))
    }

    fn first(&mut self, budget: &mut Budget) -> Result<Option<Step>, Paused> {
        Ok(self.list(budget)?.is_err().then(|| {
            self.tally.counts.undecided += 1;
            self.phase = Phase::Finish;
            Step::TooManyCandidates
        }))
    }

    fn next(&mut self) -> Step {
        let Some(graph) = self.listed().unwrap_or_default().get(self.begun).cloned() else {
            self.phase = Phase::Done;
            return Step::Done;
        };
        self.graph = graph;
        self.begun += 1;
        self.phase = Phase::Decide;
        self.states = final_states(&self.code, self.options.limits, &self.graph);
        Step::Candidate { number: self.begun as u64 }
    }

    fn decide(&mut self, budget: &mut Budget) -> Result<Option<Step>, Paused> {
        let limit = self.options.limits.search;
        let decision = self.attempts.consistent(self.model, &self.graph, limit, budget)?;
        self.phase = Phase::Next;
        Ok(match decision {
            Decision::Yes => {
                self.phase = Phase::Errors(0);
                None
            }
            Decision::No => {
                self.tally.counts.dropped += 1;
                Some(Step::Drop)
            }
            Decision::Undecided => {
                self.tally.counts.undecided += 1;
                Some(Step::Undecided)
            }
        })
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

    fn execution_step(&mut self, budget: &mut Budget) -> Result<Step, Paused> {
        let Self { code, model, options, graph, .. } = self;
        let whole = Whole { code, model: *model, options, graph, co: None };
        let (step, next) = self.tally.execution(whole, budget)?;
        self.phase = match next {
            Next::Duplicate => Phase::Duplicate,
            Next::Finish => Phase::Finish,
            Next::GoOn => Phase::Next,
        };
        Ok(step)
    }
}

impl Explorer for BruteForce {
    fn advance_within(&mut self, budget: &mut Budget) -> Result<Step, Paused> {
        budget.count((self.graph.len() * (1 + self.graph.len() / 8)) as u64)?;
        let step = loop {
            let step = match self.phase {
                Phase::List => self.first(budget)?,
                Phase::Next => Some(self.next()),
                Phase::Decide => self.decide(budget)?,
                Phase::Errors(from) => self.report_error(from),
                Phase::Race => self.report_race(),
                Phase::Execution => Some(self.execution_step(budget)?),
                Phase::Duplicate => {
                    self.tally.counts.duplicates += 1;
                    self.phase = Phase::Next;
                    Some(Step::Duplicate)
                }
                Phase::Finish => {
                    self.phase = Phase::Done;
                    Some(Step::Done)
                }
                Phase::Done => return Ok(Step::Done),
            };
            if let Some(step) = step {
                break step;
            }
        };
        self.tally.counts.steps += 1;
        Ok(step)
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

    fn gave_up(&self) -> bool {
        self.listed().is_err()
    }

    fn checkpoint(&self) -> Box<dyn Explorer> {
        Box::new(self.clone())
    }

    fn weight(&self) -> usize {
        self.graph.len()
    }
}
