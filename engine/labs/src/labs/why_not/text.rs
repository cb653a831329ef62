//! Why a model does not allow an outcome, as text and JSON.

use crate::compare::{
    Absence, AbsentOutcome, Asker, Case, ComparisonBounds, OutcomeQuestion, Ruling, WhyAllowed, WhyNot, WhyNotAnswer,
};
use crate::explore::Options;
use crate::graph::{Coherence, Edge, EventId, Execution, RelationName};
use crate::model::{Model, Violation, Witness};
use crate::program::{Code, Location, Observable, Program};
use crate::report::{
    AbsentJson, CycleEdgeJson, Detail, DrawingInput, InitialWrites, Room, ValueJson, cycle_json, cycle_text,
    event_name, event_text, graph_text, location_name,
};
use crate::words::{self, grouped};
use indexmap::IndexMap;
use serde::Serialize;
use std::fmt::Write;
use std::sync::Arc;

/// An event, with its name where others look like it.
fn told(program: &Program, graph: &Execution, e: EventId) -> String {
    let event = graph.event(e);
    let text = event_text(program, event);
    let alike = graph.events().any(|(other, event)| other != e && event_text(program, event) == text);
    if alike { format!("{}: {text}", event_name(program, event.key)) } else { text }
}

/// What of the cycle that SC sees in an execution a model does not demand, a sentence each.
pub(in crate::labs) fn liberties(
    program: &Program,
    model: Model,
    graph: &Execution,
    why_allowed: &WhyAllowed,
) -> Vec<String> {
    let title = model.title();
    if model.rules().buffers.is_none() {
        return vec![format!("{title} allows it: {}", model.definition().demand)];
    }
    let words = |edge: &Edge| {
        let (from, to) = (told(program, graph, edge.from), told(program, graph, edge.to));
        let thread = program.thread_name(graph.event(edge.from).thread().0.into());
        if edge.relation == RelationName::Rf {
            format!("{to} reads {from} from {thread}'s own store buffer, before other threads can see it.")
        } else if graph.event(edge.to).is_read() {
            format!(
                "{title} does not keep {from} before {to}: the write waits in {thread}'s store buffer while the read \
                 goes ahead."
            )
        } else {
            format!(
                "{title} does not keep {from} before {to}: writes to different locations leave {thread}'s store buffer \
                 in any order."
            )
        }
    };
    let mut words: Vec<_> = why_allowed.unbound.iter().map(words).collect();
    words.dedup();
    words
}

/// Everything there is to say about an outcome asked for.
#[derive(Clone, Copy, Debug)]
pub struct WhyNotReport<'a> {
    /// What to call the program.
    pub name: &'a str,
    /// The program.
    pub program: &'a Program,
    /// The outcome.
    pub question: &'a str,
    /// What is asked for, in the order of absent states.
    pub observables: &'a [Observable],
    /// What was found.
    pub why_not: &'a WhyNot,
}

/// Asks whether a model allows an outcome, and says briefly why or why not.
pub fn brief_answer(
    name: &str,
    program: &Program,
    code: &Arc<Code>,
    question: &OutcomeQuestion,
    model: Model,
    options: Options,
) -> String {
    let bounds = ComparisonBounds::default();
    let why_not = Asker::new(program, Arc::clone(code), question, model, options, bounds).ask();
    let report = WhyNotReport {
        name,
        program,
        question: &question.text(program),
        observables: &question.observables(program),
        why_not: &why_not,
    };
    why_not_text(&report, Detail::Brief)
}

/// How many coherence orders are named for a cycle.
const MAX_ORDERS: usize = 3;

