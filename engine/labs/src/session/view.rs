//! What the page shows of a session: texts, numbers and drawings, all computed here.

use super::explain::Explainer;
use super::{Aspect, AspectView, Below, Reach, Session, Tally, ViolationView, VisitId, VisitKind, explain};
use crate::explore::{Counts, Direction, ExecutionKind, Outcome, Step, Verdict, waiting_events};
use crate::graph::{Edge, EventId, EventKey, RelationName};
use crate::model::Witness;
use crate::program::{Span, Value};
use crate::report::{Drawing, DrawingInput, Format, InitialWrites, Mark, Room, Theme, call_frames, layout};
use crate::sort;
use crate::syntax::Diagnostic;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What the page wants to see.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ViewRequest {
    /// Relations to leave out of the drawing.
    pub hidden: Vec<RelationName>,
    /// Nodes of the tree that the reader unfolded.
    pub unfolded: Vec<VisitId>,
    /// Nodes of the tree that the reader folded.
    pub folded: Vec<VisitId>,
    /// How the execution is to be shown.
    pub aspect: Aspect,
    /// In which formats it is to be had as text.
    pub formats: Vec<Format>,
    /// The theme of pictures among those.
    pub theme: Theme,
    /// A node of the tree to be shown, wherever it is: what a search found.
    #[serde(default)]
    pub found: Option<VisitId>,
    /// Whether threads are to stand closer together, for a narrow screen.
    #[serde(default)]
    pub narrow: bool,
}

/// Everything the page shows of a session at one position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct View {
    /// How many steps lie before the point shown.
    pub position: u64,
    /// How many steps have been explored.
    pub frontier: u64,
    /// Whether nothing is left to explore.
    pub done: bool,
    /// How much has been explored.
    pub reach: Reach,
    /// The step that led here. Not sent: its words are, and reading it would be a fiftieth of the page's module.
    #[serde(skip)]
    pub step: Option<Step>,
    /// What the step is called: "add event", "take revisit", ...
    pub step_name: String,
    /// The index of the line of the algorithm's pseudo-code that made it; none at the start.
    pub line: Option<u32>,
    /// The step in plain words, one or two sentences.
    pub explanation: String,
    /// The source text of the event that the step is about.
    pub span: Option<Span>,
    /// The graph.
    pub drawing: Drawing,
    /// The same execution in the ways that were asked for.
    pub aspect: AspectView,
    /// The relations that this graph has under this model, hidden ones too, in the order of the legend.
    pub relations: Vec<RelationName>,
    /// A hash of the graph, by which questions name it.
    pub stamp: String,
    /// Why the graph is dropped.
    pub violation: Option<ViolationView>,
    /// T, S and U.
    pub pending: Vec<PendingView>,
    /// The tree, as far as it is unfolded.
    pub tree: TreeView,
    /// What was counted up to the frontier.
    pub counts: Counts,
    /// A hash of every step up to the frontier: the same wherever the same exploration is run.
    pub fingerprint: String,
    /// What was found up to the frontier.
    pub outcomes: OutcomesView,
    /// Errors and races found up to the frontier.
    pub faults: Vec<FaultView>,
    /// Of a program with handlers: which messages race, wait for ever, or never run.
    pub messages: Vec<FaultView>,
    /// What bounds cut, by place.
    pub cuts: Vec<CutView>,
    /// What is known of the condition.
    pub condition: Option<ConditionView>,
    /// The verdict so far.
    pub verdict: Verdict,
    /// The verdict in a sentence.
    pub verdict_text: String,
    /// What the parser inferred or found odd.
    pub notes: Vec<Diagnostic>,
    /// Whether the algorithm can leave out executions in which threads of this program wait in vain.
    pub leaves_out_waits: bool,
}

/// A read's part of T, S and U.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingView {
    /// The read: name and label.
    pub read: String,
    /// Its name in the drawing.
    pub key: EventKey,
    /// Member of T.
    pub revisitable: bool,
    /// S: options not taken yet, the next one last.
    pub options: Vec<OptionView>,
    /// How many further options lie below those listed.
    pub options_left_out: u64,
    /// U: all backward options ever pushed, the newest last.
    pub explored: Vec<OptionView>,
    /// How many older ones are not listed.
    pub explored_left_out: u64,
}

