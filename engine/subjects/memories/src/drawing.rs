//! Drawings of machines, of the automata that one was made of, and of the execution graph of a run.

use super::report::edge_text;
use crate::graph::{EventId, EventKey, RelationName, ThreadId};
use crate::program::Span;
use crate::words::count;
use crate::{Automaton, CausalCheck, CycleEdge, Machine, Pco, Run, State, TransitionIndex};
use litmoscope_draw::READABLE;
use litmoscope_draw::parts::node_width;
use litmoscope_draw::{
    Diagram, DiagramColumn, DiagramEdge, DiagramNode, Drawing, DrawingInput, EdgeKind, Mark, NodeKind, OwnKind, Place,
    Room, Shades, event_name, layout,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;

/// Machines with more states are drawn around the present one.
pub(crate) const MAX_DRAWN: usize = 60;
/// How many states are drawn on each side of the present one then.
const NEIGHBOURS: usize = 12;
/// The most characters of a state's name in its box.
const LONGEST_NAME: usize = 16;
/// How many colours writes have.
const COLOURS: u32 = 12;
/// Graphs with more events are not drawn.
pub(crate) const MAX_EVENTS: usize = 400;

/// The kinds of arrows of a machine.
static ARROWS: [OwnKind; 2] = [
    kind("arrow", ["#6b7280", "#9aa3b2", "#333333"], ["#6b7280", "#9aa3b2"], ""),
    kind("next", ["#0057b8", "#7cb7ff", "#0000c0"], ["#0057b8", "#7cb7ff"], ""),
];

/// pco: what reads force, which no execution graph of the engine has under this name.
static FORCED: [OwnKind; 1] = [kind("pco", ["#a8440a", "#ffb27a", "#7a1f00"], ["#8a3b00", "#f0a060"], "8 3")];

const fn kind(name: &'static str, standard: [&'static str; 3], safe: [&'static str; 2], dash: &'static str) -> OwnKind {
    let [light, dark, contrast] = standard;
    OwnKind {
        name: Cow::Borrowed(name),
        standard: Shades::new(light, dark, contrast),
        safe: Shades::new(safe[0], safe[1], contrast),
        dash: Cow::Borrowed(dash),
    }
}

/// What a graph's pco is drawn as.
pub(crate) const PCO: EdgeKind = EdgeKind::Own(0);

/// The kinds of edges that graphs of runs alone have.
pub(crate) fn graph_kinds() -> Vec<OwnKind> {
    FORCED.to_vec()
}

/// What a state is called in drawings.
pub(crate) fn state_key(state: State) -> EventKey {
    EventKey { thread: ThreadId(0), serial: state.0 + 1 }
}

/// The name of a state, short enough for a box.
pub(crate) fn short(machine: &Machine, state: State) -> String {
    let name = &machine.states[state.index()];
    if name.chars().count() <= LONGEST_NAME {
        return name.clone();
    }
    let number = format!("s{}: ", state.0);
    let room = LONGEST_NAME.saturating_sub(number.len() + 1);
    format!("{number}{}…", name.chars().take(room).collect::<String>())
}

/// What is drawn of a machine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MachineDrawing<'a> {
    /// The machine.
    pub machine: &'a Machine,
    /// By state: how many steps lead there at least; `None` where no run does.
    pub distances: &'a [Option<u32>],
    /// By state: the states from which a step leads there.
    pub before: &'a [Vec<State>],
    /// The state to bring out.
    pub present: State,
    /// The transition that led there, or that is spoken of.
    pub taken: Option<TransitionIndex>,
    /// Whether arrows from the present state have the numbers of its transitions, from 1 on.
    pub numbered: bool,
    /// How much room there is.
    pub room: Room,
}

