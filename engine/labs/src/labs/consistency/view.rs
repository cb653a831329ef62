//! Whether an abstract execution is consistent, for the page: the closure step by step, the search state by state.
//!
//! A request has the text, the model, the reads that take another source, and what is to be seen; the answer is a view of all
//! that. What the closure adds is no relation of execution graphs but a kind of edges that these diagrams declare, with its
//! colours. The text is no program: the page knows it by its first line ([`Kind::of`](crate::document::Kind::of)) and explores
//! nothing.
//!
//! Tests: each graph that an exploration of the gallery finds whole or drops is given to the same questions as a text of its
//! own, which have to agree.

use super::search_view::{BoardView, SearchEffort, StateRow, named, show_search};
use super::{BufferColumns, ConsistencyReport, DrawnOrder, NodeSpeaker, OrderInput, draw_order};
use crate::consistency::{
    AbstractExecution, Addition, AnnotatedOrder, Closure, ConsistencyAnswer, ConsistencyCase, ConsistencyVerdict, End,
    Instance, Machine, Settings, Why, decide, parse_execution, print_execution,
};
use crate::graph::{Edge, EventKey, Execution, RelationName};
use crate::model::Model;
use crate::report::{Drawing, DrawingInput, EdgeKey, InitialWrites, Room, event_name, event_text, layout};
use crate::syntax::Diagnostic;
use crate::words::grouped;
use serde::{Deserialize, Serialize};

/// The most states of one search.
pub(super) const MAX_STATES: u64 = 50_000;
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
    /// What each model says.
    pub verdicts: Vec<(Model, ModelVerdict)>,
    /// What the model says, in a sentence.
    pub sentence: String,
    /// Of an inconsistent execution: what rules out each choice of sources.
    pub cases: Vec<CaseView>,
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
    /// The steps of the closure. None for models without a machine.
    pub steps: Vec<ClosureStepView>,
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

/// What a model says of an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ModelVerdict {
    /// It is consistent.
    Consistent,
    /// It is not.
    Inconsistent,
    /// That was not found out within the bounds.
    Bounded,
    /// The model has no meaning for it.
    Meaningless,
}

impl ModelVerdict {
    fn of(answer: &Result<ConsistencyAnswer, String>) -> Self {
        match answer.as_ref().map(|answer| &answer.verdict) {
            Ok(ConsistencyVerdict::Consistent(_)) => Self::Consistent,
            Ok(ConsistencyVerdict::Inconsistent { .. }) => Self::Inconsistent,
            Ok(ConsistencyVerdict::Bounded) => Self::Bounded,
            Err(_) => Self::Meaningless,
        }
    }
}

/// What rules a choice of sources out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseView {
    /// The choice; empty where there is none.
    pub sources: String,
    /// Why not.
    pub reason: String,
}

/// A step of the closure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClosureStepView {
    /// The rule's name.
    pub rule: String,
    /// What it does.
    pub text: String,
}

/// A write that a read could take.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceView {
    /// The write.
    pub write: EventKey,
    /// Its name and what it does.
    pub title: String,
    /// Whether the read may take it as things are.
    pub taken: bool,
}

/// A read and the writes that it could take.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadView {
    /// The read.
    pub key: EventKey,
    /// Its name and what it does.
    pub title: String,
    /// The writes.
    pub writes: Vec<SourceView>,
    /// Whether it takes another source than the text says.
    pub changed: bool,
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

impl litmoscope_core::inspection::Inspection for Deciding {
    type Request = ConsistencyRequest;
    type View = ConsistencyView;

    fn open(request: &ConsistencyRequest) -> Result<Self, Vec<Diagnostic>> {
        Self::open(request)
    }

    fn is_of(&self, request: &ConsistencyRequest) -> bool {
        self.is_of(request)
    }

    fn view(&mut self, request: &ConsistencyRequest) -> ConsistencyView {
        Self::view(self, request)
    }

    fn text(request: &ConsistencyRequest) -> &str {
        &request.text
    }
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
        let mut view = ConsistencyView {
            name: execution.program.name.clone(),
            text: print_execution(execution),
            verdicts: self.answers.iter().map(|(model, answer)| (*model, ModelVerdict::of(answer))).collect(),
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
        match self.answers.iter().find(|(model, _)| *model == request.model) {
            Some((_, Ok(answer))) => self.show_answer(&mut view, request, answer),
            Some((_, Err(reason))) => view.sentence = format!("{reason}."),
            None => {}
        }
        view
    }

