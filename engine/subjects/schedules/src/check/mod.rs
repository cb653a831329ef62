//! What an intermediate result is good for, decided on the concrete states; and what an abstract reachability tree is (`tree.rs`).
//!
//! This is for checking others: it goes through all states, or through all values of variables, with no solver, and shares no code with
//! who makes intermediate results.
//!
//! # The five properties
//! A run is *permitted* if each of its steps is of a thread that is allowed. A prefix that has left the automaton allows all threads. Each
//! property is decided of all permitted runs, for all inputs; that it *holds* means that those before it do, too.
//!
//! - **safe**: no permitted run gets to an error.
//! - **realizable**: wherever a permitted run gets to and some thread is enabled, one that is allowed is enabled.
//! - **deadlock-free**: no permitted run gets to a deadlock: some thread is active, and none is enabled.
//! - **admits fairness**: some scheduler that picks allowed threads alone wins the game of [`crate::game`]: all of its runs are fair, or end as
//!   all threads have ended.
//! - **fair**: every permitted run that never ends is fair: each thread that is enabled infinitely often runs infinitely often.
//!
//! Source: P. Metzler's thesis (2020), section 4.2. Deviations:
//! - In print, each property is implied by the next one, which is meant to build on it: an intermediate result that nobody can keep to would
//!   have only fair schedulers. So here to hold includes what is weaker.
//! - In print, an intermediate result is realizable if *some* scheduler enforces it. Read to the letter, it could then allow a thread behind
//!   which nothing is allowed, as a scheduler that knows better does not pick it. Whoever runs a program picks any allowed thread
//!   that is enabled, so here no permitted run may get stuck. Then to keep to it is to enforce it, and *every enforcing scheduler* is
//!   every way to pick.
//! - In print, programs do not end. Here, a run may end if no thread is active any more.

#[cfg(test)]
pub(crate) mod tests;
mod tree;
mod values;

pub use tree::{Shape, TreeError, TreeFailure, TreeProperties, TreeProperty, closes_unfair_cycle, tree_properties};
pub use values::{Answer, Implications, Ranges, Unknown, Witness};

use crate::game::{Arena, GameError, Run, Standing};
use crate::ivr::{Ivr, IvrNode};
use litmoscope_core::budget::Budget;
use litmoscope_core::program::system::{States, System, TransitionId};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// What an intermediate result may be, from weak to strong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Property {
    /// No permitted run gets to an error.
    Safe,
    /// No permitted run gets stuck as nothing that is allowed is enabled.
    Realizable,
    /// No permitted run gets to a deadlock.
    DeadlockFree,
    /// Some scheduler that picks allowed threads wins.
    AdmitsFairness,
    /// Every permitted run that never ends is fair.
    Fair,
}

impl Property {
    /// All, from weak to strong.
    pub const ALL: [Self; 5] = [Self::Safe, Self::Realizable, Self::DeadlockFree, Self::AdmitsFairness, Self::Fair];
}

/// Why a property does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// A permitted run to an error.
    Error(Run),
    /// A permitted run to a state in which some threads are enabled, and none that is allowed.
    DeadEnd {
        /// The run.
        run: Run,
        /// Where it leads in the intermediate result.
        node: IvrNode,
        /// The threads that are allowed there, ascending.
        allowed: Vec<u16>,
        /// Those that are enabled, ascending.
        enabled: Vec<u16>,
    },
    /// A permitted run to a deadlock.
    Deadlock(Run),
    /// A permitted run with a cycle on which a thread is enabled, and not run.
    Unfair {
        /// The run, with its cycle.
        run: Run,
        /// The thread.
        thread: u16,
    },
}

impl Failure {
    /// The run.
    pub fn run(&self) -> &Run {
        match self {
            Self::Error(run) | Self::Deadlock(run) | Self::DeadEnd { run, .. } | Self::Unfair { run, .. } => run,
        }
    }
}

/// What an intermediate result is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Properties {
    /// By [`Property`]: why it fails, whatever the weaker ones are; `None` if it does not.
    ///
    /// Of [`Property::AdmitsFairness`]: what happens to a scheduler that always picks the allowed thread that ran least recently, against an
    /// input that wins. Any other scheduler loses against that input, too, perhaps otherwise.
    pub failures: [Option<Failure>; 5],
}

impl Properties {
    /// Why a property fails, whatever the weaker ones are.
    pub fn failure(&self, property: Property) -> Option<&Failure> {
        self.failures[property as usize].as_ref()
    }

