//! Who wins from where: a game with a Streett objective, solved exactly.
//!
//! Vertices are positions, where the scheduler moves, and pairs of a position and a thread, where the input does. The objective of the
//! scheduler is a conjunction with a pair for each thread T: if T is enabled infinitely often, T runs infinitely often. That is a Streett
//! objective, and the input's is one of Rabin. Both players recurse into each other:
//!
//! - `streett`: for each thread T, take away from where the scheduler can force a step of T. If the input wins somewhere in the rest
//!   (`rabin`), it wins there and from where it can force to get there; take all that away, and begin again. If it wins nowhere, the scheduler
//!   wins everywhere: it forces a step of one thread after the other, and where it can't force one, it wins without.
//! - `rabin`, where T never runs: take away from where the input can force that T is enabled. Where the scheduler wins in the rest, with the
//!   other threads as its objective (`streett`), it wins, and from where it can force to get there; take that away, and begin again. If it wins
//!   nowhere, the input wins everywhere.
//!
//! Each player has a strategy out of that. The input's is positional: a reply for each of its vertices. The scheduler's remembers which thread
//! it is forcing, at each depth ([`Scheduler`]).
//!
//! With k threads, n vertices and m edges, the worst case is O(n²ᵏ k! m), and so exponential in the number of threads alone. Usually a step of each
//! thread can be forced from everywhere, and it is O(k m).
//!
//! Source: W. Zielonka, "Infinite games on finitely coloured graphs with applications to automata on infinite trees" (TCS 1998); F. Horn,
//! "Streett games on finite graphs" (GDV 2005), for the recursion with pairs.

use super::{Arena, Standing};
use litmoscope_core::budget::{Budget, Paused};
use rustc_hash::{FxHashMap, FxHashSet};

/// Who wins from where, and how.
#[derive(Debug)]
pub struct Solution {
    /// By position: whether the scheduler wins from there, whatever the input does. If not, the input does, whatever the scheduler does.
    pub wins: Vec<bool>,
    initial: usize,
    /// Where the scheduler forces an end, by the vertex of the input that it moves to.
    ending: FxHashMap<u32, u32>,
    plan: Plan,
    /// By vertex of the input that it wins from: where it goes.
    replies: Vec<u32>,
    game: Graph,
}

/// How the scheduler wins in some vertices.
#[derive(Debug, Default)]
struct Plan {
    /// One after the other. If there are none, all that stays among the vertices wins.
    goals: Vec<Goal>,
    stay: FxHashMap<u32, u32>,
}

/// How it has a thread run, or does without.
#[derive(Debug)]
struct Goal {
    thread: u16,
    /// Where it forces a step of the thread.
    moves: FxHashMap<u32, u32>,
    /// Where it can't: how it wins without. The input may lead from a layer to one before it, never to one behind it.
    layers: Vec<Layer>,
}

#[derive(Debug)]
struct Layer {
    /// Where it wins while the thread is not enabled.
    won: FxHashSet<u32>,
    plan: Plan,
    /// From where it forces to get there.
    moves: FxHashMap<u32, u32>,
}

/// Vertices: first those of positions, then one for each move of each.
#[derive(Debug)]
struct Graph {
    positions: usize,
    out: Vec<Vec<u32>>,
    into: Vec<Vec<u32>>,
    /// By vertex: the thread that runs; none for positions.
    runs: Vec<Option<u16>>,
    /// By vertex: the threads that are enabled; none for the input's.
    enabled: Vec<Box<[u16]>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Player {
    Scheduler,
    Input,
}

impl Graph {
    fn of(arena: &Arena<'_>) -> Self {
        let positions = arena.positions.len();
        let mut out: Vec<Vec<u32>> = vec![Vec::new(); positions];
        let mut runs = vec![None; positions];
        let mut enabled: Vec<Box<[u16]>> = arena.positions.iter().map(|position| position.enabled.clone()).collect();
        for (at, position) in arena.positions.iter().enumerate() {
            for one in &position.moves {
                let vertex = out.len() as u32;
                out[at].push(vertex);
                out.push(one.steps.iter().map(|(_, to)| *to as u32).collect());
                runs.push(Some(one.thread));
                enabled.push([].into());
            }
        }
        let mut into = vec![Vec::new(); out.len()];
        for (from, targets) in out.iter().enumerate() {
            targets.iter().for_each(|to| into[*to as usize].push(from as u32));
        }
        Self { positions, out, into, runs, enabled }
    }

    fn player(&self, vertex: u32) -> Player {
        if (vertex as usize) < self.positions { Player::Scheduler } else { Player::Input }
    }

    fn count(&self) -> usize {
        self.out.len()
    }

