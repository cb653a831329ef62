//! What is said of a run at its end, in which nothing can go on: who waits, what is wrong, and of what kind it is.

use super::Run;
use crate::budget::{Budget, Decision};
use crate::explore::stuck::Whole;
use crate::explore::tally;
use crate::explore::{Counts, ExecutionKind, Options, Step};
use crate::model::{Inquiry, Model};
use crate::program::Location;

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// The threads that wait are named, from this one on.
    Wait(u16),
    /// Error events are reported, from this one on.
    Errors(usize),
    Fault,
    Execution,
}

/// The end of a run.
#[derive(Clone, Debug)]
pub(in crate::explore) struct Ending {
    model: Model,
    options: Options,
    part: Part,
    /// The threads that wait at the end of the run.
    pub waiting: Vec<u16>,
    /// How many events were looked at for errors.
    reported: usize,
    /// Something may have no initial value.
    uninitialised: bool,
    /// The whole run reads what nobody wrote.
    wrong: bool,
    /// The exploration ends here because something is wrong.
    pub stopped: bool,
}

impl Ending {
    /// No run was over yet.
    pub(crate) fn new(run: &Run, model: Model, options: Options) -> Self {
        let code = &run.code;
        let uninitialised = (0..code.initial.len() as u32).any(|location| code.is_uninitialised(Location(location)));
        Self {
            model,
            options,
            part: Part::Wait(0),
            waiting: Vec::new(),
            reported: 0,
            uninitialised,
            wrong: false,
            stopped: false,
        }
    }

    /// The next step of a run that is over; [`Step::Execution`] is the last one, which is counted.
    pub(crate) fn advance(&mut self, run: &Run, counts: &mut Counts) -> Step {
        loop {
            match self.part {
                Part::Wait(from) => {
                    let waits = (from..run.code.threads.len() as u16).find(|&thread| run.waiting(thread).is_some());
                    let Some(thread) = waits else {
                        self.part = Part::Errors(self.reported);
                        continue;
                    };
                    self.waiting.push(thread);
                    self.part = Part::Wait(thread + 1);
                    return Step::Block { read: run.next_key(thread) };
                }
                Part::Errors(from) => {
                    self.reported = run.events.len();
                    let Some(error) = (from..run.events.len()).find(|&e| run.is_error(e)) else {
                        self.part = Part::Fault;
                        continue;
                    };
                    self.part = Part::Errors(error + 1);
                    return Step::Error { event: run.key(error) };
                }
                Part::Fault => {
                    self.part = Part::Execution;
                    if self.uninitialised {
                        let (graph, _) = run.execution(&self.waiting);
                        let step = tally::fault(&run.code, self.model, self.options, &graph);
                        self.wrong = step.is_some();
                        if let Some(step) = step {
                            return step;
                        }
                    }
                }
                Part::Execution => return self.execution(run, counts),
            }
        }
    }

    fn execution(&mut self, run: &Run, counts: &mut Counts) -> Step {
        self.part = Part::Wait(0);
        let ends = run.ends;
        let wrong = std::mem::take(&mut self.wrong) || ends.errors > 0;
        let kind = if wrong {
            ExecutionKind::Erroneous
        } else if ends.bounds > 0 || ends.stuck > 0 {
            ExecutionKind::Blocked
        } else if ends.spins > 0 {
            if self.is_stuck(run) { ExecutionKind::StuckForGood } else { ExecutionKind::Blocked }
        } else if self.waiting.is_empty() {
            ExecutionKind::Complete
        } else {
            ExecutionKind::StuckForGood
        };
        counts.add(kind, ends.bounds > 0);
        self.stopped = self.options.stop_at_first && kind.is_wrong();
        Step::Execution { number: counts.executions(), kind }
    }

    /// Whether a run in which some thread waits in a loop is stuck for good.
    fn is_stuck(&self, run: &Run) -> bool {
        if !self.options.stuck_loops || !run.waits_with_last_values() {
            return false;
        }
        let (graph, co) = run.execution(&self.waiting);
        let whole = Whole { code: &run.code, model: self.model, options: &self.options, graph: &graph, co: Some(&co) };
        // With a co, nothing is searched for.
        let decision = whole.is_stuck(&mut Inquiry::default(), &mut Budget::unlimited());
        decision.is_ok_and(Decision::is_yes)
    }

    /// The run goes on behind so many of its events.
    pub(crate) fn cut(&mut self, len: usize) {
        self.waiting.clear();
        self.reported = self.reported.min(len);
    }
}
