//! Random runs, for programs that are too large to be explored to their end.
//!
//! A run begins with the initial graph. Again and again, some thread that can go on is chosen and its next event added; a
//! read takes one of the writes that are there and keep the graph consistent. So each run ends in a whole consistent graph.
//! Each consistent execution can be reached: porf is acyclic in all models here, and an execution without its last events in
//! porf is consistent, so in any order of its events that contains porf each read finds its source. And no run comes to
//! nothing: in each model a new event can be added that has no successor in any of the orders that have to be acyclic.
//!
//! Usually all threads that can go on are as likely, and so are all sources. With a number of **priority-change points**,
//! runs are those of PCT (Burckhardt, Kothari, Musuvathi and Nagarakatte, "A Randomized Scheduler with Probabilistic
//! Guarantees of Finding Bugs", ASPLOS 2010, section 2): the threads have different random priorities, the thread of the
//! highest priority goes on, and at d − 1 random points the thread whose turn it is gets a priority below all others. Under SC,
//! a read takes what memory holds. Of n threads that make k steps in all, a run then finds an error that takes d ordering
//! constraints with probability 1 / (n · k^(d−1)) at least. Deviations from print:
//!
//! - k is the length of the longest run so far, of which the paper says that it has to be known. The first run has no
//!   change points.
//! - Under other models, which the paper does not speak of, sources are chosen as usual, and nothing is guaranteed.
//!
//! An execution that an earlier run found is not counted again.

mod pseudo_code;
pub(super) mod words;

use crate::budget::{Budget, Decision, Paused};
use crate::explore::growing::GrowingGraph;
use crate::explore::stuck::Whole;
use crate::explore::tally::{Next, Tally};
use crate::explore::{Counts, Direction, Explorer, Options, Step};
use crate::graph::{EventId, Execution, Label, ThreadId};
use crate::library;
use crate::model::{Inquiry, Model, Questions};
use crate::program::{Action, Code, Value};
use crate::random::Random;
use std::sync::Arc;

/// What comes next.
#[derive(Clone, Debug)]
enum Phase {
    /// A run begins.
    Begin,
    /// Some thread goes on.
    Extend,
    /// The new read takes the last of these that keeps the graph consistent, or fails spuriously with it.
    Choose {
        read: EventId,
        choices: Vec<(EventId, bool)>,
        undecided: bool,
    },
    /// The threads that wait get their operations.
    Wait,
    /// The graph is whole.
    Whole,
    /// Error events are reported, from this index on.
    Errors(usize),
    Fault,
    Execution,
    Done,
}

/// What PCT keeps of one run.
#[derive(Clone, Debug, Default)]
struct Priorities {
    /// By thread.
    of: Vec<u64>,
    /// At which steps the thread whose turn it is gets a low priority; the first has the lowest.
    change_at: Vec<u64>,
}

/// Random runs of one program under one model.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    model: Model,
    options: Options,
    /// How many runs to make.
    runs: u64,
    /// How many priority-change points a run has; `None`: there are no priorities.
    changes: Option<u32>,
    random: Random,
    growing: GrowingGraph,
    priorities: Priorities,
    /// Steps of the current run, and of the longest one so far.
    length: u64,
    longest: u64,
    phase: Phase,
    /// The search that a step was paused in.
    inquiry: Inquiry,
    tally: Tally,
}

impl Sample {
    /// Before the first step.
    pub(crate) fn new(code: Arc<Code>, model: Model, options: Options) -> Self {
        let chosen = words::Chosen::of(&options);
        Self {
            growing: GrowingGraph::new(code, options),
            random: Random::new(chosen.seed),
            runs: chosen.runs,
            changes: chosen.changes,
            priorities: Priorities::default(),
            length: 0,
            longest: 0,
            phase: Phase::Begin,
            inquiry: Inquiry::default(),
            tally: Tally::default(),
            model,
            options,
        }
    }

