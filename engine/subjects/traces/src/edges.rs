//! The edges of a trace: what its messages, rf, co and pb say before any order of messages is known, and what such an order adds.

use super::trace::{EventIndex, Kind, Mailbox, MessageIndex, Trace};
use serde::{Deserialize, Serialize};

/// What an edge is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Relation {
    /// Within a message.
    Po,
    /// A write to a read of it.
    Rf,
    /// A write to the next one to its location.
    Co,
    /// A read to the first write behind its source.
    Fr,
    /// A post to the get of its message.
    Pb,
    /// The last event of a message to the get of one that its handler takes later.
    Eo,
    /// A post to a later post to the same handler.
    Mo,
    /// The get of a message to that of one that was posted later to the same queue: pb⁻¹ ; mo ; pb.
    Do,
}

impl Relation {
    /// All of them, in the order of legends.
    pub const ALL: [Self; 8] = [Self::Po, Self::Rf, Self::Co, Self::Fr, Self::Pb, Self::Eo, Self::Mo, Self::Do];

    /// Its name: `po`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Po => "po",
            Self::Rf => "rf",
            Self::Co => "co",
            Self::Fr => "fr",
            Self::Pb => "pb",
            Self::Eo => "eo",
            Self::Mo => "mo",
            Self::Do => "do",
        }
    }
}

/// An edge with its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Edge {
    /// Where from.
    pub from: EventIndex,
    /// Where to.
    pub to: EventIndex,
    /// What it is.
    pub relation: Relation,
}

/// The edges of po, rf, co, fr and pb; po and co as successors only.
pub fn fixed(trace: &Trace) -> Vec<Edge> {
    let mut edges = Vec::new();
    let mut add = |from, to, relation| edges.push(Edge { from, to, relation });
    for message in &trace.messages {
        for pair in message.events.windows(2) {
            add(pair[0], pair[1], Relation::Po);
        }
        if let (Some(post), Some(&get)) = (message.post, message.events.first()) {
            add(post, get, Relation::Pb);
        }
    }
    let mut next = vec![None; trace.events.len()];
    for co in &trace.co {
        for pair in co.windows(2) {
            add(pair[0], pair[1], Relation::Co);
            next[pair[0].index()] = Some(pair[1]);
        }
    }
    for (index, event) in (0..).map(EventIndex).zip(&trace.events) {
        if let Kind::Read { location, source, .. } = event.kind {
            let behind = match source {
                Some(write) => {
                    add(write, index, Relation::Rf);
                    next[write.index()]
                }
                None => trace.co[location.index()].first().copied(),
            };
            if let Some(write) = behind {
                add(index, write, Relation::Fr);
            }
        }
    }
    edges
}

/// The edges that an order of two messages adds.
pub fn edges_of(trace: &Trace, first: MessageIndex, second: MessageIndex) -> Vec<Edge> {
    let (before, behind) = (trace.message(first), trace.message(second));
    let mut edges = Vec::new();
    if let (Some(&from), Some(&to)) = (before.events.last(), behind.events.first()) {
        edges.push(Edge { from, to, relation: Relation::Eo });
    }
    let is_queue = trace.handler(before.handler).mailbox == Mailbox::Queue;
    if let (true, Some(from), Some(to)) = (is_queue, before.post, behind.post) {
        edges.push(Edge { from, to, relation: Relation::Mo });
    }
    edges
}