impl WhyNotReport<'_> {
    /// Whether something was cut: loops, candidates or the exploration. A witness is one all the same.
    pub fn is_cut(&self) -> bool {
        match &self.why_not.answer {
            WhyNotAnswer::Allowed { .. } => false,
            WhyNotAnswer::Forbidden { all, .. } => !all || self.why_not.counts.bounded > 0,
            WhyNotAnswer::Impossible { .. } => self.why_not.stopped || self.why_not.counts.bounded > 0,
            WhyNotAnswer::Unknown => true,
        }
    }

    /// The answer in a sentence.
    pub fn sentence(&self) -> String {
        let (model, question) = (self.why_not.model.title(), self.question);
        match &self.why_not.answer {
            WhyNotAnswer::Allowed { position, .. } => {
                format!("{model} allows {question}. This execution ends so. GenMC completes it at step {position}.")
            }
            WhyNotAnswer::Forbidden { cases, .. } if self.why_not.stopped => {
                let many = cases.len() as u64;
                let known = words::count(many, "execution");
                format!(
                    "{model} forbids {question}. The search was stopped: it had ruled out {known} that would end so, and there may be \
                     more."
                )
            }
            WhyNotAnswer::Impossible { .. } if self.why_not.stopped => {
                format!(
                    "No model allows {question}: no execution ends so, whatever its reads return. Why was not found out."
                )
            }
            WhyNotAnswer::Forbidden { cases, all } if cases.is_empty() && !all => {
                format!(
                    "{model} forbids {question}. There are too many candidate executions to list those that would end \
                     so."
                )
            }
            WhyNotAnswer::Forbidden { cases, all } => {
                let many = cases.len() as u64;
                let those = match (many, all) {
                    (1, true) => "The one execution that would end so is ruled out.".to_owned(),
                    (2, true) => "Both executions that would end so are ruled out.".to_owned(),
                    (_, true) => format!("All {} executions that would end so are ruled out.", grouped(many)),
                    (_, false) => format!(
                        "There are too many candidate executions to list. Of those looked at, {} would end so and {} \
                         ruled out.",
                        grouped(many),
                        words::by_number(many, "is", "are")
                    ),
                };
                format!("{model} forbids {question}. {those}")
            }
            WhyNotAnswer::Impossible { absent } => {
                let mut why: Vec<_> = absent.iter().map(|absent| self.absence(absent)).collect();
                why.dedup();
                let why = if why.is_empty() { "it contradicts itself".to_owned() } else { why.join("; ") };
                format!("No model allows {question}: {why}.")
            }
            WhyNotAnswer::Unknown => {
                let found = words::count(self.why_not.counts.executions(), "execution");
                format!(
                    "Not known: {question} is in none of the {found} explored under {model}, and there may be more."
                )
            }
        }
    }

    /// Why no candidate ends in a state.
    fn absence(&self, absent: &AbsentOutcome) -> String {
        let of = |observable: &Observable| {
            let at = self.observables.iter().position(|other| other == observable);
            let value =
                at.and_then(|at| *absent.state.get(at)?).map(|value| self.program.observable_text(*observable, value));
            (self.program.observable_name(*observable), value.unwrap_or_else(|| "this value".to_owned()))
        };
        match &absent.why {
            Absence::Cyclic { graph, violation } => {
                format!("it needs a cycle of po and rf: {}", cycle_text(self.program, graph, violation))
            }
            Absence::NoSuchValue { observable: place @ Observable::Location { .. } } => {
                let (name, value) = of(place);
                format!("no write ever writes {value} to {name}")
            }
            Absence::NoSuchValue { observable } => {
                let (name, value) = of(observable);
                format!("{name} never ends as {value}, whatever writes the reads read from")
            }
            Absence::NotLeft { observable, initial: true } => {
                let (name, value) = of(observable);
                format!("{name} does not keep its initial value {value}: it is always overwritten")
            }
            Absence::NotLeft { observable, initial: false } => {
                let (name, value) = of(observable);
                format!("no thread that ends so writes {value} to {name}")
            }
            Absence::Unexplained => "no run of its threads ends so, whatever its reads return".to_owned(),
        }
    }

    /// What has to be known to read the answer, a sentence each.
    pub fn notes(&self) -> Vec<String> {
        let counts = &self.why_not.counts;
        let mut notes = Vec::new();
        if self.why_not.stopped {
            notes.push("Bounded: the search was stopped before its end.".to_owned());
        }
        if self.why_not.undecided && matches!(self.why_not.answer, WhyNotAnswer::Unknown) {
            notes.push("Bounded: a search reached its limit. What it would have found is not known.".to_owned());
        }
        if matches!(self.why_not.answer, WhyNotAnswer::Allowed { .. } | WhyNotAnswer::Unknown) {
            return notes;
        }
        if counts.bounded > 0 {
            notes.push(format!(
                "Bounded: {} {} cut. How {} would end is not known.",
                words::count(counts.bounded, "execution"),
                words::by_number(counts.bounded, "was", "were"),
                words::by_number(counts.bounded, "it", "they")
            ));
        }
        if counts.blocked > counts.bounded || counts.erroneous > 0 {
            notes.push("Executions that block or go wrong have no outcome, so they are not listed here.".to_owned());
        }
        notes
    }

    /// An event as `R(x,1)`, with its name where another one looks the same.
    fn event(&self, graph: &Execution, e: EventId) -> String {
        told(self.program, graph, e)
    }

    /// Which write each read takes.
    pub fn sources(&self, graph: &Execution) -> Vec<(String, String)> {
        let source = |read| Some((self.event(graph, read), self.event(graph, graph.source(read)?)));
        graph.ids().filter_map(source).collect()
    }

    /// What tells a case from others: `R(y,0) ← [y=0]; x ends as W(x,1)`.
    pub fn case_text(&self, case: &Case) -> String {
        let graph = &case.graph;
        let mut parts: Vec<_> =
            self.sources(graph).into_iter().map(|(read, write)| format!("{read} ← {write}")).collect();
        parts.extend(self.last_text(case));
        if parts.is_empty() { "nothing is read".to_owned() } else { parts.join(", ") }
    }

    /// Where the final values come from, where there is a choice.
    fn last_text(&self, case: &Case) -> Vec<String> {
        let graph = &case.graph;
        let location = |w: EventId| graph.event(w).location().filter(|&at| graph.writes(at).count() > 2);
        let text = |&w: &EventId| {
            Some(format!("{} ends as {}", location_name(self.program, location(w)?), self.event(graph, w)))
        };
        case.last.iter().filter_map(text).collect()
    }

    /// What rules a case out, in a sentence.
    pub fn ruling_text(&self, case: &Case) -> String {
        let orders = match case.orders {
            u64::MAX => "a great many coherence orders".to_owned(),
            n => format!("{} coherence orders", grouped(n)),
        };
        match (&case.ruling, case.orders) {
            (Ruling::Any { violation }, 0) => {
                format!("It violates {}: no coherence order (co) ends so.", violation.axiom)
            }
            (Ruling::Any { violation }, 1) => format!("It violates {}.", violation.axiom),
            (Ruling::Any { violation }, _) => {
                format!("It violates {}, whichever of its {orders} is chosen.", violation.axiom)
            }
            (Ruling::Each { cycles }, 1) => match &cycles[..] {
                [(violation, _)] => format!("With its one coherence order, it violates {}.", violation.axiom),
                _ => "Its one coherence order has a cycle.".to_owned(),
            },
            (Ruling::Each { cycles }, _) => match cycles.len() {
                1 => format!("Each of its {orders} has this cycle."),
                n => format!("Each of its {orders} has one of {n} cycles."),
            },
            (Ruling::TooMany { violation: Some(violation) }, _) => {
                format!("It violates {}. There are {orders}, too many to give a cycle for each.", violation.axiom)
            }
            (Ruling::TooMany { violation: None }, _) => {
                format!("There are {orders}, too many to give a cycle for each.")
            }
        }
    }

    /// The cycles of a case, each with the coherence orders that have it; none where it is the same for all.
    pub fn cycles<'c>(&self, case: &'c Case) -> Vec<(&'c Violation, &'c [Coherence])> {
        match &case.ruling {
            Ruling::Any { violation } | Ruling::TooMany { violation: Some(violation) } => vec![(violation, &[])],
            Ruling::TooMany { violation: None } => Vec::new(),
            Ruling::Each { cycles } => cycles.iter().map(|(violation, orders)| (violation, &orders[..])).collect(),
        }
    }

    /// The cycle in a line: `W(x,1) -po-> R(y,0) -fr-> W(y,1)`.
    pub fn cycle_text(&self, graph: &Execution, violation: &Violation) -> String {
        cycle_text(self.program, graph, violation)
    }

    /// The cycle in words: what each edge says, and that this can't be.
    pub fn cycle_words(&self, graph: &Execution, violation: &Violation) -> String {
        let name = |e| self.event(graph, e);
        let words = |edge: &Edge| {
            let (from, to) = (name(edge.from), name(edge.to));
            let thread = graph.event(edge.from).thread();
            match edge.relation {
                RelationName::Po if thread.is_init() => format!("{from} is there before {to}"),
                RelationName::Po => {
                    format!("{from} comes before {to} in {}", self.program.thread_name(thread.0.into()))
                }
                RelationName::Ppo => {
                    format!("{from} takes effect before {to}, as in {}", self.program.thread_name(thread.0.into()))
                }
                RelationName::Rf => format!("{to} reads from {from}"),
                RelationName::Co => format!("{from} is overwritten by {to}"),
                RelationName::Fr => format!("{from} reads what {to} overwrites"),
                RelationName::Sw => format!("{from} synchronises with {to}"),
                RelationName::Pb => format!("{to} takes the message that {from} posts"),
                RelationName::Mo => format!("the message of {from} is in its mailbox before that of {to}"),
                RelationName::ScFence => format!("{from} comes before {to} in the order of SC fences"),
                other => format!("{from} comes before {to} in {other}"),
            }
        };
        let parts: Vec<_> = violation.cycle.iter().map(words).collect();
        match violation.cycle.first() {
            Some(edge) => format!("{}; so {} would have to come before itself.", parts.join("; "), name(edge.from)),
            None => String::new(),
        }
    }

    /// Why the witness is allowed although SC forbids it; `None` if SC allows it too, or without a witness.
    pub fn why_allowed(&self) -> Option<&WhyAllowed> {
        let WhyNotAnswer::Allowed { why_allowed, .. } = &self.why_not.answer else { return None };
        why_allowed.as_deref()
    }

    /// What of the cycle that SC sees the model does not demand, a sentence each.
    pub fn why_allowed_words(&self, why_allowed: &WhyAllowed) -> Vec<String> {
        let WhyNotAnswer::Allowed { witness, .. } = &self.why_not.answer else { return Vec::new() };
        liberties(self.program, self.why_not.model, witness, why_allowed)
    }

    /// A coherence order, of the locations that have a choice: `x: W(x,1) → W(x,2)`.
    pub fn order_text(&self, graph: &Execution, co: &Coherence) -> String {
        let order = |(location, order): (usize, &Vec<EventId>)| {
            let writes: Vec<_> = order.iter().skip(1).map(|&w| self.event(graph, w)).collect();
            let name = location_name(self.program, Location(location as u32));
            (writes.len() > 1).then(|| format!("{name}: {}", writes.join(" → ")))
        };
        let orders: Vec<_> = co.iter().enumerate().filter_map(order).collect();
        orders.join("; ")
    }

    /// The coherence orders that have a cycle, the first of them by name.
    pub fn orders_text(&self, graph: &Execution, orders: &[Coherence]) -> Option<String> {
        let named: Vec<_> = orders.iter().take(MAX_ORDERS).map(|co| self.order_text(graph, co)).collect();
        let named: Vec<_> = named.into_iter().filter(|text| !text.is_empty()).collect();
        if named.is_empty() {
            return None;
        }
        let more = match orders.len().saturating_sub(MAX_ORDERS) {
            0 => String::new(),
            n => format!(" and {} more", grouped(n as u64)),
        };
        Some(format!("co {}{more}", named.join(" | ")))
    }

    /// What to draw of a cycle of a case. With a coherence order, that is drawn too.
    pub fn drawing<'b>(&'b self, case: &'b Case, violation: &'b Violation, co: Option<&Coherence>) -> DrawingInput<'b> {
        let mut input = DrawingInput::new(self.program, &case.graph);
        // Beside something else.
        input.room = Room::Narrow;
        input.violation = Some(violation);
        input.initial = InitialWrites::Relevant;
        if let Some(co) = co {
            let pairs = co.iter().flat_map(|order| order.windows(2).skip(1));
            input.edges.extend(pairs.map(|pair| Edge { from: pair[0], to: pair[1], relation: RelationName::Co }));
            input.chosen_co = true;
        }
        input
    }

    /// What to draw of the witness; `None` without one.
    pub fn witness_drawing(&self) -> Option<DrawingInput<'_>> {
        let WhyNotAnswer::Allowed { witness, co, .. } = &self.why_not.answer else { return None };
        let mut input = DrawingInput::new(self.program, witness);
        // Beside something else.
        input.room = Room::Narrow;
        input.initial = InitialWrites::Relevant;
        let shown = [RelationName::Rf, RelationName::Co, RelationName::Fr, RelationName::Sw];
        let relations = self.why_not.model.relations(witness, &Witness { co: co.clone() }).into_iter();
        input.edges.extend(relations.filter(|(name, _)| shown.contains(name)).flat_map(|(_, edges)| edges));
        Some(input)
    }
}

