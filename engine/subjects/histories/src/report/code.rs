//! The executions of a program with an object, each judged: those that the object does not allow, and their histories.
//!
//! The worker explores all executions in slices, judges each and keeps the first hundred that the object does not allow. The one
//! that is shown becomes a history by itself, which is asked about as any other; its graph comes once, not with each view. An
//! execution is known by the number of steps that lead to it, so a click opens the session there.

use super::judging::HistoryJudging;
use super::text::Words;
use super::view::{
    CodeChoice, CodeRequest, CodeShown, CodeView, HistoryRequest, HistoryVerdict, HistoryView, ToldOperations,
};
use crate::budget::{Budget, Paused};
use crate::executions::{
    Explored, Judged, Judging, Operations, Order, Search, Sight, Unjudged, history_of, immediate, judge, possible,
};
use crate::explore::Settings;
use crate::explore::{Algorithm, ExecutionKind, Explorer, Options, Parameters, Step};
use crate::graph::{Coherence, Execution};
use crate::program::{Code, Program};
use crate::syntax::{self, Diagnostic};
use crate::words::{count, grouped};
use crate::{Format, OperationIndex, Recording, print_history};
use litmoscope_draw::{Drawing, DrawingInput, Room, call_frames, layout};
use std::sync::Arc;

/// How many executions that are not linearizable are kept.
const KEPT: usize = 100;
/// How many units of work are done at once.
const SLICE: u64 = 1 << 16;

/// An execution, or what there was of one at a step.
struct Moment {
    /// After so many steps.
    position: u64,
    /// Its number and its kind, if it is whole.
    whole: Option<(u64, ExecutionKind)>,
    graph: Execution,
    co: Option<Coherence>,
    operations: Operations,
    /// One that the object does not allow, or else one that it may have.
    order: Order,
    is_wrong: bool,
}

/// All executions, as far as they were judged.
struct Exploration {
    explorer: Box<dyn Explorer>,
    position: u64,
    judged: Judged,
    /// The first that are not linearizable.
    found: Vec<Moment>,
    /// The first one, to be shown where none is wrong.
    first: Option<Moment>,
    is_done: bool,
}

/// The way to a step.
struct Way {
    explorer: Box<dyn Explorer>,
    position: u64,
    step: u64,
}

/// What is shown.
struct Shown {
    choice: CodeChoice,
    told: CodeShown,
    history: Option<HistoryJudging>,
    drawing: Drawing,
}

/// A program whose executions are judged.
pub struct CodeJudging {
    /// As the program is explored on the page.
    settings: Settings,
    /// What sees all executions: the page's algorithm, if it does.
    algorithm: Algorithm,
    judging: Judging,
    exploration: Exploration,
    way: Option<Way>,
    shown: Option<Shown>,
}

impl CodeJudging {
    /// A program with at least one object, of which nothing was explored yet. `settings.text` is its text; the algorithm of the settings
    /// explores it, if that sees every execution.
    ///
    /// # Errors
    /// What is wrong with the text, or that it has no object.
    pub fn open(settings: &Settings, request: &CodeRequest) -> Result<Self, Vec<Diagnostic>> {
        let program = syntax::parse(&settings.text)?.program;
        let refuse =
            |message: &str, help: &str| vec![Diagnostic::error(message.to_owned(), Default::default()).with_help(help)];
        if program.structures.is_empty() {
            return Err(refuse(
                "the program has no object whose operations could be judged",
                "`object s: stack { shared top  push(n) { ... }  pop() { ... } }` declares one; the gallery has some",
            ));
        }
        if program.has_handlers() {
            return Err(refuse("objects of programs with handlers are not judged", "make threads of its handlers"));
        }
        let code = Code::compile(&program).map_err(|error| vec![Diagnostic::error(error.to_string(), error.span())])?;
        let code = settings.model.prepare(Arc::new(code));
        Ok(Self::new(settings.clone(), Arc::new(program), code, request))
    }

