//! Vertices with numbers, and their sets as bits.

use crate::universe::Universe;
use std::rc::Rc;

/// A set of numbered vertices.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Bits(Rc<[u64]>);

impl Bits {
    /// The vertices in it, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(at, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
                rest &= rest - 1;
                Some(64 * at + bit)
            })
        })
    }

    /// Whether a vertex is in it.
    pub fn contains(&self, vertex: usize) -> bool {
        self.0.get(vertex / 64).is_some_and(|word| word >> (vertex % 64) & 1 == 1)
    }

    fn with(&self, other: &Self, combine: impl Fn(u64, u64) -> u64) -> Self {
        Self(self.0.iter().zip(&*other.0).map(|(&a, &b)| combine(a, b)).collect())
    }
}

/// A graph whose vertices are listed one by one; some of them may be random.
#[derive(Clone, Debug)]
pub struct Graph {
    successors: Vec<Box<[u32]>>,
    predecessors: Vec<Box<[u32]>>,
    edges: usize,
    random: Bits,
}

/// What is no graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GraphError {
    /// An edge from or to a vertex that there is none.
    #[error("there is no vertex {vertex}: the {vertices} vertices are numbered from 0")]
    NoVertex {
        /// Its number.
        vertex: u32,
        /// How many there are.
        vertices: usize,
    },
    /// Vertices that are too many to list.
    #[error("{vertices} vertices are too many to list: up to {most} are")]
    TooMany {
        /// How many there are.
        vertices: usize,
        /// How many there may be.
        most: usize,
    },
}

/// How many vertices are listed at most.
pub const MOST_VERTICES: usize = 10_000_000;

impl Graph {
    /// A graph with these edges, each once however often it is given, and these random vertices.
    ///
    /// # Errors
    /// [`GraphError`] for a vertex that is not there, or too many of them.
    pub fn new(
        vertices: usize,
        edges: impl IntoIterator<Item = (u32, u32)>,
        random: impl IntoIterator<Item = u32>,
    ) -> Result<Self, GraphError> {
        if vertices > MOST_VERTICES {
            return Err(GraphError::TooMany { vertices, most: MOST_VERTICES });
        }
        let known = |vertex: u32| {
            if (vertex as usize) < vertices {
                Ok(vertex as usize)
            } else {
                Err(GraphError::NoVertex { vertex, vertices })
            }
        };
        let mut successors = vec![Vec::new(); vertices];
        let mut predecessors = vec![Vec::new(); vertices];
        for (from, to) in edges {
            successors[known(from)?].push(to);
            known(to)?;
        }
        let mut count = 0;
        for (from, to) in successors.iter_mut().enumerate() {
            to.sort_unstable();
            to.dedup();
            count += to.len();
            to.iter().for_each(|to| predecessors[*to as usize].push(from as u32));
        }
        let mut chance = vec![0; vertices.div_ceil(64)];
        for vertex in random {
            let vertex = known(vertex)?;
            chance[vertex / 64] |= 1 << (vertex % 64);
        }
        let boxed = |lists: Vec<Vec<u32>>| lists.into_iter().map(Into::into).collect();
        Ok(Self {
            successors: boxed(successors),
            predecessors: boxed(predecessors),
            edges: count,
            random: Bits(chance.into()),
        })
    }

    /// How many vertices it has.
    pub fn vertices(&self) -> usize {
        self.successors.len()
    }

    /// The successors of a vertex, ascending.
    pub fn successors(&self, vertex: usize) -> &[u32] {
        &self.successors[vertex]
    }

    /// The random vertices, ascending.
    pub(crate) fn random_vertices(&self) -> impl Iterator<Item = usize> + '_ {
        self.random.iter()
    }

    /// The set of these vertices; those that there are none are left out.
    pub fn set(&self, vertices: impl IntoIterator<Item = usize>) -> Bits {
        let mut words = vec![0; self.vertices().div_ceil(64)];
        for vertex in vertices.into_iter().filter(|vertex| *vertex < self.vertices()) {
            words[vertex / 64] |= 1 << (vertex % 64);
        }
        Bits(words.into())
    }

    fn image(&self, set: &Bits, edges: &[Box<[u32]>]) -> Bits {
        self.set(set.iter().flat_map(|vertex| edges[vertex].iter().map(|to| *to as usize)))
    }
}

impl Universe for Graph {
    type Set = Bits;

    fn none(&self) -> Bits {
        self.set([])
    }

    fn all(&self) -> Bits {
        self.set(0..self.vertices())
    }

    fn random(&self) -> &Bits {
        &self.random
    }

    fn union(&self, one: &Bits, other: &Bits) -> Bits {
        one.with(other, |a, b| a | b)
    }

    fn intersection(&self, one: &Bits, other: &Bits) -> Bits {
        one.with(other, |a, b| a & b)
    }

    fn difference(&self, one: &Bits, other: &Bits) -> Bits {
        one.with(other, |a, b| a & !b)
    }

    fn is_empty(&self, set: &Bits) -> bool {
        set.0.iter().all(|word| *word == 0)
    }

    fn count(&self, set: &Bits) -> u128 {
        set.0.iter().map(|word| u128::from(word.count_ones())).sum()
    }

    fn pick(&self, set: &Bits) -> Bits {
        self.set(set.iter().next())
    }

    fn pre(&self, set: &Bits) -> Bits {
        self.image(set, &self.predecessors)
    }

    fn post(&self, set: &Bits) -> Bits {
        self.image(set, &self.successors)
    }

    fn size(&self) -> (u128, u128) {
        (self.vertices() as u128, self.edges as u128)
    }
}