/// The answer, and each case with its cycles; in full, their graphs too.
pub fn why_not_text(report: &WhyNotReport, detail: Detail) -> String {
    let mut out = format!("{}\n", report.sentence());
    match &report.why_not.answer {
        WhyNotAnswer::Allowed { .. } => {
            if let (Some(why_allowed), WhyNotAnswer::Allowed { witness, .. }) =
                (report.why_allowed(), &report.why_not.answer)
            {
                let violation = &why_allowed.violation;
                let _ = writeln!(
                    out,
                    "\nSC forbids it:\n   {}: {}\n   {}",
                    violation.axiom,
                    report.cycle_text(witness, violation),
                    report.cycle_words(witness, violation)
                );
                report.why_allowed_words(why_allowed).iter().for_each(|words| {
                    let _ = writeln!(out, "{words}");
                });
            }
            if let Some(drawing) = report.witness_drawing() {
                let _ = write!(out, "\n{}", graph_text(&drawing));
            }
        }
        WhyNotAnswer::Forbidden { cases, .. } => {
            for (at, case) in cases.iter().enumerate() {
                let _ = writeln!(out, "\n{}. {}", at + 1, report.case_text(case));
                let _ = writeln!(out, "   {}", report.ruling_text(case));
                for (violation, orders) in report.cycles(case) {
                    if let Some(orders) = report.orders_text(&case.graph, orders) {
                        let _ = writeln!(out, "   {orders}:");
                    }
                    let _ = writeln!(out, "   {}: {}", violation.axiom, report.cycle_text(&case.graph, violation));
                    let _ = writeln!(out, "   {}", report.cycle_words(&case.graph, violation));
                    if detail == Detail::Full {
                        let drawing = report.drawing(case, violation, orders.first());
                        let _ = writeln!(out, "{}", graph_text(&drawing));
                    }
                }
            }
        }
        WhyNotAnswer::Impossible { .. } | WhyNotAnswer::Unknown => {}
    }
    let notes = report.notes();
    if !notes.is_empty() {
        let _ = write!(out, "\n{}\n", notes.join("\n"));
    }
    words::harmless(&out).into_owned()
}

