//! Threads of this machine that interpret a program, under a schedule that may be swapped for another one while they run, or without one.
//!
//! Exported programs are faster; here nothing has to be compiled, and a verifier that runs may put a larger schedule in the place of the
//! one in use ([`Interpreter::swap`]). Each event happens between `before` and `after` of `litmoscope-runtime`. Threads that keep to no
//! schedule do one event at a time.
//!
//! What a *useful round* is, and how inputs are drawn, is said in [`crate::export`].

use crate::native::{Native, draw};
use crate::sections::{ProgramSchedule, silent_guard};
use crate::stepping::pass;
use litmoscope_core::program::system::{Fault, PointId, PointKind, System, Term, TransitionId, Variable};
use litmoscope_core::random::Random;
use litmoscope_runtime::{
    Edge, Ended, Event, Runtime, Schedule, ScheduleError, Standing, Stopped, SwapError, Thread, Turn,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// How many times inputs are drawn before a thread waits for others, or a run is not begun.
const DRAWS: u32 = 1000;
/// How many events a monitor remembers.
const REMEMBERED: usize = 100;

/// How a program is run.
#[derive(Clone, Copy, Debug)]
pub struct Running {
    /// For how long at most.
    pub time: Duration,
    /// Threads keep to no schedule.
    pub unconstrained: bool,
    /// Each event is looked at as it happens.
    pub monitored: bool,
    /// What inputs are drawn by.
    pub seed: u64,
}

impl Default for Running {
    /// Two seconds under the schedule.
    fn default() -> Self {
        Self { time: Duration::from_secs(2), unconstrained: false, monitored: false, seed: 1 }
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// A thread went wrong, at this point.
    Wrong {
        /// The thread.
        thread: u16,
        /// Where it was.
        point: PointId,
        /// Why.
        fault: Fault,
    },
    /// What the runtime says.
    Ended(Ended),
}

/// What came of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    /// By thread: its useful rounds.
    pub rounds: Vec<u64>,
    /// How many sections have begun: 0 without a schedule.
    pub sections: u64,
    /// How often the schedule was swapped.
    pub swaps: u64,
    /// How it ended.
    pub end: End,
}

/// Why a program does not run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// The schedule is none for the runtime.
    #[error("the schedule can't be kept to: {0}")]
    Schedule(ScheduleError),
    /// No inputs were found for which holds what is assumed at the start.
    #[error("no inputs were found for which holds what is assumed at the start")]
    Assuming,
    /// It is not of this program.
    #[error("the schedule is of a program with another number of threads")]
    Threads,
}

/// Why a schedule is not swapped for another one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SwapRefused {
    /// The schedules do not drop the same events.
    #[error("the schedules leave out different events: threads may be where the other one does not expect them")]
    Dropped,
    /// The runtime refuses it.
    #[error("{0}")]
    Runtime(SwapError),
}

/// Calls `then` with the schedule as the runtime has it.
pub fn with_runtime_schedule<R>(schedule: &ProgramSchedule, then: impl FnOnce(&Schedule<'_>) -> R) -> R {
    let event = |(thread, transition, after)| Event { thread, transition, after };
    let events: Vec<Vec<Event<'_>>> = (schedule.sections.iter())
        .map(|section| {
            section.events.iter().map(|of| event((of.thread.into(), of.transition.0, &of.after[..]))).collect()
        })
        .collect();
    let edges: Vec<Edge<'_>> = (schedule.sections.iter().zip(&events))
        .map(|(section, events)| Edge { from: section.from, to: section.to, events })
        .collect();
    then(&Schedule { threads: schedule.threads, nodes: schedule.nodes.len(), start: 0, edges: &edges })
}

/// A runtime whose threads keep to a schedule, for threads that are not ours.
///
/// # Errors
/// [`ScheduleError`] if the schedule is none for the runtime.
pub fn runtime(schedule: &ProgramSchedule) -> Result<Runtime, ScheduleError> {
    let runtime = with_runtime_schedule(schedule, Runtime::new)?;
    Ok(if schedule.then_free { runtime.unconstrained_behind() } else { runtime })
}

/// A program that is ready to run, or runs.
pub struct Interpreter<'s> {
    system: &'s System,
    schedule: &'s ProgramSchedule,
    native: Native,
    runtime: Runtime,
    running: Running,
    shared: Vec<AtomicI64>,
    /// Held at each event of a thread that keeps to no schedule.
    alone: Mutex<()>,
    wrong: Mutex<Option<End>>,
}

