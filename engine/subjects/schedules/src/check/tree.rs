//! What an abstract reachability tree is, by what its terms say of each other ([`Implications`]).
//!
//! # The five properties
//! Each includes those before it. Nodes whose labels never hold have no states, and are left out but for "well-labelled".
//!
//! - **well-labelled**: the label of the root holds of all initial states; behind each edge, the label there holds of all that its transition
//!   makes of states where the label above holds; a covered node is where its coverer is, which is not covered, and its label implies that of
//!   its coverer.
//! - **safe**: no thread has gone wrong at a node. And where a thread is expanded, each transition that has no edge can't be taken.
//! - **deadlock-free**: a node is covered, or no thread is active, or some thread is expanded; and each expanded thread that might wait is
//!   enabled wherever the label holds.
//! - **admits fairness**: on each cycle, each thread that is active somewhere is expanded somewhere.
//! - **fair**: on each cycle, each thread that is active somewhere is that of an edge.
//!
//! A cycle is one of edges to nodes below and to coverers. What is below a covered node is no part of it, as executions go on
//! from its coverer; nor is it looked at for "safe" and "deadlock-free".
//!
//! If a tree has one of these from "safe" on, its intermediate result ([`Art::ivr`]) has the property of that name.
//!
//! Source: P. Metzler's thesis (2020), section 4.3. Deviations:
//! - In print, nothing says that a thread that is allowed has all of its edges. Where one is missing, an execution leaves the tree, and
//!   then all is allowed: so "safe" asks for it, and "deadlock-free" need not.
//! - In print, each edge of a thread that might wait has a guard that the label implies. Here, one event may have several
//!   transitions, so one of them has to be possible.
//! - In print, the last condition is that *each* successor lies on the cycle. That would forbid branches; its proof needs one edge.
//! - In print, nodes below covered ones count, too. They make cycles that no execution goes round.
//! - In print, all threads are active for ever. Where none is, a run has ended.

use super::{Implications, Unknown, Witness, components, way_back};
use crate::art::{Art, NodeId};
use litmoscope_core::program::system::{System, Term, TransitionId};

/// What a tree may be, from weak to strong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TreeProperty {
    /// Labels hold where they stand.
    WellLabelled,
    /// No error, and no way out of the tree.
    Safe,
    /// Some thread goes on.
    DeadlockFree,
    /// On no cycle is an active thread never allowed.
    AdmitsFairness,
    /// On no cycle is an active thread never run.
    Fair,
}

impl TreeProperty {
    /// All, from weak to strong.
    pub const ALL: [Self; 5] = [Self::WellLabelled, Self::Safe, Self::DeadlockFree, Self::AdmitsFairness, Self::Fair];
}

/// Why a tree is not what it claims to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TreeFailure {
    /// The label of the root does not hold of an initial state.
    Start(Witness),
    /// The label behind an edge does not hold.
    Edge {
        /// Where the edge ends.
        node: NodeId,
        /// Values at the node above it.
        witness: Witness,
    },
    /// A node's coverer is covered itself, or somewhere else.
    NoCoverer(NodeId),
    /// A node's label does not imply that of its coverer.
    Covering {
        /// The node that is covered.
        node: NodeId,
        /// Values for which it does not.
        witness: Witness,
    },
    /// A thread went wrong at a node whose label holds of something.
    Error(NodeId),
    /// A thread is expanded at a node, but not by this transition.
    Missing {
        /// The node.
        node: NodeId,
        /// The transition.
        transition: TransitionId,
        /// Values for which it can be taken.
        witness: Witness,
    },
    /// No thread is expanded at a node.
    Unexpanded(NodeId),
    /// An expanded thread may have to wait at a node.
    Waits {
        /// The node.
        node: NodeId,
        /// The thread.
        thread: u16,
        /// Values for which it waits.
        witness: Witness,
    },
    /// A cycle on which a thread is active, and never expanded, or never run.
    Unfair {
        /// The nodes in their order. The last one leads to the first one.
        cycle: Vec<NodeId>,
        /// The thread.
        thread: u16,
    },
}

