//! The searches for a witness, for the page: how far each way of searching has to go, and the states of one of them.

use super::view::MAX_STATES;
use super::{ConsistencyView, NodeSpeaker};
use crate::consistency::{
    Board, Candidate, Closure, Findings, Found, Instance, Machine, NodeId, SearchTree, Settings, VisitedState,
    find_witness,
};
use crate::report::location_name;
use crate::words;
use serde::{Deserialize, Serialize};

/// How many states of a search are listed.
const MAX_LISTED: usize = 400;

/// How far one way of searching has to go.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchEffort {
    /// What it does.
    pub name: String,
    /// How far; `None` if there was nothing to search.
    pub counts: Option<SearchCounts>,
    /// What it finds.
    pub verdict: String,
}

/// The size of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchCounts {
    /// States.
    pub states: u64,
    /// Moves to states that were reached before.
    pub repeats: u64,
}

/// A state of a search, in a list that is a tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateRow {
    /// Its number, from 0.
    pub state: u32,
    /// How many states it is from the start.
    pub depth: u32,
    /// What was performed since the one before.
    pub text: String,
    /// How it ends, if it does.
    pub end: Option<StateEnd>,
    /// How many moves from here lead to states that were reached before.
    pub repeats: u32,
}

/// Where a search goes no further.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StateEnd {
    /// Everything is performed.
    Witness,
    /// No move leads on.
    DeadEnd,
    /// The search ended before.
    NotLookedAt,
}

impl StateEnd {
    /// The same in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Witness => "witness",
            Self::DeadEnd => "dead end",
            Self::NotLookedAt => "not looked at",
        }
    }
}

/// A state, laid open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoardView {
    /// Its number, from 0.
    pub state: u32,
    /// What is performed, in order.
    pub performed: Vec<String>,
    /// Memory, location by location.
    pub memory: Vec<CellView>,
    /// The buffers of the threads that have one.
    pub buffers: Vec<BufferView>,
    /// What could come next.
    pub candidates: Vec<CandidateView>,
    /// The moves from here.
    pub moves: Vec<MoveView>,
    /// What there is to say of the state besides.
    pub note: String,
}

/// What memory holds at a location.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CellView {
    /// The location.
    pub location: String,
    /// The value, and who wrote it.
    pub value: String,
    /// The read for which it may not be overwritten yet.
    pub holder: Option<String>,
}

/// What is in the store buffer of a thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BufferView {
    /// The thread.
    pub thread: String,
    /// The writes.
    pub writes: Vec<String>,
}

/// What could come next in a state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CandidateView {
    /// What it performs.
    pub text: String,
    /// What is in its way.
    pub obstacle: Option<String>,
}

/// A move from a state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MoveView {
    /// What it performs.
    pub text: String,
    /// The state that it leads to.
    pub state: u32,
    /// Whether that was reached before.
    pub seen: bool,
}

/// A node with its name and what happens.
pub(super) fn named(speaker: &NodeSpeaker, n: NodeId) -> String {
    format!("{} {}", speaker.event(n), speaker.deed(n))
}

fn all_named(speaker: &NodeSpeaker, nodes: &[NodeId]) -> String {
    nodes.iter().map(|&n| named(speaker, n)).collect::<Vec<_>>().join("; ")
}

/// The ways to search that are told apart.
fn searches(instance: &Instance) -> Vec<(&'static str, Settings)> {
    let base = Settings { states: MAX_STATES, ..Settings::default() };
    let naive = Settings { naive: true, closure: false, greedy: false, ..base.clone() };
    let no_closure = Settings { closure: false, ..base.clone() };
    match instance.machine {
        Machine::Sc => vec![
            ("VerifySC", base.clone()),
            ("without the closure", no_closure),
            ("without greedy moves", Settings { greedy: false, ..base.clone() }),
            ("without both", Settings { closure: false, greedy: false, ..base }),
            ("naive", naive),
        ],
        Machine::Tso => vec![("VerifyTSO", base), ("without the closure", no_closure), ("naive", naive)],
        // VerifyPSO is not made for these.
        Machine::Pso if instance.has_store_fences => vec![("naive, with the closure", base), ("naive", naive)],
        Machine::Pso => vec![("VerifyPSO", base), ("without the closure", no_closure), ("naive", naive)],
    }
}

/// Searches in all ways, and lays one of them open.
pub(super) fn show_search(
    view: &mut ConsistencyView,
    search: u32,
    state: u32,
    speaker: NodeSpeaker,
    closure: &Closure,
) {
    let instance = speaker.instance;
    for (at, (name, settings)) in searches(instance).into_iter().enumerate() {
        let listed = if at == search as usize { MAX_LISTED } else { 0 };
        let Findings { states, repeats, found } = find_witness(instance, &Settings { listed, ..settings.clone() });
        let reached = SearchCounts { states, repeats };
        let (counts, verdict, tree) = match found {
            Found::Flaw(_) => (None, "nothing to search: program order alone rules it out", None),
            Found::NoClosure(_) => (None, "nothing to search: there is no closure", None),
            Found::Order { tree, .. } => (Some(reached), "witness", Some(tree)),
            Found::Nothing { tree, .. } => (Some(reached), "exhausted: no witness", Some(tree)),
            Found::Bounded => (Some(reached), "bounded: given up", None),
        };
        view.searches.push(SearchEffort { name: name.to_owned(), counts, verdict: verdict.to_owned() });
        if let Some(tree) = tree.filter(|_| listed > 0) {
            let closure = settings.closure.then_some(closure);
            show_states(view, &tree, &speaker);
            view.board = board(&tree, state, &speaker, closure);
        }
    }
}

