//! Explorations that run, undo and run again, step by step.

use super::{Ending, Run, Turn};
use crate::budget::{Budget, Paused};
use crate::explore::{Counts, Direction, Explorer, PendingRead, Proposed, Revisit, Step};
use crate::graph::{Coherence, Event, EventKey, Execution};
use crate::program::Value;
use std::sync::Arc;

/// An exploration by runs: one state machine for who looks at each step ([`RunExplorer`]) and for who does not
/// ([`super::RunWalk`]).
pub(in crate::explore) trait Search: Clone + Send + 'static {
    /// Makes a step.
    ///
    /// # Errors
    /// [`Paused`], before anything is changed.
    fn advance(&mut self, budget: &mut Budget) -> Result<Step, Paused>;

    /// The run at hand.
    fn run(&self) -> &Run;

    /// What is known of its end.
    fn ending(&self) -> &Ending;

    /// What was counted so far.
    fn counts(&self) -> Counts;

    /// The depth at which the last step chose.
    fn level(&self) -> Option<usize>;

    /// The turns that fell asleep before an event of the run.
    fn asleep(&self, depth: usize) -> Vec<Turn>;

    /// The turns that are to be taken in place of an event of the run, the next one first.
    fn untried(&self, depth: usize) -> Vec<Turn>;

    /// How many things it holds.
    fn weight(&self) -> usize;
}

/// Such an exploration with the graph that belongs to its run.
#[derive(Clone, Debug)]
pub(in crate::explore) struct RunExplorer<S> {
    search: S,
    graph: Execution,
    co: Coherence,
    cut: Vec<Event>,
}

impl<S: Search> RunExplorer<S> {
    /// Before the first step.
    pub fn new(search: S) -> Self {
        let (graph, co) = search.run().execution(&[]);
        Self { search, graph, co, cut: Vec::new() }
    }
}

impl<S: Search> Explorer for RunExplorer<S> {
    fn advance_within(&mut self, budget: &mut Budget) -> Result<Step, Paused> {
        let step = self.search.advance(budget)?;
        self.cut.clear();
        let (graph, co) = match step {
            // The last execution stays to be seen.
            Step::Done => return Ok(step),
            _ => self.search.run().execution(&self.search.ending().waiting),
        };
        if let Step::TakeBacktrack { .. } = step {
            self.cut
                .extend(self.graph.events().map(|(_, event)| *event).filter(|event| graph.find(event.key).is_none()));
        }
        (self.graph, self.co) = (graph, co);
        Ok(step)
    }

    fn execution(&self) -> &Execution {
        &self.graph
    }

    fn coherence(&self) -> Option<&Coherence> {
        Some(&self.co)
    }

    fn cut(&self) -> &[Event] {
        &self.cut
    }

    fn registers(&self) -> Vec<&[Value]> {
        (0..self.graph.threads()).map(|thread| self.search.run().registers(thread)).collect()
    }

    fn counts(&self) -> Counts {
        self.search.counts()
    }

    /// By event of the run: what is to be tried in its place, and what was.
    fn pending(&self) -> Vec<PendingRead> {
        let run = self.search.run();
        let pending = (0..run.events.len()).filter_map(|depth| {
            let key = |turn: &Turn| run.key_at(turn.process, depth);
            let option = |write: EventKey| Revisit {
                write: Some(write),
                direction: Direction::Backtrack,
                spurious: false,
                prefix: Arc::new([]),
            };
            let explored = |write: EventKey| Proposed { write, spurious: false, keeps: Vec::new(), waits: None };
            let untried: Vec<_> = self.search.untried(depth).iter().filter_map(key).collect();
            let asleep: Vec<_> = self.search.asleep(depth).iter().filter_map(key).collect();
            (!untried.is_empty() || !asleep.is_empty()).then(|| PendingRead {
                read: run.key(depth),
                revisitable: !untried.is_empty(),
                // The next one stands last.
                options: untried.into_iter().rev().map(option).collect(),
                explored: asleep.into_iter().map(explored).collect(),
            })
        });
        pending.collect()
    }

    fn level(&self) -> Option<usize> {
        self.search.level()
    }

    fn checkpoint(&self) -> Box<dyn Explorer> {
        Box::new(self.clone())
    }

    fn weight(&self) -> usize {
        self.search.weight()
    }
}
