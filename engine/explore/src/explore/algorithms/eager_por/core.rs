//! EPOR, step by step.

use super::plans::{NO_PLAN, PlanId, Plans};
use super::section::{Extent, Section};
use crate::explore::runs::{Course, Predecessors, Process, Run, Search, Sequence, SleepSets, Touch, Turn};
use crate::explore::{Options, Step};
use crate::model::Model;
use crate::program::Code;
use std::sync::Arc;

/// The state before an event of the run, or behind the last one.
#[derive(Clone, Debug)]
struct Depth {
    /// Where the run is in the schedules of its section; [`NO_PLAN`] where another section is to begin.
    plan: PlanId,
    /// The tree of the section that begins here.
    root: PlanId,
    /// The place that the event leads to, if it was scheduled.
    taken: PlanId,
    /// How many events are before the section.
    section: usize,
    /// The processes to try because of races.
    backtrack: Vec<Process>,
}

impl Depth {
    fn new(plan: PlanId, section: usize) -> Self {
        Self { plan, root: NO_PLAN, taken: NO_PLAN, section, backtrack: Vec::new() }
    }
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
    Visit,
    /// A section grows.
    Grow,
    /// Its systems are solved, from this one on.
    Solve(u64),
    /// Races of the last event are reversed.
    Races,
    /// Nothing can go on, which is said.
    Ending,
    /// Races with the operations that threads wait with are reversed, from this thread on.
    RacesOfWaiting(u16),
    Back,
    Finish,
}

/// What breaks the algorithm in tests, which then find something else.
#[cfg(test)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Mutation {
    /// Threads that sleep come into sections.
    pub sleepers_join: bool,
    /// Races with events before the section are not looked for.
    pub no_reversal: bool,
    /// Nor are those of operations that wait.
    pub no_waiting: bool,
}

