//! The tree of an exploration: a visit for every option, taken or not.

use crate::explore::{Direction, ExecutionKind, Step};
use crate::graph::EventKey;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// Index of a visit; the root is 0.
pub type VisitId = u32;

/// How a visit ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VisitKind {
    /// An option not taken yet.
    Pending,
    /// Being visited.
    Open,
    /// A complete execution.
    Complete,
    /// A blocked execution.
    Blocked,
    /// An execution with an error or a data race.
    Erroneous,
    /// Inconsistent.
    Dropped,
    /// Found before; never.
    Duplicate,
}

/// The option that a visit starts with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VisitOption {
    /// The read, or the write, that the option is one of.
    pub read: EventKey,
    /// The source that it takes, `None` if it waits (⊥); or the write that it comes behind in co.
    pub write: Option<EventKey>,
    /// Which kind of option it is.
    pub direction: Direction,
    /// Whether the read is a weak compare-and-swap that fails spuriously.
    pub spurious: bool,
}

/// A visit of the algorithm, from the option that started it to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Visit {
    /// The visit that pushed the option; the root is its own parent.
    pub parent: VisitId,
    /// The option; `None` at the root and for candidates of brute force.
    pub option: Option<VisitOption>,
    /// The step that pushed the option.
    pub pushed: u64,
    /// The step that took it.
    pub taken: Option<u64>,
    /// The last step of the visit so far.
    pub ended: u64,
    /// How it ended.
    pub kind: VisitKind,
    /// The number of the execution it ended in.
    pub execution: Option<u64>,
}

/// All visits so far.
#[derive(Clone, Debug)]
pub struct Tree {
    visits: Vec<Visit>,
    /// Children in the order they were pushed, by visit.
    children: Vec<Vec<VisitId>>,
    /// Options not taken yet by read, as in S: the next one last.
    pending: FxHashMap<EventKey, Vec<VisitId>>,
    current: VisitId,
    /// Nodes in the order they were taken.
    taken: Vec<VisitId>,
}

impl Default for Tree {
    fn default() -> Self {
        let root = Visit {
            parent: 0,
            option: None,
            pushed: 0,
            taken: Some(0),
            ended: 0,
            kind: VisitKind::Open,
            execution: None,
        };
        Self {
            visits: vec![root],
            children: vec![Vec::new()],
            pending: FxHashMap::default(),
            current: 0,
            taken: vec![0],
        }
    }
}

impl Tree {
    /// A visit.
    pub fn visit(&self, id: VisitId) -> Option<&Visit> {
        self.visits.get(id as usize)
    }

    /// How many visits there are, pending ones included.
    pub fn len(&self) -> usize {
        self.visits.len()
    }

    /// Never: there is a root.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The options that a visit pushed, in that order.
    pub fn children(&self, id: VisitId) -> &[VisitId] {
        self.children.get(id as usize).map_or(&[], Vec::as_slice)
    }

    /// The visit that a position lies in.
    pub fn at(&self, position: u64) -> VisitId {
        let after = self.taken.partition_point(|&id| self.visits[id as usize].taken.is_some_and(|t| t <= position));
        self.taken[after.saturating_sub(1)]
    }

    fn push(&mut self, option: Option<VisitOption>, position: u64, parent: VisitId) -> VisitId {
        let id = self.visits.len() as VisitId;
        let kind = VisitKind::Pending;
        self.visits.push(Visit {
            parent,
            option,
            pushed: position,
            taken: None,
            ended: position,
            kind,
            execution: None,
        });
        self.children.push(Vec::new());
        self.children[parent as usize].push(id);
        id
    }

    fn take(&mut self, id: VisitId, position: u64) {
        let visit = &mut self.visits[id as usize];
        visit.taken = Some(position);
        visit.ended = position;
        visit.kind = VisitKind::Open;
        self.current = id;
        self.taken.push(id);
    }

    /// Takes note of the step that leads to `position`.
    pub fn observe(&mut self, step: Step, position: u64) {
        let pushed = match step {
            Step::PushForward { read, write } => Some((read, Some(write), Direction::Forward, false)),
            Step::PushBackward { read, write } => Some((read, Some(write), Direction::Backward, false)),
            Step::PushSpurious { read, write, direction } => Some((read, Some(write), direction, true)),
            Step::PushBlock { read } => Some((read, None, Direction::Forward, false)),
            Step::PushPlacement { write, after } => Some((write, Some(after), Direction::Placement, false)),
            _ => None,
        };
        if let Some((read, write, direction, spurious)) = pushed {
            let option = VisitOption { read, write, direction, spurious };
            let id = self.push(Some(option), position, self.current);
            self.pending.entry(read).or_default().push(id);
        }
        match step {
            Step::TakeRevisit { read, .. }
            | Step::TakeSpurious { read, .. }
            | Step::TakeBlock { read }
            | Step::TakePlacement { write: read, .. } => {
                if let Some(id) = self.pending.get_mut(&read).and_then(Vec::pop) {
                    self.take(id, position);
                }
            }
            Step::Candidate { .. } => {
                let id = self.push(None, position, 0);
                self.take(id, position);
            }
            _ => {}
        }
        let visit = &mut self.visits[self.current as usize];
        if step != Step::Done {
            visit.ended = position;
        }
        match step {
            Step::Drop => visit.kind = VisitKind::Dropped,
            Step::Execution { number, kind } => {
                visit.execution = Some(number);
                visit.kind = match kind {
                    ExecutionKind::Complete => VisitKind::Complete,
                    ExecutionKind::Blocked => VisitKind::Blocked,
                    ExecutionKind::Erroneous => VisitKind::Erroneous,
                };
            }
            Step::Error { .. } | Step::Race { .. } | Step::UninitialisedRead { .. } => {
                visit.kind = VisitKind::Erroneous
            }
            Step::Duplicate => visit.kind = VisitKind::Duplicate,
            _ => {}
        }
    }
}