fn open<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a thread does at a point.
enum Choice {
    Takes(TransitionId, Vec<i64>),
    Waits,
}

impl<'s> Interpreter<'s> {
    /// A program at its start, with inputs by the seed.
    ///
    /// # Errors
    /// [`RunError`].
    pub fn new(system: &'s System, schedule: &'s ProgramSchedule, running: Running) -> Result<Self, RunError> {
        if schedule.threads != system.threads.len() {
            return Err(RunError::Threads);
        }
        let native = Native::of(system);
        let runtime = with_runtime_schedule(schedule, Runtime::new).map_err(RunError::Schedule)?;
        let mut runtime = runtime.locks(native.locks.len());
        if schedule.then_free {
            runtime = runtime.unconstrained_behind();
        }
        if running.unconstrained {
            runtime = runtime.unconstrained();
        }
        if running.monitored {
            runtime = runtime.monitored(REMEMBERED);
        }
        let mut random = Random::new(running.seed);
        let mut values = system.initial.clone();
        let holds = |values: &[i64]| system.assuming.iter().all(|term| term.evaluate(values, &[]) != 0);
        let mut is_begun = false;
        for _ in 0..DRAWS {
            for (variable, input) in &system.inputs {
                values[variable.0 as usize] = draw(input, &mut random);
            }
            is_begun = holds(&values);
            if is_begun {
                break;
            }
        }
        if !is_begun {
            return Err(RunError::Assuming);
        }
        let shared = values[..system.shared()].iter().map(|value| AtomicI64::new(*value)).collect();
        Ok(Self { system, schedule, native, runtime, running, shared, alone: Mutex::new(()), wrong: Mutex::new(None) })
    }

    /// Runs it: returns when its time is up, it is stopped or has ended, or went wrong. Once.
    pub fn run(&self) -> Ran {
        let ended = thread::scope(|scope| {
            for number in 0..self.system.threads.len() {
                let thread = self.runtime.thread(number);
                scope.spawn(move || self.thread(thread, number as u16));
            }
            self.runtime.run_for(self.running.time)
        });
        let end = open(&self.wrong).clone().unwrap_or(End::Ended(ended));
        Ran { rounds: self.runtime.rounds(), sections: self.runtime.sections(), swaps: self.runtime.swaps(), end }
    }

    /// Ends the run, from another thread.
    pub fn stop(&self) {
        self.runtime.stop();
    }

    /// By thread: its useful rounds so far.
    pub fn rounds(&self) -> Vec<u64> {
        self.runtime.rounds()
    }

    /// How many sections have begun.
    pub fn sections(&self) -> u64 {
        self.runtime.sections()
    }

    /// What all threads do or wait for.
    pub fn standing(&self) -> Standing {
        self.runtime.standing()
    }

    /// How often the schedule was swapped.
    pub fn swaps(&self) -> u64 {
        self.runtime.swaps()
    }

    /// Puts another schedule in the place of the one in use, at the end of a section, from another thread. `map` is by nodes of the
    /// one in use, which is the `swaps`-th one ([`ProgramSchedule::map`]).
    ///
    /// # Errors
    /// [`SwapRefused`] if it drops other events, or the map is not of the schedule in use.
    pub fn swap(&self, swaps: u64, schedule: &ProgramSchedule, map: &[Option<usize>]) -> Result<(), SwapRefused> {
        if schedule.dropped != self.schedule.dropped {
            return Err(SwapRefused::Dropped);
        }
        with_runtime_schedule(schedule, |schedule| self.runtime.swap(swaps, schedule, map))
            .map_err(SwapRefused::Runtime)
    }