/// The state of an exploration.
#[derive(Clone, Debug)]
pub(super) struct Core {
    run: Run,
    course: Course,
    depths: Vec<Depth>,
    sleep: SleepSets,
    plans: Plans,
    section: Section,
    /// A solution of a system.
    schedule: Vec<u16>,
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
    pub(super) fn new(code: Arc<Code>, model: Model, options: Options, extent: Extent) -> Self {
        let run = Run::new(code, model, options);
        Self {
            course: Course::new(&run, model, options),
            run,
            depths: vec![Depth::new(NO_PLAN, 0)],
            sleep: SleepSets::new(),
            plans: Plans::default(),
            section: Section::new(extent),
            schedule: Vec::new(),
            races: Vec::new(),
            second: Second::Event(0),
            sequence: Sequence::default(),
            scratch: Predecessors::default(),
            phase: Phase::Visit,
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

    fn visit(&mut self) -> Option<Step> {
        self.run.tidy();
        let top = self.run.events.len();
        let scheduled = self.plans.first(self.depths[top].plan);
        if scheduled != NO_PLAN {
            self.perform_scheduled(scheduled);
            return Some(self.course.added(&self.run));
        }
        let mut enabled = (0..self.run.processes()).filter(|&process| self.run.turn(process).is_some()).peekable();
        if enabled.peek().is_none() {
            return self.go_to(Phase::Ending);
        }
        let asleep = self.sleep.at(top);
        if enabled.all(|process| asleep.iter().any(|sleeper| sleeper.process == process)) {
            self.phase = Phase::RacesOfWaiting(0);
            return Some(self.course.drop_run());
        }
        #[cfg(test)]
        let asleep = if self.mutation.sleepers_join { &[] } else { asleep };
        self.section.begin(&self.run, asleep);
        let root = self.plans.begin();
        let depth = &mut self.depths[top];
        (depth.plan, depth.root, depth.section) = (root, root, top);
        self.go_to(Phase::Grow)
    }

    /// Adds an event to the section, or says that it is whole.
    fn grow(&mut self) -> Step {
        if self.section.grow(&mut self.run) {
            return Step::JoinSection { event: self.run.key(self.run.events.len() - 1) };
        }
        let events = self.section.systems.events() as u64;
        self.course.counts.sections += 1;
        self.course.counts.race_checks += events * (events - 1) / 2;
        self.phase = Phase::Solve(0);
        Step::EndSection { events: events as u32, pairs: self.section.systems.pairs() as u32 }
    }

    /// Solves a system of the section; behind the last one, the run goes on from where the section begins.
    fn solve(&mut self, number: u64) -> Option<Step> {
        if number == self.section.systems.len() {
            while self.run.events.len() > self.section.start {
                self.run.undo();
            }
            return self.go_to(Phase::Visit);
        }
        self.phase = Phase::Solve(number + 1);
        self.course.counts.systems += 1;
        let number = number + 1;
        if self.section.systems.solve(number - 1, &mut self.schedule) {
            self.plans.insert(self.depths[self.section.start].root, &self.schedule);
            return Some(Step::Satisfiable { number });
        }
        self.course.counts.unsatisfiable += 1;
        Some(Step::Unsatisfiable { number })
    }

    fn perform_scheduled(&mut self, plan: PlanId) {
        let thread = self.plans.thread(plan);
        let turn = self.run.turn(thread).expect("what is scheduled is not behind what can't come before it");
        let section = self.depths[self.run.events.len()].section;
        self.perform(turn, plan, section);
    }

    /// Adds an event; races with the first ones so many are looked for.
    fn perform(&mut self, turn: Turn, plan: PlanId, section: usize) {
        let top = self.run.events.len();
        self.sleep.enter(top, |sleeper| self.run.are_independent(sleeper, turn));
        self.run.perform(turn);
        self.depths[top].taken = plan;
        self.depths.truncate(top + 1);
        self.depths.push(Depth::new(plan, section));
        self.second = Second::Event(top as u32);
        self.course.counts.race_checks += section as u64;
        self.run.races(top, &mut self.scratch, &mut self.races);
        self.races.retain(|&other| (other as usize) < section);
        self.phase = Phase::Races;
    }

    /// Reverses the next race of the event that is looked at.
    fn reverse_next(&mut self) -> Option<Step> {
        let first = self.races.pop()?;
        #[cfg(test)]
        if self.mutation.no_reversal {
            return None;
        }
        let second = match self.second {
            Second::Event(second) => {
                self.sequence.reverse(&self.run, first, second, second as usize);
                self.run.key(second as usize)
            }
            Second::Waiting(thread) => {
                self.sequence.reverse_waiting(&self.run, first, thread);
                self.run.next_key(thread)
            }
        };
        let depth = &mut self.depths[first as usize];
        let first = self.run.key(first as usize);
        let scheduled = self.plans.threads(depth.plan);
        let mut tried = depth.backtrack.iter().copied().chain(scheduled);
        if tried.any(|process| self.sequence.begins_with(&self.run, process, false)) {
            return Some(Step::AlreadyReversed { first, second });
        }
        drop(tried);
        depth.backtrack.extend(self.sequence.turns().next().map(|turn| turn.process));
        Some(Step::Reversal { first, second })
    }

    fn end(&mut self) -> Step {
        let step = self.course.end(&self.run);
        if let Step::Execution { .. } = step {
            self.phase = if self.course.ending.stopped { Phase::Finish } else { Phase::RacesOfWaiting(0) };
        }
        step
    }

    fn look_for_waiting(&mut self, from: u16) -> Option<Step> {
        if usize::from(from) == self.run.code.threads.len() {
            return self.go_to(Phase::Back);
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
            let scheduled = self.plans.next(self.depths[last].taken);
            let tried = self.awake(last).next().and_then(|process| self.run.turn(process));
            if scheduled != NO_PLAN {
                self.perform_scheduled(scheduled);
            } else if let Some(turn) = tried {
                self.perform(turn, NO_PLAN, last);
            } else {
                let root = self.depths[last].root;
                if root != NO_PLAN {
                    self.plans.forget(root);
                }
                continue;
            }
            return Some(self.course.backtracked(&self.run, before));
        }
    }

    /// The processes that are to be tried at a depth because of races, and do not sleep.
    fn awake(&self, depth: usize) -> impl Iterator<Item = Process> + '_ {
        let asleep = self.sleep.at(depth);
        let tried = self.depths[depth].backtrack.iter().copied();
        tried.filter(|&process| asleep.iter().all(|sleeper| sleeper.process != process))
    }

    /// Whether an event of the run is none of a section that grows.
    fn is_performed(&self, depth: usize) -> bool {
        !matches!(self.phase, Phase::Grow | Phase::Solve(_)) || depth < self.section.start
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
            Phase::Visit => self.visit(),
            Phase::Grow => Some(self.grow()),
            Phase::Solve(number) => self.solve(number),
            Phase::Races => self.reverse_next().or_else(|| self.go_to(Phase::Visit)),
            Phase::Ending => Some(self.end()),
            Phase::RacesOfWaiting(from) => self.reverse_next().or_else(|| self.look_for_waiting(from)),
            Phase::Back => self.go_back(),
            Phase::Finish => Some(Step::Done),
        }
    }

    fn asleep(&self, depth: usize) -> Vec<Turn> {
        if self.is_performed(depth) { self.sleep.at(depth).to_vec() } else { Vec::new() }
    }

    /// First those that are scheduled.
    fn untried(&self, depth: usize) -> Vec<Turn> {
        if !self.is_performed(depth) {
            return Vec::new();
        }
        let own = self.run.events[depth].turn.process;
        let mut scheduled = Vec::new();
        let mut plan = self.plans.next(self.depths[depth].taken);
        while plan != NO_PLAN {
            scheduled.push(self.plans.thread(plan));
            plan = self.plans.next(plan);
        }
        let others = self.awake(depth).filter(|process| *process != own && !scheduled.contains(process));
        let all: Vec<Process> = scheduled.iter().copied().chain(others).collect();
        all.into_iter().map(|process| Turn { process, spurious: false, touch: Touch::Nothing, blind: false }).collect()
    }

    fn weight(&self) -> usize {
        self.run.events.len() + self.sleep.len() + self.plans.len()
    }
}