    fn new(settings: Settings, program: Arc<Program>, code: Arc<Code>, request: &CodeRequest) -> Self {
        // What leaves executions out would make a verdict on all of them wrong.
        let options = Options {
            stop_at_first: false,
            leave_out_waits: false,
            preemptions: None,
            contexts: None,
            ..settings.options
        };
        let sees_all = |algorithm: Algorithm| {
            Algorithm::all_that_see_all().any(|one| one == algorithm)
                && options.validate_for_program(algorithm, settings.model, &code).is_ok()
        };
        let (algorithm, options) = match settings.algorithm {
            algorithm if sees_all(algorithm) => (algorithm, options),
            // The executions stay the same; how the other one is to go through them means nothing to this one.
            _ => (Algorithm::default(), Options { symmetry: false, parameters: Parameters::default(), ..options }),
        };
        let structure = request.structure.min(program.structures.len().saturating_sub(1) as u16);
        let judging = Judging {
            program,
            code: Arc::clone(&code),
            model: settings.model,
            options,
            structure,
            sight: request.order,
        };
        let exploration = Exploration {
            explorer: algorithm.lazy_explorer(code, settings.model, options),
            position: 0,
            judged: Judged::default(),
            found: Vec::new(),
            first: None,
            is_done: false,
        };
        Self { settings, algorithm, judging, exploration, way: None, shown: None }
    }

    /// Goes on for a while: to the step that is asked for, then with all executions.
    pub fn go_on(&mut self) {
        let mut budget = Budget::of(SLICE);
        if self.walk(&mut budget).is_ok() {
            if let Some(history) = self.shown.as_mut().and_then(|shown| shown.history.as_mut()) {
                history.go_on();
            }
            // Where it is left is where it goes on.
            let _ = self.explore(&mut budget);
        }
    }

