//! Whether an abstract execution is consistent, for the page: the closure step by step, the search state by state.

use super::{BufferColumns, ConsistencyReport, DrawnOrder, NodeSpeaker, OrderInput, draw_order};
use crate::consistency::{
    AbstractExecution, Addition, AnnotatedOrder, Board, Candidate, Closure, ConsistencyAnswer, End, Findings, Found,
    Instance, Machine, NodeId, SearchTree, Settings, Verdict, Why, decide, find_witness, parse_execution,
    print_execution,
};
use crate::graph::{Edge, EventKey, Execution, RelationName};
use crate::model::Model;
use crate::report::{
    Drawing, DrawingInput, EdgeKey, InitialWrites, Room, event_name, event_text, layout, location_name,
};
use crate::syntax::Diagnostic;
use crate::words::{self, grouped};
use serde::{Deserialize, Serialize};

/// The most states of one search.
const MAX_STATES: u64 = 50_000;
/// How many states of a search are listed.
const MAX_LISTED: usize = 400;
/// How many choices of sources are listed.
const MAX_CASES: usize = 50;

/// What is asked of an abstract execution.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConsistencyRequest {
    /// Its text.
    pub text: String,
    /// The model.
    pub model: Model,
    /// Reads that take another source than the text says: what if?
    pub sources: Vec<(EventKey, EventKey)>,
    /// Which choice of sources to show, of an inconsistent execution that has several.
    pub case: u32,
    /// How many steps of the closure to show; more than there are: all.
    pub step: u32,
    /// Whether writes that enter a buffer and those that leave it are drawn apart.
    pub apart: bool,
    /// Which search to show; none is made else.
    pub search: Option<u32>,
    /// Which of its states.
    pub state: u32,
    /// Whether the drawing is for a narrow screen.
    pub narrow: bool,
}

/// What the page shows of an abstract execution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConsistencyView {
    /// Its name.
    pub name: String,
    /// Its text, with the sources that reads take now.
    pub text: String,
    /// What each model says: `consistent`, `inconsistent`, `bounded`, or `none` if it has no meaning there.
    pub verdicts: Vec<(Model, String)>,
    /// What the model says, in a sentence.
    pub sentence: String,
    /// Of an inconsistent execution: each choice of sources, empty where there is none, and what rules it out.
    pub cases: Vec<(String, String)>,
    /// How many more there are, in words.
    pub left_out: Option<String>,
    /// The execution, with its closure so far or the cycle that the model forbids.
    pub drawing: Drawing,
    /// The premises of the step that is shown.
    pub lit: Vec<EdgeKey>,
    /// The reads, each with the writes that it could take.
    pub reads: Vec<ReadView>,
    /// The event of each node of the drawing, both by name.
    pub events: Vec<(EventKey, EventKey)>,
    /// The steps of the closure: the rule's name, and what it does. None for models without a machine.
    pub steps: Vec<(String, String)>,
    /// How many of them are shown.
    pub step: u32,
    /// What is shown, in words.
    pub caption: String,
    /// Whether writes can be drawn apart from their flushes.
    pub buffers: bool,
    /// A witness, one node after the other.
    pub witness: Vec<String>,
    /// The searches, for models with a machine.
    pub searches: Vec<SearchEffort>,
    /// The states of the search that is shown.
    pub states: Vec<StateRow>,
    /// How many more there are, in words.
    pub more_states: Option<String>,
    /// The state that is shown.
    pub board: Option<BoardView>,
}

/// A read and the writes that it could take.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadView {
    /// The read.
    pub key: EventKey,
    /// Its name and what it does.
    pub title: String,
    /// The writes: name, title, and whether it is a source now.
    pub writes: Vec<(EventKey, String, bool)>,
    /// Whether it takes another source than the text says.
    pub changed: bool,
}

/// How far one way of searching has to go.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchEffort {
    /// What it does.
    pub name: String,
    /// States, and moves to states that were reached before; `None` if there was nothing to search.
    pub counts: Option<(u64, u64)>,
    /// What it finds.
    pub verdict: String,
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
    /// How it ends: `witness`, `dead end`, `not looked at`, or empty.
    pub end: String,
    /// How many moves from here lead to states that were reached before.
    pub repeats: u32,
}

