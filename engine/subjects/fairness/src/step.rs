//! What algorithms do, step by step, and what they say at their ends.

/// Which way a lock-step search goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From a vertex that lost an edge that led to it, against the edges: to a component that no edge enters.
    Backward,
    /// From a vertex that lost an edge that led away, along the edges: to a component that no edge leaves.
    Forward,
}

/// One of the searches of a lock-step search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search<S> {
    /// Where it begins, a single vertex.
    pub start: S,
    /// Which way it goes.
    pub direction: Direction,
    /// What it has reached.
    pub reached: S,
}

/// A step of an algorithm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step<S> {
    /// A set was decomposed into strongly connected components.
    Components {
        /// The set.
        of: S,
        /// The components, in the order in which they were found.
        components: Vec<S>,
    },
    /// A set was decomposed into maximal end components.
    EndComponents {
        /// The set.
        of: S,
        /// The end components, in the order in which they were found.
        components: Vec<S>,
    },
    /// A candidate is looked at: what wins within it is yet to be found.
    Candidate {
        /// The candidate.
        set: S,
        /// Vertices that lost an edge that led to them.
        heads: S,
        /// Vertices that lost an edge that led away.
        tails: S,
    },
    /// Vertices of a candidate are bad: they ask for what the candidate does not have.
    Bad {
        /// The candidate.
        set: S,
        /// The vertices.
        bad: S,
        /// By whose pairs.
        pairs: Vec<usize>,
    },
    /// Vertices from which chance may lead out of a candidate.
    Leaking {
        /// The candidate.
        set: S,
        /// The vertices.
        vertices: S,
    },
    /// What is removed with some vertices: from there, chance leads to them whatever the player does.
    Attractor {
        /// The vertices.
        of: S,
        /// They, and what is removed with them.
        removed: S,
        /// The same layer by layer: the vertices, from where chance leads to them with the next step, and so on.
        layers: Vec<S>,
    },
    /// No edge is left in a candidate.
    NoEdge {
        /// The candidate.
        set: S,
    },
    /// A round of a lock-step search: each search did one step.
    Round {
        /// Its number, from 1.
        number: u64,
        /// The searches that go on.
        searches: Vec<Search<S>>,
    },
    /// A search was dropped, as it met the start of another one.
    Dropped {
        /// The search.
        search: Search<S>,
        /// Where the other one begins.
        met: S,
    },
    /// A search found nothing new: what it reached is a component.
    Returned {
        /// The search.
        search: Search<S>,
    },
    /// A component was split off from a candidate.
    Split {
        /// The component.
        component: S,
        /// What is left of the candidate.
        rest: S,
    },
    /// A component is good: who stays in it and goes round in all of it wins.
    Good {
        /// The component.
        set: S,
    },
    /// From where one gets to some vertices: for sure on graphs, almost surely where there is chance.
    Reach {
        /// The vertices.
        of: S,
        /// From where.
        from: S,
    },
}

/// What an algorithm found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer<S> {
    /// From where one wins.
    pub winning: S,
    /// The components within which one wins, in the order in which they were found: good ones; or those of a decomposition.
    pub components: Vec<S>,
}