/// An option of a read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OptionView {
    /// The write: name and label.
    pub write: String,
    /// Its kind.
    pub direction: Direction,
    /// The read is a weak compare-and-swap that fails spuriously.
    pub spurious: bool,
    /// What it keeps behind the read, by name.
    pub keeps: Vec<String>,
    /// In U and no longer in S: it was taken.
    pub taken: bool,
}

/// The tree as rows of an outline.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeView {
    /// The rows from top to bottom.
    pub rows: Vec<TreeRow>,
    /// How many nodes there are in all.
    pub nodes: u64,
}

/// A row of the outline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeRow {
    /// The visit; of a summary row, the one whose children are left out.
    pub visit: VisitId,
    /// How deep it is indented.
    pub depth: u32,
    /// Its kind.
    pub kind: VisitKind,
    /// What it is, such as "R(x) ← W(x,2), backward".
    pub label: String,
    /// The point shown lies in it.
    pub current: bool,
    /// The point shown lies in it or below.
    pub on_path: bool,
    /// It was pushed after the point shown.
    pub later: bool,
    /// How many children it has.
    pub children: u32,
    /// Whether its children are shown.
    pub unfolded: bool,
    /// A row that stands for several visits left out, and is none of them.
    pub summary: bool,
    /// Whether a click goes somewhere.
    pub reachable: bool,
    /// What lies below a node that is folded, by kind.
    pub below: Vec<Below>,
    /// If it starts with a backward option, the visit in which the read that it revisits was added.
    pub revisited: Option<VisitId>,
}

/// The table of final states.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutcomesView {
    /// The names of what a state consists of.
    pub columns: Vec<String>,
    /// The states, sorted.
    pub rows: Vec<OutcomeRow>,
    /// How many states are left out at the end.
    pub left_out: u64,
    /// There are more states than are kept, so that none is shown.
    pub too_many: bool,
}

/// A final state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutcomeRow {
    /// The values as they are shown, by column.
    pub values: Vec<String>,
    /// How many executions can end in it.
    pub count: u64,
    /// Whether it satisfies the condition's proposition.
    pub satisfies: Option<bool>,
    /// The position of the first execution that ends in it, if a session can go there.
    pub position: Option<u64>,
}

/// An error or a race.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FaultView {
    /// What is wrong and where.
    pub message: String,
    /// How often it was found.
    pub count: u64,
    /// Where it was found first, if a session can go there.
    pub position: Option<u64>,
}

/// A loop or a thread that a bound cut.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CutView {
    /// What was cut, where and by which bound.
    pub message: String,
    /// The line, from 1.
    pub line: u32,
    /// In how many executions.
    pub executions: u64,
}

/// What is known of the condition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConditionView {
    /// The condition.
    pub text: String,
    /// Whether it is a question, to which neither answer is wrong.
    pub asks: bool,
    /// Whether it holds as far as was explored.
    pub holds: bool,
    /// Whether more exploration can't change that.
    pub decided: bool,
    /// The same in a sentence.
    pub sentence: String,
}

/// How many initial writes are shown at the start, when there is nothing else to show.
const MAX_INITIAL: usize = 8;
/// How many final states are listed.
const MAX_OUTCOMES: usize = 500;
/// How many rows of the tree are listed, besides the way to the point shown.
const MAX_ROWS: usize = 500;
/// How many nodes of the way to the point shown are listed.
const MAX_PATH: usize = 100;
/// How many children of a node are listed around those of interest.
const MAX_CHILDREN: usize = 40;
/// How large a tree is shown whole.
const SMALL_TREE: usize = 120;