/// What is wrong with the shape of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Shape {
    /// It has no node.
    #[error("there is no root")]
    Empty,
    /// It names a node that there is not.
    #[error("it names a node that there is not")]
    NoNode,
    /// What is said to be above is not what it is below of.
    #[error("it is not below the one node that it says is above it, or is in front of that")]
    Above,
    /// An edge is not of a transition that its thread has there.
    #[error("an edge below it is not of a transition that its thread has there")]
    NoTransition,
    /// Edges are not ascending, or two are of one transition.
    #[error("the edges below it are not ascending by transition")]
    Order,
    /// The points are not those that the edge leads to, or that threads start at.
    #[error("its points are not where the edge leads that is above it")]
    Points,
}

/// Why nothing is decided of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TreeError {
    /// It is no tree of this system.
    #[error("node {}: {shape}", node.0)]
    Shape {
        /// The node.
        node: NodeId,
        /// What is wrong with it.
        shape: Shape,
    },
    /// What follows from what is not known.
    #[error(transparent)]
    Unknown(#[from] Unknown),
}

/// What a tree is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeProperties {
    /// By [`TreeProperty`]: the first reason why it fails, whatever the weaker ones are; `None` if it does not.
    pub failures: [Option<TreeFailure>; 5],
}

impl TreeProperties {
    /// Why a property fails, whatever the weaker ones are.
    pub fn failure(&self, property: TreeProperty) -> Option<&TreeFailure> {
        self.failures[property as usize].as_ref()
    }

    /// Whether a property holds, and all weaker ones do.
    pub fn holds(&self, property: TreeProperty) -> bool {
        self.failures[..=property as usize].iter().all(Option::is_none)
    }

    /// The strongest property that holds.
    pub fn strongest(&self) -> Option<TreeProperty> {
        TreeProperty::ALL.into_iter().take_while(|property| self.failure(*property).is_none()).last()
    }
}

/// Decides the five properties of a tree.
///
/// It asks whether something follows a few times for each node and edge. Cycles take linear time for each thread.
///
/// # Errors
/// [`TreeError`] if it is no tree of this system, or something is not known.
pub fn tree_properties(
    system: &System,
    art: &Art,
    implications: &mut impl Implications,
) -> Result<TreeProperties, TreeError> {
    shape(system, art)?;
    let never = Term::Constant(0);
    let mut tree = Tree { system, art, empty: Vec::new(), reached: Vec::new() };
    for node in &art.nodes {
        tree.empty.push(implications.implies(system, &node.label, &never)?.is_none());
    }
    tree.reached = tree.reached();
    let safe = match tree.error() {
        Some(failure) => Some(failure),
        None => tree.missing(implications)?,
    };
    Ok(TreeProperties {
        failures: [
            tree.labels(implications)?,
            safe,
            tree.deadlock(implications)?,
            tree.unfair(|at, thread| !tree.expands(at, thread), |_, _| true),
            tree.unfair(|_, _| true, |transition, thread| system.transition(transition).thread != thread),
        ],
    })
}

/// Whether everything that is named is there, and what an edge leads to is where it leads.
fn shape(system: &System, art: &Art) -> Result<(), TreeError> {
    let wrong = |node: usize, shape| Err(TreeError::Shape { node: NodeId(node as u32), shape });
    if art.nodes.is_empty() {
        return wrong(0, Shape::Empty);
    }
    for (at, node) in art.nodes.iter().enumerate() {
        let is_there = |id: &NodeId| (id.0 as usize) < art.nodes.len();
        let mut named = node.below.iter().map(|(_, to)| to).chain(&node.covered_by);
        if !named.all(is_there) || node.above.is_some_and(|(above, _)| !is_there(&above)) {
            return wrong(at, Shape::NoNode);
        }
        let points = match node.above {
            None if at == 0 => system.threads.iter().map(|thread| thread.start).collect(),
            Some((above, transition)) if at > 0 && (above.0 as usize) < at => {
                let below = &art.node(above).below;
                if below.iter().filter(|(_, to)| to.0 as usize == at).count() != 1
                    || !below.contains(&(transition, NodeId(at as u32)))
                {
                    return wrong(at, Shape::Above);
                }
                // What is above has been looked at, so there is such a transition.
                let mut points = art.node(above).points.clone();
                let transition = system.transition(transition);
                points[usize::from(transition.thread)] = transition.to;
                points
            }
            _ => return wrong(at, Shape::Above),
        };
        if points != node.points {
            return wrong(at, Shape::Points);
        }
        for (transition, to) in &node.below {
            let Some(own) = system.transitions.get(transition.0 as usize) else {
                return wrong(at, Shape::NoTransition);
            };
            if points[usize::from(own.thread)] != own.from {
                return wrong(at, Shape::NoTransition);
            }
            if art.node(*to).above != Some((NodeId(at as u32), *transition)) {
                return wrong(to.0 as usize, Shape::Above);
            }
        }
        if !node.below.is_sorted_by(|(one, _), (other, _)| one < other) {
            return wrong(at, Shape::Order);
        }
    }
    Ok(())
}