    fn show_answer(&self, view: &mut ConsistencyView, request: &ConsistencyRequest, answer: &ConsistencyAnswer) {
        let execution = &self.execution;
        // Of a program, it is one execution, and perhaps a part of one.
        let name = match execution.program.name.as_str() {
            "" => String::new(),
            name => format!("This execution of {name}"),
        };
        let report = ConsistencyReport { name: &name, execution, model: request.model, answer };
        view.sentence = if execution.graph.events().all(|(_, event)| event.is_init()) {
            "This execution has no event yet, so there is nothing to judge: take a step first.".to_owned()
        } else {
            report.sentence()
        };
        let mut shown = None;
        if let ConsistencyVerdict::Inconsistent { cases, more } = &answer.verdict {
            let case = |case: &ConsistencyCase| CaseView {
                sources: report.sources(&case.sources),
                reason: report.reason(case),
            };
            view.cases = cases.iter().map(case).collect();
            view.left_out = (*more > 0).then(|| format!("and {} more", grouped(*more)));
            shown = cases.get(request.case as usize).or(cases.first());
        }
        match Machine::of(request.model) {
            Some(machine) => self.show_machine(view, request, machine, &answer.verdict, shown),
            None => self.show_axioms(view, request, &answer.verdict, shown),
        }
    }

    /// Under a model without a machine: the cycle that it forbids, or a coherence order.
    fn show_axioms(
        &self,
        view: &mut ConsistencyView,
        request: &ConsistencyRequest,
        verdict: &ConsistencyVerdict,
        shown: Option<&ConsistencyCase>,
    ) {
        let program = &self.execution.program;
        match (verdict, shown.map(|case| &case.why)) {
            (_, Some(Why::Axiom { graph, violation })) => {
                let input = DrawingInput {
                    violation: Some(violation),
                    room: Room::of(request.narrow),
                    initial: InitialWrites::Only(Vec::new()),
                    ..DrawingInput::new(program, graph)
                };
                view.drawing = layout(input.diagram());
                view.caption = format!("What {} forbids: the cycle is drawn thick.", request.model.title());
            }
            (ConsistencyVerdict::Consistent(witness), _) => {
                let co = witness.co.iter().flatten().flat_map(|order| order.windows(2));
                let co = co.map(|pair| Edge { from: pair[0], to: pair[1], relation: RelationName::Co });
                let mut input = DrawingInput::new(program, &witness.graph);
                // An initial write is drawn where something is read from it.
                input.edges.extend(co.filter(|edge| !self.execution.graph.event(edge.from).is_init()));
                input.initial = InitialWrites::Only(Vec::new());
                input.room = Room::of(request.narrow);
                view.drawing = layout(input.diagram());
                view.caption = "A coherence order (co) that fits.".to_owned();
            }
            _ => {}
        }
    }

    /// Under a model with a machine: the closure, a run, and the search for one.
    fn show_machine(
        &self,
        view: &mut ConsistencyView,
        request: &ConsistencyRequest,
        machine: Machine,
        verdict: &ConsistencyVerdict,
        shown: Option<&ConsistencyCase>,
    ) {
        let execution = &self.execution;
        let settled = self.settled(machine, verdict, shown);
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
        show_closure(view, request, speaker, &closure);
        if let ConsistencyVerdict::Consistent(witness) = verdict
            && let Some(run) = &witness.run
        {
            let speaker = NodeSpeaker { execution, graph: &witness.graph, instance: &run.instance };
            view.witness = run.order.iter().map(|&n| named(&speaker, n)).collect();
        }
        let is_settled = machine == Machine::Sc || settled.open_reads().next().is_none();
        if let Some(search) = request.search.filter(|_| execution.root.is_none() && is_settled) {
            show_search(view, search, request.state, speaker, &closure);
        }
    }