impl MachineDrawing<'_> {
    /// Draws it: all states by how many steps lead there, or those around the present one, which is said then.
    pub(crate) fn draw(&self) -> (Drawing, Option<String>) {
        let (groups, note) = if self.machine.states.len() <= MAX_DRAWN { (self.all(), None) } else { self.around() };
        // In one line from left to right if that can be read; else in as many columns as can, to and fro.
        let mut best: Option<(f32, Diagram)> = None;
        for columns in (1..=groups.len()).rev() {
            let diagram = self.folded(&groups, columns).within(READABLE);
            let [width, height] = diagram.extent();
            let scale = (READABLE[0] / width).min(READABLE[1] / height).min(1.0);
            if best.as_ref().is_none_or(|(most, _)| scale > *most) {
                best = Some((scale, diagram));
            }
            if scale >= 1.0 {
                break;
            }
        }
        let mut diagram = best.map(|(_, diagram)| diagram).unwrap_or_default();
        let shown: FxHashSet<State> = groups.iter().flat_map(|(_, states)| states.iter().copied()).collect();
        diagram.edges = self.arrows(&shown);
        (layout(diagram), note)
    }

    /// Groups of states in so many columns, without arrows: line below line, the first one from left to right, the next one back.
    fn folded(&self, groups: &[(String, Vec<State>)], columns: usize) -> Diagram {
        let mut titles = vec![Vec::new(); columns];
        let mut diagram = Diagram {
            room: self.room,
            kinds: ARROWS.to_vec(),
            // Long arrows pass between titles and states.
            frames_have_labels: true,
            ..Diagram::default()
        };
        for (line, groups) in groups.chunks(columns.max(1)).enumerate() {
            for (at, (title, states)) in groups.iter().enumerate() {
                let column = if line % 2 == 0 { at } else { columns - 1 - at };
                titles[column].push(title.as_str());
                diagram.least_rows.extend(states.first().map(|state| (state_key(*state), diagram.rows)));
                diagram.nodes.extend(states.iter().map(|state| self.node(column, *state)));
            }
            diagram.rows += groups.iter().map(|(_, states)| states.len()).max().unwrap_or(0);
        }
        let per_column = |at: usize| diagram.nodes.iter().filter(|node| node.place == Place::Column(at)).count();
        diagram.columns = (0..).zip(&titles).map(|(at, titles)| column(&title_of(titles), per_column(at))).collect();
        diagram
    }

    /// All states, those that are as far from the first one in a column.
    fn all(&self) -> Vec<(String, Vec<State>)> {
        let far = self.distances.iter().flatten().max().copied().unwrap_or(0);
        let mut columns: Vec<(String, Vec<State>)> = (0..=far)
            .map(|distance| match distance {
                0 => ("start".to_owned(), Vec::new()),
                steps => (count(u64::from(steps), "step"), Vec::new()),
            })
            .collect();
        let mut unreached = Vec::new();
        for (state, distance) in (0..).map(State).zip(self.distances) {
            match distance {
                Some(distance) => columns[*distance as usize].1.push(state),
                None => unreached.push(state),
            }
        }
        self.untangle(&mut columns);
        if !unreached.is_empty() {
            columns.push(("no way in".to_owned(), unreached));
        }
        columns
    }

    /// Puts the states of each column near those of its neighbours that arrows join them with.
    fn untangle(&self, columns: &mut [(String, Vec<State>)]) {
        let mut joined: FxHashMap<State, Vec<State>> = FxHashMap::default();
        for transition in self.machine.transitions() {
            joined.entry(transition.from).or_default().push(transition.to);
            joined.entry(transition.to).or_default().push(transition.from);
        }
        for round in 0..4 {
            let order: Vec<usize> = if round % 2 == 0 {
                (1..columns.len()).collect()
            } else {
                (0..columns.len().max(1) - 1).rev().collect()
            };
            for at in order {
                let beside = if round % 2 == 0 { at - 1 } else { at + 1 };
                let places: FxHashMap<State, usize> =
                    columns[beside].1.iter().copied().enumerate().map(|(place, state)| (state, place)).collect();
                let middle = |state: &State| {
                    let found = joined.get(state).into_iter().flatten().filter_map(|other| places.get(other));
                    let (sum, many) = found.fold((0, 0), |(sum, many), place| (sum + place, many + 1));
                    // In hundredths, so that it is the same everywhere.
                    (100 * sum).checked_div(many)
                };
                columns[at].1.sort_by_cached_key(|state| (middle(state), *state));
            }
        }
    }

    /// The present state between those from which a step leads there and those to which one does.
    fn around(&self) -> (Vec<(String, Vec<State>)>, Option<String>) {
        let some = |states: &mut Vec<State>| {
            states.sort_unstable();
            states.dedup();
            states.retain(|state| *state != self.present);
            let rest = states.len().saturating_sub(NEIGHBOURS);
            states.truncate(NEIGHBOURS);
            rest
        };
        let mut behind: Vec<State> = self.machine.from(self.present).map(|(_, transition)| transition.to).collect();
        let mut before = self.before[self.present.index()].clone();
        let mut more = some(&mut behind);
        before.retain(|state| !behind.contains(state));
        more += some(&mut before);
        let all = count(self.machine.states.len() as u64, "state");
        let rest = if more == 0 { String::new() } else { format!(", but for {more} of them") };
        let note = format!("It has {all}: those beside the present one are drawn{rest}.");
        let columns = [("before", before), ("now", vec![self.present]), ("next", behind)];
        (columns.map(|(title, states)| (title.to_owned(), states)).into(), Some(note))
    }

    fn node(&self, column: usize, state: State) -> DiagramNode {
        let name = &self.machine.states[state.index()];
        let own: Vec<String> = self
            .machine
            .from(state)
            .filter(|(_, transition)| transition.to == state)
            .map(|(_, transition)| self.machine.operation_text(transition.operation))
            .collect();
        let stays = if own.is_empty() { String::new() } else { format!("; stays there by {}", own.join("; ")) };
        let marks = if state == self.present { vec![Mark::Present] } else { Vec::new() };
        DiagramNode {
            key: state_key(state),
            name: format!("s{}", state.0),
            label: if own.is_empty() {
                short(self.machine, state)
            } else {
                format!("{} ↻", short(self.machine, state))
            },
            title: format!("state {name}{stays}"),
            kind: NodeKind::Update,
            place: Place::Column(column),
            source: None,
            marks,
            colour: None,
            ghost: false,
            span: Span::default(),
        }
    }

    /// An arrow for all transitions from a state to another one.
    fn arrows(&self, shown: &FxHashSet<State>) -> Vec<DiagramEdge> {
        let mut arrows: Vec<(State, State)> = Vec::new();
        let mut found: FxHashMap<(State, State), Vec<TransitionIndex>> = FxHashMap::default();
        let mut states: Vec<State> = shown.iter().copied().collect();
        states.sort_unstable();
        // Of a machine that is not drawn whole, only those at the present state: else they would be many.
        let is_whole = self.machine.states.len() <= MAX_DRAWN;
        for state in states {
            for (index, transition) in self.machine.from(state) {
                let ends = (transition.from, transition.to);
                let is_at = is_whole || ends.0 == self.present || ends.1 == self.present;
                if ends.0 == ends.1 || !is_at || !shown.contains(&ends.1) {
                    continue;
                }
                let all = found.entry(ends).or_default();
                if all.is_empty() {
                    arrows.push(ends);
                }
                all.push(index);
            }
        }
        // What can be done next is placed first, so that it has its labels.
        arrows.sort_by_key(|(from, _)| *from != self.present);
        let arrow = |ends: (State, State)| {
            let all = &found[&ends];
            let texts: Vec<String> = all
                .iter()
                .map(|index| self.machine.operation_text(self.machine.transition(*index).operation))
                .collect();
            let is_next = ends.0 == self.present;
            // Texts would be longer than arrows.
            let numbers = || {
                let first = self.machine.from(self.present).next().map_or(0, |(first, _)| first.0);
                list_of(all.iter().map(|index| index.0 - first + 1))
            };
            DiagramEdge {
                from: state_key(ends.0),
                to: state_key(ends.1),
                kind: EdgeKind::Own(u8::from(is_next)),
                label: (is_next && self.numbered).then(numbers),
                title: texts.join("; "),
                in_cycle: false,
                new: self.taken.is_some_and(|taken| all.contains(&taken)),
                ghost: false,
            }
        };
        arrows.into_iter().map(arrow).collect()
    }
}

