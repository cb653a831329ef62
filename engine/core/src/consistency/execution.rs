//! Abstract executions.

use crate::graph::{EventId, Execution, ThreadId};
use crate::program::Program;

/// Events of threads in program order, and the writes that each read may take its value from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AbstractExecution {
    /// Names: of the execution, of shared locations with their initial values, and of threads, whose bodies are empty.
    pub program: Program,
    /// The events. Reads have no source yet, but the value that they are to read if that is given; read-modify-writes have
    /// what they write.
    pub graph: Execution,
    /// The writes that each read may take its value from, in the order of events; by event, empty for what is no read.
    pub sources: Vec<Vec<EventId>>,
    /// Events that happen at once, and read-modify-writes whose write is buffered.
    pub blocks: Vec<Block>,
    /// Of an annotated partial order: pairs of events that are in order.
    pub order: Vec<(EventId, EventId)>,
    /// Of an annotated partial order: the thread that is its root.
    pub root: Option<ThreadId>,
}

impl AbstractExecution {
    /// The reads that have several sources to choose among.
    pub fn open_reads(&self) -> impl Iterator<Item = EventId> + '_ {
        self.graph.ids().filter(|read| self.sources[read.index()].len() > 1)
    }

    /// Whether an execution graph can be made of it: all that happens at once are read-modify-writes that write to memory.
    pub fn is_plain(&self) -> bool {
        self.blocks.is_empty()
    }

    /// The same with one source for each read that has a choice.
    ///
    /// # Panics
    /// If a read of the pairs may not take the write.
    #[must_use]
    pub fn with_sources(&self, chosen: &[(EventId, EventId)]) -> Self {
        let mut execution = self.clone();
        for &(read, write) in chosen {
            assert!(self.sources[read.index()].contains(&write), "a source that the read may have");
            execution.sources[read.index()] = vec![write];
        }
        execution
    }

    /// The same, but a read takes this write and its value instead of what it may take.
    #[must_use]
    pub fn with_source_instead(mut self, read: EventId, write: EventId) -> Self {
        self.graph.set_value_read(read, self.graph.event(write).value_written);
        self.sources[read.index()] = vec![write];
        self
    }
}

/// Events of one thread that follow each other in program order and happen at once.
///
/// As a read-modify-write does, it waits until the store buffers of its thread are empty. Only the first event may be a
/// read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The events, in program order.
    pub events: Vec<EventId>,
    /// Whether what it writes goes to the store buffer, and not to memory at once.
    pub buffered: bool,
}
