//! Answers by definition: all subsets of few vertices, and explicit searches in more.

use crate::bits::{Bits, Graph};
use crate::step::Step;
use crate::strategy::Strategy;
use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) type Vertices = BTreeSet<usize>;

/// A graph as its vertices see it.
pub(crate) struct Explicit {
    pub(crate) successors: Vec<Vec<usize>>,
    pub(crate) random: Vertices,
    pub(crate) pairs: Vec<(Vertices, Vertices)>,
}

impl Explicit {
    pub(crate) fn graph(&self) -> Graph {
        let edges = self.successors.iter().enumerate();
        let edges = edges.flat_map(|(from, to)| to.iter().map(move |to| (from as u32, *to as u32)));
        Graph::new(self.successors.len(), edges, self.random.iter().map(|at| *at as u32)).expect("it is one")
    }

    pub(crate) fn vertices(&self) -> Vertices {
        (0..self.successors.len()).collect()
    }

    fn components(&self, of: &Vertices) -> Vec<Vertices> {
        let mut graph = DiGraph::<usize, ()>::new();
        let nodes: Vec<NodeIndex> = self.vertices().into_iter().map(|at| graph.add_node(at)).collect();
        for (from, to) in self.successors.iter().enumerate() {
            for to in to.iter().filter(|to| of.contains(&from) && of.contains(to)) {
                graph.add_edge(nodes[from], nodes[*to], ());
            }
        }
        let components = tarjan_scc(&graph).into_iter().map(|nodes| nodes.into_iter().map(|at| graph[at]).collect());
        components.filter(|component: &Vertices| component.is_subset(of)).collect()
    }

    pub(crate) fn has_edge(&self, set: &Vertices) -> bool {
        set.iter().any(|from| self.successors[*from].iter().any(|to| set.contains(to)))
    }

    fn is_connected(&self, set: &Vertices) -> bool {
        self.components(set).len() == 1 && self.has_edge(set)
    }

    fn is_good(&self, set: &Vertices) -> bool {
        self.pairs.iter().all(|(asks, gets)| asks.is_disjoint(set) || !gets.is_disjoint(set))
    }

    fn is_closed(&self, set: &Vertices) -> bool {
        set.intersection(&self.random).all(|at| self.successors[*at].iter().all(|to| set.contains(to)))
    }

    /// The largest of all subsets that fit.
    fn largest(&self, fits: impl Fn(&Vertices) -> bool) -> BTreeSet<Vertices> {
        let count = self.successors.len();
        let all = (1_u32..1 << count).map(|bits| (0..count).filter(|at| bits >> at & 1 == 1).collect::<Vertices>());
        let fitting: Vec<Vertices> = all.filter(fits).collect();
        fitting
            .iter()
            .filter(|one| !fitting.iter().any(|other| one != &other && one.is_subset(other)))
            .cloned()
            .collect()
    }

    /// All sets in which a run can stay and come to all of it, of few vertices.
    pub(crate) fn connected(&self) -> BTreeSet<Vertices> {
        let count = self.successors.len();
        let all = (1_u32..1 << count).map(|bits| (0..count).filter(|at| bits >> at & 1 == 1).collect::<Vertices>());
        all.filter(|set| self.is_connected(set)).collect()
    }

    /// Those of them out of which chance does not lead.
    pub(crate) fn connected_and_closed(&self) -> BTreeSet<Vertices> {
        self.connected().into_iter().filter(|set| self.is_closed(set)).collect()
    }

    pub(crate) fn good_components(&self) -> BTreeSet<Vertices> {
        self.largest(|set| self.is_connected(set) && self.is_good(set))
    }

    pub(crate) fn end_components(&self) -> BTreeSet<Vertices> {
        self.largest(|set| self.is_connected(set) && self.is_closed(set))
    }

    pub(crate) fn good_end_components(&self) -> BTreeSet<Vertices> {
        self.largest(|set| self.is_connected(set) && self.is_closed(set) && self.is_good(set))
    }

    /// The same of more vertices: components, without what is bad in them, again and again.
    pub(crate) fn good_components_of_many(&self) -> BTreeSet<Vertices> {
        let (mut work, mut good) = (self.components(&self.vertices()), BTreeSet::new());
        while let Some(set) = work.pop() {
            let bad: Vertices = self
                .pairs
                .iter()
                .filter(|(_, gets)| gets.is_disjoint(&set))
                .flat_map(|(asks, _)| asks.intersection(&set).copied())
                .collect();
            if bad.is_empty() {
                good.extend(self.has_edge(&set).then_some(set));
            } else {
                work.extend(self.components(&set.difference(&bad).copied().collect()));
            }
        }
        good
    }

