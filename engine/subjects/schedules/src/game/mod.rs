//! The concrete states as a game: who schedules, against who chooses inputs.
//!
//! An [`Arena`] has a position for each state that is reached, together with the node of an intermediate result if there is one. In a
//! position the scheduler picks an allowed thread that is enabled, and the input picks which of its steps is taken. The input also picks the
//! initial state. The scheduler wins if all threads come to their ends, or if the run never ends and is *fair*: each thread that is
//! enabled infinitely often runs infinitely often. The input wins with an error, a deadlock, a position in which nothing that is allowed
//! is enabled, and a run that is not fair. [`Arena::solve`] says who wins from where, and how (`solve.rs`).
//!
//! Everything here goes through all states. It shares no code with who verifies, and is what that is held against.
//!
//! Source: P. Metzler's thesis (2020), section 4.2. Deviations: there, programs do not end; here, to end is to win. What the game is on
//! infinite runs is said there in words alone.

mod solve;
#[cfg(test)]
pub(crate) mod tests;

pub use solve::{Scheduler, Solution};

use crate::ivr::{Ivr, IvrNode};
use litmoscope_core::budget::{Budget, Paused};
use litmoscope_core::program::system::{State, States, Successor, System, TransitionId};
use rustc_hash::FxHashMap;

/// Why a game is not looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GameError {
    /// There are too many positions.
    #[error("there are more than {0} pairs of a state and a node of the intermediate result")]
    TooManyPositions(usize),
    /// The states are not all there.
    #[error("the states were not explored to their end")]
    Unexplored,
    /// The budget has ended. What was found is lost.
    #[error("stopped before the end")]
    Paused,
}

impl From<Paused> for GameError {
    fn from(Paused: Paused) -> Self {
        Self::Paused
    }
}

/// How things stand in a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Standing {
    /// Some allowed thread is enabled.
    GoesOn,
    /// No thread is active: all have ended.
    Ended,
    /// A thread went wrong.
    Error,
    /// Some thread is active, and none is enabled.
    Deadlock,
    /// Some thread is enabled, but none that is allowed.
    DeadEnd,
}

/// What a scheduler may pick.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// The thread.
    pub thread: u16,
    /// Its steps, of which the input picks one: the transition, and the position that it leads to.
    pub steps: Vec<(TransitionId, usize)>,
}

/// A position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// The state, an index into [`States::states`].
    pub state: usize,
    /// The node of the intermediate result; `None` where it does not constrain, or there is none.
    pub node: Option<IvrNode>,
    /// How things stand.
    pub standing: Standing,
    /// The threads that are enabled, ascending, whether they are allowed or not.
    pub enabled: Box<[u16]>,
    /// One for each allowed thread that is enabled, ascending by thread.
    pub moves: Vec<Move>,
}

/// What there is to be played.
#[derive(Clone, Debug)]
pub struct Arena<'a> {
    system: &'a System,
    states: &'a States,
    /// The positions, breadth first, the initial ones first.
    pub positions: Vec<Position>,
    /// How many of them are initial.
    pub initial: usize,
    /// By position: from which one, and by what, it was reached first; `None` for initial ones.
    reached: Vec<Option<(usize, TransitionId)>>,
}

/// A run of a program: a way through its states, and perhaps a cycle that it goes round for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Where it starts.
    pub initial: State,
    /// What is done.
    pub steps: Vec<Successor>,
    /// What is done again and again behind that; it leads back to where it begins. Empty if the run ends.
    pub cycle: Vec<Successor>,
}

impl Run {
    /// The state behind the steps, where the cycle begins if there is one.
    pub fn last(&self) -> &State {
        self.steps.last().map_or(&self.initial, |step| &step.state)
    }

    /// Whether it is a run of a system that keeps to an intermediate result: it starts in an initial state, each step is one of its
    /// thread there, which is allowed however often it goes round, and the cycle comes back. Shares no code with who made it.
    pub fn replays(&self, system: &System, ivr: Option<&Ivr>) -> bool {
        let Ok(starts) = system.initial_states() else { return false };
        let mut state = &self.initial;
        let mut node = ivr.map(|_| IvrNode(0));
        // Behind so many rounds, a node has come again.
        let rounds = if self.cycle.is_empty() { 0 } else { ivr.map_or(0, |ivr| ivr.nodes.len()) + 2 };
        for step in self.steps.iter().chain((0..rounds).flat_map(|_| &self.cycle)) {
            let thread = system.transition(step.transition).thread;
            if let (Some(ivr), Some(at)) = (ivr, node) {
                let allows = |when: &litmoscope_core::program::system::Term| when.evaluate(&state.values, &[]) != 0;
                let mut allowed = ivr.behind(at).allows.iter().filter(|allowed| allowed.thread == thread);
                if !allowed.any(|allowed| allowed.when.as_deref().is_none_or(allows)) {
                    return false;
                }
                node = ivr.step(at, step.transition);
            }
            if !system.successors(state, thread.into()).is_ok_and(|successors| successors.contains(step)) {
                return false;
            }
            state = &step.state;
        }
        starts.contains(&self.initial) && (self.cycle.is_empty() || state == self.last())
    }