    /// The execution with the sources of the case that is shown, or of the witness. Under SC, a choice of sources is part of
    /// the search.
    fn settled(
        &self,
        machine: Machine,
        verdict: &ConsistencyVerdict,
        shown: Option<&ConsistencyCase>,
    ) -> AbstractExecution {
        let execution = &self.execution;
        if machine == Machine::Sc {
            return execution.clone();
        }
        let sources = match verdict {
            ConsistencyVerdict::Inconsistent { .. } => shown.map(|case| case.sources.clone()).unwrap_or_default(),
            ConsistencyVerdict::Consistent(witness) => {
                execution.open_reads().filter_map(|read| Some((read, witness.graph.source(read)?))).collect()
            }
            ConsistencyVerdict::Bounded => Vec::new(),
        };
        execution.with_sources(&sources)
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
                    .map(|write| SourceView {
                        write: graph.event(write).key,
                        title: title(graph, write),
                        taken: sources[read.index()].contains(&write),
                    })
                    .collect(),
                changed: self.given.sources[read.index()] != sources[read.index()],
            }
        };
        reads.map(view).collect()
    }
}

fn show_closure(view: &mut ConsistencyView, request: &ConsistencyRequest, speaker: NodeSpeaker, closure: &Closure) {
    let total = OrderInput::steps(closure);
    let step = (request.step as usize).min(total);
    let asked = if request.apart { BufferColumns::Apart } else { BufferColumns::Together };
    let room = Room::of(request.narrow);
    let DrawnOrder { drawing, lit, buffers, events } =
        draw_order(&OrderInput { speaker, closure, step, buffers: asked, room });
    (view.drawing, view.lit, view.events) = (drawing, lit, events);
    view.step = step as u32;
    view.buffers = speaker.instance.machine.buffers();
    let words = |addition: &Addition| ClosureStepView {
        rule: addition.rule.name().to_owned(),
        text: speaker.addition(addition),
    };
    view.steps = closure.additions.iter().map(words).collect();
    let end = speaker.end(closure);
    if let End::NoSource { .. } = closure.end {
        let text = end.clone().unwrap_or_default();
        view.steps.push(ClosureStepView { rule: "no source".to_owned(), text });
    }
    view.caption = match step {
        0 if total == 0 => "Program order and sources. No rule adds anything: this is the closure.".to_owned(),
        0 => "Program order and sources, before any rule is applied.".to_owned(),
        _ if step < total => format!("Step {step} of {total}. {}", view.steps[step - 1].text),
        _ => {
            let last = &view.steps[step - 1].text;
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

#[cfg(test)]
mod tests {
    use super::super::order::CLOSURE;
    use super::super::search_view::StateEnd;
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

    fn verdict(view: &ConsistencyView, model: Model) -> Option<ModelVerdict> {
        view.verdicts.iter().find(|(other, _)| *other == model).map(|(_, verdict)| *verdict)
    }

    #[test]
    fn the_closure_of_an_annotated_partial_order_is_followed_as_printed() {
        let request = request(&example("annotated"), Model::SC);
        let deciding = Deciding::open(&request).expect("it is an execution");
        let whole = deciding.view(&request);
        let rules: Vec<&str> = whole.steps.iter().map(|step| step.rule.as_str()).collect();
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
        let given = view(&request(&text, Model::SC));
        assert_eq!(
            (verdict(&given, Model::SC), verdict(&given, Model::TSO)),
            (Some(ModelVerdict::Inconsistent), Some(ModelVerdict::Consistent))
        );
        assert_eq!(given.steps.last().map(|step| step.rule.as_str()), Some("no source"));
        let sources = vec![(key(0, 2), key(1, 1))];
        let other = view(&ConsistencyRequest { sources, ..request(&text, Model::SC) });
        assert_eq!(verdict(&other, Model::SC), Some(ModelVerdict::Consistent));
        assert!(other.reads[0].changed && !other.reads[1].changed);
        assert_eq!(other.reads[0].title, "T1.2 R(y,1)");
        // What is not there, or writes elsewhere, changes nothing.
        let sources = vec![(key(0, 2), key(0, 1)), (key(7, 1), key(1, 1)), (key(0, 1), key(0, 2))];
        assert_eq!(view(&ConsistencyRequest { sources, ..request(&text, Model::SC) }), given);
    }

    #[test]
    fn a_search_is_laid_open() {
        let text = example("search-only");
        let deciding = Deciding::open(&request(&text, Model::TSO)).expect("it is an execution");
        let shown = deciding.view(&request(&text, Model::TSO));
        let names: Vec<&str> = shown.searches.iter().map(|search| search.name.as_str()).collect();
        assert_eq!(names, ["VerifyTSO", "without the closure", "naive"]);
        let counts: Vec<_> = shown.searches.iter().filter_map(|search| search.counts).collect();
        assert!(counts[0].states <= counts[1].states && counts[1].states < counts[2].states, "{counts:?}");
        assert_eq!(shown.states.len() as u64, counts[0].states);
        assert!(
            shown.states.iter().any(|row| row.end == Some(StateEnd::DeadEnd))
                && shown.states.iter().any(|row| row.repeats > 0)
        );
        // Every state can be opened, and moves lead to states.
        let mut seen = 0;
        for row in &shown.states {
            let view = deciding.view(&ConsistencyRequest { state: row.state, ..request(&text, Model::TSO) });
            let board = view.board.expect("a state has a board");
            assert_eq!(board.state, row.state);
            assert!(board.moves.iter().all(|next| (next.state as usize) < shown.states.len()));
            assert_eq!(board.moves.is_empty(), row.end == Some(StateEnd::DeadEnd), "{board:?}");
            let reasons = board.candidates.iter().filter_map(|candidate| candidate.obstacle.as_ref());
            assert!(reasons.clone().all(|why| !why.is_empty()));
            seen += board.moves.iter().filter(|next| next.seen).count() as u64;
        }
        assert_eq!(seen, counts[0].repeats);
        // A board holds what the machine does.
        let start = shown.board.expect("the first state");
        assert_eq!(start.buffers.len(), 4);
        assert!(start.buffers.iter().all(|buffer| buffer.writes.len() == 2), "{:?}", start.buffers);
    }

    #[test]
    fn what_is_not_listed_is_no_dead_end() {
        let threads: Vec<String> = (1..=5).map(|t| format!("T{t}: w x{t} 1; w x{t} 2; w x{t} 3")).collect();
        let text = format!("{}\nT6: r x1 3; r x1 1", threads.join("\n"));
        let asked = ConsistencyRequest { search: Some(1), ..request(&text, Model::TSO) };
        let deciding = Deciding::open(&asked).expect("it is an execution");
        let shown = deciding.view(&asked);
        // Where the closure refutes, a search without it has far to go.
        assert!(shown.more_states.is_some(), "{:?}", shown.searches);
        let mut left_out = 0;
        // Each board comes with all else that there is to see: some dozens of them.
        for row in shown.states.iter().rev().step_by(1 + shown.states.len() / 40) {
            let board =
                deciding.view(&ConsistencyRequest { state: row.state, ..asked.clone() }).board.expect("a board");
            assert_eq!(board.note.contains("dead end"), row.end == Some(StateEnd::DeadEnd), "{board:?}");
            left_out += u32::from(board.note.contains("not listed"));
        }
        assert!(left_out > 0);
    }

    #[test]
    fn a_baseline_is_called_so() {
        let shown = view(&request(&example("store-fence"), Model::PSO));
        assert!(shown.searches.iter().all(|search| search.name.starts_with("naive")), "{:?}", shown.searches);
        // What was given another source is in its text.
        let sources = vec![(key(0, 2), key(1, 1))];
        let other = view(&ConsistencyRequest { sources, ..request(&example("sb"), Model::SC) });
        assert!(other.text.contains("r y 1 <- T2.1"), "{}", other.text);
    }

    #[test]
    fn flushes_have_columns_of_their_own() {
        let text = example("fence-map");
        let columns = |model| {
            let view = view(&ConsistencyRequest { apart: true, ..request(&text, model) });
            assert!(view.buffers == (model != Model::SC));
            // Each node is of an event.
            assert!(view.drawing.nodes.iter().all(|node| view.events.iter().any(|(drawn, _)| *drawn == node.key)));
            view.drawing.columns.iter().map(|column| column.title.clone()).collect::<Vec<_>>()
        };
        assert_eq!(columns(Model::SC), ["T1", "T2", "T3"]);
        assert_eq!(columns(Model::TSO), ["T1", "T1 buffer", "T2", "T3", "T3 buffer"]);
        let pso = columns(Model::PSO);
        assert_eq!(pso, ["T1", "T1 buffer x", "T1 buffer y", "T2", "T3", "T3 buffer x", "T3 buffer z"]);
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
                        assert_eq!(
                            verdict(&view, model),
                            Some(ModelVerdict::Consistent),
                            "{entry:?} {model:?}\n{text}"
                        );
                        whole += 1;
                    } else if !text.contains('?') {
                        assert_eq!(
                            verdict(&view, model),
                            Some(ModelVerdict::Inconsistent),
                            "{entry:?} {model:?}\n{text}"
                        );
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
