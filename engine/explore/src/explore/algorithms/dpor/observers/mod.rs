//! Optimal-DPOR with observers, step by step.
//!
//! Under SC. Beyond print (TACAS 2018), or where print leaves it open:
//!
//! - Happens-before is that of whole runs, found anew at the end of each ([`crate::explore::runs`]). All races of a run are
//!   looked at: one of events that are not new may have been hidden by what was read in another run.
//! - A race of two writes, of which the later one is read, is reversed together with a first reader of it. What is inserted has
//!   all of the run that is not behind a reader of the later write, with the earlier write moved behind it, and that reader.
//! - A write that sleeps goes on to sleep while others write to its location, but may be performed then, if it is read before it
//!   is overwritten. What a sleeper of whatever kind may still cover is not inserted, so at the end of a branch of a wakeup tree
//!   none is left.
//! - Read-modify-writes and operations of mutexes and channels are in order with all that touches what they touch.
//! - Last values of what nobody reads are left open ([`Sees::LocalStates`](crate::explore::Sees::LocalStates)); co is that of
//!   the run.
//!
//! Tests hold the classes found against those of TruSt (co) ([`Equivalence::Observers`](crate::explore::equivalence::Equivalence)): each is
//! found, and once, and no run is begun in vain.

#[cfg(test)]
mod tests;

use super::wakeup::{List, Trees, Wanted};
use crate::explore::runs::{Begin, Course, Observed, Run, Search, Sleep, Sleeper, Turn, Word};
use crate::explore::{Options, Step};
use crate::model::Model;
use crate::program::Code;
use std::sync::Arc;

/// The state before an event of the run, or behind the last one.
#[derive(Clone, Debug, Default)]
struct Depth {
    /// The wakeup tree, without the branch that the run took.
    pending: Option<List>,
    sleep: Vec<Sleeper>,
}

/// What reverses a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Race {
    /// Of two events.
    Events { first: u32, second: u32 },
    /// Of two writes, the second of which this one reads.
    Writes { first: u32, second: u32, reader: u32 },
    /// Of an event and an operation that this thread waits with.
    Waiting { first: u32, thread: u16 },
}

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Extend,
    /// Nothing can go on, which is said.
    Ending,
    /// Races of the events of the whole run are reversed, from this one on.
    Races(usize),
    /// Races with the operations that threads wait with are reversed, from this thread on.
    RacesOfWaiting(u16),
    /// The other outcomes of weak compare-and-swaps are tried, from this event on.
    OtherOutcomes(usize),
    Back,
    Finish,
}

/// What breaks the algorithm in tests, which then find something else.
#[cfg(test)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Mutation {
    /// What sleeps wakes up when its location is written.
    pub wakes: bool,
    /// No race of two writes is reversed.
    pub no_writes: bool,
}

/// The state of an exploration.
#[derive(Clone, Debug)]
pub(super) struct Core {
    run: Run,
    course: Course,
    depths: Vec<Depth>,
    trees: Trees,
    order: Observed,
    spurious: bool,
    /// The races that are yet to be reversed, of those found so far.
    races: Vec<Race>,
    word: Word,
    scratch: Vec<u32>,
    phase: Phase,
    #[cfg(test)]
    mutation: Mutation,
}

impl Wanted for Word {
    fn begin(&self, turn: Turn) -> Begin {
        self.begin(turn, false)
    }

    fn take(&mut self, _turn: Turn, how: Begin) {
        self.take(how);
    }

    fn turns(&self) -> impl ExactSizeIterator<Item = Turn> {
        self.turns()
    }
}

impl Core {
    pub(super) fn new(code: Arc<Code>, model: Model, options: Options) -> Self {
        let run = Run::new(code, model, options);
        Self {
            course: Course::new(&run, model, options),
            run,
            depths: vec![Depth::default()],
            trees: Trees::default(),
            order: Observed::default(),
            spurious: options.spurious,
            races: Vec::new(),
            word: Word::default(),
            scratch: Vec::new(),
            phase: Phase::Extend,
            #[cfg(test)]
            mutation: Mutation::default(),
        }
    }

    #[cfg(test)]
    pub(super) fn mutated(mut self, mutation: Mutation) -> Self {
        self.mutation = mutation;
        self
    }

    fn go_to(&mut self, phase: Phase) -> Option<Step> {
        self.phase = phase;
        None
    }

