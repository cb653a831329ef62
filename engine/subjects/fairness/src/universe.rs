//! Sets of vertices as opaque values, and what algorithms may do with them.
//!
//! Edges are used in two ways alone: [`Universe::pre`] and [`Universe::post`] of whole sets. How often that is done is what the theory
//! counts ([`Counts`]).

use std::fmt::Debug;

/// Vertices with edges, some of them random, whose sets are opaque.
pub trait Universe {
    /// A set of vertices.
    type Set: Clone + PartialEq + Debug;

    /// No vertex.
    fn none(&self) -> Self::Set;

    /// All vertices.
    fn all(&self) -> Self::Set;

    /// The vertices at which chance decides.
    fn random(&self) -> &Self::Set;

    /// What is in one of them at least.
    fn union(&self, one: &Self::Set, other: &Self::Set) -> Self::Set;

    /// What is in both.
    fn intersection(&self, one: &Self::Set, other: &Self::Set) -> Self::Set;

    /// What is in the first alone.
    fn difference(&self, one: &Self::Set, other: &Self::Set) -> Self::Set;

    /// Whether nothing is in it.
    fn is_empty(&self, set: &Self::Set) -> bool;

    /// How many vertices are in it.
    fn count(&self, set: &Self::Set) -> u128;

    /// The vertex with the lowest number, alone; nothing if there is none.
    fn pick(&self, set: &Self::Set) -> Self::Set;

    /// The vertices with some successor in a set.
    fn pre(&self, set: &Self::Set) -> Self::Set;

    /// The vertices with some predecessor in a set.
    fn post(&self, set: &Self::Set) -> Self::Set;

    /// How many vertices and edges there are: thresholds depend on it.
    fn size(&self) -> (u128, u128);

    /// In how many pieces an image is made: between two of them one can stop. One at least.
    fn pieces(&self) -> usize {
        1
    }

    /// [`Universe::pre`] as far as a piece: what the pieces before it have found, and what it finds.
    fn pre_piece(&self, _piece: usize, set: &Self::Set, _before: Self::Set) -> Self::Set {
        self.pre(set)
    }

    /// [`Universe::post`] as far as a piece: what the pieces before it have found, and what it finds.
    fn post_piece(&self, _piece: usize, set: &Self::Set, _before: Self::Set) -> Self::Set {
        self.post(set)
    }

    /// Whether so much was done since [`Universe::cost`] was asked for that one should look whether to stop.
    fn is_late(&self) -> bool {
        false
    }

    /// Units of work that an image takes at about, or that were taken since this was asked for the last time: budgets are charged for it.
    fn cost(&self) -> u64 {
        u64::try_from(self.size().0).unwrap_or(u64::MAX)
    }

    /// Whether an operation would have needed more memory than it may have: since then all sets may be wrong, and operations come to an end
    /// at once.
    fn exceeded(&self) -> bool {
        false
    }

    /// How many nodes of diagrams it holds, if sets are diagrams.
    fn nodes(&self) -> Option<Nodes> {
        None
    }
}

/// Nodes of decision diagrams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nodes {
    /// How many there are, those of all sets together that somebody still has.
    pub now: usize,
    /// How many there were at most.
    pub peak: usize,
    /// How many there may be.
    pub most: usize,
}

/// What was done, in the units of the theory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Calls of [`Universe::pre`] and [`Universe::post`], of an empty set too: the symbolic steps.
    pub images: u64,
    /// Unions, intersections, differences, and looks for a vertex.
    pub operations: u64,
    /// Decompositions into strongly connected components.
    pub decompositions: u64,
    /// Lock-step searches.
    pub lock_steps: u64,
}
