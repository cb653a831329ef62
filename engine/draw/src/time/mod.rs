//! An execution as a run: its events in one order, with memory, store buffers or what threads know beside them.
//!
//! Where a model has a machine, the rows are a run of it ([`crate::model::Interleaving`]). The others have
//! none; there, the rows are an order that hb and rf agree with, and each thread has a view: of each location the newest
//! write that happens before where the thread is.

mod print;
#[cfg(test)]
mod tests;

pub use print::{time_svg, time_text};

use super::{event_name, event_text, event_title, location_name};
use crate::graph::{Coherence, EventId, EventKey, Execution, Label, RelationName, ThreadId};
use crate::model::{Buffers, Consistency, Model, Move, Violation, Witness};
use crate::program::{Location, Mode, Object, ObjectKind, Operation, Program};
use crate::sort;
use crate::words;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// An execution as a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timeline {
    /// What the rows are, in a sentence or two; or why there are none.
    pub account: String,
    /// There is no run: the execution is inconsistent.
    pub absent: bool,
    /// The threads, by name.
    pub lanes: Vec<String>,
    /// What stands beside the threads: memory, buffers, views.
    pub columns: Vec<String>,
    /// The start, and what happens, one after the other.
    pub rows: Vec<TimeRow>,
    /// How many rows are left out at the end.
    pub left_out: usize,
}

/// What a row shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RowKind {
    /// How everything is at first.
    Start,
    /// An event is performed.
    Perform,
    /// A write enters a buffer.
    Buffer,
    /// A write leaves its buffer and reaches memory.
    Flush,
}

/// A moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeRow {
    /// What happens.
    pub kind: RowKind,
    /// The event; `None` at the start.
    pub key: Option<EventKey>,
    /// The thread, as an index into [`Timeline::lanes`]; 0 at the start.
    pub lane: usize,
    /// `W(x,1)`
    pub label: String,
    /// A few words: `into the buffer`, `from memory, init x`.
    pub note: String,
    /// The line of the program, from 1; 0 at the start.
    pub line: u32,
    /// The moment in a sentence.
    pub title: String,
    /// How things are afterwards, by column.
    pub cells: Vec<TimeCell>,
}

/// What is in memory, in a buffer, or known, at a moment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeCell {
    /// Buffers of their own stand apart; of each, the oldest write first.
    pub shelves: Vec<Vec<Chip>>,
}

/// A write in a [`TimeCell`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chip {
    /// The write.
    pub key: EventKey,
    /// `x=1`
    pub text: String,
    /// `P0.1`, `init x`
    pub by: String,
    /// It was not there before.
    pub new: bool,
}

/// How many rows a timeline has at most.
pub(crate) const MAX_ROWS: usize = 500;
/// How many locations memory and views show at most.
const MAX_LOCATIONS: usize = 16;

/// A coherence order that fits an execution: the one chosen, or some.
///
/// # Errors
/// What the execution violates; `None` if it was not found out whether it is consistent.
pub fn fitting_co(model: Model, graph: &Execution, chosen: Option<&Coherence>) -> Result<Coherence, Option<Violation>> {
    let Some(chosen) = chosen else {
        return match model.consistency_for_view(graph) {
            Consistency::Consistent(witness) => Ok(witness.co),
            Consistency::Violated(violation) => Err(Some(violation)),
            Consistency::Undecided => Err(None),
        };
    };
    // A write that has just been added has no place yet.
    let mut co = chosen.clone();
    for (location, order) in co.iter_mut().enumerate() {
        let missing: Vec<_> = graph.writes(Location(location as u32)).filter(|write| !order.contains(write)).collect();
        order.extend(missing);
    }
    match model.violation_with(graph, &co) {
        Some(violation) => Err(Some(violation)),
        None => Ok(co),
    }
}

