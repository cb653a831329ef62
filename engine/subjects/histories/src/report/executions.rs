//! What the executions of a program say of its object, as text and JSON.

use super::text::{HistoryJson, HistoryReport, OperationJson, Words};
use crate::executions::{Client, Judged, Sight, Violating, history_of, immediate};
use crate::explore::ExecutionKind;
use crate::model::Model;
use crate::program::Structure;
use crate::words::Detail;
use crate::words::{self, count, grouped};
use crate::{Answer, History, Judgement, Minimal, OperationIndex};
use serde::Serialize;
use std::fmt::Write;

/// What is known of an object under a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectVerdict {
    /// All executions are fine.
    Linearizable,
    /// Some execution is not.
    Not,
    /// None that was found is not, but loops were cut, so there may be more.
    Bounded,
    /// None that was judged is not, but not all were.
    Unknown,
}

/// How many clients of a size there are, and what was found of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ClientsOfSize {
    /// How many operations each has.
    pub operations: usize,
    /// How many there are.
    pub clients: usize,
    /// How many of them have an execution that is not linearizable.
    pub violating: usize,
    /// Of how many that is not known, as there was no time or loops were cut.
    pub open: usize,
}

/// What is said of a program's object.
#[derive(Clone, Copy, Debug)]
pub struct ObjectReport<'a> {
    /// The object.
    pub structure: &'a Structure,
    /// The model.
    pub model: Model,
    /// What counts as an order.
    pub sight: Sight,
    /// What was found; of several clients, in the one that is shown, or in all of them together.
    pub judged: &'a Judged,
    /// The clients by size, if all were judged.
    pub clients: &'a [ClientsOfSize],
    /// The smallest client that is not linearizable.
    pub client: Option<&'a Client>,
    /// The execution that is shown, if there is one.
    pub shown: Option<&'a Shown>,
}

/// An execution that is not linearizable.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The execution.
    pub violating: Violating,
    /// Its history, if its order is one of intervals.
    pub history: Option<History>,
    /// What a monitor says of that.
    pub judgement: Option<Judgement>,
    /// The few operations of it that contradict each other, if somebody looked for them.
    pub minimal: Option<Minimal>,
    /// That search was stopped.
    pub is_minimal_stopped: bool,
}

impl Shown {
    /// An execution of which nothing more is known.
    pub fn new(violating: Violating) -> Self {
        let history = history_of(&violating.operations, &violating.order);
        Self { violating, history, judgement: None, minimal: None, is_minimal_stopped: false }
    }

    fn title(&self) -> String {
        let kind = match self.violating.execution.kind {
            ExecutionKind::Complete => "",
            ExecutionKind::Blocked => ", which is blocked,",
            ExecutionKind::StuckForGood => ", which is stuck for good,",
            ExecutionKind::Erroneous => ", in which something goes wrong,",
        };
        format!("Execution {}{kind}", grouped(self.violating.execution.number))
    }

    /// A monitor said why. It was asked after the execution was known not to be linearizable, so without an answer only the reason is
    /// open.
    fn has_reason(&self) -> bool {
        matches!(self.judgement, Some(Judgement { answer: Answer::Not(_), .. }))
    }

    fn report<'s>(&'s self, title: &'s str) -> Option<HistoryReport<'s>> {
        Some(HistoryReport {
            name: title,
            history: self.history.as_ref()?,
            object: self.violating.operations.object,
            judgement: self.judgement.as_ref(),
            minimal: self.minimal.as_ref(),
            is_minimal_stopped: self.is_minimal_stopped,
            printed: None,
        })
    }
}

/// The calls of a client: `push 1; pop || pop`.
pub fn client_text(structure: &Structure, client: &Client) -> String {
    let name = |method: &u16| structure.methods.get(usize::from(*method)).map_or("?", |method| &method.name);
    let threads = client.iter().map(|calls| calls.iter().map(name).collect::<Vec<_>>().join("; "));
    threads.collect::<Vec<_>>().join(" || ")
}