/// The object that `litmoscope why-not --json` prints. New keys may be added, none is taken away or changes its meaning.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WhyNotJson {
    /// The program's name.
    pub program: String,
    /// The outcome asked for.
    pub question: String,
    /// The model's name: `sc`, ...
    pub model: &'static str,
    /// `allowed`, `forbidden`, `impossible` under any model, or `unknown`.
    pub verdict: &'static str,
    /// The answer in a sentence.
    pub message: String,
    /// Whether loops, candidates or the exploration were cut.
    pub bounded: bool,
    /// After how many steps of GenMC a witness is whole; `null` without one.
    pub position: Option<u64>,
    /// The final values of the witness; `null` without one.
    pub state: Option<IndexMap<String, ValueJson>>,
    /// Which write each read of the witness takes; `null` without one.
    pub witness: Option<Vec<SourceJson>>,
    /// Why SC forbids the witness, and this model does not; `null` where SC allows it, and without a witness.
    pub liberty: Option<WhyAllowedJson>,
    /// Whether `cases` are all there are.
    pub all_cases: bool,
    /// The executions that would end in the outcome, and what rules them out.
    pub cases: Vec<CaseJson>,
    /// For each state that is asked for, why no execution ends in it.
    pub absent: Vec<AbsentJson>,
    /// What has to be known to read the answer.
    pub notes: Vec<String>,
}

