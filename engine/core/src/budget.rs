//! Work that comes back before its end: how much a search may do, and when somebody wants it to stop.
//!
//! Whoever wants a step of an exploration passes a [`Budget`]. Searches within the step ask it again and again whether to
//! go on; if not, they keep what they know, the step comes back as [`Paused`], and the next call goes on where it was. So
//! a step may take long, but to stop takes a moment.
//!
//! Independently of that, each search for the answer to one question has a limit
//! ([`Limits::search`](crate::program::Limits::search)). Beyond it, the question is [`Decision::Undecided`], which results
//! tell.
//!
//! Work is counted in units, each of some nanoseconds. What is charged to a limit depends neither on the machine nor on
//! pauses, so a limit cuts the same everywhere.
//!
//! # What is promised
//!
//! - **A search can be put aside.** The searches of `model/coherence.rs`, `model/stages/machine.rs`, `consistency/` and, in
//!   `litmoscope-explore`, of `trust/consistency/orders.rs` and `trust/switches.rs` are stacks without recursion, asked between two states
//!   or rules. Brute force, which is to stay simple, goes again through the orders that it has tried, without trying them.
//! - **A step that is paused is taken back.** Explorers ask before they change anything, or undo it; nobody sees that they were
//!   paused. TruSt, whose steps ask several questions, keeps the answers (`trust/consistency/inquiries.rs`) while it performs the step
//!   again. As a walk it goes back further, to the last place that a `Work` can name, so that a checkpoint can be written at any
//!   moment. What it has shown since then it does not show twice, and whoever takes its findings gets only what lies in front of
//!   that place.
//! - **A search has a limit**, about a second, with a word of memory for each eight units. An undecided graph or revisit is
//!   left, and counted (`Counts::undecided`, `Results::unlisted` for final states). No result is complete then, and it says so;
//!   a comparison calls an outcome unknown. An undecided revisit is left rather than made, since an execution might be found
//!   twice. Links lead to the same steps everywhere, and are made with the usual limit.
//! - **The page** lets a session search for some milliseconds between two looks at its messages (`Session::be_patient`).
//!   Drawings ask for a co within a limit of their own, without going on
//!   ([`Model::consistency_for_view`](crate::model::Model::consistency_for_view)).
//!
//! What is done in one go, and so bounds how soon a step is stopped, is posing the problem of one graph, without matrices. A
//! comparison asks about each candidate at once, within the limit of a search; on the page, to stop it ends its worker.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Somebody wants work to stop, from another thread perhaps.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Tells everybody who has a copy.
    pub fn tell(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was told.
    pub fn is_told(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Work came back before its end. What was known is kept; to call again goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paused;

/// The answer to a question about a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Yes.
    Yes,
    /// No.
    No,
    /// The search for an answer was given up at its limit.
    Undecided,
}

impl Decision {
    /// Whether the answer is known to be yes.
    pub fn is_yes(self) -> bool {
        self == Self::Yes
    }
}

impl From<bool> for Decision {
    fn from(yes: bool) -> Self {
        if yes { Self::Yes } else { Self::No }
    }
}

/// After how many units somebody who wants to stop is noticed: less than a millisecond.
pub const LOOK: u64 = 1 << 14;

/// Units of work that searches take between two looks at what else there is to do: some milliseconds.
pub const PATIENCE: u64 = 1 << 20;

/// How much may be done before coming back.
#[derive(Clone, Debug)]
pub struct Budget {
    /// Units that searches may still spend.
    left: u64,
    spent: u64,
    /// When the following are to be looked at next.
    look: u64,
    /// Units after which everything pauses.
    cap: u64,
    stop: Option<Stop>,
    deadline: Option<Instant>,
}

impl Default for Budget {
    fn default() -> Self {
        Self::unlimited()
    }
}

impl Budget {
    /// Comes back at the end only.
    pub const fn unlimited() -> Self {
        Self { left: u64::MAX, spent: 0, look: u64::MAX, cap: u64::MAX, stop: None, deadline: None }
    }

    /// Searches pause once they have spent so many units.
    pub fn of(units: u64) -> Self {
        Self { left: units, ..Self::unlimited() }
    }

    /// Everything pauses when it is told to.
    pub fn until(stop: Stop) -> Self {
        Self { look: 0, stop: Some(stop), ..Self::unlimited() }
    }

    /// Everything pauses from a moment on. Not in a browser, which has no such clock.
    pub fn before(deadline: Instant) -> Self {
        Self { look: 0, deadline: Some(deadline), ..Self::unlimited() }
    }

    /// Everything pauses, too, from a moment on. Not in a browser, which has no such clock.
    #[must_use]
    pub fn and_before(self, deadline: Instant) -> Self {
        let deadline = self.deadline.map_or(deadline, |earlier| earlier.min(deadline));
        Self { look: 0, deadline: Some(deadline), ..self }
    }

    /// Everything pauses, too, once so many units were spent and counted: a clock that is the same on every machine.
    #[must_use]
    pub fn capped(self, units: u64) -> Self {
        let look = if units == u64::MAX { self.look } else { self.look.min(units) };
        Self { cap: units, look, ..self }
    }

    /// How many units were spent and counted.
    pub const fn spent(&self) -> u64 {
        self.spent
    }

    /// Counts work that can't be interrupted without losing it.
    ///
    /// # Errors
    /// [`Paused`] if somebody wants to stop.
    #[inline(always)]
    pub fn count(&mut self, units: u64) -> Result<(), Paused> {
        self.spent = self.spent.saturating_add(units);
        if self.spent < self.look { Ok(()) } else { self.ask() }
    }

    /// Counts work of a search that is kept when the search pauses.
    ///
    /// # Errors
    /// [`Paused`] if somebody wants to stop, or nothing is left.
    #[inline(always)]
    pub fn spend(&mut self, units: u64) -> Result<(), Paused> {
        // Asked before: what comes at once may be more than all that there ever is to spend.
        if self.left == 0 {
            return Err(Paused);
        }
        self.left = self.left.saturating_sub(units);
        self.count(units)
    }

    #[cold]
    fn ask(&mut self) -> Result<(), Paused> {
        let told = self.stop.as_ref().is_some_and(Stop::is_told);
        let late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if told || late || self.spent >= self.cap {
            // From now on, no unit is spent unnoticed.
            self.look = self.spent;
            return Err(Paused);
        }
        self.look = self.spent.saturating_add(LOOK).min(self.cap);
        Ok(())
    }
}

/// Why a search came back without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halt {
    /// It can be gone on with.
    Paused,
    /// It has reached its limit.
    Limit,
}

