//! Steps, options and verdicts in plain words.

use super::{CutView, FaultView, OptionView, PendingView, Reach, Session, Settings, Visit, VisitKind, VisitOption};
use crate::explore::{
    Counts, Cut, Direction, ExecutionKind, Explorer, Narrator, Options, PendingRead, Revisit, SEARCH_GIVEN_UP, Scene,
    StateTable, Step, Verdict, explain_choice,
};
use crate::graph::{Coherence, Event, EventId, EventKey, Execution, Label, ThreadId};
use crate::library;
use crate::model::{Consistency, Model, Violation};
use crate::program::{Limits, Observable, Operation, Program, Quantifier, Span, Value};
use crate::report::{
    Extent, MessageNote, beyond_text, condition_sentence, cut_text, event_name, event_text, fault_sentence,
    last_values_text, location_name, message_notes, undecided_text, waiting_text,
};
use crate::session::ConditionView;
use crate::words;

/// How many options of a read are listed, in S and in U each.
const MAX_OPTIONS: usize = 40;

/// What a step is called.
pub(super) fn step_name(step: Option<Step>) -> &'static str {
    match step {
        None => "start",
        Some(Step::AddEvent { .. }) => "add event",
        Some(Step::ChooseSource { .. }) => "choose source",
        Some(Step::PushForward { .. }) => "push forward option",
        Some(Step::PushBackward { .. }) => "push backward option",
        Some(Step::AlreadyExplored { .. }) => "already explored",
        Some(Step::TakeRevisit { .. }) => "take revisit",
        Some(Step::Candidate { .. }) => "candidate",
        Some(Step::Drop) => "drop",
        Some(Step::Error { .. }) => "error",
        Some(Step::Race { .. }) => "data race",
        Some(Step::UninitialisedRead { .. }) => "uninitialised read",
        Some(Step::Execution { kind: ExecutionKind::Complete, .. }) => "complete",
        Some(Step::Execution { kind: ExecutionKind::Blocked, .. }) => "blocked",
        Some(Step::Execution { kind: ExecutionKind::StuckForGood, .. }) => "stuck for good",
        Some(Step::Execution { kind: ExecutionKind::Erroneous, .. }) => "erroneous",
        Some(Step::Duplicate) => "duplicate",
        Some(Step::Done) => "done",
        Some(Step::PushSpurious { .. }) => "push spurious failure",
        Some(Step::SpuriousAlreadyExplored { .. }) => "already explored",
        Some(Step::TakeSpurious { .. }) => "take spurious failure",
        Some(Step::Block { .. }) => "wait",
        Some(Step::PushBlock { .. }) => "push ⊥",
        Some(Step::TakeBlock { .. }) => "take ⊥",
        Some(Step::PlaceWrite { .. }) => "place write",
        Some(Step::PushPlacement { .. }) => "push placement",
        Some(Step::TakePlacement { .. }) => "take placement",
        Some(Step::NotMaximal { .. }) => "not maximal",
        Some(Step::Schedule { .. }) => "schedule",
        Some(Step::AlreadyScheduled { .. }) => "already scheduled",
        Some(Step::NoWitness { .. }) => "no witness",
        Some(Step::Undecided) => "undecided",
        Some(Step::LeaveOut { .. }) => "leave out",
        Some(Step::Start { .. }) => "start",
        Some(Step::NotAtomic) => "not atomic",
        Some(Step::TooManyCandidates) => "too many candidates",
        Some(Step::WitnessUndecided { .. }) => "witness undecided",
        Some(Step::TakeSchedule { .. }) => "take schedule",
        Some(Step::BeginRun { .. }) => "begin run",
        Some(Step::Repeated { .. }) => "repeated",
        Some(Step::Turn { .. }) => "turn",
        Some(Step::Groups { .. }) => "groups",
        Some(Step::Witness { .. }) => "witness",
        Some(Step::Call { .. }) => "call",
        Some(Step::Signal { .. }) => "signal",
        Some(Step::Return { .. }) => "return",
        Some(Step::Offer { .. }) => "offered",
        Some(Step::Prune { .. }) => "prune",
        Some(Step::EnterCall { .. }) => "enter call",
        Some(Step::ExtendRead { .. }) => "extend by a read",
        Some(Step::OrderPair { .. }) => "put in order",
        Some(Step::NoClosure { .. }) => "no closure",
        Some(Step::DeadEnd) => "dead end",
        Some(Step::OfferAll { .. }) => "update causal map",
        Some(Step::Commit { .. }) => "reach memory",
        Some(Step::Reversal { .. }) => "reverse race",
        Some(Step::AlreadyReversed { .. }) => "already reversed",
        Some(Step::OtherOutcome { .. }) => "other outcome",
        Some(Step::SleepSetBlocked) => "all asleep",
        Some(Step::TakeBacktrack { .. }) => "backtrack",
        Some(Step::JoinSection { .. }) => "join section",
        Some(Step::EndSection { .. }) => "section is whole",
        Some(Step::Satisfiable { .. }) => "satisfiable",
        Some(Step::Unsatisfiable { .. }) => "unsatisfiable",
    }
}