    fn pop(&mut self, depth: usize) -> Option<(Turn, List)> {
        self.trees.pop(self.depths[depth].pending.as_mut()?)
    }

    fn extend(&mut self) -> Option<Step> {
        self.run.tidy();
        let top = self.run.events.len();
        if let Some((turn, behind)) = self.pop(top) {
            self.perform(turn, behind);
            return Some(self.course.added(&self.run));
        }
        let mut asleep = false;
        for process in 0..self.run.processes() {
            for turn in self.run.turns(process) {
                let is_it = |other: &Sleeper| {
                    other.state == Sleep::Sound
                        && (other.turn.process, other.turn.spurious) == (turn.process, turn.spurious)
                };
                if self.depths[top].sleep.iter().any(is_it) {
                    asleep = true;
                    continue;
                }
                self.perform(turn, List::EMPTY);
                return Some(self.course.added(&self.run));
            }
        }
        // A write that was to be read, and is not: the order in which it came does not count.
        if asleep || self.depths[top].sleep.iter().any(|sleeper| sleeper.state != Sleep::Sound) {
            self.begin_races();
            return Some(self.course.drop_run());
        }
        self.go_to(Phase::Ending)
    }

    /// Adds an event, behind which a wakeup tree is to be explored.
    fn perform(&mut self, turn: Turn, pending: List) {
        let top = self.run.events.len();
        self.run.perform(turn);
        if self.depths.len() == top + 1 {
            self.depths.push(Depth::default());
        }
        let (before, behind) = self.depths.split_at_mut(top + 1);
        let depth = &mut behind[0];
        depth.pending = Some(pending);
        depth.sleep.clear();
        depth.sleep.extend(before[top].sleep.iter().filter_map(|sleeper| sleeper.behind(turn)));
        #[cfg(test)]
        if self.mutation.wakes {
            depth.sleep.retain(|sleeper| sleeper.state == Sleep::Sound);
        }
        self.phase = Phase::Extend;
    }

    /// Adds the sequence to the wakeup tree of a depth, if what it comes to is not explored anyway; whether it did.
    fn insert(&mut self, depth: usize) -> bool {
        if self.depths[depth].sleep.iter().any(|sleeper| sleeper.covers(&self.word)) {
            return false;
        }
        self.trees.insert(self.depths[depth].pending.get_or_insert(List::EMPTY), &mut self.word)
    }

    /// Reverses the next race of those found.
    fn reverse_next(&mut self) -> Option<Step> {
        let race = self.races.pop()?;
        let (first, second, is_new) = match race {
            Race::Events { first, second } => {
                self.word.reverse(&self.run, &self.order, first, second);
                let mut is_new = self.insert(first as usize);
                if let Some(other) = self.run.other_turn_without(second, first) {
                    self.word.reverse(&self.run, &self.order, first, second);
                    self.word.end_with(other);
                    is_new |= self.insert(first as usize);
                }
                (first, self.run.key(second as usize), is_new)
            }
            Race::Writes { first, second, reader } => {
                self.word.exchange(&self.run, &self.order, first, second, reader);
                let mut is_new = self.insert(first as usize);
                if let Some(other) = self.run.other_turn_that_reads(reader as usize, first) {
                    self.word.exchange(&self.run, &self.order, first, second, reader);
                    self.word.end_with(other);
                    is_new |= self.insert(first as usize);
                }
                (first, self.run.key(second as usize), is_new)
            }
            Race::Waiting { first, thread } => {
                self.word.reverse_waiting(&self.run, &self.order, first, thread);
                (first, self.run.next_key(thread), self.insert(first as usize))
            }
        };
        let first = self.run.key(first as usize);
        Some(if is_new { Step::Reversal { first, second } } else { Step::AlreadyReversed { first, second } })
    }

    fn begin_races(&mut self) {
        self.order.look(&self.run);
        self.phase = Phase::Races(0);
    }

    fn end(&mut self) -> Step {
        let step = self.course.end(&self.run);
        if let Step::Execution { .. } = step {
            if self.course.ending.stopped {
                self.phase = Phase::Finish;
            } else {
                self.begin_races();
            }
        }
        step
    }