/// A state, laid open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoardView {
    /// Its number, from 0.
    pub state: u32,
    /// What is performed, in order.
    pub performed: Vec<String>,
    /// Each location, what memory holds, and the read that holds it if one does.
    pub memory: Vec<(String, String, Option<String>)>,
    /// Each thread with a buffer, and what is in it.
    pub buffers: Vec<(String, Vec<String>)>,
    /// What could come next, and why it can't; `None` if it can.
    pub candidates: Vec<(String, Option<String>)>,
    /// The moves from here: what they perform, where they lead, and whether that was reached before.
    pub moves: Vec<(String, u32, bool)>,
    /// What there is to say of the state besides.
    pub note: String,
}

/// An abstract execution, and what all models say of it.
pub struct Deciding {
    text: String,
    sources: Vec<(EventKey, EventKey)>,
    /// As the text says.
    given: AbstractExecution,
    execution: AbstractExecution,
    /// By model; `None` where it has no meaning, with the reason.
    answers: Vec<(Model, Result<ConsistencyAnswer, String>)>,
}

impl Deciding {
    /// Asks all models. Each is given up after some tens of thousands of states.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn open(request: &ConsistencyRequest) -> Result<Self, Vec<Diagnostic>> {
        let given = parse_execution(&request.text)?;
        let mut execution = given.clone();
        for &(read, write) in &request.sources {
            let ends = execution.graph.find(read).zip(execution.graph.find(write));
            let fits = |(read, write)| {
                let (read, write) = (execution.graph.event(read), execution.graph.event(write));
                read.is_read() && write.is_write() && read.location() == write.location() && read.key != write.key
            };
            // What is asked may be of another text.
            if let Some((read, write)) = ends.filter(|&ends| fits(ends)) {
                execution = execution.with_source_instead(read, write);
            }
        }
        let settings = Settings { states: MAX_STATES, cases: MAX_CASES, ..Settings::default() };
        let ask = |model| (model, decide(model, &execution, &settings).map_err(|error| error.to_string()));
        let answers = Model::ALL.into_iter().map(ask).collect();
        Ok(Self { text: request.text.clone(), sources: request.sources.clone(), given, execution, answers })
    }

    /// Whether it is what is asked about.
    pub fn is_of(&self, request: &ConsistencyRequest) -> bool {
        self.text == request.text && self.sources == request.sources
    }

    /// What the page shows.
    pub fn view(&self, request: &ConsistencyRequest) -> ConsistencyView {
        let execution = &self.execution;
        let answer = self.answers.iter().find(|(model, _)| *model == request.model).map(|(_, answer)| answer);
        let report =
            |answer| ConsistencyReport { name: &execution.program.name, execution, model: request.model, answer };
        let verdicts = self.answers.iter().map(|(model, answer)| {
            let verdict = answer.as_ref().map_or("none", |answer| report(answer).verdict());
            (*model, verdict.to_owned())
        });
        let mut view = ConsistencyView {
            name: execution.program.name.clone(),
            text: print_execution(execution),
            verdicts: verdicts.collect(),
            sentence: String::new(),
            cases: Vec::new(),
            left_out: None,
            drawing: self.plain(request),
            lit: Vec::new(),
            reads: self.reads(),
            events: execution.graph.events().map(|(_, event)| (event.key, event.key)).collect(),
            steps: Vec::new(),
            step: 0,
            caption: String::new(),
            buffers: false,
            witness: Vec::new(),
            searches: Vec::new(),
            states: Vec::new(),
            more_states: None,
            board: None,
        };
        let answer = match answer {
            Some(Ok(answer)) => answer,
            Some(Err(reason)) => {
                view.sentence = format!("{reason}.");
                return view;
            }
            None => return view,
        };
        let report = report(answer);
        view.sentence = report.sentence();
        let mut sources = Vec::new();
        let mut shown = None;
        match &answer.verdict {
            Verdict::Inconsistent { cases, more } => {
                view.cases = cases.iter().map(|case| (report.sources(&case.sources), report.reason(case))).collect();
                view.left_out = (*more > 0).then(|| format!("and {} more", grouped(*more)));
                shown = cases.get(request.case as usize).or(cases.first());
                sources = shown.map(|case| case.sources.clone()).unwrap_or_default();
            }
            Verdict::Consistent(witness) => {
                let open = execution.open_reads();
                sources = open.filter_map(|read| Some((read, witness.graph.source(read)?))).collect();
            }
            Verdict::Bounded => {}
        }
        let Some(machine) = Machine::of(request.model) else {
            match (&answer.verdict, shown.map(|case| &case.why)) {
                (_, Some(Why::Axiom { graph, violation })) => {
                    let input = DrawingInput {
                        violation: Some(violation),
                        room: Room::of(request.narrow),
                        initial: InitialWrites::Only(Vec::new()),
                        ..DrawingInput::new(&execution.program, graph)
                    };
                    view.drawing = layout(input.diagram());
                    view.caption = format!("What {} forbids: the cycle is drawn thick.", request.model.title());
                }
                (Verdict::Consistent(witness), _) => {
                    let co = witness.co.iter().flatten().flat_map(|order| order.windows(2));
                    let co = co.map(|pair| Edge { from: pair[0], to: pair[1], relation: RelationName::Co });
                    let mut input = DrawingInput::new(&execution.program, &witness.graph);
                    // An initial write is drawn where something is read from it.
                    input.edges.extend(co.filter(|edge| !execution.graph.event(edge.from).is_init()));
                    input.initial = InitialWrites::Only(Vec::new());
                    input.room = Room::of(request.narrow);
                    view.drawing = layout(input.diagram());
                    view.caption = "A coherence order that fits.".to_owned();
                }
                _ => {}
            }
            return view;
        };
        // Under SC, a choice of sources is part of the search.
        let settled = if machine == Machine::Sc { execution.clone() } else { execution.with_sources(&sources) };
        let (instance, closure) = match execution.root.map(|root| AnnotatedOrder::new(execution, root)) {
            Some(Ok(annotated)) => {
                let closure = annotated.closure();
                (annotated.instance, closure)
            }
            _ => {
                let instance = Instance::new(machine, &settled);
                let closure = Closure::new(&instance);
                (instance, closure)
            }
        };
        let speaker = NodeSpeaker { execution, graph: &execution.graph, instance: &instance };
        self.show_closure(&mut view, request, speaker, &closure);
        if let Verdict::Consistent(witness) = &answer.verdict
            && let Some(run) = &witness.run
        {
            let speaker = NodeSpeaker { execution, graph: &witness.graph, instance: &run.instance };
            view.witness = run.order.iter().map(|&n| named(&speaker, n)).collect();
        }
        let is_settled = machine == Machine::Sc || settled.open_reads().next().is_none();
        if let Some(search) = request.search.filter(|_| execution.root.is_none() && is_settled) {
            show_search(&mut view, search, request.state, speaker, &closure);
        }
        view
    }

    /// The execution with its sources alone.
    fn plain(&self, request: &ConsistencyRequest) -> Drawing {
        let mut graph = self.execution.graph.clone();
        for read in self.execution.graph.ids() {
            if let [write] = self.execution.sources[read.index()][..] {
                graph.set_source_only(read, write);
            }
        }
        let input = DrawingInput {
            initial: InitialWrites::Only(Vec::new()),
            room: Room::of(request.narrow),
            ..DrawingInput::new(&self.execution.program, &graph)
        };
        layout(input.diagram())
    }

    fn reads(&self) -> Vec<ReadView> {
        let AbstractExecution { program, graph, sources, .. } = &self.execution;
        let title = |graph: &Execution, e| {
            let event = graph.event(e);
            format!("{} {}", event_name(program, event.key), event_text(program, event))
        };
        let reads = graph.ids().filter(|read| graph.event(*read).is_read());
        let view = |read| {
            let key = graph.event(read).key;
            let writes = graph.event(read).location().into_iter().flat_map(|location| graph.writes(location));
            let writes = writes.filter(|write| *write != read);
            ReadView {
                key,
                title: title(graph, read),
                writes: writes
                    .map(|write| (graph.event(write).key, title(graph, write), sources[read.index()].contains(&write)))
                    .collect(),
                changed: self.given.sources[read.index()] != sources[read.index()],
            }
        };
        reads.map(view).collect()
    }

    fn show_closure(
        &self,
        view: &mut ConsistencyView,
        request: &ConsistencyRequest,
        speaker: NodeSpeaker,
        closure: &Closure,
    ) {
        let total = OrderInput::steps(closure);
        let step = (request.step as usize).min(total);
        let asked = if request.apart { BufferColumns::Apart } else { BufferColumns::Together };
        let room = Room::of(request.narrow);
        let DrawnOrder { drawing, lit, buffers, events } =
            draw_order(&OrderInput { speaker, closure, step, buffers: asked, room });
        (view.drawing, view.lit, view.events) = (drawing, lit, events);
        view.step = step as u32;
        view.buffers = speaker.instance.machine.buffers();
        let words = |addition: &Addition| (addition.rule.name().to_owned(), speaker.addition(addition));
        view.steps = closure.additions.iter().map(words).collect();
        let end = speaker.end(closure);
        if let End::NoSource { .. } = closure.end {
            view.steps.push(("no source".to_owned(), end.clone().unwrap_or_default()));
        }
        view.caption = match step {
            0 if total == 0 => "Program order and sources. No rule adds anything: this is the closure.".to_owned(),
            0 => "Program order and sources, before any rule is applied.".to_owned(),
            _ if step < total => format!("Step {step} of {total}. {}", view.steps[step - 1].1),
            _ => {
                let last = &view.steps[step - 1].1;
                let end = match closure.end {
                    End::Closed => "No rule adds anything more: this is the closure.".to_owned(),
                    End::Cycle(_) => end.unwrap_or_default(),
                    End::NoSource { .. } => "So there is no closure, and no witness.".to_owned(),
                };
                format!("Step {step} of {total}. {last} {end}")
            }
        };
        if asked != buffers && view.buffers {
            view.caption += " There are too many buffers to draw them apart.";
        }
    }
}

