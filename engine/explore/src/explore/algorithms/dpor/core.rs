//! Source-DPOR and Optimal-DPOR, step by step.
//!
//! Explorer and walk are one state machine, which undoes events instead of building runs anew.

use super::wakeup::{List, Trees, Wanted};
use crate::explore::runs::{Begin, Course, Predecessors, Process, Run, Search, Sequence, SleepSets, Touch, Turn};
use crate::explore::{Options, Step};
use crate::model::Model;
use crate::program::Code;
use std::sync::Arc;

/// Which of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Source,
    Optimal,
}

/// The state before an event of the run, or behind the last one.
#[derive(Clone, Debug)]
struct Depth {
    /// Optimal-DPOR: its wakeup tree, without the branch that the run took.
    pending: List,
    /// Source-DPOR: the processes to try, or tried, each with whether it fails spuriously.
    backtrack: Vec<(Process, bool)>,
}

/// The later one of two events in a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Second {
    Event(u32),
    /// An operation that this thread waits with.
    Waiting(u16),
}

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Extend,
    /// Races of the last event are reversed (Source-DPOR).
    Races,
    /// Nothing can go on, which is said.
    Ending,
    /// Races of the events of the whole run are reversed, from this one on (Optimal-DPOR).
    AllRaces(usize),
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
    /// Nothing sleeps.
    pub no_sleep: bool,
    /// No race is reversed.
    pub no_reversal: bool,
    /// No race with an operation that waits is reversed.
    pub no_waiting: bool,
}

/// A sequence of a run.
struct OfRun<'a>(&'a Run, &'a mut Sequence);

impl Wanted for OfRun<'_> {
    fn begin(&self, turn: Turn) -> Begin {
        self.1.begin(self.0, turn)
    }

    fn take(&mut self, turn: Turn, how: Begin) {
        self.1.take(turn, how);
    }

    fn turns(&self) -> impl ExactSizeIterator<Item = Turn> {
        self.1.turns()
    }
}

/// The state of an exploration.
#[derive(Clone, Debug)]
pub(super) struct Core {
    run: Run,
    course: Course,
    kind: Kind,
    depths: Vec<Depth>,
    sleep: SleepSets,
    trees: Trees,
    /// How many events were there when the run was last whole, or cut.
    fresh: usize,
    spurious: bool,
    /// What the event that is looked at is in a race with, and that event.
    races: Vec<u32>,
    second: Second,
    sequence: Sequence,
    scratch: Predecessors,
    phase: Phase,
    #[cfg(test)]
    mutation: Mutation,
}

