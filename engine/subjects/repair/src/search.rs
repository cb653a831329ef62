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
//!
//! Choices are judged a few at a time ([`Bounds::ahead`]), each on a thread if there is one: while one is judged, the next ones are those that it is not within.
//! Such a choice has all that is known to be needed, so it is minimal if it is good, whatever becomes of the first. What is found does not depend on the number of threads.

use crate::costs::Costs;
use crate::goal::{Bad, Goal, Wanted};
use crate::hitting::Hitting;
use crate::replay::replay;
use crate::sites::{Aim, Choice, Subject};
use litmoscope_core::budget::{Budget, Decision, Paused};
use litmoscope_core::program::Code;
use litmoscope_explore::explore::Options;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread::{self, Builder};

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
    /// Choices that are judged at a time; 1 at least.
    pub ahead: usize,
    /// Threads that judge them; 1 at least.
    pub threads: usize,
}

impl Bounds {
    /// How many choices to judge at a time where there may be threads for them.
    pub const AHEAD: usize = 8;
}

impl Default for Bounds {
    fn default() -> Self {
        Self { steps: 5_000_000, found: 10_000, sites: 400, ahead: 1, threads: 1 }
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

/// What judges choices. It changes nothing, so several can be judged at once.
struct Asking<'s> {
    subject: &'s Subject,
    goal: &'s Goal,
    options: Options,
    steps: u64,
    base: &'s Code,
    known: &'s [Bad],
}

/// What a choice is found to be.
enum Answer {
    Good {
        bounded: bool,
    },
    /// This execution is there: by its number among those known.
    Known(usize),
    /// So is this one, as the base has it.
    New(Bad),
    Unknown,
}

impl Asking<'_> {
    /// A known bad execution in the program with a choice, where exchanges are writes between fences; `None` if the threads can't take that way.
    fn changed(&self, bad: &Bad, choice: &[u8]) -> Option<Bad> {
        let code = Code::compile(&self.subject.fenced(choice)).ok()?;
        replay(&self.subject.model.prepare(Arc::new(code)), self.options.limits, bad)
    }

    fn stays_with(&self, bad: &Bad, choice: &[u8]) -> Decision {
        match self.changed(bad, choice) {
            Some(bad) => bad.happens(self.subject.model, self.options.limits.search),
            None => Decision::No,
        }
    }

    fn judge(&self, choice: &[u8], budget: &mut Budget) -> Result<(Answer, Effort), Paused> {
        let mut effort = Effort::default();
        let mut undecided = false;
        for (at, bad) in self.known.iter().enumerate().rev() {
            budget.count(1)?;
            effort.asked += 1;
            match self.stays_with(bad, choice) {
                Decision::Yes => return Ok((Answer::Known(at), effort)),
                Decision::No => {}
                Decision::Undecided => undecided = true,
            }
        }
        let wanted = Wanted { bad: 1, states: false, steps: self.steps };
        let program = self.subject.changed(choice);
        let explored = self.goal.explore(&program, self.subject.model, self.options, wanted, budget)?;
        (effort.explored, effort.executions) = (1, explored.executions);
        let answer = if let Some(bad) = explored.bad.into_iter().next() {
            replay(self.base, self.options.limits, &bad).map_or(Answer::Unknown, Answer::New)
        } else if explored.stopped || undecided {
            Answer::Unknown
        } else {
            Answer::Good { bounded: explored.bounded }
        };
        Ok((answer, effort))
    }
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

    fn asking(&self) -> Asking<'_> {
        let Self { subject, goal, options, bounds, base, known, .. } = self;
        Asking { subject, goal, options: *options, steps: bounds.steps, base, known }
    }

    /// Whether a known bad execution is there with a choice.
    fn stays_with(&mut self, at: usize, choice: &[u8]) -> Decision {
        self.effort.asked += 1;
        self.asking().stays_with(&self.known[at], choice)
    }

    /// Takes in what a choice was found to be.
    fn take(&mut self, (answer, effort): (Answer, Effort)) -> Judgement {
        self.effort.explored += effort.explored;
        self.effort.executions += effort.executions;
        self.effort.asked += effort.asked;
        match answer {
            Answer::Good { bounded } => Judgement::Good { bounded },
            Answer::Known(at) => Judgement::Bad(at),
            Answer::New(bad) => {
                // Another choice may have shown it meanwhile.
                let at = self.known.iter().position(|known| *known == bad).unwrap_or_else(|| {
                    self.known.push(bad);
                    self.known.len() - 1
                });
                Judgement::Bad(at)
            }
            Answer::Unknown => Judgement::Unknown,
        }
    }

    /// What is known of a choice.
    ///
    /// # Errors
    /// [`Paused`] if the budget says so.
    pub fn judge(&mut self, choice: &[u8], budget: &mut Budget) -> Result<Judgement, Paused> {
        let answer = self.asking().judge(choice, budget)?;
        Ok(self.take(answer))
    }

    /// Judges choices, on as many threads as there are, which share nothing.
    fn judge_all(&self, choices: &[Choice], budget: &mut Budget) -> Result<Vec<(Answer, Effort)>, Paused> {
        let asking = self.asking();
        let share = choices.len().div_ceil(self.bounds.threads.max(1)).max(1);
        let judge_some = |choices: &[Choice], budget: &mut Budget| -> Result<Vec<(Answer, Effort)>, Paused> {
            choices.iter().map(|choice| asking.judge(choice, budget)).collect()
        };
        if share >= choices.len() {
            return judge_some(choices, budget);
        }
        let (own, others) = choices.split_at(share);
        thread::scope(|scope| {
            let others: Vec<_> = others
                .chunks(share)
                .map(|choices| {
                    let mut budget = budget.clone();
                    let judge_some = &judge_some;
                    let other = Builder::new().spawn_scoped(scope, move || judge_some(choices, &mut budget));
                    (choices, other)
                })
                .collect();
            let mut all = judge_some(own, budget)?;
            for (choices, other) in others {
                all.extend(match other {
                    Ok(other) => other.join().unwrap_or_else(|panic| resume_unwind(panic))?,
                    // The system has no thread for it.
                    Err(_) => judge_some(choices, budget)?,
                });
            }
            Ok(all)
        })
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
                let choices = self.hitting.next_few(self.bounds.ahead.max(1), budget)?;
                if choices.is_empty() {
                    (self.all, self.phase) = (true, Phase::Done);
                    return Ok(false);
                }
                let answers = self.judge_all(&choices, budget)?;
                for (choice, answer) in choices.into_iter().zip(answers) {
                    match self.take(answer) {
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
                                break;
                            }
                        }
                        Judgement::Unknown => {
                            self.open = true;
                            self.hitting.need_beyond(&choice);
                        }
                    }
                }
            }
            Phase::Done => {}
        }
        Ok(!self.is_over())
    }
}
