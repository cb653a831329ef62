//! The histories of a program's object, for the page: execution by execution, with those that the object does not allow.

use super::judging::reasons;
use super::text::Words;
use super::timeline::{Layout, Sight as InSight};
use super::view::{HistoryVerdict, Mark, Timeline, ToldOperations};
use crate::budget::Budget;
use crate::explore::histories::{Operations, Order, Search, Sight, Unjudged, history_of, judge};
use crate::explore::{Algorithm, Explorer, Step};
use crate::graph::{Execution, Label};
use crate::linearizability::{
    Answer, Format, History, Monitor, OperationIndex, Recording, judge as judge_history, print_history,
};
use crate::program::{Code, Limits, Program};
use crate::session::Settings;
use crate::syntax::{self, Diagnostic};
use crate::words::{count, grouped};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How many executions that are not linearizable are kept.
const KEPT: usize = 100;

/// What is asked of a program with an object.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CodeRequest {
    /// Which of its objects.
    pub structure: u16,
    /// What says that an operation returned before another one was called.
    pub order: Sight,
    /// Which of the executions that are not linearizable is shown.
    pub choice: u32,
}

/// What the page shows of a program with an object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CodeView {
    /// Its objects, each with its kind: `s, a stack`.
    pub objects: Vec<String>,
    /// What can say that an operation returned before another one was called, with a name and a sentence each.
    pub orders: Vec<(Sight, String, String)>,
    /// What is asked.
    pub request: CodeRequest,
    /// What is known.
    pub verdict: HistoryVerdict,
    /// The same in a sentence.
    pub sentence: String,
    /// How many executions were judged, and how many of them are not linearizable, in a sentence.
    pub counts: String,
    /// There are more executions.
    pub has_more: bool,
    /// Executions that are not linearizable, in a line each: at most a hundred.
    pub found: Vec<String>,
    /// The one that is shown.
    pub shown: Option<CodeShown>,
}

/// An execution that is not linearizable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CodeShown {
    /// The session in which it is whole at the last step: a click opens it.
    pub position: u64,
    /// The algorithm of that session, by name.
    pub algorithm: String,
    /// Its history, if the order is one of intervals.
    pub timeline: Option<Timeline>,
    /// Why it is none that the object allows, the main reason first.
    pub reasons: Vec<ToldOperations>,
    /// Which operation returned before which other one was called, but for what follows from the others.
    pub facts: Vec<ToldOperations>,
    /// The history as a text, to be opened by itself.
    pub text: Option<String>,
}

struct Violating {
    position: u64,
    operations: Operations,
    order: Order,
}

/// A program whose executions are judged.
pub struct CodeJudging {
    settings: Settings,
    program: Program,
    code: Arc<Code>,
    request: CodeRequest,
    explorer: Box<dyn Explorer>,
    position: u64,
    executions: u64,
    violating: u64,
    found: Vec<Violating>,
    is_bounded: bool,
    undecided: Option<Unjudged>,
    is_done: bool,
}

impl CodeJudging {
    /// A program with at least one object, of which nothing was explored yet. `settings.text` is its text; its algorithm explores, if that sees
    /// each execution.
    ///
    /// # Errors
    /// What is wrong with the text, or that it has no object.
    pub fn open(settings: &Settings, request: &CodeRequest) -> Result<Self, Vec<Diagnostic>> {
        let mut settings = settings.clone();
        let program = syntax::parse(&settings.text)?.program;
        let at_start =
            |message: &str, help: &str| vec![Diagnostic::error(message.to_owned(), Default::default()).with_help(help)];
        if program.structures.is_empty() {
            let help =
                "`object s: stack { shared top  push(n) { ... }  pop() { ... } }` declares one; the gallery has some";
            return Err(at_start("the program has no object whose operations could be judged", help));
        }
        if program.has_handlers() {
            return Err(at_start("objects of programs with handlers are not judged", "make its handlers threads"));
        }
        if !Algorithm::all_that_see_all().any(|algorithm| algorithm == settings.algorithm) {
            settings.algorithm = Algorithm::default();
        }
        settings.options.stop_at_first = false;
        let valid = settings.options.validate_for(settings.algorithm, settings.model);
        if valid.is_err() {
            settings.algorithm = Algorithm::default();
        }
        let code = Code::compile(&program).map_err(|error| vec![Diagnostic::error(error.to_string(), error.span())])?;
        let code = Arc::new(code);
        let structure = request.structure.min(program.structures.len() as u16 - 1);
        let explorer = settings.algorithm.lazy_explorer(Arc::clone(&code), settings.model, settings.options);
        Ok(Self {
            settings,
            program,
            code,
            request: CodeRequest { structure, ..request.clone() },
            explorer,
            position: 0,
            executions: 0,
            violating: 0,
            found: Vec::new(),
            is_bounded: false,
            undecided: None,
            is_done: false,
        })
    }

    /// Whether it is what is asked about, but for the execution that is shown.
    pub fn is_of(&self, settings: &Settings, request: &CodeRequest) -> bool {
        let same = settings.text == self.settings.text && settings.model == self.settings.model;
        same && request.order == self.request.order && request.structure == self.request.structure
    }