impl Session {
    /// What the page shows. Linear in the size of the graph, the results and the tree rows shown, but for the model's
    /// check of the graph.
    pub fn view(&self, request: &ViewRequest) -> View {
        let explainer = Explainer::new(self);
        let explorer = self.explorer();
        let graph = explorer.execution();
        let step = self.step();
        let violation = match step {
            Some(Step::Drop) => match explorer.coherence() {
                Some(co) => self.model().violation_with(graph, co),
                None => self.model().consistency_for_view(graph).violation(),
            },
            _ => None,
        };
        let derived = match (&violation, explorer.coherence()) {
            (_, Some(co)) => self.model().relations(graph, &Witness { co: co.clone() }),
            (None, None) => match self.model().consistency_for_view(graph).witness() {
                Some(witness) => self.model().relations(graph, &witness),
                None => self.model().partial_relations(graph),
            },
            (Some(_), None) => self.model().partial_relations(graph),
        };
        let relations: Vec<_> = derived.iter().map(|(name, _)| *name).collect();
        let shown = derived
            .into_iter()
            .filter(|(name, _)| !request.hidden.contains(name))
            .flat_map(|(_, edges)| edges)
            .collect();
        let mut input = DrawingInput::new(self.program(), graph);
        input.edges = shown;
        input.new_edges = self.new_edge().into_iter().collect();
        input.violation = violation.as_ref();
        input.marks = self.marks();
        input.ghosts = explorer.cut().to_vec();
        input.chosen_co = explorer.coherence().is_some();
        input.room = Room::of(request.narrow);
        input.frames = call_frames(self.program(), &self.code, graph, self.settings.options.limits);
        if step.is_none() && graph.len() <= MAX_INITIAL {
            input.initial = InitialWrites::All;
        }
        let drawing = layout(input.diagram());
        let aspect = self.aspect(request.aspect, &request.formats, request.theme, &input, &drawing);
        let condition = explain::condition(self);
        let verdict = self.results().verdict(self.program(), self.coverage());
        View {
            position: self.position(),
            frontier: self.frontier(),
            done: self.is_done(),
            reach: self.reach(),
            step,
            step_name: explain::step_name(step).to_owned(),
            line: explainer.line(),
            explanation: explainer.explain(violation.as_ref()),
            span: explainer.span(),
            drawing,
            aspect,
            relations,
            stamp: self.subject().stamp(),
            violation: violation.as_ref().map(|violation| self.subject().violation(violation)),
            pending: explainer.pending(),
            tree: self.tree_view(request),
            counts: self.counts(),
            fingerprint: self.fingerprint(),
            outcomes: self.outcomes(),
            faults: explain::faults(self),
            messages: explain::messages(self),
            cuts: explain::cuts(self),
            verdict_text: explain::verdict(self, verdict),
            condition,
            verdict,
            notes: self.notes().to_vec(),
            leaves_out_waits: self.leaves_out_waits,
        }
    }

    /// The rf or co edge that the step drew.
    fn new_edge(&self) -> Option<Edge> {
        match self.step()? {
            Step::ChooseSource { read, .. }
            | Step::TakeRevisit { read, .. }
            | Step::TakeSpurious { read, .. }
            | Step::TakeSchedule { read, .. }
            | Step::Witness { read, .. } => {
                let graph = self.explorer().execution();
                let to = graph.find(read)?;
                Some(Edge { from: graph.source(to)?, to, relation: RelationName::Rf })
            }
            Step::PlaceWrite { write, after } | Step::TakePlacement { write, after } => {
                let graph = self.explorer().execution();
                Some(Edge { from: graph.find(after)?, to: graph.find(write)?, relation: RelationName::Co })
            }
            _ => None,
        }
    }

