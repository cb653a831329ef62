//! Questions about graphs that take a search: asked once each, however often a step has to be begun anew.
//!
//! A step that is paused within a search is taken back and performed again later. It asks the same questions in the same
//! order then; those that were answered are answered from here, and the search that was paused goes on.

use super::super::graph::Slot;
use super::super::switches::Fitting;
use super::orders::{Finals, Solving};
use crate::budget::{Budget, Decision, Halt, Meter, Paused, decided};
use crate::model::{Inquiry, Questions, Stage};

/// The state of a search that can be paused.
pub(in super::super) trait Pausable: Sized {
    fn aside(self) -> Search;
    fn taken_up(search: Search) -> Option<Self>;
}

// What is searched for.
macro_rules! searches {
    ($($state:ident),*) => {
        /// A search that was paused.
        #[derive(Clone, Debug)]
        pub(in super::super) enum Search {
            $($state($state)),*
        }

        $(impl Pausable for $state {
            fn aside(self) -> Search {
                Search::$state(self)
            }

            fn taken_up(search: Search) -> Option<Self> {
                if let Search::$state(state) = search { Some(state) } else { None }
            }
        })*
    };
}

searches!(Solving, Finals, Inquiry, Fitting);

/// Who is asked.
#[derive(Clone, Debug)]
pub(in super::super) struct Inquiries {
    pub budget: Budget,
    /// Units that the search for one answer may spend.
    pub limit: u64,
    /// What decided the questions that were asked.
    pub questions: Questions,
    /// How many questions the step has asked.
    asked: usize,
    /// The step was begun anew: its answers are noted.
    again: bool,
    answers: Vec<Decision>,
    /// The run that the last answer found, and those of the answers that are noted, by question.
    pub(super) run: Option<Vec<Slot>>,
    runs: Vec<(usize, Vec<Slot>)>,
    /// Searches that were paused: for the answer to which question, how much they have spent, and where they are.
    paused: Vec<(usize, u64, Search)>,
}

impl Inquiries {
    pub(crate) fn new(limit: u64) -> Self {
        let budget = Budget::unlimited();
        Self {
            budget,
            limit,
            questions: Questions::default(),
            asked: 0,
            again: false,
            answers: Vec::new(),
            run: None,
            runs: Vec::new(),
            paused: Vec::new(),
        }
    }

    /// The step is done.
    #[inline(always)]
    pub(crate) fn close(&mut self) {
        self.asked = 0;
        if self.again {
            self.again = false;
            self.answers.clear();
            self.runs.clear();
            self.paused.clear();
        }
    }

    /// The step is to be begun anew.
    pub(crate) fn reopen(&mut self) {
        self.asked = 0;
        self.again = true;
    }

    /// The answer to the next question, if it was given before.
    #[inline(always)]
    pub(crate) fn known(&mut self) -> Option<Decision> {
        if !self.again {
            return None;
        }
        let known = self.answers.get(self.asked).copied();
        self.run = self.runs.iter().find(|(asked, _)| *asked == self.asked).map(|(_, run)| run.clone());
        self.asked += usize::from(known.is_some());
        known
    }

    /// Notes the answer to the next question.
    #[inline(always)]
    pub(super) fn answer(&mut self, decision: Decision) -> Decision {
        self.asked += 1;
        if self.again {
            self.answers.push(decision);
        }
        decision
    }

    /// An answer that is found at once, so that nobody has to note it.
    #[inline(always)]
    pub(super) fn at_once(&mut self, answer: impl Into<Decision>, stage: Stage) -> Decision {
        self.questions.count(stage);
        answer.into()
    }

    /// Notes that the next question is about a graph that no model allows.
    pub(super) fn refuse(&mut self) -> Decision {
        self.questions.count(Stage::Shape);
        self.answer(Decision::No)
    }

    /// Notes the run that the last answer found.
    pub(super) fn note_run(&mut self, run: Option<Vec<Slot>>) {
        if let (true, Some(run)) = (self.again, &run) {
            self.runs.push((self.asked - 1, run.clone()));
        }
        self.run = run;
    }

    /// The search for the answer to the next question, if it was paused, and how much it has spent.
    fn resume<S: Pausable>(&mut self) -> Option<(u64, S)> {
        if !self.again {
            return None;
        }
        let at = self.paused.iter().position(|(asked, ..)| *asked == self.asked)?;
        let (_, spent, search) = self.paused.swap_remove(at);
        Some((spent, S::taken_up(search)?))
    }

    /// Puts the search for the answer to the next question aside.
    fn pause(&mut self, spent: u64, search: impl Pausable) {
        self.paused.push((self.asked, spent, search.aside()));
    }

    /// Begins the search for the answer to the next question, or goes on with it, within its limit.
    pub(crate) fn search<S: Pausable>(
        &mut self,
        start: impl FnOnce() -> S,
        go_on: impl FnOnce(&mut S, &mut Meter<'_>) -> Result<bool, Halt>,
    ) -> Result<(S, Decision), Paused> {
        let (spent, mut search) = self.resume().unwrap_or_else(|| (0, start()));
        let mut meter = Meter::new(self.limit, spent, &mut self.budget);
        let before = meter.left();
        let answer = go_on(&mut search, &mut meter);
        let spent = spent + before - meter.left();
        match decided(answer) {
            Ok(decision) => Ok((search, self.answer(decision))),
            Err(Paused) => {
                self.pause(spent, search);
                Err(Paused)
            }
        }
    }

    /// Asks what the model knows, which keeps where it is, and the limit, itself. The answer is not noted yet.
    pub(crate) fn inquire<R>(
        &mut self,
        ask: impl FnOnce(&mut Inquiry, u64, &mut Budget) -> Result<R, Paused>,
    ) -> Result<(R, Inquiry), Paused> {
        let (_, mut inquiry) = self.resume().unwrap_or_default();
        match ask(&mut inquiry, self.limit, &mut self.budget) {
            Ok(answer) => Ok((answer, inquiry)),
            Err(Paused) => {
                self.pause(0, inquiry);
                Err(Paused)
            }
        }
    }

    /// Asks the model a question that is answered with yes or no.
    pub(crate) fn decide(
        &mut self,
        ask: impl FnOnce(&mut Inquiry, u64, &mut Budget) -> Result<Decision, Paused>,
    ) -> Result<(Decision, Inquiry), Paused> {
        let (decision, inquiry) = self.inquire(ask)?;
        Ok((self.answer(decision), inquiry))
    }
}
