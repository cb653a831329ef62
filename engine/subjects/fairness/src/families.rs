//! Graphs with published or computed counts, of any size.

use crate::bits::{Bits, Graph, GraphError, MOST_VERTICES};
use litmoscope_core::random::Random;
use std::collections::{HashMap, HashSet};

/// A graph with the pairs of an objective, as numbers of vertices.
pub type Objective = (Graph, Vec<(Bits, Bits)>);

fn graph(vertices: usize, edges: Vec<(u32, u32)>) -> Graph {
    // Each family has the vertices of its edges.
    Graph::new(vertices, edges, []).unwrap_or_else(|error| unreachable!("{error}"))
}

/// A path, with edges along it, and against it if that is wanted.
pub fn path(vertices: u32, both_ways: bool) -> Graph {
    let edges =
        (1..vertices).flat_map(|at| [Some((at - 1, at)), both_ways.then_some((at, at - 1))].into_iter().flatten());
    graph(vertices as usize, edges.collect())
}

/// A cycle.
pub fn cycle(vertices: u32) -> Graph {
    graph(vertices as usize, (0..vertices).map(|at| (at, (at + 1) % vertices)).collect())
}

/// A hypercube: vertices are numbers of so many bits, and an edge changes one bit.
pub fn hypercube(dimensions: u32) -> Graph {
    let vertices = 1 << dimensions;
    graph(vertices as usize, (0..vertices).flat_map(|at| (0..dimensions).map(move |bit| (at, at ^ 1 << bit))).collect())
}

/// A cascade of bad vertices: a path in both directions, whose first vertex is bad, which makes the second one bad, and so on. Basic algorithms take
/// quadratically many images, the improved one five for each vertex.
pub fn cascade(vertices: u32) -> Objective {
    let graph = path(vertices, true);
    let pair = |at: usize| (graph.set([at]), graph.set(at.checked_sub(1)));
    let pairs = (0..vertices as usize).map(pair).collect();
    (graph, pairs)
}

/// Blocks of two vertices, with a connector between each and the next one, where each removal of a connector splits a block off. Vertices are
/// numbered along.
pub fn blocks(blocks: u32) -> Objective {
    let (x, y, c) = (|at: u32| 3 * at, |at: u32| 3 * at + 1, |at: u32| 3 * at + 2);
    let mut edges = Vec::new();
    for at in 0..blocks {
        edges.extend([(x(at), y(at)), (y(at), x(at))]);
        if at + 1 < blocks {
            edges.extend([(y(at), c(at)), (c(at), y(at)), (c(at), x(at + 1)), (x(at + 1), c(at))]);
        }
    }
    let graph = graph(3 * blocks as usize - 1, edges);
    let set = |vertex: u32| graph.set([vertex as usize]);
    let pair = |at: u32| (set(c(at)), if at == 0 { graph.set([]) } else { set(x(at - 1)) });
    let pairs = (0..blocks - 1).map(pair).collect();
    (graph, pairs)
}

/// A random graph that its seed determines: so many vertices and edges, of which each vertex has one at least and none is there twice, and so
/// many per cent of the vertices, rounded down and chosen uniformly, are random. Each pair has two sets, of a fourth of the vertices and of a
/// fifth of them on average. There are as many edges as vertices at least, and as many as fit at most.
///
/// # Errors
/// [`GraphError`] for too many vertices.
pub fn random(
    vertices: u32,
    edges: u64,
    percent_random: u32,
    pairs: usize,
    seed: u64,
) -> Result<Objective, GraphError> {
    if vertices as usize > MOST_VERTICES {
        return Err(GraphError::TooMany { vertices: vertices as usize, most: MOST_VERTICES });
    }
    let mut random = Random::new(seed);
    let count = u64::from(vertices);
    let most = edges.clamp(count, count.saturating_mul(count));
    let mut known: HashSet<(u32, u32)> = (0..vertices).map(|at| (at, random.below(count) as u32)).collect();
    let mut list: Vec<(u32, u32)> = known.iter().copied().collect();
    list.sort_unstable();
    // Where most edges are there it is those that are not that are drawn.
    let is_dense = most > count.saturating_mul(count) / 2;
    if is_dense {
        let mut others: Vec<(u32, u32)> =
            (0..vertices).flat_map(|from| (0..vertices).map(move |to| (from, to))).collect();
        others.retain(|edge| !known.contains(edge));
        random.shuffle(&mut others);
        list.extend(others.into_iter().take((most - count) as usize));
    } else {
        while (list.len() as u64) < most {
            let edge = (random.below(count) as u32, random.below(count) as u32);
            if known.insert(edge) {
                list.push(edge);
            }
        }
    }
    let mut order: Vec<u32> = (0..vertices).collect();
    random.shuffle(&mut order);
    let chance = (count * u64::from(percent_random.min(100)) / 100) as usize;
    let graph = Graph::new(vertices as usize, list, order.into_iter().take(chance))?;
    let mut some = |of: u64| graph.set((0..vertices as usize).filter(|_| random.below(of) == 0).collect::<Vec<_>>());
    let pairs = (0..pairs).map(|_| (some(4), some(5))).collect();
    Ok((graph, pairs))
}

