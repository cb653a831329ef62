//! Graphs with published or computed counts, of any size.

use crate::bits::{Bits, Graph};

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