struct Tree<'a> {
    system: &'a System,
    art: &'a Art,
    /// By node: its label never holds.
    empty: Vec<bool>,
    /// By node: executions get to it, perhaps.
    reached: Vec<bool>,
}

impl Tree<'_> {
    /// Where executions go from a node: by a transition, or to the coverer.
    fn next(&self, at: usize) -> impl Iterator<Item = (Option<TransitionId>, usize)> {
        let node = &self.art.nodes[at];
        let coverer = node.covered_by.map(|coverer| (None, coverer.0 as usize));
        let ends = coverer.is_some() || self.is_wrong(NodeId(at as u32));
        let below = if ends { &[][..] } else { node.below.as_slice() };
        let below = below.iter().map(|(transition, to)| (Some(*transition), to.0 as usize));
        coverer.into_iter().chain(below).filter(|(_, to)| !self.empty[*to])
    }

    fn reached(&self) -> Vec<bool> {
        let mut reached = vec![false; self.art.nodes.len()];
        let mut work = Vec::from_iter((!self.empty[0]).then_some(0));
        while let Some(at) = work.pop() {
            if !std::mem::replace(&mut reached[at], true) {
                work.extend(self.next(at).map(|(_, to)| to));
            }
        }
        reached
    }

    /// The nodes that are no coverings, and that executions get to.
    fn own(&self) -> impl Iterator<Item = NodeId> {
        let all = self.reached.iter().enumerate().filter(|(_, reached)| **reached);
        all.map(|(at, _)| NodeId(at as u32)).filter(|id| self.art.node(*id).covered_by.is_none())
    }

    fn is_wrong(&self, id: NodeId) -> bool {
        let points = self.art.node(id).points.iter().enumerate();
        points.into_iter().any(|(thread, point)| self.system.point(thread, *point).is_error())
    }

    fn is_active(&self, at: usize, thread: u16) -> bool {
        self.system.point(thread.into(), self.art.nodes[at].points[usize::from(thread)]).is_active()
    }

    fn expands(&self, at: usize, thread: u16) -> bool {
        let node = &self.art.nodes[at];
        let is_own = |(transition, _): &(TransitionId, NodeId)| self.system.transition(*transition).thread == thread;
        node.covered_by.is_none() && node.below.iter().any(is_own)
    }

    fn labels(&self, implications: &mut impl Implications) -> Result<Option<TreeFailure>, Unknown> {
        let system = self.system;
        if let Some(witness) = implications.starts(system, &self.art.nodes[0].label)? {
            return Ok(Some(TreeFailure::Start(witness)));
        }
        for (at, node) in self.art.nodes.iter().enumerate() {
            // Where a thread went wrong, nothing is done any more.
            let below = if self.is_wrong(NodeId(at as u32)) { &[][..] } else { node.below.as_slice() };
            for (transition, to) in below {
                let below = &self.art.node(*to).label;
                if let Some(witness) = implications.keeps(system, &node.label, *transition, below)? {
                    return Ok(Some(TreeFailure::Edge { node: *to, witness }));
                }
            }
            let Some(coverer) = node.covered_by else { continue };
            let coverer = self.art.node(coverer);
            if coverer.covered_by.is_some() || coverer.points != node.points {
                return Ok(Some(TreeFailure::NoCoverer(NodeId(at as u32))));
            }
            if let Some(witness) = implications.implies(system, &node.label, &coverer.label)? {
                return Ok(Some(TreeFailure::Covering { node: NodeId(at as u32), witness }));
            }
        }
        Ok(None)
    }

    fn error(&self) -> Option<TreeFailure> {
        self.own().find(|id| self.is_wrong(*id)).map(TreeFailure::Error)
    }

    fn missing(&self, implications: &mut impl Implications) -> Result<Option<TreeFailure>, Unknown> {
        for id in self.own() {
            let node = self.art.node(id);
            for thread in self.art.expanded(self.system, id) {
                let point = self.system.point(thread.into(), node.points[usize::from(thread)]);
                for &transition in &point.transitions {
                    if node.below.iter().any(|(other, _)| *other == transition) {
                        continue;
                    }
                    let witness = implications.keeps(self.system, &node.label, transition, &Term::Constant(0))?;
                    if let Some(witness) = witness {
                        return Ok(Some(TreeFailure::Missing { node: id, transition, witness }));
                    }
                }
            }
        }
        Ok(None)
    }

    fn deadlock(&self, implications: &mut impl Implications) -> Result<Option<TreeFailure>, Unknown> {
        let threads = self.system.threads.len() as u16;
        for id in self.own().filter(|id| !self.is_wrong(*id)) {
            let node = self.art.node(id);
            let is_active = (0..threads).any(|thread| self.is_active(id.0 as usize, thread));
            if is_active && node.below.is_empty() {
                return Ok(Some(TreeFailure::Unexpanded(id)));
            }
            for thread in self.art.expanded(self.system, id) {
                let point = self.system.point(thread.into(), node.points[usize::from(thread)]);
                if point.may_block
                    && let Some(witness) = implications.enables(self.system, &node.label, &point.transitions)?
                {
                    return Ok(Some(TreeFailure::Waits { node: id, thread, witness }));
                }
            }
        }
        Ok(None)
    }

    /// A cycle of certain nodes and edges on which some thread is active.
    fn unfair(
        &self,
        has_node: impl Fn(usize, u16) -> bool,
        has_edge: impl Fn(TransitionId, u16) -> bool,
    ) -> Option<TreeFailure> {
        (0..self.system.threads.len() as u16).find_map(|thread| {
            let has = |at: usize| self.reached[at] && has_node(at, thread);
            let next = |at: usize| {
                let goes = |transition: &Option<TransitionId>| transition.is_none_or(|one| has_edge(one, thread));
                let all = has(at).then(|| self.next(at)).into_iter().flatten();
                all.filter(move |(transition, to)| has(*to) && goes(transition)).map(|(_, to)| to)
            };
            let edges: Vec<Vec<usize>> = (0..self.reached.len()).map(|at| next(at).collect()).collect();
            let component = components(&edges);
            let mut nodes = (0..edges.len()).filter(|at| self.is_active(*at, thread));
            let within = |at: usize| {
                let own = component[at];
                let component = &component;
                edges[at].iter().copied().filter(move |to| component[*to] == own)
            };
            nodes.find_map(|at| {
                within(at).next()?;
                let cycle = way_back(at, |from| within(from).map(|to| (TransitionId(0), to)))?;
                let cycle = cycle.into_iter().map(|(from, ..)| NodeId(from as u32)).collect();
                Some(TreeFailure::Unfair { cycle, thread })
            })
        })
    }
}

