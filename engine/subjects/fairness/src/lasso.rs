//! Runs that show an answer: a way to a good component, and a cycle in it.

use crate::algorithms::Pairs;
use crate::bits::{Bits, Graph};
use std::collections::VecDeque;

/// An infinite run, as vertices: a way, and a cycle that is gone round for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasso {
    /// From the first vertex to the one before the cycle; empty if that begins the run.
    pub stem: Vec<usize>,
    /// The cycle, each vertex with an edge to the next one, and the last with one to the first.
    pub cycle: Vec<usize>,
}

/// A shortest way from a vertex to one that fits, within some vertices: both ends included. With at least one edge, if `moves`.
fn way(
    graph: &Graph,
    from: usize,
    within: impl Fn(usize) -> bool,
    fits: impl Fn(usize) -> bool,
    moves: bool,
) -> Option<Vec<usize>> {
    if !moves && fits(from) {
        return Some(vec![from]);
    }
    let mut before: Vec<Option<usize>> = vec![None; graph.vertices()];
    let mut queue = VecDeque::from([from]);
    while let Some(at) = queue.pop_front() {
        for to in graph.successors(at).iter().map(|to| *to as usize).filter(|to| within(*to)) {
            if fits(to) {
                let mut way = vec![to, at];
                let mut first = at;
                while let Some(previous) = before[first] {
                    way.push(previous);
                    first = previous;
                }
                way.reverse();
                return Some(way);
            }
            if before[to].is_none() && to != from {
                before[to] = Some(at);
                queue.push_back(to);
            }
        }
    }
    None
}

impl Lasso {
    /// A run from a vertex into a good component, and round in it: it comes to some vertex of the second set of each pair whose first set
    /// the component has vertices of. `None` if there is no way there. Linear in the graph for each pair.
    pub fn into_component(graph: &Graph, pairs: &Pairs<Bits>, component: &Bits, from: usize) -> Option<Self> {
        let inside = |at: usize| component.contains(at);
        let mut stem = way(graph, from, |_| true, inside, false)?;
        let start = stem.pop()?;
        let mut cycle = vec![start];
        for (asks, gets) in pairs {
            let asked = asks.iter().any(inside);
            if !asked || cycle.iter().any(|at| gets.contains(*at)) {
                continue;
            }
            let at = *cycle.last()?;
            cycle.extend(way(graph, at, inside, |at| gets.contains(at) && inside(at), false)?.into_iter().skip(1));
        }
        let back = way(graph, *cycle.last()?, inside, |at| at == start, true)?;
        cycle.extend(&back[1..back.len() - 1]);
        Some(Self { stem, cycle })
    }

    /// Whether it is a run of a graph that meets an objective: all that it needs to know are edges and pairs.
    pub fn meets(&self, graph: &Graph, pairs: &Pairs<Bits>) -> bool {
        let [Some(first), Some(last)] = [self.cycle.first(), self.cycle.last()] else { return false };
        let has_edge = |from: usize, to: usize| {
            from < graph.vertices() && graph.successors(from).iter().any(|next| *next as usize == to)
        };
        let all: Vec<usize> = self.stem.iter().chain(&self.cycle).copied().collect();
        let comes_to = |set: &Bits| self.cycle.iter().any(|at| set.contains(*at));
        all.windows(2).all(|pair| has_edge(pair[0], pair[1]))
            && has_edge(*last, *first)
            && pairs.iter().all(|(asks, gets)| !comes_to(asks) || comes_to(gets))
    }
}