/// The write of a backward option, which brings it along.
fn stored(option: &Revisit) -> Option<&Event> {
    option.prefix.iter().map(|(event, _)| event).find(|event| Some(event.key) == option.write)
}

/// A write that comes behind another one: the next in co, where that was chosen; else one that does in every co, because its thread
/// wrote or read the other one before, or else the last in some co.
fn overtaker(model: Model, graph: &Execution, co: Option<&Coherence>, write: EventId) -> Option<EventId> {
    let location = graph.event(write).location()?;
    let next = |order: &[EventId]| order.iter().skip_while(|other| **other != write).nth(1).copied();
    if let Some(co) = co {
        return next(&co[location.0 as usize]);
    }
    let knows = |other: &EventId| {
        let before = |event: EventId| graph.po(event, *other) || event == *other;
        let reads = |event: &EventId| graph.source(*event) == Some(write);
        *other != write && (graph.po(write, *other) || graph.ids().filter(reads).any(before))
    };
    graph.writes(location).find(knows).or_else(|| match model.consistency_for_view(graph) {
        Consistency::Consistent(witness) => {
            witness.co[location.0 as usize].last().copied().filter(|last| *last != write)
        }
        Consistency::Violated(_) | Consistency::Undecided => None,
    })
}

/// Explains one point of a session.
pub(super) struct Explainer<'a> {
    session: &'a Session,
}

impl<'a> Explainer<'a> {
    pub(super) fn new(session: &'a Session) -> Self {
        Self { session }
    }

    fn labelled(&self, event: &Event) -> String {
        let program = self.session.program();
        format!("{} {}", event_name(program, event.key), event_text(program, event))
    }

    /// The source text that the step is about.
    pub(super) fn span(&self) -> Option<Span> {
        let key = match self.session.step()? {
            Step::AddEvent { event }
            | Step::Error { event }
            | Step::NoClosure { event }
            | Step::OrderPair { second: event, .. }
            | Step::OtherOutcome { event }
            | Step::TakeBacktrack { event, .. }
            | Step::JoinSection { event }
            | Step::Commit { write: event }
            | Step::Reversal { second: event, .. }
            | Step::AlreadyReversed { second: event, .. } => event,
            Step::ChooseSource { read, .. }
            | Step::PushForward { read, .. }
            | Step::TakeRevisit { read, .. }
            | Step::PushSpurious { read, .. }
            | Step::TakeSpurious { read, .. }
            | Step::TakeSchedule { read, .. }
            | Step::Turn { read }
            | Step::Groups { read, .. }
            | Step::Witness { read, .. }
            | Step::Call { read, .. }
            | Step::Return { read }
            | Step::ExtendRead { read, .. }
            | Step::Block { read }
            | Step::PushBlock { read }
            | Step::TakeBlock { read } => read,
            Step::PushBackward { write, .. }
            | Step::AlreadyExplored { write, .. }
            | Step::SpuriousAlreadyExplored { write, .. }
            | Step::PlaceWrite { write, .. }
            | Step::PushPlacement { write, .. }
            | Step::TakePlacement { write, .. }
            | Step::NotMaximal { write, .. }
            | Step::Schedule { write, .. }
            | Step::AlreadyScheduled { write, .. }
            | Step::NoWitness { write, .. }
            | Step::Signal { write, .. } => write,
            Step::Race { first, .. } => first,
            Step::UninitialisedRead { read } => read,
            _ => return None,
        };
        let graph = self.session.explorer().execution();
        graph.find(key).map(|e| graph.event(e).span).filter(|span| *span != Span::default())
    }