/// A node with its name and what happens.
fn named(speaker: &NodeSpeaker, n: NodeId) -> String {
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
fn show_search(view: &mut ConsistencyView, search: u32, state: u32, speaker: NodeSpeaker, closure: &Closure) {
    let instance = speaker.instance;
    for (at, (name, settings)) in searches(instance).into_iter().enumerate() {
        let listed = if at == search as usize { MAX_LISTED } else { 0 };
        let Findings { states, repeats, found } = find_witness(instance, &Settings { listed, ..settings.clone() });
        let (counts, verdict, tree) = match found {
            Found::Flaw(_) => (None, "nothing to search: program order alone rules it out", None),
            Found::NoClosure(_) => (None, "nothing to search: there is no closure", None),
            Found::Order { tree, .. } => (Some((states, repeats)), "witness", Some(tree)),
            Found::Nothing { tree, .. } => (Some((states, repeats)), "exhausted: no witness", Some(tree)),
            Found::Bounded => (Some((states, repeats)), "bounded: given up", None),
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
    let mut children: Vec<Vec<u32>> = vec![Vec::new(); tree.visits.len()];
    for (at, visit) in tree.visits.iter().enumerate() {
        if let Some(parent) = visit.parent {
            children[parent as usize].push(at as u32);
        }
    }
    let total = speaker.instance.to_perform();
    let mut work = vec![(0, 0, 0)];
    while let Some((at, depth, before)) = work.pop() {
        let Some(visit) = tree.visits.get(at as usize) else { continue };
        let performed = before + visit.moved.len();
        let end = match (performed == total, visit.expanded, visit.moves == 0) {
            (true, ..) => "witness",
            (false, false, _) => "not looked at",
            (false, true, true) => "dead end",
            (false, true, false) => "",
        };
        let text = if visit.moved.is_empty() { "start".to_owned() } else { all_named(speaker, &visit.moved) };
        let repeats = visit.repeats.len() as u32;
        view.states.push(StateRow { state: at, depth, text, end: end.to_owned(), repeats });
        work.extend(children[at as usize].iter().rev().map(|&child| (child, depth + 1, performed)));
    }
    view.more_states = (tree.more > 0).then(|| format!("and {}", words::count(tree.more, "more state")));
}

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
        let value = value.map_or_else(|| "?".to_owned(), |value| program.value_text(value));
        (location_name(program, location), format!("{value} by {}", speaker.event(n)), holder)
    });
    let text = |n: &NodeId| format!("{} {}", speaker.event(*n), speaker.text(*n));
    let buffers = buffers.iter().enumerate().filter(|(thread, _)| !instance.flushes(*thread).is_empty());
    let buffers = buffers.map(|(thread, nodes)| (program.thread_name(thread), nodes.iter().map(text).collect()));
    let candidate = |candidate: &Candidate| {
        let why = candidate.obstacle.as_ref().map(|obstacle| speaker.obstacle(obstacle));
        (all_named(speaker, &candidate.nodes), why)
    };
    let children = tree.visits.iter().enumerate().filter(|(_, child)| child.parent == Some(at));
    let moves = children
        .map(|(number, child)| (all_named(speaker, &child.moved[..child.chosen as usize]), number as u32, false));
    let repeats = visit.repeats.iter().map(|(moved, seen)| (all_named(speaker, moved), *seen, true));
    let moves: Vec<_> = moves.chain(repeats).collect();
    let can = candidates.iter().any(|candidate| candidate.obstacle.is_none());
    let left_out = (visit.moves as usize).saturating_sub(moves.len());
    let note = if left == 0 {
        "Everything is performed: this is a witness.".to_owned()
    } else if !visit.expanded {
        "The search ended before it looked at what can be performed here.".to_owned()
    } else if left_out > 0 {
        let moves = words::count(left_out as u64, "more move");
        match left_out {
            1 => format!("{moves} leads to a state that is not listed."),
            _ => format!("{moves} lead to states that are not listed."),
        }
    } else if visit.moves > 0 {
        String::new()
    } else if can {
        "A dead end: what can be performed leads nowhere that the search would go.".to_owned()
    } else {
        "A dead end: nothing can be performed.".to_owned()
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

#[cfg(test)]
mod tests {
    use super::super::order::CLOSURE;
    use super::*;
    use crate::consistency::{begins_execution, execution_text};
    use crate::explore::Algorithm;
    use crate::session::{GraphQuestion, Reply, Session};

    fn example(name: &str) -> String {
        let file = format!("{}/../../public/executions/{name}.exec", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file}: {error}"))
    }

    fn request(text: &str, model: Model) -> ConsistencyRequest {
        ConsistencyRequest {
            text: text.to_owned(),
            model,
            step: u32::MAX,
            search: Some(0),
            ..ConsistencyRequest::default()
        }
    }

    fn view(request: &ConsistencyRequest) -> ConsistencyView {
        Deciding::open(request).expect("it is an execution").view(request)
    }

    fn key(thread: u16, serial: u32) -> EventKey {
        EventKey { thread: crate::graph::ThreadId(thread), serial }
    }

    fn verdict(view: &ConsistencyView, model: Model) -> &str {
        view.verdicts.iter().find(|(other, _)| *other == model).map_or("", |(_, verdict)| verdict)
    }

    #[test]
    fn the_closure_of_an_annotated_partial_order_is_followed_as_printed() {
        let request = request(&example("annotated"), Model::Sc);
        let deciding = Deciding::open(&request).expect("it is an execution");
        let whole = deciding.view(&request);
        let rules: Vec<&str> = whole.steps.iter().map(|(rule, _)| rule.as_str()).collect();
        assert_eq!(rules, ["source", "behind", "before"]);
        assert_eq!(whole.step, 3);
        // Each step draws its edge, and nothing moves.
        let added = [(key(1, 2), key(0, 2)), (key(1, 4), key(0, 3)), (key(1, 3), key(0, 1))];
        for step in 0..=3 {
            let view = deciding.view(&ConsistencyRequest { step, ..request.clone() });
            let drawn = view.drawing.edges.iter().filter(|edge| edge.kind == CLOSURE);
            let mut drawn: Vec<_> = drawn.map(|edge| (edge.from, edge.to)).collect();
            let mut expected = added[..step as usize].to_vec();
            drawn.sort_unstable();
            expected.sort_unstable();
            assert_eq!(drawn, expected);
            let places =
                |view: &ConsistencyView| view.drawing.nodes.iter().map(|n| (n.key, n.x, n.y)).collect::<Vec<_>>();
            assert_eq!(places(&view), places(&whole));
        }
        // The third rule's premise: W(z,2) comes before R(z,1), by po and the edge added before.
        let last = &whole.lit;
        let edge = |from, to, kind| EdgeKey { from, to, kind };
        assert!(last.contains(&edge(key(1, 4), key(0, 3), CLOSURE)), "{last:?}");
        assert!(last.contains(&edge(key(0, 1), key(0, 4), RelationName::Rf.into())), "{last:?}");
        assert_eq!(whole.witness.len(), 8);
    }

    #[test]
    fn a_read_can_take_another_source() {
        let text = example("sb");
        let given = view(&request(&text, Model::Sc));
        assert_eq!((verdict(&given, Model::Sc), verdict(&given, Model::Tso)), ("inconsistent", "consistent"));
        assert_eq!(given.steps.last().map(|(rule, _)| rule.as_str()), Some("no source"));
        let sources = vec![(key(0, 2), key(1, 1))];
        let other = view(&ConsistencyRequest { sources, ..request(&text, Model::Sc) });
        assert_eq!(verdict(&other, Model::Sc), "consistent");
        assert!(other.reads[0].changed && !other.reads[1].changed);
        assert_eq!(other.reads[0].title, "T1.2 R(y,1)");
        // What is not there, or writes elsewhere, changes nothing.
        let sources = vec![(key(0, 2), key(0, 1)), (key(7, 1), key(1, 1)), (key(0, 1), key(0, 2))];
        assert_eq!(view(&ConsistencyRequest { sources, ..request(&text, Model::Sc) }), given);
    }

    #[test]
    fn a_search_is_laid_open() {
        let text = example("search-only");
        let deciding = Deciding::open(&request(&text, Model::Tso)).expect("it is an execution");
        let shown = deciding.view(&request(&text, Model::Tso));
        let names: Vec<&str> = shown.searches.iter().map(|search| search.name.as_str()).collect();
        assert_eq!(names, ["VerifyTSO", "without the closure", "naive"]);
        let counts: Vec<_> = shown.searches.iter().filter_map(|search| search.counts).collect();
        assert!(counts[0].0 <= counts[1].0 && counts[1].0 < counts[2].0, "{counts:?}");
        assert_eq!(shown.states.len() as u64, counts[0].0);
        assert!(shown.states.iter().any(|row| row.end == "dead end") && shown.states.iter().any(|row| row.repeats > 0));
        // Every state can be opened, and moves lead to states.
        let mut seen = 0;
        for row in &shown.states {
            let view = deciding.view(&ConsistencyRequest { state: row.state, ..request(&text, Model::Tso) });
            let board = view.board.expect("a state has a board");
            assert_eq!(board.state, row.state);
            assert!(board.moves.iter().all(|(_, to, _)| (*to as usize) < shown.states.len()));
            assert_eq!(board.moves.is_empty(), row.end == "dead end", "{board:?}");
            let reasons = board.candidates.iter().filter_map(|(_, why)| why.as_ref());
            assert!(reasons.clone().all(|why| !why.is_empty()));
            seen += board.moves.iter().filter(|(.., seen)| *seen).count() as u64;
        }
        assert_eq!(seen, counts[0].1);
        // A board holds what the machine does.
        let start = shown.board.expect("the first state");
        assert_eq!(start.buffers.len(), 4);
        assert!(start.buffers.iter().all(|(_, writes)| writes.len() == 2), "{:?}", start.buffers);
    }

    #[test]
    fn what_is_not_listed_is_no_dead_end() {
        let threads: Vec<String> = (1..=5).map(|t| format!("T{t}: w x{t} 1; w x{t} 2; w x{t} 3")).collect();
        let text = format!("{}\nT6: r x1 3; r x1 1", threads.join("\n"));
        let asked = ConsistencyRequest { search: Some(1), ..request(&text, Model::Tso) };
        let deciding = Deciding::open(&asked).expect("it is an execution");
        let shown = deciding.view(&asked);
        // Where the closure refutes, a search without it has far to go.
        assert!(shown.more_states.is_some(), "{:?}", shown.searches);
        let mut left_out = 0;
        for row in &shown.states {
            let board =
                deciding.view(&ConsistencyRequest { state: row.state, ..asked.clone() }).board.expect("a board");
            assert_eq!(board.note.contains("dead end"), row.end == "dead end", "{board:?}");
            left_out += u32::from(board.note.contains("not listed"));
            if left_out > 3 {
                break;
            }
        }
        assert!(left_out > 0);
    }

    #[test]
    fn a_baseline_is_called_so() {
        let shown = view(&request(&example("store-fence"), Model::Pso));
        assert!(shown.searches.iter().all(|search| search.name.starts_with("naive")), "{:?}", shown.searches);
        // What was given another source is in its text.
        let sources = vec![(key(0, 2), key(1, 1))];
        let other = view(&ConsistencyRequest { sources, ..request(&example("sb"), Model::Sc) });
        assert!(other.text.contains("r y 1 <- T2.1"), "{}", other.text);
    }

    #[test]
    fn flushes_have_columns_of_their_own() {
        let text = example("fence-map");
        let columns = |model| {
            let view = view(&ConsistencyRequest { apart: true, ..request(&text, model) });
            assert!(view.buffers == (model != Model::Sc));
            // Each node is of an event.
            assert!(view.drawing.nodes.iter().all(|node| view.events.iter().any(|(drawn, _)| *drawn == node.key)));
            view.drawing.columns.iter().map(|column| column.title.clone()).collect::<Vec<_>>()
        };
        assert_eq!(columns(Model::Sc), ["T1", "T2", "T3"]);
        assert_eq!(columns(Model::Tso), ["T1", "T1's buffer", "T2", "T3", "T3's buffer"]);
        let pso = columns(Model::Pso);
        assert_eq!(
            pso,
            ["T1", "T1's buffer of x", "T1's buffer of y", "T2", "T3", "T3's buffer of x", "T3's buffer of z"]
        );
    }

    /// What an exploration finds consistent is so as an execution of its own, and what it drops is not.
    #[test]
    fn graphs_of_explorations_are_executions() {
        let folder = format!("{}/../../public", env!("CARGO_MANIFEST_DIR"));
        let (mut whole, mut dropped) = (0, 0);
        for entry in std::fs::read_dir(folder).expect("the gallery is there").map(|entry| entry.expect("a file").path())
        {
            if entry.extension().is_none_or(|extension| extension != "lit" && extension != "litmus") {
                continue;
            }
            let text = std::fs::read_to_string(&entry).expect("it is text");
            assert!(!begins_execution(&text), "{entry:?}");
            for model in Model::ALL {
                let settings = crate::session::Settings {
                    text: text.clone(),
                    model,
                    algorithm: Algorithm::Genmc,
                    ..crate::session::Settings::default()
                };
                let Ok(mut session) = Session::open(settings) else { continue };
                for _ in 0..60 {
                    if !session.forward() {
                        break;
                    }
                    let shown = session.view(&crate::session::ViewRequest::default());
                    if let Some(Reply::Execution(Ok(text))) = session.subject().answer(&GraphQuestion::Execution) {
                        assert!(begins_execution(&text), "{text}");
                    }
                    let (is_whole, is_dropped) = (shown.step_name == "complete", shown.violation.is_some());
                    if !is_whole && !is_dropped {
                        continue;
                    }
                    let reply = session.subject().answer(&GraphQuestion::Execution);
                    let Some(Reply::Execution(text)) = reply else { panic!("{entry:?} has no answer") };
                    // Mutexes and channels are said to have no such text.
                    let Ok(text) = text else { continue };
                    assert!(begins_execution(&text), "{text}");
                    let view = view(&request(&text, model));
                    // A read that was not given a source yet may have several.
                    if is_whole {
                        assert_eq!(verdict(&view, model), "consistent", "{entry:?} {model:?}\n{text}");
                        whole += 1;
                    } else if !text.contains('?') {
                        assert_eq!(verdict(&view, model), "inconsistent", "{entry:?} {model:?}\n{text}");
                        dropped += 1;
                    }
                }
            }
        }
        assert!(whole > 300 && dropped > 100, "{whole} {dropped}");
    }

    #[test]
    fn names_are_written_so_that_they_can_be_read() {
        let parsed =
            crate::syntax::parse("shared a[2], a_0 = 3\n\na[0] := 1 || r := a[1]; s := a_0").expect("a program");
        let code = crate::program::Code::compile(&parsed.program).expect("it can be run");
        let graph = Execution::initial(&code);
        assert_eq!(execution_text(&parsed.program, &graph).as_deref(), Ok("P0:\nP1:\n"));
        assert!(!begins_execution("x := 1 || a := x"));
        assert!(!begins_execution("init x = 1\nx := 2 || a := x"));
        assert!(!begins_execution("") && !begins_execution("// T1: w x 1"));
        assert!(begins_execution("// a comment\n\ninit x = 1\nT1: w x 2"));
        assert!(begins_execution("execution SB\nT1: w x 1") && begins_execution("A: { r x 0; w x 1 }"));
        assert!(begins_execution("execution Fig. 2: SB\nT1: w x 1") && begins_execution("T1:\n  w x 1"));
    }
}