    /// Reads what transitions of a point may read, into a thread's values.
    fn load(&self, point: PointId, thread: u16, values: &mut [i64]) {
        for id in &self.system.point(thread.into(), point).transitions {
            let transition = self.system.transition(*id);
            for variable in transition.reads.iter().chain(&transition.writes) {
                values[variable.0 as usize] = self.shared[variable.0 as usize].load(SeqCst);
            }
        }
    }

    fn choose(&self, point: PointId, thread: u16, values: &[i64], random: &mut Random) -> Choice {
        let transitions = &self.system.point(thread.into(), point).transitions;
        let has_inputs = transitions.iter().any(|id| !self.system.transition(*id).inputs.is_empty());
        for _ in 0..if has_inputs { DRAWS } else { 1 } {
            // The same number is drawn for what several transitions are given.
            let seed = random.below(u64::MAX);
            for id in transitions {
                let transition = self.system.transition(*id);
                let mut own = Random::new(seed);
                let inputs: Vec<i64> = transition.inputs.iter().map(|input| draw(input, &mut own)).collect();
                if transition.guard.iter().all(|term| term.evaluate(values, &inputs) != 0) {
                    return Choice::Takes(*id, inputs);
                }
            }
        }
        Choice::Waits
    }

    /// Does a step.
    fn take(&self, id: TransitionId, inputs: &[i64], values: &mut [i64]) {
        let transition = self.system.transition(id);
        let mut new: Vec<(Variable, i64)> = Vec::new();
        for (variable, term) in &transition.assignments {
            let found = resolve(term, values, inputs);
            // What keeps its value is not written, as others may write it at the same time.
            if *found != Term::Variable(*variable) {
                new.push((*variable, found.evaluate(values, inputs)));
            }
        }
        transition.forgets.iter().for_each(|variable| values[variable.0 as usize] = 0);
        for (variable, value) in new {
            match self.shared.get(variable.0 as usize) {
                Some(shared) => shared.store(value, SeqCst),
                None => values[variable.0 as usize] = value,
            }
        }
    }

    fn thread(&self, mut thread: Thread<'_>, number: u16) {
        // The run is over, and why is known there.
        let _ = self.events(&mut thread, number);
    }

    fn events(&self, thread: &mut Thread<'_>, number: u16) -> Result<(), Stopped> {
        let system = self.system;
        let mut values = system.initial.clone();
        let mut random = Random::new(self.running.seed.wrapping_mul(1_000_003).wrapping_add(u64::from(number) + 1));
        let mut point = system.threads[usize::from(number)].start;
        let has_to_work = self.native.has_to_work[usize::from(number)];
        let mut is_useful = false;
        loop {
            let at = system.point(number.into(), point);
            match at.kind {
                PointKind::Ended => return Ok(()),
                PointKind::Error(fault) => {
                    open(&self.wrong).get_or_insert(End::Wrong { thread: number, point, fault });
                    self.runtime.stop();
                    return Err(Stopped);
                }
                PointKind::Event(_) => {}
            }
            let is_dropped = self.schedule.is_dropped(number, point);
            let lock = self.native.lock(system, at);
            let id = match (lock, is_dropped) {
                (Some(lock), _) => {
                    let id = self.silent(point, number, &values);
                    match (is_dropped, lock.takes) {
                        (false, true) => thread.lock(lock.number, id.0)?,
                        (false, false) => thread.unlock(lock.number, id.0)?,
                        (true, true) if thread.is_free() => thread.acquire(lock.number)?,
                        (true, false) if thread.is_free() => thread.release(lock.number)?,
                        (true, _) => {}
                    }
                    pass(system, id, &mut values);
                    id
                }
                (None, true) => {
                    while thread.is_free() {
                        let turn = thread.before()?;
                        if let Choice::Takes(..) = self.look(&turn, point, number, &mut values, &mut random, false) {
                            break;
                        }
                        turn.not_yet()?;
                    }
                    let id = self.silent(point, number, &values);
                    pass(system, id, &mut values);
                    id
                }
                (None, false) => loop {
                    let turn = thread.before()?;
                    match self.look(&turn, point, number, &mut values, &mut random, true) {
                        Choice::Takes(id, _) => {
                            turn.after(id.0)?;
                            break id;
                        }
                        Choice::Waits => turn.not_yet()?,
                    }
                },
            };
            is_useful |= self.native.works(id);
            if self.native.ends_round(id) {
                if is_useful || !has_to_work {
                    thread.round();
                }
                is_useful = false;
            }
            point = system.transition(id).to;
        }
    }