    /// How an execution that has just become whole ends, and whether the condition holds there, behind a sentence.
    fn final_states(&self, step: Step) -> String {
        /// How many values, and how many states, can be read in a sentence.
        const MOST: (usize, usize) = (8, 3);
        let (session, program) = (self.session, self.session.program());
        let observables = program.observables();
        // A graph from elsewhere comes without registers.
        if session.frozen.is_some() {
            return String::new();
        }
        let states = session.final_states_of(session.explorer(), step, program);
        if observables.is_empty() || observables.len() > MOST.0 || states.is_empty() || states.len() > MOST.1 {
            return String::new();
        }
        let text = |state: &Vec<Value>| {
            let equation = |(observable, value): (&Observable, &Value)| {
                let (name, value) =
                    (program.observable_name(*observable), program.observable_text(*observable, *value));
                format!("{name} = {value}")
            };
            let values = words::list(observables.iter().zip(state).map(equation));
            let holds = |wanted| observables.binary_search(&wanted).map_or(0, |index| state[index]);
            match program.condition.as_ref().map(|condition| condition.proposition.holds(&holds)) {
                None => values,
                Some(true) => format!("{values}, which satisfies the condition"),
                Some(false) => format!("{values}, which does not satisfy the condition"),
            }
        };
        let verb = if states.len() == 1 { "ends" } else { "can end" };
        let states: Vec<String> = states.iter().map(text).collect();
        format!(" It {verb} with {}.", states.join("; or with "))
    }

    /// The line of the algorithm that made the step.
    pub(super) fn line(&self) -> Option<u32> {
        let pseudo_code = self.session.settings.algorithm.definition().pseudo_code;
        pseudo_code.line_of(&self.session.step()?)
    }

    /// A violation's cycle in one line.
    pub(super) fn cycle(&self, violation: &Violation) -> String {
        self.session.subject().violation(violation).cycle
    }

    /// Why a graph is left in which a thread waits.
    fn explain_left_out(&self, read: EventKey) -> String {
        let session = self.session;
        let graph = session.explorer().execution();
        let thread = session.program().thread_name(read.thread.index());
        let source = graph.find(read).and_then(|read| graph.source(read));
        let overtaken = source.and_then(|source| {
            let by = overtaker(session.model(), graph, session.explorer().coherence(), source)?;
            let [source, by] = [source, by].map(|write| self.event(graph.event(write).key));
            Some(format!("It reads {source}, which {by} has overtaken"))
        });
        format!(
            "{thread} waits at {}: with this value its loop goes round again, or its assumption fails. {}, and nothing that comes \
             of this graph changes that. All that the other threads do is also found where {thread} reads a later write. So the \
             graph is left out.",
            self.event(read),
            overtaken.as_deref().unwrap_or("It does not read the last write there")
        )
    }