/// Why an execution has no run, in a sentence.
pub(crate) fn why_not(model: Model, violation: &Violation) -> String {
    let meaning = model.axioms().iter().find(|axiom| axiom.name == violation.axiom).map_or("", |axiom| axiom.meaning);
    format!(
        "There is no such run: the execution violates the axiom {} of {}. {meaning} The graph shows the cycle that \
         breaks it.",
        violation.axiom,
        model.title()
    )
}

impl Timeline {
    /// The run that explains an execution; with this co, if it was chosen.
    ///
    /// Linear in the number of rows times that of columns, after [`Model::consistency`] and [`Model::interleaving`].
    pub fn new(program: &Program, model: Model, graph: &Execution, chosen: Option<&Coherence>) -> Self {
        let lanes = (0..graph.threads()).map(|thread| program.thread_name(thread)).collect();
        let found = fitting_co(model, graph, chosen).map(|co| model.interleaving(graph, &co).map(|order| (co, order)));
        let (co, order) = match found {
            Ok(Some(found)) => found,
            absent => {
                let account = match absent {
                    Err(Some(violation)) => why_not(model, &violation),
                    Err(None) => "It is unknown whether there is such a run: the search took too long.".to_owned(),
                    _ => format!("There is no such run: {} forbids the execution.", model.title()),
                };
                return Self { account, absent: true, lanes, columns: Vec::new(), rows: Vec::new(), left_out: 0 };
            }
        };
        let scene = Scene { program, model, graph, locations: shown_locations(graph), kinds: kinds(program) };
        let (columns, mut state) = if model.rules().has_machine() { scene.machine() } else { scene.views(&co) };
        let mut rows = vec![TimeRow {
            kind: RowKind::Start,
            key: None,
            lane: 0,
            label: "start".to_owned(),
            note: String::new(),
            line: 0,
            title: "At the start, only the initial writes have happened.".to_owned(),
            cells: scene.cells(&state, None),
        }];
        for &step in order.moves.iter().take(MAX_ROWS) {
            let (note, words) = scene.words(step, &state);
            // A clause of its own stands behind a sign.
            let words = if words.starts_with([':', '.']) { words } else { format!(" {words}") };
            state.make(&scene, step);
            let event = graph.event(step.event());
            let label = event_text(program, event);
            rows.push(TimeRow {
                kind: match step {
                    Move::Perform(_) => RowKind::Perform,
                    Move::Buffer(_) => RowKind::Buffer,
                    Move::Flush(_) => RowKind::Flush,
                },
                key: Some(event.key),
                lane: event.thread().index(),
                title: format!("{} {label}{words}", event_name(program, event.key)),
                label,
                note,
                line: event.span.line,
                cells: scene.cells(&state, rows.last().map(|row| &*row.cells)),
            });
        }
        let run = model.definition().run;
        let mut account = if order.follows_co { run.account } else { run.against_co }.to_owned();
        let accessed = accessed(graph);
        if accessed.len() > scene.locations.len() {
            account += &format!(" The table shows {1} of the {0} locations.", accessed.len(), scene.locations.len());
        }
        Self { account, absent: false, lanes, columns, rows, left_out: order.moves.len().saturating_sub(MAX_ROWS) }
    }
}

/// The locations that a graph accesses.
fn accessed(graph: &Execution) -> Vec<Location> {
    let mut all: Vec<_> =
        graph.events().filter(|(_, event)| !event.is_init()).filter_map(|(_, event)| event.location()).collect();
    sort::ascending(&mut all);
    all.dedup();
    all
}

/// Those that are shown: of many, first those that are written. Before the first access, those there are.
fn shown_locations(graph: &Execution) -> Vec<Location> {
    let mut shown = accessed(graph);
    if shown.is_empty() {
        shown = graph.events().filter_map(|(_, event)| event.location()).collect();
    }
    if shown.len() > MAX_LOCATIONS {
        sort::by_key(&mut shown, |&location| (graph.writes(location).nth(1).is_none(), location));
        shown.truncate(MAX_LOCATIONS);
        sort::ascending(&mut shown);
    }
    shown
}