/// The title of a column of several groups: `start, 7, 8 steps`.
fn title_of(titles: &[&str]) -> String {
    let (last, before) = titles.split_last().unwrap_or((&"", &[]));
    let number = |title: &&str| title.split(" step").next().unwrap_or_default().to_owned() + ", ";
    before.iter().map(number).collect::<String>() + last
}

/// Numbers with commas between them, the first few.
fn list_of(numbers: impl Iterator<Item = u32>) -> String {
    const MOST: usize = 4;
    let mut all: Vec<String> = numbers.map(|number| number.to_string()).collect();
    if all.len() > MOST {
        all.truncate(MOST - 1);
        all.push("…".to_owned());
    }
    all.join(",")
}

fn column(title: &str, traffic: usize) -> DiagramColumn {
    DiagramColumn { title: title.to_owned(), width: node_width(""), traffic: traffic.min(6) }
}

/// What is drawn of the execution graph of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GraphDrawing<'a> {
    /// The run.
    pub run: &'a Run<'a>,
    /// What its reads force, and what happens before what.
    pub check: &'a CausalCheck<'a>,
    /// A cycle to bring out.
    pub cycle: &'a [CycleEdge],
    /// Whether rf, hb between threads, and pco are drawn; those of the cycle are in any case.
    pub shown: [bool; 3],
    /// The event that the last step added.
    pub newest: Option<EventId>,
    /// How much room there is.
    pub room: Room,
}