    /// Explores and judges, until the budget says to come back or all is done; whether there is more to do.
    pub fn go_on(&mut self, budget: &mut Budget) -> bool {
        while !self.is_done {
            let Ok(step) = self.explorer.advance_within(budget) else { break };
            self.position += 1;
            match step {
                Step::Execution { .. } => {
                    if let Err(why) = self.judge() {
                        self.undecided = Some(why);
                        self.is_done = matches!(why, Unjudged::NoMachine(_) | Unjudged::Handlers);
                    }
                }
                Step::Done => self.is_done = true,
                _ => {}
            }
        }
        !self.is_done
    }

    fn judge(&mut self) -> Result<(), Unjudged> {
        let (graph, limits): (&Execution, Limits) = (self.explorer.execution(), self.settings.options.limits);
        self.executions += 1;
        self.is_bounded |= graph.events().any(|(_, event)| matches!(event.label, Label::Bound(_)));
        let operations = Operations::new(&self.program, &self.code, graph, limits, self.request.structure)?;
        // An execution is not judged in parts: its limit is all that bounds it.
        let mut budget = Budget::unlimited();
        let mut search = Search::new(limits.search, &mut budget);
        let order = judge(self.settings.model, &self.code, graph, &operations, self.request.order, &mut search)?;
        if let Some(order) = order {
            self.violating += 1;
            if self.found.len() < KEPT {
                self.found.push(Violating { position: self.position, operations, order });
            }
        }
        Ok(())
    }

    fn sentence(&self, verdict: HistoryVerdict) -> String {
        let declared = &self.program.structures[usize::from(self.request.structure)];
        let (name, kind, model) = (&declared.name, declared.kind.name(), self.settings.model.title());
        match (verdict, &self.undecided) {
            (HistoryVerdict::Not, _) => format!("{name} is not linearizable as a {kind} under {model}."),
            (HistoryVerdict::Linearizable, _) => {
                format!("{name} is linearizable as a {kind} under {model}, for the calls of this program.")
            }
            (_, Some(why)) => format!("Whether {name} is linearizable as a {kind} is unknown: {why}."),
            _ if !self.is_done => format!("No execution so far shows {name} not to be linearizable."),
            _ => format!("No execution up to the bound shows {name} not to be linearizable."),
        }
    }

    /// What the page shows.
    pub fn view(&self, choice: u32) -> CodeView {
        let verdict = if self.violating > 0 {
            HistoryVerdict::Not
        } else if self.is_done && !self.is_bounded && self.undecided.is_none() {
            HistoryVerdict::Linearizable
        } else {
            HistoryVerdict::Unknown
        };
        let objects = self.program.structures.iter();
        let choice = (choice as usize).min(self.found.len().saturating_sub(1));
        let bounded = if self.is_bounded { " A bound has cut some of them." } else { "" };
        CodeView {
            objects: objects.map(|declared| format!("{}, a {}", declared.name, declared.kind.name())).collect(),
            orders: orders(),
            request: CodeRequest { choice: choice as u32, ..self.request.clone() },
            verdict,
            sentence: self.sentence(verdict),
            counts: format!(
                "{} judged, {} of them not linearizable.{bounded}",
                count(self.executions, "execution"),
                grouped(self.violating)
            ),
            has_more: !self.is_done,
            found: self.found.iter().map(|found| line(&found.operations)).collect(),
            shown: self.found.get(choice).map(|found| self.shown(found)),
        }
    }

    fn shown(&self, found: &Violating) -> CodeShown {
        let Violating { position, operations, order } = found;
        let history = history_of(operations, order);
        let facts = facts(operations, order);
        let (mut timeline, mut text) = (None, None);
        let mut why = Vec::new();
        if let Some(history) = &history {
            let judged = judge_history(
                history,
                operations.object,
                Monitor::Auto,
                Limits::default().search,
                &mut Budget::unlimited(),
            );
            let words = Words { history, object: operations.object };
            if let Ok(Answer::Not(violation)) = judged.map(|judged| judged.answer) {
                why = reasons(&words, &violation);
            }
            timeline = Some(draw(operations, history));
            text = print_history(&Recording { histories: vec![history.clone()] }, Format::Text).ok();
        } else {
            let text = "No order of the operations does what the object promises and keeps what follows.".to_owned();
            why.push(ToldOperations { text, operations: Vec::new(), stretch: None });
        }
        CodeShown {
            position: *position,
            algorithm: self.settings.algorithm.name().to_owned(),
            timeline,
            reasons: why,
            facts,
            text,
        }
    }
}

fn orders() -> Vec<(Sight, String, String)> {
    [
        (
            Sight::Client,
            "client",
            "What the program orders, and what messages between its threads would: whoever calls the operations can tell.",
        ),
        (Sight::HappensBefore, "hb", "What the program itself orders: the last event of one operation happens before the first of the other."),
        (Sight::Time, "time", "A clock beside a run of the machine: under SC, TSO and PSO."),
    ]
    .map(|(order, name, about)| (order, name.to_owned(), about.to_owned()))
    .to_vec()
}