impl ObjectReport<'_> {
    /// What is known.
    pub fn verdict(&self) -> ObjectVerdict {
        let judged = self.judged;
        let open = self.clients.iter().any(|size| size.open > 0);
        if judged.violating > 0 {
            ObjectVerdict::Not
        } else if judged.unjudged + judged.erroneous > 0 || judged.is_cut_short || open && !judged.is_bounded {
            ObjectVerdict::Unknown
        } else if judged.is_bounded {
            ObjectVerdict::Bounded
        } else {
            ObjectVerdict::Linearizable
        }
    }

    /// What counts, as the end of a sentence.
    fn by(&self) -> &'static str {
        match self.sight {
            Sight::HappensBefore => "ordered by hb",
            Sight::Client => "as a client sees them",
            Sight::Time => "ordered by time",
        }
    }

    /// The verdict in a sentence.
    pub fn sentence(&self) -> String {
        let (name, kind, model) = (&self.structure.name, self.structure.kind.name(), self.model.title());
        let of = if self.clients.is_empty() { "for the calls of this program" } else { "for all these clients" };
        match self.verdict() {
            ObjectVerdict::Linearizable => format!("{name} is linearizable as a {kind} under {model}, {of}."),
            ObjectVerdict::Not => format!("{name} is not linearizable as a {kind} under {model}."),
            ObjectVerdict::Bounded => format!(
                "{name} is linearizable as a {kind} under {model} as far as it was explored, {of}: loops were cut, so there may be more \
                 executions (--unroll sets the bound)."
            ),
            ObjectVerdict::Unknown => {
                let why = self.judged.why.map_or_else(
                    || match self.judged.erroneous {
                        0 => "not all executions were explored".to_owned(),
                        _ => "something goes wrong in some executions".to_owned(),
                    },
                    |why| why.to_string(),
                );
                format!("Whether {name} is linearizable as a {kind} under {model} is unknown: {why}.")
            }
        }
    }

    fn counts(&self) -> String {
        let judged = self.judged;
        let mut out = format!("{} judged, {}", count(judged.executions, "execution"), self.by());
        let _ = match judged.violating {
            0 => Ok(()),
            1 if !self.clients.is_empty() => write!(out, ", up to the first that is not linearizable"),
            violating => write!(
                out,
                "; {} not linearizable",
                if violating == 1 { "1 is".to_owned() } else { format!("{} are", grouped(violating)) }
            ),
        };
        for (number, what) in [
            (judged.blocked, "blocked: operations that have not returned are pending"),
            (judged.erroneous, "erroneous: `litmoscope explore` says what goes wrong"),
            (judged.unjudged, "not judged"),
        ] {
            if number > 0 {
                let _ = write!(out, "; {} {what}", grouped(number));
            }
        }
        out
    }

    /// All that is said.
    pub fn text(&self, detail: Detail) -> String {
        let mut out = format!("{}\n", self.sentence());
        if !self.clients.is_empty() {
            out += "  operations  clients  not linearizable\n";
            for size in self.clients {
                let open =
                    if size.open > 0 { format!("  ({} open)", grouped(size.open as u64)) } else { String::new() };
                let (clients, violating) = (grouped(size.clients as u64), grouped(size.violating as u64));
                let _ = writeln!(out, "  {:>10}  {clients:>7}  {violating:>16}{open}", size.operations);
            }
        }
        if let Some(client) = self.client {
            let _ = writeln!(out, "  The smallest such client: {}", client_text(self.structure, client));
        }
        let _ = writeln!(out, "  {}", self.counts());
        if let Some((distinct, wrong)) = self.judged.histories().filter(|_| self.clients.is_empty()) {
            let _ = writeln!(
                out,
                "  {} of complete executions, {} not linearizable",
                words::by_number(
                    distinct as u64,
                    "1 distinct history".to_owned(),
                    format!("{} distinct histories", grouped(distinct as u64))
                ),
                grouped(wrong as u64)
            );
        }
        if let Some(shown) = self.shown {
            out += &shown.text(detail);
        }
        out
    }
}