/// The earlier and the later writes of a cycle's pairs, with what each is called: u and v, or u1, v1 and so on.
pub(crate) fn ends_of_pairs(cycle: &[CycleEdge]) -> Vec<(EventId, String)> {
    let pairs: Vec<&Pco> = cycle
        .iter()
        .filter_map(|edge| match edge {
            CycleEdge::Pco(pco) => Some(pco),
            CycleEdge::Po(..) | CycleEdge::Rf(..) => None,
        })
        .collect();
    let number = |at: usize| if pairs.len() == 1 { String::new() } else { (at + 1).to_string() };
    let ends =
        |(at, pair): (usize, &&Pco)| [(pair.from, format!("u{}", number(at))), (pair.to, format!("v{}", number(at)))];
    pairs.iter().enumerate().flat_map(ends).collect()
}

/// The colour of a write of a run: its number among them, until the colours are used up. Initial writes have none.
pub(crate) fn colour(run: &Run<'_>, write: EventId) -> Option<u8> {
    let graph = run.graph();
    (!graph.event(write).is_init()).then(|| {
        let before = graph.events().filter(|(at, event)| event.is_write() && !event.is_init() && *at < write).count();
        (before as u32 % COLOURS) as u8
    })
}

impl GraphDrawing<'_> {
    /// Draws it.
    pub(crate) fn draw(&self) -> Drawing {
        let (graph, program) = (self.run.graph(), self.run.machine().program());
        let key = |event: EventId| graph.event(event).key;
        let mut input = DrawingInput::new(&program, graph);
        let in_cycle = |edge: &CycleEdge| self.cycle.contains(edge);
        let [rf, hb, pco] = self.shown;
        let is_drawn = |from: EventId, to: EventId| rf || in_cycle(&CycleEdge::Rf(from, to));
        input.edges.retain(|edge| is_drawn(edge.from, edge.to));
        input.marks.extend(self.newest.map(|event| (event, Mark::Newest)));
        input.room = self.room;
        let ends: FxHashSet<EventId> = self.cycle.iter().flat_map(|edge| [edge.ends().0, edge.ends().1]).collect();
        input.marks.extend(ends.iter().map(|event| (*event, Mark::InCycle)));
        let mut diagram = input.diagram();
        for column in &mut diagram.columns {
            (column.width, column.traffic) = (node_width("W(x,1) u1"), column.traffic.max(4));
        }
        diagram.rows = diagram.rows.max(4);
        diagram.kinds = graph_kinds();
        // A read has the colour of the write that it returns, as the registers on the way have.
        for (event, about) in graph.events() {
            let write = if about.is_write() { Some(event) } else { graph.source(event) };
            if let Some(node) = diagram.nodes.iter_mut().find(|node| node.key == about.key) {
                node.colour = write.and_then(|write| colour(self.run, write));
            }
        }
        for (event, name) in ends_of_pairs(self.cycle) {
            if let Some(node) = diagram.nodes.iter_mut().find(|node| node.key == key(event)) {
                node.label += &format!(" {name}");
                node.title += &format!("; {name} of the cycle");
            }
        }
        for edge in self.cycle {
            let (from, to) = edge.ends();
            let kind: EdgeKind = match edge {
                CycleEdge::Po(..) => RelationName::Po.into(),
                CycleEdge::Rf(..) => RelationName::Rf.into(),
                CycleEdge::Pco(_) => continue,
            };
            let is_it = |drawn: &&mut DiagramEdge| (drawn.from, drawn.to, drawn.kind) == (key(from), key(to), kind);
            match diagram.edges.iter_mut().find(is_it) {
                Some(drawn) => drawn.in_cycle = true,
                // From an initial write to the first event of a thread.
                None => diagram.edges.push(self.edge(from, to, kind, edge_text(self.run, *edge), true)),
            }
        }
        let mut seen = FxHashSet::default();
        let forced = self.check.pco.iter().filter(|forced| pco || in_cycle(&CycleEdge::Pco(**forced)));
        for forced in forced {
            // Several reads may force the same.
            if seen.insert((forced.from, forced.to)) {
                let same = |other: &&CycleEdge| matches!(other, CycleEdge::Pco(pco) if (pco.from, pco.to) == (forced.from, forced.to));
                let told = self.cycle.iter().find(same).copied().unwrap_or(CycleEdge::Pco(*forced));
                let is_in = self.cycle.iter().any(|edge| same(&edge));
                diagram.edges.push(self.edge(forced.from, forced.to, PCO, edge_text(self.run, told), is_in));
            }
        }
        if hb {
            let happens = self.happens_before().into_iter().map(|(from, to)| {
                let name = |event: EventId| event_name(&program, key(event));
                let title = format!("{} happens before {} (hb)", name(from), name(to));
                self.edge(from, to, RelationName::Hb.into(), title, false)
            });
            diagram.edges.extend(happens);
        }
        layout(diagram)
    }

    fn edge(&self, from: EventId, to: EventId, kind: EdgeKind, title: String, in_cycle: bool) -> DiagramEdge {
        let key = |event: EventId| self.run.graph().event(event).key;
        let name = match kind {
            // It comes before everything, but in no program.
            EdgeKind::Relation(RelationName::Po) if self.run.graph().event(from).is_init() => "init",
            EdgeKind::Relation(relation) => relation.name(),
            EdgeKind::Own(_) => "pco",
        };
        let label = Some(name.to_owned());
        DiagramEdge { from: key(from), to: key(to), kind, label, title, in_cycle, new: false, ghost: false }
    }

    /// hb between threads where it is news: from the last event of another thread that an event knows and the one before it does not. rf is
    /// drawn itself.
    fn happens_before(&self) -> Vec<(EventId, EventId)> {
        let graph = self.run.graph();
        let mut edges = Vec::new();
        for (to, event) in graph.events().filter(|(_, event)| !event.is_init()) {
            let own = graph.thread(event.thread());
            let before = (event.key.serial as usize).checked_sub(2).and_then(|at| own.get(at)).copied();
            for thread in (0..graph.threads()).map(|at| ThreadId(at as u16)).filter(|at| *at != event.thread()) {
                let known = |of: EventId| {
                    let others = graph.thread(thread);
                    others[..others.partition_point(|other| self.check.happens_before(*other, of))].last().copied()
                };
                let last =
                    known(to).filter(|last| before.and_then(known) != Some(*last) && graph.source(to) != Some(*last));
                edges.extend(last.map(|from| (from, to)));
            }
        }
        edges
    }
}

