//! The search for a witness: prefixes of orders, extended one move at a time, each state visited once.

use super::closure::Closure;
use super::state::State;
use super::{Instance, NodeId};
use crate::budget::{Halt, Meter};
use crate::sort;
use rustc_hash::FxHashMap;

/// What tells states apart that have to be visited both.
pub(super) type Key = Box<[u64]>;

/// How an algorithm searches.
pub(super) trait Strategy {
    /// Performs what can be performed without a choice; what that is, in order.
    fn settle(&self, search: &Problem<'_>, state: &mut State) -> Vec<NodeId>;

    /// The moves to choose among, each with the state behind it.
    fn moves(&self, search: &Problem<'_>, state: &State) -> Vec<(Vec<NodeId>, State)>;

    /// What tells the state apart.
    fn key(&self, search: &Problem<'_>, state: &State) -> Key;
}

/// What is searched.
pub(super) struct Problem<'i> {
    pub instance: &'i Instance,
    /// Orders that disagree with it are left out.
    pub closure: Option<&'i Closure>,
}

/// A visited state of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VisitedState {
    /// The state that it was reached from; `None` for the first.
    pub parent: Option<u32>,
    /// What was performed since then: the move, then what was performed without a choice.
    pub moved: Vec<NodeId>,
    /// How much of `moved` is the move.
    pub chosen: u32,
    /// Moves from here that lead to a state that was visited or is to be visited already, and to which one.
    pub repeats: Vec<(Vec<NodeId>, u32)>,
    /// Whether the search has looked at its moves.
    pub expanded: bool,
    /// How many moves it has found, those to states that are not listed included.
    pub moves: u32,
}

impl VisitedState {
    fn new(parent: Option<u32>, chosen: &[NodeId]) -> Self {
        let (moved, chosen) = (chosen.to_vec(), chosen.len() as u32);
        Self { parent, moved, chosen, repeats: Vec::new(), expanded: false, moves: 0 }
    }
}

/// The states that a search has reached, in that order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchTree {
    /// The states.
    pub visits: Vec<VisitedState>,
    /// How many more there are than are listed.
    pub more: u64,
}

impl SearchTree {
    /// By state: those that were reached from it first.
    pub fn children(&self) -> Vec<Vec<u32>> {
        let mut children = vec![Vec::new(); self.visits.len()];
        for (at, visit) in self.visits.iter().enumerate() {
            if let Some(parent) = visit.parent {
                children[parent as usize].push(at as u32);
            }
        }
        children
    }

    /// What was performed on the way to a state, all that was performed there without a choice included.
    ///
    /// # Panics
    /// If there is no such state.
    pub fn performed(&self, visit: u32) -> Vec<NodeId> {
        let up = |at: &u32| self.visits[*at as usize].parent;
        let mut way: Vec<u32> = std::iter::successors(Some(visit), up).collect();
        way.reverse();
        way.into_iter().flat_map(|at| &self.visits[at as usize].moved).copied().collect()
    }
}

/// What a search has found.
#[derive(Clone, Debug)]
pub(super) struct Searched {
    /// A witness.
    pub order: Option<Vec<NodeId>>,
    /// Whether the search was cut.
    pub bounded: bool,
    /// States reached, the first included.
    pub states: u64,
    /// Moves that lead to a state reached before.
    pub repeats: u64,
    /// The states.
    pub tree: SearchTree,
}

/// How far a search goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct SearchBounds {
    /// The most states.
    pub states: u64,
    /// The most states that are listed.
    pub listed: usize,
}

/// A state that waits to be visited.
#[derive(Clone, Debug)]
struct Waiting {
    at: u64,
    state: State,
    /// How it was reached: an index into the steps, one behind.
    trail: u32,
}

/// A search depth first, which can be put aside between two states. It belongs to one problem.
#[derive(Clone, Debug)]
pub(super) struct Search {
    found: Searched,
    /// By step: the step before, and what it performed.
    trail: Vec<(u32, Vec<NodeId>)>,
    /// By what tells states apart: their numbers.
    done: FxHashMap<Key, u64>,
    work: Vec<Waiting>,
}