    /// The step in plain words.
    pub(super) fn explain(&self, violation: Option<&Violation>) -> String {
        let session = self.session;
        let model = session.model().title();
        let Some(step) = session.step() else {
            return "The graph holds the initial writes and nothing else. The arrow above the drawing makes the first step of \
                    the algorithm."
                .to_owned();
        };
        if let Some(words) = self.narrator().explain(self, step) {
            return words;
        }
        match step {
            Step::AddEvent { event } => self.explain_event(event),
            Step::Drop => match violation {
                Some(violation) => format!(
                    "The graph violates the axiom {} of {model} and is dropped: {}.",
                    violation.axiom,
                    self.cycle(violation)
                ),
                None => self.ill_blocked().unwrap_or_else(|| self.explain_reduction(model)),
            },
            Step::Undecided => format!(
                "Whether the graph is consistent under {model} was not decided: {SEARCH_GIVEN_UP} The graph is skipped."
            ),
            Step::LeaveOut { read } => self.explain_left_out(read),
            Step::Start { .. } | Step::NotAtomic => {
                let limits = session.settings().options.limits;
                explain_choice(self, session.program(), &session.code, limits, step).unwrap_or_default()
            }
            Step::Error { event } => format!(
                "{}. The graph is consistent under {model}, so the error is real. The thread ends here.",
                self.event(event)
            ),
            Step::Race { first, second } => format!(
                "{0} and {1} race: one is non-atomic, one writes, and neither happens before the other (hb). No path \
                 of po and sw leads from {2} to {3}, and none from {3} to {2}. The behaviour of the program is \
                 undefined.",
                self.event(first),
                self.event(second),
                event_name(session.program(), first),
                event_name(session.program(), second)
            ),
            Step::UninitialisedRead { read } => format!(
                "{} reads from the initial write (rf), but its location has no initial value. So it could read any \
                 value. The graph is consistent under {model}, so the error is real.",
                self.event(read)
            ),
            Step::Execution { number, kind } => match kind {
                ExecutionKind::Complete => {
                    let ends = self.final_states(step);
                    format!("Every thread is done and the graph is consistent: execution {number} is complete.{ends}")
                }
                ExecutionKind::StuckForGood => format!(
                    "No thread can go on, and nobody is left who could change that: execution {number} is stuck for good. {}.",
                    waiting_text(
                        session.program(),
                        &session.code,
                        session.settings().model,
                        session.explorer().execution()
                    )
                ),
                ExecutionKind::Blocked => {
                    format!("No thread can go on, and {}: execution {number} is blocked.", self.blocked_threads())
                }
                ExecutionKind::Erroneous => {
                    format!("No thread can go on: execution {number} is whole, and something in it went wrong.")
                }
            },
            Step::Duplicate => {
                "This execution was found before. That must never happen: please report the link as an error of \
                 Litmoscope."
                    .to_owned()
            }
            Step::Done => {
                let counts = session.counts();
                format!(
                    "{}: the exploration is over, with {} complete, {} blocked and {} erroneous executions and {} \
                     dropped.{}",
                    self.narrator().end(),
                    words::grouped(counts.complete),
                    words::grouped(counts.blocked),
                    words::grouped(counts.erroneous),
                    words::count(counts.dropped, "graph"),
                    if session.shows_last() { " The graph is that of the last execution." } else { "" }
                )
            }
            // The algorithm has no words of its own for it.
            _ => format!("The step is: {}.", step_name(Some(step))),
        }
    }

