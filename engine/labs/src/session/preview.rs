//! What a visit came to, seen from elsewhere: the graph at its end, while the session stays where it is.
//!
//! Steps are made again on copies of checkpoints, for previews as for searches (`search.rs`).

use super::explain::visit_label;
use super::{Checkpoint, PATIENCE, Session, VisitId, VisitKind};
use crate::budget::Budget;
use crate::explore::{Direction, ExecutionKind, Step};
use crate::graph::{Edge, EventKey, RelationName};
use crate::program::Value;
use crate::report::{Drawing, DrawingInput, Mark, Room, event_name, event_text, layout};
use serde::{Deserialize, Serialize};

/// A visit's graph in brief.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Preview {
    /// The visit.
    pub visit: VisitId,
    /// Where in the exploration that is.
    pub position: u64,
    /// The visit's option.
    pub label: String,
    /// How it ended.
    pub kind: VisitKind,
    /// The same in words, with the final state or the axiom that the graph violates.
    pub caption: String,
    /// The graph at the end of the visit, with rf, and co where it is chosen; of a pending one, where its option was
    /// pushed.
    pub drawing: Drawing,
}

/// How many final values a caption lists.
const MAX_VALUES: usize = 12;

impl Session {
    /// The graph of a visit. The session stays as it is. Costs replaying from the nearest checkpoint; none if a step on the
    /// way is one that takes long.
    pub fn preview(&self, id: VisitId) -> Option<Preview> {
        let visit = *self.tree().visit(id)?;
        let position = if visit.taken.is_some() { visit.ended } else { visit.pushed };
        let mut at = self.nearest(position).copy();
        let mut budget = Budget::of(PATIENCE);
        while at.position < position {
            at.advance_within(&mut budget).ok()?;
        }
        let (explorer, model) = (&at.explorer, self.model());
        let graph = explorer.execution();
        let violation = match at.step {
            Some(Step::Drop) => match explorer.coherence() {
                Some(co) => model.violation_with(graph, co),
                None => model.consistency_for_view(graph).violation(),
            },
            _ => None,
        };
        let mut input = DrawingInput::new(self.program(), graph);
        input.room = Room::Narrow;
        if let Some(co) = explorer.coherence() {
            let pairs = co.iter().flat_map(|order| order.windows(2));
            input.edges.extend(pairs.map(|pair| Edge { from: pair[0], to: pair[1], relation: RelationName::Co }));
            input.chosen_co = true;
        }
        input.violation = violation.as_ref();
        if let Some(option) = visit.option {
            let (chosen, possible) = match option.direction {
                Direction::Placement => (Mark::Placed, Mark::Front),
                _ => (Mark::Read, Mark::Option),
            };
            input.marks.extend(graph.find(option.read).map(|e| (e, chosen)));
            if visit.taken.is_none() {
                input.marks.extend(option.write.and_then(|write| graph.find(write)).map(|e| (e, possible)));
            }
        }
        let caption = match visit.kind {
            VisitKind::Pending => "Not explored yet: the option was pushed in this graph.".to_owned(),
            VisitKind::Open => "This visit is not at its end yet.".to_owned(),
            VisitKind::Inner => "This call is over. It made other calls.".to_owned(),
            VisitKind::Complete => {
                let number = visit.execution.map_or_else(String::new, |number| format!("Execution {number}, "));
                format!("{number}complete{}", self.final_values(&at))
            }
            VisitKind::Blocked => match visit.execution {
                Some(number) => format!("Execution {number}, blocked: some thread can't go on."),
                None => "Blocked: some thread can't go on.".to_owned(),
            },
            VisitKind::Erroneous => format!("Something goes wrong: {}", self.wrong(&at)),
            VisitKind::Dropped => match &violation {
                Some(violation) => format!("Dropped: violates {} of {}.", violation.axiom, model.title()),
                None if at.step == Some(Step::Undecided) => {
                    "Skipped: whether the graph is consistent was not decided.".to_owned()
                }
                None if matches!(at.step, Some(Step::LeaveOut { .. })) => {
                    "Left out: a thread waits although it does not read the last write.".to_owned()
                }
                None => "Dropped.".to_owned(),
            },
            VisitKind::Duplicate => "This execution was found before.".to_owned(),
            VisitKind::Repeated => {
                let number = visit.execution.unwrap_or_default();
                format!("Execution {number} again: an earlier run found it{}", self.final_values(&at))
            }
        };
        Some(Preview {
            visit: id,
            position,
            label: visit_label(self, &visit),
            kind: visit.kind,
            caption,
            drawing: layout(input.diagram()),
        })
    }

