//! A drawing as a list, for those who can't see it.

use super::{Drawing, EdgeKind};
use crate::graph::{EventKey, RelationName};
use crate::words;
use serde::{Deserialize, Serialize};

/// The events of a thread, or the initial writes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutlineThread {
    /// `P0, 2 events`.
    pub title: String,
    /// Its events in po.
    pub events: Vec<OutlineEvent>,
}

/// An event with all that is drawn at it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutlineEvent {
    /// Its name.
    pub key: EventKey,
    /// The same sentence as in the drawing: what it is, and what it reads from.
    pub title: String,
    /// `read by P1.1 R(x,1)`, and its edges but po and rf: `fr to P0.1 W(x,1)`, `co from init x`.
    pub details: Vec<String>,
}

/// What a drawing shows, thread by thread. Linear in the nodes times the edges.
pub fn outline(drawing: &Drawing) -> Vec<OutlineThread> {
    let text = |key: EventKey| {
        let node = drawing.nodes.iter().find(|node| node.key == key);
        node.map_or_else(String::new, |node| format!("{} {}", node.name, node.label))
    };
    let mut threads: Vec<OutlineThread> = Vec::new();
    let mut last = None;
    for node in &drawing.nodes {
        if last.replace(node.column) != Some(node.column) {
            let count = drawing.nodes.iter().filter(|other| other.column == node.column).count();
            let events = words::count(count as u64, "event");
            let title = match node.column.and_then(|column| drawing.columns.get(column)) {
                Some(column) => format!("{}, {events}", column.title),
                None => format!("Initial writes, {count}"),
            };
            threads.push(OutlineThread { title, events: Vec::new() });
        }
        let readers = drawing.nodes.iter().filter(|other| other.source == Some(node.key));
        let mut details: Vec<String> =
            readers.map(|reader| format!("read by {} {}", reader.name, reader.label)).collect();
        for edge in &drawing.edges {
            let plain = [RelationName::Po, RelationName::Rf].map(EdgeKind::Relation);
            let told = plain.contains(&edge.kind) && !edge.in_cycle;
            let name = match edge.also {
                None => drawing.name(edge.kind).to_owned(),
                Some(also) => format!("{} and {}", drawing.name(edge.kind), drawing.name(also)),
            };
            let cycle = if edge.in_cycle { ", on the violating cycle" } else { "" };
            if !told && edge.from == node.key {
                details.push(format!("{name} to {}{cycle}", text(edge.to)));
            }
            if !told && edge.to == node.key {
                details.push(format!("{name} from {}{cycle}", text(edge.from)));
            }
        }
        if let Some(thread) = threads.last_mut() {
            thread.events.push(OutlineEvent { key: node.key, title: node.title.clone(), details });
        }
    }
    threads
}
