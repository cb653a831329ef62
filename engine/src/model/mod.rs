//! Memory models: whether a plain execution is consistent, and if not, which axiom it violates and by which cycle.

use crate::graph::{Edge, EventId};
use serde::{Deserialize, Serialize};

/// The memory models.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Model {
    /// Sequential consistency.
    #[default]
    Sc,
    /// Total store order: one FIFO store buffer a thread.
    Tso,
    /// Partial store order: one FIFO store buffer a thread and location.
    Pso,
    /// Weak release-acquire (causal consistency).
    Wra,
    /// Release-acquire.
    Ra,
    /// Strong release-acquire.
    Sra,
    /// Repaired C11.
    Rc11,
}

/// A violated axiom and the cycle that shows it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Violation {
    /// The axiom's name, as the model's documentation lists it.
    pub axiom: String,
    /// The cycle: each edge starts where the one before ends, the last ends where the first starts.
    pub cycle: Vec<Edge>,
    /// What the cycle takes for granted, in a sentence: co edges that hold in every coherence order, or those of the
    /// last order tried where each order has a cycle of its own.
    pub remark: String,
}

/// One way to complete a consistent plain execution.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Witness {
    /// The writes of each location in co, initial write first; by location.
    pub co: Vec<Vec<EventId>>,
}

impl Model {
    /// All models, from strong to weak.
    pub const ALL: [Self; 7] = [Self::Sc, Self::Tso, Self::Pso, Self::Sra, Self::Ra, Self::Wra, Self::Rc11];
}