    fn narrator(&self) -> &'static dyn Narrator {
        self.session.settings.algorithm.machine().narrator
    }

    /// Why a graph is left that the model and the libraries allow.
    fn explain_reduction(&self, model: &str) -> String {
        let options = self.session.settings.options;
        if options.bounds_switches() {
            return "Every order of these events switches threads more often than the bound allows, so the graph is skipped."
                .to_owned();
        }
        if options.symmetry {
            return "The first accesses of threads that do the same are not in the order of the threads. The graph is skipped, \
                    because a graph with these threads exchanged is explored (symmetry)."
                .to_owned();
        }
        format!("The graph is inconsistent under {model} and is dropped.")
    }

    fn explain_event(&self, key: EventKey) -> String {
        let graph = self.session.explorer().execution();
        let what = self.event(key);
        let label = graph.find(key).map(|e| graph.event(e).label);
        let thread = self.session.program().thread_name(key.thread.0.into());
        let turn = self.narrator().turn();
        match label {
            Some(Label::Read { .. } | Label::Update { .. }) => {
                format!("{thread} {turn}: {what} is added and needs a source.")
            }
            Some(Label::Library { operation, .. }) if operation.waits() => {
                format!("{thread} {turn}: {} is added and needs a source.", (self as &dyn Scene).call(key))
            }
            Some(Label::Error(_)) => format!("{thread} goes wrong, so an error event is added: {what}."),
            Some(Label::Stuck) => {
                format!("An assumption of {thread} does not hold: the thread is stuck and takes no further step.")
            }
            Some(Label::Spin) => format!(
                "{thread} waits{}: a round of its loop wrote nothing and changed nothing, so the next round would do \
                 the same until another thread writes. The thread is stuck unless its reads find other values.",
                at_line(graph.find(key).map_or(0, |e| graph.event(e).span.line))
            ),
            Some(Label::Bound(kind)) => {
                let place = graph.find(key).map_or_else(Span::default, |e| graph.event(e).span).into();
                let limits = self.session.settings().options.limits;
                format!(
                    "{thread} is cut here, and the result is only bounded: {}.",
                    cut_text(limits, graph.threads(), kind, place)
                )
            }
            _ => format!("{thread} {turn}: {what} is added."),
        }
    }

    /// Why a consistent whole graph is none.
    fn ill_blocked(&self) -> Option<String> {
        let graph = self.session.explorer().execution();
        let library::IllBlocked { waiting, free } = library::ill_blocked(graph)?;
        let waiting = graph.event(waiting);
        let free = self.event(graph.event(free).key);
        let scene: &dyn Scene = self;
        Some(format!(
            "{}. But it waits (⊥), although it need not. So the graph is no execution and is dropped.",
            scene.could_take(waiting.key, &free)
        ))
    }

    fn blocked_threads(&self) -> String {
        let graph = self.session.explorer().execution();
        let threads: Vec<_> = graph
            .events()
            .filter(|(_, event)| event.ends_thread())
            .map(|(_, event)| self.session.program().thread_name(event.thread().0.into()))
            .collect();
        let end = words::by_number(threads.len() as u64, "its end", "their ends");
        format!("{} did not reach {end}", words::list(threads))
    }

    /// T, S and U in words.
    pub(super) fn pending(&self) -> Vec<PendingView> {
        // Behind the last step nothing is pending, whatever graph is shown.
        if self.session.shows_last() {
            return Vec::new();
        }
        self.session.explorer().pending().iter().map(|pending| self.pending_read(pending)).collect()
    }

    fn pending_read(&self, pending: &PendingRead) -> PendingView {
        let kind = match self.session.settings.algorithm.definition().state {
            StateTable::Pending(columns) => columns.kind,
            StateTable::None(_) => Direction::Backward,
        };
        let name = |key: &EventKey| event_name(self.session.program(), *key);
        // An option knows its write also while that is in no graph, or in this one with another value.
        let write =
            |key: EventKey, stored: Option<&Event>| stored.map_or_else(|| self.event(key), |e| self.labelled(e));
        let options_left_out = pending.options.len().saturating_sub(MAX_OPTIONS);
        let explored_left_out = pending.explored.len().saturating_sub(MAX_OPTIONS);
        PendingView {
            read: self.event(pending.read),
            key: pending.read,
            revisitable: pending.revisitable,
            options: pending.options[options_left_out..]
                .iter()
                .map(|option| OptionView {
                    write: option.write.map_or_else(|| "⊥".to_owned(), |key| write(key, stored(option))),
                    direction: option.direction,
                    spurious: option.spurious,
                    keeps: option.prefix.iter().map(|(event, _)| name(&event.key)).collect(),
                    taken: false,
                })
                .collect(),
            options_left_out: options_left_out as u64,
            explored: pending.explored[explored_left_out..]
                .iter()
                .map(|entry| OptionView {
                    write: write(entry.write, entry.waits.and_then(|at| stored(&pending.options[at]))),
                    direction: kind,
                    spurious: entry.spurious,
                    keeps: entry.keeps.iter().map(name).collect(),
                    taken: entry.waits.is_none(),
                })
                .collect(),
            explored_left_out: explored_left_out as u64,
        }
    }
}

