//! Explorations that run, undo and run again, step by step.

use super::{Ending, Run, Turn};
use crate::budget::{Budget, Paused};
use crate::explore::{Counts, Direction, Explorer, Options, PendingRead, Proposed, Revisit, Step};
use crate::graph::{Coherence, Event, EventKey, Execution};
use crate::model::Model;
use crate::program::Value;
use std::sync::Arc;

/// How far an exploration by runs has come: what each keeps, whatever its algorithm does.
#[derive(Clone, Debug)]
pub(in crate::explore) struct Course {
    /// What is known of the end of the run.
    pub ending: Ending,
    /// What was counted so far.
    pub counts: Counts,
    /// The depth at which the last step chose.
    pub level: Option<usize>,
    /// Nothing is left to explore, which was said.
    done: bool,
}

impl Course {
    /// Before the first step.
    pub(crate) fn new(run: &Run, model: Model, options: Options) -> Self {
        Self { ending: Ending::new(run, model, options), counts: Counts::default(), level: None, done: false }
    }

    /// The step that added the last event.
    pub(crate) fn added(&mut self, run: &Run) -> Step {
        let (event, commits) = self.chosen(run);
        if commits { Step::Commit { write: event } } else { Step::AddEvent { event } }
    }

    /// The step that performed the last event instead of another one.
    pub(crate) fn backtracked(&mut self, run: &Run, before: EventKey) -> Step {
        self.counts.revisits += 1;
        let (event, commits) = self.chosen(run);
        Step::TakeBacktrack { event, before, commits }
    }

    /// The last event, which this step chose, and whether it is a store that reaches memory.
    fn chosen(&mut self, run: &Run) -> (EventKey, bool) {
        let last = run.events.len() - 1;
        self.level = Some(last);
        (run.key(last), run.is_buffer(run.events[last].turn.process))
    }

    /// The next step of a run that is over.
    pub(crate) fn end(&mut self, run: &Run) -> Step {
        self.ending.advance(run, &mut self.counts)
    }

    /// The step that drops a run in which all that can go on sleeps.
    pub(crate) fn drop_run(&mut self) -> Step {
        self.counts.dropped += 1;
        Step::SleepSetBlocked
    }

    /// Takes the last event back, if there is one: its depth, its name and its turn.
    pub(crate) fn undo(&mut self, run: &mut Run) -> Option<(usize, EventKey, Turn)> {
        let last = run.events.len().checked_sub(1)?;
        let before = run.key(last);
        let turn = run.undo()?.turn;
        self.ending.cut(last);
        Some((last, before, turn))
    }
}

/// An exploration by runs: one state machine for who looks at each step ([`RunExplorer`]) and for who does not
/// ([`super::RunWalk`]).
pub(in crate::explore) trait Search: Clone + Send + 'static {
    /// The run at hand.
    fn run(&self) -> &Run;

    /// How far it has come.
    fn course(&self) -> &Course;

    /// The same, to go on.
    fn course_mut(&mut self) -> &mut Course;

    /// Does what comes next; the step, if that is one. [`Step::Done`] is the last.
    fn perform_phase(&mut self) -> Option<Step>;

    /// Makes a step.
    ///
    /// # Errors
    /// [`Paused`], before anything is changed.
    fn advance(&mut self, budget: &mut Budget) -> Result<Step, Paused> {
        if self.course().done {
            return Ok(Step::Done);
        }
        // To look for the races of one event takes as many comparisons of clocks as there are events.
        budget.count(1 + self.run().events.len() as u64)?;
        self.course_mut().level = None;
        loop {
            if let Some(step) = self.perform_phase() {
                let course = self.course_mut();
                course.counts.steps += 1;
                course.done = step == Step::Done;
                return Ok(step);
            }
        }
    }

    /// What is known of its end.
    fn ending(&self) -> &Ending {
        &self.course().ending
    }

    /// What was counted so far.
    fn counts(&self) -> Counts {
        self.course().counts
    }

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
    pub(crate) fn new(search: S) -> Self {
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
        self.search.course().level
    }

    fn checkpoint(&self) -> Box<dyn Explorer> {
        Box::new(self.clone())
    }

    fn weight(&self) -> usize {
        self.search.weight()
    }
}