impl Search {
    /// The search before its start.
    pub(super) fn new(problem: &Problem<'_>, strategy: &dyn Strategy, bounds: SearchBounds) -> Self {
        let mut found = Searched { order: None, bounded: false, states: 1, repeats: 0, tree: SearchTree::default() };
        if bounds.listed > 0 {
            found.tree.visits.push(VisitedState::new(None, &[]));
        }
        let state = State::new(problem.instance);
        let mut done: FxHashMap<Key, u64> = FxHashMap::default();
        done.insert(strategy.key(problem, &state), 0);
        Self { found, trail: Vec::new(), done, work: vec![Waiting { at: 0, state, trail: 0 }] }
    }

    /// What was found.
    pub(super) fn found(self) -> Searched {
        self.found
    }

    /// Goes on to the end or to a bound. `guide` is an order to follow where moves can be chosen among.
    pub(super) fn run(
        &mut self,
        problem: &Problem<'_>,
        strategy: &dyn Strategy,
        guide: Option<&[NodeId]>,
        bounds: SearchBounds,
        meter: &mut Meter<'_>,
    ) -> Result<(), Halt> {
        let Self { found, trail, done, work } = self;
        let rank = guide.map(|guide| {
            let mut rank = vec![u32::MAX; problem.instance.nodes.len()];
            guide.iter().enumerate().for_each(|(at, n)| rank[n.index()] = at as u32);
            rank
        });
        let listed = |at: u64| (at as usize) < bounds.listed;
        // Each state looks at what each thread could do, each of which is a copy of it.
        let cost = (problem.instance.threads.len() + 1) * (problem.instance.nodes.len() + 16);
        while !work.is_empty() {
            meter.spend(cost as u64)?;
            let Some(Waiting { at, mut state, trail: here }) = work.pop() else { break };
            let settled = strategy.settle(problem, &mut state);
            if listed(at) {
                let visit = &mut found.tree.visits[at as usize];
                visit.moved.extend(&settled);
                visit.expanded = true;
            }
            let here = if settled.is_empty() {
                here
            } else {
                trail.push((here, settled));
                trail.len() as u32
            };
            if state.left == 0 {
                found.order = Some(order_of(trail, here));
                break;
            }
            let mut moves = strategy.moves(problem, &state);
            if listed(at) {
                found.tree.visits[at as usize].moves = moves.len() as u32;
            }
            if let Some(rank) = &rank {
                sort::by_key(&mut moves, |(moved, _)| moved.last().map(|n| rank[n.index()]));
            }
            let mut next = Vec::new();
            for (moved, state) in moves {
                let key = strategy.key(problem, &state);
                if let Some(&seen) = done.get(&key) {
                    found.repeats += 1;
                    if listed(at) && listed(seen) {
                        found.tree.visits[at as usize].repeats.push((moved, seen as u32));
                    }
                    continue;
                }
                if found.states >= bounds.states {
                    found.bounded = true;
                    return Ok(());
                }
                let new = found.states;
                found.states += 1;
                done.insert(key, new);
                if listed(new) {
                    found.tree.visits.push(VisitedState::new(Some(at as u32), &moved));
                } else {
                    found.tree.more += 1;
                }
                trail.push((here, moved));
                next.push(Waiting { at: new, state, trail: trail.len() as u32 });
            }
            // The first move is visited first.
            work.extend(next.into_iter().rev());
        }
        Ok(())
    }
}

fn order_of(trail: &[(u32, Vec<NodeId>)], last: u32) -> Vec<NodeId> {
    let mut steps = Vec::new();
    let mut at = last;
    while at > 0 {
        let (before, moved) = &trail[at as usize - 1];
        steps.push(moved);
        at = *before;
    }
    steps.into_iter().rev().flatten().copied().collect()
}
