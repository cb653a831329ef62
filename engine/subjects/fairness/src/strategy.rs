//! Strategies that win with probability 1: get to a good end component, then go round in it.

use crate::algorithms::Pairs;
use crate::bits::{Bits, Graph};
use crate::step::Answer;
use crate::universe::Universe;
use std::collections::VecDeque;

/// Which successor the player takes on the way to some vertices, by vertex; nothing where chance decides, or where no way leads there.
type Way = Vec<Option<u32>>;

/// A strategy, with what it remembers of a play.
#[derive(Clone, Debug)]
pub struct Strategy {
    /// By vertex: the good end component that it is in.
    component: Vec<Option<usize>>,
    /// The way to some component.
    reach: Way,
    /// By component: the ways to the places that it comes to in turns.
    tours: Vec<Vec<(Bits, Way)>>,
    /// Which of the places of its component comes next.
    next: usize,
}

/// The shortest ways to some vertices within others.
fn ways(graph: &Graph, to: &Bits, within: &Bits) -> Way {
    let mut distance = vec![None; graph.vertices()];
    let mut queue = VecDeque::new();
    for vertex in graph.intersection(to, within).iter() {
        distance[vertex] = Some(0_u32);
        queue.push_back(vertex);
    }
    while let Some(at) = queue.pop_front() {
        for before in graph.intersection(&graph.pre(&graph.set([at])), within).iter() {
            if distance[before].is_none() {
                distance[before] = distance[at].map(|steps| steps + 1);
                queue.push_back(before);
            }
        }
    }
    let nearest = |vertex: usize| {
        let next = graph.successors(vertex).iter().copied().filter(|to| within.contains(*to as usize));
        next.filter_map(|to| Some((distance[to as usize]?, to))).min().map(|(_, to)| to)
    };
    (0..graph.vertices())
        .map(|vertex| if within.contains(vertex) && !graph.random().contains(vertex) { nearest(vertex) } else { None })
        .collect()
}

impl Strategy {
    /// A strategy of an answer of [`crate::streett_by_chance`] to the question with these pairs: from all its winning vertices. As many searches as
    /// there are pairs that ask for something, for each component.
    pub fn of(graph: &Graph, pairs: &Pairs<Bits>, answer: &Answer<Bits>) -> Self {
        let mut component = vec![None; graph.vertices()];
        let mut all = graph.none();
        for (at, set) in answer.components.iter().enumerate() {
            set.iter().for_each(|vertex| component[vertex] = Some(at));
            all = graph.union(&all, set);
        }
        let tour = |set: &Bits| {
            let asked = pairs.iter().filter(|(asks, _)| !graph.is_empty(&graph.intersection(asks, set)));
            let mut places: Vec<Bits> = asked.map(|(_, gets)| graph.intersection(gets, set)).collect();
            if places.is_empty() {
                places.push(set.clone());
            }
            places.into_iter().map(|place| (place.clone(), ways(graph, &place, set))).collect()
        };
        Self {
            component,
            reach: ways(graph, &all, &answer.winning),
            tours: answer.components.iter().map(tour).collect(),
            next: 0,
        }
    }

    /// Which of the places of its component it goes to next: what it remembers.
    pub fn memory(&self) -> usize {
        self.next
    }

    /// All that it does: each vertex at which the player chooses, the place that it goes to next there, and where it goes.
    pub fn choices(&self) -> impl Iterator<Item = (usize, usize, u32)> + '_ {
        (0..self.component.len()).flat_map(move |vertex| {
            let own = self.component[vertex].into_iter().flat_map(move |at| {
                let places = self.tours[at].iter().enumerate();
                places.filter_map(move |(place, (_, way))| Some((vertex, place, way[vertex]?)))
            });
            let outside = self.component[vertex].is_none().then(|| self.reach[vertex]).flatten();
            own.chain(outside.map(|to| (vertex, 0, to)))
        })
    }

    /// A play has come to a vertex: the successor that the player takes there, unless chance decides; `None` as well where one can't win.
    pub fn come_to(&mut self, vertex: usize) -> Option<u32> {
        let Some(at) = self.component.get(vertex).copied().flatten() else {
            self.next = 0;
            return self.reach.get(vertex).copied().flatten();
        };
        let tour = &self.tours[at];
        self.next %= tour.len();
        if tour[self.next].0.contains(vertex) {
            self.next = (self.next + 1) % tour.len();
        }
        tour[self.next].1[vertex]
    }
}