    fn begin(&mut self) -> Step {
        if self.tally.counts.runs == self.runs {
            self.phase = Phase::Done;
            return Step::Done;
        }
        self.tally.counts.runs += 1;
        self.growing = GrowingGraph::new(Arc::clone(&self.growing.code), self.options);
        self.longest = self.longest.max(self.length);
        self.length = 0;
        if let Some(changes) = self.changes {
            let threads = self.growing.graph.threads() as u64;
            // Below them are those that threads get at the change points.
            let lowest = u64::from(changes) + 1;
            let mut of: Vec<u64> = (lowest..lowest + threads).collect();
            self.random.shuffle(&mut of);
            let points = if self.longest == 0 { 0 } else { changes };
            let change_at = (0..points).map(|_| 1 + self.random.below(self.longest)).collect();
            self.priorities = Priorities { of, change_at };
        }
        self.phase = Phase::Extend;
        Step::BeginRun { number: self.tally.counts.runs }
    }

    /// Adds the next event of some thread that can go on.
    fn extend(&mut self) -> Option<Step> {
        let mut able: Vec<(usize, Action)> = Vec::new();
        for thread in 0..self.growing.graph.threads() {
            if let Some(action) = self.growing.next_of(thread)
                && !self.waits(action)
            {
                able.push((thread, action));
            }
        }
        if able.is_empty() {
            self.phase = Phase::Wait;
            return None;
        }
        self.length += 1;
        let (thread, action) = able[self.turn(&able)];
        let e = self.growing.add(ThreadId(thread as u16), action);
        if self.growing.graph.event(e).is_read() {
            self.phase = Phase::Choose { read: e, choices: self.shuffled_choices(e), undecided: false };
        }
        Some(Step::AddEvent { event: self.growing.key(e) })
    }

    /// Whose turn it is among the threads that can go on.
    fn turn(&mut self, able: &[(usize, Action)]) -> usize {
        if self.changes.is_none() {
            return self.random.below(able.len() as u64) as usize;
        }
        let priorities = &mut self.priorities;
        for (lowest, _) in priorities.change_at.iter().enumerate().filter(|(_, at)| **at == self.length) {
            let next = first(able, &priorities.of);
            priorities.of[able[next].0] = lowest as u64 + 1;
        }
        first(able, &priorities.of)
    }

    /// Whether an operation finds nothing that it could take.
    fn waits(&self, action: Action) -> bool {
        let Action::Library { operation, location } = action else { return false };
        let graph = &self.growing.graph;
        let is_free = |write: &EventId| {
            let mut others = graph.events().filter(|(_, event)| event.location() == Some(location));
            library::may_follow(operation, graph.event(*write).operation())
                && !others.any(|(e, _)| graph.source(e) == Some(*write))
        };
        operation.waits() && !graph.writes(location).any(|write| is_free(&write))
    }

    /// What a new read could take; the last one is tried first.
    fn shuffled_choices(&mut self, read: EventId) -> Vec<(EventId, bool)> {
        let known = self.growing.known_writes(read);
        // No model lets a thread read a location as it was before a write that it knows.
        let is_old = |write: EventId| known.iter().any(|&known| self.growing.graph.po(write, known));
        let mut choices: Vec<_> = self.growing.choices(read).filter(|(write, _)| !is_old(*write)).collect();
        self.random.shuffle(&mut choices);
        if self.changes.is_some() && self.model.rules().takes_turns() {
            // What memory holds was written last.
            choices.sort_by_key(|(write, _)| *write);
        }
        choices
    }