    /// Judges one execution after the other.
    fn explore(&mut self, budget: &mut Budget) -> Result<(), Paused> {
        let Self { exploration, judging, .. } = self;
        while !exploration.is_done {
            let step = exploration.explorer.advance_within(budget)?;
            exploration.position += 1;
            match step {
                Step::Execution { number, kind } => {
                    // A single search has a limit of its own.
                    exploration.judge(judging, number, kind);
                    let why = exploration.judged.why;
                    exploration.is_done = matches!(why, Some(Unjudged::NoMachine(_) | Unjudged::Handlers));
                }
                Step::Done => {
                    exploration.is_done = true;
                    exploration.judged.is_cut_short |= exploration.explorer.counts().undecided > 0;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Goes to the step that is asked for, if one is.
    fn walk(&mut self, budget: &mut Budget) -> Result<(), Paused> {
        let Some(way) = &mut self.way else { return Ok(()) };
        let mut last = None;
        while way.position < way.step && last != Some(Step::Done) {
            last = Some(way.explorer.advance_within(budget)?);
            way.position += 1;
        }
        let Some(way) = self.way.take() else { return Ok(()) };
        let (graph, co) = (way.explorer.execution().clone(), way.explorer.coherence().cloned());
        let whole = match last {
            Some(Step::Execution { number, kind }) => Some((number, kind)),
            _ => None,
        };
        let choice = CodeChoice::Step(way.step);
        self.shown = Some(match moment(&self.judging, way.position, whole, graph.clone(), co.clone()) {
            Ok(moment) => self.show(choice, &moment),
            Err(why) => Shown {
                choice,
                told: CodeShown {
                    title: format!("Step {}", grouped(way.position)),
                    sentence: why,
                    position: way.position,
                    by: self.by(choice),
                    ..CodeShown::default()
                },
                history: None,
                drawing: drawn(&self.judging, &graph, co.as_ref()),
            },
        });
        Ok(())
    }

    /// Turns to what is asked for.
    fn attend(&mut self, request: &CodeRequest) {
        let last = self.judging.program.structures.len().saturating_sub(1) as u16;
        if request.order != self.judging.sight || request.structure.min(last) != self.judging.structure {
            let Judging { program, code, .. } = &self.judging;
            *self = Self::new(self.settings.clone(), Arc::clone(program), Arc::clone(code), request);
        }
        let choice = match request.shown {
            // The last one that is kept, and the first one as long as there is none.
            CodeChoice::Found(place) => {
                CodeChoice::Found(place.min(self.exploration.found.len().saturating_sub(1) as u32))
            }
            step @ CodeChoice::Step(_) => step,
        };
        match choice {
            CodeChoice::Found(place) => {
                self.way = None;
                let moment = self.exploration.found.get(place as usize).or(self.exploration.first.as_ref());
                let is_shown = |shown: &Shown| {
                    shown.choice == choice && moment.is_some_and(|moment| moment.position == shown.told.position)
                };
                if !self.shown.as_ref().is_some_and(is_shown) {
                    self.shown = moment.map(|moment| self.show(choice, moment));
                }
            }
            CodeChoice::Step(step) => {
                let is_shown = self.shown.as_ref().is_some_and(|shown| shown.choice == choice);
                if !is_shown && self.way.as_ref().is_none_or(|way| way.step != step) {
                    self.shown = None;
                    let Settings { algorithm, model, options, .. } = self.settings;
                    let explorer = algorithm.lazy_explorer(Arc::clone(&self.judging.code), model, options);
                    self.way = Some(Way { explorer, position: 0, step });
                }
            }
        }
    }

    /// Whose steps lead there.
    fn by(&self, choice: CodeChoice) -> (Algorithm, Options) {
        match choice {
            CodeChoice::Found(_) => (self.algorithm, self.judging.options),
            CodeChoice::Step(_) => (self.settings.algorithm, self.settings.options),
        }
    }

    fn show(&self, choice: CodeChoice, moment: &Moment) -> Shown {
        let Moment { position, whole, operations, order, is_wrong, .. } = moment;
        let history = history_of(operations, order);
        let text = history.as_ref().and_then(|history| {
            let recording = Recording { histories: vec![history.clone()] };
            print_history(&recording, Format::Text).ok()
        });
        let title = match whole {
            Some((number, ExecutionKind::Complete)) => format!("Execution {}", grouped(*number)),
            Some((number, ExecutionKind::Blocked)) => format!("Execution {}, which is blocked", grouped(*number)),
            Some((number, ExecutionKind::StuckForGood)) => {
                format!("Execution {}, which is stuck for good", grouped(*number))
            }
            Some((number, ExecutionKind::Erroneous)) => {
                format!("Execution {}, in which something goes wrong", grouped(*number))
            }
            None => format!("Step {}", grouped(*position)),
        };
        let object = operations.object.name();
        let sentence = match (operations.list.is_empty(), is_wrong) {
            (true, _) => "No operation has begun.".to_owned(),
            (_, true) => format!("No {object} allows this."),
            (_, false) => format!("A {object} allows this, in whatever order the operations are seen."),
        };
        let history = history.filter(|_| !operations.list.is_empty()).map(HistoryJudging::of);
        Shown {
            choice,
            told: CodeShown {
                title,
                sentence,
                is_wrong: *is_wrong,
                position: *position,
                by: self.by(choice),
                no_history: (history.is_none() && !operations.list.is_empty()).then(|| {
                    "No clock can show this: no intervals of time have this order, so there is no timeline.".to_owned()
                }),
                operations: listed(operations),
                facts: facts(operations, order),
                text,
            },
            history,
            drawing: drawn(&self.judging, &moment.graph, moment.co.as_ref()),
        }
    }

    /// What the page shows.
    pub fn view(&mut self, request: &HistoryRequest) -> HistoryView {
        self.attend(&request.code);
        let look = HistoryRequest { choice: 0, object: None, ..request.clone() };
        let history = self.shown.as_mut().and_then(|shown| shown.history.as_mut());
        let mut view = history.map_or_else(HistoryView::default, |history| history.view(&look));
        // Only what comes before what is known, not when.
        view.timeline.ticks.clear();
        let judged = &self.exploration.judged;
        view.verdict = self.verdict();
        view.sentence = self.sentence(view.verdict);
        view.size = self.size();
        view.histories = Vec::new();
        view.object = None;
        view.objects = Vec::new();
        view.has_more |= self.has_more();
        let structures = self.judging.program.structures.iter();
        view.code = Some(CodeView {
            objects: structures.map(|declared| format!("{}, a {}", declared.name, declared.kind.name())).collect(),
            structure: self.judging.structure,
            order: self.judging.sight,
            orders: Sight::ALL.map(|sight| (sight, sight.name().to_owned(), about(sight).to_owned())).to_vec(),
            found: self.exploration.found.iter().map(line).collect(),
            left_out: judged.violating - self.exploration.found.len() as u64,
            is_walking: self.way.is_some(),
            shown: self.shown.as_ref().map(|shown| shown.told.clone()),
            choice: self.shown.as_ref().map(|shown| shown.choice),
        });
        view
    }

    /// Whether executions are still to be judged, or the step that is asked for to be reached.
    pub fn has_more(&self) -> bool {
        self.way.is_some() || !self.exploration.is_done
    }

    /// The graph of what is shown, a frame around each call.
    pub fn drawing(&self) -> Option<&Drawing> {
        self.shown.as_ref().map(|shown| &shown.drawing)
    }

    fn verdict(&self) -> HistoryVerdict {
        let Exploration { judged, is_done, .. } = &self.exploration;
        let all = *is_done && judged.unjudged + judged.erroneous == 0 && !judged.is_bounded && !judged.is_cut_short;
        match judged.violating {
            0 if all => HistoryVerdict::Linearizable,
            0 => HistoryVerdict::Unknown,
            _ => HistoryVerdict::Not,
        }
    }

    fn sentence(&self, verdict: HistoryVerdict) -> String {
        let declared = &self.judging.program.structures[usize::from(self.judging.structure)];
        let (name, kind, model) = (&declared.name, declared.kind.name(), self.judging.model.title());
        let judged = &self.exploration.judged;
        let unknown =
            |why: &str| format!("Whether {name} is linearizable as a {kind} under {model} is unknown: {why}.");
        match (verdict, judged.why) {
            (HistoryVerdict::Not, _) => format!("{name} is not linearizable as a {kind} under {model}."),
            (HistoryVerdict::Linearizable, _) => {
                format!("{name} is linearizable as a {kind} under {model}, for the calls of this program.")
            }
            (_, Some(Unjudged::Limit)) => unknown("a search was given up at its limit, and fewer calls need less"),
            (_, Some(why)) => unknown(&why.to_string()),
            _ if judged.erroneous > 0 => unknown("something goes wrong in some executions, as the steps show"),
            _ if judged.is_bounded => format!(
                "{name} is linearizable as a {kind} under {model} as far as it was explored: loops were cut, so there may be more executions."
            ),
            _ if judged.is_cut_short => unknown("whether some graphs are consistent was not decided within the limit"),
            _ => format!("No execution so far shows {name} not to be linearizable."),
        }
    }

    fn size(&self) -> String {
        let judged = &self.exploration.judged;
        let mut size = format!("{} judged", count(judged.executions, "execution"));
        for (number, what) in
            [(judged.violating, "not linearizable"), (judged.blocked, "blocked"), (judged.unjudged, "not judged")]
        {
            if number > 0 {
                size += &format!(", {} {what}", grouped(number));
            }
        }
        if let Some((distinct, wrong)) = judged.histories().filter(|_| self.exploration.is_done) {
            size += &format!(
                "; {} distinct histories of complete ones, {} not linearizable",
                grouped(distinct as u64),
                grouped(wrong as u64)
            );
        }
        size
    }
}

impl Exploration {
    fn judge(&mut self, judging: &Judging, number: u64, kind: ExecutionKind) {
        let graph = self.explorer.execution();
        let co = self.explorer.coherence().cloned();
        if self.first.is_none() && kind == ExecutionKind::Complete {
            self.first = moment(judging, self.position, Some((number, kind)), graph.clone(), co.clone()).ok();
        }
        let mut judged = judging.judge(Explored { number, kind, graph: graph.clone() }, &mut Budget::unlimited());
        if let Some(violating) = judged.first.take().filter(|_| self.found.len() < KEPT) {
            self.found.push(Moment {
                position: self.position,
                whole: Some((number, kind)),
                graph: violating.execution.graph,
                co,
                operations: violating.operations,
                order: violating.order,
                is_wrong: true,
            });
        }
        self.judged.append(judged);
    }
}

/// An execution, or what there is of one at a step, judged.
///
/// # Errors
/// Why it is not judged, in a sentence.
fn moment(
    judging: &Judging,
    position: u64,
    whole: Option<(u64, ExecutionKind)>,
    graph: Execution,
    co: Option<Coherence>,
) -> Result<Moment, String> {
    let Judging { program, code, model, options, structure, sight } = judging;
    if whole.is_none() && model.consistency_for_view(&graph).violation().is_some() {
        return Err(format!("{} does not allow this graph, so it is no execution.", model.title()));
    }
    let say = |why: Unjudged| format!("Whether this is linearizable is unknown: {why}.");
    let mut budget = Budget::unlimited();
    let mut search = Search::new(options.limits.search, &mut budget);
    let operations = Operations::new(program, code, &graph, options.limits, *structure).map_err(say)?;
    let wrong = judge(*model, code, &graph, &operations, *sight, &mut search).map_err(say)?;
    let is_wrong = wrong.is_some();
    let order = match wrong {
        Some(order) => order,
        None => possible(*model, &graph, &operations, *sight, &mut search).map_err(say)?,
    };
    Ok(Moment { position, whole, graph, co, operations, order, is_wrong })
}

/// A graph with a frame around each call.
fn drawn(judging: &Judging, graph: &Execution, co: Option<&Coherence>) -> Drawing {
    let mut input = DrawingInput::with_relations(&judging.program, judging.model, graph, co);
    // Beside the timeline.
    input.room = Room::Narrow;
    input.frames = call_frames(&judging.program, &judging.code, graph, judging.options.limits);
    layout(input.diagram())
}

fn about(sight: Sight) -> &'static str {
    match sight {
        Sight::HappensBefore => {
            "What the program itself orders: the last event of one operation happens before the first of the other."
        }
        Sight::Client => {
            "What the program orders, and what messages between its threads would: whoever calls the operations can tell."
        }
        Sight::Time => "A clock beside a run of the machine: under SC, TSO and PSO.",
    }
}

/// An operation, with what it returned if it has.
fn operation(operations: &Operations, at: usize) -> String {
    let words = Words { history: &operations.history, object: operations.object };
    let pending = if operations.list[at].returned() { "" } else { " …" };
    format!("{}{pending}", words.operation(OperationIndex(at as u32)))
}

fn thread(operations: &Operations, at: usize) -> &str {
    operations.history.thread(operations.history.operations[at].thread)
}

/// The operations of each thread: `P0: push 1, pop 2`.
fn listed(operations: &Operations) -> Vec<String> {
    let mut threads: Vec<(&str, Vec<String>)> = Vec::new();
    for at in 0..operations.list.len() {
        let (own, name) = (operation(operations, at), thread(operations, at));
        match threads.last_mut().filter(|(last, _)| *last == name) {
            Some((_, list)) => list.push(own),
            None => threads.push((name, vec![own])),
        }
    }
    threads.into_iter().map(|(name, list)| format!("{name}: {}", list.join(", "))).collect()
}

/// An execution in a line.
fn line(moment: &Moment) -> String {
    let number = moment.whole.map(|(number, _)| format!("{} · ", grouped(number))).unwrap_or_default();
    format!("{number}{}", listed(&moment.operations).join("; "))
}

/// What an order says, but for what follows from the rest.
fn facts(operations: &Operations, order: &Order) -> Vec<ToldOperations> {
    let told = |at: usize| format!("{} of {}", operation(operations, at), thread(operations, at));
    let fact = |(earlier, later): (usize, usize)| ToldOperations {
        text: format!("{} returned before {} was called.", told(earlier), told(later)),
        operations: vec![earlier as u32, later as u32],
        stretch: None,
    };
    let own = |pair: &(usize, usize)| thread(operations, pair.0) != thread(operations, pair.1);
    immediate(order).into_iter().filter(own).map(fact).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Model;
    use litmoscope_labs::session::Session;

    const PLAIN_POP: &str = include_str!("../../../../../public/objects/treiber-plain-pop.lit");
    const RING: &str = include_str!("../../../../../public/objects/ring-buffer.lit");

    fn settings(text: &str, model: Model) -> Settings {
        Settings { text: text.to_owned(), model, ..Settings::default() }
    }

    fn request(order: Sight, shown: CodeChoice) -> HistoryRequest {
        let code = CodeRequest { order, shown, ..CodeRequest::default() };
        HistoryRequest { width: 800, rows: (0, 64), code, ..HistoryRequest::default() }
    }

    /// All that is known in the end.
    fn view(judging: &mut CodeJudging, request: &HistoryRequest) -> HistoryView {
        for _ in 0..10_000 {
            let view = judging.view(request);
            if !view.has_more {
                return view;
            }
            judging.go_on();
        }
        panic!("it does not end");
    }

    fn judged(text: &str, model: Model, order: Sight) -> (CodeJudging, HistoryView) {
        let request = request(order, CodeChoice::default());
        let mut judging = CodeJudging::open(&settings(text, model), &request.code).expect("it is a program");
        let view = view(&mut judging, &request);
        (judging, view)
    }

    #[test]
    fn executions_that_no_object_allows_are_shown_with_their_steps() {
        for order in [Sight::Client, Sight::Time] {
            let (mut judging, whole) = judged(PLAIN_POP, Model::SC, order);
            assert_eq!(whole.verdict, HistoryVerdict::Not);
            let code = whole.code.expect("it is a program");
            assert_eq!(code.found.len() as u64 + code.left_out, judging.exploration.judged.violating);
            let mut session = Session::open(settings(PLAIN_POP, Model::SC)).expect("it is a program");
            for place in 0..code.found.len() {
                let view = view(&mut judging, &request(order, CodeChoice::Found(place as u32)));
                let shown = view.code.and_then(|code| code.shown).expect("one is shown");
                assert!(shown.is_wrong && shown.title.starts_with("Execution "), "{shown:?}");
                assert!(session.go_to(shown.position, u64::MAX));
                assert!(matches!(session.step(), Some(Step::Execution { .. })), "{:?}", session.step());
                assert!(judging.drawing().is_some_and(|drawing| !drawing.frames.is_empty()));
                // The page's step is the same execution.
                let step = request(order, CodeChoice::Step(shown.position));
                assert!(judging.view(&step).code.is_some_and(|code| code.is_walking));
                let again = self::view(&mut judging, &step).code.and_then(|code| code.shown).expect("one is shown");
                assert_eq!((&again.operations, &again.title, again.is_wrong), (&shown.operations, &shown.title, true));
                let Some(text) = shown.text else { continue };
                let mut alone = HistoryJudging::open(&text).expect("it is a history");
                let again = alone.view(&HistoryRequest { width: 100, rows: (0, 9), ..HistoryRequest::default() });
                assert_eq!(again.verdict, HistoryVerdict::Not, "{text}");
            }
        }
    }

    /// The lines of a program are none of the history's.
    #[test]
    fn reasons_name_no_lines() {
        const ABA: &str = include_str!("../../../../../public/objects/treiber-aba.lit");
        let (_, aba) = judged(ABA, Model::SC, Sight::Client);
        assert!(!aba.reasons.is_empty());
        assert!(aba.reasons.iter().all(|reason| !reason.text.contains("line ")), "{:?}", aba.reasons);
        assert!(aba.timeline.bars.iter().all(|bar| !bar.title.contains("line ")), "{:?}", aba.timeline.bars);
    }

    #[test]
    fn counts_are_those_of_the_command() {
        let (_, whole) = judged(PLAIN_POP, Model::SC, Sight::Time);
        assert!(whole.size.contains(" distinct histories of complete ones, "), "{}", whole.size);
        let (_, ring) = judged(RING, Model::TSO, Sight::Time);
        assert!(ring.size.contains("; 5 distinct histories of complete ones, 1 not linearizable"), "{}", ring.size);
        let (_, ring) = judged(RING, Model::PSO, Sight::Time);
        assert!(ring.size.contains("; 7 distinct histories of complete ones, 3 not linearizable"), "{}", ring.size);
    }

    #[test]
    fn what_is_allowed_is_said_and_an_execution_shown() {
        let (judging, fine) = judged(RING, Model::SC, Sight::Time);
        assert_eq!(fine.verdict, HistoryVerdict::Linearizable);
        let code = fine.code.expect("it is a program");
        assert!(code.found.is_empty());
        assert!(code.shown.is_some_and(|shown| !shown.is_wrong && shown.title.starts_with("Execution ")));
        assert_eq!(fine.timeline.bars.len(), 2);
        assert!(judging.drawing().is_some());
        let (_, none) = judged(RING, Model::RC11, Sight::Time);
        assert_eq!(none.verdict, HistoryVerdict::Unknown);
        assert!(none.sentence.contains("there is none for"), "{}", none.sentence);
        let wrong = CodeJudging::open(&settings("x := 1", Model::SC), &CodeRequest::default()).err();
        assert!(wrong.is_some_and(|wrong| wrong[0].message.contains("no object")));
    }

    /// An algorithm that does not see all executions leaves the judging to another one, which has the same executions and a step for each.
    #[test]
    fn options_stay_with_another_algorithm() {
        let options = Options { spurious: true, stop_at_first: true, ..Options::default() };
        for algorithm in [Algorithm::RvfSmc, Algorithm::default()] {
            let settings = Settings { algorithm, options, ..settings(PLAIN_POP, Model::SC) };
            let mut judging = CodeJudging::open(&settings, &CodeRequest::default()).expect("it is a program");
            let view = view(&mut judging, &request(Sight::Client, CodeChoice::default()));
            let shown = view.code.and_then(|code| code.shown).expect("one is shown");
            let (algorithm, options) = shown.by;
            assert!(options.spurious && !options.stop_at_first);
            let mut session = Session::open(Settings { algorithm, options, ..settings }).expect("it is a program");
            assert!(session.go_to(shown.position, u64::MAX));
            assert!(matches!(session.step(), Some(Step::Execution { .. })), "{:?}", session.step());
        }
    }

    /// A bound on the page's exploration is none on the verdict.
    #[test]
    fn all_executions_are_judged_whatever_the_page_leaves_out() {
        let options = Options { preemptions: Some(0), ..Options::default() };
        let settings = Settings { algorithm: Algorithm::TrustCo, options, ..settings(PLAIN_POP, Model::SC) };
        assert!(Session::open(settings.clone()).is_ok());
        let mut judging = CodeJudging::open(&settings, &CodeRequest::default()).expect("it is a program");
        let view = view(&mut judging, &request(Sight::Client, CodeChoice::default()));
        assert_eq!(view.verdict, HistoryVerdict::Not);
        let (_, options) = view.code.and_then(|code| code.shown).expect("one is shown").by;
        assert_eq!(options.preemptions, None);
    }

    /// Whatever algorithm the page has: each step has a history, or a sentence why not.
    #[test]
    fn every_step_can_be_shown() {
        for algorithm in Algorithm::ALL {
            for (text, model, order) in [
                (RING, Model::PSO, Sight::Time),
                (RING, Model::RC11, Sight::Client),
                (PLAIN_POP, Model::SC, Sight::HappensBefore),
            ] {
                let settings = Settings { algorithm, ..settings(text, model) };
                let Ok(mut session) = Session::open(settings.clone()) else { continue };
                session.run(u64::MAX);
                let mut judging = CodeJudging::open(&settings, &CodeRequest::default()).expect("it is a program");
                let mut histories = 0;
                // Each from the start, so not too many of them.
                for step in (0..=session.position()).step_by((session.position() as usize / 15).max(1)) {
                    let view = view(&mut judging, &request(order, CodeChoice::Step(step)));
                    let shown = view.code.and_then(|code| code.shown).expect("one is shown");
                    assert!(!shown.sentence.is_empty(), "{algorithm:?} {step}");
                    histories += usize::from(!view.timeline.bars.is_empty());
                    assert!(judging.drawing().is_some());
                }
                assert!(histories > 0, "{algorithm:?}");
            }
        }
    }
}