impl Scene for Explainer<'_> {
    fn explorer(&self) -> &dyn Explorer {
        self.session.explorer()
    }

    fn model(&self) -> Model {
        self.session.model()
    }

    fn event(&self, key: EventKey) -> String {
        let program = self.session.program();
        let graph = self.session.explorer().execution();
        let name = event_name(program, key);
        match graph.find(key) {
            Some(_) if key.thread.is_init() => name,
            Some(e) => self.labelled(graph.event(e)),
            None => name,
        }
    }

    fn name(&self, key: EventKey) -> String {
        event_name(self.session.program(), key)
    }

    fn object(&self, key: EventKey) -> String {
        let graph = self.session.explorer().execution();
        let event = graph.find(key).map(|e| graph.event(e));
        event.and_then(|event| event.operation().zip(event.location())).map_or_else(
            String::new,
            |(operation, location)| {
                let name = location_name(self.session.program(), location);
                match operation {
                    Operation::End | Operation::Join => format!("the {name}"),
                    _ => format!("{} {name}", library::library(operation).noun()),
                }
            },
        )
    }

    fn waiting(&self, key: EventKey) -> String {
        let graph = self.session.explorer().execution();
        let waiting = library::waiting(graph).into_iter().find(|waiting| graph.event(waiting.event).key == key);
        let obstacle = waiting.and_then(|waiting| waiting.obstacle);
        let object = self.object(key);
        let thread = |thread: ThreadId| self.session.program().thread_name(thread.0.into());
        match ((self as &dyn Scene).operation(key), obstacle) {
            (Some(Operation::Lock), Some(lock)) if graph.event(lock).thread() == key.thread => {
                format!(
                    "{} waits for {object}, which it holds itself since {}",
                    thread(key.thread),
                    self.labelled(graph.event(lock))
                )
            }
            (Some(Operation::Lock), Some(lock)) => format!(
                "{} waits for {object}, which {} holds since {}",
                thread(key.thread),
                thread(graph.event(lock).thread()),
                self.labelled(graph.event(lock))
            ),
            (Some(Operation::Send(_)), Some(send)) => {
                format!("{object} is full since {}, and no thread has received that", self.labelled(graph.event(send)))
            }
            (Some(Operation::Join), _) => format!("{object} is not there yet"),
            _ => format!("{object} is empty"),
        }
    }
}

/// A visit's option.
pub(super) fn visit_label(session: &Session, visit: &Visit) -> String {
    let name = |key| event_name(session.program(), key);
    match (visit.option, visit.taken) {
        (Some(VisitOption { read, write: None, .. }), _) => format!("{} ← ⊥", name(read)),
        (Some(VisitOption { read, write: Some(write), direction, spurious }), _) => {
            let failure = if spurious { ", fails spuriously" } else { "" };
            match direction {
                Direction::Placement => format!("{} after {} in co", name(read), name(write)),
                Direction::Order => format!("{} before {}", name(write), name(read)),
                Direction::Backtrack => format!("{} in place of {}", name(read), name(write)),
                _ => format!("{} ← {}, {}{failure}", name(read), name(write), direction.name()),
            }
        }
        (None, Some(0)) => "start".to_owned(),
        (None, _) => {
            let part = session.settings.algorithm.machine().narrator.part();
            let again = visit.execution.filter(|_| visit.kind == VisitKind::Repeated);
            again.map_or_else(|| part.to_owned(), |number| format!("{part}: execution {number}"))
        }
    }
}

/// ` at line 3`, or nothing where the program has no text.
fn at_line(line: u32) -> String {
    if line == 0 { String::new() } else { format!(" at line {line}") }
}

pub(super) fn cuts(session: &Session) -> Vec<CutView> {
    let limits = session.settings().options.limits;
    let threads = session.program().threads.len();
    let view = |Cut { bound, place, executions }: Cut| CutView {
        message: cut_text(limits, threads, bound, place),
        line: place.line,
        executions,
    };
    session.results().cuts().into_iter().map(view).collect()
}

pub(super) fn faults(session: &Session) -> Vec<FaultView> {
    session
        .results()
        .faults()
        .map(|(found, sighting)| FaultView {
            message: fault_sentence(session.program(), found),
            count: sighting.count,
            position: Some(sighting.first),
        })
        .collect()
}

pub(super) fn messages(session: &Session) -> Vec<FaultView> {
    let is_whole = session.reach() == Reach::Whole && session.counts().bounded == 0;
    let notes = message_notes(session.program(), session.results(), is_whole).into_iter();
    notes
        .map(|MessageNote { text, executions, first }| FaultView { message: text, count: executions, position: first })
        .collect()
}

pub(super) fn condition(session: &Session) -> Option<ConditionView> {
    let result = session.results().condition(session.program(), session.coverage())?;
    let condition = session.program().condition.as_ref()?;
    let sentence = if !result.decided && session.counts().executions() == 0 {
        "is not decided: no execution is whole so far".to_owned()
    } else {
        let Settings { algorithm, .. } = session.settings;
        let extent = Extent::new(session.program(), algorithm, session.counts(), session.coverage());
        condition_sentence(condition.quantifier, result, extent)
    };
    Some(ConditionView {
        text: condition.span.on_one_line(session.source()),
        asks: asks(session.program()),
        holds: result.holds,
        decided: result.decided,
        sentence,
    })
}

