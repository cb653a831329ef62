//! Explorations of programs whose initial values are inputs: one behind the other, for each choice of them that fits what is assumed.

use super::Algorithm;
use crate::budget::{Budget, Paused};
use crate::explore::{Counts, Explorer, Options, PendingRead, Step};
use crate::graph::{Coherence, Event, EventId, Execution};
use crate::model::{Model, Questions};
use crate::program::{Code, Value};
use std::sync::Arc;

/// The explorations of a program, in the order of its initial values.
pub(super) struct Starts {
    algorithm: Algorithm,
    model: Model,
    options: Options,
    code: Arc<Code>,
    /// The initial values by location, for each choice.
    choices: Arc<[Vec<Value>]>,
    /// How many were begun.
    begun: usize,
    /// What was counted in those before, their beginnings included.
    before: Counts,
    /// The one at hand; at the start one that is never gone on with.
    explorer: Box<dyn Explorer>,
    /// The last step began an exploration.
    is_start: bool,
    is_done: bool,
}

impl Starts {
    /// The explorations, before the first begins.
    pub(super) fn new(
        algorithm: Algorithm,
        code: Arc<Code>,
        choices: Vec<Vec<Value>>,
        model: Model,
        options: Options,
    ) -> Self {
        let explorer = algorithm.from(Arc::clone(&code), model, options);
        let choices = choices.into();
        let (begun, before) = (0, Counts::default());
        Self { algorithm, model, options, code, choices, begun, before, explorer, is_start: false, is_done: false }
    }

    fn begin(&mut self) -> Step {
        if self.begun > 0 {
            self.before.append(self.explorer.counts());
        }
        let stops = self.options.stop_at_first && self.before.is_any_wrong();
        let Some(choice) = self.choices.get(self.begun).filter(|_| !stops) else {
            (self.is_done, self.is_start) = (true, false);
            // What it counted is counted.
            self.begun = 0;
            return Step::Done;
        };
        let code = Arc::new(self.code.starting_with(choice.clone()));
        self.explorer = self.algorithm.from(code, self.model, self.options);
        self.begun += 1;
        self.is_start = true;
        self.before.steps += 1;
        Step::Start { number: self.begun as u64 }
    }
}

impl Explorer for Starts {
    fn advance_within(&mut self, budget: &mut Budget) -> Result<Step, Paused> {
        if self.is_done {
            return Ok(Step::Done);
        }
        if self.begun == 0 {
            return Ok(self.begin());
        }
        let step = self.explorer.advance_within(budget)?;
        self.is_start = false;
        Ok(match step {
            Step::Done => self.begin(),
            Step::Execution { number, kind } => Step::Execution { number: number + self.before.executions(), kind },
            Step::Repeated { number } => Step::Repeated { number: number + self.before.executions() },
            other => other,
        })
    }

    fn execution(&self) -> &Execution {
        self.explorer.execution()
    }

    fn coherence(&self) -> Option<&Coherence> {
        self.explorer.coherence()
    }

    fn cut(&self) -> &[Event] {
        if self.is_start { &[] } else { self.explorer.cut() }
    }

    fn prefix(&self) -> Vec<EventId> {
        if self.is_start { Vec::new() } else { self.explorer.prefix() }
    }

    fn registers(&self) -> Vec<&[Value]> {
        self.explorer.registers()
    }

    fn counts(&self) -> Counts {
        let mut counts = self.before;
        if self.begun > 0 {
            counts.append(self.explorer.counts());
        }
        counts
    }

    fn questions(&self) -> Questions {
        self.explorer.questions()
    }

    fn pending(&self) -> Vec<PendingRead> {
        self.explorer.pending()
    }

    fn level(&self) -> Option<usize> {
        self.explorer.level().filter(|_| !self.is_start)
    }

    fn gave_up(&self) -> bool {
        self.explorer.gave_up()
    }

    fn checkpoint(&self) -> Box<dyn Explorer> {
        Box::new(Self {
            algorithm: self.algorithm,
            model: self.model,
            options: self.options,
            code: Arc::clone(&self.code),
            choices: Arc::clone(&self.choices),
            begun: self.begun,
            before: self.before,
            explorer: self.explorer.checkpoint(),
            is_start: self.is_start,
            is_done: self.is_done,
        })
    }

    fn weight(&self) -> usize {
        self.explorer.weight()
    }
}