    fn choose(&mut self, budget: &mut Budget) -> Result<Option<Step>, Paused> {
        let Phase::Choose { read, choices, undecided } = &mut self.phase else { return Ok(None) };
        let read = *read;
        while let Some(&(write, spurious)) = choices.last() {
            self.growing.take(read, write, spurious);
            let limit = self.options.limits.search;
            let decided = self.model.decide(&self.growing.graph, None, limit, &mut self.inquiry, budget);
            if decided.is_err() {
                self.growing.graph.block(read);
            }
            match decided? {
                Decision::Yes => {
                    self.growing.resume(read);
                    self.phase = Phase::Extend;
                    let (read, write) = (self.growing.key(read), self.growing.key(write));
                    let direction = Direction::Forward;
                    return Ok(Some(if spurious {
                        Step::TakeSpurious { read, write, direction }
                    } else {
                        Step::ChooseSource { read, write }
                    }));
                }
                Decision::No => {}
                Decision::Undecided => *undecided = true,
            }
            choices.pop();
        }
        // An extensible model always has a source that fits.
        let undecided = *undecided;
        self.phase = Phase::Begin;
        Ok(Some(if undecided {
            self.tally.counts.undecided += 1;
            Step::Undecided
        } else {
            self.tally.counts.dropped += 1;
            Step::Drop
        }))
    }

    /// Adds the operation of a thread that waits.
    fn wait(&mut self) -> Option<Step> {
        for thread in 0..self.growing.graph.threads() {
            if let Some(action) = self.growing.next_of(thread) {
                let e = self.growing.add(ThreadId(thread as u16), action);
                self.growing.resume(e);
                return Some(Step::Block { read: self.growing.key(e) });
            }
        }
        self.phase = Phase::Whole;
        None
    }

    fn whole(&mut self) -> Option<Step> {
        let repetition = self.tally.repetition(&self.growing.graph);
        self.phase = if repetition.is_some() { Phase::Begin } else { Phase::Errors(0) };
        repetition.map(|number| Step::Repeated { number })
    }

    fn report_error(&mut self, from: usize) -> Option<Step> {
        let error = self.growing.graph.events().skip(from).find(|(_, event)| matches!(event.label, Label::Error(_)));
        let Some((e, event)) = error else {
            self.phase = Phase::Fault;
            return None;
        };
        self.phase = Phase::Errors(e.index() + 1);
        Some(Step::Error { event: event.key })
    }

    fn report_fault(&mut self) -> Option<Step> {
        self.phase = Phase::Execution;
        self.tally.fault(&self.growing.code, self.model, self.options, &self.growing.graph)
    }

    fn execution_step(&mut self, budget: &mut Budget) -> Result<Step, Paused> {
        let GrowingGraph { code, graph, .. } = &self.growing;
        let whole = Whole { code, model: self.model, options: &self.options, graph, co: None };
        let (step, next) = self.tally.execution(whole, budget)?;
        self.phase = Phase::Begin;
        if let Next::Finish = next {
            // What is left to be run is not.
            self.runs = self.tally.counts.runs;
        }
        Ok(step)
    }
}

/// The thread of the highest priority among those that can go on.
fn first(able: &[(usize, Action)], priorities: &[u64]) -> usize {
    let highest = able.iter().enumerate().max_by_key(|(_, (thread, _))| priorities[*thread]);
    highest.map_or(0, |(place, _)| place)
}

impl Explorer for Sample {
    fn advance_within(&mut self, budget: &mut Budget) -> Result<Step, Paused> {
        budget.count((self.growing.graph.len() * (1 + self.growing.graph.threads())) as u64)?;
        let step = loop {
            let step = match self.phase {
                Phase::Begin => Some(self.begin()),
                Phase::Extend => self.extend(),
                Phase::Choose { .. } => self.choose(budget)?,
                Phase::Wait => self.wait(),
                Phase::Whole => self.whole(),
                Phase::Errors(from) => self.report_error(from),
                Phase::Fault => self.report_fault(),
                Phase::Execution => Some(self.execution_step(budget)?),
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
        &self.growing.graph
    }

    fn registers(&self) -> Vec<&[Value]> {
        self.growing.registers()
    }

    fn questions(&self) -> Questions {
        self.inquiry.questions
    }

    fn counts(&self) -> Counts {
        self.tally.counts
    }

    fn checkpoint(&self) -> Box<dyn Explorer> {
        Box::new(self.clone())
    }

    fn weight(&self) -> usize {
        self.growing.graph.len()
    }
}