/// Operations thread by thread: `T1: push 1, pop 2; T2: pop empty`.
fn line(operations: &Operations) -> String {
    let words = Words { history: &operations.history, object: operations.object };
    let mut line = String::new();
    let mut last = None;
    for (index, operation) in operations.history.indexed() {
        let begin = match last {
            Some(thread) if thread == operation.thread => ", ".to_owned(),
            Some(_) => format!("; {}: ", operations.history.thread(operation.thread)),
            None => format!("{}: ", operations.history.thread(operation.thread)),
        };
        last = Some(operation.thread);
        let pending = if operations.list[index.index()].returned() { "" } else { " …" };
        line += &format!("{begin}{}{pending}", words.operation(index));
    }
    line
}

/// What an order says, but for what follows from the rest.
fn facts(operations: &Operations, order: &Order) -> Vec<ToldOperations> {
    let words = Words { history: &operations.history, object: operations.object };
    let thread = |at: usize| operations.history.thread(operations.history.operations[at].thread);
    let mut facts = Vec::new();
    for (later, before) in order.iter().enumerate() {
        for earlier in (0..order.len()).filter(|earlier| before >> earlier & 1 == 1) {
            let between = (0..order.len()).any(|at| before >> at & 1 == 1 && order[at] >> earlier & 1 == 1);
            if between {
                continue;
            }
            let [a, b] =
                [earlier, later].map(|at| format!("{} of {}", words.operation(OperationIndex(at as u32)), thread(at)));
            facts.push(ToldOperations {
                text: format!("{a} returned before {b} was called."),
                operations: vec![earlier as u32, later as u32],
                stretch: None,
            });
        }
    }
    facts
}

fn draw(operations: &Operations, history: &History) -> Timeline {
    let layout = Layout::new(history);
    let sight = InSight {
        history,
        object: operations.object,
        layout: &layout,
        window: (-1.0, history.times.len() as f64),
        rows: (0, u32::MAX),
        width: u32::MAX,
        wrong: &[],
    };
    let mut timeline = sight.draw(&|_| Mark::Plain, Vec::new());
    // Only what comes before what is known, not when.
    timeline.ticks.clear();
    timeline
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Model;
    use crate::session::Session;

    const PLAIN_POP: &str = include_str!("../../../../../public/objects/treiber-plain-pop.lit");
    const RING: &str = include_str!("../../../../../public/objects/ring-buffer.lit");

    fn judged(text: &str, model: Model, order: Sight) -> CodeJudging {
        let settings = Settings { text: text.to_owned(), model, ..Settings::default() };
        let request = CodeRequest { order, ..CodeRequest::default() };
        let mut judging = CodeJudging::open(&settings, &request).expect("it is a program");
        // With pauses.
        while judging.go_on(&mut Budget::of(1000)) {}
        judging
    }

    #[test]
    fn executions_that_no_object_allows_are_shown() {
        for order in [Sight::Client, Sight::Time] {
            let judging = judged(PLAIN_POP, Model::Sc, order);
            let view = judging.view(0);
            assert_eq!((view.verdict, view.has_more), (HistoryVerdict::Not, false));
            assert_eq!(view.found.len() as u64, judging.violating);
            let shown = view.shown.expect("one is shown");
            assert!(!shown.facts.is_empty() && !shown.reasons.is_empty());
            // The step is the one at which the execution is whole.
            let settings = Settings { text: PLAIN_POP.to_owned(), model: Model::Sc, ..Settings::default() };
            let mut session = Session::open(settings).expect("it is a program");
            assert!(session.go_to(shown.position, u64::MAX));
            assert!(matches!(session.step(), Some(Step::Execution { .. })), "{:?}", session.step());
        }
    }

    #[test]
    fn what_is_allowed_is_said_and_bounds_are() {
        let fine = judged(RING, Model::Sc, Sight::Time).view(0);
        assert_eq!(fine.verdict, HistoryVerdict::Linearizable);
        assert!(fine.found.is_empty() && fine.shown.is_none());
        let late = judged(RING, Model::Tso, Sight::Time).view(0);
        assert_eq!(late.verdict, HistoryVerdict::Not);
        let text = late.shown.and_then(|shown| shown.text).expect("a clock's order is a history");
        let mut alone = super::super::HistoryJudging::open(&text).expect("it is a history");
        let again = alone.view(&super::super::HistoryRequest { width: 100, rows: (0, 9), ..Default::default() });
        assert_eq!(again.verdict, HistoryVerdict::Not, "{text}");
        let none = judged(RING, Model::Rc11, Sight::Time).view(0);
        assert_eq!(none.verdict, HistoryVerdict::Unknown);
        assert!(none.sentence.contains("there is none for"), "{}", none.sentence);
        let settings = Settings { text: "x := 1".to_owned(), ..Settings::default() };
        let wrong = CodeJudging::open(&settings, &CodeRequest::default()).err().expect("there is no object");
        assert!(wrong[0].message.contains("no object"));
    }
}
