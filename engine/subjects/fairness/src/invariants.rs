//! Invariants 6.1 to 6.6 of the algorithms, held against explicit searches, step by step.
//!
//! They are those of V. Toman's thesis, chapter 6:
//!
//! - **6.1** A candidate without heads and tails is strongly connected. Of any other one, each component that no edge enters has a head, and each
//!   component that no edge leaves has a tail.
//! - **6.2** On graphs, candidates and what was found have no vertex in common, and each good component is within one of them.
//! - **6.3** The same of maximal end components, where those are looked for.
//! - **6.4** As 6.1, with tails alone.
//! - **6.5** As 6.2, of good end components.
//! - **6.6** Chance does not lead out of a candidate.
//!
//! Nothing is shared with the algorithms but the graph. A check takes a search in each candidate; what is good is searched for once.

use crate::algorithms::Pairs;
use crate::bits::{Bits, Graph};
use crate::lists::{Candidate, List, Sought};
use crate::universe::Universe;
use std::cell::RefCell;
use std::collections::HashMap;

/// What became of an invariant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// Its number in the thesis.
    pub number: &'static str,
    /// Whether it holds.
    pub holds: bool,
    /// The vertices by which it does not hold: those of a component without a head or tail, those in common, those within no candidate, or those
    /// from which chance leads out.
    pub vertices: Bits,
}

impl Held {
    /// What has to hold, in words.
    pub fn sentence(&self) -> &'static str {
        match self.number {
            "6.1" => {
                "A candidate without heads and tails is strongly connected. Of any other one, each component that no edge \
                 enters has a head, and each that no edge leaves has a tail."
            }
            "6.2" => {
                "Candidates and what was found have no vertex in common, and each good component is within one of them."
            }
            "6.3" => {
                "Candidates and what was found have no vertex in common, and each maximal end component is within one of \
                 them."
            }
            "6.4" => {
                "A candidate without tails is strongly connected. Of any other one, each component that no edge leaves has \
                 a tail."
            }
            "6.5" => {
                "Candidates and what was found have no vertex in common, and each good end component is within one of \
                 them."
            }
            _ => "Chance does not lead out of a candidate.",
        }
    }
}

/// How many vertices a graph has at most where invariants are checked though nobody asked.
pub const MOST_CHECKED: usize = 300;

/// What has to hold of the work lists of algorithms on a graph.
pub struct Invariants<'g> {
    graph: &'g Graph,
    good: Vec<Bits>,
    good_end_components: Vec<Bits>,
    /// By set: its maximal end components.
    end_components: RefCell<HashMap<Bits, Vec<Bits>>>,
}

impl<'g> Invariants<'g> {
    /// The invariants of questions with these pairs.
    pub fn new(graph: &'g Graph, pairs: &Pairs<Bits>) -> Self {
        let all = graph.all();
        let good = without_bad(graph, pairs, &|set| {
            components(graph, set).into_iter().filter(|component| has_edge(graph, component)).collect()
        });
        let good_end_components = without_bad(graph, pairs, &|set| end_components(graph, set));
        let known = HashMap::from([(all.clone(), end_components(graph, &all))]);
        Self { graph, good, good_end_components, end_components: known.into() }
    }

    /// Those that are about a work list.
    pub fn check(&self, list: &List<Bits>) -> Vec<Held> {
        let graph = self.graph;
        let held = |number, vertices: Bits| Held { number, holds: graph.is_empty(&vertices), vertices };
        match list.sought {
            Sought::Components => {
                vec![held("6.1", self.without_start(list, true)), held("6.2", self.outside(list, &self.good))]
            }
            Sought::EndComponents => vec![
                held("6.1", self.without_start(list, true)),
                held("6.5", self.outside(list, &self.good_end_components)),
                held("6.6", self.leaking(list)),
            ],
            Sought::MaximalEndComponents => {
                let mut known = self.end_components.borrow_mut();
                let parts = known.entry(list.of.clone()).or_insert_with(|| end_components(graph, &list.of));
                vec![held("6.3", self.outside(list, parts)), held("6.4", self.without_start(list, false))]
            }
        }
    }

    /// First and last components that have no start.
    fn without_start(&self, list: &List<Bits>, by_heads: bool) -> Bits {
        let graph = self.graph;
        let mut wrong = graph.none();
        for Candidate { set, heads, tails } in &list.candidates {
            let found = components(graph, set);
            if found.len() < 2 {
                continue;
            }
            let has_starts = !graph.is_empty(heads) || !graph.is_empty(tails);
            for component in &found {
                let others = graph.difference(set, component);
                let is_first = by_heads && !meets(graph, &graph.post(&others), component);
                let is_last = !meets(graph, &graph.post(component), &others);
                let is_right = has_starts
                    && (!is_first || meets(graph, heads, component))
                    && (!is_last || meets(graph, tails, component));
                if !is_right {
                    wrong = graph.union(&wrong, component);
                }
            }
        }
        wrong
    }