impl Shown {
    fn words(&self) -> Words<'_> {
        let operations = &self.violating.operations;
        Words { history: self.history.as_ref().unwrap_or(&operations.history), object: operations.object }
    }

    /// An operation of the execution with its thread.
    fn operation(&self, at: usize) -> String {
        let operations = &self.violating.operations;
        let words = Words { history: &operations.history, object: operations.object };
        let operation = &operations.history.operations[at];
        let pending = if operations.list[at].returned() { "" } else { " …" };
        let action = words.operation(OperationIndex(at as u32));
        format!("{}: {action}{pending}", operations.history.thread(operation.thread))
    }

    /// Which operation returned before which other one was called, as sentences.
    fn facts(&self) -> Vec<String> {
        let pairs = immediate(&self.violating.order).into_iter();
        pairs
            .map(|(from, to)| format!("{} returned before {} was called", self.operation(from), self.operation(to)))
            .collect()
    }

    fn text(&self, detail: Detail) -> String {
        let mut out = String::from("\n");
        let title = self.title();
        if let Some(report) = self.report(&title).filter(|_| self.has_reason()) {
            out += &report.text(detail);
            if self.minimal.is_none() || detail == Detail::Full {
                out += "  All its operations, with times that keep their order:\n";
                for (operation, _) in report.history.indexed() {
                    let _ = writeln!(out, "    {}", self.words().placed(operation));
                }
            }
            return out;
        }
        let object = self.violating.operations.object.name();
        let _ = writeln!(
            out,
            "{title} is not linearizable as a {object}: no order of these operations does what it promises"
        );
        for at in 0..self.violating.operations.list.len() {
            let _ = writeln!(out, "    {}", self.operation(at));
        }
        out += "  and keeps this order:\n";
        for fact in self.facts() {
            let _ = writeln!(out, "    {fact}");
        }
        if self.history.is_none() {
            out += "  No clock can show this: no intervals of time have this order.\n";
        }
        out
    }
}

/// What is known of an object, as JSON.
#[derive(Clone, Debug, Serialize)]
pub struct ObjectJson {
    name: String,
    object: &'static str,
    model: &'static str,
    order: &'static str,
    /// `linearizable`, `not_linearizable`, `bounded` or `unknown`.
    verdict: &'static str,
    executions: u64,
    violating: u64,
    blocked: u64,
    erroneous: u64,
    unjudged: u64,
    /// Why something is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    unknown: Option<String>,
    /// By time: distinct histories of complete executions.
    #[serde(skip_serializing_if = "Option::is_none")]
    histories: Option<HistoriesJson>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    clients: Vec<ClientsOfSize>,
    /// The smallest client that is not linearizable.
    #[serde(skip_serializing_if = "Option::is_none")]
    client: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    execution: Option<ExecutionJson>,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct HistoriesJson {
    distinct: usize,
    not_linearizable: usize,
}

#[derive(Clone, Debug, Serialize)]
struct ExecutionJson {
    number: u64,
    kind: ExecutionKind,
    operations: Vec<CallJson>,
    /// `[i, j]` says that operation i returned before j was called; what follows from others is left out.
    facts: Vec<[usize; 2]>,
    /// The same as a history, if the order is one of intervals.
    #[serde(skip_serializing_if = "Option::is_none")]
    history: Option<Vec<OperationJson>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    judged: Option<HistoryJson>,
}

#[derive(Clone, Debug, Serialize)]
struct CallJson {
    thread: String,
    operation: String,
    returned: bool,
}

impl From<&ObjectReport<'_>> for ObjectJson {
    fn from(report: &ObjectReport<'_>) -> Self {
        let judged = report.judged;
        let verdict = match report.verdict() {
            ObjectVerdict::Linearizable => "linearizable",
            ObjectVerdict::Not => "not_linearizable",
            ObjectVerdict::Bounded => "bounded",
            ObjectVerdict::Unknown => "unknown",
        };
        Self {
            name: report.structure.name.clone(),
            object: report.structure.kind.name(),
            model: report.model.name(),
            order: report.sight.name(),
            verdict,
            executions: judged.executions,
            violating: judged.violating,
            blocked: judged.blocked,
            erroneous: judged.erroneous,
            unjudged: judged.unjudged,
            unknown: judged.why.map(|why| why.to_string()),
            histories: judged
                .histories()
                .filter(|_| report.clients.is_empty())
                .map(|(distinct, not_linearizable)| HistoriesJson { distinct, not_linearizable }),
            clients: report.clients.to_vec(),
            client: report.client.map(|client| client_text(report.structure, client)),
            execution: report.shown.map(ExecutionJson::from),
        }
    }
}