/// Whether a covering of one node by another closes an unfair cycle; if so, a thread that is active on it, and no edge of which it has.
///
/// For each thread that is active at the node: whether there is a way from the coverer to the node by edges of other threads, and coverings.
/// That is exact: on such a way the thread stays where it is, so it is active on all of the cycle or nowhere. Linear for each thread.
///
/// All edges count, those below covered nodes as well, since a covering may be taken away later. Labels are not looked at.
///
/// Source: the condition is that of P. Metzler's thesis (2020), section 4.3, over all cycles; the search takes the place of listing them.
///
/// # Panics
/// If the tree names nodes that it does not have.
pub fn closes_unfair_cycle(system: &System, art: &Art, node: NodeId, coverer: NodeId) -> Option<u16> {
    (0..system.threads.len() as u16).find(|&thread| {
        let is_active = system.point(thread.into(), art.node(node).points[usize::from(thread)]).is_active();
        let mut seen = vec![false; art.nodes.len()];
        let mut work = Vec::from_iter(is_active.then_some(coverer));
        while let Some(at) = work.pop() {
            if at == node {
                return true;
            }
            if !std::mem::replace(&mut seen[at.0 as usize], true) {
                let others = art.node(at).below.iter().filter(|(one, _)| system.transition(*one).thread != thread);
                work.extend(others.map(|(_, to)| *to).chain(art.node(at).covered_by));
            }
        }
        false
    })
}