    /// From where a player can force to get to some vertices without leaving a region; and how it goes on where it is not there yet.
    fn attract(
        &self,
        region: &[bool],
        goal: impl Iterator<Item = u32>,
        player: Player,
        mut choose: impl FnMut(u32, u32),
    ) -> Vec<bool> {
        let mut reached = vec![false; self.count()];
        let mut work: Vec<u32> = goal.filter(|vertex| region[*vertex as usize]).collect();
        work.iter().for_each(|vertex| reached[*vertex as usize] = true);
        // Of vertices of the other player: how many ways out are left.
        let mut left: FxHashMap<u32, usize> = FxHashMap::default();
        while let Some(to) = work.pop() {
            for &from in &self.into[to as usize] {
                if !region[from as usize] || reached[from as usize] {
                    continue;
                }
                if self.player(from) == player {
                    choose(from, to);
                } else {
                    let ways = left
                        .entry(from)
                        .or_insert_with(|| self.out[from as usize].iter().filter(|to| region[**to as usize]).count());
                    *ways -= 1;
                    if *ways > 0 {
                        continue;
                    }
                }
                reached[from as usize] = true;
                work.push(from);
            }
        }
        reached
    }
}

fn without(region: &[bool], taken: &[bool]) -> Vec<bool> {
    region.iter().zip(taken).map(|(is_in, is_taken)| *is_in && !is_taken).collect()
}

fn members(region: &[bool]) -> impl Iterator<Item = u32> {
    region.iter().enumerate().filter(|(_, is_in)| **is_in).map(|(vertex, _)| vertex as u32)
}

struct Solver<'g, 'b> {
    graph: &'g Graph,
    replies: Vec<u32>,
    budget: &'b mut Budget,
}

impl Solver<'_, '_> {
    /// Where the input wins in a region that the scheduler can stay in, and how the scheduler wins elsewhere.
    fn streett(&mut self, mut region: Vec<bool>, threads: &[u16]) -> Result<(Vec<bool>, Plan), Paused> {
        let graph = self.graph;
        let mut lost = vec![false; graph.count()];
        'again: loop {
            let enabled: FxHashSet<u16> =
                members(&region).flat_map(|vertex| &graph.enabled[vertex as usize]).copied().collect();
            let threads: Vec<u16> = threads.iter().copied().filter(|thread| enabled.contains(thread)).collect();
            let mut goals = Vec::new();
            for &thread in &threads {
                self.budget.count(graph.count() as u64)?;
                let mut moves = FxHashMap::default();
                let steps = members(&region).filter(|vertex| graph.runs[*vertex as usize] == Some(thread));
                let near = graph.attract(&region, steps, Player::Scheduler, |from, to| {
                    moves.insert(from, to);
                });
                let others: Vec<u16> = threads.iter().copied().filter(|other| *other != thread).collect();
                let (wrong, layers) = self.rabin(without(&region, &near), thread, &others)?;
                if wrong.contains(&true) {
                    let replies = &mut self.replies;
                    let taken = graph.attract(&region, members(&wrong), Player::Input, |from, to| {
                        replies[from as usize] = to;
                    });
                    region = without(&region, &taken);
                    lost.iter_mut().zip(taken).for_each(|(lost, taken)| *lost |= taken);
                    continue 'again;
                }
                goals.push(Goal { thread, moves, layers });
            }
            let mut plan = Plan { goals, stay: FxHashMap::default() };
            if plan.goals.is_empty() {
                let own = members(&region).filter(|vertex| graph.player(*vertex) == Player::Scheduler);
                let stays = own.filter_map(|from| {
                    let mut targets = graph.out[from as usize].iter();
                    targets.find(|to| region[**to as usize]).map(|to| (from, *to))
                });
                plan.stay = stays.collect();
            }
            return Ok((lost, plan));
        }
    }

    /// Where the input wins in a region in which a thread never runs and that the input can stay in; and how the scheduler wins elsewhere.
    /// The input wins everywhere or, in what is left behind the layers, nowhere.
    fn rabin(&mut self, mut region: Vec<bool>, thread: u16, others: &[u16]) -> Result<(Vec<bool>, Vec<Layer>), Paused> {
        let graph = self.graph;
        let mut layers = Vec::new();
        while region.contains(&true) {
            self.budget.count(graph.count() as u64)?;
            let waits = members(&region).filter(|vertex| graph.enabled[*vertex as usize].contains(&thread));
            let replies = &mut self.replies;
            let near = graph.attract(&region, waits, Player::Input, |from, to| replies[from as usize] = to);
            let inner = without(&region, &near);
            let (lost, plan) = self.streett(inner.clone(), others)?;
            let won = without(&inner, &lost);
            if !won.contains(&true) {
                return Ok((region, layers));
            }
            let mut moves = FxHashMap::default();
            let taken = graph.attract(&region, members(&won), Player::Scheduler, |from, to| {
                moves.insert(from, to);
            });
            region = without(&region, &taken);
            let own = members(&won).filter(|vertex| graph.player(*vertex) == Player::Scheduler).collect();
            layers.push(Layer { won: own, plan, moves });
        }
        Ok((region, layers))
    }
}