    /// Whether a property holds, and all weaker ones do.
    pub fn holds(&self, property: Property) -> bool {
        self.failures[..=property as usize].iter().all(Option::is_none)
    }

    /// The strongest property that holds.
    pub fn strongest(&self) -> Option<Property> {
        Property::ALL.into_iter().take_while(|property| self.failure(*property).is_none()).last()
    }
}

/// Decides the five properties of an intermediate result; without one, of all that a program may do.
///
/// Without one, "safe" says that no error is reached, "deadlock-free" that no deadlock is, "admits fairness" that the scheduler
/// wins the game, and "fair" that each schedule is fair. Realizable it always is. Runs to errors, dead ends and deadlocks are shortest ones.
///
/// Linear in the positions and steps of the arena for each thread, but for "admits fairness" ([`Arena::solve`]).
///
/// # Errors
/// [`GameError`], for more than `limit` positions among others.
///
/// # Panics
/// If the intermediate result leads to a node that it does not have.
pub fn properties(
    system: &System,
    states: &States,
    ivr: Option<&Ivr>,
    limit: usize,
    budget: &mut Budget,
) -> Result<Properties, GameError> {
    let arena = Arena::of(system, states, ivr, limit, budget)?;
    let to = |standing| arena.first(standing).map(|at| (at, arena.run_to(at)));
    let dead_end = to(Standing::DeadEnd).map(|(at, run)| failure_at(&arena, ivr, at, run));
    Ok(Properties {
        failures: [
            to(Standing::Error).map(|(_, run)| Failure::Error(run)),
            dead_end,
            to(Standing::Deadlock).map(|(_, run)| Failure::Deadlock(run)),
            lost(&arena, ivr, budget)?,
            unfair(&arena, budget)?,
        ],
    })
}

/// What is wrong with a position that does not go on.
fn failure_at(arena: &Arena<'_>, ivr: Option<&Ivr>, at: usize, run: Run) -> Failure {
    let position = &arena.positions[at];
    match (position.standing, position.node) {
        (Standing::DeadEnd, Some(node)) => {
            let values = &arena.state(at).values;
            let behind = ivr.map(|ivr| ivr.behind(node).allows.as_slice()).unwrap_or_default().iter();
            let holds = behind
                .filter(|allowed| allowed.when.as_ref().is_none_or(|when| when.evaluate(values, &[]) != 0))
                .map(|allowed| allowed.thread);
            Failure::DeadEnd { run, node, allowed: holds.collect(), enabled: position.enabled.to_vec() }
        }
        (Standing::Error, _) => Failure::Error(run),
        _ => Failure::Deadlock(run),
    }
}

/// Steps in a row: each from where, by what and to where.
type Way = Vec<(usize, TransitionId, usize)>;

/// A shortest cycle on which a thread is enabled, and not run, behind a shortest run to such a cycle.
fn unfair(arena: &Arena<'_>, budget: &mut Budget) -> Result<Option<Failure>, GameError> {
    let mut first: Option<(usize, u16, Way)> = None;
    for thread in 0..arena.system().threads.len() as u16 {
        budget.count(arena.positions.len() as u64)?;
        let steps = |at: usize| {
            let others = arena.positions[at].moves.iter().filter(move |one| one.thread != thread);
            others.flat_map(|one| one.steps.iter().copied())
        };
        let edges: Vec<Vec<usize>> =
            (0..arena.positions.len()).map(|at| steps(at).map(|(_, to)| to).collect()).collect();
        let component = components(&edges);
        let waits = |at: usize| arena.positions[at].enabled.contains(&thread);
        let is_on_cycle = |at: usize| edges[at].iter().any(|to| component[*to] == component[at]);
        let found = (0..edges.len()).find(|&at| waits(at) && is_on_cycle(at));
        if let Some(at) = found
            && first.as_ref().is_none_or(|(other, ..)| at < *other)
        {
            let within = |from: usize| steps(from).filter(|(_, to)| component[*to] == component[at]);
            if let Some(cycle) = way_back(at, within) {
                first = Some((at, thread, cycle));
            }
        }
    }
    Ok(first.map(|(at, thread, cycle)| {
        let cycle = cycle.into_iter().map(|(from, transition, to)| arena.step(from, transition, to)).collect();
        Failure::Unfair { run: Run { cycle, ..arena.run_to(at) }, thread }
    }))
}