/// That a session goes no further.
fn full_text() -> String {
    format!(
        "Only bounded: this graph has more than {} events, and there is room for no more here. The command `litmoscope \
         explore` goes on.",
        words::grouped(Limits::EVENTS.into())
    )
}

pub(super) fn verdict(session: &Session, verdict: Verdict) -> String {
    if session.is_full() {
        return full_text();
    }
    if session.gave_up() {
        return "Only bounded: nothing was explored, because there are too many candidates to list.".to_owned();
    }
    let any_fault = session.results().faults().len() > 0;
    let mut undecided = undecided_text(session.counts().undecided, session.results().unlisted());
    let algorithm = session.settings.algorithm;
    undecided.extend(algorithm.leaves_condition_open(session.program()).then(|| last_values_text(algorithm)));
    let options = session.settings.options;
    let asks = asks(session.program());
    verdict_text(verdict, asks, session.reach(), any_fault, session.counts(), &cuts(session), &undecided, options)
}

/// Whether a program's condition is a question, to which neither answer is wrong.
pub(super) fn asks(program: &Program) -> bool {
    program.condition.as_ref().is_some_and(|condition| condition.quantifier == Quantifier::Exists)
}

/// A verdict in a sentence or two. That nothing is wrong is not said of a program that asks whether something occurs.
#[expect(clippy::too_many_arguments, reason = "each is said in one of the sentences")]
pub(super) fn verdict_text(
    verdict: Verdict,
    asks: bool,
    reach: Reach,
    any_fault: bool,
    counts: Counts,
    cuts: &[CutView],
    undecided: &[String],
    options: Options,
) -> String {
    match verdict {
        Verdict::Violated if reach == Reach::FirstFault => {
            "Something is wrong: see the error found. The exploration stopped there, so the counts are incomplete."
                .to_owned()
        }
        Verdict::Violated => {
            let what = if any_fault {
                "Something is wrong: see the errors found."
            } else {
                "The final condition does not hold."
            };
            let stopped = if reach == Reach::Stopped {
                " The exploration was stopped before its end, so the counts are incomplete."
            } else {
                ""
            };
            format!("{what}{stopped}")
        }
        Verdict::Ok if asks => "Everything was explored.".to_owned(),
        Verdict::Ok => "Everything was explored, and nothing is wrong.".to_owned(),
        Verdict::Bounded if asks && reach == Reach::Ongoing => "Not everything is explored yet.".to_owned(),
        Verdict::Bounded if asks && reach == Reach::Stopped => format!(
            "Only bounded: the exploration was stopped before its end, after {}.",
            words::count(counts.executions(), "execution")
        ),
        Verdict::Bounded if reach == Reach::Ongoing => {
            "Nothing wrong so far; not everything is explored yet.".to_owned()
        }
        Verdict::Bounded if reach == Reach::Stopped => format!(
            "Only bounded: the exploration was stopped before its end. Nothing wrong was found in {}.",
            words::count(counts.executions(), "execution")
        ),
        Verdict::Bounded => {
            let mut why = undecided.to_vec();
            if counts.beyond > 0 {
                why.push(beyond_text(counts, options));
            }
            if counts.runs > 0 {
                why.push(format!("{} may miss executions", words::count(counts.runs, "random run")));
            }
            let mut what = String::new();
            if counts.bounded > 0 {
                why.insert(0, format!("{} cut", words::count(counts.bounded, "execution")));
                let cuts: Vec<_> = cuts
                    .iter()
                    .map(|cut| format!("{} ({})", cut.message, words::count(cut.executions, "execution")))
                    .collect();
                what = format!(" What was cut: {}.", cuts.join("; "));
            }
            let found = match (asks, counts.runs > 0) {
                (true, _) => "",
                (false, true) => " Nothing wrong was found.",
                (false, false) => " Nothing wrong was found in the rest.",
            };
            format!("Only bounded: {}.{found}{what}", why.join("; "))
        }
    }
}