impl From<&Shown> for ExecutionJson {
    fn from(shown: &Shown) -> Self {
        let operations = &shown.violating.operations;
        let words = Words { history: &operations.history, object: operations.object };
        let call = |(operation, done): (OperationIndex, &crate::executions::Done)| CallJson {
            thread: operations.history.thread(operations.history.operation(operation).thread).to_owned(),
            operation: words.operation(operation),
            returned: done.returned(),
        };
        let title = shown.title();
        let report = shown.report(&title);
        let history = report
            .as_ref()
            .map(|report| report.history.indexed().map(|(operation, _)| shown.words().json(operation)).collect());
        Self {
            number: shown.violating.execution.number,
            kind: shown.violating.execution.kind,
            operations: operations.indexed().map(call).collect(),
            facts: immediate(&shown.violating.order).into_iter().map(|(from, to)| [from, to]).collect(),
            history,
            judged: report.as_ref().filter(|_| shown.has_reason()).map(|report| HistoryJson::new(report, Detail::Full)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Budget;
    use crate::executions::Judging;
    use crate::explore::Settings;
    use crate::program::{Code, Limits};
    use crate::{Monitor, Undecided};
    use litmoscope_draw::Format;
    use litmoscope_labs::session::{Aspect, Session, ViewRequest};
    use std::sync::Arc;

    const LIST: &str = include_str!("../../../../../public/objects/list-set-plain.lit");

    /// Who looks for the reason may be stopped; the verdict stands.
    #[test]
    fn what_is_not_linearizable_is_so_without_a_reason() {
        let program =
            crate::syntax::parse(include_str!("../../../../../public/objects/treiber-aba.lit")).expect("a program");
        let program = Arc::new(program.program);
        let code = Arc::new(Code::compile(&program).expect("it can be explored"));
        let limits = Limits { unroll_spins: true, ..Limits::default() };
        let judging = Judging {
            program: Arc::clone(&program),
            code,
            model: Model::SC,
            options: limits.into(),
            structure: 0,
            sight: Sight::Time,
        };
        let mut judged = judging.judge_all(&mut Budget::unlimited());
        let mut shown = Shown::new(*judged.first.take().expect("one is not"));
        assert!(shown.history.is_some());
        for judgement in [None, Some(Judgement { answer: Answer::Unknown(Undecided::Limit), by: Monitor::Fast })] {
            shown.judgement = judgement;
            let text = shown.text(Detail::Brief);
            assert!(text.contains(" is not linearizable as a stack: no order of these operations"), "{text}");
            assert!(!text.contains("unknown") && !text.contains("No clock can show this"), "{text}");
            assert!(ExecutionJson::from(&shown).judged.is_none());
        }
    }

    /// Every step with something behind all threads can be shown in every way.
    #[test]
    fn what_is_behind_all_threads_is_stepped_through_and_drawn() {
        for model in [Model::SC, Model::PSO, Model::RC11] {
            let mut session =
                Session::open(Settings { text: LIST.to_owned(), model, ..Settings::default() }).expect("a program");
            let mut seen = std::collections::BTreeSet::new();
            while session.forward() {
                for aspect in [Aspect::Graph, Aspect::Time, Aspect::Table] {
                    let formats = vec![Format::Svg, Format::Dot, Format::Json];
                    let view = session.view(&ViewRequest { aspect, formats, ..ViewRequest::default() });
                    seen.extend(view.drawing.nodes.iter().map(|node| node.label.clone()));
                    seen.extend(view.drawing.columns.iter().map(|column| column.title.clone()));
                }
            }
            for label in ["after", "end", "join(P0)", "join(P1)"] {
                assert!(seen.contains(label), "{label}: {seen:?}");
            }
            assert!(!seen.iter().any(|label| label.contains("(?")), "{seen:?}");
        }
    }
}