/// A shortest way from somewhere back to there, of at least one step.
fn way_back<I: Iterator<Item = (TransitionId, usize)>>(at: usize, steps: impl Fn(usize) -> I) -> Option<Way> {
    let mut reached: FxHashMap<usize, (usize, TransitionId)> = FxHashMap::default();
    let mut work = VecDeque::from([at]);
    while let Some(from) = work.pop_front() {
        for (transition, to) in steps(from) {
            if reached.contains_key(&to) {
                continue;
            }
            reached.insert(to, (from, transition));
            if to == at {
                let mut way = Vec::new();
                let mut behind = at;
                while way.is_empty() || behind != at {
                    let (from, transition) = reached[&behind];
                    way.push((from, transition, behind));
                    behind = from;
                }
                way.reverse();
                return Some(way);
            }
            work.push_back(to);
        }
    }
    None
}

/// What happens to who always picks the allowed thread that ran least recently, where the input wins.
fn lost(arena: &Arena<'_>, ivr: Option<&Ivr>, budget: &mut Budget) -> Result<Option<Failure>, GameError> {
    let solution = arena.solve(budget)?;
    let Some(start) = solution.lost_start() else { return Ok(None) };
    let mut order: Vec<u16> = (0..arena.system().threads.len() as u16).collect();
    let mut at = start;
    let mut way = Way::new();
    let mut seen: FxHashMap<(usize, Vec<u16>), usize> = FxHashMap::default();
    let run = |way: &[(usize, TransitionId, usize)], cycle: &[(usize, TransitionId, usize)]| {
        let steps = |way: &[(usize, TransitionId, usize)]| {
            way.iter().map(|(from, transition, to)| arena.step(*from, *transition, *to)).collect()
        };
        Run { initial: arena.state(start).clone(), steps: steps(way), cycle: steps(cycle) }
    };
    loop {
        budget.count(1)?;
        if let Some(since) = seen.insert((at, order.clone()), way.len()) {
            let (before, cycle) = way.split_at(since);
            let runs = |thread: u16| {
                cycle.iter().any(|(_, transition, _)| arena.system().transition(*transition).thread == thread)
            };
            let waits = |thread: &u16| {
                !runs(*thread) && cycle.iter().any(|(from, ..)| arena.positions[*from].enabled.contains(thread))
            };
            let thread = (0..arena.system().threads.len() as u16).find(waits);
            // The input wins, so some thread is never run.
            return Ok(thread.map(|thread| Failure::Unfair { run: run(before, cycle), thread }));
        }
        let moves = &arena.positions[at].moves;
        let ran = |thread: u16| order.iter().position(|other| *other == thread);
        let Some(chosen) = (0..moves.len()).min_by_key(|one| ran(moves[*one].thread)) else {
            return Ok(Some(failure_at(arena, ivr, at, run(&way, &[]))));
        };
        let thread = moves[chosen].thread;
        let (transition, to) = moves[chosen].steps[solution.reply(at, chosen)];
        way.push((at, transition, to));
        order.retain(|other| *other != thread);
        order.push(thread);
        at = to;
    }
}

/// The strongly connected component of each vertex, as a number; components are numbered from the last ones on (Tarjan 1972).
fn components(edges: &[Vec<usize>]) -> Vec<usize> {
    const NEW: usize = usize::MAX;
    let mut component = vec![NEW; edges.len()];
    let (mut number, mut low) = (vec![NEW; edges.len()], vec![0; edges.len()]);
    let (mut stack, mut next, mut count) = (Vec::new(), 0, 0);
    for root in 0..edges.len() {
        if number[root] != NEW {
            continue;
        }
        let mut work = vec![(root, 0)];
        while let Some(&(at, edge)) = work.last() {
            if number[at] == NEW {
                (number[at], low[at]) = (next, next);
                next += 1;
                stack.push(at);
            }
            if let Some(&to) = edges[at].get(edge) {
                if let Some(top) = work.last_mut() {
                    top.1 += 1;
                }
                if number[to] == NEW {
                    work.push((to, 0));
                } else if component[to] == NEW {
                    low[at] = low[at].min(number[to]);
                }
                continue;
            }
            work.pop();
            if let Some(&(above, _)) = work.last() {
                low[above] = low[above].min(low[at]);
            }
            if low[at] == number[at] {
                while let Some(member) = stack.pop() {
                    component[member] = count;
                    if member == at {
                        break;
                    }
                }
                count += 1;
            }
        }
    }
    component
}