/// Which write a read takes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SourceJson {
    /// `R(x,1)`
    pub read: String,
    /// `W(x,1)`
    pub write: String,
}

/// What SC demands of an execution, and a weaker model does not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WhyAllowedJson {
    /// The axiom of SC that is violated.
    pub axiom: String,
    /// The cycle.
    pub cycle: Vec<CycleEdgeJson>,
    /// The same in words.
    pub words: String,
    /// What of it the model does not demand, a sentence each.
    pub reasons: Vec<String>,
}

/// An execution that would end in the outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CaseJson {
    /// Which write each read takes.
    pub sources: Vec<SourceJson>,
    /// The writes that the final values come from.
    pub last: Vec<String>,
    /// How many coherence orders end so; `null` if that is not known.
    pub orders: Option<u64>,
    /// Whether one cycle is there in all of them.
    pub whatever_order: bool,
    /// The cycles.
    pub cycles: Vec<OrderCycleJson>,
}

/// A cycle, and the coherence orders that have it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OrderCycleJson {
    /// The axiom violated.
    pub axiom: String,
    /// The cycle.
    pub cycle: Vec<CycleEdgeJson>,
    /// The same in words.
    pub words: String,
    /// The coherence orders; empty where it is there in all of them.
    pub orders: Vec<String>,
}