    /// What the step is about, on the graph.
    fn marks(&self) -> Vec<(EventId, Mark)> {
        let explorer = self.explorer();
        let graph = explorer.execution();
        let mut marks = Vec::new();
        let mut mark = |key: EventKey, mark| marks.extend(graph.find(key).map(|e| (e, mark)));
        match self.step() {
            Some(
                Step::AddEvent { event }
                | Step::Error { event }
                | Step::UninitialisedRead { read: event }
                | Step::OtherOutcome { event }
                | Step::JoinSection { event }
                | Step::Commit { write: event }
                | Step::TakeBacktrack { event, .. },
            ) => mark(event, Mark::Newest),
            Some(
                Step::PlaceWrite { write, after }
                | Step::PushPlacement { write, after }
                | Step::TakePlacement { write, after },
            ) => {
                mark(write, Mark::Placed);
                mark(after, Mark::Front);
                if matches!(self.step(), Some(Step::TakePlacement { .. })) {
                    self.mark_kept(write, &mut mark);
                }
            }
            Some(
                Step::ChooseSource { read, .. }
                | Step::Block { read }
                | Step::PushBlock { read }
                | Step::TakeBlock { read }
                | Step::Turn { read }
                | Step::Groups { read, .. }
                | Step::Call { read, .. }
                | Step::Return { read }
                | Step::OfferAll { read },
            ) => mark(read, Mark::Read),
            Some(Step::ExtendRead { read, .. }) => {
                mark(read, Mark::Read);
                for good in self.explorer().prefix() {
                    mark(self.explorer().execution().event(good).key, Mark::Option);
                }
            }
            Some(
                Step::PushForward { read, write }
                | Step::Witness { read, write }
                | Step::Signal { read, write }
                | Step::PushSpurious { read, write, direction: Direction::Forward | Direction::Placement },
            ) => {
                mark(read, Mark::Read);
                mark(write, Mark::Option);
            }
            Some(
                Step::PushBackward { read, write }
                | Step::AlreadyExplored { read, write }
                | Step::TakeRevisit { read, write, .. }
                | Step::PushSpurious {
                    read,
                    write,
                    direction: Direction::Backward | Direction::Schedule | Direction::Backtrack,
                }
                | Step::SpuriousAlreadyExplored { read, write }
                | Step::TakeSpurious { read, write, .. }
                | Step::NotMaximal { read, write, .. }
                | Step::Schedule { read, write, .. }
                | Step::AlreadyScheduled { read, write }
                | Step::NoWitness { read, write }
                | Step::TakeSchedule { read, write, .. },
            ) => {
                mark(read, Mark::Read);
                mark(write, Mark::Revisiting);
                self.mark_kept(read, &mut mark);
                if let Some(Step::NotMaximal { event, .. }) = self.step() {
                    mark(event, Mark::Refusing);
                }
            }
            Some(
                Step::Race { first, second }
                | Step::Reversal { first, second }
                | Step::AlreadyReversed { first, second },
            ) => {
                mark(first, Mark::RaceParty);
                mark(second, Mark::RaceParty);
            }
            Some(Step::Execution { kind: ExecutionKind::StuckForGood, .. }) => {
                let waiting = waiting_events(&self.code, self.settings.model, graph);
                marks.extend(waiting.into_iter().map(|e| (e, Mark::Stuck)));
            }
            _ => {}
        }
        marks
    }

    /// Marks what is kept, and what is not, where the graph is cut behind an event.
    fn mark_kept(&self, behind: EventKey, mark: &mut impl FnMut(EventKey, Mark)) {
        let (explorer, graph) = (self.explorer(), self.explorer().execution());
        let prefix: BTreeSet<_> = explorer.prefix().into_iter().collect();
        let behind = graph.find(behind);
        for (e, event) in graph.events().filter(|(e, event)| Some(*e) != behind && !event.is_init()) {
            if Some(e) < behind {
                mark(event.key, Mark::Kept);
            } else if prefix.contains(&e) {
                mark(event.key, Mark::Prefix);
            } else {
                mark(event.key, Mark::Cut);
            }
        }
    }

    /// The final states found up to the frontier.
    pub fn outcomes(&self) -> OutcomesView {
        let results = self.results();
        let columns = results.observables().iter().map(|&o| self.program().observable_name(o)).collect();
        let mut rows: Vec<_> = results.outcomes().collect();
        sort::by_key(&mut rows, |(state, _)| *state);
        let left_out = rows.len().saturating_sub(MAX_OUTCOMES) as u64;
        rows.truncate(MAX_OUTCOMES);
        let row = |(state, outcome): (&[Value], &Outcome)| OutcomeRow {
            values: self.program().state_texts(results.observables(), state),
            count: outcome.count,
            satisfies: outcome.satisfies,
            position: Some(outcome.first),
        };
        let rows = rows.into_iter().map(row).collect();
        OutcomesView { columns, rows, left_out, too_many: results.has_too_many_outcomes() }
    }

    fn tree_view(&self, request: &ViewRequest) -> TreeView {
        let current = self.tree().at(self.position());
        let way = self.tree().way(current);
        let path = way.iter().copied().collect();
        let found = request.found.map_or_else(Vec::new, |found| self.tree().way(found));
        let found = if found.len() <= MAX_PATH { found.into_iter().collect() } else { FxHashSet::default() };
        let mut outline = Outline { session: self, request, way, path, found, current, rows: Vec::new() };
        outline.add(0);
        outline.count_below();
        let forgotten = self.tree().forgotten();
        if forgotten > 0 {
            let label = format!("… {forgotten} later visits: there is room for {} only", self.tree().len());
            let row = outline.summary(0, 0, label);
            outline.rows.push(row);
        }
        TreeView { rows: outline.rows, nodes: self.tree().len() as u64 }
    }
}