    /// Looks which step is possible, and does it if that is wanted.
    fn look(
        &self,
        turn: &Turn<'_, '_>,
        point: PointId,
        thread: u16,
        values: &mut [i64],
        random: &mut Random,
        takes: bool,
    ) -> Choice {
        let _alone = turn.is_free().then(|| open(&self.alone));
        self.load(point, thread, values);
        let choice = self.choose(point, thread, values, random);
        if let Choice::Takes(id, inputs) = &choice
            && takes
        {
            self.take(*id, inputs, values);
        }
        choice
    }

    /// The step from a point by what is known of registers.
    fn silent(&self, point: PointId, thread: u16, values: &[i64]) -> TransitionId {
        let transitions = &self.system.point(thread.into(), point).transitions;
        let holds = |id: &&TransitionId| {
            silent_guard(self.system, **id).is_some_and(|mut guard| guard.all(|term| term.evaluate(values, &[]) != 0))
        };
        // One of them holds whatever registers are: the first is as good as any if a guard were not complete.
        transitions.iter().find(holds).or(transitions.first()).copied().unwrap_or(TransitionId(0))
    }
}

/// What a choice comes to.
fn resolve<'t>(term: &'t Arc<Term>, values: &[i64], inputs: &[i64]) -> &'t Term {
    let mut term = term;
    while let Term::If(condition, then, otherwise) = &**term {
        term = if condition.evaluate(values, inputs) != 0 { then } else { otherwise };
    }
    term
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sections::lassos::{alternating, random_tree, system};
    use crate::sections::{Opt, Options, follows};
    use crate::testing::DOUBLE;
    use litmoscope_core::program::system::States;
    use litmoscope_core::testing::looping::{Shape, looping};
    use litmoscope_core::testing::seeds;

    fn running(milliseconds: u64) -> Running {
        Running { time: Duration::from_millis(milliseconds), monitored: true, ..Running::default() }
    }

    fn run(system: &System, schedule: &ProgramSchedule, running: Running) -> Ran {
        Interpreter::new(system, schedule, running).expect("it can run").run()
    }

    #[test]
    fn two_locks_are_stuck_without_a_schedule_alone() {
        let (system, art) = alternating(DOUBLE, &[(0, 5), (1, 5)]);
        for keeps_all in [false, true] {
            let schedule =
                ProgramSchedule::of(&system, &art, Options { opt: Opt::Opt1, keeps_all }).expect("a schedule");
            let ran = run(&system, &schedule, running(50));
            assert_eq!(ran.end, End::Ended(Ended::Stopped), "{ran:?}");
            assert!(ran.sections > 0);
        }
        // Led to where both hold one lock, and then let free: no clock and no luck is in it.
        let states = States::of(&system, 100).expect("few");
        let deadlock = states.deadlocks(&system)[0];
        let steps: Vec<_> = states.way_to(deadlock).1.iter().map(|reached| reached.transition).collect();
        let ran = run(&system, &ProgramSchedule::chain(&system, &steps), running(60_000));
        let End::Ended(Ended::Stuck(standing)) = ran.end else { panic!("{ran:?}") };
        assert_eq!(standing.circle(), [0, 1]);
        assert_eq!(standing.to_string(), "T1 waits for lock 1, which T2 holds; T2 waits for lock 0, which T1 holds");
    }

    #[test]
    fn runs_keep_to_random_schedules() {
        let mut ran = 0;
        for seed in seeds(300) {
            let text = looping(seed, Shape { errors: seed % 2 == 0, ..Shape::default() });
            let system = system(&text);
            let Some(art) = random_tree(&system, seed) else { continue };
            let opt = [Opt::Opt0, Opt::Opt1, Opt::Opt2][seed as usize % 3];
            let schedule = ProgramSchedule::of(&system, &art, Options { opt, keeps_all: false }).expect("a schedule");
            let result = run(&system, &schedule, Running { seed, monitored: seed % 4 < 2, ..running(10) });
            let is_right = matches!(result.end, End::Ended(Ended::Stopped | Ended::Left));
            assert!(is_right, "seed {seed}\n{text}\n{result:?}\n{schedule:#?}");
            ran += 1;
        }
        assert!(ran > 5, "{ran}");
    }

    #[test]
    fn errors_are_told_with_their_place() {
        let text = "shared x\nx := 1; assert x = 2";
        let system = system(text);
        let schedule = ProgramSchedule::chain(&system, &[]);
        let ran = run(&system, &schedule, running(60_000));
        let End::Wrong { thread: 0, point, fault: Fault::AssertionViolated } = ran.end else { panic!("{ran:?}") };
        assert_eq!(system.point(0, point).span.line, 2);
    }

    #[test]
    fn a_larger_schedule_takes_over() {
        let text = "shared x, y\nwhile 1 { x := 1; x := 0 } || while 1 { y := 1; y := 0 }";
        let (system, art) = alternating(text, &[(0, 2), (1, 2)]);
        let of = |opt| ProgramSchedule::of(&system, &art, Options { opt, keeps_all: true }).expect("a schedule");
        let (strict, loose) = (of(Opt::Opt0), of(Opt::Opt2));
        let map = strict.map((&art, &art), &loose, follows).expect("they drop the same");
        let interpreter = Interpreter::new(&system, &strict, running(60_000)).expect("it can run");
        let ran = thread::scope(|scope| {
            let run = scope.spawn(|| interpreter.run());
            while interpreter.sections() == 0 {
                thread::yield_now();
            }
            assert_eq!(interpreter.swap(0, &loose, &map), Ok(()));
            while interpreter.swaps() == 0 {
                thread::yield_now();
            }
            let before = interpreter.sections();
            while interpreter.sections() < before + 10 {
                thread::yield_now();
            }
            interpreter.stop();
            run.join().expect("it ends")
        });
        assert_eq!((ran.swaps, ran.end), (1, End::Ended(Ended::Stopped)));
        // Locks that one drops and the other does not are no good.
        let mut other = loose.clone();
        other.dropped.push((0, PointId(0)));
        assert_eq!(interpreter.swap(1, &other, &map), Err(SwapRefused::Dropped));
    }

    #[test]
    fn inputs_are_as_assumed() {
        let text =
            "shared x = input 0..9, y\nassuming x > 7\na := x; assert a > 7; b := input {1, 2}; assume b = 2; y := b";
        let system = system(text);
        for seed in 0..5 {
            let schedule = ProgramSchedule::chain(&system, &[]);
            let ran =
                run(&system, &schedule, Running { seed, unconstrained: true, monitored: false, ..running(60_000) });
            // An input that is refused behind its event waits for good.
            let is_right = matches!(ran.end, End::Ended(Ended::Left | Ended::Stuck(_)));
            assert!(is_right, "{ran:?}");
        }
        let never = "shared x = input 0..9\nassuming x > 10\nx := 1";
        let system = super::tests::system(never);
        let none = Interpreter::new(&system, &ProgramSchedule::chain(&system, &[]), running(1)).err();
        assert_eq!(none, Some(RunError::Assuming));
    }
}