impl Core {
    pub(super) fn new(code: Arc<Code>, model: Model, options: Options, kind: Kind) -> Self {
        let depth = Depth { pending: List::EMPTY, backtrack: Vec::new() };
        let run = Run::new(code, model, options);
        Self {
            course: Course::new(&run, model, options),
            run,
            kind,
            depths: vec![depth],
            sleep: SleepSets::new(),
            trees: Trees::default(),
            fresh: 0,
            spurious: options.spurious,
            races: Vec::new(),
            second: Second::Event(0),
            sequence: Sequence::default(),
            scratch: Predecessors::default(),
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

    fn sleeps(&self, depth: usize, turn: Turn) -> bool {
        let mut sleeping = self.sleep.at(depth).iter();
        sleeping.any(|sleeper| (sleeper.process, sleeper.spurious) == (turn.process, turn.spurious))
    }

    fn extend(&mut self) -> Option<Step> {
        self.run.tidy();
        let top = self.run.events.len();
        if let Some((turn, behind)) = self.trees.pop(&mut self.depths[top].pending) {
            self.perform(turn, behind);
            return Some(self.course.added(&self.run));
        }
        let mut asleep = false;
        for process in 0..self.run.processes() {
            for turn in self.run.turns(process) {
                if self.sleeps(top, turn) {
                    asleep = true;
                    continue;
                }
                self.depths[top].backtrack.push((process, turn.spurious));
                self.perform(turn, List::EMPTY);
                return Some(self.course.added(&self.run));
            }
        }
        if asleep {
            self.phase = Phase::RacesOfWaiting(0);
            return Some(self.course.drop_run());
        }
        self.go_to(Phase::Ending)
    }

    /// Adds an event, behind which a wakeup tree is to be explored.
    fn perform(&mut self, turn: Turn, pending: List) {
        let top = self.run.events.len();
        #[cfg(test)]
        let wakes_all = self.mutation.no_sleep;
        #[cfg(not(test))]
        let wakes_all = false;
        self.sleep.enter(top, |sleeper| !wakes_all && self.run.are_independent(sleeper, turn));
        self.run.perform(turn);
        if self.depths.len() == top + 1 {
            self.depths.push(Depth { pending: List::EMPTY, backtrack: Vec::new() });
        }
        let depth = &mut self.depths[top + 1];
        depth.pending = pending;
        depth.backtrack.clear();
        if self.kind == Kind::Optimal {
            self.phase = Phase::Extend;
            return;
        }
        if let Some(other) = self.run.other_outcome(top) {
            let (tried, other) = (&mut self.depths[top].backtrack, (other.process, other.spurious));
            if !tried.contains(&other) {
                tried.push(other);
            }
        }
        self.second = Second::Event(top as u32);
        self.run.races(top, &mut self.scratch, &mut self.races);
        self.phase = Phase::Races;
    }

    /// Adds the sequence to the wakeup tree of a depth, if what it comes to is not explored anyway; whether it did.
    fn insert(&mut self, depth: usize) -> bool {
        if self.sleep.at(depth).iter().any(|&sleeper| self.sequence.begin(&self.run, sleeper) != Begin::Not) {
            return false;
        }
        self.trees.insert(&mut self.depths[depth].pending, &mut OfRun(&self.run, &mut self.sequence))
    }

    /// Reverses the next race of the event that is looked at.
    fn reverse_next(&mut self) -> Option<Step> {
        let first = self.races.pop()?;
        #[cfg(test)]
        if self.mutation.no_reversal {
            return None;
        }
        let depth = first as usize;
        let end = match self.second {
            Second::Event(second) if self.kind == Kind::Source => second as usize,
            _ => self.run.events.len(),
        };
        let (second, is_new) = match self.second {
            Second::Event(second) => {
                self.sequence.reverse(&self.run, first, second, end);
                let mut is_new = self.try_sequence(depth);
                if let Some(other) = self.run.other_turn_without(second, first) {
                    self.sequence.reverse(&self.run, first, second, end);
                    self.sequence.end_with(other);
                    is_new |= self.try_sequence(depth);
                }
                (self.run.key(second as usize), is_new)
            }
            Second::Waiting(thread) => {
                self.sequence.reverse_waiting(&self.run, first, thread);
                if self.kind == Kind::Source {
                    // As for events: what begins a run that has to be tried is in the past of what comes first there.
                    self.sequence.keep_past(&self.run);
                }
                (self.run.next_key(thread), self.try_sequence(depth))
            }
        };
        let first = self.run.key(depth);
        Some(if is_new { Step::Reversal { first, second } } else { Step::AlreadyReversed { first, second } })
    }

    /// Sees that a run that begins with the sequence is explored from a depth on; whether something has to be added for that.
    fn try_sequence(&mut self, depth: usize) -> bool {
        if self.kind == Kind::Optimal {
            return self.insert(depth);
        }
        let tried = &mut self.depths[depth].backtrack;
        let covered = tried.iter().any(|&(process, spurious)| self.sequence.begins_with(&self.run, process, spurious));
        if !covered {
            tried.extend(self.sequence.turns().next().map(|turn| (turn.process, turn.spurious)));
        }
        !covered
    }

    /// The other outcome of a weak compare-and-swap, as if it were a process of its own, which the outcome that was disables for
    /// ever.
    fn try_other_outcome(&mut self, from: usize) -> Option<Step> {
        let outcome = (from..self.run.events.len()).find_map(|e| Some((e, self.run.other_outcome(e)?)));
        let Some((e, other)) = outcome else { return self.go_to(Phase::Back) };
        self.phase = Phase::OtherOutcomes(e + 1);
        let mut is_new = false;
        if self.kind == Kind::Optimal {
            self.sequence.replace(&self.run, e as u32, other);
            is_new = self.insert(e);
        } else if !other.spurious {
            // Where it is, both are tried. But success may sleep there, and be awake behind a read.
            let mut readers = std::mem::take(&mut self.races);
            self.run.readers_beside(e as u32, &mut readers);
            for reader in readers.drain(..) {
                self.sequence.replace(&self.run, e as u32, other);
                self.sequence.keep_past_of(&self.run, reader);
                is_new |= self.try_sequence(e);
            }
            self.races = readers;
        }
        is_new.then(|| Step::OtherOutcome { event: self.run.key(e) })
    }

    fn end(&mut self) -> Step {
        let step = self.course.end(&self.run);
        if let Step::Execution { .. } = step {
            self.phase = match self.kind {
                _ if self.course.ending.stopped => Phase::Finish,
                Kind::Source => Phase::RacesOfWaiting(0),
                // An outcome that was left out since something slept is found by a race that was seen before, in another run.
                Kind::Optimal if self.spurious => Phase::AllRaces(0),
                Kind::Optimal => Phase::AllRaces(self.fresh),
            };
        }
        step
    }

    fn look_for_races(&mut self, from: usize) -> Option<Step> {
        if from == self.run.events.len() {
            return self.go_to(Phase::RacesOfWaiting(0));
        }
        self.second = Second::Event(from as u32);
        self.run.races(from, &mut self.scratch, &mut self.races);
        self.go_to(Phase::AllRaces(from + 1))
    }

    fn look_for_waiting(&mut self, from: u16) -> Option<Step> {
        if usize::from(from) == self.run.code.threads.len() {
            return self.go_to(if self.spurious { Phase::OtherOutcomes(0) } else { Phase::Back });
        }
        self.phase = Phase::RacesOfWaiting(from + 1);
        #[cfg(test)]
        if self.mutation.no_waiting {
            return None;
        }
        self.second = Second::Waiting(from);
        self.races.extend(self.run.waiting(from).flatten());
        None
    }

    /// Takes events back until there is another one to perform instead, and performs it.
    fn go_back(&mut self) -> Option<Step> {
        loop {
            let Some((last, before, turn)) = self.course.undo(&mut self.run) else { return Some(Step::Done) };
            self.sleep.leave(last, turn);
            let next = match self.kind {
                Kind::Source => self.next_tried(last).map(|turn| (turn, List::EMPTY)),
                Kind::Optimal => self.trees.pop(&mut self.depths[last].pending),
            };
            if let Some((turn, behind)) = next {
                self.fresh = last;
                self.perform(turn, behind);
                return Some(self.course.backtracked(&self.run, before));
            }
        }
    }

    /// Source-DPOR: what is to be tried next at a depth.
    fn next_tried(&self, depth: usize) -> Option<Turn> {
        let mut tried = self.depths[depth]
            .backtrack
            .iter()
            .filter_map(|&(process, spurious)| self.run.turns(process).find(|turn| turn.spurious == spurious));
        tried.find(|&turn| !self.sleeps(depth, turn))
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
            Phase::Races => self.reverse_next().or_else(|| self.go_to(Phase::Extend)),
            Phase::Ending => Some(self.end()),
            Phase::AllRaces(from) => self.reverse_next().or_else(|| self.look_for_races(from)),
            Phase::RacesOfWaiting(from) => self.reverse_next().or_else(|| self.look_for_waiting(from)),
            Phase::OtherOutcomes(from) => self.try_other_outcome(from),
            Phase::Back => self.go_back(),
            Phase::Finish => Some(Step::Done),
        }
    }

    fn asleep(&self, depth: usize) -> Vec<Turn> {
        self.sleep.at(depth).to_vec()
    }

    fn untried(&self, depth: usize) -> Vec<Turn> {
        match self.kind {
            Kind::Optimal => self.trees.turns(self.depths[depth].pending).collect(),
            Kind::Source => {
                let own = self.run.events[depth].turn;
                let is_own = |turn: &(Process, bool)| *turn == (own.process, own.spurious);
                let turns = self.depths[depth].backtrack.iter().filter(|turn| !is_own(turn));
                let turns =
                    turns.map(|&(process, spurious)| Turn { process, spurious, touch: Touch::Nothing, blind: false });
                turns.filter(|&turn| !self.sleeps(depth, turn)).collect()
            }
        }
    }

    fn weight(&self) -> usize {
        self.run.events.len() + self.sleep.len() + self.trees.len()
    }
}