struct Outline<'a> {
    session: &'a Session,
    request: &'a ViewRequest,
    /// From the current node up to the root.
    way: Vec<VisitId>,
    /// The same as a set.
    path: FxHashSet<VisitId>,
    /// The node that was searched for, and all above it.
    found: FxHashSet<VisitId>,
    current: VisitId,
    rows: Vec<TreeRow>,
}

impl Outline<'_> {
    fn add(&mut self, root: VisitId) {
        // An explicit stack: trees are as deep as explorations are long.
        let mut work = vec![(Item::Visit(root), 0)];
        if let Some(between) = self.way.len().checked_sub(MAX_PATH).filter(|&between| between > 0) {
            work.clear();
            self.rows.extend(self.row(root, 0));
            self.rows.push(self.summary(root, 1, format!("… {between} more on the way")));
            work.push((Item::Visit(self.way[MAX_PATH - 2]), 2));
        }
        let mut left_out = 0;
        while let Some((item, depth)) = work.pop() {
            let full = self.rows.len() >= MAX_ROWS;
            let id = match item {
                Item::Visit(id) if full && !self.path.contains(&id) && !self.found.contains(&id) => {
                    left_out += 1;
                    continue;
                }
                Item::Visit(id) => id,
                Item::Rest(_, count) if full => {
                    left_out += count;
                    continue;
                }
                Item::Rest(id, count) => {
                    self.rows.push(self.summary(id, depth, format!("… {count} more")));
                    continue;
                }
            };
            let Some(row) = self.row(id, depth) else { continue };
            let unfolded = row.unfolded;
            self.rows.push(row);
            if unfolded {
                for item in self.children(id).into_iter().rev() {
                    work.push((item, depth + 1));
                }
            }
        }
        if left_out > 0 {
            let label = format!("… {left_out} more, for which there is no room: fold some of those above");
            self.rows.push(self.summary(root, 0, label));
        }
    }

    /// Counts what lies below the nodes that are folded. Linear in the size of the tree, if there is one.
    fn count_below(&mut self) {
        if self.rows.iter().all(|row| row.children == 0 || row.unfolded) {
            return;
        }
        let below = self.session.tree().below();
        for row in self.rows.iter_mut().filter(|row| row.children > 0 && !row.unfolded) {
            let tally: Tally = below[row.visit as usize];
            let kinds = VisitKind::ALL.into_iter().zip(tally);
            row.below = kinds.filter(|&(_, count)| count > 0).map(|(kind, count)| Below { kind, count }).collect();
        }
    }

    /// The children of a node that get rows, and how many are left out in between.
    fn children(&self, id: VisitId) -> Vec<Item> {
        let children = self.session.tree().children(id);
        let all = children.len() <= MAX_CHILDREN;
        let center = children.iter().position(|child| self.path.contains(child)).unwrap_or(0);
        let found = children.iter().position(|child| self.found.contains(child)).unwrap_or(center);
        let mut items = Vec::new();
        let mut skipped = 0;
        for (index, &child) in children.iter().enumerate() {
            let near = index.abs_diff(center) <= MAX_CHILDREN / 4 || index.abs_diff(found) <= 2;
            if all || index < 3 || index + 3 >= children.len() || near {
                if skipped > 0 {
                    items.push(Item::Rest(id, std::mem::take(&mut skipped)));
                }
                items.push(Item::Visit(child));
            } else {
                skipped += 1;
            }
        }
        items
    }

    fn row(&self, id: VisitId, depth: u32) -> Option<TreeRow> {
        let tree = self.session.tree();
        let visit = tree.visit(id)?;
        let children = tree.children(id).len() as u32;
        let on_path = self.path.contains(&id);
        let above_found = self.found.contains(&id) && self.request.found != Some(id);
        let unfolded = children > 0
            && (above_found
                || !self.request.folded.contains(&id)
                    && (on_path || tree.len() <= SMALL_TREE || self.request.unfolded.contains(&id)));
        Some(TreeRow {
            visit: id,
            depth,
            kind: visit.kind,
            label: explain::visit_label(self.session, visit),
            current: id == self.current,
            on_path,
            later: visit.pushed > self.session.position(),
            children,
            unfolded,
            summary: false,
            reachable: visit.taken.is_some(),
            below: Vec::new(),
            revisited: tree.revisited(id),
        })
    }

    fn summary(&self, id: VisitId, depth: u32, label: String) -> TreeRow {
        TreeRow {
            visit: id,
            depth,
            kind: VisitKind::Pending,
            label,
            current: false,
            on_path: false,
            later: false,
            children: 0,
            unfolded: false,
            summary: true,
            reachable: false,
            below: Vec::new(),
            revisited: None,
        }
    }
}