    /// Whether a thread is enabled somewhere on the cycle, and not run on it.
    pub fn starves(&self, system: &System, thread: u16) -> bool {
        let is_enabled = |step: &Successor| {
            system.successors(&step.state, thread.into()).is_ok_and(|successors| !successors.is_empty())
        };
        self.cycle.iter().any(is_enabled)
            && self.cycle.iter().all(|step| system.transition(step.transition).thread != thread)
    }
}

impl<'a> Arena<'a> {
    /// What can be played within an intermediate result, or by all that a program may do if there is none.
    ///
    /// Linear in the positions and their steps. A position costs the budget a unit.
    ///
    /// # Errors
    /// [`GameError`], for more than `limit` positions among others.
    ///
    /// # Panics
    /// If the intermediate result leads to a node that it does not have.
    pub fn of(
        system: &'a System,
        states: &'a States,
        ivr: Option<&Ivr>,
        limit: usize,
        budget: &mut Budget,
    ) -> Result<Self, GameError> {
        if states.steps.len() < states.states.len() {
            return Err(GameError::Unexplored);
        }
        let initial = states.reached.iter().take_while(|reached| reached.is_none()).count();
        let mut this = Self { system, states, positions: Vec::new(), initial, reached: Vec::new() };
        let mut index: FxHashMap<(usize, Option<IvrNode>), usize> = FxHashMap::default();
        let mut places: Vec<(usize, Option<IvrNode>)> = Vec::new();
        for state in 0..initial {
            let place = (state, ivr.map(|_| IvrNode(0)));
            index.insert(place, places.len());
            places.push(place);
            this.reached.push(None);
        }
        while let Some(&(at, node)) = places.get(this.positions.len()) {
            budget.count(1)?;
            let state = &states.states[at];
            let mut enabled: Vec<u16> =
                states.steps[at].iter().map(|(transition, _)| system.transition(*transition).thread).collect();
            enabled.sort_unstable();
            enabled.dedup();
            let behind = ivr.zip(node).map(|(ivr, node)| ivr.behind(node));
            let is_allowed = |thread: u16| {
                let Some(behind) = behind else { return true };
                let mut allowed = behind.allows.iter().filter(|allowed| allowed.thread == thread);
                allowed.any(|allowed| allowed.when.as_ref().is_none_or(|when| when.evaluate(&state.values, &[]) != 0))
            };
            let mut moves = Vec::new();
            for &thread in enabled.iter().filter(|thread| is_allowed(**thread)) {
                let own =
                    states.steps[at].iter().filter(|(transition, _)| system.transition(*transition).thread == thread);
                let mut steps = Vec::new();
                for &(transition, to) in own {
                    let place = (to, ivr.zip(node).and_then(|(ivr, node)| ivr.step(node, transition)));
                    let position = *index.entry(place).or_insert_with(|| {
                        places.push(place);
                        this.reached.push(Some((this.positions.len(), transition)));
                        places.len() - 1
                    });
                    steps.push((transition, position));
                }
                moves.push(Move { thread, steps });
            }
            if places.len() > limit {
                return Err(GameError::TooManyPositions(limit));
            }
            let standing = match () {
                () if system.is_error(state) => Standing::Error,
                () if !moves.is_empty() => Standing::GoesOn,
                () if !enabled.is_empty() => Standing::DeadEnd,
                () if system.is_active(state) => Standing::Deadlock,
                () => Standing::Ended,
            };
            this.positions.push(Position { state: at, node, standing, enabled: enabled.into(), moves });
        }
        Ok(this)
    }

    /// The system.
    pub fn system(&self) -> &'a System {
        self.system
    }

    /// The state of a position.
    pub fn state(&self, position: usize) -> &'a State {
        &self.states.states[self.positions[position].state]
    }

    /// The first position in which things stand so: one of those with the fewest steps to them.
    pub fn first(&self, standing: Standing) -> Option<usize> {
        self.positions.iter().position(|position| position.standing == standing)
    }

    /// A shortest run to a position.
    pub fn run_to(&self, position: usize) -> Run {
        let mut steps = Vec::new();
        let mut at = position;
        while let Some((from, transition)) = self.reached[at] {
            steps.push((from, transition, at));
            at = from;
        }
        steps.reverse();
        let steps = steps.into_iter().map(|(from, transition, to)| self.step(from, transition, to)).collect();
        Run { initial: self.state(at).clone(), steps, cycle: Vec::new() }
    }

    /// A step between two positions, with inputs with which it is taken.
    ///
    /// # Panics
    /// If there is none.
    pub(crate) fn step(&self, from: usize, transition: TransitionId, to: usize) -> Successor {
        let thread = self.system.transition(transition).thread;
        let mut successors = self.system.successors(self.state(from), thread.into()).unwrap_or_default().into_iter();
        let found = successors.find(|step| step.transition == transition && step.state == *self.state(to));
        found.expect("a step of these states")
    }
}