impl Arena<'_> {
    /// Solves the game (the head of `solve.rs` says how, and what it takes).
    ///
    /// # Errors
    /// [`Paused`] by the budget; what was found is lost. Each look at all vertices costs a unit for each of them.
    pub fn solve(&self, budget: &mut Budget) -> Result<Solution, Paused> {
        let game = Graph::of(self);
        let mut solver = Solver { graph: &game, replies: vec![u32::MAX; game.count()], budget };
        let all = vec![true; game.count()];
        let standing = |wanted: fn(Standing) -> bool| {
            let positions = self.positions.iter().enumerate();
            positions.filter(move |(_, position)| wanted(position.standing)).map(|(at, _)| at as u32)
        };
        let wrong = standing(|standing| matches!(standing, Standing::Error | Standing::Deadlock | Standing::DeadEnd));
        let replies = &mut solver.replies;
        let wrong = game.attract(&all, wrong, Player::Input, |from, to| replies[from as usize] = to);
        let region = without(&all, &wrong);
        let mut ending = FxHashMap::default();
        let ends = standing(|standing| standing == Standing::Ended);
        let ended = game.attract(&region, ends, Player::Scheduler, |from, to| {
            ending.insert(from, to);
        });
        let threads: Vec<u16> = (0..self.system.threads.len() as u16).collect();
        let (lost, plan) = solver.streett(without(&region, &ended), &threads)?;
        let wins = (0..game.positions).map(|at| !wrong[at] && !lost[at]).collect();
        let replies = solver.replies;
        Ok(Solution { wins, initial: self.initial, ending, plan, replies, game })
    }
}

impl Solution {
    /// Whether the scheduler wins from each initial position.
    pub fn scheduler_wins(&self) -> bool {
        self.wins[..self.initial].iter().all(|wins| *wins)
    }

    /// An initial position from which the input wins.
    pub fn lost_start(&self) -> Option<usize> {
        self.wins[..self.initial].iter().position(|wins| !wins)
    }

    /// Which of the steps of a move the input takes where it wins: an index into [`super::Move::steps`]; the first one where it has no
    /// plan. `chosen` is an index into the moves of the position.
    ///
    /// # Panics
    /// If there is no such position or move.
    pub fn reply(&self, position: usize, chosen: usize) -> usize {
        let vertex = self.game.out[position][chosen];
        let to = self.replies[vertex as usize];
        self.game.out[vertex as usize].iter().position(|target| *target == to).unwrap_or_default()
    }

    /// Who wins for the scheduler.
    pub fn scheduler(&self) -> Scheduler<'_> {
        Scheduler { solution: self, memory: Vec::new() }
    }
}

/// A scheduler that wins from wherever it can be won. It remembers, at each depth of its plan, which thread it has run next, and in which
/// layer it does without.
#[derive(Clone, Debug)]
pub struct Scheduler<'s> {
    solution: &'s Solution,
    memory: Vec<(usize, usize)>,
}

/// In no layer.
const NONE: usize = usize::MAX;

impl Scheduler<'_> {
    /// What it remembers: with the position, that determines all that it does.
    pub fn memory(&self) -> &[(usize, usize)] {
        &self.memory
    }

    /// The move that it makes, an index into [`super::Position::moves`]. `None` where it does not win, and where all have ended.
    ///
    /// # Panics
    /// If there is no such position.
    pub fn choose(&mut self, position: usize) -> Option<usize> {
        let solution = self.solution;
        let vertex = position as u32;
        let to = match solution.ending.get(&vertex) {
            Some(to) => *to,
            None if solution.wins[position] => self.follow(&solution.plan, vertex)?,
            None => return None,
        };
        solution.game.out[position].iter().position(|target| *target == to)
    }

    fn follow(&mut self, mut plan: &Plan, vertex: u32) -> Option<u32> {
        let mut depth = 0;
        while !plan.goals.is_empty() {
            if self.memory.len() <= depth {
                self.memory.push((0, NONE));
            }
            let (at, in_layer) = self.memory[depth];
            let goal = &plan.goals[at];
            if let Some(to) = goal.moves.get(&vertex) {
                self.memory.truncate(depth + 1);
                let is_done = self.solution.game.runs[*to as usize] == Some(goal.thread);
                self.memory[depth] = (if is_done { (at + 1) % plan.goals.len() } else { at }, NONE);
                return Some(*to);
            }
            let is_in = |layer: &Layer| layer.won.contains(&vertex) || layer.moves.contains_key(&vertex);
            let layer = goal.layers.iter().position(is_in)?;
            if layer != in_layer {
                self.memory.truncate(depth + 1);
                self.memory[depth].1 = layer;
            }
            if let Some(to) = goal.layers[layer].moves.get(&vertex) {
                self.memory.truncate(depth + 1);
                return Some(*to);
            }
            plan = &goal.layers[layer].plan;
            depth += 1;
        }
        self.memory.truncate(depth);
        plan.stay.get(&vertex).copied()
    }
}
