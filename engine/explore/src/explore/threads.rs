//! Threads as automata: each state of a thread between two events is computed once.
//!
//! What a thread does is a function of the values it has read. Its states are nodes here, equal ones shared, each with
//! the action that comes next; an edge leads from a node, by the value that the action reads, to another. In the steady
//! state of an exploration, adding an event is a look-up.

use crate::explore::Options;
use crate::program::{Action, Code, ThreadState, Value};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A state of some thread.
pub(super) type NodeId = u32;

/// How many nodes there may be before those that no graph holds are thrown away. Few in tests, so that it happens.
const NODES: usize = if cfg!(test) { 16 } else { 1 << 14 };

#[derive(Clone, Debug)]
struct Node {
    state: Arc<ThreadState>,
    thread: u16,
    action: Action,
    /// The thread may wait behind it: it is in a loop, or an assumption comes.
    may_wait: bool,
    /// The edge that was last asked for.
    last: (Value, bool, NodeId),
}

/// No node.
pub(super) const NO_NODE: NodeId = NodeId::MAX;

/// The automata of all threads.
#[derive(Clone, Debug)]
pub(super) struct Threads {
    code: Arc<Code>,
    options: Options,
    nodes: Vec<Node>,
    free: Vec<NodeId>,
    known: FxHashMap<(u16, Arc<ThreadState>), NodeId>,
    edges: FxHashMap<(NodeId, Value, bool), NodeId>,
    limit: usize,
}

impl Threads {
    pub(super) fn new(code: Arc<Code>, options: Options) -> Self {
        Self {
            code,
            options,
            nodes: Vec::new(),
            free: Vec::new(),
            known: FxHashMap::default(),
            edges: FxHashMap::default(),
            limit: NODES,
        }
    }

    /// The first node of a thread.
    pub(super) fn start(&mut self, thread: usize) -> NodeId {
        let state = ThreadState::new(&self.code, thread);
        self.node(thread as u16, state)
    }

    fn node(&mut self, thread: u16, mut state: ThreadState) -> NodeId {
        let action = state.advance(&self.code, thread as usize, self.options.limits);
        let state = Arc::new(state);
        if let Some(&known) = self.known.get(&(thread, Arc::clone(&state))) {
            return known;
        }
        let may_wait = matches!(action, Action::Read { .. } | Action::Update { .. })
            && state.may_wait(&self.code, thread.into(), self.options.limits);
        let node = Node { state: Arc::clone(&state), thread, action, may_wait, last: (0, false, NO_NODE) };
        let id = match self.free.pop() {
            Some(id) => {
                self.nodes[id as usize] = node;
                id
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() as NodeId - 1
            }
        };
        self.known.insert((thread, state), id);
        id
    }

    /// How many nodes there are.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// What the thread does next.
    #[inline(always)]
    pub(super) fn action(&self, node: NodeId) -> &Action {
        &self.nodes[node as usize].action
    }

    /// Whether the thread may wait behind the read that comes next.
    #[inline(always)]
    pub(super) fn may_wait(&self, node: NodeId) -> bool {
        self.nodes[node as usize].may_wait
    }

    /// Of a thread that waits in a loop: how many events it had where the round began that changed nothing.
    pub(super) fn round_began(&self, node: NodeId) -> Option<u32> {
        let Node { state, thread, action, .. } = &self.nodes[node as usize];
        (*action == Action::Spin).then(|| state.round_began(&self.code, usize::from(*thread)))?
    }

    /// The thread's state, which stands at its next action.
    pub(super) fn state(&self, node: NodeId) -> &ThreadState {
        &self.nodes[node as usize].state
    }

    /// The node behind the action of another, which reads `read` (0 if it reads nothing), or fails spuriously.
    #[inline(always)]
    pub(super) fn behind(&mut self, node: NodeId, read: Value, spurious: bool) -> NodeId {
        let last = self.nodes[node as usize].last;
        if last.2 != NO_NODE && last.0 == read && last.1 == spurious {
            return last.2;
        }
        self.look_up(node, read, spurious)
    }

    fn look_up(&mut self, node: NodeId, read: Value, spurious: bool) -> NodeId {
        let behind = match self.edges.get(&(node, read, spurious)) {
            Some(&behind) => behind,
            None => {
                let Node { state, thread, action, .. } = &self.nodes[node as usize];
                let reads = match action {
                    Action::Read { .. } | Action::Update { .. } => true,
                    Action::Library { operation, .. } => operation.waits(),
                    _ => false,
                };
                let (mut state, thread) = (ThreadState::clone(state), *thread);
                state.resume_as(&self.code, thread as usize, reads.then_some(read), spurious);
                let behind = self.node(thread, state);
                self.edges.insert((node, read, spurious), behind);
                behind
            }
        };
        self.nodes[node as usize].last = (read, spurious, behind);
        behind
    }

    /// Whether it is time to [`Self::collect`].
    #[inline(always)]
    pub(super) fn is_full(&self) -> bool {
        self.nodes.len() >= self.limit && self.free.is_empty()
    }

    /// Throws away the nodes that are not `held`.
    pub(super) fn collect(&mut self, held: impl Iterator<Item = NodeId>) {
        let mut keep = vec![false; self.nodes.len()];
        held.filter(|&node| node != NO_NODE).for_each(|node| keep[node as usize] = true);
        self.known.retain(|_, node| keep[*node as usize]);
        self.edges.retain(|(from, ..), to| keep[*from as usize] && keep[*to as usize]);
        self.free.clear();
        for (id, node) in self.nodes.iter_mut().enumerate() {
            if !keep[id] {
                self.free.push(id as NodeId);
            }
            if node.last.2 != NO_NODE && !keep[node.last.2 as usize] {
                node.last.2 = NO_NODE;
            }
        }
        if self.free.len() * 2 < self.nodes.len() {
            self.limit *= 2;
        }
    }
}
