//! The tree of an exploration: a visit for every option, taken or not.
//!
//! Algorithms that push no options say at which level of the tree a step made its choice (`Explorer::level`). The tree keeps the
//! visits on the current path by level, and so knows where the next try belongs.
//!
//! It is a list in which each visit knows its parent. It is looked up and grown at one end; there is nothing for a graph library
//! to search.

use crate::explore::{Direction, ExecutionKind, Step};
use crate::graph::{EventKey, ThreadId};
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
    /// A random run that led to an execution that was found before.
    Repeated,
    /// A call that is over and made others, which led further.
    Inner,
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
    /// The option; `None` at the root, for candidates of brute force and for random runs.
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

/// How many visits of each kind, in the order of [`VisitKind::ALL`].
pub type Tally = [u32; VisitKind::ALL.len()];

impl VisitKind {
    /// All kinds.
    pub const ALL: [Self; 9] = [
        Self::Pending,
        Self::Open,
        Self::Complete,
        Self::Blocked,
        Self::Erroneous,
        Self::Dropped,
        Self::Duplicate,
        Self::Repeated,
        Self::Inner,
    ];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Open => "open",
            Self::Complete => "complete",
            Self::Blocked => "blocked",
            Self::Erroneous => "erroneous",
            Self::Dropped => "dropped",
            Self::Duplicate => "duplicate",
            Self::Repeated => "repeated",
            Self::Inner => "inner",
        }
    }
}

/// How many visits are kept: about a hundred and fifty megabytes.
const MAX_VISITS: usize = 1_000_000;
/// How far above a visit it is looked for where a read was added: further than a way that is shown is long.
const MAX_WAY_BACK: usize = 200;

/// A visit, or a place somewhere below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Spot {
    /// The visit.
    visit: VisitId,
    /// Whether it is the visit itself, and not one below it that is not kept.
    kept: bool,
}

/// All visits so far, or the first million of them.
#[derive(Clone, Debug)]
pub struct Tree {
    visits: Vec<Visit>,
    /// Children in the order they were pushed, by visit.
    children: Vec<Vec<VisitId>>,
    /// Options not taken yet by read, as in S: the next one last.
    pending: FxHashMap<EventKey, Vec<Spot>>,
    /// For algorithms without S: by level, the visit in which a choice was made first.
    path: Vec<Spot>,
    current: Spot,
    /// The events that were added, visit by visit: of a thread, those from one serial number to another.
    added: Vec<(ThreadId, u32, u32)>,
    /// Where the events of a visit begin in that list, and where they end.
    added_by: Vec<(u32, u32)>,
    /// In which visit, or below which one, the exploration went on from a position.
    taken: Vec<(u64, VisitId)>,
    /// How many visits are kept.
    room: usize,
    /// How many are not.
    forgotten: u64,
}

impl Default for Tree {
    fn default() -> Self {
        Self::with_room(MAX_VISITS)
    }
}

