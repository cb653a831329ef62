//! All minimal choices that are good, and why others are not.
//!
//! A choice is *good* if no execution of the program with it is bad ([`Goal`]). All minimal ones are found by implicit hitting sets: a
//! solver gives a minimal choice that has all that is known to be needed ([`Hitting`]); if it is bad, an execution shows that, and the choice is made as strong as it can be
//! with this execution still there: something beyond that is needed. A choice that is good is minimal then.
//!
//! That relies on models being *monotone*: of a program that is stronger, each execution is one of the weaker program, without the fences that were put in.
//! It holds for all models here: SC has nothing to change; what fences and locked operations do to the machines of TSO and PSO is to wait; in the
//! others, each axiom forbids cycles of relations that only grow with modes and fences. Tests hold it against programs by chance.
//!
//! Whether a known bad execution is still there is asked of the model alone, in the graph of the changed program. Only where none is, the changed program is
//! explored, whole: so each choice that is called good was explored.

use crate::costs::Costs;
use crate::goal::{Bad, Goal, Wanted};
use crate::hitting::Hitting;
use crate::replay::replay;
use crate::sites::{Aim, Choice, Subject};
use litmoscope_core::budget::{Budget, Decision, Paused};
use litmoscope_core::program::Code;
use litmoscope_explore::explore::Options;
use std::sync::Arc;

/// How many bad executions are collected at the start.
const COLLECTED: usize = 200;

/// What bounds a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Steps of one exploration.
    pub steps: u64,
    /// Choices that are found at most.
    pub found: usize,
    /// Sites that a program has at most.
    pub sites: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { steps: 5_000_000, found: 10_000, sites: 400 }
    }
}

/// A choice that is good, none weaker than which is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Minimal {
    /// The choice.
    pub choice: Choice,
    /// What it costs more than the base.
    pub cost: u64,
    /// A bound cut something: bad executions beyond it may be left.
    pub bounded: bool,
    /// Whether no weaker choice is good: not known of what was found on the way where exploring something was given up.
    pub is_minimal: bool,
}

impl Minimal {
    /// The sites that are changed, each with its level, in the order of the text.
    pub fn places(&self) -> Vec<(usize, u8)> {
        self.choice.iter().copied().enumerate().filter(|(_, level)| *level > 0).collect()
    }
}

/// What was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Programs that were explored.
    pub explored: u64,
    /// Executions seen in them.
    pub executions: u64,
    /// Questions to the model whether a known execution is still there.
    pub asked: u64,
    /// Bad executions that are known.
    pub bad: usize,
}

/// What became of the base, before anything is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// It is good as it is.
    Good {
        /// As far as a bound lets one see.
        bounded: bool,
    },
    /// It is bad.
    Bad,
    /// Exploring it was given up.
    Unknown,
}

/// A search, step by step.
pub struct Search {
    subject: Subject,
    goal: Goal,
    options: Options,
    bounds: Bounds,
    costs: Costs,
    base: Arc<Code>,
    hitting: Hitting,
    known: Vec<Bad>,
    knows_all: bool,
    phase: Phase,
    start: Option<Start>,
    found: Vec<Minimal>,
    /// A bad execution that stays whatever is strengthened.
    stays: Option<Bad>,
    /// A choice was neither good nor bad, so not all that is found is known to be minimal or all.
    open: bool,
    all: bool,
    effort: Effort,
}

enum Phase {
    Start,
    Strongest,
    Next,
    Done,
}

/// What is known of a choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// Nothing bad is there.
    Good {
        /// As far as a bound lets one see.
        bounded: bool,
    },
    /// An execution is bad: by its number among those known.
    Bad(usize),
    /// Exploring was given up.
    Unknown,
}