/// An automaton drawn with its token: the states by how many symbols lead there, and behind them the end, which `#` leads to.
///
/// `token` is the place of the token: a state, [`Automaton::states`] for the end, or none.
pub(crate) fn draw_automaton(automaton: &Automaton, tokens: &[usize], room: Room) -> Drawing {
    let end = automaton.states;
    let mut distances = vec![None; automaton.states];
    let mut work = std::collections::VecDeque::from([0]);
    if let Some(first) = distances.first_mut() {
        *first = Some(0);
    }
    while let Some(state) = work.pop_front() {
        for (_, _, to) in automaton.steps.iter().filter(|(from, ..)| *from == state) {
            if distances[*to].is_none() {
                distances[*to] = distances[state].map(|distance: usize| distance + 1);
                work.push_back(*to);
            }
        }
    }
    let last = distances.iter().flatten().max().map_or(0, |far| far + 1);
    let key = |state: usize| EventKey { thread: ThreadId(0), serial: state as u32 + 1 };
    let node = |state: usize, column: usize| {
        let accepts = automaton.accepting.contains(&state);
        let label = match (state == end, accepts) {
            (true, _) => "end".to_owned(),
            (false, true) => format!("{state} accepts"),
            (false, false) => state.to_string(),
        };
        let own: String =
            automaton.steps.iter().filter(|(from, _, to)| (*from, *to) == (state, state)).map(|step| step.1).collect();
        let stays = if own.is_empty() { String::new() } else { format!("; stays there by {own}") };
        let what = if state == end { "after an accepted word".to_owned() } else { format!("state {state}{stays}") };
        DiagramNode {
            key: key(state),
            name: state.to_string(),
            label: if own.is_empty() { label } else { format!("{label} ↻{own}") },
            title: what,
            kind: if accepts { NodeKind::Read } else { NodeKind::Update },
            place: Place::Column(column),
            source: None,
            marks: if tokens.contains(&state) { vec![Mark::Present] } else { Vec::new() },
            colour: None,
            ghost: false,
            span: Span::default(),
        }
    };
    let mut arrows: Vec<((usize, usize), String)> = Vec::new();
    let ends = automaton.accepting.iter().map(|state| (*state, '#', end));
    for (from, symbol, to) in automaton.steps.iter().copied().chain(ends).filter(|(from, _, to)| from != to) {
        match arrows.iter_mut().find(|(ends, _)| *ends == (from, to)) {
            Some((_, symbols)) => {
                symbols.push(' ');
                symbols.push(symbol);
            }
            None => arrows.push(((from, to), symbol.to_string())),
        }
    }
    let reached = (0..automaton.states).filter_map(|state| Some((state, distances[state]?)));
    layout(Diagram {
        columns: (0..=last).map(|_| column("", 2)).collect(),
        nodes: reached.map(|(state, distance)| node(state, distance)).chain([node(end, last)]).collect(),
        edges: arrows
            .into_iter()
            .map(|((from, to), symbols)| DiagramEdge {
                from: key(from),
                to: key(to),
                kind: EdgeKind::Own(u8::from(tokens.contains(&from))),
                title: format!("from {from} by {symbols}"),
                label: Some(symbols),
                in_cycle: false,
                new: false,
                ghost: false,
            })
            .collect(),
        rows: 2,
        room,
        kinds: ARROWS.to_vec(),
        ..Diagram::default()
    })
}
