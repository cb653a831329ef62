//! Sets of vertices as binary decision diagrams.
//!
//! A vertex is a number of some bits, the highest first. Each bit has two variables next to each other: of the vertex, and of a successor. An
//! image is a relational product with the edges. The variables of a successor become those of a vertex by another product, with the
//! identity: the library's own renaming is an unsafe function.

use crate::bits::Graph;
use crate::universe::Universe;
use biodivine_lib_bdd::{Bdd, BddPartialValuation, BddVariable, BddVariableSet, op_function};

/// A set of vertices.
#[derive(Clone, Debug)]
pub struct Diagram(Bdd);

impl PartialEq for Diagram {
    // The same set may have its nodes in another order.
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0 || self.0.xor(&other.0).is_false()
    }
}

impl Diagram {
    /// How many nodes it has.
    pub fn nodes(&self) -> usize {
        self.0.size()
    }
}

/// Vertices with edges as decision diagrams.
pub struct Diagrams {
    variables: BddVariableSet,
    now: Vec<BddVariable>,
    next: Vec<BddVariable>,
    edges: Bdd,
    /// A successor is the vertex itself.
    identity: Bdd,
    all: Diagram,
    random: Diagram,
}

/// How many bits a vertex has at most: vertices are counted exactly.
pub const MOST_BITS: u16 = 120;

impl Diagrams {
    /// No edges between vertices of so many bits. None of them is there yet, either.
    ///
    /// # Panics
    /// If there are more bits than [`MOST_BITS`].
    fn empty(bits: u16) -> Self {
        assert!(bits <= MOST_BITS, "a vertex has up to {MOST_BITS} bits");
        let variables = BddVariableSet::new_anonymous(2 * bits.max(1));
        let (now, next): (Vec<_>, Vec<_>) = variables.variables().chunks(2).map(|pair| (pair[0], pair[1])).unzip();
        let same = |(now, next): (&BddVariable, &BddVariable)| variables.mk_var(*now).iff(&variables.mk_var(*next));
        let identity = now.iter().zip(&next).map(same).fold(variables.mk_true(), |all, one| all.and(&one));
        let none = variables.mk_false();
        Self { edges: none.clone(), identity, all: Diagram(none.clone()), random: Diagram(none), variables, now, next }
    }

    /// The vertices and edges of a graph.
    pub fn of(graph: &Graph) -> Self {
        let bits = u64::BITS - (graph.vertices().max(2) as u64 - 1).leading_zeros();
        let mut this = Self::empty(bits as u16);
        this.all = this.set(0..graph.vertices() as u64);
        this.random = this.set(graph.random().iter().map(|at| at as u64));
        let edges = (0..graph.vertices()).flat_map(|from| graph.successors(from).iter().map(move |to| (from, *to)));
        let clauses: Vec<_> = edges
            .map(|(from, to)| {
                let mut clause = BddPartialValuation::empty();
                this.fix(&mut clause, &this.now, from as u64);
                this.fix(&mut clause, &this.next, u64::from(to));
                clause
            })
            .collect();
        this.edges = this.variables.mk_dnf(&clauses);
        this
    }

    /// A hypercube, whose edges change one bit: two to the power of its dimensions are the vertices.
    ///
    /// # Panics
    /// If it has more dimensions than [`MOST_BITS`].
    pub fn hypercube(dimensions: u16) -> Self {
        let mut this = Self::empty(dimensions);
        this.all = Diagram(this.variables.mk_true());
        // From the lowest bit on: the same so far, or one changed.
        let (mut same, mut changed) = (this.variables.mk_true(), this.variables.mk_false());
        for (now, next) in this.now.iter().zip(&this.next).rev() {
            let differs = this.variables.mk_var(*now).xor(&this.variables.mk_var(*next));
            changed = changed.and_not(&differs).or(&same.and(&differs));
            same = same.and_not(&differs);
        }
        this.edges = changed;
        this
    }

    fn fix(&self, clause: &mut BddPartialValuation, variables: &[BddVariable], vertex: u64) {
        for (at, variable) in variables.iter().rev().enumerate() {
            clause.set_value(*variable, vertex.checked_shr(at as u32).unwrap_or(0) & 1 == 1);
        }
    }