/// The states in the order of the tree: each behind the one that it was reached from.
fn show_states(view: &mut ConsistencyView, tree: &SearchTree, speaker: &NodeSpeaker) {
    let children = tree.children();
    let total = speaker.instance.to_perform();
    let mut work = vec![(0, 0, 0)];
    while let Some((at, depth, before)) = work.pop() {
        let Some(visit) = tree.visits.get(at as usize) else { continue };
        let performed = before + visit.moved.len();
        let end = match (performed == total, visit.expanded, visit.moves == 0) {
            (true, ..) => Some(StateEnd::Witness),
            (false, false, _) => Some(StateEnd::NotLookedAt),
            (false, true, true) => Some(StateEnd::DeadEnd),
            (false, true, false) => None,
        };
        let text = if visit.moved.is_empty() { "start".to_owned() } else { all_named(speaker, &visit.moved) };
        let repeats = visit.repeats.len() as u32;
        view.states.push(StateRow { state: at, depth, text, end, repeats });
        work.extend(children[at as usize].iter().rev().map(|&child| (child, depth + 1, performed)));
    }
    view.more_states = (tree.more > 0).then(|| format!("and {}", words::count(tree.more, "more state")));
}

/// One state: what the machine holds there, and where it can go from there.
fn board(tree: &SearchTree, state: u32, speaker: &NodeSpeaker, closure: Option<&Closure>) -> Option<BoardView> {
    let instance = speaker.instance;
    let program = &speaker.execution.program;
    let at = if (state as usize) < tree.visits.len() { state } else { 0 };
    let visit = tree.visits.get(at as usize)?;
    let performed = tree.performed(at);
    let Board { memory, buffers, held, candidates, left } = Board::new(instance, closure, &performed);
    let names = |nodes: &[NodeId]| -> Vec<String> { nodes.iter().map(|&n| named(speaker, n)).collect() };
    let memory = memory.iter().enumerate().map(|(location, &n)| {
        let location = crate::program::Location(location as u32);
        let holder = held.iter().find(|(of, _)| *of == location).map(|&(_, read)| speaker.name(read));
        let value = speaker.graph.event(instance.node(n).event).value_written;
        let value = value.map_or_else(|| "?".to_owned(), |value| program.location_text(Some(location), value));
        let value = format!("{value} by {}", speaker.event(n));
        CellView { location: location_name(program, location), value, holder }
    });
    let text = |n: &NodeId| format!("{} {}", speaker.event(*n), speaker.text(*n));
    let buffers = buffers.iter().enumerate().filter(|(thread, _)| !instance.flushes(*thread).is_empty());
    let buffers = buffers.map(|(thread, nodes)| BufferView {
        thread: program.thread_name(thread),
        writes: nodes.iter().map(text).collect(),
    });
    let children = tree.visits.iter().enumerate().filter(|(_, child)| child.parent == Some(at));
    let moves = children.map(|(number, child)| {
        let text = all_named(speaker, &child.moved[..child.chosen as usize]);
        MoveView { text, state: number as u32, seen: false }
    });
    let repeats = visit.repeats.iter();
    let repeats = repeats.map(|(moved, seen)| MoveView { text: all_named(speaker, moved), state: *seen, seen: true });
    let moves: Vec<_> = moves.chain(repeats).collect();
    let note = if left == 0 {
        "Everything is performed: this is a witness.".to_owned()
    } else {
        note(visit, &moves, &candidates)
    };
    let candidate = |candidate: &Candidate| CandidateView {
        text: all_named(speaker, &candidate.nodes),
        obstacle: candidate.obstacle.as_ref().map(|obstacle| speaker.obstacle(obstacle)),
    };
    Some(BoardView {
        state: at,
        performed: names(&performed),
        memory: memory.collect(),
        buffers: buffers.collect(),
        candidates: candidates.iter().map(candidate).collect(),
        moves,
        note,
    })
}

/// What there is to say of a state in which something is left to perform.
fn note(visit: &VisitedState, moves: &[MoveView], candidates: &[Candidate]) -> String {
    let left_out = (visit.moves as usize).saturating_sub(moves.len());
    if !visit.expanded {
        "The search ended before it looked at what can be performed here.".to_owned()
    } else if left_out > 0 {
        let moves = words::count(left_out as u64, "more move");
        match left_out {
            1 => format!("{moves} leads to a state that is not listed."),
            _ => format!("{moves} lead to states that are not listed."),
        }
    } else if visit.moves > 0 {
        String::new()
    } else if candidates.iter().any(|candidate| candidate.obstacle.is_none()) {
        "A dead end: something could be performed, but nothing else could go on after it.".to_owned()
    } else {
        "A dead end: nothing can be performed.".to_owned()
    }
}