impl Search {
    /// A search before its first step. `None` if the program can't be compiled.
    pub fn new(subject: Subject, goal: Goal, options: Options, costs: Costs, bounds: Bounds) -> Option<Self> {
        let base = Code::compile(&subject.changed(&subject.base())).ok()?;
        let base = subject.model.prepare(Arc::new(base));
        let cost = |site: usize, level: usize| costs.of(&subject.sites[site], subject.sites[site].levels[level]);
        let hitting = Hitting::new(&subject.sites, cost);
        Some(Self {
            goal,
            options,
            bounds,
            base,
            hitting,
            known: Vec::new(),
            knows_all: false,
            phase: Phase::Start,
            start: None,
            found: Vec::new(),
            stays: None,
            open: false,
            all: false,
            effort: Effort::default(),
            subject,
            costs,
        })
    }

    /// What is changed.
    pub fn subject(&self) -> &Subject {
        &self.subject
    }

    /// What is not to happen.
    pub fn goal(&self) -> &Goal {
        &self.goal
    }

    /// How programs are explored.
    pub fn options(&self) -> Options {
        self.options
    }

    /// What changes cost.
    pub fn costs(&self) -> &Costs {
        &self.costs
    }

    /// What became of the base; `None` before that is known.
    pub fn start(&self) -> Option<Start> {
        self.start
    }

    /// What was found so far, in the order in which it was.
    pub fn found(&self) -> &[Minimal] {
        &self.found
    }

    /// An execution of the base that stays bad whatever is changed, if there is one.
    pub fn stays(&self) -> Option<&Bad> {
        self.stays.as_ref()
    }

    /// So many sites, and fewer, were all tried: what changes no more of them was found.
    pub fn tried(&self) -> usize {
        if self.all { self.subject.sites.len() } else { self.hitting.most().saturating_sub(1) }
    }

    /// Whether something was neither good nor bad.
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// Whether all that there is was found.
    pub fn is_whole(&self) -> bool {
        self.all && !self.open
    }

    /// The bad executions of the base that are known.
    pub fn known(&self) -> &[Bad] {
        &self.known
    }

    /// Whether these are all that the base has.
    pub fn knows_all(&self) -> bool {
        self.knows_all
    }

    /// What was done so far.
    pub fn effort(&self) -> Effort {
        Effort { bad: self.known.len(), ..self.effort }
    }

    /// Whether there is nothing left to do.
    pub fn is_over(&self) -> bool {
        matches!(self.phase, Phase::Done)
    }

    /// A known bad execution in the program with a choice, where exchanges are writes between fences; `None` if the threads can't take that way.
    fn changed(&self, bad: &Bad, choice: &[u8]) -> Option<Bad> {
        let code = Code::compile(&self.subject.fenced(choice)).ok()?;
        replay(&self.subject.model.prepare(Arc::new(code)), self.options.limits, bad)
    }

    /// Whether a known bad execution is there with a choice.
    fn stays_with(&mut self, at: usize, choice: &[u8]) -> Decision {
        self.effort.asked += 1;
        match self.changed(&self.known[at], choice) {
            Some(bad) => bad.happens(self.subject.model, self.options.limits.search),
            None => Decision::No,
        }
    }

    /// What is known of a choice.
    ///
    /// # Errors
    /// [`Paused`] if the budget says so.
    pub fn judge(&mut self, choice: &[u8], budget: &mut Budget) -> Result<Judgement, Paused> {
        let mut undecided = false;
        for at in (0..self.known.len()).rev() {
            budget.count(1)?;
            match self.stays_with(at, choice) {
                Decision::Yes => return Ok(Judgement::Bad(at)),
                Decision::No => {}
                Decision::Undecided => undecided = true,
            }
        }
        let wanted = Wanted { bad: 1, states: false, steps: self.bounds.steps };
        let program = self.subject.changed(choice);
        let explored = self.goal.explore(&program, self.subject.model, self.options, wanted, budget)?;
        self.effort.explored += 1;
        self.effort.executions += explored.executions;
        if let Some(bad) = explored.bad.into_iter().next() {
            let back = replay(&self.base, self.options.limits, &bad);
            return Ok(match back {
                Some(back) => {
                    self.known.push(back);
                    Judgement::Bad(self.known.len() - 1)
                }
                None => Judgement::Unknown,
            });
        }
        if explored.stopped || undecided {
            return Ok(Judgement::Unknown);
        }
        Ok(Judgement::Good { bounded: explored.bounded })
    }