/// What does not change from row to row.
struct Scene<'a> {
    program: &'a Program,
    model: Model,
    graph: &'a Execution,
    /// Those that are shown.
    locations: Vec<Location>,
    /// What each location is used as.
    kinds: Vec<ObjectKind>,
}

fn kinds(program: &Program) -> Vec<ObjectKind> {
    let kinds = program.object_kinds().unwrap_or_default();
    let of = |(object, kind): (&Object, ObjectKind)| std::iter::repeat_n(kind, object.initial.len());
    program.objects.iter().zip(kinds).flat_map(of).collect()
}

/// How things are at a moment.
enum State {
    /// On a machine.
    Machine {
        /// The write that each location's value comes from.
        memory: Vec<EventId>,
        /// The writes that wait, oldest first, by thread.
        buffers: Vec<VecDeque<EventId>>,
        /// The threads that have a buffer worth a column.
        shown: Vec<usize>,
    },
    /// By hb.
    Views {
        /// What is known behind each event: of each location, some writes.
        behind: Vec<Vec<Vec<EventId>>>,
        /// The last event of each thread so far.
        last: Vec<Option<EventId>>,
        /// What is known at first.
        initial: Vec<Vec<EventId>>,
    },
}

impl State {
    /// The newest write that a thread has in its buffer.
    fn pending(&self, graph: &Execution, thread: usize, location: Location) -> Option<EventId> {
        match self {
            Self::Machine { buffers, .. } => {
                buffers[thread].iter().rev().copied().find(|&w| graph.event(w).location() == Some(location))
            }
            Self::Views { .. } => None,
        }
    }

    fn make(&mut self, scene: &Scene, step: Move) {
        let event = scene.graph.event(step.event());
        let thread = event.thread().index();
        match (self, step) {
            (Self::Machine { memory, .. }, Move::Perform(e)) => {
                if let Some(location) = event.location().filter(|_| event.is_write()) {
                    memory[location.0 as usize] = e;
                }
            }
            (Self::Machine { buffers, .. }, Move::Buffer(write)) => buffers[thread].push_back(write),
            (Self::Machine { memory, buffers, .. }, Move::Flush(write)) => {
                buffers[thread].retain(|&other| other != write);
                if let Some(location) = event.location() {
                    memory[location.0 as usize] = write;
                }
            }
            (Self::Views { last, .. }, step) => last[thread] = Some(step.event()),
        }
    }
}