    fn look_for_races(&mut self, from: usize) -> Option<Step> {
        if from == self.run.events.len() {
            return self.go_to(Phase::RacesOfWaiting(0));
        }
        let second = from as u32;
        let mut found = std::mem::take(&mut self.scratch);
        self.order.races(&self.run, from, &mut found);
        let blind = |e: u32| self.run.events[e as usize].turn.blind;
        let (writes, others): (Vec<u32>, Vec<u32>) = found.iter().partition(|&&first| blind(first) && blind(second));
        self.races.extend(others.into_iter().map(|first| Race::Events { first, second }));
        if !writes.is_empty() {
            self.order.first_readers(&self.run, second, &mut found);
            let pairs = writes.iter().flat_map(|&first| found.iter().map(move |&reader| (first, reader)));
            self.races.extend(pairs.map(|(first, reader)| Race::Writes { first, second, reader }));
            #[cfg(test)]
            if self.mutation.no_writes {
                self.races.retain(|race| !matches!(race, Race::Writes { .. }));
            }
        }
        self.scratch = found;
        self.go_to(Phase::Races(from + 1))
    }

    fn look_for_waiting(&mut self, from: u16) -> Option<Step> {
        if usize::from(from) == self.run.code.threads.len() {
            return self.go_to(if self.spurious { Phase::OtherOutcomes(0) } else { Phase::Back });
        }
        let first = self.order.race_of_waiting(&self.run, from);
        self.races.extend(first.map(|first| Race::Waiting { first, thread: from }));
        self.go_to(Phase::RacesOfWaiting(from + 1))
    }

    /// The other outcome of a weak compare-and-swap, as if it were a process of its own, which the outcome that was disables for
    /// ever.
    fn try_other_outcome(&mut self, from: usize) -> Option<Step> {
        let outcome = (from..self.run.events.len()).find_map(|e| Some((e, self.run.other_outcome(e)?)));
        let Some((e, other)) = outcome else { return self.go_to(Phase::Back) };
        self.phase = Phase::OtherOutcomes(e + 1);
        self.word.replace(&self.run, &self.order, e as u32, other);
        self.insert(e).then(|| Step::OtherOutcome { event: self.run.key(e) })
    }

    /// Takes events back until there is another one to perform instead, and performs it.
    fn go_back(&mut self) -> Option<Step> {
        loop {
            let Some((last, before, turn)) = self.course.undo(&mut self.run) else { return Some(Step::Done) };
            let sleep = &mut self.depths[last].sleep;
            let is_same = |other: &Sleeper| (other.turn.process, other.turn.spurious) == (turn.process, turn.spurious);
            sleep.retain(|other| other.state != Sleep::Passed || !is_same(other));
            sleep.push(Sleeper { turn, state: Sleep::Sound });
            if let Some((turn, behind)) = self.pop(last) {
                self.perform(turn, behind);
                return Some(self.course.backtracked(&self.run, before));
            }
        }
    }
}

impl Search for Core {
    fn run(&self) -> &Run {
        &self.run
    }

    fn course(&self) -> &Course {
        &self.course
    }

    fn course_mut(&mut self) -> &mut Course {
        &mut self.course
    }

    fn perform_phase(&mut self) -> Option<Step> {
        match self.phase {
            Phase::Extend => self.extend(),
            Phase::Ending => Some(self.end()),
            Phase::Races(from) => self.reverse_next().or_else(|| self.look_for_races(from)),
            Phase::RacesOfWaiting(from) => self.reverse_next().or_else(|| self.look_for_waiting(from)),
            Phase::OtherOutcomes(from) => self.try_other_outcome(from),
            Phase::Back => self.go_back(),
            Phase::Finish => Some(Step::Done),
        }
    }

    fn asleep(&self, depth: usize) -> Vec<Turn> {
        let sleep = self.depths[depth].sleep.iter();
        sleep.filter(|sleeper| sleeper.state != Sleep::Unread).map(|sleeper| sleeper.turn).collect()
    }

    fn untried(&self, depth: usize) -> Vec<Turn> {
        self.depths[depth].pending.map_or_else(Vec::new, |list| self.trees.turns(list).collect())
    }

    fn weight(&self) -> usize {
        let sleepers = self.depths[..=self.run.events.len()].iter().map(|depth| depth.sleep.len());
        self.run.events.len() + sleepers.sum::<usize>() + self.trees.len()
    }
}