    /// `: a = 0, x = 1`
    fn final_values(&self, at: &Checkpoint) -> String {
        let names: Vec<_> = self.results().observables().iter().map(|&o| self.program().observable_name(o)).collect();
        let states = self.final_states(at, self.program());
        let value = |(name, value): (&String, String)| format!("{name} = {value}");
        let state = |state: &Vec<Value>| {
            let values = self.program().state_texts(self.results().observables(), state);
            names.iter().zip(values).take(MAX_VALUES).map(value).collect::<Vec<_>>().join(", ")
        };
        match states.as_slice() {
            [first, ..] if !first.is_empty() => {
                let more = if names.len() > MAX_VALUES { ", …" } else { "" };
                let other = if states.len() > 1 { ", or other last writes" } else { "" };
                format!(": {}{more}{other}", state(first))
            }
            _ => String::new(),
        }
    }

    fn wrong(&self, at: &Checkpoint) -> String {
        let graph = at.explorer.execution();
        let event = |key: EventKey| {
            let text = graph.find(key).map_or_else(String::new, |e| event_text(self.program(), graph.event(e)));
            format!("{} {text}", event_name(self.program(), key))
        };
        match at.step {
            Some(Step::Race { first, second }) => format!("{} and {} race.", event(first), event(second)),
            Some(Step::UninitialisedRead { read }) => format!("{} reads a value that no thread wrote.", event(read)),
            Some(Step::Execution { number, kind: ExecutionKind::Erroneous }) => format!("execution {number}."),
            Some(Step::Error { event: key }) => format!("{}.", event(key)),
            _ => "an error.".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::Algorithm;
    use crate::session::{Settings, ViewRequest};

    const TEXT: &str = "a := x; b := x || x := 1 || x := 2";

    fn open(text: &str, algorithm: Algorithm) -> Session {
        let settings = Settings { text: text.to_owned(), algorithm, ..Settings::default() };
        Session::open(settings).expect("it is a program")
    }

    /// What is seen there is the graph at which one arrives by going there, and nobody goes anywhere.
    #[test]
    fn a_preview_leaves_the_session_as_it_was() {
        for algorithm in [Algorithm::Genmc, Algorithm::GenmcCo, Algorithm::Trust, Algorithm::TrustCo] {
            let mut session = open(TEXT, algorithm);
            session.run(120);
            for position in [0, 7, 60, session.frontier()] {
                session.go_to(position, u64::MAX);
                let before = session.view(&ViewRequest::default());
                let kept: Vec<u64> = session.nearby.iter().map(|checkpoint| checkpoint.position).collect();
                let previews: Vec<_> = (0..session.tree().len() as u32).filter_map(|id| session.preview(id)).collect();
                assert_eq!(session.view(&ViewRequest::default()), before);
                assert_eq!(session.nearby.iter().map(|checkpoint| checkpoint.position).collect::<Vec<_>>(), kept);
                assert_eq!(previews.len(), session.tree().len());
                for preview in previews {
                    session.go_to(preview.position, u64::MAX);
                    let there = session.view(&ViewRequest::default());
                    let mut shown: Vec<_> =
                        preview.drawing.nodes.iter().map(|n| (n.name.clone(), n.label.clone())).collect();
                    shown.sort();
                    let mut nodes: Vec<_> = there
                        .drawing
                        .nodes
                        .iter()
                        .filter(|node| !node.ghost)
                        .map(|node| (node.name.clone(), node.label.clone()))
                        .collect();
                    nodes.sort();
                    // Which initial writes are shown depends on the edges.
                    shown.retain(|(name, _)| !name.starts_with("init"));
                    nodes.retain(|(name, _)| !name.starts_with("init"));
                    assert_eq!(shown, nodes);
                    if let Some(violation) = there.violation {
                        assert!(preview.caption.contains(&violation.axiom), "{}", preview.caption);
                    }
                    let row = there.tree.rows.iter().find(|row| !row.summary && row.visit == preview.visit);
                    assert!(row.is_none_or(|row| row.label == preview.label && row.kind == preview.kind));
                }
            }
        }
    }

    #[test]
    fn captions_say_how_it_ended() {
        let caption = |text: &str, kind| {
            let mut session = open(text, Algorithm::Genmc);
            session.run(u64::MAX);
            let visits = (0..session.tree().len() as u32).filter_map(|id| session.preview(id));
            visits.filter(|preview| preview.kind == kind).map(|preview| preview.caption).next().unwrap_or_default()
        };
        assert_eq!(caption("x := 1 || a := x", VisitKind::Complete), "Execution 1, complete: P1:a = 0, x = 1");
        assert_eq!(
            caption("assume x = 1 || x := 1", VisitKind::Blocked),
            "Execution 1, blocked: some thread can't go on."
        );
        assert!(caption("assert x = 1 || x := 1", VisitKind::Erroneous).starts_with("Something goes wrong: "));
        assert!(caption("a := x; b := x || x := 1; x := 2", VisitKind::Dropped).starts_with("Dropped: violates "));
        let mut session = open("a := x || x := 1", Algorithm::Genmc);
        session.run(5);
        let pending = (0..session.tree().len() as u32).filter_map(|id| session.preview(id));
        assert!(pending.filter(|p| p.kind == VisitKind::Pending).all(|p| p.caption.starts_with("Not explored yet")));
        assert_eq!(session.preview(1000), None);
    }
}