impl Scene<'_> {
    fn buffers(&self) -> Option<Buffers> {
        self.model.rules().buffers
    }

    fn machine(&self) -> (Vec<String>, State) {
        let threads = self.graph.threads();
        let writes = |thread: &usize| {
            self.graph.thread(ThreadId(*thread as u16)).iter().any(|&e| self.model.buffers(self.graph, e))
        };
        let shown: Vec<_> = (0..threads).filter(writes).collect();
        let word = if self.buffers() == Some(Buffers::OfLocations) { "buffers" } else { "buffer" };
        let mut columns: Vec<_> =
            shown.iter().map(|thread| format!("{word} of {}", self.program.thread_name(*thread))).collect();
        columns.push("memory".to_owned());
        let inits = self.graph.events().take_while(|(_, event)| event.is_init());
        let state =
            State::Machine { memory: inits.map(|(e, _)| e).collect(), buffers: vec![VecDeque::new(); threads], shown };
        (columns, state)
    }

    /// What each thread knows behind each of its events.
    fn views(&self, co: &Coherence) -> (Vec<String>, State) {
        let (graph, has_co) = (self.graph, self.model.rules().has_co());
        let mut place = vec![0; graph.len()];
        for order in co {
            for (at, write) in order.iter().enumerate() {
                place[write.index()] = at;
            }
        }
        let mut hb = crate::graph::Relation::new(graph.len());
        for (relation, edges) in self.model.relations(graph, &Witness { co: co.clone() }) {
            // po is part of hb, and says so where the reduced hb goes another way.
            if matches!(relation, RelationName::Hb | RelationName::Po) {
                for edge in edges {
                    hb.insert(edge.from, edge.to);
                }
            }
        }
        let hb = hb.transitive_closure();
        let initial: Vec<Vec<_>> = self.locations.iter().map(|location| vec![EventId(location.0)]).collect();
        let mut behind = vec![Vec::new(); graph.len()];
        for e in graph.ids().filter(|&e| !graph.event(e).is_init()) {
            let mut known = initial.clone();
            let before = graph.ids().filter(|&a| a == e || hb.contains(a, e));
            for write in before.flat_map(|a| graph.source(a).into_iter().chain(Some(a))) {
                let event = graph.event(write);
                let location = event.location().filter(|_| event.is_write());
                let Some(at) = location.and_then(|location| self.locations.binary_search(&location).ok()) else {
                    continue;
                };
                let known = &mut known[at];
                if known.contains(&write) {
                    continue;
                }
                let older = |old: EventId, new: EventId| {
                    if has_co {
                        place[old.index()] < place[new.index()]
                    } else {
                        graph.event(old).is_init() || hb.contains(old, new)
                    }
                };
                if known.iter().any(|&other| older(write, other)) {
                    continue;
                }
                known.retain(|&other| !older(other, write));
                known.push(write);
            }
            known.iter_mut().for_each(|writes| sort::ascending(writes));
            behind[e.index()] = known;
        }
        let columns =
            (0..graph.threads()).map(|thread| format!("{} knows", self.program.thread_name(thread))).collect();
        (columns, State::Views { behind, last: vec![None; graph.threads()], initial })
    }

    /// How things are, and what is new.
    fn cells(&self, state: &State, before: Option<&[TimeCell]>) -> Vec<TimeCell> {
        let cells: Vec<Vec<Vec<EventId>>> = match state {
            State::Machine { memory, buffers, shown } => {
                let buffer = |&thread: &usize| {
                    let all = buffers[thread].iter().copied();
                    if self.buffers() == Some(Buffers::OfLocations) {
                        let of = |location: &Location| {
                            let writes = all.clone().filter(|&w| self.graph.event(w).location() == Some(*location));
                            Some(writes.collect::<Vec<_>>()).filter(|writes| !writes.is_empty())
                        };
                        self.locations.iter().filter_map(of).collect()
                    } else {
                        vec![all.collect()]
                    }
                };
                let memory = self.locations.iter().map(|location| memory[location.0 as usize]).collect();
                shown.iter().map(buffer).chain([vec![memory]]).collect()
            }
            State::Views { behind, last, initial } => last
                .iter()
                .map(|last| vec![last.map_or(initial, |e| &behind[e.index()]).iter().flatten().copied().collect()])
                .collect(),
        };
        let with_news = |(column, shelves): (usize, Vec<Vec<EventId>>)| {
            let known = before.map(|before| &before[column]);
            let chip = |write: EventId| {
                let key = self.graph.event(write).key;
                let new = known.is_some_and(|cell| cell.shelves.iter().flatten().all(|chip| chip.key != key));
                Chip { key, text: self.value(write), by: event_name(self.program, key), new }
            };
            let shelves = shelves.into_iter().map(|shelf| shelf.into_iter().map(chip).collect()).collect();
            TimeCell { shelves }
        };
        cells.into_iter().enumerate().map(with_news).collect()
    }

    /// What a location holds behind a write: `x=1`, `m held`.
    fn value(&self, write: EventId) -> String {
        let event = self.graph.event(write);
        let Some(location) = event.location() else { return String::new() };
        let name = location_name(self.program, location);
        match event.operation() {
            Some(Operation::Lock) => format!("{name} held"),
            Some(Operation::Unlock) => format!("{name} free"),
            Some(Operation::Receive) => format!("{name} empty"),
            Some(Operation::End | Operation::Join) => name,
            None if self.kinds.get(location.0 as usize) == Some(&ObjectKind::Mutex) => format!("{name} free"),
            None if self.kinds.get(location.0 as usize) == Some(&ObjectKind::Channel) => format!("{name} empty"),
            _ if event.is_init() && self.program.is_uninitialised(location) => format!("{name}=?"),
            _ => {
                let text = |value| self.program.location_text(Some(location), value);
                let value = event.value_written.map_or_else(|| "?".to_owned(), text);
                format!("{name}={value}")
            }
        }
    }

    /// A move in a few words, and the end of a sentence that begins with the event.
    fn words(&self, step: Move, state: &State) -> (String, String) {
        let (program, graph) = (self.program, self.graph);
        let e = step.event();
        let event = graph.event(e);
        let thread = event.thread().index();
        let name = program.thread_name(thread);
        let buffers = self.buffers();
        let buffer = match (buffers, event.location()) {
            (Some(Buffers::OfLocations), Some(location)) => {
                format!("{name}'s buffer of {}", location_name(program, location))
            }
            _ => format!("{name}'s buffer"),
        };
        match step {
            Move::Buffer(_) => return ("into the buffer".to_owned(), format!("enters {buffer}.")),
            Move::Flush(_) => return ("to memory".to_owned(), format!("leaves {buffer} and reaches memory.")),
            Move::Perform(_) => {}
        }
        let waited = if buffers.is_some() { format!("; {name}'s buffers are empty") } else { String::new() };
        let Some(source) = graph.source(e) else {
            if event.is_blocked() {
                return ("waits".to_owned(), "waits, so it is not performed.".to_owned());
            }
            if event.is_read() {
                return ("no source yet".to_owned(), "has no source yet.".to_owned());
            }
            let title = event_title(program, event, None);
            let about = title.split_once(", ").map_or("", |(_, about)| about);
            if event.is_fence() {
                let (rules, is_sc) = (self.model.rules(), event.mode() == Mode::SequentiallyConsistent);
                let keeps = matches!(event.mode(), Mode::Release | Mode::AcquireRelease);
                return if buffers.is_some() && is_sc {
                    ("buffer empty".to_owned(), format!("can be performed{waited}."))
                } else if buffers == Some(Buffers::OfLocations) && keeps {
                    let words = "lets no later store reach memory before an earlier one.";
                    ("keeps stores in order".to_owned(), words.to_owned())
                } else if rules.synchronises() {
                    (String::new(), format!("is performed: {about}."))
                } else if rules.orders_fences && is_sc {
                    (String::new(), "is performed. All SC fences have one order.".to_owned())
                } else {
                    ("no effect".to_owned(), format!("has no effect under {}.", self.model.title()))
                };
            }
            if event.is_write() {
                return (String::new(), format!("is performed: {about}."));
            }
            let sentence = match event.label {
                // Its label has a colon.
                Label::Error(_) => format!(". {}.", words::capitalised(about)),
                _ => format!(": {about}."),
            };
            return (String::new(), sentence);
        };
        let from = event_name(program, graph.event(source).key);
        let what = format!("{from} {}", event_text(program, graph.event(source)));
        if event.operation().is_some() {
            return (format!("after {from}"), format!("takes its object over from {what}{waited}."));
        }
        if event.is_update() {
            return (format!("from {from}"), format!("reads from {what} and writes at the same moment{waited}."));
        }
        let place = if event.location().is_some_and(|at| state.pending(graph, thread, at) == Some(source)) {
            "buffer"
        } else {
            "memory"
        };
        match (buffers, place) {
            (Some(_), "buffer") => {
                (format!("from the buffer, {from}"), format!("reads from {buffer}, where {what} still waits."))
            }
            (Some(_), _) => (format!("from memory, {from}"), format!("reads {what} from memory.")),
            (None, _) => (format!("from {from}"), format!("reads from {what}.")),
        }
    }
}
