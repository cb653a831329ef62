//! The search for a witness as a tree: what each state chose, and why it goes no further.

use super::{NodeJson, NodeSpeaker};
use crate::consistency::{Board, Candidate, Closure, NodeId, SearchTree, VisitedState};
use crate::words;
use serde::Serialize;
use std::fmt::Write;

/// The states that are listed of a search, and what it searched.
#[derive(Clone, Copy)]
pub(super) struct Searched<'a> {
    pub speaker: NodeSpeaker<'a>,
    pub closure: Option<&'a Closure>,
    pub tree: &'a SearchTree,
}

impl Searched<'_> {
    fn nodes(&self, nodes: &[NodeId]) -> String {
        let texts: Vec<String> =
            nodes.iter().map(|&n| format!("{} {}", self.speaker.event(n), self.speaker.deed(n))).collect();
        texts.join(", ")
    }

    fn board(&self, at: u32) -> Board {
        Board::new(self.speaker.instance, self.closure, &self.tree.performed(at))
    }

    /// What could come next in a state without moves, each with what is in its way.
    fn stuck(&self, board: &Board) -> Vec<(String, String)> {
        let why = |candidate: &Candidate| match &candidate.obstacle {
            Some(obstacle) => self.speaker.obstacle(obstacle),
            // VerifyPSO lets writes reach memory when somebody wants them.
            None => "it could, but nothing else could go on after it".to_owned(),
        };
        board.candidates.iter().map(|candidate| (self.nodes(&candidate.nodes), why(candidate))).collect()
    }

    /// The tree, a state a line behind its number, indented where there is a choice.
    pub(super) fn text(&self, out: &mut String) {
        if self.tree.visits.is_empty() {
            return;
        }
        let _ = writeln!(out, "States of the search:");
        let children = self.tree.children();
        let mut work = vec![(0, 0)];
        while let Some((at, depth)) = work.pop() {
            let visit = &self.tree.visits[at as usize];
            let (chosen, rest) = visit.moved.split_at(visit.chosen as usize);
            let what: Vec<String> = match (chosen, rest) {
                ([], []) => vec!["the start".to_owned()],
                ([], rest) => vec!["the start, then".to_owned(), self.nodes(rest)],
                (chosen, []) => vec![self.nodes(chosen)],
                (chosen, rest) => vec![format!("{}, then", self.nodes(chosen)), self.nodes(rest)],
            };
            let _ = writeln!(out, "{:depth$}{}. {}", "", at + 1, what.join(" "));
            let inner = depth + 2;
            for (moved, seen) in &visit.repeats {
                let _ = writeln!(out, "{:inner$}{}: seen before, {}", "", self.nodes(moved), seen + 1);
            }
            let children = &children[at as usize];
            let left_out = visit.moves as usize - children.len() - visit.repeats.len();
            if left_out > 0 {
                let _ = writeln!(out, "{:inner$}moves to states that are left out: {left_out}", "");
            }
            if !visit.expanded {
                let _ = writeln!(out, "{:inner$}not looked at", "");
            } else if visit.moves == 0 {
                let board = self.board(at);
                if board.left == 0 {
                    let _ = writeln!(out, "{:inner$}everything is performed", "");
                }
                for (nodes, why) in self.stuck(&board) {
                    let _ = writeln!(out, "{:inner$}stuck: {nodes}: {why}", "");
                }
            }
            let depth = if visit.moves > 1 { inner } else { depth };
            work.extend(children.iter().rev().map(|&child| (child, depth)));
        }
        if self.tree.more > 0 {
            let _ = writeln!(out, "and {}", words::count(self.tree.more, "more state"));
        }
    }

    pub(super) fn json(&self) -> Option<SearchJson> {
        let nodes = |nodes: &[NodeId]| -> Vec<NodeJson> { nodes.iter().map(|&n| self.speaker.json(n)).collect() };
        let state = |(at, visit): (usize, &VisitedState)| {
            let (chosen, rest) = visit.moved.split_at(visit.chosen as usize);
            let dead = visit.expanded && visit.moves == 0;
            let board = dead.then(|| self.board(at as u32));
            let stuck = board.iter().flat_map(|board| self.stuck(board));
            SearchStateJson {
                number: at + 1,
                parent: visit.parent.map(|parent| parent as usize + 1),
                chosen: nodes(chosen),
                performed: nodes(rest),
                moves: visit.moves,
                seen_before: visit
                    .repeats
                    .iter()
                    .map(|(moved, seen)| RepeatJson { chosen: nodes(moved), state: *seen as usize + 1 })
                    .collect(),
                stuck: stuck.map(|(nodes, why)| StuckJson { nodes, why }).collect(),
            }
        };
        let states: Vec<_> = self.tree.visits.iter().enumerate().map(state).collect();
        (!states.is_empty()).then_some(SearchJson { states, more_states: self.tree.more })
    }
}

/// The states of a search.
#[derive(Clone, Debug, Serialize)]
pub struct SearchJson {
    /// The states that are listed, in the order in which they were reached.
    pub states: Vec<SearchStateJson>,
    /// How many more there are.
    pub more_states: u64,
}

/// A state of a search.
#[derive(Clone, Debug, Serialize)]
pub struct SearchStateJson {
    /// Its number, from 1.
    pub number: usize,
    /// The state that it was reached from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<usize>,
    /// The move from there.
    pub chosen: Vec<NodeJson>,
    /// What was performed behind the move without a choice.
    pub performed: Vec<NodeJson>,
    /// How many moves there are.
    pub moves: u32,
    /// Those that lead to a state that had been reached before.
    pub seen_before: Vec<RepeatJson>,
    /// If there are none, what could come next and why it can't.
    pub stuck: Vec<StuckJson>,
}

/// A move to a state that had been reached before.
#[derive(Clone, Debug, Serialize)]
pub struct RepeatJson {
    /// The move.
    pub chosen: Vec<NodeJson>,
    /// The state's number.
    pub state: usize,
}

/// What could come next in a state that has no moves.
#[derive(Clone, Debug, Serialize)]
pub struct StuckJson {
    /// What it is.
    pub nodes: String,
    /// What is in its way.
    pub why: String,
}