    /// What candidates and found sets have in common, and parts that are within none of them.
    fn outside(&self, list: &List<Bits>, parts: &[Bits]) -> Bits {
        let graph = self.graph;
        let (mut seen, mut wrong) = (graph.none(), graph.none());
        let sets = || list.candidates.iter().map(|candidate| &candidate.set).chain(&list.found);
        for set in sets() {
            wrong = graph.union(&wrong, &graph.intersection(&seen, set));
            seen = graph.union(&seen, set);
        }
        for part in parts {
            if !sets().any(|set| graph.is_empty(&graph.difference(part, set))) {
                wrong = graph.union(&wrong, part);
            }
        }
        wrong
    }

    fn leaking(&self, list: &List<Bits>) -> Bits {
        list.candidates
            .iter()
            .fold(self.graph.none(), |all, candidate| self.graph.union(&all, &leaving(self.graph, &candidate.set)))
    }
}

fn meets(graph: &Graph, one: &Bits, other: &Bits) -> bool {
    !graph.is_empty(&graph.intersection(one, other))
}

fn has_edge(graph: &Graph, set: &Bits) -> bool {
    set.iter().any(|from| graph.successors(from).iter().any(|to| set.contains(*to as usize)))
}

/// The random vertices of a set from which an edge leads out of it.
fn leaving(graph: &Graph, set: &Bits) -> Bits {
    let leads_out = |from: &usize| graph.successors(*from).iter().any(|to| !set.contains(*to as usize));
    graph.set(graph.intersection(set, graph.random()).iter().filter(leads_out))
}

/// The strongly connected components of a set, after Tarjan.
fn components(graph: &Graph, set: &Bits) -> Vec<Bits> {
    const UNSEEN: usize = usize::MAX;
    let mut numbers = vec![UNSEEN; graph.vertices()];
    let mut lowest = vec![UNSEEN; graph.vertices()];
    let mut is_open = vec![false; graph.vertices()];
    let (mut count, mut open, mut found) = (0, Vec::new(), Vec::new());
    for root in set.iter() {
        if numbers[root] != UNSEEN {
            continue;
        }
        let mut way = vec![(root, 0)];
        while let Some((at, next)) = way.last_mut() {
            let at = *at;
            if *next == 0 {
                (numbers[at], lowest[at]) = (count, count);
                count += 1;
                open.push(at);
                is_open[at] = true;
            }
            if let Some(to) = graph.successors(at).get(*next).map(|to| *to as usize) {
                *next += 1;
                if set.contains(to) && numbers[to] == UNSEEN {
                    way.push((to, 0));
                } else if set.contains(to) && is_open[to] {
                    lowest[at] = lowest[at].min(numbers[to]);
                }
                continue;
            }
            way.pop();
            if let Some((before, _)) = way.last() {
                lowest[*before] = lowest[*before].min(lowest[at]);
            }
            if lowest[at] == numbers[at] {
                let first = open.iter().rposition(|one| *one == at).unwrap_or(0);
                let component = open.split_off(first);
                component.iter().for_each(|one| is_open[*one] = false);
                found.push(graph.set(component));
            }
        }
    }
    found
}

/// The maximal end components within a set: components, without the vertices from which chance leads out, again and again.
fn end_components(graph: &Graph, of: &Bits) -> Vec<Bits> {
    let (mut work, mut found) = (components(graph, of), Vec::new());
    while let Some(set) = work.pop() {
        let leaving = leaving(graph, &set);
        if !graph.is_empty(&leaving) {
            work.extend(components(graph, &graph.difference(&set, &leaving)));
        } else if has_edge(graph, &set) {
            found.push(set);
        }
    }
    found
}

/// What is good among the parts of all vertices: parts, without what is bad in them, again and again.
fn without_bad(graph: &Graph, pairs: &Pairs<Bits>, parts: &dyn Fn(&Bits) -> Vec<Bits>) -> Vec<Bits> {
    let (mut work, mut good) = (parts(&graph.all()), Vec::new());
    while let Some(set) = work.pop() {
        let asks = pairs.iter().filter(|(_, gets)| !meets(graph, gets, &set));
        let bad = asks.fold(graph.none(), |all, (asks, _)| graph.union(&all, &graph.intersection(asks, &set)));
        if graph.is_empty(&bad) {
            good.push(set);
        } else {
            work.extend(parts(&graph.difference(&set, &bad)));
        }
    }
    good
}

#[cfg(test)]
impl Invariants<'_> {
    /// Good components, good end components, and maximal end components.
    pub(crate) fn known(&self) -> [Vec<Bits>; 3] {
        let end_components = end_components(self.graph, &self.graph.all());
        [self.good.clone(), self.good_end_components.clone(), end_components]
    }
}