impl From<Paused> for Halt {
    fn from(Paused: Paused) -> Self {
        Self::Paused
    }
}

/// What the search for one answer may spend, and who is asked meanwhile.
///
/// What is charged to the limit is the same however often the search pauses: a limit cuts the same everywhere.
#[derive(Debug)]
pub struct Meter<'a> {
    /// What is left of the limit.
    left: u64,
    /// How many words of 64 bits the search may hold at a time.
    words: u64,
    /// What pauses it.
    pub budget: &'a mut Budget,
}

impl<'a> Meter<'a> {
    /// For a search that may take `limit` units and has spent some of them. It may hold a word for each eight units of its
    /// limit: some hundred megabytes with the usual one.
    pub fn new(limit: u64, spent: u64, budget: &'a mut Budget) -> Self {
        Self { left: limit.saturating_sub(spent), words: limit / 8, budget }
    }

    /// For a search that comes to its end, however long that takes.
    pub fn unlimited(budget: &'a mut Budget) -> Self {
        Self::new(u64::MAX, 0, budget)
    }
}

impl Meter<'_> {
    /// What is left of the limit.
    pub fn left(&self) -> u64 {
        self.left
    }

    /// Charges work that comes next. If the search is to come back, that is yet to be done and to be charged.
    #[inline(always)]
    pub fn spend(&mut self, units: u64) -> Result<(), Halt> {
        let left = self.left.checked_sub(units).ok_or(Halt::Limit)?;
        self.budget.spend(units)?;
        self.left = left;
        Ok(())
    }

    /// Charges work that was done just now, and is kept if the search is to come back.
    pub fn charge(&mut self, units: u64) -> Result<(), Halt> {
        self.left = self.left.checked_sub(units).ok_or(Halt::Limit)?;
        Ok(self.budget.spend(units)?)
    }

    /// Whether the search may hold so many words.
    pub fn hold(&self, words: u64) -> Result<(), Halt> {
        if words > self.words { Err(Halt::Limit) } else { Ok(()) }
    }

    /// Whether the search may hold so many combinations of so many writes each: eight words for a combination, and four for each of
    /// its writes, with the final state that it becomes.
    ///
    /// # Errors
    /// [`Halt::Limit`] if these are more words than it may hold.
    pub fn hold_combinations(&self, combinations: usize, writes: usize) -> Result<(), Halt> {
        self.hold(combinations as u64 * (8 + 4 * writes as u64))
    }
}

