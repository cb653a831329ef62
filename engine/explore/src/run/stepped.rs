//! Walks that can't be cut into parts: of explorers that go step by step, and whole ones.
//!
//! As one part ([`Stepped`], or [`Undivided`] where an explorer that can't be cut has a walk all the same), they have the same
//! bounds, progress and reports as all others.

use super::Exploration;
use crate::budget::{Budget, Paused};
use crate::explore::{Counts, Effort, Explorer, Findings, Moment, Observation, Pause, Probe, Step, Walk, Work};
use crate::model::{Inquiry, Model, Questions};
use crate::program::{Code, Limits, Program, Quantifier};
use std::sync::{Mutex, PoisonError};

/// Called with the explorer after each step.
type Listener<'a> = Box<dyn FnMut(&dyn Explorer, Step) + Send + 'a>;

/// The whole exploration of an explorer, as a single part.
pub struct Stepped<'a> {
    program: &'a Program,
    code: &'a Code,
    model: Model,
    /// How much work the search for final states may be, and how large their table.
    limits: Limits,
    /// Whoever asks for the walk first gets it.
    start: Mutex<Option<(Box<dyn Explorer>, Listener<'a>)>>,
}

impl<'a> Stepped<'a> {
    /// The exploration of an explorer at its start. The limits say how many units of work the search for the final states of one
    /// execution may take, and how large the table of them may be.
    pub fn new(
        program: &'a Program,
        code: &'a Code,
        model: Model,
        limits: Limits,
        explorer: Box<dyn Explorer>,
        listener: impl FnMut(&dyn Explorer, Step) + Send + 'a,
    ) -> Self {
        Self { program, code, model, limits, start: Mutex::new(Some((explorer, Box::new(listener)))) }
    }
}

impl Exploration for Stepped<'_> {
    fn nothing(&self) -> Findings {
        Findings::within(self.program, self.limits)
    }

    fn walk_within(&self, work: &Work, _budget: &mut Budget) -> Result<Option<Box<dyn Walk + '_>>, Paused> {
        if *work != Work::default() {
            return Ok(None);
        }
        let start = self.start.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some((explorer, listener)) = start else { return Ok(None) };
        Ok(Some(Box::new(SteppedWalk {
            program: self.program,
            code: self.code,
            model: self.model,
            explorer,
            listener,
            found: self.nothing(),
            taken: Counts::default(),
            asked: Questions::default(),
            noted: Counts::default(),
            limits: self.limits,
            inquiry: Inquiry::default(),
            unobserved: None,
            done: false,
        })))
    }
}

/// The whole exploration of a walk that can't be cut, as a single part.
pub struct Undivided<'a> {
    program: &'a Program,
    limits: Limits,
    /// Whoever asks for the walk first gets it.
    walk: Mutex<Option<Box<dyn Walk>>>,
}

impl<'a> Undivided<'a> {
    /// The exploration of a walk at its start.
    pub fn new(program: &'a Program, limits: Limits, walk: Box<dyn Walk>) -> Self {
        Self { program, limits, walk: Mutex::new(Some(walk)) }
    }
}

impl Exploration for Undivided<'_> {
    fn nothing(&self) -> Findings {
        Findings::within(self.program, self.limits)
    }

    fn walk_within(&self, work: &Work, _budget: &mut Budget) -> Result<Option<Box<dyn Walk + '_>>, Paused> {
        if *work != Work::default() {
            return Ok(None);
        }
        Ok(self.walk.lock().unwrap_or_else(PoisonError::into_inner).take().map(|walk| walk as Box<dyn Walk>))
    }
}

struct SteppedWalk<'a> {
    program: &'a Program,
    code: &'a Code,
    model: Model,
    explorer: Box<dyn Explorer>,
    listener: Listener<'a>,
    /// What was found since the last time that it was taken, but for the counts.
    found: Findings,
    /// The counts at that time.
    taken: Counts,
    /// What had been asked at that time.
    asked: Questions,
    /// The counts behind the last step that was noted.
    noted: Counts,
    /// How much work the search for final states may be, and how large their table.
    limits: Limits,
    /// That search, where it was paused.
    inquiry: Inquiry,
    /// A step of which that is so, and which is yet to be noted.
    unobserved: Option<Step>,
    done: bool,
}

impl SteppedWalk<'_> {
    fn observe(&mut self, step: Step, budget: &mut Budget) -> Result<(), Paused> {
        let explorer = &*self.explorer;
        let found = &mut self.found;
        let effort = Effort { limit: self.limits.search, inquiry: &mut self.inquiry, budget };
        let observed = found.results.observe_within(self.program, self.code, self.model, explorer, step, effort);
        let Observation { execution, violation } = observed?;
        if !execution && !violation {
            return Ok(());
        }
        let moment = || Moment {
            position: explorer.counts().steps,
            step,
            graph: explorer.execution().clone(),
            co: explorer.coherence().cloned(),
        };
        // A witness that `exists` asks for is nothing wrong.
        let asks_for_witness = self.program.condition.as_ref().is_some_and(|c| c.quantifier == Quantifier::Exists);
        let is_blocked = matches!(step, Step::Execution { kind, .. } if kind.is_blocked());
        let decisive =
            if execution && !is_blocked && asks_for_witness { &mut found.witness } else { &mut found.violation };
        if violation && decisive.is_none() {
            *decisive = Some(moment());
        }
        let better = |first: &Moment| first.is_blocked() && !is_blocked;
        if execution && found.first.as_ref().is_none_or(better) {
            found.first = Some(moment());
        }
        Ok(())
    }
}

impl Walk for SteppedWalk<'_> {
    fn run_within(&mut self, steps: u64, executions: u64, budget: &mut Budget) -> Pause {
        let executions = self.noted.executions().saturating_add(executions);
        for _ in 0..steps {
            let step = match self.unobserved.take() {
                Some(step) => Ok(step),
                None => self.explorer.advance_within(budget),
            };
            let Ok(step) = step else { return Pause::Steps };
            if step == Step::Done {
                self.done = true;
                self.noted = self.explorer.counts();
                return Pause::Exhausted;
            }
            if self.observe(step, budget).is_err() {
                self.unobserved = Some(step);
                return Pause::Steps;
            }
            self.noted = self.explorer.counts();
            (self.listener)(&*self.explorer, step);
            if self.explorer.counts().executions() >= executions {
                break;
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
        let mut found = std::mem::replace(&mut self.found, Findings::within(self.program, self.limits));
        let before = self.taken;
        found.counts = self.counts();
        let asked = self.explorer.questions();
        found.questions = asked.since(&self.asked);
        self.asked = asked;
        self.taken = self.noted;
        found.results.rebase(before.steps);
        for moment in [&mut found.first, &mut found.violation, &mut found.witness].into_iter().flatten() {
            moment.position -= before.steps;
            if let Step::Execution { number, .. } = &mut moment.step {
                *number -= before.executions();
            }
        }
        found
    }

    fn counts(&self) -> Counts {
        self.noted.since(self.taken)
    }

    /// Goes nowhere.
    fn probe(&mut self, _choose: &mut dyn FnMut(u32) -> u32, _budget: &mut Budget) -> Result<Probe, Paused> {
        Ok(Probe::default())
    }
}