    /// What has to hold of each candidate that an algorithm takes: that it is connected or has no heads and tails only then; that each of its
    /// components that no edge enters has a head, and each that none leaves a tail; and that chance does not lead out of it.
    pub(crate) fn check_candidates(&self, steps: &[Step<Bits>], random: &Vertices) -> Result<(), String> {
        for step in steps {
            let Step::Candidate { set, heads, tails } = step else { continue };
            let [set, heads, tails] = [set, heads, tails].map(|bits| bits.iter().collect::<Vertices>());
            let leads = |from: &Vertices, to: &Vertices| {
                from.iter().any(|at| self.successors[*at].iter().any(|next| to.contains(next) && !from.contains(next)))
            };
            let wrong = |what: &str| Err(format!("{what} of candidate {set:?}, heads {heads:?}, tails {tails:?}"));
            let components = self.components(&set);
            if heads.is_empty() && tails.is_empty() {
                if components.len() > 1 {
                    return wrong("there are no starts");
                }
            } else {
                for component in &components {
                    let others: Vertices = set.difference(component).copied().collect();
                    if !leads(&others, component) && heads.is_disjoint(component) {
                        return wrong("no head is in the first component");
                    }
                    if !leads(component, &others) && tails.is_disjoint(component) {
                        return wrong("no tail is in the last component");
                    }
                }
            }
            if set.intersection(random).any(|at| self.successors[*at].iter().any(|to| !set.contains(to))) {
                return wrong("chance leads out");
            }
        }
        Ok(())
    }

    /// Whether a strategy wins with probability 1 from some vertices: of its plays, as vertices and what it remembers, each set that is never
    /// left again has to be good.
    pub(crate) fn check_strategy(&self, strategy: &Strategy, winning: &Vertices) -> Result<(), String> {
        let mut plays: Vec<(usize, Strategy, Option<u32>)> = Vec::new();
        let mut numbers = BTreeMap::new();
        let mut graph = DiGraph::<usize, ()>::new();
        let mut add = |vertex: usize, before: &Strategy, graph: &mut DiGraph<usize, ()>, plays: &mut Vec<_>| {
            let mut now = before.clone();
            let choice = now.come_to(vertex);
            *numbers.entry((vertex, before.memory(), now.memory())).or_insert_with(|| {
                plays.push((vertex, now, choice));
                graph.add_node(vertex)
            })
        };
        for vertex in winning {
            add(*vertex, strategy, &mut graph, &mut plays);
        }
        let mut at = 0;
        while at < plays.len() {
            let (vertex, memory, choice) = plays[at].clone();
            let next: Vec<usize> = match choice {
                _ if self.random.contains(&vertex) => self.successors[vertex].clone(),
                Some(to) if self.successors[vertex].contains(&(to as usize)) => vec![to as usize],
                _ => return Err(format!("the strategy does not know what to do at {vertex}")),
            };
            for to in next {
                let to = add(to, &memory, &mut graph, &mut plays);
                graph.update_edge(NodeIndex::new(at), to, ());
            }
            at += 1;
        }
        for component in tarjan_scc(&graph) {
            let stays = component.iter().all(|at| graph.neighbors(*at).all(|to| component.contains(&to)));
            let set: Vertices = component.iter().map(|at| graph[*at]).collect();
            if stays && !self.is_good(&set) {
                return Err(format!("the strategy stays in {set:?}"));
            }
        }
        Ok(())
    }

    /// From where one gets to some vertices within a set.
    fn reaching(&self, of: &Vertices, within: &Vertices) -> Vertices {
        let mut reaching: Vertices = of.intersection(within).copied().collect();
        loop {
            let more: Vertices = within
                .iter()
                .copied()
                .filter(|at| !reaching.contains(at) && self.successors[*at].iter().any(|to| reaching.contains(to)))
                .collect();
            if more.is_empty() {
                return reaching;
            }
            reaching.extend(more);
        }
    }

    pub(crate) fn winning(&self, good: &BTreeSet<Vertices>) -> Vertices {
        self.reaching(&good.iter().flatten().copied().collect(), &self.vertices())
    }

    /// From where one gets to some vertices almost surely: while there is somewhere from where chance leads away, that is left out.
    pub(crate) fn winning_by_chance(&self, good: &BTreeSet<Vertices>) -> Vertices {
        let of: Vertices = good.iter().flatten().copied().collect();
        let mut left = self.vertices();
        loop {
            let stays = |at: &usize| {
                let mut to = self.successors[*at].iter();
                of.contains(at)
                    || if self.random.contains(at) {
                        to.all(|to| left.contains(to))
                    } else {
                        to.any(|to| left.contains(to))
                    }
            };
            let allowed: Vertices = left.iter().copied().filter(stays).collect();
            let reaching = self.reaching(&of, &allowed);
            if reaching == left {
                return left;
            }
            left = reaching;
        }
    }
}