/// How many runs there are.
///
/// A *run of k steps* is an initial state with k steps from there on, or fewer if there are no more: behind an error, a deadlock, and where all
/// threads have ended. Two runs differ if a transition or a state does; inputs that lead to the same state are the same step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunCounts {
    /// All.
    pub all: u128,
    /// Those that end with an error.
    pub errors: u128,
    /// Those that end with a deadlock.
    pub deadlocks: u128,
    /// Those of which each step is allowed.
    pub admitted: u128,
    /// Those of which each step is allowed, and that end with an error or a deadlock: none if the intermediate result is safe and free of
    /// deadlocks.
    pub admitted_wrong: u128,
    /// The numbers are too large: where they are the largest ones that there are, they may be larger.
    pub saturated: bool,
}

impl RunCounts {
    /// Those that are not admitted and do not go wrong within these steps.
    pub fn undecided(&self) -> u128 {
        let wrong = self.errors.saturating_add(self.deadlocks);
        self.all.saturating_sub(self.admitted).saturating_sub(wrong.saturating_sub(self.admitted_wrong))
    }
}

/// How many runs of 0, 1, ... `steps` steps there are, how many of them go wrong, and how many an intermediate result admits.
///
/// It takes as many passes over all positions as there are steps.
///
/// # Errors
/// [`GameError`], for more than `limit` positions among others.
///
/// # Panics
/// As [`Arena::of`].
pub fn count_runs(
    system: &System,
    states: &States,
    ivr: &Ivr,
    steps: usize,
    limit: usize,
    budget: &mut Budget,
) -> Result<Vec<RunCounts>, GameError> {
    let whole = Arena::of(system, states, None, limit, budget)?.count(steps, budget)?;
    let within = Arena::of(system, states, Some(ivr), limit, budget)?.count(steps, budget)?;
    let together = |(all, admitted): (Ends, Ends)| RunCounts {
        all: all.runs,
        errors: all.errors,
        deadlocks: all.deadlocks,
        admitted: admitted.runs,
        admitted_wrong: admitted.errors.saturating_add(admitted.deadlocks),
        saturated: all.saturated || admitted.saturated,
    };
    Ok(whole.into_iter().zip(within).map(together).collect())
}

/// How runs in an arena end.
#[derive(Clone, Copy, Default)]
struct Ends {
    runs: u128,
    errors: u128,
    deadlocks: u128,
    saturated: bool,
}

impl Arena<'_> {
    /// By number of steps: the runs in this arena. One that gets to a dead end is none.
    fn count(&self, steps: usize, budget: &mut Budget) -> Result<Vec<Ends>, Paused> {
        let mut at: Vec<u128> = (0..self.positions.len()).map(|position| u128::from(position < self.initial)).collect();
        let mut ends = Vec::new();
        let mut ended = Ends::default();
        let add = |to: &mut u128, more: u128, saturated: &mut bool| {
            let (sum, is_over) = to.overflowing_add(more);
            *to = if is_over { u128::MAX } else { sum };
            *saturated |= is_over;
        };
        for step in 0..=steps {
            budget.count(self.positions.len() as u64)?;
            let mut next = vec![0; self.positions.len()];
            let mut saturated = ended.saturated;
            let mut open = 0;
            for (position, &runs) in self.positions.iter().zip(&at).filter(|(_, runs)| **runs > 0) {
                match position.standing {
                    Standing::GoesOn => {
                        add(&mut open, runs, &mut saturated);
                        for (_, to) in position.moves.iter().flat_map(|one| &one.steps) {
                            add(&mut next[*to], runs, &mut saturated);
                        }
                        continue;
                    }
                    Standing::DeadEnd => continue,
                    Standing::Ended => {}
                    Standing::Error => add(&mut ended.errors, runs, &mut saturated),
                    Standing::Deadlock => add(&mut ended.deadlocks, runs, &mut saturated),
                }
                add(&mut ended.runs, runs, &mut saturated);
            }
            ended.saturated = saturated;
            add(&mut open, ended.runs, &mut saturated);
            // It has as many steps as it is to have; with one more, it would be no run any more.
            let stays = self.positions.iter().zip(&at).filter(|(position, _)| position.standing == Standing::DeadEnd);
            stays.for_each(|(_, runs)| add(&mut open, *runs, &mut saturated));
            ends.push(Ends { runs: open, saturated, ..ended });
            if step < steps {
                at = next;
            }
        }
        Ok(ends)
    }
}

/// How many interleavings threads with so many events have: (m₁ + … + mₙ)! / (m₁! ⋯ mₙ!). `None` if that has more than 128 bits.
pub fn interleavings(events: &[u64]) -> Option<u128> {
    let (mut all, mut result) = (0_u128, 1_u128);
    for &own in events {
        all += u128::from(own);
        let few = u128::from(own).min(all - u128::from(own));
        // Each of these is a binomial, so nothing between is larger than the result.
        let mut ways = 1_u128;
        for chosen in 1..=few {
            let common = gcd(ways, chosen);
            ways = (ways / common).checked_mul((all - few + chosen) / (chosen / common))?;
        }
        result = result.checked_mul(ways)?;
    }
    Some(result)
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}