/// The outcome of a search with its limit in view.
pub fn decided(answer: Result<bool, Halt>) -> Result<Decision, Paused> {
    match answer {
        Ok(yes) => Ok(yes.into()),
        Err(Halt::Limit) => Ok(Decision::Undecided),
        Err(Halt::Paused) => Err(Paused),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_told_stops_soon() {
        let stop = Stop::default();
        let mut budget = Budget::until(stop.clone());
        for _ in 0..10 * LOOK {
            assert_eq!(budget.count(1), Ok(()));
        }
        stop.tell();
        let before = budget.spent();
        while budget.count(1) == Ok(()) {}
        assert!(budget.spent() - before <= LOOK);
        // And does not go on.
        assert_eq!((budget.count(0), budget.spend(0)), (Err(Paused), Err(Paused)));
    }

    #[test]
    fn a_cap_is_kept_to_the_unit() {
        for cap in [1, 100, LOOK, 3 * LOOK + 5] {
            for mut budget in [Budget::unlimited(), Budget::until(Stop::default())].map(|budget| budget.capped(cap)) {
                while budget.count(1) == Ok(()) {}
                assert_eq!(budget.spent(), cap);
            }
        }
    }

    #[test]
    fn a_budget_bounds_searches_alone() {
        let mut budget = Budget::of(100);
        assert_eq!((budget.count(1000), budget.spend(99)), (Ok(()), Ok(())));
        // A piece that is larger than what is left is done all the same: else it would never be.
        assert_eq!((budget.spend(500), budget.spend(1)), (Ok(()), Err(Paused)));
        assert_eq!((budget.count(1000), budget.spent()), (Ok(()), 2599));
    }

    #[test]
    fn a_limit_is_charged_once_however_often_a_search_pauses() {
        let mut budget = Budget::of(5);
        let mut meter = Meter::new(1000, 100, &mut budget);
        // What is paused is charged when it is done; what was done is charged at once.
        assert_eq!((meter.spend(10), meter.left()), (Ok(()), 890));
        assert_eq!((meter.spend(20), meter.left()), (Err(Halt::Paused), 890));
        assert_eq!((meter.charge(30), meter.left()), (Err(Halt::Paused), 860));
        assert_eq!((meter.spend(861), meter.charge(861)), (Err(Halt::Limit), Err(Halt::Limit)));
        assert_eq!(meter.left(), 860);
    }

    #[test]
    fn memory_is_limited_where_work_is() {
        let mut budget = Budget::unlimited();
        let meter = Meter::new(800, 700, &mut budget);
        assert_eq!((meter.hold(100), meter.hold(101)), (Ok(()), Err(Halt::Limit)));
        assert_eq!(Meter::unlimited(&mut budget).hold(1 << 40), Ok(()));
    }
}
