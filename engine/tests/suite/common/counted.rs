//! Explorations whose work is counted, whether it counts for the result or is thrown away.

use litmoscope::budget::{Budget, Paused};
use litmoscope::explore::{Counts, Findings, Pause, Probe, Walk, Work};
use litmoscope::run::{Exploration, Interruption};
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicU64, Ordering};

/// An exploration, and how many steps walks through it have performed.
pub struct Counted {
    pub exploration: Box<dyn Exploration + Send>,
    steps: AtomicU64,
    /// After how many of them walks panic.
    end: AtomicU64,
}

impl Counted {
    pub fn new(exploration: impl Exploration + Send + 'static) -> Self {
        Self { exploration: Box::new(exploration), steps: AtomicU64::new(0), end: AtomicU64::new(u64::MAX) }
    }

    /// Has walks panic after so many steps more; never, if that is `None`.
    pub fn break_after(&self, steps: Option<u64>) {
        self.end.store(steps.map_or(u64::MAX, |steps| self.steps() + steps), Ordering::Relaxed);
    }

    pub fn steps(&self) -> u64 {
        self.steps.load(Ordering::Relaxed)
    }

    /// What a walk that is never cut finds.
    pub fn whole(&self) -> Findings {
        let mut walk = self.exploration.walk(&Work::default()).expect("the whole is a part");
        while walk.run(1000) == Pause::Steps {}
        walk.take_findings()
    }
}

/// What one walk finds up to its n-th execution, step by step; and what is said if it looks so many steps further.
pub fn first_executions(exploration: &dyn Exploration, most: u64, look: u64) -> (Findings, Option<Interruption>) {
    let mut walk = exploration.walk(&Work::default()).expect("the whole is a part");
    let mut found = exploration.nothing();
    while walk.counts().executions() < most {
        if walk.run(1) != Pause::Steps {
            return (walk.take_findings(), None);
        }
    }
    found.append(walk.take_findings());
    loop {
        let over = walk.run(1) != Pause::Steps || walk.work().is_none();
        let counts = walk.counts();
        let within = counts.steps <= look;
        if counts.executions() == 0 && over && within {
            found.append(walk.take_findings());
            return (found, None);
        }
        if counts.executions() > 0 && within {
            return (found, Some(Interruption::MaxExecutions));
        }
        if over || counts.steps >= look {
            return (found, Some(Interruption::PerhapsMore));
        }
    }
}

impl Exploration for Counted {
    fn nothing(&self) -> Findings {
        self.exploration.nothing()
    }

    fn walk_within(&self, work: &Work, budget: &mut Budget) -> Result<Option<Box<dyn Walk + '_>>, Paused> {
        let walk = self.exploration.walk_within(work, budget)?;
        Ok(walk.map(|walk| Box::new(CountedWalk { walk, counted: self }) as Box<dyn Walk>))
    }
}

struct CountedWalk<'a> {
    walk: Box<dyn Walk + 'a>,
    counted: &'a Counted,
}

impl Walk for CountedWalk<'_> {
    fn run_within(&mut self, steps: u64, executions: u64, budget: &mut Budget) -> Pause {
        if self.counted.steps() >= self.counted.end.load(Ordering::Relaxed) {
            // Without a word on standard error, which tests that want it would fill.
            resume_unwind(Box::new("a walk breaks"));
        }
        let before = self.walk.counts().steps;
        let pause = self.walk.run_within(steps, executions, budget);
        self.counted.steps.fetch_add(self.walk.counts().steps - before, Ordering::Relaxed);
        pause
    }

    fn split(&mut self) -> Option<Work> {
        self.walk.split()
    }

    fn work(&self) -> Option<Work> {
        self.walk.work()
    }

    fn take_findings(&mut self) -> Findings {
        self.walk.take_findings()
    }

    fn counts(&self) -> Counts {
        self.walk.counts()
    }

    fn probe(&mut self, choose: &mut dyn FnMut(u32) -> u32, budget: &mut Budget) -> Result<Probe, Paused> {
        self.walk.probe(choose, budget)
    }
}