    /// A choice with which a known execution is there, made as strong as it can be with it still there.
    fn grown(&mut self, at: usize, choice: &[u8], budget: &mut Budget) -> Result<Choice, Paused> {
        let mut grown = choice.to_vec();
        for site in 0..grown.len() {
            // Stronger levels first.
            for level in (1..self.subject.sites[site].levels.len() as u8).rev() {
                if level == grown[site] || !self.subject.sites[site].is_within(grown[site], level) {
                    continue;
                }
                budget.count(1)?;
                let before = std::mem::replace(&mut grown[site], level);
                if self.stays_with(at, &grown).is_yes() {
                    break;
                }
                grown[site] = before;
            }
        }
        Ok(grown)
    }

    /// Does a part of the work; whether there is more to do.
    ///
    /// # Errors
    /// [`Paused`] if the budget says so. What was found stays, and one may go on.
    pub fn advance(&mut self, budget: &mut Budget) -> Result<bool, Paused> {
        match self.phase {
            Phase::Start => {
                let wanted = Wanted { bad: COLLECTED, states: false, steps: self.bounds.steps };
                let base = self.subject.changed(&self.subject.base());
                let explored = self.goal.explore(&base, self.subject.model, self.options, wanted, budget)?;
                self.effort.explored += 1;
                self.effort.executions += explored.executions;
                let start = match (explored.bad.is_empty(), explored.stopped) {
                    (false, _) => Start::Bad,
                    (true, false) => Start::Good { bounded: explored.bounded },
                    (true, true) => Start::Unknown,
                };
                self.known = explored.bad;
                self.knows_all = !explored.stopped && !explored.bounded;
                self.start = Some(start);
                if let (Start::Good { bounded }, Aim::Weaken, false) =
                    (start, self.subject.aim, self.subject.sites.is_empty())
                {
                    self.found.push(Minimal { choice: self.subject.base(), cost: 0, bounded, is_minimal: true });
                    self.all = true;
                }
                self.phase = if start == Start::Bad { Phase::Strongest } else { Phase::Done };
            }
            Phase::Strongest => {
                let strongest = self.subject.strongest();
                match self.judge(&strongest, budget)? {
                    Judgement::Bad(at) => {
                        self.stays = self.known.get(at).cloned();
                        (self.all, self.phase) = (true, Phase::Done);
                    }
                    Judgement::Good { .. } => self.phase = Phase::Next,
                    Judgement::Unknown => (self.open, self.phase) = (true, Phase::Next),
                }
            }
            Phase::Next => {
                let Some(choice) = self.hitting.next(budget)? else {
                    (self.all, self.phase) = (true, Phase::Done);
                    return Ok(false);
                };
                match self.judge(&choice, budget)? {
                    Judgement::Bad(at) => {
                        let stays = self.stays_with(at, &choice).is_yes();
                        let grown = if stays { self.grown(at, &choice, budget)? } else { choice };
                        self.hitting.need_beyond(&grown);
                    }
                    Judgement::Good { bounded } => {
                        self.hitting.block(&choice);
                        let cost = self.costs.of_choice(&self.subject.sites, &choice);
                        self.found.push(Minimal { choice, cost, bounded, is_minimal: !self.open });
                        if self.found.len() >= self.bounds.found {
                            self.phase = Phase::Done;
                        }
                    }
                    Judgement::Unknown => {
                        self.open = true;
                        self.hitting.need_beyond(&choice);
                    }
                }
            }
            Phase::Done => {}
        }
        Ok(!self.is_over())
    }
}