    /// The set of these vertices.
    pub fn set(&self, vertices: impl IntoIterator<Item = u64>) -> Diagram {
        let clauses: Vec<_> = vertices
            .into_iter()
            .map(|vertex| {
                let mut clause = BddPartialValuation::empty();
                self.fix(&mut clause, &self.now, vertex);
                clause
            })
            .collect();
        Diagram(self.variables.mk_dnf(&clauses))
    }

    /// The vertices of a set, ascending.
    pub fn vertices(&self, set: &Diagram) -> Vec<u64> {
        // The variables of a successor are free in it: each vertex once.
        let once = set.0.and(&self.identity);
        let number = |valuation: biodivine_lib_bdd::BddValuation| {
            self.now.iter().fold(0, |number, bit| number << 1 | u64::from(valuation.value(*bit)))
        };
        let mut all: Vec<u64> = once.sat_valuations().map(number).collect();
        all.sort_unstable();
        all
    }

    /// The nodes of the diagram of a set, the root last: by which bit of a vertex it decides, the highest of which is 0, and the nodes for a 0
    /// and for a 1 of it. The first two are no decisions: what is not in the set, and what is.
    pub fn nodes(&self, set: &Diagram) -> Vec<(u16, usize, usize)> {
        let bdd = &set.0;
        let node = |at| {
            let bit = bdd.var_of(at).to_index() as u16 / 2;
            (bit, bdd.low_link_of(at).to_index(), bdd.high_link_of(at).to_index())
        };
        bdd.pointers().map(node).collect()
    }

    /// Whether a vertex is in a set.
    pub fn contains(&self, set: &Diagram, vertex: u64) -> bool {
        !set.0.and(&self.set([vertex]).0).is_false()
    }

    /// What is so of a vertex as what is so of a successor, or the other way around: the variables that are given up are those of `from`.
    fn moved(&self, set: &Bdd, from: &[BddVariable]) -> Bdd {
        Bdd::binary_op_with_exists(&self.identity, set, op_function::and, from)
    }

    /// How many pairs of values of all variables fit, for each value of those that a set does not speak of.
    fn size_of(&self, bdd: &Bdd, free: usize) -> u128 {
        let exact = bdd.exact_cardinality() >> free;
        u128::try_from(exact).unwrap_or(u128::MAX)
    }
}

impl Universe for Diagrams {
    type Set = Diagram;

    fn none(&self) -> Diagram {
        Diagram(self.variables.mk_false())
    }

    fn all(&self) -> Diagram {
        self.all.clone()
    }

    fn random(&self) -> &Diagram {
        &self.random
    }

    fn union(&self, one: &Diagram, other: &Diagram) -> Diagram {
        Diagram(one.0.or(&other.0))
    }

    fn intersection(&self, one: &Diagram, other: &Diagram) -> Diagram {
        Diagram(one.0.and(&other.0))
    }

    fn difference(&self, one: &Diagram, other: &Diagram) -> Diagram {
        Diagram(one.0.and_not(&other.0))
    }

    fn is_empty(&self, set: &Diagram) -> bool {
        set.0.is_false()
    }

    fn count(&self, set: &Diagram) -> u128 {
        self.size_of(&set.0, self.next.len())
    }

    fn pick(&self, set: &Diagram) -> Diagram {
        let Some(first) = set.0.first_valuation() else { return self.none() };
        let mut clause = BddPartialValuation::empty();
        for variable in &self.now {
            clause.set_value(*variable, first.value(*variable));
        }
        Diagram(self.variables.mk_conjunctive_clause(&clause))
    }

    fn pre(&self, set: &Diagram) -> Diagram {
        let after = self.moved(&set.0, &self.now);
        Diagram(Bdd::binary_op_with_exists(&self.edges, &after, op_function::and, &self.next))
    }

    fn post(&self, set: &Diagram) -> Diagram {
        let after = Bdd::binary_op_with_exists(&self.edges, &set.0, op_function::and, &self.now);
        Diagram(self.moved(&after, &self.next))
    }

    fn size(&self) -> (u128, u128) {
        (self.count(&self.all), self.size_of(&self.edges, 0))
    }
}