/// The same graph where so many per cent of the vertices, rounded down and chosen uniformly by a seed, are random.
pub fn with_chance(graph: &Graph, percent_random: u32, seed: u64) -> Graph {
    let count = graph.vertices() as u64;
    let mut order: Vec<u32> = (0..graph.vertices() as u32).collect();
    Random::new(seed).shuffle(&mut order);
    let chance = (count * u64::from(percent_random.min(100)) / 100) as usize;
    let edges = (0..graph.vertices()).flat_map(|from| graph.successors(from).iter().map(move |to| (from as u32, *to)));
    // It was a graph before.
    Graph::new(graph.vertices(), edges, order.into_iter().take(chance)).unwrap_or_else(|error| unreachable!("{error}"))
}

/// The philosophers of Lehmann and Rabin, in a ring: each tosses a coin which fork to take first, and puts it down again where the other one is
/// not free.
///
/// After the case study of PRISM, with 12 local states each: 0 thinks, 1 tosses, 2 and 3 wait for the left or right fork, 4 and 5 have it, 6 and 7
/// found the other one taken, 8 has both, 9 eats, 10 and 11 have put one down.
pub struct Philosophers {
    /// By vertex: the local state of each philosopher. Coins that are in the air have that before the toss, and are behind the others.
    pub states: Vec<Box<[u8]>>,
    /// By vertex: who moved last, if that is told apart; of a coin, who tosses it.
    pub last: Vec<Option<usize>>,
    /// How many vertices are no coins.
    pub count: usize,
    /// How many commands are enabled, in all states together.
    pub choices: usize,
    /// How many steps there are, two for each toss.
    pub transitions: usize,
    /// Coins are random vertices.
    pub graph: Graph,
}

/// What a philosopher may do: local states, two where a coin decides between them.
pub(crate) fn moves(own: u8, left_is_free: bool, right_is_free: bool) -> &'static [&'static [u8]] {
    match (own, left_is_free, right_is_free) {
        (0, ..) => &[&[0], &[1]],
        (1, ..) => &[&[2, 3]],
        (2, true, _) => &[&[4]],
        (2, false, _) => &[&[2]],
        (3, _, true) => &[&[5]],
        (3, _, false) => &[&[3]],
        (4, _, true) | (5, true, _) => &[&[8]],
        (4, _, false) => &[&[6]],
        (5, false, _) => &[&[7]],
        (6 | 7, ..) => &[&[1]],
        (8, ..) => &[&[9]],
        (9, ..) => &[&[10], &[11]],
        _ => &[&[0]],
    }
}

/// Whether a fork on the left is free, by the local state of who sits there.
pub(crate) fn left_is_free(left: u8) -> bool {
    left <= 4 || left == 6 || left == 10
}

/// Whether a fork on the right is free, by the local state of who sits there.
pub(crate) fn right_is_free(right: u8) -> bool {
    right <= 3 || [5, 7, 11].contains(&right)
}

/// From where a coin is tossed, and where it leads.
type Toss = (Vec<u32>, Vec<u32>);

/// The philosophers, of whom there are two at least; who moved last is told apart, or not.
pub fn philosophers(count: usize, tells_last: bool) -> Philosophers {
    let count = count.max(2);
    let first: (Box<[u8]>, Option<usize>) = (vec![0; count].into(), None);
    let mut numbers = HashMap::from([(first.clone(), 0_u32)]);
    let mut coins: HashMap<(Box<[u8]>, usize), Toss> = HashMap::new();
    let mut order = Vec::new();
    let (mut found, mut edges) = (vec![first], Vec::new());
    let (mut choices, mut transitions, mut at) = (0, 0, 0);
    while at < found.len() {
        let (state, _) = found[at].clone();
        for philosopher in 0..count {
            let (left, right) = (state[(philosopher + 1) % count], state[(philosopher + count - 1) % count]);
            for outcomes in moves(state[philosopher], left_is_free(left), right_is_free(right)) {
                let to = outcomes.iter().map(|local| {
                    let mut next = state.clone();
                    next[philosopher] = *local;
                    *numbers.entry((next, tells_last.then_some(philosopher))).or_insert_with_key(|next| {
                        found.push(next.clone());
                        found.len() as u32 - 1
                    })
                });
                let to: Vec<u32> = to.collect();
                (choices, transitions) = (choices + 1, transitions + to.len());
                if let [to] = to[..] {
                    edges.push((at as u32, to));
                } else {
                    let coin = (state.clone(), philosopher);
                    coins.entry(coin.clone()).or_insert_with(|| {
                        order.push(coin);
                        (Vec::new(), to)
                    });
                    coins.entry((state.clone(), philosopher)).and_modify(|(from, _)| from.push(at as u32));
                }
            }
        }
        at += 1;
    }
    let behind = found.len() as u32;
    let (mut states, mut last): (Vec<_>, Vec<_>) = found.into_iter().unzip();
    for (coin, key) in (behind..).zip(order) {
        let (from, to) = &coins[&key];
        edges.extend(from.iter().map(|from| (*from, coin)));
        edges.extend(to.iter().map(|to| (coin, *to)));
        states.push(key.0);
        last.push(tells_last.then_some(key.1));
    }
    let random = behind..states.len() as u32;
    let graph = Graph::new(states.len(), edges, random).unwrap_or_else(|error| unreachable!("{error}"));
    Philosophers { states, last, count: behind as usize, choices, transitions, graph }
}