impl Tree {
    fn with_room(room: usize) -> Self {
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
            path: Vec::new(),
            current: Spot { visit: 0, kept: true },
            added: Vec::new(),
            added_by: vec![(0, 0)],
            taken: vec![(0, 0)],
            room,
            forgotten: 0,
        }
    }

    /// A visit.
    pub fn visit(&self, id: VisitId) -> Option<&Visit> {
        self.visits.get(id as usize)
    }

    /// How many visits were left out because there was no room for them.
    pub fn forgotten(&self) -> u64 {
        self.forgotten
    }

    /// How many visits are kept, pending ones included.
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

    /// The visit that a position lies in, or below which it does if its own is not kept.
    pub fn at(&self, position: u64) -> VisitId {
        let after = self.taken.partition_point(|&(from, _)| from <= position);
        self.taken[after.saturating_sub(1)].1
    }

    /// The visits from one up to the root, itself included.
    pub fn way(&self, id: VisitId) -> Vec<VisitId> {
        let mut way = Vec::new();
        let mut next = self.visit(id).map(|_| id);
        while let Some(id) = next {
            way.push(id);
            next = self.visit(id).map(|visit| visit.parent).filter(|&parent| parent != id);
        }
        way
    }

    /// What lies below each visit, itself not included. Linear in the size of the tree.
    pub fn below(&self) -> Vec<Tally> {
        let mut below = vec![Tally::default(); self.visits.len()];
        // A visit comes behind its parent.
        for (id, visit) in self.visits.iter().enumerate().skip(1).rev() {
            let own = below[id];
            let above = &mut below[visit.parent as usize];
            above.iter_mut().zip(own).for_each(|(sum, count)| *sum += count);
            above[visit.kind as usize] += 1;
        }
        below
    }

    /// Of a visit that starts with a backward option, the visit in which the read was added that it revisits. `None` if that
    /// lies more than `MAX_WAY_BACK` visits above.
    pub fn revisited(&self, id: VisitId) -> Option<VisitId> {
        let visit = self.visit(id)?;
        let goes_back = |option: &VisitOption| matches!(option.direction, Direction::Backward | Direction::Schedule);
        let EventKey { thread, serial } = visit.option.filter(goes_back)?.read;
        let mut at = visit.parent;
        for _ in 0..MAX_WAY_BACK {
            let (from, to) = self.added_by[at as usize];
            let mut added = self.added[from as usize..to as usize].iter();
            // Cut and added again, it is another: the latest counts.
            if added.any(|&(other, first, last)| other == thread && (first..=last).contains(&serial)) {
                return Some(at);
            }
            let parent = self.visit(at)?.parent;
            if parent == at {
                return None;
            }
            at = parent;
        }
        None
    }

    /// Notes that the current visit added an event.
    fn add(&mut self, EventKey { thread, serial }: EventKey) {
        let end = self.added.len() as u32;
        let (from, to) = &mut self.added_by[self.current.visit as usize];
        if from == to {
            (*from, *to) = (end, end);
        }
        let known = self.added[*from as usize..].iter_mut().find(|(other, ..)| *other == thread);
        match known {
            // A thread's events are added in po.
            Some((_, _, last)) => *last = serial,
            None => {
                self.added.push((thread, serial, serial));
                *to = end + 1;
            }
        }
    }

    fn push(&mut self, option: Option<VisitOption>, position: u64, parent: Spot) -> Spot {
        if !parent.kept || self.visits.len() >= self.room {
            self.forgotten += 1;
            return Spot { kept: false, ..parent };
        }
        let id = self.visits.len() as VisitId;
        let kind = VisitKind::Pending;
        self.visits.push(Visit {
            parent: parent.visit,
            option,
            pushed: position,
            taken: None,
            ended: position,
            kind,
            execution: None,
        });
        self.added_by.push((0, 0));
        self.children.push(Vec::new());
        self.children[parent.visit as usize].push(id);
        Spot { visit: id, kept: true }
    }

    fn take(&mut self, spot: Spot, position: u64) {
        self.current = spot;
        if spot.kept {
            let visit = &mut self.visits[spot.visit as usize];
            visit.taken = Some(position);
            visit.ended = position;
            visit.kind = VisitKind::Open;
        }
        if self.taken.last().is_none_or(|&(_, last)| last != spot.visit) && self.taken.len() < 2 * self.room {
            self.taken.push((position, spot.visit));
        }
    }

    /// A call is over; the one that made it, which lies on this level, goes on.
    fn come_back(&mut self, level: usize, position: u64) {
        if self.current.kept {
            let visit = &mut self.visits[self.current.visit as usize];
            visit.ended = position;
            if visit.kind == VisitKind::Open {
                visit.kind = VisitKind::Inner;
            }
        }
        self.path.truncate(level + 1);
        let Some(&spot) = self.path.last() else { return };
        self.current = spot;
        if self.taken.last().is_none_or(|&(_, last)| last != spot.visit) && self.taken.len() < 2 * self.room {
            self.taken.push((position, spot.visit));
        }
    }

    /// What lies between the current visit and one above it is over: if it came to no end of its own, others did.
    fn leave(&mut self, above: VisitId) {
        let mut at = self.current.visit;
        while at != above && at != 0 {
            let visit = &mut self.visits[at as usize];
            if visit.kind == VisitKind::Open {
                visit.kind = VisitKind::Inner;
            }
            at = visit.parent;
        }
    }

    /// Takes note of the step that leads to `position`, and for algorithms without S of how many choices lie above the
    /// one that the step made or prepared.
    pub fn observe(&mut self, step: Step, position: u64, level: Option<usize>) {
        let pushed = match step {
            Step::PushForward { read, write } => Some((read, Some(write), Direction::Forward, false)),
            Step::Schedule { read, write, spurious } => Some((read, Some(write), Direction::Schedule, spurious)),
            Step::PushBackward { read, write } => Some((read, Some(write), Direction::Backward, false)),
            Step::PushSpurious { read, write, direction } => Some((read, Some(write), direction, true)),
            Step::PushBlock { read } => Some((read, None, Direction::Forward, false)),
            Step::PushPlacement { write, after } => Some((write, Some(after), Direction::Placement, false)),
            _ => None,
        };
        if let Some((read, write, direction, spurious)) = pushed {
            let option = VisitOption { read, write, direction, spurious };
            let spot = self.push(Some(option), position, self.current);
            self.pending.entry(read).or_default().push(spot);
        }
        let taken = match step {
            Step::TakeRevisit { read, write, direction } => Some((read, Some(write), direction, false)),
            Step::TakeSchedule { read, write, spurious } => Some((read, Some(write), Direction::Schedule, spurious)),
            Step::TakeSpurious { read, write, direction } => Some((read, Some(write), direction, true)),
            Step::Call { read, write, spurious } => Some((read, Some(write), Direction::Forward, spurious)),
            Step::TakeBlock { read } => Some((read, None, Direction::Forward, false)),
            Step::TakePlacement { write, after } => Some((write, Some(after), Direction::Placement, false)),
            Step::ExtendRead { read, write, spurious } => Some((read, Some(write), Direction::Forward, spurious)),
            Step::OrderPair { first, second } => Some((second, Some(first), Direction::Order, false)),
            Step::TakeBacktrack { event, before, .. } => Some((event, Some(before), Direction::Backtrack, false)),
            _ => None,
        };
        if let Some((read, write, direction, spurious)) = taken {
            if let Some(level) = level {
                // Nothing was pushed: the option is known only now, and belongs to where the choice was made first.
                let parent = self.path.get(level).copied().unwrap_or(self.current);
                self.leave(parent.visit);
                let option = VisitOption { read, write, direction, spurious };
                let spot = self.push(Some(option), position, parent);
                self.take(spot, position);
                self.path.truncate(level + 1);
                self.path.push(spot);
            } else if let Some(spot) = self.pending.get_mut(&read).and_then(Vec::pop) {
                self.take(spot, position);
            }
        }
        if let Step::AddEvent { event } = step
            && self.current.kept
        {
            self.add(event);
        }
        match (step, level) {
            // Choices that are prepared without a step are made first in the same visit.
            (
                Step::AddEvent { .. }
                | Step::ChooseSource { .. }
                | Step::Block { .. }
                | Step::PlaceWrite { .. }
                | Step::EnterCall { .. }
                | Step::Commit { .. },
                Some(level),
            ) => {
                self.path.truncate(level);
                self.path.resize(level + 1, self.current);
            }
            // Each call has a level of its own, to which it comes back.
            (Step::Turn { .. }, Some(level)) => {
                self.path.truncate(level + 1);
                self.path.resize(level + 1, self.current);
            }
            (Step::Return { .. }, Some(level)) => self.come_back(level, position),
            (Step::Candidate { .. } | Step::BeginRun { .. } | Step::Start { .. }, _) => {
                let spot = self.push(None, position, Spot { visit: 0, kept: true });
                self.take(spot, position);
            }
            _ => {}
        }
        if step == Step::Done && !self.path.is_empty() {
            self.leave(0);
            if self.visits[0].kind == VisitKind::Open {
                self.visits[0].kind = VisitKind::Inner;
            }
        }
        if !self.current.kept {
            return;
        }
        let visit = &mut self.visits[self.current.visit as usize];
        if step != Step::Done {
            visit.ended = position;
        }
        match step {
            Step::Drop
            | Step::NotAtomic
            | Step::Undecided
            | Step::LeaveOut { .. }
            | Step::NoClosure { .. }
            | Step::SleepSetBlocked => visit.kind = VisitKind::Dropped,
            Step::DeadEnd => visit.kind = VisitKind::Inner,
            Step::Execution { number, kind } => {
                visit.execution = Some(number);
                visit.kind = match kind {
                    ExecutionKind::Complete => VisitKind::Complete,
                    ExecutionKind::Blocked | ExecutionKind::StuckForGood => VisitKind::Blocked,
                    ExecutionKind::Erroneous => VisitKind::Erroneous,
                };
            }
            Step::Error { .. } | Step::Race { .. } | Step::UninitialisedRead { .. } => {
                visit.kind = VisitKind::Erroneous
            }
            Step::Duplicate => visit.kind = VisitKind::Duplicate,
            Step::Repeated { number } => {
                visit.execution = Some(number);
                visit.kind = VisitKind::Repeated;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::{Algorithm, Options};
    use crate::model::Model;
    use crate::program::Code;
    use crate::syntax;
    use std::sync::Arc;

    #[test]
    fn a_tree_has_room_for_so_many_visits() {
        let program = syntax::parse("a := fai(x) || b := fai(x) || c := fai(x)").expect("it is a program").program;
        let code = Arc::new(Code::compile(&program).expect("it compiles"));
        let explorer = || Algorithm::Genmc.explorer(code.clone(), Model::SC, Options::default()).expect("it can");
        let (mut whole, mut small) = (Tree::default(), Tree::with_room(4));
        let mut all = explorer();
        loop {
            let step = all.advance();
            let position = all.counts().steps;
            whole.observe(step, position, None);
            small.observe(step, position, None);
            if step == Step::Done {
                break;
            }
            // Where it is known, it is the same; elsewhere it is an ancestor.
            let (mut exact, known) = (whole.at(position), small.at(position));
            while exact != known && exact >= 4 {
                exact = whole.visit(exact).expect("it exists").parent;
            }
            assert_eq!(exact, known, "at {position}");
        }
        assert_eq!(small.len(), 4);
        assert_eq!(whole.forgotten(), 0);
        assert_eq!(small.forgotten() + 4, whole.len() as u64);
        for id in 0..4 {
            let (one, other) = (whole.visit(id).expect("it exists"), small.visit(id).expect("it exists"));
            assert_eq!(
                (one.parent, one.option, one.taken, one.kind),
                (other.parent, other.option, other.taken, other.kind)
            );
        }
    }

    /// A read that is revisited was added in the visit that says so, which lies on the way to the one that found the
    /// revisit.
    #[test]
    fn reads_were_added_where_revisits_lead() {
        let programs = [
            "a := x; b := x || x := 1 || x := 2",
            "a := x; y := 1 || b := y; x := 1 || c := x; y := 2",
            "a := fai(x) || b := fai(x) || c := x",
            "a := x || b := y; x := b + 1 || y := 1; c := x || x := 3",
            "shared m, x\nlock m; x := 1; unlock m || lock m; a := x; unlock m || lock m; b := x; unlock m",
        ];
        for text in programs {
            let program = syntax::parse(text).expect("it is a program").program;
            let code = Arc::new(Code::compile(&program).expect("it compiles"));
            for algorithm in [Algorithm::Genmc, Algorithm::GenmcCo, Algorithm::Trust, Algorithm::TrustCo] {
                let mut explorer = algorithm.explorer(code.clone(), Model::RA, Options::default()).expect("it can");
                let (mut tree, mut added) = (Tree::default(), Vec::new());
                loop {
                    let step = explorer.advance();
                    tree.observe(step, explorer.counts().steps, explorer.level());
                    match step {
                        Step::AddEvent { event } => added.push((tree.current.visit, event)),
                        Step::Done => break,
                        _ => {}
                    }
                }
                let visits = 0..tree.len() as VisitId;
                let backward = visits.filter_map(|id| Some((id, tree.visit(id)?.option?)));
                let mut any = false;
                for (id, option) in backward.filter(|(_, option)| option.direction == Direction::Backward) {
                    any = true;
                    let revisited = tree.revisited(id).expect("the read was added somewhere");
                    let way = tree.way(tree.visits[id as usize].parent);
                    // The latest on the way: the read may have been cut and added again.
                    let wanted = way.iter().find(|id| added.contains(&(**id, option.read)));
                    assert_eq!(wanted, Some(&revisited), "{text} {algorithm:?} {option:?} {way:?}");
                }
                assert!(any, "{text} {algorithm:?}");
            }
        }
    }

    #[test]
    fn what_lies_below_is_counted() {
        let program = syntax::parse("a := fai(x) || b := fai(x) || assume x = 0").expect("it is a program").program;
        let code = Arc::new(Code::compile(&program).expect("it compiles"));
        let mut explorer = Algorithm::Genmc.explorer(code, Model::SC, Options::default()).expect("it can");
        let mut tree = Tree::default();
        loop {
            let step = explorer.advance();
            if step == Step::Done {
                break;
            }
            tree.observe(step, explorer.counts().steps, None);
            let below = tree.below();
            for id in 0..tree.len() as VisitId {
                let mut wanted = Tally::default();
                for (other, visit) in tree.visits.iter().enumerate() {
                    if other as VisitId != id && tree.way(other as VisitId).contains(&id) {
                        wanted[visit.kind as usize] += 1;
                    }
                }
                assert_eq!(below[id as usize], wanted);
            }
        }
        for (index, kind) in VisitKind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, index);
        }
    }

    /// A run of an algorithm without S, step by step: a new visit belongs to one on the way to where the last one ended.
    #[test]
    fn what_is_tried_next_belongs_to_where_the_choice_was_made() {
        let programs = [
            "x := 1; a := y || y := 1; b := x",
            "x := 1 || x := 2 || a := x; b := x",
            "a := fai(x) || b := fai(x) || c := x",
            "x := 1; y := 1 || y := 2; a := x || b := y; c := x",
            "a := cas(x, 0, 1); y := 1 || b := fai(x) || c := y; x := 2",
            "shared m, x\nlock m; x := 1; unlock m || lock m; a := x; unlock m",
        ];
        for text in programs {
            let program = syntax::parse(text).expect("it is a program").program;
            let code = Arc::new(Code::compile(&program).expect("it compiles"));
            for (algorithm, model) in [
                (Algorithm::Trust, Model::SC),
                (Algorithm::Trust, Model::RA),
                (Algorithm::TrustCo, Model::SC),
                (Algorithm::TrustCo, Model::TSO),
                (Algorithm::VcDpor, Model::SC),
                (Algorithm::DcDpor, Model::SC),
            ] {
                let options = Options { spurious: true, ..Options::default() };
                let mut explorer = algorithm.explorer(code.clone(), model, options).expect("it can");
                let mut tree = Tree::default();
                loop {
                    let before = tree.current.visit;
                    let step = explorer.advance();
                    tree.observe(step, explorer.counts().steps, explorer.level());
                    let now = tree.current.visit;
                    if now != before {
                        let parent = tree.visit(now).expect("it exists").parent;
                        let mut way = before;
                        while way != parent && way != 0 {
                            way = tree.visit(way).expect("it exists").parent;
                        }
                        assert_eq!(way, parent, "{text} {algorithm:?} {model:?} {step:?}");
                    }
                    if step == Step::Done {
                        break;
                    }
                }
                let (counts, all) = (explorer.counts(), tree.visits.iter());
                let of = |kind| all.clone().filter(|visit| visit.kind == kind).count() as u64;
                assert_eq!(of(VisitKind::Complete), counts.complete, "{text} {algorithm:?} {model:?}");
                assert_eq!(of(VisitKind::Blocked), counts.blocked, "{text} {algorithm:?} {model:?}");
                assert_eq!(of(VisitKind::Dropped), counts.dropped, "{text} {algorithm:?} {model:?}");
                assert_eq!((of(VisitKind::Open), of(VisitKind::Pending)), (0, 0), "{text} {algorithm:?} {model:?}");
                assert_eq!(tree.len() as u64, counts.revisits + 1, "{text} {algorithm:?} {model:?}");
            }
        }
    }

    /// Under DPOR and EPOR, each step can be shown, also while stores are in their buffers or a section grows; and each run but
    /// the first is a visit below the one that it went back to.
    #[test]
    fn backtracks_are_visits() {
        use crate::session::{Session, Settings, ViewRequest};
        for (algorithm, model) in [
            (Algorithm::SourceDpor, Model::SC),
            (Algorithm::OptimalDpor, Model::TSO),
            (Algorithm::OptimalDpor, Model::PSO),
            (Algorithm::Observers, Model::SC),
            (Algorithm::EagerPor, Model::SC),
            (Algorithm::EporSh, Model::SC),
        ] {
            let text = "x := 1; a := y || y := 1; b := x || fai(x)".to_owned();
            let settings = Settings { text, model, algorithm, ..Settings::default() };
            let mut session = Session::open(settings).expect("a program");
            while session.forward() {
                let view = session.view(&ViewRequest::default());
                assert!(
                    view.line.is_some() && !view.explanation.is_empty(),
                    "{algorithm:?} under {model}: {:?}",
                    view.step
                );
            }
            let (counts, tree) = (session.counts(), session.tree());
            assert_eq!(tree.len() as u64, counts.revisits + 1, "{algorithm:?} under {model}");
            let whole = (0..tree.len() as u32).filter_map(|id| tree.visit(id)?.execution).count() as u64;
            assert_eq!(whole, counts.executions(), "{algorithm:?} under {model}");
        }
    }
}
