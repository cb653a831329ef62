//! What the machine holds in a state of a search, and what can be performed there.

use super::closure::Closure;
use super::instance::Unit;
use super::state::State;
use super::{Instance, Machine, NodeId, Obstacle};
use crate::program::Location;

/// A state of a search, laid open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    /// The node whose value memory holds, by [`Location`].
    pub memory: Vec<NodeId>,
    /// By thread: the writes in its buffers, in the order in which they entered, as nodes in memory.
    pub buffers: Vec<Vec<NodeId>>,
    /// Locations that a read holds, which all but its sources have to wait for.
    pub held: Vec<(Location, NodeId)>,
    /// What could come next.
    pub candidates: Vec<Candidate>,
    /// How many nodes have to be performed yet.
    pub left: usize,
}

/// Nodes that could be performed next: what a thread performs next, or a write that is the next to leave a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The nodes, performed at once.
    pub nodes: Vec<NodeId>,
    /// Why they can't be.
    pub obstacle: Option<Obstacle>,
}

impl Board {
    /// The state in which these nodes are performed, besides initial writes. Orders that disagree with the closure are
    /// left out. Linear in the nodes times the reads of a location.
    pub fn new(instance: &Instance, closure: Option<&Closure>, performed: &[NodeId]) -> Self {
        let mut state = State::new(instance);
        performed.iter().for_each(|&n| state.perform(instance, n));
        let threads = 0..instance.threads.len();
        let buffers: Vec<Vec<NodeId>> = threads.clone().map(|t| state.pending(instance, t).collect()).collect();
        let mut candidates = Vec::new();
        let mut add = |nodes: Unit| {
            let obstacle = state.after(instance, closure, &nodes).err();
            candidates.push(Candidate { nodes, obstacle });
        };
        for thread in threads {
            if let Some(unit) = state.next(instance, thread) {
                add(unit.clone());
            }
            let mut seen = Vec::new();
            for &memory in &buffers[thread] {
                // One buffer has one write that is next.
                let location = instance.node(memory).location.filter(|_| instance.machine == Machine::Pso);
                if !seen.contains(&location) {
                    seen.push(location);
                    add(vec![memory]);
                }
            }
        }
        let locations = (0..instance.writes.len() as u32).map(Location);
        let held = locations.filter_map(|location| Some((location, state.holder(instance, location)?))).collect();
        Self { memory: state.memory.clone(), buffers, held, candidates, left: state.left }
    }
}
