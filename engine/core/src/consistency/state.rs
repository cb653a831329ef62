//! How far an order has come: what is performed, what memory holds, and what can be performed next.

use super::closure::Closure;
use super::instance::Unit;
use super::order::members;
use super::{Instance, NodeId, Part};
use crate::program::Location;

/// The nodes performed so far, and what follows from them.
#[derive(Clone, Debug)]
pub(super) struct State {
    /// The nodes performed, initial writes included, as a bit set.
    pub done: Vec<u64>,
    /// How many units of each thread are performed.
    pub threads: Vec<u32>,
    /// The node whose value memory holds, by location.
    pub memory: Vec<NodeId>,
    /// How many nodes have to be performed yet.
    pub left: usize,
}

/// Why a node can't be performed now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// This node comes before it, by program order.
    Before(NodeId),
    /// This node comes before it, by the closure.
    BeforeByClosure(NodeId),
    /// It is a read, and memory holds this write, which is none of its sources.
    NotInMemory(NodeId),
    /// It is a read of another thread's write, which is not in memory.
    SourceMissing(NodeId),
    /// It would overwrite what this read has yet to take: the read holds the location.
    Held(NodeId),
    /// A reader in another thread would find its own write, which is not in memory, in the buffer.
    OwnWrite {
        /// The reader.
        read: NodeId,
        /// Its thread's write, as a node in memory.
        own: NodeId,
    },
}

impl State {
    pub(super) fn new(instance: &Instance) -> Self {
        let mut done = vec![0; instance.nodes.len().div_ceil(64)];
        for initial in instance.ids().filter(|&n| instance.is_initial(n)) {
            done[initial.index() / 64] |= 1 << (initial.index() % 64);
        }
        Self {
            done,
            threads: vec![0; instance.threads.len()],
            memory: instance.writes.iter().map(|writes| writes[0]).collect(),
            left: instance.to_perform(),
        }
    }

    pub(super) fn has(&self, node: NodeId) -> bool {
        self.done[node.index() / 64] >> (node.index() % 64) & 1 == 1
    }

    /// What a thread performs next.
    pub(super) fn next<'i>(&self, instance: &'i Instance, thread: usize) -> Option<&'i Unit> {
        instance.threads[thread].get(self.threads[thread] as usize)
    }

    /// Performs a node. The last one of a unit moves its thread on.
    pub(super) fn perform(&mut self, instance: &Instance, n: NodeId) {
        let node = instance.node(n);
        self.done[n.index() / 64] |= 1 << (n.index() % 64);
        self.left -= 1;
        if node.is_in_memory()
            && let Some(Location(location)) = node.location
        {
            self.memory[location as usize] = n;
        }
        let thread = node.thread.index();
        if self.next(instance, thread).is_some_and(|unit| unit.last() == Some(&n)) {
            self.threads[thread] += 1;
        }
    }

    /// The read that holds a location: one that is yet to be performed and all of whose sources are.
    pub(super) fn holder(&self, instance: &Instance, location: Location) -> Option<NodeId> {
        let waits =
            |read: &&NodeId| !self.has(**read) && instance.good[read.index()].iter().all(|&write| self.has(write));
        instance.reads[location.0 as usize].iter().find(waits).copied()
    }

    /// Whether a node can be performed now, or what is in its way.
    pub(super) fn obstacle(&self, instance: &Instance, closure: Option<&Closure>, n: NodeId) -> Option<Obstacle> {
        let missing = |before: &[u64]| {
            let rest: Vec<u64> = before.iter().zip(&self.done).map(|(before, done)| before & !done).collect();
            members(&rest).next()
        };
        if let Some(before) = missing(instance.po.before(n)) {
            return Some(Obstacle::Before(before));
        }
        if let Some(before) = closure.and_then(|closure| missing(closure.order.before(n))) {
            return Some(Obstacle::BeforeByClosure(before));
        }
        let node = instance.node(n);
        let location = node.location?;
        match node.part {
            Part::Read if instance.machine.buffers() => {
                let [source] = instance.good[n.index()][..] else { return Some(Obstacle::SourceMissing(n)) };
                (!instance.same_thread(source, n) && !self.has(source)).then_some(Obstacle::SourceMissing(source))
            }
            Part::Read => {
                let active = self.memory[location.0 as usize];
                (!instance.good[n.index()].contains(&active)).then_some(Obstacle::NotInMemory(active))
            }
            Part::Write | Part::Memory => {
                if let Some(read) = self.holder(instance, location) {
                    return Some(Obstacle::Held(read));
                }
                let readers = instance.reads[location.0 as usize].iter().copied();
                let readers = readers.filter(|&read| instance.machine.buffers() && instance.good[read.index()] == [n]);
                let remote = readers.filter(|&read| !instance.same_thread(read, n));
                remote.into_iter().find_map(|read| {
                    let own = instance.own_writes_before(read).find(|&own| !self.has(own))?;
                    Some(Obstacle::OwnWrite { read, own })
                })
            }
            Part::Initial | Part::Buffer | Part::Fence | Part::StoreFence => None,
        }
    }

    /// The state behind a unit, or what is in its way: its nodes one after the other.
    pub(super) fn after(
        &self,
        instance: &Instance,
        closure: Option<&Closure>,
        unit: &[NodeId],
    ) -> Result<Self, Obstacle> {
        let mut state = self.clone();
        for &n in unit {
            match state.obstacle(instance, closure, n) {
                None => state.perform(instance, n),
                Some(obstacle) => return Err(obstacle),
            }
        }
        Ok(state)
    }

    /// The writes of a thread that are in its buffers, in the order in which they entered.
    pub(super) fn pending<'i>(
        &self,
        instance: &'i Instance,
        thread: usize,
    ) -> impl Iterator<Item = NodeId> + use<'i, '_> {
        instance.flushes[thread].iter().copied().filter(|&memory| {
            !self.has(memory) && instance.partner[memory.index()].is_some_and(|buffer| self.has(buffer))
        })
    }
}