enum Item {
    Visit(VisitId),
    Rest(VisitId, u32),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::Algorithm;
    use crate::report::NodeKind;
    use crate::session::Settings;

    /// Events of a call of a method have a frame around them, which grows with them and says what came of the call.
    #[test]
    fn calls_have_frames() {
        let object = "object s: stack {\nshared top\npush(n) { top := n }\npop() {\nt := top\nif t = 0 { return empty }\nreturn t\n}\n}";
        let text = format!("{object}\ns.push(1); a := s.pop() || b := s.pop(); x := 1");
        let mut session = Session::open(Settings { text, ..Settings::default() }).expect("it is a program");
        let mut seen = std::collections::BTreeSet::new();
        while session.forward() {
            let drawing = session.view(&ViewRequest::default()).drawing;
            for frame in &drawing.frames {
                let inside = drawing.nodes.iter().filter(|node| {
                    let middle = node.y + node.height / 2.0;
                    node.column.is_some()
                        && frame.band.x < node.x
                        && node.x < frame.band.x + frame.band.width
                        && frame.band.y < middle
                        && middle < frame.band.y + frame.band.height
                });
                assert_eq!(inside.count(), 1, "each of these calls has one event");
                seen.insert(frame.label.clone());
            }
            let ends = drawing.frames.iter().map(|frame| (frame.band.x.to_bits(), frame.band.y));
            let mut ends: Vec<_> = ends.collect();
            ends.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
            // There is room for the label between two frames.
            assert!(ends.windows(2).all(|pair| pair[0].0 != pair[1].0 || pair[1].1 - pair[0].1 > 30.0 + 12.0));
        }
        assert_eq!(seen.into_iter().collect::<Vec<_>>(), ["pop() = 1", "pop() = empty", "push(1)"]);
    }

    /// A write is no read: steps that choose its place in co say so of it, and of the write in front of that place.
    #[test]
    fn the_place_of_a_write_is_marked_as_such() {
        for algorithm in [Algorithm::GenmcCo, Algorithm::TrustCo] {
            let [mut placed, mut taken] = [0; 2];
            for text in ["x := 1 || x := 2; a := x || x := 3", "a := fai(x) || b := fai(x); x := 5 || x := 7"] {
                let settings = Settings { text: text.to_owned(), algorithm, ..Settings::default() };
                let mut session = Session::open(settings).expect("it is a program");
                while session.forward() {
                    let nodes = session.view(&ViewRequest::default()).drawing.nodes;
                    let with = |mark: Mark| nodes.iter().filter(move |node| node.marks.contains(&mark));
                    assert!(with(Mark::Read).all(|node| matches!(node.kind, NodeKind::Read | NodeKind::Update)));
                    let (Step::PlaceWrite { write, after }
                    | Step::PushPlacement { write, after }
                    | Step::TakePlacement { write, after }) = session.step().expect("one was made")
                    else {
                        assert_eq!(with(Mark::Placed).chain(with(Mark::Front)).count(), 0);
                        continue;
                    };
                    placed += 1;
                    assert_eq!(with(Mark::Placed).map(|node| node.key).collect::<Vec<_>>(), [write]);
                    assert_eq!(with(Mark::Front).map(|node| node.key).collect::<Vec<_>>(), [after]);
                    for mark in [Mark::Read, Mark::Option, Mark::Revisiting, Mark::Newest, Mark::Cut] {
                        assert_eq!(with(mark).count(), 0, "{mark:?}");
                    }
                    if let Some(Step::TakePlacement { .. }) = session.step() {
                        taken += 1;
                        let rest = nodes.iter().filter(|node| node.kind != NodeKind::Init && !node.ghost);
                        let kept = |node: &&crate::report::Node| {
                            node.key == write || node.marks.iter().any(|m| matches!(m, Mark::Kept | Mark::Prefix))
                        };
                        assert!(rest.clone().all(|node| kept(&node)));
                    }
                }
            }
            assert!(placed > taken && taken > 0, "{placed} {taken}");
        }
    }
}