impl From<&WhyNotReport<'_>> for WhyNotJson {
    fn from(report: &WhyNotReport<'_>) -> Self {
        let program = report.program;
        let sources = |graph: &Execution| -> Vec<SourceJson> {
            report.sources(graph).into_iter().map(|(read, write)| SourceJson { read, write }).collect()
        };
        let case = |case: &Case| CaseJson {
            sources: sources(&case.graph),
            last: case.last.iter().map(|&w| report.event(&case.graph, w)).collect(),
            orders: (case.orders != u64::MAX).then_some(case.orders),
            whatever_order: matches!(case.ruling, Ruling::Any { .. }),
            cycles: report
                .cycles(case)
                .into_iter()
                .map(|(violation, orders)| OrderCycleJson {
                    axiom: violation.axiom.clone(),
                    cycle: cycle_json(program, &case.graph, violation),
                    words: report.cycle_words(&case.graph, violation),
                    orders: orders.iter().map(|co| report.order_text(&case.graph, co)).collect(),
                })
                .collect(),
        };
        let mut object = Self {
            program: report.name.to_owned(),
            question: report.question.to_owned(),
            model: report.why_not.model.name(),
            verdict: "unknown",
            message: report.sentence(),
            bounded: report.is_cut(),
            position: None,
            state: None,
            witness: None,
            liberty: None,
            all_cases: !matches!(report.why_not.answer, WhyNotAnswer::Unknown),
            cases: Vec::new(),
            absent: Vec::new(),
            notes: report.notes(),
        };
        match &report.why_not.answer {
            WhyNotAnswer::Allowed { witness, state, position, .. } => {
                object.verdict = "allowed";
                object.position = Some(*position);
                let value = |&(observable, value): &(Observable, i64)| {
                    (program.observable_name(observable), ValueJson::new(program, observable, value))
                };
                object.state = Some(state.iter().map(value).collect());
                object.witness = Some(sources(witness));
                object.liberty = report.why_allowed().map(|why_allowed| WhyAllowedJson {
                    axiom: why_allowed.violation.axiom.clone(),
                    cycle: cycle_json(program, witness, &why_allowed.violation),
                    words: report.cycle_words(witness, &why_allowed.violation),
                    reasons: report.why_allowed_words(why_allowed),
                });
            }
            WhyNotAnswer::Forbidden { cases, all } => {
                object.verdict = "forbidden";
                object.all_cases = *all;
                object.cases = cases.iter().map(case).collect();
            }
            WhyNotAnswer::Impossible { absent } => {
                object.verdict = "impossible";
                object.absent =
                    absent.iter().map(|absent| AbsentJson::new(program, report.observables, absent)).collect();
            }
            WhyNotAnswer::Unknown => {}
        }
        object
    }
}
